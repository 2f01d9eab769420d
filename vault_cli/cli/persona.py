"""`persona show|propose|set|approve|reject`. May import everything below `cli`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated

import typer

from vault_cli.cli import flags
from vault_cli.cli.app import PanelCommand
from vault_cli.cli.complete import complete_draft
from vault_cli.cli.invocation import Invocation, Plan
from vault_cli.cli.output import Line, View, inline
from vault_cli.errors import NotFoundError, UsageError
from vault_cli.model.record import Kind, Scope

if TYPE_CHECKING:
    from vault_cli.features.persona import PersonaRequest, Standing
    from vault_cli.model.record import Record

persona = typer.Typer(
    add_completion=False,
    rich_markup_mode=None,
    no_args_is_help=False,
    help="Who the agent is, and whom it works for.\n\nExample: mvault persona show",
)

Words = Annotated[
    str, typer.Argument(metavar="TEXT", help="The whole text; `-` reads standard input.")
]
OfUser = Annotated[bool, typer.Option("--user", help="The user's profile, not the persona.")]
Waiting = Annotated[
    str,
    typer.Argument(
        metavar="[ID]", help="Of the draft; else the newest.", autocompletion=complete_draft
    ),
]


@persona.callback()
def persona_group() -> None:
    """Who the agent is, and whom it works for: two short texts in every block.

    An agent may propose another persona; only a person admits it, and no proposal may drop a line
    that begins with `Boundary:` or `边界:`. The user's profile is the person's own.

    Examples:
      mvault persona propose - < persona.md
      mvault persona show --user
    """


@persona.command("show", cls=PanelCommand)
def show(ctx: typer.Context, user: OfUser = False, scope: flags.OneScope = "") -> int:
    """Show what is in force, how much of its budget it takes, and what waits.

    Examples:
      mvault persona show
      mvault persona show --user
    """
    from vault_cli.features.persona import find_persona, persona_data

    inv: Invocation = ctx.obj
    role, whose = _role(user=user), _scope(scope)
    snapshot = inv.reading.snapshot(whole=True, guarded=True)
    found = find_persona(snapshot, role, whose)
    budget = _budget(inv, role)
    data = {
        "role": role,
        "scope": whose,
        "budget": budget,
        "persona": persona_data(found.current),
        "proposals": [persona_data(record) for record in found.waiting],
    }
    notes = [] if found.current else [f"no {_name(role)} of {whose} is in force"]
    hints = [f"Waits for a person: mvault persona approve {r.id}" for r in found.waiting[:1]]
    if not user and find_persona(snapshot, "user", whose).current:
        hints.append("Whom it works for: mvault persona show --user")
    lines = lambda: _lines(found, budget)  # noqa: E731 - as every view
    return inv.out.show(View(data, lines, notes=notes, hints=hints, listed=True))


def _lines(found: Standing, budget: int) -> Iterator[Line]:
    from vault_cli.features.persona import locked_lines, text_of

    record = found.current
    if record is None:
        return
    text = text_of(record)
    limit = f" of {budget}" if budget else ""
    locked = len(locked_lines(text))
    told = f"; {locked} locked" if locked else ""
    kept = f"  ({record.withheld})" if record.withheld else ""
    yield [("dim", f"{inline(record.id)}  {len(text)}{limit} characters{told}{kept}")]
    yield from text.split("\n")


def _role(*, user: bool) -> str:
    return "user" if user else "agent"


def _name(role: str) -> str:
    from vault_cli.features.persona import TITLES

    return TITLES[role][0].lower()


def _scope(text: str) -> str:
    try:
        return str(Scope.parse(text or "global"))
    except ValueError as error:
        raise UsageError(
            f"unknown scope {text}", hint="Use global, project:<id> or session:<id>."
        ) from error


def _budget(inv: Invocation, role: str) -> int:
    from vault_cli.features.persona import BUDGET_KEYS

    return int(inv.reading.config[BUDGET_KEYS[role]])


def _request(inv: Invocation, text: str, scope: str, *, user: bool) -> PersonaRequest:
    from vault_cli.cli.intake import read_stdin
    from vault_cli.features.persona import PersonaRequest

    role = _role(user=user)
    words = read_stdin() if text == "-" else text
    return PersonaRequest(words, role, _scope(scope), _budget(inv, role))


@persona.command("propose", cls=PanelCommand)
def propose(
    ctx: typer.Context, text: Words, user: OfUser = False, scope: flags.OneScope = ""
) -> int:
    """Propose a persona in place of the one in force: a draft that only a person admits.

    Every locked line stays in it, word for word. At most persona.max_characters characters.

    Examples:
      mvault persona propose "Boundary: never pushes to main."
      mvault persona propose "先给结论。" --scope project:github.com/acme/web
    """
    from vault_cli.cli.additions import approve_hint, submit_new
    from vault_cli.cli.shown import shown_of
    from vault_cli.features.drafts import plan_add
    from vault_cli.features.persona import draft_of, find_persona

    inv: Invocation = ctx.obj
    request = _request(inv, text, scope, user=user)
    snapshot = shown_of(inv)  # a text that waits drops no locked line
    current = find_persona(snapshot, request.role, request.scope).current
    planned = plan_add(
        snapshot,
        draft_of(request, current, inv.actor),
        now=inv.now,
        actor=inv.actor,
        origin=inv.origin,
        random_int=inv.random_int,
        gates=inv.vault.config.gates,
    )
    done = f"proposed a {_name(request.role)} of {request.scope}: {planned.ids[0]}"
    plan = Plan(planned.change, done, findings=planned.notes, hints=[approve_hint(planned)])
    plan.data = {"role": request.role, "scope": request.scope}
    return submit_new(inv, planned, plan)


@persona.command("set", cls=PanelCommand)
def set_persona(
    ctx: typer.Context,
    text: Words,
    user: OfUser = False,
    scope: flags.OneScope = "",
    unlock: Annotated[bool, typer.Option("--unlock", help="Locked lines may go.")] = False,
    yes: flags.Yes = False,
) -> int:
    """Write it at once. Needs a person; `mvault undo` takes it back.

    Examples:
      mvault persona set --user "后端工程师，在成都。"
      mvault persona set "Shorter now." --unlock
    """
    from vault_cli.cli.guarding import require_settled
    from vault_cli.cli.shown import shown_of
    from vault_cli.features.persona import find_persona, plan_persona

    inv: Invocation = ctx.obj
    request = _request(inv, text, scope, user=user)
    snapshot = shown_of(inv)
    current = find_persona(snapshot, request.role, request.scope).current
    require_settled("persona set", current)
    planned = plan_persona(
        snapshot,
        request,
        inv.read(current.path) if current is not None else b"",
        unlock=unlock,
        now=inv.now,
        actor=inv.decider(yes=yes),
        origin=inv.origin,
        random_int=inv.random_int,
    )
    name = _name(request.role)
    done = f"set the {name} of {request.scope}: {planned.ids[0]}"
    plan = Plan(planned.change, done, f"Set this {name}?", person=True, yes=yes)
    plan.nothing = "it says so already"
    plan.data = {"role": request.role, "scope": request.scope}
    return inv.submit(plan)


def _find_waiting(inv: Invocation, text: str) -> Record:
    """Return the draft of a persona that an id names, or the newest that waits."""
    if text:
        record = inv.find(text)
        if record.kind is not Kind.PERSONA:
            raise UsageError(
                f"{record.id} is a {record.kind}, not a persona",
                hint=f"mvault approve {record.id}",
            )
        return record
    waiting = [r for r in inv.snapshot.records if r.kind is Kind.PERSONA and r.is_draft]
    if not waiting:
        raise NotFoundError("no persona waits for a person", hint="`mvault persona show`")
    return max(waiting, key=lambda record: (record.created, record.id))


@persona.command("approve", cls=PanelCommand)
def approve(ctx: typer.Context, record_id: Waiting = "", yes: flags.Yes = False) -> int:
    """Put a proposed persona, or profile, in force. Needs a person.

    Examples:
      mvault persona approve
      mvault persona approve a-7k3qd2m
    """
    from vault_cli.cli.admit import plan_approval

    inv: Invocation = ctx.obj
    return inv.submit(plan_approval(inv, (_find_waiting(inv, record_id),), yes=yes))


@persona.command("reject", cls=PanelCommand)
def reject(
    ctx: typer.Context,
    record_id: Waiting = "",
    reason: flags.Reason = "",
    yes: flags.Yes = False,
) -> int:
    """Turn a proposed persona down, with the reason. Needs a person.

    Examples:
      mvault persona reject a-7k3qd2m --reason "too chatty"
    """
    from vault_cli.cli.admit import plan_rejection
    from vault_cli.cli.deciding import reason_for

    inv: Invocation = ctx.obj
    record = _find_waiting(inv, record_id)
    why = reason_for(inv, record.id, "persona reject", reason)
    return inv.submit(plan_rejection(inv, record, reason=why, yes=yes))
