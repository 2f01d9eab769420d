"""Types into a program that wants a terminal: `codex_screen.py STEPS COMMAND...`. Standard library.

STEPS is a JSON list of `{"see": TEXT, "type": KEYS}`: once TEXT (without spaces and colours) was
shown since the step before, KEYS are typed. All that was shown is printed at the end; the exit code
is 0 when every step came to its turn.
"""

from __future__ import annotations

import fcntl
import json
import os
import pty
import re
import select
import struct
import sys
import termios
import time

PATIENCE = 40
"""Seconds for one step."""

_ESCAPES = re.compile(
    rb"\x1b(?:\[[0-9;?<>=]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[()][0-9A-B]|.)"
)
_ASKED = {b"\x1b[6n": b"\x1b[1;1R", b"\x1b[c": b"\x1b[?62c", b"\x1b[?u": b"\x1b[?0u"}
"""What a terminal is asked at the start, and what one answers."""


class Terminal:
    """A program behind a terminal of 120 columns, and what it showed."""

    def __init__(self, command: list[str]) -> None:
        pid, self.file = pty.fork()
        if not pid:
            os.execvp(command[0], command)
        self.pid = pid
        fcntl.ioctl(self.file, termios.TIOCSWINSZ, struct.pack("HHHH", 50, 120, 0, 0))
        self.shown = b""
        self._asked = 0

    def read(self, seconds: float) -> bool:
        """Take in what is shown meanwhile, and answer what is asked; False at the end."""
        if not select.select([self.file], [], [], seconds)[0]:
            return True
        try:
            part = os.read(self.file, 1 << 16)
        except OSError:
            return False
        self.shown += part
        for question, answer in _ASKED.items():
            for _ in range(part.count(question)):
                os.write(self.file, answer)
        return bool(part)

    def text(self, start: int = 0) -> str:
        """Return what was shown without colours and moves."""
        return _ESCAPES.sub(b" ", self.shown[start:]).decode("utf-8", "replace")


def main() -> int:
    """Play the steps."""
    steps = json.loads(sys.argv[1])
    terminal = Terminal(sys.argv[2:])
    start, code = 0, 0
    for step in steps:
        end = time.monotonic() + PATIENCE
        wanted = "".join(step["see"].split())
        while wanted not in "".join(terminal.text(start).split()):
            if time.monotonic() > end or not terminal.read(0.2):
                print(f"never seen: {step['see']}")
                code = 1
                break
        if code:
            break
        start = len(terminal.shown)
        settled = time.monotonic() + 0.5
        while time.monotonic() < settled and terminal.read(0.1):
            pass
        os.write(terminal.file, step["type"].encode())
    settled = time.monotonic() + 3
    while time.monotonic() < settled and terminal.read(0.2):
        pass
    os.kill(terminal.pid, 15)
    print(terminal.text())
    return code


if __name__ == "__main__":
    raise SystemExit(main())
