"""Which files of three versions of a vault belong together. May import `text`, `model`.

By id first, wherever the file lies; what has no id goes by its path.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from typing import Final, NamedTuple

from vault_cli.model.record import Record
from vault_cli.text.document import (
    REMOVE,
    Document,
    parse_document,
    patch_document,
    replace_body,
)
from vault_cli.text.fields import read_record
from vault_cli.text.merge import MergedKeys

_KEPT: Final = 1 << 15
"""Texts that are remembered as read. All are asked for their ids before the first is merged: with
room for fewer, each would be read, and scanned, once more (10,000 records that both sides changed
are 30,000 versions)."""


class Version(NamedTuple):
    """One file of one side."""

    path: str
    data: bytes


Trio = tuple[Version | None, Version | None, Version | None]
"""One file or record as the common ancestor and the two sides have it."""


@lru_cache(maxsize=_KEPT)
def record_of(path: str, data: bytes) -> Record | None:
    """Return the record of a text, None when it is none; gates do not matter here."""
    return read_record(data, path, frozenset())[0]


@lru_cache(maxsize=_KEPT)
def document_of(path: str, data: bytes) -> Document:
    """Return a text, parsed."""
    return parse_document(data, path)


def id_of(path: str, data: bytes) -> str:
    """Return the id that a text has written in it, "" for none."""
    record = record_of(path, data)
    return record.id if record is not None and record.adopted else ""


def group_versions(
    sides: tuple[Mapping[str, bytes], ...], is_record: Callable[[str], bool]
) -> Iterator[Trio]:
    """Yield what belongs together: by id first, what has none by its path."""
    places = [_places_of(side, is_record) for side in sides]
    groups = {key: [place.get(key, "") for place in places] for key in sorted(set().union(*places))}
    loose = [set(side) - set(place.values()) for side, place in zip(sides, places, strict=True)]
    claims: dict[str, int] = {}
    for paths in groups.values():
        for path in set(paths[1:]) & loose[0] if not paths[0] else ():
            claims[path] = claims.get(path, 0) + 1
    for paths in groups.values():
        _attach(paths, loose, claims)
        yield _trio(sides, paths)
    for path in sorted(set().union(*loose)):
        yield _trio(sides, [path if path in names else "" for names in loose])


def _places_of(side: Mapping[str, bytes], is_record: Callable[[str], bool]) -> dict[str, str]:
    """Return where each id stands that stands once."""
    found: dict[str, list[str]] = {}
    for path, data in side.items():
        record_id = id_of(path, data) if is_record(path) else ""
        if record_id:
            found.setdefault(record_id, []).append(path)
    return {key: paths[0] for key, paths in found.items() if len(paths) == 1}


def _attach(paths: list[str], loose: list[set[str]], claims: Mapping[str, int]) -> None:
    """Add to a record the files at its place that have no id (yet, or any more)."""
    if not paths[0]:
        same = [p for p in paths[1:] if p and p in loose[0] and claims.get(p) == 1]
        if same:
            paths[0] = same[0]
            loose[0].discard(same[0])
    for side in (1, 2):
        if not paths[side]:
            near = [p for p in dict.fromkeys((paths[0], paths[3 - side])) if p in loose[side]]
            if near and paths[0]:
                paths[side] = near[0]
                loose[side].discard(near[0])


def _trio(sides: tuple[Mapping[str, bytes], ...], paths: list[str]) -> Trio:
    base, one, other = (
        Version(path, side[path]) if path else None for side, path in zip(sides, paths, strict=True)
    )
    return base, one, other


def path_of(version: Version | None) -> str:
    """Return where a version stands, "" for none."""
    return version.path if version is not None else ""


def digest_of(data: bytes) -> str:
    """Return the SHA-256 of bytes in hex."""
    return hashlib.sha256(data).hexdigest()


def build(carrier: Version, merged: MergedKeys) -> bytes:
    """Write merged keys and text into the file of one side, touching nothing else.

    Raises:
        RefusedError: a key is written in a form that cannot be changed in place.
    """
    document = document_of(*carrier)
    changes = {
        key: value for key, value in merged.front.items() if document.front.get(key) != value
    }
    changes |= dict.fromkeys(set(document.front) - set(merged.front), REMOVE)
    data = patch_document(carrier.data, changes, carrier.path) if changes else carrier.data
    return replace_body(data, merged.body, carrier.path)
