"""Two records that stand against each other, named on both sides. May import `text`, `model`.

Nothing is ruled: the block shows both beside each other and leaves the choice to whoever reads.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from vault_cli.errors import Diagnostic, RefusedError, UsageError
from vault_cli.features.records import (
    Planned,
    digest_of,
    patch_keys,
    require_editable,
    require_same,
    texts_of,
)
from vault_cli.model.change import Change, Edit, Put
from vault_cli.model.lifecycle import Actor
from vault_cli.model.paths import is_skill_file
from vault_cli.model.record import IN_FORCE, Record, Snapshot, Status
from vault_cli.model.schema import CONFLICT_TYPES
from vault_cli.text.document import REMOVE

MEANINGS: Final = {
    "condition": "each is right under a condition of its own",
    "goal": "they serve different goals",
    "contradiction": "under the same condition they say the opposite",
    "apparent": "one is the general rule, the other an exception to it",
}
"""The types of a conflict and what they say."""

_LIVE: Final = IN_FORCE | {Status.CANDIDATE, Status.DISPUTED}


def plan_conflict(
    pair: Sequence[Record],
    texts: Mapping[str, bytes],
    *,
    kind: str = "contradiction",
    remove: bool = False,
    reason: str = "",
    actor: Actor,
    origin: str = "cli",
) -> Planned:
    """Plan to name two records in each other's `conflicts`, or to take that out again.

    Args:
        pair: the two records.
        texts: bytes by path of both files.
        kind: one of `CONFLICT_TYPES`; an entry of another type is changed.
        remove: take the entries out.
        reason: body of the commit message.
        actor: who asks; only a person touches what is no draft.
        origin: how the request came in.

    Returns:
        One change of both files, empty when it is so already.

    Raises:
        UsageError: an unknown type. RefusedError: twice the same record, one without an id, one
            whose time is over, a SKILL.md, or the actor may not.
        ChangedMeanwhileError: the bytes of a file differ.
    """
    one, other = pair
    if kind not in CONFLICT_TYPES:
        known = "; ".join(f"{name}: {meaning}" for name, meaning in MEANINGS.items())
        raise UsageError(f"no such type of conflict: {kind}", hint=known)
    if one.path == other.path:
        raise RefusedError(f"{one.id} cannot be in conflict with itself", hint="Name two records.")
    for record in pair:
        require_editable(record, actor, "naming its conflicts")
        _require_usable(record, remove=remove)
    edits: list[Edit] = []
    for record, partner in ((one, other), (other, one)):
        data = texts_of(texts, record)
        require_same(record, data)
        new = patch_keys(data, record.path, {"conflicts": _entries(record, partner, kind, remove)})
        if new != data:
            edits.append(Put(record.path, new, digest_of(data)))
    change = Change(
        verb="conflict",
        subject=f"({'none' if remove else kind}): {one.title} / {other.title}",
        edits=tuple(edits),
        reason=reason.strip(),
        ids=(one.id, other.id),
        actor=actor,
        origin=origin,
    )
    return Planned(change, change.ids)


def _require_usable(record: Record, *, remove: bool) -> None:
    if not record.adopted:
        raise RefusedError(
            f"{record.path} has no id that another record could name",
            hint=f"First: mvault adopt {record.path}",
        )
    if is_skill_file(record.path):
        raise RefusedError(
            f"{record.path}: a SKILL.md has no key conflicts",
            hint="Name the conflict in a rule that stands for the skill.",
        )
    if not remove and record.status not in _LIVE:
        raise RefusedError(
            f"{record.id} is {record.status}; nothing can be in conflict with it",
            hint="Name records that are in force or wait for it.",
        )


def _entries(record: Record, partner: Record, kind: str, remove: bool) -> Any:  # noqa: FBT001
    """Return the new value of `conflicts`; entries about others stay as they are written."""
    raw = record.fields.get("conflicts")
    entries = list(raw) if isinstance(raw, list) else [] if raw is None else [raw]
    place = next((n for n, item in enumerate(entries) if _names(item) == partner.id), None)
    if place is None:
        return (
            raw
            if remove and raw is not None
            else REMOVE
            if remove
            else [*entries, _new(partner, kind)]
        )
    if remove:
        del entries[place]
        return entries or REMOVE
    present = dict(record.conflicts).get(partner.id)
    if present != kind:
        entries[place] = _new(partner, kind)
    return entries


def _names(entry: Any) -> str:
    return str(entry.get("id")) if isinstance(entry, Mapping) else str(entry)


def _new(partner: Record, kind: str) -> dict[str, str]:
    return {"id": partner.id, "type": kind}


def check_conflicts(snapshot: Snapshot) -> Iterator[Diagnostic]:
    """Yield a note for each conflict that only one of two live records names.

    The block shows a conflict only when both sides name it: otherwise one record could move
    another out of its group. A disputed record may name what it conflicts with by itself.
    """
    by_id = snapshot.by_id
    for record in snapshot.records:
        for other_id, kind in record.conflicts:
            other = by_id.get(other_id)
            if other is None or other is record or not {record.status, other.status} <= _LIVE:
                continue
            if record.status is Status.DISPUTED:  # an objection speaks for its own side
                continue
            if record.id not in dict(other.conflicts):
                text = f"names a conflict with {other_id}, which does not name this record"
                hint = (
                    f"mvault conflict {record.id} {other_id} --type {kind} names it on both sides;"
                    " --remove takes it out."
                )
                yield Diagnostic(record.path, 0, "one-sided-conflict", "warning", text, hint)
