"""Which vaults a command reads, and which it writes. May import `store`, `errors`.

There are at most two: the project vault (`.mvault/` of a code repository, found on the way up) and
the user vault. A vault that was named (`--vault`, `$MVAULT`), and a folder that is a vault itself,
stands alone; the latter only where the person made it with `init`, or trusted it.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from vault_cli.errors import UsageError
from vault_cli.store.config import load_config
from vault_cli.store.places import PROJECT_FOLDER, user_folder
from vault_cli.store.policy import stands_alone
from vault_cli.store.vault_place import admitted_settings, find_vault, is_vault, vaults_above


class Layers(NamedTuple):
    """The vaults at hand.

    Args:
        home: the vault that is written, and read.
        beside: the other one when both are read.
        hidden: the other one when it is there and `read_scopes` leaves it out.
        is_project: whether `home` is the project vault.
        passed: a vault nearer by of which nothing counts here, so that it is not read.
        refused: why the project vault is not used although one was found on the way up; `home`
            is the user vault then.
    """

    home: Path
    beside: Path | None = None
    hidden: Path | None = None
    is_project: bool = False
    refused: UsageError | None = None
    passed: Path | None = None

    @property
    def top(self) -> Path:
        """The folder that `home` is about when it is a project vault."""
        return self.home.parent if self.home.name == PROJECT_FOLDER else self.home

    @property
    def both(self) -> bool:
        """Whether there are two vaults, be they read or not."""
        return self.beside is not None or self.hidden is not None

    def name_of(self, root: Path) -> str:
        """Return what one of two vaults is called, `project` or `user`; "" where one is alone."""
        if not self.both:
            return ""
        return "project" if self.is_project == (root == self.home) else "user"


def find_layers(explicit: Path | None, *, cwd: Path, environ: Mapping[str, str]) -> Layers:
    """Find the vaults at hand; errors as `store.vault.find_vault`.

    Args:
        explicit: value of `--vault`.
        cwd: working directory.
        environ: environment, for `$MVAULT` and `$MVAULT_READ_SCOPES`.

    Raises:
        UsageError: there is no vault, or none that `read_scopes` lets be read.
    """
    if explicit is not None or environ.get("MVAULT"):
        return Layers(find_vault(explicit, cwd=cwd, environ=environ))
    user = find_user_vault()
    try:
        home = find_vault(None, cwd=cwd, environ=environ)
    except UsageError as error:
        if user is None:
            raise
        return Layers(user, refused=error)
    nearest = next(vaults_above(cwd, environ), home)
    is_alone = user is None or is_same_folder(user, home) or stands_alone(home)
    is_alone = is_alone and home.name != PROJECT_FOLDER
    found = Layers(home) if is_alone else _beside(home, user, environ)
    return found._replace(passed=nearest) if nearest != home else found


def _beside(home: Path, user: Path | None, environ: Mapping[str, str]) -> Layers:
    """Say which of project and user vault is read, as `read_scopes` has it."""
    kept = admitted_settings(home, environ)
    scopes = load_config(home, environ=environ, lenient=True, vault_file=kept)["read_scopes"]
    if user is None or is_same_folder(user, home):
        _require_project(scopes, home)
        return Layers(home, is_project=True)
    if "project" not in scopes:
        return Layers(user, hidden=home)
    if "global" not in scopes:
        return Layers(home, hidden=user, is_project=True)
    return Layers(home, beside=user, is_project=True)


def find_user_vault() -> Path | None:
    """Return the user vault, None when there is none."""
    place = user_folder("data")
    return place if is_vault(place) else None


def require_user_vault() -> Path:
    """Return the user vault; UsageError that says how to make one when there is none."""
    found = find_user_vault()
    if found is None:
        place = user_folder("data")
        raise UsageError(
            f"there is no user vault ({place}); nothing was written",
            hint=f"Make one: mvault init {place}",
        )
    return found


def is_same_folder(one: Path, other: Path) -> bool:
    """Tell whether two paths lead to the same folder."""
    return os.path.realpath(one) == os.path.realpath(other)


def _require_project(scopes: tuple[str, ...], home: Path) -> None:
    if "project" not in scopes:
        raise UsageError(
            f"read_scopes leaves out the project vault {home}, and there is no user vault",
            hint=f"Make one: mvault init {user_folder('data')}",
        )
