"""Tickets: what is to be done, what it waits for, who moves next. May import `text`, `model`.

A ticket goes from draft over open, doing and review to done; any jump is allowed. Forward into work
it goes only when all it depends on is done; out of done only with a reason.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Final

from vault_cli.errors import NotFoundError, RefusedError, UsageError
from vault_cli.features.records import (
    Planned,
    instant_text,
    other_ids,
    patch_keys,
    put_change,
    read_checked,
    require_reason,
    require_same,
    subject_of,
)
from vault_cli.features.tasks import OPEN, TaskEnd, ended_bytes, read_task, task_records
from vault_cli.features.ticket_records import (
    DOING,
    DONE,
    DRAFT,
    NEXT_MOVE,
    REVIEW,
    Board,
    Missing,
    Ticket,
    all_tickets,
    check_tickets,
    days_from,
    read_ticket,
    ticket_data,
)
from vault_cli.features.work_text import MOST_TEXT, settle_title, with_section
from vault_cli.model.change import Change, Put
from vault_cli.model.lifecycle import Actor
from vault_cli.model.record import Kind, Record, Snapshot, Status
from vault_cli.model.relations import find_circle
from vault_cli.model.schema import TICKET_STAGES
from vault_cli.text.document import REMOVE, compose_document
from vault_cli.text.names import file_name, new_id
from vault_cli.text.values import BadValueError, read_date

__all__ = [
    "DOING",
    "DONE",
    "NEXT_MOVE",
    "REVIEW",
    "Board",
    "Missing",
    "Ticket",
    "TicketRequest",
    "all_tickets",
    "check_tickets",
    "days_from",
    "plan_change",
    "plan_dropped_tasks",
    "plan_move",
    "plan_ticket",
    "read_ticket",
    "serving_tasks",
    "ticket_data",
]

_IN_WORK: Final = frozenset({DOING, REVIEW, DONE})
"""Stages that a ticket does not reach before what it depends on is done."""


@dataclass(frozen=True, slots=True)
class TicketRequest:
    """A ticket to write, or to change: None leaves what stands there.

    Args:
        title: one line.
        stage: where it begins; "" for what is usual for who asks.
        deliverable, background, external: see `Ticket`.
        depends_on, independent_of: ids to add and to take away.
        due: ISO day; "" takes it away.
        topics: what it is about.
        scope: whose it is.
    """

    title: str | None = None
    stage: str = ""
    deliverable: str | None = None
    background: str | None = None
    external: str | None = None
    depends_on: tuple[str, ...] = ()
    independent_of: tuple[str, ...] = ()
    due: str | None = None
    topics: tuple[str, ...] | None = None
    scope: str = "global"


def plan_ticket(
    snapshot: Snapshot,
    request: TicketRequest,
    *,
    now: datetime,
    actor: Actor,
    origin: str,
    random_int: Callable[[int], int],
) -> Planned:
    """Plan a new ticket; where nothing is said, a person's is open, anybody else's a draft.

    Raises:
        UsageError: no title, or a value that cannot be. NotFoundError: it depends on nothing known.
        RefusedError: it begins in work and what it depends on is not done.
    """
    _check(request)
    title = settle_title(request.title or "")
    stage = request.stage or ("open" if actor is Actor.PERSON else DRAFT)
    own = new_id(Kind.TICKET, other_ids(snapshot), random_int)
    values: dict[str, Any] = {
        "id": own,
        "kind": str(Kind.TICKET),
        "title": title,
        "scope": request.scope,
        "topics": list(request.topics or ()),
        "origin": origin,
        "created": instant_text(now),
        "stage": stage,
        "deliverable": (request.deliverable or "").strip(),
        "depends_on": list(_known(snapshot, request.depends_on)),
        "due": request.due or "",
        "external": (request.external or "").strip(),
    }
    front = {key: value for key, value in values.items() if value not in ("", [])}
    data = compose_document(front, f"# {title}\n")
    path = f"{Kind.TICKET.folder}/{file_name(title, own)}"
    if (request.background or "").strip():
        record = read_checked(data, path)
        data = with_section(record, data, "background", (request.background or "").strip())
    record = read_checked(data, path)
    after = replace(snapshot, records=(*snapshot.records, record))
    _require_free(after, read_ticket(record), stage)
    change = Change(
        "add", subject_of(record), (Put(path, data),), ids=(own,), actor=actor, origin=origin
    )
    return Planned(change, (own,))


def _check(request: TicketRequest) -> None:
    if request.stage and request.stage not in TICKET_STAGES:
        raise _unknown_stage(request.stage)
    texts = {
        "--deliverable": request.deliverable,
        "--background": request.background,
        "--external": request.external,
    }
    for name, text in texts.items():
        if text and len(text) > MOST_TEXT:
            raise UsageError(f"{name} has more than {MOST_TEXT} characters")
    if request.external and len(request.external.splitlines()) > 1:
        raise UsageError("--external is one line: an address, or a name")
    if request.due:
        try:
            found = read_date(request.due)
        except BadValueError as error:
            raise UsageError(f"--due: {error.message}", hint=error.hint) from error
        if isinstance(found, datetime):
            raise UsageError("--due is a day: 2026-12-24")


def _unknown_stage(text: str) -> UsageError:
    return UsageError(f"there is no stage {text}", hint=f"Use {', '.join(TICKET_STAGES)}.")


def _known(snapshot: Snapshot, ids: Iterable[str]) -> Iterator[str]:
    by_id = snapshot.by_id
    for key in dict.fromkeys(ids):
        if key not in by_id or by_id[key].status is Status.TOMBSTONED:
            raise NotFoundError(
                f"--depends {key}: there is no such record", hint="`mvault ticket list` lists them."
            )
        yield key


def plan_change(
    snapshot: Snapshot,
    ticket: Ticket,
    data: bytes,
    request: TicketRequest,
    *,
    actor: Actor,
    origin: str,
) -> Change:
    """Plan to change what a ticket says; empty when it says so already.

    Raises:
        UsageError, NotFoundError: as `plan_ticket`.
        RefusedError: it would depend on itself, in the end.
    """
    _check(request)
    require_same(ticket.record, data)
    record, fields = ticket.record, ticket.record.fields
    kept = [key for key in ticket.depends_on if key not in request.independent_of]
    depends = list(dict.fromkeys((*kept, *_known(snapshot, request.depends_on))))
    wanted: dict[str, Any] = {
        "title": None if request.title is None else settle_title(request.title),
        "deliverable": request.deliverable,
        "external": request.external,
        "due": request.due,
        "topics": None if request.topics is None else list(request.topics),
        "depends_on": depends,
    }
    values = {
        key: value or REMOVE
        for key, value in wanted.items()
        if value is not None and (value or key in fields)
    }
    new = patch_keys(data, record.path, values)
    if request.background is not None and request.background.strip() != ticket.background:
        new = with_section(
            read_checked(new, record.path), new, "background", request.background.strip(), anew=True
        )
    after = read_checked(new, record.path)
    _require_no_circle(snapshot, after)
    return put_change("edit", after, data, new, actor=actor, origin=origin)


def _require_no_circle(snapshot: Snapshot, after: Record) -> None:
    links = {t.id: t.depends_on for t in all_tickets(snapshot)}
    links[after.id] = read_ticket(after).depends_on
    circle = find_circle(after.id, lambda key: links.get(key, ()))
    if circle:
        raise RefusedError(
            f"{after.id} would wait for itself: {' -> '.join(circle)}",
            hint="Take one of these out: --no-depends ID",
        )


def _require_free(snapshot: Snapshot, ticket: Ticket, stage: str) -> None:
    """Refuse an advance into work while something it depends on is not done."""
    missing = Board(snapshot).missing(ticket) if stage in _IN_WORK else ()
    if not missing:
        return
    named = ", ".join(item.describe() for item in missing)
    gone = [item.id for item in missing if not item.title]
    hint = f"First: mvault ticket move {missing[0].id} {DONE}"
    if gone:
        hint = f"Take out what is gone: mvault ticket edit {ticket.id} --no-depends {gone[0]}"
    raise RefusedError(f"{ticket.id} cannot go to {stage}: it waits for {named}", hint=hint)


def plan_move(
    snapshot: Snapshot,
    ticket: Ticket,
    data: bytes,
    stage: str,
    *,
    reason: str = "",
    actor: Actor,
    origin: str,
) -> Change:
    """Plan to bring a ticket to a stage; any jump is allowed.

    Raises:
        UsageError: no such stage, or it leaves done without a reason.
        RefusedError: it advances, and what it depends on is not done; each of these is named.
    """
    if stage not in TICKET_STAGES:
        raise _unknown_stage(stage)
    require_same(ticket.record, data)
    record, before = ticket.record, ticket.stage
    if stage == before and stage in (record.fields.get("stage"), record.fields.get("state")):
        return put_change("move", record, data, data, actor=actor, origin=origin)
    why = require_reason(reason, "leaving done") if before == DONE else reason.strip()
    if TICKET_STAGES.index(stage) > TICKET_STAGES.index(before):
        _require_free(snapshot, ticket, stage)
    values: dict[str, Any] = {"stage": stage}
    if before == DONE:
        values["reopened"] = why
    new = patch_keys(data, record.path, values)
    change = put_change("move", record, data, new, reason=why, actor=actor, origin=origin)
    return replace(change, subject=f"({record.kind}) {before} -> {stage}: {record.title}")


def plan_dropped_tasks(
    snapshot: Snapshot, ticket_id: str, texts: Mapping[str, bytes], end: TaskEnd, now: datetime
) -> tuple[tuple[Put, str], ...]:
    """Return the open tasks that serve a ticket as abandoned, each with its id: it is dropped.

    Args:
        snapshot: all records.
        ticket_id: which.
        texts: bytes by path of `serving_tasks`.
        end: how they end: abandoned, and why.
        now: aware instant.
    """
    found = []
    for record in serving_tasks(snapshot, ticket_id):
        task, data = read_task(record), texts[record.path]
        require_same(record, data)
        new = ended_bytes(task, data, end, instant_text(now))
        found.append((Put(record.path, new, record.digest), record.id))
    return tuple(found)


def serving_tasks(snapshot: Snapshot, ticket_id: str) -> list[Record]:
    """Return the open tasks that serve a ticket."""
    return [
        record
        for record in task_records(snapshot)
        if record.fields.get("ticket") == ticket_id and read_task(record).state == OPEN
    ]
