"""How much work a turn was is counted by the one table of tool names."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from vault_cli.hook import events, spool, work

PROMPT = b'{"session_id":"s1","prompt":"go"}'
CHINESE = '{"session_id":"s1","prompt":"请改一下登录页面的样式"}'.encode()


def turn(state: Path, prompt: bytes, tool: str) -> str:
    raw = json.dumps({"session_id": "s1", "tool_name": tool, "tool_input": {}}).encode()
    spool.append(str(state), (1, events.CLAUDE, events.PROMPT), prompt)
    spool.append(str(state), (2, events.CLAUDE, events.POST_TOOL), raw)
    return work.unrecorded(str(state), "s1")


@pytest.mark.parametrize(
    "tool",
    ["Edit", "MultiEdit", "apply_patch", "search_replace", "insert_edit_into_file", "editFiles"],
)
def test_a_changed_file_is_work_whatever_the_host_calls_the_tool(tmp_path: Path, tool: str) -> None:
    assert "changed 1 file" in turn(tmp_path, PROMPT, tool)


def test_it_is_said_in_the_language_of_the_prompt(tmp_path: Path) -> None:
    assert "1 个文件" in turn(tmp_path, CHINESE, "Write")


@pytest.mark.parametrize("tool", ["Read", "Grep", "mcp__x__edit", ""])
def test_looking_at_a_file_is_no_change(tmp_path: Path, tool: str) -> None:
    assert turn(tmp_path, PROMPT, tool) == ""


@pytest.mark.parametrize(
    "tool",
    [
        "mcp__mvault__remember",
        "mcp__plugin_mvault_mvault__remember",
        "mcp_mvault_remember",
        "mcp__mvault__mark",
    ],
)
def test_what_was_recorded_over_mcp_is_recorded(tmp_path: Path, tool: str) -> None:
    assert "changed 1 file" in turn(tmp_path, PROMPT, "Write")
    assert "changed 1 file" in turn(tmp_path, PROMPT, "Write")
    raw = json.dumps({"session_id": "s1", "tool_name": tool, "tool_input": {}}).encode()
    spool.append(str(tmp_path), (3, events.CODEX, events.POST_TOOL), raw)
    assert work.unrecorded(str(tmp_path), "s1") == ""


def test_a_call_that_two_installations_took_down_counts_once(tmp_path: Path) -> None:
    spool.append(str(tmp_path), (1, events.CODEX, events.PROMPT), PROMPT)
    for number in range(work.LEAST_CALLS - 1):
        call = {"session_id": "s1", "tool_name": "Bash", "tool_use_id": f"call_{number}"}
        for _ in range(2):
            raw = json.dumps(call).encode()
            spool.append(str(tmp_path), (2, events.CODEX, events.POST_TOOL), raw)
    assert work.unrecorded(str(tmp_path), "s1") == ""
