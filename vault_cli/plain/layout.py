"""Units to the text of a block: whole entries only, every omission told. + `allot`, `notices`.

Standard library. The pieces of the text are measured once and joined, for a render of a whole
vault as for the few records that a prompt brings.
"""

from __future__ import annotations

from itertools import accumulate, groupby, islice

from vault_cli.plain import notices
from vault_cli.plain.allot import (
    FULL,
    ID,
    LINE,
    OMITTED,
    Ledger,
    allocate,
    rank_units,
    use_up,
)

TYPE_CHECKING = False  # `typing` takes longer to load than all of this; checkers know the name
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from typing import Final

    from vault_cli.plain.allot import Key, Unit

_NO_LIMIT: Final = 1 << 62


class Layout:
    """One block: what takes part, the ledger, and the text in the end.

    Args:
        units: what may be shown, in the order of the block.
        order: the groups that are shown.
        heads: the text of every heading that one of them may need.
        intro: lines at the top.
        budget: most the whole block may take; 0 = no limit.
        unit: how it is counted.
        measure: the same as a function.
        quotas: most a group may take.
    """

    held = 0
    unreadable = 0
    withheld = 0

    def __init__(
        self,
        units: Sequence[Unit],
        order: Iterable[str],
        heads: Mapping[Key, str],
        intro: str,
        *,
        budget: int,
        unit: str,
        measure: Callable[[str], int],
        quotas: Mapping[str, int],
    ) -> None:
        listed = frozenset(order)
        self.units = units
        self.active = [unit for unit in units if unit.group in listed]
        self._unlisted = _by_group(unit for unit in units if unit.group not in listed)
        self._total = sum(unit.number for unit in units)
        self.heads = heads
        self.intro = intro
        self.budget = budget or _NO_LIMIT
        self.unit = unit
        self.measure = measure
        self.quotas = quotas
        self.oversize: dict[Unit, None] = {}
        self.ledger = Ledger(0, {}, {})

    def text(self) -> str | None:
        """Give room to the units and return the text; None when not even one entry fits."""
        frame = self.measure(notices.OPEN + self.intro + notices.CLOSE)
        if self._fits_whole(frame) or self._fits_partly(frame):
            return self._text()
        return None

    def fallback(self) -> str:
        """Return the longest of the last resorts that fits; in the end the empty text."""
        for unit in self.units:
            unit.level = OMITTED
        texts = notices.fallbacks(self._total, self.unreadable, self.held + self.withheld)
        return next(text for text in texts if self.measure(text) <= self.budget)

    def _open_ledger(self, room: int) -> Ledger:
        sizes = {key: self.measure(text) for key, text in self.heads.items()}
        self.ledger = Ledger(room, self.quotas, sizes)
        for unit in self.active:
            unit.level, unit.note = OMITTED, ""
        return self.ledger

    def _fits_whole(self, frame: int) -> bool:
        """Try everything in full; the notice then only tells what cannot be shown at all."""
        room = self.budget - frame - self.measure(self._notice())
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
        most = self._total
        return self.budget - frame - self.measure(self._notice(most, most, left_out))

    def _notice(self, by_line: int = 0, by_id: int = 0, left_out: Iterable[Unit] = ()) -> str:
        """Return the lines that say what is not there, with the blank line before them."""
        large = (
            (name, self.measure(text))
            for unit in self.oversize
            for name, text in zip(unit.names(), unit.pieces(FULL), strict=True)
        )
        text = notices.notice(
            notices.Tallied(
                by_line=by_line,
                by_id=by_id,
                left_out=_by_group(left_out),
                unlisted=self._unlisted,
                oversize=tuple(islice(large, notices.MAX_NAMED)),
                oversize_count=sum(unit.number for unit in self.oversize),
                held=self.held,
                unreadable=self.unreadable,
                unit=self.unit,
                withheld=self.withheld,
            )
        )
        return f"\n{text}" if text else ""

    def _final_notice(self) -> str:
        by_line = sum(unit.number for unit in self.active if unit.level == LINE)
        by_id = sum(unit.number for unit in self.active if unit.level == ID)
        gone = [u for u in self.active if u.level == OMITTED and u not in self.oversize]
        return self._notice(by_line, by_id, gone)

    def _text(self) -> str:
        parts = [notices.OPEN, self.intro]
        for group, units in groupby(self.active, key=lambda unit: unit.group):
            if self.ledger.is_open((group,)):
                parts.append(self.heads[group,])
                parts += self._entries(list(units))
        return "".join((*parts, self._final_notice(), notices.CLOSE))

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
            yield from (notices.IDS_OPENER, *ids, "\n")


def _find_oversize(units: Iterable[Unit], room: int) -> dict[Unit, None]:
    """Find units that no share of the room could hold; measured where the quick bound is near."""
    near = [unit for unit in units if unit.bulk > room and unit.least > room // 2]
    return {unit: None for unit in near if unit.least > 2 * room or unit.cost(FULL) > room}


def _by_group(units: Iterable[Unit]) -> tuple[tuple[str, int], ...]:
    """Count records by group, in the order the groups come."""
    counts: dict[str, int] = {}
    for unit in units:
        counts[unit.group] = counts.get(unit.group, 0) + unit.number
    return tuple(counts.items())
