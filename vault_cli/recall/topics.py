"""Topics: which names mean the same one, who belongs to it. May import `model`.

A topic is a file of a person's in `topics/`: its title is its name, `aliases:` are further names,
in any language. Records belong to it by writing any of these names (or its id) into `topics:`. A
name that no file declares is a topic too, one without a description. Nothing is ever clustered.

Of two vaults the user's topics come first, and a project's lead to records of the project only: a
vault that came with a clone must not name, or hide, what the person keeps.
"""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import NamedTuple

from vault_cli.model.record import Kind, Record, Snapshot, Status
from vault_cli.recall.together import USER
from vault_cli.text.late import late

_GAP = late(r"[\s_\-]+")


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
        records: records of a snapshot of one vault or of both; what is no topic that a person
            admitted is passed over, and so is what is withheld or held.
    """

    def __init__(self, records: Iterable[Record]) -> None:
        declared = (r for r in records if r.kind is Kind.TOPIC and r.has_effect and not r.is_silent)
        ordered = sorted(declared, key=lambda record: (record.id, record.path))
        found = [Topic(record, _names(record)) for record in ordered]
        own = tuple(topic for topic in found if topic.record.vault == USER)
        others = tuple(topic for topic in found if topic.record.vault != USER)
        self.topics = (*own, *others)
        clashes: list[Clash] = []
        self._of_user = _lead({}, own, clashes)
        self._by_name = _lead(dict(self._of_user), others, clashes)
        self.clashes = tuple(clashes)

    def find(self, text: str, vault: str = "") -> Topic | None:
        """Return the topic that a name, an alias or an id leads to.

        Args:
            text: what was typed, or stands in a record.
            vault: vault of that record; one of the user vault has its own topics only.
        """
        names = self._of_user if vault == USER else self._by_name
        return names.get(fold_topic(text))

    def key(self, text: str, vault: str = "") -> str:
        """Return what two names of one topic have in common: its first name, folded; as `find`."""
        topic = self.find(text, vault)
        return fold_topic(topic.name) if topic else fold_topic(text)

    def keys(self, record: Record) -> frozenset[str]:
        """Return the keys of the topics a record belongs to."""
        return frozenset(self.key(text, record.vault) for text in record.topics)

    def has(self, record: Record, text: str) -> bool:
        """Tell whether a record belongs to the topic of this name."""
        return bool(record.topics) and self.key(text, record.vault) in self.keys(record)

    def other_names(self, record: Record) -> tuple[str, ...]:
        """Return the declared names of a record's topics that it does not write itself."""
        own = set(record.topics)
        found: dict[str, None] = {}
        for text in record.topics:
            if topic := self.find(text, record.vault):
                found |= dict.fromkeys((topic.name, *topic.record.aliases))
        return tuple(name for name in found if name not in own)

    def label(self, text: str, vault: str = "") -> str:
        """Return the name to show for a topic: the declared one, else the text; as `find`."""
        topic = self.find(text, vault)
        return topic.name if topic else text

    def is_disabled(self, text: str, vault: str = "") -> bool:
        """Tell whether a person took the topic of this name out of use; as `find`."""
        topic = self.find(text, vault)
        return topic is not None and topic.is_disabled

    def members(self, records: Iterable[Record], text: str) -> tuple[Record, ...]:
        """Return the records that belong to the topic of this name, in their order."""
        return tuple(record for record in records if self.has(record, text))


def _names(record: Record) -> frozenset[str]:
    return frozenset(filter(None, map(fold_topic, (record.title, record.id, *record.aliases))))


def _lead(
    names: dict[str, Topic], topics: tuple[Topic, ...], clashes: list[Clash]
) -> dict[str, Topic]:
    """Let topics claim the names that are left; note the clashes."""
    for topic, name in _claims(topics):
        kept = names.setdefault(name, topic)
        if kept is not topic:
            clashes.append(Clash(name, kept, topic))
    return names


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
    own = {table.key(text, record.vault): text for text in record.topics}
    if not own:
        return ()
    sizes: Counter[str] = Counter()
    found: list[tuple[Record, frozenset[str]]] = []
    for other in snapshot.records:
        if not other.in_force or other.is_silent or other.kind is Kind.TOPIC or not other.topics:
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
        Mate(other, tuple(table.label(own[key], record.vault) for key in sorted(shared)))
        for other, shared in found
    )
