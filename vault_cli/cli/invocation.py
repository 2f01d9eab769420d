"""What one command run has: vault, clock, actor, output; the one way to carry a change out.

May import everything below `cli`; heavy parts inside functions.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from vault_cli.cli.consent import Consent, Plan, consent_hint, trusted_name
from vault_cli.cli.option_values import Options
from vault_cli.cli.output import Line, Output, View, is_terminal
from vault_cli.errors import NeedsPersonError, UsageError
from vault_cli.store.places import expand_home

__all__ = ["LEFT", "Consent", "Invocation", "Plan"]

if TYPE_CHECKING:
    from datetime import datetime

    from vault_cli.cli.reading import Reading
    from vault_cli.errors import Diagnostic
    from vault_cli.model.change import Change, Receipt
    from vault_cli.model.lifecycle import Actor
    from vault_cli.model.record import Record, Snapshot
    from vault_cli.store.layers import Layers
    from vault_cli.store.vault import Vault


LEFT = "left as it was"
"""What is said when a person was asked and did not agree."""


class Invocation:
    """One run of one command.

    Args:
        options: the global options (they may still change while the line is parsed).
        environ: the process environment.
        origin: how what is written here comes in (`model.schema.ORIGINS`).
    """

    def __init__(self, options: Options, environ: Mapping[str, str], origin: str = "cli") -> None:
        self.origin = origin
        self.options = options
        self.environ = environ
        self.out = Output(options, environ)
        self.lenient = False
        self.follow: Callable[[Invocation, Change, Sequence[str]], None] | None = None
        """What is done after a change, with its paths (`app` sets it)."""
        self._settled = False

    @cached_property
    def cwd(self) -> Path:
        """The working directory.

        Raises:
            UsageError: it has been removed.
        """
        try:
            return Path.cwd()
        except OSError as error:
            raise UsageError(
                "the working directory no longer exists",
                hint="Change to another directory, or name the vault with --vault.",
            ) from error

    @cached_property
    def layers(self) -> Layers:
        """The vaults at hand: which is written, which is read beside; UsageError for none."""
        from vault_cli.store.layers import find_layers

        typed = expand_home(self.options.vault) if self.options.vault else None
        found = find_layers(typed, cwd=self.cwd, environ=self.environ)
        if typed is not None or self.environ.get("MVAULT"):  # one place says what was named
            self.environ = {**self.environ, "MVAULT": str(found.home)}
        return found

    @cached_property
    def reading(self) -> Reading:
        """What is read of them; commands that only show something ask here."""
        from vault_cli.cli.reading import Reading

        return Reading(self)

    @cached_property
    def root(self) -> Path:
        """The folder of the vault that is written; UsageError when there is none."""
        return self.layers.home

    @property
    def vault_name(self) -> str:
        """What the vault that is written is called, `project` or `user`; "" when it is alone."""
        return self.layers.name_of(self.root)

    @cached_property
    def vault(self) -> Vault:
        """The vault, opened."""
        from vault_cli.store.vault import Vault

        return Vault.open(self.root, environ=self.environ, lenient=self.lenient)

    def bear_bad_settings(self) -> None:
        """Work although a setting cannot be used: for commands that look, or that repair.

        What is wrong stands in `vault.config.diagnostics`; what the other layers say counts.
        """
        self.lenient = True

    @cached_property
    def snapshot(self) -> Snapshot:
        """All records of the working tree; what no list shows of them loads when it is used."""
        return self.vault.snapshot(whole=False)

    def whole_snapshot(self) -> Snapshot:
        """Return the records of the working tree with all that is in them (`snapshot` then too)."""
        self.__dict__["snapshot"] = self.vault.snapshot()
        return self.snapshot

    @cached_property
    def now(self) -> datetime:
        """The instant this run happens at, in the vault's time zone (`MVAULT_NOW` overrides)."""
        from vault_cli.store.clock import read_clock

        vault = self.reading.home or self.reading.other or self.vault
        return read_clock(str(vault.config["vault.timezone"] or ""), self.environ)

    @cached_property
    def random_int(self) -> Callable[[int], int]:
        """A source of random integers below its argument (`MVAULT_SEED` repeats a run)."""
        seed = self.environ.get("MVAULT_SEED")
        if seed:
            from random import Random

            return Random(seed).randrange  # noqa: S311 - only for repeatable runs
        from secrets import randbelow

        return randbelow

    @cached_property
    def has_terminal(self) -> bool:
        """Whether a question can be asked and answered here."""
        shown = is_terminal(sys.stdout) or is_terminal(sys.stderr)
        return is_terminal(sys.stdin) and shown

    @cached_property
    def actor_name(self) -> str:
        """Who runs this: `$MVAULT_ACTOR`, else `person` at a terminal, else `agent`."""
        named = self.environ.get("MVAULT_ACTOR", "").strip()
        return named or ("person" if self.has_terminal else "agent")

    @property
    def is_person(self) -> bool:
        """Whether a person sits at this terminal."""
        return self.has_terminal and self.actor_name == "person"

    @property
    def actor(self) -> Actor:
        """The kind of actor for changes that anyone may make."""
        from vault_cli.model.lifecycle import Actor

        if self.is_person:
            return Actor.PERSON
        names = {Actor.AGENT.value, Actor.HOOK.value, Actor.IMPORT.value}
        return Actor(self.actor_name) if self.actor_name in names else Actor.AGENT

    def consent(self, *, yes: bool) -> Consent:
        """Say whether a person stands behind this run (approval needs a terminal)."""
        if self.is_person:
            return Consent("terminal", ask=not yes)
        named = trusted_name(self.environ) if yes else ""
        return Consent("configured", by=named) if named else Consent("")

    def warn_unreadable(self, snapshot: Snapshot | None = None) -> None:
        """Name on stderr the files that could not be read, or are not there to be read."""
        self.reading.warn_unreadable(snapshot or self.snapshot)

    def warn_outside_checkout(self, snapshot: Snapshot | None = None) -> None:
        """Say on stderr how many records git keeps out of the work tree, if any."""
        self.reading.warn(snapshot or self.snapshot)

    def find(self, text: str) -> Record:
        """Return the one record that an id, its beginning or a path names.

        Of one of the vault that is read beside, that vault is written from here on.

        Raises:
            NotFoundError, UsageError, RefusedError: as `Reading.find` and `settle_on`.
        """
        record, other = self.reading.find(text)
        self.settle_on(record, other)
        return record

    def settle_on(self, record: Record, other: Vault | None) -> None:
        """Turn to the vault of a record that was found; UsageError when one was of another."""
        place = self.layers.home if other is None else other.root
        if self._settled and place != self.root:
            raise UsageError(
                f"{record.id} is in another vault than what was named before it",
                hint="One change is made in one vault: name the records of each by themselves.",
            )
        self._settled = True
        if other is not None:
            self.turn_to(other, self.reading.beside_heads)

    def turn_to(self, vault: Vault, snapshot: Snapshot | None = None) -> None:
        """Write another vault from here on; the changes of one run are made in one vault."""
        if vault.root != self.root:
            self.forget_snapshot()
            self.__dict__.update(root=vault.root, vault=vault)
            if snapshot is not None:
                self.__dict__["snapshot"] = snapshot
        self._settled = True

    def find_all(self, texts: Sequence[str]) -> tuple[Record, ...]:
        """Return several records of one vault, each once, in the order given; as `find`."""
        found = {record.path: record for record in map(self.find, texts)}
        return tuple(found.values())

    def read(self, path: str) -> bytes:
        """Return the bytes of a file of the vault."""
        from vault_cli.store.files import read_file

        return read_file(self.root, path)

    def known_id(self, text: str) -> str:
        """Return the whole id that a shortened one names; an unknown text stays as typed."""
        from vault_cli.errors import NotFoundError

        try:
            return self.reading.find(text)[0].id
        except NotFoundError:
            return text

    def vault_path(self, text: str) -> str:
        """Return the vault-relative path that a person typed, absolute or from here.

        Raises:
            UsageError: it is not inside the vault. NotFoundError: there is no such file.
        """
        from vault_cli.cli.typed import path_in_vault

        return path_in_vault(self.root, self.cwd, text)

    def warn_settings(self) -> None:
        """Say on stderr what is wrong with the settings."""
        self.out.findings(self.vault.config.diagnostics)

    def decider(self, *, yes: bool) -> Actor:
        """Return who a change that needs a person is planned for."""
        return self.consent(yes=yes).actor

    def submit(self, plan: Plan) -> int:
        """Carry a change out, or show it: the one place for dry runs, questions and receipts.

        Args:
            plan: the change and how to speak about it.

        Returns:
            The exit code.

        Raises:
            NeedsPersonError: a person is needed and there is none (the preview was shown).
            VaultError: whatever the gate raises.
        """
        from vault_cli.cli.preview import change_data, change_diff, touches_force

        change = plan.change
        plan.drop_own_hints()
        for_person = bool(self.consent(yes=plan.yes).how)
        diff = change_diff(self.root, change, veiled=plan.veiled, for_person=for_person)
        data = {**change_data(change, diff, for_person=for_person), **plan.data}
        if self.vault_name:
            data["vault"] = self.vault_name
        if change.is_empty:
            notes = (f"nothing to do: {plan.nothing}",)
            hints = (plan.stalled,) if plan.stalled else ()
            view = View(data, diagnostics=plan.findings, notes=notes, hints=hints)
            return self.out.show(replace(view, exit_code=plan.exit_code))
        self._require_vault()
        if self.options.dry_run:
            self.vault.require_writable(change)
            note = f"dry run, nothing written: {data['subject']}"
            data["dry_run"] = True
            whole = [*self._pending(change, data), *diff]
            view = View(data, lambda: whole, None, plan.findings, (note,))
            return self.out.show(replace(view, exit_code=plan.exit_code))
        if self._needs_consent(plan) or (not plan.anyone and touches_force(self.root, change)):
            self.vault.require_writable(change)
            consent = self._agreed(plan, [*plan.card, *self._pending(change, data), *diff], data)
            if consent is None:
                return self.left(data)
            change = consent.sign(change)
        from vault_cli.cli.once import carry_once
        from vault_cli.cli.preview import touched_notes
        from vault_cli.cli.reporting import done_view, known_view

        receipt, known = carry_once(self, plan.once, lambda: self._apply(change))
        if known:
            return self.out.show(known_view(known, data))
        touched = data["touched"]
        told = tuple(touched_notes(self.snapshot, touched)) if touched else ()
        return self.out.show(done_view(plan, receipt, data, self._in_vault(), told))

    def _apply(self, change: Change) -> Receipt:
        """Let the gate carry a change out, and what hangs on the vault follow."""
        receipt = self.vault.apply(change)
        if self.follow is not None:
            self.follow(self, change, receipt.paths)
        return receipt

    def _needs_consent(self, plan: Plan) -> bool:
        """Tell whether somebody has to agree whatever the change touches."""
        return plan.person or (plan.anyone and bool(self.consent(yes=plan.yes).how))

    def _require_vault(self) -> None:
        """Write nothing elsewhere when the project vault is there and must not be used."""
        if self.layers.refused is not None:
            raise self.layers.refused

    def _in_vault(self) -> str:
        """Return which vault was written, for a status line; "" when there is only one."""
        return f" in the {self.vault_name} vault" if self.vault_name else ""

    def _pending(self, change: Change, data: dict[str, Any]) -> list[Line]:
        """Return the edits of touched files that the change would record first, as a diff.

        Where there are any they also go into `data`, as `recorded_first`.
        """
        from vault_cli.cli.preview import pending_lines, plain

        lines = pending_lines(self.root, repo, change) if (repo := self.vault.repo) else []
        if lines:
            data["recorded_first"] = plain(lines)
        return lines

    def carry_out(self, plan: Plan, told: Sequence[Diagnostic] = ()) -> None:
        """Apply a change a person has just decided on in a dialogue; say so on stderr.

        Args:
            plan: the change, about one record.
            told: findings that were shown already, whatever path they named.

        Raises:
            VaultError: whatever the gate raises; nothing was changed then.
        """
        if self.options.dry_run:
            self.out.say(f"dry run, nothing written: {plan.change.verb}{plan.change.subject}")
            return
        self._require_vault()
        receipt = self._apply(self.consent(yes=True).sign(plan.change))
        known = {(found.code, found.message) for found in told}
        fresh = dict.fromkeys((*plan.findings, *receipt.diagnostics))
        self.out.findings(found for found in fresh if (found.code, found.message) not in known)
        self.out.say(f"{plan.done} (commit {receipt.commit[:10]})" if receipt.commit else plan.done)
        self.forget_snapshot()

    def forget_snapshot(self) -> None:
        """Read the files again when they are next asked for."""
        self.__dict__.pop("snapshot", None)

    def _agreed(
        self, plan: Plan, preview: Sequence[Line], data: Mapping[str, Any]
    ) -> Consent | None:
        """Return who agreed to a change; None when a person was asked and did not.

        Raises:
            NeedsPersonError: nobody is there to agree.
        """
        consent = self.consent(yes=plan.yes)
        if not consent.how:
            self.out.partial = dict(data)
            self.out.lines(preview)
            raise NeedsPersonError(
                f"{plan.change.verb}: a person has to agree; this is only the preview",
                hint=plan.consent_hint or consent_hint(self.environ, yes=plan.yes),
                diagnostics=tuple(plan.findings),
            )
        if not consent.ask:
            return consent
        self.out.preview(preview)
        self.out.findings(plan.findings)
        return consent if self.confirm(plan.question) else None

    def confirm(self, question: str) -> bool:
        """Ask a person; only `y` and `yes` agree."""
        try:
            return self.out.ask(f"{question} [y/N] ").lower() in ("y", "yes")
        except KeyboardInterrupt:
            self.out.say(LEFT)
            raise

    def left(self, data: Any) -> int:
        """Answer that a person was asked and did not agree; return the exit code."""
        return self.out.left(data, NeedsPersonError(LEFT))
