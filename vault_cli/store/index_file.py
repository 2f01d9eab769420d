"""Filling in an entry of git's index file. May import `errors`.

`update-index --index-info` leaves an entry without the file's size and times, so that whoever
comes next reads the file again, and scripts around `git diff-files` take it for changed. Letting
git look reads and writes the whole index another time.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from vault_cli.store.entry import Entry

_VERSIONS = {2, 3}  # in version 4 names are cut to what differs from the one before
_STAT = 40
_HEADER = 12
_NAME_LENGTH = 0xFFF
_WORD = 0xFFFFFFFF
_SECOND = 10**9


class Seen(NamedTuple):
    """A file as it was when its bytes were read, and the entry that was made of them."""

    path: str
    entry: Entry
    facts: os.stat_result


def fill_in(index: Path, root: Path, files: Iterable[Seen], algorithm: str) -> None:
    """Give the entries of files that are still as they were read their size and times.

    What is not in a known form stays as it is: an entry without them is right, only slower.

    Args:
        index: an index file that nobody else writes.
        root: top of the work tree.
        files: what was read.
        algorithm: hash of the repository.

    Raises:
        OSError: the index cannot be read or written.
    """
    data = bytearray(index.read_bytes())
    if data[:4] != b"DIRC" or int.from_bytes(data[4:8], "big") not in _VERSIONS:
        return
    # not `any`: that would stop at the first one
    if not sum(_fill_one(data, seen) for seen in files if _is_same(root, seen)):
        return
    width = hashlib.new(algorithm, usedforsecurity=False).digest_size
    if any(data[-width:]):  # index.skipHash writes zeros
        data[-width:] = hashlib.new(
            algorithm, memoryview(data)[:-width], usedforsecurity=False
        ).digest()
    index.write_bytes(data)


def _is_same(root: Path, seen: Seen) -> bool:
    try:
        now = (root / seen.path).lstat()
    except OSError:
        return False
    return _numbers(now) == _numbers(seen.facts)


def _fill_one(data: bytearray, seen: Seen) -> bool:
    name = os.fsencode(seen.path)
    flags = min(len(name), _NAME_LENGTH).to_bytes(2, "big")
    place = data.find(bytes.fromhex(seen.entry.blob) + flags + name + b"\0")
    start = place - _STAT
    mode = int(seen.entry.mode, 8).to_bytes(4, "big")
    if start < _HEADER or data[start:place] != bytes(24) + mode + bytes(12):
        return False
    numbers = _numbers(seen.facts)
    before, after = numbers[:6], numbers[6:]
    data[start:place] = b"".join(
        (*(_word(number) for number in before), mode, *(_word(number) for number in after))
    )
    return True


def _numbers(facts: os.stat_result) -> tuple[int, ...]:
    """Return what git keeps of a file, in the order of the index, without the mode."""
    return (
        *divmod(facts.st_ctime_ns, _SECOND),
        *divmod(facts.st_mtime_ns, _SECOND),
        facts.st_dev,
        facts.st_ino,
        facts.st_uid,
        facts.st_gid,
        facts.st_size,
    )


def _word(number: int) -> bytes:
    return (number & _WORD).to_bytes(4, "big")
