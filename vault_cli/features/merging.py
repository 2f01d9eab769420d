"""Two records that say the same become one; the other is superseded. May import `text`, `model`.

The survivor keeps its id and gets what the other says beyond it. The other keeps its text, in its
file and in history; `undo` brings both back.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from vault_cli.errors import Diagnostic, RefusedError
from vault_cli.features.joining import join_bodies
from vault_cli.features.likeness import find_contradiction
from vault_cli.features.records import (
    PERSON_ONLY,
    Planned,
    digest_of,
    patch_keys,
    read_checked,
    require_reason,
    require_same,
    subject_of,
    texts_of,
)
from vault_cli.features.supersession import (
    first_instant,
    last_instant,
    replace_record,
    require_no_rival,
    with_record,
)
from vault_cli.model.change import Change, Edit, Put
from vault_cli.model.lifecycle import Actor, require_step
from vault_cli.model.paths import is_skill_file
from vault_cli.model.record import IN_FORCE, Record, Snapshot, Status
from vault_cli.model.relations import find_circle, links_by
from vault_cli.text.document import REMOVE, replace_body
from vault_cli.text.refusal import NEVER_WRITTEN, refuse_values

_MERGED: Final = IN_FORCE | {Status.CANDIDATE}
_LISTS: Final = ("topics", "keywords", "aliases", "derived_from")


@dataclass(frozen=True, slots=True)
class MergeRequest:
    """What is asked for.

    Args:
        kept: the record that stays.
        gone: the record that is superseded by it.
        force_reason: why they are merged although they contradict each other or are of different
            kinds; "" when that was not asked for.
        reason: body of the commit message.
    """

    kept: Record
    gone: Record
    force_reason: str = ""
    reason: str = ""


def plan_merge(
    snapshot: Snapshot,
    request: MergeRequest,
    texts: Mapping[str, bytes],
    *,
    now: datetime,
    actor: Actor,
    origin: str = "cli",
) -> Planned:
    """Plan to put two records into one.

    The survivor gets the topics, keywords, aliases, `derived_from` and evidence of both, the
    parts of the other text that it lacks, and `supersedes`; the other becomes superseded as by
    an approval. Merged already: empty change.

    Args:
        snapshot: the vault both are in.
        request: what to merge, and how.
        texts: bytes by path of both files.
        now: aware instant in the vault's time zone.
        actor: who asks; a person (the lifecycle lets nobody else supersede).
        origin: how the request came in.

    Raises:
        RefusedError: not two records in force or waiting, a secret in one, another successor,
            different scopes, periods of which one would be lost, a contradiction or different
            kinds without `force_reason`, a SKILL.md, a note without an id, or a circle of
            `supersedes`.
        ChangedMeanwhileError: the bytes of a file differ.
    """
    kept, gone = request.kept, request.gone
    verb = "merge"
    if gone.status is Status.SUPERSEDED and gone.id in kept.supersedes:
        return Planned(Change(verb, subject_of(kept), (), ids=(kept.id, gone.id), actor=actor))
    _require_mergeable(request, actor)
    _require_readable(request)
    _require_free(snapshot, request)
    _require_periods(kept, gone, now)
    _require_agreement(request)
    data = texts_of(texts, kept)
    require_same(kept, data)
    new = _joined(kept, gone, data)
    after = read_checked(new, kept.path)
    _require_no_circle(snapshot, request, after)
    effect = replace_record(gone, after, texts, now=now, actor=actor)
    edits: list[Edit] = [Put(kept.path, new, digest_of(data))]
    edits += [effect.edit] if effect.edit else []
    change = Change(
        verb=verb,
        subject=subject_of(kept),
        edits=tuple(edits),
        reason=(request.reason or request.force_reason).strip(),
        ids=(kept.id, gone.id),
        actor=actor,
        origin=origin,
    )
    return Planned(change, change.ids, (*_left_behind(kept, gone, after), *effect.notes))


def _require_no_circle(snapshot: Snapshot, request: MergeRequest, after: Record) -> None:
    kept, gone = request.kept, request.gone
    joined = with_record(snapshot, kept, after)
    if find_circle(kept.id, links_by(joined.by_id, "supersedes")):
        raise RefusedError(
            f"{gone.id} supersedes {kept.id}, directly or through others",
            hint=f"Merge the other way: mvault merge {kept.id} {gone.id} --into {gone.id}",
        )


def _require_mergeable(request: MergeRequest, actor: Actor) -> None:
    kept, gone = request.kept, request.gone
    if kept.path == gone.path:
        raise RefusedError(f"{kept.id} cannot be merged with itself", hint="Name two records.")
    for record in (kept, gone):
        if not record.adopted:
            hint = f"First: mvault adopt {record.path}"
            raise RefusedError(f"{record.path} has no id yet", hint=hint)
        if is_skill_file(record.path):
            hint = "Edit the skill by hand, and deprecate the other."
            raise RefusedError(f"{record.path}: a SKILL.md is not merged", hint=hint)
        if record.status not in _MERGED:
            raise RefusedError(
                f"{record.id} is {record.status}; only records in force or drafts are merged",
                hint="Its text stays where it is; copy what is worth it with mvault edit.",
            )
    if gone.in_force and not kept.in_force:
        raise RefusedError(
            f"{kept.id} is a draft and {gone.id} is in force",
            hint=f"mvault merge {kept.id} {gone.id} --into {gone.id}, or approve {kept.id} first.",
        )
    if actor is not Actor.PERSON:
        raise RefusedError(f"merge is for a person, not for {actor}", hint=PERSON_ONLY)
    require_step(gone.status, Status.SUPERSEDED, actor, gone.id)
    if kept.scope != gone.scope:
        raise RefusedError(
            f"{kept.id} has the scope {kept.scope}, {gone.id} {gone.scope}: one reaches too far",
            hint=f"First give both one scope: mvault edit {gone.id} --set scope={kept.scope}",
        )


def _require_readable(request: MergeRequest) -> None:
    """Refuse what holds a secret: its record carries a stand-in, which is no text to join."""
    for record in (request.kept, request.gone):
        found = [f for f in record.held_by if f.code in NEVER_WRITTEN]
        if found:
            raise refuse_values(record.path, found)


def _require_free(snapshot: Snapshot, request: MergeRequest) -> None:
    """Refuse a second successor, and to lose whom a draft would have superseded."""
    kept, gone = request.kept, request.gone
    require_no_rival(snapshot, gone.id, kept.id)
    waiting = [old for old in gone.supersedes if old not in (*kept.supersedes, kept.id)]
    if waiting and not gone.in_force:
        raise RefusedError(
            f"{gone.id} is a draft that is to supersede {', '.join(waiting)}, {kept.id} is not",
            hint=f"Merge the other way, or first: mvault supersede {waiting[0]} {kept.id}",
        )


def _require_periods(kept: Record, gone: Record, now: datetime) -> None:
    mine, theirs = kept.validity, gone.validity
    starts_in_time = (
        mine.start is None
        or theirs.start is None
        or first_instant(mine.start, now) <= first_instant(theirs.start, now)
    )
    both_end = mine.end is not None and theirs.end is not None
    same_end = mine.end is theirs.end is None or (
        both_end and last_instant(mine.end, now) == last_instant(theirs.end, now)  # type: ignore[arg-type]
    )
    if starts_in_time and same_end:
        return
    raise RefusedError(
        f"{kept.id} holds {_period(kept)}, {gone.id} {_period(gone)}: one period would be lost",
        hint=(
            "If it was true twice, leave both. Else give them one period first:"
            f" mvault edit {kept.id} --set valid_from=… --set valid_to=…"
        ),
    )


def _period(record: Record) -> str:
    start, end = (moment.isoformat() if moment else "" for moment in record.validity)
    return f"from {start or 'ever'} to {end or 'further notice'}"


def _require_agreement(request: MergeRequest) -> None:
    if request.force_reason:
        require_reason(request.force_reason, "merge --force")
        return
    kept, gone = request.kept, request.gone
    again = f"mvault merge {kept.id} {gone.id} --force --reason TEXT"
    opposed = find_contradiction(kept, gone)
    if opposed is not None:
        raise RefusedError(
            f"{kept.id} and {gone.id} contradict each other: “{opposed.mine}” / “{opposed.theirs}”",
            hint=f"mvault conflict {kept.id} {gone.id} names it on both. To merge them: {again}",
        )
    if kept.kind is not gone.kind:
        raise RefusedError(
            f"{kept.id} is a {kept.kind}, {gone.id} a {gone.kind}",
            hint=f"To make them one {kept.kind}: {again}",
        )


def _joined(kept: Record, gone: Record, data: bytes) -> bytes:
    values = _united(kept, gone)
    body = join_bodies(kept.body, kept.title, gone.body, gone.title, kept.kind)
    if body != kept.body and kept.status is Status.VERIFIED:
        values["status"] = str(Status.ACTIVE)
    new = patch_keys(data, kept.path, values)
    return replace_body(new, body, kept.path) if body != kept.body else new


def _united(kept: Record, gone: Record) -> dict[str, Any]:
    """Return the keys of the survivor that change."""
    values: dict[str, Any] = {"supersedes": list(dict.fromkeys((*kept.supersedes, gone.id)))}
    for key in _LISTS:
        mine, theirs = getattr(kept, key), getattr(gone, key)
        more = [item for item in theirs if item not in mine and item != kept.id]
        rest = [item for item in mine if key != "derived_from" or item != gone.id]
        if more or len(rest) < len(mine):
            values[_written_key(kept, key)] = [*rest, *more] or REMOVE
    evidence = _united_evidence(kept, gone)
    if evidence is not None:
        values["evidence"] = evidence
    if gone.id in dict(kept.conflicts):
        raw = kept.fields.get("conflicts")
        entries = raw if isinstance(raw, list) else [raw]
        left = [e for e in entries if (e.get("id") if isinstance(e, Mapping) else e) != gone.id]
        values["conflicts"] = left or REMOVE
    return values


def _written_key(record: Record, key: str) -> str:
    """Return the key as the file has it: notes from elsewhere say `tags` for topics."""
    return (
        "tags" if key == "topics" and key not in record.fields and "tags" in record.fields else key
    )


def _united_evidence(kept: Record, gone: Record) -> list[Any] | None:
    """Return the evidence of both, an id of the other that is taken made new; None: unchanged."""
    mine, theirs = (_items(record.fields.get("evidence")) for record in (kept, gone))
    taken = {item.get("id") for item in mine if isinstance(item, Mapping)}
    more: list[Any] = []
    for item in theirs:
        if item in mine:
            continue
        entry = dict(item) if isinstance(item, Mapping) else item
        if isinstance(entry, dict) and entry.get("id") in taken:
            entry["id"] = next(key for n in range(1, 10_000) if (key := f"e{n}") not in taken)
        if isinstance(entry, dict):
            taken.add(entry.get("id"))
        more.append(entry)
    return [*mine, *more] if more else None


def _items(value: Any) -> list[Any]:
    return list(value) if isinstance(value, list | tuple) else [] if value is None else [value]


def _left_behind(kept: Record, gone: Record, after: Record) -> tuple[Diagnostic, ...]:
    """Return notes about what the survivor does not take over."""
    said = []
    for key in ("applies_when", "boundary"):
        theirs = str(getattr(gone, key)).strip()
        if theirs and theirs != str(getattr(kept, key)).strip():
            said.append(f"{key} of {gone.id} is not taken over: {theirs}")
    if gone.required and not kept.required:
        said.append(f"{gone.id} was required, {kept.id} is not")
    others = [other for other, _ in gone.conflicts if other != kept.id]
    if others:
        said.append(f"the conflicts of {gone.id} are not taken over: {', '.join(others)}")
    notes = [Diagnostic(kept.path, 0, "merge-left", "note", text) for text in said]
    if kept.status is Status.VERIFIED and after.status is not Status.VERIFIED:
        text = "was verified; the joined text is not, so it is active now"
        hint = f"Verify it again: mvault verify {kept.id}"
        notes.append(Diagnostic(kept.path, 0, "verification-lost", "note", text, hint))
    return tuple(notes)
