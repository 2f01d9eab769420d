"""What a command reads when there is a project vault and a user vault. May import all below `cli`.

A vault that cannot be read never hides the other: what is wrong with it is said, and the other
is shown.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from vault_cli.errors import (
    Diagnostic,
    NotFoundError,
    RefusedError,
    StoreError,
    UsageError,
    VaultError,
)
from vault_cli.model.record import Record, Snapshot
from vault_cli.recall.together import (
    PROJECT,
    USER,
    find_clashes,
    join_teams,
    join_vaults,
    mark_vault,
)
from vault_cli.text.late import late

if TYPE_CHECKING:
    from collections.abc import Callable

    from vault_cli.cli.finding import Finder, Run
    from vault_cli.store.config import Config
    from vault_cli.store.vault import Vault

CROSS_CODES = frozenset(
    {
        "vault-unreadable",
        "id-in-both-vaults",
        "promotion-unfinished",
        "user-rule-stays",
        "project-settings",
        "team-untrusted",
        "team-unreadable",
    }
)
"""Codes of what is to be known about two vaults, said on stderr where they are read."""

_NAMED = 5
_DAY = late(r"\d{4}-\d\d-\d\d")


class Reading:
    """The vaults one run reads.

    Args:
        inv: the run; its `snapshot` is that of the vault which is written.
    """

    def __init__(self, inv: Run) -> None:
        self._inv = inv
        self._layers = inv.layers
        self._problems: list[Diagnostic] = []
        self._guarding = False
        self._patience = 0.0
        self._passes_over = False
        self.gave_up = False
        """Whether the project's vault was left unread because it takes too long (`be_quick`)."""
        if self._layers.refused is not None:
            self._note(self._layers.refused.message, self._layers.refused.hint)
        if self._layers.passed is not None:
            self._note_passed(self._layers.passed)

    def _note_passed(self, place: Path) -> None:
        words = f"nobody admitted anything of it here, and {self._layers.home} counts"
        from shlex import quote

        self._note(words, f"Look at it: mvault --vault {quote(str(place))} status", place)

    def _note(self, words: str, hint: str, place: Path | None = None) -> None:
        text = f"this vault is not read: {words}" if place else f"not read: {words}"
        finding = Diagnostic(str(place or ""), 0, "vault-unreadable", "error", text, hint)
        self._problems.append(finding)

    def be_quick(self, seconds: float) -> None:
        """Let the person's own vault be read first, and the project's in so many seconds or not.

        For who must answer in time, whatever was pushed into the project's vault. What was read of
        it by then is kept in its cache, where the next run goes on.
        """
        self._patience = seconds
        self.pass_over_waiting()

    def pass_over_waiting(self) -> None:
        """Read no more than the head of what waits: for who shows what counts, and nothing else."""
        self._passes_over = True

    @property
    def _is_hasty(self) -> bool:
        return self._passes_over and self._guarding

    @cached_property
    def home(self) -> Vault | None:
        """The vault that is written; None when it cannot be opened and another one is read.

        Raises:
            VaultError: it cannot be opened, and there is no other.
        """
        try:
            return self._inv.vault
        except VaultError as error:
            if self.other is None:
                raise
            self._note(error.message, error.hint, self._layers.home)
            return None

    @cached_property
    def other(self) -> Vault | None:
        """The vault that is read beside, None when there is none or it cannot be opened."""
        from vault_cli.store.vault import Vault

        place = self._layers.beside
        if place is None:
            return None
        try:
            return Vault.open(place, environ=self._inv.environ, lenient=self._inv.lenient)
        except VaultError as error:
            self._note(error.message, error.hint, place)
            return None

    @property
    def vaults(self) -> list[Vault]:
        """The vaults that are read here: that at hand, and the other one if there is one."""
        return [vault for vault in (self.home, self.other) if vault is not None]

    def clashes(self) -> tuple[Diagnostic, ...]:
        """Return what the two vaults say about the same ids, and what is wrong with the other.

        For `check`, whose paths are those of the vault that is written.
        """
        if self._layers.beside is None:
            return tuple(self._problems)
        home, other = self.home, self.other
        if home is None or other is None:
            return tuple(self._problems)
        shown = self.finder.of
        return (*self._problems, *find_clashes(shown(home), shown(other)))

    @cached_property
    def config(self) -> Config:
        """The settings that say what is read and how it is rendered.

        Of two vaults they are the person's: the settings of a project that came with a clone
        must not take anything of the person's own out of sight.
        """
        found = self.other or self.home
        return self._inv.vault.config if found is None else found.config

    def snapshot(
        self,
        *,
        whole: bool = False,
        at: str = "",
        alone: bool = False,
        guarded: bool = False,
        teams: bool = False,
    ) -> Snapshot:
        """Return what is read: one vault as it is, or both as one, and team vaults beside.

        Args:
            whole: read everything of every record at once.
            at: a commit or a date. A commit belongs to the vault that is written, which alone
                is read then; a date holds for both.
            alone: read only the vault that is written.
            guarded: apply the person's trust settings, each vault's own (`store.guard`): for what
                is shown to an agent.
            teams: read the team vaults, too: for who looks at what holds now.

        Raises:
            VaultError: no vault could be read.
        """
        found = self._own_snapshot(whole=whole, at=at, alone=alone, guarded=guarded)
        if not teams or at or alone:
            return found
        beside, problems = self.teams
        if problems:
            found = replace(found, diagnostics=(*found.diagnostics, *problems))
        return join_teams(found, beside)

    @cached_property
    def teams(self) -> tuple[dict[str, Snapshot], list[Diagnostic]]:
        """What the trusted team vaults have in force, by name, and why others are not read."""
        from vault_cli.cli.team_reading import named_teams, read_teams

        named = named_teams(self._inv, (self.other, self.home))
        return read_teams(named, self.config) if named else ({}, [])

    def _own_snapshot(self, *, whole: bool, at: str, alone: bool, guarded: bool) -> Snapshot:
        self._guarding = guarded
        if self._layers.beside is None or alone or is_commit(at):
            found = self._one(whole=whole, at=at)
            extra = self._problems
        else:
            other = self._read_other(whole=whole, at=at) if self._patience else None
            home = self._read_home(whole=whole, at=at)
            other = other or self._read_other(whole=whole, at=at)
            if home is None and other is None:
                return self._one(whole=whole, at=at)  # raises what is wrong with it
            found = join_vaults(home or Snapshot(), other or Snapshot(), str(self._layers.beside))
            extra = [*self._problems, *self._ignored_settings(home, other)]
        return replace(found, diagnostics=(*found.diagnostics, *extra)) if extra else found

    def _one(self, *, whole: bool, at: str) -> Snapshot:
        if at:
            return self._guard(self._inv.vault, self._inv.vault.snapshot(at=at, whole=whole))
        if self._is_hasty and "snapshot" not in self._inv.__dict__:
            found = self._inv.vault.snapshot(whole=whole, hasty=True)
            self._inv.__dict__["snapshot"] = found
        else:
            found = self._inv.whole_snapshot() if whole else self._inv.snapshot
        return self._guard(self._inv.vault, found)

    def _guard(self, vault: Vault, snapshot: Snapshot) -> Snapshot:
        """Apply the person's trust settings for a vault, where that was asked for."""
        if not self._guarding:
            return snapshot
        from vault_cli.cli.guarding import guard

        found = guard(self._inv.out, vault, snapshot, self._inv.environ)
        self.__dict__.pop("config", None)  # what counts of it may be another now
        return found

    def _read_home(self, *, whole: bool, at: str) -> Snapshot | None:
        """Read the project vault; None when it cannot be read, which is noted."""
        if self.home is None or self.gave_up:
            return None
        try:
            return self._in_time(lambda: self._one(whole=whole, at=at))
        except (StoreError, RefusedError) as error:
            self._note(error.message, error.hint, self.home.root)
            return None

    def _in_time(self, read: Callable[[], Snapshot]) -> Snapshot | None:
        """Return what is read, None when that takes longer than there is time for."""
        if not self._patience:
            return read()
        from vault_cli.hook.patience import OutOfTimeError, within

        try:
            return within(self._patience, read)
        except OutOfTimeError:
            self.gave_up = True
            words = f"it takes longer than {self._patience:g} seconds"
            hint = "What was read is kept, the next run goes on there: mvault status"
            self._note(words, hint, self._layers.home)
            return None

    def _read_other(self, *, whole: bool, at: str) -> Snapshot | None:
        """Read the user vault; None when it cannot be read, which is noted."""
        if self.other is None:
            return None
        try:
            found = self.other.snapshot(at=at, whole=whole, hasty=self._is_hasty)
            return self._guard(self.other, found)
        except (NotFoundError, UsageError):  # it is younger than that day
            return None
        except VaultError as error:
            self._note(error.message, error.hint, self.other.root)
            return None

    def _ignored_settings(
        self, home: Snapshot | None, other: Snapshot | None
    ) -> tuple[Diagnostic, ...]:
        """Say which settings of the project vault do not count while both are read."""
        if home is None or other is None or self.home is None:
            return ()
        theirs = self.home.config
        names = [
            name
            for name, layer in theirs.origins.items()
            if layer == "vault" and name.startswith("render.") and theirs[name] != self.config[name]
        ]
        if not names:
            return ()
        text = f"not applied while your own vault is read too: {', '.join(sorted(names))}"
        hint = "Set them for yourself: mvault config set --user NAME VALUE"
        return (Diagnostic("vault.toml", 0, "project-settings", "note", text, hint),)

    @cached_property
    def finder(self) -> Finder:
        """What finds records by what a person typed."""
        from vault_cli.cli.finding import Finder

        return Finder(self, self._inv)

    def find(self, text: str) -> tuple[Record, Vault | None]:
        """Return the record that an id, its beginning or a path names, as its file is.

        Returns:
            The record, and the vault beside when it is there; None stands for the one written.

        Raises:
            NotFoundError, UsageError, RefusedError: as `Finder.find_file`.
            TeamRecordError: a team vault has it, which is only read.
        """
        try:
            record, vault, _ = self.finder.find_file(text)
        except NotFoundError as error:
            from vault_cli.cli.team_reading import explain_missing

            raise explain_missing(self.teams[0], text, error) from error
        if self.other is not None:
            mark_vault((record,), USER if vault is not None else PROJECT)
        return record, vault

    @cached_property
    def beside_heads(self) -> Snapshot:
        """The records of the vault beside, loaded as far as lists need them."""
        found = self.other.snapshot(whole=False) if self.other is not None else Snapshot()
        mark_vault(found.records, USER)
        return found

    def write_to_user(self) -> None:
        """Turn the run to the user vault, whatever project this is.

        Raises:
            UsageError: there is none, or it cannot be used.
        """
        from vault_cli.store.layers import require_user_vault
        from vault_cli.store.vault import Vault

        place = require_user_vault()
        if place != self._inv.root:
            self._inv.turn_to(Vault.open(place, environ=self._inv.environ))

    def describe_other(self) -> dict[str, Any] | None:
        """Return what `status` says about the vault that is not written; None when there is none.

        `read` tells whether it is read beside; `problem` why it cannot be.
        """
        layers = self._layers
        place = layers.beside or layers.hidden
        if place is None:
            return None
        name = "user" if layers.is_project else "project"
        data: dict[str, Any] = {"name": name, "vault": str(place), "read": False, "problem": ""}
        if layers.beside is None:
            return {**data, "problem": "read_scopes leaves it out"}
        if self.other is None:
            return {**data, "problem": "; ".join(found.message for found in self._problems)}
        records = self.beside_heads.records
        counts = {
            "records": len(records),
            "in_force": sum(record.in_force for record in records),
            "drafts": sum(record.is_draft for record in records),
            "unreadable": len(self.beside_heads.unreadable),
        }
        words = "; ".join(found.message for found in self.other.config.diagnostics)
        return {**data, "read": True, "problem": words, "counts": counts}

    def warn(self, snapshot: Snapshot) -> None:
        """Say on stderr what git keeps out of the work tree, and what two vaults say of another."""
        for found in snapshot.diagnostics:
            if found.code == "sparse-checkout":
                self._inv.out.warn(found.message)
        self._inv.out.findings(item for item in snapshot.diagnostics if item.code in CROSS_CODES)

    def warn_unreadable(self, snapshot: Snapshot) -> None:
        """As `warn`; and name the files that could not be read."""
        self.warn(snapshot)
        bad = snapshot.unreadable
        if bad:
            from vault_cli.cli.views import plural
            from vault_cli.text.names import show_path

            names = ", ".join(show_path(path) for path in bad[:_NAMED])
            more = f" and {len(bad) - _NAMED} more" if len(bad) > _NAMED else ""
            text = f"{plural(len(bad), 'file')} could not be read: {names}{more}"
            self._inv.out.warn(f"{text} (`mvault check` says why)")


def is_commit(at: str) -> bool:
    """Tell whether `--at` names a commit, which belongs to one repository, and not a date."""
    return bool(at) and _DAY.match(at) is None
