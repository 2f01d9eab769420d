"""When a record holds. Standard library only."""

from __future__ import annotations

from datetime import date, datetime
from typing import NamedTuple


class Validity(NamedTuple):
    """When a record holds. A `date` is a whole calendar day in the vault's time zone.

    A `datetime` (always aware) is an exact instant. Either end may be open (None).
    """

    start: date | datetime | None = None
    end: date | datetime | None = None

    def state_at(self, now: datetime) -> str:
        """Return `scheduled`, `current` or `expired` at an aware instant in the vault's zone.

        The calendar day is taken from `now` as given, so pass it already converted to the
        vault's time zone. The last day counts to its end.
        """
        if self.start is not None and _before(now, self.start):
            return "scheduled"
        if self.end is not None and _after(now, self.end):
            return "expired"
        return "current"


def _before(now: datetime, start: date | datetime) -> bool:
    return now < start if isinstance(start, datetime) else now.date() < start


def _after(now: datetime, end: date | datetime) -> bool:
    return now >= end if isinstance(end, datetime) else now.date() > end
