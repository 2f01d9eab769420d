"""`distill prepare|commit`. May import everything below `cli`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from vault_cli.cli.app import PanelCommand
from vault_cli.cli.capture_sessions import now_of
from vault_cli.cli.capture_views import held_by, instant_of, is_veiled, shown_text
from vault_cli.cli.invocation import Invocation, Plan
from vault_cli.cli.once import in_turn
from vault_cli.cli.output import View
from vault_cli.cli.reflect_runs import AnswerFile, Language, settle_language
from vault_cli.cli.views import plural
from vault_cli.errors import VaultError
from vault_cli.store.places import real_path, state_folder
from vault_cli.store.queue import DEAD, DROPPED, WAITING
from vault_cli.store.queue_place import look_in, open_queue

if TYPE_CHECKING:
    from vault_cli.features.distill import Distilled, Offer, Waiting
    from vault_cli.model.record import Record
    from vault_cli.store.queue import Queue
    from vault_cli.store.queue_base import Item

_STATE = "distill"

distill = typer.Typer(
    add_completion=False,
    rich_markup_mode=None,
    no_args_is_help=False,
    help="Let an agent write candidates of what sessions may teach.\n\n"
    "Example: mvault distill prepare",
)


@distill.callback()
def distill_group() -> None:
    """Let an agent write candidates of what sessions may teach.

    `prepare` hands over what waits in the capture queue, with the records near to it; an agent
    answers in its own words; `commit` checks the answer and writes candidates.

    Examples:
      mvault distill prepare
      mvault distill commit --answer answer.json
    """


@distill.command("prepare", cls=PanelCommand)
def prepare(
    ctx: typer.Context,
    limit: Annotated[int, typer.Option("--limit", "-n", min=1, max=50)] = 12,
    now: Annotated[
        bool, typer.Option("--now", help="Also below the thresholds of the settings.")
    ] = False,
    language: Language = "",
) -> int:
    """Print what waits in the queue, what is near to it, and how to answer.

    It hands over when distill.min_items wait and distill.min_minutes have passed since the last
    distillation. Nothing is written: what is handed over waits until it is answered.

    Examples:
      mvault distill prepare
      mvault distill prepare --now --language zh
    """
    from vault_cli.features.distill import write_offers

    inv: Invocation = ctx.obj
    with look_in(state_folder()) as queue:
        waiting = queue.due(int(now_of(inv).timestamp()))
        why = "" if now else _too_early(inv, len(waiting))
        chosen = [] if why else waiting[:limit]
        offers = [_offer(inv, queue, item) for item in chosen]
    left = len(waiting) - len(chosen)
    spoken = settle_language(inv, language, _spoken(offers))
    text = write_offers(offers, left, spoken) if offers else ""
    data = {
        "items": [_offer_data(offer) for offer in offers],
        "waiting": len(waiting),
        "language": spoken,
        "brief": text,
        "changed": False,
    }
    if not offers:
        reason = why or "nothing waits in the capture queue"
        return inv.out.show(View(data, notes=(f"nothing to do: {reason}",)))
    return inv.out.show(View(data, raw=text))


def _spoken(offers: Sequence[Offer]) -> list[str]:
    """Return the texts that tell a person's language: commands and errors are English anyway."""
    from vault_cli.features.capture import CORRECTION

    said = [offer.text for offer in offers if offer.kind == CORRECTION]
    return said or [offer.text for offer in offers]


def _too_early(inv: Invocation, number: int) -> str:
    """Return why nothing is handed over yet, "" when it is time."""
    config = inv.vault.config
    least, minutes = int(config["distill.min_items"]), int(config["distill.min_minutes"])
    if number < least:
        return f"{number} of {least} items wait (--now hands them over)" if number else ""
    past = (int(now_of(inv).timestamp()) - _last(inv)) // 60
    if 0 <= past < minutes:
        return f"the last distillation was {past} of {minutes} minutes ago (--now)"
    return ""


def _key(inv: Invocation) -> str:
    from vault_cli.store.own_state import path_key

    return path_key(real_path(inv.root))


def _last(inv: Invocation) -> int:
    from vault_cli.store.own_state import read_state

    value = read_state(_STATE, _key(inv)).get("last")
    return value if isinstance(value, int) else 0


def _note_time(inv: Invocation) -> None:
    from vault_cli.store.own_state import write_state

    try:
        write_state(_STATE, _key(inv), {"last": int(now_of(inv).timestamp())})
    except VaultError as error:
        inv.out.say(f"the time of this distillation is not kept: {error.message}")


def _offer(inv: Invocation, queue: Queue, item: Item) -> Offer:
    from vault_cli.cli.capturing import mask_detail, masked
    from vault_cli.cli.shown import shown_of
    from vault_cli.features.distill import Offer, neighbours

    is_hidden = is_veiled(inv) and bool(held_by(item))
    text = "" if is_hidden else shown_text(item, veil=False)
    detail = {} if is_hidden else mask_detail(item.detail)
    near = neighbours(
        shown_of(inv), item.kind, masked(item.text), mask_detail(item.detail), inv.now
    )
    found = () if near else _search(inv, item.text)
    seen = len(queue.sightings(item.id))
    return Offer(item.id, item.kind, text, detail, seen, instant_of(item.last)[:10], near, found)


def _search(inv: Invocation, text: str) -> tuple[Record, ...]:
    from vault_cli.cli.shown import shown_of
    from vault_cli.features.reflection import is_open_to_reflection
    from vault_cli.recall.search import search

    found = search(shown_of(inv), text[:400], limit=3, wanted=is_open_to_reflection)
    return tuple(hit.record for hit in found.hits if not hit.record.held_by)


def _offer_data(offer: Offer) -> dict[str, Any]:
    return {
        "id": offer.id,
        "kind": offer.kind,
        "text": offer.text,
        "detail": dict(offer.detail),
        "seen": offer.seen,
        "last": offer.last,
        "near": [
            {"id": a.other.id, "code": a.code, "title": a.other.title, "reason": a.reason}
            for a in offer.near
        ],
        "found": [{"id": r.id, "kind": str(r.kind), "title": r.title} for r in offer.found],
    }


@distill.command("commit", cls=PanelCommand)
def commit(ctx: typer.Context, answer: AnswerFile = "-") -> int:
    """Check an answer; write its candidates in one change, and take dropped items out.

    An answer with a fault writes nothing and names them all. What became a record already is left
    alone, so the same answer may come twice.

    Examples:
      mvault distill commit --answer answer.json
      mvault distill commit < answer.md
    """
    from vault_cli.cli.reflect_answer import read_answer_text
    from vault_cli.cli.reflect_logs import require_no_subagent

    inv: Invocation = ctx.obj
    require_no_subagent(inv)
    text = read_answer_text(inv, answer)
    with in_turn(inv):
        return _commit(inv, text)


def _commit(inv: Invocation, text: str) -> int:
    from vault_cli.cli.rendering import scope_here, scope_of
    from vault_cli.cli.shown import work_of
    from vault_cli.features.answers import read_answer
    from vault_cli.features.distill import Table, plan_distilled
    from vault_cli.features.drafting import Drafting
    from vault_cli.features.learning import budget_of

    parsed = read_answer(text)
    snapshot = inv.whole_snapshot()
    drafting = Drafting(
        snapshot,
        budget_of(work_of(inv), inv.vault.config, inv.now),
        inv.now,
        inv.actor,
        inv.vault.config.gates,
        origin="hook",
        seed=_seed(text),
    )
    with look_in(state_folder()) as queue:
        table = Table(
            lambda name: _waiting(inv, queue, name),
            lambda scope: scope_here(inv, scope, "scope"),
            lambda folders: scope_of(inv, folders),
            lambda state: state in (WAITING, DEAD),
            lambda state: state == DROPPED,
        )
        found = plan_distilled(parsed, table, drafting, inv.actor)
    return _carry_out(inv, found)


def _seed(text: str) -> str:
    from vault_cli.features.reflection_commit import digest_answer

    return digest_answer(text)


def _waiting(inv: Invocation, queue: Queue, name: str) -> Waiting:
    from vault_cli.cli.capture_draft import already_made, evidence_of
    from vault_cli.features.distill import Waiting

    item = queue.find(name)
    record = item.record or already_made(inv, item)
    seen = queue.sightings(item.id)[-5:]
    rows = tuple(evidence_of(item, one, number) for number, one in enumerate(seen, 1))
    folders = frozenset(queue.folders(item.id))
    return Waiting(item.id, item.kind, item.state, record, rows, folders)


def _carry_out(inv: Invocation, found: Distilled) -> int:
    """Write the drafts first, then note in the queue what became of the items."""
    data = {
        "made": dict(found.made),
        "dropped": list(found.dropped),
        "skipped": list(found.skipped),
        "already": dict(found.done),
    }
    notes = _notes(found)
    ids = list(dict.fromkeys(found.made.values()))
    if found.change is None:
        if not inv.options.dry_run:
            _settle(inv, found)
        changed = bool(found.dropped) and not inv.options.dry_run
        view = View({**data, "changed": changed}, notes=notes or ("nothing to do",))
        return inv.out.show(view)
    plan = Plan(
        found.change,
        f"distilled: {plural(len(ids), 'candidate')}",
        lines=ids,
        findings=found.notes,
        data=data,
        hints=[f"A person admits it or not: mvault approve {' '.join(ids)}"],
    )
    if inv.options.dry_run:
        return inv.submit(plan)
    _begin(inv, found)
    try:
        code = inv.submit(plan)
    except VaultError as error:
        _fail(found, error)
        raise
    _settle(inv, found)
    for note in notes:
        inv.out.say(note)
    return code


def _notes(found: Distilled) -> Sequence[str]:
    told = []
    if found.dropped:
        told.append(f"dropped {plural(len(found.dropped), 'item')}")
    if found.done:
        pairs = ", ".join(f"{name} is {own}" for name, own in found.done.items())
        told.append(f"made already: {pairs}")
    return told


def _begin(inv: Invocation, found: Distilled) -> None:
    with open_queue(state_folder()) as queue:
        for name in found.made:
            queue.begin(name, int(now_of(inv).timestamp()))


def _fail(found: Distilled, error: VaultError) -> None:
    with open_queue(state_folder()) as queue:
        for name in found.made:
            queue.fail(name, error.message)


def _settle(inv: Invocation, found: Distilled) -> None:
    with open_queue(state_folder()) as queue:
        for name, own in (*found.made.items(), *found.done.items()):
            queue.settle(name, own)
        if found.dropped:
            queue.drop(found.dropped)
    _note_time(inv)
