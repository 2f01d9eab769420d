"""Which of several installations of ours answers an event of a session. Standard library, `hook`.

A program that was told of us in more than one place (for all projects, for this one, by the
plugin) starts a hook of each for the same event, at the same time. The first to leave its mark in
`STATE/hook/taken/` answers; the others say nothing, so that a block arrives once.
"""

from __future__ import annotations

import os
import time

from vault_cli.hook.injected import digest
from vault_cli.hook.keeping import thin
from vault_cli.hook.state import FOLDER, own_folder
from vault_cli.hook.system import variable

TYPE_CHECKING = False  # `typing` takes longer to load than all of this; checkers know the name
if TYPE_CHECKING:
    from vault_cli.hook.call import Call

NAME = "taken"
MOST = 200
"""So many marks are kept."""

FRESH = 30
"""Seconds for which a mark is of the same event, and not of one that looks like it."""

_PLUGIN = ("PLUGIN_ROOT", "CLAUDE_PLUGIN_ROOT")


def is_taken(call: Call) -> bool:
    """Tell whether another installation of ours answers this event; else take it.

    Never fails: where no mark can be left, every installation answers.
    """
    origin = _origin(call)
    try:
        folder = own_folder(f"{own_folder(f'{call.state}/{FOLDER}')}/{NAME}")
        path = f"{folder}/{digest(f'{call.host} {call.event} '.encode() + call.raw)}"
        if _leave(path, origin):
            thin(folder, MOST)
            return False
        return _is_of_another(path, origin)
    except OSError:
        return False


def _origin(call: Call) -> bytes:
    """Return which installation started us: the plugin, one with a path of this machine, or not."""
    if any(map(variable, _PLUGIN)):
        return b"plugin"
    return b"own" if call.is_own else b"shared"


def _leave(path: str, origin: bytes) -> bool:
    """Leave a mark; False when there is one."""
    try:
        file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        return False
    try:
        os.write(file, origin)
    finally:
        os.close(file)
    return True


def _is_of_another(path: str, origin: bytes) -> bool:
    """Tell whose a mark is; one that is old, or our own from before, becomes ours."""
    file = os.open(path, os.O_RDWR | getattr(os, "O_NOFOLLOW", 0))
    try:
        is_fresh = abs(time.time() - os.fstat(file).st_mtime) < FRESH
        if is_fresh and os.read(file, len(b"plugin") + 1) != origin:
            return True
        os.truncate(file, 0)
        os.pwrite(file, origin, 0)
    finally:
        os.close(file)
    return False
