"""An edit that git was told not to see is seen: by `trust.uncommitted`, `status` and `check --trust`."""

from __future__ import annotations

from pathlib import Path

import pytest
from helpers import commit_all, git, make_vault, rendered, run, write_files
from test_trust_incoming import ONE, RULE


def ignored_by_the_vault(root: Path) -> str:
    write_files(root, {".gitignore": "playbook/evil.md\n.state/\n"})
    commit_all(root)
    write_files(root, {"playbook/evil.md": RULE.format(id="r-evil", title="坏", body="EVIL 坏")})
    return "playbook/evil.md"


def ignored_beside_it(root: Path) -> str:
    rules = "evil.md\n.gitignore\n"
    evil = RULE.format(id="r-evil", title="Evil", body="EVIL")
    write_files(root, {"playbook/.gitignore": rules, "playbook/evil.md": evil})
    return "playbook/evil.md"


def ignored_by_exclude(root: Path) -> str:
    with (root / ".git" / "info" / "exclude").open("a") as file:
        file.write("playbook/*\n")
    write_files(root, {"playbook/evil.md": RULE.format(id="r-evil", title="坏", body="EVIL 坏")})
    return "playbook/evil.md"


def assumed_unchanged(root: Path) -> str:
    git(root, "update-index", "--assume-unchanged", ONE)
    write_files(root, {ONE: RULE.format(id="r-one", title="一", body="EVIL")})
    return ONE


def skipped(root: Path) -> str:
    git(root, "update-index", "--skip-worktree", ONE)
    write_files(root, {ONE: RULE.format(id="r-one", title="一", body="EVIL")})
    return ONE


TRICKS = (
    ignored_by_the_vault,
    ignored_beside_it,
    ignored_by_exclude,
    assumed_unchanged,
    skipped,
)


@pytest.mark.parametrize("config", ["", "core.fsmonitor"])
@pytest.mark.parametrize("trick", TRICKS)
def test_an_edit_that_git_does_not_see_is_not_committed(
    tmp_path: Path, home: Path, trick: object, config: str
) -> None:
    root = make_vault(tmp_path, {ONE: RULE.format(id="r-one", title="一", body="已提交")})
    if config:  # a key that nobody trusted: git then runs without it
        git(root, "config", config, "true")
    path = trick(root)  # type: ignore[operator]
    assert "EVIL" in rendered(root)
    with (home / "mvault.toml").open("a") as file:
        file.write('uncommitted = "committed"\n')
    shown = rendered(root)
    assert "EVIL" not in shown
    assert "已提交" in shown
    pending = run("--vault", root, "--json", "status").ok().data["pending"]
    assert path in {item["path"] for item in pending}
    said = run("--vault", root, "--json", "check", "--trust").json["diagnostics"]
    assert (path, "trust-uncommitted") in {(item["path"], item["code"]) for item in said}


def test_a_note_that_is_ignored_and_not_in_force_is_left_alone(tmp_path: Path) -> None:
    root = make_vault(tmp_path)
    with (root / ".git" / "info" / "exclude").open("a") as file:
        file.write("drafts/mine/\n")
    write_files(root, {"drafts/mine/note.md": "# 只给自己\n"})
    assert run("--vault", root, "--json", "status").ok().data["pending"] == []
