"""Who took whose place, seen over the whole vault: one answer for `check` and its repairs.

`supersession` plans the effect of an approval; here only what the files say is read.
"""

from __future__ import annotations

from collections import defaultdict
from datetime import datetime
from typing import Final

from vault_cli.model.paths import is_skill_file
from vault_cli.model.record import IN_FORCE, Record, Snapshot, Status
from vault_cli.model.relations import links_by, reach

_STANDS: Final = IN_FORCE | {Status.DISPUTED, Status.SUPERSEDED, Status.DEPRECATED}
"""Statuses of a successor that was admitted once: what it replaced stays replaced."""


class Succession:
    """The links of supersession of one snapshot.

    Args:
        snapshot: the vault.
        now: aware instant in the vault's time zone.
    """

    def __init__(self, snapshot: Snapshot, now: datetime) -> None:
        self.now = now
        self._by_id = snapshot.by_id
        self._known = {record.id for record in snapshot.records}
        self._known |= {alias for record in snapshot.records for alias in record.aliases}
        self._named: defaultdict[str, list[Record]] = defaultdict(list)
        for record in snapshot.records:
            for old in record.supersedes:
                if old != record.id:
                    self._named[old].append(record)

    def rivals(self, record: Record) -> list[Record]:
        """Return the records in force that supersede this one, the newest last."""
        found = [other for other in self._named.get(record.id, ()) if other.in_force]
        return sorted(found, key=age_key)

    def current(self, record: Record) -> list[Record]:
        """Return those of its successors in force that count on this day."""
        return [r for r in self.rivals(record) if r.validity.state_at(self.now) == "current"]

    def is_lost(self, record: Record) -> bool:
        """Tell whether a superseded record has no successor that was ever admitted."""
        if record.status is not Status.SUPERSEDED or "promoted_to" in record.fields:
            return False  # what moved into another vault has its successor there
        stands = _STANDS
        if record.path.startswith("drafts/"):  # merged into another draft, which still waits
            stands = _STANDS | {Status.CANDIDATE}
        if any(other.status in stands for other in self._named.get(record.id, ())):
            return False
        pointer = self.pointer(record)
        target = self._by_id.get(pointer)
        if target is None:
            return pointer not in self._known
        return target.status not in stands

    def pointer(self, record: Record) -> str:
        """Return the id that `superseded_by` names, "" when it names none."""
        value = record.fields.get("superseded_by")
        return value if isinstance(value, str) else ""

    def heir(self, record: Record) -> Record | None:
        """Return who took the place of a lost successor: it then follows this record."""
        pointer = self.pointer(record)
        before = self._older(record)
        found = [r for r in self._named.get(pointer, ()) if r.in_force and r.id not in before]
        return max(found, key=age_key) if found and pointer else None

    def _older(self, record: Record) -> set[str]:
        """Return the ids of a record and of all it replaced, directly or through others."""
        return set(reach((record.id,), links_by(self._by_id, "supersedes")))

    def is_open(self, record: Record) -> bool:
        """Tell whether a superseded record still has no end although its successor counts."""
        if record.status is not Status.SUPERSEDED or is_skill_file(record.path):
            return False
        return record.validity.end is None and bool(self.rivals(record))


def age_key(record: Record) -> tuple[str, str]:
    """Return a key that sorts records from old to new."""
    start = record.validity.start
    return (record.created or (start.isoformat() if start else ""), record.id)
