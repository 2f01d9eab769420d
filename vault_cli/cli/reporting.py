"""What is said of a change that was made. May import everything below `cli`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from vault_cli.cli.output import View

if TYPE_CHECKING:
    from vault_cli.cli.consent import Plan
    from vault_cli.model.change import Receipt


def known_view(known: str, data: Mapping[str, Any]) -> View:
    """Return the answer that a record says already what was to be proposed."""
    same = {**data, "ids": [known], "id": known, "records": [], "changed": False, "applied": False}
    same = {key: value for key, value in same.items() if key not in {"path", "paths", "diff"}}
    return View(same, lambda: (known,), notes=(f"nothing to do: {known} says so already",))


def done_view(
    plan: Plan, receipt: Receipt, data: Mapping[str, Any], where: str, touched: Sequence[str]
) -> View:
    """Return the answer that a change was made.

    Args:
        plan: the change and how the command speaks about it.
        receipt: what the gate gave back.
        data: what `--json` shows of the plan.
        where: in which vault, in words; "" when there is only one.
        touched: notes about records that came along.
    """
    notes = []
    if receipt.edit_commits:
        notes.append(f"recorded pending hand edits first (commit {receipt.edit_commits[0][:10]})")
    commit = f" (commit {receipt.commit[:10]})" if receipt.commit else ""
    notes += [f"{plan.done}{where}{commit}", *touched]
    answer = plan.lines if plan.lines is not None else tuple(plan.change.ids)
    full = {
        **data,
        "changed": bool(receipt.commit or receipt.paths),
        "applied": True,
        "commit": receipt.commit,
        "edit_commits": list(receipt.edit_commits),
    }
    found = tuple(dict.fromkeys((*plan.findings, *receipt.diagnostics)))
    return View(full, lambda: answer, None, found, notes, plan.hints, plan.exit_code)
