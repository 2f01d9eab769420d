"""Tickets as their files say, and what they wait for. May import `text`, `model`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any, Final, NamedTuple

from vault_cli.errors import Diagnostic
from vault_cli.features.task_records import read_task
from vault_cli.model.record import Kind, Record, Snapshot, Status
from vault_cli.model.relations import find_circles
from vault_cli.model.schema import TICKET_STAGES
from vault_cli.text.sections import section_text
from vault_cli.text.values import BadValueError, read_date

DRAFT: Final = "draft"
DOING: Final = "doing"
REVIEW: Final = "review"
DONE: Final = "done"
NEXT_MOVE: Final[Mapping[str, str]] = {
    "draft": "somebody decides whether it is wanted",
    "open": "somebody takes it",
    "doing": "whoever has it",
    "review": "somebody looks at it",
    "done": "nobody",
}
"""Who moves next, by stage."""


@dataclass(frozen=True, slots=True)
class Ticket:
    """A ticket as its file says.

    Args:
        record: the file.
        stage: one of `TICKET_STAGES`; what is none of them counts as draft.
        deliverable: what is to be there at the end.
        background: why.
        depends_on: ids of what has to be done before.
        due: last day, None for none.
        external: where it stands elsewhere.
    """

    record: Record
    stage: str
    deliverable: str
    background: str
    depends_on: tuple[str, ...]
    due: date | None
    external: str

    @property
    def id(self) -> str:
        """The record's id."""
        return self.record.id

    @property
    def title(self) -> str:
        """The record's title."""
        return self.record.title


class Missing(NamedTuple):
    """Something a ticket waits for.

    Args:
        id: as named.
        title: "" when it is not in the vault.
        state: how it stands, in words.
    """

    id: str
    title: str
    state: str

    def describe(self) -> str:
        """Return it in words: `w-7k3 Login page (doing)`."""
        return f"{self.id}{f' {self.title}' if self.title else ''} ({self.state})"


def read_ticket(record: Record) -> Ticket:
    """Return what a ticket's file says; what is of another form counts as not said."""
    fields = record.fields
    stage = fields.get("stage") or fields.get("state")
    depends = fields.get("depends_on")
    items = [depends] if isinstance(depends, str) else depends
    return Ticket(
        record=record,
        stage=str(stage) if stage in TICKET_STAGES else DRAFT,
        deliverable=str(fields.get("deliverable") or ""),
        background=section_text(record.body, "background"),
        depends_on=tuple(
            dict.fromkeys(str(item) for item in items or () if isinstance(item, str) and item)
        )
        if isinstance(items, list | tuple)
        else (),
        due=_read_due(fields.get("due")),
        external=str(fields.get("external") or ""),
    )


def _read_due(value: Any) -> date | None:
    try:
        found = read_date(value)
    except BadValueError:
        return None
    return found.date() if isinstance(found, datetime) else found


def all_tickets(snapshot: Snapshot) -> list[Ticket]:
    """Return the tickets of a vault: by stage, then by their last day, then by id."""
    found = [
        read_ticket(r)
        for r in snapshot.records
        if r.kind is Kind.TICKET and r.status is not Status.TOMBSTONED
    ]
    return sorted(found, key=lambda t: (TICKET_STAGES.index(t.stage), t.due or date.max, t.id))


class Board:
    """The tickets of a vault, and what they wait for.

    Args:
        snapshot: all records.
    """

    def __init__(self, snapshot: Snapshot) -> None:
        self.tickets = all_tickets(snapshot)
        self._by_id = snapshot.by_id
        self._gone = {r.id for r in snapshot.records if r.status is Status.TOMBSTONED}

    def missing(self, ticket: Ticket) -> tuple[Missing, ...]:
        """Return what a ticket depends on and that is not done, in the order it is named."""
        found = (self._missing(key) for key in ticket.depends_on)
        return tuple(item for item in found if item is not None)

    def _missing(self, key: str) -> Missing | None:
        record = self._by_id.get(key)
        if record is None or record.status is Status.TOMBSTONED:
            return Missing(key, "", "dropped" if key in self._gone else "not in the vault")
        if record.kind is Kind.TICKET:
            stage = read_ticket(record).stage
            return None if stage == DONE else Missing(key, record.title, stage)
        if record.kind is Kind.TASK:
            state = read_task(record).state
            return None if state == "succeeded" else Missing(key, record.title, state)
        return None if record.in_force else Missing(key, record.title, str(record.status))

    def waiting_for(self, key: str) -> list[Ticket]:
        """Return the tickets that depend on a record and are not done."""
        return [t for t in self.tickets if key in t.depends_on and t.stage != DONE]

    def unblocked_by(self, key: str) -> list[Ticket]:
        """Return the tickets that wait for nothing else than one record."""
        return [t for t in self.waiting_for(key) if {m.id for m in self.missing(t)} == {key}]

    def due_until(self, day: date) -> list[Ticket]:
        """Return the tickets that are not done and whose last day is not after a day."""
        found = [t for t in self.tickets if t.due is not None and t.due <= day and t.stage != DONE]
        return sorted(found, key=lambda t: (t.due or date.max, t.id))


def check_tickets(snapshot: Snapshot) -> Iterator[Diagnostic]:
    """Report dependencies that lead nowhere, or in a circle."""
    board = Board(snapshot)
    links = {ticket.id: ticket.depends_on for ticket in board.tickets}
    for ticket in board.tickets:
        for item in board.missing(ticket):
            if not item.title:
                text = f"depends_on names {item.id}, which is {item.state}"
                hint = f"Take it out: mvault ticket edit {ticket.id} --no-depends {item.id}"
                yield Diagnostic(
                    ticket.record.path, 0, "dangling-depends-on", "warning", text, hint
                )
    paths = {ticket.id: ticket.record.path for ticket in board.tickets}
    for circle in find_circles(links, lambda key: links.get(key, ())):
        text = f"depends_on goes round in a circle: {' -> '.join(circle)}"
        hint = "Take one of the ids out of it: nothing of this can be done first."
        yield Diagnostic(paths[circle[0]], 0, "depends-circle", "warning", text, hint)


def ticket_data(ticket: Ticket, board: Board, today: date) -> dict[str, Any]:
    """Return the promised JSON shape of a ticket."""
    overdue = ticket.due is not None and ticket.due < today and ticket.stage != DONE
    return {
        "id": ticket.id,
        "kind": str(ticket.record.kind),
        "status": str(ticket.record.status),
        "title": ticket.title,
        "path": ticket.record.path,
        "scope": str(ticket.record.scope),
        "topics": list(ticket.record.topics),
        "stage": ticket.stage,
        "next_move": NEXT_MOVE[ticket.stage],
        "deliverable": ticket.deliverable,
        "background": ticket.background,
        "depends_on": list(ticket.depends_on),
        "missing": [item._asdict() for item in board.missing(ticket)],
        "due": ticket.due.isoformat() if ticket.due else "",
        "overdue": overdue,
        "external": ticket.external,
        "unseen": ticket.record.is_unseen,
    }


def days_from(today: date, within: int) -> date:
    """Return the day so many days later; the last day there is where that is too far."""
    try:
        return today + timedelta(days=within)
    except OverflowError:
        return date.max
