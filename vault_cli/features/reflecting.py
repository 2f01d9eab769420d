"""Plan the steps of a reflection run: prepare, commit, abandon. May import `model`, `text`.

Each step is one change of one commit, so that a run that is killed at any moment is either before
the step or after it. Ids of runs and of their candidates are made from what they are about, so a
step that is done twice does nothing the second time.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final, NamedTuple

from vault_cli.errors import Diagnostic, RefusedError, UsageError
from vault_cli.features.records import (
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
    NEW,
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
from vault_cli.model.change import Change, Put
from vault_cli.model.lifecycle import Actor
from vault_cli.model.record import Kind, Record, Snapshot
from vault_cli.text.document import compose_document
from vault_cli.text.names import file_name

REFLECT: Final = "reflect"


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
        return Step(nothing_change(last, actor, origin), last, written_ids(last))
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
        "target": target.key,
        "about": dict(target.about),
        **_stored(given),
    }
    data = compose_document(front, f"# {target.title}\n")
    path = f"{Kind.REFLECTION.folder}/{now.strftime('%Y-%m')}/{file_name(target.title, own)}"
    record = read_clean(data, path)
    change = Change(
        REFLECT, subject_of(record), (Put(path, data),), ids=(own,), actor=actor, origin=origin
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


def read_clean(data: bytes, path: str) -> Record:
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
        return Step(nothing_change(run, actor, origin), run)
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
    record = read_clean(new, run.path)
    return Step(
        put_change(REFLECT, record, data, new, actor=actor, origin=origin), read_run(record)
    )


def _equal(stored: Any, value: Any) -> bool:
    """Compare a value with what was read of it: numbers and truth values may have become texts."""
    if isinstance(value, Mapping) and isinstance(stored, Mapping):
        return set(value) == set(stored) and all(_equal(stored[k], value[k]) for k in value)
    if isinstance(value, list) and isinstance(stored, list):
        return len(value) == len(stored) and all(map(_equal, stored, value))
    return stored == value or str(stored).casefold() == str(value).casefold()


def nothing_change(run: Run, actor: Actor, origin: str) -> Change:
    """Return the empty change about a run."""
    subject = f"(reflection): {run.title}"
    return Change(REFLECT, subject, (), ids=(run.id,), actor=actor, origin=origin)


def written_ids(run: Run) -> tuple[str, ...]:
    """Return the ids of the candidates that a completed run wrote."""
    found = (
        str(item.get("id") or "") for item in run.result if item.get("relation") in (NEW, REVISE)
    )
    return tuple(filter(None, found))


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
        return Step(nothing_change(run, actor, origin), run)
    if run.state == COMPLETED:
        raise RefusedError(
            f"{run.id} is completed", hint=f"mvault undo takes it back: mvault log {run.id}"
        )
    if not reason.strip():
        raise UsageError("reflect abandon needs a reason", hint='Add: --reason "why"')
    values = {"state": ABANDONED, "abandoned": {"reason": reason.strip(), "at": instant_text(now)}}
    new = patch_keys(data, run.path, values)
    after = read_clean(new, run.path)
    change = put_change(
        REFLECT, after, data, new, reason=reason.strip(), actor=actor, origin=origin
    )
    return Step(change, read_run(after))
