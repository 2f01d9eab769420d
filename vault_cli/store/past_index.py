"""What past commits held, in the derived cache beside the working tree's rows. + `store.index`.

A text of a commit is found by path and digest; a folder of a commit by the id of its git tree,
which names everything in it. Both never change their meaning, so nothing here goes stale; what is
old is dropped when there is much of it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Final, NamedTuple

from vault_cli.store.codec import Columns, Row
from vault_cli.store.file_names import folder_of
from vault_cli.store.index import Index
from vault_cli.store.index_rows import believed, sum_of

if TYPE_CHECKING:
    import sqlite3

_LEAST_ROWS: Final = 20_000
_LEAST_TREES: Final = 400
_PAST: Final = "SELECT path, digest, facts, body, fields, findings, crc FROM past WHERE seal = ?"
_ONE: Final = f"{_PAST} AND path = ? AND digest = ?"
_TREE: Final = (
    "SELECT names, blobs, digests, below, heads, crc FROM tree"
    " WHERE seal = ? AND name = ? AND folder = ?"
)
_TREES: Final = (
    "SELECT name, names, blobs, digests, below, heads, crc FROM tree WHERE seal = ? AND folder = ?"
)
_PRUNE: Final = "DELETE FROM {0} WHERE rowid <= (SELECT max(rowid) FROM {0}) - ?"

Key = tuple[str, str]
"""Path and digest of a text."""


class Folder(NamedTuple):
    """One folder of a commit in which no name has a finding.

    Args:
        path: "" for the vault, else with a slash at the end.
        names: of its record files.
        blobs: their ids in git.
        digests: of their bytes.
        below: (name, tree id) of the folders in it, ignored ones included.
        heads: what a list shows of them (`heads.encode_heads`).
    """

    path: str
    names: tuple[str, ...]
    blobs: tuple[str, ...]
    digests: tuple[str, ...]
    below: tuple[tuple[str, str], ...]
    heads: str


class PastIndex(Index):
    """The cache of one vault with what its past commits held; never raises, as `Index`."""

    def load_tree(self, name: str, folder: str) -> Folder | None:
        """Return a folder by the id of its tree (of the vault itself also by the commit)."""
        for *texts, crc in self._query(_TREE, name, folder):
            if crc != sum_of(name, folder, *texts):
                continue
            names, blobs, digests, below, heads = texts
            parts = (_split(names), _split(blobs), _split(digests))
            if len({len(part) for part in parts}) == 1:
                trees = tuple((item[2], item[0]) for item in map(_pair, _split(below)))
                return Folder(folder, *parts, trees, heads)
        return None

    def load_digests(self, folder: str) -> dict[str, str]:
        """Return the digest of every blob that a known tree of this folder has."""
        found: dict[str, str] = {}
        for name, names, blobs, digests, *texts, crc in self._query(_TREES, folder):
            if crc == sum_of(name, folder, names, blobs, digests, *texts):
                found.update(zip(_split(blobs), _split(digests), strict=False))
        return found

    def load_past(self, folder: str) -> dict[Key, Row]:
        """Return the texts of past commits directly in one folder."""
        return {row[:2]: row for row in believed(self._query(f"{_PAST} AND folder = ?", folder))}

    def load_all_past(self) -> dict[Key, Row]:
        """Return the texts of all past commits."""
        return {row[:2]: row for row in believed(self._query(_PAST))}

    def load_one(self, path: str, digest: str) -> Row | None:
        """Return one text, of the working tree or a past commit."""
        row = self.load_row(path)
        if row is not None and row[1] == digest:
            return row
        return next(iter(believed(self._query(_ONE, path, digest))), None)

    def store_past(
        self, texts: Mapping[Key, Columns], trees: Iterable[tuple[str, Folder]], size: int
    ) -> None:
        """Write texts and folders; call inside `updating`. A failure only costs time later.

        Args:
            texts: what was parsed.
            trees: folders, each with its tree id or commit.
            size: how many files the commit has; decides how much of older commits is kept.
        """

        def write(connection: sqlite3.Connection) -> None:
            self._write_past(connection, texts, trees)
            connection.execute(_PRUNE.format("past"), (max(_LEAST_ROWS, 2 * size),))
            connection.execute(_PRUNE.format("tree"), (max(_LEAST_TREES, size // 100),))

        self._in_transaction(write)

    def _write_past(
        self,
        connection: sqlite3.Connection,
        texts: Mapping[Key, Columns],
        trees: Iterable[tuple[str, Folder]],
    ) -> None:
        key = self._key
        assert key is not None  # noqa: S101 - `updating` yielded True
        connection.executemany(
            "INSERT OR REPLACE INTO past VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                (p, digest, key.seal, folder_of(p), *cols, sum_of(p, digest, *cols))
                for (p, digest), cols in texts.items()
            ),
        )
        connection.executemany(
            "INSERT OR REPLACE INTO tree VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                (name, folder.path, key.seal, *texts, sum_of(name, folder.path, *texts))
                for name, folder in trees
                for texts in [_texts_of(folder)]
            ),
        )


def _texts_of(folder: Folder) -> tuple[str, ...]:
    """Return the columns of a folder, as `load_tree` reads them."""
    below = "/".join(f"{tree} {name}" for name, tree in folder.below)
    names, blobs, digests = ("/".join(p) for p in (folder.names, folder.blobs, folder.digests))
    return names, blobs, digests, below, folder.heads


def _split(text: str) -> tuple[str, ...]:
    return tuple(text.split("/")) if text else ()


def _pair(text: str) -> tuple[str, str, str]:
    return text.partition(" ")
