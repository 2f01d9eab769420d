"""Two lines of history of one vault into one, record by record. May import `text`, `model`.

A record is followed by its id, so that a file that was moved on one side and edited on the other
comes together. Nothing here knows which side is one's own: exchanging the sides gives the same
files, byte for byte, so that two machines that merge at the same moment agree.

What both sides changed alike, or in different places, is joined. Where they say different things
nobody is overruled: the record is disputed, hence out of force, and the other wording lies beside
it as a conflict record until a person answers (`resolve`).
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final, NamedTuple

from vault_cli.errors import RefusedError
from vault_cli.features.conflict_records import (
    Told,
    conflict_note,
    conflict_record,
    mark_conflict,
    set_status,
)
from vault_cli.features.records import present_keys
from vault_cli.model.paths import fold_path
from vault_cli.model.record import (
    IN_FORCE,
    Record,
    Status,
    more_restrictive,
    restrict_status,
)
from vault_cli.text.diff3 import merge_text, union_lines
from vault_cli.text.document import (
    REMOVE,
    Document,
    parse_document,
    patch_document,
    replace_body,
)
from vault_cli.text.fields import read_record
from vault_cli.text.merge import MergedKeys, merge_documents

_SIDES: Final = ("base", "one", "other")
_SETTINGS: Final = "vault.toml"
_USAGE: Final = "usage/"
_UNSPOKEN: Final = frozenset({"privacy", "secret"})
"""Reasons of a deletion after which the text is not laid beside the tombstone again."""


class Version(NamedTuple):
    """One file of one side."""

    path: str
    data: bytes


class Decision(NamedTuple):
    """What the merge decided about a file.

    Args:
        code: merged, status, moved, conflict, kept, deleted, not-in-force, renamed, union.
        path: where the file stands now, or stood.
        id: the record, "" for another file.
        text: in words.
        waits: a person has to look.
        conflict: id of the conflict record that was laid beside it, "" for none.
    """

    code: str
    path: str
    id: str
    text: str
    waits: bool = False
    conflict: str = ""


@dataclass(slots=True)
class Reconciled:
    """The merged vault, as far as it differs between the versions.

    Args:
        files: every path that one of the versions has otherwise, with its bytes (None: gone).
        decisions: what was decided, sorted by path.
    """

    files: dict[str, bytes | None] = field(default_factory=dict)
    decisions: list[Decision] = field(default_factory=list)


Trio = tuple[Version | None, Version | None, Version | None]
"""One file or record as the common ancestor and the two sides have it."""


def reconcile(
    base: Mapping[str, bytes],
    one: Mapping[str, bytes],
    other: Mapping[str, bytes],
    *,
    kept: Collection[str] = (),
    is_record: Callable[[str], bool],
    told: Told,
) -> Reconciled:
    """Merge two versions of a vault that go back to a common one.

    Args:
        base: bytes by path of the common version, of the paths that are not alike everywhere.
        one: the same paths on one side.
        other: the same paths on the other side.
        kept: the paths that are alike everywhere.
        is_record: tells whether a path is where a record may be.
        told: the moment of the merge and the names of the sides.
    """
    sides = (base, one, other)
    merger = _Merger(sides, is_record, told)
    for trio in _group(sides, is_record):
        merger.merge(trio)
    return merger.finish(set(kept))


@lru_cache(maxsize=8192)
def _record(path: str, data: bytes) -> Record | None:
    return read_record(data, path, frozenset())[0]


@lru_cache(maxsize=8192)
def _document(path: str, data: bytes) -> Document:
    return parse_document(data, path)


def _id_of(path: str, data: bytes) -> str:
    record = _record(path, data)
    return record.id if record is not None and record.adopted else ""


def _group(
    sides: tuple[Mapping[str, bytes], ...], is_record: Callable[[str], bool]
) -> Iterator[Trio]:
    """Yield what belongs together: by id first, what has none by its path."""
    places = [_places_of(side, is_record) for side in sides]
    groups = {key: [place.get(key, "") for place in places] for key in sorted(set().union(*places))}
    loose = [set(side) - set(place.values()) for side, place in zip(sides, places, strict=True)]
    claims: dict[str, int] = {}
    for paths in groups.values():
        for path in set(paths[1:]) & loose[0] if not paths[0] else ():
            claims[path] = claims.get(path, 0) + 1
    for paths in groups.values():
        _attach(paths, loose, claims)
        yield _trio(sides, paths)
    for path in sorted(set().union(*loose)):
        yield _trio(sides, [path if path in names else "" for names in loose])


def _places_of(side: Mapping[str, bytes], is_record: Callable[[str], bool]) -> dict[str, str]:
    """Return where each id stands that stands once."""
    found: dict[str, list[str]] = {}
    for path, data in side.items():
        record_id = _id_of(path, data) if is_record(path) else ""
        if record_id:
            found.setdefault(record_id, []).append(path)
    return {key: paths[0] for key, paths in found.items() if len(paths) == 1}


def _attach(paths: list[str], loose: list[set[str]], claims: Mapping[str, int]) -> None:
    """Add to a record the files at its place that have no id (yet, or any more)."""
    if not paths[0]:
        same = [p for p in paths[1:] if p and p in loose[0] and claims.get(p) == 1]
        if same:
            paths[0] = same[0]
            loose[0].discard(same[0])
    for side in (1, 2):
        if not paths[side]:
            near = [p for p in dict.fromkeys((paths[0], paths[3 - side])) if p in loose[side]]
            if near and paths[0]:
                paths[side] = near[0]
                loose[side].discard(near[0])


def _trio(sides: tuple[Mapping[str, bytes], ...], paths: list[str]) -> Trio:
    base, one, other = (
        Version(path, side[path]) if path else None for side, path in zip(sides, paths, strict=True)
    )
    return base, one, other


class _Merger:
    """Merges one group after the other and finds each result its place."""

    def __init__(
        self,
        sides: tuple[Mapping[str, bytes], ...],
        is_record: Callable[[str], bool],
        told: Told,
    ) -> None:
        self._paths = sorted(set().union(*sides))
        self._is_record = is_record
        self._told = told
        self._results: list[tuple[Version, str]] = []
        self._decisions: list[Decision] = []

    # Results

    def _keep(self, version: Version | None, home: str = "") -> None:
        """Take a file into the result; `home` is where it stood before, if anywhere."""
        if version is not None:
            self._results.append((version, home))

    def _say(
        self, code: str, version: Version, text: str, *, waits: bool = False, conflict: str = ""
    ) -> None:
        record_id = _id_of(*version) if self._is_record(version.path) else ""
        self._decisions.append(
            Decision(code, version.path, record_id, text, waits=waits, conflict=conflict)
        )

    def finish(self, kept: set[str]) -> Reconciled:
        """Give every result its place and return all."""
        done = Reconciled(dict.fromkeys(self._paths), self._decisions)
        taken = _Names()
        for path in kept:
            taken.add(path)
        # who stays where it was goes first, then who has the smaller digest: never who came first
        for version, _ in sorted(self._results, key=_by_right):
            path = taken.free(version)
            if path != version.path:
                moved = version._replace(path=path)
                self._say("renamed", moved, f"{version.path} is taken by another file: {path}")
            taken.add(path)
            done.files[path] = version.data
        done.decisions.sort()
        return done

    # Groups

    def merge(self, trio: Trio) -> None:
        """Decide about one record or file."""
        base, one, other = trio
        if other in (one, base):
            self._keep(one, _path_of(base))
        elif one == base:
            self._keep(other, _path_of(base))
        elif one is None or other is None:
            gone = "one" if one is None else "other"
            left = other if one is None else one
            if base is not None and left is not None:
                self._merge_deletion(base, left, gone)
        elif self._is_record(one.path) and self._is_record(other.path):
            self._merge_records(base, one, other)
        else:
            self._merge_files(base, one, other)

    def _merge_deletion(self, base: Version, left: Version, gone: str) -> None:
        """One side deleted the file, the other changed it."""
        who = self._told.deletion(gone, base.path)
        is_record = self._is_record(left.path)
        before, now = _record(*base), _record(*left)
        if is_record and before is not None and now is not None:
            if _meaning(before) == _meaning(now):
                self._say("deleted", base, f"{who}; the other side did not change its text")
                return
            text = f"{who}, edited by {self._told.editor(gone)}"
            marked = mark_conflict(left.data, left.path, text, now.status, self._told)
            self._keep(Version(left.path, marked), base.path)
            self._say("conflict", left, f"{text}; it is kept, out of force", waits=True)
            return
        self._keep(left, base.path)
        self._say("kept", left, f"{who}; it is kept, since the other side changed it")

    def _merge_files(self, base: Version | None, one: Version, other: Version) -> None:
        """Merge what is no record: logs by their lines, texts by regions."""
        path = _moved(base, one, other)
        old = base.data if base is not None else b""
        if path.startswith(_USAGE):
            first, second = sorted((one.data, other.data), key=_digest)
            whole = next((d for d, s in ((first, second), (second, first)) if d.startswith(s)), b"")
            self._keep(Version(path, whole or union_lines(first, second)), _path_of(base))
            self._say("union", Version(path, b""), "observations of both sides")
            return
        texts = [_text(data) for data in (old, one.data, other.data)]
        merged = _merge_plain(texts[0], texts[1], texts[2]) if None not in texts else None
        if merged is not None and path == _SETTINGS and not _is_toml(merged):
            merged = None
        if merged is not None:
            self._keep(Version(path, merged), _path_of(base))
            self._say("merged", Version(path, merged), "changes of both sides joined")
            return
        stays = base.data if base is not None else min((one.data, other.data), key=_digest)
        self._keep(Version(path, stays), _path_of(base))
        note = conflict_note(path, {"one": one.data, "other": other.data}, stays, self._told)
        self._keep(Version(note.path, note.data))
        held = "the old text counts" if base is not None else "one of them counts"
        text = f"both sides changed the same lines; {held}, {note.id} shows both"
        self._say("conflict", Version(path, stays), text, waits=True, conflict=note.id)

    # Records

    def _merge_records(self, base: Version | None, one: Version, other: Version) -> None:
        mine, theirs = _record(*one), _record(*other)
        if mine is None or theirs is None:
            self._merge_unreadable(base, one, other)
            return
        buried = [record.status is Status.TOMBSTONED for record in (mine, theirs)]
        if any(buried):
            self._merge_tombstone(base, one, other, both=all(buried))
            return
        prefer_other = _prefers_other(mine, theirs)
        try:
            self._merge_readable(base, one, other, prefer_other=prefer_other)
        except RefusedError:  # a form of front matter that cannot be changed in place
            self._merge_unreadable(base, one, other)

    def _merge_unreadable(self, base: Version | None, one: Version, other: Version) -> None:
        """Merge lines where a side is no record, or one that cannot be changed in place."""
        path = _moved(base, one, other)
        old = _text(base.data) if base is not None else ""
        mine, theirs = _text(one.data), _text(other.data)
        if old is not None and mine is not None and theirs is not None:
            merged = _merge_plain(old, mine, theirs)
            if merged is not None and _record(path, merged) is not None:
                self._keep_guarded(Version(path, merged), one, other, base)
                return
        first, second = sorted((one, other), key=lambda v: (_record(*v) is None, _digest(v.data)))
        side = "one" if second is one else "other"
        note = conflict_note(path, {side: second.data}, first.data, self._told)
        stays = Version(path, first.data)
        record = _record(*first)
        if record is not None:
            text = f"changed by both sides; one version lies in {note.id}"
            marked = mark_conflict(first.data, first.path, text, record.status, self._told, note.id)
            stays = Version(path, marked)
        self._keep(stays, _path_of(base))
        self._keep(Version(note.path, note.data))
        text = f"both sides changed it and it cannot be joined; {note.id} has the other version"
        self._say("conflict", stays, text, waits=True, conflict=note.id)

    def _merge_tombstone(
        self, base: Version | None, one: Version, other: Version, *, both: bool
    ) -> None:
        """A deletion stays; what the other side made of the text meanwhile lies beside it."""
        if both:
            self._keep(min((one, other), key=lambda v: _digest(v.data)), _path_of(base))
            return
        first = _record(*one)
        is_one = first is not None and first.status is Status.TOMBSTONED
        tomb, left = (one, other) if is_one else (other, one)
        self._keep(tomb, _path_of(base))
        before = _record(*base) if base is not None else None
        now, grave = _record(*left), _record(*tomb)
        if now is None or grave is None:
            return
        gone = base.path if base is not None else left.path
        who = self._told.deletion("one" if is_one else "other", gone)
        if before is not None and _meaning(before) == _meaning(now):
            self._say("deleted", tomb, f"{who}; the other side did not change its text")
            return
        editor = self._told.editor("one" if is_one else "other")
        if str(grave.fields.get("reason_code")) in _UNSPOKEN:
            text = f"{who}, edited by {editor}; it stays deleted, the edit is in history only"
            self._say("conflict", tomb, text, waits=True)
            return
        text = f"{who}, edited by {editor}"
        twin = conflict_record(left.data, now, text, self._told)
        self._keep(Version(twin.path, twin.data))
        what = f"{text}; it stays deleted, the edited text lies in {twin.id}"
        self._say("conflict", tomb, what, waits=True, conflict=twin.id)

    def _merge_readable(
        self, base: Version | None, one: Version, other: Version, *, prefer_other: bool
    ) -> None:
        """Merge two readable versions, and lay the other wording beside where they clash."""
        documents = [_document(*v) for v in (one, other)]
        ancestor = _document(*base) if base is not None else None
        if ancestor is not None and ancestor.is_broken:
            ancestor = None
        front, back = (other, one) if prefer_other else (one, other)
        merged = merge_documents(ancestor, *documents, prefer_other=prefer_other)
        data = _build(front, merged)
        if not merged.clashes:
            rules = f" ({', '.join(merged.settled)} by rule)" if merged.settled else ""
            self._keep_guarded(
                Version(front.path, data), one, other, base, f"both sides joined{rules}"
            )
            return
        beside = merge_documents(ancestor, *documents, prefer_other=not prefer_other)
        loser = _record(back.path, _build(back, beside))
        if loser is None:
            raise RefusedError(f"{back.path} cannot be merged")
        what = ", ".join(merged.clashes)
        reason = f"changed by {self._told.both()} in a different way: {what}"
        twin = conflict_record(_build(back, beside), loser, reason, self._told)
        status = _final_status(base, one, other)
        path = _place(base, one, other, status)
        marked = set_status(data, path, status)
        marked = mark_conflict(marked, path, reason, status, self._told, twin.id)
        self._keep(Version(path, marked), _path_of(base))
        self._keep(Version(twin.path, twin.data))
        text = f"both sides changed {what}; it is out of force, {twin.id} has the other wording"
        self._say("conflict", Version(path, marked), text, waits=True, conflict=twin.id)

    def _keep_guarded(
        self,
        merged: Version,
        one: Version,
        other: Version,
        base: Version | None,
        text: str = "both sides joined",
    ) -> None:
        """Keep a merged record, in force only with a text that was in force on a side."""
        status = _final_status(base, one, other)
        path = _place(base, one, other, status)
        data = set_status(merged.data, path, status)
        record = _record(path, data)
        sides = [found for found in (_record(*one), _record(*other)) if found is not None]
        if record is not None and not any(_meaning(record) == _meaning(side) for side in sides):
            data = _without_foreign_allow(data, record, sides)
        admitted = [side for side in sides if side.status in IN_FORCE]
        is_known = record is not None and any(_meaning(record) == _meaning(a) for a in admitted)
        if status in IN_FORCE and not is_known and len(admitted) < len(sides):
            data = set_status(data, path, Status.CANDIDATE)
            self._say(
                "not-in-force", Version(path, data),
                "put in force on one side, edited on the other: a draft until it is approved",
                waits=True,
            )  # fmt: skip
        else:
            places = {v.path for v in (one, other)}
            moved = f", now at {path}" if len(places) > 1 else ""
            self._say("merged", Version(path, data), text + moved)
        self._keep(Version(path, data), _path_of(base))


def _path_of(version: Version | None) -> str:
    return version.path if version is not None else ""


def _folders(path: str) -> Iterator[str]:
    parts = path.split("/")[:-1]
    return ("/".join(parts[: count + 1]) for count in range(len(parts)))


def _by_right(item: tuple[Version, str]) -> tuple[bool, str, str]:
    version, home = item
    return version.path != home, _digest(version.data), version.path


class _Names:
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
        path, digest = version.path, _digest(version.data)
        stem, dot, ending = path.rpartition(".") if "." in path else (path, "", "")
        if self._is_below_file(path):
            stem = stem.rpartition("/")[2]
        for length in range(7, len(digest)):
            if self._is_free(path):
                break
            path = f"{stem}-{digest[:length]}{dot}{ending}"
        return path


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _moved(base: Version | None, one: Version, other: Version) -> str:
    """Return where a file goes that one side, or both, moved."""
    if base is not None and one.path == base.path:
        return other.path
    if other.path in {one.path, _path_of(base)}:
        return one.path
    return min(one.path, other.path)


def _status(version: Version | None) -> Status | None:
    record = _record(*version) if version is not None else None
    return record.status if record is not None else None


def _final_status(base: Version | None, one: Version, other: Version) -> Status:
    """Return the status that holds: of both sides' changes the more restrictive."""
    old, mine, theirs = _status(base), _status(one), _status(other)
    if mine is None or theirs is None:
        return mine or theirs or Status.CANDIDATE
    if theirs == old:
        return mine
    if mine == old:
        return theirs
    return more_restrictive(mine, theirs)


def _place(base: Version | None, one: Version, other: Version, status: Status) -> str:
    """Return where the record goes: where it was moved to, in a folder that fits its status."""
    path = _moved(base, one, other)
    fitting = [v.path for v in (one, other) if _status(v) == status]
    top = path.partition("/")[0]
    if fitting and top not in {name.partition("/")[0] for name in fitting}:
        return min(fitting)
    if restrict_status(status, path) != status and fitting:
        return min(fitting)
    return path


def _meaning(record: Record) -> tuple[object, ...]:
    """Return what a reader is told by a record, and whom it binds."""
    return (
        record.kind, record.title, record.summary, record.applies_when, record.boundary,
        str(record.scope), record.required, record.branch, record.body.strip(),
    )  # fmt: skip


def _prefers_other(one: Record, other: Record) -> bool:
    """Whose wording stays in the record: of the side in force, else by digest."""
    if one.in_force is not other.in_force:
        return other.in_force
    return other.digest < one.digest


def _build(carrier: Version, merged: MergedKeys) -> bytes:
    """Write merged keys and text into the file of one side, touching nothing else.

    Raises:
        RefusedError: a key is written in a form that cannot be changed in place.
    """
    document = _document(*carrier)
    changes = {
        key: value for key, value in merged.front.items() if document.front.get(key) != value
    }
    changes |= dict.fromkeys(set(document.front) - set(merged.front), REMOVE)
    data = patch_document(carrier.data, changes, carrier.path) if changes else carrier.data
    return replace_body(data, merged.body, carrier.path)


def _without_foreign_allow(data: bytes, record: Record, sides: list[Record]) -> bytes:
    """Let a joined text pass only what both sides let pass: neither was asked about the whole."""
    both = set(sides[0].allow).intersection(*(side.allow for side in sides))
    left = [code for code in record.allow if code in both]
    if len(left) == len(record.allow) or "allow" not in present_keys(record):
        return data
    return patch_document(data, {"allow": left or REMOVE}, record.path)


def _text(data: bytes) -> str | None:
    """Return a file as text, None for one that is none."""
    if b"\0" in data:
        return None
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return None


def _merge_plain(base: str | None, one: str | None, other: str | None) -> bytes | None:
    """Return three texts merged by lines, None where both changed the same ones."""
    if base is None or one is None or other is None:
        return None
    merged = merge_text(base, one, other)
    return None if merged.clashes else merged.text.encode("utf-8", "surrogatepass")


def _is_toml(data: bytes) -> bool:
    import tomllib

    try:
        tomllib.loads(data.decode("utf-8"))
    except (UnicodeDecodeError, tomllib.TOMLDecodeError):
        return False
    return True
