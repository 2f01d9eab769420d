"""What differs between HEAD and the disk. May import `errors`.

git's own `status` runs content filters and trusts the person's index; it only serves to find
candidates quickly where nothing is untrusted. Every answer comes from comparing bytes with HEAD.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from vault_cli.errors import StoreError
from vault_cli.store.build import Rules
from vault_cli.store.commit import head_id
from vault_cli.store.entry import GONE, Entry, blob_id, parse_tree, read_disk
from vault_cli.store.git_place import has_sparse_rules
from vault_cli.store.git_run import Git
from vault_cli.store.opening import NotAFileError

_SUBMODULE = "160000"
_LINK = "120000"


class Pending(NamedTuple):
    """One path whose working-tree bytes differ from HEAD: code is `added`, `changed`, `deleted`."""

    path: str
    code: str


def candidate_paths(git: Git, prefix: str, *, plain: bool, also: Collection[str] = ()) -> list[str]:
    """Return repository-relative paths that may differ from HEAD; ignored files are left out.

    What `git status` is told to pass over (`update-index --assume-unchanged`, `--skip-worktree`) is
    looked at all the same.

    Args:
        git: the repository.
        prefix: folder of the vault in it.
        plain: whether git may run as it is configured.
        also: further paths, of files that must not be missed: listed when git does not track them,
            also where it ignores them.
    """
    scope = ("--", prefix) if prefix else ()
    tracked_here, hidden = _look_into_index(git, scope)
    more = {path for path in also if path not in tracked_here} | hidden
    if plain:
        flags = ("--porcelain=v1", "-z", "--no-renames", "-uall", "--ignore-submodules=all")
        out = git.run("status", *flags, *scope).out
        return sorted({os.fsdecode(line[3:]) for line in out.split(b"\0") if line} | more)
    head = head_id(git)
    tracked = parse_tree(git.run("ls-tree", "-r", "-z", head, *scope).out) if head else {}
    listed = git.run("ls-files", "-z", "--cached", "--others", "--exclude-standard", *scope).out
    found = {*tracked, *more, *(os.fsdecode(name) for name in listed.split(b"\0") if name)}
    return sorted(found.difference(outside_checkout(git, prefix)))


def _look_into_index(git: Git, scope: Sequence[str]) -> tuple[set[str], set[str]]:
    """Return the paths that git tracks, and those that it was told to pass over and are there."""
    tracked, hidden = set(), set()
    for line in filter(None, git.run("ls-files", "-z", "-v", *scope).out.split(b"\0")):
        path = os.fsdecode(line[2:])
        tracked.add(path)
        if line[:1].islower() or line[:1] == b"S":
            hidden.add(path)
    return tracked, {path for path in hidden if os.path.lexists(git.place.work_tree / path)}


def outside_checkout(git: Git, prefix: str) -> list[str]:
    """Return the repository-relative paths that a sparse checkout keeps out of the work tree."""
    if not has_sparse_rules(git.place):
        return []
    scope = ("--", prefix) if prefix else ()
    found = git.run("ls-files", "-z", "-t", *scope).out.split(b"\0")
    left = [os.fsdecode(line[2:]) for line in found if line.startswith(b"S ")]
    return [path for path in left if not os.path.lexists(git.place.work_tree / path)]


def compare_paths(git: Git, rules: Rules, paths: Sequence[str]) -> tuple[Pending, ...]:
    """Compare repository-relative paths with HEAD byte by byte."""
    old = rules.trees.entries(head_id(git), paths)
    found = (_compare(git.place.work_tree, rules, path, old.get(path, GONE)) for path in paths)
    return tuple(item for item in found if item is not None)


def _compare(root: Path, rules: Rules, path: str, before: Entry) -> Pending | None:
    if before.mode in {_SUBMODULE, _LINK} or path.endswith("/"):
        return None  # not ours to look into
    try:
        file = read_disk(root, path)
    except NotAFileError:  # a submodule that is staged only, or a folder in the place of a file
        return Pending(path, "deleted") if before.mode else None
    except StoreError:
        return Pending(path, "changed" if before.mode else "added")
    if file is None:
        return Pending(path, "deleted") if before.mode else None
    if not before.mode:
        return Pending(path, "added")
    blob = rules.filters.filtered_id(path, file.data) or blob_id(file.data, rules.algorithm)
    return None if blob == before.blob else Pending(path, "changed")


def inside(prefix: str, paths: Iterable[str]) -> list[str]:
    """Return the paths below `prefix`, relative to it."""
    if not prefix:
        return list(paths)
    start = f"{prefix}/"
    return [path.removeprefix(start) for path in paths if path.startswith(start)]
