"""Selection + budget to Block + Receipt: whole entries only, every omission listed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from vault_cli.recall.select import Query, Selection

GROUPS = (
    "corrections",
    "failures",
    "required",
    "checklist",
    "rules",
    "lessons",
    "reference",
    "conflicts",
    "recipes",
    "skills",
)
"""Group names in their default order (configurable by `render.order`)."""


@dataclass(frozen=True, slots=True)
class RenderOptions:
    """How to render.

    Args:
        budget: most the whole block may take, wrapper and omission notice included; 0 = no limit.
        unit: `characters` or `bytes` (UTF-8).
        order: groups in order; a group left out of it is not rendered but is reported.
        quotas: most a group may take, by group name, in `unit`; missing = no quota.
    """

    budget: int = 9500
    unit: str = "bytes"
    order: tuple[str, ...] = GROUPS
    quotas: Mapping[str, int] = field(default_factory=lambda: MappingProxyType({}))


@dataclass(frozen=True, slots=True)
class Line:
    """One receipt line: what became of one eligible record.

    Args:
        level: `full`, `line`, `id` or `omitted`.
        cost: characters or bytes it took (0 when omitted); `size`: what `full` would have taken.
    """

    id: str
    path: str
    title: str
    group: str
    level: str
    reason: str
    cost: int
    size: int


@dataclass(frozen=True, slots=True)
class RenderReceipt:
    """Every eligible record with its fate; `shown + omitted == eligible`."""

    lines: tuple[Line, ...]
    excluded: tuple[tuple[str, str], ...]
    budget: int
    unit: str
    used: int

    @property
    def eligible(self) -> int:
        """How many records could have been shown."""
        return len(self.lines)

    @property
    def shown(self) -> int:
        """How many are in the block at some level."""
        return sum(line.level != "omitted" for line in self.lines)

    @property
    def omitted(self) -> int:
        """How many were left out; each has a reason."""
        return self.eligible - self.shown


@dataclass(frozen=True, slots=True)
class Block:
    """The text to inject (ends with a newline, or is empty) and its receipt."""

    text: str
    receipt: RenderReceipt


def render_block(
    selection: Selection, query: Query, options: RenderOptions, unreadable: int = 0
) -> Block:
    """Render; byte-identical for the same content, options and calendar day."""
    raise NotImplementedError
