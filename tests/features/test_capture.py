"""What a session teaches: the planner by itself, events in, findings out."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest

from vault_cli.features.capture import (
    CORRECTION,
    ERROR,
    FIXED,
    MAX_CORRECTIONS,
    REACH,
    Finding,
    find_all,
)
from vault_cli.features.capture_draft import propose
from vault_cli.model.record import Kind
from vault_cli.model.transcript import Event
from vault_cli.recall.echo import Echo


class Log:
    """Events with rising places."""

    def __init__(self) -> None:
        self.events: list[Event] = []

    def add(self, kind: Any, text: str = "", **more: Any) -> Log:
        self.events.append(Event(kind, len(self.events) + 1, "2026-11-30T10:00:00Z", text, **more))
        return self

    def user(self, text: str) -> Log:
        return self.add("user", text)

    def agent(self, text: str) -> Log:
        return self.add("agent", text)

    def call(self, command: str, *, failed: bool, text: str = "error: it broke", tool: str = "Bash",
             **given: Any) -> Log:  # fmt: skip
        name = "file_path" if tool in ("Edit", "Write") else "command"
        shared = {"tool": tool, "call": f"c{len(self.events)}", "input": {name: command, **given}}
        self.add("call", **shared)
        return self.add(
            "result", text if failed else "ok", failed=failed, exit_code=int(failed), **shared
        )

    def found(self, *kinds: str, **more: Any) -> list[Finding]:
        return [f for f in find_all(self.events, Echo(), **more) if not kinds or f.kind in kinds]


def pairs(log: Log) -> list[tuple[str, str]]:
    return [(f.detail["failed"], f.detail["worked"]) for f in log.found(FIXED)]


# Failed, then fixed


@pytest.mark.parametrize(
    ("failed", "worked"),
    [
        ("python3 -m pytest -q tests", "make test"),
        ("npx tsc -p .", "node_modules/.bin/tsc -p ."),
        ("git push origin main", "git push --force-with-lease origin main"),
        ("pip install requests", "uv pip install requests"),
        ("docker-compose up -d web", "docker compose up -d web"),
        ("cargo clippy", "cargo clippy --no-deps"),
        ("psql -h localhost 迁移.sql", "psql -h db 迁移.sql"),
    ],
)
def test_another_call_for_the_same_goal_is_what_fixed_it(failed: str, worked: str) -> None:
    log = Log().call(failed, failed=True).call("ls -la", failed=False).call(worked, failed=False)
    assert pairs(log) == [(failed, worked)]
    found = log.found(FIXED)[0]
    assert (found.start, found.end) == ("2", "6")


@pytest.mark.parametrize(
    ("failed", "worked"),
    [
        ("pytest tests", "ls -la"),
        ("pytest tests", "cat README.md"),
        ("npm install left-pad", "npm run build"),
        ("git push origin main", "git status"),
        ("make deploy", "make lint"),
        ("cd web && yarn build", "cd web && ls"),
        ("pytest -q tests", "pytest -q tests"),
        ("pytest -q tests", "pytest  -q  tests"),
    ],
)
def test_a_call_for_something_else_or_the_same_one_fixed_nothing(failed: str, worked: str) -> None:
    assert pairs(Log().call(failed, failed=True).call(worked, failed=False)) == []


def test_the_description_of_a_command_tells_its_goal_too() -> None:
    log = Log().call("./run.sh -k", failed=True, description="Run the linter")
    log.call("tools/check", failed=False, description="Run the linter")
    assert pairs(log) == [("./run.sh -k", "tools/check")]


def test_several_tries_are_one_pair_from_the_first_to_what_worked() -> None:
    log = Log().call("pytest tests", failed=True).call("python -m pytest tests", failed=True)
    log.call("make test", failed=False)
    found = log.found(FIXED)
    assert [(f.detail["failed"], f.detail["tries"], f.start, f.end) for f in found] == [
        ("python -m pytest tests", 2, "2", "6")]  # fmt: skip


def test_the_distance_is_bounded() -> None:
    near, far = Log().call("pytest tests", failed=True), Log().call("pytest tests", failed=True)
    for _ in range(REACH - 2):
        near.call("ls", failed=False)
    for _ in range(REACH):
        far.call("ls", failed=False)
    assert pairs(near.call("make test", failed=False)) != []
    assert pairs(far.call("make test", failed=False)) == []
    talk = Log().call("pytest tests", failed=True).user("hm").user("go on").user("and?")
    assert pairs(talk.call("make test", failed=False)) == []


def test_a_pair_spans_the_correction_between() -> None:
    log = Log().user("run the tests").call("pytest tests", failed=True).agent("skipped")
    log.user("No, that's wrong, always use make test").call("make test", failed=False)
    assert [f.kind for f in log.found()] == [ERROR, CORRECTION, FIXED]


def test_tools_are_not_mixed_and_files_are_goals() -> None:
    log = (
        Log().call("src/a.py", failed=True, tool="Edit").call("src/b.py", failed=False, tool="Edit")
    )
    assert pairs(log.call("src/a.py", failed=False, tool="Write")) == []
    log = (
        Log().call("pytest tests", failed=True).call("make test", failed=False, tool="mcp__ci__run")
    )
    assert pairs(log) == []


# Errors


def test_a_failure_is_named_by_its_fingerprint() -> None:
    log = Log()
    for port in (51321, 51988):
        log.call("curl x", failed=True, text=f"connect to 127.0.0.1:{port} refused (pid {port})")
    log.call("curl x", failed=True, text="HTTP 404 for /items/1")
    keys = [f.key for f in log.found(ERROR)]
    assert keys[0] == keys[1] != keys[2]


def test_what_is_no_failure_is_none() -> None:
    log = Log().call("grep x y", failed=True, text="").call("mvault show r-1", failed=True)
    log.call("cd a && uvx mvault list", failed=True)
    log.add("result", "declined", tool="Bash", call="x", failed=None)
    assert log.found() == []
    log = Log().call("grep -q x y", failed=True, text="no match")
    assert (
        log.found(is_benign=lambda tool, command, *_: (tool, command) == ("shell", "grep -q x y"))
        == []
    )


def test_no_injected_line_stands_in_an_error() -> None:
    from vault_cli.hook.injected import fingerprint

    line = "Never run npx tsc, it downloads another compiler"
    log = Log().call("npx tsc", failed=True, text=f"{line}\nerror TS2304: cannot find name x")
    found = list(find_all(log.events, Echo({fingerprint(line)})))
    assert [f.text for f in found] == ["error TS2304: cannot find name x"]
    only = Log().call("npx tsc", failed=True, text=line)
    assert list(find_all(only.events, Echo({fingerprint(line)}))) == []


# Corrections


def test_an_agent_never_corrects() -> None:
    said = "No, that's wrong. From now on always use make test. 不对，以后不要这样。"
    assert Log().agent(said).add("result", said, tool="Bash", call="1", failed=False).found() == []


def test_a_correction_brings_what_it_answers() -> None:
    log = Log().user("run the tests").agent("I run pytest.").call("pytest", failed=False)
    log.agent("done").user("不对，应该用 make test")
    found = log.found(CORRECTION)[0]
    assert (found.start, found.end) == ("1", "6")
    assert found.detail["agent"] == "done"
    assert found.detail["call"] == "Bash: pytest"
    assert found.detail["how"] == "rejected"


def test_the_same_words_have_the_same_key() -> None:
    one = Log().agent("x").user("No, that's wrong! Use make.").found()[0]
    other = Log().agent("y").user("no, THAT'S wrong — use make").found()[0]
    third = Log().agent("y").user("no, that's wrong, use just").found()[0]
    assert one.key == other.key != third.key


def test_a_question_before_it_and_the_beginning_count() -> None:
    assert Log().agent("Shall I use npm?").user("No, use pnpm").found() == []
    assert len(Log().agent("I used npm.").user("No, use pnpm").found()) == 1
    assert Log().user("No, use pnpm").found() == []
    assert len(Log().user("以后都用 pnpm").found()) == 1


def test_one_session_gives_no_flood() -> None:
    log = Log().agent("x")
    for number in range(MAX_CORRECTIONS + 20):
        log.user(f"No, that's wrong. Use version {number}.")
    assert len(log.found(CORRECTION)) == MAX_CORRECTIONS


def test_places_of_hooks_are_instants() -> None:
    events: Iterable[Event] = [Event("user", 1796040000, "", "I told you to use tabs")]
    found = next(find_all(events, Echo(), from_hooks=True))
    assert found.end == "2026-11-30T12:00:00Z"


# Drafts


EVIDENCE = ({"id": "q-1", "type": "session-event", "session": "s", "start": "1", "end": "2"},)


@pytest.mark.parametrize(
    ("text", "title"),
    [
        (
            "No, that's wrong. In this repo always use make test.",
            "In this repo always use make test",
        ),
        ("不对。以后跑测试都用 make test。谢谢", "以后跑测试都用 make test"),
        ("I told you to use tabs", "I told you to use tabs"),
        ("No, use pnpm", "use pnpm"),
    ],
)
def test_the_title_is_what_to_do(text: str, title: str) -> None:
    request = propose(CORRECTION, text, {"call": "Bash: pytest"}, EVIDENCE)
    assert request.title == title
    assert request.kind is Kind.LESSON
    assert request.correction
    assert request.source == "user"
    assert request.sections == {"attempted": "Bash: pytest", "correction": text}
    assert request.evidence == EVIDENCE


def test_a_pair_becomes_a_lesson_and_an_error_a_failure() -> None:
    detail = {"failed": "pytest `x`", "worked": "make test", "error": "``` no", "tries": 2}
    request = propose(FIXED, "t", detail, EVIDENCE)
    assert request.title == "`make test` works where `pytest `x`` fails"
    assert request.sections["problem"] == "````\n``` no\n````"
    assert request.source == "tool"
    request = propose(ERROR, "/x: No module named y", {"template": "<path>: No module named y",
                      "tool": "shell", "command": "pytest"}, EVIDENCE)  # fmt: skip
    assert (request.kind, request.title) == (Kind.FAILURE, "shell: No module named y")
    assert request.sections["attempted"] == "`pytest`"


def test_own_words_take_the_place_of_what_was_said() -> None:
    request = propose(CORRECTION, "No, that's wrong.", {}, EVIDENCE, named=Kind.RULE,
                      title="提交前先跑 make test", body="用户要求。")  # fmt: skip
    assert (request.kind, request.title, request.body, dict(request.sections)) == (
        Kind.RULE, "提交前先跑 make test", "用户要求。", {})  # fmt: skip
