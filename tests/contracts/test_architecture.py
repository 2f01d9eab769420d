"""The code map of the architecture page is true: each concept once, and every module is there."""

from __future__ import annotations

import re
from fnmatch import fnmatch
from pathlib import Path

from helpers import PROJECT

PACKAGE = PROJECT / "vault_cli"
_MODULE = re.compile(r"`([\w/*]+\.py)`")


def code_map() -> list[list[str]]:
    """The cells of the table below "Where a concept lives"."""
    text = (PACKAGE / "ARCHITECTURE.md").read_text("utf-8")
    section = text.partition("\n## Where a concept lives\n")[2].partition("\n## ")[0]
    rows = [line.strip("|").split("|") for line in section.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in row] for row in rows[2:]]


def test_a_concept_has_one_row() -> None:
    concepts = [row[0] for row in code_map()]
    assert len(concepts) > 20  # the table was found
    assert sorted(concepts) == sorted(set(concepts))


def test_every_module_that_is_named_is_there() -> None:
    there = [path.relative_to(PACKAGE).as_posix() for path in Path(PACKAGE).rglob("*.py")]
    named = {name for row in code_map() for name in _MODULE.findall(" ".join(row))}
    lost = {
        n for n in named if not any(fnmatch(path, n) or fnmatch(path, f"*/{n}") for path in there)
    }
    assert not lost
