"""Our own JSON export (`mvault export json`): records come back as drafts with their ids."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

from vault_cli.hosts.importers.port import Basket, Raw, head_of
from vault_cli.hosts.importers.values import text_of
from vault_cli.model.foreign import CLAIMED, Item
from vault_cli.model.record import Record
from vault_cli.text.fields import read_record
from vault_cli.text.scan import ALL

FORMAT: Final = "mvault"
SCHEMA: Final = "mvault-export/1"
_OURS: Final = frozenset(
    {"id", "kind", "status", "title", "scope", "boundary", "topics", "tags", "applies_when"}
    | {"keywords", "summary", "importance", "confidence", "source", "origin", "created"}
    | {"valid_from", "valid_to", "supersedes", "conflicts", "derived_from", "evidence", "aliases"}
    | {"force", "checklist", "correction", "verification", "allow", CLAIMED}
)


def fits(root: Path) -> bool:
    """Tell whether a file is our export."""
    return root.suffix == ".json" and SCHEMA.encode() in head_of(root, 4096)


def read(basket: Basket) -> None:
    """Read every record of an export; admission is not taken over."""
    for path in basket.walk(".json"):
        found = basket.read_json(path)
        if found is None:
            continue
        raw, value = found
        if not isinstance(value, dict) or value.get("format") != SCHEMA:
            basket.fail(path, f"is no export of ours ({SCHEMA})")
            continue
        records = value.get("records")
        for entry in records if isinstance(records, list) else []:
            _take(basket, raw, entry)


def _take(basket: Basket, raw: Raw, entry: Any) -> None:
    text = entry.get("text") if isinstance(entry, dict) else None
    if not isinstance(text, str):
        basket.note(raw.path, "no-text", "a record without text; not taken", severity="warning")
        return
    record, found = read_record(
        text.encode("utf-8", "replace"), text_of(entry.get("path")) or "memories/r.md", ALL
    )
    if record is None:
        why = next(item.message for item in found if item.severity == "error")
        name = text_of(entry.get("path"))
        basket.note(raw.path, "unreadable-record", f"{name}: {why}", severity="warning")
        return
    basket.add(_item(raw, record))


def _item(raw: Raw, record: Record) -> Item:
    claimed = record.fields.get(CLAIMED)
    claims = dict(claimed) if isinstance(claimed, dict) else {}
    counted = {
        key: record.fields[key]
        for key in ("status", "created", "source", "origin", "verification", "allow")
        if record.fields.get(key) not in (None, "", [])
    }
    evidence = record.fields.get("evidence")
    return Item(
        alias=f"mvault:{record.id}",
        kind=record.kind,
        title=record.title,
        body=record.body.strip("\n"),
        file=raw.shown,
        sha256=raw.sha256,
        scope=str(record.scope),
        record_id=record.id,
        names=record.aliases,
        topics=record.topics,
        keywords=record.keywords,
        summary=record.summary,
        applies_when=record.applies_when,
        boundary=record.boundary,
        importance=record.importance,
        confidence=record.confidence,
        source=record.source or "import",
        valid_from=text_of(record.fields.get("valid_from")),
        valid_to=text_of(record.fields.get("valid_to")),
        required=record.required,
        checklist=record.checklist,
        correction=record.correction,
        evidence=tuple(e for e in evidence if isinstance(e, dict))
        if isinstance(evidence, list)
        else (),
        supersedes=tuple(f"mvault:{one}" for one in record.supersedes),
        conflicts=tuple(f"mvault:{one}" for one, _ in record.conflicts),
        derived_from=tuple(f"mvault:{one}" for one in record.derived_from),
        claims={**claims, **{f"exported_{key}": str(value) for key, value in counted.items()}},
        extra={k: v for k, v in record.fields.items() if k not in _OURS},
    )
