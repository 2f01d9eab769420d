"""What we know of each agent program: data only, no code that acts. Standard library only.

Names and limits change between releases of these programs; they stand here and nowhere else.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final


@dataclass(frozen=True, slots=True)
class Host:
    """One agent program.

    Args:
        name: as in `--host`.
        title: its name for people.
        instruction_files: project files it reads at start, the preferred one first.
        user_file: its file for all projects, below the home folder; "" when it has none.
        file_limit: bytes of project instructions it reads in all; 0 = no known limit.
        cuts_silently: whether it drops what is over `file_limit` without a word.
        hook_limit: how much text a hook may inject before the model sees only a preview.
        hook_unit: what `hook_limit` counts: `characters` or `bytes` (UTF-8).
        skill_folders: project folders with skills, the preferred one first.
        expands_imports: whether `@path` in an instruction file pulls that file in.
    """

    name: str
    title: str
    instruction_files: tuple[str, ...]
    user_file: str = ""
    file_limit: int = 0
    cuts_silently: bool = False
    hook_limit: int = 0
    hook_unit: str = "characters"
    skill_folders: tuple[str, ...] = ()
    expands_imports: bool = False


_HOSTS: Final = (
    Host(
        name="claude-code",
        title="Claude Code",
        instruction_files=("CLAUDE.md", ".claude/CLAUDE.md", "CLAUDE.local.md"),
        user_file=".claude/CLAUDE.md",
        file_limit=4 << 20,
        cuts_silently=True,
        hook_limit=10_000,
        skill_folders=(".claude/skills",),
        expands_imports=True,
    ),
    Host(
        name="codex",
        title="Codex",
        instruction_files=("AGENTS.override.md", "AGENTS.md"),
        user_file=".codex/AGENTS.md",
        file_limit=32_768,
        cuts_silently=True,
        hook_limit=10_000,
        hook_unit="bytes",
        skill_folders=(".agents/skills", ".codex/skills"),
    ),
    Host(
        name="dsh",
        title="DeepSeek Harness",
        instruction_files=("AGENTS.md", "CLAUDE.md", "AGENTS.local.md", "CLAUDE.local.md"),
        user_file=".dsh/AGENTS.md",
        file_limit=65_536,
        skill_folders=(".dsh/skills", ".agents/skills"),
    ),
    Host(
        name="opencode",
        title="OpenCode",
        instruction_files=("AGENTS.md",),
        user_file=".config/opencode/AGENTS.md",
        skill_folders=(".agents/skills", ".opencode/skills", ".claude/skills"),
    ),
    Host(
        name="gemini",
        title="Gemini CLI",
        instruction_files=("GEMINI.md",),
        user_file=".gemini/GEMINI.md",
        skill_folders=(".agents/skills", ".gemini/skills"),
        expands_imports=True,
    ),
)

HOSTS: Final[Mapping[str, Host]] = MappingProxyType({host.name: host for host in _HOSTS})
"""The hosts by name, in the order of our documentation."""
