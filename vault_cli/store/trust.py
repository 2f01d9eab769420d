"""Trust on first use of what a repository would make git execute. May import `errors`.

`.git/config` and `.git/hooks` never come with a clone, but they come with a folder, an archive or
a shared disk. What needs trust is hashed; the hash a person agreed to lies in the person's own
state folder, by the repository's real path and the mark of the clone. Any change of those lines or
hooks makes it untrusted again; harmless lines (a new branch, a remote) do not.
"""

from __future__ import annotations

import hashlib
import json
import os
import stat
from pathlib import Path
from typing import NamedTuple

from vault_cli.errors import StoreError
from vault_cli.store.clone import make_mark, read_mark
from vault_cli.store.git_place import Place
from vault_cli.store.git_settings import Settings, hooks_folder
from vault_cli.store.own_state import path_key, read_state, write_state

_GROUP = "trust"
_CHUNK = 1 << 16
_EXECUTABLE = stat.S_IXUSR | stat.S_IXGRP | stat.S_IXOTH


class Exposure(NamedTuple):
    """What a repository brings along that would run or redirect something.

    Args:
        names: configuration keys outside the allow-list and `hook <name>`, sorted, no repeats.
        fingerprint: SHA-256 of exactly those lines and of the contents of the hooks folder.
        hooks: hook name to file, for the hooks git would run.
    """

    names: tuple[str, ...]
    fingerprint: str
    hooks: dict[str, Path]


def inspect_place(place: Place, settings: Settings) -> Exposure:
    """Collect what needs trust; nothing is executed.

    Raises:
        StoreError: a hook cannot be read.
    """
    lines = settings.unlisted(place)
    folder = hooks_folder(settings, place)
    hooks = _hooks_in(folder)
    # hooks in the person's own folder (an absolute global core.hooksPath) are the person's
    foreign = _is_within(folder, place) or any(e.key == "core.hookspath" for e in lines)
    names = {line.key for line in lines}
    parts = [[line.key, line.value] for line in lines]
    if foreign and hooks:
        names |= {f"hook {name}" for name in hooks}
        parts += _digests(folder)
    text = json.dumps(parts, ensure_ascii=True)
    digest = hashlib.sha256(text.encode()).hexdigest()
    return Exposure(tuple(sorted(names)), digest, hooks)


def _is_within(folder: Path, place: Place) -> bool:
    real = Path(os.path.realpath(folder))
    return any(real.is_relative_to(p) for p in (place.work_tree, place.git_dir, place.common_dir))


def _regular_files(folder: Path) -> list[Path]:
    try:
        names = sorted(os.listdir(folder))  # noqa: PTH208 - sorted by the name alone
    except (FileNotFoundError, NotADirectoryError):
        return []
    except OSError as error:
        raise StoreError(f"cannot list the hooks in {folder}: {error.strerror}") from error
    paths = (folder / name for name in names if not name.endswith(".sample"))
    try:
        return [path for path in paths if path.is_file()]
    except OSError as error:
        raise StoreError(f"cannot look into {folder}: {error.strerror}") from error


def _hooks_in(folder: Path) -> dict[str, Path]:
    return {path.name: path for path in _regular_files(folder) if _is_executable(path)}


def _is_executable(path: Path) -> bool:
    return os.name == "nt" or bool(path.stat().st_mode & _EXECUTABLE)


def _digests(folder: Path) -> list[list[str]]:
    """Hash every file of the folder: hooks load each other."""
    return [[path.name, _digest(path)] for path in _regular_files(folder)]


def _digest(path: Path) -> str:
    digest = hashlib.sha256()
    try:
        with path.open("rb") as handle:
            while chunk := handle.read(_CHUNK):
                digest.update(chunk)
    except OSError as error:
        raise StoreError(f"cannot read the hook {path}: {error.strerror}") from error
    return digest.hexdigest()


def record_trust(place: Place, fingerprint: str) -> None:
    """Remember that the person agreed to exactly this configuration and these hooks.

    Raises:
        StoreError: the state folder or the git folder cannot be written.
    """
    mark = make_mark(place)
    data = {"repository": str(place.common_dir), "fingerprint": fingerprint, "mark": mark}
    write_state(_GROUP, path_key(place.common_dir), data)


def trusted_fingerprint(place: Place) -> str:
    """Return the fingerprint recorded for this repository, "" when there is none."""
    data = read_state(_GROUP, path_key(place.common_dir))
    mark = read_mark(place)
    same = data.get("repository") == str(place.common_dir) and data.get("mark") == mark != ""
    return str(data.get("fingerprint", "")) if same else ""


def is_trusted(place: Place, fingerprint: str) -> bool:
    """Whether the person agreed to exactly this fingerprint for this repository."""
    return trusted_fingerprint(place) == fingerprint
