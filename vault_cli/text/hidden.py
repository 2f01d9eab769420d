r"""Characters that nobody sees: find them, judge them, show them. Standard library only.

One judgement serves admission (which holds), the render (which drops or shows) and the
terminal (which shows): a flag of Scotland, a family emoji, a Persian or Hindi joiner are text;
a sentence in tag characters, an escape sequence or a split word are not.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Final, Literal, NamedTuple

from vault_cli.text.late import late

HiddenKind = Literal["control", "bidi", "tag", "break", "soft"]
Verdict = Literal["ok", "note", "hold"]

_SELECTOR: Final = "\ufe00-\ufe0f\U000e0100-\U000e01ef"
_MARK: Final = "\u200e\u200f\u061c"
_SOFT: Final = (
    _SELECTOR + _MARK + "\u00ad\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200d"
    "\u2060-\u2065\u206a-\u206f\u3164\ufeff\uffa0\ufff0-\ufffb\U0001bca0-\U0001bca3"
    "\U0001d173-\U0001d17a"
)
_TAG: Final = "\U000e0000-\U000e00ff\U000e01f0-\U000e0fff"
_BIDI: Final = "\u202a-\u202e\u2066-\u2069"
_CONTROL: Final = (
    "\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff"  # and a lone \r
)
_FLAGS: Final = tuple(
    "\U0001f3f4" + "".join(chr(0xE0000 + ord(letter)) for letter in place) + "\U000e007f"
    for place in ("gbeng", "gbsct", "gbwls")
)

INVISIBLE_CLASS: Final = _SOFT + _TAG + _BIDI
"""Inside of a regular-expression class: what shows nothing on a screen (controls apart)."""

ALARM_CLASS: Final = INVISIBLE_CLASS + _CONTROL + "\r\u2028\u2029"
"""The same with controls and line separators: a text without any of these has nothing hidden."""

NAME_CLASS: Final = _TAG + _BIDI + _MARK + _CONTROL + "\t\n\r\u2028\u2029\ufeff"
"""The same of what no file name may have: all that misleads, nothing that joins letters."""

_RUN = late(
    f"(?P<flag>{'|'.join(_FLAGS)})|(?P<tag>[{_TAG}]+)|(?P<bidi>[{_BIDI}]+)|(?P<soft>[{_SOFT}]+)"
    f"|(?P<break>[\u2028\u2029]+)|(?P<control>(?:[{_CONTROL}]|\r(?!\n))+)"
)
_EMOJI_RUN = late("[\ufe0e\ufe0f]?\u200d?")
_JOINERS = late("[\u200c\u200d]{1,2}")
_MARKS = late(f"[{_MARK}]+")
_SELECTORS = late(f"[{_SELECTOR}]")
_STRONG_SELECTORS = late("[\ufe00-\ufe0d\U000e0100-\U000e01ef]")
_HAN: Final = "[\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]"  # compiled on use: it is large
_LEFT_OVERS: Final = frozenset("\u00ad\u2060")
_LONG_RUN: Final = 8
"""A channel of zero-width bits needs at least this many characters; honest left-overs do not."""

_BYTE: Final = 0xFF
_FIRST_SELECTOR: Final = 0xFE00
_TAG_BASE: Final = 0xE0000
_STRONG_BASE: Final = 0xE0100


@lru_cache(maxsize=8)
def characters_of(text: str) -> str:
    """Return each different character of a text once, in no order.

    A class of single characters is looked for in these few instead of in the whole text; the
    last texts are remembered, as several scanners ask about each.
    """
    return "".join(set(text))


class HiddenRun(NamedTuple):
    """Neighbouring invisible characters of one kind, and what to think of them.

    Args:
        start, end: character offsets into the text.
        kind: `control`, `bidi`, `tag`, `break` (U+2028, U+2029) or `soft` (zero width).
        verdict: `ok` has a function here, `note` has none and does no harm, `hold` is a trick.
        in_word: whether letters of one cased word (Latin, Greek, Cyrillic) stand on both sides.
    """

    start: int
    end: int
    kind: HiddenKind
    verdict: Verdict
    in_word: bool = False


def may_hide(text: str) -> bool:
    """Tell whether anything in a text may be hidden: one look costs a tenth of telling what."""
    if text.isascii() and text.replace("\n", " ").replace("\t", " ").isprintable():
        return False
    return _ANY.search(text) is not None


def find_hidden(text: str) -> Iterator[HiddenRun]:
    """Yield the runs of hidden characters of a text in order, in linear time."""
    if not may_hide(text):
        return
    for match in _RUN.finditer(text):
        start, end = match.span()
        match match.lastgroup:
            case "soft":
                yield _judge_soft(text, start, end)
            case "break":
                yield HiddenRun(start, end, "break", "note")
            case "control":
                paging = set(match.group()) <= {"\f", "\v"}
                yield HiddenRun(start, end, "control", "note" if paging else "hold")
            case "bidi":
                yield HiddenRun(start, end, "bidi", "hold")
            case "tag":
                yield HiddenRun(start, end, "tag", "hold")


def _judge_soft(text: str, start: int, end: int) -> HiddenRun:
    run = text[start:end]
    before = text[start - 1] if start else ""
    after = text[end : end + 1]
    in_word = _is_cased(before) and _is_cased(after)
    return HiddenRun(
        start, end, "soft", _soft_verdict(run, before, after, in_word=in_word), in_word
    )


def _soft_verdict(run: str, before: str, after: str, *, in_word: bool) -> Verdict:
    if in_word:
        return "note" if set(run) <= _LEFT_OVERS and len(run) < _LONG_RUN else "hold"
    if _has_function(run, before, after):
        return "ok"
    selectors = len(_SELECTORS.findall(run))
    if selectors > 1 or _STRONG_SELECTORS.search(run) or len(run) >= _LONG_RUN:
        return "hold"
    return "note"


def _has_function(run: str, before: str, after: str) -> bool:
    """Whether the run shapes its neighbours: emoji, Han variants, Persian, Indic, RTL marks."""
    if _MARKS.fullmatch(run):
        return True
    if _JOINERS.fullmatch(run):
        return _is_wide(before) and _is_wide(after)
    if _EMOJI_RUN.fullmatch(run):
        return _takes_emoji_style(before) and ("\u200d" not in run or _is_wide(after))
    if len(run) == 1 and run in "\u115f\u1160\u034f":
        return _is_wide(before) or _is_wide(after)
    if len(run) == 1 and "\u180b" <= run <= "\u180f":
        return "\u1800" <= before <= "\u18af"
    return len(run) == 1 and bool(_STRONG_SELECTORS.match(run)) and _takes_variant(run, before)


def _is_cased(character: str) -> bool:
    return character.isalpha() and character.lower() != character.upper()


def _is_wide(character: str) -> bool:
    """Whether this is a visible character outside ASCII and its full-width forms."""
    return character > "\x7f" and _NARROW.match(character) is None


def _takes_emoji_style(character: str) -> bool:
    return (_is_wide(character) and not character.isalnum()) or character in set("0123456789#*")


def _takes_variant(selector: str, base: str) -> bool:
    if selector >= "\U000e0100":
        return bool(re.match(_HAN, base))
    return _is_wide(base) and not _is_cased(base)


def escape_visible(text: str) -> str:
    r"""Return every character of `text` as a visible escape: `\x1b`, `\u{202e}`."""
    return "".join(_escape(ord(character)) for character in text)


def _escape(code: int) -> str:
    return f"\\x{code:02x}" if code <= _BYTE else f"\\u{{{code:x}}}"


def decode_hidden(run: str) -> str:
    """Return what tag characters or variation selectors spell, as printable ASCII; else ""."""
    spelled = (chr(_decode_one(ord(character))) for character in run)
    return "".join(
        letter if letter.isascii() and letter.isprintable() else "·" for letter in spelled
    )


def _decode_one(code: int) -> int:
    if code < _TAG_BASE:
        return code - _FIRST_SELECTOR if code >= _FIRST_SELECTOR else 0
    if code < _STRONG_BASE:
        return code - _TAG_BASE
    # Selector 17 stands for byte 16: the usual way to carry bytes in variation selectors.
    return code - _STRONG_BASE + 16


def show_hidden(text: str) -> str:
    """Return text with tricks and controls (but newline and tab) escaped, functional ones kept."""
    return rewrite_hidden(text, soft_notes=False)


def show_every(text: str) -> str:
    """Return one-line text as `show_hidden`, left-overs that do nothing escaped too.

    For what others wrote about a change (names, subjects): nobody means to hide anything there.
    """
    return rewrite_hidden(text, soft_notes=False, show_notes=True)


def show_printable(text: str) -> str:
    """Return text on one line in which every character shows, the others escaped."""
    one_line = " ".join(text.split())
    return "".join(c if c.isprintable() else escape_visible(c) for c in one_line)


def rewrite_hidden(text: str, *, soft_notes: bool, show_notes: bool = False) -> str:
    """Return text with hidden characters made visible.

    Args:
        text: any text; CRLF may be in it and stays.
        soft_notes: True drops zero-width left-overs that do nothing (verdict `note`), so that
            what a model reads is what a person sees; False keeps them.
        show_notes: escape them instead.
    """
    parts: list[str] = []
    done = 0
    for run in find_hidden(text):
        raw = text[run.start : run.end]
        plain = escape_visible(raw) if show_notes else "" if soft_notes else raw
        parts.extend((text[done : run.start], _shown(raw, run, note=plain)))
        done = run.end
    return "".join((*parts, text[done:])) if parts else text


def _shown(raw: str, run: HiddenRun, *, note: str) -> str:
    """Return a run as it is shown; `note` stands for a left-over that does nothing."""
    if run.verdict == "ok":
        return raw
    if run.kind == "soft" and run.verdict == "note":
        return note
    return escape_visible(raw)


def drop_invisible(text: str) -> str:
    """Return text without any invisible or control character: for names and comparison."""
    return _ANY.sub("", text)


_ANY = late(f"[{ALARM_CLASS}]")
_NARROW = late(rf"[{ALARM_CLASS}\s\uff01-\uff5e]")
