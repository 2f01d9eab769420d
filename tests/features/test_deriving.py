"""Tasks out of session logs: turns, ranges, and no word of the log in the vault."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from helpers import DATA, commit_count, git, make_vault, run, snapshot_bytes

from vault_cli.errors import NotFoundError, UsageError
from vault_cli.features.deriving import choose_turns, split_turns
from vault_cli.model.transcript import Event

AGENT = {"MVAULT_ACTOR": "agent"}
LOGS = DATA / "transcripts"


def entry(number: int, kind: str, content: Any, **more: Any) -> str:
    at = f"2026-11-29T10:{number:02}:00.250Z"
    data = {
        "type": kind, "sessionId": "log-1", "cwd": "/home/dev/app", "version": "2.1.332",
        "uuid": f"u{number}", "timestamp": at, "userType": "external",
        "message": {"role": kind, "content": content}, **more,
    }  # fmt: skip
    return json.dumps(data, ensure_ascii=False)


def call(number: int, failed: bool) -> list[str]:
    use = {"type": "tool_use", "id": f"c{number}", "name": "Bash", "input": {"command": "make"}}
    result = {
        "type": "tool_result", "tool_use_id": f"c{number}", "content": "Exit code 2\nno",
        "is_error": failed,
    }  # fmt: skip
    return [entry(number, "assistant", [use]), entry(number, "user", [result])]


LOG = "\n".join(
    [
        entry(1, "user", "请修好登录测试，口令是 hunter2-Zq81-secret"),
        *call(2, failed=True),
        entry(3, "user", "No, use make test"),
        *call(4, failed=False),
        entry(5, "assistant", [{"type": "text", "text": "Done."}]),
        entry(6, "user", "谢谢"),
    ]
)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "log-1.jsonl").write_text(LOG + "\n")
    return make_vault(tmp_path)


def derive(root: Path, *argv: str, log: str = "../log-1.jsonl") -> Any:
    return run("--vault", root, "--json", "task", "derive", log, *argv, cwd=root, env=AGENT)


def task(root: Path, task_id: str) -> dict[str, Any]:
    return dict(run("--vault", root, "--json", "task", "show", task_id).ok().data["task"])


def test_without_a_goal_the_turns_are_listed_and_nothing_is_written(root: Path) -> None:
    commits = commit_count(root)
    turns = derive(root).ok().data["turns"]

    assert [(t["number"], t["calls"], t["failed"]) for t in turns] == [
        (1, 1, 1),
        (2, 1, 0),
        (3, 0, 0),
    ]
    assert commit_count(root) == commits


def test_a_task_is_derived_with_its_range_and_no_word_of_the_log(root: Path) -> None:
    argv = ("--turns", "1-2", "--goal", "修好登录测试", "--status", "succeeded", "--result", "绿了")
    done = derive(root, *argv).ok()
    own = done.data["task"]
    found = task(root, own)
    assert "mvault task end" not in done.err

    assert (found["goal"], found["state"], found["session"]) == (
        "修好登录测试",
        "succeeded",
        "log-1",
    )
    assert (found["started"], found["ended"]) == ("2026-11-29T10:01:00Z", "2026-11-29T10:05:00Z")
    evidence = run("--vault", root, "--json", "show", own).ok().data["fields"]["evidence"]
    assert [(e["session"], e["start"], e["end"]) for e in evidence] == [("log-1", "1", "7")]
    assert "hunter2" not in git(root, "log", "-p")
    assert "make test" not in git(root, "log", "-p")
    assert run("--vault", root, "check").ok()


def test_the_same_turns_make_one_task(root: Path) -> None:
    first = derive(root, "--turns", "1", "--goal", "x").ok()
    own = first.data["task"]
    assert f"mvault task end {own} --status" in first.err
    commits = commit_count(root)

    assert derive(root, "--turns", "1", "--goal", "another").ok().data["task"] == own
    assert commit_count(root) == commits
    assert derive(root, "--turns", "2", "--goal", "another").ok().data["task"] != own


def test_what_had_been_shown_is_what_was_noted_at_the_time(root: Path) -> None:
    note = "---\nid: {0}\nkind: fact\nstatus: active\ntitle: {0}\n---\nIt is {0}.\n"
    for name, at in (("f-before", "09:00"), ("f-during", "10:02"), ("f-after", "11:00")):
        (root / f"memories/{name}.md").parent.mkdir(exist_ok=True)
        (root / f"memories/{name}.md").write_text(note.format(name))
        env = {"MVAULT_SESSION": "log-1", "MVAULT_NOW": f"2026-11-29T{at}:00Z"}
        run("--vault", root, "show", name, env=env).ok()
    argv = ("--turns", "1-2", "--goal", "x", "--status", "failed")
    cited = ("--cited", "f-during", "--cited", "f-after", "--cited", "f-before")
    result = derive(root, *argv, *cited).ok()
    found = task(root, result.data["task"])

    assert found["shown"]["named"] == ["f-before"]
    assert found["shown_later"] == ["f-during"]
    assert found["cited"] == ["f-during", "f-before"]
    rows = run("--vault", root, "--json", "stats", "f-before", "f-after").ok().data["records"]
    assert [row["failed"] for row in rows] == [1, 0]


@pytest.mark.parametrize(
    ("argv", "code"),
    [
        (("--turns", "9", "--goal", "x"), 6),
        (("--turns", "0", "--goal", "x"), 6),
        (("--turns", "a-b", "--goal", "x"), 2),
        (("--status", "failed"), 2),
        (("--goal", "x", "--status", "done"), 2),
        (("--goal", "x", "--result", "y"), 2),
        (("--goal", "key AKIAIOSFODNN7EXAMPLQ"), 4),
    ],
)
def test_bad_input_is_refused(root: Path, argv: tuple[str, ...], code: int) -> None:
    before = snapshot_bytes(root)
    assert derive(root, *argv).code == code
    assert snapshot_bytes(root) == before


def test_what_is_no_log_of_a_person_s_session_is_refused(root: Path, tmp_path: Path) -> None:
    (tmp_path / "note.md").write_text("# hello\n")
    (tmp_path / "agent-7.jsonl").write_text(LOG)
    for name in ("../note.md", "../none.jsonl", "../agent-7.jsonl", ".."):
        assert derive(root, log=name).code == 2, name


def test_turns_without_marks_of_their_own_begin_with_a_prompt() -> None:
    events = [
        Event("agent", 1), Event("user", 2, text="a"), Event("call", 3), Event("turn", 5),
        Event("user", 6, text="b"), Event("user", 7, text="c"),
    ]  # fmt: skip
    found = split_turns(events)

    assert [(t.start, t.end, t.calls, t.prompt) for t in found] == [
        (2, 3, 1, "a"), (5, 6, 0, "b"), (7, 7, 0, "c"),
    ]  # fmt: skip
    assert choose_turns(found, " 2 - 3 ") == found[1:]
    with pytest.raises(NotFoundError):
        choose_turns(found, "2-4")
    with pytest.raises(UsageError):
        choose_turns(found, "3-")


@pytest.mark.parametrize(
    "name",
    [
        "claude-code-2.1.332.jsonl",
        "codex-0.171.0-rollout.jsonl",
        "codex-legacy-rollout.jsonl",
        "dsh-session-v0.jsonl",
    ],
)
def test_real_logs_give_their_turns(root: Path, name: str) -> None:
    log = LOGS / name
    turns = derive(root, log=str(log)).ok().data["turns"]
    assert len(turns) >= 2
    assert sum(t["failed"] for t in turns) >= 1
    own = derive(root, "--goal", "跑通测试", "--status", "failed", log=str(log)).ok().data["task"]
    assert task(root, own)["state"] == "failed"
