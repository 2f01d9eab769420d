"""What a search looks things up in, in the derived cache beside the rows. + `store.index`.

Records are stored in segments that never change: for each term the numbers of the records that have
it. A record that is changed or gone is only noted as gone, one that is new is read through until
there are enough for a segment of their own. Which records a segment holds is told by path and
digest, and whether all of it is as the vault now is by one digest of all paths and digests; so a
clock, a rename or another branch make no difference. What a term is, `recall.corpus` knows.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Final
from zlib import crc32

from vault_cli.model.record import Record
from vault_cli.store.codec import DAMAGE, dump_json
from vault_cli.store.index import Index
from vault_cli.store.index_rows import sum_of
from vault_cli.store.segments import (
    ByPath,
    Described,
    PostingsError,
    Segment,
    StoredShelf,
    sum_of_segment,
)

if TYPE_CHECKING:
    import sqlite3

FEW: Final = 200
"""So many new records are read through in each search before they become a segment."""

MOST_SEGMENTS: Final = 8
GONE_SHARE: Final = 3
"""When one in so many stored records is gone, all are stored anew."""

_TABLES: Final = """
CREATE TABLE IF NOT EXISTS search_segment (segment INTEGER PRIMARY KEY, seal INTEGER, layout TEXT,
    sessions INTEGER, lengths BLOB, standings BLOB, days BLOB, terms BLOB, crc INTEGER, words BLOB,
    words_crc INTEGER);
CREATE TABLE IF NOT EXISTS search_record (segment INTEGER, number INTEGER, path TEXT, digest TEXT,
    crc INTEGER, PRIMARY KEY (segment, number)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS search_term (segment INTEGER, term TEXT, numbers BLOB, counts BLOB,
    crc INTEGER);
CREATE INDEX IF NOT EXISTS search_term_term ON search_term (term, segment);
CREATE TABLE IF NOT EXISTS search_state (seal INTEGER PRIMARY KEY, fingerprint TEXT, gone TEXT,
    loose TEXT, crc INTEGER)
"""
_DROP: Final = ("search_segment", "search_record", "search_term", "search_state")
_SEGMENTS: Final = (
    "SELECT segment, sessions, lengths, standings, days, terms, crc FROM search_segment"
    " WHERE seal = ? AND layout = ? ORDER BY segment"
)


_STATE: Final = "SELECT fingerprint, gone, loose, crc FROM search_state WHERE seal = ?"
Describe = Callable[[Record], Described]


class Postings(Index):
    """The stored postings of one vault. Loading raises only `PostingsError`, storing nothing."""

    _fingerprint = ""
    _is_noted = False
    is_damaged = False
    """Whether something in it turned out not to be what was stored."""

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
        found = ByPath(records)
        self._fingerprint = fingerprint_of(records)
        self._is_noted = False
        shelves = [StoredShelf(self, found, row) for row in self.ask(_SEGMENTS, self.seal, layout)]
        if not shelves:
            return [], list(records)
        for fingerprint, gone, loose, crc in self.ask(_STATE, self.seal):
            if fingerprint == self._fingerprint and crc == sum_of(fingerprint, gone, loose):
                self._is_noted = True
                return shelves, self._take_noted(shelves, found, gone, loose)
        return shelves, self._compare(shelves, found)

    def _take_noted(
        self, shelves: list[StoredShelf], found: ByPath, gone: str, loose: str
    ) -> list[Record]:
        """Set what is gone as it was found the last time; return the records that none has."""
        import json

        try:
            lost = {int(segment): set(numbers) for segment, numbers in json.loads(gone).items()}
            for shelf in shelves:
                shelf.gone = lost.pop(shelf.segment)
            rest = [found.require(path) for path in json.loads(loose)]
        except DAMAGE as error:
            raise self.fault(str(error)) from error
        if lost:
            raise self.fault("a segment is missing")
        return rest

    def _compare(self, shelves: list[StoredShelf], found: ByPath) -> list[Record]:
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
            raise self.fault(str(error)) from error

    def fault(self, what: str) -> PostingsError:
        """Return the error that says what is damaged, and remember that something is."""
        self.is_damaged = True
        return PostingsError(what)

    def bring_up_to_date(
        self,
        records: Sequence[Record],
        shelves: Sequence[StoredShelf],
        loose: Sequence[Record],
        layout: str,
        describe: Describe,
    ) -> bool:
        """Store what `open` found is not stored yet; return whether there are other segments now.

        Call it when no shelf is used any more. Nothing is written while another run writes, or
        where nothing may be written.
        """
        gone = sum(len(shelf.gone) for shelf in shelves)
        stored = sum(len(shelf.lengths) for shelf in shelves)
        anew = bool(loose) and (
            len(loose) > max(FEW, stored) or (len(shelves) >= MOST_SEGMENTS and len(loose) > FEW)
        )
        anew = anew or gone * GONE_SHARE > stored
        grown = anew or not shelves or len(loose) > FEW
        if not grown and self._is_noted:
            return False
        todo = records if anew else loose if grown else ()
        segment = Segment()
        with self.updating() as writable:
            if not writable:
                return False
            for record in todo:
                segment.add(record, describe(record))
            left = [] if grown else [record.path for record in loose]

            def write(connection: sqlite3.Connection) -> None:
                number = self._write_segment(connection, segment, layout, anew=anew or not shelves)
                lost = {} if anew else {shelf.segment: sorted(shelf.gone) for shelf in shelves}
                state = self._fingerprint, dump_json({**lost, **number}), dump_json(left)
                connection.execute(
                    "INSERT OR REPLACE INTO search_state VALUES (?, ?, ?, ?, ?)",
                    (self.seal, *state, sum_of(*state)),
                )

            self._in_transaction(write)
        return grown

    def _write_segment(
        self, connection: sqlite3.Connection, segment: Segment, layout: str, *, anew: bool
    ) -> dict[int, list[int]]:
        """Write a segment, if there is anything in it; return its number with nothing gone."""
        for statement in _TABLES.split(";"):
            connection.execute(statement)
        if anew:
            for table in _DROP:
                connection.execute(f"DELETE FROM {table}")  # noqa: S608 - names of ours
        if not segment.names:
            return {}
        (last,) = connection.execute("SELECT max(segment) FROM search_segment").fetchone()
        number = (last or 0) + 1
        blobs, words, sessions = segment.blobs(), segment.words(), int(segment.has_sessions)
        connection.execute(
            "INSERT INTO search_segment VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                *(number, self.seal, layout, sessions, *blobs),
                *(sum_of_segment(number, sessions, blobs), words, crc32(words, number)),
            ),
        )
        connection.executemany(
            "INSERT INTO search_record VALUES (?, ?, ?, ?, ?)",
            (
                (number, place, *names, sum_of(str(number), str(place), *names))
                for place, names in enumerate(segment.names)
            ),
        )
        connection.executemany(
            "INSERT INTO search_term VALUES (?, ?, ?, ?, ?)", segment.rows(number)
        )
        return {number: []}

    def discard(self) -> None:
        """Throw the cache away; the next run makes it anew."""
        self.close()
        with self.updating() as writable:
            if writable:
                self._discard()


def fingerprint_of(records: Sequence[Record]) -> str:
    """Return a digest of all paths and digests."""
    try:
        from _blake2 import blake2b
    except ImportError:
        from hashlib import blake2b

    state = blake2b(digest_size=16)
    for texts in ([record.path for record in records], [record.digest for record in records]):
        state.update("\n".join(texts).encode("utf-8", "surrogatepass") + b"\0")
    return state.hexdigest()
