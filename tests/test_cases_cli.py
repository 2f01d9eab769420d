"""Acceptance cases about the command line itself."""

from __future__ import annotations

import json
import os
import stat
from pathlib import Path

import pytest
from helpers import (
    case_vault,
    checked,
    commit_count,
    copy_case,
    findings_of,
    git,
    head,
    listed,
    make_vault,
    run,
    run_real,
    snapshot_bytes,
    stamps,
)

LESSON = "## Problem\nThe disk was full.\n\n## Correction\nLook at df first.\n"


@pytest.fixture
def editor(tmp_path: Path) -> Path:
    """The case's editor script, in a folder whose name has a space."""
    script = copy_case("cl-01", tmp_path) / "ed dir" / "ed.sh"
    script.chmod(script.stat().st_mode | stat.S_IXUSR)
    return script


def edit(root: Path, editor_line: str | None, *argv: str) -> object:
    """Run `mvault edit m-a101` with an editor."""
    return run("--vault", root, "edit", "m-a101", "--yes", *argv,
               env={"EDITOR": editor_line, "VISUAL": None})  # fmt: skip


def test_cl_01_editor_with_arguments(tmp_path: Path, editor: Path) -> None:
    root = case_vault("cl-01", tmp_path)
    path = root / "m-a101.md"
    old, start = path.read_bytes(), head(root)

    # No change: no commit, no "saved" message, and the hint about --wait.
    same = edit(root, f'"{editor}" none')
    assert same.code == 0, same.text
    assert head(root) == start
    assert "--wait" in same.err
    assert "nothing" in same.text.lower() or "no change" in same.text.lower()

    # Emptied file or exit 1: the memory stays as it was, and the person is told.
    for mode in ("empty", "fail"):
        refused = edit(root, f"'{editor}' {mode}")
        assert refused.code != 0
        assert refused.err.strip()
        assert path.read_bytes() == old
        assert head(root) == start

    # Invalid front matter after the edit: the text is kept (re-open or named file), not lost, and
    # not made active.
    broken = edit(root, f'"{editor}" break')
    assert broken.code != 0
    assert path.read_bytes() == old
    words = broken.err.replace("'", " ").replace("`", " ").replace(",", " ").split()
    kept = [
        Path(w.rstrip(".:")) for w in words if w.startswith("/") and Path(w.rstrip(".:")).is_file()
    ]
    assert any("title: a: b" in k.read_text() for k in kept), broken.err

    # Arguments and quoted paths work.
    edit(root, f'"{editor}" change').ok()
    assert path.read_bytes() == old.replace(b"old text", b"new text")
    assert commit_count(root) >= 2
    assert head(root) != start


def test_cl_01_new_memory_is_not_made_from_an_empty_text(tmp_path: Path, editor: Path) -> None:
    root = make_vault(tmp_path)
    start = head(root)
    result = run(
        "--vault", root, "add", "lesson", env={"EDITOR": f'"{editor}" empty', "VISUAL": None}
    )
    assert result.code != 0
    assert result.err.strip()
    assert head(root) == start
    assert snapshot_bytes(root) == {}


def test_cl_01_no_editor_is_a_clear_message(tmp_path: Path) -> None:
    root = case_vault("cl-01", tmp_path)
    result = edit(root, None)
    # No EDITOR: clear message.
    assert result.code in (2, 3)
    assert "EDITOR" in result.err


READING = (["list"], ["show", "m-a301"], ["show", "m-a302"], ["check"], ["status"], ["render"])


def test_cl_03_machine_output_stays_whole(tmp_path: Path) -> None:
    root = case_vault("cl-03", tmp_path)
    # later: search
    for argv in READING:
        outputs = []
        for columns in ("20", "200"):
            result = run("--vault", root, "--json", *argv,
                         env={"COLUMNS": columns, "NO_COLOR": None, "TERM": "xterm-256color"})  # fmt: skip
            assert result.code in (0, 1), result.text
            # Each output is valid JSON and equal for COLUMNS=20 and 200.
            json.loads(result.out)
            # No colour codes; warnings go to stderr and are also data (a list of problems).
            assert "\x1b" not in result.out + result.err
            outputs.append(result.out)
        assert outputs[0] == outputs[1]
    title = listed(root)["m-a302"]["title"]
    assert len(title) > 2900
    result = run("--vault", root, "--json", "list").ok()
    assert "bad.md" in result.err
    assert any(found["path"] == "bad.md" for found in result.json["diagnostics"])
    # [bold] and [/red] appear literally, here and in human output.
    wanted = "[bold]Not markup[/bold] and [/red] either"
    assert listed(root)["m-a301"]["title"] == wanted
    narrow = run("--vault", root, "list", env={"COLUMNS": "20", "TERM": "xterm-256color"}).ok()
    assert wanted in narrow.out
    assert wanted in run("--vault", root, "show", "m-a301").ok().out
    # Human list output piped to a file is not cut at 80 columns in the id or path column.
    assert title in narrow.out
    assert "m-a302" in narrow.out


def test_cl_03_long_output_through_a_pipe_is_whole(tmp_path: Path) -> None:
    files = {
        f"m-{i}.md": f"---\nid: m-{i}\nkind: note\ntitle: {'word ' * 60}{i}\nstatus: active\n---\nx\n"
        for i in range(300)
    }
    root = make_vault(tmp_path, files)
    result = run_real("--vault", str(root), "--json", "list")
    assert result.code == 0
    assert len(result.out) > 70_000
    assert len(result.data["records"]) == 300


def test_cl_05_no_change_no_commit(tmp_path: Path) -> None:
    root = case_vault("cl-05", tmp_path)
    start, before = head(root), stamps(root)
    target = tmp_path / "AGENTS.md"
    run("--vault", root, "render", "--to", target).ok()
    block_stamp = target.stat().st_mtime_ns
    does_nothing = (
        ["edit", "m-a501", "--set", "title=Stable", "--yes"],
        ["approve", "m-a501", "--yes"],
        ["render", "--to", str(target)],
    )
    for argv in does_nothing:
        result = run("--vault", root, *argv)
        # Each command says "nothing to do" where that applies, exit code 0.
        assert result.code == 0, (argv, result.text)
        assert "nothing to do" in result.text or "unchanged" in result.text, (argv, result.text)
    run("--vault", root, "edit", "m-a501", "--yes", env={"EDITOR": "true"}).ok()
    # later: search
    for argv in (["check"], ["list"], ["show", "m-a501"], ["render"], ["status"]):
        run("--vault", root, *argv)
    # No commit is made by any of these; HEAD and the time stamps of all .md files stay.
    assert head(root) == start
    assert stamps(root) == before
    assert target.stat().st_mtime_ns == block_stamp
    # What was shown by the first render is taken down, and committed with other uses later.
    assert git(root, "status", "--porcelain", "--", ".", ":!usage") == ""


def test_cl_05_no_network(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import socket

    root = case_vault("cl-05", tmp_path)

    def refuse(*_args: object, **_kwargs: object) -> None:
        raise AssertionError("network access")

    # No network access happens in any of them.
    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    for argv in (["check"], ["list"], ["show", "m-a501"], ["render"], ["status"],
                 ["approve", "m-a501", "--yes"]):  # fmt: skip
        assert run("--vault", root, *argv).code == 0


WANTED = {
    "1.md": (3, ("a: b", "colon"), "quote"),
    "2.md": (4, ("tab",), "space"),
    "3.md": (3, ("open", "quote"), "quote"),
    "4.md": (4, ("@",), "quote"),
    "5.md": (3, ("*",), "quote"),
    "6.md": (2, ("m-a706 - stray", "id"), ""),
    "7.md": (2, ("null", "id"), ""),
    "8.md": (3, ("：", "full-width"), ":"),
}


@pytest.mark.parametrize("name", sorted(WANTED))
def test_cl_07_error_texts_that_help(tmp_path: Path, name: str) -> None:
    root = case_vault("cl-07", tmp_path)
    line, words, repair = WANTED[name]
    # Each message has path, line counted from the top of the FILE, the offending text, and a
    # repair in plain words.
    # 6.md is legal YAML (the id reads "m-a706 - stray"): the check reports the id as not allowed
    # and shows what it read.
    # For the full-width colon（：）the message says so, since it is invisible to many eyes.
    found = [f for f in findings_of(root, name) if f["severity"] == "error"]
    assert len(found) == 1, found
    text = found[0]["message"] + " " + found[0]["hint"]
    assert found[0]["line"] == line, found[0]
    for word in words:
        assert word in text
    assert repair in text
    assert found[0]["hint"]


def test_cl_07_no_raw_parser_text(tmp_path: Path) -> None:
    root = case_vault("cl-07", tmp_path)
    # No traceback, no "<unicode string>".
    text = run("--vault", root, "check").text
    for word in (
        "Traceback",
        "<unicode string>",
        "<byte string>",
        "mapping values are not allowed",
    ):
        assert word not in text
    for name in WANTED:
        assert f"{name}:" in text
    assert len(checked(root)) >= len(WANTED)
    assert os.environ["COLUMNS"] == "100"
