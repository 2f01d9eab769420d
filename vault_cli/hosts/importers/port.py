"""What every importer has: bounded reading of an untrusted folder, and a place to collect.

May import `model`, `text`, `errors`. The source is never written to. Links are not followed, only
regular files are opened, and every size and count has a limit, so that a hostile store costs no
more than a large honest one.
"""

from __future__ import annotations

import hashlib
import json
import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

from vault_cli.errors import Diagnostic, NotFoundError, Severity, UsageError
from vault_cli.model.foreign import Item, Source, Store
from vault_cli.store.places import real_path
from vault_cli.text.codes import show
from vault_cli.text.halves import without_halves

MAX_NOTE: Final = 1 << 20
"""Bytes of a Markdown file, as in a vault (02-format)."""

MAX_DATA: Final = 32 << 20
"""Bytes of a JSON or JSON-lines file that holds a whole store."""

MAX_FILES: Final = 20_000
MAX_ITEMS: Final = 50_000
MAX_DEPTH: Final = 12
MAX_NESTING: Final = 60
_SKIPPED: Final = frozenset({".git", ".obsidian", ".trash", "node_modules", "__pycache__", ".venv"})


@dataclass(slots=True)
class Raw:
    """One file as found.

    Args:
        path: where it is.
        name: path below the root, with `/`.
        shown: home-relative name for provenance.
        data: its bytes.
        sha256: of them.
    """

    path: Path
    name: str
    shown: str
    data: bytes
    sha256: str

    @property
    def stem(self) -> str:
        """File name without its suffix."""
        return self.path.stem

    def text(self) -> str:
        """Return the text, with LF line ends and no BOM.

        Raises:
            ValueError: it is not UTF-8, or holds a NUL.
        """
        text = self.data.decode("utf-8-sig")
        if "\0" in text:
            raise ValueError("it holds a NUL byte")
        return text.replace("\r\n", "\n").replace("\r", "\n")


@dataclass(slots=True)
class Basket:
    """Collects what an importer finds below one root.

    Args:
        root: the folder or file that was named.
        home: the home folder, which is left out of every name that is kept.
    """

    root: Path
    home: Path
    items: list[Item] = field(default_factory=list)
    sources: dict[str, Source] = field(default_factory=dict)
    notes: list[Diagnostic] = field(default_factory=list)
    places: dict[str, tuple[str, ...]] = field(default_factory=dict)

    @property
    def base(self) -> Path:
        """The folder that names are relative to."""
        return self.root if self.root.is_dir() else self.root.parent

    def shown(self, path: Path) -> str:
        """Return a path for provenance: `~/…` below the home folder, else from the root's own name.

        Neither holds a user name or the layout of this machine.
        """
        whole = Path(os.path.abspath(path))  # noqa: PTH100 - links are not to be resolved
        base = Path(os.path.abspath(self.base))  # noqa: PTH100
        for top, mark in ((self.home, "~/"), (base, f"{base.name}/")):
            if whole.is_relative_to(top) and whole != top:
                return _decodable(mark + whole.relative_to(top).as_posix())
        return _decodable(whole.name)

    def walk(self, *suffixes: str, below: str = "") -> Iterator[Path]:
        """Yield the regular files below the root, sorted, without links and hidden machinery.

        Args:
            suffixes: endings that count (lower case), none for every file.
            below: folder below the root to begin in.
        """
        top = self.base / below if below else self.root
        if below and self._through_link(top):
            self.skip(top, "a link is not followed")
            return
        if top.is_file() and not top.is_symlink():
            yield top
            return
        count = 0
        for path in self._descend(top, 0):
            if suffixes and not path.name.lower().endswith(suffixes):
                continue
            count += 1
            if count > MAX_FILES:
                self.note(top, "too-many-files", f"only the first {MAX_FILES} files are read")
                return
            yield path

    def _descend(self, folder: Path, depth: int) -> Iterator[Path]:
        if depth > MAX_DEPTH:
            self.note(folder, "too-deep", f"folders more than {MAX_DEPTH} deep are not read")
            return
        try:
            entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
        except OSError as error:
            self.fail(folder, f"cannot be read: {error.strerror}")
            return
        for entry in entries:
            if entry.is_symlink():
                self.skip(Path(entry.path), "a link is not followed")
            elif entry.is_dir(follow_symlinks=False):
                if entry.name not in _SKIPPED:
                    yield from self._descend(Path(entry.path), depth + 1)
            elif entry.is_file(follow_symlinks=False):
                yield Path(entry.path)

    def _through_link(self, path: Path) -> bool:
        """Tell whether a link stands between the root and a path below it."""
        inside = [path, *path.parents][: len(path.parts) - len(self.base.parts)]
        return any(place.is_symlink() for place in inside)

    def read(self, path: Path, limit: int = MAX_NOTE) -> Raw | None:
        """Return a regular file; None, and a failed source, when it cannot be used."""
        if path != self.root and self._through_link(path):
            self.skip(path, "a link is not followed")
            return None
        try:
            data = read_plain(path, limit)
        except (OSError, ValueError) as error:
            why = error.strerror if isinstance(error, OSError) else str(error)
            self.fail(path, why or "cannot be read")
            return None
        shown = self.shown(path)
        digest = hashlib.sha256(data).hexdigest()
        name = (
            path.relative_to(self.base).as_posix() if path.is_relative_to(self.base) else path.name
        )
        self.sources.setdefault(shown, Source(shown, digest))
        return Raw(path, _decodable(name), shown, data, digest)

    def read_text(self, path: Path, limit: int = MAX_NOTE) -> tuple[Raw, str] | None:
        """Return a file with its text; None, and a failed source, when it is no UTF-8 text."""
        raw = self.read(path, limit)
        if raw is None:
            return None
        try:
            return raw, raw.text()
        except UnicodeDecodeError as error:
            self.fail(path, f"is not UTF-8 (byte {error.start}); convert it first")
        except ValueError as error:
            self.fail(path, str(error))
        return None

    def read_json(self, path: Path) -> tuple[Raw, Any] | None:
        """Return a JSON file; None, and a failed source, when it is none or is nested too deep."""
        found = self.read_text(path, MAX_DATA)
        if found is None:
            return None
        value = self.parse(path, found[1])
        return None if value is None else (found[0], value)

    def parse(self, path: Path, text: str, line: int = 0) -> Any:
        """Return a JSON text as values; None, and a note, when it is none."""
        try:
            return load_json(text)
        except ValueError as error:
            if line:
                self.note(path, "bad-line", f"not read: {error}", line=line, severity="warning")
            else:
                self.fail(path, str(error))
        return None

    def lines(self, path: Path) -> Iterator[tuple[Raw, int, dict[str, Any]]]:
        """Yield the objects of a JSON-lines file with their line; a bad line hides no other."""
        found = self.read_text(path, MAX_DATA)
        if found is None:
            return
        for number, line in enumerate(found[1].split("\n"), 1):
            if not line.strip():
                continue
            value = self.parse(path, line, number)
            if isinstance(value, dict):
                yield found[0], number, value
            elif value is not None:
                self.note(path, "bad-line", "not an object", line=number, severity="warning")

    def add(self, item: Item) -> None:
        """Keep one memory; more than `MAX_ITEMS` are left out, which is noted once."""
        if len(self.items) >= MAX_ITEMS:
            if not any(note.code == "too-many-items" for note in self.notes):
                self.note(self.root, "too-many-items", f"only the first {MAX_ITEMS} are taken")
            return
        self.items.append(item)
        known = self.sources.get(item.file, Source(item.file, item.sha256))
        self.sources[item.file] = Source(item.file, known.sha256, known.items + 1)

    def skip(self, path: Path, why: str) -> None:
        """Name a file that holds no memory by its kind."""
        shown = self.shown(path)
        known = self.sources.get(shown, Source(shown))
        self.sources[shown] = Source(shown, known.sha256, known.items, "skipped", why)

    def fail(self, path: Path, why: str) -> None:
        """Name a file that could not be read; its neighbours are."""
        shown = self.shown(path)
        known = self.sources.get(shown, Source(shown))
        self.sources[shown] = Source(shown, known.sha256, known.items, "failed", why)
        self.note(path, "unreadable-source", why, severity="warning")

    def note(
        self,
        path: Path,
        code: str,
        text: str,
        *,
        line: int = 0,
        hint: str = "",
        severity: Severity = "note",
    ) -> None:
        """Keep a finding about a file of the source."""
        self.notes.append(Diagnostic(self.shown(path), line, code, severity, text, hint))

    def close(self, name: str) -> Store:
        """Return all that was collected."""
        sources = tuple(self.sources[key] for key in sorted(self.sources))
        items = tuple(replace(item, by=name) for item in self.items)
        return Store(name, items, sources, tuple(self.notes), dict(self.places))


def open_basket(root: Path, home: Path) -> Basket:
    """Return an empty basket for a folder or file.

    Raises:
        NotFoundError: nothing is there. UsageError: it is neither a folder nor a regular file.
    """
    try:
        mode = root.stat().st_mode  # the one link that is followed is the one a person typed
    except OSError as error:
        raise NotFoundError(
            f"{show(str(root))} cannot be read: {error.strerror}",
            hint="Name a folder or a file that is there.",
        ) from error
    if not (stat.S_ISDIR(mode) or stat.S_ISREG(mode)):
        raise UsageError(f"{show(str(root))} is neither a folder nor a regular file")
    return Basket(real_path(root) if root.is_symlink() else root, home)


def read_plain(path: Path, limit: int) -> bytes:
    """Read a regular file without following a link or waiting for a pipe.

    Raises:
        OSError: it cannot be read. ValueError: it is no regular file, or larger than `limit`.
    """
    data = _read_at_most(path, limit + 1)
    if len(data) > limit:
        raise ValueError(f"is larger than {limit >> 10} KiB")
    return data


def head_of(path: Path, limit: int = 1 << 16) -> bytes:
    """Return the beginning of a regular file; b"" of anything else, and of what cannot be read."""
    try:
        return _read_at_most(path, limit)
    except (OSError, ValueError):
        return b""


def _read_at_most(path: Path, limit: int) -> bytes:
    handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    with os.fdopen(handle, "rb") as stream:
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            raise ValueError("is not a regular file")
        return stream.read(limit)


def load_json(text: str) -> Any:
    """Read JSON of a bounded depth, without halves of characters.

    Raises:
        ValueError: it is no JSON, holds NaN, or is nested too deep; where, but not what, is named.
    """
    try:
        value = json.loads(text, parse_constant=_no_constant, parse_int=_whole)
    except RecursionError as error:
        raise ValueError("is nested too deep") from error
    except json.JSONDecodeError as error:
        place = f"line {error.lineno}, column {error.colno}"
        raise ValueError(f"is not JSON ({error.msg}, {place})") from error
    if _depth(value) > MAX_NESTING:
        raise ValueError("is nested too deep")
    return without_halves(value)


def _no_constant(name: str) -> Any:
    raise ValueError(f"is not JSON ({name} is no number)")


def _whole(digits: str) -> int:
    if len(digits) > 20:  # noqa: PLR2004 - more digits than any id or instant has
        raise ValueError("holds a number of more than 20 digits")
    return int(digits)


def _depth(value: Any) -> int:
    deepest, waiting = 0, [(value, 1)]
    while waiting:
        one, depth = waiting.pop()
        deepest = max(deepest, depth)
        if isinstance(one, dict):
            waiting += [(item, depth + 1) for item in one.values()]
        elif isinstance(one, list):
            waiting += [(item, depth + 1) for item in one]
    return deepest


def _decodable(name: str) -> str:
    r"""Return a file name without bytes that are no text (shown as `\xNN`)."""
    return name.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
