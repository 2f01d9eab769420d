"""What a person sets up in DSH by hand, and whether it is there. + `store.files`.

DSH starts no hooks by itself: a bridge does, a package of a profile with a row in its patch layer.
A row whose package cannot be loaded keeps the profile from starting at all, and the bridge needs a
second package that no profile has (measured with 0.1.0-rc.8 and bridge 0.0.1-rc.5). So the row
goes into the profile that has the packages, not into the layer that all profiles share.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from vault_cli.hosts.install.changes import read_text

BRIDGE: Final = "@deepseek-ai/dsh-hooks-claude-code"
NEEDED: Final = (BRIDGE, "@deepseek-ai/dsh-hook-protocol")
"""Packages that a profile needs for hooks."""

LAYER: Final = "cordis.patch.yml"
SERVER_ROW: Final = (
    "{id: mvault-mcp, name: '@deepseek-ai/dsh-mcp-client', config:"
    " {serverName: mvault, transport: stdio, command: mvault, args: [mcp]}}"
)
"""What starts the MCP server; the client comes with DSH."""


def hook_steps(hooks: Path) -> list[str]:
    """Return what a person does so that DSH starts the hooks of a file, in order."""
    row = f"{{id: mvault-hooks, name: '{BRIDGE}', config: {{configPath: {_quoted(hooks)}}}}}"
    return [
        f"DSH starts hooks through a bridge: dsh plugin --profile PROFILE add {' '.join(NEEDED)}",
        f"its row: in profiles/PROFILE/{LAYER} below `- insert:`, as `    - {row}`",
    ]


def server_step() -> str:
    """Return what a person does so that DSH starts the MCP server."""
    return f"the MCP server of DSH: in {LAYER} below `- insert:`, as `    - {SERVER_ROW}`"


def find_problems(hooks: Path) -> list[str]:
    """Return what keeps DSH from starting the hooks of a file, or with their row from starting.

    Args:
        hooks: the file with our hooks, in the folder of DSH.
    """
    home = hooks.parent
    profiles = sorted(path.parent for path in home.glob(f"profiles/*/{LAYER}"))
    is_shared = _names(home / LAYER, hooks)
    using = [each for each in profiles if is_shared or _names(each / LAYER, hooks)]
    found = [f"{each.name}: {line}" for each in using for line in _missing(each)]
    if not using and not is_shared:
        found.append(f"no {LAYER} of a profile has a row for {hooks}, so no hook is started")
    return found


def _missing(profile: Path) -> Iterator[str]:
    modules = profile / "node_modules", profile.parent / "node_modules"
    gone = [name for name in NEEDED if not any((each / name).is_dir() for each in modules)]
    if gone:
        yield (
            "this profile does not start: it has a row for the bridge but not"
            f" {' and '.join(gone)}; dsh plugin --profile {profile.name} add {' '.join(gone)}"
        )


def _names(layer: Path, hooks: Path) -> bool:
    """Tell whether a patch layer names the file, in a line that is no remark."""
    lines = (read_text(layer) or "").splitlines()
    return any(str(hooks) in line for line in lines if not line.lstrip().startswith("#"))


def _quoted(path: Path) -> str:
    """Return a path as YAML reads it whole."""
    return "'" + str(path).replace("'", "''") + "'"
