"""Any byte of the caches in `.state/` may be another one: every answer is that of a cold read."""

from __future__ import annotations

import random
import shutil
from pathlib import Path

import pytest
from helpers import commit_all, git, make_vault, run

from vault_cli.cli.shelves import open_shelves
from vault_cli.model.record import Snapshot
from vault_cli.recall.corpus import searchable
from vault_cli.recall.hits import Results
from vault_cli.recall.search import search
from vault_cli.store import index as index_module
from vault_cli.store import postings
from vault_cli.store.reader import read_vault
from vault_cli.store.segments import PostingsError
from vault_cli.store.vault import Vault

WORDS = (  # noqa: SIM905 - one line reads better
    "deploy branch timeout retrying database snapshot 数据库 超时 部署 分支 資料庫 用Python写 4月27号"
).split()
QUERIES = ("deploy", "databse timeout", "数据库", "snapshto 部署", "4月27号", "")
ROUNDS = 30


def write_records(root: Path, count: int = 60) -> None:
    rng = random.Random(3)
    for number in range(count):
        path = root / f"memories/2026-0{number % 3 + 1}/n-{number}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        words = rng.choices(WORDS, k=8)
        status = rng.choice(("active", "active", "candidate", "superseded"))
        more = rng.choice(("", "supersedes: [n-1]\n", "valid_to: 2027-01-01\n", "confidence: [\n"))
        path.write_text(
            f"---\nid: n-{number}\nkind: note\nstatus: {status}\ntitle: {' '.join(words[:2])}\n"
            f"topics: [t{number % 2}]\ncreated: 2026-04-{20 + number % 9}T10:00:00Z\n{more}---\n"
            f"{' '.join(words)}\n",
            encoding="utf-8",
        )


def answers(root: Path, *, cached: bool) -> tuple[Snapshot, Snapshot, list[Results]]:
    vault = Vault.open(root, environ={})
    if not cached:
        cold = read_vault(root, vault.config, use_cache=False)
        return cold, cold, [search(cold, query) for query in QUERIES]
    heads = read_vault(root, vault.config, whole=False)
    found = [ask(vault, heads, query) for query in QUERIES]
    return read_vault(root, vault.config), heads, found


def ask(vault: Vault, snapshot: Snapshot, query: str) -> Results:
    """Search as the command does."""
    records = searchable(snapshot.records)
    try:
        with open_shelves(vault, records) as shelves:
            return search(snapshot, query, shelves=shelves)
    except PostingsError:
        return search(snapshot, query)


@pytest.fixture
def vault(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A vault with a cache that holds all of it, and postings in two segments."""
    monkeypatch.setattr(index_module, "_TICK_NS", -(10**18))  # or no row would be believed so soon
    monkeypatch.setattr(postings, "FEW", 5)
    root = tmp_path / "vault"
    root.mkdir()
    (root / "vault.toml").write_text("schema = 1\n")
    write_records(root, 40)
    answers(root, cached=True)
    write_records(root, 60)
    answers(root, cached=True)
    return root


def damage(data: bytes, rng: random.Random) -> bytes:
    """Return bytes of which one is another, or some are, or the rest is gone."""
    changed = bytearray(data)
    place = rng.randrange(len(changed))
    match rng.randrange(4):
        case 0 | 1:
            changed[place] ^= 1 << rng.randrange(8)
        case 2:
            for at in range(place, min(place + 40, len(changed))):
                changed[at] = rng.randrange(256)
        case _:
            del changed[place:]
    return bytes(changed)


@pytest.mark.parametrize("seed", range(4))
def test_a_damaged_cache_changes_no_answer(vault: Path, seed: int) -> None:
    rng = random.Random(seed)
    state = vault / ".state"
    whole = {path.name: path.read_bytes() for path in state.iterdir() if path.is_file()}
    assert len(whole["index.sqlite"]) > 60_000
    cold = answers(vault, cached=False)
    for turn in range(ROUNDS):
        shutil.rmtree(state)
        state.mkdir()
        for name, data in whole.items():
            (state / name).write_bytes(damage(data, rng) if data else data)
        for _ in range(2):  # and what the first read made of it
            assert answers(vault, cached=True) == cold, (seed, turn)


READING = (
    ("list",),
    ("show", "n-3"),
    ("search", "deploy 数据库"),
    ("search", "databse"),
    ("render",),
    ("brief",),
    ("check",),
    ("status",),
    ("stats",),
    ("log", "n-3"),
    ("why", "n-3"),
    ("topic", "list"),
    ("list", "--known-at", "HEAD~1"),
    ("render", "--known-at", "HEAD~1"),
)
"""Commands that use what is kept in `.state/`, and must answer without it."""


@pytest.fixture
def used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A vault in use: every file that the program keeps in `.state/` is there."""
    monkeypatch.setattr(index_module, "_TICK_NS", -(10**18))
    root = make_vault(tmp_path)
    write_records(root, 12)
    project = tmp_path / "project"
    project.mkdir()
    git(project, "init", "-q")
    (project / "code.py").write_text("def f():\n    return 1\n")
    commit_all(project)
    monkeypatch.setenv("MVAULT_PROJECT_ROOT", str(project))
    commit_all(root, "records")
    write_records(root, 15)
    commit_all(root, "more records")
    run("--vault", root, "trust", "--yes").ok()
    draft = run("--vault", root, "add", "note", "--title", "Draft", "--body", "Text.").ok()
    run("--vault", root, "anchor", draft.out.strip(), "code.py", "--yes").ok()
    run("--vault", root, "render", "--session", "s1").ok()
    run("--vault", root, "mark", "n-3", "--helpful", "--session", "s1", "--yes")
    run("--vault", root, "bisect", "start", "HEAD~2").ok()
    for argv in READING:
        run("--vault", root, *argv)
    return root


def test_a_damaged_file_of_the_state_folder_stops_no_command(used: Path) -> None:
    state = used / ".state"
    expected = {argv: run("--vault", used, *argv) for argv in READING}
    good = {path: path.read_bytes() for path in state.rglob("*") if path.is_file()}
    names = {path.relative_to(state).parts[0] for path in good}
    assert names >= {"index.sqlite", "lock", "receipts", "bisect.json"}, names
    rng = random.Random(11)
    files = sorted(path for path, data in good.items() if data)
    for turn in range(len(files) + 6):
        shutil.rmtree(state)
        for path, data in good.items():
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
        target = files[turn] if turn < len(files) else state / "index.sqlite"
        target.write_bytes(damage(good[target], rng))
        for argv in (*READING, ("bisect", "log"), ("log", "--renders"), ("diff", "@1")):
            found = run("--vault", used, *argv)
            assert found.code in range(8), (target.name, argv, found.text)
            assert "Traceback" not in found.text, (target.name, argv, found.text)
            if argv in expected:
                assert (found.code, found.out) == (expected[argv].code, expected[argv].out), (
                    target.name,
                    argv,
                )


def test_a_damaged_journal_stops_no_command(used: Path) -> None:
    rng = random.Random(5)
    expected = run("--vault", used, "list").ok()
    for size in (0, 1, 40, 4000):
        (used / ".state/journal").write_bytes(rng.randbytes(size))
        for argv in READING:
            assert run("--vault", used, *argv).code in range(8), (size, argv)
        assert run("--vault", used, "list").ok().out == expected.out
        done = run("--vault", used, "add", "note", "--title", f"T {size}", "--body", "Text 正文。")
        assert done.code == 0, done.text
        file = next(path for path in used.rglob("*.md") if f"title: T {size}\n" in path.read_text())
        file.unlink()
        commit_all(used, "gone")
