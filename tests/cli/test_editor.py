"""The editor: quoting, what it may do wrong, and that no text is lost."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest
from helpers import commit_count, git, listed, make_vault, run

from vault_cli.cli.editor import find_editor
from vault_cli.cli.intake import template_text
from vault_cli.errors import UsageError
from vault_cli.model.record import Kind

NOTE = "---\nid: n-1\nkind: note\nstatus: candidate\ntitle: One\n---\nOld text.\n"


def script(tmp_path: Path, body: str, name: str = "my ed") -> str:
    path = tmp_path / name
    path.write_text(f"#!/bin/sh\n{body}\n")
    path.chmod(0o755)
    return f'"{path}"'


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return make_vault(tmp_path, {"n-1.md": NOTE})


@pytest.mark.parametrize("variable", ["VISUAL", "EDITOR"])
def test_arguments_and_quoted_paths(root: Path, tmp_path: Path, variable: str) -> None:
    editor = script(tmp_path, '[ "$1" = "--wait" ] && sed -i "s/Old/New/" "$2"')
    result = run("--vault", root, "edit", "n-1", env={variable: f"{editor} --wait"}).ok()
    assert result.out == "n-1\n"
    assert (root / "n-1.md").read_text() == NOTE.replace("Old", "New")
    assert "Vault-Op: edit" in git(root, "log", "-1", "--format=%B")


def test_visual_comes_first_and_an_unquoted_path_with_a_space_works(tmp_path: Path) -> None:
    editor = script(tmp_path, "exit 0").strip('"')
    assert find_editor({"VISUAL": editor, "EDITOR": "nothing"}, has_terminal=False) == [editor]


@pytest.mark.parametrize("value", ["/no/such/editor --wait", '"unclosed', "''"])
def test_an_editor_that_cannot_be_started_is_a_message(value: str) -> None:
    with pytest.raises(UsageError, match=r"EDITOR"):
        find_editor({"EDITOR": value}, has_terminal=False)


def test_a_vault_cannot_name_a_program_to_run(root: Path, tmp_path: Path) -> None:
    evil = script(tmp_path, f'touch "{tmp_path}/ran"', "evil").strip('"')
    settings = (root / "vault.toml").read_text()
    (root / "vault.toml").write_text(f"editor = '{evil}'\n{settings}")
    result = run("--vault", root, "edit", "n-1", env={"EDITOR": None})
    assert result.code == 2
    assert not (tmp_path / "ran").exists()


def test_the_persons_own_setting_comes_first(root: Path, tmp_path: Path, home: Path) -> None:
    mine = script(tmp_path, 'sed -i "s/Old/Mine/" "$1"').strip('"')
    (home / "mvault.toml").write_text(f"editor = \"'{mine}'\"\n")
    run("--vault", root, "edit", "n-1", env={"EDITOR": "nothing"}).ok()
    assert "Mine text." in (root / "n-1.md").read_text()


def test_no_change_gives_the_wait_hint_and_no_commit(root: Path, tmp_path: Path) -> None:
    before = commit_count(root)
    result = run("--vault", root, "edit", "n-1", env={"EDITOR": script(tmp_path, "exit 0")}).ok()
    assert "nothing to do" in result.err
    assert "--wait" in result.err
    assert commit_count(root) == before


@pytest.mark.parametrize(
    ("body", "told"),
    [("exit 1", "ended with 1"), (': > "$1"', "came back empty"), ('rm "$1"', "came back empty")],
)
def test_a_failed_or_emptied_edit_changes_nothing(
    root: Path, tmp_path: Path, body: str, told: str
) -> None:
    before = commit_count(root)
    result = run("--vault", root, "edit", "n-1", env={"EDITOR": script(tmp_path, body)})
    assert result.code == 4
    assert told in result.err
    assert (root / "n-1.md").read_text() == NOTE
    assert commit_count(root) == before


@pytest.mark.parametrize(
    "body",
    ['sed -i "s/^title: .*/title: a: b/" "$1"', 'sed -i "s/^id: .*/id: n-2/" "$1"',
     'sed -i "s/candidate/active/" "$1"', 'sed -i "s/Old/New/" "$1"; exit 3'],
)  # fmt: skip
def test_what_cannot_be_taken_over_is_kept_and_named(root: Path, tmp_path: Path, body: str) -> None:
    result = run("--vault", root, "edit", "n-1", env={"EDITOR": script(tmp_path, body)})
    assert result.code == 4
    kept = root / ".state" / "rescued" / "n-1.md"
    assert str(kept) in result.err
    assert kept.read_text() != NOTE
    assert (root / "n-1.md").read_text() == NOTE
    assert listed(root)["n-1"]["status"] == "candidate"
    assert git(root, "status", "--porcelain") == ""


def test_an_edit_of_a_record_in_force_without_a_person_is_kept_too(tmp_path: Path) -> None:
    root = make_vault(tmp_path, {"n-1.md": NOTE.replace("candidate", "active")})
    editor = script(tmp_path, 'sed -i "s/Old/New/" "$1"')
    result = run("--vault", root, "edit", "n-1", env={"EDITOR": editor})
    assert result.code == 3
    assert "+New text." in result.out
    assert "New text." in (root / ".state" / "rescued" / "n-1.md").read_text()
    assert "Old text." in (root / "n-1.md").read_text()


def test_the_editors_own_output_stays_out_of_the_answer(root: Path, tmp_path: Path) -> None:
    editor = script(tmp_path, 'echo noise; sed -i "s/Old/New/" "$1"')
    result = run("--vault", root, "--json", "edit", "n-1", env={"EDITOR": editor})
    assert result.ok().data["id"] == "n-1"


@pytest.mark.parametrize("language", ["en_GB.UTF-8", "zh_CN.UTF-8"])
def test_a_new_draft_from_a_template(tmp_path: Path, language: str) -> None:
    root = make_vault(tmp_path)
    editor = script(
        tmp_path, 'sed -i "s/^# *$/# 从模板来/" "$1"; printf "\\nSome text.\\n" >> "$1"'
    )
    env = {"EDITOR": editor, "LC_ALL": language}
    made = run("--vault", root, "--json", "add", "note", env=env).ok().data
    assert listed(root)[made["id"]]["title"] == "从模板来"
    text = (root / made["path"]).read_text()
    assert "Some text." in text
    assert "<!--" not in text
    assert not list((root / ".state" / "edit").iterdir())


def test_templates_speak_the_persons_language() -> None:
    chinese = template_text(Kind.LESSON, {"LANG": "zh_TW.UTF-8"})
    english = template_text(Kind.LESSON, {"LANG": "zh_TW.UTF-8", "LC_ALL": "en_US.UTF-8"})
    assert "## 修正" in chinese
    assert "## Correction" in english
    assert template_text(Kind.TASK, {}).startswith("---")


def test_a_template_left_as_it_is_adds_nothing(tmp_path: Path) -> None:
    root = make_vault(tmp_path)
    result = run("--vault", root, "add", "note", env={"EDITOR": script(tmp_path, "exit 0")})
    assert result.code == 2
    assert "nothing was added" in result.err
    assert listed(root) == {}


def test_a_revision_in_the_editor_is_a_draft(tmp_path: Path) -> None:
    root = make_vault(tmp_path, {"memories/n-1.md": NOTE.replace("candidate", "active")})
    editor = script(tmp_path, 'sed -i "s/Old/New/" "$1"')
    made = run("--vault", root, "--json", "revise", "n-1", env={"EDITOR": editor}).ok().data
    items = listed(root)
    assert items["n-1"]["status"] == "active"
    assert items[made["id"]]["status"] == "candidate"
    shown = run("--vault", root, "--json", "show", made["id"]).ok().data
    assert shown["supersedes"] == ["n-1"]
    assert "New text." in shown["body"]


OLD_TIME = 1_000_000_000


def outside_folder(tmp_path: Path) -> Path:
    """A folder of somebody's, long untouched, with names of every pattern we ever gave."""
    folder = tmp_path / "outside"
    for name in ("照片", "tmpabcd1234", "edit-0123abcd"):
        (folder / name).mkdir(parents=True)
        (folder / name / "only copy.txt").write_text("precious")
        os.utime(folder / name, (OLD_TIME, OLD_TIME))
    return folder


def precious(folder: Path) -> list[str]:
    return sorted(path.read_text() for path in folder.rglob("only copy.txt"))


@pytest.mark.parametrize("link", [".state", ".state/edit"])
def test_a_linked_state_folder_is_refused_and_nothing_behind_it_is_touched(
    root: Path, tmp_path: Path, link: str
) -> None:
    outside = outside_folder(tmp_path)
    place = root / link
    if place.exists():
        shutil.rmtree(place)
    target = outside if link.endswith("edit") else tmp_path / "state"
    if link == ".state":
        target.mkdir()
        shutil.copytree(outside, target / "edit")
    place.symlink_to(target, target_is_directory=True)
    before = sorted(path.as_posix() for path in tmp_path.rglob("only copy.txt"))
    editor = script(tmp_path, 'printf "# 标题\\n\\ntext\\n" > "$1"')
    for argv in (["add", "note"], ["edit", "n-1"], ["revise", "n-1"]):
        result = run("--vault", root, *argv, env={"EDITOR": editor})
        assert result.code == 7, result.text
        assert "symbolic link" in result.err
    assert sorted(path.as_posix() for path in tmp_path.rglob("only copy.txt")) == before
    assert precious(outside) == ["precious"] * 3


def test_a_rescued_text_never_goes_through_a_link(root: Path, tmp_path: Path) -> None:
    outside = tmp_path / "elsewhere"
    outside.mkdir()
    (root / ".state").mkdir(exist_ok=True)
    (root / ".state" / "rescued").symlink_to(outside, target_is_directory=True)
    editor = script(tmp_path, 'sed -i "s/^title: .*/title: a: b/" "$1"')
    result = run("--vault", root, "edit", "n-1", env={"EDITOR": editor})
    assert result.code == 4
    assert list(outside.iterdir()) == []
    kept = next((root / ".state" / "edit").glob("*/n-1.md"))
    assert str(kept) in result.err
    assert "title: a: b" in kept.read_text()


def test_a_rescued_text_never_replaces_another_or_a_link(root: Path, tmp_path: Path) -> None:
    rescued = root / ".state" / "rescued"
    rescued.mkdir(parents=True, exist_ok=True)
    (tmp_path / "mine").write_text("mine")
    (rescued / "n-1.md").symlink_to(tmp_path / "mine")
    (rescued / "1-n-1.md").write_text("an older one")
    editor = script(tmp_path, 'sed -i "s/^title: .*/title: a: b/" "$1"')
    result = run("--vault", root, "edit", "n-1", env={"EDITOR": editor})
    assert str(rescued / "2-n-1.md") in result.err
    assert (tmp_path / "mine").read_text() == "mine"
    assert (rescued / "1-n-1.md").read_text() == "an older one"


def test_only_our_own_abandoned_copies_go(root: Path, tmp_path: Path) -> None:
    edit = root / ".state" / "edit"
    outside = outside_folder(tmp_path)
    for name in ("edit-00000000", "edit-11111111", "notes of mine"):
        (edit / name).mkdir(parents=True)
        (edit / name / "text.md").write_text("x")
    for name in ("edit-00000000", "notes of mine"):
        os.utime(edit / name, (OLD_TIME, OLD_TIME))
    (edit / "edit-22222222").symlink_to(outside, target_is_directory=True)
    os.utime(edit / "edit-22222222", (OLD_TIME, OLD_TIME), follow_symlinks=False)
    run("--vault", root, "edit", "n-1", env={"EDITOR": script(tmp_path, "exit 0")}).ok()
    left = {path.name for path in edit.iterdir()}
    assert {"edit-11111111", "edit-22222222", "notes of mine"} <= left
    assert "edit-00000000" not in left
    assert precious(outside) == ["precious"] * 3
