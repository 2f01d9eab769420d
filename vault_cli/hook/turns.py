"""Turns of a session that need no vault: what is ready, what waits, what was given. Stdlib.

What is not answered here is asked of the full program (`cli.hooking`), which ends with the same
`begin`: so that a session is told the same things whichever way it went.
"""

from __future__ import annotations

import os
import time

from vault_cli.hook import events, injected, ready, replies, sessions, spool, words

TYPE_CHECKING = False  # `typing` takes longer to load than all of this; checkers know the name
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from vault_cli.hook.call import Call

NOTICE_ROOM = 700
"""Kept free of a host's room for what is said behind a block."""

MOST_NOTICES = 2
"""So often a session is told that it was compacted."""

MOST_SCANNED = 8 << 20
Reply = dict[str, str]


def answer(call: Call) -> Reply | None:
    """Return the reply to an event of a session; None when only the full program has it."""
    found = _TURNS.get(call.event)
    return {} if found is None else found(call)


def folder_at_hand(call: Call) -> str:
    """Return the folder an event is about: the payload's, else the one we were started in."""
    said = events.folder_of(call.payload)
    if said:
        return os.path.normpath(said)
    try:
        return os.getcwd()
    except OSError:
        return ""


def block_room(call: Call) -> tuple[int, str]:
    """Return the room of a block for this host, and its unit."""
    room, unit = replies.room_of(call.host)
    return room - NOTICE_ROOM, unit


def ready_key(call: Call) -> str:
    """Return the name of the answer that may be ready for this event."""
    room, unit = block_room(call)
    return ready.key_of(folder_at_hand(call), call.host, unit, room)


def _start(call: Call) -> Reply | None:
    found = ready.load(call.state, ready_key(call), exact=True)
    if found is not None and waits_for_prompt(call):
        return {}
    if found is None or events.session_of(call.payload) in found["sessions"]:
        return None
    told = events.text_of(sessions.load(call.state, sessions.NOTICES, ready_key(call)), "text")
    reply = begin(call, found)
    return {"notice": told, **reply} if told else reply


def keep_notice(call: Call, text: str) -> None:
    """Keep what a person is told at the start of a session beside the block that is kept ready.

    What repeated is counted by a full run only, of which there is one a day at least: until the
    next one it is told with the block.
    """
    if text:
        data = {"text": text}
        keep_or_say(
            call, "a notice", sessions.save, call.state, sessions.NOTICES, ready_key(call), data
        )
    else:
        sessions.drop(call.state, sessions.NOTICES, ready_key(call))


def waits_for_prompt(call: Call) -> bool:
    """Tell whether the first prompt brings what this start of a session would."""
    if call.event != events.SESSION_START:
        return False
    goes_on = events.text_of(call.payload, "source") == "resume" and load_session(call).get("key")
    return not goes_on and events.comes_with_prompt(call.payload, call.host)


def begin(call: Call, standing: dict[str, Any]) -> Reply:
    """Give a session its block and what waits for it; take down what it was given.

    Args:
        call: a session's start, or its first prompt.
        standing: `block`, its `receipt`, ids with their vaults that it has (`shown`) and those
            with their whole text (`whole`), whether that is all (`complete`), its `key`, and how
            often the session may be told of work that was not recorded (`nudges`); and perhaps
            `turns`, how often of a turn to reflect on, `tasks`, what is said of open ones,
            `debt`, of what is unreflected (`_unreflected`), and `vaults`, the folders by the names
            that stand with the ids.
    """
    session = load_session(call)
    block = str(standing["block"])
    session["chinese"] = bool(standing.get("chinese"))
    is_first = not session.get("key") and call.host == events.DSH
    notices = _notices(call, session) if block else []
    if _begins(call, is_first=is_first):
        notices += _what_waits(call, session, standing, notices)
    again = events.goes_on(call.payload, call.host)
    stands = bool(block) and again and session.get("receipt") == standing["receipt"]
    given = [list(key) for key in standing["whole"]]
    if stands:  # what prompts brought since is in the conversation as well
        given = [*session.get("given", []), *given]
    session |= {
        "host": call.host,
        "folder": folder_at_hand(call),
        "receipt": standing["receipt"],
        "complete": bool(standing["complete"]),
        "key": standing["key"],
        "vaults": standing.get("vaults", {}),
        "given": given,
        "pending": "",
        "nudges": int(standing["nudges"]),
        "turns": int(standing.get("turns", 0)),
        "window": int(standing.get("window", 0)),
    }
    save_session(call, session)
    if block and not stands:
        note_given(call, session, str(standing["receipt"]), standing["shown"])
    if notices:
        remember(call, notices)
    return {"context": "".join([_say(session, words.STANDS) if stands else block, *notices])}


def _say(session: dict[str, Any], text: str) -> str:
    return words.in_language(text, chinese=session.get("chinese"))


def _notices(call: Call, session: dict[str, Any]) -> list[str]:
    """Return what is said of a conversation that was compacted, and take it off what waits."""
    found = []
    source = events.text_of(call.payload, "source")
    told = int(session.get("told", 0))
    if (session.get("pending") or source == "compact") and told < MOST_NOTICES:
        session["told"] = told + 1
        found.append(_say(session, words.PRESSURE))
        found += _what_was_lost(session)
    return found


def _begins(call: Call, *, is_first: bool) -> bool:
    """Tell whether a conversation begins, and no subagent's."""
    if events.is_subagent(call.payload):
        return False
    source = events.text_of(call.payload, "source")
    starts = call.event == events.SESSION_START and source in {"startup", "clear", "new", ""}
    return starts or (is_first and call.event == events.PROMPT)


def _what_waits(
    call: Call, session: dict[str, Any], standing: dict[str, Any], before: Sequence[str]
) -> list[str]:
    """Return what a new conversation is told of earlier ones, behind what is said `before`."""
    found = _handed_over(call, session) if standing["block"] else []
    if standing.get("tasks"):
        found.append(str(standing["tasks"]))
    unit = replies.room_of(call.host)[1]
    room = NOTICE_ROOM - replies.measure("".join([*before, *found]), unit)
    debt = standing.get("debt", {})
    if debt and replies.measure(str(debt["text"]), unit) <= room:  # else at a later start
        found += _unreflected(call, debt)
    return found


def _unreflected(call: Call, debt: dict[str, Any]) -> list[str]:
    """Return what is said of unreflected records: once, and once again when as many more wait.

    Args:
        call: the start of a session.
        debt: `vault`, its `text`, and how many runs could begin with what waits (`level`).
    """
    if events.is_check(call.payload):
        return []
    told = int(sessions.load(call.state, sessions.DEBTS, debt["vault"]).get("level", 0))
    if debt["level"] != told:
        data = {"level": debt["level"]}
        keep_or_say(
            call, "a notice", sessions.save, call.state, sessions.DEBTS, debt["vault"], data
        )
    return [debt["text"]] if debt["level"] > told else []


def _what_was_lost(session: dict[str, Any]) -> list[str]:
    """Return where what was compacted can be read again, once."""
    lost = session.pop("lost", None)
    if not isinstance(lost, list) or len(lost) != 3 or not lost[2]:  # noqa: PLR2004
        return []
    return [_say(session, words.REREAD).format(*lost)]


def _handed_over(call: Call, session: dict[str, Any]) -> list[str]:
    """Return what the last session of this folder left behind, said once."""
    folder = folder_at_hand(call)
    last = sessions.load(call.state, sessions.ENDED, folder)
    if not last or events.is_check(call.payload):
        return []
    sessions.drop(call.state, sessions.ENDED, folder)
    failed, calls = _count_calls(call.state, str(last.get("session", "")))
    return [_say(session, words.AGAIN).format(failed, calls)] if failed else []


def _count_calls(state: str, session: str) -> tuple[int, int]:
    """Return how many tool calls of a session failed, and how many there were, as still spooled."""
    failed = calls = 0
    mark = session.encode("utf-8", "surrogatepass")
    for path in spool.spools(state) if session else ():
        try:
            if os.path.getsize(path) > MOST_SCANNED:
                continue
            for frame in spool.read(path):
                if frame.event in {events.POST_TOOL, events.TOOL_FAILURE} and mark in frame.raw:
                    calls += 1
                    failed += frame.event == events.TOOL_FAILURE
        except OSError:  # taken in meanwhile
            continue
    return failed, calls


def _prompt(call: Call) -> Reply | None:
    """Leave a prompt alone at once where no record can have to do with it."""
    if not replies.takes_context(call.host, call.event):
        return {}
    if not words.is_talk(events.prompt_of(call.payload)):
        return {}
    session = load_session(call)
    if not session.get("key") or session.get("pending"):
        return None
    here = _is_same_place(folder_at_hand(call), session.get("folder"))
    key = str(session["key"]) if here else ready_key(call)
    if here and session.get("complete") and ready.load(call.state, key, exact=False):
        return {"context": take_nudge(call, session)}
    return _beside(call, session, key)


def _beside(call: Call, session: dict[str, Any], key: str) -> Reply | None:
    """Answer a prompt with what is ready of the vaults; None where that does not tell."""
    from vault_cli.hook import prompts

    prepared = prompts.load(call.state, key)
    if prepared is None or events.session_of(call.payload) in prepared.head["sessions"]:
        return None
    from vault_cli.hook import beside

    prompt = events.prompt_of(call.payload)
    try:
        found = beside.find(
            prepared, prompt, given_to(session), lambda: prompts.learned(call.state, key)
        )
    except (OSError, ValueError) as error:
        call.complain(f"what is ready for prompts cannot be read: {error}")
        return None
    finally:
        prepared.close()
    if found is None:
        return None
    first = take_nudge(call, session)
    return {"context": bring(call, session, first, *found)}


def given_to(session: dict[str, Any]) -> set[tuple[str, str]]:
    """Return ids with their vaults of what a session was given."""
    return {(str(item[0]), str(item[1])) for item in session.get("given", []) if len(item) > 1}


def bring(
    call: Call, session: dict[str, Any], first: str, more: str, shown: Sequence[tuple[str, str]]
) -> str:
    """Return what is said with a prompt, and take down which records a session is given.

    Args:
        call: the prompt.
        session: what is known of its session.
        first: what is said before the records.
        more: the records as a block, "" for none.
        shown: ids with their vaults of what it shows.
    """
    room, unit = replies.room_of(call.host)
    if replies.measure(first + more, unit) > room:  # the block counts more than what it leaves out
        return first
    if shown:
        from vault_cli.plain.naming import receipt_id

        session["given"] = [*session.get("given", []), *map(list, shown)]
        save_session(call, session)
        note_given(call, session, receipt_id(more, (key for key, _ in shown)), shown)
    if more:
        remember(call, [more])
    return first + more


def _is_same_place(folder: str, started: object) -> bool:
    """Tell whether the same vaults are read in a folder as where the session began.

    An agent changes its folder as it works; below the first one only another repository or vault
    makes a difference.
    """
    if folder == started:
        return True
    if not isinstance(started, str) or not folder.startswith(f"{started.rstrip('/')}/"):
        return False
    while len(folder) > len(started):
        if any(os.path.lexists(f"{folder}/{name}") for name in (".git", ".mvault", "vault.toml")):
            return False
        folder = folder.rpartition("/")[0]
    return True


def take_nudge(call: Call, session: dict[str, Any]) -> str:
    """Return what waits to be said of the last turn, and take it off; the session is kept."""
    text = str(session.pop("nudge", ""))
    if text:
        save_session(call, session)
        remember(call, [text])
    return text


def _subagent(call: Call) -> Reply | None:
    """Tell a subagent where memory is, and nothing that its agent is told."""
    session = load_session(call)
    if not replies.takes_context(call.host, call.event):
        return {}
    if not session.get("key"):
        return None
    return subagent_reply(call, session) if session.get("given") else {}


def subagent_reply(call: Call, session: dict[str, Any]) -> Reply:
    """Return the footer, in the language of what the session, or a place, has (`chinese`)."""
    footer = _say(session, words.FOOTER)
    remember(call, [footer])
    return {"context": footer}


def load_session(call: Call) -> dict[str, Any]:
    """Return what is known of the session at hand; nothing when it has no name."""
    name = events.session_of(call.payload)
    return sessions.load(call.state, sessions.SESSIONS, name) if name else {}


def save_session(call: Call, session: dict[str, Any]) -> None:
    """Keep what is known of the session at hand; where that fails, the log says so."""
    name = events.session_of(call.payload)
    if name:
        data = session | {"at": int(time.time())}
        keep_or_say(call, "the session", sessions.save, call.state, sessions.SESSIONS, name, data)


def note_given(call: Call, session: dict[str, Any], receipt: str, shown: Sequence[Any]) -> None:
    """Take down which records a session was given; a full run folds it into the observations.

    The folders of the vaults are those that its start was given (`begin`).
    """
    from vault_cli.hook.jsons import dumps

    name = events.session_of(call.payload)
    if not name or not shown or events.is_check(call.payload):
        return
    data = {
        "session": name,
        "vaults": session.get("vaults", {}),
        "receipt": receipt,
        "shown": [list(key) for key in shown],
    }
    raw = dumps(data)
    header = int(time.time()), call.host, spool.GIVEN
    keep_or_say(call, "what was given", spool.append, call.state, header, raw)


def remember(call: Call, texts: Sequence[str]) -> None:
    """Keep the fingerprints of what is said."""
    keep_or_say(call, "what was said", injected.remember, call.state, texts)


def keep_or_say(call: Call, what: str, action: Any, *args: Any) -> None:
    """Keep something in the state folder; where that fails, the log says what is not kept."""
    try:
        action(*args)
    except OSError as error:
        call.complain(f"{what} is not kept: {error.strerror or error}")


_TURNS: dict[str, Callable[[Call], Reply | None]] = {
    events.SESSION_START: _start,
    events.PROMPT: _prompt,
    events.SUBAGENT_START: _subagent,
}
