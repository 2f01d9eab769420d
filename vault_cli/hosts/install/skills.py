"""Skills of a vault where an agent program looks for them: linked, or copied. + `store.files`."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

from vault_cli.hosts.install.changes import FileChange, read_text
from vault_cli.text.markers import block_id

_SKILL: Final = "SKILL.md"
_MARK: Final = ".mvault-copy"
"""File beside a copied skill: what the copy was made of, so that a changed one is left alone."""

_MOST_FILES: Final = 64


def plan_skills(
    sources: Iterable[Path], folder: Path, *, copies: bool
) -> tuple[list[FileChange], list[str]]:
    """Return what puts skills into a host's folder, and what is said of those left out.

    A folder of that name which is not ours stays, and is named. A copy that a person changed stays.

    Args:
        sources: folders of skills in force.
        folder: where the host looks.
        copies: write copies, for hosts or disks that follow no links.
    """
    changes: list[FileChange] = []
    notes: list[str] = []
    for source in sources:
        target = folder / source.name
        if _is_link_to(target, source) and not copies:
            continue
        if os.path.lexists(target) and not _is_copy(target):
            notes.append(f"{target} is there already and not ours; the skill was left out")
        elif os.path.lexists(target) and _is_edited(target):
            notes.append(f"{target} was changed by hand; it was left as it is")
        elif copies:
            changes += _copy(source, target)
        else:
            changes.append(FileChange(target, None, "", f"link to {source}", source))
    return changes, notes


def plan_removal(folder: Path, vault_skills: Path) -> tuple[list[FileChange], list[str]]:
    """Return what takes our links and copies out of a host's folder again."""
    changes: list[FileChange] = []
    notes: list[str] = []
    for target in sorted(folder.iterdir()) if folder.is_dir() else []:
        if target.is_symlink() and _leads_into(target, vault_skills):
            link = Path(os.path.realpath(target))
            changes.append(FileChange(target, "", None, "the link", link))
        elif _is_copy(target) and not target.is_symlink():
            if _is_edited(target):
                notes.append(f"{target} was changed by hand; it was left as it is")
                continue
            changes += [
                FileChange(path, read_text(path), None, "the copy", below=folder.parent)
                for path in _files(target)
            ]
    return changes, notes


def _copy(source: Path, target: Path) -> Iterator[FileChange]:
    texts = {path.relative_to(source).as_posix(): read_text(path) for path in _files(source)}
    kept = {name: text for name, text in texts.items() if text is not None}
    kept[_MARK] = _sum(kept) + "\n"
    for name, text in kept.items():
        yield FileChange(target / name, read_text(target / name), text, "a copy")
    for path in _files(target) if target.is_dir() else []:
        if path.relative_to(target).as_posix() not in kept:
            yield FileChange(path, read_text(path), None, "no longer in the skill")


def _files(folder: Path) -> list[Path]:
    """Return the plain files of a skill (at most 64, links left out), in order."""
    found = (path for path in sorted(folder.rglob("*")) if path.is_file() and not path.is_symlink())
    return [path for path, _ in zip(found, range(_MOST_FILES), strict=False)]


def _sum(texts: dict[str, str]) -> str:
    return block_id("\0".join(f"{name}\0{text}" for name, text in sorted(texts.items())))


def _is_copy(target: Path) -> bool:
    return (target / _MARK).is_file()


def _is_edited(target: Path) -> bool:
    texts = {path.relative_to(target).as_posix(): read_text(path) or "" for path in _files(target)}
    return (texts.pop(_MARK, "")).strip() != _sum(texts)


def _is_link_to(target: Path, source: Path) -> bool:
    return target.is_symlink() and os.path.realpath(target) == os.path.realpath(source)


def _leads_into(target: Path, folder: Path) -> bool:
    inside = os.path.realpath(folder) + os.sep
    return (os.path.realpath(target) + os.sep).startswith(inside)
