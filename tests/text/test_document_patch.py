"""patch_document and replace_body: what changes, and that nothing else does."""

from __future__ import annotations

import difflib
import random

import pytest

from vault_cli.errors import RefusedError
from vault_cli.text.document import REMOVE, parse_document, patch_document, replace_body

PATH = "memories/a.md"

RECORD = """\
---
id: a   # my id
title: "quoted"  # c
single: 'x'
status: candidate   # keep until #422
topics: [a, 'b']  # t
tags:  # tg
  - "x"   # one
  - "y"

  # after
ver: 1.10
empty:
empty2:   # c2
fold: >-  # fc
  https://img.example.invalid/a_very_long_name_that_would_be_wrapped
  more

lit: |
  a

  b
meta:  # m
  author: x  # k
  mvault-status: candidate
  list:
  - 1
  - 2
ev:
  - {id: e1, type: z}  # first
  - {id: e2}
rows:
  - id: r1  # row
    at: 1
  - id: r2
long: [
  a,
  b,
]
multi: "a
  b"   # e
nothing: null
---

Body.
"""


def changed(text: str, changes: dict[str, object]) -> tuple[list[str], list[str]]:
    """Return (lines that went, lines that came); the file must read back as asked."""
    data = text.encode()
    out = patch_document(data, changes, PATH)
    assert patch_document(out, changes, PATH) == out
    went, came = [], []
    for line in difflib.ndiff(
        text.splitlines(keepends=True), out.decode().splitlines(keepends=True)
    ):
        if line[0] == "-":
            went.append(line[2:])
        elif line[0] == "+":
            came.append(line[2:])
    return went, came


ONE_LINE = [
    (
        {"status": "active"},
        "status: candidate   # keep until #422",
        "status: active   # keep until #422",
    ),
    ({"title": 'new: "x"'}, 'title: "quoted"  # c', 'title: "new: \\"x\\""  # c'),
    ({"single": "it's"}, "single: 'x'", "single: 'it''s'"),
    ({"single": "a\nb"}, "single: 'x'", 'single: "a\\nb"'),
    (
        {"status": "yes"},
        "status: candidate   # keep until #422",
        'status: "yes"   # keep until #422',
    ),
    ({"ver": "1.20"}, "ver: 1.10", "ver: 1.20"),
    ({"ver": "x: y"}, "ver: 1.10", 'ver: "x: y"'),
    ({"empty": "v"}, "empty:", "empty: v"),
    ({"empty2": "v"}, "empty2:   # c2", "empty2: v   # c2"),
    ({"empty2": ["v"]}, "empty2:   # c2", "empty2: [v]   # c2"),
    ({"nothing": "x"}, "nothing: null", "nothing: x"),
    ({"topics": ["a", "b", "c"]}, "topics: [a, 'b']  # t", "topics: [a, 'b', 'c']  # t"),
    ({"topics": ["b"]}, "topics: [a, 'b']  # t", "topics: ['b']  # t"),
    ({"topics": []}, "topics: [a, 'b']  # t", "topics: []  # t"),
    ({"topics": None}, "topics: [a, 'b']  # t", "topics: null  # t"),
    ({"topics": "one"}, "topics: [a, 'b']  # t", "topics: one  # t"),
    ({"tags": ["x", "w"]}, '  - "y"', '  - "w"'),
    ({"tags": ["w", "y"]}, '  - "x"   # one', '  - "w"   # one'),
    (
        {"ev": [{"id": "e1", "type": "a b"}, {"id": "e2"}]},
        "  - {id: e1, type: z}  # first",
        "  - {id: e1, type: a b}  # first",
    ),
    (
        {"meta": {"author": "x", "mvault-status": "active", "list": ["1", "2"]}},
        "  mvault-status: candidate",
        "  mvault-status: active",
    ),
]


@pytest.mark.parametrize("eol", ["\n", "\r\n"])
@pytest.mark.parametrize("bom", ["", "\ufeff"])
@pytest.mark.parametrize(("changes", "old", "new"), ONE_LINE)
def test_one_key_one_line(
    changes: dict[str, object], old: str, new: str, bom: str, eol: str
) -> None:
    text = bom + RECORD.replace("\n", eol)
    assert changed(text, changes) == ([old + eol], [new + eol])


ADDED = [
    ({"tags": ["x", "y", "z"]}, ['  - "z"\n']),
    ({"long": ["a", "b", "c"]}, ["  c,\n"]),
    (
        {"ev": [{"id": "e1", "type": "z"}, {"id": "e2"}, {"id": "e3", "k": "v: w"}]},
        ['  - {id: e3, k: "v: w"}\n'],
    ),
    ({"rows": [{"id": "r1", "at": "1"}, {"id": "r2"}, {"id": "r3"}]}, ["  - {id: r3}\n"]),
    ({"new": "v", "valid_to": "2026-01-01"}, ["new: v\n", "valid_to: 2026-01-01\n"]),
    ({"checklist": True, "importance": 7}, ["checklist: true\n", "importance: 7\n"]),
    (
        {
            "meta": {
                "author": "x",
                "mvault-status": "candidate",
                "list": ["1", "2", "3"],
                "more": "v",
            }
        },
        ["  - 3\n", "  more: v\n"],
    ),
]


@pytest.mark.parametrize(("changes", "came"), ADDED)
def test_what_is_added_is_all_that_comes(changes: dict[str, object], came: list[str]) -> None:
    assert changed(RECORD, changes) == ([], came)


WHOLE = [
    ({"fold": "new"}, 3, ["fold: new  # fc\n"]),
    ({"lit": ["q"]}, 4, ["lit: [q]\n"]),
    ({"tags": []}, 3, ["tags: []  # tg\n"]),
    ({"tags": ["n"]}, 2, ['  - "n"\n']),
    ({"multi": "x"}, 2, ["multi: x   # e\n"]),
    ({"multi": {"a": "b"}}, 2, ["multi:   # e\n", "  a: b\n"]),
    ({"meta": {}}, 6, ["meta: {}  # m\n"]),
    ({"long": ["a"]}, 4, ["long: [a]\n"]),
    ({"title": {"a": ["b"]}}, 1, ["title:  # c\n", "  a: [b]\n"]),
    ({"fold": REMOVE}, 3, []),
    ({"rows": REMOVE, "id": REMOVE}, 5, []),
]


@pytest.mark.parametrize(("changes", "gone", "came"), WHOLE)
def test_a_value_of_several_lines_goes_whole(
    changes: dict[str, object], gone: int, came: list[str]
) -> None:
    went, new = changed(RECORD, changes)
    assert len(went) == gone
    assert new == came


def test_a_value_that_is_already_there_changes_nothing() -> None:
    data = RECORD.encode()
    same = {"ver": "1.10", "topics": ("a", "b"), "nothing": None, "lit": "a\n\nb\n", "gone": REMOVE}
    assert patch_document(data, same, PATH) is data


def test_quotes_flow_blanks_and_typing_of_neighbours_are_followed() -> None:
    assert changed("---\na: [x,y]\n---\n", {"a": ["x", "y", "z"]})[1] == ["a: [x,y,z]\n"]
    assert changed("---\na: [ x, y ]\n---\n", {"a": ["y"]})[1] == ["a: [ y ]\n"]
    assert changed("---\na: {x: 1, y: 2}\n---\n", {"a": {"x": "1", "y": "3", "z": "q"}})[1] == [
        "a: {x: 1, y: 3, z: q}\n"
    ]
    assert changed("---\na:\n- 1\n- 2\n---\n", {"a": ["1", "2", "3"]})[1] == ["- 3\n"]
    assert changed("---\na:\n-   x\n---\n", {"a": ["w"]})[1] == ["-   w\n"]
    assert changed("---\na: x\n---\n", {"a": "2"})[1] == ['a: "2"\n']


@pytest.mark.parametrize(
    ("block", "new", "after"),
    [
        ("a:\n- x\n- z\n", [{"k": "v"}, "z"], "a:\n- {k: v}\n- z\n"),
        ("a:\n  - {k: v}  # r\n  - z\n", ["x", "z"], "a:\n  - x\n  - z\n"),
        ("a:\n  - k: v  # r\n    l: m\n  - z\n", [{"k": "w"}, "z"], "a:\n  - {k: w}\n  - z\n"),
        ("a:\n  - - x\n    - w\n  - z\n", [["x"], "z"], "a:\n  - [x]\n  - z\n"),
        ("a:\n  -\n    # remark\n    x\n  - z\n", ["w"], "a:\n  - w\n"),
        ("a:\n  - >-\n    x\n  - z\n", ["w", "z"], "a:\n  - w\n  - z\n"),
        ("a:\n  - |\n    x\n", ["x\n", "w"], "a:\n  - |\n    x\n  - w\n"),
        ("a: {k: v,\n  l: m}\n", {"k": "v"}, "a:\n  k: v\n"),
        ("a: {k: v}\n", {"k": ["w"]}, "a: {k: [w]}\n"),
        ("a: [x]\n", ["x", None, 7, ["w"]], "a: [x, null, 7, [w]]\n"),
        ("a:\n- x\n", "x", "a: x\n"),
        ("a: [b,\n  c]\n", ["b", "c", "d"], "a: [b,\n  c,\n  d]\n"),
        ("a: [\n  b, c]\n", ["b", "c", "d"], "a: [\n  b, c, d]\n"),
        ('a: "[b]"  # r\n', ["b"], "a: [b]  # r\n"),
    ],
)
def test_other_shapes(block: str, new: object, after: str) -> None:
    data = f"---\n{block}z: q\n---\nBody.\n"
    out = patch_document(data.encode(), {"a": new}, PATH)
    assert out.decode() == data.replace(block, after)


def test_dates_numbers_and_flags_of_ours_are_written_bare() -> None:
    data = b"---\nvalid_to:\nimportance: ~\nchecklist: null\n---\n"
    changes = {"valid_to": "2026-12-14", "importance": "7", "checklist": "true"}
    expected = b"---\nvalid_to: 2026-12-14\nimportance: 7\nchecklist: true\n---\n"
    assert patch_document(data, changes, PATH) == expected
    assert patch_document(b"---\n--- # r\n---\n", {"a": "x"}, PATH) == b"---\n--- # r\na: x\n---\n"


def test_a_list_too_long_for_a_line_goes_below_its_key() -> None:
    words = [f"word{number}" for number in range(40)]
    out = patch_document(b"---\na: [word0]  # why\n---\n", {"a": words}, PATH).decode()
    assert out.startswith("---\na:  # why\n  - word0\n  - word1\n")


def test_a_body_with_half_a_pair_is_refused() -> None:
    with pytest.raises(RefusedError, match="U\\+D800"):
        replace_body(b"text\n", "\ud800", PATH)
    assert replace_body(b"text\n", "text\r\n", PATH) == b"text\n"


def test_a_broken_file_is_refused_with_its_findings() -> None:
    with pytest.raises(RefusedError) as caught:
        replace_body(b"---\na: b: c\n---\n", "x", PATH)
    assert [found.code for found in caught.value.diagnostics] == ["yaml-colon"]


def test_the_key_that_stands_twice_is_changed_twice() -> None:
    text = "---\na: 1\nid: x\na: 1\n---\n"
    assert patch_document(text.encode(), {"a": "2"}, PATH) == b"---\na: 2\nid: x\na: 2\n---\n"
    assert patch_document(text.encode(), {"a": REMOVE}, PATH) == b"---\nid: x\n---\n"
    assert patch_document(text.encode(), {"id": "w"}, PATH) == b"---\na: 1\nid: w\na: 1\n---\n"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("# Hi\nx", "---\nid: a\n---\n# Hi\nx"),
        ("\ufeff# Hi\r\nx\r\n", "\ufeff---\r\nid: a\r\n---\r\n# Hi\r\nx\r\n"),
        ("---\n---\nBody", "---\nid: a\n---\nBody"),
        ("---\r\n---", "---\r\nid: a\r\n---"),
        ("---  \n# only a remark\n---\t\n", "---  \n# only a remark\nid: a\n---\t\n"),
        ("---\nkind: note\n---", "---\nkind: note\nid: a\n---"),
        ("---\n  kind: note\n---\n", "---\n  kind: note\n  id: a\n---\n"),
        ("---\nlit: |\n  x\n\n---\n", "---\nlit: |\n  x\n\nid: a\n---\n"),
        ("\n\nx", "---\nid: a\n---\n\n\nx"),
    ],
)
def test_where_a_new_key_goes(before: str, after: str) -> None:
    assert patch_document(before.encode(), {"id": "a"}, PATH).decode() == after


@pytest.mark.parametrize(
    ("text", "changes", "says"),
    [
        ("---\nid: a: b\n---\n", {"id": "a"}, "cannot be read"),
        ("---\nid: a\nid: b\n---\n", {"id": "a"}, "cannot be read"),
        ("Note\n---\nid: a\n---\n", {"id": "b"}, "cannot be read"),
        ("", {"id": "b"}, "cannot be read"),
        ("---\n{id: a}\n---\n", {"id": "b"}, "braces"),
        ("---\n? id\n: a\n---\n", {"id": "b"}, "start of its line"),
        ("---\nid: a\n---\n", {"id": "\ud800"}, "character"),
        ("---\nid: a\n---\n", {"x": "y" * 20_000}, "read back"),
    ],
)
def test_what_cannot_be_changed_in_place_is_refused(
    text: str, changes: dict[str, object], says: str
) -> None:
    with pytest.raises(RefusedError, match=says) as caught:
        patch_document(text.encode(), changes, PATH)
    assert caught.value.hint


@pytest.mark.parametrize(
    ("text", "body", "after"),
    [
        ("---\nid: a\n---\nold\n", "new\n", "---\nid: a\n---\nnew\n"),
        ("---\r\nid: a\r\n---\r\nold\r\n", "new\nline", "---\r\nid: a\r\n---\r\nnew\r\nline"),
        ("\ufeffold", "new", "\ufeffnew"),
        ("---\nid: a  # c\n---", "new", "---\nid: a  # c\n---\nnew"),
        ("---\nid: a\n---  \nold", "", "---\nid: a\n---  \n"),
    ],
)
def test_replace_body(text: str, body: str, after: str) -> None:
    assert replace_body(text.encode(), body, PATH).decode() == after
    assert replace_body(after.encode(), body, PATH) == after.encode()


def test_a_body_that_would_read_as_metadata_is_refused() -> None:
    with pytest.raises(RefusedError, match="read back"):
        replace_body(b"text\n", "---\nid: a\n---\n", PATH)


SCALARS = [
    "plain", '"double"', "'single'", "2026-06-03", "yes", "0123", '"a: b"', "值 一", "C# rules", "",
    ">-\n  folded text\n  here", "|\n  literal\n\n  # not a remark", "[a, b]", '["x: y", z]',
    "\n  - one  # r\n  - two", "\n- one\n- two", "{k: v}", "\n  k: v  # r\n  l: [m]", '"over\n  lines"',
]  # fmt: skip


def generated_file(seed: int) -> tuple[bytes, str, str]:
    """Return a file of mixed styles, the key to change and the line that it stands on."""
    rng = random.Random(seed)
    lines = []
    for number in range(rng.randint(1, 8)):
        if rng.random() < 0.2:
            lines.append(rng.choice(["# remark", "", "  # indented remark"]))
        value = rng.choice(SCALARS)
        gap = " " * rng.choice([1, 1, 1, 3]) if value and not value.startswith("\n") else ""
        remark = rng.choice(["", "", "  # why"]) if not value.startswith(("\n", ">", "|")) else ""
        lines.append(f"key{number}:{gap}{value}{remark}")
    target = f"status: {rng.choice(['candidate', chr(39) + 'candidate' + chr(39), chr(34) + 'candidate' + chr(34)])}"
    line = target + rng.choice(["", "   # keep", "  ", " # 保留"])
    lines.insert(rng.randint(0, len(lines)), line)
    body = rng.choice(["", "\nBody.\n", "\nBody", "正文\n\n---\nstatus: candidate\n"])
    fence = rng.choice(["---", "---", "---  "])
    text = "---\n" + "\n".join(lines) + f"\n{fence}\n{body}"
    if not body and rng.random() < 0.5:
        text = text[:-1]
    style = rng.choice(["lf", "lf", "crlf", "mixed"])
    if style == "crlf":
        text = text.replace("\n", "\r\n")
    elif style == "mixed":
        text = "".join(c if c != "\n" else rng.choice(["\n", "\r\n"]) for c in text)
    if rng.random() < 0.3:
        text = "\ufeff" + text
    return text.encode(), "status", line


def test_two_thousand_files_change_one_line_each() -> None:
    for seed in range(2000):
        data, key, line = generated_file(seed)
        assert parse_document(data, PATH).diagnostics == (), data
        new = patch_document(data, {key: "active"}, PATH)
        expected = data.replace(line.encode(), line.replace("candidate", "active").encode(), 1)
        assert new == expected, (seed, data.decode(), new.decode())
