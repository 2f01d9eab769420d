"""`check --ci`: what keeps a branch from being merged, and how a build service is told."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from helpers import PROJECT, Result, commit_all, git, make_vault, run, write_files
from secret_samples import SECRETS, Source
from sync_helpers import note, share


@pytest.fixture
def root(tmp_path: Path) -> Path:
    place = make_vault(
        tmp_path,
        {
            "memories/x.md": note("f-0000001"),
            "drafts/d.md": note("f-0000002", "Draft 草稿", status="candidate"),
        },
    )
    git(place, "branch", "base")
    return place


def ci(root: Path, *argv: str, env: dict[str, str] | None = None) -> Result:
    return run("--vault", root, "--json", "check", "--ci", "--base", "base", *argv, env=env)


def codes(done: Result) -> set[str]:
    return {item["code"] for item in done.json["diagnostics"]}


def test_a_clean_branch(root: Path) -> None:
    write_files(root, {"memories/y.md": note("f-0000003", "新的", status="active")})
    commit_all(root)
    done = ci(root)
    assert done.code == 0, done
    assert done.data["problems"] == 0


def test_a_status_nobody_may_give(root: Path) -> None:
    write_files(root, {"memories/x.md": note("f-0000001", status="verified")})
    commit_all(root)
    done = ci(root)
    assert done.code == 1
    assert any(item["severity"] == "error" for item in done.json["diagnostics"])


def test_a_secret_that_was_taken_out_again(root: Path) -> None:
    secret = SECRETS["github oauth"](Source(1))
    text = note("f-0000004", body=f"token = {secret}\n", status="candidate")
    write_files(root, {"drafts/s.md": text})
    commit_all(root)
    write_files(root, {"drafts/s.md": note("f-0000004", body="nothing\n", status="candidate")})
    commit_all(root)
    done = ci(root)
    assert done.code == 1
    assert "secret-in-branch" in codes(done)
    assert secret not in done.text


def test_a_block_that_drifted(root: Path) -> None:
    target = root / "AGENTS.md"
    assert run("--vault", root, "render", "--to", target, cwd=root).code == 0
    commit_all(root)
    assert "block-drift" not in codes(ci(root))
    write_files(root, {"memories/x.md": note("f-0000001", body="Something else. 别的。\n")})
    commit_all(root)
    done = ci(root)
    assert done.code == 1
    assert "block-drift" in codes(done)


RECIPE = """---
id: c-0000007
kind: recipe
status: active
title: Rotate the keys 轮换密钥
applies_when: a key leaked
---
## Problem
A key leaked. 密钥泄露了。
## Steps
1. Make a new one.
2. 撤销旧的。
"""


@pytest.mark.parametrize("changed", ["recipe", "skill"])
def test_a_skill_that_drifted_from_its_recipe(root: Path, changed: str) -> None:
    write_files(root, {"recipes/keys.md": RECIPE})
    commit_all(root)
    argv = (
        "graduate",
        "c-0000007",
        "--name",
        "rotate-keys",
        "--force",
        "--reason",
        "proven",
        "--yes",
    )
    run("--vault", root, *argv, env={"MVAULT_ACTOR": "person"}).ok()
    assert "skill-drift" not in codes(ci(root))
    path = root / ("recipes/keys.md" if changed == "recipe" else "skills/rotate-keys/SKILL.md")
    path.write_text(
        path.read_text("utf-8").replace("2. 撤销旧的。", "2. 撤销所有旧密钥。"), "utf-8"
    )
    commit_all(root)
    done = ci(root)
    assert done.code == 1
    found = [d for d in done.json["diagnostics"] if d["code"] == "skill-drift"]
    assert [d["path"] for d in found] == ["skills/rotate-keys/SKILL.md"]
    assert "c-0000007" in found[0]["hint"]


def test_annotations_of_github(root: Path) -> None:
    write_files(root, {"memories/bad.md": "---\nid: f-0000009\ntitle: a: b: c\n---\nx\n"})
    commit_all(root)
    env = {"GITHUB_ACTIONS": "true"}
    done = run("--vault", root, "check", "--ci", "--base", "base", env=env)
    assert done.code == 1
    line = next(text for text in done.out.splitlines() if "memories/bad.md" in text)
    assert line.startswith("::error file=memories/bad.md,line=")
    assert line.count("::") == 2


def test_a_report_of_gitlab(root: Path) -> None:
    write_files(root, {"memories/bad.md": "---\nid: f-0000009\ntitle: a: b: c\n---\nx\n"})
    commit_all(root)
    done = run("--vault", root, "check", "--ci", "--base", "base", "--annotate", "gitlab")
    assert done.code == 1
    (entry,) = [
        item for item in json.loads(done.out) if item["location"]["path"] == "memories/bad.md"
    ]
    assert entry["severity"] == "blocker"
    assert entry["location"]["lines"]["begin"] >= 1


def test_usage_of_the_options(root: Path) -> None:
    assert run("--vault", root, "check", "--base", "base").code == 2
    assert run("--vault", root, "check", "--ci", "--annotate", "x").code == 2
    assert run("--vault", root, "check", "--ci", "--base", "nothing").code == 6
    done = run("--vault", root, "--json", "check", "--ci")
    assert done.code == 0
    assert "no-base" in codes(done)


@pytest.mark.skipif(os.name == "nt", reason="a shell script")
def test_the_hook_of_a_server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    both = share(tmp_path, {"memories/x.md": note("f-0000001")})
    bin_folder = tmp_path / "bin"
    bin_folder.mkdir()
    program = bin_folder / "mvault"
    program.write_text(f'#!/bin/sh\nPYTHONPATH={PROJECT} exec {sys.executable} -m vault_cli "$@"\n')
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{bin_folder}:{os.environ['PATH']}")
    hook = both.remote / "hooks" / "pre-receive"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text((PROJECT / "templates/ci/pre-receive").read_text())
    hook.chmod(hook.stat().st_mode | stat.S_IXUSR)
    both["a"].write({"memories/y.md": note("f-0000002", "Fine")})
    assert both["a"].sync().code == 0
    # a record nobody can read, pushed with plain git
    both["a"].write({"memories/bad.md": "---\nid: f-0000009\ntitle: [\n---\nx\n"})
    git(both["a"].root, "add", "-A")
    git(both["a"].root, "commit", "-qm", "bad")
    pushed = subprocess.run(
        ["git", "-C", both["a"].root, "push", "-q", "origin", "main"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert pushed.returncode != 0
    assert "memories/bad.md" in pushed.stderr
    git(both["a"].root, "reset", "-q", "--hard", "HEAD~1")
    git(both["a"].root, "commit", "-q", "--amend", "-m", "rewritten")
    pushed = subprocess.run(
        ["git", "-C", both["a"].root, "push", "-qf", "origin", "main"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert "not rewritten" in pushed.stderr
