"""Where a record comes from: its source tasks, their sessions, what was in force when they began.

May import `model`, `text`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Final, NamedTuple

from vault_cli.model.evidence import read_evidence
from vault_cli.model.record import Kind, Record, Snapshot
from vault_cli.recall.views import why_not
from vault_cli.text.sections import split_sections

_KEYS: Final[Mapping[str, tuple[str, ...]]] = {
    "goal": ("goal", "目标"),
    "expected": ("expected", "expected_result", "预期"),
    "status": ("status_of_task", "outcome", "status"),
    "result": ("result", "结果"),
    "started": ("started", "started_at", "created"),
}
"""What is told of a task, and the keys or headings of its file that say it."""


class SourceTask(NamedTuple):
    """A task that a record names as its source.

    Args:
        id: as named.
        record: its file, None when the vault has none.
        told: goal, expected, status, result and start as written; "" for what is not said.
    """

    id: str
    record: Record | None
    told: Mapping[str, str]


def source_tasks(record: Record, by_id: Mapping[str, Record]) -> tuple[SourceTask, ...]:
    """Return the tasks that a record rests on: of its evidence, then of `derived_from`."""
    found = [e.values["task"] for e in read_evidence(record.fields)[0] if e.type == "task"]
    known = [name for name in record.derived_from if _is_task(name, by_id)]
    return tuple(_read_task(name, by_id.get(name)) for name in dict.fromkeys((*found, *known)))


def _is_task(name: str, by_id: Mapping[str, Record]) -> bool:
    record = by_id.get(name)
    return record.kind is Kind.TASK if record is not None else name.startswith("t-")


def _read_task(name: str, record: Record | None) -> SourceTask:
    if record is None:
        return SourceTask(name, None, dict.fromkeys(_KEYS, ""))
    sections = {section.name: section.text for section in split_sections(record.body)[1]}
    said = {**sections, **{str(key): str(value) for key, value in record.fields.items() if value}}
    told = {name: next((said[k] for k in keys if k in said), "") for name, keys in _KEYS.items()}
    return SourceTask(name, record, {**told, "goal": told["goal"] or record.title})


def source_sessions(record: Record) -> tuple[Mapping[str, str], ...]:
    """Return the ranges of session events that a record names: session, start, end."""
    found, _ = read_evidence(record.fields)
    return tuple(dict(item.values) for item in found if item.type == "session-event")


def tell_starts(record: Record, tasks: Sequence[SourceTask]) -> Iterator[tuple[str, str]]:
    """Yield when the source task may have begun, as written, and who says so; the best first.

    A number of an event says nothing about time; whether the others can be read is asked by
    whoever knows the time zone.
    """
    yield from ((task.told["started"], f"task {task.id}") for task in tasks)
    found, _ = read_evidence(record.fields)
    own = [item for item in found if item.type in {"task", "session-event"}]
    for item in own:
        if not item.values.get("start", "").isdigit():
            yield item.values.get("start", ""), f"evidence {item.id}"
    yield from ((item.observed, f"evidence {item.id}: observed") for item in own)
    yield record.created, "the record: created"


def others_in_force(snapshot: Snapshot, record: Record, moment: datetime) -> list[Record]:
    """Return the other records in force for a record's task at a moment, the weightiest first.

    Args:
        snapshot: the vault as it was known then.
        record: whose task it is; what belongs to another project or session is left out.
        moment: aware instant in the vault's time zone.
    """
    sessions = {item["session"] for item in source_sessions(record)}
    found = [
        other for other in snapshot.records
        if other.id != record.id
        and _reaches(other, record, sessions)
        and not why_not(other, "strict", moment)
    ]  # fmt: skip
    return sorted(found, key=lambda other: (-(other.importance or 5), other.id))


def _reaches(other: Record, record: Record, sessions: set[str]) -> bool:
    scope = other.scope
    if scope.level == "global" or scope == record.scope:
        return True
    if scope.level == "session":
        return scope.name in sessions
    return record.scope.level != "project"  # of a global one the task's project is not known
