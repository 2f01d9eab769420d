"""Which files git stores otherwise than they lie there, by the attributes. May import `errors`.

git itself is not started, and no filter runs: this only says that one would.
"""

from __future__ import annotations

from fnmatch import fnmatchcase
from functools import cached_property
from pathlib import Path
from typing import Final

from vault_cli.errors import StoreError
from vault_cli.store.git_place import Place
from vault_cli.store.opening import read_at

LFS: Final = "lfs"
"""The filter of Git LFS, whose result can be worked out."""

_SMALL_FILE: Final = 1 << 18
_REWRITING: Final = ("filter", "working-tree-encoding", "ident")


Line = tuple[int, list[str]]
"""Where the path starts that a line of an attribute file is about, and its words."""


class Attributes:
    """The attribute files of one repository, each read once.

    Args:
        place: the repository.
    """

    def __init__(self, place: Place) -> None:
        self._place = place
        self._known: dict[str, list[Line]] = {}

    def rule_for(self, path: str) -> str:
        """Return the attribute by which git stores a file otherwise than it lies there.

        A pattern that matches more than git's own would is no harm: the file is then
        unverifiable instead of stale.

        Args:
            path: from the top of the repository.

        Returns:
            The name of its filter, else the whole attribute; "" for none.
        """
        found = ""
        for start, words in (*self._lines_of(path.rpartition("/")[0]), *self._own_lines):
            if _matches(words[0], path[start:]):
                found = _rule_in(words, found)
        return found

    @cached_property
    def _own_lines(self) -> list[Line]:
        return _read_lines(self._place.common_dir / "info" / "attributes", 0)

    def _lines_of(self, folder: str) -> list[Line]:
        """Return the lines that count for the files of a folder, the weakest first."""
        if folder not in self._known:
            above = self._lines_of(folder.rpartition("/")[0]) if folder else []
            source = self._place.work_tree / folder / ".gitattributes"
            start = len(folder) + 1 if folder else 0
            self._known[folder] = [*above, *_read_lines(source, start)]
        return self._known[folder]


def _read_lines(source: Path, start: int) -> list[Line]:
    """Return the lines of an attribute file that say what git rewrites."""
    lines = (line.split() for line in read_start(source).splitlines())
    told = (words for words in lines if any(map(_tells, words[1:])))
    return [(start, words) for words in told if not words[0].startswith("#")]


def _tells(word: str) -> bool:
    return word.lstrip("-!").startswith(_REWRITING)


def _rule_in(words: list[str], before: str) -> str:
    """Return the rule that holds after one line that is about the file."""
    for word in filter(_tells, words[1:]):
        before = "" if word.startswith(("-", "!")) else word.removeprefix("filter=")
    return before


def _matches(pattern: str, path: str) -> bool:
    plain = pattern.strip('"')
    if "/" not in plain:
        return fnmatchcase(path.rpartition("/")[2], plain)
    return fnmatchcase(path, plain.lstrip("/"))


def read_start(file: Path) -> str:
    """Return the start of a small text file, "" when it is no plain file."""
    try:
        return read_at(str(file), None, 1 << 40, upto=_SMALL_FILE)[0].decode("utf-8", "replace")
    except (OSError, StoreError):
        return ""
