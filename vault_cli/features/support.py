"""What rests on what: findings, guards for commands, the chain to show. May import `model`.

The rule itself is `model.support`. Two things are kept apart here: a **finding** tells what is
so in the files, whoever made it so; a **guard** refuses a command that would make it so.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass

from vault_cli.errors import Diagnostic, RefusedError
from vault_cli.features.places import Places, finding
from vault_cli.model.change import Change, Move, Put, Remove
from vault_cli.model.record import ENDED, Record, Snapshot, Status
from vault_cli.model.relations import (
    RELATIONS,
    find_circle,
    find_circles,
    links_by,
    targets_of,
)
from vault_cli.model.support import ORPHANED, Support, judge_support, links_of
from vault_cli.text.fields import read_record

_DEEPEST = 20
_MOST = 500


def check_support(snapshot: Snapshot, places: Places) -> Iterator[Diagnostic]:
    """Report records that lost what they rest on, and those that only rest on each other."""
    by_id = snapshot.by_id
    for record_id, support in judge_support(snapshot, _judged(snapshot)).items():
        record = by_id[record_id]
        line = places.key(record, "derived_from") or places.key(record, "evidence")
        why = support.describe()
        if support.state == ORPHANED:
            hint = (
                f"Look whether it is still so: mvault verify {record_id}, give it another "
                f"derived_from, or mvault deprecate {record_id} --reason TEXT"
            )
            text = f"what it rests on is lost: {why}"
            yield finding(record, "support-lost", "warning", text, hint, line)
        else:
            hint = f"See: mvault show {record_id} --provenance"
            text = f"part of what it rests on is lost: {why}"
            yield finding(record, "support-weakened", "note", text, hint, line)
    for circle in find_circles(by_id, links_by(by_id, "derived_from")):
        record = by_id[circle[0]]
        text = f"derived_from goes round in a circle: {' -> '.join(circle)}"
        line = places.key(record, "derived_from")
        hint = "Take one of the ids out of it."
        yield finding(record, "derived-from-circle", "warning", text, hint, line)


def _judged(snapshot: Snapshot) -> list[Record]:
    return [record for record in snapshot.records if record.status not in ENDED]


def related_to(record: Record) -> list[tuple[str, str]]:
    """Return the (id, why) of `links`: what belongs together without resting on each other."""
    value = record.fields.get("links") if "links" in record.fields else None
    entries = value if isinstance(value, list) else [value] if isinstance(value, Mapping) else []
    found = []
    for entry in entries:
        pair = {"id": entry} if isinstance(entry, str) else entry
        if isinstance(pair, Mapping) and isinstance(pair.get("id"), str):
            found.append((pair["id"], str(pair.get("why") or "")))
    return found


def known_names(snapshot: Snapshot) -> set[str]:
    """Return every id and every foreign id in the vault."""
    names = {record.id for record in snapshot.records}
    return names | {alias for record in snapshot.records for alias in record.aliases}


def unanswered(record: Record, by_id: Mapping[str, Record]) -> Iterator[tuple[str, str]]:
    """Yield the conflicts, as (id, type), that the other record does not name in return."""
    for other_id, kind in record.conflicts:
        other = by_id.get(other_id)
        if other is None or other_id == record.id or {record.status, other.status} & ENDED:
            continue
        if record.status is Status.DISPUTED:  # an objection speaks for its own side
            continue
        if record.id not in targets_of(other, "conflicts"):
            yield other_id, kind


def require_sound_links(
    snapshot: Snapshot, record_id: str, relations: Mapping[str, Collection[str]]
) -> None:
    """Refuse relations that lead nowhere, to the record itself, or round in a circle.

    Args:
        snapshot: the vault as it is.
        record_id: the record that gets them, which need not be there yet.
        relations: ids by key; only members of `RELATIONS` are looked at.

    Raises:
        RefusedError: one of them does; the message names it.
    """
    names: set[str] | None = None
    for key in RELATIONS:
        targets = tuple(relations.get(key, ()))
        for target in targets:
            if target == record_id:
                raise RefusedError(
                    f"{key}: {record_id} cannot name itself", hint=f"Take it out of {key}."
                )
            names = known_names(snapshot) if names is None else names
            if target not in names:
                raise RefusedError(
                    f"{key}: {target} is not in the vault",
                    hint="`mvault list` shows the ids; a shortened id must be unique.",
                    missing=target,
                )
        if targets and key != "conflicts":
            _require_no_circle(snapshot, record_id, key, targets)


def _require_no_circle(
    snapshot: Snapshot, record_id: str, key: str, targets: tuple[str, ...]
) -> None:
    links = links_by(snapshot.by_id, key)
    circle = find_circle(record_id, lambda name: targets if name == record_id else links(name))
    if circle:
        raise RefusedError(
            f"{key} would go round in a circle: {' -> '.join(circle)}",
            hint=f"Take one of the ids out of its {key} first.",
        )


def require_sound_change(snapshot: Snapshot, change: Change, before: Record | None = None) -> None:
    """Refuse a planned text that names new relations which are not sound.

    Args:
        snapshot: the vault as it is.
        change: of one record; its first edit holds the new text.
        before: the record as it was: what it names already is not asked about again.

    Raises:
        RefusedError: as in `require_sound_links`.
    """
    edit = change.edits[0] if change.edits else None
    after = None if edit is None or isinstance(edit, Remove) else _read(edit)
    if after is None:
        return
    fresh = {}
    for key in RELATIONS:
        old = set(targets_of(before, key)) if before is not None else set()
        fresh[key] = [name for name in targets_of(after, key) if name not in old]
    require_sound_links(snapshot, after.id, fresh)


def _read(edit: Put | Move) -> Record | None:
    return read_record(edit.data, edit.path)[0]


@dataclass(frozen=True, slots=True)
class Rest:
    """One step of a chain of support.

    Args:
        id: what is rested on.
        record: the record, None when it is not in the vault.
        depth: 1 for what the record itself names.
        by: id of the record that names it.
        why: why it no longer supports that record, "" while it does.
    """

    id: str
    record: Record | None
    depth: int
    by: str
    why: str = ""


def chain_of(snapshot: Snapshot, record: Record) -> list[Rest]:
    """Return what a record rests on, depth first, each record once, at most 20 deep.

    What has no say is as if it were not there.
    """
    snapshot = snapshot.speaking()
    by_id = snapshot.by_id
    aliases = {alias: r for r in snapshot.records for alias in r.aliases}
    supports = judge_support(snapshot, _reached(by_id, aliases, record))
    found: list[Rest] = []
    seen = {record.id}
    stack = [(name, 1, record) for name in reversed(links_of(record))]
    while stack and len(found) < _MOST:
        name, depth, by = stack.pop()
        target = by_id.get(name) or aliases.get(name)
        lost = dict(supports.get(by.id, Support()).lost)
        found.append(Rest(name, target, depth, by.id, lost.get(name, "")))
        if target is not None and target.id not in seen and depth < _DEEPEST:
            seen.add(target.id)
            stack += [(other, depth + 1, target) for other in reversed(links_of(target))]
    return found


def _reached(
    by_id: Mapping[str, Record], aliases: Mapping[str, Record], record: Record
) -> Iterable[Record]:
    found = {record.id: record}
    waiting = [record]
    while waiting:
        for name in links_of(waiting.pop()):
            target = by_id.get(name) or aliases.get(name)
            if target is not None and target.id not in found:
                found[target.id] = target
                waiting.append(target)
    return found.values()


def dependents_of(snapshot: Snapshot, record: Record) -> tuple[Record, ...]:
    """Return the records that name this one as what they rest on."""
    names = {record.id, *record.aliases}
    return tuple(r for r in snapshot.records if r.id != record.id and names & set(links_of(r)))
