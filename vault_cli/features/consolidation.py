"""Which records of a whole vault may belong together. A planner; may import `text`, `model`."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from itertools import pairwise
from typing import Final

from vault_cli.features.likeness import compare_record
from vault_cli.model.record import Record, Snapshot
from vault_cli.text.tokens import tokenize

MOST_PAIRS: Final = 200
"""Pairs that are compared in full: those that share most of their rare words."""

_COMMON: Final = 50
"""A word in more records than these says nothing about two of them."""

_READ: Final = 1000
_LEAST_SHARED: Final = 2


def find_together(
    snapshot: Snapshot, records: Sequence[Record], now: datetime
) -> dict[str, Record]:
    """Return the records that say the same as another one, nearly so, or the opposite, by id.

    All of them are looked at by their rare words and phrases, since comparing each with each in
    full takes a minute for 5,000 records; what shares none is not found.

    Args:
        snapshot: the vault.
        records: which of its records.
        now: aware instant in the vault's time zone.
    """
    found: dict[str, Record] = {}
    for one, other in _likely_pairs(records):
        pair = replace(snapshot, records=(one, other))
        if compare_record(pair, one, now):
            found.setdefault(one.id, one)
            found.setdefault(other.id, other)
    return found


def _terms_of(record: Record) -> frozenset[str]:
    """Return the words of a record, and what stands next to each other in it."""
    words = list(tokenize(f"{record.title}\n{record.body[:_READ]}"))
    pairs = (f"{a} {b}" for a, b in pairwise(words))
    threes = (" ".join(words[place : place + 3]) for place in range(len(words) - 2))
    return frozenset((*words, *pairs, *threes))


def _likely_pairs(records: Sequence[Record]) -> list[tuple[Record, Record]]:
    terms = [_terms_of(record) for record in records]
    holders: dict[str, list[int]] = defaultdict(list)
    for place, words in enumerate(terms):
        for word in words:
            holders[word].append(place)
    shared: Counter[tuple[int, int]] = Counter()
    for places in holders.values():
        if len(places) <= _COMMON:
            shared.update((a, b) for n, a in enumerate(places) for b in places[n + 1 :])
    scored = (
        (-number / len(terms[a] | terms[b]), a, b)
        for (a, b), number in shared.items()
        if number >= min(_LEAST_SHARED, len(terms[a]), len(terms[b]))
    )
    return [(records[a], records[b]) for _, a, b in sorted(scored)[:MOST_PAIRS]]
