"""Where a merged record goes, and what holds of it. May import `text`, `model`."""

from __future__ import annotations

from collections.abc import Iterator

from vault_cli.features.matching import Version, digest_of, path_of, record_of
from vault_cli.features.records import present_keys
from vault_cli.model.paths import fold_path
from vault_cli.model.record import Record, Status, more_restrictive, restrict_status
from vault_cli.text.document import REMOVE, patch_document


def _folders(path: str) -> Iterator[str]:
    parts = path.split("/")[:-1]
    return ("/".join(parts[: count + 1]) for count in range(len(parts)))


def by_right(item: tuple[Version, str]) -> tuple[bool, str, str]:
    """Sort results by who has a right to its path: who was there, then by digest."""
    version, home = item
    return version.path != home, digest_of(version.data), version.path


class Names:
    """The names that files and folders have already, whatever their case."""

    def __init__(self) -> None:
        self._files: set[str] = set()
        self._folders: set[str] = set()

    def add(self, path: str) -> None:
        """Take a file in."""
        self._files.add(fold_path(path))
        self._folders.update(map(fold_path, _folders(path)))

    def _is_free(self, path: str) -> bool:
        name = fold_path(path)
        return (
            name not in self._files and name not in self._folders and not self._is_below_file(path)
        )

    def _is_below_file(self, path: str) -> bool:
        return any(fold_path(folder) in self._files for folder in _folders(path))

    def free(self, version: Version) -> str:
        """Return the path of a file, or one like it that no other file or folder has."""
        path, digest = version.path, digest_of(version.data)
        stem, dot, ending = path.rpartition(".") if "." in path else (path, "", "")
        if self._is_below_file(path):
            stem = stem.rpartition("/")[2]
        for length in range(7, len(digest)):
            if self._is_free(path):
                break
            path = f"{stem}-{digest[:length]}{dot}{ending}"
        return path


def moved_path(base: Version | None, one: Version, other: Version) -> str:
    """Return where a file goes that one side, or both, moved."""
    if base is not None and one.path == base.path:
        return other.path
    if other.path in {one.path, path_of(base)}:
        return one.path
    return min(one.path, other.path)


def status_of(version: Version | None) -> Status | None:
    """Return the effective status of a version, None when it is no record."""
    record = record_of(*version) if version is not None else None
    return record.status if record is not None else None


def final_status(base: Version | None, one: Version, other: Version) -> Status:
    """Return the status that holds: of both sides' changes the more restrictive."""
    old, mine, theirs = status_of(base), status_of(one), status_of(other)
    if mine is None or theirs is None:
        return mine or theirs or Status.CANDIDATE
    if theirs == old:
        return mine
    if mine == old:
        return theirs
    return more_restrictive(mine, theirs)


def place_of(base: Version | None, one: Version, other: Version, status: Status) -> str:
    """Return where the record goes: where it was moved to, in a folder that fits its status."""
    path = moved_path(base, one, other)
    fitting = [v.path for v in (one, other) if status_of(v) == status]
    top = path.partition("/")[0]
    if fitting and top not in {name.partition("/")[0] for name in fitting}:
        return min(fitting)
    if restrict_status(status, path) != status and fitting:
        return min(fitting)
    return path


def meaning_of(record: Record) -> tuple[object, ...]:
    """Return what a reader is told by a record, and whom it binds."""
    return (
        record.kind, record.title, record.summary, record.applies_when, record.boundary,
        str(record.scope), record.required, record.branch, record.body.strip(),
    )  # fmt: skip


def prefers_other(one: Record, other: Record) -> bool:
    """Whose wording stays in the record: of the side in force, else by digest."""
    if one.in_force is not other.in_force:
        return other.in_force
    return other.digest < one.digest


def without_foreign_allow(data: bytes, record: Record, sides: list[Record]) -> bytes:
    """Let a joined text pass only what both sides let pass: neither was asked about the whole."""
    both = set(sides[0].allow).intersection(*(side.allow for side in sides))
    left = [code for code in record.allow if code in both]
    if len(left) == len(record.allow) or "allow" not in present_keys(record):
        return data
    return patch_document(data, {"allow": left or REMOVE}, record.path)
