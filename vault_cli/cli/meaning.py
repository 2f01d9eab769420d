"""A search by meaning, where the model is installed. May import everything below `cli`."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Sequence
from time import monotonic
from typing import TYPE_CHECKING, Final, NamedTuple

from vault_cli.recall.meaning import Meaning, weigh_meaning

if TYPE_CHECKING:
    from vault_cli.cli.clocks import Clocks
    from vault_cli.cli.invocation import Invocation
    from vault_cli.model.record import Record
    from vault_cli.store.vault import Vault
    from vault_cli.store.vectors import Vector, Vectors
    from vault_cli.text.meaning import Model

PATIENCE: Final = 1.0
"""Seconds that a search takes to read what the model has not read yet."""

_STEP: Final = 1.0
"""Seconds of reading that are lost at most when it is ended."""


class Meant(NamedTuple):
    """What the model says of a question.

    Args:
        meaning: of the records that it has read; None when there is no model.
        unread: how many records it has not read yet.
    """

    meaning: Meaning | None
    unread: int = 0


def find_meaning(inv: Invocation, clocks: Clocks, text: str, *, every: bool = False) -> Meant:
    """Return how near in meaning the records of a question are to it.

    Nothing of a past commit, of an empty question, or where the model is not there or switched off.

    Args:
        inv: the running command.
        clocks: what is searched.
        text: the question.
        every: read all records first, however long it takes.
    """
    from vault_cli.text.meaning import is_installed, load_model

    if not text or clocks.is_past or not inv.reading.config["search.semantic"]:
        return Meant(None)
    model = load_model() if is_installed() else None
    if model is None:
        return Meant(None)
    query = model.of_query(text)
    reading = Reader(model, len(query), every=every)
    for vault, records in _readable(inv, clocks):
        reading.take(vault, records)
    cosines = model.compare(query, reading.vectors)
    return Meant(weigh_meaning(reading.digests, cosines, reading.scripts), reading.unread)


def _readable(inv: Invocation, clocks: Clocks) -> Iterable[tuple[Vault, list[Record]]]:
    """Yield each vault with the records the model may read.

    What came from others and nobody looked at, and what the scanner holds, is found by its words
    alone: the model is a program in C, and whoever can push could let every search read on and on.
    """
    from vault_cli.cli.shelves import by_vault
    from vault_cli.recall.corpus import searchable

    snapshot = clocks.snapshot
    every = (r for r in searchable(snapshot.records) if r.has_say)
    return by_vault(inv, [r for r in every if (r.path, r.digest) not in snapshot.passed_over])


class Reader:
    """The vectors of the records of some vaults, as far as they can be had in time.

    Args:
        model: what reads.
        size: bytes of each of its vectors.
        every: read all, however long it takes.
    """

    def __init__(self, model: Model, size: int, *, every: bool = False) -> None:
        self._model = model
        self._size = size
        self._until = math.inf if every else monotonic() + PATIENCE
        self.digests: list[str] = []
        self.vectors: list[bytes] = []
        self.scripts: list[str] = []
        self.unread = 0

    def take(self, vault: Vault, records: Sequence[Record]) -> None:
        """Take the records of one vault: what is stored, and what there is time to read."""
        from vault_cli.store.vectors import Vectors
        from vault_cli.text.meaning import script_of

        index = Vectors(vault.root, vault.config.gates)
        try:
            known = index.load(self._model.layout, self._size)
            there = {record.digest: record for record in records}
            missing = [record for digest, record in there.items() if digest not in known]
            fresh = self._read(index, known, missing, there.keys())
        finally:
            index.close()
        for digest in there:
            if vector := known.get(digest) or fresh.get(digest):
                self.digests.append(digest)
                self.vectors.append(vector.data)
                self.scripts.append(script_of(vector.text))
            else:
                self.unread += 1

    def _read(
        self,
        index: Vectors,
        known: dict[str, Vector],
        missing: Sequence[Record],
        there: Collection[str],
    ) -> dict[str, Vector]:
        """Read what is missing, and keep what was read: all of it, or until the time is over."""
        from vault_cli.store import progress

        by_text = {vector.text: vector for vector in known.values()}
        fresh: dict[str, Vector] = {}
        waiting: dict[str, Vector] = {}
        kept = monotonic()
        for record in progress.counted("reading for meaning", missing, every=1):
            if monotonic() > self._until:
                break
            waiting[record.digest] = self._vector_of(record, by_text)
            if monotonic() > kept + _STEP:
                kept = monotonic()
                fresh |= waiting
                if index.add(self._model.layout, waiting, known, there):
                    waiting = {}
        if waiting:
            index.add(self._model.layout, waiting, known, there)
        return fresh | waiting

    def _vector_of(self, record: Record, by_text: dict[str, Vector]) -> Vector:
        from vault_cli.recall.corpus import text_of
        from vault_cli.store.vectors import Vector
        from vault_cli.text.meaning import key_of

        text = text_of(record)
        key = key_of(text)
        known = by_text.get(key)
        return known or Vector(key, self._model.of_text(text))
