"""Two records at once: `merge`, `conflict`. May import everything below `cli`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from vault_cli.cli import flags
from vault_cli.cli.complete import complete_id
from vault_cli.cli.deciding import reason_for
from vault_cli.cli.guarding import require_admitted
from vault_cli.cli.invocation import Invocation, Plan
from vault_cli.errors import UsageError

if TYPE_CHECKING:
    from vault_cli.model.record import Record

Second = Annotated[
    str,
    typer.Argument(
        metavar="ID", help="The other one: id, its beginning, a path.", autocompletion=complete_id
    ),
]


def merge(
    ctx: typer.Context,
    record_id: flags.AnyId,
    other_id: Second,
    into: Annotated[
        str,
        typer.Option(
            "--into", help="Which of the two stays; else the first.", autocompletion=complete_id
        ),
    ] = "",
    force: Annotated[
        bool,
        typer.Option("--force", help="Also when they contradict each other; needs --reason."),
    ] = False,
    reason: flags.Reason = "",
    yes: flags.Yes = False,
) -> int:
    """Put two records that say the same into one. The first keeps its id and its text.

    It gets what the other says beyond it, and its topics, keywords, aliases and evidence. The
    other is superseded by it and keeps its text. The whole change is shown first; `mvault undo`
    brings both back.

    Examples:
      mvault merge l-7k3qd2m l-2p0x9aa --dry-run
      mvault merge l-7k3qd2m l-2p0x9aa --into l-2p0x9aa
      mvault merge r-aa8 r-1bc --force --reason "the exception is part of the rule now"
    """
    from vault_cli.features.merging import MergeRequest, plan_merge

    inv: Invocation = ctx.obj
    kept, gone = inv.find(record_id), inv.find(other_id)
    if into:
        kept, gone = _chosen(kept, gone, inv.find(into))
    require_admitted(inv.vault, "merge", kept, gone)
    if force:
        reason = reason_for(inv, f"{kept.id} {gone.id}", "merge --force", reason)
    request = MergeRequest(kept, gone, reason if force else "", reason)
    planned = plan_merge(
        inv.snapshot,
        request,
        {record.path: inv.read(record.path) for record in (kept, gone)},
        now=inv.now,
        actor=inv.decider(yes=yes),
    )
    plan = Plan(
        planned.change,
        f"merged {gone.id} into {kept.id}: {kept.title}",
        f"Merge {gone.id} into {kept.id}?",
        person=True,
        yes=yes,
        findings=planned.notes,
        nothing=f"{gone.id} was merged into {kept.id} already",
        hints=(f"Read the joined text once: mvault show {kept.id}",),
    )
    return inv.submit(plan)


def _chosen(one: Record, other: Record, into: Record) -> tuple[Record, Record]:
    if into.path == one.path:
        return one, other
    if into.path == other.path:
        return other, one
    raise UsageError(
        f"--into names {into.id}, which is neither of the two",
        hint=f"Name {one.id} or {other.id}.",
    )


def conflict(
    ctx: typer.Context,
    record_id: flags.AnyId,
    other_id: Second,
    kind: Annotated[
        str,
        typer.Option("--type", "-t", help="condition, goal, contradiction or apparent."),
    ] = "",
    remove: Annotated[
        bool, typer.Option("--remove", help="Take the conflict out on both sides.")
    ] = False,
    reason: flags.Reason = "",
    yes: flags.Yes = False,
) -> int:
    """Name two records as being in conflict, on both sides; nothing is ruled.

    Types: condition (each is right under a condition of its own), goal (they serve different
    goals), contradiction (under the same condition they say the opposite), apparent (a general
    rule and its exception). A render shows them side by side and leaves the choice open.

    Examples:
      mvault conflict r-aa81mmz r-3d90x1c --type condition
      mvault conflict r-aa81mmz r-3d90x1c --remove
    """
    from vault_cli.features.conflicts import MEANINGS, plan_conflict

    inv: Invocation = ctx.obj
    pair = inv.find(record_id), inv.find(other_id)
    if not kind and not remove:
        known = "; ".join(f"{name}: {meaning}" for name, meaning in MEANINGS.items())
        run = f"Run: mvault conflict {pair[0].id} {pair[1].id} --type TYPE"
        raise UsageError("--type is missing", hint=f"{run}, which is one of {known}")
    require_admitted(inv.vault, "conflict", *pair)
    in_force = any(record.in_force for record in pair)
    planned = plan_conflict(
        pair,
        {record.path: inv.read(record.path) for record in pair},
        kind=kind or "contradiction",
        remove=remove,
        reason=reason,
        actor=inv.decider(yes=yes) if in_force else inv.actor,
    )
    ids = " and ".join(record.id for record in pair)
    done = f"{ids} are in conflict ({kind}); nothing was ruled"
    plan = Plan(
        planned.change,
        f"{ids} are in no conflict any more" if remove else done,
        "Take it out?" if remove else "Name it on both?",
        yes=yes,
        nothing=f"{ids} are in no conflict" if remove else f"{ids} name it on both sides",
    )
    return inv.submit(plan)
