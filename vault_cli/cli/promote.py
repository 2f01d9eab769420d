"""`promote`: another scope, another vault, proposals for everywhere. May import all below `cli`."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Annotated, Any

import typer

from vault_cli.cli import flags
from vault_cli.cli.complete import complete_id
from vault_cli.cli.consent import consent_hint
from vault_cli.cli.guarding import require_admitted
from vault_cli.cli.invocation import Invocation, Plan
from vault_cli.cli.output import Line, View
from vault_cli.errors import NeedsPersonError, StoreError, UsageError, VaultError
from vault_cli.model.change import Change, Put, Remove
from vault_cli.model.record import Record, Scope

if TYPE_CHECKING:
    from vault_cli.features.promotion import Move, Target
    from vault_cli.store.history import CommitInfo
    from vault_cli.store.vault import Vault

_TOKEN = 1 << 40
_LOOKED_AT = 200


def promote(
    ctx: typer.Context,
    record_id: Annotated[
        str, typer.Argument(metavar="[ID]", help="Not with --auto.", autocompletion=complete_id)
    ] = "",
    to: Annotated[
        str, typer.Option("--to", help="global, project (this one), project:ID, session:ID.")
    ] = "",
    boundary: flags.Boundary = "",
    to_vault: Annotated[
        str, typer.Option("--to-vault", help="user or project: move it into that vault.")
    ] = "",
    auto: Annotated[
        bool, typer.Option("--auto", help="Propose what proved itself here to the user vault.")
    ] = False,
    reason: flags.Reason = "",
    yes: flags.Yes = False,
) -> int:
    """Give a record another scope: who is told of it.

    The record stays the same: its id, its text, its evidence; `promoted_from` says what it was.
    What becomes global says in --boundary where it does not hold. With --to-vault it moves into
    the other vault, and a pointer that is never rendered stays behind; without --to its scope stays
    as it is. Needs a person.
    --auto writes drafts, as the settings `promote.*` of the person allow.

    Examples:
      mvault promote l-7k3qd2m --to global --boundary "only where npx would go to the network"
      mvault promote l-7k3qd2m --to global --to-vault user --boundary "not on Windows"
      mvault promote f-1m4c8tt --to project
      mvault promote --auto --dry-run
    """
    inv: Invocation = ctx.obj
    if auto:
        if record_id or to or to_vault:
            raise UsageError("--auto chooses by itself: it takes no ID, --to or --to-vault")
        from vault_cli.cli.propose import propose

        return propose(inv)
    if not record_id or not (to or to_vault):
        raise UsageError(
            "promote needs an ID and --to", hint="Run: mvault promote ID --to global --boundary …"
        )
    if to_vault not in ("", "user", "project"):
        raise UsageError(f"--to-vault {to_vault}: unknown", hint="Use user or project.")
    from vault_cli.features.promotion import Target

    record = inv.find(record_id)
    require_admitted(inv.vault, "promote", record)
    target = Target(_scope(inv, to or str(record.scope)), boundary, reason)
    if to_vault and to_vault != _vault_of(inv):
        return _move(inv, record, target, to_vault, yes=yes)
    return _promote_here(inv, record, target, yes=yes)


def _scope(inv: Invocation, text: str) -> Scope:
    from vault_cli.cli.rendering import scope_here

    try:
        return Scope.parse(scope_here(inv, text, "--to"))
    except ValueError as error:
        raise UsageError(
            f"--to {text}: that is no scope", hint="Use global, project:<id> or session:<id>."
        ) from error


def _vault_of(inv: Invocation) -> str:
    """Return which vault this run writes: `user`, `project`, or "" for another one."""
    from vault_cli.store.layers import find_user_vault, is_same_folder

    user = find_user_vault()
    if user is not None and is_same_folder(user, inv.root):
        return "user"
    return "project" if inv.layers.is_project else ""


def _promote_here(inv: Invocation, record: Record, target: Target, *, yes: bool) -> int:
    from vault_cli.features.promotion import plan_promote

    actor = inv.decider(yes=yes)
    change = plan_promote(record, inv.read(record.path), target, actor=actor)
    what = f"{record.id} from {record.scope} to {target.scope}"
    plan = Plan(change, f"promoted {what}: {record.title}", f"Promote {what}?", yes=yes)
    plan.person = True
    plan.nothing = f"its scope is {record.scope} already"
    plan.data = {"scope": str(target.scope), "promoted_from": str(record.scope)}
    return inv.submit(plan)


def _move(inv: Invocation, record: Record, target: Target, to: str, *, yes: bool) -> int:
    from vault_cli.features.promotion import plan_move

    vault = _other_vault(inv, to)
    token = f"{inv.random_int(_TOKEN):010x}"
    move = plan_move(
        record,
        inv.read(record.path),
        target,
        vault.snapshot(),
        to=to,
        actor=inv.decider(yes=yes),
        token=token,
    )
    return _Moving(inv, vault, record, move, to).run(yes=yes)


def _other_vault(inv: Invocation, name: str) -> Vault:
    """Return the vault that a record is to move to.

    Raises:
        UsageError: there is none of that name here, or it cannot be used.
    """
    from vault_cli.store.layers import require_user_vault
    from vault_cli.store.vault import Vault

    if name == "user":
        return Vault.open(require_user_vault(), environ=inv.environ)
    layers = inv.layers
    place = layers.home if layers.is_project else layers.hidden
    if place is None or place == inv.root:
        raise UsageError(
            "there is no project vault here", hint="Change into the project that has one."
        )
    return Vault.open(place, environ=inv.environ)


class _Moving:
    """A record on its way from the vault of this run into another: shown, agreed to, done.

    Args:
        inv: the run; it writes the vault that the record leaves.
        vault: the vault it goes to.
        record: the record.
        move: both changes.
        to: what the other vault is called.
    """

    def __init__(self, inv: Invocation, vault: Vault, record: Record, move: Move, to: str) -> None:
        self.inv = inv
        self.vault = vault
        self.record = record
        self.move = move
        self.to = to

    def run(self, *, yes: bool) -> int:
        """Return the exit code; errors as `Invocation.submit`."""
        inv = self.inv
        diff = self._diff()
        what = f"{self.record.id}: {self.record.title}"
        data = self._data(diff)
        notes = self.move.notes
        if self.move.arrival.is_empty and self.move.departure.is_empty:
            text = f"nothing to do: {self.record.id} is in the {self.to} vault already"
            return inv.out.show(View(data, notes=(text,)))
        if inv.options.dry_run:
            text = f"dry run, nothing written: promote to the {self.to} vault: {what}"
            return inv.out.show(View({**data, "dry_run": True}, lambda: diff, None, notes, (text,)))
        consent = inv.consent(yes=yes)
        if not consent.how:
            inv.out.partial = data
            inv.out.lines(diff)
            raise NeedsPersonError(
                "promote: a person has to agree; this is only the preview",
                hint=consent_hint(inv.environ, yes=yes),
                diagnostics=notes,
            )
        if consent.ask:
            inv.out.preview(diff)
            inv.out.findings(notes)
            if not inv.confirm(f"Move {what} into the {self.to} vault?"):
                return inv.left(data)
        first, second = self._apply(consent.sign)
        done = {**data, "changed": True, "applied": True, "commit": second or first}
        done["commits"] = {self.to: first, self._here: second}
        text = f"promoted {what} into the {self.to} vault (commit {(first or second)[:10]})"
        answer = (self.record.id,)
        return inv.out.show(View(done, lambda: answer, None, notes, (text,)))

    @property
    def _here(self) -> str:
        return "project" if self.to == "user" else "user"

    def _diff(self) -> list[Line]:
        from vault_cli.cli.preview import change_diff

        lines: list[Line] = []
        pairs = ((self.vault, self.to, self.move.arrival),)
        for vault, name, change in (*pairs, (self.inv.vault, self._here, self.move.departure)):
            if not change.is_empty:
                lines += [[("bold", f"in the {name} vault:")]]
                lines += change_diff(vault.root, change)
        return lines

    def _data(self, diff: list[Line]) -> dict[str, Any]:
        from vault_cli.cli.preview import answer_data, plain

        record = self.record
        data = answer_data("promote", f"promote{self.move.departure.subject}", [record.path])
        more = {"id": record.id, "ids": [record.id], "to_vault": self.to, "diff": plain(diff)}
        return {**data, **more, "promoted_from": str(record.scope)}

    def _apply(self, sign: Any) -> tuple[str, str]:
        """Write the arrival, then the departure; return their commits.

        Raises:
            VaultError: one of them failed. When it was the second, the first was taken back, or
                the hint says that the same command completes it.
        """
        first = ""
        if not self.move.arrival.is_empty:
            start = self.inv.vault.repo.head() if self.inv.vault.repo else ""
            named = _with(self.move.arrival, ("Vault-Promoted-From", f"{self._here} vault {start}"))
            first = self.vault.apply(sign(named)).commit
        if self.move.departure.is_empty:
            return first, ""
        named = _with(self.move.departure, ("Vault-Promoted-To", f"{self.to} vault {first}"))
        try:
            return first, self.inv.vault.apply(sign(named)).commit
        except VaultError as error:
            self._take_back(error, sign)
            raise

    def _take_back(self, error: VaultError, sign: Any) -> None:
        """Remove what arrived; where that fails too, say how to complete the move."""
        arrival = self.move.arrival
        if arrival.is_empty:
            return
        try:
            self.vault.apply(sign(_reverse(arrival)))
        except VaultError as second:
            error.hint = (
                f"{error.hint} {self.record.id} stands in both vaults now ({second.message});"
                " the same command completes the move."
            ).strip()
        else:
            text = f"{self.record.id} was taken back out of the {self.to} vault."
            error.hint = f"{error.hint} {text}".strip()


def _with(change: Change, trailer: tuple[str, str]) -> Change:
    return replace(change, extra=(*change.extra, (trailer[0], trailer[1].strip())))


def _reverse(change: Change) -> Change:
    from vault_cli.features.records import digest_of

    edits = tuple(
        Remove(edit.path, digest_of(edit.data)) for edit in change.edits if isinstance(edit, Put)
    )
    subject = f": promote{change.subject}"
    return replace(change, verb="undo", subject=subject, edits=edits)


def other_half(inv: Invocation, info: CommitInfo) -> str:
    """Return how to take back the other half of a move, "" when a commit is none.

    Args:
        inv: the run; it writes the vault of `info`.
        info: a commit.
    """
    tokens = [value for key, value in info.trailers if key == "Vault-Promotion"]
    if not tokens:
        return ""
    for place in _vaults_about(inv):
        found = _commit_of(inv, place, tokens[0]) if place != inv.root else None
        if found is not None:
            there = f"mvault --vault {quote(str(place))} undo {found.id[:10]}"
            return f"The other half of the move: {there}"
    return "This is one half of a move; the other one is a commit of the other vault."


def _vaults_about(inv: Invocation) -> list[Path]:
    """Return the vaults of this run, and those that it would have without --vault."""
    from vault_cli.store.layers import find_layers

    every = [inv.layers]
    with suppress(UsageError, StoreError):
        environ = {key: value for key, value in inv.environ.items() if key != "MVAULT"}
        every.append(find_layers(None, cwd=inv.cwd, environ=environ))
    places = [place for found in every for place in (found.home, found.beside, found.hidden)]
    return list(dict.fromkeys(place for place in places if place is not None))


def _commit_of(inv: Invocation, place: Path, token: str) -> CommitInfo | None:
    from vault_cli.store.vault import Vault

    try:
        repo = Vault.open(place, environ=inv.environ, lenient=True).repo
    except StoreError:
        return None
    commits = repo.log(limit=_LOOKED_AT) if repo is not None else []
    return next((found for found in commits if ("Vault-Promotion", token) in found.trailers), None)
