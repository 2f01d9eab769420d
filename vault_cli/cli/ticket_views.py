"""Lists of tickets, and one ticket whole. May import everything below `cli`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from vault_cli.cli.invocation import Invocation
from vault_cli.cli.output import Line, View, inline
from vault_cli.cli.views import UNSEEN

if TYPE_CHECKING:
    from vault_cli.features.ticket_records import Board, Ticket


def tickets_view(
    inv: Invocation, board: Board, found: Sequence[Ticket], limit: int, nothing: str
) -> View:
    """Return a list of tickets.

    Args:
        inv: the run.
        board: all tickets.
        found: those that are listed.
        limit: most of them; 0: all.
        nothing: what is said when there is none.
    """
    from vault_cli.features.tickets import ticket_data

    shown = found[:limit] if limit else found
    today = inv.now.date()
    rows = [ticket_data(item, board, today) for item in shown]
    notes = [] if found else [nothing]
    if len(shown) < len(found):
        notes.append(f"{len(shown)} of {len(found)} (--limit 0 shows all)")
    data = {"records": rows, "total": len(found)}
    return View(data, lambda: map(_line, rows), notes=notes, listed=True)


_STYLES = {"doing": "yellow", "review": "cyan", "done": "green"}


def _line(row: dict[str, Any]) -> Line:
    marks = []
    if row["due"]:
        marks.append(f"{'overdue, ' if row['overdue'] else ''}due {row['due']}")
    if row["missing"] and row["stage"] != "done":
        marks.append(f"waits for {', '.join(item['id'] for item in row['missing'])}")
    if row["topics"]:
        marks.append(", ".join(row["topics"]))
    if row["unseen"]:
        marks.append(UNSEEN)
    aside = f"  ({inline('; '.join(marks))})" if marks else ""
    return [
        f"{inline(row['id'])}  ",
        (_STYLES.get(row["stage"], "dim"), f"{row['stage']:<6}"),
        f"  {inline(row['title'])}",
        ("red" if row["overdue"] else "dim", aside),
    ]


def whole_lines(row: dict[str, Any]) -> Iterator[Line]:
    """Yield a ticket whole, from its JSON shape with `waiting` and `tasks`."""
    yield [("bold", inline(row["title"]))]
    yield [
        row["id"],
        "  ",
        (_STYLES.get(row["stage"], "dim"), row["stage"]),
        ("dim", f"  next: {row['next_move']}"),
    ]
    if row["unseen"]:
        yield [("yellow", UNSEEN)]
    for name in ("deliverable", "due", "external"):
        if row[name]:
            late = "  (overdue)" if name == "due" and row["overdue"] else ""
            yield [("dim", f"{name}: "), inline(row[name]), ("red", late)]
    if row["topics"]:
        yield [("dim", "topics: "), inline(", ".join(row["topics"]))]
    missing = {item["id"]: item for item in row["missing"]}
    for key in row["depends_on"]:
        state = f"missing: {missing[key]['state']}" if key in missing else "done"
        title = missing[key]["title"] if key in missing else ""
        yield [("dim", "depends on: "), inline(f"{key} {title}".strip()), f" ({state})"]
    for item in row["waiting"]:
        yield [("dim", "waits for it: "), inline(f"{item['id']} {item['title']}")]
    for item in row["tasks"]:
        yield [("dim", "task: "), inline(f"{item['id']} {item['title']}"), f" ({item['state']})"]
    if row["background"]:
        yield ""
        yield from row["background"].split("\n")
