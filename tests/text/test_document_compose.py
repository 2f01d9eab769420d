"""compose_document: what we write, every YAML reader reads back to the same text."""

from __future__ import annotations

from datetime import UTC, date, datetime
from io import StringIO
from typing import Any

import pytest
import ruamel.yaml
import yaml

from vault_cli.errors import RefusedError
from vault_cli.text.document import compose_document, parse_document

TITLES = [
    "Deploy: stop the worker first",
    "@lin says hold",
    "*star first",
    "&anchor",
    "!tag",
    "- looks like a list",
    "-rf",
    "? question",
    "# looks like a comment",
    "Fix for #42",
    "ends with a colon:",
    "\"quoted\" and 'single'",
    '"only double"',
    "it's",
    "{{date}} stays text",
    "<% tp.date %>",
    "[Component] - notes",
    "[[wiki link]]",
    "yes",
    "No",
    "on",
    "y",
    "null",
    "~",
    "=",
    "<<",
    "true",
    "1.20",
    "0123",
    "0o17",
    "0x1F",
    "1e3",
    "12e3",
    "1_000",
    ".5",
    ".inf",
    "-.INF",
    ".nan",
    "+1",
    "12:30",
    "190:20:30",
    "2026-02-30",
    "2026-01-01T00:00:00Z",
    "2026-01-01 10:00",
    "---",
    "...",
    "--- x",
    "% percent",
    "back\\slash C:\\temp",
    "中文：先停服务，再发布",
    "：全角",
    "「引号」",
    "trailing space ",
    " leading space",
    "\ttab inside\ttext",
    "a\tb",
    "line\nbreak\n",
    "\n",
    "cr\rhere",
    "nel\x85here",
    "ls\u2028ps\u2029",
    "del\x7f esc\x1b c1\x9f",
    "bom\ufeff",
    "zero\u200bwidth",
    "bidi\u202eoverride",
    "\u3000全角空格\u3000",
    "no\u00a0break",
    "emoji 🚀 and #hash",
    "family 👨‍👩‍👧",
    "می‌خواهم",
    "`tick` & amp | pipe > gt ? !",
    "",
    " ",
    "a, b",
    "{a: b}",
    "key: value",
    "a:b",
    "http://example.org/#x",
    "x" * 300,
    "word " * 60 + "end",
    "\ue000private",
]


def read_11(block: str) -> Any:
    return yaml.safe_load(block)


def read_12(block: str) -> Any:
    reader = ruamel.yaml.YAML(typ="safe", pure=True)
    reader.version = (1, 2)
    return reader.load(StringIO(block))


def block_of(data: bytes) -> str:
    text = data.decode()
    assert text.startswith("---\n")
    return text[4 : text.index("\n---\n") + 1]


@pytest.mark.parametrize("title", TITLES)
def test_every_reader_gives_the_text_back(title: str) -> None:
    front = {
        "title": title,
        "applies_when": title,
        "topics": [title, "x"],
        "evidence": [{"id": "e1", "note": title, "w": title}],
        "meta": {"deep": {title or "k": title}},
    }
    data = compose_document(front, "Body.\n")
    assert dict(parse_document(data, "a.md").front) == front
    block = block_of(data)
    assert read_11(block) == front
    assert read_12(block) == front
    pure = yaml.load(block, yaml.SafeLoader)  # PyYAML's own scanner, not libyaml
    assert pure == front


def test_readable_layout() -> None:
    front = {
        "id": "l-7k3qd2m",
        "kind": "lesson",
        "title": "Check node_modules/.bin before calling npx",
        "scope": "project:github.com/acme/web",
        "topics": ["node-tooling", "前端"],
        "importance": 7,
        "checklist": True,
        "created": "2026-11-30T10:02:11Z",
        "valid_to": date(2026, 12, 14),
        "supersedes": (),
        "reason": None,
        "path": "C:\\temp",
        "say": 'say "hi"',
        "conflicts": [{"id": "r-aa81mmz", "type": "condition"}],
        "verification": {"method": "user-confirmation", "evidence": ["e1"], "at": "2026-11-30"},
        "keywords": [f"a long keyword number {number}" for number in range(6)],
    }
    assert compose_document(front, "# 标题\n").decode() == (
        "---\n"
        "id: l-7k3qd2m\n"
        "kind: lesson\n"
        "title: Check node_modules/.bin before calling npx\n"
        "scope: project:github.com/acme/web\n"
        "topics: [node-tooling, 前端]\n"
        "importance: 7\n"
        "checklist: true\n"
        "created: 2026-11-30T10:02:11Z\n"
        "valid_to: 2026-12-14\n"
        "supersedes: []\n"
        "reason: null\n"
        "path: C:\\temp\n"
        'say: say "hi"\n'
        "conflicts:\n"
        "  - {id: r-aa81mmz, type: condition}\n"
        "verification:\n"
        "  method: user-confirmation\n"
        "  evidence: [e1]\n"
        '  at: "2026-11-30"\n'
        "keywords:\n"
        "  - a long keyword number 0\n"
        "  - a long keyword number 1\n"
        "  - a long keyword number 2\n"
        "  - a long keyword number 3\n"
        "  - a long keyword number 4\n"
        "  - a long keyword number 5\n"
        "---\n"
        "# 标题\n"
    )


def test_long_maps_in_a_list_are_nested() -> None:
    item = {"id": "e1", "uri": "https://example.org/" + "x" * 90, "parts": [["a"], ["b"]]}
    front = {"evidence": [item, {"id": "e2"}], "rows": [["y" * 60, "z" * 60]]}
    data = compose_document(front, "")
    assert dict(parse_document(data, "a.md").front) == front
    assert read_12(block_of(data)) == front
    assert "  - id: e1\n    uri: https" in data.decode()


def test_hidden_characters_are_written_as_escapes() -> None:
    text = compose_document({"title": "a\u202eb\u200bc"}, "").decode()
    assert text == '---\ntitle: "a\\u202Eb\\u200Bc"\n---\n'


def test_moments_and_an_empty_block() -> None:
    moment = datetime(2026, 11, 30, 10, 2, 11, tzinfo=UTC)
    assert b"created: 2026-11-30T10:02:11+00:00\n" in compose_document({"created": moment}, "")
    assert compose_document({}, "x\r\ny") == b"---\n---\nx\ny"


@pytest.mark.parametrize(
    ("front", "body"),
    [
        ({"title": "\ud800"}, ""),
        ({"title": "a"}, "\udfff"),
        ({"title": "a"}, "nul \0"),
        ({"title": "x" * 20_000}, ""),
        ({"title": "a"}, "<<<<<<< HEAD\n"),
        ({f"k{number}": "v" for number in range(201)}, ""),
    ],
)
def test_what_could_not_be_read_back_is_refused(front: dict[str, str], body: str) -> None:
    with pytest.raises(RefusedError) as caught:
        compose_document(front, body)
    assert caught.value.hint
