"""Open the queue: in the state folder, or where that cannot be written in the spare one."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from typing import Final

from vault_cli.errors import StoreError
from vault_cli.hook.state import FOLDER, own_folder, spare_folder
from vault_cli.store.queue import DRAFTED, DROPPED, STATES, Queue
from vault_cli.store.queue_base import New

NAME: Final = "sightings.db"


def open_queue(state: Path) -> Queue:
    """Open the queue to write: in the state folder, or where that cannot be in the spare one.

    What was left in the spare folder while the state folder could not be written is taken in.

    Raises:
        StoreError: the queue is damaged, or neither folder can be written.
    """
    try:
        queue = Queue(_make(state / FOLDER))
    except OSError as first:
        try:
            return Queue(_make(_spare(state)), spare=True)
        except OSError:
            raise StoreError(
                f"the queue cannot be kept: {first.strerror or first}",
                hint=f"Make {state} writable, or name another one in MVAULT_STATE_DIR.",
            ) from first
    _take_spare(queue, _spare(state))
    return queue


def look_in(state: Path) -> Queue:
    """Open the queue to look at it; nothing is made where there is none."""
    path = find_queue(state)
    if path is None:
        return Queue(None)
    return Queue(path, spare=path.parent == _spare(state), readonly=True)


def find_queue(state: Path) -> Path | None:
    """Return where the queue lies, None when there is none; costs two looks at the disk."""
    for folder in (state / FOLDER, _spare(state)):
        path = folder / NAME
        if path.is_file() and not path.is_symlink() and _is_own(folder):
            return path
    return None


def _is_own(folder: Path) -> bool:
    facts = folder.stat()
    return not hasattr(os, "getuid") or facts.st_uid == os.getuid()


def _make(folder: Path) -> Path:
    """Return the database's path, the file made for this user alone.

    Raises:
        OSError: it cannot be written.
    """
    own_folder(os.fspath(folder))
    path = folder / NAME
    flags = os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)
    os.close(os.open(path, flags, 0o600))
    if not os.access(folder, os.W_OK):  # the journal stands beside the file
        raise PermissionError(13, "the folder cannot be written", os.fspath(folder))
    return path


def _spare(state: Path) -> Path:
    return Path(spare_folder(os.fspath(state)))


def _take_spare(queue: Queue, folder: Path) -> None:
    path = folder / NAME
    if path.is_symlink() or not path.is_file() or path == queue.path or not _is_own(path.parent):
        return
    with Queue(path) as other:
        take_over(queue, other)
    for name in ("", "-journal", "-wal", "-shm"):
        with suppress(OSError):
            Path(f"{path}{name}").unlink()


def take_over(queue: Queue, other: Queue) -> None:
    """Take in what another queue holds: items with what became of them, and read logs."""
    with queue.writing() as base:
        for item in other.items(*STATES):
            for seen in other.sightings(item.id):
                new = New(item.kind, item.key, item.text, seen, item.cwd, item.detail)
                queue.add(base, [new])
            if item.state in (DRAFTED, DROPPED):
                base.execute(
                    "UPDATE queue SET state = ?, record = ? WHERE kind = ? AND key = ?",
                    (item.state, item.record, item.kind, item.key),
                )
        for row in other.logs():
            if queue.log(row.path) is None:
                queue.save_log(base, row)
