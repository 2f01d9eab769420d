"""One segment of stored postings: made once, looked up often. May import `store`, `model`.

Numbers and counts are arrays of the machine's own byte order with a check sum; the cache never
leaves the machine.
"""

from __future__ import annotations

from array import array
from collections.abc import Collection, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from functools import cached_property
from typing import Any, Final, Protocol
from zlib import crc32

from vault_cli.model.record import Record
from vault_cli.store.codec import DAMAGE, decode_rows
from vault_cli.store.heads import fill_head

_MOST_NAMED: Final = 500
_ROWS: Final = "SELECT path, digest, facts, body, fields, findings FROM record WHERE seal = ?"
_LIKE: Final = (
    "SELECT term FROM search_term WHERE segment = ? AND back IS NOT NULL AND {0} >= ? AND {0} < ?"
)
_TERMS: Final = "SELECT term, numbers, counts, crc FROM search_term WHERE segment = ?"
_PATHS: Final = "SELECT number, path FROM search_record WHERE segment = ?"
_AFTER: Final = "\U0010ffff"


class PostingsError(Exception):
    """What is stored cannot be believed; searching without it is right."""


class Described(Protocol):
    """What is stored of a record (`recall.corpus.Description`)."""

    @property
    def length(self) -> int: ...  # noqa: D102 - as there, like all of these

    @property
    def counts(self) -> Mapping[str, int]: ...  # noqa: D102

    @property
    def standing(self) -> int: ...  # noqa: D102

    @property
    def day(self) -> int: ...  # noqa: D102


class Source(Protocol):
    """The cache that a segment stands in."""

    @property
    def seal(self) -> int: ...  # noqa: D102 - as `postings.Postings`

    def ask(self, statement: str, *values: object) -> list[Any]: ...  # noqa: D102


class ByPath:
    """The records of a vault, found by path."""

    def __init__(self, records: Sequence[Record]) -> None:
        self.records = records

    @cached_property
    def _known(self) -> dict[str, Record]:
        return {record.path: record for record in self.records}

    def get(self, path: str) -> Record | None:
        """Return the record of a path."""
        return self._known.get(path)

    def some(self, paths: Sequence[str]) -> list[Record]:
        """Return the records of some paths; KeyError when one is missing."""
        known = self.__dict__.get("_known")
        if known is None and len(paths) <= _MOST_NAMED:  # cheaper than a map of all
            wanted = frozenset(paths)
            known = {record.path: record for record in self.records if record.path in wanted}
        found: dict[str, Record] = known or self._known
        return [found[path] for path in paths]

    def require(self, path: str) -> Record:
        """Return the record of a path; KeyError when there is none."""
        return self._known[path]


class StoredShelf:
    """One segment, as `recall.corpus.Shelf`. Every method may raise `PostingsError`.

    Args:
        gone: numbers of records that are not in the vault any more as they were stored.
    """

    def __init__(self, index: Source, found: ByPath, row: Sequence[Any]) -> None:
        self._index = index
        self._found = found
        self.gone: set[int] = set()
        self._silent: frozenset[int] = frozenset()
        self.segment, lengths, standings, days, sessions, crc = row
        if crc32(b"".join((lengths, standings, days))) != crc:
            raise PostingsError("a segment is damaged")
        self.has_sessions = bool(sessions)
        self.lengths = array("I", lengths)
        self.standings: bytes = standings
        self.days = array("i", days)
        self._known: dict[str, tuple[Sequence[int], Sequence[int]] | None] = {}

    def find(self, terms: Collection[str]) -> dict[str, tuple[Sequence[int], Sequence[int]]]:
        """As `recall.corpus.Shelf`."""
        missing = sorted(set(terms) - self._known.keys())
        self._known.update(dict.fromkeys(missing))
        for start in range(0, len(missing), _MOST_NAMED):
            some = missing[start : start + _MOST_NAMED]
            rows = self._index.ask(
                f"{_TERMS} AND term IN ({_marks(some)})",
                self.segment,
                *some,
            )
            for term, numbers, counts, crc in rows:
                self._known[term] = self._decode(term, numbers, counts, crc)
        return {term: known for term in terms if (known := self._known[term]) is not None}

    @property
    def unheard(self) -> AbstractSet[int]:
        """As `recall.corpus.Shelf`."""
        return self.gone | self._silent if self._silent else self.gone

    def silence(self, paths: AbstractSet[str]) -> None:
        """Give the records of these paths no say in what is usual here."""
        named = enumerate(self.names) if paths else ()
        self._silent = frozenset(number for number, (path, _) in named if path in paths)

    def _decode(
        self, term: str, numbers: bytes, counts: bytes, crc: int
    ) -> tuple[Sequence[int], Sequence[int]]:
        if crc32(numbers + counts) != crc:
            raise PostingsError("a term is damaged")
        return array("I", numbers), array("q", counts) if term[0] == "&" else counts

    def words_like(self, term: str) -> list[str]:
        """As `recall.corpus.Shelf`."""
        half = len(term) // 2
        start, end = term[:half], term[-half:][::-1]
        found = [
            *self._index.ask(_LIKE.format("term"), self.segment, start, start + _AFTER),
            *self._index.ask(_LIKE.format("back"), self.segment, end, end + _AFTER),
        ]
        return sorted({word for (word,) in found})

    @cached_property
    def names(self) -> list[tuple[str, str]]:
        """Path and digest of each record."""
        rows = self._index.ask(
            "SELECT path, digest FROM search_record WHERE segment = ? ORDER BY number", self.segment
        )
        if len(rows) != len(self.lengths):
            raise PostingsError("records are missing")
        return rows

    def heads(self, numbers: Sequence[int]) -> list[Record]:
        """As `recall.corpus.Shelf`."""
        paths = self._paths(numbers)
        try:
            return self._found.some([paths[number] for number in numbers])
        except KeyError as error:
            raise PostingsError("a record is missing") from error

    def _paths(self, numbers: Sequence[int]) -> Mapping[int, str]:
        if len(numbers) > _MOST_NAMED or "names" in self.__dict__:
            return {number: self.names[number][0] for number in numbers}
        rows = self._index.ask(
            f"{_PATHS} AND number IN ({_marks(numbers)})",
            self.segment,
            *numbers,
        )
        return dict(rows)

    def records(self, numbers: Sequence[int]) -> list[Record]:
        """As `recall.corpus.Shelf`: rows are loaded for those of which only the head is known."""
        found = self.heads(numbers)
        missing = {record.path: record for record in found if type(record) is not Record}
        load_whole(self._index, missing)
        return found


def load_whole(index: Source, heads: Mapping[str, Record]) -> None:
    """Fill records of which only the head is known, by path, as far as the cache has their rows."""
    paths = list(heads)
    if len(paths) > _MOST_NAMED:
        rows = [row for row in index.ask(_ROWS, index.seal) if row[0] in heads]
    else:
        rows = index.ask(f"{_ROWS} AND path IN ({_marks(paths)})", index.seal, *paths)
    try:
        fit = [row for row in rows if heads[row[0]].digest == row[1]]
        for row, (whole, _) in zip(fit, decode_rows(fit), strict=True):
            if whole is not None:
                fill_head(heads[row[0]], whole)
    except DAMAGE as error:
        raise PostingsError(str(error)) from error


def _marks(values: Sequence[object]) -> str:
    return ",".join("?" * len(values))


class Segment:
    """A segment while it is made."""

    def __init__(self) -> None:
        self.names: list[tuple[str, str]] = []
        self.has_sessions = False
        self._lengths = array("I")
        self._standings = bytearray()
        self._days = array("i")
        self._terms: dict[str, tuple[array[int], Any]] = {}

    def add(self, record: Record, known: Described) -> None:
        """Take one record in."""
        number = len(self.names)
        self.names.append((record.path, record.digest))
        self._lengths.append(known.length)
        self._standings.append(known.standing)
        self._days.append(known.day)
        terms = self._terms
        for term, count in known.counts.items():
            row = terms.get(term)
            if row is None:
                is_session = term[0] == "&"
                self.has_sessions |= is_session
                row = terms[term] = array("I"), array("q") if is_session else bytearray()
            row[0].append(number)
            row[1].append(count if count < 255 or term[0] == "&" else 255)  # noqa: PLR2004 - a byte

    def blobs(self) -> tuple[bytes, bytes, bytes]:
        """Return lengths, standings and days."""
        return self._lengths.tobytes(), bytes(self._standings), self._days.tobytes()

    def rows(self) -> Iterator[tuple[str, str | None, bytes, bytes, int]]:
        """Yield what is stored of each term."""
        for term in sorted(self._terms):
            numbers, counts = self._terms[term]
            one, other = numbers.tobytes(), bytes(counts)
            back = term[::-1] if term.isascii() and term.isalpha() else None
            yield term, back, one, other, crc32(one + other)
