"""Committing exactly these paths. May import `errors`.

Bytes are committed as they are on disk (no line-end conversion). Blobs, trees and the commit are
written first (see `build`); then HEAD moves with a compare-and-swap, and the whole is built again
when somebody else was faster. Person's hooks, content filters and signing take part when they are
trusted (see `trust`); nothing of a repository that is not.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

from vault_cli.errors import ChangedMeanwhileError, StoreError
from vault_cli.store.build import Built, Job, Rules, build_commit, plan_ready
from vault_cli.store.entry import (
    EXECUTABLE,
    GONE,
    REGULAR,
    DiskFile,
    Entry,
    blob_id,
    index_lines,
    zero_id,
)
from vault_cli.store.git_place import branch_folders, explain_broken_head, read_head
from vault_cli.store.git_run import Done, Git, failure
from vault_cli.store.index_file import Seen, fill_in
from vault_cli.store.index_lock import Workspace, hold_index, open_workspace
from vault_cli.store.objects import sync_folders
from vault_cli.store.ref_locks import drop_ref_locks, standing_locks

MOVE_WAIT = 15.0
"""Seconds to keep building again while others move HEAD."""

_PAUSE = 0.01
_SUBJECT = 200
_FUTURE = (1 << 31) - 1


def make_commit(git: Git, rules: Rules, job: Job) -> str:
    """Make the commit and move HEAD to it; return its id, "" when nothing differs from HEAD.

    Once HEAD has moved nothing is raised any more: the commit is made.

    Raises:
        StoreError: git failed, a hook said no, or the index stays locked; nothing was committed.
        ChangedMeanwhileError: HEAD kept moving, or is not where a join began.
    """
    wanted = {path: _wanted(rules, path, file) for path, file in job.files.items()}
    deadline = time.monotonic() + MOVE_WAIT
    attempt = 0
    while True:
        # once somebody was faster: keep others out while building, but never during hooks
        early = attempt > 0 and not rules.hooks.files
        commit, obstacle = _attempt(git, rules, job, wanted, early=early)
        if not obstacle:
            if commit and not (job.join is not None and job.join.is_ready):
                rules.hooks.tell()
            return commit
        attempt += 1
        if time.monotonic() > deadline:
            raise ChangedMeanwhileError(
                obstacle,
                hint="Let the other git programs that work here finish. A lock that is named and"
                " that no running git has was left behind by a killed one: remove that file.",
            )
        time.sleep(min(_PAUSE * attempt, 0.2))


def _attempt(
    git: Git, rules: Rules, job: Job, wanted: Mapping[str, Entry], *, early: bool
) -> tuple[str, str]:
    """Return the commit ("" when nothing differs) and what made it worth another try, or ""."""
    with open_workspace(git.place) as space, ExitStack() as held:
        if early:
            held.enter_context(hold_index(space))
        head = head_id(git)
        if job.join is not None and head != job.join.base:
            raise ChangedMeanwhileError(
                "HEAD moved while the other side was taken in", hint="Run the command again."
            )
        if job.join is not None and job.join.is_ready:
            built = plan_ready(git, head, job.join.other)
        else:
            changed = _changed(rules, head, wanted)
            if not changed and not job.merged:
                return "", ""
            plan = Built("", head, tuple(changed.items()))
            built = build_commit(git, rules, job, space, plan)
        if not early:
            held.enter_context(hold_index(space))
        return built.commit, _publish(git, rules, job, space, built)


def head_id(git: Git) -> str:
    """Return the full id of HEAD, "" before the first commit.

    Raises:
        StoreError: HEAD, its branch or the configuration is damaged.
    """
    found = read_head(git.place)
    if found is not None:
        return found
    args = ("rev-parse", "--verify", "--quiet", "HEAD")
    done = git.run(*args, check=False)
    if done.code:
        what = explain_broken_head(git.place)
        if what:
            raise StoreError(
                f"the git repository is damaged: {what}",
                hint=f"The ids HEAD had stand in {git.place.git_dir / 'logs' / 'HEAD'}, the newest"
                " in the last line; `git fsck` says what else is damaged.",
            )
        if done.code != 1:  # 1: there is no commit yet
            raise failure(args, done)
    return done.out.decode().strip()


def _wanted(rules: Rules, path: str, file: DiskFile | None) -> Entry:
    if file is None:
        return GONE
    blob = rules.filters.filtered_id(path, file.data) or blob_id(file.data, rules.algorithm)
    return Entry(EXECUTABLE if file.executable else REGULAR, blob)


def _changed(rules: Rules, head: str, wanted: Mapping[str, Entry]) -> dict[str, Entry]:
    old = rules.trees.entries(head, wanted)
    changed: dict[str, Entry] = {}
    for path, entry in wanted.items():
        before = old.get(path, GONE)
        kept = before.mode if before.mode in {REGULAR, EXECUTABLE} else REGULAR
        after = entry if rules.keeps_mode or not entry.mode else entry._replace(mode=kept)
        if after != before:
            changed[path] = after
    for path in changed:
        module = rules.trees.submodule_above(head, path)
        if module:
            raise StoreError(
                f"{path!r} lies in the git submodule {module!r}, which has a history of its own",
                hint="Move the file out of the submodule, or remove the submodule with git first.",
            )
    return changed


def _publish(git: Git, rules: Rules, job: Job, space: Workspace, built: Built) -> str:
    """Move HEAD and the person's index together, holding the index lock.

    Returns:
        What made it worth another try, or "".
    """
    _prepare_index(git, rules, job, space, built)
    foreign = standing_locks(git.place)
    space.note(commit=built.commit, refs=foreign)
    try:
        # the index first: a foreign commit reads HEAD before the index and may wait for neither,
        # so that it must never find our HEAD with an index that lacks our change
        space.install_index()
        done = _move_head(git, rules, job, space, built)
    except BaseException as error:  # an interrupt may come when git has just done it
        if head_id(git) != built.commit:
            space.restore_index()
            raise
        if not isinstance(error, Exception):
            raise
    else:
        if done.code:
            space.restore_index()
            if done.code < 0:  # killed by a signal
                drop_ref_locks(git.place, space.folder / "owner.json", built.commit, foreign)
            return _obstacle(git, built, done)
    with suppress(OSError):
        sync_folders(branch_folders(space.place))  # git makes the file durable, not its name
    return ""


def _move_head(git: Git, rules: Rules, job: Job, space: Workspace, built: Built) -> Done:
    """Compare and swap. git shares our kernel lock: if we are killed, who comes next waits."""
    subject = (job.message.strip().splitlines() or [""])[0][:_SUBJECT]
    old = built.parent or zero_id(rules.algorithm)
    args = ("update-ref", "-m", f"mvault: {subject}", "HEAD", built.commit, old)
    return git.run(*args, hooks=rules.plain, check=False, keep=space.kept)


def _prepare_index(git: Git, rules: Rules, job: Job, space: Workspace, built: Built) -> None:
    """Copy the person's index and make exactly the committed paths clean in the copy."""
    env = {"GIT_INDEX_FILE": str(space.next_index)}
    lines = index_lines(built.entries, zero_id(rules.algorithm))
    with _copied_index(git.place.index_path, space.next_index, plain=rules.plain):
        git.run("update-index", "-z", "--index-info", data=lines, env=env)
        _hide(git, job, built, env)
        if rules.plain and os.name != "nt":
            files = ((path, entry, job.files.get(path)) for path, entry in built.entries)
            seen = [
                Seen(path, entry, file.facts)
                for path, entry, file in files
                if file and file.facts and _says(rules, path, entry, file)
            ]
            fill_in(space.next_index, git.place.work_tree, seen, rules.algorithm)


def _hide(git: Git, job: Job, built: Built, env: Mapping[str, str]) -> None:
    """Mark what a sparse checkout leaves out, or git would take it for deleted."""
    hidden = job.join.hidden if job.join is not None else {}
    paths = [path for path, entry in built.entries if path in hidden and entry.mode]
    if paths:
        names = b"".join(os.fsencode(path) + b"\0" for path in paths)
        git.run("update-index", "--skip-worktree", "-z", "--stdin", data=names, env=env)


def _says(rules: Rules, path: str, entry: Entry, file: DiskFile) -> bool:
    """Whether an entry holds just the bytes of the file (a hook or a filter may change them)."""
    unfiltered = not rules.filters.applies(path)
    return unfiltered and entry.blob == blob_id(file.data, rules.algorithm)


@contextmanager
def _copied_index(source: Path, target: Path, *, plain: bool) -> Iterator[None]:
    """Copy the index for a rewrite.

    Whoever writes an index looks again into files that changed in the very second it was written:
    that is why the copy keeps its time. The look goes through the content filters, though. Where
    those are not trusted the copy seems to come from the future, so that git looks into none, and
    gets the old time back, so that the next one does.
    """
    target.unlink(missing_ok=True)
    try:
        with source.open("rb") as handle:
            found = os.fstat(handle.fileno())
            target.write_bytes(handle.read())
    except FileNotFoundError:
        yield
        return
    times = (found.st_atime_ns, found.st_mtime_ns)
    if plain:
        os.utime(target, ns=times)
        yield
        return
    os.utime(target, (_FUTURE, _FUTURE))
    yield
    os.utime(target, ns=times)


def _obstacle(git: Git, built: Built, done: Done) -> str:
    if head_id(git) != built.parent:
        return "the repository's HEAD kept moving"
    if "File exists" in done.err:  # somebody holds the lock of the branch
        return done.err.splitlines()[0]
    raise failure(("update-ref",), done)


def require_message(message: str) -> None:
    """Raise StoreError for an empty commit message, as git does."""
    if not message.strip():
        raise StoreError("a commit needs a message")
