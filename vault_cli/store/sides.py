"""The versions of a vault that a merge is about: trees and bytes by path. May import `store`.

Only what differs between the versions is read. Several common ancestors (after two machines merged
the same commits) are merged into one first, as git's own strategies do.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from pathlib import PurePosixPath
from typing import Final, NamedTuple

from vault_cli.errors import RefusedError
from vault_cli.store.entry import GONE, REGULAR, Entry, algorithm_of, blob_id, parse_tree
from vault_cli.store.git_place import has_sparse_rules
from vault_cli.store.opening import show_name
from vault_cli.store.private import PRIVATE
from vault_cli.store.progress import report
from vault_cli.store.remotes import read_all
from vault_cli.store.repo import Repository

Tree = dict[str, Entry]
"""The files of a vault in one commit, by vault-relative path."""

_PLAIN: Final = ("100644", "100755")
_DEEPEST: Final = 12
"""So many times ancestors of ancestors are merged; then the first one has to do."""


class Sides(NamedTuple):
    """Three versions of a vault.

    Args:
        base, one, other: bytes by path of the paths that are not alike in all three.
        kept: the paths that are.
    """

    base: dict[str, bytes]
    one: dict[str, bytes]
    other: dict[str, bytes]
    kept: frozenset[str]


Merge = Callable[[Sides, str, str], Mapping[str, "bytes | None"]]
"""Merges three versions that are those of two commits: what becomes of the paths that differ."""


class Versions:
    """The trees and texts of one repository, kept while a merge is worked out.

    Args:
        repo: the repository.
        merge: merges three versions, for common ancestors that have to be merged themselves.
    """

    def __init__(self, repo: Repository, merge: Merge) -> None:
        self._repo = repo
        self._merge = merge
        self._trees: dict[str, Tree] = {}
        self._texts: dict[str, bytes] = {}

    def tree(self, commit: str) -> Tree:
        """Return the vault's files in a commit; private folders are no part of it."""
        if not commit:
            return {}
        if commit not in self._trees:
            prefix = self._repo.prefix
            scope = ("--", prefix) if prefix else ()
            start = f"{prefix}/" if prefix else ""
            found = parse_tree(self._repo.git.run("ls-tree", "-r", "-z", commit, *scope).out)
            self._trees[commit] = {
                path.removeprefix(start): entry
                for path, entry in found.items()
                if path.startswith(start)
                and path.removeprefix(start).split("/", 1)[0] not in PRIVATE
            }
        return self._trees[commit]

    def bases(self, one: str, other: str) -> list[str]:
        """Return the newest common ancestors of two commits, sorted."""
        done = self._repo.git.run("merge-base", "--all", one, other, check=False)
        return sorted(done.out.decode("ascii", "replace").split())

    def ancestor(self, one: str, other: str, depth: int = 0) -> Tree:
        """Return the tree both lines go back to; several are merged into one."""
        first, *more = self.bases(one, other) or [""]
        tree = self.tree(first)
        for commit in more if depth < _DEEPEST else ():
            sides = self.sides(self.ancestor(first, commit, depth + 1), tree, self.tree(commit))
            tree = self.overlay(tree, self._merge(sides, first, commit))
        return tree

    def overlay(self, tree: Tree, files: Mapping[str, bytes | None]) -> Tree:
        """Return a tree with some files as given, whether git has them or not."""
        found = dict(tree)
        for path, data in files.items():
            if data is None:
                found.pop(path, None)
                continue
            blob = blob_id(data, algorithm_of(self._repo.head()))
            self._texts[blob] = data
            found[path] = Entry(tree.get(path, GONE).mode or REGULAR, blob)
        return found

    def sides(self, base: Tree, one: Tree, other: Tree) -> Sides:
        """Return what differs between three trees, with its bytes.

        Raises:
            RefusedError: a side has a link or a submodule where they differ.
        """
        every = {*base, *one, *other}
        trees = (base, one, other)
        differing = {
            path for path in every if len({tree.get(path, GONE).blob for tree in trees}) > 1
        }
        _require_plain(differing, trees)
        self.load(tree[path].blob for path in differing for tree in trees if path in tree)
        report("merging records", 0, 0)
        maps = [
            {path: self._texts[tree[path].blob] for path in sorted(differing) if path in tree}
            for tree in trees
        ]
        return Sides(maps[0], maps[1], maps[2], frozenset(every - differing))

    def load(self, blobs: Iterable[str]) -> None:
        """Read texts, all that are missing at once."""
        self._texts.update(
            read_all(self._repo, [blob for blob in dict.fromkeys(blobs) if blob not in self._texts])
        )


def _require_plain(paths: Iterable[str], trees: Iterable[Tree]) -> None:
    odd = sorted(
        path for tree in trees for path in paths if path in tree and tree[path].mode not in _PLAIN
    )
    if odd:
        raise RefusedError(
            f"{show_name(odd[0])} is a link or a submodule that one side changed",
            hint="A vault holds plain files. Merge it with git, or take it out of the vault there.",
        )


def outside_changes(repo: Repository, base: str, other: str) -> list[str]:
    """Return what the other side changed outside of a vault that is a folder of a bigger one."""
    if not repo.prefix:
        return []
    old = base or repo.git.run("hash-object", "-t", "tree", "--stdin").out.decode().strip()
    args = ("diff-tree", "-r", "-z", "--no-renames", "--name-only", old, other)
    names = map(os.fsdecode, repo.git.run(*args).out.split(b"\0"))
    return [name for name in names if name and not name.startswith(f"{repo.prefix}/")]


def find_hidden(repo: Repository, paths: Iterable[str]) -> frozenset[str]:
    """Return the vault paths that a sparse checkout keeps out of the work tree, new ones too.

    A new file goes by the rules of cone mode; where there are other rules, by its neighbours.
    """
    if not has_sparse_rules(repo.place):
        return frozenset()
    known = frozenset(repo.outside_checkout())
    start = f"{repo.prefix}/" if repo.prefix else ""
    cone = _read_cone(repo)
    found = set()
    for path in paths:
        if path in known:
            is_out = True
        elif cone is not None:
            is_out = not _in_cone(start + path, *cone)
        else:
            is_out = not (repo.root / path).exists() and _has_hidden_mates(path, known)
        if is_out:
            found.add(path)
    return frozenset(found)


def _read_cone(repo: Repository) -> tuple[frozenset[str], frozenset[str]] | None:
    """Return the whole folders and the folders of which only the files are checked out.

    None: the rules are no cone (see git-sparse-checkout, "Internals - cone pattern set").
    """
    try:
        text = (repo.place.git_dir / "info" / "sparse-checkout").read_text("utf-8", "replace")
    except OSError:
        return None
    lines = [line for line in text.splitlines() if line.strip() and not line.startswith("#")]
    if lines[:2] != ["/*", "!/*/"]:
        return None
    parents = {line[2:-3] for line in lines[2:] if line.startswith("!/") and line.endswith("/*/")}
    whole = {line[1:-1] for line in lines[2:] if line.startswith("/") and line.endswith("/")}
    return frozenset(whole - parents), frozenset(parents)


def _in_cone(path: str, whole: frozenset[str], parents: frozenset[str]) -> bool:
    folder = PurePosixPath(path).parent
    if str(folder) == "." or str(folder) in parents:
        return True
    return any(str(place) in whole for place in (folder, *folder.parents))


def _has_hidden_mates(path: str, known: frozenset[str]) -> bool:
    folder = path.rpartition("/")[0]
    return bool(folder) and any(name.rpartition("/")[0] == folder for name in known)
