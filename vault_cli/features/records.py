"""What every planner shares: find a record, patch its file. May import `text`, `model`."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from vault_cli.errors import ChangedMeanwhileError, Diagnostic, RefusedError, UsageError
from vault_cli.features.resolve import (
    broken_file,
    nearest_records,
    resolve_record,
    resolve_records,
)
from vault_cli.model.change import Change, Edit, Put
from vault_cli.model.lifecycle import Actor, require_step
from vault_cli.model.paths import SKILL_PREFIX, is_skill_file
from vault_cli.model.record import WORK_COMMANDS, Record, Snapshot, Status
from vault_cli.text.document import REMOVE, parse_document, patch_document
from vault_cli.text.fields import read_record

__all__ = [
    "ENDING_KEYS",
    "PERSON_ONLY",
    "SKILL_KEYS",
    "Planned",
    "broken_file",
    "deprecation",
    "digest_of",
    "instant_text",
    "nearest_records",
    "other_ids",
    "patch_keys",
    "plan_deprecate",
    "present_keys",
    "put_change",
    "read_checked",
    "require_editable",
    "require_reason",
    "require_same",
    "resolve_record",
    "resolve_records",
    "stored_changes",
    "subject_of",
    "texts_of",
]

PERSON_ONLY = "A person has to do this: run the command in a terminal."
SKILL_KEYS = ("name", "description", "license", "compatibility", "metadata", "allowed-tools")
"""The only front-matter keys of the open Agent Skills format."""

ENDING_KEYS = frozenset({"deprecated", "rejected", "disputed", "superseded_by"})
"""Keys that say why a record is not in force; they go when it comes back."""


@dataclass(frozen=True, slots=True)
class Planned:
    """What a planner hands back.

    Args:
        change: the change to apply; may be empty ("nothing to do").
        ids: ids of the records it is about, in the order of the request.
        notes: findings to show beside the receipt (duplicates, missing parts, clashes).
        held: the text goes into `quarantine/` and waits for a person.
        left_out: what holds the texts of the request that were not taken; the others were.
    """

    change: Change
    ids: tuple[str, ...] = ()
    notes: tuple[Diagnostic, ...] = ()
    held: bool = False
    left_out: tuple[Diagnostic, ...] = ()


def digest_of(data: bytes) -> str:
    """Return the SHA-256 of `data` in hex, as the gate expects it."""
    return hashlib.sha256(data).hexdigest()


def instant_text(now: datetime) -> str:
    """Return an aware instant as UTC text with seconds, for example `2026-11-30T10:02:11Z`."""
    return now.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def subject_of(record: Record) -> str:
    """Return the commit subject after the verb: `(lesson): Check …`."""
    return f"({record.kind}): {record.title}"


def require_same(record: Record, data: bytes) -> None:
    """Raise ChangedMeanwhileError when `data` is not the file the record was read from."""
    if digest_of(data) != record.digest:
        raise ChangedMeanwhileError(
            f"{record.path} changed while the command was running",
            hint="Run the command again; nothing was written.",
        )


def require_reason(reason: str, verb: str) -> str:
    """Return the reason without blank ends; raise UsageError when there is none."""
    if not reason.strip():
        raise UsageError(f"{verb} needs a reason", hint='Add to the command: --reason "why"')
    return reason.strip()


def texts_of(texts: Mapping[str, bytes], record: Record) -> bytes:
    """Return the bytes handed in for a record's file, checked to be the ones it was read from.

    Raises:
        ChangedMeanwhileError: they are missing or differ.
    """
    data = texts.get(record.path)
    if data is None:
        raise ChangedMeanwhileError(
            f"{record.path} was not there to be read", hint="Run the command again."
        )
    require_same(record, data)
    return data


def lost_ending(record: Record, before: Mapping[str, Record], status: Status) -> dict[str, Any]:
    """Return the keys that say why a record has a status it goes back to, and that it has lost.

    Args:
        record: as it stands.
        before: the records as committed, by id.
        status: what it goes back to.
    """
    old = before.get(record.id)
    if old is None or old.written_status is not status:
        return {}
    lost = (present_keys(old) & ENDING_KEYS) - present_keys(record)
    return {key: old.fields[key] for key in sorted(lost)}


def present_keys(record: Record) -> set[str]:
    """Return which of our keys a record's file holds, wherever its kind of file keeps them."""
    present = {key for key, value in record.fields.items() if value is not None}
    metadata = record.fields.get("metadata")
    if is_skill_file(record.path) and isinstance(metadata, Mapping):
        names = (str(name) for name in metadata)
        present |= {
            name.removeprefix(SKILL_PREFIX).replace("-", "_")
            for name in names
            if name.startswith(SKILL_PREFIX)
        }
    return present


def stored_changes(
    path: str, front: Mapping[str, Any], values: Mapping[str, Any]
) -> dict[str, Any]:
    """Say where a file keeps our keys: at the top, or in a SKILL.md under `metadata.mvault-*`.

    Args:
        path: vault-relative path of the file.
        front: its front matter as parsed.
        values: our keys with new values (REMOVE takes one away).

    Raises:
        RefusedError: `metadata` of a SKILL.md is not a map.
    """
    if not is_skill_file(path) or "status" in front:
        return dict(values)
    present = front.get("metadata") or {}
    if not isinstance(present, Mapping):
        raise RefusedError(
            f"{path}: metadata must be a map of text to text",
            hint="Correct the key by hand, then run the command again.",
        )
    metadata = dict(present)
    for key, value in values.items():
        name = f"{SKILL_PREFIX}{key.replace('_', '-')}"
        metadata.pop(name, None) if value is REMOVE else metadata.update({name: _flat(value)})
    return {"metadata": metadata or REMOVE}


def _flat(value: Any) -> Any:
    if isinstance(value, Mapping):
        return "; ".join(f"{key}: {item}" for key, item in value.items())
    if isinstance(value, list):
        return value[0] if len(value) == 1 else value
    return value


def patch_keys(data: bytes, path: str, values: Mapping[str, Any]) -> bytes:
    """Return the file with our keys set in place, wherever this kind of file keeps them.

    Raises:
        RefusedError: the file has problems (attached), or a key cannot be patched safely.
    """
    document = parse_document(data, path)
    if document.is_broken:
        raise broken_file(path, document.diagnostics)
    return patch_document(data, stored_changes(path, document.front, values), path)


def read_checked(data: bytes, path: str) -> Record:
    """Read a planned text back into a record.

    Raises:
        RefusedError: it is not a record (diagnostics attached).
    """
    record, diagnostics = read_record(data, path)
    if record is None:
        raise broken_file(path, diagnostics)
    return record


def put_change(
    verb: str,
    record: Record,
    old: bytes,
    new: bytes,
    *,
    reason: str = "",
    actor: Actor = Actor.PERSON,
    origin: str = "cli",
) -> Change:
    """Return the change that replaces one record's file, empty when the bytes are the same."""
    edits: tuple[Edit, ...] = ()
    if new != old:
        edits = (Put(record.path, new, digest_of(old)),)
    return Change(
        verb=verb,
        subject=subject_of(record),
        edits=edits,
        reason=reason,
        ids=(record.id,),
        actor=actor,
        origin=origin,
    )


def require_editable(record: Record, actor: Actor, what: str) -> None:
    """Let anyone improve a candidate, and only a person touch anything else.

    Raises:
        RefusedError: `actor` is not a person and the record is not a candidate, or it was deleted.
    """
    if record.status is Status.TOMBSTONED:
        raise RefusedError(
            f"{record.id} was deleted; there is no text to change",
            hint=f"`mvault log {record.id}` names the commit; `mvault undo COMMIT` brings it back.",
        )
    if actor is Actor.PERSON or record.is_draft:
        return
    if record.kind in WORK_COMMANDS:
        raise RefusedError(
            f"{record.id} is a {record.kind}: {what} is for a person, not for {actor}",
            hint=f"Use its own command: mvault {WORK_COMMANDS[record.kind]} --help",
        )
    raise RefusedError(
        f"{record.id} is {record.status}: {what} is for a person, not for {actor}",
        hint=f"{PERSON_ONLY} An agent can propose a new version: mvault revise {record.id}",
    )


def plan_deprecate(
    record: Record, data: bytes, *, reason: str, now: datetime, actor: Actor, origin: str = "cli"
) -> Change:
    """Plan to take a record out of use: `status: deprecated`, `deprecated: {reason, at}`.

    The file stays where it is. Already deprecated: empty change.

    Raises:
        UsageError: no reason. RefusedError: the lifecycle does not allow it.
    """
    require_same(record, data)
    if record.status is Status.DEPRECATED:
        return put_change("deprecate", record, data, data, actor=actor, origin=origin)
    why = require_reason(reason, "deprecate")
    require_step(record.status, Status.DEPRECATED, actor, record.id)
    new = patch_keys(data, record.path, deprecation(record, why, now))
    return put_change("deprecate", record, data, new, reason=why, actor=actor, origin=origin)


def deprecation(record: Record, why: str, now: datetime) -> dict[str, Any]:
    """Return the keys of a record that is taken out of use."""
    return {
        "status": str(Status.DEPRECATED),
        "deprecated": {"reason": why, "at": instant_text(now)},
        **({"disputed": REMOVE} if "disputed" in present_keys(record) else {}),
    }


def other_ids(snapshot: Snapshot) -> set[str]:
    """Return every id and file stem in use, which a new id must avoid."""
    paths = (*(record.path for record in snapshot.records), *snapshot.unreadable)
    stems = {path.rsplit("/", 1)[-1].removesuffix(".md") for path in paths}
    return stems | {record.id for record in snapshot.records}
