from __future__ import annotations

from typing import Any

import pytest

from vault_cli.errors import RefusedError, UsageError
from vault_cli.features.approval import plan_approve
from vault_cli.features.repair import plan_repairs
from vault_cli.features.revival import plan_deprecate_all, plan_revive
from vault_cli.features.supersession import needed_paths
from vault_cli.model.lifecycle import Actor
from vault_cli.model.record import Status


@pytest.fixture
def revive(now: Any) -> Any:
    def run(vault: Any, record_id: Any = "f-1", reason: Any = "back in use") -> Any:
        shot = vault.snapshot()
        record = shot.by_id[record_id]
        texts = {path: vault.files[path] for path in needed_paths(shot, [record])}
        planned = plan_revive(shot, record, texts, reason=reason, now=now, actor=Actor.PERSON)
        vault.apply(planned.change)
        return planned

    return run


@pytest.fixture
def deprecate(now: Any) -> Any:
    def run(vault: Any, *ids: Any, reason: Any = "old") -> Any:
        shot = vault.snapshot()
        records = [shot.by_id[record_id] for record_id in ids]
        planned = plan_deprecate_all(
            shot, records, vault.files, reason=reason, now=now, actor=Actor.PERSON
        )
        vault.apply(planned.change)
        return planned

    return run


def fact(note: Any, **keys: str) -> str:
    return note(**{"id": "f-1", "kind": "fact", "status": "active", "title": "T", **keys})


def pair(note: Any, **old: str) -> dict[str, str]:
    """An active fact, and a draft that supersedes it."""
    return {
        "memories/old.md": fact(note, **old),
        "drafts/new.md": fact(note, id="f-2", status="candidate", supersedes="[f-1]"),
    }


@pytest.mark.parametrize("created", ["", "2026-12-14T20:00:00Z"])
@pytest.mark.parametrize("end", ["", "2027-12-31", "2026-12-01"])
def test_what_a_successor_changed_is_all_taken_back(
    make_vault: Any, note: Any, now: Any, random_int: Any, revive: Any, deprecate: Any, end: str,
    created: str,
) -> None:  # fmt: skip
    keys = {"valid_to": end, "created": created}
    files = pair(note, **{key: value for key, value in keys.items() if value})
    vault = make_vault(files)
    shot = vault.snapshot()
    plan = plan_approve(shot, [shot.by_id["f-2"]], vault.files, now=now, actor=Actor.PERSON,
                        how="test", random_int=random_int)  # fmt: skip
    vault.apply(plan.change)
    assert vault.record("f-1").status is Status.SUPERSEDED
    with pytest.raises(RefusedError, match="superseded by f-2") as caught:
        revive(vault)
    assert "mvault deprecate f-2" in caught.value.hint
    planned = deprecate(vault, "f-2")
    assert [found.code for found in planned.notes] == ["predecessor-left"]
    planned = revive(vault)
    assert vault.text("memories/old.md") == files["memories/old.md"]
    assert [found.code for found in planned.notes] == (["expired"] if end == "2026-12-01" else [])


def test_a_successor_of_the_successor_counts(make_vault: Any, note: Any, revive: Any) -> None:
    vault = make_vault(
        {
            "a.md": fact(note, status="superseded", superseded_by="f-2"),
            "b.md": fact(note, id="f-2", status="superseded", supersedes="[f-1]"),
            "c.md": fact(note, id="f-3", supersedes="[f-2]"),
        }
    )
    with pytest.raises(RefusedError, match="superseded by f-3"):
        revive(vault)


def test_reviving_a_successor_takes_its_predecessor_out_of_force(
    make_vault: Any, note: Any, revive: Any
) -> None:
    vault = make_vault(
        {
            "a.md": fact(note),
            "b.md": fact(note, id="f-2", status="deprecated", supersedes="[f-1]"),
        }
    )
    planned = revive(vault, "f-2")
    assert vault.record("f-1").status is Status.SUPERSEDED
    assert planned.change.touched == ("f-1",)


def test_a_deprecated_record_comes_back_without_its_old_reason(
    make_vault: Any, note: Any, deprecate: Any, revive: Any
) -> None:
    before = fact(note, title="旧集群")
    vault = make_vault({"memories/a.md": before})
    deprecate(vault, "f-1")
    assert vault.record("f-1").fields["deprecated"]["reason"] == "old"
    assert revive(vault).change.reason == "back in use"
    assert vault.text("memories/a.md") == before
    assert revive(vault, reason="").change.is_empty


def test_what_was_never_admitted_comes_back_as_a_draft(
    make_vault: Any, note: Any, deprecate: Any, revive: Any
) -> None:
    vault = make_vault({"drafts/a.md": fact(note, status="candidate")})
    deprecate(vault, "f-1")
    revive(vault)
    assert vault.record("f-1").status is Status.CANDIDATE
    rejected = fact(note, status="rejected", rejected="{reason: no}")
    decision = fact(note, id="d-1", kind="decision", derived_from="[f-1]")
    vault = make_vault({"memories/a.md": rejected, "memories/d.md": decision})
    planned = revive(vault)
    assert vault.record("f-1").status is Status.CANDIDATE
    assert "rejected" not in vault.record("f-1").fields
    assert [found.code for found in planned.notes] == ["decision-stands"]


def test_reviving_a_skill_takes_its_pointer_away(make_vault: Any, revive: Any) -> None:
    text = (
        "---\nname: a\ndescription: d\nmetadata:\n  mvault-id: k-1\n  mvault-status: superseded\n"
        "  mvault-superseded-by: k-2\n---\nT\n"
    )
    vault = make_vault({"skills/a/SKILL.md": text})
    revive(vault, "k-1")
    assert vault.record("k-1").fields["metadata"] == {"mvault-id": "k-1", "mvault-status": "active"}


@pytest.mark.parametrize(
    ("status", "hint"),
    [
        ("disputed", "mvault resolve"),
        ("quarantined", "releases"),
        ("tombstoned", "not there any more"),
    ],
)
def test_what_has_not_ended_has_another_way(
    make_vault: Any, note: Any, revive: Any, status: str, hint: str
) -> None:
    with pytest.raises(RefusedError) as caught:
        revive(make_vault({"a.md": fact(note, status=status)}))
    assert hint in caught.value.hint


def test_reviving_needs_a_reason(make_vault: Any, note: Any, revive: Any) -> None:
    with pytest.raises(UsageError, match="revive needs a reason"):
        revive(make_vault({"a.md": fact(note, status="deprecated")}), reason=" ")


def test_many_are_deprecated_in_one_change(make_vault: Any, note: Any, deprecate: Any) -> None:
    ids = ("f-1", "f-2", "f-3")
    files = {
        f"{i}.md": fact(note, id=i, status="deprecated" if i == "f-2" else "active") for i in ids
    }
    vault = make_vault(files)
    planned = deprecate(vault, *ids, reason="迁移了")
    assert planned.ids == ("f-1", "f-3")
    assert planned.change.subject == ": 2 records"
    assert {vault.record(i).status for i in ids} == {Status.DEPRECATED}
    assert vault.record("f-3").fields["deprecated"]["reason"] == "迁移了"
    assert vault.text("f-2.md") == files["f-2.md"]
    assert deprecate(vault, *ids).change.is_empty


def test_a_repair_gives_an_overwritten_end_back(make_vault: Any, note: Any, now: Any) -> None:
    text = fact(note, status="superseded", superseded_by="f-9", valid_to="2026-12-14",
                valid_to_before="2027-12-31")  # fmt: skip
    vault = make_vault({"memories/a.md": text})
    planned = plan_repairs(vault.snapshot(), vault.files, None, now, Actor.PERSON)
    vault.apply(planned.change)
    assert vault.text("memories/a.md") == fact(note, valid_to="2027-12-31")


def test_what_was_promoted_is_promoted_back_and_not_revived(
    make_vault: Any, note: Any, revive: Any
) -> None:
    text = fact(note, status="superseded", promoted_to="global (user vault)")
    with pytest.raises(RefusedError, match="was promoted"):
        revive(make_vault({"memories/a.md": text}))
