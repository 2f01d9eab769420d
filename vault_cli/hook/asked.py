"""What a prompt asks for, without `re`: the terms of `text.terms`. Standard library, `plain`.

A text that takes more than splitting (something invisible in it, a date, no word that says
anything) is left to the full program; property tests hold the two to one answer.
"""

from __future__ import annotations

from vault_cli.plain.stem import stem_word
from vault_cli.plain.stops import (
    CJK_CLASS,
    DULL,
    SINGLES,
    STOP_WORDS,
    UNASKED_PAIRS,
    UNASKED_WORDS,
)

TYPE_CHECKING = False  # `typing` takes longer to load than all of this; checkers know the name
if TYPE_CHECKING:
    from collections.abc import Iterator

MOST_TERMS = 200
"""Of a longer prompt the rest of the words does not count (`recall.query`)."""

_LONGEST = 64
_ASCII_WORD = {n: " " for n in range(128) if not (chr(n).isalnum() or chr(n) == "_")}
_MONTHS = frozenset(
    (
        *("january", "february", "march", "april", "june", "july", "august", "september"),
        *("october", "november", "december", "jan", "feb", "mar", "apr", "may", "jun", "jul"),
        *("aug", "sep", "sept", "oct", "nov", "dec"),
    )
)
_HAN_NUMBERS = frozenset("0123456789〇零一二三四五六七八九十")
_CLOSED = ("Cc", "Cf", "Cs", "Cn", "Co", "Zl", "Zp", "Mn", "Me")
_HANGUL_FILLERS = "\u115f\u1160\u3164\uffa0"


class Asked:
    """A prompt made ready.

    Args:
        text: as typed, folded.
        counts: its terms, each with how often it stands there.
    """

    def __init__(self, text: str, counts: dict[str, int]) -> None:
        self.text = text
        self.counts = counts


def read(prompt: str) -> Asked | None:
    """Return what a prompt asks for; None when only the full program can tell."""
    plain = _plain(prompt)
    if plain is None or _may_name_day(plain.lower()):
        return None
    counts: dict[str, int] = {}
    for term in _terms(plain):
        counts[term] = counts.get(term, 0) + 1
    if not counts:
        return None
    return Asked(plain.strip().lower(), dict(list(counts.items())[:MOST_TERMS]))


def _plain(text: str) -> str | None:
    """Return the form of a text that is searched, None where something in it cannot be seen."""
    if text.isascii():
        return text
    from unicodedata import category, normalize

    from vault_cli.plain.han_forms import SIMPLIFIED, TRADITIONAL

    plain = normalize("NFKC", text.replace("\r", "\n"))
    for char in set(plain):
        if not char.isascii() and (category(char) in _CLOSED or char in _HANGUL_FILLERS):
            return None
        if (char < " " and char not in "\t\n") or char == "\x7f":
            return None
    simpler = dict(zip(map(ord, TRADITIONAL), SIMPLIFIED, strict=True))
    return plain.translate(simpler)


def _may_name_day(lower: str) -> bool:
    """Tell whether a text may name a day or a month; the patterns are those of `text.dates`."""
    if "月" in lower and any(
        part.rstrip()[-1:] in _HAN_NUMBERS for part in lower.split("月")[:-1] if part.rstrip()
    ):
        return True
    if not any(char.isdecimal() for char in lower):
        return False
    for place, char in enumerate(lower):
        if char in "-/." and lower[place - 4 : place].isdecimal():
            return True
    words = lower.translate(_ASCII_WORD).split() if lower.isascii() else _split(lower)[0]
    return not _MONTHS.isdisjoint(words)


def _terms(plain: str) -> Iterator[str]:
    """Yield the terms of a text, in the order of `text.terms.terms_of`."""
    if plain.isascii():
        for word in plain.translate(_ASCII_WORD).split():
            yield from _word_terms(word)
        return
    words, runs = _split(plain)
    for word in words:
        yield from _word_terms(word)
    for run in runs:
        yield from (char for char in run if char not in SINGLES)
        for place in range(len(run) - 1):
            pair = run[place : place + 2]
            if pair not in UNASKED_PAIRS and not DULL.issuperset(pair):
                yield pair


def _split(plain: str) -> tuple[list[str], list[str]]:
    """Return the words of scripts that put blanks between them, and the runs of the others."""
    kinds = {char: _kind(char) for char in set(plain)}
    words: list[str] = []
    runs: list[str] = []
    before = ""
    start = 0
    for place, char in enumerate(plain):
        kind = kinds[char]
        if kind != before:
            _take(plain[start:place], before, words, runs)
            before, start = kind, place
    _take(plain[start:], before, words, runs)
    return words, runs


def _take(part: str, kind: str, words: list[str], runs: list[str]) -> None:
    if kind == "w":
        words.append(part)
    elif kind == "c":
        runs.append(part)


def _kind(char: str) -> str:
    if char.isascii():
        return "w" if char.isalnum() or char == "_" else ""
    if _is_unspaced(char):
        return "c"
    return "w" if char.isalnum() else ""


def _is_unspaced(char: str) -> bool:
    """Tell whether a character is in `CJK_CLASS`, whose ranges are three signs each."""
    return any(
        CJK_CLASS[place] <= char <= CJK_CLASS[place + 2] for place in range(0, len(CJK_CLASS), 3)
    )


def _word_terms(word: str) -> list[str]:
    parts = _parts(word)
    if len(parts) == 1:
        lower = parts[0].lower()
        if lower[:_LONGEST] in STOP_WORDS or word.lower() in UNASKED_WORDS:
            return []
        return [_stem(lower[:_LONGEST])]
    whole = [word.strip("_").lower()[:_LONGEST]] if parts else []
    return whole + [_stem(part.lower()[:_LONGEST]) for part in parts]


def _stem(lower: str) -> str:
    return stem_word(lower) if lower.isascii() and lower.isalpha() else lower


def _parts(word: str) -> list[str]:
    """Return the parts of a compound name: at `_`, and where upper case begins."""
    if "_" not in word and word == word.lower():
        return [word]
    parts: list[str] = []
    for name in word.split("_"):
        start = 0
        for place in range(1, len(name)):
            if _begins_part(name, place):
                parts.append(name[start:place])
                start = place
        parts.append(name[start:])
    return [part for part in parts if part]


def _begins_part(name: str, place: int) -> bool:
    before, char = name[place - 1], name[place]
    if _is_lower(before) and _is_upper(char):
        return True
    following = name[place + 1 : place + 2]
    return "A" <= before <= "Z" and "A" <= char <= "Z" and "a" <= following <= "z"


def _is_lower(char: str) -> bool:
    return "a" <= char <= "z" or "0" <= char <= "9" or "ß" <= char <= "ÿ" or "а" <= char <= "я"


def _is_upper(char: str) -> bool:
    return "A" <= char <= "Z" or "À" <= char <= "Þ" or "А" <= char <= "Я"
