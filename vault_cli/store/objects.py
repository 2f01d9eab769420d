"""Writing loose objects: blobs, trees and commits. May import `errors`.

A commit of a few files needs half a dozen objects; a git process for each costs more than all the
rest. The format is git's oldest and most stable one. Many blobs at once go through git itself
(see `commit`), and so does everything in a repository with unusual settings.
"""

from __future__ import annotations

import hashlib
import os
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from vault_cli.errors import StoreError

if TYPE_CHECKING:
    from collections.abc import Iterable

_LEVEL = 1
"""git's own compression level for loose objects."""

_FLAGS = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)


def object_id(kind: str, data: bytes, algorithm: str) -> str:
    """Return the id git gives these bytes as an object of this kind."""
    digest = hashlib.new(algorithm, b"%s %d\0" % (kind.encode(), len(data)), usedforsecurity=False)
    digest.update(data)
    return digest.hexdigest()


class ObjectWriter:
    """Collects objects; `flush` makes all of them durable before anything may point to them.

    Args:
        folder: the repository's `objects` folder.
        algorithm: its hash, `sha1` or `sha256`.
    """

    def __init__(self, folder: Path, algorithm: str) -> None:
        self._folder = folder
        self._algorithm = algorithm
        self._waiting: dict[str, bytes] = {}

    def add(self, kind: str, data: bytes) -> str:
        """Take an object along and return its id."""
        found = object_id(kind, data, self._algorithm)
        self._waiting[found] = b"%s %d\0" % (kind.encode(), len(data)) + data
        return found

    def flush(self) -> None:
        """Write what was added, fsync it and the folders it is in.

        Raises:
            StoreError: the disk failed; no partial object is left under its name.
        """
        placed: list[tuple[str, Path]] = []
        try:
            for name, content in self._waiting.items():
                target = self._folder / name[:2] / name[2:]
                if not _freshen(target):
                    placed.append((_write_beside(target, content), target))
            for temporary, target in placed:
                os.replace(temporary, target)  # noqa: PTH105 - a counted step of the fault tests
            sync_folders({target.parent for _, target in placed})
        except OSError as error:
            for temporary, _ in placed:
                with suppress(OSError):
                    os.unlink(temporary)  # noqa: PTH108
            raise StoreError(
                f"git's object store {self._folder} cannot be written: {error.strerror}",
                hint="Check the permissions of the folder and the free space of the disk.",
            ) from error
        self._waiting.clear()


def _freshen(target: Path) -> bool:
    """Tell whether the object is there already; a new time saves it from a prune going on."""
    try:
        os.utime(target)
    except OSError:
        return target.exists()
    return True


def _write_beside(target: Path, content: bytes) -> str:
    import zlib

    target.parent.mkdir(exist_ok=True)
    # a name that `git gc` knows as left over
    temporary = str(target.with_name(f"tmp_obj_{os.urandom(6).hex()}"))
    file = os.open(temporary, _FLAGS, 0o444)
    try:
        view = memoryview(zlib.compress(content, _LEVEL))
        while view:
            view = view[os.write(file, view) :]
        os.fsync(file)
    except BaseException:
        with suppress(OSError):
            os.unlink(temporary)  # noqa: PTH108
        raise
    finally:
        os.close(file)
    return temporary


def sync_folders(folders: Iterable[Path]) -> None:
    """Make the names in these folders durable.

    Raises:
        OSError: the disk failed.
    """
    if os.name == "nt":
        return
    for folder in sorted(folders):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
