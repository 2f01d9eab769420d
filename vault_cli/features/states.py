"""What a record is on this day besides its status: derived, never stored. May import `model`.

`dormant` is told in lists, `show` and reviews only. It does not take a record out of a render:
the bytes of a block must not drift while nobody changes anything.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from vault_cli.model.record import ENDED, Record, Snapshot, Tally
from vault_cli.model.support import INTACT, Support, judge_support
from vault_cli.recall.retention import Aging, Dormancy

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

MATURE_HITS: Final = 3
CORE_HITS: Final = 5

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
    dormancy = Dormancy(Aging.at(now, rules.curve), rules.dormant_below, snapshot.tallies)
    found: dict[str, tuple[str, ...]] = {}
    for record in wanted:
        support = supports.get(record.id, _INTACT)
        states = [record.validity.state_at(now)]
        states += ["dormant"] if dormancy.holds(record) else []
        states += maturity_of(record, snapshot.tally(record.id))
        states += [support.state, *_anchor_state(record, rules)]
        told = tuple(state for state in states if state not in ("current", INTACT))
        if told:
            found[record.path] = told
    return found


_INTACT: Final = Support()


def _anchor_state(record: Record, rules: StateRules) -> tuple[str, ...]:
    if rules.blob_of is None or STALE not in dict(anchors_of(record, rules.blob_of)).values():
        return ()
    return (STALE,)


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
