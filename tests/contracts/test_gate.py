"""The checks of every merge: format, lint, types, layers. Each is the command a person would run."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
BIN = Path(sys.executable).parent

CHECKS = {
    "format": ["ruff", "format", "--check", "--quiet", "."],
    "lint": ["ruff", "check", "--quiet", "."],
    "types": ["mypy", "--no-error-summary"],
    "layers": ["lint-imports", "--no-cache"],
}


@pytest.mark.parametrize("name", CHECKS)
def test_check_is_clean(name: str) -> None:
    tool, *args = CHECKS[name]
    program = BIN / tool
    assert program.exists(), f"{tool} is missing: install the dev extra"
    done = subprocess.run(
        [str(program), *args], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-2000:]


def test_patterns_are_asked_of_git_only_where_they_are_switched_on() -> None:
    """Under GIT_LITERAL_PATHSPECS `:(glob)…` is only an odd name, and nothing is ever found."""
    for path in (ROOT / "vault_cli").rglob("*.py"):
        text = path.read_text()
        if any(f'"{sign}' in text for sign in (":(top", ":(glob", ":(icase", ":(exclude", ":!")):
            assert '"GIT_LITERAL_PATHSPECS": "0"' in text, path
