"""How guards stand, as data and lines. May import everything below `cli`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from vault_cli.cli.output import Line, inline
from vault_cli.cli.views import brief_data
from vault_cli.errors import RefusedError

if TYPE_CHECKING:
    from vault_cli.cli.invocation import Invocation
    from vault_cli.features.guards import Standing


def guard_data(inv: Invocation, one: Standing, hits: dict[tuple[str, str], int]) -> dict[str, Any]:
    """Return what `--json` says about a guard."""
    from vault_cli.cli.guard_compile import vault_of
    from vault_cli.store.guard_index import load_index, off_until

    record, found = one.record, one.guard
    root = str(vault_of(inv, record).root)
    off = off_until(load_index(), root, record.id, inv.now.timestamp())
    return {
        **brief_data(record),
        "state": one.state,
        "why": one.why,
        "action": one.action,
        "match": found.match if found else "",
        "tools": list(found.tools) if found else [],
        "field": found.field if found else "",
        "written_action": found.action if found else "",
        "instead": found.instead if found else "",
        "cooldown": found.cooldown if found else 0,
        "examples": {"hit": list(found.hit), "miss": list(found.miss)} if found else {},
        "off_until": datetime.fromtimestamp(off, UTC).isoformat() if off else "",
        "hits": inv.reading.snapshot().tally(record.id).hits,
        "stopped_here": hits.get((record.id, "warn"), 0) + hits.get((record.id, "deny"), 0),
        "logged_here": hits.get((record.id, "log"), 0),
    }


def hits_here(inv: Invocation) -> dict[tuple[str, str], int]:
    """Return how often guards were hit on this machine, by id and action."""
    from vault_cli.errors import VaultError
    from vault_cli.store.failures import open_sightings, sightings_path

    found: dict[tuple[str, str], int] = {}
    if not sightings_path().exists():
        return found
    try:
        with open_sightings() as seen:
            for vault in inv.reading.vaults:
                found |= seen.count_hits(str(vault.root))
    except VaultError as error:
        inv.out.warn(error.message)
    return found


def find_standing(inv: Invocation, record_id: str) -> Standing:
    """Return how the guard of a record stands.

    Raises:
        RefusedError: the record has none. NotFoundError, UsageError: as `Invocation.find`.
    """
    from vault_cli.cli.guard_compile import judge_here

    record = inv.find(record_id)
    for one in judge_here(inv):
        if (one.record.id, one.record.path) == (record.id, record.path):
            return one
    if record.fields.get("guard") and record.has_effect:
        from vault_cli.cli.guarding import kept_out

        reason = kept_out(inv.vault, record)
        raise RefusedError(f"{record.id}: its text does not count here: {reason}")
    raise RefusedError(
        f"{record.id} has no guard",
        hint=f"Give it one: mvault guard add {record.id} --match WORDS",
    )


def guard_rows(rows: Sequence[dict[str, Any]]) -> Iterator[Line]:
    """Yield one line a guard, and why it does less than it says."""
    for row in rows:
        does = row["action"] or row["state"]
        off = " (switched off)" if row["off_until"] else ""
        yield [
            f"{row['id']}  {does:<8}  {inline(row['match'] or '-')}{off}",
            ("dim", f"  {inline(row['title'])}"),
        ]
        if row["why"]:
            yield [("yellow", f"    {row['state']}: {inline(row['why'])}")]


def guard_card(data: dict[str, Any]) -> Iterator[Line]:
    """Yield all there is to say of one guard."""
    from vault_cli.hook.reason import spell_seconds

    yield [("bold", data["id"]), f"  {inline(data['title'])}"]
    yield [("dim", "state: "), data["state"] + (f" ({inline(data['why'])})" if data["why"] else "")]
    if data["off_until"]:
        yield [("yellow", f"switched off until {data['off_until']}")]
    if not data["match"]:
        return
    field = f", field {inline(data['field'])}" if data["field"] else ""
    yield [("dim", "tools: "), inline(", ".join(data["tools"])) + field]
    yield [("dim", "match: "), inline(data["match"])]
    action = data["action"] or data["written_action"]
    again = f" (again after {spell_seconds(data['cooldown'])})" if action == "warn" else ""
    yield [("dim", "action: "), action + again]
    if data["instead"]:
        yield [("dim", "instead: "), inline(data["instead"])]
    for name, texts in data["examples"].items():
        for text in texts:
            yield [("dim", f"{name}: "), inline(text)]
    here = f"stopped {data['stopped_here']}, only logged {data['logged_here']}"
    yield [("dim", "hits: "), f"{data['hits']} (on this machine {here})"]
