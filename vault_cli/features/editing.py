"""Change the keys or the text of a record that is there. May import `text`, `model`.

What a record may name is asked here, so that no channel can forget it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from vault_cli.errors import RefusedError
from vault_cli.features.composing import PROGRAM_KEYS
from vault_cli.features.grounds import require_grounds
from vault_cli.features.lengths import require_lengths
from vault_cli.features.persona import require_editable_persona
from vault_cli.features.records import (
    SKILL_KEYS,
    put_change,
    read_checked,
    require_editable,
    require_same,
)
from vault_cli.features.support import require_sound_change
from vault_cli.model.change import Change
from vault_cli.model.lifecycle import Actor
from vault_cli.model.paths import is_skill_file
from vault_cli.model.record import Record, Snapshot
from vault_cli.text.document import parse_document, patch_document

_BY_COMMAND = {
    "id": "The id is the identity of the record and stays.",
    "status": "Use mvault approve, reject, deprecate, dispute, resolve or revive.",
    "origin": "The origin is set by the program.",
    "superseded_by": "Set by approving a record that supersedes this one.",
    "disputed": "Use mvault dispute.",
    "deprecated": "Use mvault deprecate.",
    "rejected": "Use mvault reject.",
    "promoted_from": "Use mvault promote.",
    "promoted_to": "Use mvault promote.",
    "verification": "It is set by the program when the evidence rule passes.",
    "allow": "Use mvault approve --allow CODE --reason TEXT.",
}
"""Keys that `plan_set` refuses, and what to use instead."""


def plan_set(
    snapshot: Snapshot,
    record: Record,
    data: bytes,
    values: Mapping[str, Any],
    *,
    verb: str = "set",
    reason: str = "",
    actor: Actor,
    origin: str = "cli",
) -> Change:
    """Plan to set front-matter keys in place.

    Args:
        snapshot: the vault.
        record: the record; `data` are the bytes of its file.
        data: see `record`.
        values: new values by key; REMOVE takes a key away.
        verb: verb of the commit.
        reason: body of the commit message.
        actor: who asks.
        origin: how the request came in.

    Returns:
        The change, empty when every key has its value already.

    Raises:
        UsageError: a value is longer than it may be.
        RefusedError: a key has its own command or is the program's, the actor may not, the file
            has problems or would have problems afterwards, or a new relation is not sound.
        ChangedMeanwhileError: `data` is not what the record was read from.
    """
    require_same(record, data)
    require_editable(record, actor, "a change of its fields")
    require_lengths(values, record)
    for key in values:
        _require_word(record, actor, [key] if key not in _BY_COMMAND else [])
        if key in _BY_COMMAND:
            raise RefusedError(f"{key} cannot be set directly", hint=_BY_COMMAND[key])
        if is_skill_file(record.path) and key not in SKILL_KEYS:
            raise RefusedError(
                f"{record.path}: a SKILL.md has no key {key}",
                hint=f"The Agent Skills format knows {', '.join(SKILL_KEYS)} and nothing else.",
            )
    new = patch_document(data, values, record.path)
    if new != data:
        _require_no_new_errors(record, new, values)
        after = read_checked(new, record.path)
        require_editable_persona(record, after, actor)
        _require_grounds(snapshot, record, after, actor, reason)
    change = put_change(verb, record, data, new, reason=reason, actor=actor, origin=origin)
    require_sound_change(snapshot, change, record)
    return change


def _require_word(record: Record, actor: Actor, keys: Iterable[str]) -> None:
    """Refuse what only the program counts or writes, unless a person brings it from elsewhere."""
    claimed = sorted(PROGRAM_KEYS.intersection(keys))
    if claimed and actor is not Actor.PERSON:
        raise RefusedError(
            f"{record.id}: {', '.join(claimed)} cannot be set by {actor}; nothing was changed",
            hint="The program sets it; uses are noted with: mvault mark ID --session ID --cited",
        )


def _require_grounds(
    snapshot: Snapshot, before: Record, after: Record, actor: Actor, reason: str
) -> None:
    """Ask of a relation that is written into a record what `supersede` asks."""
    fresh = [old for old in after.supersedes if old not in before.supersedes]
    require_grounds(snapshot, fresh, actor, reason, after.derived_from)


def _require_no_new_errors(record: Record, new: bytes, values: Mapping[str, Any]) -> None:
    after = read_checked(new, record.path)
    before = {(f.code, f.message) for f in record.findings}
    fresh = tuple(
        f for f in after.findings if f.severity == "warning" and (f.code, f.message) not in before
    )
    if fresh:
        raise RefusedError(
            f"{record.id}: {', '.join(values)} would not be valid",
            hint="Nothing was written; the findings say what to correct.",
            diagnostics=fresh,
        )


def plan_edit(
    snapshot: Snapshot,
    record: Record,
    old: bytes,
    new: bytes,
    *,
    actor: Actor,
    origin: str = "editor",
    reason: str = "",
) -> Change:
    """Plan what came back from an editor.

    Args:
        snapshot: the vault.
        record: the record that was opened.
        old: the bytes the editor was opened on.
        new: the bytes it left.
        actor: who asks.
        origin: how the request came in.
        reason: body of the commit message.

    Returns:
        The change, empty when nothing was changed.

    Raises:
        RefusedError: the text is empty, cannot be read (diagnostics attached, so that the caller
            can keep the text and open it again), has another id, another status, a key that the
            actor may not write, or a new relation that is not sound.
    """
    require_same(record, old)
    if new == old:
        return put_change("edit", record, old, old, actor=actor, origin=origin)
    require_editable(record, actor, "an edit of its text")
    if not new.strip():
        raise RefusedError(
            f"{record.id}: the text is empty; nothing was changed",
            hint=f"To take it out of use: mvault deprecate {record.id} --reason TEXT",
        )
    after = read_checked(new, record.path)
    if after.id != record.id:
        raise RefusedError(
            f"the id must not change ({record.id} became {after.id})",
            hint=f"Set the id back to {record.id}; for another record use mvault add.",
        )
    if after.written_status is not record.written_status:
        raise RefusedError(
            f"{record.id}: the status is not changed in the editor "
            f"({record.written_status} became {after.written_status})",
            hint=_BY_COMMAND["status"],
        )
    before, front = parse_document(old, record.path).front, parse_document(new, record.path).front
    changed = {key for key in {*before, *front} if before.get(key) != front.get(key)}
    _require_word(record, actor, changed)
    require_editable_persona(record, after, actor)
    _require_grounds(snapshot, record, after, actor, reason)
    change = put_change("edit", after, old, new, reason=reason, actor=actor, origin=origin)
    require_sound_change(snapshot, change, record)
    return change
