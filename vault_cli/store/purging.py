"""A copy of a vault's history without a secret. May import `store`, `errors`.

The history of the vault itself is never rewritten: git filter-repo works on a copy that a person
puts in its place. So nothing can be lost here, and what came out can be looked at first.
"""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

from vault_cli.errors import RefusedError, StoreError, UsageError
from vault_cli.store.git_run import find_git, start
from vault_cli.store.repo import Repository

TOOL: Final = "git-filter-repo"
STAND_IN: Final = "***REMOVED***"
_SHORTEST: Final = 6


class Holding(NamedTuple):
    """One version of a file: its blob, where it stands, and the commits that put it there."""

    blob: str
    paths: frozenset[str]
    commits: frozenset[str]


class Target(NamedTuple):
    """What has to go.

    Args:
        versions: the versions of files that go.
        texts: literal texts that are replaced wherever they stand, messages included.
    """

    versions: tuple[Holding, ...]
    texts: tuple[str, ...]

    @property
    def paths(self) -> tuple[str, ...]:
        """Where the versions stood."""
        return tuple(sorted(frozenset().union(*(v.paths for v in self.versions))))


class Reach(NamedTuple):
    """How far a rewrite reaches.

    Args:
        commits: the commits that hold what has to go, oldest first.
        rewritten: how many commits get another id.
        refs: branches and tags that change.
        remotes: names of the remotes that have the old history.
    """

    commits: tuple[str, ...]
    rewritten: int
    refs: tuple[str, ...]
    remotes: tuple[str, ...]


def find_tool(root: Path) -> str:
    """Return git filter-repo, never one that lies in the vault.

    Raises:
        UsageError: it is not installed.
    """
    inside = Path(os.path.realpath(root))
    beside = str(Path(sys.executable).parent)  # of an environment that is not on PATH
    for folder in [*os.environ.get("PATH", os.defpath).split(os.pathsep), beside]:
        path = Path(folder) / TOOL
        is_ours = path.is_absolute() and not Path(os.path.realpath(path)).is_relative_to(inside)
        if is_ours and os.path.isfile(path) and os.access(path, os.X_OK):  # noqa: PTH113
            return str(path)
    raise UsageError(
        "the rewrite is made by git filter-repo, which is not installed here",
        hint="Install it: pip install git-filter-repo",
    )


def require_rewritable(repo: Repository) -> None:
    """Raise when the history is not all here, or not only the vault's.

    Raises:
        RefusedError: it is a folder of a bigger repository, or a shallow or partial clone.
    """
    if not repo.is_own:
        raise RefusedError(
            "the vault is a folder of a bigger repository; its history is not mvault's to rewrite",
            hint="Whoever keeps that repository does it, with git filter-repo.",
        )
    settings = repo.read_settings()
    partial = any(entry.key.endswith(".promisor") for entry in settings.entries)
    if partial or (repo.place.common_dir / "shallow").exists():
        raise RefusedError(
            "this clone has only a part of the history", hint="Do it in a whole clone."
        )


def versions_of(repo: Repository, record_id: str) -> tuple[Holding, ...]:
    """Return every version of a record in any branch or tag, whoever committed it.

    The texts say whose they are, not the names: a path may have held another record before.
    """
    from vault_cli.text.fields import read_record

    held: dict[str, tuple[set[str], set[str]]] = {}
    for commit, blob, path in _additions(repo):
        if path.endswith(".md") and not path.startswith("tombstones/"):
            paths, commits = held.setdefault(blob, (set(), set()))
            paths.add(path)
            commits.add(commit)
    word = record_id.encode()
    found = []
    for blob, data in zip(held, repo.read_blobs(list(held)), strict=True):
        paths, commits = held[blob]
        if word not in data and not any(record_id in path for path in paths):
            continue
        records = (read_record(data, path, frozenset())[0] for path in paths)
        if any(record is not None and record.id == record_id for record in records):
            found.append(Holding(blob, frozenset(paths), frozenset(commits)))
    return tuple(found)


def _additions(repo: Repository) -> Iterator[tuple[str, str, str]]:
    """Yield commit, blob and path of every version that any commit put somewhere."""
    args = ("log", "--all", "-m", "--root", "--raw", "--no-abbrev", "--no-renames", "-z")
    out = repo.git.run(*args, "--diff-filter=AMT", "--format=%x01%H").out
    commit = ""
    tokens = iter(out.split(b"\0"))
    for token in tokens:
        facts = token.strip(b"\n")
        if b"\x01" in facts:
            commit = facts.split(b"\x01")[1][:64].split(b"\n")[0].decode("ascii", "replace")
            facts = facts.split(b"\n")[-1]
        if facts.startswith(b":"):
            yield commit, facts.split(b" ")[3].decode("ascii"), os.fsdecode(next(tokens, b""))


def require_sound_text(text: str) -> str:
    """Return a text to look for.

    Raises:
        UsageError: it is empty, too short, or no single line.
    """
    text = text.strip("\r\n")
    if len(text) < _SHORTEST or "\n" in text or "\0" in text or text.isspace():
        raise UsageError(
            f"a text of one line with at least {_SHORTEST} characters is needed",
            hint="A short one stands in many places that are no secret.",
        )
    return text


def measure(repo: Repository, target: Target) -> Reach:
    """Find out which commits hold what has to go."""
    found = set().union(*(version.commits for version in target.versions))
    for text in target.texts:
        for flag in (f"-S{text}", f"--grep={text}"):
            args = ("log", "--all", "--fixed-strings", "--format=%H", flag)
            found.update(repo.git.run(*args).out.decode("ascii").split())
    order = repo.git.run("rev-list", "--topo-order", "--reverse", "--parents", "--all").out
    rewritten: set[str] = set()
    commits: list[str] = []
    for line in order.decode("ascii").splitlines():
        name, *parents = line.split()
        if name in found:
            commits.append(name)
        if name in found or rewritten.intersection(parents):
            rewritten.add(name)
    asked = ("for-each-ref", "--format=%(objectname) %(refname)", "refs/heads", "refs/tags")
    listed = repo.git.run(*asked).out.decode("utf-8", "replace").splitlines()
    refs = [line.split(" ", 1) for line in listed]
    changed = tuple(name for commit, name in refs if commit in rewritten)
    remotes = tuple(repo.git.run("remote").out.decode("utf-8", "replace").split())
    return Reach(tuple(commits), len(rewritten), changed, remotes)


def rewrite(repo: Repository, target: Target, into: Path) -> None:
    """Make a bare copy of the repository without what has to go, and look whether it is gone.

    Args:
        repo: the repository; nothing of it changes.
        target: what has to go.
        into: the folder of the copy; must not exist.

    Raises:
        UsageError: the folder is there already, or the tool is missing.
        StoreError: git or the tool failed, or something is left; the copy is not to be used then.
    """
    if os.path.lexists(into):
        raise UsageError(f"{into} is there already", hint="Name a folder that is not there yet.")
    tool = find_tool(repo.root)
    source = str(repo.place.common_dir)
    args = ("clone", "--quiet", "--mirror", "--no-local", "--template=", "--", source, str(into))
    repo.git.run(*args, network=True)
    with tempfile.TemporaryDirectory() as folder:
        argv = [tool, "--force", "--quiet"]
        if target.versions:
            blobs = Path(folder) / "blobs"
            blobs.write_text("".join(f"{version.blob}\n" for version in target.versions), "ascii")
            argv += ["--strip-blobs-with-ids", str(blobs)]
        if target.texts:
            texts = Path(folder) / "texts"
            lines = (f"literal:{text}==>{STAND_IN}\n" for text in target.texts)
            texts.write_text("".join(lines), encoding="utf-8")
            argv += ["--replace-text", str(texts), "--replace-message", str(texts)]
        done = start(argv, into)
    if done.code:
        raise StoreError(f"git filter-repo failed: {done.err}")
    _require_gone(repo, target, into)


def _require_gone(repo: Repository, target: Target, into: Path) -> None:
    """Look through every object of the copy."""
    program = find_git(repo.root)
    git = [program, f"--git-dir={into}"]
    checked = start([*git, "fsck", "--no-progress", "--connectivity-only"], into)
    if checked.code:
        raise StoreError(f"the copy is not sound: {checked.err}")
    listed = start([*git, "cat-file", "--batch-all-objects", "--batch-check"], into).out
    if any(version.blob.encode() in listed for version in target.versions):
        raise StoreError(f"the copy still has one of the versions; do not use {into}")
    objects = start([*git, "cat-file", "--batch-all-objects", "--batch", "--buffer"], into).out
    if any(text.encode() in objects for text in target.texts):
        raise StoreError(f"the copy still has the text; do not use {into}")
