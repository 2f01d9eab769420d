"""Acceptance cases about what merges and cloud folders leave behind (reading side), and about sync."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from helpers import (
    case_vault,
    checked,
    commit_count,
    copy_case,
    findings_of,
    git,
    listed,
    rendered,
    run,
    snapshot_bytes,
    write_files,
)
from sync_helpers import Machine, share


def test_sy_01_conflict_markers_in_memories(tmp_path: Path) -> None:
    root = case_vault("sy-01", tmp_path)
    # m-4101 and m-4102 are reported as conflicted, with path and line, in list, check and sync
    # output; sync does not say success.
    lines = {"m-4101.md": 9, "m-4102.md": 5}
    in_list = run("--vault", root, "--json", "list").ok().json["diagnostics"]
    for source in (in_list, checked(root)):
        seen = {f["path"]: (f["code"], f["line"]) for f in source if f["severity"] == "error"}
        assert seen == {path: ("conflict-markers", line) for path, line in lines.items()}
    for path, line in lines.items():
        assert f"{path}:{line}" in run("--vault", root, "check").text
        assert path in run("--vault", root, "list").text
    # Neither side's text of them is injected.
    block = rendered(root)
    for text in ("eleven workers", "twelve workers", "Retry three times"):
        assert text not in block
    # A commit of files with real markers is refused (or needs an explicit override).
    commits, before = commit_count(root), snapshot_bytes(root)
    for argv in (["edit", "m-4101.md", "--set", "importance=3", "--yes"], ["adopt", "m-4101.md"],
                 ["approve", "m-4102.md", "--yes"]):  # fmt: skip
        assert run("--vault", root, *argv).code in (4, 6), argv
    assert commit_count(root) == commits
    assert snapshot_bytes(root) == before
    # m-4103, which only shows markers inside a code fence, is normal.
    assert set(listed(root)) == {"m-4103"}
    assert findings_of(root, "m-4103.md") == []
    assert "Pick one side, then test." in block


def test_sy_05_conflicted_copy_files(tmp_path: Path) -> None:
    root = case_vault("sy-05", tmp_path)
    names = [
        "m-4501.md",
        "m-4501 (conflicted copy 2026-07-10 070952).md",
        "m-4501.sync-conflict-20260710-070952-ABCDEFG.md",
    ]
    # The duplicate id is reported once, naming all three files; the two odd names are called
    # conflict copies.
    found = [f for f in checked(root) if f["code"] == "duplicate-id"]
    for item in found:
        assert all(name in item["message"] + item["path"] for name in names)
    assert any("conflict cop" in f["message"] for f in found)
    text = run("--vault", root, "check").text
    assert text.count("duplicate-id") <= len(names)
    # The rendered block has this memory at most once, from m-4501.md (the plain name), or not at
    # all until solved; the choice is the same on every run.
    block = rendered(root)
    assert "half past nine" not in block
    assert "Standup is at ten" not in block
    assert block.count("Standup") <= 1
    assert rendered(root) == block
    # Commands addressed to m-4501 do not write into a random copy, and show prints none.
    shown = run("--vault", root, "show", "m-4501")
    assert shown.code == 4
    assert all(name in shown.err for name in names)
    before = snapshot_bytes(root)
    for argv in (["edit", "m-4501", "--set", "importance=2", "--yes"], ["approve", "m-4501", "--yes"],
                 ["deprecate", "m-4501", "--reason", "later", "--yes"]):  # fmt: skip
        refused = run("--vault", root, *argv)
        assert refused.code == 4, (argv, refused)
        for name in names:
            assert name in refused.err
    assert snapshot_bytes(root) == before
    # The obsidian-git helper note (conflict list) is not taken for a memory.
    paths = {r["path"] for r in run("--vault", root, "--json", "list").ok().data["records"]}
    assert paths == set(names)
    assert "conflict-files-obsidian-git" not in block


def test_sy_01_in_sync(tmp_path: Path) -> None:
    root = case_vault("sy-01", tmp_path)
    (tmp_path / "more").mkdir()
    both = share(tmp_path / "more", {})
    write_files(both["a"].root, {path.name: path.read_bytes() for path in root.glob("m-*.md")})
    lines = {"m-4101.md": 9, "m-4102.md": 5}
    # not in git yet: a commit of files with real markers is refused
    done = both["a"].sync()
    assert done.code == 1
    assert git(both["a"].root, "ls-files", "m-4101.md", "m-4102.md") == ""
    for path, line in lines.items():
        assert f"{path}:{line}" in done.err
    # in history already: named each time
    git(both["a"].root, "add", "-A")
    git(both["a"].root, "commit", "-qm", "with marks")
    done = both["a"].sync()
    assert done.code == 1
    for path, line in lines.items():
        assert f"{path}:{line}" in done.err
    assert "m-4103" not in done.err


def _set_up(case: str, tmp_path: Path) -> Path:
    folder = copy_case(case, tmp_path)
    subprocess.run(["sh", "setup.sh"], cwd=folder, check=True, capture_output=True)
    return folder


def _case_machine(folder: Path, name: str) -> Machine:
    """A clone of the case as a vault."""
    machine = Machine(name, folder / name, folder / f"state-{name}")
    assert machine.run("init", machine.root).code == 0
    git(machine.root, "config", "user.name", name)
    return machine


@pytest.mark.parametrize("first", ["a", "b"])
def test_sy_03_deleted_here_edited_there(tmp_path: Path, first: str) -> None:
    folder = _set_up("sy-03", tmp_path)
    a = _case_machine(folder, "a")
    assert a.sync().code == 0
    b = Machine("b", folder / "b", folder / "state-b")
    git(b.root, "pull", "-q")
    git(b.root, "config", "user.name", "b")
    assert b.run("trust", "--yes").code == 0
    assert a.run("forget", "m-4301", "--yes").code == 0
    edited = b.read("m-4301.md").rstrip("\n") + "\n\nEdited in b.\n"
    b.write({"m-4301.md": edited})
    git(b.root, "commit", "-qam", "edit by hand")
    one, other = (a, b) if first == "a" else (b, a)
    assert one.sync().code == 0
    # "deleted by a on <date>, edited here", and a person picks
    done = other.sync()
    assert done.code == 1
    assert "deleted by a on 20" in done.text
    assert "edited by b on 20" in done.text
    for _ in range(2):
        assert a.sync().code == 0
        assert b.sync().code == 0
    assert a.files() == b.files()
    assert "Edited in b." in b"".join(a.files().values()).decode()
    # the deletion stays deleted, the tombstone keeps the minimum, and nothing is injected
    assert not (b.root / "m-4301.md").exists()
    tomb = b.read("tombstones/m-4301.md")
    assert "reason_code" in tomb
    assert "Edited in b." not in tomb
    assert "Edited in b." not in b.run("render").out


def test_sy_03_a_deletion_stays_deleted(tmp_path: Path) -> None:
    folder = _set_up("sy-03", tmp_path)
    a = _case_machine(folder, "a")
    a.sync().ok()
    b = Machine("b", folder / "b", folder / "state-b")
    git(b.root, "pull", "-q")
    b.run("trust", "--yes").ok()
    copy = b.root / "m-4302.md"
    older = copy.read_bytes()
    exported = b.run("export", "json", folder / "old").ok() and folder / "old"
    # without an edit on the other side a deletion reaches b
    a.run("forget", "m-4302", "--yes").ok()
    a.sync().ok()
    b.sync().ok()
    assert not copy.exists()
    assert "reason_code" in b.read("tombstones/m-4302.md")
    # it is not resurrected by an older copy, a re-import, or any number of syncs
    (imported,) = exported.glob("*.json")
    b.run("import", "mvault", imported)
    copy.write_bytes(older)
    for _ in range(3):
        for machine in (b, a):
            machine.sync()
            assert "Stays." not in machine.run("render").out
    assert a.files() == b.files()


def test_sy_07_many_files_missing_at_once(tmp_path: Path) -> None:
    repo = _set_up("sy-07", tmp_path) / "repo"
    (repo / "vault.toml").write_text("schema = 1\n")
    before = commit_count(repo)
    # sync stops before committing mass deletions: it says how many, and needs an explicit flag
    done = run("--vault", repo, "sync", "--yes")
    assert done.code == 3
    assert "35 of 40 records are missing here" in done.err
    assert commit_count(repo) == before
    # create commits only its own file, no deletions
    run("--vault", repo, "add", "fact", "--title", "New", "--body", "Fresh.").ok()
    names = git(repo, "show", "--name-status", "--format=").splitlines()
    assert [line[0] for line in names] == ["A"]
    # the printed git command brings the files back
    assert f"git -C {repo} checkout-index --all" in done.err
    git(repo, "checkout-index", "--all")
    assert len(list(repo.glob("m-47*.md"))) == 40
