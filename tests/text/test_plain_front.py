"""The quick reader of the usual metadata block says what the full one says, or nothing."""

from __future__ import annotations

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from vault_cli.text.parse import parse_document
from vault_cli.text.plain_front import read_plain
from vault_cli.text.yaml_reader import BlockError, read_block

USUAL = """\
id: l-0000595
kind: lesson
status: active
title: 部署 volume：超时的重试 (3 times, it's 08:00)
scope: global
topics: [部署, npm-test, node.js 20]
keywords: []
summary: "Say: why # not what"
boundary: 'only in "CI" [nightly]'
confidence:
branch: null
created: 2026-10-08T08:00:00Z
"""

_PIECES = st.sampled_from(
    [
        *(
            "a",
            "b:",
            "c: ",
            "- ",
            " #",
            "#",
            "'",
            '"',
            "[",
            "]",
            ", ",
            ",",
            "{",
            "}",
            "\\",
            "\\u0041",
        ),
        *(
            "null",
            "~",
            "|",
            ">",
            "&x",
            "*",
            "!",
            "!!str",
            "%",
            "@",
            "`",
            "? ",
            " ",
            "  ",
            "\t",
            ":",
        ),
        *("数", "，", "：", "。", "“", "…", "é", "–", "0", "-1", "1.0", "true", "no", "2026-02-30"),
        *("08:00", "...", "---", "\u3000", "\u00a0", "\u2028", "\u200b", "\ufeff", "\x85", "\x07"),
        *("\uf8f0", "😀", "=", "<<", "x y", "\n", "\n  ", "\n- ", "\nid: 2"),
    ]
)
_VALUE = st.lists(_PIECES, max_size=6).map("".join) | st.text(max_size=12)
_KEY = st.sampled_from(
    ["id", "kind", "title-x", "_a", "A", "1a", "é", "<<", "null", "y", "a b", '"q"']
)
_LINE = st.tuples(_KEY, st.sampled_from([":", ": ", ":  ", " : ", ":\t"]), _VALUE).map("".join)
_BLOCK = st.lists(_LINE | _VALUE, max_size=5).map(lambda lines: "".join(f"{x}\n" for x in lines))


def test_the_usual_block_is_read_without_yaml() -> None:
    found = read_plain(USUAL)

    assert found == read_block(USUAL)[:2]
    assert found is not None
    assert found[0]["topics"] == ["部署", "npm-test", "node.js 20"]
    assert found[0]["summary"] == "Say: why # not what"
    assert found[0]["confidence"] is None
    assert found[0]["branch"] is None


@pytest.mark.parametrize(
    "line",
    [
        "title: a: b",
        "title: a #comment",
        "title: a ",
        "title: -",
        "title: *alias",
        "title: &anchor a",
        "title: !!str a",
        "title: |",
        'title: "a\\n"',
        "title: 'it''s'",
        "title: [a, [b]]",
        "title: [a, ]",
        "title: {a: b}",
        "title:\ta",
        " title: a",
        "# title: a",
        "title a",
        "title: a\n  goes on",
        "title: a\ntitle: a",
        "title: " + "1" * 1001,
        "",
    ],
)
def test_what_may_mean_something_else_is_left_to_yaml(line: str) -> None:
    assert read_plain(f"id: x\n{line}\n") is None


@settings(max_examples=400)
@given(_BLOCK)
@example("id: [null, ~, '', a]\n")
@example("id: [null, Null]\nkind: NULL\n")
@example("id: \n")
@example("id: a:b\n")
@example("id: a\n...\n")
def test_both_readers_agree(block: str) -> None:
    quick = read_plain(block)
    if quick is None:
        return
    try:
        front, lines, problems = read_block(block)
    except BlockError as error:  # pragma: no cover - the fault this test looks for
        raise AssertionError(f"the full reader refuses it: {error}") from error
    assert quick == (front, lines)
    assert list(quick[0]) == list(front)
    assert problems == []


@settings(max_examples=200)
@given(st.lists(_LINE, min_size=1, max_size=4), st.sampled_from(["\n", "\r\n"]))
def test_a_file_is_the_same_document_with_and_without_the_quick_reader(
    lines: list[str], end: str
) -> None:
    data = end.join(["---", *lines, "---", "# T", ""]).encode("utf-8", "surrogatepass")
    quick = parse_document(data, "memories/a.md")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("vault_cli.text.parse.read_plain", lambda *_, **__: None)
        full = parse_document(data, "memories/a.md")

    assert quick == full
