"""What is held back before it is a draft, and a person's word on it. May import `text`, `model`.

A secret, an ID or a card number is refused and kept nowhere. What else the scanner holds goes into
`quarantine/`, with what was found, when anybody but a person brings it or when it comes from
outside; a person's own text becomes a draft that carries the finding.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Any

from vault_cli.errors import Diagnostic, RefusedError
from vault_cli.features.records import (
    PERSON_ONLY,
    Planned,
    digest_of,
    patch_keys,
    read_checked,
    require_reason,
    require_same,
    subject_of,
)
from vault_cli.model.change import ALLOW_TRAILER, Change, Edit, Move, Put, Remove
from vault_cli.model.lifecycle import Actor, require_step
from vault_cli.model.paths import fold_path
from vault_cli.model.record import Record, Snapshot, Status
from vault_cli.text.document import REMOVE
from vault_cli.text.names import file_name
from vault_cli.text.refusal import NEVER_WRITTEN, refuse_values
from vault_cli.text.scan import ALL, QUARANTINE_KEY, scan_wording

OUTSIDE = frozenset({"web", "tool", "doc"})
"""Sources whose texts were written by somebody else, whoever brings them."""

LOW_AUTHORITY = "low-authority"
"""Code of the finding that a lesser source contradicts what a person said."""

_FOLDER = "quarantine"


def require_no_values(
    record: Record, allow: Collection[str] = (), *, place: str = "the request"
) -> None:
    """Refuse a text with a secret, an ID or a card number.

    Args:
        record: the text as it would be written; its findings are asked.
        allow: codes that a person lets pass.
        place: what to call the text.

    Raises:
        RefusedError: it holds one; field, line and kind are named, the value is not.
    """
    found = [
        item._replace(path="", hint="")
        for item in record.findings
        if item.holds and item.code in NEVER_WRITTEN and item.code not in allow
    ]
    if found:
        how = f"A person at a terminal lets it pass: --allow {found[0].code} --reason TEXT"
        raise refuse_values(place, found, how=how)


def is_quarantined(
    record: Record,
    outvoted: Sequence[Diagnostic] = (),
    *,
    actor: Actor,
    source: str,
    allow: Collection[str],
) -> bool:
    """Tell whether a new text goes into `quarantine/` instead of `drafts/`.

    Args:
        record: the text as it would be written.
        outvoted: findings that a text from outside contradicts what a person said.
        actor: who brings it.
        source: who claims it.
        allow: codes that a person lets pass.
    """
    if actor is Actor.PERSON and source not in OUTSIDE:
        return False
    found = [item.code for item in record.findings if item.holds]
    return any(code not in allow for code in (*found, *(item.code for item in outvoted)))


def not_adoptable(record: Record, actor: Actor) -> tuple[Diagnostic, ...]:
    """Return the findings for which a hand-written note is not taken in.

    Values nobody may write stop it whoever asks; what else holds it stops all but a person, who
    sees it again when the draft is to be approved.
    """
    held = record.held_by
    if actor is Actor.PERSON:
        return tuple(item for item in held if item.code in NEVER_WRITTEN)
    return held


def refuse_held(found: Sequence[Diagnostic]) -> RefusedError:
    """Return the refusal of notes of which none can be taken in as it is."""
    if any(item.code in NEVER_WRITTEN for item in found):
        return refuse_values(found[0].path, found)
    codes = ", ".join(dict.fromkeys(item.code for item in found))
    return RefusedError(
        f"{found[0].path} is held back: {codes}", hint=PERSON_ONLY, diagnostics=tuple(found)
    )


def held_list(
    record: Record, outvoted: Sequence[Diagnostic] = (), gates: frozenset[str] = ALL
) -> list[dict[str, Any]]:
    """Return what holds a text, as it is kept in the file: code, field, position, message."""
    whole = [{"code": item.code, "message": item.message} for item in outvoted]
    return whole + [
        {
            "code": hit.code,
            "field": field,
            "line": hit.line,
            "column": hit.column,
            "message": hit.message,
        }
        for field, hit in scan_wording(record.fields, record.body, gates=gates)
        if hit.holds
    ]


def quarantine_path(record_id: str) -> str:
    """Return where a text lies while it is held back: no word of it stands in the name."""
    return f"{_FOLDER}/{record_id}.md"


def quarantined(snapshot: Snapshot) -> tuple[Record, ...]:
    """Return what is held back, by path."""
    return tuple(r for r in snapshot.records if r.status is Status.QUARANTINED)


def plan_release(
    snapshot: Snapshot,
    record: Record,
    data: bytes,
    *,
    reason: str,
    now: datetime,
    actor: Actor,
    origin: str = "cli",
) -> Planned:
    """Plan to make a draft of what was held back; the codes that held it are allowed from then on.

    A draft stays as it is (an empty change).

    Raises:
        UsageError: no reason.
        RefusedError: not a person, not quarantined, a secret or personal data, or a broken file.
    """
    require_same(record, data)
    if record.status is Status.CANDIDATE:
        return Planned(Change("release", subject_of(record), (), ids=(record.id,), actor=actor))
    why = require_reason(reason, "quarantine release")
    _require_quarantined(record)
    require_step(Status.QUARANTINED, Status.CANDIDATE, actor, record.id)
    require_no_values(record, record.allow, place=record.path)
    codes = tuple(dict.fromkeys(item.code for item in record.held_by))
    values: dict[str, Any] = {"status": str(Status.CANDIDATE), QUARANTINE_KEY: REMOVE}
    if codes:
        values["allow"] = [*record.allow, *codes]
    new = patch_keys(data, record.path, values)
    target = _draft_path(snapshot, record, now)
    read_checked(new, target)
    edit: Edit = Put(record.path, new, digest_of(data))
    if target != record.path:
        edit = Move(record.path, target, new, digest_of(data))
    change = Change(
        verb="release",
        subject=subject_of(record),
        edits=(edit,),
        reason=why,
        ids=(record.id,),
        actor=actor,
        origin=origin,
        extra=tuple((ALLOW_TRAILER, code) for code in codes),
    )
    return Planned(change, (record.id,), record.held_by)


def hold_again(data: bytes, path: str, allowed: Collection[str]) -> Move:
    """Return the move that takes a release back: the text is held as it was before.

    Args:
        data: the draft as the release left it.
        path: where it lies.
        allowed: codes that the release allowed.
    """
    record = read_checked(data, path)
    left = [code for code in record.allow if code not in allowed]
    values: dict[str, Any] = {"status": str(Status.QUARANTINED), "allow": left or REMOVE}
    values[QUARANTINE_KEY] = held_list(record) or REMOVE
    target = quarantine_path(record.id)
    return Move(path, target, patch_keys(data, path, values), digest_of(data))


def _require_quarantined(record: Record) -> None:
    if record.status is not Status.QUARANTINED:
        raise RefusedError(
            f"{record.id} is {record.status}, not quarantined",
            hint="`mvault quarantine list` shows what is held back.",
        )


def _draft_path(snapshot: Snapshot, record: Record, now: datetime) -> str:
    """Return where the released file goes; a taken name gets the id behind it."""
    if not record.path.startswith(f"{_FOLDER}/"):
        return record.path
    name = file_name(record.title, record.id)
    folder = f"drafts/{now.strftime('%Y-%m')}"
    taken = {fold_path(other.path) for other in snapshot.records}
    if fold_path(f"{folder}/{name}") in taken:
        name = f"{name.removesuffix('.md')}-{record.id}.md"
    return f"{folder}/{name}"


def plan_purge(record: Record, data: bytes, *, actor: Actor, origin: str = "cli") -> Planned:
    """Plan to remove what was held back. It never was in history, so nothing of it is left.

    Raises:
        RefusedError: not a person, or the file is not in `quarantine/`.
    """
    require_same(record, data)
    _require_quarantined(record)
    if actor is not Actor.PERSON:
        raise RefusedError(f"{record.id}: a purge is not for {actor}", hint=PERSON_ONLY)
    if not record.path.startswith(f"{_FOLDER}/"):
        raise RefusedError(
            f"{record.path} is not in {_FOLDER}/, so its text is in history",
            hint=f"Release it and reject the draft: mvault quarantine release {record.id}",
        )
    change = Change(
        verb="purge",
        subject=subject_of(record),
        edits=(Remove(record.path, digest_of(data)),),
        ids=(record.id,),
        actor=actor,
        origin=origin,
        discarded=frozenset({record.path}),
    )
    return Planned(change, (record.id,))


def kept_findings(record: Record) -> tuple[Diagnostic, ...]:
    """Return the findings that hold a record, with those its file says and the scanner cannot.

    That a lesser source contradicts a person shows only in the whole vault; the file keeps what
    was found when it came in.
    """
    kept = record.fields.get(QUARANTINE_KEY)
    items = [item for item in kept if isinstance(item, dict)] if isinstance(kept, list) else []
    said = tuple(
        Diagnostic(record.path, 0, LOW_AUTHORITY, "warning", str(item.get("message", "")))
        for item in items
        if item.get("code") == LOW_AUTHORITY
    )
    return (*record.held_by, *said)
