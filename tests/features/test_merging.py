from __future__ import annotations

from datetime import datetime
from typing import Any

import pytest

from vault_cli.errors import RefusedError
from vault_cli.features.joining import join_bodies
from vault_cli.features.merging import MergeRequest, plan_merge
from vault_cli.model.lifecycle import Actor
from vault_cli.model.record import Status

A = {"id": "l-a", "kind": "lesson", "status": "active", "title": "Check bin before npx"}
B = {"id": "l-b", "kind": "lesson", "status": "active", "title": "Look into bin before npx"}
TEXT_A = "# Check bin before npx\n\n## Problem\nnpx downloads.\n"
TEXT_B = "# Look into bin\n\n## 问题\nNPX downloads\n\n## 修正\n先看 node_modules/.bin。\n"


@pytest.fixture
def pair(make_vault: Any, note: Any) -> Any:
    def make(one: dict[str, str] | None = None, other: dict[str, str] | None = None) -> Any:
        return make_vault(
            {
                "memories/a.md": note(TEXT_A, **{**A, **(one or {})}),
                "memories/b.md": note(TEXT_B, **{**B, **(other or {})}),
            }
        )

    return make


@pytest.fixture
def merge(now: datetime) -> Any:
    def run(vault: Any, *, actor: Actor = Actor.PERSON, kept: str = "l-a", **options: Any) -> Any:
        gone = "l-b" if kept == "l-a" else "l-a"
        request = MergeRequest(vault.record(kept), vault.record(gone), **options)
        planned = plan_merge(vault.snapshot(), request, vault.files, now=now, actor=actor)
        vault.apply(planned.change)
        return planned

    return run


def test_the_survivor_has_both_and_the_other_keeps_its_text(pair: Any, merge: Any) -> None:
    vault = pair(
        {"topics": "[node]", "keywords": "[npx]", "derived_from": "[x-1]"},
        {"topics": "[ci, node]", "aliases": '["exp:1"]', "derived_from": "[x-1, l-a]"},
    )
    planned = merge(vault, reason="the same lesson")
    kept, gone = vault.record("l-a"), vault.record("l-b")
    assert (kept.status, kept.supersedes) == (Status.ACTIVE, ("l-b",))
    assert kept.topics == ("node", "ci")
    assert (kept.keywords, kept.aliases, kept.derived_from) == (("npx",), ("exp:1",), ("x-1",))
    assert kept.body == TEXT_A + "\n## 修正\n\n先看 node_modules/.bin。\n"
    assert (gone.status, gone.body) == (Status.SUPERSEDED, TEXT_B)
    assert gone.fields["superseded_by"] == "l-a"
    assert planned.change.ids == ("l-a", "l-b")
    assert planned.change.reason == "the same lesson"


def test_merging_again_is_nothing_and_the_other_way_works(pair: Any, merge: Any) -> None:
    vault = pair()
    merge(vault)
    assert merge(vault).change.is_empty
    other = pair()
    merge(other, kept="l-b")
    assert other.record("l-a").status is Status.SUPERSEDED
    assert other.record("l-b").supersedes == ("l-a",)


def test_evidence_of_both_with_ids_of_their_own(pair: Any, merge: Any) -> None:
    vault = pair(
        {"evidence": "[{id: e1, type: commit, commit: aaa}]"},
        {
            "evidence": "[{id: e1, type: commit, commit: bbb}, {id: e2, type: task, task: t-1}]",
        },
    )
    merge(vault)
    evidence = vault.record("l-a").fields["evidence"]
    assert [(item["id"], item["type"]) for item in evidence] == [
        ("e1", "commit"), ("e2", "commit"), ("e3", "task"),
    ]  # fmt: skip
    assert evidence[1]["commit"] == "bbb"


@pytest.mark.parametrize(
    ("one", "other", "says"),
    [
        ({"scope": "project:a"}, {}, "scope"),
        ({"valid_to": "2026-02-28"}, {"valid_from": "2026-06-01"}, "period"),
        ({"valid_to": "2026-12-31"}, {}, "period"),
        ({"valid_from": "2026-09-01"}, {"valid_from": "2026-03-01"}, "period"),
        ({"status": "deprecated"}, {}, "deprecated"),
        ({}, {"status": "disputed"}, "disputed"),
        ({"status": "candidate"}, {}, "draft"),
        ({}, {"kind": "note"}, "note"),
        ({}, {"supersedes": "[l-a]"}, "supersedes"),
    ],
)
def test_what_would_lose_something_is_refused_with_a_way(
    pair: Any, merge: Any, one: dict[str, str], other: dict[str, str], says: str
) -> None:
    vault = pair(one, other)
    before = dict(vault.files)
    with pytest.raises(RefusedError) as error:
        merge(vault)
    assert says in error.value.message
    assert error.value.hint
    assert vault.files == before


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"valid_from": "2026-03-01"}, {"valid_from": "2026-09-01"}),
        ({"valid_from": "2026-03-01"}, {}),
        ({"valid_to": "2026-12-31"}, {"valid_to": "2026-12-31"}),
    ],
)
def test_periods_that_lose_nothing(
    pair: Any, merge: Any, one: dict[str, str], other: dict[str, str]
) -> None:
    assert not merge(pair(one, other)).change.is_empty


def test_merged_on_the_day_it_was_created_it_ends_on_that_day(pair: Any, merge: Any) -> None:
    vault = pair({"created": "2026-12-15T01:00:00Z"}, {"created": "2026-12-15T02:00:00Z"})
    merge(vault)
    assert vault.record("l-b").fields["valid_to"] == "2026-12-15"


def test_a_contradiction_needs_a_reason(make_vault: Any, note: Any, merge: Any) -> None:
    vault = make_vault(
        {
            "memories/a.md": note("必须跑完整测试。\n", **A),
            "memories/b.md": note("不要跑完整测试。\n", **B),
        }
    )
    with pytest.raises(RefusedError) as error:
        merge(vault)
    assert "必须跑完整测试" in error.value.message
    assert "mvault conflict l-a l-b" in error.value.hint
    merge(vault, force_reason="the second is about drafts")
    assert vault.record("l-a").body == "必须跑完整测试。\n\n不要跑完整测试。\n"


def test_drafts_are_merged_and_only_by_a_person(pair: Any, merge: Any) -> None:
    drafts = {"status": "candidate"}
    for actor in (Actor.AGENT, Actor.HOOK, Actor.IMPORT, Actor.POLICY):
        with pytest.raises(RefusedError):
            merge(pair(drafts, drafts), actor=actor)
        with pytest.raises(RefusedError):
            merge(pair(), actor=actor)
    vault = pair(drafts, drafts)
    merge(vault)
    assert vault.record("l-a").status is Status.CANDIDATE
    assert vault.record("l-b").status is Status.SUPERSEDED


def test_a_verified_record_that_gains_text_is_active(pair: Any, merge: Any) -> None:
    vault = pair({"status": "verified"})
    planned = merge(vault)
    assert vault.record("l-a").status is Status.ACTIVE
    assert "verification-lost" in [note.code for note in planned.notes]


def test_what_is_left_behind_is_told(pair: Any, merge: Any) -> None:
    vault = pair(
        {"conflicts": "[{id: l-b, type: goal}, {id: l-z, type: goal}]"},
        {"applies_when": "on CI", "force": "required", "conflicts": "[{id: l-y, type: goal}]"},
    )
    planned = merge(vault)
    texts = " ".join(note.message for note in planned.notes)
    assert "on CI" in texts
    assert "required" in texts
    assert "l-y" in texts
    assert vault.record("l-a").conflicts == (("l-z", "goal"),)


@pytest.mark.parametrize(
    ("kept", "gone", "joined"),
    [
        ("One.\n", "one\n", "One.\n"),
        ("One.\n", "Two.\n", "One.\n\nTwo.\n"),
        ("One.\n", "", "One.\n\nLook first\n"),
        ("", "Two.\n", "Two.\n"),
        ("- a\n- b\n", "- B\n- c\n", "- a\n- b\n- c\n"),
        ("Lead.\n\n## Problem\np\n", "L2.\n", "Lead.\n\nL2.\n\n## Problem\np\n"),
        ("## Steps\n1. a\n", "## 步骤\n1. a\n2. b\n", "## Steps\n1. a\n2. b\n"),
        ("One.\n", "# Look first\n\nTwo.\n", "One.\n\nTwo.\n"),
        (
            "```sh\nmake\n```\n",
            "```sh\nmake\n```\n\n```sh\n## no heading\n\nmake all\n```\n",
            "```sh\nmake\n```\n\n```sh\n## no heading\n\nmake all\n```\n",
        ),
        ("No newline", "no newline.", "No newline"),
        ("One. Two.\n", "Two! Three.\n", "One. Two.\n\nThree.\n"),
        ("Version 15. Port 1. Two.\n", "Port 1. Three.\n",
         "Version 15. Port 1. Two.\n\nThree.\n"),
        ("One. Two.\n", "Three. Two.\nFour. One.\n", "One. Two.\n\nThree. Four.\n"),
        (
            "用 PostgreSQL。端口是 5432。\n",
            "端口是５４３２！负责人是运维。\n",
            "用 PostgreSQL。端口是 5432。\n\n负责人是运维。\n",
        ),
        ("先备份。\n", "他说：“先备份。再部署。”\n", "先备份。\n\n他说：“先备份。再部署。”\n"),
        ("Two.\n", "See `a. Two. b`. Two.\n", "Two.\n\nSee `a. Two. b`.\n"),
        ("ripgrep.\n", "Use a tool, e.g. ripgrep.\n", "ripgrep.\n\nUse a tool, e.g. ripgrep.\n"),
        ("Two.\n", "**One. Two.** Two.\n", "Two.\n\n**One. Two.**\n"),
        ("- One. Two.\n", "Two. Three.\n", "- One. Two.\n\nThree.\n"),
        ("One.\n", "- One. Two.\n", "One.\n\n- One. Two.\n"),
        ("One.\n", "> One. Two.\n", "One.\n\n> One. Two.\n"),
        ("One.\n", "```\nOne. Two.\n```\n", "One.\n\n```\nOne. Two.\n```\n"),
        ("- a\n  - c\n- b\n", "- a\n  - d\n", "- a\n  - c\n- b\n- a\n  - d\n"),
        ("1. stop\n2. start\n", "1. stop\n2. copy\n3. start\n",
         "1. stop\n2. start\n\n1. stop\n2. copy\n3. start\n"),
        ("1. a\n2. b\n", "1. a\n2. b\n3. c\n", "1. a\n2. b\n3. c\n"),
        ("1. a\n2. b\n3. c\n", "1. b\n2. c\n", "1. a\n2. b\n3. c\n"),
    ],
)  # fmt: skip
def test_bodies_are_joined_without_saying_it_twice(kept: str, gone: str, joined: str) -> None:
    assert join_bodies(kept, "Ask first", gone, "Look first") == joined


def test_headings_are_read_by_the_kind_that_stays() -> None:
    kept, gone = "## 步骤\n1. 停\n", "## 做法\n1. 停\n2. 开\n"
    assert join_bodies(kept, "A", gone, "B", "recipe") == "## 步骤\n1. 停\n2. 开\n"
    assert join_bodies(kept, "A", gone, "B", "lesson").endswith("## 做法\n\n2. 开\n")


def test_joining_twice_adds_nothing() -> None:
    once = join_bodies(TEXT_A, "A", TEXT_B, "B")
    assert join_bodies(once, "A", TEXT_B, "B") == once
