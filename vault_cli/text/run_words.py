"""Words written without spaces between them, parted again. Standard library only."""

from __future__ import annotations

from collections.abc import Container
from typing import Final

LONGEST_RUN: Final = 400
"""Letters of one run that are looked at: the work is letters times the longest word."""

_LONGEST_WORD: Final = 16
_WORD: Final = 2.0
_SHORT_WORD: Final = 2.6
_UNKNOWN: Final = 1.2
_SHORT: Final = 2
"""What a word, a short word and a letter of no word cost: the cheapest parting wins."""


def part_run(run: str, words: Container[str]) -> list[int]:
    """Return where the words of a run begin, but for the first (Viterbi, one pass).

    Args:
        run: letters without spaces, at most `LONGEST_RUN` of them are parted.
        words: the words that may be in it; letters between them stay together.
    """
    run = run[:LONGEST_RUN]
    best: list[tuple[float, int, bool]] = [(0.0, 0, False)]
    for end in range(1, len(run) + 1):
        cost, start, known = best[end - 1][0] + _UNKNOWN, end - 1, False
        for size in range(_SHORT, min(_LONGEST_WORD, end) + 1):
            if run[end - size : end] in words:
                price = best[end - size][0] + (_SHORT_WORD if size == _SHORT else _WORD)
                if price <= cost:
                    cost, start, known = price, end - size, True
        best.append((cost, start, known))
    return _cuts(best)


def _cuts(best: list[tuple[float, int, bool]]) -> list[int]:
    cuts: list[int] = []
    at, after = len(best) - 1, True
    while at > 0:
        _, start, known = best[at]
        if (known or after) and at < len(best) - 1:
            cuts.append(at)
        at, after = start, known
    return cuts[::-1]
