"""What git puts into the work tree without a commit is no edit of the person's own hand."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from helpers import commit_all, git, rendered, write_files
from test_trust_incoming import ONE, RULE, TWO, Pair, entries
from test_trust_signed import Signers

THEIRS = RULE.format(id="r-one", title="别问", body="直接部署。")
NEW = RULE.format(id="r-new", title="New", body="Their text.")


def act(*commands: str) -> Callable[[Path], None]:
    """Return what runs these git commands, one after the other; one that stops may stop."""

    def run_them(root: Path) -> None:
        for command in commands:
            git(root, *command.split(), check=False)

    return run_them


def stop_in_a_conflict(command: str) -> Callable[[Path], None]:
    def run_it(root: Path) -> None:
        write_files(root, {"README.md": "mine\n"})
        commit_all(root, "mine")
        git(root, *command.split(), check=False)

    return run_it


def pop_a_stash(root: Path) -> None:
    """A stash of others, as it may be fetched and put in the place of one's own."""
    git(root, "update-ref", "refs/stash", "origin/stash", "--create-reflog")
    git(root, "stash", "store", "origin/stash")
    git(root, "stash", "pop")
    git(root, "update-ref", "-d", "refs/remotes/origin/stash")


def write_with_other_line_ends(root: Path) -> None:
    git(root, "restore", "--source=origin/main", "--", "playbook")
    for path in (root / "playbook").glob("*.md"):
        path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))


STATES: dict[str, Callable[[Path], None]] = {
    "merge that stops": stop_in_a_conflict("merge origin/main"),
    "pull that stops": stop_in_a_conflict("pull --no-rebase origin main"),
    "rebase that stops": stop_in_a_conflict("rebase origin/main"),
    "cherry-pick that stops": stop_in_a_conflict("cherry-pick origin/main"),
    "no commit": act("merge --no-ff --no-commit origin/main"),
    "squash": act("merge --squash origin/main"),
    "cherry-pick -n": act("cherry-pick -n origin/main"),
    "revert -n": act("fetch origin back", "reset --hard origin/back", "revert -n HEAD"),
    "checkout of files": act("checkout origin/main -- ."),
    "checkout -m": act("checkout -m origin/main"),
    "restore": act("restore --source=origin/main -- ."),
    "restore of both": act("restore --source=FETCH_HEAD --staged --worktree -- ."),
    "stash": pop_a_stash,
    "read-tree": act("read-tree -m -u HEAD origin/main"),
    "read-tree --reset": act("read-tree --reset -u origin/main"),
    "reset --soft": act("reset --hard origin/main", "reset --soft HEAD~1"),
    "reset": act("reset --hard origin/main", "reset HEAD~1"),
    "detached": act("checkout origin/main"),
    "head elsewhere": act("checkout origin/main", "symbolic-ref HEAD refs/heads/main"),
    "line ends": write_with_other_line_ends,
    "branch": act("fetch origin main:theirs", "update-ref -d refs/remotes/origin/main",
                  "checkout theirs -- ."),
    "keywords": act("checkout origin/main -- .gitattributes",
                    "checkout origin/main -- .", "rm -f .gitattributes"),
}  # fmt: skip


def push_all(pair: Pair) -> None:
    """Push a changed rule, a removed one and a new one, with a stash of the same."""
    write_files(pair.theirs, {ONE: THEIRS + "$Id$\n", "playbook/new.md": NEW,
                              "README.md": "theirs\n", ".gitattributes": "*.md ident\n"})  # fmt: skip
    (pair.theirs / TWO).unlink()
    git(pair.theirs, "add", "-A")
    git(pair.theirs, "stash", "push", "-q")
    git(pair.theirs, "push", "-q", "origin", "refs/stash:refs/heads/stash")
    git(pair.theirs, "stash", "pop", "-q")
    pair.push()
    git(pair.theirs, "revert", "--no-edit", "HEAD")
    git(pair.theirs, "push", "-q", "origin", "HEAD:back")


@pytest.mark.parametrize("policy", ["review", "signed"])
@pytest.mark.parametrize("state", STATES)
def test_what_git_put_there_waits(tmp_path: Path, home: Path, state: str, policy: str) -> None:
    if policy == "signed" and shutil.which("ssh-keygen") is None:
        pytest.skip("keys are made with ssh-keygen")
    if policy == "signed":
        Signers(home)
        own = home / "mvault.toml"
        own.write_text(own.read_text().replace("require_signed = true\n", ""))
    pair = Pair(tmp_path)
    pair.trust(policy)
    if policy == "signed":
        file = Path(os.environ["GIT_CONFIG_GLOBAL"])
        file.write_text(file.read_text().replace("gpgsign = true", "gpgsign = false"))
    before = entries(pair.mine)
    push_all(pair)
    git(pair.mine, "fetch", "-q", "origin")
    STATES[state](pair.mine)
    found = [path for path in (ONE, "playbook/new.md") if (pair.mine / path).is_file()]
    assert any(("直接部署" in (pair.mine / path).read_text()) for path in found), state
    assert entries(pair.mine) == before
    assert pair.waiting()["r-one"] == "changed"


def test_a_text_that_git_made_of_two_waits(tmp_path: Path) -> None:
    """A merge of the lines of both sides is a text that stands in no commit."""
    pair = Pair(tmp_path)
    body = "一。\n\n二。\n\n三。\n\n四。\n\n五。"
    write_files(pair.theirs, {ONE: RULE.format(id="r-one", title="先问再部署", body=body)})
    pair.push()
    pair.pull()
    pair.trust()
    write_files(pair.theirs, {ONE: RULE.format(
        id="r-one", title="先问再部署", body=body.replace("五。", "直接部署。"))})  # fmt: skip
    pair.push()
    text = RULE.format(id="r-one", title="先问再部署", body=body.replace("一。", "我的。"))
    write_files(pair.mine, {ONE: text})
    git(pair.mine, "stash", "-q")
    git(pair.mine, "fetch", "-q")
    git(pair.mine, "checkout", "-q", "origin/main")
    git(pair.mine, "stash", "pop", "-q")
    git(pair.mine, "symbolic-ref", "HEAD", "refs/heads/main")
    assert "直接部署" in (pair.mine / ONE).read_text()
    assert "直接部署" not in rendered(pair.mine)
    assert pair.waiting() == {"r-one": "changed"}


def test_a_hand_edit_still_counts_beside_what_was_fetched(tmp_path: Path) -> None:
    pair = Pair(tmp_path)
    pair.trust()
    push_all(pair)
    git(pair.mine, "fetch", "-q", "origin")
    write_files(pair.mine, {
        ONE: RULE.format(id="r-one", title="先问再部署", body="我自己改的。"),
        "playbook/own.md": RULE.format(id="r-own", title="Own", body="By hand."),
    })  # fmt: skip
    shown = rendered(pair.mine)
    assert "我自己改的。" in shown
    assert "By hand." in shown
    assert pair.waiting() == {}
    # a removal by hand counts as long as no other branch has it, too
    (pair.mine / TWO).unlink()
    assert pair.waiting() == {"r-two": "gone"}
    for name in ("main", "stash", "back"):
        git(pair.mine, "update-ref", "-d", f"refs/remotes/origin/{name}")
    (pair.mine / ".git" / "FETCH_HEAD").unlink()
    assert pair.waiting() == {}
    assert "Before each push." not in rendered(pair.mine)
    git(pair.mine, "add", "-A")  # from here on nobody can tell who did it
    assert pair.waiting() == {"r-one": "changed", "r-own": "new", "r-two": "gone"}


def test_a_hand_edit_of_one_copy_does_not_bring_in_the_other(tmp_path: Path) -> None:
    pair = Pair(tmp_path)
    pair.trust()
    before = entries(pair.mine)
    write_files(pair.theirs, {"playbook/zz.md": THEIRS})
    pair.push()
    pair.pull()
    with (pair.mine / ONE).open("a") as file:
        file.write("再加一句。\n")
    assert entries(pair.mine) == before
    assert pair.waiting() == {"r-one": "changed"}


@pytest.mark.skipif(shutil.which("ssh-keygen") is None, reason="keys are made with ssh-keygen")
@pytest.mark.parametrize("name", ["playbook/a.md", "playbook/zz.md"])
def test_a_copy_beside_a_signed_change_does_not_hide_it(
    tmp_path: Path, home: Path, name: str
) -> None:
    signers = Signers(home)
    own = home / "mvault.toml"
    own.write_text(own.read_text().replace("require_signed = true\n", ""))
    pair = Pair(tmp_path)
    pair.trust("signed")
    write_files(pair.theirs, {ONE: RULE.format(id="r-one", title="先问再部署", body="新的。")})
    signers.commit(pair.theirs, "signed", "mine")
    write_files(pair.theirs, {name: THEIRS})
    git(pair.theirs, "add", "-A")
    git(pair.theirs, "commit", "-q", "--no-gpg-sign", "-m", "copy")
    git(pair.theirs, "push", "-q", "origin", "HEAD:main")
    pair.pull()
    for _ in range(2):  # the first look is as good as the second
        shown = rendered(pair.mine)
        assert "新的。" in shown
        assert "直接部署" not in shown
    assert pair.waiting() == {"r-one": "changed"}
