from __future__ import annotations

from typing import Any

import pytest

from vault_cli.errors import RefusedError, UsageError
from vault_cli.features.conflicts import check_conflicts, plan_conflict
from vault_cli.model.lifecycle import Actor


@pytest.fixture
def pair(make_vault: Any, note: Any) -> Any:
    def make(one: dict[str, str] | None = None, other: dict[str, str] | None = None) -> Any:
        base = {"kind": "rule", "status": "active", "title": "T"}
        return make_vault(
            {
                "playbook/a.md": note("# 用制表符\n", **{"id": "r-a", **base, **(one or {})}),
                "playbook/b.md": note("# Use spaces\n", **{"id": "r-b", **base, **(other or {})}),
            }
        )

    return make


def plan(vault: Any, *, actor: Actor = Actor.PERSON, **options: Any) -> Any:
    records = [vault.record("r-a"), vault.record("r-b")]
    planned = plan_conflict(records, vault.files, actor=actor, **options)
    vault.apply(planned.change)
    return planned


def test_both_sides_name_each_other_in_one_change(pair: Any) -> None:
    vault = pair({"conflicts": "[{id: r-z, type: goal}, r-y]"})
    planned = plan(vault, kind="condition", reason="two teams")
    assert len(planned.change.edits) == 2
    assert planned.change.reason == "two teams"
    assert vault.record("r-a").conflicts == (
        ("r-z", "goal"), ("r-y", "contradiction"), ("r-b", "condition"),
    )  # fmt: skip
    assert vault.record("r-b").conflicts == (("r-a", "condition"),)
    assert "[{id: r-z, type: goal}, r-y, {id: r-b, type: condition}]" in vault.text("playbook/a.md")


def test_a_disputed_record_names_what_it_disputes_and_keeps_its_text(pair: Any) -> None:
    vault = pair({"status": "disputed"})
    plan(vault, kind="contradiction")
    assert vault.record("r-a").conflicts == (("r-b", "contradiction"),)
    assert vault.record("r-b").body == "# Use spaces\n"
    assert vault.record("r-b").in_force


def test_again_is_nothing_and_another_type_changes_both(pair: Any) -> None:
    vault = pair()
    plan(vault, kind="goal")
    assert plan(vault, kind="goal").change.is_empty
    plan(vault, kind="apparent")
    assert vault.record("r-a").conflicts == (("r-b", "apparent"),)
    assert vault.record("r-b").conflicts == (("r-a", "apparent"),)


def test_removing_leaves_the_files_as_they_were(pair: Any) -> None:
    vault = pair()
    before = dict(vault.files)
    plan(vault, kind="goal")
    plan(vault, remove=True)
    assert vault.files == before
    assert plan(vault, remove=True).change.is_empty


@pytest.mark.parametrize("one", [{"conflicts": "r-b"}, {"conflicts": "[r-b]"}])
def test_one_side_is_completed_and_a_bare_id_is_a_contradiction(
    pair: Any, one: dict[str, str]
) -> None:
    vault = pair(one)
    plan(vault, kind="contradiction")
    assert vault.record("r-a").conflicts == (("r-b", "contradiction"),)
    assert vault.record("r-b").conflicts == (("r-a", "contradiction"),)
    assert vault.text("playbook/a.md").count("conflicts") == 1


def test_an_agent_only_between_drafts(pair: Any) -> None:
    with pytest.raises(RefusedError):
        plan(pair(), kind="goal", actor=Actor.AGENT)
    with pytest.raises(RefusedError):
        plan(pair({"status": "candidate"}), kind="goal", actor=Actor.AGENT)
    vault = pair({"status": "candidate"}, {"status": "candidate"})
    assert not plan(vault, kind="goal", actor=Actor.AGENT).change.is_empty


def test_what_cannot_be_in_conflict(pair: Any) -> None:
    with pytest.raises(UsageError) as error:
        plan(pair(), kind="quarrel")
    assert "condition" in error.value.hint
    with pytest.raises(RefusedError):
        plan(pair({"status": "deprecated"}), kind="goal")
    vault = pair()
    same = vault.record("r-a")
    with pytest.raises(RefusedError):
        plan_conflict([same, same], vault.files, kind="goal", actor=Actor.PERSON)


def test_one_sided_conflicts_of_live_records_are_findings(pair: Any) -> None:
    claim = {"conflicts": "[{id: r-b, type: goal}]"}
    (found,) = check_conflicts(pair(claim).snapshot())
    assert (found.code, found.path, found.severity) == (
        "one-sided-conflict", "playbook/a.md", "warning",
    )  # fmt: skip
    assert "mvault conflict r-a r-b --type goal" in found.hint
    assert not list(check_conflicts(pair(claim, {"status": "superseded"}).snapshot()))
    vault = pair()
    plan(vault, kind="goal")
    assert not list(check_conflicts(vault.snapshot()))
