r"""dsh-error-improvement 0.1 to 0.3: Markdown lists of keys, or lessons in a settings document.

Format: 07-import-formats. The plugin's own way of undoing `\n` is not reversible (fault 1); here
a value is read once from left to right.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from vault_cli.hosts.importers.port import Basket, Raw, head_of
from vault_cli.hosts.importers.values import Fields, claims_of, one_line, text_of
from vault_cli.model.foreign import Item
from vault_cli.model.record import Kind

FORMAT: Final = "error-improvement"
_ENTRY: Final = re.compile(r"## +(\S+)[ \t]*")
_PAIR: Final = re.compile(r"- +([a-z_]+):[ \t]?(.*)")
_DRAFT: Final = re.compile(
    r"<!--\s*draft-kind:\s*([^;]*);\s*from:\s*([^;]*);\s*created:\s*(.*?)\s*-->"
)
_ESCAPE: Final = re.compile(r"\\(.)", re.DOTALL)
_MADE: Final = b"format: v1"
_FILES: Final = ("lessons.md", "recipes.md", "decisions.md")
_CLAIMS: Final = (
    "confirmed", "enabled", "maturity", "hits", "created", "updated", "last_hit", "evidence",
    "attributed_to", "scope",
)  # fmt: skip
_PLACED: Final = frozenset(
    {"id", "title", "kind", "applies_when", "mistake", "prevention", "problem", "solution"}
    | {"keywords", "supersedes", *_CLAIMS}
)
_LOOKED_AT: Final = 1 << 20
_NAMES: Final = {Kind.RECIPE: ("problem", "steps"), Kind.LESSON: ("problem", "correction")}
_KINDS: Final = {"recipe": Kind.RECIPE, "decision": Kind.DECISION, "lesson": Kind.LESSON}


def fits(root: Path) -> bool:
    """Tell whether a folder has the plugin's memory files, or a file its settings."""
    if root.is_file():
        return root.suffix == ".json" and b'"error-improvement"' in head_of(root, _LOOKED_AT)
    files = [_top(root) / "memory" / name for name in _FILES]
    return any(_MADE in head_of(path, _LOOKED_AT) for path in files)


def _top(root: Path) -> Path:
    return root / "error-improvement" if (root / "error-improvement").is_dir() else root


def read(basket: Basket) -> None:
    """Read lessons, recipes, decisions and drafts; queues and counters are named, not taken."""
    if basket.root.is_file():
        _read_settings(basket, basket.root)
        return
    top = _top(basket.root)
    for path in basket.walk():
        below = path.relative_to(top).as_posix() if path.is_relative_to(top) else path.name
        if below.startswith("memory/") and path.suffix == ".md":
            found = basket.read_text(path)
            if found is not None:
                _read_entries(basket, *found)
        elif below == "memory/candidates.jsonl":
            basket.skip(path, "a queue of raw messages, which nobody has looked at")
        elif below == "state.json":
            _read_state(basket, path)
        elif path.suffix == ".json" and b'"error-improvement"' in head_of(path, _LOOKED_AT):
            _read_settings(basket, path)
        else:
            basket.skip(path, "not a memory")


def unescape(value: str) -> str:
    r"""Undo `\n` and `\\`, once from left to right: `C:\\new` is `C:\new`, `C:\run` itself."""
    return _ESCAPE.sub(lambda m: {"n": "\n", "\\": "\\"}.get(m[1], m[0]), value)


def _read_entries(basket: Basket, raw: Raw, text: str) -> None:
    draft = _DRAFT.search(text[:500])
    more = {"draft_kind": draft[1], "draft_from": draft[2], "drafted": draft[3]} if draft else {}
    for line, own, values in _entries(text):
        if not values.get("title", "").strip():
            basket.note(raw.path, "no-title", f"{own} has no title; not taken", line=line)
            continue
        fallback = {"recipes.md": "recipe", "decisions.md": "decision"}.get(raw.path.name, "lesson")
        kind = values.get("kind") or (draft[1].strip() if draft else "") or fallback
        basket.add(_item(raw, line, own, {**values, "kind": kind}, more))


def _entries(text: str) -> Iterator[tuple[int, str, dict[str, str]]]:
    own, line = "", 0
    values: dict[str, str] = {}
    for number, row in enumerate(text.split("\n"), 1):
        found = _ENTRY.fullmatch(row.strip())
        if found:
            if own:
                yield line, own, values
            own, line, values = found[1], number, {}
            continue
        pair = _PAIR.fullmatch(row.strip()) if own else None
        if pair:
            values[pair[1]] = unescape(pair[2]).strip()
    if own:
        yield line, own, values


def _item(
    raw: Raw, line: int, own: str, values: Mapping[str, Any], more: Mapping[str, str]
) -> Item:
    kind = _kind_of(own, text_of(values.get("kind")))
    fields = Fields(values)
    texts = {key: fields.text(key) for key in _PLACED - {"keywords"}}
    first, second = _NAMES.get(kind, ("problem", "why"))
    problem, more_problem = _first_of(texts["problem"], texts["mistake"])
    answer, more_answer = _first_of(texts["solution"], texts["prevention"])
    rest = "\n\n".join(filter(None, (more_problem, more_answer)))
    words = values.get("keywords")
    listed = Fields({"keywords": re.split(r"[,，、]", words) if isinstance(words, str) else words})
    keywords = listed.texts("keywords")
    return Item(
        alias=f"{FORMAT}:{own}",
        kind=kind,
        title=one_line(texts["title"]),
        body=texts["title"] if "\n" in texts["title"] else "",
        sections={k: v for k, v in ((first, problem), (second, answer), ("notes", rest)) if v},
        applies_when=" ".join(texts["applies_when"].split()),
        keywords=keywords,
        file=raw.shown,
        sha256=raw.sha256,
        line=line,
        supersedes=tuple(
            f"{FORMAT}:{one}" for one in re.split(r"[,\s]+", texts["supersedes"]) if one
        ),
        source="agent",
        claims=claims_of(
            {
                "id": own,
                **fields.rest(*_PLACED - {"keywords"}),
                **listed.rest(),
                "kind": texts["kind"] or values.get("kind"),
                **{k: values.get(k) for k in _CLAIMS},
                **more,
            }
        ),
        left=tuple(sorted(set(values) - _PLACED)),
    )


def _first_of(one: str, other: str) -> tuple[str, str]:
    """Return what is said, and what is said besides: an entry may have a text in both keys."""
    return (one, other) if one else (other, "")


def _kind_of(own: str, said: str) -> Kind:
    if own.startswith("decision-"):
        return Kind.DECISION
    return _KINDS.get(said, Kind.LESSON)


def _read_state(basket: Basket, path: Path) -> None:
    """Read `state.json`: recipes of version 1; counters of later versions are not taken."""
    found = basket.read_json(path)
    if found is None:
        return
    raw, value = found
    recipes = value.get("recipes") if isinstance(value, dict) else None
    before = len(basket.items)
    _add_listed(basket, raw, recipes, "recipe")
    if len(basket.items) == before:
        basket.skip(path, "counters of errors and guards that were made of them")


def _read_settings(basket: Basket, path: Path) -> None:
    found = basket.read_json(path)
    if found is None:
        return
    raw, value = found
    own = value.get("error-improvement", value) if isinstance(value, dict) else {}
    _add_listed(basket, raw, own.get("lessons") if isinstance(own, dict) else None, "lesson")


def _add_listed(basket: Basket, raw: Raw, given: Any, kind: str) -> None:
    items = list(given.values()) if isinstance(given, dict) else given
    for number, entry in enumerate(items if isinstance(items, list) else [], 1):
        if not isinstance(entry, dict) or not text_of(entry.get("title")):
            basket.note(raw.path, "no-title", f"{kind} {number} has no title; not taken")
            continue
        own = text_of(entry.get("id")) or f"{raw.stem}-{kind}-{number}"
        basket.add(_item(raw, 0, own, {"kind": kind, **entry}, {}))
