"""Files of a vault: safe read, atomic write, lock, templates. May import `model`, `errors`."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Final

from vault_cli.errors import NotFoundError, StoreError
from vault_cli.model.tables import MAX_FILE
from vault_cli.store.lock import lock_vault
from vault_cli.store.opening import (
    CREATE_FLAGS,
    Folders,
    explain_os_error,
    read_at,
    show_name,
    sync_folder,
)
from vault_cli.store.places import real_path
from vault_cli.store.walk import Stamp, Walk, walk_records
from vault_cli.text.late import late

__all__ = [
    "MAX_FILE",
    "Stamp",
    "Walk",
    "clean_temporaries",
    "digest_bytes",
    "find_template",
    "list_folders",
    "lock_vault",
    "read_file",
    "remove_file",
    "temporary_name",
    "walk_records",
    "write_file",
    "write_temporary",
]

_TEMPORARY: Final = late(r"\..*\.tmp-(\d{1,10})-[0-9a-f]{8}")
_NO_LINKS: Final = frozenset({errno.EPERM, errno.ENOTSUP, errno.EMLINK, errno.ENOSYS})


def digest_bytes(data: bytes) -> str:
    """Return the SHA-256 of `data` in hex: the precondition of every edit."""
    import hashlib

    return hashlib.sha256(data).hexdigest()


def read_file(root: Path, path: str, limit: int = MAX_FILE) -> bytes:
    """Read a regular file inside the root without following links.

    Raises:
        NotFoundError: nothing is there.
        StoreError: not a regular file, over `limit` bytes, a link on the way, unreadable.
    """
    try:
        with Folders(root) as folders:
            name, handle = folders.locate(path)
            return read_at(name, handle, limit)[0]
    except StoreError as error:
        raise StoreError(f"{show_name(path)}: {error.message}", hint=error.hint) from error
    except OSError as error:
        raise explain_os_error(error, path, "read") from error


def write_file(
    root: Path, path: str, data: bytes, *, fresh: bool = False, mode: int = 0o600
) -> None:
    """Write atomically: temporary file beside it, fsync, rename, fsync of the folder.

    Args:
        root: folder that `path` is in.
        path: relative POSIX path; missing folders are made.
        data: the whole new file.
        fresh: fail instead of replacing a file that is already there.
        mode: permissions of a new file (less the umask); an existing file keeps its own.

    Raises:
        StoreError: disk full, read-only, or a link in the way; the old bytes are intact.
    """
    try:
        with Folders(root) as folders:
            name, handle = folders.locate(path, create=True, mode=_folder_mode(mode))
            temporary = write_temporary(name, handle, data, mode=mode)
            try:
                put_in_place(temporary, name, handle, fresh=fresh)
            finally:
                with suppress(OSError):
                    os.unlink(temporary, dir_fd=handle)
            sync_folder(handle)
    except OSError as error:
        raise explain_os_error(error, path, "write") from error


def remove_file(root: Path, path: str) -> None:
    """Remove a file (a link itself, never its target) and the folders this leaves empty.

    Raises:
        NotFoundError, StoreError: it is not there or cannot be removed.
    """
    try:
        with Folders(root) as folders:
            name, handle = folders.locate(path)
            os.unlink(name, dir_fd=handle)
            sync_folder(handle)
            prune_folders(folders, path)
    except OSError as error:
        raise explain_os_error(error, path, "remove") from error


def prune_folders(folders: Folders, path: str) -> None:
    """Remove the empty folders above `path`, but never a top-level one."""
    above = path.split("/")[:-1]
    while len(above) > 1:
        try:
            name, handle = folders.locate("/".join(above))
            os.rmdir(name, dir_fd=handle)
        except OSError:
            return
        above.pop()


def _folder_mode(mode: int) -> int:
    return 0o700 | mode | (mode & 0o444) >> 2


def temporary_name(name: str) -> str:
    """Return a fresh hidden name beside `name` that says which process it belongs to."""
    tail = f".tmp-{os.getpid()}-{os.urandom(4).hex()}"
    stem = _base_name(name)
    while len(os.fsencode(stem)) + len(tail) > 254:  # noqa: PLR2004 - 255 less the dot
        stem = stem[:-1]
    return f"{name[: len(name) - len(_base_name(name))]}.{stem}{tail}"


def _base_name(name: str) -> str:
    # With descriptors `name` is a bare name; on Windows it is a whole path.
    return os.path.basename(name)  # noqa: PTH119 - text in, text out


def write_temporary(name: str, handle: int | None, data: bytes, *, mode: int = 0o600) -> str:
    """Write and fsync a temporary file beside `name`, with the mode of `name` if it exists.

    Returns:
        The temporary's name, for `put_in_place`. Nothing is left behind on an error.

    Raises:
        OSError: it cannot be written, or `name` is something else than a plain file.
    """
    old = stat_plain(name, handle)
    temporary = temporary_name(name)
    file = os.open(temporary, CREATE_FLAGS, mode, dir_fd=handle)
    try:
        _write_all(file, data)
        if old is not None and hasattr(os, "fchmod"):
            os.fchmod(file, stat.S_IMODE(old.st_mode))
        os.fsync(file)
    except BaseException:
        with suppress(OSError):
            os.unlink(temporary, dir_fd=handle)
        raise
    finally:
        os.close(file)
    return temporary


def stat_plain(name: str, handle: int | None) -> os.stat_result | None:
    """Return the stat of a plain file, None when nothing is there.

    Raises:
        OSError: a link (ELOOP) or another kind of thing stands there.
    """
    try:
        facts = os.stat(name, dir_fd=handle, follow_symlinks=False)
    except FileNotFoundError:
        return None
    if stat.S_ISLNK(facts.st_mode):
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))
    if not stat.S_ISREG(facts.st_mode):
        raise OSError(errno.EISDIR, "something else than a plain file stands there")
    return facts


def _write_all(file: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(file, view) :]


def put_in_place(temporary: str, name: str, handle: int | None, *, fresh: bool) -> None:
    """Give a written temporary its real name; with `fresh` never over a file that is there.

    Raises:
        OSError: FileExistsError when `fresh` and something is there, or the rename failed.
    """
    if fresh:
        try:
            os.link(temporary, name, src_dir_fd=handle, dst_dir_fd=handle, follow_symlinks=False)
        except (NotImplementedError, OSError) as error:
            if isinstance(error, OSError) and error.errno not in _NO_LINKS:
                raise
            if stat_plain(name, handle) is not None:
                raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST)) from error
        else:
            os.unlink(temporary, dir_fd=handle)
            return
    os.replace(temporary, name, src_dir_fd=handle, dst_dir_fd=handle)


def clean_temporaries(root: Path, folders: Iterable[str]) -> tuple[str, ...]:
    """Remove our temporary files whose process is dead, and folders made for them; return paths.

    Args:
        root: vault root.
        folders: vault-relative folders to look in ("" is the root itself).
    """
    removed: list[str] = []
    with Folders(root) as opened:
        for folder in sorted(set(folders)):
            prefix = f"{folder}/" if folder else ""
            with suppress(OSError):
                for name in opened.names_in(folder):
                    match = _TEMPORARY.fullmatch(name)
                    if match and not is_alive(int(match[1])):
                        place, handle = opened.locate(prefix + name)
                        os.unlink(place, dir_fd=handle)
                        removed.append(prefix + name)
        for path in removed:
            prune_folders(opened, path)
    return tuple(removed)


def list_folders(root: Path) -> list[str]:
    """Return every folder of a vault where a temporary of ours may lie ("" is the root)."""
    found = ["", ".state"]
    for place, names, _ in os.walk(root):
        names[:] = [name for name in names if not name.startswith(".")]
        found.extend(Path(place, name).relative_to(root).as_posix() for name in names)
    return found


def is_alive(process: int) -> bool:
    """Tell whether a process of this number runs (when unsure, yes)."""
    if process == os.getpid():
        return True
    if os.name == "nt":  # signals mean something else there; left-overs stay until named by check
        return True
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except (OSError, OverflowError):
        return True
    return True


def find_template(name: str) -> str:
    """Return the text of a packaged template: inside the package first, then beside it.

    Raises:
        NotFoundError: no such template.
    """
    package = Path(__file__).resolve().parent.parent
    for folder in (package / "_templates", package.parent / "templates"):
        place = folder / name
        if real_path(place).is_relative_to(real_path(folder)) and place.is_file():
            return place.read_text(encoding="utf-8")
    raise NotFoundError(f"there is no template {name!r}", hint="Is mvault installed completely?")
