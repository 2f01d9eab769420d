"""`install`, `uninstall`: mvault in an agent program. May import everything below `cli`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from vault_cli.cli.invocation import LEFT, Invocation
from vault_cli.cli.output import Line, View
from vault_cli.errors import NeedsPersonError, UsageError
from vault_cli.store.places import expand_home

if TYPE_CHECKING:
    from vault_cli.hosts.install.changes import FileChange, Installation

_HostName = Annotated[str, typer.Argument(metavar="HOST", help="claude-code, codex, dsh, …")]
_Yes = Annotated[bool, typer.Option("--yes", "-y", help="Do not ask; enough without a terminal.")]
_Project = Annotated[
    bool, typer.Option("--project", help="For this project only, not for all of yours.")
]


def install(
    ctx: typer.Context,
    host: Annotated[
        str, typer.Argument(metavar="[HOST]", help="claude-code, codex, dsh, …; --check: all.")
    ] = "",
    project: _Project = False,
    block: Annotated[
        bool | None,
        typer.Option("--block/--no-block", help="The block in an instruction file (AGENTS.md)."),
    ] = None,
    server: Annotated[bool, typer.Option("--mcp", help="The MCP server too.")] = False,
    skills: Annotated[
        str, typer.Option("--skills", metavar="HOW", help="link, copy or none.")
    ] = "link",
    plugin: Annotated[
        str, typer.Option("--plugin", metavar="DIR", help="Write the plugin folder instead.")
    ] = "",
    check: Annotated[
        bool, typer.Option("--check", help="Say what is set up and whether it arrives.")
    ] = False,
    yes: _Yes = False,
) -> int:
    """Set mvault up in an agent program: hooks, skills; a block where hooks cannot give one.

    The exact changes are shown first. Other hooks, comments and the layout of the file stay; run
    again it changes nothing. Hosts: claude-code, codex, dsh, gemini-cli, opencode, cursor, copilot.

    Examples:
      mvault install claude-code
      mvault install codex --mcp
      mvault install cursor --project
      mvault install --plugin ~/mvault-plugin
      mvault install --check
    """
    from vault_cli.cli.installing import Wanted, known_host, plan_install

    inv: Invocation = ctx.obj
    if check:
        from vault_cli.cli.doctor import check_hosts

        return check_hosts(inv, host)
    if plugin:
        return _write_plugin(inv, plugin, yes=yes)
    if not host:
        raise UsageError("which agent program?", hint="For example: mvault install claude-code")
    wanted = Wanted(known_host(host), project, block, server, skills)
    hints = _hints(wanted.host.name)
    return _settle(inv, plan_install(inv, wanted), f"install {wanted.host.name}", hints, yes=yes)


def uninstall(
    ctx: typer.Context, host: _HostName, project: _Project = False, yes: _Yes = False
) -> int:
    """Take out of an agent program what `install` put there, and nothing else.

    It takes every rule and guard out of the program's sight: without a terminal, --yes is for
    those whom your own configuration names (trust.approve_without_terminal).

    Examples:
      mvault uninstall claude-code
      mvault uninstall cursor --project
    """
    from vault_cli.cli.consent import consent_hint
    from vault_cli.cli.installing import Wanted, known_host, plan_uninstall

    inv: Invocation = ctx.obj
    wanted = Wanted(known_host(host), project)
    plan = plan_uninstall(inv, wanted)
    agreed = yes and bool(inv.consent(yes=True).how)
    told = consent_hint(inv.environ, yes=yes)
    return _settle(inv, plan, f"uninstall {wanted.host.name}", yes=agreed, hint=told)


def _write_plugin(inv: Invocation, name: str, *, yes: bool) -> int:
    from vault_cli import __version__
    from vault_cli.hosts.install.plugin import plan_plugin

    folder = inv.cwd / expand_home(name)
    plan = plan_plugin(folder, __version__)
    hints = (
        f"Claude Code: claude plugin marketplace add {folder}; claude plugin install mvault@mvault",
        f"Codex: codex plugin marketplace add {folder}; codex plugin add mvault@mvault",
    )
    return _settle(inv, plan, f"install the plugin into {folder}", hints, yes=yes)


def _settle(
    inv: Invocation,
    plan: Installation,
    what: str,
    hints: tuple[str, ...] = (),
    *,
    yes: bool,
    hint: str = "Run it in a terminal, or with --yes.",
) -> int:
    """Show what a plan does, have it agreed to, carry it out; `hint` says who can agree.

    Raises:
        NeedsPersonError: nobody is there to agree, and `--yes` was not given.
    """
    from vault_cli.hosts.install.changes import carry_out, only_changes

    changes = only_changes(plan.changes)
    lines = list(_diff(changes))
    data = _data(what, changes, plan.notes, lines)
    if not changes:
        return inv.out.show(View(data, notes=("nothing to do: it is so already", *plan.notes)))
    if inv.options.dry_run:
        notes = (f"dry run, nothing written: {what}", *plan.notes)
        return inv.out.show(View({**data, "dry_run": True}, lambda: lines, notes=notes))
    if not yes and not _is_agreed(inv, lines, data, hint):
        return inv.out.left(data, NeedsPersonError(LEFT))
    carry_out(changes)
    done = [f"{change.path}: {change.what}" for change in changes]
    data["applied"] = True
    view = View(data, lambda: done, notes=plan.notes, hints=hints)
    return inv.out.show(view)


def _is_agreed(inv: Invocation, lines: Sequence[Line], data: dict[str, Any], hint: str) -> bool:
    inv.out.preview(lines)
    if not inv.is_person:
        inv.out.partial = data
        raise NeedsPersonError(
            "this changes the settings of another program; only shown",
            hint=hint,
        )
    return inv.confirm("Write this?")


def _hints(host: str) -> tuple[str, ...]:
    told = [f"`mvault install --check {host}` says whether it arrives."]
    if host == "codex":
        told.append(
            "Codex starts no hook that you have not reviewed: start `codex` once and choose"
            " `Trust all and continue` (`codex exec` does not ask)."
        )
    return tuple(told)


def _data(
    what: str, changes: Sequence[FileChange], notes: Sequence[str], lines: Sequence[Line]
) -> dict[str, Any]:
    from vault_cli.cli.preview import plain

    files = [
        {"path": str(change.path), "what": change.what, "is_new": change.old is None}
        for change in changes
    ]
    return {
        "subject": what,
        "applied": False,
        "records": [],
        "files": files,
        "notes": list(notes),
        "diff": plain(list(lines)),
    }


def _diff(changes: Sequence[FileChange]) -> Iterator[Line]:
    from vault_cli.cli.preview import diff_lines

    for change in changes:
        name = _home(change.path)
        if change.link is not None:
            sign, style = ("-", "red") if change.new is None else ("+", "green")
            yield [(style, f"{sign} {name} -> {change.link}")]
            continue
        texts = (change.old, change.new)
        old, new = ((text or "").encode("utf-8") for text in texts)
        yield from diff_lines(old, new, *(name if text is not None else "" for text in texts))


def _home(path: Path) -> str:
    """Return a path for a person: below the home folder it starts with `~`."""
    home = Path.home()
    return f"~/{path.relative_to(home).as_posix()}" if home in path.parents else str(path)
