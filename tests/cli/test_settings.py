"""Settings: who sets them, and that a bad one stops neither looking nor repair."""

from __future__ import annotations

from pathlib import Path

import pytest
from helpers import commit_count, git, head, listed, make_vault, run

from vault_cli.errors import StoreError
from vault_cli.store.own_settings import change_settings

NOTE = "---\nid: n-1\nkind: note\nstatus: active\ntitle: 标题\n---\nText.\n"


def with_settings(tmp_path: Path, text: str) -> Path:
    """A vault with two changes, whose settings somebody has edited by hand since."""
    root = make_vault(tmp_path, {"n-1.md": NOTE})
    run("--vault", root, "add", "note", "--title", "草稿", "--body", "x").ok()
    settings = (root / "vault.toml").read_text()
    (root / "vault.toml").write_text(f"{settings}\n{text}\n")
    git(root, "commit", "-qam", "settings by hand")
    return root


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("render.budget", "1"),
        ("render.order", "lessons"),
        ("files.ignore", "memories"),
        ("vault.timezone", "Asia/Shanghai"),
        ("graduation.min_hits", "1"),
    ],
)
@pytest.mark.parametrize("more", [[], ["--yes"]])
def test_a_setting_of_a_vault_needs_a_person(
    tmp_path: Path, key: str, value: str, more: list[str]
) -> None:
    root = make_vault(tmp_path)
    before = head(root), (root / "vault.toml").read_bytes()
    env = {"MVAULT_ACTOR": "agent"}
    result = run("--vault", root, "config", "set", key, value, *more, env=env)
    assert result.code == 3, result.text
    assert "+++ b/vault.toml" in result.out
    assert (head(root), (root / "vault.toml").read_bytes()) == before


def test_a_configured_actor_sets_it_and_is_recorded(tmp_path: Path, home: Path) -> None:
    root = make_vault(tmp_path)
    (home / "mvault.toml").write_text('[trust]\napprove_without_terminal = ["ci-bot"]\n')
    argv = ["config", "set", "render.budget", "6000", "--yes"]
    run("--vault", root, *argv, env={"MVAULT_ACTOR": "ci-bot"}).ok()
    message = git(root, "log", "-1", "--format=%B")
    assert "Vault-Actor: policy" in message
    assert "Vault-Agent: ci-bot" in message


@pytest.mark.parametrize(
    ("key", "value"),
    [("vault.timezone", "Mars/北京"), ("render.mode", "loud"), ("render.budget", "-1")],
)
def test_what_loading_refuses_is_refused_when_it_is_set(
    tmp_path: Path, key: str, value: str
) -> None:
    root = make_vault(tmp_path)
    before = commit_count(root)
    result = run("--vault", root, "config", "set", key, value, "--yes")
    assert result.code == 2, result.text
    assert commit_count(root) == before
    run("--vault", root, "render").ok()


BAD = {
    "zone": '[vault]\ntimezone = "Mars/Base"',
    "value": '[render]\nbudget = "很多"',
    "key": "[render]\nbugdet = 1",
    "toml": "[render\nbudget = 1",
}


@pytest.mark.parametrize("kind", BAD)
@pytest.mark.parametrize("argv", [["status"], ["log"], ["undo", "--yes"]])
def test_a_bad_setting_stops_neither_looking_nor_undo(
    tmp_path: Path, kind: str, argv: list[str]
) -> None:
    root = with_settings(tmp_path, BAD[kind])
    result = run("--vault", root, *argv).ok()
    assert "vault.toml:" in result.err
    assert "error config-" in result.err
    if argv[0] == "undo":
        assert run("--vault", root, "--json", "status").ok().data["counts"]["drafts"] == 0


@pytest.mark.parametrize("kind", BAD)
def test_check_and_config_show_say_what_is_bad_and_where(tmp_path: Path, kind: str) -> None:
    root = with_settings(tmp_path, BAD[kind])
    checked = run("--vault", root, "--json", "check")
    assert checked.code == 1
    found = [item for item in checked.json["diagnostics"] if item["path"] == "vault.toml"]
    assert found
    assert found[0]["line"] > 0
    assert found[0]["severity"] == "error"
    shown = run("--vault", root, "config", "show").ok()
    assert "graduation.min_hits = 3" in shown.out
    assert f"vault.toml:{found[0]['line']}: error" in shown.err
    assert run("--vault", root, "render").code == 2


def test_a_bad_value_is_repaired_by_setting_it(tmp_path: Path) -> None:
    root = with_settings(tmp_path, BAD["zone"])
    run("--vault", root, "config", "set", "vault.timezone", "Asia/Shanghai", "--yes").ok()
    run("--vault", root, "render").ok()
    assert set(listed(root)) > {"n-1"}


def test_a_setting_of_ones_own_needs_a_person_too(tmp_path: Path, home: Path) -> None:
    own = home / "mvault.toml"
    before = own.read_bytes()
    argv = ["config", "set", "--user"]
    agent = {"MVAULT_ACTOR": "agent"}
    shown = run(*argv, "render.budget", "1", "--yes", cwd=tmp_path, env=agent)
    assert shown.code == 3, shown.text
    assert "+budget = 1" in shown.out
    # An actor that was granted something cannot grant more.
    for key in ("trust.approve_without_terminal", "editor"):
        assert run(*argv, key, "ci-bot", "--yes", cwd=tmp_path).code == 3
    assert own.read_bytes() == before


@pytest.mark.parametrize("place", ["file/mvault.toml", "file/below/mvault.toml"])
def test_a_place_of_ones_own_settings_that_cannot_be_is_named(tmp_path: Path, place: str) -> None:
    (tmp_path / "file").touch()
    own = {"MVAULT_CONFIG": str(tmp_path / place)}
    with pytest.raises(StoreError, match="cannot write") as found:
        change_settings(tmp_path / place, lambda: b"")
    assert str(tmp_path / place) in found.value.message
    shown = run("config", "set", "--user", "render.budget", "1", cwd=tmp_path, env=own)
    assert shown.code != 70, shown.text


def test_settings_answers_have_the_keys_of_every_change(tmp_path: Path) -> None:
    root = make_vault(tmp_path)
    done = run("--vault", root, "--json", "config", "set", "render.budget", "6000", "--yes").ok()
    none = run("--vault", root, "--json", "config", "set", "render.budget", "6000", "--yes").ok()
    own = run("--json", "config", "set", "--user", "render.budget", "7000", "--yes").ok()
    again = run("--json", "config", "set", "--user", "render.budget", "7000", "--dry-run").ok()
    assert set(done.data) == set(none.data) == set(own.data) == set(again.data)
    assert (none.data["applied"], none.data["paths"], none.data["commit"]) == (False, [], "")
    assert own.data["applied"] is True
    assert "render.budget is 6000 already" in none.err


def test_read_scopes_hides_nothing_of_a_vault_that_is_read_alone(tmp_path: Path) -> None:
    run("init", tmp_path / "memory").ok()
    shown = run("--vault", tmp_path / "memory", "config", "set", "--user", "read_scopes", "project")
    assert shown.code == 3
    assert "no effect here: this vault is read alone" in shown.out + shown.err
    assert "hides" not in shown.out + shown.err
