"""What a repository holds and held: trees, blobs, commits of the vault. May import `errors`.

The questions of `history` with the vault's place in the repository filled in; `repo` adds what
writes. All paths are vault-relative POSIX text.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from datetime import datetime, tzinfo
from typing import TYPE_CHECKING

from vault_cli.store import commit
from vault_cli.store.entry import check_path
from vault_cli.store.git_run import Git
from vault_cli.store.trees import Tree, Trees

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from vault_cli.store.history import CommitInfo


class Past:
    """The commits of a vault.

    Args:
        git: runs git in its repository.
        prefix: the vault's folder in the work tree, "" for the top.
    """

    def __init__(self, git: Git, prefix: str) -> None:
        self.git = git
        self._prefix = prefix
        self._trees = Trees(git)

    @property
    def prefix(self) -> str:
        """The vault's folder in the repository, "" for its top."""
        return self._prefix

    def head(self) -> str:
        """Return the full id of HEAD, "" before the first commit."""
        return commit.head_id(self.git)

    def read_blob(self, revision: str, path: str) -> bytes | None:
        """Return the bytes of a path at a revision, None when it is not there."""
        from vault_cli.store import history

        return history.read_blob(self.git, self.resolve(revision), self._full(path))

    def folder_id(self, commit: str) -> str:
        """Return the id of the vault folder's tree in a commit, "" when it was not there."""
        return self._trees.folder_id(commit, self._prefix)

    def reading_trees(self, commit: str) -> AbstractContextManager[Callable[[str], Tree]]:
        """Give a function that reads a tree by its id (see `Trees.reading`)."""
        return self._trees.reading(commit)

    def read_blobs(self, blobs: Sequence[str]) -> list[bytes]:
        """Return blobs by their ids with one git process; cut as in `read_head`."""
        from vault_cli.store import history

        return history.read_blobs(self.git, blobs) if blobs else []

    def read_head(self, paths: Iterable[str]) -> dict[str, bytes]:
        """Return what HEAD has at these vault paths (absent ones are left out), all at once.

        Of a file over 1 MiB only the first 1 MiB + 1 byte is returned.
        """
        from vault_cli.store import history

        full = {self._full(path): path for path in paths}
        found = history.read_files(self.git, self.head(), list(full))
        return {full[path]: data for path, data in found.items()}

    def resolve(self, text: str, *, zone: tzinfo | None = None) -> str:
        """Return the full commit id for a revision or date typed by a person.

        A date (2026-11-01, or with a time) means the last vault commit at or before it, along
        first parents and by commit time; a bare date counts to the end of the day in `zone`
        (None: the system's).

        Raises:
            NotFoundError: git does not know it, or the vault is younger than the date.
        """
        from vault_cli.store import history

        return history.resolve_text(self.git, text, self._prefix, zone)

    def also_names(self, text: str) -> bool:
        """Tell whether a date is the name of a branch or a tag as well."""
        from vault_cli.store import history

        return history.is_date(text) and history.also_names(self.git, text)

    def commit_time(self, commit: str) -> datetime:
        """Return when a commit was made, in UTC."""
        from vault_cli.store import history

        return history.commit_time(self.git, commit)

    def log(
        self, *, paths: Sequence[str] = (), record_id: str = "", limit: int = 0
    ) -> list[CommitInfo]:
        """Return vault commits, newest first; `record_id` filters by Vault-Id trailer or path."""
        from vault_cli.store import history

        full = [self._full(path) for path in paths]
        if record_id:
            return history.list_record_commits(self.git, self._prefix, record_id, full, limit)
        return history.list_commits(self.git, self._prefix, full, limit)

    def people(self, since: str = "") -> dict[str, str]:
        """Return who wrote and committed what is in the vault: `history.list_people`."""
        from vault_cli.store import history

        return history.list_people(self.git, self._prefix, since)

    def commits_between(self, old: str, new: str) -> list[CommitInfo]:
        """Return the vault commits that one of two (full ids) reaches and the other does not."""
        from vault_cli.store import history

        return history.list_between(self.git, self._prefix, old, new)

    def graph(self, bad: str, goods: Sequence[str]) -> list[tuple[str, tuple[str, ...], str, bool]]:
        """Return the commits that one (full id) reaches and others do not: `history.list_graph`."""
        from vault_cli.store import history

        return history.list_graph(self.git, self._prefix, bad, goods)

    def merge_base(self, one: str, other: str) -> str:
        """Return the newest commit that two (full ids) have in common, "" for none."""
        from vault_cli.store import history

        return history.merge_base(self.git, one, other)

    def read_commits(self, ids: Sequence[str]) -> dict[str, CommitInfo]:
        """Return commits by their full ids."""
        from vault_cli.store import history

        return history.read_commits(self.git, self._prefix, ids)

    def blame_line(self, commit: str, path: str, line: int) -> str:
        """Return the commit that wrote a line (1-based) of a path; "" when git cannot tell."""
        from vault_cli.store import history

        return history.blame_line(self.git, commit, self._full(path), line)

    def commit_info(self, revision: str) -> CommitInfo:
        """Return one commit with the vault paths it touched; NotFoundError when there is none."""
        from vault_cli.store import history

        return history.read_commit(self.git, self._prefix, self.resolve(revision))

    def _full(self, path: str) -> str:
        check_path(path)
        return f"{self._prefix}/{path}" if self._prefix else path
