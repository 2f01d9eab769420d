"""Every command, run inside a vault whose git repository was prepared by an attacker.

The repository came as a folder: its `.git/config`, hooks and attributes are the attacker's. No
command may start a planted program, and none may end with a defect.
"""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from shutil import which

import pytest
from git_tricks import TRICKS, Scene
from helpers import commit_all, git, make_vault, run

from vault_cli.cli.commands import COMMANDS

ALONE = (
    "signing",
    "signing-ssh",
    "promisor-ext",
    "promisor-uploadpack",
    "embedded-bare",
    "hooks-path",
    "include",
    "filter-process",
    "git-in-the-vault",
)
"""Tricks that stop git early or hide others; the rest are planted together."""

GROUPS: dict[str, tuple[str, ...]] = {
    "together": tuple(name for name in TRICKS if name not in ALONE),
    **{name: (name,) for name in ALONE},
}

RULE = "---\nid: r-0000001\nkind: rule\nstatus: {}\ntitle: Use pnpm\napplies_when: always\n---\nUse pnpm.\n"
FACT = "---\nid: {}\nkind: fact\nstatus: {}\ntitle: {}\n---\nThe staging host is blue.\n"
RECIPE = (
    "---\nid: c-0000001\nkind: recipe\nstatus: active\ntitle: Rotate keys\nhits: 9\n---\n"
    "## Problem\nOld keys.\n## Steps\n1. Rotate.\n"
)
FILES = {
    "playbook/r.md": RULE.format("active"),
    "memories/a.md": FACT.format("f-0000001", "active", "One"),
    "memories/b.md": FACT.format("f-0000002", "active", "Two"),
    "memories/c.md": FACT.format("f-0000003", "active", "Three"),
    "drafts/d.md": FACT.format("f-0000004", "candidate", "Four"),
    "drafts/e.md": FACT.format("f-0000005", "candidate", "五"),
    "recipes/c.md": RECIPE,
}
STEPS: tuple[tuple[str, ...], ...] = (
    ("status",),
    ("list",),
    ("show", "f-0000001"),
    ("brief",),
    ("render", "--receipt"),
    ("render", "--at", "HEAD~1"),
    ("render", "--at", "2027-01-01"),
    ("search", "host"),
    ("search", "host", "--known-at", "HEAD~1"),
    ("list", "--known-at", "HEAD", "--view", "belief"),
    ("show", "f-0000001", "--known-at", "HEAD~1"),
    ("log",),
    ("log", "f-0000001"),
    ("diff", "HEAD~1"),
    ("why", "f-0000001"),
    ("bisect", "start", "HEAD", "HEAD~1"),
    ("bisect", "good"),
    ("bisect", "reset"),
    ("stats",),
    ("mark", "f-0000001", "--helpful"),
    ("anchor", "f-0000001", "note.md"),
    ("check",),
    ("add", "fact", "--title", "New", "--body", "The new host is green."),
    ("adopt", "note.md"),
    ("edit", "f-0000004", "--set", "importance=7"),
    ("approve", "f-0000004", "--yes"),
    ("reject", "f-0000005", "--reason", "wrong", "--yes"),
    ("revise", "f-0000001", "--body", "The staging host is red."),
    ("deprecate", "f-0000002", "--reason", "old", "--yes"),
    ("audit",),
    ("eval", "add", "why", "--expect", "c-0000001"),
    ("eval", "run"),
    ("eval", "run", "--baseline", "--yes"),
    ("eval", "export"),
    ("used", "c-0000001", "--ok", "--yes"),
    ("persona", "propose", "边界：先问。"),
    ("persona", "approve", "--yes"),
    ("persona", "set", "Anything goes.", "--unlock", "--yes"),
    ("persona", "set", "--user", "Root.", "--yes"),
    ("graduate", "--propose"),
    ("graduate", "--list"),
    ("graduate", "c-0000001", "--name", "rotate-keys", "--yes"),
    ("demote", "c-0000001", "--reason", "again", "--yes"),
    ("verify", "f-0000003", "-e", "session-event:session=7f3a,start=1,end=2", "--yes"),
    ("topic", "list"),
    ("guard", "list"),
    ("guard", "compile"),
    ("guard", "add", "--title", "npx needs a network", "--match", "npx tsc"),
    ("guard", "propose"),
    ("promote", "f-0000003", "--to", "project:x", "--yes"),
    ("conflict", "f-0000001", "f-0000003", "--type", "goal", "--yes"),
    ("merge", "f-0000003", "f-0000001", "--yes"),
    ("review",),
    ("dispute", "f-0000003", "--reason", "no longer sure"),
    ("resolve", "f-0000003", "--reason", "looked it up", "--yes"),
    ("supersede", "f-0000003", "--title", "Sechs", "--body", "The staging host is grey."),
    ("forget", "f-0000005", "--reason-code", "incorrect", "--yes"),
    ("revive", "f-0000002", "--reason", "true again", "--yes"),
    ("quarantine", "list"),
    ("capture", "sessions", "."),
    ("sessions", "search", "staging"),
    ("reflect", "prepare", "--record", "f-0000001"),
    ("reflect", "abandon", "--reason", "only a trial"),
    ("distill", "prepare"),
    ("check", "--fix", "--yes"),
    ("check", "--trust"),
    ("check", "--conflicts"),
    ("search", "staging"),
    ("task", "start", "Look at the hosts", "--session", "s"),
    ("task", "list"),
    ("task", "end", "--status", "succeeded", "--cited", "f-0000001"),
    ("ticket", "add", "换主机", "--depends", "f-0000001"),
    ("ticket", "due"),
    ("handoff", "Hosts are done."),
    ("handoff",),
    ("undo", "--yes"),
    ("sync", "--yes"),
    ("purge", "f-0000005"),
    ("team", "add", "x", ".", "--yes"),
    ("team", "list"),
    ("config", "set", "render.budget", "8000", "--yes"),
    ("trust",),
    ("mcp", "--json"),
    ("install", "codex", "--project", "--yes"),
    ("uninstall", "codex", "--project", "--yes"),
    ("import", "markdown", "note.md"),
    ("audit-store", "memories"),
    ("export", "json", "-"),
    ("init", "--dry-run"),
    ("hook", "claude-code", "session-start"),
)


def test_every_command_takes_part() -> None:
    assert {step[0] for step in STEPS} == set(COMMANDS)


@pytest.mark.parametrize("group", GROUPS)
def test_no_command_starts_a_planted_program(
    group: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = make_vault(tmp_path, FILES, name="work")
    (root / "memories/a.md").write_text(FACT.format("f-0000001", "active", "Eins"))
    commit_all(root, "second")
    scene = received(root, tmp_path)
    monkeypatch.setenv("PATH", os.environ["PATH"])
    monkeypatch.setenv("MVAULT_STATE_DIR", str(tmp_path / "another-machine"))
    for trick in GROUPS[group]:
        TRICKS[trick](scene)
    (root / "note.md").write_text("# A note\n\nWritten by hand.\n")
    (root / "memories/b.md").write_text(FACT.format("f-0000002", "active", "Zwei"))

    for step in STEPS:
        result = run(*step, cwd=root)

        assert result.code in {0, 1, 2, 3, 4, 5, 6, 7}, (step, result.text)
        assert "Traceback" not in result.text
        assert not scene.canary.exists(), (step, scene.canary.read_text())
        assert not (root / "canary").exists(), step


PROOF: tuple[tuple[str, ...], ...] = (
    ("check", "--trust"),
    ("render",),
    ("status",),
    ("review", "--incoming"),
)


@pytest.mark.parametrize("group", GROUPS)
def test_looking_for_proof_starts_none_either(
    group: str, tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = make_vault(tmp_path, FILES, name="work")
    if which("ssh-keygen"):  # a signature, so that there is something to check
        key = home / "key"
        args = ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(key)]
        subprocess.run(args, check=True)
        (root / "memories/a.md").write_text(FACT.format("f-0000001", "active", "Eins"))
        git(root, "add", "-A")
        sign = ("-c", "gpg.format=ssh", "-c", f"user.signingkey={key}.pub")
        git(root, *sign, "commit", "-q", "-S", "-m", "signed")
    scene = received(root, tmp_path)
    monkeypatch.setenv("PATH", os.environ["PATH"])
    monkeypatch.setenv("MVAULT_STATE_DIR", str(tmp_path / "another-machine"))
    with (home / "mvault.toml").open("a") as file:
        file.write('require_signed = true\nincoming = "signed"\nuncommitted = "committed"\n')
    for trick in GROUPS[group]:
        TRICKS[trick](scene)
    for step in PROOF:
        result = run(*step, cwd=root)
        assert result.code in {0, 1, 2, 3, 4, 5, 6, 7}, (step, result.text)
        assert "Traceback" not in result.text
        assert not scene.canary.exists(), (step, scene.canary.read_text())


def received(root: Path, base: Path) -> Scene:
    """The scene of the tricks, around a vault that is there already."""
    scene = Scene.__new__(Scene)
    scene.work = root
    scene.canary = base / "canary"
    scene.script = base / "evil.sh"
    scene.script.write_text(f'#!/bin/sh\necho "$0 $@" >> "{scene.canary}"\ncat 2>/dev/null\n')
    scene.script.chmod(0o755)
    return scene
