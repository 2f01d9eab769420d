"""Words of both languages: stems, CJK bigrams. Standard library only.

Search, similarity and fingerprints share these tokens, so a query finds what a text says:
full-width letters, zero-width characters and case make no difference.
"""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Iterator
from functools import lru_cache
from typing import Final

from vault_cli.plain.stops import CJK_CLASS, STOP_CHARACTERS, STOP_PAIRS, STOP_WORDS
from vault_cli.text.hidden import drop_invisible
from vault_cli.text.late import late
from vault_cli.text.stem import stem_word

_LATIN_WORD: Final = rf"[^\W{CJK_CLASS}](?:[^\W{CJK_CLASS}]|[\u0300-\u036f])*"
_ASCII_WORD = late("[A-Za-z0-9_]+")
_PARTS = late(
    "_+|(?<=[a-z0-9\u00df-\u00ff\u0430-\u044f])(?=[A-Z\u00c0-\u00de\u0410-\u042f])"
    "|(?<=[A-Z])(?=[A-Z][a-z])"
)
_LONGEST: Final = 64


# The classes of `CJK_CLASS` are large and take long to compile; English text does without.
_ANY_WORD: Final = late(rf"(?P<cjk>[{CJK_CLASS}]+)|{_LATIN_WORD}")
_LATIN: Final = late(_LATIN_WORD)
_RUN: Final = late(f"[{CJK_CLASS}]+")


def latin_words(plain: str) -> list[str]:
    """Return the words of a plain text in scripts that put blanks between them."""
    return (_ASCII_WORD if plain.isascii() else _LATIN).findall(plain)


def runs_of(plain: str) -> list[str]:
    """Return the runs of characters of scripts without blanks between words."""
    return [] if plain.isascii() else _RUN.findall(plain)


def tokenize(text: str, *, stops: bool = False) -> list[str]:
    """Return the tokens of a text in order, repeats included.

    Latin words are lower-cased and stemmed; `snake_case` and `camelCase` give the whole word and
    its parts. Chinese, Japanese, Korean and Thai runs give pairs of neighbouring characters, a
    run of one gives that character. Words that say nothing about the subject are left out.

    Args:
        text: any text.
        stops: keep the words that say nothing about the subject.
    """
    return list(_tokens(plain_text(text), stops=stops))


def plain_text(text: str) -> str:
    """Return the text that is split: full-width letters made plain, nothing invisible in it."""
    return drop_invisible(unicodedata.normalize("NFKC", text.replace("\r", "\n")))


def count_tokens(plain: str, wanted: frozenset[str], *, stops: bool = False) -> Counter[str]:
    """Return how often each of some tokens stands in a text made plain (`plain_text`).

    The same as counting in `tokenize`, for a fraction of its cost. A single character of a script
    without spaces counts wherever it stands, not only alone.
    """
    found: Counter[str] = Counter()
    pairs = [token for token in wanted if is_cjk(token)]
    for token in pairs:
        if number := plain.count(token):
            found[token] = number
    if len(pairs) < len(wanted):
        for word in latin_words(plain):
            for token in split_word(word, stops):
                if token in wanted:
                    found[token] += 1
    return found


def is_cjk(token: str) -> bool:
    """Tell whether a token begins with a character of a script without blanks between words."""
    return not token.isascii() and _RUN.match(token) is not None


def _tokens(plain: str, *, stops: bool) -> Iterator[str]:
    if plain.isascii():
        for word in _ASCII_WORD.findall(plain):
            yield from split_word(word, stops)
        return
    for match in _ANY_WORD.finditer(plain):
        if match["cjk"]:
            yield from _pairs(match["cjk"], stops=stops)
        else:
            yield from split_word(match.group(), stops)


def _pairs(run: str, *, stops: bool) -> Iterator[str]:
    if len(run) == 1:
        if stops or run not in STOP_CHARACTERS:
            yield run
        return
    for index in range(len(run) - 1):
        pair = run[index : index + 2]
        if stops or (pair not in STOP_PAIRS and not STOP_CHARACTERS.issuperset(pair)):
            yield pair


@lru_cache(maxsize=1 << 16)
def split_word(word: str, stops: bool) -> tuple[str, ...]:  # noqa: FBT001 - hashed by position
    """Return the tokens of one Latin word: its stem; of a compound name the whole and its parts."""
    return tuple(_words(word, stops=stops))


def _words(word: str, *, stops: bool) -> Iterator[str]:
    parts = [part for part in _PARTS.split(word) if part]
    whole = word.strip("_")
    if len(parts) > 1:
        # The whole name is an identifier: a stem of it would be a word nobody types.
        yield whole.lower()[:_LONGEST]
    for part in parts:
        lower = part.lower()[:_LONGEST]
        if stops or lower not in STOP_WORDS or len(parts) > 1:
            yield stem_word(lower) if lower.isascii() and lower.isalpha() else lower
