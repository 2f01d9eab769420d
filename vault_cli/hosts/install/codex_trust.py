"""Whether Codex starts our hooks: it runs only those a person reviewed. + `hosts.install`.

What was reviewed stands in `$CODEX_HOME/config.toml`, a digest for each handler, or for all files
of a plugin; `codex exec` passes over the others without a word. As measured with 0.171.0.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from vault_cli.hosts.install.commands import is_ours
from vault_cli.text.json_patch import read_json_text

SETTINGS: Final = "config.toml"
_PLUGIN: Final = re.compile(r"mvault@[\w.-]+")
_PLUGIN_HOOKS: Final = "hooks/hooks.json"
_NO_MATCHER: Final = frozenset({"UserPromptSubmit", "Stop", "Interrupt"})
_OPTIONAL: Final = ("statusMessage", "additionalContextLimit")
_DEFAULT_SECONDS: Final = 600
_LAST_SECONDS: Final = {"SessionEnd": 3, "Interrupt": 3}
"""Events for which no more is given, whatever is asked."""

TRUSTED: Final = "trusted"
NEW: Final = "new"
CHANGED: Final = "changed"
OFF: Final = "off"


@dataclass(frozen=True, slots=True)
class Handler:
    """One handler of ours, as Codex knows it.

    Args:
        event: in Codex's words.
        key: what names it in the settings.
        digest: of what a person reviews.
    """

    event: str
    key: str
    digest: str


class Settings:
    """What `config.toml` says of trust; an unreadable one says nothing.

    Args:
        text: of the file.
    """

    def __init__(self, text: str) -> None:
        try:
            self._data: dict[str, Any] = tomllib.loads(text)
        except tomllib.TOMLDecodeError:
            self._data = {}

    @property
    def has_hooks(self) -> bool:
        """Whether hooks are not switched off as a whole."""
        return self._table("features").get("hooks") is not False

    def trusts_project(self, *folders: Path) -> bool:
        """Tell whether a person trusts a project, by any of the folders that may stand for it."""
        projects = self._table("projects")
        names = {name for each in folders for name in (str(each), os.path.realpath(each))}
        found = [projects[name] for name in sorted(names) if name in projects]
        return any(isinstance(one, dict) and one.get("trust_level") == "trusted" for one in found)

    def plugins(self) -> list[str]:
        """Return our plugin as it is installed: `mvault@MARKETPLACE`, once for each marketplace."""
        found = self._table("plugins").items()
        return [
            name
            for name, own in found
            if _PLUGIN.fullmatch(name) and isinstance(own, dict) and own.get("enabled") is not False
        ]

    def state_of(self, handler: Handler) -> str:
        """Return `trusted`, `new` (nobody reviewed it), `changed` (since then) or `off`."""
        own = self._state().get(handler.key)
        if not isinstance(own, dict) or not (own.keys() & {"trusted_hash", "trusted_content_hash"}):
            return OFF if isinstance(own, dict) and own.get("enabled") is False else NEW
        if own.get("enabled") is False:
            return OFF
        known = own.get("trusted_hash", handler.digest)
        return TRUSTED if not handler.digest or known == handler.digest else CHANGED

    def _state(self) -> Mapping[str, Any]:
        state = self._table("hooks").get("state")
        return state if isinstance(state, dict) else {}

    def _table(self, name: str) -> Mapping[str, Any]:
        table = self._data.get(name)
        return table if isinstance(table, dict) else {}


def handlers_in(path: Path, text: str) -> list[Handler]:
    """Return our handlers in a `hooks.json`.

    Raises:
        JsonTextError: it cannot be read.
    """
    return [
        Handler(event, f"{path}:{_snake(event)}:{group}:{place}", _digest(event, own, handler))
        for event, group, place, own, handler in _ours(read_json_text(text))
    ]


def plugin_handlers(plugin: str, events: Iterable[str]) -> list[Handler]:
    """Return the handlers of our plugin; their digest is of all its files, and not made here."""
    return [Handler(event, f"{plugin}:{_PLUGIN_HOOKS}:{_snake(event)}:0:0", "") for event in events]


def _ours(data: Any) -> Iterator[tuple[str, int, int, Mapping[str, Any], Mapping[str, Any]]]:
    hooks = data.get("hooks") if isinstance(data, dict) else None
    for event, groups in hooks.items() if isinstance(hooks, dict) else ():
        for number, group in enumerate(groups if isinstance(groups, list) else ()):
            found = group.get("hooks") if isinstance(group, dict) else None
            for place, handler in enumerate(found if isinstance(found, list) else ()):
                if isinstance(handler, dict) and is_ours(handler.get("command")):
                    yield event, number, place, group, handler


def _digest(event: str, group: Mapping[str, Any], handler: Mapping[str, Any]) -> str:
    seconds = handler.get("timeout")
    seconds = seconds if type(seconds) is int else _DEFAULT_SECONDS
    own: dict[str, Any] = {
        "type": "command",
        "command": handler["command"],
        "timeout": min(seconds, _LAST_SECONDS.get(event, seconds)),
        "async": handler.get("async", False),
        **{key: handler[key] for key in _OPTIONAL if handler.get(key) is not None},
    }
    reviewed: dict[str, Any] = {"event_name": _snake(event), "hooks": [own]}
    if group.get("matcher") is not None and event not in _NO_MATCHER:
        reviewed["matcher"] = group["matcher"]
    text = json.dumps(reviewed, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return "sha256:" + hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _snake(event: str) -> str:
    return re.sub(r"(?<!^)(?=[A-Z])", "_", event).lower()
