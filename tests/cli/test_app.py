"""The boundary: options anywhere, errors as messages, exit codes, nothing loaded without need."""

from __future__ import annotations

import importlib
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import typer
from helpers import PROJECT, make_vault, run, run_real

from vault_cli.cli.commands import COMMANDS, PANELS

TESTS = Path(__file__).parent


def subcommands(name: str) -> list[str]:
    """The commands of a group, none for a plain command."""
    entry = COMMANDS[name]
    found = getattr(importlib.import_module(f"vault_cli.cli.{entry.module}"), entry.function)
    if not isinstance(found, typer.Typer):
        return []
    return [str(info.name) for info in found.registered_commands]


def all_commands() -> list[list[str]]:
    names: list[list[str]] = []
    for name in COMMANDS:
        names += [[name, sub] for sub in subcommands(name)] or [[name]]
    return names


@pytest.mark.parametrize("command", all_commands(), ids=" ".join)
def test_every_command_has_help_with_an_example(command: list[str]) -> None:
    shown = run(*command, "--help").ok().out
    assert shown.startswith("Usage: mvault " + " ".join(command))
    assert "Example" in shown
    assert f"mvault {' '.join(command)}" in shown.partition("Example")[2]
    assert "--json" in shown.partition("Options of every command")[2]


@pytest.mark.parametrize("name", [name for name in COMMANDS if subcommands(name)])
def test_the_help_of_a_group_cuts_no_line(name: str) -> None:
    shown = run(name, "--help").ok().out.partition("\nCommands:\n")[2]
    assert shown.count(".\n") == len(subcommands(name))
    assert "..." not in shown


@pytest.mark.parametrize("command", all_commands(), ids=" ".join)
def test_every_command_stands_in_a_transcript_or_a_test(command: list[str]) -> None:
    words = " ".join(command)
    transcripts = "".join(path.read_text(encoding="utf-8") for path in TESTS.glob("*.md"))
    tests = "".join(path.read_text(encoding="utf-8") for path in TESTS.parent.rglob("test_*.py"))
    quoted = ", ".join(f'"{word}"' for word in command)
    line = rf"(?m)^\$ (?:[A-Z_]+=\S+ )*mvault (?:--vault \S+ |--json )*{words}\b"
    assert re.search(line, transcripts) or quoted in tests


def test_root_help_lists_every_command_with_the_first_line_of_its_own_help() -> None:
    shown = run("--help").ok().out
    for name, entry in COMMANDS.items():
        assert entry.panel in PANELS
        assert f"  {name}" in shown
        assert entry.help in " ".join(shown.split())
    assert run().ok().out == shown


def test_version() -> None:
    from vault_cli import __version__

    assert run("--version").ok().out == f"mvault {__version__}\n"


@pytest.mark.parametrize(
    "argv",
    [["--json", "--vault", "V", "list"], ["list", "--json", "--vault", "V"],
     ["--vault=V", "list", "--json"], ["--json", "list", "--vault=V"]],
)  # fmt: skip
def test_global_options_stand_before_or_after_the_command(tmp_path: Path, argv: list[str]) -> None:
    root = make_vault(tmp_path)
    answer = run(*[word.replace("V", str(root)) if "V" in word else word for word in argv])
    assert answer.ok().data["counts"]["records"] == 0


def test_an_option_value_that_looks_like_a_global_option_stays_a_value(tmp_path: Path) -> None:
    root = make_vault(tmp_path)
    run("--vault", root, "add", "note", "--title", "--json", "--body", "x").ok()
    assert "--json" in run("--vault", root, "list").ok().out


@pytest.mark.parametrize(
    ("argv", "words"),
    [
        (["lst"], ["no such command: lst", "mvault list"]),
        (["aprove", "x"], ["no such command: aprove", "mvault approve"]),
        (["list", "--statu", "x"], ["--statu", "--status"]),
        (["list", "--kind", "leson"], ["unknown kind: leson", "lesson"]),
        (["show"], ["missing argument", "mvault show --help"]),
        (["add", "lessn"], ["unknown kind", "lesson"]),
        (["render", "--budget", "many"], ["--budget", "many"]),
        (["render", "--budget", "-1"], ["--budget"]),
        (["config", "sho"], ["sho"]),
    ],
)
def test_bad_usage_ends_with_2_and_says_what_was_meant(
    tmp_path: Path, argv: list[str], words: list[str]
) -> None:
    root = make_vault(tmp_path)
    result = run("--vault", root, *argv)
    assert result.code == 2, result.text
    assert result.out == ""
    for word in words:
        assert word in result.err
    as_data = run("--json", "--vault", root, *argv)
    assert as_data.code == 2
    assert as_data.json["error"]["kind"] == "usage"
    assert as_data.json["ok"] is False


def test_no_vault_is_a_message_that_names_init(tmp_path: Path) -> None:
    result = run("list", cwd=tmp_path)
    assert result.code == 2
    assert "mvault init" in result.err


def test_a_defect_is_a_short_report_and_a_trace_only_on_demand(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = make_vault(tmp_path)

    def fail(*_: object, **__: object) -> None:
        raise ZeroDivisionError("boom\x1b[2J")

    monkeypatch.setattr("vault_cli.store.reader.read_vault", fail)
    short = run("--vault", root, "list")
    assert short.code == 70
    assert "Traceback" not in short.err
    assert "ZeroDivisionError" in short.err
    assert "\x1b" not in short.err
    assert "--debug" in short.err
    assert "Traceback" in run("--vault", root, "list", "--debug").err
    assert run("--json", "--vault", root, "list").json["error"]["exit"] == 70


def test_interrupt_ends_with_130(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = make_vault(tmp_path)

    def stop(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("vault_cli.store.reader.read_vault", stop)
    result = run("--vault", root, "list")
    assert result.code == 130
    assert "Traceback" not in result.err


@pytest.mark.parametrize("argv", [["list"], ["--json", "list"], ["--help"]])
def test_a_closed_pipe_is_not_an_error(tmp_path: Path, argv: list[str]) -> None:
    files = {
        f"m-{i}.md": f"---\nid: m-{i}\ntitle: {'long ' * 60}\nstatus: active\n---\n"
        for i in range(400)
    }
    root = make_vault(tmp_path, files)
    process = subprocess.Popen(
        [sys.executable, "-m", "vault_cli", "--vault", str(root), *argv],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        stdin=subprocess.DEVNULL,
        env={**os.environ, "PYTHONPATH": str(PROJECT)},
    )
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.read(1)
    process.stdout.close()
    err = process.stderr.read().decode()
    process.stderr.close()
    assert process.wait(timeout=60) == 0
    assert "Broken" not in err
    assert "Traceback" not in err


def loaded(*argv: str) -> set[str]:
    """Modules a command has loaded at its end, as a process of its own."""
    code = (
        "import sys, json\nfrom vault_cli.cli.app import main\ncode = main(sys.argv[1:])\n"
        "sys.stderr.write('\\n' + json.dumps([code, sorted(sys.modules)]))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, *argv],
        capture_output=True,
        stdin=subprocess.DEVNULL,
        text=True,
        check=True,
        env={**os.environ, "PYTHONPATH": str(PROJECT)},
    )
    status, modules = json.loads(done.stderr.rpartition("\n")[2])
    assert status == 0, done.stderr
    return set(modules)


@pytest.mark.parametrize("argv", [["list"], ["show", "m-1"], ["render"], ["--help"]])
def test_reading_loads_neither_git_nor_the_scanner_nor_other_commands(
    tmp_path: Path, argv: list[str]
) -> None:
    root = make_vault(
        tmp_path, {"m-1.md": "---\nid: m-1\nkind: note\nstatus: active\n---\n# One\n"}
    )
    run_real("--vault", str(root), "list")  # fills the cache
    modules = loaded("--vault", str(root), *argv)
    assert not {"git", "rich", "pydantic", "click"} & modules
    # with these comes the scanner, which takes longer to load than all else together
    assert not {"yaml", "frontmatter", "vault_cli.text.fields", "vault_cli.text.scan"} & modules
    others = {entry.module for name, entry in COMMANDS.items() if name != argv[0]}
    own = COMMANDS[argv[0]].module if argv[0] in COMMANDS else ""
    assert not {f"vault_cli.cli.{name}" for name in others - {own}} & modules


def test_a_removed_working_directory_is_a_message(tmp_path: Path) -> None:
    place = tmp_path / "gone"
    place.mkdir()
    code = (
        "import os, sys\nos.rmdir(os.getcwd())\nfrom vault_cli.cli.app import main\n"
        "sys.exit(main(['list']))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=place,
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": str(PROJECT)},
    )
    assert done.returncode == 2
    assert "working directory" in done.stderr
