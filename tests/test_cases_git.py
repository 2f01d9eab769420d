"""Acceptance cases about git: locks, hooks, foreign repositories, undo."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest
from helpers import (
    PROJECT,
    add_to_vault,
    commit_count,
    copy_case,
    fsck,
    git,
    head,
    listed,
    make_vault,
    rendered,
    run,
    run_real,
)

BODY = "## Problem\nThe job stopped.\n\n## Correction\nStart the worker first.\n"


def setup(case: Path, *argv: str) -> None:
    """Run the case's own script."""
    subprocess.run(["sh", "setup.sh", *argv], cwd=case, check=True, capture_output=True)


def add(root: Path, title: str, body: str = BODY) -> Any:
    """Capture one lesson; return the result, whatever it is."""
    return run("--vault", root, "--json", "add", "lesson", "--title", title, "--body", body)


def files_of(root: Path, commit: str = "HEAD") -> list[str]:
    """The paths that a commit touched."""
    return git(root, "show", "--name-only", "--format=", commit).splitlines()


def locked_vault(tmp_path: Path, *argv: str) -> tuple[Path, Path]:
    """The case's repository made a vault, with the left-over lock of its script in place."""
    case = copy_case("gi-01", tmp_path)
    setup(case, *argv)
    root = case / "repo"
    lock = root / ".git" / "index.lock"
    stamp = lock.stat().st_mtime
    lock.unlink()
    run("--vault", root, "init", cwd=root).ok()
    lock.touch()
    os.utime(lock, (stamp, stamp))
    return root, lock


def reads_work(root: Path) -> None:
    """list, search and render answer."""
    assert "m-3101" in listed(root)
    assert "There before the lock." in rendered(root)
    # later: search


def test_gi_01_old_lock(tmp_path: Path) -> None:
    root, lock = locked_vault(tmp_path)
    # list, search and render work in both states.
    reads_work(root)
    commits = commit_count(root)
    result = add(root, "Written under an old lock")
    # Old lock: the command ends with a clear message (path of the lock, its age, how to clear it)
    # or clears it by a documented, safe rule; the new text is on disk either way.
    written = [p for p in root.rglob("*.md") if "Written under an old lock" in p.read_text()]
    assert len(written) == 1
    if result.code == 0:
        assert commit_count(root) == commits + 1
        return
    assert result.code == 7
    assert "index.lock" in result.err
    assert any(word in result.err for word in ("hour", "minute", "second", " old"))
    assert commit_count(root) == commits
    # The next successful command commits what was left uncommitted, or status says so.
    lock.unlink()
    status = run("--vault", root, "status").ok()
    assert written[0].name in status.text
    add(root, "Written after the lock").ok()
    assert fsck(root) == []


def test_gi_01_fresh_lock(tmp_path: Path) -> None:
    root, lock = locked_vault(tmp_path, "1 second ago")
    reads_work(root)
    seen: list[bool] = []

    def release() -> None:
        time.sleep(2)
        seen.append(lock.exists())
        lock.unlink(missing_ok=True)

    remover = threading.Thread(target=release)
    remover.start()
    result = add(root, "Written while git was busy")
    remover.join()
    # Fresh lock: the command waits a short time and succeeds once the lock goes, or fails with
    # the same clear message. It never deletes a fresh lock.
    assert seen == [True], "the fresh lock of somebody else was taken away"
    if result.code == 0:
        assert "Written while git was busy" in git(root, "show", "HEAD")
    else:
        assert result.code in (5, 7)
        assert "index.lock" in result.err
        assert any("Written while git was busy" in p.read_text() for p in root.rglob("*.md"))


def test_gi_03_started_from_inside_a_git_hook(tmp_path: Path) -> None:
    case = copy_case("gi-03", tmp_path)
    setup(case)
    project, vault = case / "project", case / "vault"
    run("--vault", vault, "init", cwd=vault).ok()
    command = [sys.executable, "-m", "vault_cli", "--vault", str(vault), "add", "lesson",
               "--title", "Made from a hook", "--body", BODY]  # fmt: skip
    (case / "record.sh").write_text(
        f"PYTHONPATH={shlex.quote(str(PROJECT))} exec {shlex.join(command)} >>'{case}/hook.log' 2>&1\n"
    )
    project_commits, vault_commits = commit_count(project), commit_count(vault)
    # Commit in the project as the last line of setup.sh does, and once more from a worktree.
    # The same holds when the environment has GIT_WORK_TREE set.
    (project / "b.txt").write_text("two\n")
    git(project, "add", "b.txt")
    env = {**os.environ, "GIT_DIR": str(project / ".git"), "GIT_WORK_TREE": str(project),
           "GIT_AUTHOR_DATE": "@1790000000 +0100"}  # fmt: skip
    subprocess.run(["git", "commit", "-qm", "two"], cwd=project, env=env, check=True)
    log = (case / "hook.log").read_text()
    # The memory is committed in the vault repository only; the project has exactly the commit that
    # was made, its index is intact and its work tree clean.
    # The inherited author date ("@... +0100") does not break the command.
    assert commit_count(vault) == vault_commits + 1, log
    assert commit_count(project) == project_commits + 1
    assert files_of(project) == ["b.txt"]
    assert git(project, "status", "--porcelain") == ""
    assert git(project, "ls-files") == "a.txt\nb.txt"

    linked = case / "linked"
    git(project, "worktree", "add", "-q", str(linked), "-b", "side")
    (linked / "c.txt").write_text("three\n")
    git(linked, "add", "c.txt")
    git(linked, "commit", "-qm", "three")
    log = (case / "hook.log").read_text()
    assert commit_count(vault) == vault_commits + 2, log
    assert files_of(linked) == ["c.txt"]
    assert git(linked, "status", "--porcelain") == ""
    assert git(vault, "status", "--porcelain") == ""
    assert all(name.startswith("drafts/") for name in files_of(vault))


@pytest.mark.parametrize("own", [True, False])
def test_gi_05_vault_inside_another_repository(tmp_path: Path, own: bool) -> None:
    case = copy_case("gi-05", tmp_path)
    setup(case)
    project = case / "project"
    notes = project / "notes"
    before = head(project)
    # The person is told which of the two set-ups is made (own repository inside, or part of the
    # project) and can choose; nothing is guessed in silence.
    silent = run("init", notes, cwd=project)
    assert silent.code != 0, "a choice was made without being told"
    assert "--own-repo" in silent.err
    assert "--in-repo" in silent.err
    assert head(project) == before
    made = run("init", notes, "--own-repo" if own else "--in-repo", cwd=project).ok()
    root = notes if own else project
    start = head(project)
    add(notes, "Kept beside the code").ok()
    # In both set-ups the commit contains only the memory file, and src/app.txt stays modified.
    (path,) = files_of(root)
    assert path.endswith(".md")
    assert "Kept beside the code" in git(root, "show", "HEAD")
    assert git(project, "status", "--porcelain", "src").strip() == "M src/app.txt"
    # With an own repository the project's HEAD does not move, and the person is told to ignore
    # notes/ in the project (or it is done).
    if own:
        assert head(project) == before
        assert "ignore" in made.text
        assert "notes" in made.text
    else:
        assert commit_count(project) > 1
        assert git(project, "rev-parse", "HEAD~1") == start


def test_gi_07_the_vault_has_its_own_commit_hook(tmp_path: Path) -> None:
    case = copy_case("gi-07", tmp_path)
    setup(case)
    root = case / "repo"
    run("--vault", root, "init", cwd=root).ok()
    # Hooks that came with a repository run once a person has trusted it.
    run("--vault", root, "trust", "--yes").ok()
    commits = commit_count(root)
    # The first command reports the hook's own message and that the file is saved but not
    # committed; exit code non-zero.
    bad = add(
        root,
        "Carries a word",
        "## Problem\nFORBIDDEN stands here.\n\n## Correction\nLeave it out.\n",
    )
    assert bad.code == 7
    assert "policy: word not allowed" in bad.err
    assert "not committed" in bad.err
    (saved,) = [p for p in root.rglob("*.md") if "FORBIDDEN" in p.read_text()]
    # The second command succeeds and its commit holds only the second file.
    # Hooks are run (not skipped) unless the person asks: the first part shows it.
    good = add(root, "A normal lesson").ok()
    assert commit_count(root) == commits + 1
    assert files_of(root) == [good.data["path"]]
    # status shows the first file as uncommitted.
    assert saved.name in run("--vault", root, "status").ok().text


def test_gi_09_undo_one_approval_among_later_changes(tmp_path: Path) -> None:
    case = copy_case("gi-09", tmp_path)
    setup(case)
    root = case / "repo"
    run("--vault", root, "init", cwd=root).ok()
    start, commits = head(root), commit_count(root)
    a, b = (git(root, "log", "--format=%h", f"--grep=^{word}:") for word in "AB")
    unsaved = (root / "m-3903.md").read_bytes()
    assert b"unsaved thought" in unsaved
    undone = run("--vault", root, "undo", a, "--yes")
    if undone.code == 0:
        # m-3901 is a candidate again and is not rendered.
        assert listed(root)["m-3901"]["status"] == "candidate"
        assert "Delete the cache when in doubt." not in rendered(root)
        # For m-3902 either only the status goes back and the edit of B stays,
        assert listed(root)["m-3902"]["status"] == "candidate"
        assert "Rebuild the index weekly." in (root / "m-3902.md").read_text()
        # m-3903 and the uncommitted edit are untouched; history gained a commit, none vanished.
        assert commit_count(root) == commits + 1
        assert git(root, "rev-parse", "HEAD~1") == start
        # Undoing the undo works.
        run("--vault", root, "undo", head(root), "--yes").ok()
        assert {listed(root)[i]["status"] for i in ("m-3901", "m-3902")} == {"active"}
    else:
        # or the command stops before changing anything and names the file and commit B.
        assert "m-3902.md" in undone.err
        assert b in undone.err
        assert head(root) == start
    assert (root / "m-3903.md").read_bytes() == unsaved
    assert git(root, "status", "--porcelain").strip() == "M m-3903.md"


def test_no_git_identity_is_a_clear_message(tmp_path: Path) -> None:
    root = make_vault(tmp_path)
    add_to_vault("gi-01", root)
    start = head(root)
    (Path(os.environ["GIT_CONFIG_GLOBAL"])).write_text("[user]\n\tuseConfigOnly = true\n")
    result = run_real(
        "--vault", str(root), "add", "lesson", "--title", "Nobody wrote this", "--body", BODY
    )
    assert result.code == 7
    assert "user.name" in result.err
    assert head(root) == start
