"""All files of observations of a vault: which count, how much of each, what they say. + `store`.

Anybody who can push can add lines and files. What this machine wrote counts whole; of the files of
others together `BUDGET` bytes are read, the same share of each that needs more, the first lines of
it. So neither their number nor their size makes a render slow.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Iterator
from contextlib import ExitStack
from datetime import date
from pathlib import Path
from types import TracebackType
from typing import Final, NamedTuple, Self

from vault_cli.errors import Diagnostic, VaultError
from vault_cli.model.observation import Kept, Observation, count_uses, is_late
from vault_cli.store.opening import Folders, explain_os_error
from vault_cli.store.own_usage import copied_names, difference_findings, machine_id
from vault_cli.store.places import state_folder
from vault_cli.store.usage import (
    FOLDER,
    LEAST_LINE,
    MAX_FILES,
    MAX_USAGE,
    SPARE_LINES,
    Parsed,
    Source,
    UsageFile,
    add_lines,
    first_lines,
    is_usage_name,
    machine_of,
    names_in,
    open_file,
    parse_lines,
)

BUDGET: Final = 16 << 20
"""Bytes of the files of others that are read, of all of them together."""

_MOST_NAMED: Final = 20
_MOST_STRANGE: Final = 10_000


class Sources:
    """The files of observations of a vault, opened.

    Args:
        root: the vault.
        alone: only what this machine wrote.
        copies: what this machine wrote is read from its own copies; else from the vault.

    Raises (when entered):
        VaultError: the vault or the state folder cannot be opened.
    """

    def __init__(self, root: Path, *, alone: bool = False, copies: bool = True) -> None:
        self._root = root
        self._copies = copies
        self._alone = alone
        self._stack = ExitStack()
        self.sources: list[Source] = []
        self.left_out: list[str] = []

    def __enter__(self) -> Self:
        try:
            self._find()
        except BaseException:
            self._stack.close()
            raise
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._stack.close()

    def _find(self) -> None:
        self.vault = self._stack.enter_context(Folders(self._root))
        names = names_in(self.vault)
        try:
            own = machine_id(self._root)
        except VaultError:  # nothing was ever written by it
            own = ""
        copied = copied_names(own)[:MAX_FILES] if own and self._copies else []
        mine = {name for name in names if machine_of(name) == own}
        if copied:
            state = self._stack.enter_context(Folders(state_folder()))
            self.sources += self._own_of(state, copied)
        else:
            self.sources += self._own_of(self.vault, sorted(mine))
        if not self._alone:
            others = [name for name in names if name not in mine]
            self.left_out = others[MAX_FILES:]
            self.sources += self._others(others[:MAX_FILES])
        self.sources.sort(key=lambda source: source.name)

    def _own_of(self, folder: Folders, names: Iterable[str]) -> Iterator[Source]:
        for name in names:
            size = _size_in(folder, name)
            yield Source(name, folder, size, min(size, MAX_USAGE), own=True)

    def _others(self, names: Iterable[str]) -> Iterator[Source]:
        sizes = {name: _size_in(self.vault, name) for name in names}
        limits = share_out(sizes, BUDGET)
        for name, size in sizes.items():
            yield Source(name, self.vault, size, limits[name], own=False)


def _size_in(folder: Folders, name: str) -> int:
    try:
        place, handle = folder.locate(f"{FOLDER}/{name}")
        return os.stat(place, dir_fd=handle, follow_symlinks=False).st_size
    except (OSError, VaultError):
        return 0


def share_out(sizes: dict[str, int], budget: int) -> dict[str, int]:
    """Return how much of each gets through: all of the small ones, the same share of the others."""
    found, left = {}, budget
    for place, name in enumerate(sorted(sizes, key=lambda name: (sizes[name], name))):
        found[name] = min(sizes[name], left // (len(sizes) - place))
        left -= found[name]
    return found


class UsageLog(NamedTuple):
    """Everything that counts in the files of observations.

    Args:
        pool: distinct observations, with whose they are.
        findings: what was passed over, and why.
        machines: whose files there are.
        strange: ids of records that there are not, the first 10,000 that were met.
    """

    pool: tuple[Kept, ...] = ()
    findings: tuple[Diagnostic, ...] = ()
    machines: tuple[str, ...] = ()
    strange: frozenset[str] = frozenset()

    @property
    def waiting(self) -> int:
        """How many uses no watermark has taken in."""
        return count_uses(item.seen for item in self.pool if not item.settled)


def read_usage(root: Path, today: date, known: Collection[str] | None = None) -> UsageLog:
    """Read the files of all machines, as far as they count; nothing in them stops the reading.

    Args:
        root: the vault.
        today: what is dated later is a finding.
        known: ids of the records that there are; None keeps what is about others.
    """
    findings: list[Diagnostic] = []
    pool: dict[Observation, Kept] = {}
    strange: set[str] = set()
    machines: dict[str, None] = {}
    try:
        with Sources(root) as found:
            findings += _odd_names(found)
            for source in found.sources:
                try:
                    file = open_file(source)
                except (OSError, VaultError) as error:
                    findings.append(_unreadable(source.path, error))
                    continue
                machines[source.machine] = None
                findings += _take_file(file, pool, strange, today, known)
            findings += difference_findings(root)
    except VaultError:
        return UsageLog()
    return UsageLog(tuple(pool.values()), tuple(findings), tuple(machines), frozenset(strange))


def read_counted(root: Path) -> list[tuple[str, bytes]]:
    """Return the bytes of each file of the vault that count, with its path."""
    try:
        with Sources(root, copies=False) as found:
            return [(s.path, file.data) for s in found.sources if (file := _opened(s))]
    except VaultError:
        return []


def _opened(source: Source) -> UsageFile | None:
    try:
        return open_file(source)
    except (OSError, VaultError):
        return None


def read_texts(
    texts: Iterable[tuple[str, bytes]], known: Collection[str] | None = None
) -> tuple[Kept, ...]:
    """Return the pool of files given as (name, bytes), for a commit of the past."""
    pool: dict[Observation, Kept] = {}
    listed = {name: data for name, data in sorted(texts)[:MAX_FILES] if is_usage_name(name)}
    limits = share_out({name: len(data) for name, data in listed.items()}, BUDGET)
    for name, data in listed.items():
        counted = first_lines(data[: limits[name]], limits[name] // LEAST_LINE + SPARE_LINES)
        add_lines(pool, machine_of(name), parse_lines(counted, 0, known))
    return tuple(pool.values())


def _take_file(
    file: UsageFile,
    pool: dict[Observation, Kept],
    strange: set[str],
    today: date,
    known: Collection[str] | None,
) -> Iterator[Diagnostic]:
    """Put the lines of a file into the pool; return the findings about it."""
    parsed = parse_lines(file.data, 0, known)
    late = [seen for seen, _ in parsed.lines if is_late(seen, today)]
    add_lines(pool, file.source.machine, parsed)
    room = _MOST_STRANGE - len(strange)
    strange.update(sorted(parsed.strange)[:room] if len(parsed.strange) > room else parsed.strange)
    return iter([*_file_findings(file, parsed), *_late_findings(file, late)])


def _file_findings(file: UsageFile, parsed: Parsed) -> Iterator[Diagnostic]:
    for number, why in parsed.bad[:_MOST_NAMED]:
        yield Diagnostic(
            file.source.path, number, "usage-line", "warning", f"not counted: {why}", _LINE_HINT
        )
    if len(parsed.bad) > _MOST_NAMED:
        text = f"not counted: {len(parsed.bad) - _MOST_NAMED:,} more lines"
        yield Diagnostic(file.source.path, 0, "usage-line", "warning", text, _LINE_HINT)
    if file.is_cut:
        yield _cut_finding(file)
    elif parsed.end < len(file.data):
        line = file.data.count(b"\n") + 1
        text = "the last line was never finished and is not counted"
        yield Diagnostic(
            file.source.path, line, "usage-torn", "note", text, "The next one goes below it."
        )


_LINE_HINT: Final = "Files of observations are written by mvault; take the line out if it is odd."


def _late_findings(file: UsageFile, late: list[Observation]) -> Iterator[Diagnostic]:
    if late:
        first = min(seen.at for seen in late)
        text = f"{len(late):,} from the future (from {first}) do not count until then"
        yield Diagnostic(file.source.path, 0, "usage-future", "warning", text, "Check that clock.")


def _cut_finding(file: UsageFile) -> Diagnostic:
    """Say what of a file is left out, and by which bound."""
    text = f"only its first {len(file.data):,} of {file.facts.st_size:,} bytes are counted"
    bound = f"{MAX_USAGE >> 20} MiB a file"
    if not file.source.own:
        bound = (
            f"the files of others have {BUDGET >> 20} MiB together, and a line for each"
            f" {LEAST_LINE} bytes"
        )
    hint = f"See who wrote it: git log -- {file.source.path}"
    return Diagnostic(file.source.path, 0, "usage-file", "warning", f"{text} ({bound})", hint)


def _odd_names(found: Sources) -> Iterator[Diagnostic]:
    try:
        names = sorted(found.vault.names_in(FOLDER))
    except FileNotFoundError:
        return
    except OSError as error:
        yield _unreadable(FOLDER, error)
        return
    for name in names:
        if not is_usage_name(name) and not name.startswith("."):
            text = "not read: files of observations are called <machine>.jsonl"
            hint = "If a sync program made it, append its lines to the file it is a copy of."
            yield Diagnostic(f"{FOLDER}/{name}", 0, "usage-file", "warning", text, hint)
    if found.left_out:
        text = f"{len(found.left_out):,} files of others are not counted: {MAX_FILES} are read"
        yield Diagnostic(FOLDER, 0, "usage-file", "warning", text)


def _unreadable(path: str, error: OSError | VaultError) -> Diagnostic:
    problem = explain_os_error(error, path, "read") if isinstance(error, OSError) else error
    text = f"its observations are not counted: {problem.message}"
    return Diagnostic(path, 0, "usage-file", "warning", text, problem.hint)
