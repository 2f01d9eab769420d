"""What was seen of tool calls on this machine: `STATE/hook/sightings.db`. + `model`, `hook`.

A local file that nobody else reads: raw commands and errors stay here and never go into git. Each
event counts once, however often it is folded in. Nothing in it decides what is in force.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Final, NamedTuple

from vault_cli.errors import StoreError
from vault_cli.hook.fingerprint import fingerprint
from vault_cli.model.sighting import Sighting
from vault_cli.store.places import STATE_VARIABLE, state_folder

FILE: Final = "sightings.db"
MOST_CALLS: Final = 20_000
MOST_FAILURES: Final = 20_000
MOST_GIVEN: Final = 20_000
_WAIT: Final = 10.0
_TABLES: Final = """
CREATE TABLE IF NOT EXISTS calls (
  key TEXT PRIMARY KEY, at INTEGER, host TEXT, session TEXT, cwd TEXT, tool TEXT, given TEXT,
  failed INTEGER, exit_code INTEGER, interrupted INTEGER) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS calls_at ON calls(at);
CREATE TABLE IF NOT EXISTS failures (
  key TEXT PRIMARY KEY, at INTEGER, fingerprint TEXT, template TEXT, text TEXT) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS folded (frame TEXT PRIMARY KEY, at INTEGER) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS guard_hits (
  frame TEXT PRIMARY KEY, at INTEGER, vault TEXT, id TEXT, action TEXT, session TEXT,
  noted INTEGER) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS given (
  frame TEXT, at INTEGER, vault TEXT, session TEXT, receipt TEXT, ids TEXT,
  noted INTEGER, PRIMARY KEY (frame, vault)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS proposed (
  fingerprint TEXT, vault TEXT, id TEXT, at INTEGER, PRIMARY KEY (fingerprint, vault));
"""


class Failure(NamedTuple):
    """A failed call with what names the failure.

    Args:
        sighting: the call.
        fingerprint: 16 hex digits.
        template: the masked error.
    """

    sighting: Sighting
    fingerprint: str
    template: str


class Hit(NamedTuple):
    """A guard that was hit.

    Args:
        frame: names the event.
        vault: folder of its vault.
        action: `warn`, `deny`, or `log` (the call ran).
    """

    frame: str
    at: int
    vault: str
    id: str
    action: str
    session: str


class Given(NamedTuple):
    """What a hook gave a session of one vault.

    Args:
        frame: names the event.
        vault: folder of the vault.
        session: the agent program's name of it.
        receipt: of the block.
        ids: of the records, with blanks between.
    """

    frame: str
    at: int
    vault: str
    session: str
    receipt: str
    ids: str


class Sightings:
    """The open database; use `open_sightings`."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._db = connection

    def is_folded(self, frame: str) -> bool:
        """Tell whether a frame of the spool was taken in already."""
        found = self._db.execute("SELECT 1 FROM folded WHERE frame = ?", (frame,)).fetchone()
        return found is not None

    def mark_folded(self, frame: str, at: int) -> None:
        """Note that a frame was taken in."""
        self._db.execute("INSERT OR IGNORE INTO folded VALUES (?, ?)", (frame, at))

    def note(self, seen: Sighting) -> bool:
        """Take a call in; return whether it is new, or says more than was known of it."""
        row = self._db.execute("SELECT failed FROM calls WHERE key = ?", (seen.key,)).fetchone()
        if row is not None and (row[0] is not None or seen.failed is None):
            return False
        values = (
            *seen[:7],
            seen.failed,
            seen.exit_code,
            seen.interrupted,
        )
        self._db.execute(
            "INSERT OR REPLACE INTO calls VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", values
        )
        if seen.failed:
            mark, template = fingerprint(seen.tool, seen.text)
            self._db.execute(
                "INSERT OR REPLACE INTO failures VALUES (?, ?, ?, ?, ?)",
                (seen.key, seen.at, mark, template, seen.text),
            )
        return True

    def note_hit(self, hit: Hit) -> None:
        """Take in that a guard was hit."""
        self._db.execute("INSERT OR IGNORE INTO guard_hits VALUES (?, ?, ?, ?, ?, ?, 0)", hit)

    def unnoted_hits(self) -> list[Hit]:
        """Return the hits that are no observation yet, oldest first."""
        rows = self._db.execute(
            "SELECT frame, at, vault, id, action, session FROM guard_hits"
            " WHERE noted = 0 AND action != 'log' ORDER BY at, frame"
        )
        return [Hit(*row) for row in rows]

    def mark_noted(self, hits: Iterable[Hit]) -> None:
        """Note that hits became observations."""
        self._db.executemany(
            "UPDATE guard_hits SET noted = 1 WHERE frame = ?", [(hit.frame,) for hit in hits]
        )

    def note_given(self, given: Given) -> None:
        """Take in what a session was given."""
        self._db.execute("INSERT OR IGNORE INTO given VALUES (?, ?, ?, ?, ?, ?, 0)", given)

    def unnoted_given(self, vault: str) -> list[Given]:
        """Return what was given of a vault and is no observation yet, oldest first."""
        rows = self._db.execute(
            "SELECT frame, at, vault, session, receipt, ids FROM given"
            " WHERE noted = 0 AND vault = ? ORDER BY at, frame",
            (vault,),
        )
        return [Given(*row) for row in rows]

    def mark_given(self, given: Iterable[Given]) -> None:
        """Note that what was given became observations."""
        self._db.executemany(
            "UPDATE given SET noted = 1 WHERE frame = ? AND vault = ?",
            [(one.frame, one.vault) for one in given],
        )

    def count_hits(self, vault: str) -> dict[tuple[str, str], int]:
        """Return how often guards of a vault were hit on this machine, by id and action."""
        rows = self._db.execute(
            "SELECT id, action, count(*) FROM guard_hits WHERE vault = ? GROUP BY id, action",
            (vault,),
        )
        return {(record_id, action): number for record_id, action, number in rows}

    def failures(self) -> list[Failure]:
        """Return the failed calls, oldest first."""
        rows = self._db.execute(
            "SELECT key, c.at, host, session, cwd, tool, given, failed, exit_code, text,"
            " interrupted, fingerprint, template"
            " FROM failures f JOIN calls c USING (key) ORDER BY c.at, key"
        )
        return [Failure(_sighting(row[:11]), row[11], row[12]) for row in rows]

    def calls(self, most: int = MOST_CALLS) -> list[Sighting]:
        """Return the calls that were seen, the newest of them, oldest first."""
        rows = self._db.execute(
            "SELECT key, at, host, session, cwd, tool, given, failed, exit_code, '', interrupted"
            " FROM calls ORDER BY at DESC, key DESC LIMIT ?",
            (most,),
        ).fetchall()
        return [_sighting(row) for row in reversed(rows)]

    def proposals(self, vault: str) -> dict[str, str]:
        """Return the failures that were proposed in a vault: fingerprint to record id."""
        rows = self._db.execute("SELECT fingerprint, id FROM proposed WHERE vault = ?", (vault,))
        return dict(rows.fetchall())

    def note_proposal(self, fingerprint: str, vault: str, record_id: str, at: int) -> None:
        """Take down that a failure was proposed, so that it is not proposed again."""
        self._db.execute(
            "INSERT OR REPLACE INTO proposed VALUES (?, ?, ?, ?)",
            (fingerprint, vault, record_id, at),
        )

    def prune(self) -> None:
        """Drop the oldest when there are many; frames are forgotten with their calls."""
        for table, most in (
            ("calls", MOST_CALLS),
            ("failures", MOST_FAILURES),
            ("folded", 60_000),
            ("given", MOST_GIVEN),
        ):
            first = "key" if table in ("calls", "failures") else "frame"
            self._db.execute(
                f"DELETE FROM {table} WHERE {first} IN (SELECT {first} FROM {table}"  # noqa: S608 - names of ours
                " ORDER BY at DESC LIMIT -1 OFFSET ?)",
                (most,),
            )


def _sighting(row: tuple[object, ...]) -> Sighting:
    key, at, host, session, cwd, tool, given, failed, code, text, interrupted = row
    return Sighting(
        key=str(key),
        at=int(str(at)),
        host=str(host),
        session=str(session),
        cwd=str(cwd),
        tool=str(tool),
        given=str(given),
        failed=None if failed is None else bool(failed),
        exit_code=code if isinstance(code, int) else None,
        text=str(text),
        interrupted=bool(interrupted),
    )


def sightings_path() -> Path:
    """Return where the database is."""
    return state_folder() / "hook" / FILE


@contextmanager
def open_sightings() -> Iterator[Sightings]:
    """Open the database; what was done in the block counts whole, or not at all.

    Raises:
        StoreError: the state folder cannot be written, another process does not end, or the file is
            damaged (it also holds what `capture` keeps, and is left for a person to look at).
    """
    path = sightings_path()
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        connection = _connect(path)
    except (OSError, sqlite3.Error) as error:
        raise _unwritable(path, error) from error
    with closing(connection):
        try:
            connection.execute("BEGIN IMMEDIATE")  # so that two that fold at once do not deadlock
            yield Sightings(connection)
            connection.execute("COMMIT")
        except sqlite3.Error as error:
            raise _unwritable(path, error) from error


def _connect(path: Path) -> sqlite3.Connection:
    with suppress(FileExistsError):
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))
    return _prepared(path)


def _prepared(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(path, timeout=_WAIT, isolation_level=None)
    try:
        connection.executescript(_TABLES)
    except sqlite3.Error:
        connection.close()
        raise
    return connection


def _unwritable(path: Path, error: Exception) -> StoreError:
    is_damaged = isinstance(error, sqlite3.DatabaseError) and not isinstance(
        error, sqlite3.OperationalError
    )
    hint = f"Make the folder writable, or name another one in {STATE_VARIABLE}."
    if is_damaged:
        hint = "Put the file aside under another name; a new one is begun."
    return StoreError(f"cannot use {path}: {error}", hint=hint)
