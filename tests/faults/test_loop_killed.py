"""Each step of the learning loop killed, and the same command again: one result, and nothing half done."""

from __future__ import annotations

import json
import os
import random
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from helpers import checked, fsck, git, make_vault, run
from hook_runs import hook, state_of

SHIM = Path(__file__).with_name("shim.py")
POINTS = 10_000 if os.environ.get("MVAULT_SWEEP") == "all" else 6
PERSON = {"MVAULT_ACTOR": "person"}
RECIPE = (
    "---\nid: c-keys\nkind: recipe\nstatus: active\ntitle: Rotate the staging keys\n"
    "applies_when: 密钥超过一个季度\ncreated: 2026-11-01T00:00:00Z\n---\n"
    "# Rotate the staging keys\n\n## 问题\n旧密钥会失效。\n\n## 步骤\n1. 重新生成。\n"
)
SETTINGS = '[graduation]\npropose = "off"\n'


class Case(NamedTuple):
    """A command that is killed.

    Args:
        begin: makes what it needs, and returns its words.
        judge: what must hold after it ran again.
    """

    begin: Callable[[Path, Path], tuple[str, ...]]
    judge: Callable[[Path], None]


def person(root: Path, *argv: str) -> Any:
    return run("--vault", root, "--json", *argv, env=PERSON).ok().data


def rows(root: Path, status: str, kind: str = "") -> list[dict[str, Any]]:
    found = person(root, "list", "--status", status)["records"]
    return [row for row in found if kind in ("", row["kind"])]


def mature(root: Path, _: Path) -> tuple[str, ...]:
    for _number in range(3):
        person(root, "used", "c-keys", "--ok", "--yes")
    return ("graduate", "--propose")


def proposed(root: Path, home: Path) -> tuple[str, ...]:
    own = person(root, *mature(root, home))["ids"][0]
    return ("approve", own, "--yes")


def graduated(root: Path, home: Path) -> tuple[str, ...]:
    words = proposed(root, home)
    person(root, *words)
    return ("demote", words[1], "--reason", "step 1 changed", "--yes")


def one_proposal(root: Path) -> None:
    assert len(rows(root, "candidate", "skill")) == 1


def one_skill(root: Path) -> None:
    assert len(list((root / "skills").glob("*/SKILL.md"))) == 1
    assert [row["kind"] for row in rows(root, "active")] == ["skill"]
    assert [row["id"] for row in rows(root, "superseded")] == ["c-keys"]


def a_recipe_again(root: Path) -> None:
    assert not list((root / "skills").glob("*/SKILL.md"))
    assert [row["id"] for row in rows(root, "active")] == ["c-keys"]
    assert (root / "recipes/keys.md").read_text("utf-8") == RECIPE


def failed_three_times(root: Path, home: Path) -> tuple[str, ...]:
    for number in range(3):
        payload = {
            "hook_event_name": "PostToolUseFailure", "session_id": f"s{number}", "cwd": str(root),
            "tool_name": "Bash", "tool_input": {"command": "npx tsc -p ."}, "tool_use_id": f"u{number}",
            "error": "Exit code 2\n错误：端口 8080 被占用",
        }  # fmt: skip
        hook("claude-code", "post-tool-use-failure", payload, state_of(home))
    return ("guard", "propose")


def corrected(root: Path, home: Path) -> tuple[str, ...]:
    said = {"role": "user", "content": "不对，以后跑测试都用 make test。"}
    line = {"sessionId": "s", "cwd": "/w", "version": "2.1.332", "userType": "external"}
    line |= {"type": "user", "timestamp": "2026-11-30T09:00:00Z", "message": said}
    before = {**line, "type": "assistant", "message": {"role": "assistant", "content": [
        {"type": "text", "text": "I called pytest."}]}}  # fmt: skip
    log = home / "s.jsonl"
    lines = (json.dumps(each, ensure_ascii=False) for each in (before, line))
    log.write_text("\n".join(lines) + "\n", "utf-8")
    (item,) = person(root, "capture", "sessions", str(log))["items"]
    return (
        "capture",
        "draft",
        item["id"],
        "--title",
        "跑测试用 make test",
        "--body",
        "用 make test。",
    )


def one_draft(root: Path) -> None:
    assert len(rows(root, "candidate")) == 1


def one_handoff(root: Path) -> None:
    text = git(root, "ls-files", "-co", "--exclude-standard")
    assert text.count("handoff") == 1, text


def a_ticket(root: Path, _: Path) -> tuple[str, ...]:
    person(root, "ticket", "add", "修好登录")
    (own,) = person(root, "ticket", "list")["records"]
    return ("ticket", "move", own["id"], "open")


def one_open_ticket(root: Path) -> None:
    (own,) = person(root, "ticket", "list")["records"]
    assert own["stage"] == "open"


CASES = {
    "a skill is proposed": Case(mature, one_proposal),
    "a skill is admitted": Case(proposed, one_skill),
    "a skill goes back": Case(graduated, a_recipe_again),
    "a guard is proposed": Case(failed_three_times, one_draft),
    "an item is drafted": Case(corrected, one_draft),
    "word is left": Case(lambda *_: ("handoff", "接着做登录", "--yes"), one_handoff),
    "a persona is proposed": Case(
        lambda *_: ("persona", "propose", "A careful colleague. 边界: 不猜。"), one_draft
    ),
    "a ticket moves": Case(a_ticket, one_open_ticket),
}


def killed(root: Path, step: int, counter: Path, argv: tuple[str, ...], mode: str = "kill") -> bool:
    """Run a command that is killed at a step; False when it ended before (steps vary by a few)."""
    command = [sys.executable, str(SHIM), str(step), mode, str(counter), "--"]
    env = {**os.environ, **PERSON, "PYTHONPATH": str(SHIM.parents[2])}
    done = subprocess.run(
        [*command, "--vault", str(root), *argv],
        env=env, capture_output=True, text=True, check=False, timeout=60,
    )  # fmt: skip
    assert "Traceback" not in done.stderr, done.stderr
    assert done.returncode in ((0,) if mode == "count" else (0, -9)), done.stderr
    return done.returncode == -9


@pytest.mark.slow
@pytest.mark.parametrize("name", CASES)
def test_a_step_that_is_killed_goes_on_without_a_duplicate(
    name: str, tmp_path: Path, home: Path
) -> None:
    case, counter = CASES[name], tmp_path / "n"
    files = {"vault.toml": SETTINGS, "recipes/keys.md": RECIPE} if "skill" in name else {}
    root, state = make_vault(tmp_path / "v", files), state_of(home)
    argv = case.begin(root, home)
    kept = tmp_path / "kept"
    state.mkdir(exist_ok=True)
    for place in (root, state):
        shutil.copytree(place, kept / place.name, symlinks=True)
    killed(root, 0, counter, argv, mode="count")
    total = int(counter.read_text().split()[0])
    some = random.Random(name).sample(range(1, total + 1), min(POINTS, total))
    kills = 0
    for step in sorted({*some, total}):
        for place in (root, state):
            shutil.rmtree(place)
            shutil.copytree(kept / place.name, place, symlinks=True)
        kills += killed(root, step, counter, argv)
        for _ in range(2):
            again = run("--vault", root, *argv, env=PERSON)
            assert again.code in (0, 4, 6), (step, again.text)
        case.judge(root)
        assert fsck(root) == [], step
        assert not [item for item in checked(root) if item["severity"] == "error"], step
    assert 2 * kills >= len(some)
