"""What one prompt brings: records that fit and are not in the conversation. + all below `cli`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import prod
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from vault_cli.cli.hook_block import host_options, make_standing
from vault_cli.cli.rendering import Wanted, make_query
from vault_cli.hook import events, replies, turns, words

if TYPE_CHECKING:
    from vault_cli.cli.invocation import Invocation
    from vault_cli.hook.call import Call
    from vault_cli.model.record import Record, Snapshot
    from vault_cli.recall.hits import Hit
    from vault_cli.recall.select import Query

MOST: Final = 5
"""Records that one prompt brings at most."""

ROOM: Final = 4_000
"""Size of what one prompt brings at most, in the unit of the host."""

LEAST_FIT: Final = 0.2
"""Part of a prompt that a record answers at least (`recall.bm25`), if it is to be brought."""

NEAR_BEST: Final = 0.6
"""Part of the best record's fit that another one has at least."""

LEAST_WORDS: Final = 2
"""So many words of the prompt a record has; of Chinese, pairs of characters."""

_ROUNDING: Final = 1e-9
WHOLE: Final = 0.6
"""A record that answers so much of a prompt may do so with one word."""

LOOKED_AT: Final = (16, 80)
"""So many of the best records are looked at; more when the session was given all of them."""

MOST_TEXT: Final = 4_000
"""Characters of a prompt that are looked at: its beginning and its end."""


def answer_prompt(call: Call, inv: Invocation) -> dict[str, str]:
    """Return what a prompt brings: the block where the session lacks it, and what fits."""
    session = turns.load_session(call)
    first = ""
    if not session.get("key") or session.get("pending"):
        first = turns.begin(call, make_standing(call, inv))["context"]
        session = turns.load_session(call)
    snapshot = inv.reading.snapshot(guarded=True)
    query = make_query(inv, Wanted(session=events.session_of(call.payload)))
    first += turns.take_nudge(call, session)
    more = _beside(call, inv, snapshot, query, session) if query.mode == "assist" else ""
    room, unit = replies.room_of(call.host)
    if replies.measure(first + more, unit) > room:  # the block counts more than what it leaves out
        more = ""
    if more:
        turns.remember(call, [more])
    return {"context": first + more}


def _beside(
    call: Call, inv: Invocation, snapshot: Snapshot, query: Query, session: dict[str, Any]
) -> str:
    """Return the records that fit the prompt and that the session was not given, as a block."""
    from vault_cli.recall.render import render_block
    from vault_cli.recall.select import rank_records
    from vault_cli.store.receipts import receipt_id

    given = {(str(item[0]), str(item[1])) for item in session.get("given", []) if len(item) > 1}
    prompt = _talk_of(events.prompt_of(call.payload))
    hits = _search(inv, snapshot, query, prompt, given)
    found = _with_partners([hit.record for hit in hits], snapshot, query)
    if not found:
        return ""
    selection = rank_records(snapshot, query, found)
    options = replace(host_options(call, inv), budget=ROOM)
    block = render_block(selection, query, options, intro=words.BESIDE)
    shown = [(x.id, x.vault) for x in block.receipt.lines if x.level not in {"omitted", "id"}]
    if not shown:
        return ""
    session["given"] = [*session.get("given", []), *map(list, shown)]
    turns.save_session(call, session)
    turns.note_given(call, receipt_id(block.text, (key for key, _ in shown)), shown)
    return block.text


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

    def tells(self, hit: Hit) -> bool:
        """Tell whether the words found are so rare that they would not meet by chance.

        By chance words meet in `number` times the product of their shares of the records; that
        has to be less than one record. Of Chinese, pairs of characters count.
        """
        shares = (self.spread.get(term, 0) / self.number for term in _words_of(hit))
        return self.number * prod(share for share in shares if share) <= 1 + _ROUNDING

    def pick(self) -> list[Hit]:
        """Return the records that answer enough of the prompt; one common word is no reason."""
        best = max((hit.parts["words"] for hit in self.hits), default=0.0)
        return [
            hit
            for hit in self.hits
            if (fit := hit.parts["words"]) >= max(LEAST_FIT, NEAR_BEST * best)
            and (fit >= WHOLE or len(_words_of(hit)) >= LEAST_WORDS)
            and self.tells(hit)
        ][:MOST]


def _words_of(hit: Hit) -> list[str]:
    return [term for term in hit.matches if len(term) > 1]


def _talk_of(prompt: str) -> str:
    """Return what of a prompt is looked at: of a long one (a pasted log) both ends."""
    if len(prompt) <= MOST_TEXT:
        return prompt
    return f"{prompt[: MOST_TEXT // 2]}\n{prompt[-MOST_TEXT // 2 :]}"


def _search(
    inv: Invocation, snapshot: Snapshot, query: Query, prompt: str, given: set[tuple[str, str]]
) -> list[Hit]:
    """Return the best records for a prompt that hold here and that the session was not given."""
    from vault_cli.recall.select import judge_some

    for limit in LOOKED_AT:
        found = _look(inv, snapshot, prompt, limit)
        fresh = [hit for hit in found.hits if (hit.record.id, hit.record.vault) not in given]
        good = judge_some(snapshot, query, [hit.record for hit in fresh])
        keys = {(record.id, record.vault) for record in good}
        fresh = [hit for hit in fresh if (hit.record.id, hit.record.vault) in keys]
        picked = found._replace(hits=fresh).pick()
        is_all = len(found.hits) < limit or found.hits[-1].parts["words"] < LEAST_FIT
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
                terms = {term for hit in hits for term in _words_of(hit)}
                spread.update({t: len(places) for t, (places, _) in shelf.find(terms).items()})
            number = sum(len(shelf.lengths) - len(shelf.gone) for shelf in shelves)
            return Found(hits, number, spread)

    try:
        return look(stored=True)
    except PostingsError:
        return look(stored=False)


def _with_partners(records: list[Record], snapshot: Snapshot, query: Query) -> list[Record]:
    """Add those that contradict a record: an agent that is shown one side must know the other."""
    from vault_cli.recall.select import divide_records

    named = {key for record in records for key, _ in record.conflicts}
    named -= {record.id for record in records}
    if not named:
        return records
    return [*records, *(r for r in divide_records(snapshot, query)[0] if r.id in named)]
