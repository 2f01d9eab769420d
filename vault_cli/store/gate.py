"""The gate: how a Change becomes files and one commit. May import `store`, `text`, `model`.

The order of the steps is the design: nothing is written before everything that can refuse has
been asked, and after a failure the files are as they were before.

When the files are written and git then refuses the commit (a hook, a held lock, no space), an
addition keeps its new files: what somebody typed is not thrown away, `status` shows it as not
committed, and the error says so. Every other change is taken back.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

from vault_cli.errors import (
    ChangedMeanwhileError,
    Diagnostic,
    StoreError,
    VaultError,
)
from vault_cli.model.change import ABSENT, Change, Edit, Move, Put, Receipt, Remove
from vault_cli.store.file_names import is_record_path
from vault_cli.store.files import clean_temporaries, digest_bytes, list_folders, lock_vault
from vault_cli.store.hand_edits import HandEdits
from vault_cli.store.journal import (
    Replacement,
    Step,
    changed_meanwhile,
    current_digest,
    plan_step,
    recover,
)
from vault_cli.store.message import compose_message
from vault_cli.store.opening import explain_os_error, show_name
from vault_cli.store.private import PRIVATE, keep_private
from vault_cli.store.repo import Repository
from vault_cli.store.screen import Screen
from vault_cli.store.targets import check_targets
from vault_cli.text.refusal import refuse_values

_LARGE: Final = 100
"""A change with so many edits may have left many loose objects."""

_FINISH: Final = {
    "merge": "git merge --continue (or --abort)",
    "rebase": "git rebase --continue (or --abort)",
    "cherry-pick": "git cherry-pick --continue (or --abort)",
    "revert": "git revert --continue (or --abort)",
    "bisect": "git bisect reset",
}

_SAVED_HINT: Final = (
    "It need not be added again: the next change of it, or a commit of your own, takes it along."
)
_OPEN_HINT: Final = "The next command in this vault completes the change or takes it back."
_REPEAT_HINT: Final = "Then run the command again."


def apply_change(
    root: Path, repo: Repository, change: Change, *, screen: Screen, wait: float
) -> Receipt:
    """Carry out a change: all of it in one commit, or nothing.

    Args:
        root: vault root.
        repo: repository that holds it.
        change: what to do; an empty one, or one that changes no byte, gives an empty Receipt.
        screen: what may be written here.
        wait: most seconds to wait for another writer.

    Raises:
        RefusedError: a path or a text is not what it must be (diagnostics attached).
        ChangedMeanwhileError: a digest differs, another writer does not end, a merge is open.
        StoreError: git or the disk failed.
    """
    edits = tuple(edit for edit in change.edits if not _is_idle(edit))
    if not edits:
        return Receipt()
    check_targets(root, edits, change.verb)
    change = replace(change, edits=edits)
    findings = screen.ask(change)
    message = compose_message(change)
    with lock_vault(root, wait=wait) as crashed:
        run = _Run(root, repo, change, screen, findings)
        receipt = run.carry_out(message, crashed=crashed)
    _hand_over(root, edits, screen)
    if change.discarded:
        from vault_cli.store.remains import Remains

        Remains(root, screen.gates).clear(sorted(change.discarded))
    if len(edits) >= _LARGE:
        repo.tidy()
    return receipt


def commit_appended(
    root: Path,
    repo: Repository,
    change: Change,
    fresh: Mapping[str, bytes],
    *,
    screen: Screen,
    wait: float,
) -> str:
    """Commit files that only ever grow, as they are on disk; return the commit, "" for no news.

    They are no records, and nothing is written over them: another process may append meanwhile, and
    what it adds goes along or waits.

    Args:
        root: vault root.
        repo: repository that holds it.
        change: what the commit says; it has no edits.
        fresh: by path what was appended since the last commit; it is asked for secrets.
        screen: what may be written here.
        wait: most seconds to wait for another writer.

    Raises:
        RefusedError: a secret stands in one.
        ChangedMeanwhileError: another writer does not end, a merge is open.
        StoreError: git failed; the files stay as they are and wait.
    """
    for path, data in fresh.items():
        found = screen.secrets_in(data.decode("utf-8", "replace"), path)
        if found:
            raise refuse_values(show_name(path), found)
    message = compose_message(change)
    with lock_vault(root, wait=wait):
        recover_run(root, repo)
        require_no_operation(repo)
        require_people(repo, screen)
        return repo.commit_paths(list(fresh), message)


def require_no_operation(repo: Repository) -> None:
    """Raise ChangedMeanwhileError while a merge, a rebase or the like is under way."""
    operation = repo.operation_in_progress()
    if operation:
        raise ChangedMeanwhileError(
            f"a git {operation} is under way in this vault; nothing was written",
            hint=f"Finish it first: {_FINISH.get(operation, 'see `git status`')}",
        )


def require_people(repo: Repository, screen: Screen) -> None:
    """Raise when git does not know who commits (StoreError), or names a secret (RefusedError)."""
    repo.require_identity()
    screen.require_clean_people(repo.identity())


def _hand_over(root: Path, edits: Iterable[Edit], screen: Screen) -> None:
    """Put what was read of the new texts into the cache: no later command reads them again."""
    from vault_cli.store.codec import encode_parsed
    from vault_cli.store.index import Index

    texts, gone = {}, []
    for edit in edits:
        if not isinstance(edit, Put):
            gone.append(edit.path)
        if isinstance(edit, Remove):
            continue
        path = edit.target if isinstance(edit, Move) else edit.path
        if is_record_path(path, screen.ignore):
            digest = digest_bytes(edit.data)
            columns = encode_parsed(screen.read(edit.data, path), path, digest)
            if columns is not None:
                texts[path] = digest, columns
    if texts or gone:
        Index(root, screen.gates).keep(texts, gone)


def settle_interrupted(root: Path, repo: Repository) -> tuple[Diagnostic, ...]:
    """Finish or take back what a killed run left, before anybody reads the files.

    What is planned on half a change is wrong: a record that seems to be in force already would be
    left alone, and the next change would take it out of force again. While another process is at
    work nothing is done, and what fails here fails again, with its reason, at the next change.

    Returns:
        A note for each path of the interrupted change.
    """
    try:
        with lock_vault(root, wait=0) as crashed:
            notes = recover_run(root, repo)
            if crashed:
                clean_temporaries(root, list_folders(root))
            return notes
    except (VaultError, OSError):
        return ()


def recover_run(root: Path, repo: Repository) -> tuple[Diagnostic, ...]:
    """Finish or take back what a killed run left (the lock is held); return a note a path."""
    paths = recover(root, lambda head, steps: was_committed(repo, head, steps))
    return tuple(
        Diagnostic(path, 0, "interrupted-change", "note", "an interrupted change was cleaned up")
        for path in paths
    )


def was_committed(repo: Repository, head: str, steps: Sequence[Step]) -> bool:
    """Tell whether HEAD has moved on from `head` to a commit with one of these steps in it."""
    repo.settle()  # a git process that outlived its killed owner may still move HEAD
    now = repo.head()
    if not now or now == head:
        return False
    return any(
        _blob_digest(repo.read_blob(now, step.path)) == step.after
        for step in steps
        if is_committed_path(step.path)
    )


def _is_idle(edit: Edit) -> bool:
    return isinstance(edit, Put) and plan_step("", "", edit.data).after == edit.expects


def plan_steps(edits: Iterable[Edit]) -> list[Step]:
    """Return what happens to each path; targets of moves come before their sources.

    Two edits of the same path are a mistake of the program (RuntimeError), not of the person.
    """
    written: list[Step] = []
    removed: list[Step] = []
    for edit in edits:
        if isinstance(edit, Put):
            written.append(plan_step(edit.path, edit.expects, edit.data))
        elif isinstance(edit, Remove):
            removed.append(plan_step(edit.path, edit.expects, None))
        else:
            written.append(plan_step(edit.target, ABSENT, edit.data))
            removed.append(plan_step(edit.path, edit.expects, None))
    steps = [*written, *removed]
    paths = [step.path for step in steps]
    if len(set(paths)) < len(paths):
        twice = next(path for path in paths if paths.count(path) > 1)
        raise RuntimeError(f"a planner touches the same file twice: {twice!r}")
    return steps


class _Run:
    """One change under the lock."""

    def __init__(
        self,
        root: Path,
        repo: Repository,
        change: Change,
        screen: Screen,
        findings: tuple[Diagnostic, ...],
    ) -> None:
        self.root = root
        self.repo = repo
        self.change = change
        self.screen = screen
        self.findings = findings
        self.steps = plan_steps(change.edits)
        self.committed = [s.path for s in self.steps if is_committed_path(s.path)]

    def carry_out(self, message: str, *, crashed: bool) -> Receipt:
        """Do it, step by step (the lock is held)."""
        notes = self._clean_up(crashed=crashed)
        require_no_operation(self.repo)
        require_people(self.repo, self.screen)
        self._compare_digests()
        keep_private(self.root, self.repo, (step.path for step in self.steps))
        edit_commits = self._record_hand_edits()
        replacement = Replacement(self.root, self.steps)
        if replacement.needs_journal:
            replacement.head = self.repo.head()
        replacement.write()
        commit = self._commit(replacement, message)
        return Receipt(
            commit=commit,
            paths=tuple(step.path for step in self.steps),
            edit_commits=edit_commits,
            diagnostics=(*notes, *self.findings),
        )

    def _clean_up(self, *, crashed: bool) -> tuple[Diagnostic, ...]:
        """Finish what a killed run left behind; look everywhere only when there was one."""
        notes = recover_run(self.root, self.repo)
        beside = {step.path.rpartition("/")[0] for step in self.steps}
        clean_temporaries(self.root, list_folders(self.root) if crashed else beside)
        return notes

    def _compare_digests(self) -> None:
        for step in self.steps:
            if current_digest(self.root, step.path) != step.before:
                raise changed_meanwhile(step.path)

    def _record_hand_edits(self) -> tuple[str, ...]:
        """Commit pending hand edits of the touched files, as a commit of their own."""
        edits = HandEdits(self.root, self.repo, self.screen)
        allowed = self.screen.let_pass(self.change)
        paths, change = edits.plan(
            self.steps, self.committed, allowed=allowed, discarded=self.change.discarded
        )
        if not paths:
            return ()
        try:
            commit = self.repo.commit_paths(paths, compose_message(change))
        except VaultError as error:
            raise taken_back(error) from error
        return (commit,) if commit else ()

    def _commit(self, replacement: Replacement, message: str) -> str:
        if not self.committed:  # all of it is ignored by git
            replacement.finish(committed=False)
            return ""
        try:
            commit = self.repo.commit_paths(self.committed, message)
        except (VaultError, OSError) as error:
            made = self._is_made(replacement)
            if made:  # only what came after failed
                replacement.finish(committed=True)
                return self.repo.head()
            raise self._not_committed(replacement, error, known=made is not None) from error
        except BaseException:
            made = self._is_made(replacement)
            if made:  # an interrupt came too late
                replacement.finish(committed=True)
            elif made is not None:
                replacement.undo()
            raise
        replacement.finish(committed=True)
        return commit

    def _is_made(self, replacement: Replacement) -> bool | None:
        """Whether git has the commit after all; None when git cannot tell."""
        try:
            return was_committed(self.repo, replacement.head, self.steps)
        except (VaultError, OSError):
            return None

    def _not_committed(
        self, replacement: Replacement, error: VaultError | OSError, *, known: bool
    ) -> VaultError:
        """Keep or take back the files of a change that git did not commit; say which."""
        if isinstance(error, OSError):
            error = explain_os_error(error, "git", "run")
        if all(isinstance(edit, Put) and edit.expects == ABSENT for edit in self.change.edits):
            replacement.finish(committed=False)
            saved = ", ".join(show_name(step.path) for step in self.steps[:3])
            more = len(self.steps) - 3
            saved += f" and {more} more" if more > 0 else ""
            return _reworded(error, f"saved but not committed: {saved}", _SAVED_HINT)
        if not known:  # both the old files and the journal stay: the next run decides
            return _reworded(error, "git cannot say whether the change is committed", _OPEN_HINT)
        replacement.undo()
        return taken_back(error)


def taken_back(error: VaultError) -> VaultError:
    """Return the error of a change after which every file is as it was."""
    is_said = not error.hint or "again" in error.hint
    return _reworded(error, "nothing was changed", "" if is_said else _REPEAT_HINT)


def _reworded(error: VaultError, what: str, hint: str) -> VaultError:
    """Put what became of the files in front of what git said."""
    kind = ChangedMeanwhileError if isinstance(error, ChangedMeanwhileError) else StoreError
    hints = " ".join(filter(None, (error.hint, hint)))
    return kind(f"{what}: {error.message}", hint=hints, diagnostics=error.diagnostics)


def is_committed_path(path: str) -> bool:
    """Tell whether a path of the vault belongs into git's history."""
    return path.split("/", 1)[0] not in PRIVATE


def _blob_digest(data: bytes | None) -> str:
    return plan_step("", "", data).after
