"""Our hooks in the settings of an agent program: put in, taken out, found. + `text.json_patch`."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any, Final

from vault_cli.errors import RefusedError
from vault_cli.hosts.install.commands import is_ours
from vault_cli.hosts.table import HookPlace
from vault_cli.text.json_patch import JsonTextError, put_in, read_json_text, take_out
from vault_cli.text.names import show_path

Command = Callable[[str], str]
"""From an event to the command line for it."""

_NAME: Final = "mvault"
_FLAT: Final = frozenset({"cursor", "copilot"})
"""Shapes in which an event lists its commands, and not groups of them with a matcher."""

_COMMAND_KEYS: Final = ("command", "bash", "powershell")


def with_hooks(text: str, place: HookPlace, command: Command) -> str:
    """Return settings in which each event of ours starts its command, once.

    What is there of ours already stays where it stands, so that a person may have moved it; an
    old command is replaced, an event we no longer ask for is taken out.

    Args:
        text: the settings, "" for none.
        place: what the host expects.
        command: gives the command line of an event.

    Raises:
        JsonTextError: the settings cannot be read, or have another layout.
    """
    wanted = dict(place.events)
    data = read_json_text(text)
    for event in _events_with_ours(data):
        if event not in wanted:
            text = _without_event(text, event)
    if place.shape in _FLAT and "version" not in data:
        text = put_in(text, ["version"], 1)
    for event, seconds in wanted.items():
        text = _with_event(text, event, _handler(place, command(event), seconds), place)
    return text


def without_hooks(text: str, place: HookPlace) -> str:
    """Return settings without our hooks and what only held them; "" for a file with nothing else.

    What a person put into a file of ours stays.
    """
    is_ours_alone = place.is_own or place.is_bare or place.shape in _FLAT
    ours = _events_with_ours(read_json_text(text))
    for event in ours:
        text = _without_event(text, event)
    data = read_json_text(text)
    if not ours or not isinstance(data, dict):
        return text
    if data.get("hooks") == {} and not _holds_comment(text):
        text = take_out(text, ["hooks"])
        data.pop("hooks")
    return "" if data in ({}, {"version": 1}) and is_ours_alone else text


def _holds_comment(text: str) -> bool:
    """Tell whether a person's remark stands where the hooks were."""
    return re.search(r'"hooks"\s*:\s*\{\s*[^\s}]', text) is not None


def find_hooks(text: str) -> dict[str, list[str]]:
    """Return our command lines in settings, by event."""
    found: dict[str, list[str]] = {}
    data = read_json_text(text)
    for event in _events_with_ours(data):
        handlers = (handler for _, handler in _handlers(data["hooks"][event]))
        found[event] = [line for each in handlers for line in _lines(each) if is_ours(line)]
    return found


def refuse(path: object, error: JsonTextError) -> RefusedError:
    """Return what is said of settings that cannot be changed."""
    return RefusedError(
        f"{show_path(str(path))}, {error}; nothing was written",
        hint="Repair the file by hand, then run the command again.",
    )


def _handler(place: HookPlace, line: str, seconds: int) -> dict[str, Any]:
    if place.shape == "cursor":
        return {"command": line, "timeout": seconds}
    if place.shape == "copilot":
        return {"type": "command", "bash": line, "timeoutSec": seconds}
    if place.shape == "gemini":
        return {"name": _NAME, "type": "command", "command": line, "timeout": seconds * 1000}
    return {"type": "command", "command": line, "timeout": seconds}


def _with_event(text: str, event: str, handler: dict[str, Any], place: HookPlace) -> str:
    """Return settings in which an event has one handler of ours, at its place or at the end."""
    data = read_json_text(text)
    entries = _entries(data, event)
    mine = [path for path, each in _handlers(entries) if any(map(is_ours, _lines(each)))]
    for path in reversed(mine[1:]):
        text = _drop(text, event, path)
    if mine:
        here = ["hooks", event, *mine[0]]
        return text if _at(data, here) == handler else put_in(text, here, handler)
    if place.shape in _FLAT:
        return put_in(text, ["hooks", event, len(entries)], handler)
    group: dict[str, Any] = {"hooks": [handler]}
    if place.shape == "gemini" and "Tool" in event:
        group = {"matcher": "*", **group}
    return put_in(text, ["hooks", event, len(entries)], group)


def _without_event(text: str, event: str) -> str:
    """Return settings without our handlers of an event, and without groups left empty."""
    entries = read_json_text(text)["hooks"][event]
    ours = [path for path, each in _handlers(entries) if any(map(is_ours, _lines(each)))]
    for path in reversed(ours):
        text = _drop(text, event, path)
    if not read_json_text(text)["hooks"][event]:
        text = take_out(text, ["hooks", event])
    return text


def _drop(text: str, event: str, path: list[str | int]) -> str:
    """Take one handler out, and the group that held nothing else."""
    text = take_out(text, ["hooks", event, *path])
    if len(path) > 1 and not _at(read_json_text(text), ["hooks", event, *path[:-1]]):
        text = take_out(text, ["hooks", event, path[0]])
    return text


def _events_with_ours(data: Any) -> list[str]:
    hooks = data.get("hooks") if isinstance(data, dict) else None
    if not isinstance(hooks, dict):
        return []
    return [
        event
        for event, entries in hooks.items()
        if any(is_ours(line) for _, each in _handlers(entries) for line in _lines(each))
    ]


def _entries(data: Any, event: str) -> list[Any]:
    hooks = data.get("hooks", {}) if isinstance(data, dict) else {}
    entries = hooks.get(event, []) if isinstance(hooks, dict) else []
    return entries if isinstance(entries, list) else []


def _handlers(entries: Any) -> Iterator[tuple[list[str | int], dict[str, Any]]]:
    """Yield the handlers of an event with their places in its list, of either layout."""
    for index, entry in enumerate(entries if isinstance(entries, list) else []):
        if not isinstance(entry, dict):
            continue
        inner = entry.get("hooks")
        if isinstance(inner, list):
            for at, each in enumerate(inner):
                if isinstance(each, dict):
                    yield [index, "hooks", at], each
        else:
            yield [index], entry


def _lines(handler: dict[str, Any]) -> list[Any]:
    return [handler[key] for key in _COMMAND_KEYS if key in handler]


def _at(data: Any, path: list[Any]) -> Any:
    for key in path:
        data = data[key]
    return data
