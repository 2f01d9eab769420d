"""Front matter as text that YAML 1.1 and YAML 1.2 read alike. May import `model`, `text.parse`."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any, Final

from vault_cli.errors import RefusedError
from vault_cli.model.schema import BY_KEY, PLAIN_FORMS
from vault_cli.text.codes import show
from vault_cli.text.late import late
from vault_cli.text.parse import parse_document

REMOVE: Final = object()
"""Value for `patch_document` that removes a key."""

WIDTH = 100
"""Columns up to which a list or a map in a list stays on one line."""

_WORDS = frozenset({"y", "n", "yes", "no", "on", "off", "true", "false", "null", "~", "=", "<<"})
_NUMBER = late(r"[-+]?[.0-9][0-9A-Za-z_.:+-]*")
_DATE = late(r"\d{4}-\d\d?-\d\d?(?:[Tt \t].*)?")
_FIRST = frozenset("-?:,[]{}#&*!|>'\"%@`")
_FLOW_SIGNS = late(r"[,\[\]{}:?#&*!|>'\"%@`]")
_SIMPLE = late(r"[A-Za-z][A-Za-z0-9_./-]*")
_ESCAPES = {"\n": "\\n", "\t": "\\t", "\r": "\\r", '"': '\\"', "\\": "\\\\"}
_JOINERS = frozenset("\u200c\u200d")


def compose_document(front: Mapping[str, Any], body: str) -> bytes:
    """Write a new file: keys in the order given, then the body with LF line ends.

    Args:
        front: text, None, numbers, flags, dates, lists and maps of these, by key.
        body: text after the block, written as given.

    Returns:
        The file's bytes; reading them gives the same values (as text) and body back.

    Raises:
        RefusedError: the texts cannot stand in a file that can be read back.
    """
    lines = "".join(compose_entry(key, value) for key, value in front.items())
    body = body.replace("\r\n", "\n")
    try:
        data = f"---\n{lines}---\n{body}".encode()
    except UnicodeEncodeError as error:
        bad = f"U+{ord(error.object[error.start]):04X}"
        hint = "Remove half character pairs from the text."
        raise RefusedError(f"the text holds {bad}, which is no character", hint=hint) from None
    read = parse_document(data, "")
    if read.is_broken or dict(read.front) != as_typed(front) or read.body != body:
        hint = "Remove what the findings name from the text."
        raise RefusedError(
            "the new file could not be read back as it was given",
            hint=hint,
            diagnostics=read.diagnostics,
        )
    return data


def as_typed(value: Any) -> Any:
    """Return a value as it will be read back: numbers, flags and dates as text, tuples as lists."""
    if value is None or isinstance(value, str):
        return None if value is None else str(value)
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, Mapping):
        return {str(key): as_typed(item) for key, item in value.items()}
    if isinstance(value, Sequence):
        return [as_typed(item) for item in value]
    return str(value)


def compose_entry(key: str, value: Any, indent: str = "") -> str:
    """Return the lines of one key, each ending in LF."""
    name = compose_scalar(key)
    if isinstance(value, Mapping) and value:
        inner = indent + "  "
        lines = "".join(compose_entry(sub, item, inner) for sub, item in value.items())
        return f"{indent}{name}:\n{lines}"
    if _is_list(value) and value:
        one_line = f"{indent}{name}: {compose_flow(value)}"
        if len(one_line) <= WIDTH and not any(isinstance(item, Mapping) for item in value):
            return one_line + "\n"
        items = "".join(compose_item(item, indent + "  ") for item in value)
        return f"{indent}{name}:\n{items}"
    if _is_list(value) or isinstance(value, Mapping):
        return f"{indent}{name}: {compose_flow(value)}\n"
    return f"{indent}{name}: {compose_scalar(value, typed=is_typed(key))}\n"


def compose_item(value: Any, indent: str, style: str = "", *, typed: bool = False) -> str:
    """Return the lines of one item of a block list, each ending in LF."""
    if not _is_list(value) and not isinstance(value, Mapping):
        return f"{indent}- {compose_scalar(value, style=style, typed=typed)}\n"
    one_line = f"{indent}- {compose_flow(value)}"
    if len(one_line) <= WIDTH or not value:
        return one_line + "\n"
    inner = indent + "  "
    if isinstance(value, Mapping):
        lines = "".join(compose_entry(key, item, inner) for key, item in value.items())
    else:
        lines = "".join(compose_item(item, inner) for item in value)
    return f"{indent}- {lines[len(inner) :]}"


def compose_flow(value: Any) -> str:
    """Return a value in flow style, on one line."""
    if isinstance(value, Mapping):
        pairs = (
            f"{compose_scalar(key, flow=True)}: {compose_flow(item)}" for key, item in value.items()
        )
        return "{" + ", ".join(pairs) + "}"
    if _is_list(value):
        return "[" + ", ".join(compose_flow(item) for item in value) + "]"
    return compose_scalar(value, flow=True)


def compose_scalar(value: Any, *, flow: bool = False, style: str = "", typed: bool = False) -> str:
    """Return one scalar.

    Args:
        value: text, None, number, flag or date.
        flow: whether it stands inside brackets.
        style: quote sign to keep where the text allows it, "" for as plain as can be.
        typed: whether a text that looks like a number or a date may stay without quotes.
    """
    if value is None:
        return "null"
    if not isinstance(value, str):
        return str(as_typed(value))
    text = str(value)
    if not _is_printable(text):
        return _double(text)
    if not style and _is_plain(text, flow) and (typed or not looks_typed(text)):
        return text
    eased = not style and "'" not in text and ('"' in text or "\\" in text)
    return _single(text) if style == "'" or eased else _double(text)


def looks_typed(text: str) -> str:
    """Return what a YAML reader could take a plain text for: word, number, date, or "" (text)."""
    if text.lower() in _WORDS:
        return "word"
    if _DATE.fullmatch(text):
        return "date"
    return "number" if _NUMBER.fullmatch(text) else ""


def is_typed(key: str) -> bool:
    """Return whether the values of a key are numbers, flags or dates by our field table."""
    field = BY_KEY.get(key)
    return field is not None and field.form in PLAIN_FORMS


def _is_list(value: Any) -> bool:
    return isinstance(value, Sequence) and not isinstance(value, str)


def _is_plain(text: str, flow: bool) -> bool:  # noqa: FBT001
    if _SIMPLE.fullmatch(text):
        return True
    if not text or text != text.strip() or text[0] in _FIRST or text.lower() in {"null", "~"}:
        return False
    if ": " in text or " #" in text or text[-1] == ":" or "\t" in text:
        return False
    return not (flow and _FLOW_SIGNS.search(text))


def _is_printable(text: str) -> bool:
    return text.isprintable() or not any(_must_escape(char) for char in text)


def _must_escape(char: str) -> bool:
    if char.isprintable() or char in _JOINERS:
        return False
    return unicodedata.category(char) != "Zs"


def _single(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def _double(text: str) -> str:
    return '"' + "".join(_escape(char) for char in text) + '"'


def _escape(char: str) -> str:
    if char in _ESCAPES:
        return _ESCAPES[char]
    if not _must_escape(char):
        return char
    number = ord(char)
    if 0xD800 <= number <= 0xDFFF:  # noqa: PLR2004
        raise RefusedError(
            f"the text holds {show(char)}, which is half a character pair",
            hint="Type the character again.",
        )
    if number <= 0xFF:  # noqa: PLR2004
        return f"\\x{number:02X}"
    return f"\\u{number:04X}" if number <= 0xFFFF else f"\\U{number:08X}"  # noqa: PLR2004
