"""Texts that once waited for a person, kept as marks in their state folder. May import `errors`.

A text that git has never had counts as an edit of the person's own. A patch that somebody sent is
none that git has had. So what waited here once, in any vault of the person, is remembered: the same
text waits again when it comes by hand, until a person accepts it in a review.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from contextlib import suppress
from typing import Final

from vault_cli.errors import StoreError
from vault_cli.store.own_state import read_state, write_state

_GROUP: Final = "waited"
_NAME: Final = "texts"
_MOST: Final = 10_000
_LENGTH: Final = 32


def text_mark(data: bytes) -> str:
    """Return the mark of a text; line ends and spaces at ends of lines do not count."""
    lines = (line.rstrip() for line in data.rstrip().split(b"\n"))
    return hashlib.sha256(b"\n".join(lines)).hexdigest()[:_LENGTH]


def read_waited() -> dict[str, None]:
    """Return the marks of what once waited, oldest first."""
    listed = read_state(_GROUP, _NAME).get("texts")
    return dict.fromkeys(map(str, listed)) if isinstance(listed, list) else {}


def note_waited(texts: Iterable[bytes]) -> None:
    """Remember texts that wait; of more than 10,000 the oldest are dropped.

    Where the state folder cannot be written nothing is remembered: reading goes on.
    """
    known = read_waited()
    fresh = {text_mark(data): None for data in texts}.keys() - known.keys()
    if fresh:
        with suppress(StoreError):
            write_state(_GROUP, _NAME, {"texts": [*known, *sorted(fresh)][-_MOST:]})


def let_pass(texts: Iterable[bytes]) -> None:
    """Forget texts that a person accepted; StoreError as `write_state`."""
    known = read_waited()
    gone = {text_mark(data) for data in texts} & known.keys()
    if gone:
        write_state(_GROUP, _NAME, {"texts": [mark for mark in known if mark not in gone]})
