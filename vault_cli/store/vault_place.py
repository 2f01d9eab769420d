"""Where a vault is, and whether it may be read. May import `store`, `errors`."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import suppress
from functools import cached_property
from itertools import takewhile
from pathlib import Path
from typing import TYPE_CHECKING

from vault_cli.errors import StoreError, UsageError, VaultError
from vault_cli.store.config import CONFIG_FILE, Config, load_config
from vault_cli.store.git_place import Place, find_place
from vault_cli.store.own_state import is_displaced
from vault_cli.store.places import PROJECT_FOLDER, expand_home, user_folder
from vault_cli.store.policy import incoming_policy, is_made_here

if TYPE_CHECKING:
    from vault_cli.store.repo import Repository


class NoVaultError(UsageError):
    """There is no vault: neither here nor the person's own."""


def find_vault(explicit: Path | None, *, cwd: Path, environ: Mapping[str, str]) -> Path:
    """Find the vault root.

    The order: `--vault`, `$MVAULT`, upwards from `cwd` `vault.toml` or `.mvault/vault.toml`,
    the user vault. A vault found on the way up must belong to the person (or be named). Where
    nothing of it was admitted here, one above it in the same repository that counts is taken: a
    push must not put a vault between the person and theirs.

    Args:
        explicit: value of `--vault`.
        cwd: working directory.
        environ: environment, for `$MVAULT`.

    Raises:
        UsageError: there is none; the hint names `mvault init`.
    """
    named = explicit or (Path(environ["MVAULT"]) if environ.get("MVAULT") else None)
    if named is not None:
        where = "--vault" if explicit else "$MVAULT"
        return _require_vault((cwd / expand_home(str(named))).absolute(), where, environ)
    found = next(vaults_above(cwd, environ), None)
    if found is not None:
        _require_own(found)
        return _first_that_counts(found, cwd, environ)
    user_vault = user_folder("data")
    if _is_kept(user_vault, environ):
        return user_vault
    raise NoVaultError(
        f"there is no vault here ({cwd.absolute()}), above it, or in {user_vault}",
        hint="Run `mvault init` to make one, or name one with --vault.",
    )


def vaults_above(cwd: Path, environ: Mapping[str, str]) -> Iterator[Path]:
    """Yield the vaults on the way up, nearest first.

    Raises:
        UsageError: one is a link that leads out of its project.
    """
    start = cwd.absolute()
    for folder in (start, *start.parents):
        for place in (folder, folder / PROJECT_FOLDER):
            if _is_kept(place, environ):
                _require_inside(place, folder)
                yield place


def _first_that_counts(nearest: Path, cwd: Path, environ: Mapping[str, str]) -> Path:
    """Return the nearest vault of a repository of which something counts here, else the nearest."""
    try:
        place = find_place(nearest)
    except StoreError:  # said when git is needed
        return nearest
    if place is None or is_made_here(nearest):
        return nearest
    listed = list(takewhile(lambda path: _is_of(path, place), vaults_above(cwd, environ)))
    if len(listed) == 1:
        return nearest
    return next((path for path in listed if _counts(path, environ)), nearest)


def _is_of(path: Path, place: Place) -> bool:
    with suppress(StoreError):
        return find_place(path) == place
    return False


def _counts(root: Path, environ: Mapping[str, str]) -> bool:
    """Whether anything of a vault may count before a person looks at it."""
    from vault_cli.store.incoming import has_ledger

    own = load_config(root, environ=environ, lenient=True, vault_file=b"")
    return incoming_policy(root, own) == "accept" or has_ledger(root)


def is_vault(folder: Path) -> bool:
    """Tell whether a folder is a vault, as far as one may look."""
    try:
        return (folder / CONFIG_FILE).is_file()
    except OSError:  # a folder we may not look into is not ours
        return False


class _Seen:
    """A vault as far as its trust is asked for, before it is opened."""

    def __init__(self, root: Path, config: Config) -> None:
        self.root = root
        self.config = config

    @cached_property
    def repo(self) -> Repository | None:
        from vault_cli.store.repo import Repository

        return Repository.find(self.root)


def admitted_settings(root: Path, environ: Mapping[str, str]) -> bytes | None:
    """Return the settings that count while those of others wait for a person, else None.

    Under `trust.incoming` a push must not close the vault, or hide it, with its `vault.toml`.
    """
    from vault_cli.store.own_state import INCOMING, has_group

    if not has_group(INCOMING):  # most people: nothing to load and to hash, for any folder
        return None
    from vault_cli.store.incoming import has_ledger

    if not has_ledger(root):
        return None
    from vault_cli.store import waiting

    own = load_config(root, environ=environ, lenient=True, vault_file=b"")
    try:
        return waiting.admitted_settings(_Seen(root, own))
    except VaultError:  # said by what reads the vault
        return None


def _is_kept(folder: Path, environ: Mapping[str, str]) -> bool:
    """Whether a folder is a vault, or was one until others removed its settings."""
    if is_vault(folder):
        return True
    try:
        return (folder.is_dir() or is_displaced(folder)) and admitted_settings(
            folder, environ
        ) is not None
    except OSError:
        return False


def _require_vault(folder: Path, where: str, environ: Mapping[str, str]) -> Path:
    if _is_kept(folder, environ):
        return folder
    if _is_kept(folder / PROJECT_FOLDER, environ):
        return folder / PROJECT_FOLDER
    what = "has no vault.toml" if folder.is_dir() else "is not a folder"
    raise UsageError(
        f"{where}: {folder} {what}", hint=f"Run `mvault init {folder}` to make a vault there."
    )


def _require_own(folder: Path) -> None:
    """Do not take instructions from a vault that another user put above the working directory."""
    if not hasattr(os, "geteuid") or os.geteuid() == 0:
        return
    settings = folder / CONFIG_FILE
    try:
        owner = (settings if settings.exists() else folder).stat().st_uid
    except OSError:  # its folder is gone; what was admitted of it is the person's
        return
    if owner not in {os.geteuid(), 0}:
        raise UsageError(
            f"the vault {folder} belongs to another user",
            hint=f"If you trust it, name it: --vault {folder}",
        )


def _require_inside(place: Path, folder: Path) -> None:
    """Do not be led to another vault by a link that may have come with a clone."""
    real = os.path.realpath(folder)
    if (
        place != folder
        and not is_displaced(place)
        and not Path(os.path.realpath(place)).is_relative_to(real)
    ):
        raise UsageError(
            f"{place} is a link that leads out of {folder}",
            hint=f"If that vault is meant, name it: --vault {place}",
        )
