"""dsh-lessons: `tasks.jsonl` (reflections) and `lessons/lessons.jsonl` (patches folded by id).

Reconstructed from its documentation (07-import-formats): unknown kinds of record are tolerated,
unknown keys are kept as claims, patches are folded in the order of the file.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from vault_cli.hosts.importers.port import Basket, Raw
from vault_cli.hosts.importers.values import Fields, claims_of, one_line, text_of, texts_of
from vault_cli.model.foreign import Item
from vault_cli.model.record import Kind
from vault_cli.model.schema import CONFIDENCES

FORMAT: Final = "dsh-lessons"
_KINDS: Final = {
    "lesson": Kind.LESSON,
    "failure": Kind.FAILURE,
    "directive": Kind.RULE,
    "fact": Kind.FACT,
    "preference": Kind.PREFERENCE,
    "insight": Kind.INSIGHT,
    "recipe": Kind.RECIPE,
}
_PARTS: Final = ("attempted", "correction", "avoid", "instead", "critique")
_OTHER_FILES: Final = ("tool-events.jsonl", "error-events.jsonl")


def fits(root: Path) -> bool:
    """Tell whether a folder has the plugin's files."""
    return root.is_dir() and ((root / "tasks.jsonl").is_file() or _maintained(root).is_file())


def _maintained(root: Path) -> Path:
    return root / "lessons" / "lessons.jsonl"


def read(basket: Basket) -> None:
    """Read the lessons of reflections, then what the maintained file says of them."""
    root = basket.base
    found: dict[str, dict[str, Any]] = {}
    if (root / "tasks.jsonl").is_file():
        _read_tasks(basket, root / "tasks.jsonl", found)
    if _maintained(root).is_file():
        _read_maintained(basket, _maintained(root), found)
    for own, entry in found.items():
        raw = entry.pop("_raw")
        if entry.get("tombstone") or entry.get("deleted"):
            basket.note(raw.path, "deleted-there", f"{own} was deleted over there; not taken")
            continue
        basket.add(_item(raw, own, entry))
    for path in basket.walk(".jsonl"):
        if path.name in _OTHER_FILES:
            basket.skip(path, "a log of events")


def _read_tasks(basket: Basket, path: Path, found: dict[str, dict[str, Any]]) -> None:
    tasks: dict[str, dict[str, Any]] = {}
    for raw, line, value in basket.lines(path):
        kind, task = text_of(value.get("record_type")), text_of(value.get("task_id"))
        if kind in ("open", "close"):
            tasks.setdefault(task, {}).update(value)
        elif kind == "reflection":
            lessons = value.get("lessons")
            for number, lesson in enumerate(lessons if isinstance(lessons, list) else [], 1):
                if isinstance(lesson, dict):
                    entry = dict(lesson)
                    entry |= {"_raw": raw, "_line": line, "task_id": task}
                    entry |= {"task_status": tasks.get(task, {}).get("status", "")}
                    entry |= {k: value[k] for k in ("assessment", "source") if k in value}
                    found[f"{task}#{number}"] = entry
        else:
            text = f"unknown kind of record {kind[:40] or '(none)'}; not taken"
            basket.note(path, "unknown-record", text, line=line)
    if tasks:
        count = "1 task is no memory" if len(tasks) == 1 else f"{len(tasks)} tasks are no memories"
        basket.note(path, "tasks-left", f"{count}; what was learned from them is taken")


def _read_maintained(basket: Basket, path: Path, found: dict[str, dict[str, Any]]) -> None:
    for raw, line, value in basket.lines(path):
        own = text_of(value.get("id")) or text_of(value.get("lesson_id"))
        if not own:
            basket.note(path, "no-id", "has no id; not taken", line=line, severity="warning")
            continue
        known = found.setdefault(own, {})
        known.update(value)
        known.update({"_raw": raw, "_line": line})


def _item(raw: Raw, own: str, entry: dict[str, Any]) -> Item:
    line = entry.pop("_line")
    fields = Fields(entry)
    said_kind = fields.text("kind")
    problem = fields.text("problem", "pattern")  # L-29
    body = fields.text("text", "content")
    parts = {"problem": problem, **{name: fields.text(name) for name in _PARTS}}
    confidence = text_of(entry.get("confidence")).lower()
    if confidence in CONFIDENCES:
        fields.take("confidence")
    session = text_of(entry.get("session_id"))
    whole = json.dumps(entry, ensure_ascii=False, sort_keys=True, default=str).encode()
    return Item(
        alias=f"{FORMAT}:{own}",
        kind=_KINDS.get(said_kind, Kind.LESSON),
        title=fields.text("title") or one_line(problem or body or own),
        body=body,
        sections={name: text for name, text in parts.items() if text},
        applies_when=fields.line("applies_when"),
        boundary=fields.line("boundary"),
        confidence=confidence if confidence in CONFIDENCES else "",
        file=raw.shown,
        sha256=raw.sha256,
        line=line,
        session=session if text_of(entry.get("scope")) == "session" else "",
        conflicts=tuple(f"{FORMAT}:{one}" for one in _ids(entry.get("conflicts"))),
        source="agent",
        claims=claims_of(
            {
                **fields.rest(),
                "id": own,
                "kind": said_kind or entry.get("kind"),
                "entry_sha256": hashlib.sha256(whole).hexdigest(),
            }
        ),
    )


def _ids(value: Any) -> tuple[str, ...]:
    items = value if isinstance(value, list) else []
    return texts_of([one.get("id") if isinstance(one, Mapping) else one for one in items])
