"""A context that fills up is told once; after a compaction, where the lost lines stand."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from helpers import DATA, commit_all, make_vault
from hook_answers import context_of
from hook_runs import FILES, ask

from vault_cli.hook import words
from vault_cli.hook.pressure import count_lines, fullness, log_path

PROMPT = "claude-code/UserPromptSubmit.json"


def claude(used: int, **more: Any) -> str:
    usage = {"input_tokens": 5, "cache_read_input_tokens": used - 25, "output_tokens": 20}
    return json.dumps({"type": "assistant", "message": {"usage": usage}, **more}) + "\n"


def codex(used: int, window: int) -> str:
    info = {"last_token_usage": {"total_tokens": used}, "model_context_window": window}
    return (
        json.dumps({"type": "event_msg", "payload": {"type": "token_count", "info": info}}) + "\n"
    )


@pytest.fixture
def log(tmp_path: Path) -> Path:
    return tmp_path / "session.jsonl"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return make_vault(tmp_path, FILES)


@pytest.mark.parametrize(
    ("text", "percent"),
    [
        (claude(10_000) + claude(150_000) + '{"type": "user"}\n', 75),
        (claude(190_000) + claude(30_000), 15),
        (claude(150_000) + claude(190_000, isSidechain=True), 75),
        (codex(90_000, 100_000), 90),
        (codex(90_000, 0), 45),
        (claude(900_000), 100),
        ('{"usage": {"input_tokens": "many"}}\n' + 'not json "usage"\n' + claude(0)[:30], 0),
        (
            '{"message": {"usage": [1]}}\n{"payload": {"info": {"last_token_usage": 3}}, "usage": 1}\n',
            0,
        ),
        ("", 0),
    ],
)
def test_how_full_the_context_is(log: Path, text: str, percent: int) -> None:
    log.write_text(text)
    assert fullness(str(log), 200_000) == percent


def test_only_the_end_of_a_long_log_is_read_and_odd_files_say_nothing(
    log: Path, tmp_path: Path
) -> None:
    log.write_text(claude(10_000) + "x" * 400_000 + "\n" + claude(160_000))
    assert fullness(str(log), 200_000) == 80
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "link").symlink_to(log)
    for name in ("pipe", "link", "none", "."):
        assert fullness(str(tmp_path / name), 200_000) == 0
        assert count_lines(str(tmp_path / name)) == 0
    assert fullness(str(log), 0) == 0
    assert count_lines(str(log)) == 3


@pytest.mark.parametrize("path", ["relative", "", 7, "/a\nb", "/a`b", "/" + "x" * 400])
def test_a_path_that_cannot_be_told_is_none(path: Any) -> None:
    assert log_path({"transcript_path": path}) == ""


@pytest.mark.parametrize("name", sorted(p.name for p in (DATA / "transcripts").iterdir()))
def test_real_logs_are_read(name: str) -> None:
    known = {"claude-code-2.1.332.jsonl": 15, "codex-0.171.0-rollout.jsonl": 0}  # 15 of 258,400
    assert fullness(str(DATA / "transcripts" / name), 200) == known.get(name, 0)
    assert count_lines(str(DATA / "transcripts" / name)) > 3


def said(root: Path, file: str, log: Path, **more: Any) -> str:
    answer = ask(file, root, session_id="s1", transcript_path=str(log), **more)
    return context_of(answer) or ""


@pytest.mark.parametrize(
    ("prompt", "text"),
    [
        ("please build the code", "the context is 75 % full"),
        ("请把登录页面修好", "上下文已用 75 %"),
    ],
)
def test_a_session_is_told_once_before_a_compaction(
    root: Path, log: Path, prompt: str, text: str
) -> None:
    log.write_text(claude(100_000))
    said(root, "claude-code/SessionStart.json", log)
    told = []
    for used in (100_000, 150_000, 160_000):
        log.write_text(log.read_text() + claude(used))
        said(root, PROMPT, log, prompt=prompt)
        ask("claude-code/Stop.json", root, session_id="s1", transcript_path=str(log))
        told.append(said(root, PROMPT, log, prompt=prompt))

    assert [text in one for one in told] == [False, True, False]
    assert not words.is_talk(told[1])
    ask("claude-code/PreCompact.json", root, session_id="s1", transcript_path=str(log))
    said(root, PROMPT, log, prompt=prompt)
    ask("claude-code/Stop.json", root, session_id="s1", transcript_path=str(log))
    assert "80" in said(root, PROMPT, log, prompt=prompt)


def test_after_a_compaction_the_lost_lines_are_named_and_each_once(root: Path, log: Path) -> None:
    log.write_text(claude(1000) * 12)
    said(root, "claude-code/SessionStart.json", log)
    for first, last in ((1, 12), (13, 20)):
        log.write_text(claude(1000) * last)
        ask("claude-code/PreCompact.json", root, session_id="s1", transcript_path=str(log))
        told = said(root, "claude-code/SessionStart.json", log, source="compact")
        assert f"lines {first} to {last} of the session's log, {log}" in told
    assert "lines" not in said(root, PROMPT, log, prompt="please build the code")


def test_it_is_a_setting(root: Path, log: Path) -> None:
    with (root / "vault.toml").open("a") as file:
        file.write("[hooks]\ncontext_window = 0\n")
    commit_all(root)
    log.write_text(claude(190_000))
    said(root, "claude-code/SessionStart.json", log)
    ask("claude-code/Stop.json", root, session_id="s1", transcript_path=str(log))

    assert said(root, PROMPT, log, prompt="please build the code") == ""
