"""`purge`: a copy of the history without a secret; the vault itself stays."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from helpers import commit_all, fsck, git, head, make_vault, run, write_files
from sync_helpers import note

BESIDE = str(Path(sys.executable).parent)
TOOL = shutil.which("git-filter-repo") or shutil.which("git-filter-repo", path=BESIDE)
needs_tool = pytest.mark.skipif(TOOL is None, reason="git-filter-repo is not installed")
SECRET = "correct horse 电池 staple"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    place = make_vault(
        tmp_path,
        {
            "memories/x.md": note("f-0000001", "Leaky", f"It is {SECRET}.\n"),
            "memories/y.md": note("f-0000002"),
        },
    )
    write_files(place, {"memories/x.md": note("f-0000001", "Leaky", f"It was {SECRET}.\n")})
    commit_all(place, "second")
    (place / "memories/2026").mkdir()
    (place / "memories/x.md").rename(place / "memories/2026/moved-0000001.md")
    commit_all(place, f"moved, {SECRET}")
    return place


def everything(repo: Path) -> bytes:
    """Every object of a repository."""
    argv = ["git", f"--git-dir={repo}", "cat-file", "--batch-all-objects", "--batch"]
    return subprocess.run(argv, capture_output=True, check=True).stdout


def forget(root: Path) -> None:
    assert run("--vault", root, "forget", "f-0000001", "--reason-code", "secret", "--yes").code == 0


def test_a_plan_changes_nothing(root: Path) -> None:
    forget(root)
    before = head(root)
    done = run("--vault", root, "--json", "purge", "f-0000001")
    assert done.code == 0, done
    assert set(done.data["paths"]) == {"memories/x.md", "memories/2026/moved-0000001.md"}
    assert len(done.data["commits"]) == 3  # made, changed, moved
    assert "Revoke the secret" in done.data["steps"][0]
    assert head(root) == before


def test_what_is_still_there_is_forgotten_first(root: Path) -> None:
    done = run("--vault", root, "purge", "f-0000001")
    assert done.code == 4
    assert "mvault forget f-0000001" in done.err
    assert run("--vault", root, "purge", "f-9999999").code == 6
    assert run("--vault", root, "purge").code == 2
    assert run("--vault", root, "purge", "--text", "ab").code == 2


@needs_tool
def test_a_record_is_gone_from_the_copy_and_its_tombstone_stays(root: Path, tmp_path: Path) -> None:
    forget(root)
    before = head(root)
    copy = tmp_path / "clean.git"
    agent = run(
        "--vault",
        root,
        "purge",
        "f-0000001",
        "--into",
        copy,
        "--yes",
        env={"MVAULT_ACTOR": "agent"},
    )
    assert agent.code == 3
    assert not copy.exists()
    done = run("--vault", root, "purge", "f-0000001", "--into", copy, "--yes")
    assert done.code == 0, done
    assert head(root) == before
    assert b"It was" not in everything(copy)
    fresh = tmp_path / "fresh"
    git(tmp_path, "clone", "-q", str(copy), str(fresh))
    assert (fresh / "tombstones/f-0000001.md").exists()
    assert (fresh / "memories/y.md").exists()
    assert fsck(fresh) == []
    assert run("--vault", fresh, "list").code == 0


@needs_tool
def test_a_text_is_gone_everywhere(root: Path, tmp_path: Path) -> None:
    copy = tmp_path / "clean.git"
    done = run(
        "--vault", root, "purge", "--text", "-", "--into", copy, "--yes", stdin=SECRET + "\n"
    )
    assert done.code == 0, done
    assert SECRET not in done.text
    assert SECRET.encode() not in everything(copy)
    assert b"It was ***REMOVED***." in everything(copy)
    again = run(
        "--vault", root, "purge", "--text", "-", "--into", copy, "--yes", stdin=SECRET + "\n"
    )
    assert again.code == 2


def test_parts_and_folders_are_refused(root: Path, tmp_path: Path) -> None:
    shallow = tmp_path / "shallow"
    git(tmp_path, "clone", "-q", "--depth=1", f"file://{root}", str(shallow))
    assert run("--vault", shallow, "purge", "f-0000001").code == 4


AWKWARD = 'pa"ss\\口令 nail'
"""A text that JSON and quoted front matter write otherwise."""


@needs_tool
def test_a_text_goes_from_every_place_that_is_pushed(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    git(root, "checkout", "-qb", "side")
    write_files(root, {"notes.txt": f"{AWKWARD}\n"})
    commit_all(root, "on a branch")
    git(root, "checkout", "-q", "main")
    git(root, "tag", "-a", "v1", "-m", f"a tag says {AWKWARD}")
    git(root, "checkout", "-qb", "other")
    write_files(root, {"a.txt": "a\n"})
    commit_all(root, "a")
    git(root, "checkout", "-q", "main")
    write_files(root, {"b.txt": "b\n"})
    commit_all(root, "b")
    git(root, "merge", "-q", "--no-commit", "other")
    write_files(root, {"a.txt": f"only in the merge: {AWKWARD}\n"})
    merge = commit_all(root, "merged")
    run("--vault", root, "mark", "f-0000002", "--helpful", "--note", AWKWARD, "--yes").ok()
    run("--vault", root, "add", "fact", "--title", "T", "--body", "x", "--boundary", AWKWARD).ok()
    monkeypatch.chdir(root)
    purge = ("--json", "purge", "--text", "-", "--into", "../clean.git", "--yes")
    done = run("--vault", root, *purge, stdin=f"{AWKWARD}\n")
    assert done.code == 0, done
    assert merge in done.data["commits"]
    assert {"refs/heads/side", "refs/tags/v1"} <= set(done.data["refs"])
    objects = everything(tmp_path / "clean.git")
    assert b"nail" not in objects
    assert objects.count(b"***REMOVED***") >= 4


def test_only_a_tag_s_message_or_a_merge_has_it(root: Path) -> None:
    git(root, "tag", "-a", "v1", "-m", f"a tag says {AWKWARD}")
    plan = run("--vault", root, "--json", "purge", "--text", "-", stdin=f"{AWKWARD}\n").ok().data
    assert plan["refs"] == ["refs/tags/v1"]
    assert plan["commits"] == []


def plan_for(root: Path, text: str) -> dict[str, Any]:
    plan = run("--vault", root, "--json", "purge", "--text", "-", stdin=f"{text}\n").ok().data
    assert isinstance(plan, dict)
    return plan


@pytest.mark.parametrize("text", ["hunter2horse", "电池钉书机钥匙"])
def test_only_a_short_message_has_it(root: Path, text: str) -> None:
    git(root, "commit", "-q", "--allow-empty", "-m", text)
    assert plan_for(root, text)["commits"] == [head(root)]


def test_only_the_end_of_a_big_file_has_it(root: Path) -> None:
    write_files(root, {"log.txt": "a line\n" * (1 << 18) + AWKWARD})
    made = commit_all(root, "a log")
    assert plan_for(root, AWKWARD)["commits"] == [made]


def test_a_branch_without_a_message_hides_no_other(root: Path) -> None:
    write_files(root, {"a.txt": AWKWARD})
    commit_all(root, "with it")
    git(root, "checkout", "-q", "--orphan", "before")
    git(root, "commit", "-q", "--allow-empty-message", "-m", "")
    git(root, "checkout", "-q", "main")
    git(root, "commit", "-q", "--allow-empty", "--allow-empty-message", "-m", "")
    git(root, "tag", "v1")
    refs = ["refs/heads/before", "refs/heads/main", "refs/tags/v1"]
    assert plan_for(root, AWKWARD)["refs"] == refs


def test_a_submodule_is_no_file(root: Path) -> None:
    write_files(root, {"a.txt": AWKWARD})
    made = commit_all(root, "with it")
    git(root, "update-index", "--add", "--cacheinfo", f"160000,{'1' * 40},sub.md")
    git(root, "commit", "-q", "-m", "a submodule")
    assert plan_for(root, AWKWARD)["commits"] == [made]
    git(root, "rm", "-q", "--cached", "sub.md")
    git(root, "commit", "-q", "-m", "and not")
    forget(root)
    assert len(run("--vault", root, "--json", "purge", "f-0000001").ok().data["commits"]) == 3


@pytest.mark.parametrize("argv", [("--text", "hunter\udcff2horse"), ("f-\udcff000001",)])
def test_what_is_not_utf8_is_refused_in_words(root: Path, argv: tuple[str, ...]) -> None:
    refused = run("--vault", root, "purge", *argv)
    assert refused.code in (2, 6)
    assert "hint:" in refused.err or "no commit has" in refused.err


def test_what_reflogs_and_older_stashes_keep_is_said(root: Path) -> None:
    for number in range(2):
        write_files(root, {"memories/y.md": note("f-0000002", body=f"{AWKWARD} {number}\n")})
        git(root, "stash", "-q")
    write_files(root, {"c.txt": f"{AWKWARD} amended\n"})
    commit_all(root, "with it")
    (root / "c.txt").unlink()
    git(root, "commit", "-qa", "--amend", "--allow-empty", "-m", "without it")
    git(root, "update-ref", "-d", "refs/stash")
    plan = run("--vault", root, "purge", "--text", "-", stdin=f"{AWKWARD}\n").ok()
    assert "1 commit that no branch or tag reaches" in plan.out
    assert "git reflog expire" in plan.out
    assert "mvault purge --text - --into FOLDER" in plan.err


@needs_tool
def test_a_name_of_a_file_is_told_before_anything_is_made(root: Path, tmp_path: Path) -> None:
    write_files(root, {"docs/电池 staple.md": "x\n"})
    commit_all(root, "named after it")
    argv = ("purge", "--text", "电池 staple", "--into", tmp_path / "c.git", "--yes")
    refused = run("--vault", root, *argv)
    assert refused.code == 4
    assert "docs/电池 staple.md" in refused.err
    assert not (tmp_path / "c.git").exists()


@needs_tool
def test_what_was_fetched_and_not_taken_in_is_not_lost(root: Path, tmp_path: Path) -> None:
    forget(root)
    git(tmp_path, "clone", "-q", str(root), "clone")
    write_files(root, {"memories/new.md": note("f-0000003")})
    commit_all(root, "by a teammate")
    clone = tmp_path / "clone"
    run("--vault", clone, "trust", "--yes").ok()
    git(clone, "fetch", "-q")
    argv = ("purge", "f-0000001", "--into", tmp_path / "c.git", "--yes")
    refused = run("--vault", clone, *argv)
    assert refused.code == 4
    assert "mvault sync" in refused.err
    git(clone, "merge", "-q", "--ff-only")
    run("--vault", clone, *argv).ok()
    assert "memories/new.md" in git(tmp_path / "c.git", "ls-tree", "-r", "--name-only", "HEAD")


@needs_tool
def test_a_copy_inside_of_the_vault_is_refused(root: Path, tmp_path: Path) -> None:
    forget(root)
    (tmp_path / "link").symlink_to(root)
    for into in ("sub/c.git", root / "c.git", tmp_path / "link" / "c.git"):
        refused = run("--vault", root, "purge", "f-0000001", "--into", into, "--yes", cwd=root)
        assert refused.code == 2, into
        assert "into the vault" in refused.err
