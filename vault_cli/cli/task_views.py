"""Lists of tasks, and one task whole. May import everything below `cli`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from vault_cli.cli.output import Line, inline
from vault_cli.cli.views import UNSEEN

if TYPE_CHECKING:
    from vault_cli.features.tasks import Shown, Task


def shown_words(shown: Shown) -> str:
    """Return in a few words how much had been shown."""
    if not (shown.seen or shown.omitted):
        return "nothing is known to have been shown"
    left = f", {len(shown.omitted)} without room" if shown.omitted else ""
    named = f", {len(shown.named)} by name" if shown.named else ""
    return f"shown: {len(shown.full)} in full, {len(shown.line)} by a line{named}{left}"


_STYLES = {"open": "yellow", "succeeded": "green", "failed": "red"}


def task_line(item: Task) -> Line:
    """Return one line of a list: id, state, day, goal."""
    day = item.started[:10]
    return [
        f"{inline(item.id)}  ",
        (_STYLES.get(item.state, "dim"), f"{item.state:<9}"),
        f"  {day:<10}  {inline(item.record.title)}",
        *([("yellow", f"  ({UNSEEN})")] if item.record.is_unseen else []),
    ]


def whole_lines(item: Task, titles: dict[str, str]) -> Iterator[Line]:
    """Yield a task whole.

    Args:
        item: which.
        titles: of the records there are, by id.
    """
    yield [("bold", inline(item.record.title))]
    yield [item.id, "  ", (_STYLES.get(item.state, "dim"), item.state)]
    if item.record.is_unseen:
        yield [("yellow", UNSEEN)]
    told = {
        "goal": item.goal,
        "expected": item.expected,
        "started": item.started,
        "ended": item.ended,
        "session": item.session,
        "ticket": item.ticket,
        "result": item.result,
    }
    for name, text in told.items():
        if text:
            yield [("dim", f"{name}: "), inline(text)]
    for note in item.checkpoints:
        yield [("dim", f"checkpoint {inline(note.at)}: "), inline(note.text)]
    if item.cited:
        yield [("dim", "used: "), inline(", ".join(item.cited))]
    yield ""
    where = f" (vault at {item.commit[:10]})" if item.commit else ""
    yield [("bold", "Shown when it began"), ("dim", where)]
    yield from _shown_lines(item, titles)


_MOST_NAMED = 12
"""Records that a person reads of one level; the rest are named by id."""


def _shown_lines(item: Task, titles: dict[str, str]) -> Iterator[Line]:
    shown = item.shown
    if not (shown.seen or shown.omitted):
        yield "nothing is known to have been shown"
    labels = {"full": "in full", "line": "by a line", "named": "by name or search"}
    for level, label in labels.items():
        ids = getattr(shown, level)
        if ids:
            yield f"{label}: {len(ids)}"
            yield from (
                f"  {inline(key)}  {inline(titles.get(key, '(not in the vault now)'))}"
                for key in ids[:_MOST_NAMED]
            )
            if len(ids) > _MOST_NAMED:
                yield f"  and {inline(' '.join(ids[_MOST_NAMED:]))}"
    if shown.omitted:
        beyond = shown.uncounted.get("omitted", 0)
        more = f" and {beyond} more" if beyond else ""
        yield f"no room: {len(shown.omitted)}{more}"
        yield f"  {inline(' '.join(shown.omitted[:_MOST_NAMED]))}" + (
            " …" if len(shown.omitted) > _MOST_NAMED else ""
        )
    if item.later:
        yield f"while it went on: {inline(' '.join(item.later))}"
