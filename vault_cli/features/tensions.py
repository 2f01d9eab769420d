"""Which records in force contradict each other, over the whole vault. May import `text`, `model`.

Two kinds: a tension inside a topic (both stand under it, so that an agent reads them together),
and exclusive claims about one subject wherever they stand. Both are only named: a person supersedes
one, gives each its condition, or says with `mvault conflict` that both stay.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from datetime import datetime
from math import log
from typing import Final, NamedTuple

from vault_cli.errors import Diagnostic
from vault_cli.features.claims import statement_of
from vault_cli.features.likeness import find_contradiction
from vault_cli.features.supersession import periods_overlap
from vault_cli.model.record import WORK_KINDS, Kind, Record, Snapshot, Status
from vault_cli.recall.topics import TopicTable
from vault_cli.text.similarity import differing_value
from vault_cli.text.tokens import tokenize

_APART: Final = frozenset(
    {*WORK_KINDS, Kind.TOPIC, Kind.PERSONA, Kind.HANDOFF, Kind.HYPOTHESIS}
    | {Kind.DECISION, Kind.SKILL}
)
"""Kinds that claim nothing of their own, or say the same as the recipe they came from."""

_VALUED: Final = frozenset({Kind.FACT, Kind.PREFERENCE, Kind.RESOURCE})
"""Kinds of which one sentence with two values cannot both be so."""

_PARTNERS: Final = 12
"""Most records that one is compared with in full: those that share most of its rare words."""

_COMMON: Final = 60
"""A word that more records have tells nothing about a subject."""

_TEXT: Final = 2_000
"""Characters of a text from which its words are taken."""


class Tension(NamedTuple):
    """Two records that cannot both be followed.

    Args:
        one, other: the records, the smaller id first.
        topics: names of the topics both stand under, () for none.
        why: the difference in a few words.
        mine, theirs: the two sentences.
    """

    one: Record
    other: Record
    topics: tuple[str, ...]
    why: str
    mine: str
    theirs: str

    @property
    def code(self) -> str:
        """`topic-tension` under a topic, else `memory-conflict`."""
        return "topic-tension" if self.topics else "memory-conflict"


def find_tensions(snapshot: Snapshot, now: datetime) -> tuple[Tension, ...]:
    """Return the pairs in force that contradict each other and are not named as in conflict yet.

    Args:
        snapshot: all records.
        now: aware instant in the vault's time zone; periods that do not overlap are no tension.
    """
    records = [r for r in snapshot.records if _takes_part(r)]
    table = TopicTable(snapshot.records)
    found = []
    for one, other in _pairs(records):
        if not _stand_together(one, other) or not periods_overlap(one, other, now):
            continue
        said = _opposition(one, other)
        if said is not None:
            found.append(Tension(one, other, _shared(table, one, other), *said))
    return tuple(sorted(found, key=lambda item: (item.one.id, item.other.id)))


def tension_findings(tensions: Sequence[Tension]) -> list[Diagnostic]:
    """Return one finding a tension, at the first of its records."""
    return [_finding(tension) for tension in tensions]


def _finding(tension: Tension) -> Diagnostic:
    one, other = tension.one, tension.other
    where = f"under {', '.join(tension.topics)}, " if tension.topics else ""
    text = (
        f"{where}it stands against {other.id} ({other.title}): {tension.why}: "
        f'"{tension.mine}" / "{tension.theirs}"'
    )
    hint = (
        f"Supersede one, give each its condition, or: mvault conflict {one.id} {other.id} --type …"
    )
    return Diagnostic(one.path, 0, tension.code, "warning", text, hint)


def _takes_part(record: Record) -> bool:
    is_held = bool(record.findings) and bool(record.held_by)
    stands = record.in_force or record.status is Status.DISPUTED
    return stands and record.kind not in _APART and not is_held


def _pairs(records: Sequence[Record]) -> Iterator[tuple[Record, Record]]:
    """Yield the pairs that share the most rare words, each once, the smaller id first."""
    words = [frozenset(tokenize(f"{r.title}\n{r.body[:_TEXT]}")) for r in records]
    by_word: defaultdict[str, list[int]] = defaultdict(list)
    for number, own in enumerate(words):
        for word in own:
            by_word[word].append(number)
    seen: set[tuple[int, int]] = set()
    for number, own in enumerate(words):
        worth: Counter[int] = Counter()
        for word in own:
            holders = by_word[word]
            if 1 < len(holders) <= _COMMON:
                weight = log(1 + len(records) / len(holders))
                worth.update(dict.fromkeys(holders, weight))
        del worth[number]
        best = sorted(worth, key=lambda other: (-worth[other], records[other].id))[:_PARTNERS]
        seen.update((min(number, other), max(number, other)) for other in best)
    for first, second in sorted(seen):
        one, other = records[first], records[second]
        yield (one, other) if one.id <= other.id else (other, one)


def _stand_together(one: Record, other: Record) -> bool:
    """Tell whether both may be in one prompt and nobody has said how they stand."""
    named = {other_id for other_id, _ in one.conflicts} | {
        other_id for other_id, _ in other.conflicts
    }
    linked = {*one.supersedes, *other.supersedes, *one.derived_from, *other.derived_from}
    if one.id == other.id or {one.id, other.id} & (named | linked):
        return False
    return one.scope == other.scope or "global" in (one.scope.level, other.scope.level)


def _opposition(one: Record, other: Record) -> tuple[str, str, str] | None:
    """Return why and in which sentences two records exclude each other."""
    alike = find_contradiction(one, other)
    if alike is not None:
        return alike.why, alike.mine, alike.theirs
    if not {one.kind, other.kind} <= _VALUED:
        return None
    for mine, theirs in ((one.title, other.title), (statement_of(one), statement_of(other))):
        why = differing_value(mine, theirs)
        if why:
            return why, mine[:_SHOWN], theirs[:_SHOWN]
    return None


_SHOWN: Final = 100


def _shared(table: TopicTable, one: Record, other: Record) -> tuple[str, ...]:
    keys = table.keys(one) & table.keys(other)
    return tuple(sorted({table.label(text) for text in one.topics if table.key(text) in keys}))
