"""What is wrong between the files: links, relations, statuses, parts. May import `text`, `model`.

The reader reports what is wrong in one file; these checks need the whole vault, or its last
commit. Nothing here changes a file.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from datetime import datetime

from vault_cli.errors import Diagnostic, Severity
from vault_cli.features.conflicts import check_conflicts
from vault_cli.features.links import LinkIndex, find_links
from vault_cli.features.parts import missing_notes, verification_problem
from vault_cli.features.topics import check_topics
from vault_cli.model.lifecycle import Actor, may_step
from vault_cli.model.record import ENDED, Kind, Record, Snapshot, Status
from vault_cli.text.document import Document, parse_document
from vault_cli.text.fields import read_record


def check(
    snapshot: Snapshot,
    *,
    now: datetime,
    head: Mapping[str, bytes] | None = None,
    load: Callable[[str], bytes] | None = None,
    files: Collection[str] = (),
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

    Returns:
        Findings sorted by path and line; each `error` is a status that nobody may have given.
    """
    places = _Places(load)
    found: list[Diagnostic] = []
    links = LinkIndex(snapshot, files)
    for record in snapshot.records:
        found += _check_links(record, links, places)
        found += _check_parts(record)
        found += _check_dates(record, now, places)
        found += _check_verified(record, places)
    found += check_relations(snapshot, now, load=load)
    found += check_topics(snapshot)
    if head is not None:
        found += check_history(snapshot, head)
    return sorted(found)


class _Places:
    """Finds the lines of a record's file, which is only read when there is a finding.

    Args:
        load: gives a file's bytes by path; without it no finding has a line.
    """

    def __init__(self, load: Callable[[str], bytes] | None) -> None:
        self._load = load
        self._path = ""
        self._document: Document | None = None

    def _read(self, record: Record) -> Document | None:
        if self._load is not None and record.path != self._path:
            self._path = record.path
            self._document = parse_document(self._load(record.path), record.path)
        return self._document

    def key(self, record: Record, key: str) -> int:
        """Return the file line of a front-matter key, 0 when it is not known."""
        document = self._read(record)
        return document.key_lines.get(key, 0) if document else 0

    def body(self, record: Record, line: int) -> int:
        """Return the file line of a body line, 0 when it is not known."""
        document = self._read(record)
        return document.body_line + line - 1 if document else 0


def _finding(
    record: Record, code: str, severity: Severity, message: str, hint: str, line: int = 0
) -> Diagnostic:
    return Diagnostic(record.path, line, code, severity, message, hint)


def _check_links(record: Record, links: LinkIndex, places: _Places) -> Iterator[Diagnostic]:
    for link in find_links(record.body):
        if links.leads_somewhere(link, record):
            continue
        line = places.body(record, link.line)
        shown = f"[[{link.target}]]" if link.is_wiki else link.target
        hint = "Correct the link, or write the note it leads to."
        yield _finding(
            record, "dangling-link", "warning", f"{shown} leads nowhere in the vault", hint, line
        )


def _check_parts(record: Record) -> Iterator[Diagnostic]:
    if record.status not in ENDED and record.kind is not Kind.SKILL:
        yield from missing_notes(record, "note")


def _check_dates(record: Record, now: datetime, places: _Places) -> Iterator[Diagnostic]:
    if record.in_force and record.validity.state_at(now) == "expired":
        end = record.validity.end
        text = f"expired: it held until {end.isoformat() if end else ''}"
        hint = f"Give it a later valid_to, or: mvault deprecate {record.id} --reason expired"
        line = places.key(record, "valid_to")
        yield _finding(record, "expired", "note", text, hint, line)


def _check_verified(record: Record, places: _Places) -> Iterator[Diagnostic]:
    if record.written_status is not Status.VERIFIED:
        return
    problem = verification_problem(record.fields)
    if problem:
        hint = "Set status back to active, or add verification and the evidence it cites."
        text = f"status verified, but {problem}"
        line = places.key(record, "status")
        yield _finding(record, "verified-without-evidence", "error", text, hint, line)


def check_relations(
    snapshot: Snapshot, now: datetime, *, load: Callable[[str], bytes] | None = None
) -> list[Diagnostic]:
    """Check `supersedes`, `derived_from` and `conflicts` over the whole vault.

    Args:
        snapshot: all records.
        now: aware instant in the vault's time zone.
        load: gives a file's bytes by path, to tell the line of a finding.
    """
    places = _Places(load)
    known = {record.id for record in snapshot.records}
    known |= {alias for record in snapshot.records for alias in record.aliases}
    found: list[Diagnostic] = []
    successors: dict[str, list[Record]] = {}
    for record in snapshot.records:
        found += _check_targets(record, known, places)
        if record.in_force:
            for old in record.supersedes:
                successors.setdefault(old, []).append(record)
    found += _check_circles(snapshot)
    found += check_conflicts(snapshot)
    for record in snapshot.records:
        found += _check_successors(record, successors.get(record.id, []), known, now)
    return found


def _check_targets(record: Record, known: Collection[str], places: _Places) -> Iterator[Diagnostic]:
    relations = (
        ("supersedes", record.supersedes),
        ("derived_from", record.derived_from),
        ("conflicts", tuple(other for other, _ in record.conflicts)),
    )
    for key, targets in relations:
        for target in targets:
            if target == record.id:
                text, code = f"{key} names the record itself", "self-relation"
            elif target not in known:
                text, code = f"{key} names {target}, which is not in the vault", f"dangling-{key}"
                code = code.replace("_", "-")
            else:
                continue
            hint = f"Correct {key}, or take the id out."
            yield _finding(record, code, "warning", text, hint, places.key(record, key))


def _check_circles(snapshot: Snapshot) -> Iterator[Diagnostic]:
    by_id = snapshot.by_id
    done: set[str] = set()
    for start in by_id:
        trail: dict[str, None] = {}
        stack: list[tuple[str, int]] = [(start, 0)]
        while stack:
            current, position = stack.pop()
            if position == 0:
                if current in done:
                    continue
                trail[current] = None
            targets = by_id[current].supersedes
            if position == len(targets):
                trail.pop(current, None)
                done.add(current)
                continue
            stack.append((current, position + 1))
            target = targets[position]
            if target in trail and target != current:
                yield _circle(by_id, trail, target)
            elif target in by_id and target not in done and target != current:
                stack.append((target, 0))


def _circle(by_id: Mapping[str, Record], trail: Mapping[str, None], target: str) -> Diagnostic:
    ids = list(trail)
    circle = [*ids[ids.index(target) :], target]
    text = f"supersedes goes round in a circle: {' -> '.join(circle)}"
    return _finding(
        by_id[target], "supersedes-circle", "warning", text, "Take one of the ids out of it."
    )


def _check_successors(
    record: Record, successors: list[Record], known: Collection[str], now: datetime
) -> Iterator[Diagnostic]:
    others = [other for other in successors if other.id != record.id]
    names = ", ".join(f"{other.id} ({other.path})" for other in others)
    if len(others) > 1:
        hint = "A record has one successor: let the newer supersede the other."
        yield _finding(
            record,
            "two-successors",
            "warning",
            f"superseded by {len(others)} records: {names}",
            hint,
        )
    current = [other for other in others if other.validity.state_at(now) == "current"]
    if current and record.in_force and record.validity.state_at(now) == "current":
        text = f"in force although {current[0].id} supersedes it"
        hint = f"Set status: superseded here, or take {record.id} out of {current[0].path}."
        yield _finding(record, "not-superseded", "warning", text, hint)
    pointer = record.fields.get("superseded_by")
    moved = "promoted_to" in record.fields  # into another vault: see `features.promotion`
    if record.status is Status.SUPERSEDED and not others and pointer not in known and not moved:
        text = "superseded, but its successor is not in the vault"
        hint = f"Put it back in force: mvault approve {record.id}"
        yield _finding(record, "successor-lost", "warning", text, hint)


def check_history(snapshot: Snapshot, head: Mapping[str, bytes]) -> list[Diagnostic]:
    """Compare statuses and ids with the last commit and report steps that nobody may take.

    Args:
        snapshot: the records as they are now.
        head: bytes by path in the last commit of the files that differ from it.
    """
    before: dict[str, Record] = {}
    by_path: dict[str, Record] = {}
    for path, data in head.items():
        old, _ = read_record(data, path)
        if old is not None:
            before[old.id] = old
            by_path[path] = old
    found: list[Diagnostic] = []
    for record in snapshot.records:
        old = before.get(record.id)
        if old is not None and old.digest != record.digest:
            found += _check_step(old, record)
        elif old is None and record.path in by_path and by_path[record.path].adopted:
            was = by_path[record.path].id
            text = f"the id changed by hand: it was {was}"
            hint = f"Set it back to {was}; other records may name it."
            found.append(_finding(record, "id-changed", "warning", text, hint))
    return found


def _check_step(old: Record, record: Record) -> Iterator[Diagnostic]:
    if not may_step(old.status, record.status, Actor.PERSON):
        text = f"the status went from {old.status} to {record.status} by hand"
        hint = f"Set it back to {old.written_status}, then use the command for it."
        yield _finding(record, "status-jump", "error", text, hint)
