"""Plan the steps of a reflection run: prepare, commit, abandon. May import `model`, `text`.

Each step is one change of one commit, so that a run that is killed at any moment is either before
the step or after it. Ids of runs and of their candidates are made from what they are about, so a
step that is done twice does nothing the second time.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from random import Random
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from vault_cli.errors import Diagnostic, RefusedError, UsageError, VaultError
from vault_cli.features.answers import Answer
from vault_cli.features.composing import DraftRequest
from vault_cli.features.drafts import plan_add
from vault_cli.features.learning import TRIAL_KEY, trial_end
from vault_cli.features.likeness import compare_record
from vault_cli.features.parts import missing_parts
from vault_cli.features.records import (
    digest_of,
    instant_text,
    patch_keys,
    put_change,
    read_checked,
    require_same,
    subject_of,
)
from vault_cli.features.reflection import (
    ABANDONED,
    COMPLETED,
    DIALECTIC,
    NEW,
    NONE,
    OPEN,
    PENDING,
    PREPARED,
    REVISE,
    Place,
    Question,
    Run,
    Source,
    find_runs,
    read_run,
    run_id,
)
from vault_cli.features.reflection_items import Bench, Checked, check_item, result_of
from vault_cli.features.reflection_words import words_of
from vault_cli.model.change import Change, Put
from vault_cli.model.lifecycle import Actor
from vault_cli.model.record import Kind, Record, Snapshot
from vault_cli.text.document import compose_document, replace_body
from vault_cli.text.names import file_name
from vault_cli.text.scan import ALL

SAME_CODES: Final = ("duplicate-text", "rejected-before")
"""What a new candidate must not be; the same in other words is for the person who reviews."""

_REFLECT: Final = "reflect"


class Target(NamedTuple):
    """What a run is about: mode, key (`reflection.make_key`), names, and the words of its title."""

    mode: str
    key: str
    about: Mapping[str, str]
    title: str


@dataclass(frozen=True, slots=True)
class Given:
    """What a run hands over: see `reflection.Run`."""

    questions: tuple[Question, ...] = ()
    sources: tuple[Source, ...] = ()
    places: tuple[Place, ...] = ()
    environment: tuple[str, ...] = ()
    language: str = "en"
    review: bool = False


class Step(NamedTuple):
    """A planned step and the run as it will be.

    Args:
        change: empty when it is so already.
        run: the run after it.
        ids: ids of the candidates that it writes, or that were written before.
        notes: findings to show.
    """

    change: Change
    run: Run
    ids: tuple[str, ...] = ()
    notes: tuple[Diagnostic, ...] = ()


class GatedError(RefusedError):
    """An answer was refused; `codes` are those of the precedent gate among its faults."""

    def __init__(self, message: str, codes: Sequence[str] = (), **more: Any) -> None:
        super().__init__(message, **more)
        self.codes = tuple(codes)


def plan_prepare(
    snapshot: Snapshot,
    target: Target,
    given: Given,
    read: Callable[[str], bytes],
    *,
    now: datetime,
    actor: Actor,
    origin: str,
    again: bool = False,
) -> Step:
    """Plan a run, or bring the open one about the same thing up to date.

    Args:
        snapshot: the vault.
        target: what it is about.
        given: what it hands over; without questions it is pending.
        read: returns the bytes of a file of the vault.
        now: aware instant.
        actor: who asks.
        origin: how it comes in.
        again: make another run although one is completed.

    Returns:
        The step; its change is empty when the open run says the same, or one is completed.
    """
    state = PREPARED if given.questions else PENDING
    earlier = find_runs(snapshot, target.key)
    last = earlier[-1] if earlier else None
    if last is not None and last.state in OPEN:
        return _refresh(last, read(last.path), given, state, actor, origin)
    if last is not None and last.state == COMPLETED and not again:
        return Step(_nothing(last, actor, origin), last, _written(last))
    own = run_id(target.key, len(earlier) + 1)
    front = {
        "id": own,
        "kind": str(Kind.REFLECTION),
        "title": target.title,
        "source": "agent" if actor is not Actor.PERSON else "user",
        "origin": origin,
        "created": instant_text(now),
        "state": state,
        "mode": target.mode,
        "key": target.key,
        "about": dict(target.about),
        **_stored(given),
    }
    data = compose_document(front, f"# {target.title}\n")
    path = f"{Kind.REFLECTION.folder}/{now.strftime('%Y-%m')}/{file_name(target.title, own)}"
    record = _clean(data, path)
    change = Change(
        _REFLECT, subject_of(record), (Put(path, data),), ids=(own,), actor=actor, origin=origin
    )
    return Step(change, read_run(record))


def _stored(given: Given) -> dict[str, Any]:
    """Return what a run hands over as keys of its file; what is empty is left out."""
    found = {
        "language": given.language,
        "review": given.review,
        "questions": [
            {"id": one.id, "text": one.text, **({"given": list(one.given)} if one.given else {})}
            for one in given.questions
        ],
        "environment": list(given.environment),
        "places": [one._asdict() for one in given.places],
        "sources": [one._asdict() for one in given.sources],
    }
    return {key: value for key, value in found.items() if value}


def _clean(data: bytes, path: str) -> Record:
    """Read a planned run back; what the scanner holds is no run.

    Raises:
        RefusedError: a question, or the assessment, holds something that must not be kept.
    """
    record = read_checked(data, path)
    if record.held_by:
        raise RefusedError(
            "the run would hold a text that is not taken in",
            hint="Say it in other words.",
            diagnostics=record.held_by,
        )
    return record


def _refresh(run: Run, data: bytes, given: Given, state: str, actor: Actor, origin: str) -> Step:
    """Bring an open run up to date; one that has its questions keeps them."""
    if run.state == PREPARED and not given.questions:
        return Step(_nothing(run, actor, origin), run)
    from vault_cli.text.document import REMOVE

    stored = _stored(given)
    keys = ("language", "review", "questions", "environment", "places", "sources")
    values = {"state": state, **{key: stored.get(key, REMOVE) for key in keys}}
    old = read_checked(data, run.path)
    values = {
        key: value
        for key, value in values.items()
        if (value is REMOVE and old.fields.get(key) is not None)
        or (value is not REMOVE and not _equal(old.fields.get(key), value))
    }
    new = patch_keys(data, run.path, values) if values else data
    record = _clean(new, run.path)
    return Step(
        put_change(_REFLECT, record, data, new, actor=actor, origin=origin), read_run(record)
    )


def _equal(stored: Any, value: Any) -> bool:
    """Compare a value with what was read of it: numbers and truth values may have become texts."""
    if isinstance(value, Mapping) and isinstance(stored, Mapping):
        return set(value) == set(stored) and all(_equal(stored[k], value[k]) for k in value)
    if isinstance(value, list) and isinstance(stored, list):
        return len(value) == len(stored) and all(map(_equal, stored, value))
    return stored == value or str(stored).casefold() == str(value).casefold()


def _nothing(run: Run, actor: Actor, origin: str) -> Change:
    subject = f"(reflection): {run.title}"
    return Change(_REFLECT, subject, (), ids=(run.id,), actor=actor, origin=origin)


def _written(run: Run) -> tuple[str, ...]:
    found = (
        str(item.get("id") or "") for item in run.result if item.get("relation") in (NEW, REVISE)
    )
    return tuple(filter(None, found))


def digest_answer(text: str) -> str:
    """Return what a run keeps of its answer: SHA-256 in hex, of the text without blank ends."""
    return hashlib.sha256(text.strip().encode("utf-8", "surrogatepass")).hexdigest()


def plan_commit(
    bench: Bench,
    data: bytes,
    answer: Answer,
    digest: str,
    *,
    now: datetime,
    actor: Actor,
    origin: str,
    gates: frozenset[str] = ALL,
) -> Step:
    """Plan to write what an answer proposes, all of it in one change, and complete the run.

    Args:
        bench: the run and what its items are checked against.
        data: the bytes of the run's file.
        answer: what was answered.
        digest: of the answer (`digest_answer`).
        now: aware instant in the vault's time zone.
        actor: who asks.
        origin: how it comes in.
        gates: the gates of admission that are on.

    Returns:
        The step; its change is empty when this very answer completed the run before.

    Raises:
        GatedError: the answer has faults (one finding each), or the run ended with another answer.
        UsageError: the answer is for another run.
    """
    run = bench.run
    if run.state == COMPLETED and run.answer == digest:
        return Step(_nothing(run, actor, origin), run, _written(run))
    _require_open(run, answer)
    checked = [check_item(bench, item) for item in answer.items]
    drafting = _Drafting(bench, now, actor, gates)
    for item in checked:
        drafting.take(item)
    faults = _faults_of_whole(run, answer)
    faults += [text for item in checked for text in item.faults]
    if faults:
        codes = [code for item in checked for code in item.gate]
        raise _refusal(run, faults, codes, drafting.notes)
    drafts = drafting.drafts
    done = _complete(bench, data, answer, digest, checked, drafts, now)
    ids = tuple(own for *_, own in drafts)
    change = _together(run, done, data, drafts, actor, origin)
    return Step(change, read_run(done[0]), ids, tuple(drafting.notes))


class _Drafting:
    """Plans the candidates of an answer one after the other, each beside those before it."""

    def __init__(self, bench: Bench, now: datetime, actor: Actor, gates: frozenset[str]) -> None:
        self._bench, self._now, self._gates = bench, now, gates
        self._actor = actor if actor is Actor.PERSON else Actor.AGENT
        self._snapshot = bench.snapshot
        self.drafts: list[tuple[Checked, Change, str]] = []
        self.notes: list[Diagnostic] = []

    def take(self, item: Checked) -> None:
        """Plan the candidate of one item; what is wrong with it becomes a fault."""
        if item.request is None or item.faults or item.relation not in (NEW, REVISE):
            return
        request = self._within_budget(item, item.request)
        # Made from the run, so that a retry after a crash writes the same id.
        draw = Random(f"{self._bench.run.id}:{item.item.number}").randrange  # noqa: S311
        try:
            planned = plan_add(
                self._snapshot, request, now=self._now, actor=self._actor,
                origin="reflection", random_int=draw, gates=self._gates,
            )  # fmt: skip
        except VaultError as error:
            item.fault(error.message)
            self.notes += error.diagnostics
            return
        record = _record_of(planned.change)
        _check_draft(item, record, self._snapshot, self._now, held=planned.held)
        self.notes += planned.notes
        self.drafts.append((item, planned.change, planned.ids[0]))
        records = (*self._snapshot.records, record)
        self._snapshot = replace(self._snapshot, records=records)

    def _within_budget(self, item: Checked, request: DraftRequest) -> DraftRequest:
        """Put a candidate over the week's budget on trial, or refuse it without trials."""
        budget = self._bench.budget
        if budget.left is None or len(self.drafts) < budget.left:
            return request
        if not budget.trial_days:
            item.fault(f"this week's {budget.limit} proposals are used; keep the best for later")
            return request
        extra = {**request.extra, TRIAL_KEY: trial_end(budget, self._now)}
        return replace(request, extra=MappingProxyType(extra))


def _require_open(run: Run, answer: Answer) -> None:
    if answer.get("run") and answer.get("run") != run.id:
        raise UsageError(
            f"the answer is for {answer.get('run')[:40]}, not for {run.id}",
            hint="Name the run of the answer: mvault reflect commit RUN",
        )
    if run.state == COMPLETED:
        raise GatedError(
            f"{run.id} is completed by another answer",
            hint=f"mvault show {run.id}; prepare another with: mvault reflect prepare --again",
        )
    if run.state == ABANDONED:
        raise GatedError(f"{run.id} is abandoned", hint="Prepare it again: mvault reflect prepare")
    if run.state == PENDING:
        raise GatedError(
            f"{run.id} waits for questions",
            hint=f"mvault reflect prepare {run.id} --question TEXT",
        )


def _faults_of_whole(run: Run, answer: Answer) -> list[str]:
    faults = []
    if not answer.items:
        if answer.get("relation") != NONE:
            faults.append("there is no item; for nothing to keep say relation none, with a reason")
        elif not answer.get("reason"):
            faults.append("relation none needs a reason")
    if run.mode == DIALECTIC:
        missing = [n for n in ("thesis", "antithesis", "synthesis") if not answer.get(n)]
        if missing:
            faults.append(f"missing: {', '.join(missing)}")
    return faults


def _record_of(change: Change) -> Record:
    put = next(edit for edit in change.edits if isinstance(edit, Put))
    return read_checked(put.data, put.path)


def _check_draft(
    item: Checked, record: Record, snapshot: Snapshot, now: datetime, *, held: bool
) -> None:
    """Check a candidate as it would stand in the vault: parts, admission, likeness."""
    missing = missing_parts(record)
    if missing:
        item.fault(f"a {record.kind} needs {', '.join(missing)}")
    if held:
        codes = dict.fromkeys(found.code for found in record.held_by)
        item.fault(f"it is not taken in ({', '.join(codes) or 'low authority'})")
    alone = replace(record, derived_from=())  # what it rests on may be what it repeats
    for alike in compare_record(snapshot, alone, now):
        if alike.code in SAME_CODES and alike.other.id not in record.supersedes:
            why = f": {alike.reason}" if alike.reason else ""
            advice = "was rejected" if alike.code == "rejected-before" else "says the same"
            item.fault(f"{alike.other.id} {advice}{why}; use relation repeat, or none")


def _refusal(
    run: Run, faults: Sequence[str], codes: Sequence[str], notes: Iterable[Diagnostic]
) -> GatedError:
    found = [Diagnostic(run.path, 0, "answer-fault", "error", text) for text in faults]
    return GatedError(
        f"the answer to {run.id} has {len(faults)} fault{'s' * (len(faults) != 1)};"
        " nothing was written",
        codes,
        hint=f"Mend them and run again: mvault reflect commit {run.id} --answer -",
        diagnostics=(*found, *notes),
    )


def _complete(
    bench: Bench,
    data: bytes,
    answer: Answer,
    digest: str,
    checked: Sequence[Checked],
    drafts: Sequence[tuple[Checked, Change, str]],
    now: datetime,
) -> tuple[Record, bytes]:
    """Return the run as completed: result, what was consumed, and the assessment as its text."""
    run = bench.run
    ids = {item.item.number: own for item, _, own in drafts}
    result = [result_of(item, ids.get(item.item.number, "")) for item in checked]
    if not result:
        result = [{"relation": NONE, "reason": answer.get("reason")}]
    cited = {own for item in checked for own in (*item.cites, item.target)}
    values = {
        "state": COMPLETED,
        "answer": digest,
        "result": result,
        "consumed": [one._asdict() for one in run.sources if one.id in cited],
        "completed": instant_text(now),
    }
    kept = {key: value for key, value in values.items() if value}
    new = patch_keys(data, run.path, kept)
    words = words_of(run.language)
    parts = [f"# {run.title}"]
    assessment = answer.get("assessment")
    if assessment:
        parts.append(f"## {words['assessment']}\n{_as_text(assessment)}")
    own = ("understanding", "thesis", "antithesis", "synthesis")
    parts += [f"## {words[name]}\n{_as_text(answer.get(name))}" for name in own if answer.get(name)]
    new = replace_body(new, "\n\n".join(parts) + "\n", run.path)
    return _clean(new, run.path), new


def _as_text(text: str) -> str:
    """Return an agent's words as text below a heading: no line of theirs begins another section."""
    return "\n".join(f"\\{line}" if line.startswith("#") else line for line in text.split("\n"))


def _together(
    run: Run,
    done: tuple[Record, bytes],
    data: bytes,
    drafts: Sequence[tuple[Checked, Change, str]],
    actor: Actor,
    origin: str,
) -> Change:
    record, new = done
    edits = tuple(edit for _, change, _ in drafts for edit in change.edits)
    touched = tuple(dict.fromkeys(item.target for item, *_ in drafts if item.target))
    overrides = [f"override of the precedent gate: {i.override}" for i, *_ in drafts if i.override]
    return Change(
        _REFLECT,
        subject_of(record),
        (*edits, Put(run.path, new, digest_of(data))),
        reason="\n".join(overrides),
        ids=(run.id, *(own for *_, own in drafts)),
        actor=actor,
        origin=origin,
        touched=touched,
    )


def plan_abandon(
    record: Record, data: bytes, reason: str, *, now: datetime, actor: Actor, origin: str
) -> Step:
    """Plan to end a run without a result; what it was given stays unreflected.

    Raises:
        UsageError: no reason. RefusedError: it is completed.
    """
    require_same(record, data)
    run = read_run(record)
    if run.state == ABANDONED:
        return Step(_nothing(run, actor, origin), run)
    if run.state == COMPLETED:
        raise RefusedError(
            f"{run.id} is completed", hint=f"mvault undo takes it back: mvault log {run.id}"
        )
    if not reason.strip():
        raise UsageError("reflect abandon needs a reason", hint='Add: --reason "why"')
    values = {"state": ABANDONED, "abandoned": {"reason": reason.strip(), "at": instant_text(now)}}
    new = patch_keys(data, run.path, values)
    after = _clean(new, run.path)
    change = put_change(
        _REFLECT, after, data, new, reason=reason.strip(), actor=actor, origin=origin
    )
    return Step(change, read_run(after))


__all__ = ["REVISE", "GatedError", "Given", "Step", "Target", "digest_answer", "plan_abandon",
           "plan_commit", "plan_prepare"]  # fmt: skip
