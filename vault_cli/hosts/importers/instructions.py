"""Instruction files of agent programs, split into rules: CLAUDE.md, AGENTS.md, Cursor and others.

A list item is one rule; other text of a section is one rule with the section's heading. Our own
managed block is left out: what we wrote must not come back as a proposal. `@path` imports are
named and not followed.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from vault_cli.hosts.importers.notes import Names, front_text, read_note, slug_of, split_parts
from vault_cli.hosts.importers.port import Basket, Raw
from vault_cli.hosts.importers.values import claims_of, one_line, texts_of
from vault_cli.model.foreign import Item
from vault_cli.model.record import Kind
from vault_cli.text.markers import MARKER_TEXT

FORMAT: Final = "instructions"
_NAMES: Final = (
    "CLAUDE.md", "CLAUDE.local.md", "AGENTS.md", "AGENTS.local.md", "AGENTS.override.md",
    "GEMINI.md", ".cursorrules", ".windsurfrules", ".claude/CLAUDE.md",
    ".github/copilot-instructions.md",
)  # fmt: skip
_FOLDERS: Final = (".claude/rules", ".cursor/rules", ".windsurf/rules", ".github/instructions")
_ENDINGS: Final = (".md", ".mdc")
_BULLET: Final = re.compile(r"(?:[-*+]|\d{1,3}[.)])[ \t]+(?=\S)")
_COMMENT: Final = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_IMPORT: Final = re.compile(r"(?m)^[ \t]*(?:[-*+][ \t]+)?@([\w~./-]+\.\w+)[ \t]*$")
_LEAST: Final = 8
_OWN: Final = frozenset({"paths", "globs", "description", "alwaysApply", "applyTo", "trigger"})


def fits(root: Path) -> bool:
    """Tell whether a folder or file is or holds an instruction file."""
    if root.is_file():
        return root.name in {Path(name).name for name in _NAMES} or root.suffix == ".mdc"
    return any((root / name).exists() for name in (*_NAMES, *_FOLDERS))


def read(basket: Basket) -> None:
    """Read the instruction files of a folder, or the file that was named."""
    for path in _files(basket):
        raw = basket.read(path)
        if raw is not None:
            _read_file(basket, raw)


def _files(basket: Basket) -> Iterator[Path]:
    if basket.root.is_file():
        yield basket.root
        return
    inside = {path for name in _NAMES if _is_there(basket, path := basket.root / name)}
    for name in _FOLDERS:
        if (basket.root / name).is_dir():
            inside.update(basket.walk(*_ENDINGS, below=name))
    if basket.root.name == "rules":
        inside.update(basket.walk(*_ENDINGS))
    yield from sorted(inside)


def _is_there(basket: Basket, path: Path) -> bool:
    if path.is_symlink():
        basket.skip(path, "a link is not followed")
        return False
    return path.is_file()


def _read_file(basket: Basket, raw: Raw) -> None:
    note = read_note(basket, raw)
    if note is None:
        return
    body, ours = _without_own_block(note.body)
    if ours:
        basket.note(raw.path, "own-block", "the block that mvault writes is left out")
    for found in _IMPORT.finditer(body):
        basket.note(raw.path, "import-not-followed", f"@{found[1]} is not followed; import it too")
    body = _IMPORT.sub("", _COMMENT.sub("", body))
    when = _when(note.front)
    workspace = _project_of(basket, raw.path)
    rest = claims_of({k: v for k, v in note.front.items() if k not in _OWN})
    before = len(basket.items)
    names = Names()
    for heading, line, text in _rules(body):
        digest = hashlib.sha256(" ".join(text.split()).encode()).hexdigest()[:12]
        own = names.take(f"{slug_of(heading)}/{digest}")
        basket.add(
            Item(
                alias=f"{FORMAT}:{basket.base.name}/{raw.name}#{own}",
                kind=Kind.RULE,
                title=_title(text, heading),
                body="" if _title(text, heading) == text else text,
                applies_when=when or heading,
                topics=(slug_of(heading),) if heading else (),
                file=raw.shown,
                sha256=raw.sha256,
                line=line,
                workspace=workspace,
                source="user",
                claims={"heading": heading, **rest} if heading else rest,
            )
        )
    if len(basket.items) == before:
        basket.skip(raw.path, "holds no rule of its own")


def _title(text: str, heading: str) -> str:
    """Return the first line of a rule; of a table or of code the heading above it."""
    is_odd = text.lstrip().startswith(("|", "```", "~~~"))
    return heading if is_odd and heading else one_line(text, 110)


def _without_own_block(text: str) -> tuple[str, bool]:
    """Return the text without what stands between our markers."""
    lines = text.split("\n")
    marks = [number for number, line in enumerate(lines) if MARKER_TEXT.search(line)]
    if not marks:
        return text, False
    return "\n".join([*lines[: marks[0]], *lines[marks[-1] + 1 :]]), True


def _when(front: Any) -> str:
    globs = [text for key in ("paths", "globs", "applyTo") for text in texts_of(front.get(key))]
    said = front_text(front, "description")
    files = f"working on {', '.join(globs)}" if globs else ""
    return "; ".join(part for part in (said, files) if part)[:300]


def _project_of(basket: Basket, path: Path) -> str:
    """Return the repository that holds the file; what lies in the home folder's is everybody's."""
    for folder in path.absolute().parents:
        if folder == basket.home:
            return ""
        if (folder / ".git").exists():
            return str(folder)
    return ""


def _rules(text: str) -> Iterator[tuple[str, int, str]]:
    """Yield (heading, line, text) of each rule."""
    for part in split_parts(text, (1, 2, 3)):
        for start, block in _blocks(part.text):
            if len(block) >= _LEAST or not block.isascii():
                yield part.heading, part.line + start, block


def _blocks(text: str) -> Iterator[tuple[int, str]]:
    """Yield the list items of a section one by one, and its other paragraphs together.

    A paragraph right before a list ("When you deploy:") stays with the other paragraphs; lines
    that are indented below an item belong to it. Code fences are never split.
    """
    prose: list[str] = []
    item: list[str] = []
    items: list[tuple[int, str]] = []
    start, first, fence = 0, 0, ""
    for number, line in enumerate(text.split("\n"), 1):
        mark = line.lstrip()[:3]
        if mark in ("```", "~~~") and (not fence or mark == fence):
            fence = "" if fence else mark
        begins = not fence and _BULLET.match(line)
        if begins and item:
            items.append((start, "\n".join(item)))
        if begins:
            start, item = number, [line[begins.end() :]]
        elif item and (fence or not line.strip() or line[:1] in " \t"):
            item.append(line)
        else:
            if item:
                items.append((start, "\n".join(item)))
                item = []
            first = first or (number if line.strip() else 0)
            prose.append(line)
    if item:
        items.append((start, "\n".join(item)))
    whole = "\n".join(prose).strip()
    if whole and not (items and whole.endswith((":", "：")) and "\n" not in whole):
        yield first, whole
    for number, block in items:
        yield number, _dedent(block)


def _dedent(block: str) -> str:
    lines = block.strip().split("\n")
    return "\n".join([lines[0], *(line.removeprefix("  ") for line in lines[1:])])
