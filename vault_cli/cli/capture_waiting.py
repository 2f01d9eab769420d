"""What of sessions waits to be looked at, for `status`. May import everything below `cli`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from vault_cli.cli.capture_sessions import now_of, read_since
from vault_cli.cli.invocation import Invocation
from vault_cli.cli.output import Line
from vault_cli.cli.views import plural
from vault_cli.errors import VaultError
from vault_cli.store.queue import DEAD, WAITING
from vault_cli.store.queue_base import LogRow


def queue_counts(inv: Invocation) -> dict[str, Any]:
    """Return what waits of sessions, for `status`: items, dead letters, spools; never an error.

    `unread` are the logs of the last days that `capture sessions` would look at: no hook reads
    them, since a session's end waits for nothing.
    """
    from vault_cli.store.places import state_folder
    from vault_cli.store.queue_place import find_queue, look_in
    from vault_cli.store.spool import look

    state = state_folder()
    waits = look(state)
    found: dict[str, Any] = {"waiting": 0, "dead": 0, "spooled": waits.files, "problem": ""}
    if find_queue(state) is None:
        return {**found, "unread": count_unread(inv, ())}
    try:
        with look_in(state) as queue:
            counts, rows = queue.counts(), queue.logs()
    except VaultError as error:
        return {**found, "unread": 0, "problem": error.message}
    dead = counts[DEAD] + sum(bool(row.dead) for row in rows)
    unread = count_unread(inv, rows)
    return {**found, "waiting": counts[WAITING], "dead": dead, "unread": unread}


def count_unread(inv: Invocation, rows: Iterable[LogRow]) -> int:
    """Return how many session logs of the last days changed since they were read, or never were."""
    from vault_cli.hosts.transcripts.places import READABLE, find_logs

    read = {row.path: (row.size, row.mtime) for row in rows if row.read_at or row.last_error}
    since = read_since("", now_of(inv))
    logs = find_logs(READABLE, inv.environ, since_ns=int(since.timestamp() * 10**9))
    return sum(read.get(str(log.path)) != (log.size, log.mtime_ns) for log in logs)


def queue_lines(counts: dict[str, Any]) -> Iterator[Line]:
    """Yield the lines of `status` about it; none when nothing waits."""
    if counts["problem"]:
        yield [("yellow", counts["problem"])]
    if counts["waiting"] or counts["dead"]:
        dead = f", {plural(counts['dead'], 'dead letter')}" if counts["dead"] else ""
        yield [("dim", "from sessions: "), f"{plural(counts['waiting'], 'item')} waiting{dead}"]
    if counts["unread"]:
        yield [("dim", "session logs not looked at: "), str(counts["unread"])]


def queue_hints(counts: dict[str, Any]) -> list[str]:
    """Return what `status` advises about it."""
    if counts["waiting"]:
        return ["`mvault capture list` shows what sessions may teach."]
    if counts["unread"]:
        return ["`mvault capture sessions` looks for what they may teach."]
    return ["`mvault capture sessions` takes in what hooks took down."] if counts["spooled"] else []
