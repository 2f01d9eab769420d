"""The commit message of a change: one subject line, the reason, trailers nobody can forge.

May import `text`, `model`, `errors`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final
from unicodedata import category, combining, east_asian_width

from vault_cli.errors import RefusedError
from vault_cli.model.change import Change
from vault_cli.text.hidden import find_hidden
from vault_cli.text.late import late

MAX_COLUMNS: Final = 72
_JOINERS: Final = frozenset("\u200d\ufe0e\ufe0f")
_TRAILER_NAME: Final = late(r"[A-Za-z][A-Za-z0-9-]{0,40}")
_OWN_TRAILERS: Final = frozenset({"vault-op", "vault-id", "vault-origin", "vault-actor"})
_LOOKS_LIKE_TRAILER: Final = late(
    r"\s*[A-Za-z0-9-]+\s*[:=#]|\s*\(cherry picked from|-{3}|#|diff -|Index: "
)
"""Lines that git's trailer parser, its clean-up or a patch reader may take for their own."""


def compose_message(change: Change) -> str:
    """Return the whole commit message of a change.

    Raises:
        RefusedError: a trailer's name is not one, or is one of those the gate writes.
    """
    parts = [subject_line(change.verb + change.subject)]
    reason = _body(change.reason)
    if reason:
        parts.append(reason)
    parts.append("\n".join(_trailers(change)))
    return "\n\n".join(parts) + "\n"


def subject_line(text: str) -> str:
    """Return `text` as one harmless line of at most 72 columns, cut between characters."""
    line = one_line(text) or "change"
    if sum(map(_columns, line)) <= MAX_COLUMNS:
        return line
    kept: list[str] = []
    used = 1  # the ellipsis
    for cluster in _clusters(line):
        width = sum(map(_columns, cluster))
        if used + width > MAX_COLUMNS:
            break
        kept.append(cluster)
        used += width
    return "".join(kept).rstrip() + "…"


def one_line(text: str) -> str:
    """Return `text` without line breaks, control, direction and undecodable characters."""
    return " ".join(_harmless(text).split())


def _harmless(text: str) -> str:
    """Return text with line breaks and controls as blanks, and what misleads or hides left out."""
    parts: list[str] = []
    done = 0
    for run in find_hidden(text):
        parts.append(text[done : run.start])
        if run.kind in {"control", "break"}:
            parts.append(" ")
        elif run.verdict == "ok":
            parts.append(text[run.start : run.end])
        done = run.end
    return "".join((*parts, text[done:]))


def _columns(char: str) -> int:
    if combining(char) or char in _JOINERS or category(char) in {"Mn", "Me", "Cf"}:
        return 0
    return 2 if east_asian_width(char) in {"W", "F"} else 1


def _clusters(line: str) -> Iterator[str]:
    """Split into pieces that belong together: a character, its marks, what a joiner binds."""
    piece = ""
    for char in line:
        bound = piece and (_columns(char) == 0 or piece[-1] == "\u200d")
        if piece and not bound:
            yield piece
            piece = ""
        piece += char
    if piece:
        yield piece


def _body(reason: str) -> str:
    """Return the reason with every line that could pass for a trailer set in."""
    lines = [
        _body_line(line) for line in re.split(r"\r\n|[\r\n\v\f\x1c-\x1e\x85\u2028\u2029]", reason)
    ]
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip("\n")


def _body_line(line: str) -> str:
    text = _harmless(line).rstrip()
    return f"    {text.lstrip()}" if _LOOKS_LIKE_TRAILER.match(text) else text


def _trailers(change: Change) -> Iterable[str]:
    yield f"Vault-Op: {one_line(change.verb)}"
    for record_id in dict.fromkeys((*change.ids, *change.touched)):
        yield f"Vault-Id: {one_line(record_id)}"
    yield f"Vault-Origin: {one_line(change.origin)}"
    yield f"Vault-Actor: {one_line(change.actor.value)}"
    for name, value in change.extra:
        if not _TRAILER_NAME.fullmatch(name) or name.lower() in _OWN_TRAILERS:
            raise RefusedError(f"{name!r} cannot be used as the name of a trailer")
        yield f"{name}: {one_line(value)}"
