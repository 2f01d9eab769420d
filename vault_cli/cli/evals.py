"""`eval run|add|export|compare`. May import everything below `cli`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Any

import typer

from vault_cli.cli import flags
from vault_cli.cli.app import PanelCommand
from vault_cli.cli.complete import complete_id
from vault_cli.cli.invocation import Invocation, Plan
from vault_cli.cli.output import Line, View, inline
from vault_cli.cli.views import plural
from vault_cli.errors import NotFoundError, UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from vault_cli.features.evals import Case, Compared, Report
    from vault_cli.model.record import Record

evals = typer.Typer(
    add_completion=False,
    rich_markup_mode=None,
    no_args_is_help=False,
    help="Ask frozen questions; fail when it got worse.\n\nExample: mvault eval run",
)


@evals.callback()
def eval_group() -> None:
    """Ask frozen questions, and say whether the vault still answers them.

    The cases stand in eval/cases.toml: a question and the ids of which one must be among the first
    three hits. What replaced a record counts for it. No model is called.

    Examples:
      mvault eval add "why does npx hang offline" --expect l-7k3qd2m
      mvault eval run --gate
    """


@evals.command("run", cls=PanelCommand)
def run_all(
    ctx: typer.Context,
    baseline: Annotated[
        bool, typer.Option("--baseline", help="Keep this result as what later runs must reach.")
    ] = False,
    gate: Annotated[
        bool, typer.Option("--gate", help="Exit 1 when fewer cases pass than in the baseline.")
    ] = False,
    yes: flags.Yes = False,
) -> int:
    """Ask every case; compare with the baseline (eval/baseline.json).

    A case that passed in the baseline and was taken out since counts as one that fails: cases are
    frozen. Keeping a baseline needs a person.

    Examples:
      mvault eval run
      mvault eval run --baseline
      mvault eval run --gate
    """
    from vault_cli.features.evals import BASELINE, write_baseline

    inv: Invocation = ctx.obj
    if baseline and gate:
        raise UsageError("--baseline and --gate do not go together")
    report = run_report(inv)
    if report is None:
        raise NotFoundError("there are no cases", hint='mvault eval add "…" --expect ID')
    if gate and report.before is None:
        raise NotFoundError("there is no baseline", hint="mvault eval run --baseline")
    if baseline:
        return _keep(inv, BASELINE, write_baseline(report.found), report, yes=yes)
    gone = plural(len(report.missing), "case")
    notes = [f"gone of the baseline: {gone}"] if report.missing else []
    if report.is_below:
        notes.append("below the baseline")
    code = 1 if gate and report.is_below else 0
    return inv.out.show(View(report.data(), lambda: _lines(report), notes=notes, exit_code=code))


def run_report(inv: Invocation) -> Report | None:
    """Ask the cases of the vault; None when there are none.

    Raises:
        UsageError: a file of cases cannot be read.
    """
    from vault_cli.cli.clocks import set_clocks
    from vault_cli.features.evals import BASELINE, MOST, Report, read_baseline, run_cases

    cases = _cases(inv)
    if not cases:
        return None
    clocks = set_clocks(inv, guarded=True, standing=True)

    def ask(question: str) -> list[Record]:
        from vault_cli.cli.search import find_hits, narrow_by

        narrow = narrow_by("", None, None, None, ("", ""))
        results, _ = find_hits(inv, clocks, question, (MOST, 0), narrow, None, expand=False)
        return [hit.record for hit in results.hits]

    found = run_cases(clocks.snapshot, cases, ask)
    old = _text(inv, BASELINE)
    return Report(tuple(found), read_baseline(old) if old is not None else None)


def _cases(inv: Invocation) -> list[Case]:
    from vault_cli.features.evals import CASES, read_cases

    return read_cases(_text(inv, CASES) or b"")


def _text(inv: Invocation, path: str) -> bytes | None:
    """Return the bytes of a file, None when it is not there."""
    try:
        return inv.read(path)
    except NotFoundError:
        return None


def _lines(report: Report) -> Iterator[Line]:
    yield [("bold", "first: "), report.top1.describe()]
    yield [("bold", "among three: "), report.passed.describe()]
    if report.before is not None:
        yield [("bold", "worse than the baseline: "), str(len(report.worse))]
    for item in report.found:
        if not item.passed:
            where = f"place {item.place}" if item.place else "not found"
            best = f"; first is {inline(item.best)}" if item.best else ""
            wanted = ", ".join(map(inline, item.case.expect))
            yield f"{inline(item.case.question)}: {wanted} {where}{best}"


def _keep(inv: Invocation, path: str, data: bytes, report: Report, *, yes: bool) -> int:
    plan = Plan(
        _put(inv, path, data, "baseline", f": {report.passed.part} of {report.passed.total} pass"),
        f"kept as the baseline: {report.passed.part} of {report.passed.total} pass",
        "Keep it as the baseline?",
        person=True,
        yes=yes,
        data=report.data(),
        lines=(path,),
    )
    plan.nothing = "the baseline says so already"
    return inv.submit(plan)


def _put(inv: Invocation, path: str, data: bytes, verb: str, subject: str) -> Any:
    from vault_cli.features.records import digest_of
    from vault_cli.model.change import ABSENT, Change, Put

    old = _text(inv, path)
    edits = () if old == data else (Put(path, data, digest_of(old) if old is not None else ABSENT),)
    return Change(verb, subject, edits, actor=inv.actor, origin=inv.origin)


@evals.command("add", cls=PanelCommand)
def add(
    ctx: typer.Context,
    question: Annotated[str, typer.Argument(metavar="QUESTION", help="As somebody would ask.")],
    expect: Annotated[
        list[str] | None,
        typer.Option("--expect", help="Id that must be found.", autocompletion=complete_id),
    ] = None,
) -> int:
    """Freeze one more question, with the records of which one must be found.

    Examples:
      mvault eval add "why does npx hang offline" --expect l-7k3qd2m
      mvault eval add "支付回调多久必须应答" --expect f-2p0x9aa --expect r-aa81mmz
    """
    from vault_cli.features.evals import CASES, with_case

    inv: Invocation = ctx.obj
    if not expect:
        raise UsageError("a case says what must be found", hint="Add --expect ID.")
    ids = [record.id for record in inv.find_all(expect)]
    data = with_case(_text(inv, CASES) or b"", question, ids)
    change = _put(inv, CASES, data, "eval", f": {' '.join(question.split())}")
    plan = Plan(change, f"added a case to {CASES}", data={"expect": ids}, lines=(CASES,))
    plan.nothing = "the case is there already"
    return inv.submit(plan)


@evals.command("export", cls=PanelCommand)
def export(ctx: typer.Context) -> int:
    """Print each case twice for a run elsewhere, with the block of the vault and without it.

    One JSON object a line: case, memory (true or false), question, block. Whoever runs the agent
    judges the answers and gives the verdicts to `eval compare`.

    Examples:
      mvault eval export > questions.jsonl
    """
    import json

    inv: Invocation = ctx.obj
    rows = [row for case in _cases(inv) for row in _exported(inv, case)]
    if not rows:
        raise NotFoundError("there are no cases", hint='mvault eval add "…" --expect ID')
    lines = [json.dumps(row, ensure_ascii=False) for row in rows]
    return inv.out.show(View({"rows": rows}, lambda: lines))


def _exported(inv: Invocation, case: Case) -> Iterator[Mapping[str, Any]]:
    from vault_cli.recall.block import RenderOptions
    from vault_cli.recall.render import render_block
    from vault_cli.recall.select import Query, select_records

    snapshot = inv.reading.snapshot(whole=True, guarded=True)
    query = Query(now=inv.now, text=case.question)
    budget = int(inv.reading.config["render.budget"])
    block = render_block(select_records(snapshot, query), query, RenderOptions(budget=budget))
    yield {"case": case.key, "memory": True, "question": case.question, "block": block.text}
    yield {"case": case.key, "memory": False, "question": case.question, "block": ""}


@evals.command("compare", cls=PanelCommand)
def compare(
    ctx: typer.Context,
    path: Annotated[str, typer.Argument(metavar="FILE", help="Verdicts; `-` reads stdin.")],
) -> int:
    """Compare answers with and without the vault: how many got better, and how many worse.

    FILE has one JSON object a line: {"case": KEY, "memory": true or false, "ok": true or false}.
    Memory can make answers worse: both ways are counted. Exit 1 when more got worse than better.

    Examples:
      mvault eval compare verdicts.jsonl
    """
    from vault_cli.cli.intake import read_stdin
    from vault_cli.features.evals import compare_answers

    inv: Invocation = ctx.obj
    text = read_stdin() if path == "-" else _outside(inv, path)
    found = compare_answers(text)
    code = 1 if found.only_without > found.only_with else 0
    return inv.out.show(View(found.data(), lambda: _compared(found), exit_code=code))


def _outside(inv: Invocation, path: str) -> str:
    try:
        return (inv.cwd / path).read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "not UTF-8"
        raise UsageError(f"{path} cannot be read: {reason}") from error


def _compared(found: Compared) -> Iterator[Line]:
    from vault_cli.model.shares import Share, paired_chance

    total = found.both + found.only_with + found.only_without + found.neither
    yield [
        ("bold", "right with the vault: "),
        Share(found.both + found.only_with, total).describe(),
    ]
    right = Share(found.both + found.only_without, total).describe()
    yield [("bold", "right without it: "), right]
    chance = paired_chance(found.only_with, found.only_without)
    told = "" if chance is None else f"; so uneven by chance alone: {chance:.0%}"
    yield f"{found.only_with} better with it, {found.only_without} worse with it{told}"
    if found.alone:
        yield f"judged only one way, not counted: {len(found.alone)}"
