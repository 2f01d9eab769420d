"""Lines of a session log, plain or in zstd frames, streamed. Standard library; zstd when needed.

A log is written by another program while we read it. A last line without its end is left for the
next run; a line that is no JSON object, or longer than any honest one, is counted and passed over.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any, Final, NamedTuple

from vault_cli.text.halves import without_halves

CHUNK: Final = 256 << 10
LONGEST_LINE: Final = 32 << 20
"""Bytes of one line; a longer one holds a picture or the like and is passed over."""

MOST_BYTES: Final = 4 << 30
"""Bytes of one log, unpacked, that are read."""

MOST_RATIO: Final = 500
FREE: Final = 32 << 20
"""A packed log gives no more than so many times its bytes, and so many in any case."""

ZSTD_MAGIC: Final = b"\x28\xb5\x2f\xfd"
_FEED: Final = 64 << 10
_OPEN: Final = (
    os.O_RDONLY
    | getattr(os, "O_NONBLOCK", 0)  # a pipe must not keep us waiting
    | getattr(os, "O_NOCTTY", 0)
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_BINARY", 0)
)


class LogError(Exception):
    """A log that cannot be read at all, in words for a person."""


class Line(NamedTuple):
    """One whole line: its number from 1, where it begins, and the object it holds."""

    number: int
    start: int
    data: dict[str, Any]


@dataclass(slots=True)
class Health:
    """What was odd about a log; none of it ends the reading.

    Args:
        lines: whole lines that were looked at.
        bad: how many of them were no JSON object, or too long.
        torn: the log ends within a line or a frame; the next run goes on from there.
        damage: what is wrong with the file itself, "" for nothing.
    """

    lines: int = 0
    bad: int = 0
    torn: bool = False
    damage: str = ""


@dataclass(slots=True)
class Stream:
    """One log from a place on.

    Args:
        path: the file.
        start: byte (of the unpacked log) to begin at; what stands before is only hashed.
        line: number of the line that begins there.
        health: filled while reading.
        end: byte behind the last whole line that was given out.
    """

    path: Path
    start: int = 0
    line: int = 1
    health: Health = field(default_factory=Health)
    end: int = 0

    def prefix_digest(self) -> str:
        """Return the SHA-256 of the log up to `start`."""
        done, hashed = 0, hashlib.sha256()
        for chunk in open_chunks(self.path, Health()):
            part = chunk[: self.start - done]
            hashed.update(part)
            done += len(part)
            if done >= self.start:
                break
        return hashed.hexdigest() if done == self.start else ""

    def lines(self) -> Iterator[Line]:
        """Yield the whole lines from `start` on.

        Raises:
            LogError: the file cannot be opened, or is none.
        """
        number, place = self.line, self.start
        self.end = place
        for raw, whole in _split(_from(open_chunks(self.path, self.health), self.start)):
            if not whole:
                self.health.torn = True
                return
            self.health.lines += 1
            data = _read_object(raw)
            size = raw.size if isinstance(raw, _TooLong) else len(raw)
            if data is None:
                self.health.bad += bool(isinstance(raw, _TooLong) or raw.strip())
            self.end = place + size
            if data is not None:
                yield Line(number, place, data)
            number, place = number + 1, place + size


class _TooLong(NamedTuple):
    """A line that was not kept."""

    size: int


def _from(chunks: Iterator[bytes], start: int) -> Iterator[bytes]:
    """Leave the first `start` bytes out."""
    done = 0
    for chunk in chunks:
        if done + len(chunk) > start:
            yield chunk[max(0, start - done) :]
        done += len(chunk)


def _split(chunks: Iterator[bytes]) -> Iterator[tuple[bytes | _TooLong, bool]]:
    """Yield lines with their ends, and whether they are whole; a torn one may come last."""
    parts: list[bytes] = []
    size = 0
    for chunk in chunks:
        pieces = chunk.split(b"\n")
        for piece in pieces[:-1]:
            size += len(piece) + 1
            if size > LONGEST_LINE:
                yield _TooLong(size), True
            else:
                parts.append(piece)
                yield b"".join(parts) + b"\n", True
            parts, size = [], 0
        size += len(pieces[-1])
        if size <= LONGEST_LINE:
            parts.append(pieces[-1])
        else:
            parts = []
    if size:
        yield b"".join(parts), False


def _read_object(raw: bytes | _TooLong) -> dict[str, Any] | None:
    if isinstance(raw, _TooLong) or not raw.strip():
        return None
    try:
        data = json.loads(raw.decode("utf-8", "replace").lstrip("\ufeff"))
    except (ValueError, RecursionError):
        return None
    return without_halves(data) if isinstance(data, dict) else None


def open_chunks(path: Path, health: Health) -> Iterator[bytes]:
    """Yield a log in pieces, unpacked when it is packed.

    Raises:
        LogError: it cannot be opened, is no plain file, or nothing here can unpack it.
    """
    try:
        with os.fdopen(os.open(path, _OPEN), "rb") as file:
            if not os.path.isfile(file.fileno()):  # noqa: PTH113 - of what was opened, not of its name
                raise LogError("it is no plain file")
            head = file.read(len(ZSTD_MAGIC))
            file.seek(0)
            size = os.fstat(file.fileno()).st_size
            packed = head == ZSTD_MAGIC
            most = min(MOST_BYTES, FREE + MOST_RATIO * size) if packed else MOST_BYTES
            yield from _bounded(_unpack(file, health) if packed else _plain(file), most, health)
    except OSError as error:
        raise LogError(error.strerror or str(error)) from error


def _plain(file: IO[bytes]) -> Iterator[bytes]:
    while chunk := file.read(CHUNK):
        yield chunk


def _bounded(chunks: Iterator[bytes], most: int, health: Health) -> Iterator[bytes]:
    done = 0
    for chunk in chunks:
        done += len(chunk)
        if done > most:
            health.damage = f"only the first {most >> 20} MiB are read: no log is so large"
            return
        yield chunk


def load_zstd() -> Any:
    """Return the module that unpacks zstd: Python's own from 3.14 on, else its backport.

    Raises:
        LogError: there is none.
    """
    from importlib import import_module

    for name in ("compression.zstd", "backports.zstd"):
        try:
            return import_module(name)
        except ImportError:
            continue
    raise LogError("it is packed with zstd, and the package backports.zstd is not installed")


def _unpack(file: IO[bytes], health: Health) -> Iterator[bytes]:
    """Yield what the frames of a file hold, frame by frame, a bounded piece at a time.

    The last frame may be torn: what it gives is used. A damaged one is passed over up to the next
    beginning of a frame; the line it cut is no JSON, which is counted.
    """
    zstd = load_zstd()
    data = b""
    while True:
        data = data or file.read(_FEED)
        if not data:
            return
        frame = zstd.ZstdDecompressor()
        try:
            while not frame.eof:
                yield frame.decompress(data, CHUNK)
                if frame.eof:
                    break
                data = file.read(_FEED) if frame.needs_input else b""
                if frame.needs_input and not data:
                    health.torn = True
                    return
            data = frame.unused_data
        except zstd.ZstdError:
            health.damage = "a frame is damaged and was passed over"
            data = _next_frame(file, data)
            yield b"\n"


def _next_frame(file: IO[bytes], data: bytes) -> bytes:
    """Return what is read from the next beginning of a frame on, b"" for none."""
    data = data[1:]
    while True:
        place = data.find(ZSTD_MAGIC)
        if place >= 0:
            return data[place:]
        more = file.read(_FEED)
        if not more:
            return b""
        data = data[-3:] + more
