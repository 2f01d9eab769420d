"""Requests become drafts, go into quarantine or are refused. May import everything below `cli`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from vault_cli.cli.alike import nearby
from vault_cli.cli.invocation import Invocation, Plan
from vault_cli.cli.once import in_turn, same_draft
from vault_cli.cli.preview import answer_data
from vault_cli.cli.views import brief_data, plural
from vault_cli.errors import Diagnostic, RefusedError
from vault_cli.features.drafts import plan_add
from vault_cli.features.parts import has_text
from vault_cli.model.change import Put, Receipt
from vault_cli.model.lifecycle import Actor
from vault_cli.text.fields import read_record

if TYPE_CHECKING:
    from vault_cli.features.records import Planned
    from vault_cli.features.requests import DraftRequest
    from vault_cli.model.change import Change


@dataclass(slots=True)
class _Sorted:
    """What became of several requests."""

    drafts: list[Planned] = field(default_factory=list)
    held: list[Planned] = field(default_factory=list)
    refused: list[RefusedError] = field(default_factory=list)

    @property
    def all(self) -> list[Planned]:
        """Those that would be written."""
        return [*self.drafts, *self.held]


def submit_drafts(
    inv: Invocation, requests: Sequence[DraftRequest], *, allow: tuple[str, ...] = ()
) -> int:
    """Write the drafts of some requests; one that is refused or held touches no other.

    Raises:
        RefusedError: the only one is refused, or went into quarantine.
        UsageError: a request cannot be used; then nothing is written.
    """
    if len(requests) == 1:
        planned = _plan(inv, requests[0], allow)
        # who types `add` twice means it twice; a model calls a tool again when it is not sure
        plan, each = _draft_plan(planned, requests[0]), inv.origin != "mcp"
        return submit_new(inv, planned, plan, each=each)
    found = _Sorted()
    for number, request in enumerate(requests, 1):
        try:
            planned = _plan(inv, request, allow)
        except RefusedError as error:
            error.message = error.message.replace("the request", f"record {number}")
            found.refused.append(error)
            continue
        (found.held if planned.held else found.drafts).append(planned)
    with in_turn(inv):
        return _submit_sorted(inv, found)


def _plan(inv: Invocation, request: DraftRequest, allow: tuple[str, ...]) -> Planned:
    return plan_add(
        inv.snapshot,
        request,
        now=inv.now,
        actor=Actor.PERSON if allow else inv.actor,
        origin=inv.origin,
        random_int=inv.random_int,
        allow=allow,
        gates=inv.vault.config.gates,
        nearby=nearby(inv, inv.snapshot),
    )


def submit_new(inv: Invocation, planned: Planned, plan: Plan, *, each: bool = False) -> int:
    """Write one new record, whatever command it comes from; a held one goes into quarantine.

    Args:
        inv: the run.
        planned: what the planner made of it.
        plan: how to speak about it when it becomes a draft.
        each: each call means a record of its own, also with words that are there already.

    Raises:
        RefusedError: it went into quarantine.
    """
    if planned.held:
        return _hold_back(inv, planned)
    if plan.once is None and planned.change.edits and not each:
        plan.once = same_draft(inv.root, planned.change)
    return inv.submit(plan)


def approve_hint(planned: Planned) -> str:
    """Return the command that puts a new draft in force; what holds it is read first."""
    own = planned.ids[0]
    held = dict.fromkeys(note.code for note in planned.notes if note.holds and own in note.path)
    if not held:
        return f"A person puts it in force: mvault approve {own}"
    allow = " ".join(f"--allow {code}" for code in held)
    return f"A person who has read it puts it in force: mvault approve {own} {allow} --reason TEXT"


def _draft_plan(planned: Planned, request: DraftRequest) -> Plan:
    from vault_cli.cli.intake import section_notes

    own = planned.ids[0]
    title = request.title or planned.change.subject.partition(": ")[2]
    notes = [*planned.notes, *section_notes(planned.change.edits[0].path, request.sections)]
    hints = [approve_hint(planned)]
    if not has_text(request.body) and not any(map(str.strip, request.sections.values())):
        # One sentence for the whole: every part is missing, which is one finding and not three.
        notes = [note for note in notes if note.code != "missing-part"]
        hints = [f"The draft has no text yet: mvault edit {own}", *hints]
    return Plan(planned.change, f"added draft {own}: {title}", hints=hints, findings=notes)


def _hold_back(inv: Invocation, planned: Planned) -> int:
    """Write a text into quarantine, and say so as the refusal it is.

    Raises:
        RefusedError: always, but in a dry run.
    """
    own = planned.ids[0]
    codes = _codes(planned)
    if inv.options.dry_run:
        plan = Plan(planned.change, "", findings=planned.notes, exit_code=RefusedError.exit_code)
        return inv.submit(plan)
    with in_turn(inv):
        known = same_draft(inv.root, planned.change)()
        receipt = Receipt() if known else inv.vault.apply(planned.change)
    own = known or own
    heads = [] if known else [_head(e) for e in planned.change.edits if isinstance(e, Put)]
    inv.out.partial = {
        **answer_data("quarantine", "quarantine" + planned.change.subject, receipt.paths),
        "ids": [own],
        "id": own,
        "records": heads,
        "quarantined": True,
        "codes": codes,
        "changed": not known,
        "applied": not known,
    }
    held = "held already" if known else "held"
    raise RefusedError(
        f"{own} is no draft: {held} in quarantine for {', '.join(codes)}",
        hint=f"A person looks at it: mvault quarantine show {own}",
        diagnostics=tuple(dict.fromkeys((*planned.notes, *receipt.diagnostics))),
    )


def _head(edit: Put) -> dict[str, str]:
    """Return what may be said of a held text to anybody: nothing of its own words."""
    record = read_record(edit.data, edit.path)[0]
    head = brief_data(record) if record is not None else {}
    return {key: value for key, value in head.items() if key != "title"}


def _codes(planned: Planned) -> list[str]:
    """Return why a text is held back."""
    from vault_cli.features.quarantine import LOW_AUTHORITY

    found = [item for item in planned.notes if item.holds or item.code == LOW_AUTHORITY]
    return list(dict.fromkeys(item.code for item in found))


def _submit_sorted(inv: Invocation, found: _Sorted) -> int:
    """Write what became of several requests, while nobody else proposes."""
    known = {planned.ids[0]: same_draft(inv.root, planned.change)() for planned in found.all}
    fresh = [planned for planned in found.drafts if not known[planned.ids[0]]]
    notes: list[Diagnostic] = [note for planned in fresh for note in planned.notes]
    hints = []
    held = []
    for planned in found.held:
        own = known[planned.ids[0]] or planned.ids[0]
        notes += planned.notes
        if not inv.options.dry_run and own == planned.ids[0]:
            inv.vault.apply(planned.change)
        held.append(own)
        hints.append(f"held in quarantine: mvault quarantine show {own}")
    for error in found.refused:
        notes += error.diagnostics
        hints.append(error.message)
    extra = {"quarantined": held, "refused": len(found.refused)}
    if not found.drafts:
        inv.out.partial = {**answer_data("add", "add"), **extra, "changed": bool(held)}
        raise RefusedError(
            "none of these became a draft", hint=" ".join(hints), diagnostics=(*notes,)
        )
    there = [known[planned.ids[0]] for planned in found.drafts if known[planned.ids[0]]]
    hints += [f"there already: {', '.join(there)}"] if there else []
    change = _together([planned.change for planned in fresh or found.drafts[:1]])
    change = change if fresh else replace(change, edits=(), ids=tuple(there))
    done = f"added {plural(len(fresh), 'draft')}"
    plan = Plan(change, done, hints=hints, findings=notes, data=extra)
    plan.nothing = f"{', '.join(there)} say so already"
    plan.exit_code = RefusedError.exit_code if held or found.refused else 0
    return inv.submit(plan)


def _together(changes: Sequence[Change]) -> Change:
    """Return one change that does them all, so that a batch is one commit."""
    if len(changes) == 1:
        return changes[0]
    return replace(
        changes[0],
        subject=f": {len(changes)} records",
        edits=tuple(edit for change in changes for edit in change.edits),
        ids=tuple(one for change in changes for one in change.ids),
        reason="\n".join(dict.fromkeys(change.reason for change in changes if change.reason)),
        extra=tuple(dict.fromkeys(pair for change in changes for pair in change.extra)),
    )
