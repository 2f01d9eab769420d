"""The encoders: what goes in, what a host is given, and never a key it does not take."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hook_answers import FILES, check_answer, load

from vault_cli.hook import events, replies

REPLY = {
    "context": "The project uses make test.",
    "deny": "npx tsc failed here before",
    "notice": "用 `mvault review`",
}


@pytest.mark.parametrize("file", FILES)
def test_an_answer_with_everything_in_it_is_what_the_host_takes(file: str) -> None:
    host, name, _ = load(file)
    canonical = events.find_host(host)
    for reply in (REPLY, {**REPLY, "warn": "once"}, {"warn": "once"}, {"context": ""}, {}):
        check_answer(host, name, replies.encode(canonical, name, reply))
    check_answer(host, name, replies.empty(canonical, name))


EVENTS = ["sessionStart", "userPromptSubmitted", "preToolUse", "postToolUse", "agentStop"]


@pytest.mark.parametrize("name", [*EVENTS, "subagentStart", "errorOccurred"])
def test_copilot(name: str) -> None:
    check_answer("copilot", name, replies.encode(events.COPILOT, name, REPLY))


def test_vs_code_is_answered_in_its_own_words() -> None:
    data = json.loads(replies.encode(events.COPILOT, "PreToolUse", {"deny": "no"}))

    assert data["hookSpecificOutput"]["permissionDecision"] == "deny"


@pytest.mark.parametrize("name", ["beforeShellExecution", "preToolUse", "beforeSubmitPrompt"])
def test_cursor(name: str) -> None:
    data = check_answer("cursor", name, replies.encode(events.CURSOR, name, REPLY))

    assert data.get("permission", "deny") == "deny"


@pytest.mark.parametrize(
    ("host", "name", "where"),
    [
        ("claude-code", "PreToolUse", ("hookSpecificOutput", "permissionDecisionReason")),
        ("codex", "PreToolUse", ("hookSpecificOutput", "permissionDecisionReason")),
        ("dsh", "PreToolUse", ("hookSpecificOutput", "permissionDecisionReason")),
        ("gemini-cli", "BeforeTool", ("reason",)),
        ("cursor", "beforeShellExecution", ("agent_message",)),
        ("copilot", "preToolUse", ("permissionDecisionReason",)),
    ],
)
@pytest.mark.parametrize("key", ["deny", "warn"])
def test_a_refusal_reaches_every_host(
    host: str, name: str, where: tuple[str, ...], key: str
) -> None:
    data: Any = json.loads(replies.encode(host, name, {key: "因为失败过"}))
    for step in where:
        data = data[step]

    assert data == "因为失败过"


@pytest.mark.parametrize("name", ["Stop", "SubagentStop", "SessionEnd", "PreCompact", "Interrupt"])
def test_codex_is_never_given_hook_specific_output_where_it_knows_none(name: str) -> None:
    assert "hookSpecificOutput" not in json.loads(replies.encode(events.CODEX, name, REPLY))


@pytest.mark.parametrize("key", ["deny", "warn"])
@pytest.mark.parametrize(
    ("said", "given"),
    [("It failed. It passes.", "It failed. It passes"), ("不要这样做。", "不要这样做。")],
)
def test_codex_puts_the_full_stop_behind_a_refusal_itself(key: str, said: str, given: str) -> None:
    for host, wanted in ((events.CODEX, given), (events.CLAUDE, said)):
        data = json.loads(replies.encode(host, "PreToolUse", {key: said}))
        assert data["hookSpecificOutput"]["permissionDecisionReason"] == wanted


def test_nothing_to_say_is_an_empty_object() -> None:
    assert replies.encode(events.CODEX, "PostToolUse", {}) == b"{}"
    assert replies.encode("no such host", "SessionStart", REPLY) == b"{}"
    assert replies.empty(events.CLAUDE, "Stop") == b"{}"


@pytest.mark.parametrize("host", events.HOSTS)
@pytest.mark.parametrize("line", ["x" * 79, "项目的测试总是用 make test 来跑", "🙂 emoji 🙃 " * 4])
def test_the_cap_is_counted_in_the_hosts_unit_and_the_cut_is_said(host: str, line: str) -> None:
    text = (line + "\n") * 500
    name = events.native_event(host, events.SESSION_START)
    data = check_answer(host, name, replies.encode(host, name, {"context": text}))
    given = next(iter(data.values()))
    given = given["additionalContext"] if isinstance(given, dict) else given

    *kept, note, end = given.split("\n")
    assert set(kept) == {line}
    assert "cut here" in note
    assert end == ""
    room, unit = replies.room_of(host)
    assert room - 200 < replies.measure(given, unit) <= room


def test_claude_takes_three_times_as_much_chinese_as_codex() -> None:
    text = "记" * 9_000
    claude, codex = (
        json.loads(replies.encode(host, "SessionStart", {"context": text}))
        for host in (events.CLAUDE, events.CODEX)
    )

    assert claude["hookSpecificOutput"]["additionalContext"] == text
    assert "cut here" in codex["hookSpecificOutput"]["additionalContext"]


@pytest.mark.parametrize(
    ("spelling", "event"),
    [
        ("PreToolUse", "pre-tool"),
        ("pre-tool-use", "pre-tool"),
        ("pre-tool", "pre-tool"),
        ("BeforeTool", "pre-tool"),
        ("beforeShellExecution", "pre-tool"),
        ("UserPromptSubmit", "prompt"),
        ("BeforeAgent", "prompt"),
        ("userPromptSubmitted", "prompt"),
        ("PostToolUseFailure", "tool-failure"),
        ("PreCompress", "pre-compact"),
        ("AfterAgent", "stop"),
        ("agentStop", "stop"),
        ("session_start", "session-start"),
        ("UserPromptExpansion", "other"),
        ("PermissionRequest", "other"),
        ("", "other"),
    ],
)
def test_every_spelling_of_an_event(spelling: str, event: str) -> None:
    assert events.find_event(spelling) == event


def test_hosts_by_their_other_names() -> None:
    assert [events.find_host(n) for n in ("claude", "gemini", "dsh-claude-bridge", "x")] == [
        *("claude-code", "gemini-cli", "dsh", "")
    ]


@pytest.mark.parametrize("host", events.HOSTS)
def test_an_event_leads_back_from_its_native_name(host: str) -> None:
    for event in (events.SESSION_START, events.PROMPT, events.PRE_TOOL, events.STOP):
        assert events.find_event(events.native_event(host, event)) == event
