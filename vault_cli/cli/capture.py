"""`capture status|sessions|list|show|draft|drop|retry`. May import everything below `cli`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from vault_cli.cli import flags
from vault_cli.cli.app import PanelCommand
from vault_cli.cli.invocation import Invocation, Plan
from vault_cli.cli.output import Line, View, inline
from vault_cli.cli.views import cut, plural
from vault_cli.errors import NeedsPersonError, NotFoundError, RefusedError, StoreError, UsageError, VaultError
from vault_cli.store.places import state_folder
from vault_cli.store.queue import (
    DEAD,
    DRAFTED,
    DROPPED,
    STATES,
    WAITING,
    WATCHED,
    Item,
    Queue,
    Sighting,
    look_in,
    open_queue,
)

if TYPE_CHECKING:
    from vault_cli.cli.capturing import Capture, Outcome
    from vault_cli.features.composing import DraftRequest
    from vault_cli.store.spool import Folded

_WIDTH = 96
_DAYS = 30
_MOST_NAMED = 20
_VEILED = "(reads like an instruction to an agent; a person is shown it)"

capture = typer.Typer(
    add_completion=False,
    rich_markup_mode=None,
    no_args_is_help=False,
    help="Collect what sessions may teach: corrections, repeated errors, what fixed a failure.\n\n"
    "Example: mvault capture sessions",
)

ItemId = Annotated[
    str, typer.Argument(metavar="ITEM", help="Id of an item, or its unique beginning.")
]
ItemIds = Annotated[
    list[str], typer.Argument(metavar="ITEM...", help="Ids of items, or their beginnings.")
]
SomeItems = Annotated[
    list[str] | None, typer.Argument(metavar="[ITEM...]", help="Ids of items; none: all.")
]
Hosts = Annotated[
    list[str] | None,
    typer.Option("--host", help="Only of this program: claude-code, codex, dsh (repeatable)."),
]
SinceDay = Annotated[
    str, typer.Option("--since", metavar="DAY|TIME", help="Only from then on (2026-11-30).")
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
        data = queue_data(queue, state)
        failed = [row for row in queue.logs() if row.last_error]
    data["failed"] = [
        {"path": row.path, "error": row.last_error, "attempts": row.attempts, "dead": bool(row.dead)}
        for row in failed
    ]

    def lines() -> Iterator[Line]:
        counts = data["counts"]
        yield f"waiting: {counts[WAITING]}" + _of_kinds(data["kinds"])
        yield f"dead letters: {counts[DEAD]} items, {data['dead_logs']} logs"
        yield f"drafted: {counts[DRAFTED]}; dropped: {counts[DROPPED]}; watched: {counts[WATCHED]}"
        yield f"logs read: {data['logs']}; spooled events not taken in: {data['spool']['files']} files"
        for row in data["failed"][:_MOST_NAMED]:
            yield [("yellow", f"{row['path']}: {row['error']}")]

    hints = []
    if data["counts"][WAITING]:
        hints.append("`mvault capture list` shows what waits.")
    if data["counts"][DEAD] or data["dead_logs"]:
        hints.append("`mvault capture retry` tries the dead letters again.")
    return inv.out.show(View(data, lines, notes=_place_notes(data), hints=hints))


def queue_data(queue: Queue, state: Path) -> dict[str, Any]:
    """Return the numbers of the queue, as `capture status` and `status` tell them."""
    from vault_cli.store.spool import look

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


@capture.command("sessions", cls=PanelCommand)
def sessions(
    ctx: typer.Context,
    paths: Annotated[
        list[Path] | None,
        typer.Argument(metavar="[PATH...]", help="Logs, or folders with logs; none: all there are."),
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
    from vault_cli.cli.capturing import Capture, make_echo

    inv: Invocation = ctx.obj
    hosts, now = _hosts(host), _now(inv)
    start = _since(since, now)
    queue, problem = _writable(inv)
    with queue:
        run = Capture(queue, make_echo(inv), int(now.timestamp()))
        folded = None if paths or inv.options.dry_run else _fold(run)
        _read_all(inv, run, paths, hosts, start, asked=bool(since))
        found = [queue.find(own) for done in run.outcomes for own in done.new]
        return _report(inv, run, found, folded, problem)


def _hosts(given: Sequence[str] | None) -> tuple[str, ...]:
    from vault_cli.hook.events import find_host
    from vault_cli.hosts.transcripts.places import READABLE

    named = tuple(dict.fromkeys(find_host(name) or name for name in given or ()))
    for name in named:
        if name not in READABLE:
            raise UsageError(
                f"the logs of {name} cannot be read", hint=f"Known: {', '.join(READABLE)}."
            )
    return named or READABLE


def _now(inv: Invocation) -> datetime:
    """Return now, also where there is no vault whose time zone counts."""
    from vault_cli.store.clock import read_clock

    try:
        return inv.now
    except VaultError:
        return read_clock("", inv.environ)


def _since(text: str, now: datetime) -> datetime:
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
        for log in logs_below(place) if place.is_dir() else [place]:
            if not asked or log.stat().st_mtime >= start.timestamp():
                run.read_log(log, again=True)


def _report(
    inv: Invocation, run: Capture, found: Sequence[Item], folded: Folded | None, problem: str
) -> int:
    veil = _veil(inv)
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
    hosts = set(_hosts(host)) if host else set()
    start = int(_since(since, _now(inv)).timestamp()) if since else 0
    with look_in(state_folder()) as queue:
        found = [
            item
            for item in queue.items(*(state or (WAITING, DEAD)))
            if (not kind or item.kind in kind)
            and (not hosts or item.host in hosts)
            and item.last >= start
        ]
        counts = {item.id: len(queue.sightings(item.id)) for item in found[: limit or None]}
    shown, veil = found[: limit or None], _veil(inv)
    data = {
        "items": [{**item_data(item, veil=veil), "seen": counts[item.id]} for item in shown],
        "total": len(found),
    }
    notes = [] if found else ["nothing waits"]
    if len(shown) < len(found):
        notes.append(f"{len(found) - len(shown)} more (--limit 0 shows all)")
    hints = ("`mvault capture show ITEM` shows one whole.",) if found else ()
    return inv.out.show(
        View(data, lambda: item_lines(shown, counts, veil=veil), notes=notes, hints=hints)
    )


def _require_known(option: str, given: Sequence[str] | None, known: Sequence[str]) -> None:
    for word in given or ():
        if word not in known:
            raise UsageError(f"{option} {word}: unknown", hint=f"Known: {', '.join(known)}.")


def _veil(inv: Invocation) -> bool:
    """Whether texts that read like an attack are kept from whoever runs this."""
    return not inv.is_person


def item_lines(
    items: Sequence[Item], counts: dict[str, int] | None = None, *, veil: bool
) -> Iterator[Line]:
    """Yield one line for each item: id, kind, how often, and how its text begins."""
    for item in items:
        seen = f" ×{counts[item.id]}" if counts and counts[item.id] > 1 else ""
        aside = "" if item.state == WAITING else f" ({item.state})"
        head = f"{item.id}  {item.kind}{seen}{aside}  "
        yield head + cut(inline(shown_text(item, veil=veil)), max(20, _WIDTH - len(head)))


def shown_text(item: Item, *, veil: bool) -> str:
    """Return an item's text as it may be shown: no secrets, and no attack to an agent."""
    from vault_cli.text.scan import mask_secrets

    if veil and held_by(item):
        return _VEILED
    return mask_secrets(item.text)


def held_by(item: Item) -> list[str]:
    """Return the codes of what the scanner would hold in an item's texts."""
    from vault_cli.text.scan import scan_wording

    texts = [item.text, *(value for value in item.detail.values() if isinstance(value, str))]
    found = scan_wording({}, "\n".join(texts))
    return list(dict.fromkeys(hit.finding.code for hit in found if hit.finding.holds))


def item_data(item: Item, *, veil: bool) -> dict[str, Any]:
    """Return the promised JSON shape of an item."""
    from vault_cli.text.scan import mask_secrets

    held = held_by(item)
    detail = {
        key: mask_secrets(value) if isinstance(value, str) else value
        for key, value in item.detail.items()
    }
    names = ("id", "kind", "state", "host", "cwd", "attempts", "last_error", "record")
    return {
        **{name: getattr(item, name) for name in names},
        "text": shown_text(item, veil=veil),
        "detail": {} if veil and held else detail,
        "held": held,
        "first": _instant(item.first),
        "last": _instant(item.last),
        "last_attempt": _instant(item.last_attempt),
    }


def _instant(seconds: int) -> str:
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ") if seconds else ""


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
    veil = _veil(inv)
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


@capture.command("draft", cls=PanelCommand)
def draft(
    ctx: typer.Context,
    item_id: ItemId,
    kind: Annotated[
        str, typer.Option("--kind", "-k", help="lesson, failure, rule, preference …")
    ] = "",
    title: flags.Title = None,
    body: flags.Body = None,
    scope: flags.OneScope = "",
    topic: flags.SomeTopics = None,
    yes: flags.Yes = False,
) -> int:
    """Make a draft of an item, with the sessions it was seen in as evidence.

    Without --title and --body the words of the session go into the draft, and so into git: that
    needs a person. An agent gives its own words. Records that say the same are named.

    Examples:
      mvault capture draft q-7k3qd2m
      mvault capture draft q-7k3qd2m --kind rule --title "提交前先跑 make test" --body "用户要求。"
    """
    inv: Invocation = ctx.obj
    own_words = bool(title and body is not None)
    with look_in(state_folder()) as queue:
        item = queue.find(item_id)
        seen = queue.sightings(item.id)
    _require_open(item)
    request = _request(inv, item, seen, kind, title or "", _body_text(body), scope, topic or ())
    known = _already(inv, item)
    if known:
        return _settled(inv, item, known)
    if inv.options.dry_run:
        return _submit(inv, item, request, own_words=own_words, yes=yes)[0]
    return _attempt(inv, item, request, own_words=own_words, yes=yes)


def _body_text(body: str | None) -> str:
    import sys

    return sys.stdin.read() if body == "-" else body or ""


def _require_open(item: Item) -> None:
    if item.state == DRAFTED:
        raise RefusedError(
            f"{item.id} has become {item.record}", hint=f"mvault show {item.record}"
        )
    if item.state == DROPPED:
        raise RefusedError(f"{item.id} was dropped", hint="Its text is gone; add a record by hand.")


def _request(
    inv: Invocation,
    item: Item,
    seen: Sequence[Sighting],
    kind: str,
    title: str,
    body: str,
    scope: str,
    topics: Sequence[str],
) -> DraftRequest:
    from vault_cli.cli.filters import one_of
    from vault_cli.features.capture_draft import propose
    from vault_cli.model.record import Kind
    from vault_cli.text.scan import mask_secrets

    clean = {
        key: mask_secrets(value) if isinstance(value, str) else value
        for key, value in item.detail.items()
    }
    if scope:
        from vault_cli.cli.rendering import scope_here

        scope = scope_here(inv, scope)
    return propose(
        item.kind,
        mask_secrets(item.text),
        clean,
        [evidence_of(item, one, number) for number, one in enumerate(seen[-5:], 1)],
        named=one_of(Kind, kind, "--kind") if kind else None,
        title=title,
        body=body,
        scope=scope,
        topics=topics,
    )


def evidence_of(item: Item, seen: Sighting, number: int) -> dict[str, str]:
    """Return a sighting as an entry of evidence; its id leads back to the item."""
    return {
        "id": item.id if number == 1 else f"{item.id}-{number}",
        "type": "session-event",
        "session": seen.session or "unknown",
        "start": seen.start,
        "end": seen.end,
        "observed": _instant(seen.at)[:10],
    }


def _already(inv: Invocation, item: Item) -> str:
    """Return the record that an attempt made which was not noted any more, "" for none."""
    from vault_cli.model.evidence import read_evidence

    for record in inv.whole_snapshot().records:
        entries, _ = read_evidence(record.fields)
        if any(entry.id == item.id for entry in entries):
            return record.id
    return ""


def _settled(inv: Invocation, item: Item, record: str) -> int:
    if not inv.options.dry_run:
        with open_queue(state_folder()) as queue:
            queue.settle(item.id, record)
    data = {"item": item.id, "record": record, "changed": False}
    return inv.out.show(View(data, notes=(f"nothing to do: {record} is made of it",)))


def _attempt(
    inv: Invocation, item: Item, request: DraftRequest, *, own_words: bool, yes: bool
) -> int:
    """Try to make the draft: the attempt is noted first, the item settled last."""
    with open_queue(state_folder()) as queue:
        queue.begin(item.id, int(_now(inv).timestamp()))
        try:
            code, record = _submit(inv, item, request, own_words=own_words, yes=yes)
        except NeedsPersonError:
            queue.release(item.id)
            raise
        except VaultError as error:
            if queue.fail(item.id, error.message):
                inv.out.say(f"{item.id} failed too often: it is a dead letter now")
            raise
        if code == 0 and _already(inv, item):
            queue.settle(item.id, record)
        return code


def _submit(
    inv: Invocation, item: Item, request: DraftRequest, *, own_words: bool, yes: bool
) -> tuple[int, str]:
    from vault_cli.cli.additions import approve_hint, submit_new
    from vault_cli.features.drafts import plan_add

    planned = plan_add(
        inv.snapshot,
        request,
        now=inv.now,
        actor=inv.actor if own_words else inv.decider(yes=yes),
        origin="hook",
        random_int=inv.random_int,
        gates=inv.vault.config.gates,
    )
    own = planned.ids[0]
    plan = Plan(
        planned.change,
        f"added draft {own}: {request.title}",
        f"Make a draft of {item.id}, with the words of the session?",
        person=not own_words,
        yes=yes,
        hints=[approve_hint(planned)],
        findings=planned.notes,
        data={"item": item.id},
        consent_hint="" if own_words else "Run it in a terminal, or give --title and --body.",
    )
    code = submit_new(inv, planned, plan)
    inv.forget_snapshot()
    return code, own


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
    return inv.out.show(View({"ids": ids, "retried": number, "changed": bool(number)}, notes=(note,)))
