"""Two bodies become one without saying anything twice. May import `text`."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from typing import Final, NamedTuple

from vault_cli.text.code import fenced_lines
from vault_cli.text.late import late
from vault_cli.text.sections import canonical_name
from vault_cli.text.similarity import compare_texts, letters_of

_ITEM: Final = late(r"[ \t]*(?:[-*+]|\d{1,3}[.)、])[ \t]")
_STEP: Final = late(r"\d{1,3}[.)、][ \t]")
_FIRST_STEP: Final = late(r"1[.)、][ \t]")
_HEADING: Final = late(r"##(?:[ \t]+(?P<text>.*))?$")
_TITLE: Final = late(r"#(?:[ \t]|$)")
_WHOLE: Final = late(r"[ \t]*[|>]|    |\t|[ \t]*<|[ \t]*\[[^\]]+\]:|[ \t]*(?:```|~~~)")
"""How a unit begins that is no plain text: a table, a quote, code, HTML, a link definition."""

_SENTENCE: Final = late(
    r"""(?:[.!?]+["'”’)*_]*(?=\s|\Z)|[。！？…]+[”’」』）)*_]*|(?<=[\u3001-\uffee])[.!?](?=[\u3001-\uffee]))\s*"""
)
_ABBREVIATED: Final = late(
    r"(?:^|[\s(])(?:[a-z]|e\.g|i\.e|cf|vs|no|fig|mr|mrs|dr|st|approx|incl|etc)\.\s*\Z",
    re.IGNORECASE,
)
_PAIRS: Final = ("()", "[]", "（）", "“”", "「」", "『』", "《》")
_DOUBLED: Final = ("`", "**", "__")


class _Part(NamedTuple):
    """A section of a body: its canonical name ("" for the lead), its lines, the heading first."""

    name: str
    lines: list[str]


def join_bodies(kept: str, kept_title: str, gone: str, gone_title: str, kind: str = "") -> str:
    """Return the body of one record with what another says beyond it.

    Section by section, as their headings mean the same in English and Chinese; a sentence, list
    item or code block that stands there already (but for punctuation, width and case) is not
    repeated. Numbered steps stay together: of a list that goes on where ours ends the rest is
    taken, of another one all of it. The text of `kept` stays as it is, byte for byte, where
    nothing is added.

    Args:
        kept: body of the record that stays, LF line ends.
        kept_title: its title.
        gone: the other body.
        gone_title: its title; it is added when the other says nothing else and it is another one.
        kind: kind of the record that stays, by which headings are read.
    """
    parts = list(_parts(kept, kind))
    present = {key for part in parts for unit in _units(part) for key in _keys(unit)}
    present.add(letters_of(kept_title))
    theirs = list(_parts(gone, kind))
    if not any(_units(part) for part in theirs):
        likeness = compare_texts(kept_title, gone_title)
        theirs = [] if likeness.relation in ("same", "near") else [_Part("", [gone_title])]
    added = False
    for part in theirs:
        fresh = []
        for unit in _units(part):
            rest = _rest(unit, present)
            fresh += [rest] if rest else []
            present.update(_keys(unit))
        if fresh:
            _add(parts, part, fresh)
            added = True
    return "\n".join(line for part in parts for line in part.lines) if added else kept


def _parts(body: str, kind: str) -> Iterator[_Part]:
    name = ""
    lines: list[str] = []
    for line, fenced in fenced_lines(body.replace("\r\n", "\n").split("\n")):
        heading = None if fenced else _HEADING.match(line)
        if heading is not None:
            yield _Part(name, lines)
            name, lines = canonical_name(heading["text"] or "", kind), []
        lines.append(line)
    yield _Part(name, lines)


def _units(part: _Part) -> list[str]:
    """Return the paragraphs, list items and code blocks of a part, without its headings.

    What is indented below an item belongs to it, and the steps of a numbered list are one unit.
    """
    units: list[list[str]] = [[]]
    was_fenced = False
    for line, fenced in fenced_lines(part.lines):
        if not fenced and (not line.strip() or _HEADING.match(line) or _TITLE.match(line)):
            units.append([])
        elif _starts(line, units[-1], fenced=fenced, was_fenced=was_fenced):
            units.append([line])
        else:
            units[-1].append(line)
        was_fenced = fenced
    return ["\n".join(unit) for unit in units if unit]


def _starts(line: str, unit: list[str], *, fenced: bool, was_fenced: bool) -> bool:
    """Tell whether a line begins a unit of its own after those of `unit`."""
    in_item = bool(unit) and _ITEM.match(unit[0]) is not None
    if in_item and line[:1] in (" ", "\t"):
        return False
    if fenced or was_fenced:
        return not (fenced and was_fenced)
    in_steps = bool(unit) and _STEP.match(unit[0]) is not None
    return _ITEM.match(line) is not None and not (in_steps and _STEP.match(line))


def _steps(unit: str) -> list[str]:
    """Return the steps of a numbered list, each with what is indented below it; else the unit."""
    steps: list[list[str]] = []
    for line in unit.split("\n"):
        if steps and not _STEP.match(line):
            steps[-1].append(line)
        else:
            steps.append([line])
    return ["\n".join(step) for step in steps]


def _bare(item: str) -> str:
    """Return a list item without its mark."""
    mark = _ITEM.match(item)
    return item[mark.end() :] if mark else item


def _split_sentences(unit: str) -> list[str]:
    """Return the sentences of a plain paragraph, blanks behind them included; else the unit.

    A sentence ends where no bracket, quotation, emphasis or code span is left open, and not
    after an abbreviation.
    """
    if _WHOLE.match(unit):
        return [unit]
    found = [""]
    last = 0
    for end in (match.end() for match in _SENTENCE.finditer(unit)):
        found[-1] += unit[last:end]
        last = end
        if _is_closed(found[-1]) and not _ABBREVIATED.search(found[-1]):
            found.append("")
    found[-1] += unit[last:]
    return [sentence for sentence in found if sentence.strip()]


def _is_closed(text: str) -> bool:
    pairs = all(text.count(pair[0]) <= text.count(pair[1]) for pair in _PAIRS)
    return pairs and all(text.count(mark) % 2 == 0 for mark in _DOUBLED)


def _keys(unit: str) -> set[str]:
    """Return what a unit says, as texts to compare: as a whole, by item, by sentence."""
    items = [_bare(step) for step in _steps(unit)]
    parts = {sentence for item in items for sentence in _split_sentences(item)}
    return set(map(letters_of, {unit, *items, *parts}))


def _rest(unit: str, present: Collection[str]) -> str:
    """Return what a unit says beyond what is there, "" for nothing."""
    if letters_of(unit) in present:
        return ""
    if not _ITEM.match(unit):
        sentences = _split_sentences(unit)
        fresh = [sentence for sentence in sentences if letters_of(sentence) not in present]
        return unit if len(fresh) == len(sentences) else "".join(fresh).rstrip()
    steps = _steps(unit)
    known = [letters_of(_bare(step)) in present for step in steps]
    rest = steps[known.index(False) :] if False in known else []
    return "\n".join(rest if not any(known[len(steps) - len(rest) :]) else steps)


def _add(parts: list[_Part], part: _Part, fresh: list[str]) -> None:
    """Put units at the end of the section of the same name, else into a new one at the end."""
    target = next((own for own in parts if own.name == part.name), None)
    if target is None:
        _trim(parts[-1].lines)
        target = _Part(part.name, ["", part.lines[0], ""])
        parts.append(target)
    _trim(target.lines)
    for unit in fresh:
        before = target.lines[-1] if target.lines else ""
        goes_on = _ITEM.match(unit) and _ITEM.match(before) and not _FIRST_STEP.match(unit)
        if before.strip() and not goes_on:
            target.lines.append("")
        target.lines.extend(unit.split("\n"))
    target.lines.append("")


def _trim(lines: list[str]) -> None:
    while lines and not lines[-1].strip():
        lines.pop()
