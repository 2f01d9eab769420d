"""What a person typed to narrow a list down. May import `model`, `errors`."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from enum import StrEnum
from typing import TypeVar

from vault_cli.errors import UsageError
from vault_cli.model.record import Kind, Record, Scope, Status

Name = TypeVar("Name", bound=StrEnum)


def one_of(
    names: type[Name], text: str, noun: str, allowed: Collection[Name] | None = None
) -> Name:
    """Return the member that `text` names; UsageError with the nearest names otherwise.

    Args:
        names: what there is.
        text: as typed.
        noun: what it is called.
        allowed: the members that can be meant here, named in the error; None: all.
    """
    try:
        return names(text.strip().lower())
    except ValueError as error:
        from difflib import get_close_matches

        known = [str(member) for member in (names if allowed is None else allowed)]
        near = get_close_matches(text, known, n=1)
        guess = f"Did you mean {near[0]}? " if near else ""
        raise UsageError(
            f"unknown {noun}: {text}", hint=f"{guess}Known: {', '.join(known)}."
        ) from error


def check_scope(text: str) -> None:
    """Raise UsageError unless `text` is a scope or the level of one."""
    if text in ("global", "project", "session"):
        return
    try:
        Scope.parse(text)
    except ValueError as error:
        raise UsageError(
            f"unknown scope: {text}", hint="Use global, project, project:<id> or session:<id>."
        ) from error


def in_scope(record: Record, text: str) -> bool:
    """Tell whether a record has the scope `text`, or is on the level it names."""
    return str(record.scope) == text or record.scope.level == text


def _counts_as(record: Record, statuses: Collection[Status]) -> bool:
    """Tell whether a record counts as one of these: a stale verification makes it active."""
    if record.status is Status.CANDIDATE and not record.is_draft:
        return False
    from vault_cli.model.evidence import standing_of

    return standing_of(record)[0] in statuses


def make_filter(
    records: Sequence[Record],
    kind: Sequence[str] | None,
    status: Sequence[str] | None,
    topic: Sequence[str] | None,
    scope: Sequence[str] | None,
) -> Callable[[Record], bool]:
    """Return the test for the options that narrow a list down.

    Args:
        records: all records of the snapshot; they say which names of topics mean the same.
        kind, status, topic, scope: as typed; what was not given takes nothing out.

    Raises:
        UsageError: one of them names nothing we know.
    """
    from vault_cli.recall.topics import TopicTable

    kinds = {one_of(Kind, text, "kind") for text in kind or ()}
    statuses = {one_of(Status, text, "status") for text in status or ()}
    for text in scope or ():
        check_scope(text)
    table = TopicTable(records if topic else ())

    def test(record: Record) -> bool:
        return bool(
            (not kinds or record.kind in kinds)
            and (not statuses or _counts_as(record, statuses))
            and (not topic or any(table.has(record, text) for text in topic))
            and (not scope or any(in_scope(record, text) for text in scope))
        )

    return test
