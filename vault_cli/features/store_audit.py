"""What is wrong with a foreign store, told before anything is imported.

May import `text`, `model`.

Each item is read as the draft it would become and goes through the same scanner, the same likeness
and the same gates; nothing is written and no value of a secret is told.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Final

from vault_cli.errors import UsageError
from vault_cli.features.composing import check_request, compose_draft
from vault_cli.features.foreign import item_request
from vault_cli.features.likeness import compare_record
from vault_cli.features.parts import has_text
from vault_cli.features.suspects import find_suspects
from vault_cli.model.foreign import Item, Store
from vault_cli.model.record import Record, Snapshot
from vault_cli.text.fields import read_record
from vault_cli.text.late import late
from vault_cli.text.quality import is_filler
from vault_cli.text.refusal import NEVER_WRITTEN
from vault_cli.text.scan import ALL, CLICHE, FILLER, mask_secrets

CATEGORIES: Final = (
    "secret", "injection", "junk", "duplicate", "contradiction", "stale", "wrong-project", "broken",
)  # fmt: skip
"""What is looked for, in the order in which it is told."""

_OLD: Final = timedelta(days=365)
_DATES: Final = ("updated", "modified", "updated_at", "last_hit", "at", "created", "created_at")
_ENDED: Final = {"superseded", "deprecated", "rejected", "disputed", "deleted", "expired"}
_PATH: Final = late(r"`((?:[\w.-]+/)+[\w.-]+\.[A-Za-z]{1,5})`")
_LIKE: Final = {
    "duplicate-text": "duplicate",
    "near-duplicate": "duplicate",
    "contradiction": "contradiction",
}


@dataclass(frozen=True, slots=True)
class Flaw:
    """One thing that is wrong with an item.

    Args:
        category: one of `CATEGORIES`.
        code: stable code.
        item: what it is about.
        evidence: what shows it; no value of a secret.
        line: in the source file, 0 when it has none.
        other: the item it is a duplicate of or in contradiction with.
    """

    category: str
    code: str
    item: Item
    evidence: str
    line: int = 0
    other: Item | None = None


def audit_store(
    store: Store,
    *,
    now: datetime,
    is_there: Callable[[str, str], bool | None],
    gates: frozenset[str] = ALL,
) -> tuple[Flaw, ...]:
    """Return what is wrong with a store, item by item in the order of the source.

    Args:
        store: what an importer found.
        now: aware instant.
        is_there: tells whether a path is there in a workspace; None when the workspace is not.
        gates: the gates of admission that are on.
    """
    found: list[Flaw] = []
    records: list[Record] = []
    items: dict[str, Item] = {}
    for number, item in enumerate(store.items):
        record = _as_record(item, f"audit-{number}", now, gates)
        if isinstance(record, str):
            found.append(Flaw("broken", "unusable", item, record, item.line))
            continue
        records.append(record)
        items[record.id] = item
    workspaces = sorted({item.workspace for item in store.items if item.workspace})
    for record in records:
        item = items[record.id]
        found += _scanned(record, item, gates)
        found += _junk(record, item)
        found += _stale(record, item, now, is_there)
        found += _misplaced(record, item, store, workspaces)
    found += _alike(records, items, now)
    order = {id(item): number for number, item in enumerate(store.items)}
    return tuple(sorted(found, key=lambda f: (order[id(f.item)], CATEGORIES.index(f.category))))


def totals_of(flaws: Sequence[Flaw]) -> dict[str, int]:
    """Return how many items each category has (an item counts once in each)."""
    return {
        name: len({id(flaw.item) for flaw in flaws if flaw.category == name}) for name in CATEGORIES
    }


def _as_record(item: Item, own: str, now: datetime, gates: frozenset[str]) -> Record | str:
    """Return an item as the record it would be, or why it cannot be one."""
    try:
        request = check_request(item_request(item, "global", now, {})[0])
    except UsageError as error:
        return error.message
    data = compose_draft(
        request, own, status="candidate", source=item.source, origin="import", now=now
    )
    record, findings = read_record(data, f"drafts/{own}.md", gates)
    if record is None:
        return next(f.message for f in findings if f.severity == "error")
    return record


def _scanned(record: Record, item: Item, gates: frozenset[str]) -> Iterator[Flaw]:
    for found in record.findings:
        if found.code in NEVER_WRITTEN:
            yield Flaw("secret", found.code, item, found.message, item.line)
        elif found.holds and found.code not in (FILLER, CLICHE):
            yield Flaw("injection", found.code, item, mask_secrets(found.message), item.line)
    for found in find_suspects((record,), gates):
        yield Flaw("injection", found.code, item, mask_secrets(found.message), item.line)


def _junk(record: Record, item: Item) -> Iterator[Flaw]:
    for found in record.findings:
        if found.code in (FILLER, CLICHE):
            yield Flaw("junk", found.code, item, mask_secrets(found.message), item.line)
    if item.body.strip() and is_filler(item.body) and not item.sections:
        yield Flaw("junk", FILLER, item, "the text says nothing", item.line)
    if not has_text(record.body) and not record.summary and len(record.title) < 12:  # noqa: PLR2004
        yield Flaw("junk", "no-text", item, "there is nothing but a short title", item.line)


def _stale(
    record: Record,
    item: Item,
    now: datetime,
    is_there: Callable[[str, str], bool | None],
) -> Iterator[Flaw]:
    if record.validity.state_at(now) == "expired":
        yield Flaw("stale", "expired", item, f"it held until {item.valid_to}", item.line)
    status = str(item.claims.get("status") or "").lower()
    if status in _ENDED or str(item.claims.get("enabled")).lower() == "false":
        said = status or "disabled"
        yield Flaw("stale", "ended-there", item, f"the source says it is {said}", item.line)
    told = next((str(item.claims[key]) for key in _DATES if item.claims.get(key)), "")
    day = _day(told)
    if day is not None and now.date() - day > _OLD:
        text = f"last touched {day.isoformat()}, more than a year ago"
        yield Flaw("stale", "old", item, text, item.line)
    if item.workspace:
        named = dict.fromkeys(_PATH.findall(record.body))
        for path in [path for path in named if is_there(item.workspace, path) is False][:5]:
            text = f"{path} is no longer there"
            yield Flaw("stale", "missing-file", item, mask_secrets(text), item.line)


def _day(text: str) -> date | None:
    try:
        return date.fromisoformat(text[:10])
    except ValueError:
        return None


def _misplaced(
    record: Record, item: Item, store: Store, workspaces: Sequence[str]
) -> Iterator[Flaw]:
    if item.project and not item.workspace:
        known = store.places.get(item.project, ())
        said = f"could be {' or '.join(known)}" if known else "no file says which"
        text = f"it belongs to a project of unknown folder ({item.project}): {said}"
        yield Flaw("wrong-project", "project-unknown", item, text, item.line)
    text = f"{record.title}\n{record.body}"
    others = [
        place
        for place in workspaces
        if place != item.workspace
        and not item.workspace.startswith(f"{place}/")
        and re.search(rf"{re.escape(place)}(?![\w.-])", text)
    ]
    if others and item.workspace and item.workspace not in text:
        said = f"filed under {item.workspace}, speaks of {', '.join(others)}"
        yield Flaw("wrong-project", "other-project", item, said, item.line)


def _alike(records: Sequence[Record], items: dict[str, Item], now: datetime) -> Iterator[Flaw]:
    """Yield each pair once, at the later item."""
    for number, record in enumerate(records):
        earlier = Snapshot(records=tuple(records[:number]))
        for alike in compare_record(earlier, record, now):
            category = _LIKE.get(alike.code)
            if category is None:
                continue
            item, other = items[record.id], items[alike.other.id]
            where = f"{other.file}:{other.line}" if other.line else other.file
            said = f"{alike.why}; there “{alike.theirs}”" if alike.theirs else alike.why
            text = mask_secrets(f"{where}: {said}")
            yield Flaw(category, alike.code, item, text, item.line, other)
