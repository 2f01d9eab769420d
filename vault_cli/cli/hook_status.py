"""What `status` says of hooks: what went wrong, and where events wait. + everything below `cli`."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from datetime import datetime, tzinfo
from typing import TYPE_CHECKING, Any, Final

from vault_cli.cli.output import Line, inline
from vault_cli.errors import NeedsPersonError, StoreError

if TYPE_CHECKING:
    from vault_cli.cli.invocation import Invocation

RECENT: Final = 7 * 86_400
"""Seconds for which a problem of a hook is shown."""

MOST: Final = 5


def hook_data(zone: tzinfo | None) -> dict[str, Any]:
    """Return what is to be known of the hooks on this machine.

    Args:
        zone: time zone of the days that are shown.

    Returns:
        `problems`, newest first, each with `last`, `count` and `message`; `waiting`, bytes of
        events that nobody has folded yet; `spare`, the file they are in where the state folder
        could not be written, else "".
    """
    from vault_cli.hook.spool import is_spare, spools
    from vault_cli.hook.state import read_log
    from vault_cli.store.places import state_folder

    state = os.fspath(state_folder())
    since = time.time() - RECENT
    files = spools(state)
    return {
        "problems": [
            {
                "last": datetime.fromtimestamp(last, zone).isoformat(),
                "count": count,
                "message": text,
            }
            for last, count, text in read_log(state)
            if last >= since
        ],
        "waiting": sum(os.path.getsize(path) for path in files),  # noqa: PTH202 - plain texts
        "spare": next((path for path in files if is_spare(state, path)), ""),
    }


def mark_seen(inv: Invocation) -> None:
    """Let what went wrong with hooks so far be shown no more.

    Raises:
        NeedsPersonError: nobody is there to have seen it. StoreError: the log cannot be changed.
    """
    from vault_cli.hook.state import forget_log
    from vault_cli.store.places import state_folder

    if not inv.consent(yes=True).how:
        raise NeedsPersonError(
            "status --seen: a person says what was seen", hint="Run it in a terminal."
        )
    if inv.options.dry_run:
        return
    try:
        forget_log(os.fspath(state_folder()))
    except OSError as error:
        raise StoreError(f"the log of the hooks cannot be changed: {error.strerror}") from error


def hook_lines(data: dict[str, Any]) -> Iterator[Line]:
    """Yield the same for people; nothing while all is well."""
    problems = data["problems"]
    if problems:
        yield [("yellow", "hooks that failed (the agents went on without them):")]
    for item in problems[:MOST]:
        often = f" ({item['count']} times)" if item["count"] > 1 else ""
        yield f"  {item['last'][:16]}{often}  {inline(item['message'])}"
    if len(problems) > MOST:
        yield f"  and {len(problems) - MOST} more"
    if problems:
        yield [("dim", "  seen and mended? mvault status --seen")]
    if data["spare"]:
        yield [
            ("yellow", "events of hooks wait in "),
            inline(data["spare"]),
            ": the state folder could not be written",
        ]
