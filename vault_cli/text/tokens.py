"""Words of both languages: stems, CJK bigrams. Standard library only.

Search, similarity and fingerprints share these tokens, so a query finds what a text says:
full-width letters, zero-width characters and case make no difference.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from typing import Final

from vault_cli.text.hidden import drop_invisible
from vault_cli.text.stem import stem_word

_CJK: Final = (
    "\u3005-\u3007\u3041-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uac00-\ud7a3"
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\U00020000-\U0003ffff"
)
"""Scripts written without spaces between words, and Hangul with its particles."""

_WORD = re.compile(rf"(?P<cjk>[{_CJK}]+)|[^\W{_CJK}](?:[^\W{_CJK}]|[\u0300-\u036f])*")
_PARTS = re.compile(
    "_+|(?<=[a-z0-9\u00df-\u00ff\u0430-\u044f])(?=[A-Z\u00c0-\u00de\u0410-\u042f])"
    "|(?<=[A-Z])(?=[A-Z][a-z])"
)
_LONGEST: Final = 64

_STOP_TEXT: Final = """
a an and are as at be been being but by can could did do does doing done for from had has have
having he her his how i if in into is it its may might must my of on or our shall she should so
such that the their them then there these they this those to too us very was we were what when
where which while who whom whose why will with would you your
"""
STOP_WORDS: Final = frozenset(_STOP_TEXT.split())
"""English words that say nothing about the subject. `not` and `no` do."""

STOP_CHARACTERS: Final = frozenset(
    "的了吗呢吧啊呀嘛是在和与及或也都就着过地得这那我你他她它们个把被对从向于而且但"
)
_STOP_PAIRS: Final = frozenset({
    "什么", "怎么", "么样", "如何", "为什", "哪个", "哪些", "哪里", "多少", "是否", "可以", "我们",
    "你们", "他们", "这个", "那个", "这些", "那些", "一个", "以及", "或者", "但是", "因为", "所以",
    "如果",
})  # fmt: skip


def tokenize(text: str) -> list[str]:
    """Return the tokens of a text in order, repeats included.

    Latin words are lower-cased and stemmed; `snake_case` and `camelCase` give the whole word and
    its parts. Chinese, Japanese, Korean and Thai runs give pairs of neighbouring characters, a
    run of one gives that character. Words that say nothing about the subject are left out.
    """
    plain = drop_invisible(unicodedata.normalize("NFKC", text.replace("\r", "\n")))
    return list(_tokens(plain))


def _tokens(plain: str) -> Iterator[str]:
    for match in _WORD.finditer(plain):
        if match["cjk"]:
            yield from _pairs(match["cjk"])
        else:
            yield from _words(match.group())


def _pairs(run: str) -> Iterator[str]:
    if len(run) == 1:
        if run not in STOP_CHARACTERS:
            yield run
        return
    for index in range(len(run) - 1):
        pair = run[index : index + 2]
        if pair not in _STOP_PAIRS and not STOP_CHARACTERS.issuperset(pair):
            yield pair


def _words(word: str) -> Iterator[str]:
    parts = [part for part in _PARTS.split(word) if part]
    whole = word.strip("_")
    if len(parts) > 1:
        # The whole name is an identifier: a stem of it would be a word nobody types.
        yield whole.lower()[:_LONGEST]
    for part in parts:
        lower = part.lower()[:_LONGEST]
        if lower not in STOP_WORDS or len(parts) > 1:
            yield stem_word(lower) if lower.isascii() and lower.isalpha() else lower
