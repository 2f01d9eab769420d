"""Picks to units in the order of the block: topics under rules, conflicts side by side."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from vault_cli.model.tables import GROUPS
from vault_cli.plain.allot import Key, ids_key
from vault_cli.plain.notices import IDS_OPENER
from vault_cli.recall import wording
from vault_cli.recall.budget import Measure, Unit
from vault_cli.recall.select import Pick
from vault_cli.recall.topics import fold_topic


def build_units(picks: Sequence[Pick], order: Sequence[str], measure: Measure) -> list[Unit]:
    """Return all picks as units: groups in `order`, then the groups that it leaves out.

    Args:
        picks: ranked picks of a selection, each group's in rank order.
        order: the configured order of groups.
        measure: how a text is counted.
    """
    by_group: defaultdict[str, list[Pick]] = defaultdict(list)
    for pick in picks:
        by_group[pick.group].append(pick)
    units: list[Unit] = []
    for group in (*order, *(name for name in GROUPS if name not in order)):
        members = by_group.get(group, ())
        if group == "rules":
            units += _by_topic(members, measure)
        elif group == "conflicts":
            units += _side_by_side(members, measure)
        else:
            units += [Unit((pick,), "", ((group,),), measure) for pick in members]
    return units


def head_texts(units: Sequence[Unit], mode: str) -> dict[Key, str]:
    """Return the text of every heading that one of these units may need."""
    texts: dict[Key, str] = {}
    for unit in units:
        group = unit.group
        if (group,) not in texts:
            texts[group,] = wording.heading(group, mode)
            texts[ids_key(group)] = IDS_OPENER + "\n"
        if len(unit.heads) > 1 and unit.heads[1] not in texts:
            texts[unit.heads[1]] = wording.topic_line(unit.picks[0].topic)
    return texts


def _by_topic(picks: Sequence[Pick], measure: Measure) -> list[Unit]:
    """Put rules of a topic together: those without one first, then by the best rule of each."""
    topics: dict[str, list[Pick]] = {"": []}
    for pick in picks:
        topics.setdefault(fold_topic(pick.topic), []).append(pick)
    named = len(topics) > 1
    units = []
    for topic, members in topics.items():
        heads: tuple[Key, ...] = (("rules",), ("rules", "topic", topic)) if named else (("rules",),)
        units += [Unit((pick,), "", heads, measure) for pick in members]
    return units


def _side_by_side(picks: Sequence[Pick], measure: Measure) -> list[Unit]:
    """Put records that are in conflict, directly or through others, into one unit each."""
    by_id = {pick.record.id: pick for pick in picks}
    units = []
    placed: set[str] = set()
    for pick in picks:
        if pick.record.id not in placed:
            ids = _cluster(pick.record.id, by_id)
            placed.update(ids)
            members = tuple(by_id[key] for key in ids)
            units.append(Unit(members, _lead(members), (("conflicts",),), measure))
    return units


def _cluster(start: str, by_id: dict[str, Pick]) -> list[str]:
    found = {start}
    waiting = [start]
    while waiting:
        for other, _ in by_id[waiting.pop()].partners:
            if other in by_id and other not in found:
                found.add(other)
                waiting.append(other)
    return sorted(found)


def _lead(members: Sequence[Pick]) -> str:
    pairs = sorted(
        (pick.record.id, other, kind)
        for pick in members
        for other, kind in pick.partners
        if pick.record.id < other
    )
    return wording.conflict_line([pick.record.id for pick in members], pairs)
