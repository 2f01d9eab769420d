"""How a tool call ended, out of every host's payload."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from helpers import DATA

from vault_cli.hook import events
from vault_cli.hook.fingerprint import fingerprint
from vault_cli.hosts.outcomes import key_of, read_sighting
from vault_cli.model.sighting import Sighting
from vault_cli.text.exit_words import exit_code_in, is_code, output_of

PAYLOADS = DATA / "hook-payloads"


def read(host: str, payload: dict[str, Any], event: str = "") -> Sighting | None:
    name = event or events.find_event(str(payload.get("hook_event_name", "")))
    return read_sighting(events.find_host(host), name, payload, 7, "mark")


def stored(file: str) -> dict[str, Any]:
    data: dict[str, Any] = json.loads((PAYLOADS / file).read_text(encoding="utf-8"))
    return data


@pytest.mark.parametrize(
    ("file", "tool", "given", "failed", "code"),
    [
        ("claude-code/PostToolUse.json", "shell", "make test", False, None),
        ("claude-code/PostToolUseFailure.json", "shell", "python3 -m pytest -q tests", True, 1),
        ("claude-code/PostToolUseFailure.read.json", "read",
         "/home/dev/work/demo-app/missing.txt", True, None),
        ("claude-code/PostToolUseFailure.mcp.json", "mcp:vault/search_memories", "x", True, None),
        ("claude-code/PostToolUse.edit.json", "edit", "/home/dev/work/demo-app/notes.txt", False,
         None),
        ("claude-code/PostToolUse.powershell.json", "shell", "Get-ChildItem", False, None),
        ("codex/PostToolUse.json", "shell", "make test", None, None),
        ("codex/PostToolUse.apply_patch.json", "edit",
         "*** Begin Patch\n*** Add File: notes.txt\n+hello\n*** End Patch", False, 0),
        ("codex/PostToolUse.mcp.json", "mcp:vault/search", "tests", False, None),
        ("dsh-claude-bridge/PostToolUse.json", "shell", "make test", None, None),
        ("gemini-cli/AfterTool.json", "shell", "make test", None, None),
    ],
)  # fmt: skip
def test_stored_payloads(
    file: str, tool: str, given: str, failed: bool | None, code: int | None
) -> None:
    seen = read(file.split("/", 1)[0], stored(file))
    assert seen is not None
    assert (seen.tool, seen.given, seen.failed, seen.exit_code) == (tool, given, failed, code)
    assert bool(seen.text) is bool(failed)
    assert seen.cwd == "/home/dev/work/demo-app"


@pytest.mark.parametrize("line", ["Exit code 1", "exit code: 2", "Process exited with code 3"])
def test_what_a_program_printed_is_no_word_about_its_own_end(line: str) -> None:
    """`cat build.log` goes well, whatever stands in the log."""
    payload = stored("claude-code/PostToolUse.json")
    payload["tool_response"] |= {"stdout": f"构建日志\n{line}\n", "stderr": ""}
    seen = read("claude-code", payload)
    assert seen is not None
    assert (seen.failed, seen.exit_code, seen.text) == (False, None, "")


SAYS = "/usr/bin/python3: No module named pytest"


@pytest.mark.parametrize(
    ("host", "payload"),
    [
        ("claude-code", {"hook_event_name": "PostToolUseFailure", "tool_name": "Bash",
                         "tool_input": {"command": "x"}, "error": f"Exit code 1\n{SAYS}"}),
        ("dsh", {"hook_event_name": "PostToolUse", "tool_name": "bash",
                 "tool_input": {"command": "x"},
                 "tool_response": f"[stderr]\n{SAYS}\n[exit code: 1]"}),
        ("codex", {"hook_event_name": "PostToolUse", "tool_name": "shell",
                   "tool_input": {"command": ["bash", "-lc", "x"]},
                   "tool_response": json.dumps(
                       {"output": SAYS, "metadata": {"exit_code": 1}})}),
        ("codex", {"hook_event_name": "PostToolUse", "tool_name": "Bash",
                   "tool_input": {"command": "x"},
                   "tool_response": f"Exit code: 1\nWall time: 0.1 seconds\nOutput:\n{SAYS}\n"}),
        ("gemini-cli", {"hook_event_name": "AfterTool", "tool_name": "run_shell_command",
                        "tool_input": {"command": "x"},
                        "tool_response": {"llmContent": SAYS, "error": {"message": SAYS},
                                          "exitCode": 1}}),
        ("gemini-cli", {"hook_event_name": "AfterTool", "tool_name": "run_shell_command",
                        "tool_input": {"command": "x"},
                        "tool_response": {"llmContent": "<untrusted_context>\nOutput: " + SAYS
                                          + "\nExit Code: 1\nProcess Group PGID: 7\n"
                                          "</untrusted_context>", "returnDisplay": SAYS}}),
        ("opencode", {"hook_event_name": "PostToolUse", "tool_name": "bash",
                      "tool_input": {"command": "x"},
                      "tool_response": {"output": SAYS, "metadata": {
                          "output": SAYS, "exit": 1, "truncated": False}}}),
        ("copilot", {"hookEventName": "postToolUse", "toolName": "bash",
                     "toolArgs": {"command": "x"},
                     "toolResult": {"resultType": "success", "textResultForLlm":
                                    SAYS + "\n<shellId: 1 completed with exit code 1>"}}),
        ("copilot", {"hookEventName": "postToolUse", "toolName": "bash",
                     "toolArgs": '{"command": "x"}',
                     "toolResult": {"resultType": "failure", "textResultForLlm": SAYS,
                                    "exitCode": 1}}),
    ],
)  # fmt: skip
def test_the_same_failure_is_one_on_every_host(host: str, payload: dict[str, Any]) -> None:
    event = events.find_event(str(payload.get("hook_event_name") or payload.get("hookEventName")))
    seen = read(host, payload, event)
    assert seen is not None
    assert (seen.tool, seen.given, seen.failed, seen.exit_code) == ("shell", "x", True, 1)
    assert fingerprint(seen.tool, seen.text)[0] == fingerprint("Bash", f"Exit code 1\n{SAYS}")[0]


def test_codex_is_looked_up_in_its_log(tmp_path: Path) -> None:
    log = tmp_path / "rollout.jsonl"
    log.write_bytes((DATA / "transcripts" / "codex-0.171.0-rollout.jsonl").read_bytes())
    payload = {**stored("codex/PostToolUse.failure.json"), "transcript_path": str(log)}
    seen = read("codex", payload)
    assert seen is not None
    assert (seen.failed, seen.exit_code) == (True, 1)
    assert seen.text.startswith("Exit code 1\n")
    fine = read("codex", {**stored("codex/PostToolUse.json"), "transcript_path": str(log)})
    assert fine is not None
    assert (fine.failed, fine.exit_code) == (False, 0)
    for odd in (str(tmp_path), "/dev/zero", "/no/such", "\0"):
        seen = read("codex", {**payload, "transcript_path": odd})
        assert seen is not None
        assert seen.failed is None


def test_a_person_who_stops_a_call_is_no_failure_of_it() -> None:
    payload = {**stored("claude-code/PostToolUseFailure.json"), "is_interrupt": True}
    seen = read("claude-code", payload)
    assert seen is not None
    assert seen.interrupted


@pytest.mark.parametrize(
    "payload",
    [{}, {"tool_name": ""}, {"tool_name": 7}, {"tool_input": {"x": 1}}, {"tool_response": [1]}],
)
def test_what_tells_of_no_call_is_none(payload: dict[str, Any]) -> None:
    assert read("claude-code", payload, events.POST_TOOL) is None


def test_exit_codes_are_found_where_hosts_write_them() -> None:
    assert exit_code_in("Exit code 127\nx") == 127
    assert exit_code_in("x\n[exit code: 2]") == 2
    assert exit_code_in("Chunk ID: 1\nProcess exited with code 0\n") == 0
    assert exit_code_in("the exit code 3 is odd") is None


@pytest.mark.parametrize(
    ("line", "says_only_that"),
    [
        ("Exit code 1", True),
        ("exit code: -2 ", True),
        ("Exit code mismatch: expected 0, got 3", False),
        ("exit codes are documented", False),
        ("退出码 1", False),
    ],
)
def test_a_line_that_says_more_than_a_code_is_output(line: str, *, says_only_that: bool) -> None:
    assert is_code(line) is says_only_that


def test_a_call_is_named_by_its_session_and_id() -> None:
    assert key_of("codex", "s", "c", "a") == key_of("codex", "s", "c", "b")
    assert key_of("codex", "s", "", "a") != key_of("codex", "s", "", "b")
    assert key_of("codex", "", "c", "a") == key_of("dsh", "", "", "a")


@pytest.mark.parametrize(
    ("answer", "code", "output"),
    [
        ("Exit code 2\nerror: 没有这个文件\n", 2, "error: 没有这个文件\n"),
        ("Exit code 127", 127, "Exit code 127"),
        ("Chunk ID: 1\nProcess exited with code 3\nOutput:\nboom\n", 3, "boom\n"),
        ("[stderr]\nboom\n[exit code: 4]", 4, "boom"),
        ("boom\n<shellId: a1 completed with exit code 5>", 5, "boom"),
        (
            "<untrusted_context>\nOutput: boom\nExit Code: 6\n</untrusted_context>", 6, "boom",
        ),
        ("the build said\n[exit code: 1]\nand went on", None, None),
        ("log of yesterday\nExit code 1", None, None),
        ("昨天的日志\nProcess exited with code 3\nand on", None, None),
        ("a log\nProcess exited with code 3\n[exit code: 4]", 4, "a log\nProcess exited with code 3"),
        ("a log\nExit Code: 3\nand on", None, None),
        (
            "<untrusted_context>\nOutput: a log\nExit Code: 3\nand on\nSignal: 0\n</untrusted_context>",
            None,
            "a log\nExit Code: 3\nand on",
        ),
        ("Output: boom\nError: (none)\nExit Code: 6\nSignal: (none)", 6, None),
        ("x" * 400_000 + "\n[exit code: 7]", 7, "x" * 400_000),
    ],
)  # fmt: skip
def test_hooks_and_logs_read_one_set_of_words(
    answer: str, code: int | None, output: str | None
) -> None:
    assert exit_code_in(answer) == code
    assert output_of(answer) == (answer if output is None else output)
