"""How well records fit a query: BM25 over shelves of records. May import `text`, `model`.

The sum itself stands in `plain.weights`. What is usual (how many records there are, how long they
are, in how many a word stands) is told by those that have a say: who pushes a record does not move
the others with it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import NamedTuple

from vault_cli.plain.slips import may_be_slip, nearest
from vault_cli.plain.weights import MOST_MEANT, SLIP, add_up, parts_of
from vault_cli.recall.corpus import Postings, Shelf
from vault_cli.text.terms import is_word


class Weighed(NamedTuple):
    """How well the records of some shelves fit.

    Args:
        values: for each shelf the records that fit, by number.
        meant: words that were looked for in place of a typed one, by the typed one.
    """

    values: list[dict[int, float]]
    meant: Mapping[str, tuple[str, ...]]


def weigh(
    shelves: Sequence[Shelf],
    counts: Mapping[str, int],
    extra: Callable[[list[Postings]], list[Postings]] | None = None,
) -> Weighed:
    """Return how well each record fits the terms of a query.

    Args:
        shelves: where to look.
        counts: the terms of the query, each with how often it stands there.
        extra: adds to the postings what other texts say about the records (names of topics).
    """
    first: list[Postings] = [shelf.find(counts.keys()) for shelf in shelves]
    found = [dict(postings) for postings in (extra(first) if extra is not None else first)]
    spread = _spread(shelves, found, counts)
    meant = _words_meant(shelves, [term for term in counts if not spread[term]])
    if meant:
        words = {word for group in meant.values() for word, _ in group}
        for shelf, postings in zip(shelves, found, strict=True):
            postings.update(shelf.find(words - postings.keys()))
        spread = _spread(shelves, found, {*counts, *words})
    parts, whole = parts_of(counts, meant, spread, _number_of(shelves))
    usual = _usual_length(shelves)
    values = [
        _sum(shelf, postings, parts, whole, usual)
        for shelf, postings in zip(shelves, found, strict=True)
    ]
    return Weighed(values, {term: tuple(w for w, _ in ws) for term, ws in meant.items()})


def _number_of(shelves: Sequence[Shelf]) -> int:
    return sum(
        len(shelf.lengths) - len(without)
        for shelf, without in zip(shelves, _uncounted(shelves), strict=True)
    )


def _uncounted(shelves: Sequence[Shelf]) -> list[AbstractSet[int]]:
    """Return of each shelf the records that no number is about; where none has a say, the gone."""
    if any(len(shelf.lengths) > len(shelf.unheard) for shelf in shelves):
        return [shelf.unheard for shelf in shelves]
    return [shelf.gone for shelf in shelves]


def _usual_length(shelves: Sequence[Shelf]) -> float:
    total = sum(
        sum(shelf.lengths) - sum(shelf.lengths[number] for number in without)
        for shelf, without in zip(shelves, _uncounted(shelves), strict=True)
    )
    return total / max(_number_of(shelves), 1) or 1.0


def _spread(
    shelves: Sequence[Shelf], found: Sequence[Postings], terms: Iterable[str]
) -> Counter[str]:
    """Return in how many records that have a say each term stands."""
    counted: Counter[str] = Counter()
    uncounted = _uncounted(shelves)
    for term in terms:
        counted[term] = 0
        for without, postings in zip(uncounted, found, strict=True):
            numbers = postings.get(term, ((), ()))[0]
            counted[term] += len(numbers)
            if without:
                counted[term] -= sum(number in without for number in numbers)
    return counted


def _words_meant(
    shelves: Sequence[Shelf], unknown: Iterable[str]
) -> dict[str, list[tuple[str, float]]]:
    """Return for words that stand nowhere those one slip away, each with what it counts."""
    meant = {}
    for term in unknown:
        if not (is_word(term) and may_be_slip(term)):
            continue
        near = {word for shelf in shelves for word in shelf.words_like(term)}
        if any(shelf.unheard for shelf in shelves):
            near = _still_there(shelves, near)
        slips, words = nearest(term, near)
        if words:
            share = SLIP * (1 - slips / len(term))
            meant[term] = [(word, share) for word in _most_common(shelves, words)]
    return meant


def _still_there(shelves: Sequence[Shelf], words: set[str]) -> set[str]:
    found = [shelf.find(words) for shelf in shelves]
    return {word for word, number in _spread(shelves, found, words).items() if number}


def _most_common(shelves: Sequence[Shelf], words: Sequence[str]) -> list[str]:
    if len(words) <= MOST_MEANT:
        return list(words)
    spread = _spread(shelves, [shelf.find(words) for shelf in shelves], words)
    return sorted(words, key=lambda word: (-spread[word], word))[:MOST_MEANT]


def _sum(
    shelf: Shelf,
    postings: Postings,
    parts: Sequence[tuple[str, float]],
    whole: float,
    usual: float,
) -> dict[int, float]:
    """Return the value of each record of one shelf that has any of the terms."""
    values = add_up(postings, parts, whole, usual, shelf.lengths)
    for number in shelf.gone:
        values.pop(number, None)
    return values
