"""Secrets and personal data in a text: find, name, redact. May import `model`, `errors`.

Known shapes rather than entropy: a table of vendors' formats, check digits, names beside values,
and a filter of stand-ins. A memory goes into a git history, so a hit is refused before it is
written. No function here ever returns or shows a value.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache
from typing import Final, Literal, NamedTuple

from vault_cli.text import secret_context, secret_kinds, secret_personal, secret_shapes
from vault_cli.text import secret_vendors
from vault_cli.text.secret_rules import Rule, apply_rule
from vault_cli.text.secret_shapes import Found

_WARN: Final = frozenset({"mobile-number"})
_RUN: Final = re.compile(r"[A-Za-z0-9+/=_.:~$%?&@-]{16,}")


class SecretHit(NamedTuple):
    """One secret or number of a person in a text.

    Args:
        kind: slug, for example `github-token`.
        start, end: character offsets into the text.
        personal: whether it is personal data rather than a secret.
        severity: `refuse` keeps the text from being written, `warn` only tells.
    """

    kind: str
    start: int
    end: int
    personal: bool
    severity: Literal["refuse", "warn"]


def find_secrets(text: str) -> list[SecretHit]:
    """Return the secrets and personal numbers of a text, in order, without overlaps."""
    lower = text.replace("İ", "I").lower()
    return [
        SecretHit(kind, start, end, kind in secret_personal.WORDS, _severity(kind))
        for kind, start, end in _merged(_find(text, lower))
    ]


def describe(hit: SecretHit) -> str:
    """Return what a hit is in words, never its value."""
    return _words().get(hit.kind, "secret")


def redact_secrets(text: str) -> str:
    """Return a text with every hit replaced by `[<kind>]`; doing it twice changes nothing more."""
    parts: list[str] = []
    done = 0
    for hit in find_secrets(text):
        parts.extend((text[done : hit.start], f"[{hit.kind}]"))
        done = hit.end
    return "".join((*parts, text[done:])) if parts else text


def secret_lines(text: str) -> list[tuple[int, str]]:
    """Return 1-based line and kind in words of each hit that refuses a text."""
    return [
        (text.count("\n", 0, hit.start) + 1, describe(hit))
        for hit in find_secrets(text)
        if hit.severity == "refuse"
    ]


def _severity(kind: str) -> Literal["refuse", "warn"]:
    return "warn" if kind in _WARN else "refuse"


def _find(text: str, lower: str) -> Iterator[Found]:
    yield from _find_vendors(text)
    yield from secret_shapes.find_shapes(text, lower)
    yield from secret_context.find_context(text, lower)
    yield from secret_personal.find_personal(text)


def _find_vendors(text: str) -> Iterator[Found]:
    runs = "\n".join(_RUN.findall(text))
    if not runs:
        return
    for anchor, rules in _by_anchor().items():
        if anchor in runs:
            for one in rules:
                for start, end in apply_rule(one, anchor, text):
                    yield Found(one.kind, start, end)


@cache
def _by_anchor() -> dict[str, list[Rule]]:
    table: dict[str, list[Rule]] = {}
    for one in (*secret_kinds.RULES, *secret_vendors.RULES):
        for anchor in one.anchors:
            table.setdefault(anchor, []).append(one)
    return table


@cache
def _words() -> dict[str, str]:
    rules = (*secret_kinds.RULES, *secret_vendors.RULES)
    return {
        **{one.kind: one.words for one in reversed(rules)},
        **secret_shapes.WORDS,
        **secret_context.WORDS,
        **secret_personal.WORDS,
    }


def _merged(found: Iterable[Found]) -> list[Found]:
    """Return hits in order; of overlapping ones the first found names what they cover together."""
    kept: list[Found] = []
    for hit in sorted(found, key=lambda hit: hit.start):
        if kept and hit.start < kept[-1].end:
            kept[-1] = kept[-1]._replace(end=max(kept[-1].end, hit.end))
        else:
            kept.append(hit)
    return kept
