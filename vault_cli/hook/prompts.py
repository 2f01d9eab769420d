"""What a prompt may bring, made ready: a file that is read in part. Standard library, `hook`.

`STATE/hook/prompts/<key>` has a head (stamps, tables) and pieces that are found by a reference:
what terms stand in which records, what a record is worth, how it is shown. Head and pieces are
sealed one by one with this machine's secret, so that nothing has to be read that is not used.
"""

from __future__ import annotations

import marshal
import os
from _bisect import bisect_right

from vault_cli.hook import ready
from vault_cli.hook.injected import digest
from vault_cli.hook.keeping import put, thin
from vault_cli.hook.state import FOLDER
from vault_cli.hook.system import open_plain

TYPE_CHECKING = False  # `typing` takes longer to load than all of this; checkers know the name
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

FOLDER_NAME = "prompts"
LEARNED = "learned"
MOST_LEARNED = 300
"""So many texts are kept beside the file of a place."""

LAYOUT = 2
MOST = 16
"""So many places are kept."""

MOST_BYTES = 128 << 20
"""So much is kept of all places together, and of one."""

EXACT = 1_500
"""Up to so many files each one is looked at with every prompt; of more, the folders are.

What is then missed until a session starts, a command runs or a commit is made: an edit in place of
a file that the prompt would not have brought. What is brought, or left out since it was brought
before, is looked at itself.
"""

ALLOWED, UNHEARD, ELIGIBLE = 1, 2, 4
"""Flags of a record: found with a prompt; without a say in what is usual; in force here."""

NAMED = "!"
"""Before an id: which record is called so."""

OWN = "+"
"""Before a term: its records with those that have it by the name of a topic."""

_SEAL = 32
_MARK = 16
_LENGTH = 8
_SIZE_BITS = 24
_SIZE_MASK = (1 << _SIZE_BITS) - 1
_IN_BLOCK = 64


class DamagedError(ValueError):
    """A piece is not what was stored."""


class Writer:
    """Such a file while it is made.

    Args:
        state: the state folder.
    """

    def __init__(self, state: str) -> None:
        self._state = state
        self._token = ready.machine_token(state)
        self._parts: list[bytes] = []
        self._end = 0

    def put(self, data: bytes) -> int:
        """Take a piece in; return its reference. ValueError when it is too large."""
        if len(data) > _SIZE_MASK or self._end > MOST_BYTES:
            raise ValueError("too large to be kept")
        at = self._end
        self._parts += [_mark(data, at, self._token or b""), data]
        self._end += _MARK + len(data)
        return at << _SIZE_BITS | len(data)

    def put_terms(self, terms: dict[str, Any]) -> tuple[list[str], list[int]]:
        """Take a table in, of which single rows are looked up; return where its parts begin."""
        names = sorted(terms)
        fences, blocks = [], []
        for start in range(0, len(names), _IN_BLOCK):
            some = names[start : start + _IN_BLOCK]
            fences.append(some[0])
            blocks.append(self.put(marshal.dumps({name: terms[name] for name in some})))
        return fences, blocks

    def keep(self, key: str, head: dict[str, Any]) -> None:
        """Write the file.

        Args:
            key: from `ready.key_of`.
            head: what is read at once, with the stamps as `ready.keep` has them.

        Raises:
            OSError, ValueError: it cannot be kept.
        """
        if self._token is None:
            return
        data = marshal.dumps({**head, "layout": LAYOUT})
        length = b"%08x" % len(data)
        seal = digest(length + data, self._token, _SEAL // 2).encode("ascii")
        body = b"".join((seal, length, data, *self._parts))
        if len(body) > MOST_BYTES:
            raise ValueError("too large to be kept")
        folder = put(f"{self._state}/{FOLDER}", FOLDER_NAME, key, body)
        thin(folder, MOST, MOST_BYTES)


class Prepared:
    """Such a file, open. Reading a piece raises `DamagedError` or `OSError`."""

    def __init__(self, file: int, token: bytes, head: dict[str, Any], start: int) -> None:
        self._file = file
        self._token = token
        self._start = start
        self._blocks: dict[int, dict[str, Any]] = {}
        self._columns: dict[str, Sequence[int]] = {}
        self.head = head

    def piece(self, reference: int) -> bytes:
        """Return a piece by its reference."""
        at, size = reference >> _SIZE_BITS, reference & _SIZE_MASK
        os.lseek(self._file, self._start + at, os.SEEK_SET)
        data = os.read(self._file, _MARK + size)
        if len(data) != _MARK + size or _mark(data[_MARK:], at, self._token) != data[:_MARK]:
            raise DamagedError
        return data[_MARK:]

    def numbers(self, name: str, kind: str = "I") -> Sequence[int]:
        """Return a column that the head names: one number for each record, each of this size."""
        if name not in self._columns:
            self._columns[name] = memoryview(self.piece(self.head[name])).cast(kind)  # type: ignore[call-overload]
        return self._columns[name]

    def row(self, term: str) -> Any:
        """Return what the table of terms has, None for a term that stands nowhere."""
        place = bisect_right(self.head["fences"], term) - 1
        if place < 0:
            return None
        if place not in self._blocks:
            self._blocks[place] = marshal.loads(self.piece(self.head["blocks"][place]))  # noqa: S302 - only we can have sealed it
        return self._blocks[place].get(term)

    def value(self, reference: int) -> Any:
        """Return a piece that is a value."""
        return value_of(self.piece(reference))

    def holds(self) -> bool:
        """Tell whether everything is as it was when this was made."""
        head = self.head
        stamps = head["stamps"] if head["files"] <= EXACT else head["quick"]
        return not ready.has_ended(head["until"]) and ready.holds(stamps)

    def close(self) -> None:
        """Let go of the file."""
        os.close(self._file)


def load(state: str, key: str) -> Prepared | None:
    """Return what is ready under a key while its stamps hold, else None."""
    found = read(state, key)
    if found is None or found.holds():
        return found
    found.close()
    return None


def read(state: str, key: str) -> Prepared | None:
    """Return what was made ready under a key, whether it still holds or not."""
    token = ready.machine_token(state)
    try:
        path = f"{state}/{FOLDER}/{FOLDER_NAME}/{key}"
        file = open_plain(path, os.O_RDONLY)
    except OSError:
        return None
    try:
        start = os.read(file, _SEAL + _LENGTH)
        seal, length = start[:_SEAL], start[_SEAL:]
        data = os.read(file, int(length, 16))
        if token is not None and digest(length + data, token, _SEAL // 2).encode("ascii") == seal:
            head = marshal.loads(data)  # noqa: S302 - only we can have sealed it
            if head["layout"] == LAYOUT:
                return Prepared(file, token, head, _SEAL + _LENGTH + len(data))
    except (OSError, ValueError):
        pass
    os.close(file)
    return None


class Texts:
    """The texts of entries that were made ready before, by what they depend on.

    Args:
        state: the state folder.
        key: the place.
    """

    def __init__(self, state: str, key: str) -> None:
        self._ready = read(state, key)
        self._more = learned(state, key)
        self._known: dict[str, int] = {}
        if self._ready is not None:
            try:
                self._known = self._ready.value(self._ready.head["texts"])
            except (OSError, ValueError):
                self._known = {}

    def close(self) -> None:
        """Let go of what is open."""
        if self._ready is not None:
            self._ready.close()

    def get(self, tag: str) -> bytes:
        """Return how an entry is shown, b"" when it is not known."""
        if tag in self._more:
            return self._more[tag]
        if self._ready is None or tag not in self._known:
            return b""
        try:
            return self._ready.piece(self._known[tag])
        except (OSError, ValueError):
            return b""


def learned(state: str, key: str) -> dict[str, bytes]:
    """Return texts that prompts asked for and the file of a place lacks, by their tag."""
    token = ready.machine_token(state)
    try:
        with open(f"{state}/{FOLDER}/{LEARNED}/{key}", "rb", opener=open_plain) as file:
            data = file.read(_SIZE_MASK)
    except OSError:
        return {}
    if token is None or digest(data[_SEAL:], token, _SEAL // 2).encode("ascii") != data[:_SEAL]:
        return {}
    found = marshal.loads(data[_SEAL:])  # noqa: S302 - only we can have sealed it
    return found if isinstance(found, dict) else {}


def learn(state: str, key: str, texts: dict[str, bytes]) -> None:
    """Keep further texts for a place. OSError when they cannot be kept."""
    token = ready.machine_token(state)
    if token is None:
        return
    known = {**learned(state, key), **texts}
    data = marshal.dumps(dict(list(known.items())[-MOST_LEARNED:]))
    seal = digest(data, token, _SEAL // 2).encode("ascii")
    thin(put(f"{state}/{FOLDER}", LEARNED, key, seal + data), MOST)


def value_of(data: bytes) -> Any:
    """Return a piece as a value."""
    return marshal.loads(data)  # noqa: S302 - only we can have sealed it


def _mark(data: bytes, at: int, token: bytes) -> bytes:
    """Return the seal of a piece at a place."""
    return digest(b"%x " % at + data, token, _MARK // 2).encode("ascii")
