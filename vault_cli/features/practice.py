"""How recipes and skills do in use: success rank, maturity, disuse. May import `model`."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Any, Final, NamedTuple

from vault_cli.features.recipes import THRESHOLD, SetAside, is_mature, none_aside
from vault_cli.model.record import Kind, Record, Snapshot, Tally
from vault_cli.model.shares import Share

UNUSED_DAYS: Final = 30
"""After so many days without a use a recipe or a skill is told to be unused."""


class Practice(NamedTuple):
    """What use says of a recipe or a skill.

    Args:
        record: the recipe or the skill.
        tally: what was observed, uses counted elsewhere before (`hits`) included.
        rank: lower bound of its success rate (`success_rank`), None before the first outcome.
        idle: whether the last use, or its creation, lies more than `UNUSED_DAYS` back.
        mature: whether the recipe may become a skill.
    """

    record: Record
    tally: Tally
    rank: float | None
    idle: bool
    mature: bool

    @property
    def state(self) -> str:
        """In a word: `mature`, `unused`, `skill` or `proving`; a skill may be unused, too."""
        if self.idle:
            return "unused"
        if self.record.kind is Kind.SKILL:
            return "skill"
        return "mature" if self.mature else "proving"


def success_rank(succeeded: int, failed: int) -> float | None:
    """Return what share of uses succeeds at least, with 95 % confidence; None without outcomes.

    The lower bound of `Share.interval`: nine of ten rank above one of one, since little was seen
    of that one.
    """
    bounds = Share(succeeded, succeeded + failed).interval
    return None if bounds is None else bounds[0]


def is_idle(record: Record, tally: Tally, today: date, days: int = UNUSED_DAYS) -> bool:
    """Tell whether a record was used, and made, more than so many days ago.

    Args:
        record: the recipe or the skill.
        tally: what was observed of it.
        today: a day in UTC, as observations have it.
        days: how long a pause is none.
    """
    last = max(tally.last_used, record.created[:10])
    try:
        return date.fromisoformat(last) < today - timedelta(days=days)
    except ValueError:  # nobody knows when it was made: nothing to count from
        return False


def find_practice(
    snapshot: Snapshot, today: date, threshold: int = THRESHOLD, aside: SetAside = none_aside
) -> list[Practice]:
    """Return the recipes and skills in force: best success rank first, then the most used.

    Args:
        snapshot: records and tallies.
        today: a day in UTC.
        threshold: hits that make a recipe mature.
        aside: hits that a demotion took away.
    """
    found = [
        _practice(snapshot, record, today, threshold, aside)
        for record in snapshot.records
        if record.kind in (Kind.RECIPE, Kind.SKILL) and record.in_force
    ]
    return sorted(found, key=_place)


def _practice(
    snapshot: Snapshot, record: Record, today: date, threshold: int, aside: SetAside
) -> Practice:
    tally = snapshot.tally(record.id)
    rank = success_rank(tally.succeeded, tally.failed)
    return Practice(
        record,
        tally._replace(hits=tally.hits + record.hits),
        rank,
        is_idle(record, tally, today),
        is_mature(record, tally, threshold, aside),
    )


def _place(item: Practice) -> tuple[float, int, str]:
    return (-1.0 if item.rank is None else item.rank) * -1, -item.tally.hits, item.record.id


def practice_data(item: Practice) -> dict[str, Any]:
    """Return the promised JSON shape, without what every record has."""
    tally = item.tally
    return {
        "hits": tally.hits,
        "succeeded": tally.succeeded,
        "failed": tally.failed,
        "helpful": tally.helpful,
        "harmful": tally.harmful,
        "success_rank": None if item.rank is None else round(item.rank, 3),
        "last_used": tally.last_used,
        "unused": item.idle,
        "mature": item.mature,
        "state": item.state,
    }
