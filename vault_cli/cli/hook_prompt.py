"""What one prompt brings: records that fit and are not in the conversation. + all below `cli`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from vault_cli.cli.hook_block import host_options, make_ready, make_standing, take_stamps
from vault_cli.cli.rendering import Wanted, make_query
from vault_cli.hook import events, fitting, prompts, turns, words

if TYPE_CHECKING:
    from vault_cli.cli.invocation import Invocation
    from vault_cli.hook.call import Call
    from vault_cli.model.record import Record, Snapshot
    from vault_cli.recall.budget import Measure
    from vault_cli.recall.corpus import Shelf
    from vault_cli.recall.hits import Hit
    from vault_cli.recall.select import Pick, Query

_SMALL: Final = 2_000
"""Up to so many records are made ready again whenever something has changed."""


def answer_prompt(call: Call, inv: Invocation) -> dict[str, str]:
    """Return what a prompt brings: the block where the session lacks it, and what fits."""
    session = turns.load_session(call)
    first = ""
    if not session.get("key") or session.get("pending"):
        first = turns.begin(call, make_standing(call, inv))["context"]
        session = turns.load_session(call)
    anew = _start_anew(call, session)
    stamps = take_stamps(inv) if anew else None
    snapshot = inv.reading.snapshot(whole=anew, guarded=True, teams=True)
    query = make_query(inv, Wanted(session=events.session_of(call.payload)))
    first += turns.take_nudge(call, session)
    if query.mode != "assist":
        return {"context": turns.bring(call, session, first, "", [])}
    if stamps is not None:
        make_ready(call, inv, stamps, snapshot, query)
    more, shown = _beside(call, inv, snapshot, query, session)
    return {"context": turns.bring(call, session, first, more, shown)}


def _start_anew(call: Call, session: dict[str, Any]) -> bool:
    """Tell whether what prompts may bring is to be made ready now.

    Of a small vault at once, of a large one with the second prompt that finds it changed: where
    every turn changes something, it would cost more than it saves.
    """
    before = prompts.read(call.state, turns.ready_key(call))
    if before is None:
        return True
    large = before.head["files"] > _SMALL
    still = before.holds()
    before.close()
    if still:
        return False
    is_second = bool(session.pop("late", False))
    if large and not is_second:
        session["late"] = True
        turns.save_session(call, session)
    return is_second or not large


def _beside(
    call: Call, inv: Invocation, snapshot: Snapshot, query: Query, session: dict[str, Any]
) -> tuple[str, list[tuple[str, str]]]:
    """Return the records that fit the prompt and that the session was not given, as a block.

    Beside it ids and vaults of what it shows; nothing is taken down here.
    """
    from vault_cli.recall.block import measure_in
    from vault_cli.recall.render import render_block
    from vault_cli.recall.select import rank_records

    prompt = fitting.talk_of(events.prompt_of(call.payload))
    hits = _search(inv, snapshot, query, prompt, turns.given_to(session))
    found = _with_partners([hit.record for hit in hits], snapshot, query)
    if not found:
        return "", []
    selection = rank_records(snapshot, query, found)
    options = replace(host_options(call, inv), budget=fitting.ROOM)
    block = render_block(selection, query, options, intro=words.BESIDE)
    shown = [(x.id, x.vault) for x in block.receipt.lines if x.level not in {"omitted", "id"}]
    if shown:
        _leave_texts(call, [line.pick for line in block.receipt.lines], measure_in(options.unit))
    if not shown:  # too long to be given at all: its title is, and how to read it
        shown = [(line.id, line.vault) for line in block.receipt.lines]
    return block.text, shown


def _leave_texts(call: Call, picks: list[Pick], measure: Measure) -> None:
    """Leave what a block is made of where it is looked for, if it was not made ready yet."""
    before = prompts.read(call.state, turns.ready_key(call))
    if before is None:
        return
    is_missing = before.head["missing"]
    before.close()
    if is_missing:
        from vault_cli.cli.hook_ready import keep_texts

        try:
            keep_texts(call.state, turns.ready_key(call), picks, measure)
        except OSError as error:
            call.complain(f"what prompts may bring is not kept: {error}")


class Found(NamedTuple):
    """The best records for a prompt.

    Args:
        hits: best first.
        number: how many records were searched.
        spread: in how many of them a term stands.
    """

    hits: Sequence[Hit]
    number: int
    spread: Mapping[str, int]


def _search(
    inv: Invocation, snapshot: Snapshot, query: Query, prompt: str, given: set[tuple[str, str]]
) -> list[Hit]:
    """Return the best records for a prompt that hold here and that the session was not given."""
    from vault_cli.recall.select import judge_some

    for limit in fitting.LOOKED_AT:
        found = _look(inv, snapshot, prompt, limit)
        fresh = [hit for hit in found.hits if (hit.record.id, hit.record.vault) not in given]
        good = judge_some(snapshot, query, [hit.record for hit in fresh])
        keys = {(record.id, record.vault) for record in good}
        fresh = [hit for hit in fresh if (hit.record.id, hit.record.vault) in keys]
        rows = [(hit.parts["words"], hit.terms, hit) for hit in fresh]
        picked = fitting.pick(rows, found.number, found.spread)
        is_all = len(found.hits) < limit or found.hits[-1].parts["words"] < fitting.LEAST_FIT
        if picked or is_all:
            return picked
    return []


def _look(inv: Invocation, snapshot: Snapshot, prompt: str, limit: int) -> Found:
    from vault_cli.cli.clocks import Clocks
    from vault_cli.cli.shelves import all_shelves
    from vault_cli.model.record import Status
    from vault_cli.recall.corpus import TextShelf, searchable
    from vault_cli.recall.query import Narrow
    from vault_cli.recall.search import search
    from vault_cli.store.segments import PostingsError

    clocks = Clocks("", None, inv.now, "", snapshot)
    narrow = Narrow(frozenset({Status.ACTIVE, Status.VERIFIED}))

    def look(*, stored: bool) -> Found:
        with all_shelves(inv, clocks, stored=stored) as given:
            shelves = [TextShelf(searchable(snapshot.records))] if given is None else given
            hits = search(snapshot, prompt, limit=limit, narrow=narrow, shelves=shelves).hits
            spread = Counter[str]()
            for shelf in shelves:
                spread.update(_spread_in(shelf, {term for hit in hits for term in hit.terms}))
            number = sum(len(shelf.lengths) - len(shelf.gone) for shelf in shelves)
            return Found(hits, number, spread)

    try:
        return look(stored=True)
    except PostingsError:
        return look(stored=False)


def _spread_in(shelf: Shelf, terms: set[str]) -> dict[str, int]:
    """Return in how many records of a shelf each term stands; those that are gone do not count."""
    gone = shelf.gone
    found = shelf.find(terms)
    return {t: sum(n not in gone for n in places) for t, (places, _) in found.items()}


def _with_partners(records: list[Record], snapshot: Snapshot, query: Query) -> list[Record]:
    """Add those that contradict a record: an agent that is shown one side must know the other."""
    from vault_cli.recall.select import divide_records

    named = {key for record in records for key, _ in record.conflicts}
    named -= {record.id for record in records}
    if not named:
        return records
    return [*records, *(r for r in divide_records(snapshot, query)[0] if r.id in named)]
