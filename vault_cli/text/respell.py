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
from functools import lru_cache
from itertools import pairwise
from typing import Final, NamedTuple

from vault_cli.text.fold import by_sign, fold_text, holds_any, holds_odd
from vault_cli.text.injection_concepts import words_of
from vault_cli.text.injection_match import (
    BETWEEN,
    LONGEST,
    Hit,
    find_hits,
    fold_plain,
    has_spread,
)
from vault_cli.text.injection_rules import OVERRIDE
from vault_cli.text.injection_vocabulary import spellings
from vault_cli.text.late import late
from vault_cli.text.pinyin import MARKS, read_pinyin
from vault_cli.text.run_words import part_run
from vault_cli.text.shape import may_have_leet, may_have_run, may_have_spread_han

MOST: Final = 20
"""Hits of one text."""

_AT_ONCE: Final = 16
"""So many readings are asked together, and one by one when they meet a rule: twice at most."""

MOST_CHARACTERS: Final = 16_384
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


@lru_cache(maxsize=4)
def find_respelled(text: str) -> tuple[Respelled, ...]:
    """Return the readings that meet a rule where the text as it stands meets none, at most `MOST`.

    The last texts are remembered: whoever finds something in one asks again for all of it.
    """
    found: list[Respelled] = []
    plain: tuple[Hit, ...] | None = None
    for reading in _suspects(list(_readings(text))):
        hit = next((hit for hit in find_hits(reading.text) if _counts(reading, hit)), None)
        if hit is None:
            continue
        if plain is None:
            plain = find_hits(text)
        if not any(reading.start <= other.start < reading.end for other in plain):
            found.append(Respelled(reading, hit))
            if len(found) == MOST:
                break
    return tuple(found)


def _suspects(readings: list[Reading]) -> Iterator[Reading]:
    """Yield the readings that may meet a rule: groups of which none does are passed over."""
    for start in range(0, len(readings), _AT_ONCE):
        group = readings[start : start + _AT_ONCE]
        if not _meet_no_rule(group):
            yield from group


def _meet_no_rule(readings: list[Reading]) -> bool:
    """Whether no reading meets a rule, asked of all of them at once where that is safe."""
    text = BETWEEN.join([reading.text for reading in readings])
    return len(text) <= LONGEST and not has_spread(text) and not find_hits(text)


def _counts(reading: Reading, hit: Hit) -> bool:
    """Whether a hit is no name in code: a short one only counts where it sets rules aside."""
    if reading.kind != _NAME:
        return True
    return hit.rule.kind == OVERRIDE or reading.text.count(" ") + 1 >= _LONG_NAME


def _readings(text: str) -> Iterator[Reading]:
    folded = fold_plain(text)
    signs = _Signs(text, folded, words_of(folded))
    for form in _FORMS:
        if not form.has_mark(signs):
            continue
        budget = MOST_CHARACTERS
        for match in form.pattern.finditer(text):
            said = form.read(match.group())
            budget -= len(match.group())
            if budget < 0:
                break
            if said:
                yield Reading(form.kind, *match.span(), said)


class _Signs(NamedTuple):
    """A text, the same folded, and the words of that."""

    text: str
    folded: str
    words: frozenset[str]


class _Form(NamedTuple):
    """A spelling: whether a text may have it, where it is, what it says."""

    kind: str
    has_mark: Callable[[_Signs], bool]
    pattern: re.Pattern[str]
    read: Callable[[str], str]


def _has_name(signs: _Signs) -> bool:
    text = signs.text
    humps = _HUMPS.search(text) is not None if _has_run(signs) else False
    return (humps or text.count("_") > 1) and holds_any(text.lower(), _STEMS)


def _has_run(signs: _Signs) -> bool:
    if not may_have_run(signs.folded, _LONG_RUN):
        return False
    return max(map(len, signs.words), default=0) >= _LONG_RUN


def _has_stack(signs: _Signs) -> bool:
    run = 0
    for line in signs.text.split("\n"):
        if line and not line.isspace():
            run = run + 1 if len(line) < _SHORT_LINE and line.strip(_LINE_ENDS).isalpha() else 0
            if run == _LEAST_LINES:
                return True
    return False


def _has_markup(signs: _Signs) -> bool:
    if "<" in signs.text or "&" in signs.text:
        return _MARKUP.search(signs.text) is not None
    rare = holds_any(signs.text, ("*", "~", "`", "-\n"))
    return rare and _MARK_INSIDE.search(signs.text) is not None


def _has_rot13(signs: _Signs) -> bool:
    return not signs.words.isdisjoint(_ROT13_WORDS)


def _has_backward(signs: _Signs) -> bool:
    if not signs.words.isdisjoint(_BACKWARD_WORDS):
        return True
    return holds_odd(signs.text, _BACKWARD_HAN)


def _has_pinyin(signs: _Signs) -> bool:
    return not signs.words.isdisjoint(MARKS)


def _has_leet(signs: _Signs) -> bool:
    return may_have_leet(signs.text) and len(_LEET_INSIDE.findall(signs.text)) >= _MANY_LEET


def _has_han(signs: _Signs) -> bool:
    text = signs.text
    return not text.isascii() and (may_have_spread_han(text) or text.count("(") > 1)


def _split_name(raw: str) -> str:
    words = _HUMP.sub(" ", raw)
    is_order = words.count(" ") + 1 >= _LEAST_WORDS and not words.lower().startswith("test ")
    return words if is_order else ""


def _split_run(raw: str) -> str:
    run = raw.lower()
    cuts = [0, *part_run(run, spellings()), len(run)]
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


def _join_han(raw: str) -> str:
    said = _NOT_HAN.sub("", raw)
    return "" if _HAN_STEMS.isdisjoint(said) else said


def _read_pinyin(raw: str) -> str:
    return read_pinyin(fold_text(raw))


_STEMS: Final = (
    "ignor", "disregard", "forget", "overrid", "bypass", "reveal", "instruct", "prompt", "confirm",
    "approv", "never", "donot", "do_not", "dont", "send", "restrict", "safety", "obey", "secret",
    "without", "execut", "delete", "upload", "tell",
)  # fmt: skip
"""Letters of which an order has some, however its words are put together."""

_LONG_RUN: Final = 16

_HUMPS = late(r"[a-z][A-Z][a-z]{0,20}[A-Z]")
_HUMP = late(r"(?<=[a-z])(?=[A-Z])|_")
_NAME_FORM = late(
    r"(?<![A-Za-z_])(?:[A-Za-z]{1,20}(?:_[A-Za-z]{1,20}){2,60}|[A-Z]?[a-z]{1,20}(?:[A-Z][a-z]{0,20}){2,60})"
)
_RUN = late(r"(?<![A-Za-z])[A-Za-z][a-z]{15,400}(?![A-Za-z])")
_LINE_SIGNS: Final = r"[ \t>*+\-|#]*(?:\d{1,3}[.)])?[ \t|\[(]*"
_STACK = late(
    rf"(?m:^{_LINE_SIGNS}[A-Za-z']{{1,20}}[ \t|.,!:\])]*\n\s{{0,3}}){{3,60}}"
    rf"(?m:^{_LINE_SIGNS}[A-Za-z']{{1,20}}[ \t|.,!\])]*$)"
    rf"|(?m:^{_LINE_SIGNS}[{_HAN}]{{1,2}}[ \t|，。\])]*\n\s{{0,3}}){{3,80}}"
    rf"(?m:^{_LINE_SIGNS}[{_HAN}]{{1,2}}[ \t|，。\])]*$)"
)
_LINE_ENDS: Final = " \t>*+-|#0123456789.)[](,!:，。"
_SHORT_LINE: Final = 32
_LEAST_LINES: Final = 4
_STACKED_WORD = late(rf"[A-Za-z']+|[{_HAN}]+")
_MARKUP = late(
    r"(?P<gap><(?:br|p|/p|li|/li|td|/td)\s?/?>)|<!--[^<>]{0,200}-->"
    r"|</?[a-z]{1,10}(?:\s[^<>]{0,120})?/?>|&[a-z]{2,8};"
    r"|(?<=\w)(?:\*{1,3}|~~|`)(?=\w)|(?<=[a-z])-\n[ \t]*(?=[a-z])",
    re.IGNORECASE,
)
_MARK_INSIDE = late(r"[*~`](?<=\w.)[*~`]{0,2}\w|-\n(?<=[a-z]-\n)")
"""What of `_MARKUP` is not written with `<` or `&`, from a character that is rare."""
_PARAGRAPH = late(r"[^\n]{12,4000}(?:\n[^\n]{1,2000}){0,40}")
_LINE = late(r"[^\n]{10,2000}")
_ROT13_WORDS: Final = frozenset(
    codecs.encode(word, "rot13")
    for word in (
        "ignore", "previous", "instructions", "instruction", "system", "prompt", "disregard", "the",
        "bypass", "secret", "secrets", "password", "confirm", "reveal", "forget", "your", "all",
        "you", "now", "user", "never", "without", "send", "upload", "delete", "rules", "assistant",
    )
)  # fmt: skip
"""Words of orders after ROT13; `the` is in most sentences, and `gur` is no word."""

_BACKWARD_WORDS: Final = frozenset(
    word[::-1]
    for word in (
        "ignore", "previous", "instructions", "instruction", "prompt", "disregard", "bypass", "the",
        "secret", "secrets", "password", "confirm", "reveal", "forget", "your", "rules", "system",
        "you", "user", "without", "upload", "assistant", "restrictions", "never", "delete",
    )
)  # fmt: skip
_BACKWARD_HAN: Final = by_sign(
    ("略忽", "令指", "户用", "词示提", "钥密", "诉告", "制限", "在现你", "则规", "过绕")
)
_LEET_INSIDE = late(r"[0134578@$!|+](?<=[A-Za-z].)[0134578@$!|+]?[A-Za-z]")
_MANY_LEET: Final = 3
_LEET_TABLES: Final = tuple(
    str.maketrans("0134578@$!|+", f"o{one}eastba{dollar}i{bar}t")
    for one, dollar, bar in (("i", "s", "l"), ("l", "s", "i"))
)
_SPREAD_HAN = late(
    rf"(?=[{_HAN}]{{1,2}}[^{_HAN}\n])(?:"  # so that most places of a Chinese text fail at once
    rf"[{_HAN}](?P<between>[^{_HAN}\n]{{1,4}})(?:[{_HAN}](?P=between)){{3,200}}[{_HAN}]"
    rf"|[{_HAN}](?:[^{_HAN}\n\w，、。；：！？,.;:!?]{{1,8}}[{_HAN}]){{5,200}}"
    rf"|[{_HAN}](?:\([^\W\d_]{{1,8}}\)[{_HAN}]{{1,4}}){{2,100}}"
    rf"|[{_HAN}]{{2}}(?P<gap>[^{_HAN}\n\w，、。；：！？]{{1,3}})(?:[{_HAN}]{{1,2}}(?P=gap)){{3,200}}[{_HAN}]{{1,2}})"
)
_HAN_STEMS: Final = frozenset("忽无忘告密绕泄执令词户规管跳露删传发限")
_NOT_HAN = late(rf"[^{_HAN}]+")
_FORMS: Final = (
    _Form(_NAME, _has_name, _NAME_FORM, _split_name),
    _Form("words without spaces", _has_run, _RUN, _split_run),
    _Form("one word a line", _has_stack, _STACK, _unstack),
    _Form("marks between letters", _has_markup, _PARAGRAPH, _strip_markup),
    _Form("leet", _has_leet, _LINE, _unleet),
    _Form("ROT13", _has_rot13, _LINE, _unturn),
    _Form("reversed text", _has_backward, _LINE, _turn_back),
    _Form("characters set apart", _has_han, _SPREAD_HAN, _join_han),
    _Form("pinyin", _has_pinyin, _LINE, _read_pinyin),
)
