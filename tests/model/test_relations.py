"""Walks over what records name, against the plain definition of what is reached."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from vault_cli.model.relations import find_circle, find_circles, reach

_IDS = "abcdef"
_NETS = st.dictionaries(
    st.sampled_from(_IDS), st.lists(st.sampled_from(_IDS), max_size=3).map(tuple), max_size=6
)


def links(net: Mapping[str, tuple[str, ...]], name: str) -> tuple[str, ...]:
    return net.get(name, ())


def closure(net: Mapping[str, tuple[str, ...]], starts: tuple[str, ...]) -> set[str]:
    found = set(starts)
    for _ in _IDS:
        found |= {target for name in found for target in net.get(name, ())}
    return found


def test_what_is_reached_comes_depth_first_and_once() -> None:
    net = {"a": ("b", "c"), "b": ("d",), "c": ("d", "a")}
    assert list(reach("a", lambda name: links(net, name))) == ["a", "b", "d", "c"]


@given(_NETS, st.lists(st.sampled_from(_IDS), max_size=3))
def test_all_is_reached_and_nothing_else(
    net: dict[str, tuple[str, ...]], starts: list[str]
) -> None:
    found = list(reach(starts, lambda name: links(net, name)))
    assert len(found) == len(set(found))
    assert set(found) == closure(net, tuple(starts))


@given(_NETS, st.sampled_from(_IDS))
def test_a_circle_is_found_exactly_when_something_leads_back(
    net: dict[str, tuple[str, ...]], start: str
) -> None:
    circle = find_circle(start, lambda name: links(net, name))
    assert bool(circle) == (start in closure(net, net.get(start, ())))
    if circle:
        assert circle[0] == circle[-1] == start
        assert all(b in net[a] for a, b in pairwise(circle))


@given(_NETS)
def test_a_net_has_circles_exactly_when_one_of_its_members_leads_back(
    net: dict[str, tuple[str, ...]],
) -> None:
    others = {name: tuple(t for t in ids if t != name) for name, ids in net.items()}
    circles = find_circles(net, lambda name: links(net, name))
    assert bool(circles) == any(name in closure(others, ids) for name, ids in others.items())
    for circle in circles:
        assert circle[0] == circle[-1]
        assert all(b in others[a] for a, b in pairwise(circle))


def test_a_long_chain_needs_no_recursion() -> None:
    net = {str(number): (str(number + 1),) for number in range(20_000)} | {"20000": ("0",)}
    assert len(find_circle("0", lambda name: links(net, name))) == 20_002
    assert len(find_circles(net, lambda name: links(net, name))) == 1
