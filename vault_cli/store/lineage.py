"""Who made the present text of each record, from git history. May import `model`, `errors`.

One `git log` over the whole vault, read from its newest commit back. A record is followed by its
text (blob ids), not by git's guess of renames: approving moves a file and changes a line of it.
The order is topological: dates are whatever a committer writes, and would let an older text
pass for the newest. Replacement objects, grafts and the commit graph file are not believed; they
may have come with the repository.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from vault_cli.model.lineage import Ancestry, Deed, Version
from vault_cli.model.record import Status, restrict_status
from vault_cli.store.choosers import Asked, find_choosers, has_merges
from vault_cli.store.entry import Entry, parse_tree
from vault_cli.store.git_log import SAFE, format_of, parse_log, parse_trailers
from vault_cli.store.git_run import Git, Pairs

HISTORY_CONFIG: Final[Pairs] = (
    ("core.commitGraph", "false"),
    ("trailer.separators", ":"),
    ("diff.renames", "false"),
    ("diff.orderFile", os.devnull),
)
"""Settings for reading history as it is: nothing of these may come from the repository."""

HISTORY_ENVIRONMENT: Final = {"GIT_GRAFT_FILE": os.devnull}

_FIELDS: Final = ("%H", "%P", "%an <%ae>", "%cI", "%s", "%(trailers:only,unfold)")
_FLAGS: Final = (
    "--topo-order", "--full-history", "-c", "--raw", "--no-abbrev", "--no-renames", "-z",
    *SAFE, format_of(_FIELDS),
)  # fmt: skip
_FEW: Final = 64
"""So many paths are named to git; of more all that changed is read."""

_REGULAR: Final = (b"100644", b"100755")


class Touch(NamedTuple):
    """What a commit did to one path: the blobs before (one per parent) and after, b"" for none."""

    path: str
    before: tuple[str, ...]
    after: str


@dataclass(slots=True)
class _Trail:
    """One record on its way back through history."""

    place: str
    wanted: set[str]
    versions: list[Version] = field(default_factory=list)
    brought_back: bool = False
    whole: bool = True


class Lineage(NamedTuple):
    """The history of the records of one commit.

    Args:
        commit: where reading began.
        ancestries: by vault-relative path; of paths the commit does not have there is none.
        blobs: what the commit has at these paths.
        is_shallow: whether the clone holds only a part of history.
    """

    commit: str
    ancestries: Mapping[str, Ancestry]
    blobs: Mapping[str, str]
    is_shallow: bool


def read_lineage(
    git: Git, prefix: str, commit: str, paths: Iterable[str], *, whole: bool = True
) -> Lineage:
    """Trace records of a commit back through history.

    Args:
        git: the repository's runner.
        prefix: folder of the vault in the repository, "" for its top.
        commit: full id of the commit to begin at, "" for none.
        paths: vault-relative paths of the records.
        whole: False: only the present text is looked for, and nothing is read of older ones.

    Raises:
        GitFailedError, StoreError: history cannot be read.
    """
    if not commit:
        return Lineage("", {}, {}, is_shallow=False)
    start = f"{prefix}/" if prefix else ""
    entries = tree_of(git, commit, prefix)
    blobs = {path: entries[start + path].blob for path in paths if start + path in entries}
    trails = {path: _Trail(start + path, {blob}) for path, blob in blobs.items()}
    edges = shallow_edges(git)
    steps = list(read_touches(git, prefix, commit))
    _walk(steps, trails, edges, whole=whole)
    statuses = _read_statuses(git, trails.values(), start) if whole else {}
    made = {
        start + path: trail.versions[0].blob for path, trail in trails.items() if trail.versions
    }
    deeds = _claims(git, commit, made, steps, edges)
    found = {}
    for path, trail in trails.items():
        first, *others = deeds.get(start + path) or [("",)]
        ancestry = _ancestry(trail, start, statuses)
        found[path] = ancestry._replace(chosen_by=first[1:], others=tuple(others))
    return Lineage(commit, found, blobs, bool(edges))


def _claims(
    git: Git,
    commit: str,
    present: Mapping[str, str],
    steps: Iterable[tuple[Deed, Sequence[Touch]]],
    edges: frozenset[str],
) -> dict[str, list[tuple[str, ...]]]:
    """Return who answers for the blob at each path: a maker, and the merges that chose its text.

    There may be several, the newest first: two lines of history may have made the same text.
    """
    touched: dict[str, list[tuple[str, Touch]]] = {path: [] for path in present}
    for deed, touches in steps:
        for touch in touches:
            if touch.path in touched:
                touched[touch.path].append((deed.id, touch))
    asked = [
        Asked(path, maker, blob)
        for path, blob in present.items()
        for maker in _beside(git, _makers(blob, touched[path]))
        if maker not in edges
    ]
    chosen: Mapping[Asked, tuple[str, ...]] = {}
    if asked and has_merges(git, commit, HISTORY_CONFIG, HISTORY_ENVIRONMENT):
        seen = {path: [(name, t.after) for name, t in found] for path, found in touched.items()}
        chosen = find_choosers(git, commit, asked, seen, HISTORY_CONFIG, HISTORY_ENVIRONMENT)
    claims: dict[str, list[tuple[str, ...]]] = {}
    for item in asked:
        claims.setdefault(item.path, []).append((item.maker, *chosen.get(item, ())))
    return claims


def _beside(git: Git, makers: Iterable[str]) -> list[str]:
    """Return the makers that no newer one has in its history.

    Who writes an old text anew decides anew: the signature under the old one is no word of theirs.
    """
    found: list[str] = []
    for name in makers:
        asked = (("merge-base", "--is-ancestor", name, newer) for newer in found)
        runs = (
            git.run(*args, config=HISTORY_CONFIG, env=HISTORY_ENVIRONMENT, check=False)
            for args in asked
        )
        if all(done.code for done in runs):
            found.append(name)
    return found


def _makers(blob: str, touched: Iterable[tuple[str, Touch]]) -> Iterator[str]:
    """Yield the commits that made a text, up to one that took it away again."""
    for name, touch in touched:
        if touch.after == blob:
            yield name
        elif blob in touch.before:
            return


def tree_of(git: Git, commit: str, prefix: str) -> dict[str, Entry]:
    """Return the regular files of a commit by repository-relative path."""
    scope = ("--", prefix) if prefix else ()
    args = ("ls-tree", "-r", "-z", commit, *scope)
    found = parse_tree(git.run(*args, config=HISTORY_CONFIG, env=HISTORY_ENVIRONMENT).out)
    return {path: entry for path, entry in found.items() if entry.mode.encode() in _REGULAR}


def shallow_edges(git: Git) -> frozenset[str]:
    """Return the commits at which a shallow clone ends."""
    try:
        text = (git.place.common_dir / "shallow").read_bytes()
    except OSError:
        return frozenset()
    return frozenset(text.decode("ascii", "replace").split())


def _walk(
    steps: Iterable[tuple[Deed, Sequence[Touch]]],
    trails: Mapping[str, _Trail],
    edges: frozenset[str],
    *,
    whole: bool,
) -> None:
    """Follow every trail from commit to commit until all of them are at their beginning."""
    at: dict[str, list[_Trail]] = {}
    for trail in trails.values():
        at.setdefault(trail.place, []).append(trail)
    for deed, touches in steps:
        if deed.id in edges:  # git shows everything as made by the commit where the clone ends
            for trail in (trail for group in at.values() for trail in group):
                trail.whole = False
            continue
        known = [touch for touch in touches if touch.path in at]
        for touch in known:
            for trail in at.pop(touch.path):
                if _step_back(trail, deed, touch, touches) and (whole or not trail.versions):
                    at.setdefault(trail.place, []).append(trail)
        if not at:
            return


def _step_back(trail: _Trail, deed: Deed, touch: Touch, touches: Sequence[Touch]) -> bool:
    """Take one commit into account; False when the record began with it."""
    if touch.after not in trail.wanted:
        # a newer commit took the text away, yet it is there: a merge brought it back
        if not trail.versions and trail.wanted.intersection(touch.before):
            trail.brought_back = True
        return True
    trail.versions.append(Version(deed, touch.path, touch.after))
    before = {blob for blob in touch.before if blob}
    if before:
        trail.wanted = before
        return True
    origin = _moved_from(touch, deed, touches)
    if origin is None:
        return False
    trail.place, trail.wanted = origin.path, set(origin.before)
    return True


def _moved_from(touch: Touch, deed: Deed, touches: Sequence[Touch]) -> Touch | None:
    """Return the file that a new one took the place of in the same commit, if there is one."""
    gone = [other for other in touches if not other.after and any(other.before)]
    folder, _, name = touch.path.rpartition("/")
    same = [other for other in gone if other.path.rpartition("/")[2] == name]
    if name == "SKILL.md":
        same = [other for other in same if other.path.split("/")[-2:-1] == folder.split("/")[-1:]]
    if len(same) == 1:
        return same[0]
    tail = name.rpartition("-")[2]
    like = [other for other in gone if other.path.endswith(f"-{tail}")]
    if len(like) == 1:
        return like[0]
    is_one = len(gone) == 1 and sum(not any(t.before) for t in touches) == 1
    return gone[0] if is_one and len(deed.ids) <= 1 else None


def last_deeds(
    git: Git, prefix: str, commit: str, paths: Iterable[str]
) -> dict[str, list[tuple[str, ...]]]:
    """Return who answers for what is at each repository-relative path, or for that nothing is.

    That is the newest commit that touched it, with the merges that took its text over another
    change; where two lines of history made the same, one row for each. What a merge brought back
    over a newer change has none: nobody says who wanted that.
    """
    wanted = sorted(set(paths))
    if not commit:
        return {}
    entries = tree_of(git, commit, prefix)
    few = wanted if len(wanted) <= _FEW else ()  # of a long history most is not about them
    steps = list(read_touches(git, prefix, commit, few))
    present = {path: entries.get(path, Entry()).blob for path in wanted}
    return _claims(git, commit, present, steps, shallow_edges(git))


def text_digests(git: Git, blobs: Mapping[str, str]) -> dict[str, tuple[str, str]]:
    """Return the SHA-256 of each blob's text, and of that text with CRLF, by path."""
    from vault_cli.store.history import read_blobs

    if not blobs:
        return {}
    texts = zip(blobs, read_blobs(git, list(blobs.values())), strict=True)
    return {path: (_digest(data), _digest(data.replace(b"\n", b"\r\n"))) for path, data in texts}


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def read_touches(
    git: Git, prefix: str, commit: str, only: Iterable[str] = ()
) -> Iterator[tuple[Deed, list[Touch]]]:
    """Yield the commits that `commit` reaches, children before parents, with what they changed.

    Of a merge only what differs from all of its parents is its own.

    Args:
        git: the repository's runner.
        prefix: folder of the vault in the repository, "" for its top.
        commit: full id of the commit to begin at.
        only: repository-relative paths that are asked about; none: all of the vault.
    """
    scope = ("--", *(only or filter(None, (prefix,))))
    args = ("log", *_FLAGS, commit, *scope)
    out = git.run(*args, config=HISTORY_CONFIG, env=HISTORY_ENVIRONMENT).out
    for entry in parse_log(out, len(_FIELDS)):
        found = (_touch(modes, path) for modes, path in entry.changes)
        yield _deed(entry.fields), [touch for touch in found if touch is not None]


def _touch(token: bytes, name: bytes) -> Touch | None:
    """Read one `:mode mode blob blob X` (with a colon, mode and blob more per further parent).

    None: only the mode changed.
    """
    parts = token.lstrip(b":").split(b" ")
    count = len(token) - len(token.lstrip(b":")) + 1
    modes, blobs = parts[:count], parts[count : 2 * count]
    found = [
        blob.decode("ascii") if mode in _REGULAR else ""
        for mode, blob in zip(modes, blobs, strict=False)
    ]
    before, after = tuple(found[:-1]), found[-1]
    return None if after and after in before else Touch(os.fsdecode(name), before, after)


def _deed(fields: Sequence[str]) -> Deed:
    commit, parents, author, date, subject, trailers = fields
    return Deed(
        id=commit.strip(),
        parents=len(parents.split()),
        author=author,
        date=date,
        subject=subject,
        trailers=parse_trailers(trailers),
    )


def _read_statuses(git: Git, trails: Iterable[_Trail], start: str) -> dict[str, str]:
    """Return the status of each text, read as any record is, by blob; "" of what is none."""
    from vault_cli.store.history import read_blobs

    paths = {v.blob: v.path.removeprefix(start) for trail in trails for v in trail.versions}
    texts = read_blobs(git, list(paths)) if paths else ()
    return {
        blob: _status_of(data, path)
        for (blob, path), data in zip(paths.items(), texts, strict=True)
    }


def _status_of(data: bytes, path: str) -> str:
    from vault_cli.text.fields import read_fresh

    record, _ = read_fresh(data, path, frozenset())
    return str(record.written_status) if record is not None else ""


def _ancestry(trail: _Trail, start: str, statuses: Mapping[str, str]) -> Ancestry:
    versions = []
    for version in trail.versions:
        path = version.path.removeprefix(start)
        written = statuses.get(version.blob, "")
        known = written in set(Status)
        status = str(restrict_status(Status(written), path)) if known else written
        versions.append(version._replace(path=path, status=status))
    return Ancestry(tuple(versions), trail.whole, trail.brought_back)
