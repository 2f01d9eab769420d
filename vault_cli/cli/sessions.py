"""`sessions list|search`: what was said in agents' sessions. May import everything below `cli`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from vault_cli.cli.app import PanelCommand
from vault_cli.cli.capture_sessions import Hosts, SinceDay, now_of, read_hosts, read_since
from vault_cli.cli.capture_views import is_veiled
from vault_cli.cli.invocation import Invocation
from vault_cli.cli.output import Line, View, inline
from vault_cli.cli.project import project_top
from vault_cli.cli.views import cut, plural
from vault_cli.errors import UsageError
from vault_cli.model.transcript import Event, Session
from vault_cli.text.late import late

if TYPE_CHECKING:
    from vault_cli.hosts.transcripts.places import Found
    from vault_cli.recall.log_search import Passage

_ROLES = ("user", "agent", "call", "result")
_WIDTH = 100
_MOST_NAMED = 20
_ID = late(r"[\w.:@-]{1,80}")
_VEILED = "(reads like an instruction to an agent; a person is shown it)"

sessions = typer.Typer(
    add_completion=False,
    rich_markup_mode=None,
    no_args_is_help=False,
    help="Find what was said in earlier sessions.\n\nExample: mvault sessions search webhook",
)

Here = Annotated[
    bool, typer.Option("--here", help="Only sessions that began in this project or folder.")
]


class _Logs(NamedTuple):
    """The logs that were asked for.

    Args:
        found: the newest first.
        problems: logs that could not be read, filled while they are read.
    """

    found: list[Found]
    problems: list[str]


@sessions.callback()
def sessions_group() -> None:
    """Find what was said in earlier sessions of Claude Code, Codex and DSH, on this machine.

    The programs' own logs are read as they lie there. Nothing is copied, kept or sent; secrets are
    shown as their kind only.

    Examples:
      mvault sessions search "idempotency key"
      mvault sessions list --here
    """


@sessions.command("search", cls=PanelCommand)
def search(
    ctx: typer.Context,
    words: Annotated[list[str], typer.Argument(metavar="WORDS...", help="What to look for.")],
    session: Annotated[
        str, typer.Option("--session", metavar="ID", help="Only in this one (or its beginning).")
    ] = "",
    said_by: Annotated[
        list[str] | None,
        typer.Option("--in", metavar="PART", help=f"Of {', '.join(_ROLES)} (repeatable)."),
    ] = None,
    host: Hosts = None,
    since: SinceDay = "",
    here: Here = False,
    limit: Annotated[int, typer.Option("--limit", "-n", min=0, help="Most finds; 0: all.")] = 10,
) -> int:
    """Search the logs of sessions: what people typed, what agents said, called and were answered.

    Words are found as `search` finds them: one is enough, rare ones count more, Chinese needs no
    spaces. Without --since, the logs that changed in the last 30 days. Ends with 1 for no find.

    Examples:
      mvault sessions search idempotency key
      mvault sessions search 支付回调 --in user --since 2026-09-01
      mvault sessions search "exit code 1" --session 7f3a --in result
    """
    from vault_cli.recall.log_search import LogSearch, Passage

    inv: Invocation = ctx.obj
    parts = tuple(said_by or _ROLES)
    if unknown := [part for part in parts if part not in _ROLES]:
        raise UsageError(f"--in {unknown[0]}: no such part", hint=f"Known: {', '.join(_ROLES)}.")
    query = " ".join(words)
    if not query.strip():
        raise UsageError("there is nothing to look for", hint="mvault sessions search WORDS")
    logs, finder = _logs(inv, host, since), LogSearch(query)
    top = str(project_top(inv.cwd)) if here else ""

    def wanted(own: Session) -> bool:
        return own.id.startswith(session) and _is_below(own.cwd, top)

    for log in logs.found:
        for own, event in _events(logs, log, wanted):
            if event.kind in parts:
                text = _text_of(event)
                finder.take(
                    Passage(own, str(log.path), event.place, event.at, event.kind, text, ())
                )
    found = finder.best(limit, lambda text: _fit_to_show(inv, text))
    data = {"passages": [_passage_data(inv, item) for item in found], "logs": len(logs.found)}
    return inv.out.show(
        View(
            data,
            lambda: _passage_lines(found),
            notes=[*([] if found else ["nothing found"]), *_notes(logs, since)],
            exit_code=0 if found else 1,
        )
    )


@sessions.command("list", cls=PanelCommand)
def list_sessions(
    ctx: typer.Context,
    host: Hosts = None,
    since: SinceDay = "",
    here: Here = False,
    limit: Annotated[int, typer.Option("--limit", "-n", min=0, help="Most rows; 0: all.")] = 20,
) -> int:
    """List sessions, the newest first: program, id, where it began, what was first asked.

    Examples:
      mvault sessions list
      mvault sessions list --here --host claude-code --since 2026-11-01
    """
    inv: Invocation = ctx.obj
    logs, top = _logs(inv, host, since), str(project_top(inv.cwd)) if here else ""
    rows: list[dict[str, Any]] = []
    for log in logs.found:
        if limit and len(rows) >= limit:
            break
        row = _opening(inv, logs, log, top)
        if row is not None:
            rows.append(row)

    def lines() -> Iterator[Line]:
        for row in rows:
            head = f"{row['session']}  {row['host']}  {row['at'][:16]}  "
            yield head + cut(inline(row["asked"] or "(nothing was asked)"), _WIDTH)
            yield [("dim", f"    {inline(row['cwd'])}")]

    return inv.out.show(View({"sessions": rows}, lines, notes=_notes(logs, since)))


def _logs(inv: Invocation, host: list[str] | None, since: str) -> _Logs:
    from vault_cli.hosts.transcripts.places import find_logs

    start = read_since(since, now_of(inv))
    found = find_logs(read_hosts(host), inv.environ, since_ns=int(start.timestamp() * 10**9))
    return _Logs(list(found)[::-1], [])


def _events(
    logs: _Logs, log: Found, wanted: Callable[[Session], bool]
) -> Iterator[tuple[Session, Event]]:
    """Yield what happened in a log of a wanted session; what cannot be read is noted."""
    from vault_cli.hosts.transcripts.reading import Log, LogError

    reader = Log(log.path, log.host)
    try:
        for event in reader.events():
            if not wanted(reader.session):
                return
            yield reader.session, event
    except (LogError, OSError, ValueError, TypeError, KeyError, AttributeError) as error:
        logs.problems.append(f"{log.path}: {error}")
    if reader.health.bad or reader.health.damage:
        logs.problems.append(f"{log.path}: {'; '.join(reader.notes)}")


def _is_below(folder: str, top: str) -> bool:
    return not top or f"{folder}/".startswith(f"{top.rstrip('/')}/")


def _opening(inv: Invocation, logs: _Logs, log: Found, top: str) -> dict[str, Any] | None:
    """Return the row of a log: whose, when, and what a person asked first; None: not wanted."""
    row: dict[str, Any] | None = None
    for own, event in _events(logs, log, lambda own: _is_below(own.cwd, top)):
        row = row or {
            "session": _name(own),
            "host": own.host,
            "cwd": _fit_to_show(inv, inline(own.cwd)),
            "at": event.at,
            "subagent": own.is_subagent,
            "log": str(log.path),
            "asked": "",
        }
        if event.kind == "user":
            return {**row, "asked": cut(_fit_to_show(inv, event.text), 4 * _WIDTH)}
    return row


def _text_of(event: Event) -> str:
    from vault_cli.hook.tools import canonical, field_text

    if event.kind == "call":
        return field_text(canonical(event.tool), dict(event.input))
    return event.text


def _fit_to_show(inv: Invocation, text: str) -> str:
    """Return a text as it may be shown: no secrets, and no attack to an agent."""
    from vault_cli.cli.capturing import masked
    from vault_cli.text.scan import scan_wording

    if is_veiled(inv) and any(hit.finding.holds for hit in scan_wording({}, text)):
        return _VEILED
    return masked(text)


def _name(session: Session) -> str:
    """Return a session's id; a log may say anything for one."""
    return session.id if _ID.fullmatch(session.id) else "(odd id)"


def _passage_data(inv: Invocation, passage: Passage) -> dict[str, Any]:
    own = passage.session
    return {
        "session": _name(own),
        "host": own.host,
        "cwd": _fit_to_show(inv, inline(own.cwd)),
        "log": passage.log,
        "place": passage.place,
        "at": passage.at,
        "part": passage.role,
        "subagent": own.is_subagent,
        "text": passage.text,
        "matches": list(passage.words),
        "score": round(passage.score, 3),
    }


def _passage_lines(found: list[Passage]) -> Iterator[Line]:
    for passage in found:
        own = passage.session
        where = f"{_name(own)}#{passage.place}  {own.host}  {passage.at[:16]}  {passage.role}"
        yield [("bold", where)]
        yield f"    {inline(passage.text)}"


def _notes(logs: _Logs, since: str) -> list[str]:
    window = "" if since else " of the last 30 days (--since DAY looks further back)"
    notes = [f"{plural(len(logs.found), 'log')}{window}"]
    notes += [f"not all was read: {problem}" for problem in logs.problems[:_MOST_NAMED]]
    if len(logs.problems) > _MOST_NAMED:
        notes.append(f"and {len(logs.problems) - _MOST_NAMED} more that are damaged")
    return notes
