"""The files that anchors speak about: what git would call their present content.

May import `model`, `errors`. Nothing of a file is kept or shown, no path leads out of the project,
no link is followed, and no filter of the project's git runs. To compare, git is not started.

A content counts as the anchored one when its id fits as it lies there, with LF ends (a checkout of
`core.autocrlf`), or as a pointer of Git LFS. What else git rewrites cannot be told.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterable, Sequence
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple
from unicodedata import normalize

from vault_cli.errors import StoreError
from vault_cli.model.anchors import FRESH, STALE, UNVERIFIABLE, Anchor, Verdict, path_problem
from vault_cli.store.entry import blob_id
from vault_cli.store.git_place import Place, find_place, has_sparse_rules, read_head
from vault_cli.store.opening import Folders, read_at
from vault_cli.store.rewriting import LFS, Attributes, read_start
from vault_cli.text.late import late

if TYPE_CHECKING:
    from vault_cli.store.anchor_cache import AnchorCache

MOST_BYTES: Final = 8 * 1024 * 1024
"""A larger file is no code that a memory speaks about."""

MOST_READ: Final = 256 * 1024 * 1024
MOST_FILES: Final = 20_000
"""Together, of one run: what is beyond is unverifiable, never a reason to hang."""

_DEEPEST: Final = 1000
_BINARY_LOOK: Final = 8000
_SHA1_DIGITS: Final = 40
_SHA256_DIGITS: Final = 64
_SHA256_SETTING: Final = late(r"(?im)^[ \t]*objectformat[ \t]*=[ \t]*\"?sha256")
_SPARSE_SETTING: Final = late(r"(?im)^[ \t]*sparsecheckout[ \t]*(=[ \t]*(true|yes|on|1)|$)")
_NOT_THERE: Final = frozenset({errno.ENOENT, errno.ENOTDIR})


class Seen(NamedTuple):
    """A file as it lies there.

    Args:
        ids: the ids its content may have in git, the likeliest first; empty when it has none.
        gone: there is no such file.
        why: why it could not be read, "" when it could.
    """

    ids: tuple[str, ...] = ()
    gone: bool = False
    why: str = ""


GONE: Final = Seen(gone=True)


class ProjectTree:
    """The checked-out files of one project. All paths are POSIX and start at its root.

    Args:
        top: the project's root; it may be a folder of a bigger repository.
        cache: ids that were worked out before, if there is a place to keep them.
    """

    def __init__(self, top: Path, cache: AnchorCache | None = None) -> None:
        self.top = Path(os.path.realpath(top))
        self._cache = cache
        self._seen: dict[str, Seen] = {}
        self._read = 0

    # Where it is

    @cached_property
    def place(self) -> Place | None:
        """The repository that holds the project, None when there is none to be read."""
        try:
            return find_place(self.top)
        except StoreError:
            return None

    @cached_property
    def head(self) -> str:
        """The commit that is checked out, "" when only git could tell."""
        return (read_head(self.place) or "") if self.place else ""

    @cached_property
    def algorithm(self) -> str:
        """The hash that names objects in this repository."""
        if self.place is None:
            return "sha1"
        if self.head:
            return "sha256" if len(self.head) == _SHA256_DIGITS else "sha1"
        config = read_start(self.place.common_dir / "config")
        return "sha256" if _SHA256_SETTING.search(config) else "sha1"

    @cached_property
    def _attributes(self) -> Attributes | None:
        return Attributes(self.place) if self.place is not None else None

    # What became of a file

    def compare(self, anchors: Sequence[Anchor]) -> list[Verdict]:
        """Return what became of the files that anchors name."""
        if self.place is None:
            return [Verdict(UNVERIFIABLE, "the project is in no git repository") for _ in anchors]
        return [self._compare(anchor) for anchor in anchors]

    def _compare(self, anchor: Anchor) -> Verdict:
        if anchor.problem:
            return Verdict(UNVERIFIABLE, anchor.problem)
        seen = self.look(anchor.path)
        if any(known.startswith(anchor.blob) for known in seen.ids):
            return Verdict(FRESH, "", seen.ids[0])
        if seen.gone:
            absent = self._absence(anchor.path)
            return Verdict(UNVERIFIABLE, absent) if absent else Verdict(STALE, "it is gone")
        if seen.why:
            return Verdict(UNVERIFIABLE, seen.why)
        return self._look_closer(anchor, seen)

    def _look_closer(self, anchor: Anchor, seen: Seen) -> Verdict:
        """Judge a content whose usual ids differ: another hash, or git stores it otherwise."""
        algorithm = _algorithm_for(anchor.blob, self.algorithm)
        rules = self._attributes
        driver = rules.rule_for(self.in_repository(anchor.path)) if rules is not None else ""
        if algorithm != self.algorithm or driver:
            data = self.read(anchor.path)
            ids = content_ids(data, algorithm) if data is not None else ()
            if driver == LFS and data is not None:
                ids = (*ids, blob_id(lfs_pointer(data), algorithm))
            if any(known.startswith(anchor.blob) for known in ids):
                return Verdict(FRESH, "", seen.ids[0])
        if driver and driver != LFS:
            return Verdict(UNVERIFIABLE, f"git stores it rewritten ({driver})", seen.ids[0])
        return Verdict(STALE, "it has changed", seen.ids[0])

    def look(self, path: str) -> Seen:
        """Return a file as it lies there; looked at once."""
        if path not in self._seen:
            self.look_all((path,))
        return self._seen[path]

    def look_all(self, paths: Iterable[str]) -> None:
        """Look at many files, folder by folder, for `look` and `compare`."""
        new = sorted(set(paths) - self._seen.keys())
        closed = "" if self.place is not None else "the project is in no git repository"
        for path in new:
            self._seen[path] = Seen(why=path_problem(path) or closed)
        new = [path for path in new if not self._seen[path].why]
        if not new:
            return
        try:
            with Folders(self.top, deepest=_DEEPEST) as folders:
                for path in new:
                    found = (self._look_at(folders, form) for form in spellings(path))
                    self._seen[path] = next((seen for seen in found if not seen.gone), GONE)
        except StoreError as error:
            self._seen.update(dict.fromkeys(new, Seen(why=error.message)))

    def read(self, path: str) -> bytes | None:
        """Return the bytes of a plain file, None when they cannot be had."""
        with suppress(OSError, StoreError), Folders(self.top, deepest=_DEEPEST) as folders:
            for form in spellings(path):
                data = self._bytes_of(folders, form)
                if data is not None:
                    return data
        return None

    def pointer_id(self, path: str) -> str:
        """Return the id under which git has a file of Git LFS, "" for any other."""
        rules = self._attributes
        if rules is None or rules.rule_for(self.in_repository(path)) != LFS:
            return ""
        data = self.read(path)
        return blob_id(lfs_pointer(data), self.algorithm) if data is not None else ""

    def _look_at(self, folders: Folders, path: str) -> Seen:
        try:
            return self._inspect(path, *folders.locate(path))
        except OSError as error:
            if error.errno in _NOT_THERE and not self._has_link(path):
                return GONE
            linked = error.errno in {errno.ELOOP, errno.ENOTDIR}
            return Seen(why="a link is on the way" if linked else "it cannot be read")
        except (StoreError, ValueError):
            return Seen(why="it cannot be read")

    def _inspect(self, path: str, name: str, handle: int | None) -> Seen:
        facts = os.stat(name, dir_fd=handle, follow_symlinks=False)
        if stat.S_ISLNK(facts.st_mode):  # git stores the text of the link: nothing is followed
            target = os.fsencode(os.readlink(name, dir_fd=handle))
            return Seen((blob_id(target, self.algorithm),))
        if not stat.S_ISREG(facts.st_mode):
            return Seen(why="it is no plain file")
        if facts.st_size > MOST_BYTES:
            return Seen(why=f"it has over {MOST_BYTES >> 20} MiB")
        return self._hash(path, name, handle, facts)

    def _has_link(self, path: str) -> bool:
        """Tell whether a folder on the way is a link, which is why nothing was found."""
        place = self.top
        for name in path.split("/")[:-1]:
            place /= name
            if place.is_symlink():
                return True
        return False

    def _hash(self, path: str, name: str, handle: int | None, facts: os.stat_result) -> Seen:
        key = f"{self.algorithm} {os.path.join(self.top, path)}"  # noqa: PTH118 - text only
        stamp = (facts.st_size, facts.st_mtime_ns, facts.st_ctime_ns, facts.st_ino)
        known = self._cache.find(key, stamp) if self._cache is not None else None
        if known is not None:
            return Seen(known)
        self._read += facts.st_size
        if self._read > MOST_READ or len(self._seen) >= MOST_FILES:
            return Seen(why="too many files are named to look at all of them")
        data, facts = read_at(name, handle, MOST_BYTES)
        ids = content_ids(data, self.algorithm)
        after = (facts.st_size, facts.st_mtime_ns, facts.st_ctime_ns, facts.st_ino)
        if self._cache is not None and after == stamp:
            self._cache.keep(key, stamp, ids)
        return Seen(ids)

    def _bytes_of(self, folders: Folders, path: str) -> bytes | None:
        with suppress(OSError, StoreError):
            return read_at(*folders.locate(path), MOST_BYTES)[0]
        return None

    def _absence(self, path: str) -> str:
        """Return why a file may be absent although nobody deleted it, "" when nothing says so."""
        if self.place is None:
            return "the project is in no git repository"
        if has_sparse_rules(self.place) and self._is_sparse(self.place):
            return "it is not there, and a sparse checkout leaves files out"
        for module in _submodules(self.place.work_tree):
            inside = f"{self.in_repository(path)}/".startswith(f"{module}/")
            if inside and not os.path.lexists(self.place.work_tree / module / ".git"):
                return "it is in a submodule that is not checked out"
        return ""

    @staticmethod
    def _is_sparse(place: Place) -> bool:
        files = (place.common_dir / "config", place.git_dir / "config.worktree")
        return any(_SPARSE_SETTING.search(read_start(file)) for file in files)

    def in_repository(self, path: str) -> str:
        """Return a path as git names it, from the top of the repository."""
        assert self.place is not None  # noqa: S101 - callers asked
        inner = self.top.relative_to(self.place.work_tree).as_posix()
        return path if inner == "." else f"{inner}/{path}"


def _algorithm_for(blob: str, own: str) -> str:
    """Return the hash that a full blob id was made with; a short one is of the repository's own."""
    if len(blob) == _SHA1_DIGITS:
        return "sha1"
    return "sha256" if len(blob) > _SHA1_DIGITS else own


def spellings(path: str) -> tuple[str, ...]:
    """Return a path as it is and in the forms in which a file system may spell it."""
    if path.isascii():
        return (path,)
    return tuple(dict.fromkeys((path, normalize("NFC", path), normalize("NFD", path))))


def content_ids(data: bytes, algorithm: str) -> tuple[str, ...]:
    """Return the ids of a content: with LF ends first, as git usually stores it, then as it is."""
    raw = blob_id(data, algorithm)
    if b"\r\n" not in data or b"\0" in data[:_BINARY_LOOK]:
        return (raw,)
    return blob_id(data.replace(b"\r\n", b"\n"), algorithm), raw


def lfs_pointer(data: bytes) -> bytes:
    """Return what Git LFS stores in place of a content (specification version 1)."""
    import hashlib

    digest = hashlib.sha256(data).hexdigest()
    head = "version https://git-lfs.github.com/spec/v1"
    return f"{head}\noid sha256:{digest}\nsize {len(data)}\n".encode()


def _submodules(work_tree: Path) -> list[str]:
    """Return the paths that `.gitmodules` names."""
    lines = (line.strip() for line in read_start(work_tree / ".gitmodules").splitlines())
    pairs = (line.partition("=") for line in lines if line.startswith("path"))
    return [value.strip().strip('"') for key, _, value in pairs if key.strip() == "path"]
