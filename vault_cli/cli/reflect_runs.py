"""Reflection runs as a command names and tells them. May import everything below `cli`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

import typer

from vault_cli.cli.invocation import Invocation
from vault_cli.cli.shown import work_of
from vault_cli.errors import NotFoundError, UsageError
from vault_cli.features import reflection as runs
from vault_cli.features.reflection import Run
from vault_cli.model.record import Record
from vault_cli.store.places import real_path

_STATE = "reflect"

DUE = (
    "`mvault reflect prepare --mode threshold` begins a run about what is unreflected; leaving it"
    " is a decision as well."
)
"""Hint where as many points are unreflected as a run begins from."""

AnswerFile = Annotated[
    str, typer.Option("--answer", "-a", metavar="FILE", help="The answer; - is stdin (default).")
]
Language = Annotated[str, typer.Option("--language", help="en, zh; default: that of the material.")]


def settle_language(inv: Invocation, asked: str, texts: Sequence[str]) -> str:
    """Return the language of a brief: as asked, as set, or that of the material.

    Raises:
        UsageError: there is no such language.
    """
    from vault_cli.features.parts import is_chinese

    wanted = asked or str(inv.vault.config["reflection.language"])
    if wanted in ("en", "zh"):
        return wanted
    if wanted != "auto":
        raise UsageError(f"--language {wanted}: unknown", hint="Use en, zh or auto.")
    return "zh" if is_chinese("".join(texts)) else "en"


def unreflected_of(inv: Invocation) -> list[Record]:
    """Return the records of the vault at hand that no run of one's own cited as they are now.

    What came from others and nobody looked at is not among them: a push must not ask for a run.
    """
    here = work_of(inv)
    return runs.unreflected(here, runs.runs_of(here))


def run_data(run: Run) -> dict[str, Any]:
    """Return the promised JSON shape of a run."""
    return {
        "id": run.id,
        "state": run.state,
        "mode": run.mode,
        "title": run.title,
        "about": dict(run.about),
        "language": run.language,
        "review": run.review,
        "questions": [
            {"id": one.id, "text": one.text, "given": list(one.given)} for one in run.questions
        ],
        "sources": [one._asdict() for one in run.sources],
        "places": [one._asdict() for one in run.places],
        "environment": list(run.environment),
        "result": [dict(item) for item in run.result],
        "consumed": [one._asdict() for one in run.consumed],
    }


def find_run(inv: Invocation, text: str) -> Run:
    """Return the run that an id or its beginning names; NotFoundError, UsageError else."""
    record = inv.find(text)
    return runs.require_run(inv.snapshot, record.id)


def open_run(inv: Invocation, text: str, named: str = "") -> Run:
    """Return the run that is meant: as typed, else as the answer names it, else the open one.

    Raises:
        NotFoundError: none is open. UsageError: several are.
    """
    if text or named:
        return find_run(inv, text or named)
    found = [run for run in runs.runs_of(work_of(inv)) if run.state in runs.OPEN]
    if not found:
        raise NotFoundError("no reflection run is open", hint="mvault reflect prepare --task ID")
    if len(found) > 1:
        names = ", ".join(run.id for run in found)
        raise UsageError(f"several runs are open: {names}", hint="Name one of them.")
    return found[0]


def refusals(inv: Invocation) -> dict[str, int]:
    """Return how often the precedent gate refused a revision on this machine, by why."""
    from vault_cli.store.own_state import path_key, read_state

    found = read_state(_STATE, path_key(real_path(inv.root))).get("refused")
    rows = found.items() if isinstance(found, dict) else ()
    return {str(code): number for code, number in sorted(rows) if isinstance(number, int)}


def note_refusals(inv: Invocation, codes: Sequence[str]) -> None:
    """Count what the precedent gate refused: a gate that forbids everything has to be seen."""
    from collections import Counter

    from vault_cli.errors import StoreError
    from vault_cli.store.own_state import path_key, write_state

    if not codes or inv.options.dry_run:
        return
    counts = Counter(refusals(inv))
    counts.update(codes)
    try:
        write_state(_STATE, path_key(real_path(inv.root)), {"refused": dict(counts)})
    except StoreError as error:
        inv.out.say(f"not counted: {error.message}")


def keep_run(inv: Invocation, run: Run) -> None:
    """Commit a run's file that a killed command wrote and did not commit; it says so then."""
    from vault_cli.features.records import instant_text, patch_keys, put_change, read_checked

    repo = inv.vault.repo
    if inv.options.dry_run or repo is None or not repo.pending({run.path}):
        return
    data = inv.read(run.path)
    new = patch_keys(data, run.path, {"resumed": instant_text(inv.now)})
    record = read_checked(new, run.path)
    change = put_change("reflect", record, data, new, actor=inv.actor, origin=inv.origin)
    inv.vault.apply(change)
