"""Which paths a change may write. May import `model`, `text`, `errors`, `store`."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from vault_cli.errors import RefusedError, StoreError
from vault_cli.model.change import ABSENT, Edit, Move, Put, Remove
from vault_cli.model.paths import fold_path
from vault_cli.store.file_names import check_name
from vault_cli.store.opening import MAX_DEPTH, Folders, is_inside, show_name
from vault_cli.text.hidden import drop_invisible

_INIT_FILES: Final = frozenset({".gitignore", ".gitattributes", ".gitkeep"})
_MAX_NAME: Final = 255


def check_targets(root: Path, edits: Iterable[Edit], verb: str) -> None:
    """Check every path of a change before anything is read or written.

    Args:
        root: vault root.
        edits: what the change does.
        verb: only `init` may write `.gitignore`, `.gitattributes` and `.gitkeep`.

    Raises:
        RefusedError: a path leaves the vault, reaches into git's or our own files, or a new
            name cannot exist on every system or differs from a present one only in case.
    """
    fresh: list[str] = []
    for edit in edits:
        _check_path(edit.path, is_init=verb == "init")
        if isinstance(edit, Move):
            _check_path(edit.target, is_init=False)
            fresh.append(edit.target)
        elif isinstance(edit, Put) and edit.expects == ABSENT:
            fresh.append(edit.path)
        elif isinstance(edit, Put | Remove) and not edit.expects:
            raise _refuse(edit.path, "it has no digest to compare with")
    for path in fresh:
        _check_new_name(path)
    leaving = {edit.path for edit in edits if isinstance(edit, Move | Remove)}
    _check_collisions(root, fresh, leaving)


def check_received(edits: Iterable[Put | Remove]) -> None:
    """Check the paths of files that come from another copy of the vault.

    Names that some systems cannot have are let in, since they are in the other copy already;
    `check` names them. So are files of other programs, like a pipeline in `.github/`.

    Raises:
        RefusedError: a path leaves the vault, or reaches into git's own folder.
    """
    for edit in edits:
        if len(edit.path.split("/")) > MAX_DEPTH or not is_inside(edit.path):
            raise _refuse(edit.path, "it is not a path inside the vault")
        bare = [drop_invisible(part).rstrip(". ").lower() for part in edit.path.split("/")]
        if any(part == ".git" or part.startswith("git~") for part in bare):
            raise _refuse(edit.path, "git's own files are not the vault's to write")


def _refuse(path: str, why: str) -> RefusedError:
    return RefusedError(f"{show_name(path)!r} cannot be written: {why}")


def _check_path(path: str, *, is_init: bool) -> None:
    parts = path.split("/")
    if len(parts) > MAX_DEPTH or not is_inside(path):
        raise _refuse(path, "it is not a path inside the vault")
    for part in parts:
        # some file systems pass over what nobody sees, and over dots and blanks at the end
        bare = drop_invisible(part).rstrip(". ").lower()
        if bare.startswith((".git", "git~")) and not (is_init and part in _INIT_FILES):
            raise _refuse(path, "git's own files are not the vault's to write")
        if part.startswith(".") and not part.startswith("..") and not is_init:
            raise _refuse(path, "names with a leading dot are not part of a vault")
        if len(os.fsencode(part)) > _MAX_NAME:
            raise _refuse(path, "the name is too long")


def _check_new_name(path: str) -> None:
    parts = path.split("/")
    for index in range(len(parts)):
        finding = check_name("/".join(parts[: index + 1]))
        if finding is not None:
            raise _refuse(path, finding.message)


def _check_collisions(root: Path, fresh: Iterable[str], leaving: set[str]) -> None:
    """Refuse a new name that a case-folding file system would take for a present one."""
    by_folder: dict[str, list[str]] = {}
    for path in fresh:
        by_folder.setdefault(path.rpartition("/")[0], []).append(path)
    for folder, paths in by_folder.items():
        prefix = f"{folder}/" if folder else ""
        there = {
            fold_path(name): prefix + name
            for name in _names_in(root, folder)
            if prefix + name not in leaving
        }
        for path in paths:
            known = there.setdefault(fold_path(path.rpartition("/")[2]), path)
            if known != path:
                raise _refuse(path, f"{show_name(known)!r} is there, and differs only in case")


def _names_in(root: Path, folder: str) -> list[str]:
    try:
        with Folders(root) as folders:
            return folders.names_in(folder)
    except (OSError, StoreError):
        return []
