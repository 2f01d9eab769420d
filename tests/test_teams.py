"""Team vaults: read beside one's own at a trusted commit, marked, last in precedence, never written."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from helpers import PROJECT, Result, commit_all, git, make_vault, run, snapshot_bytes
from sync_helpers import ADDRESSES, note

from vault_cli.store.config import user_config_path
from vault_cli.store.own_settings import own_turn
from vault_cli.store.toml_patch import set_setting


def team_files() -> dict[str, str]:
    return {
        "playbook/周二.md": note(
            "r-0000001", "只在周二部署", "周五不部署。\n", kind="rule", force="required"
        ),
        "memories/port.md": note("f-0000002", "The gateway listens on 8443", "Since May.\n"),
        "drafts/d.md": note("f-0000003", "Only a draft", status="candidate"),
        "topics/t.md": note("o-0000004", "Gateway names", kind="topic"),
    }


@pytest.fixture
def team(tmp_path: Path) -> Path:
    return make_vault(tmp_path, team_files(), name="team")


@pytest.fixture
def mine(tmp_path: Path) -> Path:
    return make_vault(
        tmp_path, {"memories/own.md": note("f-0000009", "My own 自己的")}, name="mine"
    )


def here(root: Path, *argv: str | Path, actor: str = "person") -> Result:
    """Run a command in a vault, as who found it on the way up."""
    return run(*argv, cwd=root, env={"MVAULT_ACTOR": actor})


def add(mine: Path, team: Path, *more: str) -> Result:
    return here(mine, "team", "add", "backend", team, "--yes", *more)


def ids(root: Path) -> dict[str, str]:
    rows = here(root, "--json", "list").ok().data["records"]
    return {row["id"]: row.get("vault", "") for row in rows}


def test_it_is_read_beside_and_marked(mine: Path, team: Path) -> None:
    before = snapshot_bytes(team)
    add(mine, team).ok()
    assert ids(mine) == {
        "f-0000009": "", "r-0000001": "team:backend", "f-0000002": "team:backend"
    }  # fmt: skip
    block = here(mine, "render").ok().out
    assert "- [r-0000001] 只在周二部署 (team backend)" in block
    assert "Only a draft" not in block
    assert "team:backend" in here(mine, "search", "部署").ok().out
    assert "team:backend" in here(mine, "search", "gateway").ok().out
    shown = here(mine, "show", "r-0000001").ok()
    assert "vault: team:backend" in shown.out
    assert "never written" in shown.err
    assert here(mine, "render").out == block
    assert snapshot_bytes(team) == before
    # what is asked of the past is one's own
    assert "r-0000001" not in here(mine, "render", "--at", "HEAD").ok().out


def bare(tmp_path: Path, team: Path, *branches: str) -> Path:
    """A bare repository whose HEAD names a branch that nobody pushed."""
    place = tmp_path / "远端.git"
    git(tmp_path, "init", "--quiet", "--bare", "--initial-branch=trunk", str(place))
    for name in branches:
        git(team, "push", "--quiet", str(place), f"HEAD:refs/heads/{name}")
    return place


def test_the_only_branch_is_taken_where_the_main_one_is_not_there(
    tmp_path: Path, mine: Path, team: Path
) -> None:
    """`git init --bare` and a push of another branch make such a repository."""
    add(mine, bare(tmp_path, team, "main")).ok()
    assert ids(mine)["r-0000001"] == "team:backend"


def test_without_a_main_branch_one_of_several_is_asked_for(
    tmp_path: Path, mine: Path, team: Path
) -> None:
    place = bare(tmp_path, team, "one", "two")
    refused = add(mine, place)
    assert refused.code == 6, refused.text
    assert "main branch" in refused.err
    assert "--commit" in refused.err
    add(mine, place, "--commit", "two").ok()
    assert ids(mine)["r-0000001"] == "team:backend"


def test_an_empty_repository_is_named_as_one(tmp_path: Path, mine: Path, team: Path) -> None:
    refused = add(mine, bare(tmp_path, team))
    assert refused.code == 6, refused.text
    assert "has no commit yet" in refused.err


@pytest.mark.parametrize(
    "argv",
    [
        ("edit", "r-0000001", "--set", "importance=3", "--yes"),
        ("deprecate", "r-0000001", "--reason", "不再", "--yes"),
        ("forget", "r-0000001", "--yes"),
        ("mark", "f-0000002", "--helpful", "--yes"),
        ("dispute", "f-0000002", "--reason", "no", "--yes"),
    ],
)
def test_it_is_never_written(mine: Path, team: Path, argv: tuple[str, ...]) -> None:
    add(mine, team).ok()
    before = (git(mine, "rev-parse", "HEAD"), git(team, "rev-parse", "HEAD"))
    done = here(mine, *argv)
    assert done.code == 4, done
    assert "only read here" in done.err
    assert before == (git(mine, "rev-parse", "HEAD"), git(team, "rev-parse", "HEAD"))
    assert git(team, "status", "--porcelain") == ""


def test_a_commit_counts_when_a_person_trusted_it(mine: Path, team: Path, home: Path) -> None:
    preview = run("--json", "team", "add", "backend", team, cwd=mine)
    assert preview.code == 3
    assert [row["id"] for row in preview.json["data"]["added"]] == ["f-0000002", "r-0000001"]
    assert "teams" not in (home / "mvault.toml").read_text("utf-8")
    add(mine, team).ok()
    # what is pushed there later changes nothing here until it is looked at
    block = here(mine, "render").out
    (team / "memories/port.md").write_text(note("f-0000002", "Ignore it and listen on 1"), "utf-8")
    commit_all(team)
    here(mine, "team", "fetch").ok()
    assert here(mine, "render").out == block
    told = here(mine, "--json", "team", "add", "backend", team, "--dry-run").ok()
    assert [row["id"] for row in told.data["changed"]] == ["f-0000002"]
    assert here(mine, "render").out == block
    add(mine, team).ok()
    assert "listen on 1" in here(mine, "render").out


def test_a_project_only_names_it(tmp_path: Path, mine: Path, team: Path) -> None:
    """A pin in a vault.toml may come from anybody: it grants nothing."""
    commit = git(team, "rev-parse", "HEAD")
    line = f"teams = [{json.dumps(f'后端 {team} {commit}', ensure_ascii=False)}]\n"
    settings = mine / "vault.toml"
    text = settings.read_text("utf-8")
    settings.write_text(text.replace("schema = 1\n", f"schema = 1\n{line}"), "utf-8")
    commit_all(mine)
    done = here(mine, "render").ok()
    assert "r-0000001" not in done.out
    assert "nobody trusted" in done.err
    assert run("team", "trust", "后端", cwd=mine).code == 3
    here(mine, "team", "trust", "后端", "--yes").ok()
    assert "(team 后端)" in here(mine, "render").ok().out
    # a vault that is named alone has its own settings, and no other's
    assert "(team 后端)" in run("--vault", mine, "render").ok().out
    alone = make_vault(tmp_path, {}, name="alone")
    assert "(team" not in run("--vault", alone, "render").ok().out


def test_what_a_project_only_names_was_shown_to_nobody(mine: Path, team: Path) -> None:
    """A project that pins a commit must not make `team add` of it look like no change."""
    commit = git(team, "rev-parse", "HEAD")
    (mine / "vault.toml").write_text(f'teams = ["backend {team} {commit}"]\n', "utf-8")
    said = here(mine, "--json", "team", "add", "backend", team, "--yes").ok().data
    assert {row["id"] for row in said["added"]} == {"r-0000001", "f-0000002"}


@pytest.mark.parametrize(
    "how", [("deprecate", "--reason", "wrong"), ("forget", "--reason-code", "incorrect")]
)
def test_what_one_took_out_of_force_does_not_come_back(
    mine: Path, team: Path, how: tuple[str, ...]
) -> None:
    text = (team / "memories/port.md").read_bytes()
    (mine / "memories/port.md").write_bytes(text)
    commit_all(mine)
    add(mine, team).ok()
    here(mine, how[0], "f-0000002", *how[1:], "--yes").ok()
    assert "f-0000002" not in here(mine, "render").ok().out
    assert "r-0000001" in here(mine, "render").ok().out


def test_trust_goes_with_the_name(mine: Path, team: Path) -> None:
    add(mine, team).ok()
    commit = git(team, "rev-parse", "HEAD")
    here(mine, "team", "remove", "backend", "--yes").ok()
    (mine / "vault.toml").write_text(f'teams = ["backend {team} {commit}"]\n', "utf-8")
    assert "r-0000001" not in ids(mine)


def test_ones_own_comes_first(mine: Path, team: Path) -> None:
    files = {
        "memories/same.md": note("f-0000002", "We listen on 9000"),
        "playbook/new.md": note(
            "r-0000008", "Deploy any day", "Text.\n", kind="rule", supersedes="[r-0000001]"
        ),
    }
    for name, text in files.items():
        (mine / name).parent.mkdir(exist_ok=True)
        (mine / name).write_text(text, "utf-8")
    commit_all(mine)
    add(mine, team).ok()
    answer = here(mine, "--json", "render", "--receipt").ok().data
    block = here(mine, "render").out
    assert "9000" in block
    assert "8443" not in block
    assert "Deploy any day" in block
    assert "只在周二部署" not in block
    said = json.dumps(answer, ensure_ascii=False)
    assert "your own vault has a record of this id" in said
    assert "superseded by r-0000008 of your own vault" in said


def test_a_team_takes_nothing_of_ones_own_out_of_force(mine: Path, team: Path) -> None:
    (team / "memories/grab.md").write_text(
        note("f-0000005", "Replaces yours", supersedes="[f-0000009]"), "utf-8"
    )
    commit_all(team)
    add(mine, team).ok()
    block = here(mine, "render").out
    assert "f-0000009" in block
    assert "f-0000005" in block


def test_the_place_may_go(mine: Path, team: Path) -> None:
    """What was fetched is read on; a place that is gone is said when it is asked."""
    add(mine, team).ok()
    block = here(mine, "render").out
    team.rename(team.with_name("elsewhere"))
    assert here(mine, "render").out == block
    done = here(mine, "team", "fetch")
    assert done.code == 7
    assert "cannot be reached" in done.err
    assert "Traceback" not in done.err


def test_removed_it_is_not_read(mine: Path, team: Path) -> None:
    add(mine, team).ok()
    assert run("team", "remove", "backend", cwd=mine).code == 3
    assert "r-0000001" in ids(mine)
    here(mine, "team", "remove", "backend", "--yes").ok()
    assert ids(mine) == {"f-0000009": ""}
    assert here(mine, "team", "remove", "backend", "--yes").code == 6


@pytest.mark.parametrize(
    "value", ["backend", "backend /x abc", "a ext::sh 0" + "0" * 39, "+x /y " + "0" * 40]
)
def test_a_bad_setting_is_named(mine: Path, value: str) -> None:
    done = here(mine, "config", "set", "--user", "teams", value, "--yes")
    assert done.code == 2, done
    assert "teams" in done.err


def test_a_folder_without_a_vault(mine: Path, tmp_path: Path) -> None:
    plain = tmp_path / "plain"
    plain.mkdir()
    git(plain, "init", "-q")
    (plain / "x.md").write_text("x", "utf-8")
    commit_all(plain)
    done = here(mine, "team", "add", "backend", plain, "--yes")
    assert done.code == 2, done
    assert "holds no vault" in done.err


def test_the_vault_of_a_code_repository(mine: Path, tmp_path: Path) -> None:
    code = tmp_path / "code"
    code.mkdir()
    git(code, "init", "-q")
    run("init", code / ".mvault", "--in-repo", cwd=code).ok()
    place = code / ".mvault/memories/c.md"
    place.parent.mkdir(exist_ok=True)
    place.write_text(note("f-0000007", "Of the code 代码"), "utf-8")
    commit_all(code)
    add(mine, code).ok()
    assert ids(mine)["f-0000007"] == "team:backend"


def test_a_file_of_the_project_gets_nothing_of_a_team(mine: Path, team: Path) -> None:
    add(mine, team).ok()
    held = here(mine, "--json", "export", "json").ok()
    assert "r-0000001" not in held.out


def test_no_program_is_started_from_another_vault(
    tmp_path: Path, mine: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of several vaults at hand none brings the git that works on another one."""
    from vault_cli.store.git_run import find_git
    from vault_cli.store.vault import Vault

    planted = mine / "bin/git"
    planted.parent.mkdir()
    planted.write_text("#!/bin/sh\nexit 1\n", "utf-8")
    planted.chmod(0o755)
    Vault.open(mine, environ={})
    monkeypatch.setenv("PATH", f"{planted.parent}{os.pathsep}{os.environ['PATH']}")
    assert not Path(find_git(tmp_path / "other")).is_relative_to(mine)


@pytest.mark.parametrize("address", ADDRESSES)
def test_addresses_that_would_start_something(mine: Path, tmp_path: Path, address: str) -> None:
    canary = tmp_path / "canary"
    done = here(mine, "team", "add", "--yes", "x", "--", address.format(canary=canary))
    assert done.code in (2, 6, 7), done
    assert not canary.exists()
    assert "hunter2" not in done.text
    assert "Traceback" not in done.err


def test_what_a_team_finds_important_takes_no_room_of_ones_own(tmp_path: Path) -> None:
    def fact(number: int, kind: str = "fact", **keys: str) -> str:
        title = f"自己的事实 {number}" if number < 100 else f"Theirs {number}"
        return note(f"{kind[0]}-{number:07}", title, "一句说明。" * 4, kind=kind, **keys)

    own = {f"memories/{n}.md": fact(n) for n in range(1, 30)}
    theirs = {f"memories/{n}.md": fact(n, importance="10") for n in range(100, 200)}
    theirs |= {
        f"playbook/{n}.md": fact(n, "rule", importance="10", force="required")
        for n in range(200, 260)
    }
    mine, team = make_vault(tmp_path, own), make_vault(tmp_path, theirs, name="team")
    alone = shown(mine, 4000)
    add(mine, team).ok()
    beside = shown(mine, 4000)

    assert len(alone) == 29
    assert alone.keys() <= beside.keys()
    assert beside.keys() - alone.keys()  # what is left is theirs
    facts = [key for key in shown(mine, 90_000) if key[0] == "f"]
    assert set(facts[:29]) == alone.keys()


def shown(root: Path, budget: int) -> dict[str, str]:
    """Return the level of each record of a block, in its order."""
    done = here(root, "--json", "render", f"--budget={budget}", "--receipt").ok()
    rows = done.data["receipt"]["lines"]
    return {row["id"]: row["level"] for row in rows if row["level"] != "omitted"}


def test_two_that_are_added_at_once_are_both_there(mine: Path, team: Path) -> None:
    """Who comes second waits for the first, and reads what it wrote."""
    environ = {**os.environ, "PYTHONPATH": str(PROJECT), "MVAULT_ACTOR": "person"}
    argv = [sys.executable, "-m", "vault_cli", "team", "add", "前端", str(team), "--yes"]
    with own_turn():
        second = subprocess.Popen(
            argv, cwd=mine, env=environ, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE
        )
        with pytest.raises(subprocess.TimeoutExpired):
            second.wait(timeout=3)
        settings = user_config_path(os.environ)
        line = f"backend {team} {git(team, 'rev-parse', 'HEAD')}"
        settings.write_bytes(set_setting(settings, "teams", (line,)))
    _, said = second.communicate(timeout=60)
    assert second.returncode == 0, said
    found = [row["name"] for row in here(mine, "--json", "team", "list").ok().data["teams"]]
    assert found == ["backend", "前端"]


def test_one_id_twice_in_a_team_is_none_of_both(mine: Path, tmp_path: Path) -> None:
    texts = {f"memories/{n}.md": note("f-0000002", f"Twice {n}", f"{n}\n") for n in "ab"}
    add(mine, make_vault(tmp_path, texts, name="team")).ok()
    assert here(mine, "render").ok().out.count("Twice") == 0
