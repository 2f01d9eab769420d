"""Which vaults the hooks of an agent program will read. May import everything below `cli`.

A hook is started in the folder an agent works in, and finds its vault as every command does: that
of the project, and the person's own. A vault that was made anywhere else reaches no session.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from vault_cli.errors import VaultError
from vault_cli.store.places import PROJECT_FOLDER, user_folder
from vault_cli.store.vault_place import is_vault

if TYPE_CHECKING:
    from vault_cli.cli.invocation import Invocation

_MAKE_ONE = "`mvault init --user` makes one that counts in every project"


def reach_notes(inv: Invocation) -> list[str]:
    """Say which vault the hooks will read, where a person may expect another one."""
    own, here = user_folder("data"), _vault_at_hand(inv)
    lacks_own = not is_vault(own)
    missing = f"; you have none there yet: {_MAKE_ONE}" if lacks_own else ""
    if here is None:
        return [f"there is no vault here, and none of your own in {own}: {_MAKE_ONE}"]
    if here == own or (here.name == PROJECT_FOLDER and not inv.options.vault):
        return []
    told = f"hooks read the vault of the folder an agent works in, and your own in {own}"
    return [f"{told}: {here} is read by sessions that begin in it, and by no others{missing}"]


def why_nothing(inv: Invocation) -> str:
    """Say why a session that begins here is given nothing."""
    here = _vault_at_hand(inv)
    if here is None:
        return f"there is no vault here, and none of your own in {user_folder('data')}: {_MAKE_ONE}"
    return f"nothing is in force in {here}"


def _vault_at_hand(inv: Invocation) -> Path | None:
    try:
        return inv.root
    except VaultError:
        return None
