"""What a session may teach: corrections, failures, and what worked after a failure. A planner.

Values in, values out: events of a session become findings; nothing is read, counted or written
here. May import `model`, `text`, `recall`, `hook`.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from vault_cli.hook.fingerprint import choose_lines, fingerprint
from vault_cli.hook.tools import canonical, field_text
from vault_cli.model.transcript import Event
from vault_cli.recall.echo import Echo
from vault_cli.recall.match import letters
from vault_cli.text.corrections import find_correction
from vault_cli.text.exit_words import with_code
from vault_cli.text.late import late
from vault_cli.text.tokens import tokenize

CORRECTION: Final = "correction"
ERROR: Final = "repeated-error"
FIXED: Final = "failed-then-fixed"
KINDS: Final = (CORRECTION, ERROR, FIXED)

MAX_TEXT: Final = 2000
MAX_CONTEXT: Final = 400
MAX_CORRECTIONS: Final = 40
"""Corrections of one session that are kept; more are no longer read by anyone."""

REACH: Final = 12
"""Calls after a failure within which another one may be what fixed it."""

_PROMPTS: Final = 2
"""Prompts of a person that may lie between a failure and what fixed it."""

_SHARE: Final = 0.5
"""Part of the words of the shorter of two commands that they share when they have one goal."""

_OWN: Final = late(r"(?:^|[;&|]\s*|\s)(?:uvx? |pipx run |python3? -m )?(?:mvault|vault_cli)\b")
_CALLERS: Final = frozenset(
    word
    for words in (
        "bash sh zsh sudo env time nohup timeout echo set export source exec xargs null true",
        "python python3 py node npx bunx bun deno pnpm yarn npm uv uvx poetry pipx pip git make",
        "just task cargo go gradle mvn docker compose kubectl helm run script command",
        "and then with the in for use using",
    )
    for word in words.split()
)
"""Words of a command that say who does it, and not what it is for."""

_MOVES: Final = late(r"(?:^|[;&|]\s*)(?:cd|pushd|source|export)\s+[^;&|]*(?:&&|;|$)")
_PATHS: Final = frozenset({"edit", "write", "read"})
NOTHING: Final[Mapping[str, Any]] = MappingProxyType({})

Benign = Callable[[str, str, str, int | None], bool]
"""Tells of a failed call (tool, command, what it said, exit code) that it was no failure."""


class Finding(NamedTuple):
    """One thing seen in a session.

    Args:
        kind: one of `KINDS`.
        key: equal for equal findings of any session (16 hex digits).
        text: what is kept of it.
        start, end: where it stands in the session, as evidence names it.
        at: ISO instant of its end, "" when the log does not say.
        detail: more about it, texts and numbers by name.
        is_echo: all of it stands in what mvault says: it is worth a sighting of an item that is
            there already, since a person may say a thing again, and never an item of its own.
    """

    kind: str
    key: str
    text: str
    start: str
    end: str
    at: str
    detail: Mapping[str, Any] = NOTHING
    is_echo: bool = False


@dataclass(slots=True)
class _Failure:
    """A call that failed and that nothing has fixed yet; `error` is what it said."""

    error: str
    exit_code: int | None
    command: str
    tool: str
    words: frozenset[str]
    calls: int = 0
    prompts: int = 0
    tries: int = 1
    start: int = 0


@dataclass(slots=True)
class _Session:
    """What is remembered while the events of a session are read."""

    echo: Echo
    from_hooks: bool
    prompts: int = 0
    corrections: int = 0
    turn: int = -1
    said: str = ""
    last: str = ""
    acted: bool = False
    open: list[_Failure] = field(default_factory=list)


def find_all(
    events: Iterable[Event],
    echo: Echo,
    *,
    is_benign: Benign | None = None,
    from_hooks: bool = False,
) -> Iterator[Finding]:
    """Yield what a session may teach, in the order of its events.

    Args:
        events: of one session; prompts are those of a person.
        echo: what mvault said itself; it is never a finding.
        is_benign: tells of a failed call that it was no failure; None: all are.
        from_hooks: places are Unix times, written as instants.
    """
    seen = _Session(echo, from_hooks)
    for event in events:
        if event.kind == "user":
            yield from _read_prompt(seen, event)
        elif event.kind == "agent":
            seen.said, seen.acted = event.text or seen.said, True
        elif event.kind == "call":
            seen.acted = True
            seen.last = _describe(event)
        elif event.kind == "result":
            yield from _read_result(seen, event, is_benign)


def _place(seen: _Session, place: int) -> str:
    if not seen.from_hooks:
        return str(place)
    from datetime import UTC, datetime

    return datetime.fromtimestamp(place, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def make_key(*parts: str) -> str:
    """Return the name of a finding by what it says, 16 hex digits."""
    whole = "\0".join(parts).encode("utf-8", "surrogatepass")
    return hashlib.sha256(whole).hexdigest()[:16]


def _read_prompt(seen: _Session, event: Event) -> Iterator[Finding]:
    before, seen.turn = seen.turn, event.place
    first = not seen.acted
    seen.prompts += 1
    for failure in seen.open:
        failure.prompts += 1
    if len(event.text) <= MAX_CONTEXT and find_correction(event.text) is None:
        return  # too short for a block that hides one
    own = seen.echo.without(event.text)
    is_echo = not own and len(event.text) <= MAX_CONTEXT
    said = event.text.strip() if is_echo else own
    found = find_correction(said, first=first, asked=_asks(seen.said))
    if found is None or seen.corrections >= MAX_CORRECTIONS:
        return
    seen.corrections += not is_echo
    detail = {
        "how": found.kind,
        "sentence": found.sentence[:MAX_TEXT],
        "agent": seen.echo.without(seen.said)[-MAX_CONTEXT:],
        "call": seen.last[:MAX_CONTEXT],
    }
    start = before if before >= 0 else event.place
    yield Finding(
        CORRECTION,
        make_key(CORRECTION, letters(said)),
        said[:MAX_TEXT],
        _place(seen, start),
        _place(seen, event.place),
        event.at,
        MappingProxyType(detail),
        is_echo,
    )


def _asks(said: str) -> bool:
    return said.rstrip(" \n*_`)").endswith(("?", "？"))


def _read_result(seen: _Session, event: Event, is_benign: Benign | None) -> Iterator[Finding]:
    tool, command = canonical(event.tool), command_of(event)
    if event.failed is None or (tool == "shell" and _OWN.search(command)):
        return
    for failure in seen.open:
        failure.calls += 1
    if not event.failed:
        yield from _match_success(seen, event, tool, command)
        return
    text = _own_error(seen, event.text)
    if not text.strip() or (is_benign and is_benign(tool, command, text, event.exit_code)):
        return
    yield _failure(seen, event, tool, command, text)
    _note_failure(seen, event, tool, command, text)


def _own_error(seen: _Session, text: str) -> str:
    """Return what a tool said without what mvault said; "" when nothing else is left.

    Only the lines that say what went wrong are looked at: an output may be long.
    """
    telling = "\n".join(choose_lines(text))
    own = seen.echo.without(telling)
    return text if own == telling.strip() else own


def command_of(event: Event) -> str:
    """Return what a tool was asked to do, as one text."""
    return field_text(canonical(event.tool), dict(event.input))[:MAX_TEXT]


def _describe(event: Event) -> str:
    return f"{event.tool}: {command_of(event)}"


def _failure(seen: _Session, event: Event, tool: str, command: str, text: str) -> Finding:
    name, template = fingerprint(tool, with_code(text, event.exit_code))
    detail = {
        "tool": tool,
        "command": command[:MAX_CONTEXT],
        "template": template[:MAX_TEXT],
        "exit_code": event.exit_code,
    }
    place = _place(seen, event.place)
    shown = "\n".join(choose_lines(text))[:MAX_TEXT]
    return Finding(ERROR, name, shown, place, place, event.at, MappingProxyType(detail))


def _note_failure(seen: _Session, event: Event, tool: str, command: str, text: str) -> None:
    words = goal_words(tool, command, event)
    start, tries = event.place, 1
    for old in list(seen.open):
        if old.tool == tool and _one_goal(old, words, tool):
            start, tries = min(start, old.start), tries + old.tries
            seen.open.remove(old)
    seen.open.append(
        _Failure(text, event.exit_code, command, tool, words, tries=tries, start=start)
    )
    _forget_old(seen)


def _forget_old(seen: _Session) -> None:
    seen.open = [f for f in seen.open if f.calls < REACH and f.prompts <= _PROMPTS]


def _match_success(seen: _Session, event: Event, tool: str, command: str) -> Iterator[Finding]:
    _forget_old(seen)
    words = goal_words(tool, command, event)
    for failure in reversed(seen.open):
        if failure.tool != tool or not _one_goal(failure, words, tool):
            continue
        seen.open.remove(failure)
        if failure.command.split() != command.split():
            yield _fixed(seen, failure, event, command)
        return


def _one_goal(failure: _Failure, words: frozenset[str], tool: str) -> bool:
    """Tell whether two calls of one tool are for the same: most words of the shorter are shared."""
    shared = failure.words & words
    if not shared or not words or not failure.words:
        return False
    if tool in _PATHS:
        return failure.words == words
    return len(shared) >= _SHARE * min(len(words), len(failure.words))


def goal_words(tool: str, command: str, event: Event) -> frozenset[str]:
    """Return the words that say what a call is for: of its command and its description.

    Of a tool that works on a file it is the file. A compound name counts by its parts too, and a
    tool that is named after its task (`pytest`) by the task.
    """
    if tool in _PATHS:
        return frozenset({command.strip()} if command.strip() else ())
    said = event.input.get("description")
    whole = _MOVES.sub(" ", command) if tool == "shell" else command
    if isinstance(said, str) and tool == "shell":
        whole = f"{whole}\n{said}"
    words: set[str] = set()
    for word in tokenize(re.sub(r"[/\\.:=_@-]+", " ", whole)):
        if word in _CALLERS or word.isdigit() or len(word) < 2:  # noqa: PLR2004 - a lone letter
            continue
        words.add(_TASKS.get(word, word))
    return frozenset(words)


_TASKS: Final = {
    program: task
    for task, programs in {
        "test": "pytest jest vitest unittest nose tox ctest spec tests",
        "lint": "ruff eslint flake8 pylint clippy",
        "type": "tsc mypy pyright typecheck",
        "format": "prettier black fmt gofmt rustfmt",
    }.items()
    for program in programs.split()
}
"""Programs that are named after nothing, by what they do."""


def _fixed(seen: _Session, failure: _Failure, event: Event, command: str) -> Finding:
    name, template = fingerprint(failure.tool, with_code(failure.error, failure.exit_code))
    detail = {
        "tool": failure.tool,
        "failed": failure.command[:MAX_CONTEXT],
        "error": "\n".join(choose_lines(failure.error))[:MAX_CONTEXT],
        "template": template[:MAX_CONTEXT],
        "worked": command[:MAX_CONTEXT],
        "tries": failure.tries,
    }
    text = f"{detail['failed']}\n{detail['error']}\n-> {detail['worked']}"
    return Finding(
        FIXED,
        make_key(FIXED, name, letters(command)),
        text[:MAX_TEXT],
        _place(seen, failure.start),
        _place(seen, event.place),
        event.at,
        MappingProxyType(detail),
    )
