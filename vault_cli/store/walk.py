"""Which files of a vault are records: one run over the folders. May import `store`, `errors`."""

from __future__ import annotations

import os
import stat
from array import array
from collections.abc import Mapping
from operator import itemgetter
from pathlib import Path
from types import MappingProxyType
from typing import Final, NamedTuple

from vault_cli.errors import Diagnostic
from vault_cli.model.paths import fold_path
from vault_cli.model.record import Kind
from vault_cli.model.tables import MAX_FILE
from vault_cli.store.file_names import (
    check_name,
    find_collisions,
    folder_of,
    is_helper_file,
    is_ignored_folder,
    is_plain_name,
)
from vault_cli.store.opening import FOLDER_FLAGS, HAS_DIR_FD, MAX_DEPTH, explain_os_error

_COUNT_LIMIT: Final = 2000
_KIND: Final = 0o170000
_REGULAR: Final = 0o100000
_new: Final = tuple.__new__  # half the cost of the named tuple's own, once per file
_OTHER_SUFFIXES: Final = frozenset({".MD", ".Md", ".mD"})
_INODE: Final = 0x7FFF_FFFF_FFFF_FFFF
"""What a database can hold of an inode's number."""


class Stamp(NamedTuple):
    """What `stat` says of one candidate file: enough to tell it was not changed since."""

    path: str
    size: int
    mtime_ns: int
    ctime_ns: int
    inode: int


class Listing(NamedTuple):
    """All regular `*.md` of one folder as the system lists them: two alike, and none changed.

    Args:
        names: joined with slashes.
        facts: size, mtime, ctime and inode of each, as 64-bit numbers.
    """

    names: str
    facts: bytes

    def stamps(self, prefix: str) -> list[Stamp]:
        """Return the stamps of the files, helper files left out."""
        numbers = array("q", self.facts)
        return [
            _new(Stamp, (prefix + name, *numbers[4 * place : 4 * place + 4]))
            for place, name in enumerate(self.names.split("/"))
            if not is_helper_file(name)
        ]


class Walk(NamedTuple):
    """All candidate record files below a vault root, sorted by path, and what was passed over.

    Args:
        stamps: the files that can be read, but for those in folders of `same`.
        diagnostics: findings about names, links and folders; those that hold a readable file
            have `holds` set.
        skipped: `*.md` files in ignored folders, by folder name.
        same: folders ("" or with a slash at the end) that are as they were known.
        listings: the other folders in which no file has a finding about its name.
    """

    stamps: tuple[Stamp, ...]
    diagnostics: tuple[Diagnostic, ...]
    skipped: dict[str, int]
    same: tuple[str, ...]
    listings: dict[str, Listing]


def stamp_of(path: str, facts: os.stat_result) -> Stamp:
    """Return the stamp of a file from its stat."""
    inode = facts.st_ino & _INODE
    return _new(Stamp, (path, facts.st_size, facts.st_mtime_ns, facts.st_ctime_ns, inode))


def walk_records(
    root: Path,
    ignore: tuple[str, ...],
    known: Mapping[str, Listing] = MappingProxyType({}),
) -> Walk:
    """List record files: regular `*.md` below root; links, devices and bad names are diagnostics.

    Args:
        root: the vault.
        ignore: setting `files.ignore`.
        known: folders as an earlier walk found them (`Walk.listings`), by their path.

    Passed over without an error: dot-folders, the `ignore` folders (names, or paths with a
    slash), README.md, instruction files of agents (AGENTS.md), editor left-overs, anything in
    `skills/<name>/` but SKILL.md, folders called `*.md`, nested git repositories (a note).

    Raises:
        NotFoundError, StoreError: the root itself cannot be opened.
    """
    walker = _Walker(frozenset(ignore), known)
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
    folders = [*walker.same, *{folder_of(stamp.path) for stamp in walker.stamps}]
    if known and len(set(map(fold_path, folders))) < len(folders):
        # Files of two folders may collide: look at every name.
        return walk_records(root, ignore)
    walker.stamps.sort(key=itemgetter(0))
    collisions = find_collisions([stamp.path for stamp in walker.stamps])
    for finding in collisions:
        walker.listings.pop(folder_of(finding.path), None)
    findings = sorted([*walker.findings, *collisions])
    return Walk(
        tuple(walker.stamps),
        tuple(findings),
        walker.skipped,
        tuple(sorted(walker.same)),
        walker.listings,
    )


_OWN_FOLDERS: Final = frozenset(
    {*(kind.folder for kind in Kind), "drafts", "quarantine", "tombstones", "usage"}
)


def _folder_taken(path: str) -> Diagnostic:
    """Say that a file or a link stands where we keep records: they can be neither read nor made."""
    text = "a file or a link stands where a folder of the vault belongs: nothing can be kept there"
    hint = f"See who put it there: git log -- {path}. Then move it out of the way."
    return Diagnostic(path, 0, "folder-taken", "warning", text, hint)


class _Walker:
    """One run over the folders; collects as it goes."""

    def __init__(self, ignored: frozenset[str], known: Mapping[str, Listing]) -> None:
        self.ignored = ignored
        self.known = known
        self.same: list[str] = []
        self.listings: dict[str, Listing] = {}
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
        names: list[str] = []
        numbers: list[int] = []
        for entry in entries:
            name = entry.name
            try:
                if name[-3:] == ".md" and (not in_skill or name == "SKILL.md"):
                    facts = entry.stat(follow_symlinks=False)
                    if facts.st_mode & _KIND == _REGULAR and facts.st_size <= MAX_FILE:
                        names.append(name)
                        numbers += (
                            facts.st_size,
                            facts.st_mtime_ns,
                            facts.st_ctime_ns,
                            facts.st_ino & _INODE,
                        )
                    elif stat.S_ISDIR(facts.st_mode):
                        self.take_folder(place, name, prefix + name, depth + 1)
                    elif not is_helper_file(name):
                        self.take_odd(facts, prefix + name)
                else:
                    self.take_other(entry, place, prefix + name, depth)
            except OSError as error:
                self.unreadable(prefix + name, error)
        if names:
            self.take_files(prefix, Listing("/".join(names), array("q", numbers).tobytes()))

    def take_files(self, prefix: str, listing: Listing) -> None:
        """Add the files of one folder, unless all of them are known."""
        if self.known.get(prefix) == listing:
            self.same.append(prefix)
            return
        before = len(self.findings)
        for stamp in listing.stamps(prefix):
            finding = None if is_plain_name(stamp.path[len(prefix) :]) else check_name(stamp.path)
            if finding is not None:
                self.findings.append(finding)
            if finding is None or finding.severity != "error":
                self.stamps.append(stamp)
        if len(self.findings) == before:
            self.listings[prefix] = listing

    def take_other(self, entry: os.DirEntry[str], place: int | str, path: str, depth: int) -> None:
        """Go into a folder; of the rest say only what somebody may take for a record."""
        name = entry.name
        if entry.is_dir(follow_symlinks=False):
            self.take_folder(place, name, path, depth + 1)
        elif name in _OWN_FOLDERS and name == path:
            self.findings.append(_folder_taken(path))
        elif name[-3:] in _OTHER_SUFFIXES and not is_helper_file(name):
            self.note(path, "file-suffix", "not read: records end in .md")
        elif entry.is_symlink() and name[0] != "." and entry.is_dir():
            self.note(path, "link", "a link to a folder: not followed")

    def take_odd(self, facts: os.stat_result, path: str) -> None:
        """Say why a `*.md` entry is not read: no plain file, or too large."""
        finding = check_name(path)
        if finding is not None:
            self.findings.append(finding)
            if finding.severity == "error":
                return
        if stat.S_ISREG(facts.st_mode):
            self.findings.append(too_large(path))
        else:
            self.findings.append(special_file(path, facts.st_mode))

    def take_folder(self, place: int | str, name: str, path: str, depth: int) -> None:
        """Go into one sub-folder, unless a rule keeps us out."""
        if is_ignored_folder(name, path, self.ignored):
            self.count_skipped(place, name)
            return
        finding = None if is_plain_name(name) else check_name(path)
        if finding is not None:
            self.findings.append(of_folder(finding))
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


def of_folder(finding: Diagnostic) -> Diagnostic:
    """A folder's odd name is worth a warning once, it does not hold every file below."""
    if not finding.holds:
        return finding
    return Diagnostic(
        finding.path, 0, finding.code, "warning", finding.message, "Rename the folder."
    )


def special_file(path: str, mode: int) -> Diagnostic:
    """Return the error of an entry that is no plain file, by its mode."""
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
