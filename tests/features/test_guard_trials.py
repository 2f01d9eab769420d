"""What a guard would have done: its examples, recorded calls, precision with its n; proposals."""

from __future__ import annotations

from typing import Any

import pytest

from vault_cli.features.failures import Group
from vault_cli.features.guard_proposals import propose, proposed_guard, shared_words
from vault_cli.features.guard_trials import judge_share, try_guard
from vault_cli.model.sighting import Sighting
from vault_cli.text.guards import Guard, check_guard


def call(command: str, failed: bool | None = True, number: int = 0, **more: Any) -> Sighting:
    facts: dict[str, Any] = {
        "key": f"{command}{number}", "at": 1_790_000_000 + number, "host": "codex",
        "session": str(number), "cwd": "", "tool": "shell", "given": command, "failed": failed,
        "exit_code": int(bool(failed)), "text": "", **more,
    }  # fmt: skip
    return Sighting(**facts)


def guard(**keys: Any) -> Guard:
    found = check_guard({"match": "npx tsc", **keys})
    assert found is not None
    return found


def never(_: Sighting) -> bool:
    return False


def test_precision_is_told_with_its_n() -> None:
    calls = [
        *(call("npx tsc -p .", number=n) for n in range(3)),
        call("npx tsc --version", failed=False),
        call("npx tsc", failed=None),
        *(call("make check", failed=False, number=n) for n in range(6)),
        call("/a/npx tsc.ts", failed=True, tool="edit"),
    ]
    trial = try_guard(guard(), calls, never)
    data = trial.as_data()
    assert (data["recorded"], data["would_have_stopped"]) == (11, 5)
    assert (data["failed"], data["went_well"], data["unknown"]) == (3, 1, 1)
    assert (data["precision"], data["n"], data["n_is_small"]) == (0.75, 4, True)
    low, high = data["interval"]
    assert (round(low, 3), round(high, 3)) == (0.301, 0.954)  # Wilson, 3 of 4


def test_without_calls_there_is_no_precision() -> None:
    trial = try_guard(guard(), [], never)
    assert (trial.precision, trial.interval, trial.is_small) == (None, None, True)


def test_an_end_that_is_no_failure_counts_against_the_guard() -> None:
    trial = try_guard(
        guard(match="grep"), [call("grep x y", number=n) for n in range(4)], lambda _: True
    )
    assert (trial.failed, trial.went_well, trial.precision) == (0, 4, 0.0)


def test_wrong_examples_are_named() -> None:
    wrong = try_guard(
        guard(examples={"hit": ["npx tsc", "yarn tsc"], "miss": ["echo npx tsc", "npx tsc -v"]}),
        [],
        never,
    ).wrong
    assert wrong == [("yarn tsc", True), ("npx tsc -v", False)]


def test_what_hits_many_recorded_calls_is_not_denied() -> None:
    denies = guard(match="make", action="deny")
    few = [call("make", number=n) for n in range(10)]
    many = [call("make test", number=n) for n in range(8)] + [
        call("ls", number=n) for n in range(12)
    ]
    rare = [call("make", number=0)] + [call("ls", number=n) for n in range(30)]
    assert judge_share(denies, "deny", few) == ("deny", "")
    assert judge_share(denies, "deny", rare) == ("deny", "")
    action, why = judge_share(denies, "deny", many)
    assert action == "warn"
    assert "40%" in why
    assert judge_share(denies, "warn", many) == ("warn", "")


@pytest.mark.parametrize(
    ("commands", "wanted"),
    [
        (["npx tsc -p .", "npx tsc --noEmit", "cd web && npx tsc"], "npx tsc"),
        (["python3 -m pytest -q tests/a.py", "python3 -m pytest tests/b.py"], "python3 -m pytest"),
        (["npm run build"] * 3, "npm run build"),
        (["docker compose up -d", "docker compose up --build"], "docker compose up"),
        (["sudo make install", "make install DESTDIR=/x"], "make install"),
        (["ls -la /x", "ls -la /y"], "ls"),
        (["./部署.sh 生产", "./部署.sh 测试"], "部署.sh"),
        (["npx tsc", "make check"], ""),
        (["", "npx tsc"], ""),
        (["git push origin secret-branch-name-of-a-customer-project"], "git push origin"),
    ],
)
def test_the_words_that_failed_calls_share(commands: list[str], wanted: str) -> None:
    assert shared_words([call(text, number=n) for n, text in enumerate(commands)]) == wanted


def group(template: str, calls: list[Sighting]) -> Group:
    return Group("00112233aabbccdd", "shell", template, calls, calls)


@pytest.mark.parametrize(
    ("template", "words"),
    [
        (
            "Exit code 1\n<path>: No module named pytest",
            ["Failed 3 times in 3 sessions", "Of 3 recorded"],
        ),
        ("错误：找不到模块", ["在 3 个会话中失败了 3 次", "已记录的 3 次调用中"]),
    ],
)
def test_a_proposal_speaks_the_language_of_the_error(template: str, words: list[str]) -> None:
    calls = [call(f"python3 -m pytest tests/secret_{n}.py", number=n) for n in range(3)]
    found = group(template, calls)
    values = proposed_guard(found)
    assert values["match"] == "python3 -m pytest"
    assert values["action"] == "warn"
    assert values["fingerprint"] == "00112233aabbccdd"
    made = check_guard(values)
    assert made is not None
    request = propose(found, try_guard(made, calls, never), values)
    said = "\n".join([request.title, *request.sections.values()])
    assert all(word in said for word in words)
    assert "secret_" not in f"{said}{values}"  # nothing of a single command
    assert (request.kind, request.source, request.confidence) == ("failure", "tool", "low")


def test_without_a_command_there_is_a_draft_and_no_guard() -> None:
    found = group("connect refused", [call("", number=n) for n in range(3)])
    assert proposed_guard(found) == {}
    request = propose(found, None, {})
    assert request.extra == {"failure": "00112233aabbccdd"}
