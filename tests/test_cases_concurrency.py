"""Acceptance cases with real processes: writers at the same moment, kills, a full disk."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from helpers import (
    PROJECT,
    Result,
    add_to_vault,
    case_vault,
    commit_count,
    fsck,
    git,
    listed,
    make_vault,
    run,
    run_real,
    snapshot_bytes,
    start_real,
)

KILLS = int(os.environ.get("MVAULT_TEST_KILLS", "30"))
"""How often a command is killed (200 before a release)."""

BODY = "## Problem\nTwo sessions write at once.\n\n## Correction\nTake the lock, number {}.\n"


def is_free(path: Path) -> bool:
    """Whether nobody holds the lock of this file (the file itself may stay)."""
    fcntl = pytest.importorskip("fcntl")
    with path.open("rb") as handle:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            return False
    return True


@pytest.mark.slow
def test_co_01_two_sessions_capture_at_the_same_time(tmp_path: Path) -> None:
    root = case_vault("co-01", tmp_path)
    commits = commit_count(root)
    titles = [f"Session lesson {i}" if i >= 5 else "The same title" for i in range(20)]
    running = [
        start_real(
            "--vault", root, "--json", "add", "lesson", "--title", title, "--body", BODY.format(i)
        )
        for i, title in enumerate(titles)
    ]
    results = []
    for process, (number, title) in zip(running, enumerate(titles), strict=True):
        out, err = process.communicate(timeout=120)
        result = Result(process.returncode, out.decode(), err.decode())
        if result.code == 5:
            result = run_real("--vault", root, "--json", "add", "lesson", "--title", title,
                              "--body", BODY.format(number))  # fmt: skip
        # All commands end with success (or a clear "busy, try again" and then succeed on retry).
        results.append(result.ok())
    # 20 memories exist with 20 different ids and files; each is committed exactly once; the work
    # tree is clean.
    assert len({r.data["id"] for r in results}) == 20
    paths = {r.data["path"] for r in results}
    assert len(paths) == 20
    assert len(listed(root)) == 21
    assert commit_count(root) == commits + 20
    for path in paths:
        assert len(git(root, "log", "--format=%H", "--", path).splitlines()) == 1
    assert git(root, "status", "--porcelain") == ""
    # helpful grew by exactly 10.
    person = {"MVAULT_ACTOR": "person"}
    marking = [
        start_real("--vault", root, "mark", "m-9101", "--helpful", "--yes", env=person)
        for _ in range(10)
    ]
    for process in marking:
        _, err = process.communicate(timeout=120)
        assert process.returncode == 0, err
    rows = run("--vault", root, "--json", "stats").ok().data["records"]
    assert [row["helpful"] for row in rows if row["id"] == "m-9101"] == [10]
    run("--vault", root, "mark", "--settle", "--yes", env=person).ok()
    assert git(root, "status", "--porcelain") == ""
    # git fsck is clean; no lock is left.
    assert fsck(root) == []
    assert list((root / ".git").rglob("*.lock")) == []
    assert all(is_free(path) for path in root.rglob("*.lock"))
    run("--vault", root, "list").ok()


def whole(data: bytes) -> bool:
    """Whether a record file is complete: front matter closed and the marked end of the text."""
    return data.startswith(b"---\n") and data.count(b"\n---\n") == 1 and data.endswith(b"END.\n")


def uncommitted(root: Path) -> set[str]:
    """The paths that git shows as not committed, staged ones included."""
    lines = git(root, "status", "--porcelain", "-uall", "--no-renames").splitlines()
    return {line[3:].strip('"') for line in lines}


@pytest.mark.slow
def test_co_03_killed_in_the_middle_of_a_write(tmp_path: Path) -> None:
    files = {
        f"memories/2026-11/m-{i}.md": f"---\nid: m-{i}\nkind: fact\nstatus: candidate\ntitle: Fact {i}\n---\nText {i}.\nEND.\n"
        for i in range(100)
    }
    root = make_vault(tmp_path, files)
    dice = random.Random(3)
    for number in range(KILLS):
        if number % 2:
            argv = ["add", "fact", "--title", f"Made {number}", "--body", f"Body {number}.\nEND."]
        else:
            argv = ["approve", f"m-{number}", "--yes"]
        process = start_real("--vault", root, *argv)
        time.sleep(dice.uniform(0.05, 0.7))
        process.send_signal(signal.SIGKILL)
        process.communicate()
        # Every .md file in the vault is complete: old text or new text, never cut.
        for path, data in snapshot_bytes(root).items():
            if not Path(path).name.startswith("."):
                assert whole(data), (number, path, data)
    # The next command works without repair; what was written but not committed is shown by status.
    before = uncommitted(root)
    status = run("--vault", root, "--json", "status").ok()
    # A git that outlives its killed owner may finish the commit between two looks.
    for path in before & uncommitted(root):
        assert Path(path).name in status.out
    assert len(listed(root)) >= 100
    made = run(
        "--vault", root, "--json", "add", "fact", "--title", "After it all", "--body", "Fine.\nEND."
    )
    made.ok()
    assert git(root, "log", "-1", "--format=%s", "--", made.data["path"])
    assert fsck(root) == []


def test_co_03_left_over_files_are_no_memories(tmp_path: Path) -> None:
    root = make_vault(tmp_path)
    add_to_vault("co-03", root, commit=False)
    # Left-over temporary files are not listed as memories, not committed, and cleaned up or
    # reported later.
    assert set(listed(root)) == {"m-9301"}
    run("--vault", root, "approve", "m-9301", "--yes").ok()
    committed = git(root, "ls-files").splitlines()
    for name in (".m-9302.md.tmp-1234", "m-9303.md~", ".m-9304.md.swp"):
        assert (root / name).exists() or name == ".m-9302.md.tmp-1234", name
        assert not any(path.endswith(name) for path in committed)
    assert "Not a memory." not in run("--vault", root, "render").ok().out
    assert b"Must stay whole." in (root / "m-9301.md").read_bytes()


@pytest.mark.parametrize("step", range(1, 9))
def test_co_03_disk_full(tmp_path: Path, step: int) -> None:
    root = case_vault("co-03", tmp_path)
    old = (root / "m-9301.md").read_bytes()
    done = subprocess.run(
        [sys.executable, PROJECT / "tests" / "faults" / "shim.py", str(step), "ENOSPC",
         str(tmp_path / "steps"), "--", "--vault", str(root), "approve", "m-9301", "--yes"],
        env={**os.environ, "PYTHONPATH": str(PROJECT)}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    now = (root / "m-9301.md").read_bytes()
    # Disk full: clear message, old file intact.
    assert "Traceback" not in done.stdout + done.stderr
    assert now in (old, old.replace(b"status: candidate", b"status: active"))
    if done.returncode:
        assert done.returncode == 7, done.stderr
        assert "No space left" in done.stderr or "disk" in done.stderr.lower(), done.stderr
    # The next command works without repair.
    run("--vault", root, "approve", "m-9301", "--yes").ok()
    assert listed(root)["m-9301"]["status"] == "active"
