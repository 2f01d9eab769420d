"""A scripted model that speaks the Responses API as Codex calls it. Standard library only.

`python responses_model.py SCRIPT RECORD PORT`: SCRIPT is a JSON list of turns, one for each request
for an answer; RECORD gets one JSON line for each request: `{"path", "body", "at"}`. A turn is a list
of steps, each one of

- `{"say": TEXT}`: a message of the model;
- `{"run": COMMAND}`: a shell call (`exec_command`);
- `{"patch": TEXT}`: an `apply_patch` call;
- `{"code": JAVASCRIPT}`: a program that calls tools itself (what newer models are given);
- `{"tools": WORDS}`: a search for tools, which older models must do before they call those of MCP;
- `{"call": NAME, "namespace": SERVER, "arguments": {...}}`: any other function, also of an MCP server.

The text `$session` in a step is replaced by the number of the shell session that still runs.

When the script is at its end every further request is answered by `{"say": "done"}`, so that a loop
shows as too many requests and ends.
"""

from __future__ import annotations

import json
import re
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from scripted import QuietHandler, serve

MOST_REQUESTS = 200
"""After these nothing is answered any more: a loop ends the run instead of the machine."""

END: list[dict[str, Any]] = [{"say": "done"}]


class Script:
    """The turns that are left, and what was asked so far."""

    def __init__(self, script: Path, record: Path) -> None:
        self._turns: list[list[dict[str, Any]]] = json.loads(script.read_text("utf-8"))
        self._record = record
        self._lock = threading.Lock()
        self.asked = 0

    def next_turn(self) -> list[dict[str, Any]]:
        """Return the next turn and count it."""
        with self._lock:
            turn = self._turns[self.asked] if self.asked < len(self._turns) else END
            self.asked += 1
            return turn

    def note(self, path: str, raw: bytes) -> None:
        """Write a request down."""
        try:
            body = json.loads(raw or b"null")
        except ValueError:
            body = raw.decode("utf-8", "replace")
        line = json.dumps({"path": path, "body": body, "at": time.time()}, ensure_ascii=False)
        with self._lock, self._record.open("a", encoding="utf-8") as file:
            file.write(line + "\n")


def items_of(turn: list[dict[str, Any]], number: int) -> Iterator[dict[str, Any]]:
    """Yield the output items of a turn.

    Args:
        turn: its steps.
        number: of the turn; ids are made of it.
    """
    for place, step in enumerate(turn):
        name = f"{number}_{place}"
        if "say" in step:
            content = [{"type": "output_text", "text": step["say"], "annotations": []}]
            yield {"type": "message", "id": f"msg_{name}", "role": "assistant", "content": content}
        elif "patch" in step or "code" in step:
            tool = "apply_patch" if "patch" in step else "exec"
            yield {
                "type": "custom_tool_call",
                "id": f"ctc_{name}",
                "call_id": f"call_{name}",
                "name": tool,
                "input": step.get("patch") or step["code"],
            }
        elif "tools" in step:
            yield {
                "type": "tool_search_call",
                "id": f"tsc_{name}",
                "call_id": f"call_{name}",
                "execution": "client",
                "status": "completed",
                "arguments": {"query": step["tools"], "limit": 30},
            }
        else:
            given = {"cmd": step["run"]} if "run" in step else step.get("arguments", {})
            call = {
                "type": "function_call",
                "id": f"fc_{name}",
                "call_id": f"call_{name}",
                "name": step.get("call", "exec_command"),
                "arguments": json.dumps(given, ensure_ascii=False),
            }
            yield call | ({"namespace": step["namespace"]} if "namespace" in step else {})


def with_session(turn: list[dict[str, Any]], asked: str) -> list[dict[str, Any]]:
    """Return a turn with the number of the shell session that was named last in a request."""
    numbers = re.findall(r'session ID (\d+)\W|session_id\\*":(\d+),', asked)
    number = "".join(numbers[-1]) if numbers else ""
    text = json.dumps(turn).replace('"$session"', number or "0").replace("$session", number)
    found: list[dict[str, Any]] = json.loads(text)
    return found


def events_of(turn: list[dict[str, Any]], number: int, model: str) -> Iterator[dict[str, Any]]:
    """Yield the events of the stream that answers one request."""
    response: dict[str, Any] = {"id": f"resp_{number}", "object": "response", "model": model}
    yield {"type": "response.created", "response": {**response, "status": "in_progress"}}
    items = list(items_of(turn, number))
    for index, item in enumerate(items):
        yield {"type": "response.output_item.added", "output_index": index, "item": item}
        yield {"type": "response.output_item.done", "output_index": index, "item": item}
    usage = {
        "input_tokens": 100,
        "input_tokens_details": {"cached_tokens": 0},
        "output_tokens": 10,
        "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": 110,
    }
    done = {**response, "status": "completed", "output": items, "usage": usage}
    yield {"type": "response.completed", "response": done}


class Handler(QuietHandler):
    """Answers `POST .../responses` out of the script, and nothing else."""

    script: Script

    def do_POST(self) -> None:  # noqa: N802 - the name is the library's
        """Answer a request for a turn; one for anything else is refused, and written down."""
        raw = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        self.script.note(self.path, raw)
        if not self.path.rstrip("/").endswith("/responses") or self.script.asked >= MOST_REQUESTS:
            self.send_error(404)
            return
        body = json.loads(raw)
        turn = with_session(self.script.next_turn(), raw.decode("utf-8", "replace"))
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.end_headers()
        for event in events_of(turn, self.script.asked, body.get("model", "")):
            data = json.dumps(event, ensure_ascii=False)
            self.wfile.write(f"event: {event['type']}\ndata: {data}\n\n".encode())

    def do_GET(self) -> None:  # noqa: N802 - the name is the library's
        """Refuse; the list of models, which Codex asks for, is not needed."""
        self.script.note(self.path, b"")
        self.send_error(404)


def begin(script: Path, record: Path) -> None:
    """Take the turns from a file."""
    Handler.script = Script(script, record)


if __name__ == "__main__":
    serve(Handler, begin)
