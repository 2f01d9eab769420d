"""Small files that are replaced as a whole, in folders that do not grow. Stdlib, `hook`."""

from __future__ import annotations

import os

from vault_cli.hook.state import own_folder


def put(base: str, kind: str, name: str, body: bytes) -> str:
    """Write a file below a folder of one's own; whoever reads meanwhile sees the old or the new.

    Returns:
        The folder it is in.

    Raises:
        OSError: it cannot be written, or a folder on the way is a link or somebody else's.
    """
    folder = own_folder(f"{own_folder(base)}/{kind}")
    temporary = f"{folder}/.{os.getpid()}-{os.urandom(4).hex()}"
    file = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(file, "wb") as stream:
            stream.write(body)
        os.replace(temporary, f"{folder}/{name}")
    except BaseException:
        os.unlink(temporary)
        raise
    return folder


def thin(folder: str, most: int) -> None:
    """Let the oldest files of a folder go until half of `most` are left; never fails."""
    try:
        names = os.listdir(folder)
        if len(names) <= most:
            return
        aged = sorted((os.lstat(f"{folder}/{name}").st_mtime_ns, name) for name in names)
        for _, name in aged[: len(aged) - most // 2]:
            os.unlink(f"{folder}/{name}")
    except OSError:
        return
