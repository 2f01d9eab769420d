"""A person's word: `approve`, `reject`. May import everything below `cli`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from vault_cli.cli import flags
from vault_cli.cli.deciding import approval_card, decide_about, reason_for
from vault_cli.cli.invocation import Invocation, Plan
from vault_cli.cli.views import plural
from vault_cli.errors import RefusedError
from vault_cli.model.record import Kind, Record, Status

if TYPE_CHECKING:
    from vault_cli.errors import Diagnostic


def approve(
    ctx: typer.Context,
    ids: flags.DraftIds,
    allow: Annotated[
        list[str] | None,
        typer.Option("--allow", metavar="CODE", help="Let a holding finding pass (repeatable)."),
    ] = None,
    reason: flags.Reason = "",
    yes: flags.Yes = False,
) -> int:
    """Put drafts in force. Needs a person: the change is shown first, then asked about.

    All of them become active in one commit; what they supersede goes out of force in the same
    one. A record that is active already is left alone, unless it is held and --allow names why.

    Examples:
      mvault approve l-7k3qd2m
      mvault approve l-7k3 r-aa8 --yes
      mvault approve n-3d90x1c --allow hidden-characters --reason "shows the attack"
    """
    inv: Invocation = ctx.obj
    records = inv.find_all(ids)
    if allow and any(not record.in_force or record.held_by for record in records):
        require_person_to_allow(inv, yes=yes)
        reason = reason_for(inv, records[0].id, "approve", reason)
    return inv.submit(plan_approval(inv, records, allow=allow or (), reason=reason, yes=yes))


def require_person_to_allow(inv: Invocation, *, yes: bool) -> None:
    """Let only a person wave a finding through; what approves by a rule cannot have read it."""
    from vault_cli.features.records import PERSON_ONLY
    from vault_cli.model.lifecycle import Actor

    if inv.decider(yes=yes) is not Actor.PERSON:
        raise RefusedError("--allow is for a person, not for a policy", hint=PERSON_ONLY)


def plan_approval(
    inv: Invocation,
    records: tuple[Record, ...],
    *,
    allow: list[str] | tuple[str, ...] = (),
    reason: str = "",
    yes: bool = False,
) -> Plan:
    """Return the plan that puts records in force; the proposal of a skill writes the skill."""
    if any(record.kind is Kind.SKILL for record in records):
        from vault_cli.cli.graduating import plan_skill

        if (plan := plan_skill(inv, records, yes=yes)) is not None:
            return plan
    from vault_cli.features.approval import needed_paths, plan_approve

    _require_budgets(inv, records)
    texts = {path: inv.read(path) for path in needed_paths(inv.snapshot, records)}
    planned = plan_approve(
        inv.snapshot,
        records,
        texts,
        now=inv.now,
        actor=inv.decider(yes=yes),
        how="terminal",
        random_int=inv.random_int,
        allow=tuple(allow),
        reason=reason,
    )
    own = [found for record in records for found in record.findings if not record.in_force]
    beside = _alike_findings(inv, records) if inv.options.json and not yes else ()
    one = f"{records[0].id}: {records[0].title}"
    what = one if len(records) == 1 else plural(len(records), "record")
    return Plan(
        planned.change,
        f"approved {what}",
        f"Approve {what}?",
        person=True,
        yes=yes,
        # Where --yes counts nobody would read what is like them.
        card=()
        if inv.options.json or (yes and inv.consent(yes=yes).how)
        else [line for record in records for line in approval_card(inv, record)],
        findings=() if planned.change.is_empty else (*own, *planned.notes, *beside),
        nothing="already in force",
    )


def _require_budgets(inv: Invocation, records: tuple[Record, ...]) -> None:
    """Refuse a persona that is longer than its budget; it would stand in every block."""
    for record in records:
        if record.kind is Kind.PERSONA and record.is_draft:
            from vault_cli.features.persona import BUDGET_KEYS, require_within, role_of, text_of

            role = role_of(record)
            require_within(text_of(record), role, int(inv.reading.config[BUDGET_KEYS[role]]))


def _alike_findings(inv: Invocation, records: tuple[Record, ...]) -> tuple[Diagnostic, ...]:
    from vault_cli.cli.alike import nearby
    from vault_cli.cli.shown import admitted_of
    from vault_cli.features.likeness import find_alike

    drafts = [record for record in records if not record.in_force]
    snapshot = admitted_of(inv)  # a text that waits is no measure of a draft
    near = nearby(inv, snapshot)
    return tuple(f for record in drafts for f in find_alike(snapshot, record, inv.now, near))


def reject(
    ctx: typer.Context,
    record_id: flags.DraftId,
    reason: flags.Reason = "",
    yes: flags.Yes = False,
) -> int:
    """Turn a draft down. The reason becomes a decision, so that it is not proposed again.

    Examples:
      mvault reject l-7k3qd2m --reason "only true on Windows, where we do not build"
    """
    inv: Invocation = ctx.obj
    record = inv.find(record_id)
    if record.status is not Status.REJECTED:
        reason = reason_for(inv, record.id, "reject", reason)
    return inv.submit(plan_rejection(inv, record, reason=reason, yes=yes))


def plan_rejection(inv: Invocation, record: Record, *, reason: str, yes: bool = False) -> Plan:
    """Return the plan that rejects a draft.

    Raises:
        UsageError: no reason. RefusedError: the lifecycle does not allow it.
    """
    from vault_cli.features.approval import plan_reject

    planned = plan_reject(
        inv.snapshot,
        record,
        inv.read(record.path),
        reason=reason,
        now=inv.now,
        actor=inv.decider(yes=yes),
        random_int=inv.random_int,
    )
    plan = decide_about(planned, record, "rejected", "Reject", yes=yes)
    plan.nothing = "rejected already"
    return plan
