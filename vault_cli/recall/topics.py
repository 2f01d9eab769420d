"""Topics: which names mean the same one, who belongs to it. May import `model`.

A topic is a file of a person's in `topics/`: its title is its name, `aliases:` are further names,
in any language. Records belong to it by writing any of these names (or its id) into `topics:`. A
name that no file declares is a topic too, one without a description. Nothing is ever clustered.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import NamedTuple

from vault_cli.model.record import IN_FORCE, Kind, Record, Snapshot, Status

_GAP = re.compile(r"[\s_\-]+")
_DECLARES = IN_FORCE | {Status.DEPRECATED}


class Topic(NamedTuple):
    """A topic somebody declared.

    Args:
        record: its file.
        names: folded names that lead to it: its title, its aliases, its id.
    """

    record: Record
    names: frozenset[str]

    @property
    def name(self) -> str:
        """The name it is shown by."""
        return self.record.title

    @property
    def is_disabled(self) -> bool:
        """Whether a person took it out of use; its members stay what they are."""
        return self.record.status is Status.DEPRECATED


class Clash(NamedTuple):
    """One name that two topics claim; it leads to the first."""

    name: str
    kept: Topic
    other: Topic


@lru_cache(maxsize=4096)
def fold_topic(text: str) -> str:
    """Return the form in which names of topics are compared: width, case and gaps do not count."""
    folded = unicodedata.normalize("NFKC", text).casefold().strip().lstrip("#")
    return _GAP.sub("-", folded).strip("-")


class TopicTable:
    """All declared topics, found by any of their names.

    A title wins over an alias, then the smaller id, so that the order of files does not matter.

    Args:
        records: records of a snapshot; those that are no topic of a person's are passed over.
    """

    def __init__(self, records: Iterable[Record]) -> None:
        declared = (r for r in records if r.kind is Kind.TOPIC and r.status in _DECLARES)
        ordered = sorted(declared, key=lambda record: (record.id, record.path))
        self.topics = tuple(Topic(record, _names(record)) for record in ordered)
        self.clashes: tuple[Clash, ...] = ()
        self._by_name: dict[str, Topic] = {}
        clashes: list[Clash] = []
        for topic, name in _claims(self.topics):
            kept = self._by_name.setdefault(name, topic)
            if kept is not topic:
                clashes.append(Clash(name, kept, topic))
        self.clashes = tuple(clashes)

    def find(self, text: str) -> Topic | None:
        """Return the topic that a name, an alias or an id leads to."""
        return self._by_name.get(fold_topic(text))

    def key(self, text: str) -> str:
        """Return what two names of one topic have in common: its first name, folded."""
        topic = self.find(text)
        return fold_topic(topic.name) if topic else fold_topic(text)

    def keys(self, record: Record) -> frozenset[str]:
        """Return the keys of the topics a record belongs to."""
        return frozenset(self.key(text) for text in record.topics)

    def other_names(self, record: Record) -> tuple[str, ...]:
        """Return the declared names of a record's topics that it does not write itself."""
        own = set(record.topics)
        found: dict[str, None] = {}
        for topic in filter(None, map(self.find, record.topics)):
            found |= dict.fromkeys((topic.name, *topic.record.aliases))
        return tuple(name for name in found if name not in own)

    def label(self, text: str) -> str:
        """Return the name to show for a topic: the declared one, else the text as typed."""
        topic = self.find(text)
        return topic.name if topic else text

    def is_disabled(self, text: str) -> bool:
        """Tell whether a person took the topic of this name out of use."""
        topic = self.find(text)
        return topic is not None and topic.is_disabled

    def members(self, records: Iterable[Record], text: str) -> tuple[Record, ...]:
        """Return the records that belong to the topic of this name, in their order."""
        key = self.key(text)
        return tuple(record for record in records if record.topics and key in self.keys(record))


def _names(record: Record) -> frozenset[str]:
    return frozenset(filter(None, map(fold_topic, (record.title, record.id, *record.aliases))))


def _claims(topics: tuple[Topic, ...]) -> Iterator[tuple[Topic, str]]:
    """Give each topic its titles and id first, then the aliases that are left."""
    for topic in topics:
        yield topic, fold_topic(topic.record.id)
    for topic in topics:
        if name := fold_topic(topic.name):
            yield topic, name
    for topic in topics:
        first = {fold_topic(topic.record.id), fold_topic(topic.name)}
        for name in sorted(topic.names - first):
            yield topic, name


class Mate(NamedTuple):
    """A record beside another one: what they share."""

    record: Record
    shared: tuple[str, ...]


def find_mates(snapshot: Snapshot, record: Record) -> tuple[Mate, ...]:
    """Return the records in force that share a topic with a record: most shared topics first.

    A topic most of the vault belongs to says little, so that the mates of rarer topics come first
    among those that share equally many; then weight, then id.
    """
    table = TopicTable(snapshot.records)
    own = {key: text for text in record.topics for key in (table.key(text),)}
    if not own:
        return ()
    sizes: Counter[str] = Counter()
    found: list[tuple[Record, frozenset[str]]] = []
    for other in snapshot.records:
        if not other.in_force or other.kind is Kind.TOPIC or not other.topics:
            continue
        shared = table.keys(other) & own.keys()
        sizes.update(shared)
        if shared and other.path != record.path:
            found.append((other, shared))
    found.sort(
        key=lambda item: (
            -len(item[1]),
            min(sizes[key] for key in item[1]),
            -item[0].weight,
            item[0].id,
        )
    )
    return tuple(
        Mate(other, tuple(table.label(own[key]) for key in sorted(shared)))
        for other, shared in found
    )
