"""Pairs in force that exclude each other, in both languages; no pair that does not."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from vault_cli.features.tensions import find_tensions, tension_findings
from vault_cli.model.record import Kind, Record, Snapshot, Status
from vault_cli.text.fields import read_record

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)


def make(record_id: str, title: str, kind: str = "rule", **keys: str) -> Record:
    status = keys.pop("status", "active")
    more = "".join(f"{key}: {value}\n" for key, value in keys.items())
    folder = Kind(kind).folder
    text = f"---\nid: {record_id}\nkind: {kind}\nstatus: {status}\ntitle: {title}\n{more}---\n{title}\n"
    record, problems = read_record(text.encode(), f"{folder}/{record_id}.md")
    assert record is not None, problems
    return record


PAIRS = [
    ("Run migrations inside a transaction", "Never run migrations inside a transaction", "rule"),
    ("提交前必须运行全部测试", "提交前不要运行全部测试", "rule"),
    (
        "The staging database listens on port 5432",
        "The staging database listens on port 5433",
        "fact",
    ),
    ("预发环境的数据库端口是 5432", "预发环境的数据库端口是 5433", "fact"),
]


@pytest.mark.parametrize(("one", "other", "kind"), PAIRS)
def test_a_pair_is_named_once_with_both_sentences(one: str, other: str, kind: str) -> None:
    filler = make("n-0", "Lunch is at noon on Fridays", "note")
    first, second = make("r-1", one, kind), make("r-2", other, kind)
    found = find_tensions(Snapshot((second, filler, first)), NOW)
    assert [(item.one.id, item.other.id, item.code) for item in found] == [
        ("r-1", "r-2", "memory-conflict")
    ]
    (finding,) = tension_findings(found)
    assert one in finding.message
    assert other in finding.message
    assert "mvault conflict r-1 r-2" in finding.hint


def test_under_one_topic_it_is_a_tension_of_the_topic_by_any_name() -> None:
    topic = make("o-1", "database", "topic", aliases="[数据库]")
    one = make("r-1", PAIRS[0][0], topics="[database]")
    other = make("r-2", PAIRS[0][1], topics="[数据库]")
    (found,) = find_tensions(Snapshot((topic, one, other)), NOW)
    assert (found.code, found.topics) == ("topic-tension", ("database",))


@pytest.mark.parametrize(
    "keys",
    [
        {"status": "deprecated"},
        {"status": "candidate"},
        {"valid_to": "2026-01-31"},
        {"conflicts": "[{id: r-1, type: contradiction}]"},
        {"supersedes": "[r-1]"},
        {"scope": "project:other"},
    ],
)
def test_who_does_not_stand_beside_the_other_is_no_tension(keys: dict[str, str]) -> None:
    one = make("r-1", PAIRS[0][0], valid_from="2026-03-01", scope="project:mine")
    other = make("r-2", PAIRS[0][1], **({"scope": "project:mine"} | keys))
    assert find_tensions(Snapshot((one, other)), NOW) == ()


def test_a_disputed_record_still_counts_and_agreement_does_not() -> None:
    one = make("r-1", PAIRS[0][0], status="disputed")
    other = make("r-2", PAIRS[0][1])
    assert one.status is Status.DISPUTED
    assert len(find_tensions(Snapshot((one, other)), NOW)) == 1
    same = make("r-3", "Run migrations inside one transaction")
    assert find_tensions(Snapshot((make("r-1", PAIRS[0][0]), same)), NOW) == ()


def test_ten_thousand_words_in_common_find_no_pairs_by_chance() -> None:
    records = tuple(
        make(f"n-{n}", f"Service {n} keeps its logs for {n + 3} days", "fact") for n in range(200)
    )
    found = find_tensions(Snapshot(records), NOW)
    assert found == ()
