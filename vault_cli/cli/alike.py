"""What is like a draft, or against it, shown beside it. May import everything below `cli`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from vault_cli.cli.invocation import Invocation
from vault_cli.cli.output import Line, inline

if TYPE_CHECKING:
    from vault_cli.features.likeness import Alike
    from vault_cli.model.record import Record


def beside_lines(inv: Invocation, record: Record) -> list[Line]:
    """Return what else in the vault is like a record, or against it, and a blank line after it."""
    from vault_cli.cli.shown import admitted_of
    from vault_cli.features.likeness import compare_record

    alikes = compare_record(admitted_of(inv), record, inv.now)
    lines = [line for alike in alikes for line in alike_lines(alike)]
    return [*lines, ""] if lines else []


def alike_lines(alike: Alike) -> Iterator[Line]:
    """Yield a head, what the difference is, and both sentences one above the other."""
    other = alike.other
    style = "red" if alike.code == "contradiction" else "yellow"
    yield [(style, alike.code), f"  {other.id}  {other.status}  {inline(other.title)}"]
    said = alike.why
    if alike.low_authority:
        said += "; a person had said so, and this comes from a lesser source"
    if alike.reason:
        said += f"; rejected: {alike.reason}"
    yield [("dim", f"  {inline(said)}")]
    if alike.code != "duplicate-text":
        width = max(len(other.id), len("here"))
        yield f"  {'here':<{width}}  {inline(alike.mine) or '-'}"
        yield f"  {other.id:<{width}}  {inline(alike.theirs) or '-'}"
