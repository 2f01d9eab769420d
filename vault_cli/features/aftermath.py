"""The vault as it would be after a change, and what must not be true of it then.

A planner refuses on what it sees; a change that takes another one back has no planner of its own
for what it brings back. May import `text`, `model`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from vault_cli.errors import RefusedError
from vault_cli.model.change import Change, Move, Remove
from vault_cli.model.record import Record, Snapshot
from vault_cli.model.relations import find_circle, links_by
from vault_cli.text.fields import read_record


def snapshot_after(snapshot: Snapshot, change: Change) -> Snapshot:
    """Return the records as they would be after a change (findings of single files are left out).

    Args:
        snapshot: the vault as it is.
        change: what is planned on it.
    """
    records: dict[str, Record] = {record.path: record for record in snapshot.records}
    for edit in change.edits:
        records.pop(edit.path, None)
    records |= {record.path: record for record in _written(change)}
    return replace(snapshot, records=tuple(records[path] for path in sorted(records)))


def _written(change: Change) -> Iterator[Record]:
    """Yield the records that a change writes, as they would be read back."""
    for edit in change.edits:
        path = edit.target if isinstance(edit, Move) else edit.path
        if not isinstance(edit, Remove) and path.endswith(".md"):
            record = read_record(edit.data, path)[0]
            if record is not None:
                yield record


def clashes_of(snapshot: Snapshot) -> dict[str, str]:
    """Return what no vault should hold, by the id it is about: two successors, or a circle."""
    successors: dict[str, list[str]] = {}
    linked = [record for record in snapshot.records if record.supersedes]
    for record in linked:
        for old in record.supersedes if record.in_force else ():
            if old != record.id:
                successors.setdefault(old, []).append(record.id)
    found = {
        old: f"{old} would have {len(ids)} successors: {', '.join(sorted(ids))}"
        for old, ids in successors.items()
        if len(ids) > 1
    }
    links = links_by(snapshot.by_id, "supersedes")
    circles = {record.id: find_circle(record.id, links) for record in linked}
    return {
        **found,
        **{
            key: f"supersedes would go round in a circle: {' -> '.join(ids)}"
            for key, ids in circles.items()
            if ids
        },
    }


def require_sound(snapshot: Snapshot, change: Change) -> None:
    """Refuse a change that gives a record a second successor or closes a circle.

    What was wrong before is no reason to refuse.

    Raises:
        RefusedError: it would; the records are named.
    """
    if not any(record.supersedes for record in _written(change)):
        return  # nothing of the rest of the vault has to be read
    after: Mapping[str, str] = clashes_of(snapshot_after(snapshot, change))
    before = clashes_of(snapshot) if after else {}
    fresh = [text for key, text in after.items() if key not in before]
    if fresh:
        raise RefusedError(
            f"cannot {change.verb}: {'; '.join(fresh)}",
            hint="Undo the later change first, or let one of them supersede the other.",
        )
