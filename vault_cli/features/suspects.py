"""Texts that wait for a person and sound like an attack. May import `model`, `text`, `errors`.

Asked where a text comes in and where a person decides about it, never when the vault is read:
what is in force has been read by a person, and the index stays fast.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

from vault_cli.errors import Diagnostic
from vault_cli.model.record import Record
from vault_cli.text.lines import first_heading
from vault_cli.text.suspicion import SUSPICIOUS, find_suspicious

GATE = "suspicion"
"""Name of this gate in the setting `admission.gates`."""

_HINT = "No rule says so and nothing is held: read it once more before you approve it."


def find_suspects(records: Iterable[Record], gates: Collection[str]) -> tuple[Diagnostic, ...]:
    """Return a note for each candidate that sounds like an attack.

    A text that a rule holds already gets none. No key of a record can switch the note off.

    Args:
        records: those to look at; what is not a candidate is passed over.
        gates: the gates of admission that are on.
    """
    if GATE not in gates:
        return ()
    return tuple(
        Diagnostic(record.path, 0, SUSPICIOUS, "note", hit.message, _HINT)
        for record in records
        if record.is_draft and not any(item.holds for item in record.findings)
        for hit in find_suspicious(_text_of(record))
    )


def _text_of(record: Record) -> str:
    """Return the title and the body; a title that is the heading of the body once."""
    if first_heading(record.body) == record.title:
        return record.body
    return f"{record.title}\n{record.body}"
