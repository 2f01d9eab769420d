"""Claude Code's automatic memory: `projects/<slug>/memory/` and `agent-memory/<agent>/`.

Two generations of front matter: `type` at the top, or below `metadata`. Older folders have all in
MEMORY.md, newer ones keep one line a note there. Format: 05-hosts, section 2.

The name of a project's folder cannot be turned back into a path. The project is read from `cwd`
of the transcripts; without one, a path is taken when it is the only one that is there and that
the name fits, and what was taken is said.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any, Final

from vault_cli.hosts.importers import port
from vault_cli.hosts.importers.notes import (
    Names,
    front_text,
    marked_line,
    read_note,
    slug_of,
    split_parts,
)
from vault_cli.hosts.importers.port import Basket, Raw
from vault_cli.hosts.importers.values import claims_of, echo_of, one_line, texts_of
from vault_cli.model.foreign import Item
from vault_cli.model.record import Kind

FORMAT: Final = "claude-code"
KINDS: Final = {
    "user": Kind.PREFERENCE,
    "feedback": Kind.RULE,
    "project": Kind.FACT,
    "reference": Kind.RESOURCE,
}
"""Kinds of Claude Code's notes, and ours."""

_INDEX: Final = "MEMORY.md"
_LINK: Final = re.compile(r"[ \t]*[-*+][ \t]+\[([^\]\n]*)\]\(<?([^)\n>]+?)>?\)(.*)")
_AGENTS: Final = ("agent-memory", "agent-memory-local")
_PLAIN: Final = ("name", "description", "type", "metadata", "title", "tags", "topics")
_MAX_TRANSCRIPTS: Final = 200
_MAX_LINES: Final = 50
_MAX_LINE: Final = 1 << 20
_MAX_PATHS: Final = 9
_MAX_LOOKS: Final = 2_000
_LONGEST_SLUG: Final = 200


def fits(root: Path) -> bool:
    """Tell whether a folder looks like Claude Code's: its configuration, or a memory folder."""
    if (root / "projects").is_dir() or any((root / name).is_dir() for name in _AGENTS):
        return any(_memory_folders(root))
    return root.is_dir() and (root / _INDEX).is_file() and not (root / "raw_memories.md").exists()


def read(basket: Basket) -> None:
    """Read the memory folders below the root, or the root as one of them."""
    folders = list(_memory_folders(basket.base)) or [basket.base]
    for folder in folders:
        _read_folder(basket, folder)


def _memory_folders(root: Path) -> Iterator[Path]:
    """Yield the folders that hold memories; a folder of another name never counts (fault 10)."""
    if root.name == "projects":
        tops = [root]
    else:
        tops = [root / "projects", root.parent] if root.parent.name == "projects" else []
        tops = tops or [root / "projects"]
    for top in tops[:1]:
        for slug in _folders(top):
            if (slug / "memory").is_dir() and not (slug / "memory").is_symlink():
                yield slug / "memory"
    if root.parent.name == "projects" and (root / "memory").is_dir():
        yield root / "memory"
    claude = root / ".claude" if (root / ".claude").is_dir() else root
    for name in _AGENTS:
        yield from _folders(claude / name)


def _folders(top: Path) -> list[Path]:
    try:
        if top.is_symlink():
            return []
        return sorted(p for p in top.iterdir() if p.is_dir() and not p.is_symlink())
    except OSError:
        return []


def slug_path(path: str) -> str:
    """Return the name Claude Code gives the folder of a project (one sign a UTF-16 unit)."""
    units = path.encode("utf-16-le", "surrogatepass")
    signs = (units[i : i + 2].decode("utf-16-le", "replace") for i in range(0, len(units), 2))
    return "".join(sign if sign.isascii() and sign.isalnum() else "-" for sign in signs)


class _Folder:
    """One memory folder: whose it is."""

    def __init__(self, basket: Basket, folder: Path) -> None:
        self.basket = basket
        self.folder = folder
        whole = Path(os.path.abspath(folder))  # noqa: PTH100 - links stay as they are
        self.agent = whole.name if whole.parent.name in _AGENTS else ""
        in_project = whole.name == "memory" and whole.parent.parent.name == "projects"
        self.slug = whole.parent.name if in_project else ""
        self.place = self.slug or (f"agent/{self.agent}" if self.agent else whole.name)
        self.by_session: dict[str, str] = {}
        self.workspace = self._find_workspace(whole)

    @property
    def project(self) -> str:
        return f"{FORMAT}/{self.slug}" if self.slug else ""

    def _find_workspace(self, whole: Path) -> str:
        if self.agent:
            top = whole.parent.parent  # of a project it is <project>/.claude
            own = top.name == ".claude" and (top.parent / ".git").exists()
            return str(top.parent) if own else ""
        if not self.slug:
            return ""
        self.by_session = _transcript_folders(whole.parent)
        roots = sorted({_top_of(cwd) for cwd in self.by_session.values()})
        if len(roots) == 1:
            return roots[0]
        known = roots or sorted(_paths_that_fit(self.slug, self.basket.home))
        if len(known) == 1:
            text = f"no transcript names the project; {known[0]} is the only folder that fits"
            self.basket.note(self.folder, "project-by-name", text)
            return known[0]
        self.basket.places[self.project] = tuple(known)
        said = f"could be {' or '.join(known)}" if known else "no file says"
        self.basket.note(
            self.folder,
            "project-unknown",
            f"the project of {self.slug}: {said}; the scope is left open",
            hint="Name it: mvault import claude-code PATH --workspace FOLDER",
            severity="warning",
        )
        return ""

    def workspace_of(self, session: str) -> str:
        """Return the project folder of a note: of the session it came from, else of all."""
        cwd = self.by_session.get(session)
        return _top_of(cwd) if cwd else self.workspace


def _transcript_folders(project: Path) -> dict[str, str]:
    """Return `cwd` by session id, from the first lines of each transcript."""
    found: dict[str, str] = {}
    try:
        names = sorted(p for p in project.iterdir() if p.suffix == ".jsonl" and not p.is_symlink())
    except OSError:
        return found
    for path in names[:_MAX_TRANSCRIPTS]:
        cwd = _first_cwd(path)
        if cwd:
            found[path.stem] = cwd
    return found


def _first_cwd(path: Path) -> str:
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        with os.fdopen(handle, "rb") as stream:
            for line in islice(iter(lambda: stream.readline(_MAX_LINE), b""), _MAX_LINES):
                try:
                    value = json.loads(line)
                except (ValueError, RecursionError):
                    continue
                cwd = value.get("cwd") if isinstance(value, dict) else None
                if isinstance(cwd, str) and cwd.startswith("/") and cwd.isprintable():
                    return cwd
    except OSError:
        return ""
    return ""


def _top_of(cwd: str) -> str:
    """Return the top of the repository that holds a folder, the folder itself without one."""
    here = Path(cwd)
    return next((str(p) for p in (here, *here.parents) if (p / ".git").exists()), cwd)


def _paths_that_fit(slug: str, home: Path) -> set[str]:
    """Return the existing folders whose slug this is, and those the program's own list names."""
    if len(slug) > _LONGEST_SLUG or not slug.startswith("-"):
        return set()
    listed = (path for path in _listed_projects(home) if slug_path(path) == slug)
    looks = iter(range(_MAX_LOOKS))
    return {*listed, *islice(_descend(Path("/"), slug, looks), _MAX_PATHS)}


def _listed_projects(home: Path) -> Iterable[str]:
    try:
        data = port.read_plain(home / ".claude.json", port.MAX_DATA)
        value = port.load_json(data.decode("utf-8", "replace"))
    except (OSError, ValueError):
        return ()
    projects = value.get("projects") if isinstance(value, dict) else None
    return [str(key) for key in projects] if isinstance(projects, dict) else ()


def _descend(folder: Path, rest: str, looks: Iterator[int]) -> Iterator[str]:
    """Yield the folders below `folder` whose path continues as `rest` does.

    Only a name that fits is a look: a large folder on the way must not end the search.
    """
    for child in _folders(folder):
        part = "-" + slug_path(child.name)
        if not rest.startswith(part):
            continue
        if next(looks, None) is None:
            return
        if rest == part:
            yield str(child)
        if rest.startswith(part + "-"):
            yield from _descend(child, rest[len(part) :], looks)


def _read_folder(basket: Basket, folder: Path) -> None:
    here = _Folder(basket, folder)
    named: set[str] = set()
    below = folder.relative_to(basket.base).as_posix()
    files = list(basket.walk(".md", below="" if below == "." else below))
    index = folder / _INDEX
    if index in files:
        named = _read_index(basket, here, index)
    for path in files:
        if path == index:
            continue
        raw = basket.read(path)
        if raw is None:
            continue
        _read_topic(here, raw)
        name = path.relative_to(folder).as_posix()
        if index in files and name not in named:
            basket.note(path, "not-in-index", f"{_INDEX} does not name this note; it is taken")


def _read_index(basket: Basket, here: _Folder, path: Path) -> set[str]:
    """Read MEMORY.md: lines that only name notes are an index, everything else is content."""
    found = basket.read_text(path)
    if found is None:
        return set()
    raw, text = found
    named: set[str] = set()
    kept: list[str] = []
    for number, line in enumerate(text.split("\n"), 1):
        link = _LINK.fullmatch(line)
        if link is None or "://" in link[2] or not link[2].lower().endswith(".md"):
            kept.append(line)
            continue
        kept.append("")
        named.add(link[2].removeprefix("./"))
        if not (here.folder / link[2]).is_file():
            basket.note(
                path, "missing-target", f"{link[2]} is not there", line=number, severity="warning"
            )
    before = len(basket.items)
    for part in _sections("\n".join(kept)):
        basket.add(_section_item(here, raw, part))
    if len(basket.items) == before:
        basket.skip(path, "the index of the folder, not a memory")
    return named


def _sections(text: str) -> Iterator[tuple[str, str, int, str]]:
    """Yield (name, heading, line, text) of the sections that say something."""
    names = Names()
    for part in split_parts(text, (1, 2)):
        if part.text.strip():
            yield names.take(slug_of(part.heading or "top")), part.heading, part.line, part.text


def _section_item(here: _Folder, raw: Raw, part: tuple[str, str, int, str]) -> Item:
    name, heading, line, text = part
    return Item(
        alias=f"{FORMAT}:{here.place}/{_INDEX}#{name}",
        kind=Kind.NOTE,
        title=heading or one_line(text),
        body=text,
        file=raw.shown,
        sha256=raw.sha256,
        line=line,
        workspace=here.workspace,
        project="" if here.workspace else here.project,
        keywords=(here.agent,) if here.agent else (),
        source="agent",
    )


def _read_topic(here: _Folder, raw: Raw) -> None:
    note = read_note(here.basket, raw)
    if note is None:
        return
    inner = note.front.get("metadata")
    metadata: dict[str, Any] = dict(inner) if isinstance(inner, dict) else {}
    if not note.body.strip() and not front_text(note.front, "description"):
        here.basket.skip(raw.path, "empty")
        return
    own = front_text(metadata, "type") or front_text(note.front, "type")
    name = front_text(note.front, "name") or raw.stem
    session = front_text(metadata, "originSessionId") or front_text(note.front, "originSessionId")
    workspace = here.workspace_of(session)
    title = front_text(note.front, "title") or _title(name)
    ours, echo = echo_of(title, note.body, front_text(metadata, "mvault"))
    inside = Path(raw.path).relative_to(here.folder).as_posix()
    known = {"type", "node_type", "originSessionId", "modified", "mvault"}
    rest = {f"metadata.{k}": v for k, v in metadata.items() if k not in known}
    rest |= {k: v for k, v in note.front.items() if k not in {*_PLAIN, *known}}
    here.basket.add(
        Item(
            alias=f"mvault:{ours}" if ours else f"{FORMAT}:{here.place}/{inside}",
            kind=KINDS.get(own, Kind.NOTE),
            title=title,
            echo=echo,
            names=(name,),
            body=note.body.strip("\n"),
            summary=front_text(note.front, "description"),
            applies_when=marked_line(note.body, "How to apply", "如何应用", "适用")[:300],
            topics=texts_of(note.front.get("topics") or note.front.get("tags")),
            keywords=(here.agent,) if here.agent else (),
            file=raw.shown,
            sha256=raw.sha256,
            workspace=workspace,
            project="" if workspace else here.project,
            source="agent",
            claims=claims_of(
                {
                    "name": name,
                    "type": own,
                    "session": session,
                    "modified": front_text(metadata, "modified")
                    or front_text(note.front, "modified"),
                    **rest,
                }
            ),
        )
    )


def _title(name: str) -> str:
    """Return the slug of a note as words."""
    words = name.replace("-", " ").replace("_", " ").strip()
    return words[:1].upper() + words[1:] if words else name
