"""A past commit to Snapshot: git's trees and blobs, through the derived cache; no checkout.

May import `text`, `model`, `errors`. The rules are today's: what is ignored, what is a record,
and what the scanner holds are judged as for a file of the working tree.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Final, NamedTuple

from vault_cli.errors import Diagnostic, NotFoundError
from vault_cli.model.paths import fold_path
from vault_cli.model.tables import MAX_FILE
from vault_cli.store.assembly import assemble
from vault_cli.store.codec import DAMAGE, Columns, Parsed, Row, decode_row, encode_parsed
from vault_cli.store.file_names import (
    check_name,
    find_collisions,
    folder_of,
    is_helper_file,
    is_ignored_folder,
    is_plain_name,
)
from vault_cli.store.heads import decode_heads, encode_heads, head_class
from vault_cli.store.opening import MAX_DEPTH
from vault_cli.store.past_index import Folder, Key, PastIndex
from vault_cli.store.reader import (
    ALL_GATES,
    decode_each,
    parse_file,
    paused_collector,
)
from vault_cli.store.walk import of_folder, special_file, too_large

if TYPE_CHECKING:
    from vault_cli.model.record import Record, Snapshot
    from vault_cli.store.repo import Repository
    from vault_cli.store.trees import Tree

_FEW: Final = 8
_FOLDER_MODE: Final = b"40000"
_LINK_MODE: Final = b"120000"
_SUBMODULE_MODE: Final = b"160000"


def read_past(
    repo: Repository,
    commit: str,
    *,
    ignore: Iterable[str],
    gates: frozenset[str] = ALL_GATES,
    whole: bool = True,
    use_cache: bool = True,
) -> Snapshot:
    """Read every record that the vault had in a commit.

    Args:
        repo: the repository of the vault.
        commit: full id.
        ignore: setting `files.ignore`, as it is today.
        gates: setting `admission.gates`, as it is today.
        whole: False lets records that the cache knows load what no list shows when asked.
        use_cache: False reads and parses everything.

    Raises:
        NotFoundError: the vault's folder is not in this commit.
        StoreError: an object is missing or damaged.
    """
    index = PastIndex(repo.root, gates)
    reader = _PastReader(repo, commit, frozenset(ignore), gates, index if use_cache else None)
    with paused_collector():
        try:
            return reader.run(whole=whole)
        finally:
            index.close()


class _Fresh(NamedTuple):
    """A folder read from git: what is in it and, until its texts are read, maybe no digests."""

    tree: str
    path: str
    files: dict[str, str]
    below: tuple[tuple[str, str], ...]
    is_plain: bool


class _PastReader:
    """One reading of one commit."""

    def __init__(
        self,
        repo: Repository,
        commit: str,
        ignored: frozenset[str],
        gates: frozenset[str],
        index: PastIndex | None,
    ) -> None:
        self.gates = gates
        self.repo = repo
        self.commit = commit
        self.ignored = ignored
        self.index = index
        self.findings: list[Diagnostic] = []
        self.known: list[Folder] = []
        self.fresh: list[_Fresh] = []

    def run(self, *, whole: bool) -> Snapshot:
        """Return what the commit held."""
        self._find_folders()
        parsed: dict[str, Parsed] = {}
        again = [] if whole else self._take_heads(parsed)
        self._take_texts(self.known if whole else again, parsed)
        paths = sorted(parsed)
        folders = [*(folder.path for folder in self.known), *(f.path for f in self.fresh)]
        if self.fresh or len(set(map(fold_path, folders))) < len(folders):
            self.findings.extend(find_collisions(paths))
        return assemble({path: parsed[path] for path in paths}, self.findings, commit=self.commit)

    # Folders

    def _find_folders(self) -> None:
        """Collect every folder that may hold records, from the cache or from git."""
        top = self.index.load_tree(self.commit, "") if self.index else None
        with self.repo.reading_trees(self.commit) as read:
            if top is None:
                root = self.repo.folder_id(self.commit)
                if not root:
                    raise NotFoundError(
                        f"the vault's folder is not in commit {self.commit[:10]} yet",
                        hint="`mvault log -n 0` ends with the first commit that has it.",
                    )
                below = self._open("", read(root), self.commit)
            else:
                self.known.append(top)
                below = top.below
            waiting = list(self._enter("", below))
            while waiting:
                path, tree = waiting.pop()
                folder = self.index.load_tree(tree, path) if self.index else None
                if folder is not None:
                    self.known.append(folder)
                    waiting.extend(self._enter(path, folder.below))
                else:
                    waiting.extend(self._enter(path, self._open(path, read(tree), tree)))

    def _enter(self, path: str, below: Iterable[tuple[str, str]]) -> Iterator[tuple[str, str]]:
        """Yield path and tree of the folders to go into; say why one is passed over."""
        for name, tree in below:
            inner = path + name
            if is_ignored_folder(name, inner, self.ignored):
                continue
            finding = None if is_plain_name(name) else check_name(inner)
            if finding is not None:
                self.findings.append(of_folder(finding))
                if finding.severity == "error":
                    continue
            if inner.count("/") >= MAX_DEPTH:
                text = f"folders nested deeper than {MAX_DEPTH} are not read"
                self.findings.append(Diagnostic(inner, 0, "too-deep", "note", text))
                continue
            yield f"{inner}/", tree

    def _open(self, path: str, entries: Tree, tree: str) -> tuple[tuple[str, str], ...]:
        """Take a folder's entries as git has them; return the folders in it."""
        before = len(self.findings)
        in_skill = path.startswith("skills/") and path.count("/") > 1
        files: dict[str, str] = {}
        below: list[tuple[str, str]] = []
        for raw, (mode, blob) in entries.items():
            name = os.fsdecode(raw)
            if mode == _FOLDER_MODE:
                below.append((name, blob.hex()))
            elif mode == _SUBMODULE_MODE:
                self._note_submodule(path + name)
            elif (
                name[-3:] == ".md"
                and not is_helper_file(name)
                and (not in_skill or name == "SKILL.md")
                and self._may_read(path + name, mode)
            ):
                files[name] = blob.hex()
        names = "".join([*files, *(name for name, _ in below)])
        plain = len(self.findings) == before and names.isprintable()
        self.fresh.append(_Fresh(tree, path, files, tuple(below), plain))
        return tuple(below)

    def _may_read(self, path: str, mode: bytes) -> bool:
        finding = check_name(path)
        if finding is not None:
            self.findings.append(finding)
            if finding.severity == "error":
                return False
        if mode == _LINK_MODE:
            self.findings.append(special_file(path, stat.S_IFLNK))
        return mode != _LINK_MODE

    def _note_submodule(self, path: str) -> None:
        text = "a git repository inside the vault: not read"
        self.findings.append(Diagnostic(path, 0, "nested-repository", "note", text))

    # Texts

    def _take_heads(self, parsed: dict[str, Parsed]) -> list[Folder]:
        """Add the heads of known folders; return the folders whose heads are damaged."""
        damaged = []
        head = head_class(_PastLoader(self.repo, self.commit, self.gates).load)
        for folder in self.known:
            try:
                parsed.update(decode_heads(folder.heads, folder.path, head))
            except DAMAGE:
                damaged.append(folder)
        return damaged

    def _take_texts(self, known: list[Folder], parsed: dict[str, Parsed]) -> None:
        """Add what the files of these folders and of the fresh ones hold; keep it for later."""
        wanted: dict[str, tuple[str, str]] = {}
        for folder in known:
            pairs = zip(folder.names, folder.blobs, folder.digests, strict=True)
            wanted.update({folder.path + name: (blob, digest) for name, blob, digest in pairs})
        for fresh in self.fresh:
            digests = self.index.load_digests(fresh.path) if self.index else {}
            for name, blob in fresh.files.items():
                wanted[fresh.path + name] = blob, digests.get(blob, "")
        if not wanted:
            self._keep({}, {}, parsed)
            return
        keys = {path: (path, digest) for path, (_, digest) in wanted.items()}
        rows = self._load_rows(keys.values())
        decoded = decode_each([rows[key] for key in keys.values() if key in rows])
        parsed.update(decoded)
        unread = {path: blob for path, (blob, _) in wanted.items() if path not in decoded}
        digests = {path: digest for path, (_, digest) in wanted.items() if path in decoded}
        self._keep(*self._read(unread, rows, digests, parsed), parsed)

    def _load_rows(self, keys: Collection[Key]) -> Mapping[Key, Row]:
        """Return the rows that may hold these texts; those of the working tree count too."""
        if self.index is None:
            return {}
        folders = {folder_of(path) for path, _ in keys}
        now = (
            [self.index.load_rows()]
            if len(folders) > _FEW
            else map(self.index.load_folder, folders)
        )
        rows = {row[:2]: row for loaded in now for row in loaded.values()}
        lacking = {folder_of(key[0]) for key in keys if key not in rows}
        if len(lacking) > _FEW:
            rows.update(self.index.load_all_past())
        else:
            for folder in lacking:
                rows.update(self.index.load_past(folder))
        return rows

    def _read(
        self,
        unread: Mapping[str, str],
        rows: Mapping[Key, Row],
        digests: dict[str, str],
        parsed: dict[str, Parsed],
    ) -> tuple[dict[Key, Columns], dict[str, str]]:
        """Read texts from git; return those to keep, and the digest of every file that is kept."""
        from vault_cli.store.files import digest_bytes

        texts: dict[Key, Columns] = {}
        for path, data in zip(unread, self.repo.read_blobs(list(unread.values())), strict=True):
            if len(data) > MAX_FILE:
                self.findings.append(too_large(path))
                continue
            digest = digest_bytes(data)
            row = rows.get((path, digest))
            known = decode_row(row) if row is not None else None
            parsed[path] = known or parse_file(data, path, self.gates)
            if known is not None:
                digests[path] = digest
            elif self.index and (columns := encode_parsed(parsed[path], path, digest)):
                texts[path, digest] = columns
                digests[path] = digest
        return texts, digests

    def _keep(
        self,
        texts: dict[Key, Columns],
        digests: Mapping[str, str],
        parsed: Mapping[str, Parsed],
    ) -> None:
        """Bring the cache up to date, if it can be written."""
        if self.index is None or not (texts or self.fresh):
            return
        colliding = {finding.path for finding in find_collisions(sorted(parsed))}
        folders = [
            (fresh.tree, folder)
            for fresh in self.fresh
            if fresh.is_plain and (folder := _folder(fresh, digests, parsed, colliding))
        ]
        if texts or folders:
            with self.index.updating() as writable:
                if writable:
                    self.index.store_past(texts, folders, len(parsed))


def _folder(
    fresh: _Fresh,
    digests: Mapping[str, str],
    parsed: Mapping[str, Parsed],
    colliding: set[str],
) -> Folder | None:
    """Return what to remember of a folder; None unless all of its files are in the cache."""
    paths = [fresh.path + name for name in fresh.files]
    if any(path not in digests or path in colliding for path in paths):
        return None
    names = tuple(fresh.files)
    heads = {name: (digests[path], parsed[path]) for name, path in zip(names, paths, strict=True)}
    found = tuple(digests[path] for path in paths)
    text = encode_heads(heads)
    return Folder(fresh.path, names, tuple(fresh.files.values()), found, fresh.below, text)


class _PastLoader:
    """Completes records of a commit of which only the head is loaded.

    Args:
        repo: the repository of the vault.
        commit: full id.
        gates: setting `admission.gates`.
    """

    def __init__(self, repo: Repository, commit: str, gates: frozenset[str]) -> None:
        self._repo = repo
        self._gates = gates
        self._commit = commit
        self._asked = 0
        self._rows: dict[Key, Row] | None = None

    def load(self, path: str, digest: str) -> Record:
        """Return the record of a file of the commit."""
        row = self._row(path, digest)
        parsed = decode_row(row) if row is not None else None
        record = parsed[0] if parsed else None
        return record or self._read(path)

    def _row(self, path: str, digest: str) -> Row | None:
        self._asked += 1
        if self._rows is not None:
            return self._rows.get((path, digest))
        index = PastIndex(self._repo.root, self._gates)
        try:
            if self._asked <= _FEW:
                return index.load_one(path, digest)
            now = index.load_rows().values()
            self._rows = {**index.load_all_past(), **{row[:2]: row for row in now}}
            return self._rows.get((path, digest))
        finally:
            index.close()

    def _read(self, path: str) -> Record:
        data = self._repo.read_blob(self._commit, path)
        record = parse_file(data, path, self._gates)[0] if data is not None else None
        if record is None:
            raise NotFoundError(f"{path} is not in commit {self._commit[:10]}")
        return record
