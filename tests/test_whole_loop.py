"""The whole loop, in both languages: from what session logs show to a skill, and back.

A failure and a correction are captured from real logs and from hooks, distilled by the agent, admitted by
a person, rendered, guarded; a task succeeds with it; the recipe is used, becomes a skill, and goes back.
The agent acts through the command line, and once more through MCP; the person always through the former.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import mcp
import pytest
from helpers import DATA, checked, git, make_vault, run
from hook_answers import context_of
from hook_runs import hook, state_of

from vault_cli.cli.serve import AgentRuns
from vault_cli.mcp.server import build_server

LOGS = DATA / "transcripts"
PERSON = {"MVAULT_ACTOR": "person"}
AGENT = {"MVAULT_ACTOR": "agent"}
SAID = "No, that's wrong. In this repo always use make test, never call pytest directly."
LINE = "python3 -m pytest -q tests"
ERROR = "Exit code 1\n/usr/bin/python3: No module named pytest"


class Words(NamedTuple):
    """What a story is told in.

    Args:
        said: the correction, as it stands in the log.
        recipe, failure: what the agent distills.
        goal: of the task.
        skill: name of the skill, which is ASCII.
    """

    said: str
    recipe: dict[str, str]
    failure: dict[str, str]
    goal: str
    skill: str


STORIES = {
    "en": Words(
        SAID,
        {
            "kind": "recipe",
            "title": "Run the tests of this repository",
            "when": "tests are to be run here",
            "problem": "The system Python has no pytest.",
            "body": "## Steps\n1. Run `make test`.\n2. Read the last line.\n",
        },
        {
            "kind": "failure",
            "title": "Calling pytest directly finds no module",
            "when": "tests are to be run here",
            "problem": "The system Python has no pytest.",
            "avoid": "python3 -m pytest",
            "instead": "make test",
        },
        "Make the tests pass",
        "run-the-tests",
    ),
    "zh": Words(
        "不对。在这个仓库里一律用 make test，不要直接调用 pytest。",
        {
            "kind": "recipe",
            "title": "运行这个仓库的测试",
            "when": "要运行测试时",
            "problem": "系统的 Python 里没有 pytest。",
            "body": "## 步骤\n1. 运行 `make test`。\n2. 看最后一行。\n",
        },
        {
            "kind": "failure",
            "title": "直接调用 pytest 会找不到模块",
            "when": "要运行测试时",
            "problem": "系统的 Python 里没有 pytest。",
            "avoid": "python3 -m pytest",
            "instead": "make test",
        },
        "让测试通过",
        "run-the-tests",
    ),
}


class Agent(Protocol):
    """What an agent does, by whichever door."""

    def distill(self, answer: str = "") -> str: ...
    def show(self, record: str) -> str: ...
    def start(self, goal: str) -> str: ...
    def end(self, task: str, cited: Sequence[str]) -> str: ...
    def mark(self, record: str) -> str: ...
    def used(self, recipe: str) -> str: ...


class ByCommands:
    """An agent that runs commands in its session."""

    def __init__(self, root: Path, session: str) -> None:
        self._root, self._env = root, {**AGENT, "CLAUDE_CODE_SESSION_ID": session}

    def _run(self, *argv: str, stdin: str = "") -> str:
        return run("--vault", self._root, *argv, env=self._env, stdin=stdin).ok().text

    def distill(self, answer: str = "") -> str:
        if answer:
            return self._run("distill", "commit", "--answer", "-", stdin=answer)
        return self._run("distill", "prepare", "--now")

    def show(self, record: str) -> str:
        return self._run("show", record)

    def start(self, goal: str) -> str:
        return self._run("task", "start", goal)

    def end(self, task: str, cited: Sequence[str]) -> str:
        named = [word for record in cited for word in ("--cited", record)]
        return self._run("task", "end", task, "--status", "succeeded", *named)

    def mark(self, record: str) -> str:
        return self._run("mark", record, "--cited", "--helpful")

    def used(self, recipe: str) -> str:
        return self._run("used", recipe, "--ok")


class OverMcp:
    """An agent that calls tools of the server, which its program started in the session."""

    def __init__(self, root: Path, session: str) -> None:
        environ = {**os.environ, "CLAUDE_CODE_SESSION_ID": session}
        self._server = build_server(AgentRuns(str(root), environ))

    def _call(self, tool: str, **given: Any) -> str:
        async def main() -> str:
            async with mcp.Client(self._server) as client:
                answer = await client.call_tool(tool, given)
                text = str(answer.content[0].text)  # type: ignore[union-attr]
                assert not answer.is_error, text
                return text

        return asyncio.run(main())

    def distill(self, answer: str = "") -> str:
        return self._call("distill", **({"answer": answer} if answer else {}))

    def show(self, record: str) -> str:
        return self._call("show", id=record)

    def start(self, goal: str) -> str:
        return self._call("task_start", goal=goal)

    def end(self, task: str, cited: Sequence[str]) -> str:
        return self._call("task_end", task_id=task, status="succeeded", cited=list(cited))

    def mark(self, record: str) -> str:
        return self._call("mark", ids=[record], verdict="helpful")

    def used(self, recipe: str) -> str:
        return self._call("playbook_use", recipe_id=recipe, ok=True)


class Story:
    """One vault, and the person who looks after it."""

    def __init__(
        self, root: Path, home: Path, words: Words, door: type[ByCommands | OverMcp]
    ) -> None:
        self.root, self.home, self.words, self.door = root, home, words, door

    def person(self, *argv: str) -> Any:
        return run("--vault", self.root, "--json", *argv, env=PERSON).ok().data

    def session(self, name: str) -> tuple[Agent, str]:
        """Begin a session as the agent program does; return the agent and what it was given."""
        said = self.hear("SessionStart", name, source="startup")
        return self.door(self.root, name), context_of(said) or ""

    def hear(self, event: str, session: str, **more: Any) -> dict[str, Any]:
        payload = {"hook_event_name": event, "session_id": session, "cwd": str(self.root), **more}
        found: dict[str, Any] = json.loads(hook("claude-code", event, payload, state_of(self.home)))
        return found

    def call(self, session: str, number: int) -> str:
        """Ask before the failing call; return why it is stopped, "" when it may run."""
        tool = {"tool_name": "Bash", "tool_input": {"command": LINE}, "tool_use_id": f"u{number}"}
        said = self.hear("PreToolUse", session, **tool).get("hookSpecificOutput", {})
        if said.get("permissionDecision") == "deny":
            return str(said["permissionDecisionReason"])
        self.hear("PostToolUseFailure", session, **tool, error=ERROR)
        return ""

    def numbers(self, record: str) -> dict[str, int]:
        rows = self.person("stats", record)["records"]
        return dict(rows[0])

    def status(self, record: str) -> str:
        return str(self.person("show", record)["status"])


@pytest.fixture(params=["en", "zh"])
def language(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(params=[ByCommands, OverMcp], ids=["commands", "mcp"])
def story(request: pytest.FixtureRequest, language: str, tmp_path: Path, home: Path) -> Story:
    settings = {"vault.toml": "[distill]\nmin_items = 1\n"}
    return Story(make_vault(tmp_path / "v", settings), home, STORIES[language], request.param)


def capture(story: Story, folder: Path) -> dict[str, str]:
    """Read the three programs' logs; return the items of the queue by their kind."""
    folder.mkdir()
    for name in ("claude-code-2.1.332", "codex-0.171.0-rollout", "dsh-session-v0"):
        text = (LOGS / f"{name}.jsonl").read_text("utf-8")
        assert SAID in text
        (folder / f"{name}.jsonl").write_text(text.replace(SAID, story.words.said), "utf-8")
    found = story.person("capture", "sessions", str(folder))["items"]
    assert story.words.said in {item["text"] for item in found}
    return {item["kind"]: item["id"] for item in found}


def distill(story: Story, agent: Agent, items: dict[str, str]) -> tuple[str, str]:
    """Let the agent write candidates; return the ids of the recipe and the failure."""
    brief = agent.distill()
    assert all(item in brief for item in items.values())
    assert story.words.said in brief
    answer = {
        "items": [
            {"item": [items["correction"]], "decision": "draft", **story.words.recipe},
            {"item": [items["repeated-error"]], "decision": "draft", **story.words.failure},
            {"item": [items["failed-then-fixed"]], "decision": "drop", "reason": "said above"},
        ]
    }
    agent.distill(json.dumps(answer, ensure_ascii=False))
    waiting = story.person("list", "--status", "candidate")["records"]
    found = {row["kind"]: row["id"] for row in waiting}
    assert sorted(found) == ["failure", "recipe"]
    assert story.person("capture", "list")["items"] == []
    return found["recipe"], found["failure"]


def guard(story: Story, failure: str, session: str) -> None:
    """The same failure three times is proposed as a guard; with the person's yes it stops the call."""
    assert [story.call(f"s-{number}", number) for number in range(3)] == [""] * 3
    (proposed,) = story.person("guard", "propose")["proposals"]
    assert proposed["counted"] == 3
    story.person("reject", proposed["id"], "--reason", "it is known", "--yes")
    instead = story.words.failure["instead"]
    story.person(
        "guard", "add", failure, "--match", "python3 -m pytest", "--instead", instead, "--yes"
    )
    why = story.call(session, 10)
    assert story.words.failure["title"] in why
    assert instead in why
    assert story.call(session, 11) == "", "the retry passes"
    assert story.numbers(failure)["hits"] == 1


def test_the_whole_loop(story: Story, tmp_path: Path) -> None:
    words = story.words
    agent, block = story.session("s-first")
    assert block == ""
    recipe, failure = distill(story, agent, capture(story, tmp_path / "logs"))

    assert words.recipe["title"] not in story.session("s-early")[1], "nobody admitted it yet"
    story.person("approve", recipe, failure, "--yes")
    agent, block = story.session("s-work")
    assert all(text in block for text in (recipe, failure, words.failure["title"]))
    guard(story, failure, "s-work")

    task = agent.start(words.goal).split()
    own = next(word.strip(";:,") for word in task if re.fullmatch(r"t-\w+[;:,]?", word))
    assert words.recipe["title"] in agent.show(recipe)
    agent.end(own, [recipe, failure])
    assert story.person("task", "show", own)["task"]["state"] == "succeeded"
    agent.mark(failure)
    assert {k: story.numbers(failure)[k] for k in ("succeeded", "helpful", "hits")} == {
        "succeeded": 1, "helpful": 1, "hits": 1,
    }  # fmt: skip

    graduate(story, recipe)
    assert [item for item in checked(story.root) if item["severity"] == "error"] == []
    assert git(story.root, "status", "--porcelain", "--", "memories", "recipes", "skills") == ""


def graduate(story: Story, recipe: str) -> None:
    """Uses make the recipe mature; it becomes a skill that is used, and goes back as it was."""
    before = story.person("show", recipe)["body"]
    proposals: list[str] = []
    for number in range(3):
        agent, _ = story.session(f"s-use-{number}")
        agent.show(recipe)
        agent.used(recipe)
        waiting = story.person("list", "--status", "candidate")["records"]
        proposals = [row["id"] for row in waiting if row["kind"] == "skill"]
        if proposals:
            break
    (skill,) = proposals
    if "skill_name" not in story.person("show", skill)["fields"]:
        story.person("edit", skill, "--set", f"skill_name={story.words.skill}", "--yes")
    story.person("approve", skill, "--yes")
    (path,) = (story.root / "skills").glob("*/SKILL.md")
    assert "make test" in path.read_text("utf-8")
    assert (path.parent / "references" / "dossier.md").is_file()
    assert (story.status(recipe), story.status(skill)) == ("superseded", "active")

    agent, block = story.session("s-skill")
    assert path.parent.name in block or skill in block
    agent.show(skill)
    agent.used(skill)
    assert story.numbers(skill)["hits"] >= 1
    story.person("demote", skill, "--reason", "the steps changed", "--yes")
    assert not path.exists()
    assert story.status(recipe) == "active"
    assert story.person("show", recipe)["body"] == before
