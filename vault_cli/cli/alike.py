"""What is like a draft, or against it, shown beside it. May import everything below `cli`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Final

from vault_cli.cli.invocation import Invocation
from vault_cli.cli.output import Line, inline

if TYPE_CHECKING:
    from vault_cli.features.likeness import Alike, Nearby
    from vault_cli.model.record import Record, Snapshot

_MANY: Final = 1000
"""Records of a vault; up to so many are compared one and all, which costs less than looking up."""


def nearby(inv: Invocation, snapshot: Snapshot) -> Nearby | None:
    """Return what finds the records of a vault that may be near to one; None to look at all.

    Args:
        inv: the running command.
        snapshot: the records of the vault at hand.
    """
    if len(snapshot.records) <= _MANY:
        return None

    def look(record: Record) -> Iterable[Record]:
        from vault_cli.cli.shelves import open_shelves
        from vault_cli.features.claims import whole_text
        from vault_cli.recall.corpus import searchable
        from vault_cli.recall.nearby import find_nearby
        from vault_cli.store.segments import PostingsError

        try:
            with open_shelves(inv.vault, searchable(snapshot.records)) as shelves:
                return find_nearby(shelves, record.title, whole_text(record))
        except PostingsError:
            return snapshot.records

    return look


def beside_lines(inv: Invocation, record: Record) -> list[Line]:
    """Return what else in the vault is like a record, or against it, and a blank line after it."""
    from vault_cli.cli.shown import admitted_of
    from vault_cli.features.likeness import compare_record

    snapshot = admitted_of(inv)  # a text that waits is no measure of another
    alikes = compare_record(snapshot, record, inv.now, nearby(inv, snapshot))
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
