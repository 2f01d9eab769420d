"""What a share of a few cases tells. Standard library only."""

from __future__ import annotations

from math import comb, sqrt
from typing import Any, Final, NamedTuple

FEW: Final = 10
"""Below so many cases a share is only told as a count: its interval says nearly nothing."""

_Z: Final = 1.96
"""Normal quantile of a two-sided interval of 95 %."""


class Share(NamedTuple):
    """So many of so many."""

    part: int
    total: int

    @property
    def rate(self) -> float | None:
        """The share, None of nothing."""
        return self.part / self.total if self.total else None

    @property
    def interval(self) -> tuple[float, float] | None:
        """Where the true share lies with 95 % confidence, None of nothing.

        The score interval of a proportion (Wilson 1927, equation 3); it is sound for few cases,
        and for shares of none and of all.
        """
        if self.total <= 0:
            return None
        share, square = self.part / self.total, _Z * _Z
        middle = share + square / (2 * self.total)
        root = share * (1 - share) / self.total + square / (4 * self.total * self.total)
        width, whole = _Z * sqrt(root), 1 + square / self.total
        return max(0.0, (middle - width) / whole), min(1.0, (middle + width) / whole)

    @property
    def is_few(self) -> bool:
        """Whether it is of too few cases to be told as a rate."""
        return self.total < FEW

    def describe(self) -> str:
        """Return it in words: `3 of 12 (25 %; 95 %: 9 to 53 %)`."""
        bounds = self.interval
        if bounds is None:
            return "none"
        words = f"{self.part} of {self.total}"
        if self.is_few:
            return f"{words} (too few to tell)"
        low, high = bounds
        return f"{words} ({self.part / self.total:.0%}; 95 %: {low:.0%} to {high:.0%})"

    def data(self) -> dict[str, Any]:
        """Return the promised JSON shape."""
        bounds = self.interval
        return {
            "part": self.part,
            "total": self.total,
            "rate": None if self.rate is None else round(self.rate, 3),
            "interval": None if bounds is None else [round(value, 3) for value in bounds],
            "too_few": self.is_few,
        }


def paired_chance(one: int, other: int) -> float | None:
    """Return how likely so uneven a split of the pairs that differ is by chance; None of none.

    The exact two-sided test of McNemar: of the pairs that came out differently each way is as
    likely as the other.
    """
    total = one + other
    if not total:
        return None
    tail = sum(comb(total, k) for k in range(min(one, other) + 1))
    return min(1.0, 2 * tail / (1 << total))
