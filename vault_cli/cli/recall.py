"""`list` and `show`. May import everything below `cli`."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable
from typing import Any

import typer

from vault_cli.cli import flags
from vault_cli.cli.filters import make_filter
from vault_cli.cli.invocation import Invocation
from vault_cli.cli.output import View, is_terminal
from vault_cli.cli.views import full_data, list_lines, record_data, show_lines
from vault_cli.model.record import Record


def list_records(
    ctx: typer.Context,
    kind: flags.Kinds = None,
    status: flags.Statuses = None,
    topic: flags.Topics = None,
    scope: flags.Scopes = None,
    view: flags.TimeView = "",
    valid_at: flags.ValidAt = "",
    known_at: flags.KnownAt = "",
) -> int:
    """List records: id, status, kind, title.

    All statuses are listed, whatever their period, unless a view or a time is asked for. Files
    that cannot be read are named on stderr, and in `diagnostics` of --json.

    Examples:
      mvault list
      mvault list --status candidate --kind lesson
      mvault list --view historical --valid-at 2026-07-15
      mvault list --known-at HEAD~3
    """
    inv: Invocation = ctx.obj
    if not (view or valid_at or known_at):
        snapshot = inv.reading.snapshot()
        test = make_filter(snapshot.records, kind, status, topic, scope)
        records = [record for record in snapshot.records if test(record)]
        inv.warn_unreadable(snapshot)
        return _show_list(inv, records, snapshot.diagnostics, snapshot.unreadable)
    from vault_cli.cli.clocks import (
        aside_of,
        item_data,
        note_forgotten,
        set_clocks,
        warn_unreadable,
    )
    from vault_cli.recall.views import why_not

    clocks = set_clocks(inv, view, valid_at, known_at)
    test = make_filter(clocks.snapshot.records, kind, status, topic, scope)
    records = [
        record
        for record in clocks.snapshot.records
        if not why_not(record, clocks.view, clocks.moment) and test(record)
    ]
    warn_unreadable(inv, clocks)
    return _show_list(
        inv,
        records,
        clocks.snapshot.diagnostics,
        clocks.snapshot.unreadable,
        aside=lambda record: aside_of(record, clocks),
        item=lambda record: item_data(record, clocks),
        notes=note_forgotten(clocks, {record.id for record in records}),
        more={"clocks": clocks.as_data()},
    )


def _show_list(
    inv: Invocation,
    records: list[Record],
    diagnostics: Any,
    unreadable: tuple[str, ...],
    *,
    aside: Callable[[Record], str] | None = None,
    item: Callable[[Record], dict[str, Any]] = record_data,
    notes: tuple[str, ...] = (),
    more: dict[str, Any] | None = None,
) -> int:
    width = shutil.get_terminal_size().columns if is_terminal(sys.stdout) else 0
    return inv.out.show(
        View(
            lambda: {
                "records": [item(record) for record in records],
                "counts": {"records": len(records), "unreadable": len(unreadable)},
                "unreadable": list(unreadable),
                **(more or {}),
            },
            lambda: list_lines(records, width=width, aside=aside),
            diagnostics=diagnostics,
            notes=(*notes, *(() if records else ("no records",))),
            listed=True,
        )
    )


def show(
    ctx: typer.Context,
    record_id: flags.AnyId,
    view: flags.TimeView = "",
    valid_at: flags.ValidAt = "",
    known_at: flags.KnownAt = "",
) -> int:
    """Show one record: its head, its keys and its text.

    With --known-at it is the text of that time, and what became of it since; with --valid-at or
    --view also whether it is an answer there, and why not.

    Examples:
      mvault show l-7k3qd2m
      mvault show memories/2026-11/some-note.md
      mvault show l-7k --known-at 2026-07-15
      mvault --json show l-7k
    """
    inv: Invocation = ctx.obj
    timed = _Timed(inv, view, valid_at, known_at) if view or valid_at or known_at else None
    record = timed.find(record_id) if timed else inv.find(record_id)
    notes = []
    if record.held_by:
        codes = ", ".join(sorted({found.code for found in record.held_by}))
        notes.append(f"held from the render: {codes} (a person allows it with `allow: [{codes}]`)")
    if record.written_status is not record.status:
        notes.append(f"status {record.written_status} in the file counts as {record.status} here")
    more = timed.explain(record) if timed else {}
    return inv.out.show(
        View(
            lambda: {**full_data(record), **more},
            lambda: show_lines(record),
            notes=[*notes, *(more.get("since", ())), *(timed.words if timed else ())],
            diagnostics=record.findings,
        )
    )


class _Timed:
    """What `show` says about time: which text, whether it holds, what became of it."""

    def __init__(self, inv: Invocation, view: str, valid_at: str, known_at: str) -> None:
        from vault_cli.cli.clocks import set_clocks

        self.inv = inv
        self.clocks = set_clocks(inv, view, valid_at, known_at)
        self.words: list[str] = []

    def find(self, text: str) -> Record:
        """Return the record as it was known then."""
        from vault_cli.cli.clocks import find_record

        return find_record(self.inv, self.clocks, text)

    def explain(self, record: Record) -> dict[str, Any]:
        """Return what `--json` adds, and keep the words for the status line."""
        from vault_cli.cli.clocks import SHORT, changes_since
        from vault_cli.recall.views import why_not

        clocks = self.clocks
        since = changes_since(self.inv, record, clocks) if clocks.is_past else []
        if clocks.is_past:
            since.insert(0, f"as of commit {clocks.snapshot.commit[:SHORT]}")
        reason = why_not(record, clocks.view, clocks.moment)
        if clocks.view or clocks.moment:
            when = f" at {clocks.moment.isoformat(timespec='minutes')}" if clocks.moment else ""
            yes, no = "holds", "does not hold"
            if clocks.view:
                yes, no = (f"{word} the {clocks.view} view" for word in ("in", "not in"))
            self.words = [f"{no}{when}: {reason}" if reason else f"{yes}{when}"]
        judged = {"holds": not reason, "reason": reason}
        return {"clocks": {**clocks.as_data(), **judged}, "since": since}
