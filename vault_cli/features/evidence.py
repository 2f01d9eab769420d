"""Evidence of one record: what is wrong with it, and `verify`. May import `text`, `model`."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from vault_cli.errors import Diagnostic, RefusedError, Severity, UsageError
from vault_cli.features.approval import needed_paths, plan_approve
from vault_cli.features.places import Places, finding
from vault_cli.features.records import (
    Planned,
    digest_of,
    instant_text,
    patch_keys,
    read_checked,
    subject_of,
    texts_of,
)
from vault_cli.model.change import Change, Edit, Move, Put
from vault_cli.model.evidence import (
    METHODS,
    STALE,
    TYPES,
    Evidence,
    claim_digest,
    is_bound,
    is_verified,
    judge_verification,
    raw_entries,
    read_entry,
    read_evidence,
    rule_problem,
)
from vault_cli.model.lifecycle import Actor, require_step
from vault_cli.model.paths import is_skill_file
from vault_cli.model.record import Record, Snapshot, Status
from vault_cli.text.late import late
from vault_cli.text.spelling import nearest_choice
from vault_cli.text.values import whole_number

__all__ = [
    "VerifyRequest",
    "check_evidence",
    "needed_paths",
    "outdates_verification",
    "parse_evidence",
    "plan_verify",
]

_KEYS = sorted({key for keys in TYPES.values() for key in keys} | {"id", "observed"})
_NUMBERS = frozenset({"start", "end", "line"})
_NEXT_KEY = late(rf",(?=\s*(?:{'|'.join(_KEYS).replace('_', '[-_]')})\s*=)")


def check_evidence(record: Record, places: Places) -> Iterator[Diagnostic]:
    """Report malformed evidence, and a status verified that nothing carries."""
    if "evidence" in record.fields:
        for fault in read_evidence(record.fields)[1]:
            text = f"evidence {fault.place + 1} {fault.message}"
            hint = "It counts as it is; add observed." if fault.usable else _EVIDENCE_HINT
            severity: Severity = "note" if fault.usable else "warning"
            line = places.entry(record, "evidence", fault.place, fault.key)
            yield Diagnostic(record.path, line, "bad-evidence", severity, text, hint)
    if record.written_status is Status.VERIFIED:
        yield from _check_verified(record, places)


_EVIDENCE_HINT = "It does not count until it is corrected; README, What a memory rests on."


def _check_verified(record: Record, places: Places) -> Iterator[Diagnostic]:
    code, problem = judge_verification(record)
    if code == STALE:
        hint = f"Confirm it again (mvault verify {record.id}), or: mvault check --fix"
        line = places.key(record, "verification")
        yield finding(record, code, "error", f"status verified, but {problem}", hint, line)
    elif code:
        hint = "Set status back to active, or add verification and the evidence it cites."
        line = places.key(record, "status")
        yield finding(record, code, "error", f"status verified, but {problem}", hint, line)
    elif not is_bound(record):
        text = "the verification does not say which text it is about (target_sha256)"
        hint = f"A later change would not show. Tie it to its text: mvault verify {record.id}"
        line = places.key(record, "verification")
        yield finding(record, "verification-unbound", "note", text, hint, line)


def outdates_verification(change: Change, record: Record) -> bool:
    """Tell whether a change of a verified record's text leaves its verification behind."""
    edit = change.edits[0] if change.edits else None
    if not isinstance(edit, Put) or not is_verified(record):
        return False
    return not is_verified(read_checked(edit.data, edit.path))


def parse_evidence(text: str) -> dict[str, Any]:
    """Read evidence as typed: `{"type": …}` (JSON) or `TYPE:key=value,key=value`.

    Args:
        text: what was typed. A comma in a value is kept unless a known key and `=` follow it.

    Raises:
        UsageError: it is neither, or the type is not known.
    """
    if text.lstrip().startswith("{"):
        given = _parse_json(text)
        _require_type(str(given.get("type", "")))
        return given
    kind, _, rest = text.partition(":")
    _require_type(kind.strip())
    given = {"type": kind.strip()}
    for part in _NEXT_KEY.split(rest):
        key, sign, value = part.partition("=")
        if not sign:
            raise UsageError(f"no key and value: {part.strip()!r}", hint=_example(kind.strip()))
        given[key.strip().replace("-", "_")] = value.strip()
    return given


def _require_type(kind: str) -> None:
    if kind not in TYPES:
        near = nearest_choice(kind, tuple(TYPES))
        guess = f"Did you mean {near}? " if near else ""
        raise UsageError(
            f"unknown type of evidence: {kind or 'none'}", hint=f"{guess}Known: {', '.join(TYPES)}."
        )


def _parse_json(text: str) -> dict[str, Any]:
    try:
        given = json.loads(text)
    except ValueError as error:
        raise UsageError(f"the evidence is no JSON object: {error}", hint=_example("")) from None
    if not isinstance(given, dict):
        raise UsageError("the evidence is no JSON object", hint=_example(""))
    return {str(key): value for key, value in given.items()}


def _example(kind: str) -> str:
    keys = TYPES.get(kind)
    if keys:
        return f"Write {kind}:{','.join(f'{key}=…' for key in keys)}"
    return "Write for example session-event:session=7f,start=120,end=188"


@dataclass(frozen=True, slots=True)
class VerifyRequest:
    """What somebody says a record is verified by.

    Args:
        evidence: ids of entries the record has, and new entries (maps).
        method: a member of `METHODS`; "" takes the one that fits the evidence.
        by: who confirmed, reproduced or looked it up; "" leaves who it was, or is the user.
        reason: body of the commit message.
    """

    evidence: Sequence[str | Mapping[str, Any]] = ()
    method: str = ""
    by: str = ""
    reason: str = ""


def plan_verify(
    snapshot: Snapshot,
    record: Record,
    texts: Mapping[str, bytes],
    request: VerifyRequest,
    *,
    now: datetime,
    actor: Actor,
    random_int: Callable[[int], int],
    how: str = "terminal",
    origin: str = "cli",
) -> Planned:
    """Plan to make a record verified: its evidence, `verification`, and the status.

    A record that is not in force yet is approved by it, under all the rules of an approval. The
    verification names the SHA-256 of the text it is about; verifying again ties it to the text
    as it is now.

    Args:
        snapshot: the vault.
        record: what is verified.
        texts: bytes by path of every file in `needed_paths(snapshot, (record,))`.
        request: the evidence, and how it was verified.
        now: aware instant in the vault's time zone.
        actor: who asks; only a person verifies.
        random_int: random integer below its argument, for the id of a note without one.
        how: how the person agreed.
        origin: how the request came in.

    Returns:
        The change, empty when it is verified by just that already.

    Raises:
        UsageError: an unknown method, or evidence of an id that is not there.
        RefusedError: the evidence is incomplete or not enough, or the lifecycle, or what an
            approval refuses.
        ChangedMeanwhileError: bytes are missing or differ.
    """
    values = _verification(record, request, now, actor)
    data = texts_of(texts, record)
    edits, notes, path = _admission(
        snapshot, record, texts, now=now, actor=actor, random_int=random_int, how=how
    )
    edits, after = _written(edits, record, data, path, values)
    change = Change(
        verb="verify",
        subject=subject_of(after),
        edits=edits,
        reason=request.reason.strip(),
        ids=(after.id,),
        actor=actor,
        origin=origin,
        extra=(("Vault-Approval", how),),
    )
    return Planned(change, change.ids, notes)


def _verification(
    record: Record, request: VerifyRequest, now: datetime, actor: Actor
) -> dict[str, Any]:
    """Return the keys that say what verifies a record, but for the digest of its text."""
    if is_skill_file(record.path):
        raise RefusedError(
            f"{record.id} is a skill: its format has no place for evidence",
            hint="Verify the recipe it came from.",
        )
    require_step(record.status, Status.VERIFIED, actor, record.id)
    cited, fresh = _gather(record, request.evidence, now)
    old = record.fields.get("verification")
    before = old if isinstance(old, Mapping) else {}
    asked = request.method or ("" if request.evidence else str(before.get("method") or ""))
    method = _method(asked, cited)
    problem = rule_problem(record, method, cited)
    if problem:
        raise RefusedError(
            f"{record.id} cannot be verified: {problem}", hint=_missing(record, method)
        )
    values: dict[str, Any] = {}
    if fresh:
        values["evidence"] = [*raw_entries(record.fields), *fresh]
    values["verification"] = {
        "method": method,
        "actor": request.by or str(before.get("actor") or "user"),
        "evidence": [entry.id for entry in cited],
        "at": instant_text(now),
    }
    return values


def _gather(
    record: Record, asked: Sequence[str | Mapping[str, Any]], now: datetime
) -> tuple[list[Evidence], list[dict[str, Any]]]:
    """Return the cited evidence, and the entries that are new to the record."""
    known = {entry.id: entry for entry in read_evidence(record.fields)[0]}
    taken = {str(raw.get("id")) for raw in raw_entries(record.fields) if isinstance(raw, Mapping)}
    cited: dict[str, Evidence] = {}
    fresh: list[dict[str, Any]] = []
    for item in asked or tuple(known):
        if isinstance(item, str):
            entry = _known(record, known, taken, item)
        else:
            entry, raw = _new_entry(record, item, known, taken, now)
            if raw is not None:
                fresh.append(raw)
                known[entry.id] = entry
                taken.add(entry.id)
        cited[entry.id] = entry
    return list(cited.values()), fresh


def _known(record: Record, known: Mapping[str, Evidence], taken: set[str], name: str) -> Evidence:
    if name in known:
        return known[name]
    if name in taken:
        faults = read_evidence(record.fields)[1]
        words = "; ".join(f"evidence {f.place + 1} {f.message}" for f in faults if not f.usable)
        raise RefusedError(f"{record.id}: {name} is not complete: {words}", hint=_EVIDENCE_HINT)
    raise UsageError(
        f"{record.id} has no evidence {name!r}",
        hint=f"It has: {', '.join(known) or 'none'}. New: {_example('')[10:]}",
    )


def _new_entry(
    record: Record,
    given: Mapping[str, Any],
    known: Mapping[str, Evidence],
    taken: set[str],
    now: datetime,
) -> tuple[Evidence, dict[str, Any] | None]:
    """Return a new entry and how it is written; an equal one that is there is cited instead."""
    number = next(n for n in range(1, len(taken) + 2) if f"e{n}" not in taken)
    own_id = str(given.get("id") or f"e{number}")
    observed = str(given.get("observed") or now.date().isoformat())
    entry, fault = read_entry({**given, "id": own_id, "observed": observed})
    if entry is None:
        words = fault.message if fault else "it says nothing"
        raise RefusedError(
            f"{record.id}: the evidence cannot be used: {words}",
            hint=_example(str(given.get("type"))),
        )
    for other in known.values():
        if other.type == entry.type and dict(other.values) == dict(entry.values):
            return other, None
    if own_id in taken:
        raise RefusedError(
            f"{record.id} has other evidence called {own_id}",
            hint="Leave the id out, or choose another.",
        )
    # Numbers are written plain, as people write them; a text that looks like one gets quotes.
    numbers = {key: whole_number(entry.values.get(key, "")) for key in _NUMBERS}
    plain = {**entry.values, **{key: n for key, n in numbers.items() if n is not None}}
    return entry, {"id": own_id, "type": entry.type, **plain, "observed": observed}


def _method(given: str, cited: Sequence[Evidence]) -> str:
    if given and given not in METHODS:
        near = nearest_choice(given, METHODS)
        guess = f"Did you mean {near}? " if near else ""
        raise UsageError(f"unknown method: {given}", hint=f"{guess}Known: {', '.join(METHODS)}.")
    kinds = {entry.type for entry in cited}
    fits_source = "external-uri" in kinds and "session-event" not in kinds
    return given or ("independent-source" if fits_source else "user-confirmation")


def _missing(record: Record, method: str) -> str:
    kind = "external-uri" if method == "independent-source" else "session-event"
    return f"Run: mvault verify {record.id} --evidence {_example(kind).removeprefix('Write ')}"


def _admission(
    snapshot: Snapshot,
    record: Record,
    texts: Mapping[str, bytes],
    *,
    now: datetime,
    actor: Actor,
    random_int: Callable[[int], int],
    how: str,
) -> tuple[tuple[Edit, ...], tuple[Diagnostic, ...], str]:
    """Return the edits that put the record in force (none when it is), and its path then."""
    if record.in_force:
        return (), (), record.path
    planned = plan_approve(
        snapshot, (record,), texts, now=now, actor=actor, how=how, random_int=random_int
    )
    own = next(e for e in planned.change.edits if e.path == record.path)
    path = own.target if isinstance(own, Move) else own.path
    return planned.change.edits, planned.notes, path


def _written(
    edits: tuple[Edit, ...], record: Record, data: bytes, path: str, values: Mapping[str, Any]
) -> tuple[tuple[Edit, ...], Record]:
    """Return the edits with the record verified in its own, and the record as it reads then."""
    own = next((e for e in edits if e.path == record.path and isinstance(e, Put | Move)), None)
    base = own.data if own else data
    verification = dict(values["verification"])
    verification["target_sha256"] = claim_digest(read_checked(base, path))
    if own is None and _is_same(record, verification, values):
        return (), record
    written = {**values, "verification": verification, "status": str(Status.VERIFIED)}
    new = patch_keys(base, path, written)
    after = read_checked(new, path)
    problem = judge_verification(after)[1]
    if problem:
        raise RefusedError(f"{record.id} cannot be verified: {problem}")
    if own is None:
        return (Put(path, new, digest_of(data)),), after
    return tuple(replace(e, data=new) if e is own else e for e in edits), after


def _is_same(record: Record, verification: Mapping[str, Any], values: Mapping[str, Any]) -> bool:
    old = record.fields.get("verification")
    if "evidence" in values or record.written_status is not Status.VERIFIED:
        return False
    keys = ("method", "actor", "evidence", "target_sha256")
    return isinstance(old, Mapping) and all(old.get(key) == verification[key] for key in keys)
