"""The sums of observations of a snapshot, loaded when they are first asked for. + `store`."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from datetime import UTC, date
from pathlib import Path
from typing import TYPE_CHECKING

from vault_cli.errors import VaultError
from vault_cli.model.record import Snapshot, Tally
from vault_cli.model.sums import fold
from vault_cli.store.clock import read_clock
from vault_cli.store.own_usage import own_lines
from vault_cli.store.usage import FOLDER
from vault_cli.store.usage_cache import load_sums
from vault_cli.store.usage_log import read_texts

if TYPE_CHECKING:
    from vault_cli.store.repo import Repository


class Tallies(Mapping[str, Tally]):
    """Sums by record id that are loaded when they are first asked for.

    Args:
        load: gives them; what it raises of the disk means that there are none.
    """

    def __init__(self, load: Callable[[], Mapping[str, Tally]]) -> None:
        self._load = load
        self._found: Mapping[str, Tally] | None = None

    @property
    def found(self) -> Mapping[str, Tally]:
        """All of them."""
        if self._found is None:
            try:
                self._found = self._load()
            except (OSError, VaultError):
                self._found = {}
        return self._found

    def __getitem__(self, key: str) -> Tally:
        return self.found[key]

    def __contains__(self, key: object) -> bool:
        return key in self.found

    def __iter__(self) -> Iterator[str]:
        return iter(self.found)

    def __len__(self) -> int:
        return len(self.found)


def with_sums(root: Path, snapshot: Snapshot, is_trusted: Callable[[], bool]) -> Snapshot:
    """Return a snapshot of the working tree with its observations, read when they are asked for.

    Args:
        root: the vault.
        snapshot: without them.
        is_trusted: whether what others push counts here without a look at it; if not, only what
            this machine observed does.
    """

    def known() -> frozenset[str]:
        return frozenset(record.id for record in snapshot.records)

    def load(*, settled: bool) -> Mapping[str, Tally]:
        alone = not is_trusted()
        return load_sums(root, _today(), settled=settled, alone=alone, known=known).tallies

    return replace(
        snapshot,
        tallies=Tallies(lambda: load(settled=False)),
        settled=Tallies(lambda: load(settled=True)),
    )


def with_past_sums(
    repo: Repository, snapshot: Snapshot, is_trusted: Callable[[], bool]
) -> Snapshot:
    """Return a snapshot of a commit with the observations that the commit holds.

    Args:
        repo: the repository.
        snapshot: without them.
        is_trusted: as for `with_sums`; if not, only lines of this machine's own copies count.
    """

    def load(*, settled: bool) -> Mapping[str, Tally]:
        with repo.reading_trees(snapshot.commit) as read:
            top = read(repo.folder_id(snapshot.commit))
            below = top.get(FOLDER.encode())
            names = [os.fsdecode(name) for name in read(below[1].hex())] if below else []
        texts = [(n, repo.read_blob(snapshot.commit, f"{FOLDER}/{n}") or b"") for n in names]
        if not is_trusted():
            texts = list(own_lines(repo.root, texts))
        known = {record.id for record in snapshot.records}
        return fold(read_texts(texts, known), _today(), settled=settled).tallies

    return replace(
        snapshot,
        tallies=Tallies(lambda: load(settled=False)),
        settled=Tallies(lambda: load(settled=True)),
    )


def _today() -> date:
    return read_clock("", os.environ).astimezone(UTC).date()
