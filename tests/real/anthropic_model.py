"""A scripted model that speaks the Anthropic Messages API on loopback. Standard library only.

    python anthropic_model.py SCRIPT RECORD [PORT]

SCRIPT is a JSON list of turns; a turn is a list of blocks, `{"text": T}` or
`{"tool": NAME, "input": {...}}`. Each request that brings tools gets the next turn, and a plain
"Done." when none is left. A request for a summary (a compaction) gets one; one without tools (a
title, a probe) gets "ok": neither takes a turn. RECORD gets one JSON line a request: `path`,
`body` and `kind`.
"""

from __future__ import annotations

import json
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Final

PORT: Final = 8765
SUMMARY: Final = "<analysis>a</analysis>\n<summary>The work so far was looked at.</summary>"

_ASKS_FOR_SUMMARY: Final = "Your task is to create a detailed summary of"


class Script:
    """The turns that are left, and the file that takes down what was asked."""

    def __init__(self, turns: list[list[dict[str, Any]]], record: Path) -> None:
        self._turns = iter(turns)
        self._record = record
        self._lock = threading.Lock()
        self._calls = 0

    def answer(self, path: str, body: dict[str, Any]) -> list[dict[str, Any]]:
        """Return the blocks that answer a request, and take the request down."""
        with self._lock:
            kind = _kind_of(path, body)
            with self._record.open("a", encoding="utf-8") as file:
                file.write(json.dumps({"path": path, "kind": kind, "body": body}) + "\n")
            if kind == "summary":
                return [{"type": "text", "text": SUMMARY}]
            if kind != "turn":
                return [{"type": "text", "text": "ok"}]
            return [self._block(block) for block in next(self._turns, [{"text": "Done."}])]

    def _block(self, block: dict[str, Any]) -> dict[str, Any]:
        if "text" in block:
            return {"type": "text", "text": block["text"]}
        self._calls += 1
        call = f"toolu_{self._record.stem}_{self._calls:04}"
        return {"type": "tool_use", "id": call, "name": block["tool"], "input": block["input"]}


def _kind_of(path: str, body: dict[str, Any]) -> str:
    if "count_tokens" in path:
        return "count"
    messages = body.get("messages") or [{}]
    if _ASKS_FOR_SUMMARY in json.dumps(messages[-1], ensure_ascii=False):
        return "summary"
    return "turn" if body.get("tools") else "other"


def _events(model: str, blocks: list[dict[str, Any]]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the events of a streamed answer."""
    message = _message(model, [], None)
    yield "message_start", {"type": "message_start", "message": message}
    for index, block in enumerate(blocks):
        is_text = block["type"] == "text"
        empty = {**block, "text": ""} if is_text else {**block, "input": {}}
        delta = (
            {"type": "text_delta", "text": block["text"]}
            if is_text
            else {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
        )
        yield "content_block_start", {
            "type": "content_block_start", "index": index, "content_block": empty,
        }  # fmt: skip
        yield "content_block_delta", {"type": "content_block_delta", "index": index, "delta": delta}
        yield "content_block_stop", {"type": "content_block_stop", "index": index}
    yield (
        "message_delta",
        {
            "type": "message_delta",
            "delta": {"stop_reason": _stop_reason(blocks), "stop_sequence": None},
            "usage": {"output_tokens": 10},
        },
    )
    yield "message_stop", {"type": "message_stop"}


def _stop_reason(blocks: list[dict[str, Any]]) -> str:
    return "tool_use" if any(block["type"] == "tool_use" for block in blocks) else "end_turn"


def _message(model: str, blocks: list[dict[str, Any]], reason: str | None) -> dict[str, Any]:
    return {
        "id": "msg_scripted",
        "type": "message",
        "role": "assistant",
        "model": model,
        "content": blocks,
        "stop_reason": reason,
        "stop_sequence": None,
        "usage": {"input_tokens": 100, "output_tokens": 1},
    }


class Handler(BaseHTTPRequestHandler):
    """One request."""

    protocol_version = "HTTP/1.1"
    script: Script

    def do_POST(self) -> None:
        """Answer by the script, streamed where that is asked for."""
        body = json.loads(self.rfile.read(int(self.headers.get("content-length", 0))) or b"{}")
        blocks = self.script.answer(self.path, body)
        if "/messages" not in self.path:
            self._send({})
        elif "count_tokens" in self.path:
            self._send({"input_tokens": 100})
        elif body.get("stream"):
            self._stream(body.get("model", ""), blocks)
        else:
            self._send(_message(body.get("model", ""), blocks, _stop_reason(blocks)))

    def do_GET(self) -> None:
        """Whatever else is asked for is not there."""
        self._send({"type": "error", "error": {"type": "not_found_error", "message": "no"}}, 404)

    def do_HEAD(self) -> None:
        """Whether anybody listens is asked this way."""
        self._send({}, 404)

    def _send(self, data: dict[str, Any], code: int = 200) -> None:
        raw = json.dumps(data).encode()
        self.send_response(code)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(raw)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(raw)

    def _stream(self, model: str, blocks: list[dict[str, Any]]) -> None:
        raw = "".join(
            f"event: {name}\ndata: {json.dumps(data)}\n\n" for name, data in _events(model, blocks)
        ).encode()
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("content-length", str(len(raw)))
        self.end_headers()
        self.wfile.write(raw)

    def log_message(self, *_args: object) -> None:
        """Say nothing."""


def main(argv: list[str]) -> None:
    """Listen until killed."""
    turns = json.loads(Path(argv[0]).read_text(encoding="utf-8"))
    Handler.script = Script(turns, Path(argv[1]))
    server = ThreadingHTTPServer(("127.0.0.1", int(argv[2]) if len(argv) > 2 else PORT), Handler)
    print("listening", flush=True)
    server.serve_forever()


if __name__ == "__main__":
    main(sys.argv[1:])
