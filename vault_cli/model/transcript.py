"""What happened in an agent's session, in the same words for every host. Standard library only."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final, Literal, NamedTuple

EventKind = Literal["session", "turn", "user", "agent", "thought", "call", "result", "compaction"]

NO_INPUT: Final[Mapping[str, Any]] = MappingProxyType({})


class Event(NamedTuple):
    """One thing that happened, as a reader of session logs gives it.

    Args:
        kind: `user` is what a person typed, and nothing else that stands in the user's role;
            `agent` what the model said; `thought` what it only thought, where the log has it;
            `call` and `result` one use of a tool; `turn` the start of another one; `compaction`
            a place where the context was cut.
        place: where it stands in its session, as evidence names it: the host's own number, else
            the number of the line in the log; numbers grow.
        at: ISO instant, "" when the log does not say.
        text: what was said; of a result what the tool answered.
        tool: the host's name of the tool (`call`, `result`).
        call: id that joins a call and its result.
        failed: whether a call failed; None when the log does not tell.
        exit_code: of a command, None when the log does not tell.
        input: what the tool was given; a command stands under `command`, as one text.
    """

    kind: EventKind
    place: int
    at: str = ""
    text: str = ""
    tool: str = ""
    call: str = ""
    failed: bool | None = None
    exit_code: int | None = None
    input: Mapping[str, Any] = NO_INPUT


class Session(NamedTuple):
    """Which session a log is of, as far as its first lines say.

    Args:
        host: name of the agent program.
        id: its own id of the session, "" when it is not known.
        cwd: the folder the session began in.
        version: of the program that wrote the log.
        is_subagent: an agent started it: what stands in the user's role was written by an agent.
    """

    host: str
    id: str = ""
    cwd: str = ""
    version: str = ""
    is_subagent: bool = False
