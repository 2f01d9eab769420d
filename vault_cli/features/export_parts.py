"""What the formats of an export share: records with their bytes, texts without titles.

May import `text`, `model`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from vault_cli.model.foreign import CLAIMED
from vault_cli.model.record import Record
from vault_cli.text.sections import split_sections


@dataclass(frozen=True, slots=True)
class Entry:
    """One record with its bytes."""

    record: Record
    data: bytes


@dataclass(frozen=True, slots=True)
class Bundle:
    """What an export writes.

    Args:
        files: bytes by path below the target folder.
        single: the name of the one file that may go to stdout, "" when there are several.
        lost: keys that the format has no place for, by record id.
    """

    files: Mapping[str, bytes]
    single: str = ""
    lost: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


def plain_body(record: Record, *, without: tuple[str, ...] = ()) -> str:
    """Return the text below the title, without some sections."""
    lead, sections = split_sections(record.body, record.kind)
    parts = [lead.strip("\n")] if lead.strip() else []
    parts += [f"## {s.heading}\n{s.text}" for s in sections if s.name not in without]
    return "\n\n".join(parts)


def section_of(record: Record, name: str) -> str:
    """Return the text of a section, "" when there is none."""
    sections = split_sections(record.body, record.kind)[1]
    return next((section.text for section in sections if section.name == name), "")


def claims_in(record: Record) -> Mapping[str, Any]:
    """Return what the source of a record said of it."""
    claimed = record.fields.get(CLAIMED)
    return claimed if isinstance(claimed, Mapping) else {}


def parsed_claim(value: Any) -> Any:
    """Return a claim that was kept as JSON, None when it is no JSON."""
    try:
        return json.loads(value) if isinstance(value, str) else None
    except (ValueError, RecursionError):
        return None


def unplaced_keys(record: Record, placed: tuple[str, ...]) -> tuple[str, ...]:
    """Return the keys an author wrote that the format has no place for."""
    names = (
        "summary",
        "topics",
        "keywords",
        "applies_when",
        "boundary",
        "importance",
        "confidence",
    )
    more = ("valid_from", "valid_to", "checklist", "correction")
    said = [name for name in (*names, *more) if record.fields.get(name) not in (None, "", [])]
    return tuple(name for name in said if name not in placed)


def plain_value(value: Any) -> Any:
    """Return a value of front matter as JSON can hold it."""
    if isinstance(value, Mapping):
        return {str(key): plain_value(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain_value(item) for item in value]
    return value if value is None or isinstance(value, str | int | float | bool) else str(value)


def dump_json(value: Any) -> bytes:
    """Return a value as the bytes of a JSON file."""
    return (json.dumps(value, ensure_ascii=False, indent=2) + "\n").encode("utf-8", "replace")
