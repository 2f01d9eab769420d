"""`capture draft`: an item of the queue becomes a proposal. May import everything below `cli`."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated

import typer

from vault_cli.cli import flags
from vault_cli.cli.capture_sessions import now_of
from vault_cli.cli.capture_views import held_by, instant_of
from vault_cli.cli.invocation import Invocation, Plan
from vault_cli.cli.output import View
from vault_cli.errors import NeedsPersonError, RefusedError, VaultError
from vault_cli.store.places import state_folder
from vault_cli.store.queue import DRAFTED, DROPPED
from vault_cli.store.queue_base import Item, Seen
from vault_cli.store.queue_place import look_in, open_queue

if TYPE_CHECKING:
    from vault_cli.features.composing import DraftRequest

ItemId = Annotated[
    str, typer.Argument(metavar="ITEM", help="Id of an item, or its unique beginning.")
]


def draft(
    ctx: typer.Context,
    item_id: ItemId,
    kind: Annotated[
        str, typer.Option("--kind", "-k", help="lesson, failure, rule, preference …")
    ] = "",
    title: flags.Title = None,
    body: flags.Body = None,
    scope: flags.OneScope = "",
    topic: flags.SomeTopics = None,
    yes: flags.Yes = False,
) -> int:
    """Make a draft of an item, with the sessions it was seen in as evidence.

    What was seen in sessions of one project holds there, unless --scope says more. Without --title
    and --body the words of the session go into the draft, and so into git: that
    needs a person. An agent gives its own words. Records that say the same are named.

    Examples:
      mvault capture draft q-7k3qd2m
      mvault capture draft q-7k3qd2m --kind rule --title "提交前先跑 make test" --body "用户要求。"
    """
    inv: Invocation = ctx.obj
    own_words = bool(title and body is not None)
    with look_in(state_folder()) as queue:
        item = queue.find(item_id)
        seen, folders = queue.sightings(item.id), queue.folders(item.id)
    _require_open(item)
    if not own_words:
        _require_reader(inv, item, yes=yes)
    where = _scope(inv, scope, folders)
    request = _request(item, seen, kind, title or "", _body_text(body), where, topic or ())
    if own_words and not inv.is_person:
        request = replace(request, source="agent")
    known = already_made(inv, item)
    if known:
        return _settled(inv, item, known)
    if inv.options.dry_run:
        return _submit(inv, item, request, own_words=own_words, yes=yes)
    return _attempt(inv, item, request, own_words=own_words, yes=yes)


def _body_text(body: str | None) -> str:
    from vault_cli.cli.intake import read_stdin

    return read_stdin() if body == "-" else body or ""


def _require_reader(inv: Invocation, item: Item, *, yes: bool) -> None:
    """Show what reads like an attack to a person only, also as the preview of a draft."""
    if held_by(item) and not inv.consent(yes=yes).how:
        raise NeedsPersonError(
            f"{item.id} reads like an instruction to an agent; a person makes the draft",
            hint=f"In a terminal: mvault capture draft {item.id}",
        )


def _require_open(item: Item) -> None:
    if item.state == DRAFTED:
        raise RefusedError(f"{item.id} has become {item.record}", hint=f"mvault show {item.record}")
    if item.state == DROPPED:
        raise RefusedError(f"{item.id} was dropped", hint="Its text is gone; add a record by hand.")


def _scope(inv: Invocation, given: str, folders: Collection[str]) -> str:
    """Return the scope somebody gave, else that of the sessions it was seen in."""
    from vault_cli.cli.rendering import scope_here, scope_of

    return scope_here(inv, given) if given else scope_of(inv, folders)


def _request(
    item: Item,
    seen: Sequence[Seen],
    kind: str,
    title: str,
    body: str,
    scope: str,
    topics: Sequence[str],
) -> DraftRequest:
    from vault_cli.cli.capturing import mask_detail, masked
    from vault_cli.cli.filters import one_of
    from vault_cli.features.capture_draft import propose
    from vault_cli.model.record import Kind

    return propose(
        item.kind,
        masked(item.text),
        mask_detail(item.detail),
        [evidence_of(item, one, number) for number, one in enumerate(seen[-5:], 1)],
        named=one_of(Kind, kind, "--kind") if kind else None,
        title=title,
        body=body,
        scope=scope,
        topics=topics,
    )


def evidence_of(item: Item, seen: Seen, number: int) -> dict[str, str]:
    """Return a sighting as an entry of evidence; its id leads back to the item."""
    return {
        "id": item.id if number == 1 else f"{item.id}-{number}",
        "type": "session-event",
        "session": seen.session or "unknown",
        "start": seen.start,
        "end": seen.end,
        "observed": instant_of(seen.at)[:10],
    }


def already_made(inv: Invocation, item: Item) -> str:
    """Return the record that an attempt made which was not noted any more, "" for none."""
    from vault_cli.model.evidence import read_evidence

    for record in inv.whole_snapshot().records:
        entries, _ = read_evidence(record.fields)
        if any(entry.id == item.id for entry in entries):
            return record.id
    return ""


def _settled(inv: Invocation, item: Item, record: str) -> int:
    if not inv.options.dry_run:
        with open_queue(state_folder()) as queue:
            queue.settle(item.id, record)
    data = {"item": item.id, "record": record, "changed": False}
    return inv.out.show(View(data, notes=(f"nothing to do: {record} is made of it",)))


def _attempt(
    inv: Invocation, item: Item, request: DraftRequest, *, own_words: bool, yes: bool
) -> int:
    """Try to make the draft: the attempt is noted first, the item settled last."""
    with open_queue(state_folder()) as queue:
        queue.begin(item.id, int(now_of(inv).timestamp()))
        try:
            code = _submit(inv, item, request, own_words=own_words, yes=yes)
        except NeedsPersonError:
            queue.release(item.id)
            raise
        except VaultError as error:
            if queue.fail(item.id, error.message):
                inv.out.say(f"{item.id} failed too often: it is a dead letter now")
            raise
        made = already_made(inv, item) if code == 0 else ""
        if made:
            queue.settle(item.id, made)
        return code


def _submit(
    inv: Invocation, item: Item, request: DraftRequest, *, own_words: bool, yes: bool
) -> int:
    from vault_cli.cli.additions import approve_hint, submit_new
    from vault_cli.features.drafts import plan_add

    planned = plan_add(
        inv.snapshot,
        request,
        now=inv.now,
        actor=inv.actor if own_words else inv.decider(yes=yes),
        origin="hook",
        random_int=inv.random_int,
        gates=inv.vault.config.gates,
    )
    own = planned.ids[0]
    plan = Plan(
        planned.change,
        f"added draft {own}: {request.title}",
        f"Make a draft of {item.id}, with the words of the session?",
        person=not own_words,
        yes=yes,
        hints=[approve_hint(planned)],
        findings=planned.notes,
        data={"item": item.id},
        consent_hint="" if own_words else "Run it in a terminal, or give --title and --body.",
        once=lambda: already_made(inv, item),
    )
    code = submit_new(inv, planned, plan)
    inv.forget_snapshot()
    return code
