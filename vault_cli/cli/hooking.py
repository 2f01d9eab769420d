"""The full program's part of `mvault hook`: what is said to an agent. May import everything below.

`hook.answer` calls it in its own process where nothing is ready; what is printed meanwhile goes to
stderr. Nothing is written into a vault: what a session was given goes to the spool, as the vault of
a sandboxed agent can be read only.
"""

from __future__ import annotations

import os
from contextlib import redirect_stderr
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING

from vault_cli.hook import events, turns

if TYPE_CHECKING:
    from vault_cli.cli.invocation import Invocation
    from vault_cli.hook.call import Call

_STARTS = frozenset({events.SESSION_START, events.PROMPT})
_PATIENCE = {events.SESSION_START: 8.0}
_SHORT = 3.0
"""Seconds in which a project's vault is read: agent programs wait for 20 (`hosts.table`)."""

_GUARDS = 5.0


def answer_event(call: Call) -> dict[str, str]:
    """Return what to say at an event, as `hook.replies` has it; empty for nothing.

    Raises:
        VaultError: a vault or its settings cannot be used; the agent then goes on without it.
    """
    from vault_cli.store.vault import NoVaultError

    inv = open_run(call)
    try:
        return _answer(call, inv)
    except NoVaultError:  # most folders of most people: nothing to say, and nothing wrong
        from vault_cli.cli.hook_block import keep_nothing

        is_first = call.event in _STARTS and not turns.waits_for_prompt(call)
        return turns.begin(call, keep_nothing(call, inv)) if is_first else {}


def _try_to_look_after_guards(call: Call, inv: Invocation) -> str:
    """Look after the guards; whatever is wrong there, the session has its block."""
    from vault_cli.errors import VaultError

    try:
        return _look_after_guards(call, inv)
    except (VaultError, OSError, ValueError) as error:
        call.complain(f"the guards were not looked after: {type(error).__name__}")
        return ""


def _answer(call: Call, inv: Invocation) -> dict[str, str]:
    from vault_cli.cli.hook_block import make_standing
    from vault_cli.cli.hook_prompt import answer_prompt

    inv.reading.be_quick(_PATIENCE.get(call.event, _SHORT))
    if call.event == events.SESSION_START:
        waits = turns.waits_for_prompt(call)
        reply = {} if waits else turns.begin(call, make_standing(call, inv))
        notice = _try_to_look_after_guards(call, inv)
        turns.keep_notice(call, notice)
        return {"notice": notice, **reply} if notice else reply
    if call.event == events.PROMPT:
        with redirect_stderr(StringIO()):  # said at the session's start, and by `mvault status`
            return answer_prompt(call, inv)
    if call.event == events.SUBAGENT_START:
        standing = make_standing(call, inv)
        has = standing["shown"] or standing["whole"]
        return turns.subagent_reply(call, standing) if has else {}
    return {}


def _look_after_guards(call: Call, inv: Invocation) -> str:
    """Compile the guards and count failures; what goes wrong there keeps nothing from a session."""
    from vault_cli.cli.guard_proposing import at_session_start
    from vault_cli.errors import StoreError, VaultError
    from vault_cli.hook.patience import OutOfTimeError, within

    if inv.reading.gave_up:  # those of the project would be missing; a tool call compiles all
        return ""
    try:
        return within(_GUARDS, lambda: at_session_start(inv))
    except OutOfTimeError:
        call.complain(f"guards: it takes longer than {_GUARDS:g} seconds to look after them")
        return ""
    except StoreError:  # where nothing can be written; that events are kept elsewhere was said
        return ""
    except VaultError as error:
        call.complain(f"guards: {error.message}")
        return ""


def open_run(call: Call) -> Invocation:
    """Return a run in the folder of the event, of the agent's program and not of a person."""
    from vault_cli.cli.invocation import Invocation
    from vault_cli.cli.option_values import Options

    inv = Invocation(Options(quiet=True), {**os.environ, "MVAULT_ACTOR": "hook"})
    folder = turns.folder_at_hand(call)
    if folder:
        inv.__dict__["cwd"] = Path(folder)
    return inv
