"""Options that several commands share, declared once as a class. May import typer."""

from __future__ import annotations

import functools
import inspect
import typing
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any

from vault_cli.cli import flags
from vault_cli.cli.rendering import Wanted

if TYPE_CHECKING:
    from datetime import datetime

Command = Callable[..., int]


@dataclass(frozen=True, slots=True)
class RenderChoices:
    """What was typed about a render; the help of each option is in `cli.flags`."""

    mode: flags.Mode = ""
    query: flags.Task = ""
    budget: flags.Budget = None
    unit: flags.Unit = ""
    scope: flags.Scopes = None
    topic: flags.Topics = None
    kind: flags.Kinds = None
    session: flags.SessionId = ""
    project: flags.Project = None

    def wanted(self, moment: datetime | None = None) -> Wanted:
        """Return what is asked of a render.

        Args:
            moment: the time the records are looked at; None = now.
        """
        return Wanted(
            mode=self.mode,
            query=self.query,
            budget=self.budget,
            unit=self.unit,
            scopes=tuple(self.scope or ()),
            topics=tuple(self.topic or ()),
            kinds=_known_kinds(self.kind or ()),
            session=self.session,
            project=self.project,
            moment=moment,
        )

    def with_session(self, session: str) -> RenderChoices:
        """Return the same choices for a session."""
        return replace(self, session=session)


def _known_kinds(typed: Sequence[str]) -> tuple[str, ...]:
    """Return kinds as records have them; UsageError for one that there is not."""
    if not typed:
        return ()
    from vault_cli.cli.filters import one_of
    from vault_cli.model.record import Kind

    return tuple(one_of(Kind, text, "kind").value for text in typed)


def takes(**groups: type[Any]) -> Callable[[Command], Command]:
    """Let a command have the options of classes where it declares parameters of these names.

    Args:
        groups: by name of the parameter, a dataclass whose fields are annotated as options.
    """

    def declare(command: Command) -> Command:
        @functools.wraps(command)
        def run(**given: Any) -> int:
            for parameter, group in groups.items():
                taken = {field.name: given.pop(field.name) for field in fields(group)}
                given[parameter] = group(**taken)
            return command(**given)

        declared = list(_parameters(command, groups))
        run.__signature__ = inspect.Signature(declared)  # type: ignore[attr-defined]
        run.__annotations__ = {param.name: param.annotation for param in declared}
        return run

    return declare


def _parameters(command: Command, groups: dict[str, type[Any]]) -> Iterator[inspect.Parameter]:
    """Yield the parameters of a command, each group's fields in the place of the group."""
    hints = typing.get_type_hints(command, include_extras=True)
    kind = inspect.Parameter.KEYWORD_ONLY
    for param in inspect.signature(command).parameters.values():
        if param.name not in groups:
            yield param.replace(kind=kind, annotation=hints[param.name])
            continue
        group = groups[param.name]
        options = typing.get_type_hints(group, include_extras=True)
        for field in fields(group):
            yield inspect.Parameter(
                field.name, kind, default=field.default, annotation=options[field.name]
            )
