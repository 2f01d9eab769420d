"""The MCP reference memory server: JSON lines of entities and relations, or one JSON object."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from vault_cli.hosts.importers.port import Basket, Raw, head_of
from vault_cli.hosts.importers.values import Fields, claims_of, echo_of, text_of, texts_of
from vault_cli.model.foreign import ECHO, Item
from vault_cli.model.record import Kind

FORMAT: Final = "memory-server"
_OBSERVATION: Final = "- "
_TYPES: Final = {"preference": Kind.PREFERENCE, "rule": Kind.RULE, "lesson": Kind.LESSON}


def fits(root: Path) -> bool:
    """Tell whether a file holds entities of the memory server."""
    if not root.is_file() or root.suffix not in (".json", ".jsonl"):
        return (root / "memory.jsonl").is_file() if root.is_dir() else False
    head = head_of(root)
    return b'"entityType"' in head or b'"entities"' in head


def read(basket: Basket) -> None:
    """Read every entity with what it is related to."""
    for path in basket.walk(".json", ".jsonl"):
        found = list(_objects(basket, path))
        entities: dict[str, tuple[Raw, int, dict[str, Any]]] = {}
        relations: dict[str, list[tuple[str, str]]] = {}
        for raw, line, value in found:
            name = text_of(value.get("name"))
            if name and "entityType" in value:
                _take_in(entities, name, raw, line, value)
            elif "relationType" in value:
                pair = (text_of(value.get("relationType")), text_of(value.get("to")))
                relations.setdefault(text_of(value.get("from")), []).append(pair)
            else:
                text = "neither an entity nor a relation; not taken"
                basket.note(path, "unknown-record", text, line=line)
        for name, entity in entities.items():
            basket.add(_item(name, entity, relations.pop(name, [])))
        for name in relations:
            text = f"relations of {name[:80]}, which is no entity, are not taken"
            basket.note(path, "dangling-relation", text, severity="warning")


def _take_in(
    entities: dict[str, tuple[Raw, int, dict[str, Any]]],
    name: str,
    raw: Raw,
    line: int,
    value: dict[str, Any],
) -> None:
    """Keep an entity; one that stands twice has the observations of both."""
    known = entities.get(name)
    if known is not None:
        both = [*texts_of(known[2].get("observations")), *texts_of(value.get("observations"))]
        value = {**known[2], "observations": both}
    entities[name] = (raw, known[1] if known else line, value)


def _objects(basket: Basket, path: Path) -> Iterator[tuple[Raw, int, dict[str, Any]]]:
    if path.suffix == ".jsonl":
        yield from basket.lines(path)
        return
    found = basket.read_json(path)
    if found is None:
        return
    raw, value = found
    lists = [value.get(key) for key in ("entities", "relations")] if isinstance(value, dict) else []
    for items in lists or [value]:
        for item in items if isinstance(items, list) else []:
            if isinstance(item, dict):
                yield raw, 0, item


def _item(
    name: str, entity: tuple[Raw, int, dict[str, Any]], relations: list[tuple[str, str]]
) -> Item:
    raw, line, value = entity
    fields = Fields(value)
    kind = fields.text("entityType")
    said = [" ".join(text.split("\n")) for text in fields.texts("observations")]
    mark = said.pop() if said and ECHO.fullmatch(said[-1]) else ""
    ours, echo = echo_of(name, "\n".join(said), mark)
    lines = [f"{_OBSERVATION}{text}" for text in said]
    lines += [f"{_OBSERVATION}{relation} [[{to}]]" for relation, to in relations if relation and to]
    if value.get("type") == "entity":
        fields.take("type")
    rest = fields.rest("type", "entityType", "observations")
    return Item(
        alias=f"mvault:{ours}" if ours else f"{FORMAT}:{name}",
        kind=_TYPES.get(kind.lower(), Kind.FACT),
        title=name,
        echo=echo,
        body="\n".join(lines),
        topics=(kind,) if kind else (),
        file=raw.shown,
        sha256=raw.sha256,
        line=line,
        claims=claims_of({**rest, "entity_type": kind}),
        left=tuple(sorted(set(value) - {"type", "name", "entityType", "observations"})),
    )
