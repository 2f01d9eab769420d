"""Which settings of a vault count: its file's, the admitted or the committed ones. + `errors`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from vault_cli.errors import Diagnostic, VaultError
from vault_cli.store.policy import incoming_policy
from vault_cli.store.toml_read import CONFIG_FILE

if TYPE_CHECKING:
    from vault_cli.store.waiting import Kept

_NOT_COMMITTED: Final = Diagnostic(
    CONFIG_FILE,
    0,
    "uncommitted-settings",
    "warning",
    "an edit of the settings is not committed: HEAD's count (trust.uncommitted = committed)",
    "They count when a person has committed them.",
)


def settings_in_force(vault: Kept) -> tuple[bytes | None, tuple[Diagnostic, ...]]:
    """Return the settings of a vault that count in the place of its file, None: the file's do.

    The person's trust settings speak of `vault.toml` as of any record: what others put there counts
    when it is admitted, an edit when it is committed, where that is asked for.

    Args:
        vault: the vault; its `config` need hold the person's own settings only.

    Returns:
        The bytes that count, and what is to be said of that. Where git fails, which is said by what
        reads the vault, none of others count.
    """
    committed = vault.config["trust.uncommitted"] == "committed"
    try:
        asks = incoming_policy(vault.root, vault.config) != "accept"
    except VaultError:  # no git folder where one is named: said by what needs git
        return None, ()
    if not (asks or committed):
        return None, ()
    from vault_cli.store import waiting

    try:
        kept = waiting.admitted_settings(vault) if asks else None
        if kept is not None or not committed:
            return kept, ()
        kept = waiting.committed_settings(vault)
    except VaultError:  # nobody can tell which were admitted or committed: none
        return b"", ()
    return kept, () if kept is None else (_NOT_COMMITTED,)
