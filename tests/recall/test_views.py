"""Which records belong to which view, at which moment."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta, timezone

import pytest

from vault_cli.errors import Diagnostic
from vault_cli.model.record import Kind, Record, Status
from vault_cli.model.validity import Validity
from vault_cli.recall.views import VIEWS, describe_period, mark_record, why_not

NOON = datetime(2026, 7, 15, 12, tzinfo=UTC)
IN = ""


def record(
    status: str = "active",
    start: date | None = None,
    end: date | None = None,
    **more: object,
) -> Record:
    return Record(
        "f-1", Kind.FACT, "memories/f.md", "0" * 64, Status(status), "T", "Body.",
        validity=Validity(start, end), **more,  # type: ignore[arg-type]
    )  # fmt: skip


TABLE = {
    # status: strict, historical, belief, associative
    "candidate": (False, False, False, True),
    "active": (True, True, True, True),
    "verified": (True, True, True, True),
    "disputed": (False, True, False, True),
    "superseded": (False, True, False, True),
    "deprecated": (False, True, False, True),
    "rejected": (False, False, False, False),
    "quarantined": (False, False, False, False),
    "tombstoned": (False, False, False, False),
}


def test_the_table_names_every_status() -> None:
    assert set(TABLE) == {status.value for status in Status}


@pytest.mark.parametrize("status", TABLE)
def test_statuses_of_the_views(status: str) -> None:
    found = tuple(not why_not(record(status), view, NOON) for view in VIEWS)
    assert found == TABLE[status]
    assert why_not(record(status), "", NOON) == IN


@pytest.mark.parametrize("view", ["", "strict", "historical", "belief"])
def test_the_period_counts_whole_days(view: str) -> None:
    day = date(2026, 7, 15)
    assert why_not(record(end=day), view, NOON) == IN
    assert why_not(record(start=day), view, NOON) == IN
    assert "valid to 2026-07-14" in why_not(record(end=date(2026, 7, 14)), view, NOON)
    assert "not valid before 2026-07-16" in why_not(record(start=date(2026, 7, 16)), view, NOON)
    assert why_not(record(end=date(2026, 7, 14)), view, None) == IN


def test_an_instant_switches_at_that_instant() -> None:
    east = timezone(timedelta(hours=8))
    exact = datetime(2026, 7, 15, 20, tzinfo=east)  # noon in UTC
    assert why_not(record(start=exact), "strict", NOON) == IN
    assert why_not(record(end=exact), "strict", NOON)
    earlier = NOON - timedelta(seconds=1)
    assert why_not(record(end=exact), "strict", earlier) == IN
    assert why_not(record(start=exact), "strict", earlier)


def test_associative_has_no_time() -> None:
    assert why_not(record(end=date(2020, 1, 1)), "associative", NOON) == IN


def test_held_records_are_no_answer_but_can_be_found() -> None:
    held = record(
        findings=(Diagnostic("memories/f.md", 1, "bidi-control", "warning", "m", holds=True),)
    )
    assert why_not(held, "strict", NOON) == why_not(held, "belief", NOON) == "held by bidi-control"
    assert why_not(held, "historical", NOON) == why_not(held, "associative", NOON) == IN
    assert mark_record(held, NOON) == ("held",)


def test_marks_and_periods_in_words() -> None:
    one, other = date(2026, 1, 1), date(2026, 2, 28)
    assert describe_period(record(start=one, end=other)) == "2026-01-01 to 2026-02-28"
    assert describe_period(record(start=one)) == "from 2026-01-01"
    assert describe_period(record(end=other)) == "to 2026-02-28"
    assert describe_period(record()) == ""
    assert mark_record(record(end=other), NOON) == ("expired",)
    assert mark_record(record(start=date(2027, 1, 1)), NOON) == ("scheduled",)
    assert mark_record(record("superseded"), NOON) == ("end not recorded",)
    assert mark_record(record("superseded", end=other), NOON) == ("expired",)
