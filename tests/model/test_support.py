from __future__ import annotations

from types import MappingProxyType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vault_cli.model.record import Kind, Record, Snapshot, Status
from vault_cli.model.support import NO_SUPPORT, ORPHANED, WEAKENED, judge_support

EVENT = {"id": "e1", "type": "session-event", "session": "s", "start": "1", "end": "2"}
HASH = "0a" * 32


def record(
    key: str, *rests_on: str, status: str = "active", kind: str = "fact", **more: Any
) -> Record:
    fields = MappingProxyType(more.pop("fields", {}))
    return Record(key, Kind(kind), f"memories/{key}.md", "", Status(status), key, "T.\n",
                  derived_from=rests_on, fields=fields, **more)  # fmt: skip


def states(*records: Record, **more: Any) -> dict[str, str]:
    snapshot = Snapshot(records=records, **more)
    return {key: support.state for key, support in judge_support(snapshot).items()}


def test_a_record_that_rests_on_nothing_is_intact() -> None:
    assert states(record("a"), record("b", status="deprecated")) == {}


@pytest.mark.parametrize("status", sorted(NO_SUPPORT))
def test_support_is_lost_with_the_standing_of_a_record(status: str) -> None:
    found = judge_support(Snapshot(records=(record("a", "b"), record("b", status=status))))
    assert found["a"].state == ORPHANED
    assert found["a"].lost == (("b", status),)
    assert found["a"].describe() == f"b is {status}"


@pytest.mark.parametrize("status", sorted(set(Status) - NO_SUPPORT))
def test_a_record_that_stands_supports(status: str) -> None:
    assert states(record("a", "b"), record("b", status=status)) == {}


def test_some_support_left_is_weakened() -> None:
    assert states(record("a", "b", "gone"), record("b")) == {"a": WEAKENED}
    outside = record("a", "gone", fields={"evidence": [EVENT]})
    assert states(outside) == {"a": WEAKENED}


def test_it_goes_on_through_others() -> None:
    chain = (record("a", "b"), record("b", "c"), record("c", "d"), record("d", status="rejected"))
    assert states(*chain) == dict.fromkeys("abc", ORPHANED)
    half = (record("a", "b"), record("b", "c", "e"), record("c", "gone"), record("e"))
    assert states(*half) == {"a": WEAKENED, "b": WEAKENED, "c": ORPHANED}
    found = judge_support(Snapshot(records=half))
    assert found["a"].weak == ("b",)
    assert found["a"].describe() == "b is weakened itself"
    assert found["b"].lost == (("c", "orphaned"),)


def test_records_that_only_rest_on_each_other_are_orphaned() -> None:
    ring = (record("a", "b"), record("b", "c"), record("c", "a"))
    assert states(*ring) == dict.fromkeys("abc", ORPHANED)
    held = (record("a", "b", "d"), record("b", "c"), record("c", "a"), record("d"))
    assert states(*held) == {}
    assert states(record("a", "a")) == {"a": ORPHANED}
    assert (
        "the record itself" in judge_support(Snapshot(records=(record("a", "a"),)))["a"].describe()
    )


def test_a_task_is_a_record_like_others() -> None:
    task = {"id": "e1", "type": "task", "task": "t-1"}
    resting = record("a", fields={"evidence": [task]})
    assert states(resting, record("t-1", kind="task")) == {}
    assert states(resting, record("t-1", kind="task", status="disputed")) == {"a": ORPHANED}
    assert states(resting) == {"a": ORPHANED}


def test_malformed_evidence_supports_nothing_and_loses_nothing() -> None:
    broken = {"id": "e1", "type": "session-event", "session": "s"}
    assert states(record("a", "gone", fields={"evidence": [broken]})) == {"a": ORPHANED}
    assert states(record("a", fields={"evidence": [broken]})) == {}


def test_what_is_no_loss() -> None:
    decision = record("d", "a", kind="decision")
    turned_down = record("a", "gone", status="rejected")
    assert states(decision, turned_down) == {"a": ORPHANED}, "the decision itself stands"
    assert states(decision, record("a", status="deprecated")) == {"d": ORPHANED}
    version = record("b", "a", supersedes=("a",))
    assert states(version, record("a", status="superseded")) == {}
    skill = record("k", "c", kind="skill")
    recipe = record("c", status="superseded", fields={"superseded_by": "k"})
    assert states(skill, recipe) == {}
    assert states(record("a", "x1"), record("b", aliases=("x1",))) == {}
    twice = (record("b"), Record("b", Kind.FACT, "b2.md", "", Status.ACTIVE, "b", ""))
    assert states(record("a", "b"), *twice) == {}, "which of the two is meant, nobody knows"
    unreadable = ("memories/2026-11/some-note-7k3qd2m.md",)
    assert states(record("a", "f-7k3qd2m"), unreadable=unreadable) == {}


def test_only_those_asked_for_are_judged() -> None:
    a, b, c = record("a", "gone"), record("b", "a"), record("c", "gone")
    found = judge_support(Snapshot(records=(a, b, c)), (b,))
    assert {key: support.state for key, support in found.items()} == {"b": ORPHANED}


NAMES = "abcdef"
nets = st.dictionaries(
    st.sampled_from(NAMES),
    st.tuples(
        st.lists(st.sampled_from(NAMES + "z"), max_size=3, unique=True),
        st.sampled_from(["active", "active", "candidate", "deprecated"]),
        st.booleans(),
    ),
)


@given(net=nets, order=st.randoms(use_true_random=False))
def test_the_rule_is_the_least_fixed_point_in_any_order(net: Any, order: Any) -> None:
    """Against the rule as it is written down, tried until nothing changes."""
    outside = {"evidence": [EVENT]}
    records = [
        record(key, *links, status=status, fields=outside if seen else {})
        for key, (links, status, seen) in net.items()
    ]
    order.shuffle(records)
    stands = {r.id for r in records if r.status not in NO_SUPPORT}
    grounded: set[str] = set()
    while True:
        more = {
            key
            for key, (links, _, seen) in net.items()
            if seen or not links or any(name in grounded and name in stands for name in links)
        }
        if more == grounded:
            break
        grounded = more
    weak = {
        key
        for key, (links, _, _) in net.items()
        if any(name not in stands or name not in grounded for name in links)
    }
    for _ in NAMES:
        weak |= {k for k, (links, _, _) in net.items() if any(n in weak & stands for n in links)}
    expected = {
        k: ORPHANED if k not in grounded else WEAKENED for k in weak | (set(net) - grounded)
    }
    assert states(*records) == expected


def test_ten_thousand_records_in_a_row_need_no_stack() -> None:
    chain = [record(f"r{n}", f"r{n + 1}") for n in range(10_000)]
    assert len(states(*chain)) == 10_000
    assert states(*chain, record("r10000")) == {}
