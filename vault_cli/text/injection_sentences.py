"""Where the sentences of a text begin and end. Standard library only."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from typing import Final

from vault_cli.text.late import late

_BREAK: Final = late(
    r"[.!?;。！？；\n](?:(?<=[。！？；])|(?<=[.!?;])(?=[\s\"')\]]|$)"
    r"|(?<=\n)[ \t]*(?=[-*#>+|$}\])\n]|```|\d{1,3}[.)]|//|\[\w{1,20}@"
    r"|[\"'][\w .-]{1,40}[\"']\s?:|[a-z_][\w.-]{0,40}(?:\(|\s?=\s?\S|:[ \n]))"
    r"|(?<=[{(\[\\|=};]\n))|[ \t]#(?=[ \t\u3400-\u9fff])"
)
"""Where a sentence ends: nothing that a rule looks for goes past it.

A line of code, of a table or of a list is a sentence of its own.
"""

_FENCE: Final = late(r"(?m)^[ \t]{0,12}(?:> ?)?```")
"""The line that opens or closes a block of code."""

_PER_BLOCK: Final = 2
"""Fences of a block of code."""


def sentences(text: str) -> Iterator[tuple[int, str]]:
    """Yield where each sentence of a folded text starts, and the sentence."""
    fences = [match.start() for match in _FENCE.finditer(text)] if "```" in text else []
    start = 0
    for match in _BREAK.finditer(text):
        yield from _lines(text, start, match.start(), fences)
        start = match.end()
    yield from _lines(text, start, len(text), fences)


def _lines(text: str, start: int, end: int, fences: list[int]) -> Iterator[tuple[int, str]]:
    """Yield part of a text, in a block of code line by line: each command stands for itself."""
    if bisect_left(fences, end) % _PER_BLOCK == 0:
        yield start, text[start:end]
        return
    for line in text[start:end].split("\n"):
        yield start, line
        start += len(line) + 1
