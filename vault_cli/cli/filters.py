"""What a person typed to narrow a list down. May import `model`, `errors`."""

from __future__ import annotations

from enum import StrEnum
from typing import TypeVar

from vault_cli.errors import UsageError
from vault_cli.model.record import Record, Scope

Name = TypeVar("Name", bound=StrEnum)


def one_of(names: type[Name], text: str, noun: str) -> Name:
    """Return the member that `text` names; UsageError with the nearest names otherwise."""
    try:
        return names(text.strip().lower())
    except ValueError as error:
        from difflib import get_close_matches

        known = [str(member) for member in names]
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
