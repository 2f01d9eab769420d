"""What a record is on this day besides its status: derived, never stored. May import `model`.

`dormant` is told in lists, `show` and reviews only. It does not take a record out of a render:
the bytes of a block must not drift while nobody changes anything.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Final

from vault_cli.features.anchors import Judge, is_stale
from vault_cli.model.anchors import STALE
from vault_cli.model.record import ENDED, Record, Snapshot, Tally
from vault_cli.model.support import INTACT, Support
from vault_cli.recall.retention import Aging, Dormancy
from vault_cli.recall.support import judge_supports

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

MATURE_HITS: Final = 3
CORE_HITS: Final = 5


@dataclass(frozen=True, slots=True)
class StateRules:
    """How states are derived.

    Args:
        curve: a member of `CURVES`.
        dormant_below: retention in percent below which a record is dormant; 0 = never.
        judge: port to the code that anchors speak about; None: they are not looked at.
    """

    curve: str = "power"
    dormant_below: int = 50
    judge: Judge | None = None


Key = tuple[str, str]
"""Name of the vault ("" when one is read) and path of a record."""

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
    return all_states(snapshot, now, rules, (record,)).get((record.vault, record.path), ())


def all_states(
    snapshot: Snapshot,
    now: datetime,
    rules: StateRules = DEFAULTS,
    records: tuple[Record, ...] | None = None,
) -> dict[Key, tuple[str, ...]]:
    """Return the derived states of records by vault and path; those without any are left out.

    Args:
        snapshot: the vault.
        now: aware instant in the vault's time zone.
        rules: see `StateRules`.
        records: of whom (all by default).
    """
    wanted = [r for r in (records or snapshot.records) if r.status not in ENDED]
    supports = judge_supports(snapshot, wanted)
    dormancy = Dormancy(Aging.at(now, rules.curve), rules.dormant_below, snapshot.tallies)
    found: dict[Key, tuple[str, ...]] = {}
    for record in wanted:
        support = supports.get((record.vault, record.id), _INTACT)
        states = [record.validity.state_at(now)]
        states += ["dormant"] if dormancy.holds(record) else []
        states += maturity_of(record, snapshot.tally(record.id))
        states += [support.state, STALE if is_stale(record, rules.judge) else INTACT]
        told = tuple(state for state in states if state not in ("current", INTACT))
        if told:
            found[record.vault, record.path] = told
    return found


_INTACT: Final = Support()


def maturity_of(record: Record, tally: Tally) -> tuple[str, ...]:
    """Return `mature` (3 hits) and `core` (5) of a record in force that is not judged harmful."""
    hits = tally.hits + record.hits
    judged = tally.helpful + tally.harmful
    liked = judged == 0 or tally.harmful < tally.helpful
    if not (record.in_force and liked and hits >= MATURE_HITS):
        return ()
    return ("mature", "core") if hits >= CORE_HITS else ("mature",)
