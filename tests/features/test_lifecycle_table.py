"""Who may do what to a record of which status: the format's table, command by command.

The table below was written from the description of the statuses, not from the code's own table of
steps. A triple that stands nowhere in it must be refused.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import pytest

from vault_cli.errors import RefusedError
from vault_cli.features.approval import needed_paths, plan_approve, plan_reject
from vault_cli.features.disputes import plan_dispute, plan_resolve
from vault_cli.features.editing import plan_edit
from vault_cli.features.forgetting import ForgetRequest, paths_to_forget, plan_forget
from vault_cli.features.records import Planned
from vault_cli.features.revival import plan_deprecate_all, plan_revive
from vault_cli.model.lifecycle import Actor
from vault_cli.model.record import Snapshot, Status

PERSON = {Actor.PERSON}
ADMITS = {Actor.PERSON, Actor.POLICY}
ANYONE = set(Actor)
NOTHING = "nothing to do"

S = Status
Table = dict[str, dict[Status, tuple[set[Actor], str]]]
EXPECTED: Table = {
    # active: "a person, or a policy"; only candidates are admitted, the rest has its own command.
    "approve": {
        S.CANDIDATE: (ADMITS, "active"),
        S.ACTIVE: (ANYONE, NOTHING),
        S.VERIFIED: (ANYONE, NOTHING),
    },
    # rejected: "a reviewer, reason required"
    "reject": {
        S.CANDIDATE: (PERSON, "rejected"),
        S.DISPUTED: (PERSON, "rejected"),
        S.REJECTED: (ANYONE, NOTHING),
    },
    # deprecated: "a person, with a reason"
    "deprecate": {
        S.CANDIDATE: (PERSON, "deprecated"),
        S.ACTIVE: (PERSON, "deprecated"),
        S.VERIFIED: (PERSON, "deprecated"),
        S.DISPUTED: (PERSON, "deprecated"),
        S.SUPERSEDED: (PERSON, "deprecated"),
        S.DEPRECATED: (ANYONE, NOTHING),
    },
    # disputed: "anyone, with evidence"
    "dispute": {
        S.CANDIDATE: (ANYONE, "disputed"),
        S.ACTIVE: (ANYONE, "disputed"),
        S.VERIFIED: (ANYONE, "disputed"),
        S.DISPUTED: (ANYONE, NOTHING),
    },
    # "back to active by a person"
    "resolve": {
        S.DISPUTED: (PERSON, "active"),
        **dict.fromkeys((S.CANDIDATE, S.ACTIVE, S.VERIFIED), (ANYONE, NOTHING)),
    },
    # "a person may revive it"
    "revive": {
        S.DEPRECATED: (PERSON, "active"),
        S.SUPERSEDED: (PERSON, "active"),
        S.REJECTED: (PERSON, "candidate"),
        S.CANDIDATE: (ANYONE, NOTHING),
        S.ACTIVE: (ANYONE, NOTHING),
        S.VERIFIED: (ANYONE, NOTHING),
    },
    # superseded: "the CLI, when a successor becomes active or verified"
    "approve a successor": {
        S.CANDIDATE: (PERSON, "superseded"),
        S.ACTIVE: (ADMITS, "superseded"),
        S.VERIFIED: (ADMITS, "superseded"),
        S.DISPUTED: (PERSON, "superseded"),
        S.SUPERSEDED: (ADMITS, "superseded"),
        S.DEPRECATED: (ADMITS, "deprecated"),
        S.REJECTED: (ADMITS, "rejected"),
        S.TOMBSTONED: (ADMITS, "tombstoned"),
    },
    # tombstoned: "a person"; an agent its own drafts
    "forget": {
        **{status: (PERSON, "tombstoned") for status in S if status is not S.TOMBSTONED},
        S.CANDIDATE: ({Actor.PERSON, Actor.AGENT}, "tombstoned"),
        S.TOMBSTONED: (ANYONE, NOTHING),
    },
    "edit": {
        **{status: (PERSON, str(status)) for status in S if status is not S.TOMBSTONED},
        S.CANDIDATE: (ANYONE, "candidate"),
    },
}

Act = Callable[[Any, Snapshot, Actor], Planned]


@pytest.fixture
def commands(now: Any, random_int: Any) -> dict[str, Act]:
    def approve(vault: Any, shot: Snapshot, actor: Actor, record_id: str = "f-1") -> Planned:
        records = [shot.by_id[record_id]]
        texts = {path: vault.files[path] for path in needed_paths(shot, records)}
        return plan_approve(shot, records, texts, now=now, actor=actor, how="test",
                            random_int=random_int)  # fmt: skip

    def reject(vault: Any, shot: Snapshot, actor: Actor) -> Planned:
        return plan_reject(shot, shot.by_id["f-1"], vault.data("f-1"), reason="why", now=now,
                           actor=actor, random_int=random_int)  # fmt: skip

    def deprecate(vault: Any, shot: Snapshot, actor: Actor) -> Planned:
        return plan_deprecate_all(shot, [shot.by_id["f-1"]], vault.files, reason="why", now=now,
                                  actor=actor)  # fmt: skip

    def dispute(vault: Any, shot: Snapshot, actor: Actor) -> Planned:
        return plan_dispute(shot, shot.by_id["f-1"], vault.data("f-1"), now=now, actor=actor,
                            reason="why")  # fmt: skip

    def resolve(vault: Any, shot: Snapshot, actor: Actor) -> Planned:
        return plan_resolve(shot, shot.by_id["f-1"], vault.files, reason="why", now=now,
                            actor=actor, random_int=random_int)  # fmt: skip

    def revive(vault: Any, shot: Snapshot, actor: Actor) -> Planned:
        return plan_revive(shot, shot.by_id["f-1"], vault.files, reason="why", now=now,
                           actor=actor)  # fmt: skip

    def forget(vault: Any, shot: Snapshot, actor: Actor) -> Planned:
        records = [shot.by_id["f-1"]]
        texts = {path: vault.files[path] for path in paths_to_forget(shot, records)}
        return plan_forget(shot, records, texts, ForgetRequest(), now=now, actor=actor,
                           random_int=random_int, own={"f-1"})  # fmt: skip

    def edit(vault: Any, shot: Snapshot, actor: Actor) -> Planned:
        data = vault.data("f-1")
        change = plan_edit(shot, shot.by_id["f-1"], data, data + b"More.\n", actor=actor)
        return Planned(change, change.ids)

    return {
        "approve": approve,
        "reject": reject,
        "deprecate": deprecate,
        "dispute": dispute,
        "resolve": resolve,
        "revive": revive,
        "approve a successor": lambda v, s, a: approve(v, s, a, "f-2"),
        "forget": forget,
        "edit": edit,
    }


def outcome(vault: Any, act: Act, actor: Actor) -> str:
    """What the command leads to: the status afterwards, nothing to do, or refused."""
    try:
        planned = act(vault, vault.snapshot(), actor)
    except RefusedError as error:
        return "refused" if error.hint else "refused without a word of advice"
    if planned.change.is_empty:
        return NOTHING
    vault.apply(planned.change)
    return str(vault.record("f-1").status)


@pytest.mark.parametrize(
    ("command", "status", "actor"), list(itertools.product(EXPECTED, Status, Actor))
)
def test_every_triple(
    make_vault: Any, note: Any, commands: Any, command: str, status: Status, actor: Actor
) -> None:
    draft = note(id="f-2", kind="fact", title="New", supersedes="[f-1]")
    vault = make_vault(
        {
            "memories/a.md": note(id="f-1", kind="fact", status=str(status), title="Old"),
            "drafts/b.md": draft if command == "approve a successor" else note(id="f-2"),
        }
    )
    actors, result = EXPECTED[command].get(status, (set(), ""))
    wanted = result if actor in actors else "refused"
    assert outcome(vault, commands[command], actor) == wanted


@pytest.mark.parametrize("actor", [actor for actor in Actor if actor is not Actor.PERSON])
def test_an_agent_deletes_no_draft_but_its_own(
    make_vault: Any, note: Any, now: Any, random_int: Any, actor: Actor
) -> None:
    vault = make_vault({"drafts/a.md": note(id="f-1", kind="fact", source="agent")})
    shot = vault.snapshot()
    with pytest.raises(RefusedError):
        plan_forget(shot, shot.records, vault.files, ForgetRequest(), now=now, actor=actor,
                    random_int=random_int)  # fmt: skip


def test_nobody_bound_by_a_required_rule_disputes_it(
    make_vault: Any, note: Any, commands: Any
) -> None:
    rule = note(id="f-1", kind="rule", status="active", title="提交前先跑测试", force="required")
    for actor in Actor:
        vault = make_vault({"playbook/a.md": rule})
        wanted = "disputed" if actor is Actor.PERSON else "refused"
        assert outcome(vault, commands["dispute"], actor) == wanted
