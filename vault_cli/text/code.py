"""Where code is in a Markdown text: fences and code spans of one line. Standard library only."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from typing import Final, NamedTuple

from vault_cli.text.late import late

FENCE: Final = late(r"(?P<indent>[ \t]*)(?P<run>`{3,}|~{3,})(?P<info>.*)", re.DOTALL)
"""A line that may open or close a fence (use `match`); see `opens_fence` for the rest."""

_EDGE: Final = 3
_TICKS = late(r"\\?`+")


def opens_fence(line: str) -> re.Match[str] | None:
    """Return the match of a line that opens a code fence, else None."""
    match = FENCE.match(line)
    if match is None or (match["run"][0] == "`" and "`" in match["info"]):
        return None
    return match


def closes_fence(line: str, run: str) -> bool:
    """Whether a line closes the fence that `run` opened."""
    bare = line.strip(" \t\r\n")
    return len(bare) >= len(run) and not bare.strip(run[0]) and bool(bare)


def at_edge(line: str) -> bool:
    """Whether a line starts where a fence can that is in no list (deeper is indented code)."""
    lead = line[: len(line) - len(line.lstrip(" \t"))]
    return len(lead.expandtabs(4)) <= _EDGE


def fenced_lines(lines: list[str], *, edge_only: bool = False) -> Iterator[tuple[str, bool]]:
    """Yield each line and whether it belongs to a code fence (its two fence lines included).

    Args:
        lines: the lines of a text.
        edge_only: only fences at the edge count; else those at any indent, as they do somewhere
            inside of a list.
    """
    run = ""
    for line in lines:
        if run:
            yield line, True
            if closes_fence(line, run) and (not edge_only or at_edge(line)):
                run = ""
        else:
            opener = opens_fence(line)
            run = opener["run"] if opener and (not edge_only or at_edge(line)) else ""
            yield line, bool(run)


def is_escaped(text: str, offset: int) -> bool:
    """Whether an odd number of backslashes stands before the character at `offset`."""
    start = offset
    while start and text[start - 1] == "\\":
        start -= 1
    return (offset - start) % 2 == 1


class CodeMap(NamedTuple):
    """Answers whether an offset of the text lies in code."""

    starts: tuple[int, ...]
    ends: tuple[int, ...]

    def covers(self, offset: int) -> bool:
        """Whether the character at `offset` is inside a fence or a code span."""
        index = bisect_right(self.starts, offset) - 1
        return index >= 0 and offset < self.ends[index]


def map_code(text: str) -> CodeMap:
    """Return the code regions of a text, in linear time; code spans end with their line."""
    spans: list[tuple[int, int]] = []
    offset = 0
    for line, fenced in fenced_lines(text.split("\n")):
        if fenced:
            spans.append((offset, offset + len(line) + 1))
        elif "`" in line:
            spans.extend((offset + start, offset + end) for start, end in _line_spans(line))
        offset += len(line) + 1
    return CodeMap(tuple(start for start, _ in spans), tuple(end for _, end in spans))


def _line_spans(line: str) -> Iterator[tuple[int, int]]:
    """Code spans of one line: a run of backticks up to the next run of the same length."""
    runs = [_run(match) for match in _TICKS.finditer(line)]
    following: dict[int, list[int]] = {}
    for start, end in reversed(runs):
        following.setdefault(end - start, []).append(start)
    done = 0
    for start, end in runs:
        ahead = following[end - start]
        while ahead and ahead[-1] <= start:
            ahead.pop()
        if start >= done and ahead:
            done = ahead[-1] + end - start
            yield start, done


def _run(match: re.Match[str]) -> tuple[int, int]:
    """Return a run's offsets; a backslash takes its first backtick away."""
    escaped = match.group().startswith("\\")
    return match.start() + (2 if escaped else 0), match.end()
