"""`review`: the drafts one by one, like `git add -p`. May import everything below `cli`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Annotated, Any

import typer

from vault_cli.cli import flags
from vault_cli.cli.admit import approval_card, plan_approval, plan_rejection
from vault_cli.cli.filters import one_of
from vault_cli.cli.invocation import Invocation
from vault_cli.cli.output import View, inline
from vault_cli.cli.views import brief_data, plural
from vault_cli.errors import Diagnostic, NeedsPersonError, NotFoundError, VaultError
from vault_cli.model.record import Kind, Record, Status

HELP: tuple[str, ...] = (
    "a - approve: put it in force",
    "e - edit it, then ask again",
    "r - reject it; the reason is asked for",
    "s - skip it for now",
    "d - show the change that approving makes",
    "q - quit; what was decided stays",
    "? - this help",
)


@dataclass(slots=True)
class Session:
    """What was decided so far, by what was done."""

    done: dict[str, list[Record]] = field(default_factory=dict)

    def note(self, what: str, record: Record) -> None:
        """Remember one decision."""
        self.done.setdefault(what, []).append(record)


def review(
    ctx: typer.Context,
    kind: flags.Kinds = None,
    incoming: Annotated[
        bool, typer.Option("--incoming", help="What others changed in force, instead of drafts.")
    ] = False,
    expired: Annotated[
        bool, typer.Option("--expired", help="What is in force and has expired, instead of drafts.")
    ] = False,
) -> int:
    """Go through the drafts one by one: approve, edit, reject, skip. Needs a terminal.

    Each decision is a commit of its own, so quitting loses nothing. --incoming goes through what
    others changed in force (trust.incoming), old against new; --expired through what has expired.

    Examples:
      mvault review
      mvault review --kind rule
      mvault review --incoming
      mvault review --expired
    """
    inv: Invocation = ctx.obj
    if expired:
        from vault_cli.cli.expired import review_expired

        return review_expired(inv)
    if incoming:
        from vault_cli.cli.trusting import review_incoming

        return review_incoming(inv)
    kinds = {one_of(Kind, text, "kind") for text in kind or ()}
    drafts = [
        record
        for record in inv.snapshot.records
        if record.status is Status.CANDIDATE and (not kinds or record.kind in kinds)
    ]
    inv.warn_unreadable()
    if not drafts:
        return inv.out.show(View(_data({}, []), notes=("no drafts wait",)))
    if not inv.is_person:
        _refuse(inv, drafts)
    session = Session()
    try:
        for number, draft in enumerate(drafts, 1):
            if not _decide(inv, session, draft, f"({number}/{len(drafts)})"):
                break
    except KeyboardInterrupt:
        inv.out.say(_summary(session, len(drafts)))
        raise
    ended = (records for what, records in session.done.items() if what != "skipped")
    decided = {record.path for records in ended for record in records}
    waiting = [draft for draft in drafts if draft.path not in decided]
    data = _data(session.done, waiting)
    return inv.out.show(View(data, notes=(_summary(session, len(drafts)),)))


def _data(done: dict[str, list[Record]], waiting: list[Record]) -> dict[str, Any]:
    counts = {what: len(records) for what, records in done.items()}
    return {
        "decided": {what: [brief_data(r) for r in records] for what, records in done.items()},
        "waiting": [brief_data(record) for record in waiting],
        "counts": {**counts, "waiting": len(waiting)},
    }


def _refuse(inv: Invocation, drafts: list[Record]) -> None:
    inv.out.partial = _data({}, drafts)
    inv.out.lines(f"{record.id}  {inline(record.title)}" for record in drafts)
    raise NeedsPersonError(
        f"review needs a person at a terminal; {len(drafts)} waiting",
        hint="`mvault list --status candidate` and `mvault show ID` read them.",
    )


def _summary(session: Session, drafts: int) -> str:
    """Say what was decided, and how many drafts stay as they were."""
    parts = [f"{len(records)} {what}" for what, records in session.done.items()]
    left = drafts - sum(map(len, session.done.values()))
    stay = f"; {plural(left, 'draft')} left as {'it was' if left == 1 else 'they were'}"
    return (", ".join(parts) or "nothing decided") + (stay if left else "")


def _decide(inv: Invocation, session: Session, draft: Record, place: str) -> bool:
    """Ask about one draft until it is decided; False ends the review."""
    steps: dict[str, Callable[[Invocation, Session, Record], bool]] = {
        "a": _approve,
        "r": _reject,
    }
    record: Record | None = draft
    _show_card(inv, draft)
    while record is not None:
        answer = inv.out.ask(f"{place} {inline(record.title)} [a,e,r,s,d,q,?] ").lower()
        if answer == "q" or inv.out.ended:
            return False
        if answer == "s":
            session.note("skipped", record)
            return True
        if answer in steps:
            if _try(inv, lambda r=record, act=steps[answer]: act(inv, session, r)):  # type: ignore[misc]
                return True
        else:
            _look(inv, record, answer)
        record = _again(inv, record)
    return True


def _show_card(inv: Invocation, record: Record) -> None:
    """Show what is to be decided: title, keys, text, and all that is to be said about it."""
    inv.out.preview(["", *approval_card(inv, record)])
    inv.out.findings(_findings(inv, record), again=True)


def _findings(inv: Invocation, record: Record) -> tuple[Diagnostic, ...]:
    from vault_cli.features.parts import missing_notes
    from vault_cli.features.suspects import find_suspects

    suspects = find_suspects((record,), inv.vault.config.gates)
    return (*record.findings, *missing_notes(record), *suspects)


def _try(inv: Invocation, act: Callable[[], bool]) -> bool:
    """Do one step; an expected error is shown and the question comes again."""
    try:
        return act()
    except VaultError as error:
        inv.out.error_text(error)
        return False


def _look(inv: Invocation, record: Record, answer: str) -> None:
    """Carry out the answers that decide nothing: diff, edit, help."""
    if answer == "d":
        _try(inv, lambda: _show_change(inv, record))
    elif answer == "e":
        _try(inv, lambda: _edit(inv, record))
    else:
        inv.out.preview(HELP)


def _show_change(inv: Invocation, record: Record) -> bool:
    from vault_cli.cli.preview import change_diff

    inv.out.preview(change_diff(inv.root, plan_approval(inv, (record,)).change))
    return True


def _edit(inv: Invocation, record: Record) -> bool:
    from vault_cli.cli.curate import actor_for, edit_in_editor

    edit_in_editor(inv, record, inv.read(record.path), actor_for(inv, record))
    inv.forget_snapshot()
    _show_card(inv, inv.find(record.path))
    return True


def _approve(inv: Invocation, session: Session, record: Record) -> bool:
    inv.carry_out(plan_approval(inv, (record,), yes=True), _findings(inv, record))
    session.note("approved", record)
    return True


def _reject(inv: Invocation, session: Session, record: Record) -> bool:
    reason = inv.out.ask("Why? ")
    if not reason:
        inv.out.say("not rejected: a reason is needed")
        return False
    inv.carry_out(plan_rejection(inv, record, reason=reason, yes=True))
    session.note("rejected", record)
    return True


def _again(inv: Invocation, record: Record) -> Record | None:
    """Return the record as it is now, None when it is gone or no draft any more."""
    inv.forget_snapshot()
    try:
        found = inv.find(record.path)
    except NotFoundError:
        return None
    return found if found.status is Status.CANDIDATE else None
