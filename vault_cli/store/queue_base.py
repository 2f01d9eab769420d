"""The database of the queue: its tables, its rows as values. May import `errors`."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from vault_cli.errors import StoreError

if TYPE_CHECKING:
    import sqlite3

RETRY_AFTER: Final = 30 * 60
"""Seconds after a failed attempt in which the next one waits."""

_WAIT: Final = 10.0

TABLES: Final = """
CREATE TABLE IF NOT EXISTS queue (id TEXT PRIMARY KEY, kind TEXT, key TEXT, text TEXT, detail TEXT,
    host TEXT, cwd TEXT, state TEXT, first INTEGER, last INTEGER, attempts INTEGER DEFAULT 0,
    last_attempt INTEGER DEFAULT 0, last_error TEXT DEFAULT '', record TEXT DEFAULT '',
    UNIQUE (kind, key));
CREATE TABLE IF NOT EXISTS sighting (item TEXT, host TEXT, session TEXT, start TEXT, end TEXT,
    at INTEGER, PRIMARY KEY (item, session, start, end));
CREATE TABLE IF NOT EXISTS sessions (path TEXT PRIMARY KEY, host TEXT, session TEXT, cwd TEXT,
    size INTEGER, mtime INTEGER, offset INTEGER, line INTEGER, digest TEXT, done INTEGER,
    read_at INTEGER, notes TEXT, attempts INTEGER DEFAULT 0, last_attempt INTEGER DEFAULT 0,
    last_error TEXT DEFAULT '', dead INTEGER DEFAULT 0);
CREATE TABLE IF NOT EXISTS seen (digest TEXT PRIMARY KEY, at INTEGER)
"""
SELECT_ITEM: Final = (
    "SELECT id, kind, key, text, detail, host, cwd, state, first, last, attempts, last_attempt,"
    " last_error, record FROM queue"
)
SELECT_LOG: Final = (
    "SELECT path, host, session, cwd, size, mtime, offset, line, digest, done, read_at, notes,"
    " attempts, last_attempt, last_error, dead FROM sessions"
)


class Item(NamedTuple):
    """One thing that waits, or what became of it.

    Args:
        id: `q-` and seven characters, made from what it says.
        kind, key, text, detail: as the planner gave them (`features.capture.Finding`).
        host, cwd: of the session that it was seen in last.
        state: one of `STATES`.
        first, last: Unix times of the first and the last sighting.
        attempts, last_attempt, last_error: of making something of it.
        record: id of the record it became, "" for none.
    """

    id: str
    kind: str
    key: str
    text: str
    detail: Mapping[str, Any]
    host: str
    cwd: str
    state: str
    first: int
    last: int
    attempts: int
    last_attempt: int
    last_error: str
    record: str


class Seen(NamedTuple):
    """Where an item was seen: which session, and from where to where in it."""

    host: str
    session: str
    start: str
    end: str
    at: int


class LogRow(NamedTuple):
    """How far a session log was read.

    Args:
        path: absolute.
        host, session, cwd: as the log says.
        size, mtime: of the file then; mtime in nanoseconds.
        offset, line: where the next run begins (the last turn but one), `digest` of all before it.
        done: byte behind the last whole line that was read.
        read_at: Unix time.
        notes: what was odd, one a line.
        attempts, last_attempt, last_error: of reading it; `dead` after too many.
    """

    path: str
    host: str = ""
    session: str = ""
    cwd: str = ""
    size: int = 0
    mtime: int = 0
    offset: int = 0
    line: int = 1
    digest: str = ""
    done: int = 0
    read_at: int = 0
    notes: str = ""
    attempts: int = 0
    last_attempt: int = 0
    last_error: str = ""
    dead: int = 0

    def is_due(self, now: int) -> bool:
        """Tell whether it may be tried again by itself."""
        return not self.dead and (not self.last_error or now - self.last_attempt >= RETRY_AFTER)


class New(NamedTuple):
    """A finding as it comes in: kind, key, text, where it was seen, the folder, details.

    `known_only`: it counts as a sighting of what is there, and makes no item.
    """

    kind: str
    key: str
    text: str
    sighting: Seen
    cwd: str
    detail: Mapping[str, Any]
    known_only: bool = False


def read_item(row: Sequence[Any]) -> Item:
    """Return a row of `SELECT_ITEM` as a value; details that cannot be read are left out."""
    values = list(row)
    try:
        detail = json.loads(values[4])
    except ValueError:
        detail = {}
    values[4] = detail if isinstance(detail, dict) else {}
    return Item(*values)


def connect(path: Path | None, *, readonly: bool) -> sqlite3.Connection:
    """Open the database; None for one in memory.

    Raises:
        StoreError: it is damaged, or cannot be opened.
    """
    import sqlite3
    from urllib.parse import quote

    name = ":memory:"
    if path is not None:
        mode = "ro" if readonly else "rw"
        name = f"file:{quote(os.fspath(path))}?mode={mode}"
    try:
        base = sqlite3.connect(name, timeout=_WAIT, isolation_level=None, uri=True)
        base.execute("PRAGMA secure_delete = ON")  # what is dropped is gone from the file, too
        base.execute("SELECT count(*) FROM sqlite_master")
    except sqlite3.Error as error:
        raise explain(error, path) from error
    return base


def explain(error: sqlite3.Error, path: Path | None) -> StoreError:
    """Return the error that a person sees for one of the database."""
    words = str(error)
    if "locked" in words or "busy" in words:
        hint = "Another mvault is writing; try again."
    elif "not a database" in words or "malformed" in words:
        hint = "Move the file away; session logs are read again then."
    else:
        hint = "Check the folder and the disk."
    return StoreError(f"the queue {path or 'in memory'} cannot be used: {words}", hint=hint)
