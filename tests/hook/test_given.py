"""What hooks give a session counts as shown to it, and so may be cited."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from helpers import make_vault, run
from hook_runs import FILES, hook, state_of

AGENT = {"MVAULT_ACTOR": "agent"}
RULE, LESSON = "r-0000001", "l-0000002"


def begin(root: Path, home: Path, session: str, event: str = "SessionStart", **more: Any) -> None:
    payload = {"hook_event_name": event, "session_id": session, "cwd": str(root), **more}
    assert b"make test" in hook("claude-code", event, payload, state_of(home))


def shown(root: Path, record: str) -> int:
    rows = run("--vault", root, "--json", "stats", record).ok().data["records"]
    return int(rows[0]["exposures"])


@pytest.fixture
def root(tmp_path: Path, home: Path) -> Path:
    del home
    return make_vault(tmp_path, FILES)


def test_a_session_that_a_hook_gave_the_block_may_cite_it(root: Path, home: Path) -> None:

    def mark(session: str) -> int:
        what = ("mark", RULE, "--session", session, "--cited", "--helpful")
        return run("--vault", root, *what, env=AGENT).code

    assert mark("s-1") == 4  # it was shown nothing yet
    begin(root, home, "s-1", source="startup")
    assert mark("s-1") == 0
    assert mark("s-2") == 4
    assert shown(root, RULE) == 1


def test_warm_and_cold_starts_count_alike_and_each_session_once(root: Path, home: Path) -> None:
    for number in range(3):  # the first makes the block, the others find it ready
        begin(root, home, f"s-{number}", source="startup")
    assert shown(root, RULE) == 3
    assert shown(root, LESSON) == 3
    assert shown(root, RULE) == 3  # counted once, however often it is looked at
    run("--vault", root, "capture", "sessions").ok()
    assert shown(root, RULE) == 3


def test_what_capture_takes_in_first_is_not_lost(root: Path, home: Path) -> None:
    begin(root, home, "s-1", source="startup")
    run("--vault", root, "capture", "sessions").ok()
    assert shown(root, LESSON) == 1


def test_a_task_takes_what_its_session_was_given_for_used(root: Path, home: Path) -> None:
    begin(root, home, "会话-1", source="startup")
    session = ("--session", "会话-1")
    begun = run("--vault", root, "--json", "task", "start", "部署", *session, env=AGENT).ok()
    task = begun.data["records"][0]["id"]
    end = ("task", "end", task, "--status", "succeeded", "--cited", LESSON)
    done = run("--vault", root, *end, env={**AGENT, "MVAULT_SESSION": "会话-1"}).ok()
    assert "Not noted" not in done.text
    rows = run("--vault", root, "--json", "stats", LESSON).ok().data["records"]
    assert rows[0]["succeeded"] == 1


def test_exposures_that_are_switched_off_are_not_kept(root: Path, home: Path) -> None:
    (root / "vault.toml").write_text("[usage]\nexposures = false\n", encoding="utf-8")
    begin(root, home, "s-1", source="startup")
    assert shown(root, RULE) == 0


def test_a_frame_of_another_layout_is_passed_over(root: Path, home: Path) -> None:
    from vault_cli.hook import spool

    for data in (
        [],
        {},
        {"vaults": 1, "shown": []},
        {"vaults": {"": str(root)}, "shown": [1, [2]]},
    ):
        spool.append(str(state_of(home)), (1, "codex", spool.GIVEN), json.dumps(data).encode())
    begin(root, home, "s-1", source="startup")
    assert shown(root, RULE) == 1


@pytest.mark.parametrize(
    "variable", ["CLAUDE_CODE_SESSION_ID", "CODEX_SESSION_ID", "DSH_SESSION_ID"]
)
def test_a_command_of_the_agent_knows_its_session(root: Path, home: Path, variable: str) -> None:
    begin(root, home, "s-1", source="startup")
    what = ("mark", LESSON, "--cited", "--helpful")
    assert run("--vault", root, *what, env={**AGENT, variable: "s-2"}).code == 4
    run("--vault", root, *what, env={**AGENT, variable: "s-1"}).ok()


@pytest.mark.parametrize(
    "given",
    [
        {"tool_input": {"command": "echo \ud83d"}},
        {"tool_input": {"command": "ls"}, "session_id": "s\udc00"},
        {
            "tool_input": {"command": "ls"},
            "error": "Exit code 2\n错误 \ud83d",
            "tool_name": "Ba\ud83dsh",
        },
    ],
)
def test_half_a_character_stops_nothing(root: Path, home: Path, given: dict[str, Any]) -> None:
    """A host cuts texts by UTF-16, in the middle of an emoji: it is JSON, and no text."""
    for event in ("PostToolUse", "PostToolUseFailure"):
        payload = {"session_id": "s-0", "cwd": str(root), "tool_name": "Bash", **given}
        raw = json.dumps({"hook_event_name": event, "tool_use_id": event, **payload}).encode()
        assert hook("claude-code", event, raw, state_of(home)) == b"{}"
    begin(root, home, "s-1", source="startup")
    assert shown(root, RULE) == 1
    for argv in (
        ("guard", "list"),
        ("guard", "failures"),
        ("guard", "propose"),
        ("capture", "sessions"),
    ):
        run("--vault", root, *argv).ok()
    begin(root, home, "s-2", source="startup")
