"""The command line that an agent program runs for an event. Standard library, `hosts.table`.

One constant line for a host and event: Codex trusts a hook by its hash, so nothing of a project,
a day or a vault may stand in it.
"""

from __future__ import annotations

import json
import re
import shlex
from dataclasses import dataclass
from typing import Final

from vault_cli.text.late import late

_NOTHING: Final = "{ echo '{}'; exit 0; }"
_GUARDED: Final = frozenset({"PreToolUse", "BeforeTool", "preToolUse", "beforeShellExecution"})
_OURS: Final = late(r"\bvault_cli[/\\]+hook[/\\]+main\.py\b|\bmvault(?:\.exe)?\"? hook ")


@dataclass(frozen=True, slots=True)
class Program:
    """This program as another one starts it.

    Args:
        python: absolute path of the interpreter.
        main: absolute path of `hook/main.py`.
        state: the machine's state folder.
        is_windows: whether `cmd` reads the line, and not a POSIX shell.
    """

    python: str
    main: str
    state: str
    is_windows: bool = False


def hook_command(program: Program, host: str, event: str) -> str:
    """Return the line for an event on this machine.

    Before a tool runs it asks the shell alone whether there is any guard: starting an interpreter
    costs ten times as much. A program that has been removed says nothing instead of failing.
    """
    words = plain_words(program, host, event)
    if program.is_windows:
        return " ".join(f'"{word}"' if re.search(r"[\s\\&()^]", word) else word for word in words)
    index = shlex.quote(f"{program.state}/hook/guards.bin")
    first = f"[ -s {index} ] && " if event in _GUARDED else ""
    here = f"[ -x {shlex.quote(program.python)} ] && [ -f {shlex.quote(program.main)} ]"
    return f"{first}{here} || {_NOTHING}; exec {shlex.join(words)}"


def portable_command(host: str, event: str) -> str:
    """Return the line for a file that others get too: it finds the program on the PATH."""
    here = "command -v mvault >/dev/null 2>&1"
    return f"{_looked_up(event)}{here} || {_NOTHING}; exec mvault hook {host} {event}"


def plugin_command(event: str) -> str:
    """Return the line of the plugin, which Claude Code and Codex install unchanged.

    Codex sets `PLUGIN_ROOT` for the hooks of a plugin, Claude Code does not (measured).
    """
    host = 'h=claude-code; [ -n "$PLUGIN_ROOT" ] && h=codex;'
    here = "command -v mvault >/dev/null 2>&1"
    return f"{_looked_up(event)}{host} {here} || {_NOTHING}; exec mvault hook $h {event}"


def _looked_up(event: str) -> str:
    """Return what asks the shell alone whether there is any guard, where the person's own state is.

    The same folder as `hook.state.default_state` finds; whoever names another one is not asked.
    """
    if event not in _GUARDED:
        return ""
    index = '"${XDG_STATE_HOME:-$HOME/.local/state}/mvault/hook/guards.bin"'
    return f'[ -n "$MVAULT_STATE_DIR" ] || [ -s {index} ] || {_NOTHING}; '


def is_ours(command: object) -> bool:
    """Tell whether a command line of a host's settings is one of ours, of whatever version."""
    return isinstance(command, str) and bool(_OURS.search(command))


def named_files(command: str) -> list[str]:
    """Return the absolute paths of the interpreter and the program that a line starts."""
    tail = command.rpartition("exec ")[2]
    try:
        words = shlex.split(tail)
    except ValueError:
        return []
    return [word for word in words[:4] if word.startswith("/")]


def plain_words(program: Program, host: str, event: str) -> list[str]:
    """Return the words that start this program for an event, without a shell."""
    return [program.python, "-I", "-S", program.main, host, event, program.state]


def fill_plugin(template: str, program: Program) -> str:
    """Return the plugin of a host that has no hooks, as it starts this program."""
    words = plain_words(program, "opencode", "EVENT")
    return template.replace("{{command}}", json.dumps(words, ensure_ascii=False))
