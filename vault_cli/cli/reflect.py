"""`reflect status|prepare|commit|abandon|precedent`. May import everything below `cli`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from vault_cli.cli import flags
from vault_cli.cli.app import PanelCommand
from vault_cli.cli.invocation import Invocation, Plan
from vault_cli.cli.output import Line, View, inline
from vault_cli.cli.reflect_runs import (
    DUE,
    AnswerFile,
    Language,
    find_run,
    keep_run,
    open_run,
    refusals,
    run_data,
    unreflected_of,
)
from vault_cli.cli.views import brief_data, plural
from vault_cli.errors import UsageError
from vault_cli.features import reflection as runs

if TYPE_CHECKING:
    from vault_cli.cli.reflect_material import Asked, Found
    from vault_cli.features.reflecting import Step
    from vault_cli.features.reflection import Run

_MOST_NAMED = 20

reflect = typer.Typer(
    add_completion=False,
    rich_markup_mode=None,
    no_args_is_help=False,
    help="Look back on work: prepare the material, take the agent's answer as candidates.\n\n"
    "Example: mvault reflect prepare --task t-7k3qd2m",
)

RunId = Annotated[
    str, typer.Argument(metavar="[RUN]", help="Id of a run; none: the only open one.")
]


@reflect.callback()
def reflect_group() -> None:
    """Look back on work: prepare the material, take the agent's answer as candidates.

    mvault calls no model. `prepare` prints a brief, an agent answers it, `commit` checks the
    answer and writes candidates; a person admits them or not.

    Examples:
      mvault reflect prepare --task t-7k3qd2m
      mvault reflect commit e-7k3qd2m --answer answer.json
    """


@reflect.command("status", cls=PanelCommand)
def status(ctx: typer.Context) -> int:
    """Say what waits for reflection: open runs, unreflected importance, what answers came to.

    Examples:
      mvault reflect status
    """
    from vault_cli.cli.shown import shown_of, work_of
    from vault_cli.features.learning import budget_of, on_trial

    inv: Invocation = ctx.obj
    inv.bear_bad_settings()
    snapshot = shown_of(inv)
    known = runs.runs_of(snapshot)
    left = unreflected_of(inv)
    budget = budget_of(work_of(inv), inv.vault.config, inv.now)
    today = inv.now.date()
    trials = on_trial(snapshot.records)
    data: dict[str, Any] = {
        "points": runs.points_of(left),
        "threshold": int(inv.vault.config["reflection.threshold"]),
        "unreflected": [record.id for record in left],
        "open": [run_data(run) for run in known if run.state in runs.OPEN],
        "states": {state: sum(run.state == state for run in known) for state in runs.STATES},
        "relations": runs.relation_counts(known),
        "gate_refused": refusals(inv),
        "budget": {**budget._asdict(), "left": budget.left},
        "trials": [
            {**brief_data(record), "until": day.isoformat(), "over": day < today}
            for record, day in trials
        ],
    }
    hints = []
    if data["points"] >= data["threshold"]:
        hints.append(DUE)
    return inv.out.show(View(data, lambda: _status_lines(data), hints=hints))


def _status_lines(data: dict[str, Any]) -> Iterator[Line]:
    yield f"unreflected: {data['points']} of {data['threshold']} importance points"
    for run in data["open"][:_MOST_NAMED]:
        yield [f"{run['id']}  {run['state']}  {run['mode']}  ", inline(run["title"])]
    states = data["states"]
    yield f"completed: {states['completed']}; abandoned: {states['abandoned']}"
    counts = data["relations"]
    told = ", ".join(f"{counts[name]} {name}" for name in runs.RELATIONS)
    refused = sum(data["gate_refused"].values())
    yield f"relations: {told}; {counts['override']} past the precedent gate"
    if refused:
        codes = ", ".join(f"{code} {number}" for code, number in data["gate_refused"].items())
        yield f"revisions the precedent gate refused on this machine: {refused} ({codes})"
    if data["budget"]["limit"] is not None:
        yield f"learned this week: {data['budget']['used']} of {data['budget']['limit']}"
    for trial in data["trials"][:_MOST_NAMED]:
        over = " (over)" if trial["over"] else ""
        yield [f"on trial until {trial['until']}{over}: {trial['id']}  ", inline(trial["title"])]


@reflect.command("prepare", cls=PanelCommand)
def prepare(
    ctx: typer.Context,
    run_id: RunId = "",
    mode: Annotated[str, typer.Option("--mode", "-m", help=f"{', '.join(runs.MODES)}.")] = "",
    task: Annotated[str, typer.Option("--task", metavar="ID", help="A task that ended.")] = "",
    session: flags.SessionId = "",
    log: Annotated[str, typer.Option("--log", metavar="PATH", help="The session's log.")] = "",
    record: Annotated[str, typer.Option("--record", metavar="ID", help="Of a dialectic.")] = "",
    topic: Annotated[str, typer.Option("--topic", metavar="NAME", help="To consolidate.")] = "",
    question: Annotated[
        list[str] | None, typer.Option("--question", help="Your own; at most three.")
    ] = None,
    language: Language = "",
    again: Annotated[
        bool, typer.Option("--again", help="Another run although one is completed.")
    ] = False,
) -> int:
    """Print the brief of a reflection: what was decided, what was in force, the questions.

    The words of a session are printed and never stored: a run keeps places and ids. Run twice, it
    prints the same run again.

    Examples:
      mvault reflect prepare --task t-7k3qd2m
      mvault reflect prepare --mode session --session 7f3a --language zh
      mvault reflect prepare --mode threshold --question "What do these failures share?"
      mvault reflect prepare --mode dialectic --record r-2p0x9aa
    """
    from vault_cli.cli.reflect_material import Asked, find_material
    from vault_cli.features.reflecting import plan_prepare

    inv: Invocation = ctx.obj
    known = find_run(inv, run_id) if run_id else None
    if known is not None:
        if known.state == runs.COMPLETED and not again:
            return _completed(inv, known)
        asked = _asked_of(known, question or (), language, log)
    else:
        chosen = mode or (runs.TASK if task else runs.DIALECTIC if record else "")
        if chosen not in runs.MODES or (chosen == runs.TASK and not task):
            raise UsageError(
                f"--mode {chosen}: unknown" if chosen not in (*runs.MODES, "") else
                "what is to be reflected on?",
                hint=f"--task ID, or --mode {'|'.join(runs.MODES[1:])}",
            )  # fmt: skip
        asked = Asked(chosen, task, session, log, record, topic, tuple(question or ()), language)
    found = find_material(inv, asked)
    if known is not None:
        found.target = found.target._replace(key=known.key, about=known.about, title=known.title)
        found.nothing = ""
    if found.nothing:
        return _nothing(inv, found.nothing, again=again)
    step = plan_prepare(
        inv.snapshot, found.target, found.given, inv.read,
        now=inv.now, actor=inv.actor, origin=inv.origin, again=again,
    )  # fmt: skip
    return _show_brief(inv, step, found)


def _asked_of(run: Run, questions: Sequence[str], language: str, log: str) -> Asked:
    from vault_cli.cli.reflect_material import Asked

    about = run.about
    kept = () if run.state == runs.PENDING else _own_questions(run)
    return Asked(
        run.mode,
        about.get("task", ""),
        about.get("session", ""),
        log,
        about.get("record", ""),
        about.get("topic", ""),
        tuple(questions) or ((about["question"],) if "question" in about else kept),
        language or run.language,
    )


def _own_questions(run: Run) -> tuple[str, ...]:
    """Return the questions that were the agent's own: those that have records of their own."""
    return tuple(one.text for one in run.questions if run.mode == runs.THRESHOLD or one.given)


def _nothing(inv: Invocation, why: str, *, again: bool) -> int:
    data = {"run": None, "brief": "", "changed": False, "again": again}
    return inv.out.show(View(data, notes=(f"nothing to do: {why}",)))


def _completed(inv: Invocation, run: Run) -> int:
    from vault_cli.features.reflecting import written_ids

    ids = written_ids(run)
    data = {"run": run_data(run), "brief": "", "changed": False, "ids": list(ids)}
    note = f"nothing to do: {run.id} is completed ({plural(len(ids), 'candidate')})"
    hint = "Another one: mvault reflect prepare --again"
    return inv.out.show(View(data, lambda: ids, notes=(note,), hints=(hint,)))


def _show_brief(inv: Invocation, step: Step, found: Found) -> int:
    from vault_cli.features.reflection_brief import Material, write_brief

    run = step.run
    if run.state == runs.COMPLETED:
        return _completed(inv, run)
    text = write_brief(
        Material(
            run,
            found.task.goal if found.task else "",
            found.task.expected if found.task else "",
            found.task.state if found.task else "",
            found.trace,
            found.environment,
            found.evidence,
            found.sources,
            found.open_task,
            bool(inv.vault.config["reflection.silent"]),
        )
    )
    data = {"run": run_data(run), "brief": text}
    if step.change.is_empty:
        keep_run(inv, run)
        note = f"nothing to write: {run.id} is {run.state}"
        return inv.out.show(View({**data, "changed": False}, raw=text, notes=(note,)))
    plan = Plan(
        step.change, f"{run.state} {run.id}", data=data, lines=text.rstrip("\n").split("\n")
    )
    return inv.submit(plan)


@reflect.command("commit", cls=PanelCommand)
def commit(ctx: typer.Context, run_id: RunId = "", answer: AnswerFile = "-") -> int:
    """Check an answer and write what it proposes as candidates, in one change.

    An answer with a fault writes nothing and names them all. The same answer again does nothing.
    Nothing it writes is in force: a person admits it or not.

    Examples:
      mvault reflect commit e-7k3qd2m --answer answer.json
      mvault reflect commit --answer - < answer.md
    """
    from vault_cli.cli.reflect_answer import commit_answer

    return commit_answer(ctx.obj, run_id, answer)


@reflect.command("abandon", cls=PanelCommand)
def abandon(ctx: typer.Context, run_id: RunId = "", reason: flags.Reason = "") -> int:
    """End a run without a result. What it was given stays unreflected.

    Examples:
      mvault reflect abandon e-7k3qd2m --reason "the session was only a trial"
    """
    from vault_cli.features.reflecting import plan_abandon

    inv: Invocation = ctx.obj
    run = open_run(inv, run_id)
    record = inv.snapshot.by_id[run.id]
    step = plan_abandon(
        record, inv.read(record.path), reason, now=inv.now, actor=inv.actor, origin=inv.origin
    )
    plan = Plan(step.change, f"abandoned {run.id}", data={"run": run_data(step.run)})
    plan.nothing = f"{run.id} is abandoned already"
    return inv.submit(plan)


@reflect.command("precedent", cls=PanelCommand)
def precedent(ctx: typer.Context, ids: flags.SomeIds = None, limit: flags.Limit = 20) -> int:
    """Say how the tasks ended that had a record before them, and those that had not.

    Records in force together share their tasks, so the counts measure exposure; the share of tasks
    without it is told beside them. Nothing is done because of them.

    Examples:
      mvault reflect precedent l-7k3qd2m
      mvault reflect precedent
    """
    from vault_cli.cli.shown import find_shown, shown_of
    from vault_cli.features.precedent import precedent_of
    from vault_cli.features.task_records import all_tasks

    inv: Invocation = ctx.obj
    named = [find_shown(inv, text) for text in ids or ()]
    snapshot = shown_of(inv)
    tasks = all_tasks(snapshot.speaking())
    repeats = runs.repeats_of(runs.runs_of(snapshot))
    had = {own for task in tasks for own in task.environment}
    chosen = named or [record for record in snapshot.records if record.id in had]
    rows = [
        (
            record,
            precedent_of(
                record.id, tasks,
                exposures=snapshot.tally(record.id).exposures, repeats=repeats[record.id],
            ),
        )
        for record in chosen
    ]  # fmt: skip
    rows.sort(key=lambda row: (-row[1].failed, -row[1].succeeded, row[0].id))
    shown = rows if named or not limit else rows[:limit]
    data = {
        "records": [{**brief_data(record), **found.as_data()} for record, found in shown],
        "tasks": len(tasks),
    }

    def lines() -> Iterator[Line]:
        for record, found in shown:
            again = f"; met again {found.repeats}x" if found.repeats else ""
            yield [f"{record.id}  ", inline(record.title)]
            yield [("dim", f"  {found.describe()}; shown {found.exposures}x{again}")]

    notes = () if shown else ("no finished task is recorded as having had a record",)
    return inv.out.show(View(data, lines, notes=notes))
