"""Frozen questions and the records that must answer them. May import `recall`, `text`, `model`.

`eval/cases.toml` holds the cases, `eval/baseline.json` what came of them when a person or CI last
said that it is good enough. No model is asked: the search of the vault is what is measured.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from hashlib import sha256
from typing import Any, Final, NamedTuple

from vault_cli.errors import UsageError
from vault_cli.model.record import ENDED, Record, Snapshot
from vault_cli.model.shares import Share, paired_chance

CASES: Final = "eval/cases.toml"
BASELINE: Final = "eval/baseline.json"
TOP: Final = 3
"""A case passes when an expected record is among so many of the best."""

MOST: Final = 10
"""So many hits of each question are looked at."""

_HEAD: Final = (
    "# Questions, and the records that must be found. `mvault eval run` asks them.\n"
    "# A case is frozen: change none to make it pass; add another one.\n"
)


class Case(NamedTuple):
    """A question and what must be found.

    Args:
        question: as somebody would ask it.
        expect: ids; one of them is enough.
        key: name of the case; digest of the question and of what it expects.
    """

    question: str
    expect: tuple[str, ...]
    key: str


class Found(NamedTuple):
    """What came of a case.

    Args:
        case: which.
        place: rank of the first record that was expected, from 1; 0: not among the best `MOST`.
        id: of that record; a successor in force stands for what was expected.
        best: id of the first hit, "" for none.
    """

    case: Case
    place: int
    id: str
    best: str

    @property
    def passed(self) -> bool:
        """Whether it was found among the first `TOP`."""
        return 0 < self.place <= TOP


Ask = Callable[[str], Sequence[Record]]
"""Gives the best records for a question, the best first."""


def case_key(question: str, expect: Sequence[str]) -> str:
    """Return the name of a case: another question, or another answer, is another case."""
    text = "\0".join((" ".join(question.split()), *sorted(set(expect))))
    return sha256(text.encode("utf-8", "replace")).hexdigest()[:12]


def read_cases(data: bytes) -> list[Case]:
    """Read `eval/cases.toml`.

    Raises:
        UsageError: it is no TOML of that form; the message says what and where.
    """
    import tomllib

    try:
        whole = tomllib.loads(data.decode("utf-8-sig"))
    except (UnicodeDecodeError, tomllib.TOMLDecodeError, RecursionError) as error:
        raise UsageError(f"{CASES} cannot be read: {error}", hint="Correct the file.") from error
    rows = whole.get("case", [])
    if not isinstance(rows, list):
        raise UsageError(f"{CASES}: cases stand under [[case]]", hint="mvault eval add QUESTION")
    found: dict[str, Case] = {}
    for number, row in enumerate(rows, 1):
        case = _read_case(row, number)
        found.setdefault(case.key, case)
    return list(found.values())


def _read_case(row: Any, number: int) -> Case:
    fields: Mapping[str, Any] = row if isinstance(row, Mapping) else {}
    question, expect = fields.get("question"), fields.get("expect")
    ids = [expect] if isinstance(expect, str) else expect
    if not isinstance(question, str) or not question.strip():
        raise UsageError(f"{CASES}: case {number} has no question", hint='question = "…"')
    if not isinstance(ids, list) or not ids or not all(isinstance(i, str) and i for i in ids):
        raise UsageError(f"{CASES}: case {number} expects no record", hint='expect = ["l-7k3qd2m"]')
    return Case(question.strip(), tuple(ids), case_key(question, ids))


def with_case(data: bytes, question: str, expect: Sequence[str]) -> bytes:
    """Return the file with one more case; the same bytes when it is there already.

    Raises:
        UsageError: no question, or what is there cannot be read.
    """
    text = " ".join(question.split())
    if not text:
        raise UsageError("a case needs a question", hint='mvault eval add "…" --expect ID')
    if case_key(text, expect) in {case.key for case in read_cases(data)}:
        return data
    quoted = [_toml_text(item) for item in (text, *expect)]
    block = f"\n[[case]]\nquestion = {quoted[0]}\nexpect = [{', '.join(quoted[1:])}]\n"
    before = data.decode("utf-8-sig") if data else _HEAD
    return f"{before.rstrip()}\n{block}".encode()


def _toml_text(text: str) -> str:
    """Return a basic string of TOML: a JSON string, in which DEL stands escaped, too."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007F")


def run_cases(snapshot: Snapshot, cases: Sequence[Case], ask: Ask) -> list[Found]:
    """Ask every case.

    Args:
        snapshot: the vault, for who has taken the place of whom.
        cases: what to ask.
        ask: the search.
    """
    by_id = snapshot.by_id
    heirs = {old: record.id for record in snapshot.records if record.in_force
             for old in record.supersedes}  # fmt: skip
    heirs |= {
        record.id: str(record.fields["superseded_by"])
        for record in snapshot.records
        if record.status in ENDED and record.fields.get("superseded_by")
    }
    found = []
    for case in cases:
        good = {key for one in case.expect for key in _line(one, heirs)} & by_id.keys()
        hits = [record.id for record in ask(case.question)[:MOST]]
        place = next((n for n, key in enumerate(hits, 1) if key in good), 0)
        found.append(Found(case, place, hits[place - 1] if place else "", hits[0] if hits else ""))
    return found


def _line(key: str, heirs: Mapping[str, str]) -> Iterator[str]:
    """Yield an id and those that took its place, one after another."""
    seen: set[str] = set()
    while key and key not in seen:
        seen.add(key)
        yield key
        key = heirs.get(key, "")


class Report(NamedTuple):
    """What a run comes to, against the baseline.

    Args:
        found: of every case.
        before: of the baseline: name of each case to its place.
    """

    found: tuple[Found, ...]
    before: Mapping[str, int] | None

    @property
    def top1(self) -> Share:
        """Cases whose record came first."""
        return Share(sum(item.place == 1 for item in self.found), len(self.found))

    @property
    def passed(self) -> Share:
        """Cases whose record was among the first `TOP`."""
        return Share(sum(item.passed for item in self.found), len(self.found))

    @property
    def worse(self) -> list[Found]:
        """Cases that passed in the baseline and do not any more."""
        old = self.before or {}
        return [f for f in self.found if 0 < old.get(f.case.key, 0) <= TOP and not f.passed]

    @property
    def missing(self) -> list[str]:
        """Names of cases of the baseline that nobody asks any more."""
        return sorted(set(self.before or {}) - {item.case.key for item in self.found})

    @property
    def is_below(self) -> bool:
        """Whether fewer of the baseline's cases pass than did; one taken out does not pass."""
        old = self.before or {}
        now = sum(item.passed for item in self.found if item.case.key in old)
        return now < sum(0 < place <= TOP for place in old.values())

    def data(self) -> dict[str, Any]:
        """Return the promised JSON shape."""
        old = self.before or {}
        return {
            "cases": [
                {
                    "key": item.case.key,
                    "question": item.case.question,
                    "expect": list(item.case.expect),
                    "place": item.place,
                    "found": item.id,
                    "best": item.best,
                    "passed": item.passed,
                    "before": old.get(item.case.key),
                }
                for item in self.found
            ],
            "top1": self.top1.data(),
            "top3": self.passed.data(),
            "baseline": self.before is not None,
            "worse": [item.case.key for item in self.worse],
            "missing": self.missing,
            "below": self.is_below,
        }


def read_baseline(data: bytes) -> dict[str, int]:
    """Read `eval/baseline.json`: name of each case to its place.

    Raises:
        UsageError: it has another form.
    """
    try:
        rows = json.loads(data.decode("utf-8"))["cases"]
        found = {str(key): int(place) for key, place in rows.items()}
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise UsageError(
            f"{BASELINE} is no baseline", hint="Write it anew: mvault eval run --baseline"
        ) from error
    return found


def write_baseline(found: Sequence[Found]) -> bytes:
    """Return the bytes of a baseline: sorted, one case a line, so that a diff tells what moved."""
    rows = {item.case.key: item.place for item in sorted(found, key=lambda f: f.case.key)}
    whole = {"schema": 1, "top": TOP, "cases": rows}
    return (json.dumps(whole, indent=1, ensure_ascii=False) + "\n").encode()


class Compared(NamedTuple):
    """Answers to the same cases with and without the vault, judged elsewhere.

    Args:
        both, only_with, only_without, neither: pairs, by which of the two was right.
        alone: names of cases of which only one of the two is there.
    """

    both: int
    only_with: int
    only_without: int
    neither: int
    alone: tuple[str, ...]

    def data(self) -> dict[str, Any]:
        """Return the promised JSON shape."""
        total = self.both + self.only_with + self.only_without + self.neither
        chance = paired_chance(self.only_with, self.only_without)
        return {
            "pairs": total,
            "with": Share(self.both + self.only_with, total).data(),
            "without": Share(self.both + self.only_without, total).data(),
            "better_with": self.only_with,
            "worse_with": self.only_without,
            "chance": None if chance is None else round(chance, 4),
            "alone": list(self.alone),
        }


def compare_answers(text: str) -> Compared:
    """Read verdicts, one JSON object a line: `{"case": KEY, "memory": true, "ok": false}`.

    Args:
        text: the lines; blank ones are passed over. The last verdict on a case counts.

    Raises:
        UsageError: a line is none.
    """
    found: dict[str, dict[bool, bool]] = {}
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
            key, memory, good = row["case"], row["memory"], row["ok"]
        except (ValueError, KeyError, TypeError, RecursionError) as error:
            raise _no_verdict(number) from error
        if not (isinstance(key, str) and isinstance(memory, bool) and isinstance(good, bool)):
            raise _no_verdict(number)
        found.setdefault(key, {})[memory] = good
    pairs = [(row[True], row[False]) for row in found.values() if len(row) == 2]  # noqa: PLR2004
    counts = [pairs.count(kind) for kind in ((True, True), (True, False), (False, True))]
    alone = sorted(key for key, row in found.items() if len(row) == 1)
    both, better, worse = counts
    return Compared(both, better, worse, len(pairs) - sum(counts), tuple(alone))


def _no_verdict(number: int) -> UsageError:
    return UsageError(
        f"line {number} is no verdict",
        hint='One JSON object a line: {"case": "KEY", "memory": true, "ok": false}',
    )
