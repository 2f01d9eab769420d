"""Parts of Markdown notes that several importers read the same way.

May import `text`, `model`, `errors`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final, NamedTuple

from vault_cli.hosts.importers.port import Basket, Raw
from vault_cli.hosts.importers.values import text_of
from vault_cli.text.document import parse_document
from vault_cli.text.lines import lines_outside_fences

_MARKED: Final = re.compile(
    r"\*\*([^*\n]{2,40}?)[:：]\*\*[ \t]*|\*\*([^*\n]{2,40}?)\*\*[:：][ \t]*"
)


class Note(NamedTuple):
    """A Markdown file as read: its front matter and its text."""

    front: Mapping[str, Any]
    body: str


class Part(NamedTuple):
    """One part of a text: heading, level (0 for what stands before the first), line, text."""

    heading: str
    level: int
    line: int
    text: str


def read_note(basket: Basket, raw: Raw) -> Note | None:
    """Return a Markdown file's keys and text; None, and a failed source, when it is not text.

    A block that is no YAML of ours (a tab, an anchor) does not lose the text: the file is taken
    whole and the fault is noted.
    """
    document = parse_document(raw.data, raw.name)
    if not document.is_broken:
        return Note(document.front, document.body)
    found = next(item for item in document.diagnostics if item.severity == "error")
    try:
        text = raw.text()
    except ValueError:
        basket.fail(raw.path, found.message)
        return None
    basket.note(
        raw.path,
        "odd-metadata",
        f"taken as plain text: {found.message}",
        line=found.line,
        severity="warning",
    )
    return Note({}, text)


def split_parts(text: str, levels: tuple[int, ...]) -> Iterator[Part]:
    """Yield the parts of a text that begin at headings of the given levels.

    Headings inside code fences are none. Empty parts are left out.
    """
    outside = {number for number, _ in lines_outside_fences(text)}
    heading, level, start = "", 0, 1
    lines: list[str] = []
    for number, line in enumerate(text.split("\n"), 1):
        found = _read_heading(line) if number in outside else None
        if found is None or found[0] not in levels:
            lines.append(line)
            continue
        if heading or any(map(str.strip, lines)):
            yield Part(heading, level, start, "\n".join(lines).strip("\n"))
        heading, level, start, lines = found[1], found[0], number, []
    if heading or any(map(str.strip, lines)):
        yield Part(heading, level, start, "\n".join(lines).strip("\n"))


def _read_heading(line: str) -> tuple[int, str] | None:
    """Return level and text of a heading, None for any other line; in linear time."""
    bare = line.lstrip("#")
    level = len(line) - len(bare)
    if not 1 <= level <= 6 or bare[:1] not in (" ", "\t"):  # noqa: PLR2004 - the levels of Markdown
        return None
    text = bare.strip()
    closed = text.rstrip("#")
    is_closed = closed != text and (not closed or closed[-1] in " \t")
    return level, (closed if is_closed else text).strip()


def slug_of(text: str) -> str:
    """Return a heading as part of an alias: words joined by hyphens, in any script."""
    return "-".join(re.findall(r"\w+", text.lower()))[:80] or "part"


class Names:
    """Gives each name of a file once: the second `build` is `build-2`."""

    def __init__(self) -> None:
        self._seen: dict[str, int] = {}

    def take(self, name: str) -> str:
        """Return the name, numbered when it was taken before."""
        count = self._seen[name] = self._seen.get(name, 0) + 1
        return name if count == 1 else f"{name}-{count}"


def marked_line(body: str, *labels: str) -> str:
    """Return the text behind a bold label such as `**Why:**` up to the end of its paragraph."""
    wanted = {label.lower() for label in labels}
    for found in _MARKED.finditer(body):
        label = (found[1] or found[2]).strip().lower()
        if label in wanted:
            rest = body[found.end() :].split("\n\n", 1)[0]
            following = _MARKED.search(rest)
            return " ".join(rest[: following.start() if following else None].split())
    return ""


def front_text(front: Mapping[str, Any], *keys: str) -> str:
    """Return the first of some keys that holds a text."""
    return next((text for key in keys if (text := text_of(front.get(key)))), "")
