"""Name a successor: a new draft, or a record that is there. May import `text`, `model`.

`revise` proposes a new version of the same text; `supersede` says that something else takes its
place. Both are only a proposal until a person puts the successor in force.

What a record that has proven itself asks for stands in `grounds`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import datetime
from types import MappingProxyType
from typing import Any

from vault_cli.errors import RefusedError
from vault_cli.features.composing import DraftRequest, request_from_record
from vault_cli.features.drafts import as_verb, plan_add
from vault_cli.features.grounds import require_grounds, rival_notes
from vault_cli.features.records import (
    Planned,
    patch_keys,
    put_change,
    require_editable,
    texts_of,
)
from vault_cli.features.supersession import (
    predecessors_of,
    successors_of,
    take_effect,
    with_record,
)
from vault_cli.model.lifecycle import Actor
from vault_cli.model.record import Kind, Record, Snapshot, Status
from vault_cli.text.scan import ALL

_REPLACEABLE = frozenset(
    {Status.CANDIDATE, Status.ACTIVE, Status.VERIFIED, Status.DISPUTED, Status.SUPERSEDED}
)
_SUCCEEDING = frozenset({Status.CANDIDATE, Status.ACTIVE, Status.VERIFIED})


def plan_supersede(
    snapshot: Snapshot,
    old: Record,
    new: Record,
    texts: Mapping[str, bytes],
    *,
    now: datetime,
    actor: Actor,
    reason: str = "",
    origin: str = "cli",
) -> Planned:
    """Plan to let a record that is there supersede another one.

    A draft gets the relation and takes effect when it is approved. A record in force takes effect
    at once, which needs a person.

    Args:
        snapshot: the vault.
        old: what is to be replaced.
        new: what takes its place.
        texts: bytes by path of both files.
        now: aware instant in the vault's time zone.
        actor: who asks.
        reason: body of the commit message.
        origin: how the request came in.

    Returns:
        The change, empty when the relation is there already.

    Raises:
        RefusedError: the same record twice, a circle, another successor, a status that fits not,
            a person is needed, or something proven would be replaced without a reason.
        ChangedMeanwhileError: bytes are missing or differ.
    """
    data = texts_of(texts, new)
    if old.id == new.id:
        raise RefusedError(f"{old.id} cannot supersede itself", hint="Name two records.")
    if old.id in new.supersedes:
        return Planned(put_change("supersede", new, data, data, actor=actor), (new.id,))
    _require_replaceable(snapshot, old, new.id)
    if new.status not in _SUCCEEDING:
        raise RefusedError(
            f"{new.id} is {new.status} and cannot take the place of another record",
            hint="Name a draft or a record in force.",
        )
    require_editable(new, actor, "to let it supersede another record")
    notes = require_grounds(snapshot, (old.id,), actor, reason, new.derived_from)
    linked = replace(new, supersedes=(*_still_open(snapshot, old, new), old.id))
    after_link = with_record(snapshot, new, linked)
    predecessors_of(after_link, linked)  # refuses circles, ghosts and second successors
    text = patch_keys(data, new.path, {"supersedes": list(linked.supersedes)})
    change = put_change("supersede", new, data, text, reason=reason.strip(), actor=actor)
    change = replace(change, origin=origin, touched=(old.id,))
    if not new.in_force:
        return Planned(change, (new.id,), (*notes, *rival_notes(snapshot, (old.id,), new.id)))
    change, _, told = take_effect(after_link, linked, change, texts, now=now, actor=actor)
    return Planned(change, (new.id,), (*notes, *told))


def plan_successor(
    snapshot: Snapshot,
    old: Record,
    values: Mapping[str, Any],
    *,
    now: datetime,
    actor: Actor,
    origin: str,
    random_int: Callable[[int], int],
    kind: Kind | None = None,
    gates: frozenset[str] = ALL,
) -> Planned:
    """Plan a new draft that supersedes a record once it is approved.

    Kind, scope, topics, keywords, importance and when it applies are those of the old record
    unless they are given; the text is new.

    Args:
        snapshot: the vault.
        old: what is to be replaced.
        values: fields of `DraftRequest`; at least a title or a body.
        now: aware instant in the vault's time zone.
        actor: who asks.
        origin: how the request came in.
        random_int: random integer below its argument, for the id.
        kind: kind of the new record, None for that of the old one.
        gates: the gates of admission that are on.

    Returns:
        The change with the id of the draft, which may be held back as by `plan_add`.

    Raises:
        UsageError: nothing to remember, or a value is not allowed.
        RefusedError: the old record cannot be replaced, or is proven and no reason is given.
    """
    _require_replaceable(snapshot, old)
    given: dict[str, Any] = {"kind": kind or old.kind, **values, "supersedes": (old.id,)}
    request: DraftRequest = replace(_heritage(old), **given)
    planned = plan_add(
        snapshot,
        request,
        now=now,
        actor=actor,
        origin=origin,
        random_int=random_int,
        gates=gates,
    )
    return as_verb(planned, "supersede", touched=(old.id,))


def _heritage(old: Record) -> DraftRequest:
    """Return what a successor has of the old record unless it says otherwise: not its text."""
    return replace(
        request_from_record(old),
        title="",
        body="",
        summary="",
        conflicts=(),
        derived_from=(),
        extra=MappingProxyType({}),
    )


def _still_open(snapshot: Snapshot, old: Record, new: Record) -> tuple[str, ...]:
    """Return what `new` replaces besides `old`.

    A draft that stands behind a successor that came before it could never be approved: what
    `old` has replaced, directly or through others, goes out of its `supersedes`.
    """
    if new.in_force:
        return new.supersedes
    done, open_ = set(), list(old.supersedes)
    while open_:
        earlier = open_.pop()
        if earlier not in done:
            done.add(earlier)
            record = snapshot.by_id.get(earlier)
            open_ += record.supersedes if record else ()
    return tuple(one for one in new.supersedes if one not in done)


def _require_replaceable(snapshot: Snapshot, old: Record, new_id: str = "--title TEXT") -> None:
    if old.status not in _REPLACEABLE:
        raise RefusedError(
            f"{old.id} is {old.status}; there is nothing to take the place of",
            hint=f"Add the new record by itself: mvault add {old.kind} --title TEXT",
        )
    rivals = successors_of(snapshot, old.id)
    if rivals:
        raise RefusedError(
            f"{old.id} is already superseded by {rivals[0].id}",
            hint=f"Supersede that one: mvault supersede {rivals[0].id} {new_id}",
        )
