"""Which files a person edited by hand since the last commit. May import `store`, `errors`.

Whatever git writes into the work tree (a merge that stopped, a squash, a cherry-pick or a revert
without a commit, a stash, single files or a whole tree of another branch) is an object of the
repository first. So an edit by hand is a text that git has never had, however it could have come.
What the person staged or stashed is not told from that, and is looked at like a commit of theirs.
A commit of ours that failed (a hook said no, a key was locked) leaves objects as well: what it was
about is remembered in the person's state folder.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from typing import TYPE_CHECKING, Final

from vault_cli.errors import StoreError
from vault_cli.store.entry import algorithm_of, blob_id, read_disk
from vault_cli.store.git_log import SAFE
from vault_cli.store.own_state import path_key, read_state, write_state
from vault_cli.text.late import late

if TYPE_CHECKING:
    from vault_cli.store.repo import Repository

_KEYWORD: Final = late(rb"\$Id:[^$\n]*\$")
_FETCHED: Final = late(r"^[0-9a-f]{40,64}(?=\t)", re.MULTILINE)
_REMEMBERED: Final = 1000
_DELETIONS: Final = (
    "log", "-z", "--format=", "--name-only", "--diff-filter=D", "--no-renames", "-m",
    "--full-history", *SAFE,
)  # fmt: skip


def find_edited(repo: Repository, paths: Iterable[str]) -> dict[str, bytes | None]:
    """Return the paths that only a hand can have changed, with what HEAD has there.

    Args:
        repo: the repository.
        paths: vault-relative paths.

    Raises:
        StoreError: git failed.
    """
    changed = {item.path: item.code for item in repo.pending(sorted(paths))}
    if not changed or repo.operation_in_progress() not in {"", "bisect"}:
        return {}
    doubtful = set(repo.altered_by_checkout(changed)) | changed.keys() & set(
        repo.outside_checkout()  # git was told to leave them out: no hand removed them
    )
    gone = {path for path, code in changed.items() if code == "deleted"} - doubtful
    doubtful |= _known_to_git(repo, set(changed) - gone - doubtful)
    doubtful |= _taken_by_git(repo, set(changed) - doubtful, gone)
    left = set(changed) - doubtful
    committed = repo.read_head(left)
    return {path: committed.get(path) for path in left}


def note_tried(repo: Repository, paths: Iterable[str]) -> None:
    """Remember the files as they are now, hand edits that a commit of ours did not get to keep."""
    texts = {path: text for path in paths if (text := _mark(_on_disk(repo, path)))}
    listed = list({**_tried(repo), **texts}.items())[-_REMEMBERED:]
    with suppress(StoreError):  # then a person looks at them
        write_state("tried", _state_name(repo), {"texts": dict(listed)})


def _tried(repo: Repository) -> dict[str, str]:
    found = read_state("tried", _state_name(repo)).get("texts")
    return {str(k): str(v) for k, v in found.items()} if isinstance(found, dict) else {}


def _state_name(repo: Repository) -> str:
    return path_key(os.path.realpath(repo.root))


def _on_disk(repo: Repository, path: str) -> bytes | None:
    file = None
    with suppress(StoreError):
        file = read_disk(repo.place.work_tree, _full(repo, path))
    return file.data if file is not None else None


def _mark(data: bytes | None) -> str:
    return hashlib.sha256(data).hexdigest() if data is not None else ""


def _full(repo: Repository, path: str) -> str:
    return f"{repo.prefix}/{path}" if repo.prefix else path


def _known_to_git(repo: Repository, paths: set[str]) -> set[str]:
    """Return the paths whose bytes git has as an object, or that cannot be read."""
    head = repo.head()
    algorithm = algorithm_of(head) if head else ""
    algorithm = algorithm or repo.read_settings().text("extensions.objectformat") or "sha1"
    found, asked, tried = set(), {}, _tried(repo) if paths else {}
    for path in paths:
        data = _on_disk(repo, path)
        if data is None:
            found.add(path)
        elif _mark(data) != tried.get(path):
            asked.update({blob_id(form, algorithm): path for form in _stored_forms(data)})
    if asked:
        lines = "".join(f"{blob}\n" for blob in asked).encode()
        for line in repo.git.run("cat-file", "--batch-check", data=lines).out.splitlines():
            blob, _, rest = line.decode().partition(" ")
            if rest != "missing" and blob in asked:
                found.add(asked[blob])
    return found


def _stored_forms(data: bytes) -> Iterator[bytes]:
    """Yield what git may have stored of a file: without its line ends and filled-in keywords."""
    for form in {data, data.replace(b"\r\n", b"\n")}:
        yield form
        yield _KEYWORD.sub(b"$Id$", form)


def _taken_by_git(repo: Repository, paths: set[str], gone: set[str]) -> set[str]:
    """Return the paths in the middle of a merge, and those of `gone` that git may have removed."""
    if not paths:
        return set()
    full = {_full(repo, path): path for path in paths}
    done = repo.git.run("ls-files", "-z", "--stage", "--", *full, check=False)
    if done.code:  # an index nobody can read says nothing for the person
        return set(paths)
    stages: dict[str, set[bytes]] = {path: set() for path in paths}
    for line in filter(None, done.out.split(b"\0")):
        facts, _, name = line.partition(b"\t")
        path = full.get(os.fsdecode(name))
        if path is not None:
            stages[path].add(facts.rpartition(b" ")[2])
    torn = {path for path, found in stages.items() if found - {b"0"}}
    staged = {path for path in gone & paths if not stages[path]}
    return torn | staged | _deleted_elsewhere(repo, (gone & paths) - staged)


def _deleted_elsewhere(repo: Repository, paths: set[str]) -> set[str]:
    """Return the paths that a commit beside HEAD deletes, on whatever branch or just fetched."""
    if not paths:
        return set()
    full = {_full(repo, path): path for path in paths}
    fetched: list[str] = []
    with suppress(OSError):
        text = (repo.place.git_dir / "FETCH_HEAD").read_text("utf-8", "replace")
        fetched = list(dict.fromkeys(_FETCHED.findall(text)))
    where = ("--ignore-missing", "--all", *fetched, "--not", repo.head(), "--", *full)
    out = repo.git.run(*_DELETIONS, *where).out
    names = (os.fsdecode(name.lstrip(b"\n")) for name in out.split(b"\0"))
    return {full[name] for name in names if name in full}
