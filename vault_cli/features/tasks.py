"""Tasks: what was to be done, in which environment, and how it ended. May import `text`, `model`.

A task is one file in `tasks/`. What its agent had been shown when it began is written down then,
from the receipts of the renders, and never worked out again: later edits of records do not change
what a past task knew.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Final

from vault_cli.errors import Diagnostic, RefusedError, UsageError
from vault_cli.features.records import (
    Planned,
    instant_text,
    other_ids,
    patch_keys,
    put_change,
    read_checked,
    require_same,
    subject_of,
)
from vault_cli.features.task_records import (
    END_STATES,
    MOST_LISTED,
    NOTHING_SHOWN,
    OPEN,
    Checkpoint,
    Shown,
    Task,
    all_tasks,
    check_tasks,
    open_tasks,
    read_task,
    task_data,
    task_records,
)
from vault_cli.features.work_text import MOST_TEXT, shorten_title, with_section
from vault_cli.model.change import Change, Put
from vault_cli.model.lifecycle import Actor
from vault_cli.model.record import Kind, Record, Snapshot
from vault_cli.text.document import compose_document
from vault_cli.text.names import file_name, new_id

__all__ = [
    "END_STATES",
    "NOTHING_SHOWN",
    "OPEN",
    "Checkpoint",
    "Shown",
    "Task",
    "TaskEnd",
    "TaskStart",
    "all_tasks",
    "check_tasks",
    "ended_bytes",
    "open_tasks",
    "plan_checkpoint",
    "plan_end",
    "plan_start",
    "read_task",
    "require_end",
    "task_data",
    "task_records",
]

MOST_GOAL: Final = 1000


@dataclass(frozen=True, slots=True)
class TaskStart:
    """A task to begin.

    Args:
        goal: what is to be done, in the words of who asks.
        expected: what is to come of it.
        scope: whose it is.
        topics: what it is about.
        session: of the agent, "" for none.
        commit: of the vault now.
        shown: what the session has been shown.
        ticket: id of the ticket it serves.
    """

    goal: str
    expected: str = ""
    scope: str = "global"
    topics: tuple[str, ...] = ()
    session: str = ""
    commit: str = ""
    shown: Shown = NOTHING_SHOWN
    ticket: str = ""


def plan_start(
    snapshot: Snapshot,
    request: TaskStart,
    *,
    now: datetime,
    actor: Actor,
    origin: str,
    random_int: Callable[[int], int],
) -> Planned:
    """Plan to begin a task: `tasks/<YYYY-MM>/<slug>-<7 characters>.md`.

    The same goal, open in the same session already, is that task: a command that was repeated
    begins nothing twice.

    Raises:
        UsageError: no goal, or a text is too long.
    """
    request = _checked(request)
    known = [t for t in open_tasks(snapshot) if t.session == request.session]
    same = next((t for t in known if t.goal == request.goal), None)
    if same is not None:
        return Planned(_nothing("task", same.record, actor), (same.id,))
    task_id = new_id(Kind.TASK, other_ids(snapshot), random_int)
    title = shorten_title(request.goal)
    path = f"{Kind.TASK.folder}/{now.strftime('%Y-%m')}/{file_name(title, task_id)}"
    data = compose_document(_front(request, task_id, now, origin), f"# {title}\n")
    record = read_checked(data, path)
    change = Change(
        "start", subject_of(record), (Put(path, data),), ids=(task_id,), actor=actor, origin=origin
    )
    notes = tuple(_still_open(path, known) if request.session else ())
    return Planned(change, (task_id,), notes)


def _checked(request: TaskStart) -> TaskStart:
    goal, expected = request.goal.strip(), request.expected.strip()
    if not goal:
        raise UsageError("a task needs a goal", hint='mvault task start "what is to be done"')
    for name, text in (("the goal", goal), ("--expected", expected)):
        if len(text) > MOST_GOAL:
            raise UsageError(f"{name} has more than {MOST_GOAL} characters")
    return replace(request, goal=goal, expected=expected)


def _front(request: TaskStart, task_id: str, now: datetime, origin: str) -> dict[str, Any]:
    values = {
        "id": task_id,
        "kind": str(Kind.TASK),
        "title": shorten_title(request.goal),
        "scope": request.scope,
        "topics": list(request.topics),
        "origin": origin,
        "created": instant_text(now),
        "goal": request.goal,
        "expected": request.expected,
        "status_of_task": OPEN,
        "started": instant_text(now),
        "session": request.session,
        "commit": request.commit,
        "ticket": request.ticket,
        "shown": request.shown.as_front(),
    }
    return {key: value for key, value in values.items() if value not in ("", [], {})}


def _still_open(path: str, known: Sequence[Task]) -> Iterator[Diagnostic]:
    for task in known[:3]:
        text = f"{task.id} is still open in this session: {task.record.title}"
        hint = f"If it is over: mvault task end {task.id} --status succeeded"
        yield Diagnostic(path, 0, "task-open", "note", text, hint)


def _nothing(verb: str, record: Record, actor: Actor) -> Change:
    return Change(verb, subject_of(record), (), ids=(record.id,), actor=actor)


def plan_checkpoint(
    task: Task, data: bytes, text: str, *, now: datetime, actor: Actor, origin: str
) -> Change:
    """Plan to note how far an open task is; the words that stand there last are not repeated.

    Raises:
        UsageError: no text, or too long. RefusedError: the task has ended.
    """
    said = text.strip()
    if not said:
        raise UsageError("a checkpoint needs words", hint=f'mvault task checkpoint {task.id} "…"')
    if len(said) > MOST_TEXT:
        raise UsageError(f"the checkpoint has more than {MOST_TEXT} characters")
    _require_open(task)
    require_same(task.record, data)
    if task.checkpoints and task.checkpoints[-1].text == said:
        return put_change("checkpoint", task.record, data, data, actor=actor, origin=origin)
    item = f"- {instant_text(now)} {said}".replace("\n", "\n  ")
    new = with_section(task.record, data, "checkpoints", item)
    return put_change("checkpoint", task.record, data, new, actor=actor, origin=origin)


def _require_open(task: Task) -> None:
    if not task.is_open:
        raise RefusedError(
            f"{task.id} has ended: {task.state}",
            hint="Begin another one: mvault task start GOAL",
        )


@dataclass(frozen=True, slots=True)
class TaskEnd:
    """How a task ended.

    Args:
        state: one of `END_STATES`.
        result: in words.
        cited: ids of records that were used.
        later: ids that the session was shown since the start.
        ended_by: `person` or `agent`.
    """

    state: str
    result: str = ""
    cited: tuple[str, ...] = ()
    later: tuple[str, ...] = ()
    ended_by: str = "agent"


def plan_end(
    task: Task, data: bytes, request: TaskEnd, *, now: datetime, actor: Actor, origin: str
) -> Change:
    """Plan to end a task; empty when it has ended so already.

    Raises:
        UsageError: no such end, or the result is too long.
        RefusedError: it has ended otherwise; an end is not rewritten.
    """
    require_end(request)
    result = request.result.strip()
    require_same(task.record, data)
    if task.state == request.state:
        return put_change("end", task.record, data, data, actor=actor, origin=origin)
    _require_open(task)
    new = ended_bytes(task, data, replace(request, result=result), instant_text(now))
    change = put_change("end", task.record, data, new, actor=actor, origin=origin)
    return replace(change, subject=f"({task.record.kind}) {request.state}: {task.record.title}")


def require_end(request: TaskEnd) -> None:
    """Raise UsageError unless a task can end so."""
    if not request.state:
        raise UsageError("how did it end?", hint=f"Add --status {'|'.join(END_STATES)}.")
    if request.state not in END_STATES:
        raise UsageError(f"--status {request.state}: unknown", hint=f"Use {', '.join(END_STATES)}.")
    if len(request.result) > MOST_TEXT:
        raise UsageError(f"the result has more than {MOST_TEXT} characters")


def ended_bytes(task: Task, data: bytes, request: TaskEnd, ended: str) -> bytes:
    """Return the file of a task with how it ended.

    Args:
        task: open; `data` are the bytes of its file.
        data: see `task`.
        request: how it ended.
        ended: ISO instant.
    """
    values: dict[str, Any] = {
        "status_of_task": request.state,
        "ended": ended,
        "ended_by": request.ended_by,
        "cited": list(request.cited),
        "shown_later": list(request.later[:MOST_LISTED]),
    }
    path = task.record.path
    new = patch_keys(data, path, {key: value for key, value in values.items() if value})
    if request.result:
        new = with_section(read_checked(new, path), new, "result", request.result)
    return new
