"""Which calls of a subagent are stopped: it sees a part of the work, and reflects on none.

Hosts say in the payload of a tool call who makes it (`agent_id`); a command line and an MCP server
that the call starts are not told. So it is stopped here, before it begins. Standard library.
"""

from __future__ import annotations

from vault_cli.hook import events, words
from vault_cli.hook.tools import canonical, field_text
from vault_cli.hook.work import speaks_chinese

TYPE_CHECKING = False  # `typing` takes longer to load than all of this; checkers know the name
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from vault_cli.hook.call import Call

_WORDS = (b"reflect", b"distill")
_COMMANDS = ("reflect prepare", "reflect commit", "distill commit")
_PROGRAMS = ("mvault", "-m vault_cli")


def refuse(call: Call, parse: Callable[[Call], dict[str, Any]]) -> dict[str, str]:
    """Return why a call is stopped, in the language of the session; {} when it is not.

    Args:
        call: before a tool call, whose payload names an agent; it is parsed only where it has a
            word of ours.
        parse: reads the payload.
    """
    if not any(word in call.raw for word in _WORDS):
        return {}
    call.payload = call.payload or parse(call)
    if not is_refused(call.payload):
        return {}
    call.name = events.named_event(call.payload, call.host, call.event)[1]
    chinese = speaks_chinese(call.state, events.session_of(call.payload))
    return {"deny": words.ONLY_MAIN_CHINESE if chinese else words.ONLY_MAIN}


def is_refused(payload: object) -> bool:
    """Tell whether a tool call is a subagent's that would reflect or write what it distilled.

    Args:
        payload: of an event before a tool call, parsed.
    """
    if not events.is_subagent(payload) or events.is_internal(payload):
        return False
    name, given = events.call_of(payload)
    tool = canonical(name)
    if tool[:4] == "mcp:":
        server, _, own = tool[4:].rpartition("/")
        is_answer = own == "distill" and bool(given.get("answer"))
        return "mvault" in server and (own == "task_reflect" or is_answer)
    return tool == "shell" and _runs(field_text(tool, given))


def _runs(command: str) -> bool:
    """Tell whether a command line starts one of the commands."""
    from vault_cli.hook.command_words import group_words, in_parts, split_command

    parts = split_command(command)
    rules = (f"{program} {words}" for program in _PROGRAMS for words in _COMMANDS)
    return any(in_parts(group_words(rule), parts) for rule in rules)
