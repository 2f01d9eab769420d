"""Commands through the entry point: init, add, approval without a terminal, log, undo, check."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from helpers import (
    PROJECT,
    commit_count,
    git,
    head,
    listed,
    make_vault,
    run,
    snapshot_bytes,
    write_files,
)

ACTIVE = "---\nid: {id}\nkind: note\nstatus: active\ntitle: {title}\n---\nText of {id}.\n"
DRAFT = ACTIVE.replace("active", "candidate")


# init


def test_init_lists_notes_that_are_there_and_leaves_them(tmp_path: Path) -> None:
    write_files(tmp_path, {"a note.md": "# 旧的\n", ".gitignore": "*.log", "README.md": "mine\n"})
    result = run("init", tmp_path).ok()
    assert "a note.md" in result.err
    assert (tmp_path / "a note.md").read_text() == "# 旧的\n"
    assert (tmp_path / "README.md").read_text() == "mine\n"
    assert (tmp_path / ".gitignore").read_text() == "*.log\n/.state/\n/quarantine/\n"
    names = git(tmp_path, "show", "--name-only", "--format=").splitlines()
    assert "a note.md" not in names
    assert "vault.toml" in names
    again = run("init", tmp_path).ok()
    assert "nothing to do" in again.err
    assert commit_count(tmp_path) <= 2


def test_init_makes_no_vault_that_hides_the_project_s_own(tmp_path: Path) -> None:
    make_vault(tmp_path / "code", name=".mvault")
    refused = run("init", tmp_path / "code")
    assert refused.code == 2
    assert "is the project vault here" in refused.err
    assert not (tmp_path / "code/vault.toml").exists()
    run("init", tmp_path / "code/.mvault").ok()


def test_init_dry_run_writes_nothing(tmp_path: Path) -> None:
    target = tmp_path / "new"
    result = run("init", target, "--dry-run").ok()
    assert "+schema = 1" in result.out
    assert not target.exists()


def test_init_inside_a_repository_wants_to_be_told(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q", "project")
    project = tmp_path / "project"
    git(project, "commit", "-q", "--allow-empty", "-m", "one")
    silent = run("init", project / "notes")
    assert silent.code == 2
    assert "--own-repo" in silent.err
    assert "--in-repo" in silent.err
    assert not (project / "notes").exists()
    before = head(project)
    own = run("init", project / "notes", "--own-repo").ok()
    assert "/notes/" in own.err  # what the outer repository should ignore
    assert head(project) == before
    assert (project / "notes" / ".git").exists()
    inside = run("init", project / "docs", "--in-repo").ok()
    assert "a folder of the repository" in inside.err
    assert head(project) != before
    names = git(project, "show", "--name-only", "--format=").splitlines()
    assert names
    assert all(name.startswith("docs/") for name in names)


def test_init_refuses_what_makes_no_sense(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    assert run("init", tmp_path / "file").code == 2
    assert run("init", tmp_path / "new", "--in-repo").code == 2
    assert run("init", tmp_path / "new", "--in-repo", "--own-repo").code == 2
    assert not (tmp_path / "new").exists()


def test_init_files_are_what_editors_and_git_read(tmp_path: Path) -> None:
    root = make_vault(tmp_path)
    assert "*.md -text" in (root / ".gitattributes").read_text()
    assert "merge=union" in (root / ".gitattributes").read_text()
    schema = json.loads((root / ".mvault-schema.json").read_text())
    assert "title" in schema["properties"]
    snippets = json.loads((root / ".vscode" / "mvault.code-snippets").read_text())
    assert "kind: lesson" in snippets["mvault lesson"]["body"]
    assert git(root, "status", "--porcelain") == ""
    assert run("--vault", root, "check").code == 0


# add


def test_add_reads_stdin_and_takes_the_heading_for_the_title(tmp_path: Path) -> None:
    root = make_vault(tmp_path)
    made = run("--vault", root, "--json", "add", "note", stdin="# 从管道来\n\n正文。\n").ok().data
    assert listed(root)[made["id"]]["title"] == "从管道来"
    made = run(
        "--vault", root, "--json", "add", "note", "--title", "T", "--body", "-", stdin="x\r\ny\r\n"
    ).ok().data  # fmt: skip
    assert b"x\ny\n" in (root / made["path"]).read_bytes()


def test_add_with_a_title_does_not_hang_on_an_open_silent_stdin(tmp_path: Path) -> None:
    root = make_vault(tmp_path)
    process = subprocess.Popen(
        [sys.executable, "-m", "vault_cli", "--vault", str(root), "add", "note", "--title", "T"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(PROJECT)},
    )
    assert process.wait(timeout=20) == 0
    for stream in (process.stdin, process.stdout, process.stderr):
        assert stream is not None
        stream.close()


def test_add_refuses_what_is_no_text(tmp_path: Path) -> None:
    root = make_vault(tmp_path)
    assert run("--vault", root, "add", "note", stdin=b"\xff\xfe\x00").code == 2
    assert run("--vault", root, "add", "note", stdin=b"x" * (2 << 20)).code == 2
    assert run("--vault", root, "add", "note", "--section", "no equals sign").code == 2
    assert run("--vault", root, "add", "note", "--payload", "-", stdin="[1]").code == 2
    assert run("--vault", root, "add", "note", "--payload", "-", stdin="{").code == 2
    assert listed(root) == {}


def test_a_payload_cannot_claim_its_own_admission(tmp_path: Path) -> None:
    root = make_vault(tmp_path)
    payload = {"title": "T", "body": "x", "status": "active", "verified_by": "Lin", "origin": "cli"}
    made = run(
        "--vault", root, "--json", "add", "note", "--payload", "-", stdin=json.dumps(payload)
    )
    assert "verified_by" in made.ok().err
    assert listed(root)[made.data["id"]]["status"] == "candidate"
    text = (root / made.data["path"]).read_text()
    assert "Lin" not in text


def test_an_add_dry_run_writes_nothing(tmp_path: Path) -> None:
    root = make_vault(tmp_path)
    before = head(root), snapshot_bytes(root)
    result = run("--vault", root, "--dry-run", "add", "note", "--title", "T", "--body", "x").ok()
    assert "+title: T" in result.out
    assert (head(root), snapshot_bytes(root)) == before


# approval without a terminal


@pytest.mark.parametrize("actor", ["agent", "hook", "import", "policy", "somebody"])
def test_yes_without_a_terminal_is_for_actors_the_person_named(tmp_path: Path, actor: str) -> None:
    root = make_vault(tmp_path, {"n-1.md": DRAFT.format(id="n-1", title="One")})
    for argv in (
        ["approve", "n-1", "--yes"],
        ["reject", "n-1", "--reason", "no", "--yes"],
    ):
        result = run("--vault", root, *argv, env={"MVAULT_ACTOR": actor})
        assert result.code == 3, result.text
    assert listed(root)["n-1"]["status"] == "candidate"


def test_a_named_actor_approves_and_the_trailer_says_how(tmp_path: Path, home: Path) -> None:
    root = make_vault(tmp_path, {"n-1.md": DRAFT.format(id="n-1", title="One")})
    (home / "mvault.toml").write_text('[trust]\napprove_without_terminal = ["ci-bot"]\n')
    assert run("--vault", root, "approve", "n-1", "--yes").code == 3
    run("--vault", root, "approve", "n-1", "--yes", env={"MVAULT_ACTOR": "ci-bot"}).ok()
    trailers = git(root, "log", "-1", "--format=%B").splitlines()
    assert "Vault-Approval: configured" in trailers
    assert "Vault-Actor: policy" in trailers
    assert "Vault-Agent: ci-bot" in trailers


def test_the_actor_called_person_is_the_person(tmp_path: Path) -> None:
    root = make_vault(tmp_path, {"n-1.md": DRAFT.format(id="n-1", title="One")})
    run("--vault", root, "approve", "n-1", "--yes").ok()
    trailers = git(root, "log", "-1", "--format=%B").splitlines()
    assert "Vault-Approval: configured" in trailers
    assert "Vault-Actor: person" in trailers
    assert "Vault-Agent" not in "".join(trailers)


@pytest.mark.parametrize(
    "argv",
    [["reject", "n-1", "--reason", "不需要"], ["deprecate", "n-2", "--reason", "old"],
     ["edit", "n-2", "--set", "topics=x"], ["undo", "HEAD"],
     ["approve", "n-1", "--allow", "frame-tag", "--reason", "看过了"]],
)  # fmt: skip
def test_a_named_actor_does_only_what_a_policy_may(
    tmp_path: Path, home: Path, argv: list[str]
) -> None:
    files = {
        "n-1.md": DRAFT.format(id="n-1", title="One"),
        "n-2.md": ACTIVE.format(id="n-2", title="Two"),
    }
    root = make_vault(tmp_path, files)
    (home / "mvault.toml").write_text('[trust]\napprove_without_terminal = ["ci-bot"]\n')
    before = head(root)
    result = run("--vault", root, *argv, "--yes", env={"MVAULT_ACTOR": "ci-bot"})
    assert result.code == 4, result.text
    assert "policy" in result.err
    assert head(root) == before


def test_the_vaults_own_configuration_grants_nothing(tmp_path: Path, home: Path) -> None:
    root = make_vault(tmp_path, {"n-1.md": DRAFT.format(id="n-1", title="One")})
    (home / "mvault.toml").write_text("")
    settings = (root / "vault.toml").read_text()
    (root / "vault.toml").write_text(f'{settings}\n[trust]\napprove_without_terminal = ["agent"]\n')
    result = run("--vault", root, "approve", "n-1", "--yes", env={"MVAULT_ACTOR": "agent"})
    assert result.code != 0
    assert "status: candidate" in (root / "n-1.md").read_text()


@pytest.mark.parametrize(
    "argv",
    [["edit", "n-1", "--set", "topics=x"], ["deprecate", "n-1", "--reason", "old"],
     ["undo", "HEAD"], ["edit", "n-1", "--set", "scope=global", "--set", "boundary=b"]],
)  # fmt: skip
def test_what_is_in_force_needs_a_person(tmp_path: Path, argv: list[str]) -> None:
    root = make_vault(tmp_path, {"n-1.md": ACTIVE.format(id="n-1", title="One")})
    before = head(root)
    result = run("--vault", root, "--json", *argv)
    assert result.code == 3, result.text
    assert result.json["error"]["kind"] == "needs-person"
    assert result.data["applied"] is False
    assert result.data["diff"]
    assert head(root) == before


def test_an_agent_may_edit_its_candidate_but_not_its_status(tmp_path: Path) -> None:
    root = make_vault(tmp_path, {"n-1.md": DRAFT.format(id="n-1", title="One")})
    run("--vault", root, "edit", "n-1", "--set", "topics=ci, git，测试").ok()
    assert listed(root)["n-1"]["topics"] == ["ci", "git", "测试"]
    assert run("--vault", root, "edit", "n-1", "--set", "status=active").code == 4
    run("--vault", root, "edit", "n-1", "--set", "topics=").ok()
    assert listed(root)["n-1"]["topics"] == []
    assert listed(root)["n-1"]["status"] == "candidate"


@pytest.mark.parametrize(
    "argv",
    [["approve", "n-1", "--yes"], ["reject", "n-1", "--reason", "no", "--yes"],
     ["edit", "n-1", "--set", "topics=a"], ["adopt", "hand.md"]],
)  # fmt: skip
def test_the_dry_run_shows_what_the_run_then_does(tmp_path: Path, argv: list[str]) -> None:
    root = make_vault(
        tmp_path, {"n-1.md": DRAFT.format(id="n-1", title="One"), "hand.md": "# By hand\n"}
    )
    env = {"MVAULT_SEED": "3"}
    before = head(root)
    shown = run("--vault", root, "--dry-run", *argv, cwd=root, env=env).ok().out
    assert head(root) == before
    run("--vault", root, *argv, cwd=root, env=env).ok()
    done = git(root, "show", "--no-renames", "--format=", "-U3")
    added = sorted(x for x in done.splitlines() if x.startswith("+") and not x.startswith("+++"))
    for line in (x for x in shown.splitlines() if x.startswith("+") and not x.startswith("+++")):
        assert line in added


# list, log, check, undo


def test_list_filters(tmp_path: Path) -> None:
    rule = "---\nid: r-1\nkind: rule\nstatus: candidate\ntitle: R\ntopics: [CI]\nscope: project:web\n---\nx\n"
    root = make_vault(tmp_path, {"r.md": rule, "n.md": ACTIVE.format(id="n-1", title="One")})
    assert set(listed(root, "--kind", "rule")) == {"r-1"}
    assert set(listed(root, "--status", "active")) == {"n-1"}
    assert set(listed(root, "--topic", "ci")) == {"r-1"}
    assert set(listed(root, "--scope", "project")) == {"r-1"}
    assert set(listed(root, "--scope", "project:web")) == {"r-1"}
    assert set(listed(root, "--scope", "global")) == {"n-1"}
    assert set(listed(root, "-k", "rule", "-k", "note")) == {"r-1", "n-1"}


def test_a_foreign_commit_subject_is_shown_escaped(tmp_path: Path) -> None:
    root = make_vault(tmp_path, {"n.md": ACTIVE.format(id="n-1", title="One")})
    git(root, "commit", "-q", "--allow-empty", "-m", "evil \x1b[2J [bold]")
    shown = run("--vault", root, "log").ok()
    assert "\x1b" not in shown.text
    assert "[bold]" in shown.out


def test_log_of_a_record_that_is_gone(tmp_path: Path) -> None:
    root = make_vault(tmp_path)
    made = run("--vault", root, "--json", "add", "note", "--title", "T", "--body", "x").ok().data
    git(root, "rm", "-q", made["path"])
    git(root, "commit", "-qm", "gone")
    assert "add(note): T" in run("--vault", root, "log", made["id"]).ok().out


def test_check_of_one_path_and_of_the_whole(tmp_path: Path) -> None:
    root = make_vault(
        tmp_path,
        {
            "a/bad.md": "---\nid: x\ntitle: a: b\n---\n",
            "b/ok.md": "# Port\n\nThe proxy listens on 8443.\n",
        },
    )
    assert run("--vault", root, "check").code == 1
    assert run("--vault", root, "check", root / "b").code == 0
    assert run("--vault", root, "check", "b/ok.md", cwd=root).code == 0
    assert run("--vault", root, "check", ".", cwd=root).code == 1
    found = run("--vault", root, "--json", "check", "a", cwd=root)
    assert found.code == 1
    assert {item["path"] for item in found.json["diagnostics"]} == {"a/bad.md"}
    assert run("--vault", root, "check", "../elsewhere", cwd=root).code == 6
    assert run("--vault", root, "check", tmp_path, cwd=root).code == 2


def test_an_agent_may_take_its_own_draft_back(tmp_path: Path) -> None:
    root = make_vault(tmp_path)
    run("--vault", root, "add", "note", "--title", "T", "--body", "x").ok()
    run("--vault", root, "undo").ok()
    assert listed(root) == {}
    assert "Vault-Actor: agent" in git(root, "log", "-1", "--format=%B")
    run("--vault", root, "undo").ok()
    assert [item["title"] for item in listed(root).values()] == ["T"]


def test_status_names_what_was_changed_outside(tmp_path: Path) -> None:
    root = make_vault(tmp_path, {"n.md": ACTIVE.format(id="n-1", title="One")})
    (root / "n.md").write_text(ACTIVE.format(id="n-1", title="Two"))
    (root / "new.md").write_text("# By hand\n")
    status = run("--vault", root, "status").ok()
    assert "changed n.md (in force)" in status.out
    assert "added new.md" in status.out


def test_undecodable_file_names_are_shown_escaped(tmp_path: Path) -> None:
    root = make_vault(tmp_path)
    try:
        (root / os.fsdecode(b"caf\xe9.md")).write_text("# x\n")
    except OSError:
        pytest.skip("this file system takes UTF-8 names only")
    for argv in (["list"], ["status"], ["check"], ["--json", "list"], ["--json", "check"]):
        result = run("--vault", root, *argv)
        assert result.code in (0, 1), result.text
        assert "caf" in result.text


# completion


def test_completion_answers_ids_with_titles(tmp_path: Path) -> None:
    root = make_vault(
        tmp_path, {"n.md": ACTIVE.format(id="n-1", title="\"'$(touch pwn)' [red]中文\"")}
    )
    env = {
        **os.environ,
        "PYTHONPATH": str(PROJECT),
        "MVAULT": str(root),
        "_MVAULT_COMPLETE": "complete_fish",
        "_TYPER_COMPLETE_ARGS": "mvault show n",
        "_TYPER_COMPLETE_FISH_ACTION": "get-args",
    }
    done = subprocess.run(
        [sys.executable, "-m", "vault_cli"], capture_output=True, text=True, check=False, env=env
    )
    assert done.stdout.strip() == "n-1\ttouch pwn red 中文"
    bash = {
        **env,
        "_MVAULT_COMPLETE": "complete_bash",
        "COMP_WORDS": "mvault sh",
        "COMP_CWORD": "1",
    }
    done = subprocess.run(
        [sys.executable, "-m", "vault_cli"], capture_output=True, text=True, check=False, env=bash
    )
    assert done.stdout.split() == ["show"]


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_scripts(shell: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "vault_cli", "--show-completion", shell],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": str(PROJECT),
             "_TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION": "1"},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "_MVAULT_COMPLETE" in done.stdout


def test_a_preview_shows_the_hand_edit_that_is_recorded_first(tmp_path: Path) -> None:
    root = make_vault(tmp_path, {"n.md": ACTIVE.format(id="n-1", title="标题")})
    (root / "n.md").write_text((root / "n.md").read_text() + "偷偷加的一行\n")
    for extra in (["--dry-run"], []):
        done = run("--vault", root, "edit", "n-1", "--set", "importance=8", *extra)
        assert "n.md holds an edit that no commit has; it is recorded first:" in done.out
        assert "+偷偷加的一行" in done.out
        assert "+importance: 8" in done.out
    told = run("--vault", root, "--json", "edit", "n-1", "--set", "importance=8", "--dry-run").ok()
    assert "+偷偷加的一行" in told.data["recorded_first"]
    (root / "new.md").write_text(ACTIVE.format(id="n-2", title="New"))
    new = run("--vault", root, "deprecate", "n-2", "--reason", "old", "--dry-run").ok()
    assert "no commit holds new.md yet; it is recorded first, as it is" in new.out
    fresh = run("--vault", root, "add", "note", "--title", "x", "--body", "y", "--dry-run").ok()
    assert "no commit" not in fresh.out


def test_a_graduated_recipe_comes_back_by_demotion_only(tmp_path: Path) -> None:
    text = ACTIVE.format(id="c-1", title="Rotate keys").replace("kind: note", "kind: recipe")
    root = make_vault(tmp_path, {"r.md": text + "\n## Problem\nOld.\n\n## Steps\n1. New.\n"})
    why = ["--force", "--reason", "proven", "--yes"]
    run("--vault", root, "graduate", "c-1", *why).ok()
    again = run("--vault", root, "graduate", "c-1", *why).ok()
    assert "nothing to do: c-1 is the skill k-" in again.err
    refused = run("--vault", root, "approve", "c-1", "--yes")
    assert refused.code == 4
    assert "mvault demote k-" in refused.err
    run("--vault", root, "demote", "c-1", "--reason", "step changed", "--yes").ok()
    assert [r["id"] for r in run("--vault", root, "--json", "list").data["records"]] == ["c-1"]


def test_a_revision_is_no_duplicate_of_what_it_replaces(tmp_path: Path) -> None:
    root = make_vault(tmp_path, {"n.md": ACTIVE.format(id="n-1", title="标题")})
    done = run("--vault", root, "revise", "n-1", "--set", "importance=8").ok()
    assert "duplicate" not in done.err


def test_an_undo_in_the_way_of_later_commits_names_the_newest_first(tmp_path: Path) -> None:
    files = {f"{i}.md": DRAFT.format(id=i, title=f"标题 {i}") for i in ("n-1", "n-2")}
    root = make_vault(tmp_path, files)
    run("--vault", root, "approve", "n-1", "n-2", "--yes").ok()
    target = head(root)
    for n, record_id in enumerate(("n-1", "n-2", "n-1", "n-2", "n-1")):
        run("--vault", root, "edit", record_id, "--set", f"importance={n + 2}", "--yes").ok()
    for record_id in ("n-1", "n-2"):
        run("--vault", root, "deprecate", record_id, "--reason", "旧了", "--yes").ok()
    refused = run("--vault", root, "undo", target, "--yes")
    assert refused.code == 4
    newest = head(root)[:10]
    assert f"(the last one: mvault undo {newest})" in refused.err
    assert f"changed since by {newest} " in refused.err
    assert "and 2 more" in refused.err
