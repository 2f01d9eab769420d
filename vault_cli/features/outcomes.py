"""What recorded tasks tell of the vault: failures and proposals that repeat. + `text`, `model`.

Nobody assigned which session was shown what. So these are counts of what happened, with their
number, and no proof that the vault was the cause; the two groups differ in more than the vault.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any, Final, NamedTuple

from vault_cli.features.likeness import compare_record
from vault_cli.features.task_records import Task, all_tasks
from vault_cli.model.observation import EXPOSURE, Kept
from vault_cli.model.record import WORK_KINDS, Kind, Record, Snapshot, Status
from vault_cli.model.shares import Share
from vault_cli.text.similarity import compare_texts

SUCCEEDED, FAILED = "succeeded", "failed"
_ALIKE: Final = frozenset({"same", "near", "similar"})
_NOTE: Final = (
    "Nobody decided by lot which session was shown the vault: the groups differ in more than that."
)


class Pair(NamedTuple):
    """A task that failed, and the next one on the same thing.

    Args:
        earlier, later: ids.
        failed_again: how the later one ended.
        informed: whether its session had been shown anything of the vault.
        about: whether that included a record that rests on the earlier task.
    """

    earlier: str
    later: str
    failed_again: bool
    informed: bool
    about: bool


class Proposal(NamedTuple):
    """A record that was proposed after something had been rejected.

    Args:
        id: of the record.
        again: id of the rejected one that it repeats, "" for none.
        informed: whether its session had been shown anything of the vault.
    """

    id: str
    again: str
    informed: bool


class Study(NamedTuple):
    """What the recorded tasks and proposals come to.

    Args:
        pairs: each failed task with the next one on the same thing, if that has ended.
        proposals: what was proposed after the first rejection, by sessions that are known.
        unknown: proposals of which no session is known; they are in no group.
        tasks: how many tasks succeeded or failed.
    """

    pairs: tuple[Pair, ...]
    proposals: tuple[Proposal, ...]
    unknown: int
    tasks: int

    def repeats(self, *, informed: bool) -> Share:
        """Return how many of the next tasks failed again, with or without the vault."""
        own = [pair for pair in self.pairs if pair.informed is informed]
        return Share(sum(pair.failed_again for pair in own), len(own))

    def repeats_about(self) -> Share:
        """Return how many failed again although a record about the failure had been shown."""
        own = [pair for pair in self.pairs if pair.about]
        return Share(sum(pair.failed_again for pair in own), len(own))

    def proposed_again(self, *, informed: bool) -> Share:
        """Return how many proposals repeat what was rejected, with or without the vault."""
        own = [item for item in self.proposals if item.informed is informed]
        return Share(sum(bool(item.again) for item in own), len(own))

    def data(self) -> dict[str, Any]:
        """Return the promised JSON shape."""
        return {
            "tasks": self.tasks,
            "repeat_failure": {
                "with": self.repeats(informed=True).data(),
                "without": self.repeats(informed=False).data(),
                "with_a_record_about_it": self.repeats_about().data(),
                "pairs": [pair._asdict() for pair in self.pairs],
            },
            "reproposal": {
                "with": self.proposed_again(informed=True).data(),
                "without": self.proposed_again(informed=False).data(),
                "session_unknown": self.unknown,
                "again": [item._asdict() for item in self.proposals if item.again],
            },
            "note": _NOTE,
        }


def study(snapshot: Snapshot, pool: Sequence[Kept], now: datetime) -> Study:
    """Work out the study from the files alone; the same for the same files.

    Args:
        snapshot: all records, with tasks.
        pool: all observations: which session was shown anything.
        now: aware instant in the vault's time zone.
    """
    ended = [t for t in all_tasks(snapshot) if t.state in (SUCCEEDED, FAILED)]
    informed = {seen.session for seen, _, _ in pool if seen.kind == EXPOSURE and seen.session}
    sessions = {task.id: task.session for task in ended if task.session}
    proposals, unknown = _proposals(snapshot, informed, sessions, now)
    return Study(tuple(_pairs(snapshot, ended)), proposals, unknown, len(ended))


def _pairs(snapshot: Snapshot, ended: Sequence[Task]) -> Iterator[Pair]:
    """Yield each failed task with the first later one on the same thing."""
    about = _records_about(snapshot)
    order = sorted(ended, key=lambda task: (task.started, task.id))
    for place, task in enumerate(order):
        if task.state != FAILED:
            continue
        following = next((t for t in order[place + 1 :] if _same_thing(task, t)), None)
        if following is not None:
            shown = {*following.environment, *following.later}
            yield Pair(
                task.id,
                following.id,
                following.state == FAILED,
                bool(shown),
                bool(shown & about.get(task.id, set())),
            )


def _same_thing(one: Task, other: Task) -> bool:
    """Tell whether two tasks are about the same: one ticket, or goals that say nearly the same."""
    if one.record.scope != other.record.scope:
        return False
    if one.ticket and one.ticket == other.ticket:
        return True
    return compare_texts(one.goal, other.goal).relation in _ALIKE


def _records_about(snapshot: Snapshot) -> dict[str, set[str]]:
    """Return which records rest on which task: by `derived_from`, or by their evidence."""
    found: dict[str, set[str]] = {}
    for record in snapshot.records:
        if record.kind in WORK_KINDS:
            continue
        for key in (*record.derived_from, *_evidence(record, "task", "task")):
            found.setdefault(key, set()).add(record.id)
    return found


def _evidence(record: Record, kind: str, key: str) -> Iterator[str]:
    given = record.fields.get("evidence")
    entries = given if isinstance(given, list | tuple) else ()
    for entry in entries:
        if isinstance(entry, Mapping) and entry.get("type") == kind and entry.get(key):
            yield str(entry[key])


def _proposals(
    snapshot: Snapshot, informed: Collection[str], sessions: Mapping[str, str], now: datetime
) -> tuple[tuple[Proposal, ...], int]:
    rejected = [r for r in snapshot.records if r.status is Status.REJECTED and _rejected_at(r)]
    if not rejected:
        return (), 0
    found, unknown = [], 0
    for record in sorted(snapshot.records, key=lambda r: (r.created, r.id)):
        if record.kind in WORK_KINDS or record.kind in (Kind.DECISION, Kind.TOPIC):
            continue
        before = [r for r in rejected if _rejected_at(r) < record.created and r.id != record.id]
        if not before:
            continue
        own = [*_evidence(record, "session-event", "session")]
        tasks = (*record.derived_from, *_evidence(record, "task", "task"))
        own += [sessions[key] for key in tasks if key in sessions]
        if not own:
            unknown += 1
            continue
        alike = compare_record(replace(snapshot, records=tuple(before)), record, now)
        again = next((a.other.id for a in alike if a.code == "rejected-before"), "")
        found.append(Proposal(record.id, again, any(key in informed for key in own)))
    return tuple(found), unknown


def _rejected_at(record: Record) -> str:
    rejected = record.fields.get("rejected")
    return str(rejected.get("at") or "") if isinstance(rejected, Mapping) else ""
