"""What an instruction file says already, word for word, no hook says again."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import pytest
from helpers import commit_all, make_vault, run, write_files
from hook_answers import context_of
from hook_runs import LESSON, RULE, ask

from vault_cli.hook import ready

TITLES = {
    "en": ("Staging listens on 5544", "Ask psql."),
    "zh": ("测试库的端口是 5544", "用 psql 看。"),
}
START = "codex/SessionStart.json"
OWN = {"memories/r-0000001.md": RULE}


@pytest.fixture(autouse=True)
def _ready_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is kept ready must follow the instruction files, too."""
    monkeypatch.setattr(ready, "SETTLED", -(1 << 62))


@pytest.fixture(params=TITLES)
def project(request: pytest.FixtureRequest, tmp_path: Path, home: Path) -> Path:
    """A checkout with a vault of its own, beside the person's; nothing is in AGENTS.md yet."""
    top = tmp_path / "项目"
    top.mkdir()
    subprocess.run(["git", "init", "-q", top], check=True)
    title, body = TITLES[request.param]
    text = LESSON.format(title=title, body=body)
    run("init", ".mvault", "--in-repo", cwd=top).ok()
    write_files(top / ".mvault", {"memories/l-0000002.md": text})
    commit_all(top)
    make_vault(home / "data", OWN, name="mvault")
    return top


def install(project: Path, *more: str) -> Path:
    """Put the block into AGENTS.md of the project, as a person does; return the file."""
    run("install", "codex", "--project", "--block", "--yes", *more, cwd=project).ok()
    return project / "AGENTS.md"


def said(project: Path, session: str, file: str = START, **more: Any) -> str:
    return context_of(ask(file, project, session_id=session, **more)) or ""


def test_what_stands_in_agents_md_is_not_said_again(project: Path) -> None:
    before = said(project, "a")
    assert "l-0000002" in before
    assert "r-0000001" in before
    install(project)
    after = said(project, "b")
    assert "l-0000002" not in after
    assert "r-0000001" in after  # the person's own, which the project's file does not hold
    assert said(project, "c") == after


def test_a_changed_record_is_said_until_the_file_says_it(project: Path) -> None:
    install(project)
    record = project / ".mvault/memories/l-0000002.md"
    record.write_text(record.read_text("utf-8") + "Another port: 6655.\n", "utf-8")
    commit_all(project)
    assert "6655" in said(project, "a")
    install(project)
    assert "6655" not in said(project, "b")


@pytest.mark.parametrize(
    "spoil",
    [
        lambda text: text.replace("psql", "mysql"),
        lambda text: f"```\n{text}\n```\n",
        lambda text: text.replace("mvault:end", "mvault:begin"),
        lambda text: "字" * 11_000 + "\n\n" + text,
        lambda _text: "",
    ],
    ids=["edited", "in a fence", "half a pair", "behind what is read", "emptied"],
)
def test_a_block_that_does_not_reach_the_agent_does_not_count(project: Path, spoil: Any) -> None:
    file = install(project)
    file.write_text(spoil(file.read_text("utf-8")), "utf-8")
    assert "l-0000002" in said(project, "a")


def test_a_host_that_does_not_read_the_file_is_told(project: Path) -> None:
    """Claude Code reads AGENTS.md only where a project has no CLAUDE.md."""
    install(project)
    (project / "CLAUDE.md").write_text("我的规矩\n", "utf-8")
    assert "l-0000002" in said(project, "a", "claude-code/SessionStart.json")
    assert "l-0000002" not in said(project, "b")


def test_what_ones_own_vault_requires_is_said_whatever_a_project_s_file_holds(
    project: Path, home: Path
) -> None:
    (project / ".mvault").rename(project.parent / "away")
    file = install(project)
    assert "r-0000001" in file.read_text("utf-8")
    assert "r-0000001" in said(project, "a")

    (home / ".codex").mkdir(exist_ok=True)
    file.rename(home / ".codex/AGENTS.md")  # the person's own file
    text = said(project, "b")
    assert "r-0000001" not in text
    assert "AGENTS.md" in text


def test_with_nothing_left_one_line_says_where_it_stands(project: Path, home: Path) -> None:
    (home / "data/mvault").rename(home / "away")
    install(project)
    text = said(project, "a")
    assert text.count("\n") == 1
    assert "AGENTS.md" in text
    assert said(project, "a", source="resume") != ""
    assert said(project, "a", "codex/UserPromptSubmit.json", prompt="Which port, 端口 5544?") == ""


def test_the_person_s_own_file_is_where_codex_reads_it(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CODEX_HOME", str(tmp_path / "codex home"))
    run("install", "codex", "--block", "--yes", cwd=project).ok()
    assert "r-0000001" in (tmp_path / "codex home/AGENTS.md").read_text("utf-8")
    assert "r-0000001" not in said(project, "a")
    run("uninstall", "codex", "--yes", cwd=project).ok()
    assert not (tmp_path / "codex home/AGENTS.md").exists()
