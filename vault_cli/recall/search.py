"""A query to ranked records, without a model. May import `text`, `model`, `recall`.

OR of the query's terms, BM25 over title, topics, keywords, condition, summary and body in one
text. Every sign is text: there is no query language and so no query that is an error.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from math import log
from typing import Final, NamedTuple

from vault_cli.model.record import Record, Snapshot, Status
from vault_cli.recall.score import score_record
from vault_cli.recall.topics import TopicTable
from vault_cli.text.tokens import count_tokens, plain_text, tokenize

K1: Final = 1.2
B: Final = 0.5
"""BM25's saturation of repeats and its weight of length (Robertson and Zaragoza, 2009; the values
stand in the table of features, C-103)."""

SNIPPET: Final = 160
"""Characters of a snippet."""

MOST_TERMS: Final = 200
"""Of a longer query the rest of the words does not count."""

_LEAD: Final = 40
_STEM_TAIL: Final = 2
_SHORTEST_START: Final = 3
_WORD: Final = re.compile("[A-Za-z0-9_]+")


class Query(NamedTuple):
    """A query made ready.

    Args:
        text: as typed, folded.
        terms: its tokens; empty when there is no word in it: then `text` itself is looked for.
        stops: whether the terms are words that say nothing about the subject, for want of others.
    """

    text: str
    terms: tuple[str, ...]
    stops: bool = False


class Hit(NamedTuple):
    """A record that was found.

    Args:
        score: its BM25 value; comparable within one search only.
        matches: terms of the query that it has, in sorted order.
        snippet: the line of its text that has most of them, cut; "" of a held record.
        marked: (start, end) of the matched words in the snippet.
    """

    record: Record
    score: float
    matches: tuple[str, ...]
    snippet: str = ""
    marked: tuple[tuple[int, int], ...] = ()


class Results(NamedTuple):
    """The best hits in order, and how many records matched.

    Args:
        hidden: how many records that match were passed over by `default` (see `search`).
    """

    hits: tuple[Hit, ...]
    total: int
    hidden: int = 0


def search(
    snapshot: Snapshot,
    text: str,
    *,
    limit: int = 20,
    wanted: Callable[[Record], bool] | None = None,
) -> Results:
    """Find records by their words; the best first.

    Ties in the order: verified first, then what a record is worth (`recall.score`), then the id.
    A query that is a record's id finds it first.

    Args:
        snapshot: the records.
        text: what was typed; not empty.
        limit: most hits; 0 for all.
        wanted: which records may be found; what else matches is only counted.
    """
    query = read_query(text)
    found = _match(snapshot.records, query, TopicTable(snapshot.records))
    taken = [item for item in found if wanted is None or wanted(item.record)]
    ranked = _rank(snapshot, query, taken, found)
    best = ranked[:limit] if limit else ranked
    hits = tuple(_explain(query, *item) for item in best)
    return Results(hits, len(taken), len(found) - len(taken))


def read_query(text: str) -> Query:
    """Return the query of a typed text: every sign is text, no word is an operator."""
    folded = plain_text(text).strip().lower()
    for stops in (False, True):
        terms = tuple(dict.fromkeys(tokenize(text, stops=stops)))
        if terms:
            return Query(folded, terms[:MOST_TERMS], stops)
    return Query(folded, ())


class _Match(NamedTuple):
    """A record with the terms it has: how often each, and how long its text is."""

    record: Record
    counts: Counter[str]
    length: int


def text_of(record: Record, topics: Sequence[str] = ()) -> str:
    """Return the one text of a record that is searched.

    Args:
        record: whose.
        topics: further names of its topics, so that each of them finds it.
    """
    names = (*record.topics, *topics)
    head = (record.title, *names, *record.keywords, record.applies_when, record.summary)
    return "\n".join((*(part for part in head if part), record.body))


def _match(records: Iterable[Record], query: Query, table: TopicTable) -> list[_Match]:
    """Return the records with at least one term; most are passed over by their letters alone."""
    starts = [_start(term) for term in query.terms] or [query.text]
    terms = frozenset(query.terms)
    found = []
    for record in records:
        if record.status in (Status.QUARANTINED, Status.TOMBSTONED):
            continue
        text = text_of(record, table.other_names(record) if record.topics else ())
        plain = text if text.isascii() else plain_text(text)
        lower = plain.lower()
        is_named = record.id == query.text
        if not is_named and not any(start in lower for start in starts):
            continue
        counts = count_tokens(plain, terms, stops=query.stops) if terms else Counter()
        if not terms and query.text in lower:
            counts[query.text] = lower.count(query.text)
        if counts or is_named:
            found.append(_Match(record, counts, len(text.encode("utf-8", "surrogatepass"))))
    return found


def _start(term: str) -> str:
    """Return what any text with the term contains: a stem may differ in its last two letters."""
    if not (term.isascii() and term.isalpha()):
        return term
    return term[: max(_SHORTEST_START, len(term) - _STEM_TAIL)]


def _rank(
    snapshot: Snapshot, query: Query, taken: Sequence[_Match], found: Sequence[_Match]
) -> list[tuple[_Match, float]]:
    """Return the matches with their values, best first; what is rare among all counts more."""
    values = bm25(taken, found, len(snapshot.records))
    scored = []
    for match, value in zip(taken, values, strict=True):
        record = match.record
        worth = score_record(record, snapshot.tally(record.id))
        order = (record.id != query.text, -value, not worth.verified, -worth.value, record.id)
        scored.append((order, record.path, (match, value)))
    scored.sort(key=lambda item: item[:2])
    return [item[2] for item in scored]


def bm25(taken: Sequence[_Match], found: Sequence[_Match], total: int) -> list[float]:
    """Return the BM25 value of matches, rounded so that equal texts tie on every machine.

    Args:
        taken: the matches to value.
        found: every match; gives in how many records a term stands, and the usual length.
        total: how many records there are.
    """
    spread = Counter(term for match in found for term in match.counts)
    usual = sum(match.length for match in found) / max(len(found), 1) or 1.0
    weight = {term: log(1 + (total - n + 0.5) / (n + 0.5)) for term, n in spread.items()}
    values = []
    for match in taken:
        damping = K1 * (1 - B + B * match.length / usual)
        parts = (
            weight[term] * times * (K1 + 1) / (times + damping)
            for term, times in sorted(match.counts.items())
        )
        values.append(round(sum(parts), 6))
    return values


def _explain(query: Query, match: _Match, value: float) -> Hit:
    record = match.record
    matches = tuple(sorted(match.counts))
    if record.findings and record.held_by:
        return Hit(record, value, matches)
    line = _best_line(record, query)
    spans = _spans(line, query)
    start = max(0, spans[0][0] - _LEAD) if spans and len(line) > SNIPPET else 0
    snippet = ("…" if start else "") + line[start : start + SNIPPET]
    if start + SNIPPET < len(line):
        snippet += "…"
    return Hit(record, value, matches, snippet, tuple(_spans(snippet, query)))


def _best_line(record: Record, query: Query) -> str:
    """Return the line of the text that has most of the terms; the title is shown anyway."""
    lines = [line.strip() for line in (*record.body.split("\n"), record.summary) if line.strip()]
    plain = [line for line in lines if not line.startswith("#")]
    plain = plain or [line for line in lines if line.lstrip("# ") != record.title]
    terms = frozenset(query.terms)

    def fit(line: str) -> int:
        if not terms:
            return int(query.text in plain_text(line).lower())
        return len(count_tokens(plain_text(line), terms, stops=query.stops))

    return max(plain, key=fit, default="")


def _spans(text: str, query: Query) -> list[tuple[int, int]]:
    """Return where matched words stand in a line, in order and without overlap."""
    terms = frozenset(query.terms)
    lower = text.lower() if len(text.lower()) == len(text) else text
    found = [
        (word.start(), word.end())
        for word in _WORD.finditer(text)
        if word[0].isascii() and count_tokens(word[0], terms, stops=query.stops)
    ]
    for term in terms or {query.text}:
        if term and not (term.isascii() and terms):
            found += [(hit.start(), hit.end()) for hit in re.finditer(re.escape(term), lower)]
    spans: list[tuple[int, int]] = []
    for start, end in sorted(found):
        if spans and start <= spans[-1][1]:
            spans[-1] = spans[-1][0], max(end, spans[-1][1])
        else:
            spans.append((start, end))
    return spans
