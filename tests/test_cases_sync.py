"""Acceptance cases about what merges and cloud folders leave behind (reading side)."""

from __future__ import annotations

from pathlib import Path

from helpers import (
    case_vault,
    checked,
    commit_count,
    findings_of,
    listed,
    rendered,
    run,
    snapshot_bytes,
)


def test_sy_01_conflict_markers_in_memories(tmp_path: Path) -> None:
    root = case_vault("sy-01", tmp_path)
    # m-4101 and m-4102 are reported as conflicted, with path and line, in list, check and sync
    # output; sync does not say success. later: sync
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
    # Commands addressed to m-4501 do not write into a random copy.
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
