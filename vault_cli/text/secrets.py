"""Secrets and personal data in a text: find, name, redact. May import `model`, `errors`.

Known shapes rather than entropy: a table of vendors' formats, check digits, names beside values,
and a filter of stand-ins. A memory goes into a git history, so a hit is refused before it is
written. No function here ever returns or shows a value.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache
from typing import Final, Literal, NamedTuple

from vault_cli.text import secret_context, secret_personal, secret_shapes
from vault_cli.text.secret_context import find_context
from vault_cli.text.secret_personal import find_personal
from vault_cli.text.secret_rules import Rule, all_rules, apply_rule
from vault_cli.text.secret_shapes import Found, find_shapes
from vault_cli.text.secret_values import is_random
from vault_cli.text.secret_views import (
    decoded_runs,
    find_runs,
    folded_view,
    joined_view,
)

_ALNUM_BYTES: Final = bytes(
    code if chr(code).isascii() and chr(code).isalnum() else ord(" ") for code in range(256)
)
_HEAD: Final = 2
_SHORT: Final = 14
_SURE: Final = 12
_WARN: Final = frozenset({"mobile-number"})


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
    return [
        SecretHit(kind, start, end, kind in secret_personal.WORDS, _severity(kind))
        for kind, start, end in _merged(_find(text))
    ]


def describe(hit: SecretHit) -> str:
    """Return what a hit is in words, never its value."""
    return _words().get(hit.kind, "secret")


def _severity(kind: str) -> Literal["refuse", "warn"]:
    return "warn" if kind in _WARN else "refuse"


def _find(text: str) -> Iterator[Found]:
    runs, across = find_runs(text)
    yield from _find_plain(text, coded=bool(runs))
    folded = folded_view(text)
    if folded is not None:
        for hit in _find_plain(folded.text, coded=True):
            yield Found(hit.kind, *folded.locate(hit.start, hit.end))
    yield from _find_joined(text, across)
    yield from _find_decoded(text, runs)


def _find_plain(text: str, *, coded: bool) -> Iterator[Found]:
    lower = _lower(text)
    if coded:
        yield from _find_vendors(text, _own_anchors(" ".join(_wide_runs(text))))
    yield from find_shapes(text, lower, coded=coded)
    yield from find_context(text, lower)
    yield from find_personal(text, lower, coded=coded)


def _wide_runs(text: str) -> list[str]:
    return [word for word in text.split() if len(word) > _SHORT]


def _find_joined(text: str, across: list[str]) -> Iterator[Found]:
    """Secrets that go on in the next line; only hits that cross a line, and unmistakable ones."""
    address = "://" in text and "@" in text and "\n" in text
    if not across and not address:
        return
    view = joined_view(text)
    for hit in _find_crossing(view.text, _anchors(" ".join(across))):
        if view.has_seam(hit.start + 1, hit.end - 1):
            yield Found(hit.kind, *view.locate(hit.start, hit.end))


def _find_crossing(text: str, anchors: list[str]) -> Iterator[Found]:
    yield from _find_vendors(text, anchors)
    lower = _lower(text)
    for hit in (*find_shapes(text, lower, coded=True), *find_context(text, lower)):
        if is_random(text[hit.start : hit.end], _SURE) or hit.kind not in {
            "password",
            "command-password",
        }:
            yield hit


def _lower(text: str) -> str:
    """The text in lower case, never longer: `İ` would become two characters."""
    return text.replace("İ", "I").lower()


def _find_decoded(text: str, runs: list[str]) -> Iterator[Found]:
    """Base64 and hexadecimal that spell a credential; the whole of it is the hit."""
    for run, spelled in decoded_runs(runs):
        hit = next(_find_plain(spelled, coded=True), None)
        if hit is not None and hit.kind not in _WARN:
            start = text.find(run)
            if start >= 0:
                yield Found(hit.kind, start, start + len(run))


def _anchors(text: str) -> list[str]:
    return [anchor for anchor in _by_anchor() if anchor in text]


def _own_anchors(text: str) -> list[str]:
    """Return the anchors in a text that is searched as it is, in the order of the table.

    Only those are searched for that have the beginning of one of its words, as an anchor does
    not start inside of a word unless its rule is free.
    """
    order, heads = _anchor_heads()
    words = text.encode("ascii", "replace").translate(_ALNUM_BYTES).decode("ascii").split()
    among = set(heads[""])
    for head in {word[:_HEAD] for word in words} & heads.keys():
        among.update(heads[head])
    return sorted((anchor for anchor in among if anchor in text), key=order.__getitem__)


@cache
def _anchor_heads() -> tuple[dict[str, int], dict[str, list[str]]]:
    """Return the place of each anchor, and the anchors by how a word with it starts."""
    order: dict[str, int] = {}
    heads: dict[str, list[str]] = {"": []}
    for anchor, rules in _by_anchor().items():
        order[anchor] = len(order)
        head = anchor[:_HEAD]
        apart = not any(rule.free for rule in rules) and head.isascii() and head.isalnum()
        heads.setdefault(head if apart and len(head) == _HEAD else "", []).append(anchor)
    return order, heads


def _find_vendors(text: str, anchors: list[str]) -> Iterator[Found]:
    table = _by_anchor()
    for anchor in anchors:
        for one in table[anchor]:
            for start, end in apply_rule(one, anchor, text):
                yield Found(one.kind, start, end)


@cache
def _by_anchor() -> dict[str, list[Rule]]:
    table: dict[str, list[Rule]] = {}
    for one in all_rules():
        for anchor in one.anchors:
            table.setdefault(anchor, []).append(one)
    return table


@cache
def _words() -> dict[str, str]:
    return {
        **{one.kind: one.words for one in all_rules()},
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
