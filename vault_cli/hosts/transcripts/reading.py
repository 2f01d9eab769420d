"""Find the right reader for a session log, and read it. May import its siblings and the model."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any, Final, Protocol

from vault_cli.hosts.transcripts import claude_code, codex, dsh, plain
from vault_cli.hosts.transcripts.parts import version_pair
from vault_cli.hosts.transcripts.stream import Health, Line, LogError, Stream
from vault_cli.model.transcript import Event, Session

__all__ = ["Log", "LogError", "sniff_host"]

_HEAD: Final = 60
"""Lines from the beginning that tell which program wrote a log, and in which shape."""

_MOST_NAMED: Final = 12


class Reader(Protocol):
    """What the reader of one host can do."""

    session: Session

    def begin(self, first: list[Line], *, resumed: bool) -> None:
        """Take what the first lines say, wherever the reading goes on; may raise LogError."""

    def read(self, line: Line) -> Iterator[Event] | None:
        """Return what happened in a line, None for a line of a kind that is not known."""


_READERS: Final[Mapping[str, Callable[[Path], Reader]]] = {
    claude_code.HOST: claude_code.Reader,
    codex.HOST: codex.Reader,
    dsh.HOST: dsh.Reader,
    plain.HOST: plain.Reader,
}
_CHECKED: Final = {claude_code.HOST: claude_code.CHECKED, codex.HOST: codex.CHECKED}


@dataclass(slots=True)
class Log:
    """One log, read from a place on.

    Args:
        path: the file.
        host: name of the program, "" to find out.
        start, line: byte and line to begin at (0 and 1: the beginning).

    What was seen stands in `session`, `skipped` (number of lines by their type), `health`,
    `notes`; `end` is the byte behind the last whole line, `turn` and `turn_line` where the last
    turn but one began, from where the next run goes on.
    """

    path: Path
    host: str = ""
    start: int = 0
    line: int = 1
    session: Session = field(default=Session(""), init=False)
    skipped: Counter[str] = field(default_factory=Counter, init=False)
    health: Health = field(default_factory=Health, init=False)
    notes: list[str] = field(default_factory=list, init=False)
    end: int = field(default=0, init=False)
    turn: int = field(default=0, init=False)
    turn_line: int = field(default=1, init=False)
    _announced: bool = field(default=False, init=False)

    def events(self) -> Iterator[Event]:
        """Yield what happened, in order.

        Raises:
            LogError: it cannot be read, or is no log of a program we know.
        """
        first = list(islice(Stream(self.path).lines(), _HEAD))
        self.host = self.host or sniff_host([line.data for line in first])
        if not self.host:
            raise LogError("it is no session log that is known")
        reader: Reader = _READERS[self.host](self.path)
        reader.begin(first, resumed=self.start > 0)
        self.session = reader.session
        stream = Stream(self.path, self.start, self.line, health=self.health)
        turns = [(self.start, self.line)]
        for line in stream.lines():
            yield from self._read(reader, line, turns)
            self.end = stream.end
        self.end = stream.end
        self.turn, self.turn_line = turns[-2] if len(turns) > 1 else turns[0]
        self._judge()

    def _read(self, reader: Reader, line: Line, turns: list[tuple[int, int]]) -> Iterator[Event]:
        found = reader.read(line)
        if found is None:
            self.skipped[str(line.data.get("type"))[:40]] += 1
            return
        for event in found:
            self.session = reader.session
            self._mark(event, (line.start, line.number), turns)
            yield event
        self.session = reader.session

    def _mark(self, event: Event, place: tuple[int, int], turns: list[tuple[int, int]]) -> None:
        """Note where a turn begins: with its own line, or with the prompt where it has none."""
        if event.kind == "turn" or (event.kind == "user" and not self._announced):
            turns.append(place)
            del turns[:-2]
        if event.kind in ("turn", "user"):
            self._announced = event.kind == "turn"

    def _judge(self) -> None:
        """Say what may be missing."""
        newest, own = _CHECKED.get(self.host), version_pair(self.session.version)
        if newest and own and own > newest:
            checked = ".".join(map(str, newest))
            self.notes.append(f"written by {self.session.version}; checked up to {checked}")
        if self.skipped:
            names = ", ".join(name for name, _ in self.skipped.most_common(_MOST_NAMED))
            self.notes.append(f"{self.skipped.total()} lines of unknown kinds: {names}")
        if self.health.bad:
            self.notes.append(f"{self.health.bad} lines that are no JSON")
        if self.health.damage:
            self.notes.append(self.health.damage)


def sniff_host(first: list[dict[str, Any]]) -> str:
    """Return which program wrote a log, from its first lines; "" when none is known.

    `other` stands for lines of role and content.
    """
    return next(filter(None, map(_host_of, first)), "")


def _host_of(data: dict[str, Any]) -> str:
    kind, keys = data.get("type"), data.keys()
    head = kind == "session" and type(data.get("version")) is int
    if head and keys & {"delegationDepth", "createdAt"}:
        return dsh.HOST
    if kind in _CODEX or (kind is None and keys >= {"id", "timestamp", "instructions"}):
        return codex.HOST
    if keys & {"sessionId", "parentUuid", "leafUuid", "customTitle"} or kind == _SNAPSHOT:
        return claude_code.HOST
    is_plain = kind is None and isinstance(data.get("role"), str) and "content" in data
    return plain.HOST if is_plain else ""


_CODEX: Final = frozenset({"session_meta", "event_msg", "response_item", "turn_context"})
_SNAPSHOT: Final = "file-history-snapshot"
