"""Words to concepts, concepts to rules: the tables of the matcher, built once on first use.

Standard library only.
"""

from __future__ import annotations

import functools
import re
from array import array
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import pairwise, permutations
from typing import Final, NamedTuple, TypeVar

from vault_cli.text.fold import fold_text
from vault_cli.text.injection_rules import RULES, Rule
from vault_cli.text.injection_words import COMMON, CONCEPTS, NO_CONCEPT
from vault_cli.text.tokens import STOP_WORDS

WORD: Final = re.compile(r"[a-z0-9_][a-z0-9_']*")
"""A word of a folded text."""

BREAK: Final = re.compile(
    r"[.!?;。！？；\n](?:(?<=[。！？；])|(?<=[.!?;])(?=[\s\"')\]]|$)"
    r"|(?<=\n)[ \t]*(?=[-*#>+\n]|\d{1,3}[.)]))"
)
"""Where a sentence ends: nothing that a rule looks for goes past it."""

PATTERN_CONCEPTS: Final = ("DEST", "KEYFILE", "HARDKEY", "EVILHOST", "WIPEOUT", "DANGERCMD")
"""Concepts found by a pattern rather than by words."""

_K = TypeVar("_K")
_V = TypeVar("_V")
_HAN = re.compile("[\u3400-\u9fff]")
_ONE: Final = 4
_BOTH: Final = 8
"""Bytes of a character and of two, in UTF-32."""
_SCRIPTS = re.compile("[^\x00-\u036f\u1e00-\u2fff\ufb00-\uffef\U00010000-\U0010ffff]+")


class Track(NamedTuple):
    """One order of a rule's steps, as masks of concepts."""

    rule: Rule
    steps: tuple[int, ...]
    anchor: int
    unless: int


class Lookup(NamedTuple):
    """Which entries of the vocabulary may be in a text, by what is quick to know of it.

    Args:
        singles, single_words: the words that mean something by themselves, and what.
        phrases, pairs: by its rarest two words in a row each longer entry: its rarest word, the
            entry with a space on both sides ("" for the two alone), and concepts.
        keys: for each word the concepts of the entries of which it is the rarest word.
        scripts: finds the runs of characters that no Latin word has.
        han, han_pairs: by their rarest two such characters in a row (see `pair_codes`) the words
            that are found anywhere, and their concepts.
        single: those without two such characters.
    """

    singles: dict[str, int]
    single_words: frozenset[str]
    phrases: dict[tuple[str, ...], tuple[tuple[str, str, int], ...]]
    pairs: frozenset[tuple[str, ...]]
    keys: dict[str, tuple[int, ...]]
    scripts: re.Pattern[str]
    han: dict[int, tuple[tuple[str, int], ...]]
    han_pairs: frozenset[int]
    single: list[tuple[str, int]]


class Vocabulary(NamedTuple):
    """All tables.

    Args:
        bits: the bit of each concept.
        words: single words and their concepts; 0 for a word that hides others.
        phrases: by their first two words and their third ("" if there is none), the words that
            follow the second and the concepts.
        heads: the words with which an entry begins.
        spellings: all words of entries, also those that mean nothing by themselves.
        han: the Chinese words and their concepts.
        silent: the Chinese words that hide others.
        guards: the concepts that make a rule harmless when they stand before it.
        addresses, key_files, commands: the concepts found by a pattern.
        all: all entries.
        anchored: the tracks by the mask of their rarest step.
    """

    bits: dict[str, int]
    words: dict[str, int]
    phrases: dict[tuple[str, ...], dict[str, tuple[tuple[list[str], int], ...]]]
    heads: frozenset[str]
    spellings: frozenset[str]
    han: dict[str, int]
    silent: tuple[str, ...]
    guards: int
    addresses: int
    key_files: int
    commands: int
    all: Lookup
    anchored: tuple[tuple[int, tuple[Track, ...]], ...]


@functools.lru_cache(maxsize=1)
def vocabulary() -> Vocabulary:
    """Return the tables, built on first use: 12,000 entries."""
    bits = {name: 1 << number for number, name in enumerate([*CONCEPTS, *PATTERN_CONCEPTS])}
    latin: dict[tuple[str, ...], int] = {}
    han: dict[str, int] = {}
    for name, written in _all_entries():
        entry = written if written.isascii() or _HAN.search(written) else fold_text(written)
        bit = bits.get(name, 0)
        if not entry.isascii():
            han[entry] = han.get(entry, 0) | bit
        else:
            parts = tuple(WORD.findall(entry))
            latin[parts] = latin.get(parts, 0) | bit
    anchored = _grouped((t.anchor, t) for rule in RULES for t in _tracks(rule, bits))
    return Vocabulary(
        bits,
        {parts[0]: mask for parts, mask in latin.items() if len(parts) == 1},
        _phrases(latin),
        frozenset(parts[0] for parts in latin),
        STOP_WORDS.union(*latin),
        han,
        tuple(word for word, mask in han.items() if not mask),
        bits["NEG"] | bits["DEFEND"],
        bits["DEST"] | bits["EVILHOST"],
        bits["KEYFILE"] | bits["HARDKEY"] | bits["WIPEOUT"],
        bits["DANGERCMD"],
        _lookup(latin, han, sum(bits.values())),
        tuple(anchored.items()),
    )


def _phrases(
    latin: dict[tuple[str, ...], int],
) -> dict[tuple[str, ...], dict[str, tuple[tuple[list[str], int], ...]]]:
    entries = [(parts[:2], parts[2:], mask) for parts, mask in latin.items() if parts[1:]]
    pairs = _grouped((pair, (rest, mask)) for pair, rest, mask in entries)
    return {
        pair: _grouped(((*rest, "")[0], (list(rest), mask)) for rest, mask in among)
        for pair, among in pairs.items()
    }


def _lookup(latin: dict[tuple[str, ...], int], han: dict[str, int], wanted: int) -> Lookup:
    entries = [(parts, mask & wanted) for parts, mask in latin.items() if mask & wanted]
    often = Counter(word for parts, _ in entries for word in parts)
    rank = {word: (word in STOP_WORDS, count, -len(word)) for word, count in often.items()}
    single = {parts[0]: mask for parts, mask in entries if not parts[1:]}
    longer = [
        (parts, min(parts, key=rank.__getitem__), mask) for parts, mask in entries if parts[1:]
    ]
    near: Counter[tuple[str, ...]] = Counter(
        pair for parts, _, _ in longer for pair in pairwise(parts)
    )
    phrases = _grouped(
        (
            min(pairwise(parts), key=near.__getitem__) if parts[2:] else parts[:2],
            (word, f" {' '.join(parts)} " if parts[2:] else "", mask),
        )
        for parts, word, mask in longer
    )
    words = [(word, mask & wanted, _pairs(word)) for word, mask in han.items() if mask & wanted]
    common = Counter(pair for _, _, pairs in words for pair in pairs)
    by_pair = _grouped(
        (min(pairs, key=common.__getitem__) if pairs[1:] else pairs[0], (word, mask))
        for word, mask, pairs in words
        if pairs
    )
    return Lookup(
        single,
        frozenset(single),
        phrases,
        frozenset(phrases),
        _grouped([*single.items(), *((word, mask) for _, word, mask in longer)]),
        _SCRIPTS,
        by_pair,
        frozenset(by_pair),
        [(word, mask) for word, mask, pairs in words if not pairs],
    )


def _pairs(word: str) -> list[int]:
    """Return all two characters next to each other that no Latin word has, as numbers."""
    runs = _SCRIPTS.findall(word)
    return [code for run in runs if run[1:] for half in pair_codes(run) for code in half]


def pair_codes(text: str) -> tuple[array[int], array[int]]:
    """Return all two neighbours of a text as numbers: those at even places, those at odd ones.

    Two characters of four bytes are one number of eight: no string is made for each pair.
    """
    data = text.encode("utf-32-le", "surrogatepass")
    even, odd = len(data) // _BOTH * _BOTH, (len(data) - _ONE) // _BOTH * _BOTH
    return array("Q", data[:even]), array("Q", data[_ONE : _ONE + max(odd, 0)])


def _all_entries() -> Iterator[tuple[str, str]]:
    for name, text in (*CONCEPTS.items(), ("", NO_CONCEPT)):
        for raw in text.split(","):
            for entry in expand(" ".join(raw.split())):
                if entry.endswith("~"):
                    yield from ((name, form) for form in verb_forms(entry[:-1]))
                elif entry:
                    yield name, entry


def expand(entry: str) -> Iterator[str]:
    """Yield what `{a/b} c` stands for: `a c`, `b c`."""
    before, brace, rest = entry.partition("{")
    if not brace:
        yield entry
        return
    choices, _, after = rest.partition("}")
    for choice in choices.split("/"):
        yield from expand(before + choice.strip() + after)


def verb_forms(verb: str) -> tuple[str, ...]:
    """Return a regular verb with its endings."""
    if verb.endswith("e"):
        return verb, verb + "s", verb + "d", verb[:-1] + "ing"
    if verb.endswith("y") and verb[-2] not in "aeiou":
        return verb, verb[:-1] + "ies", verb[:-1] + "ied", verb + "ing"
    plural = "es" if verb.endswith(("s", "sh", "ch", "x")) else "s"
    return verb, verb + plural, verb + "ed", verb + "ing"


def _grouped(pairs: Iterable[tuple[_K, _V]]) -> dict[_K, tuple[_V, ...]]:
    groups: dict[_K, list[_V]] = {}
    for key, value in pairs:
        groups.setdefault(key, []).append(value)
    return {key: tuple(values) for key, values in groups.items()}


def _tracks(rule: Rule, bits: dict[str, int]) -> Iterator[Track]:
    named = [step.split("|") for step in rule.steps.lstrip("* ").split()]
    masks = [sum(bits[name] for name in names) for names in named]
    often = [sum(COMMON.get(name, 0) for name in names) for names in named]
    rarest = often.index(min(often))
    unless = sum(bits[name] for name in rule.unless.split())
    orders = permutations(masks) if rule.steps.startswith("*") else (tuple(masks),)
    return (Track(rule, order, masks[rarest], unless) for order in orders)
