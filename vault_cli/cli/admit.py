"""A person's word: `approve`, `reject`, `graduate`, `demote`. May import all below."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from vault_cli.cli import flags
from vault_cli.cli.guarding import require_admitted
from vault_cli.cli.invocation import Invocation, Plan
from vault_cli.cli.output import Line, inline
from vault_cli.cli.views import plural, show_lines
from vault_cli.errors import RefusedError, UsageError
from vault_cli.model.record import Kind, Record, Status

if TYPE_CHECKING:
    from vault_cli.errors import Diagnostic
    from vault_cli.features.records import Planned


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


def plan_approval(
    inv: Invocation,
    records: tuple[Record, ...],
    *,
    allow: list[str] | tuple[str, ...] = (),
    reason: str = "",
    yes: bool = False,
) -> Plan:
    """Return the plan that puts records in force."""
    from vault_cli.features.approval import needed_paths, plan_approve

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


def _alike_findings(inv: Invocation, records: tuple[Record, ...]) -> tuple[Diagnostic, ...]:
    from vault_cli.cli.shown import admitted_of
    from vault_cli.features.likeness import find_alike

    drafts = [record for record in records if not record.in_force]
    snapshot = admitted_of(inv)  # a text that waits is no measure of a draft
    return tuple(f for record in drafts for f in find_alike(snapshot, record, inv.now))


def approval_card(inv: Invocation, record: Record) -> list[Line]:
    """Return what a person is about to put in force, what it replaces, and what is like it."""
    if record.in_force:
        return []
    from vault_cli.cli.alike import beside_lines

    return [
        *show_lines(record),
        "",
        *replaced_lines(inv, record),
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


def graduate(
    ctx: typer.Context,
    record_id: flags.ForceId,
    name: Annotated[
        str, typer.Option("--name", help="Skill name (a-z, 0-9, hyphens); else from the title.")
    ] = "",
    description: Annotated[
        str, typer.Option("--description", help="What it does and when to use it; at most 1,024.")
    ] = "",
    force: Annotated[
        bool, typer.Option("--force", help="Also before it has proven itself; needs --reason.")
    ] = False,
    reason: flags.Reason = "",
    yes: flags.Yes = False,
) -> int:
    """Turn a proven recipe into an Agent Skill: skills/<name>/SKILL.md with its dossier.

    The files are shown first. The recipe stays, superseded by the skill.

    Examples:
      mvault graduate c-4s8x1ya --dry-run
      mvault graduate c-4s8x1ya --name rotate-staging-keys
      mvault graduate c-4s8x1ya --force --reason "used every week before the vault existed"
    """
    from vault_cli.features.recipes import plan_graduate

    inv: Invocation = ctx.obj
    record = inv.find(record_id)
    require_admitted(inv.vault, "graduate", record)
    if force:
        reason = reason_for(inv, record.id, "graduate --force", reason)
    graduation = plan_graduate(
        inv.snapshot,
        record,
        inv.read(record.path),
        now=inv.now,
        actor=inv.decider(yes=yes),
        random_int=inv.random_int,
        name=name,
        description=description,
        history=_history(inv, record),
        existing=_skill_folders(inv),
        threshold=int(inv.vault.config["graduation.min_hits"]),
        force_reason=reason if force else "",
        how=inv.consent(yes=yes).how or "preview",
    )
    planned = graduation.planned
    data = {"name": graduation.name, "description": graduation.description}
    return inv.submit(
        Plan(
            planned.change,
            f"graduated {record.id} to skills/{graduation.name}",
            f"Write the skill {graduation.name}?",
            person=True,
            yes=yes,
            data=data,
            findings=planned.notes,
            nothing=f"{record.id} is the skill {planned.ids[-1]} already",
        )
    )


def demote(
    ctx: typer.Context,
    record_id: flags.ForceId,
    reason: flags.Reason = "",
    yes: flags.Yes = False,
) -> int:
    """Take a graduated skill back: its two files go, its recipe is in force again.

    Other files of the skill's folder are yours and stay.

    Examples:
      mvault demote k-4s8x1ya --reason "step 3 changed; it has to prove itself again"
    """
    from vault_cli.features.recipes import plan_demote

    inv: Invocation = ctx.obj
    skill = _skill_of(inv, inv.find(record_id))
    require_admitted(inv.vault, "demote", skill)
    if skill.kind is not Kind.RECIPE or not skill.in_force:
        reason = reason_for(inv, skill.id, "demote", reason)
    actor = inv.decider(yes=yes)
    planned = plan_demote(
        inv.snapshot, skill, _demoted_files(inv, skill), reason=reason, actor=actor
    )
    plan = decide_about(planned, skill, "demoted", "Demote", yes=yes)
    plan.nothing = f"{skill.id} is a recipe in force already"
    return inv.submit(plan)


def _skill_of(inv: Invocation, record: Record) -> Record:
    """Return the skill that a recipe became, so that either id will do; else the record itself."""
    pointer = record.fields.get("superseded_by") if record.fields.get("graduated") else None
    return inv.snapshot.by_id.get(str(pointer), record)


def _demoted_files(inv: Invocation, skill: Record) -> dict[str, bytes]:
    """Return the bytes of the skill, of its dossier, and of the recipe it came from."""
    recipes = [r.path for r in inv.snapshot.records if r.fields.get("superseded_by") == skill.id]
    dossier = skill.path.removesuffix("SKILL.md") + "references/dossier.md"
    found = {path: inv.read(path) for path in (skill.path, *recipes)}
    if (inv.root / dossier).is_file():
        found[dossier] = inv.read(dossier)
    return found


def _history(inv: Invocation, record: Record) -> list[str]:
    """Return the recipe's history for its dossier, oldest first."""
    if inv.vault.repo is None:
        return []
    commits = inv.vault.repo.log(paths=(record.path,), record_id=record.id)
    return [f"{c.date[:10]} {c.subject} ({c.id[:10]})" for c in reversed(commits)]


def _skill_folders(inv: Invocation) -> list[str]:
    """Return the names below `skills/`, also of folders that hold no readable skill."""
    try:
        return sorted(path.name for path in (inv.root / "skills").iterdir())
    except OSError:
        return []
