"""`task derive`: a task that nobody opened, out of a session's log. + everything below `cli`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated

import typer

from vault_cli.cli import flags
from vault_cli.cli.invocation import Invocation, Plan
from vault_cli.cli.output import Line, View, inline
from vault_cli.cli.task_notes import (
    end_hint,
    find_scope,
    is_person,
    read_logs,
    seen_by,
    settle,
    strange_hints,
)
from vault_cli.cli.views import cut, plural
from vault_cli.errors import NotFoundError, UsageError, VaultError
from vault_cli.store.places import expand_home

if TYPE_CHECKING:
    from vault_cli.features.deriving import Turn
    from vault_cli.model.transcript import Session

_PROMPT = 70


def derive(
    ctx: typer.Context,
    log: Annotated[str, typer.Argument(metavar="LOG", help="Session log of an agent program.")],
    turns: Annotated[
        str, typer.Option("--turns", metavar="N|N-M", help="Which turns; default: all of them.")
    ] = "",
    goal: Annotated[
        str, typer.Option("--goal", help="What was to be done; without it the turns are listed.")
    ] = "",
    expected: Annotated[str, typer.Option("--expected", "-e", help="What was to come of it.")] = "",
    status: Annotated[
        str, typer.Option("--status", "-s", help="succeeded, failed, abandoned or aborted.")
    ] = "",
    result: Annotated[str, typer.Option("--result", help="How it came out, in words.")] = "",
    cited: Annotated[
        list[str] | None, typer.Option("--cited", "-c", help="Id of a record that was used.")
    ] = None,
    yes: flags.Yes = False,
) -> int:
    """Make a task of turns that nobody opened one for, from the log of their session.

    Without --goal the turns are listed and nothing is written. No word of the log goes into the
    vault: the goal and the result are yours, the log gives times, the range and its session. What
    had been shown is what was noted at the time.

    Examples:
      mvault task derive ~/.claude/projects/-home-me-app/7f3a.jsonl
      mvault task derive 7f3a.jsonl --turns 2-5 --goal "修好登录测试" --status failed
    """
    from vault_cli.features.deriving import choose_turns

    inv: Invocation = ctx.obj
    session, found = _read(inv, log)
    if not found:
        raise NotFoundError(f"{log}: no turn of a person stands in it")
    chosen = choose_turns(found, turns) if turns else found
    if not goal.strip():
        if status or result or cited:
            raise UsageError("a task needs a goal", hint='Add: --goal "what was to be done"')
        return inv.out.show(_turns_view(session, chosen))
    return _write(inv, session, chosen, (goal, expected), (status, result, cited or []), yes=yes)


def _read(inv: Invocation, name: str) -> tuple[Session, list[Turn]]:
    """Return the session of a log and its turns.

    Raises:
        UsageError: it cannot be read, is none, or is of an agent that another agent started.
    """
    from vault_cli.features.deriving import split_turns
    from vault_cli.hosts.transcripts.reading import Log, LogError

    log = Log(inv.cwd / expand_home(name))
    try:
        found = split_turns(log.events())
    except (LogError, OSError) as error:
        raise UsageError(
            f"{name}: {error}", hint="`mvault capture sessions` says what it finds."
        ) from error
    if log.session.is_subagent:
        raise UsageError(
            f"{name}: another agent started this session; its tasks are that one's",
            hint="Derive the task from the log of the session that a person talked to.",
        )
    if not log.session.id:
        raise UsageError(f"{name}: the log does not name its session")
    return log.session, found


def _turns_view(session: Session, turns: Sequence[Turn]) -> View:
    data = {
        "session": session.id,
        "host": session.host,
        "turns": [turn._asdict() for turn in turns],
    }

    def lines() -> Iterator[Line]:
        for turn in turns:
            failed = f", {turn.failed} failed" if turn.failed else ""
            said = cut(inline(turn.prompt.partition("\n")[0]), _PROMPT)
            work = f"{plural(turn.calls, 'call')}{failed}"
            yield [f"{turn.number:>3}  ", ("dim", f"{turn.began[:16]:<16}  {work:<20}  "), said]

    hints = ['Make a task of some: mvault task derive LOG --turns N-M --goal "…"']
    return View(data, lines, hints=hints, listed=True)


def _write(
    inv: Invocation,
    session: Session,
    turns: Sequence[Turn],
    words: tuple[str, str],
    how: tuple[str, str, Sequence[str]],
    *,
    yes: bool,
) -> int:
    from vault_cli.features.deriving import Derived, find_derived, plan_derived
    from vault_cli.features.task_outcomes import merge_levels
    from vault_cli.features.tasks import TaskEnd, TaskStart, all_tasks, plan_start, require_end

    logs = read_logs(inv)
    snapshot = inv.whole_snapshot()
    start, end = turns[0].start, turns[-1].end
    began, ended = _instant(turns[0].began), _instant(turns[-1].ended)
    seen = seen_by(logs, session.id)
    before = seen.ids(until=began) if began else set()
    during = seen.ids(began, ended) - before if began and ended else set()
    shown = merge_levels(((key, "named") for key in sorted(before)), seen.receipts(began))
    by_person = is_person(inv, yes=yes)
    named = [inv.known_id(text) for text in how[2]]
    used = [key for key in dict.fromkeys(named) if by_person or key in before | during]
    used += sorted((seen.cited(began, ended) & (before | during)) - {*used}) if began else []
    request = TaskEnd(
        how[0],
        how[1].strip(),
        tuple(used),
        tuple(sorted(during)),
        "person" if by_person else "agent",
    )
    if how[0]:
        require_end(request)
    elif how[1] or how[2]:
        raise UsageError("--result and --cited belong to an end", hint="Add: --status succeeded")
    found = Derived(
        session.id, start, end, began, ended, _commit_at(inv, began), request if how[0] else None
    )
    same = find_derived(all_tasks(snapshot), session.id, start, end)
    if same is not None:
        note = f"nothing to do: {same.id} is of these turns"
        return inv.out.show(
            View({"task": same.id, "changed": False}, lambda: [same.id], notes=(note,))
        )
    planned = plan_start(
        snapshot,
        TaskStart(words[0], words[1], find_scope(inv, ""), session=session.id),
        now=inv.now,
        actor=inv.actor,
        origin=inv.origin,
        random_int=inv.random_int,
    )
    planned = plan_derived(planned, found, shown, inv.now)
    own = planned.ids[0]
    many = plural(len(turns), "turn")
    plan = Plan(planned.change, f"derived {own} from {many} of {session.id}", yes=yes)
    plan.nothing = f"{own} is open with this goal already"
    plan.data = {"task": own, "session": session.id, "start": start, "end": end}
    strange = [key for key in named if key not in used]
    plan.hints = list(strange_hints(inv, strange, session.id))
    if not how[0]:
        plan.hints.append(end_hint(own))
    code = inv.submit(plan)
    settle(inv, logs)
    return code


def _instant(text: str) -> str:
    """Return an instant of a log as observations write it, "" for one that cannot be read."""
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return ""
    moment = moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")


def _commit_at(inv: Invocation, began: str) -> str:
    """Return the commit of the vault at an instant, "" when git does not tell."""
    try:
        return inv.vault.resolve(began) if began else ""
    except VaultError:
        return ""
