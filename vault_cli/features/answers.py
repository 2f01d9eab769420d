"""An agent's answer, JSON or Markdown, as values. May import `text`, `model`.

Both forms say the same. Markdown: what stands before the first level-2 heading is the assessment;
each level-2 heading begins an item, whose fields are a list of `- name: value` below it and whose
sections are level-3 headings, or one line of that list. Names may be English or Chinese.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from vault_cli.errors import UsageError
from vault_cli.features.parts import HEADINGS
from vault_cli.text.late import late
from vault_cli.text.sections import NAMES

MOST_ITEMS: Final = 20
_SECTIONS: Final = frozenset(HEADINGS) - {"critique"}
_FIELDS: Final[Mapping[str, tuple[str, ...]]] = {
    "item": ("item", "items", "条目"),
    "decision": ("decision", "决定"),
    "relation": ("relation", "关系"),
    "question": ("question", "问题编号"),
    "kind": ("kind", "type", "类型", "种类"),
    "title": ("title", "标题"),
    "scope": ("scope", "范围"),
    "boundary": ("boundary", "边界"),
    "applies_when": ("applies_when", "applies when", "when", "适用", "适用条件"),
    "confidence": ("confidence", "把握", "置信度"),
    "importance": ("importance", "重要性"),
    "cites": ("cites", "evidence", "引用", "证据", "依据"),
    "revises": ("revises", "修订"),
    "repeats": ("repeats", "重复"),
    "evidence_task_ids": ("evidence_task_ids", "evidence tasks", "证据任务"),
    "override": ("override", "破例理由"),
    "differs": ("differs", "不同之处"),
    "reason": ("reason", "why", "理由", "原因"),
    "topics": ("topics", "tags", "主题"),
    "keywords": ("keywords", "关键词"),
    "text": ("text", "body", "正文"),
    "thesis": ("thesis", "正题"),
    "antithesis": ("antithesis", "反题"),
    "synthesis": ("synthesis", "合题"),
    "assessment": ("assessment", "评估", "评价"),
    "understanding": ("understanding", "理解"),
    "run": ("run", "运行"),
}
_BY_NAME: Final = {name: key for key, names in _FIELDS.items() for name in names}
_BY_HEADING: Final = {
    **{name: key for key, names in NAMES.items() for name in names if key in _SECTIONS},
    **{text.casefold(): key for key, pair in HEADINGS.items() for text in pair if key in _SECTIONS},
}
_LISTS: Final = frozenset({"cites", "evidence_task_ids", "topics", "keywords", "item"})
_BULLET: Final = late(r"[-*+]\s+\**([^:：*]{1,40}?)\**\s*[:：]\s*(.*)")
_VALUES: Final[Mapping[str, Mapping[str, str]]] = {
    "relation": {"新增": "new", "重复": "repeat", "修订": "revise", "无": "none"},
    "confidence": {"低": "low", "中": "medium", "高": "high"},
    "decision": {"起草": "draft", "丢弃": "drop", "跳过": "skip"},
    "kind": {
        "directive": "rule", "教训": "lesson", "失败": "failure", "规则": "rule",
        "事实": "fact", "偏好": "preference", "洞见": "insight", "假设": "hypothesis",
        "配方": "recipe", "笔记": "note", "经验": "lesson", "流程": "recipe", "决策": "decision",
    },
    "scope": {"全局": "global", "项目": "project", "本会话": "reflection", "会话": "reflection"},
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Item:
    """One thing an answer says.

    Args:
        number: its place, from 1, for messages.
        values: texts by field name; `""` is not there.
        lists: lists by field name.
        sections: texts by canonical section name.
        critique: the argument of an adversarial review, None for none.
        required: the answer called it a directive: it must be followed.
        conflicts: ids and types.
        unknown: fields and headings that mean nothing here.
    """

    number: int
    values: Mapping[str, str] = field(default_factory=dict)
    lists: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    sections: Mapping[str, str] = field(default_factory=dict)
    critique: Any = None
    required: bool = False
    conflicts: tuple[Mapping[str, str], ...] = ()
    unknown: tuple[str, ...] = ()

    def get(self, name: str) -> str:
        """Return one text, "" for none."""
        return self.values.get(name, "")

    def all(self, name: str) -> tuple[str, ...]:
        """Return one list."""
        return self.lists.get(name, ())


@dataclass(frozen=True, slots=True)
class Answer:
    """What an agent answered: fields of the whole, and its items."""

    values: Mapping[str, str]
    items: tuple[Item, ...]

    def get(self, name: str) -> str:
        """Return one field of the whole, "" for none."""
        return self.values.get(name, "")


def read_answer(text: str) -> Answer:
    """Read an answer in either form.

    Raises:
        UsageError: it is neither, or a value has the wrong type.
    """
    plain = text.strip()
    if not plain:
        raise UsageError("the answer is empty", hint="Give JSON or Markdown: --answer FILE or -")
    if plain[0] in "{[":
        return _from_json(plain)
    if re.search(r"(?m)^##[ \t]+\S", plain):
        return _from_markdown(plain)
    fence = re.search(r"(?ms)^(```|~~~)json\s*\n(.*?)^\1\s*$", plain)
    if fence:
        return _from_json(fence[2].strip())
    return _from_markdown(plain)


def _load(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise UsageError(f"the answer is not JSON: {error}") from error


def _from_json(text: str) -> Answer:
    data = _load(text)
    whole = {"lessons": data} if isinstance(data, list) else data
    rows: list[Any] = []
    values: dict[str, str] = {}
    for key, value in whole.items():
        if key in ("lessons", "insights", "items", "candidates"):
            rows += value if isinstance(value, list) else [value]
        elif _name(key) in _FIELDS and isinstance(value, str | int | float):
            values[_name(key)] = _settled(_name(key), str(value))
    if not all(isinstance(row, Mapping) for row in rows):
        raise UsageError("the items of the answer must be JSON objects")
    return _whole(values, [_json_item(n, row) for n, row in enumerate(rows, 1)])


def _name(key: str) -> str:
    plain = " ".join(str(key).strip().casefold().split())
    return _BY_NAME.get(plain) or _BY_NAME.get(plain.replace(" ", "_"), plain)


_FOREIGN: Final = {
    "content": "text",
    "questionid": "question",
    "sourcememoryids": "cites",
    "pattern": "problem",
    "when": "applies_when",
}
"""Names of other tools for the same fields."""


def _json_item(number: int, row: Mapping[str, Any]) -> Item:
    builder = _Builder(number)
    for key, value in row.items():
        plain = str(key).strip()
        name = _FOREIGN.get(plain.casefold(), plain)
        if name == "critique":
            builder.critique = value
        elif name == "conflicts":
            builder.add_conflicts(value)
        elif name == "sections" and isinstance(value, Mapping):
            for heading, text in value.items():
                builder.add_section(str(heading), _text(number, heading, text))
        elif name.casefold() in _SECTIONS - {"when", "boundary", "why"}:
            builder.add_section(name, _text(number, name, value))
        else:
            builder.add(name, value)
    return builder.item()


def _text(number: int, key: object, value: Any) -> str:
    if isinstance(value, list) and all(isinstance(part, str) for part in value):
        return "\n".join(f"{place}. {part}" for place, part in enumerate(value, 1))
    if value is None or isinstance(value, str):
        return value or ""
    raise UsageError(f"item {number}: {key} must be text")


class _Builder:
    """Collects the parts of one item, whichever form they come in."""

    def __init__(self, number: int) -> None:
        self.number = number
        self.values: dict[str, str] = {}
        self.lists: dict[str, tuple[str, ...]] = {}
        self.sections: dict[str, str] = {}
        self.critique: Any = None
        self.conflicts: tuple[Mapping[str, str], ...] = ()
        self.unknown: list[str] = []
        self.required = False

    def add(self, key: str, value: Any) -> None:
        """Take a field; one that means nothing here is named and not believed."""
        name = _name(key)
        if name not in _FIELDS:
            self.unknown.append(str(key)[:40])
        elif name in _LISTS:
            self.lists[name] = tuple(_parts(self.number, key, value))
        elif value is None or isinstance(value, str | int | float):
            text = "" if value is None or value is False else str(value).strip()
            self.required |= name == "kind" and text.casefold() == "directive"
            self.values[name] = _settled(name, text)
        else:
            raise UsageError(f"item {self.number}: {key} must be text")

    def add_section(self, heading: str, text: str) -> None:
        """Take a section under its canonical name."""
        plain = " ".join(heading.strip().casefold().split())
        name = _BY_HEADING.get(plain)
        if name is None:
            self.unknown.append(heading[:40])
        else:
            self.sections[name] = text.strip()

    def add_conflicts(self, value: Any) -> None:
        """Take what it disagrees with: ids, or maps of id and type."""
        rows = value if isinstance(value, list) else [value]
        pairs = [{"id": row} if isinstance(row, str) else row for row in rows if row]
        if not all(isinstance(row, Mapping) and row.get("id") for row in pairs):
            raise UsageError(f"item {self.number}: conflicts is a list of id and type")
        self.conflicts = tuple(
            {str(key): str(text) for key, text in row.items() if key in ("id", "type")}
            for row in pairs
        )

    def item(self) -> Item:
        """Return what was collected."""
        return Item(
            self.number, self.values, self.lists, self.sections, self.critique,
            self.required, self.conflicts, tuple(self.unknown),
        )  # fmt: skip


def _settled(name: str, text: str) -> str:
    """Return a value in the words of the format, where it was given in others."""
    plain = text.strip()
    known = _VALUES.get(name)
    return known.get(plain.casefold(), plain.casefold()) if known is not None else plain


def _parts(number: int, key: str, value: Any) -> Sequence[str]:
    if isinstance(value, str):
        return [part for part in re.split(r"[\s,，、;；\[\]]+", value) if part]
    if value is None:
        return []
    if isinstance(value, list) and all(isinstance(part, str) for part in value):
        return [part.strip() for part in value if part.strip()]
    raise UsageError(f"item {number}: {key} must be a list of texts")


def _from_markdown(text: str) -> Answer:
    lead, *parts = re.split(r"(?m)^##[ \t]+(?=\S)", _hidden_fences(text))
    values: dict[str, str] = {}
    prose = []
    for line in lead.splitlines():
        found = _BULLET.match(line)
        name = _name(found[1]) if found else ""
        if found and name in _FIELDS:
            values[name] = _settled(name, found[2])
        elif not line.startswith("# "):
            prose.append(line)
    assessment = _shown_fences("\n".join(prose)).strip()
    if assessment:
        values.setdefault("assessment", assessment)
    items: list[Item] = []
    for part in parts:
        heading, _, body = part.partition("\n")
        if _name(heading) in ("assessment", "understanding"):
            values[_name(heading)] = _shown_fences(body).strip()
        else:
            items.append(_markdown_item(len(items) + 1, heading, body))
    return _whole(values, items)


_LABEL: Final = late(r"(?i)(?:lesson|insight|item|candidate|教训|洞见|条目)\s*\d*\s*[:：.]\s*")


def _markdown_item(number: int, heading: str, body: str) -> Item:
    builder = _Builder(number)
    builder.values["title"] = _LABEL.sub("", heading.strip(), count=1)
    lead, *sections = re.split(r"(?m)^###[ \t]+(?=\S)", body)
    prose = []
    for line in lead.splitlines():
        found = _BULLET.match(line)
        if found and _name(found[1]) not in _FIELDS and found[1].strip().casefold() in _BY_HEADING:
            builder.add_section(found[1], _shown_fences(found[2]))
        elif found:
            builder.add(found[1], _shown_fences(found[2]))
        else:
            prose.append(line)
    text = _shown_fences("\n".join(prose)).strip()
    if text:
        builder.values["text"] = text
    for section in sections:
        title, _, told = section.partition("\n")
        told = _shown_fences(told).strip()
        if title.strip().casefold() in ("critique", "论证"):
            fence = re.search(r"(?ms)^(```|~~~)json\s*\n(.*?)^\1\s*$", told)
            builder.critique = _load(fence[2]) if fence else _bullets(told)
        else:
            builder.add_section(title, told)
    return builder.item()


def _bullets(text: str) -> dict[str, str]:
    found = map(_BULLET.match, text.splitlines())
    return {hit[1].strip().casefold().replace(" ", "_"): hit[2] for hit in found if hit}


_HIDDEN: Final = "\ue000"


def _hidden_fences(text: str) -> str:
    """Put a mark before the lines of code fences, so that no heading is seen in them."""
    inside, lines = "", []
    for line in text.splitlines():
        mark = line.lstrip()[:3]
        opens = not inside and mark in ("```", "~~~")
        lines.append(f"{_HIDDEN}{line}" if inside or opens else line)
        if opens:
            inside = mark
        elif inside and line.strip() == inside:
            inside = ""
    return "\n".join(lines)


def _shown_fences(text: str) -> str:
    return text.replace(_HIDDEN, "")


def _whole(values: dict[str, str], items: Sequence[Item]) -> Answer:
    if len(items) > MOST_ITEMS:
        raise UsageError(f"the answer has {len(items)} items; at most {MOST_ITEMS} are taken")
    return Answer(values, tuple(items))
