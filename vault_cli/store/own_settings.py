"""Changes of what a person keeps outside of vaults, one program at a time. + `store`."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from vault_cli.errors import StoreError
from vault_cli.store.files import write_file
from vault_cli.store.lock import hold_file
from vault_cli.store.opening import explain_os_error
from vault_cli.store.places import STATE_VARIABLE, state_folder


def change_settings(path: Path, change: Callable[[], bytes]) -> None:
    """Write the person's configuration anew, from what stands in it at that moment.

    Args:
        path: the file (`config.user_config_path`).
        change: reads it and returns its new text.

    Raises:
        ChangedMeanwhileError: another program kept it too long. StoreError: it cannot be written.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise explain_os_error(error, str(path), "write") from error
    with own_turn():
        write_file(path.parent, path.name, change())


@contextmanager
def own_turn(*, wait: float = 10.0) -> Iterator[None]:
    """Let those who read and rewrite the person's own settings or state come one after another.

    Raises:
        ChangedMeanwhileError: another program kept it for `wait` seconds.
        StoreError: the state folder cannot be written.
    """
    place = state_folder() / "own.lock"
    try:
        place.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        flags = os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0)
        file = os.open(place, flags, 0o600)
    except OSError as error:
        raise StoreError(
            f"cannot write {place}: {error.strerror}",
            hint=f"Make the folder writable, or name another one in {STATE_VARIABLE}.",
        ) from error
    with hold_file(file, time.monotonic() + wait):
        yield
