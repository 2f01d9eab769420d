"""How much of a record is still at hand: the forgetting curve. May import `text`, `model`.

Two clocks. Search, `list`, reviews and statistics ask about the day it is (`now`). A render asks
about the newest use that the vault knows of (`newest_use`), in coarse steps: its bytes may only
move when observations are taken in, never because a day went by.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import UTC, date, datetime, tzinfo
from types import MappingProxyType
from typing import Final, NamedTuple

from vault_cli.errors import UsageError
from vault_cli.model.evidence import is_verified
from vault_cli.model.record import NO_TALLY, Kind, Record, Status, Tally
from vault_cli.text.values import day_of

CURVES: Final = ("power", "exponential", "buckets")
FLOOR: Final = 0.2
NEVER_FADE: Final = frozenset(
    {Kind.RULE, Kind.FAILURE, Kind.PREFERENCE, Kind.PERSONA, Kind.HANDOFF}
)

STEPS: Final = ((0.9, 1.0), (0.5, 0.7))
"""(at least, counts as) of a render, else FLOOR: few steps, so that few lines change places."""

_STRENGTH: Final[Mapping[Kind, float]] = {
    Kind.NOTE: 14.0,
    Kind.RESOURCE: 14.0,
    Kind.HYPOTHESIS: 14.0,
    Kind.RECIPE: 60.0,
    Kind.SKILL: 60.0,
    Kind.DECISION: 60.0,
}
_USUAL_STRENGTH: Final = 30.0
"""S, the days after which retention is 0.9, of a kind that was never of good use yet."""

_BUCKETS: Final = ((7, 1.0), (30, 0.8), (90, 0.6), (180, 0.4))
NO_TALLIES: Final[Mapping[str, Tally]] = MappingProxyType({})
_LOSS: Final = 19 / 81
_MOST_USES: Final = 10**6
_MOST_HOURS: Final = 10_000


class Aging(NamedTuple):
    """From where ages are counted, and how they count.

    Args:
        today: the day.
        zone: the vault's time zone, for instants that have to become days.
        curve: a member of `CURVES`.
        coarse: only the steps of `STEPS`.
    """

    today: date
    zone: tzinfo | None = UTC
    curve: str = "power"
    coarse: bool = False

    @classmethod
    def at(cls, now: datetime, curve: str = "power") -> Aging:
        """Return ages as they are at an aware instant in the vault's time zone."""
        return cls(now.date(), now.tzinfo, check_curve(curve))

    def of(self, record: Record, tally: Tally) -> float:
        """Return the retention of a record, from FLOOR to 1."""
        kept = self._exact(record, tally)
        if not self.coarse:
            return kept
        return next((value for least, value in STEPS if kept >= least), FLOOR)

    def _exact(self, record: Record, tally: Tally) -> float:
        if record.required or record.kind in NEVER_FADE:
            return 1.0
        days = self.idle_days(record, tally)
        if days is None:
            return 1.0
        if self.curve == "exponential":
            return max(FLOOR, float(0.995 ** min(days * 24, _MOST_HOURS)))
        if self.curve == "buckets":
            return next((value for limit, value in _BUCKETS if days <= limit), FLOOR)
        strength = _STRENGTH.get(record.kind, _USUAL_STRENGTH) * (1 + good_uses(record, tally))
        return max(FLOOR, float((1 + _LOSS * days / strength) ** -0.5))

    def idle_days(self, record: Record, tally: Tally) -> int | None:
        """Return the whole calendar days since the last use; None when no day is known.

        What was never used counts from the day it was made or verified. A day that is still to
        come counts as today.
        """
        days = [day for text in _moments(record, tally) if (day := day_of(text, self.zone))]
        return max(0, (self.today - max(days)).days) if days else None


def check_curve(curve: str) -> str:
    """Return a curve's name; UsageError when there is no such curve."""
    if curve not in CURVES:
        raise UsageError(f"unknown curve {curve!r}", hint=f"Use one of: {', '.join(CURVES)}.")
    return curve


def retention(record: Record, tally: Tally, now: datetime, curve: str = "power") -> float:
    """Return how much of a record is still at hand, from 0.2 to 1.

    `power`: (1 + 19/81 · t/S)^-0.5, the forgetting curve of FSRS-4.5, which is 0.9 at t = S (open
    spaced repetition, "The Algorithm"); S is the strength of the kind times (1 + good uses).
    `exponential`: 0.995^hours (Park et al., "Generative Agents", 2023). `buckets`: 1, 0.8, 0.6,
    0.4 up to 7, 30, 90, 180 days. t is counted in whole days from the last use, verification or
    creation, whichever is newest; a record without any has not faded. Rules, failures,
    preferences and persona never fade.

    Raises:
        UsageError: there is no such curve.
    """
    return Aging.at(now, curve).of(record, tally)


def good_uses(record: Record, tally: Tally) -> int:
    """Return how often a record was of good use, within bounds whatever a file claims."""
    uses = (tally.hits, record.hits, tally.helpful, tally.succeeded)
    return min(sum(max(0, number) for number in uses), _MOST_USES)


def newest_use(tallies: Iterable[Tally], curve: str = "power") -> Aging | None:
    """Return the ages that a render goes by: up to the newest use that was taken in.

    Returns:
        None when no use is known: then nothing is older than anything else.
    """
    days = [day for tally in tallies if tally.last_used and (day := day_of(tally.last_used, UTC))]
    return Aging(max(days), UTC, check_curve(curve), coarse=True) if days else None


def _moments(record: Record, tally: Tally) -> Iterable[str]:
    if tally.last_used:
        yield tally.last_used
    if record.created:
        yield record.created
    if record.written_status is Status.VERIFIED and is_verified(record):
        written = record.fields.get("verification")
        at = written.get("at") if isinstance(written, Mapping) else None
        if isinstance(at, str):
            yield at


class Dormancy(NamedTuple):
    """Which records have faded: what strict recall and reviews ask.

    Args:
        aging: from when ages are counted.
        below: retention in percent below which a record is dormant; 0 = never.
        tallies: folded observations by record id.
    """

    aging: Aging
    below: int = 50
    tallies: Mapping[str, Tally] = NO_TALLIES

    def holds(self, record: Record) -> bool:
        """Tell whether a record in force has not been used for so long that it has faded.

        A correction never is: a person put it right once, and would have to do so again.
        """
        if not record.in_force or record.correction:
            return False
        kept = self.aging.of(record, self.tallies.get(record.id, NO_TALLY))
        return kept * 100 < self.below

    def explain(self, record: Record) -> str:
        """Return why a record is dormant, "" when it is not."""
        if not self.holds(record):
            return ""
        tally = self.tallies.get(record.id, NO_TALLY)
        days, kept = self.aging.idle_days(record, tally), self.aging.of(record, tally)
        return f"it is dormant: not used for {days} days, retention {kept:.2f}"
