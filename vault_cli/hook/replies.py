"""What a host may be answered: one encoder per host. Standard library only.

A reply is a dict with at most these keys:

- `context`: text for the model, stated as facts.
- `deny`: why a tool call is refused.
- `warn`: why a tool call is refused this once; whoever asks lets the retry through.
- `notice`: a line for the person.

What a host has no channel for at an event is left out: Codex drops an answer with a key it does
not know, Claude Code one whose event name is not the one it sent. Contracts: Claude Code 2.1.332
and Codex 0.171.0 as measured; Gemini CLI, Cursor and Copilot as their hook references say; DSH as
its Claude bridge reads it.
"""

from __future__ import annotations

from vault_cli.hook import events

LIMITS = {
    events.CLAUDE: (10_000, "utf-16"),
    events.CODEX: (10_000, "bytes"),
}
"""How much context a host passes on before it shows the model only a preview, and its unit.

Claude Code counts the units of JavaScript strings (UTF-16); Codex about 2,500 tokens, which are
10,000 UTF-8 bytes.
"""

DEFAULT_LIMIT = (10_000, "bytes")
"""For hosts that name no limit: what fits all of them."""

ROOM = 300
"""Left free below a limit: Codex counts tokens, of which we know only about how large they are."""

_CUT = (
    "\n(cut here: the rest did not fit what this program passes on; `mvault render` prints all)\n"
)

_CONTEXT = {
    events.CLAUDE: {
        events.SESSION_START,
        events.PROMPT,
        events.PRE_TOOL,
        events.POST_TOOL,
        events.TOOL_FAILURE,
        events.SUBAGENT_START,
    },
    events.CODEX: {
        events.SESSION_START,
        events.PROMPT,
        events.PRE_TOOL,
        events.POST_TOOL,
        events.SUBAGENT_START,
    },
    events.DSH: {events.SESSION_START, events.PROMPT, events.POST_TOOL, events.SUBAGENT_START},
    events.GEMINI: {events.SESSION_START, events.PROMPT, events.POST_TOOL},
    events.CURSOR: {events.SESSION_START, events.POST_TOOL},
    events.COPILOT: {
        events.SESSION_START,
        events.POST_TOOL,
        events.TOOL_FAILURE,
        events.SUBAGENT_START,
    },
}
_CONTEXT[events.OPENCODE] = _CONTEXT[events.CLAUDE]

_NO_NOTICE = {events.SESSION_END, events.OTHER}


def encode(host: str, name: str, reply: dict[str, str]) -> bytes:
    """Return the answer as the host reads it: one JSON object in UTF-8, without a newline.

    Args:
        host: canonical name; one that is not known gets `{}`.
        name: the event as the host spelled it.
        reply: see above; what is empty counts as missing, but for the context at session start.
    """
    event = events.find_event(name)
    given = {"context": "", **reply} if event == events.SESSION_START else dict(reply)
    if "context" in given and takes_context(host, event):
        given["context"] = fit(given["context"], host)
    else:
        given.pop("context", None)
    data = _ENCODERS.get(host, _silent)(event, name, given)
    if not data:
        return b"{}"
    from vault_cli.hook.jsons import dumps

    return dumps(data)


def empty(host: str, name: str) -> bytes:
    """Return the answer that says nothing; at session start it has its shape all the same."""
    return encode(host, name, {})


def takes_context(host: str, event: str) -> bool:
    """Tell whether a host passes text on to the model at an event."""
    return event in _CONTEXT.get(host, ())


def measure(text: str, unit: str) -> int:
    """Return the length of a text in `bytes` (UTF-8) or `utf-16` units; never raises."""
    if text.isascii():
        return len(text)
    if unit == "bytes":
        return len(text.encode("utf-8", "surrogatepass"))
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def room_of(host: str) -> tuple[int, str]:
    """Return how much context may be given to a host at once, and in which unit."""
    limit, unit = LIMITS.get(host, DEFAULT_LIMIT)
    return limit - ROOM, unit


def fit(text: str, host: str) -> str:
    """Return a text that the host passes on whole; what is over is cut at a line, which is said.

    The last resort: whoever makes a context knows the room and says what is left out.
    """
    room, unit = room_of(host)
    if measure(text, unit) <= room:
        return text
    room -= measure(_CUT, unit)
    kept: list[str] = []
    for line in text.splitlines(keepends=True):
        room -= measure(line, unit)
        if room < 0:
            break
        kept.append(line)
    return "".join(kept).rstrip("\n") + _CUT


def _claude(event: str, name: str, reply: dict[str, str]) -> dict[str, object]:
    """Encode for Claude Code, and for what reads its answers."""
    own: dict[str, object] = {}
    if "context" in reply and (reply["context"] or event == events.SESSION_START):
        own["additionalContext"] = reply["context"]
    refusal = _refusal(event, reply)
    if refusal:
        own |= {"permissionDecision": "deny", "permissionDecisionReason": refusal}
    data: dict[str, object] = {}
    if reply.get("notice") and event not in _NO_NOTICE:
        data["systemMessage"] = reply["notice"]
    if own:
        data["hookSpecificOutput"] = {"hookEventName": name, **own}
    return data


def _refusal(event: str, reply: dict[str, str]) -> str:
    if event != events.PRE_TOOL:
        return ""
    return reply.get("deny") or reply.get("warn") or ""


def _codex(event: str, name: str, reply: dict[str, str]) -> dict[str, object]:
    """Encode for Codex, which puts a full stop and the call behind a refusal (measured)."""
    ends = {key: reply[key].removesuffix(".") for key in ("deny", "warn") if key in reply}
    return _claude(event, name, reply | ends)


def _dsh(event: str, name: str, reply: dict[str, str]) -> dict[str, object]:
    """Encode for the bridges of DSH, which have no word for the person."""
    return _claude(event, name, {key: text for key, text in reply.items() if key != "notice"})


def _gemini(event: str, name: str, reply: dict[str, str]) -> dict[str, object]:
    """Encode for Gemini CLI: decisions stand at the top."""
    data = _claude(event, name, {k: v for k, v in reply.items() if k in {"context", "notice"}})
    refusal = _refusal(event, reply)
    return data | {"decision": "deny", "reason": refusal} if refusal else data


def _cursor(event: str, _name: str, reply: dict[str, str]) -> dict[str, object]:
    """Encode for Cursor: snake case, everything at the top."""
    data: dict[str, object] = {}
    if "context" in reply and (reply["context"] or event == events.SESSION_START):
        data["additional_context"] = reply["context"]
    refusal = _refusal(event, reply)
    if refusal:
        data |= {"permission": "deny", "user_message": refusal, "agent_message": refusal}
    return data


def _copilot(event: str, name: str, reply: dict[str, str]) -> dict[str, object]:
    """Encode for Copilot: everything at the top; VS Code sends and reads Claude's names."""
    if name[:1].isupper():
        return _claude(event, name, reply)
    data: dict[str, object] = {}
    if "context" in reply and (reply["context"] or event == events.SESSION_START):
        data["additionalContext"] = reply["context"]
    refusal = _refusal(event, reply)
    if refusal:
        data |= {"permissionDecision": "deny", "permissionDecisionReason": refusal}
    return data


def _silent(_event: str, _name: str, _reply: dict[str, str]) -> dict[str, object]:
    return {}


_ENCODERS = {
    events.CLAUDE: _claude,
    events.CODEX: _codex,
    events.DSH: _dsh,
    events.GEMINI: _gemini,
    events.OPENCODE: _claude,
    events.CURSOR: _cursor,
    events.COPILOT: _copilot,
}
