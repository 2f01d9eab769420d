"""`capture status|sessions|list|show|draft|drop|retry`. May import everything below `cli`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from vault_cli.cli import flags
from vault_cli.cli.app import PanelCommand
from vault_cli.cli.capture_draft import ItemId, draft
from vault_cli.cli.capture_sessions import Hosts, SinceDay, now_of, read_hosts, read_since, sessions
from vault_cli.cli.capture_views import is_veiled, item_data, item_lines
from vault_cli.cli.capture_waiting import count_unread
from vault_cli.cli.invocation import Invocation
from vault_cli.cli.output import Line, View
from vault_cli.cli.views import plural
from vault_cli.errors import UsageError
from vault_cli.store.places import state_folder
from vault_cli.store.queue import DEAD, DRAFTED, DROPPED, STATES, WAITING, WATCHED, Queue
from vault_cli.store.queue_place import look_in, open_queue
from vault_cli.store.spool import look

_MOST_NAMED = 20

capture = typer.Typer(
    add_completion=False,
    rich_markup_mode=None,
    no_args_is_help=False,
    help="Collect what sessions may teach: corrections, repeated errors, what fixed a failure.\n\n"
    "Example: mvault capture sessions",
)

ItemIds = Annotated[
    list[str], typer.Argument(metavar="ITEM...", help="Ids of items, or their beginnings.")
]
SomeItems = Annotated[
    list[str] | None, typer.Argument(metavar="[ITEM...]", help="Ids of items; none: all.")
]


@capture.callback()
def capture_group() -> None:
    """Collect what sessions may teach: corrections, repeated errors, what fixed a failure.

    Nothing is asked of a model. What is found waits in a queue on this machine, outside of git;
    `capture draft` makes a proposal of it.

    Examples:
      mvault capture sessions
      mvault capture list
    """


@capture.command("status", cls=PanelCommand)
def status(ctx: typer.Context) -> int:
    """Say what waits in the queue, what failed too often, and how far the logs were read.

    Examples:
      mvault capture status
    """
    inv: Invocation = ctx.obj
    state = state_folder()
    with look_in(state) as queue:
        data = {**queue_data(queue, state), "unread": count_unread(inv, queue.logs())}
        failed = [row for row in queue.logs() if row.last_error]
    data["failed"] = [
        {
            "path": row.path,
            "error": row.last_error,
            "attempts": row.attempts,
            "dead": bool(row.dead),
        }
        for row in failed
    ]

    def lines() -> Iterator[Line]:
        counts = data["counts"]
        yield f"waiting: {counts[WAITING]}" + _of_kinds(data["kinds"])
        yield f"dead letters: {counts[DEAD]} items, {data['dead_logs']} logs"
        yield f"drafted: {counts[DRAFTED]}; dropped: {counts[DROPPED]}; watched: {counts[WATCHED]}"
        spooled = plural(data["spool"]["files"], "file")
        yield f"logs read: {data['logs']}; not looked at yet: {data['unread']}"
        yield f"spooled events not taken in: {spooled}"
        for row in data["failed"][:_MOST_NAMED]:
            yield [("yellow", f"{row['path']}: {row['error']}")]

    hints = []
    if data["unread"]:
        hints.append("`mvault capture sessions` reads them.")
    elif data["spool"]["files"]:
        hints.append("`mvault capture sessions` takes in what the hooks took down.")
    if data["counts"][WAITING]:
        hints.append("`mvault capture list` shows what waits.")
    if data["counts"][DEAD] or data["dead_logs"]:
        hints.append("`mvault capture retry` tries the dead letters again.")
    return inv.out.show(View(data, lines, notes=_place_notes(data), hints=hints))


def queue_data(queue: Queue, state: Path) -> dict[str, Any]:
    """Return the numbers of the queue, as `capture status` and `status` tell them."""
    rows, waits = queue.logs(), look(state)
    kinds = Counter(item.kind for item in queue.items(WAITING))
    return {
        "counts": queue.counts(),
        "kinds": dict(sorted(kinds.items())),
        "logs": sum(bool(row.read_at) for row in rows),
        "dead_logs": sum(bool(row.dead) for row in rows),
        "spool": {"files": waits.files, "bytes": waits.size, "spare": waits.spare},
        "spare": queue.spare,
        "place": str(queue.path or ""),
    }


def _of_kinds(kinds: dict[str, int]) -> str:
    return f" ({', '.join(f'{kind} {number}' for kind, number in kinds.items())})" if kinds else ""


def _place_notes(data: dict[str, Any]) -> list[str]:
    notes = []
    if data["spare"]:
        notes.append(f"the state folder cannot be written; the queue is kept in {data['place']}")
    elif data["spool"]["spare"]:
        notes.append("events were spooled in the temporary folder: the state folder was read-only")
    return notes


capture.command("sessions", cls=PanelCommand)(sessions)


@capture.command("list", cls=PanelCommand)
def list_items(
    ctx: typer.Context,
    kind: Annotated[
        list[str] | None,
        typer.Option("--kind", help="correction, repeated-error, failed-then-fixed (repeatable)."),
    ] = None,
    state: Annotated[
        list[str] | None,
        typer.Option("--state", help=f"{', '.join(STATES)} (repeatable; default: waiting, dead)."),
    ] = None,
    host: Hosts = None,
    since: SinceDay = "",
    limit: flags.Limit = 50,
) -> int:
    """List what waits in the queue, the newest first.

    Examples:
      mvault capture list
      mvault capture list --kind correction --since 2026-11-01
      mvault capture list --state dead
    """
    from vault_cli.features.capture import KINDS

    inv: Invocation = ctx.obj
    _require_known("--kind", kind, KINDS)
    _require_known("--state", state, STATES)
    hosts = set(read_hosts(host)) if host else set()
    start = int(read_since(since, now_of(inv)).timestamp()) if since else 0
    with look_in(state_folder()) as queue:
        found = [
            item
            for item in queue.items(*(state or (WAITING, DEAD)))
            if (not kind or item.kind in kind)
            and (not hosts or item.host in hosts)
            and item.last >= start
        ]
        counts = {item.id: len(queue.sightings(item.id)) for item in found[: limit or None]}
    shown, veil = found[: limit or None], is_veiled(inv)
    data = {
        "items": [{**item_data(item, veil=veil), "seen": counts[item.id]} for item in shown],
        "total": len(found),
    }
    notes = [] if found else ["nothing waits"]
    if len(shown) < len(found):
        notes.append(f"{len(found) - len(shown)} more (--limit 0 shows all)")
    hints = ["`mvault capture show ITEM` shows one whole."] if found else []
    if look(state_folder()).files:
        hints.append("Hooks took events down: `mvault capture sessions` takes them in.")
    return inv.out.show(
        View(data, lambda: item_lines(shown, counts, veil=veil), notes=notes, hints=hints)
    )


def _require_known(option: str, given: Sequence[str] | None, known: Sequence[str]) -> None:
    for word in given or ():
        if word not in known:
            raise UsageError(f"{option} {word}: unknown", hint=f"Known: {', '.join(known)}.")


@capture.command("show", cls=PanelCommand)
def show_item(ctx: typer.Context, item_id: ItemId) -> int:
    """Show one item whole: what was said, what came before it, and the sessions it was seen in.

    Examples:
      mvault capture show q-7k3qd2m
    """
    inv: Invocation = ctx.obj
    with look_in(state_folder()) as queue:
        item = queue.find(item_id)
        seen = queue.sightings(item.id)
    veil = is_veiled(inv)
    data = {**item_data(item, veil=veil), "sightings": [one._asdict() for one in seen]}

    def lines() -> Iterator[Line]:
        yield f"{item.id}  {item.kind}  {item.state}"
        if item.cwd:
            yield [("dim", "in: "), item.cwd]
        for one in seen[-_MOST_NAMED:]:
            yield [("dim", "seen: "), f"{one.host} {one.session} {one.start}..{one.end}"]
        if item.record:
            yield [("dim", "became: "), item.record]
        if item.last_error:
            yield [("yellow", f"attempt {item.attempts}: {item.last_error}")]
        yield ""
        yield from data["text"].split("\n")
        for key, value in data["detail"].items():
            if isinstance(value, str) and value and key not in {"template", "sentence"}:
                yield ""
                yield [("dim", f"{key}: "), *_first_line(value)]
                yield from (f"  {line}" for line in value.split("\n")[1:])

    hints = (f"A proposal of it: mvault capture draft {item.id}",) if item.state == WAITING else ()
    return inv.out.show(View(data, lines, hints=hints))


def _first_line(value: str) -> tuple[str]:
    return (value.split("\n", 1)[0],)


capture.command("draft", cls=PanelCommand)(draft)


@capture.command("drop", cls=PanelCommand)
def drop(ctx: typer.Context, items: ItemIds) -> int:
    """Take items out of the queue for good. They do not come back when they are seen again.

    Examples:
      mvault capture drop q-7k3qd2m
    """
    inv: Invocation = ctx.obj
    with look_in(state_folder()) as queue:
        found = [queue.find(text) for text in items]
    ids = [item.id for item in found if item.state != DROPPED]
    data = {"ids": ids, "changed": bool(ids), "applied": not inv.options.dry_run}
    if inv.options.dry_run:
        data["dry_run"] = True
        return inv.out.show(View(data, lambda: ids, notes=("dry run, nothing written",)))
    if ids:
        with open_queue(state_folder()) as queue:
            queue.drop(ids)
    note = f"dropped {plural(len(ids), 'item')}" if ids else "nothing to do: dropped already"
    return inv.out.show(View(data, lambda: ids, notes=(note,)))


@capture.command("retry", cls=PanelCommand)
def retry(ctx: typer.Context, items: SomeItems = None) -> int:
    """Let dead letters be tried again, and what waits after a failure at once.

    Without an item: all of them, and the logs that could not be read.

    Examples:
      mvault capture retry
      mvault capture retry q-7k3qd2m
    """
    inv: Invocation = ctx.obj
    with look_in(state_folder()) as queue:
        ids = [queue.find(text).id for text in items or ()]
    if inv.options.dry_run:
        data = {"ids": ids, "changed": False, "dry_run": True}
        return inv.out.show(View(data, lambda: ids, notes=("dry run, nothing written",)))
    with open_queue(state_folder()) as queue:
        number = queue.retry(ids)
    note = f"{number} to be tried again" if number else "nothing to do: nothing failed"
    return inv.out.show(
        View({"ids": ids, "retried": number, "changed": bool(number)}, notes=(note,))
    )
