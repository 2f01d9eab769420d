"""The commit message: one line that fits, nothing hidden, no forged trailers."""

from __future__ import annotations

import pytest

from vault_cli.store.message import MAX_COLUMNS, one_line, subject_line

FLAG = "\U0001f3f4\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a\r\nb\tc\u2028d\x1b[2Je\x85f", "a b c d [2Je f"),
        ("می\u200cخواهم", "می\u200cخواهم"),
        (f"{FLAG} 👩\u200d💻 ❤\ufe0f", f"{FLAG} 👩\u200d💻 ❤\ufe0f"),
        ("pass\u200bword \u202eevil\u2066", "password evil"),
        ("tag\U000e0041\U000e0042 soft\u00adhyphen", "tag softhyphen"),
        ("bad\udc80byte\ufffe", "bad byte"),
        ("  \x00 ", ""),
    ],
)
def test_one_line_keeps_text_and_loses_tricks(text: str, expected: str) -> None:
    assert one_line(text) == expected


def test_an_empty_subject_is_still_one() -> None:
    assert subject_line("\u202e\n") == "change"


def test_a_long_subject_is_cut_between_characters() -> None:
    assert subject_line("x" * 72) == "x" * 72
    assert subject_line("x" * 73) == "x" * 71 + "…"
    assert subject_line("字" * 37) == "字" * 35 + "…"  # two columns each
    assert subject_line("e\u0301" * 100) == "e\u0301" * 71 + "…"
    family = "👩\u200d👩\u200d👧"
    cut = subject_line("x" * 66 + family + "yyyy")
    assert cut == "x" * 66 + "…"  # all of the family or nothing
    assert len(subject_line("word " * 40)) <= MAX_COLUMNS
