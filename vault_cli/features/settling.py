"""A person's answer to a conflict that a merge left. May import `text`, `model`.

`resolve` on the record keeps its wording; on a conflict record it takes that one. Either way the
conflict records of the record go: what they said is in history. Where the record itself is gone,
its conflict record comes back as a draft.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any, Final

from vault_cli.errors import Diagnostic
from vault_cli.features.conflict_records import OF, OF_FILE
from vault_cli.features.disputes import plan_resolve
from vault_cli.features.records import (
    Planned,
    digest_of,
    patch_keys,
    put_change,
    read_checked,
    require_reason,
    require_same,
)
from vault_cli.model.change import Put, Remove
from vault_cli.model.lifecycle import Actor, require_step
from vault_cli.model.record import ENDED, Record, Snapshot, Status
from vault_cli.text.document import REMOVE, parse_document, patch_document, replace_body

_STANDING: Final = frozenset({
    "id", "status", "disputed", "conflicts", "supersedes", "superseded_by", "aliases", "allow",
    "verification", "created", "origin", "deprecated", "rejected", "valid_to_before", OF, OF_FILE,
})  # fmt: skip
"""Keys that say what becomes of a record, not what it says; they stay as they are."""

_DROPS: Final = frozenset({Status.REJECTED, Status.DEPRECATED})
"""Answers about a conflict record that let the record's own wording stand."""


def conflict_records_of(snapshot: Snapshot, record_id: str) -> tuple[Record, ...]:
    """Return the conflict records that wait beside a record."""
    return tuple(
        other
        for other in snapshot.records
        if other.status is Status.DISPUTED
        and other.path.startswith("drafts/")
        and other.fields.get(OF) == record_id
    )


def is_conflict(snapshot: Snapshot, record: Record) -> bool:
    """Tell whether an answer about this record is one to a conflict of a merge."""
    if record.status is not Status.DISPUTED:
        return False
    is_one = OF in record.fields or OF_FILE in record.fields
    return is_one or bool(conflict_records_of(snapshot, record.id))


def files_of(snapshot: Snapshot, record: Record) -> tuple[Record, ...]:
    """Return the records whose files an answer reads and writes."""
    main = snapshot.by_id.get(str(record.fields.get(OF) or "")) or record
    found = {r.path: r for r in (record, main, *conflict_records_of(snapshot, main.id))}
    return tuple(found.values())


def plan_settle(
    snapshot: Snapshot,
    record: Record,
    texts: Mapping[str, bytes],
    *,
    reason: str,
    now: datetime,
    actor: Actor,
    random_int: Callable[[int], int],
    to: Status | None = None,
    origin: str = "cli",
) -> Planned:
    """Plan the answer to a conflict of a merge.

    Args:
        snapshot: the vault.
        record: the record in conflict, or the conflict record whose wording counts.
        texts: bytes by path of `files_of` and of what those supersede.
        reason: why; body of the commit message.
        now: aware instant in the vault's time zone.
        actor: who answers; only a person does.
        random_int: random integer below its argument, for the id of a decision.
        to: what becomes of the record, as in `plan_resolve`; `rejected` or `deprecated` of a
            conflict record drops it and lets the record's own wording stand.
        origin: how the request came in.

    Raises:
        UsageError, RefusedError: as `plan_resolve`.
    """
    why = require_reason(reason, "resolve")
    facts: dict[str, Any] = {"reason": why, "now": now, "actor": actor, "origin": origin}
    facts["random_int"] = random_int
    main = snapshot.by_id.get(str(record.fields.get(OF) or ""))
    is_side = OF in record.fields or OF_FILE in record.fields
    if not is_side:
        planned = plan_resolve(snapshot, record, texts, to=to, **facts)
        return _without(planned, conflict_records_of(snapshot, record.id), texts)
    require_same(record, texts[record.path])
    require_step(record.status, Status.REJECTED, actor, record.id)
    if to in _DROPS or OF_FILE in record.fields:
        return _drop(snapshot, record, main, texts, facts)
    if main is None or main.status in ENDED or main.status is Status.QUARANTINED:
        return _as_draft(snapshot, record, texts, facts)
    return _take(snapshot, record, main, texts, to, facts)


def _without(planned: Planned, sides: Sequence[Record], texts: Mapping[str, bytes]) -> Planned:
    """Return a plan that also removes conflict records; what they said stays in history."""
    removed = tuple(Remove(side.path, digest_of(texts[side.path])) for side in sides)
    change = planned.change
    notes = tuple(
        Diagnostic(
            side.path, 0, "conflict-over", "note",
            f"{side.id} is taken away: the conflict is answered; its wording is in history",
        )
        for side in sides
    )  # fmt: skip
    touched = (*change.touched, *(side.id for side in sides))
    change = replace(change, edits=(*change.edits, *removed), touched=touched)
    return replace(planned, change=change, notes=(*planned.notes, *notes))


def _drop(
    snapshot: Snapshot,
    record: Record,
    main: Record | None,
    texts: Mapping[str, bytes],
    facts: Mapping[str, Any],
) -> Planned:
    """Let the record's own wording stand; with its last conflict record the dispute ends, too."""
    sides = [r for r in conflict_records_of(snapshot, main.id) if r.id != record.id] if main else []
    if main is not None and main.status is Status.DISPUTED and not sides:
        planned = plan_resolve(snapshot, main, texts, **facts)
        return _without(planned, (record,), texts)
    data = texts[record.path]
    change = put_change(
        "resolve", record, data, data, reason=facts["reason"], actor=facts["actor"],
        origin=facts["origin"],
    )  # fmt: skip
    return _without(Planned(change, (record.id,)), (record,), texts)


def _as_draft(
    snapshot: Snapshot, record: Record, texts: Mapping[str, bytes], facts: Mapping[str, Any]
) -> Planned:
    """Bring the wording back as a draft of its own: the record it was about is gone."""
    data = texts[record.path]
    new = patch_keys(data, record.path, {OF: REMOVE})
    return _resolved(snapshot, record, data, new, texts, None, facts)


def _take(
    snapshot: Snapshot,
    record: Record,
    main: Record,
    texts: Mapping[str, bytes],
    to: Status | None,
    facts: Mapping[str, Any],
) -> Planned:
    """Give the record the wording of its conflict record."""
    old = texts[main.path]
    mine, theirs = parse_document(old, main.path), parse_document(texts[record.path], record.path)
    values = {key: value for key, value in theirs.front.items() if key not in _STANDING}
    values |= dict.fromkeys(set(mine.front) - set(theirs.front) - _STANDING, REMOVE)
    new = replace_body(patch_document(old, values, main.path), theirs.body, main.path)
    sides = conflict_records_of(snapshot, main.id)
    if main.status is Status.DISPUTED:
        planned = _resolved(snapshot, main, old, new, texts, to, facts)
    else:
        change = put_change(
            "resolve", main, old, new, reason=facts["reason"], actor=facts["actor"],
            origin=facts["origin"],
        )  # fmt: skip
        planned = Planned(change, (main.id,))
    return _without(planned, sides, texts)


def _resolved(
    snapshot: Snapshot,
    record: Record,
    old: bytes,
    new: bytes,
    texts: Mapping[str, bytes],
    to: Status | None,
    facts: Mapping[str, Any],
) -> Planned:
    """Plan the answer to a dispute on a text that is written in the same step."""
    fresh = read_checked(new, record.path)
    records = tuple(fresh if r.path == record.path else r for r in snapshot.records)
    planned = plan_resolve(
        replace(snapshot, records=records), fresh, {**texts, record.path: new}, to=to, **facts
    )
    edits = tuple(
        replace(edit, expects=digest_of(old))
        if isinstance(edit, Put) and edit.path == record.path
        else edit
        for edit in planned.change.edits
    )
    return replace(planned, change=replace(planned.change, edits=edits))
