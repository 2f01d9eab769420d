"""What sessions may teach, waiting to be looked at: `STATE/hook/sightings.db`. May import `errors`.

Per machine and never in git. An item stands here once however often it was seen; each sighting
names the session and the range in it. Work is taken at least once: an attempt is noted before it
begins, an item leaves only when what came of it is on the disk, and what failed too often is put
aside as a dead letter until a person asks for it again. Whoever keeps more in this file does so in
tables of their own.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Self

from vault_cli.errors import NotFoundError, StoreError, UsageError
from vault_cli.store.queue_base import (
    RETRY_AFTER,
    SELECT_ITEM,
    SELECT_LOG,
    TABLES,
    Item,
    LogRow,
    New,
    Seen,
    connect,
    explain,
    read_item,
)
from vault_cli.text.late import late

if TYPE_CHECKING:
    import sqlite3

MOST_TRIES: Final = 5
"""After more failed attempts than these an item or a log is a dead letter."""

ONCE_IN_SESSION: Final = 2
IN_ALL: Final = 3
"""A failure is listed when one session saw it so often, or all of them together."""

WATCHED, WAITING, DRAFTED, DROPPED, DEAD = "watched", "waiting", "drafted", "dropped", "dead"
STATES: Final = (WAITING, DEAD, DRAFTED, DROPPED, WATCHED)
SAME_MOMENT: Final = 120
"""Seconds within which two sightings of one text in one session are the same one."""

KEEP_WATCHED: Final = 90 * 86400
KEEP_SEEN: Final = 30 * 86400
_ALPHABET: Final = "0123456789abcdefghjkmnpqrstvwxyz"
_ID: Final = late(r"(?:q-|q$)?([0-9a-z]{0,7})")


class Queue:
    """The queue of this machine. Use it as a context: leaving it closes the file.

    Args:
        path: the database, None for one in memory that is lost at the end.
        spare: whether it lies in the spare folder, since the state folder cannot be written.
        readonly: nothing is written, and a file that is not there is an empty queue.
    """

    def __init__(self, path: Path | None, *, spare: bool = False, readonly: bool = False) -> None:
        self.path = path
        self.spare = spare
        self._base = connect(path, readonly=readonly)
        if not readonly or path is None:
            self._base.executescript(TABLES)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._base.close()

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """Do several things as one: all of them, or none.

        Raises:
            StoreError: the file is damaged, or another program keeps it.
        """
        import sqlite3

        try:
            self._base.execute("BEGIN IMMEDIATE")
            yield self._base
            self._base.execute("COMMIT")
        except sqlite3.Error as error:
            self._undo()
            raise explain(error, self.path) from error
        except BaseException:
            self._undo()
            raise

    def _undo(self) -> None:
        import sqlite3

        with suppress(sqlite3.Error):
            self._base.execute("ROLLBACK")

    def _rows(self, sql: str, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        import sqlite3

        try:
            return list(self._base.execute(sql, values))
        except sqlite3.OperationalError as error:
            if "no such table" in str(error):
                return []
            raise explain(error, self.path) from error
        except sqlite3.Error as error:
            raise explain(error, self.path) from error

    # What comes in

    def add(self, base: sqlite3.Connection, found: Iterable[New]) -> list[str]:
        """Take findings in, within `writing`; return the ids that came to wait by it.

        What stands there already gets another sighting; what was dropped stays dropped.
        """
        waiting = []
        for new in found:
            own = self._put(base, new)
            if own and self._see(base, own, new.sighting) and self._ripen(base, own, new):
                waiting.append(own)
        return waiting

    def _put(self, base: sqlite3.Connection, new: New) -> str:
        rows = list(base.execute("SELECT id FROM queue WHERE kind = ? AND key = ?", new[:2]))
        if rows:
            return str(rows[0][0])
        if new.known_only:
            return ""
        own = self._free_id(base, f"{new.kind}\0{new.key}")
        detail = json.dumps(dict(new.detail), ensure_ascii=False)
        at = new.sighting.at
        values = (own, *new[:3], detail, new.sighting.host, new.cwd, WATCHED, at, at)
        base.execute(
            "INSERT INTO queue (id, kind, key, text, detail, host, cwd, state, first, last)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            values,
        )
        return own

    @staticmethod
    def _free_id(base: sqlite3.Connection, text: str) -> str:
        """Return an id made from a text; another one when some other text has it already."""
        from hashlib import sha256

        for salt in range(100):
            digest = sha256(f"{text}\0{salt}".encode("utf-8", "surrogatepass")).digest()
            number = int.from_bytes(digest[:8], "big")
            own = "q-" + "".join(_ALPHABET[number >> 5 * place & 31] for place in range(7))
            if not list(base.execute("SELECT 1 FROM queue WHERE id = ?", (own,))):
                return own
        raise StoreError("no id is free in the queue")

    @staticmethod
    def _see(base: sqlite3.Connection, own: str, seen: Seen) -> bool:
        """Note a sighting; False when it is one that is known.

        The same moment in the same session may come from a hook and from a log, and a log that was
        copied into another session keeps its instants.
        """
        rows = base.execute(
            "SELECT session, start, end FROM sighting WHERE item = ? AND (session = ? OR at = ?)"
            " AND abs(at - ?) <= ? AND at",
            (own, seen.session, seen.at, seen.at, SAME_MOMENT),
        )
        for session, start, end in list(rows):
            if session != seen.session or _is_same(start, end, seen):
                if session == seen.session and seen.end.isdigit() and not str(end).isdigit():
                    base.execute(  # the log says where; the hook only knew when
                        "UPDATE sighting SET start = ?, end = ? WHERE item = ? AND session = ?"
                        " AND start = ? AND end = ?",
                        (seen.start, seen.end, own, session, start, end),
                    )
                return False
        cursor = base.execute(
            "INSERT OR IGNORE INTO sighting VALUES (?, ?, ?, ?, ?, ?)", (own, *seen)
        )
        if cursor.rowcount:
            base.execute(
                "UPDATE queue SET last = max(last, ?), first = min(first, ?) WHERE id = ?",
                (seen.at, seen.at, own),
            )
        return bool(cursor.rowcount)

    @staticmethod
    def _ripen(base: sqlite3.Connection, own: str, new: New) -> bool:
        """Let a watched item wait once it was seen often enough; tell whether it now does."""
        if new.kind == "repeated-error":
            total, most = next(
                base.execute(
                    "SELECT sum(n), max(n) FROM (SELECT count(*) AS n FROM sighting"
                    " WHERE item = ? GROUP BY session)",
                    (own,),
                )
            )
            if (most or 0) < ONCE_IN_SESSION and (total or 0) < IN_ALL:
                return False
        cursor = base.execute(
            "UPDATE queue SET state = ? WHERE id = ? AND state = ?", (WAITING, own, WATCHED)
        )
        return bool(cursor.rowcount)

    def take_frame(self, base: sqlite3.Connection, digest: str, now: int) -> bool:
        """Note a frame of the spool; False when it was taken in before."""
        row = base.execute("INSERT OR IGNORE INTO seen VALUES (?, ?)", (digest, now))
        return bool(row.rowcount)

    def prune(self, base: sqlite3.Connection, now: int) -> None:
        """Forget failures that were never seen again, and frames of long ago."""
        old = (WATCHED, now - KEEP_WATCHED)
        base.execute(
            "DELETE FROM sighting WHERE item IN"
            " (SELECT id FROM queue WHERE state = ? AND last < ?)",
            old,
        )
        base.execute("DELETE FROM queue WHERE state = ? AND last < ?", old)
        base.execute("DELETE FROM seen WHERE at < ?", (now - KEEP_SEEN,))

    # What is looked at

    def items(self, *states: str) -> list[Item]:
        """Return the items in some states, the newest first."""
        marks = ", ".join("?" * len(states))
        rows = self._rows(f"{SELECT_ITEM} WHERE state IN ({marks}) ORDER BY last DESC, id", states)
        return [read_item(row) for row in rows]

    def find(self, text: str) -> Item:
        """Return the item that an id or its unique beginning names.

        Raises:
            NotFoundError: there is none. UsageError: there are several.
        """
        match = _ID.fullmatch(text.strip().lower())
        start = f"q-{match[1]}" if match else ""
        rows = self._rows(f"{SELECT_ITEM} WHERE substr(id, 1, ?) = ? LIMIT 9", (len(start), start))
        exact = [row for row in rows if row[0] == start]
        if not start or not rows:
            raise NotFoundError(
                f"nothing in the queue is called {text[:80]}", hint="mvault capture list shows it."
            )
        if len(rows) > 1 and not exact:
            names = ", ".join(row[0] for row in rows)
            raise UsageError(f"{text} is the beginning of several: {names}")
        return read_item((exact or rows)[0])

    def sightings(self, own: str) -> list[Seen]:
        """Return where an item was seen, the first first."""
        rows = self._rows(
            "SELECT host, session, start, end, at FROM sighting WHERE item = ?"
            " ORDER BY at, session, start",
            (own,),
        )
        return [Seen(*row) for row in rows]

    def folders(self, own: str) -> set[str]:
        """Return the folders of the sessions an item was seen in, "" for one that is not known."""
        rows = self._rows(
            "SELECT DISTINCT seen.session, coalesce(log.cwd, '') FROM sighting AS seen"
            " LEFT JOIN sessions AS log ON log.session = seen.session AND log.cwd != ''"
            " WHERE seen.item = ?",
            (own,),
        )
        if len(rows) == 1 and not rows[0][1]:  # a hook told of it, and its folder is the item's
            return {self.find(own).cwd}
        return {str(folder) for _, folder in rows}

    def due(self, now: int) -> list[Item]:
        """Return what may be worked on now: all that waits, but for what failed a moment ago."""
        return [
            item
            for item in self.items(WAITING)
            if not item.last_error or now - item.last_attempt >= RETRY_AFTER
        ]

    # What becomes of it

    def begin(self, own: str, now: int) -> None:
        """Note that somebody tries to make something of an item, before it is tried."""
        with self.writing() as base:
            base.execute(
                "UPDATE queue SET attempts = attempts + 1, last_attempt = ? WHERE id = ?",
                (now, own),
            )

    def release(self, own: str) -> None:
        """Take an attempt back that was none: somebody has to be asked first."""
        with self.writing() as base:
            base.execute("UPDATE queue SET attempts = max(0, attempts - 1) WHERE id = ?", (own,))

    def settle(self, own: str, record: str) -> None:
        """Note what an item became, once that is on the disk."""
        with self.writing() as base:
            base.execute(
                "UPDATE queue SET state = ?, record = ?, last_error = '' WHERE id = ?",
                (DRAFTED, record, own),
            )

    def fail(self, own: str, error: str) -> bool:
        """Note why an attempt came to nothing; tell whether the item is a dead letter now."""
        with self.writing() as base:
            base.execute("UPDATE queue SET last_error = ? WHERE id = ?", (error[:500], own))
            cursor = base.execute(
                "UPDATE queue SET state = ? WHERE id = ? AND state = ? AND attempts > ?",
                (DEAD, own, WAITING, MOST_TRIES),
            )
            return bool(cursor.rowcount)

    def drop(self, ids: Sequence[str]) -> int:
        """Take items out for good; their keys stay, so that they do not come back."""
        with self.writing() as base:
            for own in ids:
                base.execute(
                    "UPDATE queue SET state = ?, text = '', detail = '{}', last_error = ''"
                    " WHERE id = ?",
                    (DROPPED, own),
                )
        return len(ids)

    def retry(self, ids: Sequence[str] = ()) -> int:
        """Let dead letters, and what waits for another attempt, be tried again now.

        Args:
            ids: which items; none for all, and the logs that could not be read.

        Returns:
            How many items and logs.
        """
        fresh = "attempts = 0, last_attempt = 0, last_error = ''"
        with self.writing() as base:
            if ids:
                marks = ", ".join("?" * len(ids))
                return base.execute(
                    f"UPDATE queue SET {fresh}, state = ? WHERE state IN (?, ?)"  # noqa: S608 - question marks only
                    f" AND id IN ({marks})",
                    (WAITING, WAITING, DEAD, *ids),
                ).rowcount
            items = base.execute(
                f"UPDATE queue SET {fresh}, state = ? WHERE state = ?"  # noqa: S608 - constants
                " OR (state = ? AND last_error != '')",
                (WAITING, DEAD, WAITING),
            ).rowcount
            logs = base.execute(
                f"UPDATE sessions SET {fresh}, dead = 0 WHERE dead OR last_error != ''"  # noqa: S608 - constants
            ).rowcount
        return int(items) + int(logs)

    # Logs

    def log(self, path: str) -> LogRow | None:
        """Return how far a log was read, None when it never was."""
        rows = self._rows(f"{SELECT_LOG} WHERE path = ?", (path,))
        return LogRow(*rows[0]) if rows else None

    def logs(self) -> list[LogRow]:
        """Return all logs that were read or tried, the last read first."""
        return [LogRow(*row) for row in self._rows(f"{SELECT_LOG} ORDER BY read_at DESC, path")]

    def save_log(self, base: sqlite3.Connection, row: LogRow) -> None:
        """Note how far a log was read, with what was found in it: within `writing`."""
        marks = ", ".join("?" * len(row))
        base.execute(f"INSERT OR REPLACE INTO sessions VALUES ({marks})", row)  # noqa: S608 - question marks only

    def fail_log(self, row: LogRow, error: str, now: int) -> LogRow:
        """Note why a log could not be read; return the row as it stands now."""
        tries = row.attempts + 1
        failed = row._replace(
            attempts=tries,
            last_attempt=now,
            last_error=error[:500],
            dead=int(tries > MOST_TRIES),
        )
        with self.writing() as base:
            self.save_log(base, failed)
        return failed

    def counts(self) -> dict[str, int]:
        """Return how many items there are in each state."""
        rows = self._rows("SELECT state, count(*) FROM queue GROUP BY state")
        found = {str(state): int(number) for state, number in rows}
        return {state: found.get(state, 0) for state in STATES}

    def copy(self) -> Queue:
        """Return a copy in memory, to try out what a run would do."""
        twin = Queue(None)
        self._base.backup(twin._base)
        twin._base.executescript(TABLES)
        return twin


def _is_same(start: str, end: str, seen: Seen) -> bool:
    """Tell whether two places of one moment are the same: one of them may be an instant."""
    if str(end).isdigit() == seen.end.isdigit():
        return (str(start), str(end)) == (seen.start, seen.end)
    return True
