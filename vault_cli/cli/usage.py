"""`mark`, `stats`: what was seen of records in use. May import everything below `cli`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from vault_cli.cli import flags
from vault_cli.cli.guarding import require_admitted
from vault_cli.cli.invocation import Invocation
from vault_cli.cli.output import View
from vault_cli.cli.shown import find_shown, shown_of
from vault_cli.cli.usage_views import stats_data, stats_lines
from vault_cli.cli.views import brief_data, plural
from vault_cli.errors import RefusedError, UsageError

if TYPE_CHECKING:
    from vault_cli.features.usage import MarkRequest
    from vault_cli.model.observation import Kept, Observation
    from vault_cli.model.record import Record
    from vault_cli.model.sums import Sums
    from vault_cli.store.observing import Observed
    from vault_cli.store.usage_log import UsageLog

Follow = Callable[[], tuple[dict[str, Any], list[str]]]


def mark(
    ctx: typer.Context,
    ids: flags.SomeIds = None,
    helpful: Annotated[bool, typer.Option("--helpful", help="It helped.")] = False,
    harmful: Annotated[bool, typer.Option("--harmful", help="It misled.")] = False,
    hit: Annotated[bool, typer.Option("--hit", help="It was used.")] = False,
    cited: Annotated[bool, typer.Option("--cited", help="A session named it.")] = False,
    outcome: Annotated[
        str,
        typer.Option(
            "--outcome", metavar="RESULT", help="succeeded or failed: the task it served."
        ),
    ] = "",
    session: flags.SessionId = "",
    receipt: Annotated[
        str, typer.Option("--receipt", metavar="ID", help="Receipt of the block it stood in.")
    ] = "",
    note: Annotated[str, typer.Option("--note", help="A few words; kept in the vault.")] = "",
    undo: Annotated[
        bool, typer.Option("--undo", help="Take the newest such mark of this machine back.")
    ] = False,
    settle: Annotated[
        bool, typer.Option("--settle", help="Let the block show what waits, and commit it.")
    ] = False,
    yes: flags.Yes = False,
) -> int:
    """Note that records were used, helped or misled. Nothing is written into the records.

    A person's word counts. An agent's counts when its session was shown the record (`render
    --session`) and cites it, once for each record and session. render shows new counters when
    render.commit_every of them wait, or after --settle.

    Examples:
      mvault mark l-7k3qd2m r-2p0x9aa --session 7f3a --cited --helpful
      mvault mark l-7k3qd2m --harmful --note "离线环境不适用"
      mvault mark r-2p0x9aa --harmful --undo
      mvault mark --settle
    """
    from vault_cli.cli.since import session_of
    from vault_cli.features.usage import MarkRequest

    inv: Invocation = ctx.obj
    flagged = {"helpful": helpful, "harmful": harmful, "hit": hit, "citation": cited}
    kinds = [kind for kind, given in flagged.items() if given]
    kinds += ["outcome"] if _result(outcome) else []
    request = MarkRequest(
        tuple(kinds),
        witness(inv, yes=yes),
        session_of(inv, session),
        receipt.strip(),
        note.strip(),
        outcome,
    )
    if not ids:
        if not settle or kinds:
            raise UsageError("no record is named", hint="mvault mark ID --helpful")
        return report_seen(inv, (), [], request, settle=True)
    records = inv.find_all(ids)
    if not undo:
        require_admitted(inv.vault, "mark", *records, only_id=True)
    seen = plan_seen(inv, records, request, undo=undo)
    return report_seen(inv, records, seen, request, settle=settle)


def waiting_data(inv: Invocation) -> dict[str, int]:
    """Return how many uses of this machine wait until the block shows them."""
    from vault_cli.store.observing import count_waiting

    every = int(inv.reading.config["render.commit_every"])
    return {"waiting": count_waiting(inv.root), "commit_every": every}


def tell_misleading(inv: Invocation) -> None:
    """Say on stderr how many records in force use speaks against, for who reviews."""
    from vault_cli.features.usage import find_misleading

    found = find_misleading(inv.snapshot)
    if found:
        what = plural(len(found), "record")
        inv.out.say(f"{what} in force judged harmful more than helpful: `mvault stats --demote`")


def _result(outcome: str) -> str:
    from vault_cli.model.observation import RESULTS

    if outcome and outcome not in RESULTS:
        raise UsageError(f"--outcome {outcome}: unknown", hint=f"Use {' or '.join(RESULTS)}.")
    return outcome


def witness(inv: Invocation, *, yes: bool) -> str:
    """Return who says it: a person, or somebody whose word needs a citation."""
    from vault_cli.model.lifecycle import Actor
    from vault_cli.model.observation import AGENT, PERSON

    consent = inv.consent(yes=yes)
    return PERSON if consent.how and consent.actor is Actor.PERSON else AGENT


def require_clock(inv: Invocation, pool: Iterable[Kept], who: str) -> None:
    """Refuse an agent's word of a day before the newest that this machine noted.

    Of a day three of its sessions count: with a clock of its own (`$MVAULT_NOW`) it could take any
    number of days. What lies in the future by the clock of the system says nothing.

    Raises:
        RefusedError: the clock went back.
    """
    from vault_cli.model.observation import AGENT
    from vault_cli.store.clock import system_tomorrow
    from vault_cli.store.own_usage import machine_id, stamp_time

    if who != AGENT:
        return
    own, limit, today = machine_id(inv.root), system_tomorrow(), stamp_time(inv.now)[:10]
    days = (item.seen.day for item in pool if item.machine == own)
    newest = max((day for day in days if day <= limit), default="")
    if today < newest:
        raise RefusedError(
            f"the clock says {today}, and {newest} was noted here before; nothing was noted",
            hint="Check the clock, and $MVAULT_NOW.",
        )


def plan_seen(
    inv: Invocation, records: Sequence[Record], request: MarkRequest, *, undo: bool
) -> list[Observation]:
    """Return the observations that a request comes to, or that take its newest ones back."""
    from vault_cli.cli.sightings import fold_quietly
    from vault_cli.features.usage import plan_marks, plan_takebacks
    from vault_cli.store.own_usage import machine_id, new_key, stamp_time

    fold_quietly(inv)  # what hooks gave the session counts as shown
    ids, pool, at = [record.id for record in records], read_log(inv).pool, stamp_time(inv.now)
    if undo:
        machine = machine_id(inv.root)
        return plan_takebacks(ids, request, pool, machine, at=at, new_key=new_key)
    require_clock(inv, pool, request.who)
    return plan_marks(ids, request, pool, at=at, new_key=new_key)


def read_log(inv: Invocation) -> UsageLog:
    """Return what counts of the files of observations."""
    from datetime import UTC

    from vault_cli.store.usage_log import read_usage

    known = {record.id for record in inv.snapshot.records}
    return read_usage(inv.root, inv.now.astimezone(UTC).date(), known)


def report_seen(
    inv: Invocation,
    records: Sequence[Record],
    seen: list[Observation],
    request: MarkRequest,
    *,
    settle: bool,
    verb: str = "mark",
    follow: Follow | None = None,
) -> int:
    """Take it down, or show it; say how far it is until the block changes.

    Args:
        inv: the run.
        records: what it is about.
        seen: what to note.
        request: what was said.
        settle: the block shows at once what waits.
        verb: name of the command.
        follow: what is done once it is noted; gives further data and notes.
    """
    from vault_cli.store.observing import observe
    from vault_cli.store.vault import LOCK_WAIT

    data = _seen_data(inv, records, seen, request.who, verb)
    every = int(inv.reading.config["render.commit_every"])
    if inv.options.dry_run:
        return inv.out.show(_preview_seen(inv, data, seen))
    if not seen and not settle:
        note = "nothing to do: the session has said so already"
        return inv.out.show(View({**data, "waiting": 0}, notes=(note,)))
    done = observe(inv.vault, seen, inv.now, every=1 if settle else every, wait=LOCK_WAIT)
    data |= {
        "changed": bool(seen) or done.settled,
        "applied": True,
        "paths": [done.path],
        "commit": done.commit,
        "waiting": done.waiting,
        "settled": done.settled,
    }
    notes = [_said(seen), *_outlook(done, every)]
    inv.forget_snapshot()
    if follow is not None:
        more, told = follow()
        data |= more
        notes += told
    view = View(data, lambda: [record.id for record in records], notes=[n for n in notes if n])
    return inv.out.show(view)


def _seen_data(
    inv: Invocation, records: Sequence[Record], seen: Sequence[Observation], who: str, verb: str
) -> dict[str, Any]:
    """Return the promised data of what is noted about records."""
    from vault_cli.cli.preview import answer_data

    data: dict[str, Any] = {
        **answer_data(verb, verb),
        "records": [brief_data(record) for record in records],
        "ids": [record.id for record in records],
        "who": who,
        "observations": [{**item._asdict(), "ids": list(item.ids)} for item in seen],
    }
    return data | {"vault": inv.vault_name} if inv.vault_name else data


def _preview_seen(inv: Invocation, data: dict[str, Any], seen: Sequence[Observation]) -> View:
    """Return what would be noted, as the lines of the log that it would add."""
    from vault_cli.model.observation import write_line
    from vault_cli.store.own_usage import own_path

    lines = [f"+ {line}" for line in b"".join(map(write_line, seen)).decode().splitlines()]
    data = data | {"dry_run": True, "paths": [own_path(inv.root)], "diff": "\n".join(lines)}
    return View(data, lambda: lines, notes=("dry run, nothing written",))


def _said(seen: Sequence[Observation]) -> str:
    if not seen:
        return ""
    counts = Counter("taken back" if item.kind == "undo" else item.kind for item in seen)
    words = ", ".join(
        f"{kind} ({number})" if number > 1 else kind for kind, number in counts.items()
    )
    return f"noted: {words}"


def _outlook(done: Observed, every: int) -> Iterator[str]:
    if done.problem:
        yield f"not committed yet: {done.problem}"
    if done.settled:
        where = f" (commit {done.commit[:10]})" if done.commit else ""
        yield f"the next render shows what waited{where}"
    elif done.waiting:
        yield f"{done.waiting} of {every} wait; the block stays as it is until then"
    else:
        yield "nothing waits"


def stats(
    ctx: typer.Context,
    ids: flags.SomeIds = None,
    demote: Annotated[
        bool, typer.Option("--demote", help="Only what use speaks against (5 judgements, <30 %).")
    ] = False,
    limit: flags.Limit = 20,
) -> int:
    """Say what was observed of records in use, and what each number can and cannot tell.

    The numbers are sums over usage/, of all machines. Nothing is done because of them: --demote
    lists the records that a person may want to look at.

    Examples:
      mvault stats
      mvault stats l-7k3qd2m
      mvault stats --demote
    """
    from vault_cli.cli.sightings import catch_up

    inv: Invocation = ctx.obj
    inv.bear_bad_settings()
    catch_up(inv)
    found = (find_shown(inv, text) for text in ids or ())
    named = {record.path: record for record in found}
    records = tuple(named.values()) if ids else shown_of(inv).records
    log = read_log(inv)
    sums = add_up(inv, log.pool)
    chosen = _chosen(inv, records, sums, named=bool(ids), demote=demote)
    shown = chosen if ids or not limit else chosen[:limit]
    data = {**stats_data(inv, log, sums, shown, detailed=bool(ids)), "demote": demote}
    notes = (
        [f"{len(shown)} of {len(chosen)} (--limit 0 shows all)"] if len(shown) < len(chosen) else []
    )
    view = View(
        data,
        lambda: stats_lines(data, shown),
        diagnostics=log.findings,
        notes=notes,
    )
    return inv.out.show(view)


def add_up(inv: Invocation, pool: Sequence[Kept]) -> Sums:
    """Return what observations come to today."""
    from datetime import UTC

    from vault_cli.model.sums import fold

    return fold(pool, inv.now.astimezone(UTC).date())


def _chosen(
    inv: Invocation, records: Sequence[Record], sums: Sums, *, named: bool, demote: bool
) -> list[Record]:
    """Return the records to tell of: those named, those misleading, else the most used first."""
    from dataclasses import replace

    from vault_cli.features.usage import find_misleading
    from vault_cli.model.record import NO_TALLY

    if demote:
        snapshot = replace(shown_of(inv), tallies=sums.tallies)
        against = {record.path for record, _ in find_misleading(snapshot)}
        return [record for record in records if record.path in against]
    if named:
        return list(records)

    def order(record: Record) -> tuple[int, int, str]:
        tally = sums.tallies.get(record.id, NO_TALLY)
        return -sum(tally[1:7]), -tally.exposures, record.id

    known = [r for r in records if r.id in sums.tallies or r.id in sums.claims]
    return sorted(known, key=order)
