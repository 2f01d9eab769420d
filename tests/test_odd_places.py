"""Paths that lead nowhere, or home of nobody: a clear error, never a defect, never without end."""

from __future__ import annotations

from pathlib import Path

import pytest
from helpers import git, make_vault, run_real

CALLS = (
    ("check", "{}"),
    ("render", "--to", "{}"),
    ("export", "json", "--to", "{}"),
    ("import", "markdown", "{}"),
    ("import", "markdown", "memories", "--workspace", "{}", "--dry-run"),
    ("audit-store", "{}"),
    ("show", "{}"),
    ("adopt", "{}"),
    ("capture", "sessions", "{}"),
    ("guard", "test", "r-0000001", "--log", "{}"),
    ("guard", "failures", "--from", "{}"),
    ("task", "derive", "{}"),
    ("purge", "--text", "something long", "--into", "{}"),
    ("install", "--plugin", "{}", "--yes"),
    ("init", "{}"),
)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    place = make_vault(tmp_path, {"memories/a.md": "# A note\n\nIt is here.\n"})
    for folder in (place, tmp_path):
        (folder / "circle.md").symlink_to("circle.md")
        (folder / "one").symlink_to("two")
        (folder / "two").symlink_to("one")
    return place


@pytest.mark.parametrize("name", ["circle.md", "one/x.md", "~nobody-of-that-name/x.md"])
@pytest.mark.parametrize("call", CALLS, ids=lambda call: " ".join(call[:2]))
def test_a_path_that_leads_nowhere_is_an_error_with_a_name(
    root: Path, call: tuple[str, ...], name: str
) -> None:
    before = git(root, "rev-parse", "HEAD")
    argv = [name if word == "{}" else word for word in call]
    done = run_real(*argv, cwd=root, timeout=30)
    assert done.code not in (70, -9), done.text
    assert "Traceback" not in done.text
    assert git(root, "rev-parse", "HEAD") == before
