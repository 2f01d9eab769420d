"""dsh-cognition-engine: its JSON export, or `cognition-state.json` with `cognition-playbook.json`.

Key names are those of its documentation; how they are nested is not known for certain, so lists of
memories and of playbook entries are looked for wherever they stand, and what has no place is kept.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from vault_cli.hosts.importers.port import Basket, Raw, head_of
from vault_cli.hosts.importers.values import Fields, claims_of, one_line, text_of
from vault_cli.model.foreign import Item
from vault_cli.model.record import Kind

FORMAT: Final = "cognition-engine"
_KINDS: Final = {
    "fact": Kind.FACT, "preference": Kind.PREFERENCE, "lesson": Kind.LESSON,
    "insight": Kind.INSIGHT, "decision": Kind.DECISION, "correction": Kind.LESSON,
    "failure": Kind.FAILURE, "rule": Kind.RULE, "resource": Kind.RESOURCE,
}  # fmt: skip
_FILES: Final = ("cognition-state.json", "cognition-playbook.json")
_IDS: Final = ("mem-", "ctxt-")
_MARKS: Final = (b'"mem-', b'"ctxt-')


def fits(root: Path) -> bool:
    """Tell whether a folder has the engine's state, or a file looks like its export."""
    if root.is_dir():
        return any((root / name).is_file() for name in _FILES)
    head = head_of(root, 1 << 20) if root.suffix == ".json" else b""
    return any(mark in head for mark in _MARKS)


def read(basket: Basket) -> None:
    """Read memories and playbook entries."""
    for path in basket.walk():
        if path.suffix != ".json" or (basket.root.is_dir() and path.name not in _FILES):
            basket.skip(path, "not a memory")
            continue
        found = basket.read_json(path)
        if found is None:
            continue
        before = len(basket.items)
        for entry in _entries(found[1]):
            if text_of(entry["id"]).startswith(_IDS):
                basket.add(_item(found[0], entry))
            else:
                text = f"its id is none of the engine's: {str(entry['id'])[:40]}; not taken"
                basket.note(path, "no-id", text, severity="warning")
        if len(basket.items) == before:
            basket.skip(path, "no memories found in it")


def _entries(value: Any, depth: int = 0) -> Iterator[dict[str, Any]]:
    """Yield the objects that have an id and a text, wherever they stand."""
    if isinstance(value, dict):
        if "id" in value and Fields(value).text("content", "text"):
            yield value
            return
        for item in value.values():
            yield from _entries(item, depth + 1)
    elif isinstance(value, list):
        for item in value:
            yield from _entries(item, depth + 1)


def _item(raw: Raw, entry: dict[str, Any]) -> Item:
    own = text_of(entry["id"])
    is_rule = own.startswith("ctxt-")
    fields = Fields(entry)
    said = fields.text("content", "text")
    said_kind = text_of(entry.get("kind")).lower()
    item = Item(
        alias=f"{FORMAT}:{own}",
        kind=Kind.RULE if is_rule else _KINDS.get(said_kind, Kind.NOTE),
        title=one_line(said, 110),
        body=said,
        topics=fields.texts("topics"),
        applies_when=fields.line("when"),
        file=raw.shown,
        sha256=raw.sha256,
        checklist=is_rule and fields.is_true("checklist"),
        correction=said_kind == "correction",
        valid_from=fields.when("validFrom"),
        valid_to=fields.when("validTo"),
        conflicts=tuple(f"{FORMAT}:{one}" for one in fields.texts("conflictWith")),
    )
    dates = {key: fields.instant(key) for key in ("recordedAt", "supersededAt")}
    by = {"superseded_by": fields.text("supersededBy")}
    return replace(item, claims=claims_of({**dates, **by, **fields.rest()}))
