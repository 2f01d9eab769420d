"""What nearness in meaning adds to a search. Standard library only.

The cosines of one model lie close together, and where depends on the languages of question and
text. So what counts is how far a text stands out from the usual one of its script for the same
question, the middle of their cosines, measured against the text that fits its words best. Weights
were chosen on questions in both languages (`tests/bench/recall.py`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import isfinite
from statistics import median
from typing import Final, NamedTuple

_WEIGHT: Final = 7.0
"""What a cosine above the usual one adds, as a multiple of the best fit of words."""

_LEAST_FIT: Final = 0.3
"""The best fit of words is taken for at least this much; there may be none."""

_ALONE: Final = 20
_STANDS_OUT: Final = 0.05
"""So much above the usual a text must be to be found although it has no word of the question."""

_FEWEST: Final = 8
"""So many texts of a script have a middle of their own."""

_NEAREST: Final = 3
_STANDS_OUT_ALONE: Final = 0.035
"""The same of the few best where no text has a word of it: another language is farther off."""


class Meaning(NamedTuple):
    """How near records are to a question.

    Args:
        above: by the digest of their file, by how much their cosine is above the usual one.
        alone: those that are found by it alone.
        nearest: those that are, too, when nothing has a word of the question.
    """

    above: Mapping[str, float]
    alone: frozenset[str]
    nearest: frozenset[str] = frozenset()

    def weight(self, best: float) -> float:
        """Return what a cosine of one above the usual one adds.

        Args:
            best: how well the record fits that fits the words of the question best.
        """
        return _WEIGHT * max(best, _LEAST_FIT)


def weigh_meaning(
    digests: Sequence[str], cosines: Sequence[float], scripts: Sequence[str] = ()
) -> Meaning:
    """Return how near some texts are to a question.

    Args:
        digests: of the files of the texts.
        cosines: of the question and each of them.
        scripts: what each is written in; none: all in the same.
    """
    known = [
        (digest, cosine, script)
        for digest, cosine, script in zip(
            digests, cosines, scripts or [""] * len(digests), strict=True
        )
        if isfinite(cosine)
    ]
    if not known:
        return Meaning({}, frozenset())
    usual = _usual([(cosine, script) for _, cosine, script in known])
    above = {d: cosine - usual[script] for d, cosine, script in known if cosine > usual[script]}
    best = sorted(above, key=lambda digest: (-above[digest], digest))[:_ALONE]
    alone = frozenset(digest for digest in best if above[digest] >= _STANDS_OUT)
    nearest = frozenset(one for one in best[:_NEAREST] if above[one] >= _STANDS_OUT_ALONE)
    return Meaning(above, alone, nearest)


def _usual(cosines: Sequence[tuple[float, str]]) -> dict[str, float]:
    """Return the middle of the cosines of each script; of one with few texts, of all."""
    groups: dict[str, list[float]] = {}
    for cosine, script in cosines:
        groups.setdefault(script, []).append(cosine)
    whole = median(cosine for cosine, _ in cosines)
    return {
        script: median(some) if len(some) >= _FEWEST else whole for script, some in groups.items()
    }
