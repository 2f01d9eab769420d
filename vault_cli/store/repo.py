"""git, behind one wrapper: the only place that imports GitPython (inside functions).

Holds 10-threats A: GIT_* scrubbed, no shell, `--` before paths, literal pathspecs, no hooks or
filters that the person has not trusted, `core.fsync` on. May import `model`, `errors`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class CommitInfo:
    """One commit as read back: full id, parents, author, ISO author date, message parts."""

    id: str
    parents: tuple[str, ...]
    author: str
    date: str
    subject: str
    body: str
    trailers: tuple[tuple[str, str], ...]
    paths: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Pending:
    """One path whose working-tree bytes differ from HEAD: code is `added`, `changed`, `deleted`."""

    path: str
    code: str


class Repository:
    """The git repository that holds a vault. All paths are vault-relative POSIX text."""

    root: Path

    @classmethod
    def find(cls, vault_root: Path) -> Repository | None:
        """Return the repository that holds `vault_root` (its own or an enclosing one), or None."""
        raise NotImplementedError

    @classmethod
    def create(cls, vault_root: Path) -> Repository:
        """Run `git init` at the vault root with an empty template and initial branch `main`."""
        raise NotImplementedError

    @property
    def is_own(self) -> bool:
        """Whether the vault root is the root of the work tree (else: folder of a bigger one)."""
        raise NotImplementedError

    def head(self) -> str:
        """Return the full id of HEAD, "" before the first commit."""
        raise NotImplementedError

    def operation_in_progress(self) -> str:
        """Return `merge`, `rebase`, `cherry-pick`, `revert`, `bisect` or ""."""
        raise NotImplementedError

    def untrusted(self) -> tuple[str, ...]:
        """Name local configuration keys outside the allow-list and executable hooks not trusted."""
        raise NotImplementedError

    def trust_fingerprint(self) -> str:
        """Return the hash that `mvault trust` records (local configuration and hooks)."""
        raise NotImplementedError

    def require_identity(self) -> None:
        """Raise StoreError with the two `git config` commands when user.name/email are missing."""
        raise NotImplementedError

    def commit_paths(self, paths: Sequence[str], message: str) -> str:
        """Commit exactly the working-tree state of these paths; return the full commit id.

        A path that is gone from the disk is committed as deleted. The person's index and staged
        work stay as they are (except that these paths become clean). Plumbing by default; git's
        own `commit --only` when trusted hooks or signing are in effect. Compare-and-swap on HEAD
        with retries; a held `index.lock` is retried for a moment, a stale one is reported.

        Raises:
            StoreError: git failed (a hook's own message is passed on); nothing is half committed.
            ChangedMeanwhileError: HEAD kept moving.
        """
        raise NotImplementedError

    def pending(self, paths: Iterable[str] | None = None) -> tuple[Pending, ...]:
        """List vault paths (all, or those given) that differ between HEAD and the disk."""
        raise NotImplementedError

    def read_blob(self, revision: str, path: str) -> bytes | None:
        """Return the bytes of a path at a revision, None when it is not there."""
        raise NotImplementedError

    def read_tree(self, revision: str) -> dict[str, bytes]:
        """Return every `*.md` and vault.toml of the vault at a revision (one cat-file --batch)."""
        raise NotImplementedError

    def resolve(self, text: str) -> str:
        """Return the full commit id for a revision or date typed by a person.

        Raises:
            NotFoundError: git does not know it.
        """
        raise NotImplementedError

    def log(
        self, *, paths: Sequence[str] = (), record_id: str = "", limit: int = 0
    ) -> list[CommitInfo]:
        """Return vault commits, newest first; `record_id` filters by the Vault-Id trailer or path."""
        raise NotImplementedError

    def commit_info(self, revision: str) -> CommitInfo:
        """Return one commit with the vault paths it touched."""
        raise NotImplementedError
