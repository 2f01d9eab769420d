"""What was seen in one project holds there; what was seen in several, or nobody knows where, everywhere."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from helpers import git, make_vault, run
from test_capture import claude_log

SAID = pytest.mark.parametrize(
    "said", ["No, that's wrong, always use make test here.", "不对，这里一律用 make test。"]
)
ERRORS = pytest.mark.parametrize(
    "error", ["npm error: no executable", "npm 错误：找不到可执行文件"]
)


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    return make_vault(tmp_path)


def project(parent: Path, name: str, *, remote: bool = True) -> Path:
    folder = parent / name
    (folder / "src").mkdir(parents=True)
    git(folder, "init", "--quiet")
    if remote:
        git(folder, "remote", "add", "origin", f"https://github.com/acme/{name}.git")
    return folder


def draft_of(vault: Path, *argv: str | Path) -> str:
    """The scope of the draft that a command made."""
    done = run("--vault", vault, "--json", *argv).ok()
    rows = done.data.get("proposals") or done.data["records"]
    return str(run("--vault", vault, "--json", "show", rows[0]["id"]).ok().data["scope"])


def seen(vault: Path, logs: Path, said: str, *folders: Path | str) -> str:
    for number, folder in enumerate(folders):
        claude_log(logs / f"s-{number}.jsonl", "go", said, cwd=str(folder))
    run("--vault", vault, "capture", "sessions", logs).ok()
    (row,) = run("--vault", vault, "--json", "capture", "list").ok().data["items"]
    return str(row["id"])


@SAID
@pytest.mark.parametrize(
    ("names", "scope"),
    [
        (("web/src", "web"), "project:github.com/acme/web"),
        (("web", "shop"), "global"),
        (("web", ""), "global"),
        (("plain",), "global"),
        (("gone",), "global"),
    ],
)
def test_a_draft_of_a_correction(
    vault: Path, tmp_path: Path, said: str, names: tuple[str, ...], scope: str
) -> None:
    work = tmp_path / "work"
    project(work, "web")
    project(work, "shop")
    project(work, "plain", remote=False)
    item = seen(vault, tmp_path / "logs", said, *(work / name if name else "" for name in names))
    words = ("--title", said[:20], "--body", said)
    shown = run("--vault", vault, "--json", "--dry-run", "capture", "draft", item, *words).ok().data
    assert f"+scope: {scope}\n" in shown["diff"]
    assert draft_of(vault, "capture", "draft", item, *words) == scope


@SAID
def test_who_names_a_scope_is_heard(vault: Path, tmp_path: Path, said: str) -> None:
    item = seen(vault, tmp_path / "logs", said, project(tmp_path, "web"))
    argv = ("capture", "draft", item, "--title", said[:20], "--body", said, "--scope", "global")
    assert draft_of(vault, *argv) == "global"


def fail(vault: Path, error: str, *folders: Path | str) -> None:
    rows: list[dict[str, Any]] = [
        {
            "tool": "Bash",
            "exit": 1,
            "error": error,
            "command": "npx tsc",
            "session": f"{n}",
            "cwd": str(f),
        }
        for n, f in enumerate(folders)
    ]
    path = vault.parent / "failures.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    run("--vault", vault, "guard", "failures", "--from", path).ok()


@ERRORS
@pytest.mark.parametrize("other", ["web/src", "shop", ""])
def test_a_guard_of_a_failure(vault: Path, tmp_path: Path, error: str, other: str) -> None:
    web = project(tmp_path, "web")
    project(tmp_path, "shop")
    fail(vault, error, web, web, web, tmp_path / other if other else "")
    wanted = "project:github.com/acme/web" if other == "web/src" else "global"
    assert draft_of(vault, "guard", "propose") == wanted


@ERRORS
def test_a_projects_own_vault_needs_no_other_scope(tmp_path: Path, error: str) -> None:
    web = project(tmp_path, "web")
    run("init", ".mvault", "--in-repo", cwd=web).ok()
    fail(web / ".mvault", error, web, web, web)
    done = run("--json", "guard", "propose", cwd=web).ok().data["proposals"]
    assert run("--json", "show", done[0]["id"], cwd=web).ok().data["scope"] == "global"
