"""`review`: the drafts one by one, like `git add -p`. May import everything below `cli`."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Annotated

import typer

from vault_cli.cli import flags
from vault_cli.cli.admit import plan_approval, plan_rejection
from vault_cli.cli.deciding import approval_card
from vault_cli.cli.filters import one_of
from vault_cli.cli.invocation import Invocation
from vault_cli.cli.output import inline
from vault_cli.cli.usage import tell_misleading
from vault_cli.cli.views import brief_data, plural
from vault_cli.cli.walking import SKIPPED, Walk, go_through, try_step
from vault_cli.errors import Diagnostic, NotFoundError
from vault_cli.model.record import Kind, Record

HELP: tuple[str, ...] = (
    "a - approve: put it in force",
    "e - edit it, then ask again",
    "r - reject it; the reason is asked for",
    "s - skip it for now",
    "d - show the change that approving makes",
    "q - quit; what was decided stays",
    "? - this help",
)


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
        if record.is_draft and (not kinds or record.kind in kinds)
    ]
    inv.warn_unreadable()
    _tell_of_others(inv, kinds)
    tell_misleading(inv)
    walk: Walk[Record] = Walk(
        ask=lambda draft, place: _decide(inv, draft, place),
        line=lambda draft: f"{draft.id}  {inline(draft.title)}",
        shown=lambda records: [brief_data(record) for record in records],
        told=lambda records: [brief_data(record) for record in records],
        rest=lambda unseen, _left: _stay(unseen),
        nothing="no drafts wait",
        waits="waiting",
        hint="`mvault list --status candidate` and `mvault show ID` read them.",
    )
    return go_through(inv, drafts, walk)


def _tell_of_others(inv: Invocation, kinds: Collection[Kind]) -> None:
    """Say how many drafts wait in the vault that is read beside: a review is about one vault."""
    from shlex import quote

    other = inv.reading.other
    if other is None:
        return
    found = [r for r in inv.reading.beside_heads.records if r.is_draft]
    if count := sum(not kinds or record.kind in kinds for record in found):
        name = inv.layers.name_of(other.root)
        place = quote(str(other.root))
        inv.out.say(f"{plural(count, 'draft')} in the {name} vault: mvault --vault {place} review")


def _stay(unseen: int) -> str:
    """Say how many drafts nobody looked at."""
    if not unseen:
        return ""
    return f"; {plural(unseen, 'draft')} left as {'it was' if unseen == 1 else 'they were'}"


def _decide(inv: Invocation, draft: Record, place: str) -> str | None:
    """Ask about one draft until it is decided; None ends the review, "" is a draft that is gone."""
    steps: dict[str, Callable[[Invocation, Record], str]] = {"a": _approve, "r": _reject}
    record: Record | None = draft
    _show_card(inv, draft)
    while record is not None:
        answer = inv.out.ask(f"{place} {inline(record.title)} [a,e,r,s,d,q,?] ").lower()
        if answer == "q" or inv.out.ended:
            return None
        if answer == "s":
            return SKIPPED
        if answer in steps:
            if verdict := try_step(inv, lambda r=record, act=steps[answer]: act(inv, r)):  # type: ignore[misc]
                return verdict
        else:
            _look(inv, record, answer)
        record = _again(inv, record)
    return ""


def _show_card(inv: Invocation, record: Record) -> None:
    """Show what is to be decided: title, keys, text, and all that is to be said about it."""
    inv.out.preview(["", *approval_card(inv, record)])
    inv.out.findings(_findings(inv, record), again=True)


def _findings(inv: Invocation, record: Record) -> tuple[Diagnostic, ...]:
    from vault_cli.features.parts import missing_notes
    from vault_cli.features.suspects import find_suspects

    suspects = find_suspects((record,), inv.vault.config.gates)
    return (*record.findings, *missing_notes(record), *suspects)


def _look(inv: Invocation, record: Record, answer: str) -> None:
    """Carry out the answers that decide nothing: diff, edit, help."""
    if answer == "d":
        try_step(inv, lambda: _show_change(inv, record))
    elif answer == "e":
        try_step(inv, lambda: _edit(inv, record))
    else:
        inv.out.preview(HELP)


def _show_change(inv: Invocation, record: Record) -> str:
    from vault_cli.cli.preview import change_diff

    inv.out.preview(change_diff(inv.root, plan_approval(inv, (record,)).change))
    return ""


def _edit(inv: Invocation, record: Record) -> str:
    from vault_cli.cli.curate import actor_for, edit_in_editor

    edit_in_editor(inv, record, inv.read(record.path), actor_for(inv, record))
    inv.forget_snapshot()
    _show_card(inv, inv.find(record.path))
    return ""


def _approve(inv: Invocation, record: Record) -> str:
    inv.carry_out(plan_approval(inv, (record,), yes=True), _findings(inv, record))
    return "approved"


def _reject(inv: Invocation, record: Record) -> str:
    reason = inv.out.ask("Why? ")
    if not reason:
        inv.out.say("not rejected: a reason is needed")
        return ""
    inv.carry_out(plan_rejection(inv, record, reason=reason, yes=True))
    return "rejected"


def _again(inv: Invocation, record: Record) -> Record | None:
    """Return the record as it is now, None when it is gone or no draft any more."""
    inv.forget_snapshot()
    try:
        found = inv.find(record.path)
    except NotFoundError:
        return None
    return found if found.is_draft else None
