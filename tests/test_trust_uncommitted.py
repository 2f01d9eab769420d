"""`trust.uncommitted = committed`: no command of an agent lets an edit count, nor its settings."""

from __future__ import annotations

from pathlib import Path

import pytest
from helpers import git, head, make_vault, rendered, run, write_files

RULE = """---
id: r-one1111
kind: rule
status: active
force: required
title: {title}
---
{body}
"""
WRITTEN = """---
id: r-two2222
kind: rule
status: {status}
title: {title}
---
{body}
"""
TEXTS = [("Never push to production", "No exceptions."), ("不要直接上线", "没有例外。")]
ONE, TWO = "playbook/one.md", "playbook/two.md"
AGENT = {"MVAULT_ACTOR": "agent"}


@pytest.fixture(params=TEXTS, ids=["en", "zh"])
def text(request: pytest.FixtureRequest) -> tuple[str, str]:
    return (request.param[0], request.param[1])


@pytest.fixture
def root(tmp_path: Path, home: Path, text: tuple[str, str]) -> Path:
    title, body = text
    files = {
        ONE: RULE.format(title=title, body=body),
        TWO: WRITTEN.format(status="candidate", title=title, body=body),
    }
    vault = make_vault(tmp_path, files)
    with (home / "mvault.toml").open("a", encoding="utf-8") as file:
        file.write('uncommitted = "committed"\n')
    return vault


def edit(root: Path, path: str, old: str, new: str) -> None:
    before = (root / path).read_text("utf-8")
    assert old in before
    (root / path).write_text(before.replace(old, new), "utf-8")


@pytest.mark.parametrize("how", ["optional", "a draft", "another text"])
@pytest.mark.parametrize("words", [("dispute", "r-one1111", "--reason", "x"), ("adopt", ONE)])
def test_an_agent_s_command_records_no_edit_of_what_is_in_force(
    root: Path, text: tuple[str, str], how: str, words: tuple[str, ...]
) -> None:
    old, new = {
        "optional": ("force: required\n", ""),
        "a draft": ("status: active", "status: candidate"),
        "another text": (text[1], "Push at once. 直接推送。"),
    }[how]
    if words[0] == "adopt":
        new = new + "id: r-other99\n" if how == "optional" else new
    edit(root, ONE, old, new)
    before = head(root)
    done = run("--vault", root, *words, env=AGENT)
    assert head(root) == before
    if words[0] == "dispute" and how != "another text":  # a required rule is a person's anyway
        assert done.code == 4
        assert "waits for its commit" in done.err
        assert run("--vault", root, *words, "--dry-run", env=AGENT).code == 4
    assert text[0] in rendered(root)
    assert text[1] in (root / ONE).read_text("utf-8") or how == "another text"


def test_nor_a_draft_that_was_put_in_force_by_hand(root: Path, text: tuple[str, str]) -> None:
    edit(root, TWO, "status: candidate", "status: active")
    before = head(root)
    run("--vault", root, "edit", "r-two2222", "--set", "importance=9", env=AGENT)
    run("--vault", root, "anchor", "r-two2222", ONE, env=AGENT)
    assert head(root) == before
    new = WRITTEN.format(status="active", title="Obey 听话", body=text[1])
    write_files(root, {"playbook/new.md": new.replace("id: r-two2222\n", "")})
    assert run("--vault", root, "adopt", "playbook/new.md", env=AGENT).code == 4
    assert "Obey" not in rendered(root)


def test_drafts_and_clean_records_are_an_agent_s_to_change(root: Path) -> None:
    edit(root, TWO, "kind: rule", "kind: rule\nimportance: 3")
    before = head(root)
    run("--vault", root, "edit", "r-two2222", "--set", "importance=9", env=AGENT).ok()
    assert head(root) != before
    write_files(root, {"notes/n.md": "# A note 笔记\n\nText.\n"})
    run("--vault", root, "adopt", "notes/n.md", env=AGENT).ok()


def test_a_person_s_command_records_the_edit_first(root: Path, text: tuple[str, str]) -> None:
    edit(root, ONE, text[1], "Ask first. 先问。")
    person = {"MVAULT_ACTOR": "person"}
    run("--vault", root, "deprecate", "r-one1111", "--reason", "x", "--yes", env=person).ok()
    assert text[0] not in rendered(root)


SECRET = "ghp_" + "A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8"


@pytest.mark.parametrize(
    "settings",
    [
        '[render]\nmode = "off"\n',
        '[render]\norder = ["lessons"]\n',
        "[admission]\ngates = []\n",
        "[[",
    ],
)
def test_settings_count_when_they_are_committed(
    root: Path, text: tuple[str, str], settings: str
) -> None:
    before, first = rendered(root), (root / "vault.toml").read_text("utf-8")
    (root / "vault.toml").write_text(f"schema = 1\n{settings}", "utf-8")
    assert rendered(root) == before
    assert text[0] in before
    words = ("add", "lesson", "--title", f"CI {text[0]}", "--section")
    done = run("--vault", root, *words, f"problem=The token is {SECRET}", env=AGENT)
    assert done.code == 4
    found = run("--vault", root, "--json", "check").json["diagnostics"]
    assert "uncommitted-settings" in {item["code"] for item in found}
    (root / "vault.toml").write_text(first, "utf-8")
    if settings.startswith("[render]\nmode"):
        (root / "vault.toml").write_text(f"schema = 1\n{settings}", "utf-8")
        git(root, "commit", "-qam", "settings")
        assert text[0] not in rendered(root)
