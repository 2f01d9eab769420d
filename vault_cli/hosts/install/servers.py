"""Our MCP server in the settings of an agent program. + `text.json_patch`; tomlkit for Codex."""

from __future__ import annotations

from typing import Any, Final

from vault_cli.errors import RefusedError
from vault_cli.hosts.table import ServerPlace
from vault_cli.text.json_patch import put_in, read_json_text, take_out

NAME: Final = "mvault"
_PLAIN: Final = {"command": "mvault", "args": ["mcp"]}
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
    """Return settings without our server; "" when nothing else was in them."""
    if place.shape == "toml":
        return _toml_without(text, place.key)
    if NAME not in _table(read_json_text(text), place.key):
        return text
    text = take_out(text, [place.key, NAME])
    if not read_json_text(text)[place.key]:
        text = take_out(text, [place.key])
    return text if read_json_text(text) else ""


def _table(data: Any, key: str) -> dict[str, Any]:
    table = data.get(key) if isinstance(data, dict) else None
    return table if isinstance(table, dict) else {}


def _toml_with(text: str, key: str) -> str:
    import tomlkit

    document = _read_toml(text)
    servers = document.get(key)
    if servers is not None and NAME in servers:
        return text
    server = tomlkit.table()
    server.update(_PLAIN)
    if servers is None:
        servers = tomlkit.table(is_super_table=True)
        document[key] = servers
    servers[NAME] = server
    return tomlkit.dumps(document)


def _toml_without(text: str, key: str) -> str:
    import tomlkit

    document = _read_toml(text)
    servers = document.get(key)
    if servers is None or NAME not in servers:
        return text
    del servers[NAME]
    if not servers:
        del document[key]
    return tomlkit.dumps(document)


def _read_toml(text: str) -> Any:
    import tomlkit
    from tomlkit.exceptions import TOMLKitError

    try:
        return tomlkit.parse(text)
    except TOMLKitError as error:
        raise RefusedError(
            f"config.toml is no TOML ({error}); nothing was written",
            hint="Repair the file by hand, then run the command again.",
        ) from error
