from __future__ import annotations

from typing import Any

import pytest

from vault_cli.features.jumps import check_history


@pytest.fixture
def jumps(make_vault: Any) -> Any:
    def run(before: dict[str, str], after: dict[str, str]) -> list[tuple[str, str, str]]:
        head = make_vault({k: v for k, v in before.items() if after.get(k) != v})
        found = check_history(make_vault(after).snapshot(), head.files)
        assert all(item.hint for item in found)
        return [(item.code, item.path, item.severity) for item in found]

    return run


def fact(note: Any, **keys: str) -> str:
    return note(**{"id": "f-1", "kind": "fact", "status": "active", **keys})


def test_moving_a_file_out_of_drafts_puts_it_in_force(note: Any, jumps: Any) -> None:
    text = fact(note)
    assert jumps({"drafts/a.md": text}, {"memories/a.md": text}) == [
        ("admitted-by-hand", "memories/a.md", "warning")
    ]
    draft = fact(note, status="candidate")
    assert jumps({"drafts/a.md": draft}, {"memories/b.md": draft}) == []
    assert jumps({"memories/a.md": text}, {"memories/2026/b.md": text}) == []


def test_superseded_by_hand_needs_the_other_half(note: Any, jumps: Any) -> None:
    before = {"a.md": fact(note)}
    alone = {"a.md": fact(note, status="superseded", superseded_by="f-9")}
    assert jumps(before, alone) == [("superseded-by-hand", "a.md", "warning")]
    draft = fact(note, id="f-2", status="candidate", supersedes="[f-1]")
    assert jumps(before, {**alone, "b.md": draft}) == [("superseded-by-hand", "a.md", "warning")]
    both = {**alone, "b.md": fact(note, id="f-2", supersedes="[f-1]")}
    assert jumps({**before, "b.md": both["b.md"]}, both) == []


@pytest.mark.parametrize(
    ("status", "key"), [("deprecated", "deprecated"), ("rejected", "rejected")]
)
def test_an_end_by_hand_needs_its_reason(note: Any, jumps: Any, status: str, key: str) -> None:
    before = {"a.md": fact(note, status="candidate")}
    assert jumps(before, {"a.md": fact(note, status=status)}) == [
        ("reason-missing", "a.md", "warning")
    ]
    assert jumps(before, {"a.md": fact(note, status=status, **{key: "{reason: 过时了}"})}) == []


def test_a_tombstone_by_hand(note: Any, jumps: Any) -> None:
    text = fact(note)
    moved = {"tombstones/f-1.md": text}
    assert jumps({"a.md": text}, moved) == [("tombstone-by-hand", "tombstones/f-1.md", "warning")]
    assert jumps(moved, {"a.md": text}) == [("status-jump", "a.md", "error")]
    assert jumps(moved, {}) == [("deleted-by-hand", "tombstones/f-1.md", "warning")]


def test_a_record_in_force_is_missed_and_a_draft_is_not(note: Any, jumps: Any) -> None:
    files = {"a.md": fact(note), "drafts/b.md": fact(note, id="f-2", status="candidate")}
    assert jumps(files, {}) == [("deleted-by-hand", "a.md", "warning")]
    assert jumps(files, {"z.md": files["a.md"]}) == []
    assert jumps({"a b.md": fact(note)}, {"a b.md": "---\nx: y: z\n---\n"}) == []


def test_a_relation_taken_out_by_hand(note: Any, jumps: Any) -> None:
    old = fact(note, status="superseded", superseded_by="f-2")
    before = {"a.md": old, "b.md": fact(note, id="f-2", supersedes="[f-1]")}
    after = {"a.md": old, "b.md": fact(note, id="f-2")}
    assert jumps(before, after) == [("supersedes-removed", "b.md", "warning")]
    again = {**after, "c.md": fact(note, id="f-3", supersedes="[f-1]")}
    assert jumps(before, again) == []
    assert jumps(before, {**after, "a.md": fact(note)}) == [("admitted-by-hand", "a.md", "warning")]


def test_what_a_command_may_do_by_hand_too(note: Any, jumps: Any) -> None:
    before = {"a.md": fact(note)}
    for status in ("disputed", "candidate", "quarantined"):
        assert jumps(before, {"a.md": fact(note, status=status)}) == []
    assert jumps(before, {"a.md": fact(note, title="另一个")}) == []


ENGLISH = "Run the tests with make, never with pytest alone: the fixtures are built first. " * 4
CHINESE = "先运行 make，再跑测试；夹具由它生成，单独运行 pytest 会读到旧的数据，结果不可信。" * 6


@pytest.mark.parametrize("body", [ENGLISH, CHINESE])
@pytest.mark.parametrize("left", ["", "TODO"])
def test_a_text_that_lost_most_of_itself_is_named(
    note: Any, jumps: Any, body: str, left: str
) -> None:
    def text(words: str) -> str:
        return note(f"{words}\n", id="f-1", kind="fact", status="active")

    before = {"a.md": text(body)}
    assert jumps(before, {"a.md": text(left)}) == [("shrunk", "a.md", "warning")]
    assert jumps(before, {"a.md": text(body[: len(body) // 2])}) == []
    assert jumps({"a.md": text(body[:90])}, {"a.md": text(left)}) == []
