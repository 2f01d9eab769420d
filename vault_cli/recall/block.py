"""What a render gives back: options in, block and receipt out. Values only. + `errors`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, NamedTuple

from vault_cli.errors import UsageError
from vault_cli.model.tables import GROUPS
from vault_cli.recall import wording
from vault_cli.recall.select import Pick

UNITS = ("bytes", "characters")
"""How a budget is counted: UTF-8 bytes or characters."""

LEVELS = ("omitted", "id", "line", "full")
"""How much of an entry is shown, from nothing to everything."""


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

    def check(self) -> None:
        """Raise UsageError unless the unit, the groups and the numbers make sense."""
        if self.unit not in UNITS:
            raise UsageError(f"unknown unit {self.unit!r}", hint=f"Use one of: {', '.join(UNITS)}.")
        unknown = [name for name in (*self.order, *self.quotas) if name not in GROUPS]
        if unknown:
            raise UsageError(
                f"unknown group {unknown[0]!r}", hint=f"The groups are: {', '.join(GROUPS)}."
            )
        if len(set(self.order)) < len(self.order):
            raise UsageError("a group is named twice in the order of groups")
        if min(self.budget, *self.quotas.values(), 0) < 0:
            raise UsageError("a budget or a quota is below zero", hint="Write 0 for no limit.")


class Line(NamedTuple):
    """One receipt line: what became of one eligible record.

    Everything but the place is told when asked: a receipt of 10,000 lines stays cheap.

    Args:
        pick: the record and why it has its place.
        level: `full`, `line`, `id` or `omitted`.
        fate: why it is not shown in full, "" when it is.
        cost: characters or bytes it took (0 when omitted), without shared headings.
        measure: how a text is counted.
    """

    pick: Pick
    level: str
    fate: str
    cost: int
    measure: Callable[[str], int]

    @property
    def id(self) -> str:
        """The record's id."""
        return self.pick.record.id

    @property
    def path(self) -> str:
        """The record's file."""
        return self.pick.record.path

    @property
    def vault(self) -> str:
        """Which of two vaults it is from, "" when one is read."""
        return self.pick.record.vault

    @property
    def title(self) -> str:
        """The record's title."""
        return self.pick.record.title

    @property
    def group(self) -> str:
        """The group it belongs to."""
        return self.pick.group

    @property
    def reason(self) -> str:
        """Why it has its place, and why it is not shown in full."""
        return f"{self.fate} ({self.pick.reason})" if self.fate else self.pick.reason

    @property
    def size(self) -> int:
        """What the entry takes, or would have taken, at level `full`."""
        return self.measure(
            wording.full_text(self.pick.record, self.pick.support.state, self.pick.aside)
        )

    def as_data(self) -> dict[str, Any]:
        """Return the promised JSON shape of a receipt line."""
        data: dict[str, Any] = {"id": self.id, "path": self.path, "title": self.title}
        if self.vault:
            data["vault"] = self.vault
        more = ("group", "level", "reason", "cost", "size")
        return data | {name: getattr(self, name) for name in more}


class Excluded(NamedTuple):
    """A record in force that was not eligible: code and words of the reason."""

    id: str
    path: str
    code: str
    reason: str
    vault: str = ""

    def as_data(self) -> dict[str, str]:
        """Return the promised JSON shape; `vault` stands there when two are read."""
        return {key: value for key, value in self._asdict().items() if key != "vault" or value}


@dataclass(frozen=True, slots=True)
class RenderReceipt:
    """Every eligible record with its fate; `shown + omitted == eligible`.

    Args:
        lines: eligible records in the order of the block.
        excluded: records in force that were not eligible, and why.
        used: length of the block's text in `unit`, never more than a budget above 0.
        unreadable: files that could not be read (not among the records).
        mode: the mode of the query (`off` explains an empty block).
    """

    lines: tuple[Line, ...]
    excluded: tuple[Excluded, ...]
    budget: int
    unit: str
    used: int
    unreadable: int = 0
    mode: str = "assist"

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

    def as_data(self) -> dict[str, Any]:
        """Return the promised JSON shape of a receipt (measures every line)."""
        return {
            "mode": self.mode,
            "budget": self.budget,
            "unit": self.unit,
            "used": self.used,
            "eligible": self.eligible,
            "shown": self.shown,
            "omitted": self.omitted,
            "unreadable": self.unreadable,
            "lines": [line.as_data() for line in self.lines],
            "excluded": [item.as_data() for item in self.excluded],
        }


class Block(NamedTuple):
    """The text to inject (ends with a newline, or is empty) and its receipt."""

    text: str
    receipt: RenderReceipt


def measure_in(unit: str) -> Callable[[str], int]:
    """Return the function that measures a text in `unit`."""
    return len if unit == "characters" else _utf8_length


def _utf8_length(text: str) -> int:
    # A lone surrogate cannot come from a file, but a length must never raise.
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))
