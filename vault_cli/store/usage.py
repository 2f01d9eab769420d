"""The files of observations, `usage/<machine>.jsonl`: append to one's own, read all.

May import `model`, `errors`, `store`. Each file has one writer, so two machines never write the
same lines of a file. A line is one `write` at the end of the file: a kill leaves it whole, torn at
the end of the file, or not there; what stood before is never touched.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Iterable, Iterator
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Final, NamedTuple

from vault_cli.errors import Diagnostic, StoreError, VaultError
from vault_cli.model.observation import (
    WATERMARK,
    Kept,
    LineError,
    Observation,
    count_uses,
    is_late,
    read_line,
    write_line,
)
from vault_cli.model.record import CROCKFORD
from vault_cli.store.opening import Folders, explain_os_error, read_at
from vault_cli.store.places import STATE_VARIABLE, USAGE_FOLDER, machine_token
from vault_cli.text.late import late

FOLDER: Final = USAGE_FOLDER
MAX_USAGE: Final = 64 << 20
"""Bytes of one file that are read; what lies behind them does not count."""

MAX_FILES: Final = 500
"""Files of so many machines are read, the first by name."""

PART: Final = 128 << 10
"""Bytes after which another file is begun."""

WATERMARK_WORD: Final = b'"watermark"'
_PART_TAIL: Final = late(r"-\d{1,4}$")
_NAME: Final = late(r"[0-9a-z][0-9a-z-]{3,63}\.jsonl")
_ID_LENGTH: Final = 12
_KEY_BYTES: Final = 8
_APPEND: Final = (
    os.O_RDWR
    | os.O_APPEND
    | os.O_CREAT
    | getattr(os, "O_NOFOLLOW", 0)
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_BINARY", 0)
)
_MOST_NAMED: Final = 20


def machine_id(root: Path) -> str:
    """Return the random name of this machine's writer in one vault.

    It is drawn from the random secret in the person's state folder and the place of the vault: two
    clones on one machine are two writers, and it says nothing about host or person.

    Raises:
        StoreError: nothing can hold the secret.
    """
    token = machine_token()
    if token is None:
        raise StoreError(
            "this machine has no name for observations: the state folder cannot be written",
            hint=f"Make it writable, or name another one in {STATE_VARIABLE}.",
        )
    from hashlib import blake2b

    place = os.fsencode(os.path.realpath(root))
    number = int.from_bytes(blake2b(place, key=token, person=b"mvault usage").digest()[:8], "big")
    return _spell(number, _ID_LENGTH)


def _spell(number: int, length: int) -> str:
    return "".join(CROCKFORD[number >> 5 * place & 31] for place in range(length))


def own_paths(root: Path) -> list[str]:
    """Return the files of this machine, oldest first; the next line goes into the last.

    A file that is long enough is left as it is when nothing in it waits, and another one begun: git
    keeps a whole copy of what a commit changes.

    Raises:
        StoreError: as `machine_id`.
    """
    own, folder = machine_id(root), root / FOLDER
    try:
        names = [name for name in os.listdir(folder) if machine_of(name) == own]  # noqa: PTH208
    except OSError:
        names = []
    parts = sorted(filter(_NAME.fullmatch, names), key=lambda name: (len(name), name))
    if not parts or _is_full(folder / parts[-1]):
        parts.append(f"{own}-{len(parts) + 1}.jsonl" if parts else f"{own}.jsonl")
    return [f"{FOLDER}/{name}" for name in parts]


def _is_full(file: Path) -> bool:
    """Tell whether a file is long enough, and nothing in it waits for a watermark."""
    try:
        if file.lstat().st_size < PART:
            return False
        with file.open("rb") as stream:
            return waiting_in(stream.read(MAX_USAGE)) == 0
    except OSError:
        return False


def waiting_in(data: bytes) -> int:
    """Return how many uses no watermark has taken in, of the bytes of a file."""
    place = data.rfind(WATERMARK_WORD)
    start = data.find(b"\n", place) + 1 if place >= 0 else 0
    return count_uses(seen for seen, _ in parse_lines(data, start).lines)


def own_path(root: Path) -> str:
    """Return the file that the next line goes into; StoreError as `machine_id`."""
    return own_paths(root)[-1]


def machine_of(name: str) -> str:
    """Return whose file it is, by its name without folder."""
    return _PART_TAIL.sub("", name.removesuffix(".jsonl"))


def new_key() -> str:
    """Return a random key for an observation."""
    return _spell(int.from_bytes(os.urandom(_KEY_BYTES), "big"), _ID_LENGTH)


def stamp_time(now: datetime) -> str:
    """Return an aware instant as observations write it."""
    return now.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def append_lines(
    root: Path, observations: Iterable[Observation], *, path: str = "", sync: bool = True
) -> str:
    """Append observations to this machine's file with one write; return its path.

    Args:
        root: the vault.
        observations: what was seen.
        path: which of its files; "" for the last.
        sync: force them to the disk, for what a person was told is noted.

    Raises:
        StoreError: the vault or the state folder cannot be written; what stood there is untouched.
    """
    data = b"".join(map(write_line, observations))
    path = path or own_path(root)
    try:
        with Folders(root) as folders:
            name, handle = folders.locate(path, create=True, mode=0o755)
            file = os.open(name, _APPEND, 0o644, dir_fd=handle)
            try:
                _append(file, data)
                if sync:
                    os.fsync(file)
            finally:
                os.close(file)
    except OSError as error:
        raise explain_os_error(error, path, "write") from error
    return path


def _append(file: int, data: bytes) -> None:
    """Write at the end; a line that was torn there is ended first."""
    size = os.fstat(file).st_size
    if size:
        os.lseek(file, size - 1, os.SEEK_SET)
        if os.read(file, 1) != b"\n":
            data = b"\n" + data
    if os.write(file, data) != len(data):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


class UsageFile(NamedTuple):
    """One file as it was read.

    Args:
        name: of the file, without folder.
        data: its bytes, MAX_USAGE at most.
        facts: its stat, before reading.
    """

    name: str
    data: bytes
    facts: os.stat_result

    @property
    def path(self) -> str:
        """Its vault-relative path."""
        return f"{FOLDER}/{self.name}"

    @property
    def machine(self) -> str:
        """Whose it is."""
        return machine_of(self.name)


def list_files(folders: Folders) -> list[str]:
    """Return the names of the files of observations, sorted; none when there is no folder."""
    try:
        names = folders.names_in(FOLDER)
    except OSError:
        return []
    return sorted(name for name in names if _NAME.fullmatch(name))[:MAX_FILES]


def open_file(folders: Folders, name: str) -> UsageFile:
    """Read one file of observations.

    Raises:
        OSError, StoreError: it is gone, a link, or no plain file.
    """
    place, handle = folders.locate(f"{FOLDER}/{name}")
    data, facts = read_at(place, handle, MAX_USAGE, upto=MAX_USAGE)
    return UsageFile(name, data, facts)


class UsageLog(NamedTuple):
    """Everything that is in the files of observations.

    Args:
        pool: distinct observations, with whose they are.
        findings: what was passed over, and why.
        machines: whose files there are.
    """

    pool: tuple[Kept, ...] = ()
    findings: tuple[Diagnostic, ...] = ()
    machines: tuple[str, ...] = ()

    @property
    def waiting(self) -> int:
        """How many uses no watermark has taken in."""
        return count_uses(item.seen for item in self.pool if not item.settled)


def read_usage(root: Path, today: date) -> UsageLog:
    """Read the files of all machines whole; nothing in them stops the reading.

    Args:
        root: the vault.
        today: what is dated later is a finding.
    """
    files: list[UsageFile] = []
    findings: list[Diagnostic] = []
    try:
        with Folders(root) as folders:
            findings += _odd_names(folders)
            for name in list_files(folders):
                try:
                    files.append(open_file(folders, name))
                except (OSError, VaultError) as error:
                    findings.append(_unreadable(f"{FOLDER}/{name}", error))
    except VaultError:
        return UsageLog()
    pool: dict[Observation, Kept] = {}
    for file in files:
        findings += _take_file(file, pool, today)
    machines = tuple(dict.fromkeys(file.machine for file in files))
    return UsageLog(tuple(pool.values()), tuple(findings), machines)


def read_texts(texts: Iterable[tuple[str, bytes]]) -> tuple[Kept, ...]:
    """Return the pool of files given as (name, bytes), for a commit of the past."""
    pool: dict[Observation, Kept] = {}
    for name, data in sorted(texts):
        if _NAME.fullmatch(name):
            parsed = parse_lines(data[:MAX_USAGE])
            add_lines(pool, machine_of(name), parsed)
    return tuple(pool.values())


class Parsed(NamedTuple):
    """The lines of some bytes: each with what it says and where it ends, and those that are none.

    Args:
        lines: (observation, offset behind its line).
        bad: (number of the line from 1, why).
        end: offset behind the last whole line.
        mark: offset behind the last watermark, 0 for none.
    """

    lines: list[tuple[Observation, int]]
    bad: list[tuple[int, str]]
    end: int
    mark: int


def parse_lines(data: bytes, start: int = 0) -> Parsed:
    """Read the whole lines behind an offset; a torn one at the end is left."""
    end = data.rfind(b"\n") + 1
    lines: list[tuple[Observation, int]] = []
    bad: list[tuple[int, str]] = []
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
        lines.append((seen, offset))
        if seen.kind == WATERMARK:
            mark = offset
    return Parsed(lines, bad, max(end, start), mark)


def add_lines(pool: dict[Observation, Kept], machine: str, parsed: Parsed) -> None:
    """Put observations into the pool; one that is there keeps its machine."""
    for seen, end in parsed.lines:
        settled = end <= parsed.mark
        known = pool.get(seen)
        if known is None:
            pool[seen] = Kept(seen, machine, settled)
        elif settled and not known.settled:
            pool[seen] = known._replace(settled=True)


def _take_file(file: UsageFile, pool: dict[Observation, Kept], today: date) -> Iterator[Diagnostic]:
    """Put the lines of a file into the pool; return the findings about it."""
    parsed = parse_lines(file.data)
    late = [seen for seen, _ in parsed.lines if is_late(seen, today)]
    add_lines(pool, file.machine, parsed)
    return iter([*_file_findings(file, parsed), *_late_findings(file, late)])


def _file_findings(file: UsageFile, parsed: Parsed) -> Iterator[Diagnostic]:
    for number, why in parsed.bad[:_MOST_NAMED]:
        yield Diagnostic(
            file.path, number, "usage-line", "warning", f"not counted: {why}", _LINE_HINT
        )
    if len(parsed.bad) > _MOST_NAMED:
        text = f"not counted: {len(parsed.bad) - _MOST_NAMED:,} more lines"
        yield Diagnostic(file.path, 0, "usage-line", "warning", text, _LINE_HINT)
    if file.facts.st_size > MAX_USAGE:
        text = f"only the first {MAX_USAGE >> 20} MiB of observations are counted"
        yield Diagnostic(file.path, 0, "usage-file", "warning", text)
    elif parsed.end < len(file.data):
        line = file.data.count(b"\n") + 1
        text = "the last line was never finished and is not counted"
        yield Diagnostic(file.path, line, "usage-torn", "note", text, "The next one goes below it.")


_LINE_HINT: Final = "Files of observations are written by mvault; take the line out if it is odd."


def _late_findings(file: UsageFile, late: list[Observation]) -> Iterator[Diagnostic]:
    if late:
        first = min(seen.at for seen in late)
        text = f"{len(late):,} from the future (from {first}) do not count until then"
        yield Diagnostic(file.path, 0, "usage-future", "warning", text, "Check that clock.")


def _odd_names(folders: Folders) -> Iterator[Diagnostic]:
    try:
        names = sorted(folders.names_in(FOLDER))
    except FileNotFoundError:
        return
    except OSError as error:
        yield _unreadable(FOLDER, error)
        return
    fitting = [name for name in names if _NAME.fullmatch(name)]
    for name in names:
        if name not in fitting and not name.startswith("."):
            text = "not read: files of observations are called <machine>.jsonl"
            hint = "If a sync program made it, append its lines to the file it is a copy of."
            yield Diagnostic(f"{FOLDER}/{name}", 0, "usage-file", "warning", text, hint)
    if len(fitting) > MAX_FILES:
        text = f"only the first {MAX_FILES} files of observations are counted"
        yield Diagnostic(FOLDER, 0, "usage-file", "warning", text)


def _unreadable(path: str, error: OSError | VaultError) -> Diagnostic:
    problem = explain_os_error(error, path, "read") if isinstance(error, OSError) else error
    text = f"its observations are not counted: {problem.message}"
    return Diagnostic(path, 0, "usage-file", "warning", text, problem.hint)
