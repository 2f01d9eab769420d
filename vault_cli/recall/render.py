"""Selection + budget to Block + Receipt: whole entries only, every omission listed.

The pieces of the text are measured once and joined (`plain.layout`); `RenderReceipt.used` is the
sum of the same pieces. May import `text`, `model`, `errors`.
"""

from __future__ import annotations

from collections.abc import Iterator

from vault_cli.model.tables import GROUPS
from vault_cli.plain.allot import FULL, OMITTED
from vault_cli.plain.layout import Layout
from vault_cli.recall import wording
from vault_cli.recall.block import (
    LEVELS,
    Block,
    Excluded,
    Line,
    RenderOptions,
    RenderReceipt,
    measure_in,
)
from vault_cli.recall.budget import Unit
from vault_cli.recall.select import Query, Selection
from vault_cli.recall.units import build_units, head_texts

__all__ = [
    "GROUPS",
    "Block",
    "Line",
    "RenderOptions",
    "RenderReceipt",
    "render_block",
]

SMALL_BUDGET = 2000
"""Below this the lines that say how to read the headings give their room to entries."""

_KEPT_BACK = frozenset({"held", "ambiguous"})


def render_block(
    selection: Selection,
    query: Query,
    options: RenderOptions,
    unreadable: int = 0,
    *,
    intro: str = "",
) -> Block:
    """Render; byte-identical for the same content, options and calendar day.

    Args:
        selection: what `select_records` chose for `query`.
        query: its mode words the headings; `off` gives an empty block.
        options: budget, unit, order of groups, quotas.
        unreadable: how many files of the vault could not be read; told in the block.
        intro: lines at the top in place of the usual ones.

    Returns:
        The block; its text is empty when there is nothing to say or nothing fits.

    Raises:
        UsageError: the options make no sense.
    """
    options.check()
    return _Render(selection, query, options, unreadable, intro).block()


class _Render:
    """One run: units, what does not take part, and what becomes of each."""

    def __init__(
        self,
        selection: Selection,
        query: Query,
        options: RenderOptions,
        unreadable: int,
        intro: str,
    ) -> None:
        self.selection = selection
        self.mode = query.mode
        self.options = options
        self.measure = measure_in(options.unit)
        self.units = build_units(selection.picks, options.order, self.measure)
        short = 0 < options.budget < SMALL_BUDGET
        self.layout = Layout(
            self.units,
            options.order,
            head_texts(self.units, query.mode),
            intro or wording.intro(short=short),
            budget=options.budget,
            unit=options.unit,
            measure=self.measure,
            quotas=options.quotas,
        )
        self.layout.held = sum(item.code in _KEPT_BACK for item in selection.excluded)
        self.layout.withheld = sum(item.code == "trust" for item in selection.excluded)
        self.layout.unreadable = unreadable

    def block(self) -> Block:
        layout = self.layout
        if self.mode == "off":
            return self._result("", "render.mode is off")
        if not (self.units or layout.held or layout.unreadable or layout.withheld):
            return self._result("", "")
        text = layout.text()
        if text is None:
            return self._result(layout.fallback(), "the budget is too small for any entry")
        return self._result(text, "")

    def _result(self, text: str, why: str) -> Block:
        excluded = tuple(
            Excluded(item.record.id, item.record.path, item.code, item.reason, item.record.vault)
            for item in self.selection.excluded
        )
        receipt = RenderReceipt(
            lines=tuple(self._lines(why)),
            excluded=excluded,
            budget=self.options.budget,
            unit=self.options.unit,
            used=self.measure(text),
            unreadable=self.layout.unreadable,
            mode=self.mode,
        )
        return Block(text, receipt)

    def _lines(self, why: str) -> Iterator[Line]:
        listed = frozenset(self.options.order)
        for unit in self.units:
            fate = "" if unit.level == FULL else why or self._fate(unit, listed)
            level = LEVELS[unit.level]
            if unit.level == OMITTED:
                for pick in unit.picks:
                    yield Line(pick, level, fate, 0, self.measure)
                continue
            for pick, cost in zip(unit.picks, unit.costs(unit.level), strict=True):
                yield Line(pick, level, fate, cost, self.measure)

    def _fate(self, unit: Unit, listed: frozenset[str]) -> str:
        if unit in self.layout.oversize:
            return "larger than the whole budget"
        if unit.group not in listed:
            return "its group is not in render.order"
        return unit.note or "no room left in the budget"
