"""What of a vault the person has admitted, kept in their own state folder. May import `errors`.

Under `trust.incoming = review` the texts in force that were admitted here are remembered by record:
digest, path, and a commit that holds the text. A pull, or a commit that somebody makes with plain
git, changes files but not this list. The texts themselves stay in git only.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from vault_cli.errors import StoreError, UsageError, VaultError
from vault_cli.model.change import Move, Put, Remove
from vault_cli.model.lifecycle import Actor
from vault_cli.store.clone import make_mark, mark_of
from vault_cli.store.files import read_file
from vault_cli.store.git_place import find_place, main_twin
from vault_cli.store.own_state import (
    INCOMING,
    path_key,
    require_state,
    standing_place,
    state_file,
    write_state,
)
from vault_cli.store.toml_read import CONFIG_FILE, parse_toml

if TYPE_CHECKING:
    from vault_cli.model.change import Change
    from vault_cli.model.record import Record

_ROW: Final = 3
_KNOWN: Final = 32

UNREAD_HINT: Final = (
    "Until then nothing of this vault counts here, its settings neither. Put the file back from a"
    " backup, or let a person look at everything again: mvault trust"
)
"""What to do when the list of what was admitted cannot be read."""

_SHOWS_ALL: Final = frozenset({"approve", "verify"})
"""Verbs of changes before which a person is shown the whole text that comes into force."""


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
        unseen: ids of records that waited for a person when a command took them out of force:
            what brings them back without showing their whole text does not admit them.
        known: by path the digests (32 hex digits) of texts that are not in force and were made
            here, or were there when a person trusted the vault. Only these have a say.
        problem: why the file that is there cannot be read, "" when it can. Then nothing counts as
            admitted, the settings neither, and nothing is written over it.
    """

    name: str
    root: str
    rows: dict[str, Admitted] = field(default_factory=dict)
    exists: bool = False
    unseen: set[str] = field(default_factory=set)
    known: dict[str, str] = field(default_factory=dict)
    problem: str = ""

    def require_readable(self) -> None:
        """Raise StoreError when the file is there and cannot be read."""
        if self.problem:
            raise StoreError(self.problem, hint=UNREAD_HINT)

    def save(self) -> None:
        """Write it; StoreError when the state or git folder cannot be written, or as above."""
        self.require_readable()
        rows = {key: list(row) for key, row in sorted(self.rows.items())}
        mark = make_mark(find_place(Path(self.root)))
        data = {"vault": self.root, "mark": mark, "records": rows}
        more: dict[str, Any] = {"unseen": sorted(self.unseen)} if self.unseen else {}
        more |= {"known": dict(sorted(self.known.items()))} if self.known else {}
        write_state(INCOMING, self.name, {**data, **more})
        self.exists = True

    def admit(self, records: Iterable[Record], commit: str) -> None:
        """Take down records in force and disabled topics as admitted, as they stand in a commit."""
        for record in records:
            if record.has_effect:
                self.rows[record.id] = Admitted(record.path, record.digest, commit)
                self.unseen.discard(record.id)

    def note_known(self, record: Record) -> None:
        """Take down a text that is not in force as made or looked at here."""
        if not record.has_effect:
            self.known[record.path] = record.digest[:_KNOWN]

    def knows(self, record: Record) -> bool:
        """Tell whether a record is in force, or not and known here."""
        return record.has_effect or self.known.get(record.path) == record.digest[:_KNOWN]

    def has(self, record: Record) -> bool:
        """Tell whether this text of a record was admitted."""
        row = self.rows.get(record.id)
        return row is not None and row.digest == record.digest

    def may_admit(self, record_id: str, verb: str) -> bool:
        """Tell whether a change of a person's lets a record count that it puts in force."""
        return record_id not in self.unseen or verb in _SHOWS_ALL

    def admit_settings(self, data: bytes, commit: str) -> None:
        """Take down the vault's own settings as admitted."""
        self.rows[CONFIG_FILE] = Admitted(CONFIG_FILE, _digest(data), commit)

    def pin_settings(self, root: Path, commit: str) -> None:
        """Take settings that set nothing down beside the first admitted text: later ones wait.

        Others were not shown to anybody with that text, and wait themselves.
        """
        data = read_settings(root)
        if self.rows and CONFIG_FILE not in self.rows and not sets_anything(data):
            self.admit_settings(data, commit)


def _digest(data: bytes) -> str:
    import hashlib

    return hashlib.sha256(data).hexdigest()


def sets_anything(data: bytes) -> bool:
    """Tell whether a `vault.toml` says more than that it is one; one nobody can read does."""
    try:
        return not parse_toml(data, CONFIG_FILE).keys() <= {"schema"}
    except UsageError:
        return True


def read_settings(root: Path) -> bytes:
    """Return the bytes of the vault's own settings, b"" when they cannot be read."""
    try:
        return read_file(root, CONFIG_FILE)
    except VaultError:
        return b""


def load_ledger(root: Path) -> Ledger:
    """Return what was admitted in the vault at `root`; see `Ledger.problem`."""
    real = standing_place(root)
    name = path_key(real)
    try:
        data = require_state(INCOMING, name)
        ledger = Ledger(name, real) if data is None else _read_ledger(name, real, data)
    except StoreError as error:
        problem = f"what was admitted here cannot be told: {error.message}"
        return Ledger(name, real, exists=True, problem=problem)
    if data is not None and data.get("mark", "") != mark_of(root):
        return Ledger(name, real)  # about a clone that lay there before
    return ledger if data is not None else _of_main_tree(name, real, root)


def _of_main_tree(name: str, real: str, root: Path) -> Ledger:
    """Return what was admitted of a vault in the main work tree of its clone, for a linked one.

    It is a list of its own from the first change on.
    """
    with suppress(StoreError):
        twin = main_twin(real, find_place(root))
        mark = mark_of(root)
        data = require_state(INCOMING, path_key(twin)) if twin and mark else None
        if data is not None and data.get("mark") == mark:
            found = _read_ledger(path_key(twin), twin, data)
            found.name, found.root = name, real
            return found
    return Ledger(name, real)


def _read_ledger(name: str, real: str, data: Mapping[str, Any]) -> Ledger:
    """Return what a file says; StoreError when a part of it is not what we write."""
    rows, listed, known = data.get("records"), data.get("unseen", []), data.get("known", {})
    whole = data.get("vault") == real and isinstance(rows, dict)
    whole = whole and isinstance(listed, list) and isinstance(known, dict)
    found: dict[str, Admitted] = {}
    for key, row in rows.items() if whole and isinstance(rows, dict) else ():
        whole = whole and isinstance(row, list) and len(row) == _ROW
        found[key] = Admitted(*map(str, row)) if whole else Admitted("", "", "")
    if not whole:
        path = state_file(INCOMING, name)
        raise StoreError(f"{path} is damaged: it does not hold what mvault writes")
    unseen, made = set(map(str, listed)), {str(path): str(text) for path, text in known.items()}
    return Ledger(name, real, found, exists=True, unseen=unseen, known=made)


def has_ledger(root: Path) -> bool:
    """Whether anything was ever admitted here under a policy that asks."""
    return load_ledger(root).exists


class Before(NamedTuple):
    """What a vault held before a change.

    Args:
        standing: id and digest of each record in force as a file, by path.
        waiting: ids that waited for a person, and whether a record of that id was in force as a
            file: such a record can be taken out of force.
    """

    standing: Mapping[str, tuple[str, str]] = MappingProxyType({})
    waiting: Mapping[str, bool] = MappingProxyType({})


def unreviewed(root: Path, change: Change, before: Before) -> str:
    """Return the id of a record that a change writes in force and that nobody looked at, or "".

    Whether the change admits it is not asked here: a signature on its commit is about whole files.
    """
    ledger = load_ledger(root)
    waiting = ledger.unseen.union(before.waiting) if change.verb not in _SHOWS_ALL else ()
    for edit in change.edits:
        if isinstance(edit, Remove):
            continue
        path = _place_after(edit)
        record = _read_record(edit.data, path)
        key = path if path == CONFIG_FILE else record.id if record and record.has_effect else ""
        row = ledger.rows.get(key)
        is_known = row is not None and row.digest == _digest(edit.data)
        if key in waiting and not is_known:
            return key
    return ""


def record_change(root: Path, change: Change, commit: str, before: Before) -> list[Record]:
    """Take down what a change through the gate put in force, or took out of it.

    A text that an agent wrote through the gate is not in force by that; one that a person or
    their policy decided on is admitted. What waited before the change still does: who edits a
    key of a record, or rejects a draft with its id, has not been shown what others changed.

    Args:
        root: the vault.
        change: the change that was made.
        commit: its commit.
        before: what was in force, and what waited for a person, when it was planned.

    Returns:
        The records that the change leaves in force as files and that still wait for a person.

    Raises:
        StoreError: what was admitted cannot be read or written.
    """
    ledger = load_ledger(root)
    ledger.require_readable()
    old = dict(ledger.rows), set(ledger.unseen), dict(ledger.known)
    decides = change.actor in {Actor.PERSON, Actor.POLICY}
    after = {_place_after(edit): edit.data for edit in change.edits if not isinstance(edit, Remove)}
    texts = {path: _read_record(data, path) for path, data in after.items()}
    left = {edit.path for edit in change.edits} | set(after)
    elsewhere = {key: path for path, (key, _) in before.standing.items() if path not in left}
    _drop_rows(ledger, change, before, elsewhere, texts)
    _follow_moves(ledger, before, elsewhere, commit)
    for path, record in texts.items():
        if path == CONFIG_FILE and decides and CONFIG_FILE not in before.waiting:
            ledger.admit_settings(after[path], commit)
        if record is None or record.id in elsewhere:
            continue
        if record.id in before.waiting:
            if not record.has_effect and path in before.standing:
                ledger.unseen.add(record.id)
        elif record.has_effect and decides and ledger.may_admit(record.id, change.verb):
            ledger.admit((record,), commit)
    ledger.pin_settings(root, commit)
    if ledger.exists or ledger.rows:
        _note_known(ledger, change, texts)
    if (ledger.rows, ledger.unseen, ledger.known) != old:
        ledger.save()
    left_over = (record for record in texts.values() if record is not None and record.has_effect)
    return [record for record in left_over if not ledger.has(record)]


def _note_known(ledger: Ledger, change: Change, texts: Mapping[str, Record | None]) -> None:
    """Take down the texts out of force that a change made, in the place of those before them."""
    for edit in change.edits:
        ledger.known.pop(edit.path, None)
    for record in texts.values():
        if record is not None:
            ledger.note_known(record)


def _read_record(data: bytes, path: str) -> Record | None:
    from vault_cli.text.fields import read_record

    return read_record(data, path)[0] if path.endswith(".md") else None


def _drop_rows(
    ledger: Ledger,
    change: Change,
    before: Before,
    elsewhere: Mapping[str, str],
    texts: Mapping[str, Record | None],
) -> None:
    """Drop the rows of the admitted texts that a change took out of force.

    Neither an id nor a path says which text that was: a draft may have the id of a rule, or lie
    where a rule lay. It is the file that was in force, and no other file of it is left. An
    agent takes out only the very text that was admitted.
    """
    decides = change.actor in {Actor.PERSON, Actor.POLICY}
    standing = {key for key, _ in before.standing.values()}
    forgotten = set(change.ids) if change.verb == "forget" and decides else set()
    for edit in change.edits:
        path = edit.path
        key, digest = before.standing.get(path, ("", ""))
        if not key:  # the person took it out of force by hand before, with the same file
            key = next((k for k, row in ledger.rows.items() if row.path == path != CONFIG_FILE), "")
            key = "" if key in standing else key
        row = ledger.rows.get(key)
        if row is None or key in elsewhere or not (decides or digest == row.digest):
            continue
        record = None if isinstance(edit, Remove) else texts.get(_place_after(edit))
        if record is not None and record.id == key and record.has_effect:
            continue
        # of what waits only a file in force is taken out: a removal may be about another text
        is_out = record is not None and record.id == key and before.waiting.get(key, True)
        if is_out or key not in before.waiting:
            del ledger.rows[key]
    for key in forgotten - set(elsewhere):
        ledger.rows.pop(key, None)
        ledger.unseen.discard(key)


def _place_after(edit: Put | Move) -> str:
    return edit.path if isinstance(edit, Put) else edit.target


def _follow_moves(
    ledger: Ledger, before: Before, elsewhere: Mapping[str, str], commit: str
) -> None:
    """Let a row say where its text stands now, when others moved it and nothing else."""
    for key, path in elsewhere.items():
        row = ledger.rows.get(key)
        if row is None or row.path in before.standing:
            continue
        if before.standing[path][1] == row.digest:
            ledger.rows[key] = Admitted(path, row.digest, commit)
