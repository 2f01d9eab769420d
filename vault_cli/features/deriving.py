"""A task that nobody opened, out of the turns of a session's log. May import `model`.

Only numbers and instants are taken from the log, and the range that evidence names; what people
and agents said there stays there. The goal is put in words by whoever derives the task.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import NamedTuple

from vault_cli.errors import NotFoundError, UsageError
from vault_cli.features.records import Planned, instant_text, patch_keys, read_checked
from vault_cli.features.tasks import Shown, Task, TaskEnd, ended_bytes, read_task
from vault_cli.model.change import Put
from vault_cli.model.transcript import Event


class Turn(NamedTuple):
    """One turn of a session: from what a person typed to the next time.

    Args:
        number: 1-based.
        start, end: places of its first and last event.
        began, ended: ISO instants, "" where the log names none.
        calls, failed: tool calls, and those that failed.
        prompt: what was typed, never written anywhere.
    """

    number: int
    start: int
    end: int
    began: str = ""
    ended: str = ""
    calls: int = 0
    failed: int = 0
    prompt: str = ""


def split_turns(events: Iterable[Event]) -> list[Turn]:
    """Return the turns of a session, from all its events in order."""
    found: list[Turn] = []
    announced = False
    for event in events:
        begins = event.kind == "turn" or (event.kind == "user" and not announced)
        announced = event.kind == "turn" or (announced and event.kind != "user")
        if begins:
            found.append(Turn(len(found) + 1, event.place, event.place, event.at, event.at))
        if found:
            found[-1] = _with(found[-1], event)
    return found


def _with(turn: Turn, event: Event) -> Turn:
    is_call, is_end = event.kind == "call", event.kind == "result"
    said = event.text if event.kind == "user" else ""
    return turn._replace(
        end=max(turn.end, event.place),
        began=turn.began or event.at,
        ended=max(turn.ended, event.at),
        calls=turn.calls + is_call,
        failed=turn.failed + (is_end and event.failed is True),
        prompt="\n".join(filter(None, (turn.prompt, said))),
    )


def choose_turns(turns: Sequence[Turn], text: str) -> list[Turn]:
    """Return the turns that `3` or `2-5` names.

    Raises:
        UsageError: it names none. NotFoundError: the log has not as many.
    """
    first, dash, last = text.partition("-")
    last = last if dash else first
    if not (first.strip().isdecimal() and last.strip().isdecimal()):
        raise UsageError(f"--turns {text}: cannot be read", hint="Write --turns 3, or --turns 2-5.")
    low, high = int(first), int(last)
    found = [turn for turn in turns if low <= turn.number <= high]
    if not found or found[-1].number < high or low < 1:
        raise NotFoundError(
            f"--turns {text}: the log has turns 1 to {len(turns)}",
            hint="Without --goal they are listed.",
        )
    return found


@dataclass(frozen=True, slots=True)
class Derived:
    """What a log says of a task, and how it ended.

    Args:
        session: its id.
        start, end: places of the range.
        began, ended: ISO instants in UTC with seconds, "" where the log names none.
        commit: of the vault when the range began, "" when git does not tell.
        outcome: how it ended; None: it is left open.
    """

    session: str
    start: int
    end: int
    began: str
    ended: str
    commit: str = ""
    outcome: TaskEnd | None = None


def plan_derived(planned: Planned, found: Derived, shown: Shown, now: datetime) -> Planned:
    """Return a planned task (from `tasks.plan_start`) with what its log says in place of now.

    Args:
        planned: the task, as if it began now.
        found: what the log says.
        shown: what the session had been shown when the range began, as it was noted at the time.
        now: aware instant.
    """
    put = planned.change.edits[0] if planned.change.edits else None
    if not isinstance(put, Put):
        return planned
    ended = found.ended or instant_text(now)
    evidence = {
        "id": "e1",
        "type": "session-event",
        "session": found.session,
        "start": str(found.start),
        "end": str(found.end),
        "observed": ended[:10],
    }
    values = {
        "started": found.began,
        "commit": found.commit,
        "shown": shown.as_front(),
        "evidence": [evidence],
    }
    data = patch_keys(put.data, put.path, {key: value for key, value in values.items() if value})
    if found.outcome is not None:
        task = read_task(read_checked(data, put.path))
        data = ended_bytes(task, data, found.outcome, ended)
    edits = (Put(put.path, data, put.expects), *planned.change.edits[1:])
    return replace(planned, change=replace(planned.change, verb="derive", edits=edits))


def find_derived(tasks: Iterable[Task], session: str, start: int, end: int) -> Task | None:
    """Return the task that was derived from a range already, None for none."""
    wanted = {"session": session, "start": str(start), "end": str(end)}
    for task in tasks:
        listed = task.record.fields.get("evidence")
        for entry in listed if isinstance(listed, list) else []:
            if isinstance(entry, dict) and {k: str(entry.get(k)) for k in wanted} == wanted:
                return task
    return None
