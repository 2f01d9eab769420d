"""The project of a working directory, read without git."""

from __future__ import annotations

from pathlib import Path

import pytest
from helpers import git

from vault_cli.cli.project import normal_url, project_id


@pytest.mark.parametrize(
    ("url", "wanted"),
    [
        ("https://github.com/acme/web.git", "github.com/acme/web"),
        ("https://user:secret@GitHub.com:443/acme/web/", "github.com/acme/web"),
        ("git@github.com:acme/web.git", "github.com/acme/web"),
        ("ssh://git@gitlab.example.com:2222/group/sub/web", "gitlab.example.com/group/sub/web"),
        ("/srv/git/web.git", ""),
        ("../other", ""),
        ("", ""),
    ],
)
def test_two_spellings_of_a_remote_are_one_project(url: str, wanted: str) -> None:
    assert normal_url(url) == wanted


def test_checkout_worktree_and_vault(tmp_path: Path) -> None:
    project = tmp_path / "web"
    (project / "src").mkdir(parents=True)
    git(tmp_path, "init", "-q", str(project))
    git(project, "remote", "add", "origin", "git@github.com:acme/web.git")
    git(project, "commit", "-q", "--allow-empty", "-m", "one")
    git(project, "worktree", "add", "-q", str(tmp_path / "side"), "-b", "side")
    vault = tmp_path / "vault"
    assert project_id(project / "src", vault) == "github.com/acme/web"
    assert project_id(tmp_path / "side", vault) == "github.com/acme/web"
    assert project_id(project, project) == ""
    assert project_id(tmp_path, vault) == ""
