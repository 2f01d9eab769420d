"""Two vaults in one snapshot: which record counts, and that nothing vanishes unsaid."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime
from types import MappingProxyType
from typing import Any

import pytest

from vault_cli.errors import Diagnostic
from vault_cli.model.record import Kind, Record, Scope, Snapshot, Status, Tally
from vault_cli.model.validity import Validity
from vault_cli.recall.select import Query, Selection, select_records
from vault_cli.recall.together import join_vaults

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)


def record(key: str, kind: str = "fact", **values: Any) -> Record:
    status = Status(values.pop("status", "active"))
    values.setdefault("title", f"标题 {key}")
    values.setdefault("body", "Text.\n")
    values.setdefault("path", f"memories/{key}.md")
    values.setdefault("digest", repr(sorted(values.items())))
    return Record(id=key, kind=Kind(kind), written_status=status, **values)


def both(project: list[Record], user: list[Record]) -> Snapshot:
    return join_vaults(Snapshot(tuple(project)), Snapshot(tuple(user)), "/home/ana/vault")


def select(project: list[Record], user: list[Record], **asked: Any) -> Selection:
    return select_records(both(project, user), Query(now=NOW, **asked))


def picked(selection: Selection) -> set[tuple[str, str]]:
    return {(pick.record.vault, pick.record.id) for pick in selection.picks}


def out(selection: Selection) -> dict[tuple[str, str], str]:
    return {(item.record.vault, item.record.id): item.code for item in selection.excluded}


def codes(snapshot: Snapshot) -> list[str]:
    return [found.code for found in snapshot.diagnostics]


def test_records_of_both_take_part_and_know_their_vault() -> None:
    selection = select([record("f-a")], [record("f-b")])
    assert picked(selection) == {("project", "f-a"), ("user", "f-b")}
    assert selection.excluded == ()


def test_the_project_s_record_counts_before_the_user_s_of_the_same_id() -> None:
    theirs, mine = record("f-a", body="Theirs.\n"), record("f-a", body="Mine.\n")
    selection = select([theirs], [mine])
    assert picked(selection) == {("project", "f-a")}
    assert out(selection) == {("user", "f-a"): "shadowed"}
    assert codes(both([theirs], [mine])) == ["id-in-both-vaults"]


@pytest.mark.parametrize(
    "values",
    [
        {"status": "candidate"},
        {"status": "superseded"},
        {"path": "drafts/f-a.md"},
        {"validity": Validity(end=date(2026, 11, 29))},
        {"validity": Validity(start=date(2026, 12, 1))},
        {"scope": Scope("project", "other")},
        {"scope": Scope("session", "s1")},
        {"branch": ("release/*",)},
        {"findings": (Diagnostic("f-a.md", 1, "frame-tag", "warning", "x", "", True),)},
    ],
)
def test_what_is_not_eligible_here_takes_nothing_out(values: dict[str, Any]) -> None:
    asked = {"branch": "main"}
    selection = select([record("f-a", **values)], [record("f-a")], **asked)
    assert picked(selection) == {("user", "f-a")}
    successor = record("f-new", **{"path": "memories/f-new.md", **values}, supersedes=("f-a",))
    assert ("user", "f-a") in picked(select([successor], [record("f-a")], **asked))


def test_either_vault_may_supersede_a_record_of_the_other() -> None:
    new = record("f-new", supersedes=("f-old",))
    for project, user, old in (
        ([new], [record("f-old")], ("user", "f-old")),
        ([record("f-old")], [new], ("project", "f-old")),
    ):
        selection = select(project, user)
        assert out(selection) == {old: "superseded"}
        assert {key for _, key in picked(selection)} == {"f-new"}


def test_two_records_that_supersede_each_other_do_not_both_vanish() -> None:
    one, other = record("f-a", supersedes=("f-b",)), record("f-b", supersedes=("f-a",))
    assert picked(select([one], [other])) == {("project", "f-a")}


def test_no_project_takes_a_required_rule_of_the_user_out_of_force() -> None:
    rule = record("r-a", "rule", required=True, path="playbook/r-a.md")
    same_id = record("r-a", body="Push to main freely.\n")
    successor = record("r-b", "rule", required=True, supersedes=("r-a",), path="playbook/r-b.md")
    selection = select([same_id, successor], [rule])
    assert picked(selection) == {("user", "r-a"), ("project", "r-b")}
    assert out(selection) == {("project", "r-a"): "shadowed"}
    assert set(codes(both([same_id, successor], [rule]))) == {
        "id-in-both-vaults",
        "user-rule-stays",
    }


def test_an_id_that_stands_twice_in_one_vault_is_ambiguous_there_only() -> None:
    twice = [record("f-a", path="memories/1.md"), record("f-a", path="memories/2.md")]
    assert picked(select(twice, [record("f-a")])) == {("user", "f-a")}


def test_findings_counts_and_files_of_the_user_vault_name_its_folder() -> None:
    found = Diagnostic("memories/x.md", 3, "yaml-tab", "error", "a tab")
    one = Snapshot((record("f-a"),), (found,), ("memories/x.md",), {"node_modules": 2}, {}, "abc")
    other = Snapshot(
        (record("f-b"),),
        (found,),
        ("memories/x.md",),
        MappingProxyType({"node_modules": 1, ".cache": 1}),
        MappingProxyType({"f-b": Tally(hits=4)}),
    )
    joined = join_vaults(one, other, "/home/ana/vault")
    assert joined.unreadable == ("memories/x.md", "/home/ana/vault/memories/x.md")
    assert [item.path for item in joined.diagnostics] == list(joined.unreadable)
    assert joined.skipped == {"node_modules": 3, ".cache": 1}
    assert (joined.tally("f-b").hits, joined.commit) == (4, "abc")


def test_a_record_that_was_moved_is_no_clash_and_a_half_moved_one_is_named() -> None:
    arrived = record("f-a", fields={"promoted_from": "project:w"})
    there = record("f-a", scope=Scope("project", "w"))
    left = replace(there, written_status=Status.SUPERSEDED, fields={"promoted_to": "global"})
    assert codes(both([left], [arrived])) == []
    (found,) = both([there], [arrived]).diagnostics
    assert found.code == "promotion-unfinished"
    assert "mvault promote f-a --to global --to-vault user" in found.hint
