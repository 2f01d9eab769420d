"""Find the rules' concepts in a text and the rules in the concepts, in linear time.

A text is first looked at cheaply: which words of the vocabulary are in it at all, and is there
a rule whose every step has one. Only then are places compared. A rule is followed by a table of
its steps, each remembering its latest place, so the work is words times rules, whatever the
text. Standard library only.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import permutations
from typing import Final, NamedTuple

from vault_cli.text.fold import Folded, fold_map, is_plain
from vault_cli.text.injection_rules import RULES, Rule
from vault_cli.text.injection_words import COMMON, CONCEPTS, NO_CONCEPT

LONGEST: Final = 65_536
"""Characters of one view that are scanned."""

_WORD = re.compile(r"[a-z0-9_][a-z0-9_']*")
_HAN = re.compile("[\u3400-\u9fff]")
_DIGIT_IN_WORD = re.compile(r"[a-z][013457@$][a-z]|\b[013457@$][a-z]{2}")
_LEET = str.maketrans("013457@$", "oleastas")
_BREAK = re.compile(r"[.!?](?=[\s\"')\]]|$)|[。！？；;]|\n[ \t]*(?=[-*#>+\n]|\d{1,3}[.)])")
_DEST = re.compile(
    r"https?://[^\s\"'<>)]{3}|(?<![\w/@.-])//\d{1,3}(?:\.\d{1,3}){3}"
    r"|[\w.+-]{1,64}@[\w-]{1,63}\.[a-z]{2,10}|(?<![\w.])\d{1,3}(?:\.\d{1,3}){3}(?![\w.])"
    r"|(?<![\w.@/-])(?:[a-z0-9-]{2,63}\.){1,4}(?:com|net|org|io|example|cn|xyz|ru|top|dev|app|site"
    r"|info|co|ai|me|cc|tk|test|invalid|sh|online|tech)(?![\w.-]*\()(?![a-z0-9_-])"
    r"|discord\.gg/|t\.me/|pastebin"
)
_KEYFILE = re.compile(
    r"(?<![\w])\.env(?![\w(])|~/\.(?:ssh|aws|netrc|npmrc|pypirc|kube|docker|gnupg|config/gcloud|azure"
    r"|git-credentials|gcloud|bash_history|pgpass|cursor/mcp)|(?<!\w)id_(?:rsa|ed25519|dsa)(?!\w)"
    r"|/etc/(?:passwd|shadow)|\.git-credentials|wallet\.dat|seed\.txt|\.netrc|login data|\.pem(?!\w)"
    r"|\.ssh/|\.aws/credentials|credentials\.json"
)


class Hit(NamedTuple):
    """A rule that a text meets; offsets in the original text."""

    rule: Rule
    start: int
    end: int
    disguised: bool


class _Place(NamedTuple):
    start: int
    end: int
    mask: int


class _Track(NamedTuple):
    rule: Rule
    steps: tuple[int, ...]
    unless: int


class _Vocabulary(NamedTuple):
    bits: dict[str, int]
    words: dict[str, int]
    phrases: dict[str, tuple[tuple[tuple[str, ...], int], ...]]
    han: dict[str, tuple[tuple[str, int], ...]]
    tracks: tuple[_Track, ...]
    anchored: tuple[tuple[int, tuple[_Track, ...]], ...]


def find_hits(text: str) -> list[Hit]:
    """Return the rules a text meets, in the order of the text, one hit per rule."""
    if len(text) > LONGEST:
        text = text[:LONGEST]
    plain = is_plain(text)
    folded = Folded(text.lower(), None, len(text)) if plain else fold_map(text)
    if plain and len(folded.text) != len(text):
        folded = fold_map(text)
    tracks = _candidates(folded.text)
    if not tracks:
        return []
    folded = fold_map(text)
    return [_original(text, folded, *found) for found in _follow(folded.text, tracks)]


def _original(text: str, folded: Folded, rule: Rule, start: int, end: int) -> Hit:
    first, last = folded.origin(start, end)
    raw = text[first:last].lower()
    return Hit(rule, first, last, _squeeze(raw) != _squeeze(folded.text[start:end]))


def _squeeze(text: str) -> str:
    return "".join(text.split())


def _candidates(text: str) -> list[_Track]:
    """Return the tracks whose every step has a word somewhere in the text."""
    book = _vocabulary()
    words = set(_WORD.findall(text))
    present = 0
    for word in words & book.words.keys():
        present |= book.words[word]
    for word in words & book.phrases.keys():
        for rest, mask in book.phrases[word]:
            if words.issuperset(rest):
                present |= mask
    if not text.isascii():
        for first in set(text) & book.han.keys():
            for word, mask in book.han[first]:
                if mask & ~present and word in text:
                    present |= mask
    if _DIGIT_IN_WORD.search(text):
        for word in words:
            present |= book.words.get(word.translate(_LEET), 0)
    if _DEST.search(text):
        present |= book.bits["DEST"]
    if _KEYFILE.search(text):
        present |= book.bits["KEYFILE"]
    return [
        track
        for anchor, tracks in book.anchored
        if anchor & present
        for track in tracks
        if all(step & present for step in track.steps)
    ]


def _follow(text: str, tracks: list[_Track]) -> Iterator[tuple[Rule, int, int]]:
    book = _vocabulary()
    neg, defend = book.bits["NEG"], book.bits["DEFEND"]
    wanted = neg | defend
    for track in tracks:
        wanted |= track.unless
        for step in track.steps:
            wanted |= step
    places = _places(text, wanted)
    found: dict[str, tuple[Rule, int, int]] = {}
    for clause in _clauses(text, places):
        present = 0
        for place in clause:
            present |= place.mask
        for track in tracks:
            if track.rule.name in found or not all(step & present for step in track.steps):
                continue
            if track.unless & present:
                continue
            span = _run_track(text, track, clause, neg | defend)
            if span:
                found[track.rule.name] = (track.rule, *span)
    yield from sorted(found.values(), key=lambda item: item[1])


def _run_track(
    text: str, track: _Track, clause: list[_Place], guards: int
) -> tuple[int, int] | None:
    steps, last = track.steps, len(track.steps) - 1
    state: list[tuple[int, int] | None] = [None] * len(steps)
    for place in clause:
        for at in range(last, -1, -1):
            if not steps[at] & place.mask:
                continue
            if at == 0:
                state[0] = (place.start, place.end)
            else:
                before = state[at - 1]
                if before is None or not _near(text, track.rule, before[1], place.start):
                    continue
                state[at] = (before[0], place.end)
            if at == last:
                span = state[at]
                if span and not (track.rule.guard and _guarded(clause, span, guards)):
                    return span
    return None


def _near(text: str, rule: Rule, end: int, start: int) -> bool:
    gap = rule.gap // 2 if text[end - 1] >= "\u3400" else rule.gap
    return 0 <= start - end <= gap


def _guarded(clause: list[_Place], span: tuple[int, int], guards: int) -> bool:
    start, end = span
    return any(
        place.mask & guards
        and place.end <= end
        and start - place.end <= 40
        and not (place.start == start)
        for place in clause
    )


def _clauses(text: str, places: list[_Place]) -> Iterator[list[_Place]]:
    breaks = [match.start() for match in _BREAK.finditer(text)]
    at = 0
    clause: list[_Place] = []
    for place in places:
        moved = False
        while at < len(breaks) and breaks[at] < place.start:
            at += 1
            moved = True
        if moved and clause:
            yield clause
            clause = []
        clause.append(place)
    if clause:
        yield clause


def _places(text: str, wanted: int) -> list[_Place]:
    book = _vocabulary()
    places = list(_latin_places(text, book, wanted))
    if not text.isascii():
        places.extend(_han_places(text, book, wanted))
    for name, pattern in (("DEST", _DEST), ("KEYFILE", _KEYFILE)):
        if book.bits[name] & wanted:
            places.extend(_Place(*m.span(), book.bits[name]) for m in pattern.finditer(text))
    places.sort()
    return places


def _latin_places(text: str, book: _Vocabulary, wanted: int) -> Iterator[_Place]:
    tokens = [(match.group(), match.start(), match.end()) for match in _WORD.finditer(text)]
    leet = _DIGIT_IN_WORD.search(text) is not None
    at = 0
    while at < len(tokens):
        word, start, end = tokens[at]
        if leet and word not in book.words and not word.isalpha():
            word = word.translate(_LEET)
        best, mask = 1, book.words.get(word, 0)
        for rest, phrase_mask in book.phrases.get(word, ()):
            size = len(rest) + 1
            if size >= best and tuple(t[0] for t in tokens[at + 1 : at + size]) == rest:
                best, mask = size, (mask | phrase_mask if size == best else phrase_mask)
        if mask & wanted:
            yield _Place(start, tokens[at + best - 1][2], mask & wanted)
        elif not mask and best == 1 and len(word) > 12 and word.isalpha():
            yield from _segments(word, start, book, wanted)
        at += best


def _segments(word: str, start: int, book: _Vocabulary, wanted: int) -> Iterator[_Place]:
    """Words of the vocabulary inside a run of letters (`ignoreprevious`), longest first."""
    at = 0
    while at < len(word):
        for size in range(min(16, len(word) - at), 3, -1):
            mask = book.words.get(word[at : at + size], 0)
            if mask:
                if mask & wanted:
                    yield _Place(start + at, start + at + size, mask & wanted)
                at += size
                break
        else:
            at += 1


def _han_places(text: str, book: _Vocabulary, wanted: int) -> Iterator[_Place]:
    spans: dict[tuple[int, int], int] = {}
    for first in set(text) & book.han.keys():
        for word, mask in book.han[first]:
            if not mask or mask & wanted:
                at = text.find(word)
                while at >= 0:
                    spans[at, at + len(word)] = mask & wanted
                    at = text.find(word, at + 1)
    hidden = [span for span, mask in spans.items() if not mask]
    for (start, end), mask in spans.items():
        if mask and not any(low <= start and end <= high for low, high in hidden):
            yield _Place(start, end, mask)


@lru_cache(maxsize=1)
def _vocabulary() -> _Vocabulary:
    bits = {name: 1 << number for number, name in enumerate([*CONCEPTS, "DEST", "KEYFILE"])}
    words: dict[str, int] = {}
    phrases: dict[tuple[str, ...], int] = {}
    han: dict[str, int] = {}
    for name, text in (*CONCEPTS.items(), ("", NO_CONCEPT)):
        for entry in _entries(text):
            bit = bits.get(name, 0)
            if _HAN.search(entry):
                han[entry] = han.get(entry, 0) | bit
                continue
            parts = tuple(_WORD.findall(entry))
            if len(parts) == 1:
                words[parts[0]] = words.get(parts[0], 0) | bit
            else:
                phrases[parts] = phrases.get(parts, 0) | bit
    by_first: dict[str, list[tuple[tuple[str, ...], int]]] = {}
    for parts, mask in phrases.items():
        by_first.setdefault(parts[0], []).append((parts[1:], mask))
    by_han: dict[str, list[tuple[str, int]]] = {}
    for word, mask in han.items():
        by_han.setdefault(word[0], []).append((word, mask))
    tracks = tuple(track for rule in RULES for track in _tracks(rule, bits))
    return _Vocabulary(
        bits,
        words,
        {first: tuple(rests) for first, rests in by_first.items()},
        {first: tuple(items) for first, items in by_han.items()},
        tracks,
        _anchor(tracks, bits),
    )


def _tracks(rule: Rule, bits: dict[str, int]) -> Iterator[_Track]:
    names = rule.steps.lstrip("* ").split()
    steps = tuple(sum(bits[name] for name in step.split("|")) for step in names)
    unless = sum(bits[name] for name in rule.unless.split())
    orders: Iterable[tuple[int, ...]] = permutations(steps) if "*" in rule.steps else (steps,)
    return (_Track(rule, order, unless) for order in orders)


def _anchor(
    tracks: tuple[_Track, ...], bits: dict[str, int]
) -> tuple[tuple[int, tuple[_Track, ...]], ...]:
    common = sum(bits[name] for name in COMMON)
    by_anchor: dict[int, list[_Track]] = {}
    for track in tracks:
        rare = [step for step in track.steps if not step & common]
        by_anchor.setdefault((rare or track.steps)[0], []).append(track)
    return tuple((anchor, tuple(group)) for anchor, group in by_anchor.items())


def _entries(text: str) -> Iterator[str]:
    for raw in text.split(","):
        entry = " ".join(raw.split())
        if entry.endswith("~"):
            yield from _forms(entry[:-1])
        elif entry:
            yield entry


def _forms(verb: str) -> tuple[str, ...]:
    """Return a regular verb with its endings."""
    if verb.endswith("e"):
        return verb, verb + "s", verb + "d", verb[:-1] + "ing"
    if verb.endswith("y") and verb[-2] not in "aeiou":
        return verb, verb[:-1] + "ies", verb[:-1] + "ied", verb + "ing"
    plural = "es" if verb.endswith(("s", "sh", "ch", "x")) else "s"
    return verb, verb + plural, verb + "ed", verb + "ing"
