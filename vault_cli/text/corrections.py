"""Does a person correct the agent here? English and Chinese, without a model. Standard library.

Precision comes first: who is told of ten corrections of which four are none stops looking. So a
phrase counts only where a sentence may begin with it, questions count only as reproaches ("didn't
I tell you?"), what looks like a correction and is none ("no problem", 不用了谢谢) is taken out
first, and weak phrases ("use X instead") count only in a short answer to what the agent did.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import Final, NamedTuple

from vault_cli.plain.han_forms import SIMPLIFIED, TRADITIONAL
from vault_cli.text.correction_chinese import CHINESE, NOT_CHINESE, OPEN_ZH
from vault_cli.text.correction_english import ENGLISH, NOT_ENGLISH, OPEN_EN
from vault_cli.text.correction_phrase import Phrase
from vault_cli.text.late import late

MAX_HEAD: Final = 1500
MAX_TAIL: Final = 400
"""Characters at the beginning and at the end of a prompt that are looked at."""

_LONGEST: Final = 500
"""Characters of one sentence that are looked at."""

_SHORT_WORDS: Final = 40
"""Most words (two Chinese characters count as one) of a message in which weak phrases count."""

_FENCE: Final = late(r"^[ \t]*(`{3,}|~{3,}).*?(?:^[ \t]*\1[^\n]*$|\Z)", re.DOTALL | re.MULTILINE)
_QUOTE_LINE: Final = late(r"^[ \t]*>.*$", re.MULTILINE)
_CODE: Final = late(r"`[^`\n]{1,200}`")
_QUOTED: Final = late(r"\"[^\"\n]{1,200}\"|“[^”\n]{1,200}”|「[^」\n]{1,200}」|『[^』\n]{1,200}』")
_ADDRESS: Final = late(r"\b[a-z][a-z0-9+.-]{0,20}://\S+", re.IGNORECASE)
_LOG_LINE: Final = late(
    r"^[ \t]*(?:at |File \"|Traceback|E {2,}|[A-Z]\w*(?:Error|Exception)\b:?|\[?\d{4}-\d\d-\d\d|"
    r"\d\d:\d\d:\d\d|(?:error|warning|info|debug)[:\[]|[$#%] |\+{3} |-{3} |@@ ).*$",
    re.MULTILINE,
)
_SENTENCE: Final = late(r"[^.!?。！？\n;；]*(?:[!?。！？\n;；]+|\.(?=\s|$)|\.(?=\S)|$)")
_JOINED: Final = late(r"(?<=\S)\.(?=\S)")
_EXCLAMATION: Final = late(
    r"(?:no+|nope|nah|wait|stop|hey|hm+|ugh|ok|okay|well|sorry|please|(?:no[ ,]+){1,4}no|"
    r"不+|不是|停|错|等等|等一下|唉|哎)"
    r"\s*[.!。！\n]+",
    re.IGNORECASE,
)
"""What is no sentence of its own: it belongs to the next one."""

_QUESTION: Final = late(r"[?？]\s*$|[吗呢嘛么]\s*[。.]?\s*$")
_CLAUSE_ZH: Final = late(r"(?<=[,，、:：])")
_FORMS: Final = str.maketrans("，？！：；（）、" + TRADITIONAL, ",?!:;()," + SIMPLIFIED)
_HAN: Final = late("[\u3400-\u9fff]")
_WORD: Final = late(r"[A-Za-z0-9_'/.-]+")
_CONTRACTIONS: Final = (
    (late(r"[’‘`´]"), "'"),
    (late(r"\b(?:dont|don't)\b"), "do not"),
    (late(r"\b(?:doesnt|doesn't)\b"), "does not"),
    (late(r"\b(?:didnt|didn't)\b"), "did not"),
    (late(r"\b(?:isnt|isn't|ain't)\b"), "is not"),
    (late(r"\b(?:cannot|cant|can't)\b"), "can not"),
    (late(r"\bwon't\b"), "will not"),
    (late(r"n't\b"), " not"),
    (late(r"\b(?:thats|that's)\b"), "that is"),
    (late(r"\b(it|this|what|there|here|who|everything|nothing|one)'s\b"), r"\1 is"),
    (late(r"'re\b"), " are"),
    (late(r"'ve\b"), " have"),
    (late(r"'m\b"), " am"),
    (late(r"\bi'd\b"), "i had"),
    (late(r"\s+"), " "),
)


class Correction(NamedTuple):
    """A prompt that corrects the agent.

    Args:
        kind: `rejected`, `standing`, `repeated`, `unfixed`, `replaced` or `undone`.
        sentence: the sentence that says so, as it was typed.
    """

    kind: str
    sentence: str


def find_correction(text: str, *, first: bool = False, asked: bool = False) -> Correction | None:
    """Return how a prompt corrects the agent, None when it does not.

    Args:
        text: what a person typed.
        first: it begins a session: there is nothing yet that could "still" fail.
        asked: the agent had asked something: "no, use X" is an answer then.
    """
    plain = strip_foreign(text)
    short = _count_words(plain) <= _SHORT_WORDS
    weak: Correction | None = None
    for place, sentence in enumerate(split_sentences(plain)):
        found = _judge(sentence)
        if found is None:
            continue
        correction = Correction(found.kind, sentence.strip())
        if found.kind == "unfixed" and first:
            continue
        if not found.weak:
            return correction
        if weak is None and place < 2 and short and not first and not asked:  # noqa: PLR2004
            weak = correction
    return weak


def strip_foreign(text: str) -> str:
    """Return a prompt without what is not the person's own words: code, quotations, logs."""
    text = text.replace("\r", "")
    for pattern in (_FENCE, _QUOTE_LINE, _LOG_LINE):
        text = pattern.sub("", text)
    for pattern in (_QUOTED, _CODE, _ADDRESS):
        text = pattern.sub("x", text)
    text = text.strip()
    if len(text) <= MAX_HEAD + MAX_TAIL:
        return text
    return f"{text[:MAX_HEAD]}\n{text[-MAX_TAIL:]}"


def split_sentences(text: str) -> Iterator[str]:
    """Yield sentences with their ends; a dot within a word ends none."""
    guarded = _JOINED.sub("\u2024", text)
    before = ""
    for match in _SENTENCE.finditer(guarded):
        sentence = match.group().replace("\u2024", ".")[:_LONGEST]
        if not sentence.strip():
            continue
        if _EXCLAMATION.fullmatch(sentence.strip()):
            before = sentence.strip(" \n.!。！") + ", "
            continue
        yield before + sentence.lstrip()
        before = ""


def _judge(sentence: str) -> Phrase | None:
    """Return the phrase by which a sentence corrects, the strong before the weak."""
    asks = bool(_QUESTION.search(sentence))
    found = [
        phrase for phrase in (*_english(sentence), *_chinese(sentence)) if phrase.asks or not asks
    ]
    return min(found, key=lambda phrase: phrase.weak, default=None)


def _english(sentence: str) -> Iterator[Phrase]:
    if not re.search("[A-Za-z]{2}", sentence):
        return
    plain = plain_english(sentence)
    for pattern in _compiled_not(english=True):
        plain = pattern.sub("\u00b7", plain)
    for phrase, pattern in _compiled(english=True):
        if pattern.search(plain):
            yield phrase


def plain_english(sentence: str) -> str:
    """Return a sentence in lower case with its contractions written out."""
    plain = sentence.lower()
    for pattern, instead in _CONTRACTIONS:
        plain = pattern.sub(instead, plain)
    return plain.strip(" \t\n.,!;:()[]*_-")


def _chinese(sentence: str) -> Iterator[Phrase]:
    if not _HAN.search(sentence):
        return
    plain = plain_chinese(sentence).strip(" \n。！!.;；(（)）*_-")
    for pattern in _compiled_not(english=False):
        plain = pattern.sub("\u00b7", plain)
    starts = [plain, *_tails(plain)]
    for phrase, pattern in _compiled(english=False):
        if any(
            pattern.search(part) for part in starts[: 1 if phrase.weak or phrase.starts else None]
        ):
            yield phrase


def plain_chinese(sentence: str) -> str:
    """Return a sentence in simplified characters with plain commas and blanks."""
    return re.sub(r"\s+", " ", sentence.lower().translate(_FORMS))


def _tails(plain: str) -> Iterator[str]:
    """Yield what follows each comma: a clause may begin there."""
    for match in list(_CLAUSE_ZH.finditer(plain))[:12]:
        yield plain[match.end() :].lstrip()


def _count_words(text: str) -> float:
    return len(_WORD.findall(text)) + len(_HAN.findall(text)) / 2


@cache
def _compiled(*, english: bool) -> list[tuple[Phrase, re.Pattern[str]]]:
    phrases, opening = (ENGLISH, OPEN_EN) if english else (CHINESE, OPEN_ZH)
    return [(phrase, re.compile(phrase.pattern.replace("{open}", opening))) for phrase in phrases]


@cache
def _compiled_not(*, english: bool) -> list[re.Pattern[str]]:
    return [re.compile(pattern) for pattern in (NOT_ENGLISH if english else NOT_CHINESE)]
