"""One segment of stored postings: made once, looked up often. May import `store`, `model`.

Numbers and counts are arrays of the machine's own byte order; the cache never leaves the machine.
Every row has a check sum, and a segment a digest of each of its terms, so that a term that is not
found is known not to be there.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Collection, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from functools import cached_property
from typing import Any, Final, Protocol
from zlib import adler32, crc32

from vault_cli.model.record import Record
from vault_cli.store.codec import DAMAGE, decode_rows
from vault_cli.store.heads import fill_head
from vault_cli.store.index_rows import ROWS, believed, sum_of

_MOST_NAMED: Final = 500
_TERMS: Final = "SELECT term, numbers, counts, crc FROM search_term WHERE segment = ?"
_NAMES: Final = "SELECT number, path, digest, crc FROM search_record WHERE segment = ?"
_WORDS: Final = "SELECT words, words_crc FROM search_segment WHERE segment = ?"


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

    def fault(self, what: str) -> PostingsError: ...  # noqa: D102


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
        self.segment, sessions, *blobs, crc = row
        if crc != sum_of_segment(self.segment, sessions, blobs):
            raise index.fault("a segment is damaged")
        lengths, standings, days, self._digests = blobs
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
        if any(self._known[term] is None and self._has(term) for term in missing):
            raise self._index.fault("a term is missing")
        return {term: known for term in terms if (known := self._known[term]) is not None}

    def everything(self) -> dict[str, tuple[Sequence[int], Sequence[int]]]:
        """As `recall.corpus.Shelf`."""
        found = {row[0]: self._decode(*row) for row in self._index.ask(_TERMS, self.segment)}
        if len(found) != len(self._terms):
            raise self._index.fault("a term is missing")
        return found

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
        if crc != sum_of_term(self.segment, term, numbers, counts):
            raise self._index.fault("a term is damaged")
        return array("I", numbers), array("q", counts) if term[0] == "&" else counts

    def _has(self, term: str) -> bool:
        """Whether the segment was stored with this term."""
        digests = self._terms
        place = bisect_left(digests, digest := digest_of(term))
        return place < len(digests) and digests[place] == digest

    @cached_property
    def _terms(self) -> array[int]:
        return array("Q", self._digests)

    @cached_property
    def _words(self) -> list[str]:
        for words, crc in self._index.ask(_WORDS, self.segment):
            if type(words) is bytes and crc == crc32(words, self.segment):
                return words.decode("ascii").split()
        raise self._index.fault("the words are damaged")

    def words_like(self, term: str) -> list[str]:
        """As `recall.corpus.Shelf`."""
        half = len(term) // 2
        start, end = term[:half], term[-half:]
        return [word for word in self._words if word.startswith(start) or word.endswith(end)]

    @cached_property
    def names(self) -> list[tuple[str, str]]:
        """Path and digest of each record."""
        found = self._named(self._index.ask(f"{_NAMES} ORDER BY number", self.segment))
        if list(found) != list(range(len(self.lengths))):
            raise self._index.fault("records are missing")
        return list(found.values())

    @property
    def digests(self) -> list[str]:
        """As `recall.corpus.Shelf`."""
        return [digest for _, digest in self.names]

    def _named(self, rows: Sequence[Any]) -> dict[int, tuple[str, str]]:
        found: dict[int, tuple[str, str]] = {}
        for number, path, digest, crc in rows:
            if crc != sum_of(str(self.segment), str(number), path, digest):
                raise self._index.fault("a record is damaged")
            found[number] = path, digest
        return found

    def heads(self, numbers: Sequence[int]) -> list[Record]:
        """As `recall.corpus.Shelf`."""
        try:
            names = self._names_of(numbers)
            found = self._found.some([names[number][0] for number in numbers])
            if any(record.digest != names[n][1] for n, record in zip(numbers, found, strict=True)):
                raise self._index.fault("a record is another one")
        except (KeyError, IndexError) as error:
            raise self._index.fault("a record is missing") from error
        return found

    def _names_of(self, numbers: Sequence[int]) -> Mapping[int, tuple[str, str]]:
        if len(numbers) > _MOST_NAMED or "names" in self.__dict__:
            return {number: self.names[number] for number in numbers}
        rows = self._index.ask(
            f"{_NAMES} AND number IN ({_marks(numbers)})",
            self.segment,
            *numbers,
        )
        return self._named(rows)

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
        rows = [row for row in index.ask(ROWS, index.seal) if row[0] in heads]
    else:
        rows = index.ask(f"{ROWS} AND path IN ({_marks(paths)})", index.seal, *paths)
    try:
        fit = [row for row in believed(rows) if heads[row[0]].digest == row[1]]
        for row, (whole, _) in zip(fit, decode_rows(fit), strict=True):
            if whole is not None:
                fill_head(heads[row[0]], whole)
    except DAMAGE as error:
        raise index.fault(str(error)) from error


def sum_of_segment(segment: int, sessions: int, blobs: Sequence[bytes]) -> int:
    """Return the check sum of a segment's row; -1 when it is not what was stored."""
    try:
        return crc32(b"".join(blobs), crc32(f"{segment} {int(bool(sessions))}".encode()))
    except TypeError:
        return -1


def sum_of_term(segment: int, term: str, numbers: bytes, counts: bytes) -> int:
    """Return the check sum of a term's row; -1 when it is not what was stored."""
    try:
        return crc32(counts, crc32(numbers, sum_of(term, facts=b"%d" % segment)))
    except TypeError:
        return -1


def digest_of(term: str) -> int:
    """Return 64 bits that tell whether a term is among those of a segment."""
    data = term.encode("utf-8", "surrogatepass")
    return crc32(data) << 32 | adler32(data)


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

    def blobs(self) -> tuple[bytes, bytes, bytes, bytes]:
        """Return lengths, standings, days and the digests of the terms, in order."""
        digests = array("Q", sorted(map(digest_of, self._terms)))
        days = self._days.tobytes()
        return self._lengths.tobytes(), bytes(self._standings), days, digests.tobytes()

    def words(self) -> bytes:
        """Return the terms that a slip of the keyboard may have made another word of, in order."""
        words = sorted(term for term in self._terms if term.isascii() and term.isalpha())
        return "\n".join(words).encode("ascii")

    def rows(self, segment: int) -> Iterator[tuple[int, str, bytes, bytes, int]]:
        """Yield what is stored of each term.

        Args:
            segment: the number of this segment.
        """
        for term in sorted(self._terms):
            numbers, counts = self._terms[term]
            one, other = numbers.tobytes(), bytes(counts)
            yield segment, term, one, other, sum_of_term(segment, term, one, other)
