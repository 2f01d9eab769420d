"""`trust.incoming` and `trust.uncommitted`: who may change what is in force, with two clones."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from cli.test_terminal import Terminal
from helpers import commit_all, git, make_vault, rendered, run, write_files

RULE = "---\nid: {id}\nkind: rule\nstatus: active\ntitle: {title}\n---\n{body}\n"
PERSON = {"MVAULT_ACTOR": "person"}
ONE, TWO = "playbook/r-one.md", "playbook/r-two.md"


class Pair:
    """A vault of a teammate, a bare remote, and this person's clone with its own state."""

    def __init__(self, tmp_path: Path) -> None:
        files = {
            ONE: RULE.format(id="r-one", title="先问再部署", body="没有例外。"),
            TWO: RULE.format(id="r-two", title="Run the tests", body="Before each push."),
        }
        self.theirs = make_vault(tmp_path, files, name="theirs")
        git(tmp_path, "clone", "-q", "--bare", str(self.theirs), "remote.git")
        git(self.theirs, "remote", "add", "origin", str(tmp_path / "remote.git"))
        git(self.theirs, "fetch", "-q", "origin")
        git(self.theirs, "branch", "-q", "-u", "origin/main")
        git(tmp_path, "clone", "-q", str(tmp_path / "remote.git"), "mine")
        self.mine = tmp_path / "mine"

    def push(self, subject: str = "theirs") -> None:
        commit_all(self.theirs, subject)
        git(self.theirs, "push", "-q", "origin", "HEAD:main")

    def pull(self) -> None:
        git(self.mine, "pull", "-q", "--no-rebase", "--no-edit")

    def trust(self, policy: str = "review") -> None:
        """Say `mvault trust` in the clone, with this policy set by the person."""
        self.set("incoming", policy)
        run("--vault", self.mine, "trust", "--yes", env=PERSON).ok()

    def set(self, name: str, value: str) -> None:
        import os

        with Path(os.environ["MVAULT_CONFIG"]).open("a") as file:
            file.write(f'\n[vaults."{self.mine}"]\ntrust.{name} = "{value}"\n')

    def waiting(self) -> dict[str, str]:
        trusted = run("--vault", self.mine, "--json", "status").ok().data["trust"]
        return {item["id"]: item["what"] for item in trusted["waiting"]}


@pytest.fixture
def pair(tmp_path: Path) -> Pair:
    return Pair(tmp_path)


def test_a_received_vault_waits_until_a_person_trusts_it(pair: Pair) -> None:
    assert "先问再部署" in rendered(pair.theirs)
    first = run("--vault", pair.mine, "render").ok()
    assert "2 records wait for a person to put in force here" in first.err
    assert "先问再部署" not in first.out
    assert "Run the tests" not in first.out
    assert "> Kept out by the reader's trust settings: 2. See `mvault status`." in first.out
    assert "nothing is in force" in run("--vault", pair.mine, "brief").ok().out
    status = run("--vault", pair.mine, "status").ok().out
    assert "records: 2 active; 0 in force, 2 kept out by your trust settings" in status
    counts = run("--vault", pair.mine, "--json", "status").ok().data["counts"]
    assert (counts["in_force"], counts["kept_out"], counts["here"]) == (0, 2, 0)
    assert "2 more, not here: 2 kept out by" in run("--vault", pair.mine, "brief").ok().err
    assert pair.waiting() == {"r-one": "new", "r-two": "new"}
    # an agent can show what would be trusted, and no more
    asked = run("--vault", pair.mine, "trust")
    assert asked.code == 3
    assert "r-one" in asked.out
    assert run("--vault", pair.mine, "trust", "--yes", env={"MVAULT_ACTOR": "agent"}).code == 3
    assert "先问再部署" not in rendered(pair.mine)
    run("--vault", pair.mine, "trust", "--yes", env=PERSON).ok()
    assert "先问再部署" in rendered(pair.mine)
    assert pair.waiting() == {}
    # from here on it is accepted: that is what the default says of a trusted vault
    write_files(pair.theirs, {ONE: RULE.format(id="r-one", title="先问再部署", body="换了。")})
    pair.push()
    pair.pull()
    assert "换了。" in rendered(pair.mine)


def test_a_changed_text_waits_and_the_admitted_one_stays(pair: Pair) -> None:
    pair.trust()
    write_files(pair.theirs, {ONE: RULE.format(id="r-one", title="别问", body="直接部署。")})
    write_files(pair.theirs, {"playbook/new.md": RULE.format(id="r-new", title="New", body="N")})
    (pair.theirs / TWO).unlink()
    pair.push("approve (rule): looks like ours\n\nVault-Op: approve\nVault-Actor: person")
    pair.pull()
    shown = run("--vault", pair.mine, "render", "--receipt").ok()
    assert "没有例外。" in shown.out
    assert "直接部署" not in shown.out
    assert "Before each push." in shown.out
    assert "r-new  not eligible: put in force by others, not reviewed" in shown.err
    assert "3 changes of others wait" in shown.err
    assert pair.waiting() == {"r-new": "new", "r-one": "changed", "r-two": "gone"}
    assert run("--vault", pair.mine, "review", "--incoming").code == 3


def test_taking_a_rule_out_of_force_waits_too(pair: Pair) -> None:
    pair.trust()
    text = (pair.theirs / TWO).read_text().replace("status: active", "status: deprecated")
    write_files(pair.theirs, {TWO: text})
    pair.push()
    pair.pull()
    assert "Before each push." in rendered(pair.mine)
    assert pair.waiting() == {"r-two": "gone"}


def test_a_copy_of_the_id_does_not_hide_the_admitted_text(pair: Pair) -> None:
    pair.trust()
    write_files(pair.theirs, {"memories/z.md": RULE.format(id="r-one", title="Z", body="zzz")})
    pair.push()
    pair.pull()
    shown = rendered(pair.mine)
    assert "没有例外。" in shown
    assert "zzz" not in shown
    (pair.theirs / "memories/z.md").unlink()
    draft = RULE.format(id="r-one", title="Z", body="zzz").replace("active", "candidate")
    write_files(pair.theirs, {"drafts/z.md": draft, "Playbook/r-one.md": draft})
    pair.push()
    pair.pull()
    assert pair.waiting() == {}
    assert "没有例外。" in rendered(pair.mine)


def test_settings_of_others_do_not_hide_a_rule(pair: Pair) -> None:
    pair.trust()
    before = rendered(pair.mine)
    with (pair.theirs / "vault.toml").open("a") as file:
        file.write('\n[render]\nmode = "off"\n[files]\nignore = ["playbook"]\n')
    pair.push()
    pair.pull()
    assert rendered(pair.mine) == before
    assert pair.waiting()["vault.toml"] == "settings"
    terminal = Terminal("--vault", pair.mine, "review", "--incoming")
    while "vault.toml [a" not in terminal.read("[a,r,s,q,?]"):
        terminal.type("s")
    assert 'mode = "off"' in terminal.shown
    terminal.type("a")
    assert terminal.end() == 0
    assert "没有例外" not in rendered(pair.mine)
    run("--vault", pair.mine, "config", "set", "render.mode", "strict", "--yes", env=PERSON).ok()
    assert "vault.toml" not in pair.waiting()


def test_the_first_own_record_of_a_clone_pins_its_settings(pair: Pair) -> None:
    added = run("--vault", pair.mine, "add", "note", "--title", "我的", "--body", "b").ok()
    run("--vault", pair.mine, "approve", added.out.strip(), "--yes", env=PERSON).ok()
    assert "我的" in rendered(pair.mine)
    with (pair.theirs / "vault.toml").open("a") as file:
        file.write('\n[render]\nmode = "off"\n')
    pair.push()
    pair.pull()
    assert "我的" in rendered(pair.mine)
    assert pair.waiting()["vault.toml"] == "settings"


def test_settings_are_accepted_as_they_were_shown(pair: Pair) -> None:
    """A pull between the look and the answer brings something nobody has seen."""
    pair.trust()
    with (pair.theirs / "vault.toml").open("a") as file:
        file.write("\n[render]\nbudget = 5000\n")
    pair.push()
    pair.pull()
    before = rendered(pair.mine)
    terminal = Terminal("--vault", pair.mine, "review", "--incoming")
    assert "budget = 5000" in terminal.read("vault.toml [a,r,s,q,?]")
    text = (pair.theirs / "vault.toml").read_text()
    (pair.theirs / "vault.toml").write_text(text.replace("budget = 5000", 'mode = "off"'))
    pair.push()
    pair.pull()
    terminal.type("a")
    assert terminal.end() == 0
    assert pair.waiting() == {"vault.toml": "settings"}
    assert rendered(pair.mine) == before


def test_removed_settings_are_brought_back(pair: Pair) -> None:
    pair.trust()
    before = rendered(pair.mine)
    (pair.theirs / "vault.toml").unlink()
    pair.push()
    pair.pull()
    assert rendered(pair.mine) == before
    terminal = Terminal("--vault", pair.mine, "review", "--incoming")
    terminal.read("vault.toml [a,r,s,q,?]")
    terminal.type("r")
    assert terminal.end() == 0, terminal.shown
    assert (pair.mine / "vault.toml").is_file()
    assert pair.waiting() == {}
    assert rendered(pair.mine) == before


def test_what_the_person_does_here_needs_no_review(pair: Pair) -> None:
    pair.trust()
    added = run("--vault", pair.mine, "add", "note", "--title", "Mine", "--body", "b").ok()
    run("--vault", pair.mine, "approve", added.out.strip(), "--yes", env=PERSON).ok()
    with (pair.mine / ONE).open("a") as file:  # an edit by hand is in force at once
        file.write("再加一句。\n")
    shown = rendered(pair.mine)
    assert "Mine" in shown
    assert "再加一句。" in shown
    assert pair.waiting() == {}
    run("--vault", pair.mine, "deprecate", "r-two", "--reason", "x", "--yes", env=PERSON).ok()
    assert pair.waiting() == {}
    assert "Before each push." not in rendered(pair.mine)
    # a commit made with plain git is not the gate's: it waits, whoever made it
    commit_all(pair.mine, "by hand")
    assert pair.waiting() == {"r-one": "changed"}
    assert "再加一句。" not in rendered(pair.mine)


def test_review_of_incoming_accepts_rejects_and_skips(pair: Pair) -> None:
    pair.trust()
    write_files(pair.theirs, {ONE: RULE.format(id="r-one", title="先问再部署", body="改了。")})
    write_files(pair.theirs, {TWO: RULE.format(id="r-two", title="Run the tests", body="Never.")})
    write_files(pair.theirs, {"playbook/new.md": RULE.format(id="r-new", title="New", body="N")})
    pair.push()
    pair.pull()
    terminal = Terminal("--vault", pair.mine, "review", "--incoming")
    terminal.read("(1/3)")
    terminal.type("r")
    seen = terminal.read("(2/3)")
    assert "没有例外。" in seen
    assert "改了。" in seen
    terminal.type("a")
    terminal.read("(3/3)")
    terminal.type("s")
    assert terminal.end() == 0
    assert pair.waiting() == {"r-two": "changed"}
    assert not (pair.mine / "playbook" / "new.md").exists()
    shown = rendered(pair.mine)
    assert "改了。" in shown
    assert "Before each push." in shown
    terminal = Terminal("--vault", pair.mine, "review", "--incoming")
    terminal.read("(1/1)")
    terminal.type("r")
    assert terminal.end() == 0
    assert "Before each push." in (pair.mine / TWO).read_text()
    assert pair.waiting() == {}


def test_an_admitted_text_that_git_lost_is_left_out(pair: Pair) -> None:
    pair.trust()
    git(pair.mine, "checkout", "-q", "--orphan", "other")
    write_files(pair.mine, {ONE: RULE.format(id="r-one", title="别问", body="直接部署。")})
    commit_all(pair.mine, "another history")
    git(pair.mine, "branch", "-qD", "main")
    git(pair.mine, "remote", "remove", "origin")
    git(pair.mine, "reflog", "expire", "--expire=now", "--all")
    git(pair.mine, "gc", "-q", "--prune=now")
    shown = run("--vault", pair.mine, "render", "--receipt").ok()
    assert "直接部署" not in shown.out
    assert "git no longer has the admitted text" in shown.err
    assert "Before each push." in shown.out


def test_setting_review_takes_the_own_vault_as_it_is(tmp_path: Path) -> None:
    root = make_vault(tmp_path, {ONE: RULE.format(id="r-one", title="One", body="text")})
    terminal = Terminal(
        "--vault", root, "config", "set", "--user", "--here", "trust.incoming", "review"
    )
    terminal.read("[y/N]")
    terminal.type("y")
    assert terminal.end() == 0
    assert "1 in force here are taken as admitted" in terminal.shown
    assert "One" in rendered(root)
    shown = run("--vault", root, "config", "show", "trust.incoming", "--explain").ok().out
    assert shown.startswith('trust.incoming = "review"  # user-here')
    write_files(root, {ONE: RULE.format(id="r-one", title="One", body="swapped")})
    commit_all(root, "an agent with plain git")
    assert "swapped" not in rendered(root)


def test_uncommitted_edits_can_wait_for_a_commit(tmp_path: Path, home: Path) -> None:
    root = make_vault(tmp_path, {ONE: RULE.format(id="r-one", title="一", body="已提交")})
    write_files(root, {ONE: RULE.format(id="r-one", title="一", body="没提交"), TWO: RULE.format(
        id="r-two", title="Two", body="new")})  # fmt: skip
    assert "没提交" in rendered(root)
    with (home / "mvault.toml").open("a") as file:
        file.write('uncommitted = "committed"\n')
    shown = run("--vault", root, "render", "--receipt").ok()
    assert "已提交" in shown.out
    assert "没提交" not in shown.out
    assert "r-two  not eligible: not committed" in shown.err
    status = run("--vault", root, "status").ok().out
    assert "trust.uncommitted = committed" in status
    assert "HEAD's text is shown" in status
    (root / ONE).unlink()
    assert "已提交" in rendered(root)


@pytest.mark.parametrize("layer", ["vault.toml", "MVAULT_TRUST_INCOMING"])
def test_a_vault_cannot_trust_itself(pair: Pair, layer: str) -> None:
    env = {}
    if layer == "vault.toml":
        with (pair.mine / "vault.toml").open("a") as file:
            file.write('\n[trust]\nincoming = "accept"\n')
    else:
        env[layer] = "accept"
    shown = run("--vault", pair.mine, "render", env=env).ok()
    assert "先问再部署" not in shown.out


def test_without_these_settings_git_is_not_started(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = make_vault(tmp_path, {ONE: RULE.format(id="r-one", title="One", body="text")})
    monkeypatch.setenv("PATH", str(tmp_path / "nothing"))
    assert "One" in run("--vault", root, "render").ok().out


@pytest.mark.skipif(shutil.which("ssh-keygen") is None, reason="keys are made with ssh-keygen")
def make_signer(home: Path) -> Path:
    """Make an SSH key that the person allows; its public half signs."""
    key = home / "key"
    args = ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "mate", "-f", str(key)]
    subprocess.run(args, check=True)
    signers = home / "signers"
    signers.write_text(f"mate@example.invalid {(home / 'key.pub').read_text()}")
    with (home / "gitconfig").open("a") as file:
        file.write(f'[gpg]\n\tformat = ssh\n[gpg "ssh"]\n\tallowedSignersFile = {signers}\n')
    return key


def test_under_signed_a_rewound_history_brings_no_older_signed_text(pair: Pair, home: Path) -> None:
    key = make_signer(home)
    pair.trust("signed")
    first = git(pair.theirs, "rev-parse", "HEAD")
    for body in ("先签的。", "后签的。"):
        write_files(pair.theirs, {ONE: RULE.format(id="r-one", title="先问再部署", body=body)})
        git(pair.theirs, "add", "-A")
        git(pair.theirs, "-c", f"user.signingkey={key}.pub", "commit", "-q", "-S", "-m", body)
        git(pair.theirs, "push", "-q", "origin", "HEAD:main")
        pair.pull()
        assert body in rendered(pair.mine)
    assert pair.waiting() == {}
    for commit in ("HEAD~1", first):  # an older signed text, and one from before all signatures
        git(pair.theirs, "push", "-q", "-f", "origin", f"{commit}:main")
        git(pair.mine, "fetch", "-q", "origin")
        git(pair.mine, "reset", "-q", "--hard", "origin/main")
        assert "后签的。" in rendered(pair.mine)
        assert pair.waiting() == {"r-one": "changed"}


def test_under_signed_what_an_allowed_key_signed_needs_no_review(pair: Pair, home: Path) -> None:
    key = make_signer(home)
    pair.trust("signed")
    write_files(pair.theirs, {ONE: RULE.format(id="r-one", title="先问再部署", body="改了。")})
    (pair.theirs / TWO).unlink()
    git(pair.theirs, "add", "-A")
    git(pair.theirs, "-c", f"user.signingkey={key}.pub", "commit", "-q", "-S", "-m", "signed")
    write_files(pair.theirs, {"playbook/new.md": RULE.format(id="r-new", title="New", body="N")})
    pair.push("not signed")
    pair.pull()
    shown = rendered(pair.mine)
    assert "改了。" in shown
    assert "Before each push." not in shown
    assert "New" not in shown
    assert pair.waiting() == {"r-new": "new"}
    write_files(pair.theirs, {ONE: RULE.format(id="r-one", title="先问再部署", body="又改。")})
    pair.push("not signed either")
    pair.pull()
    assert "改了。" in rendered(pair.mine)
    assert pair.waiting() == {"r-new": "new", "r-one": "changed"}
    with (home / "mvault.toml").open("a") as file:  # both: the signed text that was admitted
        file.write("trust.require_signed = true\n")
    assert "改了。" in rendered(pair.mine)
    (pair.theirs / ONE).unlink()
    pair.push("removed, and not signed")
    pair.pull()
    assert "改了。" in rendered(pair.mine)


def test_a_repository_with_no_other_side_is_the_persons(tmp_path: Path) -> None:
    root = tmp_path / "plain"
    write_files(
        root, {"vault.toml": "schema = 1\n", ONE: RULE.format(id="r-1", title="T", body="b")}
    )
    git(tmp_path, "init", "-q", "plain")
    commit_all(root, "start")
    assert "[r-1]" in rendered(root)
    git(root, "remote", "add", "origin", "https://example.invalid/x.git")
    assert "[r-1]" not in rendered(root)
    git(root, "remote", "remove", "origin")
    assert "[r-1]" in rendered(root)
    (root / ".git" / "FETCH_HEAD").write_text("")  # as `git pull ADDRESS` leaves it
    assert "[r-1]" not in rendered(root)


def test_a_vault_in_a_cloned_repository_of_code(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q", "code")
    commit_all_empty(tmp_path / "code")
    git(tmp_path, "clone", "-q", "code", "clone")
    root = tmp_path / "clone" / ".mvault"
    run("init", root, "--in-repo", cwd=tmp_path).ok()  # made here: it is the person's
    write_files(root, {ONE: RULE.format(id="r-1", title="T", body="b")})
    commit_all(tmp_path / "clone")
    assert "[r-1]" in rendered(root)
    git(tmp_path, "clone", "-q", "clone", "again")
    received = tmp_path / "again" / ".mvault"
    assert "[r-1]" not in rendered(received)
    run("init", received, "--in-repo", cwd=tmp_path).ok()  # there is nothing to make
    assert "[r-1]" not in rendered(received)
    (received / "vault.toml").unlink()
    run("init", received, "--in-repo", cwd=tmp_path).ok()  # nor is the vault made anew by that
    assert "[r-1]" not in rendered(received)
    run("--vault", received, "trust", "--yes", env=PERSON).ok()
    assert "[r-1]" in rendered(received)


def commit_all_empty(root: Path) -> None:
    git(root, "commit", "-q", "--allow-empty", "-m", "start")


def test_search_says_what_is_kept_out(pair: Pair) -> None:
    pair.trust()
    write_files(
        pair.theirs, {"playbook/new.md": RULE.format(id="r-new", title="New", body="Zebra")}
    )
    pair.push()
    pair.pull()
    found = run("--vault", pair.mine, "--json", "search", "zebra").ok().data
    (item,) = found["records"]
    assert any("put in force by others" in mark for mark in item["marks"])
    shown = run("--vault", pair.mine, "show", "r-new").ok()
    assert "kept out of the render: put in force by others, not reviewed" in shown.err
    assert "kept out" not in run("--vault", pair.mine, "show", "r-one").ok().text


PUSHED: dict[str, dict[str, str]] = {
    "successor": {"playbook/x.md": "id: r-new\nsupersedes: [r-one]"},
    "successor in Chinese": {
        "playbook/新规则.md": "id: r-new\ntitle: 新\nsupersedes: [r-one, r-two]"
    },
    "conflict of both sides": {
        "playbook/x.md": "id: r-new\nconflicts: [{id: r-one, type: contradiction}]",
        ONE: "id: r-one\ntitle: 先问再部署\nconflicts: [{id: r-new, type: contradiction}]",
    },
    "moved away": {ONE: "id: r-one\nstatus: superseded\npromoted_to: global (user vault)"},
    "another scope": {ONE: "id: r-one\nscope: project:elsewhere"},
    "another branch": {ONE: "id: r-one\nbranch: [never]"},
    "not yet valid": {ONE: "id: r-one\nvalid_from: 2031-01-01"},
    "expired": {ONE: "id: r-one\nvalid_to: 2020-01-01"},
    "advice": {ONE: "id: r-one\ntitle: Maybe ask\nforce: advice"},
    "a correction above all": {"memories/x.md": "id: f-new\nkind: fact\ncorrection: true"},
    "its own leave": {"memories/x.md": "id: f-new\nkind: fact\nallow: [injection, secret]"},
    "verified": {"memories/x.md": "id: f-new\nkind: fact\nstatus: verified\nsource: user"},
    "a topic that takes the name": {"topics/x.md": "id: o-new\nkind: topic\naliases: [ci]"},
    "the same id twice": {"memories/x.md": "id: r-one\ntitle: Copy"},
    "a tombstone": {"tombstones/r-one.md": "id: r-one\nstatus: tombstoned"},
    "an unreadable file": {ONE: "id: r-one\nid: r-other"},
    "a merge in the middle": {ONE: "<<<<<<< HEAD\nid: r-one\n======="},
}


@pytest.mark.parametrize("trick", PUSHED)
def test_no_key_of_a_pushed_file_reaches_what_was_admitted(pair: Pair, trick: str) -> None:
    pair.trust()
    before = entries(pair.mine)
    assert any("先问再部署" in line for line in before)
    for path, keys in PUSHED[trick].items():
        kind = "" if "kind:" in keys else "kind: rule\n"
        status = "" if "status:" in keys else "status: active\n"
        title = "" if "title:" in keys else "title: Theirs\n"
        text = f"---\n{keys}\n{kind}{status}{title}---\nTheir text.\n"
        write_files(pair.theirs, {path: text})
    pair.push()
    pair.pull()
    assert entries(pair.mine) == before
    assert "Their text" not in run("--vault", pair.mine, "brief").ok().out
    assert pair.waiting() or trick == "a tombstone"  # which takes nothing out of force


def entries(root: Path) -> list[str]:
    """The lines of a block without what it says about what is left out."""
    return [line for line in rendered(root).splitlines() if line and not line.startswith("> ")]


@pytest.mark.parametrize("title", ["New", "新的"])
def test_rejecting_a_new_record_says_what_becomes_of_it(pair: Pair, title: str) -> None:
    pair.trust()
    write_files(pair.theirs, {"playbook/new.md": RULE.format(id="r-new", title=title, body="N")})
    pair.push()
    pair.pull()
    terminal = Terminal("--vault", pair.mine, "review", "--incoming")
    terminal.read("(1/1)")
    terminal.type("?")
    told = terminal.read("(1/1)")
    assert "a new record is deleted, in a commit that a" in told
    assert "push would share" in told
    terminal.type("r")
    assert terminal.end() == 0, terminal.shown
    assert "deleted the new r-new in a commit that a push would share" in terminal.shown
    assert not (pair.mine / "playbook" / "new.md").exists()
    run("--vault", pair.mine, "undo", "--yes", env=PERSON).ok()
    assert (pair.mine / "playbook" / "new.md").exists()


@pytest.mark.parametrize(
    "text", ["The password: Deploy#on/Fridays9", "口令：password = Deploy#on/Fridays9"]
)
@pytest.mark.parametrize("allowed", [True, False])
def test_a_review_shows_what_an_agent_will_be_shown(
    pair: Pair, text: str, *, allowed: bool
) -> None:
    pair.trust()
    rule = RULE.format(id="r-one", title="先问再部署", body=text)
    if allowed:
        rule = rule.replace("kind: rule", "kind: rule\nallow: [secret]")
    write_files(pair.theirs, {ONE: rule})
    pair.push()
    pair.pull()
    terminal = Terminal("--vault", pair.mine, "review", "--incoming")
    shown = terminal.read("[a,r,s,q,?]")
    terminal.type("a")
    terminal.end()
    assert ("Fridays9" in shown) == allowed
    assert ("Fridays9" in rendered(pair.mine)) == allowed
