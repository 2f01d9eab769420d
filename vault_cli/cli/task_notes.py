"""What commands about tasks share: who says so, what was observed. + everything below `cli`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from vault_cli.cli.invocation import Invocation
from vault_cli.cli.views import plural
from vault_cli.model.record import WORK_KINDS

if TYPE_CHECKING:
    from datetime import date

    from vault_cli.features.task_outcomes import Seen
    from vault_cli.features.tasks import Task
    from vault_cli.model.observation import Observation
    from vault_cli.model.record import Snapshot
    from vault_cli.store.usage_log import UsageLog
    from vault_cli.store.vault import Vault


def find_scope(inv: Invocation, given: str) -> str:
    """Return whose a task is: as said, else of the project at hand, else everybody's."""
    from vault_cli.cli.rendering import find_project, scope_here

    if given:
        return scope_here(inv, given)
    project = find_project(inv)
    return f"project:{project}" if project else "global"


class Log(NamedTuple):
    """The observations of one vault that is read.

    Args:
        vault: which.
        log: what its files hold.
    """

    vault: Vault
    log: UsageLog


def read_logs(inv: Invocation) -> list[Log]:
    """Return the observations of the vaults at hand: a session is shown records of both."""
    from datetime import UTC

    from vault_cli.cli.sightings import fold_quietly
    from vault_cli.store.usage_log import read_usage

    fold_quietly(inv)  # what hooks gave the session counts as shown
    today = inv.now.astimezone(UTC).date()
    vaults = inv.reading.vaults
    return [Log(vault, read_usage(vault.root, today)) for vault in vaults]


def seen_by(logs: Sequence[Log], session: str) -> Seen:
    """Return what the observations say of a session."""
    from vault_cli.features.task_outcomes import Seen

    return Seen((item for one in logs for item in one.log.pool), session)


def is_person(inv: Invocation, *, yes: bool) -> bool:
    """Tell whether a person says so: then what is said counts as it stands."""
    from vault_cli.model.lifecycle import Actor

    consent = inv.consent(yes=yes)
    return bool(consent.how) and consent.actor is Actor.PERSON


def strange_hints(inv: Invocation, strange: Sequence[str], session: str) -> Iterator[str]:
    """Yield which records an agent named that nothing says its session was shown."""
    if not strange:
        return
    known = {record.id for record in inv.reading.snapshot().records}
    if gone := [key for key in strange if key not in known]:
        yield f"Not noted as used: {', '.join(gone)}; there is no such record."
    strange = [key for key in strange if key in known]
    if strange:
        which = f"that session {session}" if session else "that a session"
        yield f"Not noted as used: {', '.join(strange)}; nothing says {which} was shown the text."


def end_hint(task_id: str) -> str:
    """Return what is to be done once an open task is over."""
    return f"When it is over: mvault task end {task_id} --status succeeded|failed"


def settle(inv: Invocation, logs: Sequence[Log]) -> None:
    """Let the observations follow the tasks: of this end, of one that was cut short or taken back.

    What is said of a record goes into the files of its own vault.
    """
    from vault_cli.cli.shown import work_of
    from vault_cli.features.tasks import all_tasks

    if inv.options.dry_run:
        return
    inv.whole_snapshot()  # the task may just have been written
    tasks = all_tasks(work_of(inv))  # what a push says of work is not noted as ours
    told = [seen for one in logs for seen in _settle_one(inv, one, tasks, len(logs) > 1)]
    used = len({seen.ids for seen in told if seen.kind == "outcome"})
    if used:
        inv.out.say(f"noted the outcome for {plural(used, 'record')}")


def _settle_one(
    inv: Invocation,
    one: Log,
    tasks: Sequence[Task],
    several: bool,
) -> list[Observation]:
    """Append what one vault's files lack; return it."""
    from vault_cli.errors import VaultError
    from vault_cli.features.task_outcomes import not_yet_told, taken_back
    from vault_cli.store.observing import observe
    from vault_cli.store.own_usage import machine_id
    from vault_cli.store.vault import LOCK_WAIT

    pool = one.log.pool
    missing = list(not_yet_told(tasks, pool))
    if several and missing:
        known = {record.id for record in one.vault.snapshot(whole=False).records}
        missing = [seen for seen in missing if known.issuperset(seen.ids)]
    try:
        lines = [*missing]
        if any(item.seen.task for item in pool):
            lines += taken_back(tasks, pool, machine_id(one.vault.root))
        if lines:
            every = int(inv.reading.config["render.commit_every"])
            observe(one.vault, lines, inv.now, every=every, wait=LOCK_WAIT)
    except VaultError as error:
        inv.out.say(f"the outcome is not noted yet: {error.message}")
        return []
    return missing


def work_data(snapshot: Snapshot, today: date) -> dict[str, Any]:
    """Return what `status` says of work: open tasks, tickets by stage, how many are overdue, runs.

    Args:
        snapshot: all records.
        today: in the vault's time zone.
    """
    if not any(record.kind in WORK_KINDS for record in snapshot.records):
        return {"open_tasks": [], "tickets": {}, "overdue": 0, "open_runs": []}
    from vault_cli.features.reflection import OPEN, runs_of
    from vault_cli.features.task_records import open_tasks
    from vault_cli.features.ticket_records import DONE, all_tickets

    tickets = [ticket for ticket in all_tickets(snapshot) if ticket.stage != DONE]
    stages = dict.fromkeys(ticket.stage for ticket in tickets)
    return {
        "open_tasks": [task.id for task in open_tasks(snapshot)],
        "tickets": {name: sum(t.stage == name for t in tickets) for name in stages},
        "overdue": sum(t.due is not None and t.due < today for t in tickets),
        "open_runs": [run.id for run in runs_of(snapshot) if run.state in OPEN],
    }


def work_words(data: Mapping[str, Any]) -> str:
    """Return `work_data` in a line, "" when there is none."""
    parts = [plural(len(data["open_tasks"]), "open task")] if data["open_tasks"] else []
    if data["tickets"]:
        stages = ", ".join(f"{number} {name}" for name, number in data["tickets"].items())
        late = f"; {data['overdue']} overdue" if data["overdue"] else ""
        parts.append(f"tickets: {stages}{late}")
    if data["open_runs"]:
        parts.append(f"{plural(len(data['open_runs']), 'reflection')} to answer")
    return "; ".join(parts)
