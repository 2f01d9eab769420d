"""What `install --check` finds out about one agent program. Values only."""

from __future__ import annotations

from dataclasses import dataclass, field

from vault_cli.hosts.install.instructions import Reading
from vault_cli.hosts.table import Host


@dataclass(slots=True)
class Report:
    """What was found about one host.

    Args:
        host: the agent program.
        is_there: whether its own folder exists on this machine.
        hooks: events that start our hooks, by settings file.
        reading: the instruction files it reads here.
        given: bytes and characters of what a session start is given; None when it was not asked.
        told: ids of the records in it.
        problems: what keeps something from arriving.
        notes: what a person should know.
    """

    host: Host
    is_there: bool
    hooks: dict[str, list[str]] = field(default_factory=dict)
    reading: Reading | None = None
    given: tuple[int, int] | None = None
    told: frozenset[str] = frozenset()
    problems: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
