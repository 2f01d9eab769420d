"""Which files of a vault are records, and what is wrong with their names. May import `errors`.

The rules stand here once, for the disk (`walk_records`) and for a git tree (`is_record_path`).
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterable
from functools import cache
from operator import itemgetter
from pathlib import Path
from typing import Final, NamedTuple

from vault_cli.errors import Diagnostic
from vault_cli.store.opening import (
    FOLDER_FLAGS,
    HAS_DIR_FD,
    MAX_DEPTH,
    explain_os_error,
    show_name,
)

DEFAULT_IGNORE: Final = ("Templates", "templates", "node_modules", ".trash", ".obsidian")
"""Default of `files.ignore`; folders with a leading dot are always passed over."""

MAX_FILE: Final = 1 << 20
"""A record file larger than this is not read."""

_COUNT_LIMIT: Final = 2000
_KIND: Final = 0o170000
_REGULAR: Final = 0o100000
_new: Final = tuple.__new__  # half the cost of the named tuple's own, once per file
_OTHER_SUFFIXES: Final = frozenset({".MD", ".Md", ".mD"})
_HELPER_NAMES: Final = frozenset({"readme.md", "conflict-files-obsidian-git.md"})

_PLAIN: Final = re.compile("[A-Za-z0-9_\u4e00-\u9fff][A-Za-z0-9_ .\u4e00-\u9fff-]*")
"""Names that cannot be odd, unless they start like a device or a helper file."""

_ODD_STARTS: Final = frozenset({"con", "prn", "aux", "nul", "com", "lpt", "rea"})


class _Names(NamedTuple):
    """Patterns of odd names; compiled late, since most names are plain."""

    unreadable: re.Pattern[str]
    hold: re.Pattern[str]
    note: re.Pattern[str]


@cache
def _patterns() -> _Names:
    device = r"(?i:con|prn|aux|nul|conin\$|conout\$|com[0-9¹²³]|lpt[0-9¹²³])(?=\s*(?:\.|$))"
    hidden = (
        "\\x00-\\x1f\\x7f-\\x9f\\u061c\\u200e\\u200f\\u2028-\\u202e\\u2066-\\u2069"
        "\\ufeff\\ud800-\\udfff\\U000e0000-\\U000e007f"
    )
    return _Names(
        re.compile(f"[{hidden}]"), re.compile(rf"[:\\]|^{device}"), re.compile(r'[<>"|?*]|[. ]$')
    )


class Stamp(NamedTuple):
    """What `stat` says of one candidate file: enough to tell it was not changed since."""

    path: str
    size: int
    mtime_ns: int
    ctime_ns: int
    inode: int


class Walk(NamedTuple):
    """All candidate record files below a vault root, sorted by path, and what was passed over.

    Args:
        stamps: the files that can be read.
        diagnostics: findings about names, links and folders; those that hold a readable file
            have `holds` set.
        skipped: `*.md` files in ignored folders, by folder name.
    """

    stamps: tuple[Stamp, ...]
    diagnostics: tuple[Diagnostic, ...]
    skipped: dict[str, int]


def stamp_of(path: str, facts: os.stat_result) -> Stamp:
    """Return the stamp of a file from its stat (the inode cut to what a database can hold)."""
    inode = facts.st_ino & 0x7FFF_FFFF_FFFF_FFFF
    return _new(Stamp, (path, facts.st_size, facts.st_mtime_ns, facts.st_ctime_ns, inode))


def walk_records(root: Path, ignore: tuple[str, ...]) -> Walk:
    """List record files: regular `*.md` below root; links, devices and bad names are diagnostics.

    Passed over without an error: dot-folders, the `ignore` folders (names, or paths with a
    slash), README.md, editor left-overs, anything in `skills/<name>/` but SKILL.md, folders
    called `*.md`, nested git repositories (a note).

    Raises:
        NotFoundError, StoreError: the root itself cannot be opened.
    """
    walker = _Walker(frozenset(ignore))
    try:
        if HAS_DIR_FD:
            handle = os.open(root, os.O_RDONLY | getattr(os, "O_DIRECTORY", 0))
            try:
                walker.visit(handle, "", 0)
            finally:
                os.close(handle)
        else:
            walker.visit(str(root), "", 0)
    except OSError as error:
        raise explain_os_error(error, str(root), "open") from error
    walker.stamps.sort(key=itemgetter(0))
    walker.findings.extend(find_collisions([stamp.path for stamp in walker.stamps]))
    return Walk(tuple(walker.stamps), tuple(sorted(walker.findings)), walker.skipped)


def is_record_path(path: str, ignore: Iterable[str] = DEFAULT_IGNORE) -> bool:
    """Tell whether a vault-relative path is where a record may be (its name may still be bad)."""
    ignored = frozenset(ignore)
    *folders, name = path.split("/")
    place = ""
    for folder in folders:
        place = f"{place}{folder}"
        if _is_ignored_folder(folder, place, ignored):
            return False
        place += "/"
    if name[-3:] != ".md" or _is_helper_file(name):
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
    if patterns.hold.search(name):
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


def fold_path(path: str) -> str:
    """Return what two paths share when a case- or form-folding file system mixes them up."""
    if path.isascii():
        return path.lower()
    from unicodedata import normalize

    return normalize("NFC", normalize("NFC", path).casefold())


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


def _is_ignored_folder(name: str, path: str, ignored: frozenset[str]) -> bool:
    return name.startswith(".") or name in ignored or path in ignored


def _is_helper_file(name: str) -> bool:
    # `..name.md` is no tool's file; `.name.md`, `._name.md` and `.#name.md` are.
    return (name[0] == "." and name[1:2] != ".") or name.lower() in _HELPER_NAMES


def _in_skill(path: str) -> bool:
    return path.startswith("skills/") and path.count("/") > 1


class _Walker:
    """One run over the folders; collects as it goes."""

    def __init__(self, ignored: frozenset[str]) -> None:
        self.ignored = ignored
        self.stamps: list[Stamp] = []
        self.findings: list[Diagnostic] = []
        self.skipped: dict[str, int] = {}

    def visit(self, place: int | str, prefix: str, depth: int) -> None:
        """List one open folder and go down; `place` is a descriptor, or a path on Windows."""
        with os.scandir(place) as listing:
            entries = list(listing)
        if depth and any(entry.name == ".git" for entry in entries):
            self.note(
                prefix[:-1], "nested-repository", "a git repository inside the vault: not read"
            )
            return
        in_skill = prefix.startswith("skills/") and prefix.count("/") > 1
        for entry in entries:
            name = entry.name
            try:
                if name[-3:] == ".md" and (not in_skill or name == "SKILL.md"):
                    facts = entry.stat(follow_symlinks=False)
                    is_plain = _PLAIN.fullmatch(name) and name[:3].lower() not in _ODD_STARTS
                    if is_plain and facts.st_mode & _KIND == _REGULAR and facts.st_size <= MAX_FILE:
                        self.stamps.append(stamp_of(prefix + name, facts))
                    elif stat.S_ISDIR(facts.st_mode):
                        self.take_folder(place, name, prefix + name, depth + 1)
                    elif not _is_helper_file(name):
                        self.take_file(facts, prefix + name)
                else:
                    self.take_other(entry, place, prefix + name, depth)
            except OSError as error:
                self.unreadable(prefix + name, error)

    def take_other(self, entry: os.DirEntry[str], place: int | str, path: str, depth: int) -> None:
        """Go into a folder; of the rest say only what somebody may take for a record."""
        name = entry.name
        if entry.is_dir(follow_symlinks=False):
            self.take_folder(place, name, path, depth + 1)
        elif name[-3:] in _OTHER_SUFFIXES and not _is_helper_file(name):
            self.note(path, "file-suffix", "not read: records end in .md")
        elif entry.is_symlink() and name[0] != "." and entry.is_dir():
            self.note(path, "link", "a link to a folder: not followed")

    def take_file(self, facts: os.stat_result, path: str) -> None:
        """Add one `*.md` entry, or the finding that keeps it out."""
        finding = check_name(path)
        if finding is not None:
            self.findings.append(finding)
            if finding.severity == "error":
                return
        if not stat.S_ISREG(facts.st_mode):
            self.findings.append(_special_file(path, facts.st_mode))
        elif facts.st_size > MAX_FILE:
            self.findings.append(too_large(path))
        else:
            self.stamps.append(stamp_of(path, facts))

    def take_folder(self, place: int | str, name: str, path: str, depth: int) -> None:
        """Go into one sub-folder, unless a rule keeps us out."""
        if _is_ignored_folder(name, path, self.ignored):
            self.count_skipped(place, name)
            return
        finding = check_name(path)
        if finding is not None:
            self.findings.append(_of_folder(finding))
            if finding.severity == "error":
                return
        if depth > MAX_DEPTH:
            self.note(path, "too-deep", f"folders nested deeper than {MAX_DEPTH} are not read")
            return
        if isinstance(place, str):
            self.visit(os.path.join(place, name), path + "/", depth)  # noqa: PTH118 - hot path
            return
        handle = os.open(name, FOLDER_FLAGS, dir_fd=place)
        try:
            self.visit(handle, path + "/", depth)
        finally:
            os.close(handle)

    def count_skipped(self, place: int | str, name: str) -> None:
        """Count the Markdown files of an ignored folder (not of tools' own, nor of packages)."""
        if name.startswith(".") or name == "node_modules":
            return
        if isinstance(place, str):
            count = _count_markdown(os.path.join(place, name))  # noqa: PTH118
        else:
            handle = os.open(name, FOLDER_FLAGS, dir_fd=place)
            try:
                count = _count_markdown(handle)
            finally:
                os.close(handle)
        if count:
            self.skipped[name] = self.skipped.get(name, 0) + count

    def note(self, path: str, code: str, message: str) -> None:
        """Add a finding that changes nothing."""
        self.findings.append(Diagnostic(path, 0, code, "note", message))

    def unreadable(self, path: str, error: OSError) -> None:
        """Add the finding of an entry the system does not let us look at."""
        problem = explain_os_error(error, path, "read")
        self.findings.append(
            Diagnostic(path, 0, "unreadable", "error", problem.message, problem.hint)
        )


def too_large(path: str) -> Diagnostic:
    """Return the error of a file over the size limit."""
    return Diagnostic(
        path,
        0,
        "file-too-large",
        "error",
        f"the file is over {MAX_FILE >> 20} MiB",
        "Split it: a memory is a page, not a book.",
    )


def _of_folder(finding: Diagnostic) -> Diagnostic:
    """A folder's odd name is worth a warning once, it does not hold every file below."""
    if not finding.holds:
        return finding
    return Diagnostic(
        finding.path, 0, finding.code, "warning", finding.message, "Rename the folder."
    )


def _special_file(path: str, mode: int) -> Diagnostic:
    if stat.S_ISLNK(mode):
        return Diagnostic(
            path,
            0,
            "link",
            "error",
            "a symbolic link: links are never followed",
            "Put the file itself into the vault.",
        )
    return Diagnostic(
        path,
        0,
        "not-a-file",
        "error",
        "a pipe, socket or device, not a plain file",
        "Remove it from the vault, or rename it so that it does not end in .md.",
    )


def _count_markdown(place: int | str) -> int:
    """Count `*.md` directly in an ignored folder, up to a limit, without going deeper."""
    count = 0
    with os.scandir(place) as listing:
        for seen, entry in enumerate(listing):
            if seen >= _COUNT_LIMIT:
                break
            count += entry.name[-3:] == ".md"
    return count
