"""mem0's JSON: a list of memories, bare or below `results` or `memories`."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

from vault_cli.hosts.importers.port import Basket, Raw, head_of
from vault_cli.hosts.importers.values import (
    Fields,
    claims_of,
    importance_of,
    one_line,
    text_of,
    when_of,
)
from vault_cli.model.foreign import Item
from vault_cli.model.record import Kind

FORMAT: Final = "mem0"
_TEXTS: Final = ("memory", "text", "data")


def fits(root: Path) -> bool:
    """Tell whether a file holds mem0's memories."""
    head = head_of(root) if root.suffix == ".json" else b""
    return b'"memory"' in head and (
        b'"user_id"' in head or b'"hash"' in head or b'"results"' in head
    )


def read(basket: Basket) -> None:
    """Read every memory of every JSON file."""
    for path in basket.walk(".json"):
        found = basket.read_json(path)
        if found is None:
            continue
        raw, value = found
        for number, entry in enumerate(_memories(value), 1):
            key = _text_key(entry)
            if not key:
                text = f"entry {number} has no text; not taken"
                basket.note(path, "no-text", text, severity="warning")
                continue
            basket.add(_item(raw, number, entry, key))


def _text_key(entry: Any) -> str:
    """Return the first key that holds the text of a memory, "" for none."""
    given = [(key, entry.get(key)) for key in _TEXTS] if isinstance(entry, dict) else []
    return next((key for key, text in given if isinstance(text, str) and text.strip()), "")


def _memories(value: Any) -> list[Any]:
    if isinstance(value, dict):
        value = next((value[key] for key in ("results", "memories") if key in value), [])
    return value if isinstance(value, list) else []


def _item(raw: Raw, number: int, entry: dict[str, Any], key: str) -> Item:
    own = text_of(entry.get("id")) or text_of(entry.get("hash")) or f"{raw.stem}-{number}"
    fields = Fields(entry)
    given = entry.get("metadata")
    metadata = fields.take("metadata") if isinstance(given, dict) else {}
    topics = fields.texts("categories")
    fields.text("id")
    said = fields.text(key)
    rest = fields.rest() | {f"metadata.{key}": value for key, value in metadata.items()}
    return Item(
        alias=f"{FORMAT}:{own}",
        kind=Kind.FACT,
        title=one_line(said, 110),
        body=said,
        topics=topics,
        importance=importance_of(metadata.get("importance")),
        file=raw.shown,
        sha256=raw.sha256,
        source="agent",
        valid_to=when_of(entry.get("expiration_date")),
        claims=claims_of(rest),
    )
