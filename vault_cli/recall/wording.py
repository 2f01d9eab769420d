"""Every word of the frame, and an entry at each level. + `text`.

The frame is Markdown that a person can read. Its lines start at column 0 with a mark of ours;
all text of a memory is neutralised and stands behind such a mark or is indented below it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from vault_cli.model.evidence import is_verified
from vault_cli.model.record import ID_PATTERN, Kind, Record, Status, Tally
from vault_cli.model.support import ORPHANED, WEAKENED
from vault_cli.recall.score import EXTERNAL_SOURCES, MACHINE_ORIGINS
from vault_cli.text.neutral import neutral_block, neutral_inline
from vault_cli.text.sections import NAMES, Section, split_sections

INDENT = "  "

_INTRO = (
    "## Memory in force\n"
    "\n"
    "The headings say how to read the entries. Follow: an instruction that a person admitted.\n"
    "Weigh: experience; judge whether it fits the case at hand. Reference: material to draw on,\n"
    "not an instruction. `mvault show ID` prints an entry with its sources.\n"
)
_SHORT_INTRO = "## Memory in force (`mvault show ID` prints an entry)\n"

_HEADINGS: Mapping[str, str] = {
    "handoff": "Hand-over (reference: where the last session stopped)",
    "persona": "Persona (follow: who you are here)",
    "profile": "Who you work for (reference)",
    "corrections": "Corrections (follow these first)",
    "failures": "Known failures (follow: do not repeat them)",
    "required": "Required rules (follow these, always)",
    "checklist": "Pre-work checklist (follow: go through it before real work)",
    "rules": "Rules (follow these where they apply)",
    "lessons": "Lessons (weigh them)",
    "reference": "Facts and preferences (reference)",
    "conflicts": "Conflicts (nothing was decided: choose by the case at hand and say why)",
    "recipes": "Recipes (reference: `mvault show ID` prints the steps)",
    "skills": "Skills (reference: open the skill before you use it)",
    "requested": "Shown on request (reference)",
}
_STRICT_HEADINGS: Mapping[str, str] = {
    "lessons": "Lessons (follow these)",
    "reference": "Facts and preferences (follow: take them as given)",
}
SUPPORT_MARKS: Mapping[str, str] = {
    WEAKENED: "part of its support is lost",
    ORPHANED: "its support is lost, check before use",
}
"""What a line says about an entry whose sources no longer hold."""

STALE_CODE = "its code has changed since"
"""What a line says about an entry that names a file which is another one now."""

NOT_VERIFIED = "claims to be verified, is not"

_HIDDEN_SECTIONS = frozenset({"critique", "evidence"})
"""Sections that are read with `mvault show`: the argument behind a text, not the text."""

_HIDING_WORDS = tuple(word for name in sorted(_HIDDEN_SECTIONS) for word in NAMES[name])
_TITLE_ONLY = frozenset({Kind.RECIPE, Kind.SKILL})
MAX_SUMMARY = 160
"""A longer summary is not added to a one-line entry; nothing is ever cut."""

MOST_COUNTED = 999
MAX_TITLE_IN_NOTICE = 80


def intro(*, short: bool) -> str:
    """Return the heading of the block, with or without the lines that say how to read it."""
    return _SHORT_INTRO if short else _INTRO


def heading(group: str, mode: str) -> str:
    """Return a group's heading, with the blank line before it."""
    words = _STRICT_HEADINGS.get(group) if mode == "strict" else None
    return f"\n### {words or _HEADINGS[group]}\n"


def topic_line(topic: str) -> str:
    """Return the line above the rules of one topic ("" for those without a topic)."""
    return f"\n**Topic: {neutral_inline(topic)}**\n" if topic else "\n**Any topic**\n"


def conflict_line(keys: Sequence[str], pairs: Sequence[tuple[str, str, str]]) -> str:
    """Return the line above records that contradict each other.

    Args:
        keys: ids of all of them.
        pairs: (id, id, type) of each conflict.
    """
    if len(pairs) == 1:
        kind = pairs[0][2]
        return f"\n**Conflict{_typed(kind)}: {' or '.join(show_id(key) for key in keys)}**\n"
    parts = [f"{show_id(a)} or {show_id(b)}{_typed(kind)}" for a, b, kind in pairs]
    return f"\n**Conflicts: {'; '.join(parts)}**\n"


def _typed(kind: str) -> str:
    return f" ({neutral_inline(kind)})" if kind else ""


def show_id(key: str) -> str:
    """Return an id for the frame; a file name that serves as one cannot close our bracket."""
    if ID_PATTERN.fullmatch(key):
        return key
    return neutral_inline(key).replace("[", "%5B").replace("]", "%5D")


def id_text(record: Record, _support: str = "", _counts: str = "") -> str:
    """Return the entry at level `id`, to stand after `IDS_OPENER`; there is no room for marks."""
    return f" [{show_id(record.id)}]"


def line_text(record: Record, support: str = "", counts: str = "") -> str:
    """Return the entry at level `line`: id, title, marks, and the summary if it is short."""
    bounded = ("has a boundary",) if record.boundary.strip() else ()
    head = _head(record, support, counts, *bounded)
    summary = record.summary.strip()
    if not summary or len(summary) > MAX_SUMMARY or summary == record.title:
        return head + "\n"
    return f"{head}: {neutral_inline(summary)}\n"


def full_text(record: Record, support: str = "", counts: str = "") -> str:
    """Return the entry at level `full`: head, condition, text, boundary.

    Args:
        record: the record.
        support: state of what it rests on (a key of `SUPPORT_MARKS` is told).
        counts: further marks: changed code, and what was observed of its use (`Pick.aside`).
    """
    lines = [_head(record, support, counts)]
    if record.applies_when.strip():
        lines.append(f"{INDENT}When: {neutral_inline(record.applies_when)}")
    lines += [_indented(line) for line in _body_lines(record)]
    if record.boundary.strip():
        lines.append(f"{INDENT}Boundary: {neutral_inline(record.boundary)}")
    return "\n".join(lines) + "\n"


def is_plain(record: Record) -> bool:
    """Whether one line already says everything there is."""
    return not (record.body.strip() or record.applies_when.strip() or record.boundary.strip())


def least_size(record: Record, measure: Callable[[str], int]) -> int:
    """Return about the least that `full` can take, without building it.

    What is not blank is shown (escapes make it longer), but for the title, heading marks, and
    sections that are not rendered; a body that may hold such a section promises nothing.
    """
    head, body = least_line(record), record.body
    if record.kind in _TITLE_ONLY or _may_hide(body):
        return head
    blank = body.count(" ") + body.count("\n") + body.count("#") + body.count("\t")
    if body.startswith("#"):
        blank += body.find("\n") + 1 or len(body)
    return head + max(0, measure(body) - blank)


def _may_hide(body: str) -> bool:
    if "\n=" in body:
        return True
    if "##" not in body and "\n-" not in body:
        return False
    lowered = body.lower()
    return any(word in lowered for word in _HIDING_WORDS)


def least_line(record: Record) -> int:
    """Return about the least that `line` can take, in characters."""
    return len(record.id) + len(record.title) + 6


def _head(record: Record, support: str, counts: str, *more: str) -> str:
    marks = [*_marks(record, support), *((counts,) if counts else ()), *more]
    tail = f" ({'; '.join(marks)})" if marks else ""
    return f"- [{show_id(record.id)}] {neutral_inline(record.title)}{tail}"


def count_words(tally: Tally) -> str:
    """Return what a line says about the use of its entry: `2 helpful, 0 harmful, 3 hits`.

    Numbers are told up to 999, whatever a file of observations claims.
    """
    parts = []
    if tally.helpful or tally.harmful:
        parts.append(f"{_count(tally.helpful)} helpful, {_count(tally.harmful)} harmful")
    if tally.hits:
        parts.append(f"{_count(tally.hits)} hit{'s' if tally.hits > 1 else ''}")
    if tally.succeeded or tally.failed:
        parts.append(f"{_count(tally.succeeded)} succeeded, {_count(tally.failed)} failed")
    return ", ".join(parts)


def _count(number: int) -> str:
    return str(number) if number <= MOST_COUNTED else f"{MOST_COUNTED}+"


def _marks(record: Record, support: str) -> list[str]:
    marks = [f"team {record.team}"] if record.team else []
    verified = is_verified(record)
    if record.status is Status.VERIFIED:
        marks.append("verified" if verified else NOT_VERIFIED)
    if support in SUPPORT_MARKS:
        marks.append(SUPPORT_MARKS[support])
    if record.source in EXTERNAL_SOURCES:
        marks.append("external source, reference only")
    if record.origin in MACHINE_ORIGINS and not verified:
        marks.append("auto-derived, unverified")
    if record.confidence == "low":
        marks.append("low confidence")
    return marks


def _body_lines(record: Record) -> list[str]:
    if record.kind in _TITLE_ONLY or not record.body.strip():
        return neutral_block(record.summary) if record.summary.strip() else []
    lead, sections = split_sections(record.body)
    lines = neutral_block(lead.strip("\n")) if lead.strip() else []
    for section in sections:
        if section.name not in _HIDDEN_SECTIONS and section.text.strip():
            lines += _section_lines(section)
    return lines


def _section_lines(section: Section) -> list[str]:
    lines = neutral_block(section.text)
    # The colon goes through with the heading: `## System` must not become a role line of ours.
    label = neutral_inline(section.heading.rstrip(":： ") + ":")
    if len(lines) == 1 and not lines[0].startswith(_STRUCTURE):
        return [f"{label} {lines[0]}"]
    return [label, *(_indented(line) for line in lines)]


_STRUCTURE = ("- ", "* ", "+ ", "> ", "```", "~~~", "|", "    ", "\t", "1.")


def _indented(line: str) -> str:
    return (INDENT + line).rstrip(" \t")


def name_of(record: Record) -> str:
    """Return how an entry is called in the notice: its id, and its title where it is short."""
    is_short = len(record.title) <= MAX_TITLE_IN_NOTICE
    title = f" {neutral_inline(record.title)}" if is_short else ""
    return f"[{show_id(record.id)}]{title}"
