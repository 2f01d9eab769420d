"""Files to Snapshot, through the derived cache. May import `text`, `model`, `errors`."""

from __future__ import annotations

import errno
import gc
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from time import monotonic
from typing import Final

from vault_cli.errors import Diagnostic, StoreError
from vault_cli.model.record import Snapshot
from vault_cli.model.tables import ADMISSION_GATES, MAX_FILE
from vault_cli.store.asked import Asked, Unheard
from vault_cli.store.assembly import assemble
from vault_cli.store.codec import DAMAGE, Parsed, Row, decode_row, decode_rows, encode_parsed
from vault_cli.store.config import Config
from vault_cli.store.file_names import (
    folder_of,
    is_helper_file,
)
from vault_cli.store.heads import RowLoader, decode_heads, encode_heads, head_class
from vault_cli.store.index import Entry, Index, Shelf
from vault_cli.store.opening import Folders, explain_os_error, read_at
from vault_cli.store.progress import counted
from vault_cli.store.walk import Stamp, Walk, stamp_of, walk_records

ALL_GATES: Final = frozenset(ADMISSION_GATES)

_BATCH: Final = 4000
"""So many files are written to the cache at once."""

_SLICE: Final = 1.0
"""After so many seconds of reading what was read is written: a run that is killed loses no more."""

_FEW: Final = 8
"""Up to so many files or folders are looked up one by one; for more all rows are loaded."""


def read_vault(
    root: Path,
    config: Config,
    *,
    use_cache: bool = True,
    whole: bool = True,
    unheard: Unheard | None = None,
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
        unheard: tells of a record, as its file says, that nothing of it can be shown or counts
            unless somebody finds so later: of such a text only the front matter is read where the
            cache has not got it, and it is not taken into that (`Snapshot.passed_over`).

    Raises:
        NotFoundError, StoreError: the root itself cannot be opened.
    """
    gates = config.gates
    index = Index(root, gates) if use_cache else None
    with paused_collector():
        try:
            ask = Asked(gates, whole, unheard, set())
            parsed, walk = _read_files(root, config["files.ignore"], index, ask)
        finally:
            if index is not None:
                index.close()
        snapshot = assemble(parsed, walk.diagnostics, skipped=walk.skipped)
        if ask.passed:
            snapshot = replace(snapshot, passed_over=frozenset(ask.passed))
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


def parse_file(data: bytes, path: str, gates: frozenset[str], *, often: bool = True) -> Parsed:
    """Return what the bytes of one file hold, as these gates of admission see it.

    Args:
        data: the bytes.
        path: of the file.
        gates: setting `admission.gates`.
        often: whether others of this run may ask for the same text; False remembers nothing.
    """
    from vault_cli.text.fields import read_fresh, read_record

    return read_record(data, path, gates) if often else read_fresh(data, path, gates)


def _read_files(
    root: Path,
    ignore: tuple[str, ...],
    index: Index | None,
    asked: Asked,
) -> tuple[dict[str, Parsed], Walk]:
    """Return what each file holds, sorted by path, and the walk; files gone meanwhile are left out.

    Folders that are as the cache knows them are taken from it at once; of the others the stamp
    of each file decides.
    """
    gates, whole = asked.gates, asked.whole
    if index is None:
        walk = walk_records(root, ignore)
        return {entry[0].path: entry[2] for entry in _read_all(root, walk.stamps, {}, asked)}, walk
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
        parsed.update(_Refresh(root, index, walk, shelves, asked).run(stamps))
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
    loader = RowLoader(root, gates)
    head = head_class(loader.load)
    for folder, shelf in shelves.items():
        try:
            parsed.update(decode_heads(shelf.heads, folder, head))
        except DAMAGE:
            stamps.extend(shelf.listing.stamps(folder))
    loader.heads = [record for record, _ in parsed.values() if record is not None]
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
        asked: what is wanted of the files.
    """

    def __init__(
        self,
        root: Path,
        index: Index,
        walk: Walk,
        shelves: Mapping[str, Shelf],
        asked: Asked,
    ) -> None:
        self._root = root
        self._asked = asked
        self._loader = RowLoader(root, asked.gates)
        self._head = head_class(self._loader.load)
        self._index = index
        self._shelves = shelves
        self._same = set(walk.same)
        self._listings = walk.listings
        self._stored: dict[str, tuple[Stamp, str]] = {}
        self._written: set[str] = set()
        self._due = monotonic() + _SLICE

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
                if writable:
                    self._renew(todo, rows, found, folders | gone, dropped)
                else:
                    self._read(todo, rows, found, writable=False)
        return found

    def _renew(
        self,
        todo: list[Stamp],
        rows: Mapping[str, Row],
        found: dict[str, Parsed],
        folders: set[str],
        dropped: set[str],
    ) -> None:
        """Read folder by folder, and write now and then: a killed run has not read in vain."""
        waiting: defaultdict[str, list[Stamp]] = defaultdict(list)
        for stamp in todo:
            waiting[folder_of(stamp.path)].append(stamp)
        entries: list[Entry] = []
        shelves: dict[str, Shelf | None] = {}
        for folder in sorted(folders):
            asked = waiting.pop(folder, [])
            new = self._read(asked, rows, found, writable=True)
            stored = {entry.stamp.path for entry in new} | self._written
            dropped |= {s.path for s in asked if s.path in rows and s.path not in stored}
            entries += new
            shelves[folder] = self._shelf(folder, found)
            if len(entries) >= _BATCH:
                self._index.store(entries, dropped, shelves)
                self._let_go(shelves, found)
                entries, dropped, shelves = [], set(), {}
        self._index.store(entries, dropped, shelves)

    def _let_go(self, shelves: Mapping[str, Shelf | None], found: dict[str, Parsed]) -> None:
        """Keep no more than the heads of files that are in the cache, where those are enough."""
        if self._asked.whole:
            return
        for folder, shelf in shelves.items():
            if shelf is not None:
                heads = decode_heads(shelf.heads, folder, self._head)
                self._loader.heads += [record for record, _ in heads.values() if record is not None]
                found.update(heads)

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
        entries: list[Entry] = []
        for stamp, digest, result, is_known in _read_all(self._root, todo, rows, self._asked):
            found[stamp.path] = result
            if not writable or not digest:
                continue
            columns = None if is_known else encode_parsed(result, stamp.path, digest)
            if columns is None and not is_known:
                continue
            entries.append(Entry(stamp, digest, columns))
            if self._index.is_settled(stamp):
                self._stored[stamp.path] = stamp, digest
            if monotonic() >= self._due:
                self._index.store(entries, (), {})
                self._written.update(entry.stamp.path for entry in entries)
                entries, self._due = [], monotonic() + _SLICE
        return entries

    def _shelf(self, folder: str, found: Mapping[str, Parsed]) -> Shelf | None:
        """Return what to remember of a folder; None unless all of it is safely in the cache."""
        from vault_cli.store.outlines import encode_rest

        listing = self._listings.get(folder)
        if listing is None:
            return None
        files = {}
        for stamp in sorted(listing.stamps(folder)):
            stored, digest = self._stored.pop(stamp.path, (None, ""))
            if stored != stamp:
                return None
            files[stamp.path[len(folder) :]] = digest, found[stamp.path]
        return Shelf(listing, encode_heads(files), encode_rest(files))


def _read_all(
    root: Path, stamps: Sequence[Stamp], rows: Mapping[str, Row], asked: Asked
) -> Iterator[tuple[Stamp, str, Parsed, bool]]:
    """Read each file that is still there.

    Yields:
        The stamp of the bytes read, their digest ("" for none to keep), what they hold, and whether
        that is what the row of the file has.
    """
    from vault_cli.store.files import digest_bytes

    often = len(stamps) <= _FEW
    with Folders(root) as folders:
        for stamp in counted("reading records", stamps):
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
            if known is None and (unscanned := asked.pass_over(data, path)) is not None:
                yield stamp_of(path, facts), "", unscanned, False
                continue
            found = known or parse_file(data, path, asked.gates, often=often)
            yield stamp_of(path, facts), digest, found, known is not None


def _unreadable(path: str, error: OSError | StoreError) -> Diagnostic:
    if isinstance(error, OSError):
        is_link = error.errno in {errno.ELOOP, errno.ENOTDIR}
        problem = explain_os_error(error, path, "read")
        code = "link" if is_link else "unreadable"
        return Diagnostic(path, 0, code, "error", problem.message, problem.hint)
    return Diagnostic(path, 0, "unreadable", "error", error.message, error.hint)
