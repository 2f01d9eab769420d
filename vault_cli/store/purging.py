"""A copy of a vault's history without a secret. May import `store`, `errors`.

The history of the vault itself is never rewritten: git filter-repo works on a copy that a person
puts in its place. So nothing can be lost here, and what came out can be looked at first.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

from vault_cli.errors import RefusedError, StoreError, UsageError
from vault_cli.store.git_log import SAFE
from vault_cli.store.git_place import is_partial, is_shallow
from vault_cli.store.git_run import find_git, start
from vault_cli.store.remotes import read_all
from vault_cli.store.repo import Repository
from vault_cli.text.codes import show

TOOL: Final = "git-filter-repo"
_SUBMODULE: Final = b"160000"
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

    @property
    def forms(self) -> tuple[str, ...]:
        """The texts as they stand, and as a line of JSON or a quoted value has them."""
        forms = (
            form
            for text in self.texts
            for form in (text, json.dumps(text, ensure_ascii=False)[1:-1], json.dumps(text)[1:-1])
        )
        return tuple(dict.fromkeys(forms))

    def is_in(self, data: bytes) -> bool:
        """Tell whether one of the texts stands in some bytes."""
        return any(form.encode() in data for form in self.forms)


class Reach(NamedTuple):
    """How far a rewrite reaches.

    Args:
        commits: the commits that hold what has to go, oldest first.
        rewritten: how many commits get another id.
        refs: branches and tags that change, also those of remotes as they were fetched.
        remotes: names of the remotes that have the old history.
        names: paths that have a text in their name, which a rewrite of texts leaves.
        unreached: how many commits have it that no branch, tag or newest stash reaches: reflogs
            and older stashes keep them. They are not in the copy.
    """

    commits: tuple[str, ...]
    rewritten: int
    refs: tuple[str, ...]
    remotes: tuple[str, ...]
    names: tuple[str, ...] = ()
    unreached: int = 0

    @property
    def is_empty(self) -> bool:
        """Whether nothing has it."""
        return not (self.commits or self.refs or self.unreached)


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
    if is_partial(repo.place) or is_shallow(repo.place):
        raise RefusedError(
            "this clone has only a part of the history", hint="Do it in a whole clone."
        )


def require_up_to_date(repo: Repository) -> None:
    """Raise when a branch here lacks what was fetched of it: in the copy it would be lost.

    The tool makes branches of a remote to branches of the copy, but for those that are here.

    Raises:
        RefusedError: so it is.
    """
    asked = ("for-each-ref", "--format=%(refname)", "refs/heads", "refs/remotes")
    names = repo.git.run(*asked).out.decode("utf-8", "surrogateescape").splitlines()
    for name in names:
        branch = name.split("/", 3)[-1]
        own = f"refs/heads/{branch}"
        if not name.startswith("refs/remotes/") or own not in names:
            continue
        if repo.git.run("merge-base", "--is-ancestor", name, own, check=False).code:
            raise RefusedError(
                f"{show(branch)} here lacks commits that were fetched of it; the copy would, too",
                hint="First take them in: mvault sync",
            )


def versions_of(repo: Repository, record_id: str) -> tuple[Holding, ...]:
    """Return every version of a record in any branch or tag, whoever committed it.

    The texts say whose they are, not the names: a path may have held another record before.
    """
    from vault_cli.text.fields import read_record

    held: dict[str, tuple[set[str], set[str]]] = {}
    for commit, blob, path in _additions(repo, "--all"):
        if path.endswith(".md") and not path.startswith("tombstones/"):
            paths, commits = held.setdefault(blob, (set(), set()))
            paths.add(path)
            commits.add(commit)
    word = os.fsencode(record_id)
    found = []
    for blob, data in zip(held, repo.read_blobs(list(held)), strict=True):
        paths, commits = held[blob]
        if word not in data and not any(record_id in path for path in paths):
            continue
        records = (read_record(data, path, frozenset())[0] for path in paths)
        if any(record is not None and record.id == record_id for record in records):
            found.append(Holding(blob, frozenset(paths), frozenset(commits)))
    return tuple(found)


def _additions(repo: Repository, *revisions: str) -> Iterator[tuple[str, str, str]]:
    """Yield commit, blob and path of every version that any of some commits put somewhere."""
    args = ("log", *SAFE, "-m", "--root", "--raw", "--no-abbrev", "--no-renames", "-z")
    out = repo.git.run(*args, "--diff-filter=AMT", "--format=%x01%H", *revisions).out
    commit = ""
    tokens = iter(out.split(b"\0"))
    for token in tokens:
        facts = token.strip(b"\n")
        if b"\x01" in facts:
            commit = facts.split(b"\x01")[1][:64].split(b"\n")[0].decode("ascii", "replace")
            facts = facts.split(b"\n")[-1]
        if facts.startswith(b":"):
            _, mode, _, blob, _ = facts.split(b" ")
            path = os.fsdecode(next(tokens, b""))
            if mode != _SUBMODULE:
                yield commit, blob.decode("ascii"), path


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
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise UsageError("the text is not UTF-8", hint="Give a part of it that is.") from error
    return text


def measure(repo: Repository, target: Target) -> Reach:
    """Find out which commits hold what has to go."""
    held, names = _holders(repo, target, "--all")
    unreached, _ = _holders(repo, target, "--reflog", "--not", "--all")
    order = repo.git.run("rev-list", "--topo-order", "--reverse", "--parents", "--all").out
    rewritten: set[str] = set()
    commits: list[str] = []
    for line in order.decode("ascii").splitlines():
        name, *parents = line.split()
        if name in held:
            commits.append(name)
        if name in held or rewritten.intersection(parents):
            rewritten.add(name)
    refs = tuple(
        name
        for name, ids, message in _refs(repo)
        if rewritten.intersection(ids) or target.is_in(message)
    )
    remotes = tuple(repo.git.run("remote").out.decode("utf-8", "replace").split())
    return Reach(
        tuple(commits), len(rewritten), refs, remotes, tuple(sorted(names)), len(unreached)
    )


def _refs(repo: Repository) -> Iterator[tuple[str, tuple[str, str], bytes]]:
    """Yield name, object, commit of a tag, and message of every branch and tag."""
    asked = "--format=%(refname)%00%(objectname)%00%(*objectname)%00%(contents)%00"
    out = repo.git.run("for-each-ref", asked, "refs/heads", "refs/tags", "refs/remotes").out
    parts = iter(out.split(b"\0")[:-1])
    for name, own, tagged, message in zip(parts, parts, parts, parts, strict=True):
        ids = own.decode("ascii"), tagged.decode("ascii")
        yield name.lstrip(b"\n").decode("utf-8", "replace"), ids, message


def _holders(repo: Repository, target: Target, *revisions: str) -> tuple[set[str], set[str]]:
    """Return the commits that put what has to go somewhere, and the paths named after it."""
    added: dict[str, set[str]] = {}
    names: set[str] = set()
    for commit, blob, path in _additions(repo, *revisions):
        added.setdefault(blob, set()).add(commit)
        if target.is_in(os.fsencode(path)):
            names.add(path)
    gone = {version.blob for version in target.versions}
    found = set().union(*(commits for blob, commits in added.items() if blob in gone))
    if not target.texts:
        return found, names
    for blob, data in read_all(repo, list(added)).items():
        if target.is_in(data):
            found |= added[blob]
    out = repo.git.run("log", *SAFE, "-z", "--format=%H %B", *revisions).out
    for entry in out.split(b"\0"):
        own, _, message = entry.partition(b" ")
        if target.is_in(message):
            found.add(own.decode("ascii"))
    return found, names


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
            lines = (f"literal:{form}==>{STAND_IN}\n" for form in target.forms)
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
    if target.is_in(objects):
        raise StoreError(f"the copy still has the text; do not use {into}")
