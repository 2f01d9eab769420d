"""`handoff`: where the last session stopped. May import everything below `cli`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated

import typer

from vault_cli.cli import flags
from vault_cli.cli.invocation import Invocation, Plan
from vault_cli.cli.output import Line, View, inline
from vault_cli.cli.preview import answer_data
from vault_cli.cli.task_notes import find_scope
from vault_cli.errors import UsageError

if TYPE_CHECKING:
    from vault_cli.features.handoff import Standing


def handoff(
    ctx: typer.Context,
    text: Annotated[
        str, typer.Argument(metavar="[TEXT]", help="What the next session needs; `-` reads stdin.")
    ] = "",
    scope: flags.OneScope = "",
    clear: Annotated[
        bool, typer.Option("--clear", help="Take the hand-over out of the block.")
    ] = False,
    yes: flags.Yes = False,
) -> int:
    """Leave word for the next session of this project, in place of the last; without TEXT show it.

    It stands first in the block. A person's is in force at once; an agent's waits for a person
    (mvault review), and its next one takes its place. At most handoff.max_characters characters.

    Examples:
      mvault handoff "Import is resumable; next: the test of the torn last line."
      mvault handoff "导入已可续传；下一步：补上断行的测试"
      git log -5 --oneline | mvault handoff -
    """
    inv: Invocation = ctx.obj
    whose = find_scope(inv, scope)
    if clear:
        if text:
            raise UsageError("--clear goes without TEXT", hint="A new hand-over replaces the last.")
        return _clear(inv, whose, yes=yes)
    if text:
        return _leave(inv, whose, text, yes=yes)
    return _show(inv, whose)


def _show(inv: Invocation, scope: str) -> int:
    from vault_cli.features.handoff import find_handoff, handoff_data

    snapshot = inv.reading.snapshot(whole=True, guarded=True)
    found = find_handoff(snapshot, scope)
    data = {
        "scope": scope,
        "handoff": handoff_data(found.current),
        "waiting": handoff_data(found.waiting),
    }
    notes = [] if found.current else [f"no hand-over of {scope} is in force"]
    hints = []
    if found.waiting is not None:
        hints = [f"One waits for a person: mvault approve {found.waiting.id}"]
    return inv.out.show(View(data, lambda: _lines(found), notes=notes, hints=hints, listed=True))


def _lines(found: Standing) -> Iterator[Line]:
    from vault_cli.features.handoff import text_of

    record = found.current
    if record is None:
        return
    kept = f"  ({record.withheld})" if record.withheld else ""
    yield [("dim", f"{inline(record.id)}  {inline(record.created[:16])}{kept}")]
    yield from text_of(record).split("\n")


def _leave(inv: Invocation, scope: str, text: str, *, yes: bool) -> int:
    from vault_cli.cli.additions import approve_hint, submit_new
    from vault_cli.cli.guarding import require_settled
    from vault_cli.cli.intake import read_stdin
    from vault_cli.cli.shown import shown_of
    from vault_cli.features.handoff import HandoffRequest, find_handoff, plan_handoff, replaced

    agreed = inv.consent(yes=yes).how
    actor = inv.decider(yes=yes) if agreed else inv.actor
    snapshot = shown_of(inv)  # a text that waits is not what is replaced
    found = find_handoff(snapshot, scope)
    old = replaced(found, actor)
    require_settled("handoff", old)
    planned = plan_handoff(
        snapshot,
        HandoffRequest(
            read_stdin() if text == "-" else text,
            scope,
            int(inv.reading.config["handoff.max_characters"]),
        ),
        inv.read(old.path) if old is not None else b"",
        now=inv.now,
        actor=actor,
        origin=inv.origin,
        random_int=inv.random_int,
        gates=inv.vault.config.gates,
    )
    own = planned.ids[0]
    drafted = not agreed
    done = f"left {'a draft of a ' if drafted else 'the '}hand-over of {scope}: {own}"
    plan = Plan(planned.change, done, "Leave this hand-over?", yes=yes, findings=planned.notes)
    plan.person = not drafted
    plan.nothing = "it says so already"
    plan.data = {"scope": scope, "waits": drafted}
    if drafted:
        plan.hints = [approve_hint(planned)]
    elif found.waiting is not None:
        plan.hints = [f"An agent's still waits: mvault show {found.waiting.id}"]
    return submit_new(inv, planned, plan)


def _clear(inv: Invocation, scope: str, *, yes: bool) -> int:
    from vault_cli.cli.guarding import require_settled
    from vault_cli.cli.shown import shown_of
    from vault_cli.features.handoff import find_handoff
    from vault_cli.features.records import plan_deprecate

    found = find_handoff(shown_of(inv), scope).current
    require_settled("handoff", found)
    if found is None:
        data = {**answer_data("deprecate", "deprecate"), "scope": scope}
        note = f"nothing to do: no hand-over of {scope} is in force"
        return inv.out.show(View(data, notes=(note,)))
    change = plan_deprecate(
        found,
        inv.read(found.path),
        reason="the hand-over was taken up",
        now=inv.now,
        actor=inv.decider(yes=yes),
        origin=inv.origin,
    )
    plan = Plan(change, f"took {found.id} out of the block", "Take it out?", person=True, yes=yes)
    return inv.submit(plan)
