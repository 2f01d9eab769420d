"""Where hooks keep what they must keep, and the log of what went wrong. Standard library only.

`STATE` is the person's state folder (`store.places.state_folder`). Where it cannot be written, as
in a sandbox, `$TMPDIR/mvault-<uid>` stands in for what is appended: a folder of one's own, or none.
"""

from __future__ import annotations

import os
import sys
import time

TYPE_CHECKING = False  # `typing` takes longer to load than all of this; checkers know the name
if TYPE_CHECKING:
    from collections.abc import Iterator

FOLDER = "hook"
LOG = "log"
MAX_LOG = 64 << 10
"""Bytes of the log; the oldest lines go."""

QUIET = 3600
"""Seconds during which the same message is counted and not said again."""

_MOST = 200
_FIELDS = 4
_EFBIG = 27
_ENOSPC = 28
_STAT_DIR = 0o170000
_IS_DIR = 0o040000


def default_state() -> str:
    """Return the state folder when none was named: the same as `store.places` finds on Linux."""
    given = os.environ.get("MVAULT_STATE_DIR", "")
    if given:
        return os.path.abspath(os.path.expanduser(given))
    base = os.environ.get("XDG_STATE_HOME", "").strip() or os.path.expanduser("~/.local/state")
    return os.path.join(base, "mvault")


def spare_folder() -> str:
    """Return the folder that stands in where the state folder cannot be written; not made here."""
    user = os.getuid() if hasattr(os, "getuid") else 0
    base = os.environ.get("TMPDIR", "") or ("/tmp" if os.name == "posix" else ".")  # noqa: S108 - checked when used
    return os.path.join(base, f"mvault-{user}")


def own_folder(path: str) -> str:
    """Return a folder, made for this user alone if it is not there.

    Raises:
        OSError: it cannot be made, is a link, or belongs to somebody else.
    """
    try:
        found = os.lstat(path)
    except FileNotFoundError:
        os.makedirs(path, mode=0o700, exist_ok=True)
        found = os.lstat(path)
    foreign = hasattr(os, "getuid") and found.st_uid != os.getuid()
    if found.st_mode & _STAT_DIR != _IS_DIR or foreign:
        raise PermissionError(1, "not a folder of one's own", path)
    return path


def append_bytes(state: str, names: tuple[str, ...], data: bytes, limit: int = 0) -> str:
    """Append to a file of the hook folder in one write; return its path.

    Args:
        state: the state folder.
        names: folders and name below `STATE/hook`, or below the spare folder.
        data: what to append.
        limit: bytes after which nothing more is appended; 0 = none.

    Raises:
        OSError: neither place can be written, or the file is full.
    """
    try:
        return _append(os.path.join(state, FOLDER), names, data, limit)
    except OSError as first:
        if first.errno == _EFBIG:
            raise
        try:
            return _append(spare_folder(), names, data, limit)
        except OSError:
            raise first from None


def _append(base: str, names: tuple[str, ...], data: bytes, limit: int) -> str:
    flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0)
    folder, path = own_folder(base), base
    for name in names:
        path = os.path.join(folder, name)
        folder = path if name is names[-1] else own_folder(path)
    file = os.open(path, flags | getattr(os, "O_BINARY", 0), 0o600)
    try:
        if limit and os.fstat(file).st_size + len(data) > limit:
            raise OSError(_EFBIG, "full", path)
        if os.write(file, data) != len(data):
            raise OSError(_ENOSPC, "the disk is full", path)
    finally:
        os.close(file)
    return path


def complain(state: str, message: str) -> None:
    """Say on stderr that something went wrong, once an hour, and count it in the log; never fails.

    Args:
        state: the state folder; the log lies in `STATE/hook/log`.
        message: one line, without anything of the payload.
    """
    text = "".join(char if char.isprintable() else "?" for char in " ".join(message.split()))
    text = text[:_MOST]
    try:
        repeated = _count(state, text)
    except (OSError, ValueError):
        repeated = False
    if not repeated:
        try:
            os.write(2, f"mvault hook: {text}\n".encode("utf-8", "backslashreplace"))
        except OSError:
            return


def _count(state: str, text: str) -> bool:
    """Count a message in the log; tell whether it was said within the last hour."""
    now = int(time.time())
    flags = os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
    file = -1
    for base in (os.path.join(state, FOLDER), spare_folder()):
        try:
            file = os.open(os.path.join(own_folder(base), LOG), flags, 0o600)
            break
        except OSError:
            continue
    if file < 0:
        return False
    try:
        _lock(file)
        rows = list(_rows(os.read(file, 2 * MAX_LOG)))
        old = next((row for row in rows if row[3] == text), None)
        if old is not None:
            rows.remove(old)
        said = old[1] if old is not None and now - old[1] < QUIET else now
        rows.append((now, said, (old[2] if old is not None else 0) + 1, text))
        while len(data := _spell(rows)) > MAX_LOG:
            del rows[0]
        os.lseek(file, 0, os.SEEK_SET)
        os.write(file, data)
        os.truncate(file, len(data))
    finally:
        os.close(file)
    return old is not None and said == old[1]


def _lock(file: int) -> None:
    """Wait for whoever counts in this moment; where there are no locks a count may be lost."""
    try:
        from fcntl import LOCK_EX, flock

        flock(file, LOCK_EX)
    except (ImportError, OSError):
        return


def _rows(data: bytes) -> Iterator[tuple[int, int, int, str]]:
    """Yield the lines of a log that are whole: when last, when said, how often, what."""
    for line in data.decode("utf-8", "replace").splitlines():
        fields = line.split("\t", 3)
        if len(fields) == _FIELDS and all(field.isdecimal() for field in fields[:-1]):
            yield int(fields[0]), int(fields[1]), int(fields[2]), fields[3]


def _spell(rows: list[tuple[int, int, int, str]]) -> bytes:
    lines = ("\t".join(map(str, row)) + "\n" for row in rows)
    return "".join(lines).encode("utf-8", "backslashreplace")


def read_log(state: str) -> list[tuple[int, int, str]]:
    """Return what went wrong, newest first: when last (Unix time), how often, what."""
    found: list[tuple[int, int, str]] = []
    for base in (os.path.join(state, FOLDER), spare_folder()):
        try:
            os.lstat(base)
            own_folder(base)
            with open(os.path.join(base, LOG), "rb") as file:
                data = file.read(2 * MAX_LOG)
        except OSError:
            continue
        found += [(last, count, text) for last, _, count, text in _rows(data)]
    return sorted(found, reverse=True)


def is_child() -> bool:
    """Tell whether a program that we started runs this: it must not start us again."""
    return bool(os.environ.get("MVAULT_HOOK"))


def write_out(data: bytes) -> None:
    """Write the answer to stdout, in one piece as far as the system takes it."""
    view = memoryview(data)
    while view:
        try:
            view = view[os.write(1, view) :]
        except (OSError, ValueError):  # the host has gone: there is nobody to tell
            return


def flush_streams() -> None:
    """Flush what the full program may have left in its streams."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (OSError, ValueError, AttributeError):
            continue
