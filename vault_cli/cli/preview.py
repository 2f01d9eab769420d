"""A change shown before it happens. May import `model`, `store.files`, `text`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from vault_cli.cli.output import Line, inline
from vault_cli.cli.views import brief_data
from vault_cli.model.change import ABSENT, Change, Edit, Move, Put, Remove

if TYPE_CHECKING:
    from vault_cli.model.record import Record, Snapshot
    from vault_cli.store.repo import Repository

_STYLES = {"+": "green", "-": "red", "@": "cyan"}


def _old_bytes(root: Path, edit: Edit) -> bytes:
    from vault_cli.store.files import read_file

    if _is_new(edit):
        return b""
    return read_file(root, edit.path, limit=1 << 26)


def _names(edit: Edit) -> tuple[str, str]:
    if isinstance(edit, Move):
        return edit.path, edit.target
    if isinstance(edit, Remove):
        return edit.path, ""
    return ("" if edit.expects == ABSENT else edit.path), edit.path


def change_diff(
    root: Path, change: Change, *, veiled: bool = False, for_person: bool = True
) -> list[Line]:
    """Return the unified diff of a change against the disk, as lines to print.

    Args:
        root: vault root.
        change: what is planned.
        veiled: of files that are removed only the name is shown.
        for_person: False names a file in quarantine and shows no word of it.
    """
    lines: list[Line] = []
    for edit in change.edits:
        if not for_person and is_held_path(edit.path):
            lines.append([("bold", edit.path), ": held back; its text is shown to a person only"])
            continue
        if veiled and isinstance(edit, Remove):
            count = _old_bytes(root, edit).count(b"\n")
            lines += [[("bold", f"--- a/{edit.path}")], [("bold", "+++ /dev/null")]]
            lines.append([("dim", f"({count} lines, not shown)")])
            continue
        new = b"" if isinstance(edit, Remove) else edit.data
        lines.extend(diff_lines(_old_bytes(root, edit), new, *_names(edit)))
    return lines


def is_held_path(path: str) -> bool:
    """Tell whether a file lies in quarantine, which git ignores."""
    return path.startswith("quarantine/")


def pending_lines(root: Path, repo: Repository, change: Change) -> list[Line]:
    """Return what the person's own edits of the touched files are, that no commit holds yet.

    They are recorded as a commit of their own before the change, so they are part of what is
    agreed to.
    """
    sources = {e.path for e in change.edits if not _is_new(e) and not is_held_path(e.path)}
    sources -= change.discarded
    lines: list[Line] = []
    for found in repo.pending(sources):
        if found.code == "added":
            text = f"no commit holds {found.path} yet; it is recorded first, as it is"
            lines.append([("yellow", text)])
        if found.code != "changed":
            continue
        old = repo.read_blob("HEAD", found.path)
        edit = next(edit for edit in change.edits if edit.path == found.path)
        text = f"{found.path} holds an edit that no commit has; it is recorded first:"
        lines += [[("yellow", text)]]
        lines += diff_lines(old or b"", _old_bytes(root, edit), found.path, found.path)
    return lines


def _is_new(edit: Edit) -> bool:
    return isinstance(edit, Put) and edit.expects == ABSENT


def diff_lines(
    old: bytes,
    new: bytes,
    old_name: str,
    new_name: str,
    *,
    shown: Callable[[bytes], list[str]] | None = None,
) -> list[Line]:
    """Return the unified diff of two versions of a file; "" as a name means there is none."""
    from difflib import unified_diff

    lines: list[Line] = []
    if old_name and new_name and old_name != new_name:
        lines += [[("bold", f"rename from {old_name}")], [("bold", f"rename to {new_name}")]]
    before = _header("a/", old_name)
    after = _header("b/", new_name)
    lines_of = shown or _shown
    for text in unified_diff(lines_of(old), lines_of(new), before, after, n=3):
        lines.extend(_styled(text))
    return lines


_SHOWN_KEYS = ("title", "kind", "scope", "boundary", "applies_when", "summary", "valid_from")
"""Keys that a reader is told of beside the text."""


def compact_diff(old: Record, new: Record) -> list[Line]:
    """Return what a successor says otherwise than its predecessor: keys that matter, and text."""
    from difflib import unified_diff

    before, after = _readable(old), _readable(new)
    lines: list[Line] = []
    for text in list(unified_diff(before, after, n=1))[2:]:
        lines.extend(_styled(text))
    return lines or [[("dim", "(the same text)")]]


def _readable(record: Record) -> list[str]:
    keys = [f"{key}: {record.fields[key]}\n" for key in _SHOWN_KEYS if record.fields.get(key)]
    return [*keys, *(f"{line}\n" for line in record.body.strip("\n").split("\n"))]


def _header(prefix: str, name: str) -> str:
    """Return a name as a diff heads it; a file outside the vault keeps its whole path."""
    if not name:
        return "/dev/null"
    return name if Path(name).is_absolute() else prefix + name


def _shown(data: bytes) -> list[str]:
    """Return the lines of a text as they may be printed: the kind stands for each secret."""
    from vault_cli.text.scan import mask_secrets

    return _split(mask_secrets(data.decode("utf-8", "surrogateescape")))


def shown_as_read(data: bytes, path: str, gates: frozenset[str]) -> list[str]:
    """Return the lines of a text with what an agent is shown of it: a secret only if it is allowed.

    For a person who decides whether that text may count.
    """
    from vault_cli.text.fields import read_record
    from vault_cli.text.scan import SECRET

    record = read_record(data, path, gates)[0] if path else None
    if record is not None and (SECRET in record.allow or "secrets" not in gates):
        return _split(data.decode("utf-8", "surrogateescape"))
    return _shown(data)


def _split(text: str) -> list[str]:
    parts = text.split("\n")
    return [part + "\n" for part in parts[:-1]] + ([parts[-1]] if parts[-1] else [])


def _styled(text: str) -> Iterator[Line]:
    bare = text.removesuffix("\n")
    style = "bold" if text.startswith(("--- ", "+++ ")) else _STYLES.get(text[:1], "")
    yield [(style, bare)]
    if bare == text:
        yield [("dim", "\\ No newline at end of file")]


def plain(lines: list[Line]) -> str:
    """Return diff lines as one text, for `--json`."""
    return "".join(
        (
            line
            if isinstance(line, str)
            else "".join(s if isinstance(s, str) else s[1] for s in line)
        )
        + "\n"
        for line in lines
    )


def answer_data(verb: str, subject: str, paths: Iterable[str] = ()) -> dict[str, Any]:
    """Return the keys that `--json` gives of every change, as they are before it is done."""
    return {
        "verb": verb,
        "subject": subject,
        "records": [],
        "touched": [],
        "ids": [],
        "paths": sorted(paths),
        "changed": False,
        "applied": False,
        "dry_run": False,
        "commit": "",
        "edit_commits": [],
        "diff": "",
    }


def change_data(change: Change, diff: list[Line], *, for_person: bool = True) -> dict[str, Any]:
    """Return what `--json` says about a change that was not applied yet.

    `records` are those that the change names, as they are after it; `id` and `path` stand there
    too when it is only one. `touched` are others that change with them. Of a text in quarantine
    nobody but a person is told more than its id.
    """
    veiled = not for_person and any(is_held_path(edit.path) for edit in change.edits)
    after = () if veiled else tuple(_records_after(change))
    records = [brief_data(record) for record in after if record.id in change.ids]
    one = {}
    if len(change.ids) == 1:
        path = _names(change.edits[0])[1] if change.edits else ""
        one = {"id": change.ids[0], "path": path}
    names = {name for edit in change.edits for name in _names(edit) if name}
    return {
        **answer_data(change.verb, change.verb + ("" if veiled else change.subject), names),
        **one,
        "records": records,
        "touched": [brief_data(record) for record in after if record.id in change.touched],
        "ids": list(change.ids),
        "diff": plain(diff),
    }


def _records_after(change: Change) -> Iterator[Record]:
    from vault_cli.text.fields import read_record

    for edit in change.edits:
        path = _names(edit)[1]
        if path.endswith(".md") and not isinstance(edit, Remove):
            record = read_record(edit.data, path)[0]
            if record is not None:
                yield record


def touched_notes(before: Snapshot, touched: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    """Yield a line for each record that got another status because of the change of others.

    Args:
        before: the vault as it was.
        touched: the key `touched` of `change_data`.
    """
    for data in touched:
        old = before.by_id.get(data["id"])
        if old is not None and str(old.status) != data["status"]:
            yield f"{data['id']} is {data['status']} now: {inline(data['title'])}"


def touches_force(root: Path, change: Change) -> bool:
    """Tell whether a change alters what is in force: some old or new text is active or verified.

    A text that cannot be parsed counts as not in force; the gate refuses it anyway.
    """
    return any(_in_force(root, edit) for edit in change.edits)


def _in_force(root: Path, edit: Edit) -> bool:
    from vault_cli.text.fields import read_record

    before, after = _names(edit)
    versions = [(_old_bytes(root, edit), before)] if before else []
    if after and not isinstance(edit, Remove):
        versions.append((edit.data, after))
    for data, path in versions:
        record = read_record(data, path)[0] if path.endswith(".md") else None
        if record is not None and record.in_force:
            return True
    return False
