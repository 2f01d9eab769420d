"""What a reading command is given: the text that counts, of the vault that has it. + all below."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from vault_cli.cli.finding import Found
    from vault_cli.cli.invocation import Invocation
    from vault_cli.model.record import Record, Snapshot


def look_up(inv: Invocation, text: str) -> Found:
    """Return the record that a reader is shown, and its twin in the other vault.

    The run turns to the vault of the record.

    Args:
        inv: the running command.
        text: an id, its beginning or a path.

    Raises:
        NotFoundError, UsageError, RefusedError: as `Finder.find_shown`; and when one
            of the other vault was looked up before.
        TeamRecordError: a team vault has it.
    """
    from vault_cli.errors import NotFoundError

    try:
        found = inv.reading.finder.find_shown(text)
    except NotFoundError as error:
        from vault_cli.cli.team_reading import explain_missing

        raise explain_missing(inv.reading.teams[0], text, error) from error
    inv.settle_on(found.record, found.vault)
    return found


def find_shown(inv: Invocation, text: str) -> Record:
    """Return the record that a reader is shown; arguments and errors as `look_up`."""
    return look_up(inv, text).record


def shown_of(inv: Invocation) -> Snapshot:
    """Return the records of the vault at hand as the person's trust settings leave them."""
    return inv.reading.finder.of(inv.vault)


def work_of(inv: Invocation) -> Snapshot:
    """Return `shown_of` without what came from others and nobody looked at here.

    For who acts by tasks and tickets: what a push says of work must not count as one's own.
    """
    from dataclasses import replace

    found = shown_of(inv)
    kept = (r for r in found.records if not r.is_unseen)
    return replace(found, records=tuple(kept))


def admitted_of(inv: Invocation) -> Snapshot:
    """Return those of `shown_of` that the trust settings keep nothing out of."""
    from dataclasses import replace

    found = shown_of(inv)
    return replace(found, records=tuple(r for r in found.records if not r.withheld))
