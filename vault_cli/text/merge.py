"""Three versions of one record into one: keys by their meaning, the body by lines.

May import `model`, `text.*`. Both sides are equal here: exchanging them gives the same result, but
for the values of a clash, where the caller says whose stand.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, NamedTuple

from vault_cli.model.record import Status, more_restrictive
from vault_cli.model.schema import BY_KEY
from vault_cli.text.compose import REMOVE
from vault_cli.text.diff3 import merge_text
from vault_cli.text.document import Document
from vault_cli.text.values import whole_number

Value = Any
"""A value of the front matter as read, or REMOVE where a key is missing."""

BODY: Final = "text"
"""How a clash in the body is called among the names of keys."""

_SETS: Final = frozenset({"list", "topics"})
_NAMED_ITEMS: Final = {"evidence": "id", "links": "id", "conflicts": "id", "anchors": "path"}
"""Lists of maps, with the key that says which entry is which."""

_MARKS: Final = frozenset({"disputed", "deprecated", "rejected", "quarantined", "tombstone"})
"""Maps that say why a record has its status; they go with it and are never mixed."""


class MergedKeys(NamedTuple):
    """What became of the front matter and body of a record.

    Args:
        front: every key with its value.
        body: the body, LF line ends.
        clashes: names of the keys (and `text`) that both sides changed differently.
        settled: names of keys that both changed and that a rule decided about.
    """

    front: dict[str, Value]
    body: str
    clashes: tuple[str, ...]
    settled: tuple[str, ...]


def merge_documents(
    base: Document | None, one: Document, other: Document, *, prefer_other: bool = False
) -> MergedKeys:
    """Merge two changes of a record; nothing is written and nothing refused.

    Args:
        base: what both began with, None for a record that both made.
        one: the first version, readable.
        other: the second version, readable.
        prefer_other: whose values and lines stand where both changed the same.
    """
    before = base.front if base is not None else {}
    clashes: list[str] = []
    settled: list[str] = []
    front: dict[str, Value] = {}
    for key in dict.fromkeys((*one.front, *other.front)):
        old, mine, theirs = (side.get(key, REMOVE) for side in (before, one.front, other.front))
        value, verdict = merge_value(key, old, mine, theirs, prefer_other=prefer_other)
        if verdict:
            (clashes if verdict == "clash" else settled).append(key)
        if value is not REMOVE:
            front[key] = value
    text = merge_text(
        base.body if base is not None else "", one.body, other.body, prefer_other=prefer_other
    )
    if text.clashes:
        clashes.append(BODY)
    return MergedKeys(front, text.text, tuple(clashes), tuple(settled))


def merge_value(
    key: str, old: Value, mine: Value, theirs: Value, *, prefer_other: bool = False
) -> tuple[Value, str]:
    """Return the value of one key, and `clash`, `rule` (both changed it) or ""."""
    if theirs in (mine, old):
        return mine, ""
    if mine == old:
        return theirs, ""
    found = (
        _as_set(key, old, mine, theirs)
        or _as_entries(key, old, mine, theirs, prefer_other=prefer_other)
        or _as_map(key, old, mine, theirs, prefer_other=prefer_other)
        or _by_meaning(key, old, mine, theirs)
    )
    return found or ((theirs if prefer_other else mine), "clash")


def _is_missing(value: Value) -> bool:
    return value is REMOVE or value is None


def _as_set(key: str, old: Value, mine: Value, theirs: Value) -> tuple[Value, str] | None:
    """Merge lists whose order says nothing: what either side added or took away."""
    field = BY_KEY.get(key)
    if field is None or field.form not in _SETS:
        return None
    before, one, other = map(_items, (old, mine, theirs))
    kept = [item for item in before if item in one and item in other]
    added = [item for item in (*one, *other) if item not in before]
    merged = list(dict.fromkeys([*kept, *sorted(added)]))
    return (merged or REMOVE), "rule"


def _items(value: Value) -> list[str]:
    if _is_missing(value):
        return []
    listed = value if isinstance(value, list) else [value]
    return [item if isinstance(item, str) else _spell(item) for item in listed]


def _spell(value: Value) -> str:
    return json.dumps(value, ensure_ascii=False, sort_keys=True, default=str)


def _as_entries(
    key: str, old: Value, mine: Value, theirs: Value, *, prefer_other: bool
) -> tuple[Value, str] | None:
    """Merge lists of named entries, entry by entry."""
    name = _NAMED_ITEMS.get(key)
    if name is None:
        return None
    tables = [_table(value, name) for value in (old, mine, theirs)]
    if any(table is None for table in tables):
        return None
    before, one, other = (table or {} for table in tables)
    verdict, merged = "rule", {}
    order = [entry for entry in before if entry in one or entry in other]
    order += sorted((one.keys() | other.keys()) - before.keys())
    for entry in order:
        values = (table.get(entry, REMOVE) for table in (before, one, other))
        value, found = merge_value("", *values, prefer_other=prefer_other)
        verdict = "clash" if found == "clash" else verdict
        if value is not REMOVE:
            merged[entry] = value
    return (list(merged.values()) or REMOVE), verdict


def _table(value: Value, name: str) -> dict[str, Value] | None:
    """Return the entries of a list by their name; None for a list that is not of that kind."""
    if _is_missing(value):
        return {}
    listed = value if isinstance(value, list) else [value]
    table = {
        str(item.get(name)) if isinstance(item, Mapping) else str(item): item for item in listed
    }
    return table if len(table) == len(listed) and "None" not in table else None


def _as_map(
    key: str, old: Value, mine: Value, theirs: Value, *, prefer_other: bool
) -> tuple[Value, str] | None:
    """Merge the `metadata` of a skill key by key: ours stand in it."""
    if key != "metadata" or not isinstance(mine, Mapping) or not isinstance(theirs, Mapping):
        return None
    before = old if isinstance(old, Mapping) else {}
    merged, verdict = {}, "rule"
    for name in dict.fromkeys((*mine, *theirs)):
        values = (side.get(name, REMOVE) for side in (before, mine, theirs))
        value, found = merge_value(
            name.removeprefix("mvault-").replace("-", "_"), *values, prefer_other=prefer_other
        )
        verdict = "clash" if found == "clash" else verdict
        if value is not REMOVE:
            merged[name] = value
    return merged, verdict


def _by_meaning(key: str, old: Value, mine: Value, theirs: Value) -> tuple[Value, str] | None:
    """Decide about a key that has an order of its own, the more careful value first."""
    rule = _RULES.get(key)
    if rule is not None:
        return rule(old, mine, theirs), "rule"
    if key in _MARKS or key == "verification":
        # why it is as it is: that of either side is true, and neither says what is in force
        return _any_of(mine, theirs), "rule"
    return None


def _any_of(mine: Value, theirs: Value) -> Value:
    present = [value for value in (mine, theirs) if not _is_missing(value)]
    return max(present, key=_spell) if present else REMOVE


def _status(_: Value, mine: Value, theirs: Value) -> Value:
    known = set(Status)
    statuses = [value for value in (mine, theirs) if value in known]
    if len(statuses) < 2:  # noqa: PLR2004 - a pair
        return statuses[0] if statuses else _any_of(mine, theirs)
    return str(more_restrictive(Status(statuses[0]), Status(statuses[1])))


def _edge(pick: Callable[[Sequence[str]], str]) -> Callable[[Value, Value, Value], Value]:
    def choose(_: Value, mine: Value, theirs: Value) -> Value:
        present = [str(value) for value in (mine, theirs) if not _is_missing(value)]
        return pick(present) if present else REMOVE

    return choose


def _summed(old: Value, mine: Value, theirs: Value) -> Value:
    numbers = [_number(value) for value in (old, mine, theirs)]
    return str(max(0, numbers[1] + numbers[2] - numbers[0]))


def _number(value: Value) -> int:
    return 0 if _is_missing(value) else whole_number(str(value)) or 0


_RULES: Final[Mapping[str, Callable[[Value, Value, Value], Value]]] = {
    "status": _status,
    "valid_to": _edge(min),
    "valid_from": _edge(max),
    "created": _edge(min),
    "origin": _edge(min),
    "hits": _summed,
}
"""Keys that both sides changed: the more restrictive status, the shorter period, the older date;
uses counted on both sides are added up."""
