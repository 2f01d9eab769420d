"""Records whose texts are loaded later: the same records, of the moment they were read at."""

from __future__ import annotations

import os
import shutil
import sqlite3
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from vault_cli.errors import ChangedMeanwhileError
from vault_cli.model.record import Record, Snapshot
from vault_cli.model.tables import ADMISSION_GATES
from vault_cli.recall.render import RenderOptions, render_block
from vault_cli.recall.select import Query, select_records
from vault_cli.store import index as index_module
from vault_cli.store import outlines
from vault_cli.store.config import load_config
from vault_cli.store.index import Index
from vault_cli.store.reader import read_vault

GATES = frozenset(ADMISSION_GATES)
WORDS = ("Body of one.", "正文，第二条。", "## Problem\nIt breaks.\n\n## Evidence\nA log.")


@pytest.fixture(autouse=True)
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("MVAULT_STATE_DIR", str(tmp_path / "state"))
    monkeypatch.setenv("MVAULT_CONFIG", str(tmp_path / "none.toml"))
    monkeypatch.setattr(index_module, "_TICK_NS", -(10**18))  # every stamp counts as old
    return tmp_path / "state"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    place = tmp_path / "vault"
    place.mkdir()
    (place / "vault.toml").write_text("schema = 1\n")
    for number in range(40):
        put(place, f"d{number % 3}/{number:02d}.md", text_of(number))
    put(place, "d0/broken.md", "---\nid: [\n---\n")
    put(place, "d1/plain.md", "# 没有元数据\n\nText.\n")
    read(place)
    return place


def text_of(number: int, body: str = "") -> str:
    more = {
        0: "topics: [a, 中文]\nkeywords: [k]\nimportance: 9\nconfidence: high\n",
        1: "derived_from: [n-0000002]\nboundary: only here\nsummary: short\nhits: 4\n",
        2: "valid_from: 2026-01-01\nconflicts: [{id: n-0000003, type: condition}]\nown: {a: [1]}\n",
        3: "required: true\nconflicts: [{id: n-0000002, type: condition}]\nscope: project:x\n",
    }.get(number % 7, "")
    kind = ("rule", "note", "lesson", "failure")[number % 4]
    return (
        f"---\nid: n-{number:07d}\nkind: {kind}\nstatus: active\ntitle: Title {number}\n{more}---\n"
        f"{body or WORDS[number % 3]} {number}\n"
    )


def put(root: Path, path: str, text: str) -> None:
    place = root / path
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(text, encoding="utf-8")


def read(root: Path, *, use_cache: bool = True) -> Snapshot:
    config = load_config(root, environ=dict(os.environ))
    return read_vault(root, config, use_cache=use_cache)


def lazy(snapshot: Snapshot) -> list[Record]:
    return [record for record in snapshot.records if type(record) is not Record]


def test_a_warm_read_loads_the_texts_that_are_looked_at(root: Path) -> None:
    cold, warm = read(root, use_cache=False), read(root)
    assert len(lazy(warm)) == len(warm.records) == 41
    sizes = [record.size for record in warm.records]
    assert [len(record.body) for record in cold.records] == sizes
    known = ("topics", "keywords", "importance", "hits", "boundary", "conflicts", "validity")
    for one, other in zip(warm.records, cold.records, strict=True):
        assert [getattr(one, name) for name in known] == [getattr(other, name) for name in known]
        assert ("own" in one.fields, len(one.fields)) == ("own" in other.fields, len(other.fields))
        assert one.fields.get("nothing", 7) == 7
    assert len(lazy(warm)) == 41
    assert warm.records[2].body == cold.records[2].body
    assert warm.records[2].fields == cold.records[2].fields
    assert len(lazy(warm)) == 40
    assert warm == cold
    assert cold == read(root)
    assert lazy(warm) == []


@pytest.mark.parametrize("text", ["", "text title 3 正文"])
@pytest.mark.parametrize("budget", [0, 400, 2500])
def test_a_render_of_outlines_is_that_of_a_cold_read(root: Path, text: str, budget: int) -> None:
    query = Query(now=datetime(2026, 11, 30, tzinfo=UTC), text=text, project="x")
    options = RenderOptions(budget=budget)
    blocks = [
        render_block(select_records(snapshot, query), query, options, len(snapshot.unreadable))
        for snapshot in (read(root), read(root, use_cache=False))
    ]
    assert blocks[0].text == blocks[1].text
    assert blocks[0].receipt.as_data() == blocks[1].receipt.as_data()
    assert "Title" in blocks[0].text


def test_texts_come_from_the_moment_of_the_read(root: Path) -> None:
    before = read(root, use_cache=False)
    warm = read(root)
    for number in range(40):
        put(root, f"d{number % 3}/{number:02d}.md", text_of(number, "Another text"))
    shutil.rmtree(root / "d2")
    assert read(root) == read(root, use_cache=False)  # and the cache has the new texts now
    assert len(lazy(warm)) == 41
    assert warm == before


def test_a_copy_with_another_text_is_that_copy(root: Path) -> None:
    cold = read(root, use_cache=False).records[2]
    for changes in ({"body": "Mine."}, {"body": "Mine.", "title": "T"}, {"title": "T"}):
        one, other = replace(read(root).records[2], **changes), replace(cold, **changes)
        assert (one.size, one.body, one.title) == (other.size, other.body, other.title)
        assert one == other
        assert other == one
        assert dict(one.fields) == dict(other.fields)


def test_many_texts_are_loaded_at_once(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(outlines, "_MANY", 5)
    asked: list[str] = []
    one, every = Index.load_text, Index.load_texts
    monkeypatch.setattr(Index, "load_text", lambda i, path: (asked.append(path), one(i, path))[1])
    monkeypatch.setattr(Index, "load_texts", lambda i: (asked.append("all"), every(i))[1])
    assert read(root) == read(root, use_cache=False)
    assert len(asked) == 6
    assert asked[5] == "all"


@pytest.mark.parametrize(
    "damage",
    [
        "UPDATE shelf SET rest = '[[[1]],[],{}]'",
        "UPDATE shelf SET rest = 7",
        "UPDATE record SET fields = '[1', body = 'FORGED'",
        "UPDATE record SET digest = 'x', body = 'FORGED'",
        "DELETE FROM record",
        "DROP TABLE record",
    ],
)
def test_what_the_cache_has_lost_is_read_from_the_file(root: Path, damage: str) -> None:
    connection = sqlite3.connect(root / ".state/index.sqlite")
    connection.execute(damage)
    connection.commit()
    connection.close()
    warm = read(root)
    assert warm == read(root, use_cache=False)
    assert read(root) == warm


def test_a_text_that_is_lost_and_changed_is_an_error_and_no_mix(root: Path) -> None:
    warm = read(root)
    connection = sqlite3.connect(root / ".state/index.sqlite")
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection.close()
    record = warm.records[0]
    index_module.Index(root, GATES)._discard()
    put(root, record.path, text_of(0, "new"))
    assert record.body.startswith("Body of one.")  # the open cache still has it
    later = read(root)
    connection = sqlite3.connect(root / ".state/index.sqlite")
    connection.execute("DELETE FROM record")
    connection.commit()
    connection.close()
    lost = read(root).records[0]
    put(root, record.path, text_of(0, "newer"))
    with pytest.raises(ChangedMeanwhileError):
        lost.body  # noqa: B018
    assert later.records[0].body.startswith("new 0")


def test_a_reader_keeps_no_writer_waiting(root: Path) -> None:
    warm = [read(root) for _ in range(3)]
    for turn in range(5):
        put(root, "d0/00.md", text_of(0, f"turn {turn}"))
        assert read(root).records[0].body.startswith(f"turn {turn}")
    assert Index(root, GATES).load_text("d0/00.md").body.startswith("turn 4")  # type: ignore[union-attr]
    assert {snapshot.records[0].body for snapshot in warm} == {"Body of one. 0\n"}


def test_a_cache_without_a_log_of_writes_is_read_at_once(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Index, "stands_still", lambda _: False)
    warm = read(root)
    assert lazy(warm) == []
    assert warm == read(root, use_cache=False)
