"""The options of a command that writes a new text, declared once. May import typer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from vault_cli.cli import flags
from vault_cli.cli.invocation import Invocation
from vault_cli.cli.rendering import scope_here
from vault_cli.errors import UsageError


@dataclass(frozen=True, slots=True)
class TextOptions:
    """What was typed about a new text; the help of each option is in `cli.flags`."""

    title: flags.Title = None
    body: flags.Body = None
    section: flags.Sections = None
    scope: flags.OneScope = ""
    topic: flags.SomeTopics = None
    keyword: flags.Keywords = None
    applies_when: flags.AppliesWhen = ""
    boundary: flags.Boundary = ""
    summary: flags.Summary = ""
    importance: flags.Importance = None
    confidence: flags.Confidence = ""
    source: flags.Source = ""
    valid_from: flags.ValidFrom = ""
    valid_to: flags.ValidTo = ""
    derived_from: flags.DerivedFrom = None
    required: flags.Required = False

    def values(self, inv: Invocation, **more: Any) -> dict[str, Any]:
        """Return the fields of a `DraftRequest` that were given, without body and sections.

        Args:
            inv: the run, which knows the ids.
            more: values of further options, by field.

        Raises:
            UsageError: an empty title, or an id that is not there.
        """
        if self.title is not None and not self.title.strip():
            raise UsageError(
                "--title is empty", hint="Write one line that says it, or leave it out."
            )
        same = {name: getattr(self, name) for name in _SAME_NAME}
        same["scope"] = scope_here(inv, self.scope)
        lists = {"topics": tuple(self.topic or ()), "keywords": tuple(self.keyword or ())}
        rests_on = tuple(map(inv.known_id, self.derived_from or ()))
        found = {**same, **lists, "derived_from": rests_on, **more}
        return {key: value for key, value in found.items() if value not in ("", None, False, ())}


_SAME_NAME = (
    "title", "applies_when", "boundary", "summary", "importance", "confidence", "source",
    "valid_from", "valid_to", "required",
)  # fmt: skip
