"""What is put into the files of an agent program. May import everything below `cli`."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from vault_cli.cli.project import project_top
from vault_cli.cli.reach import reach_notes
from vault_cli.errors import RefusedError, UsageError
from vault_cli.hook.events import CLAUDE
from vault_cli.hosts.install import dsh, hooks, servers
from vault_cli.hosts.install.changes import Installation, read_text
from vault_cli.hosts.install.commands import Program, hook_command, portable_command
from vault_cli.hosts.table import HOSTS, HookPlace, Host, find_host
from vault_cli.store.places import expand_home
from vault_cli.text.json_patch import JsonTextError
from vault_cli.text.names import show_path

if TYPE_CHECKING:
    from collections.abc import Callable

    from vault_cli.cli.invocation import Invocation
    from vault_cli.hosts.install.plugin import Found

IMPORT_LINE: Final = "@AGENTS.md\n"
_SHARED: Final = "AGENTS.md"


@dataclass(frozen=True, slots=True)
class Wanted:
    """What was asked for.

    Args:
        host: the agent program.
        is_project: for the project of the working directory, and not for all of the person's.
        block: whether the block goes into an instruction file; None: where no hook can give it.
        server: whether the MCP server is set up.
        skills: `link`, `copy` or `none`.
    """

    host: Host
    is_project: bool = False
    block: bool | None = None
    server: bool = False
    skills: str = "link"


def known_host(name: str) -> Host:
    """Return the host of a name.

    Raises:
        UsageError: there is none.
    """
    found = find_host(name)
    if found is None:
        raise UsageError(f"unknown agent program {name}", hint=f"Known: {', '.join(HOSTS)}.")
    return found


def this_program() -> Program:
    """Return how another program starts the hooks of this installation.

    Raises:
        RefusedError: this Python does not know where it is.
    """
    import vault_cli
    from vault_cli.store.places import state_folder

    if not sys.executable:
        raise RefusedError(
            "this Python does not know where it is, so no hook can start it",
            hint="Install mvault into an environment of its own: pipx install mvault",
        )
    main = Path(vault_cli.__file__).resolve().parent / "hook" / "main.py"
    return Program(sys.executable, str(main), str(state_folder()), sys.platform == "win32")


def program_home(host: Host, environ: Mapping[str, str]) -> Path:
    """Return the agent program's own folder."""
    given = environ.get(host.home_variable, "").strip() if host.home_variable else ""
    return expand_home(given) if given else Path.home() / host.home


def _below_home(host: Host, name: str, environ: Mapping[str, str]) -> Path:
    """Return a place in a person's home; one in the program's own folder moves with that."""
    own, _, rest = name.partition(f"{host.home}/") if host.home else (name, "", "")
    return program_home(host, environ) / rest if rest and not own else Path.home() / name


def plan_install(inv: Invocation, wanted: Wanted) -> Installation:
    """Return what sets a host up.

    Raises:
        UsageError: nothing of this host can be set up that way.
        RefusedError: one of its files cannot be read or changed.
    """
    found = Installation()
    host = wanted.host
    found.notes += reach_notes(inv)
    _plan_hooks(inv, wanted, found, remove=False)
    if wanted.server:
        _plan_server(inv, wanted, found, remove=False)
    if wanted.block or (wanted.block is None and not host.injects):
        _plan_block(inv, wanted, found)
    if wanted.skills != "none":
        _plan_skills(inv, wanted, found)
    return found


def plan_uninstall(inv: Invocation, wanted: Wanted) -> Installation:
    """Return what takes out everything of ours again, and nothing else; as `plan_install`."""
    from vault_cli.hosts.install.instructions import without_block
    from vault_cli.hosts.install.skills import plan_removal

    found = Installation()
    if plugin := installed_plugin(inv, wanted.host):
        found.notes.append(f"the plugin stays: `claude plugin uninstall {plugin.name}`")
    _plan_hooks(inv, wanted, found, remove=True)
    _plan_server(inv, wanted, found, remove=True)
    for path in instruction_files(inv, wanted):
        if not path.is_file():
            continue
        if path.name == _SHARED and wanted.is_project and wanted.host.injects:
            if without_block(read_text(path) or "") != read_text(path):
                found.notes.append(f"{path} keeps its block, which other programs read too")
            continue
        found.edit(path, without_block, "the block")
    folder = skill_folder(inv, wanted)
    for root in _roots(inv, wanted):
        changes, notes = plan_removal(folder, root / "skills")
        found.changes += changes
        found.notes += notes
    return found


def _roots(inv: Invocation, wanted: Wanted) -> list[Path]:
    """Return the vaults whose skills may have been placed here."""
    roots = []
    with suppress(UsageError):  # there is none, or none of the person's own
        roots.append(inv.root)
        if not wanted.is_project:
            roots.append(_for_every_project(inv).root)
    return list(dict.fromkeys(roots))


def settings_files(inv: Invocation, host: Host) -> list[Path]:
    """Return the settings that tell Claude Code of plugins and switches, the stronger last."""
    if host.name != CLAUDE:
        return []
    home, folder = program_home(host, inv.environ), project_top(inv.cwd) / ".claude"
    return [home / "settings.json", folder / "settings.json", folder / "settings.local.json"]


def installed_plugin(inv: Invocation, host: Host) -> Found | None:
    """Return our plugin as Claude Code has it installed and switched on."""
    from vault_cli.hosts.install.plugin import find_plugin

    files = settings_files(inv, host)
    return find_plugin(program_home(host, inv.environ), map(read_text, files)) if files else None


def hook_file(inv: Invocation, wanted: Wanted) -> Path | None:
    """Return the file that tells the host to start our hooks, None when there is none to edit."""
    place = wanted.host.hooks
    name = place and (place.project if wanted.is_project else place.user)
    if not name:
        return None
    return base_folder(inv, wanted) / name


def base_folder(inv: Invocation, wanted: Wanted) -> Path:
    """Return what the names of a host's files start from."""
    return project_top(inv.cwd) if wanted.is_project else program_home(wanted.host, inv.environ)


def command_for(wanted: Wanted) -> Callable[[str], str]:
    """Return what gives the command line of an event."""
    host, place = wanted.host, wanted.host.hooks
    if wanted.is_project and place and place.is_shared:
        return lambda event: portable_command(host.name, event)
    program = this_program()
    return lambda event: hook_command(program, host.name, event)


def instruction_files(inv: Invocation, wanted: Wanted) -> list[Path]:
    """Return the instruction files that may hold a block of ours, the one for it first."""
    host = wanted.host
    if not wanted.is_project:
        return [_below_home(host, host.user_file, inv.environ)] if host.user_file else []
    top = project_top(inv.cwd)
    if host.expands_imports:  # one block for all programs, imported by those that read their own
        return [top / _SHARED, top / host.instruction_files[0]]
    return [top / (_SHARED if _SHARED in host.instruction_files else host.instruction_files[0])]


def skill_folder(inv: Invocation, wanted: Wanted) -> Path:
    """Return where the host looks for skills."""
    if wanted.is_project:
        return project_top(inv.cwd) / wanted.host.skill_folders[0]
    return _below_home(wanted.host, wanted.host.user_skills, inv.environ)


def _plan_hooks(inv: Invocation, wanted: Wanted, found: Installation, *, remove: bool) -> None:
    host, path = wanted.host, hook_file(inv, wanted)
    if host.name == "opencode":
        _plan_plugin(inv, wanted, found, remove=remove)
        return
    if path is None or host.hooks is None:
        if not remove:
            found.notes.append(_no_hooks(wanted))
        return
    place: HookPlace = host.hooks
    if remove and not path.is_file():
        return
    command = command_for(wanted)

    def change(text: str) -> str:
        try:
            if remove:
                return hooks.without_hooks(text, place)
            return hooks.with_hooks(text, place, command)
        except JsonTextError as error:
            raise hooks.refuse(path, error) from error

    found.edit(path, change, "hooks")
    if host.name == "dsh" and not remove:
        found.notes += dsh.hook_steps(path)


def _no_hooks(wanted: Wanted) -> str:
    other = "--project" if not wanted.is_project else "no --project"
    return f"{wanted.host.title} has no hooks for this place; with {other} it may have."


def plugin_file(inv: Invocation, wanted: Wanted) -> Path:
    """Return where OpenCode finds our plugin."""
    base = base_folder(inv, wanted)
    return (base / ".opencode" if wanted.is_project else base) / "plugins" / "mvault.js"


def plugin_text() -> str:
    """Return the plugin of OpenCode; its first line tells that it is ours."""
    from vault_cli.hosts.install.commands import fill_plugin
    from vault_cli.store.files import find_template

    return fill_plugin(find_template("opencode/mvault.js"), this_program())


def _plan_plugin(inv: Invocation, wanted: Wanted, found: Installation, *, remove: bool) -> None:
    """Plan the plugin of OpenCode, which has no hooks that start a program."""
    path = plugin_file(inv, wanted)
    if remove and not path.is_file():
        return
    full = plugin_text()
    mark, text = full.partition("\n")[0], "" if remove else full

    def change(old: str) -> str:
        if old and not old.startswith(mark):
            raise RefusedError(
                f"{show_path(str(path))} is not the file that mvault writes; it is left as it is",
                hint="Give that file another name, then run the command again.",
            )
        return text

    found.edit(path, change, "the plugin")


def _plan_server(inv: Invocation, wanted: Wanted, found: Installation, *, remove: bool) -> None:
    place = wanted.host.servers
    name = place and (place.project if wanted.is_project else place.user)
    if not name or place is None:
        if not remove:
            found.notes.append(_server_by_hand(wanted))
        return
    path = base_folder(inv, wanted) / name
    if remove and not path.is_file():
        return

    def change(text: str) -> str:
        try:
            work = servers.without_server if remove else servers.with_server
            return work(text, place)
        except JsonTextError as error:
            raise hooks.refuse(path, error) from error

    found.edit(path, change, "the MCP server")


def _server_by_hand(wanted: Wanted) -> str:
    if wanted.host.name == "claude-code":
        return "the MCP server for all projects: claude mcp add --scope user mvault -- mvault mcp"
    if wanted.host.name == "dsh":
        return dsh.server_step()
    return f"{wanted.host.title} keeps no MCP servers for this place"


def _plan_block(inv: Invocation, wanted: Wanted, found: Installation) -> None:
    from vault_cli.cli.own_places import require_no_own_place
    from vault_cli.hosts.sinks import plan_managed_block

    files = instruction_files(inv, wanted)
    if not files:
        found.notes.append(
            f"{wanted.host.title} reads no instruction file of yours: --project, in a repository,"
            " puts the block into its AGENTS.md"
        )
        return
    if wanted.is_project and not wanted.block and inv.layers.beside is None:
        found.notes.append(
            f"{files[0].name} is left as it is: others get this file, and this project has no vault"
            " of its own. `mvault init .mvault` makes one; --block puts your own memory in."
        )
        return
    try:
        block = standing_block(inv, for_project=wanted.is_project)
    except UsageError:  # a project's vault is here, and none of the person's own
        found.notes.append(f"{files[0]} gets no block: `mvault init --user` makes a vault for it")
        return
    texts = [block, *[IMPORT_LINE] * (len(files) - 1)]
    for path, text in zip(files, texts, strict=True):
        require_no_own_place(path, inv.environ)
        if text == IMPORT_LINE and _is_same_file(path, files[0]):
            continue  # one is a link to the other
        plan = plan_managed_block(path, text)
        if len(files) > 1 and text == IMPORT_LINE and IMPORT_LINE.strip() in plan.old:
            continue
        found.edit(path, lambda _old, new=plan.new: new, "the block")  # type: ignore[misc]


def _is_same_file(one: Path, other: Path) -> bool:
    return os.path.realpath(one) == os.path.realpath(other)


def _for_every_project(inv: Invocation) -> Invocation:
    """Return a run that reads the person's own vault alone, unless another one was named."""
    if inv.options.vault or not inv.layers.is_project:
        return inv
    from vault_cli.cli.invocation import Invocation as Run

    return Run(inv.options, {**inv.environ, "MVAULT_READ_SCOPES": "global"}, inv.origin)


def standing_block(inv: Invocation, *, for_project: bool) -> str:
    """Return the block that `render --to` would put into a file.

    Args:
        inv: the run.
        for_project: of the project's vault only, when there is one: others get the file too. Else
            every project reads the file: nothing of a single one goes in.

    Raises:
        UsageError: the file is for every project, and the person has no vault of their own.
    """
    from vault_cli.cli.clocks import set_clocks
    from vault_cli.cli.rendering import Wanted as Asked
    from vault_cli.cli.rendering import make_options, make_query, render_query

    inv = inv if for_project else _for_every_project(inv)
    only = for_project and inv.layers.beside is not None
    clocks = set_clocks(inv, "", "", "", whole=True, alone=only, guarded=True)
    asked = Asked() if for_project else Asked(scopes=("global",))
    return render_query(clocks.snapshot, make_query(inv, asked), make_options(inv, asked)).text


def _plan_skills(inv: Invocation, wanted: Wanted, found: Installation) -> None:
    from vault_cli.cli.placing import skills_in_force
    from vault_cli.hosts.install.skills import plan_skills, plan_withdrawal

    if wanted.skills not in {"link", "copy"}:
        raise UsageError(f"--skills {wanted.skills}: unknown", hint="Use link, copy or none.")
    try:
        inv = inv if wanted.is_project else _for_every_project(inv)
        skills = skills_in_force(inv)
    except UsageError:  # hooks may be there before any vault is
        found.notes.append("there is no vault here yet, so there are no skills to place")
        return
    copies = wanted.skills == "copy"
    folder = skill_folder(inv, wanted)
    for changes, notes in (
        plan_skills(skills, folder, copies=copies),
        plan_withdrawal(skills, folder, inv.root / "skills"),
    ):
        found.changes += changes
        found.notes += notes
