"""What a record is worth: importance, trust, standing, relevance. + `text.tokens`, `model`.

Nothing in here looks at a clock: two renders of the same content rank alike, on any day.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from functools import lru_cache
from typing import NamedTuple

from vault_cli.model.evidence import is_verified
from vault_cli.model.record import NO_TALLY, Record, Tally

EXTERNAL_SOURCES = frozenset({"web", "tool", "doc"})
"""Sources outside of the conversation; marked in the block."""

MACHINE_SOURCES = EXTERNAL_SOURCES | {"agent", "import"}
"""Sources that are not a person's word; unverified, their importance counts 5 at most."""

MACHINE_ORIGINS = frozenset({"hook", "reflection", "mcp"})
"""Ways in that no person typed; unverified, marked, and their importance counts 5 at most."""

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
MOST_BODY_WORDS = 32
"""Of a longer text a body's share would be next to nothing, and the search for it slow."""


HEAD_WORDS = 3
"""A head of fewer words than this is measured as if it had so many: one common word is no match."""


class Score(NamedTuple):
    """What a record is worth.

    Args:
        value: absolute value; higher is better.
        importance: what counts of its importance (`effective_importance`).
        verified: whether its status is verified and its verification holds.
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
    verified = is_verified(record)
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
    if not text:
        return frozenset()
    from vault_cli.text.tokens import tokenize

    return frozenset(tokenize(text))


def relevance_of(record: Record, words: frozenset[str]) -> tuple[float, tuple[str, ...]]:
    """Return how well a record fits, from 0 to 1, and the words that both have.

    The head (title, condition, keywords, topics) is measured by the smaller side: a long prompt
    that holds all of a short title fits as well as a short query that a long title holds. The
    body counts half, by the share of the words that it holds.
    """
    from vault_cli.text.tokens import tokenize

    text = " ".join((record.title, record.applies_when, *record.keywords, *record.topics))
    plain = _fold(text)
    # Most records share nothing with the text at hand: look for the starts before splitting.
    near = any(_probe(word)[0] in plain for word in words)
    head = frozenset(tokenize(text)) if near else frozenset[str]()
    in_head = head & words
    in_body = _words_in_body(record.body, words - in_head)
    head_share = len(in_head) / max(min(len(head), len(words)), HEAD_WORDS)
    relevance = min(1.0, head_share + BODY_SHARE * len(in_body) / max(len(words), HEAD_WORDS))
    return relevance, tuple(sorted(in_head | in_body))


def _words_in_body(body: str, words: frozenset[str]) -> frozenset[str]:
    """Return the words that a body holds, without splitting it into all of its words."""
    if len(words) > MOST_BODY_WORDS:
        return frozenset()
    plain = _fold(body)
    return frozenset(word for word in words if _holds(plain, word))


def _holds(plain: str, word: str) -> bool:
    start, pattern = _probe(word)
    if start not in plain:
        return False
    if pattern is None:
        return True
    from vault_cli.text.stem import stem_word

    return any(found[0] == word or stem_word(found[0]) == word for found in pattern.finditer(plain))


@lru_cache(maxsize=2048)
def _probe(word: str) -> tuple[str, re.Pattern[str] | None]:
    """Return what a text with the word must contain, and how to find its forms (Latin only).

    A stem may differ from its word in the last two letters (`queri`, query).
    """
    if not word.isascii():
        return word, None
    start = word[: max(3, len(word) - 2)]
    return start, re.compile(rf"(?<![a-z0-9]){re.escape(start)}[a-z0-9]*")


def _fold(text: str) -> str:
    return (text if text.isascii() else unicodedata.normalize("NFKC", text)).lower()
