"""How the rows of the secret tables are read and applied. Standard library only.

A rule is anchored at a literal, so that a text without the literal costs one `in`. From there
a bounded pattern is matched: bounded, because an attacker chooses the text.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cache, lru_cache
from typing import Final, NamedTuple

from vault_cli.text import secret_kinds, secret_vendors
from vault_cli.text.check_digits import has_crc62
from vault_cli.text.late import late
from vault_cli.text.secret_values import (
    is_gibberish,
    is_hash,
    is_marked_placeholder,
    is_mixed,
    is_placeholder,
    is_random,
    is_scrambled,
)

_CLASSES: Final = {
    "<A>": "[A-Za-z0-9]",
    "<W>": "[A-Za-z0-9_-]",
    "<H>": "[0-9a-f]",
    "<U>": "[A-Z0-9]",
    "<UUID>": "[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}",
}
_BACK: Final = 100
_LEFT_CONTEXT: Final = 60
_RIGHT_CONTEXT: Final = 40
_LEAST_CAPS: Final = 6
_LEAST_PART: Final = 8
_LEAST_LETTERS: Final = 20
_LEAST_GIBBERISH: Final = 40
_TOKEN: Final = late(r"[A-Za-z0-9_+/=-]*")
_SPLIT: Final = late(r"[-_]")


class Rule(NamedTuple):
    """One shape of a secret.

    Args:
        kind: slug, stands in redacted text.
        words: what it is, for a message.
        anchors: literals it starts with.
        tail: pattern of what follows the anchor.
        check: further test of the value without and with its anchor.
        free: whether a letter or digit may stand right before it.
        near: pattern that must stand in the text around, or "".
        back: pattern of what stands before the anchor and belongs to the secret, or "".
    """

    kind: str
    words: str
    anchors: tuple[str, ...]
    tail: str
    check: Callable[[str, str], bool]
    free: bool
    near: str
    back: str


@cache
def all_rules() -> tuple[Rule, ...]:
    """Return the rules of every table, in their order."""
    tables = (
        secret_kinds.CLOUD,
        secret_kinds.CODE,
        secret_vendors.MODELS,
        secret_vendors.PAYMENT,
        secret_vendors.MESSAGES,
        secret_vendors.TOOLS,
        secret_vendors.CHINA,
    )
    rows = "".join(tables).strip().replace("\n    ", " ").split("\n")
    return tuple(_read_row(row) for row in rows if row)


def _read_row(row: str) -> Rule:
    kind, words, anchors, tail, *more = (cell.strip() for cell in row.split(" ; "))
    options = dict(cell.partition("=")[::2] for cell in more)
    return Rule(
        kind,
        words,
        tuple(anchors.split()),
        _spell(tail),
        _CHECKS[options.get("check", "")],
        "free" in options,
        options.get("near", ""),
        _spell(options.get("back", "")),
    )


def _spell(pattern: str) -> str:
    for short, long in _CLASSES.items():
        pattern = pattern.replace(short, long)
    return pattern


def apply_rule(one: Rule, anchor: str, text: str) -> Iterator[tuple[int, int]]:
    """Yield start and end of what a rule finds in a text, in order, never overlapping.

    The end takes in all further characters of a token, so that no rest of it stays behind.
    """
    pattern = _compiled(one.tail)
    start = text.find(anchor)
    while start >= 0:
        after = start + len(anchor)
        before = text[start - 1 : start]
        if one.free or not (before.isascii() and before.isalnum()):
            match = pattern.match(text, after)
            first = _first(one, text, start) if match is not None else -1
            if match is not None and first >= 0 and _accepts(one, text, first, after, match.end()):
                after = _token_end(text, match.end())
                yield first, after
        start = text.find(anchor, after)


@lru_cache(maxsize=1024)
def _compiled(tail: str) -> re.Pattern[str]:
    return late(rf"(?:{tail})(?![A-Za-z0-9])")


@lru_cache(maxsize=128)
def _before(pattern: str) -> re.Pattern[str]:
    return late(rf"(?<![A-Za-z0-9])(?:{pattern})\Z")


@lru_cache(maxsize=128)
def _around(pattern: str) -> re.Pattern[str]:
    return late(pattern, re.IGNORECASE)


def _first(one: Rule, text: str, start: int) -> int:
    """Where the secret starts whose anchor stands at `start`; -1 when it is none."""
    if not one.back:
        return start
    base = max(0, start - _BACK)
    match = _before(one.back).search(text[base:start])
    return -1 if match is None else base + match.start()


def _token_end(text: str, end: int) -> int:
    match = _TOKEN.match(text, end)
    return end if match is None else match.end()


def _accepts(one: Rule, text: str, start: int, after: int, end: int) -> bool:
    if one.near:
        window = text[max(0, start - _LEFT_CONTEXT) : end + _RIGHT_CONTEXT]
        if _around(one.near).search(window) is None:
            return False
    return one.check(text[after:end], text[start:end])


def _is_real(tail: str, whole: str) -> bool:
    return not is_marked_placeholder(tail) and not is_hash(whole)


def _is_mixed(tail: str, whole: str) -> bool:
    return is_mixed(whole) and not is_placeholder(tail)


def _is_random(_tail: str, whole: str) -> bool:
    return is_random(whole)


def _is_shuffled(tail: str, _whole: str) -> bool:
    return is_mixed(tail)


def _is_cased(tail: str, _whole: str) -> bool:
    return not is_marked_placeholder(tail) and not tail.isupper()


def _has_caps(tail: str, _whole: str) -> bool:
    return not is_marked_placeholder(tail) and len(set(tail)) >= _LEAST_CAPS


def _has_crc(tail: str, _whole: str) -> bool:
    """A token with a right check digit is one, whatever it spells; others must be no stand-in."""
    return has_crc62(tail[:-6], tail[-6:]) or not is_marked_placeholder(tail)


def _is_vendor_key(tail: str, _whole: str) -> bool:
    """`sk-` and something random; `sk-learn-compatible-estimators` is a name."""
    parts = _SPLIT.split(tail)
    if max(map(len, parts)) < _LEAST_PART or is_placeholder(tail):
        return False
    if len(parts[0]) >= _LEAST_GIBBERISH and is_gibberish(parts[0]):
        return True
    parts.append("".join(parts))
    return any(is_random(part) or is_scrambled(part, _LEAST_LETTERS) for part in parts)


_CHECKS: Final[dict[str, Callable[[str, str], bool]]] = {
    "": _is_real,
    "mixed": _is_mixed,
    "random": _is_random,
    "shuffled": _is_shuffled,
    "cased": _is_cased,
    "caps": _has_caps,
    "crc": _has_crc,
    "vendor": _is_vendor_key,
}
