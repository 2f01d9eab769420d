"""An objection to a record, and a person's answer to it. May import `text`, `model`.

A disputed record keeps its text and its place; it leaves the render until a person has looked.
What it was before stands in its `disputed` key, so that the answer can bring just that back.
What it conflicts with stands in its own `conflicts` only, since whoever objects may not write into
another record; `check` bears that until the answer, which takes it out again.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from vault_cli.errors import Diagnostic, RefusedError, UsageError
from vault_cli.features.approval import plan_reject
from vault_cli.features.records import (
    PERSON_ONLY,
    Planned,
    deprecation,
    instant_text,
    patch_keys,
    put_change,
    require_reason,
    require_same,
)
from vault_cli.features.supersession import (
    orphaned_notes,
    require_no_successor,
    take_effect,
)
from vault_cli.model.lifecycle import Actor, require_step
from vault_cli.model.paths import is_skill_file
from vault_cli.model.record import IN_FORCE, Kind, Record, Snapshot, Status
from vault_cli.text.document import REMOVE
from vault_cli.text.late import late

ANSWERS = (Status.ACTIVE, Status.CANDIDATE, Status.DEPRECATED, Status.REJECTED)
"""What a disputed record can become by a person's word."""

_NAMED = "conflicts_with"
_WAS = late(r"(?:^|; )was: ([a-z]+)(?:;|$)")


def needs_person(record: Record) -> bool:
    """Tell whether only a person may dispute a record: a rule that must be followed, a persona.

    Whoever is bound by it, or by its locked lines, could else switch it off by objecting to it.
    """
    return record.in_force and (record.required or record.kind is Kind.PERSONA)


def plan_dispute(
    snapshot: Snapshot,
    record: Record,
    data: bytes,
    *,
    now: datetime,
    actor: Actor,
    reason: str = "",
    evidence: Sequence[str] = (),
    conflicts_with: Sequence[str] = (),
    origin: str = "cli",
) -> Planned:
    """Plan to mark a record as disputed: it leaves the render and keeps its text.

    Args:
        snapshot: the vault.
        record: what is objected to; `data` are the bytes of its file.
        data: see `record`.
        now: aware instant in the vault's time zone.
        actor: who objects; anyone may, except to a required rule or a persona in force.
        reason: why; body of the commit message.
        evidence: ids of records, or of pieces of the record's own evidence, that speak against it.
        conflicts_with: ids of records that say something else.
        origin: how the request came in.

    Raises:
        UsageError: neither a reason, nor evidence, nor a conflict is given, or an id is unknown.
        RefusedError: the lifecycle does not allow it, or a person is needed.
    """
    require_same(record, data)
    against = _known_others(snapshot, record, conflicts_with, "--conflicts-with")
    shown = _known_evidence(snapshot, record, evidence)
    if record.status is not Status.DISPUTED and not (reason.strip() or shown or against):
        require_reason("", "dispute")
    if needs_person(record) and actor is not Actor.PERSON:
        raise RefusedError(
            f"{record.id} is a {'required rule' if record.required else record.kind}: objecting to"
            f" it is not for {actor}",
            hint=PERSON_ONLY,
        )
    values, named = _new_conflicts(record, against)
    old = record.fields.get("disputed")
    if record.status is Status.DISPUTED and named and isinstance(old, Mapping):
        values["disputed"] = {**old, _NAMED: [*_named_by_dispute(record), *named]}
    if record.status is not Status.DISPUTED:
        require_step(record.status, Status.DISPUTED, actor, record.id)
        mark = {"reason": reason.strip(), "at": instant_text(now), "by": str(actor)}
        mark |= {"was": str(record.status)}
        given: dict[str, Any] = {key: text for key, text in mark.items() if text}
        values |= {"status": str(Status.DISPUTED), "disputed": given}
        if named:
            given[_NAMED] = list(named)
        if shown:
            given["evidence"] = list(shown) if not is_skill_file(record.path) else " ".join(shown)
    new = patch_keys(data, record.path, values) if values else data
    change = put_change(
        "dispute", record, data, new, reason=reason.strip(), actor=actor, origin=origin
    )
    return Planned(change, (record.id,), orphaned_notes(snapshot, [record]))


def _known_others(
    snapshot: Snapshot, record: Record, ids: Sequence[str], option: str
) -> tuple[str, ...]:
    known = {other.id for other in snapshot.records}
    for text in ids:
        if text == record.id:
            raise UsageError(f"{option} names the record itself", hint="Name another record.")
        if text not in known:
            hint = "`mvault list` shows the ids."
            raise UsageError(f"{option}: no record {text}", hint=hint, missing=text)
    return tuple(dict.fromkeys(ids))


def _known_evidence(snapshot: Snapshot, record: Record, ids: Sequence[str]) -> tuple[str, ...]:
    """Return evidence given by id: of a record, or of a piece the record holds itself."""
    own = record.fields.get("evidence")
    pieces = own if isinstance(own, list) else []
    held = {str(piece.get("id")) for piece in pieces if isinstance(piece, Mapping)}
    _known_others(snapshot, record, [text for text in ids if text not in held], "--evidence")
    return tuple(dict.fromkeys(ids))


def _new_conflicts(
    record: Record, against: Collection[str]
) -> tuple[dict[str, Any], tuple[str, ...]]:
    """Return the new value of `conflicts`, if it changes, and the ids that come in."""
    present = {other for other, _ in record.conflicts}
    fresh = tuple(other for other in against if other not in present)
    if not fresh:
        return {}, ()
    if is_skill_file(record.path):
        raise RefusedError(
            f"{record.path}: a SKILL.md holds no conflicts", hint="Say it in --reason."
        )
    pairs = [{"id": other, **({"type": kind} if kind else {})} for other, kind in record.conflicts]
    pairs += [{"id": other, "type": "contradiction"} for other in fresh]
    return {"conflicts": pairs}, fresh


def _named_by_dispute(record: Record) -> tuple[str, ...]:
    """Return the conflicts that came in with the objection."""
    mark = record.fields.get("disputed")
    named = mark.get(_NAMED) if isinstance(mark, Mapping) else None
    return tuple(map(str, named)) if isinstance(named, list) else ()


def _answered_conflicts(
    snapshot: Snapshot, record: Record
) -> tuple[dict[str, Any], tuple[Diagnostic, ...]]:
    """Take out the conflicts that came with the objection and that only this record names.

    The other record is in force and was not written; a conflict counts once both name it.
    """
    by_id = snapshot.by_id
    mine = set(_named_by_dispute(record))
    gone = [
        (other, kind)
        for other, kind in record.conflicts
        if other in mine and (other not in by_id or record.id not in dict(by_id[other].conflicts))
    ]
    raw = record.fields.get("conflicts")
    if not gone or not isinstance(raw, list):
        return {}, ()
    lost = {other for other, _ in gone}
    left = [e for e in raw if str(e.get("id") if isinstance(e, Mapping) else e) not in lost]
    notes = tuple(
        Diagnostic(
            record.path, 0, "conflict-answered", "note",
            f"the conflict with {other} came with the objection and is taken out with it",
            f"To show both side by side: mvault conflict {record.id} {other} --type {kind}",
        )
        for other, kind in gone
    )  # fmt: skip
    return {"conflicts": left or REMOVE}, notes


def status_before(record: Record) -> Status:
    """Return what a disputed record was before; active when nobody wrote it down.

    A file below `drafts/` was never admitted, whatever it says about itself.
    """
    mark = record.fields.get("disputed")
    metadata = record.fields.get("metadata")
    if mark is None and isinstance(metadata, Mapping):
        mark = metadata.get("mvault-disputed")
    if isinstance(mark, Mapping):
        was = str(mark.get("was"))
    else:
        found = _WAS.search(mark) if isinstance(mark, str) else None
        was = found.group(1) if found else ""
    is_draft = was == Status.CANDIDATE or record.path.startswith("drafts/")
    return Status.CANDIDATE if is_draft else Status.ACTIVE


def plan_resolve(
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
    """Plan a person's answer to a dispute.

    Args:
        snapshot: the vault.
        record: the disputed record.
        texts: bytes by path of every file in `needed_paths(snapshot, [record])`.
        reason: why; body of the commit message.
        now: aware instant in the vault's time zone.
        actor: who answers; only a person does.
        random_int: random integer below its argument, for the id of a decision.
        to: one of `ANSWERS`; None brings back what it was. A record that was verified comes back
            as active: its evidence is to be weighed again.
        origin: how the request came in.

    Returns:
        The change, empty when the record is not disputed and is what the answer would make it.

    Raises:
        UsageError: no reason, or no such answer. RefusedError: not disputed, not a person, a
            draft that would skip its approval, or a successor in force.
    """
    data = texts.get(record.path, b"")
    require_same(record, data)
    if to is not None and to not in ANSWERS:
        known = ", ".join(ANSWERS)
        raise UsageError(f"a dispute is not resolved as {to}", hint=f"Use one of: {known}.")
    if record.status is not Status.DISPUTED:
        _require_answered(record, to)
        return Planned(put_change("resolve", record, data, data, actor=actor), (record.id,))
    why = require_reason(reason, "resolve")
    target = _answer(record, to)
    require_step(record.status, target, actor, record.id)
    if target is Status.REJECTED:
        planned = plan_reject(
            snapshot, record, data, reason=why, now=now, actor=actor, random_int=random_int,
            origin=origin,
        )  # fmt: skip
        return replace(planned, change=replace(planned.change, verb="resolve"))
    if target is Status.DEPRECATED:
        new = patch_keys(data, record.path, deprecation(record, why, now))
        change = put_change("resolve", record, data, new, reason=why, actor=actor, origin=origin)
        return Planned(change, (record.id,), orphaned_notes(snapshot, [record]))
    return _plan_return(
        snapshot, record, texts, target, reason=why, now=now, actor=actor, origin=origin
    )


def _plan_return(
    snapshot: Snapshot,
    record: Record,
    texts: Mapping[str, bytes],
    target: Status,
    *,
    reason: str,
    now: datetime,
    actor: Actor,
    origin: str,
) -> Planned:
    """Plan that a disputed record counts again, in force or as a draft."""
    data = texts[record.path]
    values, answered = _answered_conflicts(snapshot, record)
    values |= {"status": str(target), "disputed": REMOVE}
    new = patch_keys(data, record.path, values)
    change = put_change("resolve", record, data, new, reason=reason, actor=actor, origin=origin)
    if target not in IN_FORCE:
        return Planned(change, (record.id,), answered)
    require_no_successor(snapshot, record)
    change, _, notes = take_effect(snapshot, record, change, texts, now=now, actor=actor)
    return Planned(change, (record.id,), (*notes, *answered, *_verify_again(record)))


def _require_answered(record: Record, to: Status | None) -> None:
    """Refuse what is not disputed, but for one that is already what the answer would make it."""
    back = {Status.ACTIVE: IN_FORCE, None: IN_FORCE | {Status.CANDIDATE}}
    if record.status in back.get(to, {to}):
        return
    ended = record.status in (Status.SUPERSEDED, Status.DEPRECATED, Status.REJECTED)
    other = f"To object to it: mvault dispute {record.id} --reason TEXT"
    if ended:
        other = f"To bring it back: mvault revive {record.id} --reason TEXT"
    raise RefusedError(
        f"{record.id} is {record.status}, not disputed",
        hint=other,
    )


def _answer(record: Record, to: Status | None) -> Status:
    before = status_before(record)
    if to is Status.ACTIVE and before is Status.CANDIDATE:
        raise RefusedError(
            f"{record.id} was a draft when it was disputed",
            hint=f"First: mvault resolve {record.id} --reason TEXT; then: "
            f"mvault approve {record.id}",
        )
    return to or before


def _verify_again(record: Record) -> tuple[Diagnostic, ...]:
    if "verification" not in record.fields:
        return ()
    text = f"{record.id} was verified and is active now"
    hint = f"Its evidence is weighed again by: mvault verify {record.id}"
    return (Diagnostic(record.path, 0, "verify-again", "note", text, hint),)
