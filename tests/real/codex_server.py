"""Asks `codex app-server` on stdin and stdout: `codex_server.py CODEX REQUESTS`. Standard library.

REQUESTS is a JSON list; each is sent when the one before is answered. `{"method", "params"}` is a
request, `{"await": METHOD}` waits for a notification. `"$thread"` in params is the id of the thread
that was started. Every line of the server is printed, with the `at` of its coming.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path
from typing import IO, Any


def read_until(stream: IO[str], *, number: int = -1, method: str = "") -> dict[str, Any]:
    """Print lines up to the answer of a request, or to a notification; return that."""
    for line in stream:
        data: dict[str, Any] = json.loads(line)
        print(json.dumps({**data, "at": time.time()}, ensure_ascii=False), flush=True)
        if method and data.get("method") == method:
            return data
        if not method and data.get("id") == number and "method" not in data:
            return data
    raise SystemExit("the server ended")


def main() -> None:
    """Ask one thing after another, and end the server."""
    asks = json.loads(Path(sys.argv[2]).read_text("utf-8"))
    server = subprocess.Popen(
        [sys.argv[1], "app-server"],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
    )  # fmt: skip
    assert server.stdin is not None
    assert server.stdout is not None
    me = {"clientInfo": {"name": "test", "title": "test", "version": "1"}}
    hello = {"method": "initialize", "params": {**me, "capabilities": {"experimentalApi": True}}}
    thread = ""
    for number, ask in enumerate([hello, *asks]):
        if "await" in ask:
            read_until(server.stdout, method=ask["await"])
            continue
        line = json.dumps({"id": number, **ask}).replace("$thread", thread)
        server.stdin.write(line + "\n")
        server.stdin.flush()
        result = read_until(server.stdout, number=number).get("result") or {}
        thread = result.get("thread", {}).get("id") or thread
        if ask is hello:
            server.stdin.write('{"method": "initialized"}\n')
            server.stdin.flush()
    server.stdin.close()
    server.wait(60)


if __name__ == "__main__":
    main()
