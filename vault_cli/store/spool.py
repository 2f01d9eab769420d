"""Take in what the hooks spooled: rename, hand over, remove. May import `hook`, `errors`.

At least once: a file goes away only after everyone who wants its frames has taken them in. Who
takes them in twice must bear it: `digest_of` names a frame for good.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from hashlib import blake2b
from pathlib import Path
from typing import Final, NamedTuple

from vault_cli.hook import spool as frames
from vault_cli.hook.frames import Frame
from vault_cli.hook.spool import NAMES
from vault_cli.hook.state import FOLDER, spare_folder

Take = Callable[[Sequence[Frame]], None]
"""What becomes of the frames of one file; what it raises leaves the file where it is."""

MAX_FOLDED: Final = 256 << 20
_STEM: Final = "events."
_TAIL: Final = ".bin"
_SETTLE: Final = 0.05
"""Seconds in which a hook that opened the file before it was renamed writes its frame."""


class Folded(NamedTuple):
    """What was taken in.

    Args:
        files, frames: how many.
        damaged: frames that were torn or changed, and are lost.
        problems: files that could not be read or removed, in words.
    """

    files: int = 0
    frames: int = 0
    damaged: int = 0
    problems: tuple[str, ...] = ()


class Waiting(NamedTuple):
    """What lies in the spool: files, their bytes, and whether some lie in the spare folder."""

    files: int
    size: int
    spare: bool


def spool_folders(state: Path) -> tuple[Path, ...]:
    """Return where spools may lie: below the state folder, and in our spare folder."""
    own = state / FOLDER / NAMES[0]
    spare = Path(spare_folder(os.fspath(state)))
    try:
        facts = spare.lstat()
    except OSError:
        return (own,)
    foreign = hasattr(os, "getuid") and facts.st_uid != os.getuid()
    if not spare.is_dir() or spare.is_symlink() or foreign:
        return (own,)
    return own, spare / NAMES[0]


def digest_of(frame: Frame) -> str:
    """Return the name of a frame: equal for the same event however often it is read."""
    head = f"{frame.time} {frame.host} {frame.event}\n".encode("utf-8", "surrogatepass")
    return blake2b(head + frame.raw, digest_size=16).hexdigest()


def look(state: Path) -> Waiting:
    """Say what waits to be taken in; changes nothing."""
    files = size = 0
    spare = False
    for folder in spool_folders(state):
        for path in _files(folder):
            with suppress(OSError):
                size += path.stat().st_size
                files += 1
                spare = spare or folder.parent != state / FOLDER
    return Waiting(files, size, spare)


def fold(state: Path, takers: Sequence[Take]) -> Folded:
    """Hand the spooled frames to all who want them, oldest file first, and remove what was taken.

    Args:
        state: the state folder.
        takers: called one after the other with the frames of each file.

    Raises:
        VaultError: whatever a taker raises; that file and later ones stay for the next time.
    """
    done = Folded()
    for folder in spool_folders(state):
        for path in _claimed(folder):
            try:
                done = _fold_file(path, takers, done)
            except OSError as error:
                text = f"{path}: {error.strerror or error}"
                done = done._replace(problems=(*done.problems, text))
    return done


def _claimed(folder: Path) -> Iterator[Path]:
    """Yield the spools of a folder, each under a name that no hook writes to."""
    current = folder / NAMES[1]
    name = f"{_STEM}{time.time_ns():020d}-{os.getpid()}{_TAIL}"
    if not current.is_symlink():
        with suppress(OSError):  # there is none, or the folder cannot be written
            current.rename(folder / name)
    yield from (path for path in _files(folder) if path.name != NAMES[1])


def _files(folder: Path) -> list[Path]:
    try:
        names = sorted(os.listdir(folder))  # noqa: PTH208 - names only
    except OSError:
        return []
    fitting = [name for name in names if name.startswith(_STEM) and name.endswith(_TAIL)]
    return [folder / name for name in fitting if not (folder / name).is_symlink()]


def _fold_file(path: Path, takers: Sequence[Take], done: Folded) -> Folded:
    """Take one file in; what a late hook still wrote to it is taken in, too."""
    with path.open("rb") as file:
        size = os.fstat(file.fileno()).st_size
        reader = frames.read(str(path))
        found = list(reader)
        for take in takers:
            take(found)
        time.sleep(_SETTLE)
        path.unlink()
        file.seek(size)
        late = file.read(MAX_FOLDED)
    if late:
        rest = path.with_name(f"{path.name.removesuffix(_TAIL)}-late{_TAIL}")
        rest.write_bytes(late)
        more = list(frames.read(str(rest)))
        for take in takers:
            take(more)
        rest.unlink()
        found += more
    return done._replace(
        files=done.files + 1,
        frames=done.frames + len(found),
        damaged=done.damaged + reader.damaged,
    )
