"""Findings about the texts of a file: lost comments, hidden signs. May import `text.*`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from vault_cli.errors import Diagnostic
from vault_cli.model.schema import FIELDS
from vault_cli.text.admission import scan_structure
from vault_cli.text.codes import Problem, show
from vault_cli.text.parse import Document

_TEXT_KEYS = frozenset({f.key for f in FIELDS if f.form == "text"} | {"description", "name"})
_COMMENT = re.compile(r"[ \t]#")
_SELF_BOUND = ('"', "'", "|", ">", "[", "{")
_PIECE = 256 * 1024


def find_lost_text(document: Document) -> list[Problem]:
    """Return notes about values of which a part was read as a comment (`Fix for #42`).

    A comment set off by two blanks and followed by one is meant as a comment and is no finding.
    """
    if b" #" not in document.data and b"<%" not in document.data:
        return []
    found: list[Problem] = []
    lines = document.data.decode("utf-8", "replace").split("\n")
    for key, number in document.key_lines.items():
        line = lines[number - 1].rstrip("\r")
        problem = _find_lost(key, document.front.get(key), line, number)
        if problem is not None:
            found.append(problem)
    return found


def _find_lost(key: str, value: Any, line: str, number: int) -> Problem | None:
    if isinstance(value, str) and value.startswith("<%"):
        message = f"`{show(key)}` looks like an unfilled template placeholder: {show(value)}"
        hint = "Fill it in; templates belong in a folder named Templates, which is not read."
        return Problem("template-text", number, message, hint)
    rest = line.partition(":")[2]
    match = _COMMENT.search(rest)
    if match is None or rest.lstrip().startswith(_SELF_BOUND):
        return None
    kept, lost = rest[: match.start() + 1], rest[match.end() :]
    unspaced = bool(lost) and not lost[0].isspace()
    if not kept.strip():
        if value is not None or not unspaced:
            return None
        message = f"`{show(key)}` is empty: what follows is a comment: #{show(lost)}"
    elif key in _TEXT_KEYS and (unspaced or len(kept) - len(kept.rstrip()) == 1):
        message = f"the text after # is not part of `{key}`: #{show(lost)}"
    else:
        return None
    hint = "Put the whole value in double quotes if the # belongs to it."
    return Problem("comment-in-value", number, message, hint)


def scan_texts(document: Document, path: str) -> Iterator[Diagnostic]:
    """Yield what the structural scan finds in the body and in the values."""
    yield from _scan(document.body, document.body_line, path)
    for key, value in document.front.items():
        for text in (value,) if isinstance(value, str) else _texts(value):
            line = document.key_lines.get(key, 0)
            for finding in _scan(text, line, path):
                yield _at_key(finding, line, key)


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for item in value:
            yield from _texts(item)
    elif isinstance(value, dict):
        for key, item in value.items():
            yield key
            yield from _texts(item)


def _at_key(finding: Diagnostic, line: int, key: str) -> Diagnostic:
    message = f"in `{show(key)}`: {finding.message}"
    return Diagnostic(
        finding.path, line, finding.code, finding.severity, message, finding.hint, finding.holds
    )


def _scan(text: str, first_line: int, path: str) -> Iterator[Diagnostic]:
    line = first_line
    for start in range(0, len(text), _PIECE):
        piece = text[start : start + _PIECE]
        for hit in scan_structure(piece):
            place = line + hit.line - 1
            if hit.holds:
                hint = f"Remove it, or put `{hit.code}` into the record's `allow` list."
                yield Diagnostic(path, place, hit.code, "warning", hit.message, hint, holds=True)
            else:
                yield Diagnostic(path, place, hit.code, "note", hit.message)
        line += piece.count("\n")
