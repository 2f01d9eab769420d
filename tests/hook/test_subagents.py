"""A subagent's call that would reflect is stopped: hosts say in the payload who makes it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from helpers import make_vault
from hook_answers import check_answer
from hook_runs import hook, state_of

from vault_cli.hook import words

AGENT = {"agent_id": "a0000000000000001", "agent_type": "general-purpose"}


def call(home: Path, root: Path, tool: str, given: dict[str, Any], **more: Any) -> str:
    """Why a call is stopped, "" when it is not."""
    payload = {
        "hook_event_name": "PreToolUse", "session_id": "s1", "cwd": str(root),
        "tool_name": tool, "tool_input": given, "tool_use_id": "t", **more,
    }  # fmt: skip
    raw = json.dumps(payload, ensure_ascii=False).encode()
    answer = hook("claude-code", "pre-tool-use", raw, state_of(home))
    said = check_answer("claude-code", "PreToolUse", answer)
    own = said.get("hookSpecificOutput", {})
    return str(own.get("permissionDecisionReason", "")) if own else ""


def shell(home: Path, root: Path, command: str, **more: Any) -> str:
    return call(home, root, "Bash", {"command": command}, **more)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return make_vault(tmp_path)


@pytest.mark.parametrize(
    "command",
    [
        "mvault reflect prepare --task t-1",
        "cd /tmp && mvault --vault ~/v reflect commit --answer a.json",
        "echo '{}' | mvault distill commit",
        "python3 -m vault_cli reflect prepare",
        "MVAULT_SESSION=s2 mvault reflect commit",
        "bash -c 'mvault reflect commit < 反思.md'",
    ],
)
def test_a_subagent_s_command_is_stopped_and_its_main_agent_s_is_not(
    home: Path, root: Path, command: str
) -> None:
    assert shell(home, root, command, **AGENT) == words.ONLY_MAIN
    assert shell(home, root, command) == ""


def test_by_mcp_too_whatever_the_host_calls_the_tool(home: Path, root: Path) -> None:
    for prefix in ("mcp__mvault__", "mcp__plugin_mvault_mvault__"):
        assert call(home, root, f"{prefix}task_reflect", {"task": "t-1"}, **AGENT)
        assert call(home, root, f"{prefix}distill", {"answer": "{}"}, **AGENT)
        assert not call(home, root, f"{prefix}distill", {"answer": ""}, **AGENT)
        assert not call(home, root, f"{prefix}search", {"query": "reflect distill"}, **AGENT)
        assert not call(home, root, f"{prefix}task_reflect", {"task": "t-1"})
    assert not call(home, root, "mcp__other__distill", {"answer": "{}"}, **AGENT)


def test_what_only_speaks_of_it_is_left_alone(home: Path, root: Path) -> None:
    for command in (
        "grep -rn 'mvault reflect' docs",
        "mvault search reflect",
        "mvault distill prepare",
    ):
        assert shell(home, root, command, **AGENT) == ""
    text = {"file_path": "a.md", "content": "mvault reflect commit"}
    assert call(home, root, "Write", text, **AGENT) == ""
    assert shell(home, root, "mvault reflect commit", agent_id="a1", agent_type="") == ""


def test_it_is_said_in_the_language_of_the_session(home: Path, root: Path) -> None:
    prompt = {"hook_event_name": "UserPromptSubmit", "session_id": "s1", "cwd": str(root)}
    raw = json.dumps({**prompt, "prompt": "把导入器的测试修好"}, ensure_ascii=False).encode()
    hook("claude-code", "user-prompt-submit", raw, state_of(home))
    assert shell(home, root, "mvault reflect commit", **AGENT) == words.ONLY_MAIN_CHINESE


MAIN: dict[str, Any] = {"session_id": "s1"}
RULE = "---\nid: r-0000001\nkind: rule\nstatus: active\nforce: required\n---\n\n# 先跑测试\n"


def event(home: Path, folder: Path, name: str, **more: Any) -> dict[str, Any]:
    payload = {**MAIN, "hook_event_name": name, "cwd": str(folder), **more}
    return check_answer("claude-code", name, hook("claude-code", name, payload, state_of(home)))


@pytest.mark.parametrize("key", ["agent_id", "agentId"])
def test_no_event_inside_of_it_touches_the_session_it_works_for(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, key: str
) -> None:
    """Whatever a host calls it, and however the payload names the agent."""
    folder = make_vault(tmp_path, {"playbook/r.md": RULE})
    monkeypatch.setenv("MVAULT", str(folder))
    agent = {key: "a1", "agent_type": "Explore"}
    assert "先跑测试" in str(event(home, folder, "SessionStart", source="startup"))
    kept = state_of(home) / "hook"
    before = {p: p.read_bytes() for p in kept.glob("sessions/*")}

    inside = event(home, folder, "SessionStart", source="startup", **agent)
    assert "先跑测试" not in str(inside)
    assert "mvault" in inside["hookSpecificOutput"]["additionalContext"]  # where memory is
    for name, more in (
        ("UserPromptSubmit", {"prompt": "先跑测试吗"}),
        ("Stop", {}),
        ("PreCompact", {"trigger": "auto"}),
        ("SessionEnd", {"reason": "other"}),
    ):
        assert event(home, folder, name, **more, **agent) == {}, name

    assert {p: p.read_bytes() for p in kept.glob("sessions/*")} == before
    assert not list(kept.glob("ended/*"))
    assert shell(home, folder, "mvault reflect commit", **agent) == words.ONLY_MAIN
