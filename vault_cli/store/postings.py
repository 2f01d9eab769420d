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
from vault_cli.store.segments import (
    ByPath,
    Described,
    PostingsError,
    Segment,
    StoredShelf,
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


Describe = Callable[[Record], Described]


class Postings(Index):
    """The stored postings of one vault. Loading raises only `PostingsError`, storing nothing."""

    _fingerprint = ""
    _is_noted = False

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
        state = self.ask(
            "SELECT fingerprint, gone, loose FROM search_state WHERE seal = ?", self.seal
        )
        if state and state[0][0] == self._fingerprint:
            self._is_noted = True
            return _as_noted(shelves, found, state[0][1], state[0][2])
        return shelves, self._compare(shelves, found)

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
            raise PostingsError(str(error)) from error

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
                self._write_segment(connection, segment, layout, anew=anew or not shelves)
                lost = {} if anew else {shelf.segment: sorted(shelf.gone) for shelf in shelves}
                connection.execute(
                    "INSERT OR REPLACE INTO search_state VALUES (?, ?, ?, ?)",
                    (self.seal, self._fingerprint, dump_json(lost), dump_json(left)),
                )

            self._in_transaction(write)
        return grown

    def _write_segment(
        self, connection: sqlite3.Connection, segment: Segment, layout: str, *, anew: bool
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
    shelves: list[StoredShelf], found: ByPath, gone: str, loose: str
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
