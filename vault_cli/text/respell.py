r"""Orders in another spelling: `ignoreAllRules`, one word a line, leet, reversed, pinyin.

Nothing here is encoded, so `views` does not see it: the letters are there, the words are not.
Each form has a cheap mark; what it reads is asked of the rules, and it only counts where the plain
text meets none. Standard library only.
"""

from __future__ import annotations

import codecs
import html
import re
from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Final, NamedTuple

from vault_cli.text.fold import fold_text, holds_any
from vault_cli.text.injection_match import Hit, find_hits
from vault_cli.text.injection_rules import OVERRIDE
from vault_cli.text.injection_vocabulary import vocabulary
from vault_cli.text.pinyin import MARKS, read_pinyin
from vault_cli.text.run_words import part_run

MOST_CHARACTERS: Final = 32_768
"""Characters of all readings of one form together; what is beyond is not looked at."""

_LEAST_WORDS: Final = 3
_LONG_NAME: Final = 5
_HAN: Final = "\u3400-\u9fff"
_NAME: Final = "words written as one name"


class Reading(NamedTuple):
    """A part of a text in plain spelling.

    Args:
        kind: the spelling, for a person.
        start, end: its span in the text given.
        text: what it says.
    """

    kind: str
    start: int
    end: int
    text: str


class Respelled(NamedTuple):
    """A reading that meets a rule, and the place of the hit in it."""

    reading: Reading
    hit: Hit


def find_respelled(text: str) -> Iterator[Respelled]:
    """Yield the readings that meet a rule where the text as it stands meets none."""
    for reading in _readings(text):
        hit = next((hit for hit in find_hits(reading.text) if _counts(reading, hit)), None)
        if hit and not any(reading.start <= plain.start < reading.end for plain in find_hits(text)):
            yield Respelled(reading, hit)


def _counts(reading: Reading, hit: Hit) -> bool:
    """Whether a hit is no name in code: a short one only counts where it sets rules aside."""
    if reading.kind != _NAME:
        return True
    return hit.rule.kind == OVERRIDE or reading.text.count(" ") + 1 >= _LONG_NAME


def _readings(text: str) -> Iterator[Reading]:
    lower = text.lower()
    for form in _FORMS:
        if not form.has_mark(text, lower):
            continue
        budget = MOST_CHARACTERS
        for match in form.pattern.finditer(text):
            said = form.read(match.group())
            budget -= len(match.group())
            if budget < 0:
                break
            if said:
                yield Reading(form.kind, *match.span(), said)


class _Form(NamedTuple):
    """A spelling: whether a text (and it in lower case) may have it, where, what it says."""

    kind: str
    has_mark: Callable[[str, str], bool]
    pattern: re.Pattern[str]
    read: Callable[[str], str]


def _has_word(text: str, lower: str) -> bool:
    del text
    return holds_any(lower, _STEMS)


def _has_name(text: str, lower: str) -> bool:
    return _has_word(text, lower) and (text.count("_") > 1 or _HUMPS.search(text) is not None)


def _has_stack(text: str, lower: str) -> bool:
    return "\n" in text and _has_word(text, lower)


def _has_markup(text: str, lower: str) -> bool:
    del lower
    return holds_any(text, _MARKUP_SIGNS) and _MARKUP.search(text) is not None


def _has_rot13(text: str, lower: str) -> bool:
    del text
    return holds_any(lower, _ROT13_MARKS)


def _has_backward(text: str, lower: str) -> bool:
    del text
    return holds_any(lower, _BACKWARD_MARKS)


def _has_pinyin(text: str, lower: str) -> bool:
    plain = lower if text.isascii() else fold_text(text)
    return holds_any(plain, MARKS)


def _has_leet(text: str, lower: str) -> bool:
    del text
    return _LEET_TWICE.search(lower) is not None


def _has_doubled(text: str, lower: str) -> bool:
    del text
    return _DOUBLED.search(lower) is not None


def _has_han(text: str, lower: str) -> bool:
    del lower
    return not text.isascii() and _SPREAD_HAN.search(text) is not None


def _split_name(raw: str) -> str:
    words = _HUMP.sub(" ", raw)
    is_order = words.count(" ") + 1 >= _LEAST_WORDS and not words.lower().startswith("test ")
    return words if is_order else ""


def _split_run(raw: str) -> str:
    run = raw.lower()
    cuts = [0, *part_run(run, vocabulary().spellings), len(run)]
    return " ".join(run[start:end] for start, end in pairwise(cuts))


def _unstack(raw: str) -> str:
    words = _STACKED_WORD.findall(raw)
    return ("" if "\u3400" <= words[0][:1] <= "\u9fff" else " ").join(words)


def _strip_markup(raw: str) -> str:
    plain = _MARKUP.sub(_without_mark, raw)
    return plain if plain != raw else ""


def _without_mark(match: re.Match[str]) -> str:
    raw = match.group()
    if raw[0] == "&":
        return html.unescape(raw)
    return " " if match.lastgroup == "gap" else ""


def _unturn(raw: str) -> str:
    return codecs.decode(raw, "rot13")


def _turn_back(raw: str) -> str:
    words = " ".join(word[::-1] for word in raw.split())
    return f"{raw[::-1]}\n\n{words}"


def _unleet(raw: str) -> str:
    return "\n\n".join(dict.fromkeys(raw.lower().translate(table) for table in _LEET_TABLES))


def _undouble(raw: str) -> str:
    return _PAIR.sub(r"\1", raw.lower())


def _join_han(raw: str) -> str:
    return _NOT_HAN.sub("", raw)


def _read_pinyin(raw: str) -> str:
    return read_pinyin(fold_text(raw))


_STEMS: Final = (
    "ignor", "disregard", "forget", "overrid", "bypass", "reveal", "instruct", "prompt", "confirm",
    "approv", "never", "donot", "do_not", "dont", "send", "restrict", "safety", "obey", "secret",
    "without", "not\n",
    "忽", "无", "不", "密", "绕", "令",
)  # fmt: skip
"""Letters of which an order has some, however its words are put together."""

_HUMPS = re.compile(r"[a-z][A-Z][a-z]{0,20}[A-Z]")
_HUMP = re.compile(r"(?<=[a-z])(?=[A-Z])|_")
_NAME_FORM = re.compile(
    r"(?<![A-Za-z_])(?:[A-Za-z]{1,20}(?:_[A-Za-z]{1,20}){2,60}|[A-Z]?[a-z]{1,20}(?:[A-Z][a-z]{0,20}){2,60})"
)
_RUN = re.compile(r"(?<![A-Za-z])[A-Za-z][a-z]{15,400}(?![A-Za-z])")
_LINE_SIGNS: Final = r"[ \t>*+\-|#]*(?:\d{1,3}[.)])?[ \t|\[(]*"
_STACK = re.compile(
    rf"(?m:^{_LINE_SIGNS}[A-Za-z']{{1,20}}[ \t|.,!:\])]*\n\s{{0,3}}){{3,60}}"
    rf"(?m:^{_LINE_SIGNS}[A-Za-z']{{1,20}}[ \t|.,!\])]*$)"
    rf"|(?m:^{_LINE_SIGNS}[{_HAN}]{{1,2}}[ \t|，。\])]*\n\s{{0,3}}){{3,80}}"
    rf"(?m:^{_LINE_SIGNS}[{_HAN}]{{1,2}}[ \t|，。\])]*$)"
)
_STACKED_WORD = re.compile(rf"[A-Za-z']+|[{_HAN}]+")
_MARKUP = re.compile(
    r"(?P<gap><(?:br|p|/p|li|/li|td|/td)\s?/?>)|<!--[^<>]{0,200}-->"
    r"|</?[a-z]{1,10}(?:\s[^<>]{0,120})?/?>|&[a-z]{2,8};"
    r"|(?<=\w)(?:\*{1,3}|~~|`)(?=\w)|(?<=[a-z])-\n[ \t]*(?=[a-z])",
    re.IGNORECASE,
)
_MARKUP_SIGNS: Final = ("<", "&", "*", "~", "`", "-\n")
_PARAGRAPH = re.compile(r"[^\n]{12,4000}(?:\n[^\n]{1,2000}){0,40}")
_LINE = re.compile(r"[^\n]{10,2000}")
_ROT13_MARKS: Final = (
    "vtaber", "cerivbhf", "vafgehpg", "flfgrz", "cebzcg", "qvfertneq", "olcnff", "frperg",
    "cnffjbeq", "pbasvez", "erirny", "gur hfre", "sbetrg", "lbhe ",
)  # fmt: skip
"""Words of orders and `your` after ROT13; none of them is in a word of English."""

_BACKWARD_MARKS: Final = (
    "erongi", "suoiverp", "noitcurtsni", "snoitcurt", "tpmorp", "dragersid", "ssapyb", "terces",
    "drowssap", "mrifnoc", "laever", " eht ", "resu eht", "tegrof", "ruoy ", "略忽", "令指", "户用",
    "词示提", "钥密", "诉告",
)  # fmt: skip
_LEET_WORD: Final = r"(?:[a-z][0134578@$!|+][a-z0-9@$!|+]|[0134578@$!|+][a-z][0134578@$!|+a-z])"
_LEET_TWICE = re.compile(rf"{_LEET_WORD}(?:[^\n]{{1,40}}?{_LEET_WORD}){{2}}")
_LEET_TABLES: Final = tuple(
    str.maketrans("0134578@$!|+", f"o{one}eastba{dollar}i{bar}t")
    for one, dollar, bar in (("i", "s", "l"), ("l", "s", "i"))
)
_PAIR = re.compile(r"([a-z])\1")
_DOUBLED = re.compile(r"([a-z])\1([a-z])\2([a-z])\3([a-z])\4")
_SPREAD_HAN = re.compile(
    rf"[{_HAN}]{{1,2}}(?P<between>[^{_HAN}\n]{{1,4}})(?:[{_HAN}]{{1,2}}(?P=between)){{2,200}}[{_HAN}]{{1,2}}"
)
_NOT_HAN = re.compile(rf"[^{_HAN}]+")
_FORMS: Final = (
    _Form(_NAME, _has_name, _NAME_FORM, _split_name),
    _Form("words without spaces", _has_word, _RUN, _split_run),
    _Form("one word a line", _has_stack, _STACK, _unstack),
    _Form("marks between letters", _has_markup, _PARAGRAPH, _strip_markup),
    _Form("leet", _has_leet, _LINE, _unleet),
    _Form("ROT13", _has_rot13, _LINE, _unturn),
    _Form("reversed text", _has_backward, _LINE, _turn_back),
    _Form("doubled letters", _has_doubled, _LINE, _undouble),
    _Form("characters set apart", _has_han, _SPREAD_HAN, _join_han),
    _Form("pinyin", _has_pinyin, _LINE, _read_pinyin),
)
