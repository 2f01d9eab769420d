"""`quarantine list|show|release|purge`: what was held back. May import everything below `cli`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any

import typer

from vault_cli.cli import flags
from vault_cli.cli.app import PanelCommand
from vault_cli.cli.complete import complete_quarantined
from vault_cli.cli.invocation import Invocation, Plan
from vault_cli.cli.output import Line, View, finding_lines
from vault_cli.cli.views import brief_data, full_data, plural, show_lines
from vault_cli.errors import NeedsPersonError
from vault_cli.features.quarantine import kept_findings, plan_purge, plan_release, quarantined
from vault_cli.model.record import Status
from vault_cli.text.scan import QUARANTINE_KEY

if TYPE_CHECKING:
    from vault_cli.model.record import Record

quarantine = typer.Typer(
    add_completion=False,
    rich_markup_mode=None,
    no_args_is_help=False,
    help="Look at what was held back, let it go on, or remove it.\n\n"
    "Example: mvault quarantine list",
)

HeldId = Annotated[str, flags.one_id(complete_quarantined)]


@quarantine.callback()
def quarantine_group() -> None:
    """Look at what was held back, let it go on, or remove it.

    Examples:
      mvault quarantine list
      mvault quarantine show l-7k3qd2m
    """


@quarantine.command("list", cls=PanelCommand)
def list_held(ctx: typer.Context) -> int:
    """List what is held back: id, kind, and why. Texts and titles are for `show`.

    Examples:
      mvault quarantine list
    """
    inv: Invocation = ctx.obj
    inv.bear_bad_settings()
    records = quarantined(inv.reading.snapshot())
    data = {"records": [{**_head(record), "codes": _codes(record)} for record in records]}

    def lines() -> Iterator[Line]:
        for record in records:
            yield f"{record.id}  {record.kind}  {', '.join(_codes(record)) or 'by hand'}"

    notes = () if records else ("nothing is held back",)
    hints = ("A person reads one: mvault quarantine show ID",) if records else ()
    return inv.out.show(View(data, lines, notes=notes, hints=hints))


@quarantine.command("show", cls=PanelCommand)
def show_held(ctx: typer.Context, record_id: HeldId, yes: flags.Yes = False) -> int:
    """Show one text that is held back, hidden characters decoded. Needs a person.

    Anybody else is told what was found and where, and not the text: it may be written for them.

    Examples:
      mvault quarantine show l-7k3qd2m
    """
    inv: Invocation = ctx.obj
    record = inv.find(record_id)
    found = kept_findings(record)
    require_reader(inv, record, yes=yes)
    hints = (
        f'It goes on as a draft: mvault quarantine release {record.id} --reason "…"',
        f"It goes for good: mvault quarantine purge {record.id}",
    )
    data = {**full_data(record), "held_by": [item.as_data() for item in found]}
    return inv.out.show(
        View(data, lambda: held_lines(record), diagnostics=found, hints=hints, listed=True)
    )


def require_reader(inv: Invocation, record: Record, *, yes: bool = False) -> None:
    """Let only a person read what is held back.

    Raises:
        NeedsPersonError: nobody is there; id, kind, codes and positions were shown.
    """
    if inv.consent(yes=yes).how:
        return
    codes = _codes(record)
    inv.out.partial = {**_head(record), "codes": codes}
    inv.out.lines([f"{record.id}  {record.kind}  {', '.join(codes) or 'by hand'}"])
    raise NeedsPersonError(
        f"{record.id} is in quarantine; its text is shown to a person only",
        hint=f"Run in a terminal: mvault quarantine show {record.id}",
        diagnostics=tuple(
            item._replace(message="found there; a person is shown what it says", hint="")
            for item in kept_findings(record)
        ),
    )


def held_lines(record: Record) -> Iterator[Line]:
    """Yield a text that is held back as a person may look at it, and what was found in it."""
    fields = {key: value for key, value in record.fields.items() if key != QUARANTINE_KEY}
    yield from show_lines(replace(record, fields=fields))
    yield ""
    for item in kept_findings(record):
        yield from finding_lines(item._replace(hint=""))


def _head(record: Record) -> dict[str, Any]:
    """Return what may be said of a held text to anybody: nothing of its own words."""
    head = brief_data(record)
    return {key: head[key] for key in ("id", "kind", "status")}


def _codes(record: Record) -> list[str]:
    return list(dict.fromkeys(item.code for item in kept_findings(record)))


@quarantine.command("release", cls=PanelCommand)
def release(
    ctx: typer.Context, record_id: HeldId, reason: flags.Reason = "", yes: flags.Yes = False
) -> int:
    """Make a draft of a text that is held back; what held it is allowed in it from then on.

    The draft still has to be approved. Needs a person and a reason.

    Examples:
      mvault quarantine release l-7k3qd2m --reason "quotes the attack it warns of"
    """
    from vault_cli.cli.deciding import reason_for

    inv: Invocation = ctx.obj
    record = inv.find(record_id)
    is_draft = record.status is Status.CANDIDATE
    card = [] if is_draft else _card(inv, [record], yes=yes)
    if (
        not reason.strip() and inv.is_person and not is_draft
    ):  # asked why only after the text was read
        inv.out.lines(card)
        card = []
    if not is_draft:
        reason = reason_for(inv, record.id, "quarantine release", reason)
    planned = plan_release(
        inv.snapshot,
        record,
        inv.read(record.path),
        reason=reason,
        now=inv.now,
        actor=inv.decider(yes=yes),
    )
    plan = Plan(
        planned.change,
        f"released {record.id} into the drafts: {record.title}",
        f"Make a draft of {record.id}?",
        person=True,
        yes=yes,
        card=card,
        findings=planned.notes,
        hints=(f"A person puts it in force: mvault approve {record.id}",),
        nothing=f"{record.id} is a draft already",
    )
    return inv.submit(plan)


def _card(inv: Invocation, records: Sequence[Record], *, yes: bool) -> list[Line]:
    """Return the texts for the person who decides; nobody else gets to see them."""
    if not inv.consent(yes=yes).how:
        return []
    return [line for record in records for line in (*held_lines(record), "")]


@quarantine.command("purge", cls=PanelCommand)
def purge(ctx: typer.Context, record_id: HeldId, yes: flags.Yes = False) -> int:
    """Remove a text that is held back, for good: it never was in history. Needs a person.

    Examples:
      mvault quarantine purge l-7k3qd2m
    """
    inv: Invocation = ctx.obj
    record = inv.find(record_id)
    actor = inv.decider(yes=yes)
    planned = plan_purge(record, inv.read(record.path), actor=actor)
    plan = Plan(
        planned.change,
        f"purged {record.id}",
        f"Remove {record.id} for good ({plural(len(kept_findings(record)), 'finding')})?",
        person=True,
        yes=yes,
        card=_card(inv, [record], yes=yes),
    )
    return inv.submit(plan)
