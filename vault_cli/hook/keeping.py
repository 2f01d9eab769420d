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
        if os.path.lexists(temporary):  # else it has its place already
            os.unlink(temporary)
        raise
    return folder


def thin(folder: str, most: int, bytes_: int = 0) -> None:
    """Let the oldest files of a folder go until half of `most` are left; never fails.

    Args:
        folder: where they are.
        most: so many may be there.
        bytes_: so large may all of them be together; 0: as large as they are.
    """
    try:
        names = os.listdir(folder)
        if len(names) <= most and not bytes_:
            return
        aged = []
        for name in names:
            facts = os.lstat(f"{folder}/{name}")
            aged.append((facts.st_mtime_ns, name, facts.st_size))
        aged.sort(reverse=True)
        kept = len(names) if len(names) <= most else most // 2
        size = 0
        for place, (_, name, own) in enumerate(aged):
            size += own
            if place >= kept or (bytes_ and place and size > bytes_):
                os.unlink(f"{folder}/{name}")
    except OSError:
        return
