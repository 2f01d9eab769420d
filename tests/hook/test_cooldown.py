"""Two equal calls in one breath are both stopped; only what is made after that is the retry."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from helpers import PROJECT, make_vault, run
from hook_runs import ENTRY, real_hook, state_of

from vault_cli.hook import cooldown, guard
from vault_cli.text.guards import check_guard, compile_rule

NOW = 1_790_000_000.0
RECORD = """---
id: x-0000001
kind: failure
status: active
title: {title}
guard:
  match: npx tsc
---
## Problem
{title}
## Avoid
npx tsc
"""
WORDS = pytest.mark.parametrize("title", ["npx tsc goes to the network", "npx tsc 会联网"])


def rule() -> tuple[Any, ...]:
    value = check_guard({"match": "npx tsc"})
    assert value is not None
    return compile_rule(value, record_id="x-0000001", vault="/v", title="It fails")


def claude(*events: tuple[str, str]) -> str:
    rows = []
    for what, own in events:
        if what == "call":
            block: dict[str, Any] = {"type": "tool_use", "id": own, "name": "Bash", "input": {}}
            rows.append({"type": "assistant", "message": {"id": "m", "content": [block]}})
        else:
            block = {"type": "tool_result", "tool_use_id": own, "is_error": True, "content": "不"}
            rows.append({"type": "user", "message": {"content": [block]}})
    return "".join(json.dumps(row) + "\n" for row in rows)


def codex(*events: tuple[str, str]) -> str:
    names = {"call": "function_call", "result": "function_call_output"}
    return "".join(
        json.dumps({"type": "response_item", "payload": {"type": names[what], "call_id": own}})
        + "\n"
        for what, own in events
    )


TOGETHER = (("call", "c-1"), ("call", "c-2"), ("result", "c-1"), ("result", "c-2"))
AFTER = (("call", "c-1"), ("result", "c-1"), ("call", "c-2"))


@pytest.mark.parametrize("log", [claude, codex])
@pytest.mark.parametrize(
    ("events", "stopped"),
    [
        (TOGETHER, True),
        (TOGETHER[:2], True),
        (AFTER, False),
        (AFTER[:1], False),  # the log lags behind
        ((), False),
    ],
)
def test_the_session_log_tells_a_retry_from_a_call_beside_it(
    tmp_path: Path, log: Any, events: Any, stopped: bool
) -> None:
    path = tmp_path / "log.jsonl"
    path.write_text(log(*events))
    place = guard.cooldown_path(str(tmp_path), "s", rule())
    assert cooldown.is_first(place, 600, NOW, ("c-1", str(path), False))
    found = cooldown.is_first(place, 600, NOW + 1, ("c-2", str(path), False))
    assert found is stopped


def test_only_for_a_while(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    path.write_text(claude(*TOGETHER))
    made, long_ago = ("c-2", str(path), True), int(time.time() - 31) * 1000
    assert not cooldown.is_beside([b"1790000000", b"%d" % long_ago, b"c-1"], made)
    soon = int(time.time() + 60) * 1000  # the clock went back
    assert not cooldown.is_beside([b"1790000000", b"%d" % soon, b"c-1"], made)


@pytest.mark.parametrize("said", [[b""], [b"1"], [b"1", b"x", b"c"], [b"1", b"2"], [b"a"] * 9])
def test_notes_of_another_shape_let_the_call_pass(said: list[bytes]) -> None:
    assert not cooldown.is_beside(said, ("c-2", "/dev/null", True))


@pytest.mark.parametrize("name", ["gone", "folder", "pipe", "\0"])
def test_a_log_that_is_none_lets_the_call_pass(tmp_path: Path, name: str) -> None:
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "pipe")
    said = [b"1", b"%d" % (time.time() * 1000), b"c-1"]
    assert not cooldown.is_beside(said, ("c-2", f"{tmp_path}/{name}", False))


def test_the_start_of_a_process_is_its_own() -> None:
    if not sys.platform.startswith("linux"):
        pytest.skip("the system does not say it")
    code = "import time; a = time.time(); from vault_cli.hook.cooldown import process_start as p;"
    done = subprocess.run(
        [sys.executable, "-c", f"{code} print(a - p())"],
        capture_output=True,
        check=True,
        text=True,
        cwd=PROJECT,
    )
    assert 0 <= float(done.stdout) < 60


def call(folder: Path, own: str, log: Path) -> bytes:
    payload = {
        "session_id": "7f", "transcript_path": str(log), "cwd": str(folder),
        "hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_use_id": own,
        "tool_input": {"command": "npx tsc -p ."},
    }  # fmt: skip
    return json.dumps(payload).encode()


@WORDS
@pytest.mark.parametrize("host", ["claude-code", "codex"])
def test_calls_at_once_are_all_stopped_and_the_retry_passes(
    tmp_path: Path, home: Path, title: str, host: str
) -> None:
    root = make_vault(tmp_path, {"memories/x.md": RECORD.format(title=title)})
    run("--vault", root, "guard", "compile").ok()
    argv = [sys.executable, "-I", "-S", str(ENTRY), host, "pre-tool", str(state_of(home))]
    running = [
        subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=root)
        for _ in range(4)
    ]
    time.sleep(0.1)  # all of them wait for their payload: none was made after another was stopped
    log = tmp_path / "log.jsonl"
    for number, process in enumerate(running):
        answer, _ = process.communicate(call(root, f"c-{number}", log), timeout=60)
        if sys.platform.startswith("linux") or not number:
            assert b"deny" in answer, number
    time.sleep(0.05)
    done = real_hook(host, "pre-tool", call(root, "c-9", log), state_of(home), cwd=root)
    assert done.stdout == b"{}"


@WORDS
def test_calls_of_one_answer_that_run_one_after_another_are_all_stopped(
    tmp_path: Path, home: Path, title: str
) -> None:
    root = make_vault(tmp_path, {"memories/x.md": RECORD.format(title=title)})
    run("--vault", root, "guard", "compile").ok()
    log = tmp_path / "log.jsonl"

    def made(own: str, *events: tuple[str, str]) -> bytes:
        log.write_text(claude(*events))
        time.sleep(0.05)
        raw = call(root, own, log)
        return real_hook("claude-code", "pre-tool", raw, state_of(home), cwd=root).stdout

    assert b"deny" in made("c-1", *TOGETHER[:2])
    assert b"deny" in made("c-2", *TOGETHER[:2])
    assert made("c-3", *TOGETHER, ("call", "c-3")) == b"{}"
    assert guard.COOLDOWNS in {path.name for path in (state_of(home) / "hook").iterdir()}
