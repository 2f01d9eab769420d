"""Reading history: commits, blobs, whole trees, who wrote a line. May import `text`, `errors`.

Nothing here runs text conversion, external diffs or signature checks. Messages and names are text
that anybody may have written: whoever shows them escapes them.
"""

from __future__ import annotations

import os
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta, tzinfo
from itertools import accumulate, pairwise
from typing import BinaryIO, cast

from vault_cli.errors import NotFoundError, UsageError
from vault_cli.model.record import ID_PATTERN
from vault_cli.model.tables import MAX_FILE
from vault_cli.store.commit import head_id
from vault_cli.store.entry import tree_entries
from vault_cli.store.git_log import SAFE, Logged, format_of, parse_log, parse_trailers
from vault_cli.store.git_place import is_shallow
from vault_cli.store.git_run import Git, git_environment, missing_object
from vault_cli.store.pending import inside
from vault_cli.text.late import late
from vault_cli.text.names import OWN_ID

_FIELDS = ("%H", "%P", "%an <%ae>", "%aI", "%s", "%b", "%(trailers:only,unfold)", "%(trailers)")
_LOG = (
    "log", *SAFE, "--raw", "--no-abbrev", "--no-renames", "-z", "--diff-merges=first-parent",
    format_of(_FIELDS),
)  # fmt: skip
_BLOBS = {"100644", "100755"}
_GITLINK = b"160000"
_LAST_SECOND = int(datetime(9999, 12, 30, tzinfo=UTC).timestamp())
_DATE = late(r"\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2})?)?")


@dataclass(frozen=True, slots=True)
class CommitInfo:
    """One commit as read back: full id, parents, author, ISO author date, message parts."""

    id: str
    parents: tuple[str, ...]
    author: str
    date: str
    subject: str
    body: str
    trailers: tuple[tuple[str, str], ...]
    paths: tuple[str, ...]


def list_commits(git: Git, prefix: str, paths: Sequence[str], limit: int) -> list[CommitInfo]:
    """Return commits, newest first; only those that touch `paths` (repository-relative)."""
    if not head_id(git):
        return []
    count = (f"--max-count={limit}",) if limit else ()
    scope = paths or ([prefix] if prefix else [])
    out = git.run_slowly(*_LOG, *count, "HEAD", "--", *scope)
    return list(_commits_in(out, prefix))


def list_record_commits(
    git: Git, prefix: str, record_id: str, paths: Sequence[str], limit: int
) -> list[CommitInfo]:
    """Return commits with this Vault-Id trailer or on a file of the record, newest first."""
    if not head_id(git):
        return []
    by_trailer = ("--fixed-strings", f"--grep=Vault-Id: {record_id}", "HEAD", "--")
    named = set(_lines(git, "rev-list", *by_trailer))
    scope = [f":(top,literal){path}" for path in paths]
    if ID_PATTERN.fullmatch(record_id):  # no character of an id means anything in a glob
        end = f"*-{record_id[2:]}.md" if OWN_ID.fullmatch(record_id) else f"{record_id}.md"
        scope.append(f":(top,glob)**/{end}")
    magic = {"GIT_LITERAL_PATHSPECS": "0"}
    out = git.run("rev-list", "HEAD", "--", *scope, env=magic).out if scope else b""
    by_path = set(out.decode("ascii").split())
    order = [id_ for id_ in _lines(git, "rev-list", "HEAD") if id_ in by_path or id_ in named]
    found = [
        info
        for info in _read_commits(git, prefix, order)
        if info.id in by_path or ("Vault-Id", record_id) in info.trailers
    ]
    return found[:limit] if limit else found


def list_people(git: Git, prefix: str, since: str = "") -> dict[str, str]:
    """Return authors and committers as `Name <mail>`, each with the oldest commit in the vault.

    Args:
        git: the repository's runner.
        prefix: folder of the vault in it.
        since: full id of a commit; what it reaches is left out, where git knows it.
    """
    if not head_id(git):
        return {}
    scope = ("--", prefix) if prefix else ("--",)
    flags = ("-z", *SAFE, "--no-mailmap", "--format=%H%n%an <%ae>%n%cn <%ce>")
    found = {}
    done = git.run("log", *flags, f"{since}..HEAD" if since else "HEAD", *scope, check=not since)
    if done.code:  # that commit is gone
        return list_people(git, prefix)
    for entry in filter(None, done.out.decode("utf-8", "replace").split("\0")):
        commit, *people = entry.strip("\n").split("\n")
        found.update(dict.fromkeys(people, commit))
    return found


def read_commit(git: Git, prefix: str, commit: str) -> CommitInfo:
    """Return one commit by its full id."""
    return next(_read_commits(git, prefix, [commit]))


def read_commits(git: Git, prefix: str, commits: Sequence[str]) -> dict[str, CommitInfo]:
    """Return commits by their full ids, with one process."""
    return {info.id: info for info in _read_commits(git, prefix, commits)}


def list_between(git: Git, prefix: str, old: str, new: str) -> list[CommitInfo]:
    """Return the commits that one of two commits reaches and the other does not, newest first."""
    scope = [prefix] if prefix else []
    span = f"{old}...{new}"
    return list(_commits_in(git.run_slowly(*_LOG, "--topo-order", span, "--", *scope), prefix))


def list_graph(
    git: Git, prefix: str, bad: str, goods: Sequence[str]
) -> list[tuple[str, tuple[str, ...], str, bool]]:
    """Return the commits that one reaches and others do not, children before parents.

    Args:
        git: the repository's runner.
        prefix: the vault's folder, "" for the whole repository.
        bad: whose past it is (full id).
        goods: whose past is left out.

    Returns:
        Of each its id, its parents, the id of the vault's folder ("" where it is not there), and
        whether that differs from the folder of each parent.
    """
    args = ("rev-list", "--topo-order", "--parents", bad, *(f"^{good}" for good in goods))
    rows = [line.split() for line in git.run(*args).out.decode("ascii").splitlines()]
    trees = _folder_ids(git, prefix, dict.fromkeys(id_ for row in rows for id_ in row))
    return [
        (id_, tuple(parents), trees[id_], trees[id_] not in ({trees[p] for p in parents} or {""}))
        for id_, *parents in rows
    ]


def _folder_ids(git: Git, prefix: str, commits: Iterable[str]) -> dict[str, str]:
    """Return the id of a folder's tree in each commit, "" where it has none."""
    names = list(commits)
    if "\n" in prefix:  # git asks for one name a line: every commit counts as another vault
        return dict(zip(names, names, strict=True))
    asked = "".join(f"{name}:{prefix}\n" if prefix else f"{name}^{{tree}}\n" for name in names)
    data = asked.encode("utf-8", "surrogateescape")
    out = git.run("cat-file", "--batch-check=%(objectname)", data=data).out.splitlines()
    ids = (line.decode("ascii") if b" " not in line else "" for line in out)
    return dict(zip(names, ids, strict=True))


def merge_base(git: Git, one: str, other: str) -> str:
    """Return the newest commit that both reach, "" when they have no common past."""
    done = git.run("merge-base", one, other, check=False)
    return done.out.decode("ascii", "replace").strip()


def blame_line(git: Git, commit: str, path: str, line: int) -> str:
    """Return the commit that wrote a line of a repository-relative path, "" when git cannot tell.

    Args:
        git: the repository's runner.
        commit: whose text it is.
        path: the file.
        line: 1-based.
    """
    span = ("-L", f"{line},{line}")
    args = ("blame", "--porcelain", "--no-textconv", *span, commit, "--", path)
    done = git.run(*args, check=False)
    return done.out[:64].split(b" ")[0].decode("ascii", "replace") if not done.code else ""


def _read_commits(git: Git, prefix: str, commits: Sequence[str]) -> Iterator[CommitInfo]:
    if not commits:
        return iter(())
    data = "\n".join(commits).encode()
    flags = ("--no-walk=unsorted", "--stdin")
    return _commits_in(git.run_slowly(*_LOG, *flags, data=data), prefix)


def _lines(git: Git, *args: str) -> list[str]:
    return git.run(*args).out.decode("ascii", "replace").split()


def _commits_in(out: bytes, prefix: str) -> Iterator[CommitInfo]:
    return (_commit_info(entry, prefix) for entry in parse_log(out, len(_FIELDS)))


def _commit_info(entry: Logged, prefix: str) -> CommitInfo:
    """Return a commit as read back; a submodule is no file of the vault and is left out."""
    files = (path for modes, path in entry.changes if _GITLINK not in modes[1:].split(b" ")[:2])
    commit, parents, author, date, subject, body, trailers, block = entry.fields
    text, end = body.rstrip(), block.rstrip()
    return CommitInfo(
        id=commit.strip(),
        parents=tuple(parents.split()),
        author=author,
        date=date,
        subject=subject,
        body=text.removesuffix(end).rstrip() if end else text,
        trailers=parse_trailers(trailers),
        paths=tuple(inside(prefix, map(os.fsdecode, files))),
    )


def read_blob(git: Git, commit: str, path: str) -> bytes | None:
    """Return the bytes of a repository-relative path at a commit, None when it is no file there."""
    entry = tree_entries(git, commit, [path]).get(path)
    if entry is None or entry.mode not in _BLOBS:
        return None
    return git.run("cat-file", "blob", entry.blob).out


def read_files(git: Git, commit: str, paths: Sequence[str]) -> dict[str, bytes]:
    """Return the files among these repository-relative paths at a commit (see `read_blobs`)."""
    entries = tree_entries(git, commit, paths)
    blobs = {path: entry.blob for path, entry in entries.items() if entry.mode in _BLOBS}
    return dict(zip(blobs, read_blobs(git, list(blobs.values())), strict=True)) if blobs else {}


def read_blobs(git: Git, blobs: Sequence[str]) -> list[bytes]:
    """Read many blobs with one `cat-file --batch`.

    Of a file over MAX_FILE the first MAX_FILE + 1 bytes are returned: enough to see that it is.
    """
    import subprocess
    import tempfile

    with tempfile.TemporaryFile() as names:
        names.write("".join(f"{blob}\n" for blob in blobs).encode())
        names.seek(0)
        with subprocess.Popen(
            git.argv(("cat-file", "--batch", "--buffer")),
            cwd=git.place.work_tree,
            env=git_environment({"GIT_ALLOW_PROTOCOL": "none"}),
            stdin=names,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        ) as process:
            stream = cast("BinaryIO", process.stdout)
            return [_next_blob(git, stream, blob) for blob in blobs]


def _next_blob(git: Git, stream: BinaryIO, blob: str) -> bytes:
    header = stream.readline().split()
    if header[1:2] != [b"blob"]:
        raise missing_object(git.place, f"the object {blob}")
    size = int(header[2])
    data = stream.read(min(size, MAX_FILE + 1))
    rest = size - len(data)
    while rest > 0 and (chunk := stream.read(min(rest, MAX_FILE))):
        rest -= len(chunk)
    stream.read(1)  # the line end after the object
    return data


def resolve_text(git: Git, text: str, prefix: str, zone: tzinfo | None) -> str:
    """Return the full commit id for a revision or a date.

    Raises:
        NotFoundError: git does not know it, or the vault has no commit that early.
    """
    if _DATE.fullmatch(text):
        return _at_date(git, text, prefix, zone)
    known = head_id(git)  # a damaged HEAD is said before anything is called unknown
    printable = text.isprintable() and not text.startswith("-") and text
    name = f"{text}^{{commit}}"
    done = git.run("rev-parse", "--verify", "--quiet", name, check=False) if printable else None
    if done is None or done.code:
        unborn = text == "HEAD" and not known
        raise NotFoundError(
            "there is no commit yet" if unborn else f"no such commit: {text!r}",
            hint="Give a commit id, a branch, HEAD~2, or a date like 2026-11-01.",
        )
    return done.out.decode("ascii").strip()


def is_date(text: str) -> bool:
    """Tell whether a text is read as a date or a moment rather than as a name of a commit."""
    return _DATE.fullmatch(text) is not None


def also_names(git: Git, text: str) -> bool:
    """Tell whether a branch or a tag is called like this date."""
    return not git.run("rev-parse", "--verify", "--quiet", text, check=False).code


def commit_time(git: Git, commit: str) -> datetime:
    """Return when a commit was made, in UTC; a time no calendar has is the nearest that one has."""
    seconds = int(git.run("rev-list", "--no-walk", "--timestamp", commit).out.split()[0])
    return datetime.fromtimestamp(max(0, min(seconds, _LAST_SECOND)), UTC)


def _at_date(git: Git, text: str, prefix: str, zone: tzinfo | None) -> str:
    try:
        moment = _last_moment(text, zone)
    except (ValueError, OverflowError) as error:
        raise UsageError(f"no such date: {text!r}", hint="Dates look like 2026-11-01.") from error
    if not head_id(git):
        raise NotFoundError("there is no commit yet", hint="Leave the date out.")
    scope = ("--", prefix) if prefix else ("--",)
    out = git.run("rev-list", "--first-parent", "--timestamp", "HEAD", *scope).out
    # "TIME ID" pairs, newest first; seconds before 1970 have a sign
    words = out.decode("ascii").split()
    commits = words[1::2][::-1]
    times = straighten([int(word) for word in words[::2]][::-1])
    found = bisect_right(times, moment)
    if found:
        return commits[found - 1]
    if is_shallow(git.place):
        raise NotFoundError(
            f"the history here does not go back to {text}: this is a shallow clone",
            hint="`git fetch --unshallow` brings the rest of it.",
        )
    raise NotFoundError(
        f"the vault has no commit as early as {text}",
        hint="`mvault log -n 0` ends with the first one.",
    )


def straighten(times: Sequence[int]) -> list[int]:
    """Return commit times that never go back, changing as few of them as possible.

    A commit cannot be older than the one it builds on; a time that says so comes from a wrong
    clock. The longest run of times in order counts (found by patience sorting); each of the others
    is moved just so far that it lies between its neighbours of that run.

    Args:
        times: seconds, oldest commit first.
    """
    kept = _longest_run(times)
    if len(kept) == len(times):
        return list(times)
    moved = list(times)
    for one, other in pairwise([-1, *kept, len(times)]):
        for place in range(one + 1, other):
            own = moved[place]
            high = min(own, times[other]) if other < len(times) else own
            moved[place] = max(high, times[one]) if one >= 0 else high
    return list(accumulate(moved, max))


def _longest_run(times: Sequence[int]) -> list[int]:
    """Return the places of the longest subsequence that never goes back."""
    ends: list[int] = []
    places: list[int] = []
    before: list[int] = []
    for place, moment in enumerate(times):
        length = bisect_right(ends, moment)
        before.append(places[length - 1] if length else -1)
        ends[length : length + 1] = [moment]
        places[length : length + 1] = [place]
    run: list[int] = []
    place = places[-1] if places else -1
    while place >= 0:
        run.append(place)
        place = before[place]
    return run[::-1]


def _placed(moment: datetime, zone: tzinfo | None) -> datetime:
    """Return a moment without a zone as one of a zone, else of this machine's."""
    if zone:
        return moment.replace(tzinfo=zone)
    try:
        return moment.astimezone()
    except (ValueError, OverflowError):  # at the ends of the calendar there is no local time
        return moment.replace(tzinfo=UTC)


def _last_moment(text: str, zone: tzinfo | None) -> int:
    """Return the last second a date or a moment covers; a bare date counts to its end."""
    moment = datetime.fromisoformat(text)
    if len(text) == len("2026-11-01"):
        moment = datetime.combine(moment.date(), time(23, 59, 59))
    if moment.tzinfo is None:
        moment = _placed(moment, zone)
    epoch = datetime(1970, 1, 1, tzinfo=UTC)
    return (moment - epoch) // timedelta(seconds=1)
