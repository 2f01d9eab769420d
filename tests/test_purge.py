"""`purge`: a copy of the history without a secret; the vault itself stays."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

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
