"""What a person is shown and asked when a draft is decided about. May import all below `cli`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from vault_cli.cli.invocation import Invocation, Plan
from vault_cli.cli.output import Line, inline
from vault_cli.cli.views import show_lines
from vault_cli.errors import UsageError

if TYPE_CHECKING:
    from vault_cli.features.records import Planned
    from vault_cli.model.record import Record


def reason_for(inv: Invocation, record_id: str, verb: str, reason: str) -> str:
    """Return the reason that was typed, or that a person at the terminal gives when asked.

    Raises:
        UsageError: there is none.
    """
    if not reason.strip() and inv.is_person:
        reason = inv.out.ask("Why? ")
    if not reason.strip():
        raise UsageError(
            f"{verb} needs a reason", hint=f'Run: mvault {verb} {record_id} --reason "…"'
        )
    return reason.strip()


def approval_card(inv: Invocation, record: Record) -> list[Line]:
    """Return what a person is about to put in force, what it replaces, and what is like it."""
    if record.in_force:
        return []
    from vault_cli.cli.alike import beside_lines

    return [
        *show_lines(record),
        "",
        *replaced_lines(inv, record),
        *evidence_lines(inv, record),
        *beside_lines(inv, record),
    ]


def replaced_lines(inv: Invocation, record: Record) -> list[Line]:
    """Return, for each record that this one supersedes, its text against the new one."""
    from vault_cli.cli.preview import compact_diff

    lines: list[Line] = []
    for old in filter(None, map(inv.snapshot.by_id.get, record.supersedes)):
        lines.append([("bold", f"replaces {old.id}"), f": {inline(old.title)}"])
        lines += [*compact_diff(old, record), ""]
    return lines


def evidence_lines(inv: Invocation, record: Record) -> list[Line]:
    """Return the tasks that a record rests on beside the condition it names.

    Whether work that failed is a case of the condition can only be judged by who reads both: the
    precedent gate checks that the tasks are there, failed, and had been shown the record (L-43).
    """
    from vault_cli.features.task_records import read_task
    from vault_cli.model.record import Kind

    found = (inv.snapshot.by_id.get(name) for name in record.derived_from)
    tasks = [read_task(one) for one in found if one is not None and one.kind is Kind.TASK]
    if not tasks:
        return []
    condition = record.applies_when or "(it says no condition)"
    lines: list[Line] = [[("bold", "rests on these tasks"), "; is each a case of its condition?"]]
    lines.append(f"  applies when: {inline(condition)}")
    for task in tasks:
        result = f"; {inline(task.result)}" if task.result else ""
        lines.append(f"  {task.record.id} {task.state}: {inline(task.goal)}{result}")
    return [*lines, ""]


def decide_about(planned: Planned, record: Record, done: str, verb: str, *, yes: bool) -> Plan:
    """Return the plan of a person's decision about one record.

    Args:
        planned: the change.
        record: what is decided about.
        done: the verb for what was done, as "rejected".
        verb: the verb of the question, as "Reject".
        yes: whether the person agreed already.
    """
    what = f"{record.id}: {record.title}"
    return Plan(
        planned.change,
        f"{done} {what}",
        f"{verb} {what}?",
        person=True,
        yes=yes,
        findings=planned.notes,
    )
