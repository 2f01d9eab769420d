"""Who gets how much of the budget: whole entries only, the important ones in full longest.

An allocation fills shares of the room one after another instead of packing it as tightly as
possible: first what must be known, then what fits the task, then a title for the rest. A unit
that does not fit is passed over, so that a large one never starves the small ones behind it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final, NamedTuple

from vault_cli.model.record import Kind, Record
from vault_cli.recall import wording
from vault_cli.recall.select import Pick

OMITTED, ID, LINE, FULL = range(4)
"""Levels in rising order; the names are `block.LEVELS`."""

MUST_GROUPS: Final = frozenset(
    {"handoff", "persona", "profile", "corrections", "failures", "required", "checklist"}
)
"""Groups that come before all others and are never sorted out by relevance."""

MUST, FITTING, OTHER = range(3)
"""Tiers: must be known; fits the task (or no task was given); has nothing to do with it."""

_WEIGHTS: Final[Mapping[str, int]] = {
    "handoff": 4,
    "persona": 4,
    "profile": 4,
    "corrections": 4,
    "required": 4,
    "failures": 3,
    "checklist": 2,
    "rules": 4,
    "lessons": 3,
    "reference": 2,
    "conflicts": 2,
}
"""Turns a group gets while the groups of a tier share the room; 1 where nothing is said."""

_SPENT: Final = 12
"""No entry of any level is shorter: with less room left a phase ends."""

_PATIENCE: Final = 400
"""After so many units in a row that did not fit, a phase takes its share for spent."""

Key = tuple[str, ...]
Measure = Callable[[str], int]


def ids_key(group: str) -> Key:
    """Return the key of the line that lists bare ids of a group."""
    return (group, "ids")


class Unit:
    """One record, or records in conflict that are only shown together.

    Args:
        picks: the records in the order of the block.
        lead: a line above them ("" for none).
        heads: headings the unit stands under, outermost first, as keys of the ledger.
        measure: how a text is counted.
    """

    __slots__ = (
        "_least",
        "_texts",
        "group",
        "heads",
        "lead",
        "level",
        "measure",
        "note",
        "picks",
        "tier",
    )

    def __init__(
        self, picks: tuple[Pick, ...], lead: str, heads: tuple[Key, ...], measure: Measure
    ) -> None:
        self.picks = picks
        self.lead = lead
        self.heads = heads
        self.measure = measure
        self.group = picks[0].group
        self.tier = _tier_of(picks)
        self.level = OMITTED
        self.note = ""
        self._least = 0
        self._texts: dict[int, list[str]] = {}

    @property
    def is_plain(self) -> bool:
        """Whether one line already is everything."""
        return all(wording.is_plain(pick.record) for pick in self.picks)

    @property
    def bulk(self) -> int:
        """A size that level `full` hardly exceeds, for a first look."""
        size = 0
        for pick in self.picks:
            size += pick.record.size + len(pick.record.title)
        return 4 * size

    @property
    def least(self) -> int:
        """About the least that level `full` can take."""
        if not self._least:
            self._least = sum([wording.least_size(p.record, self.measure) for p in self.picks])
        return self._least

    @property
    def least_line(self) -> int:
        """About the least that level `line` can take."""
        return sum([wording.least_line(pick.record) for pick in self.picks])

    def pieces(self, level: int) -> list[str]:
        """Return the text of each record at a level, without the line above them; built once."""
        if level not in self._texts:
            self._texts[level] = [
                _TEXTS[level](pick.record, pick.support.state, pick.aside) for pick in self.picks
            ]
        return self._texts[level]

    def costs(self, level: int) -> list[int]:
        """Return what each record costs at a level; the first one carries the line above."""
        if level == OMITTED:
            return [0] * len(self.picks)
        costs = [self.measure(text) for text in self.pieces(level)]
        if level != ID:
            costs[0] += self.measure(self.lead)
        return costs

    def cost(self, level: int) -> int:
        """Return what the unit costs at a level, without headings."""
        return sum(self.costs(level)) if level else 0

    def openers(self, level: int) -> tuple[Key, ...]:
        """Return the headings that must stand in the block for the unit at a level."""
        if level == OMITTED:
            return ()
        return (self.heads[0], ids_key(self.group)) if level == ID else self.heads


def _no_text(_record: Record, _support: str, _counts: str) -> str:
    return ""


_TEXTS: Final = (_no_text, wording.id_text, wording.line_text, wording.full_text)


def _tier_of(picks: tuple[Pick, ...]) -> int:
    """Return the tier; a conflict is as important as its most important side."""
    for pick in picks:
        if pick.group in MUST_GROUPS or (pick.partners and _is_must(pick.record)):
            return MUST
    return FITTING if any(pick.relevant for pick in picks) else OTHER


def _is_must(record: Record) -> bool:
    return record.required or record.correction or record.kind is Kind.FAILURE


class Ledger:
    """What is spent, kept exact while units rise.

    Args:
        room: what entries and headings may take together.
        quotas: most a group may take, headings included.
        heads: the length of each heading.
    """

    def __init__(self, room: int, quotas: Mapping[str, int], heads: Mapping[Key, int]) -> None:
        self.room = room
        self.used = 0
        self._quotas = quotas
        self._heads = heads
        self._open: defaultdict[Key, int] = defaultdict(int)
        self._by_group: defaultdict[str, int] = defaultdict(int)

    def raise_unit(self, unit: Unit, level: int, limit: int) -> bool:
        """Lift a unit to a level if it then stays within `limit` and its group's quota."""
        delta = unit.cost(level) - unit.cost(unit.level)
        old, new = unit.openers(unit.level), unit.openers(level)
        delta += sum(self._heads[key] for key in new if key not in old and not self._open[key])
        delta -= sum(self._heads[key] for key in old if key not in new and self._open[key] == 1)
        if self.used + delta > limit:
            return False
        quota = self._quotas.get(unit.group)
        if quota is not None and self._by_group[unit.group] + delta > quota:
            unit.note = "the quota of its group is spent"
            return False
        for key in old:
            self._open[key] -= 1
        for key in new:
            self._open[key] += 1
        self.used += delta
        self._by_group[unit.group] += delta
        unit.level = level
        return True

    def is_open(self, key: Key) -> bool:
        """Whether a heading stands in the block."""
        return self._open[key] > 0


class _Phase(NamedTuple):
    level: int
    tiers: tuple[int, ...]
    share: float


_ALL: Final = (MUST, FITTING, OTHER)
_REST: Final = (
    _Phase(LINE, (FITTING,), 0.88),
    _Phase(LINE, _ALL, 0.96),
    _Phase(FULL, _ALL, 0.96),
    _Phase(ID, _ALL, 1.0),
    _Phase(LINE, _ALL, 1.0),
    _Phase(FULL, _ALL, 1.0),
)
_SHARED: Final = (
    _Phase(FULL, (MUST,), 0.45),
    _Phase(LINE, (MUST,), 0.55),
    _Phase(FULL, (FITTING,), 0.75),
    *_REST,
)
_UNSHARED: Final = (_Phase(FULL, (MUST,), 0.75), *_REST)
"""Each phase fills the room up to its share of the whole.

What must be known takes at most 45 % in full and 55 % with titles while there is anything else;
the last phases hand back what nobody needed. Bare ids get the last 4 %: more of them would be
noise, the counts in the notice say the same.
"""


def allocate(units: Sequence[Unit], ledger: Ledger) -> None:
    """Set the level of every unit; `units` come in rank order (`rank_units`)."""
    if not units:
        return
    only_must = all(unit.tier == MUST for unit in units)
    for phase in _UNSHARED if only_must else _SHARED:
        members = [u for u in units if u.tier in phase.tiers and u.level < phase.level]
        _fill(members, ledger, phase.level, int(ledger.room * phase.share))


def use_up(units: Sequence[Unit], ledger: Ledger) -> None:
    """Spend room that turned up after the allocation; nothing falls back."""
    for level in (LINE, FULL):
        _fill([unit for unit in units if unit.level < level], ledger, level, ledger.room)


def _fill(units: Sequence[Unit], ledger: Ledger, level: int, limit: int) -> None:
    """Lift units to a level, in order, as far as the limit goes."""
    missed = 0
    for unit in units:
        left = limit - ledger.used
        if left < _SPENT or missed > _PATIENCE:
            return
        # Cheap bounds first: of thousands of units only those that may fit are built.
        left += unit.cost(unit.level)
        if (level == FULL and unit.least > left) or (level == LINE and unit.least_line > left):
            missed += 1
        elif ledger.raise_unit(unit, FULL if level == LINE and unit.is_plain else level, limit):
            missed = 0
        else:
            missed += 1


def rank_units(units: Iterable[Unit]) -> list[Unit]:
    """Order units for the allocation: by tier, then the groups take turns by their weights.

    Args:
        units: each group's units in the order of their rank.
    """
    turns: defaultdict[tuple[int, str], int] = defaultdict(int)
    keyed = []
    for place, unit in enumerate(units):
        queue = (unit.tier, unit.group)
        turn = turns[queue] = turns[queue] + 1
        keyed.append((unit.tier, turn / _WEIGHTS.get(unit.group, 1), place, unit))
    keyed.sort()  # `place` is unique: units are never compared
    return [item[3] for item in keyed]
