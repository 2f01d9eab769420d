"""`graduate`, `demote`: recipes become skills, and back. May import everything below `cli`."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated

import typer

from vault_cli.cli import flags
from vault_cli.cli.complete import complete_in_force
from vault_cli.cli.deciding import approval_card, decide_about, reason_for
from vault_cli.cli.guarding import require_admitted
from vault_cli.cli.invocation import Invocation, Plan
from vault_cli.cli.once import in_turn
from vault_cli.cli.output import Line, View, inline
from vault_cli.cli.placing import placing_words
from vault_cli.cli.views import brief_data, plural
from vault_cli.errors import NotFoundError, UsageError
from vault_cli.model.record import Kind, Record
from vault_cli.text.values import whole_number

if TYPE_CHECKING:
    from pathlib import Path

    from vault_cli.features.practice import Practice
    from vault_cli.features.recipes import SetAside
    from vault_cli.features.records import Planned


RecipeId = Annotated[
    str,
    typer.Argument(
        metavar="[ID]",
        help="Id, its unique beginning, or a path.",
        autocompletion=complete_in_force,
    ),
]


def graduate(
    ctx: typer.Context,
    record_id: RecipeId = "",
    name: Annotated[
        str, typer.Option("--name", help="Skill name (a-z, 0-9, hyphens); else from the title.")
    ] = "",
    description: Annotated[
        str, typer.Option("--description", help="What it does and when to use it; at most 1,024.")
    ] = "",
    force: Annotated[
        bool, typer.Option("--force", help="Also before it has proven itself; needs --reason.")
    ] = False,
    propose: Annotated[
        bool, typer.Option("--propose", help="Write drafts of the skills that are due, for review.")
    ] = False,
    listing: Annotated[
        bool, typer.Option("--list", help="List recipes and skills by how they did; change none.")
    ] = False,
    reason: flags.Reason = "",
    yes: flags.Yes = False,
) -> int:
    """Turn a proven recipe into an Agent Skill: skills/<name>/SKILL.md with its dossier.

    The files are shown first. The recipe stays, superseded by the skill. A mature recipe (hits of
    graduation.min_hits, more good than bad said of it) is proposed by the program: `used` and
    --propose write a draft of the skill, and `approve` or `review` lets a person admit it. A recipe
    that was edited after it became a skill is proposed again.

    Examples:
      mvault graduate --list
      mvault graduate --propose
      mvault graduate c-4s8x1ya --dry-run
      mvault graduate c-4s8x1ya --name rotate-staging-keys
      mvault graduate c-4s8x1ya --force --reason "used every week before the vault existed"
    """
    inv: Invocation = ctx.obj
    if propose or listing:
        if record_id:
            raise UsageError("--propose and --list go without ID")
        return _propose(inv) if propose else _list(inv)
    if not record_id:
        raise UsageError("which recipe?", hint="`mvault graduate --list` lists them.")
    record = inv.find(record_id)
    require_admitted(inv.vault, "graduate", record)
    why = reason_for(inv, record.id, "graduate --force", reason) if force else ""
    return inv.submit(_plan_by_hand(inv, record, name, description, why, yes=yes))


def _plan_by_hand(
    inv: Invocation, record: Record, name: str, description: str, forced: str, *, yes: bool
) -> Plan:
    """Return the plan that makes a recipe a skill because a person says so.

    Args:
        inv: the run.
        record: the recipe.
        name, description: as given; "" takes those of the recipe.
        forced: why it need not be mature, "" when it must be.
        yes: the person said so on the command line.
    """
    from vault_cli.features.graduating import without_proposals
    from vault_cli.features.recipes import plan_graduate

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
        force_reason=forced,
        how=inv.consent(yes=yes).how or "preview",
        budget=int(inv.vault.config["graduation.skills_budget"]),
        aside=demoted_uses(inv),
    )
    graduation = without_proposals(inv.snapshot, graduation, record.id)
    planned = graduation.planned
    data = {"name": graduation.name, "description": graduation.description}
    plan = Plan(
        planned.change,
        f"graduated {record.id} to skills/{graduation.name}",
        f"Write the skill {graduation.name}?",
        person=True,
        yes=yes,
        data=data,
        findings=planned.notes,
        nothing=f"{record.id} is the skill {planned.ids[-1]} already",
    )
    plan.hints = [f"{placing_words(inv, 'HOST')} places it where an agent program finds skills."]
    return plan


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
    from vault_cli.features.demotion import plan_demote

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
    gone = planned.change.touched
    plan.hints = (
        *plan.hints,
        *(f"{own}, which proposed to renew it, went with it" for own in gone),
    )
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
    """Return the names below `skills/`, also of folders that hold no readable skill.

    A folder without a file is nobody's: git does not know it, and a killed run may leave one.
    """
    try:
        found = sorted((inv.root / "skills").iterdir())
    except OSError:
        return []
    return [path.name for path in found if not _is_empty(path)]


def _is_empty(folder: Path) -> bool:
    """Tell whether a folder holds no file but hidden ones: temporaries go with the next change."""
    if not folder.is_dir() or folder.is_symlink():
        return False
    return all(name.startswith(".") for _, _, names in os.walk(folder) for name in names)


def plan_skill(inv: Invocation, records: tuple[Record, ...], *, yes: bool) -> Plan | None:
    """Return the plan that admits the proposal of a skill; None when none of these is one.

    Raises:
        UsageError: it is one among others. RefusedError: as `plan_admission`.
    """
    from vault_cli.features.graduating import is_proposal, plan_admission
    from vault_cli.features.graduating import needed_for_admission as needed
    from vault_cli.model.relations import GRADUATES

    proposals = [record for record in records if is_proposal(record)]
    if not proposals:
        return None
    proposal = proposals[0]
    if len(records) > 1:
        raise UsageError(
            f"{proposal.id} proposes a skill: it is approved by itself",
            hint=f"mvault approve {proposal.id}",
        )
    recipe = inv.snapshot.by_id.get(str(proposal.fields[GRADUATES]))
    if recipe is not None:
        require_admitted(inv.vault, "graduate", recipe)
    done = plan_admission(
        inv.snapshot,
        proposal,
        _texts(inv, needed(inv.snapshot, proposal)),
        now=inv.now,
        actor=inv.decider(yes=yes),
        random_int=inv.random_int,
        how=inv.consent(yes=yes).how or "preview",
        history=_history(inv, recipe) if recipe is not None else (),
        existing=_skill_folders(inv),
        threshold=int(inv.vault.config["graduation.min_hits"]),
        budget=int(inv.vault.config["graduation.skills_budget"]),
        aside=demoted_uses(inv),
    )
    quiet = inv.options.json or (yes and bool(inv.consent(yes=yes).how))
    plan = decide_about(done.planned, proposal, "approved", "Approve", yes=yes)
    plan.data = {"name": done.name, "description": done.description}
    plan.card = [] if quiet else approval_card(inv, proposal)
    plan.hints = [f"{placing_words(inv, 'HOST')} places it where an agent program finds skills."]
    return plan


def _texts(inv: Invocation, paths: Sequence[str]) -> dict[str, bytes]:
    """Return the bytes of files, as far as they are there."""
    found = {}
    for path in paths:
        try:
            found[path] = inv.read(path)
        except NotFoundError:
            continue
    return found


def _propose(inv: Invocation) -> int:
    with in_turn(inv):
        planned = plan_due(inv)
        done = f"proposed {plural(len(planned.ids), 'skill')}"
        plan = Plan(planned.change, done, findings=planned.notes, hints=[_ADMIT])
        plan.nothing = "no recipe is due"
        return inv.submit(plan)


_ADMIT = "A person admits or rejects each: mvault review --kind skill"


def plan_due(inv: Invocation, only: Sequence[str] | None = None) -> Planned:
    """Return the change that proposes the recipes that are due as skills.

    Args:
        inv: the run; the observations of this moment count.
        only: ids of the recipes that are asked about; None: all.
    """
    from vault_cli.cli.shown import admitted_of
    from vault_cli.cli.usage import add_up, read_log
    from vault_cli.features.graduating import find_due, plan_proposals

    inv.whole_snapshot()
    found = admitted_of(inv)  # a text that waits says nothing of its own uses
    own = tuple(record for record in found.records if not record.waits)
    tallies = add_up(inv, read_log(inv).pool).tallies
    snapshot = replace(found, records=own, tallies=tallies)
    threshold = int(inv.vault.config["graduation.min_hits"])
    return plan_proposals(
        snapshot,
        find_due(snapshot, threshold, only, demoted_uses(inv)),
        now=inv.now,
        actor=inv.actor,
        origin=inv.origin,
        random_int=inv.random_int,
    )


def demoted_uses(inv: Invocation) -> SetAside:
    """Return what says how often a recipe had been used when a person demoted its skill, 0 if none.

    As its last demotion says; each recipe is looked up in the history once.
    """
    from functools import cache

    from vault_cli.features.recipes import USES_TRAILER

    @cache
    def uses(path: str, own: str) -> int:
        repo = inv.vault.repo
        commits = repo.log(paths=(path,), record_id=own) if repo is not None else ()
        said = (v for c in commits for name, v in c.trailers if name == USES_TRAILER)
        return whole_number(next(said, "")) or 0

    return lambda recipe: uses(recipe.path, recipe.id)


def _list(inv: Invocation) -> int:
    from datetime import UTC

    from vault_cli.cli.shown import admitted_of
    from vault_cli.cli.usage import add_up, read_log
    from vault_cli.features.graduating import find_due
    from vault_cli.features.practice import find_practice, practice_data

    inv.bear_bad_settings()
    threshold = int(inv.vault.config["graduation.min_hits"])
    tallies = add_up(inv, read_log(inv).pool).tallies
    snapshot = replace(admitted_of(inv), tallies=tallies)
    aside = demoted_uses(inv)
    found = find_practice(snapshot, inv.now.astimezone(UTC).date(), threshold, aside)
    due = [item.recipe.id for item in find_due(snapshot, threshold, aside=aside)]
    rows = [{**brief_data(item.record), **practice_data(item)} for item in found]
    hints = [f"{plural(len(due), 'recipe')} due: mvault graduate --propose"] if due else []
    data = {"records": rows, "due": due, "threshold": threshold}
    notes = [] if found else ["no recipe or skill is in force"]
    return inv.out.show(View(data, lambda: _practice_lines(found), notes=notes, hints=hints))


def _practice_lines(found: Sequence[Practice]) -> Iterator[Line]:
    if not found:
        return
    width = max(len(item.record.id) for item in found)
    yield [("dim", f"{'id':<{width}}  rank  uses  good   bad  last used   state    title")]
    for item in found:
        tally, own = item.tally, inline(item.record.id)
        rank = "   -" if item.rank is None else f"{item.rank:4.0%}"
        numbers = f"{tally.hits:>4}  {tally.succeeded:>4}  {tally.failed:>4}"
        last = tally.last_used or "-"
        title = inline(item.record.title)
        yield f"{own:<{width}}  {rank}  {numbers}  {last:<10}  {item.state:<7}  {title}"
    yield ""
    yield "rank: success rate at least, with 95 % confidence; unused: no use in 30 days"
