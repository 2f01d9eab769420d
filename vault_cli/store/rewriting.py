"""Which files git stores otherwise than they lie there, by the attributes. May import `errors`.

git itself is not started, and no filter runs: this only says that one would.
"""

from __future__ import annotations

from fnmatch import fnmatchcase
from pathlib import Path
from typing import Final

from vault_cli.errors import StoreError
from vault_cli.store.git_place import Place
from vault_cli.store.opening import read_at

LFS: Final = "lfs"
"""The filter of Git LFS, whose result can be worked out."""

_SMALL_FILE: Final = 1 << 18
_REWRITING: Final = ("filter=", "working-tree-encoding=", "ident")


class Attributes:
    """The attribute files of one repository, each read once.

    Args:
        place: the repository.
    """

    def __init__(self, place: Place) -> None:
        self._place = place
        self._lines: dict[Path, list[str]] = {}

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
        folders = path.split("/")[:-1]
        for depth in range(len(folders) + 1):
            source = self._place.work_tree.joinpath(*folders[:depth], ".gitattributes")
            found = self._last_rule(source, path.split("/", depth)[-1], found)
        return self._last_rule(self._place.common_dir / "info" / "attributes", path, found)

    def _last_rule(self, source: Path, path: str, found: str) -> str:
        if source not in self._lines:
            self._lines[source] = read_start(source).splitlines()
        for line in self._lines[source]:
            found = _rule_in(line, path, found)
        return found


def _rule_in(line: str, path: str, before: str) -> str:
    """Return the rule that holds after one line of an attributes file."""
    words = line.split()
    if not words or words[0].startswith("#") or not _matches(words[0], path):
        return before
    for word in words[1:]:
        if word.startswith("filter="):
            before = word.removeprefix("filter=")
        elif word.startswith(_REWRITING):
            before = word
        elif word in {"-filter", "!filter"}:
            before = ""
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
