"""English word stems by Porter's algorithm (M. F. Porter, 1980). Standard library only.

One departure, taken from its successor: `y` becomes `i` after a consonant only, so that `deploy`,
`deploying` and `deployment` share a stem.
"""

from __future__ import annotations

TYPE_CHECKING = False  # `typing` takes longer to load than all of this; checkers know the name
if TYPE_CHECKING:
    from typing import Final

_SHORT: Final = 2

_STEP_2: Final = (
    ("ational", "ate"), ("tional", "tion"), ("enci", "ence"), ("anci", "ance"), ("izer", "ize"),
    ("abli", "able"), ("alli", "al"), ("entli", "ent"), ("eli", "e"), ("ousli", "ous"),
    ("ization", "ize"), ("ation", "ate"), ("ator", "ate"), ("alism", "al"), ("iveness", "ive"),
    ("fulness", "ful"), ("ousness", "ous"), ("aliti", "al"), ("iviti", "ive"), ("biliti", "ble"),
)  # fmt: skip
_STEP_3: Final = (
    ("icate", "ic"), ("ative", ""), ("alize", "al"), ("iciti", "ic"), ("ical", "ic"),
    ("ful", ""), ("ness", ""),
)  # fmt: skip
_STEP_4: Final = (
    "al", "ance", "ence", "er", "ic", "able", "ible", "ant", "ement", "ment", "ent", "ion", "ou",
    "ism", "ate", "iti", "ous", "ive", "ize",
)  # fmt: skip
_LONGEST_4: Final = tuple((suffix, "") for suffix in sorted(_STEP_4, key=len, reverse=True))
_LONGEST_2: Final = tuple(sorted(_STEP_2, key=lambda pair: -len(pair[0])))

_SHAPE = str.maketrans(
    dict.fromkeys("abcdefghijklmnopqrstuvwxyz", "c") | dict.fromkeys("aeiou", "v")
)


def stem_word(word: str) -> str:
    """Return the stem of a lower-case ASCII word; one or two letters stay as they are."""
    if len(word) <= _SHORT:
        return word
    word = _step_1c(_step_1b(_step_1a(word)))
    word = _replace(word, _LONGEST_2, 0)
    word = _replace(word, _STEP_3, 0)
    return _step_5(_step_4(word))


def _shape(stem: str) -> str:
    """Return the stem as consonants and vowels; `y` is a vowel after a consonant."""
    shape = ""
    for letter, kind in zip(stem, stem.translate(_SHAPE), strict=True):
        if letter == "y":
            shape += "v" if shape.endswith("c") else "c"
        else:
            shape += kind
    return shape


def _measure(stem: str) -> int:
    return _shape(stem).count("vc")


def _has_vowel(stem: str) -> bool:
    return "v" in _shape(stem)


def _ends_double(word: str) -> bool:
    return len(word) > 1 and word[-1] == word[-2] and _shape(word)[-1] == "c"


def _ends_cvc(word: str) -> bool:
    return _shape(word).endswith("cvc") and word[-1] not in "wxy"


def _step_1a(word: str) -> str:
    if word.endswith(("sses", "ies")):
        return word[:-2]
    return word[:-1] if word.endswith("s") and not word.endswith("ss") else word


def _step_1b(word: str) -> str:
    if word.endswith("eed"):
        return word[:-1] if _measure(word[:-3]) > 0 else word
    for suffix in ("ed", "ing"):
        if word.endswith(suffix):
            stem = word[: -len(suffix)]
            return _tidy_1b(stem) if _has_vowel(stem) else word
    return word


def _tidy_1b(stem: str) -> str:
    if stem.endswith(("at", "bl", "iz")):
        return stem + "e"
    if _ends_double(stem) and stem[-1] not in "lsz":
        return stem[:-1]
    return stem + "e" if _measure(stem) == 1 and _ends_cvc(stem) else stem


def _step_1c(word: str) -> str:
    stem = word[:-1]
    if word.endswith("y") and _has_vowel(stem) and _shape(stem).endswith("c"):
        return stem + "i"
    return word


def _replace(word: str, rules: tuple[tuple[str, str], ...], least: int) -> str:
    """Apply the longest suffix that matches, if what remains is long enough."""
    for suffix, other in rules:
        if word.endswith(suffix):
            stem = word[: -len(suffix)]
            return stem + other if _measure(stem) > least else word
    return word


def _step_4(word: str) -> str:
    if word.endswith("ion"):
        stem = word[:-3]
        return stem if stem.endswith(("s", "t")) and _measure(stem) > 1 else word
    return _replace(word, _LONGEST_4, 1)


def _step_5(word: str) -> str:
    if word.endswith("e"):
        stem = word[:-1]
        measure = _measure(stem)
        if measure > 1 or (measure == 1 and not _ends_cvc(stem)):
            word = stem
    return word[:-1] if word.endswith("ll") and _measure(word) > 1 else word
