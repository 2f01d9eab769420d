"""What binds a cache to this machine, place and program: the key in its header. + `store.codec`."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from vault_cli import __version__
from vault_cli.model.tables import SCANNER
from vault_cli.store.codec import LAYOUT
from vault_cli.store.places import machine_token


class Key(NamedTuple):
    """What a cache of ours must carry: two header fields, and a number in every row."""

    application_id: bytes
    user_version: bytes
    seal: int


def signed(word: bytes) -> int:
    """Return a header field as SQLite writes it."""
    return int.from_bytes(word, "big", signed=True)


def make_key(root: Path, gates: frozenset[str]) -> Key | None:
    """Bind the cache to this machine, place, program and format; None when nothing can hold it."""
    token = machine_token()
    if token is None:
        return None
    try:  # the whole of hashlib takes 3 ms to load, for every command
        from _blake2 import blake2b
    except ImportError:
        from hashlib import blake2b

    python = ".".join(map(str, sys.version_info[:2]))
    scanner = ",".join((SCANNER, *sorted(gates)))
    text = "\0".join((LAYOUT, scanner, __version__, _code_stamp(), python, os.path.realpath(root)))
    word = blake2b(os.fsencode(text), key=token, digest_size=16).digest()
    return Key(word[:4], word[4:8], int.from_bytes(word[8:15], "big"))


def _code_stamp() -> str:
    """Return when the code that makes records was last changed: a developer has no new version."""
    package = Path(__file__).parent.parent
    newest = 0
    with suppress(OSError):
        for folder in ("text", "model"):
            with os.scandir(package / folder) as listing:
                times = [e.stat().st_mtime_ns for e in listing if e.name.endswith(".py")]
            newest = max(newest, *times)
    return str(newest)
