"""Blob ids of the files that anchors name, kept by their stamps. May import `model`, `errors`.

One file in `.state/`, sealed with this machine's token: one that came with a folder from elsewhere
is not believed. It holds ids and paths, no content. Losing it costs time only.
"""

from __future__ import annotations

import os
import time
from contextlib import suppress
from pathlib import Path
from typing import Final

from vault_cli.errors import VaultError
from vault_cli.store.files import read_file, write_file
from vault_cli.store.places import machine_token

CACHE_PATH: Final = ".state/anchors"
MOST_LINES: Final = 20_000

_LAYOUT: Final = "1"
_SETTLED_NS: Final = 3_000_000_000
"""A file is changed twice within one tick of a coarse clock: only older stamps are believed."""

_MOST_BYTES: Final = 1 << 23
_SEAL: Final = 32

Stamp = tuple[int, ...]


class AnchorCache:
    """What earlier runs found out. Nothing here raises: a cache that fails is an empty one."""

    def __init__(self, vault_root: Path) -> None:
        self._root = vault_root
        self._ids: dict[str, tuple[Stamp, tuple[str, ...]]] | None = None
        self._known: dict[tuple[str, str], tuple[str, bool]] = {}
        self._changed = False

    def find(self, name: str, stamp: Stamp) -> tuple[str, ...] | None:
        """Return the ids of a file whose stamp is still the same, None when it must be read."""
        known = self._load().get(name)
        return known[1] if known is not None and known[0] == stamp else None

    def keep(self, name: str, stamp: Stamp, ids: tuple[str, ...]) -> None:
        """Remember the ids of a file (size, mtime, ctime, inode), if its stamp can be believed."""
        settled = max(stamp[1], stamp[2]) + _SETTLED_NS < time.time_ns()
        if settled and not {"\n", "\r"} & set(name):
            ids_by_name = self._load()
            ids_by_name.pop(name, None)
            ids_by_name[name] = (stamp, ids)
            self._changed = True

    def knows(self, key: tuple[str, str, str]) -> bool | None:
        """Return whether a repository (root, HEAD, blob) has a content; None when nobody asked.

        What it has it keeps having; what it has not is asked again when HEAD moved.
        """
        self._load()
        top, head, blob = key
        said = self._known.get((top, blob))
        return None if said is None or not (said[1] or said[0] == head) else said[1]

    def note(self, key: tuple[str, str, str], *, known: bool) -> None:
        """Remember an answer for `knows`."""
        top, head, blob = key
        self._load()
        if head and not {"\n", "\r"} & set(top):
            self._known[top, blob] = (head, known)
            self._changed = True

    def save(self) -> None:
        """Write what is new; a vault that nobody may write stays without."""
        if not self._changed or self._ids is None:
            return
        files = [
            " ".join(("f", *map(str, stamp), ",".join(ids), name))
            for name, (stamp, ids) in list(self._ids.items())[-MOST_LINES:]
        ]
        answers = [
            f"b {head} {int(known)} {blob} {top}"
            for (top, blob), (head, known) in list(self._known.items())[-MOST_LINES:]
        ]
        body = os.fsencode("\n".join((*files, *answers)))
        seal = self._seal(body)
        if seal:
            with suppress(VaultError, OSError, ValueError):
                write_file(self._root, CACHE_PATH, seal + b"\n" + body)
        self._changed = False

    def _load(self) -> dict[str, tuple[Stamp, tuple[str, ...]]]:
        if self._ids is None:
            self._ids = {}
            with suppress(VaultError, OSError):
                self._parse(read_file(self._root, CACHE_PATH, _MOST_BYTES))
        return self._ids

    def _parse(self, data: bytes) -> None:
        seal, _, body = data.partition(b"\n")
        ids = self._ids
        if len(seal) != _SEAL or seal != self._seal(body) or ids is None:
            return
        for line in os.fsdecode(body).split("\n"):
            kind, _, rest = line.partition(" ")
            if kind == "f":
                size, mtime, ctime, inode, blobs, name = rest.split(" ", 5)
                ids[name] = (int(size), int(mtime), int(ctime), int(inode)), tuple(blobs.split(","))
            elif kind == "b":
                head, known, blob, top = rest.split(" ", 3)
                self._known[top, blob] = head, known == "1"

    def _seal(self, body: bytes) -> bytes:
        """Return what proves that this machine wrote the file for this vault, b"" when none can."""
        token = machine_token()
        if token is None:
            return b""
        try:  # as in `store.index`: the whole of hashlib is slow to load
            from _blake2 import blake2b
        except ImportError:
            from hashlib import blake2b

        digest = blake2b(key=token, digest_size=_SEAL // 2)
        digest.update(os.fsencode(f"anchors {_LAYOUT} {os.path.realpath(self._root)}\n"))
        digest.update(body)
        return digest.hexdigest().encode()
