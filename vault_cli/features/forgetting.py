"""Delete a record on request: what goes, what remains, who is affected. May import `text`, `model`.

What remains is a tombstone: id, kind, status before, time, reason code, so that the id is never
given out again and an import does not bring the record back. It holds no title and no text. The
foreign ids (`aliases`) stay so that an import knows the record, and for a `duplicate` or an
`incorrect` text its SHA-256; for `privacy` and `secret` neither stays, since a digest of a short
text can be guessed, and for `user-request` no digest, since the reason may be private.

Nobody is orphaned: who superseded the record supersedes its predecessors now, and a predecessor
without any successor comes back in force when a person says so, else it is deprecated.
"""

from __future__ import annotations

import hashlib
import unicodedata
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from vault_cli.errors import Diagnostic, RefusedError, UsageError
from vault_cli.features.records import (
    PERSON_ONLY,
    Planned,
    deprecation,
    digest_of,
    instant_text,
    other_ids,
    patch_keys,
    texts_of,
)
from vault_cli.features.revival import revived_keys
from vault_cli.features.supersession import successors_of
from vault_cli.model.change import Change, Edit, Put, Remove
from vault_cli.model.lifecycle import Actor, require_step
from vault_cli.model.paths import skill_folder
from vault_cli.model.record import IN_FORCE, Record, Snapshot, Status
from vault_cli.model.relations import links_by, reach
from vault_cli.text.document import REMOVE, compose_document
from vault_cli.text.names import new_id

REASON_CODES = ("user-request", "duplicate", "incorrect", "privacy", "secret")
"""Why a record was deleted; the only reason a tombstone gives."""

UNHELD = frozenset({"privacy", "secret"})
"""Reasons for which a text that no commit holds yet must not enter history on its way out."""

_HASHED = frozenset({"duplicate", "incorrect"})
_HEIRS = IN_FORCE | {Status.SUPERSEDED}
_TOMBS = "tombstones"


@dataclass(frozen=True, slots=True)
class Heirs:
    """Whom a deletion affects.

    Args:
        relinked: records that superseded a deleted one, with the ids they supersede now.
        followed: superseded records that get another successor, with its id.
        orphans: superseded records that are left without any successor.
    """

    relinked: tuple[tuple[Record, tuple[str, ...]], ...] = ()
    followed: tuple[tuple[Record, str], ...] = ()
    orphans: tuple[Record, ...] = ()


def find_heirs(snapshot: Snapshot, leaving: Sequence[Record]) -> Heirs:
    """Find out whom the deletion of records affects."""
    gone = {record.id: record for record in leaving if _is_last(snapshot, record, leaving)}
    staying = [record for record in snapshot.records if record.path not in _paths(leaving)]
    relinked = tuple(
        (record, _inherited(record, gone, staying))
        for record in staying
        if set(record.supersedes) & gone.keys() and record.status is not Status.TOMBSTONED
    )
    links = {record.path: ids for record, ids in relinked}
    after = replace(snapshot, records=tuple(_relinked(record, links) for record in staying))
    followed: list[tuple[Record, str]] = []
    orphans: list[Record] = []
    for record in staying:
        if record.status is not Status.SUPERSEDED or not _was_behind(record, gone):
            continue
        behind = successors_of(after, record.id, in_force=False)
        heir = next((other for other in behind if other.status in _HEIRS), None)
        followed += [(record, heir.id)] if heir else []
        orphans += [] if heir else [record]
    return Heirs(relinked, tuple(followed), tuple(orphans))


def _paths(records: Sequence[Record]) -> set[str]:
    return {record.path for record in records}


def _is_last(snapshot: Snapshot, record: Record, leaving: Sequence[Record]) -> bool:
    """Tell whether no file that stays has the id of a record that leaves."""
    paths = _paths(leaving)
    return all(
        other.id != record.id or other.path in paths
        for other in snapshot.records
        if other.path != record.path
    )


def _inherited(
    record: Record, gone: Mapping[str, Record], staying: Sequence[Record]
) -> tuple[str, ...]:
    """Return what a record supersedes when deleted ids give way to what those superseded.

    What another record in force supersedes already is left to that one.
    """
    taken = {
        old
        for other in staying
        if other.in_force and other.path != record.path
        for old in other.supersedes
    } - set(record.supersedes)
    older = reach(record.supersedes, links_by(gone, "supersedes"))
    return tuple(old for old in older if old not in gone and old != record.id and old not in taken)


def _relinked(record: Record, links: Mapping[str, tuple[str, ...]]) -> Record:
    return replace(record, supersedes=links[record.path]) if record.path in links else record


def _was_behind(record: Record, gone: Mapping[str, Record]) -> bool:
    """Tell whether a deleted record was a successor of this one."""
    pointer = str(record.fields.get("superseded_by"))
    return pointer in gone or any(record.id in other.supersedes for other in gone.values())


def paths_to_forget(snapshot: Snapshot, records: Sequence[Record]) -> tuple[str, ...]:
    """Return the files a deletion needs the bytes of."""
    heirs = find_heirs(snapshot, records)
    touched = [record for record, _ in (*heirs.relinked, *heirs.followed)]
    return tuple(sorted(_paths(records) | _paths([*touched, *heirs.orphans])))


@dataclass(frozen=True, slots=True)
class ForgetRequest:
    """How to delete.

    Args:
        reason_code: one of `REASON_CODES`.
        reason: body of the commit message.
        revive: whether orphaned predecessors come back in force.
        purge: a text that no commit holds yet is not recorded first; it is really gone.
    """

    reason_code: str = "user-request"
    reason: str = ""
    revive: bool = False
    purge: bool = False

    @property
    def gives_up(self) -> bool:
        """Whether text that no commit holds is given up."""
        return self.purge or self.reason_code in UNHELD


def plan_forget(
    snapshot: Snapshot,
    records: Sequence[Record],
    texts: Mapping[str, bytes],
    request: ForgetRequest,
    *,
    now: datetime,
    actor: Actor,
    random_int: Callable[[int], int],
    own: Collection[str] = (),
    origin: str = "cli",
) -> Planned:
    """Plan to delete records: their files go, a tombstone each remains; what is gone stays so.

    Args:
        snapshot: the vault.
        records: what to delete.
        texts: bytes by path of every file in `paths_to_forget(snapshot, records)`.
        request: how.
        now: aware instant in the vault's time zone.
        actor: who asks; a person, or an agent for drafts in `own`.
        random_int: random integer below its argument, for the id of a note without one.
        own: ids of drafts that only this actor has ever touched.
        origin: how the request came in.

    Raises:
        UsageError: no such reason code.
        RefusedError: the lifecycle does not allow it, not the actor's own draft, or a skill that
            has a recipe to go back to.
        ChangedMeanwhileError: bytes are missing or differ.
    """
    _require_known_code(request.reason_code)
    records = [record for record in records if record.status is not Status.TOMBSTONED]
    for record in records:
        _require_may_forget(snapshot, record, actor, own)
    if not records:
        return Planned(Change("forget", ": nothing", (), actor=actor))
    heirs = find_heirs(snapshot, records)
    keys = _heir_keys(snapshot, heirs, request, now)
    ids = _ids_of(snapshot, records, random_int)
    edits: list[Edit] = []
    for place, record in enumerate(records):
        edits.append(Remove(record.path, digest_of(texts_of(texts, record))))
        if _is_last(snapshot, record, records) and ids[place] not in ids[:place]:
            edits.append(_tombstone(record, ids[place], request.reason_code, now))
    edits += _heir_edits(snapshot, keys, texts)
    by_path = {record.path: record for record in snapshot.records}
    change = Change(
        verb="forget",
        subject=f"({records[0].kind}): {ids[0]}" if len(ids) == 1 else f": {len(ids)} records",
        edits=tuple(edits),
        reason=request.reason.strip(),
        ids=tuple(dict.fromkeys(ids)),
        actor=actor,
        origin=origin,
        extra=(("Vault-Reason", request.reason_code),),
        touched=tuple(by_path[path].id for path in keys),
        discarded=frozenset(_paths(records)) if request.gives_up else frozenset(),
    )
    return Planned(change, change.ids, tuple(_notes(snapshot, records, heirs, request)))


def _require_known_code(code: str) -> None:
    if code not in REASON_CODES:
        raise UsageError(
            f"there is no reason code {code}", hint=f"Use one of: {', '.join(REASON_CODES)}."
        )


def _ids_of(
    snapshot: Snapshot, records: Sequence[Record], random_int: Callable[[int], int]
) -> list[str]:
    """Return the ids that the tombstones hold; a note without one gets it now."""
    taken = other_ids(snapshot)
    ids: list[str] = []
    for record in records:
        ids.append(record.id if record.adopted else new_id(record.kind, taken, random_int))
        taken.add(ids[-1])
    return ids


def _require_may_forget(
    snapshot: Snapshot, record: Record, actor: Actor, own: Collection[str]
) -> None:
    require_step(record.status, Status.TOMBSTONED, actor, record.id)
    if actor is not Actor.PERSON and record.id not in own:
        raise RefusedError(
            f"{record.id} is not a draft of this {actor} alone: deleting it is not for {actor}",
            hint=PERSON_ONLY,
        )
    recipe = next((r for r in snapshot.records if r.fields.get("superseded_by") == record.id), None)
    if skill_folder(record.path) and recipe is not None:
        raise RefusedError(
            f"{record.id} was made of the recipe {recipe.id}",
            hint=f"First: mvault demote {record.id} --reason TEXT; then delete the recipe.",
        )


def _tombstone(record: Record, record_id: str, reason_code: str, now: datetime) -> Put:
    values: dict[str, Any] = {
        "id": record_id,
        "kind": str(record.kind),
        "status": str(Status.TOMBSTONED),
        "was": str(record.status),
        "at": instant_text(now),
        "reason_code": reason_code,
    }
    if record.aliases and reason_code not in UNHELD:
        values["aliases"] = list(record.aliases)
    if reason_code in _HASHED:
        values["text_sha256"] = text_digest(record)
    return Put(f"{_TOMBS}/{record_id}.md", compose_document(values, ""))


def text_digest(record: Record) -> str:
    """Return the SHA-256 of a record's title and text, whatever their width, case and blanks."""
    text = unicodedata.normalize("NFKC", f"{record.title}\n{record.body}").casefold()
    return hashlib.sha256(" ".join(text.split()).encode()).hexdigest()


def find_forgotten(snapshot: Snapshot, record: Record) -> tuple[Diagnostic, ...]:
    """Say when a new record is one that was deleted before: by its id, a foreign id, or its text.

    Args:
        snapshot: the vault the record comes into.
        record: the record as it would be.
    """
    names = {record.id, *record.aliases}
    found = []
    digest = ""
    for tomb in snapshot.records:
        if tomb.status is not Status.TOMBSTONED:
            continue
        held = str(tomb.fields.get("text_sha256") or "")
        digest = digest or (text_digest(record) if held else "")
        if names & {tomb.id, *tomb.aliases} or (held and held == digest):
            found.append(_forgotten(record, tomb))
    return tuple(found)


def _forgotten(record: Record, tomb: Record) -> Diagnostic:
    when = str(tomb.fields.get("at", ""))[:10]
    text = f"{tomb.id} was this before; it was deleted {when} ({tomb.fields.get('reason_code')})"
    hint = f"Read why first: mvault log {tomb.id}"
    return Diagnostic(record.path, 0, "forgotten-before", "warning", text, hint)


def check_forgotten(snapshot: Snapshot) -> list[Diagnostic]:
    """Name the records that still refer to a deleted one.

    Args:
        snapshot: all records.
    """
    tombs = {r.id for r in snapshot.records if r.status is Status.TOMBSTONED}
    found = []
    for record in snapshot.records if tombs else ():
        if record.status is Status.TOMBSTONED:
            continue
        for key, ids in _references(record):
            for other in sorted(tombs.intersection(ids)):
                text = f"{key} names {other}, which was deleted"
                hint = f"Take the id out of {key}; mvault log {other} says why it was deleted."
                found.append(
                    Diagnostic(record.path, 0, "forgotten-reference", "warning", text, hint)
                )
    return found


def _references(record: Record) -> Iterator[tuple[str, Collection[str]]]:
    yield "supersedes", record.supersedes
    yield "derived_from", record.derived_from
    yield "conflicts", [other for other, _ in record.conflicts]
    yield "superseded_by", [str(record.fields.get("superseded_by") or "")]


def _heir_keys(
    snapshot: Snapshot, heirs: Heirs, request: ForgetRequest, now: datetime
) -> dict[str, dict[str, Any]]:
    """Return what changes in the files of those who stay, by path."""
    keys: dict[str, dict[str, Any]] = {}
    for record, ids in heirs.relinked:
        keys[record.path] = {"supersedes": list(ids) or REMOVE}
    for record, successor in heirs.followed:
        keys.setdefault(record.path, {})["superseded_by"] = successor
    for record in heirs.orphans:
        if _comes_back(snapshot, record, request):
            fresh = revived_keys(snapshot, record, now)
        else:
            fresh = deprecation(record, "its successor was deleted", now)
            fresh |= {"superseded_by": REMOVE} if "superseded_by" in record.fields else {}
        keys[record.path] = {**keys.get(record.path, {}), **fresh}
    return keys


def _comes_back(snapshot: Snapshot, orphan: Record, request: ForgetRequest) -> bool:
    """Tell whether an orphan is revived: not while what it superseded is in force itself."""
    by_id = snapshot.by_id
    older = (by_id.get(old) for old in orphan.supersedes)
    return request.revive and not any(old is not None and old.in_force for old in older)


def _heir_edits(
    snapshot: Snapshot, keys: Mapping[str, Mapping[str, Any]], texts: Mapping[str, bytes]
) -> Iterator[Edit]:
    by_path = {record.path: record for record in snapshot.records}
    for path, values in keys.items():
        data = texts_of(texts, by_path[path])
        yield Put(path, patch_keys(data, path, values), digest_of(data))


def _notes(
    snapshot: Snapshot, records: Sequence[Record], heirs: Heirs, request: ForgetRequest
) -> Iterator[Diagnostic]:
    for record in heirs.orphans:
        back = _comes_back(snapshot, record, request)
        what = "comes back in force" if back else "is deprecated"
        text = f"{record.id} loses its successor and {what}"
        hint = f"--{'no-revive deprecates it' if back else 'revive puts it back'} instead."
        yield Diagnostic(record.path, 0, "predecessor-left", "note", text, hint)
    gone = {record.id for record in records if _is_last(snapshot, record, records)}
    paths = _paths(records)
    for other in snapshot.records:
        if other.path in paths or other.status is Status.TOMBSTONED:
            continue
        refers = [
            f"{key} {one}"
            for key, ids in _references(other)
            for one in ids
            if one in gone and key in ("derived_from", "conflicts")
        ]
        if refers:
            text = f"{other.id} refers to what is deleted: {', '.join(refers)}"
            yield Diagnostic(other.path, 0, "forgotten-reference", "note", text)
    for record in records:
        if not _is_last(snapshot, record, records):
            text = f"another file has the id {record.id} too, so no tombstone is left"
            yield Diagnostic(record.path, 0, "no-tombstone", "note", text)
