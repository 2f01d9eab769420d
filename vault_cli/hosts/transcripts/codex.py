"""Session logs of Codex: `$CODEX_HOME/sessions/YYYY/MM/DD/rollout-<time>-<uuid>.jsonl`.

Seen from 0.171; older shapes as public notes describe them: results as JSON text or as words,
`event_msg/user_message` for a prompt, and bare items before there was an envelope.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from vault_cli.hosts.transcripts.parts import (
    Calls,
    as_map,
    as_text,
    command_text,
    instant,
    joined,
    read_arguments,
    texts_in,
)
from vault_cli.hosts.transcripts.stream import Line
from vault_cli.model.transcript import Event, Session
from vault_cli.text.exit_words import exit_code_in, output_of

HOST: Final = "codex"
CHECKED: Final = (0, 171)

_PLAIN: Final = frozenset({"turn_context", "world_state", "token_usage_record", "ghost_snapshot"})
_BARE: Final = frozenset(
    {"message", "function_call", "function_call_output", "reasoning", "local_shell_call",
     "custom_tool_call", "custom_tool_call_output"}
)  # fmt: skip
"""Items that stood in a line of their own before there was an envelope."""

_INJECTED: Final = (
    "# AGENTS.md instructions", "<environment_context>", "<hook_prompt", "<user_instructions>",
    "<INSTRUCTIONS>", "<turn_aborted>", "<skill>", "<user_shell_command", "<subagent_notification",
    "<goal_context>", "<permissions instructions>",
)  # fmt: skip
_WAIT: Final = "write_stdin"
_RUNNING: Final = re.compile(r"^Process running with session ID (\d{1,12})$", re.MULTILINE)
_NOT_RUN: Final = ("Command blocked by PreToolUse hook", "exec command rejected by user")
_FAILED: Final = frozenset({"failed", "error"})
_ENDED: Final = frozenset({"completed", "failed", "error", "success"})


class Reader:
    """Reads the lines of one rollout in order.

    A prompt stands in it twice, as an item for the model and as an event. Items in the user's role
    also carry what Codex adds, so the events count; only a log without any event is read by items.
    """

    def __init__(self, path: Path) -> None:
        self.session = Session(HOST, path.stem)
        self._calls = Calls()
        self._running: dict[int, str] = {}
        """The call that began each command that goes on, by the number it was given."""
        self._begun_by: dict[str, str] = {}
        """That call, by the one that waited for the command's end."""
        self._has_events = False
        self._by_agent = False

    def begin(self, first: list[Line], *, resumed: bool) -> None:  # noqa: ARG002 - the readers are alike
        """Take what the first lines say about the session, wherever the reading goes on."""
        self._has_events = any(line.data.get("type") == "event_msg" for line in first)
        for line in first[:1]:
            self._meet(line.data)

    def read(self, line: Line) -> Iterator[Event] | None:
        """Return what happened in a line, None for a line of a kind that is not known."""
        data = line.data
        kind, payload = data.get("type"), as_map(data.get("payload"))
        number = data.get("ordinal")
        place = number if type(number) is int and number >= 0 else line.number
        at = instant(data.get("timestamp"))
        if kind == "event_msg":
            return self._event(place, at, payload)
        if kind == "response_item":
            return self._item(place, at, payload)
        if kind == "compacted":
            return iter((Event("compaction", place, at),))
        if kind == "session_meta":
            self._meet(data)
            return iter(())
        if kind in _BARE:
            return self._item(place, at, data)
        bare_head = kind is None and ("id" in data or data.get("record_type") == "state")
        return iter(()) if kind in _PLAIN or bare_head else None

    def _meet(self, data: Mapping[str, Any]) -> None:
        """Read the head: an envelope, or in old logs the bare object. A fork keeps its first."""
        meta = as_map(data.get("payload")) or data
        own = as_text(meta.get("session_id")) or as_text(meta.get("id"))
        if not own or self.session.cwd:
            return
        thread = meta.get("thread_source")
        self.session = Session(
            HOST,
            own,
            as_text(meta.get("cwd")),
            as_text(meta.get("cli_version")),
            is_subagent=_is_subagent(meta.get("source")) or thread not in (None, "", "user"),
        )

    def _event(self, place: int, at: str, data: Mapping[str, Any]) -> Iterator[Event]:
        kind = data.get("type")
        if kind == "task_started":
            turn = as_map(data.get("turn_attribution"))
            self._by_agent = bool(turn.get("initiating_agent_path") or turn.get("parent_turn_id"))
            yield Event("turn", place, at)
        elif kind == "user_message" and data.get("kind") in (None, "", "plain"):
            yield from self._user(place, at, as_text(data.get("message")))
        elif kind == "agent_message":
            yield Event("agent", place, at, as_text(data.get("message")))
        elif kind in ("context_compacted", "compaction"):
            yield Event("compaction", place, at)
        elif kind == "item_completed":
            yield from self._completed(place, at, as_map(data.get("item")))

    def _user(self, place: int, at: str, text: str) -> Iterator[Event]:
        if self._by_agent or self.session.is_subagent or text.lstrip().startswith(_INJECTED):
            return
        if text.strip():
            yield Event("user", place, at, text.strip())

    def _completed(self, place: int, at: str, item: Mapping[str, Any]) -> Iterator[Event]:
        kind = item.get("type")
        if kind == "UserMessage":
            yield from self._user(place, at, joined(texts_in(item.get("content"), "text")))
        elif kind == "AgentMessage":
            yield Event("agent", place, at, joined(texts_in(item.get("content"), "text")))
        elif item.get("status") in _ENDED and "id" in item:
            yield from self._ended(place, at, item)

    def _ended(self, place: int, at: str, item: Mapping[str, Any]) -> Iterator[Event]:
        """A command or another tool that came to its end: the one place with the exit code."""
        code = item.get("exit_code")
        number = code if type(code) is int else None
        text = as_text(item.get("aggregated_output")) or joined(texts_in(item.get("content")))
        error = item.get("error")
        given = {"command": command_text(item["command"])} if "command" in item else {}
        event = Event(
            "result",
            place,
            at,
            text or as_text(as_map(error).get("message") or error),
            tool=_item_tool(item),
            call=as_text(item.get("id")),
            failed=item.get("status") in _FAILED or number not in (None, 0),
            exit_code=number,
            input=given,
        )
        done = self._calls.end(event)
        if done is not None:
            yield done

    def _item(self, place: int, at: str, item: Mapping[str, Any]) -> Iterator[Event]:
        kind = item.get("type")
        if kind == "message" and not self._has_events:
            yield from self._message(place, at, item)
        elif kind in ("function_call", "custom_tool_call", "local_shell_call"):
            event = self._calls.begin(_call(place, at, item))
            if event is not None:
                self._follow(event)
                yield event
        elif kind in ("function_call_output", "custom_tool_call_output"):
            yield from self._output(place, at, item)
        elif kind == "reasoning":
            text = joined([*texts_in(item.get("summary")), *texts_in(item.get("content"))])
            if text:
                yield Event("thought", place, at, text)

    def _follow(self, call: Event) -> None:
        """Note whose end a call waits for: one command is one result, however often it is asked."""
        number = call.input.get("session_id") if call.tool == _WAIT else None
        if type(number) is int and number in self._running:
            self._begun_by[call.call] = self._running[number]

    def _message(self, place: int, at: str, item: Mapping[str, Any]) -> Iterator[Event]:
        for text in texts_in(item.get("content")):
            if item.get("role") == "user":
                yield from self._user(place, at, text)
            elif item.get("role") == "assistant":
                yield Event("agent", place, at, text)

    def _output(self, place: int, at: str, item: Mapping[str, Any]) -> Iterator[Event]:
        text, code, failed = read_output(item.get("output"))
        call = as_text(item.get("call_id"))
        call = self._begun_by.get(call, call)
        running = _RUNNING.search(text[:400]) if code is None and failed is None else None
        if running is not None:  # it goes on; its end is another line
            self._running[int(running[1])] = call
            return
        event = Event("result", place, at, text, call=call, failed=failed, exit_code=code)
        done = self._calls.end(event)
        if done is not None:
            yield done


def _is_subagent(source: Any) -> bool:
    return isinstance(source, dict) or (isinstance(source, str) and "agent" in source.lower())


def _item_tool(item: Mapping[str, Any]) -> str:
    if "command" in item:
        return "exec_command"
    server, tool = as_text(item.get("server")), as_text(item.get("tool"))
    return f"mcp__{server}__{tool}" if server and tool else as_text(item.get("type"))


def _call(place: int, at: str, item: Mapping[str, Any]) -> Event:
    name = as_text(item.get("name")) or ("shell" if item.get("action") else "")
    if "action" in item:
        given = read_arguments(dict(as_map(item["action"])))
    elif item.get("type") == "custom_tool_call":
        given = {"input": as_text(item.get("input"))}
    else:
        given = read_arguments(item.get("arguments"))
    call = as_text(item.get("call_id")) or as_text(item.get("id"))
    return Event("call", place, at, tool=name, call=call, input=given)


def read_output(output: Any) -> tuple[str, int | None, bool | None]:
    """Read a tool's output in any of its forms: words, JSON text, an object, a list of blocks.

    Returns:
        The text, the exit code and whether it failed; None for what it does not say.
    """
    success = None
    if isinstance(output, dict):
        said = output.get("success")
        success = said if isinstance(said, bool) else None
        output = output.get("content", output.get("output"))
    text = output if isinstance(output, str) else joined(texts_in(output))
    if text.startswith("{"):
        try:
            data = as_map(json.loads(text))
        except (ValueError, RecursionError):
            data = {}
        code = as_map(data.get("metadata")).get("exit_code")
        if type(code) is int:
            return as_text(data.get("output")), code, code != 0
    if text.startswith(_NOT_RUN):
        return as_text(text), None, None
    code = exit_code_in(text[:2000])
    failed = code != 0 if code is not None else None if success is None else not success
    return as_text(output_of(text)), code, failed
