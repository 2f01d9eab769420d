"""Take down what a person let count: everything, or one change of others. May import `store`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress
from typing import TYPE_CHECKING

from vault_cli.errors import ChangedMeanwhileError, VaultError
from vault_cli.store.files import digest_bytes, read_file
from vault_cli.store.incoming import load_ledger, read_settings
from vault_cli.store.own_state import (
    INCOMING,
    drop_state,
    is_displaced,
    path_key,
    standing_place,
)
from vault_cli.store.toml_read import CONFIG_FILE
from vault_cli.store.waited import let_pass, read_waited

if TYPE_CHECKING:
    from vault_cli.model.record import Snapshot
    from vault_cli.store.waiting import Kept, Waiting


def admit_present(vault: Kept, snapshot: Snapshot) -> int:
    """Take down everything that is in force now as admitted; return how much that is.

    Raises:
        StoreError: the state folder cannot be written.
    """
    if is_displaced(vault.root):  # a person gave up the vault that lay there
        drop_state(INCOMING, path_key(standing_place(vault.root)))
        return 0
    ledger = load_ledger(vault.root)
    ledger.rows.clear()
    ledger.unseen.clear()
    ledger.known.clear()
    ledger.problem = ""  # a person let everything count anew
    commit = vault.repo.head() if vault.repo is not None else ""
    ledger.admit(snapshot.records, commit)
    for record in snapshot.records:
        ledger.note_known(record)
    count = len(ledger.rows)
    let_pass(_bytes_at(vault, [record.path for record in snapshot.records if record.has_effect]))
    ledger.admit_settings(read_settings(vault.root), commit)
    ledger.save()
    return count


def _bytes_at(vault: Kept, paths: Iterable[str]) -> Iterator[bytes]:
    """Yield the texts of files that were admitted; none is read where nothing ever waited."""
    if not read_waited():
        return
    for path in (*paths, CONFIG_FILE):
        with suppress(VaultError):
            yield read_file(vault.root, path)


def admit_one(vault: Kept, item: Waiting, shown: bytes) -> None:
    """Take down one change of others as admitted.

    Args:
        vault: the vault.
        item: what was found.
        shown: the text as the person saw it; of settings, what a pull brought since waits again.

    Raises:
        ChangedMeanwhileError: it is not the text that was found: another one was shown.
        StoreError: what was admitted cannot be read or written.
    """
    if item.present is not None and digest_bytes(shown) != item.present.digest:
        raise ChangedMeanwhileError(
            f"{item.path} was changed since this review began; nothing was admitted",
            hint="Begin it again: mvault review --incoming",
        )
    ledger = load_ledger(vault.root)
    ledger.require_readable()
    commit = vault.repo.head() if vault.repo is not None else ""
    let_pass([shown])
    ledger.rows.pop(item.id, None)
    ledger.unseen.discard(item.id)
    if item.what == "settings":
        ledger.admit_settings(shown, commit)
    elif item.present is not None:
        ledger.admit((item.present,), commit)
        ledger.note_known(item.present)
    ledger.pin_settings(vault.root, commit)
    ledger.save()
