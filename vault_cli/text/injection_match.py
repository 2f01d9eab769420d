"""Find the rules' concepts in a text and the rules in the concepts, in linear time.

A text is first looked at cheaply: which words of the vocabulary are in it at all, and is there
a rule whose every step has one; then the same of each sentence that has the rarest step of such
a rule. Only then are places compared. A rule is followed with a table of its steps, each
remembering its latest place, so the work is words times rules, whatever the text. Standard
library only.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Container, Iterator
from functools import lru_cache
from typing import Final, NamedTuple

from vault_cli.text.fold import Folded, drop_emphasis, fold_characters, holds_any, join_spread
from vault_cli.text.injection_concepts import (
    find_concepts,
    join_masks,
    marked_concepts,
)
from vault_cli.text.injection_places import Place, find_places
from vault_cli.text.injection_rules import Rule
from vault_cli.text.injection_sentences import sentences
from vault_cli.text.injection_vocabulary import (
    WORD,
    Track,
    Vocabulary,
    spellings,
    vocabulary,
)
from vault_cli.text.late import late
from vault_cli.text.run_words import LONGEST_RUN, part_run

LONGEST: Final = 65_536
"""Characters of one view that are scanned."""

BETWEEN: Final = "\n\n;\n\n"
"""Joins texts so that nothing is found across: it ends sentences, words and encodings."""

_GUARD_REACH: Final = 40
_EXCUSE_REACH: Final = 40
_MOST_ITEMS: Final = 6
_LONGEST_ITEM: Final = 40
_OR = late(r",\s(?:or|nor)\s")
_NEGATED_REACH: Final = 12
_PADDED: Final = 8
_LONG_WORD: Final = 12
_SHORT_WORD: Final = 4
_MOST_PARTED: Final = 8192
"""Letters of words without spaces that are parted in one text."""
_FIRST_HAN: Final = "\u3400"


_SPREAD_SHARE: Final = 3
_EXCHANGED: Final = 2
_FEWEST_APART: Final = 3
_LONGEST_APART: Final = 400
_LATIN_WORD = late("[A-Za-z]+")
_PLAIN_GAP = late(r"[A-Za-z][*_]{0,3}[ \t]+[*_]{0,3}[A-Za-z]|[\u3400-\u9fff]{2}")
"""Words with spaces between them; emphasis hides nothing."""
_OTHER_SCRIPT = late("[\u0370-\u058f]")
_LETTER = late(
    "[\u0250-\u02af\u0370-\u058f\u1d00-\u1dbf\u2100-\u214f\u2460-\u24ff\ua720-\ua7ff"
    "\uff10-\uff5a\U0001d400-\U0001d7ff\U0001f100-\U0001f1ff]|[a-z@][0134570@$]"
)


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


class _Scene(NamedTuple):
    """The places of one sentence.

    Args:
        text: the sentence.
        places: in its order.
        guards: those that make a rule harmless.
        kinds: the different pairs of concepts and negation right before; there are few.
        kind_of: for each place the number of its pair.
    """

    text: str
    places: list[Place]
    guards: list[Place]
    kinds: list[tuple[int, int]]
    kind_of: list[int]


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
    folded, _ = _fold(text[:LONGEST])
    book = vocabulary()
    words = find_concepts(folded.text, book.all)
    marked = marked_concepts(folded.text, book)
    tracks = _possible(join_masks(words) | marked, book)
    if not tracks:
        return ()
    anchors = 0
    for track in tracks:
        anchors |= track.anchor
    marked &= _wanted(tracks)
    marks = marked & anchors
    rare = [word for word, mask in words if mask & anchors]
    found: dict[str, _Span] = {}
    asked: set[str] = set()
    for start, sentence in sentences(folded.text):
        if sentence in asked:  # whatever rules it meets are found by now
            continue
        asked.add(sentence)
        if (marks and marked_concepts(sentence, book, marks)) or holds_any(sentence, rare):
            for span in _match(sentence, tracks, words, found, marked=marked):
                moved = _Span(span.rule, span.start + start, span.end + start)
                found.setdefault(span.rule.name, moved)
    spans = sorted(found.values(), key=lambda span: (span.start, span.end))
    return tuple(_original(text, folded, span) for span in spans)


def has_spread(text: str) -> bool:
    """Whether letters of a text stand apart, so that it is put together before it is read."""
    return _fold(text)[1]


def fold_plain(text: str) -> str:
    """Return the folded text that the rules are asked of."""
    return _fold(text)[0].text


@lru_cache(maxsize=8)
def _fold(text: str) -> tuple[Folded, bool]:
    """Return the folded text, and whether words were put together and parted again."""
    folded = fold_characters(text)
    if (joined := join_spread(folded)) is not folded:
        return _part_words(drop_emphasis(joined)), True
    return drop_emphasis(folded), False


def _part_words(folded: Folded) -> Folded:
    """Return a folded text with the words in a run of letters parted (`ignoreprevious`)."""
    book = vocabulary()
    if folded.offsets is None:
        return folded
    cuts: list[int] = []
    budget = _MOST_PARTED
    for match in WORD.finditer(folded.text):
        run, (start, end) = match.group(), match.span()
        if not run.isalpha() or run in book.words or budget < 0:
            continue
        put_together = folded.offsets[end - 1] - folded.offsets[start] >= len(run)
        if len(run) > (_SHORT_WORD if put_together else _LONG_WORD):
            cuts += [start + at for at in part_run(run, spellings())]
            budget -= min(len(run), LONGEST_RUN)
    if not cuts:
        return folded
    parts, offsets, done = [], [], 0
    for cut in cuts:
        parts.append(folded.text[done:cut] + " ")
        offsets += [*folded.offsets[done:cut], folded.offsets[cut - 1]]
        done = cut
    return Folded(
        "".join((*parts, folded.text[done:])), offsets + folded.offsets[done:], folded.length
    )


def _original(text: str, folded: Folded, span: _Span) -> Hit:
    start, end = folded.origin(span.start, span.end)
    return Hit(span.rule, start, end, _is_disguised(text[start:end], folded, span))


def _is_disguised(raw: str, folded: Folded, span: _Span) -> bool:
    """Whether letters were exchanged, or words spread; other Han forms and accents are neither."""
    plain = folded.text[span.start : span.end]
    if len(raw) > len(plain) + len(plain) // _SPREAD_SHARE or _is_set_apart(raw):
        return True
    if _OTHER_SCRIPT.search(plain) is not None:  # a word of that language, no look-alike
        return False
    letters = set(_LETTER.findall(raw.lower()))
    return bool(letters) and len(letters - set(plain)) >= _EXCHANGED


def _is_set_apart(raw: str) -> bool:
    """Whether the same mark stands between any two words (`ignore|all|rules`, `**all** **rules**`).

    In code there are different ones.
    """
    return (
        len(raw) <= _LONGEST_APART
        and len(_LATIN_WORD.findall(raw)) >= _FEWEST_APART
        and _PLAIN_GAP.search(raw) is None
        and len(set(_LATIN_WORD.split(raw)[1:-1])) == 1
    )


def _match(
    sentence: str,
    among: list[Track],
    words: list[tuple[str, int]],
    found: Container[str],
    *,
    marked: int,
) -> Iterator[_Span]:
    """Yield the rules that one sentence meets, but for those found already.

    Args:
        sentence: part of a folded text.
        among: the tracks that the whole text may meet.
        words: those of the vocabulary in the whole text, with their concepts.
        found: names of rules met before.
        marked: concepts of patterns that may match in the text.
    """
    book = vocabulary()
    here = [word for word in words if word[0] in sentence]
    present = join_masks(here) | (marked and marked_concepts(sentence, book, marked))
    tracks = [
        track
        for track in among
        if track.anchor & present
        and all(step & present for step in track.steps)
        and track.rule.name not in found
    ]
    if not tracks:
        return
    places = find_places(sentence, book, here, book.guards | _wanted(tracks))
    present = 0
    for place in places:
        present |= place.mask
    scene = _scene(sentence, places, book)
    for track in tracks:
        if all(step & present for step in track.steps):
            span = _run_track(scene, track)
            if span and not (track.unless & present and _excused(span, track.unless, places)):
                yield span


def _scene(text: str, places: list[Place], book: Vocabulary) -> _Scene:
    guards = _guards(places, book)
    numbers: dict[tuple[int, int], int] = {}
    kind_of = [
        numbers.setdefault((place.mask, negation), len(numbers))
        for place, negation in zip(places, _negated(places, guards), strict=True)
    ]
    return _Scene(text, places, guards, list(numbers), kind_of)


def _guards(places: list[Place], book: Vocabulary) -> list[Place]:
    """Return the words that take harm out of what follows.

    A negation inside a word that drops an order (`do not follow`, `不要理会`) is the harm itself.
    """
    drops = [place for place in places if place.mask & book.bits["IGNORE"]]
    guards, at, reach = [], 0, 0
    for guard in (place for place in places if place.mask & book.guards):
        while at < len(drops) and drops[at].start <= guard.start:
            reach = max(reach, drops[at].end)
            at += 1
        if reach <= guard.end:
            guards.append(guard)
    return guards


def _possible(present: int, book: Vocabulary) -> list[Track]:
    """Return the tracks whose every step has a concept among those present."""
    found: list[Track] = []
    if not present:
        return found
    for anchor, tracks in book.anchored:
        if anchor & present:
            for track in tracks:
                for step in track.steps:  # `all` takes three times as long here
                    if not step & present:
                        break
                else:
                    found.append(track)
    return found


def _wanted(tracks: list[Track]) -> int:
    wanted = 0
    for track in tracks:
        wanted |= track.unless
        for step in track.steps:
            wanted |= step
    return wanted


def _run_track(scene: _Scene, track: Track) -> _Span | None:
    """Return the first span in which the steps follow each other, unguarded."""
    rule, last = track.rule, len(track.steps) - 1
    fits = [_steps_of(track, mask, negation) for mask, negation in scene.kinds]
    if len({at for among in fits for at in among}) <= last:
        return None
    state: list[tuple[int, int] | None] = [None] * (last + 1)
    for (start, end, _), kind in zip(scene.places, scene.kind_of, strict=True):
        for at in fits[kind]:
            before = state[at - 1] if at else (start, start)
            if before is None or (at and not _near(scene.text, rule, before[1], start)):
                continue
            state[at] = (before[0], end)
            if at == last:
                span = _Span(rule, before[0], end)
                if not (
                    rule.guard and (_guarded(span, scene.guards) or _in_negated_list(scene, span))
                ):
                    return span
    return None


def _steps_of(track: Track, mask: int, negation: int) -> tuple[int, ...]:
    """Return which steps a place with these concepts can be, the last first."""
    if negation and track.rule.guard and not any(step & negation for step in track.steps):
        return ()
    return tuple(at for at in range(len(track.steps) - 1, -1, -1) if track.steps[at] & mask)


def _near(text: str, rule: Rule, end: int, start: int) -> bool:
    """Whether a step that starts at `start` follows one that ended at `end`."""
    han = text[end - 1] >= _FIRST_HAN
    most = rule.gap * 2 // 3 if han else rule.gap
    gap = start - end
    if most < gap < _PADDED * most:  # do not let spaces carry a step out of reach
        gap = len(" ".join(text[end:start].split())) + 2
    return (-1 if han else 0) <= gap <= most  # Chinese words may share a character


def _negated(places: list[Place], guards: list[Place]) -> list[int]:
    """Return for each place the negation right before it (`secrets must never be sent`), or 0."""
    found = []
    at = 0
    for start, _, _ in places:
        while at < len(guards) and guards[at].end <= start:
            at += 1
        close = at and start - guards[at - 1].start <= _NEGATED_REACH
        found.append(guards[at - 1].mask if close else 0)
    return found


def _excused(span: _Span, unless: int, places: list[Place]) -> bool:
    """Whether a word that makes a rule harmless stands in the span or close to it."""
    first, last = span.start - _EXCUSE_REACH, span.end + _EXCUSE_REACH
    return any(place.mask & unless and first <= place.start <= last for place in places)


def _guarded(span: _Span, guards: list[Place]) -> bool:
    """Whether a negation or a word of defence shortly before takes the harm out of a span."""
    at = bisect_left(guards, (span.start - _GUARD_REACH,))
    for place in guards[at : at + _GUARD_REACH]:
        if place.start >= span.start:
            break
        if place.end <= span.end:
            return True
    return False


def _in_negated_list(scene: _Scene, span: _Span) -> bool:
    """Whether a span is an item of a list that begins with a negation (`never A, B, or C`)."""
    at = bisect_left(scene.guards, (span.start,)) - 1
    if at < 0:
        return False
    items = scene.text[scene.guards[at].end : span.start].split(",")
    if not items[1:] or len(items) > _MOST_ITEMS or max(map(len, items)) > _LONGEST_ITEM:
        return False
    last = scene.text[max(0, span.start - _LONGEST_ITEM) : span.end + _LONGEST_ITEM]
    return _OR.search(last) is not None
