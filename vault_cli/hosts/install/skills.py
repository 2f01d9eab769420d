"""Skills of a vault where an agent program looks for them: linked, or copied. + `store.files`."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final, NamedTuple

from vault_cli.hosts.install.changes import FileChange, read_text
from vault_cli.hosts.links import require_no_way_out
from vault_cli.text.markers import block_id
from vault_cli.text.names import show_path

_SKILL: Final = "SKILL.md"
_MARK: Final = ".mvault-copy"
"""File beside a copied skill: what the copy was made of, so that a changed one is left alone."""

_MOST_FILES: Final = 64


class Skill(NamedTuple):
    """A skill in force.

    Args:
        folder: its folder in the vault.
        text: the `SKILL.md` that counts, where changes of others wait: only this is placed then,
            as a copy, since a link would give what the next pull brings. None: all there is.
        others: further files of the folder, which nobody admits; named when they are left out.
    """

    folder: Path
    text: str | None = None
    others: tuple[str, ...] = ()


def plan_skills(
    skills: Iterable[Skill], folder: Path, *, copies: bool
) -> tuple[list[FileChange], list[str]]:
    """Return what puts skills into a host's folder, and what is said of those left out.

    A folder of that name which is not ours stays, and is named. A copy that a person changed stays.

    Args:
        skills: those in force.
        folder: where the host looks.
        copies: write copies, for hosts or disks that follow no links.

    Raises:
        RefusedError: a link in a checkout leads out of it on the way to the folder.
    """
    require_no_way_out(folder)
    changes: list[FileChange] = []
    notes: list[str] = []
    for skill in skills:
        source, target = skill.folder, folder / skill.folder.name
        as_copy = copies or skill.text is not None
        if skill.others:
            names = ", ".join(map(show_path, skill.others))
            notes.append(f"{show_path(source.name)}: left out, nobody admits these: {names}")
        if _is_link_to(target, source):
            if as_copy:
                changes.append(FileChange(target, "", None, "the link", source))
                changes += _copy(skill, target, replaces=True)
        elif os.path.lexists(target) and not _is_copy(target):
            notes.append(f"{target} is there already and not ours; the skill was left out")
        elif os.path.lexists(target) and _is_edited(target):
            notes.append(f"{target} was changed by hand; it was left as it is")
        elif as_copy or os.path.lexists(target):  # a copy of ours goes on as one
            changes += _copy(skill, target)
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


def links_into(folder: Path, vault_skills: Path) -> list[Path]:
    """Return the links of a host's folder that lead to skills of a vault."""
    there = sorted(folder.iterdir()) if folder.is_dir() else []
    return [path for path in there if path.is_symlink() and _leads_into(path, vault_skills)]


def plan_withdrawal(
    skills: Iterable[Skill], folder: Path, vault_skills: Path
) -> tuple[list[FileChange], list[str]]:
    """Return what takes out links and copies of skills that are not in force here any more.

    Args:
        skills: those in force.
        folder: where the host looks.
        vault_skills: the vault's folder of skills; a link of ours leads into it.
    """
    kept = {skill.folder.name for skill in skills}
    changes, notes = plan_removal(folder, vault_skills)
    gone = [c for c in changes if c.path.relative_to(folder).parts[0] not in kept]
    return gone, [note for note in notes if not any(str(folder / name) in note for name in kept)]


def _copy(skill: Skill, target: Path, *, replaces: bool = False) -> Iterator[FileChange]:
    """Yield what makes a copy; of what a link led to nothing is looked at (`replaces`)."""
    texts: dict[str, str | None] = {_SKILL: skill.text}
    if skill.text is None:
        source = skill.folder
        texts = {path.relative_to(source).as_posix(): read_text(path) for path in _files(source)}
    kept = {name: text for name, text in texts.items() if text is not None and name != _MARK}
    kept[_MARK] = _sum(kept) + "\n"
    for name, text in kept.items():
        old = None if replaces else read_text(target / name)
        yield FileChange(target / name, old, text, "a copy")
    for path in _files(target) if target.is_dir() and not replaces else []:
        if path.relative_to(target).as_posix() not in kept:
            yield FileChange(path, read_text(path), None, "no longer in the skill")


def _files(folder: Path) -> list[Path]:
    """Return the plain files of a skill (at most 64, links left out), in order."""
    found = (path for path in sorted(folder.rglob("*")) if path.is_file() and not path.is_symlink())
    return [path for path, _ in zip(found, range(_MOST_FILES), strict=False)]


def _sum(texts: dict[str, str]) -> str:
    return block_id("\0".join(f"{name}\0{text}" for name, text in sorted(texts.items())))


def _is_copy(target: Path) -> bool:
    return not target.is_symlink() and (target / _MARK).is_file()


def _is_edited(target: Path) -> bool:
    texts = {path.relative_to(target).as_posix(): read_text(path) or "" for path in _files(target)}
    return (texts.pop(_MARK, "")).strip() != _sum(texts)


def _is_link_to(target: Path, source: Path) -> bool:
    return target.is_symlink() and os.path.realpath(target) == os.path.realpath(source)


def _leads_into(target: Path, folder: Path) -> bool:
    inside = os.path.realpath(folder) + os.sep
    return (os.path.realpath(target) + os.sep).startswith(inside)
