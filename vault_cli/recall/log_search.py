"""Finding words in what was said in sessions. May import `text`, `model`, its siblings.

Nothing is stored: logs are read as they lie there, so that a session that is gone is gone here too.
Passages are ranked by BM25 as records are (`bm25`), over the passages that were read.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from math import log
from typing import Final, NamedTuple

from vault_cli.model.transcript import Session
from vault_cli.plain.weights import K1, B
from vault_cli.recall.query import Query, read_query
from vault_cli.recall.snippets import cut_text
from vault_cli.text.terms import count_terms, search_text, words_for

MOST: Final = 240
"""Characters of a passage that are shown."""

_LEAD: Final = 60
_KEPT: Final = 2000
"""Passages that are kept while logs are read; the weakest of more are let go."""

_FLOOR: Final = 0.4
"""What fits less than this part of the best is left out: one common word is no find."""

_LONGEST: Final = 1 << 16
"""Characters of one text that are searched; what a tool printed may be far longer."""


class Passage(NamedTuple):
    """One text of a session in which words were found.

    Args:
        session: whose.
        log: path of the log.
        place: where in it, as evidence names it.
        at: ISO instant, "" when the log does not say.
        role: `user`, `agent`, `call` or `result`.
        text: the part that shows the words.
        words: those of the query that stand in it, as they stand there.
        score: 0 to about 1; 1 has every word.
    """

    session: Session
    log: str
    place: int
    at: str
    role: str
    text: str
    words: tuple[str, ...]
    score: float = 0.0


class _Found(NamedTuple):
    passage: Passage
    counts: Counter[str]
    length: int


class LogSearch:
    """A search over logs that are read one after the other.

    Args:
        words: the query; every sign is text, no word is an operator.
    """

    def __init__(self, words: str) -> None:
        self.query: Query = read_query(words)
        self._found: list[_Found] = []
        self._spread: Counter[str] = Counter()
        self._seen = 0
        self._length = 0

    def take(self, passage: Passage) -> None:
        """Look at one text; `passage.text` is the whole of it."""
        passage = passage._replace(text=passage.text[:_LONGEST])
        plain = search_text(passage.text)
        self._seen += 1
        self._length += len(plain)
        counts = self._count(plain)
        if not counts:
            return
        self._spread.update(counts.keys())
        self._found.append(_Found(passage, counts, len(plain)))
        if len(self._found) > 2 * _KEPT:
            self._found = self._ranked()[:_KEPT]

    def best(self, most: int, fit: Callable[[str], str] = str) -> list[Passage]:
        """Return the passages that fit best, the newest of equal ones first.

        Args:
            most: so many; 0: all that are kept.
            fit: makes a whole text fit to be shown, before it is cut: what is half cut off looks
                like no secret any more.
        """
        ranked = self._ranked()
        floor = _FLOOR * self._score(ranked[0]) if ranked else 0.0
        good = [found for found in ranked if self._score(found) >= floor]
        return [self._shown(found, fit) for found in (good[:most] if most else good)]

    def _count(self, plain: str) -> Counter[str]:
        if self.query.terms:
            return count_terms(plain, self.query.terms, stops=self.query.stops)
        folded = plain.lower()
        return Counter({self.query.text: n} if (n := folded.count(self.query.text)) else {})

    def _ranked(self) -> list[_Found]:
        key = {id(found): (self._score(found), found.passage.at) for found in self._found}
        return sorted(self._found, key=lambda found: key[id(found)], reverse=True)

    def _score(self, found: _Found) -> float:
        usual = self._length / max(self._seen, 1) or 1.0
        norm = K1 * (1 - B + B * found.length / usual)
        weights = self._weights()
        part = sum(
            weights[term] * number * (1 + K1) / (number + norm)
            for term, number in found.counts.items()
        )
        return part / (sum(weights.values()) or 1.0)

    def _weights(self) -> dict[str, float]:
        """Return what each word counts: the rarer it is in what was read, the more."""
        terms: Iterable[str] = self.query.terms or (self.query.text,)
        return {
            term: log(1 + (self._seen - spread + 0.5) / (spread + 0.5))
            for term in terms
            for spread in (self._spread[term],)
        }

    def _shown(self, found: _Found, fit: Callable[[str], str]) -> Passage:
        text = " ".join(fit(found.passage.text).split())
        words = self._words(text)
        start = min((text.lower().find(word) for word in words if word in text.lower()), default=0)
        shown = cut_text(text, start - _LEAD if start > MOST - _LEAD else 0, MOST)
        return found.passage._replace(text=shown, words=words, score=self._score(found))

    def _words(self, text: str) -> tuple[str, ...]:
        if not self.query.terms:
            return (self.query.text,)
        found = words_for(search_text(text), self.query.terms, stops=self.query.stops)
        return tuple(sorted(set(found.values())))
