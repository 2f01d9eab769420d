"""The items of an answer, checked against what a run was given. May import `model`, `text`.

Every fault is collected, so that an agent can mend them all at once; nothing is written while there
is one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Final

from vault_cli.errors import UsageError, VaultError
from vault_cli.features.answers import Item
from vault_cli.features.composing import DraftRequest
from vault_cli.features.critique import Critique, check_critique, write_critique
from vault_cli.features.learning import NO_LIMIT, Budget
from vault_cli.features.precedent import judge_revision
from vault_cli.features.reflection import NEW, NONE, RELATIONS, REPEAT, REVISE, Run
from vault_cli.features.reflection_words import CRITIQUE_LABELS
from vault_cli.features.supersession import successors_of
from vault_cli.features.task_records import Task
from vault_cli.model.record import ENDED, Kind, Record, Snapshot, Status
from vault_cli.text.similarity import same_text

KINDS: Final = (
    Kind.LESSON, Kind.FAILURE, Kind.RULE, Kind.FACT, Kind.PREFERENCE, Kind.INSIGHT,
    Kind.HYPOTHESIS, Kind.RECIPE, Kind.NOTE, Kind.DECISION,
)  # fmt: skip
"""What a reflection may propose."""

LEAST_TEXT: Final = 8
MOST_TEXT: Final = 2000
"""Characters of one part of a record: less says nothing, more is a log."""

REFLECTION: Final = "reflection"
"""The scope of what is only about the session it came from."""

PROJECT, GLOBAL = "project", "global"


@dataclass(slots=True)
class Checked:
    """One item, as it will be kept.

    Args:
        item: as it was answered.
        relation: what is done with it; `none` also for a lesson that its own review withdrew.
        target: id of the record that is repeated or revised, "" for none.
        cites: ids it rests on, resolved.
        request: the draft to write, None for none.
        override: why the precedent gate is passed, "" when it is not.
        faults: what is wrong with it.
        gate: codes of the precedent gate that refused it.
    """

    item: Item
    relation: str
    target: str = ""
    cites: tuple[str, ...] = ()
    request: DraftRequest | None = None
    override: str = ""
    faults: list[str] = field(default_factory=list)
    gate: list[str] = field(default_factory=list)

    def fault(self, text: str) -> None:
        """Note that something is wrong."""
        self.faults.append(f"item {self.item.number}: {text}")


@dataclass(frozen=True, slots=True)
class Bench:
    """What items are checked against.

    Args:
        run: what was prepared.
        snapshot: the vault.
        tasks: its tasks.
        scope: turns `project` into the scope at hand; raises UsageError where there is none.
        has_project: whether there is a project at hand.
        day: today, as evidence says it.
        budget: what may still be proposed this week.
    """

    run: Run
    snapshot: Snapshot
    tasks: Sequence[Task]
    scope: Callable[[str], str]
    has_project: bool
    day: str
    budget: Budget = NO_LIMIT


def check_item(bench: Bench, item: Item) -> Checked:
    """Check one item and compose its draft."""
    relation = item.get("relation")
    checked = Checked(item, relation)
    if relation not in RELATIONS:
        checked.fault(f"relation is one of {', '.join(RELATIONS)}")
        return checked
    _check_cites(bench, checked)
    if relation == NONE:
        if not item.get("reason"):
            checked.fault("relation none needs a reason")
        return checked
    if relation == REPEAT:
        _check_repeat(bench, checked)
        return checked
    if relation == REVISE:
        _check_revise(bench, checked)
    critique = _check_review(bench, checked)
    if checked.relation != NONE:
        _compose(bench, checked, critique)
    return checked


def _check_cites(bench: Bench, checked: Checked) -> None:
    """Let an item cite only what was prepared, for its own question where it names one."""
    run, item = bench.run, checked.item
    question = item.get("question")
    known = {one.id: one for one in run.questions}
    if question and question not in known:
        checked.fault(f"there is no question {question[:40]} (known: {', '.join(known)})")
    allowed = set(known[question].given) if question in known else set()
    found = []
    for name in item.all("cites"):
        own = run.resolve(name)
        if not own:
            checked.fault(f"{name[:60]} was not prepared; cite the ids of the brief only")
        elif allowed and not own.startswith("T") and own not in allowed:
            checked.fault(f"{own} was prepared for another question than {question}")
        else:
            found.append(own)
    checked.cites = tuple(dict.fromkeys(found))
    if not item.all("cites") and checked.relation != NONE:
        checked.fault("cites is empty; name what of the brief it rests on")


def _find_target(bench: Bench, checked: Checked, name: str) -> Record | None:
    given = checked.item.get(name)
    own = bench.run.resolve(given) if given else ""
    record = bench.snapshot.by_id.get(own)
    if not given:
        checked.fault(f"{name} is missing: which record?")
    elif record is None:
        checked.fault(f"{name}: {given[:60]} is no record that was prepared")
    elif record.status in ENDED or record.status is Status.QUARANTINED:
        checked.fault(f"{name}: {own} is {record.status}")
    else:
        checked.target = own
        return record
    return None


def _check_repeat(bench: Bench, checked: Checked) -> None:
    _find_target(bench, checked, "repeats")


def _check_revise(bench: Bench, checked: Checked) -> None:
    old = _find_target(bench, checked, "revises")
    if old is None:
        return
    if not old.in_force:
        checked.fault(f"revises: {old.id} is {old.status}; only what is in force is revised")
    rivals = successors_of(bench.snapshot, old.id)
    if rivals:
        checked.fault(f"revises: {old.id} has a successor already: {rivals[0].id}")
    override = checked.item.get("override")
    evidence = checked.item.all("evidence_task_ids")
    refused = judge_revision(old.id, evidence, bench.tasks)
    if refused and override:
        checked.override = override
    elif refused:
        checked.gate += [found.code for found in refused]
        for found in refused:
            checked.fault(f"precedent gate: {found.message}")


def _check_review(bench: Bench, checked: Checked) -> Critique | None:
    item = checked.item
    if not bench.run.review and item.critique is None:
        return None
    critique, faults = check_critique(item.critique, item.get("applies_when"))
    for text in faults:
        checked.fault(text)
    if critique is not None and critique.verdict == "withdrawn":
        checked.relation, checked.target = NONE, ""
    return critique


def _compose(bench: Bench, checked: Checked, critique: Critique | None) -> None:
    item = checked.item
    kind = item.get("kind") or "lesson"
    if kind not in KINDS:
        checked.fault(f"kind is one of {', '.join(KINDS)}, not {kind[:40]}")
        return
    sections = {name: text for name, text in item.sections.items() if text}
    applies_when = item.get("applies_when") or sections.pop("when", "")
    boundary = item.get("boundary") or sections.pop("boundary", "")
    if critique is not None:
        boundary = boundary or critique.boundary
        lines = write_critique(critique, CRITIQUE_LABELS[bench.run.language])
        sections["critique"] = "\n".join(lines)
    checked.request = DraftRequest(
        Kind(kind),
        item.get("title"),
        item.get("text"),
        MappingProxyType(sections),
        scope=_scope(bench, checked, boundary),
        boundary=boundary,
        topics=item.all("topics"),
        applies_when=applies_when,
        required=item.required,
        keywords=item.all("keywords"),
        importance=importance_of(checked),
        confidence=item.get("confidence"),
        source="agent",
        supersedes=(checked.target,) if checked.relation == REVISE and checked.target else (),
        conflicts=item.conflicts,
        derived_from=_rests_on(bench, checked),
        evidence=tuple(_evidence(bench, checked)),
        extra=MappingProxyType({"reflection": _origin(bench, checked)}),
        reason=checked.override or item.get("reason") or f"reflection {bench.run.id}",
    )
    check_texts(checked, sections)


def importance_of(checked: Checked) -> int | None:
    """Return the importance an item gives, None for none; a fault when it is no such number."""
    text = checked.item.get("importance")
    if not text:
        return None
    if text.isascii() and text.isdigit() and 1 <= int(text[:4]) <= 10:  # noqa: PLR2004
        return int(text)
    checked.fault("importance is a whole number from 1 to 10")
    return None


def _scope(bench: Bench, checked: Checked, boundary: str) -> str:
    wanted = checked.item.get("scope")
    if wanted == REFLECTION:
        if not bench.run.session:
            checked.fault("scope reflection: no session is known; use project or global")
        return f"session:{bench.run.session}" if bench.run.session else GLOBAL
    if wanted == GLOBAL and not boundary:
        checked.fault("scope global needs a boundary: why it belongs there")
    found = _scope_of_evidence(bench, checked) if wanted in ("", PROJECT) else ""
    try:
        return found or bench.scope(wanted or (PROJECT if bench.has_project else GLOBAL))
    except (UsageError, VaultError) as error:
        checked.fault(f"scope: {error.message}")
        return GLOBAL


def _scope_of_evidence(bench: Bench, checked: Checked) -> str:
    """Return the project that what an item rests on is about; "" where it is not of one.

    Wherever the answer is given: a run about a task or a session is about its project, any other
    one about that of the records which are cited.
    """
    about, known = bench.run.about, bench.snapshot.by_id
    if "scope" in about:
        return about["scope"]
    own = [about["task"]] if "task" in about else checked.cites
    scopes = {known[name].scope for name in own if name in known}
    scope = scopes.pop() if len(scopes) == 1 else None
    return str(scope) if scope is not None and scope.level == PROJECT else ""


def _rests_on(bench: Bench, checked: Checked) -> tuple[str, ...]:
    known = bench.snapshot.by_id
    named = [*checked.cites, *checked.item.all("evidence_task_ids")]
    return tuple(dict.fromkeys(n for n in named if n in known and n != checked.target))


def _evidence(bench: Bench, checked: Checked) -> list[Mapping[str, Any]]:
    run = bench.run
    found: list[Mapping[str, Any]] = []
    for place in run.places:
        if place.id in checked.cites and run.session:
            row = {"id": f"{run.id}-{place.id.lower()}", "type": "session-event"}
            where = {"session": run.session, "start": place.start, "end": place.end}
            found.append({**row, **where, "observed": bench.day})
    task = run.about.get("task", "")
    if task:
        found.append({"id": f"{run.id}-task", "type": "task", "task": task, "observed": bench.day})
    return found


def _origin(bench: Bench, checked: Checked) -> dict[str, Any]:
    """Return what a candidate keeps about the run it came from."""
    item = checked.item
    tasks = list(item.all("evidence_task_ids"))
    found = {
        "run": bench.run.id,
        "question": item.get("question"),
        "relation": checked.relation,
        "evidence_task_ids": tasks,
        "override": checked.override,
    }
    return {key: value for key, value in found.items() if value}


def check_texts(checked: Checked, sections: Mapping[str, str]) -> None:
    """Check length and emptiness; what the texts mean is for a person."""
    item = checked.item
    if not item.get("title"):
        checked.fault("title is missing")
    for name in item.unknown:
        checked.fault(f"{name}: there is no such field")
    for name, text in sections.items():
        if name == "critique":
            continue
        if len(text) < _least(text):
            checked.fault(f"{name} is too short to say anything")
        elif len(text) > MOST_TEXT:
            checked.fault(f"{name} has {len(text)} characters; at most {MOST_TEXT}")
    problem, correction = sections.get("problem", ""), sections.get("correction", "")
    if problem and same_text(problem, correction):
        checked.fault("correction says the same as problem; say what to do in its place")
    if len(item.get("text")) > MOST_TEXT:
        checked.fault(f"text has {len(item.get('text'))} characters; at most {MOST_TEXT}")


def _least(text: str) -> int:
    """Return how many characters say something: Chinese needs half as many."""
    return LEAST_TEXT if text.isascii() else LEAST_TEXT // 2


def result_of(checked: Checked, own: str) -> dict[str, Any]:
    """Return what a run keeps of an item.

    Args:
        checked: the item.
        own: id of the draft that was written, "" for none.
    """
    row: dict[str, Any] = {"relation": checked.relation}
    found = own if checked.relation in (NEW, REVISE) else checked.target
    more = {
        "id": found,
        "revises": checked.target if checked.relation == REVISE else "",
        "question": checked.item.get("question"),
        "cites": list(checked.cites),
        "override": checked.override,
        "reason": checked.item.get("reason") if checked.relation in (NONE, REPEAT) else "",
    }
    return row | {key: value for key, value in more.items() if value}
