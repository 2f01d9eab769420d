r"""What a text says when it is decoded: base64, hex, percent, entities, escapes and the like.

A reader does not see these words, a model does. Views are decoded again, two levels deep.
Standard library only.
"""

from __future__ import annotations

import base64
import binascii
import codecs
import html
import re
from collections.abc import Callable, Iterator
from typing import Final, NamedTuple
from urllib.parse import unquote

from vault_cli.text.hidden import characters_of
from vault_cli.text.late import late
from vault_cli.text.shape import ascii_of, has_digit, may_have_numbers, may_have_run

MOST_CHARACTERS: Final = 65_536
"""Characters of all views of one text together; what is beyond is not looked at."""

_DEPTH: Final = 2
_SHORTEST: Final = 6
_DENSE_LENGTH: Final = 16
_LEAST_NUMBERS: Final = 11
"""Characters of the shortest row of numbers: six and what is between them."""
_PRINTABLE_SHARE: Final = 0.9
_NEEDLESS_LETTERS: Final = 6
_BYTE_END: Final = 0xFF
_LONG: Final = "a long word"
_NUMBERS: Final = "numbers"


class View(NamedTuple):
    """A decoded part of a text.

    Args:
        kind: the encoding, for a person.
        start, end: the span of the encoded form in the text given.
        text: what it says.
        needless: whether ordinary letters are written in a way that only hides them.
    """

    kind: str
    start: int
    end: int
    text: str
    needless: bool


class _Form(NamedTuple):
    """An encoding: when to look for it (one of the marks), what it looks like, what it says.

    `needs` is a second look that is cheaper than `pattern`.
    """

    kind: str
    marks: tuple[str, ...]
    pattern: re.Pattern[str]
    decode: Callable[[str], str]
    hides: bool = False
    needs: re.Pattern[str] | None = None


def decoded_views(text: str) -> Iterator[View]:
    """Yield what the encoded parts of a text say; nothing for a text without any."""
    budget = MOST_CHARACTERS
    level = [View("", 0, len(text), text, needless=False)]
    for _ in range(_DEPTH):
        deeper: list[View] = []
        for outer in level:
            for view in _views(outer.text[:MOST_CHARACTERS]):
                budget -= len(view.text)
                if budget < 0:
                    return
                start, end = (outer.start, outer.end) if outer.kind else (view.start, view.end)
                deeper.append(View(view.kind, start, end, view.text, view.needless))
        yield from deeper
        level = deeper


def _views(text: str) -> Iterator[View]:
    marks = _marks(text)
    for form in _FORMS:
        if marks.isdisjoint(form.marks):
            continue
        if form.needs is not None and form.needs.search(text) is None:
            continue
        for match in form.pattern.finditer(text):
            raw = match.group()
            said = _try(form.decode, raw)
            if said and said != raw and _readable(said):
                yield View(form.kind, *match.span(), said, form.hides and _is_needless(said))


def _marks(text: str) -> set[str]:
    """Return what of the forms' marks is in a text: the cheap first look."""
    lower = text.lower()
    plain = ascii_of(lower)
    marks: set[str] = set()
    for sign, among in _MARKS:
        if sign in plain or (sign > "\x7f" and sign in lower):
            marks.update([mark for mark in among if mark in lower])
    if may_have_run(lower, _DENSE_LENGTH):
        marks.add(_LONG)
    if _may_have_numbers(text, lower) and _MANY_NUMBERS.search(text):
        marks.add(_NUMBERS)
    return marks


def _may_have_numbers(text: str, lower: str) -> bool:
    """Whether there is a digit, of any script, and a row that is long enough."""
    is_odd = not text.isascii() and _DIGIT.search(characters_of(text)) is not None
    return (is_odd or has_digit(lower)) and may_have_numbers(text, _LEAST_NUMBERS, is_odd=is_odd)


def _try(decode: Callable[[str], str], raw: str) -> str:
    try:
        return decode(raw)
    except (ValueError, OverflowError, binascii.Error):
        return ""


def _readable(said: str) -> bool:
    if len(said) < _SHORTEST and said.isascii():
        return False
    good = sum(character.isprintable() or character in "\n\t" for character in said)
    return good >= _PRINTABLE_SHARE * len(said)


def _is_needless(said: str) -> bool:
    letters = sum(c.isalpha() and (c.isascii() or "\u4e00" <= c <= "\u9fff") for c in said)
    return letters >= (_NEEDLESS_LETTERS if said.isascii() else 4)


def _from_dense(raw: str) -> str:
    """Decode one long word: hexadecimal, binary digits, base32 or base64, what fits first."""
    for pattern, decode in _DENSE:
        if pattern.fullmatch(raw):
            said = _try(decode, raw)
            if said and _readable(said):
                return said
    return ""


def _from_base64(raw: str) -> str:
    body = raw.rstrip("=").replace("-", "+").replace("_", "/")
    data = base64.b64decode(body + "=" * (-len(body) % 4), validate=True)
    if data[1::2].count(0) * 2 >= len(data) - 1:
        return data.decode("utf-16-le")
    return data.decode("utf-8")


def _from_base32(raw: str) -> str:
    body = raw.rstrip("=")
    return base64.b32decode(body + "=" * (-len(body) % 8)).decode("utf-8")


def _from_hex(raw: str) -> str:
    return bytes.fromhex(re.sub(r"\\x|0x|[\s:,]", "", raw)).decode("utf-8")


def _from_bits(raw: str) -> str:
    bits = re.sub(r"\s", "", raw)
    return bytes(int(bits[at : at + 8], 2) for at in range(0, len(bits), 8)).decode("utf-8")


def _from_codes(raw: str) -> str:
    codes = [int(code) for code in re.findall(r"\d+", raw)]
    return bytes(codes).decode("utf-8") if max(codes) <= _BYTE_END else ""


def _from_escapes(raw: str) -> str:
    return _ESCAPE.sub(lambda match: chr(int(match[match.lastindex or 0], 16)), raw)


def _from_percent(raw: str) -> str:
    return unquote(raw, errors="strict")


def _from_morse(raw: str) -> str:
    words = re.split(r"\s*[/|]\s*|\s{3,}", raw.strip())
    return " ".join("".join(_MORSE.get(letter, "") for letter in w.split()) for w in words)


def _from_rot13(raw: str) -> str:
    return codecs.decode(raw, "rot13")


def _reversed(raw: str) -> str:
    return raw[::-1]


def _joined(raw: str) -> str:
    return _STRING_PLUS.sub("", raw)


def _bare(raw: str) -> str:
    return _INSIDE_WORD.sub("", raw)


_MANY_NUMBERS = late(r"\d[\da-fA-F]{0,7}[ ,:]{1,2}(?:[\da-fA-F]{1,8}[ ,:]{1,2}){4}[\da-fA-F]")
_DIGIT = late(r"\d")
_DENSE_WORD = late(rf"[A-Za-z0-9+/_-]{{{_DENSE_LENGTH},}}={{0,6}}")
_ESCAPE_FORM: Final = (
    r"\\u\{([0-9a-fA-F]{1,6})\}|\\u([0-9a-fA-F]{4})|\\U([0-9a-fA-F]{8})|\\x([2-7][0-9a-fA-F])"
)
_ESCAPE = late(_ESCAPE_FORM)
_STRING_PLUS = late(r"[\"']\s{0,4}\+\s{0,4}[\"']")
_INSIDE_WORD = late(r"(?<=\w)(?:<!--[^<>]{0,200}-->|</?[a-z]{1,8}/?>|\*{2,3}|~~)(?=\w)")
_MARK_INSIDE = late(r"[*~<](?<=\w.)[*~!/a-z]")
"""The beginning of `_INSIDE_WORD` that is rare by itself."""
_LINE = late(r"[^\n]{12,2000}")
_MORSE_LETTERS: Final = (
    ".- -... -.-. -.. . ..-. --. .... .. .--- -.- .-.. -- -. --- .--. --.- .-. ... - ..- ...-"
    " .-- -..- -.-- --.."
)
_MORSE: Final = dict(
    zip(
        _MORSE_LETTERS.split(),
        "abcdefghijklmnopqrstuvwxyz",
        strict=True,
    )
)
_DENSE: Final = (
    (late(r"(?:[0-9a-fA-F]{2})+"), _from_hex),
    (late(r"(?:[01]{8})+"), _from_bits),
    (late(r"[A-Z2-7]+=*"), _from_base32),
    (late(r"[\w+/-]+={0,2}"), _from_base64),
)
_FORMS: Final = (
    _Form("an encoded word", (_LONG,), _DENSE_WORD, _from_dense),
    _Form("hexadecimal", (_NUMBERS, "\\x", "0x"),
          late(r"(?<!\w)(?:(?:\\x|0x)?[0-9a-fA-F]{2}[ :,]{0,2}){8,}(?!\w)"), _from_hex),
    _Form("binary digits", (_NUMBERS,), late(r"(?<!\w)(?:[01]{8}\s{0,2}){6,}(?!\w)"),
          _from_bits),
    _Form("character codes", (_NUMBERS,),
          late(r"(?<!\w)(?:\d{2,3}[ ,]{1,2}){7,}\d{2,3}(?!\w)"), _from_codes),
    _Form("percent", ("%",), late(r"[\w.+-]{0,40}(?:%[0-9a-fA-F]{2}[\w.+-]{0,40}){3,}"),
          _from_percent),
    _Form("percent", ("%",), late(r"(?:%[2-7][0-9a-fA-F]){5,}"), _from_percent, hides=True),
    _Form("character references", ("&#",),
          late(r"(?:&#(?:x[0-9a-fA-F]{1,6}|\d{1,7});?[ ]?){4,}"), html.unescape, hides=True),
    _Form("escapes", ("\\u", "\\x"),
          late(rf"(?:(?:{_ESCAPE_FORM})[ ]?){{4,}}"),
          _from_escapes, hides=True),
    _Form("Morse code", (". -", "- .", ".-", "-."),
          late(r"(?:[.-]{1,5}[ /|]{1,3}){8,}[.-]{0,5}"), _from_morse),
    _Form("ROT13", ("rot13", "rot-13", "rot 13"), _LINE, _from_rot13),
    _Form("reversed text", ("revers", "backward", "倒", "反过来"), _LINE, _reversed),
    _Form("joined strings", ('" +', "' +", '"+', "'+"),
          late(r"[^\n]{0,200}[\"']\s{0,4}\+\s{0,4}[\"'][^\n]{0,400}"), _joined),
    _Form("marks inside words", ("**", "~~", "<!--", "</", "/>"), _LINE, _bare, needs=_MARK_INSIDE),
)  # fmt: skip
_MARKS: Final = tuple(
    (sign, tuple(mark for form in _FORMS for mark in form.marks if sign in mark))
    for sign in (
        "\\",
        "0",
        "%",
        "&",
        "-",
        "rot",
        "revers",
        "backward",
        "倒",
        "反",
        "+",
        "*",
        "~",
        "/",
        "<",
    )
)
"""The marks of the forms by a sign that each of them has."""
