"""What must never enter git, kept out whatever the repository says. May import `store`, `errors`.

`quarantine/` and `.state/` are ignored by the vault's own `.gitignore`, which anybody may change
who can push. So each of them holds a rule of its own, which beats those above it, and the
person's own `info/exclude` has both.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final

from vault_cli.errors import Diagnostic, VaultError
from vault_cli.store.files import read_file, write_file

if TYPE_CHECKING:
    from vault_cli.store.repo import Repository

PRIVATE: Final = frozenset({"quarantine", ".state"})
"""Top-level folders whose files never enter git's history."""

_RULE: Final = b"*\n"


def keep_private(root: Path, repo: Repository, paths: Iterable[str]) -> None:
    """Let git ignore the private folders that are there, or that these paths will make.

    It is a precaution: what cannot be written is said by `check`, and stops nobody.

    Args:
        root: vault root.
        repo: the repository that holds it.
        paths: vault-relative paths that will be written.
    """
    made = {path.split("/", 1)[0] for path in paths}
    for name in sorted(PRIVATE):
        if name in made or (root / name).is_dir():
            with suppress(VaultError, OSError):
                _write_rule(root, f"{name}/.gitignore")
                _exclude(repo, name)


def _write_rule(root: Path, path: str) -> None:
    old = b""
    with suppress(VaultError):
        old = read_file(root, path)
    if old.splitlines(keepends=True)[-1:] != [_RULE]:  # of several rules the last one counts
        write_file(root, path, old + (b"\n" if old and not old.endswith(b"\n") else b"") + _RULE)


def _exclude(repo: Repository, name: str) -> None:
    path = repo.place.common_dir / "info" / "exclude"
    if path.is_symlink() or path.parent.is_symlink():
        return  # it came with the folder, and leads to who knows whose file
    line = f"/{repo.prefix}/{name}/".replace("//", "/").encode()
    old = path.read_bytes() if path.exists() else b""
    if line in old.splitlines():
        return
    path.parent.mkdir(exist_ok=True)
    gap = b"\n" if old and not old.endswith(b"\n") else b""
    with path.open("ab") as file:
        file.write(gap + line + b"\n")


def find_exposed(root: Path, repo: Repository) -> list[Diagnostic]:
    """Return a finding for each file of a private folder that git has, or would add.

    Raises:
        StoreError: git failed.
    """
    there = [name for name in sorted(PRIVATE) if (root / name).is_dir()]
    if not there:
        return []
    start = f"{repo.prefix}/" if repo.prefix else ""
    scope = ("--", *(start + name for name in there))
    tracked = _names(repo, "--cached", *scope)
    loose = _names(repo, "--others", "--exclude-standard", *scope) - tracked
    found = [_exposed(path.removeprefix(start), "git has this file") for path in sorted(tracked)]
    text = "git does not ignore this file"
    return found + [_exposed(path.removeprefix(start), text) for path in sorted(loose)]


def _names(repo: Repository, *flags: str) -> set[str]:
    out = repo.git.run("ls-files", "-z", *flags).out
    return {os.fsdecode(name) for name in out.split(b"\0") if name}


def _exposed(path: str, text: str) -> Diagnostic:
    hint = (
        "It must not enter history. Take it out of git (`git rm --cached`); the next change of the"
        " vault lets git ignore its folder again."
    )
    return Diagnostic(path, 0, "not-private", "warning", text, hint)
