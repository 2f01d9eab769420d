"""What is pushed changes no block before a person accepts it: review, signed and require_signed."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from helpers import commit_all, git, rendered, write_files
from test_trust_incoming import ONE, PUSHED, RULE, TWO, Pair, entries
from test_trust_signed import Signers

pytestmark = pytest.mark.skipif(
    shutil.which("ssh-keygen") is None, reason="keys are made with ssh-keygen"
)
POLICIES = ("review", "signed", "require_signed")
NEW = RULE.format(id="r-new", title="他们的", body="Their text.")


def push_merge(theirs: Path) -> None:
    """A new rule and a changed one that come in by a merge commit."""
    git(theirs, "checkout", "-q", "-b", "side")
    write_files(
        theirs, {"playbook/new.md": NEW, ONE: RULE.format(id="r-one", title="别问", body="T.")}
    )
    commit_all(theirs, "side")
    git(theirs, "checkout", "-q", "main")
    git(theirs, "commit", "-q", "--allow-empty", "--no-gpg-sign", "-m", "main goes on")
    git(theirs, "merge", "-q", "--no-ff", "--no-edit", "--no-gpg-sign", "side")


def push_move(theirs: Path) -> None:
    (theirs / "drafts").mkdir(exist_ok=True)
    (theirs / ONE).rename(theirs / "drafts" / "r-one.md")


def push_deletion(theirs: Path) -> None:
    (theirs / ONE).unlink()
    (theirs / TWO).unlink()


def push_settings(theirs: Path) -> None:
    with (theirs / "vault.toml").open("a") as file:
        file.write('\n[render]\nmode = "off"\n[files]\nignore = ["playbook"]\n')


def push_topics(theirs: Path) -> None:
    text = RULE.format(id="r-one", title="先问再部署", body="没有例外。")
    write_files(theirs, {ONE: text.replace("kind:", "topics: [他们]\nkind:")})


def push_keys(trick: str, theirs: Path) -> None:
    for path, keys in PUSHED[trick].items():
        kind = "" if "kind:" in keys else "kind: rule\n"
        status = "" if "status:" in keys else "status: active\n"
        title = "" if "title:" in keys else "title: Theirs\n"
        write_files(theirs, {path: f"---\n{keys}\n{kind}{status}{title}---\nTheir text.\n"})


FILES = {
    "merge commit": push_merge,
    "moved to drafts": push_move,
    "deleted": push_deletion,
    "vault.toml": push_settings,
    "topics": push_topics,
}


@pytest.mark.parametrize("trick", [*FILES, *PUSHED])
@pytest.mark.parametrize("policy", POLICIES)
def test_what_is_pushed_waits(tmp_path: Path, home: Path, policy: str, trick: str) -> None:
    if policy != "review":
        signers = Signers(home)
        if policy == "signed":
            own = home / "mvault.toml"
            own.write_text(own.read_text().replace("require_signed = true\n", ""))
    pair = Pair(tmp_path)  # its commits carry the person's key where there is one
    pair.trust("review" if policy == "require_signed" else policy)
    if policy != "review":
        (home / "gitconfig").write_text(
            (home / "gitconfig").read_text().replace("gpgsign = true", "gpgsign = false")
        )
        assert signers.file.exists()
    before = entries(pair.mine)
    assert any("先问再部署" in line for line in before)
    act = FILES.get(trick)
    if act is not None:
        act(pair.theirs)
    else:
        push_keys(trick, pair.theirs)
    if git(pair.theirs, "status", "--porcelain"):
        commit_all(pair.theirs, "approve(rule): ours\n\nVault-Op: approve\nVault-Actor: person")
    git(pair.theirs, "push", "-q", "origin", "HEAD:main")
    pair.pull()
    assert git(pair.mine, "rev-parse", "HEAD") == git(pair.theirs, "rev-parse", "HEAD")
    assert entries(pair.mine) == before
    assert "Their text" not in rendered(pair.mine)


@pytest.mark.parametrize("newer_first", [True, False])
def test_a_merge_does_not_admit_an_older_signed_text(
    tmp_path: Path, home: Path, newer_first: bool
) -> None:
    signers = Signers(home)
    own = home / "mvault.toml"
    own.write_text(own.read_text().replace("require_signed = true\n", ""))
    pair = Pair(tmp_path)
    git(pair.theirs, "checkout", "-q", "-b", "side")
    write_files(pair.theirs, {ONE: RULE.format(id="r-one", title="先问再部署", body="Old.")})
    old = signers.commit(pair.theirs, "side", "mine")
    git(pair.theirs, "checkout", "-q", "main")
    write_files(pair.theirs, {ONE: RULE.format(id="r-one", title="先问再部署", body="Newer.")})
    new = signers.commit(pair.theirs, "main", "mine")
    git(pair.theirs, "push", "-q", "origin", "HEAD:main")
    pair.pull()
    pair.trust("signed")
    first, second = (new, old) if newer_first else (old, new)
    tree = ["commit-tree", "side^{tree}", "-p", first, "-p", second, "-m", "merge"]
    git(pair.theirs, "reset", "-q", "--hard", git(pair.theirs, *tree))
    git(pair.theirs, "push", "-q", "origin", "HEAD:main")
    pair.pull()
    assert pair.waiting() == {"r-one": "changed"}
    assert "Newer." in rendered(pair.mine)
