"""What a guard stops and advises is a command: words that two of them share are no contradiction."""

from __future__ import annotations

from typing import Any

import pytest
from helpers import make_vault, run


def guard(root: Any, title: str, match: str, instead: str, body: str = "") -> list[str]:
    more = ("--body", body) if body else ()
    done = run(
        "--vault", root, "--json", "guard", "add", "--title", title, "--match", match,
        "--instead", instead, *more,
    ).ok()  # fmt: skip
    return [found["code"] for found in done.json["diagnostics"]]


def lesson(root: Any, title: str, problem: str, correction: str) -> None:
    sections = ("--section", f"problem={problem}", "--section", f"correction={correction}")
    run("--vault", root, "add", "lesson", "--title", title, *sections).ok()


APART = [
    [
        ("Use make test, not pytest", "pytest", "make test"),
        ("Do not run npm test", "npm test", "npm run test:ci"),
        ("npm install breaks the lock file", "npm install", "npm ci"),
        ("Never force push", "git push --force", "git push"),
        ("git push to main is rejected", "git push origin main", "gh pr create"),
        ("docker compose up blocks", "docker compose up", "docker compose up -d"),
    ],
    [
        ("不要直接跑 pytest", "pytest", "make test"),
        ("不要跑 npm test", "npm test", "npm run test:ci"),
        ("npm install 会改锁文件", "npm install", "npm ci"),
        ("不要强制推送", "git push --force", "git push"),
        ("直接推 main 会被拒绝", "git push origin main", "gh pr create"),
        ("docker compose up 会卡住", "docker compose up", "docker compose up -d"),
    ],
]


@pytest.mark.parametrize("rows", APART, ids=["en", "zh"])
def test_guards_that_share_words_are_not_against_each_other(tmp_path: Any, rows: Any) -> None:
    root = make_vault(tmp_path)
    lesson(root, "Push with git push", "It was not pushed.", "Use git push.")
    lesson(root, "用 git push 推送", "没有推送。", "用 git push。")
    for row in rows:
        assert "contradiction" not in guard(root, *row), row
    assert run("--vault", root, "check", "--conflicts").ok().out == "no findings\n"


@pytest.mark.parametrize(
    ("one", "two"),
    [
        (("npm test fails", "npm test", "npm run ci"), ("npm run ci fails", "npm run ci", "npm t")),
        (
            ("pip 会改系统环境", "pip install", "uv pip install"),
            ("不要 uv pip", "uv pip", "uv sync"),
        ),
    ],
)
def test_what_one_guard_stops_and_another_advises_is_told(
    tmp_path: Any, one: Any, two: Any
) -> None:
    root = make_vault(tmp_path)
    assert guard(root, *one) == []
    assert guard(root, *two) == ["contradiction"]


@pytest.mark.parametrize(
    ("said", "match"),
    [("Run the types with npx tsc.", "npx tsc"), ("类型检查用 npx tsc。", "npx tsc")],
)
def test_what_a_lesson_advises_and_a_guard_stops_is_told(
    tmp_path: Any, said: str, match: str
) -> None:
    root = make_vault(tmp_path)
    lesson(root, said, "Types were not checked.", said)
    assert guard(root, "It fails here", match, "make check") == ["contradiction"]
    told = guard(root, "It fails with options", f"{match} --watch", "make check")
    assert "contradiction" not in told
