"""Where the person's own files live, outside every vault. Standard library and platformdirs."""

from __future__ import annotations

import os
from pathlib import Path
from sys import platform as _platform
from typing import Final, Literal

_PLATFORM: Final[str] = _platform  # a plain text to the type checker, which else narrows it
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


def state_folder() -> Path:
    """Return the machine-local state folder: `$MVAULT_STATE_DIR`, else the platform's place."""
    given = os.environ.get("MVAULT_STATE_DIR", "")
    return Path(given).expanduser() if given else user_folder("state")
