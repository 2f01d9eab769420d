"""How much agents may propose in a week, and candidates on trial. May import `model`."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date, datetime, timedelta
from math import ceil
from typing import Any, Final, NamedTuple, Protocol

from vault_cli.model.record import Record, Snapshot, Status

TRIAL_KEY: Final = "trial_until"
WEEK: Final = timedelta(days=7)
_LEARNED: Final = frozenset({"reflection", "hook"})
LEAST, MOST = 4, 12
"""Bounds of the automatic budget: W = clamp(ceil(1 % of the records in force), 4, 12)."""


class Settings(Protocol):
    """What gives the value of a setting by its name."""

    def __getitem__(self, name: str) -> Any:
        """Return a value; KeyError for a name that is none."""


class Budget(NamedTuple):
    """What may still be proposed.

    Args:
        limit: proposals a week, None for no limit.
        used: of the last seven days.
        trial_days: days for which a candidate over the limit is kept on trial; 0: it is refused.
    """

    limit: int | None = None
    used: int = 0
    trial_days: int = 0

    @property
    def left(self) -> int | None:
        """Proposals that are left, None for no limit."""
        return None if self.limit is None else max(0, self.limit - self.used)


NO_LIMIT: Final = Budget()


def budget_of(snapshot: Snapshot, settings: Settings, now: datetime) -> Budget:
    """Return the weekly learning budget of a vault.

    Args:
        snapshot: the vault.
        settings: `learning.budget`, `learning.weekly` and `learning.trial_days`.
        now: aware instant.
    """
    kind = str(settings["learning.budget"])
    if kind == "off":
        return NO_LIMIT
    limit = int(settings["learning.weekly"])
    if kind == "auto":
        in_force = sum(record.in_force for record in snapshot.records)
        limit = min(max(ceil(in_force / 100), LEAST), MOST)
    used = sum(_is_learned(record, now) for record in snapshot.records)
    return Budget(limit, used, int(settings["learning.trial_days"]))


def _is_learned(record: Record, now: datetime) -> bool:
    if record.origin not in _LEARNED or record.source != "agent" or TRIAL_KEY in record.fields:
        return False
    try:
        made = datetime.fromisoformat(record.created)
    except ValueError:
        return False
    return made.tzinfo is not None and now - WEEK <= made <= now + timedelta(days=1)


def trial_end(budget: Budget, now: datetime) -> str:
    """Return the last day of a trial that begins now."""
    return (now.date() + timedelta(days=budget.trial_days)).isoformat()


def on_trial(records: Iterable[Record]) -> list[tuple[Record, date]]:
    """Return the candidates on trial with their last day, the first to end first."""
    found = []
    for record in records:
        if record.status is not Status.CANDIDATE or TRIAL_KEY not in record.fields:
            continue
        try:
            found.append((record, date.fromisoformat(str(record.fields[TRIAL_KEY])[:10])))
        except ValueError:
            continue
    return sorted(found, key=lambda pair: (pair[1], pair[0].id))
