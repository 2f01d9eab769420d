"""Sums of observations, cached in `.state/`. May import `store`, `model`.

Two caches, sealed with this machine's secret like the index, so that a `.state/` which came with a
folder is not believed. The small one holds the sums and is enough while no file changed; of the
sums that a render shows it is also enough while files only grew and no watermark came. The large
one holds the observations, so that only new lines are read. Both are throw-away.
"""

from __future__ import annotations

import gc
import os
import time
from array import array
from collections.abc import Callable, Collection, Mapping
from datetime import date
from pathlib import Path
from typing import Any, Final, NamedTuple
from zlib import crc32

from vault_cli.errors import VaultError
from vault_cli.model.observation import EXPOSURE, Kept, Observation
from vault_cli.model.record import Tally
from vault_cli.model.sums import Sums, fold
from vault_cli.store.places import machine_token
from vault_cli.store.sealed_values import SealedValues
from vault_cli.store.usage import (
    WATERMARK_WORD,
    Source,
    UsageFile,
    machine_of,
    open_file,
    parse_lines,
)
from vault_cli.store.usage_log import Sources

_SUMS: Final = ".state/usage-sums"
_POOL: Final = ".state/usage-pool"
_STEP: Final = 1 << 20
"""Bytes that are read between two looks at the clock."""

_SAVE_AFTER: Final = 1.0
"""Seconds after which what was read is kept, so that a run that is killed was not for nothing."""

_SAVE_SHARE: Final = 4
"""How many times as long as keeping took the next one waits."""

_TICK_NS: Final = 2_100_000_000
"""Coarsest time stamp of a file system in use; a file changed later than this may change unseen."""

Stamp = tuple[int, int, int, int]
"""Size, mtime, ctime and inode of a file."""


class BothSums(NamedTuple):
    """The sums of all observations, and of those that a watermark has taken in."""

    live: Sums
    settled: Sums


def load_sums(
    root: Path,
    today: date,
    *,
    settled: bool = False,
    alone: bool = False,
    known: Callable[[], Collection[str]] | None = None,
) -> Sums:
    """Return the sums of a vault's observations, from the cache where that is the same.

    Args:
        root: the vault.
        today: see `model.observation.fold`.
        settled: those that a watermark has taken in, which a render shows.
        alone: only those of this machine.
        known: gives the ids of the records that there are, when they are needed: what is about
            others is not added up. None adds up everything.
    """
    was_on = gc.isenabled()
    gc.disable()  # there may be 100,000 new values, none of them in a circle
    try:
        with Sources(root, alone=alone) as found:
            return _load(root, found, today, known, settled=settled) if found.sources else NO_SUMS
    except (OSError, VaultError):
        return NO_SUMS
    finally:
        if was_on:
            gc.enable()


NO_SUMS: Final = Sums({}, {})


def _load(
    root: Path,
    found: Sources,
    today: date,
    known: Callable[[], Collection[str]] | None,
    *,
    settled: bool,
) -> Sums:
    token = machine_token()
    cache = SealedValues(found.vault, root, token) if token else None
    return _Loader(cache, found.sources, today, known).load(settled=settled)


class _Seen(NamedTuple):
    """What is remembered of a file.

    Args:
        stamp: as it was when it was looked at.
        firm: whether the stamp was old enough then to be believed.
        end: offset behind the last whole line that was read.
        digest: of the bytes before `end`.
        mark: offset behind the last watermark.
        mark_digest: of the bytes before `mark`.
        limit: bytes of it that counted then.
    """

    stamp: Stamp
    firm: bool
    end: int
    digest: bytes
    mark: int
    mark_digest: bytes
    limit: int


class _Loader:
    """One look at the files of a vault."""

    def __init__(
        self,
        cache: SealedValues | None,
        sources: list[Source],
        today: date,
        known: Callable[[], Collection[str]] | None,
    ) -> None:
        self._cache = cache
        self._sources = {source.name: source for source in sources}
        self._today = today
        self._known = known
        self._ids: frozenset[str] | None = None
        self._clock = time.time_ns()
        self._files: dict[str, UsageFile] = {}
        self._last_save = time.monotonic()
        self._save_time = 0.0

    def load(self, *, settled: bool) -> Sums:
        """Return the sums, and bring the caches up to date."""
        kept = self._cache.read(_SUMS) if self._cache else None
        if kept is not None and not self._fits(kept["strange"]):
            kept = None
        if kept is not None:
            files = {name: _Seen(*row) for name, row in kept["files"].items()}
            found = _read_sums(kept["settled" if settled else "live"])
            same = self._is_settled_same if settled else self._is_live_same
            if found.holds_on(self._today) and same(files, found):
                return found
        both = self._rebuild(kept)
        return both.settled if settled else both.live

    def _ids_known(self) -> frozenset[str] | None:
        if self._ids is None and self._known is not None:
            self._ids = frozenset(self._known())
        return self._ids

    def _fits(self, strange: bytes) -> bool:
        """Tell whether no record is there now whose observations were left out before."""
        if not strange:
            return True
        known = self._ids_known()
        return known is not None and {_mark_of(key) for key in known}.isdisjoint(_marks(strange))

    def _is_settled_same(self, known: Mapping[str, _Seen], _sums: Sums) -> bool:
        """Tell whether no watermark came and nothing before one was changed."""
        if set(known) - set(self._sources):
            return False
        return all(self._has_same_marks(name, known.get(name)) for name in self._sources)

    def _is_live_same(self, known: Mapping[str, _Seen], sums: Sums) -> bool:
        """Tell whether nothing came but exposures, of which only `stats` asks the number."""
        return set(known) == set(self._sources) and all(
            self._is_stamp_same(name, seen) or self._has_same_uses(name, seen, sums)
            for name, seen in known.items()
        )

    def _is_stamp_same(self, name: str, seen: _Seen) -> bool:
        source = self._sources[name]
        if not seen.firm or source.limit != seen.limit:
            return False
        return stamp_of(source.stat()) == seen.stamp

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
            source = self._sources[name]
            try:
                self._files[name] = open_file(source)
            except (OSError, VaultError):
                self._files[name] = UsageFile(source, b"", source.stat())
        return self._files[name]

    def _rebuild(self, kept: Any) -> BothSums:
        """Read what is new, add it up, and keep it."""
        taken = self._take_in()
        pool = _pool_of(taken.rows, {name: item.mark for name, item in taken.seen.items()})
        live = fold(pool, self._today)
        waits = any(not item.settled for item in pool)
        both = BothSums(live, self._settle(kept, pool, taken.seen) if waits else live)
        if self._cache is not None:
            self._save(taken)
            sums = {"live": _write_sums(both.live), "settled": _write_sums(both.settled)}
            files = {name: tuple(item) for name, item in taken.seen.items()}
            strange = taken.strange_bytes()
            self._cache.write(_SUMS, {"files": files, "strange": strange, **sums})
        return both

    def _save(self, taken: _Taken) -> None:
        """Keep what was read so far."""
        if self._cache is None:
            return
        began = time.monotonic()
        files = {name: tuple(item) for name, item in taken.seen.items()}
        value = {"files": files, "rows": taken.rows, "strange": taken.strange_bytes()}
        self._cache.write(_POOL, value)
        self._last_save = time.monotonic()
        self._save_time = self._last_save - began

    def _save_in_time(self, taken: _Taken) -> None:
        """Keep it now and then: a fifth of the time at most goes into that."""
        if time.monotonic() - self._last_save > max(_SAVE_AFTER, _SAVE_SHARE * self._save_time):
            self._save(taken)

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

    def _take_in(self) -> _Taken:
        """Return the rows of each file, new lines included, and what to remember of it."""
        kept = self._cache.read(_POOL) if self._cache else None
        if kept is not None and not self._fits(kept["strange"]):
            kept = None
        rows: dict[str, list[Any]] = kept["rows"] if kept else {}
        before = {name: _Seen(*row) for name, row in kept["files"].items()} if kept else {}
        strange = set(_marks(kept["strange"])) if kept else set()
        taken = _Taken({}, {}, strange)
        for name in self._sources:
            file, old = self._read(name), before.get(name)
            if old is None or _digest(file.data[: old.end]) != old.digest:
                old = None
            taken.rows[name] = rows.get(name, []) if old else []
            self._take_file(file, old, taken)
        return taken

    def _take_file(self, file: UsageFile, old: _Seen | None, taken: _Taken) -> None:
        """Read the new lines of a file, and now and then keep what was read."""
        name, data = file.source.name, file.data
        start, mark = (old.end, old.mark) if old else (0, 0)
        while True:
            step = data.find(b"\n", start + _STEP) + 1 or len(data)
            parsed = parse_lines(data[:step], start, self._ids_known())
            taken.rows[name] += [(tuple(item), end) for item, end in parsed.lines]
            taken.strange.update(map(_mark_of, parsed.strange))
            start, mark = max(start, parsed.end), parsed.mark or mark
            if step == len(data):
                break
            taken.seen[name] = self._remember(file, start, mark)._replace(firm=False)
            self._save_in_time(taken)
        taken.seen[name] = self._remember(file, start, mark)

    def _remember(self, file: UsageFile, end: int, mark: int) -> _Seen:
        stamp = stamp_of(file.facts)
        firm = max(stamp[1], stamp[2]) + _TICK_NS < self._clock
        data = file.data
        digests = _digest(data[:end]), _digest(data[:mark])
        return _Seen(stamp, firm, end, digests[0], mark, digests[1], file.source.limit)


class _Taken(NamedTuple):
    """What was read of the files.

    Args:
        rows: by file, (observation, offset behind its line).
        seen: by file.
        strange: numbers of the ids of records that there are not (`_mark_of`).
    """

    rows: dict[str, list[Any]]
    seen: dict[str, _Seen]
    strange: set[int]

    def strange_bytes(self) -> bytes:
        """Return the numbers as the caches keep them."""
        return array("I", self.strange).tobytes()


def _mark_of(record_id: str) -> int:
    """Return a number for an id; that two have the same makes sums be worked out once more."""
    return crc32(record_id.encode("utf-8", "surrogatepass"))


def _marks(data: bytes) -> array[int]:
    found: array[int] = array("I")
    found.frombytes(data)
    return found


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
