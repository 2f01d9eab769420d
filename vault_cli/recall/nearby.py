"""Which records share the rarest words with a text. May import `text`, `model`, `recall.corpus`.

To look for what says the same, or the opposite, thousands of texts need not be taken apart: what is
near to a text has most of its rare words. Those are looked up, and the best are compared in full.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from typing import Final

from vault_cli.model.record import Record
from vault_cli.plain.weights import rarity
from vault_cli.recall.corpus import Postings, Shelf
from vault_cli.text.terms import search_text, terms_of

_RAREST: Final = 24
"""So many terms of the title, and of the whole text, are looked for."""

_BEST: Final = 160
"""So many records are given back, four times what is then compared in full."""


def find_nearby(shelves: Sequence[Shelf], title: str, text: str) -> list[Record]:
    """Return the records, whole, that share the rarest terms with a text; the best first.

    Args:
        shelves: where to look.
        title: what it is called; another text may share nothing but that.
        text: all of it.
    """
    terms = _terms(text)
    found = [shelf.find(terms) for shelf in shelves]
    spread = _spread(shelves, found)
    total = sum(len(shelf.lengths) - len(shelf.gone) for shelf in shelves)
    weights = {
        term: rarity(spread[term], total)
        for some in (_terms(title) & terms, terms)
        for term in sorted(some & spread.keys(), key=lambda one: (spread[one], one))[:_RAREST]
    }
    places = [
        (-value, place, number)
        for place, (shelf, postings) in enumerate(zip(shelves, found, strict=True))
        for number, value in _add_up(postings, weights).items()
        if number not in shelf.gone
    ]
    best = sorted(places)[:_BEST]
    records: list[Record] = []
    for place, shelf in enumerate(shelves):
        records += shelf.records([number for _, at, number in best if at == place])
    return records


def _terms(text: str) -> frozenset[str]:
    return frozenset(terms_of(search_text(text)))


def _spread(shelves: Sequence[Shelf], found: Sequence[Postings]) -> Counter[str]:
    """Return in how many records each term stands."""
    spread: Counter[str] = Counter()
    for shelf, postings in zip(shelves, found, strict=True):
        for term, (numbers, _) in postings.items():
            lost = sum(number in shelf.gone for number in numbers) if shelf.gone else 0
            spread[term] += len(numbers) - lost
    return spread


def _add_up(postings: Postings, weights: Mapping[str, float]) -> dict[int, float]:
    values: dict[int, float] = {}
    for term in _in_order(postings, weights):
        weight = weights[term]
        for number in postings[term][0]:
            values[number] = values.get(number, 0.0) + weight
    return values


def _in_order(postings: Collection[str], weights: Mapping[str, float]) -> list[str]:
    """Return the terms in an order that never changes: sums are the same then."""
    return sorted(term for term in weights if term in postings)
