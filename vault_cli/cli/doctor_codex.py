"""`install --check` for Codex: our plugin, and whether it starts our hooks at all.

May import everything below `cli`.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Final

from vault_cli.cli.installing import Wanted, hook_file, program_home, project_top
from vault_cli.hosts.install import codex_trust as trust
from vault_cli.hosts.install.changes import read_text
from vault_cli.hosts.install.hooks import find_hooks
from vault_cli.text.json_patch import JsonTextError

if TYPE_CHECKING:
    from vault_cli.cli.host_report import Report
    from vault_cli.cli.invocation import Invocation

_REVIEW: Final = "start `codex` and choose `Trust all and continue`, or review them with /hooks"
_SAID: Final = {
    trust.NEW: "not reviewed yet, so Codex passes over",
    trust.CHANGED: "changed since they were reviewed, so Codex passes over",
    trust.OFF: "switched off in Codex (/hooks):",
}


def examine_trust(inv: Invocation, report: Report) -> None:
    """Add what Codex has of ours as a plugin, and which of our hooks it does not start, and why."""
    home = program_home(report.host, inv.environ)
    settings = trust.Settings(read_text(home / trust.SETTINGS) or "")
    for is_project in (False, True):
        path = hook_file(inv, Wanted(report.host, is_project))
        if path is not None and str(path) in report.hooks:
            _examine_file(path, settings, report)
            if is_project:
                _examine_project(inv, settings, report)
    for plugin in settings.plugins():
        _examine_plugin(plugin, home, settings, report)
    if report.hooks and not settings.has_hooks:
        report.problems.append(
            f"{home / trust.SETTINGS}: hooks is off in [features], so no hook is started"
        )


def _examine_file(path: Path, settings: trust.Settings, report: Report) -> None:
    try:
        handlers = trust.handlers_in(path, read_text(path) or "")
    except JsonTextError:  # said already
        return
    _tell(str(path), handlers, settings, report)


def _examine_project(inv: Invocation, settings: trust.Settings, report: Report) -> None:
    top = project_top(inv)
    if not settings.trusts_project(top, inv.cwd):
        report.problems.append(
            f"{top}: Codex does not trust this project, so it reads no .codex/ of it: start `codex`"
            " in it and say yes, or run `codex exec --trust …` once"
        )


def _examine_plugin(plugin: str, home: Path, settings: trust.Settings, report: Report) -> None:
    market = plugin.partition("@")[2]
    found = sorted((home / "plugins/cache" / market).glob("mvault/*/hooks/hooks.json"))
    known = dict(report.host.hooks.events) if report.host.hooks else {}
    try:
        named = find_hooks(read_text(found[-1]) or "") if found else {}
    except JsonTextError:
        named = {}
    events = [event for event in named if event in known]  # others are for Claude Code alone
    if not events:
        return
    name = f"plugin {plugin}"
    report.hooks[name] = events
    _tell(name, trust.plugin_handlers(plugin, events), settings, report)


def _tell(
    name: str, handlers: Iterable[trust.Handler], settings: trust.Settings, report: Report
) -> None:
    """Say which hooks of one place are not started."""
    states = {handler.event: settings.state_of(handler) for handler in handlers}
    for state, words in _SAID.items():
        events = [event for event, own in states.items() if own == state]
        if not events:
            continue
        which = "all hooks of it" if len(events) == len(states) else ", ".join(events)
        report.problems.append(f"{name}: {words} {which}; {_REVIEW}")
