"""Read session logs and spooled hook events into the queue. May import everything below `cli`."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from vault_cli.errors import VaultError
from vault_cli.features.capture import Benign, Finding, find_all
from vault_cli.hook import events as names
from vault_cli.hook.spool import GIVEN, HIT
from vault_cli.hook.tools import MAIN_FIELDS
from vault_cli.hosts.outcomes import read_sighting
from vault_cli.hosts.transcripts.claude_code import typed_text
from vault_cli.hosts.transcripts.reading import Log, LogError
from vault_cli.hosts.transcripts.stream import Stream
from vault_cli.model.transcript import Event
from vault_cli.recall.echo import Echo
from vault_cli.store.places import state_folder
from vault_cli.store.queue import Queue
from vault_cli.store.queue_base import LogRow, New, Seen
from vault_cli.store.spool import digest_of
from vault_cli.text.exit_words import output_of
from vault_cli.text.halves import without_halves
from vault_cli.text.scan import mask_secrets

if TYPE_CHECKING:
    from vault_cli.cli.invocation import Invocation
    from vault_cli.hook.frames import Frame

READ, SAME, LATER, FAILED, GIVEN_UP = "read", "unchanged", "later", "failed", "dead"
_LONGEST_ID: Final = 200
_LONGEST_PATH: Final = 1000
_UNEXPECTED: Final = (OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError)
"""What a log of a shape nobody has seen may lead to; the other logs are read all the same."""


class Outcome(NamedTuple):
    """What became of one log.

    Args:
        path, host, session: which.
        state: `read`, `unchanged`, `later` (tried a moment ago), `failed` or `dead`.
        new: ids of the items that came to wait by it.
        notes: what was odd.
    """

    path: str
    host: str
    session: str
    state: str
    new: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(slots=True)
class Capture:
    """One run of capturing.

    Args:
        queue: where findings go.
        echo: what mvault said itself.
        is_benign: tells of a failed call that it was no failure.
        now: Unix time.
        heard: ids of the items that came to wait by events of hooks.
    """

    queue: Queue
    echo: Echo
    is_benign: Benign
    now: int
    outcomes: list[Outcome] = field(default_factory=list)
    heard: list[str] = field(default_factory=list)

    def read_log(self, path: Path, host: str = "", *, again: bool = False) -> Outcome:
        """Read what is new in one log.

        Args:
            path: the file.
            host: the program it is of, "" to find out.
            again: also when it failed a moment ago, or too often.
        """
        done = self._read(path.absolute(), host, again=again)
        self.outcomes.append(done)
        return done

    def _read(self, path: Path, host: str, *, again: bool) -> Outcome:
        row = self.queue.log(str(path)) or LogRow(str(path), host)
        try:
            facts = path.stat()
        except OSError as error:
            return self._failed(row, error.strerror or str(error))
        same = (row.size, row.mtime) == (facts.st_size, facts.st_mtime_ns)
        if same and row.read_at and not row.last_error:
            return Outcome(row.path, row.host, row.session, SAME)
        if same and row.last_error and not again and not row.is_due(self.now):
            state = GIVEN_UP if row.dead else LATER
            return Outcome(row.path, row.host, row.session, state, notes=(row.last_error,))
        fresh = row._replace(size=facts.st_size, mtime=facts.st_mtime_ns)
        if not same:
            fresh = fresh._replace(attempts=0, dead=0)
        try:
            return self._take(path, fresh)
        except LogError as error:
            return self._failed(fresh, str(error))
        except _UNEXPECTED as error:
            return self._failed(fresh, f"{type(error).__name__}: {error}")

    def _failed(self, row: LogRow, error: str) -> Outcome:
        failed = self.queue.fail_log(row, error, self.now)
        state = GIVEN_UP if failed.dead else FAILED
        return Outcome(row.path, row.host, row.session, state, notes=(error,))

    def _take(self, path: Path, row: LogRow) -> Outcome:
        start, line = row.offset, row.line
        if start and Stream(path, start).prefix_digest() != row.digest:
            start, line = 0, 1  # it was written anew; what is known already counts once
        log = Log(path, row.host, start, line)
        found = list(find_all(log.events(), self.echo, is_benign=self.is_benign))
        session = log.session
        news = [
            _new(item, session.host, session.id, session.cwd, row.mtime // 10**9) for item in found
        ]
        done = row._replace(
            host=log.host,
            session=session.id,
            cwd=session.cwd,
            offset=log.turn,
            line=log.turn_line,
            digest=Stream(path, log.turn).prefix_digest(),
            done=log.end,
            read_at=self.now,
            notes="\n".join(log.notes),
            attempts=0,
            last_attempt=self.now,
            last_error="",
            dead=0,
        )
        with self.queue.writing() as base:
            waiting = self.queue.add(base, news)
            self.queue.save_log(base, done)
            self.queue.prune(base, self.now)
        return Outcome(row.path, log.host, session.id, READ, tuple(waiting), tuple(log.notes))

    def take_frames(self, frames: Sequence[Frame]) -> None:
        """Take in the events of hooks; of a session whose log can be read, the log instead."""
        for (host, session), own in _by_session(frames).items():
            if any(
                self.read_log(path, again=False).state in (READ, SAME)
                for path in _logs_of(own, host)
            ):
                continue
            self._take_session(host, session, own)

    def _take_session(self, host: str, session: str, own: Sequence[_Heard]) -> None:
        cwd = next((names.folder_of(heard.data) for heard in own), "")
        with self.queue.writing() as base:
            unseen = [heard for heard in own if self.queue.take_frame(base, heard.digest, self.now)]
            if not unseen:
                return
            happened = (event for heard in own for event in _events_of(heard, host))
            found = list(find_all(happened, self.echo, is_benign=self.is_benign, from_hooks=True))
            news = [_new(item, host, session, cwd, self.now) for item in found]
            self.heard += self.queue.add(base, news)


def _new(item: Finding, host: str, session: str, cwd: str, fallback: int) -> New:
    """Return a finding as it is kept: no secret goes into the queue."""
    try:
        at = int(datetime.fromisoformat(item.at).timestamp())
    except ValueError:
        at = fallback
    seen = Seen(host, session[:_LONGEST_ID], item.start, item.end, at)
    text, detail = masked(item.text), mask_detail(item.detail)
    where = cwd[:_LONGEST_PATH]
    return New(item.kind, item.key, text, seen, where, detail, known_only=item.is_echo)


def masked(text: str) -> str:
    """Return a text of a session as it is kept, shown and handed on: without secrets."""
    return mask_secrets(text, personal=True)


def mask_detail(detail: Mapping[str, Any]) -> dict[str, Any]:
    """Return the details of an item, its texts without secrets."""
    return {
        key: masked(value) if isinstance(value, str) else value for key, value in detail.items()
    }


class _Heard(NamedTuple):
    """A frame whose payload could be read."""

    time: int
    event: str
    data: Mapping[str, Any]
    digest: str


def _by_session(frames: Iterable[Frame]) -> dict[tuple[str, str], list[_Heard]]:
    found: dict[tuple[str, str], list[_Heard]] = {}
    for frame in frames:
        if frame.event in (GIVEN, HIT):
            continue
        try:
            data = without_halves(json.loads(frame.raw))
        except (ValueError, RecursionError):
            continue
        session = names.session_of(data)
        if session:
            heard = _Heard(frame.time, frame.event, data, digest_of(frame))
            found.setdefault((frame.host, session), []).append(heard)
    return found


def _logs_of(own: Iterable[_Heard], host: str) -> list[Path]:
    """Return the logs that a session's hooks named and that are there."""
    if host not in (names.CLAUDE, names.CODEX, names.DSH):
        return []
    paths = dict.fromkeys(names.text_of(heard.data, "transcript_path") for heard in own)
    return [Path(path) for path in paths if path.startswith("/") and Path(path).is_file()]


def _events_of(heard: _Heard, host: str) -> Iterator[Event]:
    """Yield what a hook's event says happened; prompts of agents are nobody's."""
    data, at = heard.data, datetime.fromtimestamp(heard.time).astimezone().isoformat()
    if heard.event == names.PROMPT:
        text = typed_text(names.prompt_of(data))
        if text and not names.is_subagent(data):
            yield Event("user", heard.time, at, text)
    elif heard.event in (names.STOP, names.SUBAGENT_STOP):
        said = names.text_of(data, "last_assistant_message", "prompt_response")
        if said and heard.event == names.STOP:
            yield Event("agent", heard.time, at, said)
    elif heard.event in (names.POST_TOOL, names.TOOL_FAILURE):
        yield from _result_of(heard, host, at)


def _result_of(heard: _Heard, host: str, at: str) -> Iterator[Event]:
    """Yield how a tool call ended, as far as the host tells its hooks."""
    call = read_sighting(host, heard.event, heard.data, heard.time, heard.digest)
    if call is not None:
        yield Event(
            "result",
            heard.time,
            at,
            output_of(call.text),
            call.tool,
            failed=None if call.interrupted else call.failed,
            exit_code=call.exit_code,
            input={MAIN_FIELDS.get(call.tool, "input"): call.given},
        )


def make_benign(inv: Invocation) -> Benign:
    """Return what tells of a failed call that it was none (`guard.benign` of the settings)."""
    from vault_cli.features.failures import read_benign, why_benign
    from vault_cli.model.sighting import Sighting

    try:
        lines = read_benign(inv.reading.config["guard.benign"])
    except (VaultError, KeyError):
        lines = read_benign(())

    def is_benign(tool: str, command: str, text: str, code: int | None) -> bool:
        seen = Sighting("", 0, "", "", "", tool, command, failed=True, exit_code=code, text=text)
        return bool(why_benign(seen, lines))

    return is_benign


def make_echo(inv: Invocation) -> Echo:
    """Return what mvault said itself: what was injected, and the records that may be shown."""
    from vault_cli.hook import injected

    marks = injected.load(str(state_folder()))
    try:
        reading = inv.reading
        records = [*reading.snapshot().records]
    except VaultError:
        records = []
    return Echo(marks, records)
