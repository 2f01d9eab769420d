"""What belongs to the records a search found: the same topic, or a link. May import `model`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final, NamedTuple

from vault_cli.model.record import Kind, Record, Snapshot
from vault_cli.recall.topics import fold_topic
from vault_cli.recall.views import FOUND_BY_DEFAULT

if TYPE_CHECKING:
    from vault_cli.recall.corpus import Shelf
    from vault_cli.recall.hits import Hit

MOST_HITS: Final = 5
"""So many of the best hits are expanded."""

MOST_MATES: Final = 3
"""So many records of the same topic for each of them."""


class Mate(NamedTuple):
    """A record beside a hit.

    Args:
        to: id of the hit.
        why: what they have in common, in words.
        is_topic: whether that is a topic; else one of them names the other.
    """

    record: Record
    to: str
    why: str
    is_topic: bool


def find_linked(
    snapshot: Snapshot, hits: Sequence[Hit], shelves: Sequence[Shelf] | None
) -> list[Mate]:
    """Return records that are linked to the best hits, then those of their topics, each once.

    Args:
        snapshot: the records.
        hits: what was found; none of them is given again.
        shelves: the records made ready; None: their topics are read one by one.
    """
    seen = {hit.record.path for hit in hits}
    found = []
    for hit in (hit for hit in hits[:MOST_HITS] if not hit.record.is_silent):
        for mate in (*_relations(snapshot, hit.record), *_mates(snapshot, hit.record, shelves)):
            if mate.record.path not in seen and mate.record.status in FOUND_BY_DEFAULT:
                seen.add(mate.record.path)
                found.append(mate)
    return sorted(found, key=lambda mate: mate.is_topic)


def _relations(snapshot: Snapshot, record: Record) -> Iterator[Mate]:
    known = snapshot.heard().by_id
    links = [
        *((key, "derived from it by") for key in record.derived_from),
        *((key, "superseded by") for key in record.supersedes),
        *((key, f"conflict ({kind})" if kind else "conflict") for key, kind in record.conflicts),
    ]
    for key, why in links:
        if key in known:
            yield Mate(known[key], record.id, f"{why} {record.id}", is_topic=False)


def _mates(snapshot: Snapshot, record: Record, shelves: Sequence[Shelf] | None) -> Iterator[Mate]:
    """Yield records of the same topics, the rarest topic first, the weightiest record first."""
    groups = []
    for topic in record.topics:
        members = [r for r in _members(snapshot, topic, shelves) if r.has_say]
        groups.append((len(members), topic, members))
    left = MOST_MATES
    for _, topic, members in sorted(groups, key=lambda group: group[:2]):
        others = [other for other in members if other.path != record.path]
        others = [r for r in others if r.kind is not Kind.TOPIC and r.in_force]
        for other in others[:left]:
            yield Mate(other, record.id, f"topic {topic}", is_topic=True)
            left -= 1


_MOST_WEIGHED: Final = 200


def _members(snapshot: Snapshot, topic: str, shelves: Sequence[Shelf] | None) -> list[Record]:
    name = fold_topic(topic)
    if shelves is None:
        found = [r for r in snapshot.records if name in map(fold_topic, r.topics)]
    else:
        found = []
        for shelf in shelves:
            key = f"#{name}"
            numbers = shelf.find([key]).get(key, ((), ()))[0]
            found += shelf.records([n for n in numbers if n not in shelf.unheard][:_MOST_WEIGHED])
    return sorted(found, key=lambda record: (-record.weight, record.id))
