"""Truth maintenance: does what a record rests on still hold? Imports `model` only.

A record rests on the records in `derived_from`, on the tasks among its evidence, and on its other
evidence. It is **grounded** when it rests on nothing (somebody simply claims it), on evidence
outside of the vault, or on at least one record that is grounded itself and has not lost its
standing. Being grounded is the least fixed point of this rule, so records that only rest on each
other are not, and neither the order of the files nor a circle changes the outcome.

- **orphaned**: it rests on something, and is not grounded.
- **weakened**: grounded, but some of what it rests on is lost, or is itself weakened.
- **intact**: everything else.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import Final, NamedTuple

from vault_cli.model.evidence import read_evidence
from vault_cli.model.record import Kind, Record, Snapshot, Status
from vault_cli.model.relations import GRADUATES, reach

INTACT: Final = "intact"
WEAKENED: Final = "weakened"
ORPHANED: Final = "orphaned"

NO_SUPPORT: Final = frozenset(
    {
        Status.DISPUTED,
        Status.SUPERSEDED,
        Status.DEPRECATED,
        Status.REJECTED,
        Status.QUARANTINED,
        Status.TOMBSTONED,
    }
)
"""Statuses of records that support nothing any more."""

_OWN_PATH_LETTERS = 7


class Support(NamedTuple):
    """How well a record is supported.

    Args:
        state: `intact`, `weakened` or `orphaned`.
        lost: what no longer supports it, as (id, why).
        weak: ids that support it but are weakened themselves.
    """

    state: str = INTACT
    lost: tuple[tuple[str, str], ...] = ()
    weak: tuple[str, ...] = ()

    def describe(self) -> str:
        """Say what is lost, in words; "" when nothing is."""
        parts = [f"{name} is {why}" for name, why in self.lost]
        parts += [f"{name} is weakened itself" for name in self.weak]
        return ", ".join(parts)


class _Node(NamedTuple):
    record: Record
    links: tuple[str, ...]
    is_premise: bool


def links_of(record: Record) -> tuple[str, ...]:
    """Return the ids a record rests on: `derived_from`, then the tasks among its evidence."""
    if "evidence" not in record.fields:
        return tuple(dict.fromkeys(record.derived_from))
    tasks = [e.values["task"] for e in read_evidence(record.fields)[0] if e.type == "task"]
    return tuple(dict.fromkeys((*record.derived_from, *tasks)))


def _has_outside_evidence(record: Record) -> bool:
    if "evidence" not in record.fields:
        return False
    return any(entry.type != "task" for entry in read_evidence(record.fields)[0])


def rests_on_something(record: Record) -> bool:
    """Tell quickly whether a record names anything it rests on."""
    return bool(record.derived_from) or "evidence" in record.fields


def judge_support(
    snapshot: Snapshot, records: Iterable[Record] | None = None
) -> dict[str, Support]:
    """Return how well records are supported, by id; those that are intact are left out.

    Args:
        snapshot: the vault.
        records: whom to judge (all by default). Only they and what they rest on are looked at.
    """
    wanted = [
        r for r in (snapshot.records if records is None else records) if rests_on_something(r)
    ]
    if not wanted:
        return {}
    net = _Net(snapshot, wanted)
    judged = net.judge()
    return {r.id: judged[r.id] for r in wanted if r.id in judged}


class _Net:
    """The records that others rest on, from the ones to judge downwards."""

    def __init__(self, snapshot: Snapshot, wanted: Iterable[Record]) -> None:
        self._snapshot = snapshot
        self._by_id = snapshot.by_id
        self._many = {r.id for r in snapshot.records} - set(self._by_id)
        self._aliases: Mapping[str, Record] | None = None
        self._nodes: dict[str, _Node] = {}
        # one that has no say is judged too, and speaks for nobody: `find` does not know it
        waiting = [self._by_id.get(r.id, r) for r in wanted if r.id not in self._many]
        while waiting:
            record = waiting.pop()
            if record.id not in self._nodes:
                links = links_of(record)
                premise = not links or _has_outside_evidence(record)
                self._nodes[record.id] = _Node(record, links, premise)
                waiting += [r for r in map(self.find, links) if r is not None]

    def find(self, name: str) -> Record | None:
        """Return the one record that a link names, by its id or a foreign one."""
        found = self._by_id.get(name)
        if found is not None or name in self._many:
            return found
        if self._aliases is None:
            self._aliases = {a: r for r in self._by_id.values() for a in r.aliases}
        return self._aliases.get(name)

    def judge(self) -> dict[str, Support]:
        grounded = self._grounded()
        lost = {key: tuple(self._lost(node, grounded)) for key, node in self._nodes.items()}
        weak = self._weakened(lost)
        found: dict[str, Support] = {}
        for key, node in self._nodes.items():
            lost_ids = {name for name, _ in lost[key]}
            thin = tuple(n for n in node.links if n not in lost_ids and self._is_weak(n, weak))
            if key not in grounded:
                found[key] = Support(ORPHANED, lost[key], thin)
            elif key in weak:
                found[key] = Support(WEAKENED, lost[key], thin)
        return found

    def _is_weak(self, name: str, weak: set[str]) -> bool:
        target = self.find(name)
        return target is not None and target.id in weak and target.status not in NO_SUPPORT

    def _grounded(self) -> set[str]:
        """Spread from the records that rest on nothing of the vault; linear in the links."""
        dependents: defaultdict[str, list[str]] = defaultdict(list)
        waiting: list[str] = []
        for key, node in self._nodes.items():
            if node.is_premise or any(self._stands_alone(name) for name in node.links):
                waiting.append(key)
            for name in node.links:
                target = self.find(name)
                if target is None or _why_lost(node.record, target):
                    continue
                if target.status in NO_SUPPORT:
                    waiting.append(key)
                else:
                    dependents[target.id].append(key)
        return set(reach(waiting, dependents.__getitem__))

    def _stands_alone(self, name: str) -> bool:
        """Whether a link leads to something that is there but cannot be judged here."""
        return self.find(name) is None and (name in self._many or self._is_unreadable(name))

    def _is_unreadable(self, name: str) -> bool:
        """Whether a file that cannot be read goes by this id: then nobody knows, and it counts."""
        tail = name.rpartition("-")[2]
        ends = {f"{name}.md"} | ({f"{tail}.md"} if len(tail) == _OWN_PATH_LETTERS else set())
        return any(path.endswith(tuple(ends)) for path in self._snapshot.unreadable)

    def _lost(self, node: _Node, grounded: set[str]) -> Iterator[tuple[str, str]]:
        for name in node.links:
            target = self.find(name)
            if target is None:
                if not self._stands_alone(name):
                    yield name, "not in the vault"
            elif why := _why_lost(node.record, target):
                yield name, why
            elif target.id not in grounded and target.status not in NO_SUPPORT:
                yield name, ORPHANED if target.id != node.record.id else "the record itself"

    def _weakened(self, lost: Mapping[str, tuple[tuple[str, str], ...]]) -> set[str]:
        dependents: defaultdict[str, list[str]] = defaultdict(list)
        for key, node in self._nodes.items():
            for name in node.links:
                target = self.find(name)
                if target is not None and target.status not in NO_SUPPORT:
                    dependents[target.id].append(key)
        return set(reach((key for key, items in lost.items() if items), dependents.__getitem__))


def _why_lost(record: Record, target: Record) -> str:
    """Say why `target` no longer supports `record`; "" while it does."""
    if target.status not in NO_SUPPORT:
        return ""
    if record.kind is Kind.DECISION and target.status is Status.REJECTED:
        return ""  # what a decision turned down is its reason, and stays so
    if target.status is Status.SUPERSEDED and _took_over(record, target):
        return ""
    return str(target.status)


def _took_over(record: Record, target: Record) -> bool:
    """Whether `record` itself came in the place of `target`: a new version, or a skill.

    Or is to: a draft by which the program proposes that the skill of a recipe follow it.
    """
    is_renewal = record.is_draft and record.fields.get(GRADUATES) == target.id
    is_new = target.id in record.supersedes
    return is_renewal or is_new or target.fields.get("superseded_by") == record.id
