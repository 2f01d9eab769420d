"""Which status may follow which, by whom. Imports: standard library, `errors`, `model`."""

from __future__ import annotations

from enum import StrEnum

from vault_cli.errors import RefusedError
from vault_cli.model.record import Status


class Actor(StrEnum):
    """Who asks for a change. Only a person (or a policy a person wrote) admits."""

    PERSON = "person"
    AGENT = "agent"
    HOOK = "hook"
    IMPORT = "import"
    POLICY = "policy"


_ANYONE = frozenset(Actor)
_PERSON = frozenset({Actor.PERSON})
_ADMIT = frozenset({Actor.PERSON, Actor.POLICY})

TRANSITIONS: dict[tuple[Status, Status], frozenset[Actor]] = {
    (Status.CANDIDATE, Status.ACTIVE): _ADMIT,
    (Status.CANDIDATE, Status.VERIFIED): _PERSON,
    (Status.CANDIDATE, Status.REJECTED): _PERSON,
    (Status.CANDIDATE, Status.DISPUTED): _ANYONE,
    (Status.CANDIDATE, Status.QUARANTINED): _ANYONE,
    (Status.CANDIDATE, Status.SUPERSEDED): _PERSON,
    (Status.CANDIDATE, Status.DEPRECATED): _PERSON,
    (Status.ACTIVE, Status.VERIFIED): _PERSON,
    (Status.ACTIVE, Status.DISPUTED): _ANYONE,
    (Status.ACTIVE, Status.SUPERSEDED): _ADMIT,
    (Status.ACTIVE, Status.DEPRECATED): _PERSON,
    (Status.ACTIVE, Status.CANDIDATE): _PERSON,
    (Status.ACTIVE, Status.QUARANTINED): _PERSON,
    (Status.VERIFIED, Status.ACTIVE): _PERSON,
    (Status.VERIFIED, Status.DISPUTED): _ANYONE,
    (Status.VERIFIED, Status.SUPERSEDED): _ADMIT,
    (Status.VERIFIED, Status.DEPRECATED): _PERSON,
    (Status.VERIFIED, Status.QUARANTINED): _PERSON,
    (Status.DISPUTED, Status.CANDIDATE): _PERSON,
    (Status.DISPUTED, Status.ACTIVE): _PERSON,
    (Status.DISPUTED, Status.VERIFIED): _PERSON,
    (Status.DISPUTED, Status.SUPERSEDED): _PERSON,
    (Status.DISPUTED, Status.DEPRECATED): _PERSON,
    (Status.DISPUTED, Status.REJECTED): _PERSON,
    (Status.DISPUTED, Status.QUARANTINED): _PERSON,
    (Status.SUPERSEDED, Status.ACTIVE): _PERSON,
    (Status.SUPERSEDED, Status.CANDIDATE): _PERSON,
    (Status.SUPERSEDED, Status.DEPRECATED): _PERSON,
    (Status.DEPRECATED, Status.ACTIVE): _PERSON,
    (Status.DEPRECATED, Status.CANDIDATE): _PERSON,
    (Status.REJECTED, Status.CANDIDATE): _PERSON,
    (Status.QUARANTINED, Status.CANDIDATE): _PERSON,
}
"""Allowed steps and who may take them; `may_step` adds those to tombstoned.

A step to verified is besides only taken by the planner that has checked the evidence.
"""

_BURY: dict[Status, frozenset[Actor]] = {
    Status.CANDIDATE: frozenset({Actor.PERSON, Actor.AGENT}),
    Status.TOMBSTONED: frozenset(),
}
"""Who may delete: a person anything, an agent its own drafts (the planner knows which are)."""


def may_step(old: Status, new: Status, actor: Actor) -> bool:
    """Tell whether `actor` may take a record from `old` to `new`."""
    if old is new:
        return True
    if new is Status.TOMBSTONED:
        return actor in _BURY.get(old, _PERSON)
    return actor in TRANSITIONS.get((old, new), frozenset())


def require_step(old: Status, new: Status, actor: Actor, record_id: str) -> None:
    """Raise RefusedError (exit 4) unless `actor` may take `record_id` from `old` to `new`."""
    if may_step(old, new, actor):
        return
    if actor is not Actor.PERSON and may_step(old, new, Actor.PERSON):
        hint = "A person has to do this: run the command in a terminal."
    else:
        steps = sorted({str(to) for (start, to), _ in TRANSITIONS.items() if start is old})
        hint = f"From {old} a record can become: {', '.join(steps) or 'nothing'}."
    raise RefusedError(f"{record_id}: {old} cannot become {new} by {actor}", hint=hint)
