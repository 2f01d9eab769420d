"""What a kind needs, and how its sections are headed. May import `text`, `model`."""

from __future__ import annotations

import unicodedata
from collections.abc import Collection, Mapping

from vault_cli.errors import Diagnostic, Severity
from vault_cli.model.record import Kind, Record
from vault_cli.text.sections import DESCRIBING, split_sections

HEADINGS: Mapping[str, tuple[str, str]] = {
    "problem": ("Problem", "问题"),
    "attempted": ("Attempted", "做法"),
    "correction": ("Correction", "修正"),
    "avoid": ("Avoid", "不要做"),
    "instead": ("Instead", "替代"),
    "when": ("When", "适用"),
    "steps": ("Steps", "步骤"),
    "test": ("How to test", "如何验证"),
    "boundary": ("Boundary", "边界"),
    "critique": ("Critique", "论证"),
    "why": ("Reason", "理由"),
}
"""Canonical section names in the order they are written, with English and Chinese headings."""

_NEEDS: Mapping[Kind, tuple[str, ...]] = {
    Kind.LESSON: ("problem", "correction"),
    Kind.FAILURE: ("problem", "avoid"),
    Kind.RULE: ("text", "applies_when"),
    Kind.INSIGHT: ("text", "derived_from"),
    Kind.HYPOTHESIS: ("text", "test"),
    Kind.RECIPE: ("problem", "steps"),
    Kind.SKILL: (),
    Kind.TASK: (),
    Kind.TICKET: (),
    Kind.REFLECTION: (),
}
_ALSO = {"test": ("verify",)}


def is_chinese(*texts: str) -> bool:
    """Tell whether the first text that has letters is written in Chinese characters."""
    for text in texts:
        letters = [char for char in text if char.isalpha()]
        if letters:
            han = sum("CJK UNIFIED" in unicodedata.name(char, "") for char in letters[:200])
            return han * 3 >= len(letters[:200])
    return False


def heading_of(name: str, *, chinese: bool, kind: str = "") -> str:
    """Return the heading for a canonical section name, or the name itself when it has none."""
    if chinese and kind in DESCRIBING and name.casefold() == "attempted":
        return "尝试"  # 做法 would be read as the steps
    pair = HEADINGS.get(name.casefold())
    return pair[chinese] if pair else name


def missing_parts(record: Record) -> tuple[str, ...]:
    """Return the parts that the record's kind needs and that it lacks."""
    lead, sections = split_sections(record.body, record.kind)
    filled = {section.name for section in sections if section.text}
    if lead.strip() or filled or record.summary:
        filled.add("text")
    needs = _NEEDS.get(record.kind, ("text",))
    return tuple(part for part in needs if not _has(record, part, filled))


def _has(record: Record, part: str, filled: Collection[str]) -> bool:
    if part == "applies_when":
        return bool(record.applies_when) or "when" in filled
    if part == "derived_from":
        return bool(record.derived_from or record.fields.get("evidence"))
    return any(name in filled for name in (part, *_ALSO.get(part, ())))


def has_text(body: str) -> bool:
    """Tell whether a body says anything besides its title."""
    lead, sections = split_sections(body)
    return bool(lead.strip()) or any(section.text for section in sections)


def missing_notes(record: Record, severity: Severity = "warning") -> tuple[Diagnostic, ...]:
    """Return one finding per missing part (a note where nobody is asked to act now)."""
    return tuple(
        Diagnostic(
            record.path,
            0,
            "missing-part",
            severity,
            _PART_WORDS[part].format(kind=record.kind),
            _part_hint(part),
        )
        for part in missing_parts(record)
    )


_PART_WORDS = {
    "problem": "a {kind} should say what the problem is",
    "correction": "a {kind} should say what to do instead (the correction)",
    "avoid": "a {kind} should say what to avoid",
    "text": "there is no text below the title of this {kind}",
    "applies_when": "a {kind} should say when it applies",
    "derived_from": "an {kind} should name what it is derived from",
    "steps": "a {kind} should list its steps",
    "test": "a {kind} should say how to test it",
}


def _part_hint(part: str) -> str:
    if part == "text":
        return "Write a sentence below the title."
    if part == "applies_when":
        return "Add the key applies_when, or a section ## When (## 适用)."
    if part == "derived_from":
        return "Add the key derived_from with the ids it rests on, or evidence."
    english, chinese = HEADINGS[part]
    return f"Add a section ## {english} (## {chinese})."
