"""`sync` where only signed texts count: a merge signs nothing that nobody signed before."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from helpers import git
from sync_helpers import Machine, note, share

pytestmark = pytest.mark.skipif(
    shutil.which("ssh-keygen") is None, reason="keys are made with ssh-keygen"
)

X, Y = "memories/x.md", "memories/y.md"
KEY = "f-0000001"
TEXT = "# 部署\n\nOne.\n\n第二。\n\nThree.\n"
FILES = {X: note(KEY, body=TEXT), Y: note("f-0000002", "Y", "Why.\n")}

REQUIRE, INCOMING = "require_signed = true\n", 'incoming = "signed"\n'
POLICIES = pytest.mark.parametrize(
    "policy", [REQUIRE, INCOMING, REQUIRE + INCOMING], ids=["require", "incoming", "both"]
)


class Team:
    """Anna and Ben sign, and know each other's keys; Cleo's git does not sign."""

    def __init__(self, tmp_path: Path, home: Path, policy: str, more: dict[str, str]) -> None:
        keys = []
        for name in "ab":
            args = ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(home / name)]
            subprocess.run(args, check=True)
            keys.append(f"{name}@example.invalid {(home / f'{name}.pub').read_text()}")
        (home / "allowed").write_text("".join(keys))
        plain = (home / "gitconfig").read_text()
        for name in "ab":
            key = f"[gpg]\n\tformat = ssh\n[user]\n\tsigningkey = {home}/{name}.pub\n"
            signing = plain.replace("gpgsign = false", "gpgsign = true") + key
            (home / f"gitconfig-{name}").write_text(signing)
        trust = f'[trust]\napprove_without_terminal = ["person"]\n{policy}'
        config = home / "team.toml"
        config.write_text(f'{trust}allowed_signers = "{home / "allowed"}"\n')
        shared = share(tmp_path, {**FILES, **more}, "abc")
        self.anna, self.ben, self.cleo = (shared[name] for name in "abc")
        for person in (self.anna, self.ben, self.cleo):
            own = home / f"gitconfig-{person.name}"
            person.more = {"GIT_CONFIG_GLOBAL": str(own)} if own.exists() else {}
        for person in (self.anna, self.ben):
            person.more = {**person.more, "MVAULT_CONFIG": str(config)}
            person.run("trust", "--yes").ok()
        # what was there before anybody signed comes under a signature
        self.edit(self.anna, "第二。", "第二条。")
        self.anna.write({Y: note("f-0000002", "Y", "Why not.\n"), **signed_once(more)})
        self.anna.sync()
        for person in (self.ben, self.cleo):
            person.sync()

    def edit(self, person: Machine, old: str, new: str) -> None:
        """Change a word of the record by hand."""
        text = person.read(X)
        assert old in text
        person.write({X: text.replace(old, new)})


def signed_once(files: dict[str, str]) -> dict[str, str]:
    return {path: f"{text}\n" for path, text in files.items()}


def shown(person: Machine) -> str:
    return person.run("render").ok().out


def shown_everywhere(*people: Machine) -> str:
    """Return the block of some people, which must be one."""
    (block,) = {shown(person) for person in people}
    return block


def is_signed(person: Machine, commit: str = "HEAD") -> bool:
    return "gpgsig" in git(person.root, "cat-file", "commit", commit)


def conflict_of(person: Machine) -> str:
    """Return the id of the one conflict record."""
    (path,) = (person.root / "drafts" / "conflicts").glob("*.md")
    return f"f-{path.stem[-7:]}"


@POLICIES
def test_the_merge_of_two_signed_edits_is_signed_and_counts(
    tmp_path: Path, home: Path, policy: str
) -> None:
    team = Team(tmp_path, home, policy, {})
    team.edit(team.ben, "Three.", "第三，本。")
    team.ben.sync()
    team.edit(team.anna, "One.", "One, Anna.")
    assert team.anna.sync().code == 0
    assert is_signed(team.anna)
    assert team.ben.sync().code == 0
    block = shown_everywhere(team.anna, team.ben)
    assert "One, Anna." in block
    assert "第三，本。" in block


@POLICIES
@pytest.mark.parametrize("line", ["Three.", "One."], ids=["elsewhere", "same line"])
def test_a_merge_signs_nothing_that_was_not_signed(
    tmp_path: Path, home: Path, policy: str, line: str
) -> None:
    team = Team(tmp_path, home, policy, {})
    team.edit(team.cleo, line, "By Cleo. 由她所写。")
    team.cleo.sync()
    team.edit(team.anna, "One.", "One, Anna.")
    merged = team.anna.sync()
    assert merged.code == 1
    assert "changed by c on " in merged.out
    assert "without a signature that counts here" in merged.out
    assert is_signed(team.anna)
    team.ben.sync()
    block = shown_everywhere(team.anna, team.ben)
    assert "Cleo" not in block
    assert "One, Anna." in block
    # a person takes what both say, and signs it
    key = conflict_of(team.ben)
    assert f"mvault resolve {key} --reason" in merged.err
    team.ben.run("resolve", key, "--reason", "好", "--yes").ok()
    team.ben.sync()
    team.anna.sync()
    block = shown_everywhere(team.anna, team.ben)
    assert "By Cleo. 由她所写。" in block
    assert ("One, Anna." in block) == (line == "Three.")


@POLICIES
def test_the_hint_for_keeping_what_stands_there_works(
    tmp_path: Path, home: Path, policy: str
) -> None:
    team = Team(tmp_path, home, policy, {})
    team.edit(team.cleo, "Three.", "Three, Cleo.")
    team.cleo.sync()
    team.edit(team.anna, "One.", "One, Anna.")
    hint = team.anna.sync().err.split("To keep what stands there: mvault ")[1].splitlines()[0]
    team.anna.run(*hint.replace("TEXT", "nein").split(), "--yes").ok()
    assert "One, Anna." in shown(team.anna)
    assert not list((team.anna.root / "drafts" / "conflicts").glob("*.md"))
    assert team.anna.sync().code == 0


@POLICIES
def test_two_unsigned_texts_are_not_joined_by_a_signature(
    tmp_path: Path, home: Path, policy: str
) -> None:
    team = Team(tmp_path, home, policy, {})
    team.edit(team.cleo, "Three.", "Three, Cleo.")
    team.cleo.run("sync", "--no-push", "--yes").ok()
    git(team.cleo.root, "push", "-q", "origin", "HEAD:refs/heads/side")
    git(team.anna.root, "pull", "-q", "--ff-only", "origin", "side")
    git(team.cleo.root, "reset", "-q", "--hard", "HEAD~1")
    team.edit(team.cleo, "One.", "One, Cleo.")
    team.cleo.sync()
    before = shown(team.anna)
    assert team.anna.sync().code == 1
    assert is_signed(team.anna)
    team.ben.sync()
    for person in (team.anna, team.ben):
        assert "Cleo" not in shown(person)
    assert shown(team.anna) == before


@POLICIES
def test_an_unsigned_deletion_takes_no_signed_edit_away(
    tmp_path: Path, home: Path, policy: str
) -> None:
    team = Team(tmp_path, home, policy, {})
    (team.cleo.root / X).unlink()
    team.cleo.sync()
    team.edit(team.anna, "One.", "One, Anna.")
    merged = team.anna.sync()
    assert merged.code == 1
    assert "deleted by c on " in merged.out
    team.ben.sync()
    assert "One, Anna." in shown_everywhere(team.anna, team.ben)


@POLICIES
def test_an_unsigned_text_that_is_no_record_takes_no_signed_one_out(
    tmp_path: Path, home: Path, policy: str
) -> None:
    team = Team(tmp_path, home, policy, {})
    team.edit(team.cleo, "kind: fact", "kind: fact\nkind: [rule")
    git(team.cleo.root, "commit", "-qam", "坏了")
    team.cleo.sync()
    team.edit(team.anna, "One.", "One, Anna.")
    assert team.anna.sync().code == 1
    team.ben.sync()
    assert "One, Anna." in shown_everywhere(team.anna, team.ben)


@POLICIES
@pytest.mark.parametrize("signed_moves", [True, False])
def test_a_move_on_one_side_carries_no_unsigned_text_of_the_other(
    tmp_path: Path, home: Path, policy: str, *, signed_moves: bool
) -> None:
    team = Team(tmp_path, home, policy, {})
    mover, editor = (team.anna, team.cleo) if signed_moves else (team.cleo, team.anna)
    git(mover.root, "mv", X, "memories/新.md")
    mover.run("sync", "--no-push", "--yes").ok()
    team.edit(editor, "One.", f"One, {editor.name}.")
    editor.run("sync", "--no-push", "--yes").ok()
    team.cleo.sync()
    team.anna.sync()
    team.ben.sync()
    block = shown_everywhere(team.anna, team.ben)
    assert "One, c." not in block
    assert ("One." if signed_moves else "One, a.") in block


@POLICIES
def test_an_unsigned_text_does_not_count_under_another_name(
    tmp_path: Path, home: Path, policy: str
) -> None:
    """Two new records claim one path: the one that has to go elsewhere is written by the merge."""
    team = Team(tmp_path, home, policy, {})
    for number in range(6):  # by digest, who stays where it is: some of each
        path = f"memories/n{number}.md"
        team.cleo.write({path: note(f"f-000010{number}", f"Cleo {number}", "塞进来的。\n")})
        team.anna.write({path: note(f"f-000020{number}", f"Anna {number}", "By Anna.\n")})
    team.cleo.sync()
    merged = team.anna.sync()
    assert "as a draft, since nobody signed it" in merged.out
    team.ben.sync()
    block = shown_everywhere(team.anna, team.ben)
    assert "塞进来的" not in block
    assert block.count("By Anna.") == 6


@POLICIES
def test_unsigned_settings_are_not_joined(tmp_path: Path, home: Path, policy: str) -> None:
    team = Team(tmp_path, home, policy, {})
    text = team.cleo.read("vault.toml")
    team.cleo.write({"vault.toml": f"{text}\n[render]\nbudget = 77\n"})
    team.cleo.sync()
    team.anna.write({"vault.toml": f"# 我们的\n{text}"})
    assert team.anna.sync().code == 1
    assert "77" not in team.anna.read("vault.toml")
    assert team.anna.read("vault.toml").startswith("# 我们的")


def test_an_own_edit_on_a_signed_text_that_nobody_read_yet_counts(
    tmp_path: Path, home: Path
) -> None:
    team = Team(tmp_path, home, INCOMING, {})
    team.edit(team.ben, "Three.", "Three, Ben.")
    team.ben.sync()
    git(team.anna.root, "pull", "-q", "--ff-only", "origin", "main")
    team.edit(team.anna, "One.", "One, Anna.")  # no command has looked at it in between
    done = team.anna.sync().ok()
    assert "waits" not in done.text
    assert "One, Anna." in shown(team.anna)
    assert "Three, Ben." in shown(team.anna)


@pytest.mark.parametrize("argv", [
    ("edit", KEY, "--set", "importance=3"), ("undo", "HEAD~1"), ("sync",),
], ids=lambda argv: argv[0])  # fmt: skip
def test_no_command_signs_what_waits_for_a_review(
    tmp_path: Path, home: Path, argv: tuple[str, ...]
) -> None:
    team = Team(tmp_path, home, INCOMING, {})
    team.anna.run("edit", KEY, "--set", "importance=7", "--yes").ok()
    team.anna.sync()
    team.cleo.sync()
    team.edit(team.cleo, "One.", "One, Cleo.")
    team.cleo.sync()
    came = team.anna.sync().ok()
    assert "1 change of others waits for a person" in came.err
    if argv == ("sync",):
        team.edit(team.anna, "Three.", "Three, Anna.")
    head = team.anna.head()
    refused = team.anna.run(*argv, "--yes")
    assert refused.code == 4
    assert f"{KEY} waits for a review" in refused.err
    assert team.anna.head() == head
    assert "Cleo" not in shown(team.anna)
    if argv != ("sync",):  # nor does taking it out of force and bringing it back
        team.anna.run("dispute", KEY, "--reason", "?", "--yes").ok()
        assert team.anna.run("resolve", KEY, "--reason", "ok", "--yes").code == 4
        assert "Cleo" not in shown(team.anna)


def test_sync_says_what_does_not_count_afterwards(tmp_path: Path, home: Path) -> None:
    team = Team(tmp_path, home, REQUIRE, {})
    team.edit(team.cleo, "One.", "One, Cleo.")
    team.cleo.sync()
    done = team.anna.sync().ok()
    assert "left out by trust.require_signed = true: 1 unsigned" in done.err


@pytest.mark.parametrize("policy", [INCOMING, 'incoming = "review"\n'], ids=["signed", "review"])
@pytest.mark.parametrize("argv", [("sync",), ("edit", KEY, "--set", "importance=3")], ids=str)
def test_an_own_edit_stays_one_s_own_when_its_commit_fails(
    tmp_path: Path, home: Path, policy: str, argv: tuple[str, ...]
) -> None:
    """A key that is locked for the moment: what git was given by then is no text of others."""
    team = Team(tmp_path, home, policy, {})
    team.edit(team.anna, "One.", "One, 安娜。")
    (home / "a").rename(home / "locked")
    failed = team.anna.run(*argv, "--yes")
    assert failed.code == 7
    assert "private key" in failed.err
    assert "One, 安娜。" in team.anna.read(X)
    assert "One, 安娜。" in shown(team.anna)
    (home / "locked").rename(home / "a")
    done = team.anna.run(*argv, "--yes").ok()
    assert "waits" not in done.text
    assert "One, 安娜。" in shown(team.anna)


def test_a_failed_commit_makes_no_text_of_others_one_s_own(tmp_path: Path, home: Path) -> None:
    team = Team(tmp_path, home, 'incoming = "review"\n', {})
    team.edit(team.cleo, "One.", "One, Cleo.")
    team.cleo.sync()
    team.anna.sync()
    (home / "a").rename(home / "locked")
    assert team.anna.run("edit", KEY, "--set", "importance=3", "--yes").code == 7
    (home / "locked").rename(home / "a")
    assert "Cleo" not in shown(team.anna)
    # nor when the very text lies in the work tree only
    git(team.anna.root, "reset", "-q", "--mixed", "HEAD~1")
    assert "Cleo" in team.anna.read(X)
    assert "Cleo" not in shown(team.anna)
