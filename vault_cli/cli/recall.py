"""`list` and `show`. May import everything below `cli`."""

from __future__ import annotations

import shutil
import sys

import typer

from vault_cli.cli import flags
from vault_cli.cli.filters import check_scope, in_scope, one_of
from vault_cli.cli.invocation import Invocation
from vault_cli.cli.output import View, is_terminal
from vault_cli.cli.views import full_data, list_lines, record_data, show_lines
from vault_cli.model.record import Kind, Status


def list_records(
    ctx: typer.Context,
    kind: flags.Kinds = None,
    status: flags.Statuses = None,
    topic: flags.Topics = None,
    scope: flags.Scopes = None,
) -> int:
    """List records: id, status, kind, title.

    All statuses are listed. Files that cannot be read are named on stderr, and in `diagnostics`
    of --json.

    Examples:
      mvault list
      mvault list --status candidate --kind lesson
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
    width = shutil.get_terminal_size().columns if is_terminal(sys.stdout) else 0
    notes = () if records else ("no records",)
    inv.warn_unreadable(snapshot)
    return inv.out.show(
        View(
            lambda: {
                "records": [record_data(record) for record in records],
                "counts": {"records": len(records), "unreadable": len(snapshot.unreadable)},
                "unreadable": list(snapshot.unreadable),
            },
            lambda: list_lines(records, width=width),
            diagnostics=snapshot.diagnostics,
            notes=notes,
            listed=True,
        )
    )


def show(
    ctx: typer.Context,
    record_id: flags.AnyId,
) -> int:
    """Show one record: its head, its keys and its text.

    Examples:
      mvault show l-7k3qd2m
      mvault show memories/2026-11/some-note.md
      mvault --json show l-7k
    """
    inv: Invocation = ctx.obj
    record = inv.find(record_id)
    notes = []
    if record.held_by:
        codes = ", ".join(sorted({found.code for found in record.held_by}))
        notes.append(f"held from the render: {codes} (a person allows it with `allow: [{codes}]`)")
    if record.written_status is not record.status:
        notes.append(f"status {record.written_status} in the file counts as {record.status} here")
    return inv.out.show(
        View(
            lambda: full_data(record),
            lambda: show_lines(record),
            notes=notes,
            diagnostics=record.findings,
        )
    )
