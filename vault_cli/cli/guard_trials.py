"""`guard test|failures|propose`: what was seen, and what a guard would do. May import all below."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from vault_cli.cli import flags
from vault_cli.cli.app import PanelCommand
from vault_cli.cli.complete import complete_id
from vault_cli.cli.output import Line, View, inline
from vault_cli.cli.views import plural
from vault_cli.errors import NotFoundError, RefusedError, UsageError
from vault_cli.store.places import expand_home

if TYPE_CHECKING:
    from vault_cli.cli.guard_proposing import Proposal
    from vault_cli.cli.invocation import Invocation
    from vault_cli.features.failures import Group
    from vault_cli.features.guard_trials import Trial
    from vault_cli.model.sighting import Sighting

_SHOWN = 10
_LINE = 100
LogFile = Annotated[
    Path | None,
    typer.Option("--log", metavar="FILE", help="Replay the calls of this session log, too."),
]


def register(group: typer.Typer) -> None:
    """Add the commands of this module to the group `guard`."""
    group.command("test", cls=PanelCommand)(try_one)
    group.command("failures", cls=PanelCommand)(list_failures)
    group.command("propose", cls=PanelCommand)(propose)


def try_one(
    ctx: typer.Context,
    record_id: Annotated[str, flags.one_id(complete_id)],
    log: LogFile = None,
) -> int:
    """Try a guard: on its own examples, and on the calls that were recorded here.

    Precision is the share of the calls it would have stopped that failed, with the number of calls
    it rests on. Exit 1 when an example comes out otherwise than it says.

    Examples:
      mvault guard test x-7k3qd2m
      mvault guard test x-7k3qd2m --log ~/.claude/projects/-home-dev-shop/7f3a.jsonl
    """
    from vault_cli.cli.guard_views import find_standing
    from vault_cli.cli.sightings import fold_quietly
    from vault_cli.features.failures import read_benign, why_benign
    from vault_cli.features.guard_trials import try_guard

    inv: Invocation = ctx.obj
    fold_quietly(inv)
    one = find_standing(inv, record_id)
    if one.guard is None:
        raise RefusedError(f"{one.record.id}: the guard is refused: {one.why}")
    benign = read_benign(inv.vault.config["guard.benign"])
    calls = _recorded()
    if log is not None:
        known = {seen.key for seen in calls}
        calls += [
            seen for seen in _read_log(inv.cwd / expand_home(str(log))) if seen.key not in known
        ]
    trial = try_guard(one.guard, calls, lambda seen: bool(why_benign(seen, benign)))
    data = {"id": one.record.id, "state": one.state, **trial.as_data(), "stopped": _stopped(trial)}
    return inv.out.show(
        View(data, lambda: _trial_lines(data, trial), exit_code=1 if trial.wrong else 0)
    )


def _recorded() -> list[Sighting]:
    from vault_cli.store.failures import open_sightings, sightings_path

    if not sightings_path().exists():
        return []
    with open_sightings() as seen:
        texts = {item.sighting.key: item.sighting.text for item in seen.failures()}
        return [call._replace(text=texts.get(call.key, "")) for call in seen.calls()]


def _read_log(path: Path) -> list[Sighting]:
    """Return the tool calls of a session log, with their outcomes.

    Raises:
        NotFoundError: there is no such file. UsageError: it is no session log that is known.
    """
    from vault_cli.cli.session_calls import LogError, read_calls

    if not path.is_file():
        raise NotFoundError(f"no such file: {path}")
    try:
        return list(read_calls(path))
    except LogError as error:
        raise UsageError(
            f"{path}: {error}", hint="Name a log of Claude Code, Codex or DSH."
        ) from error


def _stopped(trial: Trial) -> list[dict[str, Any]]:
    """Return the newest calls it would have stopped, with how they ended."""
    return [
        {
            "call": seen.given[:_LINE],
            "tool": seen.tool,
            "failed": seen.failed,
            "exit_code": seen.exit_code,
            "at": _day(seen.at),
        }
        for seen in sorted(trial.hit, key=lambda one: -one.at)[:_SHOWN]
    ]


def _day(at: int) -> str:
    return datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _trial_lines(data: dict[str, Any], trial: Trial) -> Iterator[Line]:
    yield [("bold", data["id"]), f"  {inline(data['match'])} ({data['action']}, {data['state']})"]
    told = data["examples"]
    yield [
        ("dim", "examples: "),
        f"{told['hit']} to hit, {told['miss']} to miss, {len(told['wrong'])} wrong",
    ]
    for item in told["wrong"]:
        should = "should be hit" if item["should_hit"] else "must not be hit"
        yield [("red", f"  {should}: "), inline(item["text"])]
    yield [("dim", "everyday calls: "), f"{trial.breadth:.0%} would be stopped"]
    ends = f"{trial.failed} failed, {trial.went_well} went well"
    stopped = f"{len(trial.hit)} ({ends}, {len(trial.hit) - trial.known} nobody knows)"
    seen = f"{trial.asked:,} of its tools; it would have stopped {stopped}"
    yield [("dim", "recorded calls: "), seen]
    yield _precision_line(trial)
    for item in data["stopped"]:
        word = {True: "failed", False: "went well", None: "unknown"}[item["failed"]]
        yield [("dim", f"  {item['at'][:10]}  {word:<9}  "), inline(item["call"])]
    if len(trial.hit) > _SHOWN:
        yield [("dim", f"  and {len(trial.hit) - _SHOWN} more")]


def _precision_line(trial: Trial) -> Line:
    interval = trial.interval
    if trial.precision is None or interval is None:
        return [("dim", "precision: "), "not known: no recorded call with an outcome would be hit"]
    low, high = interval
    small = f"; n is too small to go by (under {_least()})" if trial.is_small else ""
    return [
        ("dim", "precision: "),
        f"{trial.precision:.0%} (n = {trial.known}, 95 % between {low:.0%} and {high:.0%}){small}",
    ]


def _least() -> int:
    from vault_cli.features.guard_trials import LEAST_CALLS

    return LEAST_CALLS


def list_failures(
    ctx: typer.Context,
    every: Annotated[
        bool, typer.Option("--all", help="Also those that are none, and single ones.")
    ] = False,
    show_benign: Annotated[
        bool, typer.Option("--benign", help="List the ends of commands that are no failure.")
    ] = False,
    source: Annotated[
        Path | None,
        typer.Option("--from", metavar="FILE", help="Take in JSON lines: tool, error, exit ..."),
    ] = None,
) -> int:
    """List what failed, by kind: how often, in how many sessions, whether a guard is due.

    Two failures are of one kind when tool and error are the same but for times, ports, paths,
    hashes and the like; codes count. Class P: something was missing; M: the call was wrong; A: the
    exit code was an answer, as of a grep without a match. Raw and corrected counts are both told.

    Examples:
      mvault guard failures
      mvault guard failures --all --json
    """
    from vault_cli.cli.guard_proposing import known_failures
    from vault_cli.cli.sightings import catch_up, read_groups, take_lines

    inv: Invocation = ctx.obj
    if show_benign:
        return _show_benign(inv)
    catch_up(inv)
    taken = take_lines(inv, inv.cwd / expand_home(str(source))) if source is not None else 0
    groups = read_groups(inv, _all_failures())
    known = known_failures(inv)
    threshold = int(inv.vault.config["guard.threshold"])
    shown = [group for group in groups if every or len(group.counted) > 1]
    rows = [_group_data(group, threshold, known) for group in shown]
    data = {
        "failures": rows,
        "threshold": threshold,
        "raw": sum(len(group.raw) for group in groups),
        "counted": sum(len(group.counted) for group in groups),
        "kinds": len(groups),
    }
    if source is not None:
        data["taken_in"] = taken
    due = [row for row in rows if row["due"]]
    hints = (f"{plural(len(due), 'guard')} to propose: mvault guard propose",) if due else ()
    notes = () if rows else ("nothing failed twice",)
    return inv.out.show(View(data, lambda: _failure_lines(data), notes=notes, hints=hints))


def _all_failures() -> list[Any]:
    from vault_cli.store.failures import open_sightings, sightings_path

    if not sightings_path().exists():
        return []
    with open_sightings() as seen:
        return list(seen.failures())


def _group_data(group: Group, threshold: int, known: dict[str, str]) -> dict[str, Any]:
    record_id = known.get(group.fingerprint, "")
    return {
        **group.as_data(),
        "first": _day(group.first),
        "last": _day(group.last),
        "record": record_id,
        "due": len(group.counted) >= threshold and not record_id,
    }


def _failure_lines(data: dict[str, Any]) -> Iterator[Line]:
    counted = f"{data['counted']:,} of them failures, {plural(data['kinds'], 'kind')}"
    yield [("dim", "seen: "), f"{plural(data['raw'], 'call')} ended other than with 0, {counted}"]
    for row in data["failures"]:
        error = inline(" / ".join(row["error"].split("\n")))[:_LINE]
        state = row["record"] or ("due" if row["due"] else "")
        yield [
            f"{row['fingerprint']}  {row['class']}  {row['counted']:>4}x ",
            ("dim", f"({row['raw']} raw, {plural(row['sessions'], 'session')})  "),
            f"{row['tool']}: {error}",
            ("yellow", f"  {state}" if state else ""),
        ]
        for why, number in row["benign"].items():
            yield [("dim", f"      {number} no failure: {inline(why)}")]


def _show_benign(inv: Invocation) -> int:
    from vault_cli.features.failures import read_benign

    rows: list[dict[str, Any]] = [
        {"words": " ".join(item.words), "exit": sorted(item.codes), "says": item.says}
        for item in read_benign(inv.vault.config["guard.benign"])
    ]

    def lines() -> Iterator[Line]:
        for row in rows:
            codes = f" exit={','.join(map(str, row['exit']))}" if row["exit"] else ""
            says = f" says={inline(row['says'])}" if row["says"] else ""
            yield f"{inline(row['words'])}{codes}{says}"

    hint = "Add one, or take one out with -LINE: mvault config set guard.benign LINE,LINE"
    return inv.out.show(View({"benign": rows}, lines, hints=(hint,)))


def propose(
    ctx: typer.Context,
    fingerprint: Annotated[
        list[str] | None,
        typer.Argument(metavar="[FINGERPRINT...]", help="None: all that are due."),
    ] = None,
) -> int:
    """Write a draft with a guard for each failure that repeated; nothing is in force by it.

    The draft carries the masked error and the words that all of the calls share. A failure that a
    record speaks of already, also a rejected one, is not proposed again.

    Examples:
      mvault guard propose
    """
    from vault_cli.cli.guard_proposing import propose_due
    from vault_cli.cli.sightings import catch_up

    inv: Invocation = ctx.obj
    catch_up(inv)
    done = propose_due(inv, fingerprint or ())
    data: dict[str, Any] = {
        "proposals": [
            {**item.group.as_data(), "id": item.record_id, "problem": item.problem} for item in done
        ],
        "changed": any(item.change for item in done) and not inv.options.dry_run,
    }
    notes = _proposal_notes(done, dry_run=inv.options.dry_run)
    if inv.options.dry_run:
        return _show_dry(inv, done, data, notes)
    fresh = [item.record_id for item in done if not item.problem]
    hints = tuple(f"Try it, then decide: mvault guard test {one}" for one in fresh[:3])
    return inv.out.show(View(data, lambda: fresh, notes=notes, hints=hints))


def _show_dry(
    inv: Invocation, done: Sequence[Proposal], data: dict[str, Any], notes: Sequence[str]
) -> int:
    """Show exactly what would be written."""
    from vault_cli.cli.preview import change_diff, plain

    for_person = inv.is_person
    lines: list[Line] = []
    for item in done:
        if item.change is not None:
            lines += change_diff(inv.root, item.change, veiled=False, for_person=for_person)
    data |= {"dry_run": True, "diff": plain(lines)}
    return inv.out.show(View(data, lambda: lines, notes=notes))


def _proposal_notes(done: Sequence[Proposal], *, dry_run: bool) -> tuple[str, ...]:
    if not done:
        return ("nothing to propose: no failure repeated often enough",)
    said = "dry run, nothing written: " if dry_run else ""
    return tuple(
        f"{said}{item.record_id or item.group.fingerprint}: "
        + (item.problem or f"proposed after {len(item.group.counted)} failures")
        for item in done
    )
