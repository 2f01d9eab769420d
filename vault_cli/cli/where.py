"""In which of two vaults a record is that one of them does not have. May import all below `cli`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from vault_cli.errors import VaultError

if TYPE_CHECKING:
    from vault_cli.cli.invocation import Invocation

ONE_VAULT: Final = (
    "Links go within one vault: say it in words, or move one of the two with `mvault promote`."
)
"""What to do about a link into another vault."""


def say_where(inv: Invocation, error: VaultError) -> None:
    """Say in an error about an id which is missing that the other vault holds it, if it does."""
    place = find_elsewhere(inv).get(error.missing)
    if place:
        error.message = f"{error.message}: it is in {place}"
        error.hint = ONE_VAULT


def find_elsewhere(inv: Invocation) -> dict[str, str]:
    """Return where each record of the vault is that is not written, by id; {} without another."""
    layers = inv.layers
    place = layers.beside
    if place is None:
        return {}
    try:
        if inv.root == layers.home:
            found = inv.reading.beside_heads
        else:
            from vault_cli.store.vault import Vault

            place = layers.home
            found = Vault.open(place, environ=inv.environ, lenient=True).snapshot(whole=False)
    except VaultError:
        return {}
    name = layers.name_of(place)
    return {record.id: f"the {name} vault, {place / record.path}" for record in found.records}
