"""Installed for all projects, for this one and as a plugin: each event is answered once."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from helpers import PROJECT, make_vault
from hook_answers import context_of, load, place
from hook_runs import FILES, state_of

from vault_cli.hook import spool, taken
from vault_cli.hook.answer import respond
from vault_cli.hook.jsons import loads

START = "SessionStart.json"
PROMPT = "UserPromptSubmit.json"


def answer(raw: bytes, host: str, event: str, *, state: Path | None = None) -> str:
    """What one installation says: with a state folder the person's own, without one a shared one."""
    words = [host, event, str(state)] if state else [host, event]
    return context_of(loads(respond(words, raw))) or ""


def frames(home: Path, event: str) -> int:
    path = state_of(home) / "hook" / "spool" / "events.bin"
    return sum(frame.event == event for frame in spool.read(str(path)))


def payload(file: str, root: Path, **more: Any) -> bytes:
    return place(load(file)[2], root, **more)


@pytest.mark.parametrize("host", ["codex", "claude-code"])
@pytest.mark.parametrize("own_first", [True, False])
def test_the_block_comes_from_one_of_two_installations(
    host: str, tmp_path: Path, home: Path, *, own_first: bool
) -> None:
    raw = payload(f"{host}/{START}", make_vault(tmp_path, FILES))
    states = [state_of(home), None] if own_first else [None, state_of(home)]
    said = [answer(raw, host, "SessionStart", state=state) for state in states]
    assert "部署脚本要先预演" in said[0]
    assert said[1] == ""
    assert frames(home, "session-start") == 1


def test_a_plugin_is_an_installation_of_its_own(
    tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    raw = payload(f"codex/{START}", make_vault(tmp_path, FILES))
    assert answer(raw, "codex", "SessionStart")
    monkeypatch.setenv("PLUGIN_ROOT", str(tmp_path))
    assert answer(raw, "codex", "SessionStart") == ""


def test_the_same_installation_answers_the_same_again(tmp_path: Path, home: Path) -> None:
    raw = payload(f"codex/{START}", make_vault(tmp_path, FILES), source="resume")
    first, again = (answer(raw, "codex", "SessionStart", state=state_of(home)) for _ in range(2))
    assert "部署脚本要先预演" in first
    assert again  # that the block still stands


def test_what_looks_alike_later_is_another_event(tmp_path: Path, home: Path) -> None:
    raw = payload(f"codex/{START}", make_vault(tmp_path, FILES))
    assert answer(raw, "codex", "SessionStart", state=state_of(home))
    for mark in (state_of(home) / "hook" / taken.NAME).iterdir():
        past = mark.stat().st_mtime - taken.FRESH - 1
        os.utime(mark, (past, past))
    assert answer(raw, "codex", "SessionStart")
    assert answer(raw, "codex", "SessionStart", state=state_of(home)) == ""


def test_where_no_mark_can_be_left_every_installation_answers(tmp_path: Path, home: Path) -> None:
    raw = payload(f"codex/{START}", make_vault(tmp_path, FILES))
    (state_of(home) / "hook").mkdir(parents=True)
    (state_of(home) / "hook" / taken.NAME).write_text("in the way")
    assert answer(raw, "codex", "SessionStart", state=state_of(home))
    assert answer(raw, "codex", "SessionStart")


def test_a_tool_call_leaves_no_mark(tmp_path: Path, home: Path) -> None:
    raw = payload("codex/PostToolUse.json", tmp_path)
    assert respond(["codex", "PostToolUse", str(state_of(home))], raw) == b"{}"
    assert not (state_of(home) / "hook" / taken.NAME).exists()


def test_of_two_at_the_same_moment_one_answers(tmp_path: Path, home: Path) -> None:
    root = make_vault(tmp_path, FILES)
    for number in range(5):
        raw = payload(f"codex/{START}", root, session_id=f"s-{number}")
        words = [sys.executable, "-m", "vault_cli", "hook", "codex", "SessionStart"]
        env = {**os.environ, "PYTHONPATH": str(PROJECT)}
        (tmp_path / "payload").write_bytes(raw)
        started = []
        for argv in (words, [*words, str(state_of(home))]):
            with (tmp_path / "payload").open("rb") as stdin:
                started.append(subprocess.Popen(argv, stdin=stdin, stdout=subprocess.PIPE, env=env))
        said = [loads(process.communicate(timeout=60)[0]) for process in started]
        assert sum(bool(context_of(each)) for each in said) == 1
