"""A repository received from somebody must not make git execute anything.

Every trick plants a command that leaves a canary file. Every operation of `Repository` runs, with
vault files present that the trick's filters and diff drivers apply to.
"""

from __future__ import annotations

import os
import stat
import subprocess
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from vault_cli.errors import StoreError, VaultError
from vault_cli.store.repo import Repository

Trick = Callable[["Scene"], None]


class Scene:
    """A received vault `work`, and the canary that a planted command would leave."""

    def __init__(self, base: Path) -> None:
        self.work = base / "work"
        self.canary = base / "canary"
        self.script = base / "evil.sh"
        self.script.write_text(f'#!/bin/sh\necho "$0 $@" >> "{self.canary}"\ncat 2>/dev/null\n')
        self.script.chmod(0o755)
        self.work.mkdir()
        self.git("init", "-q", "-b", "main")
        self.write("memories/a.md", "one\n")
        self.write("vault.toml", "schema = 1\n")
        self.git("add", ".")
        self.git("commit", "-qm", "base")
        self.write("memories/b.md", "two\n")
        self.git("add", ".")
        self.git("commit", "-qm", "second")

    def git(self, *args: str) -> None:
        subprocess.run(["git", *args], cwd=self.work, check=True, capture_output=True)

    def write(self, path: str, text: str) -> None:
        target = self.work / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text)

    def config(self, key: str, value: str | None = None) -> None:
        self.git("config", key, value or str(self.script))

    def hook(self, name: str, folder: str = ".git/hooks") -> None:
        path = self.work / folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f'#!/bin/sh\necho {name} >> "{self.canary}"\n')
        path.chmod(path.stat().st_mode | stat.S_IXUSR)

    def attributes(self, text: str) -> None:
        self.write(".gitattributes", text)
        self.write(".git/info/attributes", text)


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


def _set(key: str, value: str | None = None) -> Trick:
    return lambda scene: scene.config(key, value)


def _hook(name: str) -> Trick:
    return lambda scene: scene.hook(name)


def _driver(attributes: str, *keys: str) -> Trick:
    def plant(scene: Scene) -> None:
        for key in keys:
            scene.config(key)
        scene.attributes(attributes)

    return plant


def _hooks_path(scene: Scene) -> None:
    for name in ("pre-commit", "post-commit", "reference-transaction", "post-index-change"):
        scene.hook(name, "githooks")
    scene.config("core.hooksPath", "githooks")


def _signing(scene: Scene) -> None:
    scene.config("commit.gpgsign", "true")
    scene.config("gpg.program")
    scene.config("log.showSignature", "true")
    scene.config("user.signingkey", "ABCDEF")


def _ssh_signing(scene: Scene) -> None:
    scene.config("commit.gpgsign", "true")
    scene.config("gpg.format", "ssh")
    scene.config("gpg.ssh.program")
    scene.config("gpg.ssh.defaultKeyCommand")


def _include(scene: Scene) -> None:
    scene.write("extra.cfg", f'[core]\n\tfsmonitor = "{scene.script}"\n\thooksPath = githooks\n')
    scene.hook("pre-commit", "githooks")
    scene.hook("reference-transaction", "githooks")
    scene.config("include.path", "../extra.cfg")


def _include_if(scene: Scene) -> None:
    scene.write("extra.cfg", f'[core]\n\tfsmonitor = "{scene.script}"\n')
    scene.config("includeIf.gitdir:**.path", "../extra.cfg")


def _embedded_bare(scene: Scene) -> None:
    """A bare repository committed into the tree, with a monitor command in its configuration."""
    inner = scene.work / "memories"
    subprocess.run(["git", "init", "-q", "--bare", str(inner)], check=True, capture_output=True)
    with (inner / "config").open("a") as handle:
        handle.write(f'[core]\n\tworktree = .\n\tfsmonitor = "{scene.script}"\n')


def _promisor(scene: Scene) -> None:
    """A missing object makes git fetch it: through a transport that is a command."""
    scene.config("core.repositoryformatversion", "1")
    scene.config("extensions.partialClone", "origin")
    scene.config("remote.origin.promisor", "true")
    scene.config("remote.origin.url", f"ext::{scene.script} %S")
    scene.config("protocol.ext.allow", "always")
    _drop_blob(scene)


def _promisor_uploadpack(scene: Scene) -> None:
    scene.config("core.repositoryformatversion", "1")
    scene.config("extensions.partialClone", "origin")
    scene.config("remote.origin.promisor", "true")
    scene.config("remote.origin.url", str(scene.work.parent / "elsewhere"))
    scene.config("remote.origin.uploadpack")
    _drop_blob(scene)


def _drop_blob(scene: Scene) -> None:
    out = subprocess.run(
        ["git", "rev-parse", "HEAD:memories/a.md"], cwd=scene.work, check=True, capture_output=True
    )
    blob = out.stdout.decode().strip()
    (scene.work / ".git/objects" / blob[:2] / blob[2:]).unlink()


def _worktree_config(scene: Scene) -> None:
    scene.config("extensions.worktreeConfig", "true")
    (scene.work / ".git/config.worktree").write_text(f'[core]\n\tfsmonitor = "{scene.script}"\n')


def _git_in_the_vault(scene: Scene) -> None:
    for folder in (".", "memories"):
        target = scene.work / folder / "git"
        target.write_bytes(scene.script.read_bytes())
        target.chmod(0o755)
    os.environ["PATH"] = os.pathsep.join((".", str(scene.work), "", os.environ["PATH"]))


TRICKS: dict[str, Trick] = {
    "fsmonitor": _set("core.fsmonitor"),
    **{
        f"hook-{name}": _hook(name)
        for name in (
            "pre-commit",
            "prepare-commit-msg",
            "commit-msg",
            "post-commit",
            "post-index-change",
            "reference-transaction",
            "post-rewrite",
            "pre-auto-gc",
            "fsmonitor-watchman",
        )
    },
    "hooks-path": _hooks_path,
    "filter-clean": _driver("* filter=x\n", "filter.x.clean", "filter.x.smudge"),
    "filter-process": _driver("* filter=x\n", "filter.x.process"),
    "diff-external": _set("diff.external"),
    "diff-command": _driver("* diff=x\n", "diff.x.command"),
    "diff-textconv": _driver("* diff=x\n", "diff.x.textconv"),
    "merge-driver": _driver("* merge=x\n", "merge.x.driver"),
    "signing": _signing,
    "signing-ssh": _ssh_signing,
    "include": _include,
    "include-if": _include_if,
    "worktree-config": _worktree_config,
    "embedded-bare": _embedded_bare,
    "promisor-ext": _promisor,
    "promisor-uploadpack": _promisor_uploadpack,
    "ssh-command": _set("core.sshCommand"),
    "git-proxy": _set("core.gitProxy"),
    "editor": _set("core.editor"),
    "sequence-editor": _set("sequence.editor"),
    "pager": _set("core.pager"),
    "pager-log": _set("pager.log"),
    "askpass": _set("core.askPass"),
    "alias": _set("alias.update-index", "!touch canary"),
    "credential": _set("credential.helper"),
    "trailer-command": _set("trailer.Vault-Id.command"),
    "alternate-refs": _set("core.alternateRefsCommand"),
    "remote-ext": _set("remote.origin.url", "ext::touch canary"),
    "remote-uploadpack": _set("remote.origin.uploadpack"),
    "git-in-the-vault": _git_in_the_vault,
}

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
        lambda: repo.read_tree("HEAD~1"),
        lambda: repo.read_tree("HEAD"),
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


def test_the_tricks_do_run_with_plain_git(scene: Scene) -> None:
    """The matrix would be worthless if the planted commands could not run at all."""
    ran = []
    for name in ("hook-pre-commit", "fsmonitor", "filter-clean"):
        TRICKS[name](scene)
        scene.write("memories/a.md", f"{name}\n")
        subprocess.run(["git", "add", "."], cwd=scene.work, check=False, capture_output=True)
        subprocess.run(["git", "commit", "-qm", "x"], cwd=scene.work, check=False)
        if scene.canary.exists():
            ran.append(name)
            scene.canary.unlink()
    assert ran == ["hook-pre-commit", "fsmonitor", "filter-clean"]


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
