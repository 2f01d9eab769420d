"""Shell completion of ids, kinds and statuses. May import `store`, `model`; never fails.

The answer of a completion is evaluated by some shells, so a title is reduced to characters that
mean nothing to any of them.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from vault_cli.model.record import ID_PATTERN, Kind, Record, Status

_PLAIN = frozenset(" .,+=@%_/-")
_TITLE_LENGTH = 60


def complete_id(incomplete: str) -> list[tuple[str, str]]:
    """Return (id, title) of the records whose id begins with what was typed."""
    return list(_matches(incomplete, _records()))


def complete_draft(incomplete: str) -> list[tuple[str, str]]:
    """Return (id, title) of candidates only."""
    drafts = (r for r in _records() if r.is_draft)
    return list(_matches(incomplete, drafts))


def complete_quarantined(incomplete: str) -> list[str]:
    """Return the ids of what is held back; their titles are nobody's to read in passing."""
    held = (r for r in _records() if r.status is Status.QUARANTINED)
    return [record_id for record_id, _ in _matches(incomplete, held)]


def complete_in_force(incomplete: str) -> list[tuple[str, str]]:
    """Return (id, title) of records in force only."""
    return list(_matches(incomplete, (r for r in _records() if r.in_force)))


def complete_disputed(incomplete: str) -> list[tuple[str, str]]:
    """Return (id, title) of disputed records only."""
    return list(_matches(incomplete, (r for r in _records() if r.status is Status.DISPUTED)))


def complete_ended(incomplete: str) -> list[tuple[str, str]]:
    """Return (id, title) of the records that can be revived."""
    ended = {Status.SUPERSEDED, Status.DEPRECATED, Status.REJECTED}
    return list(_matches(incomplete, (r for r in _records() if r.status in ended)))


def complete_task(incomplete: str) -> list[tuple[str, str]]:
    """Return (id, title) of tasks only."""
    return list(_matches(incomplete, (r for r in _records() if r.kind is Kind.TASK)))


def complete_ticket(incomplete: str) -> list[tuple[str, str]]:
    """Return (id, title) of tickets only."""
    return list(_matches(incomplete, (r for r in _records() if r.kind is Kind.TICKET)))


def complete_stage(incomplete: str) -> list[str]:
    """Return the stages of tickets that begin with what was typed."""
    from vault_cli.model.schema import TICKET_STAGES

    return [stage for stage in TICKET_STAGES if stage.startswith(incomplete)]


def complete_kind(incomplete: str) -> list[str]:
    """Return the kinds that begin with what was typed."""
    return [str(kind) for kind in Kind if kind.startswith(incomplete)]


def complete_status(incomplete: str) -> list[str]:
    """Return the statuses that begin with what was typed."""
    return [str(status) for status in Status if status.startswith(incomplete)]


def complete_view(incomplete: str) -> list[str]:
    """Return the views that begin with what was typed."""
    from vault_cli.recall.views import VIEWS

    return [view for view in VIEWS if view.startswith(incomplete)]


def complete_topic(incomplete: str) -> list[tuple[str, str]]:
    """Return (name, title) of the declared topics, by id where a shell could read the name."""
    from vault_cli.recall.topics import TopicTable

    rows = []
    for topic in TopicTable(_records()).topics:
        word = topic.name if plain_title(topic.name) == topic.name else topic.record.id
        word = topic.record.id if " " in word else word
        if word.startswith(incomplete):
            rows.append((word, plain_title(topic.name)))
    return rows


def _matches(incomplete: str, records: Iterator[Record]) -> Iterator[tuple[str, str]]:
    seen: set[str] = set()  # of two records with an id the one in force is offered
    for record in sorted(records, key=lambda record: not record.in_force):
        if record.id in seen:
            continue
        if record.id.startswith(incomplete) and ID_PATTERN.fullmatch(record.id):
            seen.add(record.id)
            yield record.id, plain_title(record.title)


def plain_title(title: str) -> str:
    """Return a title without anything that a shell could read as more than text."""
    kept = "".join(char if char.isalnum() or char in _PLAIN else " " for char in title)
    return " ".join(kept.split())[:_TITLE_LENGTH]


def _records() -> Iterator[Record]:
    from vault_cli.store.layers import find_layers

    try:
        layers = find_layers(None, cwd=Path.cwd(), environ=os.environ)
    except Exception:  # noqa: BLE001 - a shell must never see an error of ours while completing
        return
    for root in (layers.home, layers.beside):
        yield from _records_in(root) if root is not None else ()


def _records_in(root: Path) -> tuple[Record, ...]:
    from vault_cli.cli.guarding import shown_records
    from vault_cli.store.vault import Vault

    try:
        vault = Vault.open(root, environ=os.environ, lenient=True)
        return tuple(r for r in shown_records(vault, vault.snapshot(whole=False)) if not r.withheld)
    except Exception:  # noqa: BLE001 - as above
        return ()
