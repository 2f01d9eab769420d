"""Acceptance cases about importing another program's memories."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

from helpers import CASES, commit_count, git, listed, make_vault, rendered, run

from vault_cli.hosts.importers.claude_code import slug_path


def case(name: str, to: Path) -> Path:
    folder = next(CASES.glob(f"{name}-*"))
    shutil.copytree(folder, to, symlinks=True)
    return to


def imported(root: Path, *argv: str | Path, code: int = 0) -> dict[str, Any]:
    result = run("--vault", root, "--json", "import", *argv)
    assert result.code == code, result.text
    return dict(result.data["import"])


def test_im_01_two_projects_share_one_memory_folder(tmp_path: Path) -> None:
    root = make_vault(tmp_path)
    source = case("im-01", tmp_path / "case") / "claude-home"
    work = tmp_path / "w"
    for name in ("data-hub", "data/hub", "新闻", "暂存", "one"):
        (work / name).mkdir(parents=True)
    old = {"-w-data-hub": work / "data-hub", "-w---": work / "新闻"}
    for slug, place in old.items():
        (source / "projects" / slug).rename(source / "projects" / slug_path(str(place)))
    # The importer does not guess from an ambiguous folder name: the scope is left open, the
    # ambiguity is reported, both possible paths are named.
    report = imported(root, "claude-code", source)
    assert report["totals"] == {"added": 2}
    assert all(item["scope"].startswith("project:unassigned/") for item in report["items"])
    told = run("--vault", root, "import", "claude-code", source, "--dry-run").err
    for name in ("data-hub", "data/hub", "新闻", "暂存"):
        assert str(work / name) in told
    # All arrive as candidates; nothing is injected for any project.
    assert {item["status"] for item in listed(root).values()} == {"candidate"}
    for item in report["items"]:
        run("--vault", root, "approve", item["id"], "--yes", env={"MVAULT_ACTOR": "person"}).ok()
    for project in ("github.com/acme/a", "data-hub"):
        assert "9000" not in rendered(root, "--project", project)
        assert "dark mode" not in rendered(root, "--project", project)
    assert "9000" not in rendered(root)
    # An explicit --workspace wins.
    second = make_vault(tmp_path, name="second")
    report = imported(second, "claude-code", source, "--workspace", str(work / "one"))
    assert {item["scope"] for item in report["items"]} == {"project:unassigned/folder/one"}
    # When exactly one existing path fits, that path is used and shown.
    (work / "data" / "hub").rmdir()
    third = make_vault(tmp_path, name="third")
    result = run("--vault", third, "--json", "import", "claude-code", source).ok()
    scopes = {item["file"]: item["scope"] for item in result.data["import"]["items"]}
    assert "project:unassigned/folder/data-hub" in scopes.values()
    said = [d["message"] for d in result.json["diagnostics"] if d["code"] == "project-by-name"]
    assert len(said) == 1
    assert str(work / "data-hub") in said[0]


def test_im_03_index_file_of_the_source_is_not_a_memory(tmp_path: Path) -> None:
    root = make_vault(tmp_path)
    source = case("im-03", tmp_path / "case")
    result = run("--vault", root, "--json", "import", "claude-code", source / "new").ok()
    # new/: two candidates; the index itself is not one; the missing target is reported.
    report = result.data["import"]
    assert report["totals"] == {"added": 2}
    states = {Path(f["file"]).name: (f["state"], f["items"]) for f in report["files"]}
    assert states == {
        "MEMORY.md": ("skipped", 0),
        "use-pnpm.md": ("read", 1),
        "extra.md": ("read", 1),
    }
    missing = [d for d in result.json["diagnostics"] if d["code"] == "missing-target"]
    assert [(Path(d["path"]).name, d["line"]) for d in missing] == [("MEMORY.md", 2)]
    assert "lost.md" in missing[0]["message"]
    # Names, descriptions and kinds end up in the matching fields; the original kind is kept.
    by_title = {item["title"]: item for item in listed(root).values()}
    assert by_title["Use pnpm"]["kind"] == "rule"
    assert by_title["Extra"]["kind"] == "resource"
    text = next((root / "drafts").rglob("use-pnpm-*.md")).read_text()
    assert "summary: Use pnpm, not npm" in text
    assert "applies_when: every install." in text
    assert "  name: use-pnpm" in text
    assert "  type: feedback" in text
    # old/: one candidate per section, and repeating is idempotent even when a section moves.
    assert imported(root, "claude-code", source / "old")["totals"] == {"added": 2}
    assert {"Build", "Tests"} <= {item["title"] for item in listed(root).values()}
    (source / "old/MEMORY.md").write_text(
        "# Project memory\n\n## Tests\n\nRun pytest -q.\n\n## Build\n\nUse make.\n"
    )
    commits = commit_count(root)
    assert imported(root, "claude-code", source / "old")["totals"] == {"unchanged": 2}
    assert imported(root, "claude-code", source / "new")["totals"] == {"unchanged": 2}
    assert commit_count(root) == commits


def test_im_05_import_meets_a_secret(tmp_path: Path, home: Path) -> None:
    root = make_vault(tmp_path)
    source = case("im-05", tmp_path / "case") / "src"
    key = "AKIA" + "Q7ZP2M4XN6RT8WYB"
    creds = source / "creds.md"
    creds.write_text(creds.read_text().replace("@@KEY@@", key))
    seen = []
    for flags in (["--dry-run"], []):
        for output in (["--json"], []):
            if not flags and output:
                continue
            result = run("--vault", root, *output, *flags, "import", "claude-code", source)
            assert key not in result.text
            # The exit code tells that something was refused; the path is named.
            assert result.code == 4
            assert "creds.md" in result.text
            seen.append(sorted(line for line in result.err.splitlines() if "creds.md" in line))
        data = run("--vault", root, "--json", "--dry-run", "import", "claude-code", source).data
        totals = data["import"]["totals"]
        assert totals == ({"added": 1, "refused": 1} if flags else {"unchanged": 1, "refused": 1})
    # Both report the same reason.
    assert seen[1] == seen[2]
    assert any("secret" in line for line in seen[1])
    # No file, commit, log, index or error text contains the key; ok.md is imported.
    assert [item["title"] for item in listed(root).values()] == ["Ok"]
    for place in (root, home):
        for path in place.rglob("*"):
            if path.is_file():
                assert key.encode() not in path.read_bytes(), path
    assert key not in git(root, "log", "-p", "--all")


def test_rf_15_newer_claude_memory_note(tmp_path: Path) -> None:
    root = make_vault(tmp_path)
    source = case("rf-15", tmp_path / "case") / "notes"
    # All four arrive; kind, session id and modified time come from the nested part.
    report = imported(root, "claude-code", source)
    assert report["totals"] == {"added": 4}
    texts = {
        p.name.rpartition("-")[0]: p.read_text("utf-8") for p in (root / "drafts").rglob("*.md")
    }
    waits = texts["feedback-uitest-waits"]
    assert "kind: rule" in waits
    assert 'session: "11111111-2222-3333-4444-555555555555"' in waits
    assert 'modified: "2026-07-30T07:40:18.191Z"' in waits
    # The name becomes an alias, the description the summary.
    assert "feedback_uitest_waits" in waits.split("aliases:")[1].split("\n")[0]
    assert "5 s on desktop, 10 s on mobile, 15 s on CI at most" in waits
    # The quotes inside the description and the arrow are intact.
    assert 'Work happens on a dated branch; "push to main" means' in texts["dated-branches"]
    assert "引擎数值实测（v4.0→v4.1 已部署）+ 待办（四件套）" in texts["engine-tuning"]
    # Links are kept; a link to an imported note resolves.
    assert "[[feedback_uitest_waits]]" in texts["termo-adapter"]
    found = run("--vault", root, "--json", "check").json["diagnostics"]
    assert [item for item in found if "link" in item["code"]] == []
