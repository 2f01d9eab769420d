"""What this machine observed: its files in the vault, and its own copy of them. May import `store`.

A file in the vault may be changed by a push, also this machine's. So every line is written twice:
into `usage/<machine>.jsonl`, which others read, and into a copy of that file in the person's state
folder, which counts here. What the vault's file has more does not count; what it has less still
counts, and goes in again with the next line. A line is one `write` at the end of each: a kill
leaves it whole, torn at the end of the file, or not there; what stood before is never touched.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Final, NamedTuple

from vault_cli.errors import Diagnostic, StoreError, VaultError
from vault_cli.model.observation import WATERMARK, Observation, write_line
from vault_cli.model.record import CROCKFORD
from vault_cli.store.clone import make_mark, mark_of
from vault_cli.store.files import read_file
from vault_cli.store.git_place import find_place
from vault_cli.store.opening import Folders, explain_os_error
from vault_cli.store.places import STATE_VARIABLE, machine_token, state_folder
from vault_cli.store.usage import (
    FOLDER,
    MAX_USAGE,
    is_usage_name,
    machine_of,
    names_in,
    waiting_in,
)

PART: Final = 128 << 10
"""Bytes after which another file is begun."""

_ID_LENGTH: Final = 12
_KEY_BYTES: Final = 8
_APPEND: Final = (
    os.O_RDWR
    | os.O_APPEND
    | os.O_CREAT
    | getattr(os, "O_NOFOLLOW", 0)
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_BINARY", 0)
)


def machine_id(root: Path) -> str:
    """Return the random name of this machine's writer in one vault.

    It is drawn from the random secret in the person's state folder, the place of the vault and the
    mark of the clone (`store.clone`): two clones on one machine are two writers, one after the
    other at one place, too, and it says nothing about host or person.

    Raises:
        StoreError: nothing can hold the secret.
    """
    token = machine_token()
    if token is None:
        raise StoreError(
            "this machine has no name for observations: the state folder cannot be written",
            hint=f"Make it writable, or name another one in {STATE_VARIABLE}.",
        )
    from hashlib import blake2b

    place = os.fsencode(os.path.realpath(root)) + b"\0" + mark_of(root).encode()
    number = int.from_bytes(blake2b(place, key=token, person=b"mvault usage").digest()[:8], "big")
    return _spell(number, _ID_LENGTH)


def _spell(number: int, length: int) -> str:
    return "".join(CROCKFORD[number >> 5 * place & 31] for place in range(length))


def own_paths(root: Path) -> list[str]:
    """Return the files of this machine, oldest first; the next line goes into the last.

    A file that is long enough is left as it is when nothing in it waits, and another one begun: git
    keeps a whole copy of what a commit changes.

    Raises:
        StoreError: as `machine_id`.
    """
    own = machine_id(root)
    parts = own_names(root, own)
    if not parts or _is_full(read_own(root, f"{FOLDER}/{parts[-1]}")):
        parts.append(f"{own}-{len(parts) + 1}.jsonl" if parts else f"{own}.jsonl")
    return [f"{FOLDER}/{name}" for name in parts]


def _is_full(data: bytes) -> bool:
    """Tell whether a file is long enough, and nothing in it waits for a watermark."""
    return len(data) >= PART and waiting_in(data) == 0


def own_path(root: Path) -> str:
    """Return the file that the next line goes into; StoreError as `machine_id`."""
    return own_paths(root)[-1]


def copied_names(own: str) -> list[str]:
    """Return the files of this machine of which there is a copy, oldest first."""
    try:
        names = os.listdir(state_folder() / FOLDER)  # noqa: PTH208
    except OSError:
        return []
    return _parts_of(own, names)


def own_names(root: Path, own: str) -> list[str]:
    """Return the files of this machine, oldest first: those it has a copy of.

    Without any copy, those of the vault: an earlier version kept none.
    """
    names = copied_names(own)
    if names:
        return names
    try:
        return _parts_of(own, os.listdir(root / FOLDER))  # noqa: PTH208
    except OSError:
        return []


def _parts_of(own: str, names: Iterable[str]) -> list[str]:
    parts = (name for name in names if is_usage_name(name) and machine_of(name) == own)
    return sorted(parts, key=lambda name: (len(name), name))


def read_own(root: Path, path: str) -> bytes:
    """Return what this machine wrote into one of its files, b"" when that cannot be read."""
    own = machine_of(path.rpartition("/")[2])
    place = state_folder() if copied_names(own) else root
    try:
        return read_file(place, path, MAX_USAGE)
    except VaultError:
        return b""


def own_lines(root: Path, texts: Iterable[tuple[str, bytes]]) -> Iterator[tuple[str, bytes]]:
    """Yield of files given as (name, bytes) what this machine wrote; StoreError as `machine_id`."""
    own = machine_id(root)
    for name, data in texts:
        if machine_of(name) == own:
            wrote = _lines_of(read_own(root, f"{FOLDER}/{name}"))
            yield name, b"".join(line + b"\n" for line in data.split(b"\n") if line in wrote)


def new_key() -> str:
    """Return a random key for an observation."""
    return _spell(int.from_bytes(os.urandom(_KEY_BYTES), "big"), _ID_LENGTH)


def stamp_time(now: datetime) -> str:
    """Return an aware instant as observations write it."""
    return now.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def append_lines(
    root: Path, observations: Iterable[Observation], *, path: str = "", sync: bool = True
) -> str:
    """Append observations to this machine's file with one write to each copy; return its path.

    Args:
        root: the vault.
        observations: what was seen.
        path: which of its files; "" for the last.
        sync: force them to the disk, for what a person was told is noted.

    Raises:
        StoreError: the vault or the state folder cannot be written; what stood there is untouched.
    """
    data = b"".join(map(write_line, observations))
    with suppress(StoreError):  # where it cannot be written, the place alone names the clone
        make_mark(find_place(root))
    path = path or own_path(root)
    _begin_copies(root, path)
    try:
        with ExitStack() as stack:
            shared = _open_end(stack, root, path, 0o644)
            copy = _open_end(stack, state_folder(), path, 0o600)
            for file in (copy, shared):
                _append(file, data)
                if sync:
                    os.fsync(file)
    except OSError as error:
        raise explain_os_error(error, path, "write") from error
    return path


def _open_end(stack: ExitStack, root: Path, path: str, mode: int) -> int:
    folders = stack.enter_context(Folders(root))
    name, handle = folders.locate(path, create=True, mode=mode | 0o100 | (mode & 0o44) >> 2)
    file = os.open(name, _APPEND, mode, dir_fd=handle)
    stack.callback(os.close, file)
    return file


def _begin_copies(root: Path, path: str) -> None:
    """Take over the files of an earlier version, which kept no copies, before the first line."""
    own = machine_of(path.rpartition("/")[2])
    if copied_names(own):
        return
    for name in own_names(root, own):
        data = read_own(root, f"{FOLDER}/{name}")
        try:
            with ExitStack() as stack:
                _append(_open_end(stack, state_folder(), f"{FOLDER}/{name}", 0o600), data)
        except OSError as error:
            raise explain_os_error(error, name, "write") from error


def _append(file: int, data: bytes) -> None:
    """Write at the end; a line that was torn there is ended first."""
    size = os.fstat(file).st_size
    if size:
        os.lseek(file, size - 1, os.SEEK_SET)
        if os.read(file, 1) != b"\n":
            data = b"\n" + data
    if os.write(file, data) != len(data):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


class Difference(NamedTuple):
    """How a file of this machine differs in the vault from what this machine wrote.

    Args:
        path: of the file in the vault.
        more: lines that this machine did not write.
        less: lines it wrote that are not there, each with its line feed.
    """

    path: str
    more: int
    less: tuple[bytes, ...]


def find_differences(root: Path, *, quick: bool = False) -> Iterator[Difference]:
    """Yield how the files of this machine differ from its copies; StoreError as `machine_id`.

    Args:
        root: the vault.
        quick: of older files of the same size nothing is read.
    """
    own = machine_id(root)
    copied = copied_names(own)
    with Folders(root) as folders:
        there = _parts_of(own, names_in(folders)) if copied else []
    for name in dict.fromkeys((*copied, *there)):
        path = f"{FOLDER}/{name}"
        if quick and name not in copied[-2:] and _has_same_size(root, path):
            continue
        mine = _bytes_of(state_folder(), path)
        shared = _bytes_of(root, path)
        if mine == shared:
            continue
        wrote, stands = _lines_of(mine), _lines_of(shared)
        more = sum(line not in wrote for line in stands)
        less = tuple(line + b"\n" for line in wrote if line not in stands)
        if more or less:
            yield Difference(path, more, less)


def _has_same_size(root: Path, path: str) -> bool:
    with suppress(OSError):
        return (root / path).lstat().st_size == (state_folder() / path).lstat().st_size
    return False


def _bytes_of(root: Path, path: str) -> bytes:
    try:
        return read_file(root, path, MAX_USAGE)
    except VaultError:
        return b""


def _lines_of(data: bytes) -> dict[bytes, None]:
    """Return the whole lines, each once, in their order."""
    lines = data[: data.rfind(b"\n") + 1].split(b"\n")
    return dict.fromkeys(line for line in lines if line.strip())


def put_back(root: Path, now: datetime) -> int:
    """Write what others took out of this machine's files into them again; return how many lines.

    They stand behind the watermark that took them in, so that another follows where nothing waits.

    Raises:
        StoreError: the vault or the state folder cannot be written.
    """
    count = 0
    for found in find_differences(root, quick=True):
        if not found.less:
            continue
        count += len(found.less)
        data = b"".join(found.less)
        try:
            with ExitStack() as stack:
                _append(_open_end(stack, root, found.path, 0o644), data)
        except OSError as error:
            raise explain_os_error(error, found.path, "write") from error
        if WATERMARK.encode() in data and waiting_in(read_own(root, found.path)) == 0:
            mark = Observation(WATERMARK, stamp_time(now), new_key())
            append_lines(root, [mark], path=found.path)
    return count


def difference_findings(root: Path) -> Iterator[Diagnostic]:
    """Yield what others did to the files of this machine, for `check`."""
    try:
        found = list(find_differences(root))
    except VaultError:
        return
    for item in found:
        if item.more:
            text = f"{_lines(item.more)} this machine did not write: not counted"
            hint = f"See who added them: git log -p -- {item.path}"
            yield Diagnostic(item.path, 0, "usage-own", "warning", text, hint)
        if item.less:
            text = f"{_lines(len(item.less))} this machine wrote: not in it, but still counted"
            hint = (
                "The next mark writes them into it. To let them go, take them out of"
                f" {state_folder() / item.path}, too."
            )
            yield Diagnostic(item.path, 0, "usage-own", "warning", text, hint)


def _lines(count: int) -> str:
    return "1 line that" if count == 1 else f"{count:,} lines that"
