"""Acceptance cases about front matter: what people really type above their notes."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import pytest
import yaml
from helpers import (
    add_to_vault,
    case_folder,
    case_vault,
    checked,
    commit_all,
    commit_count,
    findings_of,
    git,
    head,
    listed,
    make_vault,
    rendered,
    run,
    snapshot_bytes,
    write_files,
)

LESSON_BODY = "## Problem\nThe release stopped.\n\n## Correction\nWait for the worker first.\n"


def block_of(data: bytes) -> str:
    """The text between the first two fences of a file."""
    text = data.decode("utf-8-sig")
    assert text.startswith("---")
    return text.split("\n---", 1)[0].removeprefix("---").lstrip(" \r\n") + "\n"


def yaml_11(data: bytes) -> dict[str, Any]:
    """The front matter as a strict YAML 1.1 reader sees it."""
    return dict(yaml.safe_load(block_of(data)))


def yaml_12(data: bytes) -> dict[str, Any]:
    """The front matter as a strict YAML 1.2 reader sees it."""
    from ruamel.yaml import YAML

    reader = YAML(typ="safe", pure=True)
    reader.version = (1, 2)
    return dict(reader.load(io.StringIO(block_of(data))))


def show(root: Path, record_id: str) -> dict[str, Any]:
    """The record as `mvault --json show` gives it."""
    return dict(run("--vault", root, "--json", "show", record_id).ok().data)


def changed_lines(root: Path, *argv: str) -> list[str]:
    """The removed and added lines of a git diff, without its headers."""
    diff = git(root, "diff", "-U0", *argv)
    return [
        line
        for line in diff.splitlines()
        if line[:1] in {"+", "-"} and not line.startswith(("+++", "---"))
    ]


def test_fm_01_colon_in_title(tmp_path: Path) -> None:
    root = case_vault("fm-01", tmp_path)
    before = snapshot_bytes(root)
    # good.md is listed, searched and rendered as usual: one bad file does not hide others.
    assert set(listed(root)) == {"m-0102"}
    assert "Create release tags from the main branch only." in rendered(root)
    # later: search
    # bad.md is named in the check report with its path, line 4 and the cause (colon inside an
    # unquoted value) plus the repair (put the value in quotes).
    (found,) = findings_of(root, "bad.md")
    assert (found["line"], found["severity"]) == (4, "error")
    assert "colon" in found["message"].lower()
    assert "quote" in (found["message"] + found["hint"]).lower()
    # list/status count it as unreadable (not zero, not silently skipped).
    human = run("--vault", root, "list").ok()
    assert "bad.md" in human.text
    assert run("--vault", root, "--json", "list").data["unreadable"] == ["bad.md"]
    assert run("--vault", root, "--json", "status").ok().data["unreadable"] == ["bad.md"]
    # bad.md never reaches the rendered block and its bytes are not changed by list, check or render.
    assert "Freeze the branch" not in rendered(root)
    assert snapshot_bytes(root) == before
    # check exits non-zero; list and render still succeed.
    assert run("--vault", root, "check").code == 1


def test_fm_03_value_types_from_yaml(tmp_path: Path) -> None:
    root = case_vault("fm-03", tmp_path)
    before = snapshot_bytes(root)
    # No traceback for any of the files.
    records = listed(root)
    assert "Traceback" not in run("--vault", root, "check").text + rendered(root)
    # later: search for "release"
    # Titles show as 2026-06-03, 20240425 and yes (the text the person typed).
    titles = [records[i]["title"] for i in ("m-0301", "m-0302", "m-0303")]
    assert titles == ["2026-06-03", "20240425", "yes"]
    # tags: ci counts as one tag "ci"; tags with an empty value counts as no tags.
    assert records["m-0301"]["topics"] == ["ci"]
    assert records["m-0302"]["topics"] == []
    assert records["m-0303"]["topics"] == ["on", "off", "no"]
    # version: 1.10 is shown and kept as 1.10 (not 1.1).
    assert show(root, "m-0302")["fields"]["version"] == "1.10"
    assert "version: 1.10" in run("--vault", root, "show", "m-0302").ok().out
    # None of the files is changed on disk.
    assert snapshot_bytes(root) == before


def test_fm_05_dashes_inside_the_text(tmp_path: Path) -> None:
    root = case_vault("fm-05", tmp_path)
    body = (root / "m-0501.md").read_text().split("\n---\n", 1)[1]
    for _ in range(2):
        shown = show(root, "m-0501")
        # The value of note is the full text "---not-a-fence --- still the value".
        assert shown["fields"]["note"] == "---not-a-fence --- still the value"
        # The body keeps all three sections, both rules and the YAML sample inside the code fence,
        # in show and after the approval.
        assert shown["body"].strip() == body.strip()
        run("--vault", root, "approve", "m-0501", "--yes").ok()
    assert listed(root)["m-0501"]["status"] == "active"
    assert (root / "m-0501.md").read_text().split("\n---\n", 1)[1] == body
    # Search for "third section" finds it: later. The render holds it:
    assert "Third section, after the last rule." in rendered(root)


def test_fm_07_adopt_a_note_that_has_its_own_block(tmp_path: Path) -> None:
    note = (case_folder("fm-07") / "note.md").read_bytes()
    root = make_vault(tmp_path, {"note.md": note})
    result = run("--vault", root, "adopt", "note.md").ok()
    (path,) = [p for p, data in snapshot_bytes(root).items() if b"okafor2024queues" in data]
    adopted = (root / path).read_bytes()
    # The file has exactly one block at its top.
    assert adopted.startswith(b"---\n")
    assert adopted.split(b"\n").count(b"---") == 2
    # citekey, the two tags and the type "litnote" survive; fields the product needs are added to
    # the same block (a clash on type is reported or mapped, not overwritten in silence).
    front = yaml_11(adopted)
    assert front["citekey"] == "okafor2024queues"
    assert front["tags"] == ["queues", "reading"]
    assert front["type"] == "litnote"
    assert front["title"] == "Reading notes on queue design"
    assert {front["id"][:2], front["kind"], front["status"]} == {"n-", "note", "candidate"}
    kept = [line for line in note.splitlines() if line not in adopted.splitlines()]
    assert kept == [], f"lines of the person went missing: {kept}\n{result.text}"
    # The second run changes nothing.
    commits = commit_count(root)
    run("--vault", root, "adopt", path).ok()
    assert (root / path).read_bytes() == adopted
    assert commit_count(root) == commits


def test_fm_09_fence_at_end_of_file(tmp_path: Path) -> None:
    root = case_vault("fm-09", tmp_path)
    records = {item["path"]: item for item in listed(root).values()}
    # eof.md is read (title "Ends at the fence") and can be approved; the result still parses.
    assert records["eof.md"]["title"] == "Ends at the fence"
    run("--vault", root, "approve", "m-0901", "--yes").ok()
    assert yaml_11((root / "eof.md").read_bytes())["status"] == "active"
    assert listed(root)["m-0901"]["status"] == "active"
    # spaces.md (trailing spaces after both fences) is read.
    # A value that merely ends in --- (title in spaces.md) does not close the block.
    assert records["spaces.md"]["title"] == "dashes at the end---"
    assert "Body after padded fences." in show(root, "m-0902")["body"]
    # empty.md (an empty block) is treated as a note without metadata, not as an error or a crash.
    assert records["empty.md"]["status"] == "candidate"
    assert [f for f in findings_of(root, "empty.md") if f["severity"] == "error"] == []


def test_fm_11_written_files_always_parse(tmp_path: Path) -> None:
    titles = (case_folder("fm-11") / "titles.txt").read_text().splitlines()
    root = make_vault(tmp_path)
    by_title = {}
    for title in titles:
        made = run(
            "--vault", root, "--json", "add", "lesson", f"--title={title}", f"--applies-when={title}",
            "--body", LESSON_BODY,
        )  # fmt: skip
        made.ok()
        by_title[title] = root / made.data["path"]
    assert len(set(by_title.values())) == len(titles)
    for title, path in by_title.items():
        data = path.read_bytes()
        # All files parse with both readers.
        # The value read back equals the line, character for character, in both readers.
        for front in (yaml_11(data), yaml_12(data)):
            assert front["title"] == title
            assert front["applies_when"] == title
    # No file needs hand repair; the check is clean.
    assert [f for f in checked(root) if f["severity"] == "error"] == []
    assert run("--vault", root, "check").code == 0


def test_fm_13_text_before_the_block(tmp_path: Path) -> None:
    root = case_vault("fm-13", tmp_path)
    before = snapshot_bytes(root)
    # The check says the metadata block must start on line 1, with the path.
    (found,) = findings_of(root, "m-1301.md")
    assert found["severity"] == "error"
    assert (
        "line 1" in found["message"] + found["hint"]
        or "first line" in found["message"] + found["hint"]
    )
    # No command deletes or moves the sentence at the top; a write is refused, or it keeps every
    # byte outside the changed field.
    for argv in (["approve", "m-1301", "--yes"], ["edit", "m-1301", "--set", "importance=3"],
                 ["approve", "m-1301.md", "--yes"], ["adopt", "m-1301.md"]):  # fmt: skip
        refused = run("--vault", root, *argv)
        assert refused.code in (1, 4, 6), (argv, refused)
        assert snapshot_bytes(root) == before
    # The memory is not injected while it is in this state.
    assert "platform group" not in rendered(root)


def test_rf_01_unquoted_glob(tmp_path: Path) -> None:
    root = case_vault("rf-01", tmp_path)
    # later: import of the two rule files, one clear reason per file
    # What is written into the vault is strict YAML with the pattern quoted.
    made = run("--vault", root, "--json", "add", "rule", "--title", "Style rules for the web part",
               "--applies-when", "editing TypeScript", "--body", "Prefer named exports.").ok()  # fmt: skip
    for pattern in ("**/*.ts,**/*.tsx", "*"):
        run("--vault", root, "edit", made.data["id"], "--set", f"globs={pattern}").ok()
        data = (root / made.data["path"]).read_bytes()
        assert yaml_11(data)["globs"] == yaml_12(data)["globs"] == pattern
    # check on star.md explains the star and the repair.
    (found,) = findings_of(root, "star.md")
    assert (found["line"], found["severity"]) == (7, "error")
    assert "*" in found["message"]
    assert "quote" in (found["message"] + found["hint"]).lower()


def test_rf_03_template_files_in_the_vault(tmp_path: Path) -> None:
    root = case_vault("rf-03", tmp_path)
    # Nothing from the template folder is listed or injected.
    assert set(listed(root)) == {"m-d301"}
    assert "What happened" not in rendered(root)
    # The check either does not look at ignored folders or says once "3 template files skipped".
    assert [
        f for f in checked(root) if f["path"].startswith(("Templates", ".obsidian", ".trash"))
    ] == []
    assert run("--vault", root, "check").code == 0
    # Which folders are ignored is documented and can be set.
    shown = run("--vault", root, "config", "show", "--explain").ok().out
    line = next(line for line in shown.splitlines() if "files.ignore" in line)
    assert "Templates" in line
    run("--vault", root, "config", "set", "files.ignore", "elsewhere", "--yes").ok()
    assert any(f["path"].startswith("Templates") for f in checked(root))
    # A real memory with {{name}} in its BODY is fine.
    assert "{{name}}" in rendered(root)


def test_rf_05_the_same_key_twice(tmp_path: Path) -> None:
    root = case_vault("rf-05", tmp_path)
    # The check names the repeated key and both lines.
    for path, key, lines in (("twice.md", "banner", (2, 8)), ("status.md", "status", (5, 7))):
        (found,) = findings_of(root, path)
        assert key in found["message"]
        assert found["line"] in lines
        for line in lines:
            assert str(line) in found["message"] + f" {found['line']}"
    # twice.md (equal values, foreign key) stays usable; both lines are still there after approval.
    run("--vault", root, "approve", "m-d501", "--yes").ok()
    assert (root / "twice.md").read_text().count('banner: "img/a.jpg"\n') == 2
    assert listed(root)["m-d501"]["status"] == "active"
    # status.md (two different values of status) is NOT treated as active; a person must solve it.
    before = (root / "status.md").read_bytes()
    assert run("--vault", root, "approve", "m-d502", "--yes").code in (1, 4, 6)
    assert "Do this always" not in rendered(root)
    assert (root / "status.md").read_bytes() == before


def test_rf_07_long_number_ids(tmp_path: Path) -> None:
    root = case_vault("rf-07", tmp_path)
    # Ids are text everywhere: they are found as typed and stay as typed in the file.
    # 0123 and 123 (see files) are different memories.
    for typed, title in (
        ("202205021009", "Long number"), ("0123", "Leading zero"), ("123", "No leading zero"),
        ("1_000", "Underscore"), ("12e3", "Exponent"),
    ):  # fmt: skip
        shown = show(root, typed)
        assert (shown["id"], shown["title"]) == (typed, title)
    assert "12e3" in show(root, "1_000")["fields"]["supersedes"]
    # later: supersede one by another, write a counter (usage/)
    run("--vault", root, "edit", "0123", "--set", "importance=3", "--yes").ok()
    assert changed_lines(root, "HEAD~1", "HEAD") == ["+importance: 3"]
    assert b"\nid: 0123\n" in (root / "b.md").read_bytes()
    # Times such as 12:30 as a value stay "12:30" (not 750).
    assert show(root, "202205021009")["fields"]["at"] == "12:30"


def test_rf_11_value_broken_over_lines(tmp_path: Path) -> None:
    root = case_vault("rf-11", tmp_path, commit=False)
    write_files(
        root, {"good.md": "---\nid: m-1\nkind: fact\nstatus: active\n---\n# Neighbour\n\nFine.\n"}
    )
    commit_all(root)
    # reflow.md is reported with the line where the stray text stands.
    (found,) = findings_of(root, "reflow.md")
    assert found["line"] == 8
    # glued.md is reported with its line and the glued "status:" is named as the likely cause.
    (found,) = findings_of(root, "glued.md")
    assert found["line"] == 5
    assert "status" in found["message"] + found["hint"]
    # No crash, neighbours are listed.
    assert set(listed(root)) == {"m-1"}


def test_rf_17_folded_values_and_wiki_links(tmp_path: Path) -> None:
    root = case_vault("rf-17", tmp_path)
    path = root / "m-d1701.md"
    before = path.read_bytes()
    run("--vault", root, "approve", "m-d1701", "--yes").ok()
    after = path.read_bytes()
    # One line changed. The folded URL is not joined or re-wrapped; "![[cover.jpg]]" keeps its
    # quotes; null stays null; '2018-12-01' keeps its quotes and 2026-05-01 stays unquoted.
    assert changed_lines(root, "HEAD~1", "HEAD") == ["-status: candidate", "+status: active"]
    assert after == before.replace(b"status: candidate", b"status: active")
    # Values read the same before and after in both parsers.
    for reader in (yaml_11, yaml_12):
        assert reader(after) == {**reader(before), "status": "active"}


def test_rf_21_comment_signs_in_values(tmp_path: Path) -> None:
    root = case_vault("rf-21", tmp_path)
    write_files(
        root,
        {"c.md": "---\nid: m-3\nkind: fact\ntitle: Known key\napplies_when: #9C27B0\n---\nx\n"},
    )
    commit_all(root)
    # Titles: "C# rules" and "Fix for" (the check hints that text was lost there).
    records = listed(root)
    assert records["m-d2101"]["title"] == "C# rules"
    assert records["m-d2102"]["title"] == "Fix for"
    found = [f for f in checked(root) if (f["path"], f["line"]) == ("b.md", 4)]
    assert found, "no hint about the text that was lost after ' #'"
    assert "42" in found[0]["message"] + found[0]["hint"]
    # colour without quotes reads as empty and is reported for known fields.
    assert show(root, "m-d2101")["fields"]["colour"] in (None, "")
    assert any((f["path"], f["line"]) == ("c.md", 5) for f in checked(root))
    # comments survive all writes.
    run("--vault", root, "edit", "m-d2102", "--set", "importance=3").ok()
    run("--vault", root, "edit", "m-d2101", "--set", "importance=3").ok()
    run("--vault", root, "approve", "m-d2102", "--yes").ok()
    text = (root / "b.md").read_text()
    assert "status: active   # keep until #422 is closed\n" in text
    assert "title: Fix for #42\n" in text
    assert "colour: #9C27B0\n" in (root / "a.md").read_text()
    # A title captured through the CLI as "Fix for #42" is written quoted and reads back whole.
    made = run(
        "--vault",
        root,
        "--json",
        "add",
        "fact",
        "--title",
        "Fix for #42",
        "--body",
        "The fix is known.",
    ).ok()
    data = (root / made.data["path"]).read_bytes()
    assert yaml_11(data)["title"] == yaml_12(data)["title"] == "Fix for #42"
    assert listed(root)[made.data["id"]]["title"] == "Fix for #42"


def test_rf_25_conflict_note(tmp_path: Path) -> None:
    root = case_vault("rf-25", tmp_path)
    # m-d2501 can be kept: markers that are indented, quoted or fenced are no conflict.
    assert findings_of(root, "m-d2501.md") == []
    assert listed(root)["m-d2501"]["title"] == "2026-03-12"
    run("--vault", root, "edit", "m-d2501", "--set", "importance=6", "--yes").ok()
    assert git(root, "status", "--porcelain") == ""
    # m-d2502 is reported.
    (found,) = findings_of(root, "m-d2502.md")
    assert (found["code"], found["line"], found["severity"]) == ("conflict-markers", 10, "error")
    # The person can mark a note as "shows markers on purpose", and that is stored in the note.
    assert "shows_markers" in found["hint"]
    path = root / "m-d2502.md"
    path.write_text(
        path.read_text().replace("scope: global\n", "scope: global\nshows_markers: true\n")
    )
    assert findings_of(root, "m-d2502.md") == []
    assert set(listed(root)) == {"m-d2501", "m-d2502"}


def test_se_05_a_broken_link_does_not_hide_a_note(tmp_path: Path) -> None:
    root = case_vault("se-05", tmp_path)
    # m-6501 is listed, found and rendered.
    assert set(listed(root)) == {"m-6501"}
    assert "Boil the kettle first" in rendered(root)
    # later: search "kettle"
    # The check mentions the missing targets as a warning with path and line (wiki link, Markdown
    # link, supersedes to an unknown id), exit code documented.
    found = findings_of(root, "m-6501.md")
    assert {f["severity"] for f in found} == {"warning"}
    by_target = {target: f["line"] for target in ("missing note", "gone.md", "m-9999")
                 for f in found if target in f["message"]}  # fmt: skip
    assert by_target == {"missing note": 10, "gone.md": 10, "m-9999": 7}
    # A link that stands inside code is not reported.
    assert not any("not a link" in f["message"] for f in found)


@pytest.mark.parametrize("zone", ["Asia/Shanghai", "America/Los_Angeles", "UTC"])
def test_ti_01_valid_to_is_a_calendar_day(tmp_path: Path, zone: str) -> None:
    from datetime import datetime
    from zoneinfo import ZoneInfo

    root = make_vault(tmp_path)
    add_to_vault("ti-01", root)

    def texts(day: int, hour: int, minute: int, at: str = zone) -> set[str]:
        moment = datetime(2026, 8, day, hour, minute, tzinfo=ZoneInfo(at)).isoformat()
        block = run("--vault", root, "render", env={"TZ": zone, "MVAULT_NOW": moment}).ok().out
        names = {
            "old": "Use the old endpoint",
            "new": "Use the new endpoint",
            "exact": "Exact switch",
        }
        return {name for name, text in names.items() if text in block}

    # m-c101 (valid_to: 2026-08-13) is in at 23:30 and out at 00:30 local time, in all three zones.
    # m-c102 (valid_from: 2026-08-14) is the opposite.
    assert texts(13, 23, 30) & {"old", "new"} == {"old"}
    assert texts(14, 0, 30) & {"old", "new"} == {"new"}
    # m-c103 (exact time with offset) switches at that instant in all zones.
    assert "exact" in texts(13, 23, 44, at="Asia/Shanghai")
    assert "exact" not in texts(13, 23, 46, at="Asia/Shanghai")
    # Expired entries are listed in a review group, not deleted.
    env = {"TZ": zone, "MVAULT_NOW": "2026-09-01T00:00:00Z"}
    status = run("--vault", root, "--json", "status", env=env).ok()
    assert {item["id"] for item in status.data["expired"]} == {"m-c101", "m-c103"}
    assert (root / "m-c101.md").exists()
    assert head(root)
