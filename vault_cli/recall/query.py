"""What was asked for. May import `text`, `model`, `topics`."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import date
from typing import TYPE_CHECKING, Final, NamedTuple

from vault_cli.model.record import Status
from vault_cli.recall.together import PROJECT
from vault_cli.recall.topics import TopicTable
from vault_cli.text.dates import find_days
from vault_cli.text.terms import search_text, terms_of

if TYPE_CHECKING:
    from vault_cli.recall.corpus import Postings, Shelf

MOST_TERMS: Final = 200
"""Of a longer query the rest of the words does not count."""


class Query(NamedTuple):
    """A query made ready.

    Args:
        text: as typed, folded.
        terms: its tokens; empty when there is no word in it: then `text` itself is looked for.
        stops: whether the terms are words that say nothing about the subject, for want of others.
        counts: how often each term stands in it.
        days: keys of the days and months it names.
    """

    text: str
    terms: tuple[str, ...]
    stops: bool = False
    counts: Mapping[str, int] = {}
    days: tuple[str, ...] = ()


class Narrow(NamedTuple):
    """What takes records out by stored facts, so that not every match has to be loaded.

    Args:
        statuses: which may be found; None: all but those that are never searched.
        topics: groups of names that mean the same topic; a record needs one of them.
        sources: values of `source`, of which a record needs one.
        since, until: first and last day on which a record was made; a record without a day is
            left out when one of them is given.
    """

    statuses: frozenset[Status] | None = None
    topics: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()
    since: date | None = None
    until: date | None = None


def read_query(text: str, today: date | None = None) -> Query:
    """Return the query of a typed text: every sign is text, no word is an operator."""
    plain = search_text(text)
    folded = plain.strip().lower()
    days = find_days(plain, today)
    for stops in (False, True):
        found = terms_of(plain, stops=stops)
        if found:
            counts = dict(list(found.items())[:MOST_TERMS])
            return Query(folded, tuple(counts), stops, counts, days)
    return Query(folded, (), counts={folded: 1} if folded else {}, days=days)


def members_of(shelf: Shelf, keys: Collection[str], vault: str) -> set[int]:
    """Return the numbers of the records of a shelf that have one of the keys of a topic.

    Args:
        shelf: records of one vault, or of both.
        keys: as `names_of_topics`.
        vault: vault of the topic; a project's leads to nothing of the user's.
    """
    members = {number for numbers, _ in shelf.find(keys).values() for number in numbers}
    if vault != PROJECT or not members:
        return members
    listed = sorted(members)
    heads = shelf.heads(listed)
    return {number for number, head in zip(listed, heads, strict=True) if head.vault == vault}


Names = Sequence[tuple[frozenset[str], frozenset[str], str]]


def with_topics(
    shelves: Sequence[Shelf], found: Sequence[Postings], names: Names
) -> list[Postings]:
    """Count terms that stand in another name of a record's topic as if it had them once.

    Args:
        shelves: where was looked.
        found: of each shelf what stands in the texts.
        names: as `names_of_topics`.
    """
    extended: list[Postings] = []
    for shelf, postings in zip(shelves, found, strict=True):
        more = dict(postings)
        for terms, keys, vault in names:
            members = members_of(shelf, keys, vault)
            for term in terms if members else ():
                own = dict(zip(*more.get(term, ((), ())), strict=True))
                every = dict.fromkeys(members, 1) | own
                more[term] = sorted(every), [every[number] for number in sorted(every)]
        extended.append(more)
    return extended


def names_of_topics(
    table: TopicTable, terms: frozenset[str]
) -> list[tuple[frozenset[str], frozenset[str], str]]:
    """Return of declared topics: terms of the query in their names, keys of members, the vault."""
    found = []
    for topic in table.topics:
        names = (topic.name, *topic.record.aliases)
        own = terms & terms_of(search_text("\n".join(names))).keys()
        if own:
            keys = frozenset(f"#{name}" for name in topic.names)
            found.append((own, keys, topic.record.vault))
    return found
