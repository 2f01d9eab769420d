"""Vectors of texts that a model has read, in the derived cache beside the rows. + `store.index`.

A vector belongs to the bytes of a file, and to the text of it that was read: a change of its front
matter alone needs no second reading. What is of another model is thrown away.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING, Any, Final, NamedTuple
from zlib import crc32

from vault_cli.store.index import Index

if TYPE_CHECKING:
    import sqlite3

_TABLE: Final = """CREATE TABLE IF NOT EXISTS vector (digest TEXT PRIMARY KEY, seal INTEGER,
    layout TEXT, text TEXT, vector BLOB, crc INTEGER)"""
_ALL: Final = "SELECT digest, text, vector, crc FROM vector WHERE seal = ? AND layout = ?"
_SPARE: Final = 1000
"""So many vectors of files that are no longer there are kept: they may come back."""


class Vector(NamedTuple):
    """What a model made of one text.

    Args:
        text: key of the text (`text.meaning.key_of`).
        data: the vector, as the model gave it.
    """

    text: str
    data: bytes


class Vectors(Index):
    """The vectors of one vault. Like all of the cache it raises for nothing."""

    def load(self, layout: str, size: int) -> dict[str, Vector]:
        """Return the vectors of one model by the digest of their file.

        Args:
            layout: of which model they are.
            size: bytes of each; what has another number is none.
        """
        return {
            digest: Vector(text, data)
            for digest, text, data, crc in self._query(_ALL, layout)
            if type(data) is bytes and len(data) == size and crc == _sum_of(digest, text, data)
        }

    def add(
        self,
        layout: str,
        found: Mapping[str, Vector],
        known: Collection[str],
        there: Collection[str],
    ) -> bool:
        """Store vectors, and forget those of other models and, when they are many, of lost files.

        Returns whether it was this run's turn to write.

        Args:
            layout: of which model they are.
            found: by the digest of their file.
            known: digests of which there are vectors already.
            there: digests of the files of the vault.
        """
        lost = frozenset(known).difference(there)
        gone = lost if len(lost) > _SPARE else ()

        def write(connection: sqlite3.Connection) -> None:
            connection.execute(_TABLE)
            connection.execute("DELETE FROM vector WHERE layout != ?", (layout,))
            connection.executemany("DELETE FROM vector WHERE digest = ?", ((one,) for one in gone))
            connection.executemany(
                "INSERT OR REPLACE INTO vector VALUES (?, ?, ?, ?, ?, ?)", self._rows(layout, found)
            )

        with self.updating() as writable:
            if writable:
                self._in_transaction(write)
        return writable

    def _rows(self, layout: str, found: Mapping[str, Vector]) -> list[tuple[Any, ...]]:
        seal = self._key.seal if self._key is not None else 0
        return [
            (digest, seal, layout, *vector, _sum_of(digest, *vector))
            for digest, vector in found.items()
        ]


def _sum_of(digest: str, text: str, data: bytes) -> int:
    return crc32(data, crc32(f"{digest}\0{text}".encode("utf-8", "surrogatepass")))
