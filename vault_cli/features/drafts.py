"""Drafts: add, adopt, revise (approve, reject: `approval`). May import `text`, `model`."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from datetime import datetime
from types import MappingProxyType
from typing import Any, Final

from vault_cli.errors import Diagnostic, RefusedError
from vault_cli.features.adoption import plan_adopt
from vault_cli.features.approval import NEVER_ALLOWED, needed_paths, plan_approve, plan_reject
from vault_cli.features.composing import (
    PROGRAM_KEYS,
    DraftRequest,
    check_request,
    request_from_record,
)
from vault_cli.features.editing import plan_set
from vault_cli.features.forgetting import find_forgotten
from vault_cli.features.grounds import require_grounds, rival_notes
from vault_cli.features.lengths import LIMITED, require_lengths
from vault_cli.features.likeness import Nearby
from vault_cli.features.parts import missing_notes
from vault_cli.features.persona import require_proposable
from vault_cli.features.proposing import Composer
from vault_cli.features.records import (
    Planned,
    other_ids,
    put_change,
    read_checked,
    require_reason,
    require_same,
)
from vault_cli.features.requests import read_payload, request_from_template
from vault_cli.features.supersession import successors_of
from vault_cli.features.support import require_sound_change
from vault_cli.features.suspects import find_suspects
from vault_cli.model.change import Put
from vault_cli.model.lifecycle import Actor
from vault_cli.model.paths import is_skill_file
from vault_cli.model.record import IN_FORCE, Record, Snapshot, Status
from vault_cli.text.document import REMOVE, parse_document, replace_body
from vault_cli.text.late import late
from vault_cli.text.lines import first_heading
from vault_cli.text.names import new_id
from vault_cli.text.scan import ALL, CLICHE

__all__ = [
    "NEVER_ALLOWED",
    "DraftRequest",
    "needed_paths",
    "plan_add",
    "plan_adopt",
    "plan_approve",
    "plan_reject",
    "plan_revise",
    "read_payload",
    "request_from_record",
    "request_from_template",
]


_MARK: Final = late(r"\[[^\[\]\n]+\]")
"""What may stand for a secret: its kind in brackets."""


def plan_add(
    snapshot: Snapshot,
    request: DraftRequest,
    *,
    now: datetime,
    actor: Actor,
    origin: str,
    random_int: Callable[[int], int],
    allow: Collection[str] = (),
    gates: frozenset[str] = ALL,
    before: Record | None = None,
    nearby: Nearby | None = None,
) -> Planned:
    """Plan a new draft: `drafts/<YYYY-MM>/<slug>-<7 characters>.md`, status candidate whoever asks.

    What the scanner holds goes to `quarantine/` when anybody but a person brings it, or when it
    comes from the web, a tool or a document; `Planned.held` says so then.

    Args:
        snapshot: the vault it goes into.
        request: what to remember.
        now: aware instant in the vault's time zone (month folder); `created` is written in UTC.
        actor: who asks.
        origin: how it came in; set by the program, never by a payload.
        random_int: random integer below its argument, for the id.
        allow: codes of findings that a person lets pass; needs a reason in the request.
        gates: the gates of admission that are on.
        before: the record of which this is a new version; what it names already is not asked
            about again.
        nearby: as for `find_alike`.

    Returns:
        The change with one id; notes name missing parts, ignored claims and duplicates.

    Raises:
        UsageError: the request has no title or a value that is not allowed, or `allow` or the
            replacement of something proven without a reason.
        RefusedError: the text would not be a readable record, holds a secret or personal data, or
            names a record that is not there.
    """
    checked = check_request(request)
    if allow:
        require_reason(checked.reason, "add --allow")
    require_proposable(snapshot, checked, actor)
    own_id = new_id(checked.kind, other_ids(snapshot), random_int)
    fresh = set(checked.derived_from).difference(before.derived_from if before else ())
    grounds = require_grounds(snapshot, checked.supersedes, actor, checked.reason, fresh)
    composer = Composer(checked, own_id, now, actor, origin, gates, nearby)
    draft = composer.compose(snapshot, allow)
    require_lengths({key: getattr(checked, key) for key in LIMITED}, before)  # a secret comes first
    change = composer.change_to(draft)
    if not draft.is_held:  # what is held back takes effect nowhere
        require_sound_change(snapshot, change, before)
    ignored = _ignored_notes(draft.record.path, checked.ignored)
    rivals = rival_notes(snapshot, checked.supersedes, own_id)
    notes = (*ignored, *grounds, *_notes(snapshot, draft.record, draft.alike, gates), *rivals)
    return Planned(change, (own_id,), notes, held=draft.is_held)


def _notes(
    snapshot: Snapshot, record: Record, alike: Iterable[Diagnostic], gates: frozenset[str]
) -> Iterator[Diagnostic]:
    """Yield what there is to say beside a new draft."""
    yield from missing_notes(record)
    yield from alike
    yield from find_forgotten(snapshot, record)
    yield from (f for f in record.findings if f.severity != "note" or f.code == CLICHE)
    yield from find_suspects((record,), gates)


def _ignored_notes(path: str, keys: tuple[str, ...]) -> tuple[Diagnostic, ...]:
    if not keys:
        return ()
    text = f"not taken over from the request: {', '.join(keys)}"
    hint = "Admission, origin and counters are set by the program and by a person."
    return (Diagnostic(path, 0, "claim-ignored", "note", text, hint),)


def plan_revise(
    snapshot: Snapshot,
    record: Record,
    data: bytes,
    *,
    now: datetime,
    actor: Actor,
    origin: str,
    random_int: Callable[[int], int],
    body: str | None = None,
    values: Mapping[str, Any] | None = None,
    reason: str = "",
    gates: frozenset[str] = ALL,
) -> Planned:
    """Plan a new version: a candidate is edited in place, anything else gets a superseding draft.

    Args:
        snapshot: the vault.
        record: what to revise; `data` are the bytes of its file.
        data: see `record`.
        now: aware instant in the vault's time zone.
        actor: who asks.
        origin: how the request came in.
        random_int: random integer below its argument, for the id.
        body: the new text, None to keep it.
        values: new values of front-matter keys, as in `read_payload`.
        reason: body of the commit message.
        gates: the gates of admission that are on.

    Returns:
        The change, empty when nothing differs; the id of the record to approve. A new version
        may be held back, as by `plan_add`.

    Raises:
        UsageError, RefusedError, ChangedMeanwhileError: as in `plan_add` and `plan_set`.
    """
    require_same(record, data)
    wanted = dict(values or {})
    if record.status is Status.CANDIDATE and record.adopted:
        return _revise_in_place(
            snapshot, record, data, body, wanted, actor=actor, origin=origin, reason=reason
        )
    _require_revisable(snapshot, record)
    request, ignored = _revision(record, body, wanted)
    if request is None:
        empty = put_change("revise", record, data, data, actor=actor, origin=origin)
        return Planned(empty, (record.id,), _ignored_notes(record.path, ignored))
    planned = plan_add(
        snapshot,
        replace(request, reason=reason),
        now=now,
        actor=actor,
        origin=origin,
        random_int=random_int,
        gates=gates,
        before=record,
    )
    notes = (*planned.notes, *_stand_in_notes(record, data, planned))
    return as_verb(replace(planned, notes=notes), "revise")


def _stand_in_notes(record: Record, data: bytes, planned: Planned) -> Iterator[Diagnostic]:
    """Name each line of a new version where the kind of a secret stands for what is not copied."""
    old = parse_document(data, record.path)
    own = [*zip(old.body.split("\n"), record.body.split("\n"), strict=False)]
    own += [(str(value), str(record.fields.get(key))) for key, value in old.front.items()]
    marks = {mark for was, now in own if was != now for mark in _MARK.findall(now)}
    for edit in planned.change.edits if marks else ():
        lines = edit.data.decode("utf-8", "replace").split("\n") if isinstance(edit, Put) else []
        for number, line in enumerate(lines, start=1):
            for mark in sorted(marks.intersection(_MARK.findall(line))):
                text = f"{mark} stands for what {record.id} holds there; a secret is not copied"
                hint = (
                    f"Say there where the value is kept: mvault edit {planned.ids[0]}; then take it"
                    f" out of {record.path} and change the key."
                )
                yield Diagnostic(edit.path, number, "secret-left-out", "note", text, hint)


def as_verb(planned: Planned, verb: str, *, touched: tuple[str, ...] = ()) -> Planned:
    """Return a planned addition under the name of what led to it; a held text stays `quarantine`.

    Args:
        planned: what `plan_add` returned.
        verb: verb of the commit.
        touched: ids of records that it is about, too.
    """
    if planned.held:
        return planned
    return replace(planned, change=replace(planned.change, verb=verb, touched=touched))


def _revision(
    record: Record, body: str | None, wanted: Mapping[str, Any]
) -> tuple[DraftRequest | None, tuple[str, ...]]:
    """Return the request for a new version (None when nothing differs) and the keys left out."""
    base = request_from_record(record)
    given = {key: None if value is REMOVE else value for key, value in wanted.items()}
    asked = read_payload({**given, "kind": str(record.kind)}, kind=record.kind)
    fields = {key: getattr(asked, key) for key in _asked_fields(given)}
    own = {key: given[key] for key in asked.ignored if key not in PROGRAM_KEYS}
    extra = {key: value for key, value in {**base.extra, **own}.items() if value is not None}
    kind = given.get("kind", given.get("type"))
    ignored = [key for key in asked.ignored if key in PROGRAM_KEYS]
    ignored += [key for key in ("kind", "type") if given.get(key) and kind != record.kind]
    new_body = record.body if body is None else body
    request = replace(base, **{**fields, "body": new_body, "extra": MappingProxyType(extra)})
    if request == base:
        return None, tuple(ignored)
    title = request.title
    if not title or ("title" not in wanted and not record.fields.get("title")):
        # A title that came from the heading follows the new heading.
        title = first_heading(new_body) or record.title
    new = replace(
        request,
        title=title,
        supersedes=(record.id,),
        source=asked.source,
        ignored=tuple(ignored),
    )
    return new, tuple(ignored)


def _asked_fields(values: Mapping[str, Any]) -> set[str]:
    names = {{"tags": "topics", "text": "body", "force": "required"}.get(k, k) for k in values}
    own = {"kind", "supersedes", "ignored", "extra", "reason"}
    return names & set(DraftRequest.__dataclass_fields__) - own


def _require_revisable(snapshot: Snapshot, record: Record) -> None:
    if is_skill_file(record.path):
        raise RefusedError(
            f"{record.id} is a skill", hint=f"Edit it by hand: mvault edit {record.id}"
        )
    if record.status not in IN_FORCE and record.status is not Status.DISPUTED:
        raise RefusedError(
            f"{record.id} is {record.status}; only what is in force is revised",
            hint=f"Add a new record instead: mvault add {record.kind} --title TEXT",
        )
    rivals = successors_of(snapshot, record.id)
    if rivals:
        raise RefusedError(
            f"{record.id} is superseded by {rivals[0].id}",
            hint=f"Revise that one: mvault revise {rivals[0].id}",
        )


def _revise_in_place(
    snapshot: Snapshot,
    record: Record,
    data: bytes,
    body: str | None,
    values: Mapping[str, Any],
    *,
    actor: Actor,
    origin: str,
    reason: str,
) -> Planned:
    change = plan_set(
        snapshot, record, data, values, verb="revise", reason=reason, actor=actor, origin=origin
    )
    new = change.edits[0].data if change.edits and isinstance(change.edits[0], Put) else data
    if body is not None and body != record.body:
        new = replace_body(new, body if body.endswith("\n") else f"{body}\n", record.path)
        after = read_checked(new, record.path)
        change = put_change("revise", after, data, new, reason=reason, actor=actor, origin=origin)
    return Planned(change, (record.id,))
