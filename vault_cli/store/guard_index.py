"""The compiled guards of this machine: one sealed file, a section for each place. + `hook.guard`.

`STATE/hook/guards.bin` is what a hook looks a tool call up in. A section holds the rules for a
folder and all below it, and the stamps of what they were made from; it is thrown away and made anew
at will. What a person switched off for a while stands in the same file.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Final, NamedTuple

from vault_cli.errors import StoreError
from vault_cli.hook import cooldown, guard_look
from vault_cli.hook import guard as fast
from vault_cli.store.places import STATE_VARIABLE, machine_token, state_folder

ELSEWHERE: Final = ""
"""Section for folders that no other one holds."""

MOST_FOLDERS: Final = 600
MOST_FILES: Final = 64
"""Files with a guard that a hook looks at before every call; of more only those it hits."""

_LEFT_OUT: Final = frozenset({"drafts", "quarantine", "tombstones", "usage", "node_modules"})
_KEPT_COOLDOWNS: Final = 500


class Section(NamedTuple):
    """What was compiled for a folder.

    Args:
        stamps: (path, time of change, size) of what the rules were made from.
        until: Unix time at which the rules may change by the clock, 0 for never.
        rules: places as in `hook.guard`.
    """

    stamps: tuple[tuple[str, int, int], ...]
    until: float
    rules: tuple[tuple[Any, ...], ...]


def index_path() -> Path:
    """Return where the compiled guards are."""
    return state_folder() / "hook" / fast.NAME


def named_section(root: str | Path) -> str:
    """Return the key of the section for a vault that is named (`--vault`, `$MVAULT`)."""
    return fast.named_section(os.path.realpath(root))


def load_index() -> fast.Index:
    """Return what is compiled; empty when there is nothing that can be believed."""
    return fast.load(str(index_path()), str(state_folder() / fast.TOKEN_FILE))


def is_fresh(folder: str, now: float) -> bool:
    """Tell whether the guards for a folder are compiled, from what is there now."""
    look = guard_look.load(str(index_path()))
    if look is None or guard_look.find_section(look.sections, folder) is None:
        return False
    return not look.is_stale(folder, now)


def has_rules() -> bool:
    """Tell whether anything is compiled on this machine, without reading it."""
    try:
        return index_path().stat().st_size > 0
    except OSError:
        return False


def put_sections(sections: Mapping[str, Section], *, drop: Iterable[str] = ()) -> None:
    """Put sections into the index; those of folders that are gone go.

    Raises:
        StoreError: the state folder cannot be written.
    """
    with _locked():
        index = load_index()
        kept = {key: value for key, value in index.sections.items() if _is_there(key)}
        for key in drop:
            kept.pop(key, None)
        _save(fast.Index({**kept, **{k: tuple(v) for k, v in sections.items()}}, index.off))


def empty_section(folder: str, until: float) -> None:
    """Let no rule count for a folder whose vault cannot be read, until something of it changes.

    Args:
        folder: as `hook.guard.Index.section` takes it.
        until: Unix time at which it is tried again in any case.

    Raises:
        StoreError: the state folder cannot be written.
    """
    with _locked():
        index = load_index()
        key = index.section(folder)
        if key is not None:
            stamps = tuple(fast.stamp(row[0]) for row in index.sections[key][0])
            index.sections[key] = (stamps, until, ())
            _save(fast.Index(index.sections, index.off))


def _is_there(key: str) -> bool:
    place = key.rpartition("\0")[2]
    return not place or os.path.isdir(place)  # noqa: PTH112 - no object for each


def restamp(root: Path, paths: Iterable[str]) -> None:
    """Take in that files and folders of a vault changed without a word on guards.

    Only where everything else is as it was: what was stale stays stale.

    Args:
        root: the vault.
        paths: vault-relative paths that were written.
    """
    if not has_rules():
        return
    folders = _folders_of(root, paths)
    names = {*(str(root / path) for path in paths), *folders}
    with suppress(StoreError), _locked():
        index = load_index()
        changed = False
        for key, (stamps, until, rules) in index.sections.items():
            known = {row[0] for row in stamps}
            others = (row for row in stamps if row[0] not in names)
            if str(root) not in known or any(fast.stamp(row[0]) != row for row in others):
                continue
            fresh = tuple(fast.stamp(row[0]) if row[0] in names else row for row in stamps)
            fresh += tuple(fast.stamp(name) for name in folders if name not in known)
            changed = changed or fresh != stamps
            index.sections[key] = (fresh, until, rules)
        if changed:
            _save(index)


def _folders_of(root: Path, paths: Iterable[str]) -> list[str]:
    """Return the folders that a change of some files changes: all above them, to the vault's."""
    found = {str(root): None}
    for path in paths:
        parts = path.split("/")[:-1]
        if parts and parts[0] not in _LEFT_OUT:
            found.update(
                (str(root.joinpath(*parts[: number + 1])), None) for number in range(len(parts))
            )
    return list(found)


def switch_off(vault: str, record_id: str, until: float, now: float) -> None:
    """Let a guard stop nothing until then; 0 switches it on again.

    Raises:
        StoreError: the state folder cannot be written.
    """
    with _locked():
        index = load_index()
        off = {key: end for key, end in index.off.items() if end > now}
        off.pop(fast.off_key(vault, record_id), None)
        if until:
            off[fast.off_key(vault, record_id)] = until
        _save(fast.Index(index.sections, off))


def off_until(index: fast.Index, vault: str, record_id: str, now: float) -> float:
    """Return until when a guard is switched off, 0 when it is not."""
    end = index.off.get(fast.off_key(vault, record_id), 0)
    return end if end > now else 0


def _save(index: fast.Index) -> None:
    """Write the index; without rules the file is empty, and hooks need not start Python for it.

    Where rules may come by the clock it is not, or nobody would look.
    """
    matters = any(section[1] or section[2] for section in index.sections.values())
    token = machine_token()
    if token is None:
        raise _unwritable(index_path(), "this machine has no secret to seal it with")
    data = fast.dump(index, token) if matters or index.off else b""
    target = index_path()
    temporary = target.with_name(f".{fast.NAME}.{os.getpid()}-{os.urandom(4).hex()}")
    try:
        file = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(file, "wb") as stream:
            stream.write(data)
        temporary.replace(target)
    except OSError as error:
        with suppress(OSError):
            temporary.unlink()
        raise _unwritable(target, str(error.strerror)) from error


def _unwritable(target: Path, why: str) -> StoreError:
    return StoreError(
        f"cannot write {target}: {why}",
        hint=f"Make the folder writable, or name another one in {STATE_VARIABLE}.",
    )


@contextmanager
def _locked() -> Iterator[None]:
    """Let one process write at a time; where there are no locks, the last one wins."""
    folder = index_path().parent
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        file = os.open(folder / "guards.lock", os.O_RDWR | os.O_CREAT, 0o600)
    except OSError as error:
        raise _unwritable(folder, str(error.strerror)) from error
    try:
        with suppress(ImportError, OSError):
            from fcntl import LOCK_EX, flock

            flock(file, LOCK_EX)
        yield
    finally:
        os.close(file)


def stamps_of(root: Path, sources: Iterable[str]) -> tuple[tuple[str, int, int], ...]:
    """Return the stamps of a vault: its settings, its folders, the files that have a guard.

    A file that is added, taken away or written anew under its name changes the stamp of its folder.
    A guard that is written by hand into a file which had none is seen by the next run of the
    program, not by a hook; so is a change in place of one among many.

    Args:
        root: the vault.
        sources: vault-relative paths of records with a guard, in force or not.
    """
    files = [root / source for source in sources]
    paths = [root / "vault.toml", *_folders(root), *(files if len(files) <= MOST_FILES else ())]
    return tuple(fast.stamp(path) for path in dict.fromkeys(map(str, paths)))


def _folders(root: Path) -> list[Path]:
    found: list[Path] = []
    waiting = [root]
    while waiting and len(found) < MOST_FOLDERS:
        folder = waiting.pop()
        found.append(folder)
        with suppress(OSError), os.scandir(folder) as listing:
            waiting += [
                Path(entry.path)
                for entry in listing
                if entry.name[0] != "."
                and entry.name not in _LEFT_OUT
                and entry.is_dir(follow_symlinks=False)
            ]
    return found


def forget_cooldowns() -> None:
    """Remove the oldest memories of warnings when there are many."""
    folder = index_path().parent / cooldown.NAME
    with suppress(OSError):
        files = sorted(folder.iterdir(), key=lambda file: file.lstat().st_mtime)
        for file in files[: max(0, len(files) - _KEPT_COOLDOWNS)]:
            file.unlink(missing_ok=True)
