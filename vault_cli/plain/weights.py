"""How well a record fits the words of a query, as a sum. Standard library only.

Robertson and Zaragoza (2009), k1 1.2 and b 0.5 (row C-103), k3 1 for words that a query repeats.
The sum is divided by the weight of all words of the query, so that it says which part of the query
a record answers: it can be compared between searches, and 1 is a record of usual length that has
every word once.
"""

from __future__ import annotations

from math import log

TYPE_CHECKING = False  # `typing` takes longer to load than all of this; checkers know the name
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Final

K1: Final = 1.2
B: Final = 0.5
K3: Final = 1.0
SLIP: Final = 0.4
"""What a word counts that is probably meant, as a part of what the typed one would."""

MOST_MEANT: Final = 3
"""So many words are tried for one that stands nowhere."""

BIG: Final = 255
"""More often than this a word does not count in one record."""


def parts_of(
    counts: Mapping[str, int],
    meant: Mapping[str, list[tuple[str, float]]],
    spread: Mapping[str, int],
    total: int,
) -> tuple[list[tuple[str, float]], float]:
    """Return the terms to add up with their weights, in an order that never changes, and the sum.

    A typed word that stands nowhere counts in the sum, unless another was meant. What stands only
    in records without a say is found there, and is nowhere for all others.
    """
    parts: list[tuple[str, float]] = []
    whole = 0.0
    for term in sorted(counts):
        often = counts[term] * (1 + K3) / (counts[term] + K3)
        if term in meant:
            for word, share in meant[term]:
                parts.append((word, often * share * rarity(spread[word], total)))
            whole += max(often * rarity(spread[word], total) for word, _ in meant[term])
        weight = often * rarity(spread[term], total)
        whole += 0.0 if term in meant else weight
        parts.append((term, weight))  # it may stand in records that have no say
    return parts, whole or 1.0


def rarity(number: int, total: int) -> float:
    """Return what a word weighs that stands in so many of all records."""
    return log(1 + (total - number + 0.5) / (number + 0.5))


def add_up(
    postings: Mapping[str, tuple[Sequence[int], Sequence[int]]],
    parts: Sequence[tuple[str, float]],
    whole: float,
    usual: float,
    lengths: Sequence[int],
) -> dict[int, float]:
    """Return the value of each record that has any of the terms, by its number.

    Args:
        postings: for each term the records that have it, and how often.
        parts: terms with their weights, in an order that never changes: sums are the same then.
        whole: the sum of all weights.
        usual: bytes of a record of usual length.
        lengths: bytes of each record.
    """
    values: dict[int, float] = {}
    get = values.get
    slope = K1 * B / usual
    base = K1 * (1 - B)
    for term, weight in parts:
        if term not in postings:
            continue
        share = weight * (K1 + 1) / whole
        for number, count in zip(*postings[term], strict=True):
            often = min(BIG, count)
            values[number] = get(number, 0.0) + share * often / (
                often + base + slope * lengths[number]
            )
    return values
