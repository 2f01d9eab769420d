"""Locks of HEAD and its branch that a killed git of ours left behind. May import `errors`.

git makes `HEAD.lock` and the branch's lock while it moves HEAD; killed right then (a container
that is stopped, a power cut) it leaves them, and nobody could commit here any more. No process can
be named as their owner, so a lock counts as ours only when everything fits: it was not there when
the move began, it was made within moments of that, it holds nothing or exactly our commit, and it
is still the same some seconds later, though git holds such a lock for milliseconds.
"""

from __future__ import annotations

import os
import time
from contextlib import suppress
from pathlib import Path

from vault_cli.store.git_place import Place, branch_file

_WINDOW = 5.0
"""Seconds between the start of a move and the making of its locks, at most."""

_AGE = 3.0
"""Seconds after which git would have removed them."""


def standing_locks(place: Place) -> list[str]:
    """Return the locks of HEAD and its branch that are there now."""
    return [str(path) for path in _lock_paths(place) if os.path.lexists(path)]


def drop_ref_locks(place: Place, begun: Path, commit: str, foreign: object) -> None:
    """Remove the locks that the killed move of HEAD to `commit` left.

    Args:
        place: the repository; its `index.lock` is ours, and the git process is known to be dead.
        begun: a file that was written just before the move.
        commit: id HEAD was to get.
        foreign: locks that were there before, as `standing_locks` named them; anything else than
            such a list (read from a file) lets every lock stay.
    """
    if not isinstance(foreign, list):
        return
    for lock in _lock_paths(place):
        if str(lock) not in foreign:
            with suppress(OSError):
                _drop(lock, begun.stat().st_mtime, commit)


def _lock_paths(place: Place) -> list[Path]:
    branch = branch_file(place)
    names = [place.git_dir / "HEAD", *([branch] if branch else [])]
    return [path.with_name(f"{path.name}.lock") for path in names]


def _drop(lock: Path, begun: float, commit: str) -> None:
    found = lock.lstat()
    # both times are those of the file system's clock, whatever ours says
    if not begun <= found.st_mtime <= begun + _WINDOW:
        return
    age = time.time() - found.st_mtime
    if age < _AGE:
        time.sleep(min(_AGE, _AGE - age))
    if lock.read_bytes().strip() not in {b"", commit.encode()}:
        return
    now = lock.lstat()
    if (now.st_ino, now.st_mtime_ns) == (found.st_ino, found.st_mtime_ns):
        lock.unlink()
