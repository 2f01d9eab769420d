"""Guards: which stand where, and a guard for a record. May import `recall`, `text`, `hook`.

A guard is in force exactly when its record would be rendered here: admitted, trusted, valid, of
this scope. One of a disputed record only logs. `deny` counts when a person admitted it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, time, timedelta
from typing import Any, Final

from vault_cli.errors import UsageError
from vault_cli.hook import guard as fast
from vault_cli.model.lineage import Ancestry
from vault_cli.model.record import IN_FORCE, Kind, Record, Snapshot, Status
from vault_cli.recall.select import Query, divide_records
from vault_cli.text.guards import Guard, action_in_force, check_guard, compile_rule
from vault_cli.text.values import BadValueError

KINDS: Final = frozenset({Kind.FAILURE, Kind.LESSON, Kind.RULE})
KEY: Final = "guard"

IN_FORCE_STATE: Final = "in force"
LOGS: Final = "logs"
WAITS: Final = "draft"
REFUSED: Final = "refused"
NOT_HERE: Final = "not here"
ENDED: Final = "out of force"
STATES: Final = (IN_FORCE_STATE, LOGS, WAITS, NOT_HERE, REFUSED, ENDED)


@dataclass(frozen=True, slots=True)
class Standing:
    """How the guard of one record stands here.

    Args:
        record: the record.
        guard: what it says; None when it is refused.
        state: a member of `STATES`.
        why: why it is not in force, or does less than it says; "" otherwise.
        action: what it does: `warn`, `deny`, `log`, "" for nothing.
    """

    record: Record
    guard: Guard | None
    state: str
    why: str = ""
    action: str = ""

    @property
    def acts(self) -> bool:
        """Whether it is looked up before a tool call."""
        return self.guard is not None and self.state in {IN_FORCE_STATE, LOGS}


def guard_records(snapshot: Snapshot, statuses: Iterable[Status] = Status) -> list[Record]:
    """Return the records with a guard, of some statuses."""
    wanted = frozenset(statuses)
    return [r for r in snapshot.records if r.status in wanted and KEY in r.fields and r.fields[KEY]]


def judge_guards(
    snapshot: Snapshot, query: Query, records: Sequence[Record] | None = None
) -> list[Standing]:
    """Return how each guard stands here, sorted by id.

    Args:
        snapshot: as the person's trust settings leave it.
        query: who asks: project, branch, moment.
        records: those with a guard; None for all.
    """
    own = guard_records(snapshot) if records is None else list(records)
    reasons = _why_not_here(snapshot, query, own)
    return sorted(
        (_stand(record, reasons.get(id(record), "")) for record in own),
        key=lambda one: (one.record.id, one.record.path),
    )


def _why_not_here(snapshot: Snapshot, query: Query, own: Sequence[Record]) -> dict[int, str]:
    """Return why records in force, or disputed after they were, do not count here."""
    found: dict[int, str] = {}
    active = [record for record in own if record.status in IN_FORCE]
    names = {record.scope.name for record in active if record.scope.level == "session"}
    here: set[int] = set()
    for session in ("", *sorted(names)):
        eligible, excluded = divide_records(snapshot, replace(query, session=session))
        here |= {id(record) for record in eligible}
        found = {id(item.record): item.reason for item in excluded} | found
    for record in own:
        if record.status is Status.DISPUTED:
            as_before = replace(record, written_status=Status.ACTIVE)
            asked = query
            if record.scope.level == "session":
                asked = replace(query, session=record.scope.name)
            alone = replace(snapshot, records=(as_before,))
            excluded = divide_records(alone, asked)[1]
            found |= {id(record): item.reason for item in excluded}
            if not as_before.in_force:
                found[id(record)] = "it was never in force"
    return {key: reason for key, reason in found.items() if key not in here}


def _stand(record: Record, reason: str) -> Standing:
    try:
        guard = check_guard(record.fields.get(KEY))
    except BadValueError as error:
        return Standing(record, None, REFUSED, error.message)
    if guard is None or record.kind not in KINDS:
        return Standing(record, None, REFUSED, "a guard belongs to a failure, a lesson or a rule")
    if record.status in IN_FORCE:
        return _stand_in_force(record, guard, record.withheld or reason)
    if record.status is Status.DISPUTED and not reason:
        return Standing(record, guard, LOGS, "its record is disputed", fast.LOGGED)
    if record.status in {Status.CANDIDATE, Status.DISPUTED}:
        return Standing(record, guard, WAITS, reason or "a person has not admitted it")
    return Standing(record, guard, ENDED, f"its record is {record.status}")


def _stand_in_force(record: Record, guard: Guard, reason: str) -> Standing:
    if reason:
        return Standing(record, guard, NOT_HERE, reason)
    action = action_in_force(guard)
    why = "" if action == guard.action else "it hits too many calls to deny them"
    return Standing(record, guard, IN_FORCE_STATE, why, action)


def weaken(standing: Standing, ancestry: Ancestry | None) -> Standing:
    """Return a guard that denies as one that warns, unless a person admitted it as it stands.

    Args:
        standing: of a guard in force.
        ancestry: what history knows of the record; None when it is not in git.
    """
    if standing.action != fast.DENY or ancestry is None or by_person(ancestry):
        return standing
    return replace(standing, action=fast.WARN, why="a person has not admitted it; so it only warns")


def by_person(ancestry: Ancestry) -> bool:
    """Tell whether, as far as commits say, nobody but a person put this text in force."""
    for version in ancestry.versions:
        if version.status not in {str(status) for status in IN_FORCE}:
            return True
        if version.deed.is_ours and version.deed.say("Vault-Actor") not in {"", "person"}:
            return False
    return True


def rule_of(standing: Standing, root: str) -> tuple[Any, ...]:
    """Return the compiled rule of a guard that acts.

    Args:
        standing: with a guard.
        root: folder of the record's vault.
    """
    record, guard = standing.record, standing.guard
    if guard is None:
        raise ValueError(record.id)
    return compile_rule(
        guard,
        record_id=record.id,
        vault=root,
        title=record.title,
        action=standing.action,
        session=record.scope.name if record.scope.level == "session" else "",
        source=f"{root}/{record.path}",
    )


def next_change(records: Iterable[Record], now: datetime) -> float:
    """Return the Unix time at which a record begins or ends to hold next, 0 for never."""
    moments = []
    for record in records:
        start, end = record.validity
        moments += [_begin(start, now)] if start is not None else []
        moments += [_end(end, now)] if end is not None else []
    later = [moment.timestamp() for moment in moments if moment > now]
    return min(later, default=0.0)


def _begin(day: date | datetime, now: datetime) -> datetime:
    return day if isinstance(day, datetime) else datetime.combine(day, time(), now.tzinfo)


def _end(day: date | datetime, now: datetime) -> datetime:
    if isinstance(day, datetime):
        return day
    return datetime.combine(day, time(), now.tzinfo) + timedelta(days=1)


def guard_values(
    *,
    match: str,
    tools: Sequence[str] = (),
    field: str = "",
    action: str = "",
    instead: str = "",
    cooldown: str = "",
    hit: Sequence[str] = (),
    miss: Sequence[str] = (),
    fingerprint: str = "",
) -> dict[str, Any]:
    """Return what is written under `guard:`, checked.

    Raises:
        UsageError: it cannot be used.
    """
    examples = {key: list(texts) for key, texts in (("hit", hit), ("miss", miss)) if texts}
    values: dict[str, Any] = {
        "tools": list(tools) or ["shell"],
        "field": field,
        "match": match,
        "action": action or fast.WARN,
        "instead": instead,
        "cooldown": cooldown,
        "examples": examples,
        "fingerprint": fingerprint,
    }
    given = {key: value for key, value in values.items() if value}
    require_guard(given)
    return given


def require_guard(values: Mapping[str, Any]) -> Guard:
    """Return a guard as it will be written.

    Raises:
        UsageError: it cannot be used, or its own examples speak against it.
    """
    try:
        guard = check_guard(values)
    except BadValueError as error:
        raise UsageError(f"guard: {error.message}", hint=error.hint) from error
    if guard is None:
        raise UsageError("guard: it says nothing", hint="Write what it matches.")
    wrong = wrong_examples(guard)
    if wrong:
        text, wanted = wrong[0]
        what = "does not hit" if wanted else "hits"
        raise UsageError(
            f"guard: it {what} its own example: {text}",
            hint="Correct the words, or the example.",
        )
    return guard


def wrong_examples(guard: Guard) -> list[tuple[str, bool]]:
    """Return the examples that come out otherwise than they say, with what they say."""
    rule, tool = compile_rule(guard), guard.first_tool
    told = [(text, True) for text in guard.hit] + [(text, False) for text in guard.miss]
    return [(text, wanted) for text, wanted in told if fast.hits(rule, tool, text) != wanted]
