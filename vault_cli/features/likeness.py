"""Who says the same already, nearly the same, or the opposite. May import `text`, `model`.

Contradiction is asked before likeness. Nothing is merged, dropped or decided here: a person sees
both texts side by side. Records whose periods do not overlap are neither duplicates (the same
thing was true twice) nor contradictions (it changed).
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import datetime
from functools import lru_cache
from math import log
from typing import Final, NamedTuple

from vault_cli.errors import Diagnostic, Severity
from vault_cli.features.claims import READ, oppose, statement_of, whole_text
from vault_cli.features.supersession import periods_overlap
from vault_cli.model.record import IN_FORCE, WORK_KINDS, Kind, Record, Snapshot, Status
from vault_cli.text.late import late
from vault_cli.text.negation import split_sentences
from vault_cli.text.similarity import (
    Likeness,
    compare_texts,
    differing_value,
    letters_of,
    prepare_text,
    same_text,
)

LOW_AUTHORITY: Final = frozenset({"web", "tool", "doc", "import", "agent"})
"""Sources whose claims do not outweigh what a person said."""

_COMPARED: Final = IN_FORCE | {Status.CANDIDATE, Status.DISPUTED, Status.REJECTED}
_APART: Final = WORK_KINDS | {Kind.TOPIC, Kind.PERSONA, Kind.HANDOFF}
"""Kinds that are looked at for exactly the same text only."""

_WIDE: Final = late("[\uff10-\uff19\uff21-\uff3a\uff41-\uff5a\uff66-\uff9f]")
"""Letters and digits of another width; full-width punctuation stands in every Chinese text."""

Nearby = Callable[[Record], Iterable[Record]]
"""Gives the records of a vault that may be near to one: all of them, or the best of many."""

_KEYS: Final = 40
_CANDIDATES: Final = 40
"""Most records that are compared in full: the best by a count of rare shared words."""

SAME: Final = "the same text"
"""What `Alike.why` says of a text that is the same but for punctuation, width and case."""

_SHOWN: Final = 100
_LEAST_TITLE: Final = 3


class Alike(NamedTuple):
    """A record that is like, or against, the one that was asked about.

    Args:
        code: `duplicate-text`, `near-duplicate`, `similar-text`, `contradiction`,
            `rejected-before`.
        other: the record that was there.
        why: the difference in a few words.
        mine: the first sentence of the record that was asked about that differs, "" for none.
        theirs: the one of `other`.
        low_authority: `code` is `contradiction`, and a person had said so.
    """

    code: str
    other: Record
    why: str
    mine: str
    theirs: str
    low_authority: bool = False

    @property
    def reason(self) -> str:
        """Why the other was rejected, "" when it was not or nobody said."""
        rejected = self.other.fields.get("rejected")
        if self.code != "rejected-before" or not isinstance(rejected, Mapping):
            return ""
        return _cut(str(rejected.get("reason") or ""))


def find_alike(
    snapshot: Snapshot, record: Record, now: datetime, nearby: Nearby | None = None
) -> tuple[Diagnostic, ...]:
    """Return findings about records that say the same as `record`, nearly so, or the opposite.

    Args:
        snapshot: the vault; `record` itself may be in it or not.
        record: the draft.
        now: aware instant in the vault's time zone.
        nearby: which records of the vault to look at; None for all.

    Returns:
        `contradiction` first, then `duplicate-text`, `rejected-before`, `near-duplicate`,
        `similar-text`; after a contradiction of a person's word by a lesser source also
        `low-authority`.
    """
    found: list[Diagnostic] = []
    for alike in compare_record(snapshot, record, now, nearby):
        found.append(_diagnostic(record, alike))
        if alike.low_authority:
            found.append(_authority_note(record, alike.other))
    return tuple(found)


def compare_record(
    snapshot: Snapshot, record: Record, now: datetime, nearby: Nearby | None = None
) -> tuple[Alike, ...]:
    """Return what `find_alike` reports as values, to be shown side by side."""
    others = (
        other
        for other in (snapshot.records if nearby is None else nearby(record))
        if other.path != record.path
        and other.id != record.id
        and other.status in _COMPARED
        and other.id not in record.supersedes  # it is there to take its place
        and record.id not in other.supersedes
        and other.id not in record.derived_from
        and record.id not in other.derived_from
        and not _tells_rejection(snapshot, other)
    )
    found = []
    for other in _likely(record, others):
        if not _same_audience(record, other) or not periods_overlap(record, other, now):
            continue
        alike = _compare(record, other)
        if alike is not None:
            found.append(alike)
    return tuple(sorted(found, key=lambda item: (_ORDER.index(item.code), item.other.id)))


def _tells_rejection(snapshot: Snapshot, record: Record) -> bool:
    """Tell whether a decision only says that a draft was turned down: the draft itself is asked."""
    if record.kind is not Kind.DECISION or not record.derived_from:
        return False
    drafts = [snapshot.by_id.get(one) for one in record.derived_from]
    return all(draft is not None and draft.status is Status.REJECTED for draft in drafts)


def _compare(record: Record, other: Record) -> Alike | None:
    text, theirs = statement_of(record), statement_of(other)
    if same_text(text, theirs):
        return _with_same_text(record, other)
    if record.kind in _APART or other.kind in _APART:
        return None
    if other.status is not Status.REJECTED:
        opposed = find_contradiction(record, other)
        if opposed is not None:
            return opposed
    likeness = _likeness(record, other)
    if likeness.relation not in ("same", "near", "similar"):
        return None
    code = "similar-text" if likeness.relation == "similar" else "near-duplicate"
    if other.status is Status.REJECTED:
        if code == "similar-text":
            return None
        code = "rejected-before"
    return Alike(code, other, likeness.why, *_differing(whole_text(record), whole_text(other)))


def _with_same_text(record: Record, other: Record) -> Alike | None:
    """Return how two records of one text stand to each other, None when nothing is to be said.

    Titles with two values of one thing make two records: the text says neither of them.
    """
    is_rejected = other.status is Status.REJECTED
    value = differing_value(record.title, other.title)
    if not value:
        code = "rejected-before" if is_rejected else "duplicate-text"
        return Alike(code, other, SAME, _cut(statement_of(record)), _cut(statement_of(other)))
    why = f"the same text under another title; {value}"
    found = Alike("similar-text", other, why, _cut(record.title), _cut(other.title))
    return None if is_rejected else found


def _differing(mine: str, theirs: str) -> tuple[str, str]:
    """Return the first sentence of each text that the other does not have, "" for none."""
    own, there = split_sentences(mine), split_sentences(theirs)
    known, known_there = ({letters_of(text) for text in texts} for texts in (own, there))
    first = next((text for text in own if letters_of(text) not in known_there), "")
    second = next((text for text in there if letters_of(text) not in known), "")
    return _cut(first), _cut(second)


def find_contradiction(record: Record, other: Record) -> Alike | None:
    """Return in which sentences two records contradict each other, None when they do not."""
    opposed = oppose(record, other)
    if opposed is None:
        return None
    pair = (_cut(opposed.pair[0]), _cut(opposed.pair[1]))
    why = opposed.why
    one, two = record.applies_when.strip(), other.applies_when.strip()
    if one and two and compare_texts(one, two).relation in ("unrelated", "contradicting"):
        why = f"{why}, but each applies when something else holds (an exception?)"
    low = (
        record.source in LOW_AUTHORITY
        and other.in_force
        and (other.source == "user" or other.correction)
    )
    return Alike("contradiction", other, why, *pair, low)


def _likeness(record: Record, other: Record) -> Likeness:
    """Compare the whole texts, and the titles of longer ones."""
    whole = compare_texts(whole_text(record), whole_text(other))
    if whole.relation in ("same", "near"):
        return whole
    titles = compare_texts(record.title, other.title)
    if titles.relation in ("same", "near") and len(prepare_text(record.title).units) >= (
        _LEAST_TITLE
    ):
        return titles._replace(why=f"nearly the same title; {titles.why}")
    return whole


def _likely(record: Record, others: Iterable[Record]) -> Iterator[Record]:
    """Yield the records worth a full comparison: those that share the most of its rare words.

    A word is looked for as a piece of text: that is far quicker than taking thousands of texts
    apart, and the full comparison sorts out what it finds too much.
    """
    keys = _keys_of(record)
    own = len(statement_of(record)) + 1
    hits: list[tuple[Record, list[str], int]] = []
    counts = dict.fromkeys(keys, 0)
    for other in others:
        text = _folded(other.title, other.body)
        found = [key for key in keys if key in text]
        if len(found) > 1 or (found and (len(keys) <= 4 or len(text) < 80)):  # noqa: PLR2004
            hits.append((other, found, len(text) + 1))
            for key in found:
                counts[key] += 1
    weights = {key: log(1 + len(hits) / count) for key, count in counts.items() if count}

    def worth(hit: tuple[Record, list[str], int]) -> tuple[float, str]:
        _, found, size = hit
        fit = (min(own, size) / max(own, size)) ** 0.25
        return -fit * sum(weights[key] for key in found), hit[0].path

    hits.sort(key=worth)
    yield from (hit[0] for hit in hits[:_CANDIDATES])


def _keys_of(record: Record) -> list[str]:
    """Return beginnings of words and pairs of characters by which a record is recognised."""
    subjects = (s.subject for s in prepare_text(whole_text(record)).sentences)
    keys = dict.fromkeys(_stem_start(token) for subject in subjects for token in subject)
    return list(keys)[:_KEYS]


def _stem_start(word: str) -> str:
    """Return a beginning of a word that its other forms share; pairs of characters stay."""
    return word if len(word) <= 4 else word[: max(4, len(word) - 2)]  # noqa: PLR2004


@lru_cache(maxsize=16_384)
def _folded(title: str, body: str) -> str:
    text = f"{title}\n{body[:READ]}"
    has_wide = not text.isascii() and _WIDE.search(text)
    return (unicodedata.normalize("NFKC", text) if has_wide else text).lower()


def _same_audience(one: Record, other: Record) -> bool:
    return one.scope == other.scope or "global" in (one.scope.level, other.scope.level)


def _cut(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _SHOWN else f"{line[: _SHOWN - 1]}…"


def _diagnostic(record: Record, alike: Alike) -> Diagnostic:
    message, hint = _WORDINGS[alike.code](record, alike)
    severity: Severity = "warning" if alike.code == "contradiction" else "note"
    return Diagnostic(record.path, 0, alike.code, severity, message, hint)


def _named(other: Record) -> str:
    return f"{other.id} ({_cut(other.title)}), {other.status}"


def _pair(alike: Alike) -> str:
    return ", ".join(
        f"{where} “{text}”"
        for where, text in (("here", alike.mine), ("there", alike.theirs))
        if text
    )


def _duplicate(record: Record, alike: Alike) -> tuple[str, str]:
    hint = f"Drop one of them: mvault reject {record.id} --reason duplicate"
    return f"same text as {_named(alike.other)}", hint


def _rejected(_: Record, alike: Alike) -> tuple[str, str]:
    why = f": {alike.reason}" if alike.reason else ""
    text = f"same text as {alike.other.id}, which was rejected{why}"
    if alike.why != SAME:
        text = f"nearly the {text}; {_pair(alike)}"
    return text, "Say what is new about it, or let it be."


def _near(record: Record, alike: Alike) -> tuple[str, str]:
    hint = f"Keep one, or put both into one: mvault merge {alike.other.id} {record.id}"
    return f"nearly the same as {_named(alike.other)}; {alike.why}; {_pair(alike)}", hint


def _similar(record: Record, alike: Alike) -> tuple[str, str]:
    text = f"much like {_named(alike.other)}; {alike.why}; {_pair(alike)}"
    return text, _replacing(record, alike.other)


def _replacing(record: Record, other: Record) -> str:
    """Return the command for a draft that replaces what it is like."""
    how = f"supersede {other.id} {record.id}"
    if not other.in_force:  # a draft was never in force: there is nothing to supersede
        how = f"reject {other.id} --reason TEXT"
    return f"If it replaces the other: mvault {how}"


def _contradicting(record: Record, alike: Alike) -> tuple[str, str]:
    other = alike.other.id
    kind = "condition" if "exception" in alike.why else "contradiction"
    both = f"If both stand: mvault conflict {other} {record.id} --type {kind}"
    text = f"contradicts {_named(alike.other)}; {alike.why}: {_pair(alike)}"
    return text, f"{_replacing(record, alike.other)}. {both}"


_WORDINGS: Final[Mapping[str, Callable[[Record, Alike], tuple[str, str]]]] = {
    "contradiction": _contradicting,
    "duplicate-text": _duplicate,
    "rejected-before": _rejected,
    "near-duplicate": _near,
    "similar-text": _similar,
}
_ORDER: Final = tuple(_WORDINGS)


def _authority_note(record: Record, other: Record) -> Diagnostic:
    word = "a correction" if other.correction else "what a person said"
    text = f"its source is {record.source}, and it contradicts {word}: {other.id}"
    hint = "A person decides; the source alone does not outweigh it."
    return Diagnostic(record.path, 0, "low-authority", "warning", text, hint)
