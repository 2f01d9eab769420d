"""`list` and `show`. May import everything below `cli`."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator
from typing import Annotated

import typer

from vault_cli.cli import flags
from vault_cli.cli.filters import check_scope, in_scope, one_of
from vault_cli.cli.invocation import Invocation
from vault_cli.cli.output import Line, View, is_terminal
from vault_cli.cli.views import full_data, list_lines, record_data, show_lines
from vault_cli.errors import UsageError
from vault_cli.model.record import Kind, Record, Status


def list_records(
    ctx: typer.Context,
    kind: flags.Kinds = None,
    status: flags.Statuses = None,
    topic: flags.Topics = None,
    scope: flags.Scopes = None,
    state: flags.States = None,
    states: flags.WithStates = False,
) -> int:
    """List records: id, status, kind, title.

    All statuses are listed. What a record is on this day besides (scheduled, expired, dormant,
    mature, core, weakened, orphaned, stale) is derived: --states shows it. Files that cannot be
    read are named on stderr, and in `diagnostics` of --json.

    Examples:
      mvault list
      mvault list --status candidate --kind lesson
      mvault list --state orphaned --state stale
      mvault --json list --topic ci
    """
    from vault_cli.recall.topics import TopicTable

    inv: Invocation = ctx.obj
    kinds = {one_of(Kind, text, "kind") for text in kind or ()}
    statuses = {one_of(Status, text, "status") for text in status or ()}
    for text in scope or ():
        check_scope(text)
    snapshot = inv.reading.snapshot()
    table = TopicTable(snapshot.records)
    topics = set(map(table.key, topic or ()))
    records = [
        record
        for record in snapshot.records
        if (not kinds or record.kind in kinds)
        and (not statuses or record.status in statuses)
        and (not topics or topics & table.keys(record))
        and (not scope or any(in_scope(record, text) for text in scope))
    ]
    derived = _DerivedStates(inv)
    if state:
        asked = {_known_state(text) for text in state}
        records = [r for r in records if asked.intersection(derived.of(r))]
    shown = derived.of if state or states else None
    width = shutil.get_terminal_size().columns if is_terminal(sys.stdout) else 0
    notes = () if records else ("no records",)
    inv.warn_unreadable(snapshot)
    return inv.out.show(
        View(
            lambda: {
                "records": [record_data(record) for record in records],
                "states": {r.id: list(derived.of(r)) for r in records if derived.of(r)},
                "counts": {"records": len(records), "unreadable": len(snapshot.unreadable)},
                "unreadable": list(snapshot.unreadable),
            },
            lambda: list_lines(records, width=width, states_of=shown),
            diagnostics=snapshot.diagnostics,
            notes=notes,
            listed=True,
        )
    )


def _known_state(text: str) -> str:
    from vault_cli.features.states import STATES

    name = text.strip().lower()
    if name not in STATES:
        raise UsageError(f"unknown state: {text}", hint=f"Known: {', '.join(STATES)}.")
    return name


class _DerivedStates:
    """The derived states of all records, worked out when somebody first asks."""

    def __init__(self, inv: Invocation) -> None:
        self._inv = inv
        self._found: dict[str, tuple[str, ...]] | None = None

    def of(self, record: Record) -> tuple[str, ...]:
        if self._found is None:
            from vault_cli.cli.provenance import state_rules
            from vault_cli.features.states import all_states

            inv = self._inv
            self._found = all_states(inv.whole_snapshot(), inv.now, state_rules(inv))
        return self._found.get(record.path, ())


def show(
    ctx: typer.Context,
    record_id: flags.AnyId,
    provenance: Annotated[
        bool,
        typer.Option("--provenance", help="What it rests on, what rests on it, who changed it."),
    ] = False,
) -> int:
    """Show one record: its head, its keys and its text.

    With --provenance also its evidence and verification, the records it rests on and their
    statuses, what rests on it, its versions, and the commits that changed it.

    Examples:
      mvault show l-7k3qd2m
      mvault show memories/2026-11/some-note.md
      mvault show l-7k3qd2m --provenance
      mvault --json show l-7k
    """
    from vault_cli.cli.provenance import provenance_data, provenance_lines, state_rules
    from vault_cli.features.states import states_of

    inv: Invocation = ctx.obj
    record = inv.find(record_id)
    states = states_of(record, inv.snapshot, inv.now, state_rules(inv))
    notes = []
    if record.held_by:
        codes = ", ".join(sorted({found.code for found in record.held_by}))
        notes.append(f"held from the render: {codes} (a person allows it with `allow: [{codes}]`)")
    if record.written_status is not record.status:
        notes.append(f"status {record.written_status} in the file counts as {record.status} here")
    story = {"provenance": provenance_data(inv, record)} if provenance else {}

    def lines() -> Iterator[Line]:
        yield from show_lines(record, states)
        if provenance:
            yield ""
            yield from provenance_lines(story["provenance"])

    return inv.out.show(
        View(
            lambda: {**full_data(record), "states": list(states), **story},
            lines,
            notes=notes,
            diagnostics=record.findings,
        )
    )
