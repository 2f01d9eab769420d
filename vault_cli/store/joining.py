"""Taking another line of history in: files and one commit with two parents, or none.

May import `store`, `model`, `errors`. The second way through the gate, for what was merged: the
same lock, journal, digests and take-back as any change (`store.gate`). What is refused in a
change of one's own (a secret, a text nobody can read) is let in here, since the history that
comes in has it already; the reader holds it back, as it does after any pull.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from vault_cli.errors import ChangedMeanwhileError, VaultError
from vault_cli.model.change import Change, Put, Receipt, Remove
from vault_cli.store.build import Join
from vault_cli.store.files import clean_temporaries, list_folders, lock_vault
from vault_cli.store.gate import (
    plan_steps,
    recover_run,
    require_no_operation,
    require_people,
    taken_back,
    was_committed,
)
from vault_cli.store.journal import Replacement, Step, changed_meanwhile, current_digest
from vault_cli.store.message import compose_message
from vault_cli.store.private import keep_private
from vault_cli.store.repo import Repository
from vault_cli.store.screen import Screen
from vault_cli.store.targets import check_received


@dataclass(frozen=True, slots=True)
class Merge:
    """A merge that was worked out.

    Args:
        join: the two commits it goes out from, and what lies outside the checkout.
        edits: what becomes of the files on disk.
        change: what the commit says (without edits); not used where HEAD only moves forward.
        modes: paths of `edits` that the other side made a program (True), or none any more.
    """

    join: Join
    edits: tuple[Put | Remove, ...]
    change: Change
    modes: Mapping[str, bool] = field(default_factory=dict)


def apply_merge(
    root: Path, repo: Repository, merge: Merge, *, screen: Screen, wait: float
) -> Receipt:
    """Carry a merge out: all files and the commit, or nothing.

    Raises:
        RefusedError: a path leaves the vault or reaches into git's own files.
        ChangedMeanwhileError: HEAD or a file is not what it was worked out on, another writer does
            not end, a merge or rebase is open.
        StoreError: git or the disk failed.
    """
    check_received(merge.edits)
    with lock_vault(root, wait=wait) as crashed:
        recover_run(root, repo)
        steps = plan_steps(merge.edits)
        beside = {step.path.rpartition("/")[0] for step in steps}
        clean_temporaries(root, list_folders(root) if crashed else beside)
        _require_ready(root, repo, merge, steps, screen)
        keep_private(root, repo, (step.path for step in steps))
        commit = _Taken(root, repo, merge, steps).carry_out()
    repo.tidy()
    return Receipt(commit=commit, paths=tuple(step.path for step in steps))


def _require_ready(
    root: Path, repo: Repository, merge: Merge, steps: Sequence[Step], screen: Screen
) -> None:
    require_no_operation(repo)
    if not merge.join.is_ready:
        require_people(repo, screen)
    if repo.head() != merge.join.base:
        raise ChangedMeanwhileError(
            "the vault was changed by somebody else meanwhile; nothing was written",
            hint="Run the command again.",
        )
    for step in steps:
        if current_digest(root, step.path) != step.before:
            raise changed_meanwhile(step.path)


class _Taken:
    """The files and the commit of one merge (the lock is held)."""

    def __init__(self, root: Path, repo: Repository, merge: Merge, steps: Sequence[Step]) -> None:
        self._root = root
        self._repo = repo
        self._merge = merge
        self._steps = steps

    def carry_out(self) -> str:
        """Write the files and move HEAD; return the commit."""
        if not self._steps:
            return self._commit()
        replacement = Replacement(self._root, self._steps, self._merge.join.base)
        replacement.write()
        try:
            self._set_modes()
            commit = self._commit()
        except BaseException as error:
            # an interrupt, or a failure, may come when git has just moved HEAD
            if self._is_made():
                replacement.finish(committed=True)
                if isinstance(error, Exception):
                    return self._repo.head()
                raise
            replacement.undo()
            if isinstance(error, VaultError):
                raise taken_back(error) from error
            raise
        replacement.finish(committed=True)
        return commit

    def _is_made(self) -> bool:
        try:
            return was_committed(self._repo, self._merge.join.base, self._steps)
        except (VaultError, OSError):
            return False

    def _set_modes(self) -> None:
        for path, is_program in self._merge.modes.items() if os.name != "nt" else ():
            place = self._root / path
            mode = place.lstat().st_mode
            mode = mode | 0o100 if is_program else mode & ~0o111
            os.chmod(place, mode)  # noqa: PTH101 - just written by us

    def _commit(self) -> str:
        message = compose_message(self._merge.change)
        paths = [step.path for step in self._steps]
        return self._repo.commit_paths(paths, message, join=self._merge.join)


def commit_edits(
    root: Path,
    repo: Repository,
    change: Change,
    *,
    screen: Screen,
    wait: float,
) -> str:
    """Commit files as a person left them in the work tree; return the commit, "" for no news.

    Args:
        root: vault root.
        repo: repository that holds it.
        change: what the commit says; its edits say what is on disk (a `Remove`: gone).
        screen: what may be written here.
        wait: most seconds to wait for another writer.

    Raises:
        RefusedError: a secret stands in one.
        ChangedMeanwhileError: a file is not what was looked at, another writer does not end, a
            merge is open.
        StoreError: git failed; the files stay as they are.
    """
    texts: dict[str, bytes] = {e.path: e.data for e in change.edits if isinstance(e, Put)}
    for path, data in texts.items():
        screen.require_clean_edit(path, data, frozenset())
    with lock_vault(root, wait=wait):
        recover_run(root, repo)
        require_no_operation(repo)
        require_people(repo, screen)
        for step in plan_steps(change.edits):
            if current_digest(root, step.path) != step.after:
                raise changed_meanwhile(step.path)
        paths = [edit.path for edit in change.edits]
        return repo.commit_paths(paths, compose_message(replace(change, edits=())))
