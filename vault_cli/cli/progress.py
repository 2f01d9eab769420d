"""One line on a terminal's stderr about work that takes long. Imports the standard library only.

It is drawn over itself and taken away before anything else is written; where stderr is no terminal
there is none.
"""

from __future__ import annotations

import sys
from contextlib import suppress
from time import monotonic
from typing import Final

_PATIENCE: Final = 0.5
"""Seconds after which counted work is told; shorter work shows nothing."""

_PAUSE: Final = 0.1
_WIDTH: Final = 20


class _Line:
    """What stands on the last line of the terminal."""

    began = 0.0
    drawn = 0.0
    what = ""
    is_shown = False


def show(what: str, done: int, total: int) -> None:
    """Draw how far some work has come; work that nobody can count is told at once."""
    now = monotonic()
    if what != _Line.what:
        _Line.what, _Line.began, _Line.drawn = what, now, 0.0
    if total and (now - _Line.began < _PATIENCE or now - _Line.drawn < _PAUSE):
        return
    _Line.drawn = now
    _draw(f"{what} {_bar(done, total)} {done:,} of {total:,}" if total else f"{what} …")


def _bar(done: int, total: int) -> str:
    full = _WIDTH * done // total
    return f"[{'#' * full}{'.' * (_WIDTH - full)}]"


def _draw(text: str) -> None:
    with suppress(OSError, ValueError):
        sys.stderr.write(f"\r\x1b[K{text}")
        sys.stderr.flush()
        _Line.is_shown = True


def clear() -> None:
    """Take the line away, if there is one."""
    if _Line.is_shown:
        _draw("")
        _Line.is_shown = False
