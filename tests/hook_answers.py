"""What each host accepts as an answer, written from the tables of the host contracts.

An oracle of its own: it knows nothing of the product's encoders. Claude Code and Codex as measured
with 2.1.332 and 0.171.0, Codex also by the JSON Schemas in its source; Gemini CLI, Cursor and
Copilot by their hook references; DSH by what its Claude bridge reads.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from helpers import DATA
from jsonschema import Draft202012Validator

PAYLOADS = DATA / "hook-payloads"
INDEX: list[dict[str, str]] = json.loads((PAYLOADS / "INDEX.json").read_text("utf-8"))
FILES = sorted(entry["file"] for entry in INDEX)

TEXT = {"type": "string", "minLength": 1}
CONTEXT = {"type": "string"}


def closed(properties: dict[str, Any], required: tuple[str, ...] = ()) -> dict[str, Any]:
    """An object that may hold these keys and no other."""
    return {
        "type": "object",
        "properties": properties,
        "required": list(required),
        "additionalProperties": False,
    }


def specific(event: str, *, context: bool, decides: bool = False) -> dict[str, Any]:
    """`hookSpecificOutput` of Claude's shape; the event's name has to be the one that was sent."""
    keys: dict[str, Any] = {"hookEventName": {"const": event}}
    if context:
        keys["additionalContext"] = CONTEXT
    if decides:
        keys |= {"permissionDecision": {"const": "deny"}, "permissionDecisionReason": TEXT}
    return closed(keys, ("hookEventName",))


def claude_shape(
    event: str, contexts: set[str], *, message: bool = True, decides: bool = True
) -> dict[str, Any]:
    keys: dict[str, Any] = {}
    if message:
        keys["systemMessage"] = TEXT
    can_decide = decides and event == "PreToolUse"
    if event in contexts or can_decide:
        keys["hookSpecificOutput"] = specific(event, context=event in contexts, decides=can_decide)
    return closed(keys)


CLAUDE_CONTEXT = {
    *("SessionStart", "UserPromptSubmit", "UserPromptExpansion", "PreToolUse", "PostToolUse"),
    *("PostToolUseFailure", "PostToolBatch", "SubagentStart"),
}
CODEX_CONTEXT = {"SessionStart", "SubagentStart", "UserPromptSubmit", "PreToolUse", "PostToolUse"}
DSH_CONTEXT = {"SessionStart", "UserPromptSubmit", "PostToolUse", "SubagentStart"}
GEMINI_CONTEXT = {"SessionStart", "BeforeAgent", "AfterTool"}


def schema_for(host: str, event: str) -> dict[str, Any]:
    """The schema of what a host takes at an event."""
    if host in {"claude-code", "opencode"}:
        return claude_shape(event, CLAUDE_CONTEXT, message=event != "SessionEnd")
    if host == "codex":
        return claude_shape(
            event, CODEX_CONTEXT, message=event not in {"SessionEnd", "Interrupt", ""}
        )
    if host in {"dsh", "dsh-claude-bridge"}:
        return claude_shape(event, DSH_CONTEXT, message=False)
    if host == "gemini-cli":
        found = claude_shape(event, GEMINI_CONTEXT, message=event != "SessionEnd", decides=False)
        if event == "BeforeTool":
            found["properties"] |= {"decision": {"const": "deny"}, "reason": TEXT}
        return found
    if host == "cursor":
        keys: dict[str, Any] = {}
        if event in {"sessionStart", "postToolUse"}:
            keys["additional_context"] = CONTEXT
        if event in {"preToolUse", "beforeShellExecution", "beforeMCPExecution"}:
            keys |= {"permission": {"const": "deny"}, "user_message": TEXT, "agent_message": TEXT}
        return closed(keys)
    assert host == "copilot"
    keys = {}
    if event in {"sessionStart", "postToolUse", "postToolUseFailure", "subagentStart"}:
        keys["additionalContext"] = CONTEXT
    if event == "preToolUse":
        keys |= {"permissionDecision": {"const": "deny"}, "permissionDecisionReason": TEXT}
    return closed(keys)


def check_answer(host: str, event: str, answer: bytes) -> dict[str, Any]:
    """Assert that an answer is one JSON object that the host takes; return it."""
    data = json.loads(answer)
    problems = [e.message for e in Draft202012Validator(schema_for(host, event)).iter_errors(data)]
    assert not problems, (host, event, problems, data)
    if event.lower() == "sessionstart":
        assert context_of(data) is not None, data
    text = context_of(data) or ""
    if host == "claude-code":
        assert len(text.encode("utf-16-le")) // 2 <= 9_984
    if host == "codex":
        assert len(text.encode()) <= 9_914
    if event in {"Stop", "SubagentStop", "AfterAgent", "stop", "agentStop"}:
        assert "decision" not in data
        assert data.get("continue", True)
    return data


def context_of(data: dict[str, Any]) -> str | None:
    """The text an answer gives to the model; None when it gives none."""
    for place in (data, data.get("hookSpecificOutput", {})):
        for key in ("additionalContext", "additional_context"):
            if key in place:
                return str(place[key])
    return None


def load(file: str) -> tuple[str, str, bytes]:
    """Host, event name and bytes of one stored payload."""
    raw = (PAYLOADS / file).read_bytes()
    return Path(file).parent.name, str(json.loads(raw).get("hook_event_name", "")), raw


def place(raw: bytes, folder: Path, **more: Any) -> bytes:
    """A payload moved to a folder of the test, with some keys set."""
    data = json.loads(raw)
    for key in ("cwd", "old_cwd", "new_cwd"):
        if key in data:
            data[key] = str(folder)
    if "workspace_roots" in data:
        data["workspace_roots"] = [str(folder)]
    return json.dumps(data | more, ensure_ascii=False).encode()
