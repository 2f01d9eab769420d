"""git, behind one wrapper: the repository that holds a vault. May import `model`, `errors`.

The parts: `git_place` finds it, `git_run` is the one runner, `git_settings` and `trust` decide
what of it may run, `identity` who commits, `commit` writes, `pending` and `history` read.
GitPython is imported by `git_run` alone, inside a function, and only for reading history.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from datetime import datetime, tzinfo
from pathlib import Path
from typing import TYPE_CHECKING

from vault_cli.errors import ChangedMeanwhileError, StoreError
from vault_cli.store import commit, index_lock, pending, trust
from vault_cli.store.build import Job, Join, Rules
from vault_cli.store.entry import DiskFile, algorithm_of, check_path, read_disk
from vault_cli.store.filters import choose_filters
from vault_cli.store.git_place import Place, find_place, foreign_owner
from vault_cli.store.git_run import Git, find_git, start
from vault_cli.store.git_settings import KnownSettings, Settings
from vault_cli.store.hooks import Hooks
from vault_cli.store.identity import people_of, require_identity, signing_of
from vault_cli.store.own_state import standing_place
from vault_cli.store.pending import Pending
from vault_cli.store.trees import Tree, Trees

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from vault_cli.store.history import CommitInfo as CommitInfo  # noqa: PLC0414 - for callers

__all__ = ["Pending", "Repository"]

_STATES = (
    ("MERGE_HEAD", "merge"),
    ("rebase-merge", "rebase"),
    ("rebase-apply", "rebase"),
    ("CHERRY_PICK_HEAD", "cherry-pick"),
    ("REVERT_HEAD", "revert"),
    ("BISECT_LOG", "bisect"),
)
_PARTS = ("name", "email")
_UNUSUAL = ("core.sharedrepository", "extensions.compatobjectformat")
"""Settings under which git writes objects in its own way."""


class Repository:
    """The git repository that holds a vault. All paths are vault-relative POSIX text."""

    def __init__(self, vault_root: Path, place: Place) -> None:
        self.root = vault_root
        self.place = place
        self.git = Git.at(place, vault_root)
        self._settings = KnownSettings(self.git)
        self._trees = Trees(self.git)
        inner = Path(standing_place(vault_root)).relative_to(place.work_tree).as_posix()
        self._prefix = "" if inner == "." else inner

    @classmethod
    def find(cls, vault_root: Path) -> Repository | None:
        """Return the repository that holds `vault_root` (its own or an enclosing one), or None.

        Raises:
            StoreError: a `.git` file points nowhere, git is missing, or git refuses a repository
                that belongs to another user (its `safe.directory` rule is honoured).
        """
        place = find_place(vault_root)
        if place is None:
            return None
        found = cls(vault_root, place)
        if foreign_owner(place):
            found._ask_owner()
        return found

    @classmethod
    def create(cls, vault_root: Path) -> Repository:
        """Run `git init` at the vault root with an empty template and initial branch `main`.

        A vault root that is inside another repository gets a repository of its own; one that
        already is a repository stays as it is. The configuration found is recorded as trusted:
        the person makes this vault. (Show `untrusted()` first when the repository existed.)

        Raises:
            StoreError: git failed.
        """
        found = cls.find(vault_root)
        if found is None or not found.is_own:
            program = find_git(Path(os.path.realpath(vault_root)))
            flags = ("--quiet", "--template=", "--initial-branch=main")
            done = start([program, "init", *flags, "--", str(vault_root)], vault_root)
            if done.code:
                raise StoreError(f"git init failed in {vault_root}: {done.err}")
            found = cls.find(vault_root)
        if found is None or not found.is_own:
            raise StoreError(f"git init made no repository in {vault_root}")
        found.trust_now()
        return found

    def _ask_owner(self) -> None:
        argv = [self.git.program, "-c", "safe.bareRepository=explicit", "rev-parse", "--git-dir"]
        done = start(argv, self.place.work_tree)
        if done.code:
            raise StoreError(
                f"git refuses the repository in {self.place.work_tree}: {done.err}",
                hint="It belongs to another user. If you trust it, name it in your own"
                " configuration under safe.directory.",
            )

    @property
    def is_own(self) -> bool:
        """Whether the vault root is the root of the work tree (else: folder of a bigger one)."""
        return not self._prefix

    @property
    def prefix(self) -> str:
        """The vault's folder in the repository, "" for its top."""
        return self._prefix

    def read_settings(self) -> Settings:
        """Return git's configuration with its scopes."""
        return self._settings.read()

    def head(self) -> str:
        """Return the full id of HEAD, "" before the first commit."""
        return commit.head_id(self.git)

    def operation_in_progress(self) -> str:
        """Return `merge`, `rebase`, `cherry-pick`, `revert`, `bisect` or ""."""
        git_dir = self.place.git_dir
        return next((name for mark, name in _STATES if (git_dir / mark).exists()), "")

    # Trust

    def untrusted(self) -> tuple[str, ...]:
        """Name local configuration keys outside the allow-list and executable hooks not trusted."""
        exposure = self._exposure(self._settings.read())
        return () if self._is_plain(exposure) else exposure.names

    def trust_fingerprint(self) -> str:
        """Return the hash that `mvault trust` records (local configuration and hooks)."""
        return self._exposure(self._settings.read()).fingerprint

    def is_trusted(self) -> bool:
        """Whether a person agreed to the configuration and the hooks exactly as they are now."""
        return trust.is_trusted(self.place, self.trust_fingerprint())

    def trust_now(self) -> str:
        """Record the present configuration and hooks as trusted; return their fingerprint.

        Raises:
            StoreError: the person's state folder cannot be written.
        """
        fingerprint = self.trust_fingerprint()
        trust.record_trust(self.place, fingerprint)
        return fingerprint

    def _exposure(self, settings: Settings) -> trust.Exposure:
        return trust.inspect_place(self.place, settings)

    def _is_plain(self, exposure: trust.Exposure) -> bool:
        return not exposure.names or trust.is_trusted(self.place, exposure.fingerprint)

    def _rules(self, paths: Iterable[str], settings: Settings) -> Rules:
        exposure = self._exposure(settings)
        plain = self._is_plain(exposure)
        head = self.head()
        return Rules(
            algorithm=(
                algorithm_of(head) if head else settings.text("extensions.objectformat") or "sha1"
            ),
            plain=plain,
            keeps_mode=os.name != "nt" and settings.flag("core.filemode", default=True),
            signing=signing_of(settings, plain=plain),
            hooks=Hooks(self.git, exposure.hooks if plain else {}),
            filters=choose_filters(self.git, settings, paths, plain=plain),
            trees=self._trees,
            people=people_of(settings),
            direct=not any(settings.text(key) for key in _UNUSUAL),
        )

    # Writing

    def require_identity(self) -> None:
        """Raise StoreError with the two `git config` commands when user.name/email are missing."""
        require_identity(self._settings.read())

    def identity(self) -> str:
        """Return the names and mails that a commit may take from git's settings, one a line."""
        settings = self._settings.read()
        keys = (f"{who}.{part}" for who in ("user", "author", "committer") for part in _PARTS)
        return "\n".join(filter(None, map(settings.text, keys)))

    def commit_paths(self, paths: Sequence[str], message: str, *, join: Join | None = None) -> str:
        """Commit exactly the working-tree state of these paths; return the full commit id.

        A path that is gone from the disk is committed as deleted. The person's index and staged
        work stay as they are (except that these paths become clean). Hooks, content filters and
        signing take part when they are the person's own or trusted. Nothing to commit returns "".

        Args:
            paths: vault-relative paths, ignored ones included.
            message: the commit message.
            join: the history to take in, for a merge whose result lies in the work tree.

        Raises:
            UsageError: a path leaves the vault.
            StoreError: no identity, git failed, a hook said no (HookRefusedError, its own message
                is passed on), or the index stays locked (IndexLockedError). The files are on disk
                as they were, nothing is half committed.
            ChangedMeanwhileError: HEAD kept moving, or a merge or rebase is under way.
        """
        commit.require_message(message)
        busy = self.operation_in_progress()
        if busy and busy != "bisect":
            raise ChangedMeanwhileError(
                f"a {busy} is under way in {self.place.work_tree}; nothing was committed",
                hint=f"Finish or abort the {busy} with git and run the command again.",
            )
        root = self.place.work_tree
        full = [self._full(path) for path in dict.fromkeys(paths)]
        files = {path: read_disk(root, path) for path in full}
        settings = self._settings.read()
        if join is None or not join.is_ready:
            require_identity(settings)
        for path, data in join.hidden.items() if join is not None else ():
            files[path] = None if data is None else DiskFile(executable=False, data=data)
        job = Job(files, message, join.other if join is not None else "", join)
        return commit.make_commit(self.git, self._rules(files, settings), job)

    def settle(self) -> None:
        """Finish what a killed process of ours left in the git folder; HEAD is final afterwards.

        Raises:
            StoreError: a git process that the killed one had started does not end.
        """
        try:
            settled = index_lock.recover(self.place)
        except OSError as error:
            raise StoreError(
                f"cannot look into {self.place.git_dir}: {error.strerror}",
                hint="Check who owns the folder and its permissions.",
            ) from error
        if not settled:
            raise StoreError(
                f"a git process of an interrupted mvault is still at work in {self.place.git_dir}",
                hint="Wait for it to end, or end it, and run the command again.",
            )

    def tidy(self) -> None:
        """Let git pack loose objects when there are many; for the end of large batches."""
        config = (("gc.auto", "6700"), ("gc.autoDetach", "false"))
        self.git.run("gc", "--auto", "--quiet", config=config, check=False)

    def _full(self, path: str) -> str:
        check_path(path)
        return f"{self._prefix}/{path}" if self._prefix else path

    # Reading

    def pending(
        self, paths: Iterable[str] | None = None, *, also: Iterable[str] = ()
    ) -> tuple[Pending, ...]:
        """List vault paths (all, `also` ignored ones, or those given) that differ from HEAD."""
        settings = self._settings.read()
        plain = self._is_plain(self._exposure(settings))
        if paths is None:
            more = set(map(self._full, also))
            full = pending.candidate_paths(self.git, self._prefix, plain=plain, also=more)
        else:
            full = [self._full(path) for path in dict.fromkeys(paths)]
        rules = self._rules(full, settings)
        found = pending.compare_paths(self.git, rules, full)
        return tuple(
            Pending(name, item.code)
            for item in found
            for name in pending.inside(self._prefix, [item.path])
        )

    def altered_by_checkout(self, paths: Iterable[str]) -> frozenset[str]:
        """Return the vault paths whose files git may have written otherwise than HEAD has them."""
        from vault_cli.store.filters import altered_paths

        full = {self._full(path): path for path in paths}
        found = altered_paths(self.git, self.head(), self._prefix, full)
        return frozenset(full[path] for path in found)

    def outside_checkout(self) -> list[str]:
        """Return the vault paths that a sparse checkout keeps out of the work tree."""
        return pending.inside(self._prefix, pending.outside_checkout(self.git, self._prefix))

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
