"""What the person's trust settings leave of a snapshot. May import `store`, `model`, `errors`.

Three policies: `trust.uncommitted = committed` (HEAD's text counts), `trust.incoming = review` or
`signed` (the last admitted text counts), `trust.require_signed` (a text counts when the commit that
made it is signed). With all of them off nothing here runs.

A record that is kept out gets `Record.withheld`, and stays in the snapshot, so that whoever shows
something can say why. A text that is shown in place of the file's is parsed like any other.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final

from vault_cli.errors import Diagnostic, VaultError
from vault_cli.model.paths import fold_path
from vault_cli.model.record import Record, Snapshot
from vault_cli.store.clone import describe_clone
from vault_cli.store.files import read_file
from vault_cli.store.incoming import UNREAD_HINT, Ledger, load_ledger
from vault_cli.store.policy import incoming_policy, policies_of
from vault_cli.store.waiting import Waiting, admitted_texts, find_waiting, parse_all

if TYPE_CHECKING:
    from vault_cli.store.repo import Repository
    from vault_cli.store.vault import Vault

UNCOMMITTED: Final = "not committed"
NEW: Final = "put in force by others, not reviewed"
UNREAD: Final = "the list of what was admitted here cannot be read"
FIRST: Final = "received from elsewhere, nothing of it was admitted here yet"
SHOWN: Final = "changed by others, not reviewed: the admitted text counts, not this one"
MOVED: Final = "it changed while it was read"
LOST: Final = "changed by others, and git no longer has the admitted text"

COPY: Final = "has the id of a record in force"
CHANGED: Final = "a changed text of it waits for a review"
GONE: Final = "others took it out of force, which waits for a review"
EDITED: Final = "an edit of it is not committed"
"""What `Record.waits` says of an admitted text."""

_DUPLICATE: Final = "duplicate-id"
_COLLISION: Final = "name-collision"


@dataclass(slots=True)
class Guarded:
    """A snapshot as the person's settings let it be seen.

    Args:
        snapshot: its records; those kept out have `withheld`.
        waiting: what came from others and waits for a person.
        replaced: paths whose committed text is shown instead of the file's.
        is_first: nothing was ever admitted here.
        first_because: what is known then about the clone, in words; "" for nothing.
        policies: settings that are in effect, in words.
        problem: what is wrong with the list of what was admitted here, if anything.
        restored: commit that holds an admitted text which is shown, by path and digest.
    """

    snapshot: Snapshot
    waiting: tuple[Waiting, ...] = ()
    replaced: tuple[str, ...] = ()
    is_first: bool = False
    first_because: str = ""
    policies: tuple[str, ...] = ()
    problem: Diagnostic | None = None
    restored: dict[tuple[str, str], str] = field(default_factory=dict)

    @property
    def withheld(self) -> tuple[Record, ...]:
        """The records in force (and disabled topics) that are kept out."""
        return tuple(r for r in self.snapshot.records if r.withheld and r.has_effect)


def guard_snapshot(vault: Vault, snapshot: Snapshot) -> Guarded:
    """Apply the person's trust settings to a snapshot of the working tree or of a commit.

    Of a commit (`--at`) only the signatures are asked for: it was named to be looked at.

    Raises:
        UsageError: a setting cannot be used. StoreError: git failed.
    """
    policies = policies_of(vault.root, vault.config)
    guarded = Guarded(snapshot, policies=policies)
    if not policies:
        return guarded
    repo = vault.repo
    if not snapshot.commit:
        if vault.config["trust.uncommitted"] == "committed" and repo is not None:
            _show_committed(guarded, repo)
        if incoming_policy(vault.root, vault.config) != "accept":
            _keep_admitted(guarded, vault)
    if vault.config["trust.require_signed"]:
        _require_signed(guarded, vault)
    return guarded


# trust.uncommitted


def _show_committed(guarded: Guarded, repo: Repository) -> None:
    """Put HEAD's text in the place of edits of records in force that are not committed."""
    standing = [record.path for record in guarded.snapshot.records if record.has_effect]
    found = repo.pending(also=standing)
    changed = {item.path: item.code for item in found if item.path.endswith(".md")}
    if not changed:
        return
    texts = repo.read_head(path for path, code in changed.items() if code != "added")
    old = {path: record for path, record in parse_all(texts).items() if record.has_effect}
    records = [record for record in guarded.snapshot.records if record.path not in old]
    for record in records:
        if record.path in changed and record.has_effect:
            _withhold(record, UNCOMMITTED)
    records.extend(_note_waiting(record, EDITED) for record in old.values())
    guarded.replaced = tuple(sorted(old))
    guarded.snapshot = _with_records(guarded.snapshot, records)


def _withhold(record: Record, reason: str) -> Record:
    """Mark a record that was just read; in place, as `recall.together.mark_vault` does."""
    object.__setattr__(record, "withheld", reason)
    return record


def _note_waiting(record: Record, what: str) -> Record:
    """Return an admitted text with what waits in its place."""
    return replace(record, waits=what)


def _with_records(snapshot: Snapshot, records: Iterable[Record]) -> Snapshot:
    """Return a snapshot of these records; what is kept out, or no record in force, hides none.

    A copy of an id, or a name that differs only in case, holds both files back until a person
    decides. Here a policy has decided between them.
    """
    listed = sorted(records, key=lambda record: (record.path, record.digest))
    shown = [record for record in listed if record.has_effect and not record.withheld]
    ids = Counter(record.id for record in shown)
    names = Counter(fold_path(record.path) for record in shown)
    for record in listed:
        if not record.has_effect and record.id in ids:
            _withhold(record, COPY)
    kept = (
        _released(record, ids[record.id] == 1, names[fold_path(record.path)] == 1)
        if record.findings and record.has_effect and not record.withheld
        else record
        for record in listed
    )
    return replace(snapshot, records=tuple(kept))


def _released(record: Record, is_only_id: bool, is_only_name: bool) -> Record:  # noqa: FBT001
    """Return a record without the findings that were about files which do not count."""
    codes = {_DUPLICATE} if is_only_id else set()
    codes |= {_COLLISION} if is_only_name else set()
    left = tuple(found for found in record.findings if found.code not in codes)
    return record if left == record.findings else replace(record, findings=left)


# trust.incoming


def ledger_problem(ledger: Ledger) -> Diagnostic | None:
    """Return what is to be said of a list of admitted texts that cannot be read."""
    if not ledger.problem:
        return None
    return Diagnostic("", 0, "trust-state", "error", ledger.problem, UNREAD_HINT)


def _keep_admitted(guarded: Guarded, vault: Vault) -> None:
    """Let the last admitted text of each record in force stand for what others made of it."""
    ledger = load_ledger(vault.root)
    guarded.is_first = not ledger.exists
    guarded.problem = ledger_problem(ledger)
    if guarded.is_first:
        guarded.first_because = describe_clone(vault.root)
    waiting = find_waiting(vault, guarded.snapshot, ledger)
    guarded.waiting = tuple(waiting)
    texts = admitted_texts(vault, [item for item in waiting if item.admitted])
    items = {item.id: item for item in waiting}
    kept = frozenset(texts)
    records: list[Record] = []
    copies = _second_files(guarded.snapshot.records, ledger)
    for record in guarded.snapshot.records:
        item = items.get(record.id)
        row = item.admitted if item else None
        if record.path in copies:
            records.append(_withhold(record, COPY))
        elif row is not None and record.has_effect and record.digest == row.digest:
            texts.pop(record.id, None)  # a changed copy lies beside it
            records.append(_note_waiting(record, CHANGED))
        elif item is not None and record.has_effect:
            shown = SHOWN if item.id in kept else LOST
            first = UNREAD if guarded.problem else FIRST if guarded.is_first else NEW
            records.append(_withhold(record, first if row is None else shown))
        elif record.id not in kept:
            if not ledger.knows(record):
                object.__setattr__(record, "foreign", True)  # in place, as above
            records.append(record)
    for key, record in texts.items():
        what = GONE if items[key].what == "gone" else CHANGED
        records.append(_note_waiting(record, what))
        row = items[key].admitted
        guarded.restored[record.path, record.digest] = row.commit if row else ""
    records = _read_whole(vault, guarded, records)
    guarded.snapshot = _with_records(guarded.snapshot, records)
    if guarded.problem:
        found = (guarded.problem, *guarded.snapshot.diagnostics)
        guarded.snapshot = replace(guarded.snapshot, diagnostics=found)


def _second_files(records: Iterable[Record], ledger: Ledger) -> set[str]:
    """Return the files beside the one that counts with the text that was admitted under their id.

    Copies of an id hold each other, so a push could take a rule out of force by laying its own
    text beside it. It goes on where it stood when it was admitted, also with an edit of the
    person's; where nothing of it stands there, in the first file.
    """
    groups: dict[str, list[Record]] = {}
    for record in records:
        if record.has_effect and record.id in ledger.rows:
            groups.setdefault(record.id, []).append(record)
    found: set[str] = set()
    for key, group in groups.items():
        place = ledger.rows[key].path
        same = sorted(r.path for r in group if ledger.has(r))
        first = place if any(r.path == place for r in group) else next(iter(same), "")
        found.update(path for path in same if path != first)
    return found


def _read_whole(vault: Vault, guarded: Guarded, records: Iterable[Record]) -> list[Record]:
    """Return the records, those whole that count after all and of which only the head was read."""
    left = set(guarded.snapshot.passed_over)
    found: list[Record | None] = []
    for record in records:
        key = record.path, record.digest
        if record.has_effect and not record.withheld and key in left:
            left.discard(key)
            found.append(_read_again(vault, record))
        else:
            found.append(record)
    guarded.snapshot = replace(guarded.snapshot, passed_over=frozenset(left))
    return [record for record in found if record is not None]


def _read_again(vault: Vault, record: Record) -> Record | None:
    """Return a record with its text, scanned; None where that shows that it is none."""
    from vault_cli.store.reader import parse_file

    with suppress(VaultError):
        found, _ = parse_file(read_file(vault.root, record.path), record.path, vault.config.gates)
        if found is None or found.digest == record.digest:
            about_files = (f for f in record.findings if f.code in {_DUPLICATE, _COLLISION})
            return found and replace(found, findings=(*found.findings, *about_files))
    return _withhold(record, MOVED)


# trust.require_signed


def _require_signed(guarded: Guarded, vault: Vault) -> None:
    """Keep out every record whose present text no allowed key has signed."""
    from vault_cli.store.signed import signed_reasons

    repo, named = vault.repo, str(vault.config["trust.allowed_signers"])
    groups: dict[str, list[Record]] = {}
    for record in guarded.snapshot.records:
        if record.has_effect and not record.withheld:
            commit = guarded.restored.get((record.path, record.digest), guarded.snapshot.commit)
            groups.setdefault(commit, []).append(record)
    for commit, records in groups.items():
        reasons = signed_reasons(repo, named, records, commit) if repo is not None else {}
        for record in records:
            reason = reasons.get(record.path, "" if repo is not None else UNCOMMITTED)
            if reason:
                _withhold(record, reason)
    guarded.snapshot = _with_records(guarded.snapshot, guarded.snapshot.records)
