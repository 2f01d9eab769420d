"""What was changed in a vault since its last commit, and its commit. May import `store`, `model`.

Everything that a person left in the work tree goes along, but for what must not enter history:
a text nobody can read, one with the marks of an unfinished merge, a copy that a sync program made.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NamedTuple

from vault_cli.errors import Diagnostic, VaultError
from vault_cli.model.change import Change, Put, Receipt, Remove
from vault_cli.model.lifecycle import Actor
from vault_cli.store.config import CONFIG_FILE
from vault_cli.store.file_names import is_record_path
from vault_cli.store.files import digest_bytes, read_file
from vault_cli.store.gate import is_committed_path
from vault_cli.store.joining import commit_edits
from vault_cli.store.journal import MAX_CHANGED
from vault_cli.text.late import late
from vault_cli.text.lines import find_conflict

if TYPE_CHECKING:
    from vault_cli.model.record import Record
    from vault_cli.store.vault import Vault

_FEW: Final = 3
_PART: Final = 10
_MANY: Final = 100
_LEFTOVER: Final = late(r"~$|\.(?:swp|swo|tmp|bak|orig|rej|part)$|^\.|^#.*#$", re.IGNORECASE)
_KEPT_DOTS: Final = frozenset({".gitignore", ".gitattributes", ".gitkeep"})


class Gone(NamedTuple):
    """Records that are missing, out of how many."""

    number: int
    total: int

    @property
    def is_mass(self) -> bool:
        """Whether so many are missing that it may well be half a checkout."""
        return self.number > _FEW and (self.number * _PART > self.total or self.number > _MANY)


_NONE_GONE: Final = Gone(0, 0)


@dataclass(slots=True)
class Own:
    """What was changed here since the last commit.

    Args:
        edits: what goes into a commit, as it is on disk.
        left: why other files do not, one finding a file.
        in_force: paths of `edits` that put something in force, change it, or take it out.
        gone: how many committed records are missing.
        ids: the records that `edits` are about.
        title: how a commit of one record is called.
    """

    edits: tuple[Put | Remove, ...] = ()
    left: tuple[Diagnostic, ...] = ()
    in_force: tuple[str, ...] = ()
    gone: Gone = _NONE_GONE
    ids: tuple[str, ...] = ()
    title: str = ""


def find_own(vault: Vault) -> Own:
    """Look through everything that differs between the work tree and HEAD.

    Raises:
        StoreError: git failed.
    """
    repo = vault.require_repo()
    pending = [item for item in repo.pending() if is_committed_path(item.path)]
    heads = repo.read_head([item.path for item in pending if item.code != "added"])
    copies = _copies(vault, {item.path for item in pending if item.code == "added"})
    own = Own()
    edits: list[Put | Remove] = []
    left: list[Diagnostic] = []
    in_force: list[str] = []
    records: list[Record] = []
    for item in pending:
        old = heads.get(item.path)
        found = _look_at(vault, item.path, item.code, old, copies)
        if isinstance(found, Diagnostic):
            left.append(found)
        elif found is not None:
            edits.append(found)
            here = _records(vault, item.path, old, found)
            records += here
            if item.path == CONFIG_FILE or any(record.has_effect for record in here):
                in_force.append(item.path)
    own.edits, own.left, own.in_force = tuple(edits), tuple(left), tuple(in_force)
    own.gone = _gone(vault, edits, records)
    own.ids = tuple(dict.fromkeys(record.id for record in records))
    own.title = f"({records[0].kind}): {records[0].title}" if len(own.ids) == 1 else ""
    return own


def _copies(vault: Vault, added: set[str]) -> set[str]:
    """Return the new files that a sync program made beside a record with the same id."""
    from vault_cli.store.assembly import is_copy_name

    names = {path for path in added if is_copy_name(path)}
    if not names:
        return set()
    records = vault.snapshot(whole=False).records
    ids = {record.id for record in records if record.path not in names}
    return {record.path for record in records if record.path in names and record.id in ids}


def _look_at(
    vault: Vault, path: str, code: str, old: bytes | None, copies: set[str]
) -> Put | Remove | Diagnostic | None:
    """Return what a file adds to the commit, why it stays out, or None for a left-over."""
    name = path.rpartition("/")[2]
    is_leftover = name not in _KEPT_DOTS and _LEFTOVER.search(name)
    if code == "added" and (is_leftover or _in_dot_folder(path)):
        return None
    if code == "deleted":
        return Remove(path, digest_bytes(old or b""))
    if path in copies:
        return Diagnostic(
            path, 0, "conflict-copy", "warning",
            "a copy that a sync program made of a record that is here; it is not committed",
            "Compare both, keep what is right in the plain name, and delete the copy.",
        )  # fmt: skip
    try:
        data = read_file(vault.root, path, MAX_CHANGED)
    except (VaultError, OSError) as error:
        said = error.message if isinstance(error, VaultError) else str(error)
        return Diagnostic(path, 0, "unreadable", "error", said)
    broken = _broken(vault, path, data)
    return broken or Put(path, data, digest_bytes(old) if old is not None else "")


def _in_dot_folder(path: str) -> bool:
    """Tell whether a file is another program's: a person adds such a one with git."""
    return any(part.startswith(".") for part in path.split("/")[:-1])


def _broken(vault: Vault, path: str, data: bytes) -> Diagnostic | None:
    """Return why a text must not go into history: nobody could read it, or a merge is not done."""
    if is_record_path(path, vault.config["files.ignore"]):
        record, findings = vault.screen().read(data, path)
        if record is None:
            return next(f for f in findings if f.severity == "error")
        return None
    conflict = find_conflict(data.decode("utf-8", "replace")) if b"\0" not in data else None
    if conflict is None or path.endswith(".jsonl"):
        return None
    line, marker = conflict
    text = f"a merge conflict is left in the file: {marker[:20]}"
    return Diagnostic(path, line + 1, "conflict-markers", "error", text, "Keep one side.")


def _records(vault: Vault, path: str, old: bytes | None, edit: Put | Remove) -> list[Record]:
    if not is_record_path(path, vault.config["files.ignore"]):
        return []
    texts = [old, edit.data if isinstance(edit, Put) else None]
    read = vault.screen().read
    found = [read(data, path)[0] for data in texts if data is not None]
    return [record for record in found if record is not None]


def _gone(vault: Vault, edits: Sequence[Put | Remove], records: Sequence[Record]) -> Gone:
    """Count the records that are missing; one that lies elsewhere now is not."""
    removed = [edit.path for edit in edits if isinstance(edit, Remove)]
    if not removed:
        return Gone(0, 0)
    put = {edit.path for edit in edits if isinstance(edit, Put)}
    moved = {record.id for record in records if record.path in put}
    lost = {r.id for r in records if r.path in removed and r.id not in moved}
    total = len(lost) + len(vault.snapshot(whole=False).records)
    return Gone(len(lost), total)


def record_own(vault: Vault, own: Own, change: Change, *, wait: float) -> Receipt:
    """Commit what was changed here, as a commit of its own.

    Args:
        vault: the vault.
        own: what was found.
        change: what the commit says, with `own.edits`.
        wait: most seconds to wait for another writer.

    Raises:
        VaultError: as `joining.commit_edits`.
    """
    before = vault.look_before(change)
    with vault.keeping_own(change, before):
        commit = commit_edits(
            vault.root, vault.require_repo(), change, screen=vault.screen(), wait=wait
        )
    paths = tuple(edit.path for edit in own.edits)
    return vault.note_admitted(change, Receipt(commit, paths), wait, before)


def edit_change(own: Own, actor: Actor) -> Change:
    """Return the change that records what was edited here."""
    count = len(own.edits)
    subject = own.title or (f": {own.edits[0].path}" if count == 1 else f": {count} files")
    return Change("edit", subject, own.edits, ids=own.ids, actor=actor, origin="sync")
