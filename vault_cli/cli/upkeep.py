"""`status`. May import everything below `cli`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import chain
from typing import TYPE_CHECKING, Annotated, Any

import typer

from vault_cli.cli.invocation import Invocation
from vault_cli.cli.output import Line, View, inline
from vault_cli.cli.rendering import aside_text, other_lines, place_data
from vault_cli.cli.task_notes import work_data, work_words
from vault_cli.cli.usage import waiting_data
from vault_cli.cli.views import (
    count_statuses,
    held_codes,
    is_judged,
    plural,
    record_data,
)
from vault_cli.model.record import Record, Snapshot, Status
from vault_cli.text.names import show_path

if TYPE_CHECKING:
    from vault_cli.store.repo import Pending, Repository

_MOST_LISTED = 20


Seen = Annotated[
    bool, typer.Option("--seen", help="What went wrong with hooks was seen: show it no more.")
]


def status(ctx: typer.Context, seen: Seen = False) -> int:
    """Say what is in the vault and what waits for a person.

    Counts by status, drafts, files changed outside of mvault and not committed, files that
    cannot be read or are held, an operation of git under way, settings that are not trusted,
    hooks that failed.

    Examples:
      mvault status
      mvault --json status
      mvault status --seen
    """
    inv: Invocation = ctx.obj
    if seen:
        from vault_cli.cli.hook_status import mark_seen

        mark_seen(inv)
    inv.bear_bad_settings()
    snapshot = inv.whole_snapshot()  # the weight of every record is asked
    repo = inv.vault.repo
    standing = [record.path for record in snapshot.records if record.in_force]
    every = repo.pending(also=standing) if repo is not None else ()
    from vault_cli.store.usage import is_usage_path

    pending = tuple(change for change in every if not is_usage_path(change.path))
    groups = _groups(inv, snapshot)
    settings = inv.vault.config.diagnostics
    from vault_cli.cli.capture_waiting import queue_counts
    from vault_cli.cli.hook_status import hook_data, hook_lines
    from vault_cli.cli.trusting import status_lines

    trusted, trust_lines, judged = status_lines(inv)
    in_force = [record for record in judged.records if record.in_force]
    kept_out = sum(bool(record.withheld) for record in in_force)
    data: dict[str, Any] = {
        "vault": str(inv.root),
        "other_vault": inv.reading.describe_other(),
        **place_data(inv),
        "repository": _repository_data(repo),
        "counts": {
            "records": len(snapshot.records),
            "in_force": len(in_force) - kept_out,
            "kept_out": kept_out,
            **_counts_here(inv, judged),
            **{name: len(records) for name, records in groups.items()},
            "by_status": count_statuses(r for r in snapshot.records if is_judged(r, r.status)),
        },
        **{name: [record_data(r) for r in records] for name, records in groups.items()},
        "work": work_data(snapshot, inv.now.date()),
        "reflection": _reflection_data(inv, judged),
        "pending": [{"path": change.path, "code": change.code} for change in pending],
        "observations": {"uncommitted": len(every) > len(pending), **waiting_data(inv)},
        "unreadable": list(snapshot.unreadable),
        "skipped": dict(snapshot.skipped),
        "sessions": queue_counts(inv),
        "settings": [found.as_data() for found in settings],
        "trust": trusted,
        "hooks": hook_data(inv.now.tzinfo),
    }
    inv.warn_outside_checkout()
    view = View(
        data,
        lambda: chain(
            _status_lines(data, groups, pending, snapshot), trust_lines, hook_lines(data["hooks"])
        ),
        diagnostics=tuple(dict.fromkeys((*settings, *snapshot.diagnostics))),
        hints=_status_hints(data, snapshot.records),
        listed=True,
    )
    inv.warn_settings()
    return inv.out.show(view)


def _reflection_data(inv: Invocation, judged: Snapshot) -> dict[str, Any]:
    """Return how many importance points are unreflected, and from how many a run begins.

    As `reflect_runs.unreflected_of`, of what the trust settings leave, also where they cannot be
    read.
    """
    from vault_cli.features.reflection import is_begun, points_of, runs_of, unreflected

    own = tuple(r for r in judged.standing().records if not r.is_unseen)
    here = replace(judged, records=own)
    runs = runs_of(here)
    points, least = (
        points_of(unreflected(here, runs)),
        int(inv.vault.config["reflection.threshold"]),
    )
    return {"points": points, "threshold": least, "due": points >= least and not is_begun(runs)}


def _counts_here(inv: Invocation, snapshot: Snapshot) -> dict[str, Any]:
    """Return how many records in force a render takes here, and why not the others."""
    from vault_cli.cli.rendering import Wanted, count_aside, make_query
    from vault_cli.recall.select import divide_records

    eligible, excluded = divide_records(snapshot, make_query(inv, Wanted()))
    return {"here": len(eligible), "not_here": count_aside(excluded)}


def _groups(inv: Invocation, snapshot: Snapshot) -> dict[str, list[Record]]:
    """Return the records that somebody may want to look at, by why."""
    from vault_cli.cli.graduating import demoted_uses
    from vault_cli.features.grounds import check_proposals
    from vault_cli.features.recipes import is_mature

    in_the_way = {found.path for found in check_proposals(snapshot)}
    threshold = int(inv.vault.config["graduation.min_hits"])
    records, aside = snapshot.records, demoted_uses(inv)
    return {
        "drafts": [r for r in records if r.is_draft],
        "rivals": [r for r in records if r.path in in_the_way],
        "disputed": [r for r in records if r.status is Status.DISPUTED],
        "held": [r for r in records if r.held_by and r.status is not Status.QUARANTINED],
        "quarantined": [_headless(r) for r in records if r.status is Status.QUARANTINED],
        **_out_of_date(inv, snapshot),
        "ready": [r for r in records if is_mature(r, snapshot.tally(r.id), threshold, aside)],
    }


def _headless(record: Record) -> Record:
    """Return a record without its title: what is held back speaks to a person only."""
    return replace(record, title="(in quarantine)", topics=())


def _out_of_date(inv: Invocation, snapshot: Snapshot) -> dict[str, list[Record]]:
    """Return the records in force whose time has not come or is over."""
    found: dict[str, list[Record]] = {"expired": [], "scheduled": []}
    for record in snapshot.records:
        state = record.validity.state_at(inv.now) if record.in_force else ""
        if state in found:
            found[state].append(record)
    return found


def _repository_data(repo: Repository | None) -> dict[str, Any]:
    if repo is None:
        return {"found": False}
    return {
        "found": True,
        "own": repo.is_own,
        "head": repo.head(),
        "operation": repo.operation_in_progress(),
        "untrusted": list(repo.untrusted()),
    }


def _status_hints(data: dict[str, Any], records: Sequence[Record]) -> list[str]:
    from vault_cli.cli.capture_waiting import queue_hints

    hints = list(_repository_hints(data["repository"]))
    if data["drafts"]:
        hints.append("`mvault review` goes through the drafts.")
    if data["disputed"]:
        one = data["disputed"][0]["id"]
        hints.append(f"A person answers a dispute: mvault resolve {one} --reason TEXT")
    if any(not record.adopted for record in records):
        hints.append("Notes without an id are drafts too; `mvault adopt PATH` gives them one.")
    if data["quarantined"]:
        hints.append("`mvault quarantine list` names what was held back.")
    hints += queue_hints(data["sessions"])
    if data["work"]["open_runs"]:
        hints.append("`mvault reflect status` lists the reflections to answer.")
    if data["reflection"]["due"]:
        from vault_cli.cli.reflect_runs import DUE

        hints.append(DUE)
    if data["ready"]:
        hints.append(
            f"`mvault graduate {data['ready'][0]['id']}` makes a skill of a proven recipe."
        )
    if data["unreadable"]:
        hints.append("`mvault check` says what is wrong with the files that cannot be read.")
    return hints


def _repository_hints(repository: dict[str, Any]) -> Iterator[str]:
    if not repository["found"]:
        yield "Git does not hold this vault; `mvault init` makes it a repository."
    elif repository["operation"]:
        yield "Finish or abort it with git; until then mvault changes nothing."
    elif repository["untrusted"]:
        yield "They are not run. `mvault trust` shows them to a person."


def _status_lines(
    data: dict[str, Any],
    groups: dict[str, list[Record]],
    pending: Sequence[Pending],
    snapshot: Snapshot,
) -> Iterator[Line]:
    counts = data["counts"]
    yield [("dim", "vault: "), data["vault"]]
    yield from other_lines(data)
    shown = _counts_text(counts["by_status"])
    out = f", {counts['kept_out']} kept out by your trust settings" if counts["kept_out"] else ""
    yield [("dim", "records: "), shown, f"; {counts['in_force']} in force{out}"]
    if not_here := {code: n for code, n in counts["not_here"].items() if code != "trust"}:
        aside = aside_text(not_here)
        yield [("dim", "rendered here: "), f"{counts['here']} of them; not here: {aside}"]
    repository = data["repository"]
    if repository["found"]:
        where = "own repository" if repository["own"] else "folder of a bigger repository"
        yield [("dim", "git: "), f"{where}, {repository['head'][:10] or 'no commit yet'}"]
        if repository["operation"]:
            yield [("red", f"a {repository['operation']} is under way")]
        if repository["untrusted"]:
            yield [("yellow", "not trusted: "), ", ".join(repository["untrusted"])]
    yield from _waiting_lines(data)
    for title, names in _path_groups(data, groups, pending, snapshot):
        if names:
            yield [("yellow", f"{title}:")]
            yield from (f"  {name}" for name in names[:_MOST_LISTED])
            if len(names) > _MOST_LISTED:
                yield f"  and {len(names) - _MOST_LISTED} more"


def _waiting_lines(data: dict[str, Any]) -> Iterator[Line]:
    """Yield how much waits for a person, or for more of its kind."""
    from vault_cli.cli.capture_waiting import queue_lines

    seen = data["observations"]
    if seen["waiting"]:
        yield [("dim", "observations: "), f"{seen['waiting']} of {seen['commit_every']} wait"]
    yield from queue_lines(data["sessions"])
    if words := work_words(data["work"]):
        yield [("dim", "work: "), words]
    if data["reflection"]["due"]:
        points, least = data["reflection"]["points"], data["reflection"]["threshold"]
        yield [("dim", "unreflected: "), f"{points} importance points; a run begins from {least}"]
    if data["drafts"]:
        yield [("yellow", f"{plural(len(data['drafts']), 'draft')} to review")]
    if data["quarantined"]:
        yield [("yellow", f"{plural(len(data['quarantined']), 'text')} in quarantine")]


def _counts_text(counts: dict[str, int]) -> str:
    return ", ".join(f"{number} {name}" for name, number in counts.items()) or "none"


def _path_groups(
    data: dict[str, Any],
    groups: dict[str, list[Record]],
    pending: Sequence[Pending],
    snapshot: Snapshot,
) -> list[tuple[str, list[str]]]:
    in_force = {record.path for record in snapshot.records if record.in_force}
    changed = [
        f"{change.code} {show_path(change.path)}"
        + (" (in force)" if change.path in in_force else "")
        for change in pending
    ]
    named = {
        name: [f"{record.id}  {inline(record.title)}" for record in records]
        for name, records in groups.items()
    }
    held = [f"{inline(show_path(r.path))}: {', '.join(held_codes(r))}" for r in groups["held"]]
    return [
        ("changed outside, not committed", changed),
        ("drafts in the way of each other, or too late (see `mvault check`)", named["rivals"]),
        ("disputed, waiting for a person", named["disputed"]),
        ("held from the render", held),
        ("in force, but expired", named["expired"]),
        ("in force, but not yet valid", named["scheduled"]),
        ("recipes ready to become skills", named["ready"]),
        ("cannot be read", [show_path(path) for path in data["unreadable"]]),
    ]
