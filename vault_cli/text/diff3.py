"""Three versions of a text into one, line by line. Imports the standard library only.

The classic three-way comparison: lines of the common ancestor that both sides kept hold the texts
together; between two of them a region that only one side changed is that side's, one that both
changed alike is taken once, and one that they changed differently is a clash.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple


class Region(NamedTuple):
    """The lines of three versions between two common places."""

    base: Sequence[str]
    one: Sequence[str]
    other: Sequence[str]


class MergedText(NamedTuple):
    """One text out of three.

    Args:
        text: the merged text; a clash holds the lines of the preferred version.
        clashes: how many regions both sides changed differently.
    """

    text: str
    clashes: int


def merge_text(
    base: str, one: str, other: str, *, prefer_other: bool = False, prefer_base: bool = False
) -> MergedText:
    """Merge two changes of a text.

    Args:
        base: what both began with, "" for nothing.
        one: the first version.
        other: the second version.
        prefer_other: whose lines stand where both changed the same ones.
        prefer_base: the old lines stand there, and neither side's.
    """
    if one in {base, other}:
        return MergedText(other, 0)
    if other == base:
        return MergedText(one, 0)
    kept: list[str] = []
    clashes = 0
    for region in find_regions(_lines(base), _lines(one), _lines(other)):
        if region.one in (region.base, region.other):
            kept += region.other
        elif region.other == region.base:
            kept += region.one
        else:
            clashes += 1
            kept += region.base if prefer_base else region.other if prefer_other else region.one
    return MergedText(_join(kept), clashes)


def _lines(text: str) -> list[str]:
    r"""Split at `\n` only: other line breaks belong to the text."""
    return text.split("\n") if text else []


def _join(lines: Sequence[str]) -> str:
    return "\n".join(lines)


def find_regions(base: list[str], one: list[str], other: list[str]) -> Iterator[Region]:
    """Yield the regions of three versions in order; together they are the whole texts."""
    to_one, to_other = _partners(base, one), _partners(base, other)
    at_base = at_one = at_other = 0
    for place, (mine, theirs) in enumerate(zip(to_one, to_other, strict=True)):
        if mine < 0 or theirs < 0:
            continue
        if (place, mine, theirs) != (at_base, at_one, at_other):
            yield Region(base[at_base:place], one[at_one:mine], other[at_other:theirs])
        line = base[place : place + 1]
        yield Region(line, line, line)
        at_base, at_one, at_other = place + 1, mine + 1, theirs + 1
    rest = Region(base[at_base:], one[at_one:], other[at_other:])
    if any(rest):
        yield rest


def _partners(base: list[str], side: list[str]) -> list[int]:
    """Return for each line of the ancestor its line in a version, -1 when it is gone."""
    from difflib import SequenceMatcher

    found = [-1] * len(base)
    start = _common_start(base, side)
    stop = _common_start(base[start:][::-1], side[start:][::-1])
    found[:start] = range(start)
    found[len(base) - stop :] = range(len(side) - stop, len(side))
    inner, outer = base[start : len(base) - stop], side[start : len(side) - stop]
    for block in SequenceMatcher(None, inner, outer, autojunk=False).get_matching_blocks():
        first = start + block.a
        found[first : first + block.size] = range(start + block.b, start + block.b + block.size)
    return found


def _common_start(one: list[str], other: list[str]) -> int:
    count = 0
    for mine, theirs in zip(one, other, strict=False):
        if mine != theirs:
            break
        count += 1
    return count


def union_lines(*versions: bytes) -> bytes:
    """Return the lines of logs that only ever grow, each once, as far as possible in order.

    Args:
        versions: the logs; a line that stands in an earlier one is not taken again.
    """
    seen: dict[bytes, None] = {}
    for version in versions:
        seen.update(dict.fromkeys(version.split(b"\n")))
    lines = [line for line in seen if line]
    return b"".join(line + b"\n" for line in lines)
