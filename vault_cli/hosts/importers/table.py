"""The formats that can be read, by name; `auto` finds the one that fits. Imports only `port`."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import Any, Final

from vault_cli.errors import NotFoundError, UsageError
from vault_cli.hosts.importers.port import open_basket
from vault_cli.model.foreign import Store
from vault_cli.store.places import expand_home
from vault_cli.text.codes import show

FORMATS: Final[dict[str, tuple[str, str]]] = {
    "expmem": ("expmem", "DSH ExpMem, v1 and 0.2.x"),
    "error-improvement": ("error_improvement", "dsh-error-improvement, 0.1 to 0.3"),
    "self-improvement": ("self_improvement", "dsh-self-improvement"),
    "dsh-lessons": ("dsh_lessons", "dsh-lessons"),
    "cognition-engine": ("cognition", "dsh-cognition-engine, its JSON export"),
    "mvault": ("own", "our own JSON export"),
    "mem0": ("mem0", "mem0 JSON export"),
    "memory-server": ("memory_server", "MCP memory server, JSON lines"),
    "codex": ("codex", "Codex memories"),
    "claude-code": ("claude_code", "Claude Code memory and agent memory"),
    "basic-memory": ("basic_memory", "basic-memory notes"),
    "notebook": ("notebook", "mistake notebook (LESSONS.md)"),
    "instructions": ("instructions", "CLAUDE.md, AGENTS.md, .claude/rules, Cursor rules"),
    "markdown": ("markdown", "a folder of Markdown notes, or Obsidian"),
}
"""Module and description by format, in the order in which `auto` asks them."""


def read_store(name: str, root: Path, home: Path) -> Store:
    """Read a foreign store.

    Args:
        name: a key of `FORMATS`, or `auto`.
        root: the folder or file to read.
        home: the home folder, which is left out of every name.

    Raises:
        UsageError: there is no such format, or none fits.
        NotFoundError: nothing is there.
    """
    if name != "auto" and name not in FORMATS:
        raise UsageError(f"unknown format {show(name)}", hint=f"Known: {', '.join(FORMATS)}, auto.")
    basket = open_basket(root, home)
    chosen = name if name != "auto" else find_format(basket.root)
    _module(chosen).read(basket)
    return basket.close(chosen)


def read_all(home: Path, environ: Mapping[str, str]) -> Store:
    """Read the memories of Claude Code and Codex, each in its usual place, as one store.

    Raises:
        NotFoundError: neither is there.
    """
    places = {name: default_place(name, home, environ) for name in ("claude-code", "codex")}
    stores = [read_store(name, place, home) for name, place in places.items() if place.is_dir()]
    if not stores:
        named = " nor ".join(str(place) for place in places.values())
        raise NotFoundError(f"there is neither {named}", hint="Name a format and a path.")
    return Store(
        " and ".join(store.format for store in stores),
        tuple(item for store in stores for item in store.items),
        tuple(source for store in stores for source in store.sources),
        tuple(note for store in stores for note in store.notes),
        {key: value for store in stores for key, value in store.places.items()},
    )


def default_place(name: str, home: Path, environ: Mapping[str, str]) -> Path:
    """Return where a program keeps its memories when nobody says where.

    Raises:
        UsageError: the format has no usual place.
    """
    if name not in _PLACES:
        raise UsageError(
            f"import {show(name)} needs a path", hint=f"mvault import {show(name)} PATH"
        )
    variable, folder, below = _PLACES[name]
    named = environ.get(variable, "")
    top = expand_home(named) if named else home / folder
    return top / below if below else top


_PLACES: Final = {
    "claude-code": ("CLAUDE_CONFIG_DIR", ".claude", ""),
    "codex": ("CODEX_HOME", ".codex", ""),
    "expmem": ("DSH_HOME", ".dsh", "expmem"),
    "error-improvement": ("DSH_HOME", ".dsh", "error-improvement"),
    "self-improvement": ("DSH_HOME", ".dsh", "self-improvement"),
    "cognition-engine": ("DSH_COGNITION_DATA_DIR", ".dsh/cognition-engine", ""),
}


def find_format(root: Path) -> str:
    """Return the first format that a folder or file looks like.

    Raises:
        UsageError: none does.
    """
    for name in FORMATS:
        if _module(name).fits(root):
            return name
    raise UsageError(
        f"{show(str(root))} looks like no format known here",
        hint=f"Name one: {', '.join(FORMATS)}.",
    )


def _module(name: str) -> Any:
    return import_module(f"vault_cli.hosts.importers.{FORMATS[name][0]}")
