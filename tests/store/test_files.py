"""Walking, reading and writing files of a vault without leaving it."""

from __future__ import annotations

import errno
import os
import socket
import stat
import threading
from pathlib import Path

import pytest

from vault_cli.errors import NotFoundError, StoreError
from vault_cli.store import files
from vault_cli.store.file_names import (
    DEFAULT_IGNORE,
    check_name,
    find_collisions,
    is_record_path,
)
from vault_cli.store.files import read_file, remove_file, walk_records, write_file

linux_only = pytest.mark.skipif(os.name == "nt", reason="names and links of POSIX")


def make(root: Path, *paths: str) -> None:
    for path in paths:
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text("x\n", encoding="utf-8")


def walked(root: Path) -> list[str]:
    return [stamp.path for stamp in walk_records(root, DEFAULT_IGNORE).stamps]


RECORDS = ["a.md", "memories/2026-11/b.md", "own folder/deep/c.md", "quarantine/q.md",
           "skills/one/SKILL.md", "skills/loose.md", "tombstones/t.md", "..hidden.md", "中文 名称.md"]  # fmt: skip
OTHERS = ["README.md", "sub/readme.md", ".hidden.md", "._a.md", "a.md~", ".a.md.swp", "#a.md#",
          "conflict-files-obsidian-git.md", "skills/one/references/dossier.md", "skills/one/notes.md",
          "node_modules/p/x.md", ".obsidian/x.md", ".state/x.md", "Templates/t.md", "templates/u.md",
          ".a.md.tmp-1-0123abcd", "x.txt"]  # fmt: skip


def test_which_files_are_records_on_disk_and_in_a_tree(tmp_path: Path) -> None:
    make(tmp_path, *RECORDS, *OTHERS)
    walk = walk_records(tmp_path, DEFAULT_IGNORE)
    assert [s.path for s in walk.stamps] == sorted(RECORDS)
    assert walk.skipped == {"Templates": 1, "templates": 1}
    assert walk.diagnostics == ()
    assert [p for p in (*RECORDS, *OTHERS) if is_record_path(p)] == RECORDS


def test_instruction_files_of_agents_are_no_records(tmp_path: Path) -> None:
    names = [
        "AGENTS.md",
        "Agents.md",
        "CLAUDE.md",
        "CLAUDE.local.md",
        "AGENTS.override.md",
        "GEMINI.md",
    ]
    paths = [f"{folder}{name}" for folder in ("", "memories/2026-11/", "a/b/c/") for name in names]
    make(tmp_path, *paths, "GEMINI.MD", "agents-and-people.md", "memories/my AGENTS.md")
    walk = walk_records(tmp_path, ())
    kept = ["agents-and-people.md", "memories/my AGENTS.md"]
    assert [s.path for s in walk.stamps] == kept
    assert walk.diagnostics == ()
    assert [path for path in (*paths, *kept) if is_record_path(path)] == kept


def test_ignored_folders_can_be_set_by_name_or_path(tmp_path: Path) -> None:
    make(tmp_path, "Templates/a.md", "old/a.md", "new/old/a.md")
    walk = walk_records(tmp_path, ("new/old",))
    assert [s.path for s in walk.stamps] == ["Templates/a.md", "old/a.md"]


def test_a_stamp_changes_with_the_file(tmp_path: Path) -> None:
    make(tmp_path, "a.md")
    before = walk_records(tmp_path, ()).stamps[0]
    assert before.size == 2
    (tmp_path / "a.md").write_text("y\n")
    os.utime(tmp_path / "a.md", ns=(before.mtime_ns, before.mtime_ns))
    after = walk_records(tmp_path, ()).stamps[0]
    assert after.mtime_ns == before.mtime_ns
    assert after != before


@linux_only
def test_links_and_devices_are_findings_and_never_opened(tmp_path: Path) -> None:
    root = tmp_path / "v"
    make(root, "a.md", "dir.md/inside.md")
    (root / "etc.md").symlink_to("/etc/passwd")
    (root / "loop.md").symlink_to("loop.md")
    (root / "gone.md").symlink_to("nowhere")
    (root / "linkdir").symlink_to("/")
    (root / "picture.png").symlink_to("/etc/passwd")
    os.mkfifo(root / "fifo.md")
    server = socket.socket(socket.AF_UNIX)
    server.bind(str(root / "s.md"))
    server.close()
    walk = walk_records(root, ())
    assert [s.path for s in walk.stamps] == ["a.md", "dir.md/inside.md"]
    assert [(d.path, d.code, d.severity) for d in walk.diagnostics] == [
        ("etc.md", "link", "error"),
        ("fifo.md", "not-a-file", "error"),
        ("gone.md", "link", "error"),
        ("linkdir", "link", "note"),
        ("loop.md", "link", "error"),
        ("s.md", "not-a-file", "error"),
    ]


@linux_only
@pytest.mark.parametrize(
    ("name", "severity", "holds"),
    [
        (b"new\nline.md", "error", False), (b"esc\x1b[2J.md", "error", False), (b"tab\t.md", "error", False),
        ("rtl\u202egnp.md".encode(), "error", False), (b"bad\xff\xfe.md", "error", False),
        (b"CON.md", "warning", True), (b"lpt1.notes.md", "warning", True), (b":colon.md", "warning", True),
        (b"back\\slash.md", "warning", True), (b"*.md", "note", False), (b"quote'\".md", "note", False),
        (b"[a].md", "", False), (b"-rf.md", "", False), (b"--upload-pack=touch x.md", "", False),
        (b"x" * 240 + b".md", "", False), ("emoji-🚀.md".encode(), "", False), (b"console.md", "", False),
        (b"trailing .md", "", False), (b"$(touch x).md", "", False), (b"{{ 7*7 }}.md", "note", False),
        ("می‌خواهم.md".encode(), "", False), ("com¹.md".encode(), "warning", True), (b"Conin$.md", "warning", True),
        (b"conin.md", "", False), (b"con .md", "warning", True), ("a\U000e0041.md".encode(), "error", False),
    ],
)  # fmt: skip
def test_names(tmp_path: Path, name: bytes, severity: str, *, holds: bool) -> None:
    (tmp_path / os.fsdecode(name)).write_bytes(b"x\n")
    walk = walk_records(tmp_path, ())
    assert [(d.severity, d.holds) for d in walk.diagnostics] == (
        [(severity, holds)] if severity else []
    )
    assert len(walk.stamps) == (severity != "error")
    assert all(char.isprintable() for d in walk.diagnostics for char in d.message + d.hint)
    finding = check_name(os.fsdecode(name))
    assert (finding.severity if finding else "") == severity


def test_colliding_names_keep_the_same_one_everywhere() -> None:
    paths = ["case.md", "Case.md", "CASE.md", "e\u0301.md", "\u00e9.md", "other.md", "sub/case.md"]
    for order in (paths, paths[::-1]):
        found = find_collisions(order)
        assert sorted(d.path for d in found) == ["Case.md", "case.md", "e\u0301.md"]
        assert all(d.holds and d.code == "name-collision" for d in found)


def test_too_large_too_deep_nested_repository_other_suffix(tmp_path: Path) -> None:
    make(tmp_path, "a.md", "big.md", "inner/.git/HEAD", "inner/x.md", "NOTE.MD", "d/" * 70 + "x.md")
    (tmp_path / "big.md").write_bytes(b"x" * ((1 << 20) + 1))
    walk = walk_records(tmp_path, ())
    assert [s.path for s in walk.stamps] == ["a.md"]
    assert [d.code for d in walk.diagnostics] == [
        "file-suffix", "file-too-large", "too-deep", "nested-repository",
    ]  # fmt: skip


def test_a_folder_that_cannot_be_opened_hides_no_other(tmp_path: Path) -> None:
    make(tmp_path, "a.md", "shut/b.md")
    (tmp_path / "shut").chmod(0)
    try:
        if os.access(tmp_path / "shut", os.R_OK):
            pytest.skip("runs with all rights")
        walk = walk_records(tmp_path, ())
    finally:
        (tmp_path / "shut").chmod(0o700)
    assert [s.path for s in walk.stamps] == ["a.md"]
    assert [(d.path, d.code, d.severity) for d in walk.diagnostics] == [
        ("shut", "unreadable", "error")
    ]


def test_a_missing_root_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(NotFoundError):
        walk_records(tmp_path / "none", ())


class TestRead:
    def test_bytes_as_they_are(self, tmp_path: Path) -> None:
        (tmp_path / "a.md").write_bytes(b"\xef\xbb\xbfa\r\nb")
        assert read_file(tmp_path, "a.md") == b"\xef\xbb\xbfa\r\nb"

    def test_limit(self, tmp_path: Path) -> None:
        (tmp_path / "a").write_bytes(b"12345")
        assert read_file(tmp_path, "a", limit=5) == b"12345"
        with pytest.raises(StoreError, match="over 4 bytes"):
            read_file(tmp_path, "a", limit=4)

    @pytest.mark.parametrize(
        "path", ["", "/etc/passwd", "../a", "a/../../b", "a//b", "./a", "a\0b"]
    )
    def test_paths_outside(self, tmp_path: Path, path: str) -> None:
        with pytest.raises(StoreError):
            read_file(tmp_path, path)

    @linux_only
    def test_links_pipes_and_folders(self, tmp_path: Path) -> None:
        root = tmp_path / "v"
        make(root, "d/a.md")
        make(tmp_path, "outside/secret.md")
        (root / "l.md").symlink_to(tmp_path / "outside/secret.md")
        (root / "ld").symlink_to(tmp_path / "outside")
        os.mkfifo(root / "fifo")
        for path in ("l.md", "ld/secret.md", "fifo", "d"):
            with pytest.raises(StoreError):
                read_file(root, path)
        with pytest.raises(NotFoundError):
            read_file(root, "d/none.md")

    @linux_only
    def test_a_folder_swapped_for_a_link_is_never_followed(self, tmp_path: Path) -> None:
        root = tmp_path / "v"
        make(root, "d/a.md")
        make(tmp_path, "outside/a.md")
        (tmp_path / "outside/a.md").write_text("secret")
        (root / "link").symlink_to(tmp_path / "outside")
        stop = threading.Event()

        def swap() -> None:
            while not stop.is_set():
                (root / "d").rename(root / "real")
                (root / "link").rename(root / "d")
                (root / "d").rename(root / "link")
                (root / "real").rename(root / "d")

        thread = threading.Thread(target=swap)
        thread.start()
        seen = set()
        try:
            for _ in range(1000):
                try:
                    seen.add(read_file(root, "d/a.md"))
                except (NotFoundError, StoreError):
                    continue
        finally:
            stop.set()
            thread.join()
        assert seen <= {b"x\n"}


class TestWrite:
    def test_makes_folders_and_private_files(self, tmp_path: Path) -> None:
        write_file(tmp_path, "a/b/c.md", b"text")
        assert (tmp_path / "a/b/c.md").read_bytes() == b"text"
        if os.name != "nt":
            assert stat.S_IMODE((tmp_path / "a/b/c.md").stat().st_mode) == 0o600
            assert stat.S_IMODE((tmp_path / "a/b").stat().st_mode) == 0o700
        assert [p.name for p in (tmp_path / "a/b").iterdir()] == ["c.md"]

    @linux_only
    @pytest.mark.parametrize("mode", [0o644, 0o755, 0o600])
    def test_keeps_the_mode_of_a_file(self, tmp_path: Path, mode: int) -> None:
        make(tmp_path, "a.md")
        (tmp_path / "a.md").chmod(mode)
        old = os.umask(0)
        try:
            write_file(tmp_path, "a.md", b"new")
        finally:
            os.umask(old)
        assert stat.S_IMODE((tmp_path / "a.md").stat().st_mode) == mode

    def test_the_longest_names_work(self, tmp_path: Path) -> None:
        for name in ("x" * 252 + ".md", "名" * 84 + ".md"):
            write_file(tmp_path, name, b"a")
            write_file(tmp_path, name, b"b")
            assert read_file(tmp_path, name) == b"b"

    def test_fresh_never_replaces(self, tmp_path: Path) -> None:
        write_file(tmp_path, "a.md", b"one", fresh=True)
        with pytest.raises(StoreError):
            write_file(tmp_path, "a.md", b"two", fresh=True)
        assert [p.name for p in tmp_path.iterdir()] == ["a.md"]
        assert read_file(tmp_path, "a.md") == b"one"

    @linux_only
    def test_never_through_a_link(self, tmp_path: Path) -> None:
        root = tmp_path / "v"
        root.mkdir()
        make(tmp_path, "outside/x.md")
        (root / "l.md").symlink_to(tmp_path / "outside/x.md")
        (root / "ld").symlink_to(tmp_path / "outside")
        for path in ("l.md", "ld/x.md", "ld/new.md"):
            with pytest.raises(StoreError):
                write_file(root, path, b"evil")
        assert [p.read_text() for p in (tmp_path / "outside").iterdir()] == ["x\n"]
        assert (root / "l.md").is_symlink()

    @pytest.mark.parametrize("call", ["write", "fsync", "replace", "open"])
    @pytest.mark.parametrize(
        "code", [errno.ENOSPC, errno.EIO, errno.EROFS, errno.EACCES, errno.EDQUOT]
    )
    def test_a_fault_keeps_the_old_bytes_and_leaves_nothing(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: str, code: int
    ) -> None:
        make(tmp_path, "a.md")
        original = getattr(os, call)

        def fail(*args: object, **kwargs: object) -> object:
            if call == "open" and not args[1] & os.O_CREAT:  # type: ignore[operator]
                return original(*args, **kwargs)
            raise OSError(code, os.strerror(code))

        with monkeypatch.context() as patch:
            patch.setattr(os, call, fail)
            with pytest.raises(StoreError, match=r"cannot write a\.md"):
                write_file(tmp_path, "a.md", b"new")
        assert [(p.name, p.read_text()) for p in tmp_path.iterdir()] == [("a.md", "x\n")]

    def test_without_hard_links(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        def refuse(*_args: object, **_kwargs: object) -> None:
            raise OSError(errno.EPERM, "no links here")

        monkeypatch.setattr(os, "link", refuse)
        write_file(tmp_path, "a.md", b"one", fresh=True)
        with pytest.raises(StoreError):
            write_file(tmp_path, "a.md", b"two", fresh=True)
        assert read_file(tmp_path, "a.md") == b"one"


def test_remove_takes_the_folders_it_empties_but_no_top_level_one(tmp_path: Path) -> None:
    make(tmp_path, "drafts/2026-11/a.md", "drafts/2026-12/b.md")
    remove_file(tmp_path, "drafts/2026-11/a.md")
    assert [p.name for p in (tmp_path / "drafts").iterdir()] == ["2026-12"]
    remove_file(tmp_path, "drafts/2026-12/b.md")
    assert list((tmp_path / "drafts").iterdir()) == []
    with pytest.raises(NotFoundError):
        remove_file(tmp_path, "drafts/2026-12/b.md")


def test_templates_are_found_by_name_only() -> None:
    for name in ("none.md", "../pyproject.toml", "/etc/passwd"):
        with pytest.raises(NotFoundError):
            files.find_template(name)
