"""What a session is told of tasks: of work without one, of tasks that are still open."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from helpers import make_vault, run, write_files
from hook_answers import context_of
from hook_runs import FILES, LESSON, ask

from vault_cli.hook import words

PROMPT = "claude-code/UserPromptSubmit.json"
START = "claude-code/SessionStart.json"
AGENT = {"MVAULT_ACTOR": "agent"}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return make_vault(tmp_path, FILES)


def said(file: str, folder: Path, **more: Any) -> str:
    return context_of(ask(file, folder, **{"session_id": "s1", **more})) or ""


def turn(root: Path, prompt: str, calls: int = 0, edits: int = 0, **more: Any) -> str:
    """One turn of work, and what the next prompt is told of it."""
    said(PROMPT, root, prompt=prompt)
    for number in range(calls):
        file = "edit" if number < edits else "agent"
        own = {"session_id": "s1", "tool_use_id": f"call-{number}", **more}
        ask(f"claude-code/PostToolUse.{file}.json", root, **own)
    ask("claude-code/Stop.json", root, session_id="s1")
    return said(PROMPT, root, prompt=prompt)


def task(root: Path, *argv: str) -> str:
    result = run("--vault", root, "--json", "task", *argv, cwd=root, env=AGENT).ok()
    return str(result.data.get("task", ""))


@pytest.mark.parametrize(
    ("prompt", "text"),
    [
        ("please build the code", "9 tool calls and changed 2 files"),
        ("请把登录页面修好，然后跑一遍测试", "调用了 9 次工具，改动了 2 个文件"),
    ],
)
def test_work_without_a_task_is_stated_in_the_language_of_the_prompt(
    root: Path, prompt: str, text: str
) -> None:
    said(START, root)
    told = turn(root, prompt, 9, 2)

    assert text in told
    assert not any(word in told for word in ("must", "should", "必须", "应该", "请"))
    assert not words.is_talk(told)


def test_nothing_is_said_while_a_task_of_the_session_is_open(root: Path) -> None:
    said(START, root)
    own = task(root, "start", "Fix the login", "--session", "s1")
    assert turn(root, "please build the code", 9, 2) == ""
    task(root, "end", own, "--status", "succeeded")
    assert "9 tool calls" in turn(root, "please build the code", 9, 2)


def test_a_task_of_another_session_says_nothing_about_this_one(root: Path) -> None:
    said(START, root)
    task(root, "start", "Fix the login", "--session", "s2")

    assert "9 tool calls" in turn(root, "please build the code", 9, 2)


@pytest.mark.parametrize(
    "command",
    ["mvault task start x", "mvault ticket add x", "mvault handoff x", "mcp__mvault__task_end"],
)
def test_a_turn_that_touched_work_is_left_alone(root: Path, command: str) -> None:
    said(START, root)
    assert turn(root, "please build the code", 9, 2, tool_input={"command": command}) == ""


@pytest.mark.parametrize(
    ("goal", "text"),
    [("Fix the login", "1 task of earlier sessions"), ("修好登录页面", "还有 1 个任务没有结束")],
)
def test_a_new_session_is_told_of_open_tasks_by_id_only(root: Path, goal: str, text: str) -> None:
    own = task(root, "start", goal, "--session", "s0")
    told = said(START, root, source="startup")

    assert text in told
    assert own in told
    assert goal not in told
    task(root, "end", own, "--status", "aborted")
    assert own not in context_of(ask(START, root, session_id="s2", source="startup"))  # type: ignore[operator]


LESSON_EN = ("Deploys need a dry run", "Run deploy with --dry-run first.")
LESSON_ZH = ("部署脚本要先预演", "部署之前先用 --dry-run 预演一次。")


def lessons(*numbers: int, title: str = "", body: str = "") -> dict[str, str]:
    """Lessons of seven importance points each."""
    return {
        f"memories/l-{number:07}.md": LESSON.format(title=f"{title} {number}", body=body).replace(
            "l-0000002", f"l-{number:07}"
        )
        for number in numbers
    }


@pytest.mark.parametrize(
    ("words_of", "text", "more"),
    [
        (LESSON_EN, words.UNREFLECTED.format(35, 30), words.UNREFLECTED.format(63, 30)),
        (LESSON_ZH, words.UNREFLECTED_CHINESE.format(35, 30),
         words.UNREFLECTED_CHINESE.format(63, 30)),
    ],
)  # fmt: skip
def test_what_waits_for_reflection_is_told_once_and_no_subagent(
    tmp_path: Path, words_of: tuple[str, str], text: str, more: str
) -> None:
    title, body = words_of
    root = make_vault(tmp_path, lessons(*range(11, 15), title=title, body=body), name="debt")
    assert "mode threshold" not in said(START, root, source="startup"), "28 points"
    write_files(root, lessons(15, title=title, body=body))
    assert "mode threshold" not in said("claude-code/SubagentStart.json", root)
    assert "mode threshold" not in said(START, root, agent_id="a1", source="startup")
    assert said(START, root, session_id="s2", source="startup").count(text) == 1
    for session in ("s2", "s3"):
        assert "mode threshold" not in said(START, root, session_id=session, source="startup")
    write_files(root, lessons(*range(16, 20), title=title, body=body))
    assert said(START, root, session_id="s4", source="startup").count(more) == 1, "as many more"


@pytest.mark.parametrize("setting", ["[hooks]\nnudges = 0\n", '[render]\nmode = "off"\n'])
def test_nobody_is_told_of_reflection_who_wants_no_word(tmp_path: Path, setting: str) -> None:
    title, body = LESSON_EN
    files = {**lessons(*range(11, 20), title=title, body=body)}
    root = make_vault(tmp_path, {**files, "vault.toml": setting}, name="debt")
    assert "mode threshold" not in said(START, root, source="startup")


def test_nothing_is_said_of_reflection_that_has_begun(tmp_path: Path) -> None:
    title, body = LESSON_ZH
    root = make_vault(tmp_path, lessons(*range(11, 20), title=title, body=body), name="debt")
    run("--vault", root, "reflect", "prepare", "--mode", "threshold", env=AGENT).ok()
    assert "mode threshold" not in said(START, root, source="startup")


def test_candidates_alone_wait_for_reflection_too(tmp_path: Path) -> None:
    title, body = LESSON_EN
    files = lessons(*range(11, 20), title=title, body=body)
    drafts = {
        path.replace("memories/", "drafts/"): text.replace("status: active", "status: candidate")
        for path, text in files.items()
    }
    root = make_vault(tmp_path, drafts, name="debt")
    assert said(START, root, source="startup") == words.UNREFLECTED.format(63, 30)


def test_a_task_of_another_project_is_not_told(root: Path) -> None:
    own = task(root, "start", "x", "--session", "s0", "--scope", "project:github.com/acme/web")

    assert own not in said(START, root, source="startup")


def test_what_the_hook_gave_is_what_a_task_notes(root: Path) -> None:
    said(START, root)
    own = task(root, "start", "x", "--session", "s1")
    data = run("--vault", root, "--json", "task", "show", own).ok().data["task"]["shown"]

    assert sorted(data["full"]) == ["l-0000002", "r-0000001"]
    assert len(data["receipts"]) == 1


@pytest.mark.parametrize(
    ("prompt", "text", "beside"),
    [
        ("please build the code", words.TURN, words.TURN_IN_TASK),
        ("请把登录页面修好，然后跑一遍测试", words.TURN_CHINESE, words.TURN_IN_TASK_CHINESE),
    ],
)
def test_a_turn_to_reflect_on_is_told_where_a_person_asked_for_it(
    root: Path, prompt: str, text: str, beside: str
) -> None:
    said(START, root)
    assert turn(root, prompt) == "", "off by default"
    person = {"MVAULT_ACTOR": "person"}
    run("--vault", root, "config", "set", "reflection.turns", "2", "--yes", env=person).ok()
    said(START, root)
    assert turn(root, prompt) == text.format("s1")
    own = task(root, "start", "Fix the login", "--session", "s1")
    assert turn(root, prompt) == text.format("s1") + beside
    task(root, "end", own, "--status", "succeeded")
    assert turn(root, prompt) == "", "at most as often as was asked for"


def test_an_empty_turn_is_nothing_to_reflect_on(root: Path) -> None:
    person = {"MVAULT_ACTOR": "person"}
    run("--vault", root, "config", "set", "reflection.turns", "5", "--yes", env=person).ok()
    said(START, root)
    ask("claude-code/Stop.json", root, session_id="s1")
    assert words.TURN.format("s1") not in said(PROMPT, root, prompt="please build the code")
