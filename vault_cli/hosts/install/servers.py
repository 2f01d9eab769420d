"""Our MCP server in the settings of an agent program. + `text.json_patch`."""

from __future__ import annotations

import json
from typing import Any, Final

from vault_cli.errors import RefusedError
from vault_cli.hosts.table import ServerPlace
from vault_cli.text.json_patch import put_in, read_json_text, take_out

NAME: Final = "mvault"
_PLAIN: Final = {"command": "mvault", "args": ["mcp"]}
_CODEX: Final = {
    **_PLAIN,
    "env_vars": [
        *("MVAULT", "MVAULT_CONFIG", "MVAULT_STATE_DIR", "MVAULT_READ_SCOPES"),
        *("XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME"),
        "GIT_CONFIG_GLOBAL",
    ],
}
"""Codex gives a server a handful of variables (measured); these decide which vault it serves."""

_OPENCODE: Final = {"type": "local", "command": ["mvault", "mcp"], "enabled": True}


def with_server(text: str, place: ServerPlace) -> str:
    """Return settings in which our server stands once; one a person changed stays as it is.

    Raises:
        JsonTextError, RefusedError: the settings cannot be read, or have another layout.
    """
    if place.shape == "toml":
        return _toml_with(text, place.key)
    data = read_json_text(text)
    if NAME in _table(data, place.key):
        return text
    return put_in(text, [place.key, NAME], _OPENCODE if place.shape == "opencode" else _PLAIN)


def without_server(text: str, place: ServerPlace) -> str:
    """Return settings without our server; "" when nothing else was in them.

    One of that name which a person wrote, or changed, stays.
    """
    ours = _OPENCODE if place.shape == "opencode" else _PLAIN
    if place.shape == "toml":
        return _toml_without(text, place.key)
    if _table(read_json_text(text), place.key).get(NAME) != ours:
        return text
    text = take_out(text, [place.key, NAME])
    if not read_json_text(text)[place.key]:
        text = take_out(text, [place.key])
    return text if read_json_text(text) else ""


def _table(data: Any, key: str) -> dict[str, Any]:
    table = data.get(key) if isinstance(data, dict) else None
    return table if isinstance(table, dict) else {}


def _toml_with(text: str, key: str) -> str:
    """Return TOML with a table of ours at its end; every line that was there stays.

    One that an earlier version wrote is replaced.
    """
    if _table(_read_toml(text), key).get(NAME) == _PLAIN:
        text = _toml_without(text, key)
    if NAME in _table(_read_toml(text), key):
        return text
    newline = "\r\n" if "\r\n" in text else "\n"
    lines = [
        f"[{key}.{NAME}]",
        *(f"{name} = {json.dumps(value)}" for name, value in _CODEX.items()),
    ]
    gap = "" if not text else newline if text.endswith("\n") else newline * 2
    new = f"{text}{gap}{newline.join(lines)}{newline}"
    _read_toml(new)
    return new


def _toml_without(text: str, key: str) -> str:
    """Return TOML without the lines of our table, and the blank one before them."""
    if _table(_read_toml(text), key).get(NAME) not in (_PLAIN, _CODEX):
        return text
    lines = text.splitlines(keepends=True)
    head = next((at for at, line in enumerate(lines) if line.strip() == f"[{key}.{NAME}]"), None)
    if head is None:
        raise RefusedError(
            f"config.toml names {key}.{NAME} in a form of its own; nothing was written",
            hint="Take it out by hand.",
        )
    end = head + 1
    while end < len(lines) and not lines[end].lstrip().startswith(("[", "#")):
        end += 1
    while end < len(lines) and not lines[end - 1].strip():  # blank lines before what comes next
        end -= 1
    start = head - 1 if head and not lines[head - 1].strip() else head
    new = "".join([*lines[:start], *lines[end:]])
    _read_toml(new)
    return new


def _read_toml(text: str) -> Any:
    import tomllib

    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise RefusedError(
            f"config.toml cannot be changed in place ({error}); nothing was written",
            hint="Repair the file by hand, or name the server in it yourself.",
        ) from error
