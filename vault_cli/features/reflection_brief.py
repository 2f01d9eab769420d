"""The brief of a reflection run as text: values in, text out. May import `model`, `text`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from vault_cli.features.critique import FIELDS
from vault_cli.features.decision_trace import FAILURES, Step, Trace
from vault_cli.features.reflection import (
    DIALECTIC,
    MOST_QUESTIONS,
    PENDING,
    Run,
)
from vault_cli.features.reflection_words import Words, words_of
from vault_cli.model.record import Record
from vault_cli.text.neutral import neutral_inline
from vault_cli.text.sections import split_sections

DETAILED: Final = 12
"""Records of the environment told with method and condition; the others by their title."""

_RANK: Final = {"high": 0, "medium": 1, "low": 2}
_MOST: Final = 300


class Surrounding(NamedTuple):
    """A record as it was when the task began (None: it is gone), and whether it changed since."""

    id: str
    record: Record | None
    changed: bool = False


class Proof(NamedTuple):
    """A record that may already say it, what speaks for it, and why it was found."""

    record: Record
    precedent: str = ""


class Material(NamedTuple):
    """Everything a brief tells.

    Args:
        run: the run it is for.
        goal, expected, ended: of the task, "" for none.
        trace: of the session, None when no log was found.
        environment: in the order of E1, E2 …
        evidence: by question id; under "" for all questions.
        sources: what is unreflected, for a run that asks for questions.
        open_task: id of a task that is open meanwhile, "" for none.
        is_silent: whether the agent is asked to think inwardly.
    """

    run: Run
    goal: str = ""
    expected: str = ""
    ended: str = ""
    trace: Trace | None = None
    environment: Sequence[Surrounding] = ()
    evidence: Mapping[str, Sequence[Proof]] = {}
    sources: Sequence[Record] = ()
    open_task: str = ""
    is_silent: bool = True


def order_environment(records: Sequence[Record]) -> list[Record]:
    """Return records as a brief tells them: the surest first, then the newest.

    Taking the first ones as they come would lose the newest of high confidence, since a vault lists
    its oldest first.
    """
    newest = sorted(records, key=lambda record: (record.created, record.id), reverse=True)
    return sorted(newest, key=lambda record: _RANK.get(record.confidence, 1))


def write_brief(material: Material) -> str:
    """Return the brief of a run: material, questions, and how to answer."""
    words = words_of(material.run.language)
    run = material.run
    lines = [words["run"].format(id=run.id, mode=run.mode), "", _short(run.title), words["intro"]]
    told = {
        "goal": material.goal,
        "expected": material.expected,
        "ended": words.get(f"ended_{material.ended}", material.ended),
    }
    lines += [words[name].format(text=_short(text)) for name, text in told.items() if text]
    lines += _trace_lines(material, words)
    lines += _environment_lines(material, words)
    if run.state == PENDING:
        lines += _pending_lines(material, words)
        return "\n".join(lines) + "\n"
    lines += _question_lines(material, words)
    lines += _answer_lines(material, words)
    return "\n".join(lines) + "\n"


def _short(text: str, most: int = _MOST) -> str:
    line = neutral_inline(text)
    return line if len(line) <= most else f"{line[: most - 1]}…"


def _trace_lines(material: Material, words: Words) -> Iterator[str]:
    run, trace = material.run, material.trace
    if not run.session and trace is None:
        return
    yield from ("", words["trace"])
    if trace is None:
        yield words["no_trace"]
        return
    yield words["trace_of"].format(
        session=_short(run.session, 80), start=trace.start, end=trace.end,
        calls=trace.calls, failed=trace.failed, changes=trace.changes,
    )  # fmt: skip
    yield words["quoted"]
    for step in trace.steps:
        yield from _step_lines(step, words)
    if trace.left_out:
        yield words["left_out"].format(number=trace.left_out)


def _step_lines(step: Step, words: Words) -> Iterator[str]:
    label = (
        words[step.kind].format(count=step.failed) if step.kind == FAILURES else words[step.kind]
    )
    place = step.start if step.start == step.end else f"{step.start}..{step.end}"
    lines = [_line for _line in map(neutral_inline, step.text.split("\n")) if _line]
    yield f"- [{step.id}] {place} {label}: {lines[0] if lines else words['veiled']}"
    yield from (f"    > {line}" for line in lines[1:])


def _environment_lines(material: Material, words: Words) -> Iterator[str]:
    run = material.run
    if not run.environment and not material.goal:
        return
    yield from ("", words["environment"])
    if not run.environment:
        yield words["no_environment"]
        return
    full = min(DETAILED, len(run.environment))
    yield words["environment_of"].format(total=len(run.environment), full=full)
    known = {item.id: item for item in material.environment}
    for number, own in enumerate(run.environment, 1):
        item = known.get(own, Surrounding(own, None))
        mark = words["gone"] if item.record is None else words["changed"] if item.changed else ""
        aside = f"({mark})" if mark else ""
        title = _short(item.record.title, 120) if item.record else ""
        yield f"- [E{number}] " + " ".join(filter(None, (own, title, aside)))
        if item.record is not None and number <= DETAILED:
            yield from _detail_lines(item.record)


def _detail_lines(record: Record) -> Iterator[str]:
    """Yield method and condition of a record."""
    if record.applies_when:
        yield f"    applies_when: {_short(record.applies_when)}"
    _, sections = split_sections(record.body, record.kind)
    for section in sections:
        if section.name in ("attempted", "correction", "avoid", "instead") and section.text:
            yield f"    {section.name}: {_short(section.text)}"


def _pending_lines(material: Material, words: Words) -> Iterator[str]:
    run = material.run
    points = sum(record.weight for record in material.sources)
    yield from ("", words["sources"].format(points=points))
    for record in material.sources:
        yield f"- [{record.id}] {record.kind}, {record.weight}: {_short(record.title, 160)}"
    yield from ("", words["ask_questions"].format(most=MOST_QUESTIONS, id=run.id))


def _question_lines(material: Material, words: Words) -> Iterator[str]:
    run, evidence = material.run, material.evidence
    yield from ("", words["evidence"])
    shared = evidence.get("", ())
    own = any(evidence.get(question.id) for question in run.questions)
    if not shared and not own:
        yield words["no_evidence"]
    else:
        yield words["evidence_of"]
    yield from (_proof_line(proof) for proof in shared)
    yield from ("", words["questions"])
    for question in run.questions:
        yield f"- [{question.id}] {_short(question.text, 500)}"
        for proof in evidence.get(question.id, ()):
            yield f"    {_proof_line(proof)}"


def _proof_line(proof: Proof) -> str:
    record = proof.record
    told = f"; {proof.precedent}" if proof.precedent else ""
    return f"- [{record.id}] {record.kind}, {record.status}{told}: {_short(record.title, 160)}"


def _answer_lines(material: Material, words: Words) -> Iterator[str]:
    run = material.run
    yield from ("", words["answer"], words["answer_how"].format(id=run.id), "")
    yield from (f"    {line}" for line in _example(run).split("\n"))
    yield ""
    yield from words["rules"].split("\n")
    yield words["gate"]
    if run.mode == DIALECTIC:
        yield words["dialectic_rule"]
    if run.review:
        yield words["review"].format(fields=", ".join(FIELDS))
    yield words["answer_none"].format()
    if material.open_task:
        yield words["open_task"].format(id=material.open_task)
    if material.is_silent:
        yield from ("", words["silent"])


def _example(run: Run) -> str:
    """Return the shape of an answer; nothing in it passes for one."""
    question = run.questions[0].id if run.questions else "q1"
    lead = f'{{"run": "{run.id}", "understanding": "…", "assessment": "…",'
    if run.mode == DIALECTIC:
        lead += ' "thesis": "…", "antithesis": "…", "synthesis": "…",'
    item = (
        f' "lessons": [{{"question": "{question}", "relation": "new", "kind": "lesson",'
        ' "title": "…", "problem": "…", "attempted": "…", "correction": "…", "applies_when": "…",'
        ' "scope": "…", "confidence": "medium", "importance": 5, "cites": ["T1"]}]}'
    )
    return f"{lead}\n{item}"
