"""A private workspace in the git folder, and git's own `index.lock`. May import `errors`.

A commit moves HEAD and the person's index together while it holds `index.lock`, as git does: a
foreign `git commit` then sees both old or both new and can never write our change away.

Who is killed in between leaves a lock behind. The workspace holds the proof whose it is (process,
its start time, machine, inode of the lock) and what is left to do, so that the next commit
finishes it. A lock without such a proof is never removed, however old: an editor that is open for
a commit message keeps one for hours.

A git process that was to move HEAD may outlive its killed owner. It inherits a kernel lock on a
file of the workspace, and whoever finishes the work waits for that lock first: HEAD is final then.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple

from vault_cli.errors import StoreError
from vault_cli.store.git_place import Place, read_head
from vault_cli.store.ref_locks import drop_ref_locks

LOCK_WAIT = 3.0
"""Seconds to wait for somebody else's `index.lock`."""

CHILD_WAIT = 30.0
"""Seconds to wait for a git process whose owner was killed."""

_PREFIX = "mvault-"
_PAUSE = 0.005
_ORPHAN_AGE = 3600.0


class IndexLockedError(StoreError):
    """Another program holds `index.lock`; nothing was committed."""


class Workspace(NamedTuple):
    """A folder in the git folder that belongs to one commit of one process."""

    place: Place
    folder: Path
    keeper: int

    @property
    def commit_index(self) -> Path:
        """The index that the commit's tree is made from."""
        return self.folder / "commit-index"

    @property
    def next_index(self) -> Path:
        """What the person's index will be once HEAD has moved."""
        return self.folder / "next-index"

    @property
    def old_index(self) -> Path:
        """What the person's index was, until HEAD has moved."""
        return self.folder / "old-index"

    @property
    def lock(self) -> Path:
        """A file of ours that the kernel locks; `index.lock` is its second name."""
        return self.folder / "lock"

    @property
    def kept(self) -> tuple[int, ...]:
        """The descriptor that the git process that moves HEAD must inherit."""
        return () if os.name == "nt" else (self.keeper,)

    def install_index(self) -> None:
        """Put the next index in the place of the person's; `restore_index` undoes it.

        Raises:
            OSError: it cannot be done; the person's index is as it was.
        """
        index = self.place.index_path
        if index.exists():
            try:
                os.link(index, self.old_index)
            except OSError:  # a file system without hard links
                self.old_index.write_bytes(index.read_bytes())
        self.next_index.replace(index)

    def restore_index(self) -> None:
        """Put the person's index back where another one was installed."""
        for _ in range(2):
            with suppress(OSError):
                _restore(self.place, self.folder)
                return

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
    try:
        recover(place)
        space = _make(place)
    except OSError as error:
        raise StoreError(
            f"cannot write in {place.git_dir}: {error.strerror}",
            hint="Check the permissions of the folder and the free space of the disk.",
        ) from error
    try:
        yield space
    finally:
        _leave(space)


def _make(place: Place) -> Workspace:
    folder = place.git_dir / f"{_PREFIX}{os.getpid()}-{os.urandom(6).hex()}"
    folder.mkdir(mode=0o700)
    keeper = -1
    try:
        keeper = os.open(folder / "lock", os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0))
        space = Workspace(place, folder, keeper)
        _lock_now(keeper)
        space.note(lock=_stamp(space.lock))
    except BaseException:
        if keeper >= 0:
            os.close(keeper)
        _remove(folder)
        raise
    return space


def _leave(space: Workspace) -> None:
    """Remove the workspace; keep it as the proof when the lock could not be removed."""
    os.close(space.keeper)
    if _holds(space):
        with suppress(OSError):
            space.note(done=True)  # so that recovery need not wait for our end
    else:
        _remove(space.folder)


def _remove(folder: Path) -> None:
    with suppress(OSError):
        for name in os.listdir(folder):  # noqa: PTH208
            with suppress(OSError):
                (folder / name).unlink()
        folder.rmdir()


@contextmanager
def hold_index(space: Workspace, wait: float | None = None) -> Iterator[None]:
    """Hold the repository's `index.lock`, waiting for a moment when somebody else has it.

    Raises:
        IndexLockedError: it stayed locked; names path, age, and what to do.
    """
    lock = _index_lock(space.place)
    deadline = time.monotonic() + (LOCK_WAIT if wait is None else wait)
    while not _take(space, lock):
        recover(space.place)
        if time.monotonic() > deadline:
            raise _locked(lock)
        time.sleep(_PAUSE)
    try:
        yield
    finally:
        _release(space)


def _index_lock(place: Place) -> Path:
    return place.git_dir / "index.lock"


def _take(space: Workspace, lock: Path) -> bool:
    """Create the lock as a second name of a file of ours: the proof is written before it exists."""
    try:
        os.link(space.lock, lock)
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


def _holds(space: Workspace) -> bool:
    stamp = _stamp(_index_lock(space.place))
    return stamp is not None and stamp in (_stamp(space.lock), _facts(space.folder).get("lock"))


def _release(space: Workspace) -> None:
    """Remove the lock if it is ours; one that stays is left to recovery (see `_leave`)."""
    for _ in range(2):
        if not _holds(space):
            return
        with suppress(OSError):
            _index_lock(space.place).unlink()
            return


def _locked(lock: Path) -> IndexLockedError:
    age = "of unknown age"
    with suppress(OSError):
        age = f"{describe_age(time.time() - lock.stat().st_mtime)} old"
    return IndexLockedError(
        f"git's index is locked by {lock} ({age})",
        hint="Finish or close other git programs that work here (an open commit message, an"
        " editor, a sync). If none is running, a killed git left the lock behind: remove that"
        " file.",
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


def recover(place: Place) -> bool:
    """Finish or drop what killed processes of this machine left in the git folder.

    Returns:
        Whether nothing is left: False when a git process of a killed owner does not end.
    """
    with os.scandir(place.git_dir) as found:
        left = [Path(item.path) for item in found if item.name.startswith(_PREFIX)]
    orphans = [folder for folder in left if folder.is_dir() and _is_abandoned(folder)]
    if not orphans:
        return True
    with _alone(place):
        return min([_finish(place, folder) for folder in orphans])


@contextmanager
def _alone(place: Place) -> Iterator[None]:
    """Let one process at a time recover, so that nobody removes the next owner's lock."""
    import fcntl

    with (place.git_dir / f"{_PREFIX}recovery").open("wb") as handle:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield


def _finish(place: Place, folder: Path) -> bool:
    if not _wait_for_child(folder):
        return False
    facts = _facts(folder)  # read again: another process may have been faster
    lock = _index_lock(place)
    if facts.get("lock") and facts["lock"] == _stamp(lock):
        head = read_head(place)
        if facts.get("commit") and not facts.get("done"):
            drop_ref_locks(place, folder / "owner.json", str(facts["commit"]), facts.get("refs"))
        if facts.get("commit") and head is not None and facts["commit"] != head:
            _restore(place, folder)  # HEAD did not move
        lock.unlink(missing_ok=True)
    _remove(folder)
    return True


def _restore(place: Place, folder: Path) -> None:
    """Undo the installation of an index, if there was one."""
    old = folder / "old-index"
    if (folder / "next-index").exists():
        return
    if old.exists():
        old.replace(place.index_path)
    else:
        place.index_path.unlink(missing_ok=True)


def _wait_for_child(folder: Path) -> bool:
    """Wait until no process has the workspace's kernel lock any more."""
    try:
        handle = os.open(folder / "lock", os.O_RDWR | getattr(os, "O_CLOEXEC", 0))
    except OSError:
        return True
    deadline = time.monotonic() + CHILD_WAIT
    try:
        while not _lock_now(handle):
            if time.monotonic() > deadline:
                return False
            time.sleep(_PAUSE)
    finally:
        os.close(handle)
    return True


def _lock_now(handle: int) -> bool:
    """Take the kernel lock of a file if it is free; where there are no such locks it is."""
    if os.name == "nt":
        return True
    import fcntl

    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        return True
    return True


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
    if facts.get("done"):
        return True
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
