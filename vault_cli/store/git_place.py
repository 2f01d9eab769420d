"""Where the git repository of a vault is, found without starting git. May import `errors`.

Only `.git` folders and files above the vault count. A bare repository that lies somewhere in the
tree is never picked up, and no configuration is read here.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import NamedTuple

from vault_cli.errors import StoreError
from vault_cli.store.own_state import standing_place

_PER_WORKTREE = ("refs/bisect/", "refs/worktree/", "refs/rewritten/")
_HEX = frozenset("0123456789abcdef")
_LINK_LIMIT = 4096
_PLAIN_INDEX = 2


class Place(NamedTuple):
    """The folders of one repository, all absolute and without links.

    Args:
        git_dir: what `--git-dir` gets: holds HEAD and the index of this work tree.
        common_dir: holds objects, refs, config and hooks; differs in linked work trees only.
        work_tree: top folder of the checked-out files.
    """

    git_dir: Path
    common_dir: Path
    work_tree: Path

    @property
    def index_path(self) -> Path:
        """The person's own index file."""
        return self.git_dir / "index"


def find_place(start: Path) -> Place | None:
    """Return the repository whose work tree holds `start`, or None.

    Raises:
        StoreError: a `.git` on the way up points nowhere, or may not be looked into.
    """
    top = Path(standing_place(start))
    for folder in (top, *top.parents):
        git_dir = _git_dir_of(folder)
        if git_dir is not None:
            return Place(git_dir, _common_dir_of(git_dir), folder)
    return None


def main_twin(real: str, place: Place | None) -> str:
    """Return where a folder of a linked work tree lies in the main one, "" when it is no such.

    Args:
        real: the folder, without links.
        place: the repository that holds it.
    """
    if place is None or place.git_dir == place.common_dir or place.common_dir.name != ".git":
        return ""
    inner = os.path.relpath(real, place.work_tree)
    return os.path.normpath(place.common_dir.parent / inner)


def _git_dir_of(folder: Path) -> Path | None:
    candidate = folder / ".git"
    if os.path.isdir(candidate):  # noqa: PTH112 - a folder above that we may not enter has none
        # git, too, walks past a folder called .git that is not a repository
        return Path(os.path.realpath(candidate)) if _has_head(candidate) else None
    if not os.path.isfile(candidate):  # noqa: PTH113
        return None
    text = _read_line(candidate)
    target = Path(os.path.realpath(folder / text.removeprefix("gitdir:").strip()))
    if not text.startswith("gitdir:") or not _has_head(target):
        raise StoreError(
            f"{candidate} does not point to a git repository",
            hint="Restore the repository it names, or repair it with `git worktree repair`.",
        )
    return target


def _has_head(git_dir: Path) -> bool:
    try:
        return (git_dir / "HEAD").exists()
    except OSError as error:
        raise StoreError(
            f"cannot look into {git_dir}: {error.strerror}",
            hint="Check who owns the folder and its permissions.",
        ) from error


def _common_dir_of(git_dir: Path) -> Path:
    pointer = git_dir / "commondir"
    return Path(os.path.realpath(git_dir / _read_line(pointer))) if pointer.is_file() else git_dir


def _read_line(path: Path) -> str:
    try:
        with path.open("rb") as handle:
            return os.fsdecode(handle.read(_LINK_LIMIT)).strip("\r\n")
    except OSError as error:
        raise StoreError(f"cannot read {path}: {error.strerror}") from error


def foreign_owner(place: Place) -> bool:
    """Whether another user owns the repository, so that git must be asked if it is safe."""
    if os.name == "nt":
        return False
    user = os.geteuid()
    return any(
        path.exists() and path.lstat().st_uid != user
        for path in (place.work_tree, place.work_tree / ".git", place.git_dir)
    )


def read_head(place: Place) -> str | None:
    """Return the full id of HEAD from its file, None when only git itself can tell.

    None also stands for an unborn branch and for reference storage other than plain files.
    """
    text = _read_small(place.git_dir / "HEAD")
    if not text.startswith("ref: "):
        return text if _is_id(text) else None
    branch = _branch_file(place, text)
    if branch is None:
        return None
    name = text.removeprefix("ref: ").strip()
    # a packed id is older than any file of the branch, also than a damaged one
    value = _read_small(branch) if os.path.lexists(branch) else _packed(place.common_dir, name)
    return value if _is_id(value) else None


def explain_broken_head(place: Place) -> str:
    """Say why HEAD names no commit though it should; "" for a branch before its first one."""
    head = place.git_dir / "HEAD"
    text = _read_small(head)
    if _is_id(text):
        return ""
    branch = _branch_file(place, text) if text.startswith("ref: ") else None
    if branch is None:
        return f"{head} names no branch"
    if not os.path.lexists(branch) or os.path.isdir(branch):  # noqa: PTH112
        return ""
    value = _read_small(branch)
    if value.startswith("ref: ") or _is_id(value):
        return ""
    return f"{branch} {'holds no commit id' if value else 'is empty or cannot be read'}"


def is_shallow(place: Place) -> bool:
    """Whether the history was cut off when the repository was cloned."""
    return os.path.exists(place.common_dir / "shallow")  # noqa: PTH110


def is_partial(place: Place) -> bool:
    """Whether the repository was cloned without some of the objects (`--filter`)."""
    try:
        names = os.listdir(place.common_dir / "objects" / "pack")  # noqa: PTH208
    except OSError:
        return False
    return any(name.endswith(".promisor") for name in names)


def has_sparse_rules(place: Place) -> bool:
    """Whether git may have been told to leave files out of the work tree.

    That is by rules, or by `update-index --skip-worktree`, which an index of version 2 cannot hold.
    """
    if os.path.exists(place.git_dir / "info" / "sparse-checkout"):  # noqa: PTH110
        return True
    try:
        with open(place.index_path, "rb") as file:  # noqa: PTH123 - asked by every command
            head = file.read(8)
    except OSError:
        return False
    return head[:4] == b"DIRC" and int.from_bytes(head[4:], "big") > _PLAIN_INDEX


def branch_folders(place: Place) -> set[Path]:
    """Return the folders in which names change when HEAD moves: those of index and branch."""
    branch = branch_file(place)
    return {place.git_dir, *((branch.parent,) if branch else ())}


def branch_file(place: Place) -> Path | None:
    """Return the file of the branch HEAD is on, which need not exist; None when it is on none."""
    text = _read_small(place.git_dir / "HEAD")
    return _branch_file(place, text) if text.startswith("ref: ") else None


def _branch_file(place: Place, head: str) -> Path | None:
    name = head.removeprefix("ref: ").strip()
    if not name.startswith("refs/") or ".." in name:
        return None
    base = place.git_dir if name.startswith(_PER_WORKTREE) else place.common_dir
    return base / name


def _read_small(path: Path) -> str:
    try:
        if not path.is_file():
            return ""
        with path.open("rb") as handle:
            return handle.read(_LINK_LIMIT).decode("utf-8", "replace").strip()
    except OSError:
        return ""


def _packed(common_dir: Path, name: str) -> str:
    try:
        lines = (common_dir / "packed-refs").read_bytes().split(b"\n")
    except OSError:
        return ""
    suffix = b" " + os.fsencode(name)
    return next((line.split(b" ")[0].decode() for line in lines if line.endswith(suffix)), "")


def _is_id(text: str) -> bool:
    return len(text) in {40, 64} and _HEX.issuperset(text)
