"""One event, one answer, where an agent program starts us twice for it. Standard library only.

A person may have our hooks in the program's settings and as a plugin. The program starts one of
two equal command lines only, but these differ, so each event comes twice and what is said would
stand in the conversation twice. `STATE/hook/once/<session>` says which command line answers which
event: a row of the event's digest, the digest of the command line and when.
"""

from __future__ import annotations

import sys
import time

from vault_cli.hook import events, sessions, state
from vault_cli.hook.injected import digest
from vault_cli.hook.system import NO_FOLLOW, calls, variable

TYPE_CHECKING = False  # `typing` takes longer to load than all of this; checkers know the name
if TYPE_CHECKING:
    from vault_cli.hook.call import Call

HOLDS = 30
"""Seconds in which an event that looks the same is the same one: agent programs wait for 20."""

_ROWS = 32
_MAX_FILE = 8192


def is_ours_to_answer(call: Call) -> bool:
    """Tell whether this run answers an event, and not one by another command line.

    The same command line sees an event once, so for it an equal payload is another event (a second
    compaction). Where nothing can be kept, and without a session, the answer is yes.
    """
    session = events.session_of(call.payload)
    if not session:
        return True
    event = digest(f"{call.host} {call.event}\n".encode() + call.raw.strip())
    for base in (f"{call.state}/{state.FOLDER}", state.spare_folder()):
        try:
            return _claim(base, sessions.name_of(session), event)
        except OSError:
            continue
    return True


def _own_way() -> str:
    """Return a digest of the command line that started this run, and of the plugin it is from."""
    plugin = variable("CLAUDE_PLUGIN_ROOT") or variable("PLUGIN_ROOT")
    words = "\n".join([sys.executable, *sys.argv, plugin])
    return digest(words.encode("utf-8", "surrogatepass"))


def _claim(base: str, name: str, event: str) -> bool:
    folder = state.own_folder(f"{state.own_folder(base)}/{sessions.ONCE}")
    file = calls.open(f"{folder}/{name}", calls.O_RDWR | calls.O_CREAT | NO_FOLLOW, 0o600)
    try:
        state.lock(file)
        return _note(file, [event, _own_way(), str(int(time.time()))])
    finally:
        calls.close(file)


def _note(file: int, own: list[str]) -> bool:
    """Note that this command line answers an event, unless another one does."""
    rows = [
        row
        for line in calls.read(file, _MAX_FILE).decode("ascii", "replace").splitlines()
        if len(row := line.split(" ")) == len(own) and row[-1].isdecimal()
    ]
    event, way, now = own
    fresh = [row for row in rows if 0 <= int(now) - int(row[-1]) < HOLDS]
    if any(row[0] == event and row[1] != way for row in fresh):
        return False
    kept = [row for row in fresh if row[0] != event][-_ROWS:]
    data = "".join(f"{' '.join(row)}\n" for row in [*kept, own]).encode()
    calls.lseek(file, 0, 0)
    calls.write(file, data)
    calls.truncate(file, len(data))
    return True
