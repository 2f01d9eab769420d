"""Two bodies become one without saying anything twice. May import `text`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from vault_cli.text.code import fenced_lines
from vault_cli.text.sections import canonical_name
from vault_cli.text.similarity import compare_texts, letters_of

_ITEM: Final = re.compile(r"[ \t]*(?:[-*+]|\d{1,3}[.)])[ \t]")
_HEADING: Final = re.compile(r"##(?:[ \t]+(?P<text>.*))?$")
_TITLE: Final = re.compile(r"#(?:[ \t]|$)")


class _Part(NamedTuple):
    """A section of a body: its canonical name ("" for the lead), its lines, the heading first."""

    name: str
    lines: list[str]


def join_bodies(kept: str, kept_title: str, gone: str, gone_title: str) -> str:
    """Return the body of one record with what another says beyond it.

    Section by section, as their headings mean the same in English and Chinese; a paragraph, list
    item or code block that stands there already (but for punctuation, width and case) is not
    repeated. The text of `kept` stays as it is, byte for byte, where nothing is added.

    Args:
        kept: body of the record that stays, LF line ends.
        kept_title: its title.
        gone: the other body.
        gone_title: its title; it is added when the other says nothing else and it is another one.
    """
    parts = list(_parts(kept))
    present = {letters_of(unit) for part in parts for unit in _units(part)}
    present.add(letters_of(kept_title))
    theirs = list(_parts(gone))
    if not any(_units(part) for part in theirs):
        likeness = compare_texts(kept_title, gone_title)
        theirs = [] if likeness.relation in ("same", "near") else [_Part("", [gone_title])]
    added = False
    for part in theirs:
        fresh = [unit for unit in _units(part) if letters_of(unit) not in present]
        present.update(map(letters_of, fresh))
        if fresh:
            _add(parts, part, fresh)
            added = True
    return "\n".join(line for part in parts for line in part.lines) if added else kept


def _parts(body: str) -> Iterator[_Part]:
    name = ""
    lines: list[str] = []
    for line, fenced in fenced_lines(body.replace("\r\n", "\n").split("\n")):
        heading = None if fenced else _HEADING.match(line)
        if heading is not None:
            yield _Part(name, lines)
            name, lines = canonical_name(heading["text"] or ""), []
        lines.append(line)
    yield _Part(name, lines)


def _units(part: _Part) -> list[str]:
    """Return the paragraphs, list items and code blocks of a part, without its headings."""
    units: list[list[str]] = [[]]
    was_fenced = False
    for line, fenced in fenced_lines(part.lines):
        starts = not was_fenced if fenced else (was_fenced or _ITEM.match(line) is not None)
        if not fenced and (not line.strip() or _HEADING.match(line) or _TITLE.match(line)):
            units.append([])
        elif starts:
            units.append([line])
        else:
            units[-1].append(line)
        was_fenced = fenced
    return ["\n".join(unit) for unit in units if unit]


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
        if before.strip() and not (_ITEM.match(unit) and _ITEM.match(before)):
            target.lines.append("")
        target.lines.extend(unit.split("\n"))
    target.lines.append("")


def _trim(lines: list[str]) -> None:
    while lines and not lines[-1].strip():
        lines.pop()
