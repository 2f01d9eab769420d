"""Query + Snapshot to Selection: who is eligible, in which order, a reason each."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from vault_cli.model.record import Record, Snapshot


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
        topics: only these topics (empty: all).
        kinds: only these kinds (empty: all that are rendered).
    """

    now: datetime
    text: str = ""
    mode: str = "assist"
    scopes: tuple[str, ...] = ("global", "project", "session")
    project: str = ""
    session: str = ""
    topics: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Pick:
    """A record that may be rendered, with its group, rank value and the reason for its place."""

    record: Record
    group: str
    score: float
    reason: str


@dataclass(frozen=True, slots=True)
class Exclusion:
    """A record in force that is not eligible here, and why (expired, scheduled, scope, held ...)."""

    record: Record
    reason: str


@dataclass(frozen=True, slots=True)
class Selection:
    """Ranked picks in group order, and the records in force that were excluded with reasons."""

    picks: tuple[Pick, ...]
    excluded: tuple[Exclusion, ...]


def select_records(snapshot: Snapshot, query: Query) -> Selection:
    """Choose and rank; deterministic: ties end at the record id."""
    raise NotImplementedError
