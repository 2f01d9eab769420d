"""A repository received from somebody must not make git execute anything.

Every operation of `Repository` runs under every trick of `git_tricks`, with vault files present
that the trick's filters and diff drivers apply to.
"""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest
from git_tricks import TRICKS, Scene

from vault_cli.errors import StoreError, VaultError
from vault_cli.store.past import read_past
from vault_cli.store.repo import Repository


@pytest.fixture
def scene(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Scene:
    for name in [name for name in os.environ if name.startswith("GIT_")]:
        monkeypatch.delenv(name)
    home = tmp_path / "home"
    home.mkdir()
    (home / ".gitconfig").write_text("[user]\n\tname = T\n\temail = t@example.invalid\n")
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(home / "xdg"))
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    monkeypatch.setenv("MVAULT_STATE_DIR", str(tmp_path / "state"))
    return Scene(tmp_path)


NEEDS_NO_TRUST = {"embedded-bare", "git-in-the-vault"}


def _use_everything(scene: Scene) -> None:
    """Call every operation; errors are fine, executing something is not."""
    found = Repository.find(scene.work)
    assert found is not None
    repo: Repository = found
    scene.write("memories/a.md", "changed\n")
    scene.write("memories/new.md", "new\n")
    many = [f"memories/many-{number}.md" for number in range(12)]
    for path in many:
        scene.write(path, f"{path}\n")
    steps: list[Callable[[], object]] = [
        repo.untrusted,
        repo.trust_fingerprint,
        repo.is_trusted,
        repo.head,
        repo.operation_in_progress,
        repo.require_identity,
        repo.pending,
        lambda: repo.pending(["memories/a.md", "memories/new.md"]),
        lambda: repo.commit_paths(["memories/a.md"], "change\n\nVault-Id: n-1234567"),
        lambda: repo.commit_paths(["memories/new.md"], "new"),
        lambda: repo.commit_paths(many, "so many that their blobs are imported"),
        repo.settle,
        lambda: repo.read_blob("HEAD~2", "memories/a.md"),
        lambda: read_past(repo, repo.resolve("HEAD~1"), ignore=()),
        lambda: read_past(repo, repo.resolve("HEAD"), ignore=()),
        lambda: repo.resolve("2999-01-01"),
        lambda: repo.resolve("main"),
        repo.log,
        lambda: repo.log(paths=["memories/a.md"]),
        lambda: repo.log(record_id="n-1234567"),
        lambda: repo.commit_info("HEAD"),
        repo.tidy,
        repo.pending,
    ]
    for step in steps:
        with suppress(VaultError):
            step()


@pytest.mark.parametrize("name", TRICKS)
def test_nothing_of_a_received_repository_runs(
    name: str, scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", os.environ["PATH"])
    monkeypatch.chdir(scene.work)
    TRICKS[name](scene)

    _use_everything(scene)

    assert not scene.canary.exists(), scene.canary.read_text()
    assert not (scene.work / "canary").exists()


@pytest.mark.parametrize("name", sorted(set(TRICKS) - NEEDS_NO_TRUST))
def test_the_trick_is_named_and_the_commit_works_without_it(name: str, scene: Scene) -> None:
    TRICKS[name](scene)
    repo = Repository.find(scene.work)
    assert repo is not None
    assert repo.untrusted()
    scene.write("memories/new.md", "new\r\n")
    if name.startswith("signing"):
        with pytest.raises(StoreError):  # signed with the person's own program, which has no key
            repo.commit_paths(["memories/new.md"], "new")
        return

    commit = repo.commit_paths(["memories/new.md"], "new")

    assert repo.commit_info(commit).paths == ("memories/new.md",)
    assert repo.read_blob(commit, "memories/new.md") == b"new\r\n"


_COMMIT = ("commit", "-qam", "x")
CARELESS: dict[str, tuple[str, ...]] = {
    "fsmonitor": ("status",),
    "hook-pre-commit": _COMMIT,
    "hook-prepare-commit-msg": _COMMIT,
    "hook-commit-msg": _COMMIT,
    "hook-post-commit": _COMMIT,
    "hook-post-index-change": _COMMIT,
    "hook-reference-transaction": _COMMIT,
    "hook-post-rewrite": ("commit", "--amend", "-qm", "x"),
    "hooks-path": _COMMIT,
    "filter-clean": ("add", "."),
    "filter-process": ("add", "."),
    "diff-external": ("diff",),
    "diff-command": ("diff",),
    "diff-textconv": ("diff",),
    "signing": _COMMIT,
    "signing-ssh": _COMMIT,
    "include": ("status",),
    "include-if": ("status",),
    "worktree-config": ("status",),
    "embedded-bare": ("-C", "memories", "status"),
    "promisor-ext": ("show", "HEAD~1:memories/a.md"),
    "promisor-uploadpack": ("show", "HEAD~1:memories/a.md"),
    "ssh-command": ("ls-remote", "ssh://host.invalid/x"),
    "git-proxy": ("ls-remote", "git://host.invalid/x"),
    "editor": ("commit", "-qa"),
    "sequence-editor": ("rebase", "-i", "HEAD~1"),
    "askpass": ("credential", "fill"),
    "credential": ("credential", "fill"),
    "trailer-command": ("interpret-trailers", "--trailer", "Vault-Id: x", "memories/a.md"),
    "git-in-the-vault": ("status",),
}
"""What somebody, or a program that calls git without care, would run to set a trick off."""


@pytest.mark.parametrize("name", CARELESS)
def test_the_trick_runs_with_plain_git(
    name: str, scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The matrix would be worthless if the planted commands could not run at all."""
    monkeypatch.setenv("PATH", os.environ["PATH"])
    monkeypatch.setenv("GIT_TERMINAL_PROMPT", "1")
    if name != "sequence-editor":  # a rebase wants a clean tree
        scene.write("memories/a.md", "changed\n")
    TRICKS[name](scene)
    asked = b"protocol=https\nhost=host.invalid\n\n" if name in {"askpass", "credential"} else b""
    process = subprocess.Popen(
        ["git", *CARELESS[name]],
        cwd=scene.work,
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        assert process.stdin is not None
        with suppress(BrokenPipeError):
            process.stdin.write(asked)
            process.stdin.close()
        assert _appears(scene, process)
    finally:  # some planted commands wait for an answer that never comes
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def _appears(scene: Scene, process: subprocess.Popen[bytes]) -> bool:
    """Whether the canary is there within a while, or when git has ended."""
    end = time.monotonic() + 20
    while time.monotonic() < end:
        ended = process.poll() is not None
        if scene.canary.exists() or (scene.work / "canary").exists():
            return True
        if ended:
            return False
        time.sleep(0.01)
    return False


def test_a_required_filter_is_not_passed_over(scene: Scene) -> None:
    """Plain text in an encrypted vault could not be taken back."""
    TRICKS["filter-clean"](scene)
    scene.config("filter.x.required", "true")
    repo = Repository.find(scene.work)
    assert repo is not None
    before = repo.head()
    scene.write("memories/new.md", "secret\n")

    with pytest.raises(StoreError, match="content filter 'x'"):
        repo.commit_paths(["memories/new.md"], "new")

    assert repo.head() == before
    assert not scene.canary.exists()


NAMES = [
    "-rf.md",
    "--upload-pack=x.md",
    "--output=x.md",
    ":(top)x.md",
    ":!x.md",
    "*.md",
    "[a].md",
    "quote'\".md",
    "line\nbreak.md",
    "tab\t.md",
    "back\\slash.md",
    "空 格.md",
    "e\u0301.md",
    "\U0001f600.md",
    "x" * 240 + ".md",
    os.fsdecode(b"latin-\xe9.md"),
    "@{u}.md",
    "HEAD",
]


def test_odd_names_are_only_names(scene: Scene) -> None:
    repo = Repository.find(scene.work)
    assert repo is not None
    for name in NAMES:
        scene.write(f"drafts/{name}", "text\n")
    paths = [f"drafts/{name}" for name in NAMES]
    assert {item.path for item in repo.pending()} == set(paths)

    commit = repo.commit_paths(paths, "odd names")

    assert set(repo.commit_info(commit).paths) == set(paths)
    assert all(repo.read_blob(commit, path) == b"text\n" for path in paths)
    assert [info.id for info in repo.log(paths=["drafts/*.md"])] == [commit]
    assert repo.pending() == ()
    out = subprocess.run(
        ["git", "status", "--porcelain"], cwd=scene.work, check=True, capture_output=True
    )
    assert out.stdout == b""
