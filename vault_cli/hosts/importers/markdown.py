"""A folder of Markdown notes of anybody's making, or an Obsidian vault: one note, one draft."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from vault_cli.hosts.importers.notes import front_text, read_note
from vault_cli.hosts.importers.port import Basket, Raw
from vault_cli.hosts.importers.values import claims_of, importance_of, one_line, texts_of
from vault_cli.model.foreign import Item
from vault_cli.model.record import Kind
from vault_cli.model.schema import CONFIDENCES
from vault_cli.text.lines import first_heading

FORMAT: Final = "markdown"
_ENDINGS: Final = (".md", ".markdown")
_NOT_NOTES: Final = frozenset({"readme.md", "license.md", "changelog.md"})
_TEMPLATES: Final = frozenset({"templates", "_templates", "模板"})
_PLACED: Final = frozenset(
    {"title", "tags", "topics", "kind", "type", "aliases", "keywords", "summary", "description"}
    | {"importance", "confidence", "applies_when", "boundary", "valid_from", "valid_to"}
)
_KINDS: Final = {str(kind) for kind in Kind} - {
    "skill",
    "topic",
    "task",
    "ticket",
    "reflection",
    "persona",
}


def fits(root: Path) -> bool:
    """Tell whether there is a Markdown file at all."""
    if root.is_file():
        return root.suffix.lower() in _ENDINGS
    return next((p for p in root.rglob("*.md") if p.is_file()), None) is not None


def read(basket: Basket) -> None:
    """Read every Markdown file below the root."""
    for path in basket.walk(*_ENDINGS):
        below = path.relative_to(basket.base)
        if path.name.lower() in _NOT_NOTES and path != basket.root:
            basket.skip(path, "about the folder, not a memory")
        elif _TEMPLATES & {part.lower() for part in below.parts[:-1]}:
            basket.skip(path, "a template")
        else:
            raw = basket.read(path)
            if raw is not None:
                _read_note(basket, raw)


def _read_note(basket: Basket, raw: Raw) -> None:
    note = read_note(basket, raw)
    if note is None:
        return
    if not note.body.strip():
        basket.skip(raw.path, "empty")
        return
    basket.add(note_item(raw, note.front, note.body, f"{basket.base.name}/{raw.name}"))


def note_item(
    raw: Raw, front: Mapping[str, Any], body: str, name: str, prefix: str = FORMAT
) -> Item:
    """Return a note as an item; keys that mean nothing here are kept as claims.

    Args:
        raw: the file.
        front: its keys.
        body: its text.
        name: its identity within the format.
        prefix: the format.
    """
    said = front_text(front, "kind", "type").lower()
    confidence = front_text(front, "confidence").lower()
    rest = {key: value for key, value in front.items() if key not in _PLACED}
    if said and said not in _KINDS:
        rest["type"] = said
    if confidence and confidence not in CONFIDENCES:
        rest["confidence"] = confidence
    return Item(
        alias=f"{prefix}:{name}",
        kind=Kind(said) if said in _KINDS else Kind.NOTE,
        title=front_text(front, "title") or first_heading(body) or raw.stem or one_line(body),
        body=body.strip("\n"),
        summary=front_text(front, "summary", "description"),
        topics=tuple(t.lstrip("#") for t in _words(front.get("topics") or front.get("tags"))),
        keywords=(*texts_of(front.get("keywords")), *texts_of(front.get("aliases"))),
        applies_when=front_text(front, "applies_when"),
        boundary=front_text(front, "boundary"),
        importance=importance_of(front.get("importance")),
        confidence=confidence if confidence in CONFIDENCES else "",
        valid_from=front_text(front, "valid_from"),
        valid_to=front_text(front, "valid_to"),
        file=raw.shown,
        sha256=raw.sha256,
        claims=claims_of(rest),
    )


def _words(value: Any) -> tuple[str, ...]:
    """Return tags, also those written as one text: `a, b`."""
    if isinstance(value, str):
        return texts_of(value.replace("，", ",").replace("、", ",").split(","))
    return texts_of(value)
