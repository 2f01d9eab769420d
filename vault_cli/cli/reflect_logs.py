"""Find and read the log of a session, and refuse subagents. May import everything below `cli`."""

from __future__ import annotations

from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Final

from vault_cli.cli.invocation import Invocation
from vault_cli.errors import NotFoundError, RefusedError
from vault_cli.model.transcript import Event, Session

if TYPE_CHECKING:
    from vault_cli.recall.echo import Echo

_MOST_LOGS: Final = 300
_SUBAGENT: Final = "MVAULT_SUBAGENT"


def require_no_subagent(inv: Invocation, session: Session | None = None) -> None:
    """Refuse a subagent: it sees a part of the work only, and its parent reflects on the whole.

    Raises:
        RefusedError: the environment or the session's own log says that it is one.
    """
    named = inv.environ.get(_SUBAGENT, "").strip().lower() not in ("", "0", "false", "no")
    if named or (session is not None and session.is_subagent):
        raise RefusedError(
            "a subagent does not reflect; the session that started it does",
            hint="Run it in the main session.",
        )


def find_log(inv: Invocation, session: str) -> tuple[Path, str] | None:
    """Return the log of a session and its host, None when there is none on this machine."""
    from vault_cli.hosts.transcripts.places import READABLE, find_logs
    from vault_cli.store.places import state_folder
    from vault_cli.store.queue_place import look_in

    with look_in(state_folder()) as queue:
        for row in queue.logs():
            if row.session == session and Path(row.path).is_file():
                return Path(row.path), row.host
    logs = sorted(find_logs(READABLE, inv.environ), key=lambda log: -log.mtime_ns)
    named = [log for log in logs if session in str(log.path)]
    for log in [*named, *(log for log in logs[:_MOST_LOGS] if log not in named)]:
        if _session_of(log.path, log.host).id == session:
            return log.path, log.host
    return None


def _session_of(path: Path, host: str = "") -> Session:
    from vault_cli.hosts.transcripts.reading import Log, LogError

    log = Log(path, host)
    try:
        list(islice(log.events(), 1))
    except (LogError, OSError, ValueError, TypeError, KeyError, AttributeError):
        return Session("")
    return log.session


def read_events(inv: Invocation, path: Path, host: str = "") -> tuple[Session, list[Event]]:
    """Return what happened in a session.

    Raises:
        NotFoundError: there is no such file. RefusedError: it cannot be read, or is a subagent's.
    """
    from vault_cli.hosts.transcripts.reading import Log, LogError

    place = path if path.is_absolute() else inv.cwd / path
    if not place.is_file():
        raise NotFoundError(f"{path}: there is no such log")
    log = Log(place, host)
    try:
        events = list(log.events())
    except (LogError, OSError, ValueError, TypeError, KeyError, AttributeError) as error:
        raise RefusedError(f"{path} cannot be read as a session log: {error}") from error
    require_no_subagent(inv, log.session)
    return log.session, events


def echo_of(inv: Invocation) -> Echo:
    """Return what mvault said itself; it is no part of a trace."""
    from vault_cli.cli.capturing import make_echo

    return make_echo(inv)
