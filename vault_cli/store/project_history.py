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
from vault_cli.store.entry import Entry, parse_tree, tree_entries
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
    def _files(self) -> dict[str, Entry]:
        if self._git is None or not self._root:
            return {}
        done = self._git.run("ls-tree", "-r", "-z", self._root, check=False)
        return {} if done.code else parse_tree(done.out)

    def find_moved(self, blob: str) -> list[str]:
        """Return where in HEAD a content with this id, or its beginning, lies; sorted."""
        return sorted(path for path, entry in self._files.items() if entry.blob.startswith(blob))

    def has_blobs(self, blobs: Iterable[str]) -> set[str]:
        """Return which of these contents this repository has: then an anchor speaks of it."""
        wanted = sorted(set(blobs))
        known = {blob: self._recall(blob) for blob in wanted}
        answers = self._ask([blob for blob in wanted if known[blob] is None])
        if self._cache is not None:
            for blob, answer in answers.items():
                self._cache.note(self._key(blob), known=answer)
        return {blob for blob in wanted if known[blob] or answers.get(blob)}

    def _recall(self, blob: str) -> bool | None:
        return self._cache.knows(self._key(blob)) if self._cache is not None else None

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

    def read_old(self, blob: str) -> bytes | None:
        """Return a content that git still has by its id; None when it has not, or it is large."""
        if self._git is None:
            return None
        with suppress(StoreError):
            size = self._git.run("cat-file", "-s", blob, check=False)
            if size.code == 0 and int(size.out or b"0") <= MOST_COMPARED:
                return self._git.run("cat-file", "blob", blob).out
        return None
