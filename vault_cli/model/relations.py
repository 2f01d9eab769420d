"""Which records name which: all that is reached from one, and circles. Imports `model` only.

Links are a function from an id to the ids it names, () for one that is not there. Nothing here
recurses; each walk is linear in the links.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Final

from vault_cli.model.record import Record

RELATIONS: Final = ("supersedes", "derived_from", "conflicts")
"""Keys that name other records."""

GRADUATES: Final = "graduates"
"""Key of a proposed skill: id of the recipe that it is made of, or is to follow again."""

Links = Callable[[str], Sequence[str]]


def targets_of(record: Record, key: str) -> tuple[str, ...]:
    """Return the ids that a record names under one of `RELATIONS`."""
    if key == "conflicts":
        return tuple(other for other, _ in record.conflicts)
    return record.supersedes if key == "supersedes" else record.derived_from


def links_by(by_id: Mapping[str, Record], key: str) -> Links:
    """Return the links of records under one of `RELATIONS`."""
    return lambda name: targets_of(by_id[name], key) if name in by_id else ()


def reach(starts: Iterable[str], links: Links) -> Iterator[str]:
    """Yield all that links lead to, each once, the starts among them, depth first and in order."""
    seen: set[str] = set()
    waiting = list(starts)[::-1]
    while waiting:
        current = waiting.pop()
        if current not in seen:
            seen.add(current)
            yield current
            waiting += links(current)[::-1]


def find_circles(starts: Iterable[str], links: Links) -> list[tuple[str, ...]]:
    """Return the circles that are met from `starts`, each once, its first id twice.

    What names itself is not among them.
    """
    return [
        _circle(trail, target)
        for trail, target in _returns(starts, links)
        if target != next(reversed(trail))
    ]


def find_circle(start: str, links: Links) -> tuple[str, ...]:
    """Return a circle through `start` (start twice; also one that names itself), else ()."""
    trails = (trail for trail, target in _returns((start,), links) if target == start)
    return next((_circle(trail, start) for trail in trails), ())


def _returns(starts: Iterable[str], links: Links) -> Iterator[tuple[dict[str, None], str]]:
    """Yield every link back to where the walk came through: the way until there, and its target."""
    done: set[str] = set()
    for start in starts:
        if start in done:
            continue
        trail: dict[str, None] = {start: None}
        stack = [(start, iter(links(start)))]
        while stack:
            current, targets = stack[-1]
            target = next(targets, None)
            if target is None:
                stack.pop()
                del trail[current]
                done.add(current)
            elif target in trail:
                yield trail, target
            elif target not in done:
                trail[target] = None
                stack.append((target, iter(links(target))))


def _circle(trail: dict[str, None], target: str) -> tuple[str, ...]:
    ids = list(trail)
    return (*ids[ids.index(target) :], target)
