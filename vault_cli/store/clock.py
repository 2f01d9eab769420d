"""The one clock: an aware instant in the vault's time zone. May import `errors`."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import MAXYEAR, MINYEAR, UTC, datetime, timedelta, tzinfo

from vault_cli.errors import UsageError


def read_clock(zone_name: str, environ: Mapping[str, str]) -> datetime:
    """Return now in the zone of `vault.timezone` (""= the system's local zone).

    `$MVAULT_NOW` (ISO 8601) stands in for the clock; without an offset it is local to the zone.

    Raises:
        UsageError: `$MVAULT_NOW` is not a time or at the edge of the calendar, or the zone is not
            known.
    """
    zone = find_zone(zone_name) if zone_name else None
    fixed = environ.get("MVAULT_NOW", "")
    if not fixed:
        return datetime.now(UTC).astimezone(zone)
    try:
        moment = datetime.fromisoformat(fixed)
    except ValueError as error:
        raise UsageError(
            f"$MVAULT_NOW is not an ISO 8601 time: {fixed!r}", hint="Example: 2026-11-30T10:00:00Z"
        ) from error
    if not MINYEAR < moment.year < MAXYEAR:  # in some zone it is no date any more
        raise UsageError(
            f"$MVAULT_NOW is at the edge of the calendar: {fixed!r}",
            hint=f"Years from {MINYEAR + 1} to {MAXYEAR - 1} can be told.",
        )
    if moment.tzinfo is None and zone is not None:
        return moment.replace(tzinfo=zone)
    return moment.astimezone(zone)


def system_tomorrow() -> str:
    """Return the day after today in UTC by the clock of the system, whatever `$MVAULT_NOW` says."""
    return (datetime.now(UTC) + timedelta(days=1)).date().isoformat()


def find_zone(name: str) -> tzinfo:
    """Return the time zone of an IANA name.

    Raises:
        UsageError: the system does not know it.
    """
    from zoneinfo import ZoneInfo

    try:
        return ZoneInfo(name)
    except (ValueError, OSError, KeyError) as error:
        raise UsageError(
            f"vault.timezone: no time zone is called {name!r}",
            hint="Use an IANA name such as Europe/Berlin or Asia/Shanghai.",
        ) from error
