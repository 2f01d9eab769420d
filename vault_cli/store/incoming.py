"""What of a vault the person has admitted, kept in their own state folder. May import `errors`.

Under `trust.incoming = review` the texts in force that were admitted here are remembered by record:
digest, path, and a commit that holds the text. A pull, or a commit that somebody makes with plain
git, changes files but not this list. The texts themselves stay in git only.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from vault_cli.model.change import Move, Put, Remove
from vault_cli.model.lifecycle import Actor
from vault_cli.store.git_place import Place, find_place
from vault_cli.store.own_state import read_state, state_file, write_state
from vault_cli.store.trust import trusted_fingerprint

if TYPE_CHECKING:
    from vault_cli.model.change import Change
    from vault_cli.model.record import Record
    from vault_cli.store.config import Config

GROUP: Final = "incoming"
_ROW: Final = 3
_REMOTE: Final = re.compile(
    rb"^[ \t]*\[[ \t]*(?:remote|include|includeif)\b|^[0-9a-f]+ refs/remotes/",
    re.IGNORECASE | re.MULTILINE,
)
"""A section of configuration with a remote, or one that may hold it; a packed remote branch."""


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
        rows: what was admitted.
        exists: False until anything was admitted here.
    """

    name: str
    root: str
    rows: dict[str, Admitted] = field(default_factory=dict)
    exists: bool = False

    def save(self) -> None:
        """Write it; StoreError when the state folder cannot be written."""
        rows = {key: list(row) for key, row in sorted(self.rows.items())}
        write_state(GROUP, self.name, {"vault": self.root, "records": rows})
        self.exists = True

    def admit(self, records: Iterable[Record], commit: str) -> None:
        """Take down records in force as admitted, as they stand in a commit."""
        for record in records:
            if record.in_force:
                self.rows[record.id] = Admitted(record.path, record.digest, commit)


def load_ledger(root: Path) -> Ledger:
    """Return what was admitted in the vault at `root`."""
    real = os.path.realpath(root)
    name = hashlib.sha256(os.fsencode(real)).hexdigest()
    data = read_state(GROUP, name)
    rows = data.get("records")
    if data.get("vault") != real or not isinstance(rows, Mapping):
        return Ledger(name, real)
    found = {
        str(key): Admitted(*map(str, row))
        for key, row in rows.items()
        if isinstance(row, list) and len(row) == _ROW
    }
    return Ledger(name, real, found, exists=True)


def incoming_policy(root: Path, config: Config) -> str:
    """Return `accept`, `review` or `signed` for the vault at `root`; git is not started.

    `auto` is `accept` where the person made the vault or said `mvault trust`, and where the
    repository has no other side that anything could come from; else `review`.
    """
    policy = str(config["trust.incoming"])
    if policy != "auto":
        return policy
    return "accept" if is_own(root) else "review"


def is_own(root: Path) -> bool:
    """Whether the person made or trusted the vault, or nothing comes into it by git."""
    place = find_place(root)
    if place is None or trusted_fingerprint(place) or is_made_here(root):
        return True
    return not has_other_side(place)


def has_other_side(place: Place) -> bool:
    """Whether a repository was cloned or fetched from somewhere, or has a remote.

    Only files are looked at. A repository that hides it is like a folder without one: then what
    is in force came with the folder, and nothing can follow without leaving these traces.
    """
    common = place.common_dir
    if (place.git_dir / "FETCH_HEAD").exists() or (common / "shallow").exists():
        return True
    if any(_REMOTE.search(_read(common / name)) for name in ("config", "packed-refs")):
        return True
    return any(path.is_file() for path in (common / "refs" / "remotes").rglob("*"))


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError:
        return b""


def is_made_here(root: Path) -> bool:
    """Whether `mvault init` made this vault for the person, on this machine."""
    real = os.path.realpath(root)
    return read_state("made", hashlib.sha256(os.fsencode(real)).hexdigest()).get("vault") == real


def note_made_here(root: Path) -> None:
    """Remember that the person made this vault; StoreError as `write_state`."""
    real = os.path.realpath(root)
    write_state("made", hashlib.sha256(os.fsencode(real)).hexdigest(), {"vault": real})


def has_ledger(root: Path) -> bool:
    """Whether anything was ever admitted here under a policy that asks."""
    real = os.path.realpath(root)
    return state_file(GROUP, hashlib.sha256(os.fsencode(real)).hexdigest()).exists()


def record_change(root: Path, change: Change, commit: str) -> None:
    """Take down what a change through the gate put in force, or took out of it.

    A text that an agent wrote through the gate is not in force by that; one that a person or
    their policy decided on is admitted.

    Raises:
        StoreError: the state folder cannot be written.
    """
    from vault_cli.text.fields import read_record

    ledger = load_ledger(root)
    before = dict(ledger.rows)
    decides = change.actor in {Actor.PERSON, Actor.POLICY}
    for edit in change.edits:
        gone = edit.path if isinstance(edit, Move | Remove) else ""
        for key in [key for key, row in ledger.rows.items() if gone and row.path == gone]:
            del ledger.rows[key]
    for edit in change.edits:
        if isinstance(edit, Remove):
            continue
        path = edit.path if isinstance(edit, Put) else edit.target
        record = read_record(edit.data, path)[0] if path.endswith(".md") else None
        if record is None:
            continue
        if record.in_force and decides:
            ledger.admit((record,), commit)
        elif not record.in_force:
            ledger.rows.pop(record.id, None)
    if ledger.rows != before:
        ledger.save()
