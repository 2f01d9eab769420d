"""Observations: what was seen of records in use, and their sums. Standard library and `model`.

An observation is one line of `usage/<machine>.jsonl`. The sums are a function of the *set* of lines
of all machines: neither their order nor a line that stands twice after a merge changes them.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import date, datetime, timedelta
from typing import Any, Final, NamedTuple

from vault_cli.model.record import Tally

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
    if kind in _USES and not found.ids:
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
    """Tell whether a text is an instant in UTC as we write them, of a year that can be."""
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return False
    is_plain = text[-1] == "Z" and len(text) > len("2026-11-30T") and text[4] == "-"
    return is_plain and _FIRST_YEAR <= moment.year < _LAST_YEAR


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


class Sums(NamedTuple):
    """What observations come to.

    Args:
        tallies: by record id.
        claims: judgements that did not count, by record id: an agent's without a citation of
            what its session was shown.
        first_late: the first day of what is from the future and did not count yet, "" for none.
        last_day: the last day that counted.
    """

    tallies: Mapping[str, Tally]
    claims: Mapping[str, int]
    first_late: str = ""
    last_day: str = ""

    def holds_on(self, today: date) -> bool:
        """Tell whether the sums are the same on this day as on the day they were made."""
        limit = _limit_of(today)
        return self.last_day <= limit and (not self.first_late or self.first_late > limit)


def _limit_of(today: date) -> str:
    """Return the last day that counts: a clock may be a day ahead, in another time zone."""
    return (today + timedelta(days=1)).isoformat()


def is_late(observation: Observation, today: date) -> bool:
    """Tell whether an observation claims a day that has not come yet."""
    return observation.day > _limit_of(today)


def fold(pool: Iterable[Kept], today: date, *, settled: bool = False) -> Sums:
    """Return the sums of a pool; the same for every order of it.

    A person's word and a guard's match count as they stand. What an agent says counts once for
    each record and session (an outcome for each task), and only when its session was shown the
    record and cited it.

    Args:
        pool: distinct observations.
        today: what claims a later day than tomorrow does not count.
        settled: only what a watermark has taken in.
    """
    return _Fold(pool, _limit_of(today), settled=settled).sums()


class _Fold:
    """One pass that sorts the observations out, and one over what is left.

    Rows are taken apart instead of asked by name: there may be 100,000 of them.
    """

    def __init__(self, pool: Iterable[Kept], limit: str, *, settled: bool) -> None:
        self.uses: list[Kept] = []
        self.undone: set[tuple[str, str]] = set()
        self.renders: Counter[str] = Counter()
        self.contents: dict[str, set[str]] = {}
        self.shown: dict[str, set[str]] = {}
        self.first_late = self.last_day = ""
        late, last = "", ""
        for item in pool:
            row, machine, is_settled = item
            if settled and not is_settled:
                continue
            kind, day = row[0], row[1][:10]
            if day > limit:
                late = min(late or day, day)
                continue
            last = max(last, day)
            if kind in _USES:
                self.uses.append(item)
            elif kind == EXPOSURE:
                self._expose(row)
            elif kind == UNDO:
                self.undone.add((machine, row.of))
        self.first_late, self.last_day = late, last

    def _expose(self, seen: Observation) -> None:
        name = seen.receipt or f"#{seen.key}"
        self.renders[name] += 1
        if seen.ids:
            self.contents.setdefault(name, set()).update(seen.ids)
        if seen.session:
            self.shown.setdefault(seen.session, set()).add(name)

    def sums(self) -> Sums:
        """Return what it all comes to."""
        counts: dict[str, list[int]] = {}
        days: dict[str, str] = {}
        claims: Counter[str] = Counter()
        agents: dict[tuple[str, str, str, str, str], str] = {}
        undone = self.undone
        for row, machine, _ in self.uses:
            kind, at, key, ids, who, session, _, result, _, _, task = row
            if undone and (machine, key) in undone:
                continue
            for record_id in ids:
                if who == AGENT:
                    once = (session, record_id, kind, result, task)
                    agents[once] = max(agents.get(once, ""), at)
                else:
                    _count(counts, days, record_id, _PLACES[kind, result], at)
        cited = self._cited({(s, r) for s, r, kind, _, _ in agents if kind == CITATION})
        for (session, record_id, kind, result, _), at in agents.items():
            if (session, record_id) in cited:
                _count(counts, days, record_id, _PLACES[kind, result], at)
            else:
                claims[record_id] += 1
        for name, shown in self.contents.items():
            for record_id in shown:
                counts.setdefault(record_id, [0] * 7)[0] += self.renders[name]
        tallies = {
            key: Tally._make((*row, days.get(key, ""))) for key, row in sorted(counts.items())
        }
        return Sums(tallies, dict(sorted(claims.items())), self.first_late, self.last_day)

    def _cited(self, named: set[tuple[str, str]]) -> set[tuple[str, str]]:
        """Return what sessions cited and had been shown."""
        shown: dict[str, set[str]] = {"": set()}
        for session in {session for session, _ in named} - {""}:
            names = self.shown.get(session, ())
            shown[session] = set().union(*(self.contents.get(name, ()) for name in names))
        return {(session, key) for session, key in named if key in shown[session]}


def _count(
    counts: dict[str, list[int]], days: dict[str, str], record_id: str, place: int, at: str
) -> None:
    row = counts.get(record_id)
    if row is None:
        row = counts[record_id] = [0] * 7
    row[place] += 1
    day = at[:10]
    if day > days.get(record_id, ""):
        days[record_id] = day


_USES: Final = frozenset(USES)
_PLACES: Final = {
    (CITATION, ""): 1,
    (HELPFUL, ""): 2,
    (HARMFUL, ""): 3,
    (HIT, ""): 4,
    (OUTCOME, "succeeded"): 5,
    (OUTCOME, "failed"): 6,
}
"""Which field of a tally an observation counts for."""


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
