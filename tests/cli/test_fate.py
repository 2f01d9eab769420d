"""dispute, resolve, supersede, revive, deprecate, forget through the real command line."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from helpers import (
    checked,
    commit_count,
    git,
    head,
    listed,
    make_vault,
    rendered,
    run,
    snapshot_bytes,
    write_files,
)

AGENT = {"MVAULT_ACTOR": "agent"}
FACT = "---\nid: {id}\nkind: fact\nstatus: {status}\ntitle: {title}\n---\n{title} is so.\n"


def fact(record_id: str, title: str, status: str = "active", **keys: str) -> str:
    text = FACT.format(id=record_id, title=title, status=status)
    more = "".join(f"{key}: {value}\n" for key, value in keys.items())
    return text.replace("---\n" + title, f"{more}---\n{title}")


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    files = {
        "memories/2026-11/port.md": fact("f-1", "Port 8080"),
        "memories/2026-11/端口.md": fact("f-2", "端口 8443"),
        "memories/2026-11/gone.md": fact("f-3", "Old cluster", "deprecated"),
        "memories/2026-11/one.md": fact("f-4", "One", "superseded", superseded_by="f-5"),
        "memories/2026-11/two.md": fact("f-5", "Two", supersedes="[f-4]"),
        "drafts/2026-11/draft.md": fact("f-6", "Draft", "candidate"),
        "drafts/2026-11/no.md": fact("f-7", "No", "rejected"),
        "memories/2026-11/hm.md": fact("f-8", "Hm", "disputed"),
        "playbook/tests.md": fact("r-1", "Run the tests").replace("kind: fact", "kind: rule")
        .replace("title:", "force: required\ntitle:"),
    }  # fmt: skip
    return make_vault(tmp_path, files)


WHY = ("--reason", "因为 it changed")
COMMANDS = {
    "dispute": ("dispute", "f-1", *WHY, "--conflicts-with", "f-2"),
    "resolve": ("resolve", "f-8", *WHY),
    "resolve as": ("resolve", "f-8", "--as", "rejected", *WHY),
    "supersede new": ("supersede", "f-1", "--title", "Port 8443", *WHY),
    "supersede link": ("supersede", "f-1", "f-2", *WHY),
    "revive": ("revive", "f-3", *WHY),
    "revive draft": ("revive", "f-7", *WHY),
    "deprecate": ("deprecate", "f-1", *WHY),
    "deprecate many": ("deprecate", "--match", "port", "f-2", *WHY),
    "reject": ("reject", "f-6", *WHY),
    "approve": ("approve", "f-6", *WHY),
    "forget": ("forget", "f-5", *WHY),
    "forget and revive": ("forget", "f-5", "--revive", *WHY),
    "forget many": ("forget", "f-1", "f-2", "f-6", "--reason-code", "privacy", *WHY),
}


@pytest.mark.parametrize("words", COMMANDS.values(), ids=COMMANDS)
def test_one_commit_with_the_reason_and_back_again(vault: Path, words: tuple[str, ...]) -> None:
    before, start, count = snapshot_bytes(vault), head(vault), commit_count(vault)
    yes = () if words[:3] == ("supersede", "f-1", "--title") else ("--yes",)
    seed = {"MVAULT_SEED": "7"}
    dry = run("--vault", vault, "--json", "--dry-run", *words, *yes, env=seed).ok().data
    assert snapshot_bytes(vault) == before
    done = run("--vault", vault, "--json", *words, *yes, env=seed).ok().data
    assert dry["paths"] == done["paths"]
    assert commit_count(vault) == count + 1
    assert git(vault, "status", "--porcelain") == ""
    assert "因为 it changed" in git(vault, "log", "-1", "--format=%B")
    assert f"Vault-Op: {words[0]}" in git(vault, "log", "-1", "--format=%B")
    changed = git(vault, "-c", "core.quotepath=false", "diff", "--name-only", "--no-renames", start)
    assert set(changed.splitlines()) == set(done["paths"])
    run("--vault", vault, "undo", "--yes").ok()
    assert snapshot_bytes(vault) == before
    assert git(vault, "diff", start) == ""


@pytest.mark.parametrize(
    "words",
    [words for name, words in COMMANDS.items() if name not in ("dispute", "supersede new")],
)
def test_without_a_person_it_is_only_shown(vault: Path, words: tuple[str, ...]) -> None:
    before, start = snapshot_bytes(vault), head(vault)
    for yes in ((), ("--yes",)):
        shown = run("--vault", vault, *words, *yes, env=AGENT)
        assert shown.code == 3, shown.text
        assert "+++ " in shown.out
        assert "a person has to agree" in shown.err
        assert snapshot_bytes(vault) == before
        assert head(vault) == start


def test_a_dispute_leaves_the_render_at_once_and_is_marked(vault: Path) -> None:
    assert "Port 8080" in rendered(vault)
    run("--vault", vault, "dispute", "f-1", "--reason", "it is 8443", env=AGENT).ok()
    assert "Port 8080" not in rendered(vault)
    assert listed(vault, "--status", "disputed").keys() == {"f-1", "f-8"}
    shown = run("--vault", vault, "show", "f-1").ok().out
    assert "it is 8443" in shown
    assert "Port 8080 is so." in shown
    status = run("--vault", vault, "status").ok()
    assert "disputed, waiting for a person:\n  f-8  Hm\n  f-1  Port 8080" in status.out
    assert "Vault-Actor: agent" in git(vault, "log", "-1", "--format=%B")
    assert run("--vault", vault, "approve", "f-1", "--yes").code == 4


def test_nobody_switches_off_a_required_rule_by_objecting(vault: Path) -> None:
    refused = run("--vault", vault, "dispute", "r-1", *WHY, env=AGENT)
    assert refused.code == 3
    assert "Run the tests" in rendered(vault)
    run("--vault", vault, "dispute", "r-1", *WHY, "--yes").ok()
    assert "Vault-Actor: person" in git(vault, "log", "-1", "--format=%B")


def test_deprecated_records_are_listed_with_their_reason(vault: Path) -> None:
    run("--vault", vault, "deprecate", "f-2", "--reason", "迁到新机房", "--yes").ok()
    out = run("--vault", vault, "deprecate", "--list").ok().out
    assert out.splitlines() == [
        "f-3  fact  Old cluster",
        "f-2  fact  端口 8443",
        "    2026-11-30: 迁到新机房",
    ]
    data = run("--vault", vault, "--json", "deprecate", "--list").ok().data
    assert data["records"][1]["reason"] == "迁到新机房"
    assert data["counts"] == {"records": 2}


def test_the_log_of_both_sides_of_a_succession(vault: Path) -> None:
    own = run("--vault", vault, *COMMANDS["supersede new"]).ok().out.strip()
    run("--vault", vault, "approve", own, "--yes").ok()
    for record_id in ("f-1", own):
        commits = run("--vault", vault, "--json", "log", record_id).ok().data["commits"]
        assert [commit["ids"] for commit in commits[:2]] == [[own, "f-1"], [own, "f-1"]]
        assert commits[1]["body"] == "因为 it changed"
        assert commits[0]["date"]
    assert "Port 8443" in rendered(vault)
    assert "Port 8080" not in rendered(vault)


def test_the_card_of_an_approval_shows_old_against_new(vault: Path) -> None:
    own = run("--vault", vault, *COMMANDS["supersede new"]).ok().out.strip()
    shown = run("--vault", vault, "approve", own, env=AGENT)
    assert shown.code == 3
    start = shown.out.index("replaces f-1: Port 8080")
    card = shown.out[start : shown.out.index("rename from")]
    assert "-Port 8080 is so." in card
    assert "+# Port 8443" in card
    assert run("--vault", vault, "--json", "approve", own, "--yes").ok().data["ids"] == [own]


def blobs_with(root: Path, text: str) -> list[str]:
    """Objects of the repository, reachable or not, that hold a text."""
    every = git(root, "cat-file", "--batch-check", "--batch-all-objects").splitlines()
    names = [line.split()[0] for line in every if " blob " in line]
    found = []
    for name in names:
        data = subprocess.run(["git", "-C", str(root), "cat-file", "blob", name],
                              capture_output=True, check=True).stdout  # fmt: skip
        if text.encode() in data:
            found.append(name)
    return found


@pytest.mark.parametrize("how", [("--purge",), ("--reason-code", "secret")])
def test_a_text_that_no_commit_held_is_really_gone(vault: Path, how: tuple[str, ...]) -> None:
    write_files(vault, {"drafts/2026-11/x.md": fact("f-9", "Pass phrase", "candidate")})
    shown = run("--vault", vault, "forget", "f-9", *how, env=AGENT)
    assert shown.code == 3
    assert "No commit ever held the text" in shown.out
    assert ("Pass phrase" in shown.out) == (how == ("--purge",))
    gone = run("--vault", vault, "forget", "f-9", *how, "--yes").ok()
    assert "No commit ever held the text: nothing brings it back." in gone.err
    assert blobs_with(vault, "Pass phrase") == []
    assert "Pass phrase" not in git(vault, "log", "--format=%B")
    left = [p for p in vault.rglob("*") if p.is_file() and b"Pass phrase" in p.read_bytes()]
    assert [p for p in left if ".state" not in p.parts] == []
    assert listed(vault)["f-9"]["status"] == "tombstoned"
    assert git(vault, "status", "--porcelain") == ""


def test_a_file_moved_by_hand_is_gone_at_its_old_place_too(vault: Path) -> None:
    old, new = "memories/2026-11/port.md", "memories/2026-11/moved.md"
    (vault / old).rename(vault / new)
    run("--vault", vault, "forget", "f-1", "--purge", "--yes").ok()
    assert git(vault, "status", "--porcelain") == ""
    assert [f for f in checked(vault) if f["code"] == "duplicate-id"] == []
    assert git(vault, "ls-files", old, new) == ""


def test_without_purge_the_text_is_recorded_before_it_goes(vault: Path) -> None:
    write_files(vault, {"drafts/2026-11/x.md": fact("f-9", "Half a thought", "candidate")})
    done = run("--vault", vault, "forget", "f-9", "--yes").ok()
    assert "is recorded in git before it goes" in done.err
    assert len(blobs_with(vault, "Half a thought")) == 1
    run("--vault", vault, "undo", "--yes").ok()
    assert "Half a thought" in (vault / "drafts/2026-11/x.md").read_text()


def test_quarantined_text_goes_with_its_file(vault: Path) -> None:
    write_files(vault, {"quarantine/x.md": fact("f-9", "Held text", "quarantined")})
    run("--vault", vault, "forget", "f-9", "--yes").ok()
    assert not (vault / "quarantine/x.md").exists()
    assert blobs_with(vault, "Held text") == []
    assert listed(vault)["f-9"]["status"] == "tombstoned"


def test_the_message_says_which_commits_still_hold_it(vault: Path) -> None:
    first = head(vault)
    done = run("--vault", vault, "--json", "forget", "f-1", "--reason-code", "secret", "--yes").ok()
    assert done.data["held_by_commits"] == [first]
    assert done.data["forgotten"][0]["id"] == "f-1"
    assert first[:10] in done.err
    assert "clone and backup" in done.err
    assert "has to be changed where it is used" in done.err
    named = done.err.split("out of history: mvault ")[1].splitlines()[0].split()
    plan = (
        run("--vault", vault, "--json", *named).ok().data
    )  # the command that is named tells the rest
    assert plan["commits"] == [first]
    for word in ("reset", "filter-branch", "--force", "rm "):
        assert word not in done.err


def test_a_tombstone_is_shown_logged_and_named_by_check(vault: Path) -> None:
    path = vault / "memories/2026-11/端口.md"
    path.write_text(path.read_text().replace("---\n端", "derived_from: [f-1]\n---\n端"))
    run("--vault", vault, "forget", "f-1", "--reason", "林要求删除", "--yes").ok()
    shown = run("--vault", vault, "show", "f-1").ok().out
    assert "tombstoned" in shown
    assert "was: active" in shown
    assert "This is all that remains" in shown
    log = run("--vault", vault, "log", "f-1").ok().out
    assert "林要求删除" in log
    assert "by hand" in log
    codes = {(f["code"], f["path"]) for f in checked(vault)}
    assert ("forgotten-reference", "memories/2026-11/端口.md") in codes
    assert "Port 8080" not in rendered(vault)
    again = run("--vault", vault, "forget", "f-1", "--yes").ok()
    assert "nothing to do" in again.err
    assert run("--vault", vault, "edit", "f-1", "--set", "title=Back", "--yes").code == 4


def test_the_id_of_a_tombstone_is_not_given_out_again(vault: Path) -> None:
    env = {"MVAULT_SEED": "7"}
    own = run("--vault", vault, "add", "fact", "--title", "A", env=env).ok().out.strip()
    run("--vault", vault, "forget", own, "--yes").ok()
    other = run("--vault", vault, "add", "fact", "--title", "B", env=env).ok().out.strip()
    assert other != own


def test_an_agent_deletes_its_own_draft_and_no_other(vault: Path) -> None:
    own = run("--vault", vault, "add", "fact", "--title", "Mine", env=AGENT).ok().out.strip()
    shown = run("--vault", vault, "forget", own, env=AGENT)
    assert shown.code == 3
    assert "a draft of your own" in shown.err
    claimed = run("--vault", vault, "forget", "f-6", "--yes", env=AGENT)
    assert claimed.code == 3
    run("--vault", vault, "forget", own, "--yes", env=AGENT).ok()
    assert "Vault-Actor: agent" in git(vault, "log", "-1", "--format=%B")
    touched = run("--vault", vault, "add", "fact", "--title", "Ours", env=AGENT).ok().out.strip()
    (path,) = vault.rglob(f"*{touched[2:]}.md")
    path.write_text(path.read_text() + "A person's line.\n")
    assert run("--vault", vault, "forget", touched, "--yes", env=AGENT).code == 3
    assert path.is_file()


@pytest.mark.parametrize(
    ("words", "code", "hint"),
    [
        (("dispute", "f-1"), 2, "--reason"),
        (("dispute", "f-3", *WHY), 4, "can become"),
        (("resolve", "f-1", *WHY), 0, "mvault dispute"),
        (("resolve", "f-8", "--as", "tidy", *WHY), 2, "Known:"),
        (("revive", "f-4", *WHY), 4, "mvault deprecate f-5"),
        (("revive", "f-6", *WHY), 0, "mvault approve"),
        (("supersede", "f-1"), 2, "--title"),
        (("supersede", "f-1", "f-2", "--title", "x"), 2, "mvault edit"),
        (("supersede", "f-1", "f-1"), 4, "two records"),
        (("supersede", "f-9", "f-1"), 6, "mean"),
        (("deprecate",), 2, "--match"),
        (("deprecate", "--match", "没有", *WHY), 6, "mvault list"),
        (("forget",), 2, "--match"),
        (("forget", "f-1", "--reason-code", "bored"), 2, "user-request"),
        (("forget", "f-99"), 6, "mean"),
    ],
)
def test_bad_input_says_what_to_do(
    vault: Path, words: tuple[str, ...], code: int, hint: str
) -> None:
    start = head(vault)
    refused = run("--vault", vault, *words)
    assert refused.code == code, refused.text
    assert hint in refused.err
    assert head(vault) == start


def test_nothing_to_do_twice(vault: Path) -> None:
    for words in (COMMANDS["dispute"], COMMANDS["supersede link"], COMMANDS["revive"]):
        run("--vault", vault, *words, "--yes").ok()
        count = commit_count(vault)
        again = run("--vault", vault, *words, "--yes")
        assert (again.code, commit_count(vault)) == (0, count), again.text
        assert "nothing to do" in again.err
        run("--vault", vault, "undo", "--yes").ok()


def test_an_undo_does_not_bring_back_a_second_successor(vault: Path) -> None:
    run("--vault", vault, "supersede", "f-1", "f-2", *WHY, "--yes").ok()
    run("--vault", vault, "deprecate", "f-2", *WHY, "--yes").ok()
    deprecated = head(vault)
    run("--vault", vault, "supersede", "f-1", "f-5", *WHY, "--yes").ok()
    before = snapshot_bytes(vault)
    refused = run("--vault", vault, "undo", deprecated, "--yes")
    assert refused.code == 4
    assert "f-1 would have 2 successors: f-2, f-5" in refused.err
    assert snapshot_bytes(vault) == before


def test_deleting_by_source_and_topic(tmp_path: Path) -> None:
    files = {
        f"memories/{n}.md": fact(f"f-{n}", f"Note {n}", source=source, topics=topics)
        for n, source, topics in (
            (1, "import", "[旧维基]"),
            (2, "import", "[ci]"),
            (3, "user", "[旧维基]"),
        )
    }
    root = make_vault(tmp_path, files)
    words = ("forget", "--source", "import", "--topic", "旧维基", "--reason", "试导入")
    shown = run("--vault", root, *words)
    assert shown.code == 3
    assert shown.out.startswith("f-1  fact  active  Note 1\n")
    run("--vault", root, *words, "--yes").ok()
    statuses = {key: item["status"] for key, item in listed(root).items()}
    assert statuses == {"f-1": "tombstoned", "f-2": "active", "f-3": "active"}
