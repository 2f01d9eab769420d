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

from vault_cli.text.han_forms import SIMPLIFIED, TRADITIONAL
from vault_cli.text.late import late
from vault_cli.text.tokens import (
    STOP_CHARACTERS,
    STOP_PAIRS,
    STOP_WORDS,
    is_cjk,
    latin_words,
    plain_text,
    runs_of,
    split_word,
)

LAYOUT: Final = "1"
"""Count up when the terms of a text change: stored postings are then made anew."""

_MORE_WORDS: Final = """
about after again also am any because before both d didn don doesn during each ever few get got here
him isn just ll m many me more most much myself nor off once only other out over own re s same
since some t tell than until up us ve very wasn whether while won yourself
"""
_STOPS: Final = STOP_WORDS | frozenset(_MORE_WORDS.split())
_SINGLES: Final = STOP_CHARACTERS | frozenset(
    "什么怎哪谁几吗呢吧啊呀嘛哦嗯哈喔呗啦么每还很太最更再又才只不没有来去说会能可要想让给到为以之其所并则些样点儿"
    "上下中里"
)
"""Characters that count in a pair only."""

_DULL: Final = _SINGLES - frozenset("不没")
"""A pair of two of these says nothing; `不要` and `没有` do."""

_PAIR_TEXT: Final = """
哪家 哪种 哪天 多久 几个 她们 咱们 大家 自己 这样 那样 这么 那么 一下 一些 一点 然后 而且 不过 还是
就是 不是 知道 觉得 是不 有没 可能 应该 现在 时候 已经 真的 非常 特别 我的 你的 他的 吗我
"""
_PAIRS: Final = STOP_PAIRS | frozenset(_PAIR_TEXT.split())
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
    singles = [char for char in run if char not in _SINGLES]
    return singles + [p for p in pairs if p not in _PAIRS and not _DULL.issuperset(p)]


def _word_terms(word: str, stops: bool) -> tuple[str, ...]:  # noqa: FBT001 - hot path
    found = split_word(word, stops)
    if stops or len(found) > 1:
        return found
    return () if word.lower() in _STOPS else found


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
