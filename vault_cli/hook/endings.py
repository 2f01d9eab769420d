"""What ends: a turn, the room of a conversation, a session. Standard library only.

Nothing is said here but to a person; what is left for later is said with the next prompt, or to the
next session.
"""

from __future__ import annotations

import time

from vault_cli.hook import events, sessions, words
from vault_cli.hook.turns import folder_at_hand, keep_or_say, load_session, save_session

TYPE_CHECKING = False  # `typing` takes longer to load than all of this; checkers know the name
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from vault_cli.hook.call import Call
    from vault_cli.hook.turns import Reply


def answer_ending(call: Call) -> Reply:
    """Return the reply to an event that ends something, of any other one none."""
    found = _ENDINGS.get(call.event)
    return {} if found is None else found(call)


def _stop(call: Call) -> Reply:
    """Look at the work of a turn for the next prompt. A stop itself is never held up.

    Of unrecorded work nothing is said while a task of the session is open (`tasks`, left by
    `mvault task`).
    """
    session = load_session(call)
    _look_at_pressure(call, session)
    if not session.get("given"):
        return {}
    name = events.session_of(call.payload)
    told = []
    if int(session.get("nudges", 0)) > 0 and not session.get("tasks"):
        from vault_cli.hook.work import unrecorded

        told.append(("nudges", unrecorded(call.state, name)))
    if int(session.get("turns", 0)) > 0:
        from vault_cli.hook.work import to_reflect_on

        told.append(("turns", to_reflect_on(call.state, name, in_task=bool(session.get("tasks")))))
    _leave_word(call, session, told)
    return {}


def _leave_word(call: Call, session: dict[str, Any], told: Sequence[tuple[str, str]]) -> None:
    """Keep what is to be said with the next prompt, and count it; what waits already is said once.

    Args:
        call: a stop.
        session: of it.
        told: name of the counter that is left, and the text; "" for nothing.
    """
    before = str(session.get("nudge", ""))
    new = [(name, text) for name, text in told if text and text not in before]
    if not new:
        return
    full = before if session.get("pressed") and before.startswith(_FILLING) else ""
    left = {name: int(session[name]) - 1 for name, _ in new}
    said = full + "".join(text for _, text in new)
    save_session(call, session | left | {"nudge": said})


_FILLING = (words.FILLING.partition("{")[0], words.FILLING_CHINESE.partition("{")[0])


def _look_at_pressure(call: Call, session: dict[str, Any]) -> None:
    """Leave word for the next prompt, once before a compaction, that the context fills up."""
    window = int(session.get("window", 0))
    if window <= 0 or session.get("pressed") or not session.get("given"):
        return
    from vault_cli.hook.pressure import FULL, fullness, log_path

    percent = fullness(log_path(call.payload), window)
    if percent < FULL:
        return
    from vault_cli.hook.work import speaks_chinese

    chinese = speaks_chinese(call.state, events.session_of(call.payload))
    text = (words.FILLING_CHINESE if chinese else words.FILLING).format(percent)
    session |= {"nudge": text + str(session.get("nudge", "")), "pressed": True}
    save_session(call, session)


def _compacting(call: Call) -> Reply:
    """Note that the conversation loses its block; tell the person once a cycle."""
    session = load_session(call)
    if session.get("pending") or not events.is_compaction(call.payload, call.host):
        return {}
    from vault_cli.hook.pressure import count_lines, log_path

    path = log_path(call.payload)
    first, last = int(session.get("compacted", 0)) + 1, count_lines(path)
    session |= {"pending": "compact", "pressed": False}
    if last >= first:
        session |= {"lost": [first, last, path], "compacted": last}
    save_session(call, session)
    return {"notice": words.COMPACTING} if session.get("given") else {}


def _ended(call: Call) -> Reply:
    """Leave word for the next session in this folder."""
    session, folder = events.session_of(call.payload), folder_at_hand(call)
    if session and folder:
        data = {"session": session, "host": call.host, "at": int(time.time())}
        keep_or_say(
            call, "the end of the session", sessions.save, call.state, sessions.ENDED, folder, data
        )
        for kind in sessions.KINDS:
            sessions.prune(call.state, kind)
    return {}


_ENDINGS: dict[str, Callable[[Call], Reply]] = {
    events.PRE_COMPACT: _compacting,
    events.SESSION_END: _ended,
    events.STOP: _stop,
}
