"""Conflict records: what two sides of a merge say differently, until a person answers.

May import `text`, `model`. A record that clashed is disputed; the other wording lies in
`drafts/conflicts/` as a disputed draft of its own that names it (`conflict_of`). Its id follows
from what it holds, so that two machines that meet the same conflict make the same file.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple

from vault_cli.errors import RefusedError
from vault_cli.features.records import patch_keys
from vault_cli.model.paths import is_skill_file
from vault_cli.model.record import CROCKFORD, ENDED, Kind, Record, Status, restrict_status
from vault_cli.text.document import REMOVE, compose_document
from vault_cli.text.fields import read_record
from vault_cli.text.names import file_name
from vault_cli.text.scan import find_secret_findings

FOLDER: Final = "drafts/conflicts"
OF: Final = "conflict_of"
"""Key that names the record whose other wording this is."""

OF_FILE: Final = "conflict_of_file"
"""Key that names the file, where it is no record."""

_GONE: Final = (
    "aliases", "supersedes", "superseded_by", "conflicts", "verification", "deprecated",
    "rejected", "valid_to_before", "promoted_to", OF,
)  # fmt: skip
"""Keys about the record's own standing; they stay with it."""

_NO_DISPUTE: Final = ENDED | {Status.QUARANTINED, Status.DISPUTED}
_SHOWN: Final = 60_000


class Told(NamedTuple):
    """What a merge says about its sides.

    Args:
        at: the moment, the same on every machine that makes this merge.
        names: who made the last change of a side, by `one` and `other`.
        commits: the commit of a side, by `one` and `other`.
        deleted: says who deleted a path of a side, as `deleted by Anna on 2026-11-30`.
        vouched: tells whether what a side has at a path, or that it has nothing, is signed with an
            allowed key; True where no signature is asked for.
    """

    at: str
    names: Mapping[str, str]
    commits: Mapping[str, str]
    deleted: Callable[[str, str], str]
    vouched: Callable[[str, str], bool] = lambda _side, _path: True

    def deletion(self, side: str, path: str) -> str:
        """Return who deleted a path of a side, and when."""
        return self.deleted(side, path)

    def editor(self, gone: str) -> str:
        """Return who is on the side that did not delete."""
        return self.names["other" if gone == "one" else "one"]

    def both(self) -> str:
        """Return the names of both sides, in an order that does not depend on who asks."""
        return " and ".join(sorted(self.names.values()))


class ConflictFile(NamedTuple):
    """A conflict record to write."""

    id: str
    path: str
    data: bytes


def _fresh_id(kind: Kind, *parts: bytes) -> str:
    """Return an id that follows from what the record holds."""
    digest = hashlib.sha256(b"\0".join(parts)).digest()
    return f"{kind.letter}-" + "".join(CROCKFORD[byte % len(CROCKFORD)] for byte in digest[:7])


def set_status(data: bytes, path: str, status: Status) -> bytes:
    """Return a record with this effective status at this place.

    Raises:
        RefusedError: the file cannot be changed in place.
    """
    record = read_record(data, path)[0]
    if record is None or record.status is status or "status" not in _keys(record):
        return data
    return patch_keys(data, path, {"status": str(status)})


def _keys(record: Record) -> set[str]:
    return {"status"} if record.adopted or "status" in record.fields else set()


def mark_conflict(
    data: bytes, path: str, reason: str, was: Status, told: Told, twin: str = ""
) -> bytes:
    """Return a record as disputed because of a merge; what ended, or is disputed, stays so.

    Args:
        data: the record's file.
        path: where it stands.
        reason: what met.
        was: what it was before.
        told: the moment and the sides.
        twin: id of the conflict record with the other wording, "" for none.

    Raises:
        RefusedError: the file cannot be changed in place.
    """
    record = read_record(data, path)[0]
    if record is None or not record.adopted:
        return data
    values: dict[str, Any] = {}
    if restrict_status(was, path) not in _NO_DISPUTE:
        values = {"status": str(Status.DISPUTED), "disputed": _mark(reason, was, told)}
        if twin and not is_skill_file(path):
            values["disputed"]["conflicts_with"] = [twin]
            pairs = record.fields.get("conflicts")
            listed = list(pairs) if isinstance(pairs, list) else []
            values["conflicts"] = [*listed, {"id": twin, "type": "contradiction"}]
    return patch_keys(data, path, values) if values else data


def _mark(reason: str, was: Status, told: Told) -> dict[str, Any]:
    return {"reason": reason, "at": told.at, "by": "sync", "was": str(was)}


def conflict_record(data: bytes, record: Record, reason: str, told: Told) -> ConflictFile:
    """Return the conflict record that holds the other wording of a record.

    Args:
        data: the other wording, a whole file.
        record: the same, read.
        reason: what met.
        told: the moment and the sides.
    """
    kind = record.kind
    if is_skill_file(record.path) or _has_secret(data):
        return conflict_note(record.path, {"one": data}, data, told, record.id)
    fresh = _fresh_id(kind, record.id.encode(), data)
    gone = dict.fromkeys((key for key in _GONE if key in record.fields), REMOVE)
    values: dict[str, Any] = {
        **gone,
        "id": fresh,
        "kind": str(kind),
        "status": str(Status.DISPUTED),
        "title": record.title,
        OF: record.id,
        "disputed": _mark(reason, Status.CANDIDATE, told),
    }
    path = f"{FOLDER}/{file_name(record.title, fresh)}"
    try:
        return ConflictFile(fresh, path, patch_keys(data, path, values))
    except RefusedError:
        return conflict_note(record.path, {"one": data}, data, told, record.id)


def conflict_note(
    path: str, versions: Mapping[str, bytes], stays: bytes, told: Told, record_id: str = ""
) -> ConflictFile:
    """Return the conflict record about a file that is no record, or cannot be changed in place.

    Args:
        path: the file.
        versions: what did not stay, by `one` and `other`.
        stays: what counts for now; its digest is part of the id.
        told: the moment and the sides.
        record_id: the record, where it is one.
    """
    listed = sorted(versions.items(), key=lambda item: hashlib.sha256(item[1]).digest())
    fresh = _fresh_id(Kind.NOTE, path.encode(), stays, *(data for _, data in listed))
    title = f"Conflict: {path}"
    parts = [f"# {title}\n\nBoth sides of a merge changed this file. What is not in it now:\n"]
    for side, data in listed:
        parts.append(f"\n## As of {told.names[side]} ({told.commits[side][:10]})\n\n")
        parts.append(_shown(data))
    front: dict[str, Any] = {
        "id": fresh,
        "kind": str(Kind.NOTE),
        "status": str(Status.DISPUTED),
        "title": title,
        OF_FILE: path,
        **({OF: record_id} if record_id else {}),
        "disputed": _mark(f"changed by {told.both()}", Status.CANDIDATE, told),
    }
    place = f"{FOLDER}/{file_name(title, fresh)}"
    return ConflictFile(fresh, place, compose_document(front, "".join(parts)))


def _shown(data: bytes) -> str:
    """Return a version of a file as a fenced text, or where to find it."""
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        text = "\0"
    if "\0" in text or len(text) > _SHOWN or _has_secret(data):
        return "It is in the history of git: too large, no text, or not to be shown here.\n"
    fence = "`" * max(3, _longest_run(text) + 1)
    return f"{fence}text\n{text.replace(chr(13), '').rstrip()}\n{fence}\n"


def _longest_run(text: str) -> int:
    longest = run = 0
    for char in text:
        run = run + 1 if char == "`" else 0
        longest = max(longest, run)
    return longest


def _has_secret(data: bytes) -> bool:
    text = data.decode("utf-8", "replace")
    return any(hit.holds for hit in find_secret_findings(text))
