"""The source of a record in three parts, for `show --provenance` and `why`. + all below `cli`.

The record, the task it comes from, and what else was in force when that task began.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Any

from vault_cli.cli.output import Line, inline
from vault_cli.cli.shown import shown_of
from vault_cli.cli.views import brief_data
from vault_cli.errors import UsageError, VaultError
from vault_cli.model.record import Record

if TYPE_CHECKING:
    from vault_cli.cli.invocation import Invocation
    from vault_cli.features.sources import SourceTask

_TOLD = 10
_NAMED = 40


def three_parts(inv: Invocation, record: Record) -> dict[str, Any]:
    """Return the three parts in the promised JSON shape: lesson, source, in_force_then."""
    from vault_cli.features.sources import source_tasks, tell_starts

    tasks = source_tasks(record, shown_of(inv).by_id)
    start, said_by = None, ""
    for text, who in tell_starts(record, tasks):
        start, said_by = _moment(inv, text), who
        if start is not None:
            break
    return {
        "lesson": _lesson_data(record),
        **links_data(record, tasks),
        "in_force_then": _recorded_data(inv, record, tasks)
        or _then_data(inv, record, start, said_by),
    }


def _lesson_data(record: Record) -> dict[str, Any]:
    from vault_cli.text.sections import split_sections

    lead, sections = split_sections(record.body)
    return {
        **brief_data(record),
        "scope": str(record.scope),
        "applies_when": record.applies_when,
        "boundary": record.boundary,
        "confidence": record.confidence,
        "text": lead.strip(),
        "sections": {section.name: section.text for section in sections},
    }


def links_data(record: Record, tasks: tuple[SourceTask, ...]) -> dict[str, Any]:
    """Return the source tasks and the ranges of sessions that a record names."""
    from vault_cli.features.sources import source_sessions

    return {
        "tasks": [
            {"id": task.id, "in_vault": task.record is not None, **task.told} for task in tasks
        ],
        "sessions": [dict(item) for item in source_sessions(record)],
    }


def _moment(inv: Invocation, text: str) -> datetime | None:
    from vault_cli.cli.clocks import read_moment

    try:
        return read_moment(inv, text) if text.strip() else None
    except UsageError:
        return None


def _recorded_data(
    inv: Invocation, record: Record, tasks: tuple[SourceTask, ...]
) -> dict[str, Any] | None:
    """Return what a source task noted when it began, None where none did.

    That is what its agent had been shown; nothing is worked out again but the titles.
    """
    from vault_cli.features.task_records import read_task

    for source in tasks:
        if source.record is None or not source.record.fields.get("shown"):
            continue
        task = read_task(source.record)
        ids = [key for key in (*task.shown.seen, *task.shown.omitted) if key != record.id]
        try:
            known = inv.reading.snapshot(whole=True, at=task.commit).by_id if task.commit else {}
        except VaultError:
            known = {}
        known = {**inv.snapshot.by_id, **known}
        found = [known[key] for key in ids if key in known][:_TOLD]
        told = {other.id for other in found}
        return {
            "at": task.started, "said_by": f"task {task.id}, which noted it", "known": True,
            "why_not": "", "commit": task.commit,
            "total": len(ids) + sum(task.shown.uncounted.values()),
            "records": [_other_data(other) for other in found],
            "more": [key for key in ids if key not in told],
        }  # fmt: skip
    return None


def _other_data(other: Record) -> dict[str, Any]:
    return {**brief_data(other), "scope": str(other.scope), "confidence": other.confidence}


def _then_data(
    inv: Invocation, record: Record, moment: datetime | None, said_by: str
) -> dict[str, Any]:
    """Return what else was in force at a moment, as git and the periods of the records say."""
    from vault_cli.features.sources import others_in_force

    data: dict[str, Any] = {
        "at": moment.isoformat() if moment else "", "said_by": said_by if moment else "",
        "known": False, "why_not": "", "commit": "", "total": 0, "records": [], "more": [],
    }  # fmt: skip
    if moment is None:
        return {**data, "why_not": "nothing says when that was"}
    try:
        snapshot = inv.reading.snapshot(whole=True, at=moment.isoformat(timespec="seconds"))
    except VaultError as error:
        return {**data, "why_not": error.message}
    found = others_in_force(snapshot, record, moment)
    return {
        **data,
        "known": True,
        "commit": snapshot.commit,
        "total": len(found),
        "records": [_other_data(other) for other in found[:_TOLD]],
        "more": [other.id for other in found[_TOLD:]],
    }


def source_lines(data: Mapping[str, Any]) -> Iterator[Line]:
    """Yield the source tasks and sessions of `links_data` for a person."""
    for task in data["tasks"]:
        head = inline(task["id"]) + ("" if task["in_vault"] else "  (not in the vault)")
        yield [("dim", "source task: "), head]
        for key in ("goal", "expected", "status", "result"):
            if task[key]:
                yield f"  {key}: {inline(task[key])}"
    for item in data["sessions"]:
        span = f"{item.get('start', '?')} to {item.get('end', '?')}"
        yield [("dim", "source session: "), inline(f"{item.get('session', '?')}, events {span}")]


def parts_lines(data: Mapping[str, Any]) -> Iterator[Line]:
    """Yield the second and third part; the record itself stands above them."""
    yield [("bold", "Where it comes from")]
    yield from source_lines(data)
    if not data["tasks"]:
        yield "no source task is named"
    if not data["sessions"]:
        yield "no session is named"
    yield ""
    yield [("bold", "In force when that began")]
    yield from _then_lines(data["in_force_then"])


def _then_lines(then: Mapping[str, Any]) -> Iterator[Line]:
    if not then["known"]:
        said_by = f" (says {inline(then['said_by'])})" if then["at"] else ""
        yield f"not known: {inline(then['why_not'])}{said_by}"
        return
    when = f"{then['at']} (says {inline(then['said_by'])})"
    count = "1 other record" if then["total"] == 1 else f"{then['total']} other records"
    yield f"{count} at {when}"
    for item in then["records"]:
        sure = f"confidence {item['confidence']}" if item["confidence"] else "confidence not said"
        aside = inline(f"({item['scope']}; {sure})")
        yield [f"  {item['id']}  {item['kind']}  {inline(item['title'])}  ", ("dim", aside)]
    if then["more"]:
        named = " ".join(then["more"][:_NAMED])
        rest = len(then["more"]) - _NAMED
        yield f"  +{len(then['more'])} more in force: {named}" + (" …" if rest > 0 else "")
        if rest > 0:
            yield [("dim", f"  all: mvault list --view belief --known-at {then['at']}")]
