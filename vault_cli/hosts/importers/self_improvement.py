"""dsh-self-improvement: one memory a line, in `memory/{facts,lessons,methods,resources}.md`.

Format: 07-import-formats. The global memory lies one level deeper than its name says (fault 9).
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from vault_cli.hosts.importers.notes import Names, front_text, read_note, slug_of, split_parts
from vault_cli.hosts.importers.port import Basket, Raw, head_of
from vault_cli.hosts.importers.values import (
    claims_of,
    importance_of,
    one_line,
    text_of,
    when_of,
)
from vault_cli.model.foreign import Item
from vault_cli.model.record import Kind

FORMAT: Final = "self-improvement"
_LINE: Final = re.compile(r"-[ \t]*\[([^\]]*)\][ \t]*\(([a-z]+)\)[ \t]*(.*)")
_LOOSE: Final = re.compile(r"-[ \t]+(.+)")
_PAIR: Final = re.compile(r"(?:^|,)[ \t]*(imp|src|origin|invalid|uses|why|promoted|at|ttl|vfy|by):")
_MADE: Final = re.compile(rb"(?m)^- \[[^\]\n]*\] \([a-z]+\) ")
_FILES: Final = ("facts.md", "lessons.md", "methods.md", "resources.md")
_FREE: Final = {"principles.md": Kind.INSIGHT, "hypotheses.md": Kind.HYPOTHESIS}
_KINDS: Final = {
    "fact": Kind.FACT,
    "lesson": Kind.LESSON,
    "method": Kind.RECIPE,
    "resource": Kind.RESOURCE,
    "preference": Kind.PREFERENCE,
}
_OF_FILE: Final = {
    "facts": "fact", "lessons": "lesson", "methods": "method", "resources": "resource",
}  # fmt: skip
"""What a line is that a person wrote by hand, without a time and a kind: what its file is for."""

_SOURCES: Final = {"agent": "agent", "tool": "tool", "web": "web", "doc": "doc", "retro": "agent"}
_ORIGINS: Final = {**_SOURCES, "tool": "agent", "sleep": "agent"}
"""How it was written: `tool` is the agent's own call, `sleep` what the plugin made of the rest."""


def fits(root: Path) -> bool:
    """Tell whether a folder has the plugin's memory files."""
    files = [_top(root) / "memory" / name for name in _FILES]
    return any(_MADE.search(head_of(path)) for path in files)


def _top(root: Path) -> Path:
    """Return the folder that holds `memory/`, however often its own name is nested."""
    here = root
    for _ in range(3):
        if (here / "memory").is_dir():
            return here
        if not (here / FORMAT).is_dir():
            return root
        here /= FORMAT
    return root


def read(basket: Basket) -> None:
    """Read memories, principles, hypotheses and playbooks; logs and proposals are named."""
    top = _top(basket.base)
    workspace = _workspace(basket, top)
    for path in basket.walk():
        below = path.relative_to(top).as_posix() if path.is_relative_to(top) else path.name
        if below in {f"memory/{name}" for name in (*_FILES, *_FREE)}:
            found = basket.read_text(path)
            if found is None:
                continue
            read_file = _read_lines if path.name in _FILES else _read_free
            read_file(basket, *found, workspace)
        elif below.startswith("playbooks/") and path.suffix == ".md":
            raw = basket.read(path)
            if raw is not None:
                _read_playbook(basket, raw, workspace)
        else:
            basket.skip(path, _why_not(below))


def _why_not(below: str) -> str:
    if below.startswith("memory/quarantine/"):
        return "held back over there"
    folder = below.partition("/")[0]
    whys = {"logs": "a log", "proposals": "a proposal nobody accepted yet", "memory": "a backup"}
    return whys.get(folder, "not a memory")


def _workspace(basket: Basket, top: Path) -> str:
    """Return the project of `<workspace>/self-improvement/`: the repository it lies in."""
    place = top.absolute().parent
    is_global = place == basket.home or place.is_relative_to(basket.home / ".dsh")
    return str(place) if not is_global and (place / ".git").exists() else ""


def _read_lines(basket: Basket, raw: Raw, text: str, workspace: str) -> None:
    names = Names()
    tag, at = "", ""
    for number, line in enumerate(text.split("\n"), 1):
        if line.startswith("## "):
            tag, _, at = (part.strip() for part in line[3:].partition(" @ "))
            continue
        entry = _entry(basket, raw, number, line.strip())
        if entry is None:
            continue
        written, said_kind, text = entry
        said, meta = split_meta(text)
        kind = _KINDS.get(said_kind, Kind.NOTE)
        digest = hashlib.sha256(f"{said_kind}\n{said}".encode()).hexdigest()[:16]
        own = names.take(f"{raw.stem}/{digest}")
        claims = {"kind": said_kind, "at": written, "tag": tag, "tag_at": at, **meta}
        basket.add(_item(raw, number, own, kind, said, claims, workspace))


def _entry(basket: Basket, raw: Raw, number: int, line: str) -> tuple[str, str, str] | None:
    """Return when a line was written, its kind and its text; None, and a note, for any other."""
    found = _LINE.fullmatch(line)
    if found is not None:
        return found[1], found[2], found[3]
    loose = _LOOSE.fullmatch(line)
    if loose is not None:
        kind = _OF_FILE[raw.stem]
        basket.note(raw.path, "no-kind", f"has no time and kind; taken as a {kind}", line=number)
        return "", kind, loose[1]
    if line and not line.startswith("#"):
        text = "not a memory line; not taken"
        basket.note(raw.path, "unknown-line", text, line=number, severity="warning")
    return None


def split_meta(text: str) -> tuple[str, dict[str, str]]:
    """Split `text {imp:8,src:user}`; braces that hold anything else are text."""
    said, mark, rest = text.rstrip().rpartition("{")
    if not mark or not rest.endswith("}") or "}" in rest[:-1]:
        return text.strip(), {}
    meta = rest[:-1]
    pairs = list(_PAIR.finditer(meta))
    if not pairs or pairs[0].start():
        return text.strip(), {}
    ends = [pair.start() for pair in pairs[1:]] + [len(meta)]
    values = {
        pair[1]: meta[pair.end() : end].strip() for pair, end in zip(pairs, ends, strict=True)
    }
    return said.strip(), values


def _item(
    raw: Raw, line: int, own: str, kind: Kind, said: str, claims: Mapping[str, Any], workspace: str
) -> Item:
    title = one_line(said, 110)
    is_steps = kind is Kind.RECIPE
    return Item(
        alias=f"{FORMAT}:{own}",
        kind=kind,
        title=title,
        body="" if is_steps else said,
        sections={"steps": said} if is_steps else {},
        topics=(slug_of(text_of(claims.get("tag"))),) if claims.get("tag") else (),
        file=raw.shown,
        sha256=raw.sha256,
        line=line,
        workspace=workspace,
        importance=importance_of(claims.get("imp")),
        source=_source_of(claims),
        valid_to=when_of(claims.get("invalid")),
        claims=claims_of({k: v for k, v in claims.items() if k != "imp"}),
    )


def _source_of(claims: Mapping[str, Any]) -> str:
    """Return who claims it: what the model said, else how it was written; never a person."""
    said = _SOURCES.get(text_of(claims.get("src")))
    return said or _ORIGINS.get(text_of(claims.get("origin")), "import")


def _read_free(basket: Basket, raw: Raw, text: str, workspace: str) -> None:
    """Read principles and hypotheses: list items one by one, other sections whole."""
    names = Names()
    for line, said in _free_parts(text):
        digest = hashlib.sha256(said.encode()).hexdigest()[:16]
        own = names.take(f"{raw.stem}/{digest}")
        basket.add(_item(raw, line, own, _FREE[raw.path.name], said, {}, workspace))


def _free_parts(text: str) -> Iterator[tuple[int, str]]:
    for part in split_parts(text, (1, 2, 3)):
        lines = [line for line in part.text.split("\n") if line.strip()]
        if lines and all(re.match(r"[-*+] |[ \t]", line) for line in lines):
            for number, line in enumerate(part.text.split("\n"), part.line + 1):
                if re.match(r"[-*+] ", line):
                    yield number, line[2:].strip()
        elif lines:
            yield (
                part.line,
                f"{part.heading}\n\n{part.text}".strip() if part.level > 1 else part.text,
            )


def _read_playbook(basket: Basket, raw: Raw, workspace: str) -> None:
    note = read_note(basket, raw)
    if note is None or not note.body.strip():
        return
    slug = front_text(note.front, "slug") or raw.stem
    from vault_cli.text.lines import first_heading

    basket.add(
        Item(
            alias=f"{FORMAT}:playbook/{slug}",
            kind=Kind.RECIPE,
            title=first_heading(note.body) or slug.replace("-", " "),
            body=note.body.strip("\n"),
            file=raw.shown,
            sha256=raw.sha256,
            workspace=workspace,
            source="agent",
            claims=claims_of(dict(note.front)),
        )
    )
