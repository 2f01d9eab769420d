"""What was done to records by hand since the last commit. May import `text`, `model`.

A person may edit anything, and the vault follows. These findings say where a hand edit did what a
command would have refused, or would have done with more: without the reason, the evidence, the
other half of a relation.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping

from vault_cli.errors import Diagnostic, Severity
from vault_cli.features.supersession import successors_of
from vault_cli.model.lifecycle import Actor, may_step
from vault_cli.model.record import IN_FORCE, Record, Snapshot, Status
from vault_cli.text.fields import read_record

_MUCH = 200
"""Characters of a text whose loss is worth a word."""

_LEFT = 4
"""A text that is less than 1 / _LEFT of what it was is named."""


def check_history(snapshot: Snapshot, head: Mapping[str, bytes]) -> list[Diagnostic]:
    """Compare statuses, ids and relations with the last commit.

    Args:
        snapshot: the records as they are now.
        head: bytes by path in the last commit of the files that differ from it, and of those that
            are gone.

    Returns:
        An `error` for each status that nobody may have given by hand, a `warning` for what a
        command would have done with more.
    """
    before: dict[str, Record] = {}
    by_path: dict[str, Record] = {}
    for path, data in head.items():
        old, _ = read_record(data, path)
        if old is not None:
            before[old.id] = old
            by_path[path] = old
    now = {record.id: record for record in snapshot.records}
    found: list[Diagnostic] = []
    for record in snapshot.records:
        was = before.get(record.id)
        if was is not None and was.digest != record.digest:
            found += _check_edited(snapshot, was, record)
        elif was is not None and was.path != record.path:
            found += _check_status(snapshot, was, record)
        elif was is None and record.path in by_path and by_path[record.path].adopted:
            found.append(_changed_id(by_path[record.path].id, record))
    there = {record.path for record in snapshot.records} | set(snapshot.unreadable)
    for record_id, was in before.items():
        if record_id not in now and was.path not in there:
            found += _check_deleted(was)
    return found


def _finding(record: Record, code: str, severity: Severity, message: str, hint: str) -> Diagnostic:
    return Diagnostic(record.path, 0, code, severity, message, hint)


def _changed_id(was: str, record: Record) -> Diagnostic:
    text = f"the id changed by hand: it was {was}"
    hint = f"Set it back to {was}; other records may name it."
    return _finding(record, "id-changed", "warning", text, hint)


def _check_edited(snapshot: Snapshot, old: Record, record: Record) -> Iterator[Diagnostic]:
    yield from _check_status(snapshot, old, record)
    yield from _check_relations(snapshot, old, record)
    yield from _check_shrunk(old, record)


def _check_shrunk(old: Record, record: Record) -> Iterator[Diagnostic]:
    """Name a text that lost most of itself: it parses, so nothing else would say so (C-78)."""
    was, left = (len("".join(text.split())) for text in (old.body, record.body))
    if record.status is Status.TOMBSTONED or was < _MUCH or left * _LEFT > was:
        return
    text = f"the text shrank from {was} to {left} characters by hand"
    path = shlex.quote(record.path)
    hint = f"See `git diff HEAD -- {path}`; `git restore -- {path}` brings it back."
    yield _finding(record, "shrunk", "warning", text, hint)


def _check_status(snapshot: Snapshot, old: Record, record: Record) -> Iterator[Diagnostic]:
    was, status = old.status, record.status
    if status is was:
        return
    if not may_step(was, status, Actor.PERSON):
        text = f"the status went from {was} to {status} by hand"
        hint = f"Set it back to {old.written_status}, then use the command for it."
        yield _finding(record, "status-jump", "error", text, hint)
    elif status is Status.TOMBSTONED:
        text = "marked as deleted by hand; a tombstone holds no text and stands in tombstones/"
        hint = f"Set it back to {old.written_status}, then: mvault forget {record.id}"
        yield _finding(record, "tombstone-by-hand", "warning", text, hint)
    elif status is Status.SUPERSEDED and not _has_successor(snapshot, record):
        text = "superseded by hand, but nothing in force supersedes it"
        hint = f"Set it back to {old.written_status}, then: mvault supersede {record.id} NEW"
        yield _finding(record, "superseded-by-hand", "warning", text, hint)
    elif status in (Status.DEPRECATED, Status.REJECTED) and not record.fields.get(str(status)):
        command = "deprecate" if status is Status.DEPRECATED else "reject"
        text = f"{status} by hand, without a reason"
        hint = f"Set it back to {old.written_status}, then: mvault {command} {record.id}"
        yield _finding(record, "reason-missing", "warning", text, hint)
    elif status is Status.ACTIVE and was not in IN_FORCE:
        how = "by moving its file" if old.digest == record.digest else "by hand"
        text = f"put in force {how}: it was {was}"
        hint = "Read it: what is in force by hand was never shown by a command. To take it back: "
        hint += f"set status {was}."
        yield _finding(record, "admitted-by-hand", "warning", text, hint)


def _has_successor(snapshot: Snapshot, record: Record) -> bool:
    """Tell whether something took its place: by its own word, as a skill, in another vault."""
    if "promoted_to" in record.fields:
        return True
    if any(other.id != record.id for other in successors_of(snapshot, record.id)):
        return True
    skill = snapshot.by_id.get(str(record.fields.get("superseded_by")))
    return bool(record.fields.get("graduated")) and skill is not None and skill.in_force


def _check_relations(snapshot: Snapshot, old: Record, record: Record) -> Iterator[Diagnostic]:
    for gone in sorted(set(old.supersedes) - set(record.supersedes)):
        left = snapshot.by_id.get(gone)
        if left is None or left.status is not Status.SUPERSEDED or _has_successor(snapshot, left):
            continue
        text = f"supersedes lost {gone} by hand, which is still superseded"
        hint = f"Put it back, or: mvault revive {gone} --reason TEXT"
        yield _finding(record, "supersedes-removed", "warning", text, hint)


def _check_deleted(old: Record) -> Iterator[Diagnostic]:
    if not old.in_force and old.status is not Status.TOMBSTONED:
        return
    back = f"`git restore -- {shlex.quote(old.path)}` brings it back"
    if old.status is Status.TOMBSTONED:
        text = f"the tombstone of {old.id} was deleted by hand; the id could be given out again"
        hint = f"{back}."
    else:
        text = f"{old.id} was in force; its file was deleted by hand"
        hint = f"{back}; if it was meant, then: mvault forget {old.id}"
    yield _finding(old, "deleted-by-hand", "warning", text, hint)
