"""Make the table of the vocabulary from the word lists: for whoever changes them, not for a run.

Working all forms out takes a tenth of a second, more than the rest of a command, so the result
is kept in `injection_table.txt`. A test says when the two differ; with `--update-golden` it writes
the file. The same words give the same bytes. Standard library only.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import pairwise

from vault_cli.plain.stops import STOP_WORDS
from vault_cli.text.fold import fold_text
from vault_cli.text.injection_vocabulary import HAN, OTHER_SCRIPTS, WORD
from vault_cli.text.injection_words import CONCEPTS, NO_CONCEPT, WHOLE

_Kinds = dict[tuple[str, ...], str]
"""By its words each entry in Latin letters, and its kind: its concepts, `+` between several."""


def build_table() -> str:
    """Return the table as `injection_vocabulary` reads it: sections of rows, key and values.

    An entry without a concept hides other words. What a text is searched for stands under the
    rarest pair of neighbours of the entry, as a text is asked for its pairs.
    """
    latin, han = _entries()
    loud = {parts: kind for parts, kind in latin.items() if kind}
    sections = {
        "concepts": [",".join(CONCEPTS)],
        "words": _rows((kind, parts[0]) for parts, kind in latin.items() if not parts[1:]),
        "han": _rows((kind, word) for word, kind in han.items()),
        "whole": [",".join(WHOLE.replace(",", " ").split())],
        "phrases": _rows(_phrases(latin)),
        "pairs": _rows(_rare_pairs(loud)),
        "rare words": _rows(_rare_words(loud)),
        "rare han": _rows(_rare_han([word for word, kind in han.items() if kind])),
        "spellings": [",".join(sorted(STOP_WORDS.union(*latin)))],
    }
    return "\n".join("\n".join((f"[{name}]", *rows)) for name, rows in sections.items()) + "\n"


def _entries() -> tuple[_Kinds, dict[str, str]]:
    """Return all entries and their kinds: those in Latin letters, and the others."""
    latin: dict[tuple[str, ...], dict[str, None]] = {}
    han: dict[str, dict[str, None]] = {}
    for name, written in all_entries():
        entry = written if written.isascii() or HAN.search(written) else fold_text(written)
        if entry.isascii():
            names = latin.setdefault(tuple(WORD.findall(entry)), {})
        else:
            names = han.setdefault(entry, {})
        if name:
            names[name] = None
    return (
        {parts: "+".join(names) for parts, names in latin.items()},
        {word: "+".join(names) for word, names in han.items()},
    )


def _rows(pairs: Iterable[tuple[str, str]]) -> list[str]:
    groups: dict[str, list[str]] = {}
    for key, value in pairs:
        groups.setdefault(key, []).append(value)
    return [f"{key}\t{','.join(values)}" for key, values in sorted(groups.items())]


def _phrases(latin: _Kinds) -> Iterator[tuple[str, str]]:
    """Yield each phrase by its first two words: kind, and the words that follow."""
    for parts, kind in latin.items():
        if parts[1:]:
            yield " ".join(parts[:2]), ":".join((kind, " ".join(parts[2:])))


def _rare_pairs(loud: _Kinds) -> Iterator[tuple[str, str]]:
    """Yield each phrase by its rarest pair: kind, rarest word, and all of it if there is more."""
    ranks = _ranks(loud)
    longer = {parts: kind for parts, kind in loud.items() if parts[1:]}
    near = Counter(pair for parts in longer for pair in pairwise(parts))
    for parts, kind in longer.items():
        rest = " ".join(parts) if parts[2:] else ""
        pair = min(pairwise(parts), key=near.__getitem__)
        yield " ".join(pair), ":".join((kind, _rarest(parts, ranks), rest))


def _rare_words(loud: _Kinds) -> Iterable[tuple[str, str]]:
    """Return each word that is the rarest of entries, with each kind of these."""
    ranks = _ranks(loud)
    return dict.fromkeys((_rarest(parts, ranks), kind) for parts, kind in loud.items())


def _ranks(loud: _Kinds) -> dict[str, tuple[bool, int, int]]:
    often = Counter(word for parts in loud for word in parts)
    return {word: (word in STOP_WORDS, count, -len(word)) for word, count in often.items()}


def _rarest(parts: tuple[str, ...], ranks: dict[str, tuple[bool, int, int]]) -> str:
    return min(parts, key=ranks.__getitem__)


def _rare_han(words: list[str]) -> Iterator[tuple[str, str]]:
    """Yield each word that is found anywhere by its rarest pair; "" where it has none."""
    pairs = {
        word: ["".join(pair) for run in OTHER_SCRIPTS.findall(word) for pair in pairwise(run)]
        for word in words
    }
    near = Counter(pair for among in pairs.values() for pair in among)
    for word, among in pairs.items():
        yield min(among, key=near.__getitem__, default=""), word


def all_entries() -> Iterator[tuple[str, str]]:
    """Yield the concept ("" for none) and each of its entries, all forms worked out."""
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
