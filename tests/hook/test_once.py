"""An event that two command lines of ours are started for is answered by one of them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.helpers import PROJECT, make_vault

MAIN = PROJECT / "vault_cli" / "hook" / "main.py"
RULE = """\
---
id: r-aaaaaaa
kind: rule
status: active
required: true
---

# 先跑测试 Run the tests
"""
START = {
    "session_id": "s-1",
    "hook_event_name": "SessionStart",
    "source": "startup",
    "cwd": "",
}


def _say(vault: Path, payload: dict[str, str], plugin: str = "") -> str:
    """Return the context that one command line gives."""
    environ = {**os.environ, "MVAULT": str(vault), "CLAUDE_PLUGIN_ROOT": plugin}
    event = payload["hook_event_name"]
    done = subprocess.run(
        [sys.executable, "-I", "-S", str(MAIN), "claude-code", event, os.environ["MVAULT_STATE_DIR"]],
        input=json.dumps({**payload, "cwd": str(vault)}), env=environ, capture_output=True,
        text=True, check=True,
    )  # fmt: skip
    answer = json.loads(done.stdout)
    return str(answer.get("hookSpecificOutput", {}).get("additionalContext", ""))


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    """A vault with one rule."""
    return make_vault(tmp_path, {"playbook/run-the-tests-aaaaaaa.md": RULE})


def test_two_command_lines_give_one_block(vault: Path) -> None:
    ways = ["", "/plugin"]
    with ThreadPoolExecutor(2) as pool:
        said = list(pool.map(lambda way: _say(vault, START, way), ways))
    assert sorted("先跑测试" in text for text in said) == [False, True], said
    assert sorted(text.count("<mvault-memory>") for text in said) == [0, 1]


def test_the_same_command_line_answers_an_equal_event_again(vault: Path) -> None:
    again = {**START, "source": "compact"}
    said = [_say(vault, again) for _ in range(2)]
    assert all("先跑测试" in text for text in said)
    assert _say(vault, again, "/plugin") == ""


def test_another_event_is_answered_by_who_comes_first(vault: Path) -> None:
    assert "先跑测试" in _say(vault, START)
    assert "先跑测试" in _say(vault, {**START, "source": "compact"}, "/plugin")


def test_without_a_session_each_answers(vault: Path) -> None:
    nameless = {**START, "session_id": ""}
    said = [_say(vault, nameless, way) for way in ("", "/plugin")]
    assert all("先跑测试" in text for text in said)
