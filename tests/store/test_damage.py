"""Odd and damaged repositories: every command says what is wrong, and nothing is lost."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from helpers import PROJECT, Result, checked, fsck, git, head, make_vault, rendered, run

from vault_cli.errors import StoreError
from vault_cli.model.change import Change, Move
from vault_cli.store import git_run
from vault_cli.store.files import digest_bytes
from vault_cli.store.repo import Repository
from vault_cli.store.vault import Vault


def add(root: Path, title: str = "T") -> str:
    done = run("--vault", root, "add", "note", "--title", title, "--body", "Text.").ok()
    return done.out.strip()


def approve(root: Path, *ids: str) -> Result:
    return run("--vault", root, "approve", *ids, "--yes")


def file_of(root: Path, record_id: str) -> Path:
    (found,) = [p for p in root.rglob("*.md") if f"id: {record_id}" in p.read_text()]
    return found


def branch(root: Path) -> Path:
    return root / ".git/refs/heads/main"


# Records renamed by hand


def ids_at_head(root: Path) -> list[str]:
    lines = git(root, "grep", "-h", "^id:", "HEAD", "--", "*.md").splitlines()
    return sorted(line.removeprefix("id:").strip() for line in lines)


def test_a_draft_renamed_by_hand_stands_once_in_history(tmp_path: Path) -> None:
    root = make_vault(tmp_path)
    own, other, gone = add(root, "one"), add(root, "two"), add(root, "three")
    old = file_of(root, own)
    old.rename(old.with_name("renamed.md"))
    file_of(root, other).unlink()
    file_of(root, gone).unlink()
    approve(root, own).ok()
    # the edit commit has the rename and nothing else that is gone from the disk
    changed = git(root, "show", "--format=%s", "--no-renames", "--name-status", "HEAD~1")
    name = old.relative_to(root).as_posix()
    new = Path(name).with_name("renamed.md").as_posix()
    subject, _, *lines = changed.splitlines()
    assert subject == "edit(note): one"
    assert sorted(lines) == [f"A\t{new}", f"D\t{name}"]
    assert ids_at_head(root) == sorted([own, other, gone])
    clone = tmp_path / "clone"
    git(tmp_path, "clone", "-q", str(root), str(clone))
    run("--vault", clone, "trust", "--yes", env={"MVAULT_ACTOR": "person"}).ok()
    assert own in rendered(clone)


def test_records_that_swapped_their_files_stand_once_each(tmp_path: Path) -> None:
    root = make_vault(tmp_path)
    ids = [add(root, "one"), add(root, "two"), add(root, "three")]
    paths = [file_of(root, own) for own in ids]
    texts = [path.read_bytes() for path in paths]
    for path, text in zip(paths, texts[1:] + texts[:1], strict=True):
        path.write_bytes(text)
    approve(root, ids[0]).ok()
    assert ids_at_head(root) == sorted(ids)
    assert git(root, "status", "--porcelain") == ""


def test_a_draft_that_comes_back_from_an_ignored_folder_stands_once(tmp_path: Path) -> None:
    root = make_vault(tmp_path)
    own = add(root)
    away = root / "quarantine" / "away.md"
    away.parent.mkdir(exist_ok=True)
    file_of(root, own).rename(away)
    text = away.read_bytes()
    vault = Vault.open(root, environ=os.environ)
    move = Move("quarantine/away.md", "drafts/back.md", text, digest_bytes(text))
    vault.apply(Change("release", f"(note): {own}", (move,), ids=(own,)))
    assert ids_at_head(root) == [own]
    assert git(root, "status", "--porcelain") == ""


# Submodules


def submodule(tmp_path: Path, top: Path, where: str) -> None:
    other = tmp_path / "other"
    other.mkdir()
    git(other, "init", "-q")
    (other / "x.md").write_text("x")
    git(other, "add", ".")
    git(other, "commit", "-qm", "x")
    allow = ("-c", "protocol.file.allow=always")
    git(top, *allow, "submodule", "add", "-q", str(other), where)


@pytest.mark.parametrize("committed", [False, True])
@pytest.mark.parametrize("trusted", [False, True])
@pytest.mark.parametrize("outer", [False, True])
def test_a_submodule_is_passed_over(
    tmp_path: Path, committed: bool, trusted: bool, outer: bool
) -> None:
    if outer:
        top = tmp_path / "top"
        top.mkdir()
        git(top, "init", "-q")
        root = top / "notes"
        run("init", root, "--in-repo", cwd=top).ok()
        submodule(tmp_path, top, "notes/sub")
    else:
        top = root = make_vault(tmp_path)
        submodule(tmp_path, top, "sub")
    if committed:
        git(top, "commit", "-qm", "a submodule")
    if trusted:
        run("--vault", root, "trust", "--yes").ok()
    own = add(root)
    for command in ("status", "check", "log", "list", "diff"):
        assert run("--vault", root, command).code == 0, command
    pending = run("--vault", root, "--json", "status").ok().data["pending"]
    assert [item["path"] for item in pending if item["path"].startswith("sub")] == []
    approve(root, own).ok()
    if committed:
        assert git(top, "ls-tree", "-r", "HEAD").count("160000 commit") == 1
        assert run("--vault", root, "undo", "HEAD~2", "--yes").code in (0, 4)
    else:
        assert "160000" not in git(top, "ls-tree", "-r", "HEAD")
        assert git(top, "ls-files", "-s").count("160000") == 1
    assert fsck(top) == []


def test_a_file_in_an_empty_submodule_does_not_replace_it(tmp_path: Path) -> None:
    root = make_vault(tmp_path)
    submodule(tmp_path, root, "sub")
    git(root, "commit", "-qm", "a submodule")
    git(root, "submodule", "deinit", "-q", "-f", "sub")
    (root / "sub/mine.md").write_text("---\nid: mine\nkind: note\ntitle: M\n---\nText.\n")
    before = head(root)
    done = approve(root, "mine")
    assert done.code in (0, 7)
    assert git(root, "ls-tree", "HEAD", "sub").startswith("160000")
    if done.code:
        assert "submodule" in done.err
        assert head(root) == before
        assert "status: active" not in (root / "sub/mine.md").read_text()


# Heads and configurations that are damaged


@pytest.mark.parametrize("text", ["", "garbage\n", "\0" * 41])
@pytest.mark.parametrize("packed", [False, True])
def test_a_damaged_branch_is_named_and_an_addition_is_kept(
    tmp_path: Path, text: str, packed: bool
) -> None:
    root = make_vault(tmp_path)
    own = add(root)
    if packed:
        git(root, "pack-refs", "--all")
    good = head(root)
    branch(root).parent.mkdir(parents=True, exist_ok=True)
    branch(root).write_text(text)
    done = run("--vault", root, "add", "note", "--title", "Nova", "--body", "x")
    assert done.code == 7
    assert "saved but not committed" in done.err
    assert "refs/heads/main" in done.err
    assert "again" not in done.err or "need not be added again" in done.err
    (kept,) = [p for p in root.rglob("*.md") if "title: Nova\n" in p.read_text()]
    drafts = file_of(root, own).read_bytes()
    for argv in (("approve", own, "--yes"), ("status",), ("log",), ("undo", "--yes")):
        failed = run("--vault", root, *argv)
        assert failed.code == 7, argv
        assert "refs/heads/main" in failed.err
        assert "no such commit" not in failed.err
    assert file_of(root, own).read_bytes() == drafts
    assert run("--vault", root, "render").code == 0
    branch(root).write_text(f"{good}\n")
    approve(root, own).ok()
    assert kept.exists()
    assert fsck(root) == []


@pytest.mark.parametrize("text", ["", "nonsense\n", "ref: refs/heads/../../x\n"])
def test_a_damaged_head_is_named(tmp_path: Path, text: str) -> None:
    root = make_vault(tmp_path)
    (root / ".git/HEAD").write_text(text)
    for argv in (("status",), ("add", "note", "--title", "Nova", "--body", "x")):
        done = run("--vault", root, *argv)
        assert done.code == 7, done.text
        assert "HEAD" in done.err or "not a git repository" in done.err


def test_a_damaged_configuration_is_named_with_its_line(tmp_path: Path) -> None:
    root = make_vault(tmp_path)
    own = add(root)
    with (root / ".git/config").open("a") as handle:
        handle.write("[core\n")
    for argv in (("approve", own, "--yes"), ("status",), ("log",)):
        done = run("--vault", root, *argv)
        assert done.code == 7, done.text
        assert "bad config line" in done.err
    assert run("--vault", root, "list").code == 0


def test_a_vault_without_a_commit_says_so(tmp_path: Path) -> None:
    root = tmp_path / "v"
    root.mkdir()
    repo = Repository.create(root)
    with pytest.raises(Exception, match="there is no commit yet"):
        repo.resolve("HEAD")


# What became of the files


def test_a_held_lock_says_what_became_of_the_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from vault_cli.store import index_lock

    monkeypatch.setattr(index_lock, "LOCK_WAIT", 0.1)
    root = make_vault(tmp_path)
    own = add(root)
    before = file_of(root, own).read_bytes()
    (root / ".git/index.lock").touch()
    done = approve(root, own)
    assert done.code == 7
    assert "nothing was changed" in done.err
    assert "saved" not in done.err
    assert file_of(root, own).read_bytes() == before
    # an edit that is pending by hand is committed first: that, too, may fail
    file_of(root, own).write_bytes(before + b"More.\n")
    done = approve(root, own)
    assert "nothing was changed" in done.err
    assert "saved" not in done.err
    made = run("--vault", root, "add", "note", "--title", "Nova", "--body", "x")
    assert made.code == 7
    assert "saved but not committed" in made.err
    assert "need not be added again" in made.err
    assert "nothing was changed" not in made.err


def test_a_moving_head_says_what_became_of_the_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from vault_cli.store import commit

    monkeypatch.setattr(commit, "MOVE_WAIT", 0.1)
    root = make_vault(tmp_path)
    own = add(root)
    (root / ".git/HEAD.lock").touch()
    done = approve(root, own)
    assert done.code == 5
    assert "nothing was changed" in done.err
    assert "HEAD.lock" in done.err
    assert "saved" not in done.err
    assert (root / ".git/HEAD.lock").exists()


# Folders that may not be entered


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="needs rights of files")
def test_a_folder_of_path_that_cannot_be_entered_is_passed_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    closed = tmp_path / "closed"
    closed.mkdir()
    real = os.stat

    def refuse(path: Any, *args: Any, **more: Any) -> os.stat_result:
        if str(path).startswith(str(closed)):
            raise PermissionError(13, "Permission denied", str(path))
        return real(path, *args, **more)

    monkeypatch.setenv("PATH", f"{closed}/bin{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setattr(os, "stat", refuse)
    git_run._search_git.cache_clear()
    assert Path(git_run.find_git(tmp_path)).name == "git"


@pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid() == 0, reason="the superuser may enter everything"
)
def test_a_git_folder_that_cannot_be_entered_is_named(tmp_path: Path) -> None:
    root = make_vault(tmp_path)
    (root / ".git").chmod(0)
    try:
        with pytest.raises(StoreError, match="cannot look into"):
            Repository.find(root)
    finally:
        (root / ".git").chmod(0o700)


# Interrupted changes

_KILLED_BEFORE_GIT = """
import os, signal, sys
from vault_cli.store.repo import Repository
Repository.commit_paths = lambda *a, **k: os.kill(os.getpid(), signal.SIGKILL)
from vault_cli.cli.app import main
main(sys.argv[1:])
"""


def kill_in(code: str, root: Path, *argv: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", code, "--vault", str(root), *argv],
        env={**os.environ, "PYTHONPATH": str(PROJECT)},
        check=False,
        stdin=subprocess.DEVNULL,
        timeout=60,
    )
    assert done.returncode == -9


def test_nothing_is_planned_on_half_a_change(tmp_path: Path) -> None:
    root = make_vault(tmp_path)
    own = add(root)
    kill_in(_KILLED_BEFORE_GIT, root, "approve", own, "--yes")
    assert "status: active" in file_of(root, own).read_text()
    # the record is not in force yet: what says it is puts it into history
    approve(root, own).ok()
    assert "status: active" in git(root, "grep", "-h", "^status:", "HEAD")
    add(root, "later")
    assert "status: active" in file_of(root, own).read_text()
    assert own in rendered(root)


def test_half_a_change_is_not_rendered(tmp_path: Path) -> None:
    root = make_vault(tmp_path)
    own = add(root)
    kill_in(_KILLED_BEFORE_GIT, root, "approve", own, "--yes")
    assert own not in rendered(root)
    assert not (root / ".state/journal").exists()
    assert git(root, "status", "--porcelain") == ""


_KILLED_WHILE_MOVING = """
import os, signal, sys
from vault_cli.store import commit, git_place
def die(git, rules, job, space, built):
    lock = git_place.branch_file(git.place)
    for path in (git.place.git_dir / "HEAD.lock", lock.with_name(lock.name + ".lock")):
        path.write_text("" if "HEAD" in path.name else built.commit + "\\n")
    os.kill(os.getpid(), signal.SIGKILL)
commit._move_head = die
from vault_cli.cli.app import main
main(sys.argv[1:])
"""


def test_locks_of_a_git_that_was_killed_with_us_are_removed(tmp_path: Path) -> None:
    root = make_vault(tmp_path)
    own = add(root)
    kill_in(_KILLED_WHILE_MOVING, root, "approve", own, "--yes")
    assert (root / ".git/HEAD.lock").exists()
    approve(root, own).ok()
    assert [p.name for p in (root / ".git").rglob("*.lock")] == []
    assert fsck(root) == []


@pytest.mark.parametrize("why", ["older", "later", "other text"])
def test_a_lock_that_may_be_somebody_elses_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, why: str
) -> None:
    from vault_cli.store import commit

    monkeypatch.setattr(commit, "MOVE_WAIT", 0.1)
    root = make_vault(tmp_path)
    own = add(root)
    kill_in(_KILLED_WHILE_MOVING, root, "approve", own, "--yes")
    lock = root / ".git/HEAD.lock"
    if why == "other text":
        moment = lock.stat().st_mtime_ns
        lock.write_text("0" * 40)
        os.utime(lock, ns=(moment, moment))
    else:
        moment = lock.stat().st_mtime + (-60 if why == "older" else 60)
        os.utime(lock, (moment, moment))
    assert approve(root, own).code == 5
    assert lock.exists()


# Sparse checkouts


@pytest.mark.parametrize("trusted", [True, False])
def test_records_outside_a_sparse_checkout_are_counted(tmp_path: Path, trusted: bool) -> None:
    root = make_vault(tmp_path)
    ids = [add(root, "one"), add(root, "two")]
    approve(root, *ids).ok()
    git(root, "sparse-checkout", "set", "--no-cone", "/*", "!/memories/")
    if not trusted:
        git(root, "config", "core.sshCommand", "true")
    for command in ("render", "status", "list"):
        done = run("--vault", root, command).ok()
        assert "2 records are outside the sparse checkout" in done.err, command
    assert [f["code"] for f in checked(root) if f["severity"] == "warning"] == ["sparse-checkout"]
    # what is not checked out is not gone
    assert run("--vault", root, "--json", "status").ok().data["pending"] == []
    add(root, "three")
    assert git(root, "ls-tree", "-r", "--name-only", "HEAD").count("memories/") == 2
    git(root, "sparse-checkout", "disable")
    assert "sparse" not in run("--vault", root, "render").ok().err


# The clock


@pytest.mark.parametrize(
    "moment", ["0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-14:00", "0001-01-01", "9999-12-31"]
)
@pytest.mark.parametrize("zone", ["", "Asia/Shanghai", "America/New_York"])
def test_a_clock_at_the_edge_of_the_calendar_is_bad_usage(
    tmp_path: Path, moment: str, zone: str
) -> None:
    root = make_vault(tmp_path)
    if zone:
        with (root / "vault.toml").open("a") as handle:
            handle.write(f'[vault]\ntimezone = "{zone}"\n')
    done = run("--vault", root, "render", env={"MVAULT_NOW": moment})
    assert done.code == 2, done.text
    assert "MVAULT_NOW" in done.err
