"""A text as a row of kinds of character: what it cannot hold is seen before a pattern is tried.

A regular expression looks at every character; a table of bytes and a search for a few of them are
ten times as quick. Every answer errs in one direction: no is never wrong. Standard library only.
"""

from __future__ import annotations

from functools import lru_cache
from string import ascii_letters, ascii_lowercase, digits, hexdigits
from typing import Final

LETTER: Final = b"a"
DIGIT: Final = b"1"
LEET_DIGIT: Final = b"0"
GAP: Final = b" "
_ASCII: Final = bytes(range(128))


def _table(**kinds: str) -> bytes:
    """Return a table that turns each of some characters into its kind, the others into `#`."""
    table = bytearray(b"#" * 256)
    for kind, characters in kinds.items():
        for character in characters:
            table[ord(character)] = ord(_KINDS[kind])
    return bytes(table)


_KINDS: Final = {"letter": LETTER, "digit": DIGIT, "leet": LEET_DIGIT, "gap": GAP}
# `?` stands for whatever is not ASCII, thus for a separator such as `·` too
_FOLDED: Final = _table(letter=ascii_lowercase, digit="2689", leet="013457", gap=" \t-._*|/+~,?")
_RUNS: Final = _table(letter=f"{ascii_letters}{digits}+/_='-")
_TOKENS: Final = _table(letter=f"{ascii_letters}{digits}_+/=-")
_DIGITS: Final = _table(digit=digits)
_NUMBERS: Final = _table(letter=f"{hexdigits} ,:")
_ODD_NUMBERS: Final = _table(letter=f"{hexdigits} ,:?")
_HAN_HALVES: Final = b"#" * 0x34 + LETTER * (0xA0 - 0x34) + b"#" * (0x100 - 0xA0)
_FIVE_APART: Final = b"a#a#a#a#a"
_LEET: Final = _table(letter=ascii_letters, leet="0134578@$!|+")


@lru_cache(maxsize=8)
def ascii_of(text: str) -> str:
    """Return the ASCII characters of a text without what is between them.

    What is ASCII and is not in them is not in the text; they are searched in half the time.
    """
    return text if text.isascii() else text.encode("ascii", "ignore").decode("ascii")


@lru_cache(maxsize=8)
def beyond_ascii(text: str) -> str:
    """Return the characters of a text that are not ASCII without what is between them."""
    data = text.encode("utf-8", "surrogatepass").translate(None, _ASCII)
    return data.decode("utf-8", "surrogatepass")


@lru_cache(maxsize=8)
def _shape(folded: str) -> bytes:
    return folded.encode("ascii", "replace").translate(_FOLDED)


def may_have_lone_letters(folded: str) -> bool:
    """Whether two single letters may stand between separators, in a folded text."""
    shape = _shape(folded)
    return b" a a " in shape or b" a  a " in shape


def may_have_leet_word(folded: str) -> bool:
    """Whether a letter follows a digit that may stand for one, in a folded text."""
    return b"0a" in _shape(folded)


def has_digit(folded: str) -> bool:
    """Whether there is an ASCII digit in a folded text, or one in lower case."""
    shape = _shape(folded)
    return DIGIT in shape or LEET_DIGIT in shape


def may_have_leet(text: str) -> bool:
    """Whether one or two signs that may stand for letters are between letters."""
    shape = text.encode("ascii", "replace").translate(_LEET)
    return b"a0a" in shape or b"a00a" in shape


@lru_cache(maxsize=8)
def may_have_run(text: str, length: int) -> bool:
    """Whether so many letters, digits and signs of encodings stand in a row.

    Case does not matter, so that a text and its lower case are the same question.
    """
    return LETTER * length in text.encode("ascii", "replace").translate(_RUNS)


def may_have_digits(text: str, length: int) -> bool:
    """Whether so many ASCII digits stand in a row, blanks and dashes between them apart."""
    return DIGIT * length in text.encode("ascii", "replace").translate(_DIGITS, b" -")


def may_have_numbers(text: str, length: int, *, is_odd: bool) -> bool:
    """Whether so many digits, hexadecimal ones too, and separators are in a row.

    Args:
        text: any text.
        length: how many.
        is_odd: whether it has a digit of another script: then all that is not ASCII may be one.
    """
    table = _ODD_NUMBERS if is_odd else _NUMBERS
    return LETTER * length in text.encode("ascii", "replace").translate(table)


@lru_cache(maxsize=8)
def _han_shape(text: str) -> bytes:
    """Return a text as a row of Han characters and others, by the upper half of each."""
    return text.encode("utf-16-le", "surrogatepass")[1::2].translate(_HAN_HALVES)


def may_have_lone_han(text: str) -> bool:
    """Whether a Han character stands between two others that are none."""
    return b"#a#" in _han_shape(text)


def may_have_spread_han(text: str) -> bool:
    """Whether five Han characters in a row are set apart, or five groups of one or two.

    At most eight signs stand between characters, and three between groups.
    """
    shape = _han_shape(text)
    if len(shape) != len(text):  # signs of two halves would count twice
        return True
    near = shape.replace(b"##", b"#").replace(b"##", b"#")
    return _FIVE_APART in near.replace(b"##", b"#") or _FIVE_APART in near.replace(b"aa", b"a")


def token_runs(text: str, length: int) -> list[str]:
    """Return the runs of at least so many characters of tokens: letters, digits, `_+/=-`."""
    shape = text.encode("ascii", "replace").translate(_TOKENS)
    runs: list[str] = []
    start = shape.find(LETTER * length)
    while start >= 0:
        end = shape.find(b"#", start + length)
        end = end if end >= 0 else len(shape)
        runs.append(text[start:end])
        start = shape.find(LETTER * length, end)
    return runs
