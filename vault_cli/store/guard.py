"""What the person's trust settings leave of a snapshot. May import `store`, `model`, `errors`.

Three policies: `trust.uncommitted = committed` (HEAD's text counts), `trust.incoming = review` or
`signed` (the last admitted text counts), `trust.require_signed` (a text counts when the commit that
made it is signed). With all of them off nothing here runs.

A record that is kept out gets `Record.withheld`, and stays in the snapshot, so that whoever shows
something can say why. A text that is shown in place of the file's is parsed like any other.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final, NamedTuple

from vault_cli.errors import StoreError
from vault_cli.model.record import Record, Snapshot
from vault_cli.store.incoming import Admitted, Ledger, incoming_policy, load_ledger

if TYPE_CHECKING:
    from vault_cli.store.repo import Repository
    from vault_cli.store.vault import Vault

UNCOMMITTED: Final = "not committed"
CHANGED: Final = "changed since it was signed"
SHALLOW: Final = "history is cut off here (shallow clone)"
NEW: Final = "put in force by others, not reviewed"
FIRST: Final = "received from elsewhere, nothing of it was admitted here yet"
SHOWN: Final = "changed by others, not reviewed: the admitted text is shown"
LOST: Final = "changed by others, and git no longer has the admitted text"

_DUPLICATE: Final = "duplicate-id"


class Waiting(NamedTuple):
    """A change of what is in force that came from others and that nobody looked at here.

    Args:
        id: the record.
        what: `new`, `changed` or `gone` (taken out of force, or removed).
        path: where it stands now, "" when the file is gone.
        admitted: the text that counts until then; None for a new record.
        present: the record as it is on disk, None when the file is gone.
    """

    id: str
    what: str
    path: str
    admitted: Admitted | None
    present: Record | None


@dataclass(slots=True)
class Guarded:
    """A snapshot as the person's settings let it be seen.

    Args:
        snapshot: its records; those kept out have `withheld`.
        waiting: what came from others and waits for a person.
        replaced: paths whose committed text is shown instead of the file's.
        is_first: nothing was ever admitted here.
        policies: settings that are in effect, in words.
    """

    snapshot: Snapshot
    waiting: tuple[Waiting, ...] = ()
    replaced: tuple[str, ...] = ()
    is_first: bool = False
    policies: tuple[str, ...] = field(default_factory=tuple)

    @property
    def withheld(self) -> tuple[Record, ...]:
        """The records that are kept out."""
        return tuple(record for record in self.snapshot.records if record.withheld)


def policies_of(vault: Vault) -> tuple[str, ...]:
    """Return the trust settings that keep something out of this vault's renders, in words."""
    config = vault.config
    found = []
    policy = incoming_policy(vault.root, config)
    if policy != "accept":
        found.append(f"trust.incoming = {policy}")
    if config["trust.uncommitted"] == "committed":
        found.append("trust.uncommitted = committed")
    if config["trust.require_signed"]:
        found.append("trust.require_signed = true")
    return tuple(found)


def guard_snapshot(vault: Vault, snapshot: Snapshot) -> Guarded:
    """Apply the person's trust settings to a snapshot of the working tree or of a commit.

    Of a commit (`--at`) only the signatures are asked for: it was named to be looked at.

    Raises:
        UsageError: a setting cannot be used. StoreError: git failed.
    """
    policies = policies_of(vault)
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
    changed = {item.path: item.code for item in repo.pending() if item.path.endswith(".md")}
    if not changed:
        return
    texts = repo.read_head(path for path, code in changed.items() if code != "added")
    old = {path: record for path, record in _parse_all(texts).items() if record.in_force}
    records = [record for record in guarded.snapshot.records if record.path not in old]
    for record in records:
        if record.path in changed and record.in_force:
            _withhold(record, UNCOMMITTED)
    records.extend(old.values())
    guarded.replaced = tuple(sorted(old))
    guarded.snapshot = _with_records(guarded.snapshot, records)


def _withhold(record: Record, reason: str) -> Record:
    """Mark a record that was just read; in place, as `recall.together.mark_vault` does."""
    object.__setattr__(record, "withheld", reason)
    return record


def _parse_all(texts: Mapping[str, bytes]) -> dict[str, Record]:
    from vault_cli.text.fields import read_record

    found = ((path, read_record(data, path)[0]) for path, data in texts.items())
    return {path: record for path, record in found if record is not None}


def _with_records(snapshot: Snapshot, records: Iterable[Record]) -> Snapshot:
    """Return a snapshot of these records; ids that stand twice only because of others are not."""
    listed = sorted(records, key=lambda record: (record.path, record.digest))
    seen: dict[str, int] = {}
    for record in listed:
        if not record.withheld:
            seen[record.id] = seen.get(record.id, 0) + 1
    kept = [
        replace(r, findings=tuple(f for f in r.findings if f.code != _DUPLICATE))
        if seen.get(r.id) == 1 and any(f.code == _DUPLICATE for f in r.findings)
        else r
        for r in listed
    ]
    return replace(snapshot, records=tuple(kept))


# trust.incoming


def _keep_admitted(guarded: Guarded, vault: Vault) -> None:
    """Let the last admitted text of each record in force stand for what others made of it."""
    ledger = load_ledger(vault.root)
    guarded.is_first = not ledger.exists
    waiting = find_waiting(vault, guarded.snapshot, ledger)
    guarded.waiting = tuple(waiting)
    if not waiting:
        return
    texts = admitted_texts(vault, [item for item in waiting if item.admitted])
    items = {item.id: item for item in waiting}
    records: list[Record] = []
    for record in guarded.snapshot.records:
        item = items.get(record.id)
        row = item.admitted if item else None
        if row is not None and record.in_force and record.digest == row.digest:
            texts.pop(record.id, None)  # a changed copy lies beside it
            records.append(record)
        elif item is not None and record.in_force:
            shown = SHOWN if item.id in texts else LOST
            first = FIRST if guarded.is_first else NEW
            records.append(_withhold(record, first if row is None else shown))
        elif record.id not in texts:
            records.append(record)
    records.extend(texts.values())
    guarded.snapshot = _with_records(guarded.snapshot, records)


def find_waiting(vault: Vault, snapshot: Snapshot, ledger: Ledger) -> list[Waiting]:
    """Return how the records in force differ from what was admitted, the person's own edits aside.

    Under `signed` what an allowed key signed is admitted by that, and taken down.
    """
    found = list(_compare(snapshot, ledger))
    if not found or vault.repo is None:
        return found
    own = _own_edits(vault.repo, found)
    found = [item for item in found if item not in own]
    if found and incoming_policy(vault.root, vault.config) == "signed":
        found = _admit_signed(vault, vault.repo, found, ledger)
    return found


def _compare(snapshot: Snapshot, ledger: Ledger) -> Iterator[Waiting]:
    by_id: dict[str, list[Record]] = {}
    for record in snapshot.records:
        if record.in_force and not record.withheld:
            by_id.setdefault(record.id, []).append(record)
        elif record.id in ledger.rows:
            by_id.setdefault(record.id, [])
    others = {r.id: r for r in snapshot.records if not r.in_force}
    for key in sorted({*by_id, *ledger.rows}):
        row, here = ledger.rows.get(key), by_id.get(key, [])
        if row is None:
            if here:
                yield Waiting(key, "new", here[0].path, None, here[0])
        elif not here:
            present = others.get(key)
            yield Waiting(key, "gone", present.path if present else "", row, present)
        elif any(record.digest != row.digest for record in here):
            odd = next(record for record in here if record.digest != row.digest)
            yield Waiting(key, "changed", odd.path, row, odd)


def _place_of(item: Waiting) -> str:
    return item.path or _place(item)


def _place(item: Waiting) -> str:
    return item.admitted.path if item.admitted else ""


def _full(repo: Repository, path: str) -> str:
    return f"{repo.prefix}/{path}" if repo.prefix else path


def _own_edits(repo: Repository, found: list[Waiting]) -> list[Waiting]:
    """Return the differences that only lie in the work tree: a hand edit on an admitted text."""
    paths = {_place_of(item) for item in found} - {""}
    changed = {item.path for item in repo.pending(sorted(paths))}
    old = repo.read_head(changed)
    own = []
    for item in found:
        path = _place_of(item)
        if path not in changed:
            continue
        committed = old.get(path)
        is_admitted = item.admitted is not None and _digest(committed) == item.admitted.digest
        if is_admitted or (item.admitted is None and committed is None):
            own.append(item)
    return own


def _digest(data: bytes | None) -> str:
    return hashlib.sha256(data).hexdigest() if data is not None else ""


def _admit_signed(
    vault: Vault, repo: Repository, found: list[Waiting], ledger: Ledger
) -> list[Waiting]:
    """Take down the changes that were signed with an allowed key; return the others."""
    from vault_cli.store.lineage import last_deeds
    from vault_cli.store.signatures import check_commits, make_checker

    places = {_full(repo, place): place for place in map(_place_of, found) if place}
    deeds = last_deeds(repo.git, repo.prefix, repo.head(), places)
    named = str(vault.config["trust.allowed_signers"])
    checker = make_checker(repo.git, repo.read_settings(), named)
    signatures = check_commits(repo.git, checker, deeds.values())
    left = []
    for item in found:
        commit = deeds.get(_full(repo, _place_of(item)), "")
        if not commit or signatures[commit].reason:
            left.append(item)
        elif item.what == "gone":
            ledger.rows.pop(item.id, None)
        elif item.present is not None:
            ledger.admit((item.present,), commit)
    if len(left) < len(found):
        with suppress(StoreError):  # a state nobody may write: it is worked out again next time
            ledger.save()
    return left


def admitted_texts(vault: Vault, waiting: Iterable[Waiting]) -> dict[str, Record]:
    """Return the admitted records that git still has, by id; the digest says it is the text."""
    bytes_by_id = admitted_bytes(vault, waiting)
    rows = {item.id: item.admitted for item in waiting}
    found = {}
    for key, data in bytes_by_id.items():
        row = rows.get(key)
        record = _parse_all({row.path: data}).get(row.path) if row else None
        if record is not None:
            found[key] = record
    return found


def admitted_bytes(vault: Vault, waiting: Iterable[Waiting]) -> dict[str, bytes]:
    """Return the bytes of the admitted texts that git still has, by id."""
    from vault_cli.store.history import read_files

    repo = vault.repo
    if repo is None:
        return {}
    by_commit: dict[str, list[Waiting]] = {}
    for item in waiting:
        if item.admitted is not None and item.admitted.commit:
            by_commit.setdefault(item.admitted.commit, []).append(item)
    found = {}
    for commit, items in by_commit.items():
        try:
            paths = [_full(repo, _place(item)) for item in items]
            texts = read_files(repo.git, commit, paths)
        except StoreError:  # the commit is gone
            continue
        for item in items:
            if item.admitted is None:
                continue
            data = texts.get(_full(repo, item.admitted.path))
            for form in () if data is None else (data, data.replace(b"\n", b"\r\n")):
                if _digest(form) == item.admitted.digest:
                    found[item.id] = form
    return found


# trust.require_signed


def _require_signed(guarded: Guarded, vault: Vault) -> None:
    """Keep out every record whose present text no allowed key has signed."""
    repo = vault.repo
    records = guarded.snapshot.records
    paths = [record.path for record in records if record.in_force]
    if repo is None:
        reasons = dict.fromkeys(paths, UNCOMMITTED)
    else:
        named = str(vault.config["trust.allowed_signers"])
        reasons = signed_reasons(repo, named, records, guarded.snapshot.commit)
    for record in records:
        reason = reasons.get(record.path, "") if record.in_force else ""
        if reason and not record.withheld:
            _withhold(record, reason)
    guarded.snapshot = _with_records(guarded.snapshot, records)


def signed_reasons(
    repo: Repository, named: str, records: Iterable[Record], commit: str = ""
) -> dict[str, str]:
    """Return why records in force do not count as signed, by path; of those that do there is none.

    Args:
        repo: the repository.
        named: setting `trust.allowed_signers`.
        records: what is judged; the digests tell whether a file is what the commit has.
        commit: where history begins, "" for HEAD.
    """
    from vault_cli.store.lineage import read_lineage, same_texts
    from vault_cli.store.signatures import check_commits, make_checker

    wanted = {record.path: record for record in records if record.in_force}
    checker = make_checker(repo.git, repo.read_settings(), named)
    lineage = read_lineage(repo.git, repo.prefix, commit or repo.head(), wanted, whole=False)
    made = {path: a.versions[0].deed.id for path, a in lineage.ancestries.items() if a.versions}
    signatures = check_commits(repo.git, checker, made.values())
    same = same_texts(repo.git, lineage.blobs, {p: r.digest for p, r in wanted.items()})
    reasons = {}
    for path in wanted:
        found = lineage.ancestries.get(path)
        if found is None:
            reasons[path] = UNCOMMITTED
        elif path not in made:
            reasons[path] = SHALLOW if not found.whole else CHANGED
        elif found.brought_back or (path not in same and not signatures[made[path]].reason):
            reasons[path] = CHANGED
        elif path not in same:
            reasons[path] = UNCOMMITTED
        elif signatures[made[path]].reason:
            reasons[path] = signatures[made[path]].reason
    return reasons


def admit_present(vault: Vault, snapshot: Snapshot) -> int:
    """Take down everything that is in force now as admitted; return how much that is.

    Raises:
        StoreError: the state folder cannot be written.
    """
    ledger = load_ledger(vault.root)
    ledger.rows.clear()
    ledger.admit(snapshot.records, vault.repo.head() if vault.repo is not None else "")
    ledger.save()
    return len(ledger.rows)


def admit_one(vault: Vault, item: Waiting) -> None:
    """Take down one change of others as admitted.

    Raises:
        StoreError: the state folder cannot be written.
    """
    ledger = load_ledger(vault.root)
    ledger.rows.pop(item.id, None)
    if item.present is not None:
        ledger.admit((item.present,), vault.repo.head() if vault.repo is not None else "")
    ledger.save()
