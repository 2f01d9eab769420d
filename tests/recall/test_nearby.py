"""Which of many records are looked at for likeness: those that share the rarest words."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from random import Random

import pytest

from vault_cli.features.claims import whole_text
from vault_cli.features.likeness import compare_record
from vault_cli.model.record import Kind, Record, Snapshot, Status
from vault_cli.recall.corpus import TextShelf
from vault_cli.recall.nearby import find_nearby

NOW = datetime(2026, 12, 1, tzinfo=UTC)
USUAL = "branch deploy index migration queue release retry upload 分支 发布 索引 迁移".split()  # noqa: SIM905


def record(number: int, title: str, body: str, status: Status = Status.ACTIVE) -> Record:
    return Record(f"n-{number}", Kind.NOTE, f"m/{number}.md", "0" * 64, status, title, body)


def many(number: int = 400) -> list[Record]:
    rng = Random(3)
    return [
        record(place, " ".join(rng.choices(USUAL, k=4)), " ".join(rng.choices(USUAL, k=40)))
        for place in range(number)
    ]


PAIRS = [
    ("Never restart the broker by hand.", "Always restart the broker by hand.", "contradiction"),
    ("The broker listens on port 9092.", "The broker listens at port 9092.", "near-duplicate"),
    ("不要手动重启消息代理。", "必须手动重启消息代理。", "contradiction"),
    ("消息代理监听端口 9092。", "消息代理会监听端口 9092。", "near-duplicate"),
]


@pytest.mark.parametrize(("mine", "theirs", "code"), PAIRS)
def test_what_is_near_is_found_among_many(mine: str, theirs: str, code: str) -> None:
    records = [*many(), record(9000, theirs, f"{theirs}\n")]
    shelf = TextShelf(records)
    draft = record(9999, mine, f"{mine}\n", Status.CANDIDATE)

    def nearby(one: Record) -> list[Record]:
        return find_nearby([shelf], one.title, whole_text(one))

    assert len(nearby(draft)) < len(records)
    found = compare_record(Snapshot(tuple(records)), draft, NOW, nearby)
    assert [(alike.code, alike.other.id) for alike in found] == [(code, "n-9000")]
    assert found == compare_record(Snapshot(tuple(records)), draft, NOW)


def test_the_same_title_is_found_under_a_long_text_of_other_words() -> None:
    title = "Rotate the signing key of the mirror"
    twin = record(9000, title, "Ask the owner first.")
    own = " ".join(f"word{chr(97 + n)}{chr(97 + n)}" for n in range(26))
    found = find_nearby([TextShelf([*many(), twin])], title, f"{title}\n{own}")
    assert found[0] == twin


def test_split_shelves_answer_as_one_and_what_is_gone_is_left_out() -> None:
    records = many()
    one = find_nearby([TextShelf(records)], records[7].title, records[7].body)
    two = find_nearby(
        [TextShelf(records[:150]), TextShelf(records[150:])], records[7].title, records[7].body
    )
    assert {found.id for found in one} == {found.id for found in two}
    assert records[7] in one
    shelf = TextShelf(records)
    shelf.gone = {7}
    assert records[7] not in find_nearby([shelf], records[7].title, records[7].body)


def test_a_text_without_a_word_is_near_to_nothing() -> None:
    assert find_nearby([TextShelf(many(5))], "!!", "…") == []
    assert find_nearby([], "Deploy", "deploy") == []
    assert compare_record(Snapshot(()), replace(many(1)[0], title="!!"), NOW, lambda _: []) == ()
