"""Tasks as their files say. May import `text`, `model`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from vault_cli.errors import Diagnostic
from vault_cli.model.record import Kind, Record, Snapshot, Status
from vault_cli.model.schema import TASK_STATES
from vault_cli.text.sections import section_text
from vault_cli.text.values import whole_number

OPEN: Final = "open"
END_STATES: Final = tuple(state for state in TASK_STATES if state != OPEN)
"""How a task can end. Only the first two say anything about the records that were used."""

MOST_LISTED: Final = 400
"""Ids of one level that a task file names; the others are counted (the commit has them all)."""

_LEVELS: Final = ("full", "line", "named", "omitted")


class Shown(NamedTuple):
    """What a session had been shown when a task began.

    Args:
        full: ids whose whole text stood in a block.
        line: ids of which one line did.
        named: ids that a search or `show` gave, or a block of which no receipt is kept.
        omitted: ids that had no room in the block, or stood there by id only.
        receipts: of the renders that say so.
        uncounted: ids beyond `MOST_LISTED`, by level.
    """

    full: tuple[str, ...] = ()
    line: tuple[str, ...] = ()
    named: tuple[str, ...] = ()
    omitted: tuple[str, ...] = ()
    receipts: tuple[str, ...] = ()
    uncounted: Mapping[str, int] = {}

    @property
    def seen(self) -> tuple[str, ...]:
        """Ids of which some text was shown."""
        return tuple(dict.fromkeys((*self.full, *self.line, *self.named)))

    def as_front(self) -> dict[str, Any]:
        """Return the value of the key `shown`; levels without ids are left out."""
        found: dict[str, Any] = {}
        for level in _LEVELS:
            ids = getattr(self, level)
            if ids:
                found[level] = list(ids[:MOST_LISTED])
            if len(ids) > MOST_LISTED:
                found.setdefault("uncounted", {})[level] = len(ids) - MOST_LISTED
        return {**found, "receipts": list(self.receipts)} if self.receipts else found

    def as_data(self) -> dict[str, Any]:
        """Return the promised JSON shape."""
        levels = {level: list(getattr(self, level)) for level in _LEVELS}
        return {**levels, "receipts": list(self.receipts), "uncounted": dict(self.uncounted)}


NOTHING_SHOWN: Final = Shown()


class Checkpoint(NamedTuple):
    """What was noted while a task went on: when, and what."""

    at: str
    text: str


@dataclass(frozen=True, slots=True)
class Task:
    """A task as its file says.

    Args:
        record: the file.
        goal, expected: what was to be done, and what was to come of it.
        state: one of `TASK_STATES`; a text that is none of them counts as open.
        started, ended: ISO instants, "" when they are not known.
        session: of the agent, "" when nobody said.
        commit: of the vault when the task began.
        shown: what its agent had been shown then.
        later: ids that its session was shown while it went on.
        cited: ids of what was used, as they were noted when it ended.
        ended_by: `person` or `agent`.
        ticket: id of the ticket it serves.
        result: how it ended, in words.
        checkpoints: what was noted in between.
    """

    record: Record
    goal: str
    expected: str
    state: str
    started: str
    ended: str
    session: str
    commit: str
    shown: Shown
    later: tuple[str, ...]
    cited: tuple[str, ...]
    ended_by: str
    ticket: str
    result: str
    checkpoints: tuple[Checkpoint, ...]

    @property
    def id(self) -> str:
        """The record's id."""
        return self.record.id

    @property
    def is_open(self) -> bool:
        """Whether it still goes on."""
        return self.state == OPEN

    @property
    def environment(self) -> tuple[str, ...]:
        """Ids that its agent had been shown at the start: what a precedent is joined by."""
        return self.shown.seen


def read_task(record: Record) -> Task:
    """Return what a task's file says; what is missing or of another form counts as not said."""
    fields = record.fields
    state = _text(fields.get("status_of_task") or fields.get("outcome"))
    return Task(
        record=record,
        goal=_text(fields.get("goal")) or section_text(record.body, "goal", "目标") or record.title,
        expected=_text(fields.get("expected")) or section_text(record.body, "expected"),
        state=state if state in TASK_STATES else OPEN,
        started=_text(fields.get("started")) or record.created,
        ended=_text(fields.get("ended")),
        session=_text(fields.get("session")),
        commit=_text(fields.get("commit")),
        shown=_read_shown(fields.get("shown")),
        later=_ids(fields.get("shown_later")),
        cited=_ids(fields.get("cited")),
        ended_by=_text(fields.get("ended_by")),
        ticket=_text(fields.get("ticket")),
        result=section_text(record.body, "result"),
        checkpoints=tuple(_read_checkpoints(section_text(record.body, "checkpoints"))),
    )


def _text(value: Any) -> str:
    return value.strip() if isinstance(value, str) else ""


def _ids(value: Any) -> tuple[str, ...]:
    items = value if isinstance(value, list | tuple) else ()
    return tuple(dict.fromkeys(item for item in items if isinstance(item, str) and item))


def _read_shown(value: Any) -> Shown:
    if not isinstance(value, Mapping):
        return NOTHING_SHOWN
    more = value.get("uncounted")
    counts = more.items() if isinstance(more, Mapping) else ()
    full, line, named, omitted = (_ids(value.get(level)) for level in _LEVELS)
    return Shown(
        full,
        line,
        named,
        omitted,
        receipts=_ids(value.get("receipts")),
        uncounted={str(key): n for key, said in counts if (n := whole_number(str(said)))},
    )


def _read_checkpoints(text: str) -> Iterator[Checkpoint]:
    lines: list[str] = []
    for line in [*text.split("\n"), "- "]:
        if line.startswith("- ") and lines:
            at, _, said = "\n".join(lines)[2:].partition(" ")
            yield Checkpoint(at, said.strip())
            lines = []
        if line.startswith("- ") or lines:
            lines.append(line.removeprefix("  ") if lines else line)


def task_records(snapshot: Snapshot) -> Iterator[Record]:
    """Yield the files of tasks; what is left of a deleted one is none."""
    for record in snapshot.records:
        if record.kind is Kind.TASK and record.status is not Status.TOMBSTONED:
            yield record


def all_tasks(snapshot: Snapshot) -> list[Task]:
    """Return the tasks of a vault, the newest first."""
    found = [read_task(record) for record in task_records(snapshot)]
    return sorted(found, key=lambda task: (task.started, task.id), reverse=True)


def open_tasks(snapshot: Snapshot, session: str = "") -> list[Task]:
    """Return the tasks that still go on, the newest first; of one session only, if it is named."""
    return [t for t in all_tasks(snapshot) if t.is_open and session in ("", t.session)]


def check_tasks(snapshot: Snapshot) -> Iterator[Diagnostic]:
    """Report tasks that nothing can be learned from: no end to be known, no goal."""
    for record in task_records(snapshot):
        task = read_task(record)
        if not {"status_of_task", "outcome"} & record.fields.keys():
            text = "the task does not say how it stands"
            hint = f"Write `status_of_task:` with one of: {', '.join(TASK_STATES)}."
            yield Diagnostic(record.path, 0, "task-without-state", "warning", text, hint)
        elif not task.is_open and not task.ended:
            text = f"the task {task.state}, and nothing says when"
            yield Diagnostic(record.path, 0, "task-without-end", "note", text, "Write `ended:`.")


def task_data(task: Task) -> dict[str, Any]:
    """Return the promised JSON shape of a task."""
    return {
        "id": task.id,
        "kind": str(task.record.kind),
        "status": str(task.record.status),
        "title": task.record.title,
        "path": task.record.path,
        "scope": str(task.record.scope),
        "topics": list(task.record.topics),
        "goal": task.goal,
        "expected": task.expected,
        "state": task.state,
        "started": task.started,
        "ended": task.ended,
        "ended_by": task.ended_by,
        "session": task.session,
        "commit": task.commit,
        "ticket": task.ticket,
        "shown": task.shown.as_data(),
        "shown_later": list(task.later),
        "cited": list(task.cited),
        "result": task.result,
        "checkpoints": [item._asdict() for item in task.checkpoints],
        "unseen": task.record.is_unseen,
    }
