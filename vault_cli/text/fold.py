"""The form in which texts are compared with what is looked for. Standard library only.

`Ｉｇｎｏｒｅ`, `ign\u200bore`, `іgnоrе` (Cyrillic letters), `i-g-n-o-r-e`, `忽-略`, `檢查` and
`ignore` are written differently and read alike. Folding takes that away and keeps, for every
character of the folded text, where it came from.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Final, NamedTuple

from vault_cli.plain.han_forms import SIMPLIFIED, TRADITIONAL
from vault_cli.text.hidden import ALARM_CLASS, characters_of
from vault_cli.text.late import late
from vault_cli.text.shape import ascii_of, may_have_lone_han, may_have_lone_letters

_HAN: Final = "\u3400-\u9fff"
_LOOK_ALIKE: Final = {
    "аӓ": "a", "ᴀɑα": "a", "вʙв": "b", "сϲᴄ": "c", "ԁᴅđ": "d", "еєёҽᴇε": "e", "ꜰғ": "f",
    "ɡɢց": "g", "һʜнհ": "h", "іɪıιї": "i", "јᴊ": "j", "кᴋκ": "k", "ӏʟ": "l", "мᴍ": "m",
    "пɴη": "n", "оοᴏσо": "o", "рρᴘ": "p", "ԛǫ": "q", "гʀ": "r", "ѕꜱ": "s", "тᴛτ": "t",
    "ᴜυцս": "u", "ѵᴠν": "v", "ԝᴡω": "w", "хχ": "x", "уʏγ": "y", "ᴢ": "z",
}  # fmt: skip
_ONE: Final = {
    **{letter: plain for letters, plain in _LOOK_ALIKE.items() for letter in letters},
    **dict(zip(TRADITIONAL, SIMPLIFIED, strict=True)),
}
_BOXED: Final = (0x1F150, 0x1F170, 0x1F1E6)
"""Where letters in filled circles, in filled squares and of flags begin; NFKC keeps them."""
_KANA: Final = "\u3040"
_LAST_KANA: Final = "\u30ff"
_HANGUL: Final = "\uac00"
_LAST_HANGUL: Final = "\ud7a3"
"""Scripts that NFKD would take apart: they stay as they are."""
_INVISIBLE = late(f"[{ALARM_CLASS}]")
_ODD = late(
    "[\u00a0\u00aa\u00b2\u00b3\u00b9\u00ba\u00c0-\u036f\u0370-\u058f\u1d00-\u1eff\u2000-\u200a\u2028-\u202f\u205f\u2070-\u209f"
    "\u20d0-\u214f\u2460-\u24ff\u3000\ua720-\ua7ff\uff0e\uff0f\uff10-\uff19\uff20-\uff3a\uff41-\uff5a\ufb00-\ufb06"
    f"\U0001d400-\U0001d7ff\U0001f100-\U0001f1ff{TRADITIONAL}{ALARM_CLASS}]"
)
_SPREAD_WORD = late(
    r"(?<![a-z0-9])[a-z](?P<between>[ \t]?[-._*·|/+~,][ \t]?|[ \t])"
    r"(?:[a-z](?P=between)){2,200}[a-z](?![a-z0-9])"
)
_SPREAD_SHORT = late(
    r"(?<![a-z0-9])[a-z](?P<between>[-._*·|/+~,])(?:[a-z](?P=between)){0,2}[a-z](?![a-z0-9])"
    r"|(?:(?<=\s\s)|(?<=^))[a-z](?: [a-z]){1,2}(?=\s\s|$)"
)
"""Short words spread in the same way: only looked for where a longer one is."""
_SPREAD_HAN = late(rf"[ \t_.*·|/+~-](?<=[{_HAN}].)[{_HAN}](?:[ \t_.*·|/+~-]{{1,3}}[{_HAN}])+")
_EMPHASIS = late(r"_(?<![a-z0-9_]_)_*(?=[^\W_])|_(?<=[^\W_]_)_*(?![a-z0-9_])")
"""Underscores around a word, as Markdown has emphasis; those inside a name stay."""
_SEPARATOR = late(r"[ \t\-._*·|/+~,]+")


class Folded(NamedTuple):
    """A folded text that knows its origin.

    Args:
        text: the matching form.
        offsets: for each character of `text` its offset in the original; None if nothing moved.
        length: of the original.
    """

    text: str
    offsets: list[int] | None
    length: int

    def origin(self, start: int, end: int) -> tuple[int, int]:
        """Return the span in the original that `text[start:end]` came from."""
        if self.offsets is None:
            return start, end
        last = self.offsets[end - 1] + 1 if end > start else self.offsets[start]
        return self.offsets[start], last


def fold_text(text: str) -> str:
    """Return the matching form of a text.

    NFKC, look-alike letters, accents and invisible characters removed, separators between the
    letters of a spread word removed, traditional characters simplified, lower case.
    """
    return fold_map(text).text


def fold_map(text: str) -> Folded:
    """Return the matching form with its offsets, in linear time."""
    return drop_emphasis(join_spread(fold_characters(text)))


def drop_emphasis(folded: Folded) -> Folded:
    """Return a folded text with spaces for the underscores around its words."""
    if "_" not in folded.text:
        return folded
    plain = _EMPHASIS.sub(lambda match: " " * len(match.group()), folded.text)
    return folded._replace(text=plain)


def fold_characters(text: str) -> Folded:
    """Return the matching form but for spread words, which stay as they are."""
    if text.isascii():
        return Folded(text.lower(), None, len(text))
    characters = characters_of(text)
    if _ODD.search(characters) is None:
        return Folded(text.lower(), None, len(text))
    table = {ord(character): _fold_any(character) for character in characters}
    if all(len(plain) == 1 for plain in table.values()):
        return Folded(text.translate(table), None, len(text))
    return _fold_odd(text)


def holds_any(text: str, words: Iterable[str]) -> bool:
    """Whether one of some words is in a text."""
    for word in words:  # noqa: SIM110 - `any` takes twice as long here
        if word in text:
            return True
    return False


def holds_plain(text: str, words: Mapping[str, Iterable[str]]) -> bool:
    """Whether one of some words is in a text, all of them ASCII.

    Args:
        text: any text.
        words: by a part that they share, which is looked for first.
    """
    plain = ascii_of(text)
    for part, among in words.items():  # noqa: SIM110 - as in `holds_any`
        if part in plain and holds_any(text, among):
            return True
    return False


def by_sign(words: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """Return words by the first of their characters that is not ASCII, for `holds_odd`."""
    groups: dict[str, tuple[str, ...]] = {}
    for word in words:
        sign = next(character for character in word if character > "\x7f")
        groups[sign] = (*groups.get(sign, ()), word)
    return groups


def holds_odd(text: str, words: Mapping[str, tuple[str, ...]]) -> bool:
    """As `holds_any`, of words `by_sign`: to look for one of a few characters is quicker."""
    if text.isascii():
        return False
    characters = characters_of(text)
    for sign, among in words.items():  # noqa: SIM110 - as in `holds_any`
        if sign in characters and holds_any(text, among):
            return True
    return False


def _fold_odd(text: str) -> Folded:
    parts: list[str] = []
    offsets: list[int] = []
    for offset, character in enumerate(text):
        plain = _fold_any(character)
        if plain:
            parts.append(plain)
            offsets.extend([offset] * len(plain))
    return Folded("".join(parts), offsets, len(text))


def _fold_any(character: str) -> str:
    return character.lower() if character < "\x80" else _fold_one(character)


@lru_cache(maxsize=4096)
def _fold_one(character: str) -> str:
    if character in "\r\u2028\u2029":
        return "\n"
    if (
        character in "！？；，："
        or _KANA <= character <= _LAST_KANA
        or _HANGUL <= character <= _LAST_HANGUL
    ):
        return character
    if _INVISIBLE.match(character):
        return ""
    for first in _BOXED:
        if first <= ord(character) < first + 26:
            return chr(ord(character) - first + ord("a"))
    letters = unicodedata.normalize("NFKD", character)
    kept = (letter for letter in letters if not unicodedata.combining(letter))
    return "".join(_plain_letter(letter) for letter in kept)


def _plain_letter(letter: str) -> str:
    lower = letter.lower()
    return _ONE.get(lower, _ONE.get(letter, lower))


def join_spread(folded: Folded) -> Folded:
    """Return a folded text with single letters that stand apart (`i-g-n`) put together."""
    text = folded.text
    spans = [match.span() for match in _spread(text)]
    if not spans:
        return folded
    offsets = folded.offsets if folded.offsets is not None else list(range(len(text)))
    parts: list[str] = []
    kept: list[int] = []
    done = 0
    for start, end in spans:
        parts.append(text[done:start])
        kept.extend(offsets[done:start])
        for at in range(start, end):
            if _SEPARATOR.match(text[at]) is None:
                parts.append(text[at])
                kept.append(offsets[at])
        done = end
    parts.append(text[done:])
    kept.extend(offsets[done:])
    return Folded("".join(parts), kept, folded.length)


def _spread(text: str) -> list[re.Match[str]]:
    """Return where single letters or single Han characters stand apart, in order."""
    found = list(_SPREAD_WORD.finditer(text)) if _has_lone_letters(text) else []
    if found:
        taken = [match.span() for match in found]
        found += [m for m in _SPREAD_SHORT.finditer(text) if not _overlaps(m.span(), taken)]
        found.sort(key=re.Match.start)
    if not text.isascii() and may_have_lone_han(text):
        found.extend(_SPREAD_HAN.finditer(text))
        found.sort(key=re.Match.start)
    return found


def _overlaps(span: tuple[int, int], taken: list[tuple[int, int]]) -> bool:
    """Whether a span meets one of the taken ones, which are in order and apart."""
    at = bisect_left(taken, (span[1],))
    return at > 0 and taken[at - 1][1] > span[0]


_LONE = late(r"[ \t\-._*·|/+~,][a-z][ \t\-._*·|/+~,][ \t]?[a-z][ \t\-._*·|/+~,]")


def _has_lone_letters(text: str) -> bool:
    return may_have_lone_letters(text) and _LONE.search(text) is not None
