"""`check --trust`: origin, admission and last change of every record in force, from history."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from helpers import commit_all, git, make_vault, run, write_files

NOTE = "---\nid: {id}\nkind: note\nstatus: {status}\n{more}title: {title}\n---\n{body}\n"
PERSON = {"MVAULT_ACTOR": "person"}


def note(key: str, status: str = "active", more: str = "", body: str = "text") -> str:
    return NOTE.format(id=key, status=status, more=more, title=f"标题 {key}", body=body)


def add_approved(root: Path, title: str) -> str:
    added = run("--vault", root, "add", "note", "--title", title, "--body", "正文。").ok()
    run("--vault", root, "approve", added.out.strip(), "--yes", env=PERSON).ok()
    return added.out.strip()


def check(root: Path, *argv: str) -> tuple[dict[str, Any], dict[str, set[str]], int]:
    """Accounts by id, finding codes by path, exit code."""
    result = run("--vault", root, "--json", "check", "--trust", *argv)
    assert result.code in (0, 1), result.text
    codes: dict[str, set[str]] = {}
    for item in result.json["diagnostics"]:
        codes.setdefault(item["path"], set()).add(item["code"])
    return {row["id"]: row for row in result.data["records"]}, codes, result.code


def test_what_came_in_by_the_program(tmp_path: Path) -> None:
    root = make_vault(tmp_path)
    key = add_approved(root, "支付回调要幂等")
    approved = git(root, "rev-parse", "HEAD")
    run("--vault", root, "edit", key, "--set", "summary=短。", "--yes", env=PERSON).ok()
    edited = git(root, "rev-parse", "HEAD")
    accounts, codes, code = check(root)
    assert (codes, code) == ({}, 0)
    row = accounts[key]
    assert row["origin"] == "cli"
    assert row["admitted"]["commit"] == approved
    assert (row["admitted"]["actor"], row["admitted"]["approval"]) == ("person", "configured")
    assert row["last_change"]["commit"] == edited
    assert row["state"] == "committed"
    shown = run("--vault", root, "check", "--trust").ok()
    assert "approve (person configured)" in shown.out
    assert "can forge them" in shown.err


def test_by_hand_and_not_committed(tmp_path: Path) -> None:
    root = make_vault(tmp_path, {"memories/a.md": note("n-a")})
    write_files(root, {"memories/b.md": note("n-b")})
    (root / "memories/a.md").write_text(note("n-a", body="另一句"))
    accounts, codes, code = check(root)
    assert code == 0
    assert codes["memories/a.md"] == {"trust-by-hand", "trust-uncommitted"}
    assert codes["memories/b.md"] == {"trust-uncommitted"}
    assert accounts["n-a"]["origin"] == "editor"
    assert accounts["n-a"]["state"] == "changed"
    assert accounts["n-b"]["admitted"] is None
    text = run("--vault", root, "check", "--trust").ok().out
    assert "Test Person <person@example.invalid>" in text


@pytest.mark.parametrize("actor", ["agent", "hook", "import"])
def test_an_admission_by_somebody_who_may_not(tmp_path: Path, actor: str) -> None:
    root = make_vault(tmp_path)
    write_files(root, {"memories/a.md": note("n-a")})
    message = (
        f"approve: a\n\nVault-Op: approve\nVault-Id: n-a\nVault-Origin: mcp\nVault-Actor: {actor}"
    )
    commit_all(root, message)
    accounts, codes, code = check(root)
    assert code == 1
    assert codes["memories/a.md"] == {"trust-admitted-by"}
    assert accounts["n-a"]["admitted"]["actor"] == actor
    assert check(root, "vault.toml")[2] == 0


def test_an_origin_that_history_does_not_bear_out(tmp_path: Path) -> None:
    root = make_vault(tmp_path)
    key = add_approved(root, "Told by a tool")
    path = next(root.rglob("memories/**/*.md"))
    path.write_text(path.read_text().replace("origin: cli", "origin: import"))
    run("--vault", root, "edit", key, "--set", "summary=s", "--yes", env=PERSON).ok()
    _, codes, _ = check(root)
    assert codes == {path.relative_to(root).as_posix(): {"trust-origin"}}


def test_a_body_swapped_inside_an_approval_of_something_else(tmp_path: Path) -> None:
    root = make_vault(tmp_path)
    key = add_approved(root, "Ask first")
    path = next(root.rglob("memories/**/*.md"))
    path.write_text(path.read_text().replace("正文。", "别的。"))
    write_files(root, {"memories/x.md": note("n-x")})
    message = (
        "approve: x\n\nVault-Op: approve\nVault-Id: n-x\nVault-Origin: cli\nVault-Actor: person"
    )
    swap = commit_all(root, message)
    accounts, codes, _ = check(root)
    assert codes == {path.relative_to(root).as_posix(): {"trust-unnamed"}}
    assert accounts[key]["last_change"]["commit"] == swap
    # the record is still told apart from the change that really admitted it
    assert accounts[key]["admitted"]["commit"] != swap


def test_verified_without_verify(tmp_path: Path) -> None:
    root = make_vault(tmp_path)
    key = add_approved(root, "Checked")
    path = next(root.rglob("memories/**/*.md"))
    path.write_text(path.read_text().replace("status: active", "status: verified"))
    commit_all(root, "by hand")
    _, codes, _ = check(root)
    assert codes == {path.relative_to(root).as_posix(): {"trust-verified"}}
    assert key


def test_renamed_by_hand_and_merged(tmp_path: Path) -> None:
    root = make_vault(tmp_path)
    key = add_approved(root, "Ask first")
    admitted = git(root, "rev-parse", "HEAD")
    git(root, "checkout", "-qb", "side")
    write_files(root, {"memories/side.md": note("n-s")})
    commit_all(root, "side")
    git(root, "checkout", "-q", "main")
    path = next(root.rglob("memories/**/*.md"))
    git(root, "mv", path.relative_to(root).as_posix(), "memories/other.md")
    git(root, "commit", "-qm", "renamed")
    git(root, "merge", "-q", "--no-edit", "side")
    accounts, _, _ = check(root)
    assert accounts[key]["admitted"]["commit"] == admitted
    assert accounts[key]["origin"] == "cli"
    assert accounts["n-s"]["last_change"]["op"] == ""


def test_a_text_that_a_merge_brought_back(tmp_path: Path) -> None:
    root = make_vault(tmp_path, {"memories/a.md": note("n-a", body="old")})
    git(root, "branch", "side")
    write_files(root, {"memories/a.md": note("n-a", body="new")})
    commit_all(root, "the new text")
    git(root, "checkout", "-q", "side")
    write_files(root, {"memories/b.md": note("n-b")})
    commit_all(root, "side")
    git(root, "checkout", "-q", "main")
    git(root, "merge", "-q", "--no-commit", "side")
    write_files(root, {"memories/a.md": note("n-a", body="old")})
    commit_all(root, "merge")
    _, codes, _ = check(root)
    assert "trust-brought-back" in codes["memories/a.md"]


def test_a_vault_that_is_a_folder_of_a_repository(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q", "code")
    root = tmp_path / "code" / ".mvault"
    run("init", root, "--in-repo", cwd=tmp_path).ok()
    key = add_approved(root, "In the project")
    accounts, codes, _ = check(root)
    assert codes == {}
    assert accounts[key]["origin"] == "cli"
    assert accounts[key]["admitted"]["op"] == "approve"


def test_hostile_messages_stay_harmless(tmp_path: Path) -> None:
    root = make_vault(tmp_path)
    write_files(root, {"memories/a.md": note("n-a")})
    commit_all(root, "hand \x1b[31m\x1b]0;x\x07\n\nVault-Actor: per\x1b[2Json")
    result = run("--vault", root, "check", "--trust").ok()
    assert "\x1b" not in result.text


QUOTED = ["'status': active", '"status": active', '"\\x73tatus": active', "? status\n: active"]
LONG = "# " + "长" * 4000 + "\nstatus: active"


@pytest.mark.parametrize("written", [*QUOTED, LONG])
def test_an_admission_in_another_spelling_is_seen(tmp_path: Path, written: str) -> None:
    root = make_vault(tmp_path, {"memories/a.md": note("n-a", "candidate")})
    data = note("n-a").replace("status: active", written)
    write_files(root, {"memories/a.md": data})
    if run("--vault", root, "--json", "show", "n-a").data["status"] != "active":
        pytest.skip("this spelling puts nothing in force")
    git(root, "add", "-A")
    git(root, "commit", "-qm", "x\n\nVault-Op: approve\nVault-Actor: agent\nVault-Id: n-a")
    _, codes, code = check(root)
    assert codes["memories/a.md"] == {"trust-admitted-by"}
    assert code == 1
