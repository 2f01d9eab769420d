"""Who says exactly the same already. May import `text`, `model`."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from datetime import datetime

from vault_cli.errors import Diagnostic
from vault_cli.features.supersession import periods_overlap
from vault_cli.model.record import IN_FORCE, Record, Snapshot, Status
from vault_cli.text.sections import split_sections


def find_duplicates(snapshot: Snapshot, record: Record, now: datetime) -> tuple[Diagnostic, ...]:
    """Return a note per record with exactly the same text, an overlapping period and scope.

    Records in force and candidates count as duplicates; a rejected one is named with its reason.
    """
    wanted = _plain_text(record)
    notes = []
    for other in snapshot.records:
        if other.path == record.path or not _same_audience(record, other):
            continue
        if other.id in record.supersedes:  # it is there to take its place
            continue
        if _plain_text(other) != wanted or not periods_overlap(record, other, now):
            continue
        if other.status in IN_FORCE or other.status is Status.CANDIDATE:
            text = f"same text as {other.id} ({other.title}), {other.status}"
            hint = f"Drop one of them: mvault reject {record.id} --reason duplicate"
            notes.append(Diagnostic(record.path, 0, "duplicate-text", "note", text, hint))
        elif other.status is Status.REJECTED:
            text = f"same text as {other.id}, which was rejected{_rejected_reason(other)}"
            notes.append(Diagnostic(record.path, 0, "rejected-before", "note", text))
    return tuple(notes)


def _plain_text(record: Record) -> str:
    lead, sections = split_sections(record.body)
    text = " ".join([lead, *(section.text for section in sections)])
    return " ".join(unicodedata.normalize("NFC", text).split()) or record.title.strip()


def _same_audience(one: Record, other: Record) -> bool:
    return one.scope == other.scope or "global" in (one.scope.level, other.scope.level)


def _rejected_reason(record: Record) -> str:
    rejected = record.fields.get("rejected")
    reason = rejected.get("reason") if isinstance(rejected, Mapping) else None
    return f": {reason}" if reason else ""
