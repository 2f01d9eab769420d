"""Two lines of history of one vault into one, record by record. May import `text`, `model`.

A record is followed by its id, so that a file that was moved on one side and edited on the other
comes together. Nothing here knows which side is one's own: exchanging the sides gives the same
files, byte for byte, so that two machines that merge at the same moment agree.

What both sides changed alike, or in different places, is joined. Where they say different things
nobody is overruled: the record is disputed, hence out of force, and the other wording lies beside
it as a conflict record until a person answers (`resolve`).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Final

from vault_cli.errors import RefusedError
from vault_cli.features.conflict_records import (
    Told,
    conflict_note,
    conflict_record,
    mark_conflict,
    set_status,
)
from vault_cli.features.decisions import Decision, Reconciled
from vault_cli.features.matching import (
    Trio,
    Version,
    build,
    digest_of,
    document_of,
    group_versions,
    id_of,
    path_of,
    record_of,
)
from vault_cli.features.placing import (
    Names,
    by_right,
    final_status,
    meaning_of,
    moved_path,
    place_of,
    prefers_other,
    without_foreign_allow,
)
from vault_cli.features.plain_texts import as_text, is_toml, merge_plain
from vault_cli.features.unsigned import (
    UNSIGNED,
    Stays,
    keep_signed,
    keep_signed_file,
    keeps_deleted,
)
from vault_cli.model.record import IN_FORCE, Status
from vault_cli.text.diff3 import union_lines
from vault_cli.text.merge import merge_documents

_SETTINGS: Final = "vault.toml"
_USAGE: Final = "usage/"
_UNSPOKEN: Final = frozenset({"privacy", "secret"})
"""Reasons of a deletion after which the text is not laid beside the tombstone again."""


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
    for trio in group_versions(sides, is_record):
        merger.merge(trio)
    return merger.finish(set(kept))


class _Merger:
    """Merges one group after the other and finds each result its place."""

    def __init__(
        self,
        sides: tuple[Mapping[str, bytes], ...],
        is_record: Callable[[str], bool],
        told: Told,
    ) -> None:
        self._paths = sorted(set().union(*sides))
        self._sides = {"one": sides[1], "other": sides[2]}
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
        record_id = id_of(*version) if self._is_record(version.path) else ""
        self._decisions.append(
            Decision(code, version.path, record_id, text, waits=waits, conflict=conflict)
        )

    def finish(self, kept: set[str]) -> Reconciled:
        """Give every result its place and return all."""
        done = Reconciled(dict.fromkeys(self._paths), self._decisions)
        taken = Names()
        for path in kept:
            taken.add(path)
        # who stays where it was goes first, then who has the smaller digest: never who came first
        for version, _ in sorted(self._results, key=by_right):
            path = taken.free(version)
            if path != version.path:
                path = self._rename(version, path, taken)
            taken.add(path)
            done.files[path] = version.data
        done.decisions.sort()
        return done

    def _rename(self, version: Version, path: str, taken: Names) -> str:
        """Say that a file has to go elsewhere, and where.

        The merge is what writes it there: a text in force that nobody signed is a draft then.
        """
        texts = self._sides.items()
        sides = [name for name, side in texts if side.get(version.path) == version.data]
        record = record_of(*version) if self._is_record(version.path) else None
        is_held = record is not None and record.has_effect
        is_held = is_held and not any(self._told.vouched(name, version.path) for name in sides)
        if is_held:
            path = taken.free(version._replace(path=f"drafts/{path.rpartition('/')[2]}"))
        why = ", as a draft, since nobody signed it" if is_held else ""
        text = f"{version.path} is taken by another file: {path}{why}"
        self._say("renamed", version._replace(path=path), text, waits=is_held)
        return path

    # Groups

    def merge(self, trio: Trio) -> None:
        """Decide about one record or file."""
        base, one, other = trio
        if other in (one, base):
            self._keep(one, path_of(base))
        elif one == base:
            self._keep(other, path_of(base))
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
        before, now = record_of(*base), record_of(*left)
        if is_record and keeps_deleted(left, base, gone, self._told):
            self._keep(left, base.path)
            self._say("unsigned", left, f"{who} {UNSIGNED}; it is kept", waits=True)
            return
        if is_record and before is not None and now is not None:
            if meaning_of(before) == meaning_of(now):
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
        path = moved_path(base, one, other)
        old = base.data if base is not None else b""
        if path.startswith(_USAGE):
            first, second = sorted((one.data, other.data), key=digest_of)
            whole = next((d for d, s in ((first, second), (second, first)) if d.startswith(s)), b"")
            self._keep(Version(path, whole or union_lines(first, second)), path_of(base))
            self._say("union", Version(path, b""), "observations of both sides")
            return
        if path == _SETTINGS and self._keep_signed(keep_signed_file(one, other, self._told)):
            return
        texts = [as_text(data) for data in (old, one.data, other.data)]
        merged = merge_plain(texts[0], texts[1], texts[2]) if None not in texts else None
        if merged is not None and path == _SETTINGS and not is_toml(merged):
            merged = None
        if merged is not None:
            self._keep(Version(path, merged), path_of(base))
            self._say("merged", Version(path, merged), "changes of both sides joined")
            return
        stays = base.data if base is not None else min((one.data, other.data), key=digest_of)
        self._keep(Version(path, stays), path_of(base))
        note = conflict_note(path, {"one": one.data, "other": other.data}, stays, self._told)
        self._keep(Version(note.path, note.data))
        held = "the old text counts" if base is not None else "one of them counts"
        text = f"both sides changed the same lines; {held}, {note.id} shows both"
        self._say("conflict", Version(path, stays), text, waits=True, conflict=note.id)

    # Records

    def _keep_signed(self, stays: Stays | None) -> bool:
        """Take in what may not be joined; False when there is no such thing."""
        if stays is None:
            return False
        self._keep(stays.version, stays.version.path)
        if stays.beside is None:
            self._say("unsigned", stays.version, stays.text)
            return True
        self._keep(Version(stays.beside.path, stays.beside.data))
        key = stays.beside.id
        self._say("unsigned", stays.version, stays.text, waits=True, conflict=key)
        return True

    def _merge_records(self, base: Version | None, one: Version, other: Version) -> None:
        if self._keep_signed(keep_signed(base, one, other, self._told)):
            return
        mine, theirs = record_of(*one), record_of(*other)
        if mine is None or theirs is None:
            self._merge_unreadable(base, one, other)
            return
        buried = [record.status is Status.TOMBSTONED for record in (mine, theirs)]
        if any(buried):
            self._merge_tombstone(base, one, other, both=all(buried))
            return
        prefer_other = prefers_other(mine, theirs)
        try:
            self._merge_readable(base, one, other, prefer_other=prefer_other)
        except RefusedError:  # a form of front matter that cannot be changed in place
            self._merge_unreadable(base, one, other)

    def _merge_unreadable(self, base: Version | None, one: Version, other: Version) -> None:
        """Merge lines where a side is no record, or one that cannot be changed in place."""
        path = moved_path(base, one, other)
        old = as_text(base.data) if base is not None else ""
        mine, theirs = as_text(one.data), as_text(other.data)
        if old is not None and mine is not None and theirs is not None:
            merged = merge_plain(old, mine, theirs)
            if merged is not None and record_of(path, merged) is not None:
                self._keep_guarded(Version(path, merged), one, other, base)
                return
        first, second = sorted(
            (one, other), key=lambda v: (record_of(*v) is None, digest_of(v.data))
        )
        side = "one" if second is one else "other"
        note = conflict_note(path, {side: second.data}, first.data, self._told)
        stays = Version(path, first.data)
        record = record_of(*first)
        if record is not None:
            text = f"changed by both sides; one version lies in {note.id}"
            marked = mark_conflict(first.data, first.path, text, record.status, self._told, note.id)
            stays = Version(path, marked)
        self._keep(stays, path_of(base))
        self._keep(Version(note.path, note.data))
        text = f"both sides changed it and it cannot be joined; {note.id} has the other version"
        self._say("conflict", stays, text, waits=True, conflict=note.id)

    def _merge_tombstone(
        self, base: Version | None, one: Version, other: Version, *, both: bool
    ) -> None:
        """A deletion stays; what the other side made of the text meanwhile lies beside it."""
        if both:
            self._keep(min((one, other), key=lambda v: digest_of(v.data)), path_of(base))
            return
        first = record_of(*one)
        is_one = first is not None and first.status is Status.TOMBSTONED
        tomb, left = (one, other) if is_one else (other, one)
        self._keep(tomb, path_of(base))
        before = record_of(*base) if base is not None else None
        now, grave = record_of(*left), record_of(*tomb)
        if now is None or grave is None:
            return
        gone = base.path if base is not None else left.path
        who = self._told.deletion("one" if is_one else "other", gone)
        if before is not None and meaning_of(before) == meaning_of(now):
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
        documents = [document_of(*v) for v in (one, other)]
        ancestor = document_of(*base) if base is not None else None
        if ancestor is not None and ancestor.is_broken:
            ancestor = None
        front, back = (other, one) if prefer_other else (one, other)
        merged = merge_documents(ancestor, *documents, prefer_other=prefer_other)
        data = build(front, merged)
        if not merged.clashes:
            rules = f" ({', '.join(merged.settled)} by rule)" if merged.settled else ""
            self._keep_guarded(
                Version(front.path, data), one, other, base, f"both sides joined{rules}"
            )
            return
        beside = merge_documents(ancestor, *documents, prefer_other=not prefer_other)
        loser = record_of(back.path, build(back, beside))
        if loser is None:
            raise RefusedError(f"{back.path} cannot be merged")
        what = ", ".join(merged.clashes)
        reason = f"changed by {self._told.both()} in a different way: {what}"
        twin = conflict_record(build(back, beside), loser, reason, self._told)
        status = final_status(base, one, other)
        path = place_of(base, one, other, status)
        marked = set_status(data, path, status)
        marked = mark_conflict(marked, path, reason, status, self._told, twin.id)
        self._keep(Version(path, marked), path_of(base))
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
        status = final_status(base, one, other)
        path = place_of(base, one, other, status)
        data = set_status(merged.data, path, status)
        record = record_of(path, data)
        sides = [found for found in (record_of(*one), record_of(*other)) if found is not None]
        if record is not None and not any(meaning_of(record) == meaning_of(side) for side in sides):
            data = without_foreign_allow(data, record, sides)
        admitted = [side for side in sides if side.status in IN_FORCE]
        is_known = record is not None and any(meaning_of(record) == meaning_of(a) for a in admitted)
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
        self._keep(Version(path, data), path_of(base))
