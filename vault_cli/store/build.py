"""How the tree and the commit of one change come to be. May import `errors`.

Where nothing unusual is configured the objects are written directly. Trusted hooks get a private
index to look into, a signature is made by git, and a repository with unusual settings is left to
git's plumbing altogether.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from vault_cli.store.entry import (
    GONE,
    DiskFile,
    Entry,
    index_lines,
    parse_tree,
    tree_entries,
    zero_id,
)
from vault_cli.store.filters import Filters
from vault_cli.store.git_run import Done, Git, Pairs
from vault_cli.store.hooks import Hooks
from vault_cli.store.index_lock import Workspace
from vault_cli.store.objects import ObjectWriter
from vault_cli.store.trees import Trees

_FEW = 8


class People(NamedTuple):
    """Who stands in a commit, each as `Name <mail>`."""

    author: str
    committer: str


class Rules(NamedTuple):
    """How commits are made here.

    Args:
        algorithm: hash of the repository, `sha1` or `sha256`.
        plain: whether everything the repository brings along is harmless or trusted.
        keeps_mode: whether the disk's executable bit counts (core.filemode).
        signing: `-c` settings for a signed commit, None for an unsigned one.
        hooks: the commit hooks that may run.
        filters: the content filters.
        trees: reader of the repository's trees.
        people: whom to write into the commit, None: let git decide about an odd name.
        direct: whether objects may be written without git's help.
    """

    algorithm: str
    plain: bool
    keeps_mode: bool
    signing: Pairs | None
    hooks: Hooks
    filters: Filters
    trees: Trees
    people: People | None
    direct: bool


class Join(NamedTuple):
    """How a commit takes another line of history in.

    Args:
        base: what HEAD must be; what was worked out from another one is not committed.
        other: the commit to take in, as the second parent.
        is_ready: `other` holds everything HEAD does: HEAD moves there, and nothing is built.
        hidden: bytes by repository-relative path of files that a sparse checkout leaves out of
            the work tree (None: gone).
    """

    base: str
    other: str
    is_ready: bool = False
    hidden: Mapping[str, bytes | None] = MappingProxyType({})


class Job(NamedTuple):
    """One commit to make: repository-relative paths with their files (None: gone), and words."""

    files: Mapping[str, DiskFile | None]
    message: str
    merged: str = ""
    join: Join | None = None


class Built(NamedTuple):
    """A commit object that nothing points to yet."""

    commit: str
    parent: str
    entries: tuple[tuple[str, Entry], ...]


def build_commit(git: Git, rules: Rules, job: Job, space: Workspace, plan: Built) -> Built:
    """Write blobs, trees and the commit of a plan; return the plan with its commit.

    Raises:
        StoreError: git or the disk failed, or a hook said no; nothing points to what was written.
    """
    writer = ObjectWriter(git.place.common_dir / "objects", rules.algorithm)
    _write_blobs(git, rules, job, plan, writer)
    message = _message(job.message)
    parents = [parent for parent in (plan.parent, job.merged) if parent]
    if rules.hooks.files or not rules.direct:
        writer.flush()
        return _build_with_index(git, rules, space, plan, (parents, message))
    tree = rules.trees.change(
        plan.parent, dict(plan.entries), lambda data: writer.add("tree", data)
    )
    if rules.signing is None and rules.people is not None:
        text = _commit_text(tree, parents, rules.people, message)
        commit = writer.add("commit", text)
        writer.flush()
    else:
        writer.flush()
        commit = _commit_tree(git, rules, tree, parents, message)
    return plan._replace(commit=commit)


def _write_blobs(git: Git, rules: Rules, job: Job, plan: Built, writer: ObjectWriter) -> None:
    files = ((path, job.files[path]) for path, _ in plan.entries)
    blobs = [file.data for path, file in files if file and not rules.filters.applies(path)]
    if len(blobs) > _FEW:
        # one process and few fsyncs for an import; ids are those of `blob_id`, no marks are needed
        stream = b"".join(b"blob\ndata %d\n" % len(data) + data + b"\n" for data in blobs)
        git.run("fast-import", "--quiet", "--done", data=stream + b"done\n")
        return
    for data in blobs:
        if rules.direct:
            writer.add("blob", data)
        else:
            git.run("hash-object", "-w", "--no-filters", "--stdin", data=data)


def _build_with_index(
    git: Git, rules: Rules, space: Workspace, plan: Built, words: tuple[Sequence[str], bytes]
) -> Built:
    """Make the tree from a private index, which trusted hooks may look into and add to."""
    parents, message = words
    env = {"GIT_INDEX_FILE": str(space.commit_index)}
    if plan.parent:
        git.run("read-tree", plan.parent, env=env)
    lines = index_lines(plan.entries, zero_id(rules.algorithm))
    git.run("update-index", "-z", "--index-info", data=lines, env=env)
    if rules.hooks.files:
        message_file = space.folder / "COMMIT_EDITMSG"
        message_file.write_bytes(message)
        rules.hooks.gate(space.commit_index, message_file)
        message = message_file.read_bytes()
    # a partial clone lacks blobs of other paths; ours have just been written
    tree = _word(git.run("write-tree", "--missing-ok", env=env))
    commit = _commit_tree(git, rules, tree, parents, message)
    if "pre-commit" in rules.hooks.files:  # it may have added to the index of the commit
        plan = plan._replace(entries=_touched(git, plan.parent, commit))
    return plan._replace(commit=commit)


def _message(text: str) -> bytes:
    lines = [line.rstrip() for line in text.replace("\0", "").strip().splitlines()]
    return ("\n".join(lines) + "\n").encode("utf-8", "replace")


def _commit_text(tree: str, parents: Sequence[str], people: People, message: bytes) -> bytes:
    now = int(time.time())
    zone = time.localtime(now).tm_gmtoff // 60
    sign, zone = ("-", -zone) if zone < 0 else ("+", zone)
    when = f"{now} {sign}{zone // 60:02}{zone % 60:02}"
    lines = [
        f"tree {tree}",
        *(f"parent {parent}" for parent in parents),
        f"author {people.author} {when}",
        f"committer {people.committer} {when}",
    ]
    return "\n".join(lines).encode("utf-8", "surrogateescape") + b"\n\n" + message


def _commit_tree(git: Git, rules: Rules, tree: str, parents: Sequence[str], message: bytes) -> str:
    flags = [part for parent in parents for part in ("-p", parent)]
    if rules.signing is not None:
        flags.append("-S")
    config = rules.signing or ()
    return _word(git.run("commit-tree", tree, *flags, "-F", "-", data=message, config=config))


def _word(done: Done) -> str:
    return done.out.decode("ascii").strip()


def plan_ready(git: Git, parent: str, commit: str) -> Built:
    """Return a commit that is there already as one to move HEAD to."""
    return Built(commit, parent, _touched(git, parent, commit))


def _touched(git: Git, parent: str, commit: str) -> tuple[tuple[str, Entry], ...]:
    if not parent:
        return tuple(parse_tree(git.run("ls-tree", "-r", "-z", commit).out).items())
    out = git.run("diff-tree", "-r", "-z", "--no-renames", "--name-only", parent, commit).out
    names = [name.decode("utf-8", "surrogateescape") for name in out.split(b"\0") if name]
    after = tree_entries(git, commit, names)
    return tuple((name, after.get(name, GONE)) for name in names)
