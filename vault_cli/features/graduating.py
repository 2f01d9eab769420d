"""Proposals that a recipe become a skill, or that its skill follow it. May import `text`, `model`.

A mature recipe is proposed by the program: a draft of kind skill, which a person admits or
rejects like any other. What was rejected is proposed again only when the recipe has another text.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Final

from vault_cli.errors import Diagnostic, RefusedError
from vault_cli.features.likeness import compare_record
from vault_cli.features.recipes import (
    THRESHOLD,
    Graduation,
    SetAside,
    is_mature,
    none_aside,
    plan_graduate,
    plan_renew,
)
from vault_cli.features.records import (
    PERSON_ONLY,
    Planned,
    digest_of,
    instant_text,
    other_ids,
    read_checked,
    require_same,
    texts_of,
)
from vault_cli.features.skill_texts import choose_description, skill_body
from vault_cli.features.skills import name_problem
from vault_cli.model.change import Change, Put, Remove
from vault_cli.model.evidence import claim_digest
from vault_cli.model.lifecycle import Actor
from vault_cli.model.record import IN_FORCE, Kind, Record, Snapshot, Status
from vault_cli.model.relations import GRADUATES
from vault_cli.text.document import compose_document
from vault_cli.text.names import file_name, new_id, skill_name

DIGEST: Final = "graduated_sha256"
"""Key of a proposal, and of a recipe that is a skill: digest of the recipe's text."""


@dataclass(frozen=True, slots=True)
class Due:
    """A recipe that is to be proposed.

    Args:
        recipe: which.
        skill: the skill it is already, whose text is older; None for none.
        digest: of the recipe's text.
    """

    recipe: Record
    skill: Record | None
    digest: str


def is_proposal(record: Record) -> bool:
    """Tell whether a record proposes that a recipe become a skill, and waits for a person."""
    return record.kind is Kind.SKILL and record.is_draft and GRADUATES in record.fields


def find_due(
    snapshot: Snapshot,
    threshold: int = THRESHOLD,
    only: Collection[str] | None = None,
    aside: SetAside = none_aside,
) -> list[Due]:
    """Return the recipes that are mature, or that have changed since they became a skill.

    Those with a proposal about the same text, waiting or rejected, are left out.

    Args:
        snapshot: records and tallies.
        threshold: hits that make a recipe mature.
        only: ids of the recipes that are asked about; None: all.
        aside: hits that a demotion took away; what was demoted is due when used as often again.
    """
    asked = {
        (str(r.fields.get(GRADUATES)), str(r.fields.get(DIGEST)))
        for r in snapshot.records
        if r.kind is Kind.SKILL and r.status in (Status.CANDIDATE, Status.REJECTED)
    }
    by_id = snapshot.by_id
    found = []
    for record in snapshot.records:
        if record.kind is not Kind.RECIPE or (only is not None and record.id not in only):
            continue
        if record.has_say and (due := _due(record, snapshot, by_id, threshold, aside)):
            found += [due] if (record.id, due.digest) not in asked else []
    return found


def _due(
    record: Record,
    snapshot: Snapshot,
    by_id: Mapping[str, Record],
    threshold: int,
    aside: SetAside,
) -> Due | None:
    if is_mature(record, snapshot.tally(record.id), threshold, aside):
        return Due(record, None, claim_digest(record))
    skill, old = _skill_of(by_id, record), record.fields.get(DIGEST)
    if skill is None or not old:
        return None
    digest = claim_digest(record)
    return Due(record, skill, digest) if digest != old else None


def _skill_of(by_id: Mapping[str, Record], recipe: Record) -> Record | None:
    """Return the skill in force that a recipe has become, None when it is none."""
    skill = by_id.get(str(recipe.fields.get("superseded_by")))
    return skill if skill is not None and skill.kind is Kind.SKILL and skill.in_force else None


def plan_proposals(
    snapshot: Snapshot,
    due: Sequence[Due],
    *,
    now: datetime,
    actor: Actor,
    origin: str,
    random_int: Callable[[int], int],
) -> Planned:
    """Plan the drafts that propose recipes as skills, all in one change.

    Args:
        snapshot: the vault.
        due: what to propose (`find_due`).
        now: aware instant.
        actor: who asks; a proposal puts nothing in force.
        origin: how the request came in.
        random_int: random integer below its argument, for the ids.

    Returns:
        The change with the ids of the drafts, and notes: what could not be proposed and why,
        and skills that are like the proposed ones.
    """
    edits: list[Put] = []
    ids: list[str] = []
    notes: list[Diagnostic] = []
    taken = other_ids(snapshot)
    for item in due:
        own = new_id(Kind.SKILL, taken | set(ids), random_int)
        try:
            put = _proposal(item, own, now, origin)
        except RefusedError as error:
            text = f"mature, and not proposed: {error.message}"
            notes.append(
                Diagnostic(item.recipe.path, 0, "not-proposed", "note", text, error.hint or "")
            )
            continue
        notes += skill_twins(snapshot, read_checked(put.data, put.path), now)
        edits.append(put)
        ids.append(own)
    change = Change("propose", _subject(due, ids), tuple(edits), "", tuple(ids), actor, origin)
    return Planned(change, tuple(ids), tuple(notes))


def _subject(due: Sequence[Due], ids: Sequence[str]) -> str:
    return f"(skill): {due[0].recipe.title}" if len(ids) == 1 else f": {len(ids)} skills"


def _proposal(item: Due, own: str, now: datetime, origin: str) -> Put:
    recipe = item.recipe
    if recipe.held_by:
        raise RefusedError(f"{recipe.id} is held back", hint="Correct the file first.")
    given = skill_name(recipe.title)
    name = str(recipe.fields.get("graduated") or ("" if name_problem(given) else given))
    values: dict[str, Any] = {
        "id": own,
        "kind": str(Kind.SKILL),
        "status": str(Status.CANDIDATE),
        "title": recipe.title,
        "scope": str(recipe.scope),
        "topics": list(recipe.topics),
        "applies_when": recipe.applies_when,
        "summary": choose_description(recipe, ""),
        "source": recipe.source or "agent",
        "origin": origin,
        "created": instant_text(now),
        "derived_from": [recipe.id],
        GRADUATES: recipe.id,
        "skill_name": name,
        DIGEST: item.digest,
        "allow": list(recipe.allow),
    }
    front = {key: value for key, value in values.items() if value not in ("", [])}
    path = f"drafts/{now.strftime('%Y-%m')}/{file_name(recipe.title, own)}"
    return Put(path, compose_document(front, skill_body(recipe)))


def skill_twins(snapshot: Snapshot, record: Record, now: datetime) -> Iterator[Diagnostic]:
    """Yield a warning for each other recipe or skill that a recipe or skill nearly repeats.

    Two skills that say the same are both listed by hosts, and nobody knows which is taken.
    """
    own = {record.id, *record.derived_from}
    family = {
        r.id
        for r in snapshot.records
        if r.id in own
        or str(r.fields.get("superseded_by")) in own
        or own.intersection(r.derived_from)
    }
    others = tuple(
        r
        for r in snapshot.records
        if r.kind in (Kind.RECIPE, Kind.SKILL) and r.status in IN_FORCE and r.id not in family | own
    )
    for alike in compare_record(replace(snapshot, records=others), record, now):
        if alike.code in ("duplicate-text", "near-duplicate"):
            other = alike.other
            text = f"{other.kind} {other.id} says nearly the same: {other.title}"
            hint = f"Keep one: mvault merge {record.id} {other.id}, or reject this one."
            yield Diagnostic(record.path, 0, "skill-twin", "warning", text, hint)


def check_skills(snapshot: Snapshot, now: datetime) -> Iterator[Diagnostic]:
    """Report skills in force that nearly repeat another skill or recipe; each pair once."""
    told: set[frozenset[str]] = set()
    for record in snapshot.records:
        if record.kind is not Kind.SKILL or not record.in_force:
            continue
        for found in skill_twins(snapshot, record, now):
            pair = frozenset((record.id, found.message.split()[1]))
            if pair not in told:
                told.add(pair)
                yield found


def check_drift(snapshot: Snapshot) -> Iterator[Diagnostic]:
    """Report skills in force that no longer say what the recipe says they were written from."""
    by_id = snapshot.by_id
    for recipe in snapshot.records:
        skill = _skill_of(by_id, recipe) if recipe.kind is Kind.RECIPE else None
        if skill is None or DIGEST not in recipe.fields:
            continue
        if recipe.fields[DIGEST] != claim_digest(recipe):
            text = f"its recipe {recipe.id} was changed since it was written"
        elif skill.body.strip() != skill_body(recipe).strip():
            text = f"its text was changed, and its recipe {recipe.id} was not"
        else:
            continue
        hint = f"Change the recipe, then write the skill anew: mvault graduate {recipe.id}"
        yield Diagnostic(skill.path, 0, "skill-drift", "warning", text, hint)


def plan_admission(
    snapshot: Snapshot,
    proposal: Record,
    texts: Mapping[str, bytes],
    *,
    now: datetime,
    actor: Actor,
    random_int: Callable[[int], int],
    how: str = "",
    history: Sequence[str] = (),
    existing: Collection[str] = (),
    threshold: int = THRESHOLD,
    budget: int = 0,
    origin: str = "cli",
    aside: SetAside = none_aside,
) -> Graduation:
    """Plan what admitting a proposal does: the skill is written, the proposal goes.

    Args:
        snapshot: the vault, with tallies.
        proposal: the draft.
        texts: bytes by path of the proposal, its recipe, and the skill that it renews.
        now: aware instant.
        actor: who asks; only a person.
        random_int: random integer below its argument.
        how: how the approval was given.
        history: lines of the recipe's history, oldest first.
        existing: skill folders that are taken.
        threshold: hits that make a recipe mature.
        budget: characters that hosts list of all descriptions.
        origin: how the request came in.
        aside: hits that a demotion took away.

    Raises:
        RefusedError: not a person, the recipe is gone, has changed since, or `plan_graduate` says.
        ChangedMeanwhileError: bytes are missing or differ.
    """
    recipe = _proposed_recipe(snapshot, proposal, actor)
    data = texts_of(texts, proposal)
    skill = _skill_of(snapshot.by_id, recipe)
    if skill is not None:
        done = _renewal(snapshot, recipe, skill, proposal, texts, now, how, history, origin)
    else:
        done = plan_graduate(
            snapshot,
            recipe,
            texts_of(texts, recipe),
            now=now,
            actor=actor,
            random_int=random_int,
            name=str(proposal.fields.get("skill_name") or ""),
            description=proposal.summary,
            history=history,
            existing=existing,
            threshold=threshold,
            how=how,
            origin=origin,
            own_id=proposal.id,
            budget=budget,
            aside=aside,
        )
    twins = tuple(skill_twins(snapshot, proposal, now))
    return _answered(done, Remove(proposal.path, digest_of(data)), twins)


def _answered(done: Graduation, gone: Remove, twins: tuple[Diagnostic, ...]) -> Graduation:
    """Return a graduation with which its proposal goes, and what is like the skill is told."""
    change = replace(done.planned.change, edits=(*done.planned.change.edits, gone))
    planned = replace(done.planned, change=change, notes=(*done.planned.notes, *twins))
    return replace(done, planned=planned)


def _proposed_recipe(snapshot: Snapshot, proposal: Record, actor: Actor) -> Record:
    """Return the recipe that a person admits as a skill, as it was when it was proposed.

    Raises:
        RefusedError: not a person, or the recipe is gone or has changed since.
    """
    if actor is not Actor.PERSON:
        raise RefusedError(f"graduation is not for {actor}", hint=PERSON_ONLY)
    recipe = snapshot.by_id.get(str(proposal.fields.get(GRADUATES)))
    if recipe is None or claim_digest(recipe) != proposal.fields.get(DIGEST):
        raise RefusedError(
            f"{proposal.id}: the recipe has changed since it was proposed, or is gone",
            hint="`mvault graduate --propose` proposes what it says now; reject this one.",
        )
    return recipe


def _renewal(
    snapshot: Snapshot,
    recipe: Record,
    skill: Record,
    proposal: Record,
    texts: Mapping[str, bytes],
    now: datetime,
    how: str,
    history: Sequence[str],
    origin: str,
) -> Graduation:
    require_same(skill, texts_of(texts, skill))
    return plan_renew(
        snapshot,
        recipe,
        skill,
        texts,
        description=proposal.summary,
        now=now,
        how=how,
        history=history,
        origin=origin,
    )


def waiting_proposals(snapshot: Snapshot, recipe_id: str) -> list[Record]:
    """Return the proposals about a recipe that wait for a person."""
    return [r for r in snapshot.records if is_proposal(r) and r.fields[GRADUATES] == recipe_id]


def needed_for_admission(snapshot: Snapshot, proposal: Record) -> list[str]:
    """Return the paths of the files whose bytes `plan_admission` asks for, if they are there."""
    by_id = snapshot.by_id
    recipe = by_id.get(str(proposal.fields.get(GRADUATES)))
    if recipe is None:
        return [proposal.path]
    skill = _skill_of(by_id, recipe)
    paths = [proposal.path, recipe.path]
    if skill is None:
        return paths
    return [*paths, skill.path, skill.path.removesuffix("SKILL.md") + "references/dossier.md"]


def without_proposals(snapshot: Snapshot, done: Graduation, recipe_id: str) -> Graduation:
    """Return a graduation that takes the proposals about its recipe along: they are answered."""
    waiting = waiting_proposals(snapshot, recipe_id)
    if not waiting or done.planned.change.is_empty:
        return done
    change = done.planned.change
    gone = tuple(Remove(r.path, r.digest) for r in waiting)
    touched = (*change.touched, *(r.id for r in waiting))
    change = replace(change, edits=(*change.edits, *gone), touched=touched)
    return replace(done, planned=replace(done.planned, change=change))
