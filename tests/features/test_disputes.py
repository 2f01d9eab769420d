from __future__ import annotations

from typing import Any

import pytest

from vault_cli.errors import RefusedError, UsageError
from vault_cli.features.conflicts import check_conflicts
from vault_cli.features.disputes import plan_dispute, plan_resolve, status_before
from vault_cli.features.supersession import needed_paths
from vault_cli.model.lifecycle import Actor
from vault_cli.model.record import Status


@pytest.fixture
def dispute(now: Any) -> Any:
    def run(vault: Any, record_id: Any = "f-1", actor: Any = Actor.AGENT, **keys: Any) -> Any:
        shot = vault.snapshot()
        planned = plan_dispute(
            shot, shot.by_id[record_id], vault.data(record_id), now=now, actor=actor, **keys
        )
        vault.apply(planned.change)
        return planned

    return run


@pytest.fixture
def resolve(now: Any, random_int: Any) -> Any:
    def run(vault: Any, record_id: Any = "f-1", reason: Any = "asked", **keys: Any) -> Any:
        shot = vault.snapshot()
        record = shot.by_id[record_id]
        texts = {path: vault.files[path] for path in needed_paths(shot, [record])}
        planned = plan_resolve(
            shot, record, texts, reason=reason, now=now, actor=Actor.PERSON,
            random_int=random_int, **keys,
        )  # fmt: skip
        vault.apply(planned.change)
        return planned

    return run


def fact(note: Any, **keys: str) -> str:
    given = {"id": "f-1", "kind": "fact", "status": "active", "title": "端口是 8080"}
    return note("端口是 8080。\n", **{**given, **keys})


def test_an_objection_takes_out_of_force_and_keeps_the_text(
    make_vault: Any, note: Any, dispute: Any
) -> None:
    vault = make_vault({"memories/a.md": fact(note), "memories/b.md": fact(note, id="f-2")})
    planned = dispute(vault, reason="现在是 8443", evidence=["f-2"], conflicts_with=["f-2"])
    record = vault.record("f-1")
    assert record.status is Status.DISPUTED
    assert not record.in_force
    assert record.body == "端口是 8080。\n"
    assert record.fields["disputed"] == {
        "reason": "现在是 8443",
        "at": "2026-12-15T10:02:11Z",
        "by": "agent",
        "was": "active",
        "conflicts_with": ["f-2"],
        "evidence": ["f-2"],
    }
    assert record.conflicts == (("f-2", "contradiction"),)
    assert planned.change.reason == "现在是 8443"


def test_a_disputed_draft_is_no_plain_draft_any_more(
    make_vault: Any, note: Any, dispute: Any, resolve: Any
) -> None:
    before = fact(note, status="candidate")
    vault = make_vault({"drafts/a.md": before})
    dispute(vault, reason="wrong")
    assert vault.record("f-1").status is Status.DISPUTED
    with pytest.raises(RefusedError, match="was a draft"):
        resolve(vault, to=Status.ACTIVE)
    resolve(vault)
    assert vault.text("drafts/a.md") == before


@pytest.mark.parametrize(
    ("status", "words"), [("rejected", "rejected cannot become"), ("superseded", "superseded")]
)
def test_what_has_ended_is_not_disputed(
    make_vault: Any, note: Any, dispute: Any, status: str, words: str
) -> None:
    with pytest.raises(RefusedError, match=words):
        dispute(make_vault({"a.md": fact(note, status=status)}), reason="wrong")


@pytest.mark.parametrize(
    ("keys", "words"),
    [
        ({}, "needs a reason"),
        ({"reason": " "}, "needs a reason"),
        ({"evidence": ["f-9"]}, "no record f-9"),
        ({"conflicts_with": ["f-9"]}, "no record f-9"),
        ({"conflicts_with": ["f-1"]}, "the record itself"),
    ],
)
def test_an_objection_rests_on_something(
    make_vault: Any, note: Any, dispute: Any, keys: Any, words: str
) -> None:
    with pytest.raises(UsageError, match=words):
        dispute(make_vault({"a.md": fact(note)}), **keys)


def test_own_evidence_is_enough(make_vault: Any, note: Any, dispute: Any) -> None:
    text = fact(note, evidence="[{id: e1, type: task, task: t-1}]")
    vault = make_vault({"a.md": text})
    dispute(vault, evidence=["e1"])
    assert vault.record("f-1").fields["disputed"]["evidence"] == ["e1"]


def test_another_conflict_joins_a_dispute(make_vault: Any, note: Any, dispute: Any) -> None:
    text = fact(note, conflicts="[{id: f-2, type: goal}]")
    files = {"a.md": text, "b.md": fact(note, id="f-2"), "c.md": fact(note, id="f-3")}
    vault = make_vault(files)
    dispute(vault, reason="wrong")
    dispute(vault, conflicts_with=["f-3", "f-2"])
    assert vault.record("f-1").conflicts == (("f-2", "goal"), ("f-3", "contradiction"))
    assert vault.record("f-1").fields["disputed"]["reason"] == "wrong"
    assert dispute(vault, conflicts_with=["f-3"]).change.is_empty
    assert vault.record("f-1").fields["disputed"]["conflicts_with"] == ["f-3"]


@pytest.mark.parametrize("answer", [None, Status.CANDIDATE, Status.DEPRECATED])
def test_a_conflict_that_came_with_an_objection_goes_with_it(
    make_vault: Any, note: Any, dispute: Any, resolve: Any, answer: Any
) -> None:
    both = "[{id: f-1, type: goal}]"
    files = {
        "a.md": fact(note, conflicts="[{id: f-3, type: goal}]"),
        "b.md": fact(note, id="f-2"),
        "c.md": fact(note, id="f-3", conflicts=both),
        "d.md": fact(note, id="f-4", conflicts=both),
    }
    vault = make_vault({**files, "d.md": fact(note, id="f-4")})
    dispute(vault, reason="端口是 8443", conflicts_with=["f-2", "f-4"])
    assert [found.path for found in check_conflicts(vault.snapshot())] == []
    vault.files["d.md"] = files["d.md"].encode()  # a person named it on the other side
    planned = resolve(vault, to=answer, reason="asked operations")
    assert list(check_conflicts(vault.snapshot())) == []
    left = [("f-3", "goal"), ("f-4", "contradiction")]
    if answer is Status.DEPRECATED:
        left.insert(1, ("f-2", "contradiction"))
    else:
        assert [n.code for n in planned.notes] == ["conflict-answered"]
        assert "mvault conflict f-1 f-2 --type contradiction" in planned.notes[0].hint
    assert list(vault.record("f-1").conflicts) == left


def test_an_answer_brings_exactly_the_earlier_text_back(
    make_vault: Any, note: Any, dispute: Any, resolve: Any
) -> None:
    before = fact(note)
    vault = make_vault({"a.md": before})
    dispute(vault, reason="wrong")
    resolve(vault)
    assert vault.text("a.md") == before


def test_a_verified_record_comes_back_as_active(
    make_vault: Any, note: Any, dispute: Any, resolve: Any
) -> None:
    text = fact(note, status="verified", verification="{method: tool}")
    vault = make_vault({"a.md": text})
    dispute(vault, reason="wrong")
    planned = resolve(vault)
    assert vault.record("f-1").status is Status.ACTIVE
    assert [found.code for found in planned.notes] == ["verify-again"]


@pytest.mark.parametrize("answer", [Status.DEPRECATED, Status.REJECTED])
def test_an_answer_that_ends_it(
    make_vault: Any, note: Any, dispute: Any, resolve: Any, answer: Status
) -> None:
    vault = make_vault({"memories/a.md": fact(note)})
    dispute(vault, reason="wrong")
    planned = resolve(vault, to=answer, reason="过时了")
    record = vault.record("f-1")
    assert record.status is answer
    assert "disputed" not in record.fields
    assert record.fields[str(answer)]["reason"] == "过时了"
    assert planned.change.verb == "resolve"
    decisions = [r for r in vault.snapshot().records if r.kind == "decision"]
    assert len(decisions) == (answer is Status.REJECTED)


def test_answers_need_a_dispute_a_reason_and_a_sense(
    make_vault: Any, note: Any, dispute: Any, resolve: Any
) -> None:
    vault = make_vault({"a.md": fact(note)})
    assert resolve(vault).change.is_empty
    with pytest.raises(RefusedError, match="not disputed"):
        resolve(vault, to=Status.DEPRECATED)
    dispute(vault, reason="wrong")
    with pytest.raises(UsageError, match="needs a reason"):
        resolve(vault, reason="")
    with pytest.raises(UsageError, match="not resolved as tombstoned"):
        resolve(vault, to=Status.TOMBSTONED)


def test_an_answer_does_not_make_two_successors(
    make_vault: Any, note: Any, dispute: Any, resolve: Any
) -> None:
    files = {
        "a.md": fact(note, status="superseded", superseded_by="f-2"),
        "b.md": fact(note, id="f-2", supersedes="[f-1]"),
    }
    vault = make_vault(files)
    planned = dispute(vault, "f-2", reason="wrong")
    assert [found.code for found in planned.notes] == ["predecessor-left"]
    vault.files["c.md"] = fact(note, id="f-3", supersedes="[f-1]").encode()
    with pytest.raises(RefusedError, match="already superseded by f-3"):
        resolve(vault, "f-2")


def test_a_skill_keeps_its_format_through_a_dispute(
    make_vault: Any, dispute: Any, resolve: Any
) -> None:
    text = "---\nname: a\ndescription: d\nmetadata:\n  mvault-id: k-1\n  mvault-status: active\n---\nT\n"
    vault = make_vault({"skills/a/SKILL.md": text})
    dispute(vault, "k-1", reason="step 2; is gone")
    record = vault.record("k-1")
    assert record.status is Status.DISPUTED
    assert status_before(record) is Status.ACTIVE
    assert set(record.fields) == {"name", "description", "metadata"}
    resolve(vault, "k-1")
    assert vault.record("k-1").fields["metadata"] == {"mvault-id": "k-1", "mvault-status": "active"}
    draft = text.replace("active", "candidate")
    vault = make_vault({"skills/a/SKILL.md": draft})
    dispute(vault, "k-1", reason="wrong")
    resolve(vault, "k-1")
    assert vault.record("k-1").status is Status.CANDIDATE
