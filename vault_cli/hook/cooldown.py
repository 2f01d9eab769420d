"""Remember that a warning was said, and know the retry from calls made beside it. Standard lib.

Loaded only when a rule that warns has matched. An agent may send the same call twice in one breath:
both are stopped, since the second was made before anybody could read why the first was. Known by
two signs: its process began before the first was answered, or the session log has it before the
result of the first. Where neither can be told the call counts as the retry, so that a warning never
stops a call for good.
"""

from __future__ import annotations

import time

from vault_cli.hook.system import calls, make_folders, open_plain

TYPE_CHECKING = False  # `typing` takes longer to load than all of this; checkers know the name
if TYPE_CHECKING:
    from collections.abc import Callable

_BESIDE = 30
"""Seconds after a stop in which a call may have been made beside it."""

_TICK = 0.01
"""The system rounds the start of a process down to this."""

_TAIL = 256 << 10
_RESULTS = (b"tool_result", b"_output")
"""What a line of a session log with the result of a call has (Claude Code, Codex)."""

_LONGEST = 400
_KIND = 0o170000
_FILE = 0o100000


def is_first(
    path: str,
    cooldown: int,
    now: float,
    made: tuple[str, str, bool],
    spare: Callable[[], str] = str,
) -> bool:
    """Tell whether a call is to be stopped by a rule that warns, and note that it is.

    When it cannot be noted the answer is no: the retry would be stopped, too, for ever.

    Args:
        path: file that remembers when this rule last stopped this session.
        cooldown: seconds after that in which the retry passes.
        now: Unix time, as the cooldown counts it.
        made: id of the call, path of its session log ("" when not known), whether this process was
            started for it alone.
        spare: gives a file to remember it in where that one cannot be written, "" for none.
    """
    try:
        return _note(path, cooldown, now, made)
    except OSError:
        path = spare()
    try:
        return bool(path) and _note(path, cooldown, now, made)
    except OSError:
        return False


def _note(path: str, cooldown: int, now: float, made: tuple[str, str, bool]) -> bool:
    flags = calls.O_RDWR | calls.O_CREAT
    try:
        file = open_plain(path, flags)
    except FileNotFoundError:
        make_folders(path.rpartition("/")[0])
        file = open_plain(path, flags)
    try:
        said = calls.read(file, _LONGEST).split(b" ")
        if said[0].isdigit() and 0 <= now - int(said[0]) < cooldown:
            return is_beside(said, made)
        calls.lseek(file, 0, 0)
        name = made[0].encode("utf-8", "surrogatepass").replace(b" ", b"")[:200]
        note = b"%d %d %s" % (now, time.time() * 1000, name)
        calls.truncate(file, calls.write(file, note))
    finally:
        calls.close(file)
    return True


def is_beside(said: list[bytes], made: tuple[str, str, bool]) -> bool:
    """Tell whether a call was made beside the one that was stopped, and not after it.

    Args:
        said: what was noted of the stop: when it counts from, its real time in ms, the call's id.
        made: as `is_first` has it.
    """
    if len(said) != 3 or not said[1].isdigit():  # noqa: PLR2004 - the three that are noted
        return False
    stopped = int(said[1]) / 1000
    own, log, alone = made
    if not 0 <= time.time() - stopped < _BESIDE:
        return False
    if alone and 0 < process_start() < stopped - _TICK:
        return True
    first, mine = said[2], own.encode("utf-8", "surrogatepass")
    return bool(first and mine and log) and first != mine and _log_says_so(log, first, mine)


def _log_says_so(log: str, first: bytes, mine: bytes) -> bool:
    """Tell whether a session log has a call, and no result of the first one before it."""
    is_there = False
    for line in _last_lines(log):
        if mine in line:
            return is_there or first in line
        if first in line:
            if any(map(line.__contains__, _RESULTS)):
                return False
            is_there = True
    return False


def _last_lines(path: str) -> list[bytes]:
    flags = calls.O_RDONLY | getattr(calls, "O_NONBLOCK", 0) | getattr(calls, "O_NOCTTY", 0)
    try:
        file = calls.open(path, flags)
    except (OSError, ValueError):
        return []
    try:
        facts = calls.fstat(file)
        if facts.st_mode & _KIND != _FILE:
            return []
        calls.lseek(file, max(0, facts.st_size - _TAIL), 0)
        return calls.read(file, _TAIL).split(b"\n")
    except OSError:
        return []
    finally:
        calls.close(file)


def process_start() -> float:
    """Return the Unix time at which this process began, 0 where the system does not say."""
    try:
        with open("/proc/self/stat", "rb") as file:
            ticks = int(file.read(4096).rpartition(b")")[2].split()[19])
        age = time.clock_gettime(time.CLOCK_BOOTTIME) - ticks / calls.sysconf("SC_CLK_TCK")
    except (OSError, ValueError, IndexError, AttributeError):
        return 0.0
    return time.time() - age
