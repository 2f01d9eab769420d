"""Answers made ready: the block of a place, and the stamps of all it was made of. Standard library.

A block is given again only while every file it came from, and every file that could have come in
between, has the stamp of then: names, sizes, times and inodes of all that lies in the vaults, the
settings, and what git says of branch and remotes. So it is the block that a full run would print,
for a fraction of the cost. A file is sealed with this machine's secret, as the cache of a vault is.
"""

from __future__ import annotations

import marshal
import os
import time

from vault_cli.hook.injected import digest
from vault_cli.hook.keeping import put, thin
from vault_cli.hook.state import FOLDER
from vault_cli.hook.system import open_plain

TYPE_CHECKING = False  # `typing` takes longer to load than all of this; checkers know the name
if TYPE_CHECKING:
    from typing import Any


FOLDER_NAME = "ready"
LAYOUT = 2
MOST = 64
"""So many answers are kept."""

SETTLED = 2_000_000_000
"""Nanoseconds a file must have been left alone before an answer made of it is kept."""

TREE = "tree"
"""A folder with all that is in it, but for `.git` and `.state`."""

GIT = "git"
"""A folder of git: what stands in it and in `refs`, but no objects and no logs."""

FILE = "file"
"""One file or folder: its stamp, or that it is not there."""

THERE = "there"
"""Whether something is there, and which: a folder that others write into."""

_MAX_FILE = 4 << 20
_SEAL = 32
_VARIABLES = ("MVAULT", "XDG_", "GIT_", "HOME", "TZ", "USERPROFILE")
_QUIET = frozenset({"MVAULT_HOOK", "MVAULT_STATE_DIR"})


def key_of(folder: str, host: str, unit: str, room: int) -> str:
    """Return the name of the answer for a place: folder, host, environment, size of the block."""
    pairs = sorted(
        (name, value)
        for name, value in os.environ.items()
        if name.startswith(_VARIABLES) and name not in _QUIET
    )
    return digest(repr((LAYOUT, folder, host, unit, room, pairs)).encode("utf-8", "surrogatepass"))


def load(state: str, key: str, *, exact: bool) -> dict[str, Any] | None:
    """Return what was kept under a key if its stamps hold, else None.

    Args:
        state: the state folder.
        key: from `key_of`.
        exact: look at every file; otherwise at the folders and at what the block shows, which
            tells of anything new, moved or gone, but not of every edit in place.
    """
    data = _read(state, key)
    if data is None or data.get("layout") != LAYOUT:
        return None
    if has_ended(data["until"]) or not holds(data["stamps"] if exact else data["quick"]):
        return None
    return data


def has_ended(until: float) -> bool:
    """Tell whether the time is over in which an answer can hold; 0 is no end."""
    return bool(until) and time.time() >= until


def holds(stamps: list[tuple[str, str, str]]) -> bool:
    """Tell whether all of some places are as they were: kind, path and stamp of each."""
    return all(stamp(kind, path) == value for kind, path, value in stamps)


def keep(state: str, key: str, data: dict[str, Any]) -> None:
    """Keep an answer.

    Args:
        state: the state folder.
        key: from `key_of`.
        data: `block` and what `turns.begin` takes with it;
            `sessions` that have records of their own; `until`, in Unix time, 0 for no end;
            `stamps` and `quick`, each a list of kind, path and stamp.

    Raises:
        OSError, ValueError: it cannot be kept.
    """
    token = machine_token(state)
    if token is None:
        return
    body = marshal.dumps({**data, "layout": LAYOUT})
    sealed = digest(body, token, _SEAL // 2).encode("ascii") + body
    thin(put(os.path.join(state, FOLDER), FOLDER_NAME, key, sealed), MOST)


def _read(state: str, key: str) -> dict[str, Any] | None:
    try:
        path = os.path.join(state, FOLDER, FOLDER_NAME, key)
        file = open_plain(path, os.O_RDONLY)
    except OSError:
        return None
    try:
        data = os.read(file, _MAX_FILE)
    finally:
        os.close(file)
    token = machine_token(state)
    if token is None or digest(data[_SEAL:], token, _SEAL // 2).encode("ascii") != data[:_SEAL]:
        return None
    found = marshal.loads(data[_SEAL:])  # noqa: S302 - only we can have sealed it
    return found if isinstance(found, dict) else None


def machine_token(state: str) -> bytes | None:
    """Return this machine's secret (`store.places.machine_token`), None when there is none yet."""
    try:
        with open(os.path.join(state, "cache-token"), "rb", opener=open_plain) as file:
            token = file.read(64)
    except OSError:
        return None
    return token if len(token) == _SEAL else None


def stamp(kind: str, path: str) -> str:
    """Return what is to be known of a path: the same text as long as nothing has changed."""
    return look(kind, path, dated=False)[0]


def look(kind: str, path: str, *, dated: bool = True) -> tuple[str, int]:
    """Return the stamp of a path, and when it was changed last, in nanoseconds since 1970.

    Args:
        kind: one of the kinds above.
        path: the path.
        dated: False: nobody asks when; of a folder it takes a while to tell.
    """
    if kind in {TREE, GIT}:
        lines = _lines_below(path, is_git=kind == GIT)
        text = "\0".join(lines).encode("utf-8", "surrogatepass")
        return digest(text, size=16), _newest_of(lines) if dated else 0
    try:
        facts = os.lstat(path)
    except OSError:
        return "", 0
    if kind == THERE:
        return f"{facts.st_mode:o} {facts.st_ino}", 0
    times_of = facts.st_mtime_ns, facts.st_ctime_ns
    return f"{facts.st_mode} {facts.st_size} {times_of} {facts.st_ino}", max(times_of)


def _newest_of(lines: list[str]) -> int:
    """Return the latest of the two times that each line of an entry begins with."""
    times = [line.split(" ", 2)[:2] for line in lines if line[:1] != "/"]
    return max((int(time) for pair in times for time in pair), default=0)


def _lines_below(top: str, *, is_git: bool) -> list[str]:
    """Return every folder, each with its entries, in an order; no two states give the same lines.

    An entry is the times of its content and its inode, its size, inode, mode and name. A folder
    that cannot be listed has an entry without a name. Texts cost half of what numbers would.
    """
    seen: list[str] = []
    waiting = [top]
    while waiting:
        path = waiting.pop()
        own: list[str] = []
        folders: list[str] = []
        try:
            _list(path, own, folders, is_git=is_git)
        except OSError:
            own.append("0 0 0 0 0 ")
        own.sort()
        seen.append(f"/{path}")
        seen += own
        waiting += sorted(folders)
    return seen


def _list(path: str, own: list[str], folders: list[str], *, is_git: bool) -> None:
    """Add the entries of a folder to `own`, and the folders that are looked at to `folders`."""
    # By its handle, so that the system does not go the whole way for each entry.
    place = os.open(path, _FOLDER) if _BY_HANDLE else path
    try:
        with os.scandir(place) as entries:
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    if _is_looked_at(entry.name, path, is_git=is_git):
                        folders.append(f"{path}/{entry.name}")
                    continue
                facts = entry.stat(follow_symlinks=False)
                times = f"{facts.st_mtime_ns} {facts.st_ctime_ns}"
                own.append(f"{times} {facts[6]} {facts[1]} {facts[0]} {entry.name}")
    finally:
        if isinstance(place, int):
            os.close(place)


_BY_HANDLE = os.scandir in os.supports_fd
_FOLDER = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0)


def _is_looked_at(name: str, path: str, *, is_git: bool) -> bool:
    if is_git:
        return name in {"refs", "info"} or "/refs" in path
    return name not in {".git", ".state"}


def folders_below(top: str) -> list[str]:
    """Return a folder and all folders below it that a tree's stamp looks at."""
    found = [top]
    for path in found:  # grows while it is gone through
        try:
            with os.scandir(path) as entries:
                names = [e.name for e in entries if e.is_dir(follow_symlinks=False)]
        except OSError:
            continue
        found += [f"{path}/{name}" for name in sorted(names) if name not in {".git", ".state"}]
    return found
