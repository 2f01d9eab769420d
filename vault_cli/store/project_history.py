"""What a project's git knows of contents: for `anchor`, `check --stale`, and of whose code it is.

May import `model`, `errors`. Starts git, which runs nothing of the project's and fetches nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from functools import cached_property
from typing import Final

from vault_cli.errors import StoreError
from vault_cli.store.anchor_cache import AnchorCache
from vault_cli.store.commit import head_id
from vault_cli.store.entry import parse_tree, tree_entries
from vault_cli.store.git_run import Git
from vault_cli.store.project_tree import ProjectTree, spellings

MOST_COMPARED: Final = 1 << 18
"""Bytes of an old text that are compared line by line with the present one."""


class ProjectHistory:
    """git, asked about the contents of one project.

    Args:
        tree: the checked-out files.
        cache: answers of earlier runs, if there is a place to keep them.
    """

    def __init__(self, tree: ProjectTree, cache: AnchorCache | None = None) -> None:
        self._tree = tree
        self._cache = cache
        self._known: dict[str, bool] = {}

    @cached_property
    def _git(self) -> Git | None:
        place = self._tree.place
        with suppress(StoreError):
            return Git.at(place, self._tree.top) if place is not None else None
        return None

    @cached_property
    def _root(self) -> str:
        """HEAD's tree of the project's root, as git reads it; "" when there is none."""
        with suppress(StoreError):
            head = head_id(self._git) if self._git is not None else ""
            return f"{head}:{self._tree.in_repository('').rstrip('/')}" if head else ""
        return ""

    def committed(self, path: str) -> str:
        """Return the blob id that HEAD has at a path of the project, "" for none."""
        if self._git is None or not self._root:
            return ""
        with suppress(StoreError):
            found = tree_entries(self._git, self._root, spellings(path))
            return next((entry.blob for entry in found.values()), "")
        return ""

    @cached_property
    def _paths(self) -> dict[str, list[str]]:
        """The files of HEAD by the ids of their contents."""
        found: dict[str, list[str]] = {}
        if self._git is not None and self._root:
            done = self._git.run("ls-tree", "-r", "-z", self._root, check=False)
            for path, entry in sorted(parse_tree(done.out).items()) if not done.code else ():
                found.setdefault(entry.blob, []).append(path)
        return found

    def find_moved(self, blob: str) -> list[str]:
        """Return where in HEAD a content with this id, or its beginning, lies; sorted."""
        if blob in self._paths:
            return self._paths[blob]
        if len(blob) >= len(self._tree.head or blob):
            return []
        found = (paths for known, paths in self._paths.items() if known.startswith(blob))
        return sorted(path for paths in found for path in paths)

    def has_blobs(self, blobs: Iterable[str]) -> set[str]:
        """Return which of these contents this repository has: then an anchor speaks of it."""
        wanted = sorted(set(blobs))
        for blob in wanted:
            if blob not in self._known and self._cache is not None:
                answer = self._cache.knows(self._key(blob))
                self._known.update({} if answer is None else {blob: answer})
        for blob, answer in self._ask([b for b in wanted if b not in self._known]).items():
            self._known[blob] = answer
            if self._cache is not None:
                self._cache.note(self._key(blob), known=answer)
        return {blob for blob in wanted if self._known.get(blob)}

    def _key(self, blob: str) -> tuple[str, str, str]:
        return str(self._tree.top), self._tree.head, blob

    def _ask(self, blobs: Sequence[str]) -> dict[str, bool]:
        if self._git is None or not blobs:
            return {}
        data = "".join(f"{blob}\n" for blob in blobs).encode()
        with suppress(StoreError):
            lines = self._git.run("cat-file", "--batch-check", data=data).out.split(b"\n")
            return {blob: b" blob " in line for blob, line in zip(blobs, lines, strict=False)}
        return {}

    def read_old(self, blobs: Iterable[str]) -> dict[str, bytes]:
        """Return the contents that git still has, by their ids; large ones are left out."""
        from vault_cli.store.history import read_blobs

        wanted = sorted(self.has_blobs(blobs))
        if self._git is None or not wanted:
            return {}
        with suppress(StoreError, OSError):
            texts = zip(wanted, read_blobs(self._git, wanted), strict=True)
            return {blob: data for blob, data in texts if len(data) <= MOST_COMPARED}
        return {}
