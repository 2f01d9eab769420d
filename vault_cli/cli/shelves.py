"""The records of one or two vaults made ready for a search. May import everything below `cli`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING

from vault_cli.recall.corpus import LAYOUT, Shelf, TextShelf, describe
from vault_cli.store.postings import Postings
from vault_cli.store.segments import PostingsError

if TYPE_CHECKING:
    from vault_cli.cli.clocks import Clocks
    from vault_cli.cli.invocation import Invocation
    from vault_cli.model.record import Record
    from vault_cli.store.vault import Vault


@contextmanager
def open_shelves(vault: Vault, records: Sequence[Record]) -> Iterator[list[Shelf]]:
    """Give shelves with these records, from the stored postings where there are some.

    What is not stored yet is stored first when there is much of it, else it is read through.

    Args:
        vault: whose records they are.
        records: searchable ones, as the working tree has them (or what stands in for it).

    Raises:
        PostingsError: what was stored turned out to be damaged while it was used; it is thrown
            away, so that the next run makes it anew.
    """
    index = Postings(vault.root, vault.config.gates)
    try:
        yield _prepare(index, records)
    finally:
        if index.is_damaged:
            index.discard()
        index.close()


def _prepare(index: Postings, records: Sequence[Record]) -> list[Shelf]:
    try:
        stored, loose = index.open(records, LAYOUT)
        if index.bring_up_to_date(records, stored, loose, LAYOUT, describe):
            stored, loose = index.open(records, LAYOUT)
    except PostingsError:
        return [TextShelf(records)]
    silent = {record.path for record in records if not record.has_say}
    for shelf in stored:
        shelf.silence(silent)
    shelves: list[Shelf] = [*stored]
    if loose or not shelves:
        shelves.append(TextShelf(loose))
    return shelves


@contextmanager
def all_shelves(inv: Invocation, clocks: Clocks, *, stored: bool) -> Iterator[list[Shelf] | None]:
    """Give shelves with the records of a question, of one vault or of both.

    None, to read them all through, of a past commit and when what is stored is not to be used.
    """
    from vault_cli.recall.corpus import searchable

    if clocks.is_past or not stored:
        yield None
        return
    passed = clocks.snapshot.passed_over  # they have no text here, and would be stored without
    every = searchable(r for r in clocks.snapshot.records if (r.path, r.digest) not in passed)
    teams = [record for record in every if record.team]
    records = [record for record in every if not record.team] if teams else every
    with ExitStack() as stack:
        shelves: list[Shelf] = [TextShelf(teams)] if teams else []
        for vault, own in by_vault(inv, records):
            shelves += stack.enter_context(open_shelves(vault, own))
        yield shelves


def by_vault(inv: Invocation, records: list[Record]) -> Iterator[tuple[Vault, list[Record]]]:
    """Yield each vault with its records; the project's come first."""
    from vault_cli.recall.together import USER

    other = inv.reading.other
    if other is None or not any(record.vault for record in records):
        yield inv.vault, records
        return
    home = inv.reading.home
    for vault, name in ((home, ""), (other, USER)):
        own = [record for record in records if (record.vault == USER) == (name == USER)]
        if vault is not None and own:
            yield vault, own
