"""What `sync` tells a merge about its two sides. May import everything below `cli`."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from vault_cli.features.conflict_records import Told
    from vault_cli.store.sides import Sides
    from vault_cli.store.vault import Vault


def told_of(vault: Vault, sides: Sides, one: str, other: str) -> Told:
    """Return who is behind the sides; they are named so that every machine names them alike.

    Args:
        vault: the vault.
        sides: its versions.
        one: the commit of one side.
        other: the commit of the other.
    """
    from vault_cli.features.conflict_records import Told
    from vault_cli.store.syncing import deleted_by, merge_moment, side_name

    repo = vault.require_repo()
    commits = {"one": one, "other": other}
    told = Told(
        merge_moment(repo, one, other),
        {side: side_name(repo, commit) for side, commit in commits.items()},
        commits,
        lambda side, path: deleted_by(repo, commits[side], path),
    )
    if not _asks_signatures(vault):
        return told
    return told._replace(
        vouched=_signed_in(vault, {*sides.base, *sides.one, *sides.other}, commits)
    )


def _asks_signatures(vault: Vault) -> bool:
    """Whether a signature is what lets a text count here, also that of a merge."""
    from vault_cli.store.policy import incoming_policy

    is_required = bool(vault.config["trust.require_signed"])
    return is_required or incoming_policy(vault.root, vault.config) == "signed"


def _signed_in(
    vault: Vault, paths: set[str], commits: dict[str, str]
) -> Callable[[str, str], bool]:
    """Return what tells whether a side's text at a path is signed; history is read when asked."""
    from vault_cli.store.signed import unsigned_paths

    named = str(vault.config["trust.allowed_signers"])

    @cache
    def unsigned(side: str) -> frozenset[str]:
        return unsigned_paths(vault.require_repo(), named, commits[side], paths)

    return lambda side, path: path not in unsigned(side)
