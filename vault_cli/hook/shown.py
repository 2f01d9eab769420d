"""The block of the records that a prompt brings, from what is ready. Stdlib, `hook`, `plain`.

Laid out by the code of every render (`plain.layout`), of pieces that were made before.
"""

from __future__ import annotations

from vault_cli.hook import fitting, prompts, ready, words
from vault_cli.plain.allot import ID, Unit, ids_key
from vault_cli.plain.layout import Layout
from vault_cli.plain.notices import IDS_OPENER

TYPE_CHECKING = False  # `typing` takes longer to load than all of this; checkers know the name
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from vault_cli.hook.prompts import Prepared

    Found = tuple[str, list[tuple[str, str]]]


class _Unit(Unit):
    """One record, as it was made ready: what it is shown as, and its bounds."""

    def __init__(
        self, entry: dict[str, Any], topic: tuple[tuple[str, ...], ...], known: Any, measure: Any
    ) -> None:
        group = entry["group"]
        super().__init__(group, entry["tier"], 1, ((group,), *topic), "", measure)
        self.key = entry["id"], entry["vault"]
        self._texts, self._name, self._bulk, self._least, self._least_line, self._is_plain = known

    @property
    def is_plain(self) -> bool:
        return bool(self._is_plain)

    @property
    def bulk(self) -> int:
        return int(self._bulk)

    @property
    def least(self) -> int:
        return int(self._least)

    @property
    def least_line(self) -> int:
        return int(self._least_line)

    def pieces(self, level: int) -> list[str]:
        return [self._texts[level]]

    def names(self) -> list[str]:
        return [self._name]


def make_block(
    prepared: Prepared, entries: list[dict[str, Any]], extra: Callable[[], dict[str, bytes]]
) -> Found | None:
    """Return records as a block, as `recall.render` makes it, and ids and vaults of those shown.

    Args:
        prepared: what is ready for the place.
        entries: what is known of the records.
        extra: gives further texts of records, by their tag.

    Returns:
        None where only the full program can tell: records in conflict, a file that was changed, a
        text that was not made yet.

    Raises:
        OSError, ValueError: what is ready cannot be read.
    """
    head = prepared.head
    if any(entry["conflict"] or not ready.holds(entry["stamps"]) for entry in entries):
        return None
    entries.sort(key=lambda entry: entry["rank"])
    groups = [*head["order"], *(group for group in head["headings"] if group not in head["order"])]
    ordered = [entry for group in groups for entry in _in_topics(entries, group)]
    units = _units_of(prepared, ordered, extra)
    if not units:
        return None
    layout = Layout(
        units,
        head["order"],
        _heads_of(head, ordered, units),
        words.BESIDE,
        budget=fitting.ROOM,
        unit=head["unit"],
        measure=units[0].measure,
        quotas=head["quotas"],
    )
    text = layout.text()
    shown = [unit.key for unit in units if unit.level > ID]
    if text is None or not shown:  # what is too long to be given is named by the full program
        return None
    return text, shown


def _units_of(
    prepared: Prepared, entries: list[dict[str, Any]], extra: Callable[[], dict[str, bytes]]
) -> list[_Unit]:
    """Return entries as units; none when it is not known how one of them is shown."""
    measure = len if prepared.head["unit"] == "characters" else _utf8_length
    is_named = any(entry["topic"] for entry in entries)
    units = []
    for entry in entries:
        reference = entry["text"]
        data = prepared.piece(reference) if reference else extra().get(entry["tag"])
        if not data:
            return []
        is_below = is_named and entry["group"] == "rules"
        topic = (("rules", "topic", entry["topic"]),) if is_below else ()
        units.append(_Unit(entry, topic, prompts.value_of(data), measure))
    return units


def _heads_of(
    head: dict[str, Any], entries: list[dict[str, Any]], units: list[_Unit]
) -> dict[tuple[str, ...], str]:
    """Return the text of every heading, as `recall.units.head_texts`."""
    texts: dict[tuple[str, ...], str] = {}
    for entry, unit in zip(entries, units, strict=True):
        group = unit.group
        texts[group,] = head["headings"][group]
        texts[ids_key(group)] = f"{IDS_OPENER}\n"
        if len(unit.heads) > 1:
            texts.setdefault(unit.heads[1], entry["topic_line"])
    return texts


def _utf8_length(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))


def _in_topics(entries: list[dict[str, Any]], group: str) -> list[dict[str, Any]]:
    """Return the records of a group; rules without a topic first, then topic by topic."""
    own = [entry for entry in entries if entry["group"] == group]
    if group != "rules":
        return own
    topics = dict.fromkeys(("", *(entry["topic"] for entry in own)))
    return [entry for topic in topics for entry in own if entry["topic"] == topic]
