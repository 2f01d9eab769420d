"""Reaching files without descriptors of folders, as on Windows: the same answers."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from vault_cli.errors import NotFoundError, StoreError
from vault_cli.store import entry, files, opening, walk
from vault_cli.store.opening import Folders, explain_os_error, read_at, split_path, sync_folder


def make(root: Path, *paths: str) -> None:
    for path in paths:
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text("x\n", encoding="utf-8")


@pytest.fixture
def plain(monkeypatch: pytest.MonkeyPatch) -> None:
    """Take the way of systems that have no descriptors of folders."""
    monkeypatch.setattr(opening, "HAS_DIR_FD", False)
    monkeypatch.setattr(walk, "HAS_DIR_FD", False)


def test_a_plain_walk_finds_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make(tmp_path, "a.md", "d/e/b.md", "Templates/t.md", "d/x.MD", "CON.d/c.md", "d/AGENTS.md")
    make(tmp_path, "deep/" * 66 + "x.md")
    (tmp_path / "l.md").symlink_to("a.md")
    (tmp_path / "ld").symlink_to("d")
    ignore = ("Templates",)
    expected = walk.walk_records(tmp_path, ignore)
    assert [s.path for s in expected.stamps] == ["CON.d/c.md", "a.md", "d/e/b.md"]
    assert {d.code for d in expected.diagnostics} == {
        "file-suffix", "link", "too-deep", "windows-name",
    }  # fmt: skip
    assert expected.skipped == {"Templates": 1}
    monkeypatch.setattr(walk, "HAS_DIR_FD", False)
    assert walk.walk_records(tmp_path, ignore) == expected


@pytest.mark.usefixtures("plain")
def test_plain_reading_and_writing_keep_inside(tmp_path: Path) -> None:
    root = tmp_path / "v"
    make(tmp_path, "outside/secret.md")
    make(root, "a.md")
    (root / "l.md").symlink_to(tmp_path / "outside/secret.md")
    (root / "ld").symlink_to(tmp_path / "outside")
    files.write_file(root, "d/e/b.md", b"one")
    files.write_file(root, "d/e/b.md", b"two")
    assert files.read_file(root, "d/e/b.md") == b"two"
    for path in ("l.md", "ld/secret.md", "a.md/x.md", "../outside/secret.md"):
        with pytest.raises(StoreError):
            files.read_file(root, path)
        with pytest.raises(StoreError):
            files.write_file(root, path, b"evil")
        with pytest.raises(StoreError):
            entry.read_disk(root, path)
    assert entry.read_disk(root, "d/e/none.md") is None
    found = entry.read_disk(root, "d/e/b.md")
    assert found is not None
    assert found.data == b"two"
    files.remove_file(root, "d/e/b.md")
    assert sorted(p.name for p in root.iterdir()) == ["a.md", "d", "l.md", "ld"]
    assert list((root / "d").iterdir()) == []
    with Folders(root) as folders:
        assert sorted(folders.names_in("")) == ["a.md", "d", "l.md", "ld"]
    assert (tmp_path / "outside/secret.md").read_text() == "x\n"


def test_the_person_s_own_files_may_lie_deeper_than_a_vault_goes(tmp_path: Path) -> None:
    path = "d/" * 80 + "x.txt"
    make(tmp_path, path)
    with pytest.raises(StoreError, match="not a path inside"):
        split_path(path)
    found = entry.read_disk(tmp_path, path)
    assert found is not None
    assert found.data == b"x\n"


def test_a_file_that_grows_or_shrinks_while_it_is_read_is_read_to_its_end(tmp_path: Path) -> None:
    place = tmp_path / "a"
    place.write_bytes(b"12345")
    data, facts = read_at(str(place), None, 10)
    assert (data, facts.st_size) == (b"12345", 5)
    assert opening._read_all(os.open(place, os.O_RDONLY), 3, 10) == b"12345"  # it grew meanwhile
    assert opening._read_all(os.open(place, os.O_RDONLY), 9, 10) == b"12345"
    with pytest.raises(StoreError, match="over 4 bytes"):
        opening._read_all(os.open(place, os.O_RDONLY), 3, 4)
    assert read_at(str(place), None, 1, upto=2)[0] == b"12"


def test_system_errors_say_what_to_do() -> None:
    assert isinstance(
        explain_os_error(OSError(errno.ENOENT, ""), "a\x1b.md", "read"), NotFoundError
    )
    for code in (errno.ENOSPC, errno.EROFS, errno.EACCES, errno.ENAMETOOLONG, errno.ENOTDIR):
        error = explain_os_error(OSError(code, "raw"), "a\x1b.md", "write")
        assert error.hint
        assert "raw" not in error.message
        assert "\x1b" not in error.message
    assert "odd" in explain_os_error(OSError("odd"), "a.md", "write").message


def test_a_folder_that_cannot_be_made_durable_is_no_error(monkeypatch: pytest.MonkeyPatch) -> None:
    codes = [errno.EINVAL, errno.EIO]

    def fail(_handle: int) -> None:
        code = codes.pop(0)
        raise OSError(code, os.strerror(code))

    monkeypatch.setattr(os, "fsync", fail)
    sync_folder(3)
    with pytest.raises(OSError, match=r"I/O|Input/output"):
        sync_folder(3)


def test_a_missing_root_is_said(tmp_path: Path) -> None:
    with pytest.raises(NotFoundError), Folders(tmp_path / "none"):
        pass


@pytest.mark.usefixtures("plain")
def test_a_missing_folder_is_told_from_a_file_in_its_place(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with Folders(tmp_path) as folders:
        with pytest.raises(FileNotFoundError):
            folders.locate("no/such/name.md")
        with pytest.raises(NotADirectoryError):
            folders.locate("file/name.md")
