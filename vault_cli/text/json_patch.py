"""Change one place of a JSON file that a person keeps, comments and all. + `text.late`.

Settings of agent programs are JSON with comments and trailing commas (JSONC). A value is put in or
taken out where it stands; every other byte stays. What comes out is parsed again and compared
with what was meant before it is returned.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from vault_cli.text.late import late

Path = Sequence[str | int]
"""Keys and indices from the root to a value."""

_SPACE: Final = late(r"(?:[ \t\r\n]+|//[^\r\n]*|/\*.*?\*/)*", re.DOTALL)
_REST_OF_LINE: Final = late(r"[ \t]*(?://[^\r\n]*|/\*[^\n]*?\*/[ \t]*(?=\r?\n))?")
_WORD: Final = late(r"-?[0-9][0-9.eE+-]*|true|false|null")
_TEXT: Final = late(r'"(?:[^"\\\x00-\x1f]|\\.)*"')
_BLANK: Final = late(r"\s*")
_DEEPEST: Final = 64
_BOM: Final = "\ufeff"


class JsonTextError(ValueError):
    """The text is no JSON that can be changed; says the line, counted from 1."""

    def __init__(self, text: str, at: int, why: str) -> None:
        self.line = text.count("\n", 0, at) + 1
        super().__init__(f"line {self.line}: {why}")


@dataclass(slots=True)
class _Node:
    """A value and where it stands: `text[start:end]`."""

    start: int
    end: int = 0
    value: Any = None
    parts: list[_Part] = field(default_factory=list)

    @property
    def is_filled(self) -> bool:
        return bool(self.parts)


@dataclass(slots=True)
class _Part:
    """One member of an object, or one item of a list (key None)."""

    key: str | None
    start: int
    node: _Node


def read_json_text(text: str) -> Any:
    """Return what JSON with comments and trailing commas says; an empty text is an empty object.

    Raises:
        JsonTextError: it is not JSON, nested too deep, or names a key twice.
    """
    return _parse(text).value


def put_in(text: str, path: Path, value: Any) -> str:
    """Return the text with `path` set to `value`; objects on the way are made.

    An index that is the length of a list appends to it.

    Raises:
        JsonTextError: the text cannot be read, or the path leads through something else.
    """
    if not _bare(text):
        text = f"{text.rstrip()}\n{{}}\n".lstrip("\n")
    root = _parse(text)
    node, rest = _descend(text, root, path)
    if not rest:
        changed = text[: node.start] + _written(text, node.start, value) + text[node.end :]
    else:
        wrapped = value
        for key in reversed(rest[1:]):
            wrapped = {key: wrapped} if isinstance(key, str) else [wrapped]
        changed = _add_part(text, node, rest[0], wrapped)
    return _proven(changed, _with(root.value, path, value))


def take_out(text: str, path: Path) -> str:
    """Return the text without what stands at `path`; comments beside it stay.

    Raises:
        JsonTextError: the text cannot be read, or nothing stands there.
    """
    root = _parse(text)
    node, rest = _descend(text, root, path[:-1])
    part = None if rest else _find(node, path[-1])
    if part is None:
        raise JsonTextError(text, node.start, f"there is no {path[-1]!r} here")
    changed = _cut_part(text, node, part)
    return _proven(changed, _without(root.value, path))


def _bare(text: str) -> str:
    return _SPACE.sub("", text.removeprefix(_BOM), count=1)


def _parse(text: str) -> _Node:
    start = len(_BOM) if text.startswith(_BOM) else 0
    at = _skip(text, start)
    if at == len(text):
        return _Node(start, start, {})
    node = _read_value(text, at, 0)
    at = _skip(text, node.end)
    if at != len(text):
        raise JsonTextError(text, at, "something stands behind the end")
    return node


def _skip(text: str, at: int) -> int:
    found = _SPACE.match(text, at)
    return found.end() if found else at


def _read_value(text: str, at: int, depth: int) -> _Node:
    if depth > _DEEPEST:
        raise JsonTextError(text, at, "nested too deep")
    opener = text[at : at + 1]
    if opener in ("{", "["):
        return _read_parts(text, at, depth, "}" if opener == "{" else "]")
    found = (_TEXT if opener == '"' else _WORD).match(text, at)
    try:
        value = json.loads(found.group()) if found else None
    except ValueError:
        found = None
    if found is None:
        raise JsonTextError(text, at, "no JSON value")
    return _Node(at, found.end(), value)


def _read_parts(text: str, start: int, depth: int, closer: str) -> _Node:
    node = _Node(start)
    at = _skip(text, start + 1)
    while text[at : at + 1] != closer:
        part = _read_part(text, at, depth, named=closer == "}")
        node.parts.append(part)
        at = _skip(text, part.node.end)
        if text[at : at + 1] == ",":
            at = _skip(text, at + 1)
        elif text[at : at + 1] != closer:
            raise JsonTextError(text, at, f"a comma or {closer} is missing")
    node.end = at + 1
    if closer == "]":
        node.value = [part.node.value for part in node.parts]
        return node
    node.value = {part.key: part.node.value for part in node.parts}
    if len(node.value) < len(node.parts):
        raise JsonTextError(text, start, "a key stands twice in this object")
    return node


def _read_part(text: str, at: int, depth: int, *, named: bool) -> _Part:
    if not named:
        return _Part(None, at, _read_value(text, at, depth + 1))
    found = _TEXT.match(text, at)
    colon = _skip(text, found.end()) if found else at
    if found is None or text[colon : colon + 1] != ":":
        raise JsonTextError(text, at, 'a member "key": value is missing')
    node = _read_value(text, _skip(text, colon + 1), depth + 1)
    return _Part(json.loads(found.group()), at, node)


def _descend(text: str, node: _Node, path: Path) -> tuple[_Node, list[str | int]]:
    """Return the deepest node that is there, and the keys that are not."""
    for depth, key in enumerate(path):
        wanted = dict if isinstance(key, str) else list
        if not isinstance(node.value, wanted):
            kind = "an object" if wanted is dict else "a list"
            raise JsonTextError(text, node.start, f"{kind} was expected here, for {key!r}")
        part = _find(node, key)
        if part is None:
            return node, list(path[depth:])
        node = part.node
    return node, []


def _find(node: _Node, key: str | int) -> _Part | None:
    if isinstance(key, int):
        return node.parts[key] if 0 <= key < len(node.parts) else None
    return next((part for part in node.parts if part.key == key), None)


def _add_part(text: str, node: _Node, key: str | int, value: Any) -> str:
    """Return the text with one more member or item at the end of an object or a list."""
    name = f"{json.dumps(key, ensure_ascii=False)}: " if isinstance(key, str) else ""
    newline = "\r\n" if "\r\n" in text else "\n"
    if not node.is_filled:
        outer = _indent_at(text, node.start)
        inner = outer + _unit(text)
        body = _dumped(value, inner, _unit(text), newline)
        between = text[node.start + 1 : node.end - 1].strip()
        kept = f"{newline}{inner}{between}" if between else ""
        filled = f"{kept}{newline}{inner}{name}{body}{newline}{outer}"
        return text[: node.start + 1] + filled + text[node.end - 1 :]
    last = node.parts[-1]
    before = node.parts[-2].node.end if len(node.parts) > 1 else node.start
    if newline not in text[before : last.start]:  # it goes on in a line, and so does what is new
        body = json.dumps(value, ensure_ascii=False)
        return f"{text[: last.node.end]}, {name}{body}{text[last.node.end :]}"
    inner = _indent_at(text, last.start)
    body = _dumped(value, inner, _unit(text), newline)
    comma = _comma_after(text, last.node.end)
    at = comma + 1 if comma is not None else last.node.end
    rest = _REST_OF_LINE.match(text, at)
    behind = rest.end() if rest else at
    head = text[: last.node.end] + ("," if comma is None else "") + text[last.node.end : behind]
    return f"{head}{newline}{inner}{name}{body}{',' if comma is not None else ''}{text[behind:]}"


def _comma_after(text: str, at: int) -> int | None:
    at = _skip(text, at)
    return at if text[at : at + 1] == "," else None


def _cut_part(text: str, node: _Node, part: _Part) -> str:
    """Return the text without a part, the comma that goes with it, and a line left empty."""
    comma = _comma_after(text, part.node.end)
    at = next(index for index, each in enumerate(node.parts) if each is part)
    spans = [(part.start, part.node.end)]
    if comma is not None:
        spans.append((comma, _past_blanks(text, comma + 1)))
    elif at:
        end = node.parts[at - 1].node.end
        before = _comma_after(text, end)
        if _is_closed_at_once(text, node, part) and text[end : part.start].strip() == ",":
            spans = [(end, part.node.end)]  # as `_add_part` puts it behind an end like that
        elif before is not None:
            spans.append((before, _past_blanks(text, before + 1)))
    for start, end in sorted(spans, reverse=True):
        text = text[:start] + text[end:]
        if start == part.start:
            text = _close_line(text, start)
    if len(node.parts) == 1:
        return _close_up(text, node.start)
    return text


def _is_closed_at_once(text: str, node: _Node, part: _Part) -> bool:
    """Whether the line on which a part ends goes on with the end of what holds it."""
    return not text[part.node.end : node.end - 1].strip(" \t")


def _past_blanks(text: str, at: int) -> int:
    """Return where the blanks behind a comma end, when more follows on the line."""
    end = at
    while text[end : end + 1] in (" ", "\t"):
        end += 1
    return at if text[end : end + 1] in ("\r", "\n", "/", "") else end


def _close_line(text: str, at: int) -> str:
    """Take away the line around `at` when nothing is left on it."""
    start = text.rfind("\n", 0, at) + 1
    end = text.find("\n", at)
    is_empty = end >= 0 and start and not text[start:end].strip()
    return text[:start] + text[end + 1 :] if is_empty else text


def _close_up(text: str, start: int) -> str:
    """Write an object or a list that became empty as `{}` or `[]`."""
    inside = _BLANK.match(text, start + 1)
    end = inside.end() if inside else start + 1
    return text[: start + 1] + text[end:] if text[end : end + 1] in ("}", "]") else text


def _indent_at(text: str, at: int) -> str:
    start = text.rfind("\n", 0, at) + 1
    return text[start : start + len(text[start:at]) - len(text[start:at].lstrip(" \t"))]


def _unit(text: str) -> str:
    found = re.search(r"\n([ \t]+)\S", text)
    return found.group(1) if found else "  "


def _written(text: str, at: int, value: Any) -> str:
    newline = "\r\n" if "\r\n" in text else "\n"
    return _dumped(value, _indent_at(text, at), _unit(text), newline)


def _dumped(value: Any, indent: str, unit: str, newline: str) -> str:
    lines = json.dumps(value, ensure_ascii=False, indent=unit).split("\n")
    return newline.join([lines[0], *(indent + line for line in lines[1:])])


def _proven(text: str, wanted: Any) -> str:
    """Return the text when it says what was meant; JsonTextError otherwise."""
    if read_json_text(text) != wanted:
        raise JsonTextError(text, 0, "this layout cannot be changed in place")
    return text


def _with(data: Any, path: Path, value: Any) -> Any:
    if not path:
        return value
    key, *rest = path
    if isinstance(key, int):
        items = list(data or [])
        items[key : key + 1] = [_with(items[key] if key < len(items) else None, rest, value)]
        return items
    return {**(data or {}), key: _with((data or {}).get(key), rest, value)}


def _without(data: Any, path: Path) -> Any:
    key, *rest = path
    if rest:
        return _with(data, [key], _without(data[key], rest))
    if isinstance(key, int):
        return [item for index, item in enumerate(data) if index != key]
    return {name: item for name, item in data.items() if name != key}
