"""Observations: what was seen of records in use. Standard library only.

An observation is one line of `usage/<machine>.jsonl`; `model.sums` adds them up.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import date, datetime, timedelta
from typing import Any, Final, NamedTuple

EXPOSURE: Final = "exposure"
CITATION: Final = "citation"
HELPFUL: Final = "helpful"
HARMFUL: Final = "harmful"
HIT: Final = "hit"
OUTCOME: Final = "outcome"
UNDO: Final = "undo"
WATERMARK: Final = "watermark"

USES: Final = (CITATION, HELPFUL, HARMFUL, HIT, OUTCOME)
"""Kinds that say something about the use of a record, in the order they are told."""

KINDS: Final = frozenset({EXPOSURE, *USES, UNDO, WATERMARK})
RESULTS: Final = ("succeeded", "failed")
"""What an outcome can be."""

PERSON: Final = "person"
AGENT: Final = "agent"
GUARD: Final = "guard"
WITNESSES: Final = (PERSON, AGENT, GUARD)
"""Who may say something: a person, an agent, a compiled guard that matched."""

MAX_LINE: Final = 1 << 18
"""Bytes of the longest line that is read."""

MAX_IDS: Final = 2000
"""Most records one line names; an exposure of more is written as several lines."""

MAX_NOTE: Final = 500
MAX_SESSION: Final = 200
_MAX_TEXT: Final = 200
_FIRST_YEAR, _LAST_YEAR = 2000, 2200


class Observation(NamedTuple):
    """One thing that was seen.

    Args:
        kind: a member of `KINDS`.
        at: ISO instant in UTC (`2026-11-30T10:02:11Z`).
        key: random, so that two alike are two; an undo names it.
        ids: the records it is about. An exposure may leave them out when an earlier line of the
            vault names the ids of the same receipt.
        who: a member of `WITNESSES`.
        session: id of the agent's session, "" for none.
        receipt: digest of the block that was shown (exposures), or that a citation is about.
        result: of an outcome, a member of `RESULTS`.
        note: a person's or agent's words, never shown to an agent.
        of: key of what an undo takes back.
        task: id of the task that an outcome is of, "" for none.
    """

    kind: str
    at: str
    key: str
    ids: tuple[str, ...] = ()
    who: str = PERSON
    session: str = ""
    receipt: str = ""
    result: str = ""
    note: str = ""
    of: str = ""
    task: str = ""

    @property
    def day(self) -> str:
        """The calendar day in UTC."""
        return self.at[:10]


class LineError(ValueError):
    """A line is no observation; the text says why."""


def write_line(observation: Observation) -> bytes:
    """Return the observation as one line of JSON with its line feed; what is empty is left out."""
    data = {name: value for name, value in observation._asdict().items() if value}
    if observation.kind == WATERMARK:
        data.pop("who", None)
    return json.dumps(data, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"


def read_line(line: bytes) -> Observation:
    """Read one line without its line feed; unknown keys are passed over.

    Raises:
        LineError: it is none, or a value is not what it must be.
    """
    if len(line) > MAX_LINE:
        raise LineError(f"longer than {MAX_LINE >> 10} KiB")
    try:
        data = json.loads(line.decode("utf-8"))
    except UnicodeDecodeError as error:
        raise LineError("not UTF-8") from error
    except (ValueError, RecursionError) as error:
        raise LineError("not one whole JSON object") from error
    if not isinstance(data, dict):
        raise LineError("not a JSON object")
    return _read_fields(data)


def _read_fields(data: Mapping[str, Any]) -> Observation:
    get = data.get
    texts = [get(name, "") for name in _TEXTS]
    try:
        length = len("".join(texts))  # most lines: all are texts, and short
    except TypeError:
        length = MAX_LINE
    if length > _MAX_TEXT:
        _require_texts(data)
    kind, at, key, who, session, receipt, result, note, of, task = texts
    if kind not in KINDS:
        raise LineError(f"unknown kind {kind[:40]!r}" if kind else "it has no kind")
    if not is_instant(at):
        raise LineError("`at` is not an instant such as 2026-11-30T10:02:11Z")
    ids = _ids(get("ids", ()))
    found = Observation(kind, at, key, ids, who or PERSON, session, receipt, result, note, of, task)
    if found.who not in WITNESSES:
        raise LineError("unknown `who`")
    why = _missing(found)
    if why:
        raise LineError(why)
    return found


_TEXTS: Final = ("kind", "at", "key", "who", "session", "receipt", "result", "note", "of", "task")


def _require_texts(data: Mapping[str, Any]) -> None:
    """Raise LineError unless every text is one, and none is too long."""
    for name in _TEXTS:
        value = data.get(name, "")
        if not isinstance(value, str):
            raise LineError(f"`{name}` is not a text")
        most = MAX_NOTE if name == "note" else _MAX_TEXT
        if len(value) > most:
            raise LineError(f"`{name}` has more than {most} characters")


def _missing(found: Observation) -> str:
    """Return what an observation of its kind lacks, "" when it is whole."""
    kind = found.kind
    if kind != WATERMARK and not found.key:
        return "it has no key"
    if kind == UNDO and not found.of:
        return "it does not say what it takes back"
    if kind == EXPOSURE and not (found.ids or found.receipt):
        return "it names neither records nor a receipt"
    if kind in USES and not found.ids:
        return "it names no record"
    if (found.result not in RESULTS) if kind == OUTCOME else found.result:
        return f"`result` belongs to an outcome and is one of {', '.join(RESULTS)}"
    return ""


def _ids(value: object) -> tuple[str, ...]:
    if not isinstance(value, list | tuple) or len(value) > MAX_IDS:
        raise LineError(f"`ids` is no list of at most {MAX_IDS} texts")
    for item in value:
        if type(item) is not str or not 0 < len(item) <= _MAX_TEXT or not item.isprintable():
            raise LineError("`ids` holds something that is no id")
    return tuple(dict.fromkeys(value)) if len(value) > 1 else tuple(value)


def is_instant(text: str) -> bool:
    """Tell whether a text is an instant in UTC as we write them, of a year that can be.

    Other forms of ISO 8601 (weeks, no seconds, fractions) are none: their first ten characters are
    no day, and days are compared as texts.
    """
    if _INSTANT.fullmatch(text) is None:
        return False
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return False
    return _FIRST_YEAR <= moment.year < _LAST_YEAR


_INSTANT: Final = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z")


def keep_known(seen: Observation, known: Collection[str], strange: set[str]) -> Observation | None:
    """Return an observation with the ids of records that there are; None when nothing is left.

    What takes another back, moves the watermark, or says that a receipt was shown is kept: it
    speaks about lines, and costs no more than its own.

    Args:
        seen: as its line says.
        known: ids of the records that there are.
        strange: gets the ids of the others.
    """
    ids = tuple(key for key in seen.ids if key in known)
    if len(ids) == len(seen.ids):
        return seen
    strange.update(key for key in seen.ids if key not in known)
    if not ids and (seen.kind in USES or (seen.kind == EXPOSURE and not seen.receipt)):
        return None
    return seen._replace(ids=ids)


class Kept(NamedTuple):
    """An observation in the pool of all machines.

    Args:
        seen: the observation.
        machine: whose file it stands in (of several the first by name).
        settled: whether a watermark of a file it stands in lies behind it.
    """

    seen: Observation
    machine: str
    settled: bool


def last_day(today: date) -> str:
    """Return the last day that counts: a clock may be a day ahead, in another time zone."""
    return (today + timedelta(days=1)).isoformat()


def is_late(observation: Observation, today: date) -> bool:
    """Tell whether an observation claims a day that has not come yet."""
    return observation.day > last_day(today)


def was_shown(pool: Iterable[Kept], session: str, record_id: str) -> bool:
    """Tell whether a session was shown a record, as far as the observations go."""
    own = [item.seen for item in pool if item.seen.kind == EXPOSURE]
    names = {seen.receipt for seen in own if seen.session == session and seen.receipt}
    return bool(session) and any(
        record_id in seen.ids and (seen.session == session or seen.receipt in names) for seen in own
    )


def split_ids(ids: Sequence[str]) -> list[tuple[str, ...]]:
    """Return the ids in parts that one line can name."""
    return [tuple(ids[start : start + MAX_IDS]) for start in range(0, len(ids), MAX_IDS)]


def count_uses(observations: Iterable[Observation]) -> int:
    """Return how many observations can change a block: all but exposures and watermarks."""
    return sum(seen.kind not in (EXPOSURE, WATERMARK) for seen in observations)
