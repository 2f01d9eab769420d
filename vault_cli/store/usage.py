"""The files of observations, `usage/<machine>.jsonl`: their names, and the lines of one of them.

May import `model`, `errors`, `store`. Each file has one writer (`store.own_usage`), so two machines
never write the same lines of a file. What is in them may come from anybody: nothing stops the
reading, and what is read is bounded (`store.usage_log`).
"""

from __future__ import annotations

import os
from collections.abc import Collection
from typing import Final, NamedTuple

from vault_cli.model.observation import (
    WATERMARK,
    Kept,
    LineError,
    Observation,
    count_uses,
    keep_known,
    read_line,
)
from vault_cli.store.opening import Folders, read_at
from vault_cli.store.places import USAGE_FOLDER
from vault_cli.text.late import late

FOLDER: Final = USAGE_FOLDER
MAX_USAGE: Final = 64 << 20
"""Bytes of one file of this machine that are read; what lies behind them does not count."""

MAX_FILES: Final = 500
"""Files of so many machines are read, the first by name."""

WATERMARK_WORD: Final = b'"watermark"'
LEAST_LINE: Final = 64
"""Bytes of a short line: one use of one record has over 80. Files of others count as many lines as
fit at this length, so that empty ones cost no more than full ones."""

SPARE_LINES: Final = 16
"""Lines that count however short they are."""

_PART_TAIL: Final = late(r"-\d{1,4}$")
_NAME: Final = late(r"[0-9a-z][0-9a-z-]{3,63}\.jsonl")


def is_usage_name(name: str) -> bool:
    """Tell whether a file without its folder is called as one of observations."""
    return _NAME.fullmatch(name) is not None


def is_usage_path(path: str) -> bool:
    """Tell whether a vault path is a file of observations: they are committed in batches."""
    return path.startswith(f"{FOLDER}/") and path.endswith(".jsonl")


def waiting_in(data: bytes) -> int:
    """Return how many uses no watermark has taken in, of the bytes of a file."""
    place = data.rfind(WATERMARK_WORD)
    start = data.find(b"\n", place) + 1 if place >= 0 else 0
    return count_uses(seen for seen, _ in parse_lines(data, start).lines)


def machine_of(name: str) -> str:
    """Return whose file it is, by its name without folder."""
    return _PART_TAIL.sub("", name.removesuffix(".jsonl"))


class Source(NamedTuple):
    """A file of observations that counts, and how much of it.

    Args:
        name: of the file, without folder.
        folder: opened folder it is read from: the vault, or the person's state folder.
        size: its bytes when it was looked at.
        limit: bytes of it that count.
        own: whether it is what this machine wrote.
    """

    name: str
    folder: Folders
    size: int
    limit: int
    own: bool

    @property
    def path(self) -> str:
        """Where it stands, below its folder and in the vault."""
        return f"{FOLDER}/{self.name}"

    @property
    def machine(self) -> str:
        """Whose it is."""
        return machine_of(self.name)

    @property
    def most_lines(self) -> int:
        """How many of its lines count."""
        return self.limit // LEAST_LINE + SPARE_LINES

    def stat(self) -> os.stat_result:
        """Return its facts; OSError when it is gone."""
        place, handle = self.folder.locate(self.path)
        return os.stat(place, dir_fd=handle, follow_symlinks=False)


class UsageFile(NamedTuple):
    """One file as it was read.

    Args:
        source: which one.
        data: its bytes that count.
        facts: its stat, before reading.
        is_cut: whether lines were left out.
    """

    source: Source
    data: bytes
    facts: os.stat_result
    is_cut: bool = False


def names_in(folders: Folders) -> list[str]:
    """Return the names of all files of observations of a folder, sorted; none without one."""
    try:
        names = folders.names_in(FOLDER)
    except OSError:
        return []
    return sorted(filter(_NAME.fullmatch, names))


def open_file(source: Source) -> UsageFile:
    """Read as much of a file as counts.

    Raises:
        OSError, StoreError: it is gone, a link, or no plain file.
    """
    place, handle = source.folder.locate(source.path)
    data, facts = read_at(place, handle, source.limit, upto=max(source.limit, 1))
    kept = data if source.own else first_lines(data, source.most_lines)
    return UsageFile(source, kept, facts, len(kept) < len(data) or facts.st_size > len(data))


def first_lines(data: bytes, most: int) -> bytes:
    """Return the first lines of a file, `most` at most."""
    if data.count(b"\n") <= most:
        return data
    place = -1
    for _ in range(most):
        place = data.find(b"\n", place + 1)
    return data[: place + 1]


class Parsed(NamedTuple):
    """The lines of some bytes: each with what it says and where it ends, and those that are none.

    Args:
        lines: (observation, offset behind its line).
        bad: (number of the line from 1, why).
        end: offset behind the last whole line.
        mark: offset behind the last watermark, 0 for none.
        strange: ids of records that there are not.
    """

    lines: list[tuple[Observation, int]]
    bad: list[tuple[int, str]]
    end: int
    mark: int
    strange: set[str]


def parse_lines(data: bytes, start: int = 0, known: Collection[str] | None = None) -> Parsed:
    """Read the whole lines behind an offset; a torn one at the end is left.

    Args:
        data: bytes of a file.
        start: where to begin, the start of a line.
        known: ids of the records that there are: what is about others is left out; None keeps it.
    """
    end = data.rfind(b"\n") + 1
    lines: list[tuple[Observation, int]] = []
    bad: list[tuple[int, str]] = []
    strange: set[str] = set()
    offset, mark = start, 0
    for number, line in enumerate(data[start:end].split(b"\n")[:-1], 1):
        offset += len(line) + 1
        if not line.strip():
            continue
        try:
            seen = read_line(line)
        except LineError as error:
            bad.append((number, str(error)))
            continue
        kept = seen if known is None else keep_known(seen, known, strange)
        if kept is not None:
            lines.append((kept, offset))
        if seen.kind == WATERMARK:
            mark = offset
    return Parsed(lines, bad, max(end, start), mark, strange)


def add_lines(pool: dict[Observation, Kept], machine: str, parsed: Parsed) -> None:
    """Put observations into the pool; one that is there keeps its machine."""
    for seen, end in parsed.lines:
        settled = end <= parsed.mark
        known = pool.get(seen)
        if known is None:
            pool[seen] = Kept(seen, machine, settled)
        elif settled and not known.settled:
            pool[seen] = known._replace(settled=True)
