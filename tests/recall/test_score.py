"""What a record is worth."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from functools import reduce
from operator import add
from typing import Any

import pytest
from helpers import CONFIRMED
from hypothesis import given
from hypothesis import strategies as st

from vault_cli.model.record import Kind, Record, Status, Tally
from vault_cli.recall.retention import Aging
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


NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
AGING = Aging.at(NOW)


def test_the_score_is_the_sum_of_its_named_parts() -> None:
    one = record(title="npx", importance=9, source="agent", created="2024-11-30", confidence="low")
    score = score_record(one, Tally(hits=3), query_words("npx"), aging=AGING)
    assert list(score.parts) == ["relevance", "importance", "retention", "trust", "precedent"]
    assert score.value == reduce(add, score.parts.values())  # `sum` rounds otherwise since 3.12
    assert score.parts["importance"] == 5
    assert score.parts["trust"] == -1
    assert score.parts["precedent"] == 0.5
    assert -1.2 <= score.parts["retention"] < 0
    lines = score.explain()
    assert lines[1] == "importance +5.00 5 of 10 (capped at 5: nobody verified it)"
    assert lines[0].endswith("(npx)")
    assert lines[-1] == f"score {score.value:.2f}"
    data = score.as_data()
    assert data["value"] == round(score.value, 6)
    assert set(data["parts"]) == set(score.parts)
    assert data["capped"] is True


def test_a_search_may_bring_its_own_relevance() -> None:
    assert score_record(record(), relevance=0.5).parts["relevance"] == 3.0
    assert score_record(record(), relevance=7e300).parts["relevance"] == 6.0
    assert score_record(record(), relevance=-1.0).parts["relevance"] == 0.0


counts = st.integers(0, 10**30)
tallies = st.builds(
    Tally, hits=counts, helpful=counts, harmful=counts, succeeded=counts, failed=counts,
    last_used=st.dates().map(str),
)  # fmt: skip


@given(tally=tallies, importance=st.integers(-(10**9), 10**9), hits=st.integers(-5, 10**30),
       created=st.dates().map(str), relevance=st.floats(allow_nan=False))  # fmt: skip
def test_hostile_numbers_stay_within_bounds(
    tally: Tally, importance: int, hits: int, created: str, relevance: float
) -> None:
    one = record(importance=importance, hits=hits, created=created)
    score = score_record(one, tally, aging=AGING, relevance=relevance)
    low = {"relevance": 0, "importance": 1, "retention": -1.2, "trust": -1, "precedent": -1.5}
    high = {"relevance": 6, "importance": 10, "retention": 0, "trust": 2.5, "precedent": 1.5}
    for name, points in score.parts.items():
        assert low[name] - 1e-9 <= points <= high[name], name
    assert score.value == reduce(add, score.parts.values())  # `sum` rounds otherwise since 3.12


@given(
    base=st.integers(1, 10), more=st.integers(0, 9), days=st.integers(0, 3000),
    later=st.integers(0, 3000), source=st.sampled_from(["user", "agent", "web"]),
    helpful=st.integers(0, 9), extra=st.integers(0, 9), fit=st.floats(0, 1), further=st.floats(0, 1),
)  # fmt: skip
def test_the_value_rises_with_each_part(
    base: int, more: int, days: int, later: int, source: str, helpful: int, extra: int,
    fit: float, further: float,
) -> None:  # fmt: skip
    def value(**changed: Any) -> float:
        at = {"importance": base, "days": days + later, "helpful": helpful, "fit": fit,
              "status": "active", "harmful": extra, **changed}  # fmt: skip
        made = (NOW - timedelta(days=at["days"])).isoformat()
        one = record(importance=at["importance"], created=made, source=source, status=at["status"])
        tally = Tally(helpful=at["helpful"], harmful=at["harmful"])
        return score_record(one, tally, aging=AGING, relevance=at["fit"]).value

    start = value()
    assert value(importance=base + more) >= start
    assert value(days=days) >= start
    assert value(helpful=helpful + extra) >= start
    assert value(harmful=0) >= start
    assert value(status="verified") > start
    assert value(fit=max(fit, further)) >= start


def test_no_score_hangs_on_what_else_there_is() -> None:
    alone = score_record(record(title="npx"), words=query_words("npx"))
    for _ in range(3):
        score_record(record(title="npx npx npx"), words=query_words("npx"))
    assert score_record(record(title="npx"), words=query_words("npx")) == alone
