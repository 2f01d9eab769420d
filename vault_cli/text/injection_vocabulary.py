"""Words to concepts, concepts to rules: the tables of the matcher, read once on first use.

The words were worked out before (`injection_build`) and are read from a file of the package: as
whole sections, since taking 10,000 rows apart costs more than a scan. May import `text.packaged`.
"""

from __future__ import annotations

import functools
from array import array
from collections.abc import Callable, Iterable, Iterator, KeysView
from itertools import permutations
from typing import Final, Generic, NamedTuple, TypeVar

from vault_cli.text.fold import by_sign
from vault_cli.text.injection_rules import COMMON, RULES, Rule
from vault_cli.text.late import late
from vault_cli.text.packaged import INJECTION_TABLE, read_packaged

WORD: Final = late(r"[a-z0-9_][a-z0-9_']*")
"""A word of a folded text."""

PATTERN_CONCEPTS: Final = (
    "DEST",
    "KEYFILE",
    "HARDKEY",
    "EVILHOST",
    "WIPEOUT",
    "DANGERCMD",
    "OPTION",
)
"""Concepts found by a pattern rather than by words."""

_K = TypeVar("_K")
_V = TypeVar("_V")
HAN: Final = late("[\u3400-\u9fff]")
OTHER_SCRIPTS: Final = late("[^\x00-\u036f\u1e00-\u2fff\ufb00-\uffef\U00010000-\U0010ffff]+")
"""Finds the runs of characters that no Latin word has."""
_ONE: Final = 4
_BOTH: Final = 8
"""Bytes of a character and of two, in UTF-32."""


class Track(NamedTuple):
    """One order of a rule's steps, as masks of concepts."""

    rule: Rule
    steps: tuple[int, ...]
    anchor: int
    unless: int


class Rows(Generic[_K, _V]):
    """A table whose rows are taken apart when they are asked for: a text meets few of thousands.

    Args:
        rows: by key, as written.
        read: what takes a row apart.
    """

    def __init__(self, rows: dict[_K, str], read: Callable[[str], _V]) -> None:
        self._rows = rows
        self._read = read
        self._known: dict[_K, _V] = {}

    def keys(self) -> KeysView[_K]:
        """Return the keys, as a set."""
        return self._rows.keys()

    def get(self, key: _K) -> _V | None:
        """Return a row, or None where there is none of that key."""
        row = self._rows.get(key)
        return None if row is None else self[key]

    def __getitem__(self, key: _K) -> _V:
        found = self._known.get(key)
        if found is None:
            found = self._known[key] = self._read(self._rows[key])
        return found


class Lookup(NamedTuple):
    """Which entries of the vocabulary may be in a text, by what is quick to know of it.

    Args:
        words: the words that mean something by themselves, and what.
        pairs: by its rarest two words in a row each longer entry: its rarest word, the entry with
            a space on both sides ("" for the two alone), and concepts.
        han: by their rarest two characters in a row (see `pair_codes`) the words that are found
            anywhere, as Chinese ones are, and their concepts.
        single: those without two such characters, by one that is not ASCII.
    """

    words: dict[str, int]
    pairs: Rows[str, tuple[tuple[str, str, int], ...]]
    han: Rows[int, tuple[tuple[str, int], ...]]
    single: dict[str, tuple[tuple[str, int], ...]]


class Vocabulary(NamedTuple):
    """All tables.

    Args:
        bits: the bit of each concept.
        words: single words and their concepts; 0 for a word that hides others.
        phrases: by their first two words and their third ("" if there is none), the words that
            follow the second and the concepts.
        heads: the words with which an entry begins.
        han: the Chinese words and their concepts.
        silent: the Chinese words that hide others.
        whole: the Chinese words that no other word is read across the border of.
        guards: the concepts that make a rule harmless when they stand before it.
        handing: the concepts of handing something on, which a name in code does not say.
        addresses, key_files, commands: the concepts found by a pattern.
        all: all entries.
        anchored: the tracks by the mask of their rarest step.
    """

    bits: dict[str, int]
    words: dict[str, int]
    phrases: Rows[str, dict[str, tuple[tuple[list[str], int], ...]]]
    heads: frozenset[str]
    han: dict[str, int]
    silent: tuple[str, ...]
    whole: tuple[str, ...]
    guards: int
    handing: int
    addresses: int
    key_files: int
    commands: int
    all: Lookup
    anchored: tuple[tuple[int, tuple[Track, ...]], ...]


@functools.lru_cache(maxsize=1)
def vocabulary() -> Vocabulary:
    """Return the tables, read on first use."""
    bits = _bits()
    words = _by_kind("words")
    phrases = _section("phrases")
    han = _by_kind("han")
    silent = tuple(word for word, mask in han.items() if not mask)
    heads = {pair.partition(" ")[0] for pair in phrases}
    anchored = _grouped((t.anchor, t) for rule in RULES for t in _tracks(rule, bits))
    return Vocabulary(
        bits,
        words,
        Rows(phrases, _read_phrases),
        frozenset(heads.union(words)),
        han,
        silent,
        (*silent, *_text("whole").split(",")),
        bits["NEG"] | bits["DEFEND"],
        bits["SEND"] | bits["SENDV"] | bits["PUT"],
        bits["DEST"] | bits["EVILHOST"],
        bits["KEYFILE"] | bits["HARDKEY"] | bits["WIPEOUT"],
        bits["DANGERCMD"],
        _lookup(words, han),
        tuple(anchored.items()),
    )


def _lookup(words: dict[str, int], han: dict[str, int]) -> Lookup:
    rare = _section("rare han")
    single = rare.pop("").split(",")
    codes = pair_codes("".join(rare))[0]
    return Lookup(
        {word: mask for word, mask in words.items() if mask},
        Rows(_section("pairs"), _read_pairs),
        Rows(
            dict(zip(codes, rare.values(), strict=True)),
            lambda row: tuple((word, han[word]) for word in row.split(",")),
        ),
        {
            sign: tuple((word, han[word]) for word in among)
            for sign, among in by_sign(single).items()
        },
    )


@functools.lru_cache(maxsize=1)
def spellings() -> frozenset[str]:
    """Return all words of entries, also those that mean nothing by themselves."""
    return frozenset(_text("spellings").split(","))


@functools.lru_cache(maxsize=1)
def rare_words() -> Rows[str, tuple[int, ...]]:
    """Return for each word the concepts of the entries of which it is the rarest word."""
    return Rows(_section("rare words"), lambda row: tuple(map(_mask, row.split(","))))


@functools.lru_cache(maxsize=1)
def _sections() -> dict[bytes, bytes]:
    """Return the rows of each section of the table, not yet taken apart."""
    parts = (b"\n" + read_packaged(INJECTION_TABLE)).split(b"\n[")[1:]
    return {name: rows.rstrip(b"\n") for name, _, rows in (p.partition(b"]\n") for p in parts)}


def _text(name: str) -> str:
    return _sections()[name.encode()].decode()


def _section(name: str) -> dict[str, str]:
    """Return the rows of a section by their keys."""
    parts = _text(name).replace("\t", "\n").split("\n")
    return dict(zip(parts[::2], parts[1::2], strict=True))


def _by_kind(name: str) -> dict[str, int]:
    """Return the words of a section that has a row for each kind, and their concepts."""
    found: dict[str, int] = {}
    for kind, words in _section(name).items():
        found.update(dict.fromkeys(words.split(","), _mask(kind)))
    return found


@functools.lru_cache(maxsize=1)
def _bits() -> dict[str, int]:
    names = [*_text("concepts").split(","), *PATTERN_CONCEPTS]
    return {name: 1 << number for number, name in enumerate(names)}


@functools.cache
def _mask(kind: str) -> int:
    """Return the bits of the concepts that are written with `+` between them."""
    bits = _bits()
    return sum(bits[name] for name in kind.split("+")) if kind else 0


def _read_phrases(row: str) -> dict[str, tuple[tuple[list[str], int], ...]]:
    phrases = [(rest.split(), _mask(kind)) for kind, _, rest in _parts(row)]
    return _grouped(((*rest, "")[0], (rest, mask)) for rest, mask in phrases)


def _read_pairs(row: str) -> tuple[tuple[str, str, int], ...]:
    found = []
    for kind, _, rest in _parts(row):
        word, _, phrase = rest.partition(":")
        found.append((word, f" {phrase} " if phrase else "", _mask(kind)))
    return tuple(found)


def _parts(row: str) -> Iterator[tuple[str, str, str]]:
    return (part.partition(":") for part in row.split(","))


def pair_codes(text: str) -> tuple[array[int], array[int]]:
    """Return all two neighbours of a text as numbers: those at even places, those at odd ones.

    Two characters of four bytes are one number of eight: no string is made for each pair.
    """
    data = text.encode("utf-32-le", "surrogatepass")
    even, odd = len(data) // _BOTH * _BOTH, (len(data) - _ONE) // _BOTH * _BOTH
    return array("Q", data[:even]), array("Q", data[_ONE : _ONE + max(odd, 0)])


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
