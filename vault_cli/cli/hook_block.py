"""The block of a session's start, and keeping it ready. May import everything below `cli`."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime, time, timedelta
from pathlib import Path
from time import time_ns
from typing import TYPE_CHECKING, Any, NamedTuple

from vault_cli.cli.rendering import Wanted, make_options, make_query
from vault_cli.hook import events, ready, replies, turns, words
from vault_cli.text.names import OWN_ID

if TYPE_CHECKING:
    from vault_cli.cli.invocation import Invocation
    from vault_cli.hook.call import Call
    from vault_cli.model.record import Snapshot
    from vault_cli.recall.block import Block, Line, RenderOptions
    from vault_cli.recall.select import Query, Selection

_UNITS = {"bytes": "bytes", "utf-16": "characters"}
_TRIES = 4
_MOST_TASKS = 3
"""Open tasks that a session is told by id."""


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
    from vault_cli.recall.select import select_records
    from vault_cli.store.receipts import receipt_id

    started = time_ns()
    stamps = list(map(_stamped, _places(inv)))
    session = events.session_of(call.payload)
    snapshot = inv.reading.snapshot(whole=True, guarded=True)
    made = Made(started, stamps, snapshot)
    query = make_query(inv, Wanted(session=session))
    selection = select_records(snapshot, query)
    inv.warn_unreadable(snapshot)
    block, options = render_within(call, inv, selection, query, len(snapshot.unreadable))
    lines = [line for line in block.receipt.lines if line.level != "omitted"]
    shown = [(line.id, line.vault) for line in lines if line.level != "id"]
    key = turns.ready_key(call)
    standing: dict[str, Any] = {
        "block": block.text,
        "shown": shown,
        "receipt": receipt_id(block.text, (line.id for line in lines)),
        "whole": [(line.id, line.vault) for line in lines if _is_whole(line)],
        "complete": all(map(_is_whole, block.receipt.lines)),
        "key": key,
        "tasks": _open_tasks(snapshot, query),
        "window": int(inv.reading.config["hooks.context_window"]),
        "nudges": int(inv.reading.config["hooks.nudges"]),
        "turns": int(inv.reading.config["reflection.turns"]),
    }
    if block.text:
        turns.remember(call, [block.text])
        keep_receipt(inv, block, (query, options), [])  # `why` and `diff @1` know it then
    if inv.reading.gave_up:
        call.complain("the project's vault takes too long to read: the user vault's block alone")
        return {**standing, "block": block.text + words.CUT_SHORT, "complete": False}
    _keep(call, inv, standing, made, selection)
    return standing


def keep_nothing(call: Call, inv: Invocation) -> dict[str, Any]:
    """Return the standing block of a place without a vault: none; keep it ready until there is one.

    So that prompts in such a place cost next to nothing.
    """
    from vault_cli.store.places import machine_token, state_folder

    places = [*_vault_places(inv), (ready.TREE, os.fspath(state_folder() / "incoming"))]
    stamps = [_stamped(place)[:3] for place in places]
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


def _places(inv: Invocation) -> Iterator[tuple[str, str]]:
    """Yield all that a block of this place is made of, and all that could come into it."""
    from vault_cli.cli.project import find_checkout
    from vault_cli.store.config import user_config_path
    from vault_cli.store.lock import JOURNAL_PATH
    from vault_cli.store.places import state_folder

    layers = inv.layers
    roots = [root for root in (layers.home, layers.beside, layers.hidden) if root is not None]
    for root in roots:
        yield ready.TREE, os.fspath(root)
        yield ready.FILE, os.fspath(root / JOURNAL_PATH)
    yield ready.FILE, os.fspath(user_config_path(inv.environ))
    yield ready.FILE, os.fspath(Path(__file__).parents[1] / "__init__.py")
    yield from _vault_places(inv)
    checkouts = [find_checkout(inv.cwd, layers.home), *_checkouts_of(roots)]
    found = {os.fspath(d) for c in checkouts if c is not None for d in (c.git_dir, c.common_dir)}
    for folder in sorted(found):
        yield ready.GIT, folder
    for group in ("incoming", "trust", "made", "signed", "signatures"):
        yield ready.TREE, os.fspath(state_folder() / group)


def _vault_places(inv: Invocation) -> Iterator[tuple[str, str]]:
    """Yield where a vault or a repository may be found that is read in this folder."""
    from vault_cli.store.places import PROJECT_FOLDER, user_folder

    yield ready.FILE, os.fspath(user_folder("data") / "vault.toml")
    for folder in (inv.cwd, *inv.cwd.parents):
        for name in (".git", "vault.toml", f"{PROJECT_FOLDER}/vault.toml"):
            yield ready.THERE, os.fspath(folder / name)


def _checkouts_of(roots: list[Path]) -> Iterator[Any]:
    from vault_cli.store.git_place import find_place

    return (find_place(root) for root in roots)


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
        if task.record.scope.level == "global" or task.record.scope.name == query.project
    ]
    if not found:
        return ""
    more = f" (+{len(found) - _MOST_TASKS})" if len(found) > _MOST_TASKS else ""
    ids = ", ".join(task.id for task in found[:_MOST_TASKS] if OWN_ID.fullmatch(task.id)) + more
    if is_chinese(found[0].goal):
        return words.OPEN_TASKS_CHINESE.format(len(found), ids)
    count = "1 task" if len(found) == 1 else f"{len(found)} tasks"
    return words.OPEN_TASKS.format(count, ids)


def _keep(
    call: Call, inv: Invocation, standing: dict[str, Any], made: Made, selection: Selection
) -> None:
    """Keep a block ready for the next session, where its stamps tell whether it still holds.

    Not while a file has just been written (a second edit could have the same stamp), nor where
    the block depends on more than files: it is this session's alone, or keys decide.
    """
    from vault_cli.store.places import machine_token

    stamps = [*made.stamps, *map(_stamped, _anchored(inv, selection))]
    settled = all(newest < made.started - ready.SETTLED for *_, newest in stamps)
    in_force = [record for record in made.snapshot.records if record.in_force]
    own = sorted({record.scope.name for record in in_force if record.scope.level == "session"})
    of_session = events.session_of(call.payload) in own
    is_signed = bool(inv.reading.config["trust.require_signed"])
    if not settled or of_session or is_signed or machine_token() is None:
        return
    quick = [(kind, path, text) for kind, path, text, _ in stamps if kind != ready.TREE]
    quick += [_stamped((ready.FILE, path))[:3] for path in _quick_paths(inv, standing, selection)]
    data = {
        **standing,
        "sessions": own,
        "until": _until(inv, made.snapshot),
        "stamps": [(kind, path, text) for kind, path, text, _ in stamps],
        "quick": quick,
    }
    _try_keep(call, standing["key"], data)


def _stamped(place: tuple[str, str]) -> tuple[str, str, str, int]:
    return (*place, *ready.look(*place))


def _quick_paths(inv: Invocation, standing: dict[str, Any], selection: Selection) -> Iterator[str]:
    """Yield the folders of the vaults, and the files that the block shows."""
    for root in _roots(inv):
        yield from ready.folders_below(os.fspath(root))
    roots = {inv.layers.name_of(root): root for root in _roots(inv)}
    shown = {*standing["shown"]}
    for pick in selection.picks:
        record = pick.record
        if (record.id, record.vault) in shown and record.vault in roots:
            yield os.fspath(roots[record.vault] / record.path)


def _anchored(inv: Invocation, selection: Selection) -> Iterator[tuple[str, str]]:
    """Yield what decides whether the code that records name has changed."""
    from vault_cli.cli.checkout import AnchorReader
    from vault_cli.cli.rendering import find_project
    from vault_cli.model.anchors import read_anchors

    records = [pick.record for pick in selection.picks if "anchors" in pick.record.fields]
    top = AnchorReader(inv, find_project).top if records else None
    if top is None:
        return
    paths = {anchor.path for r in records for anchor in read_anchors(r) if not anchor.problem}
    for path in sorted(paths):
        file = Path(os.path.realpath(top)) / path
        yield ready.FILE, os.fspath(file)
        for folder in file.parents:
            yield ready.THERE, os.fspath(folder)
            yield ready.FILE, os.fspath(folder / ".gitattributes")
            if folder == top:
                break
        if not os.path.lexists(file):  # it may have been there while the block was made
            near = next(folder for folder in file.parents if folder.is_dir())
            yield ready.FILE, os.fspath(near)


def _roots(inv: Invocation) -> list[Path]:
    return [root for root in (inv.layers.home, inv.layers.beside) if root is not None]


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
