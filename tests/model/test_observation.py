"""Observations: lines that are read or passed over, and sums that no order of lines changes."""

from __future__ import annotations

import json
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vault_cli.model.observation import (
    AGENT,
    CITATION,
    EXPOSURE,
    GUARD,
    HARMFUL,
    HELPFUL,
    HIT,
    MAX_LINE,
    OUTCOME,
    UNDO,
    WATERMARK,
    WITNESSES,
    Kept,
    LineError,
    Observation,
    is_late,
    read_line,
    split_ids,
    was_shown,
    write_line,
)
from vault_cli.model.record import NO_TALLY, Tally
from vault_cli.model.sums import fold

DAY = date(2026, 11, 30)
AT = "2026-11-30T10:00:00Z"
IDS = ("l-1", "r-2", "规则-三")


def seen(kind: str, *ids: str, key: str = "k", **more: str) -> Observation:
    return Observation(kind, more.pop("at", AT), key, ids, **more)


def pool_of(*observations: Observation, machine: str = "aaaa", settled: bool = False) -> list[Kept]:
    return [Kept(item, machine, settled) for item in observations]


def tally(pool: list[Kept], record_id: str = "l-1", **more: bool) -> Tally:
    return fold(pool, DAY, **more).tallies.get(record_id, NO_TALLY)


def test_a_line_is_read_back_as_it_was_written() -> None:
    whole = Observation(OUTCOME, AT, "k1", IDS, AGENT, "7f", "3f2a", "failed", "离线", "")
    assert read_line(write_line(whole)[:-1]) == whole
    assert write_line(whole).count(b"\n") == 1
    assert "离线".encode() in write_line(whole)


@pytest.mark.parametrize(
    ("line", "why"),
    [
        (b"", "JSON"),
        (b"[1, 2]", "not a JSON object"),
        (b"\xff\xfe{}", "UTF-8"),
        (b'{"kind":"hit"', "JSON"),
        (b"[" * 100_000, "JSON"),
        (b'{"kind":"hit","at":"' + b"9" * MAX_LINE + b'"}', "longer"),
        (b'{"kind":"hits","at":"2026-11-30T10:00:00Z","key":"k","ids":["l-1"]}', "unknown kind"),
        (b'{"at":"2026-11-30T10:00:00Z","key":"k","ids":["l-1"]}', "no kind"),
        (b'{"kind":"hit","at":20261130,"key":"k","ids":["l-1"]}', "not a text"),
        (b'{"kind":"hit","at":"2026-02-30T10:00:00Z","key":"k","ids":["l-1"]}', "instant"),
        (b'{"kind":"hit","at":"9999-02-03T10:00:00Z","key":"k","ids":["l-1"]}', "instant"),
        (b'{"kind":"hit","at":"2026-11-30T10:00:00+08:00","key":"k","ids":["l-1"]}', "instant"),
        (b'{"kind":"hit","at":"","key":"k","ids":["l-1"]}', "instant"),
        (b'{"kind":"hit","at":"2026-11-30T10:00:00Z","ids":["l-1"]}', "no key"),
        (b'{"kind":"hit","at":"2026-11-30T10:00:00Z","key":"k"}', "names no record"),
        (b'{"kind":"hit","at":"2026-11-30T10:00:00Z","key":"k","ids":[1000000000]}', "no id"),
        (b'{"kind":"hit","at":"2026-11-30T10:00:00Z","key":"k","ids":["a\\u001bb"]}', "no id"),
        (b'{"kind":"hit","at":"2026-11-30T10:00:00Z","key":"k","ids":"l-1"}', "no list"),
        (b'{"kind":"hit","at":"2026-11-30T10:00:00Z","key":"k","ids":["l-1"],"who":"root"}', "who"),
        (b'{"kind":"outcome","at":"2026-11-30T10:00:00Z","key":"k","ids":["l-1"]}', "result"),
        (b'{"kind":"undo","at":"2026-11-30T10:00:00Z","key":"k","ids":["l-1"]}', "takes back"),
    ],
)
def test_a_hostile_line_is_no_observation(line: bytes, why: str) -> None:
    with pytest.raises(LineError, match=why):
        read_line(line)


def test_a_number_in_a_line_counts_as_nothing() -> None:
    data = {"kind": HIT, "at": AT, "key": "k", "ids": ["l-1"], "hits": 10**9, "count": 10**9}
    found = read_line(json.dumps(data).encode())
    assert tally(pool_of(found)).hits == 1


def test_what_a_person_and_a_guard_say_counts_as_it_stands() -> None:
    pool = pool_of(
        seen(HELPFUL, "l-1", key="1"),
        seen(HELPFUL, "l-1", "r-2", key="2"),
        seen(HARMFUL, "l-1", key="3"),
        seen(HIT, "l-1", key="4", who=GUARD, at="2026-11-29T00:00:00Z"),
        seen(OUTCOME, "l-1", key="5", result="failed", at="2026-11-28T00:00:00Z"),
    )
    assert tally(pool) == Tally(0, 0, 2, 1, 1, 0, 1, "2026-11-30")
    assert tally(pool, "r-2") == Tally(helpful=1, last_used="2026-11-30")


def test_being_shown_is_counted_apart_and_is_no_use() -> None:
    pool = pool_of(
        seen(EXPOSURE, "l-1", "r-2", key="1", receipt="aa", session="s"),
        seen(EXPOSURE, key="2", receipt="aa", session="s"),
        seen(EXPOSURE, key="3", receipt="aa", session="t"),
        seen(EXPOSURE, key="4", receipt="of another vault", session="t"),
    )
    assert tally(pool) == Tally(exposures=3)
    assert tally(pool).last_used == ""


def test_an_agent_is_believed_once_a_session_and_only_about_what_it_was_shown_and_cited() -> None:
    shown = seen(EXPOSURE, "l-1", key="1", receipt="aa", session="s")
    cited = seen(CITATION, "l-1", key="2", who=AGENT, session="s")
    says = [seen(HELPFUL, "l-1", key=str(n), who=AGENT, session="s") for n in range(3, 9)]
    assert tally(pool_of(*says)).helpful == 0
    assert tally(pool_of(shown, *says)).helpful == 0
    assert tally(pool_of(cited, *says)).helpful == 0
    assert tally(pool_of(shown, cited, *says)) == Tally(
        exposures=1, citations=1, helpful=1, last_used="2026-11-30"
    )
    assert fold(pool_of(*says), DAY).claims == {"l-1": 1}
    elsewhere = [item._replace(session="t", key=item.key + "t") for item in says]
    assert tally(pool_of(shown, cited, *elsewhere)).helpful == 0
    without = [item._replace(session="") for item in (shown, cited, *says)]
    assert tally(pool_of(*without)).helpful == 0


def test_an_undo_takes_back_a_line_of_its_own_machine_only() -> None:
    said = seen(HARMFUL, "l-1", key="7")
    back = seen(UNDO, "l-1", key="8", of="7")
    assert tally(pool_of(said, back)).harmful == 0
    assert tally(pool_of(back, said)).harmful == 0
    assert tally([*pool_of(said), *pool_of(back, machine="bbbb")]).harmful == 1


def test_what_is_from_the_future_waits_for_its_day() -> None:
    late = seen(HIT, "l-1", key="1", at="2026-12-24T10:00:00Z")
    assert is_late(late, DAY)
    assert not is_late(seen(HIT, "l-1", at="2026-12-01T10:00:00Z"), DAY)
    sums = fold(pool_of(late), DAY)
    assert sums.tallies == {}
    assert sums.holds_on(DAY)
    assert not sums.holds_on(date(2026, 12, 24))
    assert fold(pool_of(late), date(2026, 12, 24)).tallies["l-1"].hits == 1


def test_only_what_a_watermark_took_in_is_settled() -> None:
    pool = pool_of(seen(HIT, "l-1", key="1"), settled=True) + pool_of(seen(HIT, "l-1", key="2"))
    assert tally(pool).hits == 2
    assert tally(pool, settled=True).hits == 1


def test_was_shown_knows_a_receipt_that_names_its_ids_once() -> None:
    pool = pool_of(
        seen(EXPOSURE, "l-1", key="1", receipt="aa", session="s"),
        seen(EXPOSURE, key="2", receipt="aa", session="t"),
    )
    assert was_shown(pool, "t", "l-1")
    assert not was_shown(pool, "u", "l-1")
    assert not was_shown(pool, "", "l-1")
    assert not was_shown(pool, "t", "r-2")


def test_many_ids_are_split_into_lines_that_can_be_read() -> None:
    ids = [f"l-{number:07}" for number in range(4500)]
    parts = split_ids(ids)
    assert [key for part in parts for key in part] == ids
    for part in parts:
        line = write_line(seen(EXPOSURE, *part))
        assert read_line(line[:-1]).ids == part


KINDS = st.sampled_from([EXPOSURE, CITATION, HELPFUL, HARMFUL, HIT, OUTCOME, UNDO, WATERMARK])


@st.composite
def observations(draw: st.DrawFn) -> Observation:
    kind = draw(KINDS)
    return Observation(
        kind,
        f"2026-{draw(st.integers(10, 12))}-1{draw(st.integers(0, 9))}T10:00:00Z",
        draw(st.sampled_from("abcdefgh")),
        tuple(draw(st.lists(st.sampled_from(IDS), min_size=1, max_size=3, unique=True))),
        draw(st.sampled_from(WITNESSES)),
        draw(st.sampled_from(["", "s", "t"])),
        draw(st.sampled_from(["", "aa", "bb"])),
        draw(st.sampled_from(["succeeded", "failed"])) if kind == OUTCOME else "",
        "",
        draw(st.sampled_from("abcdefgh")) if kind == UNDO else "",
    )


ITEMS = st.builds(Kept, observations(), st.sampled_from(["aaaa", "bbbb"]), st.booleans())


@given(st.lists(ITEMS, max_size=40, unique_by=lambda item: item.seen), st.randoms())
def test_no_order_of_lines_changes_the_sums(pool: list[Kept], random: object) -> None:
    mixed = list(pool)
    random.shuffle(mixed)  # type: ignore[attr-defined]
    for settled in (False, True):
        assert fold(mixed, DAY, settled=settled) == fold(pool, DAY, settled=settled)


@given(st.lists(ITEMS, max_size=40))
def test_sums_are_bounded_by_the_lines(pool: list[Kept]) -> None:
    for numbers in fold(pool, DAY).tallies.values():
        assert all(0 <= number <= len(pool) for number in numbers[:7])
        assert numbers.last_used <= "2026-12-01"
