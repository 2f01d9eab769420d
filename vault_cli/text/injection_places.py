"""Where in a sentence the words of the vocabulary stand, and which concepts they are.

Everything here is linear but for the words of one sentence. Standard library only.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

from vault_cli.text.injection_concepts import LEET_SIGN, PATTERNS, plain_word
from vault_cli.text.injection_vocabulary import WORD, Vocabulary
from vault_cli.text.late import late

_LONGEST_TITLE: Final = 200
_TITLE_SPACES: Final = 4
_BEFORE: Final = 12
_IN_PASSING = late(
    r"(?:(?<![\w-])(?:in|of|by|from|for|see|using|like|and|or|than|with)[ \n]{1,3}"
    r"|[见看是和或]\s?)$"
)
"""What stands before a link that is a reference, not a place to send to."""


class Place(NamedTuple):
    """A word, phrase or address of a sentence: its span and the concepts that it is."""

    start: int
    end: int
    mask: int


def find_places(
    text: str, book: Vocabulary, words: list[tuple[str, int]], wanted: int
) -> list[Place]:
    """Return the places of a sentence in its order.

    Args:
        text: part of a folded text.
        book: the tables.
        words: those of the vocabulary in it, with their concepts.
        wanted: the concepts asked for.
    """
    places = list(_latin_places(text, book, wanted))
    if not text.isascii():
        places.extend(_han_places(text, book, words, wanted))
    for name, pattern in PATTERNS:
        if book.bits[name] & wanted:
            spans = (m.span() for m in pattern.finditer(text))
            places.extend(
                Place(start, end, book.bits[name])
                for start, end in spans
                if name != "DEST" or not _is_reference(text, start)
            )
    places.sort()
    return places


def _is_reference(text: str, start: int) -> bool:
    """Whether an address belongs to a link that is named in passing (`posts in [my repo](https:`).

    So does one whose text is a sentence of its own: the title of a page orders nothing.
    """
    if text[start - 2 : start] != "](":
        return False
    opened = text.rfind("[", max(0, start - _LONGEST_TITLE), start)
    if opened < 0:
        return False
    titled = text[opened + 1] == "`" or text[opened:start].count(" ") >= _TITLE_SPACES
    return titled or _IN_PASSING.search(text[max(0, opened - _BEFORE) : opened]) is not None


def _latin_places(text: str, book: Vocabulary, wanted: int) -> Iterator[Place]:
    words = WORD.findall(text)
    if LEET_SIGN.search(text) is not None:
        words = [plain_word(word, book) for word in words]
    known = [at for at, word in enumerate(words) if word in book.heads]
    if not known:
        return
    spans = [match.span() for match in WORD.finditer(text)]
    silent = 0  # words before this one are part of a phrase that means nothing
    for at in known:
        mask = book.words.get(words[at], 0)
        met = list(_phrases_at(words, at, book))
        for end, among in met:
            if not among and end > silent:
                silent = end
        if at < silent:
            continue
        if mask & wanted & book.handing and _is_name(text, *spans[at]):
            mask &= ~book.handing
        for end, among in ((at + 1, mask), *met):
            if among & wanted:
                yield Place(spans[at][0], spans[end - 1][1], among & wanted)


def _is_name(text: str, start: int, end: int) -> bool:
    """Whether a word is a name in code: a key, a method, a part of a longer name."""
    before, after = text[start - 1 : start], text[end : end + 2]
    if after[:1] == "-":
        return after[1:].isalpha()
    if before == ".":
        return after[:1] in {"(", ",", ")"}
    if text[start:end] in {"email", "mail"} and after.strip()[:1] in {":", "="}:
        return True
    return after[:1] == "=" or (after in {'":', "':"} and before == after[:1])


def _phrases_at(words: list[str], at: int, book: Vocabulary) -> Iterator[tuple[int, int]]:
    """Yield where each phrase that begins with a word ends, and its concepts."""
    among = book.phrases.get(" ".join(words[at : at + 2]))
    if among is None:
        return
    for third in ("", *words[at + 2 : at + 3]):
        for rest, mask in among.get(third, ()):
            if words[at + 2 : at + 2 + len(rest)] == rest:
                yield at + len(rest) + 2, mask


def _han_places(
    text: str, book: Vocabulary, words: list[tuple[str, int]], wanted: int
) -> Iterator[Place]:
    covered = bytearray(len(text))
    for word in book.silent:
        for at in _find_all(text, word):
            covered[at : at + len(word)] = b"\x01" * len(word)
    hidden, inside = 1 in covered, _inside_words(text, book.whole)
    for word in {word for word, mask in words if mask & wanted and word in book.han}:
        mask, size = book.han[word] & wanted, len(word)
        for at in _find_all(text, word):
            if inside[at] or inside[at + size]:
                continue  # 前文 in 当前文件
            if not hidden or 0 in covered[at : at + size]:
                yield Place(at, at + size, mask)


def _inside_words(text: str, words: tuple[str, ...]) -> bytearray:
    """Return for each place of a text whether a word goes on there, so that none begins or ends."""
    inside = bytearray(len(text) + 1)
    for word in words:
        for at in _find_all(text, word):
            inside[at + 1 : at + len(word)] = b"\x01" * (len(word) - 1)
    return inside


def _find_all(text: str, word: str) -> Iterator[int]:
    at = text.find(word)
    while at >= 0:
        yield at
        at = text.find(word, at + 1)
