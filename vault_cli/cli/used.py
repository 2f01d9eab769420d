"""`used`: a recipe was used, and how it went. May import everything below `cli`."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any

import typer

from vault_cli.cli import flags
from vault_cli.cli.complete import complete_in_force
from vault_cli.cli.guarding import require_admitted
from vault_cli.cli.invocation import Invocation
from vault_cli.cli.once import in_turn
from vault_cli.cli.usage import plan_seen, read_log, report_seen, witness
from vault_cli.errors import UsageError
from vault_cli.model.record import Kind

if TYPE_CHECKING:
    from vault_cli.cli.usage import Follow
    from vault_cli.features.usage import MarkRequest
    from vault_cli.model.observation import Observation
    from vault_cli.model.record import Record

UsedIds = Annotated[list[str], flags.some_ids(complete_in_force, "ID...")]


def used(
    ctx: typer.Context,
    ids: UsedIds,
    ok: Annotated[bool, typer.Option("--ok", help="It led to what it promises.")] = False,
    fail: Annotated[bool, typer.Option("--fail", help="It was followed and did not.")] = False,
    session: flags.SessionId = "",
    note: Annotated[str, typer.Option("--note", help="A few words; kept in the vault.")] = "",
    undo: Annotated[
        bool,
        typer.Option(
            "--undo", help="Take the newest note of this machine back; of --ok or --fail if said."
        ),
    ] = False,
    yes: flags.Yes = False,
) -> int:
    """Note that a recipe or a skill was used, and how it went.

    --ok counts as a use and a success, --fail as a failure: `graduate --list` ranks by them. A
    recipe that becomes mature by it is proposed as a skill at once. An agent says in which session
    it used what it was shown there; it counts once for each.

    Examples:
      mvault used c-4s8x1ya --ok
      mvault used k-7k3qd2m --fail --note "第三步已过时"
      mvault used c-4s8x1ya --ok --session 7f3a
      mvault used c-4s8x1ya --undo
    """
    from vault_cli.cli.since import session_of

    inv: Invocation = ctx.obj
    if (ok and fail) or not (ok or fail or undo):
        raise UsageError("how did it go?", hint="Add one of --ok and --fail.")
    who = witness(inv, yes=yes)
    request = _request(who, session_of(inv, session), note.strip(), ok=ok)
    records = inv.find_all(ids)
    if undo:
        seen = [
            line
            for record in records
            for line in _take_back(inv, record, request, is_said=ok or fail)
        ]
    else:
        require_admitted(inv.vault, "used", *records, only_id=True)
        seen = plan_seen(inv, records, request, undo=False)
    follow = None if undo or fail else _proposer(inv, records)
    return report_seen(inv, records, seen, request, settle=False, verb="used", follow=follow)


def _take_back(
    inv: Invocation, record: Record, request: MarkRequest, *, is_said: bool
) -> list[Observation]:
    """Return what takes back a use of a record: of the result that is said, else the newest."""
    from vault_cli.features.usage import newest_result
    from vault_cli.model.observation import RESULTS
    from vault_cli.store.own_usage import machine_id

    if not is_said:
        pool, machine = read_log(inv).pool, machine_id(inv.root)
        result = newest_result(record.id, replace(request, result=""), pool, machine)
        request = _request(request.who, request.session, request.note, ok=result == RESULTS[0])
    return plan_seen(inv, (record,), request, undo=True)


def _request(who: str, session: str, note: str, *, ok: bool) -> MarkRequest:
    from vault_cli.features.usage import MarkRequest
    from vault_cli.model.observation import AGENT, CITATION, HIT, OUTCOME, RESULTS

    kinds = (*((CITATION,) if who == AGENT else ()), *((HIT,) if ok else ()), OUTCOME)
    return MarkRequest(kinds, who, session, note=note, result=RESULTS[0 if ok else 1])


def _proposer(inv: Invocation, records: tuple[Record, ...]) -> Follow | None:
    """Return what proposes those of some recipes that the use has made mature."""
    recipes = [record.id for record in records if record.kind is Kind.RECIPE]
    if not recipes or inv.reading.config["graduation.propose"] != "draft":
        return None
    return lambda: _propose(inv, recipes)


def _propose(inv: Invocation, recipes: list[str]) -> tuple[dict[str, Any], list[str]]:
    from vault_cli.cli.graduating import plan_due

    with in_turn(inv):
        planned = plan_due(inv, recipes)
        if planned.change.is_empty:
            return {"proposed": []}, [note.message for note in planned.notes]
        inv.vault.apply(planned.change)
    inv.forget_snapshot()
    told = [f"mature: proposed as a skill; a person decides: mvault approve {planned.ids[0]}"]
    return {"proposed": list(planned.ids)}, told
