"""Merges that chose between two changes of one file. May import `model`, `errors`.

A merge whose result is the text of one parent writes nothing, so no commit is named as the maker of
the choice; the order in which git lists the two sides is the committer's. Whoever can push can
so put an older text, signed long ago on a branch, over a newer one. Such a merge is a change too.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Final, NamedTuple

from vault_cli.store.git_run import Git, Pairs

Seen = Mapping[str, Sequence[tuple[str, str]]]
"""By path the commits that touched it, each with the blob it left there ("" for none)."""

_MISSING: Final = b"missing"


class Asked(NamedTuple):
    """One file whose maker is known.

    Args:
        path: repository-relative.
        maker: the commit that made what is there now.
        blob: what is there now, "" for nothing.
    """

    path: str
    maker: str
    blob: str


def has_merges(git: Git, commit: str, config: Pairs, env: Mapping[str, str]) -> bool:
    """Whether a commit has a merge among its ancestors."""
    args = ("rev-list", "--min-parents=2", "--max-count=1", commit, "--")
    return bool(git.run(*args, config=config, env=env).out.strip())


def find_choosers(
    git: Git, commit: str, asked: Iterable[Asked], seen: Seen, config: Pairs, env: Mapping[str, str]
) -> dict[Asked, tuple[str, ...]]:
    """Return the merges that took the present text of a file over another change of it.

    A rival is a change of the file that the maker of its text did not know. A merge below both
    chose when it has the present text and a parent that holds the rival has another one.

    Args:
        git: the repository's runner.
        commit: where history begins.
        asked: the files.
        seen: every commit that touched them.
        config: settings for reading history as it is.
        env: environment for the same.

    Raises:
        GitFailedError: history cannot be read.
    """
    suspects = {
        item: {name for name, blob in seen.get(item.path, ()) if blob != item.blob} - {item.maker}
        for item in asked
    }
    suspects = {item: names for item, names in suspects.items() if names}
    if not suspects:
        return {}
    graph = _read_graph(git, commit, config, env)
    carried, bits = _carry(graph, suspects)
    joins: list[tuple[Asked, str, tuple[str, ...]]] = []
    for item, names in suspects.items():
        rivals = sum(bits[n] for n in names if n in bits) & ~carried.get(item.maker, 0)
        joins += [(item, *join) for join in _joins(graph, carried, bits[item.maker], rivals)]
    return _choices(git, joins)


def _read_graph(
    git: Git, commit: str, config: Pairs, env: Mapping[str, str]
) -> dict[str, tuple[str, ...]]:
    """Return the parents of every ancestor, children before parents."""
    args = ("rev-list", "--topo-order", "--parents", commit, "--")
    out = git.run(*args, config=config, env=env).out.decode("ascii").splitlines()
    return {name: tuple(parents) for name, *parents in map(str.split, out)}


def _carry(
    graph: Mapping[str, tuple[str, ...]], suspects: Mapping[Asked, set[str]]
) -> tuple[dict[str, int], dict[str, int]]:
    """Return which of the commits in question each commit has in its history, as bits."""
    wanted = {item.maker for item in suspects}.union(*suspects.values())
    bits = {name: 1 << place for place, name in enumerate(sorted(wanted))}
    carried: dict[str, int] = {}
    for name in reversed(list(graph)):
        known = bits.get(name, 0)
        for parent in graph[name]:
            known |= carried.get(parent, 0)
        carried[name] = known
    return carried, bits


def _joins(
    graph: Mapping[str, tuple[str, ...]], carried: Mapping[str, int], maker: int, rivals: int
) -> Iterable[tuple[str, tuple[str, ...]]]:
    """Yield the merges that know the maker and a rival, with the parents that know a rival."""
    if not rivals:
        return
    for name, parents in graph.items():
        if len(parents) > 1 and carried[name] & maker and carried[name] & rivals:
            yield name, tuple(p for p in parents if carried.get(p, 0) & rivals)


def _choices(
    git: Git, joins: Sequence[tuple[Asked, str, tuple[str, ...]]]
) -> dict[Asked, tuple[str, ...]]:
    places = list(
        dict.fromkeys(
            (name, item.path) for item, merge, parents in joins for name in (merge, *parents)
        )
    )
    blobs = _blobs_at(git, places)
    found: dict[Asked, list[str]] = {}
    for item, merge, parents in joins:
        there = blobs.get((merge, item.path))
        if there is None or (
            there == item.blob and any(blobs[name, item.path] != item.blob for name in parents)
        ):
            found.setdefault(item, []).append(merge)
    return {item: tuple(merges) for item, merges in found.items()}


def _blobs_at(git: Git, places: Sequence[tuple[str, str]]) -> dict[tuple[str, str], str]:
    """Return the blob at each path of a commit, "" for none; a name git cannot be asked is out."""
    plain = [place for place in places if "\n" not in place[1]]
    if not plain:
        return {}
    data = b"".join(name.encode() + b":" + os.fsencode(path) + b"\n" for name, path in plain)
    lines = git.run("cat-file", "--batch-check=%(objectname)", data=data).out.splitlines()
    return {
        place: "" if line.endswith(_MISSING) else line.decode("ascii")
        for place, line in zip(plain, lines, strict=True)
    }
