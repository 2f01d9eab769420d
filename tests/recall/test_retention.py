"""How much of a record is still at hand."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from types import MappingProxyType
from typing import Any

import pytest
from helpers import CONFIRMED
from hypothesis import given
from hypothesis import strategies as st

from vault_cli.errors import UsageError
from vault_cli.model.record import Kind, Record, Status, Tally
from vault_cli.recall.retention import (
    CURVES,
    FLOOR,
    STEPS,
    Aging,
    Dormancy,
    newest_use,
    retention,
)

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
FADING = [kind for kind in Kind if kind not in {"rule", "failure", "preference", "persona"}]


def record(kind: str = "fact", **values: Any) -> Record:
    status = Status(values.pop("status", "active"))
    return Record("f-1", Kind(kind), "memories/f.md", "", status, "T", "T.\n",
                  fields=MappingProxyType(values.pop("fields", {})), **values)  # fmt: skip


def days_ago(days: int) -> str:
    return (NOW - timedelta(days=days)).isoformat()


def test_the_published_curve() -> None:
    at = lambda days, **tally: retention(record(created=days_ago(days)), Tally(**tally), NOW)  # noqa: E731
    assert at(0) == 1.0
    assert at(30) == pytest.approx(0.9), "0.9 at t = S"
    assert at(300) == pytest.approx((1 + 190 / 81) ** -0.5)
    assert at(10**5) == 0.2, "never below the floor"
    assert at(60, helpful=1) == pytest.approx(0.9), "each good use makes it stronger"
    assert at(120, hits=1, succeeded=2) == pytest.approx(0.9)
    assert at(60, harmful=9, exposures=50) == at(60)


@pytest.mark.parametrize(("kind", "strength"), [("note", 14), ("lesson", 30), ("recipe", 60)])
def test_it_is_nine_tenths_at_the_strength_of_the_kind(kind: str, strength: int) -> None:
    assert retention(record(kind, created=days_ago(strength)), Tally(), NOW) == pytest.approx(0.9)


def test_the_presets() -> None:
    at = lambda days, curve: retention(record(created=days_ago(days)), Tally(), NOW, curve)  # noqa: E731
    assert at(1, "exponential") == pytest.approx(0.995**24)
    assert [at(n, "buckets") for n in (7, 8, 31, 91, 500)] == [1.0, 0.8, 0.6, 0.4, 0.2]
    with pytest.raises(UsageError, match="unknown curve"):
        at(1, "linear")


@pytest.mark.parametrize("kind", ["rule", "failure", "preference", "persona"])
@pytest.mark.parametrize("curve", CURVES)
def test_what_does_not_fade(kind: str, curve: str) -> None:
    assert retention(record(kind, created=days_ago(9000)), Tally(), NOW, curve) == 1.0


@pytest.mark.parametrize("curve", CURVES)
def test_only_the_calendar_day_counts(curve: str) -> None:
    one = record(created="2026-11-01T23:30:00Z")
    values = {
        retention(one, Tally(), NOW.replace(hour=hour, minute=minute), curve)
        for hour in (0, 12, 23)
        for minute in (0, 59)
    }
    assert len(values) == 1
    shanghai = NOW.astimezone(timezone(timedelta(hours=8)))
    assert retention(one, Tally(), shanghai, "buckets") == 0.8, "29 days there, still the bucket"


def test_without_uses_it_counts_from_the_newest_of_verified_and_created() -> None:
    verification = {**CONFIRMED["verification"], "at": "2026-11-20"}
    fields = {**CONFIRMED, "verification": verification}
    one = record(status="verified", created=days_ago(900), fields=fields)
    assert Aging.at(NOW).idle_days(one, Tally()) == 10
    claimed = record(created=days_ago(900), fields=fields)
    assert Aging.at(NOW).idle_days(claimed, Tally()) == 900, "its status does not say so"
    assert Aging.at(NOW).idle_days(one, Tally(last_used="2026-11-28")) == 2
    assert Aging.at(NOW).idle_days(record(created="some day"), Tally()) is None
    assert retention(record(created="some day"), Tally(), NOW) == 1.0
    assert Aging.at(NOW).idle_days(record(created="2999-01-01"), Tally()) == 0


texts = st.one_of(
    st.text(max_size=25),
    st.dates().map(str),
    st.datetimes().map(lambda at: f"{at.isoformat()}Z"),
    st.sampled_from(
        ["0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-12:00", "2026-W01", "Z" * 20]
    ),
)
numbers = st.integers(-(10**400), 10**400)


@given(
    kind=st.sampled_from(list(Kind)), created=texts, used=texts, hits=numbers, good=numbers,
    curve=st.sampled_from(CURVES), coarse=st.booleans(), now=st.datetimes(timezones=st.just(UTC)),
)  # fmt: skip
def test_whatever_a_file_claims_it_stays_within_bounds(
    kind: Kind, created: str, used: str, hits: int, good: int, curve: str, coarse: bool,
    now: datetime,
) -> None:  # fmt: skip
    tally = Tally(hits=good, helpful=good, last_used=used)
    aging = Aging.at(now, curve)._replace(coarse=coarse)
    assert FLOOR <= aging.of(record(kind, created=created, hits=hits), tally) <= 1.0


@given(
    kind=st.sampled_from(FADING), older=st.integers(0, 20_000), more=st.integers(0, 20_000),
    uses=st.integers(0, 100), curve=st.sampled_from(CURVES), coarse=st.booleans(),
)  # fmt: skip
def test_older_is_never_more_and_more_use_never_less(
    kind: Kind, older: int, more: int, uses: int, curve: str, coarse: bool
) -> None:
    aging = Aging.at(NOW, curve)._replace(coarse=coarse)

    def at(days: int, helpful: int) -> float:
        return aging.of(record(kind, created=days_ago(days)), Tally(helpful=helpful))

    assert at(older + more, uses) <= at(older, uses)
    assert at(older, uses) <= at(older, uses + more)


def test_a_render_goes_by_the_newest_use_in_few_steps() -> None:
    assert newest_use([]) is None
    assert newest_use([Tally(hits=3), Tally(last_used="soon")]) is None, "no day is known"
    aging = newest_use([Tally(last_used="2026-06-01"), Tally(last_used="2026-11-30T23:59:59Z")])
    assert aging is not None
    assert aging.today == NOW.date()
    found = {aging.of(record(created=days_ago(days)), Tally()) for days in range(0, 3000, 7)}
    assert found == {1.0, 0.7, 0.2}
    assert {value for _, value in STEPS} | {FLOOR} == found


def test_dormant_says_why() -> None:
    dormancy = Dormancy(Aging.at(NOW), 50, {"f-1": Tally(hits=1, last_used="2026-11-29")})
    assert not dormancy.holds(record(created=days_ago(5000)))
    alone = dormancy._replace(tallies={})
    said = alone.explain(record(created=days_ago(5000)))
    assert said == "it is dormant: not used for 5000 days, retention 0.20"
    assert alone.explain(record(created=days_ago(5))) == ""
    for other in (
        record(created=days_ago(5000), correction=True),
        record(created=days_ago(5000), status="candidate"),
        record("rule", created=days_ago(5000)),
    ):
        assert not alone.holds(other)
    assert not alone._replace(below=0).holds(record(created=days_ago(5000)))
