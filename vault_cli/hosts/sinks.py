"""Put a Block where a host reads it: the managed region of a file. + `store.files`, `text`.

Four rules. No file: it is made. Both markers: only what is between them is replaced. Half a pair,
a doubled or an unordered one: refused with the lines named, because to guess where the block ends
would delete what a person wrote. Nothing new: nothing is written. A marker inside a code fence is
documentation and not a marker. In a file that an agent program reads only the first bytes of, the
block goes to the top where it would else lie behind them. A file of git's, of a vault's
configuration, or a record is never a place for a block, nor what a link of a checkout leads to
outside of it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from vault_cli.errors import ChangedMeanwhileError, NotFoundError, RefusedError, StoreError
from vault_cli.hosts.links import require_no_way_out
from vault_cli.hosts.table import HOSTS
from vault_cli.model.record import Kind
from vault_cli.store.files import read_file, write_file
from vault_cli.store.places import real_path
from vault_cli.text.code import at_edge, closes_fence, opens_fence
from vault_cli.text.document import parse_document
from vault_cli.text.lines import main_line_end
from vault_cli.text.markers import MARKER_LINE, block_id, wrap_block
from vault_cli.text.names import show_path

_BOM: Final = "\ufeff"
_LARGEST: Final = 8 << 20
_NEW_FILE_MODE: Final = 0o666
_MOST_SHOWN: Final = 300
_VAULT_FILE: Final = "vault.toml"
_VAULT_OWN: Final = frozenset(
    {_VAULT_FILE, ".gitignore", ".gitattributes", ".mvault-schema.json", ".state"}
    | {"drafts", "quarantine", "tombstones", "usage", "persona", *(kind.folder for kind in Kind)}
)
"""Top-level names of a vault that belong to it."""


@dataclass(frozen=True, slots=True)
class SinkResult:
    """What a write would do or did.

    Args:
        path: the real path, links resolved.
        old: the text there was ("" for no file), as found, byte order mark included.
        new: the whole text there is to be.
        changed: whether the two differ.
        edited: a person changed text between the markers since we wrote it; it is replaced.
    """

    path: Path
    old: str
    new: str
    changed: bool
    edited: bool = False


@dataclass(frozen=True, slots=True)
class _Marker:
    index: int
    side: str
    ident: str


def plan_managed_block(target: Path, block: str) -> SinkResult:
    """Plan the managed block of `target` by the four marker rules; writes nothing.

    Args:
        target: a file or a link to one (the link stays, its target is written); need not exist.
        block: text of the block without markers; "" empties a block that is there.

    Raises:
        RefusedError: half a marker, doubled or unordered markers (path and line named), a block
            would land in a code fence that the file never closes, the file is git's, a
            record, or another part of a vault, or a link leads out of its checkout.
        StoreError: the file cannot be read as UTF-8 text.
    """
    path = _resolve(target)
    require_no_way_out(target)
    old = _read_text(path)
    _require_free(path, old or "")
    if old is None:
        new = wrap_block(block) if block.strip() else ""
        return SinkResult(path, "", new, changed=bool(new))
    new, edited = _with_block(old, block, path)
    return SinkResult(path, old, new, changed=new != old, edited=edited and new != old)


def find_block(text: str) -> str:
    """Return the block of ours that stands in a text as we wrote it; "" for none, or edited."""
    lines = text.removeprefix(_BOM).replace("\r\n", "\n").split("\n")
    markers, _ = _find_markers(lines)
    if [marker.side for marker in markers] != ["begin", "end"] or not _same_id(markers):
        return ""
    begin, end = markers
    inside = "\n".join(lines[begin.index + 1 : end.index])
    return inside + "\n" if _is_ours(inside, begin.ident) else ""


def write_managed_block(target: Path, block: str) -> SinkResult:
    """Carry out the plan atomically, through a symbolic link, keeping line ends and BOM.

    Raises:
        RefusedError, StoreError: as `plan_managed_block`; the old bytes are intact.
        ChangedMeanwhileError: somebody else wrote the file in this moment.
    """
    plan = plan_managed_block(target, block)
    if not plan.changed:
        return plan
    if (_read_text(plan.path) or "") != plan.old:
        raise ChangedMeanwhileError(
            f"{show_path(str(plan.path))} was changed while the block was put into it",
            hint="Run the command again.",
        )
    root = next(parent for parent in plan.path.parents if parent.is_dir())
    relative = plan.path.relative_to(root).as_posix()
    write_file(root, relative, plan.new.encode("utf-8"), mode=_NEW_FILE_MODE)
    return plan


def _resolve(target: Path) -> Path:
    shown = _cut(show_path(str(target)))
    try:
        path = real_path(target)
        is_folder, is_circle = path.is_dir(), path.is_symlink()
    except OSError as error:
        raise StoreError(
            f"{shown}: this path cannot be used ({error.strerror})", hint="Name another file."
        ) from error
    if is_circle:
        raise StoreError(f"{shown}: the links of this path lead nowhere", hint="Name another file.")
    if is_folder:
        raise StoreError(f"{shown} is a folder", hint="Name a file in it.")
    return path


def _cut(text: str) -> str:
    return text if len(text) <= _MOST_SHOWN else text[: _MOST_SHOWN - 1] + "…"


def _require_free(path: Path, old: str) -> None:
    """Refuse a file that is not the person's to keep a block in."""
    what = ""
    if any(part.lower() == ".git" for part in path.parts):
        what = "one of git's own files"
    elif (vault := _vault_of(path)) is not None:
        first = path.relative_to(vault).parts[0]
        if first in _VAULT_OWN or _is_record(path, old):
            what = "a part of the vault"
    if what:
        raise RefusedError(
            f"{show_path(str(path))} is {what}, no place for a block; nothing was written",
            hint="Name a file that an agent program reads, for example AGENTS.md.",
        )


def _vault_of(path: Path) -> Path | None:
    return next((parent for parent in path.parents if (parent / _VAULT_FILE).is_file()), None)


def _is_record(path: Path, old: str) -> bool:
    """Whether a file of a vault says that it is a record (a plain AGENTS.md does not)."""
    if path.suffix != ".md" or not old.lstrip(_BOM).startswith("---"):
        return False
    document = parse_document(old.encode("utf-8"), path.name)
    return document.is_broken or not {"id", "kind", "status"}.isdisjoint(document.front)


def _read_text(path: Path) -> str | None:
    """Return the file's text, None when there is no file."""
    if not path.parent.is_dir():
        return None
    try:
        data = read_file(path.parent, path.name, _LARGEST)
        return data.decode("utf-8")
    except NotFoundError:
        return None
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        raise StoreError(
            f"{show_path(str(path))}, line {line}: not UTF-8 text, nothing was written",
            hint="Save the file as UTF-8 and run the command again.",
        ) from error


def _with_block(old: str, block: str, path: Path) -> tuple[str, bool]:
    """Return the text with its block in place, and whether a person had edited the old block."""
    bom = _BOM if old.startswith(_BOM) else ""
    lines = old.removeprefix(_BOM).split("\n")
    newline = main_line_end(old)
    markers, open_fence = _find_markers(lines)
    if not markers:
        if not block.strip():
            return old, False
        appended = bom + _append(old.removeprefix(_BOM), block, newline)
        if _is_read(appended, path):
            if open_fence:
                raise _open_fence(path, open_fence)
            return appended, False
        return bom + _prepend(old.removeprefix(_BOM), block, newline), False
    begin, end = _one_pair(markers, path)
    inside = "\n".join(line.removesuffix("\r") for line in lines[begin.index + 1 : end.index])
    fresh = _wrapped(block, newline)
    last = "\r" if lines[end.index].endswith("\r") else ""
    before, after = lines[: begin.index], lines[end.index + 1 :]
    edited = not _is_ours(inside, begin.ident)
    if not _is_read(bom + "\n".join([*before, fresh]), path):
        while before and after and not before[-1].strip() and not after[0].strip():
            before.pop()
        return bom + _prepend("\n".join([*before, *after]), block, newline), edited
    return bom + "\n".join([*before, fresh + last, *after]), edited


def _is_read(text: str, path: Path) -> bool:
    """Whether every program that reads a file of this name gets as far as the end of a text.

    Of a file with front matter yes: nothing may stand before that.
    """
    limits = [host.file_limit for host in HOSTS.values() if path.name in host.instruction_files]
    most = min(filter(None, limits), default=0)
    return not most or len(text.encode("utf-8")) <= most or text.lstrip(_BOM).startswith("---")


def _is_ours(inside: str, ident: str) -> bool:
    """Whether the text between the markers is what their id was made of."""
    text = inside + "\n" if inside else ""
    return ident.removeprefix("id=") == block_id(text)


def _wrapped(block: str, newline: str) -> str:
    """Return the block between its markers, without a final line end, in the file's own style."""
    text = block if block.strip() else ""
    return wrap_block(text).removesuffix("\n").replace("\n", newline)


def _append(text: str, block: str, newline: str) -> str:
    """Return the text with the block after a blank line; a missing final line end stays missing."""
    wrapped = _wrapped(block, newline)
    if not text.strip():
        return wrapped + newline
    if not text.endswith("\n"):
        return f"{text}{newline}{newline}{wrapped}"
    gap = "" if text.endswith(("\n\n", "\n\r\n")) else newline
    return f"{text}{gap}{wrapped}{newline}"


def _prepend(text: str, block: str, newline: str) -> str:
    """Return the text with the block and a blank line before it."""
    return f"{_wrapped(block, newline)}{newline}{newline}{text}"


def _find_markers(lines: list[str]) -> tuple[list[_Marker], int]:
    """Return the markers outside of code fences, and the line of a fence that never closes.

    Markers below such a fence count: a block of ours that a fence opened later must be found
    again instead of being written a second time.
    """
    found: list[_Marker] = []
    fenced: list[_Marker] = []
    run, opened = "", 0
    for index, line in enumerate(lines):
        bare = line.removesuffix("\r")
        if run and at_edge(bare) and closes_fence(bare, run):
            run, opened, fenced = "", 0, []
        elif not run and at_edge(bare) and (opener := opens_fence(bare)):
            run, opened = opener["run"], index + 1
        elif marker := MARKER_LINE.fullmatch(bare):
            (fenced if run else found).append(_Marker(index, marker["side"], marker["id"]))
    return found + fenced, opened


def _one_pair(markers: list[_Marker], path: Path) -> tuple[_Marker, _Marker]:
    if [marker.side for marker in markers] == ["begin", "end"] and _same_id(markers):
        return markers[0], markers[1]
    where = show_path(str(path))
    listed = ", ".join(_described(markers))
    if len(markers) == 1:
        lone = markers[0]
        other = "end" if lone.side == "begin" else "begin"
        what = (
            f"{where}, line {lone.index + 1}: a lone {lone.side} marker without its {other} marker"
        )
    else:
        what = f"{where}, line {markers[0].index + 1}: markers do not make one pair ({listed})"
    raise RefusedError(
        f"{what}; nothing was written",
        hint="Repair or take out the marker lines by hand, then run the command again.",
    )


def _same_id(markers: list[_Marker]) -> bool:
    return len({marker.ident for marker in markers}) == 1


def _described(markers: list[_Marker]) -> Iterator[str]:
    for marker in markers[:6]:
        yield f"{marker.side} on line {marker.index + 1}"
    if len(markers) > 6:  # noqa: PLR2004
        yield f"and {len(markers) - 6} more"


def _open_fence(path: Path, line: int) -> RefusedError:
    return RefusedError(
        f"{show_path(str(path))}, line {line}: this code fence is never closed, so the block "
        "would become part of the code; nothing was written",
        hint="Close the fence, then run the command again.",
    )
