"""Candidates that an agent's answer proposes, planned one beside the other. May import `text`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from random import Random
from types import MappingProxyType
from typing import Any, Final

from vault_cli.errors import Diagnostic, VaultError
from vault_cli.features.composing import DraftRequest
from vault_cli.features.drafts import plan_add
from vault_cli.features.learning import TRIAL_KEY, Budget, trial_end
from vault_cli.features.likeness import compare_record
from vault_cli.features.parts import missing_parts
from vault_cli.features.records import read_checked
from vault_cli.features.reflection import NEW, REVISE
from vault_cli.features.reflection_items import Checked
from vault_cli.model.change import Change, Edit, Put
from vault_cli.model.lifecycle import Actor
from vault_cli.model.record import Record, Snapshot
from vault_cli.text.scan import CLICHE

_NEVER: Final = frozenset({"duplicate-text"})
_ANSWERED: Final = frozenset({"rejected-before", "near-duplicate"})
"""What a candidate may be like when the answer says what is different."""


class Drafting:
    """Plans the candidates of an answer one after the other, each beside those before it.

    Args:
        snapshot: the vault.
        budget: what may still be proposed this week.
        now: aware instant in the vault's time zone.
        actor: who asks; anybody but a person is an agent.
        gates: the gates of admission that are on.
        origin: how the candidates come in.
        seed: what their ids are made from, so that a retry after a crash writes the same ones.
        left: candidates of the same answer that a failed attempt left behind, by title.
    """

    def __init__(
        self,
        snapshot: Snapshot,
        budget: Budget,
        now: datetime,
        actor: Actor,
        gates: frozenset[str],
        *,
        origin: str,
        seed: str,
        left: Mapping[str, Record] | None = None,
    ) -> None:
        self._snapshot, self._budget = snapshot, budget
        self._now, self._gates = now, gates
        self._actor = actor if actor is Actor.PERSON else Actor.AGENT
        self._origin, self._seed = origin, seed
        self._left = left or {}
        self.drafts: list[tuple[Checked, Change | None, str]] = []
        self.notes: list[Diagnostic] = []

    def take(self, item: Checked) -> None:
        """Plan the candidate of one item; what is wrong with it becomes a fault."""
        if item.request is None or item.faults or item.relation not in (NEW, REVISE):
            return
        before = self._left.get(item.request.title)
        if before is not None:  # git failed after it was written; it is taken into the change
            self.drafts.append((item, None, before.id))
            return
        request = self._within_budget(item, item.request)
        draw = Random(f"{self._seed}:{item.item.number}").randrange  # noqa: S311 - no secret
        try:
            planned = plan_add(
                self._snapshot, request, now=self._now, actor=self._actor,
                origin=self._origin, random_int=draw, gates=self._gates,
            )  # fmt: skip
        except VaultError as error:
            item.fault(error.message)
            self.notes += error.diagnostics
            return
        record = _record_of(planned.change)
        self._check(item, record, held=planned.held)
        self.notes += planned.notes
        self.drafts.append((item, planned.change, planned.ids[0]))
        records = (*self._snapshot.records, record)
        self._snapshot = replace(self._snapshot, records=records)

    def _within_budget(self, item: Checked, request: DraftRequest) -> DraftRequest:
        """Put a candidate over the week's budget on trial, or refuse it without trials."""
        budget = self._budget
        if budget.left is None or len(self.drafts) < budget.left:
            return request
        if not budget.trial_days:
            item.fault(f"this week's {budget.limit} proposals are used; keep the best for later")
            return request
        extra: dict[str, Any] = {**request.extra, TRIAL_KEY: trial_end(budget, self._now)}
        return replace(request, extra=MappingProxyType(extra))

    def _check(self, item: Checked, record: Record, *, held: bool) -> None:
        """Check a candidate as it would stand in the vault: parts, admission, likeness."""
        missing = missing_parts(record)
        if missing:
            item.fault(f"a {record.kind} needs {', '.join(missing)}")
        codes = dict.fromkeys(found.code for found in record.held_by)
        if held or CLICHE in {found.code for found in record.findings}:
            item.fault(f"it is not taken in ({', '.join(codes) or 'it says nothing'})")
        alone = replace(record, derived_from=())  # what it rests on may be what it repeats
        for alike in compare_record(self._snapshot, alone, self._now):
            if alike.other.id in record.supersedes:
                continue
            differs = item.item.get("differs")
            if alike.code in _NEVER or (alike.code in _ANSWERED and not differs):
                why = f" ({alike.reason})" if alike.reason else ""
                word = "was rejected" if alike.code == "rejected-before" else "says the same"
                advice = "" if alike.code in _NEVER else "; if not, say what differs"
                item.fault(f"{alike.other.id} {word}{why}{advice}")


def edits_of(drafts: Iterable[tuple[Checked, Change | None, str]]) -> tuple[Edit, ...]:
    """Return the edits of planned candidates."""
    return tuple(edit for _, change, _ in drafts if change is not None for edit in change.edits)


def _record_of(change: Change) -> Record:
    put = next(edit for edit in change.edits if isinstance(edit, Put))
    return read_checked(put.data, put.path)


def fault_findings(faults: Sequence[str], path: str) -> list[Diagnostic]:
    """Return the faults of an answer as findings."""
    return [Diagnostic(path, 0, "answer-fault", "error", text) for text in faults]
