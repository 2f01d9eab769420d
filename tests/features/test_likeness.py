from __future__ import annotations

import time
from datetime import datetime
from random import Random
from typing import Any

import pytest

from vault_cli.errors import Diagnostic
from vault_cli.features.likeness import compare_record, find_alike
from vault_cli.model.record import Snapshot
from vault_cli.text.fields import read_record


@pytest.fixture
def alike(make_vault: Any, note: Any, now: datetime) -> Any:
    """Findings about a draft with `mine` beside a record in force with `theirs`."""

    def find(mine: tuple[str, dict[str, str]], theirs: tuple[str, dict[str, str]]) -> Any:
        draft = {"id": "r-new", "kind": "rule", "status": "candidate", "title": "New one"}
        old = {"id": "r-old", "kind": "rule", "status": "active", "title": "Old one"}
        vault = make_vault(
            {
                "drafts/new.md": note(mine[0], **{**draft, **mine[1]}),
                "playbook/old.md": note(theirs[0], **{**old, **theirs[1]}),
            }
        )
        return find_alike(vault.snapshot(), vault.record("r-new"), now)

    return find


def codes(found: tuple[Diagnostic, ...]) -> list[str]:
    return [one.code for one in found]


PUSH = "Run the tests before pushing.\n"
NEVER = "Never run the tests before pushing.\n"


@pytest.mark.parametrize(
    ("mine", "theirs", "expected"),
    [
        (PUSH, "run the tests before pushing", ["duplicate-text"]),
        (PUSH, "Run teh tests before pushing.", ["near-duplicate"]),
        (PUSH, NEVER, ["contradiction"]),
        ("端口是 5432。\n", "端口是 5433。\n", ["similar-text"]),
        ("版本号写成 API2。", "版本号写成ＡＰＩ２", ["duplicate-text"]),
        ("必须跑完整测试。", "不要跑完整测试。", ["contradiction"]),
        (PUSH, "The refund limit is 200 euros.", []),
    ],
)
def test_each_tier_has_its_code(alike: Any, mine: str, theirs: str, expected: list[str]) -> None:
    own, other = ({"title": text.strip()} for text in (mine, theirs))
    assert codes(alike((mine, own), (theirs, other))) == expected


def test_a_contradiction_names_both_sentences_and_decides_nothing(alike: Any) -> None:
    (found,) = alike((NEVER, {}), (PUSH, {}))
    assert (found.severity, found.holds, found.path) == ("warning", False, "drafts/new.md")
    assert "here “Never run the tests before pushing”" in found.message
    assert "there “Run the tests before pushing”" in found.message
    assert "r-old (Old one), active" in found.message
    assert "mvault conflict r-old r-new --type contradiction" in found.hint


def test_another_condition_is_called_an_exception(alike: Any) -> None:
    mine = (NEVER, {"applies_when": "hotfix branches"})
    (found,) = alike(mine, (PUSH, {"applies_when": "feature work in the web client"}))
    assert "exception" in found.message
    assert "--type condition" in found.hint


@pytest.mark.parametrize(
    ("mine", "theirs", "expected"),
    [
        ({"source": "web"}, {"source": "user"}, ["contradiction", "low-authority"]),
        ({"source": "agent"}, {"correction": "true"}, ["contradiction", "low-authority"]),
        ({"source": "import"}, {"source": "tool"}, ["contradiction"]),
        ({"source": "user"}, {"source": "user"}, ["contradiction"]),
        ({"source": "web"}, {"source": "user", "status": "candidate"}, ["contradiction"]),
    ],
)
def test_a_lesser_source_against_a_person(
    alike: Any, mine: dict[str, str], theirs: dict[str, str], expected: list[str]
) -> None:
    assert codes(alike((NEVER, mine), (PUSH, theirs))) == expected


@pytest.mark.parametrize(
    ("mine", "theirs"),
    [
        ({"valid_from": "2026-06-01"}, {"valid_to": "2026-02-28"}),
        ({"scope": "project:a"}, {"scope": "project:b"}),
        ({"supersedes": "[r-old]"}, {}),
        ({"derived_from": "[r-old]"}, {}),
        ({}, {"status": "deprecated"}),
        ({}, {"status": "superseded"}),
    ],
)
@pytest.mark.parametrize("text", [PUSH, NEVER])
def test_what_does_not_meet_is_not_alike(
    alike: Any, text: str, mine: dict[str, str], theirs: dict[str, str]
) -> None:
    assert alike((text, mine), (PUSH, theirs)) == ()


REJECTED = {"status": "rejected", "rejected": "{reason: it hides real failures}"}


@pytest.mark.parametrize("text", [PUSH, "Run all the tests before you are pushing.\n"])
def test_a_second_proposal_is_shown_with_the_reason_of_the_first(alike: Any, text: str) -> None:
    (found,) = alike((text, {"title": "Tests"}), (PUSH, {**REJECTED, "title": "Tests"}))
    assert found.code == "rejected-before"
    assert "it hides real failures" in found.message


def test_the_opposite_of_what_was_rejected_is_nothing_to_tell(alike: Any) -> None:
    assert alike((NEVER, {}), (PUSH, REJECTED)) == ()


FAILURE = {"kind": "failure", "title": "Retry a charge without the same key"}


def test_a_failure_says_what_not_to_do(alike: Any) -> None:
    again = alike(("", {"title": "Retry a charge without the same key"}), ("", FAILURE))
    assert "contradiction" in codes(again) or "duplicate-text" in codes(again)
    agrees = alike(("Never retry a charge without the same key.\n", {}), ("", FAILURE))
    assert "contradiction" not in codes(agrees)


def test_an_avoid_section_is_negated_and_a_problem_is_no_claim(alike: Any) -> None:
    theirs = "## Problem\nMock the database in unit tests.\n## Avoid\nSleep in tests.\n"
    assert alike(("Do not mock the database in unit tests.\n", {}), (theirs, {})) == ()
    assert codes(alike(("Sleep in tests.\n", {}), (theirs, {}))) == ["contradiction"]
    assert alike(("Never sleep in tests.\n", {}), (theirs, {})) == ()


def test_code_blocks_are_no_claims(alike: Any) -> None:
    theirs = "Ask first.\n\n```\nNever run the tests before pushing.\n```\n"
    assert alike((PUSH, {}), (theirs, {})) == ()


def test_the_same_title_over_a_longer_text(alike: Any) -> None:
    mine = ("CI needs an hour to tell.\n", {"title": "Run the full test suite locally"})
    theirs = ("A red main stops everybody.\n", {"title": "Run the full test suite locally"})
    (found,) = alike(mine, theirs)
    assert found.code == "near-duplicate"
    assert "title" in found.message


def test_every_candidate_is_found_in_order(make_vault: Any, note: Any, now: datetime) -> None:
    files = {
        f"playbook/{key}.md": note(text, id=f"r-{key}", kind="rule", status="active", title=key)
        for key, text in (("b", PUSH), ("a", PUSH), ("never", NEVER))
    }
    files["drafts/x.md"] = note(PUSH, id="r-x", kind="rule", status="candidate", title="x")
    vault = make_vault(files)
    found = compare_record(vault.snapshot(), vault.record("r-x"), now)
    assert [(one.code, one.other.id) for one in found] == [
        ("contradiction", "r-never"),
        ("duplicate-text", "r-a"),
        ("duplicate-text", "r-b"),
    ]


WORDS = (  # noqa: SIM905 - one line a language reads better than a list
    "deploy branch index migration retry timeout queue cache token parser schema webhook release "
    "container volume proxy mirror shard ledger invoice tablet berth harbour pilot crane manifest "
    "部署 分支 索引 迁移 重试 超时 队列 缓存 解析 发布 容器 镜像 泊位 引航 吊车 舱单 账本 发票"
).split()


def test_ten_thousand_records_are_compared_at_once(now: datetime) -> None:
    """The opposite is found among 10,000 records, and quickly (0.1 s of processor time)."""
    rng = Random(5)
    records = []
    for number in range(10_000):
        body = " ".join(rng.choices(WORDS, k=50))
        text = (
            f"---\nid: n-{number:07d}\nkind: note\nstatus: active\n"
            f"title: {' '.join(rng.choices(WORDS, k=5))}\n---\n{body}\n"
        )
        records.append(read_record(text.encode(), f"memories/2026-10/{number}.md")[0])
    old = "---\nid: r-old\nkind: rule\nstatus: active\ntitle: 泊位索引\n---\n泊位索引在夜里重建。\n"
    new = (
        "---\nid: r-new\nkind: rule\nstatus: candidate\ntitle: 新\n---\n泊位索引不要在夜里重建。\n"
    )
    records.append(read_record(old.encode(), "playbook/old.md")[0])
    draft = read_record(new.encode(), "drafts/new.md")[0]
    assert draft is not None
    snapshot = Snapshot(tuple(record for record in records if record is not None))
    assert len(snapshot.records) == 10_001
    start = time.process_time()
    found = find_alike(snapshot, draft, now)
    took = time.process_time() - start
    assert ("contradiction", "r-old") in [(one.code, one.message.split()[1]) for one in found]
    assert took < 0.6
