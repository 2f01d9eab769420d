"""Injections written so that a reader does not see them: the disguise gives them away.

An order in base64, in look-alike letters or in full-width ones is no accident, so what is found
here may hold a record, unlike the same order in plain words. Standard library only.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain, islice
from typing import Final

from vault_cli.text.frames import fold_width
from vault_cli.text.hidden import characters_of, show_printable
from vault_cli.text.injection_match import BETWEEN, LONGEST, find_hits, has_spread
from vault_cli.text.late import late
from vault_cli.text.respell import MOST, find_respelled
from vault_cli.text.traps import Trap, find_traps, has_trap
from vault_cli.text.views import View, decoded_views

_SHOWN: Final = 60
_MIXED = late(
    r"(?=[a-zA-Z]*[\u0370-\u052f])(?=[\u0370-\u052f]*[a-zA-Z])[a-zA-Z\u0370-\u052f]{3,40}"
)
_NOT_LATIN = late("[\u0370-\u052f]")
_MANY_MIXED: Final = 2


def find_disguised(text: str) -> Iterator[Trap]:
    """Yield the places where a text says something else than it shows, at most twenty."""
    text = text[:LONGEST]
    yield from islice(chain(_decoded(text), _respelled(text), _look_alikes(text)), MOST)


def is_quiet(text: str) -> bool:
    """Whether there is no injection, trap or disguise in a text, nor in those that it joins.

    Texts joined by `BETWEEN` are asked for at once. False only means that they have to be asked
    one by one. True is never wrong: what one of the texts has is also in all of them joined, and
    what depends on the rest of a text (spread words, what is decoded, tags that close) makes
    the answer False.
    """
    return (
        _says_nothing(text)
        and next(decoded_views(text), None) is None
        and not find_respelled(text)
        and next(_mixed_letters(text), None) is None
    )


def _says_nothing(text: str) -> bool:
    return (
        len(text) <= LONGEST
        and not has_spread(text)
        and not find_hits(text)
        and not has_trap(fold_width(text))
    )


def _decoded(text: str) -> Iterator[Trap]:
    seen: set[tuple[int, int]] = set()
    views = list(decoded_views(text))
    if not views or _is_harmless(views):
        return
    for view in views:
        if (view.start, view.end) in seen:
            continue
        hits = find_hits(view.text)
        if hits or view.needless or next(find_traps(view.text), None) is not None:
            seen.add((view.start, view.end))
            at = hits[0].start if hits else 0
            said = show_printable(view.text[at : at + _SHOWN])
            yield Trap("encoded-payload", view.start, view.end, f'{view.kind} that says "{said}"')


def _respelled(text: str) -> Iterator[Trap]:
    for reading, hit in find_respelled(text):
        said = show_printable(reading.text[hit.start : hit.start + _SHOWN])
        what = f'{reading.kind} that say "{said}"'
        yield Trap("disguised-text", reading.start, reading.end, what)


def _is_harmless(views: list[View]) -> bool:
    """Whether there is nothing in any view, asked of all of them at once where that is safe."""
    if any(view.needless for view in views):
        return False
    text = BETWEEN.join(view.text for view in views)
    return _says_nothing(text)


def _look_alikes(text: str) -> Iterator[Trap]:
    hits = find_hits(text)
    for hit in hits:
        if hit.disguised:
            yield Trap("disguised-text", hit.start, hit.end, "reads as another text than it shows")
            return
    yield from _mixed_letters(text)


def _mixed_letters(text: str) -> Iterator[Trap]:
    """Yield the first of several words whose letters are of two scripts that look alike."""
    if not text.isascii() and _NOT_LATIN.search(characters_of(text)) is not None:
        mixed = [m for m in _MIXED.finditer(text) if not m.group().isascii()]
        if len(mixed) >= _MANY_MIXED:
            yield Trap("disguised-text", *mixed[0].span(), "words of look-alike letters")
