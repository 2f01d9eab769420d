"""One path as git sees it: mode and blob id, on disk and in a tree. May import `errors`."""

from __future__ import annotations

import errno
import hashlib
import os
import stat
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from vault_cli.errors import StoreError, UsageError
from vault_cli.store.git_run import Git

REGULAR = "100644"
EXECUTABLE = "100755"
_ARGUMENT_ROOM = 8000
_SHA256_LENGTH = 64


class Entry(NamedTuple):
    """Mode and blob id of a path; mode "" stands for a path that is not there."""

    mode: str = ""
    blob: str = ""


GONE = Entry()


class DiskFile(NamedTuple):
    """A regular file as read from the work tree, with what its descriptor said before."""

    executable: bool
    data: bytes
    facts: os.stat_result | None = None


class NotAFileError(StoreError):
    """A folder (for git: nothing, or a submodule), a pipe or a device stands at a path."""


def zero_id(algorithm: str) -> str:
    """Return the id that stands for "does not exist" in a repository of this hash."""
    return "0" * (hashlib.new(algorithm, usedforsecurity=False).digest_size * 2)


def algorithm_of(commit: str) -> str:
    """Return the hash a full id was made with."""
    return "sha256" if len(commit) == _SHA256_LENGTH else "sha1"


def blob_id(data: bytes, algorithm: str) -> str:
    """Return the id git gives these bytes as a blob, without any filter."""
    digest = hashlib.new(algorithm, b"blob %d\0" % len(data), usedforsecurity=False)
    digest.update(data)
    return digest.hexdigest()


def check_path(path: str) -> str:
    """Return a vault-relative path unchanged when it stays in the vault and out of `.git`.

    Raises:
        UsageError: it is absolute, empty, leaves the vault, or names git's own folder.
    """
    parts = path.split("/")
    bad = not path or "\0" in path or path.startswith("/")
    if bad or any(part in {"", ".", ".."} or part.lower() == ".git" for part in parts):
        raise UsageError(f"not a path inside the vault: {path!r}")
    return path


def read_disk(root: Path, path: str) -> DiskFile | None:
    """Read a regular file below `root` without following any link; None when it is not there.

    Raises:
        NotAFileError: a folder or a device stands there.
        StoreError: a link or a file is in the way, or it cannot be read.
    """
    if os.open not in os.supports_dir_fd:
        return _read_plainly(root / path, path)
    *folders, name = path.split("/")
    flags = os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW
    try:
        handle = os.open(root, os.O_RDONLY | os.O_CLOEXEC | os.O_DIRECTORY)
        try:
            for folder in folders:
                inner = os.open(folder, flags | os.O_DIRECTORY, dir_fd=handle)
                os.close(handle)
                handle = inner
            target = os.open(name, flags | os.O_NONBLOCK, dir_fd=handle)
        finally:
            os.close(handle)
    except OSError as error:
        _refuse_unless_absent(error, path)
        return None
    try:
        return _take_regular(os.fstat(target), lambda: _read_all(target), path)
    finally:
        os.close(target)


def _read_all(handle: int) -> bytes:
    with os.fdopen(handle, "rb", closefd=False) as stream:
        return stream.read()


def _refuse_unless_absent(error: OSError, path: str) -> None:
    if error.errno in {errno.ELOOP, errno.ENOTDIR, errno.EMLINK}:
        raise StoreError(f"a link or a file is in the way of {path!r}; links are never followed")
    if error.errno != errno.ENOENT:
        raise StoreError(f"cannot read {path!r}: {error.strerror}") from error


def _read_plainly(target: Path, path: str) -> DiskFile | None:
    try:
        found = target.lstat()
        return _take_regular(found, target.read_bytes, path)
    except OSError as error:
        _refuse_unless_absent(error, path)
        return None


def _take_regular(found: os.stat_result, read: Callable[[], bytes], path: str) -> DiskFile:
    if not stat.S_ISREG(found.st_mode):
        raise NotAFileError(f"{path!r} is not a regular file")
    try:
        return DiskFile(bool(found.st_mode & stat.S_IXUSR), read(), found)
    except OSError as error:
        raise StoreError(f"cannot read {path!r}: {error.strerror}") from error


def tree_entries(git: Git, commit: str, paths: Sequence[str]) -> dict[str, Entry]:
    """Return what a commit has at these repository-relative paths (absent ones are left out)."""
    if not commit or not paths:
        return {}
    if sum(map(len, paths)) < _ARGUMENT_ROOM:
        return parse_tree(git.run("ls-tree", "-z", commit, "--", *paths).out)
    wanted = set(paths)
    everything = parse_tree(git.run("ls-tree", "-r", "-z", commit).out)
    return {path: entry for path, entry in everything.items() if path in wanted}


def parse_tree(out: bytes) -> dict[str, Entry]:
    """Parse `ls-tree -z`; names are decoded like file names, so nothing is lost."""
    found: dict[str, Entry] = {}
    for line in out.split(b"\0"):
        if line:
            facts, _, name = line.partition(b"\t")
            mode, _, blob = facts.decode("ascii").split(" ")[:3]
            found[os.fsdecode(name)] = Entry(mode, blob)
    return found


def index_lines(entries: Iterable[tuple[str, Entry]], zero: str) -> bytes:
    """Return the input of `update-index -z --index-info` for these entries."""
    lines = (
        f"{entry.mode or '0'} {entry.blob or zero}\t".encode() + os.fsencode(path) + b"\0"
        for path, entry in entries
    )
    return b"".join(lines)
