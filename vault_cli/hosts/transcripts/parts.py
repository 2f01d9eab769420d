"""Small readings that the logs of all hosts share: texts of content, instants, arguments."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime
from typing import Any, Final

from vault_cli.model.transcript import Event
from vault_cli.text.late import late

MAX_TEXT: Final = 64 << 10
"""Characters of one text that are looked at; a pasted file is no correction."""

_VERSION: Final = late(r"(\d{1,6})(?:\.(\d{1,6}))?")


def as_map(value: Any) -> Mapping[str, Any]:
    """Return a value that should be an object, an empty one when it is not."""
    return value if isinstance(value, dict) else {}


def as_text(value: Any) -> str:
    """Return a value that should be a text, "" when it is not; long ones are cut."""
    return value[:MAX_TEXT] if isinstance(value, str) else ""


def texts_in(content: Any, *kinds: str) -> Iterator[str]:
    """Yield the texts of a message: of a text by itself, or of its blocks of these types.

    Args:
        content: a text, or a list of blocks `{type, text}`.
        kinds: types of blocks in lower case; none for every block that has a text.
    """
    if isinstance(content, str):
        yield as_text(content)
    elif isinstance(content, list):
        for block in map(as_map, content):
            if not kinds or str(block.get("type")).lower() in kinds:
                text = as_text(block.get("text"))
                if text:
                    yield text


def joined(texts: Iterable[str]) -> str:
    """Return texts as one, each on lines of its own."""
    return "\n".join(texts)[:MAX_TEXT]


def instant(value: Any) -> str:
    """Return an instant in ISO form from ISO text or milliseconds; "" when it is neither."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        try:
            return datetime.fromtimestamp(value / 1000, UTC).isoformat(timespec="seconds")
        except (ValueError, OverflowError, OSError):
            return ""
    if isinstance(value, str):
        try:
            return datetime.fromisoformat(value).isoformat(timespec="seconds")
        except ValueError:
            return ""
    return ""


def read_arguments(value: Any) -> Mapping[str, Any]:
    """Return what a tool was given, from an object or JSON text; the command as one text."""
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except (ValueError, RecursionError):
            return {"input": as_text(value)}
    given = dict(as_map(value))
    for key in ("command", "cmd", "script"):
        if key in given:
            given["command"] = command_text(given.pop(key))
            break
    return given


def command_text(value: Any) -> str:
    """Return a command as one text; `bash -lc "…"` around it is left out."""
    if isinstance(value, str):
        return as_text(value)
    if not isinstance(value, list) or not all(isinstance(word, str) for word in value):
        return ""
    shells = ("bash", "sh", "zsh", "/bin/bash", "/bin/sh", "/bin/zsh", "/usr/bin/bash")
    if len(value) == 3 and value[0] in shells and value[1] in ("-lc", "-c", "-l -c"):  # noqa: PLR2004
        return as_text(value[2])
    from shlex import join

    return as_text(join(value))


def version_pair(text: str) -> tuple[int, int] | None:
    """Return major and minor number of a version, None when it does not begin with a number."""
    found = _VERSION.match(text)
    return (int(found[1]), int(found[2] or 0)) if found else None


class Calls:
    """Which tool each call was of, and which calls have had their result."""

    def __init__(self) -> None:
        self._tools: dict[str, tuple[str, Mapping[str, Any]]] = {}
        self._done: set[str] = set()

    def begin(self, event: Event) -> Event | None:
        """Return a call the first time it is seen; some hosts write it twice."""
        if event.call in self._tools:
            return None
        if event.call:
            self._tools[event.call] = (event.tool, event.input)
        return event

    def end(self, event: Event) -> Event | None:
        """Return a result the first time, with the tool and the input of its call."""
        if not event.call or event.call in self._done:
            return None
        self._done.add(event.call)
        tool, given = self._tools.get(event.call, (event.tool, event.input))
        return event._replace(tool=tool or event.tool, input=given or event.input)
