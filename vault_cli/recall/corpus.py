"""What a search looks at: the terms of records, stored or counted as they are asked for.

May import `text`, `model`. Beside its words a record has keys, which no word can be: `@` and a day
(`text.dates`), `#` and a topic, `&` and the session it was captured from.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from datetime import date, datetime
from functools import cached_property
from typing import Any, Final, NamedTuple, Protocol

from vault_cli.model.record import Record, Status
from vault_cli.plain.slips import halves_of
from vault_cli.plain.weights import BIG
from vault_cli.recall.topics import fold_topic
from vault_cli.text import terms as terms_module
from vault_cli.text.dates import days_in, keys_of_day
from vault_cli.text.terms import count_terms, is_word, search_text, terms_of, words_of

LAYOUT: Final = f"1.{terms_module.LAYOUT}"
"""Count up when `describe` changes: what is stored is then made anew."""

STANDINGS: Final = tuple(Status)
"""A status as a number."""

UNSEARCHED: Final = frozenset({Status.QUARANTINED, Status.TOMBSTONED})
_STEM_TAIL: Final = 2
_SHORTEST_START: Final = 3

Postings = Mapping[str, tuple[Sequence[int], Sequence[int]]]
"""For each term the documents that have it, ascending, and how often (of `&`: where in it)."""


class Description(NamedTuple):
    """What a search knows of a record.

    Args:
        length: bytes of its text in UTF-8.
        counts: its terms and keys; of a session's key the place in the session.
        standing: place of its status in STANDINGS.
        day: ordinal of the day it was made, 0 when it does not say.
    """

    length: int
    counts: Mapping[str, int]
    standing: int
    day: int


class Shelf(Protocol):
    """Some records with numbers from 0, ready to be searched."""

    @property
    def lengths(self) -> Sequence[int]: ...  # noqa: D102 - as `Description`, like the next two

    @property
    def standings(self) -> Sequence[int]: ...  # noqa: D102

    @property
    def days(self) -> Sequence[int]: ...  # noqa: D102

    @property
    def gone(self) -> AbstractSet[int]:
        """Numbers of records that are not there any more."""
        ...

    @property
    def unheard(self) -> AbstractSet[int]:
        """Numbers of records without a say in what is usual (`Record.has_say`), and the gone."""
        ...

    @property
    def has_sessions(self) -> bool:
        """Whether any of them was captured from a session."""
        ...

    @property
    def digests(self) -> Sequence[str]:
        """Digest of the file of each record."""
        ...

    def find(self, terms: Collection[str]) -> Postings:
        """Return the postings of those terms that stand here."""
        ...

    def everything(self) -> Postings:
        """Return the postings of every term and key that stands here."""
        ...

    def words_like(self, term: str) -> Iterable[str]:
        """Return the words that share the first or the last half of a term."""
        ...

    def heads(self, numbers: Sequence[int]) -> list[Record]:
        """Return records by their numbers, of which only the head may be loaded."""
        ...

    def records(self, numbers: Sequence[int]) -> list[Record]:
        """Return whole records by their numbers."""
        ...


def text_of(record: Record) -> str:
    """Return the one text of a record that is searched."""
    head = (record.title, *record.topics, *record.keywords, record.applies_when, record.summary)
    return "\n".join((*(part for part in head if part), record.body))


def describe(record: Record) -> Description:
    """Return what is stored of a record."""
    text = text_of(record)
    counts: dict[str, int] = dict(terms_of(search_text(text)))
    counts.update(keys_of(record))
    return Description(
        _length(text), counts, STANDINGS.index(record.status), day_of(record.created)
    )


def keys_of(record: Record) -> dict[str, int]:
    """Return the keys of a record: its days, its topics, its source and its session."""
    found = {f"#{fold_topic(topic)}": 1 for topic in record.topics}
    if record.source:
        found[f"={record.source}"] = 1
    start = record.validity.start
    days = [record.created, start.isoformat() if start else "", *days_in(record.title)]
    if "evidence" in record.fields:
        entries = record.fields["evidence"]
        for entry in entries if isinstance(entries, list) else [entries]:
            if isinstance(entry, Mapping):
                days.append(str(entry.get("observed") or ""))
                found.update(_session_key(entry))
    found.update(dict.fromkeys((key for day in days for key in keys_of_day(day)), 1))
    return found


def _session_key(entry: Mapping[str, Any]) -> dict[str, int]:
    """Return the key of the session that an entry of evidence names, with the place in it."""
    session, start = str(entry.get("session") or "").strip(), str(entry.get("start") or "").strip()
    if entry.get("type") != "session-event" or not session or not start:
        return {}
    place = _place(start)
    return {} if place is None else {f"&{session}": place}


def _place(start: str) -> int | None:
    if start.isascii() and start.isdigit() and len(start) < 16:  # noqa: PLR2004 - fits 64 bits
        return int(start)
    try:
        moment = datetime.fromisoformat(start)
    except ValueError:
        return None
    whole = moment.toordinal() * 86400 + moment.hour * 3600 + moment.minute * 60 + moment.second
    return whole * 1_000_000 + moment.microsecond


def day_of(created: str) -> int:
    """Return the ordinal of the day a text names, 0 when it names none."""
    try:
        return date.fromisoformat(created[:10]).toordinal()
    except ValueError:
        return 0


def _length(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))


class TextShelf:
    """Records that are searched as they are: nothing of them is stored.

    Args:
        records: searchable ones.
        stops: count the words that say nothing about the subject too.
    """

    gone: AbstractSet[int] = frozenset()

    def __init__(self, records: Iterable[Record], *, stops: bool = False) -> None:
        self._records = list(records)
        self._stops = stops

    @cached_property
    def _texts(self) -> list[str]:
        return [text_of(record) for record in self._records]

    @cached_property
    def plain(self) -> list[str]:
        """The searched text of each record."""
        return [search_text(text) for text in self._texts]

    @cached_property
    def _lower(self) -> list[str]:
        return [text.lower() for text in self.plain]

    @cached_property
    def _keys(self) -> list[dict[str, int]]:
        return [keys_of(record) for record in self._records]

    @cached_property
    def lengths(self) -> list[int]:
        """Bytes of each text."""
        return [_length(text) for text in self._texts]

    @cached_property
    def standings(self) -> list[int]:
        """Status of each record."""
        return [STANDINGS.index(record.status) for record in self._records]

    @cached_property
    def days(self) -> list[int]:
        """Day on which each record was made."""
        return [day_of(record.created) for record in self._records]

    @cached_property
    def unheard(self) -> AbstractSet[int]:
        """As `Shelf`."""
        return frozenset(n for n, record in enumerate(self._records) if not record.has_say)

    @property
    def digests(self) -> list[str]:
        """As `Shelf`."""
        return [record.digest for record in self._records]

    @property
    def has_sessions(self) -> bool:
        """As `Shelf`."""
        return any(key[0] == "&" for keys in self._keys for key in keys)

    def find(self, terms: Collection[str]) -> Postings:
        """As `Shelf`: most records are passed over by their letters alone."""
        keys = [term for term in terms if term[0] in "@#&="]
        words = frozenset(terms) - frozenset(keys)
        found: dict[str, tuple[list[int], list[int]]] = {}

        def add(term: str, number: int, count: int) -> None:
            numbers, counts = found.setdefault(term, ([], []))
            numbers.append(number)
            counts.append(count)

        if keys:
            for number, own in enumerate(self._keys):
                for key in own.keys() & set(keys):
                    add(key, number, own[key])
        starts = [start_of(term) for term in words]
        for number, lower in enumerate(self._lower) if words else ():
            if any(start in lower for start in starts):
                counted = count_terms(self.plain[number], words, stops=self._stops)
                for term, count in counted.items():
                    add(term, number, count)
        return found

    def everything(self) -> Postings:
        """As `Shelf`."""
        found: dict[str, tuple[list[int], list[int]]] = {}
        for number, record in enumerate(self._records):
            for term, count in describe(record).counts.items():
                numbers, counts = found.setdefault(term, ([], []))
                numbers.append(number)
                counts.append(count if term[0] == "&" else min(count, BIG))
        return found

    @cached_property
    def _words(self) -> set[str]:
        return {word for text in self.plain for word in words_of(text)}

    def words_like(self, term: str) -> Iterable[str]:
        """As `Shelf`."""
        start, end = halves_of(term)
        return [word for word in self._words if word.startswith(start) or word.endswith(end)]

    def heads(self, numbers: Sequence[int]) -> list[Record]:
        """As `Shelf`."""
        return [self._records[number] for number in numbers]

    records = heads


class LiteralShelf(TextShelf):
    """Records that are searched for a text as it was typed: for a query without any word."""

    def find(self, terms: Collection[str]) -> Postings:
        """Return where each of the texts stands, and how often."""
        found = {}
        for term in terms:
            counted = [(n, lower.count(term)) for n, lower in enumerate(self._lower)]
            hits = [(number, count) for number, count in counted if count]
            if hits:
                found[term] = [number for number, _ in hits], [count for _, count in hits]
        return found


def start_of(term: str) -> str:
    """Return what any text with the term contains: a stem may differ in its last two letters."""
    if not is_word(term):
        return term
    return term[: max(_SHORTEST_START, len(term) - _STEM_TAIL)]


def searchable(records: Iterable[Record]) -> list[Record]:
    """Return the records that a search may ever name."""
    return [record for record in records if record.status not in UNSEARCHED]
