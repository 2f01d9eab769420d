"""From options to a block: what `render` and `diff` share. May import `recall`, `store`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from vault_cli.errors import UsageError

if TYPE_CHECKING:
    from vault_cli.cli.invocation import Invocation
    from vault_cli.model.record import Snapshot
    from vault_cli.recall.render import Block, RenderOptions
    from vault_cli.recall.select import Exclusion, Query

LEVELS = ("global", "project", "session")


@dataclass(frozen=True, slots=True)
class Wanted:
    """What was asked for on the command line; None or empty means: as configured."""

    mode: str = ""
    query: str = ""
    budget: int | None = None
    unit: str = ""
    scopes: tuple[str, ...] = ()
    topics: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()
    session: str = ""
    project: str | None = None
    moment: datetime | None = None


def render_snapshot(inv: Invocation, snapshot: Snapshot, wanted: Wanted) -> Block:
    """Select and render one snapshot."""
    from vault_cli.recall.render import render_block
    from vault_cli.recall.select import select_records

    query = make_query(inv, wanted)
    selection = select_records(snapshot, query)
    return render_block(selection, query, make_options(inv, wanted), len(snapshot.unreadable))


def make_query(inv: Invocation, wanted: Wanted) -> Query:
    """Return the query: what was asked for, else what is configured.

    Raises:
        UsageError: an unknown scope.
    """
    from vault_cli.recall.select import Query

    config = inv.vault.config
    levels, project, session = split_scopes(wanted.scopes)
    named = wanted.project if wanted.project is not None else project
    return Query(
        now=wanted.moment or inv.now,
        text=wanted.query,
        mode=wanted.mode or str(config["render.mode"]),
        scopes=levels or tuple(config["render.scopes"]),
        project=named or find_project(inv),
        session=wanted.session or session,
        topics=wanted.topics,
        kinds=wanted.kinds,
    )


def make_options(inv: Invocation, wanted: Wanted) -> RenderOptions:
    """Return how to render: what was asked for, else what is configured."""
    from vault_cli.recall.render import RenderOptions

    config = inv.vault.config
    return RenderOptions(
        budget=int(config["render.budget"]) if wanted.budget is None else wanted.budget,
        unit=wanted.unit or str(config["render.unit"]),
        order=tuple(config["render.order"]),
        quotas=dict(config["render.quotas"]),
    )


def split_scopes(scopes: Sequence[str]) -> tuple[tuple[str, ...], str, str]:
    """Return the levels, the project and the session that `--scope` options name.

    Raises:
        UsageError: one of them is not a scope.
    """
    levels, names = [], {"project": "", "session": ""}
    for text in scopes:
        level, _, name = text.strip().partition(":")
        if level not in LEVELS or (level == "global" and name):
            raise UsageError(
                f"unknown scope: {text}",
                hint="Use global, project, session, project:<id> or session:<id>.",
            )
        levels.append(level)
        if name:
            names[level] = name
    return tuple(dict.fromkeys(levels)), names["project"], names["session"]


def find_project(inv: Invocation) -> str:
    """Return the project id of the working directory: `$MVAULT_PROJECT`, else its git remote."""
    from vault_cli.cli.project import project_id

    named = inv.environ.get("MVAULT_PROJECT", "").strip()
    return named or project_id(inv.cwd, inv.root)


_WHY = {
    "scope": "of another scope",
    "branch": "for another branch",
    "kind": "of a kind shown on request",
    "topic": "of other topics",
    "scheduled": "not yet valid",
    "expired": "expired",
    "ambiguous": "with an id that stands twice",
    "held": "held",
}


def count_aside(excluded: Iterable[Exclusion]) -> dict[str, int]:
    """Return how many records in force do not apply here, by the code of the reason."""
    counts = Counter(item.code for item in excluded)
    known = {code: counts.pop(code) for code in _WHY if code in counts}
    return {**known, **dict(sorted(counts.items()))}


def aside_text(counts: Mapping[str, int]) -> str:
    """Return the same in words: `2 of another scope, 1 expired`; "" when all apply."""
    return ", ".join(f"{number} {_WHY.get(code, code)}" for code, number in counts.items())
