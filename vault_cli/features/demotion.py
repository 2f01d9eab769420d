"""A skill taken back to the recipe it came from. + `text`, `model`."""

from __future__ import annotations

from collections.abc import Mapping

from vault_cli.errors import RefusedError
from vault_cli.features.graduating import waiting_proposals
from vault_cli.features.recipes import USES_TRAILER
from vault_cli.features.records import (
    PERSON_ONLY,
    Planned,
    digest_of,
    patch_keys,
    require_reason,
    require_same,
    subject_of,
)
from vault_cli.model.change import Change, Put, Remove
from vault_cli.model.lifecycle import Actor, require_step
from vault_cli.model.paths import skill_folder
from vault_cli.model.record import Kind, Record, Snapshot, Status
from vault_cli.text.document import REMOVE


def plan_demote(
    snapshot: Snapshot,
    skill: Record,
    files: Mapping[str, bytes],
    *,
    reason: str,
    actor: Actor,
    origin: str = "cli",
) -> Planned:
    """Plan to take a graduated skill back: its files go, its recipe is in force again.

    What the program proposed of the recipe meanwhile goes with it: it was about the skill.

    Args:
        snapshot: the vault.
        skill: the record of the SKILL.md; a recipe in force needs nothing.
        files: bytes by path of the recipe, the SKILL.md and the dossier (if it is there).
        reason: why; body of the commit message.
        actor: who asks; only a person demotes.
        origin: how the request came in.

    Raises:
        UsageError: no reason. RefusedError: not a person, or the recipe is not in the vault.
        ChangedMeanwhileError: bytes are missing or differ.
    """
    if skill.kind is Kind.RECIPE and skill.in_force:
        return Planned(Change("demote", subject_of(skill), (), ids=(skill.id,), actor=actor))
    why = require_reason(reason, "demote")
    if actor is not Actor.PERSON:
        raise RefusedError(f"demotion is not for {actor}", hint=PERSON_ONLY)
    recipe = next((r for r in snapshot.records if r.fields.get("superseded_by") == skill.id), None)
    if recipe is None or not skill_folder(skill.path):
        raise RefusedError(
            f"{skill.id} has no recipe to go back to",
            hint=f"To take it out of use: mvault deprecate {skill.id} --reason TEXT",
        )
    require_step(recipe.status, Status.ACTIVE, actor, recipe.id)
    old = files.get(recipe.path, b"")
    require_same(recipe, old)
    require_same(skill, files.get(skill.path, b""))
    values = {"status": str(Status.ACTIVE), "superseded_by": REMOVE, "graduated": REMOVE}
    if "graduated_sha256" in recipe.fields:
        values["graduated_sha256"] = REMOVE
    new = patch_keys(old, recipe.path, values)
    folder = skill.path.removesuffix("SKILL.md")
    gone = [path for path in files if path.startswith(folder)]
    waiting = waiting_proposals(snapshot, recipe.id)
    change = Change(
        verb="demote",
        subject=subject_of(recipe),
        edits=(
            Put(recipe.path, new, digest_of(old)),
            *(Remove(path, digest_of(files[path])) for path in sorted(gone)),
            *(Remove(record.path, record.digest) for record in waiting),
        ),
        reason=why,
        ids=(recipe.id, skill.id),
        actor=actor,
        origin=origin,
        touched=tuple(record.id for record in waiting),
        extra=((USES_TRAILER, str(snapshot.tally(recipe.id).hits + recipe.hits)),),
    )
    return Planned(change, change.ids)
