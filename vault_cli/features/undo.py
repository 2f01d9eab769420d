"""Take one commit back as a new change, also among later ones. May import `text`, `model`.

A file that is still as the commit left it gets its earlier bytes back, exactly. A Markdown file
that changed since gets back only what the commit changed (by key; the body only when it is still
the commit's), so that later work stays. Anything else stops the whole undo before a byte moves.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from vault_cli.errors import Diagnostic, RefusedError
from vault_cli.features.quarantine import hold_again
from vault_cli.features.records import PERSON_ONLY, digest_of
from vault_cli.model.change import Change, Edit, Move, Put, Remove
from vault_cli.model.lifecycle import Actor
from vault_cli.model.record import Status
from vault_cli.text.document import REMOVE, Document, parse_document, patch_document, replace_body
from vault_cli.text.fields import read_record


@dataclass(frozen=True, slots=True)
class UndoFile:
    """One path that the commit changed.

    Args:
        path: vault-relative POSIX path.
        before: bytes before the commit, None when the file was not there.
        after: bytes the commit left, None when it took the file away.
        current: bytes now, None when the file is not there.
        later: later commits that changed the path, newest first: short id and subject.
        moved_to: where the record of the file stands now, when it is another path.
        held: where in quarantine the record lies that the commit took away, and its bytes.
        released: codes with which the commit let the file out of quarantine; None: it did not.
    """

    path: str
    before: bytes | None
    after: bytes | None
    current: bytes | None
    later: tuple[str, ...] = ()
    moved_to: str = ""
    held: tuple[str, bytes] | None = None
    released: tuple[str, ...] | None = None


_MOST_NAMED = 5
"""Later commits that a refusal names; the newest, with which taking back begins, is the first."""


@dataclass(frozen=True, slots=True)
class _Conflict:
    """Why a file cannot be taken back."""

    file: UndoFile
    why: str


def plan_undo(
    files: Sequence[UndoFile],
    *,
    commit: str,
    subject: str,
    actor: Actor,
    ids: Sequence[str] = (),
    reason: str = "",
    origin: str = "cli",
    since: Sequence[str] = (),
) -> Change:
    """Plan the reverse of one commit.

    Args:
        files: every path the commit changed (a move is two of them).
        commit: hex id of the commit.
        subject: its subject line.
        actor: who asks; only a person undoes.
        ids: record ids of the commit's trailers.
        reason: body of the commit message.
        origin: how the request came in.
        since: all commits named in `later`, newest first: their order across files.

    Returns:
        The change, empty when everything is back already; its verb is `undo`, or `redo` when
        the commit was an undo. Undoing it brings the commit back.

    Raises:
        RefusedError: the actor is not a person, or a file cannot be taken back cleanly (every
            such file named, with the later commits).
    """
    if actor is not Actor.PERSON:
        raise RefusedError(f"undo is not for {actor}", hint=PERSON_ONLY)
    edits: list[Edit] = []
    conflicts: list[_Conflict] = []
    pairs = _moved_pairs(files)
    moved = {file.path for pair in pairs for file in pair}
    for source, target in pairs:
        _collect(_undo_move(source, target), edits, conflicts)
    for file in files:
        if file.path not in moved:
            _collect(_undo_file(file), edits, conflicts)
    _require_something_back(files)
    if conflicts:
        raise _refusal(commit, conflicts, since)
    verb, rest = _name(subject)
    return Change(
        verb=verb,
        subject=f": {rest}",
        edits=tuple(edits),
        reason=reason.strip(),
        ids=tuple(ids),
        actor=actor,
        origin=origin,
        extra=(("Vault-Undoes", commit),),
    )


def _require_something_back(files: Sequence[UndoFile]) -> None:
    """Refuse to take away a tombstone when what it stands for is in no commit.

    Raises:
        RefusedError: the text is gone; the tombstone says so and stays.
    """
    back = {_record_id(file.path, file.before) for file in files}
    gone = [
        record.id
        for file in files
        if file.before is None and file.after is not None and _is_markdown(file.path)
        if (record := read_record(file.after, file.path)[0]) is not None
        if record.status is Status.TOMBSTONED and record.id not in back
    ]
    if gone:
        raise RefusedError(
            f"{', '.join(gone)}: the text was in no commit and is gone for good; what is left of "
            "it stays, and nothing was changed",
            hint=f"What is still known of it: mvault show {gone[0]}",
        )


def _record_id(path: str, data: bytes | None) -> str:
    record = read_record(data, path)[0] if data is not None and _is_markdown(path) else None
    return record.id if record is not None else ""


def _name(subject: str) -> tuple[str, str]:
    """Return verb and subject: taking an undo back is a redo of what it took back."""
    verb, mark, rest = subject.partition(": ")
    if mark and verb in ("undo", "redo"):
        return ("redo" if verb == "undo" else "undo"), rest
    return "undo", subject


def _collect(
    outcome: Edit | _Conflict | None, edits: list[Edit], conflicts: list[_Conflict]
) -> None:
    if isinstance(outcome, _Conflict):
        conflicts.append(outcome)
    elif outcome is not None:
        edits.append(outcome)


def _refusal(commit: str, conflicts: Sequence[_Conflict], since: Sequence[str]) -> RefusedError:
    names = ", ".join(conflict.file.path for conflict in conflicts)
    named = dict.fromkeys(name for c in conflicts for name in c.file.later)
    later = [name for name in since if name in named] or list(named)
    more = f"; and {len(later) - _MOST_NAMED} more" if len(later) > _MOST_NAMED else ""
    by = f" by {'; '.join(later[:_MOST_NAMED])}{more}" if later else ""
    first = f" (the last one: mvault undo {later[0].split()[0]})" if later else ""
    return RefusedError(
        f"cannot undo {commit[:10]}: {names} changed since{by}; nothing was changed",
        hint=f"Undo the later changes first{first}, or edit the file by hand.",
        diagnostics=tuple(
            Diagnostic(c.file.path, 0, "undo-conflict", "error", c.why) for c in conflicts
        ),
    )


def _moved_pairs(files: Sequence[UndoFile]) -> list[tuple[UndoFile, UndoFile]]:
    """Pair each path the commit emptied with the one it filled with the same record."""
    gone = [file for file in files if file.before is not None and file.after is None]
    come = [file for file in files if file.before is None and file.after is not None]
    pairs = []
    for source in gone:
        match = next((target for target in come if _same_record(source, target)), None)
        if match is not None:
            come.remove(match)
            pairs.append((source, match))
    return pairs


def _same_record(source: UndoFile, target: UndoFile) -> bool:
    if not (_is_markdown(source.path) and _is_markdown(target.path)):
        return False
    old = parse_document(source.before or b"", source.path)
    new = parse_document(target.after or b"", target.path)
    if old.front.get("id") is not None:
        return bool(old.front.get("id") == new.front.get("id"))
    return source.path.rsplit("/", 1)[-1] == target.path.rsplit("/", 1)[-1] or old.body == new.body


def _is_markdown(path: str) -> bool:
    return path.lower().endswith(".md")


def _undo_move(source: UndoFile, target: UndoFile) -> Edit | _Conflict | None:
    if source.current is not None:
        if source.current == source.before and target.current is None:
            return None
        return _Conflict(source, "there is a file at this path again")
    if target.current is None:
        return _Conflict(target, "the file is not there any more")
    data = _reversed_text(target.path, source.before or b"", target.after or b"", target.current)
    if isinstance(data, str):
        return _Conflict(target, data)
    return Move(target.path, source.path, data, digest_of(target.current))


def _undo_file(file: UndoFile) -> Edit | _Conflict | None:
    if file.current == file.before:
        gone = file.current is None and file.moved_to
        return _Conflict(file, f"its record stands in {file.moved_to} now") if gone else None
    if file.current == file.after:
        return _restore(file)
    if file.before is None or file.after is None or file.current is None:
        return _Conflict(file, _why_not(file))
    if not _is_markdown(file.path):
        return _Conflict(file, "the file was changed since")
    data = _reversed_text(file.path, file.before, file.after, file.current)
    if isinstance(data, str):
        return _Conflict(file, data)
    return Put(file.path, data, digest_of(file.current)) if data != file.current else None


def _why_not(file: UndoFile) -> str:
    if file.current is None:
        return "the file is not there any more"
    if file.before is None:
        return "the file that the commit added was changed since"
    return "another file stands at the path that the commit emptied"


def _restore(file: UndoFile) -> Edit:
    if file.before is None and file.after is not None and file.released is not None:
        return hold_again(file.after, file.path, file.released)
    if file.before is not None and file.held is not None:
        path, data = file.held
        return Move(path, file.path, file.before, digest_of(data))
    if file.before is None:
        return Remove(file.path, digest_of(file.current or b""))
    if file.current is None:
        return Put(file.path, file.before)
    return Put(file.path, file.before, digest_of(file.current))


def _reversed_text(path: str, before: bytes, after: bytes, current: bytes) -> bytes | str:
    """Return `current` without what led from `before` to `after`, or why that cannot be done."""
    if current == after:
        return before
    old, new, now = (parse_document(data, path) for data in (before, after, current))
    if old.is_broken or new.is_broken or now.is_broken:
        return "the file was changed since and cannot be read in all its versions"
    changes = _reversed_keys(old, new, now)
    if isinstance(changes, str):
        return changes
    text = current
    if old.body not in (new.body, now.body):
        if now.body != new.body:
            return "the text was changed since, in the commit and after it"
        text = replace_body(text, old.body, path)
    try:
        return patch_document(text, changes, path) if changes else text
    except RefusedError as error:
        return error.message


def _reversed_keys(old: Document, new: Document, now: Document) -> dict[str, Any] | str:
    absent = object()
    changes: dict[str, Any] = {}
    for key in (*old.front, *(key for key in new.front if key not in old.front)):
        was, became = old.front.get(key, absent), new.front.get(key, absent)
        is_now = now.front.get(key, absent)
        if was in (became, is_now):
            continue
        if is_now != became:
            return f"{key} was changed by the commit and again after it"
        changes[key] = REMOVE if was is absent else was
    return changes
