"""Codex memories: the blocks of `MEMORY.md`, and notes that were handed in (05-hosts, section 3).

Summaries, raw memories and rollout summaries are made from one another; they are named, not taken.
Nor is what only leads to them: a task's list of rollouts and keywords, and the marks of tasks
behind a line (the layout is that of the instructions which Codex 0.171.0 gives its own writer).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from vault_cli.hosts.importers.notes import Names, front_text, read_note, slug_of, split_parts
from vault_cli.hosts.importers.port import Basket, Raw
from vault_cli.hosts.importers.values import claims_of, one_line
from vault_cli.model.foreign import Item
from vault_cli.model.record import Kind
from vault_cli.text.lines import first_heading

FORMAT: Final = "codex"
_CWD: Final = re.compile(r"(?m)^applies_to:.*?\bcwd=([^;\n]+)")
_KEY: Final = re.compile(r"(?m)^(scope|applies_to):[ \t]*(.*)$")
_GROUP: Final = re.compile(r"(?i)task group:[ \t]*")
_KINDS: Final = {
    "user preferences": Kind.PREFERENCE,
    "reusable knowledge": Kind.FACT,
    "failures and how to do differently": Kind.FAILURE,
}
_MADE: Final = frozenset({"memory_summary.md", "raw_memories.md", "phase2_workspace_diff.md"})
_LEADS: Final = frozenset({"### rollout_summary_files", "### keywords"})
"""Parts of a task that only say where it came from, and how to find it."""

_MARK: Final = "[Task "


def fits(root: Path) -> bool:
    """Tell whether a folder is Codex's, or its memories."""
    top = _top(root)
    return (top / "memory_summary.md").is_file() or (top / "raw_memories.md").is_file()


def _top(root: Path) -> Path:
    return root / "memories" if (root / "memories").is_dir() else root


def read(basket: Basket) -> None:
    """Read MEMORY.md and the notes below `extensions/`; other Markdown is named."""
    top = _top(basket.base)
    below_top = top.relative_to(basket.base).as_posix()
    for path in basket.walk(".md", below="" if below_top == "." else below_top):
        below = path.relative_to(top).as_posix() if path.is_relative_to(top) else path.name
        why = _why_not(below)
        if why:
            basket.skip(path, why)
            continue
        raw = basket.read(path)
        if raw is None:
            continue
        read_file = _read_memory if below == "MEMORY.md" else _read_note
        read_file(basket, raw, below)


def _why_not(below: str) -> str:
    if below in _MADE:
        return "made from the other files"
    if below.startswith("rollout_summaries/"):
        return "a summary of a session, which MEMORY.md draws on"
    if below.startswith("skills/"):
        return "a skill, not a memory"
    return "instructions of an extension" if below.endswith("/instructions.md") else ""


def _read_memory(basket: Basket, raw: Raw, _: str) -> None:
    note = read_note(basket, raw)
    if note is None:
        return
    names = Names()
    for group in split_parts(note.body, (1,)):
        heading = _GROUP.sub("", group.heading)
        lead = group.text.split("\n## ", 1)[0]
        cwd = _CWD.search(lead)
        workspace = cwd[1].strip() if cwd else ""
        claims = {found[1]: found[2] for found in _KEY.finditer(lead)}
        for part in split_parts(group.text, (2,)):
            said = _KEY.sub("", part.text).strip("\n") if not part.level else part.text
            said = "\n".join(map(_without_marks, _without_leads(said))).strip("\n")
            if not said.strip():
                continue
            own = names.take(f"{slug_of(heading or 'top')}/{slug_of(part.heading or 'scope')}")
            title = " · ".join(text for text in (part.heading, heading) if text)
            kind = _KINDS.get(part.heading.lower(), Kind.NOTE)
            basket.add(
                Item(
                    alias=f"{FORMAT}:MEMORY.md#{own}",
                    kind=kind,
                    title=title or one_line(said),
                    body="" if kind is Kind.FAILURE else said,
                    sections={"avoid": said} if kind is Kind.FAILURE else {},
                    applies_when=claims.get("scope", "")[:300],
                    file=raw.shown,
                    sha256=raw.sha256,
                    line=group.line + part.line,
                    workspace=workspace if workspace.startswith("/") else "",
                    source="agent",
                    claims=claims_of(claims),
                )
            )


def _without_leads(text: str) -> Iterator[str]:
    """Yield the lines of a part but for those that only lead to sessions."""
    leads = False
    for line in text.split("\n"):
        if line.startswith("#"):
            leads = line.rstrip() in _LEADS
        if not leads:
            yield line


def _without_marks(line: str) -> str:
    """Return a line without the marks of tasks at its end."""
    end = len(line)
    while line.endswith("]", 0, end):
        start = line.rfind(_MARK, 0, end)
        if start < 0 or not line[start + len(_MARK) : end - 1].isdecimal():
            break
        end = start
        while line.endswith(" ", 0, end):
            end -= 1
    return line[:end]


def _read_note(basket: Basket, raw: Raw, below: str) -> None:
    note = read_note(basket, raw)
    if note is None:
        return
    if not note.body.strip():
        basket.skip(raw.path, "empty")
        return
    cwd = front_text(note.front, "cwd")
    basket.add(
        Item(
            alias=f"{FORMAT}:{below}",
            kind=Kind.NOTE,
            title=front_text(note.front, "title") or first_heading(note.body) or raw.stem,
            body=note.body.strip("\n"),
            file=raw.shown,
            sha256=raw.sha256,
            workspace=cwd if cwd.startswith("/") else "",
            source="agent",
            claims=claims_of({k: v for k, v in note.front.items() if k not in ("title", "cwd")}),
        )
    )
