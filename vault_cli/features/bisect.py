"""Which commit first made the block bad: halving a history by verdicts. Standard library.

The history is a graph, so a step asks the commit that splits the rest most evenly, as git's own
bisection does: the one whose ancestors among the rest come closest to half of them. Only commits
that change the vault count, and a block that was judged once is never judged again.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple

GOOD: Final = "good"
BAD: Final = "bad"
SKIP: Final = "skip"
VERDICTS: Final = (GOOD, BAD, SKIP)


class Commit(NamedTuple):
    """One commit of a graph.

    Args:
        id, parents: full ids.
        tree: id of the vault's folder, "" where the commit has none.
        changes: it holds another vault than each of its parents.
    """

    id: str
    parents: tuple[str, ...]
    tree: str
    changes: bool


class Judged(NamedTuple):
    """A verdict on a commit.

    Args:
        verdict: one of `VERDICTS`.
        commit: full id.
        block: digest of what it renders, "" when that is not known.
        same: nobody judged it: a commit with the same block was judged.
    """

    verdict: str
    commit: str
    block: str = ""
    same: bool = False


class Search(NamedTuple):
    """A bisection: how blocks are rendered, what was judged (oldest first), what is asked now."""

    settings: Mapping[str, Any]
    judged: tuple[Judged, ...] = ()
    current: str = ""

    @property
    def bad(self) -> str:
        """The oldest commit known to be bad, "" when none is."""
        return next((j.commit for j in reversed(self.judged) if j.verdict == BAD), "")

    @property
    def goods(self) -> tuple[str, ...]:
        """The commits known to be good."""
        return tuple(j.commit for j in self.judged if j.verdict == GOOD)

    @property
    def skipped(self) -> frozenset[str]:
        """The commits that cannot be judged."""
        return frozenset(j.commit for j in self.judged if j.verdict == SKIP)

    def verdict_on(self, block: str) -> str:
        """Return the verdict on a block by its digest, "" for none; good and bad beat skip."""
        said = [j.verdict for j in self.judged if j.block == block and block]
        return next((v for v in reversed(said) if v != SKIP), said[-1] if said else "")

    def block_of(self, commit: str) -> str:
        """Return the digest of what a judged commit renders, "" when it is not known."""
        return next((j.block for j in self.judged if j.commit == commit and j.block), "")

    def judge(self, *judged: Judged) -> Search:
        """Return it with further verdicts; nothing is asked any more."""
        return self._replace(judged=(*self.judged, *judged), current="")


class Rest(NamedTuple):
    """What is left between the good and the bad.

    Args:
        bad: the oldest commit known to be bad; of several that hold the same vault the oldest.
        choices: commits before it that may be judged, the one that halves best first.
    """

    bad: str
    choices: tuple[str, ...]


class Step(NamedTuple):
    """What comes next: a commit to judge, else the answer.

    Args:
        ask: the commit to judge, "" when nothing is left to judge.
        rest: what is left; without choices its `bad` is the first bad commit, and with choices
            that were all skipped it may be any of them.
    """

    ask: str
    rest: Rest


def find_rest(graph: Sequence[Commit], search: Search) -> Rest:
    """Return what is left to judge.

    Args:
        graph: the commits that the first bad one reaches and the first good ones do not, children
            before parents.
        search: with a bad commit of the graph.
    """
    by_id = {commit.id: commit for commit in graph}
    dead = _ancestors(by_id, search.goods)
    alive = _ancestors(by_id, [search.bad]) - dead
    bad = _settle(by_id, alive, search.bad)
    alive = _ancestors(by_id, [bad]) - dead
    graph = [commit for commit in graph if commit.id in alive]
    changing = {commit.id for commit in graph if commit.changes}
    counts = _count_ancestors(graph, changing)
    total = len(changing | {bad})
    choices = [commit.id for commit in graph if commit.id in changing and commit.id != bad]
    choices.sort(key=lambda id_: -min(counts[id_], total - counts[id_]))
    return Rest(bad, tuple(choices))


def is_left(graph: Sequence[Commit], search: Search, commit: str) -> bool:
    """Tell whether a commit is among those that may still be, or come before, the first bad one."""
    by_id = {item.id: item for item in graph}
    return commit in _ancestors(by_id, [search.bad]) - _ancestors(by_id, search.goods)


def _ancestors(by_id: Mapping[str, Commit], starts: Iterable[str]) -> set[str]:
    """Return the commits of a graph that some reach, themselves included."""
    found: set[str] = set()
    waiting = list(starts)
    while waiting:
        id_ = waiting.pop()
        if id_ in by_id and id_ not in found:
            found.add(id_)
            waiting += by_id[id_].parents
    return found


def _settle(by_id: Mapping[str, Commit], alive: set[str], bad: str) -> str:
    """Return the oldest commit behind a bad one with no other vault in between."""
    while True:
        here = by_id[bad]
        same = (p for p in here.parents if p in alive and by_id[p].tree == here.tree)
        older = next(same, "")
        if not older:
            return bad
        bad = older


def _count_ancestors(graph: Sequence[Commit], counted: set[str]) -> dict[str, int]:
    """Return how many counted commits each one reaches in a graph, itself included.

    A set of commits is the bits of one number, kept only while a child still needs it.
    """
    needed = Counter(parent for commit in graph for parent in commit.parents)
    sets: dict[str, int] = {}
    counts: dict[str, int] = {}
    for place, commit in enumerate(reversed(graph)):
        bits = 1 << place if commit.id in counted else 0
        for parent in commit.parents:
            bits |= sets.get(parent, 0)
            needed[parent] -= 1
            if not needed[parent]:
                sets.pop(parent, None)
        sets[commit.id] = bits
        counts[commit.id] = bits.bit_count()
    return counts


def find_step(
    graph: Sequence[Commit], search: Search, block_of: Callable[[str], str]
) -> tuple[Search, Step]:
    """Return the next step, and the search with the verdicts that needed nobody.

    Args:
        graph: as for `find_rest`.
        search: with a bad commit of the graph and a good one.
        block_of: gives the digest of what a commit renders.
    """
    while True:
        rest = find_rest(graph, search)
        if rest.bad != search.bad:
            search = search.judge(Judged(BAD, rest.bad, search.block_of(search.bad), same=True))
        ask, known = _choose(rest, search, block_of)
        if known is None:
            return search._replace(current=ask), Step(ask, rest)
        search = search.judge(known)


def _choose(
    rest: Rest, search: Search, block_of: Callable[[str], str]
) -> tuple[str, Judged | None]:
    """Return the commit to ask for, or a verdict that follows from one on the same block."""
    for id_ in rest.choices:
        if id_ in search.skipped:
            continue
        block = block_of(id_)
        verdict = search.verdict_on(block)
        if not verdict:
            return id_, None
        if verdict != SKIP:
            return "", Judged(verdict, id_, block, same=True)
    return "", None
