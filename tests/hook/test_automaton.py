"""Patterns of guards: the same verdicts as `re`, and a bounded number of steps for every pattern."""

from __future__ import annotations

import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vault_cli.hook.automaton import search
from vault_cli.hook.guard import MAX_STEPS, MAX_TEXT
from vault_cli.text.pattern import PatternError, compile_pattern, word_literals

PATTERNS = [
    r"npx\s+tsc\b", r"^git push.*--force$", r"a|bc|d+", r"(a|b)*c{2,3}", r"[^a-c]x", r"\bfoo\b",
    r"(?i)drop\s+table", r"x{2}", r"a?b", r"\d+\.\d+", r"[\w.-]+@x", r"(ab|a)(bc|c)?$", r".{3,5}z",
    r"^$", r"a{,2}b", r"[]a]b", r"[a\]]c", r"rm -[rf]+ /", r"\Bb", r"生产|production", r"(?P<n>ab)+c",
    r"a{x", r"[\x41-\u0043]", r"\.\*\[", r"(?:a+)+b",
]  # fmt: skip
PIECES = ["a", "b", "c", "d", "x", "z", "f", "o", " ", ".", "1", "@", "-", "]", "\n", "生产", "foo",
          "git push", "--force", "npx", "tsc", "DROP", "table", "rm -rf /", "A", "C", "*", "["]  # fmt: skip


@pytest.mark.parametrize("pattern", PATTERNS)
def test_a_pattern_matches_as_in_python(pattern: str) -> None:
    ours = compile_pattern(pattern)
    theirs = re.compile(pattern, re.MULTILINE)

    @given(st.lists(st.sampled_from(PIECES), max_size=8).map("".join))
    def same(text: str) -> None:
        wanted = bool(theirs.search(text))
        assert search(ours.program, text, 10**9) is wanted
        if wanted and ours.literals:  # no is never wrong
            seen = text.lower() if ours.folded else text
            assert any(word in seen for word in ours.literals)

    same()


EVIL = [
    (r"(a+)+$", "a" * 40_000 + "b"),
    (r"(a|a)*b", "a" * 40_000),
    (r"(.*)*x", " " * 40_000),
    (r"(a|b)*a(a|b){30}c", "abbab" * 8_000),
    (r"(x+x+)+y", "x" * 40_000),
    (r".*.*.*.*=.*", "x" * 40_000),
    (r"(?:a?){150}a{150}", "a" * 149),
    (r"([a-z]{1,100}){5}Q", "abc" * 10_000),
    (r"(\w+\s?)*$", "word " * 8_000 + "!"),
]


@pytest.mark.parametrize(("pattern", "text"), EVIL)
def test_no_pattern_takes_long(pattern: str, text: str) -> None:
    """These keep a backtracking matcher busy for ever; here the steps are counted."""
    program = compile_pattern(pattern).program
    start = time.process_time()
    search(program, text[:MAX_TEXT], MAX_STEPS)
    assert time.process_time() - start < 2


@pytest.mark.parametrize(
    ("pattern", "why"),
    [
        (r"(?=a)", "looking ahead"), (r"(?<!a)b", "looking ahead"), (r"(a)\1", "backreference"),
        (r"a{500}", "200 times"), (r"((((a{100}){100}){100}))", "too large"), ("(", "not closed"),
        (")", "not opened"), ("*a", "nothing that"), ("[a", "ends in the middle"), ("a\\", "ends in"),
        ("a++", "possessive"), ("[z-a]", "backwards"), ("(?>a)", r"\(\?>"), (r"\Aa", r"use \^"),
        (r"\q", "not allowed"), ("^*", "not repeated"), ("a{3,2}", "more at least"),
        ("(" * 40 + "a" + ")" * 40, "deep"), ("a" * 501, "500 characters"), (r"\x4", "hex"),
    ],
)  # fmt: skip
def test_what_needs_backtracking_or_is_wrong_is_refused(pattern: str, why: str) -> None:
    with pytest.raises(PatternError, match=why):
        compile_pattern(pattern)


@pytest.mark.parametrize(
    ("pattern", "empty"), [("a*", True), ("^", True), ("(|a)", True), ("a+", False)]
)
def test_a_pattern_that_matches_everything_is_known(pattern: str, empty: bool) -> None:
    assert compile_pattern(pattern).is_empty is empty


def test_a_word_is_looked_for_as_json_writes_it() -> None:
    assert word_literals('say "npx" now') == (b"say ",)
    assert word_literals("部署") == ("部".encode(), b"\\u90e8", b"\\u90E8")
    assert word_literals('"\\/') == ()
