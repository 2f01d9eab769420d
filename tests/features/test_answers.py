"""Answers of agents: both forms say the same, and nothing in them is believed unseen."""

from __future__ import annotations

import json

import pytest

from vault_cli.errors import UsageError
from vault_cli.features.answers import MOST_ITEMS, read_answer

MARKDOWN = """# My answer
- understanding: they wanted green tests

E1 was passed over.

## Lesson 1: Look for a make target
- relation: new
- **kind**: directive
- cites: T2, T4、l-aaaaaa1
- question: q1
- importance: 7

Said in the text.

### Problem
The tool was missing.

```
## not a heading
```

### Correction
Look first.

## Repeat
- relation: repeat
- repeats: l-aaaaaa1
- cites: [E1]
"""

CHINESE = """没有照做 E1。

## 教训：先找 make 目标
- 关系：新增
- 类型：规则
- 引用：T2，T4
- 把握：中
- 适用条件：缺少工具

### 问题
缺少工具。
### 修正
先找目标。
"""


def test_markdown_says_what_json_says() -> None:
    given = {
        "understanding": "they wanted green tests", "assessment": "E1 was passed over.",
        "lessons": [
            {"title": "Look for a make target", "relation": "new", "kind": "directive",
             "cites": ["T2", "T4", "l-aaaaaa1"], "question": "q1", "importance": 7,
             "text": "Said in the text.", "correction": "Look first.",
             "problem": "The tool was missing.\n\n```\n## not a heading\n```"},
            {"title": "Repeat", "relation": "repeat", "repeats": "l-aaaaaa1", "cites": ["E1"]},
        ],
    }  # fmt: skip
    assert read_answer(MARKDOWN) == read_answer(json.dumps(given))
    assert read_answer(f"Here it is:\n\n```json\n{json.dumps(given)}\n```\nDone.") == read_answer(
        json.dumps(given)
    )
    item = read_answer(MARKDOWN).items[0]
    assert (item.get("kind"), item.required) == ("rule", True)


def test_chinese_names_stand_for_the_same_fields() -> None:
    answer = read_answer(CHINESE)
    item = answer.items[0]
    assert answer.get("assessment") == "没有照做 E1。"
    assert (item.get("title"), item.get("relation"), item.get("kind")) == (
        "先找 make 目标", "new", "rule")  # fmt: skip
    assert item.all("cites") == ("T2", "T4")
    assert (item.get("confidence"), item.get("applies_when")) == ("medium", "缺少工具")
    assert item.sections == {"problem": "缺少工具。", "correction": "先找目标。"}


def test_names_of_other_tools_and_lists_of_steps() -> None:
    rows = [{"questionId": "q2", "sourceMemoryIds": ["a"], "content": "x", "steps": ["one", "two"]}]
    item = read_answer(json.dumps({"insights": rows})).items[0]
    assert (item.get("question"), item.all("cites"), item.get("text")) == ("q2", ("a",), "x")
    assert item.sections == {"steps": "1. one\n2. two"}


def test_what_means_nothing_is_named() -> None:
    item = read_answer('[{"title": "x", "status": "active", "approved_by": "me"}]').items[0]
    assert item.unknown == ("status", "approved_by")
    assert read_answer("## x\n- mood: glad\n\n### Weather\nfine\n").items[0].unknown == (
        "mood", "Weather")  # fmt: skip


@pytest.mark.parametrize(
    "text",
    ["", "  \n", "{", '{"lessons": [1]}', '[{"title": ["x"]}]', '[{"cites": 5}]',
     '[{"problem": 5}]', '[{"conflicts": [5]}]', json.dumps([{}] * (MOST_ITEMS + 1)),
     "[" * 100_000],
)  # fmt: skip
def test_what_cannot_be_read_is_said(text: str) -> None:
    with pytest.raises(UsageError):
        read_answer(text)


def test_a_review_in_markdown() -> None:
    text = '## x\n### Critique\n```json\n{"claim": "c", "steelman_rounds": []}\n```\n'
    assert read_answer(text).items[0].critique == {"claim": "c", "steelman_rounds": []}
    assert read_answer("## x\n### 论证\n- claim: c\n").items[0].critique == {"claim": "c"}


@pytest.mark.parametrize(
    ("problem", "correction"), [("problem", "correction"), ("问题", "修正"), ("Problem", "修正")]
)
def test_parts_may_stand_in_the_list_of_fields(problem: str, correction: str) -> None:
    text = f"## Look first\n- relation: new\n- {problem}: 工具不在。\n- {correction}: Look first.\n"
    item = read_answer(text).items[0]
    assert item.sections == {"problem": "工具不在。", "correction": "Look first."}
    assert item.unknown == ()
