"""How far a long piece of work has come, for whoever wants to show it. Standard library only.

Work reports what it is at; unless somebody follows (`cli.progress`, at a terminal), that is all.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TypeVar

Follow = Callable[[str, int, int], None]
"""Takes what is done, how many of it are done, and of how many (0: nobody knows)."""

_Item = TypeVar("_Item")
_EVERY = 16
_followers: list[Follow] = []


def follow(told: Follow | None) -> None:
    """Let somebody be told from now on; None: nobody."""
    _followers[:] = [] if told is None else [told]


def report(what: str, done: int = 0, total: int = 0) -> None:
    """Say what is done now, and how much of it."""
    for told in _followers:
        told(what, done, total)


def counted(what: str, items: Sequence[_Item], *, every: int = _EVERY) -> Iterable[_Item]:
    """Return the items as they are; whoever follows is told how many were taken.

    Args:
        what: what is done with them.
        items: what is taken, one by one.
        every: after how many it is told; 1 where each takes long.
    """
    return _count(what, items, every) if _followers else items


def _count(what: str, items: Sequence[_Item], every: int) -> Iterator[_Item]:
    for number, item in enumerate(items):
        if not number % every:
            report(what, number, len(items))
        yield item
