"""The tool calls of a session log, as they were seen. May import `hosts`, `model`, `hook`."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

from vault_cli.hook.tools import canonical, field_text
from vault_cli.hosts.outcomes import key_of
from vault_cli.hosts.transcripts.reading import Log, LogError
from vault_cli.model.sighting import MAX_GIVEN, MAX_SAID, Sighting
from vault_cli.model.transcript import Event

__all__ = ["LogError", "read_calls"]


def read_calls(path: Path) -> Iterator[Sighting]:
    """Yield the calls of a log with their outcomes; one without a result has none.

    A call is named by its session and its id there, as a hook names it.

    Raises:
        LogError: it cannot be read, or is no log of a program we know.
    """
    log = Log(path)
    open_calls: dict[str, Event] = {}
    for event in log.events():
        if event.kind == "call":
            open_calls[event.call] = event
        elif event.kind == "result":
            began = open_calls.pop(event.call, event)
            yield _sighting(log, began if began.input else event, event)
    for event in open_calls.values():
        yield _sighting(log, event, None)


def _sighting(log: Log, began: Event, ended: Event | None) -> Sighting:
    tool = canonical(began.tool or (ended.tool if ended else ""))
    session = log.session
    return Sighting(
        key=key_of(session.host, session.id, began.call, f"{log.path}#{began.place}"),
        at=_seconds((ended or began).at or began.at),
        host=session.host,
        session=session.id,
        cwd=session.cwd,
        tool=tool,
        given=field_text(tool, dict(began.input))[:MAX_GIVEN],
        failed=ended.failed if ended else None,
        exit_code=ended.exit_code if ended else None,
        text=ended.text[:MAX_SAID] if ended and ended.failed else "",
    )


def _seconds(at: str) -> int:
    try:
        return int(datetime.fromisoformat(at).timestamp())
    except (ValueError, OverflowError):
        return 0
