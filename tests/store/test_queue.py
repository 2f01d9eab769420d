"""The queue: once each, at least once tried, dead letters, and nothing lost between processes."""

from __future__ import annotations

import os
import sqlite3
import stat
from concurrent.futures import ThreadPoolExecutor
from hashlib import sha256
from pathlib import Path

import pytest

from vault_cli.errors import NotFoundError, StoreError, UsageError
from vault_cli.hook.state import spare_folder
from vault_cli.store.queue import DEAD, DRAFTED, DROPPED, MOST_TRIES, WAITING, WATCHED, Queue
from vault_cli.store.queue_base import RETRY_AFTER, LogRow, New, Seen
from vault_cli.store.queue_place import look_in, open_queue

NOW = 1_796_040_000


def new(text: str, *, kind: str = "correction", session: str = "s-1", start: str = "1",
        end: str = "2", at: int = NOW) -> New:  # fmt: skip
    seen = Seen("claude-code", session, start, end, at)
    key = sha256(text.encode()).hexdigest()[:16]
    return New(kind, key, text, seen, "/w", {"how": "rejected"})


def add(queue: Queue, *found: New) -> list[str]:
    with queue.writing() as base:
        return queue.add(base, found)


@pytest.fixture
def queue(tmp_path: Path) -> Queue:
    return open_queue(tmp_path / "state")


def test_the_same_is_kept_once_with_every_place_it_was_seen(queue: Queue) -> None:
    first = add(queue, new("不对"))
    assert add(queue, new("不对"), new("不对", session="s-2", at=NOW + 900)) == []
    assert [item.id for item in queue.items(WAITING)] == first
    assert [seen.session for seen in queue.sightings(first[0])] == ["s-1", "s-2"]
    item = queue.items(WAITING)[0]
    assert (item.first, item.last, item.text, dict(item.detail)) == (
        NOW, NOW + 900, "不对", {"how": "rejected"})  # fmt: skip


def test_a_hook_and_the_log_of_the_same_moment_are_one_sighting(queue: Queue) -> None:
    own = add(queue, new("x", start="2026-11-30T12:00:00Z", end="2026-11-30T12:00:00Z", at=NOW))[0]
    add(queue, new("x", start="3", end="18", at=NOW - 1))
    assert [(s.start, s.end) for s in queue.sightings(own)] == [("3", "18")]
    add(queue, new("x", start="2026-11-30T12:00:05Z", end="2026-11-30T12:00:05Z", at=NOW + 5))
    assert len(queue.sightings(own)) == 1
    add(queue, new("x", start="40", end="45", at=NOW + 9000))
    assert len(queue.sightings(own)) == 2


def test_a_log_that_was_copied_into_another_session_says_nothing_new(queue: Queue) -> None:
    own = add(queue, new("x"))[0]
    add(queue, new("x", session="s-2"))
    assert len(queue.sightings(own)) == 1


def test_a_failure_waits_once_it_was_seen_often_enough(queue: Queue) -> None:
    def seen(number: int, session: str, kind: str = "repeated-error") -> list[str]:
        return add(queue, new("no module", kind=kind, session=session, start=str(number),
                              end=str(number), at=NOW + 1000 * number))  # fmt: skip

    assert seen(1, "s-1") == []
    assert seen(2, "s-2") == []
    assert [item.state for item in queue.items(WATCHED)] == [WATCHED]
    assert len(seen(3, "s-3")) == 1
    other = add(queue, *(new("twice", kind="repeated-error", start=str(n), end=str(n), at=NOW + 500 * n)
                         for n in (1, 2)))  # fmt: skip
    assert len(other) == 1


def test_ids_are_found_by_their_beginning(queue: Queue) -> None:
    ids = add(queue, *(new(f"text {n}") for n in range(60)))
    assert len(set(ids)) == 60
    assert queue.find(ids[0]).text == "text 0"
    assert queue.find(ids[0][2:]).id == ids[0]
    assert queue.find(ids[0].upper()).id == ids[0]
    with pytest.raises(NotFoundError):
        queue.find("q-uuuuuuu")
    with pytest.raises(NotFoundError):
        queue.find("'; DROP TABLE queue")
    with pytest.raises(UsageError):
        queue.find("q-")


def test_what_failed_waits_half_an_hour_and_then_becomes_a_dead_letter(queue: Queue) -> None:
    own, now = add(queue, new("x"))[0], NOW
    for attempt in range(1, MOST_TRIES + 1):
        queue.begin(own, now)
        assert not queue.fail(own, "git failed")
        assert queue.find(own).attempts == attempt
        assert queue.due(now + RETRY_AFTER - 1) == []
        now += RETRY_AFTER
        assert [item.id for item in queue.due(now)] == [own]
    queue.begin(own, now)
    assert queue.fail(own, "git failed again")
    item = queue.find(own)
    assert (item.state, item.last_error, item.last_attempt) == (DEAD, "git failed again", now)
    assert queue.due(now + 10**6) == []
    assert queue.counts()[DEAD] == 1
    assert queue.retry([own]) == 1
    assert [item.id for item in queue.due(now)] == [own]


def test_an_attempt_that_was_cut_off_leaves_the_item_waiting(tmp_path: Path) -> None:
    queue = open_queue(tmp_path / "state")
    own = add(queue, new("x"))[0]
    queue.begin(own, NOW)
    queue.__exit__()
    again = open_queue(tmp_path / "state")
    item = again.find(own)
    assert (item.state, item.attempts, item.last_attempt) == (WAITING, 1, NOW)


def test_what_became_of_it_is_remembered_and_it_does_not_come_back(queue: Queue) -> None:
    drafted, dropped = add(queue, new("x"), new("secret thought"))
    queue.settle(drafted, "l-0000001")
    queue.drop([dropped])
    assert (
        add(queue, new("x", session="s-9", at=NOW + 9999), new("secret thought", session="s-9"))
        == []
    )
    assert queue.find(drafted).state == DRAFTED
    assert queue.find(drafted).record == "l-0000001"
    assert (queue.find(dropped).state, queue.find(dropped).text) == (DROPPED, "")
    assert queue.items(WAITING) == []


def test_a_dropped_text_is_gone_from_the_file(queue: Queue) -> None:
    own = add(queue, new("words nobody should find again 忘掉它"))[0]
    queue.drop([own])
    data = b"".join(p.read_bytes() for p in queue.path.parent.iterdir() if p.is_file())
    assert b"nobody should find" not in data
    assert "忘掉它".encode() not in data


def test_only_this_user_reads_it(queue: Queue) -> None:
    assert stat.S_IMODE(queue.path.stat().st_mode) == 0o600
    assert stat.S_IMODE(queue.path.parent.stat().st_mode) & 0o077 == 0


def test_a_thing_done_as_one_is_done_whole_or_not_at_all(queue: Queue) -> None:
    def half() -> None:
        with queue.writing() as base:
            queue.add(base, [new("x")])
            queue.save_log(base, LogRow("/x.jsonl"))
            raise RuntimeError

    with pytest.raises(RuntimeError):
        half()
    assert queue.items(WAITING) == []
    assert queue.log("/x.jsonl") is None


def test_many_writers_at_once_lose_and_double_nothing(tmp_path: Path) -> None:
    state = tmp_path / "state"

    def work(number: int) -> None:
        with open_queue(state) as own:
            for step in range(5):
                add(
                    own, new(f"shared {step}", session=f"s-{number}", at=NOW + number * 1000 + step)
                )
                add(own, new(f"own {number} {step}"))

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(work, range(8)))
    with look_in(state) as queue:
        items = queue.items(WAITING)
        assert len(items) == 45
        shared = next(item for item in items if item.text == "shared 3")
        assert len(queue.sightings(shared.id)) == 8


def test_what_was_kept_elsewhere_is_taken_in(tmp_path: Path) -> None:
    state = tmp_path / "state"
    state.mkdir()
    (state / "hook").write_text("a file where a folder is needed")
    with open_queue(state) as spare:
        assert spare.spare
        waits, gone = add(spare, new("kept"), new("dropped"))
        spare.drop([gone])
        with spare.writing() as base:
            spare.save_log(base, LogRow("/x.jsonl", "codex", done=9, read_at=NOW))
    with look_in(state) as seen:
        assert seen.spare
        assert [item.id for item in seen.items(WAITING)] == [waits]
    (state / "hook").unlink()
    with open_queue(state) as queue:
        assert not queue.spare
        assert [item.text for item in queue.items(WAITING)] == ["kept"]
        assert [item.id for item in queue.items(DROPPED)] == [gone]
        assert queue.log("/x.jsonl").done == 9
    with look_in(state) as seen:
        assert not seen.spare
    assert not list(Path(os.environ["TMPDIR"]).rglob("sightings.db"))


def test_a_spare_folder_of_somebody_else_is_not_used(tmp_path: Path) -> None:
    state = tmp_path / "state"
    state.mkdir()
    (state / "hook").write_text("")
    folder = Path(spare_folder(str(state)))
    folder.symlink_to(tmp_path)
    with pytest.raises(StoreError, match="cannot be kept"):
        open_queue(state)
    with look_in(state) as queue:
        assert queue.path is None


def test_looking_makes_nothing(tmp_path: Path) -> None:
    with look_in(tmp_path / "state") as queue:
        assert queue.items(WAITING) == []
        assert queue.counts()[DEAD] == 0
        with pytest.raises(NotFoundError):
            queue.find("q-1234567")
    assert not (tmp_path / "state").exists()


def test_a_damaged_file_says_what_to_do(tmp_path: Path) -> None:
    state = tmp_path / "state"
    open_queue(state).__exit__()
    (state / "hook" / "sightings.db").write_bytes(b"no database" * 1000)
    for opened in (open_queue, look_in):
        with pytest.raises(StoreError, match="not a database") as caught:
            opened(state)
        assert "Move the file away" in caught.value.hint


def test_tables_of_others_in_the_same_file_are_left_alone(tmp_path: Path) -> None:
    state = tmp_path / "state"
    (state / "hook").mkdir(parents=True)
    path = state / "hook" / "sightings.db"
    with sqlite3.connect(path) as base:
        base.execute("CREATE TABLE failures (a)")
    with look_in(state) as queue:
        assert queue.items(WAITING) == []
        assert queue.logs() == []
    with open_queue(state) as queue:
        add(queue, new("x"))
    with sqlite3.connect(path) as base:
        assert base.execute("SELECT count(*) FROM failures").fetchone() == (0,)


def test_a_log_that_cannot_be_read_is_given_up_after_some_tries(queue: Queue) -> None:
    row = LogRow("/x.jsonl", "dsh", size=5)
    for attempt in range(1, MOST_TRIES + 2):
        row = queue.fail_log(row, "torn", NOW)
        assert row.attempts == attempt
        assert bool(row.dead) is (attempt > MOST_TRIES)
        assert not row.is_due(NOW + 60)
    assert not row.is_due(NOW + 10**6)
    assert queue.retry() == 1
    assert queue.log("/x.jsonl").is_due(NOW)


def test_old_failures_that_came_once_are_forgotten(queue: Queue) -> None:
    add(queue, new("once", kind="repeated-error"), new("不对"))
    with queue.writing() as base:
        queue.take_frame(base, "ab", NOW)
        assert not queue.take_frame(base, "ab", NOW + 1)
        queue.prune(base, NOW + 400 * 86400)
        assert queue.take_frame(base, "ab", NOW + 2)
    assert [item.text for item in queue.items(WAITING, WATCHED)] == ["不对"]
