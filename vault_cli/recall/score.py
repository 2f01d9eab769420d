"""What a record is worth: importance, trust, standing, relevance. + `text.tokens`, `model`.

Nothing in here looks at a clock: two renders of the same content rank alike, on any day.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from typing import NamedTuple

from vault_cli.model.record import NO_TALLY, Record, Status, Tally
from vault_cli.text.tokens import tokenize

MACHINE_SOURCES = frozenset({"agent", "web", "tool", "doc", "import"})
"""Sources that are not a person's word; unverified, their importance counts 5 at most."""

MACHINE_ORIGINS = frozenset({"hook", "reflection", "mcp"})
"""Ways in that no person typed; unverified, their importance counts 5 at most."""

UNVERIFIED_CAP = 5
CORRECTION_BONUS = 2
VERIFIED_BONUS = 2.0
CONFIDENCE: Mapping[str, float] = {"high": 0.5, "low": -1.0}
RECORD_CAP = 1.5
"""Most that counters may add or take: a file or a log that claims a billion hits moves no more."""

RELEVANCE_BONUS = 6.0
RELEVANCE_FLOOR = 0.2
"""Below this share of matching words a record counts as unrelated to the text at hand."""

MATURE_HITS = 3
MATCHES_NAMED = 5
BODY_SHARE = 0.5
_PROBE = 4
"""Letters of a stem that stand unchanged at the start of its word."""

HEAD_WORDS = 3
"""A head of fewer words than this is measured as if it had so many: one common word is no match."""


class Score(NamedTuple):
    """What a record is worth.

    Args:
        value: absolute value; higher is better.
        importance: what counts of its importance (`effective_importance`).
        verified: whether its status is verified.
        relevance: 0 to 1, how well it fits the text at hand (0 without a text).
        matches: words of the text found in the record, in sorted order.
    """

    value: float
    importance: int
    verified: bool
    relevance: float = 0.0
    matches: tuple[str, ...] = ()

    def describe(self) -> str:
        """Return the reason for the record's place, in words."""
        parts = [f"importance {self.importance}"]
        if self.verified:
            parts.append("verified")
        if self.matches:
            parts.append(f"matches {', '.join(self.matches[:MATCHES_NAMED])}")
        return ", ".join(parts)


def is_machine_derived(record: Record) -> bool:
    """Whether no person stands behind the claim or the way it came in."""
    return record.source in MACHINE_SOURCES or record.origin in MACHINE_ORIGINS


def effective_importance(record: Record, *, verified: bool) -> int:
    """Return the importance that counts: capped at 5 while machine-derived and unverified."""
    weight = min(max(record.weight, 1), 10)
    if record.correction:
        weight = min(weight + CORRECTION_BONUS, 10)
    if weight > UNVERIFIED_CAP and not verified and is_machine_derived(record):
        return UNVERIFIED_CAP
    return weight


def standing(tally: Tally, hits: int) -> float:
    """Return what use has shown, in coarse steps between -RECORD_CAP and RECORD_CAP.

    Steps, not a running number: a single event must not reorder a cached prompt.
    """
    value = 0.5 if hits + tally.hits >= MATURE_HITS else 0.0
    for good, bad in ((tally.helpful, tally.harmful), (tally.succeeded, tally.failed)):
        if bad > good:
            value -= 0.75
        elif good - bad >= MATURE_HITS:
            value += 0.5
    return max(-RECORD_CAP, min(RECORD_CAP, value))


def score_record(
    record: Record, tally: Tally = NO_TALLY, words: frozenset[str] = frozenset()
) -> Score:
    """Return the score of one record.

    Args:
        record: the record.
        tally: its folded observations.
        words: the words of the text at hand (`query_words`); empty: relevance plays no part.
    """
    verified = record.status is Status.VERIFIED
    importance = effective_importance(record, verified=verified)
    value = importance + CONFIDENCE.get(record.confidence, 0.0)
    if verified:
        value += VERIFIED_BONUS
    if record.hits or tally is not NO_TALLY:
        value += standing(tally, record.hits)
    if not words:
        return Score(value, importance, verified)
    relevance, matches = relevance_of(record, words)
    return Score(value + RELEVANCE_BONUS * relevance, importance, verified, relevance, matches)


def query_words(text: str) -> frozenset[str]:
    """Return the words of a prompt or task that records are matched against."""
    return frozenset(tokenize(text))


def relevance_of(record: Record, words: frozenset[str]) -> tuple[float, tuple[str, ...]]:
    """Return how well a record fits, from 0 to 1, and the words that both have.

    The head (title, condition, keywords, topics) is measured by the smaller side: a long prompt
    that holds all of a short title fits as well as a short query that a long title holds. The
    body counts half, by the share of the words that it holds.
    """
    parts = (record.title, record.applies_when, *record.keywords, *record.topics)
    head = frozenset(tokenize(" ".join(parts)))
    in_head = head & words
    in_body = _words_in_body(record.body, words - in_head)
    head_share = len(in_head) / max(min(len(head), len(words)), HEAD_WORDS)
    relevance = min(1.0, head_share + BODY_SHARE * len(in_body) / max(len(words), HEAD_WORDS))
    return relevance, tuple(sorted(in_head | in_body))


def _words_in_body(body: str, words: frozenset[str]) -> frozenset[str]:
    """Return the words that a body holds; it is split only when the start of one is in it."""
    plain = (body if body.isascii() else unicodedata.normalize("NFKC", body)).lower()
    if not any(word[:_PROBE] in plain for word in words):
        return frozenset()
    return words & frozenset(tokenize(body))
