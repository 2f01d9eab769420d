"""The plugin in its marketplace, one folder for Claude Code and Codex. + `store.files`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from vault_cli.errors import RefusedError
from vault_cli.hosts.install.changes import Installation, read_text
from vault_cli.hosts.install.commands import plugin_command
from vault_cli.hosts.install.hooks import with_hooks
from vault_cli.hosts.table import HOSTS, HookPlace
from vault_cli.store.files import find_template
from vault_cli.text.names import show_path

_OWN: Final = "plugins/mvault"
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
