"""What others changed in force since it was admitted here. May import `store`, `model`, `errors`.

A difference that lies only in the work tree, on top of an admitted text, is the person's own edit.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple, Protocol

from vault_cli.errors import StoreError, VaultError
from vault_cli.model.record import Record, Snapshot
from vault_cli.store.files import read_file
from vault_cli.store.incoming import Admitted, Ledger, load_ledger, read_settings, sets_anything
from vault_cli.store.policy import incoming_policy
from vault_cli.store.toml_read import CONFIG_FILE
from vault_cli.store.waited import note_waited, read_waited, text_mark
from vault_cli.text.late import late

if TYPE_CHECKING:
    from vault_cli.store.config import Config
    from vault_cli.store.repo import Repository


_FEW: Final = 8
"""So many commits are asked for one by one."""

_COMMIT: Final = late(r"[0-9a-f]{40,64}")
_NO_GRAPH: Final = (("core.commitGraph", "false"),)  # it may have come with the repository


class Kept(Protocol):
    """What is asked of a vault here."""

    root: Path
    config: Config

    @property
    def repo(self) -> Repository | None: ...  # noqa: D102


class Waiting(NamedTuple):
    """A change of what is in force that came from others and that nobody looked at here.

    Args:
        id: the record.
        what: `new`, `changed`, `gone` (taken out of force, or removed), or `settings`
            (`vault.toml`, which has a say in what is rendered).
        path: where it stands now, "" when the file is gone.
        admitted: the text that counts until then; None for a new record.
        present: the record as it is on disk, None when the file is gone.
    """

    id: str
    what: str
    path: str
    admitted: Admitted | None
    present: Record | None


def parse_all(texts: Mapping[str, bytes]) -> dict[str, Record]:
    """Return the records among these texts, by path; what cannot be read is left out."""
    from vault_cli.text.fields import read_record

    found = ((path, read_record(data, path)[0]) for path, data in texts.items())
    return {path: record for path, record in found if record is not None}


def find_waiting(vault: Kept, snapshot: Snapshot, ledger: Ledger) -> list[Waiting]:
    """Return how the records in force differ from what was admitted, the person's own edits aside.

    Under `signed` what an allowed key signed is admitted by that, and taken down.
    """
    return _leave_others(
        vault, ledger, lambda: [*_compare(snapshot, ledger), *_compare_settings(vault, ledger)]
    )


def admitted_settings(vault: Kept) -> bytes | None:
    """Return the settings that count while a changed `vault.toml` of others waits, else None.

    For where a vault is opened: the changed file may be one that cannot be read, or be gone.

    Args:
        vault: the vault; its `config` need hold the person's own settings only.

    Raises:
        StoreError: git failed. UsageError: the file of allowed keys cannot be used.
    """
    if incoming_policy(vault.root, vault.config) == "accept":
        return None
    ledger = load_ledger(vault.root)
    if vault.repo is None:
        return None
    found = _leave_others(vault, ledger, lambda: list(_compare_settings(vault, ledger)))
    return admitted_bytes(vault, found).get(CONFIG_FILE, b"") if found else None


def committed_settings(vault: Kept) -> bytes | None:
    """Return HEAD's settings where the file says something else, else None.

    Raises:
        StoreError: git failed.
    """
    repo = vault.repo
    if repo is None or not repo.head():
        return None
    data = repo.read_head([CONFIG_FILE]).get(CONFIG_FILE, b"")
    here = read_settings(vault.root)
    return None if _digest(here) in _digests(data) else data


def _leave_others(
    vault: Kept, ledger: Ledger, compare: Callable[[], list[Waiting]]
) -> list[Waiting]:
    """Return the differences that are not the person's own, one for each record.

    What a signature admits is compared again: a second copy of its id differs from it now, and
    what the person edited on top of it is theirs.
    """
    from vault_cli.store.own_edits import find_edited

    while True:
        found = compare()
        if not found or vault.repo is None:
            break
        edited = find_edited(vault.repo, {_place_of(item) for item in found} - {""})
        own = _own_edits(vault, found, edited)
        found = [item for item in found if item.id not in own]
        if not found or incoming_policy(vault.root, vault.config) != "signed":
            break
        if not _admit_signed(vault, vault.repo, _below_edits(found, edited), ledger):
            break
    if found:
        note_waited(filter(None, (_present_bytes(vault, item) for item in found)))
    return list({item.id: item for item in reversed(found)}.values())[::-1]


def _present_bytes(vault: Kept, item: Waiting) -> bytes:
    """Return the text that waits, b"" where a file is gone or cannot be read."""
    with suppress(VaultError):
        return read_file(vault.root, item.path) if item.path else b""
    return b""


def _compare(snapshot: Snapshot, ledger: Ledger) -> Iterator[Waiting]:
    """Yield the differences; of an id that several files have, one for each that differs."""
    by_id: dict[str, list[Record]] = {}
    for record in snapshot.records:
        if record.has_effect and not record.withheld:
            by_id.setdefault(record.id, []).append(record)
        elif record.id in ledger.rows:
            by_id.setdefault(record.id, [])
    others = {r.id: r for r in snapshot.records if not r.has_effect}
    for key in sorted({*by_id, *ledger.rows} - {CONFIG_FILE}):
        row, here = ledger.rows.get(key), by_id.get(key, [])
        if row is not None and not here:
            present = others.get(key)
            yield Waiting(key, "gone", present.path if present else "", row, present)
        what = "new" if row is None else "changed"
        for record in here:
            if row is None or record.digest != row.digest:
                yield Waiting(key, what, record.path, row, record)


def _compare_settings(vault: Kept, ledger: Ledger) -> Iterator[Waiting]:
    row = ledger.rows.get(CONFIG_FILE)
    is_new = row is None and vault.repo is not None and sets_anything(read_settings(vault.root))
    if ledger.problem or is_new:  # with a problem nobody knows which settings were admitted: none
        yield Waiting(CONFIG_FILE, "settings", CONFIG_FILE, None, None)
    elif row is not None and _digest(read_settings(vault.root)) != row.digest:
        yield Waiting(CONFIG_FILE, "settings", CONFIG_FILE, row, None)


def _place_of(item: Waiting) -> str:
    return item.path or _place(item)


def _place(item: Waiting) -> str:
    return item.admitted.path if item.admitted else ""


def _full(repo: Repository, path: str) -> str:
    return f"{repo.prefix}/{path}" if repo.prefix else path


def _own_edits(
    vault: Kept, found: Iterable[Waiting], edited: Mapping[str, bytes | None]
) -> set[str]:
    """Return the ids of which every difference is a hand edit on top of the admitted text.

    A text that once waited for a person is none: it came from others, whoever put it there.
    """
    waited = read_waited() if edited else {}
    others = {
        item.id for item in found if waited and text_mark(_present_bytes(vault, item)) in waited
    }
    for item in found:
        admitted = item.admitted.digest if item.admitted else ""
        path = _place_of(item)
        if path not in edited or _digest(edited[path]) != admitted:
            others.add(item.id)
    return {item.id for item in found} - others


def _below_edits(found: Iterable[Waiting], edited: Mapping[str, bytes | None]) -> Iterator[Waiting]:
    """Yield the differences as HEAD has them: a signature is about what lies below a hand edit."""
    for item in found:
        place = _place_of(item)
        below = edited.get(place)
        record = parse_all({place: below}).get(place) if below is not None else None
        if record is not None and record.id == item.id and record.has_effect:
            yield item._replace(what="changed", path=place, present=record)
        else:
            yield item


def _digest(data: bytes | None) -> str:
    return hashlib.sha256(data).hexdigest() if data is not None else ""


def _admit_signed(
    vault: Kept, repo: Repository, changes: Iterable[Waiting], ledger: Ledger
) -> bool:
    """Take down the changes that were signed with an allowed key; return whether there are any."""
    from vault_cli.store.lineage import last_deeds
    from vault_cli.store.signatures import check_commits, make_checker
    from vault_cli.store.signed import good_claim

    found = list(changes)
    places = {_full(repo, place): place for place in map(_place_of, found) if place}
    deeds = last_deeds(repo.git, repo.prefix, repo.head(), places)
    named = str(vault.config["trust.allowed_signers"])
    checker = make_checker(repo.git, repo.read_settings(), named)
    commits = (name for claims in deeds.values() for claim in claims for name in claim)
    signatures = check_commits(repo.git, checker, commits)
    rows = (item.admitted.path for item in found if item.admitted)
    heads = repo.read_head({*places.values(), *rows})
    admitted: set[str] = set()
    for item in _going_on(repo, found):
        made = good_claim(deeds.get(_full(repo, _place_of(item)), ()), signatures)
        if not made or item.id in admitted:
            continue
        if not _is_in_head(vault, item, heads):
            continue
        admitted.add(item.id)
        if item.what == "gone":
            ledger.rows.pop(item.id, None)
        elif item.what == "settings":
            ledger.admit_settings(read_settings(vault.root), made[0])
        elif item.present is not None:
            ledger.admit((item.present,), made[0])
    if admitted:
        ledger.pin_settings(vault.root, repo.head())
        with suppress(StoreError):  # a state nobody may write: it is worked out again next time
            ledger.save()
    return bool(admitted)


def _going_on(repo: Repository, found: Iterable[Waiting]) -> list[Waiting]:
    """Return the differences in a history that goes on from the one in which they were admitted.

    In one that was rewound an older signed text is the last signed change: a replay.
    """
    listed = list(found)
    past = _reached(repo, {item.admitted.commit for item in listed if item.admitted} - {""})
    return [item for item in listed if item.admitted is None or item.admitted.commit in past]


def _reached(repo: Repository, commits: set[str]) -> set[str]:
    """Return those of some commits that HEAD reaches.

    Most often everything was admitted with one commit or a few: then only what lies between is
    looked at, not the whole of history.
    """
    if len(commits) <= _FEW:
        return {name for name in commits if _is_past(repo, name)}
    every = repo.git.run("rev-list", "HEAD", config=_NO_GRAPH).out.decode("ascii").split()
    return commits.intersection(every)


def _is_past(repo: Repository, commit: str) -> bool:
    if not _COMMIT.fullmatch(commit):
        return False
    asked = ("merge-base", "--is-ancestor", commit, "HEAD")
    return repo.git.run(*asked, config=_NO_GRAPH, check=False).code == 0


def _is_in_head(vault: Kept, item: Waiting, heads: Mapping[str, bytes]) -> bool:
    """Whether a difference is one of HEAD, which a signature is about, and takes the old place.

    What lies in the work tree only nobody signed. Where the admitted text is still there as it
    was, something else hides it (a setting, a copy of its id): that is no signed change of it.
    """
    row, here = item.admitted, heads.get(_place_of(item))
    if row is not None and row.digest in _digests(heads.get(row.path)):
        return False
    if item.what == "settings":
        now = _digest(read_settings(vault.root)) if here is not None else ""
    else:
        now = item.present.digest if item.present is not None else ""
    return now in (_digests(here) or {""})


def _digests(data: bytes | None) -> set[str]:
    """Return the digests of a committed text as it stands and with the line ends of Windows."""
    return set() if data is None else {_digest(data), _digest(data.replace(b"\n", b"\r\n"))}


def admitted_texts(vault: Kept, waiting: Iterable[Waiting]) -> dict[str, Record]:
    """Return the admitted records that git still has, by id; the digest says it is the text."""
    listed = [item for item in waiting if item.what != "settings"]
    bytes_by_id = admitted_bytes(vault, listed)
    rows = {item.id: item.admitted for item in listed}
    found = {}
    for key, data in bytes_by_id.items():
        row = rows.get(key)
        record = parse_all({row.path: data}).get(row.path) if row else None
        if record is not None:
            found[key] = record
    return found


def admitted_bytes(vault: Kept, waiting: Iterable[Waiting]) -> dict[str, bytes]:
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
