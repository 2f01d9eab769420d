"""How a vault does, in four parts that nobody adds up. May import `recall`, `text`, `model`.

Each part says who judges: code counts what the files say, people and agents judge what helped, the
frozen cases are judged by code, and how a task ended by whoever ended it. One number over all of
them would hide which of these said it.
"""

from __future__ import annotations

from collections import Counter
from datetime import datetime
from typing import Any, Final

from vault_cli.features.evals import Report
from vault_cli.features.outcomes import Study
from vault_cli.features.usage import LEAST_JUDGEMENTS, find_misleading
from vault_cli.model.record import IN_FORCE, WORK_KINDS, Snapshot, Status
from vault_cli.model.shares import Share
from vault_cli.model.support import ORPHANED
from vault_cli.recall.select import mutual_conflicts
from vault_cli.recall.support import judge_supports

JUDGES: Final = {
    "memory": "code, from the files",
    "retrieval": "code, by frozen cases (eval/cases.toml)",
    "feedback": "people, and agents that cited what they were shown",
    "outcomes": "whoever ended the task; the groups are compared by code",
}
"""Who judges each part, in the order they are told."""


def audit_data(
    snapshot: Snapshot, report: Report | None, study: Study, now: datetime
) -> dict[str, Any]:
    """Return the promised JSON shape: a part each with its judge, and no total.

    Args:
        snapshot: all records, with all that was observed.
        report: what the frozen cases came to, None without any.
        study: what the recorded tasks came to.
        now: aware instant in the vault's time zone.
    """
    parts = {
        "memory": _memory(snapshot, now),
        "retrieval": _retrieval(report),
        "feedback": _feedback(snapshot),
        "outcomes": study.data(),
    }
    return {"parts": {key: {"judge": JUDGES[key], **value} for key, value in parts.items()}}


def _memory(snapshot: Snapshot, now: datetime) -> dict[str, Any]:
    own = [r for r in snapshot.records if r.kind not in WORK_KINDS]
    status = Counter(str(record.status) for record in own)
    live = [r for r in own if r.status in IN_FORCE and r.validity.state_at(now) == "current"]
    supports = judge_supports(snapshot, live)
    return {
        "total": len(own),
        "current": len(live),
        "superseded": status[str(Status.SUPERSEDED)],
        "waiting": status[str(Status.CANDIDATE)],
        "disputed": status[str(Status.DISPUTED)],
        "orphaned": sum(support.state == ORPHANED for support in supports.values()),
        "in_conflict": len(mutual_conflicts(live)),
        "held": sum(bool(record.held_by) for record in live),
        "unreadable": len(snapshot.unreadable),
    }


def _retrieval(report: Report | None) -> dict[str, Any]:
    if report is None:
        return {"cases": 0, "measured": False}
    data = report.data()
    return {
        "cases": len(report.found),
        "measured": True,
        **{key: data[key] for key in ("top1", "top3", "baseline", "worse", "missing", "below")},
    }


def _feedback(snapshot: Snapshot) -> dict[str, Any]:
    own = {r.id: snapshot.tally(r.id) for r in snapshot.records if r.in_force}
    shown = [tally for tally in own.values() if tally.exposures]
    helpful, harmful = (
        sum(getattr(tally, name) for tally in own.values()) for name in ("helpful", "harmful")
    )
    return {
        "helpful": Share(helpful, helpful + harmful).data(),
        "adopted": Share(sum(bool(tally.citations) for tally in shown), len(shown)).data(),
        "least_judgements": LEAST_JUDGEMENTS,
        "demote": [
            {"id": record.id, "helpful": tally.helpful, "harmful": tally.harmful}
            for record, tally in find_misleading(snapshot)
        ],
    }
