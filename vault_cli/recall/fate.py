"""What became of a record in a render: shown where, or left out why. + `recall`, `model`."""

from __future__ import annotations

from typing import Final, NamedTuple

from vault_cli.model.record import Record, Snapshot, Status
from vault_cli.recall.block import Block, Excluded, Line
from vault_cli.recall.explain import EntryChange

SHOWN = "shown"
ABSENT = "absent"
BUDGET = "budget"

_OUT_OF_FORCE = {
    Status.CANDIDATE: ("draft", "a draft: it waits for a person (`mvault review`)"),
    Status.DISPUTED: ("disputed", "disputed: it waits for an answer (`mvault resolve`)"),
    Status.SUPERSEDED: ("superseded", "superseded"),
    Status.DEPRECATED: ("deprecated", "taken out of force (deprecated)"),
    Status.REJECTED: ("rejected", "rejected in review"),
    Status.QUARANTINED: ("quarantined", "held back (`mvault quarantine`)"),
    Status.TOMBSTONED: ("forgotten", "forgotten: only its tombstone is left"),
}


class Fate(NamedTuple):
    """What became of one record in one render.

    Args:
        code: `shown`; `budget`, `order` (its group is not rendered), `off` (nothing is); a code of
            `select.Exclusion`; `draft`, `work`, `disputed`, `superseded`, `deprecated`, `rejected`,
            `quarantined`, `forgotten`; or `absent` (not in the vault).
        words: the reason in words, "" when it is shown in full.
        line: its line of the receipt, None when it was not eligible.
        place: 1-based place among what is shown, 0 when it is not.
        in_group: 1-based place among what is shown of its group, 0 when it is not.
    """

    code: str
    words: str
    line: Line | None = None
    place: int = 0
    in_group: int = 0


GONE = Fate(ABSENT, "not in the vault")


class Fates:
    """The fates of all records of a snapshot in one block made of it.

    Args:
        snapshot: what was rendered.
        block: the block.
    """

    def __init__(self, snapshot: Snapshot, block: Block) -> None:
        self._mode = block.receipt.mode
        self._lines = {(line.vault, line.path): line for line in block.receipt.lines}
        self._excluded = {(item.vault, item.path): item for item in block.receipt.excluded}
        self._successors = {
            old: record.id for record in snapshot.records if record.in_force
            for old in record.supersedes
        }  # fmt: skip
        self._places: dict[tuple[str, str], tuple[int, int]] = {}
        counts: dict[str, int] = {}
        shown = [line for line in block.receipt.lines if line.level != "omitted"]
        for place, line in enumerate(shown, 1):
            counts[line.group] = counts.get(line.group, 0) + 1
            self._places[line.vault, line.path] = place, counts[line.group]
        self.shown = len(shown)
        self.by_group = counts

    def of(self, record: Record) -> Fate:
        """Return what became of a record of the snapshot.

        A text that waits is not the one that stands in the block under its path.
        """
        if record.withheld:
            return Fate("trust", f"{_KEPT_OUT}{record.withheld}")
        key = record.vault, record.path
        line = self._lines.get(key)
        if line is not None and line.level != "omitted":
            return Fate(SHOWN, line.fate, line, *self._places[key])
        if line is not None:
            return Fate(self._omission(line), line.fate, line)
        item = self._excluded.get(key)
        if item is not None:
            return Fate(item.code, _in_words(item))
        if record.in_force:
            return Fate("off", "nothing is rendered (render.mode is off)")
        code, words = _OUT_OF_FORCE[record.status]
        if code == "draft" and not record.is_draft:
            code, words = "work", "a record of work: it is never rendered"
        successor = self._successors.get(record.id) or record.fields.get("superseded_by")
        if record.status is Status.SUPERSEDED and successor:
            words = f"superseded by {successor}"
        return Fate(code, words)

    def _omission(self, line: Line) -> str:
        if self._mode == "off":
            return "off"
        return "order" if "render.order" in line.fate else BUDGET


_KEPT_OUT: Final = "kept out by trust: "


def _in_words(item: Excluded) -> str:
    words = {"scheduled": "not yet valid: ", "expired": "expired: ", "trust": _KEPT_OUT}
    return words.get(item.code, "") + item.reason


_BACK = {
    "draft": "approved",
    "disputed": "its dispute was answered",
    "superseded": "brought back into force",
    "deprecated": "brought back into force",
    "rejected": "brought back into force",
    "forgotten": "brought back",
    "quarantined": "released",
    "scheduled": "its time has come",
    "expired": "valid again",
    BUDGET: "there is room for it now",
}


def say_why(change: EntryChange, before: Fate, after: Fate) -> tuple[str, str]:
    """Return why an entry changed between two renders: a code, and words.

    Args:
        change: what happened.
        before: what became of its record in the earlier render.
        after: the same in the later one.
    """
    if change.change == "added":
        return _say_added(before)
    if change.change == "removed":
        return after.code, after.words or "no longer shown"
    if change.change == "level-changed":
        return BUDGET, after.words or "there is room for all of it now"
    return _say_altered(change, _rank(before), _rank(after))


def _say_altered(change: EntryChange, before: str, after: str) -> tuple[str, str]:
    if change.old_group != change.new_group:
        return "group", f"group {change.old_group} -> {change.new_group}"
    ranks = f"{before} -> {after}" if before != after else ""
    if change.change == "changed":
        return "text", f"its text changed; {ranks}" if ranks else "its text changed"
    return ("score", ranks) if ranks else ("order", "others have moved around it")


def _say_added(before: Fate) -> tuple[str, str]:
    if before.code == ABSENT:
        return "new", "new in the vault"
    if before.code == "draft":
        return "approved", _BACK["draft"]
    known = _BACK.get(before.code)
    return before.code, known or f"no longer left out ({before.words})"


def _rank(fate: Fate) -> str:
    if fate.line is None:
        return "?"
    return f"score {fate.line.pick.score:g} ({fate.line.pick.reason})"
