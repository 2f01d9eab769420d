"""What a search looks things up in, in the derived cache beside the rows. + `store.index`.

Records are stored in segments that never change: for each term the numbers of the records that have
it. A record that is changed or gone is only noted as gone, one that is new is read through until
there are enough for a segment of their own. Which records a segment holds is told by path and
digest, and whether all of it is as the vault now is by one digest of all paths and digests; so a
clock, a rename or another branch make no difference. What a term is, `recall.corpus` knows.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, NamedTuple, Protocol
from zlib import crc32

from vault_cli.model.record import Record
from vault_cli.store.codec import DAMAGE, decode_rows
from vault_cli.store.heads import fill_head
from vault_cli.store.index import Index

if TYPE_CHECKING:
    import sqlite3

FEW: Final = 200
"""So many new records are read through in each search before they become a segment."""

MOST_SEGMENTS: Final = 8
GONE_SHARE: Final = 3
"""When one in so many stored records is gone, all are stored anew."""

_MOST_NAMED: Final = 500
_TABLES: Final = """
CREATE TABLE IF NOT EXISTS search_segment (segment INTEGER PRIMARY KEY, seal INTEGER, layout TEXT,
    lengths BLOB, standings BLOB, days BLOB, sessions INTEGER, crc INTEGER);
CREATE TABLE IF NOT EXISTS search_record (segment INTEGER, number INTEGER, path TEXT, digest TEXT,
    PRIMARY KEY (segment, number)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS search_term (segment INTEGER, term TEXT, back TEXT, numbers BLOB,
    counts BLOB, crc INTEGER);
CREATE INDEX IF NOT EXISTS search_term_term ON search_term (term, segment);
CREATE INDEX IF NOT EXISTS search_term_back ON search_term (back) WHERE back IS NOT NULL;
CREATE TABLE IF NOT EXISTS search_state (seal INTEGER PRIMARY KEY, fingerprint TEXT, gone TEXT,
    loose TEXT)
"""
_DROP: Final = ("search_segment", "search_record", "search_term", "search_state")
_SEGMENTS: Final = (
    "SELECT segment, lengths, standings, days, sessions, crc FROM search_segment"
    " WHERE seal = ? AND layout = ? ORDER BY segment"
)
_ROWS: Final = "SELECT path, digest, facts, body, fields, findings FROM record WHERE seal = ?"
_LIKE: Final = (
    "SELECT term FROM search_term WHERE segment = ? AND back IS NOT NULL AND {0} >= ? AND {0} < ?"
)
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


Describe = Callable[[Record], Described]


class Postings(Index):
    """The stored postings of one vault. Loading raises only `PostingsError`, storing nothing."""

    def open(
        self, records: Sequence[Record], layout: str
    ) -> tuple[list[StoredShelf], list[Record]]:
        """Return the segments as they fit these records, and the records in none of them.

        Args:
            records: all searchable ones of the vault, sorted by path.
            layout: what terms are; segments of another layout are passed over.

        Raises:
            PostingsError: the cache is damaged.
        """
        found = _ByPath(records)
        shelves = [StoredShelf(self, found, row) for row in self.ask(_SEGMENTS, self.seal, layout)]
        if not shelves:
            return [], list(records)
        fingerprint = fingerprint_of(records)
        state = self.ask(
            "SELECT fingerprint, gone, loose FROM search_state WHERE seal = ?", self.seal
        )
        if state and state[0][0] == fingerprint:
            return _as_noted(shelves, found, state[0][1], state[0][2])
        return shelves, self._compare(shelves, found)

    def _compare(self, shelves: list[StoredShelf], found: _ByPath) -> list[Record]:
        """Set what is gone of each segment; return the records that none of them has."""
        known: set[str] = set()
        for shelf in shelves:
            for number, (path, digest) in enumerate(shelf.names):
                record = found.get(path)
                if record is None or record.digest != digest or path in known:
                    shelf.gone.add(number)
                else:
                    known.add(path)
        return [record for record in found.records if record.path not in known]

    @property
    def seal(self) -> int:
        """The number that every row of ours carries; 0 when no cache can be kept."""
        return self._key.seal if self._key is not None else 0

    def ask(self, statement: str, *values: object) -> list[Any]:
        """Return rows; none when there is no cache or no table yet.

        Raises:
            PostingsError: the cache is damaged.
        """
        if self._key is None or (self._connection is None and not self._header_fits()):
            return []
        import sqlite3

        try:
            if self._connection is None:
                self._connection = self._connect(self._read_mode())
                self._connection.execute("BEGIN")
            return self._connection.execute(statement, values).fetchall()
        except (sqlite3.Error, OverflowError, UnicodeError) as error:
            self.close()
            if "no such table" in str(error):
                return []
            raise PostingsError(str(error)) from error

    def bring_up_to_date(
        self,
        records: Sequence[Record],
        shelves: Sequence[StoredShelf],
        loose: Sequence[Record],
        layout: str,
        describe: Describe,
    ) -> bool:
        """Store what is not stored yet; return whether there are other segments now.

        Call it when no shelf is used any more. Nothing is written while another run writes, or
        where nothing may be written.
        """
        fingerprint = fingerprint_of(records)
        gone = sum(len(shelf.gone) for shelf in shelves)
        stored = sum(len(shelf.lengths) for shelf in shelves)
        anew = bool(loose) and (
            len(loose) > max(FEW, stored) or len(shelves) >= MOST_SEGMENTS and len(loose) > FEW
        )
        anew = anew or gone * GONE_SHARE > stored
        grown = anew or not shelves or len(loose) > FEW
        if not grown and self._is_noted(fingerprint):
            return False
        todo = records if anew else loose if grown else ()
        segment = _Segment()
        with self.updating() as writable:
            if not writable:
                return False
            for record in todo:
                segment.add(record, describe(record))
            left = [] if grown else [record.path for record in loose]

            def write(connection: sqlite3.Connection) -> None:
                self._write_segment(connection, segment, layout, anew=anew or not shelves)
                lost = {} if anew else {shelf.segment: sorted(shelf.gone) for shelf in shelves}
                connection.execute(
                    "INSERT OR REPLACE INTO search_state VALUES (?, ?, ?, ?)",
                    (self.seal, fingerprint, _dump(lost), _dump(left)),
                )

            self._in_transaction(write)
        return grown

    def _is_noted(self, fingerprint: str) -> bool:
        try:
            rows = self.ask("SELECT fingerprint FROM search_state WHERE seal = ?", self.seal)
        except PostingsError:
            return False
        return bool(rows) and rows[0][0] == fingerprint

    def _write_segment(
        self, connection: sqlite3.Connection, segment: _Segment, layout: str, *, anew: bool
    ) -> None:
        for statement in _TABLES.split(";"):
            connection.execute(statement)
        if anew:
            for table in _DROP:
                connection.execute(f"DELETE FROM {table}")  # noqa: S608 - names of ours
        if not segment.names:
            return
        (last,) = connection.execute("SELECT max(segment) FROM search_segment").fetchone()
        number = (last or 0) + 1
        blobs = segment.blobs()
        connection.execute(
            "INSERT INTO search_segment VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            (number, self.seal, layout, *blobs, segment.has_sessions, crc32(b"".join(blobs))),
        )
        connection.executemany(
            "INSERT INTO search_record VALUES (?, ?, ?, ?)",
            ((number, place, *names) for place, names in enumerate(segment.names)),
        )
        connection.executemany(
            "INSERT INTO search_term VALUES (?, ?, ?, ?, ?, ?)",
            ((number, *row) for row in segment.rows()),
        )

    def discard(self) -> None:
        """Throw the cache away; the next run makes it anew."""
        self.close()
        with self.updating() as writable:
            if writable:
                self._discard()


def _as_noted(
    shelves: list[StoredShelf], found: _ByPath, gone: str, loose: str
) -> tuple[list[StoredShelf], list[Record]]:
    """Return the segments and the rest as they were found the last time."""
    import json

    try:
        lost = {int(segment): set(numbers) for segment, numbers in json.loads(gone).items()}
        rest = [found.require(path) for path in json.loads(loose)]
    except DAMAGE as error:
        raise PostingsError(str(error)) from error
    for shelf in shelves:
        shelf.gone = lost.get(shelf.segment, set())
    return shelves, rest


def fingerprint_of(records: Iterable[Record]) -> str:
    """Return a digest of all paths and digests."""
    try:
        from _blake2 import blake2b
    except ImportError:
        from hashlib import blake2b

    text = "\n".join([f"{record.path}\t{record.digest}" for record in records])
    return blake2b(text.encode("utf-8", "surrogateescape"), digest_size=16).hexdigest()


def _dump(value: object) -> str:
    from vault_cli.store.codec import dump_json

    return dump_json(value)


class _ByPath:
    """The records of a vault, found by path."""

    def __init__(self, records: Sequence[Record]) -> None:
        self.records = records

    @cached_property
    def _known(self) -> dict[str, Record]:
        return {record.path: record for record in self.records}

    def get(self, path: str) -> Record | None:
        return self._known.get(path)

    def require(self, path: str) -> Record:
        return self._known[path]


class StoredShelf:
    """One segment, as `recall.corpus.Shelf`. Every method may raise `PostingsError`.

    Args:
        gone: numbers of records that are not in the vault any more as they were stored.
    """

    def __init__(self, index: Postings, found: _ByPath, row: Sequence[Any]) -> None:
        self._index = index
        self._found = found
        self.gone: set[int] = set()
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
                "SELECT term, numbers, counts, crc FROM search_term WHERE segment = ?"
                f" AND term IN ({_marks(some)})",
                self.segment,
                *some,
            )
            for term, numbers, counts, crc in rows:
                self._known[term] = self._decode(term, numbers, counts, crc)
        return {term: known for term in terms if (known := self._known[term]) is not None}

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
            return [self._found.require(paths[number]) for number in numbers]
        except KeyError as error:
            raise PostingsError("a record is missing") from error

    def _paths(self, numbers: Sequence[int]) -> Mapping[int, str]:
        if len(numbers) > _MOST_NAMED or "names" in self.__dict__:
            return {number: self.names[number][0] for number in numbers}
        rows = self._index.ask(
            "SELECT number, path FROM search_record WHERE segment = ?"
            f" AND number IN ({_marks(numbers)})",
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


def load_whole(index: Postings, heads: Mapping[str, Record]) -> None:
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


class _Segment:
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
