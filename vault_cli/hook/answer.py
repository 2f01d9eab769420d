"""One event to one answer: which part of the product an event asks for. Standard library, `hook`.

A tool call is answered here: a guard is looked up, a result goes to the spool. What is said at the
start of a session, with a prompt or to a subagent comes from what is ready, else from the full
program, in the same process. Whatever goes wrong, the agent goes on: the answer is then the one
that says nothing, and a line in `STATE/hook/log` says why.
"""

from __future__ import annotations

import time

from vault_cli.hook import events, state
from vault_cli.hook.call import Call
from vault_cli.hook.system import calls

TYPE_CHECKING = False  # `typing` takes longer to load than all of this; checkers know the name
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FrameType
    from typing import Any

NOTHING = b"{}"
MAX_INPUT = 32 << 20
"""Bytes of a payload that are read; a longer one is answered with nothing."""

_CHUNK = 1 << 20
_COMPILE = "compile"
_LIMITS = {
    events.PRE_TOOL: (0.3, 3.0),
    events.PROMPT: (15.0, 25.0),
    events.SESSION_END: (5.0, 1.2),
    _COMPILE: (5.0, 8.0),
}
_LIMIT = (30.0, 60.0)
"""Seconds of computing and of waiting after which the agent goes on without us, by event."""

_SPOOLED = frozenset(
    {
        events.SESSION_START,
        events.PROMPT,
        events.POST_TOOL,
        events.TOOL_FAILURE,
        events.PRE_COMPACT,
        events.POST_COMPACT,
        events.STOP,
        events.SESSION_END,
        events.SUBAGENT_STOP,
    }
)
_SILENT = frozenset(
    {events.POST_TOOL, events.TOOL_FAILURE, events.POST_COMPACT, events.SUBAGENT_STOP}
)
"""Events that are only taken down."""

_ENDINGS = frozenset({events.PRE_COMPACT, events.STOP, events.SESSION_END})
"""Events of `endings`; all others are of `turns`."""

_NAME_KEY = b'"hook_event_name"'
_AGENTS = tuple(f'"{key}"'.encode() for key in events.AGENT_KEYS)


class OverBudgetError(Exception):
    """The time of an event is over."""


def run(argv: list[str]) -> int:
    """Answer the event on stdin on stdout; always exactly one JSON object, always returns 0.

    Args:
        argv: `HOST EVENT [STATE]`, each in any spelling; what is missing is found out.
    """
    respond(argv, give=state.write_out)
    return 0


def respond(
    argv: list[str], raw: bytes | None = None, give: Callable[[bytes], object] | None = None
) -> bytes:
    """Return the answer to an event; fails open, whatever happens.

    Args:
        argv: as `run`.
        raw: the payload; None: what stands on stdin, and what is printed meanwhile is stderr's.
        give: hands the answer over; only then the event counts as answered.
    """
    call = Call(["", "", "/"])  # until the words are read
    try:
        call = Call(argv)
        _limit_time(call.event)
        try:
            answer = _answer(call, raw)
        finally:
            _unlimit_time()
    except BaseException as error:  # noqa: BLE001 - fail open, whatever it is
        _unlimit_time()
        _let_go(call, is_given=False)
        answer = _last_resort(call, error)
    if give is not None:
        give(answer)
    _let_go(call, is_given=True)
    return answer


def _answer(call: Call, raw: bytes | None) -> bytes:
    if raw is None:
        call.raw, call.is_alone = read_input(), True
        return NOTHING if state.is_child() else _without_noise(call)
    call.raw = raw
    return NOTHING if state.is_child() else answer_call(call)


def _let_go(call: Call, *, is_given: bool) -> None:
    """Let an event go that another command line of ours may be waiting to answer."""
    if call.settle is not None:
        call.settle(is_given)
        call.settle = None


def _last_resort(call: Call, error: BaseException) -> bytes:
    """Return the answer that says nothing, after a failure nobody planned for."""
    try:
        call.complain(state.explain(error))
        from vault_cli.hook import replies

        return replies.empty(call.host, call.name)
    except BaseException:  # noqa: BLE001 - memory, or a second signal
        return NOTHING


def read_input() -> bytes:
    """Return what stands on stdin, b"" when there is nothing, or a person at a terminal.

    Everything is read, so that no host is left with a broken pipe.
    """
    parts: list[bytes] = []
    size = 0
    try:
        if calls.isatty(0):
            return b""
        while part := calls.read(0, _CHUNK):
            size += len(part)
            if size <= MAX_INPUT:
                parts.append(part)
    except OSError:  # no stdin at all
        return b"".join(parts)
    return b"".join(parts) if size <= MAX_INPUT else b""


def _without_noise(call: Call) -> bytes:
    """Answer while everything else that is printed goes to stderr, also by programs we start."""
    try:
        kept = calls.dup(1)
    except OSError:
        return answer_call(call)
    try:
        calls.dup2(2, 1)
        return answer_call(call)
    finally:
        state.flush_streams()
        calls.dup2(kept, 1)
        calls.close(kept)


def answer_call(call: Call) -> bytes:
    """Return the answer to an event whose payload was read."""
    if call.event not in (events.PRE_TOOL, events.POST_TOOL, events.TOOL_FAILURE) or not _agrees(
        call
    ):
        call.payload = parse(call)
        call.event, call.name = events.named_event(call.payload, call.host, call.event)
        if events.is_internal(call.payload):
            return NOTHING
    if call.event == events.PRE_TOOL:
        is_agent_s = any(key in call.raw for key in _AGENTS)
        return _for_main_agent(call) if is_agent_s else _pre_tool(call)
    is_silent = call.event in _SILENT or call.event == events.OTHER or not call.host
    if not is_silent and not _is_ours(call):
        return encode(call, {})
    if call.event in _SPOOLED and not events.is_check(call.payload):
        _spool(call)
    if is_silent:
        return NOTHING
    from vault_cli.hook import turns

    reply = _ending(call) if call.event in _ENDINGS else turns.answer(call)
    return encode(call, _full(call) if reply is None else reply)


def _agrees(call: Call) -> bool:
    """Tell whether every event name in the payload is of the event we were called for.

    Looked for in the bytes, since parsing costs more than all the rest. A quotation mark within a
    text of JSON is escaped, so only keys are found; one of a nested object can only disagree, and
    then the payload is parsed.
    """
    start = call.raw.find(_NAME_KEY)
    if start < 0:
        return False
    while start >= 0:
        start += len(_NAME_KEY)
        text = (
            call.raw[start : start + 64].lstrip(b" \t\r\n:").partition(b'"')[2].partition(b'"')[0]
        )
        if events.find_event(text.decode("ascii", "replace")) != call.event:
            return False
        start = call.raw.find(_NAME_KEY, start)
    return True


def parse(call: Call) -> dict[str, Any]:
    """Return the payload; one that is no JSON object is said and counts as empty."""
    from vault_cli.hook.jsons import loads

    if not call.raw.strip():
        call.complain("nothing came on stdin")
        return {}
    try:
        data = loads(call.raw)
    except (ValueError, RecursionError):
        call.complain("what came on stdin is not JSON")
        return {}
    if not isinstance(data, dict):
        call.complain("what came on stdin is not a JSON object")
        return {}
    return data


def _is_ours(call: Call) -> bool:
    """Tell whether this run answers, and not one by another command line."""
    from vault_cli.hook import once

    return once.claim(call)


def _spool(call: Call) -> None:
    """Take an event down; where that fails, the agent goes on and the log says so."""
    from vault_cli.hook import spool

    try:
        path = spool.append(call.state, (int(time.time()), call.host, call.event), call.raw)
    except OSError as error:
        call.complain(f"the event is not kept: {error.strerror or error}")
        return
    if spool.is_spare(call.state, path):
        call.complain(f"{call.state} cannot be written; events are kept in {path}")


def _pre_tool(call: Call) -> bytes:
    """Look a tool call up in the compiled guards; rules that are stale are compiled once first."""
    path = f"{call.state}/{state.FOLDER}/guards.bin"
    try:
        if not calls.stat(path).st_size:
            return NOTHING
    except FileNotFoundError:
        return NOTHING
    from vault_cli.hook import guard_look

    here = calls.getcwd()
    look = guard_look.load(path)
    if look is not None and look.is_stale(here, guard_look.clock()):
        _refresh(call, path, here)
        look = guard_look.load(path)
    if look is None or not look.may_match(call.raw):
        return NOTHING
    payload = call.payload = call.payload or parse(call)
    folder = events.folder_of(payload)
    if folder not in {"", here} and look.is_stale(folder, guard_look.clock()):
        _refresh(call, path, folder)
    from vault_cli.hook import guard

    tool, given = events.call_of(payload)
    verdict = guard.match(
        guard.load(path),
        call.host,
        tool,
        given,
        cwd=folder,
        session=events.session_of(payload),
        state=call.state,
        made=(*events.place_of(payload), call.is_alone),
    )
    if verdict.action == guard.ALLOW:
        return NOTHING
    from vault_cli.hook.spool import note_hit

    note_hit(call, verdict)
    if verdict.action == guard.LOGGED:
        return NOTHING
    name = events.named_event(payload, call.host, call.event)[1]
    call.name = name
    return encode(call, {verdict.action: verdict.reason})


def _ending(call: Call) -> dict[str, str]:
    from vault_cli.hook.endings import answer_ending

    return answer_ending(call)


def _for_main_agent(call: Call) -> bytes:
    """Stop a subagent's call that is its main agent's to make; guards hold for every other one."""
    from vault_cli.hook import subagents

    refused = subagents.refuse(call, parse)
    return encode(call, refused) if refused else _pre_tool(call)


def _refresh(call: Call, path: str, folder: str) -> None:
    """Compile the rules anew, in this process; what fails is tried again after a minute.

    Rules whose own file has changed do not count until then (`guard.match` sees to that).
    """
    mark = f"{path}.stale"
    from vault_cli.hook.guard_look import may_retry
    from vault_cli.hook.program import ask_program

    if not may_retry(mark):
        return
    try:
        _limit_time(_COMPILE)
        ask_program(call, "guard_compile", lambda found: found.refresh(folder))
        calls.unlink(mark)
    except Exception as error:  # noqa: BLE001 - what is compiled then counts
        said = getattr(error, "message", "")  # of an error of ours, after which it is compiled
        call.complain(f"guards cannot be compiled: {said or state.explain(error)}")
        if said:
            calls.unlink(mark)
    finally:
        _limit_time(call.event)


def encode(call: Call, reply: dict[str, str]) -> bytes:
    """Return a reply in the host's words."""
    from vault_cli.hook import replies

    return replies.encode(call.host, call.name, reply)


def _full(call: Call) -> dict[str, str]:
    """Ask the full program, in this process."""
    from vault_cli.hook.program import ask_program

    reply: dict[str, str] = ask_program(call, "hooking", lambda found: found.answer_event(call))
    return reply


def _limit_time(event: str) -> None:
    """Let the event end when its time is over; where there are no signals, it may take longer.

    It is ended once: the second of two signals would end what is done about the first.
    """
    try:
        import _signal  # type: ignore[import-not-found]  # `signal` loads `enum`
    except ImportError:
        return

    is_over = False

    def stop(_number: int, _frame: FrameType | None) -> None:
        nonlocal is_over
        if not is_over:
            is_over = True
            raise OverBudgetError

    computing, waiting = _LIMITS.get(event, _LIMIT)
    try:
        _signal.signal(_signal.SIGALRM, stop)
        _signal.signal(_signal.SIGVTALRM, stop)
        _signal.setitimer(_signal.ITIMER_VIRTUAL, computing)
        _signal.setitimer(_signal.ITIMER_REAL, waiting)
    except (AttributeError, ValueError, OSError):
        return


def _unlimit_time() -> None:
    try:
        import _signal

        _signal.setitimer(_signal.ITIMER_VIRTUAL, 0)
        _signal.setitimer(_signal.ITIMER_REAL, 0)
    except (ImportError, AttributeError, ValueError, OSError):
        return
