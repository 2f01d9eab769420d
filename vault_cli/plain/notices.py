"""The frame of a block, and what it says of what is not there. Standard library only."""

from __future__ import annotations

TYPE_CHECKING = False  # `typing` takes longer to load than all of this; checkers know the name
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Final

OPEN: Final = "<mvault-memory>\n\n"
CLOSE: Final = "\n</mvault-memory>\n"
"""First and last line. Neither carries a date or a counter: the bytes must not drift."""

IDS_OPENER: Final = "- by id only:"
MAX_NAMED: Final = 3


class Tallied:
    """What the notice tells.

    Args:
        by_line: how many entries are shortened to a title.
        by_id: how many are shortened to an id.
        left_out: entries without room, by group.
        unlisted: entries of groups that the configuration does not list.
        oversize: names of the first MAX_NAMED of the entries larger than the budget, with their
            sizes.
        oversize_count: how many of these there are.
        held: records held back or with an ambiguous id.
        unreadable: files that are broken.
        unit: how sizes are counted.
        withheld: records that the reader's own trust settings keep out.
    """

    def __init__(
        self,
        *,
        by_line: int = 0,
        by_id: int = 0,
        left_out: Sequence[tuple[str, int]] = (),
        unlisted: Sequence[tuple[str, int]] = (),
        oversize: Sequence[tuple[str, int]] = (),
        oversize_count: int = 0,
        held: int = 0,
        unreadable: int = 0,
        unit: str = "bytes",
        withheld: int = 0,
    ) -> None:
        self.by_line = by_line
        self.by_id = by_id
        self.left_out = left_out
        self.unlisted = unlisted
        self.oversize = oversize
        self.oversize_count = oversize_count
        self.held = held
        self.unreadable = unreadable
        self.unit = unit
        self.withheld = withheld


def notice(tally: Tallied) -> str:
    """Return the lines that say what is not there and how to read it ("" when all is there)."""
    lines = [*_shortened(tally), *_too_large(tally), *_unlisted(tally), *_kept_back(tally)]
    return "".join(f"> {line}\n" for line in lines)


def _shortened(tally: Tallied) -> list[str]:
    parts = []
    if tally.by_line or tally.by_id:
        shown = [f"{tally.by_line:,} by title"] if tally.by_line else []
        shown += [f"{tally.by_id:,} by id"] if tally.by_id else []
        parts.append(f"Shortened to fit: {', '.join(shown)}.")
    if tally.left_out:
        parts.append(f"Left out to fit: {_counts(tally.left_out)}.")
    if parts:
        parts.append("Read one with `mvault show ID`; list all with `mvault render --receipt`.")
    return [" ".join(parts)] if parts else []


def _too_large(tally: Tallied) -> list[str]:
    if not tally.oversize:
        return []
    named = [f"{name} ({size:,} {tally.unit})" for name, size in tally.oversize]
    rest = tally.oversize_count - len(named)
    more = f"; and {rest:,} more" if rest else ""
    return [f"Larger than the whole budget, left out: {'; '.join(named)}{more}."]


def _unlisted(tally: Tallied) -> list[str]:
    if not tally.unlisted:
        return []
    return [f"Not rendered by configuration: {_counts(tally.unlisted)}."]


def _kept_back(tally: Tallied) -> list[str]:
    parts = []
    if tally.held:
        parts.append(f"Held back until a person decides: {tally.held:,}.")
    if tally.unreadable:
        files = "file" if tally.unreadable == 1 else "files"
        parts.append(f"{tally.unreadable:,} {files} could not be read.")
    lines = [" ".join([*parts, "See `mvault check`."])] if parts else []
    if tally.withheld:
        text = f"Kept out by the reader's trust settings: {tally.withheld:,}. See `mvault status`."
        lines.append(text)
    return lines


def _counts(counts: Sequence[tuple[str, int]]) -> str:
    total = sum(number for _, number in counts)
    entries = "entry" if total == 1 else "entries"
    if len(counts) == 1:
        return f"{total:,} {entries} ({counts[0][0]})"
    parts = ", ".join(f"{group} {number:,}" for group, number in counts)
    return f"{total:,} {entries} ({parts})"


def fallbacks(total: int, unreadable: int, held: int) -> list[str]:
    """Return ever shorter blocks for a budget too small for any entry; the last one is empty."""
    broken = f" {unreadable:,} not readable." if unreadable else ""
    kept = f" {held:,} held back." if held else ""
    entries = "entry" if total == 1 else "entries"
    said = f"{total:,} {entries} in force did not fit this budget." if total else ""
    long = f"> mvault: {said}{kept}{broken} List: `mvault render --receipt`.\n"
    short = f"> mvault: {total + unreadable + held:,} left out.\n"
    return [long.replace("mvault:  ", "mvault: "), short, ""]
