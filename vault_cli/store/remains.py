"""What the derived cache holds of texts that a person gave up, taken out of it. + `store.index`.

A row that is deleted stays in a free page of the file until another needs the room, the words of a
record stay in its segment, and what a model made of a text is kept for when that comes back.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from contextlib import closing
from typing import TYPE_CHECKING, Final

from vault_cli.store.index import Index

if TYPE_CHECKING:
    import sqlite3

_DERIVED: Final = ("shelf", "search_segment", "search_record", "search_term", "search_state")
"""Tables that are made anew of the rows, sooner than one text is taken out of them."""

_PATIENCE: Final = 2.0


class Remains(Index):
    """The cache of one vault, when a text has to leave it. Raises for nothing, as all of it."""

    def clear(self, gone: Sequence[str]) -> None:
        """Leave nothing in the file of texts that no file of the vault holds.

        Args:
            gone: paths of files that are gone.
        """
        until = time.monotonic() + _PATIENCE  # another run writes: for a moment, as a rule
        while not self._cleared(gone) and time.monotonic() < until:
            time.sleep(0.05)

    def _cleared(self, gone: Sequence[str]) -> bool:
        def write(connection: sqlite3.Connection) -> None:
            connection.executemany("DELETE FROM record WHERE path = ?", ((path,) for path in gone))
            there = {name for (name,) in connection.execute("SELECT name FROM sqlite_schema")}
            for table in there.intersection(_DERIVED):
                connection.execute(f"DELETE FROM {table}")  # noqa: S608 - names of ours
            if "vector" in there:
                connection.execute(
                    "DELETE FROM vector WHERE digest NOT IN (SELECT digest FROM record)"
                )

        if self._key is None:
            return True
        with self.updating() as writable:
            if not writable:
                return False
            if self._header_fits():
                self._in_transaction(write)
                self._shrink()
            else:
                self._discard()
        return True

    def _shrink(self) -> None:
        """Make the file anew, without its free pages."""
        import sqlite3

        try:
            with closing(self._connect("rw")) as connection:
                connection.execute("VACUUM")
        except sqlite3.Error:
            self._discard()
