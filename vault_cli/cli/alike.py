"""What is like a draft, or against it, shown beside it. May import everything below `cli`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from vault_cli.cli.invocation import Invocation
from vault_cli.cli.output import Line, inline
from vault_cli.cli.views import brief_data

if TYPE_CHECKING:
    from vault_cli.features.likeness import Alike
    from vault_cli.model.record import Record


def alike_of(inv: Invocation, record: Record) -> tuple[Alike, ...]:
    """Return what else in the vault is like a record, or against it."""
    from vault_cli.features.likeness import compare_record

    return compare_record(inv.snapshot, record, inv.now)


def alike_lines(alikes: Iterable[Alike]) -> Iterator[Line]:
    """Yield for each alike record a head, and both texts one above the other."""
    for alike in alikes:
        other = alike.other
        style = "red" if alike.code == "contradiction" else "yellow"
        head = f"  {other.id}  {other.status}  {inline(other.title)}"
        yield [(style, alike.code), head]
        said = alike.why
        if alike.low_authority:
            said += "; a person had said so, and this comes from a lesser source"
        yield [("dim", f"  {inline(said)}")]
        if alike.code != "duplicate-text":
            width = max(len(other.id), len("here"))
            yield f"  {'here':<{width}}  {inline(alike.mine) or '-'}"
            yield f"  {other.id:<{width}}  {inline(alike.theirs) or '-'}"


def alike_data(alikes: Iterable[Alike]) -> list[dict[str, Any]]:
    """Return what `--json` says about alike records."""
    return [
        {
            **brief_data(alike.other),
            "code": alike.code,
            "why": alike.why,
            "mine": alike.mine,
            "theirs": alike.theirs,
            "low_authority": alike.low_authority,
        }
        for alike in alikes
    ]
