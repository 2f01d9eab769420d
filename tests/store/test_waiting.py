"""Which commits a history goes on from, asked one by one or all at once."""

from __future__ import annotations

from pathlib import Path

import pytest
from helpers import git, make_vault

from vault_cli.store import waiting
from vault_cli.store.repo import Repository


@pytest.mark.parametrize("few", [0, 100])
def test_of_many_and_of_few_commits_the_same_are_reached(
    tmp_path: Path, few: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = make_vault(tmp_path)
    monkeypatch.setattr(waiting, "_FEW", few)
    reached = []
    for number in range(4):
        git(root, "commit", "-q", "--allow-empty", "-m", f"第{number}次")
        reached.append(git(root, "rev-parse", "HEAD").strip())
    git(root, "reset", "-q", "--hard", "HEAD~2")
    repo = Repository.find(root)
    assert repo is not None
    asked = {*reached, "0" * 40, "--output=x", "HEAD"}
    assert waiting._reached(repo, asked) == set(reached[:2])
    assert not (root / "x").exists()
