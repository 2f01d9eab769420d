"""Sums of observations, cached in `.state/`: what a render, a list and a search ask. + `store`.

Two caches, sealed with this machine's secret like the index, so that a `.state/` which came with a
folder is not believed. The small one holds the sums and is enough while no file changed; of the
sums that a render shows it is also enough while files only grew and no watermark came. The large
one holds the observations, so that only new lines are read. Both are throw-away.
"""

from __future__ import annotations

import gc
import marshal
import os
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, date
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from vault_cli.errors import VaultError
from vault_cli.model.observation import EXPOSURE, Kept, Observation, Sums, fold
from vault_cli.model.record import Snapshot, Tally
from vault_cli.store.clock import read_clock
from vault_cli.store.files import put_in_place, temporary_name
from vault_cli.store.opening import CREATE_FLAGS, Folders, read_at
from vault_cli.store.places import machine_token
from vault_cli.store.usage import (
    FOLDER,
    WATERMARK_WORD,
    UsageFile,
    list_files,
    machine_id,
    machine_of,
    open_file,
    parse_lines,
    read_texts,
)

if TYPE_CHECKING:
    from vault_cli.store.repo import Repository

_LAYOUT: Final = b"2"
_SUMS: Final = ".state/usage-sums"
_POOL: Final = ".state/usage-pool"
_MOST_CACHE: Final = 1 << 29
_SEAL: Final = 32
_TICK_NS: Final = 2_100_000_000
"""Coarsest time stamp of a file system in use; a file changed later than this may change unseen."""

Stamp = tuple[int, int, int, int]
"""Size, mtime, ctime and inode of a file."""


class Tallies(Mapping[str, Tally]):
    """Sums by record id that are loaded when they are first asked for.

    Args:
        load: gives them; what it raises of the disk means that there are none.
    """

    def __init__(self, load: Callable[[], Mapping[str, Tally]]) -> None:
        self._load = load
        self._found: Mapping[str, Tally] | None = None

    @property
    def found(self) -> Mapping[str, Tally]:
        """All of them."""
        if self._found is None:
            try:
                self._found = self._load()
            except (OSError, VaultError):
                self._found = {}
        return self._found

    def __getitem__(self, key: str) -> Tally:
        return self.found[key]

    def __contains__(self, key: object) -> bool:
        return key in self.found

    def __iter__(self) -> Iterator[str]:
        return iter(self.found)

    def __len__(self) -> int:
        return len(self.found)


def with_sums(root: Path, snapshot: Snapshot, is_trusted: Callable[[], bool]) -> Snapshot:
    """Return a snapshot of the working tree with its observations, read when they are asked for.

    Args:
        root: the vault.
        snapshot: without them.
        is_trusted: whether what others push counts here without a look at it; if not, only what
            this machine observed does.
    """

    def load(*, settled: bool) -> Mapping[str, Tally]:
        return load_sums(root, _today(), settled=settled, alone=not is_trusted()).tallies

    return replace(
        snapshot,
        tallies=Tallies(lambda: load(settled=False)),
        settled=Tallies(lambda: load(settled=True)),
    )


def with_past_sums(repo: Repository, snapshot: Snapshot) -> Snapshot:
    """Return a snapshot of a commit with the observations that the commit holds."""

    def load(*, settled: bool) -> Mapping[str, Tally]:
        with repo.reading_trees(snapshot.commit) as read:
            top = read(repo.folder_id(snapshot.commit))
            below = top.get(FOLDER.encode())
            names = [os.fsdecode(name) for name in read(below[1].hex())] if below else []
        texts = [(n, repo.read_blob(snapshot.commit, f"{FOLDER}/{n}") or b"") for n in names]
        return fold(read_texts(texts), _today(), settled=settled).tallies

    return replace(
        snapshot,
        tallies=Tallies(lambda: load(settled=False)),
        settled=Tallies(lambda: load(settled=True)),
    )


def _today() -> date:
    return read_clock("", os.environ).astimezone(UTC).date()


class BothSums(NamedTuple):
    """The sums of all observations, and of those that a watermark has taken in."""

    live: Sums
    settled: Sums


def load_sums(root: Path, today: date, *, settled: bool = False, alone: bool = False) -> Sums:
    """Return the sums of a vault's observations, from the cache where that is the same.

    Args:
        root: the vault.
        today: see `model.observation.fold`.
        settled: those that a watermark has taken in, which a render shows.
        alone: only those of this machine.
    """
    was_on = gc.isenabled()
    gc.disable()  # there may be 100,000 new values, none of them in a circle
    try:
        with Folders(root) as folders:
            names = list_files(folders)
            if alone:
                own = machine_id(root)
                names = [name for name in names if machine_of(name) == own]
            return _load(root, folders, names, today, settled=settled) if names else NO_SUMS
    except (OSError, VaultError):
        return NO_SUMS
    finally:
        if was_on:
            gc.enable()


NO_SUMS: Final = Sums({}, {})


def _load(root: Path, folders: Folders, names: list[str], today: date, *, settled: bool) -> Sums:
    token = machine_token()
    cache = _Cache(folders, _key_of(root, token)) if token else None
    return _Loader(folders, cache, names, today).load(settled=settled)


def _key_of(root: Path, token: bytes) -> bytes:
    """Return the key of the seals: machine, place, layout and Python (`marshal` is its own)."""
    from hashlib import blake2b

    place = os.fsencode(os.path.realpath(root))
    python = sys.version.encode()
    return blake2b(b"\0".join((b"usage", _LAYOUT, python, place)), key=token).digest()[:_SEAL]


class _Cache:
    """Sealed values in files of `.state/`; none of its methods raises for a bad one."""

    def __init__(self, folders: Folders, key: bytes) -> None:
        self._folders = folders
        self._key = key

    def read(self, path: str) -> Any:
        """Return a value, None when there is none to believe."""
        try:
            data, _ = read_at(*self._folders.locate(path), _MOST_CACHE)
            if len(data) > _SEAL and self._seal(data[_SEAL:]) == data[:_SEAL]:
                return marshal.loads(data[_SEAL:])  # noqa: S302 - sealed by us
        except (OSError, VaultError, ValueError, EOFError, TypeError):
            return None
        return None

    def write(self, path: str, value: Any) -> None:
        """Keep a value; where that is not possible it is worked out again next time."""
        body = marshal.dumps(value)
        with suppress(OSError, VaultError):
            name, handle = self._folders.locate(path)
            temporary = temporary_name(name)
            file = os.open(temporary, CREATE_FLAGS, 0o600, dir_fd=handle)
            try:
                with os.fdopen(file, "wb") as stream:
                    stream.write(self._seal(body) + body)
                put_in_place(temporary, name, handle, fresh=False)
            except BaseException:
                with suppress(OSError):
                    os.unlink(temporary, dir_fd=handle)
                raise

    def _seal(self, body: bytes) -> bytes:
        from hashlib import blake2b

        return blake2b(body, key=self._key, digest_size=_SEAL).digest()


class _Seen(NamedTuple):
    """What is remembered of a file.

    Args:
        stamp: as it was when it was looked at.
        firm: whether the stamp was old enough then to be believed.
        end: offset behind the last whole line that was read.
        digest: of the bytes before `end`.
        mark: offset behind the last watermark.
        mark_digest: of the bytes before `mark`.
    """

    stamp: Stamp
    firm: bool
    end: int
    digest: bytes
    mark: int
    mark_digest: bytes


class _Loader:
    """One look at the files of a vault."""

    def __init__(
        self, folders: Folders, cache: _Cache | None, names: list[str], today: date
    ) -> None:
        self._folders = folders
        self._cache = cache
        self._names = names
        self._today = today
        self._clock = time.time_ns()
        self._files: dict[str, UsageFile] = {}

    def load(self, *, settled: bool) -> Sums:
        """Return the sums, and bring the caches up to date."""
        kept = self._cache.read(_SUMS) if self._cache else None
        if kept is not None:
            files = {name: _Seen(*row) for name, row in kept["files"].items()}
            found = _read_sums(kept["settled" if settled else "live"])
            same = self._is_settled_same if settled else self._is_live_same
            if found.holds_on(self._today) and same(files, found):
                return found
        both = self._rebuild(kept)
        return both.settled if settled else both.live

    def _is_settled_same(self, known: Mapping[str, _Seen], _sums: Sums) -> bool:
        """Tell whether no watermark came and nothing before one was changed."""
        if set(known) - set(self._names):
            return False
        return all(self._has_same_marks(name, known.get(name)) for name in self._names)

    def _is_live_same(self, known: Mapping[str, _Seen], sums: Sums) -> bool:
        """Tell whether nothing came but exposures, of which only `stats` asks the number."""
        return set(known) == set(self._names) and all(
            self._is_stamp_same(name, seen) or self._has_same_uses(name, seen, sums)
            for name, seen in known.items()
        )

    def _is_stamp_same(self, name: str, seen: _Seen) -> bool:
        if not seen.firm:
            return False
        place, handle = self._folders.locate(f"{FOLDER}/{name}")
        return stamp_of(os.stat(place, dir_fd=handle, follow_symlinks=False)) == seen.stamp

    def _has_same_uses(self, name: str, seen: _Seen, sums: Sums) -> bool:
        data = self._read(name).data
        if _digest(data[: seen.end]) != seen.digest:
            return False
        fresh = parse_lines(data, seen.end).lines
        # What an agent claimed counts once it is known that it was shown the record.
        return not fresh or (not sums.claims and all(new.kind == EXPOSURE for new, _ in fresh))

    def _has_same_marks(self, name: str, seen: _Seen | None) -> bool:
        if seen is not None and self._is_stamp_same(name, seen):
            return True
        data, mark = self._read(name).data, seen.mark if seen else 0
        if data.find(WATERMARK_WORD, mark) >= 0:
            return False
        return seen is None or _digest(data[:mark]) == seen.mark_digest

    def _read(self, name: str) -> UsageFile:
        """Return a file; one that cannot be read counts as empty."""
        if name not in self._files:
            try:
                self._files[name] = open_file(self._folders, name)
            except (OSError, VaultError):
                place, handle = self._folders.locate(f"{FOLDER}/{name}")
                facts = os.stat(place, dir_fd=handle, follow_symlinks=False)
                self._files[name] = UsageFile(name, b"", facts)
        return self._files[name]

    def _rebuild(self, kept: Any) -> BothSums:
        """Read what is new, add it up, and keep it."""
        rows, seen = self._take_in()
        pool = _pool_of(rows, {name: item.mark for name, item in seen.items()})
        both = BothSums(fold(pool, self._today), self._settle(kept, pool, seen))
        if self._cache is not None:
            files = {name: tuple(item) for name, item in seen.items()}
            self._cache.write(_POOL, {"files": files, "rows": rows})
            sums = {"live": _write_sums(both.live), "settled": _write_sums(both.settled)}
            self._cache.write(_SUMS, {"files": files, **sums})
        return both

    def _settle(self, kept: Any, pool: list[Kept], seen: Mapping[str, _Seen]) -> Sums:
        """Return the sums a render shows: as they were, when no watermark moved."""
        if kept is not None:
            old = {name: _Seen(*row) for name, row in kept["files"].items()}
            found = _read_sums(kept["settled"])
            marks = {name: (item.mark, item.mark_digest) for name, item in seen.items()}
            before = {name: (item.mark, item.mark_digest) for name, item in old.items()}
            if found.holds_on(self._today) and marks == before:
                return found
        return fold(pool, self._today, settled=True)

    def _take_in(self) -> tuple[dict[str, list[Any]], dict[str, _Seen]]:
        """Return the rows of each file, new lines included, and what to remember of it."""
        kept = self._cache.read(_POOL) if self._cache else None
        rows: dict[str, list[Any]] = kept["rows"] if kept else {}
        known = {name: _Seen(*row) for name, row in kept["files"].items()} if kept else {}
        seen = {}
        for name in self._names:
            file, old = self._read(name), known.get(name)
            if old is None or _digest(file.data[: old.end]) != old.digest:
                old = None
            start = old.end if old else 0
            parsed = parse_lines(file.data, start)
            before = rows.get(name, []) if old else []
            rows[name] = before + [(tuple(item), end) for item, end in parsed.lines]
            mark = parsed.mark or (old.mark if old else 0)
            seen[name] = self._remember(file, parsed.end, mark)
        return {name: rows[name] for name in self._names}, seen

    def _remember(self, file: UsageFile, end: int, mark: int) -> _Seen:
        stamp = stamp_of(file.facts)
        firm = max(stamp[1], stamp[2]) + _TICK_NS < self._clock
        data = file.data
        return _Seen(stamp, firm, end, _digest(data[:end]), mark, _digest(data[:mark]))


def stamp_of(facts: os.stat_result) -> Stamp:
    """Return what tells whether a file was changed."""
    return facts.st_size, facts.st_mtime_ns, facts.st_ctime_ns, facts.st_ino


def _digest(data: bytes) -> bytes:
    from hashlib import blake2b

    return blake2b(data, digest_size=16).digest()


def _pool_of(rows: Mapping[str, list[Any]], marks: Mapping[str, int]) -> list[Kept]:
    """Return the pool of the rows of all files: of equal observations one is left."""
    pool: dict[tuple[Any, ...], Kept] = {}
    make = Observation._make
    for name in sorted(rows):
        machine, mark = machine_of(name), marks[name]
        for row, end in rows[name]:
            known = pool.get(row)
            if known is None:
                pool[row] = Kept(make(row), machine, end <= mark)
            elif end <= mark and not known.settled:
                pool[row] = known._replace(settled=True)
    return list(pool.values())


def _write_sums(sums: Sums) -> tuple[Any, ...]:
    return ({k: tuple(v) for k, v in sums.tallies.items()}, dict(sums.claims), *sums[2:])


def _read_sums(row: tuple[Any, ...]) -> Sums:
    tallies, *rest = row
    return Sums({key: Tally._make(value) for key, value in tallies.items()}, *rest)
