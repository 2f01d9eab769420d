"""Tricks of a received repository: each plants a command that leaves a canary file when git runs it."""

from __future__ import annotations

import os
import stat
import subprocess
from collections.abc import Callable
from pathlib import Path

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
        handle.write(f'[core]\n\tbare = false\n\tworktree = .\n\tfsmonitor = "{scene.script}"\n')


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
