"""Words one slip of the keyboard away. Standard library only.

The distance is that of Damerau (1964) in its restricted form: letters left out, put in, exchanged
for another, or two neighbours in the wrong order.
"""

from __future__ import annotations

TYPE_CHECKING = False  # `typing` takes longer to load than all of this; checkers know the name
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Final

SHORTEST: Final = 5
"""A shorter stem is one slip away from too many honest words."""

_LONG: Final = 8
"""From this length on two slips are looked for."""


def may_be_slip(term: str) -> bool:
    """Tell whether a term is long enough for its slips to be told from other words."""
    return len(term) >= SHORTEST


def halves_of(term: str) -> tuple[str, str]:
    """Return the beginning and the end of a term: one of them is whole in a word of one slip."""
    half = len(term) // 2
    return term[:half], term[-half:]


def nearest(term: str, words: Iterable[str]) -> tuple[int, list[str]]:
    """Return the least distance of some words to a term, and those that have it, sorted.

    Only words that share the beginning or the end of the term, and are near enough, count;
    (0, []) when there is none.
    """
    start, end = halves_of(term)
    most = 1 if len(term) < _LONG else 2
    best: list[str] = []
    for word in words:
        if word == term or not (word.startswith(start) or word.endswith(end)):
            continue
        found = distance(term, word, most)
        if found < most:
            most, best = found, []
        if found == most:
            best.append(word)
    return (most, sorted(set(best))) if best else (0, [])


def distance(one: str, other: str, most: int) -> int:
    """Return how many slips lie between two words, `most + 1` when there are more."""
    if abs(len(one) - len(other)) > most:
        return most + 1
    before: list[int] = []
    last = list(range(len(other) + 1))
    for row, char in enumerate(one, 1):
        line = [row]
        for column, wanted in enumerate(other, 1):
            cost = min(last[column] + 1, line[-1] + 1, last[column - 1] + (char != wanted))
            if row > 1 and column > 1 and char == other[column - 2] and one[row - 2] == wanted:
                cost = min(cost, before[column - 2] + 1)
            line.append(cost)
        if min(line) > most:
            return most + 1
        before, last = last, line
    return last[-1]
