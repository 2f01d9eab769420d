"""What we know of each agent program: data only, no code that acts. + `hook.events`.

Names and limits change between releases of these programs; they stand here and nowhere else.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from vault_cli.hook import events


@dataclass(frozen=True, slots=True)
class HookPlace:
    """How an agent program is told to start our hooks.

    Args:
        user: file for all projects, below the program's own folder; "" when there is none.
        project: file of one project; "" when there is none.
        shape: how an entry is written: `claude` (Claude Code, and who copied it), `gemini` (the
            same, in milliseconds and with a name), `cursor` or `copilot`.
        events: each event in the program's own words, with what it may take in seconds.
        is_own: the file is ours alone.
        is_bare: the file holds hooks and nothing else, so that an empty one is none.
        is_shared: the project's file goes into its repository, so no path of this machine
            stands in it.
    """

    user: str = ""
    project: str = ""
    shape: str = "claude"
    events: tuple[tuple[str, int], ...] = ()
    is_own: bool = False
    is_bare: bool = False
    is_shared: bool = False


@dataclass(frozen=True, slots=True)
class ServerPlace:
    """Where an agent program keeps its MCP servers.

    Args:
        user: file for all projects, below the program's own folder; "" when it is not ours to edit.
        project: file of one project; "" when there is none.
        key: the table of servers in it.
        shape: how a server is written: `plain`, `opencode` or `toml`.
    """

    user: str = ""
    project: str = ""
    key: str = "mcpServers"
    shape: str = "plain"


@dataclass(frozen=True, slots=True)
class Host:
    """One agent program.

    Args:
        name: as in `--host`.
        title: its name for people.
        instruction_files: project files it reads at start, the preferred one first.
        stand_in: file it reads where a project has none of those, in any folder it looks at.
        user_file: its file for all projects, below the home folder; "" when it has none.
        file_limit: bytes of project instructions it reads in all; 0 = no known limit.
        cuts_silently: whether it drops what is over `file_limit` without a word to the person.
        hook_limit: how much text a hook may inject before the model sees only a preview.
        hook_unit: what `hook_limit` counts: `characters` or `bytes` (UTF-8).
        skill_folders: project folders with skills, the preferred one first.
        user_skills: its folder of skills for all projects, below the home folder.
        expands_imports: whether `@path` in an instruction file pulls that file in.
        home: the program's own folder, below the home folder.
        home_variable: environment variable that names another one.
        hooks: how it is told to start our hooks; None when it has no such channel.
        servers: where it keeps its MCP servers.
        injects: whether a hook can give it the block when a session starts.
    """

    name: str
    title: str
    instruction_files: tuple[str, ...]
    stand_in: str = ""
    user_file: str = ""
    file_limit: int = 0
    cuts_silently: bool = False
    hook_limit: int = 0
    hook_unit: str = "characters"
    skill_folders: tuple[str, ...] = ()
    user_skills: str = ""
    expands_imports: bool = False
    home: str = ""
    home_variable: str = ""
    hooks: HookPlace | None = None
    servers: ServerPlace | None = None
    injects: bool = True


_FAST, _SLOW, _LAST = 5, 20, 3
"""Seconds for an event that is only taken down or guarded, for one that may search, and for the end
of a session, where Codex waits no longer and says so at every start when more is asked for."""

_CLAUDE_EVENTS: Final[tuple[tuple[str, int], ...]] = (
    ("SessionStart", _SLOW),
    ("UserPromptSubmit", _SLOW),
    ("PreToolUse", _FAST),
    ("PostToolUse", _FAST),
    ("PostToolUseFailure", _FAST),
    ("PreCompact", _FAST),
    ("PostCompact", _FAST),
    ("Stop", _FAST),
    ("SubagentStart", _FAST),
    ("SessionEnd", _LAST),
)
_CODEX_EVENTS: Final = tuple(event for event in _CLAUDE_EVENTS if event[0] != "PostToolUseFailure")
_DSH_EVENTS: Final = tuple(
    event
    for event in _CLAUDE_EVENTS
    if event[0] not in {"PostToolUseFailure", "PreCompact", "PostCompact", "SessionEnd"}
)

_HOSTS: Final = (
    Host(
        name="claude-code",
        title="Claude Code",
        instruction_files=("CLAUDE.md", ".claude/CLAUDE.md", "CLAUDE.local.md"),
        stand_in="AGENTS.md",  # measured with 2.1.332
        user_file=".claude/CLAUDE.md",
        file_limit=4 << 20,
        cuts_silently=True,
        hook_limit=10_000,
        skill_folders=(".claude/skills",),
        expands_imports=True,
        user_skills=".claude/skills",
        home=".claude",
        home_variable="CLAUDE_CONFIG_DIR",
        hooks=HookPlace("settings.json", ".claude/settings.local.json", events=_CLAUDE_EVENTS),
        servers=ServerPlace(project=".mcp.json"),
    ),
    Host(
        name="codex",
        title="Codex",
        instruction_files=("AGENTS.override.md", "AGENTS.md"),
        user_file=".codex/AGENTS.md",
        file_limit=32_768,
        hook_limit=10_000,
        hook_unit="bytes",
        skill_folders=(".agents/skills", ".codex/skills"),
        user_skills=".agents/skills",
        home=".codex",
        home_variable="CODEX_HOME",
        hooks=HookPlace(
            "hooks.json", ".codex/hooks.json", events=_CODEX_EVENTS, is_bare=True, is_shared=True
        ),
        servers=ServerPlace("config.toml", ".codex/config.toml", "mcp_servers", "toml"),
    ),
    Host(
        name="dsh",
        title="DeepSeek Harness",
        instruction_files=("AGENTS.md", "CLAUDE.md", "AGENTS.local.md", "CLAUDE.local.md"),
        user_file=".dsh/AGENTS.md",
        file_limit=65_536,
        skill_folders=(".dsh/skills", ".agents/skills"),
        user_skills=".agents/skills",
        home=".dsh",
        home_variable="DSH_HOME",
        hooks=HookPlace("mvault-hooks.json", events=_DSH_EVENTS, is_own=True),
    ),
    Host(
        name="opencode",
        title="OpenCode",
        instruction_files=("AGENTS.md",),
        user_file=".config/opencode/AGENTS.md",
        skill_folders=(".agents/skills", ".opencode/skills", ".claude/skills"),
        user_skills=".agents/skills",
        home=".config/opencode",
        servers=ServerPlace("opencode.json", "opencode.json", "mcp", "opencode"),
        injects=False,
    ),
    Host(
        name="gemini-cli",
        title="Gemini CLI",
        instruction_files=("GEMINI.md",),
        user_file=".gemini/GEMINI.md",
        skill_folders=(".agents/skills", ".gemini/skills"),
        expands_imports=True,
        user_skills=".agents/skills",
        home=".gemini",
        hooks=HookPlace(
            "settings.json",
            ".gemini/settings.json",
            "gemini",
            (
                ("SessionStart", _SLOW),
                ("BeforeAgent", _SLOW),
                ("BeforeTool", _FAST),
                ("AfterTool", _FAST),
                ("PreCompress", _FAST),
                ("SessionEnd", _FAST),
            ),
            is_shared=True,
        ),
        servers=ServerPlace("settings.json", ".gemini/settings.json"),
    ),
    Host(
        name="cursor",
        title="Cursor",
        instruction_files=("AGENTS.md",),
        skill_folders=(".agents/skills", ".cursor/skills", ".claude/skills"),
        user_skills=".agents/skills",
        home=".cursor",
        hooks=HookPlace(
            "hooks.json",
            ".cursor/hooks.json",
            "cursor",
            (
                ("sessionStart", _SLOW),
                ("beforeShellExecution", _FAST),
                ("afterShellExecution", _FAST),
                ("sessionEnd", _FAST),
            ),
            is_shared=True,
        ),
        servers=ServerPlace("mcp.json", ".cursor/mcp.json"),
        injects=False,
    ),
    Host(
        name="copilot",
        title="GitHub Copilot",
        instruction_files=("AGENTS.md", ".github/copilot-instructions.md"),
        skill_folders=(".agents/skills", ".github/skills", ".claude/skills"),
        user_skills=".agents/skills",
        home=".copilot",
        home_variable="COPILOT_HOME",
        hooks=HookPlace(
            "hooks/mvault.json",
            ".github/hooks/mvault.json",
            "copilot",
            (
                ("sessionStart", _SLOW),
                ("userPromptSubmitted", _SLOW),
                ("preToolUse", _FAST),
                ("postToolUse", _FAST),
                ("postToolUseFailure", _FAST),
                ("sessionEnd", _FAST),
            ),
            is_own=True,
            is_shared=True,
        ),
        servers=ServerPlace(project=".vscode/mcp.json", key="servers"),
    ),
)

HOSTS: Final[Mapping[str, Host]] = MappingProxyType({host.name: host for host in _HOSTS})
"""The hosts by name, in the order of our documentation."""


def find_host(name: str) -> Host | None:
    """Return the host of a name, in whatever spelling; None for one that is not known."""
    return HOSTS.get(events.find_host(name))
