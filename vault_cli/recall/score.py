"""What a record is worth, as a sum of named parts. + `recall.retention`, `text.tokens`, `model`.

The value is absolute: it depends on the record, what is known of it and the question, never on
what else was found. Nothing in here looks at a clock: the caller says whether ages count, and from
which day on (`Aging`); a render gives one that moves with the observations only.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from functools import lru_cache
from typing import Any, NamedTuple

from vault_cli.model.evidence import is_verified
from vault_cli.model.record import NO_TALLY, Record, Tally
from vault_cli.recall.retention import Aging
from vault_cli.text.late import late

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

FADING = 1.5
"""Points a record would lose if nothing of it were left; at the floor of retention it is 1.2."""

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
    """What a record is worth: the sum of its five parts, and what they come from.

    Args:
        value: absolute value, the sum of `parts`; higher is better.
        importance: what counts of its importance (`effective_importance`).
        verified: whether its status is verified and its verification holds.
        relevance: 0 to 1, how well it fits the text at hand (0 without a text).
        matches: words of the text found in the record, in sorted order.
        retention: 0.2 to 1, how much of it is still at hand (1 where ages play no part).
        trust: points for its verification and its author's confidence.
        precedent: points for what use has shown (`standing`).
        capped: whether its author gave it a higher importance than counts.
    """

    value: float
    importance: int
    verified: bool
    relevance: float = 0.0
    matches: tuple[str, ...] = ()
    retention: float = 1.0
    trust: float = 0.0
    precedent: float = 0.0
    capped: bool = False

    @property
    def parts(self) -> dict[str, float]:
        """Return the points of each part by its name."""
        return {
            "relevance": RELEVANCE_BONUS * self.relevance,
            "importance": float(self.importance),
            "retention": -FADING * (1 - self.retention),
            "trust": self.trust,
            "precedent": self.precedent,
        }

    def describe(self) -> str:
        """Return the reason for the record's place, in words."""
        parts = [f"importance {self.importance}"]
        if self.verified:
            parts.append("verified")
        if self.retention < 1:
            parts.append(f"retention {self.retention:.2f}")
        if self.precedent:
            parts.append("proved itself" if self.precedent > 0 else "did harm or failed")
        if self.matches:
            parts.append(f"matches {', '.join(self.matches[:MATCHES_NAMED])}")
        return ", ".join(parts)

    def explain(self) -> list[str]:
        """Return one line a part, with its points, and the sum last."""
        cap = f" (capped at {UNVERIFIED_CAP}: nobody verified it)" if self.capped else ""
        found = f" ({', '.join(self.matches[:MATCHES_NAMED])})" if self.matches else ""
        trust = " (verified)" if self.verified else ""
        asides = {
            "relevance": f" {self.relevance:.2f} of 1{found}",
            "importance": f" {self.importance} of 10{cap}",
            "retention": f" {self.retention:.2f} of 1",
            "trust": trust,
        }
        lines = [
            f"{name} {points:+.2f}{asides.get(name, '')}" for name, points in self.parts.items()
        ]
        return [*lines, f"score {self.value:.2f}"]

    def as_data(self) -> dict[str, Any]:
        """Return the promised JSON shape: the value, the points of each part, what they are of."""
        return {
            "value": round(self.value, 6),
            "parts": {name: round(points, 6) for name, points in self.parts.items()},
            "importance": self.importance,
            "capped": self.capped,
            "verified": self.verified,
            "relevance": round(self.relevance, 6),
            "retention": round(self.retention, 6),
            "matches": list(self.matches),
        }


def is_machine_derived(record: Record) -> bool:
    """Whether no person stands behind the claim or the way it came in."""
    return record.source in MACHINE_SOURCES or record.origin in MACHINE_ORIGINS


def effective_importance(record: Record, *, verified: bool) -> int:
    """Return the importance that counts: capped at 5 while machine-derived and unverified."""
    weight = claimed_importance(record)
    return UNVERIFIED_CAP if _is_capped(record, weight, verified=verified) else weight


def claimed_importance(record: Record) -> int:
    """Return the importance its author and its kind give it, 1 to 10, before any cap."""
    weight = min(max(record.weight, 1), 10)
    return min(weight + CORRECTION_BONUS, 10) if record.correction else weight


def _is_capped(record: Record, weight: int, *, verified: bool) -> bool:
    return weight > UNVERIFIED_CAP and not verified and is_machine_derived(record)


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
    record: Record,
    tally: Tally = NO_TALLY,
    words: frozenset[str] = frozenset(),
    *,
    aging: Aging | None = None,
    relevance: float | None = None,
) -> Score:
    """Return the score of one record.

    Args:
        record: the record.
        tally: its folded observations.
        words: the words of the text at hand (`query_words`); empty: relevance plays no part.
        aging: how ages count; None: not at all.
        relevance: 0 to 1, as a search measured it; then `words` are not looked for.
    """
    verified = is_verified(record)
    importance = claimed_importance(record)
    capped = _is_capped(record, importance, verified=verified)
    if capped:
        importance = UNVERIFIED_CAP
    fit, matches = 0.0, _NO_MATCHES
    if relevance is not None:
        fit = max(0.0, min(relevance, 1.0))
    elif words:
        fit, matches = relevance_of(record, words)
    kept = 1.0 if aging is None else aging.of(record, tally)
    trust = CONFIDENCE.get(record.confidence, 0.0) + (VERIFIED_BONUS if verified else 0.0)
    counted = record.hits or tally is not NO_TALLY
    shown = standing(tally, record.hits) if counted else 0.0
    # In the order of `Score.parts`, so that both sums are the same to the last bit.
    value = RELEVANCE_BONUS * fit + importance - FADING * (1 - kept) + trust + shown
    return Score(value, importance, verified, fit, matches, kept, trust, shown, capped)


_NO_MATCHES: tuple[str, ...] = ()


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
    return start, late(rf"(?<![a-z0-9]){re.escape(start)}[a-z0-9]*")


def _fold(text: str) -> str:
    return (text if text.isascii() else unicodedata.normalize("NFKC", text)).lower()
