"""Small JSON files in the person's state folder, outside of every vault. May import `errors`."""

from __future__ import annotations

import json
import os
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import Any, Final

from vault_cli.errors import StoreError
from vault_cli.store.places import STATE_VARIABLE, read_plain, state_folder

_SCHEMA: Final = 1
INCOMING: Final = "incoming"
"""Group of what was admitted in each vault (`store.incoming`)."""


def state_file(group: str, name: str) -> Path:
    """Return where one of these files is."""
    return state_folder() / group / f"{name}.json"


def path_key(path: str | Path) -> str:
    """Return the name under which what is kept about a folder stands: its SHA-256 in hex.

    Args:
        path: the real path of the folder.
    """
    return str(_sha256_class()(os.fsencode(path)).hexdigest())


def _sha256_class() -> Any:
    """Return SHA-256 without OpenSSL, which takes 3 ms to load, where Python has its own."""
    for module in ("_sha2", "_sha256"):  # of Python 3.12, of 3.11
        with suppress(ImportError):
            return import_module(module).sha256
    from hashlib import sha256

    return sha256


def has_group(group: str) -> bool:
    """Whether anything was ever kept in this group, as far as one may look."""
    return _is_there(state_folder() / group)


def has_state(group: str, name: str) -> bool:
    """Whether something stands under this name, whether it can be read or not."""
    return _is_there(state_file(group, name))


def standing_place(root: str | Path) -> str:
    """Return the real path of a folder; of a vault behind a new link, the place where it stood.

    A push can put a link in the place of a vault of which something was admitted, or of a folder
    above it. What is kept about it, and what git has of it, is about that place, not about where
    the link leads.
    """
    real = os.path.realpath(root)
    head, tail = os.path.abspath(root), ""  # noqa: PTH100 - asked by every command, as below
    while real != head and head != os.path.dirname(head):  # noqa: PTH120
        if os.path.islink(head):  # noqa: PTH114
            parent, name = os.path.split(head)
            place = os.path.join(os.path.realpath(parent), name) + tail  # noqa: PTH118
            if has_state(INCOMING, path_key(place)):
                return place
        head, name = os.path.split(head)
        tail = f"{os.sep}{name}{tail}"
    return real


def is_displaced(root: Path) -> bool:
    """Whether something was admitted of a vault, and its folder is gone or something else now."""
    real, place = os.path.realpath(root), standing_place(root)
    if place == real and os.path.lexists(root) and not _is_odd(root):
        return False
    return has_group(INCOMING) and has_state(INCOMING, path_key(place))


def _is_odd(root: Path) -> bool:
    """Whether something that is no folder stands in a place, and no link either."""
    return not os.path.isdir(root) and not os.path.islink(root)  # noqa: PTH112, PTH114


def _is_there(path: Path) -> bool:
    """Whether a path leads to anything; where one may not look, there is something."""
    try:
        os.lstat(path)
    except FileNotFoundError:
        return False
    except OSError:
        return True
    return True


def read_state(group: str, name: str) -> dict[str, Any]:
    """Return what was kept under this name, nothing when there is none or it is damaged."""
    try:
        data = json.loads(read_plain(state_file(group, name)))
    except (OSError, ValueError, RecursionError):
        return {}
    return data if isinstance(data, dict) and data.get("schema") == _SCHEMA else {}


def require_state(group: str, name: str) -> dict[str, Any] | None:
    """Return what was kept under this name, None when nothing ever was.

    Raises:
        StoreError: there is something, and it cannot be read as what we write.
    """
    if not has_state(group, name):
        return None
    path = state_file(group, name)
    try:
        data = json.loads(read_plain(path))
    except OSError as error:
        raise StoreError(f"{path} cannot be read: {error.strerror}") from error
    except (ValueError, RecursionError) as error:
        raise StoreError(f"{path} is damaged: it is no JSON") from error
    if not isinstance(data, dict):
        raise StoreError(f"{path} is damaged: it is no JSON object")
    if data.get("schema") != _SCHEMA:
        raise StoreError(f"{path} was written by another version of mvault")
    return data


def drop_state(group: str, name: str) -> None:
    """Forget what was kept under a name; StoreError when the state folder cannot be written."""
    path = state_file(group, name)
    try:
        path.unlink(missing_ok=True)
    except OSError as error:
        raise StoreError(f"cannot remove {path}: {error.strerror}") from error


def write_state(group: str, name: str, data: dict[str, Any]) -> None:
    """Keep data under a name; whoever reads meanwhile sees the old or the new, never a mix.

    Raises:
        StoreError: the state folder cannot be written.
    """
    target = state_file(group, name)
    temporary = target.with_name(f"{name}.{os.getpid()}-{os.urandom(4).hex()}")
    text = json.dumps({"schema": _SCHEMA, **data}, ensure_ascii=True)
    try:
        target.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        made = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(made, "w", encoding="utf-8") as file:
            file.write(text + "\n")
        temporary.replace(target)
    except OSError as error:
        raise StoreError(
            f"cannot write {target}: {error.strerror}",
            hint=f"Make the folder writable, or name another one in {STATE_VARIABLE}.",
        ) from error
