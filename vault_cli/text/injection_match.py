"""Find the rules' concepts in a text and the rules in the concepts, in linear time.

A text is first looked at cheaply: which words of the vocabulary are in it at all, and is there
a rule whose every step has one near the rarest. Only then are places compared. A rule is
followed with a table of its steps, each remembering its latest place, so the work is words
times rules, whatever the text. Standard library only.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Container, Iterator
from functools import lru_cache
from typing import Final, NamedTuple

from vault_cli.text.fold import Folded, fold_characters, holds_any, join_spread
from vault_cli.text.injection_rules import Rule
from vault_cli.text.injection_vocabulary import BREAK, WORD, Lookup, Track, Vocabulary, vocabulary

LONGEST: Final = 65_536
"""Characters of one view that are scanned."""

_GUARD_REACH: Final = 40
_NEGATED_REACH: Final = 12
_PADDED: Final = 8
_LONG_WORD: Final = 12
_LONGEST_WORD: Final = 16
_PAIR: Final = 2
_FIRST_HAN: Final = "\u3400"


_SPREAD_SHARE: Final = 3
_EXCHANGED: Final = 2
_LETTER = re.compile(
    "[\u0250-\u02af\u0370-\u058f\u1d00-\u1dbf\u2100-\u214f\u2460-\u24ff\ua720-\ua7ff"
    "\uff10-\uff5a\U0001d400-\U0001d7ff\U0001f100-\U0001f1ff]|[a-z@][0134570@$]"
)

_LEET_WORD = re.compile(r"[a-z]*[013457][a-z]+[a-z0-9]*")
_LEET = (str.maketrans("013457", "oieast"), str.maketrans("013457", "oleast"))
_DEST = re.compile(
    r"https?://[^\s\"'<>)]{3}|(?<![\w/@.-])//\d{1,3}(?:\.\d{1,3}){3}"
    r"|(?<![\w.+-])[\w.+-]{1,64}@[\w-]{1,63}\.[a-z]{2,10}"
    r"|(?<![\w.])\d{1,3}(?:\.\d{1,3}){3}(?![\w.])|discord\.gg/|t\.me/|pastebin"
    r"|(?<![\w.@/-])(?:[a-z0-9-]{2,63}\.){1,4}(?:com|net|org|io|example|cn|xyz|ru|top|dev|app"
    r"|site|info|co|ai|me|cc|tk|test|invalid|online|tech)(?![\w.-]*\()(?![a-z0-9_-])",
    re.ASCII,
)
_KEYFILE = re.compile(
    r"(?<!\w)\.env(?![\w(]|\.(?:example|sample|template|dist))|(?<!\w)id_(?:rsa|ed25519|dsa)(?!\w)|/etc/(?:passwd|shadow)"
    r"|~/\.(?:ssh|aws|netrc|npmrc|pypirc|kube|docker|gnupg|config/gcloud|azure|git-credentials"
    r"|gcloud|bash_history|pgpass|cursor/mcp)|\.git-credentials|wallet\.dat|seed\.txt|\.netrc"
    r"|login data|\.pem(?!\w)|\.ssh/|\.aws/credentials|credentials\.json",
    re.ASCII,
)


_HARDKEY = re.compile(
    r"(?<!\w)id_(?:rsa|ed25519|dsa|ecdsa)(?!\w|\.pub)|/etc/shadow|\.aws/credentials"
    r"|\.git-credentials|\.netrc(?!\w)|wallet\.dat|\.ssh/?(?![\w/]|\.)|\.gnupg|\.pgpass|mcp\.json"
    r"|config[/\\]+sam(?!\w)|login data",
    re.ASCII,
)
_PATTERNS: Final = (("DEST", _DEST), ("KEYFILE", _KEYFILE), ("HARDKEY", _HARDKEY))
_DOT = re.compile(
    r"\.(?:env|ssh|aws|netrc|npmrc|pypirc|kube|docker|pem|git-|gcloud|azure|gnupg|pgpass|bash_h|cursor"
    r"|config|com|net|org|io|example|cn|xyz|ru|top|dev|app|site|info|co|ai|me|cc|tk|test|invalid|gg"
    r"|online|tech|json|txt|dat|\d)"
)
_MARKS: Final = ("//", "@", "/etc/", "id_", "pastebin", "login data", "\\sam", "/sam")


def _has_mark(text: str) -> bool:
    """Whether one of the patterns may match, judged by what they must contain."""
    return _DOT.search(text) is not None or holds_any(text, _MARKS)


class Hit(NamedTuple):
    """A rule that a text meets; offsets in the original text.

    Args:
        rule: the rule.
        start, end: the span of its steps.
        disguised: whether folding changed more than case and spaces of the span.
    """

    rule: Rule
    start: int
    end: int
    disguised: bool


class _Place(NamedTuple):
    start: int
    end: int
    mask: int


class _Span(NamedTuple):
    rule: Rule
    start: int
    end: int


@lru_cache(maxsize=8)
def find_hits(text: str) -> tuple[Hit, ...]:
    """Return the rules a text meets, in the order of the text, one hit per rule.

    Only the first `LONGEST` characters are looked at. The last few texts are remembered, as two
    scanners ask about each.
    """
    folded = fold_characters(text[:LONGEST])
    if (joined := join_spread(folded)) is not folded:
        folded = _part_words(joined)
    rare = _concepts(folded.text, vocabulary().rare)[1]
    marked = _has_mark(folded.text)
    if not rare and not marked:
        return ()
    found: dict[str, _Span] = {}
    for start, sentence in _sentences(folded.text):
        has_mark = marked and _has_mark(sentence)
        if has_mark or holds_any(sentence, rare):
            for span in _match(sentence, found, has_mark=has_mark):
                moved = _Span(span.rule, span.start + start, span.end + start)
                found.setdefault(span.rule.name, moved)
    spans = sorted(found.values(), key=lambda span: (span.start, span.end))
    return tuple(_original(text, folded, span) for span in spans)


def _part_words(folded: Folded) -> Folded:
    """Return a folded text with the words in a run of letters parted (`ignoreprevious`)."""
    words = vocabulary().words
    cuts: list[int] = []
    for match in WORD.finditer(folded.text):
        run = match.group()
        if len(run) > _LONG_WORD and run.isalpha() and run not in words:
            cuts += [match.start() + at for at in _word_ends(run, words)]
    if not cuts or folded.offsets is None:
        return folded
    parts, offsets, done = [], [], 0
    for cut in cuts:
        parts.append(folded.text[done:cut] + " ")
        offsets += [*folded.offsets[done:cut], folded.offsets[cut - 1]]
        done = cut
    return Folded(
        "".join((*parts, folded.text[done:])), offsets + folded.offsets[done:], folded.length
    )


def _word_ends(run: str, words: Container[str]) -> Iterator[int]:
    """Yield where words of the vocabulary begin or end in a run of letters, longest first."""
    at = cut = 0
    while at < len(run):
        for size in range(min(_LONGEST_WORD, len(run) - at), 3, -1):
            if run[at : at + size] in words:
                if at > cut:
                    yield at
                at = cut = at + size
                if cut < len(run):
                    yield cut
                break
        else:
            at += 1


def _sentences(text: str) -> Iterator[tuple[int, str]]:
    start = 0
    for match in BREAK.finditer(text):
        yield start, text[start : match.start()]
        start = match.end()
    yield start, text[start:]


def _original(text: str, folded: Folded, span: _Span) -> Hit:
    start, end = folded.origin(span.start, span.end)
    return Hit(span.rule, start, end, _is_disguised(text[start:end], folded, span))


def _is_disguised(raw: str, folded: Folded, span: _Span) -> bool:
    """Whether letters were exchanged, or words spread; other Han forms and accents are neither."""
    plain = folded.text[span.start : span.end]
    if len(raw) > len(plain) + len(plain) // _SPREAD_SHARE:
        return True
    letters = set(_LETTER.findall(raw.lower()))
    return bool(letters) and len(letters - set(plain)) >= _EXCHANGED


def _seen(tokens: list[str], lookup: Lookup) -> tuple[int, list[str]]:
    """Return the concepts that have a word or phrase in a text, and these words."""
    words = set(tokens)
    keys = words & lookup.keys.keys()
    joined = f" {' '.join(tokens)} " if keys else ""
    found = [
        (word, mask)
        for word in keys
        for other, entry, mask in lookup.keys[word]
        if not other or (other in words and entry in joined)
    ]
    for word in words:
        if not word.isalpha() and _LEET_WORD.fullmatch(word):
            for table in _LEET:
                plain = lookup.keys.get(word.translate(table), ())
                found += [(word, mask) for _, _, mask in plain]
    present = 0
    for _, mask in found:
        present |= mask
    return present, [word for word, _ in found]


def _seen_han(text: str, lookup: Lookup) -> tuple[int, list[str]]:
    """Return the same of Chinese words."""
    present = 0
    found = []
    for first, rest in lookup.starts.findall(text):
        for word, mask in lookup.han.get(first + rest[0], ()):
            if len(word) == _PAIR or rest.startswith(word[1:]):
                present |= mask
                found.append(word)
    for word, mask in lookup.single:
        if word in text:
            present |= mask
            found.append(word)
    return present, found


def _concepts(text: str, lookup: Lookup) -> tuple[int, list[str]]:
    present, found = _seen(WORD.findall(text), lookup)
    if text.isascii():
        return present, found
    also, others = _seen_han(text, lookup)
    return present | also, found + others


def _match(sentence: str, found: Container[str], *, has_mark: bool) -> Iterator[_Span]:
    """Yield the rules that one sentence meets, but for those found already."""
    book = vocabulary()
    possible = _possible(_concepts(sentence, book.all)[0] | (book.marked if has_mark else 0))
    tracks = [track for track in possible if track.rule.name not in found]
    if not tracks:
        return
    places = _places(sentence, book, book.guards | _wanted(tracks))
    present = 0
    for place in places:
        present |= place.mask
    guards = [place for place in places if place.mask & book.guards]
    negated = _negated(places, guards)
    for track in tracks:
        if not track.unless & present and all(step & present for step in track.steps):
            span = _run_track(sentence, track, places, guards, negated)
            if span:
                yield span


def _possible(present: int) -> list[Track]:
    """Return the tracks whose every step has a concept among those present."""
    return [
        track
        for anchor, tracks in vocabulary().anchored
        if anchor & present
        for track in tracks
        if all(step & present for step in track.steps)
    ]


def _wanted(tracks: list[Track]) -> int:
    wanted = 0
    for track in tracks:
        wanted |= track.unless
        for step in track.steps:
            wanted |= step
    return wanted


def _run_track(
    text: str, track: Track, places: list[_Place], guards: list[_Place], negated: dict[_Place, int]
) -> _Span | None:
    """Return the first span in which the steps follow each other, unguarded."""
    steps, last = track.steps, len(track.steps) - 1
    any_step = 0
    for step in steps:
        any_step |= step
    state: list[tuple[int, int] | None] = [None] * len(steps)
    for place in places:
        if not any_step & place.mask:
            continue
        if track.rule.guard and place in negated and not negated[place] & any_step:
            continue
        for at in range(last, -1, -1):
            before = state[at - 1] if at else (place.start, place.start)
            if not steps[at] & place.mask or before is None:
                continue
            if at == 0 or _near(text, track.rule, before[1], place.start):
                state[at] = (before[0], place.end)
                if at == last:
                    span = _Span(track.rule, before[0], place.end)
                    if not (track.rule.guard and _guarded(span, guards)):
                        return span
    return None


def _near(text: str, rule: Rule, end: int, start: int) -> bool:
    """Whether a step that starts at `start` follows one that ended at `end`."""
    han = text[end - 1] >= _FIRST_HAN
    most = rule.gap * 2 // 3 if han else rule.gap
    gap = start - end
    if most < gap < _PADDED * most:  # do not let spaces carry a step out of reach
        gap = len(" ".join(text[end:start].split())) + 2
    return (-1 if han else 0) <= gap <= most  # Chinese words may share a character


def _negated(places: list[_Place], guards: list[_Place]) -> dict[_Place, int]:
    """Return the places right behind a negation (`secrets must never be sent`), and which."""
    found = {}
    at = 0
    for place in places:
        while at < len(guards) and guards[at].end <= place.start:
            at += 1
        if at and place.start - guards[at - 1].start <= _NEGATED_REACH:
            found[place] = guards[at - 1].mask
    return found


def _guarded(span: _Span, guards: list[_Place]) -> bool:
    """Whether a negation or a word of defence shortly before takes the harm out of a span."""
    at = bisect_left(guards, (span.start - _GUARD_REACH,))
    for place in guards[at : at + _GUARD_REACH]:
        if place.start >= span.start:
            return False
        if place.end <= span.end:
            return True
    return False


def _places(text: str, book: Vocabulary, wanted: int) -> list[_Place]:
    places = list(_latin_places(text, book, wanted))
    if not text.isascii():
        places.extend(_han_places(text, book, wanted))
    for name, pattern in _PATTERNS:
        if book.bits[name] & wanted:
            places.extend(_Place(*m.span(), book.bits[name]) for m in pattern.finditer(text))
    places.sort()
    return places


def _latin_places(text: str, book: Vocabulary, wanted: int) -> Iterator[_Place]:
    tokens = list(WORD.finditer(text))
    words = [_plain(match.group(), book) for match in tokens]
    silent = 0  # words before this one are part of a phrase that means nothing
    for at, word in enumerate(words):
        start = tokens[at].start()
        phrases = [
            (at + len(rest) + 2, mask)
            for rest, mask in book.phrases.get(tuple(words[at : at + 2]), ())
            if tuple(words[at + 2 : at + 2 + len(rest)]) == rest
        ]
        silent = max((silent, *(end for end, mask in phrases if not mask)))
        if at < silent:
            continue
        for end, mask in phrases:
            if mask & wanted:
                yield _Place(start, tokens[end - 1].end(), mask & wanted)
        mask = book.words.get(word, 0)
        if mask & wanted:
            yield _Place(start, tokens[at].end(), mask & wanted)


def _plain(word: str, book: Vocabulary) -> str:
    if word.isalpha() or word in book.words or not _LEET_WORD.fullmatch(word):
        return word
    plain = [word.translate(table) for table in _LEET]
    return next((form for form in plain if form in book.words), plain[0])


def _han_places(text: str, book: Vocabulary, wanted: int) -> Iterator[_Place]:
    spans: dict[tuple[int, int], int] = {}
    words = {word for word in _seen_han(text, book.all)[1] if book.han[word] & wanted}
    for word in (*words, *book.silent):
        at = text.find(word)
        while at >= 0:
            spans[at, at + len(word)] = book.han[word] & wanted
            at = text.find(word, at + 1)
    covered = bytearray(len(text))
    for (start, end), mask in spans.items():
        if not mask:
            covered[start:end] = b"\x01" * (end - start)
    for (start, end), mask in spans.items():
        if mask and not all(covered[start:end]):
            yield _Place(start, end, mask)
