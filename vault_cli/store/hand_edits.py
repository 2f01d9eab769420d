"""What was edited by hand and goes into a commit of its own before a change. May import `text`.

Only files the change touches are taken along, and one kind of other path: where HEAD still keeps
the record of a touched file. A file that was renamed by hand would else stand in history twice,
and every clone would hold both for having the same id. No other deletion is ours to commit.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from contextlib import suppress
from pathlib import Path

from vault_cli.errors import NotFoundError, RefusedError, VaultError
from vault_cli.model.change import ABSENT, Change, Edit, Move, Put, Remove
from vault_cli.model.lifecycle import Actor
from vault_cli.model.record import Record
from vault_cli.store.file_names import is_record_path
from vault_cli.store.files import read_file
from vault_cli.store.journal import MAX_CHANGED, Step
from vault_cli.store.opening import show_name
from vault_cli.store.pending import Pending
from vault_cli.store.repo import Repository
from vault_cli.store.screen import Screen


class HandEdits:
    """The files of one change as a person left them (the lock is held).

    Args:
        root: vault root.
        repo: the repository that holds it.
        screen: what may be written here.
    """

    def __init__(self, root: Path, repo: Repository, screen: Screen) -> None:
        self._root = root
        self._repo = repo
        self._screen = screen
        self._ignore = screen.ignore

    def plan(
        self,
        steps: Sequence[Step],
        committed: Sequence[str],
        *,
        allowed: Collection[str] = (),
        discarded: frozenset[str] = frozenset(),
    ) -> tuple[list[str], Change]:
        """Return the paths to commit and the change to call them by; no paths: nothing to do.

        Args:
            steps: what the change will do.
            committed: those of its paths that belong into history.
            allowed: codes that the change lets pass.
            discarded: paths whose uncommitted text must not enter history, whatever it says.

        Raises:
            RefusedError: a record that is not written anew cannot be read, or an edit holds a
                secret.
            StoreError: git failed.
        """
        old = {step.path for step in steps if step.before}
        # asked about all of them at once, so that git is started once for this and the commit
        found = self._repo.pending(committed) if old else ()
        touched = [item for item in found if item.path in old]
        edited = [item for item in touched if item.path not in discarded]
        there = {item.path for item in edited if item.code != "deleted"}
        mended = {step.path for step in steps if step.data is not None}
        records = {**self._read(there - mended), **self._glance(there & mended)}
        outside = self._read(old.difference(committed) - discarded)  # git ignores them
        given_up = self._glance(discarded)
        others = {**records, **outside, **given_up}
        left = self._left_behind(touched, others, {step.path for step in steps})
        gone = {item.path for item in edited if item.code == "deleted"}
        paths = sorted({item.path for item in edited} | left)
        self._require_clean([path for path in paths if path not in gone], allowed)
        named = edited or [Pending(path, "deleted") for path in sorted(left)]
        return paths, _name(named, records)

    def _require_clean(self, paths: Iterable[str], allowed: Collection[str]) -> None:
        for path in paths:
            with suppress(NotFoundError):  # its record lies elsewhere now
                data = read_file(self._root, path, MAX_CHANGED)
                self._screen.require_clean_edit(path, data, allowed)

    def _glance(self, paths: Iterable[str]) -> dict[str, Record]:
        """Read texts only to know whose they are; one that cannot be read is nobody's."""
        from vault_cli.text.fields import read_record

        own = (path for path in sorted(paths) if is_record_path(path, self._ignore))
        texts = {path: read_file(self._root, path, MAX_CHANGED) for path in own}
        records = {path: read_record(data, path)[0] for path, data in texts.items()}
        return {path: record for path, record in records.items() if record is not None}

    def _read(self, paths: Iterable[str]) -> dict[str, Record]:
        found = {path: self._parse(path) for path in sorted(paths)}
        return {path: record for path, record in found.items() if record is not None}

    def _parse(self, path: str) -> Record | None:
        """Return the record of a hand-edited file, None for a file that is no record."""
        if not is_record_path(path, self._ignore):
            return None
        data = read_file(self._root, path, MAX_CHANGED)
        record, findings = self._screen.read(data, path)
        if record is None:
            raise RefusedError(
                f"{show_name(path)} was edited by hand and cannot be read; nothing was written",
                hint="Correct what the findings name, then run the command again.",
                diagnostics=findings,
            )
        return record

    def _left_behind(
        self, edited: Sequence[Pending], records: dict[str, Record], own: set[str]
    ) -> set[str]:
        """Find the paths where HEAD keeps a record that lies elsewhere now.

        Such a file is gone, or holds another record now (names were swapped): then that one is
        looked for in turn.
        """
        before = self._ids_at_head(item.path for item in edited if item.code == "changed")
        came = {r.id for path, r in records.items() if before.get(path) != r.id}
        if not came:
            return set()
        others = {
            item.path: item.code
            for item in self._repo.pending()
            if item.code != "added" and item.path not in own
        }
        places = {record_id: path for path, record_id in self._ids_at_head(others).items()}
        left: set[str] = set()
        while came:
            record_id = came.pop()
            path = places.pop(record_id, None)
            if path is None:
                continue
            now = None if others[path] == "deleted" else self._id_on_disk(path)
            if now != record_id and (now or others[path] == "deleted"):
                left.add(path)
                came |= {now} if now else set()
        return left

    def _ids_at_head(self, paths: Iterable[str]) -> dict[str, str]:
        wanted = [path for path in paths if is_record_path(path, self._ignore)]
        texts = self._repo.read_head(wanted) if wanted else {}
        records = {path: self._screen.read(data, path)[0] for path, data in texts.items()}
        return {path: record.id for path, record in records.items() if record is not None}

    def _id_on_disk(self, path: str) -> str | None:
        try:
            record = self._parse(path)
        except VaultError:  # a text nobody can read does not go into history
            return None
        return record.id if record is not None else None


def require_person_for_edits(repo: Repository, change: Change, screen: Screen) -> None:
    """Refuse to record an edit of what is in force on the way of a change that no person decided.

    Where HEAD's text counts (`trust.uncommitted = committed`) the commit is what lets an edit
    count. Whether a record is in force says HEAD, and the text that the change would leave.

    Raises:
        RefusedError: an edit of such a record is not committed. StoreError: git failed.
    """
    if change.actor in {Actor.PERSON, Actor.POLICY}:
        return
    edits = {edit.path: edit for edit in change.edits if not _is_new(edit)}
    found = repo.pending(edits.keys() - change.discarded) if edits else ()
    heads = repo.read_head(item.path for item in found) if found else {}
    for item in found:
        texts = [(heads.get(item.path), item.path), _text_after(edits[item.path])]
        if any(data is not None and _has_effect(screen, data, path) for data, path in texts):
            raise RefusedError(
                f"{show_name(item.path)}: an edit of what is in force waits for its commit, which"
                f" {change.verb} would make; only a person does (trust.uncommitted = committed)",
                hint="A person commits the edit or takes it back; then run the command again.",
            )


def _is_new(edit: Edit) -> bool:
    return isinstance(edit, Put) and edit.expects == ABSENT


def _text_after(edit: Edit) -> tuple[bytes | None, str]:
    if isinstance(edit, Remove):
        return None, edit.path
    return edit.data, edit.target if isinstance(edit, Move) else edit.path


def _has_effect(screen: Screen, data: bytes, path: str) -> bool:
    record = screen.read(data, path)[0] if is_record_path(path, screen.ignore) else None
    return record is not None and record.has_effect


def _name(edited: Sequence[Pending], records: dict[str, Record]) -> Change:
    if len(edited) == 1 and records:
        (record,) = records.values()
        subject = f"({record.kind}): {record.title}"
    else:
        one = len(edited) == 1
        subject = f": {edited[0].path}" if one else f": {len(edited)} files"
    return Change(
        verb="edit",
        subject=subject,
        edits=(),
        ids=tuple(dict.fromkeys(record.id for record in records.values())),
        actor=Actor.PERSON,
        origin="editor",
    )
