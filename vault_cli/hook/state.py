"""Where hooks keep what they must keep, and the log of what went wrong. Standard library only.

`STATE` is the person's state folder (`store.places.state_folder`). Where it cannot be written, as
in a sandbox, a folder of `$TMPDIR` stands in for what is appended: one's own, of this state folder
alone, or none.
"""

from __future__ import annotations

import sys
import time

from vault_cli.hook.system import calls, make_folders, open_plain, user_id, variable

TYPE_CHECKING = False  # `typing` takes longer to load than all of this; checkers know the name
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

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
    import os

    given = variable("MVAULT_STATE_DIR")
    if given:
        return os.path.abspath(os.path.expanduser(given))
    base = variable("XDG_STATE_HOME").strip() or os.path.expanduser("~/.local/state")
    return f"{base}/mvault"


def spare_folder(state: str) -> str:
    """Return the folder that stands in where a state folder cannot be written; not made here.

    Each state folder has one of its own (FNV-1a of its path, as a hash takes longer to load than to
    work out), so that what belongs to one is not told, or taken in, in the name of another.
    """
    base = variable("TMPDIR") or variable("TEMP") or "/tmp"  # noqa: S108 - looked at when used
    mark = 0xCBF29CE484222325
    for byte in state.rstrip("/").encode("utf-8", "surrogateescape"):
        mark = (mark ^ byte) * 0x100000001B3 & 0xFFFFFFFFFFFFFFFF
    return f"{base}/mvault-{user_id()}-{mark:016x}"


def own_folder(path: str) -> str:
    """Return a folder, made for this user alone if it is not there.

    Raises:
        OSError: it cannot be made, is a link, or belongs to somebody else.
    """
    try:
        found = calls.lstat(path)
    except FileNotFoundError:
        make_folders(path)
        found = calls.lstat(path)
    if not _is_own(found):
        raise PermissionError(1, "not a folder of one's own", path)
    return path


def is_folder_of_user(path: str) -> bool:
    """Tell whether a folder is there that is this user's own, and no link."""
    try:
        return _is_own(calls.lstat(path))
    except OSError:
        return False


def _is_own(found: Any) -> bool:
    return bool(found.st_uid == user_id() and found.st_mode & _STAT_DIR == _IS_DIR)


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
        return _append(f"{state}/{FOLDER}", names, data, limit)
    except OSError as first:
        if first.errno == _EFBIG:
            raise
        try:
            return _append(spare_folder(state), names, data, limit)
        except OSError:
            raise first from None


def _append(base: str, names: tuple[str, ...], data: bytes, limit: int) -> str:
    flags = calls.O_WRONLY | calls.O_APPEND | calls.O_CREAT
    folder, path = own_folder(base), base
    for name in names:
        path = f"{folder}/{name}"
        folder = path if name is names[-1] else own_folder(path)
    file = open_plain(path, flags)
    try:
        if limit and calls.fstat(file).st_size + len(data) > limit:
            raise OSError(_EFBIG, "full", path)
        if calls.write(file, data) != len(data):
            raise OSError(_ENOSPC, "the disk is full", path)
    finally:
        calls.close(file)
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
            calls.write(2, f"mvault hook: {text}\n".encode("utf-8", "backslashreplace"))
        except OSError:
            return


def explain(error: BaseException) -> str:
    """Return a failure in one line, with its place and nothing of the payload."""
    words = (
        f"{type(error).__name__}: {error}" if isinstance(error, OSError) else type(error).__name__
    )
    said = getattr(error, "message", "") or getattr(error, "msg", "")
    if said and not isinstance(error, (OSError, ValueError)):  # a VaultError, an ImportError
        words = f"{type(error).__name__}: {said}"
    step, where = error.__traceback__, ""
    while step is not None:
        code = step.tb_frame.f_code.co_filename
        where = f"{code.rpartition('/')[2]}:{step.tb_lineno}"
        step = step.tb_next
    return f"{words} ({where}); the agent went on without it"


def _count(state: str, text: str) -> bool:
    """Count a message in the log; tell whether it was said within the last hour."""
    now = int(time.time())
    flags = calls.O_RDWR | calls.O_CREAT
    file = -1
    for base in (f"{state}/{FOLDER}", spare_folder(state)):
        try:
            file = open_plain(f"{own_folder(base)}/{LOG}", flags)
            break
        except OSError:
            continue
    if file < 0:
        return False
    try:
        lock(file)
        rows = list(_rows(calls.read(file, 2 * MAX_LOG)))
        old = next((row for row in rows if row[3] == text), None)
        if old is not None:
            rows.remove(old)
        said = old[1] if old is not None and now - old[1] < QUIET else now
        rows.append((now, said, (old[2] if old is not None else 0) + 1, text))
        while len(data := _spell(rows)) > MAX_LOG:
            del rows[0]
        calls.lseek(file, 0, 0)
        calls.write(file, data)
        calls.truncate(file, len(data))
    finally:
        calls.close(file)
    return old is not None and said == old[1]


def lock(file: int) -> None:
    """Wait for whoever holds an open file in this moment; where there are no locks, for nobody."""
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
    for base in (f"{state}/{FOLDER}", spare_folder(state)):
        try:
            calls.lstat(base)
            own_folder(base)
            with open(f"{base}/{LOG}", "rb", opener=open_plain) as file:
                data = file.read(2 * MAX_LOG)
        except OSError:
            continue
        found += [(last, count, text) for last, _, count, text in _rows(data)]
    return sorted(found, reverse=True)


def forget_log(state: str) -> None:
    """Empty the log of what went wrong; what comes after is said anew.

    Raises:
        OSError: it cannot be changed.
    """
    for base in (f"{state}/{FOLDER}", spare_folder(state)):
        try:
            file = open_plain(f"{base}/{LOG}", calls.O_RDWR)
        except (FileNotFoundError, NotADirectoryError):
            continue
        try:
            lock(file)
            calls.truncate(file, 0)
        finally:
            calls.close(file)


def is_child() -> bool:
    """Tell whether a program that we started runs this: it must not start us again."""
    return bool(variable("MVAULT_HOOK"))


def write_out(data: bytes) -> None:
    """Write the answer to stdout, in one piece as far as the system takes it."""
    view = memoryview(data)
    while view:
        try:
            view = view[calls.write(1, view) :]
        except (OSError, ValueError):  # the host has gone: there is nobody to tell
            return


def flush_streams() -> None:
    """Flush what the full program may have left in its streams."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (OSError, ValueError, AttributeError):
            continue
