"""How a rule of the secret table is written and applied. Standard library only.

A rule is anchored at a literal, so that a text without the literal costs one `in`. From there
a bounded pattern is matched: bounded, because an attacker chooses the text.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Final, NamedTuple

from vault_cli.text.secret_values import is_hash, is_placeholder

Check = Callable[[str], bool]

A: Final = "[A-Za-z0-9]"
W: Final = "[A-Za-z0-9_-]"
H: Final = "[0-9a-f]"
U: Final = "[A-Z0-9]"
UUID: Final = r"[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}"

_BACK: Final = 100
_TOKEN: Final = re.compile(r"[A-Za-z0-9_+/=-]*")


class Rule(NamedTuple):
    """One shape of a secret.

    Args:
        kind: slug, stands in redacted text.
        words: what it is, for a message.
        anchors: literals it starts with.
        tail: pattern of what follows the anchor.
        check: further test of the whole match; None takes whatever is no placeholder.
        free: whether a letter or digit may stand right before it.
        back: pattern of what stands before the anchor and belongs to the secret, or "".
        near: pattern that must stand in the text around (`twilio`), or "".
    """

    kind: str
    words: str
    anchors: tuple[str, ...]
    tail: str
    check: Check | None = None
    free: bool = False
    near: str = ""
    back: str = ""


def rule(
    kind: str,
    words: str,
    anchors: str,
    tail: str,
    check: Check | None = None,
    *,
    free: bool = False,
    near: str = "",
    back: str = "",
) -> Rule:
    """Return a rule; `anchors` are separated by spaces."""
    return Rule(kind, words, tuple(anchors.split()), tail, check, free, near, back)


@lru_cache(maxsize=1024)
def _compiled(tail: str) -> re.Pattern[str]:
    return re.compile(rf"(?:{tail})(?![A-Za-z0-9])")


@lru_cache(maxsize=128)
def _before(pattern: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![A-Za-z0-9])(?:{pattern})\Z")


@lru_cache(maxsize=128)
def _around(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE)


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
    value = text[start:end]
    if one.near and _around(one.near).search(text, max(0, start - 60), end + 40) is None:
        return False
    if one.check is not None:
        return one.check(value)
    return not is_placeholder(text[after:end]) and not is_hash(value)
