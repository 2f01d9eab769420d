"""Secrets that git's history holds already. May import `text`, `model`, `errors`.

Taking the value out of the file is then not enough: every clone has it.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Final

from vault_cli.errors import Diagnostic, StoreError, VaultError
from vault_cli.model.change import ALLOW_TRAILER
from vault_cli.store.files import read_file
from vault_cli.store.git_place import is_shallow
from vault_cli.store.history import CommitInfo
from vault_cli.store.index_key import make_key
from vault_cli.store.own_state import path_key, read_state, write_state
from vault_cli.store.repo import Repository
from vault_cli.text.late import late
from vault_cli.text.scan import SECRET, find_secret_values

_COMMIT: Final = late(r"[0-9a-f]{40,64}")
_PEOPLE: Final = "people"
"""Group of the state folder: up to which commit nobody's name holds a secret."""

_MOST_COMMITS: Final = 200
_MOST_PATHS: Final = 50
_SHORT: Final = 10
_SHOWN: Final = 4
"""Characters of a secret that tell its owner which one it is, of one long enough to spare them."""
_LONG: Final = 16


def find_leaks(
    root: Path,
    repo: Repository,
    found: Iterable[Diagnostic],
    head: Mapping[str, bytes],
    gates: frozenset[str],
) -> list[Diagnostic]:
    """Return a finding for each file of which a commit holds a secret, and for people's names.

    Args:
        root: vault root.
        repo: the repository that holds it.
        found: findings of the files as they are; those with a secret are looked up.
        head: committed bytes of the files that differ from HEAD, gone ones included.
        gates: setting `admission.gates`.
    """
    if "secrets" not in gates:
        return []
    values: dict[str, dict[str, str]] = {}
    for path in {item.path for item in found if item.code == SECRET}:
        with suppress(VaultError):
            values[path] = _values_in(read_file(root, path))
    for path, data in head.items():
        values[path] = values.get(path, {}) | _values_in(data)
    found_here = [leak for path in sorted(values) for leak in _leaks_of(repo, path, values[path])]
    return [*found_here, *_leaks_of_people(root, repo, gates)]


def _leaks_of_people(root: Path, repo: Repository, gates: frozenset[str]) -> list[Diagnostic]:
    """Return a finding for each secret in the name or mail of who made a commit.

    A history in which there is none is remembered by its newest commit, and nothing of who made
    it: the next time only what is new is read. A shallow one is not, since older commits may come.
    """
    key = make_key(root, gates)  # counts for this vault, and these rules of the scanner
    basis, head, name = str(key.seal) if key else "", repo.head(), path_key(os.path.realpath(root))
    known = read_state(_PEOPLE, name)
    clean = str(known.get("clean", "")) if basis and known.get("basis") == basis else ""
    if clean and clean == head:
        return []
    since = clean if _COMMIT.fullmatch(clean) else ""
    found = [
        _leak("", value, f"{kind} in the name or mail of who made it", [commit])
        for person, commit in repo.people(since).items()
        for value, kind in _values_in(person.encode()).items()
    ]
    if basis and head and not found and not is_shallow(repo.place):
        with suppress(StoreError):  # then all of it is read again
            write_state(_PEOPLE, name, {"basis": basis, "clean": head})
    return found


def _values_in(data: bytes) -> dict[str, str]:
    return find_secret_values(data.decode("utf-8", "replace"))


def _leaks_of(repo: Repository, path: str, values: Mapping[str, str]) -> Iterator[Diagnostic]:
    if not values:
        return
    for value, kind in values.items():
        holding = _holding(repo, path, value.encode())
        if holding:
            ids = [commit.id for commit in holding]
            yield _leak(path, value, kind, ids, allowed=any(map(_is_allowed, holding)))


def _holding(repo: Repository, path: str, value: bytes) -> list[CommitInfo]:
    """Return the commits that left a value in a file, newest first, also under its older names."""
    paths = [path]
    while True:
        commits = repo.log(paths=tuple(paths), limit=_MOST_COMMITS)
        found = [commit for commit in commits if value in _text_at(repo, commit, path)]
        first = found[-1] if found else None
        if first is None or not first.parents:
            return found
        every = repo.commit_info(first.id).paths  # those of a log are of the paths asked for
        names = [name for name in every[:_MOST_PATHS] if name not in paths]
        older = [name for name in names if value in _blob(repo, first.parents[0], name)]
        if not older:
            return found
        paths += older


def _blob(repo: Repository, commit: str, name: str) -> bytes:
    try:
        return repo.read_blob(commit, name) or b""
    except VaultError:
        return b""


def _is_allowed(commit: CommitInfo) -> bool:
    """Tell whether a person let a secret pass with this commit: the example of a manual."""
    return {(ALLOW_TRAILER, SECRET), ("Vault-Actor", "person")} <= set(commit.trailers)


def _text_at(repo: Repository, commit: CommitInfo, path: str) -> bytes:
    """Return what a commit left of a file, wherever it moved it, b"" when nothing."""
    paths = [path, *(other for other in commit.paths[:_MOST_PATHS] if other != path)]
    return b"\n".join(_blob(repo, commit.id, name) for name in paths)


def _leak(
    path: str, value: str, kind: str, holding: list[str], *, allowed: bool = False
) -> Diagnostic:
    begins = f", which begins with {value[:_SHOWN]}" if len(value) >= _LONG else ""
    more = f" and {len(holding) - 1} later" if len(holding) > 1 else ""
    text = f"history holds it: {kind}{begins}, since commit {holding[-1][:_SHORT]}{more}"
    if allowed:
        return Diagnostic(path, 0, "secret-in-history", "note", f"{text}; a person let it pass")
    hint = (
        "Change the key now: whoever has a copy of the vault has it. Taking it out of the file does"
        " not take it out of history; mvault rewrites no history."
    )
    return Diagnostic(path, 0, "secret-in-history", "error", text, hint)
