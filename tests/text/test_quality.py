"""Filler and clichés, measured on labelled texts in both languages."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from vault_cli.text.quality import find_cliche, is_filler

DATA = Path(__file__).parent / "data"
FLOORS = {
    "quality.tsv": {"filler": 0.98, "cliche": 0.98, "good": 1.0},
    "quality-held-out.tsv": {"filler": 0.7, "cliche": 0.53, "good": 1.0},
}
"""Share of each label that is recognised. A good text is never called anything else."""


def texts(name: str) -> list[tuple[str, str]]:
    lines = (DATA / name).read_text(encoding="utf-8").splitlines()
    rows = [line.split("\t") for line in lines if not line.startswith("#")]
    return [(label, text) for label, text in rows]


def label_of(text: str) -> str:
    return "filler" if is_filler(text) else "cliche" if find_cliche(text) else "good"


def test_there_are_enough_texts_of_both_languages() -> None:
    for label in ("filler", "cliche", "good"):
        own = [text for kind, text in texts("quality.tsv") if kind == label]
        assert len(own) >= 60
        assert sum(not text.isascii() for text in own) >= 20


@pytest.mark.parametrize("name", FLOORS)
def test_recall_of_each_label(name: str) -> None:
    rows = texts(name)
    totals = Counter(label for label, _ in rows)
    hits = Counter(label for label, text in rows if label_of(text) == label)
    for label, floor in FLOORS[name].items():
        assert hits[label] / totals[label] >= floor, (label, hits, totals)


@pytest.mark.parametrize(
    "text",
    [
        "Write clean code in `src/`.",
        "Always test your code with pytest.",
        "Always test your code before a release.",
        "Keep functions under 40 lines.",
        "Do not write comments.",
        "注意代码质量，用 ruff 检查。",
        "提交前测试代码。",
        "函数不超过 40 行。",
    ],
)
def test_one_special_word_or_condition_makes_it_knowledge(text: str) -> None:
    assert find_cliche(text) == ""


def test_every_sentence_has_to_be_general() -> None:
    assert find_cliche("Write clean code. Follow best practices.") == "clean, best, practices"
    assert find_cliche("Write clean code. Mei reviews it.") == ""


def test_an_empty_text_is_no_filler() -> None:
    assert not is_filler("")
    assert not is_filler(" \n")
    assert is_filler("…")


def test_full_width_and_case_make_no_difference() -> None:
    assert is_filler("ＯＫ！")
    assert find_cliche("WRITE CLEAN CODE")


def test_long_texts_are_answered_at_once() -> None:
    assert not is_filler("ok " * 100_000)
    assert find_cliche("clean code " * 100_000) == ""
