"""Every command that a text of the program names can be typed."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import typer
from helpers import PROJECT

from vault_cli.cli.app import build_root
from vault_cli.cli.invocation import Invocation
from vault_cli.cli.option_values import Options

_COMMAND = re.compile(r"(?:`|: |Run |or )mvault (?:--json )?([a-z][a-z-]*)(?: ([a-z]+))?")
"""`mvault` where an order begins; elsewhere it is the name of the program."""


def texts_of(path: Path) -> Iterator[tuple[int, str]]:
    """Yield the texts of a module; what an f-string fills in is a blank word."""
    tree = ast.parse(path.read_text())
    notes = {id(n.value) for n in ast.walk(tree) if isinstance(n, ast.Expr)}  # docstrings
    parts = {id(part) for n in ast.walk(tree) if isinstance(n, ast.JoinedStr) for part in n.values}
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            words = [p.value if isinstance(p, ast.Constant) else "X" for p in node.values]
            yield node.lineno, "".join(map(str, words))
        elif (
            isinstance(node, ast.Constant)
            and isinstance(node.value, str)
            and id(node) not in parts | notes
        ):
            yield node.lineno, node.value


def commands_in(text: str) -> Iterator[list[str]]:
    """Yield the words of each command that a text names, up to where the sentence goes on."""
    for found in _COMMAND.finditer(text):
        rest = re.split(r"[`;|)\n]|\. |, |: | or |$", text[found.start(1) :], maxsplit=1)[0]
        words = re.sub(r'"[^"]*"', "TEXT", rest.rstrip(".")).replace("X…", "X").split()
        is_name = len(words) == 1 and text[found.start()] == "`"  # `mvault edit`: only named
        if words and words[0] not in _WORDS and not is_name:
            yield words


_WORDS = {"to", "made", "may", "and", "changes", "rewrites", "failed", "wrote", "record", "for"}
"""What follows the name of the program where it is no command."""

_REASON = {"reject", "dispute", "resolve", "revive"}


def problem_of(words: list[str], root: Any) -> str:
    """Say why a command line would be refused as it is typed, "" when it would not."""
    group = root
    context = root.context_class(root, obj=Invocation(Options(), {}))
    names, typed = [], words[1:]
    while words and hasattr(group, "get_command"):
        found = group.get_command(context, words[0])
        if found is None:
            return f"no such command: {words[0]}"
        names.append(words.pop(0))
        group = found
    try:
        group.make_context(" ".join(names), list(words), parent=context)
    except typer.TyperException as error:
        return error.format_message()
    except (SystemExit, typer.Exit):
        return ""
    if names[0] in _REASON and "--reason" not in typed and typed:
        return "it needs a --reason"
    if names[0] == "supersede" and len([w for w in typed if not w.startswith("-")]) < _PAIR:
        return "it names no successor"
    return ""


_PAIR = 2


def hints_of_transcripts() -> Iterator[tuple[str, str]]:
    """Yield where a transcript prints a hint, and the hint."""
    for path in sorted((PROJECT / "tests" / "cli").glob("*.md")):
        for number, line in enumerate(path.read_text().splitlines(), 1):
            if "hint: " in line:
                yield f"{path.name}:{number}", line.partition("hint: ")[2]


def test_every_command_in_a_text_of_the_program_can_be_typed() -> None:
    root = build_root(completion=False)
    texts = [
        (f"{path.relative_to(PROJECT)}:{line}", text)
        for path in sorted((PROJECT / "vault_cli").rglob("*.py"))
        for line, text in texts_of(path)
    ]
    wrong = [
        f"{place}: mvault {' '.join(words)}: {problem}"
        for place, text in [*texts, *hints_of_transcripts()]
        for words in commands_in(text)
        if (problem := problem_of(list(words), root))
    ]
    assert not wrong, "\n".join(wrong)
