"""dsh-cognition-engine: its JSON export, or `cognition-state.json` with `cognition-playbook.json`.

Key names are those of its documentation; how they are nested is not known for certain, so lists of
memories and of playbook entries are looked for wherever they stand, and what has no place is kept.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from vault_cli.hosts.importers.port import Basket, Raw
from vault_cli.hosts.importers.values import claims_of, instant_of, one_line, text_of, texts_of
from vault_cli.model.foreign import Item
from vault_cli.model.record import Kind

FORMAT: Final = "cognition-engine"
_KINDS: Final = {
    "fact": Kind.FACT, "preference": Kind.PREFERENCE, "lesson": Kind.LESSON,
    "insight": Kind.INSIGHT, "decision": Kind.DECISION, "correction": Kind.LESSON,
    "failure": Kind.FAILURE, "rule": Kind.RULE, "resource": Kind.RESOURCE,
}  # fmt: skip
_FILES: Final = ("cognition-state.json", "cognition-playbook.json")
_MARKS: Final = (b'"mem-', b'"ctxt-')
_PLACED: Final = frozenset(
    {"content", "text", "topics", "validFrom", "validTo", "when", "supersededBy", "conflictWith"}
    | {"checklist"}
)


def fits(root: Path) -> bool:
    """Tell whether a folder has the engine's state, or a file looks like its export."""
    if root.is_dir():
        return any((root / name).is_file() for name in _FILES)
    if root.suffix != ".json":
        return False
    with root.open("rb") as stream:
        head = stream.read(1 << 20)
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
            basket.add(_item(found[0], entry))
        if len(basket.items) == before:
            basket.skip(path, "no memories found in it")


def _entries(value: Any, depth: int = 0) -> Iterator[dict[str, Any]]:
    """Yield the objects that have an id of the engine and a text, wherever they stand."""
    if isinstance(value, dict):
        own = text_of(value.get("id"))
        if own.startswith(("mem-", "ctxt-")) and (
            text_of(value.get("content")) or text_of(value.get("text"))
        ):
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
    said = text_of(entry.get("content")) or text_of(entry.get("text"))
    kind = Kind.RULE if is_rule else _KINDS.get(text_of(entry.get("kind")).lower(), Kind.NOTE)
    conflicts = texts_of(entry.get("conflictWith"))
    title = one_line(said, 110)
    rest = {k: v for k, v in entry.items() if k not in _PLACED}
    dates: dict[str, Any] = {
        k: instant_of(entry[k]) for k in ("recordedAt", "supersededAt") if k in entry
    }
    return Item(
        alias=f"{FORMAT}:{own}",
        kind=kind,
        title=title,
        body=said,
        topics=texts_of(entry.get("topics")),
        applies_when=" ".join(text_of(entry.get("when")).split()),
        file=raw.shown,
        sha256=raw.sha256,
        checklist=entry.get("checklist") is True and is_rule,
        correction=text_of(entry.get("kind")).lower() == "correction",
        valid_from=instant_of(entry.get("validFrom")),
        valid_to=instant_of(entry.get("validTo")),
        conflicts=tuple(f"{FORMAT}:{one}" for one in conflicts),
        claims=claims_of({**rest, **dates, "superseded_by": entry.get("supersededBy")}),
    )
