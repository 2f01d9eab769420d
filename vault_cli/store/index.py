"""Derived cache of parsed files in `.state/index.sqlite`: throw-away, rebuilt without asking.

May import `model`, `errors`, `store.opening`, `store.codec`; sqlite3 inside functions.

A cache is only believed when its header carries a key made from a random token that never leaves
this machine's own state folder (so one that came with a folder from elsewhere is not), and a row
only when the file's stamp is the same and was old enough, by the file system's own clock, when
the file was read.

A row per file with all that was in it, and a row per folder (a shelf) with what a list needs of
its files. A folder whose listing is the same needs no look at its files' rows. The two tables of
past commits are used in `past_index`.

Whoever keeps more in this file does so in tables of their own, in a subclass: `_query` reads (a
table that is not there has no rows), `_in_transaction` writes inside `updating`, and may begin
with `CREATE TABLE IF NOT EXISTS`. What is derived from a text refers to `record.id`: a row of
another text has a greater one and none is used twice, so that ids above the greatest one seen are
new, and ids that are not in `record` are gone.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from vault_cli.errors import VaultError
from vault_cli.store.codec import Columns, Row
from vault_cli.store.file_names import folder_of
from vault_cli.store.index_key import make_key, signed
from vault_cli.store.index_rows import ROWS, TABLES, Text, believed, sum_of, text_of
from vault_cli.store.lock import open_lock_file, try_lock
from vault_cli.store.opening import CREATE_FLAGS, Folders, read_at
from vault_cli.store.walk import Listing, Stamp

if TYPE_CHECKING:
    import sqlite3

INDEX_PATH: Final = ".state/index.sqlite"
_LOCK_PATH: Final = ".state/index.lock"
_COMPANIONS: Final = ("", "-wal", "-shm", "-journal")
_MAGIC: Final = b"SQLite format 3\0"
_TICK_NS: Final = 2_100_000_000
"""Coarsest time stamp of a file system in use (FAT: two seconds), and a little."""
_NEVER: Final = 1 << 62
"""A time stamp that is never old enough to be believed."""

_SHELVES: Final = "SELECT folder, names, facts, heads, crc, {} FROM shelf WHERE seal = ?"
_JOURNAL: Final = "SELECT journal_mode FROM pragma_journal_mode WHERE ? IS NOT NULL"
_SEEN: Final = (
    "UPDATE record SET size = ?, mtime = ?, ctime = ?, inode = ?, settled = ?"
    " WHERE path = ? AND seal = ? AND digest = ?"
)
_STAMPS: Final = "SELECT path, size, mtime, ctime, inode FROM record WHERE seal = ? AND settled"


class Shelf(NamedTuple):
    """A folder as it was when all of its files were in the cache.

    Args:
        listing: tells whether any of its files changed since.
        heads: what a list shows of them (`heads.encode_heads`).
        rest: what ranking looks at besides (`outlines.encode_rest`); "" when it was not loaded.
    """

    listing: Listing
    heads: str
    rest: str


class Entry(NamedTuple):
    """One file for the cache: where and when it was read, and what was in it.

    Args:
        columns: None when the row has them already, and only the stamp is another.
    """

    stamp: Stamp
    digest: str
    columns: Columns | None


class Index:
    """The cache of one vault. No method raises for a bad, foreign, locked or missing cache.

    Args:
        root: the vault.
        gates: the gates of admission that are on; findings are cached as those saw the files.
    """

    def __init__(self, root: Path, gates: frozenset[str]) -> None:
        self._root = root
        self._key = make_key(root, gates)
        self._clock = 0
        self._connection: sqlite3.Connection | None = None

    def load_shelves(self, *, rest: bool = False) -> dict[str, Shelf]:
        """Return the shelves by folder; empty when there is no cache to believe.

        Args:
            rest: with all that ranking looks at; False leaves it empty.
        """
        found: dict[str, Shelf] = {}
        for folder, names, facts, heads, crc, more, more_crc in self._query(
            _SHELVES.format("rest, rest_crc" if rest else "'', 0")
        ):
            fits = not rest or more_crc == sum_of(folder, more)
            if fits and type(facts) is bytes and crc == sum_of(folder, names, heads, facts=facts):
                found[folder] = Shelf(Listing(names, facts), heads, more)
        return found

    def stands_still(self) -> bool:
        """Tell whether what is read stays as it is until `close`, and keeps no writer waiting."""
        return self._query(_JOURNAL) == [("wal",)]

    def load_texts(self) -> dict[str, Text]:
        """Return the texts of all files by path."""
        return {row[0]: text_of(row) for row in believed(self._query(ROWS))}

    def load_text(self, path: str) -> Text | None:
        """Return the text of one file."""
        row = self.load_row(path)
        return text_of(row) if row is not None else None

    def load_stamps(self, folder: str | None = None) -> dict[str, Stamp]:
        """Return the stamps to be believed, of all files or of one folder, by path."""
        if folder is None:
            return {row[0]: Stamp(*row) for row in self._query(_STAMPS)}
        return {row[0]: Stamp(*row) for row in self._query(f"{_STAMPS} AND folder = ?", folder)}

    def load_rows(self) -> dict[str, Row]:
        """Return all rows by path; empty when there is no cache to believe."""
        return {row[0]: row for row in believed(self._query(ROWS))}

    def load_folder(self, folder: str) -> dict[str, Row]:
        """Return the rows of the files directly in one folder."""
        return {row[0]: row for row in believed(self._query(f"{ROWS} AND folder = ?", folder))}

    def load_row(self, path: str) -> Row | None:
        """Return the row of one file."""
        return next(iter(believed(self._query(f"{ROWS} AND path = ?", path))), None)

    def known_folders(self) -> set[str]:
        """Return every folder of which there is a row."""
        return {row[0] for row in self._query("SELECT DISTINCT folder FROM record WHERE seal = ?")}

    def close(self) -> None:
        """End the reading; what was loaded between two of these is of one moment."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def __del__(self) -> None:
        """End the reading with the last record whose text may still be asked for."""
        self.close()

    def _query(self, statement: str, *values: object) -> list[Any]:
        if self._key is None or (self._connection is None and not self._header_fits()):
            return []
        import sqlite3

        try:
            if self._connection is None:
                self._connection = self._connect(self._read_mode())
                self._connection.execute("BEGIN")
            return self._connection.execute(statement, (self._key.seal, *values)).fetchall()
        except (sqlite3.Error, OverflowError, UnicodeError):
            self.close()
            return []

    @contextmanager
    def updating(self) -> Iterator[bool]:
        """Hold the right to write the cache; yields False when another run has it or it is fixed.

        Enter it before files are read: the file system's clock of that moment decides which
        stamps are old enough to be believed later.
        """
        if self._key is None:
            yield False
            return
        file = _open_lock(self._root)
        if file < 0:
            yield False
            return
        try:
            held = _try_lock(file)
            if held:
                self._clock = _file_system_clock(file)
            yield held
        finally:
            os.close(file)

    def store(
        self, entries: Iterable[Entry], gone: Iterable[str], shelves: Mapping[str, Shelf | None]
    ) -> None:
        """Write rows and forget paths; call inside `updating`. A failure only costs time later.

        Args:
            entries: files that were read.
            gone: paths to forget.
            shelves: folders to write, and with None those to forget.
        """

        def write(connection: sqlite3.Connection) -> None:
            self._write(connection, entries, gone)
            self._write_shelves(connection, shelves)

        self._in_transaction(write)

    def keep(self, texts: Mapping[str, tuple[str, Columns]], gone: Iterable[str]) -> None:
        """Take in what files hold that were just written; a failure only costs time later.

        Nobody knows yet which stamps they have: the next read compares the digests.

        Args:
            texts: by path, digest and what was in it.
            gone: paths to forget.
        """
        entries = [
            Entry(Stamp(path, 0, _NEVER, _NEVER, 0), digest, columns)
            for path, (digest, columns) in texts.items()
        ]
        with self.updating() as writable:
            if writable:
                self.store(entries, gone, {})

    def _in_transaction(self, write: Callable[[sqlite3.Connection], None]) -> None:
        """Write to the cache, made anew where there is none; when that fails there is none."""
        import sqlite3

        self.close()
        try:
            if not self._header_fits():
                self._create()
            connection = self._connect("rw")
            try:
                with connection:
                    write(connection)
            finally:
                connection.close()
        except (sqlite3.Error, OSError, VaultError, OverflowError, UnicodeError):
            self._discard()

    def _write(
        self, connection: sqlite3.Connection, entries: Iterable[Entry], gone: Iterable[str]
    ) -> None:
        key = self._key
        assert key is not None  # noqa: S101 - as above
        rows, seen = [], []
        for stamp, digest, columns in entries:
            facts = (*stamp[1:], self.is_settled(stamp))
            if columns is None:
                seen.append((*facts, stamp.path, key.seal, digest))
                continue
            place = (stamp.path, key.seal, folder_of(stamp.path))
            crc = sum_of(stamp.path, digest, *columns)
            rows.append((*place, *facts, digest, *columns, crc))
        connection.executemany("DELETE FROM record WHERE path = ?", ((path,) for path in gone))
        connection.executemany(_SEEN, seen)
        connection.executemany(
            "INSERT OR REPLACE INTO record VALUES (NULL, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            rows,
        )

    def _write_shelves(
        self, connection: sqlite3.Connection, shelves: Mapping[str, Shelf | None]
    ) -> None:
        key = self._key
        assert key is not None  # noqa: S101 - as above
        rows = [
            (
                *(folder, key.seal, *shelf.listing, shelf.heads),
                sum_of(folder, shelf.listing.names, shelf.heads, facts=shelf.listing.facts),
                *(shelf.rest, sum_of(folder, shelf.rest)),
            )
            for folder, shelf in shelves.items()
            if shelf is not None
        ]
        connection.executemany(
            "DELETE FROM shelf WHERE folder = ?", ((folder,) for folder in shelves)
        )
        connection.executemany("INSERT INTO shelf VALUES (?, ?, ?, ?, ?, ?, ?, ?)", rows)

    def is_settled(self, stamp: Stamp) -> bool:
        """Tell whether a stamp was old enough when `updating` began to be believed later."""
        return max(stamp.mtime_ns, stamp.ctime_ns) + _TICK_NS < self._clock

    def _header_fits(self) -> bool:
        """Compare the key in the header before SQLite gets to see a file of unknown origin."""
        try:
            with Folders(self._root) as folders:
                name, handle = folders.locate(INDEX_PATH)
                data, _ = read_at(name, handle, 1 << 40, upto=100)
        except (OSError, VaultError):
            return False
        key = self._key
        return (
            key is not None
            and data[:16] == _MAGIC
            and data[60:64] == key.user_version
            and data[68:72] == key.application_id
        )

    def _read_mode(self) -> str:
        # Where nothing may be written SQLite could not make its shared-memory file.
        writable = os.access(self._root / ".state", os.W_OK) and os.access(
            self._root / INDEX_PATH, os.W_OK
        )
        return "rw" if writable else "ro&immutable=1"

    def _connect(self, mode: str) -> sqlite3.Connection:
        import sqlite3

        place = (self._root.absolute() / INDEX_PATH).as_posix()
        for char in "%?#":
            place = place.replace(char, f"%{ord(char):02x}")
        place = place if place.startswith("/") else f"/{place}"
        # The last record may be collected in another thread, and closes what it was read from.
        connection = sqlite3.connect(
            f"file:{place}?mode={mode}", timeout=0.2, uri=True, check_same_thread=False
        )
        try:
            connection.execute("PRAGMA trusted_schema = OFF")
            connection.execute("PRAGMA synchronous = NORMAL")
        except sqlite3.Error:
            connection.close()
            raise
        return connection

    def _create(self) -> None:
        """Make an empty cache; whatever stood there goes unread."""
        self._discard()
        key = self._key
        assert key is not None  # noqa: S101 - as above
        with Folders(self._root) as folders:
            name, handle = folders.locate(INDEX_PATH, create=True)
            os.close(os.open(name, CREATE_FLAGS, 0o600, dir_fd=handle))
        connection = self._connect("rw")
        try:
            # Without the key nobody believes the file: until it is there nothing need be flushed.
            connection.executescript(f"PRAGMA synchronous = OFF; BEGIN; {TABLES}; COMMIT")
            connection.executescript(
                "PRAGMA synchronous = NORMAL; BEGIN;"
                f"PRAGMA application_id = {signed(key.application_id)};"
                f"PRAGMA user_version = {signed(key.user_version)}; COMMIT;"
                "PRAGMA journal_mode = WAL"
            )
        finally:
            connection.close()

    def _discard(self) -> None:
        for tail in _COMPANIONS:
            with suppress(OSError, VaultError), Folders(self._root) as folders:
                name, handle = folders.locate(INDEX_PATH + tail)
                os.unlink(name, dir_fd=handle)


def _open_lock(root: Path) -> int:
    try:
        return open_lock_file(root, _LOCK_PATH)
    except VaultError:
        return -1


def _try_lock(file: int) -> bool:
    try:
        return try_lock(file)
    except VaultError:  # no file locks here: then nobody writes a cache
        return False


def _file_system_clock(file: int) -> int:
    """Return the time the vault's file system would stamp a write with right now."""
    with suppress(OSError, NotImplementedError, TypeError):
        os.utime(file)
        return os.fstat(file).st_mtime_ns
    return 0  # unknown: no stamp is old enough
