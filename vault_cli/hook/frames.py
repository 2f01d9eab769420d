"""Reading a spool: the frames that `spool` wrote. Standard library only; never on a fast path."""

from __future__ import annotations

from binascii import crc32
from collections.abc import Iterator
from typing import NamedTuple

from vault_cli.hook.system import open_plain

_MARK = b"mv1 "
_DIGITS = 8


class Frame(NamedTuple):
    """One event.

    Args:
        time: when it came in, in seconds since 1970.
        host, event: canonical names.
        raw: the payload as it came, but for its line ends.
        is_cut: whether long texts in it were shortened.
    """

    time: int
    host: str
    event: str
    raw: bytes
    is_cut: bool


class Reader:
    """The frames of a file, in order. Iterate once; afterwards `damaged` says what was skipped.

    Args:
        path: a spool, perhaps renamed.
    """

    def __init__(self, path: str) -> None:
        self._path = path
        self.damaged = 0
        """Lines of frames that were torn or changed."""

    def __iter__(self) -> Iterator[Frame]:
        """Yield the whole frames; OSError when the file cannot be read."""
        head = None
        with open(self._path, "rb", opener=open_plain) as file:
            for line in file:
                if head is not None:
                    frame = _check(head, line)
                    head = None
                    if frame is not None:
                        yield frame
                        continue
                    self.damaged += 1
                head = _head(line)
                if line.strip() and (head is None or line.rfind(_MARK) > 0):
                    self.damaged += 1
        if head is not None:
            self.damaged += 1


def _head(line: bytes) -> tuple[int, str, str, int, int, bool] | None:
    """Read a header line; of a line that a torn frame runs into, the header at its end."""
    start = line.rfind(_MARK)
    if start < 0:
        return None
    try:
        fields = line[start:].decode("ascii").split()
        _, when, host, event, length, digest, *more = fields
        if more not in ([], ["cut"]) or len(digest) != _DIGITS:
            return None
        return int(when), host, event, int(length), int(digest, 16), bool(more)
    except (UnicodeDecodeError, ValueError):
        return None


def _check(head: tuple[int, str, str, int, int, bool], line: bytes) -> Frame | None:
    when, host, event, length, digest, is_cut = head
    facts = f"{when} {host} {event} {length}{' cut' if is_cut else ''}".encode("ascii")
    if len(line) != length + 1 or line[-1:] != b"\n" or crc32(line[:-1], crc32(facts)) != digest:
        return None
    return Frame(when, host, event, line[:-1], is_cut)
