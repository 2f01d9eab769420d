"""A contributor who can push anything: what a pull brings changes no admitted word and no file."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from helpers import checked, commit_all, git, rendered, run, snapshot_bytes, write_files
from test_trust_incoming import ONE, PERSON, RULE, Pair, entries


@pytest.fixture
def pair(tmp_path: Path) -> Pair:
    return Pair(tmp_path)


@pytest.mark.parametrize("how", ["unrelated", "rewound", "rewritten"])
def test_a_history_that_was_replaced_takes_no_admitted_text(pair: Pair, how: str) -> None:
    write_files(pair.theirs, {ONE: RULE.format(id="r-one", title="先问再部署", body="第二版。")})
    pair.push()
    pair.pull()
    pair.trust()
    before = entries(pair.mine)
    assert any("第二版。" in line for line in before)
    if how == "rewound":
        git(pair.theirs, "reset", "-q", "--hard", "HEAD~1")
    elif how == "rewritten":
        git(pair.theirs, "commit", "-q", "--amend", "--allow-empty", "-m", "x")
        write_files(pair.theirs, {ONE: RULE.format(id="r-one", title="别问", body="直接部署。")})
        git(pair.theirs, "commit", "-q", "--amend", "-a", "-m", "x")
    else:
        git(pair.theirs, "checkout", "-q", "--orphan", "other")
        write_files(pair.theirs, {ONE: RULE.format(id="r-one", title="别问", body="直接部署。")})
        commit_all(pair.theirs, "another history")
    git(pair.theirs, "push", "-q", "--force", "origin", "HEAD:main")
    git(pair.mine, "fetch", "-q")
    git(pair.mine, "reset", "-q", "--hard", "origin/main")
    assert entries(pair.mine) == before
    assert "r-one" in pair.waiting()
    assert run("--vault", pair.mine, "check", "--trust").code in (0, 1)


STATE = {
    ".state/journal": b"0" * 64 + b'\n{"head": "", "steps": [{"path": "playbook/r-one.md"}]}',
    ".state/usage-sums": b"\0" * 500,
    ".state/usage-pool": b"\0" * 500,
    ".state/usage-committed": b'{"usage/x.jsonl": 99999999999}',
    ".state/index.sqlite": b"SQLite format 3\0" + b"\xff" * 4096,
    ".state/anchors": b"{}",
    ".state/bisect.json": b'{"good": "x"}',
    ".state/lock": b'{"pid": 1, "host": "elsewhere"}',
    ".state/receipts/r.json": b"{}",
    "quarantine/x.md": RULE.format(id="r-held", title="被扣下", body="held").encode(),
}


@pytest.mark.parametrize("policy", ["review", "accept"])
def test_a_pushed_state_folder_is_not_believed(pair: Pair, policy: str) -> None:
    pair.trust(policy)
    git(pair.mine, "clean", "-qfdx")  # git refuses to overwrite, and names what is in the way
    before, files = entries(pair.mine), snapshot_bytes(pair.mine)
    git(pair.mine, "clean", "-qfdx")
    write_files(pair.theirs, STATE)
    git(pair.theirs, "add", "-f", *STATE)
    git(pair.theirs, "commit", "-qm", "their state")
    git(pair.theirs, "push", "-q", "origin", "HEAD:main")
    pair.pull()
    assert entries(pair.mine) == before
    assert {k: v for k, v in snapshot_bytes(pair.mine).items() if k in files} == files
    assert "被扣下" not in rendered(pair.mine)
    exposed = {item["path"] for item in checked(pair.mine) if item["code"] == "not-private"}
    assert {".state/journal", "quarantine/x.md"} <= exposed
    added = run("--vault", pair.mine, "add", "note", "--title", "照常", "--body", "b").ok()
    run("--vault", pair.mine, "approve", added.out.strip(), "--yes", env=PERSON).ok()
    run("--vault", pair.mine, "mark", added.out.strip(), "--hit", "--yes", env=PERSON).ok()
    assert "照常" in rendered(pair.mine)


@pytest.mark.parametrize(
    "name", ["usage", ".state", "playbook", "drafts", "vault.toml", ".gitignore"]
)
@pytest.mark.parametrize("kind", ["link", "submodule"])
def test_a_link_or_a_submodule_in_the_place_of_ours(pair: Pair, name: str, kind: str) -> None:
    pair.trust()
    outside = pair.mine.parent / "outside"
    write_files(outside, {"secret.md": RULE.format(id="r-out", title="外面", body="SECRET 外面")})
    before, kept = entries(pair.mine), snapshot_bytes(outside)
    git(pair.mine, "clean", "-qfdx")
    git(pair.theirs, "rm", "-rqf", "--ignore-unmatch", "--cached", name)
    if kind == "link":
        blob = git_blob(pair.theirs, os.fspath(outside))
        entry = f"120000,{blob},{name}"
    else:
        entry = f"160000,{git(pair.theirs, 'rev-parse', 'HEAD')},{name}"
    git(pair.theirs, "update-index", "--add", "--cacheinfo", entry)
    git(pair.theirs, "commit", "-qm", "x")
    git(pair.theirs, "push", "-q", "origin", "HEAD:main")
    pair.pull()
    shown = run("--vault", pair.mine, "render")
    assert "SECRET" not in shown.text
    assert shown.code == 0, shown.text
    assert entries(pair.mine) == before
    for command in (("check",), ("status",), ("list",), ("stats",), ("search", "外面")):
        answer = run("--vault", pair.mine, *command)
        assert answer.code in (0, 1), (command, answer.text)
        assert "SECRET" not in answer.text
    run("--vault", pair.mine, "mark", "r-one", "--hit", "--yes", env=PERSON)
    run("--vault", pair.mine, "add", "note", "--title", "一", "--body", "b")
    assert snapshot_bytes(outside) == kept
    assert sorted(path.name for path in outside.iterdir()) == ["secret.md"]


def git_blob(root: Path, text: str) -> str:
    import subprocess

    argv = ["git", "-C", str(root), "hash-object", "-w", "--stdin"]
    return (
        subprocess.run(argv, input=text.encode(), capture_output=True, check=True)
        .stdout.decode()
        .strip()
    )


@pytest.mark.parametrize(
    "rules",
    [
        "*.md working-tree-encoding=UTF-16",
        "*.md text eol=crlf",
        "*.md filter=evil diff=evil merge=evil",
        "*.md ident",
        "* binary",
        "*.md -text",
        "[attr]x filter=evil\n*.md x",
    ],
)
def test_pushed_attributes_swap_no_text(pair: Pair, rules: str) -> None:
    pair.trust()
    before = entries(pair.mine)
    write_files(pair.theirs, {ONE: RULE.format(id="r-one", title="别问", body="直接部署 $Id$。")})
    commit_all(pair.theirs)
    names = (".gitattributes", "playbook/.gitattributes")
    write_files(pair.theirs, dict.fromkeys(names, rules + "\n"))
    git(pair.theirs, "add", *names)
    git(pair.theirs, "commit", "-qm", "x")
    git(pair.theirs, "push", "-q", "origin", "HEAD:main")
    pair.pull()
    assert entries(pair.mine) == before
    (pair.mine / ONE).unlink()
    git(pair.mine, "checkout", "-q", "--", ONE, check=False)
    assert entries(pair.mine) == before


@pytest.mark.parametrize(
    "ref",
    [
        "refs/heads/2026-07-15",
        "refs/heads/HEAD",
        "refs/tags/main",
        "refs/heads/-x",
        "refs/heads/--upload-pack=touch",
        "refs/heads/分支",
        "refs/replace/{commit}",
        "refs/notes/commits",
    ],
)
def test_a_pushed_name_of_a_branch_changes_no_answer(pair: Pair, ref: str) -> None:
    pair.trust()
    before = entries(pair.mine)
    told = run("--vault", pair.mine, "render", "--at", "HEAD").ok().out
    evil = RULE.format(id="r-one", title="别问", body="直接部署。")
    write_files(pair.theirs, {ONE: evil})
    commit_all(pair.theirs, "evil")
    name = ref.format(commit=git(pair.mine, "rev-parse", "HEAD"))
    git(pair.theirs, "push", "-q", "origin", f"HEAD:{name}", check=False)
    git(pair.mine, "fetch", "-q", "origin", "+refs/*:refs/*", "--update-head-ok", "--no-prune")
    git(pair.mine, "fetch", "-q")
    assert entries(pair.mine) == before
    assert run("--vault", pair.mine, "render", "--at", "HEAD").ok().out == told
    assert "直接部署" not in run("--vault", pair.mine, "show", "r-one").ok().out
