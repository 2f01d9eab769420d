"""What observations come to. Standard library and `model`.

The sums are a function of the *set* of lines of all machines: neither their order nor a line that
stands twice after a merge changes them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from datetime import date
from typing import Final, NamedTuple

from vault_cli.model.observation import (
    AGENT,
    CITATION,
    EXPOSURE,
    HARMFUL,
    HELPFUL,
    HIT,
    OUTCOME,
    UNDO,
    USES,
    Kept,
    Observation,
    last_day,
)
from vault_cli.model.record import Tally

SESSIONS_A_DAY: Final = 3
"""Sessions, or tasks, of agents of one machine that a record gets credit from in a day."""


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
        limit = last_day(today)
        return self.last_day <= limit and (not self.first_late or self.first_late > limit)


def fold(pool: Iterable[Kept], today: date, *, settled: bool = False) -> Sums:
    """Return the sums of a pool; the same for every order of it.

    A person's word and a guard's match count as they stand. What an agent says counts once for
    each record and session (an outcome for each task), and only when its session was shown the
    record and cited it. Nobody can tell a session or a task that an agent made up: of those of one
    machine the first `SESSIONS_A_DAY` of a day count for a record, the others are claims.

    Args:
        pool: distinct observations.
        today: what claims a later day than tomorrow does not count.
        settled: only what a watermark has taken in.
    """
    return _Fold(pool, last_day(today), settled=settled).sums()


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
        agents: dict[_Claim, tuple[str, str]] = {}
        undone = self.undone
        for row, machine, _ in self.uses:
            kind, at, key, ids, who, session, _, result, _, _, task = row
            if undone and (machine, key) in undone:
                continue
            for record_id in ids:
                if who == AGENT:
                    once = (session, record_id, kind, result, task if kind == OUTCOME else "")
                    agents[once] = max(agents.get(once, ("", "")), (at, machine))
                else:
                    _count(counts, days, record_id, _PLACES[kind, result], at)
        cited = self._cited({(s, r) for s, r, kind, _, _ in agents if kind == CITATION})
        credited = _first_sessions({key: said for key, said in agents.items() if key[:2] in cited})
        for claim, (at, _) in agents.items():
            _, record_id, kind, result, _ = claim
            if claim in credited:
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
        """Return what sessions cited and had been shown.

        Each block is a bit. A set of all that each session was shown would cost sessions times
        records, and a file can make both as large as it likes.
        """
        sessions = {session for session, _ in named} - {""}
        keys = {key for _, key in named}
        given = set().union(*(self.shown.get(session, ()) for session in sessions))
        bits: dict[str, int] = {}
        places: dict[str, int] = {}
        for name in given & self.contents.keys():
            here = self.contents[name] & keys
            if here:
                bits[name] = bit = 1 << len(bits)
                for key in here:
                    places[key] = places.get(key, 0) | bit
        seen = {session: self._bits_of(session, bits) for session in sessions}
        return {(s, key) for s, key in named if places.get(key, 0) & seen.get(s, 0)}

    def _bits_of(self, session: str, bits: Mapping[str, int]) -> int:
        found = 0
        for name in self.shown.get(session, ()):
            found |= bits.get(name, 0)
        return found


_Claim = tuple[str, str, str, str, str]
"""Session, record, kind, result, task."""


def _first_sessions(said: Mapping[_Claim, tuple[str, str]]) -> set[_Claim]:
    """Return what counts of what agents said: of each machine the first sessions of a day."""
    taken: Counter[tuple[str, str, str, str, str]] = Counter()
    found = set()
    for (at, machine), key in sorted((place, key) for key, place in said.items()):
        _, record_id, kind, result, _ = key
        day = (machine, at[:10], record_id, kind, result)
        taken[day] += 1
        if taken[day] <= SESSIONS_A_DAY:
            found.add(key)
    return found


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
