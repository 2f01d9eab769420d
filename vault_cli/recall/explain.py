"""Why a line is there, and what differs between two renders. Standard library, `recall.block`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from vault_cli.recall.block import Block, Line
from vault_cli.recall.wording import IDS_OPENER

_ITEM = re.compile(r"- \[([^\]\n]*)\]")
_LISTED_ID = re.compile(r" \[([^\]\n]*)\]")


@dataclass(frozen=True, slots=True)
class EntryChange:
    """What happened to one entry between two renders.

    Args:
        change: `added`, `removed`, `changed` (its text) or `level-changed` (how much is shown).
        old, new: levels before and after, "" where it was not in the block.
    """

    id: str
    change: str
    title: str
    old: str = ""
    new: str = ""


@dataclass(frozen=True, slots=True)
class BlockDiff:
    """The entries that differ, in the order of the new block, and the lines of the texts."""

    entries: tuple[EntryChange, ...]
    lines: tuple[str, ...]

    def as_data(self) -> dict[str, Any]:
        """Return the promised JSON shape of a diff."""
        entries = [
            {"id": e.id, "change": e.change, "title": e.title, "old": e.old, "new": e.new}
            for e in self.entries
        ]
        return {"entries": entries, "lines": list(self.lines)}


def diff_blocks(old: Block, new: Block, names: tuple[str, str] = ("before", "after")) -> BlockDiff:
    """Compare two renders entry by entry and line by line.

    Args:
        old: the earlier block.
        new: the later block.
        names: what to call them in the head of the unified diff.

    Returns:
        Added, changed and level-changed entries in the order of the new block, then the removed
        ones in the order of the old; and a unified diff of the texts without line ends.
    """
    import difflib

    entries = tuple(_entry_changes(old, new))
    lines = difflib.unified_diff(
        old.text.splitlines(), new.text.splitlines(), *names, lineterm="", n=2
    )
    return BlockDiff(entries, tuple(lines))


def _entry_changes(old: Block, new: Block) -> Iterator[EntryChange]:
    before, after = _shown(old), _shown(new)
    old_texts, new_texts = read_items(old.text), read_items(new.text)
    for key, line in after.items():
        past = before.get(key)
        if past is None:
            yield EntryChange(key, "added", line.title, "", line.level)
        elif past.level != line.level:
            yield EntryChange(key, "level-changed", line.title, past.level, line.level)
        elif old_texts.get(key) != new_texts.get(key) or past.group != line.group:
            yield EntryChange(key, "changed", line.title, past.level, line.level)
    for key, line in before.items():
        if key not in after:
            yield EntryChange(key, "removed", line.title, line.level, "")


def _shown(block: Block) -> dict[str, Line]:
    return {line.id: line for line in block.receipt.lines if line.level != "omitted"}


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
