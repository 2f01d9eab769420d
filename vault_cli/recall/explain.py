"""What differs between two renders, entry by entry. Standard library, `recall`."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from vault_cli.plain.notices import IDS_OPENER
from vault_cli.recall.block import Block
from vault_cli.recall.wording import show_id
from vault_cli.text.late import late

_ITEM = late(r"- \[([^\]\n]*)\]")
_LISTED_ID = late(r" \[([^\]\n]*)\]")


@dataclass(frozen=True, slots=True)
class EntryChange:
    """What happened to one entry between two renders.

    Args:
        change: `added`, `removed`, `changed` (its text or group), `level-changed` (how much is
            shown) or `moved` (only its place).
        old, new: levels before and after, "" where it was not in the block.
        old_group, new_group: groups before and after, as above.
        moved: it stands before or behind entries that it was behind or before.
        code, reason: why, as a code of `recall.fate` and in words; "" when nobody has said yet.
        commit: what git says of the commit that did it, None for none.
    """

    id: str
    change: str
    title: str
    old: str = ""
    new: str = ""
    old_group: str = ""
    new_group: str = ""
    moved: bool = False
    code: str = ""
    reason: str = ""
    commit: Mapping[str, Any] | None = None

    def as_data(self) -> dict[str, Any]:
        """Return the promised JSON shape of a change."""
        names = ("id", "change", "title", "old", "new", "old_group", "new_group", "moved")
        return {name: getattr(self, name) for name in (*names, "code", "reason", "commit")}


@dataclass(frozen=True, slots=True)
class BlockDiff:
    """The entries that differ, in the order of the new block, and the lines of the texts."""

    entries: tuple[EntryChange, ...]
    lines: tuple[str, ...]

    def as_data(self) -> dict[str, Any]:
        """Return the promised JSON shape of a diff."""
        return {"entries": [e.as_data() for e in self.entries], "lines": list(self.lines)}

    def explained(self, explain: Callable[[EntryChange], EntryChange]) -> BlockDiff:
        """Return it with every entry as `explain` gives it back."""
        return replace(self, entries=tuple(map(explain, self.entries)))


class Entry(NamedTuple):
    """One entry of a render, as far as it is compared: `text` may be any mark of its text."""

    id: str
    title: str
    group: str
    level: str
    text: str


class Side(NamedTuple):
    """One of two renders: its entries in order, and the lines of its text (none: not known)."""

    entries: tuple[Entry, ...]
    lines: tuple[str, ...]


def side_of(block: Block, mark: Callable[[str], str] = str) -> Side:
    """Return a block for a comparison; `mark` makes of the texts what they are compared by."""
    texts = read_items(block.text)
    entries = (
        Entry(line.id, line.title, line.group, line.level, mark(texts.get(show_id(line.id), "")))
        for line in block.receipt.lines
        if line.level != "omitted"
    )
    return Side(tuple(entries), tuple(block.text.splitlines()))


def diff_blocks(old: Block, new: Block, names: tuple[str, str] = ("before", "after")) -> BlockDiff:
    """Compare two renders entry by entry and line by line (see `diff_sides`)."""
    return diff_sides(side_of(old), side_of(new), names)


def diff_sides(old: Side, new: Side, names: tuple[str, str] = ("before", "after")) -> BlockDiff:
    """Compare two renders entry by entry and line by line.

    Args:
        old: the earlier one.
        new: the later one.
        names: what to call them in the head of the unified diff.

    Returns:
        Added, changed, level-changed and moved entries in the order of the new block, then the
        removed ones in the order of the old; and a unified diff of the texts without line ends,
        where both are known.
    """
    import difflib

    entries = tuple(_entry_changes(old, new))
    if not (old.lines and new.lines) and old.entries and new.entries:
        return BlockDiff(entries, ())
    return BlockDiff(
        entries, tuple(difflib.unified_diff(old.lines, new.lines, *names, lineterm="", n=2))
    )


def _entry_changes(old: Side, new: Side) -> Iterator[EntryChange]:
    before = {entry.id: entry for entry in old.entries}
    after = {entry.id: entry for entry in new.entries}
    stayed = _in_order([key for key in before if key in after], list(after))
    for key, entry in after.items():
        past = before.get(key)
        if past is None:
            yield EntryChange(key, "added", entry.title, "", entry.level, "", entry.group)
            continue
        moved = key not in stayed
        change = ""
        if past.level != entry.level:
            change = "level-changed"
        elif past.text != entry.text or past.group != entry.group:
            change = "changed"
        elif moved:
            change = "moved"
        if change:
            levels = past.level, entry.level, past.group, entry.group
            yield EntryChange(key, change, entry.title, *levels, moved=moved)
    for key, entry in before.items():
        if key not in after:
            yield EntryChange(key, "removed", entry.title, entry.level, "", entry.group, "")


def _in_order(old: Sequence[str], new: Sequence[str]) -> frozenset[str]:
    """Return the most ids that follow each other in both orders: the others have moved."""
    places = {key: place for place, key in enumerate(new)}
    ends: list[int] = []
    tails: list[str] = []
    before: dict[str, str] = {}
    for key in old:
        length = bisect_left(ends, places[key])
        before[key] = tails[length - 1] if length else ""
        ends[length : length + 1] = [places[key]]
        tails[length : length + 1] = [key]
    kept = set()
    key = tails[-1] if tails else ""
    while key:
        kept.add(key)
        key = before[key]
    return frozenset(kept)


def read_items(text: str) -> dict[str, str]:
    """Read a block back: the text of each entry by id ("" for those listed by id only)."""
    items: dict[str, str] = {}
    for key, line in _walk(text):
        if key:
            items[key] = f"{items[key]}\n{line}" if key in items else line
    for line in text.splitlines():
        if line.startswith(IDS_OPENER):
            items.update(dict.fromkeys(_LISTED_ID.findall(line), ""))
    return items


def _walk(text: str) -> Iterator[tuple[str, str]]:
    """Yield each line with the id of the entry it belongs to ("" for lines of the frame)."""
    key = ""
    for line in text.split("\n"):
        if line and not line.startswith(" "):
            found = _ITEM.match(line)
            key = found.group(1) if found else ""
        yield (key if line else ""), line


def frame_lines(block: Block) -> list[str]:
    """Return the lines of a block that belong to no entry."""
    return [line for key, line in _walk(block.text) if not key and line]
