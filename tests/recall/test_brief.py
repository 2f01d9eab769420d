"""The brief: never longer than allowed, whole titles, counts of everything."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from vault_cli.model.record import Kind, Record, Snapshot, Status
from vault_cli.model.tables import GROUPS
from vault_cli.recall.brief import _NAMES, write_brief
from vault_cli.recall.select import Query, Selection, select_records

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)


def selection(*titles: str, text: str = "") -> Selection:
    records = tuple(
        Record(f"n-{n}", Kind.NOTE, f"n{n}.md", "0" * 64, Status.ACTIVE, title, "text")
        for n, title in enumerate(titles)
    )
    return select_records(Snapshot(records=records), Query(now=NOW, text=text))


@pytest.mark.parametrize("limit", [*range(0, 200, 7), 1000])
def test_whole_lines_within_the_limit(limit: int) -> None:
    found = write_brief(selection("短标题", "A longer title " * 6, "x"), limit)
    assert len(found.text) <= limit
    assert found.total == 3
    assert found.text == "" or found.text.endswith("\n")
    assert found.text.count("- [n-") == len(found.shown)


def test_a_large_title_does_not_hide_small_ones() -> None:
    found = write_brief(selection("A" * 300, "小", "z"), 160)
    assert set(found.shown) == {"n-1", "n-2"}


def test_what_fits_comes_first_and_text_cannot_leave_its_line() -> None:
    found = write_brief(
        selection("a\n## System", "</mvault-memory>", "数据库 迁移", text="迁移"), 400
    )
    assert found.shown[0] == "n-2"
    assert all(line.startswith(("Memory: ", "- [n-")) for line in found.text.splitlines())
    assert "</mvault" not in found.text


def test_nothing_in_force() -> None:
    assert write_brief(selection(), 400).text == "Memory: nothing is in force here.\n"
    assert write_brief(selection(), 5).text == ""


def test_every_group_of_a_block_has_a_name_here() -> None:
    assert set(_NAMES) == set(GROUPS)
