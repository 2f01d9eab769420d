"""Steps of a search that both ways to an answer take. Standard library only."""

from __future__ import annotations

TYPE_CHECKING = False  # `typing` takes longer to load than all of this; checkers know the name
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence
    from typing import Final

BESIDE: Final = (0.3, 0.2, 0.1)
"""The part of its fit that a captured record gives to those one, two and three places away."""

MOST_SPREAD: Final = 200
"""So many of the best records draw their neighbours along."""

LEAST_RANKED: Final = 100
"""At least so many of the best by words are asked what they are worth."""


def draw_along(
    order: Sequence[int],
    best: Collection[int],
    fits: Mapping[int, float],
    given: dict[int, float],
) -> None:
    """Let the best records of a session speak for those beside them.

    Args:
        order: the records of the session.
        best: those that speak.
        fits: how well records fit by their words.
        given: what each record is given; added to.
    """
    for index, place in enumerate(order):
        if place not in best:
            continue
        for distance, share in enumerate(BESIDE, 1):
            for other in (index - distance, index + distance):
                if 0 <= other < len(order):
                    more = share * fits.get(place, 0.0)
                    given[order[other]] = given.get(order[other], 0.0) + more


def cut_at(
    places: Sequence[int], fit: Callable[[int], float], most: int
) -> tuple[list[int], list[int]]:
    """Return the records that fit best, and those that share the last place with each other."""
    fits = list(map(fit, places))
    least = sorted(fits, reverse=True)[most - 1]
    above = [p for p, value in zip(places, fits, strict=True) if value > least]
    tied = [p for p, value in zip(places, fits, strict=True) if value == least]
    return above, tied
