"""Stored postings: what they find is what reading everything finds, whatever happened between."""

from __future__ import annotations

import os
import shutil
import sqlite3
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from vault_cli.cli.shelves import open_shelves
from vault_cli.model.record import Status
from vault_cli.recall.corpus import searchable
from vault_cli.recall.hits import Results
from vault_cli.recall.query import Narrow
from vault_cli.recall.search import search
from vault_cli.store import postings
from vault_cli.store.segments import PostingsError
from vault_cli.store.vault import Vault

WORDS = (  # noqa: SIM905 - one line reads better
    "deploy branch timeout retrying database snapshot 数据库 超时 部署 分支 資料庫 用Python写 4月27号"
).split()  # fmt: skip
QUERIES = (
    "deploy", "database timeout", "数据库", "部署 超时", "databse", "snapshto branch", "4月27号",
    "April 27", "资料库", "python", "n-3", "the", "nothing at all", "", "!?",
)  # fmt: skip


def write(root: Path, number: int, words: Sequence[str], status: str = "active") -> Path:
    """Write one record; its text, day, topic and session follow from the number and the words."""
    path = root / f"memories/2026-0{number % 3 + 1}/n-{number}.md"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(
        f"---\nid: n-{number}\nkind: note\nstatus: {status}\ntitle: {' '.join(words[:2]) or '-'}\n"
        f"topics: [t{number % 2}]\ncreated: 2026-04-{20 + number % 9}T10:00:00Z\nsource: agent\n"
        f"evidence:\n  - {{id: e1, type: session-event, session: s{number % 2}, start: {number},"
        f" end: {number}}}\n---\n{' '.join(words)}\n",
        encoding="utf-8",
    )
    return path


def both(root: Path, query: str, narrow: Narrow = Narrow(), limit: int = 5) -> list[Results]:  # noqa: B008
    """Return what stored postings find in a warm read, and a scan of a cold read."""
    vault = Vault.open(root, environ={})
    snapshot = vault.snapshot(whole=False)
    with open_shelves(vault, searchable(snapshot.records)) as shelves:
        warm = search(snapshot, query, shelves=shelves, narrow=narrow, limit=limit)
    from vault_cli.store.reader import read_vault

    cold = read_vault(root, vault.config, use_cache=False)
    return [warm, search(cold, query, narrow=narrow, limit=limit)]


def same(root: Path, query: str, narrow: Narrow = Narrow(), limit: int = 5) -> Results:  # noqa: B008
    warm, cold = both(root, query, narrow, limit)
    assert warm == cold, query
    return warm


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    (tmp_path / "vault.toml").write_text("")
    for number in range(8):
        write(tmp_path, number, WORDS[number : number + 3])
    return tmp_path


EDIT = st.tuples(
    st.sampled_from(["write", "write", "remove", "rename", "status", "same"]),
    st.integers(0, 11),
    st.lists(st.sampled_from(WORDS), min_size=1, max_size=6),
    st.sampled_from(["active", "candidate", "superseded", "disputed", "tombstoned"]),
)


def edit(root: Path, what: str, number: int, words: Sequence[str], status: str) -> None:
    """Change the vault as a person might."""
    path = root / f"memories/2026-0{number % 3 + 1}/n-{number}.md"
    if what == "remove":
        path.unlink(missing_ok=True)
    elif what == "rename" and path.exists():
        path.rename(path.with_name(f"renamed-{number}.md"))
    elif what == "same" and path.exists():  # as many bytes, and the same times
        facts = path.stat()
        path.write_bytes(path.read_bytes().replace(b"deploy", b"branch"))
        os.utime(path, ns=(facts.st_atime_ns, facts.st_mtime_ns))
    elif what != "same":
        write(root, number, words, status if what == "status" else "active")


@settings(max_examples=8, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(st.lists(EDIT, max_size=4), min_size=1, max_size=4), st.integers(1, 6))
def test_stored_postings_find_what_a_scan_finds(rounds: list[list[tuple]], few: int) -> None:  # type: ignore[type-arg]
    old = postings.FEW, postings.MOST_SEGMENTS
    postings.FEW, postings.MOST_SEGMENTS = few, 3  # type: ignore[misc]
    try:
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder)
            (root / "vault.toml").write_text("")
            for number in range(6):
                write(root, number, WORDS[number : number + 3])
            for edits in rounds:
                for change in edits:
                    edit(root, *change)
                for query in QUERIES:
                    same(root, query)
                same(root, "deploy 数据库", Narrow(topics=("t1",), sources=("agent",)))
                same(root, "database", Narrow(statuses=frozenset({Status.ACTIVE})), limit=2)
    finally:
        postings.FEW, postings.MOST_SEGMENTS = old  # type: ignore[misc]


def segments(root: Path) -> int:
    with sqlite3.connect(root / ".state/index.sqlite") as connection:
        return int(connection.execute("SELECT count(*) FROM search_segment").fetchone()[0])


def test_the_first_search_stores_and_the_next_reads_it(vault: Path) -> None:
    same(vault, "deploy")
    assert segments(vault) == 1
    connection = sqlite3.connect(vault / ".state/index.sqlite")
    before = connection.execute("SELECT fingerprint FROM search_state").fetchall()
    same(vault, "数据库")
    assert connection.execute("SELECT fingerprint FROM search_state").fetchall() == before
    write(vault, 3, ["zebra"])
    assert [hit.record.id for hit in same(vault, "zebra").hits[:1]] == ["n-3"]
    assert segments(vault) == 1  # one record is read through
    assert connection.execute("SELECT fingerprint FROM search_state").fetchall() != before
    connection.close()


def test_a_damaged_or_foreign_cache_is_made_anew(vault: Path) -> None:
    good = same(vault, "deploy 数据库")
    place = vault / ".state/index.sqlite"
    with sqlite3.connect(place) as connection:
        connection.execute("UPDATE search_term SET counts = x'ffff' WHERE term = 'deploy'")
    cut = place.read_bytes()[:5000]
    damaged = Vault.open(vault, environ={})
    records = searchable(damaged.snapshot().records)
    with pytest.raises(PostingsError), open_shelves(damaged, records) as shelves:
        search(damaged.snapshot(), "deploy", shelves=shelves)
    assert not place.exists()  # or every search would meet it again
    assert same(vault, "deploy 数据库") == good
    for text in (b"", b"SQLite format 3\0" + b"x" * 200, cut):
        place.write_bytes(text)
        for tail in ("-wal", "-shm"):
            place.with_name(place.name + tail).unlink(missing_ok=True)
        assert same(vault, "deploy 数据库") == good
    with sqlite3.connect(place) as connection:
        connection.execute("UPDATE search_segment SET layout = 'another'")
    assert same(vault, "deploy 数据库") == good
    assert segments(vault) == 1


def test_without_a_folder_to_write_to(vault: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from contextlib import contextmanager

    @contextmanager
    def nothing(self: object) -> Iterator[bool]:
        yield False

    monkeypatch.setattr("vault_cli.store.index.Index.updating", nothing)
    assert same(vault, "deploy 数据库").hits
    assert not (vault / ".state/index.sqlite").exists()


def test_a_copy_of_the_vault_believes_nothing_of_the_cache(vault: Path, tmp_path: Path) -> None:
    good = same(vault, "deploy")
    other = tmp_path.with_name(tmp_path.name + "-copy")
    shutil.copytree(vault, other)
    assert same(other, "deploy") == good


def test_many_records_of_one_value_are_cut_by_path(vault: Path) -> None:
    for number in range(20, 320):
        write(vault, number, ["alike"])
    found = same(vault, "alike", limit=20)
    assert len(found.hits) == 20
    assert found.total >= 300  # and those beside them


def test_neighbours_of_one_session_come_along(vault: Path) -> None:
    write(vault, 41, ["unicorn"])
    write(vault, 43, ["quiet"])
    found = same(vault, "unicorn")
    assert found.hits[0].record.id == "n-41"
    beside = [hit for hit in found.hits if hit.parts["neighbours"]]
    assert "n-43" in [hit.record.id for hit in beside]
