"""`capture sessions`: read logs, take in events of hooks. May import everything below `cli`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from vault_cli.cli.capture_views import is_veiled, item_data, item_lines
from vault_cli.cli.invocation import Invocation
from vault_cli.cli.output import View
from vault_cli.cli.views import plural
from vault_cli.errors import NotFoundError, StoreError, UsageError, VaultError
from vault_cli.store.places import state_folder
from vault_cli.store.queue import Queue
from vault_cli.store.queue_base import Item
from vault_cli.store.queue_place import look_in, open_queue

if TYPE_CHECKING:
    from vault_cli.cli.capturing import Capture, Outcome
    from vault_cli.store.spool import Folded

_DAYS = 30
_MOST_NAMED = 20

Hosts = Annotated[
    list[str] | None,
    typer.Option("--host", help="Only of this program: claude-code, codex, dsh (repeatable)."),
]
SinceDay = Annotated[
    str, typer.Option("--since", metavar="DAY|TIME", help="Only from then on (2026-11-30).")
]


def sessions(
    ctx: typer.Context,
    paths: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="[PATH...]", help="Logs, or folders with logs; none: all there are."
        ),
    ] = None,
    host: Hosts = None,
    since: SinceDay = "",
) -> int:
    """Read session logs of Claude Code, Codex and DSH, and take in what the hooks spooled.

    Without a path: the logs of these programs that changed in the last 30 days (or since --since).
    A log that was read goes on where it ended. What mvault injected is never taken for news.

    Examples:
      mvault capture sessions
      mvault capture sessions --host codex --since 2026-11-01
      mvault capture sessions ~/.claude/projects/-home-me-app/7f3a.jsonl
    """
    from vault_cli.cli.capturing import Capture, make_benign, make_echo

    inv: Invocation = ctx.obj
    hosts, now = read_hosts(host), now_of(inv)
    start = read_since(since, now)
    queue, problem = _writable(inv)
    with queue:
        run = Capture(queue, make_echo(inv), make_benign(inv), int(now.timestamp()))
        folded = None if paths or inv.options.dry_run else _fold(run)
        _read_all(inv, run, paths, hosts, start, asked=bool(since))
        new = [*run.heard, *(own for done in run.outcomes for own in done.new)]
        found = [queue.find(own) for own in dict.fromkeys(new)]
        return _report(inv, run, found, folded, problem)


def _writable(inv: Invocation) -> tuple[Queue, str]:
    """Return the queue to write, and why it will be lost ("" when it is kept)."""
    if inv.options.dry_run:
        with look_in(state_folder()) as queue:
            return queue.copy(), ""
    try:
        return open_queue(state_folder()), ""
    except StoreError as error:
        if "kept" not in error.message:
            raise
        return Queue(None), error.message


def _fold(run: Capture) -> Folded:
    from vault_cli.cli.sightings import take_frames
    from vault_cli.store.spool import fold

    return fold(state_folder(), [run.take_frames, take_frames])


def _read_all(
    inv: Invocation,
    run: Capture,
    paths: Sequence[Path] | None,
    hosts: Sequence[str],
    start: datetime,
    *,
    asked: bool,
) -> None:
    from vault_cli.hosts.transcripts.places import find_logs, logs_below

    done = {outcome.path for outcome in run.outcomes}
    if not paths:
        for log in find_logs(hosts, inv.environ, since_ns=int(start.timestamp() * 10**9)):
            if str(log.path) not in done:
                run.read_log(log.path, log.host)
        return
    for path in paths:
        place = path if path.is_absolute() else inv.cwd / path
        if not place.exists():
            raise NotFoundError(f"{path}: there is no such file or folder")
        for file in logs_below(place) if place.is_dir() else [place]:
            if not asked or file.stat().st_mtime >= start.timestamp():
                run.read_log(file, again=True)


def _report(
    inv: Invocation, run: Capture, found: Sequence[Item], folded: Folded | None, problem: str
) -> int:
    veil = is_veiled(inv)
    states = Counter(done.state for done in run.outcomes)
    data: dict[str, Any] = {
        "logs": [_log_data(done) for done in run.outcomes],
        "states": dict(sorted(states.items())),
        "items": [item_data(item, veil=veil) for item in found],
        "events": folded._asdict() if folded else None,
        "kept": not problem,
        "spare": run.queue.spare,
    }
    if inv.options.dry_run:
        data["dry_run"] = True
    notes = [_said(states, len(found)), *_log_notes(run.outcomes)]
    if folded and folded.frames:
        notes.append(f"taken in: {plural(folded.frames, 'event')} of the hooks")
    if folded:
        notes += folded.problems
    if inv.options.dry_run:
        notes.append("dry run, nothing written")
    elif problem:
        notes.append(f"{problem}: what was found is shown and not kept")
    elif run.queue.spare:
        notes.append(f"the state folder cannot be written; kept in {run.queue.path}")
    failed = states["failed"] + states["dead"]
    hints = ("`mvault capture draft ITEM` makes a proposal of one.",) if found else ()
    code = StoreError.exit_code if failed and failed == len(run.outcomes) else 0
    return inv.out.show(
        View(data, lambda: item_lines(found, veil=veil), notes=notes, hints=hints, exit_code=code)
    )


def _said(states: Counter[str], found: int) -> str:
    read = f"read {plural(states['read'], 'log')}"
    same = f", {states['unchanged']} unchanged" if states["unchanged"] else ""
    failed = states["failed"] + states["dead"] + states["later"]
    bad = f", {failed} could not be read" if failed else ""
    return f"{read}{same}{bad}; {plural(found, 'new item')}"


def _log_notes(outcomes: Sequence[Outcome]) -> Iterator[str]:
    odd = [done for done in outcomes if done.notes]
    for done in odd[:_MOST_NAMED]:
        yield f"{done.path}: {'; '.join(done.notes)}"
    if len(odd) > _MOST_NAMED:
        yield f"and {len(odd) - _MOST_NAMED} more logs with notes (--json names them)"


def _log_data(done: Outcome) -> dict[str, Any]:
    return {**done._asdict(), "new": list(done.new), "notes": list(done.notes)}


def read_hosts(given: Sequence[str] | None) -> tuple[str, ...]:
    """Return the programs that were named, all whose logs can be read for none; or UsageError."""
    from vault_cli.hook.events import find_host
    from vault_cli.hosts.transcripts.places import READABLE

    named = tuple(dict.fromkeys(find_host(name) or name for name in given or ()))
    for name in named:
        if name not in READABLE:
            raise UsageError(
                f"the logs of {name} cannot be read", hint=f"Known: {', '.join(READABLE)}."
            )
    return named or READABLE


def now_of(inv: Invocation) -> datetime:
    """Return now, also where there is no vault whose time zone counts."""
    from vault_cli.store.clock import read_clock

    try:
        return inv.now
    except VaultError:
        return read_clock("", inv.environ)


def read_since(text: str, now: datetime) -> datetime:
    """Return the instant `--since` names, 30 days ago for ""; UsageError when it is no day."""
    from datetime import time, timedelta

    from vault_cli.text.values import BadValueError, read_date

    if not text:
        return now - timedelta(days=_DAYS)
    try:
        moment = read_date(text.strip())
    except BadValueError:
        moment = None
    if moment is None:
        raise UsageError(f"--since {text}: not a day", hint="Write it as 2026-11-30.")
    if not isinstance(moment, datetime):
        moment = datetime.combine(moment, time.min)
    return moment if moment.tzinfo else moment.replace(tzinfo=now.tzinfo)
