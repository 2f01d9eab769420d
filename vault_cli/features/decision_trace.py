"""What was decided in a session, in the words of those who took part. A planner: values in and out.

Kept are a person's requests and corrections, and what the agent said outwardly; of a turn in which
it said nothing a little of what it thought (L-08). Of tools only the number of failed calls is
told: a reflection is about decisions, not about how tools are used. May import `model`, `text`,
`recall`, `hook`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final, NamedTuple

from vault_cli.features.reflection import Place
from vault_cli.hook.fingerprint import choose_lines
from vault_cli.hook.tools import canonical
from vault_cli.model.transcript import Event
from vault_cli.recall.echo import Echo
from vault_cli.text.corrections import find_correction
from vault_cli.text.scan import mask_secrets, scan_wording

REQUEST, CORRECTION, STATEMENT, FAILURES = "request", "correction", "statement", "failures"
THOUGHT = "thought"

MOST_STEPS: Final = 40
MOST_OWN: Final = 600
"""Characters of one step that are shown."""

MOST_THOUGHTS: Final = 2
MOST_THOUGHT: Final = 240
"""So many, and characters of each, stand for a turn in which nothing was said outwardly."""

_ORDERS: Final = frozenset({"injection"})
"""What is asked of a text that is shown: an "understood" is no memory, and may be said."""

_CHANGES: Final = frozenset({"edit", "write"})


class Step(NamedTuple):
    """One step of a trace.

    Args:
        id: what it is cited with (`T3`).
        kind: `request`, `correction`, `statement`, `thought`, `failures` (failed calls in a row).
        start, end: where it stands in its session.
        text: what was said, without secrets and without what mvault said; of `failures` the first
            line of each; "" when it reads like an attack.
        failed: failed calls it stands for.
        cut: characters that are not shown.
    """

    id: str
    kind: str
    start: str
    end: str
    text: str
    failed: int = 0
    cut: int = 0

    @property
    def place(self) -> Place:
        """Where it stands, as a run keeps it."""
        return Place(self.id, self.start, self.end)


class Trace(NamedTuple):
    """A session, or a part of it.

    Args:
        steps: what is shown, in order.
        left_out: steps that are not shown, for want of room.
        calls, failed: tool calls, and how many of them failed.
        changes: calls that changed a file.
        start, end: first and last place, "" of an empty trace.
    """

    steps: tuple[Step, ...]
    left_out: int
    calls: int
    failed: int
    changes: int
    start: str
    end: str

    @property
    def is_empty(self) -> bool:
        """Whether nothing was said and nothing failed: there is nothing to reflect on."""
        return not self.steps


class Window(NamedTuple):
    """A part of a session: between two instants, or two places; None is open."""

    since: datetime | None = None
    until: datetime | None = None
    first: int | None = None
    last: int | None = None

    def holds(self, event: Event) -> bool:
        """Tell whether an event lies in it; one without an instant goes by its place only."""
        if self.first is not None and event.place < self.first:
            return False
        if self.last is not None and event.place > self.last:
            return False
        at = read_instant(event.at)
        if at is None:
            return True
        return not ((self.since and at < self.since) or (self.until and at > self.until))


def read_instant(text: str) -> datetime | None:
    """Return an ISO instant, None for anything else or one without a zone."""
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        return None
    return found if found.tzinfo else None


@dataclass(slots=True)
class _Seen:
    echo: Echo
    steps: list[Step] = field(default_factory=list)
    errors: list[tuple[int, str]] = field(default_factory=list)
    acted: bool = False
    said: str = ""
    spoke: bool = False
    thoughts: list[Event] = field(default_factory=list)
    calls: int = 0
    failed: int = 0
    changes: int = 0


def trace_of(events: Iterable[Event], echo: Echo, window: Window = Window()) -> Trace:  # noqa: B008 - a constant
    """Return the decision trace of a session.

    Args:
        events: of one session, in order.
        echo: what mvault said itself; it is left out.
        window: which part of it.
    """
    seen = _Seen(echo)
    first = last = ""
    for event in events:
        if not window.holds(event):
            continue
        if event.kind in ("user", "agent", "call", "result"):
            first, last = first or str(event.place), str(event.place)
        _take(seen, event)
    _close_errors(seen)
    _close_thoughts(seen)
    shown, left = _choose(seen.steps)
    named = tuple(step._replace(id=f"T{number}") for number, step in enumerate(shown, 1))
    return Trace(named, left, seen.calls, seen.failed, seen.changes, first, last)


def _take(seen: _Seen, event: Event) -> None:
    if event.kind == "user":
        _close_errors(seen)
        _close_thoughts(seen)
        own = seen.echo.without(event.text).strip()
        if own:
            is_correction = find_correction(
                own, first=not seen.acted, asked=seen.said.rstrip().endswith(("?", "？"))
            )
            _say(seen, CORRECTION if is_correction else REQUEST, event, own)
    elif event.kind == "agent":
        seen.acted, seen.said = True, event.text or seen.said
        own = seen.echo.without(event.text).strip()
        if own:
            seen.spoke = True
            _close_errors(seen)
            _say(seen, STATEMENT, event, own)
    elif event.kind == "thought":
        seen.thoughts.append(event)
    elif event.kind == "call":
        seen.acted = True
        seen.calls += 1
        seen.changes += canonical(event.tool) in _CHANGES
    elif event.kind == "result" and event.failed:
        seen.failed += 1
        line = next(iter(choose_lines(event.text)), "") if event.text else ""
        seen.errors.append((event.place, seen.echo.without(line)))


def _say(seen: _Seen, kind: str, event: Event, text: str) -> None:
    shown, cut = presentable(text)
    place = str(event.place)
    seen.steps.append(Step("", kind, place, place, shown, cut=cut))


def presentable(text: str, most: int = MOST_OWN) -> tuple[str, int]:
    """Return a text of a session as an agent may be shown it, and how many characters are cut.

    Secrets and numbers of persons are masked; a text that reads like an attack is "".
    """
    if any(hit.finding.holds for hit in scan_wording({}, text, gates=_ORDERS)):
        return "", len(text)
    whole = mask_secrets(text, personal=True)
    if len(whole) <= most:
        return whole, 0
    head, tail = most * 2 // 3, most // 3
    return f"{whole[:head]} … {whole[-tail:]}", len(whole) - head - tail


def _close_errors(seen: _Seen) -> None:
    if not seen.errors:
        return
    lines = dict.fromkeys(presentable(text, 160)[0] for _, text in seen.errors)
    text = "\n".join(line for line in list(lines)[:3] if line)
    start, end = str(seen.errors[0][0]), str(seen.errors[-1][0])
    seen.steps.append(Step("", FAILURES, start, end, text, failed=len(seen.errors)))
    seen.errors.clear()


def _close_thoughts(seen: _Seen) -> None:
    """End a turn: where the agent said nothing outwardly, its last thoughts stand for that."""
    kept = [] if seen.spoke else seen.thoughts[-MOST_THOUGHTS:]
    for event in kept:
        own = seen.echo.without(event.text).strip()
        text, cut = presentable(own, MOST_THOUGHT)
        place = str(event.place)
        if text:
            seen.steps.append(Step("", THOUGHT, place, place, text, cut=cut))
    if kept:  # failures of the turn were noted before
        seen.steps.sort(key=lambda step: int(step.start))
    seen.thoughts.clear()
    seen.spoke = False


def _choose(steps: Sequence[Step]) -> tuple[list[Step], int]:
    """Keep what a person said, then the statements that are nearest to it, in order."""
    if len(steps) <= MOST_STEPS:
        return list(steps), 0
    ranked = sorted(range(len(steps)), key=lambda place: _rank(steps, place))
    kept = sorted(ranked[:MOST_STEPS])
    return [steps[place] for place in kept], len(steps) - len(kept)


def _rank(steps: Sequence[Step], place: int) -> tuple[int, int]:
    step = steps[place]
    following = steps[place + 1].kind if place + 1 < len(steps) else REQUEST
    if step.kind == CORRECTION:
        return 0, -place
    if step.kind == REQUEST:
        return 1, -place
    answered = following in (REQUEST, CORRECTION)
    return (
        2 if answered and step.kind == STATEMENT else 3 if step.kind == STATEMENT else 4
    ), -place


def last_turn(events: Sequence[Event]) -> Iterator[Event]:
    """Yield the events of the last turn that holds a prompt of a person."""
    starts = [place for place, event in enumerate(events) if event.kind == "user"]
    yield from events[starts[-1] :] if starts else ()
