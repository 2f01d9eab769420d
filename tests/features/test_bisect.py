"""Halving a history: any graph, any blocks; the same answer as looking at every commit."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil, log2
from typing import NamedTuple

from hypothesis import given
from hypothesis import strategies as st

from vault_cli.features.bisect import (
    BAD,
    GOOD,
    SKIP,
    Commit,
    Judged,
    Rest,
    Search,
    find_rest,
    find_step,
    is_left,
)


class History(NamedTuple):
    graph: list[Commit]
    blocks: dict[str, str]
    bad: frozenset[str]
    origins: frozenset[str]

    @property
    def by_id(self) -> dict[str, Commit]:
        return {commit.id: commit for commit in self.graph}


@st.composite
def histories(draw: st.DrawFn, *, linear: bool = False) -> History:
    """Graphs with merges; who descends from a bad commit is bad; some commits change nothing."""
    count = draw(st.integers(2, 25))
    parents: list[tuple[int, ...]] = [()]
    for place in range(1, count):
        main = place - 1 if linear else draw(st.integers(max(0, place - 4), place - 1))
        others = draw(st.sets(st.integers(0, place - 1), max_size=0 if linear else 1)) - {main}
        parents.append((main, *others))
    origins = draw(st.sets(st.integers(1, count - 1), min_size=1, max_size=1 if linear else 2))
    bad: set[int] = set()
    trees, blocks = ["t0"], {"t0": f"good {draw(st.integers(0, 2))}"}
    for place in range(1, count):
        if place in origins or bad & set(parents[place]):
            bad.add(place)
        same = [p for p in parents[place] if (p in bad) == (place in bad)]
        if same and draw(st.booleans()):
            trees.append(trees[same[0]])
        else:
            trees.append(f"t{place}")
            word = "bad" if place in bad else "good"
            blocks[trees[-1]] = f"{word} {draw(st.integers(0, 2))}"
    graph = [
        Commit(f"c{n}", tuple(f"c{p}" for p in parents[n]), trees[n],
               trees[n] not in {trees[p] for p in parents[n]})
        for n in reversed(range(count))
    ]  # fmt: skip
    return History(
        graph,
        {f"c{n}": blocks[trees[n]] for n in range(count)},
        frozenset(f"c{n}" for n in bad),
        frozenset(f"c{n}" for n in origins),
    )


def first_bad(history: History, start: str) -> set[str]:
    """All commits that `start` reaches and that are bad while no parent is."""
    by_id, found, waiting = history.by_id, set(), [start]
    seen: set[str] = set()
    while waiting:
        id_ = waiting.pop()
        if id_ in seen:
            continue
        seen.add(id_)
        if id_ in history.bad and not history.bad & set(by_id[id_].parents):
            found.add(id_)
        waiting += by_id[id_].parents
    return found


def hunt(history: History, bad: str, skipped: frozenset[str] = frozenset()) -> tuple[Rest, int]:
    """Search as the command does; return the end and how many blocks were judged."""
    blocks = history.blocks
    search = Search({}).judge(Judged(BAD, bad, blocks[bad]), Judged(GOOD, "c0", blocks["c0"]))
    graph = [commit for commit in history.graph if commit.id != "c0"]
    for asked in range(len(history.graph) + 1):
        search, step = find_step(graph, search, blocks.__getitem__)
        if not step.ask:
            return step.rest, asked
        assert step.ask == search.current
        assert is_left(graph, search, step.ask)
        verdict = BAD if step.ask in history.bad else GOOD
        if blocks[step.ask] in skipped:
            verdict = SKIP
        search = search.judge(Judged(verdict, step.ask, blocks[step.ask]))
    raise AssertionError("it does not end")


def bad_ends(history: History) -> Sequence[str]:
    return sorted(history.bad)


@given(histories(), st.data())
def test_it_finds_what_a_walk_over_every_commit_finds(
    history: History, data: st.DataObject
) -> None:
    end = data.draw(st.sampled_from(bad_ends(history)))
    rest, _ = hunt(history, end)
    assert not rest.choices
    assert rest.bad in first_bad(history, end)
    if len(first_bad(history, end)) == 1:
        assert {rest.bad} == first_bad(history, end)


@given(histories(linear=True))
def test_a_line_takes_no_more_steps_than_its_length_allows(history: History) -> None:
    end = history.graph[0].id
    rest, asked = hunt(history, end)
    changes = sum(commit.changes for commit in history.graph)
    assert {rest.bad} == first_bad(history, end)
    assert asked <= ceil(log2(changes + 1))
    distinct = len(set(history.blocks.values()) - {history.blocks["c0"], history.blocks[end]})
    assert asked <= distinct


@given(histories(), st.data())
def test_skipped_blocks_leave_the_answer_among_those_left(
    history: History, data: st.DataObject
) -> None:
    end = data.draw(st.sampled_from(bad_ends(history)))
    free = set(history.blocks.values()) - {history.blocks["c0"], history.blocks[end]}
    skipped = frozenset(data.draw(st.sets(st.sampled_from(sorted(free)))) if free else ())
    rest, _ = hunt(history, end, skipped)
    assert {rest.bad, *rest.choices} & first_bad(history, end)
    assert all(history.blocks[id_] in skipped for id_ in rest.choices)


def test_an_old_text_that_a_merge_brought_back_is_the_merge_itself() -> None:
    graph = [
        Commit("m", ("g", "x"), "t1", changes=False),
        Commit("x", ("b",), "t1", changes=True),
    ]
    search = Search({}).judge(Judged(BAD, "m", "old"), Judged(GOOD, "g", "new"))
    rest = find_rest(graph, search)
    assert (rest.bad, rest.choices) == ("x", ())
    evil = [Commit("m", ("g", "b"), "t1", changes=False)]
    assert find_rest(evil, search) == Rest("m", ())
