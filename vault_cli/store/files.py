"""Files of a vault: walk, safe read, atomic write, lock, templates. May import `model`, `errors`."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from vault_cli.errors import Diagnostic


@dataclass(frozen=True, slots=True)
class Stamp:
    """What `stat` says of one candidate file: enough to tell it was not changed since."""

    path: str
    size: int
    mtime_ns: int
    ctime_ns: int
    inode: int


@dataclass(frozen=True, slots=True)
class Walk:
    """All candidate record files below a vault root, sorted by path, and what was passed over."""

    stamps: tuple[Stamp, ...]
    diagnostics: tuple[Diagnostic, ...]
    skipped: dict[str, int]


def digest_bytes(data: bytes) -> str:
    """Return the SHA-256 of `data` in hex: the precondition of every edit."""
    return hashlib.sha256(data).hexdigest()


def walk_records(root: Path, ignore: tuple[str, ...]) -> Walk:
    """List record files: regular `*.md` below root; links, devices and bad names are diagnostics.

    Passed over without an error: dot-folders, the `ignore` folder names, README.md, editor
    left-overs, anything in `skills/<name>/` but SKILL.md, directories called `*.md`.
    """
    raise NotImplementedError


def read_file(root: Path, path: str, limit: int = 1 << 20) -> bytes:
    """Read a regular file inside the root without following links (O_NOFOLLOW|O_NONBLOCK).

    Raises:
        NotFoundError, StoreError (not a regular file, over `limit` bytes + 1, cannot be read).
    """
    raise NotImplementedError


def write_file(root: Path, path: str, data: bytes) -> None:
    """Write atomically: temporary file beside it, fsync, rename, fsync of the folder.

    Creates missing folders; keeps the mode of an existing file; never writes through a link.

    Raises:
        StoreError: disk full, read-only, or a link in the way; the old bytes are intact.
    """
    raise NotImplementedError


@contextmanager
def lock_vault(root: Path, *, wait: float = 10.0) -> Iterator[None]:
    """Hold the vault's exclusive lock (`fcntl.flock` on `.state/lock`, owner written into it).

    Raises:
        ChangedMeanwhileError: a live owner kept it for `wait` seconds (names the owner).
        StoreError: the vault cannot be written.
    """
    raise NotImplementedError
    yield


def find_template(name: str) -> str:
    """Return the text of a packaged template: inside the package first, then beside it.

    Raises:
        NotFoundError: no such template.
    """
    raise NotImplementedError
