"""The plugin in its marketplace, one folder for Claude Code and Codex. + `store.files`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Final, NamedTuple

from vault_cli.errors import RefusedError
from vault_cli.hosts.install.changes import Installation, read_text
from vault_cli.hosts.install.commands import plugin_command
from vault_cli.hosts.install.hooks import with_hooks
from vault_cli.hosts.table import HOSTS, HookPlace
from vault_cli.store.files import find_template
from vault_cli.text.json_patch import JsonTextError, read_json_text
from vault_cli.text.names import show_path

_OWN: Final = "plugins/mvault"
_PREFIX: Final = "mvault@"
_TEXTS: Final = (
    ".claude-plugin/marketplace.json",
    f"{_OWN}/.claude-plugin/plugin.json",
    f"{_OWN}/.mcp.json",
    f"{_OWN}/README.md",
    f"{_OWN}/skills/recall/SKILL.md",
)


def plan_plugin(folder: Path, version: str) -> Installation:
    """Return what writes the marketplace into a folder.

    Args:
        folder: where it is written; need not exist.
        version: of this program.

    Raises:
        RefusedError: the folder is a marketplace of somebody else, or a link leads out of a
            checkout on the way.
    """
    _require_free(folder / _TEXTS[0])
    found = Installation()
    for name, text in _texts(version):
        found.edit(folder / name, lambda _old, new=text: new, "the plugin")  # type: ignore[misc]
    return found


def _require_free(listing: Path) -> None:
    old = read_text(listing)
    if old is not None and _OWN not in old:
        raise RefusedError(
            f"{show_path(str(listing))} is the list of another marketplace; nothing was written",
            hint="Name a folder of its own for the plugin.",
        )


def _texts(version: str) -> Iterator[tuple[str, str]]:
    for name in _TEXTS:
        yield name, find_template(f"plugin/{name}").replace("{{version}}", version)
    yield f"{_OWN}/hooks/hooks.json", with_hooks("", plugin_place(), plugin_command)


def plugin_place() -> HookPlace:
    """Return the hooks of the plugin: those of Claude Code; Codex passes over what it has not."""
    own = HOSTS["claude-code"].hooks
    return HookPlace(project="hooks/hooks.json", events=own.events if own else ())


class Found(NamedTuple):
    """The plugin as a program has it installed.

    Args:
        name: `mvault@MARKETPLACE`.
        version: of the program that wrote it.
        hooks: its file of hooks; need not exist.
    """

    name: str
    version: str
    hooks: Path


def find_plugin(home: Path, settings: Iterable[str | None]) -> Found | None:
    """Return our plugin where Claude Code has it installed and switched on; never raises.

    Args:
        home: the program's own folder.
        settings: texts of its settings that may switch a plugin on or off, the stronger one last.
    """
    is_on: dict[str, bool] = {}
    for text in settings:
        names = _map(_read(text), "enabledPlugins")
        is_on |= {name: value is True for name, value in names.items() if name.startswith(_PREFIX)}
    known = _map(_read(read_text(home / "plugins" / "installed_plugins.json")), "plugins")
    for name in (name for name, on in is_on.items() if on):
        rows = known.get(name)
        for row in rows if isinstance(rows, list) else []:
            place = row.get("installPath") if isinstance(row, dict) else None
            if isinstance(place, str):
                version = str(row.get("version", ""))
                return Found(name, version, Path(place) / "hooks" / "hooks.json")
    return None


def _read(text: str | None) -> Any:
    try:
        return read_json_text(text or "")
    except JsonTextError:  # said of the settings themselves
        return {}


def _map(data: Any, key: str) -> dict[str, Any]:
    found = data.get(key) if isinstance(data, dict) else None
    return found if isinstance(found, dict) else {}
