"""Links of a text outside code, and whether they lead somewhere. May import `text`, `model`."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from urllib.parse import unquote

from vault_cli.model.paths import fold_path, is_skill_file
from vault_cli.model.record import Record, Snapshot
from vault_cli.text.code import map_code
from vault_cli.text.late import late

_WIKI = late(r"!?\[\[([^\[\]\n]{1,300})\]\]")
_MARKDOWN = late(r"\]\([ \t]*(?:<([^<>\n]{1,500})>|([^()\s<>]{1,500}))[^()\n]{0,200}\)")
_SCHEME = late(r"[A-Za-z][A-Za-z0-9+.-]*:")


@dataclass(frozen=True, slots=True)
class Link:
    """One link.

    Args:
        target: where it leads, without `#part`, `|alias` and title.
        line: 1-based line of the body.
        is_wiki: `[[target]]`, found by name; else a path.
    """

    target: str
    line: int
    is_wiki: bool


def find_links(body: str) -> Iterator[Link]:
    """Yield the links of a body that may lead to another file, outside code, in linear time."""
    if "[[" not in body and "](" not in body:
        return
    code = map_code(body)
    found = [(match, True) for match in _WIKI.finditer(body)]
    found += [(match, False) for match in _MARKDOWN.finditer(body)]
    line, seen = 1, 0
    for match, is_wiki in sorted(found, key=lambda item: item[0].start()):
        if code.covers(match.start()):
            continue
        line += body.count("\n", seen, match.start())
        seen = match.start()
        target = _target(match, is_wiki=is_wiki)
        if target:
            yield Link(target, line, is_wiki)


def _target(match: re.Match[str], *, is_wiki: bool) -> str:
    if is_wiki:
        return match[1].split("|", 1)[0].rstrip("\\").split("#", 1)[0].split("^", 1)[0].strip()
    raw = match[1] or match[2]
    if _SCHEME.match(raw) or raw.startswith(("#", "/", "~", "\\")):
        return ""
    return unquote(raw.split("#", 1)[0].split("?", 1)[0])


class LinkIndex:
    """Knows what a link can lead to.

    Args:
        snapshot: its records, and the files that cannot be read, are there.
        files: further vault-relative paths (attachments, README.md). Without them a link to a
            file that is not Markdown is taken to be fine, since nobody listed such files.
    """

    def __init__(self, snapshot: Snapshot, files: Collection[str] = ()) -> None:
        paths = [*(record.path for record in snapshot.records), *snapshot.unreadable, *files]
        self._paths = {fold_path(path) for path in paths}
        self._names = {fold_path(path.rsplit("/", 1)[-1].removesuffix(".md")) for path in paths}
        self._names |= {fold_path(path.rsplit("/", 1)[-1]) for path in paths}
        for record in snapshot.records:
            self._names |= {fold_path(name) for name in (record.id, record.title, *record.aliases)}
        self._tails = {tail for path in self._paths for tail in _tails(path)}
        self._knows_all = bool(files)

    def leads_somewhere(self, link: Link, record: Record) -> bool:
        """Tell whether a link of `record` leads to something that is there."""
        target = fold_path(link.target)
        name = target.rsplit("/", 1)[-1]
        if name == "readme.md" or (not self._knows_all and _is_attachment(name, link.is_wiki)):
            return True  # never a record; or nobody listed such files
        if not link.is_wiki and "." not in name and "/" not in target:
            return True  # a[0](x) in prose; a link to a note has .md or a folder
        if link.is_wiki and (target in self._names or target in self._tails):
            return True
        folder = record.path.rsplit("/", 1)[0] if "/" in record.path else ""
        near = fold_path(posixpath.normpath(posixpath.join(folder, link.target)))
        from_top = fold_path(posixpath.normpath(link.target))
        wanted = {near, f"{near}.md", from_top, f"{from_top}.md"}
        if near.startswith("../") or _is_own_folder(record.path, near):
            return True  # outside the vault, or a skill's own files: not ours to judge
        return bool(wanted & self._paths) or self._is_folder(near)

    def _is_folder(self, path: str) -> bool:
        prefix = f"{path.rstrip('/')}/"
        return path == "." or any(known.startswith(prefix) for known in self._paths)


def _is_own_folder(path: str, target: str) -> bool:
    return is_skill_file(path) and target.startswith(fold_path(path).removesuffix("skill.md"))


def _is_attachment(name: str, is_wiki: bool) -> bool:  # noqa: FBT001
    extension = name.rsplit(".", 1)[-1] if "." in name else ""
    if extension == "md":
        return False
    # A wiki name may hold a dot of its own ("v1.2 notes"); a known file type does not.
    return re.fullmatch(r"[a-z0-9]{2,5}", extension) is not None if is_wiki else bool(extension)


def _tails(path: str) -> Iterator[str]:
    """Yield the ends of a path that a wiki link may use: `b/c` for `a/b/c.md`."""
    bare = path.removesuffix(".md")
    yield bare
    while "/" in bare:
        bare = bare.split("/", 1)[1]
        yield bare
