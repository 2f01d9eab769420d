"""Query + Snapshot to Selection: who is eligible, in which order, a reason each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from fnmatch import fnmatchcase
from operator import itemgetter
from typing import NamedTuple

from vault_cli.model.record import Kind, Record, Snapshot
from vault_cli.model.support import ORPHANED, Support
from vault_cli.model.tables import GROUPS, SCOPE_LEVELS, USER_ROLE
from vault_cli.recall.retention import newest_use
from vault_cli.recall.score import RELEVANCE_FLOOR, Score, query_words, score_record
from vault_cli.recall.support import judge_supports
from vault_cli.recall.together import settle_vaults
from vault_cli.recall.topics import TopicTable
from vault_cli.recall.wording import STALE_CODE, count_words

ON_REQUEST = frozenset(
    {
        Kind.HYPOTHESIS,
        Kind.DECISION,
        Kind.TOPIC,
        Kind.TASK,
        Kind.TICKET,
        Kind.REFLECTION,
    }
)
"""Kinds that are rendered only when `Query.kinds` asks for them."""

_KIND_GROUPS = {
    Kind.FAILURE: "failures",
    Kind.LESSON: "lessons",
    Kind.RECIPE: "recipes",
    Kind.SKILL: "skills",
    Kind.HANDOFF: "handoff",
}
_ALWAYS_RELEVANT = frozenset(
    {
        "handoff",
        "persona",
        "profile",
        "corrections",
        "failures",
        "required",
        "checklist",
        "conflicts",
    }
)


FindStale = Callable[[Sequence[Record]], Collection[tuple[str, str]]]
"""Gives vault and path of those records of whom code has changed."""


@dataclass(frozen=True, slots=True)
class Query:
    """What a render asks for.

    Args:
        now: aware instant in the vault's time zone (decides validity; only its calendar day
            and exact ends matter).
        text: the prompt or task at hand; ranks relevant records first in mode `assist`.
        mode: `assist`, `strict` or `off`.
        scopes: scope levels that are read (`global`, `project`, `session`).
        project: project id of the working directory, "" for none.
        session: session id, "" for none.
        topics: only these topics, by any of their names (empty: all).
        kinds: only these kinds (empty: all that are rendered).
        branch: git branch of the working directory; "" when unknown, then `Record.branch` does
            not count.
        curve: how what nobody uses fades (`recall.retention`).
        find_stale: port to the code that records speak about; not asked about a past commit,
            since nobody knows what the code was then. It only puts marks.
    """

    now: datetime
    text: str = ""
    mode: str = "assist"
    scopes: tuple[str, ...] = SCOPE_LEVELS
    project: str = ""
    session: str = ""
    topics: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()
    branch: str = ""
    curve: str = "power"
    find_stale: FindStale | None = field(default=None, compare=False, repr=False)


INTACT_SUPPORT = Support()


class Pick(NamedTuple):
    """A record that may be rendered, with its group and what it is worth.

    Args:
        relevant: whether it fits the query's text (always true without one, and for groups that
            must be known whatever the task is).
        partners: records of this selection it is in mutual conflict with, as (id, type).
        support: how well what it rests on still holds.
        topic: name of the topic it stands under, "" for none or a disabled one.
        stale: whether code it speaks about has changed since; marked, never a reason to leave out.
        counts: what was observed of its use, in words.
    """

    record: Record
    group: str
    worth: Score
    relevant: bool = True
    partners: tuple[tuple[str, str], ...] = ()
    support: Support = INTACT_SUPPORT
    topic: str = ""
    stale: bool = False
    counts: str = ""

    @property
    def aside(self) -> str:
        """What its line says besides: changed code, and what was observed of its use."""
        return "; ".join(filter(None, (STALE_CODE if self.stale else "", self.counts)))

    @property
    def score(self) -> float:
        """Its rank value within its group."""
        return self.worth.value

    @property
    def reason(self) -> str:
        """The reason for its place, in words."""
        why = self.support.describe()
        words = self.worth.describe()
        words += ", stale: its code has changed" if self.stale else ""
        return f"{words}, {self.support.state}: {why}" if why else words


class Exclusion(NamedTuple):
    """A record in force that is not eligible here, and why.

    Args:
        code: `scope`, `branch`, `kind`, `topic`, `scheduled`, `expired`, `ambiguous`, `held`,
            `trust`, or (of two vaults) `shadowed`, `superseded`.
    """

    record: Record
    reason: str
    code: str = ""


class Selection(NamedTuple):
    """Ranked picks in group order, and the records in force that were excluded with reasons."""

    picks: tuple[Pick, ...]
    excluded: tuple[Exclusion, ...]


def select_records(snapshot: Snapshot, query: Query) -> Selection:
    """Choose and rank; deterministic: ties end at the record id.

    Of observations those count that a watermark has taken in. What is withheld or held is named
    among the excluded and has no other say: not by its topics, its id or what it rests on.
    """
    snapshot = snapshot.at_watermark()
    table = TopicTable(snapshot.records)
    eligible, excluded = _divide(snapshot, query, table)
    excluded.sort(key=lambda item: (item.record.id, item.record.path))
    picks = _rank(eligible, snapshot, query, table)
    if query.find_stale is not None and not snapshot.commit:
        picks = _with_stale(picks, query.find_stale)
    return Selection(picks, tuple(excluded))


def judge_some(snapshot: Snapshot, query: Query, records: Sequence[Record]) -> list[Record]:
    """Return those of some records that are eligible, as `divide_records` would have it.

    Of one vault only they are judged; of two all are, since records of one may beat the other's.
    """
    wanted = {(record.id, record.vault) for record in records}
    if any(vault for _, vault in wanted):
        eligible = divide_records(snapshot, query)[0]
        return [record for record in eligible if (record.id, record.vault) in wanted]
    counts = Counter(r.id for r in snapshot.records if (r.id, "") in wanted and not r.is_silent)
    twice = frozenset((key, "") for key, number in counts.items() if number > 1)
    judge = _Judge(query, twice, TopicTable(snapshot.records if query.topics else ()))
    return [record for record in records if record.in_force and not judge.verdict(record)[0]]


def rank_records(snapshot: Snapshot, query: Query, records: Sequence[Record]) -> Selection:
    """Rank some records that `divide_records` found eligible, and only those.

    Records that contradict each other belong together: whoever picks some gives their partners too.
    """
    snapshot = snapshot.at_watermark()
    picks = _rank(list(records), snapshot, query, TopicTable(snapshot.records))
    if query.find_stale is not None and not snapshot.commit:
        picks = _with_stale(picks, query.find_stale)
    return Selection(picks, ())


def _with_stale(picks: tuple[Pick, ...], find_stale: FindStale) -> tuple[Pick, ...]:
    """Return the picks with those marked whose code has changed; the order stays."""
    anchored = [pick.record for pick in picks if "anchors" in pick.record.fields]
    stale = find_stale(anchored) if anchored else ()
    if not stale:
        return picks
    return tuple(
        pick._replace(stale=True) if (pick.record.vault, pick.record.path) in stale else pick
        for pick in picks
    )


def divide_records(snapshot: Snapshot, query: Query) -> tuple[list[Record], list[Exclusion]]:
    """Return the records in force that are eligible, and the others, without ranking.

    Of each record only what `list` knows is looked at (unless the query names topics).
    """
    return _divide(snapshot, query, TopicTable(snapshot.records if query.topics else ()))


def _divide(
    snapshot: Snapshot, query: Query, table: TopicTable
) -> tuple[list[Record], list[Exclusion]]:
    counts = Counter((r.id, r.vault) for r in snapshot.records if not r.is_silent)
    judge = _Judge(query, frozenset(key for key, n in counts.items() if n > 1), table)
    eligible: list[Record] = []
    excluded: list[Exclusion] = []
    for record in snapshot.records:
        if not record.in_force:
            continue
        code, reason = judge.verdict(record)
        if code:
            excluded.append(Exclusion(record, reason, code))
        else:
            eligible.append(record)
    eligible, beaten = settle_vaults(eligible)
    excluded += (Exclusion(*lost) for lost in beaten)
    return eligible, excluded


class _Judge:
    """The eligibility rules of one query, prepared once for many records."""

    def __init__(
        self, query: Query, ambiguous: frozenset[tuple[str, str]], table: TopicTable
    ) -> None:
        self._query = query
        self._table = table
        self._ambiguous = ambiguous
        self._kinds = frozenset(query.kinds)

    def verdict(self, record: Record) -> tuple[str, str]:
        """Return (code, reason) of what keeps the record out, or two empty texts."""
        if record.withheld:
            return "trust", record.withheld
        place = self._place(record)
        if place[0]:
            return place
        state = record.validity.state_at(self._query.now)
        if state != "current":
            end = record.validity.start if state == "scheduled" else record.validity.end
            return state, f"{'valid from' if state == 'scheduled' else 'valid to'} {end}"
        if (record.id, record.vault) in self._ambiguous:
            return "ambiguous", "its id stands in several files"
        if record.findings and (held := record.held_by):
            return "held", "held by " + ", ".join(sorted({finding.code for finding in held}))
        return "", ""

    def _place(self, record: Record) -> tuple[str, str]:
        """Judge what makes a record a matter of another place or another question."""
        reason = self._scope(record)
        if reason:
            return "scope", reason
        branch = self._query.branch
        if record.branch and branch and not _on_branch(record, branch):
            return "branch", f"only for branch {', '.join(record.branch)}"
        reason = self._kind(record.kind)
        if reason:
            return "kind", reason
        topics = self._query.topics
        if topics and not any(self._table.has(record, text) for text in topics):
            return "topic", "has none of the topics asked for"
        return "", ""

    def _scope(self, record: Record) -> str:
        query, scope = self._query, record.scope
        if scope.level not in query.scopes:
            return f"scope {scope.level} is not read here"
        if scope.level != "global" and scope.name != _here(query, scope.level):
            return f"scope {scope} is not the {scope.level} at hand"
        return ""

    def _kind(self, kind: Kind) -> str:
        if self._kinds:
            return "" if kind in self._kinds else f"kind {kind} was not asked for"
        return (
            f"kind {kind} is shown on request: render --kind {kind}" if kind in ON_REQUEST else ""
        )


def _here(query: Query, level: str) -> str:
    return query.project if level == "project" else query.session


def _on_branch(record: Record, branch: str) -> bool:
    return any(fnmatchcase(branch, pattern) for pattern in record.branch)


def _rank(
    eligible: list[Record], snapshot: Snapshot, query: Query, table: TopicTable
) -> tuple[Pick, ...]:
    words = query_words(query.text) if query.mode == "assist" else frozenset[str]()
    pairs = mutual_conflicts(eligible)
    supports = judge_supports(snapshot, eligible)
    tallies = snapshot.tallies
    aging = newest_use(tallies.values(), query.curve) if tallies else None
    keyed = []
    for record in eligible:
        score = score_record(record, snapshot.tally(record.id), words, aging=aging)
        pick = _pick(record, score, bool(words), pairs)
        if record.id in tallies:
            pick = pick._replace(counts=count_words(tallies[record.id]))
        if (record.vault, record.id) in supports:
            pick = pick._replace(support=supports[record.vault, record.id])
        if record.topics and pick.group == "rules":
            pick = pick._replace(topic=_topic_of(record, table))
        # What lost all of its support comes behind what still has some, and is left out first;
        # what others have comes behind one's own, however important they find it.
        place = (_POSITION[pick.group] << 1) + (not pick.relevant)
        place = (((place << 1) + bool(record.team)) << 1) + (pick.support.state == ORPHANED)
        keyed.append((record.id, -score.value, (place << 1) + (not score.verified), pick))
    for key in range(3):  # the last one first: a tenth of the cost of comparing tuples
        keyed.sort(key=itemgetter(key))
    return tuple(item[3] for item in keyed)


def _topic_of(record: Record, table: TopicTable) -> str:
    """Return the first of a record's topics that is in use, by the name it is shown by."""
    vault = record.vault
    in_use = (text for text in record.topics if not table.is_disabled(text, vault))
    return next((table.label(text, vault) for text in in_use), "")


_POSITION = {name: place for place, name in enumerate(GROUPS)}


def _pick(
    record: Record,
    score: Score,
    has_words: bool,  # noqa: FBT001 - private, one caller
    pairs: Mapping[str, tuple[tuple[str, str], ...]],
) -> Pick:
    partners = pairs.get(record.id, ())
    group = "conflicts" if partners else group_of(record)
    relevant = not has_words or score.relevance >= RELEVANCE_FLOOR or group in _ALWAYS_RELEVANT
    return Pick(record, group, score, relevant, partners)


def group_of(record: Record) -> str:
    """Return the group of a record that is in no conflict."""
    if record.correction:
        return "corrections"
    if record.kind is Kind.RULE:
        if record.required:
            return "required"
        return "checklist" if record.checklist else "rules"
    if record.kind in ON_REQUEST:
        return "requested"
    if record.kind is Kind.PERSONA:
        return "profile" if record.fields.get("role") == USER_ROLE else "persona"
    return _KIND_GROUPS.get(record.kind, "reference")


def mutual_conflicts(records: list[Record]) -> dict[str, tuple[tuple[str, str], ...]]:
    """Return for each record the others that it names and that name it, as (id, type).

    One-sided claims do not count: a record could take a rule out of force by naming it.
    """
    named = {record.id: dict(record.conflicts) for record in records if record.conflicts}
    found: dict[str, tuple[tuple[str, str], ...]] = {}
    for key, others in named.items():
        both = sorted(other for other in others if other != key and key in named.get(other, ()))
        if both:
            found[key] = tuple((other, _types(others[other], named[other][key])) for other in both)
    return found


def _types(one: str, other: str) -> str:
    return " / ".join(sorted({one, other} - {""}))
