"""Body fields by heading, English and Chinese. May import markdown_it inside functions."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Final, NamedTuple

from vault_cli.text.late import late

if TYPE_CHECKING:
    from markdown_it import MarkdownIt

_LIMIT: Final = 64 * 1024

NAMES: Final[dict[str, tuple[str, ...]]] = {
    "problem": ("problem", "issue", "symptom", "what happened", "问题", "现象", "问题描述"),
    "attempted": ("attempted", "attempt", "tried", "what was tried", "做法", "尝试", "尝试过"),
    "correction": (
        "correction", "fix", "solution", "resolution", "lesson",
        "修正", "更正", "纠正", "解决", "解决方法", "解决方案", "正确做法",
    ),
    "avoid": ("avoid", "don't", "do not", "never", "不要做", "避免", "不要", "禁止"),
    "instead": ("instead", "do instead", "do this instead", "替代", "改为", "替代做法", "应改为"),
    "when": (
        "when", "when to use", "applies when", "applicability", "condition", "conditions",
        "适用", "适用条件", "何时", "适用场景", "使用场景", "何时使用",
    ),
    "steps": ("steps", "step", "procedure", "how to", "步骤", "操作步骤", "流程"),
    "boundary": ("boundary", "boundaries", "limits", "scope limits", "边界", "边界条件", "限制"),
    "critique": ("critique", "argument", "discussion", "reasoning", "论证", "批评", "反思"),
    "expected": ("expected", "expected result", "expected outcome", "预期", "预期结果"),
    "verify": ("verify", "verification", "check", "checks", "验证", "检查", "验证方法"),
    "test": ("how to test", "test", "如何验证", "如何测试", "怎样验证", "检验方法"),
    "text": ("text", "body", "content", "正文", "内容"),
    "why": ("why", "reason", "rationale", "原因", "理由", "为什么"),
    "evidence": ("evidence", "证据", "依据"),
    "example": ("example", "examples", "示例", "例子"),
    "notes": ("notes", "note", "remarks", "备注", "说明"),
    "prerequisites": ("prerequisites", "before", "preconditions", "前提", "前提条件", "先决条件"),
    "rollback": ("rollback", "undo", "回滚", "撤销"),
    "checkpoints": ("checkpoints", "checkpoint", "progress", "检查点", "进展"),
    "result": ("result", "results", "结果"),
    "background": ("background", "背景"),
}  # fmt: skip
"""Canonical section names and the headings that mean them."""

HEADINGS_OF_WORK: Final[dict[str, tuple[str, str]]] = {
    "checkpoints": ("Checkpoints", "检查点"),
    "result": ("Result", "结果"),
    "background": ("Background", "背景"),
}
"""Sections of tasks and tickets, as they are written in English and in Chinese."""

HOW_TO: Final = "做法"
"""What was tried, in a record of what happened; elsewhere people write it for how to do it."""

DESCRIBING: Final = frozenset(
    {"rule", "fact", "preference", "insight", "resource", "note", "recipe", "skill"}
)
"""Kinds that say how something is or is done: nothing was tried there, so `HOW_TO` is steps."""

_CANONICAL: Final = {heading: name for name, headings in NAMES.items() for heading in headings}
_SHORT: Final = 5
_SHORT_HAN: Final = 3
_OWN: Final = frozenset({"context", "contest", "season", "要不要做", "不要不做", "需要做"})
"""Words of their own that are one letter away from a heading of ours."""

_NEEDS_PARSER = late(r"##|^[ \t]{0,3}(?:=+|-+)[ \t]*$", re.MULTILINE)
_ODD = late(
    r"```|~~~|\r|^ {0,3}[<\[]|^[ \t]+#|^[ \t]*(?:=+|-+)[ \t]*$|^##?[ \t].*#[ \t]*$", re.MULTILINE
)
"""What takes a parser to tell where headings are: code, HTML, links, underlines, closing marks.

Without any of these a heading is a line that begins with its marks: nothing can contain it.
"""

_FIRST_TITLE = late(r"(?:[ \t]*\n)*#(?:[ \t]|$)", re.MULTILINE)
_HEADING = late(r"##(?:[ \t]|$)")
_TITLE = late(r"\s{0,100}^ {0,3}#(?:[ \t][^\n]*)?(?:\n|\Z)", re.MULTILINE)
_NUMBER = late(r"^(?:\d{1,3}|[一二三四五六七八九十]{1,3})[.、．)）][ \t]*")
_BLANK_START = late(r"\A(?:[ \t]*\n)+")
_PARTS = late(r"[/|／｜·(（)）]|[ \t]-[ \t]")


class Section(NamedTuple):
    """One level-2 section of a body.

    Args:
        name: canonical English name (`problem`, `correction`, `avoid`, `steps` ...), or the
            heading in lower case when it is not a known one.
        heading: heading text as written.
        text: the section's text, stripped of blank lines at both ends.
    """

    name: str
    heading: str
    text: str


def split_sections(body: str, kind: str = "") -> tuple[str, tuple[Section, ...]]:
    """Split a body into its lead (text before the first `##`, without the `#` title) and sections.

    A `##` inside a code fence is not a heading. Bodies over 64 KiB are returned whole as the lead.
    The kind of the record tells what a heading means where that is open (`canonical_name`).
    """
    if len(body) > _LIMIT or len(body.encode("utf-8", "surrogatepass")) > _LIMIT:
        return body, ()
    text = body.replace("\r\n", "\n")
    if _NEEDS_PARSER.search(text) is None:
        title = _TITLE.match(text)
        return _trim(text[title.end() :] if title else text), ()
    lines = text.split("\n")
    lead_from, headings = _find_headings(text)
    ends = [start for start, _, _ in headings[1:]] + [len(lines)]
    sections = tuple(
        Section(canonical_name(heading, kind), heading, _trim("\n".join(lines[after:end])))
        for (_, after, heading), end in zip(headings, ends, strict=bool(headings))
    )
    lead_to = headings[0][0] if headings else len(lines)
    return _trim("\n".join(lines[lead_from:lead_to])), sections


def section_text(body: str, *names: str) -> str:
    """Return the text of the first section whose canonical name is in `names`, else ""."""
    return next((part.text for part in split_sections(body)[1] if part.name in names), "")


def put_section(body: str, name: str, heading: str, text: str, *, anew: bool = False) -> str:
    """Return a body with text at the end of one of its sections, which is made if need be.

    Args:
        body: the whole body.
        name: canonical name of the section; of several the last one.
        heading: what it is headed by when it is new; it comes last then.
        text: what to add; a heading in it goes two levels deeper, so that it begins no section.
        anew: it takes the place of what stands there; "" leaves the section empty.
    """
    plain = body.replace("\r\n", "\n")
    safe = "\n".join(
        f"##{line}" if line.startswith(("# ", "## ")) else line
        for line in text.replace("\r\n", "\n").split("\n")
    )
    lines = plain.rstrip("\n").split("\n")
    headings = _find_headings(plain)[1]
    places = [at for at, part in enumerate(headings) if canonical_name(part[2]) == name]
    if not places:
        return "\n".join([*lines, "", f"## {heading}", "", safe]) + "\n"
    after = headings[places[-1]][1]
    end = headings[places[-1] + 1][0] if places[-1] + 1 < len(headings) else len(lines)
    kept = "" if anew else "\n".join(lines[after:end]).strip("\n")
    inner = [*([kept] if kept else []), *([safe] if safe else [])]
    tail = ["", *lines[end:]] if end < len(lines) else []
    return "\n".join([*lines[:after], "", *inner, *tail]) + "\n"


def canonical_name(heading: str, kind: str = "") -> str:
    """Return the canonical name of a heading, or the heading in lower case.

    A bare 做法 is what was tried, but the steps in a record of a kind in `DESCRIBING`. Emphasis,
    numbering and a trailing colon of either width are ignored; of a heading in two languages
    (`Problem / 问题`) the part that is known counts.
    """
    plain = _NUMBER.sub("", heading.strip().strip("*_`").strip(), count=1)
    plain = plain.rstrip(":： \t").strip("*_` \t").lower()
    if plain == HOW_TO and kind in DESCRIBING:
        return "steps"
    parts = [plain, *_PARTS.split(plain)]
    if not plain.isascii():
        parts.extend(plain.split())
    known = (_CANONICAL.get(part.strip(":： \t")) for part in parts)
    return next((name for name in known if name), plain)


def nearest_heading(heading: str) -> str:
    """Return the known heading that one is probably a slip of, else "" (it is known, or its own).

    One letter too many, too few, wrong or swapped. Short words are too near to each other.
    """
    name = canonical_name(heading)
    if name in NAMES or name in _OWN or len(name) < (_SHORT if name.isascii() else _SHORT_HAN):
        return ""
    from vault_cli.text.spelling import one_slip

    return next((known for known in _CANONICAL if one_slip(name, known)), "")


def _find_headings(text: str) -> tuple[int, list[tuple[int, int, str]]]:
    """Return the line where the lead starts, and (first line, line after, text) of each `##`."""
    return _parse_headings(text) if _ODD.search(text) else _find_plain_headings(text)


def _parse_headings(text: str) -> tuple[int, list[tuple[int, int, str]]]:
    # A lone carriage return would count as a line of its own and shift the numbers.
    tokens = _parser().parse(text.replace("\r", " "))
    lead_from = 0
    found: list[tuple[int, int, str]] = []
    for index, token in enumerate(tokens):
        if token.type != "heading_open" or token.level or token.map is None:
            continue
        if token.tag == "h1" and index == 0:
            lead_from = token.map[1]
        elif token.tag == "h2":
            found.append((token.map[0], token.map[1], tokens[index + 1].content.strip()))
    return lead_from, found


def _find_plain_headings(text: str) -> tuple[int, list[tuple[int, int, str]]]:
    """Do the same for a text without oddities, without the parser (it takes 40 ms to load)."""
    title = _FIRST_TITLE.match(text)
    lead_from = title.group().count("\n") + 1 if title else 0
    found = [
        (number, number + 1, line[2:].strip())
        for number, line in enumerate(text.split("\n"))
        if _HEADING.match(line)
    ]
    return lead_from, found


@lru_cache(maxsize=1)
def _parser() -> MarkdownIt:
    """Return a CommonMark parser that stops after the block structure: inline is not linear."""
    from markdown_it import MarkdownIt

    parser = MarkdownIt("commonmark")
    parser.core.ruler.enableOnly(["normalize", "block"])
    return parser


def _trim(text: str) -> str:
    """Return text without blank lines at its ends; the indent of its first line stays."""
    return _BLANK_START.sub("", text, count=1).rstrip()
