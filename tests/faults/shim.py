"""Run one mvault command and fail at the N-th system-level step.

Usage: python shim.py STEP MODE COUNTER -- ARGV...
MODE is `kill` (SIGKILL this process), `count` (never fail), or an errno name (`ENOSPC`, `EIO`,
`EROFS`) raised as OSError. COUNTER is a file that receives the number of steps that were reached.
The steps are the calls by which the program touches disk or git.
"""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

STEPS = ("write", "replace", "rename", "unlink", "fsync", "mkdir", "link", "truncate", "ftruncate")


class Trigger:
    """Counts steps and fails at the chosen one."""

    def __init__(self, step: int, mode: str, counter: Path) -> None:
        self.left = step
        self.seen = 0
        self.mode = mode
        self.counter = counter

    def hit(self, name: str) -> None:
        """Count one step; act when it is the chosen one."""
        self.seen += 1
        self.counter.write_text(f"{self.seen} {name}", encoding="utf-8")
        self.left -= 1
        if self.mode == "count" or self.left != 0:
            return
        if self.mode == "kill":
            os.kill(os.getpid(), signal.SIGKILL)
        code = getattr(errno, self.mode)
        raise OSError(code, os.strerror(code))


def keep_abilities(original: Any, counted: Any) -> None:
    """Let the wrapped call count as able to do what the original can, or the program goes another way."""
    for able in (os.supports_dir_fd, os.supports_fd, os.supports_follow_symlinks):
        if original in able:
            able.add(counted)


def wrap(trigger: Trigger, owner: Any, name: str) -> None:
    """Make `owner.name` count as a step before it runs."""
    original = getattr(owner, name)

    def counted(*args: Any, **kwargs: Any) -> Any:
        trigger.hit(name)
        return original(*args, **kwargs)

    setattr(owner, name, counted)
    keep_abilities(original, counted)


def wrap_open(trigger: Trigger) -> None:
    """Count `os.open` calls that may write."""
    original = os.open

    def counted(path: Any, flags: int, *args: Any, **kwargs: Any) -> int:
        if flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT):
            trigger.hit("open")
        return original(path, flags, *args, **kwargs)

    os.open = counted
    keep_abilities(original, counted)


def wrap_popen(trigger: Trigger) -> None:
    """Count every start of a git process."""
    original = subprocess.Popen.__init__

    def counted(self: Any, *args: Any, **kwargs: Any) -> None:
        trigger.hit("git")
        original(self, *args, **kwargs)

    subprocess.Popen.__init__ = counted  # type: ignore[method-assign]


def main() -> int:
    """Install the trigger and run the command."""
    step, mode, counter = int(sys.argv[1]), sys.argv[2], Path(sys.argv[3])
    argv = sys.argv[5:]
    from vault_cli.__main__ import main as run

    trigger = Trigger(step, mode, counter)
    wrap_open(trigger)
    for name in STEPS:
        wrap(trigger, os, name)
    wrap_popen(trigger)
    sys.argv = ["mvault", *argv]
    try:
        return int(run() or 0)
    except SystemExit as stop:
        return int(stop.code or 0)


if __name__ == "__main__":
    sys.exit(main())
