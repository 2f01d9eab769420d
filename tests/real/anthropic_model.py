"""A scripted model that speaks the Messages API as Claude Code calls it. Standard library only.

`python anthropic_model.py SCRIPT RECORD PORT`: SCRIPT is a JSON list of turns, one for each request
of the agent itself (one that offers the tool Bash); RECORD gets one JSON line for each request:
`{"path", "body", "at", "side"}`. A turn is a list of steps, each one of

- `{"say": TEXT}`: a text of the model;
- `{"run": COMMAND}`: a call of Bash;
- `{"call": NAME, "input": {...}}`: a call of any other tool.

A request beside the work (a title, a summary, a count of tokens) is answered by a short text. When
the script is at its end, every further request is answered by `{"say": "done"}`, so that a loop
shows as too many requests and ends.
"""

from __future__ import annotations

import json
import sys
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

MOST_REQUESTS = 200
"""After these nothing is answered any more: a loop ends the run instead of the machine."""

END: list[dict[str, Any]] = [{"say": "done"}]
SIDE: list[dict[str, Any]] = [{"say": "A short title"}]


class Script:
    """The turns that are left, and what was asked so far."""

    def __init__(self, script: Path, record: Path) -> None:
        self._turns: list[list[dict[str, Any]]] = json.loads(script.read_text("utf-8"))
        self._record = record
        self._lock = threading.Lock()
        self._taken = 0
        self.asked = 0

    def next_turn(self, *, side: bool) -> list[dict[str, Any]]:
        """Return the next turn and count it."""
        with self._lock:
            self.asked += 1
            if side:
                return SIDE
            turn = self._turns[self._taken] if self._taken < len(self._turns) else END
            self._taken += 1
            return turn

    def note(self, path: str, body: object, *, side: bool) -> None:
        """Write a request down."""
        told = {"path": path, "body": body, "at": time.time(), "side": side}
        with self._lock, self._record.open("a", encoding="utf-8") as file:
            file.write(json.dumps(told, ensure_ascii=False) + "\n")


def blocks_of(turn: list[dict[str, Any]], number: int) -> Iterator[dict[str, Any]]:
    """Yield the content blocks of a turn; ids are made of its number."""
    for place, step in enumerate(turn):
        if "say" in step:
            yield {"type": "text", "text": step["say"]}
            continue
        given = {"command": step["run"]} if "run" in step else step.get("input", {})
        name = step.get("call", "Bash")
        yield {"type": "tool_use", "id": f"toolu_{number}_{place}", "name": name, "input": given}


def message_of(turn: list[dict[str, Any]], number: int, model: str) -> dict[str, Any]:
    """Return the whole answer to one request."""
    blocks = list(blocks_of(turn, number))
    uses_tool = any(block["type"] == "tool_use" for block in blocks)
    return {
        "id": f"msg_{number}",
        "type": "message",
        "role": "assistant",
        "model": model,
        "content": blocks,
        "stop_reason": "tool_use" if uses_tool else "end_turn",
        "stop_sequence": None,
        "usage": {"input_tokens": 100, "output_tokens": 10},
    }


def events_of(message: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the events of the stream that gives one answer."""
    begun = {**message, "content": [], "stop_reason": None}
    yield {"type": "message_start", "message": begun}
    for index, block in enumerate(message["content"]):
        is_text = block["type"] == "text"
        start = {**block, "text": ""} if is_text else {**block, "input": {}}
        yield {"type": "content_block_start", "index": index, "content_block": start}
        given = "" if is_text else json.dumps(block["input"], ensure_ascii=False)
        delta = (
            {"type": "text_delta", "text": block["text"]}
            if is_text
            else {"type": "input_json_delta", "partial_json": given}
        )
        yield {"type": "content_block_delta", "index": index, "delta": delta}
        yield {"type": "content_block_stop", "index": index}
    ended = {"stop_reason": message["stop_reason"], "stop_sequence": None}
    yield {"type": "message_delta", "delta": ended, "usage": {"output_tokens": 10}}
    yield {"type": "message_stop"}


class Handler(BaseHTTPRequestHandler):
    """Answers `POST /v1/messages` out of the script, and nothing else."""

    script: Script

    def do_POST(self) -> None:
        """Answer a request for a turn; one for anything else is refused, and written down."""
        raw = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        try:
            body = json.loads(raw or b"null")
        except ValueError:
            body = None
        path = self.path.partition("?")[0]
        tools = body.get("tools") or () if isinstance(body, dict) else ()
        side = not any(tool.get("name") == "Bash" for tool in tools)
        self.script.note(path, body, side=side)
        if path.endswith("/count_tokens"):
            self._answer({"input_tokens": 100})
        elif path != "/v1/messages" or not body or self.script.asked >= MOST_REQUESTS:
            self.send_error(404)
        else:
            turn = self.script.next_turn(side=side)
            message = message_of(turn, self.script.asked, str(body.get("model", "")))
            self._stream(message) if body.get("stream") else self._answer(message)

    def do_GET(self) -> None:
        """Refuse; nothing that is asked so is needed."""
        self.script.note(self.path, None, side=True)
        self.send_error(404)

    do_HEAD = do_GET  # noqa: N815 - the name that `http.server` looks for

    def _answer(self, data: dict[str, Any]) -> None:
        raw = json.dumps(data, ensure_ascii=False).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(raw)))
        self.end_headers()
        self.wfile.write(raw)

    def _stream(self, message: dict[str, Any]) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.end_headers()
        for event in events_of(message):
            data = json.dumps(event, ensure_ascii=False)
            self.wfile.write(f"event: {event['type']}\ndata: {data}\n\n".encode())

    def log_message(self, *_: object) -> None:
        """Say nothing; the record holds it."""


def main(script: str, record: str, port: str) -> None:
    """Serve until the process is ended."""
    Handler.script = Script(Path(script), Path(record))
    server = ThreadingHTTPServer(("127.0.0.1", int(port)), Handler)
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    server.serve_forever()


if __name__ == "__main__":
    main(*sys.argv[1:])
