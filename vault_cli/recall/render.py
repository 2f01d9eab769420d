"""Selection + budget to Block + Receipt: whole entries only, every omission listed.

The pieces of the text are measured once and joined; `RenderReceipt.used` is the sum of the
same pieces. May import `text`, `model`, `errors`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate, groupby, islice
from operator import attrgetter

from vault_cli.model.tables import GROUPS
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
from vault_cli.recall.budget import (
    FULL,
    ID,
    LINE,
    OMITTED,
    Key,
    Ledger,
    Unit,
    allocate,
    rank_units,
    use_up,
)
from vault_cli.recall.select import Query, Selection
from vault_cli.recall.units import build_units, head_texts
from vault_cli.recall.wording import Tallied

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

_NO_LIMIT = 1 << 62
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
    """One run: units, what does not take part, the ledger, and the text in the end."""

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
        self.unreadable = unreadable
        self.measure = measure_in(options.unit)
        self.budget = options.budget or _NO_LIMIT
        self.held = sum(item.code in _KEPT_BACK for item in selection.excluded)
        self.withheld = sum(item.code == "trust" for item in selection.excluded)
        self.units = build_units(selection.picks, options.order, self.measure)
        listed = frozenset(options.order)
        self.active = [unit for unit in self.units if unit.group in listed]
        self.intro = intro or wording.intro(short=self.budget < SMALL_BUDGET)
        self.heads = head_texts(self.active, query.mode)
        self.oversize: dict[Unit, None] = {}
        self.ledger = Ledger(0, {}, {})

    def block(self) -> Block:
        if self.mode == "off":
            return self._result("", "render.mode is off")
        if not (self.units or self.held or self.unreadable or self.withheld):
            return self._result("", "")
        frame = self.measure(wording.OPEN + self.intro + wording.CLOSE)
        if not (self._fits_whole(frame) or self._fits_partly(frame)):
            return self._result(self._fallback(), "the budget is too small for any entry")
        return self._result(self._text(), "")

    def _open_ledger(self, room: int) -> Ledger:
        sizes = {key: self.measure(text) for key, text in self.heads.items()}
        self.ledger = Ledger(room, self.options.quotas, sizes)
        for unit in self.active:
            unit.level, unit.note = OMITTED, ""
        return self.ledger

    def _fits_whole(self, frame: int) -> bool:
        """Try everything in full; the notice then only tells what cannot be shown at all."""
        room = self.budget - frame - self.measure(_notice_text(self._fixed))
        if room < 0 or any(least > room for least in accumulate(u.least for u in self.active)):
            return False
        ledger = self._open_ledger(room)
        return all(ledger.raise_unit(unit, FULL, room) for unit in self.active)

    def _fits_partly(self, frame: int) -> bool:
        """Share out the room that is left when the longest possible notice is set aside."""
        ranked = rank_units(self.active)
        self.oversize = _find_oversize(ranked, self.budget - frame)
        rest = [unit for unit in ranked if unit not in self.oversize]
        room = self._room(frame, rest)
        if room < 0:
            return False
        ledger = self._open_ledger(room)
        allocate(rest, ledger)
        # Fewer are left out than was assumed, so the notice is shorter: spend the difference.
        ledger.room = self._room(frame, [unit for unit in rest if unit.level == OMITTED])
        use_up(rest, ledger)
        return True

    def _room(self, frame: int, left_out: Sequence[Unit]) -> int:
        """Return what entries may take when at most `left_out` are left out."""
        most = len(self.selection.picks)
        notice = _notice_text(self._notice_of(most, most, left_out))
        return self.budget - frame - self.measure(notice)

    @property
    def _fixed(self) -> Tallied:
        """The part of the notice that does not depend on the allocation."""
        listed = frozenset(self.options.order)
        return Tallied(
            unlisted=_by_group(unit for unit in self.units if unit.group not in listed),
            held=self.held,
            unreadable=self.unreadable,
            unit=self.options.unit,
            withheld=self.withheld,
        )

    def _notice_of(self, by_line: int, by_id: int, left_out: Iterable[Unit]) -> Tallied:
        large = (
            (pick.record, self.measure(text))
            for unit in self.oversize
            for pick, text in zip(unit.picks, unit.pieces(FULL), strict=True)
        )
        return self._fixed._replace(
            by_line=by_line,
            by_id=by_id,
            left_out=_by_group(left_out),
            oversize=tuple(islice(large, wording.MAX_NAMED)),
            oversize_count=sum(len(unit.picks) for unit in self.oversize),
        )

    def _final_notice(self) -> str:
        sizes = Counter[int]()
        for unit in self.active:
            sizes[unit.level] += len(unit.picks)
        gone = [u for u in self.active if u.level == OMITTED and u not in self.oversize]
        return _notice_text(self._notice_of(sizes[LINE], sizes[ID], gone))

    def _text(self) -> str:
        parts = [wording.OPEN, self.intro]
        for group, units in groupby(self.active, key=attrgetter("group")):
            if self.ledger.is_open((group,)):
                parts.append(self.heads[group,])
                parts += self._entries(list(units))
        return "".join((*parts, self._final_notice(), wording.CLOSE))

    def _entries(self, units: Sequence[Unit]) -> Iterator[str]:
        """Yield the texts of one group below its heading."""
        above: tuple[Key, ...] = units[0].heads[:1]
        for unit in units:
            if unit.level < LINE:
                continue
            if unit.heads != above:
                above = unit.heads
                yield self.heads[above[-1]]
            yield unit.lead
            yield from unit.pieces(unit.level)
        ids = [text for unit in units if unit.level == ID for text in unit.pieces(ID)]
        if ids:
            yield from (wording.IDS_OPENER, *ids, "\n")

    def _fallback(self) -> str:
        """Return the longest of the last resorts that fits; in the end the empty text."""
        for unit in self.units:
            unit.level = OMITTED
        texts = wording.fallbacks(
            len(self.selection.picks), self.unreadable, self.held + self.withheld
        )
        return next(text for text in texts if self.measure(text) <= self.budget)

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
            unreadable=self.unreadable,
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
        if unit in self.oversize:
            return "larger than the whole budget"
        if unit.group not in listed:
            return "its group is not in render.order"
        return unit.note or "no room left in the budget"


def _find_oversize(units: Iterable[Unit], room: int) -> dict[Unit, None]:
    """Find units that no share of the room could hold; measured where the quick bound is near."""
    near = [unit for unit in units if unit.bulk > room and unit.least > room // 2]
    return {unit: None for unit in near if unit.least > 2 * room or unit.cost(FULL) > room}


def _notice_text(tallied: Tallied) -> str:
    text = wording.notice(tallied)
    return f"\n{text}" if text else ""


def _by_group(units: Iterable[Unit]) -> tuple[tuple[str, int], ...]:
    """Count records by group, in the order the groups come."""
    return tuple(Counter([unit.group for unit in units for _ in unit.picks]).items())
