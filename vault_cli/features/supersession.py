"""One record takes the place of another: what happens to both. May import `text`, `model`.

Which is current on a day: the successor counts from its `valid_from`, or from the day it is
admitted when it has none (that day is then written into it). The old record ends the day before
(`valid_to`), so exactly one of them is current on each day. An old record that began no earlier
than its successor cannot end before its own start: it ends on its first day, and its status says
that it is not the current one. One without a first day that was created on the very day its
successor begins ends on that day too: it never held on the day before. With exact instants
the old one ends where the new one begins. A `valid_to` that is already earlier is kept.

The old record becomes `superseded` at once when the successor counts today. When the successor
begins in the future, the old one stays in force and only its end is written: nothing has to run
on the day itself. `supersedes` on the successor is the truth; `superseded_by` in the old file is
a pointer for whoever reads it.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from datetime import date, datetime, time, timedelta
from typing import Any, cast

from vault_cli.errors import Diagnostic, RefusedError
from vault_cli.features.records import (
    digest_of,
    patch_keys,
    read_checked,
    resolve_record,
    texts_of,
)
from vault_cli.model.change import Change, Put
from vault_cli.model.lifecycle import Actor, require_step
from vault_cli.model.paths import is_skill_file
from vault_cli.model.record import IN_FORCE, Record, Snapshot, Status
from vault_cli.model.relations import find_circle, links_by
from vault_cli.model.validity import Validity
from vault_cli.text.document import REMOVE
from vault_cli.text.values import day_of

_WITHOUT_EFFECT = frozenset({Status.DEPRECATED, Status.REJECTED, Status.TOMBSTONED})


@dataclass(frozen=True, slots=True)
class Replacement:
    """The effect on one predecessor: its edit (None: nothing to write) and notes."""

    edit: Put | None
    notes: tuple[Diagnostic, ...] = ()


def successors_of(
    snapshot: Snapshot, record_id: str, *, in_force: bool = True
) -> tuple[Record, ...]:
    """Return the records that say they supersede `record_id` (only those in force by default)."""
    return tuple(
        record
        for record in snapshot.records
        if record_id in record.supersedes and (record.in_force or not in_force)
    )


def predecessors_of(snapshot: Snapshot, record: Record) -> tuple[Record, ...]:
    """Return the records that `record` supersedes.

    Raises:
        RefusedError: it names itself, an id that is not there or stands in several files, one
            that another record in force supersedes already, or a cycle would close.
    """
    found = []
    for old_id in record.supersedes:
        if old_id == record.id:
            raise RefusedError(
                f"{record.id} supersedes itself", hint="Take the id out of supersedes."
            )
        old = _predecessor(snapshot, record, old_id)
        require_no_rival(snapshot, old_id, record.id)
        found.append(old)
    cycle = find_circle(record.id, links_by(snapshot.by_id, "supersedes"))
    if cycle:
        raise RefusedError(
            f"supersedes goes round in a circle: {' -> '.join(cycle)}",
            hint="Take one of the ids out of its supersedes.",
        )
    return tuple(found)


def with_record(snapshot: Snapshot, old: Record, new: Record) -> Snapshot:
    """Return the vault as it is once `new` stands in the file of `old`."""
    records = tuple(new if record.path == old.path else record for record in snapshot.records)
    return replace(snapshot, records=records)


def require_no_rival(snapshot: Snapshot, old_id: str, successor_id: str) -> None:
    """Raise RefusedError when a record in force besides `successor_id` supersedes `old_id`."""
    rivals = [r.id for r in successors_of(snapshot, old_id) if r.id != successor_id]
    if rivals:
        raise RefusedError(
            f"{old_id} is already superseded by {', '.join(rivals)}",
            hint=f"Let it supersede that one instead: mvault supersede {rivals[0]} {successor_id}",
        )


def _predecessor(snapshot: Snapshot, record: Record, old_id: str) -> Record:
    old = snapshot.by_id.get(old_id)
    if old is not None:
        return old
    if any(other.id == old_id for other in snapshot.records):
        return resolve_record(snapshot, old_id)  # raises and names the files
    raise RefusedError(
        f"{record.id} supersedes {old_id}, which is not in the vault",
        hint=f"Correct supersedes in {record.path}, or take it out.",
        missing=old_id,
    )


def starting_day(record: Record, now: datetime) -> dict[str, Any]:
    """Return the keys a successor gets on admission: `valid_from` today when it has none."""
    if not record.supersedes or record.validity.start is not None or is_skill_file(record.path):
        return {}
    return {"valid_from": now.date().isoformat()}


def replace_record(
    old: Record, successor: Record, texts: Mapping[str, bytes], *, now: datetime, actor: Actor
) -> Replacement:
    """Plan the effect of admitting `successor` on its predecessor `old`.

    Raises:
        RefusedError: the lifecycle does not allow it.
        ChangedMeanwhileError: the bytes of the old file are missing or differ.
    """
    if old.status in _WITHOUT_EFFECT:
        text = f"{old.id} is {old.status} and stays so"
        return Replacement(None, (Diagnostic(old.path, 0, "superseded-ended", "note", text),))
    start = successor.validity.start or now.date()
    counts_now = old.status not in IN_FORCE or Validity(start).state_at(now) != "scheduled"
    values: dict[str, Any] = {"superseded_by": successor.id}
    if counts_now and old.status is not Status.SUPERSEDED:
        require_step(old.status, Status.SUPERSEDED, actor, old.id)
        values["status"] = str(Status.SUPERSEDED)
    end = _closing_end(old, start, now)
    if end and not is_skill_file(old.path):
        values |= {"valid_to": end, **_kept_end(old)}
    data = texts_of(texts, old)
    new = patch_keys(data, old.path, values)
    edit = Put(old.path, new, digest_of(data)) if new != data else None
    return Replacement(edit, _scheduled_note(old, successor, start) if not counts_now else ())


def _kept_end(old: Record) -> dict[str, Any]:
    """Return the key that keeps an end which is about to be overwritten, for a later revival."""
    if old.validity.end is None or "valid_to_before" in old.fields:
        return {}
    return {"valid_to_before": _iso(old.validity.end)}


def reopened_end(snapshot: Snapshot, old: Record, now: datetime) -> dict[str, Any]:
    """Return the keys that give a superseded record its own end back.

    An end that its successor brought is taken away, or what stood there before comes back. An end
    of the record's own stays.
    """
    before = old.fields.get("valid_to_before")
    if before is not None:
        return {"valid_to": before, "valid_to_before": REMOVE}
    successor = snapshot.by_id.get(str(old.fields.get("superseded_by")))
    start = successor.validity.start if successor is not None else None
    end = old.validity.end
    if start is None or end is None:
        return {}
    closed = replace(old, validity=Validity(old.validity.start, None))
    return {"valid_to": REMOVE} if _closing_end(closed, start, now) == _iso(end) else {}


@dataclass(frozen=True, slots=True)
class Effect:
    """What a record's coming into force does to all its predecessors.

    Args:
        edits: one per predecessor that changes.
        notes: what is to be said about them.
        touched: their ids, for the commit.
    """

    edits: tuple[Put, ...] = ()
    notes: tuple[Diagnostic, ...] = ()
    touched: tuple[str, ...] = ()


def replace_predecessors(
    snapshot: Snapshot,
    record: Record,
    after: Record,
    texts: Mapping[str, bytes],
    *,
    now: datetime,
    actor: Actor,
) -> Effect:
    """Plan the effect of `record`, as it is `after` the change, on everything it supersedes.

    Raises:
        RefusedError, ChangedMeanwhileError: as `predecessors_of` and `replace_record`.
    """
    edits: list[Put] = []
    notes: list[Diagnostic] = []
    touched: list[str] = []
    for old in predecessors_of(snapshot, record):
        effect = replace_record(old, after, texts, now=now, actor=actor)
        notes += effect.notes
        if effect.edit is not None:
            edits.append(effect.edit)
            touched.append(old.id)
    return Effect(tuple(edits), tuple(notes), tuple(touched))


def take_effect(
    snapshot: Snapshot,
    record: Record,
    change: Change,
    texts: Mapping[str, bytes],
    *,
    now: datetime,
    actor: Actor,
) -> tuple[Change, Record, tuple[Diagnostic, ...]]:
    """Complete a change that puts `record` in force by what that does to its predecessors.

    Args:
        snapshot: the vault as it is.
        record: with the links that count; its new text is the first edit of `change`.
        change: of the record alone.
        texts: bytes by path of the predecessors.
        now: aware instant in the vault's time zone.
        actor: who asks.

    Returns:
        The whole change, the record as it reads after it, and notes about the predecessors.

    Raises:
        RefusedError, ChangedMeanwhileError: as `replace_predecessors`.
    """
    after = read_checked(cast("Put", change.edits[0]).data, record.path)
    effect = replace_predecessors(snapshot, record, after, texts, now=now, actor=actor)
    touched = tuple(dict.fromkeys((*change.touched, *effect.touched)))
    whole = replace(change, edits=(*change.edits, *effect.edits), touched=touched)
    return whole, after, effect.notes


def current_successors(snapshot: Snapshot, record: Record) -> tuple[str, ...]:
    """Return the ids of the records in force at the end of the chains of successors."""
    found: dict[str, None] = {}
    seen = {record.id}
    todo = [record.id]
    while todo:
        for other in successors_of(snapshot, todo.pop(), in_force=False):
            if other.id in seen:
                continue
            seen.add(other.id)
            if other.in_force:
                found[other.id] = None
            elif other.status is Status.SUPERSEDED:
                todo.append(other.id)
    return tuple(found)


def require_no_successor(snapshot: Snapshot, record: Record) -> None:
    """Raise RefusedError when a record in force took this one's place, and say which.

    A successor that was superseded in turn stands for whoever superseded it.
    """
    rivals = current_successors(snapshot, record)
    if rivals:
        raise RefusedError(
            f"{record.id} is superseded by {', '.join(rivals)}, which is in force",
            hint=f"First: mvault deprecate {rivals[0]} --reason TEXT",
        )
    skill = snapshot.by_id.get(str(record.fields.get("superseded_by")))
    if record.fields.get("graduated") and skill is not None and skill.in_force:
        raise RefusedError(
            f"{record.id} became the skill {skill.id}, which is in force",
            hint=f"To bring the recipe back: mvault demote {skill.id} --reason TEXT",
        )


def orphaned_notes(snapshot: Snapshot, leaving: Collection[Record]) -> tuple[Diagnostic, ...]:
    """Name the records that stay superseded although what superseded them leaves force."""
    gone = {record.id for record in leaving}
    kept = {
        old
        for record in snapshot.records
        if record.in_force and record.id not in gone
        for old in record.supersedes
    }
    names = dict.fromkeys(old for record in leaving for old in record.supersedes)
    found = (snapshot.by_id.get(old) for old in names if old not in kept | gone)
    return tuple(
        Diagnostic(
            old.path,
            0,
            "predecessor-left",
            "note",
            f"{old.id} stays superseded although its successor leaves force",
            f"To put it back in force: mvault revive {old.id} --reason TEXT",
        )
        for old in found
        if old is not None and old.status is Status.SUPERSEDED
    )


def _scheduled_note(
    old: Record, successor: Record, start: date | datetime
) -> tuple[Diagnostic, ...]:
    text = f"stays in force until {successor.id} begins on {start.isoformat()}"
    return (Diagnostic(old.path, 0, "superseded-later", "note", text),)


def _closing_end(old: Record, start: date | datetime, now: datetime) -> str:
    """Return the new `valid_to` of the old record, "" to leave it."""
    begin, end = old.validity.start or _created_day(old, start, now), old.validity.end
    if isinstance(start, datetime):
        closing: date | datetime = start
        if begin is not None and first_instant(begin, now) > start:
            closing = begin
    else:
        closing = start - timedelta(days=1)
        if begin is not None and first_instant(begin, now) > last_instant(closing, now):
            closing = begin
    if end is not None and last_instant(end, now) <= last_instant(closing, now):
        return ""
    return _iso(closing)


def _created_day(old: Record, start: date | datetime, now: datetime) -> date | None:
    """Return the day a record was created, when that is the day `start` its successor begins.

    An earlier successor says since when the old text was wrong, whenever that was written down.
    """
    first = first_instant(start, now).astimezone(now.tzinfo).date()
    return first if day_of(old.created, now.tzinfo) == first else None


def _iso(value: date | datetime) -> str:
    return value.isoformat().replace("+00:00", "Z")


def first_instant(value: date | datetime, now: datetime) -> datetime:
    """Return the first moment of a day in the zone of `now`, or the instant itself."""
    return value if isinstance(value, datetime) else datetime.combine(value, time.min, now.tzinfo)


def last_instant(value: date | datetime, now: datetime) -> datetime:
    """Return the last moment of a day in the zone of `now`, or the instant itself."""
    return value if isinstance(value, datetime) else datetime.combine(value, time.max, now.tzinfo)


def periods_overlap(one: Record, other: Record, now: datetime) -> bool:
    """Tell whether two records hold at some moment both (open ends reach everywhere)."""
    return _starts_before_end(one, other, now) and _starts_before_end(other, one, now)


def _starts_before_end(one: Record, other: Record, now: datetime) -> bool:
    start, end = one.validity.start, other.validity.end
    if start is None or end is None:
        return True
    return first_instant(start, now) <= last_instant(end, now)


def needed_paths(snapshot: Snapshot, records: Collection[Record]) -> tuple[str, ...]:
    """Return the files an approval of `records` needs: theirs and those of predecessors."""
    by_id = snapshot.by_id
    paths = {record.path for record in records}
    for record in records:
        paths |= {by_id[old].path for old in record.supersedes if old in by_id}
    return tuple(sorted(paths))
