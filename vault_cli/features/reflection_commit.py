"""Plan the end of a reflection run: an answer becomes candidates, in one change.

May import `model`, `text`.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from vault_cli.errors import Diagnostic, RefusedError, UsageError
from vault_cli.features.answers import Answer
from vault_cli.features.drafting import Drafting, edits_of, fault_findings
from vault_cli.features.records import digest_of, instant_text, patch_keys, subject_of
from vault_cli.features.reflecting import REFLECT, Step, nothing_change, read_clean, written_ids
from vault_cli.features.reflection import (
    ABANDONED,
    COMPLETED,
    DIALECTIC,
    NONE,
    PENDING,
    Run,
    read_run,
)
from vault_cli.features.reflection_items import Bench, Checked, check_item, result_of
from vault_cli.features.reflection_words import words_of
from vault_cli.model.change import Change, Put
from vault_cli.model.lifecycle import Actor
from vault_cli.model.record import Record
from vault_cli.text.document import replace_body
from vault_cli.text.scan import ALL


class GatedError(RefusedError):
    """An answer was refused; `codes` are those of the precedent gate among its faults."""

    def __init__(self, message: str, codes: Sequence[str] = (), **more: Any) -> None:
        super().__init__(message, **more)
        self.codes = tuple(codes)


def digest_answer(text: str) -> str:
    """Return what a run keeps of its answer: SHA-256 in hex, of the text without blank ends."""
    return hashlib.sha256(text.strip().encode("utf-8", "surrogatepass")).hexdigest()


def plan_commit(
    bench: Bench,
    data: bytes,
    answer: Answer,
    digest: str,
    *,
    now: datetime,
    actor: Actor,
    origin: str,
    gates: frozenset[str] = ALL,
) -> Step:
    """Plan to write what an answer proposes, all of it in one change, and complete the run.

    Args:
        bench: the run and what its items are checked against.
        data: the bytes of the run's file.
        answer: what was answered.
        digest: of the answer (`digest_answer`).
        now: aware instant in the vault's time zone.
        actor: who asks.
        origin: how it comes in.
        gates: the gates of admission that are on.

    Returns:
        The step; its change is empty when this very answer completed the run before.

    Raises:
        GatedError: the answer has faults (one finding each), or the run ended with another answer.
        UsageError: the answer is for another run.
    """
    run = bench.run
    if run.state == COMPLETED and run.answer == digest:
        return Step(nothing_change(run, actor, origin), run, written_ids(run))
    _require_open(run, answer)
    checked = [check_item(bench, item) for item in answer.items]
    drafting = Drafting(
        bench.snapshot, bench.budget, now, actor, gates, origin="reflection", seed=run.id,
        left=_left_behind(bench),
    )  # fmt: skip
    for item in checked:
        drafting.take(item)
    faults = _faults_of_whole(run, answer)
    faults += [text for item in checked for text in item.faults]
    if faults:
        codes = [code for item in checked for code in item.gate]
        raise _refusal(run, faults, codes, drafting.notes)
    drafts = drafting.drafts
    done = _complete(bench, data, answer, digest, checked, drafts, now)
    ids = tuple(own for *_, own in drafts)
    change = _together(run, done, data, drafts, actor, origin)
    return Step(change, read_run(done[0]), ids, tuple(drafting.notes))


def _left_behind(bench: Bench) -> dict[str, Record]:
    """Return the candidates of this very run that stand there although it is not completed."""
    found = {}
    for record in bench.snapshot.records:
        origin = record.fields.get("reflection") if record.origin == "reflection" else None
        if isinstance(origin, Mapping) and origin.get("run") == bench.run.id:
            found[record.title] = record
    return found


def _require_open(run: Run, answer: Answer) -> None:
    if answer.get("run") and answer.get("run") != run.id:
        raise UsageError(
            f"the answer is for {answer.get('run')[:40]}, not for {run.id}",
            hint="Name the run of the answer: mvault reflect commit RUN",
        )
    if run.state == COMPLETED:
        raise GatedError(
            f"{run.id} is completed by another answer",
            hint=f"mvault show {run.id}; prepare another with: mvault reflect prepare --again",
        )
    if run.state == ABANDONED:
        raise GatedError(f"{run.id} is abandoned", hint="Prepare it again: mvault reflect prepare")
    if run.state == PENDING:
        raise GatedError(
            f"{run.id} waits for questions",
            hint=f"mvault reflect prepare {run.id} --question TEXT",
        )


def _faults_of_whole(run: Run, answer: Answer) -> list[str]:
    faults = []
    if not answer.items:
        if answer.get("relation") != NONE:
            faults.append("there is no item; for nothing to keep say relation none, with a reason")
        elif not answer.get("reason"):
            faults.append("relation none needs a reason")
    if run.mode == DIALECTIC:
        missing = [n for n in ("thesis", "antithesis", "synthesis") if not answer.get(n)]
        if missing:
            faults.append(f"missing: {', '.join(missing)}")
    return faults


def _refusal(
    run: Run, faults: Sequence[str], codes: Sequence[str], notes: Iterable[Diagnostic]
) -> GatedError:
    found = fault_findings(faults, run.path)
    return GatedError(
        f"the answer to {run.id} has {len(faults)} fault{'s' * (len(faults) != 1)};"
        " nothing was written",
        codes,
        hint="Mend them and run the same command again.",
        diagnostics=(*found, *notes),
    )


def _complete(
    bench: Bench,
    data: bytes,
    answer: Answer,
    digest: str,
    checked: Sequence[Checked],
    drafts: Sequence[tuple[Checked, Change | None, str]],
    now: datetime,
) -> tuple[Record, bytes]:
    """Return the run as completed: result, what was consumed, and the assessment as its text."""
    run = bench.run
    ids = {item.item.number: own for item, _, own in drafts}
    result = [result_of(item, ids.get(item.item.number, "")) for item in checked]
    if not result:
        result = [{"relation": NONE, "reason": answer.get("reason")}]
    cited = {own for item in checked for own in (*item.cites, item.target)}
    values = {
        "state": COMPLETED,
        "answer": digest,
        "result": result,
        "consumed": [one._asdict() for one in run.sources if one.id in cited],
        "completed": instant_text(now),
    }
    kept = {key: value for key, value in values.items() if value}
    new = patch_keys(data, run.path, kept)
    words = words_of(run.language)
    parts = [f"# {run.title}"]
    assessment = answer.get("assessment")
    if assessment:
        parts.append(f"## {words['assessment']}\n{_as_text(assessment)}")
    own = ("understanding", "thesis", "antithesis", "synthesis")
    parts += [f"## {words[name]}\n{_as_text(answer.get(name))}" for name in own if answer.get(name)]
    new = replace_body(new, "\n\n".join(parts) + "\n", run.path)
    return read_clean(new, run.path), new


def _as_text(text: str) -> str:
    """Return an agent's words as text below a heading: no line of theirs begins another section."""
    return "\n".join(f"\\{line}" if line.startswith("#") else line for line in text.split("\n"))


def _together(
    run: Run,
    done: tuple[Record, bytes],
    data: bytes,
    drafts: Sequence[tuple[Checked, Change | None, str]],
    actor: Actor,
    origin: str,
) -> Change:
    record, new = done
    edits = edits_of(drafts)
    touched = tuple(dict.fromkeys(item.target for item, *_ in drafts if item.target))
    overrides = [f"override of the precedent gate: {i.override}" for i, *_ in drafts if i.override]
    return Change(
        REFLECT,
        subject_of(record),
        (*edits, Put(run.path, new, digest_of(data))),
        reason="\n".join(overrides),
        ids=(run.id, *(own for *_, own in drafts)),
        actor=actor,
        origin=origin,
        touched=touched,
    )
