"""Session logs of three programs: one stream of events, whatever the shape of the lines."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from helpers import DATA

from vault_cli.hosts.transcripts import stream
from vault_cli.hosts.transcripts.parts import read_arguments
from vault_cli.hosts.transcripts.places import find_logs, log_folder, logs_below
from vault_cli.hosts.transcripts.reading import Log, LogError
from vault_cli.hosts.transcripts.stream import LONGEST_LINE, Stream
from vault_cli.model.transcript import Event

LOGS = DATA / "transcripts"
CORRECTION = "No, that's wrong. In this repo always use make test, never call pytest directly."
FIXTURES = {
    "claude-code-2.1.332.jsonl": "claude-code",
    "codex-0.171.0-rollout.jsonl": "codex",
    "codex-legacy-rollout.jsonl": "codex",
    "dsh-session-v0.jsonl": "dsh",
}


def events(path: Path, **more: Any) -> list[Event]:
    return list(Log(path, **more).events())


def write(path: Path, *lines: Any, end: str = "\n") -> Path:
    text = "\n".join(line if isinstance(line, str) else json.dumps(line) for line in lines)
    path.write_text(text + end, encoding="utf-8")
    return path


def prompts(path: Path) -> list[str]:
    return [event.text for event in events(path) if event.kind == "user"]


@pytest.mark.parametrize(("name", "host"), FIXTURES.items())
def test_a_log_tells_prompts_calls_and_failures(name: str, host: str) -> None:
    log = Log(LOGS / name)
    found = list(log.events())
    assert log.host == host
    assert log.session.cwd == "/home/dev/work/demo-app"
    assert not log.session.is_subagent
    assert log.notes == []
    assert log.end == (LOGS / name).stat().st_size
    assert [e.text for e in found if e.kind == "user"] == ["Run the tests", CORRECTION]
    failed = [e for e in found if e.kind == "result" and e.failed]
    assert [(e.exit_code, e.text.strip(), e.input["command"]) for e in failed] == [
        (1, "/usr/bin/python3: No module named pytest", "python3 -m pytest -q tests")
    ]
    places = [e.place for e in found]
    assert places == sorted(places)
    assert all(e.at for e in found)


@pytest.mark.parametrize("name", [n for n in FIXTURES if not n.startswith("dsh")])
def test_what_worked_afterwards_is_told_too(name: str) -> None:
    good = [e for e in events(LOGS / name) if e.kind == "result" and e.failed is False]
    assert [(e.input["command"], e.text.strip()) for e in good] == [("make test", "3 passed")]


def test_codex_and_dsh_are_placed_by_their_own_numbers() -> None:
    found = events(LOGS / "codex-0.171.0-rollout.jsonl")
    assert next(e.place for e in found if e.text == CORRECTION) == 25
    found = events(LOGS / "dsh-session-v0.jsonl")
    assert next(e.place for e in found if e.text == CORRECTION) == 9


def test_a_compaction_is_told_and_its_summary_is_no_prompt() -> None:
    found = events(LOGS / "claude-code-2.1.332.jsonl")
    assert [e.place for e in found if e.kind == "compaction"] == [28]


# Claude Code: who typed it


def claude(content: Any, **more: Any) -> dict[str, Any]:
    return {
        "type": "user",
        "sessionId": "s-1",
        "cwd": "/w",
        "version": "2.1.332",
        "userType": "external",
        "isSidechain": False,
        "timestamp": "2026-11-30T10:00:00Z",
        "message": {"role": "user", "content": content},
        **more,
    }


@pytest.mark.parametrize(
    "line",
    [
        claude("x", isSidechain=True),
        claude("x", isMeta=True),
        claude("x", isCompactSummary=True),
        claude("x", isVisibleInTranscriptOnly=True),
        claude("x", rowSource="harness"),
        claude("x", turnCompanion=True),
        claude("x", userType="internal"),
        claude("x", origin={"kind": "task-notification"}),
        claude("<command-name>/compact</command-name>"),
        claude("<local-command-stdout>Compacted</local-command-stdout>"),
        claude("<bash-input>ls</bash-input>"),
        claude("<task-notification>done</task-notification>"),
        claude("[Request interrupted by user for tool use]"),
        claude("This session is being continued from a previous conversation that ran out."),
        claude([{"type": "text", "text": "Base directory for this skill: /x"}], isMeta=True),
        claude([{"type": "text", "text": "[Request interrupted by user]"}]),
        claude([{"type": "tool_result", "tool_use_id": "t", "content": "no, that's wrong"}]),
        claude("<system-reminder>No, that's wrong.</system-reminder>"),
        claude(""),
        claude(None),
        claude(7),
        {"type": "attachment", "cwd": "/w", "attachment": {"type": "hook", "content": "x"}},
        {"type": "queue-operation", "operation": "enqueue", "content": "x", "sessionId": "s-1"},
        {"type": "last-prompt", "lastPrompt": "x", "sessionId": "s-1"},
    ],
)
def test_what_the_program_or_an_agent_put_there_is_no_prompt(
    tmp_path: Path, line: dict[str, Any]
) -> None:
    path = write(tmp_path / "s-1.jsonl", claude("first 第一"), line)
    assert prompts(path) == ["first 第一"]


@pytest.mark.parametrize("text", ["No response requested.", "API Error: 529 过载"])
def test_what_the_program_says_for_the_model_is_not_the_agents_word(
    tmp_path: Path, text: str
) -> None:
    said = claude([{"type": "text", "text": "我用了 npm。 I used npm."}], type="assistant")
    message = {"model": "<synthetic>", "content": [{"type": "text", "text": text}]}
    path = write(tmp_path / "s-1.jsonl", said, claude("", type="assistant", message=message))
    assert [e.text for e in events(path) if e.kind == "agent"] == ["我用了 npm。 I used npm."]


def test_a_prompt_with_a_picture_and_with_a_reminder_behind_it(tmp_path: Path) -> None:
    picture = [{"type": "image", "source": {}}, {"type": "text", "text": "不对，看图"}]
    reminder = "真正的话\n<system-reminder>\nmemory\n</system-reminder>"
    path = write(tmp_path / "s-1.jsonl", claude(picture), claude(reminder))
    assert prompts(path) == ["不对，看图", "真正的话"]
    blocks = [{"type": "text", "text": "<ide_opened_file>a.py"}, {"type": "text", "text": "不对"}]
    marked = claude(blocks, promptSource="ide")
    assert prompts(write(path, marked, claude(blocks))) == ["不对"]


def queued(prompt: Any, **more: Any) -> dict[str, Any]:
    line = claude(None, type="attachment", **more)
    del line["message"]
    return {**line, "attachment": {"type": "queued_command", "prompt": prompt, **more}}


def test_what_a_person_typed_while_the_agent_worked(tmp_path: Path) -> None:
    human = {"origin": {"kind": "human"}}
    blocks = [{"type": "text", "text": "还是不行"}, {"type": "image", "source": {}}]
    path = write(
        tmp_path / "s-1.jsonl",
        claude("go"),
        queued("No, use tabs", **human),
        queued(blocks, **human),
        queued("<task-notification>No!</task-notification>", **human),
        queued("No, says another agent", origin={"kind": "peer"}),
        queued("No, says nobody"),
        queued("No, in a sub-agent", isSidechain=True, **human),
        queued(7, **human),
    )
    assert prompts(path) == ["go", "No, use tabs", "还是不行"]


def test_lines_of_older_versions(tmp_path: Path) -> None:
    old = {
        "type": "user", "sessionId": "s-1", "cwd": "/w", "version": "1.0.30", "uuid": "u",
        "message": {"role": "user", "content": "Use tabs"},
    }  # fmt: skip
    said = {
        "type": "assistant", "sessionId": "s-1", "cwd": "/w", "version": "1.0.30",
        "message": {"role": "assistant", "content": [
            {"type": "text", "text": "Running."},
            {"type": "tool_use", "id": "t1", "name": "Bash", "input": {"command": "make"}}]},
    }  # fmt: skip
    result = {**old, "message": {"role": "user", "content": [
        {"type": "tool_result", "tool_use_id": "t1", "is_error": True,
         "content": [{"type": "text", "text": "make: *** No rule"}]}]}}  # fmt: skip
    summary = {"type": "summary", "summary": "Tabs", "leafUuid": "u"}
    found = events(write(tmp_path / "s-1.jsonl", summary, old, said, result))
    kinds = [e.kind for e in found]
    assert kinds == ["turn", "user", "agent", "call", "result"]
    assert found[-1].failed is True
    assert found[-1].tool == "Bash"


def test_a_sub_agent_s_log_has_results_and_no_prompts(tmp_path: Path) -> None:
    folder = tmp_path / "s-1" / "subagents"
    folder.mkdir(parents=True)
    call = {
        "type": "assistant", "sessionId": "s-1", "cwd": "/w", "agentId": "a7", "isSidechain": True,
        "message": {"content": [{"type": "tool_use", "id": "t", "name": "Bash", "input": {}}]},
    }  # fmt: skip
    failed = claude(
        [
            {
                "type": "tool_result",
                "tool_use_id": "t",
                "is_error": True,
                "content": "Exit code 2\nno",
            }
        ],
        isSidechain=True,
        agentId="a7",
    )
    path = write(folder / "agent-a7.jsonl", claude("No, that's wrong", isSidechain=True, agentId="a7"),
                 claude("不对，以后用 make", agentId="a7"), call, failed)  # fmt: skip
    log = Log(path)
    found = list(log.events())
    assert log.session.is_subagent
    assert log.session.id == "s-1/agent-a7"
    assert [e.kind for e in found] == ["call", "result"]
    assert (found[1].failed, found[1].exit_code, found[1].text) == (True, 2, "no")


@pytest.mark.parametrize(
    "said",
    [
        "The user doesn't want to proceed with this tool use. STOP",
        "PreToolUse:Bash hook error: use make check",
        "<tool_use_error>File has not been read yet</tool_use_error>",
        "Permission to use Bash has been denied.",
        "[Request interrupted by user for tool use]",
    ],
)
def test_a_call_that_never_ran_did_not_fail(tmp_path: Path, said: str) -> None:
    line = claude([{"type": "tool_result", "tool_use_id": "t", "is_error": True, "content": said}])
    found = events(write(tmp_path / "s.jsonl", line))
    assert [e.failed for e in found] == [None]


# Codex: both shapes, all forms of output


def codex(kind: str, **payload: Any) -> dict[str, Any]:
    return {"timestamp": "2026-11-30T10:00:00Z", "type": kind, "payload": payload}


META = codex("session_meta", id="c-1", cwd="/w", cli_version="0.171.0", source="exec")


def say(text: str) -> dict[str, Any]:
    return codex("response_item", type="message", role="user",
                 content=[{"type": "input_text", "text": text}])  # fmt: skip


def typed(text: str) -> dict[str, Any]:
    return codex("event_msg", type="user_message", message=text)


@pytest.mark.parametrize(
    ("output", "failed", "code", "text"),
    [
        ("Chunk ID: 1\nWall time: 0 s\nProcess exited with code 3\nOutput:\nbad\n", True, 3, "bad\n"),
        ("Chunk ID: 1\nProcess exited with code 0\nOutput:\ngood\n", False, 0, "good\n"),
        (json.dumps({"output": "bad\n", "metadata": {"exit_code": 1}}), True, 1, "bad\n"),
        ("Exit code: 2\nWall time: 0.2 seconds\nOutput:\nbad\n", True, 2, "bad\n"),
        ({"content": "bad", "success": False}, True, None, "bad"),
        ({"output": "fine", "success": True}, False, None, "fine"),
        ([{"type": "input_text", "text": "only words"}], None, None, "only words"),
        ("only words", None, None, "only words"),
        ("{not json", None, None, "{not json"),
        ("Command blocked by PreToolUse hook: use make. Command: x", None, None, None),
        (None, None, None, ""),
    ],
)  # fmt: skip
def test_forms_of_a_codex_output(
    tmp_path: Path, output: Any, failed: bool | None, code: int | None, text: str | None
) -> None:
    call = codex("response_item", type="function_call", name="shell",
                 arguments=json.dumps({"command": ["bash", "-lc", "x"]}), call_id="1")  # fmt: skip
    answer = codex("response_item", type="function_call_output", call_id="1", output=output)
    found = events(write(tmp_path / "rollout-1.jsonl", META, call, answer))
    result = found[-1]
    assert (result.kind, result.failed, result.exit_code) == ("result", failed, code)
    assert result.input["command"] == "x"
    if text is not None:
        assert result.text == text


def test_a_command_that_goes_on_has_no_result_yet(tmp_path: Path) -> None:
    call = codex("response_item", type="function_call", name="exec_command",
                 arguments='{"cmd": "make watch"}', call_id="1")  # fmt: skip
    first = codex("response_item", type="function_call_output", call_id="1",
                  output="Process running with session ID 7\nOutput:\n")  # fmt: skip
    done = codex("event_msg", type="item_completed", item={
        "type": "CommandExecution", "id": "1", "command": ["bash", "-lc", "make watch"],
        "status": "failed", "exit_code": 2, "aggregated_output": "no rule"})  # fmt: skip
    found = events(write(tmp_path / "rollout-1.jsonl", META, call, first, done))
    assert [(e.kind, e.failed) for e in found] == [("call", None), ("result", True)]


@pytest.mark.parametrize("has_item", [True, False], ids=["0.171", "older"])
@pytest.mark.parametrize("said", ["ENOENT: no lockfile", "找不到锁文件"])
def test_a_command_that_went_on_failed_once(tmp_path: Path, said: str, *, has_item: bool) -> None:
    def call(number: int, name: str, **given: Any) -> Any:
        return codex("response_item", type="function_call", name=name, call_id=f"c{number}",
                     arguments=json.dumps(given))  # fmt: skip

    def answer(number: int, words: str) -> Any:
        text = f"Chunk ID: 9\nWall time: 10 seconds\n{words}\nOriginal token count: 5\nOutput:\n"
        output = text + (said + "\n" if "exited" in words else "")
        return codex("response_item", type="function_call_output", call_id=f"c{number}",
                     output=output)  # fmt: skip

    item = {"type": "CommandExecution", "id": "c1", "command": ["/bin/bash", "-lc", "make deps"],
            "status": "failed", "exit_code": 4, "aggregated_output": said + "\n"}  # fmt: skip
    running = "Process running with session ID 32628"
    lines = [
        META,
        call(1, "exec_command", cmd="make deps"),
        answer(1, running),
        call(2, "write_stdin", session_id=32628, chars=""),
        answer(2, running),
        call(3, "write_stdin", session_id=32628, chars=""),
        *([codex("event_msg", type="item_completed", item=item)] if has_item else []),
        answer(3, "Process exited with code 4"),
    ]
    found = [e for e in events(write(tmp_path / "rollout-x.jsonl", *lines)) if e.kind == "result"]
    assert [(e.call, e.input["command"], e.exit_code, e.text.strip()) for e in found] == [
        ("c1", "make deps", 4, said)
    ]


def test_a_prompt_of_codex_counts_once_and_injected_ones_never(tmp_path: Path) -> None:
    path = write(
        tmp_path / "rollout-1.jsonl",
        META,
        say("# AGENTS.md instructions for /w\n\nNever do this again."),
        say("<environment_context>x</environment_context>"),
        say("<hook_prompt>No, that's wrong</hook_prompt>"),
        say("不对，用 make"),
        typed("不对，用 make"),
        {
            **typed(""),
            "payload": {"type": "user_message", "message": "Never!", "kind": "user_instructions"},
        },
        say("what a hook added in the user's role"),
    )
    assert prompts(path) == ["不对，用 make"]


def test_a_codex_log_without_events_is_read_by_its_items(tmp_path: Path) -> None:
    bare = [
        {"id": "c-0", "timestamp": "2025-05-01T10:00:00Z", "instructions": None},
        {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Run it"}]},
        {"type": "message", "role": "user",
         "content": [{"type": "input_text", "text": "<environment_context>x"}]},
        {"type": "function_call", "name": "shell", "call_id": "1",
         "arguments": json.dumps({"command": ["bash", "-lc", "make"]})},
        {"type": "function_call_output", "call_id": "1",
         "output": json.dumps({"output": "no", "metadata": {"exit_code": 2}})},
        {"record_type": "state"},
    ]  # fmt: skip
    log = Log(write(tmp_path / "rollout-0.jsonl", *bare))
    found = list(log.events())
    assert [e.kind for e in found] == ["user", "call", "result"]
    assert log.session.id == "c-0"
    assert not log.skipped


@pytest.mark.parametrize(
    "meta",
    [
        {"source": {"subagent": {"thread_spawn": {"parent_thread_id": "p"}}}},
        {"source": "subagent"},
        {"source": "exec", "thread_source": "subagent"},
        {"source": "exec", "thread_source": "memory"},
    ],
)
def test_prompts_of_codex_s_own_agents_are_nobody_s(tmp_path: Path, meta: dict[str, Any]) -> None:
    head = codex("session_meta", id="c-2", cwd="/w", cli_version="0.171.0", **meta)
    log = Log(write(tmp_path / "rollout-2.jsonl", head, typed("No, that's wrong")))
    assert [e for e in log.events() if e.kind == "user"] == []
    assert log.session.is_subagent


def test_a_turn_that_an_agent_began_is_nobody_s(tmp_path: Path) -> None:
    begun = codex(
        "event_msg", type="task_started", turn_attribution={"initiating_agent_path": "/a"}
    )
    mine = codex("event_msg", type="task_started", turn_attribution={"initiating_agent_path": None})
    path = write(tmp_path / "rollout-1.jsonl", META, begun, typed("No!"), mine, typed("不对"))
    assert prompts(path) == ["不对"]


# DSH: zstd frames, torn tails


def dsh(kind: str, seq: int, **data: Any) -> dict[str, Any]:
    return {"type": kind, "seq": seq, "time": 1796040000000 + seq * 1000, "data": data}


HEAD = {"type": "session", "version": 0, "id": "d-1", "cwd": "/w", "delegationDepth": 0}


def dsh_prompt(seq: int, text: str, kind: str = "user") -> dict[str, Any]:
    return dsh("user/message", seq, content=[{"type": "text", "text": text}], source={"kind": kind})


def packed(*frames: list[dict[str, Any]]) -> bytes:
    zstd = stream.load_zstd()
    return b"".join(
        zstd.compress("".join(f"{json.dumps(line)}\n" for line in frame).encode())
        for frame in frames
    )


def dsh_log(folder: Path, data: bytes) -> Path:
    path = folder / "d-1" / "session.jsonl.zstd"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return path


def test_dsh_frames_one_after_the_other(tmp_path: Path) -> None:
    frames = [[HEAD], *([dsh_prompt(n, f"第 {n} 句")] for n in range(1, 40))]
    path = dsh_log(tmp_path, packed(*frames))
    assert prompts(path) == [f"第 {n} 句" for n in range(1, 40)]


def test_a_torn_tail_gives_all_before_it_and_is_read_on_later(tmp_path: Path) -> None:
    whole = packed([HEAD], [dsh_prompt(1, "one")], [dsh_prompt(2, "two " * 500)])
    for cut in range(1, 60):
        path = dsh_log(tmp_path, whole[:-cut])
        log = Log(path)
        assert [e.text for e in log.events() if e.kind == "user"][:1] == ["one"]
        assert log.health.torn
    assert len(prompts(dsh_log(tmp_path, whole))) == 2


def test_a_damaged_frame_is_passed_over(tmp_path: Path) -> None:
    first, second, third = (
        packed([HEAD]),
        packed([dsh_prompt(1, "lost")]),
        packed([dsh_prompt(2, "kept")]),
    )
    broken = bytearray(second)
    broken[len(broken) // 2 :] = b"\xff" * (len(broken) - len(broken) // 2)
    log = Log(dsh_log(tmp_path, first + bytes(broken) + third))
    assert [e.text for e in log.events() if e.kind == "user"] == ["kept"]
    assert "damaged" in " ".join(log.notes)


def test_a_small_file_that_unpacks_to_a_large_one_is_bounded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stream, "FREE", 1 << 20)
    bomb = stream.load_zstd().compress(b"x" * (64 << 20))
    log = Log(dsh_log(tmp_path, packed([HEAD], [dsh_prompt(1, "one")]) + bomb))
    assert [e.text for e in log.events() if e.kind == "user"] == ["one"]
    assert "no log is so large" in " ".join(log.notes)


def test_only_people_prompt_and_inherited_events_do_not_count(tmp_path: Path) -> None:
    head = {**HEAD, "seedLength": 2, "parentSession": "d-0"}
    lines = [
        head,
        dsh_prompt(1, "inherited"),
        {"type": "session/end-seed", "seq": 2},
        dsh_prompt(3, "mine"),
        dsh_prompt(4, "a hook's", "plugin"),
        dsh("text-chunks", 5),
        dsh("brand/new", 6),
    ]
    path = tmp_path / "d-1" / "session.jsonl"
    path.parent.mkdir()
    log = Log(write(path, *lines))
    assert [e.text for e in log.events() if e.kind == "user"] == ["mine"]
    assert dict(log.skipped) == {"brand/new": 1}
    assert prompts(write(path, {**HEAD, "origin": "subagent"}, dsh_prompt(1, "x"))) == []
    assert prompts(write(path, {**HEAD, "delegationDepth": 1}, dsh_prompt(1, "x"))) == []


def test_another_format_of_dsh_is_not_read(tmp_path: Path) -> None:
    path = write(tmp_path / "session.jsonl", {**HEAD, "version": 1}, dsh_prompt(1, "x"))
    with pytest.raises(LogError, match="version 1"):
        events(path)


# Any log


def test_lines_of_role_and_content(tmp_path: Path) -> None:
    path = write(tmp_path / "t.jsonl", {"role": "user", "content": "不对"},
                 {"role": "system", "content": "x"}, {"role": "assistant", "content": "ok"})  # fmt: skip
    assert [(e.kind, e.text) for e in events(path)] == [("user", "不对"), ("agent", "ok")]


def test_unknown_lines_are_counted_and_broken_ones_passed_over(tmp_path: Path) -> None:
    deep = "[" * 100_000
    path = write(tmp_path / "s.jsonl", claude("one"), {"type": "hologram", "x": 1}, "{broken", deep,
                 "[1, 2]", '"text"', "", {"type": ["odd"]}, {"no": "type"}, "\x00\x01", claude("two"))  # fmt: skip
    log = Log(path)
    assert [e.text for e in log.events() if e.kind == "user"] == ["one", "two"]
    assert log.skipped["hologram"] == 1
    assert log.health.bad == 5
    assert any("hologram" in note for note in log.notes)


@pytest.mark.parametrize(
    "value", [None, 7, "text", [], {}, [None], [[]], [{"type": None}], True, 1e400]
)
@pytest.mark.parametrize("name", FIXTURES)
def test_no_value_of_another_type_ends_the_reading(tmp_path: Path, name: str, value: Any) -> None:
    lines = [json.loads(line) for line in (LOGS / name).read_text().splitlines()]
    folder = tmp_path / "d"
    folder.mkdir()
    for key in ("message", "payload", "data", "timestamp", "time", "version", "ordinal", "seq"):
        odd = [lines[0], *({**line, key: value} if key in line else line for line in lines[1:])]
        events(write(folder / "s.jsonl", *odd), host=FIXTURES[name])
    for depth in ("content", "item", "arguments", "output", "role", "id", "call_id", "name"):
        odd = [lines[0], *(_replaced(line, depth, value) for line in lines[1:])]
        events(write(folder / "s.jsonl", *odd), host=FIXTURES[name])


def _replaced(value: Any, key: str, new: Any) -> Any:
    if isinstance(value, dict):
        return {k: new if k == key else _replaced(v, key, new) for k, v in value.items()}
    if isinstance(value, list):
        return [_replaced(item, key, new) for item in value]
    return value


def test_a_newer_version_is_read_and_named(tmp_path: Path) -> None:
    log = Log(write(tmp_path / "s.jsonl", claude("one", version="3.4.0")))
    assert [e.text for e in log.events() if e.kind == "user"] == ["one"]
    assert log.notes == ["written by 3.4.0; checked up to 2.1"]


def test_a_line_that_is_not_finished_waits_for_the_next_run(tmp_path: Path) -> None:
    path = write(tmp_path / "s.jsonl", claude("one"), json.dumps(claude("two"))[:-9], end="")
    log = Log(path)
    assert [e.text for e in log.events() if e.kind == "user"] == ["one"]
    assert log.health.torn
    assert log.end < path.stat().st_size


def test_reading_goes_on_at_the_last_turn_but_one(tmp_path: Path) -> None:
    path = write(tmp_path / "s.jsonl", *(claude(f"prompt {n}") for n in range(6)))
    first = Log(path)
    list(first.events())
    assert first.turn_line == 5
    more = Log(path, "", first.turn, first.turn_line)
    assert [(e.place, e.text) for e in more.events() if e.kind == "user"] == [
        (5, "prompt 4"), (6, "prompt 5")]  # fmt: skip
    assert more.session.id == "s-1"
    assert more.end == first.end


def test_very_long_lines_are_passed_over_in_little_memory(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    with path.open("w", encoding="utf-8") as file:
        file.write(json.dumps(claude("one")) + "\n")
        file.write('{"type":"user","image":"')
        for _ in range((LONGEST_LINE >> 20) + 2):
            file.write("x" * (1 << 20))
        file.write('"}\n' + json.dumps(claude("two")) + "\n")
    log = Log(path)
    assert [(e.place, e.text) for e in log.events() if e.kind == "user"] == [(1, "one"), (3, "two")]
    assert log.health.bad == 1
    assert log.end == path.stat().st_size


def test_what_is_no_log_says_so(tmp_path: Path) -> None:
    with pytest.raises(LogError, match="no session log"):
        events(write(tmp_path / "x.jsonl", {"a": 1}, {"b": 2}))
    with pytest.raises(LogError, match="no session log"):
        events(write(tmp_path / "x.jsonl", end=""))
    with pytest.raises(LogError, match=r"[Nn]o such file"):
        events(tmp_path / "gone.jsonl")
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(LogError, match="no plain file"):
        events(tmp_path / "pipe")


def test_the_digest_of_what_was_read_tells_a_rewritten_log(tmp_path: Path) -> None:
    path = write(tmp_path / "s.jsonl", claude("one"), claude("two"), claude("three"))
    place = Log(path)
    list(place.events())
    before = Stream(path, place.turn).prefix_digest()
    with path.open("a") as file:
        file.write(json.dumps(claude("four")) + "\n")
    assert Stream(path, place.turn).prefix_digest() == before
    write(path, claude("ONE"), claude("two"), claude("three"))
    assert Stream(path, place.turn).prefix_digest() != before
    assert Stream(path, 10**9).prefix_digest() == ""


def test_logs_are_found_where_each_program_keeps_them(tmp_path: Path) -> None:
    places = {
        "claude-code": ("CLAUDE_CONFIG_DIR", "projects/-w/s-1.jsonl"),
        "codex": ("CODEX_HOME", "sessions/2026/11/30/rollout-2026-11-30-x.jsonl"),
        "dsh": ("DSH_HOME", "sessions/--w--/d-1/session.jsonl.zstd"),
    }
    environ = {}
    for host, (variable, name) in places.items():
        path = tmp_path / host / name
        path.parent.mkdir(parents=True)
        path.write_text("")
        environ[variable] = str(tmp_path / host)
    below = tmp_path / "claude-code/projects/-w"
    (below / "s-1/subagents").mkdir(parents=True)
    (below / "s-1/subagents/agent-a.jsonl").write_text("")
    (below / "memory").mkdir()
    (below / "memory/MEMORY.md").write_text("")
    (below / "loop").symlink_to(below)
    (tmp_path / "codex/sessions/notes.jsonl").write_text("")
    found = [(log.host, log.path.name) for log in find_logs(places, environ)]
    assert sorted(found) == [
        ("claude-code", "agent-a.jsonl"),
        ("claude-code", "s-1.jsonl"),
        ("codex", "rollout-2026-11-30-x.jsonl"),
        ("dsh", "session.jsonl.zstd"),
    ]
    assert log_folder("codex", {}) == Path.home() / ".codex/sessions"
    assert [path.name for path in logs_below(tmp_path / "dsh")] == ["session.jsonl.zstd"]
    assert list(find_logs(places, environ, since_ns=1 << 62)) == []


def test_arguments_in_any_form() -> None:
    assert read_arguments('{"cmd": "make"}') == {"command": "make"}
    assert read_arguments('{"command": ["bash", "-lc", "a && b"]}') == {"command": "a && b"}
    assert read_arguments({"command": ["git", "commit", "-m", "a b"]}) == {
        "command": "git commit -m 'a b'"
    }
    assert read_arguments("*** Begin Patch") == {"input": "*** Begin Patch"}
    assert read_arguments(None) == {}


def test_thoughts_are_told_apart_from_what_was_said(tmp_path: Path) -> None:
    said = [
        {"type": "thinking", "thinking": "时钟不对。", "signature": "x"},
        {"type": "redacted_thinking", "data": "y"},
        {"type": "text", "text": "The clock is wrong."},
    ]
    base = {"sessionId": "s", "cwd": "/w", "version": "2.1.332", "userType": "external"}
    line = {**base, "type": "assistant", "timestamp": "2026-11-30T09:00:00Z"}
    line["message"] = {"role": "assistant", "content": said}  # type: ignore[assignment]
    path = tmp_path / "s.jsonl"
    path.write_text(json.dumps(line) + "\n", "utf-8")
    found = [(event.kind, event.text) for event in Log(path).events()]
    assert found == [("thought", "时钟不对。"), ("agent", "The clock is wrong.")]

    rollout = DATA / "transcripts" / "codex-legacy-rollout.jsonl"
    thoughts = [event.text for event in Log(rollout).events() if event.kind == "thought"]
    assert thoughts == ["**Running tests**"]
