"""The vault's exclusive lock. Standard library, `errors` and `store.opening`.

The kernel frees the lock when its owner dies, so a left-over file means nothing and is never
deleted. Waiting blocks in the kernel (polling starves under load); a helper thread does the
blocking so that the wait has an end.
"""

from __future__ import annotations

import errno
import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from stat import S_ISDIR, S_ISLNK, S_ISREG
from typing import Final

from vault_cli.errors import ChangedMeanwhileError, StoreError
from vault_cli.store.opening import CREATE_FLAGS, Folders, explain_os_error

LOCK_PATH: Final = ".state/lock"
JOURNAL_PATH: Final = ".state/journal"
"""What a change that is under way consists of (see `journal`)."""

TURN_PATH: Final = ".state/turn"
"""Held from the look whether a thing was proposed already until its proposal is written."""

_BUSY: Final = frozenset({errno.EAGAIN, errno.EACCES, errno.EDEADLK})
_FLAGS: Final = os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)


@contextmanager
def lock_vault(root: Path, *, wait: float = 10.0) -> Iterator[bool]:
    """Hold the vault's exclusive lock (`flock` on `.state/lock`, owner written into it).

    Not re-entrant: the same process waits for itself. Yields whether the owner before us died
    while it held the lock (its name still stands in the file), so that something may be left.

    Args:
        root: vault root.
        wait: most seconds to wait for another writer.

    Raises:
        ChangedMeanwhileError: a live owner kept it for `wait` seconds (names the owner).
        StoreError: the vault cannot be written.
    """
    deadline = time.monotonic() + wait
    require_usual(root)
    file = _acquire(root, deadline)
    try:
        crashed = read_owner(file) != ""
        _write_owner(file)
        yield crashed
    finally:
        _release(file)


@contextmanager
def take_turn(root: Path, *, wait: float = 10.0) -> Iterator[None]:
    """Let those who propose of one thing come one after another, around the lock of the vault.

    Not re-entrant; whoever holds it may take the vault's lock, never the other way round.

    Args:
        root: vault root.
        wait: most seconds to wait for others.

    Raises:
        ChangedMeanwhileError: others kept it for `wait` seconds.
        StoreError: the vault cannot be written.
    """
    deadline = time.monotonic() + wait
    require_usual(root)
    file = _acquire(root, deadline, TURN_PATH)
    try:
        _write_owner(file)
        yield
    finally:
        _release(file)


@contextmanager
def hold_file(file: int, deadline: float) -> Iterator[None]:
    """Hold the lock of an open file of one's own, and close it.

    Raises:
        ChangedMeanwhileError: others kept it until the deadline.
    """
    try:
        _take(file, deadline)
        _write_owner(file)
    except BaseException:
        os.close(file)
        raise
    try:
        yield
    finally:
        _release(file)


def _acquire(root: Path, deadline: float, path: str = LOCK_PATH) -> int:
    while True:
        file = open_lock_file(root, path)
        try:
            _take(file, deadline)
        except BaseException:
            os.close(file)
            raise
        if _is_current(root, file, path):
            return file
        os.close(file)  # somebody removed the file while we waited: the lock is on a ghost


def open_lock_file(root: Path, path: str = LOCK_PATH) -> int:
    """Open a lock file below `.state/`, which is made, hidden from git, when it is missing.

    Raises:
        StoreError: the vault cannot be written.
    """
    try:
        with Folders(root) as folders:
            try:
                name, handle = folders.locate(path)
            except FileNotFoundError:
                _make_state_folder(folders)
                name, handle = folders.locate(path)
            return os.open(name, _FLAGS, 0o600, dir_fd=handle)
    except OSError as error:
        raise explain_os_error(error, path, "write") from error


def require_usual(root: Path) -> None:
    """Refuse to write where something else stands in the place of our own files in `.state/`.

    git keeps none of them, so a push can put a folder there, which would stop every change.

    Raises:
        StoreError: names it, and how to find out where it came from.
    """
    files = (LOCK_PATH, TURN_PATH, JOURNAL_PATH)
    for path, is_usual in ((".state", S_ISDIR), *((path, S_ISREG) for path in files)):
        try:
            mode = os.lstat(root / path).st_mode
        except OSError:  # not there, or said by who opens it
            continue
        if not is_usual(mode):
            odd = "a file" if S_ISREG(mode) else "no file"
            what = "a folder" if S_ISDIR(mode) else "a link" if S_ISLNK(mode) else odd
            raise StoreError(
                f"{path} is {what}, in the place of what mvault keeps there; nothing was written",
                hint=f"Move it out of the vault; `git log -- {path}` says whether a commit brought"
                " it.",
            )


def _make_state_folder(folders: Folders) -> None:
    name, handle = folders.locate(".state/.gitignore", create=True)
    with suppress(FileExistsError):
        file = os.open(name, CREATE_FLAGS, 0o600, dir_fd=handle)
        try:
            os.write(file, b"*\n")
        finally:
            os.close(file)


def _is_current(root: Path, file: int, path: str) -> bool:
    try:
        with Folders(root) as folders:
            name, handle = folders.locate(path)
            there = os.stat(name, dir_fd=handle, follow_symlinks=False)
    except OSError:
        return False
    return os.path.samestat(there, os.fstat(file))


def _busy(file: int) -> ChangedMeanwhileError:
    owner = read_owner(file)
    who = f" ({owner})" if owner else ""
    return ChangedMeanwhileError(
        f"another mvault{who} is writing here",
        hint="Wait for it to end and run the command again.",
    )


def read_owner(file: int) -> str:
    """Return who wrote into the lock file, in words, or ""."""
    try:
        text = os.pread(file, 200, 0) if hasattr(os, "pread") else b""
    except OSError:
        return ""
    words = text.decode("utf-8", "replace").split("\n", 1)[0]
    return "".join(char for char in words if char.isprintable())


def _write_owner(file: int) -> None:
    """Say who holds the lock; only words for others, so a full disk does not stop anybody."""
    line = f"process {os.getpid()} on {_machine()} since {_now_words()}\n"
    try:
        os.ftruncate(file, 0)
        os.lseek(file, 0, os.SEEK_SET)
        os.write(file, line.encode())
    except OSError:
        return


def _machine() -> str:
    return os.uname().nodename if hasattr(os, "uname") else os.environ.get("COMPUTERNAME", "")


def _now_words() -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%S%z")


def _release(file: int) -> None:
    try:
        os.ftruncate(file, 0)
    except OSError:
        pass
    finally:
        os.close(file)  # closing frees the lock, whatever happened before


if sys.platform == "win32":  # pragma: no cover - exercised on Windows only
    import msvcrt

    _FAR: Final = 1 << 30  # the locked byte lies beyond the owner's words, so others can read them

    def try_lock(file: int) -> bool:
        """Take the lock of an open file if it is free; tell whether we have it now."""
        os.lseek(file, _FAR, os.SEEK_SET)
        try:
            msvcrt.locking(file, msvcrt.LK_NBLCK, 1)
        except OSError as error:
            if error.errno in _BUSY:
                return False
            raise
        return True

    def _take(file: int, deadline: float) -> None:
        while not try_lock(file):
            if time.monotonic() > deadline:
                raise _busy(file)
            time.sleep(0.02)

else:
    import fcntl

    def try_lock(file: int) -> bool:
        """Take the lock of an open file if it is free; tell whether we have it now."""
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            if error.errno in _BUSY:
                return False
            raise StoreError(
                f"this file system has no file locks: {error.strerror}",
                hint="Keep the vault on a local disk.",
            ) from error
        return True

    def _take(file: int, deadline: float) -> None:
        if try_lock(file):
            return
        if not _Waiter(file).wait(max(0.0, deadline - time.monotonic())):
            raise _busy(file)

    class _Waiter:
        """A thread that blocks in flock on a duplicate, which shares the lock with `file`.

        Abandoned, it closes the duplicate as soon as it gets the lock; the caller has closed
        its own descriptor by then, so the lock is free again.
        """

        def __init__(self, file: int) -> None:
            import threading

            self._duplicate = os.dup(file)
            self._done = threading.Event()
            self._got = False
            threading.Thread(target=self._run, name="vault-lock", daemon=True).start()

        def _run(self) -> None:
            try:
                fcntl.flock(self._duplicate, fcntl.LOCK_EX)
                self._got = True
            finally:
                os.close(self._duplicate)
                self._done.set()

        def wait(self, seconds: float) -> bool:
            """Return whether the lock came within `seconds`."""
            return self._done.wait(seconds) and self._got
