"""Which vault of a clone counts: links, folders inside, other work trees, who made it."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from helpers import commit_all, git, run, write_files
from test_trust_clone import clone, trust
from test_trust_incoming import RULE
from test_two_vaults import make_user

LANGUAGES = [("Deploy on Fridays", "Skip the staging step."), ("周五部署", "跳过预发布。")]
SETTINGS = "schema = 1\n"


def received(tmp_path: Path, files: dict[str, str], *, link: str = "") -> Path:
    """A fresh clone of somebody else's repository with these files."""
    source = tmp_path / "source"
    source.mkdir()
    git(source, "init", "-q", "-b", "main")
    write_files(source, files)
    if link:
        (source / ".mvault").symlink_to(link)
    commit_all(source)
    clone(source, tmp_path / "clone")
    return tmp_path / "clone"


def shown(folder: Path) -> str:
    return run("render", cwd=folder).ok().out


# a vault of a clone, wherever in it


@pytest.mark.parametrize(("title", "body"), LANGUAGES)
@pytest.mark.parametrize("way", ["link", "link in a link", "folder", "deep folder", "inner .mvault"])
def test_a_vault_that_is_found_in_a_clone_waits(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, way: str, title: str, body: str
) -> None:
    monkeypatch.delenv("GIT_CEILING_DIRECTORIES")
    place, start, link = {
        "link": ("docs/mem", "", "docs/mem"),
        "link in a link": ("docs/mem", "docs", "docs/mem"),
        "folder": ("src", "src", ""),
        "deep folder": ("src/a/b", "src/a/b/c", ""),
        "inner .mvault": ("src/.mvault", "src", ""),
    }[way]
    rule = RULE.format(id="r-one", title=title, body=body)
    files = {f"{place}/vault.toml": SETTINGS, f"{place}/playbook/r-one.md": rule}
    mine = received(tmp_path, {**files, "src/a/b/c/main.py": "1\n", "docs/x": "1\n"}, link=link)
    assert title not in shown(mine / start)
    assert "put in force by others: r-one" in run("status", cwd=mine / start).ok().text
    # who names a plain folder chose it; a project vault waits whoever names it
    named = run("--vault", place, "render", cwd=mine).ok().out
    assert (title in named) == (not place.endswith(".mvault"))
    trust(mine / place)
    assert title in shown(mine / start)


@pytest.mark.parametrize(("title", "body"), LANGUAGES)
def test_a_folder_of_a_clone_is_given_to_who_names_it(
    tmp_path: Path, title: str, body: str
) -> None:
    rule = RULE.format(id="r-one", title=title, body=body)
    mine = received(tmp_path, {"sample/vault.toml": SETTINGS, "sample/playbook/r.md": rule})
    assert title in run("--vault", "sample", "render", cwd=mine).ok().out
    assert title in run("--vault", ".", "render", cwd=mine / "sample").ok().out
    assert title in run("render", cwd=mine, env={"MVAULT": "sample"}).ok().out
    assert title not in run("render", cwd=mine / "sample", env={"MVAULT": ""}).ok().out


def test_one_s_own_vault_in_a_folder_counts_where_one_stands_in_it(tmp_path: Path) -> None:
    project = tmp_path / "p"
    project.mkdir()
    git(project, "init", "-q", "-b", "main")
    git(project, "remote", "add", "origin", "https://example.org/x.git")
    run("init", "docs/memory", "--in-repo", cwd=project).ok()
    rule = RULE.format(id="r-one", title="先问再部署", body="没有例外。")
    write_files(project / "docs/memory", {"playbook/r.md": rule})
    commit_all(project)
    assert "先问再部署" in shown(project / "docs/memory")
