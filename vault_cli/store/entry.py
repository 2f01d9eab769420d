"""One path as git sees it: mode and blob id, on disk and in a tree. May import `errors`."""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from vault_cli.errors import StoreError, UsageError
from vault_cli.store.git_run import Git
from vault_cli.store.opening import Folders, explain_os_error, is_inside, read_at, show_name

REGULAR = "100644"
EXECUTABLE = "100755"
_ARGUMENT_ROOM = 8000
_SHA256_LENGTH = 64
_ANY_SIZE = 1 << 62
_ANY_DEPTH = 1 << 20
"""git has no limits; the vault's own do not count for files that are the person's."""


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
    if not is_inside(path) or ".git" in path.lower().split("/"):
        raise UsageError(f"not a path inside the vault: {show_name(path)!r}")
    return path


def read_disk(root: Path, path: str) -> DiskFile | None:
    """Read a regular file below `root` without following any link; None when it is not there.

    Raises:
        NotAFileError: a folder or a device stands there.
        StoreError: a link or a file is in the way, or it cannot be read.
    """
    try:
        with Folders(root, deepest=_ANY_DEPTH) as folders:
            data, facts = read_at(*folders.locate(path), _ANY_SIZE)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise explain_os_error(error, path, "read") from error
    except StoreError as error:
        raise type(error)(f"{show_name(path)}: {error.message}", hint=error.hint) from error
    return DiskFile(bool(facts.st_mode & stat.S_IXUSR), data, facts)


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
