"""One event, one answer, where an agent program starts us twice for it. Standard library only.

A person may have our hooks in the program's settings and as a plugin. The program starts one of
two equal command lines only, but these differ, so each event comes twice and what is said would
stand in the conversation twice. `STATE/hook/once/<session>` says which command line answered which
event: a row of the event's digest, the digest of the command line and when.

Whoever answers holds a byte of that file locked meanwhile, one for each event, and writes its row
when the answer was given. So who comes second waits, and answers itself when the first one was
killed: its lock goes with it, and there is no row.
"""

from __future__ import annotations

import sys
import time

from vault_cli.hook import events, sessions, state
from vault_cli.hook.injected import digest
from vault_cli.hook.system import calls, open_plain, variable

TYPE_CHECKING = False  # `typing` takes longer to load than all of this; checkers know the name
if TYPE_CHECKING:
    from vault_cli.hook.call import Call

HOLDS = 30
"""Seconds in which an event that looks the same is the same one: agent programs wait for 20."""

_ROWS = 32
_MAX_FILE = 8192
_LONGEST_TIME = 12
_FIRST, _PLACES = 1, 1 << 30
"""Bytes that stand for events; byte 0 stands for the rows."""


class Claim:
    """An event that this run answers.

    Args:
        file: the open file of its session; its locks go when it is closed.
        row: what stands in it when the answer was given.
    """

    def __init__(self, file: int, row: list[str]) -> None:
        self._file, self._row = file, row

    def settle(self, is_given: bool) -> None:  # noqa: FBT001 - the one thing to say of it
        """Let the event go: as answered, or for the next one to answer; never fails."""
        try:
            if is_given:
                _note(self._file, self._row)
        except OSError:  # the disk is full: said twice is better than not at all
            return
        finally:
            calls.close(self._file)


def claim(call: Call) -> bool:
    """Tell whether this run answers an event, and not one by another command line.

    The same command line sees an event once, so for it an equal payload is another event (a second
    compaction). Where nothing can be kept, and without a session, the answer is yes. `call.settle`
    is set where the answer is to be noted.
    """
    session = events.session_of(call.payload)
    if not session:
        return True
    event = digest(f"{call.host} {call.event}\n".encode() + call.raw.strip())
    row = [event, _own_way(), str(int(time.time()))]
    for base in (f"{call.state}/{state.FOLDER}", state.spare_folder(call.state)):
        try:
            found = _claim(base, sessions.name_of(session), row)
        except OSError:
            continue
        if found is not None:
            call.settle = found.settle
        return found is not None
    return True


def _own_way() -> str:
    """Return a digest of the command line that started this run, and of the plugin it is from."""
    plugin = variable("CLAUDE_PLUGIN_ROOT") or variable("PLUGIN_ROOT")
    words = "\n".join([sys.executable, *sys.argv, plugin])
    return digest(words.encode("utf-8", "surrogatepass"))


def _claim(base: str, name: str, row: list[str]) -> Claim | None:
    """Return the claim of an event; None when another command line answered it.

    Raises:
        OSError: nothing can be kept there.
    """
    folder = state.own_folder(f"{state.own_folder(base)}/{sessions.ONCE}")
    file = open_plain(f"{folder}/{name}", calls.O_RDWR | calls.O_CREAT)
    try:
        _lock(file, _FIRST + int(row[0], 16) % _PLACES)
        is_answered = any(old[0] == row[0] and old[1] != row[1] for old in _rows(file, row))
    except BaseException:  # also when the time of the event is over
        calls.close(file)
        raise
    if is_answered:
        calls.close(file)
        return None
    return Claim(file, row)


def _lock(file: int, place: int) -> None:
    """Wait for whoever holds a byte of the file; where there are no locks, for nobody."""
    try:
        from fcntl import LOCK_EX, lockf

        lockf(file, LOCK_EX, 1, place)
    except (ImportError, OSError):
        return


def _rows(file: int, own: list[str]) -> list[list[str]]:
    """Return the rows that count at the time of one's own; what is damaged is none."""
    calls.lseek(file, 0, 0)
    found = [
        row
        for line in calls.read(file, _MAX_FILE).decode("ascii", "replace").splitlines()
        if len(row := line.split(" ")) == len(own)
        and row[-1].isdecimal()
        and len(row[-1]) < _LONGEST_TIME
    ]
    return [row for row in found if 0 <= int(own[-1]) - int(row[-1]) < HOLDS]


def _note(file: int, own: list[str]) -> None:
    """Note that an event was answered."""
    _lock(file, 0)
    kept = [row for row in _rows(file, own) if row[0] != own[0]][-_ROWS:]
    data = "".join(f"{' '.join(row)}\n" for row in [*kept, own]).encode("ascii", "replace")
    calls.lseek(file, 0, 0)
    calls.write(file, data)
    calls.truncate(file, len(data))
