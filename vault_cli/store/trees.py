"""Trees of the repository: looking paths up, and the tree with some paths changed.

May import `errors`. One `cat-file --batch` reads what is asked for; a tree that was read is kept,
since an id never changes its meaning.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, BinaryIO, cast

from vault_cli.store.entry import Entry
from vault_cli.store.git_run import missing_object

if TYPE_CHECKING:
    from subprocess import Popen

    from vault_cli.store.git_run import Git

FOLDER = "040000"
_FOLDER_MODE = b"40000"
_GITLINK_MODE = b"160000"

Tree = dict[bytes, tuple[bytes, bytes]]
"""Name to mode as written and binary id."""

Changes = dict[bytes, "Entry | Changes"]
"""What becomes of the names in a folder."""


class Trees:
    """The trees of one repository, by what was asked for."""

    def __init__(self, git: Git) -> None:
        self._git = git
        self._known: dict[str, Tree] = {}
        self._process: Popen[bytes] | None = None

    def entries(self, commit: str, paths: Iterable[str]) -> dict[str, Entry]:
        """Return what a commit has at these repository-relative paths (absent: left out).

        Raises:
            StoreError: an object is missing or damaged.
        """
        found: dict[str, Entry] = {}
        if commit:
            with self._reading():
                for path in paths:
                    if entry := self._entry(commit, path):
                        found[path] = entry
        return found

    def submodule_above(self, commit: str, path: str) -> str:
        """Return the submodule a repository-relative path would lie in, "" when it is in none."""
        with self._reading():
            tree = self._root(commit) if commit else {}
            parts = os.fsencode(path).split(b"/")
            for depth, folder in enumerate(parts[:-1], 1):
                if tree.get(folder, (b"", b""))[0] == _GITLINK_MODE:
                    return os.fsdecode(b"/".join(parts[:depth]))
                tree = self._below(tree, folder)
        return ""

    @contextmanager
    def reading(self, commit: str) -> Iterator[Callable[[str], Tree]]:
        """Give a function that reads a tree by its id; one process for all that is asked.

        Args:
            commit: full id of any commit, for the length of ids.
        """
        width = len(commit) // 2
        with self._reading():
            yield lambda name: self._read(name, width)

    def folder_id(self, commit: str, folder: str) -> str:
        """Return the id of a repository-relative folder's tree, "" when the commit has none.

        Args:
            commit: full id.
            folder: path without a slash at the end, "" for the root of the repository.

        Raises:
            StoreError: an object is missing or damaged.
        """
        if not folder:
            return f"{commit}^{{tree}}"
        entry = self.entries(commit, [folder]).get(folder)
        return entry.blob if entry is not None and entry.mode == FOLDER else ""

    def change(
        self, commit: str, changes: Mapping[str, Entry], write: Callable[[bytes], str]
    ) -> str:
        """Return the id of the commit's tree with these paths changed.

        Args:
            commit: full id, "" for an empty tree.
            changes: repository-relative paths and what is there afterwards (GONE: nothing).
            write: takes the bytes of each new tree and returns its id.

        Raises:
            StoreError: an object is missing or damaged.
        """
        with self._reading():
            root = self._root(commit) if commit else {}
            return write(_pack(self._changed(root, _nest(changes), write)))

    def _changed(self, tree: Tree, changes: Changes, write: Callable[[bytes], str]) -> Tree:
        result = dict(tree)
        for name, change in changes.items():
            if isinstance(change, Entry):
                # a folder in the place of a removed file is not meant
                if change.mode:
                    result[name] = (change.mode.lstrip("0").encode(), bytes.fromhex(change.blob))
                elif name in result and result[name][0] != _FOLDER_MODE:
                    del result[name]
                continue
            inner = self._changed(self._below(tree, name), change, write)
            if inner:
                result[name] = (_FOLDER_MODE, bytes.fromhex(write(_pack(inner))))
            elif name in result and result[name][0] == _FOLDER_MODE:
                del result[name]
        return result

    def _entry(self, commit: str, path: str) -> Entry | None:
        *folders, name = os.fsencode(path).split(b"/")
        tree = self._root(commit)
        for folder in folders:
            tree = self._below(tree, folder)
        if name not in tree:
            return None
        mode, blob = tree[name]
        return Entry(mode.decode("ascii").zfill(len(FOLDER)), blob.hex())

    def _root(self, commit: str) -> Tree:
        return self._read(f"{commit}^{{tree}}", len(commit) // 2)

    def _below(self, tree: Tree, name: bytes) -> Tree:
        mode, blob = tree.get(name, (b"", b""))
        return self._read(blob.hex(), len(blob)) if mode == _FOLDER_MODE else {}

    def _read(self, name: str, width: int) -> Tree:
        if name not in self._known:
            self._known[name] = _parse(self._ask(name), width)
        return self._known[name]

    @contextmanager
    def _reading(self) -> Iterator[None]:
        """End the process that was started meanwhile, if one was."""
        try:
            yield
        finally:
            if self._process is not None:
                self._process.communicate()
                self._process = None

    def _ask(self, name: str) -> bytes:
        if self._process is None:
            self._process = self._git.open("cat-file", "--batch")
        process = self._process
        try:
            source, answers = cast("BinaryIO", process.stdin), cast("BinaryIO", process.stdout)
            source.write(f"{name}\n".encode("ascii"))
            source.flush()
            header = answers.readline().split()
            if header[1:2] == [b"tree"]:
                size = int(header[2])
                data = answers.read(size + 1)
                if len(data) == size + 1:
                    return data[:-1]
        except BrokenPipeError:
            pass
        raise missing_object(self._git.place, f"the tree {name}")


def _nest(changes: Mapping[str, Entry]) -> Changes:
    """Sort paths into folders; of a file and files below it, what is put wins over what is gone."""
    top: Changes = {}
    for path, entry in sorted(changes.items(), key=lambda item: bool(item[1].mode)):
        *folders, name = os.fsencode(path).split(b"/")
        inner = top
        for folder in folders:
            following = inner.get(folder)
            if not isinstance(following, dict):
                following = inner[folder] = {}
            inner = following
        if entry.mode or not isinstance(inner.get(name), dict):
            inner[name] = entry
    return top


def _parse(data: bytes, width: int) -> Tree:
    tree: Tree = {}
    place = 0
    while place < len(data):
        space = data.index(b" ", place)
        end = data.index(b"\0", space)
        tree[data[space + 1 : end]] = (data[place:space], data[end + 1 : end + 1 + width])
        place = end + 1 + width
    return tree


def _pack(tree: Tree) -> bytes:
    def order(item: tuple[bytes, tuple[bytes, bytes]]) -> bytes:
        name, (mode, _) = item
        return name + b"/" if mode == _FOLDER_MODE else name

    return b"".join(
        b"%b %b\0%b" % (mode, name, blob) for name, (mode, blob) in sorted(tree.items(), key=order)
    )
