"""`show --provenance` in three parts: the record, its source task, what was in force then."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from helpers import git, make_vault, run, write_files


def note(key: str, body: str = "正文 text", status: str = "active", **keys: str) -> str:
    more = "".join(f"{name}: {value}\n" for name, value in keys.items())
    head = f"id: {key}\nkind: {keys.pop('kind', 'lesson')}\nstatus: {status}\ntitle: 标题 {key}\n{more}"
    return f"---\n{head}---\n{body}\n"


def commit_on(root: Path, day: str) -> None:
    git(root, "add", "-A")
    git(root, "-c", "user.name=x", "commit", "-qm", day, f"--date={day}T08:00:00Z")


@pytest.fixture
def past(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Sets the clock of git for the commits that follow."""
    return lambda day: monkeypatch.setenv("GIT_COMMITTER_DATE", f"{day}T08:00:00Z")


BODY = "## Problem\nnpx tried to download tsc.\n## Correction\n先看本地。\n"


def told(root: Path, key: str) -> Any:
    return run("--vault", root, "--json", "show", key, "--provenance").ok().data["provenance"]


@pytest.fixture
def vault(tmp_path: Path, past: Any) -> Path:
    past("2026-06-01")
    root = make_vault(tmp_path, commit=False)
    write_files(root, {
        "memories/1.md": note("l-old0001", confidence="high", importance="9"),
        "memories/2.md": note("l-old0002", scope="project:github.com/acme/web"),
        "memories/3.md": note("l-old0003", scope="project:github.com/acme/other"),
        "memories/4.md": note("l-old0004", valid_to="2026-06-10"),
        "memories/5.md": note("l-old0005", status="deprecated"),
        "memories/6.md": note("l-old0006", scope="session:7f"),
        "memories/7.md": note("l-old0007", scope="session:8a"),
    })  # fmt: skip
    commit_on(root, "2026-06-01")
    past("2026-07-01")
    lesson = note(
        "l-new0001", BODY, scope="project:github.com/acme/web", confidence="medium",
        applies_when="about to run a tool through npx",
        evidence="[{id: e1, type: task, task: t-0000001, observed: 2026-06-15}, {id: e2,"
        ' type: session-event, session: 7f, start: "120", end: "188", observed: 2026-06-15}]',
    )  # fmt: skip
    write_files(root, {"memories/8.md": lesson, "memories/9.md": note("l-later01")})
    (root / "memories/1.md").write_text(note("l-old0001", status="deprecated"))
    commit_on(root, "2026-07-01")
    return root


def test_three_parts_without_a_task_file(vault: Path) -> None:
    data = told(vault, "l-new0001")
    lesson = data["lesson"]
    assert lesson["sections"] == {
        "problem": "npx tried to download tsc.",
        "correction": "先看本地。",
    }
    assert (lesson["applies_when"], lesson["confidence"]) == (
        "about to run a tool through npx",
        "medium",
    )
    (task,) = data["tasks"]
    assert (task["id"], task["in_vault"], task["goal"]) == ("t-0000001", False, "")
    assert data["sessions"] == [{"session": "7f", "start": "120", "end": "188"}]
    then = data["in_force_then"]
    assert (then["at"][:10], then["said_by"]) == ("2026-06-15", "evidence e1: observed")
    assert [item["id"] for item in then["records"]] == ["l-old0001", "l-old0002", "l-old0006"]
    assert (then["total"], then["more"], then["known"]) == (3, [], True)
    assert (then["records"][0]["confidence"], then["records"][1]["scope"]) == (
        "high", "project:github.com/acme/web",
    )  # fmt: skip
    out = run("--vault", vault, "show", "l-new0001", "--provenance").ok().out
    assert "source task: t-0000001  (not in the vault)" in out
    assert "source session: 7f, events 120 to 188" in out
    assert "3 other records at 2026-06-15" in out
    assert "标题 l-old0001  (global; confidence high)" in out


def test_each_entry_of_evidence_has_a_line(vault: Path) -> None:
    out = run("--vault", vault, "show", "l-new0001").ok().out
    assert (
        "\nevidence:\n"
        "  {id: e1, type: task, task: t-0000001, observed: 2026-06-15}\n"
        "  {id: e2, type: session-event, session: 7f, start: 120, end: 188, observed: 2026-06-15}\n"
    ) in out


def test_a_task_in_the_vault_is_told(vault: Path) -> None:
    task = (
        "---\nid: t-0000001\nkind: task\nstatus: active\ntitle: 修好构建 the build\noutcome: succeeded\n"
        "expected: 构建通过\nstarted: 2026-06-05T10:00:00Z\n---\n## Result\nIt builds.\n"
    )
    write_files(vault, {"tasks/t.md": task})
    data = told(vault, "l-new0001")
    (found,) = data["tasks"]
    assert found == {
        "id": "t-0000001", "in_vault": True, "goal": "修好构建 the build", "expected": "构建通过",
        "status": "succeeded", "result": "It builds.", "started": "2026-06-05T10:00:00Z",
    }  # fmt: skip
    then = data["in_force_then"]
    assert then["said_by"] == "task t-0000001"
    assert "l-old0004" in [item["id"] for item in then["records"]]
    out = run("--vault", vault, "show", "l-new0001", "--provenance").ok().out
    assert "expected: 构建通过" in out
    (match,) = run("--vault", vault, "--json", "why", "l-new0001").ok().data["records"]
    assert match["tasks"] == [found]


def test_what_is_not_known_is_said(tmp_path: Path, vault: Path) -> None:
    write_files(vault, {"memories/a.md": note("l-bare001"), "memories/b.md": note(
        "l-early01", created="2025-01-01T00:00:00Z")})  # fmt: skip
    bare = told(vault, "l-bare001")
    assert (bare["tasks"], bare["sessions"]) == ([], [])
    assert bare["in_force_then"]["why_not"] == "nothing says when that was"
    early = told(vault, "l-early01")["in_force_then"]
    assert (early["known"], early["at"][:10]) == (False, "2025-01-01")
    assert "as early as" in early["why_not"]
    out = run("--vault", vault, "show", "l-early01", "--provenance").ok().out
    assert "no source task is named" in out
    assert "not known: the vault has no commit as early" in out


def test_ten_are_told_and_the_others_named(vault: Path, past: Any) -> None:
    past("2026-08-01")
    write_files(vault, {f"memories/m{n}.md": note(f"l-many{n:03d}") for n in range(60)})
    write_files(vault, {"memories/z.md": note("l-last001", created="2026-08-02T00:00:00Z")})
    commit_on(vault, "2026-08-01")
    then = told(vault, "l-last001")["in_force_then"]
    assert len(then["records"]) == 10
    assert then["total"] == 10 + len(then["more"])
    assert {"l-many000", "l-many059"} <= {*then["more"], *(r["id"] for r in then["records"])}
    out = run("--vault", vault, "show", "l-last001", "--provenance").ok().out
    assert f"+{len(then['more'])} more in force: " in out
    (line,) = [line for line in out.splitlines() if "all: mvault " in line]
    listed = run("--vault", vault, "--json", *line.split("mvault ")[1].split()).ok().data["records"]
    assert len(listed) >= then["total"]
