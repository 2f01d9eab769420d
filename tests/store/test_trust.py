"""What of a repository needs trust, and when the trust ends."""

from __future__ import annotations

import os
import stat
import subprocess
from pathlib import Path

import pytest

from vault_cli.errors import StoreError
from vault_cli.store.repo import Repository


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in [name for name in os.environ if name.startswith("GIT_")]:
        monkeypatch.delenv(name)
    folder = tmp_path / "home"
    folder.mkdir()
    monkeypatch.setenv("HOME", str(folder))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(folder / "xdg"))
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    monkeypatch.setenv("MVAULT_STATE_DIR", str(tmp_path / "state"))
    return folder


def git(folder: Path, *args: str) -> None:
    subprocess.run(["git", *args], cwd=folder, check=True, capture_output=True)


@pytest.fixture
def repo(tmp_path: Path) -> Repository:
    """A repository that came from somebody: as `git init` makes it, with its sample hooks."""
    root = tmp_path / "vault"
    root.mkdir()
    git(root, "init", "-q")
    found = Repository.find(root)
    assert found is not None
    return found


def hook(repo: Repository, name: str, text: str = "exit 0", *, folder: str = ".git/hooks") -> Path:
    path = repo.root / folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return path


HARMLESS = [
    ("user.name", "T"),
    ("user.signingkey", "ABC"),
    ("commit.gpgsign", "true"),
    ("gpg.format", "ssh"),
    ("core.autocrlf", "input"),
    ("core.fsmonitor", "true"),
    ("branch.main.remote", "origin"),
    ("remote.origin.url", "git@github.com:me/vault.git"),
    ("remote.origin.url", "https://example.invalid/a::b.git"),
    ("remote.origin.pushurl", "/srv/vault.git"),
    ("remote.origin.fetch", "+refs/heads/*:refs/remotes/origin/*"),
    ("pull.rebase", "true"),
]
NEEDS_TRUST = [
    ("core.fsmonitor", "/tmp/x"),
    ("core.hooksPath", "hooks"),
    ("core.worktree", "/"),
    ("core.sshCommand", "x"),
    ("filter.x.clean", "x"),
    ("diff.x.textconv", "x"),
    ("gpg.program", "x"),
    ("gpg.ssh.allowedSignersFile", "x"),
    ("include.path", "../x"),
    ("includeIf.gitdir:/.path", "../x"),
    ("alias.st", "!x"),
    ("credential.helper", "!x"),
    ("remote.origin.url", "ext::sh -c x"),
    ("remote.origin.url", "--upload-pack=x"),
    ("remote.origin.uploadpack", "x"),
    ("remote.origin.vcs", "x"),
    ("url.ext::x.insteadOf", "https://"),
    ("http.proxy", "http://x"),
    ("remote.origin.promisor", "true"),
]


@pytest.mark.parametrize(("key", "value"), HARMLESS)
def test_harmless_keys_need_no_trust(repo: Repository, key: str, value: str) -> None:
    before = repo.trust_fingerprint()
    git(repo.root, "config", key, value)
    assert repo.untrusted() == ()
    assert repo.trust_fingerprint() == before


@pytest.mark.parametrize(("key", "value"), NEEDS_TRUST)
def test_other_keys_are_named(repo: Repository, key: str, value: str) -> None:
    git(repo.root, "config", key, value)
    assert [name.lower() for name in repo.untrusted()] == [key.lower()]
    repo.trust_now()
    assert repo.untrusted() == ()
    git(repo.root, "config", "--add", key, f"{value} changed")
    assert repo.untrusted() != ()


def test_the_same_key_in_the_persons_own_configuration_is_fine(repo: Repository) -> None:
    for key, value in NEEDS_TRUST[3:7]:
        git(repo.root, "config", "--global", key, value)
    assert repo.untrusted() == ()


def test_hooks(repo: Repository) -> None:
    assert repo.untrusted() == ()  # the samples of `git init` are not executed by git
    empty = repo.trust_fingerprint()
    path = hook(repo, "pre-commit")
    path.chmod(path.stat().st_mode & ~(stat.S_IXUSR | stat.S_IXGRP | stat.S_IXOTH))
    assert repo.untrusted() == ()
    assert repo.trust_fingerprint() == empty
    path.chmod(0o755)
    assert repo.untrusted() == ("hook pre-commit",)
    repo.trust_now()
    assert repo.untrusted() == ()
    assert repo.is_trusted()
    hook(repo, "pre-commit", "exit 1")
    assert repo.untrusted() == ("hook pre-commit",)
    hook(repo, "pre-commit")
    assert repo.untrusted() == ()
    hook(repo, "commit-msg")
    assert repo.untrusted() == ("hook commit-msg", "hook pre-commit")


def test_hooks_in_the_work_tree(repo: Repository, home: Path) -> None:
    hook(repo, "pre-commit", folder="hooks")
    assert repo.untrusted() == ()  # nothing points there
    git(repo.root, "config", "--global", "core.hooksPath", "hooks")
    assert repo.untrusted() == ("hook pre-commit",)
    repo.trust_now()
    hook(repo, "helper.sh", folder="hooks")  # hooks load each other
    assert repo.untrusted() != ()


def test_what_an_include_brings_is_part_of_the_trust(repo: Repository) -> None:
    extra = repo.root / "extra.cfg"
    extra.write_text("[core]\n\teditor = vi\n")
    git(repo.root, "config", "include.path", "../extra.cfg")
    assert repo.untrusted() == ("core.editor", "include.path")
    repo.trust_now()
    assert repo.untrusted() == ()
    extra.write_text("[core]\n\teditor = evil\n")
    assert repo.untrusted() == ("core.editor", "include.path")


def test_trust_is_bound_to_the_place(repo: Repository, tmp_path: Path) -> None:
    hook(repo, "pre-commit")
    repo.trust_now()
    copy = tmp_path / "copy"
    subprocess.run(["cp", "-r", str(repo.root), str(copy)], check=True)
    other = Repository.find(copy)
    assert other is not None
    assert other.untrusted() == ("hook pre-commit",)
    assert repo.untrusted() == ()


def test_a_vault_somebody_else_made_is_not_trusted_although_nothing_runs(repo: Repository) -> None:
    assert repo.untrusted() == ()
    assert not repo.is_trusted()
    repo.trust_now()
    assert repo.is_trusted()


def test_a_created_vault_is_trusted(tmp_path: Path) -> None:
    root = tmp_path / "own"
    root.mkdir()
    assert Repository.create(root).is_trusted()


@pytest.mark.parametrize("text", ["", "{", "[]", '{"repository": "/elsewhere"}', "\0"])
def test_a_damaged_record_is_no_trust(repo: Repository, tmp_path: Path, text: str) -> None:
    hook(repo, "pre-commit")
    repo.trust_now()
    (record,) = (tmp_path / "state" / "trust").iterdir()
    record.write_text(text)
    assert repo.untrusted() == ("hook pre-commit",)


def test_state_that_cannot_be_written_is_a_clear_error(
    repo: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("MVAULT_STATE_DIR", str(tmp_path / "file"))
    with pytest.raises(StoreError, match=r"cannot write .*trust"):
        repo.trust_now()
