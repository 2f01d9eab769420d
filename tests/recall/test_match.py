"""Which record a pasted line is from: round trips over blocks with odd texts, in both languages."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from vault_cli.model.record import Kind, Record, Snapshot, Status
from vault_cli.recall.explain import frame_lines, read_items
from vault_cli.recall.match import (
    Match,
    find_matches,
    find_nearest,
    frame_line,
    letters,
    named_ids,
    read_paste,
)
from vault_cli.recall.render import Block, RenderOptions, render_block
from vault_cli.recall.select import Query, select_records
from vault_cli.recall.wording import full_text, line_text, show_id

QUICK = (Phase.explicit, Phase.reuse, Phase.generate)
"""Shrinking a vault of several records takes minutes."""

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
WORDS = (
    "npx", "支付回调", "幂等", "a [link](https://example.org)", "**bold**", "`code [x]`", "- item",
    "#", "<b>", "{{name}}", "List<int>", "…", "[l-aaaaaa1]", "订单、库存", "C:\\temp", "it's", "é",
    "12:30", "> quote", "```", "1.", "全角ＡＢＣ", "e.g.", "—", "🙂", "retry", "timeout", "事务",
)  # fmt: skip
PHRASES = st.lists(st.sampled_from(WORDS), min_size=1, max_size=9).map(" ".join)
BODIES = st.lists(
    PHRASES | st.sampled_from(["", "## Problem", "## 修正", "  - nested"]), max_size=7
)


def record(key: str, title: str, body: str = "", **values: Any) -> Record:
    return Record(
        id=key,
        kind=Kind(values.pop("kind", "lesson")),
        path=f"memories/{key}.md",
        digest="",
        written_status=Status.ACTIVE,
        title=title,
        body=body,
        **values,
    )


@st.composite
def vaults(draw: st.DrawFn) -> list[Record]:
    return [
        record(
            f"l-aaaaaa{number}",
            draw(PHRASES),
            "\n".join(draw(BODIES)),
            kind=draw(st.sampled_from(["lesson", "failure", "rule", "fact", "recipe"])),
            applies_when=draw(st.just("") | PHRASES),
            boundary=draw(st.just("") | PHRASES),
            summary=draw(st.just("") | PHRASES),
        )
        for number in range(draw(st.integers(1, 7)))
    ]


def render(records: list[Record], budget: int = 0) -> Block:
    query = Query(now=NOW)
    selection = select_records(Snapshot(records=tuple(records)), query)
    return render_block(selection, query, RenderOptions(budget=budget))


def find(text: str, records: list[Record], block: Block) -> list[Match]:
    items = read_items(block.text)
    return find_matches(
        read_paste(text),
        records,
        lambda r: items.get(show_id(r.id), ""),
        lambda r: full_text(r) + line_text(r),
    )


def owned_lines(block: Block) -> list[tuple[str, str]]:
    return [(key, line) for key, text in read_items(block.text).items()
            for line in text.splitlines() if line.strip()]  # fmt: skip


@settings(max_examples=25, phases=QUICK)
@given(vaults(), st.sampled_from([0, 9500, 1500, 900, 600]))
def test_every_line_of_a_block_names_its_record(records: list[Record], budget: int) -> None:
    block = render(records, budget)
    for key, line in owned_lines(block):
        for pasted in (line, line.strip(), f"  {line}\n"):
            found = find(pasted, records, block)
            assert key in [show_id(match.record.id) for match in found], (pasted, found)
            assert found[0].shown


@settings(max_examples=10, phases=QUICK)
@given(vaults(), st.data())
def test_decorated_cut_and_wrapped_lines_name_it_too(records: list[Record], data: Any) -> None:
    block = render(records)
    for key, line in owned_lines(block):
        if len(letters(line)) < 4 or not any(map(str.isalnum, line)):
            continue
        at = data.draw(st.integers(1, len(line) - 1))
        cut = line[: max(at, line.find("]") + 2)]
        ways = (
            f"> {line}", f"\x1b[32m{line}\x1b[0m", f"  12\t{line}", f"│ {line} │", f"12→{line}",
            f"{line[:at]}\n      {line[at:]}", f"{line[:at]}\r\n{line[at:]}",
            *([f"{cut}…", f"{cut}...", cut] if len(letters(cut)) > 3 else []),
        )  # fmt: skip
        whole = {letters(other) for owner, other in owned_lines(block) if owner != key}
        for pasted in ways:
            if "".join(read_paste(pasted).undecorated().parts) in whole:
                continue  # cut so that it is another record's line
            found = find(pasted, records, block)
            assert key in [show_id(match.record.id) for match in found], (pasted, found)


def test_the_indented_line_of_a_body_is_not_the_head_of_the_record_it_names() -> None:
    one = record("l-aaaaaa1", "One", "text\n- [l-aaaaaa2] Two\n")
    two = record("l-aaaaaa2", "Two")
    block = render([one, two])
    assert [m.record.id for m in find("- [l-aaaaaa2] Two", [one, two], block)] == ["l-aaaaaa2"]
    inner = next(line for _, line in owned_lines(block) if line.startswith("  - ["))
    assert [m.record.id for m in find(inner, [one, two], block)] == ["l-aaaaaa1", "l-aaaaaa2"]


def test_a_line_of_several_records_names_all_of_them() -> None:
    records = [
        record(f"l-aaaaaa{n}", f"Title {n}", "## Correction\n先验签，再解析\n") for n in "12"
    ]
    block = render(records)
    found = find("先验签，再解析", records, block)
    assert [match.record.id for match in found] == ["l-aaaaaa1", "l-aaaaaa2"]
    other = record("l-aaaaaa3", "Title 3", "## Correction\n先验签，再解析\n")
    found = find("Correction: 先验签，再解析", [*records, other], block)
    assert [match.record.id for match in found] == ["l-aaaaaa1", "l-aaaaaa2"]


@pytest.mark.parametrize(
    ("line", "ids"),
    [
        ("- [l-1] Title", ["l-1"]),
        ("- by id only: [l-1] [订单]", ["l-1", "订单"]),
        ("**Conflict (goal): l-1 or l-2**", ["l-1", "l-2"]),
        ("> Larger than the whole budget, left out: [l-9] T (9,000 bytes).", ["l-9"]),
        ("see [l-1]", []),
    ],
)
def test_ids_that_a_line_names(line: str, ids: list[str]) -> None:
    assert list(named_ids(read_paste(line))) == ids


def test_lines_of_the_frame_are_told_apart() -> None:
    block = render([record("l-aaaaaa1", "One")])
    for line in frame_lines(block):
        assert frame_line(read_paste(f"> {line.strip()}"), frame_lines(block)) == line
    assert frame_line(read_paste("One"), frame_lines(block)) == ""


def test_the_nearest_are_named_in_both_languages() -> None:
    records = [
        record("l-aaaaaa1", "Check node_modules/.bin before calling npx"),
        record("l-aaaaaa2", "支付回调必须幂等", "写入事件编号，再改订单。\n"),
        record("l-aaaaaa3", "Unrelated"),
    ]
    near = [find_nearest(read_paste(text), records) for text in (
        "check the node_modules bin before you call npx", "支付的回调要幂等", "写入事件的编号再改订单",
    )]  # fmt: skip
    assert [[r.id for r in found] for found in near] == [
        ["l-aaaaaa1"], ["l-aaaaaa2"], ["l-aaaaaa2"]
    ]  # fmt: skip
    assert find_nearest(read_paste("zzz"), records) == []
