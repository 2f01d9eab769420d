"""What waits in the capture queue becomes candidates, in an agent's words. A planner.

Nothing is read or written here: items of the queue come in as values. May import `text`, `model`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from vault_cli.errors import RefusedError, UsageError, VaultError
from vault_cli.features.answers import Answer, Item
from vault_cli.features.capture import CORRECTION
from vault_cli.features.capture_draft import MOST_EVIDENCE, propose
from vault_cli.features.composing import DraftRequest, check_request, compose_draft
from vault_cli.features.drafting import Drafting, fault_findings
from vault_cli.features.likeness import Alike, compare_record
from vault_cli.features.records import read_checked
from vault_cli.features.reflection import NEW, NONE
from vault_cli.features.reflection_items import (
    GLOBAL,
    KINDS,
    PROJECT,
    Checked,
    check_texts,
    importance_of,
)
from vault_cli.features.reflection_words import Words, words_of
from vault_cli.model.change import Change
from vault_cli.model.lifecycle import Actor
from vault_cli.model.record import Kind, Record, Snapshot
from vault_cli.text.neutral import neutral_inline

DRAFT, DROP, SKIP = "draft", "drop", "skip"
DECISIONS: Final = (DRAFT, DROP, SKIP)
MOST_ITEMS: Final = 12
"""Items handed over at once."""

_TEXT: Final = 400
_PINNED: Final = frozenset({Kind.LESSON, Kind.RULE, Kind.FACT})


class Offer(NamedTuple):
    """An item as it is handed over.

    Args:
        id, kind: of the item.
        text: what is kept of it, as it may be shown; "" when it reads like an attack.
        detail: more about it.
        seen: how often, and `last` on which day.
        near: records that say the same, nearly so, or the opposite, and rejected ones.
        found: records that a search finds, where none is near.
    """

    id: str
    kind: str
    text: str
    detail: Mapping[str, Any]
    seen: int
    last: str
    near: tuple[Alike, ...] = ()
    found: tuple[Record, ...] = ()


def neighbours(
    snapshot: Snapshot, kind: str, text: str, detail: Mapping[str, Any], now: datetime
) -> tuple[Alike, ...]:
    """Return what is near to an item, as if it were proposed in the words of the session."""
    try:
        request = check_request(propose(kind, text, detail, ()))
    except UsageError:
        return ()
    data = compose_draft(
        request, "q-0000000", status="candidate", source="tool", origin="hook", now=now
    )
    try:
        record = read_checked(data, "drafts/q.md")
    except RefusedError:
        return ()
    return tuple(
        alike for alike in compare_record(snapshot, record, now) if not alike.other.held_by
    )


def write_offers(offers: Sequence[Offer], left: int, language: str) -> str:
    """Return the brief of a distillation.

    Args:
        offers: what is handed over.
        left: items that wait besides.
        language: `en` or `zh`.
    """
    words = words_of(language)
    lines = [words["distill"].format(number=len(offers)), "", words["distill_intro"], ""]
    for offer in offers:
        lines += _offer_lines(offer, words)
    if left:
        lines.append(words["others"].format(number=left))
    lines += ["", words["answer"], words["distill_how"], ""]
    lines += [*(f"    {line}" for line in _EXAMPLE.split("\n")), ""]
    return "\n".join([*lines, *words["distill_rules"].split("\n")]) + "\n"


_EXAMPLE: Final = (
    '{"items": [{"item": ["q-…"], "decision": "draft", "kind": "lesson", "title": "…",\n'
    '  "problem": "…", "correction": "…", "when": "…"},\n'
    ' {"item": ["q-…"], "decision": "drop", "reason": "…"}]}'
)


def _offer_lines(offer: Offer, words: Words) -> Iterator[str]:
    seen = words["seen"].format(number=offer.seen, day=offer.last)
    yield f"- [{offer.id}] {offer.kind}, {seen}"
    told = offer.text[:_TEXT] or words["veiled"]
    lines = (neutral_inline(line) for line in told.split("\n"))
    yield from (f"    > {line}" for line in lines if line)
    for key in ("agent", "call", "command", "failed", "worked"):
        value = offer.detail.get(key)
        if isinstance(value, str) and value.strip():
            yield f"    {key}: {neutral_inline(value[:200])}"
    for alike in offer.near:
        title = neutral_inline(alike.other.title)
        if alike.code == "rejected-before":
            yield "    " + words["rejected"].format(id=alike.other.id, reason=alike.reason)
        else:
            yield "    " + words["near"].format(id=alike.other.id, code=alike.code, title=title)
    for record in offer.found:
        title = neutral_inline(record.title)
        yield "    " + words["near"].format(id=record.id, code=record.kind, title=title)


@dataclass(frozen=True, slots=True)
class Waiting:
    """An item as an answer is checked against it.

    Args:
        id, kind, state: of the item.
        record: what it became, "" for nothing.
        evidence: its sightings, newest last.
        folders: where it was seen, "" for one that is not known.
    """

    id: str
    kind: str
    state: str
    record: str
    evidence: tuple[Mapping[str, str], ...]
    folders: frozenset[str] = frozenset()


class Distilled(NamedTuple):
    """What an answer comes to.

    Args:
        change: all drafts in one; None for none.
        made: ids of drafts by item.
        dropped, skipped: ids of items.
        done: items that have become a record before, with its id.
        notes: findings to show.
    """

    change: Change | None
    made: Mapping[str, str]
    dropped: tuple[str, ...]
    skipped: tuple[str, ...]
    done: Mapping[str, str]
    notes: tuple[Any, ...]


@dataclass(slots=True)
class Table:
    """What the items of an answer are checked against.

    Args:
        find: returns an item of the queue by its id or beginning; VaultError for none.
        scope: turns `project` into the scope at hand.
        scope_of: returns the scope of what was seen in some folders.
        is_open: tells of the state of an item whether something may become of it.
        is_dropped: tells of the state of an item whether it was dropped.
    """

    find: Callable[[str], Waiting]
    scope: Callable[[str], str]
    scope_of: Callable[[Collection[str]], str]
    is_open: Callable[[str], bool]
    is_dropped: Callable[[str], bool]


def plan_distilled(answer: Answer, table: Table, drafting: Drafting, actor: Actor) -> Distilled:
    """Plan what an answer proposes: drafts in one change, items to drop, items that stay.

    Raises:
        RefusedError: it has faults; all of them are named, and nothing is written.
    """
    if not answer.items:
        raise UsageError("the answer has no items", hint='{"items": [{"item": ["q-…"], …}]}')
    made: dict[str, Checked] = {}
    dropped: list[str] = []
    skipped: list[str] = []
    done: dict[str, str] = {}
    checked = []
    named: set[str] = set()
    for item in answer.items:
        one, waiting = _read(item, table, named)
        checked.append(one)
        done |= {w.id: w.record for w in waiting if w.record}
        left = [w for w in waiting if not w.record]
        decision = item.get("decision") or DRAFT
        if decision == DROP:
            dropped += [w.id for w in left]
        elif decision == SKIP:
            skipped += [w.id for w in left]
        elif left and not one.faults:
            one.request = _request(one, left, table)
            made |= {w.id: one for w in left}
            drafting.take(one)
    faults = [text for one in checked for text in one.faults]
    if faults:
        raise RefusedError(
            f"the answer has {len(faults)} fault{'s' * (len(faults) != 1)}; nothing was written",
            hint="Mend them and run the same command again.",
            diagnostics=(*fault_findings(faults, ""), *drafting.notes),
        )
    ids = {id(one): own for one, _, own in drafting.drafts}
    drafted = {name: ids[id(one)] for name, one in made.items()}
    change = _one_change([change for _, change, _ in drafting.drafts if change], actor)
    return Distilled(change, drafted, tuple(dropped), tuple(skipped), done, tuple(drafting.notes))


def _read(item: Item, table: Table, named: set[str]) -> tuple[Checked, list[Waiting]]:
    """Return an item of the answer, and the items of the queue that it is about."""
    decision = item.get("decision") or DRAFT
    one = Checked(item, NEW if decision == DRAFT else NONE)
    if decision not in DECISIONS:
        one.fault(f"decision is one of {', '.join(DECISIONS)}")
    if decision == DROP and not item.get("reason"):
        one.fault("drop needs a reason")
    found = []
    for name in item.all("item"):
        try:
            waiting = table.find(name)
        except VaultError as error:
            one.fault(error.message)
            continue
        if waiting.id in named:
            one.fault(f"{waiting.id} is named twice in the answer")
        elif decision == DROP and table.is_dropped(waiting.state):
            pass  # the answer was carried out before
        elif not waiting.record and not table.is_open(waiting.state):
            one.fault(f"{waiting.id} is {waiting.state}")
        else:
            found.append(waiting)
        named.add(waiting.id)
    if not item.all("item"):
        one.fault("item is missing: name the items of the queue it comes from")
    return one, found


def _request(one: Checked, waiting: Sequence[Waiting], table: Table) -> DraftRequest | None:
    item = one.item
    kind = item.get("kind") or "lesson"
    if kind not in KINDS:
        one.fault(f"kind is one of {', '.join(KINDS)}, not {kind[:40]}")
        return None
    sections = {name: text for name, text in item.sections.items() if text}
    is_correction = any(w.kind == CORRECTION for w in waiting)
    evidence = [row for w in waiting for row in w.evidence[-MOST_EVIDENCE:]]
    request = DraftRequest(
        Kind(kind),
        item.get("title"),
        item.get("text"),
        MappingProxyType(sections),
        scope=_scope(one, waiting, table),
        boundary=item.get("boundary") or sections.pop("boundary", ""),
        topics=item.all("topics"),
        applies_when=item.get("applies_when") or sections.pop("when", ""),
        required=item.required,
        correction=is_correction and Kind(kind) in _PINNED,
        keywords=item.all("keywords"),
        importance=importance_of(one),
        confidence=item.get("confidence"),
        source="agent",
        evidence=tuple(evidence),
        extra=MappingProxyType({"distilled": [w.id for w in waiting]}),
        reason=item.get("differs") or item.get("reason"),
    )
    check_texts(one, sections)
    return request


def _scope(one: Checked, waiting: Sequence[Waiting], table: Table) -> str:
    """Return the scope an item asks for; without one, and for `project`, that of its sightings."""
    wanted = one.item.get("scope")
    seen_in = table.scope_of(frozenset().union(*(w.folders for w in waiting)))
    if not wanted or (wanted == PROJECT and seen_in != GLOBAL):
        return seen_in
    try:
        return table.scope(wanted)
    except VaultError as error:
        one.fault(f"scope: {error.message}")
        return GLOBAL


def _one_change(changes: Sequence[Change], actor: Actor) -> Change | None:
    if not changes:
        return None
    first = changes[0]
    many = f": {len(changes)} records" if len(changes) > 1 else first.subject
    return Change(
        "distill",
        many,
        tuple(edit for change in changes for edit in change.edits),
        reason="\n".join(dict.fromkeys(c.reason for c in changes if c.reason)),
        ids=tuple(own for change in changes for own in change.ids),
        actor=actor,
        origin=first.origin,
    )
