"""Sections by heading in both languages, and the cap on parsing."""

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vault_cli.text import sections
from vault_cli.text.sections import (
    canonical_name,
    nearest_heading,
    section_text,
    split_sections,
)

BODY = """# Check first

Lead text.

## Problem
npx downloads.

```sh
## not a heading
```

## 修正：
先看 node_modules。

### detail
kept

## Something Else
x
"""


def test_lead_and_sections() -> None:
    lead, sections = split_sections(BODY)
    assert lead == "Lead text."
    assert [part.name for part in sections] == ["problem", "correction", "something else"]
    assert sections[0].text == "npx downloads.\n\n```sh\n## not a heading\n```"
    assert sections[1].heading == "修正："
    assert sections[1].text == "先看 node_modules。\n\n### detail\nkept"


def test_section_text_takes_the_first_of_the_names() -> None:
    assert section_text(BODY, "correction", "instead") == "先看 node_modules。\n\n### detail\nkept"
    assert section_text(BODY, "avoid") == ""


@pytest.mark.parametrize(
    ("heading", "name"),
    [
        ("Problem", "problem"), ("问题", "problem"), ("PROBLEM:", "problem"), ("问题：", "problem"),
        ("**Avoid**", "avoid"), ("不要做", "avoid"), ("避免", "avoid"), ("做法", "attempted"),
        ("尝试", "attempted"), ("更正", "correction"), ("纠正", "correction"), ("改为", "instead"),
        ("替代", "instead"), ("When to use", "when"), ("适用条件", "when"), ("何时", "when"),
        ("2. Steps", "steps"), ("二、步骤", "steps"), ("边界", "boundary"), ("论证", "critique"),
        ("预期", "expected"), ("Check", "verify"), ("验证", "verify"), ("How to test", "test"),
        ("如何验证", "test"), ("正文", "text"), ("Problem / 问题", "problem"), ("问题（Problem）", "problem"),
        ("问题 Problem", "problem"), ("Problem statement of the year", "problem statement of the year"),
        ("Open steps", "open steps"),
    ],
)  # fmt: skip
def test_canonical_name(heading: str, name: str) -> None:
    assert canonical_name(heading) == name


def test_setext_heading_of_level_two() -> None:
    assert split_sections("T\n=\nlead\n\n问题\n---\nx")[1][0].name == "problem"


def test_heading_in_a_quote_or_list_is_not_a_section() -> None:
    lead, sections = split_sections("> ## quoted\n\n- ## listed\n\n## Steps\n1. a")
    assert [part.name for part in sections] == ["steps"]
    assert "## quoted" in lead


@pytest.mark.parametrize(
    ("body", "lead"),
    [
        ("", ""),
        ("# T", ""),
        ("\n\n# 标题 #\n\ntext\n\n", "text"),
        ("#no title\n# T", "#no title\n# T"),
        ("intro\n\n# T\nx", "intro\n\n# T\nx"),
        ("    code first\nx", "    code first\nx"),
        ("```\n# code\n```", "```\n# code\n```"),
    ],
)
def test_without_sections(body: str, lead: str) -> None:
    assert split_sections(body) == (lead, ())


def test_carriage_returns_do_not_shift_lines() -> None:
    assert section_text("a\rb\r\n## Steps\r\n1. x\r\n", "steps") == "1. x"


def test_large_body_is_not_parsed() -> None:
    body = "## Steps\n" + "x" * 70_000
    assert split_sections(body) == (body, ())
    chinese = "## 步骤\n" + "字" * 30_000
    assert split_sections(chinese) == (chinese, ())


@pytest.mark.parametrize("text", ["[a](" * 16000, "> " * 32000, "- " * 32000, "`" * 60000])
def test_hostile_body_is_cheap(text: str) -> None:
    started = time.process_time()
    split_sections(text + "\n## Steps\n")
    assert time.process_time() - started < 2.0


LINES = (
    *(
        "## Problem",
        "##",
        "## a  b ",
        "##\tx",
        "##x",
        "### y",
        "# T",
        "#",
        "text",
        "- item",
        "  more",
    ),
    *("    code", "> quote", "1. one", "   ## in", "***", "-", "", "", "中文", "## 修正：", "a\\"),
    *(
        "\u00a0",
        "\x0c",
        "\\## no",
        "- - -",
        "- - a",
        "2)\t",
        "---",
        "```",
        "~~~",
        "<div>",
        "[a]: /b",
    ),
    *("## x #", "Title\n===", "> ## q", "1. ## l", "\t## t", "<!-- c", "-->"),
)


@given(st.lists(st.sampled_from(LINES), min_size=1, max_size=9).map("\n".join))
@settings(max_examples=200)
def test_headings_found_without_the_parser_are_those_it_finds(text: str) -> None:
    if sections._ODD.search(text) is None:
        assert sections._find_plain_headings(text) == sections._parse_headings(text)


@pytest.mark.parametrize(
    ("kind", "heading", "name"),
    [
        ("recipe", "做法", "steps"),
        ("rule", "**做法**：", "steps"),
        ("fact", "2. 做法", "steps"),
        ("lesson", "做法", "attempted"),
        ("failure", "做法", "attempted"),
        ("", "做法", "attempted"),
        ("recipe", "Attempted / 做法", "attempted"),
        ("recipe", "尝试", "attempted"),
        ("recipe", "正确做法", "correction"),
    ],
)
def test_what_the_chinese_word_for_doing_means_depends_on_the_kind(
    kind: str, heading: str, name: str
) -> None:
    assert canonical_name(heading, kind) == name
    ((section,)) = split_sections(f"## {heading}\n\n先停服务。\n", kind)[1]
    assert (section.name, section.heading) == (name, heading)


@pytest.mark.parametrize(
    ("heading", "near"),
    [
        ("Corection", "correction"), ("**Problm**", "problem"), ("Setps", "steps"),
        ("Insted:", "instead"), ("操作步聚", "操作步骤"), ("正确作法", "正确做法"),
        ("Correction", ""), ("Context", ""), ("Next", ""), ("When not to use", ""),
        ("要做", ""), ("背景", ""), ("Background", ""), ("Problem / 问提", ""), ("", ""),
    ],
)  # fmt: skip
def test_a_slip_of_a_heading_is_told_from_a_heading_of_its_own(heading: str, near: str) -> None:
    assert nearest_heading(heading) == near
