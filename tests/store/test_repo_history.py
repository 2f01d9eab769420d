"""Reading: history, trees, dates, and finding the repository."""

from __future__ import annotations

import os
import subprocess
import sys
from datetime import UTC, timedelta, timezone
from pathlib import Path

import pytest

from vault_cli.errors import NotFoundError, StoreError, UsageError
from vault_cli.store import git_run, history
from vault_cli.store import repo as repo_module
from vault_cli.store.git_place import find_place
from vault_cli.store.repo import Pending, Repository


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in [name for name in os.environ if name.startswith("GIT_")]:
        monkeypatch.delenv(name)
    folder = tmp_path / "home"
    folder.mkdir()
    (folder / ".gitconfig").write_text("[user]\n\tname = 张三\n\temail = t@example.invalid\n")
    monkeypatch.setenv("HOME", str(folder))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(folder / "xdg"))
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    monkeypatch.setenv("MVAULT_STATE_DIR", str(tmp_path / "state"))
    return folder


def git(folder: Path, *args: str, env: dict[str, str] | None = None, data: bytes = b"") -> str:
    done = subprocess.run(
        ["git", *args],
        cwd=folder,
        capture_output=True,
        check=True,
        env={**os.environ, **(env or {})},
        input=data,
    )
    return done.stdout.decode()


def write(folder: Path, path: str, text: str) -> None:
    target = folder / path
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(text.encode())


@pytest.fixture
def repo(tmp_path: Path) -> Repository:
    (tmp_path / "vault").mkdir()
    return Repository.create(tmp_path / "vault")


def dated(repo: Repository, day: str, text: str) -> str:
    write(repo.root, "dated.md", text)
    git(repo.root, "add", ".")
    env = {"GIT_COMMITTER_DATE": day, "GIT_AUTHOR_DATE": day}
    git(repo.root, "commit", "-qm", text, env=env)
    return repo.head()


def test_message_parts(repo: Repository) -> None:
    write(repo.root, "drafts/2026-11/甲-7k3qd2m.md", "1\n")
    message = (
        "approve(lesson): 先看 node_modules/.bin\n\nBecause it hurts.\n\nNote: this is body\n"
        "and goes on.\n\nVault-Op: approve\nVault-Id: l-7k3qd2m\nVault-Origin: cli\n"
    )
    commit = repo.commit_paths(["drafts/2026-11/甲-7k3qd2m.md"], message)

    info = repo.commit_info("HEAD")

    assert info.id == commit
    assert info.parents == ()
    assert info.author == "张三 <t@example.invalid>"
    assert info.subject == "approve(lesson): 先看 node_modules/.bin"
    assert info.body == "Because it hurts.\n\nNote: this is body\nand goes on."
    assert info.trailers == (
        ("Vault-Op", "approve"),
        ("Vault-Id", "l-7k3qd2m"),
        ("Vault-Origin", "cli"),
    )
    assert info.paths == ("drafts/2026-11/甲-7k3qd2m.md",)


def test_log_by_record(repo: Repository) -> None:
    write(repo.root, "drafts/a-7k3qd2m.md", "1\n")
    add = repo.commit_paths(["drafts/a-7k3qd2m.md"], "add\n\nVault-Id: l-7k3qd2m")
    write(repo.root, "x.md", "x\n")
    repo.commit_paths(["x.md"], "other\n\nVault-Id: l-7k3qd2m9\n")
    (repo.root / "memories").mkdir()
    (repo.root / "drafts/a-7k3qd2m.md").rename(repo.root / "memories/b-7k3qd2m.md")
    git(repo.root, "add", "-A")
    git(repo.root, "commit", "-qm", "moved by hand")
    moved = repo.head()
    write(repo.root, "y.md", "y\n")
    tally = repo.commit_paths(["y.md"], "link\n\nVault-Id: l-7k3qd2m\nVault-Id: l-0000000")

    assert [info.id for info in repo.log(record_id="l-7k3qd2m")] == [tally, moved, add]
    assert [info.id for info in repo.log(record_id="l-7k3qd2m", limit=1)] == [tally]
    assert [info.id for info in repo.log(paths=["memories/b-7k3qd2m.md"])] == [moved]
    assert [info.id for info in repo.log(record_id="l-0000000")] == [tally]
    assert repo.log(record_id="l-nothing") == []
    assert repo.log(record_id="*") == []
    assert len(repo.log()) == 4
    assert len(repo.log(limit=2)) == 2


def test_hostile_messages_and_names_cannot_forge_an_entry(repo: Repository) -> None:
    write(repo.root, "a.md", "1\n")
    parent = repo.commit_paths(["a.md"], "first")
    names = [parent, f"\n{parent}", ":100644 100644 a b M", "\n:x", "\x01"]
    for name in names:
        write(repo.root, name, "x\n")
    message = f"subject\x01\x02\n\n{parent}\n:100644 000 M\nVault-Id: x\x1b[31m\n\n"
    commit = repo.commit_paths(names, message)
    top, first = repo.log()
    assert (top.id, first.id) == (commit, parent)
    assert set(top.paths) == set(names)
    assert first.paths == ("a.md",)


def test_empty_commits_and_merges_in_the_log(repo: Repository) -> None:
    write(repo.root, "a.md", "1\n")
    base = repo.commit_paths(["a.md"], "base")
    git(repo.root, "commit", "-q", "--allow-empty", "-m", "empty")
    git(repo.root, "checkout", "-q", "-b", "side", base)
    write(repo.root, "b.md", "1\n")
    repo.commit_paths(["b.md"], "side")
    git(repo.root, "checkout", "-q", "main")
    git(repo.root, "merge", "-q", "--no-ff", "-m", "merge", "side")
    found = {info.subject: info.paths for info in repo.log()}
    assert found == {"merge": ("b.md",), "side": ("b.md",), "empty": (), "base": ("a.md",)}
    assert repo.log()[0].subject == "merge"


def test_commit_message_in_another_encoding(repo: Repository) -> None:
    config = ("-c", "i18n.commitEncoding=GBK")
    git(repo.root, *config, "commit", "-q", "--allow-empty", "-F", "-", data="中文".encode("gbk"))
    assert repo.log()[0].subject == "中文"


def test_tree_and_blob(repo: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(history, "MAX_FILE", 64)
    files = {"vault.toml": "schema = 1\n", "a.md": "", "深/b.md": "x" * 500, "c.md": "c"}
    for path, text in {**files, "note.txt": "no", "sub/vault.toml": "no"}.items():
        write(repo.root, path, text)
    (repo.root / "link.md").symlink_to("a.md")
    git(repo.root, "add", ".")
    git(repo.root, "commit", "-qm", "x")
    paths = [*files, "none.md", "link.md", "深"]
    tree = repo.read_head(paths)
    assert tree == {**{p: t.encode() for p, t in files.items()}, "深/b.md": b"x" * 65}
    assert repo.read_blob("main", "深/b.md") == b"x" * 500
    assert repo.read_blob("main", "深") is None
    assert repo.read_blob("main", "link.md") is None
    assert repo.read_blob("main", "none.md") is None
    with pytest.raises(NotFoundError):
        repo.read_blob("nonsense", "a.md")


def test_dates_count_to_their_end(repo: Repository) -> None:
    first = dated(repo, "2026-10-31T12:00:00+00:00", "one")
    second = dated(repo, "2026-11-01T23:30:00+00:00", "two")
    third = dated(repo, "2026-11-02T09:00:00+00:00", "three")
    utc = UTC
    assert repo.resolve("2026-10-31", zone=utc) == first
    assert repo.resolve("2026-11-01", zone=utc) == second
    assert repo.resolve("2026-11-01", zone=timezone(timedelta(hours=8))) == first
    assert repo.resolve("2026-11-01T23:30:00Z", zone=utc) == second
    assert repo.resolve("2026-11-01T23:29:59Z", zone=utc) == first
    assert repo.resolve("2026-11-02 17:30+08:00") == third
    assert repo.resolve("9999-12-31") == third
    for text in ("2026-10-30", "0001-01-01"):
        with pytest.raises(NotFoundError):
            repo.resolve(text, zone=utc)
    with pytest.raises(UsageError):
        repo.resolve("2026-02-30", zone=utc)


def test_a_clock_that_went_back_does_not_change_the_order(repo: Repository) -> None:
    old = dated(repo, "2030-01-01T00:00:00Z", "future")
    new = dated(repo, "2026-01-01T00:00:00Z", "now")
    assert [info.id for info in repo.log()] == [new, old]
    assert repo.resolve("2031-01-01") == new
    assert repo.resolve("2027-01-01") == new


@pytest.mark.parametrize(
    "text", ["", "-1", "--all", "nope", "HEAD..main", "HEAD:a.md", "a\nb", "\x1b", "refs/../x"]
)
def test_what_git_does_not_know(repo: Repository, text: str) -> None:
    dated(repo, "2026-01-01T00:00:00Z", "x")
    with pytest.raises(NotFoundError):
        repo.resolve(text)


def test_revisions(repo: Repository) -> None:
    first = dated(repo, "2026-01-01T00:00:00Z", "x")
    second = dated(repo, "2026-01-01T00:00:00Z", "y")
    git(repo.root, "tag", "-a", "v1", "-m", "tag", first)
    assert repo.resolve(first[:10]) == first
    assert repo.resolve("HEAD~1") == repo.resolve("v1") == first
    assert repo.resolve("main") == second


def test_unborn_branch(repo: Repository) -> None:
    assert repo.pending() == ()
    assert repo.log() == repo.log(record_id="l-7k3qd2m") == []
    for text in ("HEAD", "2026-01-01"):
        with pytest.raises(NotFoundError):
            repo.resolve(text)


def test_replaced_objects_do_not_hide_history(repo: Repository) -> None:
    first = dated(repo, "2026-01-01T00:00:00Z", "true")
    second = dated(repo, "2026-01-02T00:00:00Z", "changed")
    git(repo.root, "replace", second, first)
    assert repo.log()[0].subject == "changed"
    assert repo.read_head(["dated.md"])["dated.md"] == b"changed"


def test_pending_sees_the_disk_and_not_the_index(repo: Repository) -> None:
    for path in ("same.md", "changed.md", "gone.md", "untracked-again.md", "back.md"):
        write(repo.root, path, "1\n")
    git(repo.root, "add", ".")
    git(repo.root, "commit", "-qm", "x")
    write(repo.root, "changed.md", "2\n")
    (repo.root / "gone.md").unlink()
    git(repo.root, "rm", "-q", "--cached", "untracked-again.md")
    write(repo.root, "back.md", "2\n")
    git(repo.root, "add", "back.md")
    write(repo.root, "back.md", "1\n")
    write(repo.root, "new.md", "n\n")
    write(repo.root, ".gitignore", "*.log\n")
    write(repo.root, "x.log", "ignored\n")
    expected = (
        Pending(".gitignore", "added"),
        Pending("changed.md", "changed"),
        Pending("gone.md", "deleted"),
        Pending("new.md", "added"),
    )
    assert repo.pending() == expected
    git(repo.root, "config", "core.fsmonitor", "/bin/false")
    assert repo.untrusted()
    assert repo.pending() == expected
    assert repo.pending(["x.log", "same.md"]) == (Pending("x.log", "added"),)


def test_reading_leaves_a_read_only_repository_alone(repo: Repository) -> None:
    dated(repo, "2026-01-01T00:00:00Z", "x")
    stamp = (repo.root / ".git" / "index").stat().st_mtime_ns
    os.utime(repo.root / "dated.md")
    assert repo.pending() == ()
    repo.log()
    repo.read_head(["dated.md"])
    assert (repo.root / ".git" / "index").stat().st_mtime_ns == stamp


@pytest.mark.parametrize(
    ("mark", "name"),
    [("MERGE_HEAD", "merge"), ("CHERRY_PICK_HEAD", "cherry-pick"), ("REVERT_HEAD", "revert")],
)
def test_operation_in_progress(repo: Repository, mark: str, name: str) -> None:
    assert repo.operation_in_progress() == ""
    (repo.root / ".git" / mark).touch()
    assert repo.operation_in_progress() == name


def test_no_repository(tmp_path: Path) -> None:
    assert Repository.find(tmp_path) is None
    (tmp_path / ".git").mkdir()
    assert Repository.find(tmp_path) is None
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / ".git").write_text("gitdir: ../nowhere\n")
    with pytest.raises(StoreError, match="does not point to a git repository"):
        Repository.find(tmp_path / "sub")


def test_a_bare_repository_in_the_tree_is_not_found(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q", "--bare", "inner")
    assert find_place(tmp_path / "inner") is None


def test_vault_reached_through_a_link(repo: Repository, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(repo.root)
    linked = Repository.find(tmp_path / "link")
    assert linked is not None
    write(repo.root, "a.md", "a\n")
    assert linked.is_own
    assert linked.commit_paths(["a.md"], "a") == repo.head()


def test_a_repository_of_another_user_is_gits_decision(
    repo: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(repo_module, "foreign_owner", lambda place: True)
    assert Repository.find(repo.root) is not None
    if os.geteuid() == 0:
        os.chown(repo.root, 12345, 12345)
        os.chown(repo.root / ".git", 12345, 12345)
        with pytest.raises(StoreError, match="dubious ownership"):
            Repository.find(repo.root)


def test_git_is_never_taken_from_the_vault(
    repo: Repository, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    fake = repo.root / "git"
    fake.write_text("#!/bin/sh\nexit 1\n")
    fake.chmod(0o755)
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "git").symlink_to(fake)
    search = os.pathsep.join([".", "", str(repo.root), str(tmp_path / "bin")])
    monkeypatch.setenv("PATH", f"{search}{os.pathsep}{os.environ['PATH']}")
    assert git_run.find_git(repo.root) not in {str(fake), str(tmp_path / "bin" / "git")}
    monkeypatch.setenv("PATH", search)
    with pytest.raises(StoreError, match="git was not found"):
        git_run.find_git(repo.root)


def test_a_stuck_git_ends(repo: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(git_run, "TIMEOUT", 0.3)
    os.mkfifo(repo.root / "pipe")
    with (repo.root / ".git" / "config").open("a") as handle:
        handle.write("[include]\n\tpath = ../pipe\n")
    with pytest.raises(StoreError, match="did not end"):
        repo.untrusted()


def test_a_missing_object_is_a_clear_error(repo: Repository) -> None:
    dated(repo, "2026-01-01T00:00:00Z", "x")
    blob = git(repo.root, "rev-parse", "HEAD:dated.md").strip()
    (repo.root / ".git" / "objects" / blob[:2] / blob[2:]).unlink()
    with pytest.raises(StoreError, match="damaged or incomplete"):
        repo.read_head(["dated.md"])


def test_gitpython_stays_out_of_the_quick_paths(repo: Repository) -> None:
    code = (
        "import sys; from pathlib import Path; from vault_cli.store.repo import Repository;"
        "r = Repository.find(Path(sys.argv[1])); r.head();"
        "assert 'subprocess' not in sys.modules;"
        "r.commit_paths(['a.md'], 'a'); r.pending(); r.read_head(['a.md']);"
        "assert 'git' not in sys.modules; r.log(); assert 'git' in sys.modules"
    )
    dated(repo, "2026-01-01T00:00:00Z", "x")
    write(repo.root, "a.md", "a\n")
    env = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
    subprocess.run([sys.executable, "-c", code, str(repo.root)], env=env, check=True)
