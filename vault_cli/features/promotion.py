"""Promotion: a record gets another reach. May import `text`, `model`.

It is a change of state, not a copy: the record keeps its id, its text and its evidence, and says
where it comes from. Into another vault it moves; what stays behind is a pointer that is never
rendered, so that links to it lead somewhere and its history can be read.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, Final

from vault_cli.errors import Diagnostic, RefusedError, UsageError
from vault_cli.features.records import (
    PERSON_ONLY,
    patch_keys,
    put_change,
    read_checked,
    require_same,
    subject_of,
)
from vault_cli.model.change import Change, Put
from vault_cli.model.lifecycle import Actor
from vault_cli.model.paths import is_skill_file
from vault_cli.model.record import Record, Scope, Snapshot, Status
from vault_cli.text.names import file_name
from vault_cli.text.sections import section_text

_PROMOTABLE: Final = frozenset({Status.CANDIDATE, Status.ACTIVE, Status.VERIFIED, Status.DISPUTED})


@dataclass(frozen=True, slots=True)
class Target:
    """Where a record is to reach.

    Args:
        scope: the new scope.
        boundary: where it does not hold; "" leaves what the record says.
        reason: body of the commit message.
    """

    scope: Scope
    boundary: str = ""
    reason: str = ""


def plan_promote(record: Record, data: bytes, target: Target, *, actor: Actor) -> Change:
    """Plan a new scope within the vault: one file, the same id.

    Args:
        record: the record; `data` are the bytes of its file.
        data: see `record`.
        target: the scope and its boundary.
        actor: who asks.

    Returns:
        The change, empty when the scope is the same and no boundary was given.

    Raises:
        RefusedError: the actor is no person, or the record reaches nobody.
        UsageError: it would become global without saying where it does not hold.
        ChangedMeanwhileError: `data` is not what the record was read from.
    """
    require_same(record, data)
    _require_allowed(record, target, actor)
    new = patch_keys(data, record.path, _new_keys(record, target))
    return put_change("promote", record, data, new, reason=target.reason, actor=actor)


def _new_keys(record: Record, target: Target) -> dict[str, Any]:
    values: dict[str, Any] = {}
    if target.scope != record.scope:
        values = {"scope": str(target.scope), "promoted_from": str(record.scope)}
    if target.boundary.strip():
        values["boundary"] = target.boundary.strip()
    return values


def _require_allowed(record: Record, target: Target, actor: Actor) -> None:
    if actor is not Actor.PERSON:
        raise RefusedError(
            f"{record.id}: a new scope is for a person to decide, not for {actor}",
            hint=PERSON_ONLY,
        )
    if record.status not in _PROMOTABLE:
        raise RefusedError(
            f"{record.id} is {record.status} and reaches nobody; its scope is not changed",
            hint=f"`mvault show {record.id}` says why.",
        )
    widens = target.scope.level == "global" and record.scope.level != "global"
    if widens and not (target.boundary.strip() or boundary_of(record)):
        raise UsageError(
            f"{record.id}: what holds everywhere needs a boundary: where does it not hold?",
            hint=f'Run: mvault promote {record.id} --to global --boundary "…"',
        )


def boundary_of(record: Record) -> str:
    """Return where a record says that it does not hold: its key, else its section."""
    return record.boundary.strip() or section_text(record.body, "boundary").strip()


@dataclass(frozen=True, slots=True)
class Move:
    """A record on its way into another vault.

    Args:
        arrival: the change of the other vault; empty when an earlier run made it already.
        departure: the change of the vault it leaves; empty when it has left.
        notes: what its relations lose.
    """

    arrival: Change
    departure: Change
    notes: tuple[Diagnostic, ...] = ()


def plan_move(
    record: Record,
    data: bytes,
    target: Target,
    other: Snapshot,
    *,
    to: str,
    actor: Actor,
    token: str,
) -> Move:
    """Plan to move a record into another vault, under its id and with all it holds.

    The arrival is written first: a run that ends in between leaves the record twice, which
    `check` names and the same command completes.

    Args:
        record: the record; `data` are the bytes of its file.
        data: see `record`.
        target: its scope and boundary there.
        other: the vault it goes to.
        to: what that vault is called, `user` or `project`.
        actor: who asks.
        token: names the move in both commits.

    Raises:
        RefusedError: as `plan_promote`; it is a skill; or another record has its id there.
        UsageError: as `plan_promote`.
        ChangedMeanwhileError: `data` is not what the record was read from.
    """
    require_same(record, data)
    present = [found for found in other.records if found.id == record.id]
    if _has_left(record) and any("promoted_from" in found.fields for found in present):
        return Move(_nothing(record, actor), _nothing(record, actor))
    if _has_arrived(record, present):
        target = replace(target, boundary=boundary_of(present[0]) or target.boundary)
    _require_allowed(record, target, actor)
    if is_skill_file(record.path):
        raise RefusedError(
            f"{record.id}: a skill is a folder of files and is not moved",
            hint=f"Take it back to its recipe first: mvault demote {record.id}",
        )
    extra = (("Vault-Promotion", token),)
    arrival = _arrival(record, data, target, other, present, actor)
    gone = {"status": str(Status.SUPERSEDED), "promoted_to": f"{target.scope} ({to} vault)"}
    new = patch_keys(data, record.path, gone)
    departure = put_change("promote", record, data, new, reason=target.reason, actor=actor)
    return Move(
        replace(arrival, extra=extra),
        replace(departure, extra=extra),
        tuple(_lost_relations(record, other, to)),
    )


def _has_arrived(record: Record, present: list[Record]) -> bool:
    """Whether an earlier run, which ended too soon, put the record into the other vault."""
    if len(present) != 1 or present[0].fields.get("promoted_from") != str(record.scope):
        return False
    return present[0].body == record.body


def _has_left(record: Record) -> bool:
    return record.status is Status.SUPERSEDED and "promoted_to" in record.fields


def _nothing(record: Record, actor: Actor) -> Change:
    return Change("promote", subject_of(record), (), ids=(record.id,), actor=actor)


def _arrival(
    record: Record,
    data: bytes,
    target: Target,
    other: Snapshot,
    present: list[Record],
    actor: Actor,
) -> Change:
    """Return the change that puts the record into the other vault; empty when it is there."""
    change = _nothing(record, actor)
    if _has_arrived(record, present):
        return change
    if present:
        raise RefusedError(
            f"the id {record.id} stands in the other vault already: {present[0].path}",
            hint="Give one of the two another id, or take one of them out of force.",
        )
    values = {**_new_keys(record, target), "promoted_from": str(record.scope)}
    new = patch_keys(data, record.path, values)
    taken = {found.path for found in other.records} | set(other.unreadable)
    path = record.path
    if path in taken:
        path = f"{path.rpartition('/')[0]}/{file_name(record.title, record.id)}".lstrip("/")
    read_checked(new, path)
    return replace(change, edits=(Put(path, new),), reason=target.reason)


def _lost_relations(record: Record, other: Snapshot, to: str) -> Iterator[Diagnostic]:
    """Say which records it names that are not in the vault it goes to."""
    known = {found.id for found in other.records}
    named = (*record.supersedes, *record.derived_from, *(item for item, _ in record.conflicts))
    gone = sorted({name for name in named if name not in known})
    if gone:
        text = f"names records that are not in the {to} vault: {', '.join(gone)}"
        hint = "They stay where they are; promote them too where they are needed."
        yield Diagnostic(record.path, 0, "left-behind", "note", text, hint)
