"""The one clock: the vault's zone, and a fixed time for tests."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from vault_cli.errors import UsageError
from vault_cli.store.clock import find_zone, read_clock


def test_now_is_aware_and_in_the_zone_of_the_vault() -> None:
    for zone in ("", "Asia/Shanghai"):
        now = read_clock(zone, {})
        assert now.tzinfo is not None
        assert abs(now - datetime.now(UTC)) < timedelta(minutes=1)
    assert read_clock("Asia/Shanghai", {}).utcoffset() == timedelta(hours=8)


@pytest.mark.parametrize(
    ("fixed", "zone", "expected"),
    [
        ("2026-11-30T10:00:00Z", "Asia/Shanghai", "2026-11-30T18:00:00+08:00"),
        ("2026-11-30T10:00:00", "Asia/Shanghai", "2026-11-30T10:00:00+08:00"),
        ("2026-11-30", "UTC", "2026-11-30T00:00:00+00:00"),
        ("2026-07-01T12:00:00+02:00", "Europe/Berlin", "2026-07-01T12:00:00+02:00"),
    ],
)
def test_a_fixed_time_stands_in_for_the_clock(fixed: str, zone: str, expected: str) -> None:
    assert read_clock(zone, {"MVAULT_NOW": fixed}).isoformat() == expected


def test_a_fixed_time_without_any_zone_is_local() -> None:
    moment = read_clock("", {"MVAULT_NOW": "2026-11-30T10:00:00"})
    assert moment == datetime(2026, 11, 30, 10).astimezone()


def test_what_is_no_time_or_no_zone_is_named() -> None:
    with pytest.raises(UsageError, match=r"MVAULT_NOW.*'soon'"):
        read_clock("", {"MVAULT_NOW": "soon"})
    for name in ("Mars/Base", "../etc/passwd", "/etc/passwd", "Asia", "a\0b", "x" * 5000):
        with pytest.raises(UsageError, match="no time zone"):
            find_zone(name)
