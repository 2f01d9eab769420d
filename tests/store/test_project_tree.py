"""What became of the files that anchors speak about."""

from __future__ import annotations

import hashlib
import os
import sys
import time
from pathlib import Path
from typing import Any
from unicodedata import normalize

import pytest
from helpers import git
from hypothesis import given, settings
from hypothesis import strategies as st

from vault_cli.model.anchors import Anchor
from vault_cli.store import anchor_cache, project_tree
from vault_cli.store.anchor_cache import CACHE_PATH, AnchorCache
from vault_cli.store.entry import blob_id
from vault_cli.store.project_history import ProjectHistory
from vault_cli.store.project_tree import ProjectTree, content_ids

POSIX = pytest.mark.skipif(os.name == "nt", reason="links and pipes of POSIX")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    top = tmp_path / "web"
    top.mkdir()
    git(top, "init", "-q")
    return top


def put(top: Path, path: str, data: bytes = b"x = 1\n", *, commit: bool = False) -> str:
    """Write a file; return the id git gives to it."""
    place = top / path
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_bytes(data)
    if commit:
        git(top, "add", "--", path)
        git(top, "commit", "-q", "-m", "x")
    return git(top, "hash-object", "--", path).strip()


def judge(top: Path, path: str, blob: str, **options: Any) -> tuple[str, str]:
    verdict = ProjectTree(top, **options).compare([Anchor(path, blob)])[0]
    return verdict.state, verdict.why


def state(top: Path, path: str, blob: str) -> str:
    return judge(top, path, blob)[0]


@pytest.mark.parametrize("path", ["a.py", "src/deep/甲 乙.py", "-a.py", "a#b.py", "é.py"])
def test_fresh_stale_gone(project: Path, path: str) -> None:
    blob = put(project, path)
    assert state(project, path, blob) == "fresh"
    assert state(project, path, blob[:7]) == "fresh", "a short id"
    put(project, path, b"x = 2\n")
    assert judge(project, path, blob) == ("stale", "it has changed")
    (project / path).unlink()
    assert judge(project, path, blob) == ("stale", "it is gone")


@settings(max_examples=30, deadline=None)
@given(st.binary(max_size=300))
def test_the_id_is_git_s(tmp_path_factory: Any, data: bytes) -> None:
    top = tmp_path_factory.mktemp("ids")
    git(top, "init", "-q")
    (top / "f").write_bytes(data)
    assert git(top, "hash-object", "--no-filters", "f").strip() in content_ids(data, "sha1")


def test_line_ends_do_not_count(project: Path) -> None:
    git(project, "config", "core.autocrlf", "true")
    blob = put(project, "a.py", b"x = 1\r\ny = 2\r\n", commit=True)
    assert blob == blob_id(b"x = 1\ny = 2\n", "sha1"), "git stores LF"
    assert state(project, "a.py", blob) == "fresh"
    put(project, "a.py", b"x = 1\ny = 2\n")
    assert state(project, "a.py", blob) == "fresh"
    put(project, "a.py", b"x = 1\r\ny = 3\r\n")
    assert state(project, "a.py", blob) == "stale"
    raw = blob_id(b"\0\r\n", "sha1")
    put(project, "b.bin", b"\0\r\n")
    assert state(project, "b.bin", raw) == "fresh"
    assert state(project, "b.bin", blob_id(b"\0\n", "sha1")) == "stale", "a binary has no lines"


def test_a_file_of_git_lfs_is_compared_by_its_pointer(project: Path) -> None:
    (project / ".gitattributes").write_text("*.bin filter=lfs diff=lfs\n")
    data = b"large"
    digest = hashlib.sha256(data).hexdigest()
    pointer = f"version https://git-lfs.github.com/spec/v1\noid sha256:{digest}\nsize 5\n"
    put(project, "a.bin", pointer.encode())
    blob = blob_id(pointer.encode(), "sha1")
    assert state(project, "a.bin", blob) == "fresh", "not fetched: the pointer lies there"
    (project / "a.bin").write_bytes(data)
    assert state(project, "a.bin", blob) == "fresh"
    assert ProjectTree(project).pointer_id("a.bin") == blob
    (project / "a.bin").write_bytes(data + b"r")
    assert state(project, "a.bin", blob) == "stale"


@pytest.mark.parametrize(
    ("place", "line", "rewritten"),
    [
        (".gitattributes", "*.key filter=git-crypt diff=git-crypt", True),
        (".gitattributes", "secret/** filter=git-crypt", True),
        ("secret/.gitattributes", "*.key working-tree-encoding=UTF-16", True),
        (".git/info/attributes", "*.key filter=other", True),
        (".gitattributes", "*.png filter=git-crypt", False),
        (".gitattributes", "*.key filter=x\n*.key -filter", False),
        (".gitattributes", "# *.key filter=x", False),
        (".gitattributes", "*.key text eol=lf", False),
    ],
)
def test_what_git_stores_rewritten_cannot_be_told(
    project: Path, place: str, line: str, rewritten: bool
) -> None:
    (project / "secret").mkdir()
    (project / place).write_text(f"{line}\n")
    (project / "secret/a.key").write_bytes(b"plain")
    found = judge(project, "secret/a.key", "0123456789")
    assert found[0] == ("unverifiable" if rewritten else "stale")
    assert ("git stores it rewritten" in found[1]) is rewritten
    assert state(project, "secret/a.key", blob_id(b"plain", "sha1")) == "fresh"


@POSIX
def test_no_link_is_followed(project: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "secret").write_bytes(b"key")
    blob = blob_id(b"key", "sha1")
    (project / "out").symlink_to(outside / "secret")
    (project / "folder").symlink_to(outside)
    assert state(project, "out", blob) == "stale"
    assert state(project, "out", blob_id(os.fsencode(outside / "secret"), "sha1")) == "fresh"
    assert judge(project, "folder/secret", blob) == ("unverifiable", "a link is on the way")
    assert judge(project, "folder/none", blob) == ("unverifiable", "a link is on the way")
    for path in ("../outside/secret", str(outside / "secret"), ".git/HEAD"):
        anchor = Anchor(path, blob, "told by its words")
        assert ProjectTree(project).compare([anchor])[0].state == "unverifiable"
        seen = ProjectTree(project).look(path)
        assert seen.why
        assert not seen.ids


@POSIX
def test_what_cannot_be_read_is_unverifiable(project: Path, monkeypatch: Any) -> None:
    (project / "folder").mkdir()
    os.mkfifo(project / "pipe")
    assert judge(project, "folder", "0" * 40) == ("unverifiable", "it is no plain file")
    assert judge(project, "pipe", "0" * 40) == ("unverifiable", "it is no plain file")
    blob = put(project, "a.py")
    assert judge(project, "a.py/b", blob) == ("stale", "it is gone"), "a file where a folder was"
    monkeypatch.setattr(project_tree, "MOST_BYTES", 3)
    assert judge(project, "a.py", blob)[0] == "unverifiable"
    monkeypatch.setattr(project_tree, "MOST_BYTES", 100)
    monkeypatch.setattr(project_tree, "MOST_READ", 3)
    assert "too many files" in judge(project, "a.py", blob)[1]
    if os.geteuid():
        (project / "a.py").chmod(0)
        assert judge(project, "a.py", blob)[0] == "unverifiable"


def test_without_git_nobody_can_tell(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_bytes(b"x")
    found = judge(tmp_path, "a.py", blob_id(b"x", "sha1"))
    assert found == ("unverifiable", "the project is in no git repository")


@pytest.mark.skipif(sys.platform == "darwin", reason="the file system folds names")
@pytest.mark.parametrize(("disk", "written"), [("NFC", "NFD"), ("NFD", "NFC")])
def test_a_name_is_found_in_either_form(project: Path, disk: str, written: str) -> None:
    form: Any = disk
    other: Any = written
    blob = put(project, normalize(form, "café/é.py"), commit=True)
    path = normalize(other, "café/é.py")
    tree = ProjectTree(project)
    if normalize(form, "é") == normalize(other, "é"):
        pytest.skip("one form")
    assert tree.compare([Anchor(normalize(form, "café/é.py"), blob)])[0].state == "fresh"
    assert tree.compare([Anchor(path, blob)])[0].state == "fresh"
    assert ProjectHistory(tree).committed(path) == blob


def test_a_repository_of_sha_256(tmp_path: Path) -> None:
    top = tmp_path / "web"
    top.mkdir()
    git(top, "init", "-q", "--object-format=sha256")
    blob = put(top, "a.py")
    assert len(blob) == 64
    assert state(top, "a.py", blob) == state(top, "a.py", blob[:9]) == "fresh", "before any commit"
    git(top, "add", ".")
    git(top, "commit", "-q", "-m", "x")
    tree = ProjectTree(top)
    assert tree.algorithm == "sha256"
    assert tree.look("a.py").ids == (blob,)
    assert ProjectHistory(tree).find_moved(blob) == ["a.py"]
    assert state(top, "a.py", blob_id(b"x = 1\n", "sha1")) == "fresh", "from before a conversion"
    assert state(top, "a.py", "0" * 64) == "stale"


def test_a_full_id_says_its_hash(project: Path) -> None:
    put(project, "a.py")
    assert state(project, "a.py", blob_id(b"x = 1\n", "sha256")) == "fresh"


def test_what_is_not_checked_out_is_not_deleted(project: Path) -> None:
    blob = put(project, "kept/a.py", commit=True)
    other = put(project, "left/b.py", commit=True)
    git(project, "sparse-checkout", "set", "kept")
    assert not (project / "left/b.py").exists()
    assert state(project, "kept/a.py", blob) == "fresh"
    assert "sparse checkout" in judge(project, "left/b.py", other)[1]
    git(project, "sparse-checkout", "disable")
    (project / "left/b.py").unlink()
    assert judge(project, "left/b.py", other) == ("stale", "it is gone")
    (project / ".gitmodules").write_text('[submodule "x"]\n\tpath = vendor/x\n\turl = ../x\n')
    (project / "vendor/x").mkdir(parents=True)
    assert "submodule" in judge(project, "vendor/x/c.py", blob)[1]
    (project / "vendor/x/.git").mkdir()
    assert judge(project, "vendor/x/c.py", blob) == ("stale", "it is gone")


def test_git_says_what_it_knows(project: Path) -> None:
    blob = put(project, "a.py", b"one\n", commit=True)
    put(project, "a.py", b"two\n", commit=True)
    put(project, "lib/c.py", b"one\n", commit=True)
    history = ProjectHistory(ProjectTree(project))
    assert history.find_moved(blob) == history.find_moved(blob[:8]) == ["lib/c.py"]
    assert history.find_moved("0" * 40) == []
    assert history.read_old([blob, blob[:9], "0" * 40]) == {blob: b"one\n", blob[:9]: b"one\n"}
    assert history.read_old([]) == {}
    assert history.has_blobs([blob, blob[:7], "0" * 40]) == {blob, blob[:7]}
    head = git(project, "rev-parse", "HEAD").strip()
    assert history.has_blobs([head]) == set(), "a commit is no content of a file"
    inner = ProjectHistory(ProjectTree(project / "lib"))
    assert inner.find_moved(blob) == ["c.py"], "paths start at the project's root"
    assert inner.committed("c.py") == blob
    assert inner.committed("none.py") == ""


def test_an_unborn_or_damaged_repository_says_nothing(project: Path) -> None:
    history = ProjectHistory(ProjectTree(project))
    assert history.committed("a.py") == ""
    assert history.find_moved("0" * 7) == []
    (project / ".git/HEAD").write_text("nonsense\n")
    history = ProjectHistory(ProjectTree(project))
    assert history.committed("a.py") == ""
    assert history.has_blobs(["0" * 40]) == set()


# --- the cache


@pytest.fixture
def vault(tmp_path: Path, monkeypatch: Any) -> Path:
    root = tmp_path / "vault"
    root.mkdir()
    monkeypatch.setattr(anchor_cache, "_SETTLED_NS", -(10**12))
    return root


def counted(monkeypatch: Any) -> list[str]:
    """Note every file that is read."""
    reads: list[str] = []
    real = project_tree.read_at

    def read(name: str, *args: Any, **options: Any) -> Any:
        reads.append(name)
        return real(name, *args, **options)

    monkeypatch.setattr(project_tree, "read_at", read)
    return reads


def test_a_file_with_the_same_stamp_is_not_read_again(
    project: Path, vault: Path, monkeypatch: Any
) -> None:
    blob = put(project, "src/甲.py")
    reads = counted(monkeypatch)
    for _ in range(3):
        cache = AnchorCache(vault)
        assert judge(project, "src/甲.py", blob, cache=cache)[0] == "fresh"
        cache.save()
    assert reads == ["甲.py"]
    put(project, "src/甲.py", b"longer than it was\n")
    assert judge(project, "src/甲.py", blob, cache=AnchorCache(vault))[0] == "stale"


def test_a_file_that_was_just_written_is_not_believed(
    project: Path, vault: Path, monkeypatch: Any
) -> None:
    monkeypatch.setattr(anchor_cache, "_SETTLED_NS", 3_000_000_000)
    blob = put(project, "a.py", b"x = 1\n")
    cache = AnchorCache(vault)
    judge(project, "a.py", blob, cache=cache)
    cache.save()
    assert not (vault / CACHE_PATH).exists()
    future = time.time_ns() + 10**13
    os.utime(project / "a.py", ns=(future, future))
    judge(project, "a.py", blob, cache=cache)
    cache.save()
    assert not (vault / CACHE_PATH).exists(), "a stamp of tomorrow proves nothing"


@pytest.mark.parametrize("damage", ["foreign", "cut", "empty", "binary", "folder"])
def test_a_foreign_or_damaged_cache_is_an_empty_one(
    project: Path, vault: Path, monkeypatch: Any, damage: str
) -> None:
    blob = put(project, "a.py")
    cache = AnchorCache(vault)
    judge(project, "a.py", blob, cache=cache)
    cache.save()
    place = vault / CACHE_PATH
    data = place.read_bytes()
    lie = data.replace(blob.encode(), b"0" * 40)
    place.unlink()
    if damage == "folder":
        place.mkdir()
    else:
        place.write_bytes(
            {"foreign": lie, "cut": data[:-3], "empty": b"", "binary": bytes(range(256))}[damage]
        )
    cache = AnchorCache(vault)
    assert judge(project, "a.py", blob, cache=cache)[0] == "fresh"
    assert judge(project, "a.py", "0" * 40, cache=cache)[0] == "stale"
    cache.save()


def test_an_answer_of_git_is_kept_until_head_moves(
    project: Path, vault: Path, monkeypatch: Any
) -> None:
    blob = put(project, "a.py", commit=True)
    later = blob_id(b"later\n", "sha1")

    def ask() -> set[str]:
        cache = AnchorCache(vault)
        found = ProjectHistory(ProjectTree(project), cache).has_blobs([blob, later])
        cache.save()
        return found

    assert ask() == {blob}
    asked: list[Any] = []
    real = ProjectHistory._ask
    monkeypatch.setattr(ProjectHistory, "_ask", lambda self, b: asked.append(b) or real(self, b))
    assert ask() == {blob}
    assert asked == [[]], "both answers are kept"
    put(project, "b.py", b"later\n", commit=True)
    assert ask() == {blob, later}
    assert asked == [[], [later]]
