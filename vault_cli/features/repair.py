"""`check --fix`: the repairs a program can plan, as one change. May import `text`, `model`.

Repairs are planned in rounds, one a file in each, on the texts as they would then be, until a
round finds nothing: taking a link out may leave a record without its successor, which is the
next round's matter. What is left over needs somebody to choose, and is said to.

A record whose status was changed by hand against the lifecycle is left alone, with everything
that hangs on it, unless `jumps` is set: the commit of another repair would otherwise record the
jump and so hide it from the next comparison with the last commit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Final

from vault_cli.errors import ChangedMeanwhileError, Diagnostic, RefusedError
from vault_cli.features.records import Planned, digest_of, lost_ending, patch_keys
from vault_cli.features.succession import Succession, age_key
from vault_cli.features.supersession import replace_record
from vault_cli.features.support import unanswered
from vault_cli.model.change import Change, Put
from vault_cli.model.evidence import STALE, judge_verification
from vault_cli.model.lifecycle import Actor, may_step
from vault_cli.model.record import IN_FORCE, Record, Snapshot, Status
from vault_cli.model.relations import RELATIONS, find_circles, links_by, targets_of
from vault_cli.text.document import REMOVE, parse_document
from vault_cli.text.fields import read_record
from vault_cli.text.spelling import nearest_choice

FIXED: Final = (
    "unknown-status",
    "verified-without-evidence",
    "verification-stale",
    "self-relation",
    "supersedes-circle",
    "derived-from-circle",
    "two-successors",
    "not-superseded",
    "superseded-open",
    "successor-lost",
    "one-sided-conflict",
)
"""Codes of findings that are repaired, with `status-jump` on request."""

_ROUNDS = 30
_FOR_A_PERSON: Final = {
    "duplicate-id": "which of the files keeps the id is for a person to choose: give the others "
    "another id, or take them out",
    "status-jump": "a status that nobody may give by hand; --jumps sets it back to the last commit",
}


@dataclass(frozen=True, slots=True)
class Repair:
    """One repair of one file.

    Args:
        path: vault-relative path of the file.
        code: the finding it answers.
        values: front-matter keys with their new values (REMOVE takes one away).
        about: what it does, in words.
    """

    path: str
    code: str
    values: Mapping[str, Any]
    about: str


Earlier = Callable[[Record], bytes | None]
"""Gives the newest committed bytes of a record's file in which it was in force."""


def plan_repairs(
    snapshot: Snapshot,
    texts: Mapping[str, bytes],
    head: Mapping[str, bytes | None] | None,
    now: datetime,
    actor: Actor,
    *,
    jumps: bool = False,
    earlier: Earlier | None = None,
    only: Callable[[str], bool] = lambda _: True,
    origin: str = "cli",
) -> Planned:
    """Plan every repair of a vault that needs no choice, as one change.

    Args:
        snapshot: the vault.
        texts: bytes by path; only those of files that are repaired are asked for.
        head: bytes in the last commit of the files that differ from it, None for a file that it
            does not hold; None when there is no commit.
        now: aware instant in the vault's time zone.
        actor: who asks.
        jumps: also set a status back that was changed by hand against the lifecycle.
        earlier: tells what a record was before it was superseded, to put its end back.
        only: which paths may be repaired.
        origin: how the request came in.

    Returns:
        The change (verb `repair`, empty when nothing can be repaired) with the ids of the
        repaired records; a note `repair` for each step, and one for what a person has to do.

    Raises:
        ChangedMeanwhileError: bytes are missing or differ.
    """
    bench = _Bench(snapshot, texts, dict(head) if head is not None else None, now, jumps, earlier)
    done: list[Repair] = []
    for _ in range(_ROUNDS):
        planned = [r for r in bench.find() if only(r.path)]
        applied = bench.apply(planned)
        if not applied:
            break
        done += applied
    edits = tuple(
        Put(path, data, digest_of(texts[path])) for path, data in sorted(bench.files.items())
    )
    ids = tuple(r.id for r in bench.snapshot.records if r.path in bench.files)
    change = Change(
        verb="repair",
        subject=_subject(done, len(edits)),
        edits=edits,
        reason="\n".join(f"{r.path}: {r.about} ({r.code})" for r in done),
        ids=ids,
        actor=actor,
        origin=origin,
    )
    steps = tuple(Diagnostic(r.path, 0, "repair", "note", f"{r.about} ({r.code})") for r in done)
    return Planned(change, ids, (*steps, *(n for n in bench.for_a_person() if only(n.path))))


def _subject(done: list[Repair], files: int) -> str:
    codes = list(dict.fromkeys(repair.code for repair in done))
    return f": {files} file{'' if files == 1 else 's'} ({', '.join(codes[:3])})"


class _Bench:
    """The vault as it would be after the repairs so far."""

    def __init__(
        self,
        snapshot: Snapshot,
        texts: Mapping[str, bytes],
        head: Mapping[str, bytes | None] | None,
        now: datetime,
        jumps: bool,  # noqa: FBT001 - private, one caller
        earlier: Earlier | None,
    ) -> None:
        self.snapshot = snapshot
        self.files: dict[str, bytes] = {}
        self._texts = texts
        self._head = head
        self._now = now
        self._jumps = jumps
        self._earlier = earlier
        self._stuck: set[tuple[str, str]] = set()
        self._before = _records_of(head)
        self._by_path = {record.path: record for record in snapshot.records}
        self._jumped = {r.path for r in snapshot.records if self._jump(r) is not None}

    def find(self) -> Iterator[Repair]:
        """Yield what can be repaired now, the first of a file being the one to do."""
        yield from self._statuses()
        snapshot = self.snapshot
        succession = Succession(snapshot, self._now)
        bound = self._bound()
        for record in snapshot.records:
            if record.id not in bound:
                yield from self._alone(record)
        yield from self._links(succession, bound)

    def apply(self, repairs: list[Repair]) -> list[Repair]:
        """Apply the first repair of each file; return those that worked."""
        done: dict[str, Repair] = {}
        records: dict[str, Record] = {}
        for repair in repairs:
            key = (repair.path, repair.code)
            if repair.path in done or key in self._stuck:
                continue
            try:
                data = self._data(repair.path)
                new = patch_keys(data, repair.path, repair.values)
            except RefusedError:
                new = data = b""
            record = read_record(new, repair.path)[0] if new != data else None
            if record is None:
                self._stuck.add(key)
                continue
            self.files[repair.path] = new
            records[repair.path], done[repair.path] = record, repair
        self._take(records)
        return list(done.values())

    def _data(self, path: str) -> bytes:
        if path in self.files:
            return self.files[path]
        data, record = self._texts.get(path), self._by_path.get(path)
        if data is None or (record is not None and digest_of(data) != record.digest):
            raise ChangedMeanwhileError(
                f"{path} changed while the command was running", hint="Run the command again."
            )
        return data

    def _take(self, records: Mapping[str, Record]) -> None:
        self._by_path |= records
        ordered = tuple(self._by_path[path] for path in sorted(self._by_path))
        unreadable = tuple(name for name in self.snapshot.unreadable if name not in records)
        self.snapshot = replace(self.snapshot, records=ordered, unreadable=unreadable)
        self._jumped -= {path for path, record in records.items() if self._jump(record) is None}

    def _jump(self, record: Record) -> Record | None:
        """Return the record as committed when its status went a way that nobody may take."""
        old = self._before.get(record.id)
        if old is None or old.digest == record.digest:
            return None
        return None if may_step(old.status, record.status, Actor.PERSON) else old

    def _bound(self) -> set[str]:
        """Return the ids of records with a jump, and of those that hang on them."""
        found: set[str] = set()
        for record in self._jumped_records():
            found |= {record.id, *record.supersedes}
        if found:
            pointing = (r for r in self.snapshot.records if "superseded_by" in r.fields)
            found |= {r.id for r in pointing if r.fields["superseded_by"] in found}
        return found

    def _jumped_records(self) -> list[Record]:
        return [self._by_path[path] for path in sorted(self._jumped)]

    def _statuses(self) -> Iterator[Repair]:
        for finding in self.snapshot.diagnostics:
            if finding.code == "unknown-status" and finding.path in self.snapshot.unreadable:
                yield from self._misspelt(finding.path)
        if self._jumps:
            for record in self._jumped_records():
                old = self._jump(record)
                if old is not None:
                    text = f"status back to {old.written_status}, as in the last commit"
                    values: dict[str, Any] = {"status": str(old.written_status)}
                    values |= lost_ending(record, self._before, old.written_status)
                    yield Repair(record.path, "status-jump", values, text)

    def _misspelt(self, path: str) -> Iterator[Repair]:
        document = parse_document(self._data(path), path)
        written = document.front.get("status")
        near = nearest_choice(written, tuple(map(str, Status))) if isinstance(written, str) else ""
        if near and not document.is_broken:
            meant = read_record(patch_keys(document.data, path, {"status": near}), path)[0]
            old = self._jump(meant) if meant is not None else None
            if old is not None:  # what is meant nobody may give by hand: as it was, then
                near = str(old.written_status)
            yield Repair(path, "unknown-status", {"status": near}, f"status {written} to {near}")

    def _alone(self, record: Record) -> Iterator[Repair]:
        """Yield what is wrong with one record, whatever the others say."""
        if record.written_status is Status.VERIFIED:
            code, problem = judge_verification(record)
            if code:
                status = self._admitted_as(record)
                values = {"status": str(status), **lost_ending(record, self._before, status)}
                if code == STALE:
                    values["verification"] = REMOVE
                yield Repair(record.path, code, values, f"status to {status}: {problem}")
        for key in RELATIONS:
            if record.id in targets_of(record, key):
                yield _without(record, key, record.id, "self-relation")

    def _admitted_as(self, record: Record) -> Status:
        """Return the status that a record without a valid verification had or has a right to."""
        old = self._before.get(record.id)
        if old is not None:
            is_admitted = old.written_status in IN_FORCE
            return Status.ACTIVE if is_admitted else old.written_status
        is_new = self._head is None or record.path in self._head
        return Status.CANDIDATE if is_new else Status.ACTIVE

    def _links(self, succession: Succession, bound: set[str]) -> Iterator[Repair]:
        by_id = self.snapshot.by_id
        free = [r for r in by_id.values() if r.id not in bound]
        for key in ("supersedes", "derived_from"):
            for circle in find_circles(by_id, links_by(by_id, key)):
                if bound.isdisjoint(circle):
                    yield _opened(by_id, circle, key)
        for record in free:
            rivals = [r for r in succession.rivals(record) if r.id not in bound]
            for older in rivals[:-1]:
                yield _without(older, "supersedes", record.id, "two-successors")
            yield from self._succeeded(record, succession)
            for other_id, kind in unanswered(record, by_id):
                if other_id not in bound:
                    yield _answered(by_id[other_id], record.id, kind)

    def _succeeded(self, record: Record, succession: Succession) -> Iterator[Repair]:
        """Yield what a record lacks whose successor counts, or is lost."""
        rivals, current = succession.rivals(record), succession.current(record)
        in_time = record.validity.state_at(self._now) == "current"
        if current and record.in_force and in_time:
            yield from self._replaced(record, current[-1], "not-superseded")
        elif succession.is_open(record):
            yield from self._replaced(record, rivals[-1], "superseded-open")
        elif succession.is_lost(record):
            heir = succession.heir(record)
            if heir is not None:
                ids = [*heir.supersedes, record.id]
                text = f"supersedes also {record.id}, whose own successor is gone"
                yield Repair(heir.path, "successor-lost", {"supersedes": ids}, text)
            else:
                yield self._revived(record)

    def _replaced(self, record: Record, successor: Record, code: str) -> Iterator[Repair]:
        data = {record.path: self._data(record.path)}
        try:
            effect = replace_record(record, successor, data, now=self._now, actor=Actor.PERSON)
        except RefusedError:
            return
        if effect.edit is None:
            return
        after = read_record(effect.edit.data, record.path)[0]
        values: dict[str, Any] = {"superseded_by": successor.id}
        if after is not None:
            values["status"] = str(after.written_status)
            values |= {k: v for k, v in after.fields.items() if k.startswith("valid_to")}
            yield Repair(record.path, code, values, f"superseded by {successor.id}")

    def _revived(self, record: Record) -> Repair:
        """Put a record back in force as it was before its lost successor took its place."""
        past = self._earlier(record) if self._earlier else None
        old = read_record(past, record.path)[0] if past else None
        values: dict[str, Any] = {"status": str(Status.ACTIVE)}
        if old is not None and old.written_status is Status.VERIFIED:
            probe = replace(record, written_status=Status.VERIFIED)
            if not judge_verification(probe)[0]:
                values["status"] = str(Status.VERIFIED)
        for key in ("superseded_by", "graduated", "valid_to_before"):
            if key in record.fields:
                values[key] = REMOVE
        end = record.fields.get("valid_to_before") or (old.fields.get("valid_to") if old else None)
        if end:
            values["valid_to"] = end
        elif "valid_to" in record.fields and (old is not None or "superseded_by" in record.fields):
            values["valid_to"] = REMOVE
        text = f"back in force ({values['status']}): its successor is gone or was never admitted"
        return Repair(record.path, "successor-lost", values, text)

    def for_a_person(self) -> Iterator[Diagnostic]:
        """Yield a note about each thing that is wrong and is not repaired here."""
        for record in self.snapshot.records:
            codes = {f.code for f in record.findings} & {"duplicate-id"}
            if self._jump(record) is not None:
                codes.add("status-jump")
            for code in sorted(codes):
                text = f"left alone: {_FOR_A_PERSON[code]}"
                yield Diagnostic(record.path, 0, code, "note", text)
        for path, code in sorted(self._stuck):
            text = f"left alone: {code} cannot be repaired in place here"
            yield Diagnostic(path, 0, code, "note", text, "Correct it in an editor.")


def _records_of(head: Mapping[str, bytes | None] | None) -> dict[str, Record]:
    found: dict[str, Record] = {}
    for path, data in (head or {}).items():
        record = read_record(data, path)[0] if data else None
        if record is not None:
            found[record.id] = record
    return found


def _without(record: Record, key: str, target: str, code: str) -> Repair:
    """Take one id out of a relation."""
    written = record.fields.get(key)
    items = written if isinstance(written, list) else [written]
    kept = [item for item in items if _named(item) != target]
    about = f"{target} out of {key}"
    return Repair(record.path, code, {key: kept or REMOVE}, about)


def _named(item: Any) -> Any:
    return item.get("id") if isinstance(item, Mapping) else item


def _opened(by_id: Mapping[str, Record], circle: tuple[str, ...], key: str) -> Repair:
    """Open a circle at its oldest record: it cannot have come after the others."""
    places = range(len(circle) - 1)
    first = min(places, key=lambda place: age_key(by_id[circle[place]]))
    code = f"{key.replace('_', '-')}-circle"
    return _without(by_id[circle[first]], key, circle[first + 1], code)


def _answered(record: Record, other_id: str, kind: str) -> Repair:
    """Name a conflict from this side too."""
    written = record.fields.get("conflicts")
    items = written if isinstance(written, list) else [written] if written else []
    values = {"conflicts": [*items, {"id": other_id, "type": kind}]}
    return Repair(record.path, "one-sided-conflict", values, f"names its conflict with {other_id}")
