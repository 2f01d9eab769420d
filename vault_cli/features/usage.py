"""Marks and statistics: who may say what of a record's use, and what the numbers tell. + `model`.

Being in a prompt is no use. A person's word and a guard's match count; an agent's word counts
when its session was shown the record and cited it, once for each record.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from vault_cli.errors import Diagnostic, NotFoundError, RefusedError, UsageError
from vault_cli.model.observation import (
    AGENT,
    CITATION,
    HIT,
    MAX_NOTE,
    MAX_SESSION,
    OUTCOME,
    UNDO,
    USES,
    Kept,
    Observation,
    was_shown,
)
from vault_cli.model.record import Record, Snapshot, Tally
from vault_cli.text.refusal import refuse_values
from vault_cli.text.scan import SECRET, find_secret_findings

LEAST_JUDGEMENTS: Final = 5
LEAST_APPROVAL: Final = 0.3
"""Below this share of helpful judgements a record in force is proposed for demotion."""

MEANINGS: Final[Mapping[str, tuple[str, str]]] = {
    "exposures": (
        "how often it stood in a block that was rendered for a session or into a file",
        "whether anybody read it: being there is no use",
    ),
    "citations": (
        "how often a session that was shown it named it",
        "whether it helped",
    ),
    "helpful": (
        "judgements: a person's word, or an agent's that cited it (one a session)",
        "what would have happened without it",
    ),
    "harmful": (
        "judgements: a person's word, or an agent's that cited it (one a session)",
        "whether the record is wrong or was misread",
    ),
    "hits": (
        "matches of its guard, uses that a person noted, and those in which an agent followed it",
        "whether the match was right",
    ),
    "succeeded": (
        "tasks that ended well and in which it was used",
        "whether it was the cause: records in force together share their tasks",
    ),
    "failed": (
        "tasks that failed and in which it was used",
        "whether it was the cause: records in force together share their tasks",
    ),
    "claims": (
        "judgements that do not count: an agent's that cited nothing, or of a fourth session a day",
        "anything: they are only kept to be looked at",
    ),
}
"""Of each number what it can tell, and what it cannot."""


@dataclass(frozen=True, slots=True)
class MarkRequest:
    """What is said of some records.

    Args:
        kinds: members of `USES`, each once.
        who: a member of `model.observation.WITNESSES`.
        session, receipt, note: see `Observation`.
        result: of an outcome.
    """

    kinds: tuple[str, ...]
    who: str
    session: str = ""
    receipt: str = ""
    note: str = ""
    result: str = ""


def plan_marks(
    ids: Sequence[str],
    request: MarkRequest,
    pool: Sequence[Kept],
    *,
    at: str,
    new_key: Callable[[], str],
) -> list[Observation]:
    """Return the observations to append, none for what the session has said already.

    Args:
        ids: of the records.
        request: what is said.
        pool: all observations of the vault.
        at: the instant.
        new_key: gives random keys.

    Raises:
        UsageError: a text is too long or not printable, or nothing is said.
        RefusedError: a secret stands in it; or an agent says what does not count.
    """
    _check_texts(request)
    kinds = sorted(request.kinds, key=USES.index)
    if request.who == AGENT:
        _require_credit(ids, request, pool)
    said = _said(request, pool) if request.who == AGENT else set()
    return [
        Observation(
            kind=kind,
            at=at,
            key=new_key(),
            ids=(record_id,),
            who=request.who,
            session=request.session,
            receipt=request.receipt,
            result=request.result if kind == OUTCOME else "",
            note=request.note,
        )
        for kind in kinds
        for record_id in dict.fromkeys(ids)
        if (kind, record_id) not in said
    ]


def _check_texts(request: MarkRequest) -> None:
    if not request.kinds:
        raise UsageError(
            "nothing is said of it",
            hint="Use --helpful, --harmful, --hit, --cited or --outcome succeeded|failed.",
        )
    for name, text, most in (
        ("--session", request.session, MAX_SESSION),
        ("--receipt", request.receipt, MAX_SESSION),
        ("--note", request.note, MAX_NOTE),
    ):
        if len(text) > most:
            raise UsageError(f"{name} has more than {most} characters")
        if not text.isprintable():
            raise UsageError(f"{name} holds a line break or a character that nobody sees")
        found = [hit for hit in find_secret_findings(text) if hit.code == SECRET and hit.holds]
        if found:
            shown = [
                Diagnostic("", 0, hit.code, "warning", hit.message, holds=True) for hit in found
            ]
            raise refuse_values(name, shown)


def _require_credit(ids: Sequence[str], request: MarkRequest, pool: Sequence[Kept]) -> None:
    """Refuse what an agent says of a record that its session was not shown, or did not cite."""
    session = request.session
    if HIT in request.kinds and OUTCOME not in request.kinds:
        raise RefusedError(
            "a hit is a person's word, or a match of a guard",
            hint="How following it went: mvault used ID --ok --session SESSION",
        )
    if not session:
        raise RefusedError(
            "an agent says in which session it used a record",
            hint="Add to the command: --session SESSION, one that was shown the record",
        )
    for record_id in dict.fromkeys(ids):
        if not was_shown(pool, session, record_id):
            raise RefusedError(
                f"{record_id} stands in no block that was rendered for session {session}",
                hint=f"Being used begins with being shown: mvault render --session {session}",
            )
        if CITATION not in request.kinds and not _has_cited(pool, session, record_id):
            raise RefusedError(
                f"session {session} has not cited {record_id}: a judgement needs a use",
                hint="Say both when it was used: --cited --helpful (or --harmful).",
            )


def _has_cited(pool: Sequence[Kept], session: str, record_id: str) -> bool:
    undone = _undone(pool)
    return any(
        item.seen.kind == CITATION
        and item.seen.session == session
        and record_id in item.seen.ids
        and (item.machine, item.seen.key) not in undone
        for item in pool
    )


def _said(request: MarkRequest, pool: Sequence[Kept]) -> set[tuple[str, str]]:
    """Return what the agent's session has said already, as (kind, id): it counts once."""
    undone = _undone(pool)
    return {
        (item.seen.kind, record_id)
        for item in pool
        for record_id in item.seen.ids
        if item.seen.who == AGENT
        and item.seen.session == request.session
        and (item.seen.kind != OUTCOME or item.seen.result == request.result)
        and (item.machine, item.seen.key) not in undone
    }


def _undone(pool: Sequence[Kept]) -> set[tuple[str, str]]:
    return {(item.machine, item.seen.of) for item in pool if item.seen.kind == UNDO}


def plan_takebacks(
    ids: Sequence[str],
    request: MarkRequest,
    pool: Sequence[Kept],
    machine: str,
    *,
    at: str,
    new_key: Callable[[], str],
) -> list[Observation]:
    """Return the lines that take back the newest marks of these kinds, made on this machine.

    Raises:
        NotFoundError: there is none for one of the records.
    """
    _check_texts(request)
    undone = _undone(pool)
    found = []
    for record_id in dict.fromkeys(ids):
        for kind in request.kinds:
            newest = _newest(record_id, kind, request, pool, machine, undone)
            undone.add((machine, newest.key))
            found.append(Observation(UNDO, at, new_key(), (record_id,), request.who, of=newest.key))
    return found


def newest_result(record_id: str, request: MarkRequest, pool: Sequence[Kept], machine: str) -> str:
    """Return how the newest use that this machine noted of a record went: one of `RESULTS`.

    Args:
        record_id: which.
        request: who asks, without a result.
        pool: all observations.
        machine: this one.

    Raises:
        NotFoundError: none was noted, or all are taken back.
    """
    return _newest(record_id, OUTCOME, request, pool, machine, _undone(pool)).result


def _newest(
    record_id: str,
    kind: str,
    request: MarkRequest,
    pool: Sequence[Kept],
    machine: str,
    undone: Collection[tuple[str, str]],
) -> Observation:
    fits = [
        item.seen
        for item in pool
        if item.machine == machine
        and _fits(item.seen, kind, record_id, request)
        and (machine, item.seen.key) not in undone
    ]
    if not fits:
        raise NotFoundError(
            f"no mark to take back: {kind} of {record_id}, made on this machine",
            hint=f"`mvault stats {record_id}` lists what was observed.",
        )
    return max(fits, key=lambda seen: (seen.at, seen.key))


def _fits(seen: Observation, kind: str, record_id: str, request: MarkRequest) -> bool:
    if seen.kind != kind or record_id not in seen.ids:
        return False
    if kind == OUTCOME and (seen.task or request.result not in ("", seen.result)):
        return False  # what the end of a task says goes with it
    if request.session and seen.session != request.session:
        return False
    # An agent takes back what it said, never what a person did.
    return request.who != AGENT or (seen.who == AGENT and seen.session == request.session)


def approval(tally: Tally) -> float | None:
    """Return the share of judgements that say helpful; None when there are too few to tell."""
    judged = tally.helpful + tally.harmful
    return tally.helpful / judged if judged >= LEAST_JUDGEMENTS else None


def find_misleading(snapshot: Snapshot) -> list[tuple[Record, Tally]]:
    """Return the records in force that use speaks against: 5 judgements, under 3 of 10 helpful.

    Nothing is done about them: a person decides.
    """
    found = []
    for record in snapshot.records:
        tally = snapshot.tally(record.id)
        share = approval(tally)
        if record.in_force and share is not None and share < LEAST_APPROVAL:
            found.append((record, tally))
    return found


def demotion_findings(snapshot: Snapshot) -> Iterator[Diagnostic]:
    """Yield a note for each record that use speaks against."""
    for record, tally in find_misleading(snapshot):
        judged = tally.helpful + tally.harmful
        text = f"judged harmful {tally.harmful} of {judged} times: does it still hold?"
        hint = f"See: mvault stats {record.id}; then dispute, revise or deprecate it, or leave it."
        yield Diagnostic(record.path, 0, "demotion-proposed", "note", text, hint)


def unknown_findings(
    named_ids: Collection[str], forgotten: Collection[str]
) -> Iterator[Diagnostic]:
    """Yield one note when observations name records that are not in the vault, nor were forgotten.

    They stay: the record may be on a branch that is not merged yet.

    Args:
        named_ids: ids in observations that no record here has.
        forgotten: those of which a tombstone is left.
    """
    strange = sorted(set(named_ids) - set(forgotten))
    if strange:
        named = ", ".join(strange[:_MOST_NAMED])
        more = f" and {len(strange) - _MOST_NAMED} more" if len(strange) > _MOST_NAMED else ""
        text = f"observations of records that are not in the vault: {named}{more}"
        yield Diagnostic("usage", 0, "usage-unknown", "note", text)


_MOST_NAMED: Final = 5
NUMBERS: Final = ("exposures", "citations", "helpful", "harmful", "hits", "succeeded", "failed")


def tally_data(tally: Tally, claims: int = 0) -> dict[str, Any]:
    """Return the promised JSON shape of what was observed of one record."""
    return {
        **{name: getattr(tally, name) for name in NUMBERS},
        "claims": claims,
        "last_used": tally.last_used,
        "approval": approval(tally),
    }
