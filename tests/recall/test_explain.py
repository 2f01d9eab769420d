"""What differs between two renders, and which entry a line belongs to."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from vault_cli.model.record import Kind, Record, Snapshot, Status
from vault_cli.recall.explain import diff_blocks, read_items
from vault_cli.recall.render import Block, RenderOptions, render_block
from vault_cli.recall.select import Query, select_records

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)


def record(key: str, body: str = "Text.\n", **values: Any) -> Record:
    return Record(
        id=key,
        kind=Kind(values.pop("kind", "lesson")),
        path=f"memories/{key}.md",
        digest="",
        written_status=Status.ACTIVE,
        title=values.pop("title", f"Title of {key}"),
        body=body,
        **values,
    )


def render(*records: Record, budget: int = 0) -> Block:
    query = Query(now=NOW)
    selection = select_records(Snapshot(records=records), query)
    return render_block(selection, query, RenderOptions(budget=budget))


def test_each_kind_of_change_is_told_once() -> None:
    old = render(record("l-a"), record("l-b"), record("l-c"))
    new = render(record("l-a"), record("l-b", "Other text.\n"), record("l-d"))
    diff = diff_blocks(old, new)
    assert [(e.id, e.change, e.title) for e in diff.entries] == [
        ("l-b", "changed", "Title of l-b"),
        ("l-d", "added", "Title of l-d"),
        ("l-c", "removed", "Title of l-c"),
    ]
    assert "-  Text." in diff.lines
    assert "+  Other text." in diff.lines
    assert diff.lines[:2] == ("--- before", "+++ after")


def test_a_tighter_budget_changes_levels() -> None:
    every = [record(f"l-{n:02d}", "word " * 40) for n in range(30)]
    diff = diff_blocks(render(*every), render(*every, budget=2500))
    assert {e.change for e in diff.entries} == {"level-changed"}
    assert {(e.old, e.new) for e in diff.entries} == {("full", "line")}
    assert diff.as_data()["entries"][0]["new"] == "line"


def test_a_record_that_moves_to_another_group_has_changed() -> None:
    diff = diff_blocks(render(record("r", kind="rule")), render(record("r", kind="fact")))
    assert [(e.id, e.change) for e in diff.entries] == [("r", "changed")]


def test_equal_blocks_do_not_differ() -> None:
    diff = diff_blocks(render(record("l-a")), render(record("l-a")))
    assert diff.entries == ()
    assert diff.lines == ()


def test_a_block_reads_back_into_its_entries() -> None:
    items = read_items(render(record("l-a", "One.\n\nTwo.\n"), record("l-b")).text)
    assert items == {
        "l-a": "- [l-a] Title of l-a\n  One.\n  Two.",
        "l-b": "- [l-b] Title of l-b\n  Text.",
    }
