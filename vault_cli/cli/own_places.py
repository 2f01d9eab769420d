"""Files that no block is put into: what says who is trusted, and how. May import `store`."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from vault_cli.errors import RefusedError
from vault_cli.store.places import expand_home, real_path


def require_no_own_place(target: Path, environ: Mapping[str, str]) -> None:
    """Refuse a file by which mvault, git or ssh knows the person.

    Whoever may only call the program could otherwise damage the list of what was admitted, or
    the configuration, by putting a block into it.

    Raises:
        RefusedError: it is one of them, or lies below the folder of one.
    """
    path = real_path(target)
    for place in _own_places(environ):
        real = real_path(place)
        if path == real or real in path.parents:
            raise RefusedError(
                f"{path} belongs to the settings and the state of the person, no place for a block;"
                " nothing was written",
                hint="Name a file that an agent program reads, for example AGENTS.md.",
            )


def _own_places(environ: Mapping[str, str]) -> list[Path]:
    from vault_cli.store.config import user_config_path
    from vault_cli.store.places import state_folder, user_folder

    home = Path.home()
    given = (environ.get(name, "").strip() for name in ("GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM"))
    return [
        state_folder(),
        user_config_path(environ),
        user_folder("config"),
        home / ".gitconfig",
        home / ".config" / "git",
        home / ".ssh",
        home / ".gnupg",
        *(expand_home(name) for name in given if name),
    ]
