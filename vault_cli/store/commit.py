"""Committing exactly these paths with git's plumbing. May import `errors`.

Bytes are committed as they are on disk (no line-end conversion). A private index is read from
HEAD, gets the changed paths, becomes a tree and a commit; HEAD moves with a compare-and-swap and
the whole is built again when somebody else was faster. Person's hooks, content filters and
signing take part when they are trusted (see `trust`); nothing of a repository that is not.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from vault_cli.errors import ChangedMeanwhileError, StoreError
from vault_cli.store.entry import (
    EXECUTABLE,
    GONE,
    REGULAR,
    DiskFile,
    Entry,
    blob_id,
    index_lines,
    parse_tree,
    tree_entries,
    zero_id,
)
from vault_cli.store.filters import Filters
from vault_cli.store.git_place import read_head
from vault_cli.store.git_run import Done, Git, GitFailedError, Pairs, failure
from vault_cli.store.hooks import Hooks
from vault_cli.store.index_lock import Workspace, hold_index, open_workspace

MOVE_WAIT = 15.0
"""Seconds to keep building again while others move HEAD."""

_PAUSE = 0.01
_FEW = 3
_SUBJECT = 200
_FUTURE = (1 << 31) - 1


@dataclass(frozen=True, slots=True)
class Rules:
    """How commits are made here.

    Args:
        algorithm: hash of the repository, `sha1` or `sha256`.
        plain: whether everything the repository brings along is harmless or trusted.
        keeps_mode: whether the disk's executable bit counts (core.filemode).
        signing: `-c` settings for a signed commit, None for an unsigned one.
        hooks: the commit hooks that may run.
        filters: the content filters.
    """

    algorithm: str
    plain: bool
    keeps_mode: bool
    signing: Pairs | None
    hooks: Hooks
    filters: Filters


@dataclass(frozen=True, slots=True)
class Job:
    """One commit to make: repository-relative paths with their files (None: gone), and words."""

    files: Mapping[str, DiskFile | None]
    message: str
    merged: str = ""


@dataclass(frozen=True, slots=True)
class Built:
    """A commit object that nothing points to yet."""

    commit: str
    parent: str
    entries: tuple[tuple[str, Entry], ...]


def make_commit(git: Git, rules: Rules, job: Job) -> str:
    """Make the commit and move HEAD to it; return its id, "" when nothing differs from HEAD.

    Raises:
        StoreError: git failed, a hook said no, or the index stays locked; nothing was committed.
        ChangedMeanwhileError: HEAD kept moving.
    """
    wanted = {path: _wanted(rules, path, file) for path, file in job.files.items()}
    deadline = time.monotonic() + MOVE_WAIT
    attempt = 0
    while True:
        head = head_id(git)
        changed = _changed(git, rules, head, wanted)
        if not changed and not job.merged:
            return ""
        _write_blobs(git, rules, {path: job.files[path] for path in changed})
        with open_workspace(git.place) as space:
            built = _build(git, rules, job, space, Built("", head, tuple(changed.items())))
            obstacle = _publish(git, rules, job, space, built)
        if not obstacle:
            rules.hooks.tell()
            return built.commit
        attempt += 1
        if time.monotonic() > deadline:
            raise ChangedMeanwhileError(
                f"{obstacle}; the file is saved, nothing was committed",
                hint="Let the other git programs finish and run the command again.",
            )
        time.sleep(min(_PAUSE * attempt, 0.2))


def head_id(git: Git) -> str:
    """Return the full id of HEAD, "" before the first commit."""
    found = read_head(git.place)
    if found is None:
        found = (
            git.run("rev-parse", "--verify", "--quiet", "HEAD", check=False).out.decode().strip()
        )
    return found


def _wanted(rules: Rules, path: str, file: DiskFile | None) -> Entry:
    if file is None:
        return GONE
    blob = rules.filters.filtered_id(path, file.data) or blob_id(file.data, rules.algorithm)
    return Entry(EXECUTABLE if file.executable else REGULAR, blob)


def _changed(git: Git, rules: Rules, head: str, wanted: Mapping[str, Entry]) -> dict[str, Entry]:
    old = tree_entries(git, head, list(wanted))
    changed: dict[str, Entry] = {}
    for path, entry in wanted.items():
        before = old.get(path, GONE)
        kept = before.mode if before.mode in {REGULAR, EXECUTABLE} else REGULAR
        after = entry if rules.keeps_mode or not entry.mode else replace(entry, mode=kept)
        if after != before:
            changed[path] = after
    return changed


def _write_blobs(git: Git, rules: Rules, files: Mapping[str, DiskFile | None]) -> None:
    blobs = [
        file.data
        for path, file in files.items()
        if file is not None and not rules.filters.applies(path)
    ]
    if len(blobs) <= _FEW:
        for data in blobs:
            git.run("hash-object", "-w", "--no-filters", "--stdin", data=data)
        return
    # one process and few fsyncs for an import; ids are those of `blob_id`, no marks are needed
    stream = b"".join(b"blob\ndata %d\n" % len(data) + data + b"\n" for data in blobs)
    git.run("fast-import", "--quiet", "--done", data=stream + b"done\n")


def _build(git: Git, rules: Rules, job: Job, space: Workspace, plan: Built) -> Built:
    env = {"GIT_INDEX_FILE": str(space.index)}
    if plan.parent:
        git.run("read-tree", plan.parent, env=env)
    lines = index_lines(plan.entries, zero_id(rules.algorithm))
    git.run("update-index", "-z", "--index-info", data=lines, env=env)
    message = _message(job.message)
    if rules.hooks.files:
        message_file = space.folder / "COMMIT_EDITMSG"
        message_file.write_bytes(message)
        rules.hooks.gate(space.index, message_file)
        message = message_file.read_bytes()
    # a partial clone lacks blobs of other paths; ours have just been written
    tree = _word(git.run("write-tree", "--missing-ok", env=env))
    commit = _word(_commit_tree(git, rules, tree, (plan.parent, job.merged), message))
    if "pre-commit" in rules.hooks.files:  # it may have added to the index of the commit
        plan = replace(plan, entries=_touched(git, plan.parent, commit))
    return replace(plan, commit=commit)


def _message(text: str) -> bytes:
    lines = [line.rstrip() for line in text.replace("\0", "").strip().splitlines()]
    return ("\n".join(lines) + "\n").encode("utf-8", "replace")


def _word(done: Done) -> str:
    return done.out.decode("ascii").strip()


def _commit_tree(git: Git, rules: Rules, tree: str, parents: Sequence[str], message: bytes) -> Done:
    flags = [part for parent in parents if parent for part in ("-p", parent)]
    if rules.signing is not None:
        flags.append("-S")
    config = rules.signing or ()
    return git.run("commit-tree", tree, *flags, "-F", "-", data=message, config=config)


def _touched(git: Git, parent: str, commit: str) -> tuple[tuple[str, Entry], ...]:
    if not parent:
        return tuple(parse_tree(git.run("ls-tree", "-r", "-z", commit).out).items())
    out = git.run("diff-tree", "-r", "-z", "--no-renames", "--name-only", parent, commit).out
    names = [name.decode("utf-8", "surrogateescape") for name in out.split(b"\0") if name]
    after = tree_entries(git, commit, names)
    return tuple((name, after.get(name, GONE)) for name in names)


def _publish(git: Git, rules: Rules, job: Job, space: Workspace, built: Built) -> str:
    """Move HEAD and the person's index together; return what made it worth another try, or ""."""
    subject = (job.message.strip().splitlines() or [""])[0][:_SUBJECT]
    with hold_index(space):
        _prepare_index(git, rules, space, built)
        space.note(commit=built.commit)
        done = git.run(
            "update-ref",
            "-m",
            f"mvault: {subject}",
            "HEAD",
            built.commit,
            built.parent or zero_id(rules.algorithm),
            hooks=rules.plain,
            check=False,
        )
        if done.code:
            return _obstacle(git, built, done)
        if space.next_index.exists():
            space.next_index.replace(git.place.index)
    return ""


def _prepare_index(git: Git, rules: Rules, space: Workspace, built: Built) -> None:
    """Copy the person's index and make exactly the committed paths clean in the copy."""
    env = {"GIT_INDEX_FILE": str(space.next_index)}
    lines = index_lines(built.entries, zero_id(rules.algorithm))
    with _copied_index(git.place.index, space.next_index, plain=rules.plain):
        git.run("update-index", "-z", "--index-info", data=lines, env=env)
    present = [path for path, entry in built.entries if entry.mode]
    if present and rules.plain:
        # fill in size and times, so that `git status` need not read these files again
        names = b"\0".join(map(os.fsencode, present))
        flags = ("--refresh", "--pathspec-from-file=-", "--pathspec-file-nul")
        git.run("add", *flags, data=names, env=env, check=False)


@contextmanager
def _copied_index(source: Path, target: Path, *, plain: bool) -> Iterator[None]:
    """Copy the index for a rewrite.

    Whoever writes an index looks again into files that changed in the very second it was written,
    through the content filters. Where those are not trusted the copy seems to come from the
    future, so that git looks into none, and gets the old time back, so that the next one does.
    """
    target.unlink(missing_ok=True)
    if not source.exists():
        yield
        return
    import shutil

    shutil.copyfile(source, target)
    if plain:
        yield
        return
    before = source.stat()
    os.utime(target, (_FUTURE, _FUTURE))
    yield
    os.utime(target, ns=(before.st_atime_ns, before.st_mtime_ns))


def _obstacle(git: Git, built: Built, done: Done) -> str:
    if head_id(git) != built.parent:
        return "the repository's HEAD kept moving"
    if "File exists" in done.err:  # somebody holds the lock of the branch
        return done.err.splitlines()[0]
    error = failure(("update-ref",), done)
    raise GitFailedError(error.message, hint="The file is saved, nothing was committed.")


def require_message(message: str) -> None:
    """Raise StoreError for an empty commit message, as git does."""
    if not message.strip():
        raise StoreError("a commit needs a message")
