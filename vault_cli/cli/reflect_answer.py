"""`reflect commit`: an answer becomes candidates. May import everything below `cli`."""

from __future__ import annotations

from pathlib import Path

from vault_cli.cli.intake import read_stdin
from vault_cli.cli.invocation import Invocation, Plan
from vault_cli.cli.reflect_logs import require_no_subagent
from vault_cli.cli.reflect_material import moment_text
from vault_cli.cli.reflect_runs import note_refusals, open_run, run_data
from vault_cli.cli.shown import shown_of, work_of
from vault_cli.cli.views import plural
from vault_cli.errors import UsageError
from vault_cli.features.answers import read_answer
from vault_cli.features.learning import budget_of
from vault_cli.features.reflection_commit import GatedError, digest_answer, plan_commit
from vault_cli.features.reflection_items import Bench
from vault_cli.features.task_records import all_tasks

_MOST = 1 << 20


def read_answer_text(inv: Invocation, name: str) -> str:
    """Return an answer from a file or stdin.

    Raises:
        UsageError: it cannot be read, is not UTF-8, or is longer than any answer.
    """
    if name == "-":
        return read_stdin()
    path = Path(name) if Path(name).is_absolute() else inv.cwd / name
    try:
        data = path.read_bytes()
    except OSError as error:
        raise UsageError(f"--answer {name} cannot be read: {error.strerror}") from error
    if len(data) > _MOST:
        raise UsageError(f"--answer {name} holds more than 1 MiB")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UsageError(f"--answer {name} is not UTF-8 text") from error


def commit_answer(inv: Invocation, run_id: str, name: str) -> int:
    """Check an answer and write its candidates.

    Raises:
        RefusedError: a subagent asks, or the answer has faults (all are named).
    """
    from vault_cli.cli.rendering import find_project, scope_here

    require_no_subagent(inv)
    text = read_answer_text(inv, name)
    answer = read_answer(text)
    run = open_run(inv, run_id, answer.get("run"))
    snapshot = inv.whole_snapshot()
    bench = Bench(
        run,
        snapshot,
        all_tasks(shown_of(inv).speaking()),
        lambda scope: scope_here(inv, scope, "scope"),
        bool(find_project(inv)),
        moment_text(inv.now),
        budget_of(work_of(inv), inv.vault.config, inv.now),
    )
    try:
        step = plan_commit(
            bench,
            inv.read(run.path),
            answer,
            digest_answer(text),
            now=inv.now,
            actor=inv.actor,
            origin=inv.origin,
            gates=inv.vault.config.gates,
        )
    except GatedError as error:
        note_refusals(inv, error.codes)
        raise
    plan = Plan(
        step.change,
        f"completed {run.id}: {plural(len(step.ids), 'candidate')}",
        lines=step.ids,
        findings=step.notes,
        data={"run": run_data(step.run), "candidates": list(step.ids)},
    )
    plan.nothing = f"{run.id} was completed with this answer"
    if step.ids:
        plan.hints = [f"A person admits it or not: mvault approve {' '.join(step.ids)}"]
    return inv.submit(plan)
