"""Tracing records back through history: by blob and path, children before parents."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from helpers import commit_all, git, write_files

from vault_cli.store.lineage import Lineage, last_deeds, read_lineage, read_touches, text_digests
from vault_cli.store.repo import Repository

TEXT = "---\nid: n-a\nstatus: {}\n---\n{}\n"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    git(tmp_path, "init", "-q", "vault")
    return tmp_path / "vault"


def trace(root: Path, *paths: str, whole: bool = True) -> Lineage:
    repo = Repository.find(root)
    assert repo is not None
    return read_lineage(repo.git, repo.prefix, repo.head(), paths, whole=whole)


def test_every_version_back_to_the_first_one(root: Path) -> None:
    write_files(root, {"drafts/a.md": TEXT.format("candidate", "one")})
    first = commit_all(root, "one")
    write_files(root, {"memories/a.md": TEXT.format("active", "one")})
    (root / "drafts/a.md").unlink()
    second = commit_all(root, "two")
    write_files(root, {"memories/a.md": TEXT.format("'verified'", "one")})
    third = commit_all(root, "three")
    found = trace(root, "memories/a.md", "memories/none.md")
    assert set(found.ancestries) == {"memories/a.md"}
    versions = found.ancestries["memories/a.md"].versions
    assert [v.deed.id for v in versions] == [third, second, first]
    assert [v.status for v in versions] == ["verified", "active", "candidate"]
    assert versions[-1].path == "drafts/a.md"
    (only,) = trace(root, "memories/a.md", whole=False).ancestries["memories/a.md"].versions
    assert only.deed.id == third


def test_a_mode_is_no_text_and_a_link_is_no_file(root: Path) -> None:
    write_files(root, {"a.md": TEXT.format("active", "one"), "b.md": "target"})
    first = commit_all(root, "one")
    (root / "a.md").chmod(0o755)
    commit_all(root, "executable")
    (root / "b.md").unlink()
    (root / "b.md").symlink_to("target")
    commit_all(root, "a link with the same bytes")
    found = trace(root, "a.md", "b.md")
    assert [v.deed.id for v in found.ancestries["a.md"].versions] == [first]
    assert "b.md" not in found.ancestries
    (root / "b.md").unlink()
    write_files(root, {"b.md": "target"})
    last = commit_all(root, "a file again")
    assert trace(root, "b.md").ancestries["b.md"].versions[0].deed.id == last


@pytest.mark.parametrize(
    "name", ['a "quoted" name.md', "新しい.md", ":100644 x.md", "line\nbreak.md", "tab\t.md"]
)
def test_any_name(root: Path, name: str) -> None:
    write_files(root, {name: "text"})
    first = commit_all(root, "subject\n\nbody\n\nVault-Op: add\nVault-Id: n-a\nVault-Id: n-b")
    (version,) = trace(root, name).ancestries[name].versions
    assert (version.deed.id, version.deed.ids) == (first, ("n-a", "n-b"))
    assert version.deed.is_ours


def test_names_that_are_no_utf8(root: Path) -> None:
    name = os.fsdecode(b"\xff\xfe.md")
    (root / name).write_text("text")
    commit_all(root, "one")
    assert len(trace(root, name).ancestries[name].versions) == 1


def test_of_a_merge_only_what_is_its_own(root: Path) -> None:
    write_files(root, {"a.md": "0", "b.md": "0"})
    commit_all(root, "start")
    git(root, "checkout", "-qb", "side")
    write_files(root, {"a.md": "side"})
    side = commit_all(root, "side")
    git(root, "checkout", "-q", "-")
    write_files(root, {"b.md": "main"})
    main = commit_all(root, "main")
    git(root, "merge", "-q", "--no-commit", "side")
    write_files(root, {"b.md": "merge"})
    merge = commit_all(root, "merge")
    found = trace(root, "a.md", "b.md").ancestries
    assert found["a.md"].versions[0].deed.id == side
    assert [v.deed.id for v in found["b.md"].versions[:2]] == [merge, main]
    repo = Repository.find(root)
    assert repo is not None
    newest, touches = next(read_touches(repo.git, "", repo.head()))
    assert (newest.id, newest.parents) == (merge, 2)
    assert [touch.path for touch in touches] == ["b.md"]
    assert last_deeds(repo.git, "", repo.head(), ["a.md", "none.md"]) == {"a.md": [(side,)]}


def test_a_file_that_a_merge_dropped_has_no_last_deed(root: Path) -> None:
    write_files(root, {"a.md": "0"})
    commit_all(root, "start")
    git(root, "checkout", "-qb", "side")
    write_files(root, {"b.md": "side"})
    commit_all(root, "side")
    git(root, "checkout", "-q", "-")
    write_files(root, {"c.md": "main"})
    commit_all(root, "main")
    git(root, "merge", "-q", "--no-edit", "-s", "ours", "side")
    repo = Repository.find(root)
    assert repo is not None
    assert last_deeds(repo.git, "", repo.head(), ["b.md"]) == {}
    (root / "a.md").unlink()
    gone = commit_all(root, "gone")
    assert last_deeds(repo.git, "", repo.head(), ["a.md"]) == {"a.md": [(gone,)]}


def test_before_the_first_commit(root: Path) -> None:
    assert trace(root, "a.md").ancestries == {}
    repo = Repository.find(root)
    assert repo is not None
    assert text_digests(repo.git, {}) == {}
    assert last_deeds(repo.git, "", "", ["a.md"]) == {}
