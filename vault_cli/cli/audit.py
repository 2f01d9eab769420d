"""`audit`: how the vault does, each part by itself. May import everything below `cli`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import typer

from vault_cli.cli.invocation import Invocation
from vault_cli.cli.output import Line, View, inline
from vault_cli.cli.views import plural


def audit(ctx: typer.Context) -> int:
    """Say how the vault does, in four parts, each with who judges it. There is no total.

    memory: what the files say. retrieval: the frozen cases (`mvault eval`). feedback: what was
    judged, and what was used of what was shown. outcomes: whether tasks failed again, and whether
    what was rejected was proposed again, with and without the vault; counts, and no proof.

    Examples:
      mvault audit
      mvault audit --json
    """
    from vault_cli.cli.evals import run_report
    from vault_cli.cli.shown import admitted_of, work_of
    from vault_cli.cli.usage import add_up, read_log
    from vault_cli.features.audits import audit_data
    from vault_cli.features.outcomes import study

    inv: Invocation = ctx.obj
    inv.bear_bad_settings()
    log = read_log(inv)
    inv.whole_snapshot()
    tallied = replace(admitted_of(inv), tallies=add_up(inv, log.pool).tallies)
    data = audit_data(tallied, run_report(inv), study(work_of(inv), log.pool, inv.now), inv.now)
    return inv.out.show(View(data, lambda: _lines(data["parts"]), diagnostics=log.findings))


def _lines(parts: Mapping[str, Any]) -> Iterator[Line]:
    shown = {
        "memory": _memory,
        "retrieval": _retrieval,
        "feedback": _feedback,
        "outcomes": _outcomes,
    }
    for number, (name, part) in enumerate(parts.items()):
        if number:
            yield ""
        yield [("bold", name), ("dim", f"  judged by {part['judge']}")]
        yield from (f"  {line}" for line in shown[name](part))


def _memory(part: Mapping[str, Any]) -> Iterator[str]:
    names = [key for key in part if key not in ("judge", "total")]
    counts = ", ".join(f"{part[key]} {key.replace('_', ' ')}" for key in names)
    yield f"{part['total']} records: {counts}"


def _retrieval(part: Mapping[str, Any]) -> Iterator[str]:
    if not part["measured"]:
        yield "not measured: there are no cases (mvault eval add)"
        return
    yield f"first: {_share(part['top1'])}; among three: {_share(part['top3'])}"
    if not part["baseline"]:
        yield "no baseline (mvault eval run --baseline)"
    else:
        told = "below the baseline" if part["below"] else "not below the baseline"
        yield f"{told}; {plural(len(part['worse']), 'case')} worse, {len(part['missing'])} gone"


def _feedback(part: Mapping[str, Any]) -> Iterator[str]:
    yield f"judged helpful: {_share(part['helpful'])}"
    yield f"records used of those shown: {_share(part['adopted'])}"
    for row in part["demote"]:
        judged = row["helpful"] + row["harmful"]
        yield f"look at {inline(row['id'])}: harmful in {row['harmful']} of {judged} judgements"


def _outcomes(part: Mapping[str, Any]) -> Iterator[str]:
    repeat, again = part["repeat_failure"], part["reproposal"]
    yield f"{plural(part['tasks'], 'task')} succeeded or failed"
    yield f"failed again, with the vault: {_share(repeat['with'])}"
    yield f"failed again, without it: {_share(repeat['without'])}"
    about = _share(repeat["with_a_record_about_it"])
    yield f"failed again with a record about the failure shown: {about}"
    yield f"proposed again what was rejected, with the vault: {_share(again['with'])}"
    yield f"proposed again what was rejected, without it: {_share(again['without'])}"
    if again["session_unknown"]:
        yield f"proposals of which no session is known, not counted: {again['session_unknown']}"
    yield str(part["note"])


def _share(data: Mapping[str, Any]) -> str:
    from vault_cli.model.shares import Share

    return Share(data["part"], data["total"]).describe()
