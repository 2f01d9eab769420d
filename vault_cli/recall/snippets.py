"""The part of a record's text that shows why it was found. May import `text`, `model`."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Final

from vault_cli.model.record import Record
from vault_cli.recall.corpus import text_of
from vault_cli.text.late import late
from vault_cli.text.terms import count_terms, search_text, words_for

if TYPE_CHECKING:
    from vault_cli.recall.hits import Hit
    from vault_cli.recall.query import Query

SNIPPET: Final = 160
"""Most characters of a snippet where nothing else is asked, the marks of what is cut included."""

_LEAD: Final = 40
_REACH: Final = 20
"""So far back or ahead a blank is looked for to cut at."""

_WORD: Final = late("[A-Za-z0-9_]+")
_MARK: Final = "…"
_JOINER: Final = "\u200d"


def with_snippet(hit: Hit, query: Query, names: Sequence[str] = (), most: int = SNIPPET) -> Hit:
    """Return a hit with the words of its record that were found and the line that shows them.

    Args:
        hit: as `_Search` made it: `matches` are all terms that were looked for.
        query: what was looked for.
        names: further names of its topics.
        most: characters of the line; 0 for none.
    """
    record = hit.record
    wanted = frozenset(hit.matches)
    plain = search_text("\n".join((text_of(record), *names)))
    if query.terms:
        found = words_for(plain, wanted, stops=query.stops)
        matches = tuple(sorted(set(found.values())))
        hit = hit._replace(terms=tuple(sorted(found)))
    else:
        matches = (query.text,) if query.text and query.text in plain.lower() else ()
    if not most or record.withheld or (record.findings and record.held_by):
        return hit._replace(matches=matches)
    terms = wanted if query.terms else frozenset[str]()
    snippet, marked = snippet_of(record, terms, query.text, stops=query.stops, most=most)
    return hit._replace(matches=matches, snippet=snippet, marked=marked)


def snippet_of(
    record: Record,
    terms: frozenset[str],
    text: str,
    *,
    stops: bool = False,
    most: int = SNIPPET,
) -> tuple[str, tuple[tuple[int, int], ...]]:
    """Return the line that has most of the terms, cut, and where they stand in it.

    Args:
        record: whose text is shown.
        terms: what was looked for; empty: `text` itself was.
        text: the query as it was typed, folded.
        stops: whether words count that say nothing about the subject.
        most: characters of the line.
    """
    line = _best_line(record, terms, text, stops=stops)
    spans = _spans(line, terms, text, stops=stops)
    shown = cut_text(line, spans[0][0] - min(_LEAD, most // 4) if spans else 0, most)
    return shown, tuple(_spans(shown, terms, text, stops=stops))


def cut_text(text: str, start: int, most: int) -> str:
    """Return at most `most` characters of a text from about `start`, whole words where it can.

    Cut is at a blank that is near, else between two characters as a person sees them: no accent,
    no part of an emoji loses its letter.
    """
    if len(text) <= most:
        return text
    start = min(max(start, 0), len(text) - most + 1)
    if start > 0:
        blank = text.find(" ", start, start + _REACH)
        start = blank + 1 if blank >= 0 else next_border(text, start)
    lead = _MARK if start else ""
    end = start + most - len(lead)
    if end >= len(text):
        return lead + text[start:]
    end -= 1
    blank = text.rfind(" ", end - _REACH, end + 1)
    end = blank if blank > start else last_border(text, end)
    return lead + text[start:end].rstrip() + _MARK


def _is_inside(text: str, place: int) -> bool:
    """Tell whether a cut before `text[place]` would divide one visible character."""
    if not 0 < place < len(text):
        return False
    char, before = text[place], text[place - 1]
    if _JOINER in (char, before) or unicodedata.category(char) in ("Mn", "Mc", "Me"):
        return True
    if "\ufe00" <= char <= "\ufe0f" or "\U0001f3fb" <= char <= "\U0001f3ff":
        return True
    if "\U0001f1e6" <= char <= "\U0001f1ff":  # a flag is two of these letters
        first = place
        while first and "\U0001f1e6" <= text[first - 1] <= "\U0001f1ff":
            first -= 1
        return (place - first) % 2 == 1
    low = "\udc00" <= char <= "\udfff" and "\ud800" <= before <= "\udbff"
    return low or ("\U000e0020" <= char <= "\U000e007f")


def next_border(text: str, place: int) -> int:
    """Return the first place from `place` on where a text may be cut."""
    while _is_inside(text, place):
        place += 1
    return place


def last_border(text: str, place: int) -> int:
    """Return the last place up to `place` where a text may be cut."""
    while _is_inside(text, place):
        place -= 1
    return place


def _best_line(record: Record, terms: frozenset[str], text: str, *, stops: bool) -> str:
    """Return the line of the text that has most of the terms; the title is shown anyway."""
    lines = [line.strip() for line in (*record.body.split("\n"), record.summary) if line.strip()]
    plain = [line for line in lines if not line.startswith("#")]
    plain = plain or [line for line in lines if line.lstrip("# ") != record.title]

    def fit(line: str) -> int:
        if not terms:
            return int(text in search_text(line).lower())
        return len(count_terms(search_text(line), terms, stops=stops))

    return max(plain, key=fit, default="")


def _spans(line: str, terms: frozenset[str], text: str, *, stops: bool) -> list[tuple[int, int]]:
    """Return where matched words stand in a line, in order and without overlap."""
    folded = search_text(line)
    lower = (folded if len(folded) == len(line) else line).lower()
    if len(lower) != len(line):
        lower = line
    found = [
        (word.start(), word.end())
        for word in _WORD.finditer(line)
        if count_terms(word[0], terms, stops=stops)
    ]
    for term in terms or {text}:
        if term and not (term.isascii() and terms):
            found += [(hit.start(), hit.end()) for hit in re.finditer(re.escape(term), lower)]
    return _joined(found)


def _joined(found: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    spans: list[tuple[int, int]] = []
    for start, end in sorted(found):
        if spans and start <= spans[-1][1]:
            spans[-1] = spans[-1][0], max(end, spans[-1][1])
        else:
            spans.append((start, end))
    return spans
