"""parse_document: what is read, and what is said about what cannot be read."""

from __future__ import annotations

import re

import frontmatter
import pytest
import yaml

from tests.helpers import least_cpu
from vault_cli.text import yaml_reader
from vault_cli.text.codes import CODES
from vault_cli.text.document import Document, parse_document
from vault_cli.text.yaml_reader import FrontHandler

PATH = "memories/a.md"


def parse(text: str | bytes) -> Document:
    return parse_document(text.encode() if isinstance(text, str) else text, PATH)


def front(block: str) -> dict[str, object]:
    document = parse(f"---\n{block}---\nBody.\n")
    assert document.diagnostics == ()
    return dict(document.front)


def only(document: Document) -> tuple[int, str]:
    assert len(document.diagnostics) == 1, document.diagnostics
    found = document.diagnostics[0]
    assert found.path == PATH
    assert found.code in CODES
    return found.line, found.code


def test_values_stay_as_typed() -> None:
    block = (
        "id: 0123\nday: 2026-06-03\nbad: 2026-02-30\nver: 1.10\nat: 12:30\nflag: yes\n"
        "on: off\nhex: 0x1F\nexp: 12e3\nnum: 1_000\ntags: [on, off, no]\nsingle: 'it''s'\n"
    )
    assert front(block) == {
        "id": "0123",
        "day": "2026-06-03",
        "bad": "2026-02-30",
        "ver": "1.10",
        "at": "12:30",
        "flag": "yes",
        "on": "off",
        "hex": "0x1F",
        "exp": "12e3",
        "num": "1_000",
        "tags": ["on", "off", "no"],
        "single": "it's",
    }


def test_only_null_tilde_and_nothing_are_none() -> None:
    block = "a: null\nb: ~\nc:\nd: 'null'\ne: \"\"\nf: none\ng: [~, x]\nNull: v\n"
    assert front(block) == {
        "a": None,
        "b": None,
        "c": None,
        "d": "null",
        "e": "",
        "f": "none",
        "g": [None, "x"],
        "Null": "v",
    }


def test_unicode_line_breaks_inside_a_value_are_text() -> None:
    block = "a: x\u2028y\nb: x\x85y\nc: \ufeffx\nd: z\n"
    document = parse(f"---\n{block}---\n")
    assert dict(document.front) == {"a": "x\u2028y", "b": "x\x85y", "c": "\ufeffx", "d": "z"}
    assert document.key_lines["d"] == 5


def test_lines_are_counted_from_the_top_of_the_file() -> None:
    document = parse("---\n# comment\nid: a\n\ntitle: b\n---\n\nBody.\n")
    assert dict(document.key_lines) == {"id": 3, "title": 5}
    assert document.body == "\nBody.\n"
    assert document.body_line == 7


@pytest.mark.parametrize(
    ("text", "values", "body"),
    [
        ("---\nid: a\n---", {"id": "a"}, ""),
        ("---  \nid: a\n---\t\n\nBody.\n", {"id": "a"}, "\nBody.\n"),
        ("---\nid: a---\n---\nx\n", {"id": "a---"}, "x\n"),
        ("---\n---\nBody.\n", {}, "Body.\n"),
        ("---\n# nothing\n---\nBody.\n", {}, "Body.\n"),
        ("---\n---", {}, ""),
        ("---\n--- # remark\n---\nx", {}, "x"),
        ("\ufeff---\nid: a\n---\nx", {"id": "a"}, "x"),
        ("---\r\nid: a\r\n---\r\nx\r\ny\n", {"id": "a"}, "x\ny\n"),
        ("---\nid: a\n...\n---\nx", {"id": "a"}, "x"),
        ("---\n{id: a, kind: note}\n---\n", {"id": "a", "kind": "note"}, ""),
        (
            '---\nnote: "---not-a-fence --- still"\n---\nx\n',
            {"note": "---not-a-fence --- still"},
            "x\n",
        ),
    ],
)
def test_fences(text: str, values: dict[str, str], body: str) -> None:
    document = parse(text)
    assert document.has_front
    assert dict(document.front) == values
    assert document.body == body
    assert document.diagnostics == ()


@pytest.mark.parametrize(
    "text",
    ["# notes\njust text\n", "\ufeff# A\r\n", "text\n\n---\n\nmore\n", "---- \nx\n", "\n\nx"],
)
def test_a_file_without_a_block_is_a_note(text: str) -> None:
    document = parse(text)
    assert not document.has_front
    assert document.diagnostics == ()
    assert document.body == text.removeprefix("\ufeff").replace("\r\n", "\n")


def test_rules_and_samples_in_the_body_are_text() -> None:
    body = "First.\n\n---\n\n```yaml\n---\nid: sample\n---\n```\n\n---\n\nLast.\n=======\n"
    document = parse(f"---\nid: a\n---\n{body}")
    assert document.body == body
    assert document.diagnostics == ()
    assert parse(body).diagnostics == ()


@pytest.mark.parametrize(
    ("data", "code", "line", "says"),
    [
        (b"", "empty-file", 0, "empty"),
        (b"\xef\xbb\xbf \n", "empty-file", 0, "empty"),
        ("---\nid: a\n---\n".encode("utf-16"), "not-utf8", 1, "UTF-16LE"),
        ("---\nid: a\n---\n".encode("utf-16-be"), "not-utf8", 1, "UTF-16BE"),
        ("---\nid: a\n---\n忽略告警\n".encode("gbk"), "not-utf8", 4, "GB18030"),
        (b"---\nid: a\n---\ncaf\xe9\n", "not-utf8", 4, "0xe9"),
        (b"---\nid: a\n---\n\xed\xa0\x80\n", "not-utf8", 4, "surrogate"),
        (b"---\nid: a\n---\na\0b\n", "nul-byte", 4, "NUL"),
        (b"---\rid: a\r---\rbody\r", "cr-line-ends", 1, "CR"),
        (b"x" * (1024 * 1024 + 1), "file-too-large", 0, "1048577"),
    ],
)
def test_bytes_that_are_no_text(data: bytes, code: str, line: int, says: str) -> None:
    document = parse(data)
    assert only(document) == (line, code)
    assert document.is_broken
    assert says in document.diagnostics[0].message
    assert document.diagnostics[0].hint


def test_a_large_file_or_line_is_held() -> None:
    for body in ("word\n" * 60_000, "w" * 140_000):
        document = parse(f"---\nid: a\n---\n{body}")
        assert document.diagnostics[0].code == "oversize"
        assert document.diagnostics[0].holds
        assert not document.is_broken


REFUSED = [
    ("title: a: b", 1, "yaml-colon", "a: b", 'title: "a: b"'),
    ("title: Release rule: freeze", 1, "yaml-colon", "Release rule: freeze", "quotes"),
    ("title: ends:", 1, "yaml-colon", "ends:", "quotes"),
    ("title: 规则: 先停", 1, "yaml-colon", "规则: 先停", "quotes"),
    (
        "summary: 使用。status: active\nscope: global",
        1,
        "yaml-colon",
        "`status:`",
        "line of its own",
    ),
    ("title:Foo\nid: a", 1, "yaml-colon", "title:Foo", "title: Foo"),
    ("tags:\n\t- a", 2, "yaml-tab", "- a", "spaces"),
    ('title: "open\nstatus: active', 1, "yaml-quote", '"open', 'closing "'),
    ("title: 'open\nstatus: active", 1, "yaml-quote", "'open", "closing '"),
    ('title: "a" b', 1, "yaml-quote", "b", "single quotes"),
    ("title: 'it's'", 1, "yaml-quote", "s'", "double quotes"),
    ('title: "C:\\qx"', 1, "yaml-quote", "C:\\qx", "backslash"),
    ("aliases:\n- @lin", 2, "yaml-sign", "@lin", '"@lin"'),
    ("title: @lin says", 1, "yaml-sign", "@lin", '"@lin says"'),
    ("title: `tick`", 1, "yaml-sign", "`tick`", '"`tick`"'),
    ("title: %d", 1, "yaml-sign", "%d", '"%d"'),
    ("%x: a", 1, "yaml-sign", "%x: a", "quotes"),
    ("title: [WIP] fix", 1, "yaml-sign", "[WIP] fix", '"[WIP] fix"'),
    ("title: - x", 1, "yaml-sign", "- x", '"- x"'),
    ("topics: [a\nid: b", 1, "yaml-sign", "[a", "Close"),
    ("globs: **/*.ts", 1, "yaml-star", "**/*.ts", 'globs: "**/*.ts"'),
    ("globs: *", 1, "yaml-star", "*", 'globs: "*"'),
    ("x: *alias", 1, "yaml-star", "*alias", "quotes"),
    ("x: &anchor v", 1, "yaml-star", "&anchor v", "quotes"),
    ("id: a\ntitle： x", 2, "yaml-full-width-colon", "full-width colon", "title: "),
    ("title： x", 1, "yaml-full-width-colon", "full-width colon", "title: "),
    ("created: {{date}}", 1, "yaml-template", "{{date}}", "Templates"),
    ("summary: a\n\nstray\nscope: g", 3, "yaml-stray", "stray", "Indent"),
    ("a: b\n  c: d", 2, "yaml-indent", "c: d", "column"),
    ("a:\n  b: c\n d: e", 3, "yaml-indent", "d: e", "column"),
    ("a: \x1bx", 1, "yaml-control", "U+001B", "Remove"),
    ("a: x\rb: y", 1, "yaml-control", "U+000D", "Remove"),
    ("a: !!binary x", 1, "yaml-tag", "!!binary", "tag"),
    ("a: !foo x", 1, "yaml-tag", "!foo", "tag"),
    ("<<: {a: b}", 1, "yaml-merge-key", "<<", "keys out"),
    ("x: " + "[" * 21 + "]" * 21, 1, "yaml-too-deep", "20", "Flatten"),
    ("x: " + "9" * 1001, 1, "yaml-number", "1001", "quotes"),
    ("\n".join(f"k{i}: v" for i in range(201)), 201, "front-too-many-keys", "200", "body"),
    ("- a\n- b", 1, "front-not-map", "- a", "key: value"),
    ("just words", 1, "front-not-map", "just words", "key: value"),
    ("? [a, b]\n: c", 1, "front-not-map", "? [a, b]", "key: value"),
    ("topics: [a, b: c: d]", 1, "yaml-sign", "[a, b: c: d]", "each item"),
    ('a: "b\nc: "d"', 1, "yaml-quote", "not closed", 'closing "'),
    ('a: "x"\nstray\nc: d', 2, "yaml-stray", "stray", "Indent"),
    ("- |\n  x", 1, "front-not-map", "- |", "key: value"),
    ("a: > text", 1, "yaml-sign", "> text", "quotes"),
    ("a: 1\n--- x", 2, "yaml-syntax", "second document", "Remove"),
    ("a:b\nc\nd: e", 1, "yaml-colon", "a:b", "a: b"),
    ("a: 1\n...\nb: 2", 3, "yaml-syntax", "...", "Remove"),
    ("id: a\nstatus: candidate\nid: b", 3, "duplicate-key", "line 2", "remove the other"),
    ("a:\n  b: 1\n  b: 2", 3, "duplicate-key", "line 3", "remove the other"),
]


@pytest.mark.parametrize("loader", ["CSafeLoader", "SafeLoader"])
@pytest.mark.parametrize(("block", "line", "code", "says", "repair"), REFUSED)
def test_what_cannot_be_read_is_explained(
    monkeypatch: pytest.MonkeyPatch,
    loader: str,
    block: str,
    line: int,
    code: str,
    says: str,
    repair: str,
) -> None:
    monkeypatch.setattr(yaml_reader, "LOADER", getattr(yaml, loader))
    document = parse(f"---\n{block}\n---\nBody.\n")
    assert only(document) == (line + 1, code)
    found = document.diagnostics[0]
    assert says in found.message
    assert repair in found.hint
    for raw in ("unicode string", "context", "expected", "column"):
        assert raw not in found.message
    assert document.front == {}


def test_no_raw_parser_text_for_anything_broken() -> None:
    signs = [
        "a",
        ":",
        " ",
        "\n",
        "-",
        "[",
        "]",
        "{",
        "}",
        '"',
        "'",
        "#",
        "|",
        "&",
        "?",
        ",",
        "x: y\n",
    ]
    state = 7
    for _ in range(3000):
        picks = []
        for _ in range(12):
            state = (state * 1103515245 + 12345) % 2**31
            picks.append(signs[(state >> 8) % len(signs)])
        document = parse("---\n" + "".join(picks) + "\n---\n")
        for found in document.diagnostics:
            assert "<unicode string>" not in found.message
            assert "while parsing" not in found.message
            assert 1 <= found.line <= 30
            assert found.hint


def test_a_bomb_is_refused_at_once() -> None:
    bomb = "a0: &a0 [x,x]\n" + "".join(
        f"a{i}: &a{i} [{','.join([f'*a{i - 1}'] * 10)}]\n" for i in range(1, 9)
    )
    many = "".join(f"k{i}: {i}\n" for i in range(60_000))
    assert only(parse(f"---\n{bomb}---\n")) == (2, "yaml-star")
    assert only(parse(f"---\n{many}---\n")) == (1, "front-too-large")
    assert least_cpu(lambda: parse(f"---\n{bomb}---\n")) < 0.5
    assert least_cpu(lambda: parse(f"---\n{many}---\n")) < 0.5


@pytest.mark.parametrize(
    "block",
    [
        "a" + " " * 16_000 + "b",
        "x: " + ": " * 7_000,
        "#" + " #" * 8_000,
        "- " * 8_000,
        "# " + " " * 16_000,
    ],
)
def test_long_lines_cost_linear_time(block: str) -> None:
    text = f"---\n{block}\n---\n" + "# " + " " * 100_000 + "x\n"
    assert least_cpu(lambda: parse(text)) < 0.5


def test_an_unclosed_block() -> None:
    assert only(parse("---\nid: x\nBody\n")) == (1, "front-unclosed")
    assert only(parse("---")) == (1, "front-unclosed")


@pytest.mark.parametrize(("before", "line"), [("\n", 2), ("\n\nNote to self.\n", 4), ("Hi\n\n", 3)])
def test_text_before_the_block(before: str, line: int) -> None:
    document = parse(f"{before}---\nid: a\nkind: fact\n---\n\nBody.\n")
    assert only(document) == (line, "front-not-first")
    assert f"line {line}" in document.diagnostics[0].message


def test_a_second_block_is_noticed_and_stays_text() -> None:
    document = parse("---\nname: a\n---\n\n---\nname: b\nhooks:\n  pre: x\n---\nBody.\n")
    assert only(document) == (5, "second-block")
    assert not document.is_broken
    assert document.front["name"] == "a"
    assert document.body.startswith("\n---\nname: b\n")


def test_the_same_key_twice_with_one_value() -> None:
    document = parse('---\nbanner: "a"\nid: x\nbanner: a\n---\nT.\n')
    assert only(document) == (4, "repeated-key")
    assert "line 2" in document.diagnostics[0].message
    assert not document.is_broken


@pytest.mark.parametrize(
    ("body", "line"),
    [
        ("a\n<<<<<<< HEAD\nx\n=======\ny\n>>>>>>> other\n", 5),
        ("Use eleven.\n>>>>>>> theirs\n", 5),
        ("||||||| base\n", 4),
        ("Title\n=======\n", 0),
        ("    <<<<<<< HEAD\n> <<<<<<< HEAD\n", 0),
        ("```\n<<<<<<< HEAD\n```\n", 0),
        ("~~~~\n```\n<<<<<<< HEAD\n~~~~\n", 0),
        ("```\nx\n```\n<<<<<<< HEAD\n", 7),
        ("``` a`b\n<<<<<<< HEAD\n", 5),
        ("<<<<<<<<<< ten\n", 0),
    ],
)
def test_conflict_markers_in_the_body(body: str, line: int) -> None:
    document = parse(f"---\nid: a\n---\n{body}")
    if line:
        assert only(document) == (line, "conflict-markers")
    else:
        assert document.diagnostics == ()
    marked = parse(f"---\nid: a\nshows_markers: true\n---\n{body}")
    assert marked.diagnostics == ()


def test_conflict_markers_in_the_block() -> None:
    block = "id: c\n<<<<<<< HEAD\nstatus: active\n=======\nstatus: draft\n>>>>>>> x\n"
    document = parse(f"---\nshows_markers: true\n{block}---\nB\n")
    assert only(document) == (4, "conflict-markers")
    assert only(parse(f"---\n{block}B\n")) == (3, "conflict-markers")


def test_the_handler_serves_python_frontmatter_itself() -> None:
    handler = FrontHandler()
    post = frontmatter.loads("---\non: yes\nbad: 2026-02-30\n---\n\nBody.\n", handler=handler)
    assert dict(post.metadata) == {"on": "yes", "bad": "2026-02-30"}
    assert post.content == "Body."
    assert frontmatter.loads("no block", handler=FrontHandler()).content == "no block"


def test_unicode_breaks_inside_lists_and_maps() -> None:
    assert front("a: [x\u2028y, {k\u2029: v\x85, n: ~}]\n") == {
        "a": ["x\u2028y", {"k\u2029": "v\x85", "n": None}]
    }


def test_whatever_the_parser_refuses_becomes_a_finding(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(yaml_reader, "_CONTROL", re.compile("(?!)"))
    assert only(parse("---\na: \x1b\n---\n")) == (2, "yaml-syntax")


def test_many_short_lines_are_fine() -> None:
    assert parse("short line\n" * 14_000).diagnostics == ()
    for encoding in ("utf-16-le", "utf-16-be"):
        document = parse("---\nid: a\nkind: note\n---\nBody.\n".encode(encoding))
        assert only(document) == (1, "not-utf8")


def test_private_use_characters_with_unicode_breaks_are_refused() -> None:
    assert only(parse("---\na: \uf8f0\u2028\n---\n")) == (2, "yaml-control")
    assert front("a: \uf8f0\n") == {"a": "\uf8f0"}


@pytest.mark.parametrize(
    "value", ['"\\ud83d\\ude00"', '"发布 \\uD83D\\uDE00 ok"', '"a\\\\\\ud83d\\ude00"']
)
def test_a_character_written_as_two_halves_is_named(value: str) -> None:
    document = parse_document(f"---\nid: l-1\ntitle: {value}\n---\nx\n".encode(), "a.md")
    (found,) = document.diagnostics
    assert (found.code, found.line) == ("yaml-quote", 3)
    assert "two halves" in found.message
