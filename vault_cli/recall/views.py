"""Two clocks, four views: which records answer a question about a time. May import `model`.

The valid clock is the period a record states (`valid_from`, `valid_to`); the transaction clock is
git: the snapshot that is looked at. A view says which statuses take part and whether the period
counts; the snapshot decides what was known.

| view | records | period |
|---|---|---|
| strict | in force, not held, not dormant | holds at the moment |
| historical | once in force: superseded, deprecated, disputed too | holds at it, if one is given |
| belief | in force, not held, of a past commit | holds at the moment of the commit |
| associative | all but rejected, quarantined, tombstoned | does not count |
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, datetime
from typing import Final

from vault_cli.model.record import ALWAYS, IN_FORCE, Record, Status

VIEWS: Final = ("strict", "historical", "belief", "associative")

_ONCE_IN_FORCE: Final = IN_FORCE | {Status.SUPERSEDED, Status.DEPRECATED, Status.DISPUTED}
_ENDED: Final = frozenset({Status.SUPERSEDED, Status.DEPRECATED})
_NEVER: Final = frozenset({Status.REJECTED, Status.QUARANTINED, Status.TOMBSTONED})
FOUND_BY_DEFAULT: Final = IN_FORCE | {Status.CANDIDATE, Status.DISPUTED}
"""What a search finds without being asked for a status."""


def why_not(
    record: Record,
    view: str,
    moment: datetime | None,
    faded: Callable[[Record], str] | None = None,
) -> str:
    """Return why a record does not belong to a view at a moment, "" when it does.

    What nobody uses any more leaves strict recall; what was believed (`belief`) does not hang on
    how often it was used.

    Args:
        record: a record of the snapshot that is looked at.
        view: one of VIEWS, or "" for every status.
        moment: aware instant in the vault's time zone, or None: the period does not count.
        faded: says why a record is dormant, "" when it is not (see `retention.Dormancy`).
    """
    status = record.status
    if view == "associative":
        return f"it is {status}" if status in _NEVER else ""
    if view and status not in (_ONCE_IN_FORCE if view == "historical" else IN_FORCE):
        return f"it is {status}"
    if moment is not None and (state := record.validity.state_at(moment)) != "current":
        return describe_state(record, state)
    if view in ("strict", "belief") and (held := record.held_by):
        return "held by " + ", ".join(sorted({finding.code for finding in held}))
    return faded(record) if view == "strict" and faded is not None else ""


def describe_state(record: Record, state: str) -> str:
    """Return when a record that is `scheduled` or `expired` begins or ended, in words."""
    if state == "scheduled":
        return f"not valid before {_text(record.validity.start)}"
    return f"valid to {_text(record.validity.end)}"


def describe_period(record: Record) -> str:
    """Return the period a record states: `2026-01-01 to 2026-02-28`, `from …`, `to …` or ""."""
    start, end = record.validity
    if start is None and end is None:
        return ""
    if start is None:
        return f"to {_text(end)}"
    return f"from {_text(start)}" if end is None else f"{_text(start)} to {_text(end)}"


def _text(moment: date | None) -> str:
    return "" if moment is None else moment.isoformat()


def mark_period(record: Record, moment: datetime) -> tuple[str, ...]:
    """Return the period of a record where it matters now: one that ends, has ended or is to come.

    Args:
        record: any record; of one that is out of use its status says enough.
        moment: aware instant in the vault's time zone.
    """
    validity = record.validity
    if validity == ALWAYS or record.status not in FOUND_BY_DEFAULT:
        return ()
    state = validity.state_at(moment)
    if state != "current":
        return describe_period(record), state
    return (f"to {_text(validity.end)}",) if validity.end is not None else ()


def _ends_on(end: date | None, moment: datetime) -> bool:
    """Tell whether a period ends with the calendar day of a moment."""
    return end is not None and not isinstance(end, datetime) and end == moment.date()


def mark_record(record: Record, moment: datetime) -> tuple[str, ...]:
    """Return what has to be said beside a record: kept out, expired, scheduled, no end is known.

    Args:
        record: any record.
        moment: aware instant in the vault's time zone.
    """
    marks = []
    validity = record.validity
    state = "current" if validity is ALWAYS else validity.state_at(moment)
    if state != "current":
        marks.append(state)
    if validity.end is None and record.status in _ENDED:
        marks.append("end not recorded")
    if record.status is Status.SUPERSEDED and _ends_on(validity.end, moment):
        marks.append("replaced that day")  # both it and its successor hold on the whole day
    return (*marks, *mark_kept(record))


def mark_kept(record: Record) -> tuple[str, ...]:
    """Return why a record is kept out of the render whatever the time, and what waits beside it.

    The one place for it: every list of records says so, as text and in `--json`.
    """
    marks: tuple[str, ...] = ("held",) if record.findings and record.held_by else ()
    marks += (f"kept out of the render: {record.withheld}",) if record.withheld else ()
    return (*marks, record.waits) if record.waits else marks
