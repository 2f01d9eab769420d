"""`show --provenance`: what a record rests on, who changed it, what rests on it.

May import everything below `cli`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from vault_cli.cli.invocation import Invocation
from vault_cli.cli.output import Line, inline, told
from vault_cli.cli.shown import shown_of
from vault_cli.cli.views import brief_data, plain_value, value_text
from vault_cli.errors import VaultError
from vault_cli.model.record import Record, Status

if TYPE_CHECKING:
    from vault_cli.features.states import StateRules
    from vault_cli.features.support import Rest
    from vault_cli.model.record import Snapshot
    from vault_cli.store.repo import CommitInfo

_SHORT = 10


def state_rules(inv: Invocation, records: Sequence[Record] = ()) -> StateRules:
    """Return how this vault derives states, with the checkout at hand for anchors.

    Args:
        inv: the running command.
        records: whose code is looked at right away, all at once.
    """
    from vault_cli.cli.checkout import AnchorReader
    from vault_cli.cli.rendering import find_project
    from vault_cli.features.states import StateRules

    config, reader = inv.vault.config, AnchorReader(inv, find_project)
    reader.look([record for record in records if "anchors" in record.fields])
    reader.save()
    return StateRules(str(config["decay.curve"]), int(config["decay.dormant_below"]), reader)


def anchors_data(record: Record, rules: StateRules) -> list[dict[str, str]]:
    """Return what `--json` says about the code a record speaks about."""
    from vault_cli.features.anchors import anchor_data

    return [anchor_data(*pair) for pair in rules.judge(record)] if rules.judge else []


def anchor_lines(data: Sequence[Mapping[str, str]]) -> Iterator[Line]:
    """Yield one line an anchor: its path, its state, and why."""
    if data:
        yield [("dim", "anchors:")]
    for item in data:
        style = {"fresh": "green", "stale": "yellow"}.get(item["state"], "dim")
        why = f": {inline(item['why'])}" if item["why"] else ""
        yield ["  ", inline(item["path"]), "  ", (style, item["state"]), why]


def provenance_data(inv: Invocation, record: Record) -> dict[str, Any]:
    """Return everything that `show --provenance` tells, in the promised JSON shape."""
    from vault_cli.cli.sources import three_parts
    from vault_cli.features.states import states_of
    from vault_cli.features.support import chain_of, dependents_of, related_to

    snapshot, rules = shown_of(inv), state_rules(inv)
    return {
        **three_parts(inv, record),
        "source": record.source,
        "origin": record.origin,
        "created": record.created,
        "states": list(states_of(record, snapshot, inv.now, rules)),
        **support_data(snapshot, record),
        "anchors": anchors_data(record, rules),
        "rests_on": [_rest_data(rest) for rest in chain_of(snapshot, record)],
        "links": [{"id": name, "why": why} for name, why in related_to(record)],
        "rest_on_it": [brief_data(other) for other in dependents_of(snapshot, record)],
        "supersedes": _chain(inv, record),
        "superseded_by": [brief_data(other) for other in _later(inv, record)],
        "history": [attribution_data(commit) for commit in _commits(inv, record)],
    }


def support_data(snapshot: Snapshot, record: Record) -> dict[str, Any]:
    """Return how well what a record rests on still holds, its evidence and its verification."""
    from vault_cli.model.support import Support
    from vault_cli.recall.support import judge_supports

    key = (record.vault, record.id)
    support = judge_supports(snapshot, (record,)).get(key, Support())
    return {
        "support": {"state": support.state, "why": support.describe()},
        "evidence": _evidence_data(record),
        "verification": _verification_data(record),
    }


def _evidence_data(record: Record) -> list[dict[str, Any]]:
    from vault_cli.model.evidence import raw_entries, read_evidence

    _, faults = read_evidence(record.fields)
    problems = {fault.place: fault.message for fault in faults}
    found = []
    for place, raw in enumerate(raw_entries(record.fields)):
        entry = plain_value(raw) if isinstance(raw, Mapping) else {"text": value_text(raw)}
        found.append({"entry": entry, "problem": problems.get(place, "")})
    return found


def _verification_data(record: Record) -> dict[str, Any] | None:
    from vault_cli.model.evidence import claim_digest, is_bound, judge_verification

    written = record.fields.get("verification")
    if not isinstance(written, Mapping) and record.written_status is not Status.VERIFIED:
        return None
    problem = judge_verification(record)[1]
    return {
        "written": plain_value(written),
        "holds": not problem,
        "problem": problem,
        "bound": is_bound(record),
        "claim_sha256": claim_digest(record),
    }


def _rest_data(rest: Rest) -> dict[str, Any]:
    known = brief_data(rest.record) if rest.record is not None else {"id": rest.id}
    return {**known, "named": rest.id, "by": rest.by, "depth": rest.depth, "lost": rest.why}


def _chain(inv: Invocation, record: Record) -> list[dict[str, Any]]:
    """Return the older versions, newest first; an id that is not there stands alone."""
    by_id = shown_of(inv).by_id
    found: list[dict[str, Any]] = []
    seen = {record.id}
    waiting = list(record.supersedes)
    while waiting:
        name = waiting.pop(0)
        if name not in seen:
            seen.add(name)
            old = by_id.get(name)
            found.append(brief_data(old) if old is not None else {"id": name})
            waiting += old.supersedes if old is not None else ()
    return found


def _later(inv: Invocation, record: Record) -> list[Record]:
    found: list[Record] = []
    waiting = [record.id]
    while waiting:
        name = waiting.pop(0)
        for other in shown_of(inv).records:
            if name in other.supersedes and other.id != record.id and other not in found:
                found.append(other)
                waiting.append(other.id)
    return found


def _commits(inv: Invocation, record: Record) -> Sequence[CommitInfo]:
    repo = inv.vault.repo
    if repo is None:
        return ()
    try:
        return repo.log(paths=(record.path,), record_id=record.id)
    except VaultError as error:
        inv.out.warn(f"its history cannot be read: {error.message}")
        return ()


def attribution_data(commit: CommitInfo) -> dict[str, Any]:
    """Return what provenance says about a commit: when, who, on whose behalf, why."""
    from vault_cli.cli.history import veiled

    commit = veiled(commit)
    trailers = dict(commit.trailers)
    return {
        "commit": commit.id,
        "date": commit.date,
        "subject": commit.subject,
        "author": commit.author,
        "actor": trailers.get("Vault-Actor", ""),
        "agent": trailers.get("Vault-Agent", ""),
        "origin": trailers.get("Vault-Origin", "editor"),
        "how": trailers.get("Vault-Approval", ""),
        "reason": commit.body.strip(),
    }


def provenance_lines(data: Mapping[str, Any]) -> Iterator[Line]:
    """Yield what a person reads of `provenance_data`."""
    from vault_cli.cli.sources import parts_lines

    yield from parts_lines(data)
    yield ""
    yield [("bold", "What it rests on, and its history")]
    yield [("dim", "source: "), f"{inline(data['source']) or 'not said'} (claimed)"]
    yield [("dim", "origin: "), f"{inline(data['origin']) or 'editor'} (set by the program)"]
    if data["states"]:
        yield [("dim", "now: "), ("yellow", ", ".join(data["states"]))]
    yield from support_lines(data)
    yield from _list_lines("rests on", data["rests_on"], _rest_text)
    yield from anchor_lines(data["anchors"])
    yield from _list_lines("links", data["links"], lambda a: f"{a['id']}  {a['why']}".rstrip())
    yield from _list_lines("rests on it", data["rest_on_it"], _brief)
    yield from _list_lines("took the place of", data["supersedes"], _brief)
    yield from _list_lines("replaced by", data["superseded_by"], _brief)
    yield from _list_lines("history", data["history"], _commit_text)


def support_lines(data: Mapping[str, Any]) -> Iterator[Line]:
    """Yield what a person reads of `support_data`."""
    support = data["support"]
    style = "green" if support["state"] == "intact" else "red"
    why = f": {inline(support['why'])}" if support["why"] else ""
    yield [("dim", "support: "), (style, support["state"]), why]
    yield from _list_lines("evidence", data["evidence"], _evidence_text)
    verification = data["verification"]
    if verification is not None:
        state = "holds" if verification["holds"] else f"does not hold: {verification['problem']}"
        tie = "" if verification["bound"] else "; not tied to the text"
        yield [("dim", "verification: "), inline(value_text(verification["written"] or "none"))]
        yield [("green" if verification["holds"] else "red", f"  {inline(state)}{tie}")]


def _list_lines(title: str, items: Sequence[Any], text_of: Any) -> Iterator[Line]:
    if items:
        yield [("dim", f"{title}:")]
        yield from (f"  {inline(text_of(item))}" for item in items)


def _brief(item: Mapping[str, Any]) -> str:
    if "title" not in item:
        return f"{item['id']!s}  (not in the vault)"
    return "  ".join(str(item[key]) for key in ("id", "status", "kind", "title"))


def _rest_text(item: Mapping[str, Any]) -> str:
    lost = f"  (lost: {item['lost']})" if item["lost"] else ""
    return "  " * (int(item["depth"]) - 1) + _brief(item) + lost


def _evidence_text(item: Mapping[str, Any]) -> str:
    entry = dict(item["entry"])
    name = entry.pop("id", "?")
    kind = entry.pop("type", "?")
    rest = ", ".join(f"{key} {value_text(value)}" for key, value in entry.items())
    return f"{name}  {kind}: {rest}" + (f"  ({item['problem']})" if item["problem"] else "")


def _commit_text(item: Mapping[str, Any]) -> str:
    who = " ".join(part for part in (item["actor"] or "editor", item["agent"]) if part)
    how = f", {item['how']}" if item["how"] else ""
    said = f"{told(item['subject'])}  ({told(who + how)})"
    return f"{item['commit'][:_SHORT]}  {item['date'][:10]}  {said}"
