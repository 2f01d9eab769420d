"""The whole loop from a real session log, in English and Chinese, by the CLI and by MCP.

A failure and a correction are captured, distilled, admitted, shown, guarded against; a task that
was shown them succeeds, the recipe proves itself, becomes a skill, is used, and is taken back.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from helpers import commit_count, make_vault, run
from hook_runs import hook, state_of

LOG = Path(__file__).parent / "data" / "transcripts" / "claude-code-2.1.332.jsonl"
SESSION = "00000000-0000-4000-8000-000000000001"
SAID = "No, that's wrong. In this repo always use make test, never call pytest directly."
FAILED = "python3 -m pytest -q tests"
AGENT = {"MVAULT_ACTOR": "agent"}
PERSON = {"MVAULT_ACTOR": "person"}


class Words(NamedTuple):
    """What is said in one language."""

    said: str
    brief: str
    recipe: Mapping[str, str]
    failure: Mapping[str, str]
    goal: str
    instead: str
    skill: str


WORDS = {
    "en": Words(
        SAID,
        "# To distill",
        {
            "title": "Run the tests with make test",
            "when": "the tests of this repository are to be run",
            "problem": "pytest called by itself misses the environment.",
            "steps": "1. Run `make test`.\n2. Read the first failure.",
        },
        {
            "title": "python3 -m pytest finds no module",
            "when": "about to call pytest by hand",
            "problem": "The system's Python has no pytest.",
            "avoid": "python3 -m pytest",
            "correction": "Call make test; it sets the environment up.",
        },
        "Make the tests of the importer pass",
        "run make test",
        "",
    ),
    "zh": Words(
        "不对，这个仓库跑测试一律用 make test，不要直接调 pytest。",
        "# 待提炼",
        {
            "title": "跑测试一律用 make test",
            "when": "要跑这个仓库的测试时",
            "problem": "直接调 pytest 会缺少环境。",
            "steps": "1. 运行 `make test`。\n2. 先看第一个失败。",
        },
        {
            "title": "直接运行 pytest 会找不到模块",
            "when": "准备手动调用 pytest 时",
            "problem": "系统自带的 Python 没有装 pytest。",
            "avoid": "python3 -m pytest",
            "correction": "改用 make test，它会准备好环境。",
        },
        "让导入器的测试通过",
        "运行 make test",
        "make-test",
    ),
}


class Agent:
    """An agent in one session: by the command line, or through the MCP server."""

    def __init__(self, root: Path, way: str) -> None:
        self.root, self.way = root, way

    def ask(self, tool: str, argv: tuple[str, ...], session: str, stdin: str, **given: Any) -> str:
        """The answer as text; the same thing is asked by either way."""
        if self.way == "cli":
            env = {**AGENT, "MVAULT_SESSION": session}
            return run("--vault", self.root, *argv, env=env, stdin=stdin or None).ok().out
        return self._call(tool, session, given)

    def _call(self, tool: str, session: str, given: Mapping[str, Any]) -> str:
        import os

        import mcp

        from vault_cli.cli.serve import AgentRuns
        from vault_cli.mcp.server import build_server

        async def main() -> tuple[bool, str]:
            runs = AgentRuns(str(self.root), {**os.environ, "MVAULT_SESSION": session})
            async with mcp.Client(build_server(runs)) as client:
                answer = await client.call_tool(tool, dict(given))
                (content,) = answer.content
                return bool(answer.is_error), content.text  # type: ignore[union-attr]

        failed, text = asyncio.run(main())
        assert not failed, text
        return text

    def hand_over(self) -> str:
        return self.ask("distill", ("distill", "prepare"), "s0", "")

    def distill(self, text: str) -> str:
        return self.ask("distill", ("distill", "commit"), "s0", text, answer=text)

    def context(self, session: str) -> str:
        return self.ask("context", ("render", "--query", "test"), session, "", task="test")

    def start(self, goal: str, session: str) -> str:
        found = self.ask("task_start", ("task", "start", goal), session, "", goal=goal)
        return next(word.strip(".,;") for word in found.split() if word.startswith("t-"))

    def end(self, task: str, session: str, cited: list[str]) -> None:
        argv = ["task", "end", task, "--status", "succeeded", "--result", "ok"]
        argv += [word for own in cited for word in ("--cited", own)]
        given = {"task_id": task, "status": "succeeded", "result": "ok", "cited": cited}
        self.ask("task_end", tuple(argv), session, "", **given)

    def used(self, own: str, session: str) -> None:
        self.ask("playbook_use", ("used", own, "--ok"), session, "", recipe_id=own, ok=True)


def person(root: Path, *argv: str) -> Any:
    return run("--vault", root, "--json", *argv, env=PERSON).ok().data


def status(root: Path, own: str) -> str:
    return str(person(root, "show", own)["status"])


def practice(root: Path, own: str) -> dict[str, Any]:
    rows = person(root, "graduate", "--list")["records"]
    return dict(next(row for row in rows if row["id"] == own))


def is_stopped(home: Path, root: Path, command: str, session: str) -> str:
    """Why the hook of a host stops a command, "" when it does not."""
    payload = {
        "hook_event_name": "PreToolUse", "session_id": session, "cwd": str(root),
        "tool_name": "Bash", "tool_input": {"command": command}, "tool_use_id": "t",
    }  # fmt: skip
    said = json.loads(hook("claude-code", "pre-tool-use", payload, state_of(home)))
    own = said.get("hookSpecificOutput", {})
    is_denied = own.get("permissionDecision") == "deny"
    return str(own["permissionDecisionReason"]) if is_denied else ""


def session_log(folder: Path, said: str) -> Path:
    """The real log, with what the person said in the language at hand."""
    text = LOG.read_text("utf-8")
    assert SAID in text
    path = folder / f"{SESSION}.jsonl"
    path.write_text(text.replace(SAID, said), "utf-8")
    return path


@pytest.mark.parametrize("way", ["cli", "mcp"])
@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_whole_loop(tmp_path: Path, home: Path, language: str, way: str) -> None:
    words = WORDS[language]
    root = make_vault(tmp_path)
    agent = Agent(root, way)
    person(root, "config", "set", "distill.min_items", "1", "--yes")

    # captured
    found = person(root, "capture", "sessions", str(session_log(tmp_path, words.said)))
    items = {item["kind"]: item for item in found["items"]}
    assert set(items) == {"correction", "failed-then-fixed"}
    assert items["correction"]["text"] == words.said
    assert items["failed-then-fixed"]["detail"]["failed"] == FAILED
    assert items["failed-then-fixed"]["detail"]["worked"] == "make test"
    before = commit_count(root)

    # distilled
    brief = agent.hand_over()
    assert words.brief in brief
    assert all(item["id"] in brief for item in items.values())
    answer = {
        "items": [
            {"item": [items["correction"]["id"]], "decision": "draft", "kind": "recipe",
             **words.recipe},
            {"item": [items["failed-then-fixed"]["id"]], "decision": "draft", "kind": "failure",
             **words.failure},
        ]
    }  # fmt: skip
    agent.distill(json.dumps(answer, ensure_ascii=False))
    assert commit_count(root) == before + 1
    drafts = person(root, "list", "--status", "candidate")["records"]
    assert sorted(row["kind"] for row in drafts) == ["failure", "recipe"]
    own = {row["kind"]: row["id"] for row in drafts}
    for kind, item in (("recipe", "correction"), ("failure", "failed-then-fixed")):
        shown = person(root, "show", own[kind], "--provenance")
        assert SESSION in json.dumps(shown), "the evidence names the session"
        assert person(root, "capture", "show", items[item]["id"])["record"] == own[kind]
    agent.distill(json.dumps(answer, ensure_ascii=False))
    assert commit_count(root) == before + 1, "the same answer twice makes nothing twice"
    assert not any(draft in agent.context("s0") for draft in own.values())

    # approved: the failure with a guard, which does nothing before a person admits it
    guard = ("--match", "python3 -m pytest", "--instead", words.instead, "--hit", FAILED)
    run("--vault", root, "guard", "add", own["failure"], *guard, "--miss", "make test",
        env=AGENT).ok()  # fmt: skip
    assert not is_stopped(home, root, FAILED, "g0")
    for draft in own.values():
        assert run("--vault", root, "approve", draft, "--yes", env=AGENT).code == 3
        person(root, "approve", draft, "--yes")
        assert status(root, draft) == "active"

    # rendered
    block = agent.context("s1")
    assert words.recipe["title"] in block
    assert words.failure["title"] in block

    # guarded
    reason = is_stopped(home, root, FAILED, "g1")
    assert words.instead in reason
    assert own["failure"] in reason
    assert not is_stopped(home, root, "make test", "g1")

    # a task succeeds, and what it used counts
    task = agent.start(words.goal, "s1")
    agent.end(task, "s1", [own["recipe"], own["failure"]])
    ended = person(root, "task", "show", task)["task"]
    assert (ended["state"], ended["ended_by"]) == ("succeeded", "agent")
    assert set(ended["shown"]["full"]) == set(ended["cited"]) == set(own.values())
    (row,) = person(root, "stats", own["recipe"])["records"]
    assert row["succeeded"] == 1

    # hits
    for number in range(2, 5):
        agent.context(f"s{number}")
        agent.used(own["recipe"], f"s{number}")
        agent.used(own["recipe"], f"s{number}")
    (proposal,) = [
        row["id"]
        for row in person(root, "list", "--status", "candidate")["records"]
        if row["kind"] == "skill"
    ]
    assert practice(root, own["recipe"])["hits"] >= 3

    # graduated
    if words.skill:
        person(root, "edit", proposal, "--set", f"skill_name={words.skill}", "--yes")
    assert run("--vault", root, "approve", proposal, "--yes", env=AGENT).code == 3
    recipe = root / person(root, "show", own["recipe"])["path"]
    text = recipe.read_bytes()
    person(root, "approve", proposal, "--yes")
    assert (status(root, own["recipe"]), status(root, proposal)) == ("superseded", "active")
    (skill,) = (root / "skills").glob("*/SKILL.md")
    assert words.recipe["steps"] in skill.read_text("utf-8")
    dossier = (skill.parent / "references" / "dossier.md").read_text("utf-8")
    assert own["recipe"] in dossier
    assert "0 failed" in dossier

    # used, and in the block in the recipe's place
    assert own["recipe"] not in agent.context("s9")
    agent.used(proposal, "s9")
    assert practice(root, proposal)["succeeded"] == practice(root, proposal)["hits"] == 1

    # demoted: the recipe is in force again, byte for byte, and has to prove itself again
    person(root, "demote", proposal, "--reason", "make changed", "--yes")
    assert recipe.read_bytes() == text
    assert not list((root / "skills").glob("*/SKILL.md"))
    assert status(root, own["recipe"]) == "active"
    assert words.recipe["title"] in agent.context("s10")
    again = person(root, "graduate", "--propose")
    assert again["changed"] is False
    errors = [f for f in run("--vault", root, "--json", "check").json["diagnostics"]
              if f["severity"] == "error"]  # fmt: skip
    assert errors == []
