"""git, behind one wrapper: the repository that holds a vault. May import `model`, `errors`.

The parts: `git_place` finds it, `git_run` is the one runner, `git_settings` and `trust` decide
what of it may run, `identity` who commits, `commit` writes, `pending` and `past_of_git` read.
GitPython is imported by `git_run` alone, inside a function, and only for reading history.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from vault_cli.errors import ChangedMeanwhileError, StoreError
from vault_cli.store import commit, index_lock, pending, trust
from vault_cli.store.build import Job, Join, Rules
from vault_cli.store.entry import DiskFile, algorithm_of, read_disk
from vault_cli.store.filters import choose_filters
from vault_cli.store.git_place import Place, find_place, foreign_owner
from vault_cli.store.git_run import Git, find_git, start
from vault_cli.store.git_settings import KnownSettings, Settings
from vault_cli.store.hooks import Hooks
from vault_cli.store.identity import people_of, require_identity, signing_of
from vault_cli.store.own_state import standing_place
from vault_cli.store.past_of_git import Past
from vault_cli.store.pending import Pending

if TYPE_CHECKING:
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


class Repository(Past):
    """The git repository that holds a vault. All paths are vault-relative POSIX text."""

    def __init__(self, vault_root: Path, place: Place) -> None:
        inner = Path(standing_place(vault_root)).relative_to(place.work_tree).as_posix()
        super().__init__(Git.at(place, vault_root), "" if inner == "." else inner)
        self.root = vault_root
        self.place = place
        self._settings = KnownSettings(self.git)

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

    def read_settings(self) -> Settings:
        """Return git's configuration with its scopes."""
        return self._settings.read()

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

    def is_cut_off(self, commit: str) -> bool:
        """Whether a shallow clone begins with a commit: it seems to have added all there was."""
        from vault_cli.store.lineage import shallow_edges

        return commit in shallow_edges(self.git)
