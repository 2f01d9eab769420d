"""Which of the best records for a prompt are brought to it. Standard library only.

The rule for both ways to an answer: that of the full program, and that of what is made ready.
"""

from __future__ import annotations

from math import prod

TYPE_CHECKING = False  # `typing` takes longer to load than all of this; checkers know the name
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any

MOST = 5
"""Records that one prompt brings at most."""

ROOM = 4_000
"""Size of what one prompt brings at most, in the unit of the host."""

LEAST_FIT = 0.2
"""Part of a prompt that a record answers at least (`plain.weights`), if it is to be brought."""

NEAR_BEST = 0.6
"""Part of the best record's fit that another one has at least."""

LEAST_WORDS = 2
"""So many words of the prompt a record has; of Chinese, pairs of characters."""

WHOLE = 0.6
"""A record that answers so much of a prompt may do so with one word."""

LOOKED_AT = (16, 80)
"""So many of the best records are looked at; more when the session was given all of them."""

MOST_TEXT = 4_000
"""Characters of a prompt that are looked at: its beginning and its end."""

ROUNDING = 1e-9


def talk_of(prompt: str) -> str:
    """Return what of a prompt is looked at: of a long one (a pasted log) both ends."""
    if len(prompt) <= MOST_TEXT:
        return prompt
    return f"{prompt[: MOST_TEXT // 2]}\n{prompt[-MOST_TEXT // 2 :]}"


def subjects(terms: Iterable[str]) -> list[str]:
    """Return the terms that say something: of Chinese, pairs of characters count."""
    return [term for term in terms if len(term) > 1]


def chance(terms: Iterable[str], number: int, spread: Mapping[str, int]) -> float:
    """Return in how many records some terms would meet by chance.

    Args:
        terms: as `subjects` gives them.
        number: how many records there are.
        spread: in how many of them a term stands.
    """
    shares = (spread.get(term, 0) / number for term in terms)
    return number * prod(share for share in shares if share)


def pick(
    found: Sequence[tuple[float, Sequence[str], Any]], number: int, spread: Mapping[str, int]
) -> list[Any]:
    """Return the records that answer enough of a prompt; one common word is no reason.

    Their words are so rare that they would meet by chance in less than one record.

    Args:
        found: how much of the prompt each one answers, the terms it has, and what it is.
        number: as `chance`.
        spread: as `chance`.
    """
    best = max((fit for fit, _, _ in found), default=0.0)
    least = max(LEAST_FIT, NEAR_BEST * best)
    picked = []
    for fit, terms, what in found:
        said = subjects(terms)
        if fit < least or (fit < WHOLE and len(said) < LEAST_WORDS):
            continue
        if chance(said, number, spread) <= 1 + ROUNDING:
            picked.append(what)
    return picked[:MOST]
