"""`ticket add|list|show|move|edit|due|drop`. May import everything below `cli`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any

import typer

from vault_cli.cli import flags
from vault_cli.cli.app import PanelCommand
from vault_cli.cli.complete import complete_id, complete_stage, complete_ticket
from vault_cli.cli.invocation import Invocation, Plan
from vault_cli.cli.output import View, inline
from vault_cli.cli.task_notes import find_scope, is_person
from vault_cli.cli.ticket_views import tickets_view, whole_lines
from vault_cli.errors import NotFoundError, UsageError
from vault_cli.model.record import Kind, Status

if TYPE_CHECKING:
    from vault_cli.features.tickets import Ticket
    from vault_cli.model.change import Change
    from vault_cli.model.record import Record

ticket = typer.Typer(
    add_completion=False,
    rich_markup_mode=None,
    no_args_is_help=False,
    help="Say what is to be done, what it waits for, and who moves next.\n\n"
    "Example: mvault ticket list",
)

TicketId = Annotated[
    str, typer.Argument(metavar="TICKET", help="Id of a ticket.", autocompletion=complete_ticket)
]
StageName = Annotated[
    str,
    typer.Argument(
        metavar="STAGE", help="draft, open, doing, review, done.", autocompletion=complete_stage
    ),
]
Deliverable = Annotated[
    str | None, typer.Option("--deliverable", help="What is to be there at the end.")
]
Background = Annotated[str | None, typer.Option("--background", help="Why, and what is known.")]
External = Annotated[
    str | None,
    typer.Option("--external", help="Where it stands elsewhere: an address; a link only."),
]
Depends = Annotated[
    list[str] | None,
    typer.Option("--depends", help="Id of what has to be done before.", autocompletion=complete_id),
]
Due = Annotated[str | None, typer.Option("--due", metavar="DAY", help="Last day; '' for none.")]
Stages = Annotated[list[str] | None, typer.Option("--stage", "-s", help="Only these (repeatable).")]


@ticket.callback()
def ticket_group() -> None:
    """Say what is to be done, what it waits for, and who moves next.

    A ticket is a file in tickets/. Its stages: draft (is it wanted?), open, doing, review (done,
    waiting for a look), done. Any jump is allowed.

    Examples:
      mvault ticket add "Resume the import" --due 2026-12-24 --depends w-2p0x9aa
      mvault ticket move w-7k3qd2m review
    """


@ticket.command("add", cls=PanelCommand)
def add(
    ctx: typer.Context,
    title: Annotated[str, typer.Argument(metavar="TITLE", help="What is to be done, in one line.")],
    deliverable: Deliverable = None,
    background: Background = None,
    depends: Depends = None,
    due: Due = None,
    external: External = None,
    topic: flags.SomeTopics = None,
    stage: Annotated[
        str,
        typer.Option("--stage", "-s", help="Where it begins; else open (a person's), or draft."),
    ] = "",
    scope: flags.OneScope = "",
) -> int:
    """Write a ticket. A person's is open, an agent's a draft, unless --stage says otherwise.

    Examples:
      mvault ticket add "Resume the import" --deliverable "a killed run goes on"
      mvault ticket add "修复登录测试" --due 2026-12-24 --topic ci
    """
    from vault_cli.features.tickets import plan_ticket

    inv: Invocation = ctx.obj
    request = _request(inv, title, deliverable, background, external, due, depends, (), topic)
    planned = plan_ticket(
        inv.whole_snapshot(),
        replace(request, stage=stage, scope=find_scope(inv, scope)),
        now=inv.now,
        actor=inv.actor,
        origin=inv.origin,
        random_int=inv.random_int,
    )
    own = planned.ids[0]
    plan = Plan(planned.change, f"added ticket {own}: {inline(title)}", data={"ticket": own})
    return inv.submit(plan)


def _request(
    inv: Invocation,
    title: str | None,
    deliverable: str | None,
    background: str | None,
    external: str | None,
    due: str | None,
    depends: Sequence[str] | None,
    independent: Sequence[str],
    topics: Sequence[str] | None,
) -> Any:
    from vault_cli.features.tickets import TicketRequest

    return TicketRequest(
        title=title,
        deliverable=deliverable,
        background=background,
        external=external,
        depends_on=tuple(inv.known_id(text) for text in depends or ()),
        independent_of=tuple(inv.known_id(text) for text in independent),
        due=due,
        topics=None if topics is None else tuple(text for text in topics if text),
    )


def _find(inv: Invocation, text: str) -> Ticket:
    return _read(inv.find(text))


def _read(record: Record) -> Ticket:
    from vault_cli.features.tickets import read_ticket

    if record.kind is not Kind.TICKET:
        raise UsageError(
            f"{record.id} is a {record.kind}, not a ticket",
            hint="`mvault ticket list` lists them.",
        )
    if record.status is Status.TOMBSTONED:
        raise NotFoundError(
            f"{record.id} was dropped",
            hint=f"`mvault log {record.id}` says when and why; mvault undo COMMIT brings it back.",
        )
    return read_ticket(record)


@ticket.command("edit", cls=PanelCommand)
def edit(
    ctx: typer.Context,
    ticket_id: TicketId,
    title: Annotated[str | None, typer.Option("--title", "-T", help="What is to be done.")] = None,
    deliverable: Deliverable = None,
    background: Background = None,
    depends: Depends = None,
    no_depends: Annotated[
        list[str] | None,
        typer.Option("--no-depends", help="Id it does not depend on (any more)."),
    ] = None,
    due: Due = None,
    external: External = None,
    topic: flags.SomeTopics = None,
) -> int:
    """Change what a ticket says; what is not named stays as it is.

    Examples:
      mvault ticket edit w-7k3qd2m --due 2026-12-31 --no-depends w-2p0x9aa
      mvault ticket edit w-7k3qd2m --external https://example.org/issues/7
    """
    from vault_cli.features.tickets import plan_change

    inv: Invocation = ctx.obj
    found = _find(inv, ticket_id)
    request = _request(
        inv, title, deliverable, background, external, due, depends, no_depends or (), topic
    )
    change = plan_change(
        inv.whole_snapshot(),
        found,
        inv.read(found.record.path),
        request,
        actor=inv.actor,
        origin=inv.origin,
    )
    return inv.submit(Plan(change, f"changed {found.id}", data={"ticket": found.id}))


@ticket.command("move", cls=PanelCommand)
def move(
    ctx: typer.Context, ticket_id: TicketId, stage: StageName, reason: flags.Reason = ""
) -> int:
    """Bring a ticket to a stage: draft, open, doing, review, done.

    It advances to doing, review or done only when all it depends on is done; what is missing is
    named (exit 4). Leaving done needs --reason. Being done says what it unblocks.

    Examples:
      mvault ticket move w-7k3qd2m doing
      mvault ticket move w-7k3qd2m doing --reason "又出现了"
    """
    from vault_cli.features.tickets import DONE, NEXT_MOVE, Board, plan_move

    inv: Invocation = ctx.obj
    found = _find(inv, ticket_id)
    board = Board(inv.whole_snapshot())
    change = plan_move(
        inv.snapshot,
        found,
        inv.read(found.record.path),
        stage,
        reason=reason,
        actor=inv.actor,
        origin=inv.origin,
    )
    freed = board.unblocked_by(found.id) if stage == DONE and found.stage != DONE else []
    stopped = board.waiting_for(found.id) if found.stage == DONE and stage != DONE else []
    plan = Plan(change, f"{found.id} is {stage} (next: {NEXT_MOVE[stage]})")
    plan.nothing = f"{found.id} is {stage} already"
    plan.data = {
        "ticket": found.id,
        "stage": stage,
        "unblocked": [item.id for item in freed],
        "blocked": [item.id for item in stopped],
    }
    if change.edits:
        plan.hints = [
            *(f"Unblocked: {item.id} {inline(item.title)}" for item in freed),
            *(f"Waits again: {item.id} {inline(item.title)}" for item in stopped),
        ]
    return inv.submit(plan)


def take_along(inv: Invocation, change: Change, ticket_id: str) -> Change:
    """Return the change that begins a task and brings the ticket it serves to doing, in one.

    Raises:
        RefusedError: what the ticket depends on is not done.
    """
    from vault_cli.features.tickets import DOING, plan_move, read_ticket

    found = read_ticket(inv.snapshot.by_id[ticket_id])
    moved = plan_move(
        inv.snapshot,
        found,
        inv.read(found.record.path),
        DOING,
        reason=f"taken: {change.ids[0]}",
        actor=inv.actor,
        origin=inv.origin,
    )
    edits = (*change.edits, *moved.edits)
    return replace(change, edits=edits, touched=(ticket_id,) if moved.edits else ())


@ticket.command("list", cls=PanelCommand)
def list_tickets(
    ctx: typer.Context,
    stage: Stages = None,
    topic: flags.Topics = None,
    every: Annotated[bool, typer.Option("--all", help="Also what is done.")] = False,
    limit: flags.Limit = 50,
) -> int:
    """List tickets by stage: where each is stuck, and who moves next.

    Examples:
      mvault ticket list
      mvault ticket list --stage review --topic ci
    """
    from vault_cli.cli.shown import shown_of
    from vault_cli.features.tickets import DONE, Board
    from vault_cli.model.schema import TICKET_STAGES
    from vault_cli.recall.topics import TopicTable

    inv: Invocation = ctx.obj
    for text in stage or ():
        if text not in TICKET_STAGES:
            raise UsageError(f"--stage {text}: unknown", hint=f"Use {', '.join(TICKET_STAGES)}.")
    snapshot = shown_of(inv)
    board, table = Board(snapshot), TopicTable(snapshot.records if topic else ())
    found = [
        item
        for item in board.tickets
        if (item.stage in stage if stage else every or item.stage != DONE)
        and (not topic or any(table.has(item.record, text) for text in topic))
    ]
    inv.warn_unreadable(snapshot)
    return inv.out.show(tickets_view(inv, board, found, limit, "no tickets"))


@ticket.command("due", cls=PanelCommand)
def due(
    ctx: typer.Context,
    within: Annotated[
        int, typer.Option("--within", metavar="DAYS", min=0, help="How many days ahead.")
    ] = 7,
    limit: flags.Limit = 50,
) -> int:
    """List what is due, the oldest day first: overdue, today, and some days ahead.

    Days are those of the vault's time zone.

    Examples:
      mvault ticket due
      mvault ticket due --within 30
    """
    from vault_cli.cli.shown import shown_of
    from vault_cli.features.tickets import Board, days_from

    inv: Invocation = ctx.obj
    snapshot = shown_of(inv)
    board = Board(snapshot)
    found = board.due_until(days_from(inv.now.date(), within))
    inv.warn_unreadable(snapshot)
    return inv.out.show(
        tickets_view(inv, board, found, limit, f"nothing is due within {within} days")
    )


@ticket.command("show", cls=PanelCommand)
def show(ctx: typer.Context, ticket_id: TicketId) -> int:
    """Show a ticket: what it is for, what it waits for, what waits for it, its tasks.

    Examples:
      mvault ticket show w-7k3qd2m
    """
    from vault_cli.cli.shown import find_shown, shown_of
    from vault_cli.features.tasks import all_tasks
    from vault_cli.features.tickets import Board, ticket_data

    inv: Invocation = ctx.obj
    found = _read(find_shown(inv, ticket_id))
    snapshot = shown_of(inv)
    board = Board(snapshot)
    waiting = [{"id": t.id, "title": t.title} for t in board.waiting_for(found.id)]
    tasks = [
        {"id": t.id, "title": t.record.title, "state": t.state}
        for t in all_tasks(snapshot)
        if t.ticket == found.id
    ]
    row = ticket_data(found, board, inv.now.date())
    data = {"ticket": {**row, "waiting": waiting, "tasks": tasks}}
    return inv.out.show(View(data, lambda: whole_lines(data["ticket"])))


@ticket.command("drop", cls=PanelCommand)
def drop(
    ctx: typer.Context, ticket_id: TicketId, reason: flags.Reason = "", yes: flags.Yes = False
) -> int:
    """Drop a ticket: its file goes, a tombstone stays; open tasks that serve it are abandoned.

    A person drops any ticket, an agent what only agents wrote. What depended on it is named: it
    waits until somebody takes the dependency out.

    Examples:
      mvault ticket drop w-7k3qd2m --reason "no longer wanted"
    """
    from vault_cli.cli.ending import drop_record
    from vault_cli.features.records import require_reason
    from vault_cli.features.tasks import TaskEnd
    from vault_cli.features.tickets import Board, plan_dropped_tasks, serving_tasks

    inv: Invocation = ctx.obj
    found = _find(inv, ticket_id)
    why = require_reason(reason, "ticket drop")
    snapshot = inv.whole_snapshot()
    waiting = Board(snapshot).waiting_for(found.id)
    texts = {r.path: inv.read(r.path) for r in serving_tasks(snapshot, found.id)}
    end = TaskEnd("abandoned", why, ended_by="person" if is_person(inv, yes=yes) else "agent")
    tasks = plan_dropped_tasks(snapshot, found.id, texts, end, inv.now)
    hints = [f"Waits for what is gone: {item.id} {inline(item.title)}" for item in waiting]
    hints += [f"Abandoned with it: {key}" for _, key in tasks]
    data = {
        "ticket": found.id,
        "waiting": [item.id for item in waiting],
        "abandoned": [key for _, key in tasks],
    }
    return drop_record(inv, found.record, why, tasks, yes=yes, hints=hints, data=data)
