"""`task start|checkpoint|end|list|show|derive`. May import everything below `cli`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from vault_cli.cli import flags
from vault_cli.cli.app import PanelCommand
from vault_cli.cli.complete import complete_task
from vault_cli.cli.invocation import Invocation, Plan
from vault_cli.cli.output import View
from vault_cli.cli.task_derive import derive
from vault_cli.cli.task_notes import (
    Log,
    end_hint,
    find_scope,
    is_person,
    read_logs,
    seen_by,
    settle,
    strange_hints,
)
from vault_cli.cli.task_views import shown_words, task_line, whole_lines
from vault_cli.errors import NotFoundError, RefusedError, UsageError
from vault_cli.model.record import Kind

if TYPE_CHECKING:
    from vault_cli.features.tasks import Shown, Task
    from vault_cli.model.record import Record
    from vault_cli.store.receipts import KeptRender

task = typer.Typer(
    add_completion=False,
    rich_markup_mode=None,
    no_args_is_help=False,
    help="Begin and end tasks: what was to be done, what was known, how it came out.\n\n"
    "Example: mvault task list",
)

TaskId = Annotated[
    str, typer.Argument(metavar="TASK", help="Id of a task.", autocompletion=complete_task)
]
MaybeTask = Annotated[
    str,
    typer.Argument(
        metavar="[TASK]", help="Id of a task; none: the open one.", autocompletion=complete_task
    ),
]
Expected = Annotated[str, typer.Option("--expected", "-e", help="What is to come of it.")]
Result = Annotated[str, typer.Option("--result", help="How it came out, in words.")]
Cited = Annotated[
    list[str] | None, typer.Option("--cited", "-c", help="Id of a record that was used.")
]
EndState = Annotated[
    str, typer.Option("--status", "-s", help="succeeded, failed, abandoned or aborted.")
]


@task.callback()
def task_group() -> None:
    """Begin and end tasks: what was to be done, what was known, how it came out.

    A task is a file in tasks/. What its agent had been shown when it began stands in it, with the
    commit of the vault, and is never worked out again.

    Examples:
      mvault task start "Make the import resumable" --expected "a killed run goes on"
      mvault task end t-7k3qd2m --status succeeded --cited l-2p0x9aa
    """


@task.command("start", cls=PanelCommand)
def start(
    ctx: typer.Context,
    goal: Annotated[str, typer.Argument(metavar="GOAL", help="What is to be done.")],
    expected: Expected = "",
    session: flags.SessionId = "",
    topic: flags.SomeTopics = None,
    scope: flags.OneScope = "",
    ticket: Annotated[
        str, typer.Option("--ticket", help="Id of the ticket it serves; it goes to doing.")
    ] = "",
) -> int:
    """Begin a task: its goal, what is expected, and what had been shown to the session.

    Anybody may. The same goal, still open in the same session, is not begun twice.

    Examples:
      mvault task start "Make the import resumable" --expected "a killed run goes on"
      mvault task start "修复导入的中断续传" --session 7f3a --ticket w-2p0x9aa
    """
    from vault_cli.cli.since import note_shown
    from vault_cli.features.tasks import TaskStart, plan_start
    from vault_cli.store.receipts import peek_head

    inv: Invocation = ctx.obj
    logs, session = read_logs(inv), _session(inv, session)
    settle(inv, logs)
    shown, filed = _shown(inv, logs, session)
    request = TaskStart(
        goal,
        expected,
        scope=find_scope(inv, scope),
        topics=tuple(topic or ()),
        session=session,
        commit=peek_head(inv.root),
        shown=shown,
        ticket=_ticket(inv, ticket),
    )
    planned = plan_start(
        inv.whole_snapshot(),
        request,
        now=inv.now,
        actor=inv.actor,
        origin=inv.origin,
        random_int=inv.random_int,
    )
    own, change = planned.ids[0], planned.change
    if ticket and change.edits:
        from vault_cli.cli.tickets import take_along

        change = take_along(inv, change, request.ticket)
    plan = Plan(change, f"began {own}; {shown_words(shown)}", findings=planned.notes)
    plan.nothing = f"{own} is open with this goal already"
    plan.lines = (own,)
    plan.hints = [end_hint(own)]
    plan.data = {"task": own, "shown": shown.as_data()}
    code = inv.submit(plan)
    if filed is not None and change.edits and not inv.options.dry_run:
        note_shown(inv, [(item.id, item.vault) for item in filed.entries], filed.id, session)
    _note_open(inv, session)
    return code


def _session(inv: Invocation, given: str) -> str:
    from vault_cli.cli.since import session_of
    from vault_cli.model.observation import MAX_SESSION

    session = session_of(inv, given)
    if len(session) > MAX_SESSION or not session.isprintable():
        raise UsageError(f"--session is longer than {MAX_SESSION} characters, or cannot be printed")
    return session


def _ticket(inv: Invocation, given: str) -> str:
    if not given:
        return ""
    found = inv.find(given)
    if found.kind is not Kind.TICKET:
        raise UsageError(f"--ticket {given}: {found.id} is a {found.kind}")
    return found.id


def _shown(inv: Invocation, logs: Sequence[Log], session: str) -> tuple[Shown, KeptRender | None]:
    from vault_cli.cli.task_environment import find_shown
    from vault_cli.store.own_usage import stamp_time

    return find_shown(inv, session, seen_by(logs, session), stamp_time(inv.now))


def _note_open(inv: Invocation, session: str) -> None:
    """Let the hook know how many tasks a session has open: it asks no vault."""
    if session and not inv.options.dry_run:
        from vault_cli.cli.shown import work_of
        from vault_cli.cli.task_environment import note_open
        from vault_cli.features.tasks import open_tasks

        inv.forget_snapshot()
        note_open(session, [found.id for found in open_tasks(work_of(inv), session)])


@task.command("checkpoint", cls=PanelCommand)
def checkpoint(
    ctx: typer.Context,
    task_id: TaskId,
    text: Annotated[str, typer.Argument(metavar="TEXT", help="How far it is.")],
) -> int:
    """Note how far an open task is; what would be lost if the session broke off now.

    Examples:
      mvault task checkpoint t-7k3qd2m "The reader is done; the writer still loses the last line."
    """
    from vault_cli.features.tasks import plan_checkpoint

    inv: Invocation = ctx.obj
    found = _find(inv, task_id)
    change = plan_checkpoint(
        found,
        inv.read(found.record.path),
        text,
        now=inv.now,
        actor=inv.actor,
        origin=inv.origin,
    )
    plan = Plan(change, f"noted in {found.id}", data={"task": found.id})
    plan.nothing = "these words stand there already"
    return inv.submit(plan)


def _find(inv: Invocation, text: str) -> Task:
    return _read(inv.find(text))


def _read(record: Record) -> Task:
    from vault_cli.features.tasks import read_task

    if record.kind is not Kind.TASK:
        raise UsageError(
            f"{record.id} is a {record.kind}, not a task", hint="`mvault task list` lists them."
        )
    return read_task(record)


def _only_open(inv: Invocation, session: str) -> Task:
    """Return the one open task there is, of the session if it has one.

    Raises:
        NotFoundError: none is open. RefusedError: several are.
    """
    from vault_cli.cli.shown import work_of
    from vault_cli.features.tasks import open_tasks

    every = open_tasks(work_of(inv))
    own = [found for found in every if session and found.session == session]
    found = own or every
    if not found:
        raise NotFoundError("no task is open", hint='Begin one: mvault task start "goal"')
    if len(found) > 1:
        named = ", ".join(item.id for item in found[:5])
        raise RefusedError(f"{len(found)} tasks are open: {named}", hint="Name the one that ends.")
    inv.find(found[0].id)
    return found[0]


@task.command("end", cls=PanelCommand)
def end(
    ctx: typer.Context,
    task_id: MaybeTask = "",
    status: EndState = "",
    result: Result = "",
    cited: Cited = None,
    session: flags.SessionId = "",
    yes: flags.Yes = False,
) -> int:
    """End a task: how it came out, and which records were used in it.

    What a session was shown and used (--cited, or `mark --cited` since the start) gets the outcome
    noted, once: succeeded or failed. A task that was abandoned or aborted says nothing of them.

    Examples:
      mvault task end t-7k3qd2m --status succeeded --result "Resumes." --cited l-2p0x9aa
      mvault task end --status abandoned --result "需求取消了"
    """
    from vault_cli.cli.usage import require_clock
    from vault_cli.features.task_outcomes import split_cited
    from vault_cli.features.tasks import TaskEnd, plan_end
    from vault_cli.model.observation import AGENT
    from vault_cli.store.own_usage import stamp_time

    inv: Invocation = ctx.obj
    found = _find(inv, task_id) if task_id else _only_open(inv, _session(inv, session))
    logs = read_logs(inv)
    by_person = is_person(inv, yes=yes)
    if not by_person:
        require_clock(inv, (item for one in logs for item in one.log.pool), AGENT)
    named = [inv.known_id(text) for text in cited or ()]
    used, strange, later = split_cited(
        found, named, seen_by(logs, found.session), stamp_time(inv.now), by_person=by_person
    )
    request = TaskEnd(status, result, used, later, "person" if by_person else "agent")
    change = plan_end(
        found,
        inv.read(found.record.path),
        request,
        now=inv.now,
        actor=inv.actor,
        origin=inv.origin,
    )
    plan = Plan(change, f"{found.id} {status}")
    plan.nothing = f"{found.id} ended so already: {status}"
    plan.hints = [*strange_hints(inv, strange, found.session), *_after_hints(found, status)]
    plan.data = {"task": found.id, "cited": list(used), "not_shown": list(strange)}
    plan.yes = yes
    code = inv.submit(plan)
    if not inv.options.dry_run:
        inv.forget_snapshot()
        settle(inv, logs)
        _note_open(inv, found.session)
    return code


def _after_hints(found: Task, status: str) -> Iterator[str]:
    if found.ticket and status == "succeeded":
        yield f"It served a ticket: mvault ticket move {found.ticket} review"
    yield f"What it taught: mvault reflect prepare --task {found.id}"


@task.command("list", cls=PanelCommand)
def list_tasks(
    ctx: typer.Context,
    status: Annotated[
        list[str] | None, typer.Option("--status", "-s", help="Only these (repeatable).")
    ] = None,
    session: flags.SessionId = "",
    limit: flags.Limit = 20,
) -> int:
    """List tasks, those that are open first.

    Examples:
      mvault task list
      mvault task list --status failed --limit 0
    """
    from vault_cli.cli.shown import shown_of
    from vault_cli.features.tasks import all_tasks, task_data
    from vault_cli.model.schema import TASK_STATES

    inv: Invocation = ctx.obj
    for text in status or ():
        if text not in TASK_STATES:
            raise UsageError(f"--status {text}: unknown", hint=f"Use {', '.join(TASK_STATES)}.")
    snapshot = shown_of(inv)
    found = [
        item
        for item in all_tasks(snapshot)
        if (not status or item.state in status) and session in ("", item.session)
    ]
    found.sort(key=lambda item: not item.is_open)
    shown = found[:limit] if limit else found
    inv.warn_unreadable(snapshot)
    data = {"records": [task_data(item) for item in shown], "total": len(found)}
    notes = [] if found else ["no tasks"]
    if len(shown) < len(found):
        notes.append(f"{len(shown)} of {len(found)} (--limit 0 shows all)")
    return inv.out.show(View(data, lambda: map(task_line, shown), notes=notes, listed=True))


@task.command("show", cls=PanelCommand)
def show(ctx: typer.Context, task_id: TaskId) -> int:
    """Show a task: goal, result, checkpoints, and what had been shown when it began.

    Examples:
      mvault task show t-7k3qd2m
    """
    from vault_cli.cli.shown import find_shown
    from vault_cli.features.tasks import task_data

    inv: Invocation = ctx.obj
    found = _read(find_shown(inv, task_id))
    titles = {record.id: record.title for record in inv.reading.snapshot(guarded=True).records}
    data = {"task": task_data(found)}
    return inv.out.show(View(data, lambda: whole_lines(found, titles)))


task.command("derive", cls=PanelCommand)(derive)
