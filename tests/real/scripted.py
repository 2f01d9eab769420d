"""What the scripted models share: each is a program that listens until it is killed. Stdlib.

`python MODEL.py SCRIPT RECORD PORT`: SCRIPT is a JSON list of turns, RECORD gets a line for each
request.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path


class QuietHandler(BaseHTTPRequestHandler):
    """Refuses every GET, and says nothing: stdout is for the line that tells it listens."""

    def do_GET(self) -> None:
        """Refuse; no list of models is needed."""
        self.send_error(404)

    def log_message(self, *_args: object) -> None:
        """Say nothing."""


def serve(handler: type[BaseHTTPRequestHandler], begin: Callable[[Path, Path], None]) -> None:
    """Read the words of the command line and answer until killed.

    Args:
        handler: answers requests.
        begin: is given the files of the script and of the record.
    """
    script, record, port = Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3])
    begin(script, record)
    server = ThreadingHTTPServer(("127.0.0.1", port), handler)
    print("listening", flush=True)
    server.serve_forever()
