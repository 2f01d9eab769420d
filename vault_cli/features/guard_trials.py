"""What a guard would have done to calls that were recorded. May import `hook`, `model`, `text`.

Precision is the share of the calls it would have stopped that failed. It says how well the guard
tells wrong calls from right ones here; with few calls it says little, and that is said.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from math import sqrt
from typing import Any, Final

from vault_cli.features.guards import wrong_examples
from vault_cli.hook import guard as fast
from vault_cli.hook.tools import fits
from vault_cli.model.sighting import Sighting
from vault_cli.text.guards import MOST_DENIED, Guard, breadth, compile_rule

LEAST_CALLS: Final = 10
"""Of fewer calls with a known outcome the precision is no more than a hint."""

_Z: Final = 1.96
_LEAST_RECORDED: Final = 20


@dataclass(slots=True)
class Trial:
    """What came of trying a guard.

    Args:
        guard: what was tried.
        wrong: examples that come out otherwise than they say, with what they say.
        asked: recorded calls of its tools.
        hit: those it would have stopped.
        breadth: share of everyday calls that it hits.
    """

    guard: Guard
    wrong: list[tuple[str, bool]]
    asked: int = 0
    hit: list[Sighting] = field(default_factory=list)
    benign: int = 0
    breadth: float = 0.0

    @property
    def failed(self) -> int:
        """Calls it would have stopped that failed."""
        return sum(seen.failed is True for seen in self.hit) - self.benign

    @property
    def went_well(self) -> int:
        """Calls it would have stopped that went well."""
        return sum(seen.failed is False for seen in self.hit) + self.benign

    @property
    def known(self) -> int:
        """Calls it would have stopped of which the outcome is known (n of the precision)."""
        return self.failed + self.went_well

    @property
    def precision(self) -> float | None:
        """The share of known calls that failed, None when there are none."""
        return self.failed / self.known if self.known else None

    @property
    def interval(self) -> tuple[float, float] | None:
        """The range the precision lies in with 95 % (E. B. Wilson, 1927), None without calls."""
        n, share = self.known, self.precision
        if share is None:
            return None
        middle = share + _Z * _Z / (2 * n)
        spread = _Z * sqrt(share * (1 - share) / n + _Z * _Z / (4 * n * n))
        scale = 1 + _Z * _Z / n
        return max(0.0, (middle - spread) / scale), min(1.0, (middle + spread) / scale)

    @property
    def is_small(self) -> bool:
        """Whether there are too few calls to go by the precision."""
        return self.known < LEAST_CALLS

    def as_data(self) -> dict[str, Any]:
        """Return the promised JSON shape."""
        interval = self.interval
        return {
            "match": self.guard.match,
            "tools": list(self.guard.tools),
            "action": self.guard.action,
            "examples": {
                "hit": len(self.guard.hit),
                "miss": len(self.guard.miss),
                "wrong": [{"text": text, "should_hit": wanted} for text, wanted in self.wrong],
            },
            "recorded": self.asked,
            "would_have_stopped": len(self.hit),
            "failed": self.failed,
            "went_well": self.went_well,
            "unknown": len(self.hit) - self.known,
            "precision": self.precision,
            "n": self.known,
            "interval": list(interval) if interval else None,
            "n_is_small": self.is_small,
            "everyday_calls_hit": self.breadth,
        }


def try_guard(
    guard: Guard, calls: Iterable[Sighting], is_benign: Callable[[Sighting], bool]
) -> Trial:
    """Try a guard on its own examples and on recorded calls.

    Args:
        guard: checked.
        calls: what was recorded, with its outcome.
        is_benign: tells whether a failed call is none.
    """
    rule = compile_rule(guard)
    trial = Trial(guard, wrong_examples(guard), breadth=breadth(guard))
    for seen in calls:
        if not fits(guard.tools, seen.tool):
            continue
        trial.asked += 1
        if seen.given and fast.hits(rule, seen.tool, seen.given):
            trial.hit.append(seen)
            trial.benign += seen.failed is True and is_benign(seen)
    return trial


def judge_share(guard: Guard, action: str, calls: Iterable[Sighting]) -> tuple[str, str]:
    """Return what a guard may do by the calls that were recorded here: too many are not denied.

    Args:
        guard: one in force.
        action: what it does otherwise.
        calls: recorded calls.

    Returns:
        The action; "" or why it is another one.
    """
    if action != fast.DENY:
        return action, ""
    rule = compile_rule(guard)
    own = [seen for seen in calls if seen.given and fits(guard.tools, seen.tool)]
    if len(own) < _LEAST_RECORDED:
        return action, ""
    share = sum(fast.hits(rule, seen.tool, seen.given) for seen in own) / len(own)
    if share < MOST_DENIED:
        return action, ""
    return fast.WARN, f"it hits {share:.0%} of the {len(own)} calls recorded here, so it only warns"
