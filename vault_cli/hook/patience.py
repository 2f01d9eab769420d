"""A limit for a part of what an event does, within the limit of the event. Standard library."""

from __future__ import annotations

TYPE_CHECKING = False  # `typing` takes longer to load than all of this; checkers know the name
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FrameType
    from typing import TypeVar

    Result = TypeVar("Result")

_AGAIN = 1.0
"""Seconds after which the work is stopped again, where something swallowed the first time."""


class OutOfTimeError(Exception):
    """The work took longer than it was given."""


def within(seconds: float, work: Callable[[], Result]) -> Result:
    """Return what `work` returns; where there are no signals it may take longer.

    A limit of the time that passes, which held before, holds afterwards for what is left of it.

    Raises:
        OutOfTimeError: it takes longer; it was stopped in the midst of whatever it did.
    """
    import signal
    from time import monotonic

    is_over = False

    def stop(_number: int, _frame: FrameType | None) -> None:
        if not is_over:
            raise OutOfTimeError

    start = monotonic()
    try:
        before = signal.signal(signal.SIGALRM, stop)
        left, _ = signal.setitimer(signal.ITIMER_REAL, seconds, _AGAIN)
    except (AttributeError, ValueError, OSError):  # another system, or another thread
        return work()
    try:
        found = work()
        is_over = True
        return found
    finally:
        is_over = True
        signal.signal(signal.SIGALRM, before)
        rest = max(left - (monotonic() - start), 0.001) if left else 0.0
        signal.setitimer(signal.ITIMER_REAL, rest)
