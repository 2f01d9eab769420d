"""A vault: open it, read it, and the one way to change anything. May import `store`, `text`."""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import contextmanager, suppress
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from vault_cli.errors import Diagnostic, RefusedError, StoreError, UsageError, VaultError
from vault_cli.model.record import Snapshot
from vault_cli.model.tables import MAX_FILE
from vault_cli.store.config import Config, load_config
from vault_cli.store.files import read_file
from vault_cli.store.in_force import settings_in_force
from vault_cli.store.lock import JOURNAL_PATH
from vault_cli.store.places import OPENED, USAGE_FOLDER
from vault_cli.store.vault_place import NoVaultError, admitted_settings, find_vault, is_vault

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from vault_cli.model.change import Change, Receipt
    from vault_cli.model.record import Record
    from vault_cli.store.incoming import Before
    from vault_cli.store.repo import Repository
    from vault_cli.store.screen import Screen

__all__ = ["LOCK_WAIT", "NoVaultError", "Vault", "admitted_settings", "find_vault", "is_vault"]

LOCK_WAIT: Final = 10.0


class Vault:
    """One vault on disk.

    Args:
        root: the folder with `vault.toml`.
        config: its settings.
    """

    def __init__(self, root: Path, config: Config) -> None:
        OPENED.add(os.path.realpath(root))
        self.root = root
        self.config = config
        self._settled: tuple[Diagnostic, ...] = ()

    @classmethod
    def open(
        cls,
        root: Path,
        *,
        environ: Mapping[str, str],
        flags: Mapping[str, Any] | None = None,
        lenient: bool = False,
    ) -> Vault:
        """Open the vault at `root` (git is only touched when `repo` is used, or after a crash).

        What a killed run left half done is completed or taken back first, so that nothing is read
        or planned on it.

        Args:
            root: the folder with `vault.toml`.
            environ: environment, for settings.
            flags: settings given on the command line.
            lenient: settings that cannot be used are findings (see `load_config`).

        Raises:
            UsageError: its configuration cannot be used.
        """
        own = load_config(root, environ=environ, lenient=True, vault_file=b"")
        kept, notes = settings_in_force(cls(root, own))
        found = load_config(root, environ=environ, flags=flags, lenient=lenient, vault_file=kept)
        vault = cls(root, replace(found, diagnostics=(*found.diagnostics, *notes)))
        if os.path.lexists(root / JOURNAL_PATH) and not vault.is_displaced:
            vault._settle()
        return vault

    def _settle(self) -> None:
        from vault_cli.store.gate import settle_interrupted

        try:
            repo = self.repo
        except StoreError:  # said when git is needed
            return
        if repo is not None:
            self._settled = settle_interrupted(self.root, repo)

    @cached_property
    def repo(self) -> Repository | None:
        """The git repository that holds the vault, None until there is one."""
        from vault_cli.store.repo import Repository

        return Repository.find(self.root)

    @cached_property
    def is_displaced(self) -> bool:
        """Whether others removed the vault's folder, or put something else in its place.

        Only where their changes wait: nothing is read there then, and what was admitted counts.
        """
        from vault_cli.store.own_state import is_displaced

        return is_displaced(self.root) and not self._trusts_pushes()

    def require_in_place(self) -> None:
        """Raise StoreError where others put something else in the place of the vault's folder."""
        if self.is_displaced:
            found = self._displaced()
            raise StoreError(found.message, hint=found.hint)

    def _displaced(self) -> Diagnostic:
        what = (
            "a file" if self.root.is_file() else "behind a link" if self.root.exists() else "gone"
        )
        what = "a link" if self.root.is_symlink() else what
        words = f"{self.root} is {what} now, by a change of others: the admitted texts count"
        hint = "Put the folder back with git, or give up what was admitted of it: mvault trust"
        return Diagnostic(str(self.root), 0, "vault-unreadable", "error", words, hint)

    def require_repo(self) -> Repository:
        """Return the repository.

        Raises:
            UsageError: the vault is not in git yet.
        """
        if self.repo is None:
            raise UsageError(
                "this vault is not in git yet: there is no history, and no change can be recorded",
                hint="Run `mvault init` in it.",
            )
        return self.repo

    def snapshot(self, *, at: str = "", whole: bool = True, hasty: bool = False) -> Snapshot:
        """Read the working tree, or the commit/date `at`, with the settings of today.

        Args:
            at: a commit or a date (see `resolve`), "" for the working tree.
            whole: False for commands that look closely at few records (see `read_vault`).
            hasty: only what counts has to be right, soon: a text of others is not scanned
                before `store.guard` finds that it counts, and no finding says what is in it.

        Raises:
            NotFoundError: git does not know `at`.
            UsageError: `at` was given and the vault is not in git.
        """
        if not at and self.is_displaced:
            return Snapshot(diagnostics=(self._displaced(),))
        if not at:
            from vault_cli.store.outside import find_outside
            from vault_cli.store.reader import read_vault

            unheard = self._unheard() if hasty else None
            found = read_vault(self.root, self.config, whole=whole, unheard=unheard)
            if self._has_usage():
                from vault_cli.store.tallies import with_sums

                found = with_sums(self.root, found, self._trusts_pushes)
            missing = find_outside(self.root, self.config["files.ignore"], lambda: self.repo)
            if not missing:
                return found
            return replace(found, diagnostics=(*missing, *found.diagnostics))
        from vault_cli.store.past import read_past
        from vault_cli.store.tallies import with_past_sums

        repo = self.require_repo()
        ignore, gates = self.config["files.ignore"], self.config.gates
        found = read_past(repo, self.resolve(at), ignore=ignore, gates=gates, whole=whole)
        return with_past_sums(repo, found, self._trusts_pushes)

    def _unheard(self) -> Callable[[Record], bool] | None:
        """Return what tells of a record that nobody let it count here; None where all count.

        One in force may be the person's own edit: that is for `store.guard` to find.
        """
        if self._trusts_pushes():
            return None
        from vault_cli.store.incoming import load_ledger

        ledger = load_ledger(self.root)
        return lambda record: not (ledger.has if record.has_effect else ledger.knows)(record)

    def _has_usage(self) -> bool:
        """Tell whether there are observations: here, or of this machine until others took them."""
        places = (USAGE_FOLDER, ".state/usage-sums", ".state/usage-committed")
        return any(os.path.exists(self.root / place) for place in places)  # noqa: PTH110 - light

    def resolve(self, at: str) -> str:
        """Return the full commit id that a commit or a date means; days are the vault's own.

        Raises:
            NotFoundError: git does not know it, or the vault has no commit as early.
            UsageError: the vault is not in git, or `vault.timezone` is no time zone.
        """
        from vault_cli.store.clock import find_zone

        name = str(self.config["vault.timezone"] or "")
        return self.require_repo().resolve(at, zone=find_zone(name) if name else None)

    def forgotten(self) -> frozenset[str]:
        """Return the ids of which only a tombstone is left (by the names of the tombstones)."""
        try:
            with os.scandir(self.root / "tombstones") as listing:
                return frozenset(e.name[:-3] for e in listing if e.name[-3:] == ".md")
        except OSError:  # there is no such folder
            return frozenset()

    def apply(self, change: Change, *, wait: float = LOCK_WAIT) -> Receipt:
        """Carry out a change through the gate: all of it in one commit, or nothing.

        Raises:
            UsageError: the vault is not in git yet.
            RefusedError: a new text does not parse as what it must be (diagnostics attached).
            ChangedMeanwhileError: a digest differs, or a merge/rebase is under way.
            StoreError: git or the disk failed; an addition is saved but not committed, of
                everything else the old bytes are back (the message says which).
        """
        from vault_cli.model.change import Receipt
        from vault_cli.store.gate import apply_change

        if change.is_empty:
            return Receipt()
        self.require_in_place()
        self._require_person_for_edits(change)
        self._commit_usage(wait)
        before = self.look_before(change)
        with self.keeping_own(change, before):
            done = apply_change(
                self.root, self.require_repo(), change, screen=self.screen(), wait=wait
            )
        done = self.note_admitted(change, done, wait, before)
        notes, self._settled = self._settled, ()
        return replace(done, diagnostics=(*notes, *done.diagnostics)) if notes else done

    def _require_person_for_edits(self, change: Change) -> None:
        """Refuse that an agent's change commits an edit, where the commit lets it count."""
        if self.config["trust.uncommitted"] == "committed" and self.repo is not None:
            from vault_cli.store.hand_edits import require_person_for_edits

            require_person_for_edits(self.repo, change, self.screen())

    def _commit_usage(self, wait: float) -> None:
        """Let observations that wait go first, as a commit of their own; they can wait longer."""
        from vault_cli.store.observing import commit_usage, is_due

        if is_due(self.root):
            with suppress(VaultError):
                commit_usage(self, wait=wait)

    def _trusts_pushes(self) -> bool:
        """Tell whether changes of others count here without a look at them."""
        from vault_cli.store.policy import incoming_policy

        return incoming_policy(self.root, self.config) == "accept"

    def look_before(self, change: Change) -> Before | None:
        """Return what is in force and what waits for a person; None where nothing ever waits.

        Raises:
            RefusedError: a signature would make this change an admission of what waits.
        """
        if self._trusts_pushes():
            return None
        from vault_cli.store.incoming import Before, load_ledger
        from vault_cli.store.waiting import find_waiting

        snapshot = self.snapshot(whole=False)
        found = find_waiting(self, snapshot, load_ledger(self.root))
        standing = {r.path: (r.id, r.digest) for r in snapshot.records if r.has_effect}
        before = Before(standing, {item.id: item.what in {"new", "changed"} for item in found})
        self._require_reviewed(change, before)
        return before

    @contextmanager
    def keeping_own(self, change: Change, before: Before | None) -> Iterator[None]:
        """Let a person's hand edits be theirs still when the commit that takes them in fails."""
        try:
            yield
        except VaultError:
            if before is not None:
                from vault_cli.store.own_edits import note_tried

                waiting = {p for p, (key, _) in before.standing.items() if key in before.waiting}
                paths = {edit.path for edit in change.edits} - waiting
                note_tried(self.require_repo(), paths)
            raise

    def _require_reviewed(self, change: Change, before: Before) -> None:
        """Refuse to sign a text of others that waits: it would count by that, for everybody."""
        from vault_cli.store.incoming import unreviewed
        from vault_cli.store.policy import incoming_policy

        is_signed = incoming_policy(self.root, self.config) == "signed"
        if not is_signed or not self.require_repo().read_settings().flag("commit.gpgsign"):
            return
        waiting = unreviewed(self.root, change, before)
        if waiting:
            raise RefusedError(
                f"{change.verb}: {waiting} waits for a review, and the signature of this change"
                " would let all of it count; nothing was changed",
                hint="A person looks at it: mvault review --incoming; what is out of force already"
                " becomes a draft first (resolve --as candidate), and approve shows it.",
            )

    def note_admitted(
        self, change: Change, done: Receipt, wait: float, before: Before | None
    ) -> Receipt:
        """Take down what a change admitted, where the person has changes of others wait."""
        from vault_cli.store.files import lock_vault

        if not done.commit or before is None:
            return done
        from vault_cli.store.incoming import record_change

        try:
            with lock_vault(self.root, wait=wait):  # another writer notes its change, too
                waits = record_change(self.root, change, done.commit, before)
        except VaultError as error:  # the change itself is made
            note = Diagnostic("", 0, "trust-state", "warning", error.message, error.hint)
            return replace(done, diagnostics=(*done.diagnostics, note))
        hint = "A person looks at it: mvault review --incoming"
        notes = (
            Diagnostic(
                r.path, 0, "trust-waits", "warning", f"{r.id} still waits for a review", hint
            )
            for r in waits
        )
        return replace(done, diagnostics=(*done.diagnostics, *notes))

    def screen(self) -> Screen:
        """Return what may be written into this vault."""
        from vault_cli.store.screen import Screen

        repo = self.repo
        return Screen(
            self.root,
            self.config["files.ignore"],
            self.config.gates,
            lambda paths: repo.read_head(paths) if repo is not None and repo.head() else {},
        )

    def require_writable(self, change: Change) -> None:
        """Ask all that the gate asks about texts, for a change that is only shown yet.

        Raises:
            RefusedError: a text would be refused, or a hand edit that would be recorded first.
        """
        screen = self.screen()
        screen.ask(change)
        self._require_person_for_edits(change)
        if self.repo is not None:
            screen.require_clean_people(self.repo.identity())
        sources = screen.old_paths(change) - change.discarded  # given up, not recorded first
        for found in self.repo.pending(sources) if self.repo is not None and sources else ():
            if found.code != "deleted":
                data = read_file(self.root, found.path, MAX_FILE)
                screen.require_clean_edit(found.path, data, screen.let_pass(change))
