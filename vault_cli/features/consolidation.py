"""Which records of a whole vault may belong together. A planner; may import `text`, `model`."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from itertools import combinations, pairwise
from typing import Final

from vault_cli.features.likeness import compare_record
from vault_cli.model.record import Record, Snapshot
from vault_cli.text.tokens import tokenize

MOST_PAIRS: Final = 200
"""Pairs that are compared in full: those that share most of their rare words."""

_COMMON: Final = (8, 10, 50)
"""A word says nothing about two records when more than a tenth of all have it; 8 and 50 at least,
and at most, are these."""

_LEAST_SHARE: Final = 0.1
"""This share of the rare words and phrases of two records is in both. Measured on 80 personal notes
and 270 rules: alike ones have 0.17 at least, most of those that only sound alike have none."""

_READ: Final = 1000
_LEAST_SHARED: Final = 2


def find_together(
    snapshot: Snapshot, records: Sequence[Record], now: datetime
) -> dict[str, Record]:
    """Return the records that say the same as another one, nearly so, or the opposite, by id.

    What belongs together stands side by side, the likeliest first.

    All of them are looked at by their rare words and phrases, since comparing each with each in
    full takes a minute for 5,000 records; what shares none is not found.

    Args:
        snapshot: the vault.
        records: which of its records.
        now: aware instant in the vault's time zone.
    """
    mates: defaultdict[str, list[str]] = defaultdict(list)
    for one, other in _likely_pairs(records):
        pair = replace(snapshot, records=(one, other))
        if compare_record(pair, one, now):
            mates[one.id].append(other.id)
            mates[other.id].append(one.id)
    by_id = {record.id: record for record in records}
    found: dict[str, Record] = {}
    for first in mates:
        waiting = [first]
        for own in waiting:  # grows while it is gone through
            if own not in found:
                found[own] = by_id[own]
                waiting += mates[own]
    return found


def _terms_of(record: Record) -> frozenset[str]:
    """Return the words of a record, and what stands next to each other in it."""
    words = list(tokenize(f"{record.title}\n{record.body[:_READ]}"))
    pairs = (f"{a} {b}" for a, b in pairwise(words))
    threes = (" ".join(words[place : place + 3]) for place in range(len(words) - 2))
    return frozenset((*words, *pairs, *threes))


def _likely_pairs(records: Sequence[Record]) -> list[tuple[Record, Record]]:
    """Return the pairs that share most of their rare words; common words alone make none."""
    least, part, most = _COMMON
    holders: dict[str, list[int]] = defaultdict(list)
    for place, record in enumerate(records):
        for word in _terms_of(record):
            holders[word].append(place)
    limit = min(most, max(least, len(records) // part))
    rare = [places for places in holders.values() if len(places) <= limit]
    sizes = Counter(place for places in rare for place in places)
    shared = Counter(pair for places in rare for pair in combinations(places, 2))
    scored = (
        (-number / (sizes[a] + sizes[b] - number), a, b)
        for (a, b), number in shared.items()
        if number >= min(_LEAST_SHARED, sizes[a], sizes[b])
    )
    likely = sorted(row for row in scored if -row[0] >= _LEAST_SHARE)
    return [(records[a], records[b]) for _, a, b in likely[:MOST_PAIRS]]
