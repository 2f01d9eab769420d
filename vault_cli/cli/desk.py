"""Private places below `.state/`: where a text is edited, and where a lost one is kept.

May import `store.files`, `store.opening`, `errors`. Every folder is opened without following a
link: a `.state/` that came with a repository or an archive could else lead a clean-up or a
rescued text anywhere.
"""

from __future__ import annotations

import os
import shutil
import stat
import time
from contextlib import suppress
from pathlib import Path
from typing import Final

from vault_cli.errors import NotFoundError, StoreError
from vault_cli.store.files import read_file, write_file
from vault_cli.store.opening import Folders, explain_os_error
from vault_cli.text.late import late

EDIT: Final = ".state/edit"
RESCUED: Final = ".state/rescued"

_OURS: Final = late(r"edit-[0-9a-f]{8}")
"""Names this module gives; nothing else below `.state/edit/` is ever removed."""

_ABANDONED: Final = 7 * 24 * 3600
_MOST: Final = 1 << 26
"""What is read back from an editor; the gate says what a record may hold."""


def make_place(root: Path) -> str:
    """Make a fresh private folder and return its path in the vault; abandoned ones go.

    Raises:
        StoreError: it cannot be made, or a link stands in the way.
    """
    place = f"{EDIT}/edit-{os.urandom(4).hex()}"
    try:
        with Folders(root) as folders:
            name, handle = folders.locate(place, create=True)
            _remove_abandoned(folders)
            name, handle = folders.locate(place)
            os.mkdir(name, 0o700, dir_fd=handle)
    except OSError as error:
        raise explain_os_error(error, EDIT, "write") from error
    return place


def _remove_abandoned(folders: Folders) -> None:
    """Remove the private folders that an editor was never closed on, after a week."""
    for name in folders.names_in(EDIT):
        if _OURS.fullmatch(name):
            place, handle = folders.locate(f"{EDIT}/{name}")
            with suppress(OSError):
                facts = os.stat(place, dir_fd=handle, follow_symlinks=False)
                if stat.S_ISDIR(facts.st_mode) and time.time() - facts.st_mtime > _ABANDONED:
                    shutil.rmtree(place, ignore_errors=True, dir_fd=handle)


def remove_place(root: Path, place: str) -> None:
    """Remove a private folder that `make_place` made; what cannot be removed stays."""
    with suppress(OSError, StoreError, NotFoundError), Folders(root) as folders:
        name, handle = folders.locate(place)
        shutil.rmtree(name, ignore_errors=True, dir_fd=handle)


def put_text(root: Path, path: str, data: bytes) -> None:
    """Write a private text; StoreError when a link stands in the way."""
    write_file(root, path, data)


def take_text(root: Path, path: str) -> bytes:
    """Return a private text, b"" when it is not there.

    Raises:
        StoreError: it is no plain file any more, or cannot be read.
    """
    try:
        return read_file(root, path, limit=_MOST)
    except NotFoundError:
        return b""


def keep_text(root: Path, name: str, data: bytes) -> str:
    """Keep a text under `.state/rescued/` and return its path in the vault; never overwrites.

    Raises:
        StoreError: it cannot be written, or a link stands in the way.
    """
    taken = _names_of(root, RESCUED)
    number = 0
    while True:
        target = f"{number}-{name}" if number else name
        path = f"{RESCUED}/{target}"
        if target not in taken:
            write_file(root, path, data, fresh=True)
            return path
        with suppress(StoreError):
            if take_text(root, path) == data:
                return path
        number += 1


def _names_of(root: Path, folder: str) -> set[str]:
    try:
        with Folders(root) as folders:
            return set(folders.names_in(folder))
    except FileNotFoundError:
        return set()
    except OSError as error:
        raise explain_os_error(error, folder, "write") from error
