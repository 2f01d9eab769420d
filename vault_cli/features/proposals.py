"""What a project learned, proposed for everywhere (`promote --auto`). + `recall`, `text`, `model`.

Nothing is broadcast: the result are drafts in the user vault, for a person to review.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime
from types import MappingProxyType
from typing import Final

from vault_cli.features.composing import check_request, compose_draft, request_from_record
from vault_cli.features.promotion import boundary_of
from vault_cli.features.records import other_ids, read_checked, subject_of
from vault_cli.model.change import Change, Put
from vault_cli.model.lifecycle import Actor
from vault_cli.model.record import Kind, Record, Snapshot
from vault_cli.recall.score import score_record
from vault_cli.text.names import file_name, new_id
from vault_cli.text.sections import split_sections

_KINDS: Final = frozenset(
    {
        *(Kind.LESSON, Kind.FAILURE, Kind.RULE, Kind.FACT, Kind.PREFERENCE, Kind.INSIGHT),
        *(Kind.RESOURCE, Kind.NOTE, Kind.RECIPE),
    }
)
"""Kinds that a program may propose for everywhere."""

_SOURCES: Final = frozenset({"", "user", "agent"})


@dataclass(frozen=True, slots=True)
class Policy:
    """What `promote --auto` may propose.

    Args:
        project: id of the project at hand, never empty.
        most: most records of one run.
        floor: least score (`recall.score.score_record`: importance 1 to 10, 2 more for what is
            verified, up to 2 for confidence and use). Ten is reached by what a person gave the
            highest importance, or by what was verified and weighs eight.
        admit: whether the person's configuration lets them be in force at once.
    """

    project: str
    most: int = 3
    floor: int = 10
    admit: bool = False


@dataclass(frozen=True, slots=True)
class Proposal:
    """What is proposed to the user vault.

    Args:
        change: the drafts; empty when nothing qualifies.
        chosen: what they are drafts of, best first.
        passed_over: the other records in force of the project, each with the reason.
    """

    change: Change
    chosen: tuple[Record, ...]
    passed_over: tuple[tuple[Record, str], ...]


def plan_proposals(
    project: Snapshot,
    user: Snapshot,
    policy: Policy,
    *,
    now: datetime,
    actor: Actor,
    random_int: Callable[[int], int],
) -> Proposal:
    """Plan drafts in the user vault of what proved itself in a project.

    Only what a person or the agent said itself is proposed, never what came from the web, a tool,
    a document or an import; nothing twice, also not what was rejected there; the best first.

    Args:
        project: the project vault, as the person's trust settings leave it: neither what is
            withheld nor the admitted text behind it is proposed.
        user: the user vault, which gets the drafts.
        policy: the limits.
        now: aware instant.
        actor: who asks; nobody needs to be a person, since drafts reach nobody.
        random_int: random integer below its argument, for the ids.
    """
    known = {alias for record in user.records for alias in record.aliases}
    texts = {plain_text(record) for record in user.records}
    ranked: list[tuple[float, Record]] = []
    passed: list[tuple[Record, str]] = []
    for record in project.records:
        if not record.in_force or record.waits:
            continue
        score = score_record(record, project.tally(record.id)).value
        why = _objection(record, score, policy, now) or _known(record, policy, known, texts)
        if why:
            passed.append((record, why))
        else:
            ranked.append((score, record))
    ranked.sort(key=lambda item: (-item[0], item[1].id))
    chosen = _distinct([record for _, record in ranked], passed)
    passed += [(record, f"over {policy.most} a run") for record in chosen[policy.most :]]
    chosen = chosen[: policy.most]
    change = _proposal_change(chosen, user, policy, now, actor, random_int)
    return Proposal(change, tuple(chosen), tuple(passed))


def _distinct(records: list[Record], passed: list[tuple[Record, str]]) -> list[Record]:
    """Return records without those that say what a better one says; these are noted."""
    seen: dict[str, Record] = {}
    for record in records:
        first = seen.setdefault(plain_text(record), record)
        if first is not record:
            passed.append((record, f"says the same as {first.id}"))
    return list(seen.values())


def _objection(record: Record, score: float, policy: Policy, now: datetime) -> str:
    """Return why a record is not proposed whatever the user vault holds, "" when it may be."""
    current = record.validity.state_at(now) == "current" and record.validity.end is None
    rules = (
        (bool(record.withheld), record.withheld),
        (record.kind not in _KINDS, f"a {record.kind} stays in its project"),
        (record.scope.level == "session", "it belongs to one session"),
        (record.source not in _SOURCES, f"its source is {record.source}"),
        (record.origin == "import", "it was imported"),
        (bool(record.held_by), "it is held"),
        (not current, "it holds for a time only"),
        (bool(record.branch), "it is about a branch"),
        (score < policy.floor, f"its score {score:g} is below {policy.floor}"),
    )
    return next((why for applies, why in rules if applies), "")


def _known(record: Record, policy: Policy, known: set[str], texts: set[str]) -> str:
    if alias_of(record, policy.project) in known:
        return "it was proposed before"
    return "the user vault says the same" if plain_text(record) in texts else ""


def alias_of(record: Record, project: str) -> str:
    """Return the name by which a record of a project is known in the user vault."""
    return f"project:{project}#{record.id}"


def plain_text(record: Record) -> str:
    """Return what a record says without layout: two that differ in it only are the same."""
    lead, sections = split_sections(record.body)
    parts = [record.title, lead, *(section.text for section in sections)]
    folded = unicodedata.normalize("NFKC", " ".join(parts)).casefold()
    return "".join(char for char in folded if char.isalnum())


def _proposal_change(
    chosen: list[Record],
    user: Snapshot,
    policy: Policy,
    now: datetime,
    actor: Actor,
    random_int: Callable[[int], int],
) -> Change:
    taken = other_ids(user)
    edits, ids = [], []
    for record in chosen:
        own = new_id(record.kind, taken, random_int)
        taken.add(own)
        admitted = policy.admit and bool(boundary_of(record))
        edits.append(_draft(record, own, policy, now, admitted=admitted))
        ids.append(own)
    one = subject_of(chosen[0]) if len(chosen) == 1 else f": {len(chosen)} records for everywhere"
    by = Actor.POLICY if policy.admit and chosen else actor
    extra = (("Vault-Approval", "configured"),) if by is Actor.POLICY else ()
    return Change("promote", one, tuple(edits), "", tuple(ids), by, "cli", extra)


def _draft(record: Record, own: str, policy: Policy, now: datetime, *, admitted: bool) -> Put:
    """Return the file of a proposal; claims of admission and counters stay behind."""
    request = request_from_record(record)
    known = {key: value for key, value in request.extra.items() if isinstance(value, str)}
    origin = str(record.scope) if record.scope.level == "project" else f"project:{policy.project}"
    asked = replace(
        request,
        scope="global",
        conflicts=(),
        derived_from=(),
        aliases=(alias_of(record, policy.project),),
        extra=MappingProxyType({**known, "promoted_from": origin}),
    )
    status = "active" if admitted else "candidate"
    data = compose_draft(
        check_request(asked),
        own,
        status=status,
        source=record.source or "user",
        origin=record.origin or "cli",
        now=now,
    )
    folder = record.kind.folder if admitted else "drafts"
    path = f"{folder}/{now.strftime('%Y-%m')}/{file_name(record.title, own)}"
    read_checked(data, path)
    return Put(path, data)
