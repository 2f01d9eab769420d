"""Whatever happens between two reads, one through the cache equals one without it."""

from __future__ import annotations

import os
import random
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from helpers import PROJECT, Result, git, run

from vault_cli.model.record import Record, Snapshot
from vault_cli.store import index as index_module
from vault_cli.store import postings
from vault_cli.store.config import load_config
from vault_cli.store.index import Index
from vault_cli.store.lock import open_lock_file, try_lock
from vault_cli.store.reader import read_vault

STEPS = 40
_CLOCK = index_module._file_system_clock
_MORE = ("", "topics: [a]\n", "derived_from: [n-0000001]\n", "hits: 3\nown: {a: 1}\n", "id: [\n")
_READ = """
import os, sys
from pathlib import Path
from vault_cli.store.config import load_config
from vault_cli.store.reader import read_vault
while True:
    os.utime(sys.argv[2])  # so that there is something to write
    read_vault(Path(sys.argv[1]), load_config(Path(sys.argv[1]), environ=dict(os.environ)))
"""
_SEARCH = """
import os, sys
from pathlib import Path
from vault_cli.cli.shelves import open_shelves
from vault_cli.recall.corpus import searchable
from vault_cli.recall.search import search
from vault_cli.store import index, postings
from vault_cli.store.vault import Vault
index._TICK_NS = -(10**18)
postings.FEW = 0  # every search writes
place = Path(sys.argv[2])
while True:
    place.write_text(place.read_text() + "more\\n")
    vault = Vault.open(Path(sys.argv[1]), environ=dict(os.environ))
    snapshot = vault.snapshot(whole=False)
    with open_shelves(vault, searchable(snapshot.records)) as shelves:
        search(snapshot, "body", shelves=shelves)
"""


class Story:
    """A vault to which things happen."""

    def __init__(self, root: Path, seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
        self.root = root
        self.rng = random.Random(seed)
        self.patch = monkeypatch
        self.cache = root / ".state/index.sqlite"
        self.more: tuple[Callable[[], None], ...] = ()

    def names(self) -> list[Path]:
        return sorted(p for p in self.root.rglob("*.md") if ".git" not in p.parts)

    def text(self) -> str:
        number, more = self.rng.randint(0, 30), self.rng.choice(_MORE)
        head = f"id: n-{number:07d}\nkind: note\nstatus: active\ntitle: T {number}\n{more}"
        return f"---\n{head}---\nBody 正文 {self.rng.randint(10, 99)}\n"

    def add(self) -> None:
        place = self.root / f"d{self.rng.randint(0, 2)}/{self.rng.randint(0, 20)}.md"
        place.parent.mkdir(exist_ok=True)
        place.write_text(self.text())

    def edit_in_place(self) -> None:
        """The same size, the same inode, and the time stamp put back."""
        place = self.rng.choice(self.names())
        facts = place.stat()
        with place.open("r+b") as file:
            file.seek(-3, os.SEEK_END)
            file.write(f"{self.rng.randint(10, 99)}\n".encode())
        if self.rng.random() < 0.5:
            os.utime(place, ns=(facts.st_atime_ns, facts.st_mtime_ns))

    def rename(self) -> None:
        place = self.rng.choice(self.names())
        place.rename(place.with_name(f"moved-{self.rng.randint(0, 9)}.md"))

    def rename_folder(self) -> None:
        folder = self.rng.choice(self.names()).parent
        target = self.root / f"e{self.rng.randint(0, 99)}"
        if folder != self.root and not target.exists():
            folder.rename(target)

    def remove(self) -> None:
        self.rng.choice(self.names()).unlink()

    def swap(self) -> None:
        one, two = self.rng.sample(self.names(), 2)
        spare = self.root / "spare"
        one.rename(spare)
        two.rename(one)
        spare.rename(two)

    def turn_the_clock(self) -> None:
        """A file from the past or the future."""
        when = time.time_ns() + self.rng.choice((-1, 1)) * 10**9 * self.rng.randint(1, 10**8)
        os.utime(self.rng.choice(self.names()), ns=(when, when))

    def switch_branch(self) -> None:
        git(self.root, "add", "-A")
        git(self.root, "commit", "-qm", "state", "--allow-empty")
        branches = git(self.root, "for-each-ref", "--format=%(refname:short)", "refs/heads").split()
        if len(branches) < 3:
            git(self.root, "checkout", "-qb", f"b{len(branches)}")
        else:
            git(self.root, "checkout", "-q", self.rng.choice(branches))

    def damage_the_cache(self) -> None:
        data = bytearray(self.cache.read_bytes()) if self.cache.is_file() else bytearray()
        place = self.rng.randint(0, max(len(data) - 1, 0))
        kind = self.rng.choice(("cut", "garbage", "gone"))
        if kind == "gone" or not data:
            self.cache.unlink(missing_ok=True)
        elif kind == "garbage":
            self.cache.write_bytes(bytes(data[:100]) + b"x" * 5000)
        else:
            self.cache.write_bytes(bytes(data[:place]))
        for tail in ("-wal", "-shm"):
            self.cache.with_name(self.cache.name + tail).unlink(missing_ok=True)

    def bring_a_foreign_one(self) -> None:
        self.patch.setenv("MVAULT_STATE_DIR", str(self.root.parent / f"s{self.rng.randint(0, 9)}"))

    def kill_a_writer(self, program: str = _READ) -> None:
        argv = [sys.executable, "-c", program, str(self.root), str(self.rng.choice(self.names()))]
        process = subprocess.Popen(argv, env={**os.environ, "PYTHONPATH": str(PROJECT)})
        time.sleep(0.4 + self.rng.random())
        process.send_signal(signal.SIGKILL)
        process.wait()

    def kill_a_searcher(self) -> None:
        self.kill_a_writer(_SEARCH)

    def pull(self) -> None:
        """Somebody else changes, adds and removes records; this vault pulls them."""
        other = self.root.parent / "other"
        git(self.root, "add", "-A")
        git(self.root, "commit", "-qm", "state", "--allow-empty")
        if not other.exists():
            git(self.root.parent, "clone", "-q", "--bare", str(self.root), "hub.git")
            git(self.root.parent, "clone", "-q", "hub.git", str(other))
            git(self.root, "remote", "add", "hub", str(self.root.parent / "hub.git"))
        git(self.root, "push", "-qf", "hub", "HEAD:refs/heads/shared")
        git(other, "fetch", "-q", "origin", "shared")
        git(other, "checkout", "-qB", "shared", "FETCH_HEAD")
        there = Story(other, self.rng.randint(0, 10**6), self.patch)
        for _ in range(3):
            self.rng.choice((there.add, there.edit_in_place, there.rename, there.remove))()
        git(other, "add", "-A")
        git(other, "commit", "-qm", "theirs", "--allow-empty")
        git(other, "push", "-q", "origin", "shared")
        git(self.root, "pull", "-q", "--ff-only", "hub", "shared")

    def turn_the_system_clock(self) -> None:
        """The file system's clock goes on in the past, or in the future."""
        ahead = self.rng.choice((-1, 1)) * 10**9 * self.rng.randint(1, 10**8)
        real = _CLOCK
        self.patch.setattr(index_module, "_file_system_clock", lambda file: real(file) + ahead)

    def cold(self, *argv: str) -> Result:
        """Run a command without a cache, and put the cache back."""
        state, aside = self.root / ".state", self.root.parent / "aside"
        aside.mkdir()
        for path in state.glob("index.sqlite*"):
            path.rename(aside / path.name)
        try:
            return run("--vault", self.root, *argv)
        finally:
            for path in state.glob("index.sqlite*"):
                path.unlink()
            for path in aside.iterdir():
                path.rename(state / path.name)
            aside.rmdir()

    def happen(self) -> str:
        """Do one of these; return its name."""
        if len(self.names()) < 6:
            action: Callable[[], None] = self.add
        elif self.rng.random() < 0.05:
            action = self.kill_a_writer
        else:
            often = (self.add, self.edit_in_place, self.rename, self.remove, self.swap)
            others = (self.rename_folder, self.turn_the_clock, self.switch_branch, *self.more)
            third = (self.damage_the_cache, self.bring_a_foreign_one)
            action = self.rng.choice((*often, *often, *others, *third))
        action()
        time.sleep(0.012)  # a tick of the file system's clock
        return action.__name__

    def read(self, *, cached: bool = True, whole: bool = True) -> Snapshot:
        config = load_config(self.root, environ=dict(os.environ))
        return read_vault(self.root, config, use_cache=cached, whole=whole)


@pytest.mark.parametrize("seed", range(4))
def test_a_read_through_the_cache_is_a_cold_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    story = _start(tmp_path, seed, monkeypatch)
    root = story.root
    told: list[str] = []
    warm = 0
    for turn in range(STEPS):
        told.append(story.happen())
        if turn % 7 == 6:  # another run writes the cache just now
            lock = open_lock_file(root, ".state/index.lock")
            assert try_lock(lock)
            assert story.read() == story.read(cached=False), told
            os.close(lock)
        cold = story.read(cached=False)
        for whole in (True, False, True)[turn % 2 :]:
            found = story.read(whole=whole)
            warm += sum(type(record) is not Record for record in found.records)
            assert found == cold, told
    assert warm  # or the cache was never believed, and nothing of this says anything


def _start(tmp_path: Path, seed: int, monkeypatch: pytest.MonkeyPatch) -> Story:
    monkeypatch.setenv("MVAULT_STATE_DIR", str(tmp_path / "state"))
    monkeypatch.setattr(index_module, "_TICK_NS", -(10**18))  # or no row would be believed so soon
    root = tmp_path / "vault"
    root.mkdir()
    (root / "vault.toml").write_text("schema = 1\n")
    git(root, "init", "-q", "-b", "main")
    (root / ".gitignore").write_text("/.state/\n")
    return Story(root, seed, monkeypatch)


@pytest.mark.parametrize("seed", range(3))
def test_every_answer_is_that_of_a_program_without_a_cache(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    monkeypatch.setattr(postings, "FEW", 3)
    story = _start(tmp_path, seed, monkeypatch)
    story.more = (story.pull, story.pull, story.turn_the_system_clock, story.kill_a_searcher)
    for _ in range(14):
        story.add()
    told: list[str] = []
    for _ in range(24):
        told.append(story.happen())
        ids = [record.id for record in story.read(cached=False).records] or ["n-0000001"]
        some = story.rng.choice(ids)
        for argv in (
            ("list",),
            ("search", "--limit", "0", "正文", *map(str, range(10, 100, 3))),
            ("search", "bdoy", str(story.rng.randint(10, 99))),
            ("show", some),
            ("render",),
            ("check",),
        ):
            warm = run("--vault", story.root, *argv)
            assert warm.code < 7, (told, argv, warm.text)
            assert warm == story.cold(*argv), (told, argv)


def test_nobody_who_reads_waits_for_who_writes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    story = _start(tmp_path, 1, monkeypatch)
    for _ in range(8):
        story.add()
    story.read()
    expected = run("--vault", story.root, "list").ok()
    with Index(story.root, load_config(story.root, environ={}).gates).updating() as held:
        assert held
        writer = sqlite3.connect(story.cache, isolation_level=None)
        writer.execute("BEGIN IMMEDIATE")
        writer.execute("UPDATE record SET body = body || 'not committed'")
        writer.execute("DELETE FROM shelf")
        story.rng.choice(story.names()).touch()  # so that the reader would like to write, too
        reader = subprocess.Popen(
            [sys.executable, "-m", "vault_cli", "--vault", str(story.root), "list"],
            env={**os.environ, "PYTHONPATH": str(PROJECT)},
            stdout=subprocess.PIPE,
        )
        out, _ = reader.communicate(timeout=60)  # a reader that waits would wait for us
        writer.execute("ROLLBACK")
        writer.close()
    assert reader.returncode == 0
    assert out.decode() == expected.out
