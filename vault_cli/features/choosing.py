"""Which records does the person mean: by text, source, topic. May import `recall`, `model`."""

from __future__ import annotations

import unicodedata
from collections.abc import Collection
from dataclasses import dataclass

from vault_cli.errors import NotFoundError, UsageError
from vault_cli.model.record import Record, Snapshot, Status
from vault_cli.recall.topics import TopicTable


@dataclass(frozen=True, slots=True)
class Choice:
    """What a record must fit, all of it.

    Args:
        match: a text that stands in the title, the summary, a keyword or the body, in any letter
            case and width.
        source: who claims it (`source`), or how it came in (`origin`).
        topic: a topic it belongs to, by any name of the topic.
    """

    match: str = ""
    source: str = ""
    topic: str = ""

    @property
    def is_open(self) -> bool:
        """Whether nothing was asked for."""
        return not (self.match or self.source or self.topic)

    def fits(self, record: Record, topics: TopicTable) -> bool:
        """Tell whether a record is meant; `topics` knows the names of topics."""
        if self.source and _fold(self.source) not in {_fold(record.source), _fold(record.origin)}:
            return False
        if self.topic and not topics.has(record, self.topic):
            return False
        texts = (record.title, record.summary, *record.keywords, record.body)
        return not self.match or any(_fold(self.match) in _fold(text) for text in texts)

    def __str__(self) -> str:
        parts = {"match": self.match, "source": self.source, "topic": self.topic}
        return " ".join(f"--{name} {text!r}" for name, text in parts.items() if text)


def _fold(text: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())


def fitting_records(
    snapshot: Snapshot, choice: Choice, statuses: Collection[Status]
) -> tuple[Record, ...]:
    """Return the records that fit a choice and have one of `statuses`."""
    topics = TopicTable(snapshot.records if choice.topic else ())
    return tuple(r for r in snapshot.records if r.status in statuses and choice.fits(r, topics))


def choose_records(
    snapshot: Snapshot,
    named: Collection[Record],
    choice: Choice,
    *,
    statuses: Collection[Status],
    verb: str,
) -> tuple[Record, ...]:
    """Return the records named, and those that fit the choice and have one of `statuses`.

    Args:
        snapshot: the vault.
        named: records that were named one by one; they are meant whatever their status.
        choice: what else is meant.
        statuses: statuses of records that a choice reaches.
        verb: the command, for messages.

    Raises:
        UsageError: neither a record nor a choice was given, or a text of the choice is blank.
        NotFoundError: nothing fits the choice.
    """
    if choice.is_open:
        if not named:
            raise UsageError(
                f"{verb}: which records?", hint="Name ids, or use --match, --source or --topic."
            )
        return tuple(named)
    if any(text and not _fold(text) for text in (choice.match, choice.source, choice.topic)):
        raise UsageError(f"{verb}: an empty text fits everything", hint="Say what to look for.")
    known = {record.path for record in named}
    found = [r for r in fitting_records(snapshot, choice, statuses) if r.path not in known]
    if not found and not named:
        raise NotFoundError(
            f"nothing fits {choice}", hint="`mvault list` shows what there is to choose from."
        )
    return (*named, *found)
