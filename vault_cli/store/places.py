"""Where the person's own files live, outside every vault. Standard library and platformdirs."""

from __future__ import annotations

import errno
import os
import stat
from contextlib import suppress
from pathlib import Path
from sys import platform as _platform
from typing import Final, Literal

_PLATFORM: Final[str] = _platform  # a plain text to the type checker, which else narrows it
PROJECT_FOLDER: Final = ".mvault"
"""Folder of a code repository that holds its project vault."""

USAGE_FOLDER: Final = "usage"
"""Folder of a vault that holds its observations."""

STATE_VARIABLE: Final = "MVAULT_STATE_DIR"
OPENED: Final[set[str]] = set()
"""Real paths of the vaults that this process looked into: no program is started from one."""

Place = Literal["config", "data", "state"]
_XDG: Final[dict[Place, tuple[str, str]]] = {
    "config": ("XDG_CONFIG_HOME", ".config"),
    "data": ("XDG_DATA_HOME", ".local/share"),
    "state": ("XDG_STATE_HOME", ".local/state"),
}


def user_folder(place: Place) -> Path:
    """Return the person's folder of mvault for configuration, data (the user vault) or state.

    The same as platformdirs gives; on Linux without its import, which every command would pay.
    """
    if _PLATFORM.startswith("linux"):
        variable, below = _XDG[place]
        given = os.environ.get(variable, "").strip()
        base = Path(given) if given else Path.home() / below
        return base / "mvault"
    import platformdirs

    functions = {
        "config": platformdirs.user_config_dir,
        "data": platformdirs.user_data_dir,
        "state": platformdirs.user_state_dir,
    }
    return Path(functions[place]("mvault", appauthor=False))


def expand_home(text: str) -> Path:
    """Return a path with a leading `~` expanded; a `~name` that nobody has stays as it is."""
    return Path(os.path.expanduser(text))  # noqa: PTH111 - Path.expanduser raises RuntimeError


def real_path(path: Path) -> Path:
    """Return where a path really leads; what links cannot be followed of stays as it is.

    `Path.resolve` raises RuntimeError for links in a circle on some versions of Python.
    """
    return Path(os.path.realpath(path))


def state_folder() -> Path:
    """Return the machine-local state folder: `$MVAULT_STATE_DIR`, else the platform's place."""
    given = os.environ.get(STATE_VARIABLE, "")
    return expand_home(given).absolute() if given else user_folder("state")


def read_plain(path: Path) -> bytes:
    """Return the bytes of a person's own file; nobody is waited for at a pipe in its place.

    Raises:
        OSError: it cannot be read, or is no plain file.
    """
    flags = getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0)
    with open(path, "rb", opener=lambda name, mode: os.open(name, mode | flags)) as stream:
        if not stat.S_ISREG(os.fstat(stream.fileno()).st_mode):
            raise PermissionError(errno.EPERM, "not a plain file", str(path))
        return stream.read()


def machine_token() -> bytes | None:
    """Return this machine's random secret, made on first use; None when nothing can hold it.

    It seals what lies in a vault's `.state/`, so that a `.state/` which came with a folder from
    elsewhere is not believed.
    """
    place = state_folder() / "cache-token"
    with suppress(OSError):
        token = read_plain(place)
        if len(token) == 32:  # noqa: PLR2004 - the length we write
            return token
        place.unlink()
    try:
        place.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        temporary = place.with_name(f".cache-token.{os.getpid()}-{os.urandom(4).hex()}")
        file = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        try:
            os.write(file, os.urandom(32))
        finally:
            os.close(file)
        try:
            with suppress(FileExistsError):  # another run was first: its token counts
                os.link(temporary, place)
        finally:
            temporary.unlink()
        token = read_plain(place)
    except OSError:
        return None
    return token if len(token) == 32 else None  # noqa: PLR2004 - as above
