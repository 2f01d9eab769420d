"""What is wrong between the files: links, relations, statuses, parts. May import `text`, `model`.

The reader reports what is wrong in one file; these checks need the whole vault, or its last
commit. Nothing here changes a file.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from datetime import datetime
from types import MappingProxyType

from vault_cli.errors import Diagnostic
from vault_cli.features.conflicts import check_conflicts
from vault_cli.features.evidence import check_evidence
from vault_cli.features.forgetting import check_forgotten
from vault_cli.features.graduating import check_skills
from vault_cli.features.grounds import check_proposals
from vault_cli.features.handoff import check_handoffs
from vault_cli.features.jumps import check_history
from vault_cli.features.links import LinkIndex, find_links
from vault_cli.features.parts import missing_notes
from vault_cli.features.persona import check_personas
from vault_cli.features.places import Places, finding
from vault_cli.features.reflection import check_runs
from vault_cli.features.succession import Succession
from vault_cli.features.support import (
    check_support,
    known_names,
    related_to,
)
from vault_cli.features.tasks import check_tasks
from vault_cli.features.tickets import check_tickets
from vault_cli.features.topics import check_topics
from vault_cli.model.record import ENDED, Kind, Record, Snapshot
from vault_cli.model.relations import RELATIONS, find_circles, links_by, targets_of
from vault_cli.text.codes import show
from vault_cli.text.sections import nearest_heading, split_sections


def check(
    snapshot: Snapshot,
    *,
    now: datetime,
    head: Mapping[str, bytes] | None = None,
    load: Callable[[str], bytes] | None = None,
    files: Collection[str] = (),
    elsewhere: Mapping[str, str] = MappingProxyType({}),
) -> list[Diagnostic]:
    """Check a vault beyond what its reader reports.

    Args:
        snapshot: all records; its own diagnostics are not repeated.
        now: aware instant in the vault's time zone.
        head: bytes by path in the last commit of the records that differ from it (and of those
            that are gone); None skips the comparison of statuses.
        load: gives a file's bytes by path; only called to tell the line of a finding.
        files: further vault-relative paths (attachments, notes that are not records), so that
            links to them can be judged.
        elsewhere: where the records of another vault are, by id.

    Returns:
        Findings sorted by path and line; each `error` is a status that nobody may have given.
    """
    places = Places(load)
    found: list[Diagnostic] = []
    links = LinkIndex(snapshot, files)
    for record in snapshot.records:
        found += _check_links(record, links, places)
        found += _check_parts(record)
        found += _check_headings(record, places)
        found += _check_dates(record, now, places)
        found += check_evidence(record, places)
    found += check_relations(snapshot, now, load=load, elsewhere=elsewhere)
    found += check_forgotten(snapshot)
    found += check_support(snapshot, places)
    found += check_topics(snapshot)
    found += (*check_tasks(snapshot), *check_tickets(snapshot), *check_handoffs(snapshot))
    found += check_runs(snapshot)
    found += (*check_skills(snapshot, now), *check_personas(snapshot))
    if head is not None:
        found += check_history(snapshot, head)
    return sorted(found)


def _check_links(record: Record, links: LinkIndex, places: Places) -> Iterator[Diagnostic]:
    for link in find_links(record.body):
        if links.leads_somewhere(link, record):
            continue
        line = places.body(record, link.line)
        shown = f"[[{link.target}]]" if link.is_wiki else link.target
        hint = "Correct the link, or write the note it leads to."
        yield finding(
            record, "dangling-link", "warning", f"{shown} leads nowhere in the vault", hint, line
        )


def _check_parts(record: Record) -> Iterator[Diagnostic]:
    if record.status not in ENDED and record.kind is not Kind.SKILL:
        yield from missing_notes(record, "note")


def _check_headings(record: Record, places: Places) -> Iterator[Diagnostic]:
    """Yield a note for each heading that is probably a misspelt one of ours."""
    if record.status in ENDED or record.kind is Kind.SKILL:
        return
    for section in split_sections(record.body, record.kind)[1]:
        if near := nearest_heading(section.heading):
            text = (
                f"the section {show(section.heading)} means nothing special; did you mean {near}?"
            )
            hint = f"Write `## {near.capitalize()}`, or leave it: it is shown as it is."
            body = record.body.split("\n")
            at = next((n for n, t in enumerate(body, 1) if t.strip(" #") == section.heading), 1)
            yield finding(record, "section-spelling", "note", text, hint, places.body(record, at))


def _check_dates(record: Record, now: datetime, places: Places) -> Iterator[Diagnostic]:
    if record.in_force and record.validity.state_at(now) == "expired":
        end = record.validity.end
        text = f"expired: it held until {end.isoformat() if end else ''}"
        hint = f"Give it a later valid_to, or: mvault deprecate {record.id} --reason expired"
        line = places.key(record, "valid_to")
        yield finding(record, "expired", "note", text, hint, line)


def check_relations(
    snapshot: Snapshot,
    now: datetime,
    *,
    load: Callable[[str], bytes] | None = None,
    elsewhere: Mapping[str, str] = MappingProxyType({}),
) -> list[Diagnostic]:
    """Check `supersedes`, `derived_from` and `conflicts` over the whole vault.

    Args:
        snapshot: all records.
        now: aware instant in the vault's time zone.
        load: gives a file's bytes by path, to tell the line of a finding.
        elsewhere: where records of another vault are, by id.
    """
    places = Places(load)
    known = known_names(snapshot)
    succession = Succession(snapshot, now)
    by_id = snapshot.by_id
    found: list[Diagnostic] = []
    for record in snapshot.records:
        found += _check_targets(record, known, places, elsewhere)
        found += _check_successors(record, succession)
    found += check_proposals(snapshot)
    for circle in find_circles(by_id, links_by(by_id, "supersedes")):
        text = f"supersedes goes round in a circle: {' -> '.join(circle)}"
        hint = "Take one of the ids out of it."
        record = by_id[circle[0]]
        found.append(finding(record, "supersedes-circle", "warning", text, hint))
    found += check_conflicts(snapshot)
    return found


def _check_targets(
    record: Record, known: Collection[str], places: Places, elsewhere: Mapping[str, str]
) -> Iterator[Diagnostic]:
    relations = [(key, targets_of(record, key)) for key in RELATIONS]
    for key, targets in (*relations, ("links", tuple(name for name, _ in related_to(record)))):
        for target in targets:
            if target == record.id:
                text, code = f"{key} names the record itself", "self-relation"
            elif target not in known:
                where = f"in {elsewhere[target]}, and " if target in elsewhere else ""
                text = f"{key} names {target}, which is {where}not in the vault"
                code = f"dangling-{key}"
                code = code.replace("_", "-")
            else:
                continue
            hint = f"Correct {key}, or take the id out."
            yield finding(record, code, "warning", text, hint, places.key(record, key))


def _check_successors(record: Record, succession: Succession) -> Iterator[Diagnostic]:
    others = succession.rivals(record)
    if len(others) > 1:
        names = ", ".join(f"{other.id} ({other.path})" for other in others)
        text = f"superseded by {len(others)} records: {names}"
        hint = "A record has one successor: let the newer supersede the other."
        yield finding(record, "two-successors", "warning", text, hint)
    current = succession.current(record)
    if current and record.in_force and record.validity.state_at(succession.now) == "current":
        text = f"in force although {current[0].id} supersedes it"
        hint = f"Set status: superseded here, or take {record.id} out of {current[0].path}."
        yield finding(record, "not-superseded", "warning", text, hint)
    if succession.is_lost(record):
        text = "superseded, but its successor is gone or was never admitted"
        hint = (
            "See what would be done: mvault check --fix --dry-run; "
            f"or: mvault revive {record.id} --reason TEXT"
        )
        yield finding(record, "successor-lost", "warning", text, hint)
    elif succession.is_open(record):
        text = f"superseded by {others[-1].id}, but it has no last day"
        hint = "Give it a valid_to, or: mvault check --fix"
        yield finding(record, "superseded-open", "note", text, hint)
