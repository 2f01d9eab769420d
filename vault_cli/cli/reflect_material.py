"""What a reflection run is about, and the material for it. May import everything below `cli`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import Final

from vault_cli.cli.invocation import Invocation
from vault_cli.cli.reflect_logs import echo_of, find_log, read_events, require_no_subagent
from vault_cli.cli.reflect_runs import settle_language, unreflected_of
from vault_cli.cli.rendering import scope_of
from vault_cli.cli.shown import shown_of, work_of
from vault_cli.errors import NotFoundError, RefusedError, UsageError, VaultError
from vault_cli.features import reflection as runs
from vault_cli.features.decision_trace import (
    CORRECTION,
    REQUEST,
    Trace,
    Window,
    last_turn,
    read_instant,
    trace_of,
)
from vault_cli.features.precedent import precedent_of
from vault_cli.features.reflecting import Given, Target
from vault_cli.features.reflection import Question, make_key, revision_of, source_of
from vault_cli.features.reflection_brief import Proof, Surrounding, order_environment
from vault_cli.features.reflection_words import words_of
from vault_cli.features.task_records import Task, all_tasks, open_tasks, read_task
from vault_cli.model.record import Kind, Record, Snapshot, Status

MOST_PROOFS: Final = 8
MOST_SOURCES: Final = 60
_MOST_QUERY: Final = 400


@dataclass(frozen=True, slots=True)
class Asked:
    """What `reflect prepare` was asked for, as typed."""

    mode: str
    task: str = ""
    session: str = ""
    log: str = ""
    record: str = ""
    topic: str = ""
    questions: tuple[str, ...] = ()
    language: str = ""


@dataclass(slots=True)
class Found:
    """The material of a run.

    Args:
        target, given: what `plan_prepare` takes.
        task: the task it is about.
        trace: of the session, None without a log.
        environment: in the order of E1, E2 …
        evidence: by question id, "" for all.
        sources: unreflected records, of a run that asks for questions.
        open_task: a task that is open meanwhile.
        nothing: why there is nothing to reflect on, "" when there is.
    """

    target: Target
    given: Given
    task: Task | None = None
    trace: Trace | None = None
    environment: list[Surrounding] = field(default_factory=list)
    evidence: dict[str, list[Proof]] = field(default_factory=dict)
    sources: list[Record] = field(default_factory=list)
    open_task: str = ""
    nothing: str = ""


def find_material(inv: Invocation, asked: Asked) -> Found:
    """Gather what a run of a mode is about.

    Raises:
        UsageError, NotFoundError, RefusedError: what it should be about is not named, is not
            there, or cannot be reflected on yet.
    """
    require_no_subagent(inv)
    if asked.mode == runs.TASK:
        return _of_task(inv, asked)
    if asked.mode in (runs.TURN, runs.SESSION):
        return _of_session(inv, asked)
    if asked.mode == runs.THRESHOLD:
        return _of_threshold(inv, asked)
    if asked.mode == runs.CONSOLIDATE:
        return _of_consolidation(inv, asked)
    return _of_dialectic(inv, asked)


# Sessions


def _of_session(inv: Invocation, asked: Asked) -> Found:
    from vault_cli.cli.since import session_of

    wanted = session_of(inv, asked.session)
    place: tuple[Path, str] | None = (Path(asked.log), "") if asked.log else None
    if place is None and wanted:
        place = find_log(inv, wanted)
    if place is None:
        if not wanted:
            raise UsageError(
                f"--mode {asked.mode} needs a session",
                hint="Name it: --session ID, or its log: --log PATH",
            )
        raise NotFoundError(f"no log of session {wanted} is on this machine", hint="--log PATH")
    session, events = read_events(inv, *place)
    name = asked.session or session.id or wanted or place[0].stem
    part = list(last_turn(events)) if asked.mode == runs.TURN else events
    trace = trace_of(part, echo_of(inv))
    about = {"session": name, "host": session.host}
    key = make_key(asked.mode, name)
    if asked.mode == runs.TURN:
        about["start"] = trace.start
        key = make_key(asked.mode, name, trace.start)
    where = scope_of(inv, {session.cwd})
    if where.startswith("project:"):  # of another project than the one that answers, perhaps
        about["scope"] = where
    found = _finish(inv, asked, Target(asked.mode, key, about, ""), name, trace=trace)
    if trace.is_empty:
        found.nothing = "nothing was said and nothing failed: there is nothing to reflect on"
    found.open_task = next(
        (task.id for task in open_tasks(work_of(inv)) if task.session in ("", name)), ""
    )
    return found


# Tasks


def _of_task(inv: Invocation, asked: Asked) -> Found:
    record = inv.find(asked.task)
    if record.kind is not Kind.TASK:
        raise UsageError(f"{record.id} is a {record.kind}, not a task")
    task = read_task(record)
    if task.is_open:
        raise RefusedError(
            f"{task.id} is still open", hint=f"End it first: mvault task end {task.id}"
        )
    own, trace = _trace_of_task(inv, asked, task)
    session = task.session or asked.session or own
    about = {"task": task.id, **({"session": session} if session else {})}
    target = Target(runs.TASK, make_key(runs.TASK, task.id), about, "")
    return _finish(inv, asked, target, f"{task.id}: {task.goal}", trace=trace, task=task)


def _trace_of_task(inv: Invocation, asked: Asked, task: Task) -> tuple[str, Trace | None]:
    """Return the session of a task's log and its trace; None when there is no log."""
    place: tuple[Path, str] | None = (Path(asked.log), "") if asked.log else None
    if place is None and task.session:
        place = find_log(inv, task.session)
    if place is None:
        return "", None
    session, events = read_events(inv, *place)
    window = Window(read_instant(task.started), read_instant(task.ended))
    return session.id, trace_of(events, echo_of(inv), window)


def _surroundings(inv: Invocation, task: Task) -> list[Surrounding]:
    """Return what was in force when a task began, as it was then where the commit is known."""
    now = _visible(shown_of(inv))
    then = dict(now)
    if task.commit:
        try:
            past = inv.reading.snapshot(whole=True, at=task.commit, guarded=True)
            then = {**now, **_visible(past)}
        except VaultError:
            pass  # a commit that git no longer has: the texts of today, said as such
    ids = [*task.environment, *task.shown.omitted]
    known = [then[own] for own in dict.fromkeys(ids) if own in then]
    gone = [own for own in dict.fromkeys(ids) if own not in then]
    found = []
    for record in order_environment(known):
        present = now.get(record.id)
        changed = present is None or revision_of(present) != revision_of(record)
        found.append(Surrounding(record.id, record, changed))
    return [*found, *(Surrounding(own, None) for own in gone)]


def _visible(snapshot: Snapshot) -> dict[str, Record]:
    """Return the records whose words an agent may be given, by id."""
    return {own: r for own, r in snapshot.by_id.items() if not r.is_silent and not r.held_by}


# Records


def _of_threshold(inv: Invocation, asked: Asked) -> Found:
    known = runs.runs_of(work_of(inv))
    left = unreflected_of(inv)
    points = runs.points_of(left)
    sources = left[:MOST_SOURCES]
    open_run = next((r for r in known if r.mode == asked.mode and r.state in runs.OPEN), None)
    if open_run is not None:
        target = Target(asked.mode, open_run.key, open_run.about, open_run.title)
    else:
        names = [f"{record.id}@{revision_of(record)}" for record in sorted(left, key=_by_id)]
        target = Target(asked.mode, make_key(asked.mode, *names), {"points": str(points)}, "")
    found = _finish(inv, asked, target, str(points), sources=sources)
    least = int(inv.vault.config["reflection.threshold"])
    if points < least and open_run is None:
        found.nothing = f"{points} of {least} importance points are unreflected"
    return found


def _by_id(record: Record) -> str:
    return record.id


def _of_consolidation(inv: Invocation, asked: Asked) -> Found:
    from vault_cli.cli.filters import make_filter
    from vault_cli.features.consolidation import find_together

    snapshot = shown_of(inv)
    test = make_filter(snapshot.records, None, None, [asked.topic] if asked.topic else None, None)
    kept = [r for r in snapshot.records if runs.is_open_to_reflection(r) and test(r)]
    together = find_together(snapshot, kept, inv.now)
    sources = list(together.values())[:MOST_SOURCES]  # those that belong together side by side
    names = [f"{record.id}@{revision_of(record)}" for record in sorted(sources, key=_by_id)]
    about = {"topic": asked.topic} if asked.topic else {}
    target = Target(asked.mode, make_key(asked.mode, asked.topic, *names), about, "")
    found = _finish(inv, asked, target, str(len(sources)), sources=sources)
    if not sources:
        found.nothing = "no records are alike or against each other"
    return found


def _of_dialectic(inv: Invocation, asked: Asked) -> Found:
    from vault_cli.features.likeness import compare_record

    if not asked.record and not asked.questions:
        raise UsageError(
            "--mode dialectic needs a thesis", hint="Name a record: --record ID; or --question TEXT"
        )
    snapshot = shown_of(inv)
    sources: list[Record] = []
    about = {"question": asked.questions[0]} if asked.questions else {}
    name = asked.questions[0] if asked.questions else ""
    if asked.record:
        record = inv.find(asked.record)
        about, name = {"record": record.id}, f"{record.id}: {record.title}"
        by_id = _visible(snapshot)
        linked = [*(other for other, _ in record.conflicts), *record.derived_from]
        sources = [record, *(by_id[own] for own in linked if own in by_id)]
        sources += [alike.other for alike in compare_record(snapshot, record, inv.now)]
    key = make_key(asked.mode, *about.values())
    plain = replace(asked, questions=())
    return _finish(inv, plain, Target(asked.mode, key, about, ""), name, sources=sources)


# What all modes share


_BUILT_IN: Final = {
    runs.TASK: ("q_decision", "q_environment", "q_lesson"),
    runs.TURN: ("q_decision", "q_lesson"),
    runs.SESSION: ("q_decision", "q_lesson"),
    runs.CONSOLIDATE: ("q_merge",),
    runs.DIALECTIC: ("q_thesis", "q_antithesis", "q_synthesis"),
}


def _finish(
    inv: Invocation,
    asked: Asked,
    target: Target,
    name: str,
    *,
    trace: Trace | None = None,
    task: Task | None = None,
    sources: Sequence[Record] = (),
) -> Found:
    """Add questions, ranked evidence and what can be cited; settle the language and the title."""
    texts = [*_said(trace), task.goal if task else "", *(r.title for r in sources), name]
    language = settle_language(inv, asked.language, texts)
    words = words_of(language)
    is_told = bool(inv.vault.config["reflection.environment"])
    surroundings = _surroundings(inv, task) if task and is_told else []
    about = words[target.mode].format(name=name)
    title = target.title or _one_line(words["title"].format(about=about))
    questions = _questions(asked, target.mode, words, has_environment=bool(surroundings))
    seen = {item.id for item in surroundings}
    query = " ".join(texts)[:_MOST_QUERY]
    evidence = _evidence(inv, asked, questions, query, seen, language)
    if sources and target.mode != runs.THRESHOLD:
        tasks = all_tasks(shown_of(inv).speaking())
        evidence[""] = [_proof(record, tasks, language) for record in _unique(sources)]
    handed = tuple(
        q._replace(given=tuple(proof.record.id for proof in evidence.get(q.id, ())))
        for q in questions
    )
    given = [item.record for item in surroundings if item.record is not None]
    given += [*sources, *(proof.record for found in evidence.values() for proof in found)]
    place_list = tuple(step.place for step in trace.steps) if trace else ()
    return Found(
        target._replace(title=title),
        Given(
            handed,
            tuple(source_of(record) for record in _unique(given)),
            place_list,
            tuple(item.id for item in surroundings),
            language,
            bool(inv.vault.config["reflection.review"]),
        ),
        task,
        trace,
        surroundings,
        evidence,
        list(sources),
    )


def _said(trace: Trace | None) -> list[str]:
    steps = trace.steps if trace else ()
    return [step.text for step in steps if step.kind in (CORRECTION, REQUEST)]


def _one_line(text: str, most: int = 110) -> str:
    line = " ".join(text.split())
    return line if len(line) <= most else f"{line[: most - 1]}…"


def _questions(
    asked: Asked, mode: str, words: Mapping[str, str], *, has_environment: bool
) -> list[Question]:
    if len(asked.questions) > runs.MOST_QUESTIONS:
        raise UsageError(f"at most {runs.MOST_QUESTIONS} questions are asked in one run")
    texts = [_one_line(text, 400) for text in asked.questions if text.strip()]
    if not texts:
        names = _BUILT_IN.get(mode, ())
        texts = [words[n] for n in names if n != "q_environment" or has_environment]
    return [Question(f"q{number}", text) for number, text in enumerate(texts, 1)]


def _evidence(
    inv: Invocation,
    asked: Asked,
    questions: Sequence[Question],
    text: str,
    seen: set[str],
    language: str,
) -> dict[str, list[Proof]]:
    """Return what may already say it: for each question of the agent's own, else for all."""
    if not asked.questions:
        is_told = text and asked.mode != runs.THRESHOLD
        return {"": _rank(inv, text, seen, language)} if is_told else {}
    return {question.id: _rank(inv, question.text, set(), language) for question in questions}


def _rank(inv: Invocation, text: str, seen: set[str], language: str) -> list[Proof]:
    """Return the records that fit a text best, and what speaks for each."""
    from vault_cli.recall.search import search

    snapshot = shown_of(inv)

    def wanted(record: Record) -> bool:
        return runs.is_open_to_reflection(record) and record.id not in seen

    tasks = all_tasks(snapshot.speaking())
    hits = search(snapshot, text, limit=MOST_PROOFS, wanted=wanted, today=inv.now.date()).hits
    return [_proof(hit.record, tasks, language) for hit in hits if not hit.record.held_by]


def _proof(record: Record, tasks: Sequence[Task], language: str) -> Proof:
    precedent = precedent_of(record.id, tasks)
    told = precedent.describe(language) if precedent.succeeded or precedent.failed else ""
    if record.status is Status.VERIFIED:
        told = f"verified; {told}" if told else "verified"
    return Proof(record, told)


def _unique(records: Sequence[Record]) -> Iterator[Record]:
    yield from {record.id: record for record in records if not record.held_by}.values()


def moment_text(now: datetime) -> str:
    """Return the day of an instant, as evidence says it."""
    return now.date().isoformat()
