"""What was seen of tool calls: each once, in a file that only this user reads."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Any

import pytest

from vault_cli.errors import StoreError
from vault_cli.model.sighting import Sighting
from vault_cli.store import failures
from vault_cli.store.failures import Hit, open_sightings, sightings_path


def call(key: str, failed: bool | None = True, **more: Any) -> Sighting:
    facts: dict[str, Any] = {
        "key": key, "at": 5, "host": "codex", "session": "s", "cwd": "/w", "tool": "shell",
        "given": "npx tsc", "failed": failed, "exit_code": 1 if failed else None,
        "text": "无法连接 127.0.0.1:80" if failed else "", **more,
    }  # fmt: skip
    return Sighting(**facts)


def test_a_call_counts_once_however_often_it_is_seen() -> None:
    with open_sightings() as seen:
        assert seen.note(call("a"))
        assert not seen.note(call("a"))
        assert not seen.note(call("a", failed=None))
        assert seen.note(call("b", failed=None))
        assert seen.note(call("b", failed=True))  # now it is known how it ended
        assert not seen.note(call("b", failed=False))
        assert seen.note(call("c", failed=False))
    with open_sightings() as seen:
        assert [one.sighting.key for one in seen.failures()] == ["a", "b"]
        assert {one.fingerprint for one in seen.failures()} == {seen.failures()[0].fingerprint}
        assert seen.failures()[0].sighting == call("a")
        assert [(one.key, one.failed) for one in seen.calls()] == [
            ("a", True),
            ("b", True),
            ("c", False),
        ]
        assert [one.key for one in seen.calls(1)] == ["c"]


def test_nobody_else_reads_it() -> None:
    with open_sightings() as seen:
        seen.note(call("a"))
    assert sightings_path().stat().st_mode & 0o777 == 0o600
    assert sightings_path().parent.stat().st_mode & 0o077 == 0


def test_what_fails_in_the_middle_counts_not_at_all() -> None:
    def take_and_fail() -> None:
        with open_sightings() as seen:
            seen.note(call("a"))
            raise RuntimeError

    with pytest.raises(RuntimeError):
        take_and_fail()
    with open_sightings() as seen:
        assert seen.failures() == []


def test_a_damaged_file_is_named_and_left_alone() -> None:
    sightings_path().parent.mkdir(parents=True)
    sightings_path().write_bytes(b"no database at all" * 100)
    with pytest.raises(StoreError, match="not a database") as caught, open_sightings():
        pass
    assert "aside" in caught.value.hint
    assert sightings_path().read_bytes().startswith(b"no database")


def test_where_nothing_can_be_written_it_is_said(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("MVAULT_STATE_DIR", str(tmp_path / "file"))
    with pytest.raises(StoreError, match="cannot use"), open_sightings():
        pass


def test_a_hit_is_noted_once() -> None:
    hit = Hit("f1", 5, "/v", "x-1", "warn", "s")
    with open_sightings() as seen:
        seen.note_hit(hit)
        seen.note_hit(hit)
        seen.note_hit(hit._replace(frame="f2", action="log"))
        assert seen.unnoted_hits() == [hit]
        seen.mark_noted([hit])
        assert seen.unnoted_hits() == []
        assert seen.count_hits("/v") == {("x-1", "warn"): 1, ("x-1", "log"): 1}
        assert seen.count_hits("/other") == {}


def test_proposals_are_remembered_by_vault() -> None:
    with open_sightings() as seen:
        seen.note_proposal("aa", "/v", "x-1", 5)
        seen.note_proposal("aa", "/v", "x-2", 6)
        assert seen.proposals("/v") == {"aa": "x-2"}
        assert seen.proposals("/w") == {}


def test_the_oldest_go_when_there_are_many(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(failures, "MOST_CALLS", 3)
    monkeypatch.setattr(failures, "MOST_FAILURES", 2)
    with open_sightings() as seen:
        for number in range(6):
            seen.note(call(f"k{number}", at=number))
        seen.prune()
        assert [one.key for one in seen.calls()] == ["k3", "k4", "k5"]
        assert [one.sighting.key for one in seen.failures()] == ["k4", "k5"]


def test_other_tables_of_the_file_stay() -> None:
    sightings_path().parent.mkdir(parents=True)
    base = sqlite3.connect(sightings_path())
    base.execute("CREATE TABLE queue (id TEXT)")
    base.execute("INSERT INTO queue VALUES ('q')")
    base.commit()
    base.close()
    with open_sightings() as seen:
        seen.note(call("a"))
    base = sqlite3.connect(sightings_path())
    assert base.execute("SELECT id FROM queue").fetchall() == [("q",)]
    base.close()
