"""The block in an instruction file, and how much of such files a host reads. + `hosts.sinks`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

from vault_cli.hosts.install.changes import read_text
from vault_cli.hosts.table import Host
from vault_cli.store.places import expand_home
from vault_cli.text.late import late
from vault_cli.text.markers import MARKER_LINE

_IMPORT: Final = late(r"(?m)(?:^|\s)@(~?[\w./-][\w./ -]*?\.md)\b")
_DEEPEST: Final = 4
"""How deep `@path` imports are followed, as Claude Code does."""


class InstructionFile(NamedTuple):
    """One file that a host reads at the start.

    Args:
        path: where it is.
        size: its UTF-8 bytes.
        block_end: how many bytes it takes to the end of our block; 0 without one.
    """

    path: Path
    size: int
    block_end: int


class Reading(NamedTuple):
    """What a host reads of its project files.

    Args:
        files: in the order it reads them.
        limit: the bytes it reads in all; 0 = no known limit.
        cut: the files whose block it does not see whole.
    """

    files: tuple[InstructionFile, ...]
    limit: int
    cut: tuple[Path, ...]

    @property
    def total(self) -> int:
        """Bytes of all files together."""
        return sum(file.size for file in self.files)


def without_block(text: str) -> str:
    """Return the text without our markers and what is between them; alone it becomes ""."""
    bom = "\ufeff" if text.startswith("\ufeff") else ""
    lines = text.removeprefix(bom).splitlines(keepends=True)
    marks = [at for at, line in enumerate(lines) if MARKER_LINE.fullmatch(line.rstrip("\r\n"))]
    if len(marks) != 2:  # noqa: PLR2004 - a pair; half a one is a person's to repair
        return text
    before, after = lines[: marks[0]], lines[marks[1] + 1 :]
    if not before and after and not after[0].strip():  # a block at the top has one behind it
        after = after[1:]
    while before and after and not before[-1].strip() and not after[0].strip():
        before.pop()
    if not after:
        while before and not before[-1].strip():
            before.pop()
    left = "".join([*before, *after])
    return bom + left if left.strip() else ""


def read_instructions(host: Host, top: Path, folder: Path) -> Reading:
    """Return which instruction files a host reads from a project's top folder down to a folder.

    One file a folder, the first of the host's names that is there; Claude Code reads all of them,
    and what they import, and `AGENTS.md` where there is none of them.
    """
    folders = [each for each in (folder, *folder.parents) if each == top or top in each.parents]
    folders.reverse()
    names = host.instruction_files
    if host.stand_in and not any((each / name).is_file() for each in folders for name in names):
        names = (host.stand_in,)
    files = [_measured(path) for each in folders for path in _in_folder(host, each, names)]
    cut: list[Path] = []
    read = 0
    for file in files:
        if file.block_end and host.file_limit and read + file.block_end > host.file_limit:
            cut.append(file.path)
        read += file.size
    return Reading(tuple(files), host.file_limit, tuple(cut))


def read_own_file(host: Host, path: Path) -> tuple[InstructionFile, ...]:
    """Return a person's own instruction file and what it imports; nothing when it is not there."""
    if not path.is_file():
        return ()
    imported = _imports(path, 0) if host.expands_imports else ()
    return tuple(_measured(each) for each in (path, *imported))


def _in_folder(host: Host, folder: Path, names: tuple[str, ...]) -> Iterator[Path]:
    there = [folder / name for name in names if (folder / name).is_file()]
    if not host.expands_imports:
        yield from there[:1]
        return
    for path in there:
        yield path
        yield from _imports(path, 0)


def _imports(path: Path, depth: int) -> Iterator[Path]:
    if depth >= _DEEPEST:
        return
    for name in _IMPORT.findall(read_text(path) or ""):
        found = expand_home(name) if name.startswith("~") else path.parent / name
        if found.is_file():
            yield found
            yield from _imports(found, depth + 1)


def _measured(path: Path) -> InstructionFile:
    text = read_text(path) or ""
    size = end = 0
    for line in text.splitlines(keepends=True):
        size += len(line.encode("utf-8"))
        found = MARKER_LINE.fullmatch(line.rstrip("\r\n"))
        end = size if found and found["side"] == "end" else end
    return InstructionFile(path, size, end)
