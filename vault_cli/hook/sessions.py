"""What a session was given and what waits for it, `STATE/hook/sessions/<session>`. Stdlib.

Small JSON files of this machine; nothing in them decides what is in force. A session's name comes
from outside: one that is no plain file name stands by its digest.
"""

from __future__ import annotations

import os

from vault_cli.hook.injected import digest
from vault_cli.hook.keeping import put, thin
from vault_cli.hook.state import FOLDER, spare_folder
from vault_cli.hook.system import open_plain

TYPE_CHECKING = False  # `typing` takes longer to load than all of this; checkers know the name
if TYPE_CHECKING:
    from typing import Any

SESSIONS = "sessions"
ONCE = "once"
"""Folder of `hook.once`."""

ENDED = "ended"
"""Folder with the last session that ended in each working folder."""

NOTICES = "notices"
"""Folder with what a person is told at a session's start, by the block that is kept ready."""

DEBTS = "debts"
"""Folder with how many runs about unreflected records a vault was said to have room for."""

KINDS = (SESSIONS, ONCE, ENDED, NOTICES, DEBTS)
MOST = 500
"""So many files of one folder are kept; the oldest go first."""

MAX_FILE = 1 << 20
_PLAIN = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.")
_LONGEST = 80


def name_of(text: str) -> str:
    """Return the file name of a session or folder: itself where that is plain, else a digest."""
    if 0 < len(text) <= _LONGEST and text[0] != "." and _PLAIN.issuperset(text):
        return text
    return f"_{digest(text.encode('utf-8', 'surrogatepass'))}"


def load(state: str, kind: str, text: str) -> dict[str, Any]:
    """Return what is kept under a name, nothing when there is none or it cannot be read."""
    from vault_cli.hook.jsons import loads

    for base in (os.path.join(state, FOLDER), spare_folder(state)):
        path = os.path.join(base, kind, name_of(text))
        try:
            file = open_plain(path, os.O_RDONLY)
        except OSError:
            continue
        try:
            data = loads(os.read(file, MAX_FILE))
        except (OSError, ValueError, RecursionError):
            continue
        finally:
            os.close(file)
        if isinstance(data, dict):
            return data
    return {}


def save(state: str, kind: str, text: str, data: dict[str, Any]) -> None:
    """Keep data under a name; whoever reads meanwhile sees the old or the new.

    Raises:
        OSError: neither the state folder nor the spare folder can be written.
    """
    from vault_cli.hook.jsons import dumps

    body = dumps(data)
    try:
        put(os.path.join(state, FOLDER), kind, name_of(text), body)
    except OSError as first:
        try:
            put(spare_folder(state), kind, name_of(text), body)
        except OSError:
            raise first from None


def drop(state: str, kind: str, text: str) -> None:
    """Forget what is kept under a name; never fails."""
    for base in (os.path.join(state, FOLDER), spare_folder(state)):
        try:
            os.unlink(os.path.join(base, kind, name_of(text)))
        except OSError:
            continue


def prune(state: str, kind: str) -> None:
    """Let the oldest files of a folder go when there are too many; never fails."""
    thin(os.path.join(state, FOLDER, kind), MOST)
