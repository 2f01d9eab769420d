"""Files to Snapshot, through the derived cache. May import `text`, `model`, `errors`."""

from __future__ import annotations

import errno
import gc
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import Final

from vault_cli.errors import Diagnostic, Severity, StoreError
from vault_cli.model.record import Record, Snapshot
from vault_cli.model.tables import ADMISSION_GATES, MAX_FILE
from vault_cli.store.codec import DAMAGE, Parsed, Row, decode_row, decode_rows, encode_parsed
from vault_cli.store.config import Config
from vault_cli.store.file_names import (
    folder_of,
    is_helper_file,
)
from vault_cli.store.heads import RowLoader, decode_heads, encode_heads, head_class
from vault_cli.store.index import Entry, Index, Shelf
from vault_cli.store.opening import Folders, explain_os_error, read_at
from vault_cli.store.walk import Stamp, Walk, stamp_of, walk_records

ALL_GATES: Final = frozenset(ADMISSION_GATES)

_COPY_NAME: Final = (
    r"(?i)conflicted copy|case conflict|\.sync-conflict-|-MacBook[^/]* of |冲突.?副本|衝突"
    r"|[ _]\(\d+\)\.md$|(?<=\S) \d{1,2}\.md$"
)
"""How sync programs call the second file they make when both sides changed; seldom looked at."""


_FEW: Final = 8
"""Up to so many files or folders are looked up one by one; for more all rows are loaded."""


def is_copy_name(path: str) -> bool:
    """Tell whether a file is called as sync programs call the second one of two."""
    return re.search(_COPY_NAME, path) is not None


def read_vault(
    root: Path, config: Config, *, use_cache: bool = True, whole: bool = True
) -> Snapshot:
    """Read every record of the vault: stat all, reuse what the cache has, parse the rest.

    Adds the findings that need all files: duplicate ids, conflict copies, colliding names.
    Works on a read-only vault and never takes the vault's lock.

    Args:
        root: the vault.
        config: its settings.
        use_cache: False parses every file.
        whole: False lets records that the cache knows load what no list shows when it is asked
            for; a file that is changed before that is then a `ChangedMeanwhileError`.

    Raises:
        NotFoundError, StoreError: the root itself cannot be opened.
    """
    gates = config.gates
    index = Index(root, gates) if use_cache else None
    with paused_collector():
        try:
            parsed, walk = _read_files(root, config["files.ignore"], index, gates, whole=whole)
        finally:
            if index is not None:
                index.close()
        snapshot = assemble(parsed, walk.diagnostics, skipped=walk.skipped)
    if not config.diagnostics:
        return snapshot
    # a settings file that cannot be read is no record file that cannot be read
    return replace(
        snapshot, diagnostics=tuple(sorted((*snapshot.diagnostics, *config.diagnostics)))
    )


@contextmanager
def paused_collector() -> Iterator[None]:
    """Keep the cyclic collector from walking 10,000 new records again and again."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def parse_file(data: bytes, path: str, gates: frozenset[str]) -> Parsed:
    """Return what the bytes of one file hold, as these gates of admission see it."""
    from vault_cli.text.fields import read_record

    return read_record(data, path, gates)


def _read_files(
    root: Path,
    ignore: tuple[str, ...],
    index: Index | None,
    gates: frozenset[str],
    *,
    whole: bool,
) -> tuple[dict[str, Parsed], Walk]:
    """Return what each file holds, sorted by path, and the walk; files gone meanwhile are left out.

    Folders that are as the cache knows them are taken from it at once; of the others the stamp
    of each file decides.
    """
    if index is None:
        walk = walk_records(root, ignore)
        return {entry[0].path: entry[2] for entry in _read_all(root, walk.stamps, {}, gates)}, walk
    # Texts are fetched when they are asked for, from the moment at which the vault was read.
    still = Index(root, gates) if whole else index
    shelves = still.load_shelves(rest=whole)
    walk = walk_records(root, ignore, {folder: s.listing for folder, s in shelves.items()})
    unchanged = {folder: shelves[folder] for folder in walk.same}
    if not whole:
        parsed, stamps = _take_heads(root, unchanged, gates)
    elif unchanged and still.stands_still():
        parsed, stamps = _take_outlines(root, still, unchanged, gates)
    else:
        still.close()
        parsed, stamps = _take_rows(index, unchanged)
    stamps.extend(walk.stamps)
    if stamps or len(unchanged) < len(shelves):
        parsed.update(_Refresh(root, index, walk, shelves, gates).run(stamps))
    return {path: parsed[path] for path in sorted(parsed)}, walk


def _take_rows(index: Index, shelves: Mapping[str, Shelf]) -> tuple[dict[str, Parsed], list[Stamp]]:
    """Return what the files of unchanged folders hold, and the stamps of those without a row."""
    rows = index.load_rows() if shelves else {}
    paths = [
        folder + name
        for folder, shelf in shelves.items()
        for name in shelf.listing.names.split("/")
    ]
    parsed = decode_each([row for path in paths if (row := rows.get(path)) is not None])
    lost = [path for path in paths if path not in parsed and not is_helper_file(path)]
    stamps: list[Stamp] = []
    for folder in {folder_of(path) for path in lost}:
        stamps.extend(shelves[folder].listing.stamps(folder))
    return parsed, stamps


def _take_heads(
    root: Path, shelves: Mapping[str, Shelf], gates: frozenset[str]
) -> tuple[dict[str, Parsed], list[Stamp]]:
    """Return the heads of unchanged folders, and the stamps of those that are damaged."""
    parsed: dict[str, Parsed] = {}
    stamps: list[Stamp] = []
    head = head_class(RowLoader(root, gates).load)
    for folder, shelf in shelves.items():
        try:
            parsed.update(decode_heads(shelf.heads, folder, head))
        except DAMAGE:
            stamps.extend(shelf.listing.stamps(folder))
    return parsed, stamps


def _take_outlines(
    root: Path, still: Index, shelves: Mapping[str, Shelf], gates: frozenset[str]
) -> tuple[dict[str, Parsed], list[Stamp]]:
    """Return the outlines of unchanged folders, and the stamps of those that are damaged."""
    from vault_cli.store.outlines import TextLoader, decode_outlines, outline_class

    parsed: dict[str, Parsed] = {}
    stamps: list[Stamp] = []
    loader = TextLoader(still, root, gates)
    kind = outline_class(loader)
    for folder, shelf in shelves.items():
        try:
            parsed.update(decode_outlines(shelf.heads, shelf.rest, folder, kind))
        except DAMAGE:
            stamps.extend(shelf.listing.stamps(folder))
    loader.outlines = [record for record, _ in parsed.values() if record is not None]
    return parsed, stamps


def decode_each(rows: list[Row]) -> dict[str, Parsed]:
    """Decode rows at once; if one is damaged, each alone, without the damaged ones."""
    try:
        return dict(zip([row[0] for row in rows], decode_rows(rows), strict=True))
    except DAMAGE:
        return {row[0]: parsed for row in rows if (parsed := decode_row(row)) is not None}


class _Refresh:
    """Reads what the cache does not have, and brings the cache up to date if it can be written.

    Args:
        root: the vault.
        index: its cache.
        walk: what is on disk now.
        shelves: what the cache knew of the folders.
        gates: setting `admission.gates`.
    """

    def __init__(
        self,
        root: Path,
        index: Index,
        walk: Walk,
        shelves: Mapping[str, Shelf],
        gates: frozenset[str],
    ) -> None:
        self._root = root
        self._gates = gates
        self._index = index
        self._shelves = shelves
        self._same = set(walk.same)
        self._listings = walk.listings
        self._stored: dict[str, tuple[Stamp, str]] = {}

    def run(self, stamps: list[Stamp]) -> dict[str, Parsed]:
        """Return what the files of `stamps`, all those of their folders, hold."""
        folders = {folder_of(stamp.path) for stamp in stamps}
        for folder in folders & self._same:  # what the cache said of it was damaged
            self._listings[folder] = self._shelves[folder].listing
        gone = (self._index.known_folders() | self._shelves.keys()) - self._same - folders
        rows, known = self._load(folders | gone)
        kept = [
            row
            for stamp in stamps
            if known.get(stamp.path) == stamp and (row := rows.get(stamp.path)) is not None
        ]
        found = decode_each(kept)
        self._stored = {row[0]: (known[row[0]], row[1]) for row in kept if row[0] in found}
        todo = [stamp for stamp in stamps if stamp.path not in found]
        dropped = rows.keys() - {stamp.path for stamp in stamps}
        if todo or dropped or gone or folders & self._listings.keys():
            with self._index.updating() as writable:
                entries = self._read(todo, rows, found, writable=writable)
                if writable:
                    stored = {entry.stamp.path for entry in entries}
                    dropped |= {s.path for s in todo if s.path in rows and s.path not in stored}
                    shelves = {folder: self._shelf(folder, found) for folder in folders | gone}
                    self._index.store(entries, dropped, shelves)
        return found

    def _load(self, folders: set[str]) -> tuple[dict[str, Row], dict[str, Stamp]]:
        """Return the rows of folders, and the stamps that are to be believed."""
        index = self._index
        if len(folders) > _FEW:
            every = index.load_rows()
            rows = {path: row for path, row in every.items() if folder_of(path) in folders}
            return rows, index.load_stamps()
        rows = {}
        known = {}
        for folder in folders:
            rows.update(index.load_folder(folder))
            known.update(index.load_stamps(folder))
        return rows, known

    def _read(
        self,
        todo: list[Stamp],
        rows: Mapping[str, Row],
        found: dict[str, Parsed],
        *,
        writable: bool,
    ) -> list[Entry]:
        entries = []
        for stamp, digest, result, is_known in _read_all(self._root, todo, rows, self._gates):
            found[stamp.path] = result
            if not writable or not digest:
                continue
            columns = None if is_known else encode_parsed(result, stamp.path, digest)
            if columns is None and not is_known:
                continue
            entries.append(Entry(stamp, digest, columns))
            if self._index.is_settled(stamp):
                self._stored[stamp.path] = stamp, digest
        return entries

    def _shelf(self, folder: str, found: Mapping[str, Parsed]) -> Shelf | None:
        """Return what to remember of a folder; None unless all of it is safely in the cache."""
        from vault_cli.store.outlines import encode_rest

        listing = self._listings.get(folder)
        if listing is None:
            return None
        files = {}
        for stamp in sorted(listing.stamps(folder)):
            stored, digest = self._stored.get(stamp.path, (None, ""))
            if stored != stamp:
                return None
            files[stamp.path[len(folder) :]] = digest, found[stamp.path]
        return Shelf(listing, encode_heads(files), encode_rest(files))


def _read_all(
    root: Path, stamps: Iterable[Stamp], rows: Mapping[str, Row], gates: frozenset[str]
) -> Iterator[tuple[Stamp, str, Parsed, bool]]:
    """Read each file that is still there.

    Yields:
        The stamp of the bytes read, their digest ("" for none), what they hold, and whether that
        is what the row of the file has.
    """
    from vault_cli.store.files import digest_bytes

    with Folders(root) as folders:
        for stamp in stamps:
            path = stamp.path
            try:
                data, facts = read_at(*folders.locate(path), MAX_FILE)
            except FileNotFoundError:
                continue
            except (OSError, StoreError) as error:
                yield stamp, "", (None, (_unreadable(path, error),)), False
                continue
            digest = digest_bytes(data)
            row = rows.get(path)
            known = decode_row(row) if row and row[1] == digest else None
            found = known or parse_file(data, path, gates)
            yield stamp_of(path, facts), digest, found, known is not None


def _unreadable(path: str, error: OSError | StoreError) -> Diagnostic:
    if isinstance(error, OSError):
        is_link = error.errno in {errno.ELOOP, errno.ENOTDIR}
        problem = explain_os_error(error, path, "read")
        code = "link" if is_link else "unreadable"
        return Diagnostic(path, 0, code, "error", problem.message, problem.hint)
    return Diagnostic(path, 0, "unreadable", "error", error.message, error.hint)


def assemble(
    parsed: Mapping[str, Parsed],
    findings: Iterable[Diagnostic],
    *,
    skipped: Mapping[str, int] | None = None,
    commit: str = "",
) -> Snapshot:
    """Join records and findings, those about names and duplicates included."""
    listed = list(findings)
    extra: dict[str, list[Diagnostic]] = {}
    for finding in listed:
        if finding.path in parsed:
            extra.setdefault(finding.path, []).append(finding)
    records = [record for record, _ in parsed.values() if record is not None]
    for group in _same_ids(records):
        found = _duplicate_findings(group)
        heard = [record.path for record in group if not record.is_silent]
        if len(heard) == 1:  # a copy that is held for its own text makes no doubt of the other
            found = [finding for finding in found if finding.path != heard[0]]
        listed.append(found[0])
        for finding in found:
            extra.setdefault(finding.path, []).append(finding)
    if extra:
        records = [
            replace(r, findings=(*r.findings, *extra[r.path])) if r.path in extra else r
            for r in records
        ]
    for _, own in parsed.values():
        if own:
            listed.extend(own)
    return Snapshot(
        records=tuple(records),
        diagnostics=tuple(sorted(listed)),
        unreadable=tuple(sorted({d.path for d in listed if d.severity == "error"})),
        skipped=MappingProxyType(dict(skipped or {})),
        commit=commit,
    )


def _same_ids(records: list[Record]) -> list[list[Record]]:
    if len({record.id for record in records}) == len(records):
        return []
    first: dict[str, Record] = {}
    groups: dict[str, list[Record]] = {}
    for record in records:
        known = first.setdefault(record.id, record)
        if known is not record:
            groups.setdefault(record.id, [known]).append(record)
    return list(groups.values())


def _duplicate_findings(group: list[Record]) -> list[Diagnostic]:
    """Return one finding per file; the first is for the plainest name and stands for all."""
    ordered = sorted(group, key=lambda r: (is_copy_name(r.path), r.path))
    names = ", ".join(repr(r.path) for r in ordered)
    copies = [r.path for r in ordered if is_copy_name(r.path)]
    message = f"the id {ordered[0].id} stands in {len(group)} files: {names}"
    if copies:
        message += f"; conflict copies of a sync program: {', '.join(map(repr, copies))}"
    hint = "Keep the right text in one file and move the others out of the vault."
    holds = any(record.adopted for record in group)
    if not holds:  # notes that nobody adopted: only their file names are the same
        hint = "`mvault adopt` gives each an id of its own."
    severity: Severity = "warning" if holds else "note"
    return [Diagnostic(r.path, 0, "duplicate-id", severity, message, hint, holds) for r in ordered]
