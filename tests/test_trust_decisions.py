"""Nothing but a look at the change itself admits what others pushed (`trust.incoming = review`)."""

from __future__ import annotations

from pathlib import Path

import pytest
from helpers import commit_all, git, rendered, run, write_files
from test_trust_incoming import ONE, PERSON, RULE, TWO, Pair, entries

DRAFT = RULE.replace("active", "candidate")
OTHER = {"title": "Something else", "body": "Harmless words about a cache."}
SETTINGS = {
    "a later schema": b"schema = 2\n",
    "no TOML": b"schema = = \n",
    "no UTF-8": b"\xff\xfe",
    "too large": b"#" * 1_100_000,
    "no such zone": b"schema = 1\n[vault]\ntimezone = 'Mars/X'\n",
    "nested": b"schema = 1\na = " + b"[" * 5000,
    "gone": None,
}


@pytest.fixture
def pair(tmp_path: Path) -> Pair:
    made = Pair(tmp_path)
    made.trust()
    return made


def pushed(pair: Pair) -> None:
    pair.push()
    pair.pull()


@pytest.mark.parametrize(
    "argv",
    [
        ("reject", "r-one", "--reason", "不要"),
        ("approve", "r-one"),
        ("deprecate", "r-one", "--reason", "x"),
        ("edit", "r-one", "--set", "importance=5"),
    ],
    ids=lambda argv: argv[0],
)
@pytest.mark.parametrize("status", ["candidate", "active"])
def test_a_decision_on_a_copy_of_the_id_is_none_on_the_admitted_text(
    pair: Pair, argv: tuple[str, ...], status: str
) -> None:
    before = entries(pair.mine)
    (pair.theirs / ONE).unlink()
    text = RULE.replace("active", status).format(id="r-one", **OTHER)
    write_files(pair.theirs, {"drafts/z.md": text})
    pushed(pair)
    run("--vault", pair.mine, *argv, "--yes", env=PERSON)
    assert entries(pair.mine) == before
    assert pair.waiting()["r-one"] in {"gone", "changed"}


BOT = {"MVAULT_ACTOR": "bot"}
ON_DRAFT = [
    (("reject", "--reason", "不要", "--yes"), PERSON),
    (("edit", "--set", "importance=5", "--yes"), PERSON),
    (("forget", "--reason-code", "incorrect", "--yes"), PERSON),
    (("topic", "assign", "naming"), BOT),
    (("edit", "--set", "importance=5"), BOT),
    (("dispute", "--reason", "why"), BOT),
]


@pytest.mark.parametrize("place", ["drafts/z.md", ONE])
@pytest.mark.parametrize(("argv", "actor"), ON_DRAFT)
@pytest.mark.parametrize("draft", ["r-one", "n-x"])
def test_a_decision_on_a_draft_never_drops_a_rule_that_stands(
    pair: Pair, argv: tuple[str, ...], actor: dict[str, str], place: str, draft: str
) -> None:
    """The draft has the id of the rule, or lies where the rule lay before others moved it."""
    if place == ONE:
        (pair.theirs / ONE).rename(pair.theirs / "playbook/moved.md")
    write_files(pair.theirs, {place: DRAFT.format(id=draft, **OTHER)})
    pushed(pair)
    before = entries(pair.mine)
    assert any("先问再部署" in line for line in before)
    run("--vault", pair.mine, *argv, pair.mine / place, env=actor, cwd=pair.mine)
    # what others then do to the rule still waits
    rule = "playbook/moved.md" if place == ONE else ONE
    (pair.theirs / rule).unlink()
    (pair.theirs / place).unlink(missing_ok=True)
    commit_all(pair.theirs, "away")
    git(pair.theirs, "push", "-q", "origin", "HEAD:main")
    git(pair.mine, "pull", "-q", "--no-rebase", "--no-edit", "-X", "theirs", check=False)
    (pair.mine / rule).unlink(missing_ok=True)
    git(pair.mine, "commit", "-qam", "merged", check=False)
    assert entries(pair.mine) == before
    assert pair.waiting() == {"r-one": "gone"}


def test_what_the_person_takes_out_of_force_stays_out(pair: Pair) -> None:
    """Also after a hand edit of the text, and of the status."""
    with (pair.mine / ONE).open("a") as file:
        file.write("再加一句。\n")
    run("--vault", pair.mine, "deprecate", "r-one", "--reason", "x", "--yes", env=PERSON).ok()
    text = (pair.mine / TWO).read_text().replace("status: active", "status: candidate")
    (pair.mine / TWO).write_text(text)
    run("--vault", pair.mine, "reject", "r-two", "--reason", "x", "--yes", env=PERSON).ok()
    assert pair.waiting() == {}
    assert "先问再部署" not in rendered(pair.mine)
    assert "Before each push." not in rendered(pair.mine)


def test_a_draft_at_the_place_of_a_rule_takes_nothing_with_it(pair: Pair) -> None:
    before = entries(pair.mine)
    write_files(pair.theirs, {ONE: DRAFT.format(id="r-x", **OTHER)})
    pushed(pair)
    run("--vault", pair.mine, "forget", "r-x", "--reason-code", "incorrect", "--yes", env=PERSON)
    assert entries(pair.mine) == before
    assert pair.waiting() == {"r-one": "gone"}


def test_to_forget_a_record_by_its_id_forgets_the_admitted_text(pair: Pair) -> None:
    (pair.theirs / ONE).unlink()
    write_files(pair.theirs, {"drafts/z.md": DRAFT.format(id="r-one", **OTHER)})
    pushed(pair)
    run(
        "--vault", pair.mine, "forget", "r-one", "--reason-code", "privacy", "--yes", env=PERSON
    ).ok()
    assert "先问再部署" not in rendered(pair.mine)


def test_an_edit_of_a_key_does_not_admit_the_text(pair: Pair) -> None:
    write_files(pair.theirs, {ONE: RULE.format(id="r-one", title="先问再部署", body="直接部署。")})
    pushed(pair)
    run("--vault", pair.mine, "edit", "r-one", "--set", "importance=5", "--yes", env=PERSON).ok()
    assert "直接部署" not in rendered(pair.mine)
    assert "没有例外。" in rendered(pair.mine)
    assert pair.waiting() == {"r-one": "changed"}
    # what nobody changed is admitted as the person leaves it
    run("--vault", pair.mine, "edit", "r-two", "--set", "title=跑测试", "--yes", env=PERSON).ok()
    assert "跑测试" in rendered(pair.mine)


@pytest.mark.parametrize("argv", [("edit", "r-one", "--set", "importance=5"), ("approve", "r-one")])
def test_an_edit_of_a_key_admits_nothing_in_a_clone_nobody_trusted(
    tmp_path: Path, argv: tuple[str, ...]
) -> None:
    pair = Pair(tmp_path)
    for _ in range(2):
        run("--vault", pair.mine, *argv, "--yes", env=PERSON)
        assert "先问再部署" not in rendered(pair.mine)
        assert pair.waiting() == {"r-one": "new", "r-two": "new"}


def test_a_setting_does_not_admit_the_others(pair: Pair) -> None:
    with (pair.theirs / "vault.toml").open("a") as file:
        file.write('\n[render]\nmode = "off"\n')
    pushed(pair)
    run("--vault", pair.mine, "config", "set", "render.budget", "9000", "--yes", env=PERSON).ok()
    assert "先问再部署" in rendered(pair.mine)
    assert pair.waiting() == {"vault.toml": "settings"}


@pytest.mark.parametrize("trick", SETTINGS)
def test_settings_that_cannot_be_used_do_not_close_the_vault(pair: Pair, trick: str) -> None:
    before = entries(pair.mine)
    data = SETTINGS[trick]
    if data is None:
        (pair.theirs / "vault.toml").unlink()
    else:
        (pair.theirs / "vault.toml").write_bytes(data)
    pushed(pair)
    assert entries(pair.mine) == before
    assert pair.waiting() == {"vault.toml": "settings"}
    # by the person's own hand they are an error, as ever
    git(pair.mine, "reset", "-q", "--hard", "HEAD~1")
    (pair.mine / "vault.toml").write_bytes(b"schema = = =\n")  # not the bytes that were pushed
    assert run("--vault", pair.mine, "render").code == 2
    (pair.mine / "vault.toml").unlink()
    if data is None:  # which git may have done, too: a branch beside this one has it so
        assert entries(pair.mine) == before
    else:
        assert run("--vault", pair.mine, "render").code == 2


@pytest.mark.parametrize("trick", ['read_scopes = ["global"]\n', "= =\n", ""])
def test_a_project_does_not_hide_its_own_admitted_rules(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, trick: str
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    run("init", tmp_path / "data" / "mvault").ok()
    theirs, mine = tmp_path / "theirs", tmp_path / "mine"
    git(tmp_path, "init", "-q", "-b", "main", "theirs")
    run("init", theirs / ".mvault", "--in-repo", cwd=tmp_path).ok()
    write_files(theirs, {f".mvault/{ONE}": RULE.format(id="r-one", title="先问再部署", body="x")})
    commit_all(theirs, "one")
    git(tmp_path, "clone", "-q", "--bare", "theirs", "remote.git")
    git(tmp_path, "clone", "-q", "remote.git", "mine")
    pair = Pair.__new__(Pair)
    pair.mine = mine / ".mvault"
    pair.trust()
    assert "先问再部署" in run("render", cwd=mine).ok().out
    settings = theirs / ".mvault" / "vault.toml"
    if trick:
        settings.write_text(trick + settings.read_text())
    else:
        settings.unlink()
    commit_all(theirs, "settings")
    git(theirs, "push", "-q", str(tmp_path / "remote.git"), "HEAD:main")
    git(mine, "pull", "-q")
    assert "先问再部署" in run("render", cwd=mine).ok().out


@pytest.mark.parametrize("place", ["", "playbook/"])
@pytest.mark.parametrize("rule_stays", [True, False])
@pytest.mark.parametrize("encoding", ["UTF-16", "UTF-7"])
def test_what_git_writes_in_another_encoding_is_no_edit_of_the_person(
    pair: Pair, encoding: str, rule_stays: bool, place: str
) -> None:
    before = entries(pair.mine)
    own = (pair.theirs / ONE).read_bytes()
    (pair.theirs / ONE).write_bytes(own + b"more\n")
    pushed(pair)
    git(pair.theirs, "revert", "--no-commit", "HEAD")
    rule = f"*.md text working-tree-encoding={encoding}\n"
    write_files(pair.theirs, {f"{place}.gitattributes": rule})
    git(pair.theirs, "add", f"{place}.gitattributes")
    git(pair.theirs, "commit", "-qm", "back")
    git(pair.theirs, "push", "-q", "origin", "HEAD:main")
    pair.pull()
    if not rule_stays:
        git(pair.theirs, "rm", "-qf", f"{place}.gitattributes")
        git(pair.theirs, "commit", "-qm", "and away")
        git(pair.theirs, "push", "-q", "origin", "HEAD:main")
        git(pair.mine, "fetch", "-q")
        git(pair.mine, "update-ref", "refs/heads/main", "origin/main")
        git(pair.mine, "rm", "-qf", "--ignore-unmatch", "--", f"{place}.gitattributes")
    assert (pair.mine / ONE).read_bytes() != own
    assert entries(pair.mine) == before
    assert "没有例外。" in rendered(pair.mine)


def test_a_name_that_only_differs_in_case_is_no_edit_of_the_person(pair: Pair) -> None:
    before = entries(pair.mine)
    text = RULE.format(id="r-one", title="Theirs", body="Their text.")
    write_files(pair.theirs, {"playbook/R-ONE.md": text})
    pushed(pair)
    # as a file system without case has it after the checkout
    (pair.mine / "playbook/R-ONE.md").replace(pair.mine / ONE)
    assert entries(pair.mine) == before


def test_rules_of_other_folders_leave_edits_alone(pair: Pair) -> None:
    write_files(pair.theirs, {".gitattributes": "*.png filter=lfs\n*.md text eol=lf\n"})
    pushed(pair)
    with (pair.mine / TWO).open("a") as file:
        file.write("再加一句。\n")
    assert "再加一句。" in rendered(pair.mine)
