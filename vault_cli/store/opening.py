"""Reach a file below a root without following a link. Standard library and `errors`.

Every folder on the way is opened by its parent's descriptor with O_NOFOLLOW, so that a folder
swapped for a link between a check and the use (a race) cannot lead outside. Where the system
has no such calls (Windows) each component is looked at before use instead.
"""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path
from types import TracebackType
from typing import Final, Self

from vault_cli.errors import NotFoundError, StoreError, VaultError

HAS_DIR_FD: Final = os.open in os.supports_dir_fd and hasattr(os, "O_NOFOLLOW")
MAX_DEPTH: Final = 64
"""Folders deeper than this are neither read nor written."""

_NO_FOLLOW: Final = getattr(os, "O_NOFOLLOW", 0)
_BASE: Final = _NO_FOLLOW | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
READ_FLAGS: Final = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0) | _BASE
CREATE_FLAGS: Final = os.O_WRONLY | os.O_CREAT | os.O_EXCL | _BASE
FOLDER_FLAGS: Final = READ_FLAGS | getattr(os, "O_DIRECTORY", 0)

_WORDS: Final = {
    errno.ENOSPC: ("the disk is full", "Free some space and run the command again."),
    errno.EDQUOT: ("the disk quota is used up", "Free some space and run the command again."),
    errno.EROFS: ("the file system is read-only", "Nothing was changed."),
    errno.EACCES: ("permission denied", "Check who owns the folder and its permissions."),
    errno.EPERM: ("the system does not permit it", "Check who owns the folder."),
    errno.EIO: ("the disk reported an error", "Check the disk before going on."),
    errno.ELOOP: ("a symbolic link is in the way", "Replace the link by a real file or folder."),
    errno.ENAMETOOLONG: ("the name is too long", "Use a shorter name."),
    errno.ENOTDIR: (
        "a file or a symbolic link stands where a folder is needed",
        "Move it out of the way.",
    ),
}


class NotAFileError(StoreError):
    """A folder (for git: nothing, or a submodule), a pipe or a device stands at a path."""


def explain_os_error(error: OSError, path: str, doing: str) -> VaultError:
    """Turn an OSError into the error a person sees.

    Args:
        error: what the system said.
        path: vault-relative path it was about.
        doing: what was tried, for example `write`.

    Returns:
        NotFoundError when nothing is there, else a StoreError that says what to do.
    """
    shown = show_name(path)
    if error.errno == errno.ENOENT and doing != "write":
        return NotFoundError(f"{shown}: there is no such file")
    words, hint = _WORDS.get(error.errno or 0, (error.strerror or str(error), ""))
    return StoreError(f"cannot {doing} {shown}: {words}", hint=hint)


def show_name(text: str) -> str:
    """Return a path safe to print (late import: most runs never need it)."""
    from vault_cli.text.names import show_path

    return show_path(text)


def is_inside(path: str) -> bool:
    """Tell whether a POSIX path is relative and stays below its root, by its words alone."""
    return "\0" not in path and not any(part in {"", ".", ".."} for part in path.split("/"))


def split_path(path: str, deepest: int = MAX_DEPTH) -> list[str]:
    """Split a vault-relative POSIX path into its names.

    Raises:
        StoreError: it is absolute, empty, too deep, or has an empty, `.` or `..` part.
    """
    parts = path.split("/")
    if not is_inside(path) or len(parts) > deepest + 1:
        raise StoreError(f"{show_name(path)!r} is not a path inside the vault")
    return parts


class Folders:
    """Folders below one root; the last one stays open, since callers go folder by folder.

    Args:
        root: folder everything is below (it may itself be reached through a link).
        deepest: most folders a path may have.
    """

    def __init__(self, root: Path, *, deepest: int = MAX_DEPTH) -> None:
        self._root = root
        self._deepest = deepest
        self._root_handle = -1
        self._name = ""
        self._handle = -1

    def __enter__(self) -> Self:
        if HAS_DIR_FD:
            flags = FOLDER_FLAGS & ~_NO_FOLLOW
            try:
                self._root_handle = os.open(self._root, flags)
            except OSError as error:
                raise explain_os_error(error, str(self._root), "open") from error
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._drop()
        if self._root_handle >= 0:
            os.close(self._root_handle)
            self._root_handle = -1

    def _drop(self) -> None:
        if self._handle >= 0:
            os.close(self._handle)
        self._handle = -1
        self._name = ""

    def locate(
        self, path: str, *, create: bool = False, mode: int = 0o700
    ) -> tuple[str, int | None]:
        """Return what to give to `os` functions for `path`: a name and a `dir_fd`.

        The descriptor is valid until the next call. Missing folders are made when `create`.

        Raises:
            OSError: a folder is missing, a link, or cannot be opened.
            StoreError: the path is not one inside the root.
        """
        parts = split_path(path, self._deepest)
        if not HAS_DIR_FD:
            return self._locate_plain(parts, create=create), None
        folder = "/".join(parts[:-1])
        if not folder:
            return parts[-1], self._root_handle
        if folder != self._name:
            self._drop()
            self._handle = self._descend(parts[:-1], create=create, mode=mode)
            self._name = folder
        return parts[-1], self._handle

    def names_in(self, folder: str) -> list[str]:
        """Return the names in a folder ("" is the root itself).

        Raises:
            OSError: it is missing, a link, or cannot be read.
        """
        name, handle = self.locate(f"{folder}/x" if folder else "x")
        return os.listdir(handle if handle is not None else Path(name).parent)  # noqa: PTH208

    def _descend(self, parts: list[str], *, create: bool, mode: int) -> int:
        handle = self._root_handle
        for name in parts:
            try:
                below = _open_below(name, handle, create=create, mode=mode)
            finally:
                if handle != self._root_handle:
                    os.close(handle)
            handle = below
        return handle

    def _locate_plain(self, parts: list[str], *, create: bool) -> str:
        place = self._root
        for name in parts[:-1]:
            place /= name
            if create and not place.exists():
                place.mkdir(exist_ok=True)
            if place.is_symlink() or not place.is_dir():
                code = errno.ENOTDIR if os.path.lexists(place) else errno.ENOENT
                raise OSError(code, os.strerror(code))
        return str(place / parts[-1])


def _open_below(name: str, parent: int, *, create: bool, mode: int) -> int:
    try:
        return os.open(name, FOLDER_FLAGS, dir_fd=parent)
    except FileNotFoundError:
        if not create:
            raise
    try:
        os.mkdir(name, mode, dir_fd=parent)
    except FileExistsError:  # another writer was faster
        pass
    else:
        sync_folder(parent)
    return os.open(name, FOLDER_FLAGS, dir_fd=parent)


def sync_folder(handle: int | None) -> None:
    """Make names in a folder durable; some file systems cannot, which is no error."""
    if handle is None:
        return
    try:
        os.fsync(handle)
    except OSError as error:
        if error.errno not in {errno.EINVAL, errno.EBADF, errno.ENOTSUP}:
            raise


def read_at(
    name: str, handle: int | None, limit: int, *, upto: int = 0
) -> tuple[bytes, os.stat_result]:
    """Read a regular file of at most `limit` bytes; the stat is of the opened file, before reading.

    With `upto` only that many bytes from its start are read.

    Raises:
        OSError: it cannot be opened (a link: ELOOP) or read.
        NotAFileError: not a regular file.
        StoreError: larger than `limit`.
    """
    if handle is None and os.path.islink(name):  # noqa: PTH114 - a plain name, no Path needed
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))
    file = os.open(name, READ_FLAGS, dir_fd=handle)
    try:
        facts = os.fstat(file)
        if not stat.S_ISREG(facts.st_mode):
            raise NotAFileError("not a regular file", hint="Only plain files are read.")
        data = os.read(file, upto) if upto else _read_all(file, facts.st_size, limit)
        return data, facts
    finally:
        os.close(file)


def _read_all(file: int, size: int, limit: int) -> bytes:
    data = os.read(file, min(size, limit) + 1)
    if len(data) == size and size <= limit:
        return data
    chunks = [data]
    total = len(data)
    while total <= limit and (chunk := os.read(file, 1 << 16)):
        chunks.append(chunk)
        total += len(chunk)
    if total > limit:
        raise StoreError(f"over {limit} bytes", hint="Split it into smaller files.")
    return b"".join(chunks)
