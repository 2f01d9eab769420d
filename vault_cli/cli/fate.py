"""What becomes of a record: `dispute`, `resolve`, `supersede`, `revive`. May import all below."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from vault_cli.cli import flags
from vault_cli.cli.deciding import approval_card, decide_about, reason_for
from vault_cli.cli.filters import one_of
from vault_cli.cli.guarding import require_admitted
from vault_cli.cli.invocation import Invocation, Plan
from vault_cli.cli.option_groups import takes
from vault_cli.cli.text_options import TextOptions
from vault_cli.errors import UsageError
from vault_cli.model.record import Kind, Status

if TYPE_CHECKING:
    from vault_cli.cli.output import Line
    from vault_cli.model.record import Record


def dispute(
    ctx: typer.Context,
    record_id: flags.ForceId,
    reason: flags.Reason = "",
    evidence: Annotated[
        list[str] | None,
        typer.Option("--evidence", metavar="ID", help="What speaks against it (repeatable)."),
    ] = None,
    conflicts_with: Annotated[
        list[str] | None,
        typer.Option("--conflicts-with", metavar="ID", help="What says otherwise (repeatable)."),
    ] = None,
    yes: flags.Yes = False,
) -> int:
    """Object to a record: it leaves the render until a person has looked, and keeps its text.

    Anyone may, with a reason, with evidence (a record, or an entry of the record's own evidence)
    or with a record that says otherwise. A required rule needs a person: whoever is bound by it
    must not switch it off.

    Examples:
      mvault dispute f-1m4c8tt --reason "the server answers on port 8443 now"
      mvault dispute l-7k3qd2m --conflicts-with l-2p0x9aa
    """
    from vault_cli.features.disputes import needs_person, plan_dispute

    inv: Invocation = ctx.obj
    record = inv.find(record_id)
    against = tuple(map(inv.known_id, conflicts_with or ()))
    shown = tuple(map(inv.known_id, evidence or ()))
    if record.status is not Status.DISPUTED and not (against or shown):
        reason = reason_for(inv, record.id, "dispute", reason)
    bound = needs_person(record)
    agreed = bound or bool(inv.consent(yes=yes).how)
    planned = plan_dispute(
        inv.snapshot,
        record,
        inv.read(record.path),
        now=inv.now,
        actor=inv.decider(yes=yes) if agreed else inv.actor,
        reason=reason,
        evidence=shown,
        conflicts_with=against,
    )
    what = f"{record.id}: {record.title}"
    return inv.submit(
        Plan(
            planned.change,
            f"disputed {what}",
            f"Dispute {what}?",
            person=bound,
            anyone=not bound,
            yes=yes,
            findings=planned.notes,
            hints=(f"A person answers: mvault resolve {record.id} --reason TEXT",),
            nothing="disputed already",
        )
    )


def resolve(
    ctx: typer.Context,
    record_id: flags.DisputedId,
    reason: flags.Reason = "",
    answer: Annotated[
        str,
        typer.Option("--as", help="active, candidate, deprecated, rejected; else what it was."),
    ] = "",
    yes: flags.Yes = False,
) -> int:
    """Answer a dispute: the record comes back as what it was, or ends. Needs a person.

    What was verified comes back as active; its evidence is then weighed again. Of a conflict that
    `sync` left, the record's own id keeps its wording, the id of the conflict record takes that
    one; the conflict records go, what they said stays in history.

    Examples:
      mvault resolve f-1m4c8tt --reason "asked operations: 8080 is right"
      mvault resolve l-7k3qd2m --as deprecated --reason "true until the upgrade"
    """
    from vault_cli.features.disputes import ANSWERS, plan_resolve
    from vault_cli.features.settling import files_of, is_conflict, plan_settle

    inv: Invocation = ctx.obj
    record = inv.find(record_id)
    to = one_of(Status, answer, "status", ANSWERS) if answer else None
    if record.status is Status.DISPUTED:
        reason = reason_for(inv, record.id, "resolve", reason)
    is_merge = is_conflict(inv.snapshot, record)
    planned = (plan_settle if is_merge else plan_resolve)(
        inv.snapshot,
        record,
        _texts(inv, *(files_of(inv.snapshot, record) if is_merge else (record,))),
        reason=reason,
        now=inv.now,
        actor=inv.decider(yes=yes),
        random_int=inv.random_int,
        to=to,
    )
    plan = decide_about(planned, record, "resolved", "Resolve", yes=yes)
    plan.card = _card(inv, record)
    plan.nothing = f"{record.id} is {record.status}; nobody objects to it"
    plan.stalled = f"To object to it: mvault dispute {record.id} --reason TEXT"
    return inv.submit(plan)


def revive(
    ctx: typer.Context,
    record_id: flags.EndedId,
    reason: flags.Reason = "",
    yes: flags.Yes = False,
) -> int:
    """Bring back what was deprecated, superseded or rejected. Needs a person.

    A superseded record comes back only when no successor is in force. A rejected draft comes back
    as a draft.

    Examples:
      mvault revive f-1m4c8tt --reason "the old server is back"
    """
    from vault_cli.features.revival import plan_revive

    inv: Invocation = ctx.obj
    record = inv.find(record_id)
    is_draft = record.status is Status.CANDIDATE
    if not record.in_force and not is_draft:
        reason = reason_for(inv, record.id, "revive", reason)
    planned = plan_revive(
        inv.snapshot,
        record,
        _texts(inv, record),
        reason=reason,
        now=inv.now,
        actor=inv.decider(yes=yes),
    )
    plan = decide_about(planned, record, "revived", "Revive", yes=yes)
    plan.card = _card(inv, record)
    plan.nothing = "a draft already" if is_draft else "in force already"
    plan.stalled = f"A person puts it in force: mvault approve {record.id}" if is_draft else ""
    return inv.submit(plan)


def _card(inv: Invocation, record: Record) -> list[Line]:
    """Return the whole text of a record where others may have put it beside what was admitted."""
    from vault_cli.store.policy import incoming_policy

    if inv.options.json or incoming_policy(inv.root, inv.vault.config) == "accept":
        return []
    return approval_card(inv, record)


def _texts(inv: Invocation, *records: Record) -> dict[str, bytes]:
    """Return the bytes of the files of records and of what they supersede."""
    from vault_cli.features.supersession import needed_paths

    return {path: inv.read(path) for path in needed_paths(inv.snapshot, records)}


@takes(text=TextOptions)
def supersede(
    ctx: typer.Context,
    old: flags.ForceId,
    new: Annotated[
        str, typer.Argument(metavar="[NEW]", help="A record that is there; else write a new one.")
    ] = "",
    *,
    text: TextOptions,
    kind: Annotated[str, typer.Option("--kind", "-k", help="Kind of a new one.")] = "",
    reason: flags.Reason = "",
    yes: flags.Yes = False,
) -> int:
    """Let another record take the place of one: a new draft, or a record that is there.

    The old one keeps its text; it goes out of force when the new one is approved, in the same
    commit. What has proven itself needs a reason to be replaced. For a new version of the same
    text there is `revise`.

    Examples:
      mvault supersede f-1m4c8tt --title "The stack is FastAPI and MySQL" --reason "moved in May"
      mvault supersede f-1m4c8tt f-9xk2m4q
    """
    inv: Invocation = ctx.obj
    record = inv.find(old)
    values = text.values(inv, body=text.body, sections=text.section)
    require_admitted(inv.vault, "supersede", record, *([inv.find(new)] if new else []))
    if new:
        return _link(
            inv, record, inv.find(new), [*values, *(["kind"] if kind else [])], reason, yes
        )
    return _write_successor(inv, record, values, kind, reason)


def _link(
    inv: Invocation,
    old: Record,
    new: Record,
    given: list[str],
    reason: str,
    yes: bool,
) -> int:
    """Let a record that is there supersede another."""
    from vault_cli.cli.curate import actor_for
    from vault_cli.features.succeeding import plan_supersede
    from vault_cli.features.supersession import needed_paths

    if given:
        raise UsageError(
            f"supersede: {new.id} has a text of its own; {', '.join(given)} cannot be given too",
            hint=f"Change it first: mvault edit {new.id}",
        )
    paths = {old.path, *needed_paths(inv.snapshot, (new,))}
    planned = plan_supersede(
        inv.snapshot,
        old,
        new,
        {path: inv.read(path) for path in sorted(paths)},
        now=inv.now,
        actor=actor_for(inv, new, yes=yes),
        reason=reason,
    )
    hint = f"A person puts it in force: mvault approve {new.id}"
    plan = Plan(
        planned.change,
        f"{new.id} supersedes {old.id}" + ("" if new.in_force else " once it is approved"),
        f"Let {new.id} supersede {old.id}?",
        yes=yes,
        findings=planned.notes,
        hints=() if new.in_force else (hint,),
        nothing=f"{new.id} says so already",
    )
    return inv.submit(plan)


def _write_successor(
    inv: Invocation, old: Record, values: dict[str, Any], kind: str, reason: str
) -> int:
    """Write a new draft that supersedes a record."""
    from vault_cli.cli.additions import approve_hint, submit_new
    from vault_cli.cli.intake import parse_sections, read_stdin
    from vault_cli.features.succeeding import plan_successor

    if not values.keys() & {"title", "body", "sections"}:
        raise UsageError(
            f"supersede: what takes the place of {old.id}?",
            hint="Name a record, or give --title, --body or --section; "
            f"for a new version of its text: mvault revise {old.id}",
        )
    if values.get("body") == "-":
        values["body"] = read_stdin()
    if "sections" in values:
        values["sections"] = parse_sections(values["sections"])
    planned = plan_successor(
        inv.snapshot,
        old,
        {**values, "reason": reason},
        now=inv.now,
        actor=inv.actor,
        origin=inv.origin,
        random_int=inv.random_int,
        kind=one_of(Kind, kind, "kind") if kind else None,
        gates=inv.vault.config.gates,
    )
    own = planned.ids[0]
    hint = approve_hint(planned)
    done = f"added draft {own}, which supersedes {old.id} once it is approved"
    plan = Plan(planned.change, done, hints=(hint,), findings=planned.notes)
    return submit_new(inv, planned, plan)
