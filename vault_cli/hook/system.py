"""System calls without `os`, which takes as long to load as all the rest of a hook. Stdlib.

`calls` is `posix`, of which `os` is made; elsewhere it is `os`. Paths are joined with slashes.
"""

from __future__ import annotations

import sys

try:
    import posix as calls
except ImportError:  # not POSIX
    import os as calls  # type: ignore[no-redef]

__all__ = ["absolute", "calls", "make_folders", "open_plain", "user_id", "variable"]

_NO_FOLLOW: int = getattr(calls, "O_NOFOLLOW", 0) | getattr(calls, "O_BINARY", 0)
"""Flags of every file that is opened: no link, no change of line ends."""

_NO_WAIT: int = getattr(calls, "O_NONBLOCK", 0)
_KIND, _IS_PLAIN = 0o170000, 0o100000


def variable(name: str) -> str:
    """Return a variable of the environment, "" when it is not set."""
    os = sys.modules.get("os")
    if os is not None:  # it may have been changed in there
        found: str = os.environ.get(name) or ""
        return found
    found_raw: bytes = calls.environ.get(name.encode()) or b""
    return found_raw.decode("utf-8", "surrogateescape")


def user_id() -> int:
    """Return the number of the user, 0 where users have none."""
    return calls.getuid() if hasattr(calls, "getuid") else 0


def absolute(path: str) -> str:
    """Return an absolute path."""
    if path.startswith("/"):
        return path
    import os

    return os.path.abspath(path)


def open_plain(path: str, flags: int) -> int:
    """Open a plain file; made for this user alone where the flags make it.

    Nobody is waited for at a pipe that stands in its place, and no link is followed.

    Raises:
        OSError: it cannot be opened, or is no plain file.
    """
    file: int = calls.open(path, flags | _NO_FOLLOW | _NO_WAIT, 0o600)
    if calls.fstat(file).st_mode & _KIND == _IS_PLAIN:
        return file
    calls.close(file)
    raise PermissionError(1, "not a plain file", path)


def make_folders(path: str) -> None:
    """Make a folder and those above it, for this user alone; fine when somebody made it meanwhile.

    Raises:
        OSError: it cannot be made.
    """
    try:
        _make_folder(path)
    except FileNotFoundError:
        above = path.rstrip("/").rpartition("/")[0]
        if not above or above == path:
            raise
        make_folders(above)
        _make_folder(path)


def _make_folder(path: str) -> None:
    try:
        calls.mkdir(path, 0o700)
    except FileExistsError:
        return
