"""Session logs of DeepSeek Harness: `$DSH_HOME/sessions/--<cwd>--/<id>/session.jsonl[.zstd]`.

Format version 0, as its source describes it. Another version is not read.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from vault_cli.hosts.transcripts.parts import (
    Calls,
    as_map,
    as_text,
    instant,
    joined,
    read_arguments,
    texts_in,
)
from vault_cli.hosts.transcripts.stream import Line, LogError
from vault_cli.model.transcript import Event, EventKind, Session
from vault_cli.text.exit_words import exit_code_in, output_of

HOST: Final = "dsh"
VERSION: Final = 0

_PLAIN: Final = frozenset(
    {"session", "turn/end", "step/start", "step/end", "text-chunks", "reasoning-chunks",
     "tool-call-chunks", "hook/invoked", "hook/result", "feedback/record", "session/title",
     "todo/write", "sandbox/mode", "compaction/start", "compaction/summary"}
)  # fmt: skip

_MARKS: Final[Mapping[Any, EventKind]] = {"turn/start": "turn", "compaction/end": "compaction"}


class Reader:
    """Reads the lines of one session in order."""

    def __init__(self, path: Path) -> None:
        self.session = Session(HOST, path.parent.name)
        self._calls = Calls()
        self._inherited = False
        self._readers: Mapping[str, Callable[[int, str, Mapping[str, Any]], Iterator[Event]]] = {
            "user/message": self._user,
            "assistant/message": _said,
            "tool/call": self._call,
            "tool/result": self._result,
        }

    def begin(self, first: list[Line], *, resumed: bool) -> None:
        """Take what the head says about the session, wherever the reading goes on.

        Raises:
            LogError: the log has another format.
        """
        head = first[0].data if first and first[0].number == 1 else {}
        if head.get("type") != "session":
            raise LogError("its first line is no head of a session")
        if head.get("version") != VERSION:
            raise LogError(f"its format has version {head.get('version')!r}; 0 is read"[:120])
        depth = head.get("delegationDepth")
        agent = head.get("origin") == "subagent" or (type(depth) is int and depth > 0)
        own = as_text(head.get("id")) or self.session.id
        self.session = Session(HOST, own, as_text(head.get("cwd")), "0", is_subagent=agent)
        seeded = head.get("seedLength")
        self._inherited = not resumed and type(seeded) is int and seeded > 0

    def read(self, line: Line) -> Iterator[Event] | None:
        """Return what happened in a line, None for a line of a kind that is not known."""
        data = line.data
        kind, seq = data.get("type"), data.get("seq")
        if kind == "session/end-seed":  # what stands before was taken from another session
            self._inherited = False
        if self._inherited or kind == "session/end-seed":
            return iter(())
        place = seq if type(seq) is int and seq >= 0 else line.number
        at, body = instant(data.get("time")), as_map(data.get("data"))
        if kind in _MARKS:
            return iter((Event(_MARKS[kind], place, at),))
        reader = self._readers.get(str(kind))
        if reader is not None:
            return reader(place, at, body)
        return iter(()) if kind in _PLAIN else None

    def _user(self, place: int, at: str, data: Mapping[str, Any]) -> Iterator[Event]:
        source = as_map(data.get("source")).get("kind")
        text = joined(texts_in(data.get("content"), "text")).strip()
        if source == "user" and not self.session.is_subagent and text:
            yield Event("user", place, at, text)

    def _call(self, place: int, at: str, data: Mapping[str, Any]) -> Iterator[Event]:
        event = self._calls.begin(
            Event(
                "call",
                place,
                at,
                tool=as_text(data.get("name")),
                call=as_text(data.get("callId")),
                input=read_arguments(data.get("arguments")),
            )
        )
        if event is not None:
            yield event

    def _result(self, place: int, at: str, data: Mapping[str, Any]) -> Iterator[Event]:
        message = as_map(data.get("message"))
        content = message.get("content")
        block = as_map(content[0]) if isinstance(content, list) and content else {}
        text = joined(texts_in(block.get("content")))
        call = as_text(block.get("toolCallId")) or as_text(
            as_map(message.get("source")).get("callId")
        )
        code = exit_code_in(text)
        failed = block.get("isError") is True or bool(data.get("error")) or code not in (None, 0)
        event = Event(
            "result", place, at, output_of(text), call=call, failed=failed, exit_code=code
        )
        done = self._calls.end(event)
        if done is not None:
            yield done


def _said(place: int, at: str, data: Mapping[str, Any]) -> Iterator[Event]:
    text = joined(texts_in(as_map(data.get("message")).get("content"), "text"))
    if text:
        yield Event("agent", place, at, text)
