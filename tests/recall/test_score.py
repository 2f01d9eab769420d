"""What a record is worth."""

from __future__ import annotations

from typing import Any

import pytest
from helpers import CONFIRMED

from vault_cli.model.record import Kind, Record, Status, Tally
from vault_cli.recall.score import (
    RECORD_CAP,
    effective_importance,
    query_words,
    relevance_of,
    score_record,
    standing,
)


def record(**values: Any) -> Record:
    status = Status(values.pop("status", "active"))
    if status is Status.VERIFIED:
        values.setdefault("fields", CONFIRMED)
    values.setdefault("title", "Title")
    values.setdefault("body", "")
    return Record(
        id="l-1", kind=Kind.LESSON, path="memories/l.md", digest="", written_status=status, **values
    )


@pytest.mark.parametrize(
    ("values", "verified", "expected"),
    [
        ({}, False, 7),
        ({"importance": 9}, False, 9),
        ({"importance": 99}, False, 10),
        ({"importance": -4}, False, 1),
        ({"importance": 9, "source": "agent"}, False, 5),
        ({"importance": 9, "source": "web"}, False, 5),
        ({"importance": 9, "origin": "hook"}, False, 5),
        ({"importance": 3, "source": "agent"}, False, 3),
        ({"importance": 9, "source": "agent"}, True, 9),
        ({"importance": 9, "source": "user", "origin": "cli"}, False, 9),
        ({"importance": 5, "correction": True}, False, 7),
        ({"importance": 9, "correction": True, "source": "tool"}, False, 5),
    ],
)
def test_importance_is_capped_while_nobody_verified_it(
    values: dict[str, Any], verified: bool, expected: int
) -> None:
    assert effective_importance(record(**values), verified=verified) == expected


def test_a_billion_hits_move_a_record_by_the_cap_at_most() -> None:
    plain = score_record(record()).value
    claimed = score_record(record(hits=10**9)).value
    logged = score_record(record(), Tally(hits=10**9, helpful=10**9, succeeded=10**9)).value
    assert plain < claimed <= plain + RECORD_CAP
    assert logged == plain + RECORD_CAP
    bad = score_record(record(), Tally(harmful=10**9, failed=10**9)).value
    assert bad == plain - RECORD_CAP


def test_standing_moves_in_steps_not_with_each_event() -> None:
    assert standing(Tally(helpful=4), 0) == standing(Tally(helpful=5), 0)
    assert standing(Tally(helpful=1, harmful=2), 0) < 0
    assert standing(Tally(exposures=500), 0) == 0


def test_verified_and_confidence_count() -> None:
    base = score_record(record()).value
    assert score_record(record(status="verified")).value > base
    assert score_record(record(confidence="high")).value > base
    assert score_record(record(confidence="low")).value < base


@pytest.mark.parametrize(
    ("title", "body", "text"),
    [
        ("Check node_modules before calling npx", "", "npx"),
        ("提交之前先运行测试", "", "帮我提交代码"),
        ("Release notes", "Use npx in the workspace.", "npx workspace"),
        (
            "npx offline",
            "",
            "please run " + "something else " * 40 + "with npx in an offline folder",
        ),
    ],
)
def test_relevant_text_is_found_in_both_languages(title: str, body: str, text: str) -> None:
    share, matches = relevance_of(record(title=title, body=body), query_words(text))
    assert share > 0.1
    assert matches


def test_the_head_counts_more_than_the_body() -> None:
    words = query_words("npx workspace")
    head, _ = relevance_of(record(title="npx workspace"), words)
    body, _ = relevance_of(record(body="npx workspace"), words)
    assert 0 < body < head <= 1


@pytest.mark.parametrize(
    ("body", "text", "holds"),
    [
        ("Several queries were slow.", "query", True),
        ("They prune it.", "run", False),
        ("It was running.", "run", True),
        ("先运行测试。", "测试", True),
        ("ＮＰＸ in full width", "npx", True),
        ("npx", "npx " + " ".join(f"word{n}" for n in range(60)), False),
    ],
)
def test_words_in_a_body_are_found_by_their_forms(body: str, text: str, holds: bool) -> None:
    share, _ = relevance_of(record(title="Other", body=body), query_words(text))
    assert (share > 0) is holds


def test_nothing_in_common_is_no_match() -> None:
    assert relevance_of(record(title="Quote YAML"), query_words("写一首诗")) == (0.0, ())
    assert query_words("") == frozenset()


def test_a_score_says_why() -> None:
    score = score_record(record(title="npx", status="verified"), words=query_words("npx"))
    assert score.describe() == "importance 7, verified, matches npx"
