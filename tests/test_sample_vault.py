"""The sample vault is correct, complete, and renders what its golden file shows."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
from helpers import SAMPLE_VAULT, Golden, commit_all, git, listed, run

KINDS = {
    "lesson", "failure", "rule", "fact", "preference", "insight", "hypothesis", "resource", "decision",
    "note", "recipe", "skill", "topic", "task", "ticket", "reflection", "persona",
}  # fmt: skip


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    """A copy of the sample vault in a repository of its own."""
    root = tmp_path / "harbor"
    shutil.copytree(SAMPLE_VAULT, root)
    git(tmp_path, "init", "-q", str(root))
    commit_all(root, "vault: start")
    return root


def test_check_finds_only_the_file_that_is_broken_on_purpose(vault: Path) -> None:
    result = run("--vault", vault, "--json", "check")
    found = [f for f in result.json["diagnostics"] if f["severity"] != "note"]
    assert [f["path"] for f in found] == ["broken/2026-11-refund-limits.md"], found
    assert found[0]["line"] == 5
    assert result.code == 1


def test_every_kind_and_both_languages(vault: Path) -> None:
    records = listed(vault)
    assert {r["kind"] for r in records.values()} == KINDS
    assert len(records) >= 44
    chinese = [r for r in records.values() if any("\u4e00" <= c <= "\u9fff" for c in r["title"])]
    assert len(chinese) * 3 >= len(records)
    statuses = Counter(r["status"] for r in records.values())
    assert statuses["candidate"] == 5
    assert {"verified", "superseded", "deprecated", "rejected"} <= set(statuses)


def test_the_render_is_the_golden_one(vault: Path, golden: Golden) -> None:
    result = run("--vault", vault, "render").ok()
    assert len(result.out.encode()) <= 9500
    golden("sample-vault-render.txt", result.out)
    for absent in (
        "boat fair",
        "Postgres 15\n",
        "Redis",
        "per order, not per payment",
        "refund rework",
    ):
        assert absent not in result.out
    assert run("--vault", vault, "render").out == result.out


def test_the_skill_is_valid_for_other_programs() -> None:
    tool = Path(sys.executable).parent / "agentskills"
    if not tool.exists():
        pytest.skip("the reference validator is not installed")
    folder = SAMPLE_VAULT / "skills" / "flaky-test-hunt"
    done = subprocess.run([tool, "validate", folder], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
