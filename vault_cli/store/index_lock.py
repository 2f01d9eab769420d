"""A private workspace in the git folder, and git's own `index.lock`. May import `errors`.

A commit moves HEAD and the person's index together while it holds `index.lock`, as git does: a
foreign `git commit` then sees both old or both new and can never write our change away.

Who is killed in between leaves a lock behind. The workspace holds the proof whose it is (process,
its start time, machine, inode of the lock) and what is left to do, so that the next commit
finishes it. A lock without such a proof is never removed, however old: an editor that is open for
a commit message keeps one for hours.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from vault_cli.errors import StoreError
from vault_cli.store.git_place import Place, read_head

LOCK_WAIT = 3.0
"""Seconds to wait for somebody else's `index.lock`."""

_PREFIX = "mvault-"
_PAUSE = 0.02
_ORPHAN_AGE = 3600.0


class IndexLockedError(StoreError):
    """Another program holds `index.lock`; the file is on disk, nothing was committed."""


@dataclass(frozen=True, slots=True)
class Workspace:
    """A folder in the git folder that belongs to one commit of one process."""

    place: Place
    folder: Path

    @property
    def index(self) -> Path:
        """The index that the commit's tree is made from."""
        return self.folder / "commit-index"

    @property
    def next_index(self) -> Path:
        """What the person's index will be once HEAD has moved."""
        return self.folder / "next-index"

    def note(self, **facts: object) -> None:
        """Write down who works here and how far it is (atomically); earlier facts stay."""
        text = json.dumps({**_identity(), **_facts(self.folder), **facts})
        fresh = self.folder / "owner.new"
        fresh.write_text(text, encoding="utf-8")
        fresh.replace(self.folder / "owner.json")


@contextmanager
def open_workspace(place: Place) -> Iterator[Workspace]:
    """Make a workspace and remove it afterwards; finish first what killed processes left.

    Raises:
        StoreError: the git folder cannot be written.
    """
    import shutil
    import tempfile

    recover(place)
    try:
        space = Workspace(place, Path(tempfile.mkdtemp(prefix=_PREFIX, dir=place.git_dir)))
        space.note()
    except OSError as error:
        raise StoreError(
            f"cannot write in {place.git_dir}: {error.strerror}",
            hint="Check the permissions of the folder and the free space of the disk.",
        ) from error
    try:
        yield space
    finally:
        shutil.rmtree(space.folder, ignore_errors=True)


@contextmanager
def hold_index(space: Workspace, wait: float | None = None) -> Iterator[None]:
    """Hold the repository's `index.lock`, waiting for a moment when somebody else has it.

    Raises:
        IndexLockedError: it stayed locked; names path, age, and what to do.
    """
    lock = space.place.git_dir / "index.lock"
    deadline = time.monotonic() + (LOCK_WAIT if wait is None else wait)
    while not _take(space, lock):
        recover(space.place)
        if time.monotonic() > deadline:
            raise _locked(lock)
        time.sleep(_PAUSE)
    try:
        yield
    finally:
        lock.unlink(missing_ok=True)


def _take(space: Workspace, lock: Path) -> bool:
    """Create the lock as a second name of a file of ours: the proof is written before it exists."""
    ours = space.folder / "lock"
    ours.touch()
    space.note(lock=_stamp(ours))
    try:
        os.link(ours, lock)
    except FileExistsError:
        return False
    except OSError:  # a file system without hard links: a kill right here leaves no proof
        return _take_plainly(space, lock)
    return True


def _take_plainly(space: Workspace, lock: Path) -> bool:
    try:
        os.close(os.open(lock, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o666))
    except FileExistsError:
        return False
    except OSError as error:
        raise StoreError(f"cannot lock {lock}: {error.strerror}") from error
    space.note(lock=_stamp(lock))
    return True


def _locked(lock: Path) -> IndexLockedError:
    age = "of unknown age"
    with suppress(OSError):
        age = f"{describe_age(time.time() - lock.stat().st_mtime)} old"
    return IndexLockedError(
        f"git's index is locked by {lock} ({age}); the file is saved, nothing was committed",
        hint="Finish or close other git programs that work here (an open commit message, an"
        " editor, a sync). If none is running, a killed git left the lock behind: remove that"
        " file and run the command again.",
    )


def describe_age(seconds: float) -> str:
    """Return a duration in the largest fitting unit: `2 hours`."""
    for unit, size in (("day", 86400), ("hour", 3600), ("minute", 60)):
        if seconds >= size:
            count = int(seconds // size)
            return f"{count} {unit}{'' if count == 1 else 's'}"
    count = max(0, int(seconds))
    return f"{count} second{'' if count == 1 else 's'}"


def _stamp(path: Path) -> list[int] | None:
    try:
        found = path.lstat()
    except OSError:
        return None
    return [found.st_dev, found.st_ino, found.st_mtime_ns]


def recover(place: Place) -> None:
    """Finish or drop what killed processes of this machine left in the git folder."""
    left = [path for path in place.git_dir.glob(f"{_PREFIX}*") if path.is_dir()]
    orphans = [path for path in left if _is_abandoned(path)]
    if orphans:
        with _alone(place):
            for folder in orphans:
                _finish(place, folder)


@contextmanager
def _alone(place: Place) -> Iterator[None]:
    """Let one process at a time recover, so that nobody removes the next owner's lock."""
    import fcntl

    with (place.git_dir / f"{_PREFIX}recovery").open("wb") as handle:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield


def _finish(place: Place, folder: Path) -> None:
    import shutil

    facts = _facts(folder)  # read again: another process may have been faster
    lock = place.git_dir / "index.lock"
    if facts.get("lock") and facts["lock"] == _stamp(lock):
        fresh = folder / "next-index"
        if facts.get("commit") and facts["commit"] == read_head(place) and fresh.exists():
            fresh.replace(place.index)  # HEAD had moved already: the index follows
        lock.unlink(missing_ok=True)
    shutil.rmtree(folder, ignore_errors=True)


def _facts(folder: Path) -> dict[str, Any]:
    try:
        data = json.loads((folder / "owner.json").read_bytes())
    except (OSError, ValueError):
        return {}
    return data if isinstance(data, dict) else {}


def _is_abandoned(folder: Path) -> bool:
    if os.name == "nt":
        return False
    facts = _facts(folder)
    if not facts:
        with suppress(OSError):
            return time.time() - folder.stat().st_mtime > _ORPHAN_AGE
        return False
    mine = _identity()
    if facts.get("machine") != mine["machine"] or not isinstance(facts.get("pid"), int):
        return False
    return not _lives(facts["pid"], str(facts.get("started", "")))


def _lives(pid: int, started: str) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return _started(pid) == started


def _identity() -> dict[str, object]:
    pid = os.getpid()
    return {"pid": pid, "started": _started(pid), "machine": _machine()}


def _machine() -> str:
    """Name what process numbers are valid in: host, and the process namespace on Linux."""
    if os.name == "nt":
        return os.environ.get("COMPUTERNAME", "")
    with suppress(OSError):
        return f"{os.uname().nodename} {os.readlink('/proc/self/ns/pid')}"  # noqa: PTH115
    return os.uname().nodename


def _started(pid: int) -> str:
    """Return the start time of a process in the kernel's words, "" where there is no /proc."""
    with suppress(OSError, IndexError):
        return Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[19]
    return ""
