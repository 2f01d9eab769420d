"""Names of hosts and events in one spelling, and what a payload says. Standard library only.

A host is an agent program. Its events come under its own names (`PreToolUse`, `BeforeTool`,
`beforeShellExecution`, `pre-tool-use`); here they have one name each.
"""

from __future__ import annotations

SESSION_START = "session-start"
PROMPT = "prompt"
PRE_TOOL = "pre-tool"
POST_TOOL = "post-tool"
TOOL_FAILURE = "tool-failure"
PRE_COMPACT = "pre-compact"
POST_COMPACT = "post-compact"
STOP = "stop"
SESSION_END = "session-end"
SUBAGENT_START = "subagent-start"
SUBAGENT_STOP = "subagent-stop"
OTHER = "other"

CLAUDE = "claude-code"
CODEX = "codex"
DSH = "dsh"
GEMINI = "gemini-cli"
OPENCODE = "opencode"
CURSOR = "cursor"
COPILOT = "copilot"

_LONGEST_FOLDER = 4096
_DEEPEST_FOLDER = 200
"""A folder that an agent works in is shorter and less deep; systems end at 4,096 bytes."""

CHECK = "mvault-check"
"""The session that `install --check` asks for."""

_HOOK_CONTEXT, _HOOK_CONTEXT_END = "<hook_context>", "</hook_context>"

HOSTS = (CLAUDE, CODEX, DSH, GEMINI, OPENCODE, CURSOR, COPILOT)

_HOST_NAMES = {
    "claude": CLAUDE,
    "gemini": GEMINI,
    "dsh-claude-bridge": DSH,
    "dsh-codex-bridge": DSH,
    "copilot-cli": COPILOT,
} | {name: name for name in HOSTS}

_EVENTS = {
    "sessionstart": SESSION_START,
    "prompt": PROMPT,
    "userpromptsubmit": PROMPT,
    "userpromptsubmitted": PROMPT,
    "beforeagent": PROMPT,
    "beforesubmitprompt": PROMPT,
    "pretool": PRE_TOOL,
    "pretooluse": PRE_TOOL,
    "beforetool": PRE_TOOL,
    "beforeshellexecution": PRE_TOOL,
    "beforemcpexecution": PRE_TOOL,
    "posttool": POST_TOOL,
    "posttooluse": POST_TOOL,
    "aftertool": POST_TOOL,
    "aftershellexecution": POST_TOOL,
    "aftermcpexecution": POST_TOOL,
    "afterfileedit": POST_TOOL,
    "toolfailure": TOOL_FAILURE,
    "posttoolusefailure": TOOL_FAILURE,
    "precompact": PRE_COMPACT,
    "precompress": PRE_COMPACT,
    "postcompact": POST_COMPACT,
    "stop": STOP,
    "afteragent": STOP,
    "agentstop": STOP,
    "sessionend": SESSION_END,
    "subagentstart": SUBAGENT_START,
    "subagentstop": SUBAGENT_STOP,
}

_IN_SUBAGENT = {
    SESSION_START: SUBAGENT_START,
    PROMPT: OTHER,
    STOP: SUBAGENT_STOP,
    PRE_COMPACT: OTHER,
    POST_COMPACT: OTHER,
    SESSION_END: OTHER,
}
"""What an event counts as that comes from inside a subagent: nothing of its session's own turns."""

AGENT_KEYS = ("agent_id", "agentId")
"""Keys of a payload that say which subagent an event comes from."""

_NATIVE = {
    SESSION_START: "SessionStart",
    PROMPT: "UserPromptSubmit",
    PRE_TOOL: "PreToolUse",
    POST_TOOL: "PostToolUse",
    TOOL_FAILURE: "PostToolUseFailure",
    PRE_COMPACT: "PreCompact",
    POST_COMPACT: "PostCompact",
    STOP: "Stop",
    SESSION_END: "SessionEnd",
    SUBAGENT_START: "SubagentStart",
    SUBAGENT_STOP: "SubagentStop",
}
_GEMINI = {
    PROMPT: "BeforeAgent",
    PRE_TOOL: "BeforeTool",
    POST_TOOL: "AfterTool",
    PRE_COMPACT: "PreCompress",
    STOP: "AfterAgent",
}


def find_host(name: str) -> str:
    """Return the one name of a host, "" for one that is not known."""
    return _HOST_NAMES.get(name.strip().lower(), "")


def find_event(name: str) -> str:
    """Return the one name of an event, whatever its spelling; `other` for one not known."""
    plain = name.strip().lower().replace("-", "").replace("_", "").replace(" ", "")
    return _EVENTS.get(plain, OTHER)


def native_event(host: str, event: str) -> str:
    """Return what a host calls an event, for a payload that does not say it."""
    own = _GEMINI if host == GEMINI else {}
    name = own.get(event) or _NATIVE.get(event, "")
    return name[:1].lower() + name[1:] if host in (CURSOR, COPILOT) else name


def named_event(payload: object, host: str, event: str) -> tuple[str, str]:
    """Return the event and its name as the host spells it; the payload's word wins.

    An event inside of a subagent counts as what it is there (`_IN_SUBAGENT`), whatever the host
    calls it; calls of tools are the same for all.

    Args:
        payload: what came on stdin, parsed; anything but an object says nothing.
        host: canonical name of the host.
        event: canonical event that the command was called for.
    """
    said = text_of(payload, "hook_event_name", "hookEventName")
    name = said or native_event(host, event)
    found = find_event(said) if said else event
    return _IN_SUBAGENT.get(found, found) if is_subagent(payload) else found, name


def text_of(payload: object, *keys: str) -> str:
    """Return the first text that stands under one of the keys, "" when none does."""
    if isinstance(payload, dict):
        for key in keys:
            value = payload.get(key)
            if isinstance(value, str) and value:
                return value
    return ""


def prompt_of(payload: object) -> str:
    """Return what a person typed, "" for nothing.

    Gemini CLI puts what hooks said at the session's start before the first prompt and gives both
    to the next hook (measured with 0.61.0).
    """
    text = text_of(payload, "prompt")
    if text.startswith(_HOOK_CONTEXT):
        text = text.partition(_HOOK_CONTEXT_END)[2].lstrip()
    return text


def session_of(payload: object) -> str:
    """Return the session's id; "" when the host does not say it."""
    return text_of(payload, "session_id", "sessionId", "conversation_id", "thread-id")


def place_of(payload: object) -> tuple[str, str]:
    """Return the id of a tool call and the path of its session log; "" for what is not said."""
    own = text_of(payload, "tool_use_id", "toolUseId")
    return own, text_of(payload, "transcript_path", "transcriptPath")


def folder_of(payload: object) -> str:
    """Return the absolute folder the agent works in; "" when the host does not say it."""
    said = text_of(payload, "cwd")
    if not said and isinstance(payload, dict):
        roots = payload.get("workspace_roots")
        first = roots[0] if isinstance(roots, list) and roots else ""
        said = first if isinstance(first, str) else ""
    if len(said) > _LONGEST_FOLDER or said.count("/") > _DEEPEST_FOLDER:
        return ""  # every folder above it is looked into
    return said if said.startswith("/") or said[1:3] in (":\\", ":/") else ""


def comes_with_prompt(payload: object, host: str) -> bool:
    """Tell whether what a session's start is told has to wait for its first prompt.

    DSH starts that hook apart and runs the one of the prompt beside it, but waits for the second
    only: both would bring the block, the first one after the answer had begun (measured with
    0.1.0-rc.8). After a compaction no prompt need follow.
    """
    return host == DSH and text_of(payload, "source") != "compact"


def goes_on(payload: object, host: str) -> bool:
    """Tell whether a session starts with a conversation in which what hooks said still stands.

    Gemini CLI keeps it in no log, so that a resumed conversation lacks it (measured with 0.61.0).
    """
    return text_of(payload, "source") == "resume" and host != GEMINI


def is_compaction(payload: object, host: str) -> bool:
    """Tell whether a conversation is really shortened at an event before it.

    Gemini CLI asks its hooks at each request to the model, before it looks whether there is
    anything to shorten; only what a person asked for is sure (measured with 0.61.0).
    """
    return host != GEMINI or text_of(payload, "trigger") == "manual"


def is_check(payload: object) -> bool:
    """Tell whether `install --check` asks: what it is told is nobody's, and nothing is used up."""
    return session_of(payload) == CHECK


def is_subagent(payload: object) -> bool:
    """Tell whether an event comes from inside an agent that another agent started."""
    return isinstance(payload, dict) and any(payload.get(key) for key in AGENT_KEYS)


def is_internal(payload: object) -> bool:
    """Tell whether an event comes from an agent of the host's own, such as a compaction's.

    Those have an id and an empty type (measured with Claude Code 2.1.332).
    """
    if not isinstance(payload, dict) or not is_subagent(payload):
        return False
    return "" in (payload.get("agent_type"), payload.get("agentType"))


def call_of(payload: object) -> tuple[str, dict[str, object]]:
    """Return a tool call: the tool's name as the host has it, and its input.

    Cursor and Copilot spell it otherwise; an input that comes as JSON text is parsed.
    """
    if not isinstance(payload, dict):
        return "", {}
    name = text_of(payload, "tool_name", "toolName")
    given = next((payload[key] for key in ("tool_input", "toolArgs") if key in payload), None)
    if isinstance(given, str) and given[:1] == "{":
        from vault_cli.hook.jsons import loads

        try:
            given = loads(given.encode("utf-8", "surrogatepass"))
        except (ValueError, RecursionError):
            given = {"command": given}
    if given is None and isinstance(payload.get("command"), str):  # beforeShellExecution
        return name or "shell", {"command": payload["command"]}
    if isinstance(given, str):
        given = {"command": given}
    return name, given if isinstance(given, dict) else {}
