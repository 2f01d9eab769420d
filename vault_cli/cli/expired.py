"""`review --expired`: what was in force and whose time is over. May import everything below."""

from __future__ import annotations

from vault_cli.cli.invocation import Invocation, Plan
from vault_cli.cli.output import inline
from vault_cli.cli.views import brief_data, show_lines
from vault_cli.cli.walking import Walk, ask_about, go_through
from vault_cli.model.record import Record

HELP = (
    "l - it holds longer: the new last day is asked for",
    "d - deprecate it; the reason is asked for",
    "s - skip it: it stays as it is, expired and not rendered",
    "q - quit; what was decided stays",
)


def review_expired(inv: Invocation) -> int:
    """Go through the records in force that have expired: a later last day, deprecate, or skip.

    Raises:
        NeedsPersonError: there is something, and nobody at a terminal.
    """
    inv.warn_unreadable()
    expired = [r for r in inv.snapshot.records if _is_over(inv, r)]
    walk: Walk[Record] = Walk(
        ask=lambda record, place: _ask(inv, record, place),
        line=lambda record: f"{record.id}  {inline(record.title)}  ({record.validity.end})",
        shown=lambda records: [brief_data(record) for record in records],
        told=lambda records: [brief_data(record) for record in records],
        rest=lambda _unseen, left: f"; {left} expired",
        nothing="nothing in force has expired",
        waits="expired",
        hint="They are not rendered; `mvault show ID` reads them.",
    )
    return go_through(inv, expired, walk)


def _is_over(inv: Invocation, record: Record) -> bool:
    return record.in_force and record.validity.state_at(inv.now) == "expired"


def _ask(inv: Invocation, record: Record, place: str) -> str | None:
    """Ask about one record until it is decided; None ends the review."""
    inv.out.preview(["", *show_lines(record)])
    steps = {"l": lambda: _prolong(inv, record), "d": lambda: _deprecate(inv, record)}
    return ask_about(inv, f"{place} {inline(record.title)} [l,d,s,q,?] ", steps, HELP)


def _prolong(inv: Invocation, record: Record) -> str:
    """Give a record a later last day; no answer changes nothing."""
    from vault_cli.errors import UsageError
    from vault_cli.features.composing import parse_when
    from vault_cli.features.editing import plan_set
    from vault_cli.model.validity import Validity
    from vault_cli.text.document import REMOVE

    typed = inv.out.ask("Last day (ISO; `-` for no end)? ").strip()
    if not typed:
        return ""
    end = None if typed == "-" else parse_when("valid_to", typed)
    if Validity(None, end).state_at(inv.now) == "expired":
        raise UsageError(f"{typed} is over, too", hint="Give a day from today on.")
    data = inv.read(record.path)
    values = {"valid_to": REMOVE if end is None else typed}
    change = plan_set(inv.snapshot, record, data, values, verb="edit", actor=inv.decider(yes=True))
    inv.carry_out(Plan(change, f"{record.id} holds until {typed}", person=True, yes=True))
    inv.forget_snapshot()
    return "prolonged"


def _deprecate(inv: Invocation, record: Record) -> str:
    """Take a record out of force with a reason; no reason changes nothing."""
    from vault_cli.features.revival import plan_deprecate_all

    reason = inv.out.ask("Why? ").strip()
    if not reason:
        inv.out.say("not deprecated: a reason is needed")
        return ""
    planned = plan_deprecate_all(
        inv.snapshot,
        (record,),
        {record.path: inv.read(record.path)},
        reason=reason,
        now=inv.now,
        actor=inv.decider(yes=True),
    )
    inv.carry_out(Plan(planned.change, f"deprecated {record.id}", person=True, yes=True))
    inv.forget_snapshot()
    return "deprecated"
