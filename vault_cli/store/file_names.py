"""Names of record files: which count, and what is wrong with them. May import `errors`.

The rules stand here once, for the disk (`walk_records`) and for a git tree (`is_record_path`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from typing import Final, NamedTuple

from vault_cli.errors import Diagnostic
from vault_cli.model.paths import fold_path
from vault_cli.store.opening import show_name
from vault_cli.text.late import late

DEFAULT_IGNORE: Final = ("Templates", "templates", "node_modules", ".trash", ".obsidian")
"""Default of `files.ignore`; folders with a leading dot are always passed over."""

_AGENT_FILES: Final = frozenset(
    {"agents.md", "agents.override.md", "claude.md", "claude.local.md", "gemini.md"}
)
"""Instruction files that agent programs read. They may hold a rendered block, which must never
come back as a memory."""

_HELPER_NAMES: Final = _AGENT_FILES | {"readme.md", "conflict-files-obsidian-git.md"}

_PLAIN: Final = late("[A-Za-z0-9_][A-Za-z0-9_ .-]*")
"""Names that cannot be odd, unless they start like a device; Chinese characters may be in them."""

_ODD_STARTS: Final = frozenset({"con", "prn", "aux", "nul", "com", "lpt"})


class _Names(NamedTuple):
    """Patterns of odd names; compiled late, since most names are plain."""

    unreadable: re.Pattern[str]
    hold: re.Pattern[str]
    note: re.Pattern[str]


@cache
def _patterns() -> _Names:
    from vault_cli.text.hidden import NAME_CLASS

    return _Names(late(f"[{NAME_CLASS}]"), late(r"[:\\]"), late(r'[<>"|?*]|[. ]$'))


def _is_device_name(name: str) -> bool:
    if name[:3].lower() not in _ODD_STARTS:
        return False
    from vault_cli.text.names import is_device_name

    return is_device_name(name)


def is_record_path(path: str, ignore: Iterable[str] = DEFAULT_IGNORE) -> bool:
    """Tell whether a vault-relative path is where a record may be (its name may still be bad)."""
    ignored = frozenset(ignore)
    *folders, name = path.split("/")
    place = ""
    for folder in folders:
        place = f"{place}{folder}"
        if is_ignored_folder(folder, place, ignored):
            return False
        place += "/"
    if name[-3:] != ".md" or is_helper_file(name):
        return False
    return not _in_skill(path) or name == "SKILL.md"


def check_name(path: str) -> Diagnostic | None:
    """Return the finding about a path's last name: an error, a hold, a note or nothing."""
    name = path[path.rfind("/") + 1 :]
    patterns = _patterns()
    if patterns.unreadable.search(name):
        return Diagnostic(
            path,
            0,
            "file-name",
            "error",
            f"the name {show_name(name)!r} has control, direction or undecodable characters",
            "Rename the file; until then it is not read.",
        )
    if patterns.hold.search(name) or _is_device_name(name):
        return Diagnostic(
            path,
            0,
            "windows-name",
            "warning",
            f"{name!r} cannot be checked out on Windows (reserved name, colon or backslash)",
            "Rename the file, or allow the code `windows-name` in its front matter.",
            holds=True,
        )
    if not patterns.note.search(name):
        return None
    return Diagnostic(
        path, 0, "windows-name", "note", f"{name!r} cannot be checked out on Windows", "Rename it."
    )


def find_collisions(paths: Iterable[str]) -> list[Diagnostic]:
    """Return a holding finding for every path but the first of those that fold together.

    The first is the one in NFC, then by code-point order: the same choice on every system.
    """
    every = list(paths)
    keys = list(map(fold_path, every))
    if len(set(keys)) == len(keys):
        return []
    groups: dict[str, list[str]] = {}
    for key, path in zip(keys, every, strict=True):
        groups.setdefault(key, []).append(path)
    return [finding for group in groups.values() if len(group) > 1 for finding in _collide(group)]


def _collide(group: list[str]) -> list[Diagnostic]:
    from unicodedata import is_normalized

    first, *others = sorted(group, key=lambda path: (not is_normalized("NFC", path), path))
    return [
        Diagnostic(
            path,
            0,
            "name-collision",
            "warning",
            f"the name differs from {first!r} only in case or in how accents are stored",
            "Rename one of them: Windows and macOS can keep only one.",
            holds=True,
        )
        for path in others
    ]


def is_ignored_folder(name: str, path: str, ignored: frozenset[str]) -> bool:
    """Tell whether a folder is passed over, by its name or its path."""
    return name.startswith(".") or name in ignored or path in ignored


def folder_of(path: str) -> str:
    """Return the folder of a vault-relative path: "" for the root, else with a slash at the end."""
    return path[: path.rfind("/") + 1]


def is_helper_file(path: str) -> bool:
    """Tell whether a file is a README, instructions for agents, or a tool's own (`.name`)."""
    name = path[path.rfind("/") + 1 :]
    # `..name.md` is no tool's file; `.name.md`, `._name.md` and `.#name.md` are.
    return (name[0] == "." and name[1:2] != ".") or name.lower() in _HELPER_NAMES


def is_plain_name(name: str) -> bool:
    """Tell quickly that a file name has nothing odd (False: look with `check_name`)."""
    if name[:3].lower() in _ODD_STARTS:
        return False
    if not name.isascii():  # a class of all these takes longer to compile than a `list` has names
        name = "".join(["_" if "\u4e00" <= char <= "\u9fff" else char for char in name])
    return _PLAIN.fullmatch(name) is not None


def _in_skill(path: str) -> bool:
    return path.startswith("skills/") and path.count("/") > 1
