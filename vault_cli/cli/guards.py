"""`guard list|show|add|compile|off|on`: what stops a tool call. May import everything below `cli`.

`guard test`, `failures` and `propose` stand in `cli.guard_trials`.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated, Any

import typer

from vault_cli.cli import flags, guard_trials
from vault_cli.cli.app import PanelCommand
from vault_cli.cli.complete import complete_id
from vault_cli.cli.guard_views import (
    find_standing,
    guard_card,
    guard_data,
    guard_rows,
    hits_here,
)
from vault_cli.cli.invocation import Invocation, Plan
from vault_cli.cli.output import View
from vault_cli.cli.views import plural
from vault_cli.errors import NeedsPersonError, RefusedError, UsageError

if TYPE_CHECKING:
    from vault_cli.model.record import Record

guard = typer.Typer(
    add_completion=False,
    rich_markup_mode=None,
    no_args_is_help=False,
    help="Stop tool calls that failed before.\n\nExample: mvault guard list",
)

Ids = Annotated[str, flags.one_id(complete_id)]
Match = Annotated[
    str, typer.Option("--match", "-m", help="Words in order, or `re:` and a pattern.")
]
Tools = Annotated[
    list[str] | None,
    typer.Option("--tool", help="shell, edit, write, mcp:<server>/* (repeatable)."),
]
FieldName = Annotated[
    str, typer.Option("--field", help="Of the tool's input; by default its main one.")
]
Action = Annotated[str, typer.Option("--action", help="warn or deny (a person).")]
Instead = Annotated[str, typer.Option("--instead", help="What to do; said with the reason.")]
Cooldown = Annotated[
    str, typer.Option("--cooldown", help="A stopped call passes when made again: 90s, 10m, 2h.")
]
Hits = Annotated[list[str] | None, typer.Option("--hit", help="An example it hits (repeatable).")]
Misses = Annotated[
    list[str] | None, typer.Option("--miss", help="An example it must not hit (repeatable).")
]


@guard.callback()
def guard_group() -> None:
    """Stop tool calls that failed before: a warning once a session, or a denial by a person.

    Examples:
      mvault guard list
      mvault guard add --title "npx goes to the network" --match "npx tsc" --instead "make check"
      mvault guard test x-7k3qd2m
    """


@guard.command("list", cls=PanelCommand)
def list_guards(ctx: typer.Context) -> int:
    """List the guards that stand here: what they do, what they match, how often they were hit.

    A guard is in force when its record is: admitted, valid, of this scope. One of a disputed record
    only logs; one that hits nearly everything is refused.

    Examples:
      mvault guard list
    """
    from vault_cli.cli.guard_compile import judge_here
    from vault_cli.cli.sightings import fold_quietly

    inv: Invocation = ctx.obj
    fold_quietly(inv)
    standings = judge_here(inv, whole=True)
    hits = hits_here(inv)
    rows = [guard_data(inv, one, hits) for one in standings]
    notes = () if rows else ("no record has a guard",)
    view = View({"records": rows}, lambda: guard_rows(rows), notes=notes, listed=True)
    return inv.out.show(view)


@guard.command("show", cls=PanelCommand)
def show_guard(ctx: typer.Context, record_id: Ids) -> int:
    """Show one guard: what it matches, what it says, whether it is in force and why not.

    Examples:
      mvault guard show x-7k3qd2m
    """
    from vault_cli.cli.sightings import fold_quietly

    inv: Invocation = ctx.obj
    fold_quietly(inv)
    one = find_standing(inv, record_id)
    data = guard_data(inv, one, hits_here(inv))
    return inv.out.show(View(data, lambda: guard_card(data)))


@guard.command("add", cls=PanelCommand)
def add_guard(
    ctx: typer.Context,
    record_id: Annotated[
        str,
        typer.Argument(
            metavar="[ID]",
            help="The record that gets it; none: a new draft.",
            autocompletion=complete_id,
        ),
    ] = "",
    match: Match = "",
    tool: Tools = None,
    field: FieldName = "",
    action: Action = "",
    instead: Instead = "",
    cooldown: Cooldown = "",
    hit: Hits = None,
    miss: Misses = None,
    title: flags.Title = None,
    body: flags.Body = None,
    scope: flags.OneScope = "global",
    reason: flags.Reason = "",
    yes: flags.Yes = False,
) -> int:
    """Give a record a guard, or write a new draft of a failure with one.

    A draft's guard does nothing before a person approves the draft; a record in force needs a
    person. Its examples are tried first.

    Examples:
      mvault guard add x-7k3qd2m --match "npx tsc" --hit "npx tsc -p ." --miss "make check"
      mvault guard add --title "npx tsc needs a network" --match "npx tsc" --instead "make check"
    """
    from vault_cli.features.guards import guard_values

    inv: Invocation = ctx.obj
    if not match:
        raise UsageError(
            "a guard needs words to match", hint='For example: --match "npx tsc", or "re:npx +tsc"'
        )
    values = guard_values(
        match=match,
        tools=tool or (),
        field=field,
        action=action,
        instead=instead,
        cooldown=cooldown,
        hit=hit or (),
        miss=miss or (),
    )
    if record_id:
        if title or body:
            raise UsageError("--title and --body are for a new draft", hint="Leave ID out.")
        return _add_to(inv, inv.find(record_id), values, reason, yes=yes)
    return _add_new(inv, values, title or "", body, scope, reason)


def _add_to(
    inv: Invocation, record: Record, values: dict[str, Any], reason: str, *, yes: bool
) -> int:
    from vault_cli.cli.curate import actor_for
    from vault_cli.features.editing import plan_set
    from vault_cli.features.guards import KINDS

    if record.kind not in KINDS:
        raise RefusedError(
            f"{record.id} is a {record.kind}; a guard belongs to a failure, a lesson or a rule",
            hint="Write a new draft: mvault guard add --title TEXT --match WORDS",
        )
    change = plan_set(
        inv.snapshot,
        record,
        inv.read(record.path),
        {"guard": values},
        verb="guard",
        reason=reason,
        actor=actor_for(inv, record, yes=yes),
    )
    plan = Plan(
        change,
        f"{record.id} guards against: {values['match']}",
        f"Let {record.id} stop these calls?",
        yes=yes,
        hints=(f"Try it: mvault guard test {record.id}",),
        nothing=f"{record.id} has this guard already",
    )
    return inv.submit(plan)


def _add_new(
    inv: Invocation, values: dict[str, Any], title: str, body: str | None, scope: str, reason: str
) -> int:
    from types import MappingProxyType

    from vault_cli.cli.additions import submit_drafts
    from vault_cli.cli.intake import read_stdin
    from vault_cli.cli.rendering import scope_here
    from vault_cli.features.composing import DraftRequest
    from vault_cli.model.record import Kind

    if not title:
        raise UsageError("a new draft needs a title", hint="Give --title, or the ID of a record.")
    text = read_stdin() if body == "-" else body or ""
    sections = {"avoid": f"`{values['match']}`"}
    if "## " not in text:  # what happened is all that was said, and the title says it as well
        sections, text = {"problem": text or title, **sections}, ""
    if values.get("instead"):
        sections["instead"] = values["instead"]
    request = DraftRequest(
        kind=Kind.FAILURE,
        title=title,
        body=text,
        sections=MappingProxyType(sections),
        scope=scope_here(inv, scope),
        extra=MappingProxyType({"guard": values}),
        reason=reason,
    )
    return submit_drafts(inv, [request])


@guard.command("compile", cls=PanelCommand)
def compile_guards(ctx: typer.Context) -> int:
    """Compile the guards that stand here for the hooks. Changes do it by themselves.

    Examples:
      mvault guard compile
    """
    from vault_cli.cli.guard_compile import compile_around
    from vault_cli.store.guard_index import index_path

    inv: Invocation = ctx.obj
    done = compile_around(inv) if not inv.options.dry_run else []
    if not done:
        from vault_cli.cli.guard_compile import judge_here

        acting = [one for one in judge_here(inv) if one.acts]
        note = f"dry run, nothing written: {plural(len(acting), 'guard')}"
        return inv.out.show(View({"guards": len(acting), "dry_run": True}, notes=(note,)))
    number = len(done[0].section.rules)
    places = [key.rpartition("\0")[2] for item in done for key in item.keys]
    data = {
        "guards": number,
        "places": list(dict.fromkeys(places)),
        "file": str(index_path()),
        "refused": [
            {"id": one.record.id, "why": one.why} for one in done[0].standings if not one.guard
        ],
    }
    notes = (f"{plural(number, 'guard')} compiled",)
    return inv.out.show(View(data, notes=notes))


@guard.command("off", cls=PanelCommand)
def switch_off(
    ctx: typer.Context,
    record_id: Ids,
    lasts: Annotated[str, typer.Option("--for", help="How long: 30m, 1h, 1d.")] = "1h",
    yes: flags.Yes = False,
) -> int:
    """Let a guard stop nothing for a while, on this machine. Needs a person.

    Examples:
      mvault guard off x-7k3qd2m --for 1h
    """
    from vault_cli.text.guards import read_duration
    from vault_cli.text.values import BadValueError

    inv: Invocation = ctx.obj
    try:
        seconds = read_duration(lasts, 3600)
    except BadValueError as error:
        raise UsageError(f"--for: {error.message}", hint=error.hint) from error
    return _switch(inv, record_id, inv.now.timestamp() + seconds, yes=yes)


@guard.command("on", cls=PanelCommand)
def switch_on(ctx: typer.Context, record_id: Ids, yes: flags.Yes = False) -> int:
    """Let a guard that was switched off count again. Needs a person.

    Examples:
      mvault guard on x-7k3qd2m
    """
    return _switch(ctx.obj, record_id, 0, yes=yes)


def _switch(inv: Invocation, record_id: str, until: float, *, yes: bool) -> int:
    """Switch a guard off until then, or on again (0)."""
    from vault_cli.cli.guard_compile import vault_of
    from vault_cli.store import guard_index

    one = find_standing(inv, record_id)
    own, root = one.record.id, str(vault_of(inv, one.record).root)
    end = datetime.fromtimestamp(until, UTC).isoformat(timespec="seconds") if until else ""
    what = f"{own} stops nothing until {end}" if until else f"{own} counts again"
    data = {"id": own, "off_until": end, "changed": False}
    if inv.options.dry_run:
        return inv.out.show(View({**data, "dry_run": True}, notes=(f"dry run: {what}",)))
    consent = inv.consent(yes=yes)
    if not consent.how:
        inv.out.partial = data
        raise NeedsPersonError(
            f"a person decides whether the guard of {own} counts",
            hint="Run the same command in a terminal.",
        )
    if consent.ask and not inv.confirm(f"{what}. Do it?"):
        return inv.left(data)
    guard_index.switch_off(root, own, until, inv.now.timestamp())
    return inv.out.show(View({**data, "changed": True}, notes=(what,)))


guard_trials.register(guard)
