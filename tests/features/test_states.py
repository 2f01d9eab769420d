from __future__ import annotations

from datetime import UTC, datetime, timedelta
from types import MappingProxyType
from typing import Any

import pytest

from vault_cli.features.states import (
    STATES,
    StateRules,
    all_states,
    states_of,
)
from vault_cli.model.anchors import Anchor, Verdict
from vault_cli.model.record import Kind, Record, Snapshot, Status, Tally
from vault_cli.model.validity import Validity

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)


def record(key: str = "f-1", kind: str = "fact", **values: Any) -> Record:
    status = Status(values.pop("status", "active"))
    return Record(key, Kind(kind), values.pop("path", f"memories/{key}.md"), "", status, "T", "T.\n",
                  fields=MappingProxyType(values.pop("fields", {})), **values)  # fmt: skip


def of(one: Record, tally: Tally | None = None, **rules: Any) -> tuple[str, ...]:
    snapshot = Snapshot(records=(one,), tallies={one.id: tally} if tally else {})
    return states_of(one, snapshot, NOW, StateRules(**rules))


def days_ago(days: int) -> str:
    return (NOW - timedelta(days=days)).isoformat()


def test_a_fresh_record_has_no_state() -> None:
    assert of(record(created=days_ago(1))) == ()
    assert of(record()) == (), "nobody knows how old it is"


def test_time_of_validity() -> None:
    later, over = NOW.date() + timedelta(days=1), NOW.date() - timedelta(days=1)
    assert of(record(validity=Validity(later, None))) == ("scheduled",)
    assert of(record(validity=Validity(None, over))) == ("expired",)
    assert of(record(validity=Validity(None, NOW.date()))) == (), "the last day counts"
    assert of(record(validity=Validity(None, over), status="superseded")) == ()


def test_a_use_starts_the_time_again() -> None:
    old = record(created=days_ago(2000))
    assert of(old) == ("dormant",)
    assert of(old, Tally(last_used=days_ago(3))) == ()
    assert of(record(created="unreadable")) == ()


@pytest.mark.parametrize("kind", ["rule", "failure", "preference", "persona"])
def test_what_does_not_fade(kind: str) -> None:
    assert of(record(kind=kind, created=days_ago(5000))) == ()


def test_a_correction_or_what_is_not_in_force_is_not_dormant() -> None:
    assert of(record(created=days_ago(5000), correction=True)) == ()
    assert of(record(created=days_ago(5000), status="candidate")) == ()


def test_presets_and_the_threshold_are_settings() -> None:
    month = record(created=days_ago(31))
    assert of(month) == ()
    assert of(month, curve="exponential") == ("dormant",)
    assert of(record(created=days_ago(5000)), dormant_below=0) == ()
    assert of(month, dormant_below=95) == ("dormant",)


def test_maturity_needs_hits_and_no_harm() -> None:
    assert of(record(), Tally(hits=2)) == ()
    assert of(record(hits=2), Tally(hits=1)) == ("mature",)
    assert of(record(), Tally(hits=5, helpful=2, harmful=1)) == ("mature", "core")
    assert of(record(), Tally(hits=9, helpful=1, harmful=1)) == ()
    assert of(record(status="candidate"), Tally(hits=9)) == ()


def test_support_is_told_for_what_has_not_ended() -> None:
    a, b = (
        record("a", derived_from=("gone",)),
        record("b", derived_from=("gone",), status="rejected"),
    )
    c = record("c", derived_from=("a", "d"))
    found = all_states(Snapshot(records=(a, b, c, record("d"))), NOW)
    assert found == {("", "memories/a.md"): ("orphaned",), ("", "memories/c.md"): ("weakened",)}


def test_a_record_whose_code_has_changed_is_stale() -> None:
    one = record(fields={"anchors": [{"path": "a.json", "blob": "3b18e51"}]})
    judged = lambda state: lambda _: [(Anchor("a.json", "3b18e51"), Verdict(state))]  # noqa: E731
    assert of(one, judge=judged("stale")) == ("stale",)
    assert of(one, judge=judged("fresh")) == of(one, judge=judged("unverifiable")) == ()
    assert of(one) == (), "nobody looked"
    assert of(record(), judge=judged("stale")) == (), "it names no code, so nobody looks"


def test_the_order_of_states_is_the_documented_one() -> None:
    one = record(
        created=days_ago(5000), validity=Validity(None, NOW.date() - timedelta(days=9)),
        derived_from=("gone",), fields={"anchors": {"path": "a", "blob": "3b18e51"}},
    )  # fmt: skip
    found = of(one, Tally(), judge=lambda _: [(Anchor("a"), Verdict("stale"))])
    assert found == ("expired", "dormant", "orphaned", "stale")
    assert sorted(found, key=STATES.index) == list(found)
