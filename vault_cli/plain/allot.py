"""Who gets how much of the budget: whole entries only, the important ones in full longest.

An allocation fills shares of the room one after another instead of packing it as tightly as
possible: first what must be known, then what fits the task, then a title for the rest. A unit
that does not fit is passed over, so that a large one never starves the small ones behind it.

Standard library only.
"""

from __future__ import annotations

from _collections import defaultdict  # type: ignore[import-not-found]  # `collections` loads more

TYPE_CHECKING = False  # `typing` takes longer to load than all of this; checkers know the name
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from typing import Final

Key = tuple[str, ...]

OMITTED, ID, LINE, FULL = range(4)
"""Levels in rising order; the names are `block.LEVELS`."""

MUST_GROUPS: Final = frozenset(
    {"handoff", "persona", "profile", "corrections", "failures", "required", "checklist"}
)
"""Groups that come before all others and are never sorted out by relevance."""

MUST, FITTING, OTHER, OTHERS = range(4)
"""Tiers: must be known; fits the task (or no task was given); has nothing to do with it; is of a
vault of others, which takes no room that one's own records need."""

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


def ids_key(group: str) -> Key:
    """Return the key of the line that lists bare ids of a group."""
    return (group, "ids")


class Unit:
    """One record, or records that are only shown together.

    Args:
        group: the group it stands in.
        tier: MUST, FITTING, OTHER or OTHERS.
        number: how many records it is.
        heads: headings the unit stands under, outermost first, as keys of the ledger.
        lead: a line above them ("" for none).
        measure: how a text is counted.
    """

    __slots__ = ("group", "heads", "lead", "level", "measure", "note", "number", "tier")

    def __init__(
        self,
        group: str,
        tier: int,
        number: int,
        heads: tuple[Key, ...],
        lead: str,
        measure: Callable[[str], int],
    ) -> None:
        self.group = group
        self.tier = tier
        self.number = number
        self.heads = heads
        self.lead = lead
        self.measure = measure
        self.level = OMITTED
        self.note = ""

    @property
    def is_plain(self) -> bool:
        """Whether one line already is everything."""
        raise NotImplementedError

    @property
    def bulk(self) -> int:
        """A size that level `full` hardly exceeds, for a first look."""
        raise NotImplementedError

    @property
    def least(self) -> int:
        """About the least that level `full` can take."""
        raise NotImplementedError

    @property
    def least_line(self) -> int:
        """About the least that level `line` can take."""
        raise NotImplementedError

    def pieces(self, level: int) -> list[str]:
        """Return the text of each record at a level, without the line above them."""
        raise NotImplementedError

    def names(self) -> list[str]:
        """Return how each record is called in a notice."""
        raise NotImplementedError

    def costs(self, level: int) -> list[int]:
        """Return what each record costs at a level; the first one carries the line above."""
        if level == OMITTED:
            return [0] * self.number
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
        self._open: dict[Key, int] = defaultdict(int)
        self._by_group: dict[str, int] = defaultdict(int)

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


_ALL: Final = (MUST, FITTING, OTHER, OTHERS)
_REST: Final = (
    (LINE, (FITTING,), 0.88),
    (LINE, _ALL, 0.96),
    (FULL, _ALL, 0.96),
    (ID, _ALL, 1.0),
    (LINE, _ALL, 1.0),
    (FULL, _ALL, 1.0),
)
_SHARED: Final = (
    (FULL, (MUST,), 0.45),
    (LINE, (MUST,), 0.55),
    (FULL, (FITTING,), 0.75),
    *_REST,
)
_UNSHARED: Final = ((FULL, (MUST,), 0.75), *_REST)
"""Each phase fills the room up to its share of the whole.

What must be known takes at most 45 % in full and 55 % with titles while there is anything else;
the last phases hand back what nobody needed. Bare ids get the last 4 %: more of them would be
noise, the counts in the notice say the same.
"""


def allocate(units: Sequence[Unit], ledger: Ledger) -> None:
    """Set the level of every unit; `units` come in rank order (`rank_units`)."""
    if not units:
        return
    only_must = all(unit.tier in (MUST, OTHERS) for unit in units)
    for level, tiers, share in _UNSHARED if only_must else _SHARED:
        members = [u for u in units if u.tier in tiers and u.level < level]
        _fill(members, ledger, level, int(ledger.room * share))


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
    turns: dict[tuple[int, str], int] = defaultdict(int)
    keyed = []
    for place, unit in enumerate(units):
        queue = (unit.tier, unit.group)
        turn = turns[queue] = turns[queue] + 1
        keyed.append((unit.tier, turn / _WEIGHTS.get(unit.group, 1), place, unit))
    keyed.sort()  # `place` is unique: units are never compared
    return [item[3] for item in keyed]
