"""Which code a record speaks about: `anchors: [{path, blob}]`, as written. Standard library only.

An anchor says: when this was written, the file `path` of the project had the content that git
calls `blob`. Whether it still has is for `store.project_tree` to tell.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final, NamedTuple

if TYPE_CHECKING:
    from vault_cli.model.record import Record

FRESH: Final = "fresh"
STALE: Final = "stale"
UNVERIFIABLE: Final = "unverifiable"

MOST_ANCHORS: Final = 100
"""Of a longer list the rest is not looked up: a file of 1 MiB could name thousands."""

LEAST_DIGITS: Final = 7
MOST_DIGITS: Final = 64
"""A shorter blob id says too little; SHA-256 repositories have ids of 64 digits."""

_LONGEST_PATH: Final = 1000
_HEX: Final = re.compile(r"[0-9a-f]+")
_DRIVE: Final = re.compile(r"[A-Za-z]:")
_USUAL: Final = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]*(?:/[A-Za-z0-9_][A-Za-z0-9_.-]*)*")
"""Paths that need no closer look: no part of them starts with a dot."""

_CONTROL: Final = re.compile(r"[\x00-\x1f\x7f]")


class Anchor(NamedTuple):
    """One entry of `anchors`.

    Args:
        path: as written, without blank ends.
        blob: the blob id it names, lower case; "" when it names none.
        problem: why it cannot be looked up, "" when it can.
    """

    path: str
    blob: str = ""
    problem: str = ""


class Verdict(NamedTuple):
    """What became of an anchored file.

    Args:
        state: `fresh`, `stale` or `unverifiable`.
        why: in words, "" when it is fresh.
        blob: the id its content has now, "" when there is none or it was not read.
    """

    state: str
    why: str = ""
    blob: str = ""


def entries_of(record: Record) -> list[Any]:
    """Return the raw entries of `anchors`; one that stands alone counts as a list of one."""
    value = record.fields.get("anchors") if "anchors" in record.fields else None
    if isinstance(value, list):
        return value
    return [] if value in (None, "") else [value]


def read_anchors(record: Record) -> list[Anchor]:
    """Return the anchors of a record in the order they are written; what names no path is none."""
    found: list[Anchor] = []
    for entry in entries_of(record):
        path = path_of(entry)
        if path:
            found.append(_read(entry, path, too_many=len(found) >= MOST_ANCHORS))
    return found


def path_of(entry: Any) -> str:
    """Return the path that an entry names, "" when it names none."""
    path = entry.get("path") if isinstance(entry, Mapping) else entry
    return path.strip() if isinstance(path, str) else ""


def _read(entry: Any, path: str, *, too_many: bool) -> Anchor:
    written = entry.get("blob") if isinstance(entry, Mapping) else None
    blob = str(written or "").strip().lower().rstrip("…. ")
    problem = path_problem(path) or blob_problem(blob)
    if too_many:
        problem = f"only {MOST_ANCHORS} anchors of a record are looked up"
    return Anchor(path, blob, problem)


def blob_problem(blob: str) -> str:
    """Return what is wrong with a blob id, "" when it can be compared."""
    if not blob:
        return "it names no blob"
    if not _HEX.fullmatch(blob) or len(blob) > MOST_DIGITS:
        return "its blob is no object id"
    return "" if len(blob) >= LEAST_DIGITS else f"its blob has less than {LEAST_DIGITS} digits"


def path_problem(path: str) -> str:
    """Return why a path is none of a project's files, by its words alone; "" when it may be one.

    Paths are POSIX and start at the project's root.
    """
    if _USUAL.fullmatch(path) and len(path) <= _LONGEST_PATH:
        return ""
    parts = path.split("/")
    wrong = {
        "its path is absolute": path.startswith("/") or bool(_DRIVE.match(path)),
        "its path is not written with slashes": "\\" in path,
        "its path is no name of a file": len(path) > _LONGEST_PATH or bool(_CONTROL.search(path)),
        "its path leads out of the project": ".." in parts,
        "its path has an empty part": not all(parts) or "." in parts,
        "its path leads into git's own folder": any(map(_is_git_folder, parts)),
    }
    return next((words for words, holds in wrong.items() if holds), "")


def _is_git_folder(name: str) -> bool:
    """Tell whether a name is git's folder on any file system (`.GIT`, `.git.`, `git~1`)."""
    return name.rstrip(". ").casefold() in {".git", "git~1"}
