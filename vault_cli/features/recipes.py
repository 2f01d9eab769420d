"""A proven recipe becomes an Agent Skill, and back. May import `text`, `model`, `skills`' rules.

The recipe is not lost: it stays as it is, superseded by the skill (`superseded_by`, `graduated`),
so that only the skill is rendered; `plan_demote` puts it back in force.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from vault_cli.errors import Diagnostic, RefusedError, UsageError
from vault_cli.features.records import (
    PERSON_ONLY,
    Planned,
    digest_of,
    other_ids,
    patch_keys,
    read_checked,
    require_same,
    subject_of,
    texts_of,
)
from vault_cli.features.skill_texts import choose_description, dossier_text, skill_text
from vault_cli.features.skills import (
    LISTING_LIMIT,
    check_skill,
    listing_budget,
    listing_notes,
    name_problem,
)
from vault_cli.model.change import ABSENT, Change, Edit, Put
from vault_cli.model.evidence import claim_digest
from vault_cli.model.lifecycle import Actor
from vault_cli.model.paths import skill_folder
from vault_cli.model.record import ENDED, Kind, Record, Snapshot, Status, Tally
from vault_cli.text.block import find_second_block
from vault_cli.text.late import late
from vault_cli.text.names import new_id, skill_name

THRESHOLD = 3
USES_TRAILER = "Vault-Uses"
"""Trailer of a demotion: the hits of the recipe up to then; it has to prove itself anew."""

_CHANGED = "the recipe changed"
_RUNS = late(r"!`|^[ ]{0,3}(?:`{3,}|~{3,})[ \t]*!", re.MULTILINE)
_LOADS = late(r"(?m)^[ \t]*@\S")


@dataclass(frozen=True, slots=True)
class Graduation:
    """A planned graduation: what would be written, and the change.

    Args:
        name: the skill's name and folder.
        description: its description, as hosts will list it.
        files: new files by path, for the preview (SKILL.md first).
        planned: the change, its ids (recipe, skill) and notes.
    """

    name: str
    description: str
    files: Mapping[str, bytes]
    planned: Planned


SetAside = Callable[[Record], int]
"""How many hits of a recipe no longer count, since a person demoted its skill after them."""


def none_aside(_record: Record) -> int:
    """Return 0: where nobody can have demoted the recipe."""
    return 0


def is_mature(
    record: Record, tally: Tally, threshold: int = THRESHOLD, aside: SetAside = none_aside
) -> bool:
    """Tell whether a recipe has proven itself: in force, hits enough, more good than bad of it.

    Judgements and outcomes that were noted must be in its favour; without any the hits decide.

    Args:
        record: the recipe.
        tally: what was observed of it.
        threshold: hits that make it mature.
        aside: asked of recipes that would be mature without it, as it may cost a look at history.
    """
    if record.kind is not Kind.RECIPE or not record.in_force or _speaks_against(tally):
        return False
    hits = tally.hits + record.hits
    return hits >= threshold and hits - aside(record) >= threshold


def _speaks_against(tally: Tally) -> str:
    """Say what outweighs in the use of a recipe, "" when nothing does."""
    if tally.helpful + tally.harmful and tally.harmful >= tally.helpful:
        return f"{tally.helpful} helpful and {tally.harmful} harmful"
    if tally.succeeded + tally.failed and tally.failed >= tally.succeeded:
        return f"{tally.succeeded} succeeded and {tally.failed} failed"
    return ""


def plan_graduate(
    snapshot: Snapshot,
    record: Record,
    data: bytes,
    *,
    now: datetime,
    actor: Actor,
    random_int: Callable[[int], int],
    name: str = "",
    description: str = "",
    history: Sequence[str] = (),
    existing: Collection[str] = (),
    threshold: int = THRESHOLD,
    force_reason: str = "",
    how: str = "",
    origin: str = "cli",
    own_id: str = "",
    budget: int = LISTING_LIMIT,
    aside: SetAside = none_aside,
) -> Graduation:
    """Plan to write a recipe out as `skills/<name>/SKILL.md` and `references/dossier.md`.

    Args:
        snapshot: the vault, with tallies.
        record: the recipe.
        data: the bytes of its file.
        now: aware instant, for the dossier.
        actor: who asks; only a person graduates.
        random_int: random integer below its argument, for the id.
        name: skill name; "" makes one from the title.
        description: what and when; "" takes summary (or title) and condition.
        history: lines of the recipe's history for the dossier, oldest first.
        existing: further skill folders that are taken (those of hosts).
        threshold: hits that make a recipe mature.
        force_reason: graduates one that is not mature, and says why.
        how: how the approval was given, for the dossier and the commit.
        origin: how the request came in.
        own_id: id of the skill, where it has one already; "" makes one.
        budget: characters that hosts list of all descriptions.
        aside: hits that a demotion took away.

    Returns:
        What would be written; its change is empty when the recipe is a skill in force already.

    Raises:
        UsageError: no name can be made from the title.
        RefusedError: not a person, not a recipe in force, held, not mature, or no valid skill.
    """
    if already := _graduated_already(snapshot, record, actor):
        return already
    _require_ready(record, data, actor)
    if not force_reason.strip():
        _require_proven(record, snapshot.tally(record.id), threshold, aside)
    chosen = _choose_name(snapshot, record, name, existing)
    listed = choose_description(record, description)
    skill_id = own_id or new_id(Kind.SKILL, other_ids(snapshot), random_int)
    path, skill = _skill_file(record, chosen, listed, skill_id)
    dossier = dossier_text(snapshot, record, skill_id, history, now, how, _early(force_reason))
    files = {path: skill, f"skills/{chosen}/references/dossier.md": dossier}
    edits = (*_new_files(files), _retire(record, data, skill_id, chosen))
    change = _change((record, skill_id), edits, force_reason.strip(), actor, origin, how)
    notes = _notes(snapshot, record, path, listed, budget)
    return Graduation(chosen, listed, files, Planned(change, change.ids, notes))


def _early(why: str) -> str:
    """Return what the dossier says of a recipe that was not mature, "" of one that was."""
    return f"before it was mature, because: {why.strip()}" if why.strip() else ""


def _change(
    what: tuple[Record, str],
    edits: tuple[Edit, ...],
    reason: str,
    actor: Actor,
    origin: str,
    how: str,
) -> Change:
    """Return the change that graduates a recipe to the skill of an id, and how it was approved."""
    recipe, skill_id = what
    extra = (("Vault-Approval", how),) if how else ()
    ids = (recipe.id, skill_id)
    return Change("graduate", subject_of(recipe), edits, reason, ids, actor, origin, extra)


def _graduated_already(snapshot: Snapshot, record: Record, actor: Actor) -> Graduation | None:
    """Return a graduation that changes nothing when the recipe is a skill in force."""
    skill = snapshot.by_id.get(str(record.fields.get("superseded_by")))
    if not record.fields.get("graduated") or skill is None or not skill.in_force:
        return None
    change = Change("graduate", subject_of(record), (), ids=(record.id, skill.id), actor=actor)
    return Graduation(str(record.fields["graduated"]), "", {}, Planned(change, change.ids))


def _skill_file(record: Record, name: str, description: str, own_id: str) -> tuple[str, bytes]:
    """Return path and bytes of a SKILL.md that every host can read."""
    skill = skill_text(record, name, description, own_id)
    path = f"skills/{name}/SKILL.md"
    _require_valid(path, skill, name)
    return path, skill


def _new_files(files: Mapping[str, bytes]) -> tuple[Put, ...]:
    return tuple(Put(path, data) for path, data in files.items())


def _retire(record: Record, data: bytes, skill_id: str, name: str) -> Put:
    """Mark the recipe as superseded by its skill, so that only the skill is rendered."""
    values = {
        "status": str(Status.SUPERSEDED),
        "superseded_by": skill_id,
        "graduated": name,
        "graduated_sha256": claim_digest(record),
    }
    return Put(record.path, patch_keys(data, record.path, values), digest_of(data))


def _require_ready(record: Record, data: bytes, actor: Actor) -> None:
    require_same(record, data)
    if actor is not Actor.PERSON:
        raise RefusedError(f"graduation is not for {actor}", hint=PERSON_ONLY)
    if record.kind is not Kind.RECIPE:
        raise RefusedError(
            f"{record.id} is a {record.kind}; only a recipe becomes a skill",
            hint=f"To make it one: mvault edit {record.id}, key kind.",
        )
    if not record.in_force:
        skill = record.fields.get("superseded_by") if record.fields.get("graduated") else ""
        raise RefusedError(
            f"{record.id} is {record.status}; only a recipe in force becomes a skill",
            hint=f"It is the skill {skill} already."
            if skill
            else f"First: mvault approve {record.id}",
        )
    if record.held_by:
        raise RefusedError(
            f"{record.id} is held back",
            hint="Correct the file first; see the findings.",
            diagnostics=record.held_by,
        )
    _require_text_only(record)


def _require_proven(record: Record, tally: Tally, threshold: int, aside: SetAside) -> None:
    if is_mature(record, tally, threshold, aside):
        return
    hits = tally.hits + record.hits
    against = _speaks_against(tally)
    before = aside(record) if hits >= threshold and not against else 0
    since = " since it was demoted" if before else ""
    raise RefusedError(
        f"{record.id} is not mature: {hits - before} of {threshold} hits{since}"
        f"{against and f', {against}'}",
        hint="Let it prove itself in use, or graduate it now: --force --reason WHY.",
    )


def _require_text_only(record: Record) -> None:
    """Refuse a text that a host would execute when it loads the skill."""
    match = _RUNS.search(record.body)
    if match is None:
        return
    line = record.body.count("\n", 0, match.start()) + 1
    text = "a host would run this command when it loads the skill"
    raise RefusedError(
        f"{record.path}: {text} (line {line} of the text)",
        hint="Write the command without the exclamation mark before it.",
        diagnostics=(Diagnostic(record.path, 0, "skill-command", "error", text),),
    )


def _choose_name(snapshot: Snapshot, record: Record, given: str, existing: Collection[str]) -> str:
    name = given or skill_name(record.title)
    problem = name_problem(name)
    if problem and not given:
        raise UsageError(
            f"the title {record.title} gives no skill name: {problem}",
            hint=f"Give one: mvault graduate {record.id} --name my-skill",
        )
    if problem:
        raise RefusedError(f"{given}: {problem}", hint="For example: --name release-checklist")
    taken = {entry.casefold() for entry in existing} | _skill_folders(snapshot)
    if name.casefold() in taken:
        raise RefusedError(
            f"there is a skill {name} already; nothing is overwritten",
            hint=f"Choose another name: mvault graduate {record.id} --name {name}-2",
        )
    return name


def _skill_folders(snapshot: Snapshot) -> set[str]:
    paths = (*(record.path for record in snapshot.records), *snapshot.unreadable)
    split = (path.split("/") for path in paths)
    return {parts[1].casefold() for parts in split if parts[0] == "skills" and len(parts) > 1}


def _require_valid(path: str, data: bytes, name: str) -> None:
    findings = [
        finding
        for finding in check_skill(path, data, name)
        if finding.severity == "error" or finding.code == "second-block"
    ]
    if findings:
        raise RefusedError(
            f"{path} would not be a valid skill",
            hint="Nothing was written; the findings say what to correct.",
            diagnostics=tuple(findings),
        )
    held = read_checked(data, path).held_by
    if held:  # else the recipe would be superseded by what nobody gets to see
        raise RefusedError(
            f"{path} would be held back, and the recipe with it",
            hint="Correct the description or the recipe; see the findings. Nothing was written.",
            diagnostics=held,
        )


def _notes(
    snapshot: Snapshot, record: Record, path: str, description: str, budget: int
) -> tuple[Diagnostic, ...]:
    skills = [
        (name, other.summary)
        for other in snapshot.records
        if (name := skill_folder(other.path)) and other.status not in ENDED and other.path != path
    ]
    listing = listing_budget(skills, limit=budget or LISTING_LIMIT, adding=description)
    notes = [*listing_notes(listing)]
    if find_second_block(record.body, 1):
        text = "the text begins with a front-matter block; it was put into a code fence"
        notes.append(Diagnostic(path, 0, "skill-block-fenced", "note", text))
    dropped = [key for key in ("allowed-tools", "hooks", "model") if key in record.fields]
    if dropped:
        text = f"not taken over into the skill: {', '.join(dropped)}"
        notes.append(Diagnostic(path, 0, "skill-key-dropped", "note", text))
    if _LOADS.search(record.body):
        text = "a line begins with @; some hosts load a file of that name"
        hint = "Put the name into code marks if that is not meant."
        notes.append(Diagnostic(path, 0, "skill-loads-file", "warning", text, hint))
    return tuple(notes)


def plan_renew(
    snapshot: Snapshot,
    recipe: Record,
    skill: Record,
    texts: Mapping[str, bytes],
    *,
    description: str,
    now: datetime,
    how: str = "",
    history: Sequence[str] = (),
    origin: str = "cli",
) -> Graduation:
    """Plan to write a skill anew from its recipe, which has changed since it graduated.

    Args:
        snapshot: the vault, with tallies.
        recipe: superseded by the skill.
        skill: in force.
        texts: bytes by path of both, and of the dossier if it is there.
        description: what and when.
        now: aware instant, for the dossier.
        how: how the approval was given.
        history: lines of the recipe's history, oldest first.
        origin: how the request came in.

    Raises:
        RefusedError: held, a description that does not fit, or a text that a host would run.
        ChangedMeanwhileError: bytes are missing or differ.
    """
    old, recipe_data = texts_of(texts, skill), texts_of(texts, recipe)
    _require_text_only(recipe)
    name = skill_folder(skill.path)
    listed = choose_description(recipe, description)
    path, new = _skill_file(recipe, name, listed, skill.id)
    dossier_path = path.removesuffix("SKILL.md") + "references/dossier.md"
    dossier = dossier_text(
        snapshot, recipe, skill.id, history, now, how, f"written anew: {_CHANGED}"
    )
    old_dossier = texts.get(dossier_path)
    values = {"graduated_sha256": claim_digest(recipe)}
    edits = (
        Put(path, new, digest_of(old)),
        Put(dossier_path, dossier, digest_of(old_dossier) if old_dossier else ABSENT),
        Put(recipe.path, patch_keys(recipe_data, recipe.path, values), digest_of(recipe_data)),
    )
    change = _change((recipe, skill.id), edits, _CHANGED, Actor.PERSON, origin, how)
    notes = _notes(snapshot, recipe, path, listed, LISTING_LIMIT)
    return Graduation(
        name, listed, {path: new, dossier_path: dossier}, Planned(change, change.ids, notes)
    )
