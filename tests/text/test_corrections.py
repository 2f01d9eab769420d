"""Corrections: labelled prompts of both languages, what a session before them changes, cost."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from vault_cli.text.corrections import find_correction

DATA = Path(__file__).parent / "data"


def labelled(name: str) -> list[tuple[bool, str]]:
    lines = (DATA / name).read_text(encoding="utf-8").splitlines()
    return [(line[0] == "+", line[2:]) for line in lines]


@pytest.mark.parametrize(
    ("name", "most_alarms", "most_missed"),
    [
        ("corrections-en.tsv", 0, 3),
        ("corrections-zh.tsv", 0, 2),
        # Written after the phrases and never used to tune them.
        ("corrections-held-out-en.tsv", 1, 5),
        ("corrections-held-out-zh.tsv", 0, 6),
    ],
)
def test_labelled_prompts(name: str, most_alarms: int, most_missed: int) -> None:
    rows = labelled(name)
    assert len(rows) == len({text for _, text in rows})
    alarms = [text for wanted, text in rows if not wanted and find_correction(text)]
    missed = [text for wanted, text in rows if wanted and not find_correction(text)]
    assert len(alarms) <= most_alarms, alarms
    assert len(missed) <= most_missed, missed


def test_the_tables_are_large_enough() -> None:
    for language in ("en", "zh"):
        rows = labelled(f"corrections-{language}.tsv")
        assert sum(wanted for wanted, _ in rows) >= 80
        assert sum(not wanted for wanted, _ in rows) >= 80


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("No, that's wrong. Use make test.", "rejected"),
        ("From now on run make lint.", "standing"),
        ("I told you: no mocks.", "repeated"),
        ("It still fails.", "unfixed"),
        ("Use uv instead of pip.", "replaced"),
        ("Undo that.", "undone"),
        ("不对，用 make test。", "rejected"),
        ("以后不要直接提交到 main。", "standing"),
        ("我说过不要用 mock。", "repeated"),
        ("还是不行。", "unfixed"),
        ("应该返回 404，而不是 500。", "replaced"),
        ("把刚才的修改撤回。", "undone"),
    ],
)
def test_kinds(text: str, kind: str) -> None:
    found = find_correction(text)
    assert found is not None
    assert found.kind == kind


def test_the_sentence_is_the_one_that_corrects() -> None:
    found = find_correction("Thanks for the summary. That's not what I asked for. Try again.")
    assert found is not None
    assert found.sentence == "That's not what I asked for."
    found = find_correction("谢谢。以后提交信息请用英文。其他没有了。")
    assert found is not None
    assert found.sentence == "以后提交信息请用英文。"


def test_what_is_quoted_or_pasted_is_nobodys_correction() -> None:
    assert find_correction('What does "that\'s wrong" mean in this log?') is None
    assert (
        find_correction("Explain this comment:\n```\n# No, that's wrong. Never do this again.\n```")
        is None
    )
    assert find_correction("> I told you not to push\n\nWho wrote this?") is None
    assert find_correction("翻译「不对，应该用这个」") is None
    found = find_correction("```\nmake test\n```\nNo, that's wrong, never call pytest.")
    assert found is not None


@pytest.mark.parametrize(
    "text", ["Still failing", "还是报错", "Use pathlib instead of os.path.", "No, use pnpm"]
)
def test_the_first_prompt_of_a_session_answers_nothing(text: str) -> None:
    assert find_correction(text) is not None
    assert find_correction(text, first=True) is None


@pytest.mark.parametrize("text", ["No, use pnpm", "不，用测试环境的数据库"])
def test_an_answer_to_a_question_is_no_correction(text: str) -> None:
    assert find_correction(text) is not None
    assert find_correction(text, asked=True) is None


def test_what_is_strong_counts_anywhere() -> None:
    for first in (True, False):
        for text in (
            "I told you to use tabs",
            "以后都用 pnpm",
            "No, that's wrong. Always use make test",
        ):
            assert find_correction(text, first=first, asked=True) is not None


@pytest.mark.parametrize(
    "text",
    [
        "no no no, " * 2000,
        "不，" * 5000,
        "不" * 5000,
        "不是" * 5000,
        "好的，不" * 2000,
        "no" * 5000,
        "so no, but " * 1000,
        "你把" * 4000,
        "以后不" * 3000,
        "you " * 5000,
        "that " + "really " * 3000 + "is wrong",
        "- " * 10_000,
        "`" * 20_000,
        "以后" * 5000,
        '"' * 9_999,
        "a.b" * 9_999,
    ],
)  # fmt: skip
def test_no_text_takes_long(text: str) -> None:
    find_correction("warm up 一下")
    start = time.process_time()
    find_correction(text)
    assert time.process_time() - start < 1.0
