"""Records of a selection as the units that `plain.allot` gives room. + `plain`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from vault_cli.model.record import Kind, Record
from vault_cli.plain import allot
from vault_cli.plain.allot import FITTING, MUST, MUST_GROUPS, OTHER, OTHERS, Key
from vault_cli.recall import wording
from vault_cli.recall.select import Pick

Measure = Callable[[str], int]


class Unit(allot.Unit):
    """One record, or records in conflict that are only shown together.

    Args:
        picks: the records in the order of the block.
        lead: a line above them ("" for none).
        heads: headings the unit stands under, outermost first, as keys of the ledger.
        measure: how a text is counted.
    """

    __slots__ = ("_least", "_texts", "picks")

    def __init__(
        self, picks: tuple[Pick, ...], lead: str, heads: tuple[Key, ...], measure: Measure
    ) -> None:
        super().__init__(picks[0].group, tier_of(picks), len(picks), heads, lead, measure)
        self.picks = picks
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

    def names(self) -> list[str]:
        """Return how each record is called in a notice."""
        return [wording.name_of(pick.record) for pick in self.picks]


def _no_text(_record: Record, _support: str, _counts: str) -> str:
    return ""


_TEXTS: Final = (_no_text, wording.id_text, wording.line_text, wording.full_text)


def tier_of(picks: tuple[Pick, ...]) -> int:
    """Return the tier; a conflict is as important as its most important side of one's own."""
    own = [pick for pick in picks if not pick.record.team]
    if not own:
        return OTHERS
    for pick in own:
        if pick.group in MUST_GROUPS or (pick.partners and _is_must(pick.record)):
            return MUST
    return FITTING if any(pick.relevant for pick in own) else OTHER


def _is_must(record: Record) -> bool:
    return record.required or record.correction or record.kind is Kind.FAILURE
