"""Out of use and back again: deprecate many, revive one. May import `text`, `model`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from vault_cli.errors import Diagnostic, RefusedError
from vault_cli.features.records import (
    ENDING_KEYS,
    Planned,
    patch_keys,
    plan_deprecate,
    present_keys,
    put_change,
    require_reason,
    texts_of,
)
from vault_cli.features.supersession import (
    orphaned_notes,
    reopened_end,
    require_no_successor,
    take_effect,
)
from vault_cli.model.change import Edit
from vault_cli.model.lifecycle import Actor, require_step
from vault_cli.model.record import IN_FORCE, Kind, Record, Snapshot, Status
from vault_cli.text.document import REMOVE

_REVIVED = frozenset({Status.SUPERSEDED, Status.DEPRECATED, Status.REJECTED})


def plan_deprecate_all(
    snapshot: Snapshot,
    records: Sequence[Record],
    texts: Mapping[str, bytes],
    *,
    reason: str,
    now: datetime,
    actor: Actor,
    origin: str = "cli",
) -> Planned:
    """Plan to take several records out of use in one change; what is so already stays.

    Args:
        snapshot: the vault.
        records: what to deprecate.
        texts: bytes by path of their files.
        reason: why; body of the commit message, and kept in each file.
        now: aware instant in the vault's time zone.
        actor: who asks; only a person deprecates.
        origin: how the request came in.

    Raises:
        UsageError: no reason. RefusedError: the lifecycle does not allow it for one of them.
        ChangedMeanwhileError: bytes are missing or differ.
    """
    changes = [
        plan_deprecate(
            record, texts_of(texts, record), reason=reason, now=now, actor=actor, origin=origin
        )
        for record in records
    ]
    real = [change for change in changes if not change.is_empty]
    leaving = [record for record in records if record.status is not Status.DEPRECATED]
    if len(records) == 1 or not real:
        return Planned(changes[0], changes[0].ids, orphaned_notes(snapshot, leaving))
    edits: list[Edit] = [edit for change in real for edit in change.edits]
    ids = tuple(record.id for record in leaving)
    subject = real[0].subject if len(real) == 1 else f": {len(real)} records"
    change = replace(real[0], subject=subject, edits=tuple(edits), ids=ids)
    return Planned(change, ids, orphaned_notes(snapshot, leaving))


def plan_revive(
    snapshot: Snapshot,
    record: Record,
    texts: Mapping[str, bytes],
    *,
    reason: str,
    now: datetime,
    actor: Actor,
    origin: str = "cli",
) -> Planned:
    """Plan to bring a deprecated or superseded record back in force, a rejected one as a draft.

    An end of validity that a successor brought is taken away again. What the record supersedes
    itself goes out of force with it. A file below `drafts/` was never admitted: it comes back
    as a draft.

    Args:
        snapshot: the vault.
        record: what to bring back.
        texts: bytes by path of every file in `needed_paths(snapshot, [record])`.
        reason: why; body of the commit message.
        now: aware instant in the vault's time zone.
        actor: who asks; only a person revives.
        origin: how the request came in.

    Returns:
        The change, empty when the record is in force or a draft already.

    Raises:
        UsageError: no reason. RefusedError: a successor is in force (named), or the lifecycle
            does not allow it. ChangedMeanwhileError: bytes are missing or differ.
    """
    data = texts_of(texts, record)
    if record.in_force or record.status is Status.CANDIDATE:
        return Planned(put_change("revive", record, data, data, actor=actor), (record.id,))
    _require_ended(record)
    target = _revived_status(record)
    why = require_reason(reason, "revive")
    require_step(record.status, target, actor, record.id)
    if record.status is not Status.REJECTED:
        require_no_successor(snapshot, record)
    new = patch_keys(data, record.path, _revived_keys(snapshot, record, target, now))
    change = put_change("revive", record, data, new, reason=why, actor=actor, origin=origin)
    if target not in IN_FORCE:
        return Planned(change, (record.id,), _decision_notes(snapshot, record))
    change, after, notes = take_effect(snapshot, record, change, texts, now=now, actor=actor)
    return Planned(change, (record.id,), (*notes, *_expired_note(after, now)))


def _require_ended(record: Record) -> None:
    if record.fields.get("promoted_to"):
        raise RefusedError(
            f"{record.id} was promoted: it is in force as {record.fields['promoted_to']}",
            hint="Promote it back from there: mvault promote",
        )
    if record.status in _REVIVED:
        return
    other = "resolve" if record.status is Status.DISPUTED else ""
    raise RefusedError(
        f"{record.id} is {record.status}; only what was superseded, deprecated or rejected "
        "is revived",
        hint=f"Use: mvault {other} {record.id}"
        if other
        else "Its text is not there any more."
        if record.status is Status.TOMBSTONED
        else "A person releases it from quarantine first.",
    )


def _revived_status(record: Record) -> Status:
    is_draft = record.status is Status.REJECTED or record.path.startswith("drafts/")
    return Status.CANDIDATE if is_draft else Status.ACTIVE


def revived_keys(snapshot: Snapshot, record: Record, now: datetime) -> dict[str, Any]:
    """Return the keys of a record that is brought back in force (see `plan_revive`)."""
    return _revived_keys(snapshot, record, _revived_status(record), now)


def _revived_keys(
    snapshot: Snapshot, record: Record, target: Status, now: datetime
) -> dict[str, Any]:
    values: dict[str, Any] = {"status": str(target)}
    if {"superseded_by", "valid_to_before"} & record.fields.keys():
        values |= reopened_end(snapshot, record, now)
    gone = present_keys(record) & (ENDING_KEYS | {"graduated"})
    return values | dict.fromkeys(sorted(gone), REMOVE)


def _decision_notes(snapshot: Snapshot, record: Record) -> tuple[Diagnostic, ...]:
    """Name the decisions that still say the draft was turned down."""
    return tuple(
        Diagnostic(
            other.path,
            0,
            "decision-stands",
            "note",
            f"{other.id} still says that {record.id} was turned down",
            f"To take it out of use: mvault deprecate {other.id} --reason TEXT",
        )
        for other in snapshot.records
        if other.kind is Kind.DECISION and other.in_force and record.id in other.derived_from
    )


def _expired_note(record: Record, now: datetime) -> tuple[Diagnostic, ...]:
    if record.validity.state_at(now) != "expired":
        return ()
    text = f"{record.id} is in force again, but its last day is over"
    hint = f"To open its end: mvault edit {record.id} --set valid_to="
    return (Diagnostic(record.path, 0, "expired", "note", text, hint),)
