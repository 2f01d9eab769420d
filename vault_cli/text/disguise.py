"""Injections written so that a reader does not see them: the disguise gives them away.

An order in base64, in look-alike letters or in full-width ones is no accident, so what is found
here may hold a record, unlike the same order in plain words. Standard library only.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import chain, islice
from typing import Final

from vault_cli.text.hidden import show_printable
from vault_cli.text.injection_match import LONGEST, find_hits
from vault_cli.text.traps import Trap, find_traps
from vault_cli.text.views import decoded_views

_SHOWN: Final = 60
_MOST: Final = 20
_MIXED = re.compile(
    r"(?=[a-zA-Z]*[\u0370-\u052f])(?=[\u0370-\u052f]*[a-zA-Z])[a-zA-Z\u0370-\u052f]{3,40}"
)
_MANY_MIXED: Final = 2


def find_disguised(text: str) -> Iterator[Trap]:
    """Yield the places where a text says something else than it shows, at most twenty."""
    text = text[:LONGEST]
    yield from islice(chain(_decoded(text), _look_alikes(text)), _MOST)


def _decoded(text: str) -> Iterator[Trap]:
    seen: set[tuple[int, int]] = set()
    for view in decoded_views(text):
        if (view.start, view.end) in seen:
            continue
        hits = find_hits(view.text)
        if hits or view.needless or next(find_traps(view.text), None) is not None:
            seen.add((view.start, view.end))
            at = hits[0].start if hits else 0
            said = show_printable(view.text[at : at + _SHOWN])
            yield Trap("encoded-payload", view.start, view.end, f'{view.kind} that says "{said}"')


def _look_alikes(text: str) -> Iterator[Trap]:
    hits = find_hits(text)
    for hit in hits:
        if hit.disguised:
            yield Trap("disguised-text", hit.start, hit.end, "reads as another text than it shows")
            return
    if not text.isascii():
        mixed = [m for m in _MIXED.finditer(text) if not m.group().isascii()]
        if len(mixed) >= _MANY_MIXED:
            yield Trap("disguised-text", *mixed[0].span(), "words of look-alike letters")
