"""`diff` on the command line: what came, went, moved, changed; the commit and the reason."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from helpers import commit_all, git, head, make_vault, run, write_files


def note(key: str, status: str = "active", text: str = "正文", **keys: str) -> str:
    more = "".join(f"{name}: {value}\n" for name, value in keys.items())
    head = f"id: {key}\nkind: lesson\nstatus: {status}\ntitle: 标题 {key}\n{more}"
    return f"---\n{head}---\n{text} {key}\n"


def diff(root: Path, *argv: str, env: dict[str, str | None] | None = None) -> dict[str, Any]:
    return run("--vault", root, "--json", "diff", *argv, env=env).ok().data


def entries(root: Path, *argv: str, env: dict[str, str | None] | None = None) -> Any:
    found = diff(root, *argv, env=env)["entries"]
    return {item["id"]: (item["change"], item["code"]) for item in found}


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    return make_vault(tmp_path, {f"memories/{n}.md": note(f"l-note{n}") for n in range(1, 6)})


def test_each_change_of_status_has_its_reason_and_commit(vault: Path) -> None:
    start = head(vault)
    new = run("--vault", vault, "--json", "add", "lesson", "--title", "New 新的",
              "--section", "problem=p", "--section", "correction=c").ok().data["ids"][0]  # fmt: skip
    run("--vault", vault, "approve", new, "--yes", "--reason", "fits").ok()
    run("--vault", vault, "deprecate", "l-note1", "--yes", "--reason", "过时").ok()
    run("--vault", vault, "dispute", "l-note2", "--reason", "wrong").ok()
    run("--vault", vault, "edit", "l-note3", "--set", "applies_when=支付", "--yes").ok()
    run("--vault", vault, "edit", "l-note5", "--set", "importance=9", "--yes").ok()
    found = {item["id"]: item for item in diff(vault, start)["entries"]}
    assert {key: (item["change"], item["code"]) for key, item in found.items()} == {
        new: ("added", "new"),
        "l-note1": ("removed", "deprecated"),
        "l-note2": ("removed", "disputed"),
        "l-note3": ("changed", "text"),
        "l-note5": ("moved", "score"),
    }
    assert found["l-note1"]["commit"]["reason"] == "过时"
    assert found["l-note1"]["commit"]["subject"].startswith("deprecate(lesson)")
    assert found[new]["commit"]["subject"].startswith("approve(lesson)")
    assert "importance 7" in found["l-note5"]["reason"]
    out = run("--vault", vault, "diff", start).ok().out
    assert "removed l-note1: 标题 l-note1 (taken out of force (deprecated))" in out
    back = diff(vault, "HEAD", start)["entries"]
    assert {item["id"]: item["change"] for item in back}["l-note1"] == "added"
    run("--vault", vault, "revive", "l-note1", "--yes", "--reason", "again").ok()
    assert entries(vault, "HEAD~1", "HEAD") == {"l-note1": ("added", "deprecated")}


def test_approval_of_a_draft_and_its_successor(vault: Path) -> None:
    new = run("--vault", vault, "--json", "revise", "l-note4", "--set", "title=Better 更好").ok()
    key = new.data["ids"][0]
    start = head(vault)
    run("--vault", vault, "approve", key, "--yes").ok()
    found = diff(vault, start)["entries"]
    assert {i["id"]: (i["change"], i["code"], i["reason"]) for i in found} == {
        key: ("added", "approved", "approved"),
        "l-note4": ("removed", "superseded", f"superseded by {key}"),
    }
    assert len({item["commit"]["commit"] for item in found}) == 1


def test_time_budget_and_hand_edits(vault: Path) -> None:
    write_files(vault, {"memories/1.md": note("l-note1", valid_to="2026-11-30")})
    commit_all(vault)
    env: dict[str, str | None] = {"MVAULT_NOW": "2026-12-24T10:00:00Z"}
    (item,) = diff(vault, "HEAD~1", "HEAD", env=env)["entries"]
    assert (item["change"], item["code"]) == ("removed", "expired")
    assert item["commit"]["subject"] == "by hand"
    long = {f"memories/{n}.md": note(f"l-note{n}", text="word " * 60) for n in range(2, 6)}
    write_files(vault, long)
    commit_all(vault)
    write_files(vault, {"memories/0.md": note("l-note0", text="正文 " * 30, importance="10")})
    full = run("--vault", vault, "--json", "render", "--at", "HEAD").ok().data["receipt"]["used"]
    found = {i["id"]: i for i in diff(vault, "--budget", str(full + 20))["entries"]}
    assert found["l-note0"]["commit"] == {"commit": "", "subject": "not committed"}
    lost = [i for i in found.values() if i["code"] == "budget"]
    assert lost
    assert {i["commit"] for i in lost} == {None}


def test_each_for_its_own_time(tmp_path: Path) -> None:
    root = make_vault(tmp_path, commit=False)
    write_files(root, {"memories/1.md": note("l-note1", valid_to="2026-06-30")})
    git(root, "add", "-A")
    git(root, "-c", "user.name=x", "commit", "-qm", "one", "--date=2026-06-01T00:00:00Z")
    first = head(root)
    assert diff(root, first, "HEAD")["changed"] is False
    assert diff(root, "--at", first, "HEAD")["changed"] is False
    assert run("--vault", root, "diff", "--at", "1999-01-01", "HEAD").code == 6


def test_renders_that_were_given_out(vault: Path) -> None:
    assert run("--vault", vault, "diff", "@1").code == 6
    run("--vault", vault, "render", "--budget", "5000").ok()
    assert diff(vault, "@1", "--budget", "5000")["changed"] is False
    run("--vault", vault, "deprecate", "l-note1", "--yes", "--reason", "old").ok()
    (item,) = diff(vault, "@1", "--budget", "5000")["entries"]
    assert (item["id"], item["code"], item["title"]) == ("l-note1", "deprecated", "标题 l-note1")
    assert item["commit"]["reason"] == "old"
    assert diff(vault, "@1", "--budget", "5000")["lines"]
    write_files(vault, {"memories/2.md": note("l-note2", text="not committed")})
    run("--vault", vault, "render", "--budget", "5000").ok()
    assert entries(vault, "@2", "@1") == {
        "l-note1": ("removed", "deprecated"), "l-note2": ("changed", "text"),
    }  # fmt: skip
    listed = run("--vault", vault, "--json", "log", "--renders").ok().data["renders"]
    assert [item["budget"] for item in listed] == [5000, 5000]
    assert listed[0]["id"] in run("--vault", vault, "log", "--renders").ok().out


def test_a_render_that_cannot_be_repeated_is_compared_by_entries(vault: Path) -> None:
    write_files(vault, {"memories/2.md": note("l-note2", text="never committed")})
    run("--vault", vault, "render").ok()
    write_files(vault, {"memories/2.md": note("l-note2"), "memories/7.md": note("l-note7")})
    result = run("--vault", vault, "--json", "diff", "@1").ok()
    found = {i["id"]: (i["change"], i["title"]) for i in result.data["entries"]}
    assert found == {"l-note2": ("changed", "标题 l-note2"), "l-note7": ("added", "标题 l-note7")}
    assert result.data["lines"] == []
    assert "compared by entries" in result.err


def test_what_a_merge_brought_is_told_by_its_own_commit(vault: Path) -> None:
    start = head(vault)
    branch = git(vault, "branch", "--show-current")
    git(vault, "checkout", "-qb", "side")
    write_files(vault, {"memories/9.md": note("l-note9")})
    commit_all(vault, "side 侧")
    git(vault, "checkout", "-q", branch)
    write_files(vault, {"memories/8.md": note("l-note8")})
    commit_all(vault, "main 主")
    git(vault, "merge", "-q", "--no-edit", "side")
    found = {i["id"]: i["commit"]["subject"] for i in diff(vault, start, "HEAD")["entries"]}
    assert found == {"l-note8": "main 主", "l-note9": "side 侧"}


def test_a_mark_about_changed_code_is_no_difference_to_a_commit(
    vault: Path, tmp_path: Path
) -> None:
    code = tmp_path / "code"
    code.mkdir()
    git(code, "init", "-q")
    write_files(code, {"a.py": "one\n"})
    commit_all(code)
    blob = git(code, "rev-parse", "HEAD:a.py")
    anchors = f"[{{path: a.py, blob: {blob}}}]"
    write_files(vault, {"memories/1.md": note("l-note1", anchors=anchors)})
    commit_all(vault)
    write_files(code, {"a.py": "two\n"})
    env = {"MVAULT_PROJECT_ROOT": str(code)}
    plain = run("--vault", vault, "render", env=env, cwd=code).ok().out
    assert (
        plain != run("--vault", vault, "render", "--known-at", "HEAD", env=env, cwd=code).ok().out
    )
    for argv in (("HEAD",), ("@1",)):
        found = run("--vault", vault, "--json", "diff", *argv, env=env, cwd=code).ok().data
        assert found["entries"] == [], argv
