"""The person's settings for one vault (`[vaults."/path"]`). May import `errors`; light.

What they say about trust is about the clone that holds the vault: a push can put another vault
beside it, or in its place, and a linked work tree has it at another path.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from vault_cli.errors import StoreError
from vault_cli.store.git_place import find_place
from vault_cli.store.places import expand_home
from vault_cli.store.toml_read import flatten

_LOOSE: Final[Mapping[str, Any]] = {
    "trust.incoming": ("accept", "auto"),
    "trust.uncommitted": ("accept",),
    "trust.require_signed": (False,),
    "trust.allowed_signers": ("",),
}
"""Values by which nothing is kept out; these do not hold beyond the place that they are for."""


def settings_for(vaults: Mapping[str, Any], root: Path) -> dict[str, Any]:
    """Return what is set for the vault at `root`, by dotted names.

    Beside what is set for the place itself, what keeps something out of another vault of the same
    clone holds here: the strictest, where two differ.

    Args:
        vaults: tables of the person's file, by the paths of their vaults.
        root: the vault.
    """
    tables = {key: table for key, table in vaults.items() if isinstance(table, Mapping)}
    real = os.path.realpath(root)
    same = [key for key in tables if os.path.realpath(expand_home(key)) == real]
    own = dict(flatten(tables[same[0]])) if same else {}
    clone = _clone_of(real)
    if not clone:
        return own
    around: dict[str, Any] = {}
    for key in tables.keys() - set(same):
        if _clone_of(os.path.realpath(expand_home(key))) == clone:
            for name, value in _strict(tables[key]):
                mixed = name in around and around[name] != value
                around[name] = "review" if mixed and name == "trust.incoming" else value
    return {**around, **own}


def _clone_of(real: str) -> str:
    """Return the folder that all work trees of a clone share, "" where there is none."""
    try:
        place = find_place(Path(real))
    except StoreError:
        return ""
    return str(place.common_dir) if place is not None else ""


def _strict(table: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    for name, value in flatten(table):
        if name in _LOOSE and value not in _LOOSE[name]:
            yield name, value
