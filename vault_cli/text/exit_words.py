"""How agent programs say in a tool's answer that a command ended, and with which code.

The same for an answer that a hook is given and for one that stands in a session's log, so that one
failure reads the same in both. A command may print such words too: they count only where the
programs put them. Imports `text` only.
"""

from __future__ import annotations

import re
from typing import Final

from vault_cli.text.late import late

_LOOKED_AT: Final = 64 << 10
"""Characters at the beginning, and at the end, of an answer that are looked at."""

_FIRST: Final = r"\A\s*Exit code:? (-?\d{1,10})\b"
"""Claude Code, and Codex up to 2026-03."""

_LAST: Final = (
    r"^\[exit code: (-?\d{1,10})\]\s*\Z"  # DSH
    r"|^<shellId: \w+ completed with exit code (-?\d{1,10})>\s*\Z"  # Copilot
)
_CODE: Final = late(
    rf"{_FIRST}|{_LAST}"
    r"|\A(?:(?:Chunk ID|Wall time|Original token count)[^\n]{0,200}\n){0,8}"  # Codex
    r"Process exited with code (-?\d{1,10})\b"
    r"|^Exit Code: (-?\d{1,10})(?=(?:\n(?:(?:Signal|Background PIDs|Process Group PGID): [^\n]*"
    r"|</untrusted_context>))+\s*\Z)",  # Gemini CLI
    re.MULTILINE,
)
_HEAD: Final = late(rf"{_FIRST}\s*")
_CODE_LINE: Final = late(r"exit code:? -?\d{1,10}", re.IGNORECASE)
_AROUND: Final = late(rf"{_FIRST}[ \t]*\n|^\[std(?:err|out)\][ \t]*\n|\n?(?:{_LAST})", re.MULTILINE)
_OUTPUT: Final = late(r"\A(?:[^\n]{0,200}\n){1,8}?Output:\n")
"""Codex: what it measured, then the output."""

_WRAPPED: Final = late(
    r"\A<untrusted_context>\n(?:Output: )?(.*?)"
    r"(?:\n(?:Error|Exit Code|Signal|Background PIDs|Process Group PGID): [^\n]*)*"
    r"\n</untrusted_context>\s*\Z",
    re.DOTALL,
)
"""How Gemini CLI (0.61.0) gives the output of its shell."""


def exit_code_in(text: str) -> int | None:
    """Return the exit code that an answer names in a program's own words, None for none."""
    found = _CODE.search(text, 0, _LOOKED_AT) if len(text) > 2 * _LOOKED_AT else None
    found = found or _CODE.search(text, max(0, len(text) - 2 * _LOOKED_AT))
    return int(next(filter(None, found.groups()))) if found else None


def output_of(text: str) -> str:
    """Return a command's own output: without what a program puts around it."""
    wrapped = _WRAPPED.match(text) if len(text) <= _LOOKED_AT else None
    if wrapped:
        return wrapped[1]
    plain = _AROUND.sub("", _OUTPUT.sub("", text, count=1))
    return plain if plain.strip() else text


def with_code(text: str, code: int | None) -> str:
    """Return what a command said with its exit code before it, unless it stands there."""
    if code is None or _HEAD.match(text):
        return text
    return f"Exit code {code}\n{text}".rstrip()


def without_code(text: str) -> str:
    """Return what a command said without the exit code before it."""
    return _HEAD.sub("", text, count=1)


def is_code(line: str) -> bool:
    """Tell whether a line says only that a command ended."""
    return _CODE_LINE.fullmatch(line.strip()) is not None
