"""`install --check`: what is set up in each agent program, and whether it arrives.

May import everything below `cli`.
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from shutil import which
from time import time_ns
from typing import TYPE_CHECKING, Any, Final

from vault_cli import __version__
from vault_cli.cli.installing import (
    Wanted,
    command_for,
    hook_file,
    installed_plugin,
    instruction_files,
    known_host,
    plugin_file,
    plugin_text,
    program_home,
    settings_files,
    skill_folder,
    this_program,
)
from vault_cli.cli.output import Line, View, inline
from vault_cli.cli.placing import loose_skills, missing_skills, placing_words
from vault_cli.cli.project import project_top
from vault_cli.cli.reach import why_nothing
from vault_cli.errors import VaultError
from vault_cli.hook import sessions
from vault_cli.hook.events import CHECK, CLAUDE, comes_with_prompt, find_event
from vault_cli.hook.state import read_log
from vault_cli.hosts.install import dsh
from vault_cli.hosts.install.changes import read_text
from vault_cli.hosts.install.commands import named_files, plain_words
from vault_cli.hosts.install.hooks import find_hooks
from vault_cli.hosts.install.instructions import Reading, read_instructions, read_own_file
from vault_cli.hosts.table import HOSTS, Host
from vault_cli.text.json_patch import JsonTextError, read_json_text
from vault_cli.text.late import late

if TYPE_CHECKING:
    from vault_cli.cli.invocation import Invocation

_PATIENCE: Final = 30
_ENTRY: Final = late(r"(?m)^- \[([a-z]-[0-9a-z]{7})\]")
_MOST_IDS: Final = 5
_PROMPT: Final = "is memory there"
"""A first prompt, for a program whose session start is told with it."""


@dataclass(slots=True)
class Report:
    """What was found about one host.

    Args:
        host: the agent program.
        is_there: whether its own folder exists on this machine.
        hooks: events that start our hooks, by settings file.
        starts: the command lines by event, of each such file.
        reading: the instruction files it reads here.
        given: bytes and characters of what a session start is given; None when it was not asked.
        told: ids of the records in it.
        problems: what keeps something from arriving.
        notes: what a person should know.
    """

    host: Host
    is_there: bool
    hooks: dict[str, list[str]] = field(default_factory=dict)
    starts: list[dict[str, list[str]]] = field(default_factory=list)
    reading: Reading | None = None
    given: tuple[int, int] | None = None
    told: frozenset[str] = frozenset()
    problems: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def check_hosts(inv: Invocation, name: str) -> int:
    """Show what is set up; ends with 1 when something does not arrive.

    Args:
        inv: the run.
        name: one host; "" for all whose folder is there or that are set up.
    """
    hosts = [known_host(name)] if name else list(HOSTS.values())
    reports = [_examined(inv, host) for host in hosts]
    shown = [each for each in reports if name or each.is_there or each.hooks or _has_block(each)]
    problems = [problem for each in shown for problem in each.problems]
    view = View(
        {"hosts": [_data(each) for each in shown], "problems": len(problems)},
        lambda: (line for each in shown for line in _lines(each)),
        notes=() if shown else ("no agent program that mvault knows was found here",),
        exit_code=1 if problems else 0,
    )
    return inv.out.show(view)


def _has_block(report: Report) -> bool:
    reading = report.reading
    if reading is None:
        return False
    return any(file.block_end and file.path not in reading.cut for file in reading.files)


def _examined(inv: Invocation, host: Host) -> Report:
    """Examine one host; what cannot be read is its problem, and hides no other host."""
    report = Report(host, program_home(host, inv.environ).is_dir())
    try:
        _examine(inv, host, report)
    except VaultError as error:
        report.problems.append(error.message)
    return report


def _examine(inv: Invocation, host: Host, report: Report) -> None:
    for is_project in (False, True):
        wanted = Wanted(host, is_project)
        _examine_hooks(inv, wanted, report)
        report.problems += loose_skills(inv, skill_folder(inv, wanted), host.name)
        if host.name == "opencode":
            _examine_opencode(inv, wanted, report)
    if host.name == "dsh":
        report.problems += [x for name in report.hooks for x in dsh.find_problems(Path(name))]
    _examine_plugin(inv, report)
    if host.name == "codex":
        from vault_cli.cli.doctor_codex import find_plugins, find_untrusted

        report.hooks |= find_plugins(inv, host)
        report.problems += find_untrusted(inv, host, report.hooks)
    _examine_switch(inv, report)
    report.reading = read_instructions(host, project_top(inv.cwd), inv.cwd)
    _examine_reading(report)
    _add_own_file(inv, report)
    if report.hooks and host.hooks:
        _ask_hook(inv, report)
    if report.hooks:
        _warn_twice(report)
        _look_for_skills(inv, report)


def _examine_hooks(inv: Invocation, wanted: Wanted, report: Report) -> None:
    path, place = hook_file(inv, wanted), wanted.host.hooks
    text = read_text(path) if path else None
    if text is None or place is None:
        return
    try:
        found = find_hooks(text)
        settings = read_json_text(text)
    except JsonTextError as error:
        report.problems.append(f"{path}, {error}: the program itself cannot read its settings")
        return
    if not isinstance(settings, dict):
        report.problems.append(f"{path} is no object: the program cannot read its settings")
    if not found:
        return
    report.hooks[str(path)] = list(found)
    report.starts.append(found)
    command = command_for(wanted)
    for event, lines in found.items():
        gone = [name for line in lines for name in named_files(line) if not Path(name).exists()]
        if gone:
            report.problems.append(f"{event}: {gone[0]} is gone, so the hook says nothing")
        elif event in dict(place.events) and lines != [command(event)]:
            report.notes.append(f"{event}: written by another version; `mvault install` renews it")
    missing = [event for event, _ in place.events if event not in found]
    if missing:
        report.notes.append(f"not asked for: {', '.join(missing)}; `mvault install` adds them")


def _examine_plugin(inv: Invocation, report: Report) -> None:
    """Say what the installed plugin starts, and whether it can."""
    plugin = installed_plugin(inv, report.host)
    if plugin is None:
        return
    try:
        found = find_hooks(read_text(plugin.hooks) or "")
    except JsonTextError as error:
        report.problems.append(f"{plugin.hooks}, {error}: the plugin's hooks cannot be read")
        return
    report.hooks[str(plugin.hooks)] = list(found)
    report.starts.append(found)
    if which("mvault", path=inv.environ.get("PATH")) is None:
        report.problems.append(f"{plugin.name} finds no `mvault` on the PATH, so it says nothing")
    if plugin.version != __version__:
        report.notes.append(
            f"{plugin.name} is of version {plugin.version}, this program of {__version__}:"
            f" `mvault install --plugin DIR`, then `claude plugin update {plugin.name}`"
        )


def _examine_switch(inv: Invocation, report: Report) -> None:
    """Say when settings switch all hooks off; of several files the last that says it counts."""
    off: Path | None = None
    for path in settings_files(inv, report.host) or map(Path, report.hooks):
        try:
            data = read_json_text(read_text(path) or "")
        except JsonTextError:  # said of our hooks in it
            continue
        if isinstance(data, dict) and "disableAllHooks" in data:
            off = path if data["disableAllHooks"] is True else None
    if off and report.hooks:
        report.problems.append(f"{off}: disableAllHooks is set, so no hook is started")


def _examine_opencode(inv: Invocation, wanted: Wanted, report: Report) -> None:
    """Look at what stands for hooks in OpenCode."""
    path, current = plugin_file(inv, wanted), plugin_text()
    text = read_text(path) or ""
    if not text.startswith(current.partition("\n")[0]):
        return
    report.hooks[str(path)] = [
        "tool.execute.before",
        "tool.execute.after",
        "chat.message",
        "experimental.session.compacting",
    ]
    if text != current:
        report.notes.append(f"{path}: written by another version; `mvault install` renews it")


def _examine_reading(report: Report) -> None:
    reading = report.reading
    if reading is None:
        return
    for path in reading.cut:
        report.problems.append(
            f"{path}: the block ends behind byte {reading.limit:,}, where {report.host.title}"
            f" stops reading{' without a word' if report.host.cuts_silently else ''}"
        )
    if reading.limit and reading.total > reading.limit:
        report.notes.append(
            f"instruction files have {reading.total:,} bytes, of which {report.host.title}"
            f" reads {reading.limit:,}"
        )


def _add_own_file(inv: Invocation, report: Report) -> None:
    """Add the person's own instruction file, which counts towards no limit."""
    for path in instruction_files(inv, Wanted(report.host)):
        own = read_own_file(report.host, path)
        if own and report.reading:
            report.reading = report.reading._replace(files=(*own, *report.reading.files))


def _ask_hook(inv: Invocation, report: Report) -> None:
    """Start the hook as the host does in a new session, and measure what it gives."""
    host = report.host
    asked = time_ns()  # no two checks are one event that two command lines are started for
    payload: dict[str, Any] = {
        "session_id": CHECK,
        "cwd": str(inv.cwd),
        "source": "startup",
        "asked": asked,
    }
    event = "SessionStart"
    if comes_with_prompt(payload, host.name):
        payload["prompt"], event = _PROMPT, "UserPromptSubmit"
    program = this_program()
    sessions.drop(program.state, sessions.SESSIONS, CHECK)
    words = plain_words(program, host.name, event)
    environ = dict(inv.environ)
    if inv.options.vault:  # an agent program names no vault; who asks about one means that
        environ["MVAULT"] = inv.options.vault
    try:
        done = subprocess.run(
            words, input=json.dumps(payload).encode(), capture_output=True, timeout=_PATIENCE,
            env=environ, check=False,
        )  # fmt: skip
        answer = json.loads(done.stdout)
    except (OSError, ValueError, subprocess.TimeoutExpired) as error:
        report.problems.append(f"the hook does not answer: {error}")
        return
    text = _context_of(answer)
    report.given = (len(text.encode("utf-8")), len(text))
    report.told = _ids_in(text)
    size = report.given[0] if host.hook_unit == "bytes" else report.given[1]
    if host.hook_limit and size > host.hook_limit:
        report.problems.append(
            f"a session start gives {size:,} {host.hook_unit}, of which {host.title} shows the"
            f" model {host.hook_limit:,}"
        )
    failed = list(_what_failed(f"{host.name} {find_event(event)}", asked // 10**9))
    report.problems += failed
    if host.injects and not text and not failed:
        report.notes.append(f"a session start gives nothing: {why_nothing(inv)}")


def _what_failed(asked: str, since: int) -> Iterator[str]:
    """Yield what the hook's log says of its last run: it says on stderr the same once an hour.

    Args:
        asked: host and event, as the log names them.
        since: Unix time.
    """
    for last, _, text in read_log(this_program().state):
        about, _, words = text.partition(": ")
        if last >= since and about == asked:
            yield f"a session start: {words}"


def _context_of(answer: Any) -> str:
    if not isinstance(answer, dict):
        return ""
    own = answer.get("hookSpecificOutput")
    places: list[Mapping[str, Any]] = [answer, own if isinstance(own, dict) else {}]
    texts = (
        place.get(key) for place in places for key in ("additionalContext", "additional_context")
    )
    return next((text for text in texts if isinstance(text, str)), "")


def _warn_twice(report: Report) -> None:
    """Say when the same reaches the model by two ways."""
    if len(report.hooks) > 1 and _differ(report):
        report.notes.append(
            f"the hooks stand in {len(report.hooks)} places; each event starts them all, and one of"
            " them answers"
        )
    reading = report.reading
    files = [each.path for each in reading.files if each.path not in reading.cut] if reading else []
    read = [read_text(path) or "" for path in files]
    twice = report.told & _ids_in("\n".join(read))
    if twice:
        report.notes.append(
            f"{len(twice)} of the block arrive twice, by a hook and by an instruction file:"
            f" {', '.join(sorted(twice)[:_MOST_IDS])}"
        )


def _differ(report: Report) -> bool:
    """Tell whether an event starts more than one command; Claude Code starts equal lines once."""
    merges = report.host.name == CLAUDE and len(report.starts) == len(report.hooks)
    return not merges or any(other != report.starts[0] for other in report.starts[1:])


def _ids_in(text: str) -> frozenset[str]:
    return frozenset(_ENTRY.findall(text))


def _look_for_skills(inv: Invocation, report: Report) -> None:
    """Name the skills in force that the program does not find: they came after the installation."""
    folders = [skill_folder(inv, Wanted(report.host, where)) for where in (False, True)]
    if missing := missing_skills(inv, folders):
        report.notes.append(
            f"skills in force that {report.host.title} does not find: {', '.join(missing)};"
            f" {placing_words(inv, report.host.name)} places them"
        )


def _data(report: Report) -> dict[str, Any]:
    reading = report.reading
    files = [
        {"path": str(file.path), "bytes": file.size, "block": bool(file.block_end)}
        for file in (reading.files if reading else ())
    ]
    return {
        "host": report.host.name,
        "found": report.is_there,
        "hooks": report.hooks,
        "instructions": {"files": files, "limit": reading.limit if reading else 0},
        "given": dict(zip(("bytes", "characters"), report.given or (), strict=False)),
        "problems": report.problems,
        "notes": report.notes,
    }


def _lines(report: Report) -> Iterator[Line]:
    yield [("bold", report.host.title), "" if report.is_there else "  (not found on this machine)"]
    for path, names in report.hooks.items():
        yield f"  hooks: {inline(path)}: {', '.join(names)}"
    if not report.hooks:
        yield f"  hooks: none; mvault install {report.host.name}"
    if report.given:
        size, limit = report.given, report.host.hook_limit
        most = f", at most {limit:,} {report.host.hook_unit}" if limit else ""
        yield f"  session start: {size[0]:,} bytes, {size[1]:,} characters{most}"
    for file in report.reading.files if report.reading else ():
        mark = " (with the block)" if file.block_end else ""
        yield f"  reads: {inline(str(file.path))}: {file.size:,} bytes{mark}"
    for problem in report.problems:
        yield [("red", "  problem: "), inline(problem)]
    for note in report.notes:
        yield [("yellow", "  note: "), inline(note)]
