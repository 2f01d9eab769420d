"""Going through what waits, one by one, with a person: the frame of every `review`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from vault_cli.cli.invocation import Invocation
from vault_cli.cli.output import View
from vault_cli.errors import NeedsPersonError, VaultError

Item = TypeVar("Item")
SKIPPED = "skipped"


@dataclass(frozen=True, slots=True)
class Walk(Generic[Item]):
    """How one kind of review speaks.

    Args:
        ask: asks about one item, given its place (`(1/3)`): what was decided, `skipped`, "" when
            nothing is to be noted of it, or None to end the review.
        line: an item as a line for who cannot be asked.
        shown: what `--json` says of items that wait.
        told: what `--json` says of items that were decided.
        rest: the end of the summary, from how many were not looked at and how many still wait.
        nothing: what is said when nothing waits.
        waits: the word behind the number of items, where nobody can be asked.
        hint: what to do there instead.
    """

    ask: Callable[[Item, str], str | None]
    line: Callable[[Item], Any]
    shown: Callable[[Iterable[Item]], list[dict[str, Any]]]
    told: Callable[[Iterable[Item]], list[Any]]
    rest: Callable[[int, int], str]
    nothing: str
    waits: str
    hint: str


def go_through(inv: Invocation, items: Sequence[Item], walk: Walk[Item]) -> int:
    """Ask about each item until a person ends it; what was decided stays.

    Raises:
        NeedsPersonError: something waits, and nobody is at a terminal.
    """
    if not items:
        return inv.out.show(View(_data(walk, {}, ()), notes=(walk.nothing,)))
    if not inv.is_person:
        inv.out.partial = _data(walk, {}, items)
        inv.out.lines(map(walk.line, items))
        raise NeedsPersonError(
            f"review needs a person at a terminal; {len(items)} {walk.waits}", hint=walk.hint
        )
    done: dict[str, list[Item]] = {}
    try:
        for number, item in enumerate(items, 1):
            verdict = walk.ask(item, f"({number}/{len(items)})")
            if verdict is None:
                break
            if verdict:
                done.setdefault(verdict, []).append(item)
    except KeyboardInterrupt:
        inv.out.say(_summary(walk, done, items))
        raise
    data = _data(walk, done, _left(done, items))
    return inv.out.show(View(data, notes=(_summary(walk, done, items),)))


def ask_about(
    inv: Invocation, question: str, steps: Mapping[str, Callable[[], str]], usage: Sequence[str]
) -> str | None:
    """Ask about one item until a step decides it.

    Args:
        inv: the run.
        question: with the keys that may be pressed.
        steps: by key; each gives what was decided, "" when nothing was.
        usage: what the keys do, for any other one.

    Returns:
        What was decided, `skipped`, or None to end the review.
    """
    while True:
        answer = inv.out.ask(question).lower()
        if answer == "q" or inv.out.ended:
            return None
        if answer == "s":
            return SKIPPED
        if answer not in steps:
            inv.out.preview(usage)
        elif verdict := try_step(inv, steps[answer]):
            return verdict


def try_step(inv: Invocation, step: Callable[[], str]) -> str:
    """Do one step; an expected error is shown, and the question comes again as for ""."""
    try:
        return step()
    except VaultError as error:
        inv.out.error_text(error)
        return ""


def _left(done: Mapping[str, Sequence[Item]], items: Sequence[Item]) -> list[Item]:
    """Return what still waits: what nobody decided, skipped or not looked at."""
    decided = [item for what, found in done.items() if what != SKIPPED for item in found]
    return [item for item in items if not any(item is other for other in decided)]


def _summary(walk: Walk[Item], done: Mapping[str, Sequence[Item]], items: Sequence[Item]) -> str:
    said = ", ".join(f"{len(found)} {what}" for what, found in done.items()) or "nothing decided"
    unseen = len(items) - sum(map(len, done.values()))
    return said + walk.rest(unseen, len(_left(done, items)))


def _data(
    walk: Walk[Item], done: Mapping[str, Sequence[Item]], left: Sequence[Item]
) -> dict[str, Any]:
    return {
        "decided": {what: walk.told(found) for what, found in done.items()},
        "waiting": walk.shown(left),
        "counts": {**{what: len(found) for what, found in done.items()}, "waiting": len(left)},
    }
