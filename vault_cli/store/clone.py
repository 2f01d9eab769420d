"""Which clone lies at a place: a random mark in its git folder. May import `errors`; light.

What a person says about a vault (that they made it, that they trust it, what of it they admitted)
is kept under its path. A path says nothing about what lies there: another repository may take its
place. So the first of these words writes a random mark into the git folder, where no clone, pull
or checkout brings a file, and counts only while that mark is there.
"""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from typing import Final

from vault_cli.errors import StoreError
from vault_cli.store.git_place import Place, find_place
from vault_cli.store.own_state import path_key, read_state, standing_place, write_state

_NAME: Final = "mvault-clone"
_LENGTH: Final = 32
_LIMIT: Final = 4096
_HEX: Final = frozenset("0123456789abcdef")
_GROUP: Final = "clones"
_FLAGS: Final = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)
_NO_WAIT: Final = getattr(os, "O_NONBLOCK", 0)


def read_mark(place: Place | None) -> str:
    """Return the mark of the clone at a place, "" when it has none (or there is no repository).

    Nor has a folder one that only points to the git folder of another (`is_at_home`).
    """
    if place is None:
        return ""
    mark, home = _read_lines(place)
    return mark if is_at_home(place, home) else ""


def is_at_home(place: Place, home: str | None = None) -> bool:
    """Whether a git folder and a work tree belong together, as the git folder says.

    A folder from elsewhere can hold a `.git` file, or a link, that names the git folder of a vault
    which the person trusts. Its files would pass for their edits.

    Args:
        place: the folders as they were found.
        home: work tree that the mark names; None reads it.
    """
    pointer = place.work_tree / ".git"
    if place.git_dir == pointer and not pointer.is_symlink():
        return True
    with suppress(OSError):  # a linked work tree: git notes in its git folder where it lies
        back = os.fsdecode((place.git_dir / "gitdir").read_bytes()[:_LIMIT]).strip("\r\n")
        if back and place.git_dir != place.common_dir:
            return os.path.realpath(place.git_dir / back) == os.path.realpath(pointer)
    named = _read_lines(place)[1] if home is None else home
    return bool(named) and named == str(place.work_tree)


def _read_lines(place: Place) -> tuple[str, str]:
    """Return the mark and the work tree it was made for, "" for what is not there."""
    try:
        file = os.open(place.common_dir / _NAME, os.O_RDONLY | _FLAGS | _NO_WAIT)
    except OSError:
        return "", ""
    try:
        text = os.fsdecode(os.read(file, _LIMIT))
    except OSError:
        return "", ""
    finally:
        os.close(file)
    mark, _, home = text.partition("\n")
    is_mark = len(mark) == _LENGTH and _HEX.issuperset(mark)
    return (mark, home.removesuffix("\n")) if is_mark else ("", "")


def make_mark(place: Place | None) -> str:
    """Return the mark of the clone at a place, written now if it has none; "" without git.

    Raises:
        StoreError: the git folder cannot be written, or belongs to another work tree.
    """
    found = read_mark(place)
    if place is None or found:
        return found
    path = place.common_dir / _NAME
    temporary = path.with_name(f"{_NAME}.{os.getpid()}-{os.urandom(4).hex()}")
    text = os.urandom(_LENGTH // 2).hex().encode() + b"\n" + os.fsencode(place.work_tree) + b"\n"
    try:
        file = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _FLAGS, 0o600)
        try:
            try:
                os.write(file, text)
                os.fsync(file)
            finally:
                os.close(file)
            _settle(temporary, path)
        finally:
            temporary.unlink(missing_ok=True)
    except OSError as error:
        raise StoreError(f"cannot write {path}: {error.strerror}") from error
    made = read_mark(place)
    if not made:
        raise StoreError(
            f"{path} is no mark of this clone, or of another work tree",
            hint=f"It tells {place.work_tree} from other clones; look at what lies there.",
        )
    with suppress(StoreError):  # it only helps to say what became of a folder that was moved
        write_state(_GROUP, made, {"repository": str(place.common_dir)})
    return made


def _settle(temporary: Path, path: Path) -> None:
    """Give a new mark its name; one that is there already, of a run that was faster, stays."""
    try:
        os.link(temporary, path)
    except FileExistsError:
        pass
    except OSError:  # a file system without hard links
        if os.path.lexists(path):
            raise
        temporary.rename(path)


def mark_of(root: Path) -> str:
    """Return the mark of the clone that holds a folder, "" for none."""
    try:
        return read_mark(find_place(root))
    except StoreError:  # said by what needs the repository
        return ""


def moved_from(place: Place | None) -> str:
    """Return where this clone lay when it got its mark; "" when here, or when nobody knows."""
    mark = read_mark(place)
    old = str(read_state(_GROUP, mark).get("repository", "")) if mark else ""
    return "" if place is None or old == str(place.common_dir) else old


def is_replaced(root: Path, place: Place | None) -> bool:
    """Whether the person made or trusted what lay at this place, and it was another clone.

    A folder that only points to the git folder of another never is what they trusted.
    """
    if place is not None and not is_at_home(place):
        return True
    mark = read_mark(place)
    real = standing_place(root)
    kept = [read_state("made", path_key(real))]
    if place is not None:
        kept.append(read_state("trust", path_key(place.common_dir)))
    marks = {str(item["mark"]) for item in kept if item.get("mark")}
    return bool(marks) and mark not in marks


def describe_clone(root: Path) -> str:
    """Say what is known about a clone that the person has not trusted yet, "" for nothing."""
    try:
        place = find_place(root)
    except StoreError:
        return ""
    if place is not None and not is_at_home(place):
        return f"this folder only points to the git folder {place.common_dir}"
    if is_replaced(root, place):
        return "this is not the clone that you made or trusted at this place"
    old = moved_from(place)
    return f"this vault was moved or copied here from {old}" if old else ""
