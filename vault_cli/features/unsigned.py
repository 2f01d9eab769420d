"""A merge speaks for no text in force that nobody signed. May import `text`, `model`.

Where only signed texts count, the signature of a merge would let what it writes count as well. So
it writes nothing in force of which a part is unsigned: the signed side's file stays as it is, byte
for byte, and what both sides joined would say waits beside it for a person, as in any conflict.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from typing import Final, NamedTuple

from vault_cli.errors import RefusedError
from vault_cli.features.conflict_records import (
    ConflictFile,
    Told,
    conflict_note,
    conflict_record,
)
from vault_cli.features.matching import (
    Version,
    build,
    digest_of,
    document_of,
    record_of,
)
from vault_cli.features.placing import prefers_other
from vault_cli.model.record import Record, Status
from vault_cli.text.merge import merge_documents

UNSIGNED: Final = "without a signature that counts here"


class Stays(NamedTuple):
    """What a merge leaves as one side has it.

    Args:
        version: the file.
        beside: the joined wording, None where the other side changed nothing but the place.
        text: in words.
    """

    version: Version
    beside: ConflictFile | None
    text: str


def keep_signed(base: Version | None, one: Version, other: Version, told: Told) -> Stays | None:
    """Return what stays of two versions that may not be joined; None where they may."""
    mine, theirs = record_of(*one), record_of(*other)
    records = [record for record in (mine, theirs) if record is not None]
    if not any(record.has_effect for record in records) or _is_buried(records):
        return None
    signed = _signed(one, other, told)
    if all(signed):
        return None
    if any(signed):
        other_stays = signed[1]
    else:
        other_stays = mine is None or (theirs is not None and prefers_other(mine, theirs))
    stays, side = (other, "one") if other_stays else (one, "other")
    left = one if other_stays else other
    who = f"by {told.names[side]} {UNSIGNED}"
    if base is not None and left.data == base.data:
        return Stays(stays, None, f"moved {who}; it stays where it is")
    joined = _joined(base, one, other, left)
    record = record_of(*joined)
    what = f"changed {who}"
    if record is not None:
        twin = conflict_record(joined.data, record, what, told)
    else:
        twin = conflict_note(left.path, {side: left.data}, stays.data, told)
    return Stays(stays, twin, f"{what}; the other text stays as it is, {twin.id} has this one")


def _joined(base: Version | None, one: Version, other: Version, left: Version) -> Version:
    """Return what both sides joined would say, and where they clash `left`; else that one."""
    if record_of(*one) is None or record_of(*other) is None:
        return left
    ancestor = document_of(*base) if base is not None else None
    if ancestor is not None and ancestor.is_broken:
        ancestor = None
    documents = document_of(*one), document_of(*other)
    with suppress(RefusedError):  # a form of front matter that cannot be changed in place
        joined = merge_documents(ancestor, *documents, prefer_other=left is other)
        return left._replace(data=build(left, joined))
    return left


def keep_signed_file(one: Version, other: Version, told: Told) -> Stays | None:
    """Return what stays of settings that may not be joined; None where they may."""
    signed = _signed(one, other, told)
    if all(signed):
        return None
    by_digest = digest_of(other.data) < digest_of(one.data)
    other_stays = signed[1] if any(signed) else by_digest
    stays, left, side = (other, one, "one") if other_stays else (one, other, "other")
    note = conflict_note(stays.path, {side: left.data}, stays.data, told)
    what = f"changed by {told.names[side]} {UNSIGNED}"
    return Stays(stays, note, f"{what}; the other text stays as it is, {note.id} has this one")


def keeps_deleted(left: Version, base: Version, gone: str, told: Told) -> bool:
    """Tell whether a record in force stays that the side `gone` deleted unsigned."""
    record = record_of(*left)
    editor = "other" if gone == "one" else "one"
    has_effect = record is not None and record.has_effect
    return has_effect and told.vouched(editor, left.path) and not told.vouched(gone, base.path)


def _is_buried(records: Iterable[Record]) -> bool:
    """Tell whether a tombstone is among them: what was forgotten stays so, whoever signed."""
    return any(record.status is Status.TOMBSTONED for record in records)


def _signed(one: Version, other: Version, told: Told) -> tuple[bool, bool]:
    return told.vouched("one", one.path), told.vouched("other", other.path)
