"""A scripted model that speaks OpenAI Chat Completions and Gemini. Standard library only.

`python chat_model.py SCRIPT RECORD PORT`: SCRIPT is a JSON list of turns, one for each request of
the agent itself; RECORD gets one JSON line for each request, `{"path", "body", "turn"}`. A turn is
a list of steps, each `{"say": TEXT}` or `{"call": TOOL, "arguments": {...}}`. A request without
tools is one of the program's own (a title, a summary, which model to take): it is answered by a
fixed text and takes no turn. After the script every request gets `{"say": "done"}`, so that a loop
shows as too many requests, and ends.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from scripted import QuietHandler, serve

MOST_REQUESTS = 100
"""After these nothing is answered any more: a loop ends the run instead of the machine."""

Turn = list[dict[str, Any]]


class Script:
    """The turns that are left, and what was asked so far."""

    def __init__(self, script: Path, record: Path) -> None:
        self._turns: list[Turn] = json.loads(script.read_text("utf-8"))
        self._record = record
        self._lock = threading.Lock()
        self.asked = 0

    def answer(self, path: str, body: dict[str, Any]) -> tuple[int, Turn]:
        """Write a request down, and return its number and what it is answered."""
        with self._lock:
            number = -1
            turn: Turn = [{"say": "A title"}]
            if body.get("tools"):
                number = self.asked
                turn = self._turns[number] if number < len(self._turns) else [{"say": "done"}]
                self.asked += 1
            line = json.dumps({"path": path, "body": body, "turn": number}, ensure_ascii=False)
            with self._record.open("a", encoding="utf-8") as file:
                file.write(line + "\n")
        return number, turn


def chat_chunks(number: int, turn: Turn) -> Iterator[dict[str, Any]]:
    """Yield the chunks of a Chat Completions stream."""
    head = {"id": f"chat-{number}", "object": "chat.completion.chunk", "created": 1, "model": "m"}
    calls = [step for step in turn if "call" in step]
    for step in turn:
        if "say" in step:
            delta: dict[str, Any] = {"role": "assistant", "content": step["say"]}
            yield head | {"choices": [{"index": 0, "delta": delta, "finish_reason": None}]}
    for index, step in enumerate(calls):
        made = {"name": step["call"], "arguments": _json(step.get("arguments", {}))}
        call = {"index": index, "id": f"call_{number}_{index}", "type": "function"}
        delta = {"role": "assistant", "tool_calls": [call | {"function": made}]}
        yield head | {"choices": [{"index": 0, "delta": delta, "finish_reason": None}]}
    usage = {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110}
    end = {"index": 0, "delta": {}, "finish_reason": "tool_calls" if calls else "stop"}
    yield head | {"choices": [end], "usage": usage}


def chat_answer(number: int, turn: Turn) -> dict[str, Any]:
    """Return the answer to a request that wants no stream."""
    text = "".join(step.get("say", "") for step in turn)
    message = {"role": "assistant", "content": text}
    choice = {"index": 0, "message": message, "finish_reason": "stop"}
    usage = {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110}
    return {"id": f"chat-{number}", "object": "chat.completion", "created": 1, "model": "m",
            "choices": [choice], "usage": usage}  # fmt: skip


def gemini_answer(turn: Turn) -> dict[str, Any]:
    """Return the one chunk of a Gemini stream, which is also its answer without one."""
    parts: list[dict[str, Any]] = []
    for step in turn:
        if "say" in step:
            parts.append({"text": step["say"]})
        else:
            call = {"name": step["call"], "args": step.get("arguments", {})}
            parts.append({"functionCall": call})
    usage = {"promptTokenCount": 100, "candidatesTokenCount": 10, "totalTokenCount": 110}
    said = {"role": "model", "parts": parts}
    return {"candidates": [{"index": 0, "content": said, "finishReason": "STOP"}],
            "usageMetadata": usage}  # fmt: skip


class Handler(QuietHandler):
    """Answers out of the script, in the words of whoever asks."""

    script: Script

    def do_POST(self) -> None:  # noqa: N802 - the name is the library's
        """Answer a request of one of the two protocols; anything else is refused."""
        raw = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        path = self.path.partition("?")[0]
        known = path.endswith(("/chat/completions", "GenerateContent", ":generateContent"))
        if not known or self.script.asked >= MOST_REQUESTS:
            self.send_error(404)
            return
        body = json.loads(raw)
        number, turn = self.script.answer(path, body)
        if path.endswith("/chat/completions"):
            streams = body.get("stream")
            chunks = chat_chunks(number, turn) if streams else iter((chat_answer(number, turn),))
        else:
            streams = path.endswith(":streamGenerateContent")
            chunks = iter((gemini_answer(turn),))
        self._send(chunks, "[DONE]" if path.endswith("completions") else "", streams=bool(streams))

    def _send(self, chunks: Iterator[dict[str, Any]], last: str, *, streams: bool) -> None:
        lines = [_json(chunk) for chunk in chunks]
        if streams:
            text = "".join(f"data: {line}\n\n" for line in [*lines, *([last] if last else [])])
        else:
            text = lines[0]
        data = text.encode("utf-8")
        self.send_response(200)
        kind = "text/event-stream" if streams else "application/json"
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def begin(script: Path, record: Path) -> None:
    """Take the turns from a file."""
    Handler.script = Script(script, record)


if __name__ == "__main__":
    serve(Handler, begin)
