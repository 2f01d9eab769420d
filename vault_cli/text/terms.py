"""What a search looks for in a text: stems, pairs and single characters. + `tokens`, `stem`.

Beside the words of `tokens`, every character of Chinese counts on its own, and traditional
characters count as their simplified forms. Questions are full of words that say nothing about what
is asked for, so more of them are left out than elsewhere.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from itertools import pairwise
from typing import Final

from vault_cli.plain.han_forms import SIMPLIFIED, TRADITIONAL
from vault_cli.plain.stops import DULL, SINGLES, UNASKED_PAIRS, UNASKED_WORDS
from vault_cli.text.late import late
from vault_cli.text.tokens import (
    is_cjk,
    latin_words,
    plain_text,
    runs_of,
    split_word,
)

LAYOUT: Final = "1"
"""Count up when the terms of a text change: stored postings are then made anew."""

_SIMPLER: Final = dict(zip(map(ord, TRADITIONAL), SIMPLIFIED, strict=True))


def search_text(text: str) -> str:
    """Return the form of a text that is searched: plain, traditional characters simplified."""
    return text if text.isascii() else plain_text(text).translate(_SIMPLER)


def terms_of(plain: str, *, stops: bool = False) -> Counter[str]:
    """Return every term of a text and how often it stands there.

    Args:
        plain: as `search_text` gives it.
        stops: keep the words that say nothing about the subject.
    """
    found: list[str] = []
    for word in latin_words(plain):
        found += _word_terms(word, stops)
    for run in runs_of(plain):
        found += _run_terms(run, stops)
    return Counter(found)


def _run_terms(run: str, stops: bool) -> list[str]:  # noqa: FBT001 - hot path
    if stops:
        return [*run, *map("".join, pairwise(run))]
    pairs = map("".join, pairwise(run))
    singles = [char for char in run if char not in SINGLES]
    return singles + [p for p in pairs if p not in UNASKED_PAIRS and not DULL.issuperset(p)]


def _word_terms(word: str, stops: bool) -> tuple[str, ...]:  # noqa: FBT001 - hot path
    found = split_word(word, stops)
    if stops or len(found) > 1:
        return found
    return () if word.lower() in UNASKED_WORDS else found


def count_terms(plain: str, wanted: Iterable[str], *, stops: bool = False) -> Counter[str]:
    """Return how often some terms stand in a text: as `terms_of`, for a fraction of its cost."""
    found: Counter[str] = Counter()
    latin = set()
    for term in wanted:
        if not is_cjk(term):
            latin.add(term)
        elif number := _count_han(plain, term):
            found[term] = number
    if latin:
        for word in latin_words(plain):
            for term in _word_terms(word, stops):
                if term in latin:
                    found[term] += 1
    return found


def words_for(plain: str, wanted: Iterable[str], *, stops: bool = False) -> dict[str, str]:
    """Return of those terms that stand in a text the first word, in lower case, that has it.

    A term is the stem of a word, which is no word that anybody wrote; of Chinese it is itself.
    """
    terms = set(wanted)
    found = {term: term for term in terms if is_cjk(term) and term in plain}
    latin = terms - found.keys()
    for word in latin_words(plain) if latin else ():
        for term in _word_terms(word, stops):
            if term in latin and term not in found:
                found[term] = _part_for(word, term, stops)
    return found


def _part_for(word: str, term: str, stops: bool) -> str:  # noqa: FBT001 - as its caller
    """Return the part of a word such as `maxRetryCount` that has a term, else the word."""
    parts = (part for part in _PARTS.findall(word) if term in _word_terms(part, stops))
    return next(parts, word).lower()


_PARTS: Final = late("[A-Z]?[a-z]+|[A-Z]+(?![a-z])|[0-9]+")


def _count_han(plain: str, term: str) -> int:
    if len(term) > 1 and term[0] == term[1]:  # such a pair may overlap itself
        return len(re.findall(f"(?={term})", plain))
    return plain.count(term)


def is_word(term: str) -> bool:
    """Tell whether a term is a word of plain letters, in which a slip can be looked for."""
    return term.isascii() and term.isalpha()


def words_of(plain: str) -> set[str]:
    """Return the different words of plain letters among the terms of a text."""
    found: set[str] = set()
    for word in set(latin_words(plain)):
        found.update(term for term in _word_terms(word, False) if is_word(term))  # noqa: FBT003
    return found
