"""Secrets that git's history holds already. May import `text`, `model`, `errors`.

Taking the value out of the file is then not enough: every clone has it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Final

from vault_cli.errors import Diagnostic, VaultError
from vault_cli.store.files import read_file
from vault_cli.store.history import CommitInfo
from vault_cli.store.repo import Repository
from vault_cli.text.scan import SECRET, find_secret_values

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
    return [*found_here, *_leaks_of_people(repo)]


def _leaks_of_people(repo: Repository) -> Iterator[Diagnostic]:
    """Yield a finding for each secret in the name or mail of who made a commit."""
    for person, commit in repo.people().items():
        for value, kind in _values_in(person.encode()).items():
            yield _leak("", value, f"{kind} in the name or mail of who made it", [commit])


def _values_in(data: bytes) -> dict[str, str]:
    return find_secret_values(data.decode("utf-8", "replace"))


def _leaks_of(repo: Repository, path: str, values: Mapping[str, str]) -> Iterator[Diagnostic]:
    if not values:
        return
    versions = [
        (commit, data)
        for commit in repo.log(paths=(path,), limit=_MOST_COMMITS)
        if (data := _text_at(repo, commit, path))
    ]
    for value, kind in values.items():
        holding = [commit.id for commit, data in versions if value.encode() in data]
        if holding:
            yield _leak(path, value, kind, holding)


def _text_at(repo: Repository, commit: CommitInfo, path: str) -> bytes:
    """Return what a commit left of a file, wherever it moved it, b"" when nothing."""
    paths = [path, *(other for other in commit.paths[:_MOST_PATHS] if other != path)]
    texts = []
    for name in paths:
        with suppress(VaultError):
            texts.append(repo.read_blob(commit.id, name) or b"")
    return b"\n".join(texts)


def _leak(path: str, value: str, kind: str, holding: list[str]) -> Diagnostic:
    begins = f", which begins with {value[:_SHOWN]}" if len(value) >= _LONG else ""
    more = f" and {len(holding) - 1} later" if len(holding) > 1 else ""
    text = f"history holds it: {kind}{begins}, since commit {holding[-1][:_SHORT]}{more}"
    hint = (
        "Change the key now: whoever has a copy of the vault has it. Taking it out of the file does"
        " not take it out of history; a later `mvault purge` will."
    )
    return Diagnostic(path, 0, "secret-in-history", "error", text, hint)
