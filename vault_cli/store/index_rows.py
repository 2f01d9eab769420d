"""Rows of the derived cache and their check sums. May import `store.codec`.

SQLite looks at the shape of its file and not at what is in it: a byte that went wrong on the disk
would be a letter of a memory. So every row carries a check sum; one that does not fit is no row.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Final, NamedTuple
from zlib import crc32

from vault_cli.store.codec import Row

TABLES: Final = """
CREATE TABLE record (id INTEGER PRIMARY KEY AUTOINCREMENT, path TEXT UNIQUE, seal INTEGER,
    folder TEXT, size INTEGER, mtime INTEGER, ctime INTEGER, inode INTEGER, settled INTEGER,
    digest TEXT, facts TEXT, body TEXT, fields TEXT, findings TEXT, crc INTEGER);
CREATE INDEX record_folder ON record (folder, seal);
CREATE TABLE shelf (folder TEXT PRIMARY KEY, seal INTEGER, names TEXT, facts BLOB, heads TEXT,
    crc INTEGER, rest TEXT, rest_crc INTEGER);
CREATE TABLE past (path TEXT, digest TEXT, seal INTEGER, folder TEXT, facts TEXT, body TEXT,
    fields TEXT, findings TEXT, crc INTEGER, PRIMARY KEY (path, digest));
CREATE INDEX past_folder ON past (folder);
CREATE TABLE tree (name TEXT, folder TEXT, seal INTEGER, names TEXT, blobs TEXT, digests TEXT,
    below TEXT, heads TEXT, crc INTEGER, PRIMARY KEY (name, folder));
CREATE INDEX tree_folder ON tree (folder)
"""
ROWS: Final = "SELECT path, digest, facts, body, fields, findings, crc FROM record WHERE seal = ?"


class Text(NamedTuple):
    """The part of a row that ranking does not look at."""

    path: str
    digest: str
    body: str
    fields: str


def sum_of(*texts: str, facts: bytes = b"") -> int:
    """Return the check sum of the columns of a row; -1 when they are not what was stored."""
    try:
        return crc32("\0".join(texts).encode("utf-8", "surrogatepass"), crc32(facts))
    except TypeError:
        return -1


def believed(rows: Iterable[Sequence[Any]]) -> list[Row]:
    """Return rows without their check sums; those that are damaged are left out."""
    return [tuple(texts) for *texts, crc in rows if crc == sum_of(*texts)]


def text_of(row: Row) -> Text:
    """Return what a row has that ranking does not look at."""
    path, digest, _, body, fields, _ = row
    return Text(path, digest, body, fields)
