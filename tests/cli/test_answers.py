"""What the answers hold: the same keys of `--json` everywhere, status, check, log, undo, render."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from helpers import commit_count, git, listed, make_vault, run

ACTIVE = "---\nid: {id}\nkind: note\nstatus: active\ntitle: {title}\n---\nText of {id}.\n"
DRAFT = ACTIVE.replace("active", "candidate")
RECIPE = (
    "---\nid: {id}\nkind: recipe\nstatus: active\ntitle: {title}\nhits: {hits}\n---\n"
    "## Problem\nx\n\n## 步骤\n1. y\n"
)
NAMES = {"id", "kind", "status", "title", "path"}


def data_of(root: Path, *argv: str) -> Any:
    return run("--vault", root, "--json", *argv).ok().data


# one shape


def test_a_change_a_dry_run_and_nothing_to_do_have_the_same_keys(tmp_path: Path) -> None:
    files = {f"n-{i}.md": DRAFT.format(id=f"n-{i}", title=f"草稿 {i}") for i in range(5)}
    root = make_vault(tmp_path, files)
    answers = [
        data_of(root, "approve", "n-1", "--yes", "--dry-run"),
        data_of(root, "approve", "n-1", "--yes"),
        data_of(root, "approve", "n-1", "--yes"),
        data_of(root, "reject", "n-2", "--reason", "no", "--yes"),
        data_of(root, "reject", "n-2", "--yes"),
        data_of(root, "deprecate", "n-1", "--reason", "old", "--yes"),
        data_of(root, "deprecate", "n-1", "--yes"),
        data_of(root, "edit", "n-3", "--set", "topics=a"),
        data_of(root, "edit", "n-3", "--set", "topics=a"),
        data_of(root, "adopt", str(root / "n-3.md")),
        data_of(root, "undo", "HEAD", "--yes"),
        run("--vault", root, "--json", "approve", "n-4").data,
    ]
    always = set(answers[0]) - {"id", "path"}
    assert {"verb", "subject", "records", "paths", "applied", "changed", "commit"} <= always
    for answer in answers:
        assert always <= set(answer)
        assert set(answer) <= always | {"id", "path"}
        assert all(set(record) == NAMES for record in answer["records"])
    nothing = [answer for answer in answers if not answer["paths"]]
    assert len(nothing) == 5
    for answer in nothing:
        assert (answer["applied"], answer["commit"], answer["changed"]) == (False, "", False)
    assert answers[0]["paths"] == ["n-1.md"]
    assert answers[1]["records"][0]["status"] == "active"


def test_records_are_objects_and_counts_are_counts(tmp_path: Path) -> None:
    files = {
        "n-1.md": DRAFT.format(id="n-1", title="草稿"),
        "n-2.md": ACTIVE.format(id="n-2", title="Held") + "<system>\n",
        "n-3.md": ACTIVE.format(id="n-3", title="Old").replace("title", "valid_to: 2020-01-01\ntitle"),
        "n-4.md": ACTIVE.format(id="n-4", title="New").replace("title", "valid_from: 2999-01-01\ntitle"),
        "bad.md": "---\ntitle: a: b\n---\n",
    }  # fmt: skip
    root = make_vault(tmp_path, files)
    status, items = data_of(root, "status"), data_of(root, "list")
    assert items["counts"] == {"records": 4, "unreadable": 1}
    by_id = {record["id"]: record for record in items["records"]}
    for group, own in {
        "drafts": "n-1",
        "held": "n-2",
        "expired": "n-3",
        "scheduled": "n-4",
    }.items():
        assert status[group] == [by_id[own]], group
        assert status["counts"][group] == 1
    assert status["held"][0]["held"] == ["frame-tag"]
    # In force is what a person admitted; whether it is held or out of date is told apart.
    assert status["counts"]["in_force"] == 3
    assert {key for key, record in by_id.items() if record["in_force"]} == {"n-2", "n-3", "n-4"}
    checked = run("--vault", root, "--json", "check").data
    assert checked["counts"]["records"] == 4
    assert checked["counts"]["unreadable"] == 1
    review = run("--vault", root, "--json", "review").data
    assert [set(record) for record in review["waiting"]] == [NAMES]


# status


def test_status_names_recipes_that_are_ready(tmp_path: Path) -> None:
    files = {
        "recipes/a.md": RECIPE.format(id="c-1", title="轮换密钥", hits=3),
        "recipes/b.md": RECIPE.format(id="c-2", title="Too new", hits=1),
        "drafts/c.md": RECIPE.format(id="c-3", title="A draft", hits=9),
    }
    root = make_vault(tmp_path, files)
    shown = run("--vault", root, "status").ok()
    assert "recipes ready to become skills:\n  c-1  轮换密钥\n" in shown.out
    assert "c-2" not in shown.out
    assert "mvault graduate c-1" in shown.err
    assert [record["id"] for record in data_of(root, "status")["ready"]] == ["c-1"]


# check


def test_check_goes_on_when_a_skill_cannot_be_read(tmp_path: Path) -> None:
    root = make_vault(tmp_path, {"bad.md": "---\ntitle: a: b\n---\n"})
    outside = tmp_path / "outside.md"
    outside.write_text("---\nname: x\ndescription: y\n---\n")
    for name in ("linked", "large", "坏", "folder"):
        (root / "skills" / name).mkdir(parents=True)
    (root / "skills/linked/SKILL.md").symlink_to(outside)
    (root / "skills/large/SKILL.md").write_text("x" * (2 << 20))
    (root / "skills/坏/SKILL.md").write_bytes(b"\xff\xfe\x00")
    (root / "skills/folder/SKILL.md").mkdir()
    (root / "skills/away").symlink_to(tmp_path, target_is_directory=True)
    result = run("--vault", root, "--json", "check")
    assert result.code == 1, result.text
    codes = {item["path"]: item["code"] for item in result.json["diagnostics"]}
    assert codes["skills/linked/SKILL.md"] == "link"
    assert codes["skills/large/SKILL.md"] == "file-too-large"
    assert codes["bad.md"] == "yaml-colon"
    assert "skills/坏/SKILL.md" in codes


# log and undo


def test_log_names_all_records_of_a_commit(tmp_path: Path) -> None:
    files = {f"n-{i}.md": DRAFT.format(id=f"n-{i}", title=f"N {i}") for i in (1, 2)}
    root = make_vault(tmp_path, files)
    run("--vault", root, "approve", "n-1", "n-2", "--yes").ok()
    lines = run("--vault", root, "log").ok().out.splitlines()
    assert "approve: 2 records" in lines[0]
    assert lines[1].split() == ["n-1", "n-2"]
    assert data_of(root, "log")["commits"][0]["ids"] == ["n-1", "n-2"]


def test_undoing_an_undo_is_a_redo_however_often(tmp_path: Path) -> None:
    root = make_vault(tmp_path, {"n-1.md": DRAFT.format(id="n-1", title="标题")})
    run("--vault", root, "approve", "n-1", "--yes").ok()
    for verb in ("undo", "redo", "undo", "redo"):
        run("--vault", root, "undo", "--yes").ok()
        assert git(root, "log", "-1", "--format=%s") == f"{verb}: approve(note): 标题"
        wanted = "candidate" if verb == "undo" else "active"
        assert listed(root)["n-1"]["status"] == wanted


def test_an_undo_that_cannot_be_done_names_the_later_commits(tmp_path: Path) -> None:
    root = make_vault(tmp_path)
    made = data_of(root, "add", "note", "--title", "标题", "--body", "x")
    run("--vault", root, "approve", made["id"], "--yes").ok()
    approval = git(root, "rev-parse", "HEAD")[:10]
    run("--vault", root, "edit", made["id"], "--set", "topics=a", "--yes").ok()
    edit = git(root, "rev-parse", "HEAD")[:10]
    before = commit_count(root)
    # The draft was moved by the approval: there is something to take back, but not cleanly.
    first = run("--vault", root, "undo", made["commit"], "--yes")
    assert first.code == 4, first.text
    assert f"{approval} approve(note): 标题" in first.err
    run("--vault", root, "edit", made["id"], "--set", "topics=b", "--yes").ok()
    second = run("--vault", root, "undo", edit, "--yes")
    assert second.code == 4
    assert re.search(r"by [0-9a-f]{10} edit\(note\): 标题", second.err)
    assert re.search(r"mvault undo [0-9a-f]{10}\)", second.err)
    assert commit_count(root) == before + 1


# add


def test_add_with_a_title_only_is_a_draft_and_says_once_that_it_is_empty(tmp_path: Path) -> None:
    root = make_vault(tmp_path)
    for kind, title in (("lesson", "只有标题"), ("rule", "Only a title"), ("note", "N")):
        result = run("--vault", root, "add", kind, "--title", title).ok()
        assert result.err.count("no text yet") == 1
        assert "missing-part" not in result.err
    full = run("--vault", root, "add", "note", "--title", "T", "--body", "正文").ok()
    assert "no text yet" not in full.err


@pytest.mark.parametrize("title", ["", "  ", "\n"])
def test_an_empty_title_is_refused(tmp_path: Path, title: str) -> None:
    root = make_vault(tmp_path)
    result = run("--vault", root, "add", "note", "--title", title, "--body", "x")
    assert result.code == 2
    assert "--title is empty" in result.err
    assert listed(root) == {}


@pytest.mark.parametrize(
    ("typed", "meant"), [("titel", "title"), ("Topic", "topics"), ("标题", "title"), ("重要性", "importance")]
)  # fmt: skip
def test_a_key_one_slip_away_is_refused_with_what_was_meant(
    tmp_path: Path, typed: str, meant: str
) -> None:
    root = make_vault(tmp_path, {"n-1.md": DRAFT.format(id="n-1", title="One")})
    before = (root / "n-1.md").read_bytes()
    for command in ("edit", "revise"):
        result = run("--vault", root, command, "n-1", "--set", f"{typed}=x")
        assert result.code == 2, result.text
        assert f"Did you mean {meant}?" in result.err
    assert (root / "n-1.md").read_bytes() == before
    run("--vault", root, "edit", "n-1", "--set", "my_own_key=x").ok()


def test_a_key_that_the_record_has_is_set_whatever_it_resembles(tmp_path: Path) -> None:
    text = DRAFT.format(id="n-1", title="One").replace("title:", "titel: mine\ntitle:")
    root = make_vault(tmp_path, {"n-1.md": text})
    run("--vault", root, "edit", "n-1", "--set", "titel=").ok()
    assert "titel" not in (root / "n-1.md").read_text()


@pytest.mark.parametrize(("typed", "meant"), [("problme", "problem"), ("corection", "correction")])
def test_a_misspelt_section_is_kept_with_a_note(tmp_path: Path, typed: str, meant: str) -> None:
    root = make_vault(tmp_path)
    argv = ["add", "lesson", "--title", "T", "--section", f"{typed}=what", "--section", "修正=y"]
    result = run("--vault", root, *argv).ok()
    assert f"Did you mean {meant}?" in result.err
    right = run("--vault", root, "add", "lesson", "--title", "U", "--section", "问题=x").ok()
    assert "section-spelling" not in right.err


# reasons


@pytest.mark.parametrize(
    ("verb", "own"), [("reject", "n-1"), ("deprecate", "n-2"), ("demote", "n-2"), ("graduate", "c-1")]
)  # fmt: skip
def test_the_hint_about_a_reason_holds_the_real_id(tmp_path: Path, verb: str, own: str) -> None:
    files = {
        "n-1.md": DRAFT.format(id="n-1", title="One"),
        "n-2.md": ACTIVE.format(id="n-2", title="二"),
        "recipes/c.md": RECIPE.format(id="c-1", title="R", hits=0),
    }
    root = make_vault(tmp_path, files)
    more = ["--force"] if verb == "graduate" else []
    result = run("--vault", root, verb, own, *more, "--yes")
    assert result.code == 2
    assert re.search(rf"mvault {verb} (--force )?{own} --reason", result.err)


# render


def test_render_into_a_folder_that_is_not_there_makes_none(tmp_path: Path) -> None:
    root = make_vault(tmp_path)
    result = run("--vault", root, "render", "--to", "不在/AGENTS.md", cwd=tmp_path)
    assert result.code == 2
    assert "mkdir -p" in result.err
    assert not (tmp_path / "不在").exists()


def test_paths_are_shown_without_detours(tmp_path: Path) -> None:
    root = make_vault(tmp_path, {"n.md": ACTIVE.format(id="n-1", title="一")})
    first = run("render", "--to", "../AGENTS.md", cwd=root).ok()
    again = run("render", "--to", "../AGENTS.md", cwd=root).ok()
    assert f"wrote the block into {tmp_path}/AGENTS.md" in first.err
    assert f"{tmp_path}/AGENTS.md: nothing to do, the block is the same" in again.err
    made = run("init", "../other/./vault", cwd=root).ok()
    assert made.out == f"{tmp_path}/other/vault\n"
    assert made.err.count("other/vault") == made.err.count("`cd ../other/vault`") == 1
    dry = run("--json", "render", "--to", "../B.md", "--dry-run", cwd=root).ok().data
    assert dry["paths"] == [str(tmp_path / "B.md")]


def test_the_receipt_says_how_to_see_what_is_shown_on_request(tmp_path: Path) -> None:
    decision = "---\nid: d-1\nkind: decision\nstatus: active\ntitle: 决定\n---\nx\n"
    files = {f"n-{i}.md": ACTIVE.format(id=f"n-{i}", title="长" * 50) for i in range(9)}
    root = make_vault(tmp_path, {"d.md": decision, **files})
    result = run("--vault", root, "render", "--budget", "500", "--receipt").ok()
    assert "render --kind decision" in result.err
    assert "left out" in result.err
    assert "--receipt says why" not in result.err
    assert "--receipt says why" in run("--vault", root, "render", "--budget", "500").ok().err


@pytest.mark.parametrize("day", ["2026-W48-1", "20261130", "2026-334", "2026-02-30", "明天"])
def test_only_dates_a_record_may_hold_are_dates(tmp_path: Path, day: str) -> None:
    root = make_vault(tmp_path)
    result = run("--vault", root, "render", "--valid-at", day)
    assert result.code == 2
    assert "is not a date" in result.err


# help


@pytest.mark.parametrize(
    ("argv", "same"),
    [(["list", "-h"], ["list", "--help"]), (["-h"], ["--help"]), (["help"], ["--help"]),
     (["help", "add"], ["add", "--help"]), (["help", "config", "set"], ["config", "set", "--help"])],
)  # fmt: skip
def test_help_by_its_other_names(argv: list[str], same: list[str]) -> None:
    assert run(*argv).ok().out == run(*same).ok().out


def test_help_of_no_command_says_which_was_meant() -> None:
    result = run("help", "aprove")
    assert result.code == 2
    assert "mvault approve" in result.err


def test_review_as_data_lists_what_waits(tmp_path: Path) -> None:
    """A program reads the queue; deciding stays with a person."""
    root = make_vault(tmp_path)
    for title in ("Use pnpm", "提交前先跑测试"):
        run("--vault", root, "add", "rule", "--title", title, "--body", "Always.", cwd=root).ok()
    answer = run("--vault", root, "--json", "review")
    assert answer.code == 3
    waiting = answer.json["data"]["waiting"]
    assert {item["title"] for item in waiting} == {"Use pnpm", "提交前先跑测试"}
    assert {item["status"] for item in waiting} == {"candidate"}


@pytest.mark.parametrize(
    "argv",
    [
        ("approve", "l-one"),
        ("config", "set", "render.budget", "900"),
        ("forget", "l-two", "--reason", "user-request"),
        ("add", "note", "--title", "一条", "--body", "写下来。", "--allow", "injection",
         "--reason", "x"),
    ],
)  # fmt: skip
def test_who_may_agree_without_a_terminal_is_told_of_yes(
    tmp_path: Path, argv: tuple[str, ...]
) -> None:
    text = "---\nid: {}\nkind: lesson\nstatus: {}\ntitle: T\n---\nText of it.\n"
    files = {
        "drafts/one.md": text.format("l-one", "candidate"),
        "memories/two.md": text.format("l-two", "active"),
    }
    root = make_vault(tmp_path, files)
    for actor, told in (("person", True), ("agent", False), ("somebody", False)):
        done = run("--vault", root, *argv, env={"MVAULT_ACTOR": actor})
        assert (done.code, "with --yes" in done.err) == (3, told), (actor, done.text)
