"""Streams that end, fill up or are closed: an exit code of the table and no complaint of Python."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from helpers import PROJECT, make_vault, run

FULL = Path("/dev/full")
NOTE = "---\nid: n-1\nkind: note\nstatus: active\ntitle: 标题\n---\nText.\n"

needs_full = pytest.mark.skipif(not FULL.exists(), reason="no device that is always full")


def start(line: str, root: Path) -> subprocess.CompletedProcess[str]:
    """Run a shell line in which `mvault` is the program and `$V` the vault."""
    program = f'mvault() {{ "{sys.executable}" -m vault_cli "$@"; }}\n{line}'
    env = {**os.environ, "PYTHONPATH": str(PROJECT), "V": str(root)}
    return subprocess.run(
        ["bash", "-c", program], env=env, capture_output=True, text=True, check=False
    )


@needs_full
@pytest.mark.parametrize(
    "command", ["list", "render", "--json list", "--help", "add note --title x --body y"]
)
def test_an_answer_that_cannot_be_written_is_an_error(tmp_path: Path, command: str) -> None:
    done = start(f"mvault --vault $V {command} >/dev/full", make_vault(tmp_path, {"n.md": NOTE}))
    assert done.returncode == 7, done.stderr
    assert "error: the answer cannot be written" in done.stderr
    assert "Exception ignored" not in done.stderr


@needs_full
@pytest.mark.parametrize("command", ["render", "status", "list"])
def test_notes_that_cannot_be_written_do_not_fail_the_answer(tmp_path: Path, command: str) -> None:
    done = start(f"mvault --vault $V {command} 2>/dev/full", make_vault(tmp_path, {"n.md": NOTE}))
    assert done.returncode == 0
    assert done.stdout


@pytest.mark.parametrize("command", ["--help", "list", "--json check", "render"])
def test_a_reader_that_has_gone_is_no_error(tmp_path: Path, command: str) -> None:
    line = f"mvault --vault $V {command} | head -c 0; exit ${{PIPESTATUS[0]}}"
    done = start(line, make_vault(tmp_path, {"n.md": NOTE}))
    assert done.returncode == 0, done.stderr
    assert not done.stderr.startswith("Exception")


def test_a_closed_stdin(tmp_path: Path) -> None:
    root = make_vault(tmp_path, {})
    done = start("mvault --vault $V add note --title x --body - <&-", root)
    assert done.returncode == 2
    assert "stdin is closed" in done.stderr


def test_a_name_cannot_forge_a_line(tmp_path: Path) -> None:
    root = make_vault(tmp_path, {"n.md": NOTE})
    done = run("--vault", root, "render", "--to", tmp_path / "a\nerror: forged.md")
    assert "\nerror: forged" not in done.err
    again = run("--vault", root, "render", "--to", tmp_path / "a\nerror: forged.md")
    assert "\nerror: forged" not in again.err


def test_a_person_s_settings_that_are_no_file(tmp_path: Path) -> None:
    root = make_vault(tmp_path, {})
    os.mkfifo(tmp_path / "pipe")
    for place in (tmp_path / "pipe", tmp_path):
        done = run("--vault", root, "list", env={"MVAULT_CONFIG": str(place)})
        assert done.code == 2
        assert "no file of settings" in done.err
