"""What is said of a change that was made. May import everything below `cli`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from vault_cli.cli.output import View
from vault_cli.model.change import Receipt

if TYPE_CHECKING:
    from vault_cli.cli.consent import Plan
    from vault_cli.cli.invocation import Invocation


def do_and_tell(
    inv: Invocation,
    plan: Plan,
    data: Mapping[str, Any],
    apply: Callable[[], Receipt],
    where: str,
) -> int:
    """Carry out a change that was agreed to, say what came of it, and return the exit code.

    What is proposed once (`Plan.once`) is looked for while nobody else proposes.

    Args:
        inv: the run.
        plan: the change and how the command speaks about it.
        data: what `--json` shows of the plan.
        apply: carries it out.
        where: in which vault, in words; "" when there is only one.
    """
    from vault_cli.cli.preview import touched_notes

    known = ""
    if plan.once is None:
        receipt = apply()
    else:
        from vault_cli.cli.once import in_turn

        with in_turn(inv):
            known = plan.once()
            receipt = Receipt() if known else apply()
    if known:
        return inv.out.show(_known_view(known, data))
    touched = data["touched"]
    told = tuple(touched_notes(inv.snapshot, touched)) if touched else ()
    return inv.out.show(done_view(plan, receipt, data, where, told))


def _known_view(known: str, data: Mapping[str, Any]) -> View:
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
