"""What a search found. May import `model`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from vault_cli.model.record import Record


class Hit(NamedTuple):
    """A record that was found.

    Args:
        score: absolute; higher is better (`parts` adds up to it).
        matches: words of it that were found, in sorted order.
        snippet: the line of its text that has most of them, cut; "" of a held or withheld record.
        marked: (start, end) of the matched words in the snippet.
        parts: what the score is made of, by name.
        reason: what the record is worth, in words.
        terms: what was looked for and stands in it, as a search counts it (stems), sorted.
    """

    record: Record
    score: float
    matches: tuple[str, ...]
    snippet: str = ""
    marked: tuple[tuple[int, int], ...] = ()
    parts: Mapping[str, float] = {}
    reason: str = ""
    terms: tuple[str, ...] = ()


class Results(NamedTuple):
    """The best hits in order, and how many records matched.

    Args:
        hidden: how many records that match were passed over (see `search`).
        meant: words that were looked for in place of a typed one that stands nowhere; one that
            no record shows is a stem with `…`.
    """

    hits: tuple[Hit, ...]
    total: int
    hidden: int = 0
    meant: Mapping[str, tuple[str, ...]] = {}
