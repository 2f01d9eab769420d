"""`install --check` for Codex: our plugin, and whether it starts our hooks at all.

May import everything below `cli`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Final

from vault_cli.cli.installing import Wanted, hook_file, program_home
from vault_cli.cli.project import project_top
from vault_cli.hosts.install import codex_trust as trust
from vault_cli.hosts.install.changes import read_text
from vault_cli.hosts.install.hooks import find_hooks
from vault_cli.hosts.table import Host
from vault_cli.text.json_patch import JsonTextError

if TYPE_CHECKING:
    from vault_cli.cli.invocation import Invocation

_REVIEW: Final = "start `codex` and choose `Trust all and continue`, or review them with /hooks"
_SAID: Final = {
    trust.NEW: "not reviewed yet, so Codex passes over",
    trust.CHANGED: "changed since they were reviewed, so Codex passes over",
    trust.OFF: "switched off in Codex (/hooks):",
}


def find_untrusted(inv: Invocation, host: Host, files: Collection[str]) -> list[str]:
    """Return which of our hooks Codex does not start, and why.

    Args:
        inv: the run.
        host: Codex.
        files: the settings in which hooks of ours were found.
    """
    home = program_home(host, inv.environ)
    settings = _settings(home)
    problems: list[str] = []
    for is_project in (False, True):
        path = hook_file(inv, Wanted(host, is_project))
        if path is not None and str(path) in files:
            problems += _untrusted_in(path, settings)
            if is_project and not settings.trusts_project(project_top(inv.cwd), inv.cwd):
                problems.append(_unknown_project(project_top(inv.cwd)))
    for plugin, events in find_plugins(inv, host).items():
        handlers = trust.plugin_handlers(plugin.partition(" ")[2], events)
        problems += _told(plugin, handlers, settings)
    if files and not settings.has_hooks:
        problems.append(f"{home / trust.SETTINGS}: hooks is off in [features], so none is started")
    return problems


def find_plugins(inv: Invocation, host: Host) -> dict[str, list[str]]:
    """Return the events for which our plugin starts hooks, by what the plugin is called."""
    home = program_home(host, inv.environ)
    known = dict(host.hooks.events) if host.hooks else {}
    found: dict[str, list[str]] = {}
    for plugin in _settings(home).plugins():
        market = plugin.partition("@")[2]
        files = (home / "plugins/cache" / market).glob("mvault/*/hooks/hooks.json")
        newest = max(files, key=_version_of, default=None)
        try:
            named = find_hooks(read_text(newest) or "") if newest else {}
        except JsonTextError:
            continue
        events = [event for event in named if event in known]  # others are for Claude Code alone
        if events:
            found[f"plugin {plugin}"] = events
    return found


def _version_of(hooks: Path) -> tuple[list[int], bool, str]:
    """Return what orders the folders of versions: by numbers, and a release behind its trials."""
    whole, _, trial = hooks.parents[1].name.partition("-")
    numbers = [int(part) if part.isdecimal() else 0 for part in whole.split(".")]
    return numbers, not trial, trial


def _settings(home: Path) -> trust.Settings:
    return trust.Settings(read_text(home / trust.SETTINGS) or "")


def _untrusted_in(path: Path, settings: trust.Settings) -> Iterator[str]:
    try:
        handlers = trust.handlers_in(path, read_text(path) or "")
    except JsonTextError:  # said already
        return
    yield from _told(str(path), handlers, settings)


def _unknown_project(top: Path) -> str:
    return (
        f"{top}: Codex does not trust this project, so it reads no .codex/ of it: start `codex`"
        " in it and say yes, or run `codex exec --trust …` once"
    )


def _told(name: str, handlers: Iterable[trust.Handler], settings: trust.Settings) -> Iterator[str]:
    """Yield which hooks of one place are not started."""
    states = {handler.event: settings.state_of(handler) for handler in handlers}
    for state, words in _SAID.items():
        events = [event for event, own in states.items() if own == state]
        if not events:
            continue
        which = "all hooks of it" if len(events) == len(states) else ", ".join(events)
        yield f"{name}: {words} {which}; {_REVIEW}"
