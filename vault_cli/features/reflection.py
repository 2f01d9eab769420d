"""Reflection runs as values: their states, what they were given, what is still unreflected.

A run is a record of kind reflection. It holds references only: ids and revisions of records, places
in a session, and the agent's own words; never the words of a session. May import `model`, `text`.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from vault_cli.errors import Diagnostic, NotFoundError, RefusedError
from vault_cli.model.evidence import claim_digest
from vault_cli.model.record import CROCKFORD, Kind, Record, Snapshot, Status
from vault_cli.model.schema import RUN_MODES, RUN_STATES
from vault_cli.text.values import whole_number

PENDING, PREPARED, COMPLETED, ABANDONED = "pending", "prepared", "completed", "abandoned"
STATES: Final = RUN_STATES
OPEN: Final = frozenset({PENDING, PREPARED})

TASK, TURN, SESSION = "task", "turn", "session"
THRESHOLD, CONSOLIDATE, DIALECTIC = "threshold", "consolidate", "dialectic"
MODES: Final = RUN_MODES

NEW, REPEAT, REVISE, NONE = "new", "repeat", "revise", "none"
RELATIONS: Final = (NEW, REPEAT, REVISE, NONE)

MOST_QUESTIONS: Final = 3
"""Questions, and so insights, of one run that are the agent's own."""

_REFLECTED: Final = frozenset(
    {Kind.LESSON, Kind.FAILURE, Kind.RULE, Kind.FACT, Kind.PREFERENCE, Kind.INSIGHT}
    | {Kind.HYPOTHESIS, Kind.NOTE, Kind.RECIPE}
)
_COUNTED: Final = frozenset({Status.CANDIDATE, Status.ACTIVE, Status.VERIFIED, Status.DISPUTED})
_ID_LENGTH: Final = 7


class Source(NamedTuple):
    """A record as a run was given it: id, revision (`revision_of`), importance then."""

    id: str
    revision: str
    importance: int


class Place(NamedTuple):
    """A range of session events that a run was given, by the name it is cited with (`T3`)."""

    id: str
    start: str
    end: str


class Question(NamedTuple):
    """One question of a run, and the ids of the records that were handed over for it."""

    id: str
    text: str
    given: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Run:
    """One reflection run, as its file says.

    Args:
        id, path, digest, title: of its record.
        state: a member of `STATES`.
        mode: a member of `MODES`.
        key: what it is about, as 16 hex digits: equal for equal targets.
        about: what it is about in names: task, session, its scope where it was in a project, log
            places, record, question.
        language: `en` or `zh`.
        questions: see `Question`; empty while it is pending.
        sources: the records it was given.
        places: the session events it was given.
        environment: ids of what was in force when the task began, as E1, E2 …
        review: whether an answer needs the adversarial review.
        answer: digest of the answer that completed it.
        result: what came of it, one map for each item of the answer.
        consumed: sources that were cited, with the revision they had.
    """

    id: str
    path: str
    digest: str
    title: str
    state: str
    mode: str
    key: str
    about: Mapping[str, str]
    language: str
    questions: tuple[Question, ...] = ()
    sources: tuple[Source, ...] = ()
    places: tuple[Place, ...] = ()
    environment: tuple[str, ...] = ()
    review: bool = False
    answer: str = ""
    result: tuple[Mapping[str, Any], ...] = ()
    consumed: tuple[Source, ...] = ()

    @property
    def session(self) -> str:
        """The session it is about, "" for none."""
        return self.about.get("session", "")

    def resolve(self, name: str) -> str:
        """Return the id that a citation names (`E2` is a record), "" for what was not given."""
        known = {source.id for source in self.sources} | {place.id for place in self.places}
        if name in known:
            return name
        number = whole_number(name[1:]) if name[:1] in "Ee" else None
        if number and number <= len(self.environment):
            return self.environment[number - 1]
        return name.upper() if name.upper() in known else ""


def revision_of(record: Record) -> str:
    """Return what a run has taken in of a record: 16 hex digits of its claim and its importance."""
    text = f"{claim_digest(record)}:{record.weight}"
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def source_of(record: Record) -> Source:
    """Return a record as a run is given it."""
    return Source(record.id, revision_of(record), record.weight)


def make_key(mode: str, *parts: str) -> str:
    """Return what a run is about as 16 hex digits; equal targets have equal keys."""
    text = "\0".join((mode, *parts))
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def run_id(key: str, generation: int) -> str:
    """Return the id of the nth run about something.

    It is made from the key, not drawn: two processes that prepare the same thing at once write the
    same path, and the gate lets only one of them.
    """
    digest = hashlib.sha256(f"{key}:{generation}".encode()).digest()
    number = int.from_bytes(digest[:8], "big")
    letters = (CROCKFORD[number >> 5 * place & 31] for place in range(_ID_LENGTH))
    return f"{Kind.REFLECTION.letter}-{''.join(letters)}"


def read_run(record: Record) -> Run:
    """Return the run that a record of kind reflection says; hand edits are borne with.

    Raises:
        RefusedError: the file does not say a state and a mode that we know.
    """
    get = record.fields.get
    state, mode = str(get("state") or ""), str(get("mode") or "")
    if state not in STATES or mode not in MODES:
        raise RefusedError(
            f"{record.id} is no reflection run: its state or mode is unknown",
            hint=f"See {record.path}; state is one of {', '.join(STATES)}.",
        )
    about = get("about")
    return Run(
        record.id,
        record.path,
        record.digest,
        record.title,
        state,
        mode,
        str(get("target") or ""),
        {str(k): str(v) for k, v in about.items()} if isinstance(about, Mapping) else {},
        str(get("language") or "en"),
        tuple(_questions(get("questions"))),
        tuple(_sources(get("sources"))),
        tuple(Place(*values) for values in _rows(get("places"), ("id", "start", "end"))),
        tuple(str(item) for item in _items(get("environment")) if item),
        review=bool(get("review")),
        answer=str(get("answer") or ""),
        result=tuple(item for item in _items(get("result")) if isinstance(item, Mapping)),
        consumed=tuple(_sources(get("consumed"))),
    )


def _items(value: Any) -> list[Any]:
    return list(value) if isinstance(value, list | tuple) else [] if value is None else [value]


def _rows(value: Any, keys: Sequence[str]) -> Iterator[tuple[str, ...]]:
    for item in _items(value):
        if isinstance(item, Mapping) and all(item.get(key) is not None for key in keys):
            yield tuple(str(item[key]) for key in keys)


def _sources(value: Any) -> Iterator[Source]:
    for own, revision, weight in _rows(value, ("id", "revision", "importance")):
        yield Source(own, revision, whole_number(weight) or 0)


def _questions(value: Any) -> Iterator[Question]:
    for item in _items(value):
        if isinstance(item, Mapping) and item.get("id") and item.get("text"):
            given = tuple(str(name) for name in _items(item.get("given")))
            yield Question(str(item["id"]), str(item["text"]), given)


def runs_of(snapshot: Snapshot) -> list[Run]:
    """Return all runs of a vault that can be read, the newest last."""
    found = []
    for record in snapshot.records:
        if record.kind is not Kind.REFLECTION or not record.has_say:
            continue
        try:
            found.append((record.created, read_run(record)))
        except RefusedError:
            continue
    return [run for _, run in sorted(found, key=lambda item: (item[0], item[1].id))]


def check_runs(snapshot: Snapshot) -> Iterator[Diagnostic]:
    """Report reflection runs whose file does not say how they stand: nothing goes on with them."""
    for record in snapshot.records:
        is_run = "state" in record.fields or "mode" in record.fields  # else a note of a person
        if record.kind is Kind.REFLECTION and is_run:
            try:
                read_run(record)
            except RefusedError as error:
                yield Diagnostic(
                    record.path, 0, "run-without-state", "warning", error.message, error.hint
                )


def find_runs(snapshot: Snapshot, key: str) -> list[Run]:
    """Return the runs about something, in the order they were made."""
    known = {run.id: run for run in runs_of(snapshot) if run.key == key}
    generations = (run_id(key, number) for number in range(1, len(known) + 2))
    return [known[own] for own in generations if own in known]


def require_run(snapshot: Snapshot, own: str) -> Run:
    """Return a run by its whole id.

    Raises:
        NotFoundError: there is none of that id, or it is something else.
    """
    record = snapshot.by_id.get(own)
    if record is None or record.kind is not Kind.REFLECTION:
        raise NotFoundError(
            f"{own} is no reflection run", hint="`mvault reflect status` lists the open ones."
        )
    return read_run(record)


def is_open_to_reflection(record: Record) -> bool:
    """Tell whether a record counts for the threshold: a memory that a person could still admit."""
    is_kept = record.kind in _REFLECTED and record.status in _COUNTED
    return is_kept and not record.is_silent


def unreflected(snapshot: Snapshot, runs: Iterable[Run]) -> list[Record]:
    """Return the records that no completed run cited as they are now, the weightiest first.

    What was changed since (its claim or its importance) is unreflected again; what a run was given
    and did not cite stays so.
    """
    done: dict[str, set[str]] = {}
    for run in runs:
        for source in run.consumed if run.state == COMPLETED else ():
            done.setdefault(source.id, set()).add(source.revision)
    left = [
        record
        for record in snapshot.records
        if is_open_to_reflection(record)
        and not (record.id in done and revision_of(record) in done[record.id])
    ]
    return sorted(left, key=lambda record: (-record.weight, record.id))


def is_begun(runs: Iterable[Run]) -> bool:
    """Tell whether a run about what is unreflected is open: nobody need be told of it again."""
    return any(run.mode == THRESHOLD and run.state in OPEN for run in runs)


def points_of(records: Iterable[Record]) -> int:
    """Return how many importance points records have together."""
    return sum(record.weight for record in records)


def relation_counts(runs: Iterable[Run]) -> dict[str, int]:
    """Return how often completed runs ended in which relation, and how many passed the gate."""
    counts: Counter[str] = Counter()
    for run in runs:
        if run.state != COMPLETED:
            continue
        for item in run.result:
            counts[str(item.get("relation") or "")] += 1
            counts["override"] += bool(item.get("override"))
    return {name: counts[name] for name in (*RELATIONS, "override")}


def repeats_of(runs: Iterable[Run]) -> Counter[str]:
    """Return how often completed runs met a record again (relation repeat), by its id."""
    return Counter(
        str(item.get("id"))
        for run in runs
        if run.state == COMPLETED
        for item in run.result
        if item.get("relation") == REPEAT and item.get("id")
    )
