"""A mistake notebook (`LESSONS.md`): `## [E-001] title` and bullets, English or Chinese."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from vault_cli.hosts.importers.notes import Names, Part, read_note, slug_of, split_parts
from vault_cli.hosts.importers.port import Basket, Raw, head_of
from vault_cli.hosts.importers.values import claims_of
from vault_cli.model.foreign import Item
from vault_cli.model.record import Kind

FORMAT: Final = "notebook"
_HEADING: Final = re.compile(r"\[([A-Za-z]{1,4}-?\d{1,6})\][ \t]*(.*)")
_BULLET: Final = re.compile(
    r"[-*+][ \t]+(?:\*\*)?([^:：*\n]{1,40}?)(?:\*\*)?[ \t]*[:：](?:\*\*)?[ \t]*(.*)"
)
_SIGNS: Final = re.compile(r"^\W+|\W+$")
"""What stands around a label: blanks, and the crosses and ticks of the notebook's own tool."""

_LABELS: Final[Mapping[str, tuple[str, ...]]] = {
    "applies_when": ("trigger", "when", "scene", "触发", "触发场景", "触发条件", "场景"),
    "wrong": ("wrong", "wrong way", "mistake", "avoid", "错误", "错误做法", "错法"),
    "right": ("right", "right way", "correct", "fix", "correction", "正确", "正确做法", "对法"),
    "recurrence": ("recurrence", "count", "recurred", "times", "复发", "复发次数", "复现次数"),
    "level": ("level", "severity", "级别", "等级"),
    "source": ("source", "from", "来源", "出处"),
}
_NAMES: Final = {label: key for key, labels in _LABELS.items() for label in labels}
_BANS: Final = ("ban", "forbid", "never", "red", "🔴", "禁止", "禁令", "红")


def fits(root: Path) -> bool:
    """Tell whether a file, or `LESSONS.md` of a folder, has numbered entries."""
    path = root / "LESSONS.md" if root.is_dir() else root
    head = head_of(path).decode("utf-8", "replace") if path.suffix.lower() == ".md" else ""
    return any(_HEADING.match(line[3:]) for line in head.split("\n") if line.startswith("## "))


def read(basket: Basket) -> None:
    """Read the entries of the notebook."""
    path = basket.root if basket.root.is_file() else basket.root / "LESSONS.md"
    raw = basket.read(path)
    note = read_note(basket, raw) if raw is not None else None
    if raw is None or note is None:
        return
    names = Names()
    for part in split_parts(note.body, (2,)):
        found = _HEADING.fullmatch(part.heading)
        if found is None:
            if part.level and part.text.strip():
                text = f"“{part.heading[:60]}” has no number; not taken"
                basket.note(path, "no-number", text, line=part.line)
            continue
        basket.add(_item(raw, part, names.take(found[1].upper()), found[2].strip()))


def _item(raw: Raw, part: Part, own: str, title: str) -> Item:
    values, rest = _values(part.text)
    level = values.get("level", "")
    is_ban = any(word in level.lower() for word in _BANS)
    names = ("avoid", "instead") if is_ban else ("attempted", "correction")
    pairs = (
        ("problem", values.get("applies_when", "") or title),
        (names[0], values.get("wrong", "")),
        (names[1], values.get("right", "")),
        ("notes", rest),
    )
    claims = {key: values.get(key) for key in ("recurrence", "level", "source")}
    return Item(
        alias=f"{FORMAT}:{own}",
        kind=Kind.FAILURE if is_ban else Kind.LESSON,
        title=title or own,
        sections={key: text for key, text in pairs if text},
        applies_when=" ".join(values.get("applies_when", "").split())[:300],
        keywords=(slug_of(own),),
        file=raw.shown,
        sha256=raw.sha256,
        line=part.line,
        claims=claims_of({"id": own, **claims}),
    )


def _values(text: str) -> tuple[dict[str, str], str]:
    """Return the known bullets by our names, and all other lines."""
    values: dict[str, str] = {}
    rest: list[str] = []
    current = ""
    for line in text.split("\n"):
        found = _BULLET.fullmatch(line.strip()) if not line[:1].isspace() else None
        key = _NAMES.get(_SIGNS.sub("", found[1]).lower(), "") if found else ""
        if found and key:
            current = key
            values[key] = f"{values[key]}\n{found[2]}" if key in values else found[2]
        elif current and line[:1] in " \t" and line.strip():
            values[current] += f"\n{line.strip()}"
        else:
            current = ""
            rest.append(line)
    return {k: v.strip() for k, v in values.items()}, "\n".join(rest).strip()
