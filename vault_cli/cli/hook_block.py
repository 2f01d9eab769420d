"""The block of a session's start, and keeping it ready. May import everything below `cli`."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import replace
from datetime import datetime, time, timedelta
from time import time_ns
from typing import TYPE_CHECKING, Any, NamedTuple

from vault_cli.cli.hook_files import leave_out, read_files
from vault_cli.cli.hook_places import (
    all_places,
    all_roots,
    anchored,
    other_files,
    stamped,
    tops,
    vault_folders,
    vault_places,
)
from vault_cli.cli.rendering import Wanted, make_options, make_query
from vault_cli.hook import events, ready, replies, turns, words
from vault_cli.hook.language import is_chinese
from vault_cli.text.names import OWN_ID

if TYPE_CHECKING:
    from vault_cli.cli.invocation import Invocation
    from vault_cli.hook.call import Call
    from vault_cli.model.record import Record, Snapshot
    from vault_cli.recall.block import Block, Line, RenderOptions
    from vault_cli.recall.select import Query, Selection

_UNITS = {"bytes": "bytes", "utf-16": "characters"}
_TRIES = 4
_MOST_TASKS = 3
"""Open tasks that a session is told by id."""


Stamps = tuple[int, list[tuple[str, str, str, int]]]


class Made(NamedTuple):
    """What a block was made of.

    Args:
        started: before anything was looked at, in nanoseconds since 1970.
        stamps: kind, path, stamp and last change of what was looked at then.
        snapshot: what was read after that.
    """

    started: int
    stamps: list[tuple[str, str, str, int]]
    snapshot: Snapshot


def make_standing(call: Call, inv: Invocation) -> dict[str, Any]:
    """Return the standing block of a place for a host (as `turns.begin` takes it); keep it ready.

    It holds what is in force there, whatever is asked: the same bytes until something changes.

    Raises:
        VaultError: no vault can be read.
    """
    from vault_cli.cli.receipts import keep_receipt
    from vault_cli.plain.naming import receipt_id
    from vault_cli.recall.select import select_records

    started = time_ns()
    files = read_files(call, inv)
    _, stamps = take_stamps(inv, files.places)
    session = events.session_of(call.payload)
    snapshot = inv.reading.snapshot(whole=True, guarded=True, teams=True)
    made = Made(started, stamps, snapshot)
    query = make_query(inv, Wanted(session=session))
    selection = select_records(snapshot, query)
    inv.warn_unreadable(snapshot)
    left, said = leave_out(selection, files)
    block, options = render_within(call, inv, left, query, len(snapshot.unreadable))
    lines = [line for line in block.receipt.lines if line.level != "omitted"]
    shown = [(line.id, line.vault) for line in lines if line.level != "id"]
    key = turns.ready_key(call)
    text = block.text or (words.IN_FILES.format(", ".join(files.names)) if said else "")
    whole = [(line.id, line.vault) for line in lines if _is_whole(line)]
    standing: dict[str, Any] = {
        "block": text,
        "shown": shown,
        "receipt": receipt_id(text, (line.id for line in lines)),
        "vaults": {inv.layers.name_of(vault.root): str(vault.root) for vault in inv.reading.vaults},
        "whole": [*whole, *((pick.record.id, pick.record.vault) for pick in said)],
        "complete": all(map(_is_whole, block.receipt.lines)),
        "key": key,
        "tasks": _open_tasks(snapshot, query) if query.mode != "off" else "",
        "debt": _unreflected(inv, snapshot) if query.mode != "off" else {},
        "chinese": _is_chinese(pick.record for pick in selection.picks),
        "window": int(inv.reading.config["hooks.context_window"]),
        "nudges": int(inv.reading.config["hooks.nudges"]),
        "turns": int(inv.reading.config["reflection.turns"]),
    }
    if block.text:
        turns.remember(call, [block.text])
        keep_receipt(inv, block, (query, options), [])  # `why` and `diff @1` know it then
    if inv.reading.gave_up:
        call.complain("the project's vault takes too long to read: the user vault's block alone")
        cut = words.in_language(words.CUT_SHORT, chinese=standing["chinese"])
        return {**standing, "block": text + cut, "complete": False}
    _keep(call, inv, standing, made, selection)
    return standing


def _is_chinese(records: Iterable[Record]) -> bool:
    """Tell whether most of some records are in Chinese."""
    own = [is_chinese(record.title) for record in records]
    return 2 * sum(own) > len(own)


def take_stamps(inv: Invocation, more: Iterable[tuple[str, str]] = ()) -> Stamps:
    """Return the time, and the stamps of all that an answer of this place is made of."""
    return time_ns(), list(map(stamped, [*all_places(inv), *more]))


def make_ready(
    call: Call, inv: Invocation, stamps: Stamps, snapshot: Snapshot, query: Query
) -> None:
    """Make ready what prompts may bring, with stamps that were taken before anything was read."""
    from vault_cli.recall.select import select_records

    if inv.reading.gave_up:
        return
    made = Made(*stamps, snapshot)
    selection = select_records(snapshot, query)
    facts = _facts(call, inv, made, selection)
    if facts is not None:
        prepare_prompts(call, inv, made, selection, facts)


def keep_nothing(call: Call, inv: Invocation) -> dict[str, Any]:
    """Return the standing block of a place without a vault: none; keep it ready until there is one.

    So that prompts in such a place cost next to nothing.
    """
    from vault_cli.store.places import machine_token, state_folder

    places = [*vault_places(inv), (ready.TREE, os.fspath(state_folder() / "incoming"))]
    stamps = [stamped(place)[:3] for place in places]
    standing: dict[str, Any] = {
        "block": "",
        "shown": [],
        "receipt": "",
        "whole": [],
        "complete": True,
        "key": turns.ready_key(call),
        "nudges": 0,
    }
    data = {**standing, "sessions": [], "until": 0, "stamps": stamps, "quick": stamps}
    if machine_token() is not None:
        _try_keep(call, standing["key"], data)
    return standing


def _try_keep(call: Call, key: str, data: dict[str, Any]) -> None:
    try:
        ready.keep(call.state, key, data)
    except (OSError, ValueError) as error:
        call.complain(f"the block is not kept ready: {error}")


def host_options(call: Call, inv: Invocation) -> RenderOptions:
    """Return how to render for a host: as a person set it, else as much as the host passes on."""
    options = make_options(inv, Wanted())
    config = inv.reading.config
    if {config.origin("render.budget"), config.origin("render.unit")} == {"default"}:
        room, unit = turns.block_room(call)
        options = replace(options, budget=room, unit=_UNITS[unit])
    return options


def render_within(
    call: Call, inv: Invocation, selection: Selection, query: Query, unreadable: int = 0
) -> tuple[Block, RenderOptions]:
    """Render what a host passes on whole, and say how; what has no room is named in the block."""
    from vault_cli.recall.render import render_block

    options = host_options(call, inv)
    room, unit = turns.block_room(call)
    for _ in range(_TRIES):
        block = render_block(selection, query, options, unreadable)
        over = replies.measure(block.text, unit) - room
        if over <= 0:
            return block, options
        # counted otherwise than by the host: in its unit, and less by what is over
        is_same = options.unit == _UNITS[unit] and 0 < options.budget <= room
        budget = options.budget - over if is_same else room
        options = replace(options, unit=_UNITS[unit], budget=max(budget, 1))
    return block, options


def _is_whole(line: Line) -> bool:
    """Tell whether an entry says all there is to say: no prompt can bring more of it."""
    from vault_cli.recall.wording import is_plain

    return line.level == "full" or (line.level == "line" and is_plain(line.pick.record))


def _open_tasks(snapshot: Snapshot, query: Query) -> str:
    """Return what is said of the tasks that are open in a place: how many, and ids."""
    from vault_cli.model.record import Kind

    if not any(record.kind is Kind.TASK for record in snapshot.records):
        return ""
    from vault_cli.features.parts import is_chinese
    from vault_cli.features.task_records import open_tasks
    from vault_cli.hook import words

    found = [
        task
        for task in open_tasks(snapshot)
        if not task.record.is_unseen
        and (task.record.scope.level == "global" or task.record.scope.name == query.project)
    ]
    if not found:
        return ""
    more = f" (+{len(found) - _MOST_TASKS})" if len(found) > _MOST_TASKS else ""
    ids = ", ".join(task.id for task in found[:_MOST_TASKS] if OWN_ID.fullmatch(task.id)) + more
    if is_chinese(found[0].goal):
        return words.OPEN_TASKS_CHINESE.format(len(found), ids)
    count = "1 task" if len(found) == 1 else f"{len(found)} tasks"
    return words.OPEN_TASKS.format(count, ids)


def _unreflected(inv: Invocation, snapshot: Snapshot) -> dict[str, Any]:
    """Return what is said of the records of the vault at hand that wait for reflection.

    As `turns.begin` takes it: {} where nobody wants to be told, or a run about them is open.
    """
    home = inv.reading.home
    if home is None or not int(inv.reading.config["hooks.nudges"]):
        return {}
    from vault_cli.features.reflection import is_begun, points_of, runs_of, unreflected

    name = inv.layers.name_of(home.root)
    own = (r for r in snapshot.standing().records if r.vault == name and not r.is_unseen)
    here = replace(snapshot, records=tuple(own))
    known = runs_of(here)
    if is_begun(known):
        return {}
    left = unreflected(here, known)
    points, least = points_of(left), int(home.config["reflection.threshold"])
    text = words.UNREFLECTED_CHINESE if _is_chinese(left) else words.UNREFLECTED
    return {"vault": str(home.root), "level": points // least, "text": text.format(points, least)}


def _keep(
    call: Call, inv: Invocation, standing: dict[str, Any], made: Made, selection: Selection
) -> None:
    """Keep a block ready for the next session, and what prompts may bring beside it."""
    facts = _facts(call, inv, made, selection)
    if facts is None:
        return
    shown = _shown_paths(inv, standing, selection)
    quick = [*facts["quick"], *(stamped(place)[:3] for place in shown)]
    _try_keep(call, standing["key"], {**standing, **facts, "quick": quick})
    prepare_prompts(call, inv, made, selection, facts)


def _facts(call: Call, inv: Invocation, made: Made, selection: Selection) -> dict[str, Any] | None:
    """Return what an answer of this state of a place depends on; None where it cannot be kept.

    Not while a file has just been written (a second edit could have the same stamp), nor where
    the answer depends on more than files: it is this session's alone, or keys decide.
    """
    from vault_cli.store.places import machine_token

    stamps = [*made.stamps, *map(stamped, anchored(inv, selection.picks))]
    settled = all(newest < made.started - ready.SETTLED for *_, newest in stamps)
    in_force = [record for record in made.snapshot.records if record.in_force]
    own = sorted({record.scope.name for record in in_force if record.scope.level == "session"})
    of_session = events.session_of(call.payload) in own
    is_signed = bool(inv.reading.config["trust.require_signed"])
    if not settled or of_session or is_signed or machine_token() is None:
        return None
    large = {(ready.TREE, os.fspath(root)) for root in all_roots(inv)}
    quick = [(kind, path, text) for kind, path, text, _ in stamps if (kind, path) not in large]
    quick += [stamped(place)[:3] for place in (*vault_folders(inv), *other_files(inv))]
    return {
        "sessions": own,
        "until": _until(inv, made.snapshot),
        "stamps": [(kind, path, text) for kind, path, text, _ in stamps],
        "quick": quick,
    }


def prepare_prompts(
    call: Call, inv: Invocation, made: Made, selection: Selection, facts: dict[str, Any]
) -> None:
    """Make ready what prompts may bring in this place; what goes wrong there is only logged."""
    from vault_cli.cli.hook_ready import Place, prepare
    from vault_cli.store.segments import PostingsError

    query = make_query(inv, Wanted(session=events.session_of(call.payload)))
    if query.mode != "assist":
        return
    try:
        stamps = _stamps_of(inv, made, selection)
        place = Place(made.snapshot, query, selection, host_options(call, inv), stamps)
        prepare(call.state, turns.ready_key(call), facts, inv, place)
    except (OSError, ValueError, PostingsError) as error:
        call.complain(f"what prompts may bring is not made ready: {error}")


def _shown_paths(
    inv: Invocation, standing: dict[str, Any], selection: Selection
) -> Iterator[tuple[str, str]]:
    """Yield the files that the block shows."""
    shown, roots = {*standing["shown"]}, tops(inv)
    for pick in selection.picks:
        if (pick.record.id, pick.record.vault) in shown:
            yield ready.FILE, f"{roots[pick.record.vault]}/{pick.record.path}"


def _stamps_of(
    inv: Invocation, made: Made, selection: Selection
) -> dict[tuple[str, str], list[tuple[str, str, str]]]:
    """Return the stamps of what each record in force is made of: its file, and code it names.

    Raises:
        ValueError: one of them was changed while it was read.
    """
    found, roots = {}, tops(inv)
    for pick in selection.picks:
        places = [(ready.FILE, f"{roots[pick.record.vault]}/{pick.record.path}")]
        if "anchors" in pick.record.fields:
            places += anchored(inv, [pick])
        looks = list(map(stamped, places))
        if any(newest >= made.started - ready.SETTLED for *_, newest in looks):
            raise ValueError("a file was just changed")
        key = pick.record.vault, pick.record.path
        found[key] = [(kind, path, text) for kind, path, text, _ in looks]
    return found


def _until(inv: Invocation, snapshot: Snapshot) -> float:
    """Return when the block can change by itself, in Unix time; 0 while the clock stands still."""
    if inv.environ.get("MVAULT_NOW"):
        return 0.0
    now = inv.now
    ends = [datetime.combine(now.date() + timedelta(days=1), time(), now.tzinfo)]
    for record in snapshot.records:
        validity = record.validity
        ends += [
            at for at in (validity.start, validity.end) if isinstance(at, datetime) and at > now
        ]
    return min(end.timestamp() for end in ends)
