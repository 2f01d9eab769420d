"""JSON that a person keeps is changed in one place, and every other byte stays."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vault_cli.text.json_patch import JsonTextError, put_in, read_json_text, take_out

SETTINGS = """{
  // 我的设置 (kept by hand)
  "model": "opus", /* the big one */
  "hooks": {
    "PreToolUse": [
      { "matcher": "Bash", "hooks": [{ "type": "command", "command": "lint" }] }, // mine
    ],
  },
  "permissions": {"allow": ["Bash(ls:*)"]}
}
"""


def test_comments_and_trailing_commas_are_read() -> None:
    data = read_json_text(SETTINGS)

    assert data["hooks"]["PreToolUse"][0]["matcher"] == "Bash"
    assert data["permissions"] == {"allow": ["Bash(ls:*)"]}
    assert read_json_text("") == read_json_text("// nothing\n") == {}


def test_an_item_more_leaves_every_line_as_it_was() -> None:
    new = put_in(SETTINGS, ["hooks", "PreToolUse", 1], {"matcher": "*"})

    lost = [line for line in SETTINGS.split("\n") if line not in new.split("\n")]
    assert lost == []
    assert '"matcher": "*"' in new
    assert take_out(new, ["hooks", "PreToolUse", 1]) == SETTINGS


def test_a_key_more_and_out_again() -> None:
    new = put_in(SETTINGS, ["hooks", "SessionStart"], [{"hooks": []}])

    assert [line for line in SETTINGS.split("\n") if line not in new.split("\n")] == []
    assert take_out(new, ["hooks", "SessionStart"]) == SETTINGS


def test_the_last_line_keeps_its_comment() -> None:
    text = '{\n\t"a": 1 // 一\n}\n'

    new = put_in(text, ["b"], {"c": [1]})

    assert new == '{\n\t"a": 1, // 一\n\t"b": {\n\t\t"c": [\n\t\t\t1\n\t\t]\n\t}\n}\n'
    assert take_out(new, ["b"]) == text


@pytest.mark.parametrize(
    ("text", "path", "value", "new"),
    [
        ("", ["a"], 1, '{\n  "a": 1\n}\n'),
        ("{}\n", ["a", "b"], [], '{\n  "a": {\n    "b": []\n  }\n}\n'),
        ('{"a": 1}', ["b"], {"c": 2}, '{"a": 1, "b": {"c": 2}}'),
        ('{"a": 1}', ["a"], 2, '{"a": 2}'),
        ("[1]", [1], "二", '[1, "二"]'),
        ('{"a": [1]}', ["a", 0], 7, '{"a": [7]}'),
        (
            '\ufeff{\r\n    "a": 1\r\n}\r\n',
            ["b"],
            2,
            '\ufeff{\r\n    "a": 1,\r\n    "b": 2\r\n}\r\n',
        ),
        ("{\n  // later\n}\n", ["a"], 1, '{\n  // later\n  "a": 1\n}\n'),
        ("// 说明\n", ["a"], 1, '// 说明\n{\n  "a": 1\n}\n'),
    ],
)
def test_layouts(text: str, path: list[str | int], value: Any, new: str) -> None:
    assert put_in(text, path, value) == new


def test_taking_out_keeps_the_comments_of_others() -> None:
    text = '{\n  // first\n  "a": 1,\n  // second\n  "b": 2\n}\n'

    assert take_out(text, ["b"]) == '{\n  // first\n  "a": 1\n  // second\n}\n'
    assert take_out(text, ["a"]) == '{\n  // first\n  // second\n  "b": 2\n}\n'
    assert take_out('{"a": {"b": 1}}', ["a", "b"]) == '{"a": {}}'
    assert take_out('{\n  "a": [\n    1\n  ]\n}', ["a", 0]) == '{\n  "a": []\n}'


@pytest.mark.parametrize(
    "text",
    [
        "{", '{"a"}', '{"a": 1,, "b": 2}', '{"a": 1} x', "{'a': 1}", '{"a": 1, "a": 2}', "nope",
        "[" * 200 + "]" * 200, '{"a": "\n"}', '{"a": 01x}', "/* open", '{"a": "\\q"}', "01",
    ],
)  # fmt: skip
def test_what_is_no_json_is_refused_with_its_line(text: str) -> None:
    with pytest.raises(JsonTextError, match="line 1"):
        put_in(text, ["z"], 1)


def test_a_path_through_something_else_is_refused() -> None:
    with pytest.raises(JsonTextError, match="an object was expected"):
        put_in('{"hooks": []}', ["hooks", "Stop"], 1)
    with pytest.raises(JsonTextError, match="no 'x'"):
        take_out("{}", ["x"])


_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3)
    ),
    max_leaves=8,
)


@given(
    st.dictionaries(st.text(max_size=4), _values, max_size=4),
    _values,
    st.sampled_from([None, 1, 2]),
)
def test_in_and_out_again_is_the_same_text(
    data: dict[str, Any], value: Any, indent: int | None
) -> None:
    text = json.dumps(data, ensure_ascii=False, indent=indent)
    key = "new key"

    new = put_in(text, [key], value)

    assert read_json_text(new) == {**data, key: value}
    assert read_json_text(take_out(new, [key])) == data
    if data:
        assert take_out(new, [key]) == text
