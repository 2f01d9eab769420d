"""Which status may follow which, by whom."""

from __future__ import annotations

import pytest

from vault_cli.errors import RefusedError
from vault_cli.model.lifecycle import TRANSITIONS, Actor, may_step, require_step
from vault_cli.model.record import IN_FORCE, Status

OTHERS = [actor for actor in Actor if actor is not Actor.PERSON]


def test_only_a_person_or_a_policy_puts_anything_in_force() -> None:
    for actor in OTHERS:
        entered = {
            (old, new)
            for old in Status
            for new in IN_FORCE
            if old not in IN_FORCE and may_step(old, new, actor)
        }
        wanted = {(Status.CANDIDATE, Status.ACTIVE)} if actor is Actor.POLICY else set()
        assert entered == wanted, actor


def test_what_anyone_may_do_only_takes_out_of_force() -> None:
    for old, new in TRANSITIONS:
        if may_step(old, new, Actor.AGENT):
            assert new in {Status.DISPUTED, Status.QUARANTINED}


def test_a_person_buries_anything_once_and_nobody_digs_it_up() -> None:
    for old in Status:
        assert may_step(old, Status.TOMBSTONED, Actor.PERSON)
        for actor in OTHERS:
            own_draft = old is Status.CANDIDATE and actor is Actor.AGENT
            may = own_draft or old is Status.TOMBSTONED
            assert may_step(old, Status.TOMBSTONED, actor) == may
        if old is not Status.TOMBSTONED:
            assert not may_step(Status.TOMBSTONED, old, Actor.PERSON)


def test_staying_is_no_step() -> None:
    for status in Status:
        assert may_step(status, status, Actor.AGENT)
        require_step(status, status, Actor.AGENT, "l-1")


@pytest.mark.parametrize(
    ("old", "new", "actor", "hint"),
    [
        (Status.CANDIDATE, Status.ACTIVE, Actor.AGENT, "A person has to do this"),
        (Status.ACTIVE, Status.TOMBSTONED, Actor.HOOK, "A person has to do this"),
        (Status.REJECTED, Status.ACTIVE, Actor.PERSON, "can become: candidate."),
        (Status.TOMBSTONED, Status.ACTIVE, Actor.PERSON, "can become: nothing."),
    ],
)
def test_a_refusal_says_what_is_possible(old: Status, new: Status, actor: Actor, hint: str) -> None:
    with pytest.raises(RefusedError, match=f"l-1: {old} cannot become {new} by {actor}") as caught:
        require_step(old, new, actor, "l-1")
    assert hint in caught.value.hint
