"""A person's word on a draft: approve and reject. May import `text`, `model`."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from vault_cli.errors import Diagnostic, RefusedError
from vault_cli.features.composing import DraftRequest, compose_draft
from vault_cli.features.guarded import require_person_for_deny
from vault_cli.features.parts import is_chinese, missing_notes
from vault_cli.features.persona import require_admissible
from vault_cli.features.records import (
    ENDING_KEYS,
    PERSON_ONLY,
    Planned,
    digest_of,
    instant_text,
    other_ids,
    patch_keys,
    present_keys,
    read_checked,
    require_reason,
    require_same,
    subject_of,
    texts_of,
)
from vault_cli.features.supersession import (
    Effect,
    needed_paths,
    orphaned_notes,
    replace_predecessors,
    require_no_successor,
    starting_day,
)
from vault_cli.model.change import ALLOW_TRAILER, Change, Edit, Move, Put
from vault_cli.model.lifecycle import Actor, require_step
from vault_cli.model.paths import fold_path, skill_folder
from vault_cli.model.record import WORK_COMMANDS, Kind, Record, Snapshot, Status
from vault_cli.text.document import REMOVE
from vault_cli.text.late import late
from vault_cli.text.names import file_name, new_id

__all__ = ["NEVER_ALLOWED", "needed_paths", "plan_approve", "plan_reject"]

NEVER_ALLOWED = frozenset({"duplicate-id", "name-collision"})
"""Findings that a person cannot wave through: which file is meant would stay open."""

_MONTH = late(r"[0-9]{4}-[0-9]{2}")
_MONTH_DEPTH = 3


@dataclass(frozen=True, slots=True)
class _Approval:
    """Facts that hold for every record of one approval."""

    snapshot: Snapshot
    texts: Mapping[str, bytes]
    now: datetime
    actor: Actor
    random_int: Callable[[int], int]
    allow: tuple[str, ...]
    taken: set[str]


def plan_approve(
    snapshot: Snapshot,
    records: Sequence[Record],
    texts: Mapping[str, bytes],
    *,
    now: datetime,
    actor: Actor,
    how: str,
    random_int: Callable[[int], int],
    allow: Collection[str] = (),
    reason: str = "",
    origin: str = "cli",
) -> Planned:
    """Plan to admit records: status active, out of `drafts/`, predecessors superseded.

    A file below `drafts/` moves to the folder of its kind (`memories/` by month, the month folder
    of the draft kept) under its own name; a file elsewhere stays. A record without an id gets
    one. All in one change; a record already in force is left alone with a note.

    Args:
        snapshot: the vault the records are from.
        records: what to admit.
        texts: bytes by path of every file in `needed_paths(snapshot, records)`.
        now: aware instant in the vault's time zone.
        actor: who asks; only a person or a policy admits.
        how: how the approval was given (`terminal`, `--yes` ...), kept as a trailer.
        random_int: random integer below its argument, for the id of a note without one.
        allow: codes of holding findings to let pass; needs a reason, written to `allow:`. Also
            lets a code pass that holds a record already in force.
        reason: body of the commit message.
        origin: how the request came in.

    Raises:
        RefusedError: the lifecycle, a holding finding (all attached), a broken file, or a
            supersession that cannot take effect.
        UsageError: `allow` without a reason.
        ChangedMeanwhileError: bytes are missing or differ.
    """
    if allow:
        require_reason(reason, "approve --allow")
    _require_no_work(records)
    _require_not_replaced_at_once(records)
    facts = _Approval(
        snapshot, texts, now, actor, random_int, tuple(allow), _folded_paths(snapshot)
    )
    edits, notes, admitted, touched = _approve_all(facts, records)
    change = Change(
        verb="approve",
        subject=_subject(admitted or list(records)),
        edits=tuple(edits),
        reason=reason.strip(),
        ids=tuple(record.id for record in admitted or records),
        actor=actor,
        origin=origin,
        extra=(("Vault-Approval", how), *(_allowed(allow) if edits else ())),
        touched=tuple(touched),
    )
    return Planned(change, change.ids, tuple(notes))


def _allowed(codes: Collection[str]) -> Iterator[tuple[str, str]]:
    """Return the trailers of what was let pass, each code once."""
    return ((ALLOW_TRAILER, code) for code in dict.fromkeys(codes))


def _require_no_work(records: Sequence[Record]) -> None:
    """Refuse to admit or turn down what nobody admits: tasks, tickets, reflections."""
    for record in records:
        if record.kind in WORK_COMMANDS:
            raise RefusedError(
                f"{record.id} is a {record.kind}: it says how work goes and is never in force",
                hint=f"Its own commands change it: mvault {WORK_COMMANDS[record.kind]} --help",
            )


def _approve_all(
    facts: _Approval, records: Sequence[Record]
) -> tuple[list[Edit], list[Diagnostic], list[Record], list[str]]:
    edits: list[Edit] = []
    notes: list[Diagnostic] = []
    admitted: list[Record] = []
    touched: list[str] = []
    for record in records:
        if record.in_force:
            allowed = _allow_in_force(facts, record)
            if allowed:
                admitted.append(record)
                edits.append(allowed)
            else:
                text = f"already {record.status}"
                notes.append(Diagnostic(record.path, 0, "already-active", "note", text))
            continue
        after, edit, effect = _approve_one(facts, record)
        admitted.append(after)
        edits += [edit, *effect.edits]
        notes += [*missing_notes(after), *effect.notes]
        touched += effect.touched
    return edits, notes, admitted, touched


def _allow_in_force(facts: _Approval, record: Record) -> Put | None:
    """Let codes pass that hold a record in force, for example after a hand edit; None: nothing."""
    if not facts.allow or not record.held_by:
        return None
    if facts.actor is not Actor.PERSON:
        raise RefusedError(f"{record.id}: --allow is not for {facts.actor}", hint=PERSON_ONLY)
    codes = _require_not_held(record, facts.allow)
    data = texts_of(facts.texts, record)
    values = {"allow": [*record.allow, *codes]}
    return Put(record.path, patch_keys(data, record.path, values), digest_of(data))


def _subject(records: Sequence[Record]) -> str:
    if len(records) == 1:
        return subject_of(records[0])
    return f": {len(records)} records"


def _folded_paths(snapshot: Snapshot) -> set[str]:
    paths = (*(record.path for record in snapshot.records), *snapshot.unreadable)
    return {fold_path(path) for path in paths}


def _require_not_replaced_at_once(records: Sequence[Record]) -> None:
    ids = {record.id for record in records}
    replaced: set[str] = set()
    for record in records:
        twice = replaced & set(record.supersedes)
        if twice:
            raise RefusedError(
                f"two of these records supersede {', '.join(sorted(twice))}",
                hint="A record has one successor: approve one of them.",
            )
        replaced |= set(record.supersedes) - {record.id}
    if ids & replaced:
        raise RefusedError(
            f"{', '.join(sorted(ids & replaced))} would be approved and superseded at once",
            hint="Approve the newer one alone.",
        )


def _approve_one(facts: _Approval, record: Record) -> tuple[Record, Edit, Effect]:
    _require_draft(facts.snapshot, record)
    require_step(record.status, Status.ACTIVE, facts.actor, record.id)
    require_person_for_deny(record, facts.actor)
    require_admissible(facts.snapshot, record, facts.actor)
    allowed = _require_not_held(record, facts.allow)
    if record.kind is Kind.SKILL and not skill_folder(record.path):
        raise RefusedError(
            f"{record.path}: a skill lives in skills/<name>/SKILL.md",
            hint="Make it a recipe and graduate it, or move it there by hand.",
        )
    data = texts_of(facts.texts, record)
    new = _admitted_text(facts, record, data, allowed)
    target = _target_path(record, facts.now, facts.taken)
    facts.taken.add(fold_path(target))
    after = read_checked(new, target)
    effect = replace_predecessors(
        facts.snapshot, record, after, facts.texts, now=facts.now, actor=facts.actor
    )
    return after, _edit(record.path, target, data, new), effect


_OTHER_WAYS = {
    Status.QUARANTINED: "quarantine release",
    Status.DISPUTED: "resolve",
    Status.SUPERSEDED: "revive",
    Status.DEPRECATED: "revive",
    Status.REJECTED: "revive",
}


def _require_draft(snapshot: Snapshot, record: Record) -> None:
    """Send whoever wants something else than a draft in force to the command that asks why."""
    if record.status is Status.SUPERSEDED:
        require_no_successor(snapshot, record)
    command = _OTHER_WAYS.get(record.status)
    if command:
        raise RefusedError(
            f"{record.id} is {record.status}; only a draft is approved",
            hint=f"A person {_does(record)}: mvault {command} {record.id} --reason TEXT",
        )


def _does(record: Record) -> str:
    held = record.status is Status.QUARANTINED
    return "makes a draft of it" if held else "brings it back"


def _edit(path: str, target: str, old: bytes, new: bytes) -> Edit:
    if path == target:
        return Put(path, new, digest_of(old))
    return Move(path, target, new, digest_of(old))


def _require_not_held(record: Record, allow: Collection[str]) -> tuple[str, ...]:
    """Return the codes that this approval allows for the record."""
    held = record.held_by
    open_ = tuple(f for f in held if f.code not in allow or f.code in NEVER_ALLOWED)
    if not open_:
        return tuple(dict.fromkeys(f.code for f in held))
    codes = ", ".join(dict.fromkeys(f.code for f in open_))
    final = [f.code for f in open_ if f.code in NEVER_ALLOWED]
    hint = (
        f"{', '.join(dict.fromkeys(final))} has to be solved in the files."
        if final
        else f"Correct the file, or after reading it: mvault approve {record.id} "
        f"--allow {open_[0].code} --reason TEXT"
    )
    raise RefusedError(f"{record.id} is held back: {codes}", hint=hint, diagnostics=open_)


def _admitted_text(
    facts: _Approval, record: Record, data: bytes, allowed: tuple[str, ...]
) -> bytes:
    values: dict[str, Any] = {}
    if not record.adopted:
        record_id = new_id(record.kind, other_ids(facts.snapshot), facts.random_int)
        values |= {"id": record_id, "kind": str(record.kind)}
    if record.written_status not in (Status.ACTIVE, Status.VERIFIED):
        values["status"] = str(Status.ACTIVE)
    values |= starting_day(record, facts.now)
    fresh = [code for code in allowed if code not in record.allow]
    if fresh:
        values["allow"] = [*record.allow, *fresh]
    for key in sorted(present_keys(record) & ENDING_KEYS):
        values[key] = REMOVE
    return patch_keys(data, record.path, values) if values else data


def _target_path(record: Record, now: datetime, taken: Collection[str]) -> str:
    """Return where the record lives once admitted; a taken name gets the id behind it."""
    parts = record.path.split("/")
    if parts[0] != "drafts":
        return record.path
    folder = record.kind.folder
    if folder == "memories":
        has_month = len(parts) == _MONTH_DEPTH and _MONTH.fullmatch(parts[1])
        month = parts[1] if has_month else now.strftime("%Y-%m")
        folder = f"memories/{month}"
    name = parts[-1]
    if fold_path(f"{folder}/{name}") in taken:
        name = f"{name.removesuffix('.md')}-{record.id}.md"
    return f"{folder}/{name}"


def plan_reject(
    snapshot: Snapshot,
    record: Record,
    data: bytes,
    *,
    reason: str,
    now: datetime,
    actor: Actor,
    random_int: Callable[[int], int],
    origin: str = "cli",
) -> Planned:
    """Plan to turn a draft down: status rejected in place, and a decision record that says why.

    The file stays where it is (`rejected: {reason, at}`). The decision is active, names the draft
    in `derived_from`, and is used against the same proposal later. Already rejected: empty change.

    Raises:
        UsageError: no reason. RefusedError: the lifecycle does not allow it, or a broken file.
    """
    require_same(record, data)
    if record.status is Status.REJECTED:
        change = Change("reject", subject_of(record), (), ids=(record.id,), actor=actor)
        return Planned(change, (record.id,))
    _require_no_work((record,))
    why = require_reason(reason, "reject")
    require_step(record.status, Status.REJECTED, actor, record.id)
    taken = other_ids(snapshot)
    values: dict[str, Any] = {}
    own_id = record.id
    if not record.adopted:
        own_id = new_id(record.kind, taken, random_int)
        values |= {"id": own_id, "kind": str(record.kind)}
    values |= {
        "status": str(Status.REJECTED),
        "rejected": {"reason": why, "at": instant_text(now)},
    }
    if "disputed" in present_keys(record):
        values["disputed"] = REMOVE
    new = patch_keys(data, record.path, values)
    decision_id = new_id(Kind.DECISION, taken | {own_id}, random_int)
    put = _decision(record, own_id, why, decision_id=decision_id, now=now, origin=origin)
    change = Change(
        verb="reject",
        subject=subject_of(record),
        edits=(Put(record.path, new, digest_of(data)), put),
        reason=why,
        ids=(own_id, decision_id),
        actor=actor,
        origin=origin,
    )
    return Planned(change, change.ids, orphaned_notes(snapshot, [record]))


def _decision(
    record: Record, draft_id: str, reason: str, *, decision_id: str, now: datetime, origin: str
) -> Put:
    chinese = is_chinese(record.title, record.body)
    if chinese:
        title = f"不采纳：{record.title}"
        text = f"草稿 {draft_id}（{record.kind}）未被采纳。"
    else:
        title = f"Not adopted: {record.title}"
        text = f"The draft {draft_id} ({record.kind}) was turned down."
    request = DraftRequest(
        Kind.DECISION,
        title=title,
        body=text,
        sections={"why": reason},
        scope=str(record.scope),
        topics=record.topics,
        derived_from=(draft_id,),
    )
    data = compose_draft(
        request, decision_id, status="active", source="user", origin=origin, now=now
    )
    path = f"memories/{now.strftime('%Y-%m')}/{file_name(title, decision_id)}"
    read_checked(data, path)
    return Put(path, data)
