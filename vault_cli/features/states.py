"""What a record is on this day besides its status: derived, never stored. May import `model`.

`dormant` is told in lists, `show` and reviews only. It does not take a record out of a render:
the bytes of a block must not drift while nobody changes anything.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from vault_cli.errors import UsageError
from vault_cli.model.record import ENDED, Kind, Record, Snapshot, Tally
from vault_cli.model.support import INTACT, Support, judge_support
from vault_cli.text.values import day_of

STATES: Final = (
    "scheduled",
    "expired",
    "dormant",
    "mature",
    "core",
    "weakened",
    "orphaned",
    "stale",
)
"""Every derived state, in the order they are told."""

FRESH: Final = "fresh"
STALE: Final = "stale"
UNVERIFIABLE: Final = "unverifiable"

CURVES: Final = ("power", "exponential", "buckets")
FLOOR: Final = 0.2
MATURE_HITS: Final = 3
CORE_HITS: Final = 5

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

_NEVER_FADE: Final = frozenset({Kind.RULE, Kind.FAILURE, Kind.PREFERENCE, Kind.PERSONA})
_BUCKETS: Final = ((7, 1.0), (30, 0.8), (90, 0.6), (180, 0.4))
_BLOB_DIGITS: Final = (7, 40)
"""A shorter hash says too little; a longer one is of another kind (SHA-256 repositories)."""


BlobOf = Callable[[Record, str], str | None]
"""Gives the blob hash of a record's anchored file as it is now: "" when there is no such file,
None when nobody can say (no checkout at hand)."""


@dataclass(frozen=True, slots=True)
class StateRules:
    """How states are derived.

    Args:
        curve: a member of `CURVES`.
        dormant_below: retention in percent below which a record is dormant; 0 = never.
        blob_of: port to the code that anchors speak about; None: anchors cannot be judged.
    """

    curve: str = "power"
    dormant_below: int = 50
    blob_of: BlobOf | None = None


DEFAULTS: Final = StateRules()


def states_of(
    record: Record, snapshot: Snapshot, now: datetime, rules: StateRules = DEFAULTS
) -> tuple[str, ...]:
    """Return the derived states of one record.

    Args:
        record: the record.
        snapshot: the vault it is from (counters, and what it rests on).
        now: aware instant in the vault's time zone.
        rules: see `StateRules`.
    """
    return all_states(snapshot, now, rules, (record,)).get(record.path, ())


def all_states(
    snapshot: Snapshot,
    now: datetime,
    rules: StateRules = DEFAULTS,
    records: tuple[Record, ...] | None = None,
) -> dict[str, tuple[str, ...]]:
    """Return the derived states of records by path; those without any are left out.

    Args:
        snapshot: the vault.
        now: aware instant in the vault's time zone.
        rules: see `StateRules`.
        records: of whom (all by default).
    """
    wanted = [r for r in (records or snapshot.records) if r.status not in ENDED]
    supports = judge_support(snapshot, wanted)
    found: dict[str, tuple[str, ...]] = {}
    for record in wanted:
        support = supports.get(record.id, _INTACT)
        states = _states(record, snapshot.tally(record.id), support, now, rules)
        if states:
            found[record.path] = states
    return found


_INTACT: Final = Support()


def _states(
    record: Record, tally: Tally, support: Support, now: datetime, rules: StateRules
) -> tuple[str, ...]:
    states = [record.validity.state_at(now)]
    if is_dormant(record, tally, now, rules):
        states.append("dormant")
    states += maturity_of(record, tally)
    states.append(support.state)
    if rules.blob_of is not None and STALE in dict(anchors_of(record, rules.blob_of)).values():
        states.append(STALE)
    return tuple(state for state in states if state not in ("current", INTACT))


def retention(record: Record, tally: Tally, now: datetime, curve: str = "power") -> float:
    """Return how much of a record is still at hand, from 0.2 to 1.

    `power`: (1 + 19/81 · t/S)^-0.5, the forgetting curve that is 0.9 at t = S; S is the strength
    of the kind times (1 + good uses). `exponential`: 0.995^hours. `buckets`: 1, 0.8, 0.6, 0.4 up
    to 7, 30, 90, 180 days. t is counted from the last use, else from the creation; a record
    without either has not faded. Rules, failures, preferences and persona never fade.

    Raises:
        UsageError: there is no such curve.
    """
    if curve not in CURVES:
        raise UsageError(f"unknown curve {curve!r}", hint=f"Use one of: {', '.join(CURVES)}.")
    days = _idle_days(record, tally, now)
    if record.kind in _NEVER_FADE or record.required or days is None:
        return 1.0
    if curve == "exponential":
        return max(FLOOR, float(0.995 ** min(days * 24, 10_000)))
    if curve == "buckets":
        return next((value for limit, value in _BUCKETS if days <= limit), FLOOR)
    good = tally.hits + record.hits + tally.helpful + tally.succeeded
    strength = _STRENGTH.get(record.kind, _USUAL_STRENGTH) * (1 + good)
    return max(FLOOR, float((1 + 19 / 81 * days / strength) ** -0.5))


def _idle_days(record: Record, tally: Tally, now: datetime) -> int | None:
    """Return the whole calendar days since the last use; the time of day plays no part."""
    for text in (tally.last_used, record.created):
        day = day_of(text, now)
        if day is not None:
            return max(0, (now.date() - day).days)
    return None


def is_dormant(record: Record, tally: Tally, now: datetime, rules: StateRules = DEFAULTS) -> bool:
    """Tell whether a record in force has not been used for so long that it has faded."""
    if not record.in_force or record.correction:
        return False
    return retention(record, tally, now, rules.curve) * 100 < rules.dormant_below


def maturity_of(record: Record, tally: Tally) -> tuple[str, ...]:
    """Return `mature` (3 hits) and `core` (5) of a record in force that is not judged harmful."""
    hits = tally.hits + record.hits
    judged = tally.helpful + tally.harmful
    liked = judged == 0 or tally.harmful < tally.helpful
    if not (record.in_force and liked and hits >= MATURE_HITS):
        return ()
    return ("mature", "core") if hits >= CORE_HITS else ("mature",)


def anchors_of(record: Record, blob_of: BlobOf | None) -> list[tuple[str, str]]:
    """Return each anchor's path and whether it is `fresh`, `stale` or `unverifiable`.

    An anchor is fresh while the file has the blob hash it names (it may be shortened to 7
    digits), stale when it has another one or is gone, and unverifiable when it names no hash or
    there is no checkout to look into.
    """
    value = record.fields.get("anchors") if "anchors" in record.fields else None
    entries = value if isinstance(value, list) else [value] if isinstance(value, Mapping) else []
    found = []
    for entry in entries:
        path = entry.get("path") if isinstance(entry, Mapping) else None
        if isinstance(path, str) and path.strip():
            found.append((path.strip(), _freshness(record, entry, path.strip(), blob_of)))
    return found


def _freshness(record: Record, entry: Mapping[str, Any], path: str, blob_of: BlobOf | None) -> str:
    said = str(entry.get("blob") or "").strip().lower().rstrip("…. ")
    if blob_of is None or not _BLOB_DIGITS[0] <= len(said) <= _BLOB_DIGITS[1]:
        return UNVERIFIABLE
    blob = blob_of(record, path)
    if blob is None:
        return UNVERIFIABLE
    return FRESH if blob and blob.startswith(said) else STALE
