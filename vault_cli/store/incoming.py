"""What of a vault the person has admitted, kept in their own state folder. May import `errors`.

Under `trust.incoming = review` the texts in force that were admitted here are remembered by record:
digest, path, and a commit that holds the text. A pull, or a commit that somebody makes with plain
git, changes files but not this list. The texts themselves stay in git only.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, NamedTuple

from vault_cli.model.change import Move, Put, Remove
from vault_cli.model.lifecycle import Actor
from vault_cli.store.own_state import INCOMING, path_key, read_state, state_file, write_state
from vault_cli.store.toml_read import CONFIG_FILE

if TYPE_CHECKING:
    from vault_cli.model.change import Change
    from vault_cli.model.record import Record

_ROW: Final = 3


class Admitted(NamedTuple):
    """A text in force that was admitted here.

    Args:
        path: where it stood, vault-relative.
        digest: SHA-256 hex of its bytes.
        commit: a commit that holds it, "" when it was not committed then.
    """

    path: str
    digest: str
    commit: str


@dataclass(slots=True)
class Ledger:
    """The admitted texts of one vault, by record id.

    Args:
        name: file of the state folder.
        root: real path of the vault.
        rows: what was admitted; the vault's own settings stand under the name of their file,
            which no record can have for its id.
        exists: False until anything was admitted here.
    """

    name: str
    root: str
    rows: dict[str, Admitted] = field(default_factory=dict)
    exists: bool = False

    def save(self) -> None:
        """Write it; StoreError when the state folder cannot be written."""
        rows = {key: list(row) for key, row in sorted(self.rows.items())}
        write_state(INCOMING, self.name, {"vault": self.root, "records": rows})
        self.exists = True

    def admit(self, records: Iterable[Record], commit: str) -> None:
        """Take down records in force and disabled topics as admitted, as they stand in a commit."""
        for record in records:
            if record.has_effect:
                self.rows[record.id] = Admitted(record.path, record.digest, commit)

    def admit_settings(self, data: bytes, commit: str) -> None:
        """Take down the vault's own settings as admitted."""
        import hashlib

        digest = hashlib.sha256(data).hexdigest()
        self.rows[CONFIG_FILE] = Admitted(CONFIG_FILE, digest, commit)


def load_ledger(root: Path) -> Ledger:
    """Return what was admitted in the vault at `root`."""
    real = os.path.realpath(root)
    name = path_key(real)
    data = read_state(INCOMING, name)
    rows = data.get("records")
    if data.get("vault") != real or not isinstance(rows, Mapping):
        return Ledger(name, real)
    found = {
        str(key): Admitted(*map(str, row))
        for key, row in rows.items()
        if isinstance(row, list) and len(row) == _ROW
    }
    return Ledger(name, real, found, exists=True)


def has_ledger(root: Path) -> bool:
    """Whether anything was ever admitted here under a policy that asks."""
    return state_file(INCOMING, path_key(os.path.realpath(root))).exists()


def record_change(
    root: Path, change: Change, commit: str, waiting: Mapping[str, bool] = MappingProxyType({})
) -> None:
    """Take down what a change through the gate put in force, or took out of it.

    A text that an agent wrote through the gate is not in force by that; one that a person or
    their policy decided on is admitted. What waited before the change still does: who edits a
    key of a record, or rejects a draft with its id, has not been shown what others changed.

    Args:
        root: the vault.
        change: the change that was made.
        commit: its commit.
        waiting: ids that waited for a person before it, and whether a record of that id was
            in force then: such a record can be taken out of force.

    Raises:
        StoreError: the state folder cannot be written.
    """
    from vault_cli.text.fields import read_record

    ledger = load_ledger(root)
    before = dict(ledger.rows)
    decides = change.actor in {Actor.PERSON, Actor.POLICY}
    left = {edit.path for edit in change.edits if isinstance(edit, Move | Remove)}
    for key in [key for key, row in ledger.rows.items() if row.path in left]:
        if key not in waiting or (change.verb == "forget" and key in change.ids):
            del ledger.rows[key]
    for edit in change.edits:
        if isinstance(edit, Remove):
            continue
        path = edit.path if isinstance(edit, Put) else edit.target
        if path == CONFIG_FILE and decides and CONFIG_FILE not in waiting:
            ledger.admit_settings(edit.data, commit)
        record = read_record(edit.data, path)[0] if path.endswith(".md") else None
        if record is None:
            continue
        if record.has_effect and decides and record.id not in waiting:
            ledger.admit((record,), commit)
        elif not record.has_effect and (change.verb == "forget" or waiting.get(record.id, True)):
            ledger.rows.pop(record.id, None)
    if ledger.rows != before:
        ledger.save()
