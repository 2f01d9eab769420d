"""What the end of a task says of the records that were used in it. May import `text`, `model`.

The observations are a function of the task's file: key, instant and words are the same however
often they are worked out. Equal lines count once, so that an end which was cut short is told again,
on this machine or another, without counting twice.
"""

from __future__ import annotations

from collections.abc import Collection, Container, Iterable, Iterator, Sequence
from hashlib import blake2b
from typing import Final

from vault_cli.features.tasks import Shown, Task
from vault_cli.model.observation import (
    AGENT,
    CITATION,
    EXPOSURE,
    OUTCOME,
    PERSON,
    RESULTS,
    UNDO,
    Kept,
    Observation,
    is_instant,
)

_KEY_BYTES: Final = 8


class Seen:
    """What the observations say of one session.

    Args:
        pool: all observations of a vault.
        session: "" for none; nothing is known of it then.
    """

    def __init__(self, pool: Iterable[Kept], session: str) -> None:
        self._exposures: list[Observation] = []
        self._contents: dict[str, set[str]] = {}
        self._citations: list[Observation] = []
        undone: set[tuple[str, str]] = set()
        said: list[tuple[str, Observation]] = []
        for seen, machine, _ in pool:
            if seen.kind == EXPOSURE:
                self._contents.setdefault(seen.receipt, set()).update(seen.ids)
                if session and seen.session == session:
                    self._exposures.append(seen)
            elif seen.kind == CITATION and session and seen.session == session:
                said.append((machine, seen))
            elif seen.kind == UNDO:
                undone.add((machine, seen.of))
        self._citations = [seen for machine, seen in said if (machine, seen.key) not in undone]

    def receipts(self, until: str) -> tuple[str, ...]:
        """Return the receipts of what was shown up to an instant, the first first."""
        found = sorted((s.at, s.receipt) for s in self._exposures if s.receipt and s.at <= until)
        return tuple(dict.fromkeys(name.partition("/")[0] for _, name in found))

    def ids(self, after: str = "", until: str = "~", but: Collection[str] = ()) -> set[str]:
        """Return the ids that were shown after one instant and up to another.

        Args:
            after: ISO instant, "" for the beginning.
            until: ISO instant.
            but: receipts of which more is known.
        """
        found: set[str] = set()
        for seen in self._exposures:
            if after < seen.at <= until and seen.receipt.partition("/")[0] not in but:
                found |= {*seen.ids, *self._contents.get(seen.receipt, ())}
        return found

    def cited(self, since: str, until: str = "~") -> set[str]:
        """Return the ids that the session named from one instant to another."""
        return {key for s in self._citations if since <= s.at <= until for key in s.ids}


def split_cited(
    task: Task, named: Sequence[str], seen: Seen, now: str, *, by_person: bool
) -> tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]:
    """Return what was used in a task, what of the named ids was not shown, what was shown later.

    Used is what the session cited since the start, and what is named now and was shown to it. A
    person may name anything.

    Args:
        task: an open task.
        named: ids that are named at its end.
        seen: what the observations say of its session.
        now: the instant.
        by_person: whether a person ends it.
    """
    start = task.started
    own = set(task.shown.seen)
    later = tuple(sorted(seen.ids(start, now) - own))
    known = own | set(later)
    before = sorted(key for key in seen.cited(start, now) if key in known)
    shown = [key for key in dict.fromkeys(named) if by_person or key in known]
    strange = tuple(key for key in dict.fromkeys(named) if key not in shown)
    return tuple(dict.fromkeys((*shown, *before))), strange, later


def tell_end(task: Task) -> list[Observation]:
    """Return what the end of a task says: who used what, and how the task came out.

    None while it is open. A task that was given up, or stopped from outside, says nothing about the
    records that were used in it but that they were.
    """
    if task.is_open or not is_instant(task.ended):
        return []
    who = PERSON if task.ended_by == PERSON else AGENT
    kinds = [CITATION, *([OUTCOME] if task.state in RESULTS else [])]
    return [
        Observation(
            kind,
            task.ended,
            _key(task.id, record_id, kind, task.state, task.ended),
            (record_id,),
            who,
            task.session,
            result=task.state if kind == OUTCOME else "",
            task=task.id,
        )
        for kind in kinds
        for record_id in task.cited
    ]


def _key(*parts: str) -> str:
    text = "\0".join(parts).encode("utf-8", "surrogatepass")
    return blake2b(text, digest_size=_KEY_BYTES, person=b"mvault task").hexdigest()


def not_yet_told(tasks: Iterable[Task], pool: Collection[Kept]) -> Iterator[Observation]:
    """Yield what the ends of tasks say and no file of observations holds.

    What was taken back with its end is said anew, under another key, when the end came back: an
    undo names a key, and what it took back stays so.
    """
    known = {item.seen: item.machine for item in pool}
    gone = {(item.machine, item.seen.of) for item in pool if _went_with_its_end(item.seen)}
    for task in tasks:
        for seen in tell_end(task):
            told, following = _tellings(seen, known)
            if all((known[one], one.key) in gone for one in told):
                yield following


def _tellings(
    seen: Observation, known: Container[Observation]
) -> tuple[list[Observation], Observation]:
    """Return the lines there are of what an end says, and the one that would be next."""
    told: list[Observation] = []
    following = seen
    while following in known:
        told.append(following)
        following = seen._replace(key=_key(seen.key, str(len(told))))
    return told, following


def _went_with_its_end(seen: Observation) -> bool:
    """Tell whether an undo is one of `taken_back`; what somebody took back by hand stays so."""
    return seen.kind == UNDO and seen.key == _key(seen.task, seen.of, UNDO)


def taken_back(
    tasks: Iterable[Task], pool: Collection[Kept], machine: str
) -> Iterator[Observation]:
    """Yield undos of what this machine noted of ends that their tasks do not say (any more).

    Somebody took the end back with `undo`, or corrected the file. Of a task that is not there
    nothing is known: its file may be on a branch that is not merged yet.
    """
    known = {item.seen for item in pool}
    ends = {
        task.id: {one for seen in tell_end(task) for one in _tellings(seen, known)[0]}
        for task in tasks
    }
    undone = {item.seen.of for item in pool if item.seen.kind == UNDO and item.machine == machine}
    for seen, owner, _ in pool:
        is_ours = owner == machine and seen.kind in (CITATION, OUTCOME) and seen.key not in undone
        if is_ours and seen.task in ends and seen not in ends[seen.task]:
            key = _key(seen.task, seen.key, UNDO)
            yield Observation(UNDO, seen.at, key, seen.ids, seen.who, of=seen.key, task=seen.task)


def merge_levels(found: Iterable[tuple[str, str]], receipts: Sequence[str]) -> Shown:
    """Return what had been shown, each id at the most that was ever shown of it.

    Args:
        found: (id, level) in any order; a level is `full`, `line`, `named`, `id` or `omitted`.
        receipts: where they come from.
    """
    best: dict[str, int] = {}
    for key, level in found:
        best[key] = min(_RANK.get(level, _LEAST), best.get(key, _LEAST))
    full, line, named, omitted = (
        tuple(key for key, rank in best.items() if rank == level) for level in range(4)
    )
    return Shown(full, line, named, omitted, tuple(dict.fromkeys(receipts)))


_RANK: Final = {"full": 0, "line": 1, "named": 2, "id": 3, "omitted": 3}
_LEAST: Final = 3
