"""What a session had been shown when a task begins. May import everything below `cli`.

Taken from what is kept of the renders, and written into the task: it is not worked out again.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from vault_cli.cli.invocation import Invocation

if TYPE_CHECKING:
    from vault_cli.features.task_outcomes import Seen
    from vault_cli.features.tasks import Shown
    from vault_cli.store.receipts import KeptRender


def find_shown(
    inv: Invocation, session: str, seen: Seen, until: str
) -> tuple[Shown, KeptRender | None]:
    """Return what a session had been shown up to an instant.

    The blocks that were rendered for it, what searches gave it, what the hook gave it; and the
    last block that was written into a file, which every session of the project reads.

    Args:
        inv: the run.
        session: its id, "" for none.
        seen: what the observations say of it.
        until: the instant, as observations write it.

    Returns:
        What it was shown, and the block in a file that it was not noted to have been shown yet.
    """
    from vault_cli.features.task_outcomes import merge_levels
    from vault_cli.store.receipts import load_renders

    renders = load_renders(inv.layers.home)
    receipt, given = _from_hook(session)
    names = {*seen.receipts(until), *([receipt] if receipt else [])}
    chosen = _chosen(renders, session, names)
    levels = [pair for render in chosen for pair in _levels(render)]
    levels += [(key, "full") for key in given]
    told = [render.id for render in chosen]
    levels += [(key, "named") for key in sorted(seen.ids(until=until, but=told))]
    filed = next((r for r in chosen if r.to and session and r.id not in names), None)
    return merge_levels(levels, told), filed


def _chosen(renders: Sequence[KeptRender], session: str, names: set[str]) -> list[KeptRender]:
    """Return the renders of a session, and the newest that stands in a file; without both the last.

    Args:
        renders: what is kept, the newest first.
        session: whose.
        names: ids of receipts that it was shown.
    """
    own = [
        r for r in renders if r.id in names or (session and r.settings.get("session") == session)
    ]
    filed = [r for r in renders if r.to][:1]
    found = {render.id: render for render in (*own, *filed)}
    return list(found.values()) or ([] if session else list(renders[:1]))


def _levels(render: KeptRender) -> Iterator[tuple[str, str]]:
    yield from ((entry.id, entry.level) for entry in render.entries)
    yield from ((key, "omitted") for key in render.left_out)


def _from_hook(session: str) -> tuple[str, list[str]]:
    """Return the receipt of the block that a hook gave a session, and ids it gave whole."""
    if not session:
        return "", []
    from os import fspath

    from vault_cli.hook import sessions
    from vault_cli.store.places import state_folder

    kept = sessions.load(fspath(state_folder()), sessions.SESSIONS, session)
    given = kept.get("given")
    pairs = given if isinstance(given, list) else []
    ids = [
        pair[0] for pair in pairs if isinstance(pair, list) and pair and isinstance(pair[0], str)
    ]
    receipt = kept.get("receipt")
    return (receipt if isinstance(receipt, str) else ""), ids


def note_open(session: str, ids: Sequence[str]) -> None:
    """Leave word for the hook which tasks a session has open; never fails.

    Args:
        session: its id.
        ids: of its open tasks.
    """
    from contextlib import suppress
    from os import fspath

    from vault_cli.hook import sessions
    from vault_cli.store.places import state_folder

    state = fspath(state_folder())
    kept = sessions.load(state, sessions.SESSIONS, session)
    if kept.get("tasks", []) == list(ids):
        return
    with suppress(OSError):
        sessions.save(state, sessions.SESSIONS, session, {**kept, "tasks": list(ids)})
