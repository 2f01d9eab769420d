"""The README is true: its commands run, its tables are the program's, its words name what exists."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

import pytest
from helpers import PROJECT, SAMPLE_VAULT, run

from vault_cli import errors
from vault_cli.cli.commands import COMMANDS, PANELS
from vault_cli.store.settings import SETTINGS
from vault_cli.text.codes import CODES, GATE_CODES, SCAN_CODES

README = PROJECT / "README.md"


def blocks(language: str) -> list[str]:
    """Every fenced block of a language, in order."""
    return re.findall(
        rf"^```{language}\n(.*?)^```", README.read_text("utf-8"), re.MULTILINE | re.DOTALL
    )


def table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """A Markdown table."""
    lines = [f"| {' | '.join(head)} |", "|---" * len(list(head)) + "|"]
    return "\n".join(lines + [f"| {' | '.join(row)} |" for row in rows])


def shown(value: object) -> str:
    """A default as a person would type it."""
    if isinstance(value, bool):
        return f"`{str(value).lower()}`"
    if isinstance(value, tuple | list):
        return " ".join(f"`{item}`" for item in value) or "none"
    return f"`{value}`" if value not in ("", {}) and str(value) != "{}" else "none"


def settings_table() -> str:
    rows = [
        (f"`{s.name}`", shown(s.default), s.help + (" *(own)*" if s.user_only else ""))
        for s in SETTINGS
    ]
    return table(("setting", "default", "what it does"), rows)


def exits_table() -> str:
    rows = {
        0: "done, also when there was nothing to do",
        1: "`check` found problems, or nothing matched",
        **{
            error.exit_code: str(error.__doc__).splitlines()[0].split(" (exit")[0]
            for error in vars(errors).values()
            if isinstance(error, type)
            and issubclass(error, errors.VaultError)
            and error is not errors.VaultError
        },
        70: "a fault of ours; `--debug` shows the trace",
        130: "interrupted",
    }
    return table(
        ("exit", "meaning"), [(str(code), rows[code].rstrip(".")) for code in sorted(rows)]
    )


def findings_table() -> str:
    def effect(severity: str, holds: bool) -> str:
        return "unreadable" if severity == "error" else "held" if holds else severity

    rows = [(f"`{code}`", effect(s, holds), text) for code, (s, holds, text) in CODES.items()]
    rows += [(f"`{code}`", "held, or a note", text) for code, text in SCAN_CODES.items()]
    rows += [(f"`{code}`", effect, text) for code, (effect, text) in GATE_CODES.items()]
    return table(("code", "effect", "meaning"), rows)


def commands_table() -> str:
    rows = [
        (panel, " ".join(f"`{name}`" for name, entry in COMMANDS.items() if entry.panel == panel))
        for panel in PANELS
    ]
    return table(("panel", "commands"), rows)


TABLES = {
    "commands": commands_table,
    "settings": settings_table,
    "exits": exits_table,
    "findings": findings_table,
}


@pytest.mark.parametrize("name", TABLES)
def test_table_is_the_program_s(name: str, request: pytest.FixtureRequest) -> None:
    text = README.read_text("utf-8")
    wanted = f"<!-- table:{name} -->\n{TABLES[name]()}\n<!-- /table -->"
    pattern = re.compile(rf"<!-- table:{name} -->\n.*?<!-- /table -->", re.DOTALL)
    if request.config.getoption("--update-golden"):
        README.write_text(pattern.sub(lambda _: wanted, text), "utf-8")
        text = README.read_text("utf-8")
    found = pattern.search(text)
    assert found is not None
    assert found.group() == wanted


def test_the_two_commands_come_first_and_make_their_own_environment() -> None:
    first, second = blocks("bash")[:2]
    for block in (first, second):
        assert block.startswith("python3 -m venv .venv\n")
        assert "sudo" not in block
    assert first.rstrip().endswith(".venv/bin/mvault --vault sample-vault render")
    assert ".venv/bin/python -m pytest" in second


def test_ci_runs_the_second_block_word_for_word() -> None:
    script = (PROJECT / ".ci" / "run").read_text("utf-8")
    program = re.search(r"awk '(.*?)' README.md", script)
    assert program is not None
    done = subprocess.run(
        ["awk", program.group(1), str(README)], capture_output=True, text=True, check=True
    )
    assert done.stdout == blocks("bash")[1]


def test_the_first_command_prints_the_sample_vault() -> None:
    command = blocks("bash")[0].rstrip().splitlines()[-1].split()[1:]
    command[command.index("sample-vault")] = str(SAMPLE_VAULT)
    assert "### Required rules" in run(*command).ok().out


CALLS = {"Diagnostic", "_finding", "note", "Problem", "_report", "finding"}


def codes_of(path: Path) -> set[str]:
    """Every code that a module gives to a finding as a literal."""
    calls = [
        node
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.Call)
        and getattr(node.func, "id", getattr(node.func, "attr", "")) in CALLS
    ]
    given = [value for call in calls for value in [*call.args, *(k.value for k in call.keywords)]]
    return {
        value.value
        for value in given
        if isinstance(value, ast.Constant)
        and isinstance(value.value, str)
        and re.fullmatch(r"[a-z]+(-[a-z0-9]+)+", value.value)
    }


def test_every_code_of_a_finding_is_explained() -> None:
    documented = set(re.findall(r"`([a-z0-9-]+)`", README.read_text("utf-8")))
    used = {code for path in (PROJECT / "vault_cli").rglob("*.py") for code in codes_of(path)}
    assert len(used) > 60
    assert used - documented == set()


def play(script: str, folder: Path, answers: list[tuple[str, str]]) -> str:
    """Run a script as a person at a terminal would, answering each prompt when it comes."""
    pty = pytest.importorskip("pty")
    master, slave = pty.openpty()
    program = f'mvault() {{ "{sys.executable}" -m vault_cli "$@"; }}\n{script}'
    process = subprocess.Popen(
        ["bash", "-euc", program],
        cwd=folder,
        stdin=slave,
        stdout=slave,
        stderr=slave,
        start_new_session=True,
        env={**os.environ, "PYTHONPATH": str(PROJECT), "TERM": "xterm"},
    )
    os.close(slave)
    said = ""
    waiting = list(answers)
    while True:
        try:
            part = os.read(master, 65536)
        except OSError:
            break
        if not part:
            break
        said += part.decode("utf-8", "replace")
        if waiting and waiting[0][0] in said[said.rfind("\n") :]:
            os.write(master, waiting.pop(0)[1].encode() + b"\n")
    os.close(master)
    assert process.wait(timeout=60) == 0, said
    assert not waiting, said
    return said


def test_the_tour_runs_as_it_stands(tmp_path: Path) -> None:
    tour, note, sink = blocks("bash")[2:5]
    said = play(tour, tmp_path, [("[a,e,r,s,d,q,?]", "a"), ("[y/N]", "y")])
    assert "### Lessons" in said
    assert "approve(lesson): Check node_modules/.bin" in said
    chinese = play(blocks("bash")[5], tmp_path, [("[a,e,r,s,d,q,?]", "a")])
    assert "修正: 先用 node_modules/.bin/tsc。" in chinese
    vault = tmp_path / "memory"
    said = play(note + sink, vault, [("[y/N]", "y")])
    assert "发布前先冻结分支" in said
    assert "发布前先冻结分支" in (tmp_path / "AGENTS.md").read_text("utf-8")


def test_the_worked_example_of_the_clocks_is_what_its_transcript_shows() -> None:
    after = README.read_text("utf-8").split("Same question, three right answers.")[1]
    example = after.split("```console\n")[1].split("```")[0]
    played = (PROJECT / "tests/cli/clocks.md").read_text("utf-8").replace(" --vault memory", "")
    played = "".join(line for line in played.splitlines(True) if not line.startswith("2> "))
    assert example.count("$ mvault search") == 3
    assert example in played
